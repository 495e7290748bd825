package causes

import (
	"fmt"
	"io"
	"slices"

	"ohframe/analyzer/why"
	"ohframe/internal/brief"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// noTimes is what speaks against stacks.
const noTimes = "without times: which hang or frame each belongs to is unknown"

const (
	maxStackFunctions = 8
	maxStackPath      = 16
)

// stacksSection shows in which functions a main thread was when it did not respond.
func stacksSection(s *why.Stacks, o Options) view.Section {
	table := func(label, title string, list []why.StackCount, left int, more string) view.Table {
		t := view.Table{Label: label, Cards: true, Columns: []view.Column{{Title: title, About: "the modules"}, {Title: "Stacks", Number: true}}}
		for i := range list {
			r := row("", fmt.Sprintf("%d of %d", list[i].Samples, s.Samples))
			r.Cells[0] = functionCell(list[i].Function)
			t.Rows = append(t.Rows, r)
		}
		if left > 0 {
			t.More = more
		}
		return t
	}
	shown, path := s.Functions, shownPath(s, o)
	if !o.All {
		shown = shown[:min(len(shown), maxStackFunctions)]
	}
	others, outer := len(s.Functions)-len(shown), len(s.Path)-len(path)
	return view.Section{Title: text.Count(s.Samples, "stack") + " of the main thread", About: noTimes, Blocks: []view.Block{
		table("Functions by stacks", "Function", shown, others, fmt.Sprintf("… and %s in fewer stacks; --all lists all", text.Count(others, "function"))),
		table("Heaviest path", "Heaviest path, from the caller inwards", path, outer, fmt.Sprintf("%s left out; --all lists all", text.Count(outer, "outer call"))),
	}}
}

// shownPath returns what is shown of the heaviest path.
func shownPath(s *why.Stacks, o Options) []why.StackCount {
	path := s.Path
	if o.All {
		return path
	}
	if first := slices.IndexFunc(path, func(c why.StackCount) bool { return c.Own }); first >= 0 {
		path = path[first:] // what is before is how the system calls any application
	}
	return path[max(0, len(path)-maxStackPath):]
}

// stacksSummary says in a sentence where the main thread was in most stacks.
func stacksSummary(s *why.Stacks) string {
	f := &s.Functions[0]
	return fmt.Sprintf("%d of %s of the main thread in %s", f.Samples, text.Count(s.Samples, "stack"), functionName(f.Function))
}

// WriteStacks writes the stacks of a file without a trace, in one of the Formats.
func WriteStacks(w io.Writer, name string, s *why.Stacks, format string, o Options, style text.Style) error {
	if format == "json" || format == brief.Format {
		x := builder{Options: o, in: &Input{}, brief: format == brief.Format}
		d := &document{
			Version: documentVersion, Question: "stacks", Answer: "no function", Against: []string{"stacks " + noTimes},
			Inputs: []documentInput{{Name: name}}, Stacks: []documentStacks{x.stacks(s)},
		}
		if len(s.Functions) > 0 {
			d.Answer = stacksSummary(s)
		}
		return x.write(w, d)
	}
	o.Page = format == "html"
	d := &view.Document{Kind: "Why a main thread did not respond", Title: text.Base(name) + " – stacks of a main thread", Blocks: []view.Block{stacksSection(s, o)}}
	if len(s.Functions) > 0 {
		d.Say(stacksSummary(s))
	}
	if o.Page {
		return view.WriteHTML(w, d)
	}
	return view.WriteTerminal(w, d, style)
}
