package simulate

import "ohframe/analyzer/trace"

// wakeLead is the time from being woken to running, and so the least time
// between two pieces of work of one thread.
const wakeLead = 30 * trace.Microsecond

// work is a thread's run from a wakeup to the next sleep. Its methods plan work at the
// current time t. Only pass, reach and sleep advance t.
type work struct {
	s      *sim
	thread *thread
	t      trace.Time
}

// start wakes a thread so that it runs at the given time, or as soon after as
// it is free.
func (s *sim) start(th *thread, at trace.Time, by *thread) *work {
	at = max(s.tick(at), th.freeAt.Add(wakeLead+10*trace.Microsecond))
	w := &work{s: s, thread: th, t: at}
	w.run(by, 0)
	return w
}

func (w *work) run(by *thread, state byte) {
	w.s.events.push(event{kind: wakeEvent, time: w.t.Add(-wakeLead), thread: w.thread, by: by, state: state})
	w.s.events.push(event{kind: runEvent, time: w.t, thread: w.thread})
}

// stop ends the work. The thread must have closed all its slices.
func (w *work) stop() {
	w.leave('S')
	w.thread.freeAt = w.t
}

func (w *work) leave(state byte) {
	w.s.events.push(event{kind: stopEvent, time: w.t, thread: w.thread, state: state})
}

// sleep releases the processor until the given time: 'S' waits for an event, 'D' for
// storage.
func (w *work) sleep(state byte, until trace.Time) {
	until = max(w.s.tick(until), w.t.Add(wakeLead+10*trace.Microsecond))
	w.leave(state)
	w.t = until
	w.run(nil, state)
}

func (w *work) pass(d trace.Duration) { w.t = w.s.tick(w.t.Add(d)) }

// passAbout lets a length of time pass that varies by a half to either side.
func (w *work) passAbout(d trace.Duration) { w.pass(w.s.random.between(d/2, d*3/2)) }

// reach works on until the given time, if it is still ahead.
func (w *work) reach(t trace.Time) { w.t = max(w.t, w.s.tick(t)) }

func (w *work) begin(m mark, v values) { w.beginList(m, v, nil) }

func (w *work) beginList(m mark, v values, list func([]byte) []byte) {
	s, pid := w.s, w.thread.payloadPID
	w.write(func(b []byte) []byte { return s.speller.begin(b, pid, m, &v, list) })
	w.opened(m)
}

// beginLate begins a slice whose values are known only when it is written.
func (w *work) beginLate(m mark, late func() (values, func([]byte) []byte)) {
	s, pid := w.s, w.thread.payloadPID
	s.events.push(event{time: w.t, thread: w.thread, late: func(b []byte) []byte {
		v, list := late()
		return s.speller.begin(b, pid, m, &v, list)
	}})
	w.opened(m)
}

func (w *work) opened(m mark) { w.thread.open = append(w.thread.open, w.s.speller.levels[m]) }

// end closes the innermost open slice.
func (w *work) end() {
	last := len(w.thread.open) - 1
	level := w.thread.open[last]
	w.thread.open = w.thread.open[:last]
	s, pid := w.s, w.thread.payloadPID
	w.write(func(b []byte) []byte { return s.speller.end(b, pid, level) })
}

// slice is a whole slice, if the era writes the marker at all.
func (w *work) slice(m mark, v values, d trace.Duration) {
	if w.s.speller.has(m) {
		w.begin(m, v)
		w.pass(d)
		w.end()
	}
}

// numbered writes an S, F or C.
func (w *work) numbered(phase byte, name, level string, n int64) {
	s, pid := w.s, w.thread.payloadPID
	w.write(func(b []byte) []byte { return s.speller.numbered(b, phase, pid, name, level, n) })
}

func (w *work) write(text func([]byte) []byte) {
	e := event{time: w.t, thread: w.thread}
	w.s.events.text(&e, text)
	w.s.events.push(e)
}
