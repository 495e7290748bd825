package hitrace_test

import (
	"strings"
	"testing"

	"ohframe/analyzer/hitrace"
)

func TestLostEvents(t *testing.T) {
	const event = " app-1 (1) [000] .... 1.000000: tracing_mark_write: E|1\n"
	for _, c := range []struct {
		head              string
		lost, overwritten int
		notUnderstood     int
	}{
		{"# entries-in-buffer/entries-written: 2000/5000   #P:8\n", 0, 3000, 0},
		{"# entries-in-buffer/entries-written:     2000/    5000   #P: 8\r\n", 0, 3000, 0},
		{"# entries-in-buffer/entries-written: 5000/5000   #P:8\n", 0, 0, 0},
		{"# entries-in-buffer/entries-written: %lu/%lu   #P:%d\n", 0, 0, 0},
		{"# entries-in-buffer/entries-written: 5000\n", 0, 0, 0},
		{"# entries-in-buffer/entries-written: 5/99999999999999999999999999\n", 0, 1<<40 - 5, 0},
		{"CPU:3 [LOST 17 EVENTS]\n" + event + "CPU:12 [LOST EVENTS]\n", 18, 0, 0},
		{"CPU:x [LOST 17 EVENTS]\n", 0, 0, 1},
	} {
		totals, err := hitrace.Run(t.Context(), strings.NewReader(c.head+event), hitrace.Options{}, hitrace.Stages{
			Track: func(int, *hitrace.Batch) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		if totals.Lost != c.lost || totals.Overwritten != c.overwritten || totals.Problems.Lost() != c.notUnderstood {
			t.Errorf("%q: lost %d, overwritten %d, not understood %d, want %d, %d, %d",
				c.head, totals.Lost, totals.Overwritten, totals.Problems.Lost(), c.lost, c.overwritten, c.notUnderstood)
		}
	}
}
