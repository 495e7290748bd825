package pftrace

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

func offset(d trace.Duration) *trace.Duration { return &d }

func uuidOf(t *testing.T, data []byte) [2]int64 {
	t.Helper()
	var found [][2]int64
	for _, p := range packetsOf(t, data) {
		if id := p.GetTraceUuid(); id != nil {
			found = append(found, [2]int64{id.GetMsb(), id.GetLsb()})
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d identities in a trace, want one", len(found))
	}
	return found[0]
}

// Traces of different inputs, also with the same begin, and of different options have different ids.
func TestIdentity(t *testing.T) {
	text := caseTrace(t, "frames")
	seen := map[[2]int64]string{}
	check := func(name, text string, options Options) {
		data, _ := convert(t, text, options)
		id := uuidOf(t, data)
		if before, ok := seen[id]; ok {
			t.Errorf("%s has the identity of %s", name, before)
		}
		seen[id] = name
	}
	check("the trace", text, Options{})
	check("the trace with another end", text+"\n", Options{})
	check("an empty trace", "", Options{})
	check("no offset", text, Options{Analyzer: analysis.FrameOptions{ClockOffset: offset(0)}})
	check("an offset", text, Options{Analyzer: analysis.FrameOptions{ClockOffset: offset(1)}})
	check("another offset", text, Options{Analyzer: analysis.FrameOptions{ClockOffset: offset(-1)}})
	check("all events", text, Options{AllEvents: true})
	check("no events", text, Options{NoEvents: true})
	from := must.Get(trace.ParseEdge("+1s"))(t)
	check("a part of it", text, Options{Reader: hitrace.Options{Window: trace.Window{From: from}}})
	check("another version", text, Options{Version: "v2"})

	again, _ := convert(t, text, Options{})
	if seen[uuidOf(t, again)] != "the trace" {
		t.Error("the same conversion has another identity")
	}
}

// failing reads or writes some bytes, then fails.
type failing struct {
	left int
	data io.Reader
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, f.err
	}
	n, err := f.data.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, f.err
	}
	return len(p), nil
}

func TestErrors(t *testing.T) {
	text := caseTrace(t, "frames")
	full, _ := convert(t, text, Options{})
	broken := errors.New("broken")

	if _, err := Convert(t.Context(), &failing{1000, strings.NewReader(text), broken}, io.Discard, Options{}); !errors.Is(err, broken) {
		t.Errorf("source fails: got %v", err)
	}
	for _, left := range []int{0, 1, len(full) / 2, len(full) - 1} {
		if _, err := Convert(t.Context(), strings.NewReader(text), &failing{left, nil, broken}, Options{}); !errors.Is(err, broken) {
			t.Errorf("sink fails after %d of %d bytes: got %v", left, len(full), err)
		}
	}
	if _, err := Convert(t.Context(), strings.NewReader(text), &failing{len(full), nil, broken}, Options{}); err != nil {
		t.Errorf("sink that takes all: %v", err)
	}

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Convert(cancelled, strings.NewReader(text), io.Discard, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}

	damaged := text + "  x-1 (1) [0] .... what: is this\n"
	_, summary := convert(t, damaged, Options{})
	must.Equal(t, summary.Totals.Problems.Lost(), 1, "lines lost")
}

// A trace without frames or without anything is a trace all the same.
func TestEmptyInput(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "header": "# tracer: nop\n#\n"} {
		data, summary := convert(t, text, Options{})
		must.Equal(t, len(summary.Timeline.Frames), 0, "%s: frames", name)
		for _, p := range packetsOf(t, data) {
			switch p.GetData().(type) {
			case *perfettopb.TracePacket_FtraceEvents, *perfettopb.TracePacket_FrameTimelineEvent:
				t.Errorf("%s: has %v", name, p)
			}
		}
	}
}

// Lost events are a data loss of their processor for Perfetto, which its UI shows.
func TestLostEvents(t *testing.T) {
	text := strings.Replace(caseTrace(t, "tracks"), "\n  render_service-100   (  100) [000] ....    10.240100:", "\nCPU:3 [LOST 17 EVENTS]\n  render_service-100   (  100) [000] ....    10.240100:", 1)
	for _, test := range []struct {
		text string
		want rows
	}{{caseTrace(t, "tracks"), nil}, {text, rows{`"ftrace_cpu_has_data_loss", 3`}}} {
		data, _ := convert(t, test.text, Options{})
		compare(t, "data loss", query(t, enginetest.Load(t, data), "SELECT name, idx FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss')"), test.want)
	}
}
