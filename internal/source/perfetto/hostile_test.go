package perfetto_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// tight are limits at which memory must be small.
var tight = trace.Limits{Frames: 1000, Threads: 1000, Strings: 100, Records: 1000, States: 1000}

// packets returns the Append function of a hostile input.
func packets(add func(r *recording, i int)) func([]byte, int) []byte {
	return func(b []byte, i int) []byte {
		r := recording{bytes: b}
		add(&r, i)
		return r.bytes
	}
}

func TestHostile(t *testing.T) {
	inputs := []hostiletest.Input{
		{Name: "empty packets", Append: packets(func(r *recording, i int) { r.raw(nil) })},
		{Name: "unfinished slices", Append: packets(func(r *recording, i int) {
			r.event(uint64(1e9+i), actualSurface(int64(i), int64(i+1), 0, app, "layer", fine))
		}), Warning: "limit: frames"},
		{Name: "expected slices", Append: packets(func(r *recording, i int) {
			r.event(uint64(1e9+i), expectedSurface(int64(i), int64(i+1), 0, app, "layer"))
		}), Warning: "limit: frames"},
		{Name: "ends", Append: packets(func(r *recording, i int) { r.end(uint64(1e9+i), int64(i)) }), Warning: "limit: frames"},
		{Name: "processes with frames", Append: packets(func(r *recording, i int) {
			r.event(uint64(1e9+i), actualSurface(int64(i), 1, 0, int32(i), "layer", fine))
		}), Warning: "limit: frames"},
		{Name: "layers", Pieces: 1500, Append: packets(func(r *recording, i int) {
			r.event(uint64(1e9+i), actualSurface(int64(i), int64(i+1), 0, app, fmt.Sprint("layer ", i, strings.Repeat("x", 60_000)), fine))
		}), Warning: "limit: strings"},
		{Name: "processes", Append: packets(func(r *recording, i int) { r.packet(tree(int32(i+1), 0, 0)) }), Warning: "limit: threads"},
		{Name: "threads", Append: packets(func(r *recording, i int) { r.packet(tree(app, int32(i+1), 1)) }), Warning: "limit: threads"},
		{Name: "threads of as many processes", Append: packets(func(r *recording, i int) { r.packet(tree(0, int32(i+1), int32(i+1))) }), Warning: "limit: threads"},
		{Name: "clock readings", Append: packets(func(r *recording, i int) {
			r.packet(&pb.TracePacket{Data: &pb.TracePacket_ClockSnapshot{ClockSnapshot: &pb.ClockSnapshot{Clocks: []*pb.ClockSnapshot_Clock{
				{ClockId: proto.Uint32(6), Timestamp: proto.Uint64(uint64(i + 1))}, {ClockId: proto.Uint32(uint32(i + 7)), Timestamp: proto.Uint64(uint64(i + 1))},
			}}}})
		}), Warning: "limit: records"},
		{Name: "attributes", Append: packets(func(r *recording, i int) {
			r.packet(&pb.TracePacket{Data: &pb.TracePacket_TraceAttributes{TraceAttributes: &pb.TraceAttributes{Attribute: []*pb.TraceAttributes_Attribute{
				{Key: proto.String(fmt.Sprint("ohframe.", i)), Value: &pb.TraceAttributes_Attribute_StringValue{StringValue: strings.Repeat("x", 1000)}},
			}}}})
		})},
		{Name: "events of the kernel", Append: packets(func(r *recording, i int) {
			d := &drawn{}
			d.mark(uint64(i), int64(1e9+i), uint32(i+1), fmt.Sprintf("B|%d|Choreographer#doFrame %d", i+1, i))
			r.raw(d.bundles[0])
		}), Warning: "limit: states"},
		{Name: "switches", Append: packets(func(r *recording, i int) {
			d := &drawn{form: kernelForm{compact: true}}
			d.change(uint64(i%300), int64(1e9+i), 0, int64(i), int32(i))
			r.raw(d.bundles[0])
		}), Warning: "limit: states"},
		{Name: "kernel functions", Append: packets(func(r *recording, i int) {
			symbol := block(number(nil, 1, uint64(i)), 2, fmt.Appendf(nil, "function_%d_%s", i, strings.Repeat("x", 300)))
			r.raw(block(number(nil, 10, uint64(i)), 12, block(nil, 26, symbol)))
		})},
	}
	for i := range inputs {
		inputs[i].Head = frame()
	}
	hostiletest.Reader{
		Read: func(ctx context.Context, r io.Reader, l trace.Limits) (*analyzer.Timeline, []string, error) {
			timeline, stats, err := readTimeline(ctx, r, perfetto.Options{Kernel: true, Limits: l})
			return timeline, diag.Texts(stats.Warnings()), err
		},
		Inputs: inputs, Pieces: 50_000, Small: tight, Heap: 16 << 20, Frames: tight.Frames, Processes: tight.Threads,
	}.Check(t)
}

func tree(pid, tid, tgid int32) *pb.TracePacket {
	name := strings.Repeat("n", 500)
	t := &pb.ProcessTree{}
	if pid != 0 {
		t.Processes = []*pb.ProcessTree_Process{{Pid: &pid, Cmdline: []string{name}}}
	}
	if tid != 0 {
		t.Threads = []*pb.ProcessTree_Thread{{Tid: &tid, Tgid: &tgid, Name: &name}}
	}
	return &pb.TracePacket{Data: &pb.TracePacket_ProcessTree{ProcessTree: t}}
}

// frame returns a packet with a valid frame.
func frame() []byte {
	return recorded(func(r *recording) { r.display(math.MaxInt64, 1, [2]float64{10, 20}, [2]float64{11, 15}, fine) })
}

func withFrame(trace []byte) io.Reader {
	return io.MultiReader(bytes.NewReader(frame()), bytes.NewReader(trace))
}

// One packet with millions of empty elements.
func TestHostileLists(t *testing.T) {
	repeated := func(element []byte, size int) []byte { return bytes.Repeat(element, size/len(element)) }
	for name, c := range map[string]struct {
		field   protowire.Number
		payload []byte
	}{
		"threads":    {2, repeated([]byte{2<<3 | 2, 0}, 16<<20)},
		"processes":  {2, repeated([]byte{1<<3 | 2, 0}, 16<<20)},
		"commands":   {2, protowire.AppendBytes([]byte{1<<3 | 2}, repeated([]byte{3<<3 | 2, 0}, 16<<20))},
		"clocks":     {6, repeated([]byte{1<<3 | 2, 0}, 16<<20)},
		"attributes": {126, repeated([]byte{1<<3 | 2, 0}, 16<<20)},
		"names":      {1, protowire.AppendBytes([]byte{4<<3 | 2}, repeated([]byte{5<<3 | 2, 0}, 16<<20))},
		"events":     {1, repeated([]byte{2<<3 | 2, 0}, 16<<20)},
		"unknown":    {76, repeated([]byte{15 << 3, 0}, 16<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "threads" {
				slow.Skip(t)
			}
			trace := packet(c.field, c.payload)
			hostiletest.CheckPeak(t, 80<<20, func() {
				must.Get2(readCauses(t.Context(), withFrame(trace), perfetto.Options{Kernel: true, Limits: tight}))(t)
			})
		})
	}
}

// Memory is that of the frames, or of the result, and a buffer, however much else a trace contains. Events of the
// kernel, which are kept for causes, take little more than their bytes.
func TestMemory(t *testing.T) {
	ours := packetsOf(t, withCauses(t))
	events := &drawn{form: kernelForm{compact: true}}
	events.change(0, 1e9, 0, 0, mainThread)
	for _, c := range []struct {
		name        string
		first, last []byte
		other       []byte
		packets     int
		each        uint64 // bytes of memory for each
	}{
		{"a frame", nil, frame(), packet(1, make([]byte, 60<<10)), 500, 0},
		{"a result", ours[0], slices.Concat(ours[1:]...), block(nil, 1, events.bundles[0]), 200_000, 0},
		{"a frame and events", nil, frame(), block(nil, 1, events.bundles[0]), 200_000, 32},
	} {
		allocated := func(packets int) uint64 {
			r := io.MultiReader(bytes.NewReader(c.first), bytes.NewReader(bytes.Repeat(c.other, packets)), bytes.NewReader(c.last))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			must.Get2(perfetto.Read(t.Context(), r, perfetto.Options{Kernel: true}))(t)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		if small, large := allocated(0), allocated(c.packets); large > small+1<<20+uint64(c.packets)*c.each {
			t.Errorf("%d bytes allocated for %s, %d with more packets", small, c.name, large)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// emptyPackets is an endless sequence of empty packets.
type emptyPackets struct{ odd int }

func (e *emptyPackets) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = []byte{1<<3 | 2, 0}[e.odd]
		e.odd ^= 1
	}
	return len(b), nil
}

// deflate returns size bytes of what r has, compressed.
func deflate(t *testing.T, to func(io.Writer) io.WriteCloser, r io.Reader, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	w := to(&b)
	must.Get(io.CopyN(w, r, size))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

func asZlib(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
func asZstd(w io.Writer) io.WriteCloser {
	z, err := zstd.NewWriter(w)
	if err != nil {
		panic(err)
	}
	return z
}

// Decompression bombs are an error that names the limit, and cost neither memory nor much
// time.
func TestBombs(t *testing.T) {
	slow.Skip(t)
	const huge = 96 << 20
	deflated := packet(50, deflate(t, asZlib, &emptyPackets{}, huge))
	small := packet(50, deflate(t, asZlib, &emptyPackets{}, 8<<20))
	// A packet of a gigabyte of zeros, within a packet.
	var large []byte
	large = protowire.AppendVarint(protowire.AppendTag(large, 1, protowire.BytesType), huge)
	large = protowire.AppendVarint(protowire.AppendTag(large, 50, protowire.BytesType), huge-10)
	for name, c := range map[string]struct {
		trace  []byte
		limits trace.Limits
		want   string
	}{
		"a deflated packet":      {deflated, trace.Limits{}, "ratio"},
		"a zstd packet":          {packet(133, deflate(t, asZstd, &emptyPackets{}, huge)), trace.Limits{}, "ratio"},
		"many deflated packets":  {bytes.Repeat(small, 12), trace.Limits{}, "ratio"},
		"a packet within":        {packet(50, deflate(t, asZlib, io.MultiReader(bytes.NewReader(large), zeros{}), huge)), trace.Limits{}, "ratio"},
		"inflated":               {deflated, trace.Limits{Inflated: 32 << 20}, "inflated"},
		"inflated, many":         {bytes.Repeat(small, 12), trace.Limits{Inflated: 32 << 20}, "inflated"},
		"ratio higher, inflated": {deflated, trace.Limits{Ratio: 1e6, Inflated: 80 << 20}, "inflated"},
	} {
		t.Run(name, func(t *testing.T) {
			hostiletest.CheckPeak(t, 96<<20, func() {
				_, stats, err := perfetto.Read(t.Context(), withFrame(c.trace), perfetto.Options{Limits: c.limits})
				over := (*unpack.LimitError)(nil)
				if !errors.As(err, &over) || over.Limit != c.want {
					t.Errorf("error %v, want one of the limit %s", err, c.want)
				}
				if stats == nil {
					t.Error("no stats")
				}
			})
		})
	}
}

// No writer compresses packets within compressed packets: that is damage.
func TestNestedCompression(t *testing.T) {
	inner := packet(50, deflate(t, asZlib, &emptyPackets{}, 1<<20))
	_, stats := read(t, append(frame(), packet(50, deflate(t, asZlib, bytes.NewReader(inner), int64(len(inner))))...))
	must.Equal(t, stats.Damaged, 1, "damaged packets")
}

// packet returns a packet with one field.
func packet(field protowire.Number, payload []byte) []byte {
	var r recording
	r.raw(protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), payload))
	return r.bytes
}

func recorded(make func(*recording)) []byte {
	var r recording
	make(&r)
	return r.bytes
}

// Time grows as the trace does.
func TestHostileTime(t *testing.T) {
	slow.Skip(t)
	for name, make := range map[string]func(r *recording, i int){
		"frames of one token": func(r *recording, i int) {
			r.surface(int64(2*i), 1, 1, app, "layer", [2]float64{float64(i), float64(i) + .1}, [2]float64{float64(i), float64(i) + .1}, fine)
			r.display(int64(2*i)+1e9, 1, [2]float64{float64(i), float64(i) + .1}, [2]float64{float64(i), float64(i) + .1}, fine)
		},
		"processes without a display": func(r *recording, i int) {
			r.surface(int64(2*i), 1, 1, int32(i+1), "layer", [2]float64{float64(i), float64(i) + .1}, [2]float64{float64(i), float64(i) + .1}, fine)
		},
		"frames of one time": func(r *recording, i int) {
			r.surface(int64(2*i), int64(i), 1, app, "layer", [2]float64{5, 6}, [2]float64{5, 6}, fine)
		},
		"one cookie": func(r *recording, i int) {
			r.surface(0, int64(i), 1, app, "layer", [2]float64{float64(i), float64(i) + .1}, [2]float64{float64(i), float64(i) + .1}, fine)
		},
	} {
		t.Run(name, func(t *testing.T) {
			hostiletest.CheckLinear(t, 20_000, func(n int) func() {
				trace := must.Get(io.ReadAll(hostiletest.Stream(n, packets(make))))(t)
				return func() {
					must.Get2(perfetto.Read(t.Context(), bytes.NewReader(trace), perfetto.Options{}))(t)
				}
			})
		})
	}
}

// Numbers at their ends: nothing overflows into a timeline that cannot be.
func TestExtremes(t *testing.T) {
	ends := []int64{math.MinInt64, -1, 0, 1, math.MaxInt32, math.MaxInt64 / 4, math.MaxInt64/4 + 1, math.MaxInt64 - 1, math.MaxInt64}
	for _, a := range ends {
		for _, b := range ends {
			var r recording
			r.packet(&pb.TracePacket{Data: &pb.TracePacket_ClockSnapshot{ClockSnapshot: &pb.ClockSnapshot{Clocks: []*pb.ClockSnapshot_Clock{
				{ClockId: proto.Uint32(6), Timestamp: proto.Uint64(uint64(b))}, {ClockId: proto.Uint32(3), Timestamp: proto.Uint64(uint64(a))},
			}}}})
			for i, clock := range []uint32{6, 3} {
				for j, e := range []*pb.FrameTimelineEvent{
					expectedSurface(a, b, a, app, ""), actualSurface(b, b, a, app, "x#"+fmt.Sprint(a), verdict{delay: math.MaxFloat32}),
					expectedDisplay(a, a, 1), actualDisplay(b, a, 1, verdict{delay: float32(math.Inf(-1))}),
				} {
					at := uint64(a) + uint64(j)
					r.packet(&pb.TracePacket{Timestamp: &at, TimestampClockId: &clock, Data: &pb.TracePacket_FrameTimelineEvent{FrameTimelineEvent: e}})
					end := uint64(b) + uint64(i)
					r.packet(&pb.TracePacket{Timestamp: &end, TimestampClockId: &clock, Data: &pb.TracePacket_FrameTimelineEvent{FrameTimelineEvent: &pb.FrameTimelineEvent{
						Event: &pb.FrameTimelineEvent_FrameEnd_{FrameEnd: &pb.FrameTimelineEvent_FrameEnd{Cookie: proto.Int64([]int64{a, b}[j%2])}},
					}}})
				}
			}
			timeline, _, err := readTimeline(t.Context(), bytes.NewReader(r.bytes), perfetto.Options{})
			if err == perfetto.ErrNoFrames {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			must.NoError(t, timeline.Validate(), "%d and %d", a, b)
			checkTimes(t, timeline)
		}
	}
}

func checkTimes(t *testing.T, timeline *analyzer.Timeline) {
	t.Helper()
	for _, f := range timeline.Frames {
		for _, at := range []int64{int64(f.Actual.Start), int64(f.Actual.End), int64(f.Expected.Start), int64(f.Expected.End), int64(f.Deadline), int64(f.Vsync), int64(f.Present)} {
			if at < 0 || at > math.MaxInt64/2 {
				t.Fatalf("a time of %d: %s", at, f)
			}
		}
	}
}
