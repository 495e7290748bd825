package diff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// An experiment records pairs of sides and compares each with several numbers of runs.
type experiment struct {
	name      string
	base, new load // new is base if it is the zero value: then nothing has changed
	order     order
	runs      [][2]int // on each side
	// table is the measure of the application that the table must call worse; any change of it if empty.
	table string
	gates []string // conditions; at least one must fail. The document has the first one, beside the table
	most  float64  // if nothing changed: the largest share of pairs in which something may be found; 0 for no limit
	// least is the least share of pairs in which the first gate fails, by the number of runs of each side.
	least   map[int]float64
	reduced bool // a part of the reduced test
}

// order says in which order runs are recorded.
type order int

const (
	together       order = iota // all runs in one session, without drift
	stored                      // each side in a session of its own
	interleaved                 // in one session that drifts: base, new, new, base, and so on
	storedSessions              // base in several sessions of storedRuns runs, new in one
)

const storedRuns = 5

// drift is by how much a session of interleaved runs differs at its end from its start, for example
// because the device becomes warm.
var drift = level{jank: 1.5, durations: 1.1}

// record records a pair with so many runs on each side.
func (e *experiment) record(pair uint64, runs [2]int) (sides [2][]Side) {
	loads := [2]load{e.base, e.new}
	if e.new == (load{}) {
		loads[1] = e.base
	}
	r := rand.New(rand.NewPCG(pair, 1))
	session, id := e.base.sessions.draw(r), 1
	all := runs[0] + runs[1]
	for i := range all {
		side := 0
		switch e.order {
		case interleaved:
			side = [4]int{0, 1, 1, 0}[i%4]
		default:
			if i >= runs[0] {
				side = 1
			}
		}
		n := len(sides[side])
		if e.order == stored && n == 0 && side == 1 || e.order == storedSessions && (side == 1 && n == 0 || side == 0 && n > 0 && n%storedRuns == 0) {
			session, id = e.base.sessions.draw(r), id+1
		}
		now := session
		if e.order == interleaved {
			along := float64(i) / float64(max(1, all-1))
			now = now.times(level{1 + (drift.jank-1)*along, 1 + (drift.durations-1)*along})
		}
		run := loads[side].side(pair<<16|uint64(side)<<8|uint64(n), now)
		run.Recording.Session = strconv.Itoa(id)
		sides[side] = append(sides[side], run)
	}
	return sides
}

// compared compares a pair.
func compared(t *testing.T, sides [2][]Side) *Diff {
	return must.Get(Compare(Join("base", sides[0]), Join("new", sides[1]), Options{}))(t)
}

// changed reports whether the table of a comparison has the change.
func (e *experiment) changed(d *Diff) bool {
	return slices.ContainsFunc(d.Pairs, func(p *Pair) bool {
		return slices.ContainsFunc(p.tested, func(m *Measure) bool {
			return e.table == "" && m.Verdict.significant() || p.Base.Name == application && m.Name == e.table && m.Verdict == Worse
		})
	})
}

// fails reports whether a gate of a comparison fails, as Compare does, without measuring the runs again.
func fails(t *testing.T, d *Diff, gate string) bool {
	d.Outcomes = nil
	d.checkConditions(Options{FailOn: must.Get(condition.ParseFile(strings.NewReader(gate), "budgets", condition.OfChanges))(t)})
	return slices.ContainsFunc(d.Outcomes, func(o conditionOutcome) bool { return o.Status == condition.Failed })
}

// run returns how often the table and each gate found something in so many pairs, by number of runs.
func (e *experiment) run(t *testing.T, pairs int) [][]int {
	var most [2]int
	for _, runs := range e.runs {
		most = [2]int{max(most[0], runs[0]), max(most[1], runs[1])}
	}
	counts := make([][]int, len(e.runs))
	for i := range counts {
		counts[i] = make([]int, 1+len(e.gates))
	}
	each(pairs, func(pair uint64, mutex *sync.Mutex) {
		sides := e.record(pair, most)
		for i, runs := range e.runs {
			if e.order == interleaved { // the session ends after the last run
				sides = e.record(pair, runs)
			}
			d := compared(t, [2][]Side{sides[0][:runs[0]], sides[1][:runs[1]]})
			found := []bool{e.changed(d)}
			for _, gate := range e.gates {
				found = append(found, fails(t, d, gate))
			}
			mutex.Lock()
			for k, yes := range found {
				if yes {
					counts[i][k]++
				}
			}
			mutex.Unlock()
		}
	})
	return counts
}

// each calls do for each pair, several at a time.
func each(pairs int, do func(pair uint64, mutex *sync.Mutex)) {
	var mutex sync.Mutex
	var group sync.WaitGroup
	free := make(chan bool, runtime.GOMAXPROCS(0))
	for pair := range uint64(pairs) {
		free <- true
		group.Go(func() { do(pair, &mutex); <-free })
	}
	group.Wait()
}

// interval returns the 95 % interval of a share of x in n (Wilson, 1927).
func interval(x, n int) (low, high float64) {
	const z = 1.959964
	p, m := float64(x)/float64(n), float64(n)
	middle, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return (middle - half) / (1 + z*z/m), (middle + half) / (1 + z*z/m)
}

// both returns numbers of runs that are equal on both sides.
func both(list ...int) (runs [][2]int) {
	for _, n := range list {
		runs = append(runs, [2]int{n, n})
	}
	return runs
}

// someSessions are the numbers of runs if base has three, five and eight sessions.
var someSessions = [][2]int{{3 * storedRuns, storedRuns}, {5 * storedRuns, storedRuns}, {8 * storedRuns, storedRuns}}

func (l load) late(share float64) load { l.jank = share; return l }

func (l load) varying(jank, durations float64) load { l.varies = spread{jank, durations}; return l }

func (l load) onDays(jank, durations float64) load { l.sessions = spread{jank, durations}; return l }

// experiments returns those of false alarms and those of power.
func experiments() (alarms, power []experiment) {
	usual := load{hertz: 120, seconds: 10, jank: 0.015}
	// A gate without a process is on two: the application and render_service.
	same := func(name string, l load, runs ...int) *experiment {
		alarms = append(alarms, experiment{name: name, base: l, runs: both(runs...), most: .05,
			gates: []string{"jank_rate>+1pp\nhitch_ratio>+1\np95_ms>+5%\nfps<-2%", "jank_rate>+0pp", "p95_ms>+5%"}})
		return &alarms[len(alarms)-1]
	}
	same("runs alike", usual, 3, 5, 10)
	same("jank rate differs by 30 %", usual.varying(.3, 0), 3, 5, 10)
	same("jank rate differs by 30 %, durations by 5 %", usual.varying(.3, .05), 2, 3, 4, 5, 7, 10).reduced = true
	same("jank rate differs by 60 %", usual.varying(.6, 0), 2, 3, 4, 5, 7, 10).reduced = true
	same("0.8 % late, jank rate differs by 30 %", usual.late(.008).varying(.3, 0), 3, 5, 10)
	same("6 % late, jank rate differs by 30 %", usual.late(.06).varying(.3, 0), 3, 5)
	short := usual.varying(.3, .05)
	short.hertz, short.seconds = 60, 3
	same("60 Hz, 3 s, jank rate differs by 30 %, durations by 5 %", short, 3, 5)
	idle := usual.late(.03).varying(.3, .05)
	idle.animates, idle.pauses = .3, 1.5
	same("3 % late, 0.3 s of each 1.5 s animated, jank rate differs by 30 %, durations by 5 %", idle, 3, 5, 10)
	slightly := usual.varying(.2, .03)
	day := slightly.onDays(.2, .05)
	same("in turn, days differ by 20 % and 5 %, the device becomes warm", day, 3, 5, 10).order = interleaved
	anotherDay := func(e *experiment) { e.order, e.most = stored, 0 }
	anotherDay(same("base of another day, days differ by 10 % and 3 %", slightly.onDays(.1, .03), 3, 5, 10))
	anotherDay(same("base of another day, days differ by 20 % and 5 %", day, 3, 5, 10))
	inSessions := func(e *experiment) { e.order, e.runs = storedSessions, someSessions }
	inSessions(same("nothing", day))

	change := func(name string, base, new load, least map[int]float64, gates ...string) *experiment {
		e := experiment{name: name, base: base, new: new, runs: both(3, 5, 10), least: least}
		e.table, _, _ = strings.Cut(strings.ReplaceAll(gates[0], "<", ">"), ">")
		for _, gate := range gates {
			e.gates = append(e.gates, application+": "+gate)
		}
		e.gates = append(e.gates, gates[0]) // also on render_service
		power = append(power, e)
		return &power[len(power)-1]
	}
	jank := []string{"jank_rate>+0pp", "jank_rate>+1pp", "jank_rate>+2pp"}
	varying := usual.varying(.3, 0)
	change("1.5 → 4.5 % late, runs alike", usual, usual.late(.045), map[int]float64{3: .55}, jank...).reduced = true
	change("6 → 9 % late, runs alike", usual.late(.06), usual.late(.09), map[int]float64{5: .85}, jank...)
	change("1.5 → 4.5 % late, jank rate differs by 30 %", varying, varying.late(.045), map[int]float64{3: .55}, jank...).reduced = true
	change("6 → 9 % late, jank rate differs by 30 %", varying.late(.06), varying.late(.09), map[int]float64{5: .45}, jank...)
	change("3 → 6 % late, 0.3 s of each 1.5 s animated, jank rate differs by 30 %, durations by 5 %", idle, idle.late(.06), nil, jank...)
	change("1.5 → 4.5 % late, in turn, days differ by 20 % and 5 %, the device becomes warm", day, day.late(.045), nil, jank...).order = interleaved
	change("6 → 9 % late, in turn, days differ by 20 % and 5 %, the device becomes warm", day.late(.06), day.late(.09), nil, jank...).order = interleaved
	slower, tail, longer := usual, usual, usual
	slower.factor, tail.tail, longer.longer = 1.1, 1.1, 2*trace.Millisecond
	change("all durations +10 %, runs alike", usual, slower, map[int]float64{5: .6}, "p95_ms>+0%", "p90_ms>+0%")
	change("all durations +10 %, durations differ by 5 %", usual.varying(0, .05), slower.varying(0, .05), nil, "p95_ms>+0%")
	change("longest fifth +10 %, runs alike", usual, tail, map[int]float64{5: .6}, "p95_ms>+0%")
	change("longest fifth +2 ms, runs alike", usual, longer, nil, "p95_ms>+0%")
	change("FPS 117 → 115, runs alike", usual.late(.0225), usual.late(.0385), nil, "fps<-0%")
	change("hitch ratio +2 ms/s, runs alike", usual.late(.005), usual.late(.007), nil, "hitch_ratio>+0")
	inSessions(change("1.5 → 4.5 % late", day, day.late(.045), nil, jank...))
	inSessions(change("6 → 9 % late", day.late(.06), day.late(.09), nil, jank...))
	return alarms, power
}

// A calibration checks what is said of changes that are not significant: the smallest change that
// would have been found, and how many runs would find the one seen.
type calibration struct {
	name      string
	base, new load
	gate      string
	runs      int
	// changed returns the load with a changed measure.
	changed func(l load, change float64, seen *condition.Change) load
}

func calibrations() []calibration {
	usual := load{hertz: 120, seconds: 10, jank: 0.06}
	later := func(l load, change float64, _ *condition.Change) load { return l.late(l.jank + change) }
	slower := func(l load, change float64, seen *condition.Change) load {
		l.factor = 1 + change / *seen.Base
		return l
	}
	varying, somewhat := usual.varying(.3, 0), usual.late(.015).varying(0, .03)
	longer := somewhat
	longer.factor = 1.06
	return []calibration{
		{"jank rate, runs alike", usual, usual.late(.08), application + ": jank_rate>+0pp", 5, later},
		{"jank rate, differs by 30 %", varying, varying.late(.09), application + ": jank_rate>+0pp", 3, later},
		{"jank rate, differs by 30 %", varying, varying.late(.09), application + ": jank_rate>+0pp", 5, later},
		{"jank rate, differs by 30 %", varying, varying.late(.09), application + ": jank_rate>+0pp", 10, later},
		{"P95, durations differ by 3 %", somewhat, longer, application + ": p95_ms>+0%", 5, slower},
	}
}

// run returns how often changes of the smallest size were found, and changes of the size seen
// with as many runs as advised; and of how many.
func (c *calibration) run(t *testing.T, pairs int) (found, of [2]int) {
	pairOf := func(new load, pair uint64, runs int) *condition.Change {
		e := experiment{base: c.base, new: new}
		d := compared(t, e.record(pair, [2]int{runs, runs}))
		fails(t, d, c.gate)
		return d.Outcomes[0].Change
	}
	each(pairs, func(pair uint64, mutex *sync.Mutex) {
		for i, new := range []load{c.base, c.new} {
			seen := pairOf(new, pair, c.runs)
			size, runs := seen.Test.Detectable(), c.runs
			if i == 1 {
				if seen.Status == condition.Failed || seen.UnitsNeeded == nil {
					continue
				}
				size, runs = *seen.Delta, *seen.UnitsNeeded
			}
			again := pairOf(c.changed(c.base, size, seen), pair+1<<20, runs)
			mutex.Lock()
			if of[i]++; again.Status == condition.Failed {
				found[i]++
			}
			mutex.Unlock()
		}
	})
	return found, of
}

// TestPower measures how often something is found where nothing changed, and where something did.
// "make power" runs it in full and prints tables, whose main rows docs/dev/verification.md has. The reduced test has few pairs and
// wider limits. The seeds are fixed.
func TestPower(t *testing.T) {
	pairs, full := 60, os.Getenv("OHFRAME_POWER") != ""
	if full {
		pairs = 300
	} else {
		slow.Skip(t)
	}
	alarms, power := experiments()
	var tables [3]strings.Builder
	for i, list := range [][]experiment{alarms, power} {
		for _, e := range list {
			table, columns := &tables[i], both(3, 5, 10)
			if e.order == storedSessions {
				table, columns = &tables[2], someSessions
			}
			if !full {
				if !e.reduced {
					continue
				}
				e.runs = both(3, 5)
			}
			counts := e.run(t, pairs)
			e.check(t, counts, pairs)
			e.write(table, counts, pairs, columns)
		}
	}
	if !full {
		return
	}
	for i, heading := range []string{
		"Nothing changed | 3 and 3 runs | 5 and 5 runs | 10 and 10 runs",
		"Change | 3 and 3 runs | 5 and 5 runs | 10 and 10 runs",
		"Change | 3 sessions and 1 | 5 sessions and 1 | 8 sessions and 1",
	} {
		fmt.Printf("\n| %s |\n|---|---|---|---|\n%s", heading, tables[i].String())
	}
	// What is said should hold in about 80 % of cases.
	fmt.Print("\n| Measure | Runs | Changes of the smallest size found | Changes seen, found with as many runs as advised |\n|---|---|---|---|\n")
	for _, c := range calibrations() {
		found, of := c.run(t, pairs)
		row := fmt.Sprintf("| %s | %d and %d |", c.name, c.runs, c.runs)
		for i := range found {
			row += fmt.Sprintf(" %.0f %% |", 100*float64(found[i])/float64(of[i]))
			if low, high := interval(found[i], of[i]); high < .7 || low > .9 {
				t.Errorf("%s, %d and %d runs: %d of %d, want about 0.8 of them", c.name, c.runs, c.runs, found[i], of[i])
			}
		}
		fmt.Println(row)
	}
}

// write writes a row: for each number of runs the share of the first gate and, in brackets, that of the table.
func (e *experiment) write(w *strings.Builder, counts [][]int, pairs int, columns [][2]int) {
	fmt.Fprintf(w, "| %s |", e.name)
	for _, runs := range columns {
		if i := slices.Index(e.runs, runs); i >= 0 {
			fmt.Fprintf(w, " %.0f %% (%.0f %%)", 100*float64(counts[i][1])/float64(pairs), 100*float64(counts[i][0])/float64(pairs))
		}
		w.WriteString(" |")
	}
	w.WriteByte('\n')
}

// check logs how often something was found, with 95 % intervals, and checks the limits.
func (e *experiment) check(t *testing.T, counts [][]int, pairs int) {
	for i, runs := range e.runs {
		for k, x := range counts[i] {
			low, high := interval(x, pairs)
			what := fmt.Sprintf("%s, %d and %d runs: %q: %d of %d", e.name, runs[0], runs[1], append([]string{"table " + e.table}, e.gates...)[k], x, pairs)
			t.Logf("%s, %.1f to %.1f %%", what, 100*low, 100*high)
			if e.most > 0 && low > e.most {
				t.Errorf("%s, want at most %g of them", what, e.most)
			}
			if least := e.least[runs[1]]; k == 1 && float64(x) < least*float64(pairs) {
				t.Errorf("%s, want at least %g of them", what, least)
			}
		}
	}
}
