package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/locate"
	"ohframe/internal/rating"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// What a terminal shows of interactions without Options.Verbose.
const (
	briefInteractions = 20
	briefMissed       = 5 // interactions with missed limits
	briefLaunches     = 5 // launches in the table of stages
	briefHangs        = 5
	maxName           = 42 // width of the name of a scene, an application or a page
	maxSlice          = 80
)

// interactions returns what the user did, and how long main threads hung; nothing if the trace
// has neither.
func (b *builder) interactions(in *Input) []view.Block {
	var list []view.Section
	if all := in.Stats.Interactions; len(all) > 0 {
		shown := b.shownInteractions(all)
		pictures := b.pictures(in, shown)
		list = append(list, b.interactionSection(in, all, shown, pictures))
		if b.page && len(pictures.List) > 0 {
			s := view.Section{Title: "Frames of interactions", About: "from the input to the last frame shown", Blocks: []view.Block{pictures}}
			if in.named() {
				commands := locate.NewCommands(in.File, nil)
				s.Blocks = append(s.Blocks, view.Note{Label: "Explain interaction N", Text: commands.WhyAnyInteraction(), Command: true}, view.Note{Label: "Show it", Text: commands.OpenAnyInteraction(), Command: true})
			}
			if len(pictures.Legend) == 0 { // no frames
				s.Title, s.About = "Stages of launches", "over time"
			}
			list = append(list, s)
		}
		if d := b.device(shown); len(d.Blocks) > 0 {
			list = append(list, d)
		}
	}
	if len(in.Stats.Hangs) > 0 {
		list = append(list, b.hangs(in))
	}
	var blocks []view.Block
	for _, s := range list {
		if b.page && b.several {
			s.About = strings.TrimPrefix(s.About+" · "+text.Printable(in.Name), " · ")
		}
		blocks = append(blocks, s)
	}
	return blocks
}

func (b *builder) interactionSection(in *Input, all, shown []*stats.Interaction, pictures view.Strips) view.Section {
	s := view.Section{Title: "Interactions", Meaning: define("interaction")}
	var beyond []*stats.Interaction
	for _, i := range all {
		if len(rating.MissedBy(i)) > 0 {
			beyond = append(beyond, i)
		}
	}
	s.About = text.Count(len(all), "interaction")
	if n := len(beyond); n > 0 {
		s.About += fmt.Sprintf(", %d beyond a published limit: %s", n, text.IDs(idsOf(beyond)))
		for _, i := range text.First(beyond, briefMissed, worse) {
			s.Blocks = append(s.Blocks, missedNote(i, in.Causes))
		}
	}
	t := b.interactionTable(in, shown, pictures)
	if n := len(all) - len(shown); n > 0 {
		t.More = fmt.Sprintf("… and %d more that are no worse; --format json lists all", n)
		if !b.page {
			t.More = fmt.Sprintf("… and %d more that are no worse; --all lists all", n)
		}
	}
	s.Blocks = append(s.Blocks, t)
	if !slices.IsSortedFunc(shown, func(a, b *stats.Interaction) int { return cmp.Compare(a.Source.Span().Start, b.Source.Span().Start) }) {
		s.Blocks = append(s.Blocks, view.Note{Label: "Order", Text: "interactions are numbered by when they begin; At is when their input came", Level: view.Soft})
	}
	s.Blocks = append(s.Blocks, cadenceNotes(shown)...)
	s.Blocks = append(s.Blocks, unknownNotes(shown)...)
	s.Blocks = append(s.Blocks, b.limits(shown)...)
	if in.named() && !b.page {
		worst := slices.MinFunc(shown, worse)
		s.Blocks = append(s.Blocks, view.Note{Label: "Why", Text: locate.NewCommands(in.File, nil).WhyInteraction(worst.ID), Level: view.Soft})
	}
	if t := b.stagesOfLaunches(in, shown); len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, t)
		if from := fromFirstStage(shown); len(from) > 0 {
			s.Blocks = append(s.Blocks, view.Note{Label: "Without " + analyzer.FingerUp, Text: text.IDs(from) + ": from the first stage, not from the finger", Level: view.Soft})
		}
	}
	return s
}

// fromFirstStage returns the ids of the launches whose begin, which is known, is not when the finger left.
func fromFirstStage(list []*stats.Interaction) (ids []int) {
	for _, i := range list {
		if len(i.Stages) > 0 && i.Begin != nil && i.Stages[0].Name != analyzer.FingerUp {
			ids = append(ids, i.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// limitNames say what the published limits are for, in their order.
var limitNames = []struct {
	limit *stats.Limit
	name  string
}{
	{&stats.ClickLimit, "a click (the finger leaves)"},
	{&stats.FlingLimit, "a fling (the finger moves)"},
	{&stats.ColdLimit, "a cold launch"},
}

// limits says what the grades mean, and the limits of those that occur, each once in a document.
func (b *builder) limits(list []*stats.Interaction) (notes []view.Block) {
	var limits []string
	for n, l := range limitNames {
		occurs := func(i *stats.Interaction) bool { return i.Grade != nil && stats.LimitOf(i.Source) == l.limit }
		if b.graded[n] || !slices.ContainsFunc(list, occurs) {
			continue
		}
		b.graded[n] = true
		text := fmt.Sprintf("%s S %g", l.name, l.limit.S.Milliseconds())
		if l.limit.A > 0 {
			text += fmt.Sprintf(", A %g, B %g", l.limit.A.Milliseconds(), l.limit.B.Milliseconds())
		}
		limits = append(limits, text+" ms")
	}
	add := func(label, text string) {
		notes = append(notes, view.Note{Label: label, Text: text, Level: view.Soft})
	}
	if len(limits) > 0 {
		add("Limits of the response", strings.Join(limits, "; "))
	}
	if len(limits) > 0 && !b.limited {
		b.limited = true
		add("Grades", "S is the best, then A and B; below is not acceptable. "+rating.LimitsNote)
	}
	if hitches := func(i *stats.Interaction) bool { return i.HitchRatio != nil && i.IsFling() }; !b.hitched && slices.ContainsFunc(list, hitches) {
		b.hitched = true
		add("Limits of a fling", fmt.Sprintf("a hitch ratio under %g ms/s (Huawei, Apple), critical above %g (Apple); %g vsyncs missed in a row are noticeable (Huawei)",
			stats.HitchThresholds.Warning, stats.HitchThresholds.Critical, stats.RunThresholds.Warning))
	}
	return notes
}

// interactionTable returns the measures of interactions. Those with a picture link to it.
func (b *builder) interactionTable(in *Input, shown []*stats.Interaction, pictures view.Strips) view.Table {
	t := tableOf("Interactions", b.interactionColumns(in), shown)
	for n, i := range shown {
		row := &t.Rows[n]
		if at := slices.IndexFunc(pictures.List, func(s view.Strip) bool { return s.ID == pictureID(in, i) }); at >= 0 {
			row.Link = pictures.List[at].ID
		}
		for k := range row.Cells {
			if c := &row.Cells[k]; c.Text == text.Unknown && c.Meaning == "" {
				c.Meaning = strings.Join(text.UnknownOf(i), "; ")
			}
		}
	}
	widen(&t)
	return t
}

func (b *builder) interactionColumns(in *Input) []column[*stats.Interaction] {
	type item = *stats.Interaction
	name := func(title, about string, of func(item) view.Cell) column[item] {
		return column[item]{view.Column{Title: title, About: about}, func(i item) view.Cell {
			c := of(i)
			if !b.page {
				c.Text, c.About = text.Shorten(c.Text, maxName), text.Shorten(c.About, maxName)
			}
			return c
		}}
	}
	measure := func(name string) column[item] { return measured[item](stats.InteractionMeasures, name) }
	graded, completion := measure("response_ms"), measure("completion_ms")
	graded.Meaning += "; grade: " + define("grade")
	return []column[item]{
		numbers(view.Column{Title: "#"}, func(i item) any { return i.ID }),
		name("Interaction", "scene", func(i item) view.Cell {
			what := view.Cell{Text: text.Interaction(i.Source)}
			if !i.Source.Launch() && text.Scene(i.Scene) != "" {
				what.About = i.Scene
			}
			return what
		}),
		name("Application", "page", func(i item) view.Cell {
			return view.Cell{Text: text.ProcessName(i.Process), About: text.Printable(deref(i.Page))}
		}),
		{view.Column{Title: "Late", Number: true, Meaning: define("late") + "; " + colours(&stats.JankThresholds)}, func(i item) view.Cell {
			late := view.Cell{Text: text.Unknown}
			if i.Frames == nil {
				return late
			}
			late.Text = fmt.Sprintf("%s of %d", text.Unknown, *i.Frames)
			if i.JankRate != nil {
				late.Text, late.Level = fmt.Sprintf("%d of %d", *i.Late, *i.Frames), view.LevelOf(rating.OfShare(float64(*i.Late)/float64(max(1, *i.Frames))))
			}
			if i.Counted == "render" {
				late.Meaning = "frames of render_service, which draws the animation"
			}
			return late
		}},
		measure("hitch"), measure("longest_missed_run"),
		{graded.Column, func(i item) view.Cell {
			response := graded.cell(i)
			if i.Grade != nil {
				response.About, response.Level = string(*i.Grade), view.LevelOf(rating.OfGrade(*i.Grade))
			}
			if d, _ := in.Causes.AtLeast(i.Source); d > 0 {
				response.Text = text.AtLeast(d, true)
			}
			return response
		}},
		{completion.Column, func(i item) view.Cell {
			if _, d := in.Causes.AtLeast(i.Source); d > 0 {
				return view.Cell{Text: text.AtLeast(d, true)}
			}
			return completion.cell(i)
		}},
		measure("fps"), narrow(measure("p95_ms")),
		numbers(view.Column{Title: "At", Drop: 2, Meaning: "its input, or its begin without one, or where the trace begins to show it, from the start of the trace"}, func(i item) any { return text.Since(in.origin(), i.Source.Span().Start) }),
		numbers(view.Column{Title: "Worst", Drop: 3, Meaning: "vsync id of the frame with the largest overrun"}, func(i item) any {
			if i.WorstFrame == nil {
				return text.Unknown
			}
			return text.Vsync(*i.WorstFrame)
		}),
	}
}

// shownInteractions returns the interactions that a table has.
func (b *builder) shownInteractions(list []*stats.Interaction) []*stats.Interaction {
	switch {
	case b.page:
		return text.First(list, text.MaxShown, worse)
	case b.Verbose:
		return list
	}
	return text.First(list, briefInteractions, worse)
}

// worse orders interactions: those that miss the most limits first, then those that missed the
// most vsyncs, then those with the slowest response for their limit.
func worse(a, b *stats.Interaction) int {
	count := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	slowness := func(i *stats.Interaction) float64 {
		if limit := stats.LimitOf(i.Source); limit != nil && i.Response != nil {
			return *i.Response / limit.S.Milliseconds()
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(len(rating.MissedBy(b)), len(rating.MissedBy(a))), cmp.Compare(count(b.MissedVsyncs), count(a.MissedVsyncs)),
		cmp.Compare(count(b.Late), count(a.Late)), cmp.Compare(slowness(b), slowness(a)), cmp.Compare(a.ID, b.ID),
	)
}

// missedNote says which limits an interaction misses, by how much, and why, if that is known.
func missedNote(i *stats.Interaction, c *why.Causes) view.Note {
	n := view.Note{Label: fmt.Sprintf("%d, %s", i.ID, text.Interaction(i.Source)), Level: view.Warning}
	var texts []string
	for _, m := range rating.MissedBy(i) {
		texts = append(texts, m.Text)
		if m.Level == rating.Critical {
			n.Level = view.Critical
		}
	}
	if c != nil {
		if cause := causes.MainCause(i, c); cause != "" {
			texts = append(texts, "mostly "+cause)
		}
	}
	n.Text = strings.Join(texts, "; ")
	return n
}

// number formats an optional number with one decimal.
func number(x *float64) string {
	if x == nil {
		return text.Unknown
	}
	return text.Number(*x, 1)
}

// unknownNotes say what is unknown about which interactions.
func unknownNotes(list []*stats.Interaction) (notes []view.Block) {
	for _, u := range text.Unknowns {
		var with []int
		for _, i := range list {
			if u.Is(i) {
				with = append(with, i.ID)
			}
		}
		if len(with) > 0 {
			notes = append(notes, view.Note{Label: text.IDs(with), Text: u.Text, Level: view.Soft})
		}
	}
	return notes
}

// cadenceNotes say which interactions are drawn less often than the display shows new frames.
func cadenceNotes(list []*stats.Interaction) (notes []view.Block) {
	drawn := map[string][]int{}
	for _, i := range list {
		if isSlow(i.Cadence) {
			drawn[text.Cadence(i.Cadence)] = append(drawn[text.Cadence(i.Cadence)], i.ID)
		}
	}
	for _, cadence := range slices.Sorted(maps.Keys(drawn)) {
		notes = append(notes, view.Note{Label: text.IDs(drawn[cadence]), Text: "drawn " + cadence, Level: view.Soft})
	}
	return notes
}

func idsOf(list []*stats.Interaction) (numbers []int) {
	for _, i := range list {
		numbers = append(numbers, i.ID)
	}
	return numbers
}

// stagesOfLaunches returns a table with a row for each stage and a column for each launch.
func (b *builder) stagesOfLaunches(in *Input, list []*stats.Interaction) view.Table {
	var launches []*stats.Interaction
	for _, i := range list {
		if len(i.Stages) > 0 {
			launches = append(launches, i)
		}
	}
	t := view.Table{Label: "Stages of launches", Narrow: true}
	if len(launches) == 0 {
		return t
	}
	total := len(launches)
	if total > briefLaunches {
		launches = text.First(launches, briefLaunches, worse)
		t.More = fmt.Sprintf("… and the stages of %d more launches; --format json lists all", total-len(launches))
	}
	t.Columns = []view.Column{{Title: "Stage of launch, ms"}}
	var names []string
	for _, l := range launches {
		t.Columns = append(t.Columns, view.Column{Title: fmt.Sprintf("#%d", l.ID), Number: true, Meaning: text.Interaction(l.Source) + " of " + text.ProcessName(l.Process)})
		at := 0
		for _, stage := range l.Stages { // a launch may lack stages, the order is the same
			if n := slices.Index(names, stage.Name); n >= 0 {
				at = n + 1
				continue
			}
			names = slices.Insert(names, at, stage.Name)
			at++
		}
	}
	for _, name := range names {
		row := view.Row{Cells: []view.Cell{{Text: text.Shorten(text.Printable(name), 2*maxName)}}}
		for _, l := range launches {
			cell := view.Cell{}
			for _, stage := range l.Stages {
				if stage.Name == name {
					cell.Text = stageText(in.stage(l, stage))
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// stage returns how long a stage of a launch lasted. Of the last stage of a launch without a
// first frame only the slice is known with which it begins: it lasted at least as long. d is
// nil if that is unknown, too.
func (in *Input) stage(l *stats.Interaction, s stats.LaunchStage) (d *trace.Duration, atLeast bool) {
	if r := in.Causes.ResponseTo(l.Source); s.Duration == nil && r != nil {
		for n := range r.Steps {
			if step := &r.Steps[n]; step.Open && step.Stage == s.Name {
				length := step.Time
				return &length, true
			}
		}
	}
	return s.Duration, false
}

func stageText(d *trace.Duration, atLeast bool) string {
	if atLeast {
		return "≥ " + text.Milliseconds(*d)
	}
	return text.MillisecondsOrUnknown(d)
}

// hangs returns the times in which main threads did something else than frames for long, the
// longest ones in a terminal.
func (b *builder) hangs(in *Input) view.Section {
	list, most := in.hangs(), briefHangs
	switch {
	case b.page:
		most = text.MaxShown
	case b.Verbose:
		most = len(list)
	}
	t := causes.HangTable(list, most, in.origin(), in.Causes != nil, "--format json lists all")
	t.Sortable = true
	return view.Section{Title: "Hangs", Meaning: define("hang"), About: causes.AboutHangs, Blocks: []view.Block{t}}
}
