package binarytrace

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/kernel"
)

// Options are the options of Open.
type Options struct {
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
	log     *diag.DamageLog
	clock   Clock

	recordings []Section // of hiperf
	scripts    scripts
	processes  map[trace.PID]string
	logs       []Section // of hilog-plugin
	reports    []Section // of hisysevent-plugin
	tasks      []Section // of ffrt-profiler
	tasksClock uint64    // of those

	pieces  []piece
	streams []*stream
	heap    []next // of the streams that have events, with the earliest first
	started bool
	rest    []byte // lines that have not been read
	buffer  []byte // the memory of rest
	values  kernel.Values
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
	// unchecked: damage of its events has not been counted.
	unchecked bool
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
	// head sets the columns of an event. It returns false for one that cannot be read, and counts
	// why.
	head(h *head, data []byte) bool
	kernel.Decoder
}

// head is what an event has beside its fields.
type head struct {
	comm           []byte // nil if it is unknown
	tid, tgid      int32  // tgid is negative if it is unknown
	flags, preempt uint8
	title          *title
	args           []byte // for kernel.Decoder
	marker         bool
	text           []byte // of a marker
}

// title is an event's name as it precedes the args in text.
type title struct {
	text []byte // ": NAME: "
	kind hitrace.Kind
}

func newTitle(name string) title {
	t := title{text: []byte(": " + name + ": ")}
	t.kind = hitrace.KindOf(t.name())
	return t
}

func (t *title) name() []byte { return t.text[2 : len(t.text)-2] }

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

// next is the next event of a stream.
type next struct {
	time   trace.Time
	piece  uint32 // the order of events at the same time
	stream uint32 // an index
}

// before reports whether h comes before other.
func (h *next) before(other *next) bool {
	return h.time < other.time || h.time == other.time && h.piece < other.piece
}

// Open reads the index of the trace in r, which has size bytes. The error is an
// *Error or that of r.
func Open(r io.ReaderAt, size int64, o Options) (*Reader, error) {
	o.Limits = o.Limits.WithDefaults()
	t := &Reader{in: &cache{in: r}, options: o, log: kinds.NewLog()}
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

// scripts is what the arkts-plugin of hiprofiler wrote.
type scripts struct {
	Messages []Section // its data, in the order of the file
	PID      int32     // the process that it observed, or 0
	Interval trace.Duration
}

// scripts returns where data of the arkts-plugin is in the file. It may be damaged.
func (r *Reader) Scripts() scripts { return r.scripts }

// Processes returns the full names of processes that process-plugin wrote, the last of each.
// Names are those of the file: they may be long, and need not be UTF-8.
func (r *Reader) Processes() map[trace.PID]string { return r.processes }

// Lost returns the number of events that the kernel dropped, as far as the part that has
// been read reports it. Losses that the text has as lines of their own do not count.
func (r *Reader) Lost() int { return r.log.Count(lostEvents) - r.noted }

// Warnings describe, in words, the damage in the part that has been read.
func (r *Reader) Warnings() []trace.Warning { return r.log.Warnings() }

// start makes a stream for each processor.
func (r *Reader) start() error {
	if r.started {
		return r.err
	}
	r.started = true
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
			r.heap = append(r.heap, next{s.events[0].time, s.piece, uint32(i)})
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
		if len(s.events) == 0 {
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

// Text returns the text of a trace that has text; nil for others.
func (r *Reader) Text() io.Reader { return r.text }

// Read implements io.Reader. Its error is that of the file.
func (r *Reader) Read(p []byte) (int, error) {
	if r.text != nil {
		return r.text.Read(p)
	}
	if !r.started {
		r.rest = []byte(Header)
	}
	if len(r.rest) == 0 {
		r.buffer = r.buffer[:0]
		r.each(func() bool { return len(r.buffer) < bufferSize }, r.lostLine, r.line)
		r.rest = r.buffer
	} else if err := r.start(); err != nil {
		return 0, err
	}
	if len(r.rest) == 0 {
		return 0, cmp.Or(r.err, io.EOF)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *Reader) lostLine(s *stream) {
	r.buffer = fmt.Appendf(r.buffer, "CPU:%d [LOST %d EVENTS]\n", s.cpu, s.lost)
}

// line appends the line of an event.
func (r *Reader) line(h *head, s *stream, e *event) {
	b := append(r.appendColumns(r.buffer, h, s.cpu, e.time), h.title.text...)
	from := len(b)
	r.values.Memory = r.values.Memory[:0]
	b = r.source.AppendArgs(b, h.args, s.cpu, &r.values)
	payload := joinLines(trimPayload(b[from:], h.marker))
	r.buffer = append(b[:from+len(payload)], '\n')
}

// Next implements hitrace.Source.
func (r *Reader) Next(b *hitrace.Batch, size int) error {
	if !r.started {
		b.AddText([]byte(Header))
	}
	if err := r.start(); err != nil {
		return err
	}
	b.Decoder = decoder{r.source}
	r.each(func() bool { return b.Size() < size }, func(s *stream) { b.AddLoss(trace.CPU(s.cpu), s.lost) }, func(h *head, s *stream, e *event) {
		r.add(b, h, s, e)
	})
	if b.Lines() == 0 {
		return cmp.Or(r.err, io.EOF)
	}
	return nil
}

// add adds an event to a batch.
func (r *Reader) add(b *hitrace.Batch, h *head, s *stream, e *event) {
	added := b.Add()
	added.Kind = h.title.kind
	l := &added.Line
	l.Name, l.Time, l.CPU, l.TID, l.PID = h.title.name(), e.time, trace.CPU(s.cpu), trace.TID(h.tid), trace.UnknownPID
	if h.tgid >= 0 {
		l.PID = trace.PID(h.tgid)
	}
	switch {
	case h.tid == 0:
		l.Comm = idleComm
	case len(h.comm) == 0:
		l.Comm = lostComm
	default:
		l.Comm = b.Keep(bytes.TrimLeft(h.comm, " \t"))
	}
	l.InInterrupt, l.NoFlags = h.flags&(hardIRQ|softIRQ|nmi) != 0, h.flags&flagsShown|h.preempt == 0
	if h.marker {
		l.Args = joinLines(b.Keep(trimPayload(h.text, true)))
	} else {
		l.Args = b.Keep(h.args)
	}
}

// each reads events in order while more says so. It calls lost for a stream that lost events before the
// next one.
func (r *Reader) each(more func() bool, lost func(*stream), yield func(*head, *stream, *event)) {
	var h head
	for more() && len(r.heap) > 0 && r.err == nil {
		first := &r.heap[0]
		s := r.streams[first.stream]
		if e := &s.events[s.next]; r.source.head(&h, s.data[e.from:e.to]) {
			if s.lost > 0 {
				lost(s)
				r.noted += s.lost
				s.lost = 0
			}
			yield(&h, s, e)
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
}

// IsSys reports whether a file that begins with head is a raw kernel trace.
func IsSys(head []byte) bool { return bytes.HasPrefix(head, []byte(sysMagic)) }

// IsHtrace reports whether a file that begins with head was written by hiprofiler.
func IsHtrace(head []byte) bool { return bytes.HasPrefix(head, []byte(htraceMagic)) }

// Clock is what a trace says about its clock.
type Clock struct {
	// Known: Offset is stated by the trace.
	Known bool
	// Offset is trace time minus CLOCK_MONOTONIC.
	Offset trace.Duration
	// Source is where the trace states it.
	Source ClockSource
	// Boot and Unix are a reading of CLOCK_BOOTTIME and of the time of day at the same
	// moment, in nanoseconds; 0 if the trace has none.
	Boot trace.Time
	Unix int64
	// Name is the kernel's trace_clock, such as "boot"; empty if the trace does not
	// say.
	Name string
}

// maxUnix is the last time of day that is read, in the year 2255.
const maxUnix = 9_000_000_000_000_000_000

// ClockSource is where a trace states its clock.
type ClockSource uint8

const (
	// ProfilerHeader: the clocks in the header of a file of hiprofiler.
	ProfilerHeader ClockSource = iota
	// ClocksDetail: the message clocks_detail of ftrace-plugin.
	ClocksDetail
	// TraceClockMono: events are in CLOCK_MONOTONIC.
	TraceClockMono
)
