package diff

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/brief"
	"ohframe/internal/causetext"
	"ohframe/internal/condition"
	"ohframe/internal/locate"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// evidence is a short form of the document, for agents (docs/why.md, testdata/api/diff-evidence.md). What is unknown
// or empty is left out. Lists have what became worse first, then what became better.
type evidence struct {
	Version  int    `json:"version"`                 // 1; it grows when a field disappears or changes its meaning
	Question string `json:"question"`                // "changes"
	Answer   string `json:"answer" brief:"sentence"` // the headline of the text, and the cause that changed most in the first process
	// the sentences below it: what else changed, and how the displays differ
	Sentences []string `json:"sentences,omitempty" brief:"sentence"`
	// why nothing is tested, short runs, recordings that differ, skipped inputs, data quality
	Against      []string          `json:"against" brief:"sentence,least=1"`
	Base         evidenceSide      `json:"base"` // the sides
	New          evidenceSide      `json:"new"`
	Test         documentTest      `json:"test"`                              // how changes were tested
	Result       condition.Status  `json:"result"`                            // "failed", "unknown" or "passed"; absent without conditions
	FailOn       []documentOutcome `json:"fail_on" brief:"least=1"`           // conditions, those that failed first
	Processes    []*evidencePair   `json:"processes" brief:"least=1,fewer=2"` // processes of both sides
	Interactions []*evidencePart   `json:"interactions"`                      // those of one scene, page and process together
	Layers       []*evidencePart   `json:"layers"`                            // those of one name and producer together
	Own          []*evidencePart   `json:"own_measures,omitempty"`            // measures of "--measure", by name
	OnlyInBase   []string          `json:"only_in_base"`                      // names of processes, interactions and layers on one side only
	OnlyInNew    []string          `json:"only_in_new"`
	Record       []brief.Record    `json:"record" brief:"least=1"` // what to record in order to know more, as of causes
}

type evidenceSide struct {
	Name        string   `json:"name"`             // what the input was called, usually a file name
	Runs        int      `json:"runs"`             // number of runs
	Seconds     float64  `json:"seconds,omitzero"` // length of one run
	AppVersions []string `json:"app_versions"`     // recorded applications with their versions
	Quality     string   `json:"quality"`          // verdict of the data quality
}

// evidencePair is a process of both sides.
type evidencePair struct {
	Verdict Verdict `json:"verdict"` // that of its measures; absent if none was tested
	documentPair
	// after the first process, names of measures that were tested without a significant change
	Unchanged []string `json:"unchanged"`
	// how many runs would decide about changes that may be chance, and which changes these runs find
	Undecided string `json:"undecided" brief:"sentence"`
	// late frames that show the causes that grew most, of the run of new that lost the most to them; if no cause grew, of the run of base
	Frames  []*evidenceFrame `json:"frames"`
	Against []string         `json:"against" brief:"sentence"` // what is not tested or compared
	Why     string           `json:"why" brief:"command"`      // the command that explains the process in the run that lost the most
}

// evidencePart is the interactions or layers of a name.
type evidencePart struct {
	Name      string     `json:"name"`                     // its name
	Counts    string     `json:"counts"`                   // numbers on both sides
	Verdict   Verdict    `json:"verdict"`                  // that of its measures; absent if none was tested
	Measures  []*Measure `json:"measures" brief:"least=1"` // those that were tested; if none was, the main ones that changed
	Unchanged []string   `json:"unchanged"`                // names of measures that were tested without a significant change
	Why       string     `json:"why" brief:"command"`      // the command that explains the worst of new in the first measure
}

// evidenceFrame is a frame that shows a cause.
type evidenceFrame struct {
	Title   string          `json:"title" brief:"sentence"` // title of the cause
	Input   string          `json:"input"`                  // its run
	Vsync   int64           `json:"vsync_id,omitzero"`      // its vsync
	Start   trace.Time      `json:"start_ns"`               // when it begins
	Overrun *trace.Duration `json:"late_ns"`                // by how much it overran its deadline
	Cause   string          `json:"cause" brief:"sentence"` // why it was late, in a sentence
	Why     string          `json:"why" brief:"command"`    // the commands that explain it and show it in Perfetto
	Open    string          `json:"open" brief:"command"`
}

const maxFrames = 2 // of a process

func writeEvidence(w io.Writer, d *Diff, o WriteOptions) error { return brief.Write(w, d.evidence(o)) }

func (d *Diff) evidence(o WriteOptions) *evidence {
	answer := d.answer()
	gate := d.gateOf(o)
	e := &evidence{Version: 1, Question: "changes", Answer: answer.Summary + d.mainCause(), Sentences: answer.Sentences, Base: d.Base.evidence(), New: d.New.evidence(), Test: d.documentTest(), Result: gate.Status()}
	for _, s := range slices.Concat(view.Skipped(o.Skipped), d.warnings(), []string{cmp.Or(d.notTested(), d.shortRuns())}) {
		if s != "" {
			e.Against = append(e.Against, s)
		}
	}
	if d.rulesDiffer() {
		e.Against = append(e.Against, rulesNote)
	}
	for _, side := range []struct {
		name string
		of   *Side
	}{{"base", &d.Base}, {"new", &d.New}} {
		if q := side.of.Quality; q != nil && q.Verdict != stats.Good {
			e.Against = append(e.Against, "data quality of "+side.name+": "+q.String())
		}
	}
	for _, outcome := range d.Outcomes {
		e.FailOn = append(e.FailOn, documentOutcome{
			Condition: outcome.Condition, Measure: outcome.Measure, Missing: outcome.Process, Status: outcome.Status, Undecided: outcome.Undecided,
			Text: outcome.String(),
		})
	}
	order := []condition.Status{condition.Failed, condition.Unknown, condition.Passed}
	slices.SortStableFunc(e.FailOn, func(a, b documentOutcome) int {
		return cmp.Compare(slices.Index(order, a.Status), slices.Index(order, b.Status))
	})
	for i, p := range d.ranked() {
		e.Processes = append(e.Processes, p.evidence(i == 0))
	}
	only := func(list []*stats.Process, of func(*Groups) []*Group) (names []string) {
		for _, p := range list {
			names = append(names, text.Process(p))
		}
		for _, groups := range d.groups() {
			for _, p := range of(groups) {
				names = append(names, p.fullTitle())
			}
		}
		return names
	}
	all := d.groups()
	for i, list := range []*[]*evidencePart{&e.Interactions, &e.Layers, &e.Own} {
		for _, p := range all[i].worstFirst() {
			*list = append(*list, evidencePartOf(p))
		}
	}
	e.OnlyInBase = only(d.OnlyBase, func(g *Groups) []*Group { return g.OnlyBase })
	e.OnlyInNew = only(d.OnlyNew, func(g *Groups) []*Group { return g.OnlyNew })
	e.Record = d.record()
	return e
}

// mainCause says which cause changed most in the first process; empty if none did.
func (d *Diff) mainCause() string {
	pairs := d.ranked()
	if len(pairs) == 0 || pairs[0].Causes == nil || pairs[0].RulesDiffer {
		return ""
	}
	p := pairs[0]
	what := "in " + p.title() + " mostly"
	switch p.verdict() {
	case Unclear:
		return ""
	case NotTested:
		what = "the largest change of " + p.title() + ", which may be chance, is"
	}
	for i, list := range [][]CauseChange{p.Causes.Causes, p.Causes.Times} {
		unit, least := "ms/s of lost time", leastShownLost
		if i > 0 {
			unit, least = "ms of a frame", leastShownFrame
		}
		for _, c := range list {
			if c.Verdict == p.verdict() && math.Abs(*c.Delta) >= least {
				return fmt.Sprintf("; %s %s, %s %s", what, text.Printable(string(c.Title)), c.Measure.values(), unit)
			}
		}
	}
	return ""
}

func (s *Side) evidence() evidenceSide {
	j := evidenceSide{Name: s.Name, Runs: len(s.all())}
	if s.runs == nil && s.Stats.Span != nil {
		j.Seconds = s.Stats.Span.Seconds
	}
	j.AppVersions = firstOf(s.versions())
	if s.Quality != nil {
		j.Quality = string(s.Quality.Verdict)
	}
	return j
}

// evidence returns what changed in a process; with all, the measures that did not, too. Its lists have
// what changed significantly first.
func (p *Pair) evidence(all bool) *evidencePair {
	j := &evidencePair{Verdict: p.verdict(), documentPair: p.document(), Undecided: undecided(p.tested), Against: p.against()}
	for _, side := range []*documentProcess{&j.Base, &j.New} {
		if !p.RefreshDiffers {
			side.Refresh = nil
		}
	}
	sorted, _ := p.sorted()
	leading := leading(sorted)
	if !all {
		leading, j.Unchanged = unchanged(leading)
	}
	j.Measures = leading
	if c := p.Causes; c != nil {
		large := func(list []CauseChange, least float64) []CauseChange {
			list = slices.DeleteFunc(slices.Clone(list), func(c CauseChange) bool { return math.Abs(*c.Delta) < least && !c.Verdict.significant() })
			slices.SortStableFunc(list, func(a, b CauseChange) int { return cmp.Compare(a.Verdict.rank(), b.Verdict.rank()) })
			return list
		}
		j.Causes = &CauseChanges{Lost: c.Lost, Causes: large(c.Causes, leastShownLost), Times: large(c.Times, leastShownFrame)}
		if (c.Lost.Delta == nil || *c.Lost.Base == 0 && *c.Lost.New == 0) && len(j.Causes.Times) == 0 {
			j.Causes = nil
		}
	}
	j.Functions = slices.DeleteFunc(j.Functions, func(c functionChange) bool { return !c.shown() })
	if p.verdict() != Unclear || j.Undecided != "" {
		j.Frames, j.Why = p.examples()
	}
	return j
}

// leading returns the measures that are tested; if none is, the main ones that changed. Those that
// changed significantly come first, the worse before the better.
func leading(list []*Measure) []*Measure {
	of := func(keep func(*Measure) bool) (found []*Measure) {
		for _, m := range list {
			if keep(m) {
				found = append(found, m)
			}
		}
		slices.SortStableFunc(found, func(a, b *Measure) int { return cmp.Compare(a.Verdict.rank(), b.Verdict.rank()) })
		return found
	}
	if tested := of(func(m *Measure) bool { return m.P != nil }); len(tested) > 0 {
		return tested
	}
	return of(func(m *Measure) bool {
		return m.Delta != nil && !m.equal() && (m.definition.Main || len(list) <= maxChanged)
	})
}

// unchanged separates the measures that were tested and did not change: those that are neither significant nor
// undecided. It returns the others, and the names of these.
func unchanged(list []*Measure) (others []*Measure, names []string) {
	for _, m := range list {
		if m.Verdict == Unclear && !m.undecided() {
			names = append(names, m.Name)
		} else {
			others = append(others, m)
		}
	}
	return others, names
}

// against returns what speaks against the verdict on a process, or limits it.
func (p *Pair) against() (list []string) {
	add := func(note string) { list = append(list, note) }
	if p.RefreshDiffers {
		add(p.refreshNote())
	}
	if p.causesDiffer {
		add(causesDifferNote)
	}
	if p.Functions.Unsampled != "" {
		add(p.unsampledNote())
	}
	if note := p.untestedNote(); note != "" && p.diff.enoughUnits() {
		add(note)
	}
	return list
}

// example is a late frame of a run that shows a cause.
type example struct {
	frame evidenceFrame
	lost  trace.Duration // by the cause, in all frames of the run
}

// newExamples returns the worst frame of each cause of a run.
func newExamples(r *why.Ranking, c *why.Causes, commands *locate.Commands) map[cause]example {
	list := map[cause]example{}
	for _, x := range r.Costs {
		key := cause{wait: x.Wait, slice: x.Slice}
		e := x.Worst
		if known, ok := list[key]; ok && known.lost >= x.Lost {
			continue
		}
		f := evidenceFrame{
			Vsync: e.Frame.VsyncID, Start: e.Frame.Actual.Start, Cause: causetext.Sentence(c, e),
			Why: commands.WhyFrame(e.Frame, brief.Flag), Open: commands.OpenFrame(e.Frame),
		}
		if j := e.Frame.Judgement(); j.OverrunKnown {
			f.Overrun = &j.Overrun
		}
		list[key] = example{f, x.Lost}
	}
	return list
}

// examples returns frames that show the causes that grew most, in the run of new that lost the most
// to them, and the command that explains the process in the run that lost the most. If no cause grew,
// they are those of base for what it no longer loses.
func (p *Pair) examples() (frames []*evidenceFrame, command string) {
	if p.Causes == nil {
		return nil, ""
	}
	side, grew := &p.diff.New, 1.0
	if !slices.ContainsFunc(p.Causes.Causes, func(c CauseChange) bool { return *c.Delta > 0 }) {
		side, grew = &p.diff.Base, -1
	}
	runs := costsOf(*side, p.new)
	if grew < 0 {
		runs = costsOf(*side, p.base)
	}
	most := func(of func(*Costs) float64) int {
		at := -1
		for i, k := range runs {
			if k != nil && of(k) > 0 && (at < 0 || of(k) > of(runs[at])) {
				at = i
			}
		}
		return at
	}
	for _, c := range p.Causes.Causes {
		i := most(func(k *Costs) float64 { return k.perSecond(k.causes[c.cause]) })
		if *c.Delta*grew < leastShownLost || i < 0 || len(frames) == maxFrames {
			continue
		}
		if e, ok := runs[i].examples[c.cause]; ok {
			f := e.frame
			f.Title, f.Input = string(c.Title), side.all()[i].Name
			frames = append(frames, &f)
		}
	}
	if i := most(func(k *Costs) float64 { return k.perSecond(k.lost) }); i >= 0 {
		command = runs[i].why
	}
	return frames, command
}

// evidencePartOf returns what changed in interactions or layers, and the command that
// explains the worst of new.
func evidencePartOf(p *Group) *evidencePart {
	list := slices.DeleteFunc(slices.Clone(p.Measures), func(m *Measure) bool { return m.Base == nil && m.New == nil })
	j := &evidencePart{Name: p.fullTitle(), Counts: p.counts(), Verdict: worst(p.Measures)}
	measures, names := unchanged(leading(list))
	j.Measures, j.Unchanged = measures, names
	if len(j.Measures) > 0 {
		j.Why = p.why(j.Measures[0])
	}
	return j
}

// worse returns whether a value of a measure is worse than another; unknown values are best.
func (m *Measure) worse(a, b *float64) bool {
	switch {
	case a == nil || b == nil:
		return a != nil
	case m.Better == stats.Higher:
		return *a < *b
	}
	return *a > *b
}

// worstElement returns the element of the new runs with the worst value of a measure, and the commands about the file of
// its run; nil without any.
func worstElement[T any](d *Diff, m *Measure, items []itemOf[T]) (found *T, in *locate.Commands) {
	of := func(x *T) *float64 { return m.definition.Value(x) }
	for _, x := range items {
		if found == nil || m.worse(of(x.item), of(found)) {
			found, in = x.item, d.New.all()[x.run].Commands
		}
	}
	return found, in
}

// record returns what to record in order to know more.
func (d *Diff) record() (list []brief.Record) {
	app := ""
	for _, p := range d.ranked() {
		if p.New.Kind == stats.Application {
			app = p.New.Name
			break
		}
	}
	again := func(units int) string {
		if d.unit != runUnit {
			return ""
		}
		return locate.Record(app, fmt.Sprintf("--runs %d", units+1)) // the first one is cold
	}
	if d.notTested() != "" {
		return []brief.Record{{Missing: "how " + d.unit + "s differ: record five or more of each side", Command: again(advisedRuns)}}
	}
	units := 0
	for _, p := range d.Pairs {
		for _, m := range p.tested {
			if m.undecided() {
				units = max(units, *m.UnitsNeeded)
			}
		}
	}
	if units > 0 {
		list = append(list, brief.Record{Missing: fmt.Sprintf("whether changes are more than chance: %s of each side would decide", text.Count(units, d.unit)), Command: again(units)})
	}
	return list
}

// advisedRuns is how many runs of each side are advised.
const advisedRuns = 5
