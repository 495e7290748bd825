package simulate

import (
	"slices"

	"ohframe/analyzer/trace"
)

const renderPID trace.PID = 1027

// renderService is the process that draws all applications' windows.
type renderService struct {
	main      laggard
	draw      *thread // nil in eras that draw on the main thread
	commit    *thread // may be the main thread
	generator *thread // makes the vsyncs
	waiter    *thread // waits for present fences
	finisher  *thread // sees GPU work finish
	unmarshal *thread // reads incoming transactions
	hitrace   *thread

	asked     int64 // index of the last vsync that someone wanted
	gpuID     int64
	fence     int64 // number of the next present fence
	presented int64 // index of the last vsync that showed a frame
	rate      int   // that the display is set to
}

func (s *sim) newRenderService() *renderService {
	const priority = 52
	thread := func(tid trace.TID, comm string) *thread {
		return s.newThread(renderPID, tid, comm, priority)
	}
	r := &renderService{gpuID: 700, fence: 5001, presented: -1, asked: -1}
	r.main.thread = thread(trace.TID(renderPID), "render_service")
	r.generator = thread(1041, "VSyncGenerator")
	r.finisher = thread(1093, "gpu-completion")
	r.unmarshal = thread(1064, "RSUnmarshalThre")
	r.hitrace = s.newThread(4711, 4711, "hitrace", 120)
	r.commit = r.main.thread
	if s.speller.drawThread {
		r.draw = thread(1087, "RSUniRenderThre")
	}
	if s.speller.commitThread != "" {
		r.commit = thread(1088, s.speller.commitThread)
	}
	if s.speller.presentTracker != "" {
		r.waiter = thread(1089, s.speller.presentTracker)
	}
	return r
}

// threads is how many threads render_service and the system around it have at most.
func (r *renderService) threads() int { return 8 }

// stepRender plans render_service's work on the current vsync. It wakes up while
// applications draw and for one vsync after.
func (s *sim) stepRender(appsAsked bool) {
	r, v := s.render, s.vsync
	waiting := false
	for _, a := range s.apps {
		waiting = waiting || slices.ContainsFunc(a.queue, func(tr *transaction) bool { return !tr.lost })
	}
	if appsAsked {
		r.asked = v.index
	}
	asked := waiting || v.index <= r.asked+1
	now := s.traceTime(v.now)
	if asked {
		s.generateVsync(now.Add(s.random.between(55*trace.Microsecond, 90*trace.Microsecond)))
	}
	at := now.Add(s.random.between(120*trace.Microsecond, 420*trace.Microsecond))
	if taken, coalesced, start, ok := r.main.receive(s, v, asked, at); ok {
		s.renderFrame(taken, coalesced, start)
	}
}

func (s *sim) generateVsync(at trace.Time) {
	v := s.vsync
	w := s.start(s.render.generator, at, nil)
	stamp := s.monotonicTime(w.t).add(-s.random.between(6*trace.Microsecond, 16*trace.Microsecond))
	w.begin(vsyncCount, values{count: 1, period: v.period, rate: v.rate, now: stamp})
	w.pass(3 * trace.Microsecond)
	w.slice(sendVsync, values{name: "rs", now: v.now}, 8*trace.Microsecond)
	w.end()
	w.pass(5 * trace.Microsecond)
	w.stop()
}

// renderFrame plans a frame of render_service from its vsync to the display.
func (s *sim) renderFrame(v vsync, coalesced int, at trace.Time) {
	r, sp, chances := s.render, s.speller, &s.config.Chances
	expectedEnd := v.now.add(v.period)
	if sp.longDeadline {
		expectedEnd = v.now.add(2*v.period - 5*trace.Millisecond)
	}
	f := &Frame{
		Kind: RenderFrame, PID: renderPID, TID: r.main.thread.tid, Vsync: firstRenderVsync + v.index,
		Period: v.period, Coalesced: coalesced, ExpectedStart: s.traceTime(v.now),
	}
	if sp.expectedEnd {
		f.ExpectedEnd = s.traceTime(expectedEnd)
	}
	deadline := s.traceTime(expectedEnd)
	s.record.frames = append(s.record.frames, f)

	low, high := 12, 30
	if !sp.drawThread {
		low, high = 28, 55
	}
	effort := s.random.between(share(v.period, low), share(v.period, high)) + 700*trace.Microsecond
	late, overrun := s.random.chance(chances.RenderLate), s.random.between(500*trace.Microsecond, share(v.period, 75))
	invalid := s.random.chance(chances.RenderInvalid)
	skips := s.random.chance(chances.RenderSkip)

	w := s.start(r.main.thread, at, r.generator)
	f.Start = w.t
	end := f.Start.Add(effort)
	if late {
		end = max(end, deadline.Add(overrun))
	}
	end = s.clear(s.tick(end), deadline)

	w.begin(receiveVsync, values{
		name: "rs", bytes: 24 * int64(coalesced+1), now: v.now, end: expectedEnd, id: f.Vsync, fd: 17,
	})
	w.passAbout(40 * trace.Microsecond)
	stamp := s.monotonicTime(w.t).add(-s.random.between(9*trace.Microsecond, 240*trace.Microsecond))
	w.begin(doComposition, values{now: stamp})
	w.passAbout(40 * trace.Microsecond)
	taken := 0
	switch {
	case invalid:
		f.Empty = true
	case sp.optionalCommands && s.config.NoDebugMarkers:
		// The transactions are picked up without a line.
		f.Empty = true
		s.take(w.t, v.now, nil)
	default:
		taken = w.process(f, v.now)
	}
	if s.config.Detail {
		w.slice(animate, values{}, 15*trace.Microsecond)
	}
	skips = skips && taken == 0
	w.reach(f.Start.Add(end.Sub(f.Start) * 2 / 5))

	if sp.drawThread {
		w.slice(marshLayers, values{count: 4, pid: renderPID, index: f.Vsync, now: v.now}, 20*trace.Microsecond)
		drawn, gpuDone := s.drawFrame(f, w.t, end, skips)
		w.reach(end.Add(-30 * trace.Microsecond))
		w.end()
		w.reach(end)
		w.end()
		f.End = w.t
		w.stop()
		if !skips {
			s.commitFrame(f, v, drawn, gpuDone)
		}
		return
	}

	// Until 4.1 the main thread draws, and until 3.2 it also commits.
	gpuDone := w.t
	if skips {
		w.slice(skipDraw, values{}, 5*trace.Microsecond)
	} else {
		w.begin(flushFrame, values{})
		w.passAbout(30 * trace.Microsecond)
		gpuDone = s.queueGPU(w, deadline)
		w.reach(end.Add(-120 * trace.Microsecond))
		w.end()
	}
	ownCommit := r.commit == r.main.thread
	if ownCommit && !skips {
		w.slice(repaint, values{}, 60*trace.Microsecond)
	}
	w.reach(end.Add(-20 * trace.Microsecond))
	w.end()
	w.reach(end)
	w.end()
	f.End = w.t
	w.stop()
	if !ownCommit && !skips {
		s.commitFrame(f, v, f.End, gpuDone)
	}
}

// drawFrame plans the drawing on its own thread, from when the main thread hands
// over. It returns when the thread and when the GPU are done.
func (s *sim) drawFrame(f *Frame, at, mainEnd trace.Time, skips bool) (drawn, gpuDone trace.Time) {
	r := s.render
	outside := s.random.chance(s.config.Chances.GPUOutside)
	work := s.random.between(share(f.Period, 10), share(f.Period, 28)) + 300*trace.Microsecond
	w := s.start(r.draw, at.Add(60*trace.Microsecond), r.main.thread)
	began := w.t
	w.begin(renderFrame, values{})
	w.passAbout(30 * trace.Microsecond)
	if skips {
		w.slice(skipDraw, values{}, 5*trace.Microsecond)
		w.slice(skipCommit, values{}, 5*trace.Microsecond)
		w.end()
		w.stop()
		return w.t, w.t
	}
	if outside {
		w.reach(mainEnd.Add(200 * trace.Microsecond))
	}
	gpuDone = s.queueGPU(w, f.ExpectedEnd)
	w.reach(began.Add(work))
	w.slice(postLayers, values{}, 15*trace.Microsecond)
	w.end()
	w.stop()
	return w.t, gpuDone
}

// queueGPU plans the GPU work of a frame that is due at the deadline. It returns
// when the last of it is done.
func (s *sim) queueGPU(w *work, deadline trace.Time) (done trace.Time) {
	works, late := 1, s.random.chance(s.config.Chances.RenderGPULate)
	if s.random.chance(0.15) {
		works = 2
	}
	overrun := s.random.between(500*trace.Microsecond, 500*trace.Microsecond+share(s.vsync.period, 40))
	if !s.config.GPU {
		return w.t
	}
	for range works {
		r := s.render
		r.gpuID++
		from := w.t
		w.numbered('S', s.speller.text[frameQueued], s.speller.levels[frameQueued], r.gpuID)
		end := from.Add(s.random.between(share(s.vsync.period, 12), share(s.vsync.period, 35)))
		if late {
			end = max(end, deadline.Add(overrun))
		}
		end = s.clear(s.tick(end), deadline)
		finish := s.start(r.finisher, end, nil)
		finish.numbered('F', s.speller.text[frameQueued], s.speller.levels[frameQueued], r.gpuID)
		s.record.gpu = append(s.record.gpu, Interval{from, finish.t})
		done = max(done, finish.t)
		finish.pass(5 * trace.Microsecond)
		finish.stop()
		w.passAbout(25 * trace.Microsecond)
	}
	return done
}
