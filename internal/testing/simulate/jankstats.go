package simulate

import (
	"fmt"
	"slices"
	"strconv"

	"ohframe/analyzer/trace"
)

// jankStats writes what render_service says of scenes, in whole milliseconds. Its numbers are simpler than
// a device's.
type jankStats struct {
	s    *sim
	list []*animation
	last int64 // when the last frame ended, in ms
}

// animation is a scene as render_service sees it.
type animation struct {
	*openScene
	description string
	id          int64
	created     int64 // when its slice began, in ms; zero without one

	known, reported map[string]bool // RESPONSE, COMPLETE, JANK: heard of, and due in the frame that is drawn

	updates, over, interrupted, implicitDone bool

	frames, longest, start, terminated int64
}

func newJankStats(s *sim) *jankStats { return &jankStats{s: s} }

func (j *jankStats) ms(m monotonic) int64 { return int64(m) / int64(trace.Millisecond) }

func (j *jankStats) now() int64 { return j.ms(j.s.monotonicTime(j.s.now)) }

// describe is the name of a scene in render_service's lines, with its input's time in the milliseconds of the
// device's calendar clock.
func (j *jankStats) describe(r *openScene) string {
	kind := "IMPLICIT_ANIMATOR"
	if r.explicit {
		kind = "EXPLICIT_ANIMATOR"
	}
	return fmt.Sprintf("%s, %d, %s, uid%d", r.note, 1_750_000_000_000+j.ms(r.input), kind, r.uid())
}

// receive handles what an application reports, on a binder thread.
func (j *jankStats) receive(b *actor, r *openScene, what string) {
	b.compute(10 * trace.Microsecond)
	description := j.describe(r)
	name := map[string]string{"RESPONSE": "Response", "COMPLETE": "Complete", "JANK": "JankFrame"}[what]
	b.begin("RSJankStats::SetReportEvent"+name+" receive notification: "+description, "M0538")
	defer b.end()
	b.compute(4 * trace.Microsecond)
	i := slices.IndexFunc(j.list, func(x *animation) bool { return x.openScene == r })
	switch {
	case i < 0 && what == "RESPONSE":
		if j.s.era.since("5.1.0") {
			j.interrupt(b, r)
		}
		x := &animation{openScene: r, description: description, id: int64(int32(r.uid() * 10))}
		x.known, x.reported = map[string]bool{what: true}, map[string]bool{}
		j.list = append(j.list, x)
	case i >= 0:
		x := j.list[i]
		x.known[what] = true
		if !x.explicit { // it ended without a frame of the application
			x.known, x.reported = map[string]bool{}, x.known
			j.finish(b, x)
			x.reported = map[string]bool{}
		}
	}
	b.compute(4 * trace.Microsecond)
}

// interrupt marks the scenes that run when another one begins with a later input.
func (j *jankStats) interrupt(b *actor, r *openScene) {
	for _, x := range j.list {
		if trace.Duration(r.input-x.vsync) > 100*trace.Millisecond && !x.interrupted && !x.over && x.updates {
			x.interrupted = true
			b.note("RSJankStats::SetReportEventResponse "+x.Scene+" animation is interrupted by "+r.Scene, "M0538")
		}
	}
}

// implicitEnd says that render_service's own animation is over.
func (j *jankStats) implicitEnd(r *openScene) {
	for _, x := range j.list {
		x.implicitDone = x.implicitDone || x.openScene == r
	}
}

// startFrame is the start of drawing.
func (j *jankStats) startFrame() {
	if j == nil {
		return
	}
	for _, x := range j.list {
		x.known, x.reported = map[string]bool{}, x.known
	}
}

// endFrame is the end of drawing a frame that began at a time.
func (j *jankStats) endFrame(a *actor, start trace.Time) {
	if j == nil {
		return
	}
	from := j.ms(j.s.monotonicTime(start))
	j.last = j.now()
	if missed := (j.last - from) / 17; missed > 0 {
		a.begin(fmt.Sprintf("RSJankStats::SetRSJankStats missedVsync %d frameTime %d", missed, j.last-from), "M0538")
		for _, n := range []int64{missed, 0} {
			a.mark(func(b []byte) []byte { return j.s.era.numbered(b, 'C', a.pid, "JANK_FRAME_6F", "M0538", n) })
			a.compute(2 * trace.Microsecond)
		}
		a.end()
	}
	for _, x := range j.list {
		j.measure(a, x, from)
	}
	j.list = slices.DeleteFunc(j.list, func(x *animation) bool { // of scenes that never end
		old := x.created != 0 && j.last-x.created > 10000
		if old {
			j.close(a, x)
		}
		return old
	})
}

// measure counts a frame for a scene and reports what is due.
func (j *jankStats) measure(a *actor, x *animation, from int64) {
	if x.reported["RESPONSE"] && !x.over {
		x.created, x.start, x.updates = j.last, from, true
		a.asynchronous('S', x.description, "M0538", x.id)
	}
	if x.reported["RESPONSE"] {
		j.respond(a, x)
	}
	if x.updates {
		x.frames++
		x.longest = max(x.longest, j.last-from)
	}
	j.finish(a, x)
	if x.implicitDone && !x.explicit {
		x.implicitDone = false
		a.note("RSJankStats::SetImplicitAnimationEnd", "M0538")
		j.close(a, x)
		x.over, x.updates = true, false
	}
}

// respond reports the time from the input to the end of drawing.
func (j *jankStats) respond(a *actor, x *animation) {
	latency := j.last - j.ms(x.input)
	j.say(a, x, fmt.Sprintf("ReportEventResponse responseLatency is %dms: %s", latency, x.description))
}

// say writes a line about a scene.
func (j *jankStats) say(a *actor, x *animation, text string) {
	a.note("RSJankStats::"+text, "M0538")
}

// finish reports a scene whose end is known.
func (j *jankStats) finish(a *actor, x *animation) {
	if !x.reported["COMPLETE"] && !x.reported["JANK"] {
		return
	}
	x.updates, x.over = false, true
	length := j.last - x.start
	counted := x.reported["JANK"] && x.frames > 0 && length > 0
	if counted && x.created != 0 {
		text := strconv.FormatFloat(float64(1000*x.frames)/float64(length), 'f', 2, 64)
		j.say(a, x, "RecordAnimationDynamicFrameRate frame rate is "+text+": "+x.description)
	}
	j.close(a, x)
	if x.reported["COMPLETE"] {
		at := x.terminated
		if at == 0 {
			at = j.now()
		}
		latency := at - j.ms(x.input)
		j.say(a, x, fmt.Sprintf("ReportEventComplete e2eLatency is %dms: %s", latency, x.description))
	}
	if !counted {
		return
	}
	text := fmt.Sprintf("ReportEventJankFrame maxFrameTime is %dms, maxHitchTime is 0ms", x.longest)
	if j.s.era.since("5.1.0") {
		text += fmt.Sprintf(", maxTechFrameTime is %dms, maxRealFrameTime is %dms,maxFrameRefreshRate is 60fps", x.longest, x.longest)
	}
	text += ": " + x.description
	if j.s.era.since("master") {
		text += ", shaderTime: 0"
	}
	j.say(a, x, text)
	hitches := strconv.FormatFloat(float64(x.longest)/float64(length), 'g', 6, 64)
	j.say(a, x, "ReportEventHitchTimeRatio hitch time ratio is "+hitches+" ms/s: "+x.description)
}

// close ends the slice of a scene.
func (j *jankStats) close(a *actor, x *animation) {
	if x.created == 0 {
		return
	}
	x.created, x.terminated = 0, j.last
	a.asynchronous('F', x.description, "M0538", x.id)
	a.compute(2 * trace.Microsecond)
}
