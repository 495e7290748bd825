package simulate

import (
	"bytes"
	"cmp"
	"io"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// The processors. Those of a cluster share a clock. What else there is has processors of
// its own after them, so that it delays nothing.
const (
	interruptCPU = 0
	vsyncCPU     = 1
	noiseCPU     = 2
	littleCPU    = 3
	workerCPU    = 4
	serviceCPU   = 5
	otherCPU     = 6
	uiCPU        = 7
	renderCPU    = 8
	drawCPU      = 9
	commitCPU    = 10
	gpuCPU       = 11
)

var clusters = []struct{ from, to, top int }{{0, 4, 1530000}, {4, 8, 2270000}, {8, 12, 2750000}}

// lead is the time from the trace's start to the first vsync.
const lead = 5 * trace.Millisecond

const renderPID trace.PID = 1027

// sim is a simulation under way.
type sim struct {
	machine
	Config
	scene   Scene
	random  *random // for how long things take
	choices *random // for what happens
	grid    grid
	record  record
	truth   *Truth
	jobs    map[*actor][]func(a *actor)

	last      int64 // index of the last vsync, plus one
	lastAsked int64 // index of the last vsync that an application wanted
	ended     bool  // there are no more vsyncs

	apps                                          []*app
	ui, worker, collector, render, draw, commit   *actor
	gpu, generator, service, service2, other, hog *actor
	irq, irqThread, unmarshal, waiter, tools      *actor

	rsDue      []vsync // delivered to render_service, not yet received
	binder     int64   // number of the last transaction
	block      int64   // last one that was read
	fence      int64   // number of the next present fence
	gpuID      int64
	rate       int                  // that the display is set to
	shown      trace.Time           // when the display shows the last frame
	injects    map[int64]*injection // by the index of a vsync
	injecting  Injection            // the one whose truths are added
	injection  int                  // its index
	spare      map[*actor][]*actor  // other threads like one of the cast, of scenes with several causes
	background background

	stats      *jankStats // nil without interactions
	foundation *actor
	touches    int64 // number of the last touch
	animating  int   // scenes under way that render_service animates alone

	queues       []*queue
	screen       *queue // that render_service draws into itself
	followers    []follower
	trackers     map[trace.PID]*fenceTracker
	layerCPUs    []int
	nextLayerCPU int
	buffers      int64 // number of the last buffer
	services     int
	tokens       int64
	flinger      *actor // the compositor of the container
}

// Write simulates, writes the trace and returns its truth. For a header with the number
// of lines it buffers the whole trace in memory.
func Write(w io.Writer, c Config) (*Truth, error) { return generate(w, c, Scene{}, nil) }

// WriteWithSamples also writes a recording of hiperf of the same time.
func WriteWithSamples(w, perf io.Writer, c Config, r Recording) (*Truth, error) {
	return recorded(perf, r, func(p *profiler) (*Truth, error) { return generate(w, c, Scene{}, p) })
}

func generate(w io.Writer, c Config, scene Scene, p *profiler) (*Truth, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	out, body := w, new(bytes.Buffer)
	if c.Text.Header != HeaderNone {
		out = body
	}
	s := newSim(out, c, scene)
	s.cast()
	s.inject()
	s.interact()
	p.attach(s)
	s.plan(0)
	s.run()
	if s.text.flush(); s.text.err != nil {
		return nil, s.text.err
	}
	s.settle()
	if _, err := io.WriteString(w, c.Text.Header.write(s.text.lines, len(s.cores), s.text.newline)); err != nil {
		return nil, err
	}
	_, err := body.WriteTo(w)
	return s.truth, err
}

func newSim(w io.Writer, c Config, scene Scene) *sim {
	e := findEra(c.Era)
	text := newTextWriter(w, c.Text, e.markEvent, c.Kernel == KernelLinux)
	s := &sim{
		machine: machine{
			text: text, era: e, kernel: c.Kernel, seed: c.Seed, unit: text.unit,
			noReasons: scene.NoBlockedReason, noSched: c.Kernel == KernelNone, idleLines: c.Background > 0, renews: scene.Cause != "",
		},
		Config: c, scene: scene, random: newRandom(c.Seed, 3), choices: newRandom(c.Seed, 1),
		grid:      grid{rates: c.Rates},
		record:    record{tellsPeriods: strings.Contains(e.text[vsyncCount], "{period}"), switches: c.Kernel != KernelNone},
		truth:     &Truth{},
		jobs:      map[*actor][]func(a *actor){},
		lastAsked: -1, binder: 12145000, block: 134165536, fence: 5001, gpuID: 700,
		injects: map[int64]*injection{},
	}
	s.now = s.tick(s.traceTime(firstVsync).Add(-lead))
	s.rate = s.grid.at(0).rate
	s.last = 1<<63 - 1
	if c.Size == 0 {
		s.last = s.grid.after(firstVsync.add(c.Duration-1), 0).index
	}
	if c.CutStart {
		s.last += cutVsyncs
		text.from = s.cut(cutVsyncs)
	}
	if c.CutEnd {
		text.to = s.cut(s.last - 1)
	}
	for _, cluster := range clusters {
		for range cluster.to - cluster.from {
			s.newCore(cluster.top)
		}
	}
	return s
}

// The number of vsyncs before a cut trace whose frames are partly visible.
const cutVsyncs = 3

// cut is a time in the frames of a vsync.
func (s *sim) cut(index int64) trace.Time {
	v := s.grid.at(index)
	return s.tick(s.traceTime(v.now).Add(v.period / 10))
}

// add makes a thread that does what is posted to it.
func (s *sim) add(pid trace.PID, tid trace.TID, process, name string, cpu, importance int) *actor {
	a := s.newActor(pid, tid, process, name, cpu, importance, s.serve)
	a.idle = true
	return a
}

// cast makes the threads.
func (s *sim) cast() {
	s.ui = s.addApp(s.Apps[0], uiCPU)
	pid, app := s.ui.pid, s.ui.process
	s.worker = s.add(pid, trace.TID(pid)+7, app, "TaskWorker-3", workerCPU, 5)
	s.collector = s.add(pid, trace.TID(pid)+9, app, "OS_GC_Thread", otherCPU, 5)
	const service = "render_service"
	s.generator = s.add(renderPID, 1041, service, "VSyncGenerator", vsyncCPU, 30)
	s.render = s.add(renderPID, trace.TID(renderPID), service, service, renderCPU, 10)
	s.draw = s.add(renderPID, 1087, service, "RSUniRenderThre", drawCPU, 10)
	s.commit = s.add(renderPID, 1088, service, s.era.commitThread, commitCPU, 10)
	s.gpu = s.add(renderPID, 1093, service, "gpu-completion", gpuCPU, 10)
	s.unmarshal = s.add(renderPID, 1064, service, "RSUnmarshalThre", interruptCPU, 5)
	s.waiter = s.add(renderPID, 1089, service, s.era.presentTracker, noiseCPU, 10)
	s.add(1500, 1500, "media_service", "media_service", serviceCPU, 5)
	s.service = s.add(1500, 1510, "media_service", "OS_IPC_3_1510", serviceCPU, 5)
	s.service2 = s.add(1600, 1600, "file_service", "file_service", otherCPU, 5)
	s.other = s.add(1700, 1700, "sensor_service", "sensor_service", otherCPU, 5)
	s.hog = s.add(1800, 1800, "hogd", "hogd", uiCPU, 20)
	s.addSpare()
	s.add(1900, 1900, "hilogd", "hilogd", noiseCPU, 5)
	names := [2]string{"udk-irq-1", "udk-irq-7"}
	if s.Kernel == KernelLinux {
		names[1] = "irq/34-mmc0"
	}
	s.irq = s.add(2, 76, "", names[0], interruptCPU, 50)
	s.irq.asHandler = true
	s.irqThread = s.add(2, 77, "", names[1], uiCPU, 50)
	for _, a := range s.Apps[1:] {
		s.addApp(a, s.newCore(clusters[1].top).index)
	}
	for _, p := range s.apps {
		s.addThreads(p)
	}
	s.addLayers()
	s.addTimers()
	s.addFoundation()

	// Everybody runs once before the first vsync, so that the trace knows all states.
	for i, a := range s.actors {
		if s.launchesCold(a.pid) {
			continue
		}
		s.after(trace.Duration(i+1)*100*trace.Microsecond, func() {
			s.post(a, nil, func(a *actor) { a.compute(20 * trace.Microsecond) })
		})
	}
	// Clocks change three times, so that the clusters can be seen.
	for i, percent := range []int{100, 40, 70, 100} {
		s.after(trace.Duration(2+i)*500*trace.Microsecond+30*trace.Microsecond, func() {
			for _, c := range clusters {
				s.setFrequency(c.from, c.to, c.top/100*percent)
			}
		})
	}
	if s.scene.Cause == "" {
		s.tools = s.add(4711, 4711, "hitrace", "hitrace", interruptCPU, 5)
		s.at(max(s.traceTime(firstVsync), s.text.from).Add(60*trace.Microsecond), func() { s.post(s.tools, nil, s.syncClocks) })
	}
	s.addBackground()
}

// serve is the body of threads: they do what is posted to them.
func (s *sim) serve(a *actor) {
	for {
		a.idle = false
		for len(s.jobs[a]) > 0 {
			job := s.jobs[a][0]
			s.jobs[a] = s.jobs[a][1:]
			job(a)
		}
		a.idle = true
		a.block('S', reason{})
	}
}

// post gives a thread something to do.
func (s *sim) post(a, by *actor, job func(a *actor)) {
	s.jobs[a] = append(s.jobs[a], job)
	if a.idle {
		s.wake(a, by)
	}
}

// syncClocks writes the two markers that hitrace begins a capture with. The
// second has the precision of a 32-bit floating point number.
func (s *sim) syncClocks(a *actor) {
	mono := int64(s.monotonicTime(s.now))
	for _, payload := range []string{
		"realtime_ts=" + strconv.FormatInt(1_750_000_000_000+mono/int64(trace.Millisecond), 10),
		"parent_ts=" + strconv.FormatFloat(float64(float32(float64(mono)/float64(trace.Second))), 'f', 6, 64),
	} {
		a.mark(func(b []byte) []byte { return append(append(b, "trace_event_clock_sync: "...), payload...) })
	}
	a.compute(20 * trace.Microsecond)
}

// plan plans the vsync of an index and, from there, those after it.
func (s *sim) plan(index int64) {
	v := s.grid.at(index)
	s.at(s.traceTime(v.now), func() {
		s.turn = index
		if s.ended = index >= s.last || s.Size > 0 && s.text.size >= s.Size; !s.ended {
			s.vsync(v)
			s.plan(index + 1)
		}
	})
}

// vsync has the generator distribute a vsync to those who want it. render_service wakes up
// while applications draw and for one vsync after.
func (s *sim) vsync(v vsync) {
	var wanted []*app
	asked, waiting := false, false
	for _, p := range s.apps {
		wants := v.index >= p.sleepsTo && v.index%p.Interval == 0 && p.draws() && !p.paused(v) && !(s.injected(v.index).notAsked && p.main == s.ui)
		if wants && s.choices.chance(s.Chances.AppPause) {
			p.sleepsTo = v.index + 5 + s.choices.below(8)
		}
		if wants {
			wanted = append(wanted, p)
		}
		asked = asked || wants || len(p.due) > 0
		for _, tr := range p.queue {
			waiting = waiting || !tr.lost
		}
	}
	if asked {
		s.lastAsked = v.index
	}
	render := waiting || v.index <= s.lastAsked+1 || s.animating > 0 || s.buffersWait()
	var follow []follower
	for _, f := range s.followers {
		if f.wants(v) {
			follow = append(follow, f)
		}
	}
	if !render && len(follow) == 0 {
		return
	}
	s.after(50*trace.Microsecond+s.injected(v.index).vsyncBy, func() {
		s.post(s.generator, nil, func(a *actor) { s.generate(a, v, render, wanted, follow) })
	})
}

// generate distributes a vsync.
func (s *sim) generate(a *actor, v vsync, render bool, wanted []*app, follow []follower) {
	a.renew(v.index)
	a.compute(s.about(15 * trace.Microsecond))
	stamp := s.monotonicTime(s.now).add(-s.numbers().between(6*trace.Microsecond, 12*trace.Microsecond))
	a.beginMark(vsyncCount, values{count: 1, period: v.period, rate: v.rate, now: stamp})
	a.compute(3 * trace.Microsecond)
	send := func(name string, deliver func()) {
		if !s.era.has(sendVsync) {
			deliver()
			return
		}
		a.beginMark(sendVsync, values{name: name, now: v.now})
		a.compute(4 * trace.Microsecond)
		deliver()
		a.compute(4 * trace.Microsecond)
		a.end()
	}
	if render && !s.injected(v.index).noVsync {
		send("rs", func() {
			s.rsDue = append(s.rsDue, v)
			s.post(s.render, a, s.renderFrame)
		})
	}
	for _, p := range wanted {
		send(p.window, func() { s.deliver(p, a, v) })
	}
	for _, f := range follow {
		send(f.receiver(), func() { f.deliver(a, v) })
	}
	a.end()
	a.compute(5 * trace.Microsecond)
}

// numbers are the random numbers of the thread that runs.
func (s *sim) numbers() *random { return cmp.Or(s.current.random, s.random) }

// about is d with a small variation.
func (s *sim) about(d trace.Duration) trace.Duration {
	return s.numbers().between(d*97/100, d*103/100)
}

// part is a share of a vsync's period with a small variation.
func (s *sim) part(v vsync, percent int) trace.Duration { return s.about(share(v.period, percent)) }

// extra is up to a share of a vsync's period. Scenes have none, so that only their causes
// make a difference.
func (s *sim) extra(v vsync, percent int) trace.Duration {
	if s.scene.Cause != "" {
		return 0
	}
	return s.choices.between(0, share(v.period, percent))
}

// overrun is when a frame is over that is late by less than a period.
func (s *sim) overrun(deadline trace.Time, v vsync) trace.Time {
	return deadline.Add(s.choices.between(500*trace.Microsecond, v.period))
}

// away keeps a time away from a deadline, so that a small error in a reader's
// clock offset does not decide whether a frame is late.
func away(t, deadline trace.Time) trace.Time {
	const margin = 450 * trace.Microsecond
	if t.Sub(deadline).Abs() < margin {
		return deadline.Add(margin)
	}
	return t
}

// keepAway computes until the time is away from a deadline. The frames of a scene take as
// long as its causes make them.
func (s *sim) keepAway(a *actor, deadline trace.Time) {
	if s.scene.Cause == "" {
		a.compute(away(s.now, deadline).Sub(s.now))
	}
}

// inSlice computes in a slice with a constant name.
func (s *sim) inSlice(a *actor, name, level string, d trace.Duration) {
	a.begin(name, level)
	a.compute(d)
	a.end()
}

// traceTime puts a vsync time on the trace's clock.
func (s *sim) traceTime(m monotonic) trace.Time { return trace.Time(m).Add(s.ClockOffset) }

// monotonicTime is the way back.
func (s *sim) monotonicTime(t trace.Time) monotonic { return monotonic(t.Add(-s.ClockOffset)) }

// tick rounds a time down to the resolution of a line.
func (s *sim) tick(t trace.Time) trace.Time { return t - t%trace.Time(s.unit) }
