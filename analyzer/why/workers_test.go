package why_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/internal/why/record"
	"ohframe/analyzer/trace"
	"ohframe/internal/causetext"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// described returns all that is said about the frames of a trace.
func described(t *testing.T, r io.Reader, workers int) (list []string) {
	t.Helper()
	recorder := record.New(trace.Limits{}.WithDefaults())
	timeline, _, err := reconstruct.Analyze(t.Context(), r, hitrace.Options{Workers: workers}, reconstruct.Options{}, recorder.Sink())
	if err != nil {
		t.Fatal(err)
	}
	causes := judged(t, recorder, timeline)
	for f := range timeline.Complete() {
		e := causes.Of(f)
		text := fmt.Sprintln(f.Kind, f.VsyncID, e.Overrun, e.Unknown, e.Outcome, e.Confidence, e.Basis, causetext.Sentence(causes, e), e.Parts)
		for _, s := range e.Shares {
			text += fmt.Sprintln("  ", s.Stage, s.Wait, s.Slice, s.Value, s.Usual, s.Share, s.Function, s.Advice)
			if s.Culprit != nil {
				text += fmt.Sprintln("    ", *s.Culprit)
			}
		}
		list = append(list, text)
	}
	for _, i := range timeline.Interactions {
		if r := causes.ResponseTo(i); r != nil {
			steps, err := json.Marshal(r.Steps)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprintf("%d %s", i.ID, steps))
		}
	}
	return list
}

// The causes do not depend on the number of workers and on how the text arrives.
func TestWorkers(t *testing.T) {
	compare := func(t *testing.T, text []byte) {
		want := described(t, bytes.NewReader(text), 1)
		if !slices.Equal(described(t, bytes.NewReader(text), 7), want) || !slices.Equal(described(t, iotest.HalfReader(bytes.NewReader(text)), 3), want) {
			t.Error("several workers find something else than one")
		}
	}
	for i, cause := range simulate.Causes() {
		if i%slow.Of(6, 1) > 0 {
			continue
		}
		t.Run(cause, func(t *testing.T) {
			var text bytes.Buffer
			s := simulate.Scene{Kernel: []simulate.Kernel{simulate.KernelLinux, simulate.KernelHongMeng}[i%2], Cause: simulate.Cause(cause), Seed: uint64(i)}
			if _, err := s.Generate(&text); err != nil {
				t.Fatal(err)
			}
			compare(t, text.Bytes())
		})
	}
	for name, config := range map[string]simulate.Config{"scenes": simulate.Scenes(), "launches": simulate.Launches()} {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			if _, err := simulate.Write(&text, config); err != nil {
				t.Fatal(err)
			}
			compare(t, text.Bytes())
		})
	}
}
