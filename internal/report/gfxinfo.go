package report

import (
	"fmt"

	"ohframe/analyzer/gfxinfo"
	"ohframe/analyzer/trace"
	"ohframe/internal/words"
)

// gfxinfoSummary sets what gfxinfo printed of a process or a window beside what
// the dump's rows come to.
type gfxinfoSummary struct {
	PID     trace.PID `json:"pid"`
	Process string    `json:"process"`
	// Window is empty for the process as a whole, or if it has no name.
	Window string        `json:"window"`
	Lines  []gfxinfoLine `json:"lines"`
}

// gfxinfoLine is a line of a summary. Either number is nil if there is no such
// line. Percentiles are milliseconds.
type gfxinfoLine struct {
	Name     string `json:"name"`
	Printed  *int   `json:"printed"`
	Computed *int   `json:"computed"`
}

// gfxinfoSummaries returns the summaries of a dump, which may be nil: each
// process, then its windows; all, or those that people are shown.
func gfxinfoSummaries(d *gfxinfo.Dump, all bool) []gfxinfoSummary {
	list := []gfxinfoSummary{}
	if d == nil {
		return list
	}
	processes := d.Processes
	if !all {
		processes = words.Largest(processes, rows)
	}
	for _, p := range processes {
		add := func(window string, printed, computed *gfxinfo.Summary) {
			if lines := gfxinfoLines(printed, computed); len(lines) > 0 {
				list = append(list, gfxinfoSummary{p.PID, p.Name, window, lines})
			}
		}
		add("", p.Printed, p.Computed)
		if only := p.Windows; len(only) == 1 && only[0].Name == "" && only[0].Printed == nil {
			continue // all that the process has, under no name of its own
		}
		windows := p.Windows
		if !all {
			windows = words.Largest(windows, func(w *gfxinfo.Window) int { return w.Frames })
		}
		for _, w := range windows {
			add(w.Name, w.Printed, w.Computed)
		}
	}
	return list
}

func rows(p *gfxinfo.Process) (n int) {
	for _, w := range p.Windows {
		n += w.Frames
	}
	return n
}

// gfxinfoLines returns the lines that either summary has; a summary may be nil.
func gfxinfoLines(printed, computed *gfxinfo.Summary) []gfxinfoLine {
	value := func(s *gfxinfo.Summary, l gfxinfo.Line) *int {
		if s == nil {
			return nil
		}
		n, ok := s.Value(l)
		if !ok {
			return nil
		}
		return &n
	}
	var list []gfxinfoLine
	for _, l := range gfxinfo.Lines() {
		line := gfxinfoLine{l.String(), value(printed, l), value(computed, l)}
		if line.Printed != nil || line.Computed != nil {
			list = append(list, line)
		}
	}
	return list
}

// Title names what the summary is of.
func (s *gfxinfoSummary) Title() string {
	title := "gfxinfo of " + words.Printable(s.Process)
	if s.Process == "" {
		title = "gfxinfo"
	}
	if s.PID != trace.UnknownPID {
		title += fmt.Sprintf(" (%d)", s.PID)
	}
	if s.Window != "" {
		title += ", window " + words.Printable(s.Window)
	}
	return title
}

// whole prints a number, unknown if there is none.
func whole(n *int) string {
	if n == nil {
		return unknown
	}
	return fmt.Sprint(*n)
}
