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
	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/perfettopb"
	"ohframe/internal/result"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/kernel"
	"ohframe/internal/source/unpack"
)

// ErrNotATrace: the input does not begin like a Perfetto trace.
var ErrNotATrace = errors.New("not a Perfetto trace")

// ErrNoFrames: the trace has no frame timeline. Android records it with the data source
// android.surfaceflinger.frametimeline, from Android 12 on.
var ErrNoFrames = errors.New("no frame timeline in the trace")

// ErrNoResult: ohframe wrote the trace, and the result of the analysis is not in it, or is
// damaged, or another version of ohframe wrote it. ErrSeveralResults: it is several traces
// that ohframe wrote, one after another.
var (
	ErrNoResult       = errors.New("a converted trace without the result of its analysis")
	ErrSeveralResults = errors.New("several converted traces in one")
)

// Options decide how a trace is read.
type Options struct {
	// Kernel keeps the kernel's events that causes of Android's frames follow from.
	Kernel bool
	// Limits are the limits for reading. Frames is the limit of actual slices of the
	// frame timeline, and of expected slices; Threads that of processes, and of threads;
	// Strings that of layers; Records that of clock readings. Anything over these limits
	// is skipped and counted. Inflated and Ratio are limits of all compressed packets
	// together; over them, reading fails with an *unpack.LimitError. States is the limit of the
	// kernel's events, and of the changes of state for causes. So does reading a converted
	// trace over Frames or, for facts about frames, over States.
	Limits trace.Limits
}

// Trace is what a trace says: frames or, of one that ohframe wrote, the whole result.
type Trace struct {
	result.Stored
	// Kernel has the kernel's events that causes of the frames follow from; nil without
	// Options.Kernel and of a trace that ohframe wrote.
	Kernel hitrace.Source
}

// Stats counts the packets, events and frames that were read, and what was skipped.
type Stats struct {
	// Packets counts the packets of the trace, those in compressed packets included.
	Packets int
	// Events counts the starts and ends of slices of the frame timeline.
	Events int
	// Ours reports whether ohframe wrote the trace.
	Ours bool

	// Cut: the input ends within a packet. Earlier frames are in the timeline.
	Cut bool
	// Garbage is the offset in bytes at which the input stops being a sequence of
	// packets, negative if it never does.
	Garbage int64
	// Damaged counts packets that could not be decoded.
	Damaged int
	// Malformed counts frame timeline events that lack a required field or have an
	// impossible time.
	Malformed int
	// lostStarts and lostEnds count ends of slices without a start, and slices without an end, far
	// from the edges of the trace.
	lostStarts, lostEnds int
	// UnknownClock counts events in a clock without a reading beside boot time. Their
	// times are used unchanged.
	UnknownClock int
	// UntimedKernel counts events of the kernel, or bundles of them, in a clock with an unknown
	// offset to boot time. They are skipped.
	UntimedKernel int
	// Over counts what was skipped because of a limit.
	Over Over
}

// Over counts what was skipped because of a limit.
type Over struct {
	Frames  int // starts and ends of slices of the frame timeline
	Threads int // names of processes and threads, and frames of skipped processes
	Strings int // frames whose layer has no name for that reason
	Records int // clock readings
	States  int // events of the kernel
}

// Warnings describes damage and skipped parts of the trace, for users.
func (s *Stats) Warnings() []trace.Warning {
	var list diag.Warnings
	if s.Cut {
		list.Add(trace.WarnDamaged, "truncated: the trace ends within a packet; earlier frames are kept")
	}
	if s.Garbage >= 0 {
		list.Add(trace.WarnDamaged, "damaged from byte %d on; earlier frames are kept", s.Garbage)
	}
	list.Count(trace.WarnDamaged, s.Damaged, "damaged packet", "skipped")
	list.Count(trace.WarnNotUnderstood, s.Malformed, "frame timeline event", "without a required field, or with a time before the boot or after "+trace.Time(trace.MaxTime).String()+" s, skipped")
	list.Count(trace.WarnInconsistent, s.lostStarts, "slice", "without a start in the trace")
	list.Count(trace.WarnInconsistent, s.lostEnds, "slice", "without an end in the trace")
	list.Count(trace.WarnClock, s.UnknownClock, "event", "in a clock with an unknown offset to boot time")
	list.Count(trace.WarnClock, s.UntimedKernel, "bundle or event", "of the kernel in a clock with an unknown offset to boot time, skipped")
	list.Count(trace.WarnOverLimit, s.Over.Frames, "frame timeline event", "over the limit skipped (limit: frames)")
	list.Count(trace.WarnOverLimit, s.Over.Threads, "fact", "about processes and threads over the limit skipped: names and frames (limit: threads)")
	list.Count(trace.WarnOverLimit, s.Over.Strings, "name", "of a layer over the limit skipped (limit: strings)")
	list.Count(trace.WarnOverLimit, s.Over.Records, "clock reading", "over the limit skipped (limit: records)")
	list.Count(trace.WarnOverLimit, s.Over.States, "event", "of the kernel over the limit skipped (limit: states)")
	return list
}

// Read reads the Perfetto trace in r: the frame timeline of Android, or the result of the
// analysis in a trace that ohframe wrote. It decompresses packets, but not a trace that is
// compressed as a whole. Times of the timeline are boot time. The error is ErrNotATrace,
// ErrNoFrames, ErrNoResult, ErrSeveralResults, an *unpack.LimitError, or that of r or ctx. Damage
// is skipped and counted in the Stats, which are never nil.
func Read(ctx context.Context, r io.Reader, options Options) (*Trace, *Stats, error) {
	d := newDecoder(ctx, options.Limits.WithDefaults())
	if options.Kernel {
		d.kernel = newKernel(d.limits)
	}
	defer d.close()
	err := d.read(r)
	switch {
	case err != nil:
		return nil, d.stats, err
	case d.results > 1:
		return nil, d.stats, ErrSeveralResults
	case d.results == 1 && d.resultError != nil:
		return nil, d.stats, fmt.Errorf("%w: %w", ErrNoResult, d.resultError)
	case d.results == 1:
		return &Trace{Stored: *d.result}, d.stats, nil
	case d.stats.Events == 0:
		return nil, d.stats, ErrNoFrames
	case d.stats.Ours:
		return nil, d.stats, ErrNoResult
	}
	if d.kernel != nil {
		d.kernel.nameThreads(d.processes)
	}
	t := d.assemble()
	if len(t.Frames) == 0 {
		return nil, d.stats, ErrNoFrames
	}
	read := &Trace{Stored: result.Stored{Timeline: t}}
	if d.kernel != nil {
		d.stats.UntimedKernel += d.kernel.toBoot(&d.clocks)
		d.stats.Over.States = d.kernel.over
		read.Kernel = newKernelSource(d.kernel, d.processes)
	}
	return read, d.stats, nil
}

// decoder collects the contents of packets.
type decoder struct {
	ctx         context.Context
	stats       *Stats
	events      []event
	slices      []slice
	layers      map[string]string
	clocks      clocks
	processes   *processes
	result      *result.Stored
	results     int   // packets with a result
	resultError error // of the first
	message     perfettopb.FrameTimelineEvent
	limits      trace.Limits
	kernel      *kernelLog // nil without Options.Kernel

	actual, expected, ends int // counts of slices and of ends

	inflation *unpack.Inflation
	failed    error         // why reading stops before the end
	zlib      io.ReadCloser // reads compressed_packets
	zstd      *zstd.Decoder // reads zstd_compressed_packets
	inflated  *source       // the packets in a compressed packet
}

func newDecoder(ctx context.Context, l trace.Limits) *decoder {
	stats := &Stats{Garbage: -1}
	return &decoder{
		ctx: ctx, stats: stats, limits: l, inflation: unpack.NewInflation(l), layers: map[string]string{},
		processes: newProcesses(l.Threads, &stats.Over.Threads), clocks: clocks{limit: l.Records, over: &stats.Over.Records},
	}
}

// read reads all packets of the input.
func (d *decoder) read(r io.Reader) error {
	in := newSource(d.ctx, d.inflation.Packed(r))
	switch d.packets(in, false) {
	case cut:
		d.stats.Cut = true
	case garbage:
		d.stats.Garbage = in.used
	}
	if err := cmp.Or(d.failed, in.readError(), d.ctx.Err()); err != nil {
		return err
	}
	if d.stats.Packets == 0 {
		return ErrNotATrace
	}
	return nil
}

// packets reads packets until the input ends, is cut, or is garbage.
func (d *decoder) packets(in *source, nested bool) outcome {
	var p packet
	for {
		switch o := in.next(&p); o {
		case whole:
			d.stats.Packets++
			if nested && (p.kind == packetCompressed || p.kind == packetZstdCompressed) {
				d.stats.Damaged++ // a bomb: no recorder compresses twice
				continue
			}
			d.packet(&p)
			if d.failed != nil {
				return end
			}
		case damaged:
			if d.stats.Packets == 0 {
				return garbage // not a trace
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

// packet decodes a packet's payload.
func (d *decoder) packet(p *packet) {
	ok := true
	keeps := d.kernel != nil && !d.stats.Ours
	if keeps && p.interned != nil {
		ok = d.kernel.addSymbols(p.sequence, p.interned)
	}
	switch p.kind {
	case packetKernelEvents:
		ok = (!keeps || d.kernel.addBundle(p.sequence, p.payload, &d.stats.UntimedKernel)) && ok
	case packetResult, packetAllocated:
		if p.kind == packetAllocated && !d.stats.Ours {
			break // somebody else's
		}
		d.stats.Ours = true
		if d.results++; d.results == 1 {
			d.result, d.resultError = result.Decode(p.payload, d.limits, d.inflation)
			d.failed = limitError(d.resultError)
		}
	case packetFrameTimeline:
		ok = d.results > 0 || d.event(p)
	case packetProcessTree:
		ok = d.processes.add(p.payload)
	case packetClockSnapshot:
		ok = d.clocks.add(p.payload)
	case packetSystemInfo:
		ok = d.says(p.payload, systemNames, systemName, result.System)
	case packetAttributes:
		ok = d.says(p.payload, attributesAttribute, attributeKey, "ohframe.version")
	case packetCompressed, packetZstdCompressed:
		ok = d.compressed(p)
	}
	if !ok {
		d.stats.Damaged++
	}
}

// says decodes a message that shows that ohframe wrote the trace, if a message in it has the text.
func (d *decoder) says(payload []byte, inner, text protowire.Number, ours string) bool {
	return eachMessage(payload, inner, func(b []byte) bool {
		f := kernel.Fields{Rest: b}
		for f.Next() {
			d.stats.Ours = d.stats.Ours || f.Number == text && string(f.Data) == ours
		}
		return !f.Bad
	})
}

// compressed reads the packets in a compressed packet. It returns false if the
// compressed data is damaged.
func (d *decoder) compressed(p *packet) bool {
	r, err := d.inflate(p)
	if err != nil {
		return false
	}
	if d.inflated == nil {
		d.inflated = newSource(d.ctx, nil)
	}
	d.inflated.reset(d.inflation.Unpacked(r))
	outcome := d.packets(d.inflated, true)
	if d.failed == nil {
		d.failed = limitError(d.inflated.err)
	}
	return outcome == end && d.inflated.err == io.EOF
}

// limitError returns err if it is an *unpack.LimitError, else nil.
func limitError(err error) error {
	if over := (*unpack.LimitError)(nil); errors.As(err, &over) {
		return over
	}
	return nil
}

// inflate returns a reader of the packets in a compressed packet.
func (d *decoder) inflate(p *packet) (r io.Reader, err error) {
	payload := bytes.NewReader(p.payload)
	switch {
	case p.kind == packetZstdCompressed && d.zstd == nil:
		d.zstd, err = zstd.NewReader(payload, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPacket))
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

// readError returns the error of reading the input. Truncated or damaged compressed data
// is not an error: it is reported as damage.
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
