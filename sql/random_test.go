package sql_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
	"ohframe/internal/engine/enginetest"
)

// TestRandom compares the modules with the model on frames that no simulation
// makes: everything that may be unknown is so at times, and everything that may
// go wrong does.
func TestRandom(t *testing.T) {
	enginetest.ForTest(t)
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			timeline := randomTimeline(seed, seed == 0)
			if seed == 3 {
				forgetDeadlines(timeline)
			}
			var out bytes.Buffer
			if _, err := exporter.ConvertTimeline(t.Context(), timeline, &out, exporter.Options{}); err != nil {
				t.Fatal(err)
			}
			session := load(t, out.Bytes())
			enginetest.CheckGate(t, session)
			checkModules(t, session, timeline)
		})
	}
}

// forgetDeadlines leaves application frames without deadlines, and every other one
// without a period.
func forgetDeadlines(t *analyzer.Timeline) {
	for i, f := range t.Frames {
		if f.Kind != analyzer.ApplicationFrame {
			continue
		}
		f.Expected, f.Deadline = analyzer.Interval{}, 0
		f.Facts &^= analyzer.MainLate
		if i%2 == 0 {
			f.Period = 0
		}
	}
}

// chance is a source of chance.
type chance struct{ *rand.Rand }

// one is true once in n times.
func (c chance) one(n int) bool { return c.IntN(n) == 0 }

// upTo returns a length of up to n microseconds.
func (c chance) upTo(n int) trace.Duration {
	return trace.Duration(1+c.IntN(n)) * trace.Microsecond
}

// randomTimeline makes a timeline; blind, it knows nothing of what became of
// frames after they were drawn.
func randomTimeline(seed uint64, blind bool) *analyzer.Timeline {
	c := chance{rand.New(rand.NewPCG(seed, 0))}
	service := &analyzer.Process{PID: 10, Name: "render_service", Threads: []analyzer.Thread{{TID: 10, Name: "render_service"}}}
	apps := []*analyzer.Process{
		{PID: 100, Name: "gallery", Threads: []analyzer.Thread{{TID: 100, Name: "gallery"}, {TID: 101, Name: "worker"}}},
		{PID: 200, Name: "notes", Threads: []analyzer.Thread{{TID: 200, Name: "notes"}}},
	}
	const period = 10 * trace.Millisecond
	const vsyncs = 150
	start := trace.Time(1000 * trace.Second)
	free := map[trace.TID]trace.Time{} // when the thread is

	// frame makes a frame of a thread on a vsync.
	frame := func(kind analyzer.Kind, p *analyzer.Process, tid trace.TID, vsync int, budget trace.Duration) *analyzer.Frame {
		due := start.Add(trace.Duration(vsync)*period + c.upTo(3000))
		f := &analyzer.Frame{Kind: kind, Process: p, TID: tid, Vsync: due, Period: period}
		if !c.one(20) {
			f.VsyncID = int64(500 + vsync)
			if kind == analyzer.RenderFrame {
				f.VsyncID = int64(9000 + vsync - c.IntN(20)/19) // may be another's
			}
		}
		length := c.upTo(12_000)
		if c.one(15) {
			length = c.upTo(90_000)
		}
		f.Actual.Start = max(due.Add(c.upTo(2000)-100*trace.Microsecond), free[tid]) // before the vsync where clocks are off
		f.Actual.End = f.Actual.Start.Add(length)
		free[tid] = f.Actual.End.Add(c.upTo(100))
		if int32(tid) == int32(p.PID) && !c.one(8) {
			f.Expected = analyzer.Interval{Start: f.Vsync, End: f.Vsync.Add(budget)}
			f.Deadline = f.Expected.End
			if c.one(30) {
				f.Deadline = f.Actual.End // in time, just so
				f.Expected.End = f.Deadline
			}
		}
		if c.one(12) {
			f.Period = 0
		} else if c.one(6) {
			f.Period = 2 * period
		}
		if c.one(8) {
			f.Coalesced = 1 + c.IntN(3)
		}
		return f
	}

	var renders, list []*analyzer.Frame
	for v := range vsyncs {
		if c.one(12) {
			continue
		}
		f := frame(analyzer.RenderFrame, service, 10, v+1, 2*period-5*trace.Millisecond)
		at := f.Actual.End
		for range c.IntN(3) {
			work := analyzer.Interval{Start: at, End: at.Add(c.upTo(6000))}
			f.GPU = append(f.GPU, work)
			at = at.Add(c.upTo(3000))
		}
		if !c.one(6) {
			f.Draw = analyzer.Interval{Start: f.Actual.End, End: f.Actual.End.Add(c.upTo(2000))}
			if c.one(3) { // no stage is longer than the other
				f.Draw.End = f.Draw.Start.Add(f.Actual.Duration())
			}
		}
		if !blind && !c.one(5) {
			f.Commit = analyzer.Interval{Start: at, End: at.Add(c.upTo(2000))}
			f.CommitEstimated = c.one(3)
			if !c.one(6) {
				f.Present, f.PresentEstimated = f.Commit.Start.Add(c.upTo(9000)), c.one(4)
				if n := len(renders); n > 0 && c.one(10) { // at the same time as the last, if that was
					f.Present = renders[n-1].Present
				}
			}
		}
		renders = append(renders, f)
	}
	for v := range vsyncs {
		for i, p := range apps {
			if c.one(3 + 2*i) {
				continue
			}
			made := []*analyzer.Frame{frame(analyzer.ApplicationFrame, p, trace.TID(p.PID), v, period)}
			if i == 0 && c.one(3) {
				worker := frame(analyzer.ApplicationFrame, p, 101, v, period)
				worker.VsyncID, worker.Deadline = made[0].VsyncID, made[0].Deadline
				if c.one(3) && made[0].Actual.Start > worker.Actual.Start.Add(-trace.Millisecond) {
					worker.Actual.Start = made[0].Actual.Start
					worker.Actual.End = max(worker.Actual.End, worker.Actual.Start)
				}
				made = append(made, worker)
			}
			for _, f := range made {
				for n := range c.IntN(4) {
					sent := analyzer.Sent{Index: int64(4*v + n), At: f.Actual.Start.Add(f.Actual.Duration() * trace.Duration(n+1) / 5)}
					k, _ := slices.BinarySearchFunc(renders, sent.At, func(r *analyzer.Frame, at trace.Time) int { return cmp.Compare(r.Actual.Start, at) })
					if k += c.IntN(4) - 1; k >= 0 && k < len(renders) && !c.one(15) {
						sent.AppliedBy = renders[k]
					}
					f.Transactions = append(f.Transactions, sent)
				}
				list = append(list, f)
			}
		}
	}
	for _, f := range slices.Concat(list, renders) {
		judge(c, f)
	}
	for _, f := range list {
		if f.Facts.Has(analyzer.Truncated) {
			f.Transactions = nil // the trace would not contain them
		}
		if n := len(f.Transactions); n > 0 && f.Transactions[n-1].AppliedBy != nil {
			r := f.Transactions[n-1].AppliedBy
			f.Render, r.Applications = r, append(r.Applications, f)
			if c.one(4) {
				f.Facts |= analyzer.Misaligned
				r.Facts |= analyzer.Misaligned
			}
		}
	}

	timeline := &analyzer.Timeline{Frames: append(list, renders...), Processes: append([]*analyzer.Process{service}, apps...)}
	slices.SortStableFunc(timeline.Frames, func(a, b *analyzer.Frame) int { return cmp.Compare(a.Actual.Start, b.Actual.Start) })
	timeline.Span = analyzer.Interval{Start: start, End: start.Add((vsyncs + 50) * period)}
	return timeline
}

// judge gives a frame the facts that its times tell, and some others by chance.
func judge(c chance, f *analyzer.Frame) {
	if c.one(30) {
		f.Facts, f.Actual.End = analyzer.Truncated, 0
		return
	}
	if f.Deadline.Known() && f.Actual.End > f.Deadline {
		f.Facts |= analyzer.MainLate
	}
	if f.Deadline.Known() && f.End() > max(f.Deadline, f.Actual.End) {
		f.Facts |= analyzer.GPULate
	}
	if f.Kind == analyzer.ApplicationFrame && len(f.Transactions) == 0 || f.Kind == analyzer.RenderFrame && c.one(10) {
		f.Facts |= analyzer.Empty
	}
}
