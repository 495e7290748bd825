package perfetto

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"ohframe/analyzer"
	"ohframe/analyzer/limits"
	"ohframe/protos/perfettopb"
)

// ErrNotATrace: the input does not begin as a Perfetto trace does.
var ErrNotATrace = errors.New("not a Perfetto trace")

// ErrNoFrames: the trace has no frame timeline. On Android it takes the data
// source android.surfaceflinger.frametimeline, from Android 12 on.
var ErrNoFrames = errors.New("no frame timeline in the trace")

// Options decide how a trace is read.
type Options struct {
	// Strict makes whatever is damaged or cut an error. Otherwise what can be
	// read is read, and Stats tell what could not.
	Strict bool
	// Limits bound what is remembered of a trace. Frames counts actual slices of
	// the frame timeline, and as many expected ones; Threads processes and
	// threads, each; Strings layers; Records readings of clocks and what frames
	// sent, each. Inflated and Ratio are of all that is compressed in it together,
	// and an error, a *limits.Error.
	Limits limits.Limits
}

// Stats is what was read, and what could not be.
type Stats struct {
	// Bytes and Packets are what the trace consists of; packets within packets
	// count as well.
	Bytes   int64
	Packets int
	// Events are the frame timeline's starts and ends.
	Events int
	// Converter is the version of ohframe that wrote the trace; empty if it was
	// recorded elsewhere. Ours says whether ohframe wrote it.
	Converter string
	Ours      bool

	// Cut: the input ends within a packet. Frames before that are there.
	Cut bool
	// Garbage is the offset, counted as Bytes are, from which on the input is no
	// sequence of packets; negative if it is one to the end.
	Garbage int64
	// Damaged counts packets that could not be decoded.
	Damaged int
	// Malformed counts frame timeline events without what they must have.
	Malformed int
	// UnpairedEnds counts ends of slices that did not start.
	UnpairedEnds int
	// Unfinished counts slices, expected and actual, that did not end.
	Unfinished int
	// Unmatched counts expected intervals of frames that are not in the trace.
	Unmatched int
	// UnknownClock counts events whose clock nothing relates to boot time; their
	// times are taken as they are.
	UnknownClock int
	// Dropped counts frames of either kind that were never shown.
	Dropped int
	// Over counts what was left out because there is more of it than the limits
	// allow.
	Over Over
}

// Over counts what is beyond limits.
type Over struct {
	Frames  int // starts and ends of slices of the frame timeline
	Threads int // statements about processes and threads, and frames of such processes
	Strings int // frames whose layer's name was left out
	Records int // readings of clocks, transactions
}

// Warnings says in words what a user should know of.
func (s *Stats) Warnings() []string {
	var list []string
	add := func(yes bool, format string, args ...any) {
		if yes {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(s.Cut, "the trace is cut: it ends within a packet; frames before that are kept")
	add(s.Garbage >= 0, "from byte %d on the trace is damaged; frames before that are kept", s.Garbage)
	add(s.Damaged > 0, "%d damaged packets passed over", s.Damaged)
	add(s.Malformed > 0, "%d frame timeline events without a required field or a time that can be", s.Malformed)
	add(s.UnpairedEnds > 0, "%d ends of slices that did not start in the trace", s.UnpairedEnds)
	add(s.Unfinished > 0, "%d slices that did not end in the trace", s.Unfinished)
	add(s.UnknownClock > 0, "%d events in a clock that the trace does not relate to boot time", s.UnknownClock)
	add(s.Over.Frames > 0, "%d starts and ends of frames beyond the limit left out (--limit frames)", s.Over.Frames)
	add(s.Over.Threads > 0, "%d statements and frames of processes and threads beyond the limit left out (--limit threads)", s.Over.Threads)
	add(s.Over.Strings > 0, "%d names of layers beyond the limit left out (--limit strings)", s.Over.Strings)
	add(s.Over.Records > 0, "%d clock readings and transactions beyond the limit left out (--limit records)", s.Over.Records)
	return list
}

// Read reads the trace in r, whose packets may be deflated; a file that is deflated
// as a whole is for the caller to inflate. Times of the timeline are boot time. The
// error is ErrNotATrace, ErrNoFrames, a *limits.Error, the reader's, the context's
// or, in strict mode, one that tells what is damaged. Stats are there in any case.
func Read(ctx context.Context, r io.Reader, options Options) (*analyzer.Timeline, *Stats, error) {
	d := newDecoder(ctx, options.Limits.WithDefaults())
	defer d.close()
	err := d.read(r)
	if err == nil && options.Strict {
		err = d.stats.damage()
	}
	if err != nil {
		return nil, d.stats, err
	}
	if d.stats.Events == 0 {
		return nil, d.stats, ErrNoFrames
	}
	t := d.timeline()
	if len(t.Frames) == 0 {
		return nil, d.stats, ErrNoFrames
	}
	return t, d.stats, nil
}

// damage returns an error that tells of the first thing that is wrong, if any.
func (s *Stats) damage() error {
	switch {
	case s.Garbage >= 0:
		return fmt.Errorf("damaged from byte %d on", s.Garbage)
	case s.Cut:
		return errors.New("cut: the trace ends within a packet")
	case s.Damaged > 0:
		return fmt.Errorf("%d damaged packets", s.Damaged)
	case s.Malformed > 0:
		return fmt.Errorf("%d frame timeline events without a required field", s.Malformed)
	}
	return nil
}

// decoder collects what the packets say.
type decoder struct {
	ctx        context.Context
	stats      *Stats
	events     []event
	slices     []slice
	layers     map[string]string
	clocks     clocks
	processes  *processes
	attributes attributes
	notes      notes
	message    perfettopb.FrameTimelineEvent
	limits     limits.Limits

	actual, expected, ends int // what there is of slices

	inflation *limits.Inflation
	failed    error         // why reading on makes no sense
	zlib      io.ReadCloser // reads compressed_packets
	zstd      *zstd.Decoder // reads zstd_compressed_packets
	inflated  *source       // what they hold
}

func newDecoder(ctx context.Context, l limits.Limits) *decoder {
	stats := &Stats{Garbage: -1}
	return &decoder{
		ctx: ctx, stats: stats, limits: l, inflation: l.NewInflation(), layers: map[string]string{},
		processes: newProcesses(l.Threads, &stats.Over.Threads), clocks: clocks{most: l.Records, over: &stats.Over.Records},
		notes: newNotes(l, &stats.Over),
	}
}

// read reads all packets of the input.
func (d *decoder) read(r io.Reader) error {
	in := newSource(d.ctx, d.inflation.Packed(r), bufferSize)
	switch d.packets(in, false) {
	case cut:
		d.stats.Cut = true
	case garbage:
		d.stats.Garbage = in.used
	}
	d.stats.Bytes = in.used
	if err := cmp.Or(d.failed, in.readError(), d.ctx.Err()); err != nil {
		return err
	}
	if d.stats.Packets == 0 {
		return ErrNotATrace
	}
	return nil
}

// packets reads packets to the end, or until they are cut or turn into garbage.
func (d *decoder) packets(in *source, nested bool) outcome {
	var p packet
	for {
		switch o := in.next(&p); o {
		case whole:
			d.stats.Packets++
			if nested && (p.kind == packetCompressed || p.kind == packetZstdCompressed) {
				d.stats.Damaged++ // nobody deflates twice
				continue
			}
			d.packet(&p)
			if d.failed != nil {
				return end
			}
		case damaged:
			if d.stats.Packets == 0 {
				return garbage // no trace at all
			}
			d.stats.Damaged++
		case end:
			if isDamage(in.err) {
				return cut
			}
			return end
		default:
			return o
		}
	}
}

// packet takes what a packet says.
func (d *decoder) packet(p *packet) {
	ok := true
	switch p.kind {
	case packetFrameTimeline:
		ok = d.event(p)
	case packetProcessTree:
		ok = d.processes.add(p.payload)
	case packetClockSnapshot:
		ok = d.clocks.add(p.payload)
	case packetAttributes:
		ok = d.attributes.add(p.payload)
	case packetCompressed, packetZstdCompressed:
		ok = d.compressed(p)
	case packetTrackDescriptor, packetTrackEvent:
		ok = !d.attributes.ours || d.notes.add(p) // those of others are not for us
	}
	if !ok {
		d.stats.Damaged++
	}
}

// compressed reads the packets within a packet.
func (d *decoder) compressed(p *packet) bool {
	r, err := d.inflate(p)
	if err != nil {
		return false
	}
	if d.inflated == nil {
		d.inflated = newSource(d.ctx, nil, bufferSize)
	}
	d.inflated.reset(d.inflation.Unpacked(r))
	outcome := d.packets(d.inflated, true)
	if d.failed == nil {
		d.failed = limitError(d.inflated.err)
	}
	return outcome == end && d.inflated.err == io.EOF
}

// limitError returns err if it says that a limit is reached, else nil.
func limitError(err error) error {
	if over := (*limits.Error)(nil); errors.As(err, &over) {
		return over
	}
	return nil
}

// inflate returns a reader of the packets within a packet.
func (d *decoder) inflate(p *packet) (r io.Reader, err error) {
	payload := bytes.NewReader(p.payload)
	switch {
	case p.kind == packetZstdCompressed && d.zstd == nil:
		d.zstd, err = zstd.NewReader(payload, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPayload))
		return d.zstd, err
	case p.kind == packetZstdCompressed:
		return d.zstd, d.zstd.Reset(payload)
	case d.zlib == nil:
		d.zlib, err = zlib.NewReader(payload)
		return d.zlib, err
	default:
		return d.zlib, d.zlib.(zlib.Resetter).Reset(payload, nil)
	}
}

// readError returns why the input could not be read to its end. Compressed data
// that is cut or damaged is no such reason: it is the input's fault.
func (s *source) readError() error {
	if s.err == nil || s.err == io.EOF || isDamage(s.err) {
		return nil
	}
	return s.err
}

func isDamage(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &corrupt)
}

func (d *decoder) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
}
