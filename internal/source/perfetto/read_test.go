package perfetto_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// A trace says the same in every form that it may have.
func TestForms(t *testing.T) {
	plain := androidRecording()
	first, _ := read(t, plain.bytes)
	want := first.String()

	var large recording // packets beyond the buffer, before, between and around
	large.raw(protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), make([]byte, 3<<20)))
	large.bytes = append(large.bytes, plain.bytes[:plain.ends[3]]...)
	large.raw(protowire.AppendBytes(protowire.AppendTag(nil, 200, protowire.BytesType), make([]byte, 5<<20)))
	around := protowire.AppendBytes(protowire.AppendTag(nil, 50, protowire.BytesType), make([]byte, 2<<20))
	around = protowire.AppendFixed64(protowire.AppendTag(around, 300, protowire.Fixed64Type), 7)
	around = protowire.AppendFixed32(protowire.AppendTag(around, 301, protowire.Fixed32Type), 7)
	around = append(around, plain.bytes[plain.ends[3]:plain.ends[4]][2:]...)
	large.raw(around)
	large.bytes = append(large.bytes, plain.bytes[plain.ends[4]:]...)

	var twice recording // two payloads in a packet: the last one counts
	twice.bytes = append(twice.bytes, plain.bytes[:plain.ends[3]]...)
	twice.raw(append(protowire.AppendString(protowire.AppendTag(nil, 50, protowire.BytesType), "ignored"), plain.bytes[plain.ends[3]:plain.ends[4]][2:]...))
	twice.bytes = append(twice.bytes, plain.bytes[plain.ends[4]:]...)

	half := len(plain.ends) / 2
	mixed := append(compressed(plain.bytes[:plain.ends[half]]), plain.bytes[plain.ends[half]:]...)

	for name, b := range map[string][]byte{
		"compressed packets": compressed(plain.bytes),
		"zstd":               zstdCompressed(plain.bytes),
		"some compressed":    mixed,
		"two compressed":     append(zstdCompressed(plain.bytes[:plain.ends[half]]), zstdCompressed(plain.bytes[plain.ends[half]:])...),
		"large packets":      large.bytes,
		"two payloads":       twice.bytes,
		"empty packets":      append([]byte{0x0a, 0}, plain.bytes...),
	} {
		if name != "empty packets" && name != "large packets" && !perfetto.Sniff(b[:min(400, len(b))]) {
			t.Errorf("%s: not taken for a trace", name)
		}
		for reader, r := range map[string]io.Reader{
			"at once":      bytes.NewReader(b),
			"half":         iotest.HalfReader(bytes.NewReader(b)),
			"with its end": iotest.DataErrReader(bytes.NewReader(b)),
			"by bytes":     iotest.OneByteReader(bytes.NewReader(b)),
		} {
			if reader == "by bytes" && len(b) > 1<<20 {
				continue
			}
			timeline, stats, err := readTimeline(t.Context(), r, perfetto.Options{})
			if err != nil {
				t.Errorf("%s, %s: %v", name, reader, err)
				continue
			}
			must.Equal(t, timeline.String(), want, "%s, %s", name, reader)
			if stats.Cut || stats.Garbage >= 0 || stats.Damaged > 0 || stats.Malformed > 0 {
				t.Errorf("%s, %s: %+v", name, reader, stats)
			}
		}
	}
}

func TestNotATrace(t *testing.T) {
	for name, input := range map[string]string{
		"empty":                "",
		"text":                 "# tracer: nop\n#\n app-1 [000] 1.0: tracing_mark_write: B|1|x\n",
		"text after a newline": "\n# tracer: nop\n#\n" + strings.Repeat(" app-1 [000] 1.0: tracing_mark_write: B|1|x\n", 10),
		"newlines":             strings.Repeat("\n", 300),
		"one newline":          "\n",
		"json":                 `{"traceEvents":[]}`,
		"zip":                  "PK\x03\x04" + strings.Repeat("\x00", 100),
		"gzip":                 "\x1f\x8b\x08" + strings.Repeat("\x00", 100),
		"another field":        "\x12\x02ab",
		"an endless length":    "\x0a" + strings.Repeat("\xff", 20),
	} {
		if perfetto.Sniff([]byte(input)) {
			t.Errorf("%s: taken for a trace", name)
		}
		timeline, stats, err := readTimeline(t.Context(), strings.NewReader(input), perfetto.Options{})
		if !errors.Is(err, perfetto.ErrNotATrace) || timeline != nil || stats == nil {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestNoFrames(t *testing.T) {
	var r recording
	r.packet(processTree())
	if !perfetto.Sniff(r.bytes) {
		t.Error("not taken for a trace")
	}
	if _, stats, err := perfetto.Read(t.Context(), bytes.NewReader(r.bytes), perfetto.Options{}); err != perfetto.ErrNoFrames || stats.Packets != 1 {
		t.Errorf("error %v, %+v", err, stats)
	}
	// Expectations alone are not frames.
	r.event(ms(10), expectedDisplay(1, 5, sf))
	r.end(ms(20), 1)
	if _, _, err := perfetto.Read(t.Context(), bytes.NewReader(r.bytes), perfetto.Options{}); err != perfetto.ErrNoFrames {
		t.Errorf("error %v", err)
	}
}

// Wherever a trace is cut, the packets before that are read and the cut is reported.
func TestCut(t *testing.T) {
	r := androidRecording()
	boundary := map[int]int{} // packets before an offset
	for i, end := range r.ends {
		boundary[end] = i + 1
	}
	packets := 0
	for n := 1; n < r.ends[slow.Of(3, 12)]; n++ {
		_, stats, err := perfetto.Read(t.Context(), bytes.NewReader(r.bytes[:n]), perfetto.Options{})
		if p, ok := boundary[n]; ok {
			packets = p
		}
		_, whole := boundary[n]
		if packets == 0 {
			if err != perfetto.ErrNotATrace {
				t.Fatalf("cut at %d: error %v", n, err)
			}
			continue
		}
		if err != nil && err != perfetto.ErrNoFrames {
			t.Fatalf("cut at %d: error %v", n, err)
		}
		if stats.Packets != packets || stats.Cut == whole {
			t.Fatalf("cut at %d: %d packets, cut %t, want %d, %t", n, stats.Packets, stats.Cut, packets, !whole)
		}
	}

	_, stats, _ := perfetto.Read(t.Context(), bytes.NewReader(r.bytes[:len(r.bytes)-30]), perfetto.Options{})
	if w := diag.Texts(stats.Warnings()); len(w) == 0 || !strings.Contains(w[0], "truncated") {
		t.Errorf("warnings %q", w)
	}
}

func TestDamage(t *testing.T) {
	good := androidRecording()
	first, _ := read(t, good.bytes)
	want := first.String()
	half := good.ends[len(good.ends)/2]
	in := func(packet []byte) []byte {
		var bad recording
		bad.bytes = append(bad.bytes, good.bytes[:half]...)
		bad.raw(packet)
		return append(bad.bytes, good.bytes[half:]...)
	}
	payload := func(field protowire.Number, b string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, field, protowire.BytesType), b)
	}
	for name, packet := range map[string][]byte{
		"a payload longer than its packet": {0xaa, 0x06, 100, 1, 2, 3},
		"an unfinished varint":             {0x40, 0xff},
		"no wire type":                     {0x47, 0},
		"field zero":                       {0x02, 0},
		"no frame timeline event":          payload(76, "\x0a\xff"),
		"no process tree":                  payload(2, "\x0a\xff"),
		"no clock snapshot":                payload(6, "\x0a\xff"),
		"no attributes":                    payload(126, "\x0a\xff"),
		"no zlib data":                     payload(50, "nothing deflated"),
		"no zstd data":                     payload(133, "nothing deflated"),
		"deflated nonsense":                compressed([]byte("nonsense"))[2:],
	} {
		timeline, stats, err := readTimeline(t.Context(), bytes.NewReader(in(packet)), perfetto.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := timeline.String(); got != want || stats.Damaged != 1 || len(diag.Texts(stats.Warnings())) == 0 {
			t.Errorf("%s: %d damaged packets, frames:\n%s", name, stats.Damaged, got)
		}
	}

	// Where packets do not follow each other, what is before counts.
	garbage := append(append([]byte{}, good.bytes[:half]...), "no packets here"...)
	timeline, stats, err := readTimeline(t.Context(), bytes.NewReader(garbage), perfetto.Options{})
	if err != nil || stats.Garbage != int64(half) || len(timeline.Frames) == 0 {
		t.Errorf("garbage at %d, want %d; error %v", stats.Garbage, half, err)
	}
}

// Events without what they need are counted.
func TestMalformed(t *testing.T) {
	r := androidRecording()
	start := func(change func(*pb.FrameTimelineEvent_ActualSurfaceFrameStart)) {
		e := actualSurface(501, 5, 6, app, "layer", fine)
		change(e.GetActualSurfaceFrameStart())
		r.event(ms(50), e)
	}
	start(func(e *pb.FrameTimelineEvent_ActualSurfaceFrameStart) { e.Cookie = nil })
	start(func(e *pb.FrameTimelineEvent_ActualSurfaceFrameStart) { e.Token = nil })
	start(func(e *pb.FrameTimelineEvent_ActualSurfaceFrameStart) { e.DisplayFrameToken = nil })
	start(func(e *pb.FrameTimelineEvent_ActualSurfaceFrameStart) { e.Pid = nil })
	start(func(e *pb.FrameTimelineEvent_ActualSurfaceFrameStart) { e.Pid = proto.Int32(-1) })
	r.event(ms(50), &pb.FrameTimelineEvent{})
	r.event(ms(50), &pb.FrameTimelineEvent{Event: &pb.FrameTimelineEvent_FrameEnd_{FrameEnd: &pb.FrameTimelineEvent_FrameEnd{}}})
	r.packet(&pb.TracePacket{Data: &pb.TracePacket_FrameTimelineEvent{FrameTimelineEvent: actualSurface(502, 5, 6, app, "layer", fine)}}) // no time
	r.event(1<<63, actualSurface(503, 5, 6, app, "layer", fine))
	timeline, stats := read(t, r.bytes)
	if stats.Malformed != 9 || len(timeline.Frames) != 13 {
		t.Errorf("%d malformed events, %d frames, want 9, 13", stats.Malformed, len(timeline.Frames))
	}
	// Values that no version has are unknown.
	e := actualSurface(1, 5, 6, app, "layer", fine)
	e.GetActualSurfaceFrameStart().PresentType = pb.FrameTimelineEvent_PresentType(260).Enum()
	e.GetActualSurfaceFrameStart().PredictionType = pb.FrameTimelineEvent_PredictionType(-1).Enum()
	r = &recording{}
	r.event(ms(1), e)
	r.end(ms(2), 1)
	timeline, _ = read(t, r.bytes)
	if said := timeline.Frames[0].Android.Timeline; said.Present != analyzer.PresentUnspecified || said.Prediction != analyzer.PredictionUnspecified {
		t.Errorf("%+v", said)
	}
}

// Slices that are cut at the edges of the trace are expected. Others are damage.
func TestCutSlices(t *testing.T) {
	for _, test := range []struct {
		start, end float64 // ms, of a slice without an end, of one without a start
		want       []string
	}{
		{5001, 999, nil},
		{4999, 999, []string{"1 slice without an end in the trace"}},
		{5001, 1001, []string{"1 slice without a start in the trace"}},
	} {
		var r recording
		r.event(ms(0), actualSurface(1, 5, 6, app, "layer", fine))
		r.end(ms(10), 1)
		r.end(ms(test.end), 2)
		r.event(ms(test.start), actualSurface(3, 7, 8, app, "layer", fine))
		r.event(ms(5980), actualSurface(4, 9, 10, app, "layer", fine))
		r.end(ms(6000), 4)
		if _, stats := read(t, r.bytes); !slices.Equal(diag.Texts(stats.Warnings()), test.want) {
			t.Errorf("start %v ms, end %v ms: %q, want %q", test.start, test.end, diag.Texts(stats.Warnings()), test.want)
		}
	}
}

// An end before its start is nobody's, as it is for Perfetto.
func TestBackwards(t *testing.T) {
	var r recording
	r.event(ms(10), actualSurface(1, 5, 6, app, "layer", fine))
	r.end(ms(9), 1)
	r.event(ms(20), actualSurface(2, 7, 8, app, "layer", fine))
	r.end(ms(30), 2)
	timeline, stats := read(t, r.bytes)
	if !timeline.Frames[0].Facts.Has(analyzer.Truncated) || timeline.Frames[1].Facts != 0 {
		t.Errorf("%+v\n%s", stats, timeline)
	}
	// A cookie may come again once its slice has ended, and the file's order
	// does not matter.
	r = recording{}
	r.end(ms(50), 1)
	r.end(ms(20), 1)
	r.event(ms(40), actualSurface(1, 7, 8, app, "layer", fine))
	r.event(ms(10), actualSurface(1, 5, 6, app, "layer", fine))
	timeline, stats = read(t, r.bytes)
	if len(diag.Texts(stats.Warnings())) > 0 || timeline.Frames[0].Actual.Duration() != 10*trace.Millisecond || timeline.Frames[1].VsyncID != 7 {
		t.Errorf("%+v\n%s", stats, timeline)
	}
}

func TestErrors(t *testing.T) {
	b := androidRecording().bytes
	broken := errors.New("broken pipe")
	for name, r := range map[string]io.Reader{
		"plain": io.MultiReader(bytes.NewReader(b[:len(b)/2]), iotest.ErrReader(broken)),
		"start": iotest.ErrReader(broken),
	} {
		if _, _, err := perfetto.Read(t.Context(), r, perfetto.Options{}); !errors.Is(err, broken) {
			t.Errorf("%s: error %v, want the reader's", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, b := range map[string][]byte{"plain": b, "compressed": compressed(b)} {
		if _, _, err := perfetto.Read(ctx, bytes.NewReader(b), perfetto.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want the context's", name, err)
		}
	}
}

// Monotonic time stops while the device sleeps: here for 3 s between two
// snapshots.
func TestClocks(t *testing.T) {
	const mono = uint32(pb.BuiltinClock_BUILTIN_CLOCK_MONOTONIC)
	var r recording
	snapshot := func(times map[pb.BuiltinClock]uint64) {
		s := &pb.ClockSnapshot{}
		for id, at := range times {
			s.Clocks = append(s.Clocks, &pb.ClockSnapshot_Clock{ClockId: proto.Uint32(uint32(id)), Timestamp: proto.Uint64(at)})
		}
		r.packet(&pb.TracePacket{Data: &pb.TracePacket_ClockSnapshot{ClockSnapshot: s}})
	}
	frame := func(clock *uint32, cookie int64, start, end uint64) {
		for _, p := range []*pb.TracePacket{
			{Timestamp: &start, Data: &pb.TracePacket_FrameTimelineEvent{FrameTimelineEvent: actualSurface(cookie, cookie, 0, app, "layer", fine)}},
			{Timestamp: &end, Data: &pb.TracePacket_FrameTimelineEvent{FrameTimelineEvent: &pb.FrameTimelineEvent{
				Event: &pb.FrameTimelineEvent_FrameEnd_{FrameEnd: &pb.FrameTimelineEvent_FrameEnd{Cookie: &cookie}},
			}}},
		} {
			p.TimestampClockId = clock
			r.packet(p)
		}
	}
	frame(proto.Uint32(mono), 1, 900, 1_100)             // around the first snapshot
	frame(proto.Uint32(mono), 2, 5_000, 5_100)           // after the sleep
	frame(nil, 3, 8_500, 8_600)                          // in boot time
	frame(proto.Uint32(6), 4, 8_700, 8_800)              // and that by name
	frame(proto.Uint32(5), 5, 9_000, 9_100)              // in a clock that nothing relates to it
	frame(proto.Uint32(mono), 6, 1<<60, 1<<60+1_000_000) // far off
	snapshot(map[pb.BuiltinClock]uint64{3: 1_000, 6: 1_500, 1: 1_700_000_000_000_000_000})
	snapshot(map[pb.BuiltinClock]uint64{6: 7_500, 3: 4_000})
	snapshot(map[pb.BuiltinClock]uint64{3: 77}) // useless

	timeline, stats := read(t, r.bytes)
	want := map[int64]analyzer.Interval{
		1: {Start: 1_400, End: 1_600}, 2: {Start: 8_500, End: 8_600}, 3: {Start: 8_500, End: 8_600},
		4: {Start: 8_700, End: 8_800}, 5: {Start: 9_000, End: 9_100}, 6: {Start: 1<<60 + 3_500, End: 1<<60 + 1_003_500},
	}
	for _, f := range timeline.Frames {
		must.Equal(t, f.Actual, want[f.VsyncID], "frame %d at", f.VsyncID)
	}
	if stats.UnknownClock != 2 || len(timeline.Frames) != 6 {
		t.Errorf("%+v", stats)
	}
	if timeline.Clock.Offset != 500 || timeline.Wall.At != 1_500 || timeline.Wall.Unix != 1_700_000_000_000_000_000 {
		t.Errorf("clock %+v, wall %+v", timeline.Clock, timeline.Wall)
	}
}
