package dumpsys_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/diag"
	"ohframe/internal/source/dumpsys"
)

func FuzzLatency(f *testing.F) {
	f.Add(dump)
	f.Add("Layer com.example/Main#0\n16666667\n10\t100\t20\nb\n5\n10\t100\t7\n10\t90\t-1\n")
	f.Add("16666667\n0\t0\t0\n9223372036854775806 9223372036854775806 9223372036854775806\n1 9223372036854775806 1\n")
	f.Add("a\nb\n8333333\nc\n\n-1\n1 2 3 4\n\x00\n16666667\n1 2 3\n1 2 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		err := checkReading(t, text, func(r io.Reader) (*analyzer.Timeline, string, error) {
			timeline, stats, err := dumpsys.ReadLatency(t.Context(), r, dumpsys.Options{})
			known := fmt.Sprintln(diag.Texts(stats.Warnings()), stats.Damaged)
			for _, l := range stats.Layers {
				known += fmt.Sprintf("%q %d %d %d %d\n", l.Name, l.Dumps, l.Empty, l.Period, l.Pending)
			}
			return timeline, known, err
		})
		dumpsys.SniffLatency([]byte(text))
		if err != nil && err != dumpsys.ErrNoLayer && !errors.Is(err, dumpsys.ErrNothingShown) {
			t.Error(err)
		}
	})
}
