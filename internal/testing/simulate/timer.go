package simulate

import (
	"slices"

	"ohframe/analyzer/trace"
)

// Timer is a loop in which an application draws pictures without vsyncs.
type Timer struct {
	FPS int
	// At is when it begins, from the first vsync, and Length how long it runs.
	At, Length trace.Duration
	// Work is how long a picture takes. Troubles are TroubleWork and TroublePause.
	Work     trace.Duration
	Troubles []Trouble
	// Thread gives it a thread of its own. With Turns, several take turns without a pattern.
	Thread bool
	Turns  int
	// Parts is in how many transactions a picture is sent; zero means one.
	Parts int
	// Stamped: it states the vsync of the application's last frame.
	Stamped bool
	// Now and then: a picture comes after one to eight intervals. That is no rate.
	Irregular bool
}

// TimerTruth is a timer as far as the text of the trace contains it.
type TimerTruth struct {
	PID      trace.PID
	Every    trace.Duration // from one picture to the next
	Pictures []PictureTruth
	timer    *Timer
	sent     []*transaction
	number   []int // of the picture, by transaction
}

// PictureTruth is a picture, by its last transaction. Zero is unknown.
type PictureTruth struct {
	Number               int // counts from 0
	Index                int64
	TID                  trace.TID
	Sent, Taken, Present trace.Time
}

// drawLoop is a running Timer.
type drawLoop struct {
	*Timer
	s       *sim
	app     *app
	threads []*actor
	truth   *TimerTruth
}

func (s *sim) addTimers() {
	for _, p := range s.apps {
		for i := range p.Timers {
			t := &drawLoop{Timer: &p.Timers[i], s: s, app: p, threads: []*actor{p.main}}
			if t.Thread || t.Turns > 0 {
				t.threads = nil
				for n := range max(1, t.Turns) {
					tid := trace.TID(p.PID) + trace.TID(40+10*i+n)
					t.threads = append(t.threads, s.add(p.PID, tid, p.main.process, "DrawLoop_"+string(rune('A'+10*i+n)), s.layerCore(), 10))
				}
			}
			t.truth = &TimerTruth{PID: p.PID, Every: trace.Second / trace.Duration(t.FPS), timer: t.Timer}
			s.truth.timers = append(s.truth.timers, t.truth)
			t.next(0, t.At)
		}
	}
}

// next plans the picture of a number, so long after the first vsync.
func (t *drawLoop) next(n int, after trace.Duration) {
	if t.Length > 0 && after >= t.At+t.Length {
		return
	}
	s := t.s
	every := trace.Second / trace.Duration(t.FPS)
	s.at(s.traceTime(firstVsync).Add(after), func() {
		if s.ended {
			return
		}
		thread := t.threads[0]
		if t.Turns > 0 {
			thread = t.threads[s.choices.below(int64(t.Turns))]
		}
		s.post(thread, nil, func(a *actor) {
			late, pause := trace.Duration(0), trace.Duration(0)
			for _, x := range t.Troubles {
				switch {
				case x.Buffer != n:
				case x.Kind == TroubleWork:
					late = x.Length
				case x.Kind == TroublePause:
					pause = x.Length
				}
			}
			s.inSlice(a, "Compose:draw", appLevel62, s.about(t.Work)+late)
			stamp := monotonic(0)
			if t.Stamped && t.app.last != nil {
				stamp = *t.app.last
			}
			for range max(1, t.Parts) {
				t.truth.sent = append(t.truth.sent, s.send(t.app, a, nil, vsync{index: -1}, stamp))
				t.truth.number = append(t.truth.number, n)
			}
			a.compute(10 * trace.Microsecond)
			// A timer leaves out what it missed.
			until := after + every + pause
			if t.Irregular {
				until += every * trace.Duration(s.choices.below(8))
			}
			for s.traceTime(firstVsync).Add(until) < s.now {
				until += every
			}
			t.next(n+1, until)
		})
	})
}

// settleTimers derives what is known of the pictures from the lines in [from, to).
func (s *sim) settleTimers() {
	from, to := s.text.from, s.text.to
	if to == 0 {
		to = trace.Time(1<<63 - 1)
	}
	inside := func(t trace.Time) bool { return t != 0 && from <= t && t < to }
	for _, t := range s.truth.timers {
		for i, tr := range t.sent {
			if !inside(tr.sent) || i+1 < len(t.sent) && t.number[i+1] == t.number[i] && inside(t.sent[i+1].sent) {
				continue
			}
			p := PictureTruth{Number: t.number[i], Index: tr.index, TID: tr.tid, Sent: tr.sent}
			if f := tr.takenBy; f != nil && inside(tr.takenAt) && slices.Contains(s.truth.Frames, f) && f.Start.Known() {
				if p.Taken = tr.takenAt; f.Commit.Known() {
					p.Present = f.Present
				}
			}
			t.Pictures = append(t.Pictures, p)
		}
		if len(t.Pictures) > 0 && !t.timer.Irregular {
			s.truth.Timers = append(s.truth.Timers, t)
		}
	}
}

// Timed is a trace of an application that draws at 60 of 120 Hz without vsyncs, and once works for 40 ms longer.
func Timed(thread bool) Config {
	c := Default()
	c.Kernel, c.Duration, c.Rates = KernelHongMeng, 1500*ms, []Rate{{Hz: 120}}
	t := Timer{FPS: 60, At: 50 * ms, Work: 3 * ms, Thread: thread, Troubles: []Trouble{{30, TroubleWork, 40 * ms}}}
	c.Apps = []App{{Bundle: "com.kuikly.app", PID: 20170, OnDemand: true, Timers: []Timer{t}}}
	return c
}

// AnyTimers is a trace of applications that draw without vsyncs, and of some that do not, each in ways of its own.
func AnyTimers(seed uint64) Config {
	r := newRandom(seed, 11)
	chance := func(n int64) bool { return r.below(n) == 0 }
	between := func(from, to int64) trace.Duration { return r.between(trace.Duration(from)*ms, trace.Duration(to)*ms) }
	c := Default()
	c.Seed, c.Duration = seed, between(900, 3000)
	c.Rates = []Rate{{Hz: []int{60, 72, 90, 120}[r.below(4)]}}
	c.ClockOffset = trace.Duration(r.below(3)) * 1234 * trace.Second
	c.CutStart, c.CutEnd, c.NoFences = chance(4), chance(4), chance(10)
	c.Kernel = []Kernel{KernelNone, KernelLinux, KernelHongMeng}[r.below(3)]
	c.GPU, c.Detail = chance(2), chance(2)
	c.Apps = nil
	for i, bundle := range []string{"com.example.kuikly", "com.example.engine", "com.example.arkui"}[:1+r.below(3)] {
		a := App{Bundle: bundle, PID: trace.PID(20170 + 1000*i), OnDemand: true}
		if chance(3) {
			a.Draws = between(50, 300)
		}
		if i == 2 || chance(5) { // draws with vsyncs
			a.OnDemand, a.Interval = false, 1+r.below(2)
			c.Apps = append(c.Apps, a)
			continue
		}
		t := Timer{FPS: []int{20, 24, 30, 60, 72, 90, 120}[r.below(7)], At: a.Draws + between(60, 200), Work: between(1, 5), Stamped: chance(2), Irregular: chance(4)}
		switch {
		case chance(3):
			t.Thread = true
		case chance(6):
			t.Turns = 3
		}
		if chance(4) {
			t.Parts = 2
		}
		if chance(3) {
			t.Length = between(400, 900)
		}
		for range r.below(3) {
			t.Troubles = append(t.Troubles, Trouble{int(12 + r.below(40)), []TroubleKind{TroubleWork, TroublePause}[r.below(2)], between(20, 400)})
		}
		a.Timers = []Timer{t}
		c.Apps = append(c.Apps, a)
	}
	c.Chances = Chances{AppLate: 0.05, LateFlush: 0.3, RenderLate: 0.02, AppEmpty: 0.05}
	return c
}
