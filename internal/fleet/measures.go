package fleet

import (
	"slices"

	"ohframe/analyzer/stats"
)

// Measure is a number of a group. Names and units are those of ohframe diff.
type Measure struct {
	stats.Measure
	of func(*Group) *float64 // nil if unknown
	// count is the number of frames, of gaps between frames, or of interactions, that the value
	// is of; nil for a measure that is not compared.
	count func(*Group) int64
	// estimated reports whether the value is an estimate; nil for a measure that never is.
	estimated func(*Group) bool
	// least is the least count of a value that is tested.
	least int64
	// table is the one whose groups have the measure; those of frames also have interactions.
	table table
}

// Measures are the measures of a group, in the order of reports.
var Measures = func() []Measure {
	list := []Measure{
		ratio("jank_rate", "rated_late", "rated", 1, "rated"),
		ratio("empty_rate", "empty", "empty_known", 1, "empty_known"),
		ratio("fps", "shown_gaps", "shown_span_ns", 1e9, "shown_gaps"),
		ratio("hitch_ratio", "hitch_ns", "hitch_time_ns", 1e3, "shown_gaps"),
		ratio("whole_late_rate", "late_whole_frames", "whole_frames", 1, "whole_frames"),
	}
	for _, p := range []struct {
		name                string
		thousandth, atLeast int64
	}{{"p50_ms", 500, 1}, {"p90_ms", 900, 1}, {"p95_ms", 950, 20}, {"p99_ms", 990, 100}} {
		m := known(p.name, func(g *Group) *float64 { return g.percentile(durationHistogram, p.thousandth, p.atLeast) })
		m.count = func(g *Group) int64 { return g.total(durationHistogram) }
		m.estimated = func(g *Group) bool { return g.estimates(durationHistogram) }
		list = append(list, m)
	}
	list = append(list, known("max_ms", func(g *Group) *float64 {
		if g.total(durationHistogram) == 0 {
			return nil
		}
		return milliseconds(&g.Peaks[longestDuration])
	}))
	for stage := range stats.Stages {
		for _, p := range []struct {
			name       string
			thousandth int64
		}{{"p50", 500}, {"p90", 900}} {
			list = append(list, known(stats.Stage(stage).String()+"_"+p.name+"_ms", func(g *Group) *float64 {
				return g.percentile(firstStageHistogram+stage, p.thousandth, 1)
			}))
		}
	}
	for _, p := range []struct {
		name                string
		thousandth, atLeast int64
	}{{"p50", 500, 1}, {"p95", 950, 20}} {
		list = append(list,
			known("overrun_"+p.name+"_ms", func(g *Group) *float64 { return g.overrun(p.thousandth, p.atLeast) }),
			known("vsync_to_present_"+p.name+"_ms", func(g *Group) *float64 { return g.percentile(vsyncToPresentHistogram, p.thousandth, p.atLeast) }))
	}
	items := func(g *Group) int64 { return g.sum(builtItems) + g.sum(reusedItems) }
	list = append(list, Measure{
		Measure: stats.Measure{Path: "reused_share", Name: "reused_share", Unit: stats.Share, Better: stats.Higher, Label: "Reused items", Meaning: "items of ArkUI's components that were reused, of those built or reused"},
		of: func(g *Group) *float64 {
			if items(g) == 0 {
				return nil
			}
			x := float64(g.sum(reusedItems)) / float64(items(g))
			return &x
		},
		count: items, least: stats.LeastBuilt,
	})
	shown := func(name, label, meaning string, of shownTime, thousandth, atLeast int64) {
		list = append(list, Measure{
			Measure: stats.Measure{Path: name, Name: name, Unit: stats.Milliseconds, Better: stats.Lower, Label: label, Meaning: meaning},
			of:      func(g *Group) *float64 { return milliseconds(g.shown[of].Percentile(thousandth, atLeast)) },
			count:   func(g *Group) int64 { return g.shown[of].Total() }, least: atLeast, table: ofInteractions,
			estimated: func(g *Group) bool { return !g.shown[of].Exact() },
		})
	}
	shown("response_p50_ms", "Response P50, ms", "median of the responses of interactions, of launches to the first frame", responseTime, 500, 1)
	shown("response_p95_ms", "Response P95, ms", "95th percentile of the responses of interactions; unknown for fewer than 20", responseTime, 950, 20)
	shown("completion_p50_ms", "Completion P50, ms", "median of the times to the last frame shown of interactions", completionTime, 500, 1)
	share := func(name string, parts, wholes []string) {
		sum := func(g *Group, names []string) (n int64) {
			for _, name := range names {
				n += g.sum(name)
			}
			return n
		}
		m := ofLayer(name)
		m.of = func(g *Group) *float64 {
			whole := sum(g, wholes)
			if whole == 0 {
				return nil
			}
			x := float64(sum(g, parts)) / float64(whole)
			return &x
		}
		m.count = func(g *Group) int64 { return sum(g, wholes) }
		list = append(list, m)
	}
	share("uneven_rate", []string{"late", "long", "early"}, []string{"judged"})
	share("late_rate", []string{"late"}, []string{"judged"})
	share("dropped_rate", []string{"dropped"}, []string{"shown", "dropped"})
	queue := func(name string, thousandth, atLeast int64) {
		m := ofLayer(name)
		m.of = func(g *Group) *float64 { return g.percentile(queueHistogram, thousandth, atLeast) }
		m.count = func(g *Group) int64 { return g.total(queueHistogram) }
		m.estimated = func(g *Group) bool { return g.estimates(queueHistogram) }
		list = append(list, m)
	}
	queue("queue_p50_ms", 500, 1)
	queue("queue_p95_ms", 950, 20)
	return list
}()

// ofLayer returns the measure of layers with that field of package stats, without functions.
// It has the name of the field.
func ofLayer(field string) Measure {
	m := *stats.LayerMeasures.At(field)
	m.Name = field
	return Measure{Measure: m, least: int64(stats.MinFrames(field)), table: ofLayers}
}

// total returns the number of values of a histogram; zero if the group does not have it.
func (g *Group) total(histogram int) int64 {
	if h := g.histogram(histogram); h != nil {
		return h.Total()
	}
	return 0
}

// longestDuration is the index of a peak.
var longestDuration = slices.IndexFunc(peaks[:], func(c column) bool { return c.name == "duration_max_ns" })

// estimates reports whether percentiles of a histogram are estimates.
func (g *Group) estimates(histogram int) bool {
	h := g.histogram(histogram)
	return h != nil && !h.Exact()
}

// overrun returns a percentile of the overruns of all frames, negative before their deadline, in
// milliseconds; nil for fewer frames than atLeast, and without any.
func (g *Group) overrun(thousandth, atLeast int64) *float64 {
	late, ahead := g.histogram(overrunHistogram), g.histogram(aheadHistogram)
	if late == nil || ahead == nil {
		return nil
	}
	inTime := ahead.Total()
	total := inTime + late.Total()
	if total < max(1, atLeast) {
		return nil
	}
	rank := rankOf(thousandth, total)
	if rank > inTime {
		return milliseconds(late.nth(rank - inTime))
	}
	x := -*milliseconds(ahead.nth(inTime - rank + 1))
	return &x
}

// shownTime is a time of interactions.
type shownTime int

const (
	responseTime shownTime = iota
	completionTime
	shownTimes
)

func measureIndex(name string) int {
	return slices.IndexFunc(Measures, func(m Measure) bool { return m.Name == name })
}

// known returns the measure of that name of package stats with another value function.
func known(name string, of func(*Group) *float64) Measure {
	return Measure{Measure: *stats.Measures.Named(name), of: of, least: int64(stats.MinFrames(name))}
}

// ratio returns a measure that is a ratio of two sums times a factor. count is the sum that
// is the number of frames.
func ratio(name, part, whole string, factor float64, count string) Measure {
	m := known(name, func(g *Group) *float64 {
		if g.sum(whole) == 0 {
			return nil
		}
		x := float64(g.sum(part)) / float64(g.sum(whole)) * factor
		return &x
	})
	m.count = func(g *Group) int64 { return g.sum(count) }
	return m
}

func milliseconds(nanoseconds *int64) *float64 {
	if nanoseconds == nil {
		return nil
	}
	ms := float64(*nanoseconds) / 1e6
	return &ms
}
