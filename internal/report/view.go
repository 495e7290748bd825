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
	"ohframe/internal/causetext"
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
	maxTopCauses    = 5  // processes in the table of causes
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
		Warnings: view.Skipped(o.Skipped), Gate: view.Gate{Gate: o.Gate},
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
		for _, p := range shown {
			p.id = fmt.Sprintf("process-%d", b.ids)
			b.ids++
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
	causes *causes.Process // nil if unknown
	id     string          // of its section, empty without one
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
		return slices.ContainsFunc(in.Processes, func(p *causes.Process) bool {
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

// level returns the level of a value of a threshold; nil has none.
func level(name string, value *float64) view.Level {
	if value == nil {
		return view.Plain
	}
	return view.LevelOf(rating.Of(name, *value))
}

// colours says from which values on those of a threshold are coloured, and who says so.
func colours(name string) string {
	t := rating.Named(name)
	return fmt.Sprintf("%s: yellow from %g, red above %g (%s)", t.Label, t.Warning, t.Critical, t.Source)
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
	t := tableOf("Processes", b.processColumns(), shown)
	for i, p := range shown {
		t.Rows[i].Link = p.id
	}
	if n := len(list) - len(shown); n > 0 && (b.page || b.Verbose) {
		t.More = text.More(n)
	} else if n > 0 {
		t.More = fmt.Sprintf("… and %d more that lost less time; --all lists all", n)
	}
	s.Blocks = append(append(s.Blocks, t), slowCadences(shown, in.Stats.Callbacks)...)
	if top := b.topCauses(shown); len(top.Rows) > 0 {
		s.Blocks = append(s.Blocks, top)
		known := make([]*causes.Process, len(shown))
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

func (b *builder) processColumns() []column[*process] {
	overrun := func(p *process) view.Level { return level(rating.Overrun, largestOverrun(p.Process)) }
	coloured := func(name string, c view.Column) column[*process] {
		return levelled(measured[*process](stats.Measures, name, c), func(p *process) view.Level {
			return view.LevelOf(rating.OfMeasure(measure(name), measure(name).Value(p.Process)))
		})
	}
	return []column[*process]{
		words(view.Column{Title: "Process", Min: nameWidth}, func(p *process) string {
			if b.page {
				return text.Process(p.Process)
			}
			return text.Shorten(text.Process(p.Process), 2*nameWidth)
		}),
		numbers(view.Column{Title: "PID", Drop: 2}, func(p *process) any { return pidText(p.PID) }),
		measured[*process](stats.Measures, "fps", view.Column{Meaning: define("FPS")}),
		measured[*process](stats.Measures, "frames", view.Column{}),
		levelled(numbers(view.Column{Title: "Late", Meaning: define("late"), Drop: 1}, func(p *process) any { return text.Late(p.Process) }), overrun),
		levelled(numbers(view.Column{Title: "Jank", Meaning: define("jank rate") + "; colour: largest " + colours(rating.Overrun)}, func(p *process) any { return text.Share(p.JankRate) }), overrun),
		coloured("hitch_ratio", view.Column{Meaning: define("hitch ratio") + "; " + colours(rating.HitchRatio)}),
		coloured("p50_ms", view.Column{Title: "P50 ms", Drop: 3}),
		coloured("p95_ms", view.Column{Title: "P95 ms"}),
		coloured("max_ms", view.Column{Title: "Max ms"}),
	}
}

// largestOverrun returns the largest overrun of a process in refresh periods, nil if it
// is unknown or no frame was late.
func largestOverrun(p *stats.Process) (largest *float64) {
	for i := range p.Worst {
		if x := p.Worst[i].OverrunPeriods; x != nil && (largest == nil || *x > *largest) {
			largest = x
		}
	}
	return largest
}

// topCauses returns the cause that cost the most of each process.
func (b *builder) topCauses(shown []*process) view.Table {
	t := view.Table{Label: "Lost time", Columns: []view.Column{
		{Title: "Lost time", Min: nameWidth}, {Title: "ms", Number: true}, {Title: "Of it", Number: true}, {Title: "Top cause"},
	}}
	for _, p := range shown {
		if p.causes == nil || len(p.causes.Ranking.Costs) == 0 || len(t.Rows) == maxTopCauses {
			continue
		}
		r := p.causes.Ranking
		top := r.Costs[0]
		t.Rows = append(t.Rows, view.Row{Link: p.id, Cells: []view.Cell{
			{Text: text.Process(p.Process)}, {Text: text.MillisecondsOrUnknown(p.Lost)}, {Text: causes.CostShare(top, r)}, {Text: text.Printable(causetext.CostTitle(top))},
		}})
	}
	return t
}

// section returns what is known about a process.
func (b *builder) section(in *Input, p *process) view.Section {
	s := view.Section{
		ID: p.id, Article: true, Title: text.Process(p.Process), About: fmt.Sprintf("%s · pid %s", text.Kind(p.Kind), p.PID),
		Pick: fmt.Sprintf("%s (%s)", text.Process(p.Process), pidText(p.PID)), PickGroup: text.Printable(in.Name),
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
		s.Blocks = append(s.Blocks, details(p.Process))
	}
	if len(p.Worst) > 0 {
		s.Blocks = append(s.Blocks, b.worst(in, p))
	}
	return s
}

// causes returns why frames of a process were late; nothing if none was or it is unknown.
func (b *builder) causes(in *Input, p *process) []view.Block {
	switch {
	case p.causes == nil:
		return nil
	case b.page:
		return p.causes.Blocks(in.Causes, causes.Options{Page: true, Chart: true}, &b.drawn)
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
	t := view.Table{Label: "Stages", Columns: []view.Column{
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
	t := view.Table{Label: "Worst frames", Sortable: true, Columns: []view.Column{
		{Title: "Worst at", Number: true}, {Title: "Trace time, s", Number: true, Drop: 1}, {Title: "Vsync", Number: true}, {Title: "Render vsync", Number: true, Drop: 3},
		{Title: "Duration ms", Number: true}, {Title: "Overrun ms", Number: true}, {Title: "Periods", Number: true, Drop: 2}, {Title: explained.title},
	}}
	shown := p.Worst
	if !b.full {
		shown = shown[:min(len(shown), briefWorst)]
	}
	for i := range shown {
		f := &shown[i]
		overrun, periods := level(rating.Overrun, f.OverrunPeriods), text.Unknown
		if f.OverrunPeriods != nil {
			periods = text.Number(*f.OverrunPeriods, 1)
		}
		at := view.Cell{Text: text.Since(in.origin(), f.At)}
		if b.page {
			at.At = strconv.FormatInt(int64(f.At), 10)
		}
		t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{
			at, {Text: text.Seconds(f.At)}, {Text: text.Vsync(f.VsyncID)}, {Text: text.Vsync(f.RenderVsyncID)},
			{Text: text.AtLeast(f.Duration, f.Unfinished)}, {Text: text.AtLeast(f.Overrun, f.Unfinished), Level: overrun}, {Text: periods, Level: overrun}, {Text: explained.texts[i]},
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
