package simulate

import (
	"fmt"
	"slices"
	"strconv"

	"ohframe/analyzer/trace"
)

// Interaction is what a user does with an application: the application marks its begin and
// its end with an asynchronous slice, a scene. Eras before 4.0 have none.
type Interaction struct {
	// App is the index of the application in Apps.
	App int
	// Scene is its name, such as APP_LIST_FLING. Whether the application or render_service
	// draws its frames follows from the name and the era, as on a device.
	Scene string
	// At is when it begins, from the first vsync.
	At trace.Duration
	// Length is from its begin to its end. A scene without an end draws so long.
	Length trace.Duration
	// Input is the kind of touch that it counts from, which comes Delay before its begin.
	// Without one, the device takes the time of the begin.
	Input Input
	Delay trace.Duration
	// Page is the page that render_service names.
	Page string
	// Drag is the length of a drag that comes before a fling, Tail that of the slow end.
	Drag, Tail trace.Duration
	// Silent makes the application send nothing: render_service animates alone.
	Silent bool
	// NoDraw makes nobody draw.
	NoDraw bool
	// InFrame begins the scene within a frame of the application.
	InFrame bool
	// NoBegin leaves the markers of the begin out, NoEnd those of the end.
	NoBegin, NoEnd bool
}

// Input is a kind of touch.
type Input string

const (
	NoInput   Input = ""
	FirstMove Input = "first_move"
	LastUp    Input = "last_up"
	LastDown  Input = "last_down"
)

// Hang is a task of an application's main thread that runs long outside of frames.
type Hang struct {
	App    int
	At     trace.Duration
	Length trace.Duration
	Name   string
}

// explicit are the scenes whose frames the application draws.
var explicit = []string{
	"APP_LIST_FLING", "APP_SWIPER_SCROLL", "SNAP_RECENT_ANI", "WINDOW_RECT_RESIZE", "WINDOW_RECT_MOVE", "ABILITY_OR_PAGE_SWITCH_INTERACTIVE",
}

// since reports whether the era is another one or a later one.
func (e *era) since(name string) bool {
	return slices.Index(eras, e) >= slices.Index(eras, findEra(name))
}

// openScene is a scene under way.
type openScene struct {
	*Interaction
	app      *app
	explicit bool
	input    monotonic // what the device takes for it
	vsync    monotonic // begin of its first frame
	frames   int       // of the application since the begin
	note     string    // how render_service writes it, less its input time and what follows
}

func (r *openScene) uid() int64 { return int64(r.vsync) / int64(trace.Millisecond) }

const appLevel, inputLevel, abilityLevel = "M0539", "M34", "M31"

// interact arranges what the user does.
func (s *sim) interact() {
	if s.interactive() {
		s.stats = newJankStats(s)
	}
	for _, p := range s.apps {
		if p.Draws > 0 {
			p.drawing++
			s.after(lead+p.Draws, func() { p.drawing-- })
		}
	}
	for i := range s.Interactions {
		in := &s.Interactions[i]
		if in.Input != NoInput {
			s.touch(in)
		}
		s.play(in)
	}
	for _, h := range s.Hangs {
		p := s.apps[h.App]
		s.at(s.traceTime(firstVsync).Add(h.At), func() { s.post(p.main, nil, func(a *actor) { s.offFrame(a, h.Name, "M0538", h.Length) }) })
	}
	for i := range s.Launches {
		s.launch(&s.Launches[i])
	}
}

// play arranges a scene, without its touch.
func (s *sim) play(in *Interaction) {
	r := &openScene{Interaction: in, app: s.apps[in.App], explicit: slices.Contains(explicit, in.Scene)}
	r.note = in.Scene + ", " + r.app.Bundle + ", " + in.Page
	begin := s.traceTime(firstVsync).Add(in.At)
	post := func(after trace.Duration, do func(a *actor, r *openScene)) {
		s.at(begin.Add(after), func() { s.post(r.app.main, nil, func(a *actor) { do(a, r) }) })
	}
	if in.InFrame {
		s.at(begin, func() {
			r.app.drawing++
			r.app.inFrame = append(r.app.inFrame, func(a *actor) {
				r.app.drawing--
				s.beginScene(a, r)
			})
		})
	} else {
		post(0, s.beginScene)
	}
	if in.Tail > 0 {
		post(in.Length-in.Tail, s.beginTail)
	}
	if !r.explicit {
		// render_service's animation ends before the application hears of it; one that the
		// application has a part in, with it.
		length := in.Length
		if in.Silent {
			length -= 40 * trace.Millisecond
		}
		s.at(begin.Add(length), func() {
			if !in.NoDraw {
				s.animating--
			}
			s.stats.implicitEnd(r)
		})
	}
	post(in.Length, s.endScene)
}

func (s *sim) interactive() bool { return len(s.Interactions)+len(s.Launches) > 0 }

// asynchronous writes the begin or the end of an asynchronous slice.
func (a *actor) asynchronous(phase byte, name, level string, id int64) {
	a.mark(func(b []byte) []byte { return a.m.era.numbered(b, phase, a.pid, name, level, id) })
}

// note writes a slice that takes a few microseconds.
func (a *actor) note(text, level string) {
	a.begin(text, level)
	a.compute(4 * trace.Microsecond)
	a.end()
}

// touch has the application receive a touch. Its time is that of the hardware's interrupt.
func (s *sim) touch(in *Interaction) {
	mono := firstVsync.add(in.At - in.Delay)
	s.at(s.traceTime(mono).Add(2*trace.Millisecond), func() {
		s.post(s.apps[in.App].main, nil, func(a *actor) { s.touches++; s.dispatch(a, in.Input, mono, in.Drag, s.touches) })
	})
}

// dispatch handles a touch on a main thread.
func (s *sim) dispatch(a *actor, kind Input, mono monotonic, drag trace.Duration, id int64) {
	a.asynchronous('S', "touchEventDispatch", inputLevel, id)
	a.begin("client dispatch touchId:"+strconv.FormatInt(id, 10), inputLevel)
	a.compute(60 * trace.Microsecond)
	text := fmt.Sprintf("RecordInputEvent: %s=%d(ns)", kind, mono)
	if s.era.since("6.0") {
		text += ", pos=(" + strconv.FormatInt(400+id%100, 10) + ",1200)"
	}
	a.note(text, appLevel)
	a.end()
	if drag == 0 {
		a.asynchronous('F', "touchEventDispatch", inputLevel, id)
		return
	}
	s.after(drag, func() {
		s.post(a, nil, func(a *actor) {
			a.asynchronous('F', "touchEventDispatch", inputLevel, id)
			a.compute(5 * trace.Microsecond)
		})
	})
}

// beginScene marks the begin of a scene as the framework does.
func (s *sim) beginScene(a *actor, r *openScene) {
	e, p := s.era, r.app
	a.compute(20 * trace.Microsecond)
	r.input = s.monotonicTime(s.now)
	lines := !r.NoBegin
	now := func() {
		if lines && r.Input == NoInput {
			a.note("GetInputTime: now time", appLevel)
		}
	}
	if r.Input != NoInput {
		r.input = s.monotonicTime(s.traceTime(firstVsync).Add(r.At - r.Delay))
	}
	later := e.since("6.0-novulkan")
	if !later {
		now()
	}
	if lines {
		a.begin("Animation start and current sceneId="+r.Scene, appLevel)
		a.compute(3 * trace.Microsecond)
	}
	if later {
		now()
	}
	if lines {
		a.asynchronous('S', r.Scene, appLevel, 0)
	}
	a.compute(4 * trace.Microsecond)
	if lines {
		a.end()
	}
	p.scenes = append(p.scenes, r)
	if r.Silent {
		p.silent++
	}
	if r.NoDraw {
		return
	}
	p.drawing++
	if !r.explicit {
		s.animating++
	}
	r.vsync = r.input
}

func (s *sim) beginTail(a *actor, r *openScene) {
	name, id := s.tail()
	a.asynchronous('S', name, appLevel, id)
	a.compute(5 * trace.Microsecond)
}

// tail is how the slow end of a fling is written.
func (s *sim) tail() (name string, id int64) {
	if s.era.since("5.1.0") {
		id = 86
	}
	return "TRAILING_ANIMATION 86 List", id
}

func (s *sim) endScene(a *actor, r *openScene) {
	p := r.app
	a.compute(20 * trace.Microsecond)
	if r.Tail > 0 {
		name, id := s.tail()
		a.asynchronous('F', name, appLevel, id)
	}
	p.scenes = slices.DeleteFunc(p.scenes, func(q *openScene) bool { return q == r })
	if r.Silent {
		p.silent--
	}
	if !r.NoDraw && (!r.Silent || r.frames < 2) {
		p.drawing--
	}
	if r.NoEnd {
		return
	}
	a.begin("Animation end and current sceneId="+r.Scene, appLevel)
	a.compute(3 * trace.Microsecond)
	s.report(a, r, "JANK")
	if r.explicit {
		s.report(a, r, "COMPLETE") // where render_service animates, it knows that itself
	}
	a.asynchronous('F', r.Scene, appLevel, 0)
	a.compute(4 * trace.Microsecond)
	a.end()
}

// frameDone adds a frame of an application to its open scenes.
func (s *sim) frameDone(p *app, a *actor) {
	for _, r := range p.scenes {
		if r.frames++; r.frames == 1 {
			r.vsync = s.monotonicTime(s.now)
			s.report(a, r, "RESPONSE")
		}
		if r.Silent && r.frames == 2 {
			p.drawing-- // it has started render_service's animation
		}
	}
}

// report reports a scene to render_service, whose binder thread records it.
func (s *sim) report(a *actor, r *openScene, what string) {
	if r.frames == 0 {
		return
	}
	a.note(fmt.Sprintf("EVENT_REPORT_%s_RS sceneId = %s, uniqueId = %d", what, r.Scene, r.uid()), appLevel)
	s.post(s.unmarshal, a, func(b *actor) { s.stats.receive(b, r, what) })
}

// offFrame is work of a main thread that is no frame.
func (s *sim) offFrame(a *actor, name, level string, d trace.Duration) {
	begin := s.now
	a.begin(name, level)
	a.compute(d)
	s.truth.Hangs = append(s.truth.Hangs, HangTruth{PID: a.pid, Start: begin, Duration: s.now.Sub(begin), Name: name})
	a.end()
	a.compute(10 * trace.Microsecond)
}

// draws reports whether the application has anything to draw.
func (p *app) draws() bool { return !p.OnDemand || p.drawing > 0 }

// launchesCold reports whether a process does not exist before its launch.
func (s *sim) launchesCold(pid trace.PID) bool {
	return slices.ContainsFunc(s.Launches, func(l Launch) bool { return l.Kind == Cold && s.Apps[l.App].PID == pid })
}
