package simulate

import (
	"fmt"

	"ohframe/analyzer/trace"
)

// commitFrame plans the hand-over of a drawn frame to the display, and the
// display showing it at one of its next vsyncs. The display shows one frame a
// vsync, and none before the GPU has finished it.
func (s *sim) commitFrame(f *Frame, v vsync, drawn, gpuDone trace.Time) {
	r := s.render
	slow := s.random.chance(s.config.Chances.CommitLate)
	w := s.start(r.commit, drawn.Add(s.random.between(80*trace.Microsecond, 260*trace.Microsecond)), r.draw)
	f.Commit = w.t
	w.begin(commitLayers, values{
		rate: v.rate, now: v.now, id: f.Vsync, size: int64(len(s.apps)) + 1, name: s.layerNames(),
	})
	w.passAbout(15 * trace.Microsecond)
	if r.rate != v.rate {
		r.rate = v.rate
		w.slice(setMode, values{rate: v.rate}, 20*trace.Microsecond)
	}
	w.begin(repaint, values{})
	w.passAbout(30 * trace.Microsecond)
	if s.config.Detail {
		w.slice(acquireFence, values{count: 9000 + f.Vsync}, 5*trace.Microsecond)
	}
	w.passAbout(250 * trace.Microsecond)
	ready := max(w.t, gpuDone).Add(300 * trace.Microsecond)
	shown := s.grid.after(s.monotonicTime(ready), r.presented+1)
	r.presented = shown.index
	signal := s.tick(s.traceTime(shown.now).Add(s.random.between(80*trace.Microsecond, 350*trace.Microsecond)))
	if slow {
		w.reach(signal.Add(s.random.between(100*trace.Microsecond, 300*trace.Microsecond)))
	}
	if s.config.PresentFences && r.waiter != nil {
		s.trackFence(w, f, signal)
	}
	w.end()
	w.passAbout(20 * trace.Microsecond)
	w.slice(recordPresent, values{id: f.Vsync, fd: 2500 + f.Vsync%16}, 3*trace.Microsecond)
	w.end()
	w.pass(10 * trace.Microsecond)
	w.stop()
}

// trackFence plans the present fence: the commit names it, and a thread of its
// own waits until it signals.
func (s *sim) trackFence(w *work, f *Frame, signal trace.Time) {
	r := s.render
	v := values{name: s.speller.presentTracker, count: r.fence}
	r.fence++
	if w.t >= signal {
		f.Present, f.PresentEstimated = w.t, true
		w.slice(fenceSignaled, v, 4*trace.Microsecond)
		return
	}
	w.slice(fencePending, v, 15*trace.Microsecond)
	wait := s.start(r.waiter, w.t.Add(wakeLead), r.commit)
	wait.begin(fenceWait, v)
	wait.pass(10 * trace.Microsecond)
	wait.sleep('S', signal)
	f.Present = wait.t
	wait.end()
	wait.pass(6 * trace.Microsecond)
	wait.stop()
}

// layerNames is the opaque end of a commit: the windows from back to front.
func (s *sim) layerNames() string {
	names := ""
	for i, a := range s.apps {
		names += fmt.Sprintf("%s %d [0,0]Surface,zorder: %d,", a.window, a.config.PID, i)
	}
	return names + fmt.Sprintf("ScreenNode,zorder: %d,", len(s.apps))
}

// arrive plans how render_service reads a transaction, on a thread of its own and without
// an effect on frames.
func (s *sim) arrive(tr *transaction) {
	if !s.config.Detail || tr.lost {
		return
	}
	w := s.start(s.render.unmarshal, tr.arrives.Add(10*trace.Microsecond), tr.thread)
	w.begin(unmarshTransaction, values{pid: tr.app.config.PID})
	w.passAbout(15 * trace.Microsecond)
	w.end()
	w.stop()
}
