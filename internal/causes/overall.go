package causes

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"ohframe/analyzer/trace"
	"ohframe/internal/brief"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// Overall is the causes of late frames and of hangs in several traces, those that most users have first. The
// comments of fields are their meanings in testdata/api/why.md.
type Overall struct {
	By   []string `json:"by,omitempty"` // dimensions of "key"
	Unit string   `json:"unit"`         // what counts as a user: "user", "device" or "trace"
	TraceCounts
	Lost trace.Duration `json:"lost_ns"` // lost time of all causes
	// lost time of causes that are too small for a trace to name them
	Others trace.Duration `json:"other_causes_lost_ns,omitzero"`
	Causes []*Ranked      `json:"causes,omitempty"` // the causes; those of the most users first, and last what slows everything a little

	Dir string `json:"-"` // name of the dataset; empty without one
	// Named is the number of causes that are known by name of each trace and process.
	Named int `json:"-"`
}

// TraceCounts counts the traces of a document of several.
type TraceCounts struct {
	Traces     int            `json:"traces"`                     // traces that were read, with those that failed
	Measured   int            `json:"-"`                          // traces without a failure
	Unreliable int            `json:"unreliable_traces,omitzero"` // of these, with unreliable data
	Failures   map[string]int `json:"failures,omitempty"`         // of a dataset: traces that gave no rows, by reason
	Events     map[string]int `json:"events,omitempty" brief:"-"` // of a dataset: uploaded events by kind
}

// NewTraceCounts counts no traces.
func NewTraceCounts() TraceCounts {
	return TraceCounts{Failures: map[string]int{}, Events: map[string]int{}}
}

// Add adds other traces.
func (t *TraceCounts) Add(o *TraceCounts) {
	t.Traces, t.Measured, t.Unreliable = t.Traces+o.Traces, t.Measured+o.Measured, t.Unreliable+o.Unreliable
	for reason, n := range o.Failures {
		t.Failures[reason] += n
	}
	for kind, n := range o.Events {
		t.Events[kind] += n
	}
}

// Ranked is a cause of a group of processes.
type Ranked struct {
	Key     map[string]*string `json:"key,omitempty"`          // values of the dimensions; null if unknown
	Title   string             `json:"title" brief:"sentence"` // the cause
	Process string             `json:"process,omitzero"`       // process that has it; absent if several have
	Units   int                `json:"units"`                  // users that lost time by it, and those of its group with frames or hangs
	Of      int                `json:"units_total"`
	Traces  int                `json:"traces"`          // traces in which it cost time
	Frames  int64              `json:"frames,omitzero"` // late frames that it cost time, or hangs
	Hangs   int64              `json:"hangs,omitzero"`
	Lost    trace.Duration     `json:"lost_ns"` // by how much these frames overran their deadlines because of it, or the length of the hangs
	Share   float64            `json:"share"`   // part of the lost time of its group
	// its worst frames or hangs, the worst first, from different traces or processes
	Examples []text.Lazy[Example] `json:"examples" brief:"3,least=1"`
}

// Example is a frame or a hang of a cause.
type Example struct {
	Trace   string         `json:"trace"`                        // name of its trace
	Process string         `json:"process,omitzero"`             // its process
	PID     trace.PID      `json:"pid"`                          // id of the process
	Vsync   int64          `json:"vsync_id,omitzero"`            // vsync of the frame; absent for a hang
	Start   trace.Time     `json:"start_ns"`                     // when it begins
	Late    trace.Duration `json:"late_ns"`                      // by how much the frame overran its deadline, or the length of the hang
	Why     string         `json:"why,omitzero" brief:"command"` // the commands that explain it and show it in Perfetto
	Open    string         `json:"open,omitzero" brief:"command"`
}

// maxRanked is the number of causes that are shown to people, maxExamples that of those with examples.
const (
	maxRanked   = 20
	maxExamples = 10
)

// Write writes the causes in one of the Formats. all shows all to people.
func (o *Overall) Write(w io.Writer, format string, all bool, style text.Style) error {
	d := &document{Version: documentVersion, Question: "traces", Answer: o.summary(), Ranking: o}
	switch format {
	case "json":
		return text.WriteJSON(w, d)
	case brief.Format:
		return brief.Write(w, d)
	case "html":
		return view.WriteHTML(w, o.document(all))
	}
	return view.WriteTerminal(w, o.document(all), style)
}

// key returns the values of the dimensions, in order.
func (o *Overall) key(c *Ranked) (values []*string) {
	for _, dim := range o.By {
		values = append(values, c.Key[dim])
	}
	return values
}

func (o *Overall) summary() string {
	if len(o.Causes) == 0 {
		if slices.Contains(o.By, "scene") || slices.Contains(o.By, "page") {
			return "no late frames and no hangs in interactions"
		}
		return "no late frames and no hangs"
	}
	c, group := o.Causes[0], ""
	if len(o.By) > 0 {
		group = " of " + view.GroupText(o.key(c))
	}
	words := fmt.Sprintf("%d of %s%s lost time to ", c.Units, text.Count(c.Of, o.Unit), group)
	about := fmt.Sprintf(": %s ms, %s of all that late frames and hangs lost", text.Milliseconds(c.Lost), text.Share(&c.Share))
	room := max(MaxSubject, text.MaxSentence-text.Width(words)-text.Width(about))
	return words + text.ShortenMiddle(text.Printable(c.Title), room*2/3, room) + about
}

// document returns the causes for people.
func (o *Overall) document(all bool) *view.Document {
	name := text.Count(o.Traces, "trace")
	if o.Dir != "" {
		name = text.Printable(o.Dir)
	}
	d := &view.Document{Kind: "Causes by users", Title: name + " – causes by users", Answer: text.Answer{Summary: o.summary()}, Blocks: []view.Block{view.Facts{Cards: true, List: o.facts()}}}
	if len(o.Causes) == 0 {
		return d
	}
	shown := o.Causes
	if !all {
		shown = shown[:min(maxRanked, len(shown))]
	}
	about := fmt.Sprintf("Ranked by %ss that lost time; shares are of the %ss with frames or hangs, and of the time that late frames and hangs lost", o.Unit, o.Unit)
	if len(o.By) > 0 {
		about += ", of their group"
	}
	about += ". A late frame loses what it overran its deadline by, a hang its whole length."
	if o.Others > 0 {
		about += fmt.Sprintf(" %s of that time has other causes: traces name their %d largest.", text.Percent(o.Others, o.Lost), o.Named)
	}
	d.Blocks = append(d.Blocks,
		view.Section{Title: "Causes", Blocks: []view.Block{o.table(shown), view.Note{Text: about, Level: view.Soft}}},
		view.Section{Title: "Examples", About: "the worst frames and hangs", Blocks: []view.Block{view.Terminal{o.examples(shown, 1)}, view.Page{o.examples(shown, 3)}}})
	return d
}

func (o *Overall) facts() []view.Fact {
	list := []view.Fact{{Label: "Traces", Value: fmt.Sprint(o.Traces)}}
	if o.Measured < o.Traces {
		list[0].About = fmt.Sprint(o.Measured, " measured")
	}
	counts := func(label string, counts map[string]int, level view.Level) {
		sum, words := 0, []string{}
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			sum += counts[name]
			words = append(words, fmt.Sprintf("%s %d", text.Printable(name), counts[name]))
		}
		if sum > 0 {
			list = append(list, view.Fact{Label: label, Value: fmt.Sprint(sum), About: strings.Join(words, ", "), Level: level})
		}
	}
	counts("Failures", o.Failures, view.Warning)
	counts("Events", o.Events, 0)
	if o.Unreliable > 0 {
		list = append(list, view.Fact{Label: "Unreliable data", Value: fmt.Sprint(o.Unreliable), About: "traces, which are counted, too", Level: view.Warning})
	}
	return list
}

func (o *Overall) table(shown []*Ranked) view.Table {
	t := view.Table{Label: "Causes", Cards: true, Sortable: true, Columns: append(view.KeyColumns(o.By), view.Column{Title: "Cause", Min: 26})}
	column := func(title, meaning string, drop int, number bool) {
		t.Columns = append(t.Columns, view.Column{Title: title, Meaning: meaning, Number: number, Drop: drop})
	}
	processes, traces := false, o.Unit != "trace"
	for _, c := range shown {
		processes = processes || c.Process != shown[0].Process && !slices.Contains(o.By, "process")
	}
	if processes {
		column("Process", "that has it, if it is one", 1, false)
	}
	column(view.KeyTitle(o.Unit)+"s", "that lost time by the cause", 0, true)
	column("Share", "of the "+o.Unit+"s with frames or hangs", 4, true)
	if traces {
		column("Traces", "", 5, true)
	}
	column("Frames", "late frames", 3, true)
	column("Hangs", "", 3, true)
	column("Lost ms", "what late frames and hangs lost to it", 0, true)
	column("Lost", "share of what all late frames and hangs lost", 2, true)
	for _, c := range shown {
		share := float64(c.Units) / float64(c.Of)
		cells := []string{text.Printable(c.Title)}
		if processes {
			cells = append(cells, text.Printable(c.Process))
		}
		cells = append(cells, fmt.Sprint(c.Units), text.Share(&share))
		if traces {
			cells = append(cells, fmt.Sprint(c.Traces))
		}
		cells = append(cells, fmt.Sprint(c.Frames), fmt.Sprint(c.Hangs), text.Milliseconds(c.Lost), text.Share(&c.Share))
		t.Rows = append(t.Rows, view.Row{Cells: append(view.KeyCells(o.key(c)), row(cells...).Cells...)})
	}
	if n := len(o.Causes) - len(shown); n > 0 {
		t.More = fmt.Sprintf("… and %s; --all lists all", text.Count(n, "other cause"))
	}
	return t
}

// examples returns a table of the worst frames and hangs of the first causes, most of each.
func (o *Overall) examples(shown []*Ranked, most int) view.Table {
	t := view.Table{Label: "Examples", Cards: true, Columns: append(view.KeyColumns(o.By), view.Column{Title: "Cause", Min: 20}, view.Column{Title: "Late ms", Meaning: "by which a frame overran its deadline, or the length of a hang", Number: true}, view.Column{Title: "Explain it"})}
	if most > 1 {
		t.Columns = append(t.Columns, view.Column{Title: "Show it"})
	}
	for _, c := range shown[:min(maxExamples, len(shown))] {
		for _, example := range c.Examples[:min(most, len(c.Examples))] {
			e := example()
			r := view.Row{Cells: append(view.KeyCells(o.key(c)), view.Cell{Text: text.Printable(c.Title)}, view.Cell{Text: text.Milliseconds(e.Late)}, view.Cell{Text: text.Line(e.Why), Command: true})}
			if most > 1 {
				r.Cells = append(r.Cells, view.Cell{Text: text.Line(e.Open), Command: true})
			}
			t.Rows = append(t.Rows, r)
		}
	}
	return t
}
