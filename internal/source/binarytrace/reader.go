package binarytrace

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"ohframe/analyzer/trace"
)

// Options are the options of Open.
type Options struct {
	// Strict turns damage into an error.
	Strict bool
	// Limits limit the number of names by Threads.
	Limits trace.Limits
	// Precision is that of the times of lines.
	Precision Precision
}

// Reader yields the text of a binary trace: Header, and a line for each event in order
// of time. Events at the same time have the order of the file.
type Reader struct {
	in      io.ReaderAt
	options Options
	source  source
	log     *log
	clock   Clock

	recordings []Section // of hiperf
	scripts    Scripts
	processes  map[trace.PID]string
	logs       []Section // of hilog-plugin
	reports    []Section // of hisysevent-plugin
	tasks      []Section // of ffrt-profiler
	tasksClock uint64    // of those

	pieces  []piece
	streams []*stream
	heap    []head // of the streams that have events, with the earliest first
	started bool
	from    trace.Time // events outside [from, to) are left out
	to      trace.Time
	rest    []byte // lines that have not been read
	buffer  []byte // the memory of rest
	events  int
	noted   int // lost events that lines say
	err     error
	text    io.Reader // the text of a trace that has text; nil for others
}

// piece is a run of events of one processor, in order of time.
type piece struct {
	at    int64      // offset in the file
	first trace.Time // of its events, or before
	size  int32      // bytes
	cpu   uint16
}

// event is an event of a piece.
type event struct {
	time     trace.Time
	from, to int32 // where it is in the piece
}

// source is a format of binary traces.
type source interface {
	// events appends the events of a piece to list.
	events(list []event, data []byte, p *piece) []event
	// lost returns the number of events that were lost before those of a piece.
	lost(data []byte) int
	// line appends the line of an event in data. It appends nothing for an event that
	// cannot be read.
	line(b []byte, data []byte, cpu int, e *event) []byte
}

// maxCPUs is the maximum number of processors. Linux supports 8192; phones have 12.
const maxCPUs = 8192

// stream is the events of one processor.
type stream struct {
	pieces []uint32 // indexes of its pieces that have not been read, in order
	piece  uint32   // index of the current piece
	cpu    int
	lost   int // events before the next one, without a line yet
	data   []byte
	events []event // of the current piece
	next   int     // the index of the next one
}

// head is the next event of a stream.
type head struct {
	time   trace.Time
	piece  uint32 // the order of events at the same time
	stream uint32 // an index
}

// before reports whether h comes before other.
func (h *head) before(other *head) bool {
	return h.time < other.time || h.time == other.time && h.piece < other.piece
}

// Open reads the index of the trace in r, which has size bytes. The error is an
// *Error or that of r.
func Open(r io.ReaderAt, size int64, o Options) (*Reader, error) {
	o.Limits = o.Limits.WithDefaults()
	t := &Reader{in: r, options: o, log: newLog(o.Strict), to: trace.MaxTime}
	head := make([]byte, min(size, int64(len(htraceMagic))))
	if err := readAt(r, head, 0); err != nil {
		return nil, err
	}
	var err error
	switch {
	case IsSys(head):
		err = t.openSys(size)
	case IsHtrace(head):
		err = t.openHtrace(size)
	default:
		err = &Error{What: "not a binary trace"}
	}
	if err == nil {
		err = t.log.Err()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// readAt reads all of b. The end of the file before that is an error.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}

// Clock returns what the trace says about its clock.
func (r *Reader) Clock() Clock { return r.clock }

// Section is a part of a file: Size bytes at an offset.
type Section struct{ At, Size int64 }

// Recordings returns where recordings of hiperf are in the file, which may be damaged.
func (r *Reader) Recordings() []Section { return r.recordings }

// Scripts is what the arkts-plugin of hiprofiler wrote.
type Scripts struct {
	Messages []Section // its data, in the order of the file
	PID      int32     // the process that it observed, or 0
	Interval trace.Duration
}

// Scripts returns where data of the arkts-plugin is in the file. It may be damaged.
func (r *Reader) Scripts() Scripts { return r.scripts }

// Processes returns the full names of processes that process-plugin wrote, the last of each.
// Names are those of the file: they may be long, and need not be UTF-8.
func (r *Reader) Processes() map[trace.PID]string { return r.processes }

// Events returns the number of events that have been read.
func (r *Reader) Events() int { return r.events }

// Lost returns the number of events that the kernel dropped, as far as the part that has
// been read reports it. Losses that the text has as lines of their own do not count.
func (r *Reader) Lost() int { return r.log.Count(lostEvents) - r.noted }

// Warnings describe, in words, the damage in the part that has been read.
func (r *Reader) Warnings() []trace.Warning { return r.log.Warnings() }

// Start returns the time of the first event. It is unknown if there is no event.
func (r *Reader) Start() (trace.Time, error) {
	if err := r.start(); err != nil || len(r.heap) == 0 {
		return 0, err
	}
	return r.heap[0].time, nil
}

// SetWindow leaves out events before from, and from to on. It must be called before
// Read.
func (r *Reader) SetWindow(from, to trace.Time) { r.from, r.to = from, to }

// start makes a stream for each processor.
func (r *Reader) start() error {
	if r.started {
		return r.err
	}
	r.started = true
	r.rest = []byte(Header)
	byCPU := map[uint16]*stream{}
	for i := range r.pieces {
		p := &r.pieces[i]
		s := byCPU[p.cpu]
		if s == nil {
			s = &stream{cpu: int(p.cpu)}
			byCPU[p.cpu] = s
			r.streams = append(r.streams, s)
		}
		s.pieces = append(s.pieces, uint32(i))
	}
	for i, s := range r.streams {
		first := func(a, b uint32) int { return cmp.Compare(r.pieces[a].first, r.pieces[b].first) }
		if !slices.IsSortedFunc(s.pieces, first) {
			slices.SortStableFunc(s.pieces, first)
		}
		if r.load(s) {
			r.heap = append(r.heap, head{s.events[0].time, s.piece, uint32(i)})
		}
	}
	for i := len(r.heap)/2 - 1; i >= 0; i-- {
		r.sink(i)
	}
	return r.err
}

// load decodes the next piece of s that has events, and reports whether there is one.
func (r *Reader) load(s *stream) bool {
	for len(s.pieces) > 0 && r.err == nil {
		s.piece, s.pieces = s.pieces[0], s.pieces[1:]
		p := &r.pieces[s.piece]
		s.data = slices.Grow(s.data[:0], int(p.size))[:p.size]
		if r.err = readAt(r.in, s.data, p.at); r.err != nil {
			break
		}
		s.lost += r.source.lost(s.data)
		s.events, s.next = r.source.events(s.events[:0], s.data, p), 0
		if r.err = r.log.Err(); len(s.events) == 0 || r.err != nil {
			continue
		}
		if !slices.IsSortedFunc(s.events, byTime) {
			slices.SortStableFunc(s.events, byTime)
		}
		return true
	}
	return false
}

func byTime(a, b event) int { return cmp.Compare(a.time, b.time) }

// sink restores the order of the heap from element i down.
func (r *Reader) sink(i int) {
	h, sunk := r.heap, r.heap[i]
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(&h[child]) {
			child++
		}
		if !h[child].before(&sunk) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = sunk
}

// bufferSize is the size of the text that is made at a time.
const bufferSize = 32 << 10

// Read implements io.Reader. Its error is that of the file or, with Options.Strict,
// an *Error.
func (r *Reader) Read(p []byte) (int, error) {
	if r.text != nil {
		return r.text.Read(p)
	}
	if err := r.start(); err != nil {
		return 0, err
	}
	if len(r.rest) == 0 {
		r.buffer = r.fill(r.buffer[:0], bufferSize)
		r.rest = r.buffer
	}
	if len(r.rest) == 0 {
		return 0, cmp.Or(r.err, io.EOF)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// fill appends lines to b until it has the size or the trace ends.
func (r *Reader) fill(b []byte, size int) []byte {
	for len(b) < size && len(r.heap) > 0 && r.err == nil {
		first := &r.heap[0]
		if first.time >= r.to {
			r.heap = nil
			break
		}
		s := r.streams[first.stream]
		if first.time >= r.from {
			b = r.line(b, s, &s.events[s.next])
			if r.err = r.log.Err(); r.err != nil {
				break
			}
		}
		s.next++
		if s.next < len(s.events) || r.load(s) {
			first.time, first.piece = s.events[s.next].time, s.piece
		} else {
			last := len(r.heap) - 1
			*first = r.heap[last]
			if r.heap = r.heap[:last]; last == 0 {
				break
			}
		}
		r.sink(0)
	}
	return b
}

// line appends the line of an event, after a note about lost events if it is the first
// one since.
func (r *Reader) line(b []byte, s *stream, e *event) []byte {
	before := len(b)
	if s.lost > 0 {
		b = fmt.Appendf(b, "CPU:%d [LOST %d EVENTS]\n", s.cpu, s.lost)
	}
	noted := len(b)
	b = r.source.line(b, s.data, s.cpu, e)
	if len(b) == noted {
		return b[:before] // the note comes with the next event
	}
	r.events++
	r.noted += s.lost
	s.lost = 0
	return b
}

// IsSys reports whether a file that begins with head is a raw kernel trace.
func IsSys(head []byte) bool { return bytes.HasPrefix(head, []byte(sysMagic)) }

// IsHtrace reports whether a file that begins with head was written by hiprofiler.
func IsHtrace(head []byte) bool { return bytes.HasPrefix(head, []byte(htraceMagic)) }
