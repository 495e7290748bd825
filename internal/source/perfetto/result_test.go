package perfetto_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	"ohframe/internal/causes"
	"ohframe/internal/result"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

// withCauses returns a converted trace with causes.
func withCauses(t testing.TB) []byte {
	t.Helper()
	text := must.Get(os.ReadFile("../../../testdata/why/waits.ftrace"))(t)
	var out bytes.Buffer
	must.Get(pftrace.Convert(t.Context(), bytes.NewReader(text), &out, pftrace.Options{Analysis: analysis.Options{Causes: true}, NoEvents: true}))(t)
	return out.Bytes()
}

// describe returns everything that is printed about a result.
func describe(t testing.TB, r *result.Stored) string {
	t.Helper()
	var s strings.Builder
	s.WriteString(r.Timeline.String())
	if r.Causes != nil {
		o := causes.Options{All: true}
		in := &causes.Input{Name: "trace", Causes: r.Causes, Processes: causes.Processes(r.Timeline, r.Causes, o), Layers: causes.Layers(r.Timeline, r.Causes, o)}
		for _, format := range causes.Formats {
			must.NoError(t, causes.Write(&s, in, format, o, text.Style{}))
		}
	}
	return s.String()
}

// packetsOf returns the packets of a trace, with their tags and lengths.
func packetsOf(t *testing.T, trace []byte) (list [][]byte) {
	t.Helper()
	for len(trace) > 0 {
		n := protowire.ConsumeFieldValue(1, protowire.BytesType, trace[1:])
		if n < 0 {
			t.Fatal("no packet")
		}
		list, trace = append(list, trace[:1+n]), trace[1+n:]
	}
	return list
}

// isResult reports whether a packet has the result.
func isResult(packet []byte) bool {
	b, _ := protowire.ConsumeBytes(packet[1:])
	_, _, n := protowire.ConsumeField(b) // its sequence
	number, _, _ := protowire.ConsumeTag(b[n:])
	return number == result.PacketField
}

// numbered returns a packet with the result as one that has it in another field.
func numbered(t *testing.T, packet []byte, number protowire.Number) []byte {
	b, _ := protowire.ConsumeBytes(packet[1:])
	sequence := protowire.ConsumeFieldValue(10, protowire.VarintType, b[1:]) + 1
	field, n := protowire.ConsumeBytes(b[sequence+protowire.SizeTag(result.PacketField):])
	must.Equal(t, sequence+protowire.SizeTag(result.PacketField)+n, len(b), "length of the packet with the result")
	b = protowire.AppendBytes(protowire.AppendTag(slices.Clone(b[:sequence]), number, protowire.BytesType), field)
	return protowire.AppendBytes(packet[:1:1], b)
}

// A trace that ohframe did not write may have anything in the field that is not allocated to ohframe yet.
func TestForeignField(t *testing.T) {
	recording := androidRecording().bytes
	want, _ := must.Get2(perfetto.Read(t.Context(), bytes.NewReader(recording), perfetto.Options{}))(t)
	field := protowire.AppendString(protowire.AppendTag(nil, result.AllocatedField, protowire.BytesType), "foreign")
	packet := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), field)
	read, stats, err := perfetto.Read(t.Context(), bytes.NewReader(slices.Concat(packet, recording, packet)), perfetto.Options{})
	if err != nil || len(stats.Warnings()) > 0 || stats.Ours || read.Timeline.String() != want.Timeline.String() {
		t.Errorf("%+v, error %v", stats, err)
	}
}

// The result of a converted trace is read wherever its packet is, and there is no other
// way to read the trace.
func TestResult(t *testing.T) {
	whole := withCauses(t)
	list := packetsOf(t, whole)
	at := slices.IndexFunc(list, isResult)
	if at < 0 {
		t.Fatal("no result")
	}
	read, stats := must.Get2(perfetto.Read(t.Context(), bytes.NewReader(whole), perfetto.Options{}))(t)
	must.Equal(t, len(stats.Warnings()), 0, "warnings")
	want := describe(t, &read.Stored)
	without := slices.Concat(slices.Delete(slices.Clone(list), at, at+1)...)
	newer := bytes.Clone(list[at])
	newer[bytes.Index(newer, []byte{1 << 3, 6, 2<<3 | 1})+1]++ // the version, before the hash
	damaged := bytes.Clone(list[at])
	copy(damaged[len(damaged)/2:], bytes.Repeat([]byte{0xff}, len(damaged)/4)) // one byte may be in a number, which has no wrong values
	size := len(slices.Concat(list[:at+1]...))
	allocated := numbered(t, list[at], result.AllocatedField)
	for _, c := range []struct {
		name  string
		trace []byte
		want  error
	}{
		{"compressed", compressed(whole), nil},
		{"the result last", append(slices.Clone(without), list[at]...), nil},
		{"cut after the result", whole[:size+3], nil},
		{"cut in the result", whole[:size-1], perfetto.ErrNoFrames},
		{"without it", without, perfetto.ErrNoResult},
		{"newer", append(slices.Clone(without), newer...), perfetto.ErrNoResult},
		{"newer", append(slices.Clone(without), newer...), result.ErrVersion},
		{"damaged", append(slices.Clone(without), damaged...), perfetto.ErrNoResult},
		{"two traces", slices.Concat(whole, whole), perfetto.ErrSeveralResults},
		{"in the allocated field", append(slices.Clone(without), allocated...), nil},
		{"in both fields", append(slices.Clone(whole), allocated...), perfetto.ErrSeveralResults},
	} {
		read, stats, err := perfetto.Read(t.Context(), bytes.NewReader(c.trace), perfetto.Options{})
		switch {
		case !errors.Is(err, c.want):
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		case err == nil && (!stats.Ours || describe(t, &read.Stored) != want):
			t.Errorf("%s: the result differs", c.name)
		}
	}
	var over *unpack.LimitError
	if _, _, err := perfetto.Read(t.Context(), bytes.NewReader(whole), perfetto.Options{Limits: trace.Limits{Frames: 3}}); !errors.As(err, &over) || over.Limit != "frames" {
		t.Errorf("over a limit: %v", err)
	}
}

// A converted trace has causes if they were looked for. One of Android has none.
func TestCauses(t *testing.T) {
	text := must.Get(os.ReadFile("../../../testdata/why/waits.ftrace"))(t)
	for _, options := range []pftrace.Options{{}, {Analysis: analysis.Options{Causes: true}}} {
		var out bytes.Buffer
		must.Get(pftrace.Convert(t.Context(), bytes.NewReader(text), &out, options))(t)
		if read, _, err := perfetto.Read(t.Context(), &out, perfetto.Options{}); err != nil || (read.Causes != nil) != options.Analysis.Causes {
			t.Errorf("%+v: %+v, error %v", options, read, err)
		}
	}
	if read, _, err := perfetto.Read(t.Context(), bytes.NewReader(androidRecording().bytes), perfetto.Options{}); err != nil || read.Causes != nil {
		t.Errorf("Android: %+v, error %v", read, err)
	}
}

// The result can be read if markers state times after the last one that is read.
func TestTimesAfterTheLast(t *testing.T) {
	given := trace.Duration(0)
	for _, vsync := range []string{"now:2305843009200000000 expectedEnd:2305843009216666667", "now:9000000000000000000 expectedEnd:9000000000016666667"} {
		text := " app-7 (7) [000] .... 2305843009.201000: tracing_mark_write: B|7|H:ReceiveVsync dataCount:24bytes " + vsync + " vsyncId:5\n" +
			" app-7 (7) [000] .... 2305843009.202000: tracing_mark_write: E|7|\n"
		var out bytes.Buffer
		must.Get(pftrace.Convert(t.Context(), strings.NewReader(text), &out, pftrace.Options{Analyzer: analysis.FrameOptions{ClockOffset: &given}}))(t)
		read, _, err := perfetto.Read(t.Context(), &out, perfetto.Options{})
		if err != nil {
			t.Errorf("%s: %v", vsync, err)
			continue
		}
		if f := read.Timeline.Frames; len(f) != 1 || f[0].Expected.End.Known() {
			t.Errorf("%s: frames %v", vsync, f)
		}
	}
}
