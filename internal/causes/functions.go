package causes

import (
	"cmp"
	"fmt"
	"slices"

	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

const (
	// maxFunctions is the number of functions in a list, unless all are wanted.
	maxFunctions = 5
	// maxName is the width of the name of a function.
	maxName = 80
)

func functionName(f why.Function) string {
	return text.ShortenMiddle(text.Printable(f.Name), maxName/2, maxName)
}

// functionCell returns a cell with a function and its module.
func functionCell(f why.Function) view.Cell {
	return view.Cell{Text: functionName(f), About: text.Shorten(text.Printable(f.Module), maxName)}
}

// functionsTable returns the functions in which late frames were longer.
func functionsTable(list []why.FunctionCost, all bool) []view.Block {
	if len(list) == 0 {
		return nil
	}
	table := view.Table{Label: "Functions that took longer in late frames", Cards: true, Columns: []view.Column{
		{Title: "Longer in late frames", About: "the modules"}, {Title: "It was", Drop: 1}, {Title: "ms per late frame", Number: true, Meaning: "by how much longer a late frame is in the function than a frame on time, in the mean"},
		{Title: "Frames", Number: true, Drop: 2, Meaning: "late frames with samples in the function"}, {Title: "Samples", Number: true, Meaning: "samples in the function in late frames"},
	}}
	shown := list
	if !all {
		shown = list[:min(len(list), maxFunctions)]
	}
	for i := range shown {
		f := &shown[i]
		r := row("", causetext.Wait(f.Wait), "+ "+text.Milliseconds(f.Excess()), fmt.Sprint(f.Frames), fmt.Sprint(f.Samples))
		r.Cells[0] = functionCell(f.Function)
		table.Rows = append(table.Rows, r)
	}
	if n := len(list) - len(shown); n > 0 {
		table.More = fmt.Sprintf("… and %s that took longer by less; --all lists all", text.Count(n, "function"))
	}
	return []view.Block{table}
}

// frameFunctions returns where a late frame was by its samples.
func frameFunctions(e *why.Explanation) view.Table {
	table := view.Table{Label: "Functions", Cards: true, Columns: []view.Column{
		{Title: "Function", About: "the modules"}, {Title: "Stage", Drop: 1}, {Title: "It was", Drop: 2}, {Title: "ms", Number: true}, {Title: "Usual", Number: true}, {Title: "Samples", Number: true}, {Title: "Mostly in", Drop: 3},
	}}
	apart := false
	for i := range e.Functions {
		f := &e.Functions[i]
		innermost := ""
		if f.Innermost != f.Function {
			innermost, apart = functionName(f.Innermost), true
		}
		samples := fmt.Sprintf("%d of %d", f.Samples, f.Of)
		if f.Waited() {
			samples = fmt.Sprint(f.Samples)
		}
		r := row("", causetext.Stage(f.Stage), causetext.Wait(f.Wait), text.Milliseconds(f.Time), number(f.Usual), samples, innermost)
		r.Cells[0] = functionCell(f.Function)
		table.Rows = append(table.Rows, r)
	}
	if !apart {
		table.RemoveColumns(6, 7)
	}
	return table
}

const (
	maxRows     = 28    // of a flame graph
	leastCall   = 0.002 // share of a flame graph, of a call that is drawn
	commonCalls = 3     // calls that all samples have in common, above which they are left out
)

// flame returns the flame graph of a late frame; nil if its calls are unknown.
func flame(e *why.Explanation) []view.Block {
	if len(e.Calls) == 0 || e.Calls[0].Time <= 0 {
		return nil
	}
	inside := make([][]int, len(e.Calls))
	for i := range e.Calls {
		if i > 0 {
			inside[e.Calls[i].Parent] = append(inside[e.Calls[i].Parent], i)
		}
	}
	sure := map[why.Function]bool{}
	for i := range e.Functions {
		sure[e.Functions[i].Function] = e.Functions[i].Sure || sure[e.Functions[i].Function]
	}
	total := e.Calls[0]
	top, common := 0, 0
	for len(inside[top]) == 1 && e.Calls[inside[top][0]].Samples == total.Samples && !sure[e.Calls[inside[top][0]].Function] {
		top = inside[top][0]
		common++
	}
	if common <= commonCalls {
		top, common = 0, 0
	}
	f := view.Flame{
		Label: fmt.Sprintf("Flame graph of frame %s: the calls of %s; the functions are also in a table", text.Vsync(e.Frame.VsyncID), text.Count(total.Samples, "sample")),
		About: "Callers are above what they called; the width is the time. Functions in which the frame was longer, not by chance, are coloured.",
	}
	type bar struct {
		call        int
		left, width float64
	}
	level := []bar{{top, 0, 1}}
	for len(level) > 0 {
		if len(f.Rows) == maxRows {
			f.About += fmt.Sprintf(" Calls below the first %d levels are left out.", maxRows)
			break
		}
		var drawn []view.Bar
		var next []bar
		for _, b := range level {
			c := &e.Calls[b.call]
			drawn = append(drawn, callBar(e, c, b.left, b.width, sure[c.Function]))
			if b.call == top {
				drawn[0] = callBar(e, &total, 0, 1, false)
			}
			calls := slices.Clone(inside[b.call])
			slices.SortStableFunc(calls, func(x, y int) int { return cmp.Compare(e.Calls[y].Time, e.Calls[x].Time) })
			left := b.left
			for _, i := range calls {
				width := min(float64(e.Calls[i].Time)/float64(total.Time), b.left+b.width-left)
				if width < leastCall {
					break
				}
				next = append(next, bar{i, left, width})
				left += width
			}
		}
		f.Rows = append(f.Rows, drawn)
		level = next
	}
	if common > 0 {
		f.About += fmt.Sprintf(" The %s that all samples have in common are left out.", text.Count(common, "outer call"))
	}
	if len(f.Rows) < 2 {
		return nil
	}
	return []view.Block{f}
}

// callBar returns the bar of a call in a flame graph; that of all calls for the root.
func callBar(e *why.Explanation, c *why.Call, left, width float64, sure bool) view.Bar {
	b := view.Bar{Left: left, Width: width, Text: fmt.Sprintf("frame %s, %s", text.Vsync(e.Frame.VsyncID), text.Count(c.Samples, "sample"))}
	if c.Name != "" {
		b.Text, b.Title = text.Printable(text.Function(c.Name)), functionName(c.Function)
		b.Text = text.ShortenMiddle(b.Text, maxName/2, maxName)
		if c.Module != "" {
			b.Title += " (" + text.Shorten(text.Printable(c.Module), maxName) + ")"
		}
		b.Title += ", "
	}
	b.Title += fmt.Sprintf("%d of %s, %s ms", c.Samples, text.Count(e.Calls[0].Samples, "sample"), text.Milliseconds(c.Time))
	if sure {
		b.Group = groupRun.ID
	}
	return b
}

// worstWithCalls returns the latest frame whose calls are known; nil if there is none.
func (p *ExplainedProcess) worstWithCalls() (worst *why.Explanation) {
	for _, e := range p.Late {
		if len(e.Calls) > 0 && (worst == nil || e.Lost > worst.Lost) {
			worst = e
		}
	}
	return worst
}

// flameOfWorst returns the flame graph of that frame.
func (p *ExplainedProcess) flameOfWorst() []view.Block {
	worst := p.worstWithCalls()
	if worst == nil {
		return nil
	}
	graph := flame(worst)
	if graph == nil {
		return nil
	}
	title := fmt.Sprintf("Flame graph of frame %s", text.Vsync(worst.Frame.VsyncID))
	return []view.Block{view.Page{view.Section{Title: title, About: text.Milliseconds(worst.Lost) + " ms late", Blocks: graph}}}
}
