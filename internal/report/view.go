package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/locate"
	"ohframe/internal/quality"
	"ohframe/internal/rating"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// What a terminal shows without Options.Verbose, and a page at most.
const (
	defaultRows     = 20 // processes in the overview
	defaultSections = 3  // processes with a section
	briefWorst      = 3  // worst frames of a process
	briefCauses     = 3  // causes of a process
	nameWidth       = 19 // of a process in the overview
)

// builder builds the document.
type builder struct {
	Options
	page bool
	// full shows everything about a process.
	full    bool
	several bool // inputs
	shared  pageData
	// For the input whose sections are built: its frames, and the number of the process of its
	// render service on the page, or -1.
	frames  stats.Frames
	moments stats.Moments
	timed   func(*analyzer.Frame) bool // of locate.Timed
	service int
	ids     int // processes with a section
	drawn   int // late frames with lanes on the page

	pictured int // interactions with a picture
	// layersPictured are the layers with one.
	layersPictured int
	graded         [3]bool // by limitNames: the limit is explained
	limited        bool    // grades are explained
	hitched        bool    // the limits of flings are explained
}

func newDocument(inputs []Input, o Options, page bool) *view.Document {
	b := &builder{Options: o, page: page, several: len(inputs) > 1, shared: newPageData()}
	d := &view.Document{
		Kind: "Frame report", Title: text.Count(len(inputs), "input") + " – frame report", Terms: pageTerms(inputs),
		Warnings: view.Skipped(o.Skipped), Gate: view.GateReport{Gate: o.Gate},
	}
	if len(inputs) == 1 {
		d.Title = text.Base(inputs[0].Name) + " – frame report"
	}
	var sections []view.Block
	var worst *process
	var all []causes.Input
	hidden, hint := 0, false
	for i := range inputs {
		in := &inputs[i]
		if in.Pool == nil && o.Interactions {
			d.Blocks = append(d.Blocks, b.interactionsOnly(in))
			continue
		}
		if in.Pool == nil && o.Layers {
			d.Blocks = append(d.Blocks, b.layersOnly(in))
			continue
		}
		if b.several {
			in.id = fmt.Sprintf("input-%d-", i)
		}
		list := b.processes(in)
		if in.Pool != nil {
			d.Say(pooledSummary(list))
			d.Blocks = append(d.Blocks, b.pooled(in, list)...)
			return d
		}
		if !rating.Doubtful(in.Quality) {
			all = append(all, causesOf(in, list))
		}
		shown := b.sections(list)
		names := map[string]int{}
		for _, p := range shown {
			p.id, p.pick = fmt.Sprintf("process-%d", b.ids), text.Process(p.Process)
			b.ids++
			names[p.pick]++
		}
		for _, p := range shown {
			if names[p.pick] > 1 {
				p.pick += fmt.Sprintf(" (%s)", pidText(p.PID))
			}
		}
		if len(list) > 0 && (worst == nil || before(list[0], worst) < 0) {
			worst = list[0]
		}
		d.Blocks = append(d.Blocks, b.overview(in, list)...)
		b.full = page || o.Verbose || len(list) == 1
		if page {
			b.frames, b.moments, b.timed = stats.NewFrames(in.Timeline), stats.NewMoments(in.Timeline), locate.Timed(in.Timeline)
		}
		if b.service = slices.IndexFunc(shown, func(p *process) bool { return p.Kind == stats.RenderService }); b.service >= 0 {
			b.service += b.ids - len(shown)
		}
		for _, p := range shown {
			sections = append(sections, b.section(in, p))
		}
		if !b.full && len(list) > 0 {
			hidden, hint = hidden+len(list)-len(shown), true
		}
	}
	d.Add(summaryOf(all, inputs))
	if worst != nil {
		for i := range sections {
			s := sections[i].(view.Section)
			s.First = s.ID == worst.id
			sections[i] = s
		}
	}
	d.Blocks = append(d.Blocks, sections...)
	if hint {
		line := "--all shows everything about each process"
		if hidden > 0 {
			line = fmt.Sprintf("--all shows %d more, and everything about each process", hidden)
		}
		d.Blocks = append(d.Blocks, view.Note{Text: line, Level: view.Soft})
	}
	d.Shared = b.shared
	return d
}

// process is a process of an input.
type process struct {
	*stats.Process
	causes *causes.ExplainedProcess // nil if unknown
	id     string                   // of its section, empty without one
	pick   string                   // its name in the list of sections
}

// causesOf returns the causes of processes for a summary, and of what render_service did to their pictures
// if it is not one of them.
func causesOf(in *Input, list []*process) causes.Input {
	c := causes.Input{Name: in.Name, Causes: in.Causes}
	service := false
	for _, p := range list {
		service = service || p.Kind == stats.RenderService
		c.Processes = append(c.Processes, cmp.Or(p.causes, causes.Unexplained(p.Process)))
	}
	if !service && in.Causes != nil {
		c.Processes = append(c.Processes, causes.Pictures(in.Timeline, in.Causes, func(x *analyzer.Process) bool {
			return slices.ContainsFunc(list, func(p *process) bool { return p.Source == x })
		})...)
	}
	return c
}

// summaryOf returns what a report says first: which inputs are unreliable, and what the others
// show. The causes are those of the others.
func summaryOf(list []causes.Input, inputs []Input) (a text.Answer) {
	var qualities []*quality.Quality
	var interactions [][]*stats.Interaction
	var reliable []Input
	for _, in := range inputs {
		qualities = append(qualities, in.Quality)
		if !rating.Doubtful(in.Quality) {
			interactions = append(interactions, in.Stats.Interactions)
			reliable = append(reliable, in)
		}
	}
	a.Say(rating.Doubt(qualities))
	said, lost := headline(list, reliable)
	a.Add(rating.Headline(hangsSummary(reliable, lost, interactions), said, interactions...))
	return a
}

// headline says of the process and of the layer that lost the most time how many frames and
// intervals were late, first of what lost more. Without frames of ArkUI, the layers are what the
// user saw. lost is what the frames of the process lost.
func headline(list []causes.Input, inputs []Input) (a text.Answer, lost trace.Duration) {
	applications := slices.ContainsFunc(list, func(in causes.Input) bool {
		return slices.ContainsFunc(in.Processes, func(p *causes.ExplainedProcess) bool {
			return p.Kind == stats.Application && p.Frames.Complete > p.Frames.Framework
		})
	})
	var worst *causes.Subject
	var frames text.Answer
	for i := range list {
		if first, said, _ := causes.Summary(&list[i]); first != nil && (worst == nil || first.Compare(worst) < 0) {
			worst, frames = first, said
			if len(list) > 1 {
				of := fmt.Sprintf("That is in %s, the worst of %d inputs", text.Printable(list[i].Name), len(list))
				frames = text.Answer{Summary: said.Summary, Sentences: append([]string{of}, said.Sentences...)}
			}
		}
	}
	if worst == nil {
		worst = &causes.Subject{}
		frames.Say(summarizeCounts(inputs))
	}
	layers, late, ofLayers := summarizeLayers(inputs, !applications)
	a.Say(summarizeUnused(inputs))
	switch {
	case layers != "" && !applications && worst.Frames.Late == 0 && late > 0:
		a.Say(layers)
	case layers != "" && !worst.Leads(late, ofLayers):
		a.Say(layers)
		a.Add(frames)
	default:
		if a.Add(frames); a.Summary == "" || late > 0 || worst.Frames.Late == 0 {
			a.Say(layers)
		}
	}
	return a, worst.Lost
}

// hangsSummary says what the worst hang is, as causes.HangsSummary does.
func hangsSummary(inputs []Input, lost trace.Duration, interactions [][]*stats.Interaction) string {
	var list []causes.Hang
	for i := range inputs {
		list = append(list, inputs[i].hangs()...)
	}
	return causes.HangsSummary(list, lost, interactions...)
}

// hangs returns the hangs, and what they were spent on.
func (in *Input) hangs() (list []causes.Hang) {
	for _, h := range in.Stats.Hangs {
		list = append(list, causes.Hang{Hang: h.Source, Spent: in.Causes.OfHang(h.Source)})
	}
	return list
}

// before orders processes.
func before(a, b *process) int { return causes.CompareProcesses(a.Process, b.Process) }

// processes returns the processes of an input, the worst first. Those of a trace without frames are in its hangs alone.
func (b *builder) processes(in *Input) (list []*process) {
	known := in.causes()
	for _, p := range in.Stats.Processes {
		if in.Pool != nil || p.Frames.Complete+p.Frames.Truncated > 0 {
			list = append(list, &process{Process: p, causes: known(p)})
		}
	}
	if in.Pool == nil || in.Pool.Worst {
		slices.SortStableFunc(list, before)
	}
	return list
}

// sections returns the processes that have a section: all, or in a terminal the first with
// late frames or hitches.
func (b *builder) sections(list []*process) (shown []*process) {
	frames := func(p *process) int { return p.Frames.Complete }
	if b.page || b.Verbose || len(list) == 1 {
		return text.Largest(list, frames)
	}
	for _, p := range list {
		if p.Frames.Late > 0 || p.Hitches != nil && p.Hitches.Hitches > 0 {
			shown = append(shown, p)
		}
	}
	return shown[:min(len(shown), defaultSections)]
}

// level returns the level of a value of thresholds; nil has none.
func level(t *stats.Thresholds, value *float64) view.Level {
	if value == nil {
		return view.Plain
	}
	return view.LevelOf(rating.Of(t, *value))
}

// colours says from which values on those of thresholds are coloured, and who says so.
func colours(t *stats.Thresholds) string {
	return t.Label + ": " + limits(t)
}

// limits is colours without what they are for.
func limits(t *stats.Thresholds) string {
	red := ""
	if t.Critical > 0 {
		red = fmt.Sprintf(", red above %g", t.Critical)
	}
	return fmt.Sprintf("yellow from %g%s (%s)", t.Warning, red, t.Source)
}

// head returns the section of an input with what is known of the whole of it.
func (b *builder) head(in *Input) view.Section {
	s := view.Section{Title: text.Printable(in.Name)}
	if b.page && !b.several {
		s.Title = text.Base(in.Name)
	}
	if in.Stats.Span != nil {
		s.About = text.Number(in.Stats.Span.Seconds, 3) + " s of trace"
	}
	if in.Recording != nil {
		s.Blocks = append(s.Blocks, view.Note{Text: in.Recording.String(), Level: view.Soft})
	}
	s.Blocks = append(s.Blocks, view.QualityNote(in.Quality))
	return s
}

// interactionsOnly returns the section of an input with its interactions alone.
func (b *builder) interactionsOnly(in *Input) view.Section {
	s := b.head(in)
	s.Blocks = append(s.Blocks, b.interactions(in)...)
	if len(in.Stats.Interactions) == 0 {
		s.Blocks = append(s.Blocks, view.Note{Text: "no interactions"}, view.Note{Label: "hint", Text: locate.InteractionTags, Level: view.Soft})
	}
	return s
}

// overview returns the section of an input, with its interactions, its processes, their
// largest causes, and its layers. On a page, interactions and layers have sections of their own.
func (b *builder) overview(in *Input, list []*process) (blocks []view.Block) {
	s := b.head(in)
	interactions := append(b.interactions(in), b.own(in)...)
	if b.page && len(interactions) > 0 {
		blocks = append(append(blocks, s), interactions...)
		s = view.Section{Title: "Processes"}
		if b.several {
			s.About = text.Printable(in.Name)
		}
	} else {
		s.Blocks = append(s.Blocks, interactions...)
	}
	layers := slices.Concat(b.summaries(in), b.components(in), b.refreshRates(in), b.layers(in))
	withLayers := func() []view.Block {
		if b.page {
			return append(append(blocks, s), layers...)
		}
		s.Blocks = append(s.Blocks, layers...)
		return append(blocks, s)
	}
	if len(list) == 0 {
		if len(in.Stats.Summaries) == 0 {
			s.Blocks = append(s.Blocks, view.Note{Text: "no frames"})
		}
		return withLayers()
	}
	shown := list
	if !b.page && !b.Verbose {
		shown = list[:min(len(list), defaultRows)]
	}
	shown = text.Largest(shown, func(p *process) int { return p.Frames.Complete })
	t := tableOf("Processes", b.processColumns(shown), shown)
	for i, p := range shown {
		t.Rows[i].Link = p.id
	}
	if n := len(list) - len(shown); n > 0 && (b.page || b.Verbose) {
		t.More = text.More(n)
	} else if n > 0 {
		t.More = fmt.Sprintf("… and %d more that lost less time; --all lists all", n)
	}
	s.Blocks = append(append(s.Blocks, t), slowCadences(shown, in.Stats.Callbacks)...)
	if slices.ContainsFunc(shown, hasTopCause) {
		known := make([]*causes.ExplainedProcess, len(shown))
		for i, p := range shown {
			known[i] = p.causes
		}
		if missing := causes.Missing(in.Causes, known, in.Quality); missing != "" {
			s.Blocks = append(s.Blocks, view.Note{Text: missing, Level: view.Warning})
		}
	}
	if empty := b.emptyFrames(list); len(empty.Rows) > 0 {
		s.Blocks = append(s.Blocks, empty)
	}
	if unused := b.requesters(in); len(unused.Rows) > 0 {
		s.Blocks = append(s.Blocks, unused)
	}
	if callbacks := b.callbacks(in); len(callbacks.Rows) > 0 {
		s.Blocks = append(s.Blocks, callbacks)
	}
	return withLayers()
}

// slowCadences says which applications draw less often than the display shows new frames.
func slowCadences(shown []*process, callbacks []stats.Callback) (notes []view.Block) {
	for _, p := range shown {
		if p.Kind == stats.Application && p.FPS != nil && isSlow(p.FPS.Cadence) {
			said := text.Process(p.Process) + " draws " + text.Cadence(p.FPS.Cadence)
			if c := cadenceReason(p.Process, callbacks); c != nil {
				said += ": " + callbackOf(c) + ", " + rateOf(c)
			}
			notes = append(notes, view.Note{Label: "Cadence", Text: said, Level: view.Soft})
		}
	}
	return notes
}

// isSlow reports whether most frames were not shown on the next vsync.
func isSlow(c *stats.Cadence) bool { return c != nil && c.Every > 1 && c.Share >= .5 }

// processColumns returns the columns of the first table: first what says whether and why a process was late, so
// that it is on a narrow screen.
func (b *builder) processColumns(list []*process) []column[*process] {
	measure := func(name string) column[*process] { return measured[*process](stats.Measures, name) }
	columns := []column[*process]{
		{view.Column{Title: "Process", Min: nameWidth}, func(p *process) view.Cell { return b.nameCell(text.Process(p.Process), 2*nameWidth) }},
		numbers(view.Column{Title: "Late", Meaning: define("late")}, func(p *process) any { return text.Late(p.Process) }),
	}
	for _, name := range []string{"jank_rate", "hitch_ratio", "fps", "lost_ms"} {
		columns = append(columns, measure(name))
	}
	if slices.ContainsFunc(list, hasTopCause) {
		columns = append(columns, words(view.Column{Title: "Top cause", Meaning: "what cost the most of the lost time, and its share"}, (*process).topCause))
	}
	for _, name := range []string{"frames", "p50_ms", "p95_ms", "max_ms"} {
		columns = append(columns, measure(name))
	}
	return append(columns, numbers(view.Column{Title: "PID", Drop: 7}, func(p *process) any { return pidText(p.PID) }))
}

// nameCell returns a cell with a name of at most width cells: of a longer one a page has both ends, and all of it as
// its meaning, a terminal the end.
func (b *builder) nameCell(name string, width int) view.Cell {
	if !b.page {
		return view.Cell{Text: text.Shorten(name, width)}
	}
	c := view.Cell{Text: text.ShortenMiddle(name, width/2, width)}
	if c.Text != name {
		c.Meaning = name
	}
	return c
}

// topCause returns the cause that cost the most of a process and its share in the lost time; empty if that is
// unknown.
func (p *process) topCause() string {
	switch {
	case p.Pool != nil && len(p.Pool.Causes) > 0:
		return p.topShare() + " " + text.Printable(p.Pool.Causes[0].Title)
	case p.causes != nil && len(p.causes.Ranking.Costs) > 0:
		top := p.causes.Ranking.Costs[0]
		return causes.CostShare(top, p.causes.Ranking) + " " + causes.CostTitle(top)
	}
	return ""
}

func hasTopCause(p *process) bool { return p.topCause() != "" }

// section returns what is known about a process.
func (b *builder) section(in *Input, p *process) view.Section {
	s := view.Section{
		ID: p.id, Article: true, Title: text.Process(p.Process), About: fmt.Sprintf("%s · pid %s", text.Kind(p.Kind), p.PID),
		Pick: p.pick, PickGroup: text.Printable(in.Name),
	}
	if b.several {
		s.About += " · " + text.Printable(in.Name)
	}
	s.Blocks = append(s.Blocks, b.facts(in, p))
	if p.Frames.Complete == 0 {
		return s
	}
	if b.page {
		s.Blocks = append(s.Blocks, b.chart(in, p))
	}
	s.Blocks = append(s.Blocks, b.causes(in, p)...)
	if b.full {
		if len(p.Stages) > 0 {
			s.Blocks = append(s.Blocks, stages(p.Process))
		}
		s.Blocks = append(s.Blocks, details(in, p.Process))
	}
	if len(p.Worst) > 0 && !(b.page && p.explained()) {
		s.Blocks = append(s.Blocks, b.worst(in, p))
	}
	return s
}

// explained reports whether the causes have all worst frames: a page does not list them twice.
func (p *process) explained() bool {
	if p.causes == nil {
		return false
	}
	for i := range p.Worst {
		if !slices.ContainsFunc(p.causes.Late, func(e *why.Explanation) bool {
			return e.Frame.TID == p.Worst[i].TID && e.Frame.Actual.Start == p.Worst[i].At
		}) {
			return false
		}
	}
	return true
}

// causes returns why frames of a process were late; nothing if none was or it is unknown.
func (b *builder) causes(in *Input, p *process) []view.Block {
	switch {
	case p.causes == nil:
		return nil
	case b.page:
		origin := in.origin()
		return p.causes.Blocks(in.Causes, causes.Options{Page: true, Chart: &origin}, &b.drawn)
	}
	var blocks []view.Block
	add := func(title string, r *why.Ranking) {
		ranking := causes.NewRanking(r, causes.Leading(r, briefCauses), "ohframe why --all lists all")
		blocks = append(blocks, view.Section{Title: title, Blocks: []view.Block{ranking}})
	}
	if len(p.causes.Late) > 0 {
		add(causes.Lost(p.causes.Ranking, p.Frames.Judged), p.causes.Ranking)
	}
	if len(p.causes.ShownLate) > 0 {
		add(causes.ShownLate(p.causes.Shown), p.causes.Shown)
	}
	return blocks
}

// stages returns the times of each stage.
func stages(p *stats.Process) view.Section {
	t := view.Table{Label: "Stages", Cards: true, Columns: []view.Column{
		{Title: "Stage"}, {Bars: true}, {Title: "P50 ms", Number: true}, {Title: "P90 ms", Number: true}, {Title: "Max ms", Number: true}, {Title: "Frames", Number: true},
	}}
	var longest trace.Duration
	for _, s := range p.Stages {
		if s.P90 != nil {
			longest = max(longest, *s.P90)
		}
	}
	for _, s := range p.Stages {
		bars := view.Cell{}
		if s.P50 != nil && longest > 0 {
			share := func(d trace.Duration) float64 { return float64(d) / float64(longest) }
			bars.Bars = []view.Bar{{Width: share(*s.P90), Pale: true}, {Width: share(*s.P50)}}
		}
		t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{{Text: s.Stage.Label()}, bars, {Text: text.MillisecondsOrUnknown(s.P50)}, {Text: text.MillisecondsOrUnknown(s.P90)}, {Text: text.MillisecondsOrUnknown(s.Max)}, {Text: fmt.Sprint(s.Frames)}}})
	}
	return view.Section{Title: "Stages", Meaning: define("stage"), Half: true, Blocks: []view.Block{t}}
}

// worst returns the worst frames, with the time from the start of the trace and the trace
// time.
func (b *builder) worst(in *Input, p *process) view.Section {
	explained := worstCauses(p.Process, p.causes)
	t := view.Table{Label: "Worst frames", Sortable: true, Cards: true, Columns: []view.Column{
		{Title: "Worst at", Number: true}, {Title: "Trace time, s", Number: true, Drop: 1}, {Title: "Vsync", Number: true}, {Title: "Render vsync", Number: true, Drop: 3},
		{Title: "Duration ms", Number: true}, {Title: "Overrun ms", Number: true}, {Title: "Periods", Number: true, Drop: 2, Meaning: colours(&stats.OverrunThresholds)}, {Title: explained.title},
	}}
	shown := p.Worst
	if !b.full {
		shown = shown[:min(len(shown), briefWorst)]
	}
	for i := range shown {
		f := &shown[i]
		periods := text.Unknown
		if f.OverrunPeriods != nil {
			periods = text.Number(*f.OverrunPeriods, 1)
		}
		at := view.Cell{Text: text.Since(in.origin(), f.At)}
		if b.page {
			at.At = strconv.FormatInt(int64(f.At), 10)
		}
		t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{
			at, {Text: text.Seconds(f.At)}, {Text: text.Vsync(f.VsyncID)}, {Text: text.Vsync(f.RenderVsyncID)},
			{Text: text.AtLeast(f.Duration, f.Unfinished)}, {Text: text.AtLeast(f.Overrun, f.Unfinished)}, {Text: periods, Level: level(&stats.OverrunThresholds, f.OverrunPeriods)}, {Text: explained.texts[i]},
		}})
	}
	if p.Kind == stats.RenderService || !b.full {
		t.RemoveColumns(3, 4)
	}
	return view.Section{Title: "Worst frames", Meaning: define("overrun"), Blocks: []view.Block{t}}
}

// pidText formats a process id.
func pidText(pid trace.PID) string {
	if pid == trace.UnknownPID {
		return text.Unknown
	}
	return pid.String()
}

// meaning returns what a measure means.
func meaning(name string) string { return measure(name).Explained() }

// measure returns the measure of a name, which must exist.
func measure(name string) *stats.Measure { return stats.Measures.Named(name) }

// seconds rounds a duration for a chart.
func seconds(d trace.Duration) float64 { return math.Round(float64(d)) / float64(trace.Second) }
