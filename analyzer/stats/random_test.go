package stats_test

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// randomTimeline makes a timeline of up to a few hundred frames that has some of
// everything: changing refresh rates, several applications, worker threads,
// queued vsyncs, cut and empty frames, several transactions of a frame, and
// things that are not known. Its facts follow the frame rules.
func randomTimeline(r *rand.Rand) *analyzer.Timeline {
	chance := func(p float64) bool { return r.Float64() < p }
	upTo := func(d trace.Duration) trace.Duration { return trace.Duration(r.Int64N(int64(d) + 1)) }

	t := &analyzer.Timeline{}
	service := &analyzer.Process{PID: 1, Name: "render_service"}
	t.Processes = append(t.Processes, service)
	for i := range r.IntN(4) {
		t.Processes = append(t.Processes, &analyzer.Process{PID: trace.PID(100 + i)})
	}
	now, period := at(1000), 8333333*trace.Nanosecond
	var renders []*analyzer.Frame
	for id := range int64(r.IntN(120)) {
		if chance(0.05) {
			period = []trace.Duration{8333333, 11111111, 16666667}[r.IntN(3)]
		}
		if chance(0.1) {
			now = now.Add(trace.Duration(1+r.IntN(20)) * period)
		}
		now = now.Add(period)
		frame := func(kind analyzer.Kind, p *analyzer.Process, budget trace.Duration) *analyzer.Frame {
			f := &analyzer.Frame{
				Kind: kind, Process: p, TID: trace.TID(p.PID), VsyncID: id, Vsync: now, Period: period,
				Expected: analyzer.Interval{Start: now, End: now.Add(budget)},
			}
			f.Actual.Start = now.Add(upTo(period / 4))
			f.Actual.End = f.Actual.Start.Add(upTo(period / 2))
			if chance(0.2) {
				f.Actual.End = f.Actual.Start.Add(upTo(8 * period))
			}
			if chance(0.1) {
				f.Coalesced = r.IntN(3)
			}
			if chance(0.05) {
				f.Vsync, f.Expected, f.Period = 0, analyzer.Interval{}, 0
			}
			f.Deadline = f.Expected.End
			t.Frames = append(t.Frames, f)
			return f
		}
		for _, p := range t.Processes[1:] {
			if !chance(0.7) {
				continue
			}
			f := frame(analyzer.ApplicationFrame, p, period)
			if chance(0.2) {
				f.TID++
				f.Expected, f.Period = analyzer.Interval{}, 0
			}
			for range r.IntN(3) {
				f.Transactions = append(f.Transactions, analyzer.Sent{At: f.Actual.Start.Add(upTo(f.Actual.Duration()))})
			}
		}
		if chance(0.9) {
			f := frame(analyzer.RenderFrame, service, 2*period-5*ms)
			for range r.IntN(3) {
				start := f.Actual.Start.Add(upTo(f.Actual.Duration()))
				f.GPU = append(f.GPU, analyzer.Interval{Start: start, End: start.Add(upTo(period))})
			}
			slices.SortFunc(f.GPU, func(a, b analyzer.Interval) int { return cmp.Compare(a.Start, b.Start) })
			if chance(0.8) {
				f.Draw = analyzer.Interval{Start: f.Actual.Start.Add(1), End: f.Actual.Start.Add(1 + upTo(period))}
			}
			if chance(0.9) {
				start := f.End().Add(upTo(period))
				f.Commit = analyzer.Interval{Start: start, End: start.Add(upTo(ms))}
				if chance(0.9) {
					f.Present = start.Add(upTo(period))
				}
			}
			renders = append(renders, f)
		}
	}
	t.Span = analyzer.Interval{Start: at(999), End: now.Add(20 * period)}
	for _, f := range t.Frames {
		if chance(0.02) {
			f.Facts = analyzer.Truncated
		}
	}
	for _, f := range t.Frames {
		link(r, f, renders)
	}
	for _, f := range t.Frames {
		setFacts(f)
	}
	slices.SortStableFunc(t.Frames, func(a, b *analyzer.Frame) int { return cmp.Compare(a.Actual.Start, b.Actual.Start) })
	return t
}

// link has each transaction of the frame taken by a render frame soon after, or
// by none.
func link(r *rand.Rand, f *analyzer.Frame, renders []*analyzer.Frame) {
	for i := range f.Transactions {
		sent := &f.Transactions[i]
		next, _ := slices.BinarySearchFunc(renders, sent.At, func(f *analyzer.Frame, at trace.Time) int {
			return cmp.Compare(f.Actual.Start, at)
		})
		next += r.IntN(3)
		if next >= len(renders) || r.IntN(20) == 0 {
			continue
		}
		sent.AppliedBy = renders[next]
		if i == len(f.Transactions)-1 {
			f.Render = sent.AppliedBy
			f.Render.Applications = append(f.Render.Applications, f)
		}
	}
}

func setFacts(f *analyzer.Frame) {
	if f.Facts.Has(analyzer.Truncated) {
		return
	}
	if f.Deadline.Known() {
		if f.Actual.End > f.Deadline {
			f.Facts |= analyzer.MainLate
		}
		for _, g := range f.GPU {
			if g.End > f.Deadline {
				f.Facts |= analyzer.GPULate
			}
		}
	}
	if f.Kind == analyzer.ApplicationFrame && len(f.Transactions) == 0 {
		f.Facts |= analyzer.Empty
	}
	if r := f.Render; r != nil && f.Expected.Known() && r.Expected.Known() && r.Expected.Start.Sub(f.Expected.End).Abs() >= ms {
		f.Facts |= analyzer.Misaligned
		if !r.Facts.Has(analyzer.Truncated) {
			r.Facts |= analyzer.Misaligned
		}
	}
}

// scaled returns the timeline with all times and durations multiplied.
func scaled(t *analyzer.Timeline, by int64) *analyzer.Timeline {
	time := func(x trace.Time) trace.Time { return x * trace.Time(by) }
	both := func(i analyzer.Interval) analyzer.Interval {
		return analyzer.Interval{Start: time(i.Start), End: time(i.End)}
	}
	copies := map[*analyzer.Frame]*analyzer.Frame{nil: nil}
	for _, f := range t.Frames {
		c := *f
		copies[f] = &c
	}
	out := &analyzer.Timeline{Processes: t.Processes, Span: both(t.Span)}
	for _, f := range t.Frames {
		c := copies[f]
		c.Vsync, c.Deadline, c.Present, c.Period = time(f.Vsync), time(f.Deadline), time(f.Present), f.Period*trace.Duration(by)
		c.Actual, c.Expected, c.Draw, c.Commit = both(f.Actual), both(f.Expected), both(f.Draw), both(f.Commit)
		c.Render = copies[f.Render]
		c.GPU, c.Transactions, c.Applications = nil, nil, nil
		for _, g := range f.GPU {
			c.GPU = append(c.GPU, both(g))
		}
		for _, s := range f.Transactions {
			c.Transactions = append(c.Transactions, analyzer.Sent{Index: s.Index, At: time(s.At), AppliedBy: copies[s.AppliedBy]})
		}
		for _, a := range f.Applications {
			c.Applications = append(c.Applications, copies[a])
		}
		out.Frames = append(out.Frames, c)
	}
	return out
}
