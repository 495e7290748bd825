package simulate

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// LayerTruth is a layer as far as the text of the trace contains it.
type LayerTruth struct {
	Name  string
	Queue int64
	// PID is the process that makes the buffers, Node the one that made the node of the
	// scene, which shows them.
	PID, Node trace.PID
	Framework string
	Buffers   []*BufferTruth
	// Marked: a marker of the producer's own thread encloses its calls of the queue.
	Marked bool

	layer   *Layer
	first   trace.Time // when a line first names it
	linked  bool       // lines lead from the queue to the producer
	buffers []*BufferTruth
}

// BufferTruth is a buffer. Zero is unknown.
type BufferTruth struct {
	Sequence                int64
	Requested               Interval
	Queued, Ready, Acquired trace.Time
	Present                 trace.Time
	PresentEstimated        bool
	Fate                    string // shown, dropped, waiting
	Render                  *Frame
	Frame                   *ProducedFrame

	layer     *LayerTruth
	number    int64
	requested Interval
	granted   trace.Time // when there was a free buffer; zero if no line has that
	put       Interval   // the call that hands it over
	queued    trace.Time
	gpuDone   trace.Time
	fenced    trace.Time // when its fence was numbered
	waited    trace.Time // when the wait for it began
	ready     trace.Time
	acquiring Interval // the call that takes it
	acquired  trace.Time
	droppedAt trace.Time
	reusedAt  trace.Time // when the producer took it back
	render    *Frame
	frame     *ProducedFrame
}

// ProducedFrame is a frame of a framework.
type ProducedFrame struct {
	Framework  string // choreographer, surfaceflinger, flutter, web, nativevsync
	PID        trace.PID
	TID        trace.TID
	ID         int64      // the number of its vsync
	Vsync      trace.Time // when that was due
	Coalesced  int
	Start, End trace.Time
	Draw       Interval   // of another thread
	Deadline   trace.Time // of its markers
	Truncated  bool
	// Buffers are those that it drew, Render the render frame that took the last of them.
	Buffers []*BufferTruth
	Render  *Frame
	Empty   bool // it drew none, as others do
	// LateMain and LateGPU report whether its threads and its GPU ended after the deadline.
	LateMain, LateGPU bool

	id, vsync          int64
	named              trace.Time // when a line has the number
	number             int64      // that the framework itself counts
	due, dueAt         trace.Time // when its vsync was due, and when a line says so
	start, end         trace.Time
	drawStart, drawEnd trace.Time
	renders            bool // it has something to draw
	deadline           trace.Time
	resynced           int64 // the number that it is made for instead
	buffers            []*BufferTruth
}

// buffersWait reports whether render_service has buffers to show.
func (s *sim) buffersWait() bool {
	return slices.ContainsFunc(s.queues, func(q *queue) bool { return !q.Private && len(q.dirty) > 0 })
}

// settleLayers derives what is known of the layers from the lines in [from, to) and from the
// frames, whose facts are settled.
func (s *sim) settleLayers() {
	from, to := s.text.from, s.text.to
	if to == 0 {
		to = trace.Time(1<<63 - 1)
	}
	inside := func(t trace.Time) bool { return t != 0 && from <= t && t < to }
	both := func(i Interval) bool { return inside(i[0]) && inside(i[1]) }
	for _, l := range s.truth.layers {
		l.Node = s.apps[l.layer.App].PID
		for _, b := range l.buffers {
			l.see(b, inside)
			b.settle(inside, both)
			if l.layer.contained() && s.era.producerFences && s.Kernel == KernelNone {
				b.Ready = 0 // the broker's fence, and nothing says whom it serves
			}
			if b.Queued.Known() || b.Acquired.Known() {
				l.Buffers = append(l.Buffers, b)
			}
		}
		l.Marked = s.era.has(nativeFlush) || l.layer.contained()
		l.linked = l.Marked || s.Kernel != KernelNone
		l.settleFates(inside)
		if len(l.Buffers) > 0 {
			s.truth.Layers = append(s.truth.Layers, l)
		}
	}
	slices.SortStableFunc(s.truth.Layers, func(a, b *LayerTruth) int { return cmp.Compare(a.first, b.first) })
	draws := map[trace.TID]bool{}
	for _, f := range s.truth.produced {
		if f.settle(inside); f.Start.Known() && s.produces(f) {
			s.truth.Produced = append(s.truth.Produced, f)
			draws[f.TID] = draws[f.TID] || len(f.Buffers) > 0
		}
	}
	for _, f := range s.truth.Produced {
		if len(f.Buffers) == 0 && draws[f.TID] {
			f.Empty = f.Framework != "flutter" || !f.renders || f.Draw[1].Known()
		}
		f.Empty = f.Empty && !f.Truncated
	}
}

// produces reports whether a vsync is known to be a frame: its process makes buffers. Other
// frames have markers of their own.
func (s *sim) produces(f *ProducedFrame) bool {
	return f.Framework != "nativevsync" || slices.ContainsFunc(s.truth.Layers, func(l *LayerTruth) bool {
		return l.PID == f.PID && l.linked || l.Node == f.PID && !l.linked
	})
}

// see notes the first line that names the layer.
func (l *LayerTruth) see(b *BufferTruth, inside func(trace.Time) bool) {
	calls := []Interval{b.requested, b.put, b.acquiring}
	if l.layer.contained() {
		calls = calls[1:] // a container asks its own queue
	}
	for _, call := range calls {
		if at := call[0]; inside(at) && (l.first == 0 || at < l.first) {
			l.first = at
		}
	}
}

// settle finds what the text has of a buffer's way to the queue and out of it.
func (b *BufferTruth) settle(inside func(trace.Time) bool, both func(Interval) bool) {
	b.Sequence = b.number
	if inside(b.put[0]) {
		b.Queued = b.put[0]
	}
	if b.Queued.Known() && both(b.requested) {
		if b.Requested = b.requested; b.granted != 0 {
			b.Requested[1] = b.granted
		}
	}
	if b.Queued.Known() && inside(b.fenced) && inside(b.ready) && (b.waited == 0 || inside(b.waited)) {
		b.Ready = b.ready
	}
	if inside(b.acquiring[0]) && inside(b.acquired) {
		b.Acquired = b.acquired
	}
}

// settleFates finds what became of the buffers.
func (l *LayerTruth) settleFates(inside func(trace.Time) bool) {
	for i, b := range l.Buffers {
		b.Fate = "waiting"
		passed := slices.ContainsFunc(l.Buffers[i+1:], func(later *BufferTruth) bool {
			return !b.Acquired.Known() && later.Acquired.Known()
		})
		again := slices.ContainsFunc(l.Buffers[i+1:], func(later *BufferTruth) bool {
			return inside(b.reusedAt) && later.number == b.number && later.Queued.Known()
		})
		f := b.render
		switch {
		case inside(b.droppedAt), passed, again:
			b.Fate = "dropped"
		case !b.Acquired.Known() || f == nil || !f.Start.Known():
		case f.Commit.Known():
			b.Fate = "shown"
		}
		if b.Acquired.Known() && f != nil && f.Start.Known() {
			b.Render = f
		}
		if b.Fate == "shown" && f.Present.Known() {
			b.Present, b.PresentEstimated = f.Present, f.PresentEstimated
		}
	}
}

// settle finds what the text has of a frame of a framework. Without its begin, nothing.
func (f *ProducedFrame) settle(inside func(trace.Time) bool) {
	if !inside(f.start) {
		return
	}
	f.Start = f.start
	if f.Truncated = !inside(f.end) || inside(f.drawStart) && !inside(f.drawEnd); !f.Truncated {
		f.End = f.end
	}
	if inside(f.drawStart) && inside(f.drawEnd) {
		f.Draw = Interval{f.drawStart, f.drawEnd}
	}
	f.Deadline = f.deadline
	if inside(f.named) {
		f.ID = cmp.Or(f.resynced, f.id)
	}
	if inside(f.dueAt) {
		f.Vsync = f.due
	}
	end, gpu := max(f.End, f.Draw[1]), trace.Time(0)
	for _, b := range f.buffers {
		if !b.Queued.Known() || !b.layer.linked {
			continue
		}
		b.Frame, b.layer.Framework = f, f.Framework
		f.Buffers = append(f.Buffers, b)
		if f.Render = nil; b.Fate == "shown" {
			f.Render = b.Render
		}
		gpu = max(gpu, b.Ready)
	}
	if f.Deadline.Known() && !f.Truncated {
		f.LateMain, f.LateGPU = end > f.Deadline, gpu > f.Deadline
	}
}

// syncDisplay serves an application's requests for vsyncs.
func (s *sim) syncDisplay(p *app, a *actor, f *Frame, v vsync) {
	if len(p.DisplaySyncs) == 0 {
		return
	}
	a.begin("DispatchDisplaySync", appLevel)
	a.compute(5 * trace.Microsecond)
	for _, d := range p.DisplaySyncs {
		d.Rate = max(1, d.Rate)
		serves := v.index%d.Rate == 0
		d.VsyncRate, d.Skipped = v.rate, !serves
		a.begin(displaySync(d, v, serves), appLevel)
		a.compute(20 * trace.Microsecond)
		a.end()
		f.DisplaySyncs = append(f.DisplaySyncs, d)
	}
	a.end()
	a.compute(3 * trace.Microsecond)
}
