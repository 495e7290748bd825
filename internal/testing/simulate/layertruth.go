package simulate

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// LayerTruth is a layer as far as the text of the trace contains it.
type LayerTruth struct {
	Name  string
	Queue int64 // zero in versions that do not name queues
	// PID is the process that makes the buffers, Node the one that made the node of the
	// scene, which shows them.
	PID, Node trace.PID
	Framework string
	Buffers   []*BufferTruth
	// Cadences are the producer's own intervals, one for each stretch of time at another; empty
	// if it has none.
	Cadences []LayerCadence
	// Marked: a marker of the producer's own thread encloses its calls of the queue.
	Marked bool

	layer   *Layer
	rates   []int      // one for each of Cadences
	first   trace.Time // when a line first names it
	linked  bool       // lines lead from the queue to the producer
	buffers []*BufferTruth
}

// LayerCadence is the interval at which a producer makes buffers, several at once or one, from the
// last buffer before until a time. Shown is how many of these are shown.
type LayerCadence struct {
	From, To       trace.Time
	Every          trace.Duration
	Buffers, Shown int
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
	Pace                    string // even, early, long, late; empty if unknown
	Interval                trace.Duration
	Deadline                trace.Time // of one that was taken late

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
	tick      int // of a decoder's clock, from 1
	rate      int // of the decoder or the display at that time
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
	Deadline   trace.Time // of its markers, or else that of a buffer that was taken late
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
	rate               int   // of the display
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
		if s.era.namesQueues {
			l.Node = s.apps[l.layer.App].PID
		} else {
			l.Queue = 0
		}
		for _, b := range l.buffers {
			l.see(s.era, b, inside)
			b.settle(s.era, inside, both)
			if l.layer.contained() && s.era.producerFences && s.Kernel == KernelNone {
				b.Ready = 0 // the broker's fence, and nothing says whom it serves
			}
			if b.Queued.Known() || b.Acquired.Known() {
				l.Buffers = append(l.Buffers, b)
			}
		}
		l.Marked = s.era.has(nativeFlush) || l.layer.contained()
		l.linked = l.Marked || s.Kernel != KernelNone
		l.settleFates(s.era, inside)
		l.settlePace()
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

// see notes the first line that names the layer. Calls that do not name their queue are known
// from where they end.
func (l *LayerTruth) see(e *era, b *BufferTruth, inside func(trace.Time) bool) {
	calls := []Interval{b.requested, b.put, b.acquiring}
	if l.layer.contained() {
		calls = calls[1:] // a container asks its own queue
	}
	for _, call := range calls {
		at := call[0]
		if !e.namesQueues {
			at = call[1]
		}
		if inside(at) && (l.first == 0 || at < l.first) {
			l.first = at
		}
	}
}

// settle finds what the text has of a buffer's way to the queue and out of it.
func (b *BufferTruth) settle(e *era, inside func(trace.Time) bool, both func(Interval) bool) {
	numbered := e.has(bufferAcquired) // else nothing tells buffers apart
	if numbered {
		b.Sequence = b.number
	}
	if inside(b.put[0]) && (e.namesQueues || inside(b.put[1])) {
		b.Queued = b.put[0]
	}
	if b.Queued.Known() && both(b.requested) && (numbered || b.layer.layer.contained()) {
		if b.Requested = b.requested; b.granted != 0 {
			b.Requested[1] = b.granted
		}
	}
	if b.Queued.Known() && inside(b.fenced) && inside(b.ready) && (b.waited == 0 || inside(b.waited)) {
		b.Ready = b.ready
	}
	switch {
	case e.namesQueues && inside(b.acquiring[0]) && inside(b.acquired):
		b.Acquired = b.acquired
	case !e.namesQueues && both(b.acquiring) && (numbered || b.Queued.Known()):
		b.Acquired = max(b.acquiring[0], b.Queued)
	}
}

// settleFates finds what became of the buffers.
func (l *LayerTruth) settleFates(e *era, inside func(trace.Time) bool) {
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
		case e.commitThread == "", f.Commit.Known():
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

// The rules by which a layer is even or not.
const (
	minLayerIntervals = 3
	minLayerPause     = trace.Second
)

// settlePace finds the layer's own intervals, and the buffers whose interval differs from them.
func (l *LayerTruth) settlePace() {
	var shown []*BufferTruth
	var presented []trace.Duration // apart
	period := trace.Duration(0)
	for _, b := range l.Buffers {
		if b.Fate == "shown" {
			shown = append(shown, b)
			if b.Render != nil {
				period = max(period, b.Render.Period)
			}
		}
	}
	for i := 1; i < len(shown); i++ {
		if shown[i].follows(shown[i-1]) {
			presented = append(presented, shown[i].Present.Sub(shown[i-1].Present))
		}
	}
	l.settleCadences(shown, presented, period)
	for i := 1; i < len(shown); i++ {
		if shown[i].follows(shown[i-1]) {
			shown[i].settlePace(shown[i-1], l.cadenceOf(shown[i-1]), l.cadenceOf(shown[i]))
		}
	}
}

// settleCadences finds the layer's own intervals: as the buffers are queued, several at once as
// one, or if too few of these times are known, as they are shown.
func (l *LayerTruth) settleCadences(shown []*BufferTruth, presented []trace.Duration, period trace.Duration) {
	of := map[int][]trace.Duration{} // by rate
	counts := map[int]*[2]int{}      // of buffers at a time, and of those that are shown
	var last, first *BufferTruth     // of those at a time
	queued := 0
	for _, b := range l.Buffers {
		if !b.Queued.Known() {
			last, first = nil, nil
			continue
		}
		if together := l.layer.Together > 1; !together || first == nil || b.tick != first.tick {
			if first != nil && b.Queued > first.Queued {
				if n := len(l.Cadences); n == 0 || last.rate != l.rates[n-1] {
					c := LayerCadence{From: last.Queued, Buffers: max(1, l.layer.Together)}
					if n == 0 {
						c.From = first.Queued
					}
					l.Cadences = append(l.Cadences, c)
					l.rates = append(l.rates, last.rate)
				}
				of[last.rate] = append(of[last.rate], b.Queued.Sub(first.Queued))
				queued++
			}
			first = b
			counts[b.tick] = &[2]int{}
		}
		if last = b; len(l.Cadences) > 0 {
			l.Cadences[len(l.Cadences)-1].To = b.Queued
		}
		if counts[b.tick][0]++; b.Fate == "shown" {
			counts[b.tick][1]++
		}
	}
	if queued < minLayerIntervals {
		of, l.Cadences, l.rates = map[int][]trace.Duration{0: presented}, nil, []int{0}
		if queued = len(presented); queued > 0 {
			l.Cadences = []LayerCadence{{shown[0].Present, shown[len(shown)-1].Present, 0, 1, 1}}
		}
	}
	near, nearly := 0, 0
	for i := range l.Cadences {
		c, list := &l.Cadences[i], of[l.rates[i]]
		slices.Sort(list)
		n := len(list)
		c.Every, c.Shown = (list[(n-1)/2]+list[n/2])/2, 1
		var times []int
		for _, count := range counts {
			if l.layer.Together > 1 && count[0] == c.Buffers {
				times = append(times, count[1])
			}
		}
		if slices.Sort(times); len(times) > 0 {
			c.Shown = max(1, times[len(times)/10])
		}
		if slices.Index(l.rates, l.rates[i]) < i {
			continue // counted
		}
		for _, d := range list {
			if off := (d - c.Every).Abs(); off <= period/2 {
				near++
			} else if off <= period+period/20 {
				nearly++
			}
		}
	}
	if queued < minLayerIntervals || period == 0 || 2*near < queued && 4*(near+nearly) < 3*queued {
		l.Cadences = nil
	}
}

// cadenceOf returns the interval of the stretch in which a buffer came.
func (l *LayerTruth) cadenceOf(b *BufferTruth) trace.Duration {
	at := cmp.Or(b.Queued, b.Present)
	for i, c := range l.Cadences {
		if at <= c.To || i == len(l.Cadences)-1 {
			return c.Every / trace.Duration(c.Shown)
		}
	}
	return 0
}

// follows reports whether it is known that the display showed the buffer next after another.
func (b *BufferTruth) follows(last *BufferTruth) bool {
	return last.Present.Known() && b.Present > last.Present
}

// settlePace compares the interval after another buffer with the cadence of that one or its own,
// whichever is closer.
func (b *BufferTruth) settlePace(last *BufferTruth, before, cadence trace.Duration) {
	interval := b.Present.Sub(last.Present)
	if (interval - before).Abs() < (interval - cadence).Abs() {
		cadence = before
	}
	period := trace.Duration(0)
	for _, f := range []*Frame{b.Render, last.Render} {
		if f != nil {
			period = max(period, f.Period)
		}
	}
	if cadence > 0 && interval >= minLayerPause && (!b.Queued.Known() || b.Queued.Sub(last.Present)+cadence >= minLayerPause) {
		return
	}
	b.Interval = interval
	if cadence == 0 || period == 0 {
		return
	}
	most := period/2 + period/20
	vsyncs := trace.Duration(1) // that the display needs for one buffer at most
	for vsyncs*period+period/4 < cadence {
		vsyncs++
	}
	longest := max(cadence, vsyncs*period)
	late := func(d trace.Duration) bool { return d-longest > most }
	switch {
	case late(b.Interval):
		b.Pace = "late"
	case b.Interval-cadence > most:
		b.Pace = "long"
	case cadence-b.Interval > most:
		b.Pace = "early"
	default:
		b.Pace = "even"
	}
	if taken := b.Acquired.Sub(last.Acquired); b.Pace == "late" && b.Acquired.Known() && last.Acquired.Known() && late(taken) {
		missed := (taken - longest + period/2) / period
		b.Deadline = b.Acquired - trace.Time(missed*period)
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
		if !f.Truncated {
			f.Deadline = cmp.Or(f.Deadline, b.Deadline)
		}
	}
	if f.Deadline.Known() && !f.Truncated {
		f.LateMain, f.LateGPU = end > f.Deadline, gpu > f.Deadline
	}
}

// syncDisplay serves an application's requests for vsyncs.
func (s *sim) syncDisplay(p *app, a *actor, f *Frame, v vsync) {
	if len(p.DisplaySyncs) == 0 || !s.era.since("4.1") {
		return
	}
	a.begin("DispatchDisplaySync", appLevel)
	a.compute(5 * trace.Microsecond)
	for _, d := range p.DisplaySyncs {
		d.Rate = max(1, d.Rate)
		serves := v.index%d.Rate == 0
		a.begin(s.era.displaySync(d, v, serves), appLevel)
		a.compute(20 * trace.Microsecond)
		a.end()
		if !s.era.since("5.0.3") {
			d.Type = UnknownType
		}
		f.DisplaySyncs = append(f.DisplaySyncs, d)
	}
	a.end()
	a.compute(3 * trace.Microsecond)
}
