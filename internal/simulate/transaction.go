package simulate

import (
	"cmp"
	"slices"

	"ohframe/analyzer/trace"
)

// transaction is the data that a UI thread sends to render_service. It gets its index
// when its line is written, so that indices count up in order of time, in whatever order
// the threads were planned.
type transaction struct {
	app     *app
	thread  *thread
	index   int64
	stamp   monotonic // vsync time of its frame; zero: sent for no vsync
	frame   *Frame    // nil if it belongs to no frame
	byStamp bool      // sent after its frame's end; only the timestamp identifies the frame

	sent    trace.Time
	arrives trace.Time
	hold    bool // render_service defers it once
	lost    bool

	takenBy *Frame
	takenAt trace.Time
}

// send writes one transaction's marker and puts it on its way.
func (w *work) send(a *app, f *Frame, stamp monotonic) *transaction {
	s := w.s
	tr := &transaction{
		app: a, thread: w.thread, frame: f, stamp: stamp,
		sent: w.t, lost: s.random.chance(s.config.Chances.Lost),
	}
	s.record.transactions = append(s.record.transactions, tr)
	commands := 1 + s.random.below(40)
	w.beginLate(marshTransaction, func() (values, func([]byte) []byte) {
		a.lastIndex++
		tr.index = a.lastIndex
		return values{count: commands, pid: a.config.PID, tid: tr.thread.tid, index: tr.index, now: stamp}, nil
	})
	w.passAbout(40 * trace.Microsecond)
	w.end()
	tr.arrives = w.t.Add(s.random.between(20*trace.Microsecond, 80*trace.Microsecond))
	if s.random.chance(s.config.Chances.Held) {
		// If render_service cannot defer a transaction, the transport is slow instead.
		if tr.hold = len(s.speller.cached) > 0; !tr.hold {
			tr.arrives = tr.arrives.Add(s.vsync.period)
		}
	}
	at, _ := slices.BinarySearchFunc(a.queue, tr, func(x, y *transaction) int { return cmp.Compare(x.sent, y.sent+1) })
	a.queue = slices.Insert(a.queue, at, tr)
	return tr
}

// command is one entry in the list that ProcessCommandUni ends with.
type command struct {
	how *template
	tr  *transaction
}

// take returns the commands that render_service processes at time t in a frame for the
// vsync at now, and removes their transactions from the queues.
func (s *sim) take(t trace.Time, now monotonic, by *Frame) (commands []command) {
	for _, a := range s.apps {
		for len(a.queue) > 0 {
			tr := a.queue[0]
			if tr.lost {
				// A gap in the indices: the one behind it waits for this frame,
				// then the gap is given up.
				if len(a.queue) > 1 && a.queue[1].arrives <= t {
					commands = append(commands, command{&s.speller.skipped, a.queue[1]})
					a.queue = slices.Delete(a.queue, 0, 1)
				}
				break
			}
			if tr.arrives > t {
				break
			}
			if held := tr.hold || tr.stamp >= now; held && len(s.speller.cached) > 0 {
				tr.hold = false
				how := s.random.below(int64(len(s.speller.cached)))
				commands = append(commands, command{&s.speller.cached[how], tr})
				break
			}
			tr.takenBy, tr.takenAt = by, t
			commands = append(commands, command{&s.speller.taken, tr})
			a.queue = slices.Delete(a.queue, 0, 1)
		}
	}
	return commands
}

// process writes ProcessCommandUni and applies the transactions that have arrived. It
// returns their number.
func (w *work) process(f *Frame, now monotonic) (taken int) {
	s := w.s
	commands := s.take(w.t, now, f)
	f.processed = w.t
	for _, c := range commands {
		if c.tr.takenBy == f {
			taken++
		}
	}
	w.beginLate(processCommands, func() (values, func([]byte) []byte) {
		return values{}, func(b []byte) []byte {
			for _, c := range commands {
				b = c.how.append(b, &values{pid: c.tr.app.config.PID, index: c.tr.index})
				if c.tr.takenBy == f {
					f.Sources = append(f.Sources, Transaction{c.tr.app.config.PID, c.tr.index})
				}
			}
			return b
		}
	})
	w.passAbout(60 * trace.Microsecond)
	w.end()
	return taken
}
