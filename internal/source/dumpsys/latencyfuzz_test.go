package dumpsys_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/internal/diag"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/testing/must"
)

// The result does not depend on how the source is read and how lines end. It is an error of
// this package or a valid timeline. In strict mode only damage is an error.
func FuzzLatency(f *testing.F) {
	f.Add(dump)
	f.Add("Layer com.example/Main#0\n16666667\n10\t100\t20\nb\n5\n10\t100\t7\n10\t90\t-1\n")
	f.Add("16666667\n0\t0\t0\n9223372036854775806 9223372036854775806 9223372036854775806\n1 9223372036854775806 1\n")
	f.Add("a\nb\n8333333\nc\n\n-1\n1 2 3 4\n\x00\n16666667\n1 2 3\n1 2 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		readLatency := func(r io.Reader, strict bool) (string, error) {
			timeline, stats, err := dumpsys.ReadLatency(t.Context(), r, dumpsys.Options{Strict: strict})
			var b strings.Builder
			fmt.Fprintln(&b, diag.Texts(stats.Warnings()), stats.Damaged)
			for _, l := range stats.Layers {
				fmt.Fprintf(&b, "%q %d %d %d %d\n", l.Name, l.Dumps, l.Empty, l.Period, l.Pending)
			}
			if err == nil {
				b.WriteString(timeline.String())
				must.NoError(t, timeline.Validate())
				for _, f := range timeline.Frames {
					if f.Actual.Start < timeline.Span.Start || f.Actual.End > timeline.Span.End {
						t.Errorf("%s is outside %s", f, timeline.Span)
					}
				}
			}
			return b.String(), err
		}
		want, err := readLatency(strings.NewReader(text), false)
		for name, r := range map[string]io.Reader{
			"bytes":       iotest.OneByteReader(strings.NewReader(text)),
			"halves":      iotest.HalfReader(strings.NewReader(text)),
			"end at once": iotest.DataErrReader(strings.NewReader(text)),
			"CR LF":       strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")),
		} {
			if got, gotErr := readLatency(r, false); got != want || fmt.Sprint(gotErr) != fmt.Sprint(err) {
				t.Errorf("%s: %v\n%swant %v\n%s", name, gotErr, got, err, want)
			}
		}
		dumpsys.SniffLatency([]byte(text))
		if err != nil && err != dumpsys.ErrNoLayer && !errors.Is(err, dumpsys.ErrNothingShown) {
			t.Error(err)
		}
		strict, strictErr := readLatency(strings.NewReader(text), true)
		damaged := strings.HasPrefix(fmt.Sprint(strictErr), "line ")
		if _, stats, _ := dumpsys.ReadLatency(t.Context(), strings.NewReader(text), dumpsys.Options{}); damaged != (stats.Damaged > 0) {
			t.Errorf("strict: %v of %d damaged lines", strictErr, stats.Damaged)
		}
		if !damaged && strict != want {
			t.Errorf("strict: %s, want %s", strict, want)
		}
		// A read error is not the end of the input.
		broken := errors.New("broken")
		if _, err := readLatency(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), false); !errors.Is(err, broken) {
			t.Errorf("broken source: %v", err)
		}
	})
}
