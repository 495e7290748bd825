package analyzer

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// Vote is what a voter wants the display's refresh rate to be, in hertz.
type Vote struct {
	Voter    string    // its name in render_service: VOTER_IDLE
	PID      trace.PID // of the process that it votes for; 0 if it is no process
	Min, Max int64
}

// allows reports whether a rate in hertz is what the vote wants.
func (v Vote) allows(rate float64) bool {
	return float64(v.Min) <= rate+rate/slower && rate-rate/slower <= float64(v.Max)
}

// Decision is what the votes on the refresh rate resulted in, until the next one (docs/frames.md 8.6).
type Decision struct {
	Process *Process // that counts the votes
	At      trace.Time
	// Earlier: they had before At, as far as the trace shows it.
	Earlier bool
	// Result has the voter that limits the rate, and the range; its name is empty if that is unknown.
	Result Vote
	// Counted: the trace shows which votes were counted. Others are the other votes that it shows, by priority as
	// far as they were counted.
	Counted bool
	Others  []Vote
	// Touched is when a finger last left the screen or was seen to touch it; zero if it is on the screen, or unknown.
	Touched trace.Time
}

// Refresh is a time in which a display had one refresh rate (docs/frames.md 8.6).
type Refresh struct {
	Interval
	Process *Process       // the render service, whose frames follow the display's vsyncs
	Period  trace.Duration // the median of its frames
	// Before is the period until then; zero if the trace does not have one. Lowest is the shortest period that
	// the display had in the trace up to End.
	Before, Lowest trace.Duration
	// Alone: the display has no other rate in the trace.
	Alone bool
	// Decision is what set the rate; nil if that is unknown.
	Decision *Decision
	frames   int
}

// Rate returns the rate in hertz.
func (r *Refresh) Rate() float64 { return hertz(r.Period) }

// Lowered reports whether the display had a higher rate before in the trace.
func (r *Refresh) Lowered() bool { return longer(r.Period, r.Lowest) }

// Overruled returns the votes for other rates than the one that was decided.
func (r *Refresh) Overruled() (list []Vote) {
	if r.Decision != nil {
		for _, v := range r.Decision.Others {
			if !v.allows(r.Rate()) {
				list = append(list, v)
			}
		}
	}
	return list
}

// due returns when the frame's vsync was, or when it began if that is unknown.
func (f *Frame) due() trace.Time { return cmp.Or(f.Vsync, f.Actual.Start) }

func hertz(period trace.Duration) float64 { return float64(trace.Second) / float64(period) }

// slower is by which share of it, 1/slower, a refresh period is longer than another.
const slower = 10

// longer reports whether a period is longer than another, by more than estimates vary.
func longer(period, than trace.Duration) bool { return (period-than)*slower > period }

// Refreshes returns the rates of displays over time: displays by process, each in order of time. A frame alone
// with its rate shows one only if the votes decided that.
func (t *Timeline) Refreshes() []*Refresh {
	var displays []*display
	of := map[*Process]*display{}
	for _, f := range t.Frames {
		if f.Kind != RenderFrame || f.Android != nil || f.Period < trace.Millisecond || f.Period > trace.Second+trace.Second/10 {
			continue
		}
		d := of[f.Process]
		if d == nil {
			d = &display{}
			of[f.Process], displays = d, append(displays, d)
		}
		d.add(t, f)
	}
	slices.SortStableFunc(displays, func(a, b *display) int { return cmp.Compare(a.list[0].Process.PID, b.list[0].Process.PID) })
	var list []*Refresh
	for n, d := range displays {
		d.finish(t)
		var decisions []*Decision
		for i := range t.Decisions {
			if by := t.Decisions[i].Process; by == d.list[0].Process || n == 0 && of[by] == nil {
				decisions = append(decisions, &t.Decisions[i])
			}
		}
		d.decide(decisions)
		d.dropLone(t)
		list = append(list, d.list...)
	}
	return list
}

type display struct {
	list    []*Refresh
	periods [][]trace.Duration // of the frames of each
	last    trace.Time         // the vsync of the last frame
}

// panelSlowest is the longest time between refreshes of a panel.
const panelSlowest = trace.Second

// add adds a render frame.
func (d *display) add(t *Timeline, f *Frame) {
	at := f.due()
	n := len(d.list) - 1
	if n >= 0 {
		at = max(at, d.last)
		r, end := d.list[n], t.EndOf(d.last)
		if r.Start <= at && at <= end && !longer(f.Period, r.Period) && !longer(r.Period, f.Period) {
			d.periods[n], d.last = append(d.periods[n], f.Period), at
			return
		}
		if at <= end && at.Sub(d.last) <= panelSlowest {
			r.End = at
		} else {
			r.End = d.ended(t)
		}
	}
	d.list = append(d.list, &Refresh{Interval: Interval{Start: at}, Process: f.Process, Period: f.Period})
	d.periods, d.last = append(d.periods, []trace.Duration{f.Period}), at
}

// ended returns when a rate ended that no frame follows: the last one has a period of its own.
func (d *display) ended(t *Timeline) trace.Time {
	p := d.periods[len(d.periods)-1]
	return max(d.last, min(d.last.Add(p[len(p)-1]), t.EndOf(d.last)))
}

// finish sets what needs all frames.
func (d *display) finish(t *Timeline) {
	d.list[len(d.list)-1].End = d.ended(t)
	for i, r := range d.list {
		slices.Sort(d.periods[i])
		r.Period, r.frames = d.periods[i][len(d.periods[i])/2], len(d.periods[i])
	}
}

// dropLone removes the rates that a single frame has and no decision explains, and joins those around.
func (d *display) dropLone(t *Timeline) {
	var list []*Refresh
	for _, r := range d.list {
		n := len(list) - 1
		switch {
		case r.frames == 1 && r.Decision == nil && len(d.list) > 1:
			if n >= 0 && r.End > list[n].End && r.Start <= list[n].End {
				list[n].End = r.End
			}
		case n >= 0 && t.EndOf(list[n].Start) == t.EndOf(r.Start) && !longer(r.Period, list[n].Period) && !longer(list[n].Period, r.Period):
			list[n].End, list[n].frames = r.End, list[n].frames+r.frames
		default:
			list = append(list, r)
		}
	}
	for i, r := range list {
		r.Alone = len(list) == 1
		if r.Lowest = r.Period; i > 0 && t.EndOf(list[i-1].Start) == t.EndOf(r.Start) {
			r.Before, r.Lowest = list[i-1].Period, min(r.Period, list[i-1].Lowest)
		}
	}
	d.list = list
}

// superseded is how long after another decision the display may still take the rate of the one before: it
// is set with the next picture, and vsyncs follow when the display has measured them.
const superseded = 100 * trace.Millisecond

// decide finds which decision, in order of time, set each rate.
func (d *display) decide(decisions []*Decision) {
	slices.SortStableFunc(decisions, func(a, b *Decision) int { return cmp.Compare(a.At, b.At) })
	for i, r := range d.list {
		n, _ := slices.BinarySearchFunc(decisions, r.Start, func(x *Decision, at trace.Time) int {
			if x.At <= at {
				return -1
			}
			return 1
		})
		k := n - 1
		for k >= 0 && !d.sets(decisions[k], r) && k > 0 && r.Start.Sub(decisions[k].At) <= superseded {
			k--
		}
		switch {
		case k >= 0 && d.sets(decisions[k], r):
			for k > 0 && d.sets(decisions[k-1], r) && (i == 0 || decisions[k-1].At > d.list[i-1].Start) {
				k--
			}
			r.Decision = decisions[k]
		case n < len(decisions) && decisions[n].At <= r.Start.Add(r.Period) && d.sets(decisions[n], r):
			r.Decision = decisions[n]
		case n == 0 && i == 0 && len(decisions) > 0 && decisions[0].Earlier && decisions[0].At < r.End && d.sets(decisions[0], r):
			r.Decision = decisions[0]
		}
	}
}

// usualRates are those that panels have, in hertz.
var usualRates = []float64{30, 60, 90, 120}

// sets reports whether a decision sets a rate: the display takes the lowest of its rates that is not below the
// highest that the result allows, or else its highest.
func (d *display) sets(x *Decision, r *Refresh) bool {
	rate, most := r.Rate(), float64(x.Result.Max)
	if x.Result.Voter == "" {
		return false
	}
	rates := slices.Clone(usualRates)
	for _, other := range d.list {
		rates = append(rates, other.Rate())
	}
	const same = 0.95
	if most*same > rate {
		return !slices.ContainsFunc(d.list, func(other *Refresh) bool { return longer(r.Period, other.Period) })
	}
	return rate*same <= most || !slices.ContainsFunc(rates, func(x float64) bool { return most*same <= x && x < rate*same })
}
