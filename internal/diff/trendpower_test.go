package diff

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/significance"
	"ohframe/internal/testing/slow"
)

// past makes builds of devices that differ as those of users do: some are much slower, and frames of
// a trace have much in common.
type past struct {
	name    string
	builds  int    // 0: 30
	devices [2]int // of a build, from and to; 0: 20
	// stay is the number of builds in which a device is: 0 if each build has others, lasting for all.
	stay int
	// day is the standard deviation of what all devices of a build have in common: of durations, and four
	// times as much of late frames. like is the correlation with the build before.
	day, like float64
	processes int

	measure    string  // what changes; empty for nothing
	late, slow float64 // the factors by which more frames are late then and durations are longer; 0: 1
	at         int     // the first build that is changed
	last       int     // the first build that is not any more; 0 for none
	reduced    bool    // measured by the quick test, too
	least      float64 // the share of changes that must be found
}

const lasting = math.MaxInt

// by returns the factor of a build.
func (h *past) by(build int, factor float64) float64 {
	if factor == 0 || build < h.at || h.last > 0 && build >= h.last {
		return 1
	}
	return factor
}

// trend makes a history of the values that Test takes from traces, and tests it.
func (h *past) trend(r *rand.Rand) (*Trend, *significance.Shifts) {
	t := &Trend{Builds: make([]string, cmp.Or(h.builds, 30))}
	size := h.devices
	if size[1] == 0 {
		size = [2]int{20, 20}
	}
	stay := cmp.Or(h.stay, 1)
	for _, name := range []string{"jank_rate", "p50_ms", "p90_ms", "p95_ms", "p99_ms"} {
		t.measures = append(t.measures, stats.Measures.Named(name))
	}
	heavy := func() float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()+.3) } // few are far out
	type device struct {
		speed, late float64
		until       int
		name        uint64
	}
	for range max(1, h.processes) {
		g := &TrendGroup{}
		values := make([][]trendValues, len(t.measures))
		var devices []*device
		slow, more := r.NormFloat64(), r.NormFloat64()
		for build := range t.Builds {
			slow, more = h.like*slow+math.Sqrt(1-h.like*h.like)*r.NormFloat64(), h.like*more+math.Sqrt(1-h.like*h.like)*r.NormFloat64()
			devices = slices.DeleteFunc(devices, func(d *device) bool { return d.until <= build })
			for len(devices) < size[0]+r.IntN(size[1]-size[0]+1) {
				until := lasting
				if stay != lasting {
					until = build + stay
					if build == 0 {
						until -= r.IntN(stay)
					}
				}
				devices = append(devices, &device{6 * math.Exp(.15*heavy()), .03 * math.Exp(.5*heavy()), until, r.Uint64()})
			}
			for i := range values {
				values[i] = append(values[i], trendValues{})
			}
			for _, d := range devices {
				speed := d.speed * math.Exp(.05*r.NormFloat64()+h.day*slow) * h.by(build, h.slow)
				rate := d.late * math.Exp(.3*r.NormFloat64()+4*h.day*more) * h.by(build, h.late)
				durations, late := make([]float64, 20+int(100*math.Exp(.5*r.NormFloat64()))), 0.0
				for i := range durations {
					if durations[i] = speed * (.5 + r.ExpFloat64()); r.Float64() < rate {
						late++
					}
				}
				slices.Sort(durations)
				for i, m := range t.measures {
					value := late / float64(len(durations))
					if i > 0 {
						percent := []int{50, 90, 95, 99}[i-1]
						value = durations[(len(durations)*percent+99)/100-1]
					}
					var enough *float64
					if len(durations) >= stats.MinFrames(m.Name) {
						enough = &value
					}
					values[i][build].add(d.name, &value, enough)
				}
			}
		}
		for i, m := range t.measures {
			g.Series = append(g.Series, newTrendSeries(m, values[i]))
		}
		t.Groups = append(t.Groups, g)
	}
	return t, t.test()
}

// outcome counts what was found.
type outcome struct {
	alarm   int // anything that is not there
	found   int
	off     [3]int // at most so many builds from the change
	covered int    // the place is in the confidence set
	others  int    // besides the change
	// back is how often it was found that the change was taken back, or lasts; backNear at the true build or
	// one beside it.
	back, backNear int
}

func (h *past) run(histories int) (o outcome) {
	r := rand.New(rand.NewPCG(11, 12))
	for range histories {
		t, test := h.trend(r)
		if slices.ContainsFunc(test.Sequences, func(x significance.SequenceResult) bool { return len(x.Shifts) > 0 }) {
			o.alarm++
		}
		if h.measure == "" {
			continue
		}
		s := t.Groups[0].Series[slices.IndexFunc(t.measures, func(m *stats.Measure) bool { return m.Name == h.measure })]
		i := slices.IndexFunc(s.Changes, func(c *trendChange) bool { return c.Verdict == Worse })
		if i < 0 {
			continue
		}
		o.found++
		c := s.Changes[i]
		off := max(c.place.At-h.at, h.at-c.place.At)
		for most := range o.off {
			if off <= most {
				o.off[most]++
			}
		}
		if c.place.Earliest <= h.at && h.at <= c.place.Latest {
			o.covered++
		}
		if (c.TakenBack != nil) == (h.last > 0) {
			o.back++
			if h.last > 0 && max(c.TakenBack.place.At-h.last, h.last-c.TakenBack.place.At) <= 1 {
				o.backNear++
			}
		}
		if len(s.Changes) > 1 {
			o.others++
		}
	}
	return o
}

var unchangedHistories = []past{
	{name: "each build has other devices", reduced: true},
	{name: "3 processes, each build has other devices", processes: 3},
	{name: "builds have 5 to 80 devices", devices: [2]int{5, 80}},
	{name: "builds have 5 devices", devices: [2]int{5, 5}},
	{name: "all builds have the same devices", stay: lasting},
	{name: "devices stay for 3 builds", stay: 3},
	{name: "devices stay for 10 builds", stay: 10},
	{name: "days differ by 3 %", day: .03, reduced: true},
	{name: "days differ by 10 %", day: .1},
	{name: "days differ by 3 %, each is like the one before (correlation 0.3)", day: .03, like: .3},
	{name: "days differ by 3 %, each is like the one before (correlation 0.6)", day: .03, like: .6},
	{name: "6 builds", builds: 6},
	{name: "12 builds", builds: 12},
	{name: "60 builds", builds: 60},
}

var changedHistories = []past{
	{name: "3 → 4.5 % late from the 16th build on", at: 15, late: 1.5, measure: "jank_rate"},
	{name: "3 → 6 % late from the 16th build on", at: 15, late: 2, measure: "jank_rate", reduced: true, least: .9},
	{name: "3 → 6 % late from the 16th build on, days differ by 3 %", at: 15, day: .03, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 16th build on, devices stay for 10 builds", at: 15, stay: 10, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 16th build on, 3 processes", at: 15, processes: 3, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 16th build on, builds have 5 devices", at: 15, devices: [2]int{5, 5}, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 27th build on", at: 26, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 29th build on", at: 28, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late in the 30th build", at: 29, late: 2, measure: "jank_rate"},
	{name: "3 → 9 % late in the 30th build", at: 29, late: 3, measure: "jank_rate"},
	{name: "3 → 4.5 % late from the 11th to the 18th build", at: 10, last: 18, late: 1.5, measure: "jank_rate"},
	{name: "3 → 6 % late from the 11th to the 18th build", at: 10, last: 18, late: 2, measure: "jank_rate", reduced: true, least: .9},
	{name: "3 → 6 % late from the 11th to the 18th build, days differ by 3 %", at: 10, last: 18, day: .03, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 11th to the 18th build, devices stay for 10 builds", at: 10, last: 18, stay: 10, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 11th to the 18th build, 3 processes", at: 10, last: 18, processes: 3, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 11th to the 18th build, builds have 5 devices", at: 10, last: 18, devices: [2]int{5, 5}, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late in the 11th to the 13th build", at: 10, last: 13, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late in the 11th and the 12th build", at: 10, last: 12, late: 2, measure: "jank_rate"},
	{name: "3 → 9 % late in the 11th and the 12th build", at: 10, last: 12, late: 3, measure: "jank_rate"},
	{name: "3 → 6 % late from the 22nd to the 28th build", at: 21, last: 28, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 22nd to the 29th build", at: 21, last: 29, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 3rd to the 5th of 8 builds", builds: 8, at: 2, last: 5, late: 2, measure: "jank_rate"},
	{name: "3 → 6 % late from the 5th to the 8th of 12 builds", builds: 12, at: 4, last: 8, late: 2, measure: "jank_rate"},
	{name: "all durations +10 % from the 11th to the 18th build", at: 10, last: 18, slow: 1.1, measure: "p90_ms"},
	{name: "all durations +5 % from the 16th build on", at: 15, slow: 1.05, measure: "p90_ms"},
	{name: "all durations +10 % from the 16th build on", at: 15, slow: 1.1, measure: "p90_ms"},
	{name: "all durations +10 % from the 16th build on, days differ by 3 %", at: 15, day: .03, slow: 1.1, measure: "p90_ms"},
}

// TestTrendPower measures how often a change is found in histories without and with one, and
// how far from it. "make power" runs it in full and prints tables. The seeds
// are fixed.
func TestTrendPower(t *testing.T) {
	histories, changed, full := 30, 30, os.Getenv("OHFRAME_POWER") != ""
	if !full {
		slow.Skip(t)
	} else {
		histories, changed = 500, 200
	}
	percent := func(n, of int) string { return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(max(1, of))) }
	table := "\n| Nothing changed | Any change found |\n|---|---|\n"
	for _, h := range unchangedHistories {
		if !full && !h.reduced {
			continue
		}
		o := h.run(histories)
		table += fmt.Sprintf("| %s | %.1f %% |\n", h.name, 100*float64(o.alarm)/float64(histories))
		// Three standard deviations of the binomial distribution. Nothing is promised if builds resemble the one before for reasons
		// that are not known.
		if expected := float64(histories) * significance.Level; h.like == 0 && float64(o.alarm) > expected+3*math.Sqrt(expected) {
			t.Errorf("%s: %d of %d histories without a change have one, want %g", h.name, o.alarm, histories, expected)
		}
	}
	table += "\n| Change | Found | at the true build | within 1 | true build in the range | kind right: lasting or taken back | end within 1 | others found |\n|---|---|---|---|---|---|---|---|\n"
	for _, h := range changedHistories {
		if !full && !h.reduced {
			continue
		}
		o := h.run(changed)
		near := percent(o.backNear, o.found)
		if h.last == 0 {
			near = "–"
		}
		table += fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", h.name, percent(o.found, changed), percent(o.off[0], o.found), percent(o.off[1], o.found),
			percent(o.covered, o.found), percent(o.back, o.found), near, percent(o.others, o.found))
		if h.least > 0 && (float64(o.found) < h.least*float64(changed) || o.off[2] < o.found*8/10 || float64(o.covered) < .8*float64(o.found)) {
			t.Errorf("%s: %+v", h.name, o)
		}
	}
	t.Log(table)
}
