package perfetto_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer"
	"ohframe/analyzer/perfetto"
	"ohframe/analyzer/stats"
	"ohframe/exporter"
	"ohframe/internal/tracetest"
)

// A report of a trace that ohframe wrote with its tracks is that of the text, but
// for what the ends of the text cut off.
func TestReportOfOurs(t *testing.T) {
	texts := map[string][]byte{}
	for _, path := range tracetest.Paths(t) {
		texts[tracetest.Name(path)] = []byte(tracetest.Read(t, path))
	}
	goldens, _ := filepath.Glob("../../testdata/frames/*.txtar")
	for _, path := range goldens {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "trace" })
		texts[filepath.Base(path)] = archive.Files[i].Data
	}
	if len(texts) < 10 {
		t.Fatalf("%d traces", len(texts))
	}
	for name, text := range texts {
		for _, compress := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", name, compress), func(t *testing.T) { reportOfOurs(t, text, compress) })
		}
	}
}

func reportOfOurs(t *testing.T, text []byte, compress bool) {
	var written bytes.Buffer
	summary, err := exporter.Convert(t.Context(), bytes.NewReader(text), &written, exporter.Options{Compress: compress})
	if err != nil {
		t.Fatal(err)
	}
	want := summary.Timeline
	unlinkTruncated(want)
	if want.Counts().Frames == 0 {
		return
	}
	got, _, err := perfetto.Read(t.Context(), &written, perfetto.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	if got.Span != want.Span {
		t.Errorf("span %s, want %s", got.Span, want.Span)
	}
	if a, b := measures(t, got), measures(t, want); a != b {
		t.Errorf("the report differs at %s", firstDifference(a, b))
	}
}

// unlinkTruncated removes links to truncated frames, which a converted trace does not have.
func unlinkTruncated(t *analyzer.Timeline) {
	isCut := func(f *analyzer.Frame) bool { return f.Facts.Has(analyzer.Truncated) }
	for _, f := range t.Frames {
		f.Applications = slices.DeleteFunc(f.Applications, isCut)
		if f.Render != nil && isCut(f.Render) {
			f.Render = nil
		}
		for i := range f.Transactions {
			if taken := f.Transactions[i].AppliedBy; taken != nil && isCut(taken) {
				f.Transactions[i].AppliedBy = nil
			}
		}
	}
}

func measures(t *testing.T, timeline *analyzer.Timeline) string {
	t.Helper()
	b, err := json.MarshalIndent(stats.Compute(timeline, stats.Options{}).Processes, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func firstDifference(a, b string) string {
	x, y := bytes.Split([]byte(a), []byte("\n")), bytes.Split([]byte(b), []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return fmt.Sprintf("line %d: %s, want %s", i, x[max(0, i-4):i+1], y[i])
		}
	}
	return "the end"
}
