package report

import (
	"fmt"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// summaries returns what Android counted of the frames of processes; nothing if the input has no
// summaries.
func (b *builder) summaries(in *Input) []view.Block {
	type summary = stats.Summary
	all := in.Stats.Summaries
	if len(all) == 0 {
		return nil
	}
	columns := []column[summary]{
		words(view.Column{Title: "Process", Min: nameWidth}, func(s summary) string {
			name := text.Shorten(text.ProcessName(s.Process), maxName)
			if s.Filtered {
				name += " *"
			}
			return name
		}),
		numbers(view.Column{Title: "Frames"}, func(s summary) any { return s.Frames }),
		numbers(view.Column{Title: "Janky", Meaning: "by Android's rule"}, func(s summary) any { return s.Janky }),
		numbers(view.Column{Title: "Share", Meaning: "janky / frames"}, func(s summary) any { return text.Share(s.JankRate) }),
		numbers(view.Column{Title: "P50 ms", Meaning: "name of a bucket of the histogram", Drop: 3}, func(s summary) any { return s.P50 }),
		numbers(view.Column{Title: "P90 ms"}, func(s summary) any { return s.P90 }),
		numbers(view.Column{Title: "P95 ms", Drop: 2}, func(s summary) any { return s.P95 }),
		numbers(view.Column{Title: "P99 ms", Drop: 1}, func(s summary) any { return s.P99 }),
		numbers(view.Column{Title: "Missed vsync", Drop: 4}, func(s summary) any { return s.MissedVsync }),
		numbers(view.Column{Title: "Slow UI", Drop: 5}, func(s summary) any { return s.SlowUI }),
		numbers(view.Column{Title: "Slow draw", Drop: 6}, func(s summary) any { return s.SlowDraw }),
	}
	section := itemSection(b, "Summaries", "what Android counted, since the process started or its counts were reset", columns, all)
	if slices.ContainsFunc(all[:b.most(len(all))], func(s summary) bool { return s.Filtered }) {
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
