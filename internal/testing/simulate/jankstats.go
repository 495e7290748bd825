package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"ohframe/analyzer/trace"
)

// jankStats is render_service's own measurement of scenes. It counts in whole milliseconds,
// and takes 16.6 ms for the period whatever the refresh rate is.
type jankStats struct {
	s      *sim
	list   []*animation // by time and name of the scene
	before int64        // when the frame before the last one ended, in ms
	last   int64        // when the last one did; zero before the first
	checks int
	traced map[int64]*animation // open slices by their id
	first  []trace.PID          // applications whose first frame is on its way
}

// animation is a scene as render_service sees it.
type animation struct {
	*openScene
	description string
	id          int64
	set         int64 // when it was first heard of, in ms

	// What is known, and what it is in the frame that is drawn.
	knowsResponse, knowsResponseSoon, knowsComplete, knowsJank bool
	reportsResponse, reportsComplete, reportsJank              bool

	updates, over, interrupted, rated bool
	isFirst, staysFirst               bool
	created, terminated               int64

	frames                     int64
	maxFrame, maxTech, maxReal int64
	maxRate                    int
	total, totalHTR            int64
	hitch, maxHitch            float32
	start, end                 int64 // of what 4.1 counts
	implicitDone               bool
}

// devicePeriod is what render_service takes for the length of a period.
const devicePeriod = float32(16.6)

func newJankStats(s *sim) *jankStats { return &jankStats{s: s, traced: map[int64]*animation{}} }

// wall is a time in the milliseconds of the device's calendar clock.
func (j *jankStats) wall(m monotonic) int64 { return wallEpoch + j.steady(m) }

func (j *jankStats) steady(m monotonic) int64 { return int64(m) / int64(trace.Millisecond) }

// wallEpoch is when the monotonic clock was zero.
const wallEpoch = 1_750_000_000_000

// inputWall converts an input's time at the present moment, which loses a part of a millisecond.
func (j *jankStats) inputWall(m monotonic) int64 {
	now := j.s.monotonicTime(j.s.now)
	return j.wall(now) - int64(now-m)/int64(trace.Millisecond)
}

// describe is the name of a scene in render_service's lines.
func (j *jankStats) describe(r *openScene) string {
	text := r.note + ", " + strconv.FormatInt(j.inputWall(r.input), 10)
	if !j.s.era.since("4.1") {
		return text + "."
	}
	kind := "IMPLICIT_ANIMATOR"
	if r.explicit {
		kind = "EXPLICIT_ANIMATOR"
	}
	return text + ", " + kind + ", uid" + strconv.FormatInt(r.uid(), 10)
}

// receive handles what an application reports, on a binder thread.
func (j *jankStats) receive(b *actor, r *openScene, what string) {
	e, now := j.s.era, j.steady(j.s.monotonicTime(j.s.now))
	b.compute(10 * trace.Microsecond)
	description := j.describe(r)
	name := map[string]string{"RESPONSE": "Response", "COMPLETE": "Complete", "JANK": "JankFrame"}[what]
	if e.since("4.1") {
		j.s.describes(r)
		b.begin("RSJankStats::SetReportEvent"+name+" receive notification: "+description, "M0538")
		defer b.end()
	}
	b.compute(4 * trace.Microsecond)
	i := slices.IndexFunc(j.list, func(x *animation) bool { return x.openScene == r })
	switch {
	case i < 0 && what == "RESPONSE":
		if e.since("5.1.0") {
			j.interrupt(b, r)
		}
		x := &animation{openScene: r, description: description, set: now, knowsResponse: true, isFirst: true, staysFirst: true}
		x.id = int64(int32(r.uid() * 10))
		if !e.since("4.1") {
			x.id = int64(int32(r.uid()))
		}
		j.list = append(j.list, x)
		slices.SortStableFunc(j.list, func(x, y *animation) int {
			return cmp.Or(cmp.Compare(x.uid(), y.uid()), cmp.Compare(x.Scene, y.Scene))
		})
	case i >= 0 && what == "COMPLETE":
		j.list[i].knowsComplete = true
		j.early(b, j.list[i])
	case i >= 0 && what == "JANK":
		j.list[i].knowsJank = true
		j.early(b, j.list[i])
	}
	b.compute(4 * trace.Microsecond)
}

// interrupt marks the scenes that run when another one begins with a later input.
func (j *jankStats) interrupt(b *actor, r *openScene) {
	for _, x := range j.list {
		if trace.Duration(r.input-x.vsync) > 100*trace.Millisecond && !x.interrupted && !x.over && x.updates {
			x.interrupted = true
			x.truth.note(j.s.now, func(t *InteractionTruth) { t.Interrupted = true })
			b.note("RSJankStats::SetReportEventResponse "+x.Scene+" animation is interrupted by "+r.Scene, "M0538")
		}
	}
}

// early reports at once what ended without a frame of the application.
func (j *jankStats) early(b *actor, x *animation) {
	if x.explicit || !j.s.era.since("4.1") {
		return
	}
	x.reportsComplete, x.reportsJank = x.knowsComplete, x.knowsJank
	x.knowsComplete, x.knowsJank = false, false
	j.finish(b, x)
	x.reportsComplete, x.reportsJank = false, false
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
		if j.s.era.drawThread {
			x.reportsResponse, x.knowsResponseSoon, x.knowsResponse = x.knowsResponseSoon, x.knowsResponse, false
		} else {
			x.reportsResponse, x.knowsResponse = x.knowsResponse, false
		}
		x.reportsComplete, x.knowsComplete = x.knowsComplete, false
		x.reportsJank, x.knowsJank = x.knowsJank, false
	}
}

// endFrame is the end of drawing a frame that began at a time.
func (j *jankStats) endFrame(a *actor, start trace.Time, rate int) {
	if j == nil {
		return
	}
	s := j.s
	from, now := j.steady(s.monotonicTime(start)), j.steady(s.monotonicTime(s.now))
	j.before, j.last = cmp.Or(j.last, now), now
	j.count(a, now-from)
	for _, x := range j.list {
		j.measure(a, x, from, now, rate)
	}
	for _, pid := range j.first {
		if s.era.since("4.1") {
			a.note("RSJankStats::ReportEventFirstFrame app pid "+strconv.Itoa(int(pid)), "M0538")
		}
	}
	j.first = nil
	j.expire(a, now)
}

// count writes how many periods a frame took.
func (j *jankStats) count(a *actor, frameTime int64) {
	e, missed := j.s.era, int64(float32(frameTime)/devicePeriod)
	if missed <= 0 || !e.since("4.1") {
		return
	}
	if e.since("5.0.0") {
		a.begin(fmt.Sprintf("RSJankStats::SetRSJankStats missedVsync %d frameTime %d", missed, frameTime), "M0538")
		defer a.end()
	}
	name := "JANK_FRAME_6F"
	if missed < 6 {
		if name = "JANK_FRAME_1-5F"; !e.since("5.0.0") {
			return
		}
	}
	for _, n := range []int64{missed, 0} {
		a.mark(func(b []byte) []byte { return e.numbered(b, 'C', a.pid, name, "M0538", n) })
		a.compute(2 * trace.Microsecond)
	}
}

// measure counts a frame for a scene and reports what is due, in the order of the era.
func (j *jankStats) measure(a *actor, x *animation, from, now int64, rate int) {
	e := j.s.era
	begins := x.reportsResponse && !x.over
	response := func() {
		if x.reportsResponse {
			j.respond(a, x, now)
			x.updates = true
		}
	}
	begin := func() {
		if begins && j.traced[x.id] == nil {
			x.created = now
			j.traced[x.id] = x
			j.s.describes(x.openScene)
			a.asynchronous('S', x.description, "M0538", x.id)
		}
	}
	update := func() {
		ends := x.reportsComplete || x.reportsJank
		if x.updates && !x.isFirst && (x.explicit || !ends) {
			j.update(x, from, now, rate)
		}
	}
	switch {
	case !e.since("4.1"):
		begin()
		x.updates = x.updates || x.reportsResponse
		if x.reportsComplete || x.reportsJank && !x.explicit {
			j.close(a, x)
		}
	case !e.since("5.0.0"):
		response()
		update()
		begin()
		j.finish(a, x)
	case !e.since("6.0-novulkan"):
		response()
		update()
		begin()
		j.finish(a, x)
	default:
		begin()
		response()
		update()
		j.finish(a, x)
	}
	if x.implicitDone && !x.explicit && e.since("5.0.0") {
		x.implicitDone = false
		a.note("RSJankStats::SetImplicitAnimationEnd", "M0538")
		j.close(a, x)
		x.over, x.updates = true, false
	}
	x.isFirst, x.staysFirst = x.staysFirst && e.drawThread, false
}

func (j *jankStats) update(x *animation, from, now int64, rate int) {
	if x.start == 0 {
		x.start = from
	}
	x.end = now
	long, standard := now-j.before, float32(1000)/float32(rate)
	frame := long
	if x.explicit {
		frame = now - from
	}
	x.frames++
	x.total += frame
	if x.maxRate == 0 {
		x.maxRate = rate
	}
	if frame > x.maxFrame {
		x.maxFrame, x.maxRate = frame, rate
	}
	x.maxTech = max(x.maxTech, now-from)
	if !x.interrupted {
		x.maxReal = max(x.maxReal, frame)
	}
	hitch := max(0, float32(now-from)-standard)
	x.maxHitch = max(x.maxHitch, hitch)
	x.hitch += hitch
	x.totalHTR += long
}

// respond reports the time from the input to the end of drawing.
func (j *jankStats) respond(a *actor, x *animation, now int64) {
	latency := wallEpoch + now - j.inputWall(x.input)
	text := "RSJankStats::ReportEventResponse " + x.description
	if j.s.era.since("5.0.0") {
		write := func(latency int64) {
			text = fmt.Sprintf("RSJankStats::ReportEventResponse responseLatency is %dms: %s", latency, x.description)
		}
		write(latency)
		if x.Contradict { // then neither counts
			j.say(a, x, text)
			write(987654)
		} else {
			x.truth.note(j.s.now, func(t *InteractionTruth) { t.Device.Response = &latency })
		}
	}
	j.say(a, x, text)
}

// say writes a line about a scene.
func (j *jankStats) say(a *actor, x *animation, text string) {
	j.s.describes(x.openScene)
	a.note(text, "M0538")
}

// finish reports a scene whose end is known.
func (j *jankStats) finish(a *actor, x *animation) {
	e, ends := j.s.era, x.reportsComplete || x.reportsJank
	order := []func(*actor, *animation){j.rate, j.close, j.complete, j.jank, j.hitchRatio}
	if !e.since("5.0.0") {
		order = []func(*actor, *animation){j.complete, j.jank, j.rate, j.close}
	}
	if !ends {
		return
	}
	for _, do := range order {
		do(a, x)
	}
	x.updates, x.over = false, true
}

func (j *jankStats) complete(a *actor, x *animation) {
	if !x.reportsComplete {
		return
	}
	at := cmp.Or(x.terminated, j.steady(j.s.monotonicTime(j.s.now)))
	latency := wallEpoch + at - j.inputWall(x.input)
	text := "RSJankStats::ReportEventComplete " + x.description
	if j.s.era.since("5.0.0") {
		text = fmt.Sprintf("RSJankStats::ReportEventComplete e2eLatency is %dms: %s", latency, x.description)
		x.truth.note(j.s.now, func(t *InteractionTruth) { t.Device.Completion = &latency })
	}
	j.say(a, x, text)
}

func (j *jankStats) jank(a *actor, x *animation) {
	if !x.reportsJank || x.frames == 0 {
		return
	}
	e := j.s.era
	text := fmt.Sprintf("RSJankStats::ReportEventJankFrame maxFrameTime is %dms", x.maxFrame)
	if e.since("5.0.0") {
		text += fmt.Sprintf(", maxHitchTime is %dms", int64(x.maxHitch))
	}
	if e.since("5.1.0") {
		text += fmt.Sprintf(", maxTechFrameTime is %dms, maxRealFrameTime is %dms,maxFrameRefreshRate is %dfps", x.maxTech, x.maxReal, x.maxRate)
	}
	text += ": " + x.description
	if e.since("master") {
		text += ", shaderTime: 0"
	}
	longest := x.maxFrame
	x.truth.note(j.s.now, func(t *InteractionTruth) { t.Device.MaxFrame = &longest })
	j.say(a, x, text)
}

func (j *jankStats) hitchRatio(a *actor, x *animation) {
	if !x.reportsJank || x.totalHTR <= 0 {
		return
	}
	text := strconv.FormatFloat(float64(x.hitch/(float32(x.totalHTR)/1000)), 'g', 6, 64)
	x.truth.note(j.s.now, func(t *InteractionTruth) { t.Device.Hitch = number(text) })
	j.say(a, x, "RSJankStats::ReportEventHitchTimeRatio hitch time ratio is "+text+" ms/s: "+x.description)
}

func (j *jankStats) rate(a *actor, x *animation) {
	length := x.totalHTR
	if !j.s.era.since("5.0.0") {
		length = x.end - x.start
	}
	if !x.reportsJank || x.rated || x.frames == 0 || length <= 0 || j.traced[x.id] != x {
		return
	}
	x.rated = true
	text := strconv.FormatFloat(float64(float32(x.frames)/(float32(length)/1000)), 'f', 2, 64)
	x.truth.note(j.s.now, func(t *InteractionTruth) { t.Device.FPS = number(text) })
	j.say(a, x, "RSJankStats::RecordAnimationDynamicFrameRate frame rate is "+text+": "+x.description)
}

// number is a printed number.
func number(text string) *float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return &n
}

// close ends the slice of a scene.
func (j *jankStats) close(a *actor, x *animation) {
	if j.traced[x.id] != x {
		return
	}
	delete(j.traced, x.id)
	x.terminated = j.last
	j.s.describes(x.openScene)
	a.asynchronous('F', x.description, "M0538", x.id)
	a.compute(2 * trace.Microsecond)
}

// expire ends the slices of scenes that never end. It looks only at every twentieth frame.
func (j *jankStats) expire(a *actor, now int64) {
	const every = 20
	if j.checks++; j.checks < every {
		return
	}
	j.checks = 0
	timeout := int64(5000)
	if j.s.era.since("6.0-novulkan") {
		timeout = 10000
	}
	j.list = slices.DeleteFunc(j.list, func(x *animation) bool {
		old := j.traced[x.id] == x && now-x.created > timeout
		if old {
			j.close(a, x)
		}
		return old
	})
}
