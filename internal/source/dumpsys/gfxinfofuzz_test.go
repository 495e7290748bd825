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
		err := checkReading(t, text, func(r io.Reader) (*analyzer.Timeline, string, error) {
			timeline, dump, err := dumpsys.ReadGfxinfo(t.Context(), r, dumpsys.Options{})
			known := fmt.Sprintln(diag.Texts(dump.Warnings()), dump.NotRunning, dump.Damaged)
			for _, p := range dump.Processes {
				for _, w := range p.Windows {
					known += fmt.Sprintf("%d %q %q %d\n", p.PID, p.Name, w.Name, w.Interval)
				}
			}
			return timeline, known, err
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
// is a valid timeline, and that a source that fails is an error. It returns the error of reading. read also returns
// what else is known.
func checkReading(t *testing.T, text string, read func(r io.Reader) (*analyzer.Timeline, string, error)) error {
	t.Helper()
	result := func(r io.Reader) (string, error) {
		timeline, known, err := read(r)
		if err == nil {
			known += timeline.String()
			must.NoError(t, timeline.Validate())
			for _, f := range timeline.Frames {
				if f.Actual.Start < timeline.Span.Start || f.Actual.End > timeline.Span.End {
					t.Errorf("%s is outside %s", f, timeline.Span)
				}
			}
		}
		return known, err
	}
	want, err := result(strings.NewReader(text))
	for name, r := range map[string]io.Reader{
		"bytes":       iotest.OneByteReader(strings.NewReader(text)),
		"halves":      iotest.HalfReader(strings.NewReader(text)),
		"end at once": iotest.DataErrReader(strings.NewReader(text)),
		"CR LF":       strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")),
	} {
		if got, gotErr := result(r); got != want || fmt.Sprint(gotErr) != fmt.Sprint(err) {
			t.Errorf("%s: %v\n%swant %v\n%s", name, gotErr, got, err, want)
		}
	}
	broken := errors.New("broken")
	if _, err := result(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("broken source: %v", err)
	}
	return err
}
