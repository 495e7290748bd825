package report

import (
	"fmt"
	"strconv"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// summaries returns what Android counted of the frames of processes; nothing if the input has no
// summaries.
func (b *builder) summaries(in *Input) []view.Block {
	all := in.Stats.Summaries
	if len(all) == 0 {
		return nil
	}
	count := func(n *int) view.Cell {
		if n == nil {
			return view.Cell{Text: text.Unknown}
		}
		return view.Cell{Text: strconv.Itoa(*n)}
	}
	t := view.Table{Label: "Summaries", Sortable: true, Columns: []view.Column{
		{Title: "Process", Min: nameWidth}, {Title: "Frames", Number: true}, {Title: "Janky", Number: true, Meaning: "by Android's rule"},
		{Title: "Share", Number: true, Meaning: "janky / frames"}, {Title: "P50 ms", Number: true, Meaning: "name of a bucket of the histogram", Drop: 3},
		{Title: "P90 ms", Number: true}, {Title: "P95 ms", Number: true, Drop: 2}, {Title: "P99 ms", Number: true, Drop: 1},
		{Title: "Missed vsync", Number: true, Drop: 4}, {Title: "Slow UI", Number: true, Drop: 5}, {Title: "Slow draw", Number: true, Drop: 6},
	}}
	filtered := false
	shown := all[:b.most(len(all))]
	for i := range shown {
		s := &shown[i]
		name := text.Shorten(text.ProcessName(s.Process), maxName)
		if s.Filtered {
			name, filtered = name+" *", true
		}
		t.Rows = append(t.Rows, view.Row{Cells: []view.Cell{
			{Text: name}, {Text: strconv.Itoa(s.Frames)}, count(s.Janky), {Text: text.Share(s.JankRate)},
			count(s.P50), count(s.P90), count(s.P95), count(s.P99), count(s.MissedVsync), count(s.SlowUI), count(s.SlowDraw),
		}})
	}
	if n := len(all) - len(shown); n > 0 {
		t.More = text.More(n)
	}
	section := view.Section{Title: "Summaries", About: "what Android counted, since the process started or its counts were reset", Blocks: []view.Block{t}}
	if filtered {
		section.Blocks = append(section.Blocks, view.Note{Text: "* filtered data: do not compare it with other summaries", Level: view.Soft})
	}
	return []view.Block{section}
}

// summarizeCounts says of the summary with the most janky frames how many there are.
func summarizeCounts(inputs []Input) string {
	var worst *stats.Summary
	for _, in := range inputs {
		for i := range in.Stats.Summaries {
			if s := &in.Stats.Summaries[i]; s.Janky != nil && s.Frames > 0 && (worst == nil || *s.Janky > *worst.Janky) {
				worst = s
			}
		}
	}
	if worst == nil {
		return ""
	}
	return fmt.Sprintf("%s: %d of %s janky", text.ProcessName(worst.Process), *worst.Janky, text.Count(worst.Frames, "frame"))
}
