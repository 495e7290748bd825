// Package locate finds the frame, the time or the interaction of a trace that flags name, and
// makes the commands that name a frame or an interaction.
//
//	--process, --frame ─▶ Place ─┐
//	analyzer.Timeline ───────────┼─▶ Found: a frame, or a time
//	--interaction ───────────────┴─▶ *analyzer.Interaction
package locate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/text"
)

// Place names frames of a timeline, or a time. The zero Place names nothing.
type Place struct {
	process func(*analyzer.Process) bool // nil for all
	pattern string                       // of process
	vsync   int64                        // 0 for all
	frame   string                       // the value of --frame
	time    trace.Edge                   // in it
	step    trace.Duration               // of the last digit of time; 0 without a time
}

// Found is what a Place names in a timeline: a frame, a time, or nothing.
type Found struct {
	Frame *analyzer.Frame
	// Time is known if the Place names a time at which no frame starts. Frame is then the one
	// that contains it; nil if none does.
	Time trace.Time
	// Near is the frame of the named processes that is nearest to a Time without a frame, the
	// first of equals.
	Near *analyzer.Frame
	// Others are other frames that the Place names as well.
	Others []*analyzer.Frame
}

// Parse parses the values of --process and --frame, which are empty if the flag is not set. That of
// --frame is a vsync id, or a time as in trace.ParseEdge, with a point or a plus.
func Parse(process, frame string) (Place, error) {
	p := Place{frame: frame}
	if process != "" {
		match, err := stats.MatchProcess(process)
		if err != nil {
			return Place{}, fmt.Errorf("--process: %w", err)
		}
		p.process, p.pattern = match, process
	}
	if frame == "" {
		return p, nil
	}
	isTime := strings.ContainsAny(frame, ".+")
	if id, err := strconv.ParseInt(frame, 10, 64); err == nil && id > 0 && !isTime {
		p.vsync = id
		return p, nil
	}
	at := strings.ReplaceAll(frame, " ", "") // reports write +1.5 ms
	edge, err := trace.ParseEdge(at)
	if err != nil || !isTime {
		return Place{}, diag.New(nil, "ohframe frames lists the vsync ids and times", "--frame: %q is no vsync id, no trace time such as 13762.791708, nor a time from the start such as +1.5s", frame)
	}
	p.time, p.step = edge, stepOf(at)
	return p, nil
}

// IsZero reports whether the Place names nothing.
func (p Place) IsZero() bool { return p.process == nil && p.vsync == 0 && p.step == 0 }

// stepOf returns what a one as the last digit of a time stands for.
func stepOf(at string) trace.Duration {
	number := strings.TrimRight(at, "hmnsuµμ")
	unit, err := time.ParseDuration("1" + cmp.Or(at[len(number):], "s"))
	if err != nil {
		return trace.Second
	}
	_, decimals, _ := strings.Cut(number, ".")
	step := trace.Duration(unit)
	for range decimals {
		step /= 10
	}
	return max(1, step)
}

// Vsync returns the vsync id that the Place names. That of a time is the one of a frame that starts then or
// contains the time; process is the frame's, and nil without a time.
func (p Place) Vsync(t *analyzer.Timeline) (vsync int64, process *analyzer.Process, err error) {
	if p.step == 0 {
		return p.vsync, nil, nil
	}
	found, err := p.Find(t)
	switch {
	case err != nil:
		return 0, nil, err
	case found.Frame == nil:
		return 0, nil, diag.New(nil, "ohframe frames lists the times", "--frame %s: no frame at that time", p.frame)
	case found.Frame.VsyncID == 0:
		return 0, nil, diag.New(nil, "ohframe frames lists what is known of it", "--frame %s: that frame has no vsync id", p.frame)
	}
	return found.Frame.VsyncID, found.Frame.Process, nil
}

// coarsest is the step of the coarsest time that names a frame: reports write no coarser
// ones.
const coarsest = trace.Millisecond

// Find returns what the Place names in a timeline. Vsync ids of applications and render
// services are counted separately, and frames of several threads have the same one, so
// there may be several frames. Found.Frame is the one that missed its deadline by most; of
// others the first, an application's before a render frame.
//
// A time names the frames that start then, as exactly as the time is written, at least to the
// millisecond; else the worst of those that contain it. The error is a *diag.Error if there
// is no such process or frame, or no frame near the time.
func (p Place) Find(t *analyzer.Timeline) (Found, error) {
	if p.IsZero() {
		return Found{}, nil
	}
	var list []*analyzer.Frame
	var from, to trace.Time
	for f := range t.Complete() {
		if !from.Known() {
			from, to = f.Actual.Start, f.Actual.End
		}
		for _, i := range []analyzer.Interval{f.Actual, f.Expected} {
			if i.Known() {
				from, to = min(from, i.Start), max(to, i.End)
			}
		}
		if p.process == nil || p.process(f.Process) {
			if p.vsync == 0 || f.VsyncID == p.vsync {
				list = append(list, f)
			}
		}
	}
	switch {
	case p.vsync != 0 && len(list) == 0:
		return Found{}, fmt.Errorf("--frame: %w", NoFrame(p.vsync, t))
	case len(list) == 0:
		if err := text.NoneSelected(p.pattern, t); err != nil && p.process != nil {
			if slices.ContainsFunc(t.Layers, func(l *analyzer.Layer) bool { return l.Process != nil && p.process(l.Process) }) {
				err = &diag.Error{What: "no process with frames matches", Hint: "it has layers: ohframe frames --kind layer lists their times, --frame TIME without --process opens one of them"}
			}
			return Found{}, fmt.Errorf("--process: %w", err)
		}
		return Found{}, nil // without frames, there is nothing to look at
	}
	if p.step == 0 {
		return worst(list, p.vsync != 0), nil
	}
	at, _ := trace.Window{From: p.time}.Bounds(t.Origin())
	away := func(f *analyzer.Frame) trace.Duration { return f.Actual.Start.Sub(at).Abs() }
	var most trace.Duration // of a coarser time, only the exact start
	if p.step <= coarsest {
		most = p.step / 2
	}
	if starts := filter(list, func(f *analyzer.Frame) bool { return away(f) <= most }); len(starts) > 0 {
		return worst(starts, true), nil
	}
	if at < from || at > to {
		write := trace.Time.String
		if strings.Contains(p.frame, "+") { // from the start of the trace, which may be after the first vsync was due
			write = func(at trace.Time) string { return text.Since(t.Origin(), max(at, t.Origin())) }
		}
		return Found{}, &diag.Error{
			What: fmt.Sprintf("--frame %s: the time is outside the frames, which are from %s to %s", p.frame, write(from), write(to)),
			Hint: "ohframe frames lists the vsync ids and times",
		}
	}
	outside := func(f *analyzer.Frame) trace.Duration { return max(0, f.Actual.Start.Sub(at), at.Sub(f.Actual.End)) }
	if inside := filter(list, func(f *analyzer.Frame) bool { return outside(f) == 0 }); len(inside) > 0 {
		found := worst(inside, false)
		found.Time = at
		return found, nil
	}
	near := slices.MinFunc(list, func(a, b *analyzer.Frame) int { return cmp.Compare(outside(a), outside(b)) })
	return Found{Time: at, Near: near}, nil
}

// filter returns the frames of a list that have a property.
func filter(list []*analyzer.Frame, has func(*analyzer.Frame) bool) []*analyzer.Frame {
	return slices.DeleteFunc(slices.Clone(list), func(f *analyzer.Frame) bool { return !has(f) })
}

// worst returns the worst frame of a list. If the others are named as well, it returns them.
func worst(list []*analyzer.Frame, others bool) Found {
	slices.SortStableFunc(list, func(a, b *analyzer.Frame) int {
		return cmp.Or(cmp.Compare(b.Overrun(), a.Overrun()), cmp.Compare(a.Kind, b.Kind))
	})
	found := Found{Frame: list[0]}
	if others {
		found.Others = list[1:]
	}
	return found
}

// NoFrame returns the error if none of the wanted processes of timelines has a complete
// frame with a vsync id. It names the other processes that have one.
func NoFrame(vsync int64, timelines ...*analyzer.Timeline) *diag.Error {
	var with []*stats.Process
	for _, t := range timelines {
		for f := range t.Complete() {
			same := func(p *stats.Process) bool { return p.PID == f.Process.PID && p.Name == f.Process.Name }
			if f.VsyncID == vsync && !slices.ContainsFunc(with, same) {
				with = append(with, &stats.Process{PID: f.Process.PID, Name: f.Process.Name})
			}
		}
	}
	if len(with) > 0 {
		return &diag.Error{What: fmt.Sprintf("no complete frame of the selected processes has the vsync id %d", vsync), Hint: "processes that have it: " + text.Names(with)}
	}
	return &diag.Error{What: fmt.Sprintf("no complete frame has the vsync id %d", vsync), Hint: "ohframe frames lists the vsync ids"}
}
