package exporter_test

import (
	"bytes"
	"testing"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
	"ohframe/internal/testing/must"
)

// What is written of a timeline is read back, options or not.
func TestWrite(t *testing.T) {
	p := &analyzer.Process{PID: 7, Name: "app", Threads: []analyzer.Thread{{TID: 7, Name: "app"}}}
	span := analyzer.Interval{Start: trace.Time(trace.Second), End: trace.Time(2 * trace.Second)}
	in := &analyzer.Timeline{Span: span, Processes: []*analyzer.Process{p}, Frames: []*analyzer.Frame{{
		Process: p, TID: 7, VsyncID: 3, Facts: analyzer.Empty,
		Actual: analyzer.Interval{Start: span.Start.Add(trace.Millisecond), End: span.Start.Add(9 * trace.Millisecond)},
	}}}
	must.Do(t, in.Validate())
	sizes := map[int]bool{}
	for _, o := range []exporter.Options{{}, {Input: "a", Version: "b", Attributes: map[string]string{"c": "d"}}} {
		var out bytes.Buffer
		must.Do(t, exporter.Write(t.Context(), &out, in, nil, o))
		back := must.Get(ohframe.Read(t.Context(), bytes.NewReader(out.Bytes()), ohframe.Options{}))(t)
		if got, want := back.Timeline.String(), in.String(); got != want || !back.Converted {
			t.Errorf("%+v:\n%s, want\n%s", o, got, want)
		}
		sizes[out.Len()] = true
	}
	if len(sizes) != 2 {
		t.Errorf("options without effect: %d different sizes", len(sizes))
	}
}
