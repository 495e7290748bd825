package dumpsys_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/analyzer"
	"ohframe/internal/diag"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/testing/must"
)

func FuzzGfxinfo(f *testing.F) {
	for _, text := range []string{
		whole, deadlines, "Flags,IntendedVsync,FrameCompleted,\n0,1,9,\n33,2,9,\n---PROFILEDATA---\n", "---PROFILEDATA---\nFrameCompleted,IntendedVsync\n7,3\n8,4\n",
		"Applications Graphics Acceleration Info:\nNo process found for: x\n",
		"** Graphics info for pid 7 [a] **\nWindow: w\n---PROFILEDATA---\nFlags,IntendedVsync,FrameCompleted,DisplayPresentTime,\n0,1,9223372036854775806,5,\n0,2,9,9223372036854775807,\n",
		"Total frames rendered: 99999999999999999999\nHISTOGRAM: 5ms=-1 6ms 7ms=9\nJanky frames: -3\n---PROFILEDATA---\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := checkReading(t, text, func(r io.Reader, strict bool) (*analyzer.Timeline, string, int, error) {
			timeline, dump, err := dumpsys.ReadGfxinfo(t.Context(), r, dumpsys.Options{Strict: strict})
			known := fmt.Sprintln(diag.Texts(dump.Warnings()), dump.NotRunning)
			for _, p := range dump.Processes {
				for _, w := range p.Windows {
					known += fmt.Sprintf("%d %q %q %d\n", p.PID, p.Name, w.Name, w.Interval)
				}
			}
			return timeline, known, dump.Damaged, err
		})
		if err == nil && !dumpsys.SniffGfxinfo([]byte(text)) {
			t.Error("not recognized as a dump")
		}
		if err != nil && !errors.Is(err, dumpsys.ErrNoRows) && !errors.Is(err, dumpsys.ErrNoFrames) {
			t.Error(err)
		}
	})
}

// checkReading checks that what is read of a dump does not depend on how the source is read and how lines end, that it
// is a valid timeline, that only damage is an error in strict mode, and that a source that fails is one. It returns
// the error of reading. read also returns the number of damaged lines and what else is known.
func checkReading(t *testing.T, text string, read func(r io.Reader, strict bool) (*analyzer.Timeline, string, int, error)) error {
	t.Helper()
	result := func(r io.Reader, strict bool) (string, int, error) {
		timeline, known, damaged, err := read(r, strict)
		if err == nil {
			known += timeline.String()
			must.NoError(t, timeline.Validate())
			for _, f := range timeline.Frames {
				if f.Actual.Start < timeline.Span.Start || f.Actual.End > timeline.Span.End {
					t.Errorf("%s is outside %s", f, timeline.Span)
				}
			}
		}
		return fmt.Sprintln(known, damaged), damaged, err
	}
	want, damaged, err := result(strings.NewReader(text), false)
	for name, r := range map[string]io.Reader{
		"bytes":       iotest.OneByteReader(strings.NewReader(text)),
		"halves":      iotest.HalfReader(strings.NewReader(text)),
		"end at once": iotest.DataErrReader(strings.NewReader(text)),
		"CR LF":       strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")),
	} {
		if got, _, gotErr := result(r, false); got != want || fmt.Sprint(gotErr) != fmt.Sprint(err) {
			t.Errorf("%s: %v\n%swant %v\n%s", name, gotErr, got, err, want)
		}
	}
	strict, _, strictErr := result(strings.NewReader(text), true)
	refused := strings.HasPrefix(fmt.Sprint(strictErr), "line ")
	if refused != (damaged > 0) {
		t.Errorf("strict: %v of %d damaged lines", strictErr, damaged)
	}
	if !refused && strict != want {
		t.Errorf("strict: %s, want %s", strict, want)
	}
	broken := errors.New("broken")
	if _, _, err := result(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), false); !errors.Is(err, broken) {
		t.Errorf("broken source: %v", err)
	}
	return err
}
