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
	runs      [][2]int   // on each side
	questions []question // the first is on the table
	shown     int        // the question in the document, beside the first
	reduced   bool       // a part of the reduced test
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

// question is what is asked of a comparison.
type question struct {
	// gate has conditions; one or more of them fail. If it is empty, measure is that of the table that is
	// significantly worse, or any measure of any process is significant if that is empty, too.
	gate    string
	measure string
	// most is the limit of the share of pairs in which something is found if nothing changed. 0 is no limit.
	most float64
}

func (q question) String() string {
	switch {
	case q.gate != "":
		return "`" + strings.ReplaceAll(q.gate, "\n", ", ") + "`"
	case q.measure != "":
		return "table: `" + q.measure + "`"
	}
	return "table: any change"
}

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
func compared(sides [2][]Side) (*Diff, error) {
	return Compare(Join("base", sides[0]), Join("new", sides[1]), Options{})
}

// found answers the question for a comparison.
func (q question) found(d *Diff) (bool, error) {
	if q.gate != "" {
		list, err := condition.ParseFile(strings.NewReader(q.gate), "budgets", condition.OfChanges)
		if err != nil {
			return false, err
		}
		d.Outcomes = nil
		d.checkConditions(Options{FailOn: list}) // as Compare does, without measuring the runs again
		return slices.ContainsFunc(d.Outcomes, func(o Outcome) bool { return o.Status == condition.Failed }), nil
	}
	for _, p := range d.Pairs {
		for _, m := range p.tested {
			if q.measure == "" && m.Verdict.significant() || p.Base.Name == application && m.Name == q.measure && m.Verdict == Worse {
				return true, nil
			}
		}
	}
	return false, nil
}

// run returns how often something was found in so many pairs, by number of runs and question.
func (e *experiment) run(pairs int) ([][]int, error) {
	var most [2]int
	for _, runs := range e.runs {
		most = [2]int{max(most[0], runs[0]), max(most[1], runs[1])}
	}
	counts := make([][]int, len(e.runs))
	for i := range counts {
		counts[i] = make([]int, len(e.questions))
	}
	err := each(pairs, func(pair uint64, mutex *sync.Mutex) error {
		sides := e.record(pair, most)
		for i, runs := range e.runs {
			if e.order == interleaved { // the session ends after the last run
				sides = e.record(pair, runs)
			}
			d, err := compared([2][]Side{sides[0][:runs[0]], sides[1][:runs[1]]})
			if err != nil {
				return err
			}
			for k, q := range e.questions {
				yes, err := q.found(d)
				if err != nil {
					return err
				}
				if mutex.Lock(); yes {
					counts[i][k]++
				}
				mutex.Unlock()
			}
		}
		return nil
	})
	return counts, err
}

// each calls do for each pair, several at a time, and returns an error if there is one.
func each(pairs int, do func(pair uint64, mutex *sync.Mutex) error) (failed error) {
	var mutex sync.Mutex
	var group sync.WaitGroup
	next := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for pair := range next {
				if err := do(pair, &mutex); err != nil {
					mutex.Lock()
					failed = err
					mutex.Unlock()
				}
			}
		})
	}
	for pair := range uint64(pairs) {
		next <- pair
	}
	close(next)
	group.Wait()
	return failed
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
	// A gate on jank_rate without a process is on two: the application and render_service.
	questions := []question{
		{most: .05},
		{gate: "jank_rate>+0pp", most: .05},
		{gate: "p95_ms>+5%", most: .05},
		{gate: "jank_rate>+1pp\nhitch_ratio>+1\np95_ms>+5%\nfps<-2%", most: .05},
	}
	usual := load{hertz: 120, seconds: 10, jank: 0.015}
	same := func(name string, l load, runs ...int) {
		alarms = append(alarms, experiment{name: name, base: l, runs: both(runs...), questions: questions})
	}
	same("runs alike", usual, 3, 4, 5, 7, 10)
	same("jank rate differs by 30 %", usual.varying(.3, 0), 3, 4, 5, 7, 10)
	same("jank rate differs by 30 %, durations by 5 %", usual.varying(.3, .05), 2, 3, 4, 5, 7, 10)
	alarms[len(alarms)-1].reduced = true
	same("jank rate differs by 60 %", usual.varying(.6, 0), 2, 3, 4, 5, 7, 10)
	alarms[len(alarms)-1].reduced = true
	same("0.8 % late, jank rate differs by 30 %", usual.late(.008).varying(.3, 0), 3, 5, 10)
	same("3 % late, jank rate differs by 30 %", usual.late(.03).varying(.3, 0), 3, 5)
	same("6 % late, jank rate differs by 30 %", usual.late(.06).varying(.3, 0), 3, 4, 5)
	same("7.5 % late, jank rate differs by 30 %, durations by 5 %", usual.late(.075).varying(.3, .05), 3, 5)
	short := usual.varying(.3, .05)
	short.hertz, short.seconds = 60, 3
	same("60 Hz, 3 s, jank rate differs by 30 %, durations by 5 %", short, 3, 5)

	idle := usual.late(.03).varying(.3, .05)
	idle.animates, idle.pauses = .3, 1.5
	same("3 % late, 0.3 s of each 1.5 s animated, jank rate differs by 30 %, durations by 5 %", idle, 3, 5, 10)

	slightly := usual.varying(.2, .03)
	same("in turn, days differ by 20 % and 5 %, the device becomes warm", slightly.onDays(.2, .05), 3, 5, 10)
	alarms[len(alarms)-1].order = interleaved
	unprotected := slices.Clone(questions)
	for i := range unprotected {
		unprotected[i].most = 0
	}
	alarms = append(alarms,
		experiment{name: "base of another day, days differ by 10 % and 3 %", base: slightly.onDays(.1, .03), order: stored, runs: both(3, 5, 10), questions: unprotected},
		experiment{name: "base of another day, days differ by 20 % and 5 %", base: slightly.onDays(.2, .05), order: stored, runs: both(3, 5, 10), questions: unprotected},
		experiment{name: "nothing", base: slightly.onDays(.2, .05), order: storedSessions, runs: someSessions, questions: questions},
	)
	for i := range alarms {
		alarms[i].shown = len(questions) - 1
	}

	change := func(name, measure string, base, new load, gates ...string) {
		e := experiment{name: name, base: base, new: new, runs: both(3, 5, 10), shown: 1}
		e.questions = append(e.questions, question{measure: measure})
		for _, gate := range gates {
			e.questions = append(e.questions, question{gate: application + ": " + gate})
		}
		e.questions = append(e.questions, question{gate: gates[0]})
		power = append(power, e)
	}
	jank := []string{"jank_rate>+0pp", "jank_rate>+1pp", "jank_rate>+2pp"}
	for _, sd := range []float64{0, .3} {
		name := map[float64]string{0: "runs alike", .3: "jank rate differs by 30 %"}[sd]
		l := usual.varying(sd, 0)
		change("1.5 → 4.5 % late, "+name, "jank_rate", l, l.late(.045), jank...)
		power[len(power)-1].reduced = true
		change("6 → 9 % late, "+name, "jank_rate", l.late(.06), l.late(.09), jank...)
	}
	change("3 → 6 % late, 0.3 s of each 1.5 s animated, jank rate differs by 30 %, durations by 5 %", "jank_rate", idle, idle.late(.06), jank...)
	power[len(power)-1].questions = append(power[len(power)-1].questions, question{gate: questions[3].gate})
	day := slightly.onDays(.2, .05)
	change("1.5 → 4.5 % late, in turn, days differ by 20 % and 5 %, the device becomes warm", "jank_rate", day, day.late(.045), jank...)
	power[len(power)-1].order = interleaved
	change("6 → 9 % late, in turn, days differ by 20 % and 5 %, the device becomes warm", "jank_rate", day.late(.06), day.late(.09), jank...)
	power[len(power)-1].order = interleaved
	p95 := []string{"p95_ms>+0%", "p95_ms>+5%", "p90_ms>+0%"}
	slower, tail, longer := usual, usual, usual
	slower.factor, tail.tail, longer.longer = 1.1, 1.1, 2*trace.Millisecond
	change("all durations +10 %, runs alike", "p95_ms", usual, slower, p95...)
	change("all durations +10 %, durations differ by 5 %", "p95_ms", usual.varying(0, .05), slower.varying(0, .05), p95...)
	change("longest fifth +10 %, runs alike", "p95_ms", usual, tail, p95...)
	change("longest fifth +2 ms, runs alike", "p95_ms", usual, longer, p95...)
	change("FPS 117 → 115, runs alike", "fps", usual.late(.0225), usual.late(.0385), "fps<-0%", "fps<-1%")
	change("hitch ratio +2 ms/s, runs alike", "hitch_ratio", usual.late(.005), usual.late(.007), "hitch_ratio>+0")
	change("1.5 → 4.5 % late", "jank_rate", day, day.late(.045), jank...)
	power[len(power)-1].order, power[len(power)-1].runs = storedSessions, someSessions
	change("6 → 9 % late", "jank_rate", day.late(.06), day.late(.09), jank...)
	power[len(power)-1].order, power[len(power)-1].runs = storedSessions, someSessions
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
	somewhat := usual.late(.015).varying(0, .03)
	longer := somewhat
	longer.factor = 1.06
	return []calibration{
		{"jank rate, runs alike", usual, usual.late(.08), application + ": jank_rate>+0pp", 5, later},
		{"jank rate, differs by 30 %", usual.varying(.3, 0), usual.varying(.3, 0).late(.09), application + ": jank_rate>+0pp", 3, later},
		{"jank rate, differs by 30 %", usual.varying(.3, 0), usual.varying(.3, 0).late(.09), application + ": jank_rate>+0pp", 5, later},
		{"jank rate, differs by 30 %", usual.varying(.3, 0), usual.varying(.3, 0).late(.09), application + ": jank_rate>+0pp", 10, later},
		{"P95, durations differ by 3 %", somewhat, longer, application + ": p95_ms>+0%", 5, slower},
	}
}

// run returns how often changes of the smallest size were found, and changes of the size seen
// with as many runs as advised; and of how many.
func (c *calibration) run(pairs int) (found, of [2]int, err error) {
	gate := question{gate: c.gate}
	pairOf := func(new load, pair uint64, runs int) (*condition.Change, error) {
		e := experiment{base: c.base, new: new}
		d, err := compared(e.record(pair, [2]int{runs, runs}))
		if err == nil {
			_, err = gate.found(d)
		}
		if err != nil {
			return nil, err
		}
		return d.Outcomes[0].Change, nil
	}
	err = each(pairs, func(pair uint64, mutex *sync.Mutex) error {
		for i, new := range []load{c.base, c.new} {
			seen, err := pairOf(new, pair, c.runs)
			if err != nil {
				return err
			}
			size, runs := seen.Test.Detectable(), c.runs
			if i == 1 {
				if seen.Status == condition.Failed || seen.UnitsNeeded == nil {
					continue
				}
				size, runs = *seen.Delta, *seen.UnitsNeeded
			}
			again, err := pairOf(c.changed(c.base, size, seen), pair+1<<20, runs)
			if err != nil {
				return err
			}
			mutex.Lock()
			if of[i]++; again.Status == condition.Failed {
				found[i]++
			}
			mutex.Unlock()
		}
		return nil
	})
	return found, of, err
}

// wanted are the least shares of changes that are found, by experiment, numbers of runs and gate.
var wanted = []struct {
	name, gate string
	runs       int
	share      float64
}{
	{"6 → 9 % late, runs alike", "jank_rate>+0pp", 5, .85},
	{"6 → 9 % late, jank rate differs by 30 %", "jank_rate>+0pp", 5, .45},
	{"1.5 → 4.5 % late, runs alike", "jank_rate>+0pp", 3, .55},
	{"1.5 → 4.5 % late, jank rate differs by 30 %", "jank_rate>+0pp", 3, .55},
	{"all durations +10 %, runs alike", "p95_ms>+0%", 5, .6},
	{"longest fifth +10 %, runs alike", "p95_ms>+0%", 5, .6},
}

// Each of wanted is measured.
func TestWanted(t *testing.T) {
	_, power := experiments()
	for _, want := range wanted {
		if !slices.ContainsFunc(power, func(e experiment) bool {
			return e.name == want.name && slices.Contains(e.runs, [2]int{want.runs, want.runs}) &&
				slices.ContainsFunc(e.questions, func(q question) bool { return q.gate == application+": "+want.gate })
		}) {
			t.Errorf("no experiment %+v", want)
		}
	}
}

// TestPower measures how often something is found where nothing changed, and where something did.
// "make diff-power" runs it in full and prints the tables of docs/diff.md. The reduced test has few pairs and
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
			counts, err := e.run(pairs)
			if err != nil {
				t.Fatalf("%s: %v", e.name, err)
			}
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
	writeCalibrations(t, pairs)
}

// writeCalibrations writes a row for each calibration. What is said should hold in about 80 % of cases.
func writeCalibrations(t *testing.T, pairs int) {
	fmt.Print("\n| Measure | Runs | Changes of the smallest size found | Changes seen, found with as many runs as advised |\n|---|---|---|---|\n")
	for _, c := range calibrations() {
		found, of := must.Get2(c.run(pairs))(t)
		row := fmt.Sprintf("| %s | %d and %d |", c.name, c.runs, c.runs)
		for i := range found {
			low, high := interval(found[i], of[i])
			row += fmt.Sprintf(" %.0f %% |", 100*float64(found[i])/float64(of[i]))
			t.Logf("%s, %d and %d runs: %d of %d, %.1f to %.1f %%", c.name, c.runs, c.runs, found[i], of[i], 100*low, 100*high)
			if high < .7 || low > .9 {
				t.Errorf("%s, %d and %d runs: %d of %d, want about 0.8 of them", c.name, c.runs, c.runs, found[i], of[i])
			}
		}
		fmt.Println(row)
	}
}

// write writes a row: for each number of runs the share of the gate and, in brackets, that of the table.
func (e *experiment) write(w *strings.Builder, counts [][]int, pairs int, columns [][2]int) {
	fmt.Fprintf(w, "| %s |", e.name)
	for _, runs := range columns {
		i := slices.Index(e.runs, runs)
		if i < 0 {
			w.WriteString(" |")
			continue
		}
		percent := func(question int) float64 { return 100 * float64(counts[i][question]) / float64(pairs) }
		fmt.Fprintf(w, " %.0f %% (%.0f %%) |", percent(e.shown), percent(0))
	}
	w.WriteByte('\n')
}

// check logs how often something was found, with 95 % intervals, and checks the limits.
func (e *experiment) check(t *testing.T, counts [][]int, pairs int) {
	for i, runs := range e.runs {
		for k, q := range e.questions {
			x := counts[i][k]
			low, high := interval(x, pairs)
			t.Logf("%s, %d and %d runs: %s: %d of %d, %.1f to %.1f %%", e.name, runs[0], runs[1], q, x, pairs, 100*low, 100*high)
			if q.most > 0 && low > q.most {
				t.Errorf("%s, %d and %d runs: %s: %d of %d, want at most %g of them", e.name, runs[0], runs[1], q, x, pairs, q.most)
			}
			for _, want := range wanted {
				if e.name == want.name && q.gate == application+": "+want.gate && runs == [2]int{want.runs, want.runs} && float64(x) < want.share*float64(pairs) {
					t.Errorf("%s, %d and %d runs: %s: %d of %d, want at least %g of them", e.name, runs[0], runs[1], q, x, pairs, want.share)
				}
			}
		}
	}
}
