package report

import (
	"cmp"
	"fmt"
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// What the table of empty frames shows of each input and process.
const (
	maxEmptyProcesses = 5
	maxShownSyncs     = 3
)

// syncTitles are who makes a display sync, by its type in JSON.
var syncTitles = map[string]string{"callback": "own callback", "animator": "animator", "xcomponent": "XComponent"}

// syncTitle returns the type and the id of a display sync, such as "own callback 3".
func syncTitle(s stats.DisplaySync) string {
	title := "display sync"
	if s.Type != nil {
		title = cmp.Or(syncTitles[*s.Type], title)
	}
	return fmt.Sprintf("%s %d", title, s.ID)
}

// hasDisplaySyncs reports whether it is known who asked for the vsyncs of empty frames.
func hasDisplaySyncs(p *stats.Process) bool {
	return p.EmptyFrames != nil && len(p.EmptyFrames.DisplaySyncs) > 0
}

// emptyFrames says why frames of applications are empty: those that cost the most first. It has
// no rows if that is unknown of all.
func (b *builder) emptyFrames(list []*process) view.Table {
	t := view.Table{Label: "Why frames are empty", Cards: true, Columns: []view.Column{
		{Title: "Why frames are empty", Min: nameWidth}, {Title: "PID", Number: true, Drop: 2},
		{Title: "Asks for vsyncs", Meaning: define("display sync")},
		{Title: "Empty", Number: true, Meaning: "empty frames that serve the display sync, of all frames that do"},
		{Title: "Share", Number: true, Drop: 1, Meaning: "of all empty frames of the process; a frame may serve several display syncs"},
		{Title: "CPU ms", Number: true, Meaning: "how long the threads ran in these empty frames"},
	}}
	list = slices.DeleteFunc(slices.Clone(list), func(p *process) bool { return !hasDisplaySyncs(p.Process) })
	slices.SortStableFunc(list, func(x, y *process) int {
		a, b := x.EmptyFrames, y.EmptyFrames
		return cmp.Or(cmp.Compare(deref(b.CPU), deref(a.CPU)), cmp.Compare(b.Frames, a.Frames))
	})
	for _, p := range list[:min(len(list), maxEmptyProcesses)] {
		e := p.EmptyFrames
		add := func(who, empty string, share float64, cpu *float64) {
			t.Rows = append(t.Rows, view.Row{Link: p.id, Cells: []view.Cell{
				{Text: text.Process(p.Process)}, {Text: pidText(p.PID)}, {Text: who}, {Text: empty}, {Text: text.Share(&share)}, {Text: number(cpu)},
			}})
		}
		for _, s := range e.DisplaySyncs[:min(len(e.DisplaySyncs), maxShownSyncs)] {
			add(syncTitle(s), fmt.Sprintf("%d of %d", s.Empty, s.Frames), s.Share, s.CPU)
		}
		if e.WithoutSync > 0 {
			add("no display sync", fmt.Sprint(e.WithoutSync), float64(e.WithoutSync)/float64(e.Frames), nil)
		}
	}
	if n := len(list) - maxEmptyProcesses; n > 0 {
		t.More = fmt.Sprintf("… and %d more that cost less; --format json lists all", n)
	}
	return t
}
