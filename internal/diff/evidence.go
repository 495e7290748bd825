package diff

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

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

// evidence is a short form of the document, for agents (docs/evidence.md). What is unknown or empty
// is left out. Lists have what became worse first, then what became better.
type evidence struct {
	Version      int               `json:"version"`
	Question     string            `json:"question"`
	Answer       string            `json:"answer"`
	Against      []string          `json:"against,omitempty"`
	Base         evidenceSide      `json:"base"`
	New          evidenceSide      `json:"new"`
	Test         documentTest      `json:"test"`
	FailOn       []documentOutcome `json:"fail_on,omitempty"`
	Processes    []*evidencePair   `json:"processes,omitempty"`
	Interactions []*evidencePart   `json:"interactions,omitempty"`
	Layers       []*evidencePart   `json:"layers,omitempty"`
	Summaries    []*evidencePart   `json:"summaries,omitempty"`
	OnlyInBase   []string          `json:"only_in_base,omitempty"`
	OnlyInNew    []string          `json:"only_in_new,omitempty"`
	Record       []brief.Record    `json:"record,omitempty"`
	LeftOut      brief.LeftOut     `json:"left_out,omitempty"`
}

type evidenceSide struct {
	Name        string   `json:"name"`
	Runs        int      `json:"runs"`
	Seconds     float64  `json:"seconds,omitempty"`
	AppVersions []string `json:"app_versions,omitempty"`
	Quality     string   `json:"quality,omitempty"`
}

// evidencePair is a process of both sides.
type evidencePair struct {
	Verdict Verdict `json:"verdict"`
	documentPair
	Unchanged []string         `json:"unchanged,omitempty"`
	Undecided string           `json:"undecided,omitempty"`
	Frames    []*evidenceFrame `json:"frames,omitempty"`
	Against   []string         `json:"against,omitempty"`
	Why       string           `json:"why,omitempty"`
	LeftOut   brief.LeftOut    `json:"left_out,omitempty"`
}

// evidencePart is the interactions, layers or summaries of a name.
type evidencePart struct {
	Name      string        `json:"name"`
	Counts    string        `json:"counts"`
	Verdict   Verdict       `json:"verdict"`
	Measures  []*Measure    `json:"measures,omitempty"`
	Unchanged []string      `json:"unchanged,omitempty"`
	Why       string        `json:"why,omitempty"`
	LeftOut   brief.LeftOut `json:"left_out,omitempty"`
}

// evidenceFrame is a frame that shows a cause.
type evidenceFrame struct {
	Title   string          `json:"title"`
	Input   string          `json:"input,omitempty"`
	Vsync   int64           `json:"vsync_id,omitempty"`
	Start   trace.Time      `json:"start_ns"`
	Overrun *trace.Duration `json:"late_ns,omitempty"`
	Cause   string          `json:"cause"`
	Why     string          `json:"why,omitempty"`
	Open    string          `json:"open,omitempty"`
}

// The lengths of lists before the document is fitted.
const (
	maxAnswers = brief.MaxAnswers
	maxFrames  = 2
)

func writeEvidence(w io.Writer, d *Diff, o WriteOptions) error {
	e := d.evidence(o)
	b, err := brief.Fit(e, e.cutters())
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

func (d *Diff) evidence(o WriteOptions) *evidence {
	e := &evidence{Version: 1, Question: "changes", Answer: brief.Sentence(d.verdict() + d.mainCause()), Base: d.Base.evidence(), New: d.New.evidence(), Test: d.documentTest()}
	for _, s := range slices.Concat(view.Skipped(o.Skipped), d.warnings(), []string{cmp.Or(d.notTested(), d.shortRuns())}) {
		if s != "" {
			e.Against = append(e.Against, brief.Sentence(s))
		}
	}
	for _, side := range []struct {
		name string
		of   *Side
	}{{"base", &d.Base}, {"new", &d.New}} {
		if q := side.of.Quality; q != nil && q.Verdict != stats.Good {
			e.Against = append(e.Against, brief.Sentence("data quality of "+side.name+": "+q.String()))
		}
	}
	e.Against = brief.First(&e.LeftOut, "against", e.Against, maxAnswers)
	for _, outcome := range d.Outcomes {
		e.FailOn = append(e.FailOn, documentOutcome{
			Condition: brief.Sentence(outcome.Condition), Measure: brief.Name(outcome.Measure), Missing: brief.Name(outcome.Process), Status: outcome.Status, Undecided: outcome.Undecided,
			Text: brief.Sentence(outcome.String()),
		})
	}
	order := []condition.Status{condition.Failed, condition.Unknown, condition.Passed}
	slices.SortStableFunc(e.FailOn, func(a, b documentOutcome) int {
		return cmp.Compare(slices.Index(order, a.Status), slices.Index(order, b.Status))
	})
	e.FailOn = brief.First(&e.LeftOut, "fail_on", e.FailOn, maxAnswers)
	for i, p := range brief.First(&e.LeftOut, "processes", d.ranked(), maxAnswers) {
		e.Processes = append(e.Processes, p.evidence(i == 0))
	}
	only := func(list []*stats.Process, of func(*Groups) []*Group) (names []string) {
		for _, p := range list {
			names = append(names, brief.Name(text.Process(p)))
		}
		for _, groups := range d.groups() {
			for _, p := range of(groups) {
				names = append(names, brief.Name(p.fullTitle()))
			}
		}
		return names
	}
	all := d.groups()
	for i, list := range []*[]*evidencePart{&e.Interactions, &e.Layers, &e.Summaries} {
		for _, p := range brief.First(&e.LeftOut, all[i].kind.nouns, all[i].worstFirst(), maxAnswers) {
			*list = append(*list, evidencePartOf(p))
		}
	}
	e.OnlyInBase = brief.First(&e.LeftOut, "only_in_base", only(d.OnlyBase, func(g *Groups) []*Group { return g.OnlyBase }), maxAnswers)
	e.OnlyInNew = brief.First(&e.LeftOut, "only_in_new", only(d.OnlyNew, func(g *Groups) []*Group { return g.OnlyNew }), maxAnswers)
	e.Record = d.record()
	return e
}

// ranked returns the pairs that are shown: those that became worse first, and of those with the same
// verdict, those whose lost time changed most.
func (d *Diff) ranked() []*Pair {
	list := d.worstFirst()
	change := func(p *Pair) float64 {
		if p.Causes == nil {
			return 0
		}
		return math.Abs(*p.Causes.Lost.Delta)
	}
	slices.SortStableFunc(list, func(a, b *Pair) int {
		return cmp.Or(cmp.Compare(a.verdict().rank(), b.verdict().rank()), cmp.Compare(change(b), change(a)))
	})
	return list
}

// mainCause says which cause changed most in the first process; empty if none did.
func (d *Diff) mainCause() string {
	pairs := d.ranked()
	if len(pairs) == 0 || pairs[0].Causes == nil {
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
				return fmt.Sprintf("; %s %s, %s %s", what, text.Printable(c.Title()), c.values(), unit)
			}
		}
	}
	return ""
}

// cutters returns the lists of the document, the least important first. The first process keeps what
// changed most.
func (e *evidence) cutters() (list []brief.Cutter) {
	list = append(list, brief.Shorten(&e.LeftOut, "summaries", &e.Summaries, 0), brief.Shorten(&e.LeftOut, "only_in_base", &e.OnlyInBase, 0), brief.Shorten(&e.LeftOut, "only_in_new", &e.OnlyInNew, 0))
	for _, parts := range [][]*evidencePart{e.Summaries, e.Layers, e.Interactions} {
		for _, p := range slices.Backward(parts) {
			list = append(list, brief.Shorten(&p.LeftOut, "measures", &p.Measures, 1))
		}
	}
	for i, p := range slices.Backward(e.Processes) {
		start, least := len(list), 0
		if i == 0 {
			least = 1
		}
		list = append(list, brief.Shorten(&p.LeftOut, "functions", &p.Functions, 0))
		if p.Causes != nil {
			list = append(list, brief.Shorten(&p.LeftOut, "time_per_frame", &p.Causes.Times, least), brief.Shorten(&p.LeftOut, "by_cause", &p.Causes.Causes, least))
		}
		list = append(list,
			brief.Shorten(&p.LeftOut, "frames", &p.Frames, least), brief.Shorten(&p.LeftOut, "against", &p.Against, 0), brief.Shorten(&p.LeftOut, "measures", &p.Measures, least))
		if i > 0 {
			for k := start; k < len(list); k++ {
				list[k] = list[k].Fewer(2)
			}
		}
	}
	return append(list,
		brief.Shorten(&e.LeftOut, "layers", &e.Layers, 0), brief.Shorten(&e.LeftOut, "interactions", &e.Interactions, 0), brief.Shorten(&e.LeftOut, "processes", &e.Processes, 1),
		brief.Shorten(&e.LeftOut, "fail_on", &e.FailOn, 1), brief.Shorten(&e.LeftOut, "against", &e.Against, 1))
}

func (s *Side) evidence() evidenceSide {
	j := evidenceSide{Name: brief.Name(s.Name), Runs: len(s.runNames())}
	if s.Runs == nil && s.Stats.Span != nil {
		j.Seconds = s.Stats.Span.Seconds
	}
	for _, version := range firstOf(s.versions()) {
		j.AppVersions = append(j.AppVersions, brief.Name(version))
	}
	if s.Quality != nil {
		j.Quality = string(s.Quality.Verdict)
	}
	return j
}

// evidence returns what changed in a process; with all, the measures that did not, too. Its lists have
// what changed significantly first.
func (p *Pair) evidence(all bool) *evidencePair {
	j := &evidencePair{Verdict: p.verdict(), documentPair: p.document(), Undecided: brief.Sentence(Undecided(p.tested)), Against: p.against()}
	for _, side := range []*documentProcess{&j.Base, &j.New} {
		side.Name = brief.Name(side.Name)
		if !p.RefreshDiffers {
			side.Refresh = nil
		}
		side.Refresh = side.Refresh[:min(len(side.Refresh), maxNamed)]
	}
	sorted, _ := p.sorted()
	leading := leading(sorted)
	if !all {
		leading, j.Unchanged = unchanged(leading)
	}
	j.Measures = brief.First(&j.LeftOut, "measures", leading, maxAnswers)
	if j.Causes != nil {
		round := func(list []documentCause, least float64) []documentCause {
			list = slices.DeleteFunc(list, func(c documentCause) bool { return math.Abs(*c.Delta) < least && !c.Verdict.Significant() })
			slices.SortStableFunc(list, func(a, b documentCause) int { return cmp.Compare(a.Verdict.rank(), b.Verdict.rank()) })
			for i := range list {
				list[i].shorten()
			}
			return list
		}
		j.Causes.Lost.shorten()
		j.Causes.Causes = brief.First(&j.LeftOut, "by_cause", round(j.Causes.Causes, leastShownLost), maxShown)
		j.Causes.Times = brief.First(&j.LeftOut, "time_per_frame", round(j.Causes.Times, leastShownFrame), maxShown)
	}
	if c := j.Causes; c != nil && *c.Lost.Base == 0 && *c.Lost.New == 0 && len(c.Times) == 0 {
		j.Causes = nil
	}
	j.Functions = nil
	for i := range p.Functions.List {
		if c := &p.Functions.List[i]; c.shown() {
			j.Functions = append(j.Functions, newDocumentFunctions(p.Functions.List[i:i+1])...)
		}
	}
	j.Functions = brief.First(&j.LeftOut, "functions", j.Functions, maxShown)
	for i := range j.Functions {
		f := &j.Functions[i]
		f.Function, f.Module = brief.Name(f.Function), shortName(f.Module)
		shortNumbers(&f.Base, &f.New, &f.Delta, &f.Low, &f.High, &f.P)
	}
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
				found = append(found, m.short())
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

// short returns a copy for the document.
func (m *Measure) short() *Measure {
	c := *m
	c.Field = ""
	shortNumbers(&c.Base, &c.New, &c.Delta, &c.Relative, &c.Low, &c.High, &c.P, &c.MinEffect, &c.Detectable)
	return &c
}

func (c *documentCause) shorten() {
	if c.Cause != nil {
		title := brief.Sentence(*c.Cause)
		c.Cause = &title
	}
	c.Slice = shortName(c.Slice)
	shortNumbers(&c.Base, &c.New, &c.Delta, &c.Low, &c.High, &c.P)
}

func shortName(s *string) *string {
	if s == nil {
		return nil
	}
	short := brief.Name(*s)
	return &short
}

// shortNumbers rounds numbers to digits that mean something. It changes the pointers, not what
// they point to.
func shortNumbers(list ...**float64) {
	for _, x := range list {
		if *x == nil {
			continue
		}
		short, err := strconv.ParseFloat(strconv.FormatFloat(**x, 'g', 5, 64), 64)
		if err == nil {
			*x = &short
		}
	}
}

// against returns what speaks against the verdict on a process, or limits it.
func (p *Pair) against() (list []string) {
	add := func(format string, args ...any) { list = append(list, brief.Sentence(fmt.Sprintf(format, args...))) }
	if p.RefreshDiffers {
		add("%s", p.refreshNote())
	}
	if p.causesDiffer {
		add("%s", causesDifferNote)
	}
	if p.Functions.Unsampled != "" {
		add("%s", p.unsampledNote())
	}
	if note := p.untestedNote(); note != "" && p.diff.enoughUnits() {
		add("%s", note)
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
		e := c.Of(x.Worst)
		if known, ok := list[key]; e == nil || ok && known.lost >= x.Lost {
			continue
		}
		f := evidenceFrame{
			Vsync: x.Worst.VsyncID, Start: x.Worst.Actual.Start, Cause: brief.Sentence(causetext.Sentence(c, e)),
			Why: brief.Command(commands.WhyFrame(x.Worst, brief.Flag)), Open: brief.Command(commands.OpenFrame(x.Worst)),
		}
		if j := x.Worst.Judgement(); j.OverrunKnown {
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
		key := cause{c.Wait, c.Stage, c.Slice}
		i := most(func(k *Costs) float64 { return k.perSecond(k.causes[key]) })
		if *c.Delta*grew < leastShownLost || i < 0 || len(frames) == maxFrames {
			continue
		}
		if e, ok := runs[i].examples[key]; ok {
			f := e.frame
			f.Title, f.Input = brief.Sentence(c.Title()), brief.Name(side.runNames()[i])
			frames = append(frames, &f)
		}
	}
	if i := most(func(k *Costs) float64 { return k.perSecond(k.lost) }); i >= 0 {
		command = runs[i].why
	}
	return frames, command
}

// evidencePart returns what changed in interactions, layers or summaries, and the command that
// explains the worst of new.
func evidencePartOf(p *Group) *evidencePart {
	list := slices.DeleteFunc(slices.Clone(p.Measures), func(m *Measure) bool { return m.Base == nil && m.New == nil })
	j := &evidencePart{Name: brief.Name(p.fullTitle()), Counts: p.counts(), Verdict: worst(p.Measures)}
	measures, names := unchanged(leading(list))
	j.Measures, j.Unchanged = brief.First(&j.LeftOut, "measures", measures, maxAnswers), names
	if len(j.Measures) > 0 {
		j.Why = brief.Command(p.why(j.Measures[0]))
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
func worstElement[T any](d *Diff, m *Measure, runs [][]*T) (found *T, in *locate.Commands) {
	of := func(x *T) *float64 { return m.definition.Value(x) }
	for run, list := range runs {
		for _, x := range list {
			if found == nil || m.worse(of(x), of(found)) {
				found, in = x, d.New.commandsOf(run)
			}
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
		if d.unit() != "run" {
			return ""
		}
		return brief.Command(locate.Record(app, fmt.Sprintf("--runs %d", units+1))) // the first one is cold
	}
	if d.notTested() != "" {
		return []brief.Record{{Missing: "how " + d.unit() + "s differ: record five or more of each side", Command: again(advisedRuns)}}
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
		list = append(list, brief.Record{Missing: fmt.Sprintf("whether changes are more than chance: %s of each side would decide", text.Count(units, d.unit())), Command: again(units)})
	}
	return list
}

// advisedRuns is how many runs of each side are advised.
const advisedRuns = 5
