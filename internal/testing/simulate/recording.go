package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/perffile"
)

// Recording is how a sampling profiler records a simulation: hiperf, at the same time as the
// trace. It samples the applications and render_service unless All or Threads is set.
type Recording struct {
	// Seed chooses phases, functions and the offset of the clock. It does not change the trace.
	Seed uint64
	// Rate is the samples a second of the time that a thread runs; zero means 1000. Cycles is
	// the number of CPU cycles from one sample to the next, in place of a rate.
	Rate   int
	Cycles uint64
	// OffCPU also takes a sample of each switch away from a thread, with where it waits.
	OffCPU bool
	// All samples all threads, and Threads only these.
	All     bool
	Threads []trace.TID
	// From is where the recording begins after the first vsync. It ends with the trace unless
	// Length is not zero.
	From, Length trace.Duration

	Clock Clock
	// Offset is how far the trace's clock is ahead of ClockPerf at the first vsync. Zero means one
	// that Seed chooses.
	Offset trace.Duration
	// Drift is how much faster ClockPerf is, in millionths.
	Drift int64
}

// Clock is the clock of a recording.
type Clock string

// The clocks. A recording of ClockPerf does not state its clock.
const (
	ClockPerf      Clock = "perf"
	ClockMonotonic Clock = "monotonic"
	ClockBoot      Clock = "boot"
)

// RecordingTruth is the truth about a recording.
type RecordingTruth struct {
	// Offset is how far the trace's clock is ahead of the recording's at the first vsync.
	Offset trace.Duration
	// Samples are in order of time.
	Samples []SampleTruth
}

// SampleTruth is a sample. It counts for a function: the innermost one of the application's own
// libraries, or else the innermost one outside the kernel.
type SampleTruth struct {
	Time trace.Time // of the trace's clock
	PID  trace.PID
	TID  trace.TID
	CPU  int
	// OffCPU reports whether the thread was switched away from, and Blocked whether it waits.
	OffCPU, Blocked bool
	Period          uint64
	Function        string
	Module          string // without its folder
	// Slice is the outermost open slice that is a step of a frame, or else the outermost one.
	Slice string
}

// HotTruth is a function in which a frame spent the injected time, running or waiting.
type HotTruth struct {
	Function, Module string
	TID              trace.TID // of the thread
	// Waits: the function waits, and samples of switches have it.
	Waits bool
	// Samples in the function, of All that the thread has in the same step of the frame. If the
	// function waits, they are of switches.
	Samples, All int

	slice string
}

// profiler takes the samples of a recording.
type profiler struct {
	Recording
	s       *sim
	code    *code
	records []sampleRecord
	truth   *RecordingTruth
	from    trace.Time
	first   trace.Time // vsync
	hot     map[Cause]*hot
	hots    []*hot // in order of their creation
}

type sampleRecord struct {
	time  trace.Time
	cpu   int
	bytes []byte
}

// sampledThread is what the profiler knows of a thread.
type sampledThread struct {
	*profiler
	a      *actor
	random *random
	at     trace.Time // until when samples have been taken
	left   int64      // until the next sample, in ns or cycles
	gap    int64      // from the last sample to the next one
	path   []string   // of open slices
	hot    *hot       // what it does, if not what its slices say
}

func recorded(w io.Writer, r Recording, generate func(*profiler) (*Truth, error)) (*Truth, error) {
	r.Rate, r.Clock = cmp.Or(r.Rate, 1000), cmp.Or(r.Clock, ClockPerf)
	if r.Clock != ClockPerf && r.Clock != ClockMonotonic && r.Clock != ClockBoot {
		return nil, fmt.Errorf("no clock is called %q", r.Clock)
	}
	if r.Rate < 0 || r.Rate > 1_000_000_000 {
		return nil, errors.New("a rate is between 1 and 10⁹ samples a second")
	}
	p := &profiler{Recording: r, code: newCode(), hot: map[Cause]*hot{}, truth: &RecordingTruth{}}
	truth, err := generate(p)
	if err != nil {
		return nil, err
	}
	truth.Recording = p.truth
	return truth, p.write(w)
}

// attach begins to sample the threads of a simulation.
func (p *profiler) attach(s *sim) {
	if p == nil {
		return
	}
	p.s, s.profiler = s, p
	p.first = s.traceTime(firstVsync)
	switch p.Clock {
	case ClockMonotonic:
		p.Offset, p.Drift = s.ClockOffset, 0
	case ClockBoot:
		p.Offset, p.Drift = 0, 0
	case ClockPerf:
		if p.Offset == 0 { // the first vsync is between one second and twelve days after the boot
			p.Offset = p.first.Sub(trace.Time(newRandom(p.Seed, 7).between(trace.Second, 1_000_000*trace.Second)))
		}
	}
	p.truth.Offset = p.Offset
	if p.from = s.now; p.From != 0 {
		p.from = p.first.Add(p.From)
	}
	apps := map[trace.PID]bool{}
	for _, app := range s.apps {
		apps[app.PID] = true
	}
	for _, a := range s.actors {
		if a.asHandler || len(p.Threads) > 0 && !slices.Contains(p.Threads, a.tid) ||
			len(p.Threads) == 0 && !p.All && !apps[a.pid] && a.pid != renderPID {
			continue
		}
		t := &sampledThread{profiler: p, a: a, random: newRandom(p.Seed, 1_000_000+uint64(a.tid)), at: s.now}
		t.next()
		t.left = t.random.below(t.gap)
		a.sampled = t
		p.code.thread(a, apps[a.pid])
	}
}

// time returns a time of the profiler's clock.
func (p *profiler) time(t trace.Time) uint64 {
	since := int64(t.Sub(p.first))
	return uint64(int64(t) - int64(p.Offset) + since/1_000_000*p.Drift + since%1_000_000*p.Drift/1_000_000)
}

// next draws the distance to the next sample. A rate is what the kernel aims at.
func (t *sampledThread) next() {
	if t.gap = int64(t.Cycles); t.Cycles == 0 {
		d := trace.Second / trace.Duration(t.Rate)
		t.gap = max(1, int64(t.random.between(d*9/10, d*11/10)))
	}
}

func (t *sampledThread) begin(text string) {
	if t != nil {
		t.advance()
		t.path = append(t.path, sliceName(text))
	}
}

func (t *sampledThread) end() {
	if t != nil {
		t.advance()
		t.path = t.path[:len(t.path)-1]
	}
}

func (t *sampledThread) switchIn() {
	if t != nil {
		t.at = t.s.now
	}
}

// switchOut takes a sample of a switch, which is recorded within a microsecond of it.
func (t *sampledThread) switchOut() {
	if t == nil {
		return
	}
	t.advance()
	if t.OffCPU && t.a.onSince != 0 {
		t.sample(t.s.now.Add(t.random.between(-500, 500)), 1, true)
	}
}

// advance takes the samples of a running thread up to now. What it does has not changed since
// the last call.
func (t *sampledThread) advance() {
	if t == nil || t.a.onSince == 0 {
		return
	}
	kHz := int64(t.a.core.speed)
	for {
		need := t.left
		if t.Cycles > 0 {
			need = (t.left*1_000_000 + kHz - 1) / kHz
		}
		if t.at.Add(trace.Duration(need)) >= t.s.now {
			break
		}
		t.at = t.at.Add(trace.Duration(need))
		period := t.Cycles
		if period == 0 {
			period = uint64(t.gap * kHz / 1_000_000)
		}
		t.sample(t.at, period, false)
		t.next()
		t.left = t.gap
	}
	passed := int64(t.s.now.Sub(t.at))
	if t.Cycles > 0 {
		passed = passed * kHz / 1_000_000
	}
	t.left -= passed
	t.at = t.s.now
}

// The ids of the events, and their names.
const (
	cyclesID, switchID = 7, 8

	cyclesName, switchName = "hw-cpu-cycles", "sched:sched_switch"
)

func (t *sampledThread) sample(at trace.Time, period uint64, off bool) {
	a, p := t.a, t.profiler
	if at < p.from || p.Length > 0 && at >= p.from.Add(p.Length) {
		return
	}
	id := uint64(cyclesID)
	if off {
		id = switchID
	}
	stack := p.code.stack(t, off)
	chain, kernel := p.code.chain(t, stack)
	leaf := chain[1]
	record := perffile.Sample(kernel, id, leaf, int32(a.pid), int32(a.tid), p.time(at), uint32(a.core.index), max(1, period), chain)
	p.records = append(p.records, sampleRecord{at, a.core.index, record})
	function, module := credited(stack).shown()
	p.truth.Samples = append(p.truth.Samples, SampleTruth{
		Time: at, PID: a.pid, TID: a.tid, CPU: a.core.index, OffCPU: off, Blocked: off && a.state == blocked, Period: max(1, period),
		Function: function, Module: module, Slice: step(t.path),
	})
}

// hotly has a thread do what a cause injects. Its samples are in the function of the cause.
func (s *sim) hotly(a *actor, c *CauseTruth, do func()) {
	t := a.sampled
	if t == nil {
		do()
		return
	}
	t.advance()
	before := t.hot
	if h := t.code.hotFor(t, c); h != nil {
		function, module := h.credited.shown()
		c.Hot = &HotTruth{
			Function: function, Module: module, TID: a.tid, Waits: h.waits != nil, slice: step(t.path),
		}
		t.hot = h
	}
	do()
	t.advance()
	t.hot = before
}

// settle counts the samples in the hot functions.
func (p *profiler) settle(s *sim) {
	if p == nil {
		return
	}
	slices.SortStableFunc(p.truth.Samples, func(a, b SampleTruth) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.TID, b.TID))
	})
	frames := map[int64]*Frame{}
	for _, f := range s.truth.Frames {
		frames[f.Vsync] = f
	}
	for _, c := range s.truth.Causes {
		f := frames[c.Vsync]
		if c.Hot == nil || f == nil {
			continue
		}
		from, to := f.Start, f.End
		if f.ExpectedStart.Known() {
			from = min(from, f.ExpectedStart)
		}
		if c.Hot.TID != f.TID { // it continues after the end of the main thread's frame
			to = max(to, f.Present)
		}
		for _, x := range p.truth.Samples {
			if x.TID != c.Hot.TID || x.Time < from || x.Time >= to || x.Slice != c.Hot.slice || x.OffCPU != c.Hot.Waits {
				continue
			}
			c.Hot.All++
			if x.Function == c.Hot.Function && x.Module == c.Hot.Module {
				c.Hot.Samples++
			}
		}
	}
}

// bufferTime is how often hiperf reads the buffers of the processors, one after another.
const bufferTime = 100 * trace.Millisecond

// write writes the file.
func (p *profiler) write(w io.Writer) error {
	slices.SortStableFunc(p.records, func(a, b sampleRecord) int {
		return cmp.Or(cmp.Compare(a.time/trace.Time(bufferTime), b.time/trace.Time(bufferTime)), cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.time, b.time))
	})
	cycles := perffile.Event{Fields: perffile.SampleFields, Flags: perffile.Frequency, Rate: uint64(p.Rate), IDs: []uint64{cyclesID}, Name: cyclesName}
	if p.Cycles > 0 {
		cycles.Flags, cycles.Rate = 0, p.Cycles
	}
	events, command := []perffile.Event{cycles}, fmt.Sprintf("hiperf record -f %d -s fp", p.Rate)
	if p.Cycles > 0 {
		command = fmt.Sprintf("hiperf record -c %d -s fp", p.Cycles)
	}
	if p.OffCPU {
		events = append(events, perffile.Event{Fields: perffile.SampleFields, Rate: 1, IDs: []uint64{switchID}, Name: switchName})
		command += " --offcpu"
	}
	if id := map[Clock]int32{ClockMonotonic: 1, ClockBoot: 7}[p.Clock]; id != 0 {
		for i := range events {
			events[i].Flags |= perffile.UseClockID
			events[i].Clock = id
		}
		command += " --clockid " + map[Clock]string{ClockMonotonic: "monotonic", ClockBoot: "boottime"}[p.Clock]
	}
	f := perffile.File{
		Events:  events,
		Records: p.code.records(),
		Features: map[int][]byte{
			11: perffile.Text(command), 12: perffile.EventNames(events...), 192: p.code.symbols(), 194: perffile.Text("Mon Jun 16 08:00:00 2025"),
		},
	}
	for _, r := range p.records {
		f.Records = append(f.Records, r.bytes)
	}
	return f.Write(w)
}
