package fleet

import (
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/hostiletest"
)

// Hangs in as many slices, or of as many applications, as there are hangs.
func TestManyHangs(t *testing.T) {
	letters := strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j")
	one := &analyzer.Process{PID: 1}
	for name, hang := range map[string]func(n int) stats.Hang{
		"slices": func(n int) stats.Hang {
			return stats.Hang{PID: 1, Slice: letters.Replace(trace.PID(n).String()), Source: analyzer.Hang{Process: one}}
		},
		"applications": func(n int) stats.Hang {
			return stats.Hang{PID: trace.PID(n), Slice: "a", Source: analyzer.Hang{Process: &analyzer.Process{PID: trace.PID(n)}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			hostiletest.CheckLinear(t, 20_000, func(n int) func() {
				hangs, of := make([]stats.Hang, n), map[*analyzer.Process]bool{}
				for i := range hangs {
					hangs[i] = hang(i + 1)
					hangs[i].Duration = analyzer.MinHang
					of[hangs[i].Source.Process] = true
				}
				return func() {
					count := int64(0)
					rows := make([]Row, 0, len(of))
					for p := range of {
						rows = append(rows, Row{Kind: stats.Application, measured: &stats.Process{Source: p}})
					}
					addHangs(rows, hangs)
					for _, r := range rows {
						for _, k := range r.Hangs.Frames {
							count += k
						}
						if len(r.Hangs.Names) > maxCauses+1 {
							t.Errorf("%d names", len(r.Hangs.Names))
						}
					}
					if count != int64(n) {
						t.Errorf("%d of %d hangs", count, n)
					}
				}
			})
		})
	}
}

// Of two processes that have one id and one name in turn, each has its own hangs.
func TestHangsOfOneID(t *testing.T) {
	first, second := &analyzer.Process{PID: 7, Name: "app"}, &analyzer.Process{PID: 7, Name: "app", Alive: analyzer.Interval{Start: 9}}
	rows := []Row{
		{Kind: stats.Application, measured: &stats.Process{Source: first}},
		{Kind: stats.Application, measured: &stats.Process{Source: second}},
	}
	hangs := []stats.Hang{
		{PID: 7, Process: "app", Duration: analyzer.MinHang, Source: analyzer.Hang{Process: second}},
		{PID: 7, Process: "app", Duration: analyzer.MinHang, Source: analyzer.Hang{Process: second}},
	}
	addHangs(rows, hangs)
	var counts []int64
	for _, r := range rows {
		count := int64(0)
		for _, n := range r.Hangs.Frames {
			count += n
		}
		counts = append(counts, count)
	}
	if !slices.Equal(counts, []int64{0, 2}) {
		t.Errorf("hangs by row: %v, want 0 and 2", counts)
	}
}
