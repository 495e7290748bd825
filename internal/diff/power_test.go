package diff

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/testing/slow"
)

// An experiment records pairs of sides and compares each with several numbers of runs.
type experiment struct {
	name      string
	base, new load // new is base if it is the zero value: then nothing has changed
	order     order
	runs      [][2]int // on each side
	questions []question
	reduced   bool // a part of the reduced test
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
	// gate has conditions, of which one or more fail. If it is empty, measure is that of the table that is
	// significantly worse, or any measure of any process is significant if that is empty, too.
	gate    string
	measure string
	process string // --process
	// most is the limit of the share of pairs in which something is found if nothing changed. 0 is no limit.
	most float64
}

func (q question) String() string {
	s := "table: any change"
	switch {
	case q.gate != "":
		s = strings.ReplaceAll(q.gate, "\n", ", ")
	case q.measure != "":
		s = "table: " + q.measure
	}
	if q.process != "" {
		s += " --process " + q.process
	}
	return s
}

// record records a pair with so many runs on each side.
func (e *experiment) record(pair uint64, runs [2]int) (sides [2][]Side) {
	loads := [2]load{e.base, e.new}
	if e.new == (load{}) {
		loads[1] = e.base
	}
	r := rand.New(rand.NewPCG(pair, 1))
	session := e.base.sessions.draw(r)
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
			session = e.base.sessions.draw(r)
		}
		now := session
		if e.order == interleaved {
			along := float64(i) / float64(max(1, all-1))
			now = now.times(level{1 + (drift.jank-1)*along, 1 + (drift.durations-1)*along})
		}
		sides[side] = append(sides[side], loads[side].side(pair<<16|uint64(side)<<8|uint64(n), now))
	}
	return sides
}

// ask compares a pair and returns the answer to each question.
func (e *experiment) ask(sides [2][]Side) ([]bool, error) {
	found := make([]bool, len(e.questions))
	tables := map[string]*Diff{} // by --process
	compare := func(q question) (err error) {
		o := Options{}
		if q.process != "" {
			o.Process = func(p *analyzer.Process) bool { return p.Name == q.process }
		}
		if q.gate != "" {
			if o.FailOn, err = condition.ParseFile(strings.NewReader(q.gate), "budgets", condition.OfChanges); err != nil {
				return err
			}
		}
		tables[q.process], err = Compare(Join("base", sides[0]), Join("new", sides[1]), o)
		return err
	}
	for i, q := range slices.Backward(e.questions) { // gates first: the table does not depend on them
		if q.gate != "" || tables[q.process] == nil {
			if err := compare(q); err != nil {
				return nil, err
			}
		}
		found[i] = q.found(tables[q.process])
	}
	return found, nil
}

// found returns the answer.
func (q question) found(d *Diff) bool {
	if q.gate != "" {
		return slices.ContainsFunc(d.Outcomes, func(o Outcome) bool { return o.Status == condition.Failed })
	}
	for _, p := range d.Pairs {
		for _, m := range p.Measures() {
			if q.measure == "" && m.Verdict.Significant() || p.Base.Name == application && m.Name == q.measure && m.Verdict == Worse {
				return true
			}
		}
	}
	return false
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
	var mutex sync.Mutex
	var group sync.WaitGroup
	var failed error
	next := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for pair := range next {
				sides := e.record(pair, most)
				for i, runs := range e.runs {
					found, err := e.ask([2][]Side{sides[0][:runs[0]], sides[1][:runs[1]]})
					mutex.Lock()
					failed = cmp.Or(failed, err)
					for k, yes := range found {
						if yes {
							counts[i][k]++
						}
					}
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
	return counts, failed
}

// interval returns the 95 % interval of a share of which x of n are known (Wilson, 1927).
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
	same("jank differs by 30 %", usual.varying(.3, 0), 3, 4, 5, 7, 10)
	same("jank differs by 30 %, durations by 5 %", usual.varying(.3, .05), 2, 3, 4, 5, 7, 10)
	alarms[len(alarms)-1].reduced = true
	same("jank differs by 60 %", usual.varying(.6, 0), 2, 3, 4, 5, 7, 10)
	same("0.8 % late, differs by 30 %", usual.late(.008).varying(.3, 0), 3, 5, 10)
	same("3 % late, differs by 30 %", usual.late(.03).varying(.3, 0), 3, 5)
	same("6 % late, differs by 30 %", usual.late(.06).varying(.3, 0), 3, 4, 5)
	same("7.5 % late, differs by 30 %, durations by 5 %", usual.late(.075).varying(.3, .05), 3, 5)
	short := usual.varying(.3, .05)
	short.hertz, short.seconds = 60, 3
	same("60 Hz, 3 s, jank differs by 30 %, durations by 5 %", short, 3, 5)

	slightly := usual.varying(.2, .03)
	for _, n := range []int{3, 5, 10} {
		alarms = append(alarms, experiment{name: "interleaved, sessions differ by 20 % and 5 %, and drift", base: slightly.onDays(.2, .05), order: interleaved, runs: both(n), questions: questions})
	}
	unprotected := slices.Clone(questions)
	for i := range unprotected {
		unprotected[i].most = 0
	}
	alarms = append(alarms,
		experiment{name: "stored base, sessions differ by 10 % and 3 %", base: slightly.onDays(.1, .03), order: stored, runs: both(5, 10), questions: unprotected},
		experiment{name: "stored base, sessions differ by 20 % and 5 %", base: slightly.onDays(.2, .05), order: stored, runs: both(5, 10), questions: unprotected},
	)

	change := func(name, measure string, base, new load, gates ...string) {
		e := experiment{name: name, base: base, new: new, runs: both(3, 5, 10)}
		e.questions = append(e.questions, question{measure: measure})
		for _, gate := range gates {
			e.questions = append(e.questions, question{gate: gate, process: application})
		}
		e.questions = append(e.questions, question{gate: gates[0]})
		power = append(power, e)
	}
	jank := []string{"jank_rate>+0pp", "jank_rate>+1pp", "jank_rate>+2pp"}
	for _, sd := range []float64{0, .3} {
		name := map[float64]string{0: "runs alike", .3: "jank differs by 30 %"}[sd]
		l := usual.varying(sd, 0)
		change("1.5 → 4.5 % late, "+name, "jank_rate", l, l.late(.045), jank...)
		change("6 → 9 % late, "+name, "jank_rate", l.late(.06), l.late(.09), jank...)
	}
	p95 := []string{"p95_ms>+0%", "p95_ms>+5%", "p90_ms>+0%"}
	slower, tail, longer := usual, usual, usual
	slower.factor, tail.tail, longer.longer = 1.1, 1.1, 2*trace.Millisecond
	change("all durations +10 %, runs alike", "p95_ms", usual, slower, p95...)
	change("all durations +10 %, durations differ by 5 %", "p95_ms", usual.varying(0, .05), slower.varying(0, .05), p95...)
	change("longest fifth +10 %, runs alike", "p95_ms", usual, tail, p95...)
	change("longest fifth +2 ms, runs alike", "p95_ms", usual, longer, p95...)
	change("FPS 117 → 115, runs alike", "fps", usual.late(.0225), usual.late(.0385), "fps<-0%", "fps<-1%")
	change("hitch ratio +2 ms/s, runs alike", "hitch_ratio", usual.late(.005), usual.late(.007), "hitch_ratio>+0")
	return alarms, power
}

// wanted are the least shares of changes that are found, by experiment, numbers of runs and gate.
var wanted = []struct {
	name, gate string
	runs       int
	share      float64
}{
	{"6 → 9 % late, runs alike", "jank_rate>+0pp", 5, .85},
	{"6 → 9 % late, jank differs by 30 %", "jank_rate>+0pp", 5, .45},
	{"1.5 → 4.5 % late, runs alike", "jank_rate>+0pp", 3, .55},
	{"1.5 → 4.5 % late, jank differs by 30 %", "jank_rate>+0pp", 3, .55},
	{"all durations +10 %, runs alike", "p95_ms>+0%", 5, .6},
	{"longest fifth +10 %, runs alike", "p95_ms>+0%", 5, .6},
}

// TestPower measures how often something is found where nothing changed, and where something did.
// "make diff-power" runs it in full and prints the tables of docs/diff.md. The reduced test has few pairs and
// wider limits. The seeds are fixed.
func TestPower(t *testing.T) {
	pairs, full := 60, os.Getenv("OHFRAME_POWER") != ""
	if full {
		pairs = 400
	} else {
		slow.Skip(t)
	}
	alarms, power := experiments()
	for i, list := range [][]experiment{alarms, power} {
		var table strings.Builder
		fmt.Fprintf(&table, "\n%s, of %d pairs\n\n", [...]string{"False alarms", "Changes found"}[i], pairs)
		for _, e := range list {
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
			e.write(&table, counts, pairs)
		}
		if full {
			fmt.Println(table.String())
		}
	}
}

// write writes a row for each question.
func (e *experiment) write(w *strings.Builder, counts [][]int, pairs int) {
	for k, q := range e.questions {
		fmt.Fprintf(w, "| %s | %s |", e.name, q)
		for i, runs := range e.runs {
			low, high := interval(counts[i][k], pairs)
			fmt.Fprintf(w, " %d+%d: %d = %.1f %% (%.1f–%.1f) |", runs[0], runs[1], counts[i][k], 100*float64(counts[i][k])/float64(pairs), 100*low, 100*high)
		}
		w.WriteByte('\n')
	}
}

// check checks the limits of the questions.
func (e *experiment) check(t *testing.T, counts [][]int, pairs int) {
	for i, runs := range e.runs {
		for k, q := range e.questions {
			x := counts[i][k]
			if low, _ := interval(x, pairs); q.most > 0 && low > q.most {
				t.Errorf("%s, %d and %d runs: %s: %d of %d, want at most %g of them", e.name, runs[0], runs[1], q, x, pairs, q.most)
			}
			for _, want := range wanted {
				if e.name == want.name && q.gate == want.gate && runs == [2]int{want.runs, want.runs} && q.process != "" && float64(x) < want.share*float64(pairs) {
					t.Errorf("%s, %d and %d runs: %s: %d of %d, want at least %g of them", e.name, runs[0], runs[1], q, x, pairs, want.share)
				}
			}
		}
	}
}
