package condition

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// Check is a condition and its result.
type Check struct {
	// Input is the name of the input, empty if there is only one.
	Input     string
	Process   string // a printable name
	Condition string
	Status    Status
	// Text is the value or the change, or why it is unknown.
	Text string
	// Undecided: a change passed that is beyond the limit, because it may be chance. More units would
	// decide.
	Undecided bool
	// Excess is how far the value or the change is beyond the limit, in the unit of the limit;
	// negative if it is not, and zero if it is unknown. It compares checks of one condition.
	Excess float64
	// File and Line say where the condition is from; empty and 0 for a flag.
	File string
	Line int
}

// String returns "input: process: condition: text".
func (c Check) String() string { return c.Title() + ": " + c.Text }

// Title returns what the check is about: "input: process: condition".
func (c Check) Title() string {
	s := c.Condition
	if c.Process != "" {
		s = c.Process + ": " + s
	}
	if c.Input != "" {
		s = c.Input + ": " + s
	}
	return s
}

// SetResult sets the result of a condition on a change; it changes nothing if that is unknown.
func (c *Check) SetResult(x *Change) {
	if x == nil || x.Status == Unknown {
		return
	}
	c.Status, c.Text, c.Excess = x.Status, x.Text, x.Excess
	c.Undecided = x.Status == Passed && x.Excess > rounding && x.UnitsNeeded != nil
}

// CheckReport checks conditions on values for the processes of a report, and for its interactions and layers. input is the name of the trace in the checks, empty if
// there is only one. all are the processes of the trace, also those that the report leaves out.
func (list Conditions) CheckReport(input string, r *stats.Report, all []*analyzer.Process) []Check {
	of := func(processes bool) Conditions {
		return slices.DeleteFunc(slices.Clone(list), func(c Condition) bool { return (c.subject == nil) != processes })
	}
	return append(of(true).checkProcesses(input, r, all), of(false).checkParts(input, r, all)...)
}

func (list Conditions) checkProcesses(input string, r *stats.Report, all []*analyzer.Process) (checks []Check) {
	if len(list) > 0 && !slices.ContainsFunc(r.Processes, func(p *stats.Process) bool {
		return p.Frames.Complete > 0 || slices.ContainsFunc(list, func(c Condition) bool { return c.Applies(p) })
	}) {
		why := "none"
		if len(all) > 0 {
			why = "none in the selected processes"
		}
		return []Check{{Input: input, Condition: "complete frames", Status: Unknown, Text: why}}
	}
	var others []*stats.Process
	for _, p := range all {
		others = append(others, &stats.Process{PID: p.PID, Name: p.Name})
	}
	for _, p := range r.Processes {
		for i := range list {
			if c := &list[i]; c.Applies(p) && !c.tooFew(p) && !c.still(p, r.Processes) {
				x, status, text := c.checkValue(p)
				checks = append(checks, c.judged(c.result(input, p, status, text), x))
			}
		}
	}
	for i := range list {
		c, most, enough := &list[i], 0, false
		for _, p := range r.Processes {
			if c.Applies(p) {
				most, enough = max(most, p.Frames.Complete), enough || !c.tooFew(p)
			}
		}
		switch {
		case !c.Selects(others...):
			checks = append(checks, c.result(input, nil, Unknown, c.noFrames(others, r.Layers)))
		case !c.Selects(r.Processes...):
			checks = append(checks, c.result(input, nil, Unknown, NotSelected))
		case !c.Applies(r.Processes...):
			checks = append(checks, c.result(input, nil, Unknown, c.NoneApplies(r.Processes...)))
		case !enough:
			why := fmt.Sprintf("too few frames: no process has more than %d, and %d are needed", most, stats.MinFrames(c.Measure))
			checks = append(checks, c.result(input, nil, Unknown, why))
		}
	}
	return checks
}

// NotSelected is why a condition cannot be checked whose process the trace has, but the selection of processes has not.
const NotSelected = "not among the selected processes"

// tooFew reports whether a condition is not on a process because it has fewer frames than a test of the measure
// needs. A condition that names a process is on it.
func (c *Condition) tooFew(p *stats.Process) bool {
	m := stats.Measures.Named(c.Measure)
	return c.Process == "" && m != nil && m.Tested && p.Frames.Complete < m.Least
}

// still reports whether a condition on how smooth an animation is is not on a process because it
// shows frames with pauses between them, as applications in the background do. A condition that
// names a process, or that is on such processes only, is on them.
func (c *Condition) still(p *stats.Process, all []*stats.Process) bool {
	animates := func(p *stats.Process) bool { return p.FPS == nil || p.FPS.Rate != nil }
	return animating(c.Measure) && c.Process == "" && !animates(p) &&
		slices.ContainsFunc(all, func(p *stats.Process) bool { return c.Applies(p) && !c.tooFew(p) && animates(p) })
}

func animating(measure string) bool {
	m := stats.Measures.Named(measure)
	return m != nil && m.Animating
}

// result returns a check for a process, or for none if the condition selects none.
func (c *Condition) result(input string, p *stats.Process, status Status, why string) Check {
	name := text.Printable(c.Process)
	if p != nil {
		name = text.Process(p)
	}
	return Check{Input: input, Process: name, Condition: c.text, Status: status, Text: why, File: c.File, Line: c.Line}
}

// judged returns a check with the excess of a value; nil if it is unknown.
func (c *Condition) judged(check Check, value *float64) Check {
	if value != nil {
		check.Excess = c.excess(*value)
	}
	return check
}

// checkValue checks the value of a process, nil if it is unknown, and formats it.
func (c *Condition) checkValue(p *stats.Process) (*float64, Status, string) {
	return c.judge(stats.Measures.Named(c.Measure).Value(p), whyUnknown(p, c.Measure))
}

// judge checks a value, nil if it is unknown, and formats it.
func (c *Condition) judge(x *float64, why string) (*float64, Status, string) {
	if x == nil {
		return nil, Unknown, strings.TrimSuffix("unknown: "+why, ": ")
	}
	status := c.check(*x)
	if status == Failed {
		return x, Failed, text.Beyond(c.Unit, *x, c.Limit) + text.UnitAfter(c.Unit)
	}
	return x, status, text.Value(c.Unit, x) + text.UnitAfter(c.Unit)
}

// whyUnknown returns why a measure of a process is unknown; empty if nothing more is known.
func whyUnknown(p *stats.Process, measure string) string {
	switch frames := &p.Frames; {
	case measure == "jank_rate" && frames.Judged > 0:
		return fmt.Sprintf("%d of %s that drew not judged", frames.Unjudged, text.Count(frames.Complete, "frame"))
	case measure == "jank_rate":
		return frames.NotJudged()
	case animating(measure) && p.FPS != nil && p.FPS.Rate == nil:
		return "no two frames were shown without a pause between them"
	case measure == "fps":
		return "fewer than two frames are known to have been shown"
	case (measure == "p95_ms" || measure == "p99_ms") && stats.MinFrames(measure) > frames.Complete:
		return fmt.Sprintf("fewer than %d frames", stats.MinFrames(measure))
	case p.Pool != nil && strings.HasPrefix(measure, rateSubject):
		return "a dataset of several traces has only lowered_rate_share"
	}
	return ""
}

// noFrames returns why a condition cannot be checked if its process has no frames. The process may have a layer.
func (c *Condition) noFrames(list []*stats.Process, layers []*stats.Layer) string {
	i := slices.IndexFunc(layers, func(l *stats.Layer) bool { return c.Selects(ProducerOf(l)) })
	if i < 0 {
		return NoSuchProcess(list)
	}
	measure := "late"
	if stats.LayerMeasures.Named(c.Measure) != nil {
		measure = c.Measure
	}
	return fmt.Sprintf("no process with frames matches; layer %s does: write layer.%s", text.ShortLayerName(layers[i].Name, text.LayerWidth), measure)
}

// NoSuchProcess returns why a condition cannot be checked whose process matches none of the
// processes of the trace. Several may have one name.
func NoSuchProcess(list []*stats.Process) string {
	var named []*stats.Process
	for _, p := range list {
		if p.Name == "" || !slices.ContainsFunc(named, func(other *stats.Process) bool { return other.Name == p.Name }) {
			named = append(named, p)
		}
	}
	why := "no process with frames matches"
	if len(named) > 0 {
		why += "; the trace has " + text.Names(named)
	}
	return why
}
