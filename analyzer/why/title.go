package why

import (
	"fmt"
	"strings"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Title names the cause in a few words: "waiting for storage in FlushLayoutTask
// (io_schedule)".
func (s *Share) Title() string {
	in := ""
	if s.Slice == "" && s.Stage != place.NoStage {
		in = ", " + s.Stage.Label()
	}
	who := ""
	if s.Culprit != nil {
		who = s.Culprit.Name()
	}
	return title(s.Wait, s.Slice, who, s.Function, in)
}

// Title names the cause in a few words, as Share.Title does, without its stages. Two costs
// of a ranking never have the same title.
func (c *Cost) Title() string { return title(c.Wait, c.Slice, c.Kind, c.Function, "") }

// Name names the cause as Title does, without the function of its worst frame. A cause has
// the same name in all traces.
func (c *Cost) Name() string { return title(c.Wait, c.Slice, c.Kind, "", "") }

// InStages names the stages in brackets: " [build, layout]". It is empty if no stage is
// known, or if the slice already names the only one.
func (c *Cost) InStages() string {
	only := c.Stage()
	if len(c.Stages) == 1 && (only == place.NoStage || only == place.Lookup([]byte(c.Slice)).Stage) {
		return ""
	}
	var labels []string
	for _, s := range c.Stages {
		if s.Stage == place.NoStage {
			labels = append(labels, "several")
			continue
		}
		labels = append(labels, s.Stage.Label())
	}
	return " [" + strings.Join(labels, ", ") + "]"
}

func title(wait place.Wait, slice, who, function, suffix string) string {
	text := WaitName(wait)
	if slice != "" {
		text += " in " + slice
	}
	text += suffix
	switch {
	case who != "":
		text += ": " + who
	case function != "":
		text += " (" + function + ")"
	}
	return text
}

// numbering is what ends the names of the threads of a pool: OS_FFRT_2_3, TaskWorker-4.
const (
	digits    = "0123456789"
	numbering = digits + "_-.:/#"
)

// Kind returns the name of the threads that do the same as this one: its own name or, of a
// pool, "process:OS_FFRT*" without the numbers. It is empty for nil.
func (c *Culprit) Kind() string {
	if c == nil {
		return ""
	}
	name := c.Name()
	base := strings.TrimRight(name, numbering)
	number := name[len(base):]
	switch {
	case c.Thread == "", base == "", !strings.ContainsAny(number, digits):
		return name
	case trace.PID(c.TID) == c.PID && number[0] != '/' && number[0] != '-':
		return name // of main threads, only those of the kernel are in pools
	}
	return base + "*"
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
	case p.Several:
		text += " · several slices (" + p.Stage.Label() + ")"
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
