package simulate

import (
	"fmt"
	"strconv"

	"ohframe/analyzer/trace"
)

// producer fills a queue with buffers.
type producer interface {
	plan()
	flusher() *actor // the thread that calls the queue
}

// follower is a producer that asks for vsyncs.
type follower interface {
	wants(v vsync) bool
	receiver() string // its name
	deliver(by *actor, v vsync)
}

// active reports whether the producer of a queue makes buffers at time t.
func (q *queue) active(t trace.Time) bool {
	from := q.s.traceTime(firstVsync).Add(q.At)
	return t >= from && (q.Length == 0 || t < from.Add(q.Length))
}

// visible reports whether the layer is on the display; it stays for a while after the last buffer.
func (q *queue) visible() bool {
	return !q.Private && (q.Length == 0 || q.s.now < q.s.traceTime(firstVsync).Add(q.At+q.Length+100*trace.Millisecond))
}

// produced begins a frame of a framework.
func (q *queue) produced(framework string, a *actor) *ProducedFrame {
	f := &ProducedFrame{Framework: framework, PID: a.pid, TID: a.tid}
	q.s.truth.produced = append(q.s.truth.produced, f)
	return f
}

// draw works on a buffer, of a frame if there is one, and hands it over.
func (q *queue) draw(a *actor, n int, f *ProducedFrame) {
	b := q.request(a)
	more, _ := q.trouble(TroubleDraw, n)
	a.compute(q.s.about(q.Work) + more)
	q.finish(a, n, b, f)
}

func (q *queue) finish(a *actor, n int, b *BufferTruth, f *ProducedFrame) {
	gpu, _ := q.trouble(TroubleGPU, n)
	if b.frame = f; f != nil {
		f.buffers = append(f.buffers, b)
	}
	q.flush(a, b, q.GPU+gpu)
}

// decoder makes buffers by its own clock.
type decoder struct {
	*queue
	thread *actor
}

func (d *decoder) flusher() *actor { return d.thread }

func (d *decoder) plan() { d.next(0, 0) }

// next plans the buffer of a number, so long after the layer's begin.
func (d *decoder) next(n int, after trace.Duration) {
	s := d.s
	at := s.traceTime(firstVsync).Add(d.At + after)
	if !d.active(at) {
		return
	}
	s.at(at, func() {
		if s.ended {
			return
		}
		s.post(d.thread, nil, func(a *actor) {
			late, _ := d.trouble(TroubleWork, n)
			a.compute(late)
			for range max(1, d.Together) {
				d.draw(a, n, nil)
			}
			a.compute(10 * trace.Microsecond)
		})
		after += d.interval(n, at, after)
		if _, burst := d.trouble(TroubleBurst, n); burst {
			after -= d.interval(n, at, after)
		}
		pause, _ := d.trouble(TroublePause, n)
		d.next(n+1, after+pause)
	})
}

// interval is the time from a buffer to the next one.
func (d *decoder) interval(n int, at trace.Time, after trace.Duration) trace.Duration {
	if len(d.Pattern) == 0 {
		return trace.Second / trace.Duration(d.rateAt(after))
	}
	v := d.s.grid.after(d.s.monotonicTime(at), 0)
	return trace.Duration(d.Pattern[n%len(d.Pattern)]) * v.period
}

// rateAt returns the rate of the decoder a time after the layer's begin.
func (q *queue) rateAt(after trace.Duration) int {
	fps := q.FPS
	for _, r := range q.Rates {
		if r.From <= after {
			fps = r.FPS
		}
	}
	return fps
}

// game draws where it receives vsyncs.
type game struct {
	*queue
	thread *actor
	window string
	due    []vsync
	frames int
}

func (g *game) flusher() *actor  { return g.thread }
func (g *game) plan()            { g.s.followers = append(g.s.followers, g) }
func (g *game) receiver() string { return g.window }

func (g *game) wants(v vsync) bool {
	return v.index%g.Interval == 0 && g.active(g.s.traceTime(v.now))
}

func (g *game) deliver(by *actor, v vsync) {
	g.due = append(g.due, v)
	g.s.post(g.thread, by, func(a *actor) {
		if len(g.due) == 0 {
			return
		}
		v, coalesced := g.due[len(g.due)-1], len(g.due)-1
		g.due = nil
		n := g.frames
		g.frames++
		f := g.produced("nativevsync", a)
		g.s.receive(a, f, g.window, v, coalesced)
		late, _ := g.trouble(TroubleWork, n)
		a.compute(late)
		if _, empty := g.trouble(TroubleEmpty, n); !empty {
			g.draw(a, n, f)
		}
		a.compute(5 * trace.Microsecond)
		a.end()
		f.end = g.s.now
		a.compute(5 * trace.Microsecond)
	})
}

// receive opens the slice in which a thread of an application receives a vsync.
func (s *sim) receive(a *actor, f *ProducedFrame, name string, v vsync, coalesced int) {
	a.compute(s.about(60 * trace.Microsecond))
	f.start, f.due, f.vsync, f.Coalesced = s.now, s.traceTime(v.now), firstAppVsync+v.index, coalesced
	f.dueAt = s.now
	end := v.now.add(v.period)
	f.id, f.deadline, f.named = f.vsync, s.traceTime(end), s.now
	a.beginMark(receiveVsync, values{name: name, bytes: 24 * int64(coalesced+1), now: v.now, end: end, id: f.vsync, fd: 77})
}

// flutter has a thread for vsyncs, one that builds frames and one that draws them.
type flutter struct {
	*queue
	receive, ui, raster *actor
	frames              int
}

func (s *sim) newFlutter(q *queue, tid trace.TID) producer {
	add := func(offset trace.TID, name string) *actor {
		return s.add(q.app.PID, tid+offset, q.app.main.process, name, s.layerCore(), 10)
	}
	return &flutter{queue: q, receive: add(3, "OS_VSyncThread"), ui: add(4, "1.ui"), raster: add(5, "1.raster")}
}

func (f *flutter) flusher() *actor  { return f.raster }
func (f *flutter) plan()            { f.s.followers = append(f.s.followers, f) }
func (f *flutter) receiver() string { return "flutterSyncName" }

func (f *flutter) wants(v vsync) bool {
	return v.index%f.Interval == 0 && f.active(f.s.traceTime(v.now))
}

// appLevel62 is the level of what applications trace themselves.
const appLevel62 = "I62"

func (f *flutter) deliver(by *actor, v vsync) {
	s := f.s
	s.post(f.receive, by, func(a *actor) {
		a.compute(20 * trace.Microsecond)
		received := s.now
		a.beginMark(receiveVsync, values{name: f.receiver(), bytes: 24, now: v.now, end: v.now.add(v.period), id: firstAppVsync + v.index, fd: 78})
		target := v.now.add(v.period - 2*trace.Millisecond)
		a.begin(fmt.Sprintf("flutter::OHOSVsync timestamp-period:%d-%d-%d", v.now, v.period, target), appLevel62)
		a.begin("flutter::VsyncFireCallback", appLevel62)
		a.compute(10 * trace.Microsecond)
		s.post(f.ui, a, func(u *actor) { f.build(u, v, target, received) })
		a.end()
		a.end()
		a.end()
		a.compute(3 * trace.Microsecond)
	})
}

func (f *flutter) build(u *actor, v vsync, target monotonic, received trace.Time) {
	s, n := f.s, f.frames
	f.frames++
	busy, _ := f.trouble(TroubleBusy, n)
	u.compute(20*trace.Microsecond + busy)
	frame := f.produced("flutter", u)
	number := int64(n + 1)
	frame.number, frame.due, frame.dueAt = number, s.traceTime(v.now), s.now
	frame.id, frame.named = firstAppVsync+v.index, received
	u.begin(fmt.Sprintf("flutter::VsyncProcessCallback StartTime:%d TargetTime:%d", v.now, target), appLevel62)
	u.compute(5 * trace.Microsecond)
	frame.start = s.now
	u.begin("flutter::Animator::BeginFrame frame_number:"+strconv.FormatInt(number, 10), appLevel62)
	late, _ := f.trouble(TroubleWork, n)
	s.inSlice(u, "flutter::PlatformConfiguration::BeginFrame", appLevel62, s.about(f.Work)+late)
	_, empty := f.trouble(TroubleEmpty, n)
	if !empty {
		u.begin("flutter::Animator::Render frame_number:"+strconv.FormatInt(number, 10), appLevel62)
		u.compute(8 * trace.Microsecond)
		frame.renders = true
		s.post(f.raster, u, func(r *actor) { f.rasterize(r, n, frame) })
		u.end()
	}
	u.end()
	frame.end = s.now
	u.compute(5 * trace.Microsecond)
	u.end()
	u.compute(3 * trace.Microsecond)
}

func (f *flutter) rasterize(r *actor, n int, frame *ProducedFrame) {
	s := f.s
	r.compute(10 * trace.Microsecond)
	r.begin("flutter::GPURasterizer::Draw", appLevel62)
	r.compute(5 * trace.Microsecond)
	frame.drawStart = s.now
	r.begin("flutter::Rasterizer::DoDraw frame_number:"+strconv.FormatInt(frame.number, 10), appLevel62)
	r.begin("flutter::Rasterizer::DrawToSurfaces", appLevel62)
	b := f.request(r)
	more, _ := f.trouble(TroubleDraw, n)
	s.inSlice(r, "flutter::CompositorContext::ScopedFrame::Raster", appLevel62, s.about(f.Work)+more)
	r.begin("flutter::OhosContextGL::SwapBuffers", appLevel62)
	f.finish(r, n, b, frame)
	r.end()
	r.end()
	r.end()
	frame.drawEnd = s.now
	r.compute(3 * trace.Microsecond)
	r.end()
	r.compute(3 * trace.Microsecond)
}

// web has a renderer in a process of its own; the application draws what it submits.
type web struct {
	*queue
	receive, renderer, gpu *actor
	frames                 int
}

func (s *sim) newWeb(q *queue, tid trace.TID) producer {
	w := &web{queue: q}
	process := q.app.main.process
	w.receive = s.add(q.app.PID, tid+3, process, "VSync-webview", s.layerCore(), 10)
	w.gpu = s.add(q.app.PID, tid+4, process, "Chrome_InProcGp", s.layerCore(), 10)
	s.services++
	pid := trace.PID(5000 + s.services)
	name := comm(q.app.Bundle + ":render")
	s.add(pid, trace.TID(pid), name, name, s.layerCore(), 5)
	w.renderer = s.add(pid, tid+5, name, "Compositor", s.layerCore(), 10)
	return w
}

func (w *web) flusher() *actor  { return w.gpu }
func (w *web) plan()            { w.s.followers = append(w.s.followers, w) }
func (w *web) receiver() string { return fmt.Sprintf("NWeb_%d", w.app.PID) }

func (w *web) wants(v vsync) bool {
	return v.index%w.Interval == 0 && w.active(w.s.traceTime(v.now))
}

const webLevel = "I24"

func (w *web) deliver(by *actor, v vsync) {
	s := w.s
	s.post(w.receive, by, func(a *actor) {
		a.compute(20 * trace.Microsecond)
		a.beginMark(receiveVsync, values{name: w.receiver(), bytes: 24, now: v.now, end: v.now.add(v.period), id: firstAppVsync + v.index, fd: 79})
		a.compute(10 * trace.Microsecond)
		s.post(w.renderer, a, func(r *actor) { w.frame(r, v) })
		a.end()
		a.compute(3 * trace.Microsecond)
	})
}

func (w *web) frame(r *actor, v vsync) {
	s, n := w.s, w.frames
	w.frames++
	busy, _ := w.trouble(TroubleBusy, n)
	r.compute(30*trace.Microsecond + busy)
	f := w.produced("web", r)
	f.number = 7_000_000_000 + int64(len(s.truth.produced))
	step := func(what string) {
		r.begin(fmt.Sprintf("Graphics.Pipeline | trace_id=%d | %s", f.number, what), webLevel)
		r.compute(2 * trace.Microsecond)
		r.end()
	}
	f.start = s.now
	step("step=ReceiveBeginFrame")
	late, _ := w.trouble(TroubleWork, n)
	r.compute(s.about(w.Work) + late)
	if _, empty := w.trouble(TroubleEmpty, n); empty {
		f.end, f.Empty = s.now, true
		step("trace_content=step: DidNotProduceFrame, reason: 2")
	} else {
		step("step=SubmitCompositorFrame")
		f.end = s.now
		s.post(w.gpu, r, func(g *actor) {
			g.compute(30 * trace.Microsecond)
			w.draw(g, n, nil)
			g.compute(5 * trace.Microsecond)
		})
	}
	r.compute(5 * trace.Microsecond)
}
