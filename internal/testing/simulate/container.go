package simulate

import (
	"fmt"
	"slices"
	"strconv"

	"ohframe/analyzer/trace"
)

// android is an application of Android in a container. Its buffers go to render_service
// through a broker; its own compositor only arranges them.
type android struct {
	*queue
	main, draw, broker *actor
	sf                 *actor
	view               string // how Android names the surface
	number             int64  // of the last buffer
	slots              []int64
	latch              []int64 // numbers that the compositor has not seen
}

const compositorPID trace.PID = 9432

func (s *sim) newAndroid(q *queue, tid trace.TID) producer {
	w := &android{queue: q, main: q.app.main, number: 1300}
	pid := 37000 + trace.PID(len(s.queues))
	if q.Service != "" {
		panic("simulate: a container has no service")
	}
	for _, other := range s.queues {
		if o, ok := other.producer.(*android); ok && o.app == q.app {
			pid = o.main.container
		}
	}
	w.main.container = pid
	process := w.main.process
	name := "RenderThread"
	if q.Producer == AndroidVideo {
		name = "VideoThread"
	}
	w.draw = s.add(q.app.PID, tid+3, process, name, s.layerCore(), 10)
	w.draw.container = pid
	w.broker = s.add(brokerPID, tid+4, "graphic_broker", "OS_IPC_2_"+strconv.Itoa(int(tid)+4), s.layerCore(), 10)
	w.view = "VRI[PlayerActivity]#" + strconv.Itoa(len(s.queues))
	if s.flinger == nil {
		s.flinger = s.add(compositorPID, trace.TID(compositorPID), "surfaceflinger", "surfaceflinger", s.layerCore(), 10)
		s.flinger.container = 227
	}
	w.sf = s.flinger
	return w
}

func (w *android) flusher() *actor { return w.broker }

func (w *android) plan() { w.next(0, w.s.traceTime(firstVsync).Add(w.At)) }

// next plans the container's vsync of a number. The container predicts them itself.
func (w *android) next(n int, at trace.Time) {
	s := w.s
	if !w.active(at) {
		return
	}
	s.at(at, func() {
		if s.ended {
			return
		}
		if busy, has := w.trouble(TroubleBusy, n); has {
			s.post(w.main, nil, func(a *actor) {
				a.open("onMessageReceived 12")
				a.compute(busy)
				a.end()
				a.compute(5 * trace.Microsecond)
			})
		}
		_, pause := w.trouble(TroublePause, n)
		switch {
		case pause:
		case w.Producer == AndroidVideo:
			s.post(w.draw, nil, func(a *actor) { w.video(a, n) })
		default:
			s.post(w.main, nil, func(a *actor) { w.frame(a, n, at) })
		}
		s.after(4*trace.Millisecond, w.compose)
		w.next(n+1, at.Add(trace.Second/trace.Duration(w.FPS)))
	})
}

// open begins a slice as Android writes it.
func (a *actor) open(text string) {
	a.foreign("B", text)
	a.opened(text, "")
}

func (a *actor) inOpen(text string, d trace.Duration) {
	a.open(text)
	a.compute(d)
	a.end()
}

// instant writes a marker without a length.
func (a *actor) instant(text string) {
	a.foreign("I", text)
	a.compute(trace.Microsecond)
}

// token is the next number of the container's compositor.
func (s *sim) token() int64 {
	s.tokens++
	return 641000 + 8*s.tokens
}

// resync is how late a frame has to begin to be made for another vsync.
const resync = 16 * trace.Millisecond

// frame is one doFrame, made for the vsync at a time.
func (w *android) frame(a *actor, n int, at trace.Time) {
	s := w.s
	f := w.produced("choreographer", a)
	id := s.token()
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	a.compute(s.about(80 * trace.Microsecond))
	a.inOpen("Choreographer#onVsync "+number(id), 30*trace.Microsecond)
	f.id, f.named, f.start, f.due = id, s.now, s.now, at
	a.open("Choreographer#doFrame " + number(id))
	a.compute(40 * trace.Microsecond)
	late := s.now.Sub(at)
	drawn := id
	if late > resync {
		drawn = s.token()
		left := s.about(20300 * trace.Microsecond)
		tenths := int64(left+50*trace.Microsecond) / int64(100*trace.Microsecond)
		f.deadline, f.resynced = s.now.Add(trace.Duration(tenths)*100*trace.Microsecond), drawn
		a.open(fmt.Sprintf("Choreographer#doFrame - resynced to %d in %d.%dms", drawn, tenths/10, tenths%10))
	}
	a.inOpen("input", 10*trace.Microsecond)
	a.inOpen("animation", 30*trace.Microsecond)
	more, _ := w.trouble(TroubleWork, n)
	_, empty := w.trouble(TroubleEmpty, n)
	if empty {
		a.compute(more)
	} else {
		a.open("traversal")
		a.inOpen("measure", s.about(w.Work/2)+more)
		a.open("draw-VRI[PlayerActivity]")
		a.compute(s.about(w.Work / 2))
		a.end()
		a.open("postAndWait")
		a.compute(5 * trace.Microsecond)
		s.post(w.draw, a, func(d *actor) { w.drawFrames(d, n, f, drawn) })
		a.block('S', reason{})
		a.compute(5 * trace.Microsecond)
		a.end()
		a.end()
	}
	f.dueAt = s.now
	a.foreign("C", "jitterNanos|"+number(int64(s.now.Sub(at))))
	a.inOpen("commit", 10*trace.Microsecond)
	if f.resynced != 0 {
		a.end()
	}
	a.end()
	f.end = s.now
	a.compute(10 * trace.Microsecond)
}

// drawFrames draws a frame on the thread of its own.
func (w *android) drawFrames(d *actor, n int, f *ProducedFrame, id int64) {
	s := w.s
	d.compute(20 * trace.Microsecond)
	f.drawStart = s.now
	d.open("DrawFrames " + strconv.FormatInt(id, 10))
	d.inOpen("syncFrameState", s.about(200*trace.Microsecond))
	s.wake(w.main, d)
	b := w.dequeue(d)
	more, _ := w.trouble(TroubleDraw, n)
	d.inOpen("flush commands", s.about(w.Work)+more)
	w.number++
	d.inOpen(fmt.Sprintf("frameTimelineInfo(frameNumber=%d, vsyncId=%d, inputEventId=0x0)", w.number, id), 2*trace.Microsecond)
	d.inOpen(fmt.Sprintf("setFrameTimelineInfo(%s) frameNumber: %d vsyncId: %d", w.view, w.number, id), 2*trace.Microsecond)
	d.open("eglSwapBuffersWithDamageKHR")
	w.queueBuffer(d, n, b, f, id)
	d.end()
	d.end()
	f.drawEnd = s.now
	d.compute(10 * trace.Microsecond)
}

// video is a buffer of a video, which belongs to no frame.
func (w *android) video(d *actor, n int) {
	more, _ := w.trouble(TroubleWork, n)
	d.compute(20*trace.Microsecond + more)
	b := w.dequeue(d)
	d.compute(w.s.about(w.Work))
	w.number++
	w.queueBuffer(d, n, b, nil, 0)
	d.compute(10 * trace.Microsecond)
}

// dequeue waits for a free buffer within the container.
func (w *android) dequeue(d *actor) *BufferTruth {
	began := w.s.now
	d.open("dequeueBuffer - " + w.view + "(BLAST Consumer)0")
	d.compute(20 * trace.Microsecond)
	for len(w.free) == 0 {
		w.queue.waiter = d
		d.block('S', reason{})
	}
	b := &BufferTruth{layer: w.truth, number: w.free[0]}
	w.free = w.free[1:]
	b.requested = Interval{began, w.s.now}
	d.end()
	return b
}

func (w *android) slot(sequence int64) int {
	if i := slices.Index(w.slots, sequence); i >= 0 {
		return i
	}
	w.slots = append(w.slots, sequence)
	return len(w.slots) - 1
}

// queueBuffer hands a buffer over, through the broker.
func (w *android) queueBuffer(d *actor, n int, b *BufferTruth, f *ProducedFrame, id int64) {
	s := w.s
	blast := w.view + "(BLAST Consumer)0"
	gpu, _ := w.trouble(TroubleGPU, n)
	slot := w.slot(b.number)
	for _, text := range []string{"queueBuffer", "queueBuffer", "onFrameAvailable - " + blast + "(f:0,a:2)", "acquireBuffer",
		fmt.Sprintf("acquireNextBufferLocked - %s(f:1,a:2)frame=%d", blast, w.number)} {
		d.open(text)
		d.compute(4 * trace.Microsecond)
	}
	if f != nil {
		d.instant(fmt.Sprintf("Transaction::setFrameTimelineInfo frameNumber: %d vsyncId: %d", w.number, id))
	}
	if b.frame = f; f != nil {
		f.buffers = append(f.buffers, b)
	}
	d.open(fmt.Sprintf("ProducerSurfaceDelegator::QueueBuffer slot: %d fence: 795 sharedBufferMode: 0 mWindowId: 200097 mSurfaceViewId: %d isDamageValid: 0",
		slot, w.main.container))
	s.call(d, w.broker, func(k *actor) {
		k.begin(fmt.Sprintf("ProducerDelegator::QueueBuffer slot: %d acquireFence: 795", slot), "M0538")
		k.compute(10 * trace.Microsecond)
		s.call(k, w.ipc, func(t *actor) { t.note("AttachBuffer", "M0538") })
		w.flush(k, b, w.GPU+gpu)
		k.end()
	})
	d.compute(5 * trace.Microsecond)
	for range 6 {
		d.end()
	}
	w.latch = append(w.latch, w.number)
}

// compose is a frame of the container's compositor, if there is anything new.
func (w *android) compose() {
	s := w.s
	if len(w.latch) == 0 || s.ended {
		return
	}
	latch := w.latch
	w.latch = nil
	s.post(w.sf, nil, func(a *actor) {
		f := w.produced("surfaceflinger", a)
		f.id = s.token()
		a.compute(50 * trace.Microsecond)
		id := strconv.FormatInt(f.id, 10)
		a.inOpen("beginFrame "+id+" vsyncIn 15.43ms", 20*trace.Microsecond)
		f.start, f.named = s.now, s.now
		a.open("commit " + id)
		layer := "com.example.player/com.example.player.PlayerActivity#" + strconv.Itoa(1200+len(w.view))
		for _, n := range latch {
			a.inOpen("setBuffer "+layer+" - hasBuffer=true", 5*trace.Microsecond)
			a.instant(fmt.Sprintf("latchBuffer %s - %d", layer, n))
		}
		a.compute(s.about(300 * trace.Microsecond))
		a.end()
		a.compute(3 * trace.Microsecond)
		a.inOpen("composite "+id, s.about(700*trace.Microsecond))
		f.end = s.now
		a.compute(5 * trace.Microsecond)
	})
}
