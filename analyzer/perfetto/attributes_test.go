package perfetto

import (
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/annotation"
)

// What is malformed or impossible is left out, and so is what is over the limit.
func TestParseTruncated(t *testing.T) {
	got := parseTruncated("app 200 201 7 1000 2000; ; render 100 100 8 3000 2000; other 1 1 1 1 1; app 1 1 1 1; app -1 1 1 1 1; app 1 1 1 1 99999999999999999999; render 100 100 9 4000 4000")
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	if f := got[0]; f.kind != analyzer.ApplicationFrame || f.pid != 200 || f.tid != 201 || f.vsync != 7 || f.actual != (analyzer.Interval{Start: 1000, End: 2000}) {
		t.Errorf("%+v", f)
	}
	if f := got[1]; f.kind != analyzer.RenderFrame || f.vsync != 9 {
		t.Errorf("%+v", f)
	}
	if got := parseTruncated(strings.Repeat("app 200 201 7 1000 2000; ", 2*annotation.MaxTruncated)); len(got) > annotation.MaxTruncated {
		t.Errorf("%d frames, want %d at most", len(got), annotation.MaxTruncated)
	}
	if got, want := parseParts("1 2; ; 3; 5 4; -1 2; 1 99999999999999999999; x y; 7 7"), []analyzer.Interval{{Start: 1, End: 2}, {Start: 7, End: 7}}; !slices.Equal(got, want) {
		t.Errorf("parts %v, want %v", got, want)
	}
	if got := parseParts(strings.Repeat("1 2; ", 2*annotation.MaxParts)); len(got) > annotation.MaxParts {
		t.Errorf("%d parts, want %d at most", len(got), annotation.MaxParts)
	}
	if parseTruncated("") != nil {
		t.Error("frames of nothing")
	}
}
