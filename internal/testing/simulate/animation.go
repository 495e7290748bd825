package simulate

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// Pause is a time in which an application draws nothing, from the first vsync.
type Pause struct {
	At, Length trace.Duration
}

// paused reports whether the application draws nothing on a vsync.
func (p *app) paused(v vsync) bool {
	return slices.ContainsFunc(p.Pauses, func(x Pause) bool {
		return v.now >= firstVsync.add(x.At) && v.now < firstVsync.add(x.At+x.Length)
	})
}

// budget is how long the application has for a frame. One that asks for fewer vsyncs than the
// display has them has longer.
func (p *app) budget(v vsync) trace.Duration {
	if p.Own {
		return v.period * trace.Duration(p.Interval)
	}
	return v.period
}

// Animation is a random trace of an application that draws on every n-th vsync, with pauses, scenes
// and late frames. All that the measures of smooth animations depend on is in its truth.
func Animation(seed uint64) Config {
	r := newRandom(seed, 11)
	chance := func(n int64) bool { return r.below(n) == 0 }
	between := func(from, to int64) trace.Duration { return r.between(trace.Duration(from)*ms, trace.Duration(to)*ms) }
	c := Default()
	c.Seed, c.Duration = seed, between(2500, 6000)
	c.Chances.RenderSkip = 1
	hz := []int{60, 90, 120}[r.below(3)]
	c.Rates = []Rate{{Hz: hz}}
	gallery := App{Bundle: "com.example.gallery", PID: 20170, Interval: 1 + r.below(4)}
	switch {
	case chance(12): // a clock
		gallery.Interval, c.Duration = int64(hz), c.Duration*3
	case chance(6): // the display follows the application
		gallery.Interval = 1
		c.Rates = append(c.Rates, Rate{From: between(800, 2000), Hz: []int{30, 60, 90}[r.below(3)]})
	default:
		gallery.Own = chance(3)
	}
	if chance(2) {
		c.Chances.AppLate, c.Chances.AppStuck, c.Chances.RenderLate, c.Chances.CommitLate = .06, .02, .04, .03
	}
	// Times without pauses and with one follow each other. Scenes are within one, or around a pause.
	at := 100 * ms
	for at < c.Duration-1200*ms && gallery.Interval <= 4 {
		run, pause := between(300, 900), between(250, 900)
		if chance(4) {
			pause += 900 * ms
			c.Hangs = append(c.Hangs, Hang{At: at + run + pause/2 - 150*ms, Length: between(260, 320), Name: "JSONParse"})
		} else if chance(3) && gallery.Interval == 1 {
			pause = 30 * ms
		}
		fling := Interaction{Scene: "APP_LIST_FLING", Page: "pages/Index", Input: FirstMove, Delay: 40 * ms}
		switch r.below(3) {
		case 0:
			fling.At, fling.Length = at+50*ms, run-100*ms
			c.Interactions = append(c.Interactions, fling)
		case 1:
			fling.At, fling.Length = at+100*ms, run+pause+50*ms
			c.Interactions = append(c.Interactions, fling)
		}
		gallery.Pauses = append(gallery.Pauses, Pause{at + run, pause})
		at += run + pause + 250*ms
	}
	c.Apps = []App{gallery}
	if chance(3) { // the service shows both
		c.Apps = append(c.Apps, App{Bundle: "com.example.notes", PID: 20480, Interval: 1 + r.below(2)})
	}
	return c
}

// ShownTruth is how the frames of a process were shown.
type ShownTruth struct {
	Kind     Kind
	PID      trace.PID
	Presents int
	// Active is the time between the first and the last present that is not idle. FPS and Cadence
	// are nil if no two frames follow each other without idle time, and so is Ratio, in ms/s.
	Active  trace.Duration
	FPS     *float64
	Cadence *CadenceTruth
	Hitches int
	Hitch   trace.Duration
	Ratio   *float64
}

// settleShown derives how the frames of each process were shown. What is idle follows from what
// the applications were told to do.
func (s *sim) settleShown() {
	for _, p := range s.apps {
		frames, _ := s.shownFrames(p.PID)
		s.showProcess(AppFrame, p.PID, frames, []*app{p})
	}
	_, frames := s.shownFrames(0)
	s.showProcess(RenderFrame, renderPID, frames, s.apps)
}

func (s *sim) showProcess(kind Kind, pid trace.PID, frames []shownFrame, apps []*app) {
	gaps := gapsOf(frames)
	if len(gaps) == 0 {
		return
	}
	t := &ShownTruth{Kind: kind, PID: pid, Presents: len(gaps) + 1}
	for i := range gaps {
		g := &gaps[i]
		if !s.inScene(t, g) {
			s.pause(g, apps, kind)
		}
		if g.late*10 >= 7*g.period {
			t.Hitches++
			t.Hitch += g.late
		}
	}
	if t.FPS, t.Active, t.Cadence = rate(gaps); t.FPS != nil {
		ratio := 1000 * float64(t.Hitch) / float64(t.Active)
		t.Ratio = &ratio
	}
	s.truth.Shown = append(s.truth.Shown, t)
}

// inScene reports whether a gap is between two pictures of a scene that the process draws.
func (s *sim) inScene(t *ShownTruth, g *gap) bool {
	return slices.ContainsFunc(s.truth.Interactions, func(i *InteractionTruth) bool {
		n := len(i.Frames)
		if n == 0 || i.Kind != "scene" || !i.whole() || t.Kind == AppFrame && (i.Counted != "application" || i.PID != t.PID) {
			return false
		}
		render := func(f *Frame) *Frame { return cmp.Or(f.TakenBy, f) }
		return render(i.Frames[0]).Start <= g.from.Start && g.to.Start <= render(i.Frames[n-1]).Start
	})
}

// pause sets the idle time of a gap outside of scenes: until the second frame was begun, but for
// the hangs of the application, if all applications pause in it.
func (s *sim) pause(g *gap, apps []*app, kind Kind) {
	for _, p := range apps {
		slow := trace.Duration(p.Interval)*g.period > max(100*ms, 6*g.period)
		between := func(x Pause) bool {
			begin := s.traceTime(firstVsync.add(x.At))
			return x.Length > max(100*ms, 6*g.period) && g.from.Start <= begin.Add(6*g.period) && begin.Add(x.Length) <= g.to.Start
		}
		if !slow && !slices.ContainsFunc(p.Pauses, between) {
			return
		}
	}
	g.idle = g.unasked
	begin, due := g.from.ExpectedStart.Add(g.period), g.from.ExpectedStart.Add(g.period+g.unasked)
	for _, f := range s.truth.Frames {
		// One that shows nothing, but is late.
		if f.Kind == kind && kind == RenderFrame && f.Late && !f.Present.Known() && begin < f.End && f.ExpectedStart < due {
			g.idle -= min(due, max(f.End, f.Deadline)).Sub(max(begin, f.ExpectedStart))
		}
	}
	for _, h := range s.truth.Hangs {
		if kind == AppFrame && h.PID == apps[0].PID && g.from.Start < h.Start && h.Start < g.to.Start {
			g.idle -= h.Duration
		}
	}
	g.idle = min(g.idle, g.length-g.period)
}
