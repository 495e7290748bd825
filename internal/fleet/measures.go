package fleet

import (
	"slices"

	"ohframe/analyzer/stats"
)

// Measure is a number of a group. Names and units are those of ohframe diff.
type Measure struct {
	Name   string
	Unit   stats.Unit
	Better stats.Better
	Label  string
	Of     func(*Totals) *float64 // nil if unknown
}

// Measures are the measures of a group, in the order of reports.
var Measures = func() []Measure {
	list := []Measure{
		share("jank_rate", "late", "with_deadline", 1),
		share("empty_rate", "empty", "frames", 1),
		share("fps", "shown_gaps", "shown_span_ns", 1e9),
		share("hitch_ratio", "hitch_ns", "hitch_time_ns", 1e3),
		share("whole_late_rate", "late_whole_frames", "whole_frames", 1),
	}
	for _, p := range []struct {
		name                string
		thousandth, atLeast int64
	}{{"p50_ms", 500, 1}, {"p90_ms", 900, 1}, {"p95_ms", 950, 20}, {"p99_ms", 990, 100}} {
		list = append(list, known(p.name, func(t *Totals) *float64 {
			return milliseconds(t.histograms[durationHistogram].Percentile(p.thousandth, p.atLeast))
		}))
	}
	list = append(list, known("max_ms", func(t *Totals) *float64 {
		if t.histograms[durationHistogram].Total() == 0 {
			return nil
		}
		longest := t.peaks[slices.IndexFunc(peaks[:], func(c column) bool { return c.name == "duration_max_ns" })]
		return milliseconds(&longest)
	}))
	for stage := range histograms - firstStageHistogram {
		for _, p := range []struct {
			name       string
			thousandth int64
		}{{"p50", 500}, {"p90", 900}} {
			list = append(list, known(stats.Stage(stage).String()+"_"+p.name+"_ms", func(t *Totals) *float64 {
				return milliseconds(t.histograms[firstStageHistogram+stage].Percentile(p.thousandth, 1))
			}))
		}
	}
	return list
}()

// known returns the measure of that name of package stats with another value function.
func known(name string, of func(*Totals) *float64) Measure {
	i := slices.IndexFunc(stats.Measures, func(m stats.Measure) bool { return m.Name == name })
	m := stats.Measures[i]
	return Measure{m.Name, m.Unit, m.Better, m.Label, of}
}

// share returns a measure that is a ratio of two sums times a factor.
func share(name, part, whole string, factor float64) Measure {
	return known(name, func(t *Totals) *float64 {
		if t.sum(whole) == 0 {
			return nil
		}
		x := float64(t.sum(part)) / float64(t.sum(whole)) * factor
		return &x
	})
}

func milliseconds(nanoseconds *int64) *float64 {
	if nanoseconds == nil {
		return nil
	}
	ms := float64(*nanoseconds) / 1e6
	return &ms
}
