package simulate

import (
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// Layer is a queue of buffers that a producer fills and render_service shows.
type Layer struct {
	Name     string
	Producer Producer
	// App is the index of the application in Apps that produces the buffers.
	App int
	// Service, unless empty, is the process that produces them in its place.
	Service string
	// At is when the layer begins, from the first vsync, and Length how long the producer
	// makes buffers.
	At, Length trace.Duration
	// FPS is the rate of the producer's own clock. Pattern replaces it: the numbers of
	// vsyncs between buffers, over and over.
	FPS     int
	Pattern []int64
	// Rates replace FPS from later times on. Together is how many buffers a decoder makes at
	// once, in place of one; zero means one.
	Rates    []LayerRate
	Together int
	// Interval makes a producer that follows the display draw on every Interval-th vsync;
	// zero means one.
	Interval int64
	// Slots is the number of buffers; zero means 3.
	Slots int
	// Work is how long the producer draws a buffer. GPU is how long its GPU goes on then.
	Work, GPU trace.Duration
	// Drops is what render_service does when several buffers wait.
	Drops Drops
	// Troubles happen to single buffers.
	Troubles []Trouble
	// QueueOf, unless zero, is the number in Layers, from 1, of an earlier layer with the
	// same queue id.
	QueueOf int
	// Attached buffers come in without FlushBuffer.
	Attached bool
	// NoFlush leaves the markers out with which a buffer is handed over.
	NoFlush bool
	// Private makes the application itself the consumer: the queue is no layer.
	Private bool
}

// LayerRate is the rate of a decoder from a time after the layer's begin on.
type LayerRate struct {
	From trace.Duration
	FPS  int
}

// Producer is what draws buffers.
type Producer string

const (
	Decoder      Producer = ""              // a thread with a clock of its own, for videos and previews
	Game         Producer = "game"          // a thread that asks for vsyncs itself
	Flutter      Producer = "flutter"       // with a UI and a raster thread
	Web          Producer = "web"           // a renderer, and the thread that draws what it submits
	Android      Producer = "android"       // an application in a container, with its own compositor
	AndroidVideo Producer = "android_video" // a video of one
)

// contained reports whether the producer is in a container.
func (l *Layer) contained() bool { return l.Producer == Android || l.Producer == AndroidVideo }

// Drops is how a buffer of several that wait is chosen.
type Drops int

const (
	DropNone   Drops = iota // the oldest; the others are shown later
	DropNewest              // the newest; the queue itself drops the others
	DropFrame               // the oldest; if the queue is full, one more is taken and released
	DropTwice               // each is taken, the last is shown
	DropReused              // the producer takes a buffer back that waits, and fills it again
)

// Trouble is what goes wrong with a buffer.
type Trouble struct {
	Buffer int // counts from 0
	Kind   TroubleKind
	Length trace.Duration
}

// TroubleKind is what goes wrong.
type TroubleKind string

const (
	TroubleWork  TroubleKind = "work"  // the producer works longer
	TroubleDraw  TroubleKind = "draw"  // its thread that draws does, where that is another one
	TroubleGPU   TroubleKind = "gpu"   // its GPU works longer
	TroubleBurst TroubleKind = "burst" // the next buffer comes at once
	TroublePause TroubleKind = "pause" // the next one comes later
	TroubleBusy  TroubleKind = "busy"  // the thread was busy when the vsync came
	TroubleEmpty TroubleKind = "empty" // the frame draws nothing
)

func (l *Layer) trouble(kind TroubleKind, buffer int) (d trace.Duration, has bool) {
	for _, t := range l.Troubles {
		if t.Kind == kind && t.Buffer == buffer {
			return t.Length, true
		}
	}
	return 0, false
}

// queue is the queue of a layer.
type queue struct {
	*Layer
	s         *sim
	id        int64
	node      int64
	app       *app
	truth     *LayerTruth
	free      []int64 // numbers of buffers
	dirty     []*BufferTruth
	onDisplay *BufferTruth
	waiter    *actor // waits for a free buffer
	ipc       *actor // serves the producer
	consumer  *actor // of a private queue
	fences    *fenceTracker
	producer  producer
}

const brokerPID trace.PID = 8037

// addLayers makes the queues and their producers.
func (s *sim) addLayers() {
	if len(s.Layers) == 0 {
		return
	}
	s.trackers = map[trace.PID]*fenceTracker{}
	s.screen = &queue{Layer: &Layer{Name: "FrameBuffer"}, s: s, id: int64(renderPID) << 32, fences: s.tracker(s.commit, s.commit.core.index)}
	s.allocate(s.screen, renderPID, 3)
	for i := range s.Layers {
		s.addLayer(&s.Layers[i])
	}
}

// layerCores is the number of processors that the producers share.
const layerCores = 12

func (s *sim) layerCore() int {
	if len(s.layerCPUs) < layerCores {
		s.layerCPUs = append(s.layerCPUs, s.newCore(clusters[1].top).index)
	}
	s.nextLayerCPU++
	return s.layerCPUs[(s.nextLayerCPU-1)%len(s.layerCPUs)]
}

func (s *sim) addLayer(l *Layer) {
	p := s.apps[l.App]
	if l.Slots == 0 {
		l.Slots = 3
	}
	l.Interval = max(1, l.Interval)
	n := int64(len(s.queues) + 1)
	q := &queue{Layer: l, s: s, app: p, id: int64(renderPID)<<32 | (1600 + n), node: int64(p.PID)<<32 | (500 + 2*n)}
	if l.QueueOf > 0 {
		q.id = s.queues[l.QueueOf-1].id
	}
	if l.Private {
		q.id = int64(p.PID)<<32 | n
	}
	q.truth = &LayerTruth{Name: l.Name, Queue: q.id, PID: p.PID, layer: l}
	tid := trace.TID(30000 + 10*n)
	name, pid := p.main.process, p.PID
	if l.Service != "" {
		s.services++
		name, pid = l.Service, trace.PID(5000+s.services)
		s.add(pid, trace.TID(pid), name, name, s.layerCore(), 5)
		q.truth.PID = pid
	}
	cpu := s.layerCore()
	allocator := renderPID
	switch l.Producer {
	case Android, AndroidVideo:
		allocator = brokerPID
		q.producer = s.newAndroid(q, tid)
	case Game:
		q.producer = &game{queue: q, thread: s.add(pid, tid, name, "OS_VSyncThread", cpu, 10), window: "game_" + strconv.FormatInt(n, 10)}
	case Flutter:
		q.producer = s.newFlutter(q, tid)
	case Web:
		q.producer = s.newWeb(q, tid)
	default:
		q.producer = &decoder{queue: q, thread: s.shared(n, tid, pid, name, "OS_VideoDecoder")}
	}
	s.allocate(q, allocator, l.Slots)
	if l.Private {
		q.ipc, q.consumer = nil, p.main
	} else {
		q.ipc = s.shared(n, tid+1, renderPID, "render_service", "OS_IPC_"+strconv.FormatInt(n, 10)+"_"+strconv.Itoa(int(tid)+1))
	}
	if s.era.queueFences && !l.Private {
		q.fences = s.tracker(q.ipc, cpu)
	} else if s.era.producerFences {
		q.fences = s.tracker(q.producer.flusher(), cpu)
	}
	if !l.Private {
		s.truth.layers = append(s.truth.layers, q.truth)
	}
	s.queues = append(s.queues, q)
	q.producer.plan()
}

// manyLayers is how many layers have threads of their own. More layers share them.
const manyLayers = 64

func (s *sim) shared(n int64, tid trace.TID, pid trace.PID, process, name string) *actor {
	if n > manyLayers {
		tid -= trace.TID(10 * ((n - 1) / manyLayers * manyLayers))
		for _, a := range s.actors {
			if a.tid == tid && a.pid == pid {
				return a
			}
		}
	}
	return s.add(pid, tid, process, name, s.layerCore(), 10)
}

// allocate numbers the buffers of a queue as the process that allocates them does.
func (s *sim) allocate(q *queue, by trace.PID, n int) {
	for range n {
		s.buffers++
		q.free = append(q.free, s.buffers|int64(by&0xffff)<<16)
	}
}

// onQueue runs what a producer asks of its queue where that is: in render_service, on a thread
// that serves calls, or in the producer itself.
func (q *queue) onQueue(a *actor, do func(b *actor)) {
	if q.ipc == nil {
		do(a)
		return
	}
	q.s.call(a, q.ipc, do)
}

func (q *queue) values(sequence int64) values {
	return values{name: q.Name, id: q.id, index: sequence, size: int64(max(q.Slots, 3))}
}

// request asks for a free buffer, and waits for one.
func (q *queue) request(a *actor) *BufferTruth {
	b := &BufferTruth{layer: q.truth}
	q.onQueue(a, func(t *actor) { q.take(t, b) })
	return b
}

func (q *queue) take(t *actor, b *BufferTruth) {
	s := q.s
	b.requested[0] = s.now
	if q.Attached {
		t.begin("RequestAndDetachBuffer queueId: "+strconv.FormatInt(q.id, 10), "M0538")
	} else {
		t.beginMark(bufferRequest, q.values(0))
	}
	t.compute(6 * trace.Microsecond)
	if len(q.free) == 0 && q.Drops == DropReused && len(q.dirty) > 0 {
		last := q.dirty[0]
		q.dirty = q.dirty[1:]
		last.reusedAt = s.now
		q.free = append(q.free, last.number)
	}
	for len(q.free) == 0 {
		q.waiter = t
		t.block('S', reason{})
	}
	b.number, q.free = q.free[0], q.free[1:]
	b.granted = s.now
	t.beginMark(bufferReuse, q.values(b.number))
	t.compute(5 * trace.Microsecond)
	t.slice(bufferTag, q.values(b.number), 2*trace.Microsecond)
	t.end()
	t.compute(2 * trace.Microsecond)
	t.end()
	b.requested[1] = s.now
}

// flush hands a buffer over. Its GPU work goes on for some time.
func (q *queue) flush(a *actor, b *BufferTruth, gpu trace.Duration) {
	s := q.s
	native := s.era.has(nativeFlush) && a.pid != brokerPID
	if native {
		a.beginMark(nativeFlush, values{})
	}
	q.onQueue(a, func(t *actor) { q.put(t, b, gpu) })
	if s.era.producerFences {
		q.fences.track(a, b)
	}
	if native {
		a.end()
	}
}

func (q *queue) put(t *actor, b *BufferTruth, gpu trace.Duration) {
	s := q.s
	b.gpuDone = s.now.Add(gpu)
	b.put[0] = s.now
	if q.NoFlush {
		b.put[0] = 0
	} else if q.Attached {
		t.begin("AttachAndFlushBuffer queueId: "+strconv.FormatInt(q.id, 10)+" sequence: "+strconv.FormatInt(b.number, 10), "M0538")
	} else {
		t.beginMark(bufferFlush, q.values(b.number))
	}
	t.compute(5 * trace.Microsecond)
	counted := func() {
		b.queued = s.now
		q.dirty = append(q.dirty, b)
		q.truth.buffers = append(q.truth.buffers, b)
		s.count(t, q)
	}
	if q.Attached || q.NoFlush {
		counted()
	} else {
		t.beginMark(bufferDoFlush, q.values(b.number))
		t.compute(s.about(12 * trace.Microsecond))
		if s.era.queueFences && q.fences != nil {
			q.fences.track(t, b)
		}
		counted()
		t.compute(3 * trace.Microsecond)
		t.end()
		t.beginMark(bufferListener, values{})
		t.compute(4 * trace.Microsecond)
		if !q.Private {
			t.begin("rs_RequestNextVSync", "M0538")
			t.compute(3 * trace.Microsecond)
			t.end()
		}
		t.end()
	}
	b.put[1] = s.now
	if !q.NoFlush {
		t.end()
	}
	t.compute(2 * trace.Microsecond)
	if q.Private {
		s.post(q.consumer, t, func(c *actor) {
			if len(q.dirty) > 0 {
				old := q.onDisplay
				q.acquire(c, 0, false)
				q.release(c, old)
			}
		})
	}
}

// count writes how many buffers wait. A blank in the name splits it on some systems.
func (s *sim) count(a *actor, q *queue) {
	name := q.Name
	if at := strings.LastIndexByte(name, ' '); at >= 0 && s.kernel == KernelHongMeng && s.era.leveled {
		name = name[:at+1] + "|" + name[at+1:]
	}
	a.mark(func(b []byte) []byte { return s.era.numbered(b, 'C', a.pid, name, "I38", int64(len(q.dirty))) })
	a.compute(2 * trace.Microsecond)
}

// consume takes the buffers that render_service shows in a frame.
func (s *sim) consume(a *actor, f *Frame, v vsync) {
	for _, q := range s.queues {
		if q.Private || len(q.dirty) == 0 {
			continue
		}
		drop := q.Drops == DropFrame && q.Slots >= 4 && len(q.dirty) >= q.Slots-1
		q.show(q.acquire(a, v.now, q.Drops == DropNewest), f)
		for q.Drops == DropTwice && len(q.dirty) > 0 {
			last := q.onDisplay
			q.show(q.acquire(a, v.now, false), f)
			last.droppedAt = s.now
			f.released = append(f.released, release{q, last})
		}
		if drop {
			q.dropFrame(a, f, v)
		}
		now := q.values(f.taken[len(f.taken)-1].number)
		now.now, now.count, now.bytes = v.now, q.node, q.node-1
		a.slice(bufferTaken, now, 3*trace.Microsecond)
	}
}

// release is a buffer that goes back to its queue.
type release struct {
	q *queue
	b *BufferTruth
}

// show puts a buffer on the display with the frame that took it.
func (q *queue) show(b *BufferTruth, f *Frame) {
	if last := q.onDisplay; last != nil && !last.droppedAt.Known() && last.render != f {
		f.released = append(f.released, release{q, last})
	}
	q.onDisplay = b
	b.render = f
	f.taken = append(f.taken, b)
	f.drawn = max(f.drawn, b.gpuDone)
}

// acquire takes the oldest buffer; the newest, if the queue drops those before it.
func (q *queue) acquire(a *actor, now monotonic, newest bool) *BufferTruth {
	s := q.s
	var dropped []*BufferTruth
	v := q.values(0)
	v.now, v.end = now, now.add(-3*trace.Millisecond)
	timed := now != 0
	if timed {
		a.beginMark(bufferAcquireFor, v)
		a.compute(3 * trace.Microsecond)
	}
	began := s.now
	a.beginMark(bufferAcquire, v)
	a.compute(3 * trace.Microsecond)
	for newest && len(q.dirty) > 1 {
		b := q.dirty[0]
		q.dirty = q.dirty[1:]
		v.index = b.number
		b.droppedAt = s.now
		a.slice(bufferDropped, v, 2*trace.Microsecond)
		dropped = append(dropped, b)
	}
	b := q.dirty[0]
	q.dirty = q.dirty[1:]
	v.index = b.number
	b.acquired = s.now
	a.slice(bufferAcquired, v, 2*trace.Microsecond)
	s.count(a, q)
	b.acquiring = Interval{began, s.now}
	a.end()
	for _, b := range dropped {
		q.release(a, b)
	}
	if timed {
		a.compute(2 * trace.Microsecond)
		a.end()
	}
	a.compute(5 * trace.Microsecond)
	if q.Private {
		q.onDisplay = b
	}
	return b
}

// dropFrame takes a buffer and gives it back.
func (q *queue) dropFrame(a *actor, f *Frame, v vsync) {
	s := q.s
	a.beginMark(bufferDrop, values{})
	a.compute(2 * trace.Microsecond)
	if !s.era.dropEncloses {
		a.end()
	}
	b := q.acquire(a, v.now, false)
	b.droppedAt, b.render = s.now, f
	q.release(a, b)
	if s.era.dropEncloses {
		a.end()
	}
	a.compute(3 * trace.Microsecond)
}

// release gives a buffer back to the producer.
func (q *queue) release(a *actor, b *BufferTruth) {
	if b == nil {
		return
	}
	a.beginMark(bufferRelease, q.values(b.number))
	a.compute(4 * trace.Microsecond)
	q.free = append(q.free, b.number)
	if w := q.waiter; w != nil {
		q.waiter = nil
		q.s.wake(w, a)
	}
	a.compute(q.s.about(15 * trace.Microsecond))
	a.end()
	a.compute(3 * trace.Microsecond)
}

// redraw draws what the display cannot compose itself into the screen's own queue.
func (s *sim) redraw(c *actor, f *Frame) {
	q := s.screen
	if q == nil || f.direct {
		return
	}
	c.begin("Redraw screenId : 0", "M0538")
	b := &BufferTruth{layer: &LayerTruth{}}
	q.truth = b.layer
	q.take(c, b)
	c.compute(200 * trace.Microsecond)
	native := s.era.has(nativeFlush)
	if native {
		c.beginMark(nativeFlush, values{})
	}
	c.beginMark(bufferFlush, q.values(b.number))
	c.beginMark(bufferDoFlush, q.values(b.number))
	q.dirty = append(q.dirty, b)
	s.count(c, q)
	c.end()
	last := q.onDisplay
	c.beginMark(bufferListener, values{})
	q.onDisplay = q.acquire(c, 0, false)
	c.end()
	c.end()
	if native {
		c.end()
	}
	c.end()
	q.release(c, last)
}

// releaseTaken gives back the buffers that a frame replaced.
func (s *sim) releaseTaken(c *actor, f *Frame) {
	for _, r := range f.released {
		r.q.release(c, r.b)
	}
}

// fenceTracker follows the acquire fences of a process: it numbers them, and its thread waits
// for one after the other.
type fenceTracker struct {
	s                *sim
	queued, signaled int64
	thread           *actor
}

func (s *sim) tracker(of *actor, cpu int) *fenceTracker {
	t := s.trackers[of.pid]
	if t == nil {
		n := trace.TID(29000 + len(s.trackers))
		t = &fenceTracker{s: s, thread: s.add(of.pid, n, of.process, "Acquire Fence", cpu, 12)}
		s.trackers[of.pid] = t
	}
	return t
}

func (t *fenceTracker) track(a *actor, b *BufferTruth) {
	s := t.s
	number := func(n int64) values { return values{name: "Acquire Fence", count: 48000 + n} }
	t.queued++
	if s.now >= b.gpuDone {
		t.signaled++
		b.fenced, b.ready = s.now, s.now
		a.slice(fenceSignaled, number(t.queued), 3*trace.Microsecond)
		return
	}
	done := b.gpuDone
	a.beginMark(fencePending, number(t.queued))
	a.compute(6 * trace.Microsecond)
	b.fenced = s.now
	s.post(t.thread, a, func(w *actor) {
		b.waited = s.now
		w.beginMark(fenceWait, number(t.signaled+1))
		w.compute(8 * trace.Microsecond)
		if done > s.now {
			s.at(done, func() { s.wake(w, nil) })
			w.block('S', reason{})
		}
		t.signaled++
		b.ready = s.now
		w.end()
		w.compute(4 * trace.Microsecond)
	})
	a.end()
}
