package stats

import (
	"testing"

	"ohframe/internal/testing/must"
)

// three is a Tally whose numbers are three, of one time.
type three struct{}

func (three) Sum(string) int64             { return 3 }
func (three) Times(string) Times           { return three{} }
func (three) Total() int64                 { return 1 }
func (three) Percentile(_, _ int64) *int64 { return nil }
func (three) Exact() bool                  { return true }

// A peak of a measure in milliseconds is in nanoseconds, and that of a count is one.
func TestPeak(t *testing.T) {
	for unit, want := range map[Unit]float64{Milliseconds: 3e-6, Count: 3} {
		m := measure("x", "x", unit, Lower, "", "", longest("duration", "x"))
		must.Equal(t, *m.Aggregate.Value(three{}), want, "%s", unit)
	}
}
