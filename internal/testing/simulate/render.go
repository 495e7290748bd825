package simulate

import (
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// renderFrame receives the newest vsync in render_service.
func (s *sim) renderFrame(a *actor) {
	if len(s.rsDue) == 0 {
		return
	}
	coalesced := len(s.rsDue) - 1
	v := s.rsDue[coalesced]
	s.rsDue = nil
	chances := &s.Chances
	end := v.now.add(2*v.period - 5*trace.Millisecond)
	deadline := s.traceTime(end)
	f := &Frame{
		Kind: RenderFrame, PID: renderPID, TID: a.tid, Vsync: firstRenderVsync + v.index, Period: v.period,
		Coalesced: coalesced, ExpectedStart: s.traceTime(v.now), ExpectedEnd: deadline,
	}
	late, invalid, skips := s.choices.chance(chances.RenderLate), s.choices.chance(chances.RenderInvalid), s.choices.chance(chances.RenderSkip)
	s.record.frames = append(s.record.frames, f)
	a.renew(v.index)
	a.compute(s.about(90*trace.Microsecond) + s.extra(v, 4))
	f.Start = s.now
	a.beginMark(receiveVsync, values{
		name: "rs", bytes: 24 * int64(coalesced+1), now: v.now, end: end, id: f.Vsync, fd: 17,
	})
	a.compute(s.about(30 * trace.Microsecond))
	a.beginMark(doComposition, values{now: s.monotonicTime(s.now).add(-9 * trace.Microsecond)})
	a.compute(s.about(30 * trace.Microsecond))
	s.consume(a, f, v)
	if invalid {
		f.Empty = true
	} else {
		s.process(a, f, v)
	}
	skips = skips && len(f.Sources) == 0 && len(f.taken) == 0
	if s.Chances.Unchanged > 0 && s.choices.chance(s.Chances.Unchanged) && len(f.taken) == 0 && !invalid {
		skips = true
	}
	f.direct = s.Direct && len(f.Sources) == 0 && len(f.taken) > 0
	a.begin("RSUniRender:QuickPrepareScreenRenderNode 0", "M0538")
	if s.Detail {
		a.slice(animate, values{}, 15*trace.Microsecond)
	}
	a.compute(s.part(v, 6) + s.extra(v, 15))
	a.end()
	if f.direct {
		a.slice(directly, values{}, 40*trace.Microsecond)
		s.post(s.commit, a, func(c *actor) { s.commitFrame(c, f, v) })
	} else {
		if s.Detail {
			a.slice(marshLayers, values{count: 4, pid: renderPID, index: f.Vsync, now: v.now}, 20*trace.Microsecond)
		}
		a.begin("PostAndWait, parallel type 0", "M0538")
		a.compute(10 * trace.Microsecond)
		s.post(s.draw, a, func(d *actor) { s.drawFrame(d, f, v, skips) })
		a.block('S', reason{})
		a.compute(15 * trace.Microsecond)
		a.end()
	}
	if late {
		a.compute(s.overrun(deadline, v).Sub(s.now))
	}
	a.compute(20 * trace.Microsecond)
	a.end()
	a.compute(10 * trace.Microsecond)
	s.keepAway(a, deadline)
	a.end()
	f.End = s.now
	a.compute(8 * trace.Microsecond)
}

// process takes the transactions that have arrived, except those of a vsync that
// is not over.
func (s *sim) process(a *actor, f *Frame, v vsync) {
	f.processed = s.now
	a.beginList(processCommands, values{}, func(b []byte) []byte {
		for _, p := range s.apps {
			b = s.take(b, p, f, v)
		}
		return b
	})
	a.compute(s.about(80 * trace.Microsecond))
	a.end()
}

func (s *sim) take(b []byte, p *app, f *Frame, v vsync) []byte {
	for len(p.queue) > 0 {
		tr := p.queue[0]
		if tr.lost {
			// A gap in the indices: the one behind it waits for this frame,
			// then the gap is given up.
			if len(p.queue) > 1 && p.queue[1].arrives <= s.now {
				b = (&values{pid: p.PID, index: p.queue[1].index}).append(b, " skip to[{pid},{index}]")
				p.queue = p.queue[1:]
			}
			return b
		}
		if tr.arrives > s.now {
			return b
		}
		value := &values{pid: p.PID, index: tr.index}
		if tr.hold || tr.stamp >= v.now {
			tr.hold = false
			return value.append(b, [...]string{" cache [{pid},{index}]", " cache ({pid},{index})"}[tr.index%2])
		}
		b = value.append(b, " [{pid},{index}]")
		tr.takenBy, tr.takenAt = f, s.now
		f.Sources = append(f.Sources, Transaction{p.PID, tr.index})
		p.queue = p.queue[1:]
	}
	return b
}

// drawFrame draws on the render thread and hands over to the commit thread.
func (s *sim) drawFrame(a *actor, f *Frame, v vsync, skips bool) {
	outside := s.choices.chance(s.Chances.GPUOutside)
	a.renew(v.index)
	a.compute(10 * trace.Microsecond)
	s.stats.startFrame()
	a.beginMark(renderFrame, values{})
	a.begin("Render vsyncId:"+strconv.FormatInt(f.Vsync, 10), "M0538")
	a.begin("Sync", "M0538")
	a.compute(s.part(v, 3))
	a.end()
	if !outside && !skips {
		s.queueGPU(a, f, v)
	}
	a.begin("UnlockMainThread", "M0538")
	a.compute(4 * trace.Microsecond)
	s.wake(s.render, a)
	a.end()
	if skips {
		a.slice(skipDraw, values{}, 5*trace.Microsecond)
		f.Empty, f.Unchanged = true, true
		a.slice(skipCommit, values{}, 5*trace.Microsecond)
		a.end()
		a.end()
		return
	}
	for _, inject := range s.injected(v.index).inDraw {
		inject(a)
	}
	a.begin("RSSurfaceRenderNodeDrawable::OnDraw:[gallery0](0, 0, 1260, 2720)", "M0538")
	a.compute(s.part(v, 18) + s.extra(v, 10))
	a.end()
	if outside {
		s.queueGPU(a, f, v)
	}
	a.end()
	if s.Detail {
		a.slice(postLayers, values{}, 15*trace.Microsecond)
	}
	s.post(s.commit, a, func(c *actor) { s.commitFrame(c, f, v) })
	s.stats.endFrame(a, f.Start)
	a.end()
	a.compute(5 * trace.Microsecond)
}

// queueGPU queues the frame's work for the GPU.
func (s *sim) queueGPU(a *actor, f *Frame, v vsync) {
	late, works := s.choices.chance(s.Chances.RenderGPULate), 1
	if s.choices.chance(0.15) && s.scene.Cause == "" {
		works = 2
	}
	if !s.GPU {
		return
	}
	deadline := s.traceTime(v.now.add(v.period))
	if f.ExpectedEnd.Known() {
		deadline = f.ExpectedEnd
	}
	name, level := s.era.text[frameQueued], s.era.levels[frameQueued]
	for range works {
		s.gpuID++
		id, work := s.gpuID, len(s.record.gpu)
		s.record.gpu = append(s.record.gpu, Interval{s.now})
		done := max(s.injected(v.index).gpuUntil, s.now.Add(s.part(v, 20)))
		if late {
			done = max(done, s.overrun(deadline, v))
		}
		done = away(done, deadline)
		f.drawn = max(f.drawn, done)
		a.mark(func(b []byte) []byte { return s.era.numbered(b, 'S', a.pid, name, level, id) })
		s.device(gpuInterrupt, done.Sub(s.now), func(by *actor) {
			s.post(s.gpu, by, func(g *actor) {
				g.mark(func(b []byte) []byte { return s.era.numbered(b, 'F', g.pid, name, level, id) })
				s.record.gpu[work][1] = s.now
				g.compute(5 * trace.Microsecond)
			})
		})
		if works > 1 {
			a.compute(25 * trace.Microsecond)
		}
	}
}

// commitFrame hands a drawn frame over to the display.
func (s *sim) commitFrame(c *actor, f *Frame, v vsync) {
	slow := s.choices.chance(s.Chances.CommitLate)
	c.renew(v.index)
	c.compute(20 * trace.Microsecond)
	for _, inject := range s.injected(v.index).inCommit {
		inject(c)
	}
	f.Commit = s.now
	var windows []string
	for _, p := range s.apps {
		windows = append(windows, p.window)
	}
	for _, q := range s.queues {
		if q.onDisplay != nil && q.visible() {
			windows = append(windows, q.Name)
		}
	}
	c.beginMark(commitLayers, values{
		rate: v.rate, now: v.now, id: f.Vsync, size: int64(len(windows)) + 1, name: strings.Join(windows, ","),
	})
	if s.rate != v.rate {
		s.rate = v.rate
		c.slice(setMode, values{rate: v.rate}, 20*trace.Microsecond)
	}
	c.compute(s.about(30 * trace.Microsecond))
	c.beginMark(repaint, values{})
	for _, inject := range s.injected(v.index).inRepaint {
		inject(c)
	}
	if s.Detail {
		c.slice(acquireFence, values{count: 9000 + f.Vsync}, 5*trace.Microsecond)
	}
	c.compute(s.about(300 * trace.Microsecond))
	s.redraw(c, f)
	s.present(c, f, v, slow)
	c.end()
	s.releaseTaken(c, f)
	if s.Detail {
		c.slice(recordPresent, values{id: f.Vsync, fd: 2500 + f.Vsync%16}, 3*trace.Microsecond)
	}
	f.committed = s.now
	c.end()
	c.compute(10 * trace.Microsecond)
}

// present has the display show a frame at its first refresh after the commit and the GPU's
// work, and a thread wait for that. A slow commit returns only after it.
func (s *sim) present(c *actor, f *Frame, v vsync, slow bool) {
	name := values{name: s.waiter.name, count: s.fence}
	s.fence++
	ready := max(s.now.Add(10*trace.Microsecond), f.drawn)
	refresh := s.grid.after(s.monotonicTime(ready), v.index).index + s.injected(v.index).leftOut
	shown := max(s.shown, s.traceTime(s.grid.at(refresh).now).Add(150*trace.Microsecond)) // none before an earlier one
	s.shown = shown
	if slow {
		c.compute(shown.Add(s.choices.between(100*trace.Microsecond, 300*trace.Microsecond)).Sub(s.now))
	}
	if s.NoFences {
		return
	}
	if s.now >= shown {
		f.Present, f.PresentEstimated = s.now, true
		c.slice(fenceSignaled, name, 4*trace.Microsecond)
		return
	}
	c.beginMark(fencePending, name)
	c.compute(10 * trace.Microsecond)
	s.post(s.waiter, c, func(w *actor) {
		w.beginMark(fenceWait, name)
		w.compute(10 * trace.Microsecond)
		if shown > s.now {
			s.at(shown, func() { s.wake(w, nil) })
			w.block('S', reason{})
		}
		f.Present = s.now
		w.end()
		w.compute(5 * trace.Microsecond)
	})
	c.end()
}
