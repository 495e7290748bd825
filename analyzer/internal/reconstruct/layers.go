package reconstruct

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// layers follows buffers through the queues of the trace:
//
//	producer                 the queue's process, mostly render_service
//	asks for a buffer ─────▶ RequestBuffer
//	draws
//	queues it ─────────────▶ FlushBuffer
//	Acquire Fence                              AcquireBuffer ─▶ a commit ─▶ the display
//
// The calls of another process are binder calls, so that the markers on the left of the queue
// are of a thread that serves them: see calls.
type layers struct {
	queues map[queueKey]*queue
	all    []*queue // in order of the first line
	calls  calls
	fences map[trace.PID]string // the name of a process's acquire fences
	// queueing are the threads that queue a buffer by a call, in order.
	queueing []*thread
}

// queueKey is how markers name a queue: by its id, before 5.0 by its name.
type queueKey struct {
	pid  trace.PID // of the consumer
	id   int64
	name string
}

// queue is a queue of buffers. Only some are layers: see isLayer.
type queue struct {
	queueKey
	buffers  []*buffer
	pending  []*buffer // queued and not taken, in order
	requests []request // that have no queued buffer
	node     int64     // of the scene, whose buffers these are
	own      bool      // the consumer itself queues the buffers
}

// request is a producer's request for a free buffer.
type request struct {
	sequence int64
	analyzer.Interval
}

// buffer is a buffer under construction.
type buffer struct {
	*analyzer.Buffer
	origin *thread // that queued it
	pid    trace.PID
	// inferred: no binder call says who queued it.
	inferred bool
	frame    *draft // that drew it
	render   *draft // that took it
	fence    *fence
}

// unnamedCall is a call on a queue whose marker does not name the queue. Markers in it do.
type unnamedCall struct {
	word     hitrace.Word
	at       trace.Time
	name     []byte
	sequence int64
	waiting  int64 // buffers in the queue at the end
	counted  bool  // waiting is known
	done     bool  // the buffer is in the queue
}

const (
	// maxRequests is how many requested buffers of a queue are remembered. Queues have
	// fewer buffers.
	maxRequests = 64
	// maxPendingBuffers is among how many of the buffers that wait in a queue, the last ones,
	// one is searched.
	maxPendingBuffers = 256
	// maxQueueing is how many threads that queue a buffer are remembered.
	maxQueueing = 64
	// maxFenceDelay is the maximum time from a call that queues a buffer to the marker of its
	// fence.
	maxFenceDelay = 100 * trace.Millisecond
)

// queue returns the queue that a marker names, nil for one beyond the limits.
func (b *builder) queue(t *thread, e *hitrace.Event, id int64, name []byte) *queue {
	l := &b.layers
	key := queueKey{pid: t.pid, id: id}
	if id == 0 {
		text, ok := b.text(name, e)
		if !ok {
			return nil
		}
		key.name = text
	}
	q := l.queues[key]
	if q != nil && (name == nil || sameName(q.name, name)) {
		return q
	}
	text, ok := b.text(name, e)
	if !ok {
		return nil
	}
	if q != nil && q.name == "" {
		q.name = text
		return q
	}
	if !b.mayKeep(&b.kept.queues, e) {
		return nil
	}
	q = &queue{queueKey: queueKey{t.pid, id, text}}
	l.queues[key] = q // an id that is used again names a new queue
	l.all = append(l.all, q)
	return q
}

// sameName reports whether a name is that of a queue, as intern returns it.
func sameName(known string, name []byte) bool {
	name = name[:min(len(name), maxName)]
	return string(name) == known || !utf8.Valid(name) && strings.ToValidUTF8(string(name), "\uFFFD") == known
}

func (b *builder) beginRequestBuffer(t *thread, e *hitrace.Event) {
	c := hitrace.ParseBufferCall(e.Marker.Label())
	b.push(t, e)
	if c.Name == nil && c.Queue == 0 {
		t.unnamed = &unnamedCall{word: e.Word}
		return
	}
	t.lastOpen().queue = b.queue(t, e, c.Queue, c.Name)
}

// beginBufferRequested notes which buffer a request gets, and when: its allocation is no waiting.
// One that is allocated anew comes after another.
func (b *builder) beginBufferRequested(t *thread, e *hitrace.Event) {
	if i := t.indexOpen(hitrace.RequestBuffer); i >= 0 {
		t.open.At(i).granted = cmp.Or(t.open.At(i).granted, e.Time)
		if id := hitrace.ParseBufferID(e.Marker.Label()); id != 0 {
			t.open.At(i).sequence = id
		}
	}
}

func (b *builder) endRequestBuffer(t *thread, s *openSlice, e *hitrace.Event) {
	q, sequence := s.queue, s.sequence
	if c := t.unnamed; c != nil && c.word == hitrace.RequestBuffer {
		t.unnamed = nil
		if c.name == nil {
			return
		}
		q, sequence = b.queue(t, e, 0, c.name), c.sequence
	}
	if q == nil {
		return
	}
	q.requests = append(q.requests, request{sequence, analyzer.Interval{Start: s.start, End: cmp.Or(s.granted, e.Time)}})
	if len(q.requests) > maxRequests {
		q.requests = slices.Delete(q.requests, 0, 1)
	}
}

func (b *builder) beginFlushBuffer(t *thread, e *hitrace.Event) {
	t.noteQueued()
	c := hitrace.ParseBufferCall(e.Marker.Label())
	if c.Queue == 0 && c.Name == nil {
		b.push(t, e)
		t.unnamed = &unnamedCall{word: e.Word, at: e.Time}
		return
	}
	b.flushed(t, e, b.queue(t, e, c.Queue, c.Name), c.Sequence, e.Time)
}

// noteQueued notes that the frame which is open on the thread queues a buffer.
func (t *thread) noteQueued() {
	if t.draft != nil {
		t.draft.queued = true
	}
}

func (b *builder) endAcquireBuffer(t *thread, s *openSlice, e *hitrace.Event) {
	t.acquiring = nil
	b.endUnnamedCall(t, s, e)
}

// endUnnamedCall ends a call whose queue the markers within it have named.
func (b *builder) endUnnamedCall(t *thread, s *openSlice, e *hitrace.Event) {
	c := t.unnamed
	if t.unnamed = nil; c == nil || c.word != s.word || c.name == nil || c.done {
		return
	}
	q := b.queue(t, e, 0, c.name)
	if q == nil {
		return
	}
	switch {
	case c.word == hitrace.FlushBuffer:
		b.flushed(t, e, q, c.sequence, c.at)
	case c.sequence != 0:
		b.acquired(t, e, q, c.sequence, c.at)
	case c.counted && c.waiting >= 0 && c.waiting < int64(len(q.pending)): // 4.0 numbers no buffers
		q.take(len(q.pending)-int(c.waiting)-1).acquiredIn(t, c.at)
	}
}

// nameBuffer reads the marker "NAME:SEQUENCE" within a call that names no queue.
func (b *builder) nameBuffer(c *unnamedCall, e *hitrace.Event) {
	if name, sequence, ok := hitrace.ParseBufferName(e.Marker.Label()); ok && c.sequence == 0 {
		c.name, c.sequence = slices.Clone(name), sequence
	}
}

// countBuffers reads the counter of the buffers that wait in a queue, which has its name. A
// FlushBuffer counts the buffer before it ends. The buffer may be taken before that, too.
func (b *builder) countBuffers(t *thread, c *unnamedCall, e *hitrace.Event) {
	label := e.Marker.Label()
	if label == nil || c.name != nil && string(c.name) != string(label) {
		return
	}
	c.name, c.waiting, c.counted = slices.Clone(label), e.Marker.Value, true
	if c.word == hitrace.FlushBuffer && !c.done {
		c.done = true
		b.flushed(t, e, b.queue(t, e, 0, c.name), c.sequence, c.at)
	}
}

// flushed adds a buffer that is queued.
func (b *builder) flushed(t *thread, e *hitrace.Event, q *queue, sequence int64, at trace.Time) {
	if q == nil {
		return
	}
	n := b.newBuffer(q, sequence, e)
	if n == nil {
		return
	}
	n.Queued = at
	n.origin = b.layers.calls.origin(t, n)
	elsewhere := serves(e.Comm) || !isName(e.Comm)
	if n.inferred = n.origin == t && elsewhere; n.inferred {
		n.origin = b.layers.queueingFor(t, n)
	}
	n.pid, n.TID = n.origin.pid, n.origin.tid
	n.frame = n.origin.framework()
	if n.origin == t && !elsewhere {
		q.own = true
	}
	q.takeBack(sequence)
	q.pending = append(q.pending, n)
	b.requested(q, n)
}

// takeBack discards a buffer that waits when it is queued again: a producer that must not wait
// was given it back.
func (q *queue) takeBack(sequence int64) {
	if i := q.indexPending(sequence); i >= 0 && sequence != 0 {
		q.pending[i].Fate = analyzer.Discarded
		q.pending = slices.Delete(q.pending, i, i+1)
	}
}

// beginQueueBuffer begins a producer's call that queues a buffer.
func (b *builder) beginQueueBuffer(t *thread, e *hitrace.Event) {
	t.noteQueued()
	b.push(t, e)
	l := &b.layers
	l.queueing = append(slices.DeleteFunc(l.queueing, func(other *thread) bool { return other == t }), t)
	if len(l.queueing) > maxQueueing {
		l.queueing = slices.Delete(l.queueing, 0, 1)
	}
}

func (b *builder) endQueueBuffer(t *thread, _ *openSlice, _ *hitrace.Event) {
	l := &b.layers
	l.queueing = slices.DeleteFunc(l.queueing, func(other *thread) bool { return other == t })
}

// queueingFor returns the thread for which another one queues a buffer, in a trace without binder
// calls: the last that began to queue one and has none yet. Without such a thread it is the
// other one itself.
func (l *layers) queueingFor(t *thread, n *buffer) *thread {
	for i, caller := range slices.Backward(l.queueing) {
		if caller.pid != t.pid {
			l.queueing = slices.Delete(l.queueing, i, i+1)
			caller.queued = n
			return caller
		}
	}
	return t
}

// requested sets when the producer asked for a buffer that it queues.
func (b *builder) requested(q *queue, n *buffer) {
	i := slices.IndexFunc(q.requests, func(r request) bool { return r.sequence == n.Sequence })
	switch dequeued := n.origin.dequeued; {
	case i >= 0:
		if r := q.requests[i]; r.Start <= r.End { // unless the clock jumps
			n.Requested = r.Interval
		}
		q.requests = slices.Delete(q.requests, i, i+1)
	case dequeued.Known() && dequeued.Start <= dequeued.End && dequeued.End <= n.Queued:
		n.Requested = dequeued
		n.origin.dequeued = analyzer.Interval{}
	}
}

// serves reports whether a thread of this name serves binder calls.
func serves(comm []byte) bool { return strings.Contains(string(comm), "IPC_") }

func (b *builder) newBuffer(q *queue, sequence int64, e *hitrace.Event) *buffer {
	if !b.mayKeep(&b.kept.buffers, e) {
		return nil
	}
	n := &buffer{Buffer: &analyzer.Buffer{Sequence: sequence}, pid: trace.UnknownPID}
	q.buffers = append(q.buffers, n)
	return n
}

func (b *builder) beginAcquireBuffer(t *thread, e *hitrace.Event) {
	t.discards, t.dropping = t.dropping, false
	b.push(t, e)
	c := hitrace.ParseBufferCall(e.Marker.Label())
	if c.Queue == 0 && c.Name == nil {
		t.unnamed = &unnamedCall{word: e.Word, at: e.Time}
		return
	}
	t.acquiring, t.acquired = nil, nil
	if !t.isMain() && b.layers.queues[queueKey{pid: t.pid, id: c.Queue}] == nil {
		return // render_service takes what it shows on its main thread
	}
	t.acquiring = b.queue(t, e, c.Queue, c.Name)
	if t.acquiring != nil && t.indexOpen(hitrace.Commit) >= 0 { // the picture that it draws of layers
		t.acquiring.own = true
	}
}

func (b *builder) beginBufferAcquired(t *thread, e *hitrace.Event) {
	if t.acquiring != nil {
		b.acquired(t, e, t.acquiring, hitrace.ParseBufferID(e.Marker.Label()), e.Time)
	}
	t.acquiring, t.acquired = nil, t.acquiring
}

// acquired notes that a buffer is taken, which may have been queued before the trace.
func (b *builder) acquired(t *thread, e *hitrace.Event, q *queue, sequence int64, at trace.Time) {
	if i := q.indexPending(sequence); i >= 0 {
		q.take(i).acquiredIn(t, at)
	} else if n := b.newBuffer(q, sequence, e); n != nil {
		n.acquiredIn(t, at)
	}
}

// indexPending returns the index of the first buffer of this sequence that waits, or -1.
func (q *queue) indexPending(sequence int64) int {
	from := max(0, len(q.pending)-maxPendingBuffers)
	i := slices.IndexFunc(q.pending[from:], func(n *buffer) bool { return n.Sequence == sequence })
	if i < 0 {
		return -1
	}
	return from + i
}

// take removes a buffer that waits and those that were queued before it, which are dropped.
func (q *queue) take(i int) *buffer {
	for _, skipped := range q.pending[:i] {
		skipped.Fate = analyzer.Discarded
	}
	n := q.pending[i]
	q.pending = q.pending[i+1:]
	return n
}

// acquiredIn sets when the buffer is taken, by which frame, the one open on the thread, and
// whether it is dropped at once.
func (n *buffer) acquiredIn(t *thread, at trace.Time) {
	n.Acquired, n.render = max(at, n.Queued), t.draft
	if t.discards {
		n.Fate, t.discards = analyzer.Discarded, false
	}
}

// beginDropFrame reads that a queue is full, so that render_service takes one more buffer only to
// release it: until 5.0.0 before the one that it shows, then after it.
func (b *builder) beginDropFrame(t *thread, _ *hitrace.Event) { t.dropping = true }

func (b *builder) beginDropBuffer(t *thread, e *hitrace.Event) {
	c := hitrace.ParseBufferCall(e.Marker.Label())
	q := b.queue(t, e, c.Queue, c.Name)
	if q == nil {
		return
	}
	if i := q.indexPending(c.Sequence); i >= 0 {
		q.pending[i].Fate = analyzer.Discarded
		q.pending = slices.Delete(q.pending, i, i+1)
	}
}

func (b *builder) beginSurfaceNode(t *thread, e *hitrace.Event) {
	if t.acquired != nil {
		t.acquired.node = hitrace.ParseSurfaceNode(e.Marker.Label())
	}
}

// beginAcquireFence reads the fence of the buffer that was queued last on the thread, or by a
// call that it served.
func (b *builder) beginAcquireFence(t *thread, e *hitrace.Event) {
	n := t.queued
	t.queued = nil
	f, ok := hitrace.ParseFence(e.Marker.Label())
	if n == nil || !ok || e.Time.Sub(n.Queued) > maxFenceDelay {
		return
	}
	n.fence = &fence{tracker: b.acquireTracker(t.pid), number: f.Number, at: e.Time, signaled: f.Signaled}
	if f.Signaled {
		n.fence.waited = e.Time
	}
}

func (b *builder) beginAcquireFenceWait(t *thread, e *hitrace.Event) {
	f, ok := hitrace.ParseFence(e.Marker.Label())
	if ok {
		b.pushWait(t, e, b.acquireTracker(t.pid), f.Number)
	}
}

// acquireTracker returns the name of a process's acquire fences: each process numbers its own.
func (b *builder) acquireTracker(pid trace.PID) string {
	name, ok := b.layers.fences[pid]
	if !ok {
		name = acquirePrefix + strconv.Itoa(int(pid))
		b.layers.fences[pid] = name
	}
	return name
}

// acquirePrefix begins the names of acquire fences. No marker of a present fence has it.
const acquirePrefix = "Acquire Fence of "

// allFences returns the fences of commits and buffers.
func (b *builder) allFences() []*fence {
	var list []*fence
	for _, c := range b.commits {
		if c.fence != nil {
			list = append(list, c.fence)
		}
	}
	for _, q := range b.layers.all {
		for _, n := range q.buffers {
			if n.fence != nil {
				list = append(list, n.fence)
			}
		}
	}
	return list
}

// assignLayers adds the layers of the trace to the timeline. It needs the render frames'
// presents, the ends of fences and the frames of frameworks. It links these to their buffers.
func (b *builder) assignLayers(t *analyzer.Timeline, renders framesByProcess) {
	known := map[queueKey]*analyzer.Layer{}
	for _, l := range t.Layers { // of an earlier trace of the input
		known[queueKey{id: l.Queue, name: l.Name}] = l
	}
	for _, q := range b.layers.all {
		if !q.isLayer(renders, b.lives) {
			continue
		}
		key := queueKey{id: q.id, name: q.name}
		l := known[key]
		if l == nil || q.id == 0 && l.Process != q.producer(b.lives) {
			l = &analyzer.Layer{Name: q.name, Queue: q.id, Process: q.producer(b.lives)}
			known[key] = l
			t.Layers = append(t.Layers, l)
		}
		q.show(renders[q.pid])
		for _, n := range q.buffers {
			n.Layer = l
			l.Buffers = append(l.Buffers, n.Buffer)
		}
		l.Framework = cmp.Or(q.link(), l.Framework)
	}
	for _, o := range b.outsides {
		o.show(t, renders)
	}
}

// isLayer reports whether render_service shows the buffers, and others draw them. An
// application that consumes buffers itself shows none.
func (q *queue) isLayer(renders framesByProcess, processes lives) bool {
	p := processes.at(q.pid, 0)
	return !q.own && len(q.buffers) > 0 && (len(renders[q.pid]) > 0 || p != nil && p.Name == renderService)
}

// producer returns the process that queued most of the buffers. If the trace has no binder
// calls, it is the one that made the node of the scene.
func (q *queue) producer(processes lives) *analyzer.Process {
	counts := map[trace.PID]int{}
	for _, n := range q.buffers {
		if n.pid != trace.UnknownPID && n.pid != q.pid {
			counts[n.pid]++
		}
	}
	pid := trace.UnknownPID
	for _, candidate := range slices.Sorted(maps.Keys(counts)) {
		if pid == trace.UnknownPID || counts[candidate] > counts[pid] {
			pid = candidate
		}
	}
	if pid == trace.UnknownPID && q.node != 0 {
		pid = trace.PID(q.node >> 32)
	}
	var last trace.Time
	if n := len(q.buffers); n > 0 {
		last = q.buffers[n-1].At()
	}
	return processes.atTime(pid, last)
}

// show finds out which of the buffers were shown, and when. frames are render_service's, by
// start. A frame shows the buffer that it took last, unless it was not committed: then the
// next one does, if no other buffer was taken before. Systems before 4.0 do not mark commits.
func (q *queue) show(frames []*analyzer.Frame) {
	committed := slices.ContainsFunc(frames, isCommitted)
	var last *buffer // taken
	for _, n := range q.buffers {
		if n.fence != nil {
			n.Ready = n.fence.waited
		}
		if !n.Acquired.Known() {
			continue
		}
		if n.Render = n.renderFrame(frames); n.Fate == analyzer.Discarded {
			continue
		}
		if last != nil {
			last.showBy(frames, committed, n)
		}
		last = n
	}
	if last != nil {
		last.showBy(frames, committed, nil)
	}
}

func isCommitted(f *analyzer.Frame) bool { return f.Commit.Start.Known() || len(f.Screens) > 0 }

// renderFrame returns the frame that took the buffer: that of the marker, or the last that had
// begun.
func (n *buffer) renderFrame(frames []*analyzer.Frame) *analyzer.Frame {
	if n.render != nil && !n.render.dropped && n.render.frame.Kind == analyzer.RenderFrame {
		return n.render.frame
	}
	if f := lastStarted(frames, n.Acquired); f != nil && f.Actual.End >= n.Acquired {
		return f
	}
	return nil
}

// showBy sets what became of a buffer that was taken, given the one that was taken next and
// whether the trace has commits.
func (n *buffer) showBy(frames []*analyzer.Frame, committed bool, next *buffer) {
	if n.Render == nil {
		return
	}
	if !committed {
		if n.Fate = analyzer.Shown; next != nil && next.Render == n.Render {
			n.Fate = analyzer.Discarded
		}
		return
	}
	i, _ := slices.BinarySearchFunc(frames, n.Render.Actual.Start, func(f *analyzer.Frame, at trace.Time) int { return cmp.Compare(f.Actual.Start, at) })
	for ; i < len(frames) && (next == nil || frames[i].Actual.Start < next.Acquired); i++ {
		f := frames[i]
		if next != nil && next.Render == f {
			break
		}
		if show(n.Buffer, f) {
			return
		}
	}
	if next != nil {
		n.Fate = analyzer.Discarded
	}
}

// show sets that a render frame shows a buffer, if it was committed.
func show(n *analyzer.Buffer, f *analyzer.Frame) bool {
	at, estimated := f.Present, f.PresentEstimated
	if !f.Commit.Start.Known() {
		if len(f.Screens) == 0 {
			return false
		}
		at, estimated = f.Screens[0].Present, f.Screens[0].PresentEstimated // which shows the layer
	}
	n.Fate = analyzer.Shown
	if at >= n.Acquired {
		n.Present, n.PresentEstimated = at, estimated
	}
	return true
}

// link links the frames of frameworks to their buffers. It returns the framework.
func (q *queue) link() (framework analyzer.Framework) {
	for _, n := range q.buffers {
		d := n.frame
		if d == nil || d.dropped {
			continue
		}
		f := d.frame
		framework, n.Frame = f.Framework, f
		if n.Ready > n.Queued {
			f.GPU = append(f.GPU, analyzer.Interval{Start: n.Queued, End: n.Ready})
		}
		sent := analyzer.Sent{Index: n.Sequence, At: n.Queued}
		if n.Fate == analyzer.Shown {
			sent.AppliedBy = n.Render
		}
		f.Transactions = append(f.Transactions, sent)
	}
	return framework
}

// linkFrames sets the render frames of the frames of frameworks, whose buffers are of several
// layers.
func (b *builder) linkFrames() {
	for _, d := range b.drafts {
		f := d.frame
		if f.Framework == analyzer.Platform || len(f.Transactions) == 0 {
			continue
		}
		slices.SortStableFunc(f.Transactions, func(x, y analyzer.Sent) int { return cmp.Compare(x.At, y.At) })
		slices.SortStableFunc(f.GPU, func(x, y analyzer.Interval) int { return cmp.Compare(x.Start, y.Start) })
		if r := f.Transactions[len(f.Transactions)-1].AppliedBy; r != nil {
			f.Render = r
			r.Applications = append(r.Applications, f)
		}
	}
}
