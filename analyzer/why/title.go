package why

import (
	"fmt"

	"ohframe/analyzer/why/place"
)

// Title names the cause in a few words: "waiting for storage in FlushLayoutTask
// (io_schedule)".
func (s *Share) Title() string { return title(s.Wait, s.Stage, s.Slice, s.Culprit, s.Function) }

// Title names the cause in a few words, as Share.Title does.
func (c *Cost) Title() string { return title(c.Wait, c.Stage, c.Slice, c.Culprit, c.Function) }

func title(wait place.Wait, stage place.Stage, slice string, culprit *Culprit, function string) string {
	text := WaitName(wait)
	if slice != "" {
		text += " in " + slice
	} else if stage != place.NoStage {
		text += ", " + stage.Label()
	}
	if culprit != nil {
		text += ": " + culprit.Name()
	} else if function != "" {
		text += " (" + function + ")"
	}
	return text
}

// WaitName returns a wait's name for people.
func WaitName(wait place.Wait) string {
	if wait == place.WaitUnknown {
		return "running or waiting" // the trace does not say which
	}
	return wait.Label()
}

// Title names the piece in a few words: "waiting for storage · FlushLayoutTask", "busy
// with an earlier frame · 10030".
func (p *Piece) Title() string {
	text := WaitName(p.Wait)
	switch {
	case p.Earlier != nil:
		text += fmt.Sprintf(" · %d", p.Earlier.VsyncID)
	case p.Slice != "":
		text += " · " + p.Slice
	case p.Stage != place.NoStage:
		text += " · " + p.Stage.Label()
	}
	if o := p.Longest(); o != nil {
		text += " · " + o.Name()
	}
	return text
}

// Longest returns what was waited for the longest, nil if nothing is known.
func (p *Piece) Longest() *Activity {
	var best *Activity
	for i := range p.Others {
		if o := &p.Others[i]; best == nil || o.Time > best.Time {
			best = o
		}
	}
	return best
}

// Title names the thread and what it did: "media.service:OS_IPC_3 · running · Decode".
func (a *Activity) Title() string {
	text := a.Name() + " · " + WaitName(a.Wait)
	if a.Slice != "" {
		text += " · " + a.Slice
	}
	return text
}
