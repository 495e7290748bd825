package simulate

import (
	"strings"

	"ohframe/analyzer/trace"
)

// app is a running application.
type app struct {
	config    App
	window    string // name of its vsync receiver
	main      laggard
	workers   []*thread
	listener  *thread // receives vsyncs without making frames
	lastIndex int64
	queue     []*transaction // sent and not yet picked up, in order of time
	sleepsTo  int64          // index of the vsync its pause ends with
}

func (s *sim) newApp(c App) *app {
	c.Interval, c.Instances = max(1, c.Interval), max(1, c.Instances)
	if c.PayloadPID == 0 {
		c.PayloadPID = c.PID
	}
	const priority = 53
	thread := func(offset int, comm string) *thread {
		t := s.newThread(c.PID, trace.TID(c.PID)+trace.TID(offset), comm, priority)
		t.payloadPID = c.PayloadPID
		return t
	}
	a := &app{config: c, lastIndex: 100 + int64(c.PID)%7}
	a.window = c.Bundle[strings.LastIndexByte(c.Bundle, '.')+1:] + "0"
	a.main.thread = thread(0, c.Bundle)
	for i := range c.Workers {
		a.workers = append(a.workers, thread(7+i, "OS_UI_Worker_"+string(rune('1'+i))))
	}
	if c.VsyncThread {
		a.listener = thread(20, "OS_VSyncThread")
	}
	return a
}

func (a *app) threads() int {
	n := 1 + len(a.workers)
	if a.listener != nil {
		n++
	}
	return n
}

// stepApp plans the application's work on the current vsync. It reports whether the
// application is drawing.
func (s *sim) stepApp(a *app) bool {
	v := s.vsync
	asked := v.index >= a.sleepsTo && v.index%a.config.Interval == 0
	if asked && s.random.chance(s.config.Chances.AppPause) {
		a.sleepsTo = v.index + 5 + s.random.below(8)
	}
	now := s.traceTime(v.now.add(s.config.AppPhase))
	at := now.Add(s.random.between(140*trace.Microsecond, 450*trace.Microsecond))
	if asked && a.listener != nil {
		s.listen(a, v, at)
	}
	if taken, coalesced, start, ok := a.main.receive(s, v, asked, at); ok {
		s.mainFrame(a, taken, coalesced, start)
	}
	for _, th := range a.workers {
		if s.random.chance(s.config.Chances.Worker) && asked && th.freeAt < now {
			s.workerFrame(a, th, v, at.Add(150*trace.Microsecond))
		}
	}
	return asked || len(a.main.queued) > 0
}

// Shares of the period, in percent, of an application's frame.
const (
	appWorkLow, appWorkHigh = 22, 62
	// leastAppWork keeps transactions from being sent before render_service,
	// on the same vsync, has processed those of the vsync before.
	leastAppWork = 1300 * trace.Microsecond
)

// appEnd decides when a frame that starts at start and is due at deadline ends.
func (s *sim) appEnd(start, deadline trace.Time, instances int) trace.Time {
	chances, period := &s.config.Chances, s.vsync.period
	work := max(s.random.between(share(period, appWorkLow), share(period, appWorkHigh)), leastAppWork*trace.Duration(instances))
	end := start.Add(work)
	late, stuck := s.random.chance(chances.AppLate), s.random.chance(chances.AppStuck)
	overrun := s.random.between(500*trace.Microsecond, share(period, 85))
	further := s.random.between(share(period, 120), share(period, 280))
	switch {
	case stuck:
		end = max(end, deadline.Add(further))
	case late:
		end = max(end, deadline.Add(overrun))
	}
	return s.clear(s.tick(end), deadline)
}

// mainFrame plans a frame on the application's main thread.
func (s *sim) mainFrame(a *app, v vsync, coalesced int, at trace.Time) {
	now := v.now.add(s.config.AppPhase)
	expectedEnd := now.add(v.period)
	if s.random.chance(s.config.Chances.NoExpectedEnd) {
		expectedEnd = 0
	}
	f := &Frame{
		Kind: AppFrame, PID: a.config.PID, TID: a.main.thread.tid, Vsync: firstAppVsync + v.index,
		Period: v.period, Coalesced: coalesced, ExpectedStart: s.traceTime(now),
	}
	if expectedEnd != 0 && s.speller.expectedEnd {
		f.ExpectedEnd = s.traceTime(expectedEnd)
	}
	s.record.frames = append(s.record.frames, f)

	w := s.start(a.main.thread, at, s.render.generator)
	f.Start = w.t
	end := s.appEnd(f.Start, s.traceTime(now.add(v.period)), a.config.Instances)
	empty := s.random.chance(s.config.Chances.AppEmpty)

	w.begin(receiveVsync, values{
		name: a.window, bytes: 24 * int64(coalesced+1), now: now, end: expectedEnd, id: f.Vsync, fd: 61,
	})
	w.passAbout(15 * trace.Microsecond)
	if a.config.Native {
		s.buildFrame(w, a, f, now, end.Add(-10*trace.Microsecond), empty)
		w.reach(end)
		f.End = w.t
	} else {
		for i := range a.config.Instances {
			from, left := w.t, trace.Duration(a.config.Instances-i)
			w.begin(onVsyncEvent, values{now: now})
			w.passAbout(10 * trace.Microsecond)
			w.begin(uiTask, values{now: now, id: f.Vsync, count: int64(100000 + i)})
			due := from.Add(end.Sub(from) / left)
			s.buildFrame(w, a, f, now, due.Add(-20*trace.Microsecond), empty)
			w.end()
			w.reach(due)
			w.end()
			f.End = w.t
		}
		w.passAbout(12 * trace.Microsecond)
	}
	w.end()
	w.stop()
	if s.random.chance(s.config.Chances.LateFlush) && !empty {
		s.lateFlush(a, f, now)
	}
}

// buildFrame plans the content of OnVsyncEvent: layout, then the flush of the changes,
// done by the given time.
func (s *sim) buildFrame(w *work, a *app, f *Frame, now monotonic, until trace.Time, empty bool) {
	chances := &s.config.Chances
	parts := 1
	if s.random.chance(chances.SplitData) {
		parts += 1 + int(s.random.below(2))
	}
	blocked := s.random.chance(chances.AppBlocked)
	w.passAbout(10 * trace.Microsecond)
	w.begin(layoutTask, values{})
	layout := until.Add(-trace.Duration(parts)*90*trace.Microsecond - 100*trace.Microsecond)
	if left := layout.Sub(w.t); blocked && left > share(s.vsync.period, 80) {
		w.pass(share(left, 15))
		w.sleep('D', w.t.Add(share(left, 75)))
	}
	w.reach(layout)
	w.end()
	w.passAbout(8 * trace.Microsecond)
	w.begin(flushMessages, values{})
	w.passAbout(8 * trace.Microsecond)
	if !empty || s.speller.has(uiSkip) {
		w.begin(sendCommands, values{count: int64(a.config.PID) << 32})
		w.passAbout(8 * trace.Microsecond)
		if empty {
			w.slice(uiSkip, values{}, 3*trace.Microsecond)
		}
		for range parts {
			if !empty {
				s.arrive(w.send(a, f, now))
				w.passAbout(6 * trace.Microsecond)
			}
		}
		w.end()
	}
	w.end()
}

// lateFlush sends once more after the frame has ended. Where transactions are
// stamped with thread and vsync, half of them still belong to the frame; the
// others were sent for no vsync.
func (s *sim) lateFlush(a *app, f *Frame, now monotonic) {
	stamp, owner := now, f
	if s.random.chance(0.5) || !s.speller.stampedThread {
		stamp, owner = 0, nil
	}
	at := a.main.thread.freeAt.Add(s.random.between(150*trace.Microsecond, 300*trace.Microsecond))
	next := s.traceTime(s.vsync.now.add(s.vsync.period))
	if at.Add(500*trace.Microsecond) > next {
		return
	}
	w := s.start(a.main.thread, at, nil)
	w.begin(sendCommands, values{count: int64(a.config.PID) << 32})
	w.passAbout(8 * trace.Microsecond)
	tr := w.send(a, owner, stamp)
	tr.byStamp = true
	w.pass(4 * trace.Microsecond)
	w.end()
	w.stop()
	s.arrive(tr)
}

// workerFrame plans a frame on a UI thread other than the main one.
func (s *sim) workerFrame(a *app, th *thread, v vsync, at trace.Time) {
	now := v.now.add(s.config.AppPhase)
	f := &Frame{
		Kind: AppFrame, PID: a.config.PID, TID: th.tid, Vsync: firstAppVsync + v.index, Period: v.period,
	}
	s.record.frames = append(s.record.frames, f)
	w := s.start(th, at, a.main.thread)
	f.Start = w.t
	end := s.appEnd(f.Start, s.traceTime(now.add(v.period)), 1)
	empty := s.random.chance(s.config.Chances.AppEmpty)
	batched := s.random.chance(0.8)
	if batched {
		w.begin(uvTrace, values{})
		w.passAbout(6 * trace.Microsecond)
	}
	w.begin(onVsyncEvent, values{now: now})
	w.passAbout(8 * trace.Microsecond)
	w.begin(uiTask, values{now: now, id: f.Vsync, count: 200000})
	s.buildFrame(w, a, f, now, end.Add(-20*trace.Microsecond), empty)
	w.end()
	w.reach(end)
	w.end()
	f.End = w.t
	if batched {
		w.passAbout(10 * trace.Microsecond)
		w.end()
	}
	w.stop()
}

// listen plans a vsync that is received by a thread without frames.
func (s *sim) listen(a *app, v vsync, at trace.Time) {
	w := s.start(a.listener, at, s.render.generator)
	now := v.now.add(s.config.AppPhase)
	w.begin(receiveVsync, values{
		name: "displaySoloist", bytes: 24, now: now, end: now.add(v.period), id: firstAppVsync + v.index, fd: 77,
	})
	w.passAbout(40 * trace.Microsecond)
	w.end()
	w.stop()
}
