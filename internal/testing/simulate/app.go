package simulate

import (
	"fmt"
	"strings"

	"ohframe/analyzer/trace"
)

// app is a running application.
type app struct {
	App
	window    string // name of its vsync receiver
	main      *actor
	workers   []*actor
	listener  *actor  // receives vsyncs without making frames
	due       []vsync // delivered, not yet received
	lastIndex int64
	queue     []*transaction // sent and not yet picked up
	sleepsTo  int64          // index of the vsync its pause ends with

	drawing int          // reasons to draw, of an application that draws on demand
	silent  int          // scenes under way in which it sends nothing
	scenes  []*openScene // scenes under way
	inFrame []func(a *actor)
	last    *monotonic // the vsync of its last frame
}

// transaction is the data that a UI thread sends to render_service.
type transaction struct {
	app     *app
	index   int64
	stamp   monotonic // vsync time of its frame; zero: sent for no vsync
	frame   *Frame    // nil if it belongs to no frame
	byStamp bool      // sent after its frame's end; only the timestamp identifies the frame

	tid     trace.TID // that sent it
	sent    trace.Time
	arrives trace.Time
	hold    bool // render_service defers it once
	lost    bool

	takenBy *Frame
	takenAt trace.Time
}

func (s *sim) addApp(c App, cpu int) *actor {
	c.Interval, c.Instances = max(1, c.Interval), max(1, c.Instances)
	p := &app{App: c, lastIndex: 300, window: c.Bundle[strings.LastIndexByte(c.Bundle, '.')+1:] + "0"}
	p.main = s.add(c.PID, trace.TID(c.PID), comm(c.Bundle), c.Bundle, cpu, 10)
	s.apps = append(s.apps, p)
	return p.main
}

// addThreads makes the threads of an application that are on processors of their own.
func (s *sim) addThreads(p *app) {
	add := func(offset trace.TID, name string) *actor {
		return s.add(p.PID, trace.TID(p.PID)+offset, p.main.process, name, s.newCore(clusters[1].top).index, 10)
	}
	for i := range p.Workers {
		p.workers = append(p.workers, add(trace.TID(11+i), fmt.Sprintf("OS_UI_Worker_%d", i+1)))
	}
	if p.VsyncThread {
		p.listener = add(20, "OS_VSyncThread")
	}
}

// deliver gives an application a vsync.
func (s *sim) deliver(p *app, by *actor, v vsync) {
	p.due = append(p.due, v)
	s.post(p.main, by, func(a *actor) { s.appFrame(p, a) })
	for _, w := range p.workers {
		if s.choices.chance(s.Chances.Worker) && w.idle {
			s.post(w, by, func(a *actor) { s.workerFrame(p, a, v) })
		}
	}
	if p.listener != nil {
		s.post(p.listener, by, func(a *actor) {
			end := v.now.add(v.period)
			a.slice(receiveVsync, values{name: "displaySoloist", bytes: 24, now: v.now, end: end, id: firstAppVsync + v.index, fd: 77}, 40*trace.Microsecond)
		})
	}
}

// plight is what goes wrong with an application's frame.
type plight struct {
	until   trace.Time // it is late: its work lasts until then
	blocked bool       // because it waits for storage
	empty   bool       // it sends nothing
	parts   int        // it sends so many transactions
}

func (s *sim) plight(v vsync, deadline trace.Time) plight {
	p, c := plight{parts: 1}, &s.Chances
	late, stuck := s.choices.chance(c.AppLate), s.choices.chance(c.AppStuck)
	switch {
	case stuck:
		p.until = deadline.Add(s.choices.between(share(v.period, 120), share(v.period, 280)))
	case late:
		p.until = s.overrun(deadline, v)
	}
	p.blocked, p.empty = s.choices.chance(c.AppBlocked), s.choices.chance(c.AppEmpty)
	if s.choices.chance(c.SplitData) {
		p.parts += 1 + int(s.choices.below(2))
	}
	return p
}

// appFrame receives the newest vsync on an application's main thread.
func (s *sim) appFrame(p *app, a *actor) {
	if len(p.due) == 0 {
		return
	}
	coalesced := len(p.due) - 1
	v := p.due[coalesced]
	p.due, p.last = nil, &v.now
	end := v.now.add(p.budget(v))
	deadline := s.traceTime(end)
	if s.choices.chance(s.Chances.NoExpectedEnd) {
		end = 0
	}
	f := &Frame{
		Kind: AppFrame, PID: p.PID, TID: a.tid, Vsync: firstAppVsync + v.index, Period: p.budget(v),
		Coalesced: coalesced, ExpectedStart: s.traceTime(v.now),
	}
	if end != 0 {
		f.ExpectedEnd = deadline
	}
	s.record.frames = append(s.record.frames, f)
	a.renew(v.index)
	a.compute(s.about(100*trace.Microsecond) + s.extra(v, 4))
	f.Start = s.now
	ran := a.runTime()
	a.beginMark(receiveVsync, values{
		name: p.window, bytes: 24 * int64(coalesced+1), now: v.now, end: end, id: f.Vsync, fd: 61,
	})
	a.compute(15 * trace.Microsecond)
	wrong := s.plight(v, deadline)
	wrong.empty = wrong.empty || p.silent > 0
	for i := range p.Instances {
		a.beginMark(onVsyncEvent, values{now: v.now})
		for _, change := range s.injected(v.index).around {
			change(a, true)
		}
		a.compute(10 * trace.Microsecond)
		a.beginMark(uiTask, values{now: v.now, id: f.Vsync, count: int64(100000 + i)})
		s.build(p, a, f, v, wrong, i == p.Instances-1)
		a.end()
		a.compute(s.about(20 * trace.Microsecond))
		for _, change := range s.injected(v.index).around {
			change(a, false)
		}
		if i == p.Instances-1 {
			s.frameDone(p, a)
			s.keepAway(a, deadline)
		}
		a.end()
		f.End, f.CPUTime = s.now, a.runTime()-ran
	}
	a.compute(12 * trace.Microsecond)
	for _, after := range s.injected(v.index).atEnd {
		after(a)
	}
	a.end()
	a.compute(8 * trace.Microsecond)
	if p.Asks {
		s.post(s.unmarshal, a, func(u *actor) {
			u.begin(p.window+"_RequestNextVSync", "M0538")
			u.compute(8 * trace.Microsecond)
			u.end()
		})
	}
	if s.choices.chance(s.Chances.LateFlush) && !wrong.empty {
		s.lateFlush(p, a, f, v)
	}
}

// build is the content of OnVsyncEvent: layout, then the flush of the changes. What is
// wrong happens to the last instance.
func (s *sim) build(p *app, a *actor, f *Frame, v vsync, wrong plight, last bool) {
	// Instances share the time of a frame.
	part := func(percent int) trace.Duration { return s.part(v, percent) / trace.Duration(p.Instances) }
	if last && a == p.main {
		s.syncDisplay(p, a, f, v)
	}
	a.begin("FlushBuild", "I39")
	a.compute(part(5))
	a.end()
	s.usualDecoy(a, v)

	a.beginMark(layoutTask, values{})
	a.compute(part(4))
	a.begin("CreateTaskMeasure[List][self:86][parent:85]", "I39")
	a.compute(part(8))
	a.end()
	for _, inject := range s.injected(v.index).inFrame {
		inject(a)
	}
	for len(p.inFrame) > 0 && a == p.main {
		do := p.inFrame[0]
		p.inFrame = p.inFrame[1:]
		do(a)
	}
	a.compute(s.extra(v, 40) / trace.Duration(p.Instances))
	if d := wrong.until.Sub(s.now); wrong.until.Known() && last && d > 0 {
		if wrong.blocked {
			s.read(a, d, 'D', reason{1, s.caller("io_schedule")})
		} else {
			a.compute(d)
		}
	}
	a.begin("CreateTaskLayout[List][self:86][parent:85]", "I39")
	a.compute(part(6))
	a.end()
	a.compute(part(4))
	a.end()
	s.inSlice(a, "FlushRenderTask", "I39", part(6))
	s.flush(p, a, f, v, wrong)
}

// flush sends the frame's transactions.
func (s *sim) flush(p *app, a *actor, f *Frame, v vsync, wrong plight) {
	a.beginMark(flushMessages, values{})
	a.compute(s.part(v, 2))
	if !wrong.empty || s.era.has(uiSkip) {
		a.beginMark(sendCommands, values{count: int64(p.PID) << 32})
		a.compute(10 * trace.Microsecond)
		if wrong.empty {
			a.slice(uiSkip, values{}, 3*trace.Microsecond)
		} else {
			for range wrong.parts {
				s.send(p, a, f, v, v.now)
			}
		}
		a.end()
		a.compute(10 * trace.Microsecond)
	}
	a.end()
}

// send sends a transaction.
func (s *sim) send(p *app, a *actor, f *Frame, v vsync, stamp monotonic) *transaction {
	p.lastIndex++
	tr := &transaction{app: p, index: p.lastIndex, stamp: stamp, frame: f, tid: a.tid, sent: s.now, hold: s.injected(v.index).held}
	tr.lost = s.choices.chance(s.Chances.Lost)
	s.record.transactions = append(s.record.transactions, tr)
	a.beginMark(marshTransaction, values{count: 12, pid: p.PID, tid: a.tid, index: tr.index, now: stamp})
	a.compute(s.about(60 * trace.Microsecond))
	tr.arrives = s.now
	tr.hold = s.choices.chance(s.Chances.Held) || tr.hold
	at := s.injected(v.index).slow
	if at.Known() {
		tr.arrives = at
	}
	if s.Detail && !tr.lost || at.Known() {
		s.post(s.unmarshal, a, func(u *actor) {
			u.beginMark(unmarshTransaction, values{pid: p.PID})
			u.compute(max(at.Sub(s.now), 15*trace.Microsecond))
			u.end()
		})
	}
	p.queue = append(p.queue, tr)
	a.end()
	return tr
}

// lateFlush sends once more after the frame has ended. Where transactions are
// stamped with thread and vsync, half of them still belong to the frame; the
// others were sent for no vsync.
func (s *sim) lateFlush(p *app, a *actor, f *Frame, v vsync) {
	stamp, owner := v.now, f
	if s.choices.chance(0.5) || !s.era.stampedThread {
		stamp, owner = 0, nil
	}
	a.compute(s.choices.between(150*trace.Microsecond, 300*trace.Microsecond))
	if len(p.due) > 0 {
		return
	}
	a.beginMark(sendCommands, values{count: int64(p.PID) << 32})
	a.compute(8 * trace.Microsecond)
	s.send(p, a, owner, v, stamp).byStamp = true
	a.compute(4 * trace.Microsecond)
	a.end()
}

// workerFrame makes a frame on a UI thread other than the main one.
func (s *sim) workerFrame(p *app, a *actor, v vsync) {
	f := &Frame{Kind: AppFrame, PID: p.PID, TID: a.tid, Vsync: firstAppVsync + v.index, Period: v.period}
	s.record.frames = append(s.record.frames, f)
	a.renew(v.index)
	a.compute(s.about(250 * trace.Microsecond))
	f.Start = s.now
	ran := a.runTime()
	wrong, batched := s.plight(v, s.traceTime(v.now.add(v.period))), s.choices.chance(0.8)
	if batched {
		a.beginMark(uvTrace, values{})
		a.compute(6 * trace.Microsecond)
	}
	a.beginMark(onVsyncEvent, values{now: v.now})
	a.compute(8 * trace.Microsecond)
	a.beginMark(uiTask, values{now: v.now, id: f.Vsync, count: 200000})
	s.build(p, a, f, v, wrong, true)
	a.end()
	s.keepAway(a, s.traceTime(v.now.add(v.period)))
	a.end()
	f.End, f.CPUTime = s.now, a.runTime()-ran
	if batched {
		a.compute(10 * trace.Microsecond)
		a.end()
	}
}
