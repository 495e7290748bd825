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
	builds  int
	devices [2]int // of a build, from and to
	// stay is the number of builds in which a device is: 1 if each build has others, 0 for all.
	stay int
	// day is the standard deviation of what all devices of a build have in common: of durations, and four
	// times as much of late frames. like is the correlation with the build before.
	day, like float64
	processes int
	// late and slow are the factors of a build by which more frames are late and durations are longer.
	late, slow func(build int) float64

	measure string // what changes
	at      int    // the first build that is changed
	last    int    // the first build that is not any more; 0 for none
	reduced bool   // measured by the quick test, too
	// least is the share of changes that must be found.
	least float64
}

func step(at int, factor float64) func(int) float64 { return bump(at, math.MaxInt, factor) }

func bump(at, end int, factor float64) func(int) float64 {
	return func(build int) float64 {
		if build >= at && build < end {
			return factor
		}
		return 1
	}
}

// trend makes a history of the values that Test takes from traces, and tests it.
func (h *past) trend(r *rand.Rand) (*Trend, *significance.Shifts) {
	t := &Trend{Builds: make([]string, h.builds)}
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
		for build := range h.builds {
			slow, more = h.like*slow+math.Sqrt(1-h.like*h.like)*r.NormFloat64(), h.like*more+math.Sqrt(1-h.like*h.like)*r.NormFloat64()
			devices = slices.DeleteFunc(devices, func(d *device) bool { return d.until <= build })
			for len(devices) < h.devices[0]+r.IntN(h.devices[1]-h.devices[0]+1) {
				until := math.MaxInt
				if h.stay > 0 {
					until = build + h.stay
				}
				if build == 0 && h.stay > 0 {
					until -= r.IntN(h.stay)
				}
				devices = append(devices, &device{6 * math.Exp(.15*heavy()), .03 * math.Exp(.5*heavy()), until, r.Uint64()})
			}
			for i := range values {
				values[i] = append(values[i], trendValues{})
			}
			for _, d := range devices {
				speed := d.speed * math.Exp(.05*r.NormFloat64()+h.day*slow) * h.slow(build)
				rate := d.late * math.Exp(.3*r.NormFloat64()+4*h.day*more) * h.late(build)
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
	alarm               int // anything that is not there
	found               int
	exact, near1, near2 int
	covered             int // the place is in the confidence set
	others              int // besides the change
	// back is how often it was found that the change was taken back, or lasts; backNear at the true build or
	// one beside it.
	back, backNear int
	histories      int
}

func (h *past) run(histories int) (o outcome) {
	r := rand.New(rand.NewPCG(11, 12))
	o.histories = histories
	for range histories {
		t, test := h.trend(r)
		if slices.ContainsFunc(test.Sequences, func(x significance.SequenceResult) bool { return len(x.Shifts) > 0 }) {
			o.alarm++
		}
		if h.measure == "" {
			continue
		}
		s := t.Groups[0].Series[slices.IndexFunc(t.measures, func(m *stats.Measure) bool { return m.Name == h.measure })]
		i := slices.IndexFunc(s.Changes, func(c *TrendChange) bool { return c.Verdict == Worse })
		if i < 0 {
			continue
		}
		o.found++
		c := s.Changes[i]
		off := max(c.place.At-h.at, h.at-c.place.At)
		if off == 0 {
			o.exact++
		}
		if off <= 1 {
			o.near1++
		}
		if off <= 2 {
			o.near2++
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

func trendHistories() (alarms, changes []past) {
	for _, h := range []past{
		{name: "each build has other devices", stay: 1, reduced: true},
		{name: "3 processes, each build has other devices", stay: 1, processes: 3},
		{name: "builds have 5 to 80 devices", stay: 1, devices: [2]int{5, 80}},
		{name: "builds have 5 devices", stay: 1, devices: [2]int{5, 5}},
		{name: "all builds have the same devices", stay: 0},
		{name: "devices stay for 3 builds", stay: 3},
		{name: "devices stay for 10 builds", stay: 10},
		{name: "days differ by 3 %", stay: 1, day: .03, reduced: true},
		{name: "days differ by 10 %", stay: 1, day: .1},
		{name: "days differ by 3 %, each is like the one before (correlation 0.3)", stay: 1, day: .03, like: .3},
		{name: "days differ by 3 %, each is like the one before (correlation 0.6)", stay: 1, day: .03, like: .6},
		{name: "6 builds", stay: 1, builds: 6},
		{name: "12 builds", stay: 1, builds: 12},
		{name: "60 builds", stay: 1, builds: 60},
	} {
		h.late, h.slow = step(0, 1), step(0, 1)
		alarms = append(alarms, h)
	}
	for _, h := range []past{
		{name: "3 → 4.5 % late from the 16th build on", at: 15, late: step(15, 1.5), measure: "jank_rate"},
		{name: "3 → 6 % late from the 16th build on", at: 15, late: step(15, 2), measure: "jank_rate", reduced: true, least: .9},
		{name: "3 → 6 % late from the 16th build on, days differ by 3 %", at: 15, day: .03, late: step(15, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 16th build on, devices stay for 10 builds", at: 15, stay: 10, late: step(15, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 16th build on, 3 processes", at: 15, processes: 3, late: step(15, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 16th build on, builds have 5 devices", at: 15, devices: [2]int{5, 5}, late: step(15, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 27th build on", at: 26, late: step(26, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 29th build on", at: 28, late: step(28, 2), measure: "jank_rate"},
		{name: "3 → 6 % late in the 30th build", at: 29, late: step(29, 2), measure: "jank_rate"},
		{name: "3 → 9 % late in the 30th build", at: 29, late: step(29, 3), measure: "jank_rate"},
		{name: "3 → 4.5 % late from the 11th to the 18th build", at: 10, last: 18, late: bump(10, 18, 1.5), measure: "jank_rate"},
		{name: "3 → 6 % late from the 11th to the 18th build", at: 10, last: 18, late: bump(10, 18, 2), measure: "jank_rate", reduced: true, least: .9},
		{name: "3 → 6 % late from the 11th to the 18th build, days differ by 3 %", at: 10, last: 18, day: .03, late: bump(10, 18, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 11th to the 18th build, devices stay for 10 builds", at: 10, last: 18, stay: 10, late: bump(10, 18, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 11th to the 18th build, 3 processes", at: 10, last: 18, processes: 3, late: bump(10, 18, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 11th to the 18th build, builds have 5 devices", at: 10, last: 18, devices: [2]int{5, 5}, late: bump(10, 18, 2), measure: "jank_rate"},
		{name: "3 → 6 % late in the 11th to the 13th build", at: 10, last: 13, late: bump(10, 13, 2), measure: "jank_rate"},
		{name: "3 → 6 % late in the 11th and the 12th build", at: 10, last: 12, late: bump(10, 12, 2), measure: "jank_rate"},
		{name: "3 → 9 % late in the 11th and the 12th build", at: 10, last: 12, late: bump(10, 12, 3), measure: "jank_rate"},
		{name: "3 → 6 % late from the 22nd to the 28th build", at: 21, last: 28, late: bump(21, 28, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 22nd to the 29th build", at: 21, last: 29, late: bump(21, 29, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 3rd to the 5th of 8 builds", builds: 8, at: 2, last: 5, late: bump(2, 5, 2), measure: "jank_rate"},
		{name: "3 → 6 % late from the 5th to the 8th of 12 builds", builds: 12, at: 4, last: 8, late: bump(4, 8, 2), measure: "jank_rate"},
		{name: "all durations +10 % from the 11th to the 18th build", at: 10, last: 18, slow: bump(10, 18, 1.1), measure: "p90_ms"},
		{name: "all durations +5 % from the 16th build on", at: 15, slow: step(15, 1.05), measure: "p90_ms"},
		{name: "all durations +10 % from the 16th build on", at: 15, slow: step(15, 1.1), measure: "p90_ms"},
		{name: "all durations +10 % from the 16th build on, days differ by 3 %", at: 15, day: .03, slow: step(15, 1.1), measure: "p90_ms"},
	} {
		h.stay = cmp.Or(h.stay, 1)
		if h.late == nil {
			h.late = step(0, 1)
		}
		if h.slow == nil {
			h.slow = step(0, 1)
		}
		changes = append(changes, h)
	}
	for _, list := range [][]past{alarms, changes} {
		for i := range list {
			if list[i].builds == 0 {
				list[i].builds = 30
			}
			if list[i].devices[1] == 0 {
				list[i].devices = [2]int{20, 20}
			}
		}
	}
	return alarms, changes
}

// resembling are histories whose builds resemble the one before for reasons that are not known: the test
// promises nothing of them.
func (h *past) resembling() bool { return h.like > 0 }

// TestTrendPower measures how often a change is found in histories without and with one, and
// how far from it. "make trend-power" runs it in full and prints the tables of docs/fleet.md. The seeds
// are fixed.
func TestTrendPower(t *testing.T) {
	histories, changed, full := 30, 30, os.Getenv("OHFRAME_POWER") != ""
	if !full {
		slow.Skip(t)
	} else {
		histories, changed = 500, 200
	}
	alarms, changes := trendHistories()
	percent := func(n, of int) string { return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(max(1, of))) }
	print := func(format string, args ...any) {
		if full {
			fmt.Printf(format, args...)
		}
	}
	print("\n| Nothing changed | Any change found |\n|---|---|\n")
	for _, h := range alarms {
		if full || h.reduced {
			t.Run(h.name, func(t *testing.T) {
				o := h.run(histories)
				print("| %s | %.1f %% |\n", h.name, 100*float64(o.alarm)/float64(histories))
				// Three standard deviations of the binomial distribution.
				if expected := float64(histories) * significance.Level; !h.resembling() && float64(o.alarm) > expected+3*math.Sqrt(expected) {
					t.Errorf("%d of %d histories without a change have one, want %g", o.alarm, histories, expected)
				}
			})
		}
	}
	print("\n| Change | Found | at the true build | within 1 | within 2 | true build in the range | taken back or not | where within 1 | others found |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, h := range changes {
		if !full && !h.reduced {
			continue
		}
		t.Run(h.name, func(t *testing.T) {
			o := h.run(changed)
			near := percent(o.backNear, o.found)
			if h.last == 0 {
				near = ""
			}
			print("| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", h.name, percent(o.found, changed), percent(o.exact, o.found), percent(o.near1, o.found),
				percent(o.near2, o.found), percent(o.covered, o.found), percent(o.back, o.found), near, percent(o.others, o.found))
			if h.least > 0 && (float64(o.found) < h.least*float64(changed) || o.near2 < o.found*8/10 || float64(o.covered) < .8*float64(o.found)) {
				t.Errorf("%+v", o)
			}
		})
	}
}
