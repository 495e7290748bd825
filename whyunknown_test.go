package ohframe_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/internal/testing/must"
)

// A late frame of Android without the slices of its thread has an explanation that says so, and is late
// in the causes, too.
func TestWhyWithoutCause(t *testing.T) {
	const capture = "../shared/traces/android/api32_startup_warm.perfetto-trace"
	b, err := os.ReadFile(capture)
	if err != nil {
		t.Skip(err)
	}
	b = bytes.ReplaceAll(b, []byte("Choreographer#doFrame"), []byte("Choreographer#xxFrame"))
	read := must.Get(ohframe.Read(t.Context(), bytes.NewReader(b), ohframe.Options{Causes: true}))(t)
	must.NoError(t, read.Causes.Validate(read.Timeline))
	late := 0
	var frames []*analyzer.Frame
	for f := range read.Timeline.Complete() {
		frames = append(frames, f)
		text := ohframe.Why(read.Causes, f)
		if !f.Late() {
			if text != "" || ohframe.Why(nil, f) != "" {
				t.Errorf("%s was not late: %s", f, text)
			}
			continue
		}
		late++
		must.Equal(t, text, "cause unknown: the trace has no Choreographer#doFrame of the frame", "%s", f)
		if text := ohframe.Why(nil, f); !strings.HasPrefix(text, "cause unknown: ") {
			t.Errorf("without causes: %q", text)
		}
	}
	r := read.Causes.Rank(frames)
	if late != 1 || r.Late != 1 || r.Lost <= 0 || r.Unknown != r.Lost || len(r.Costs) != 1 || r.Costs[0].Lost != r.Lost {
		t.Errorf("%d late frames, ranking %+v", late, r)
	}
	if read.Quality.Verdict != "limited" {
		t.Errorf("data quality: %s", read.Quality)
	}
}
