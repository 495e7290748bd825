package simulate

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// sim is a simulation under way.
type sim struct {
	config     Config
	speller    *speller
	kernel     kernelStyle
	random     *random // for the pipeline
	noise      *random // for the rest of the device
	text       *textWriter
	events     eventQueue
	scheduler  scheduler
	grid       grid
	record     record
	apps       []*app
	render     *renderService
	background *background
	scratch    []byte

	vsync vsync // the one being planned
}

// Write simulates, writes the trace and returns its truth. For a header with the number
// of lines it buffers the whole trace in memory.
func Write(w io.Writer, c Config) (*Truth, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if !c.Text.Header.counted() {
		s := newSim(w, c)
		header := c.Text.Header.write(0, len(s.scheduler.cpus), s.text.newline)
		s.text.buffer = append(s.text.buffer, header...)
		s.text.size += int64(len(header))
		return s.run()
	}
	var body bytes.Buffer
	s := newSim(&body, c)
	truth, err := s.run()
	if err != nil {
		return nil, err
	}
	header := c.Text.Header.write(s.text.lines, len(s.scheduler.cpus), s.text.newline)
	if _, err := io.WriteString(w, header); err != nil {
		return nil, err
	}
	_, err = body.WriteTo(w)
	return truth, err
}

func newSim(w io.Writer, c Config) *sim {
	e := findEra(c.Era)
	s := &sim{
		config:  c,
		speller: newSpeller(e),
		kernel:  kernelStyles[c.Kernel],
		random:  newRandom(c.Seed, 1),
		noise:   newRandom(c.Seed, 2),
		text:    newTextWriter(w, c.Text, e.markEvent, c.Kernel == KernelLinux),
		grid:    grid{rates: c.Rates},
		record:  record{tellsPeriods: strings.Contains(e.text[vsyncCount], "{period}")},
	}
	s.render = s.newRenderService()
	threads := s.render.threads()
	for _, a := range c.Apps {
		app := s.newApp(a)
		s.apps = append(s.apps, app)
		threads += app.threads()
	}
	s.background = s.newBackground()
	s.scheduler.first = len(s.background.lanes)
	for cpu := range s.scheduler.first + threads {
		s.scheduler.cpus = append(s.scheduler.cpus, processor{idle: s.newIdle(cpu)})
	}
	s.background.begin(s)
	return s
}

// The number of vsyncs before and after a cut trace whose frames are partly visible.
const cutVsyncs = 3

func (s *sim) run() (*Truth, error) {
	last := int64(1<<63 - 1)
	if s.config.Size == 0 {
		last = s.grid.after(firstVsync.add(s.config.Duration-1), 0).index
	}
	if s.config.CutStart {
		last += cutVsyncs
		v := s.grid.at(cutVsyncs)
		s.text.from = s.tick(s.traceTime(v.now).Add(v.period / 4))
	}
	s.syncClocks()
	var v vsync
	for index := int64(0); index < last && (s.config.Size == 0 || s.text.size < s.config.Size); index++ {
		v = s.grid.at(index)
		s.step(v)
	}
	if s.config.CutEnd {
		s.text.to = s.tick(s.traceTime(v.now).Add(v.period / 4))
	}
	s.background.end()
	s.events.release(1<<63-1, s.write)
	s.text.flush()
	if s.text.err != nil {
		return nil, s.text.err
	}
	truth := s.record.truth(s.text.from, s.text.to)
	truth.Era = s.config.Era
	truth.Offset = s.config.ClockOffset
	truth.Period = s.grid.at(0).period
	return truth, nil
}

// step plans one vsync and writes everything that is settled by then.
func (s *sim) step(v vsync) {
	s.vsync = v
	asked := false
	for _, a := range s.apps {
		asked = s.stepApp(a) || asked
	}
	s.stepRender(asked)
	next := s.traceTime(v.now.add(v.period))
	s.background.fill(s.traceTime(v.now), next)
	if s.config.CutEnd {
		// Only the end decides what is cut off, so buffer the rest.
		next = s.traceTime(v.now)
	}
	s.events.release(next, s.write)
}

// syncClocks writes the two markers that hitrace begins a capture with. The
// second has the precision of a 32-bit floating point number.
func (s *sim) syncClocks() {
	if s.config.Text.NoClockSync {
		return
	}
	w := s.start(s.render.hitrace, max(s.traceTime(firstVsync), s.text.from).Add(2*wakeLead), nil)
	mono := int64(w.t) - int64(s.config.ClockOffset)
	for _, payload := range []string{
		"realtime_ts=" + strconv.FormatInt(1_750_000_000_000+mono/int64(trace.Millisecond), 10),
		"parent_ts=" + strconv.FormatFloat(float64(float32(float64(mono)/float64(trace.Second))), 'f', 6, 64),
	} {
		w.write(func(b []byte) []byte { return append(append(b, "trace_event_clock_sync: "...), payload...) })
		w.pass(20 * trace.Microsecond)
	}
	w.stop()
}

// traceTime puts a vsync time on the trace's clock.
func (s *sim) traceTime(m monotonic) trace.Time {
	return trace.Time(m).Add(s.config.ClockOffset)
}

// monotonicTime is the way back.
func (s *sim) monotonicTime(t trace.Time) monotonic {
	return monotonic(t.Add(-s.config.ClockOffset))
}

// tick rounds a time down to the resolution of a line.
func (s *sim) tick(t trace.Time) trace.Time {
	return t - t%trace.Time(s.text.unit)
}

// clear keeps a time away from a deadline, so that a small error in a reader's
// clock offset does not decide whether a frame is late.
func (s *sim) clear(t, deadline trace.Time) trace.Time {
	const margin = 400 * trace.Microsecond
	if t.Sub(deadline).Abs() < margin {
		return s.tick(deadline.Add(margin + trace.Microsecond))
	}
	return t
}

// laggard is a thread that receives vsyncs. While it is busy, they queue up.
type laggard struct {
	thread *thread
	queued []vsync
}

// receive queues the vsync if it was requested. It returns the newest queued one, the
// number of older ones, and the time at which the thread reads it; ok is false
// if the queue is empty or the thread is busy until the next vsync.
func (l *laggard) receive(s *sim, v vsync, asked bool, at trace.Time) (taken vsync, coalesced int, start trace.Time, ok bool) {
	if asked {
		l.queued = append(l.queued, v)
	}
	if len(l.queued) == 0 || l.thread.freeAt >= s.traceTime(v.now.add(v.period)) {
		return vsync{}, 0, 0, false
	}
	taken, coalesced = l.queued[len(l.queued)-1], len(l.queued)-1
	l.queued = l.queued[:0]
	if taken.index < v.index {
		at = 0 // it is late already
	}
	return taken, coalesced, max(at, l.thread.freeAt), true
}
