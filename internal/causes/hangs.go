package causes

import (
	"cmp"
	"fmt"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Hang is a hang, and what it was spent on; nil if nothing is known of that.
type Hang struct {
	analyzer.Hang
	Spent *why.Explanation
}

func (h *Hang) severe() bool { return h.Duration() >= analyzer.SevereHang }

// Hangs returns the hangs of the wanted processes, in order of time. Those of an interaction or a
// frame are not asked for.
func Hangs(t *analyzer.Timeline, c *why.Causes, o Options) (list []Hang) {
	if o.Interaction != nil || o.Vsync != 0 || o.Layer != nil {
		return nil
	}
	for _, h := range t.Hangs {
		if o.Process == nil || o.Process(h.Process) {
			list = append(list, Hang{h, c.OfHang(h)})
		}
	}
	return list
}

// longerHang compares hangs: the longest is first.
func longerHang(a, b Hang) int { return cmp.Compare(b.Duration(), a.Duration()) }

// HangsSummary says in a sentence what the longest hang was spent on, and how many its application has. It
// is empty if that hang is neither severe, nor cut, nor longer than the time that frames lost. If
// frames lost time, others that are part of a launch do not count: it has its own limit.
func HangsSummary(list []Hang, lost trace.Duration, interactions ...[]*stats.Interaction) string {
	notable := func(h *Hang) bool { return h.severe() || h.AtLeast() }
	list = slices.DeleteFunc(slices.Clone(list), func(h Hang) bool { return lost > 0 && !notable(&h) && h.launches(interactions) })
	if len(list) == 0 {
		return ""
	}
	h := text.First(list, 1, longerHang)[0]
	if !notable(&h) && h.Duration() <= lost {
		return ""
	}
	count := 0
	for i := range list {
		if p := list[i].Process; p == h.Process || p.Name != "" && p.Name == h.Process.Name { // of all traces
			count++
		}
	}
	name := text.Shorten(text.ProcessName(h.Process.Name), MaxSubject)
	s := name + ": hang of "
	if count > 1 {
		s = fmt.Sprintf("%s: %s, the longest ", name, text.Count(count, "hang"))
	}
	s += text.HangLength(&h.Hang)
	if spent := causetext.Hang(h.Spent); spent != "" {
		s += ", " + text.Printable(spent)
	} else {
		s += ", in " + text.Shorten(text.Printable(causetext.HangSlice(&h.Hang)), maxHangSlice)
	}
	return s
}

// launches reports whether the hang begins in a launch of its process.
func (h *Hang) launches(interactions [][]*stats.Interaction) bool {
	for _, list := range interactions {
		for _, i := range list {
			if span := i.Source.Span(); i.Source.Launch() && i.Source.Process == h.Process && span.Start <= h.Start && h.Start < span.End {
				return true
			}
		}
	}
	return false
}

// maxHangDetails is the number of hangs in detail without Options.All.
const maxHangDetails = 3

// hangBlocks lists the hangs of an input, and what the longest ones were spent on.
func hangBlocks(in *Input, o Options) (blocks []view.Block) {
	if len(in.Hangs) == 0 {
		return nil
	}
	listed := len(in.Hangs)
	if !o.All {
		listed = maxFrames
	}
	s := view.Section{
		Title: text.Count(len(in.Hangs), "hang"), About: AboutHangs,
		Blocks: []view.Block{HangTable(in.Hangs, listed, in.Start, true, "--all lists all")},
	}
	spent := slices.DeleteFunc(slices.Clone(in.Hangs), func(h Hang) bool { return h.Spent == nil })
	most, more := maxHangDetails, "--all shows more of them"
	switch {
	case o.All:
		most = len(spent)
	case o.Page:
		more = "ohframe why --all shows more of them"
	}
	for _, h := range text.First(spent, most, longerHang) {
		s.Blocks = append(s.Blocks, hangDetail(in, &h, o.Page))
	}
	if n := len(spent) - most; n > 0 {
		s.Blocks = append(s.Blocks, view.Note{Text: fmt.Sprintf("… and %s; %s", text.Count(n, "shorter hang"), more)})
	}
	return []view.Block{s}
}

// Widths of the name of a slice, and of all of it in an explanation.
const (
	maxHangSlice = 80
	maxMeaning   = 400
)

// AboutHangs says what hangs are.
var AboutHangs = fmt.Sprintf("main threads busy outside of complete frames for %s ms or more", text.Number(analyzer.MinHang.Milliseconds(), 0))

// HangTable lists hangs, the n longest if they are more, which more says how to list. mostly adds what they were spent on.
func HangTable(list []Hang, n int, start trace.Time, mostly bool, more string) view.Table {
	table := view.Table{Label: "Hangs", Cards: true, Columns: []view.Column{
		{Title: "Hang ms", Number: true}, {Title: "At", Number: true}, {Title: "Application"}, {Title: "Slice"}, {Title: "Mostly"},
	}}
	for _, h := range text.First(list, n, longerHang) {
		r := row(text.HangMS(&h.Hang), text.Since(start, h.Start), text.ProcessName(h.Process.Name), text.Shorten(text.Printable(causetext.HangSlice(&h.Hang)), maxHangSlice), text.Printable(causetext.Hang(h.Spent)))
		r.Cells[0].Level = view.Warning
		if h.severe() {
			r.Cells[0].Level = view.Critical
		}
		r.Cells[3].Meaning = text.Shorten(text.Printable(text.HangSlice(&h.Hang)), maxMeaning)
		table.Rows = append(table.Rows, r)
	}
	if !mostly {
		table.RemoveColumns(4, 5)
	}
	setMin(&table, 3, len(table.Columns)-1)
	if left := len(list) - len(table.Rows); left > 0 {
		table.More = fmt.Sprintf("… and %s; %s", text.Count(left, "shorter hang"), more)
	}
	return table
}

// hangDetail shows the path of a hang, its slices and, if they are known, the states of the thread, on a page in
// order of time.
func hangDetail(in *Input, h *Hang, page bool) view.Section {
	s := view.Section{Title: fmt.Sprintf("Hang of %s ms at %s", text.HangMS(&h.Hang), text.Since(in.Start, h.Start))}
	if advice := causetext.HangAdvice(&h.Hang, h.Spent); advice != "" {
		s.Blocks = append(s.Blocks, view.Note{Label: "Advice", Text: advice})
	}
	work := workBlocks(h.Spent.Work())
	if page && len(h.Spent.Pieces) > 0 { // the table of hangs says what it was spent on
		cases := view.Cases{Key: "At", Amount: "Hang", List: []view.Case{{Key: text.Since(in.Start, h.Start), Amount: text.HangMS(&h.Hang) + " ms", Mark: -1, Open: true}}}
		draw(&cases, []*why.Explanation{h.Spent}, false)
		s.Blocks, work = append(s.Blocks, cases), []view.Block{view.Fold{Title: "States and slices of the thread in numbers", Blocks: work}}
	}
	path := view.Table{Label: "Path", Cards: true, Columns: []view.Column{{Title: "Slice, with those inside"}, {Title: "ms", Number: true}, {Title: "Of the hang", Number: true}}}
	for n := range h.Spent.Path {
		p := &h.Spent.Path[n]
		path.Rows = append(path.Rows, row(text.Printable(causetext.WorkSlice(p.Slice, p.Calls, p.Arguments)), text.Milliseconds(p.Value), text.Percent(p.Value, h.Duration())))
	}
	if len(path.Rows) > 1 { // one slice is in the table of hangs
		s.Blocks = append(s.Blocks, path)
	}
	s.Blocks = append(s.Blocks, work...)
	return s
}
