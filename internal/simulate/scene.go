package simulate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// Scene is a short trace in which the causes of late frames are known: one
// application, render_service, and the threads that delay them. All frames are usual
// except those that the cause is injected into. Its threads run on processors with a
// scheduler of their own, see [machine].
type Scene struct {
	Kernel    Kernel // KernelHongMeng or KernelLinux
	Era       string // spelling of the markers; the default is that of 6.1
	RefreshHz int    // zero means 60
	Seed      uint64
	Cause     Cause
	// Second is another cause in the same frames. First is the percentage of the
	// injected time that Cause gets; zero means 50.
	Second Cause
	First  int
	// Frames is the number of vsyncs; zero means 40, and 88 for CauseMix.
	Frames int
	// At are the indices of the vsyncs whose frames are delayed; by default it
	// depends on the seed. They must be at least four apart.
	At []int64
	// Injected is the injected time in per cent of the period; zero means 90, which
	// makes a frame late by about 30.
	Injected int
	// InBuild injects into FlushBuild in place of FlushLayoutTask.
	InBuild bool
	// Usual is a cause that all other frames have as well, with 5 per cent of the
	// period, which leaves them on time.
	Usual Cause
	// Noise adds threads on other processors, and wakeups of the UI thread while it
	// runs. They do not change what the other threads do.
	Noise bool
	// Decoys adds slices to frames that are on time.
	Decoys bool

	ClockOffset     trace.Duration
	NoBlockedReason bool // the kernel traces no sched_blocked_reason
	CRLF, NoTGID    bool
}

// SceneTruth is what happened in a scene.
type SceneTruth struct {
	*Truth
	// Causes has the injected causes, one or two for each frame that they affect. No
	// other frame is late.
	Causes []*CauseTruth `json:"causes"`
	// Waits has what the threads did during each frame.
	Waits []*FrameWaits `json:"waits"`
}

// WriteJSON writes the truth with the causes first.
func (t *SceneTruth) WriteJSON(w io.Writer) error {
	b, err := json.MarshalIndent(struct {
		Causes []*CauseTruth `json:"causes"`
		*Truth
		Waits []*FrameWaits `json:"waits"`
	}{t.Causes, t.Truth, t.Waits}, "", "\t")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// CauseTruth is an injected cause and the frame that it delays.
type CauseTruth struct {
	Cause   Cause     `json:"cause"`
	Kind    Kind      `json:"kind"`
	Process string    `json:"process"`
	Thread  string    `json:"thread"`
	TID     trace.TID `json:"tid"`
	Vsync   int64     `json:"vsync"`
	// Late reports whether the frame is late. It is not if the cause is harmless.
	Late bool `json:"late"`
	// Wait is how the thread spent the injected time:
	//
	//	run.work, run.slow             it computed more, or on a slower processor
	//	cpu.preempted, cpu.wait        another thread had the processor; see Culprit
	//	irq                            interrupts had it
	//	io, fence, buffer, kernel      it was blocked
	//	binder, own_thread, other_process, gc.wait, render   it waited for Culprit
	//	timer                          it slept
	//	vsync                          the vsync came late
	//	earlier_frame, earlier_work    the thread was still busy when the vsync came
	//	gpu                            the thread was on time, the GPU was not
	//	pick_up                        render_service took the frame late
	//	unknown                        the trace does not have it
	//
	// Acceptable are other codes that describe the trace correctly as well.
	Wait       string   `json:"wait"`
	Acceptable []string `json:"acceptable,omitempty"`
	Stage      string   `json:"stage,omitempty"`
	Slice      string   `json:"slice,omitempty"` // the innermost one, without values
	// Culprit is the thread at the end of the chain, as `process:thread`, Leaf the wait
	// code of what it did meanwhile, run if it computed, and LeafSlice where.
	Culprit   string `json:"culprit,omitempty"`
	Leaf      string `json:"leaf,omitempty"`
	LeafSlice string `json:"leaf_slice,omitempty"`
	// Reason is why the culprit collected garbage.
	Reason string `json:"reason,omitempty"`
	// NS is the injected time in nanoseconds, as measured in the simulation.
	NS trace.Duration `json:"ns"`
	// PickUp is why render_service picked the frame up late: render_busy, no_vsync, deferred
	// or unmarshalling.
	PickUp string `json:"pick_up,omitempty"`
	// KnockOnOf is the vsync of the earlier frame that delayed this one.
	KnockOnOf int64 `json:"knock_on_of,omitempty"`
}

// FrameWaits partitions a frame's span, from its expected or actual start, whichever
// is earlier, to its actual end. The wait codes are those of CauseTruth, but run is not
// divided, and a wait for the vsync or for other work is vsync.
type FrameWaits struct {
	Kind  Kind       `json:"kind"`
	TID   trace.TID  `json:"tid"`
	Vsync int64      `json:"vsync"`
	Start trace.Time `json:"start"`
	End   trace.Time `json:"end"`
	Waits []Wait     `json:"waits"`
}

// Wait is the time of a frame's thread in one state and one place. The sum over a
// frame is its span.
type Wait struct {
	Wait  string `json:"wait"`
	State string `json:"state"` // as Perfetto's thread_state: Running, R, R+, S, D
	Stage string `json:"stage,omitempty"`
	Slice string `json:"slice,omitempty"` // empty: no slice is open
	// By is who had the processor, or who woke the thread: `process:thread`, or interrupt.
	By string         `json:"by,omitempty"`
	NS trace.Duration `json:"ns"`
}

// The processors. Those of a cluster share a clock.
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

const (
	sceneBundle = "com.example.gallery"
	scenePID    = 20170
	sceneLead   = 5 * trace.Millisecond // from the trace's start to the first vsync
)

// scene is a scene under way.
type scene struct {
	Scene
	*machine
	s         *sim
	random    *random
	period    trace.Duration
	truth     *SceneTruth
	targets   map[int64]bool // vsync indices of the frames with a cause
	injecting Cause          // named in the truths that an injection adds
	spans     map[*Frame]*actor

	ui, worker, collector, render, draw, commit, gpu *actor
	generator, service, service2, other, hog, noise  *actor
	irq, irqThread, unmarshal, waiter                *actor

	jobs    map[*actor][]func(a *actor)
	appDue  []vsync // delivered, not yet received
	rsDue   []vsync
	queue   []*transaction
	index   int64 // of the last transaction
	binder  int64
	block   int64
	inFrame map[int64][]func(a *actor) // by vsync index: in FlushLayoutTask
	around  map[int64][]func(a *actor, begins bool)
	atEnd   map[int64][]func(a *actor) // after OnVsyncEvent, in ReceiveVsync
	vsyncBy map[int64]trace.Duration   // how late the vsync is generated

	// Of render_service.
	inDraw       map[int64][]func(a *actor) // after the main thread is unlocked
	inCommit     map[int64][]func(a *actor) // before the layers are committed
	inRepaint    map[int64][]func(a *actor) // while they are
	leftOut      map[int64]int64            // refreshes that the display leaves out
	noVsync      map[int64]bool             // render_service is sent none
	slow         map[int64]trace.Time       // when the transaction has been unmarshalled
	fence        int64                      // number of the next present fence
	parallelType map[int64]int              // 1: the main thread waits for the whole drawing
	held         map[int64]bool             // vsync ids of transactions that are put off once
	gpuUntil     map[int64]trace.Time       // not nil: work is queued for the GPU
	gpuID        int64
	measured     map[*CauseTruth]string // whose time is that of this wait in the frame
}

// Generate writes the scene's trace and returns its truth.
func (c Scene) Generate(w io.Writer) (*SceneTruth, error) {
	if c.RefreshHz == 0 {
		c.RefreshHz = 60
	}
	if c.Cause == CauseMix {
		c.Frames = cmp.Or(c.Frames, 88)
	}
	c.Frames, c.First, c.Injected = cmp.Or(c.Frames, 40), cmp.Or(c.First, 50), cmp.Or(c.Injected, 90)
	c.Era = cmp.Or(c.Era, map[Kernel]string{KernelHongMeng: "harmonyos-6.1", KernelLinux: "6.1"}[c.Kernel])
	if err := c.check(); err != nil {
		return nil, err
	}
	var body bytes.Buffer
	sc := newScene(&body, c)
	sc.act()
	if sc.s.text.flush(); sc.s.text.err != nil {
		return nil, sc.s.text.err
	}
	header := HeaderNarrow.write(sc.s.text.lines, len(sc.cores), sc.s.text.newline)
	if _, err := io.WriteString(w, header); err != nil {
		return nil, err
	}
	_, err := body.WriteTo(w)
	return sc.truth, err
}

func (c Scene) check() error {
	switch {
	case c.Kernel != KernelHongMeng && c.Kernel != KernelLinux:
		return fmt.Errorf("a scene needs a kernel: %s", strings.Join(Kernels(), " or "))
	case findEra(c.Era) == nil || !findEra(c.Era).drawThread:
		return fmt.Errorf("a scene needs an era with a render thread, not %q", c.Era)
	case c.RefreshHz < 30 || c.RefreshHz > 144:
		return fmt.Errorf("refresh rate %d Hz is not in 30 to 144", c.RefreshHz)
	case c.Frames < 20:
		return errors.New("a scene has at least 20 frames")
	case injections[c.Cause] == nil:
		return fmt.Errorf("no cause is called %q; there are %s", c.Cause, strings.Join(Causes(), ", "))
	case c.Second != "" && (!slices.Contains(inFrameCauses, c.Cause) || !slices.Contains(inFrameCauses, c.Second)):
		return errors.New("two causes must both lie within the frame")
	case c.Usual != "" && !slices.Contains(inFrameCauses, c.Usual):
		return errors.New("a usual cause must lie within the frame")
	case c.Injected < 1 || c.Injected > 200:
		return fmt.Errorf("%d per cent of the period are not in 1 to 200", c.Injected)
	case !apart(c.At, int64(c.Frames)):
		return errors.New("frames with causes must be four apart and away from both ends")
	case c.First < 10 || c.First > 90:
		return fmt.Errorf("a share of %d per cent is not in 10 to 90", c.First)
	}
	return nil
}

func apart(at []int64, frames int64) bool {
	last := int64(0)
	for _, k := range at {
		if k < last+4 || k >= frames-4 {
			return false
		}
		last = k
	}
	return true
}

func newScene(w io.Writer, c Scene) *scene {
	text := Text{Header: HeaderNarrow, CRLF: c.CRLF}
	if c.NoTGID {
		text.TGID = TGIDAbsent
	}
	e := findEra(c.Era)
	s := &sim{
		config:  Config{Seed: c.Seed, Kernel: c.Kernel, ClockOffset: c.ClockOffset, Era: c.Era},
		speller: newSpeller(e), kernel: kernelStyles[c.Kernel],
		text:   newTextWriter(w, text, e.markEvent, c.Kernel == KernelLinux),
		grid:   grid{rates: []Rate{{Hz: c.RefreshHz}}},
		record: record{tellsPeriods: strings.Contains(e.text[vsyncCount], "{period}")},
	}
	s.kernel.preempted = "R+"
	sc := &scene{
		Scene: c, s: s, random: newRandom(c.Seed, 3), period: s.grid.at(0).period,
		truth: &SceneTruth{}, spans: map[*Frame]*actor{}, jobs: map[*actor][]func(a *actor){},
		index: 300, binder: 12145000, block: 134165536,
		inFrame: map[int64][]func(a *actor){}, atEnd: map[int64][]func(a *actor){},
		around: map[int64][]func(a *actor, begins bool){}, vsyncBy: map[int64]trace.Duration{},
		inDraw: map[int64][]func(a *actor){}, inCommit: map[int64][]func(a *actor){},
		inRepaint: map[int64][]func(a *actor){}, leftOut: map[int64]int64{}, noVsync: map[int64]bool{}, slow: map[int64]trace.Time{}, fence: 5001,
		targets: map[int64]bool{}, parallelType: map[int64]int{}, held: map[int64]bool{}, gpuID: 700, measured: map[*CauseTruth]string{},
	}
	sc.machine = &machine{s: s, noReasons: c.NoBlockedReason, dropCPU: noCPU}
	sc.now = s.tick(s.traceTime(firstVsync).Add(-sceneLead))
	for _, cluster := range clusters {
		for cpu := cluster.from; cpu < cluster.to; cpu++ {
			sc.cores = append(sc.cores, &core{index: cpu, idle: s.newIdle(cpu), top: cluster.top, speed: cluster.top})
		}
	}
	sc.cast()
	return sc
}

// cast makes the threads.
func (sc *scene) cast() {
	add := func(pid trace.PID, tid trace.TID, process, name string, cpu, importance int) *actor {
		a := sc.newActor(pid, tid, process, name, cpu, importance, sc.serve)
		a.idle = true
		return a
	}
	app := lastBytes(sceneBundle, commBytes)
	sc.ui = add(scenePID, scenePID, app, sceneBundle, uiCPU, 10)
	sc.worker = add(scenePID, scenePID+7, app, "TaskWorker-3", workerCPU, 5)
	sc.collector = add(scenePID, scenePID+9, app, "OS_GC_Thread", otherCPU, 5)
	sc.generator = add(renderPID, 1041, "render_service", "VSyncGenerator", vsyncCPU, 30)
	sc.render = add(renderPID, trace.TID(renderPID), "render_service", "render_service", renderCPU, 10)
	sc.draw = add(renderPID, 1087, "render_service", "RSUniRenderThre", drawCPU, 10)
	sc.commit = add(renderPID, 1088, "render_service", cmp.Or(sc.s.speller.commitThread, "RSHardwareThrea"), commitCPU, 10)
	sc.gpu = add(renderPID, 1093, "render_service", "gpu-completion", gpuCPU, 10)
	sc.unmarshal = add(renderPID, 1064, "render_service", "RSUnmarshalThre", interruptCPU, 5)
	sc.waiter = add(renderPID, 1089, "render_service", cmp.Or(sc.s.speller.presentTracker, "Present Fence"), noiseCPU, 10)
	add(1500, 1500, "media_service", "media_service", serviceCPU, 5)
	sc.service = add(1500, 1510, "media_service", "OS_IPC_3_1510", serviceCPU, 5)
	sc.service2 = add(1600, 1600, "file_service", "file_service", otherCPU, 5)
	sc.other = add(1700, 1700, "sensor_service", "sensor_service", otherCPU, 5)
	sc.hog = add(1800, 1800, "hogd", "hogd", uiCPU, 20)
	sc.noise = add(1900, 1900, "hilogd", "hilogd", noiseCPU, 5)
	names := [2]string{"udk-irq-1", "udk-irq-7"}
	if sc.Kernel == KernelLinux {
		names[1] = "irq/34-mmc0"
	}
	sc.irq = add(2, 76, "", names[0], interruptCPU, 50)
	sc.irq.interrupt, sc.irq.asHandler = true, true
	sc.irqThread = add(2, 77, "", names[1], uiCPU, 50)
	sc.irqThread.interrupt = true

	// Everybody runs once before the first vsync, so that the trace knows all states.
	for i, a := range sc.actors {
		sc.after(trace.Duration(i+1)*100*trace.Microsecond, func() {
			sc.post(a, nil, func(a *actor) { a.compute(20 * trace.Microsecond) })
		})
	}
	// Clocks change three times, so that the clusters can be seen.
	for i, percent := range []int{100, 40, 70, 100} {
		sc.after(trace.Duration(2+i)*500*trace.Microsecond+30*trace.Microsecond, func() {
			for _, c := range clusters {
				sc.setFrequency(c.from, c.to, c.top/100*percent)
			}
		})
	}
}

// serve is the body of all threads: they do what is posted to them.
func (sc *scene) serve(a *actor) {
	for {
		a.idle = false
		for len(sc.jobs[a]) > 0 {
			job := sc.jobs[a][0]
			sc.jobs[a] = sc.jobs[a][1:]
			job(a)
		}
		a.idle = true
		a.block('S', "vsync", reason{})
	}
}

// post gives a thread something to do.
func (sc *scene) post(a, by *actor, job func(a *actor)) {
	sc.jobs[a] = append(sc.jobs[a], job)
	if a.idle {
		sc.wake(a, by)
	}
}

// about is d with a small variation.
func (sc *scene) about(d trace.Duration) trace.Duration {
	return sc.random.between(d*97/100, d*103/100)
}

// part is a share of the period with a small variation.
func (sc *scene) part(percent int) trace.Duration { return sc.about(share(sc.period, percent)) }

// act plans the vsyncs and the causes, and simulates.
func (sc *scene) act() {
	sc.inject()
	end := trace.Time(0)
	for index := range int64(sc.Frames) {
		v := sc.s.grid.at(index)
		now := sc.s.traceTime(v.now)
		end = now.Add(v.period)
		sc.at(now.Add(50*trace.Microsecond+sc.vsyncBy[index]), func() {
			sc.post(sc.generator, nil, func(a *actor) { sc.generate(a, v) })
		})
	}
	sc.run(sc.s.tick(end.Add(3 * sc.period)))
	sc.truth.Truth = sc.s.record.truth(0, 0)
	sc.truth.Era, sc.truth.Offset, sc.truth.Period = sc.Era, sc.ClockOffset, sc.period
	sc.settle()
}

// generate distributes a vsync.
func (sc *scene) generate(a *actor, v vsync) {
	a.compute(sc.about(15 * trace.Microsecond))
	stamp := sc.s.monotonicTime(sc.now).add(-sc.random.between(6*trace.Microsecond, 12*trace.Microsecond))
	a.beginMark("", vsyncCount, values{count: 1, period: v.period, rate: v.rate, now: stamp})
	a.compute(3 * trace.Microsecond)
	send := func(name string, deliver func()) {
		if !sc.s.speller.has(sendVsync) {
			deliver()
			return
		}
		a.beginMark("", sendVsync, values{name: name, now: v.now})
		a.compute(4 * trace.Microsecond)
		deliver()
		a.compute(4 * trace.Microsecond)
		a.end()
	}
	if !sc.noVsync[v.index] {
		send("rs", func() {
			sc.rsDue = append(sc.rsDue, v)
			sc.post(sc.render, a, sc.renderFrame)
		})
	}
	send("gallery0", func() {
		sc.appDue = append(sc.appDue, v)
		sc.post(sc.ui, a, sc.appFrame)
	})
	a.end()
	a.compute(5 * trace.Microsecond)
}

// appFrame receives the newest vsync on the application's main thread.
func (sc *scene) appFrame(a *actor) {
	if len(sc.appDue) == 0 {
		return
	}
	coalesced := len(sc.appDue) - 1
	v := sc.appDue[coalesced]
	sc.appDue = nil
	f := &Frame{
		Kind: AppFrame, PID: scenePID, TID: a.tid, Vsync: firstAppVsync + v.index, Period: v.period,
		Coalesced: coalesced, ExpectedStart: sc.s.traceTime(v.now), ExpectedEnd: sc.s.traceTime(v.now.add(v.period)),
	}
	sc.s.record.frames = append(sc.s.record.frames, f)
	sc.spans[f] = a
	a.compute(sc.about(100 * trace.Microsecond))
	f.Start = sc.now
	a.beginMark("frame", receiveVsync, values{
		name: "gallery0", bytes: 24 * int64(coalesced+1), now: v.now, end: v.now.add(v.period), id: f.Vsync, fd: 61,
	})
	a.compute(15 * trace.Microsecond)
	a.beginMark("frame", onVsyncEvent, values{now: v.now})
	for _, change := range sc.around[v.index] {
		change(a, true)
	}
	a.compute(10 * trace.Microsecond)
	a.beginMark("frame", uiTask, values{now: v.now, id: f.Vsync, count: 100000})
	a.begin("build", "FlushBuild", "FlushBuild", "I39")
	a.compute(sc.part(5))
	sc.interfere(a, v, true)
	a.end()
	sc.usualDecoy(a, v)

	a.beginMark("layout", layoutTask, values{})
	a.compute(sc.part(4))
	a.begin("layout", "CreateTaskMeasure[List]", "CreateTaskMeasure[List][self:86][parent:85]", "I39")
	a.compute(sc.part(8))
	a.end()
	sc.interfere(a, v, false)
	a.begin("layout", "CreateTaskLayout[List]", "CreateTaskLayout[List][self:86][parent:85]", "I39")
	a.compute(sc.part(6))
	a.end()
	a.compute(sc.part(4))
	a.end()
	sc.slice(a, "record", "FlushRenderTask", "I39", sc.part(6))
	sc.flush(a, f, v)
	a.end()
	a.compute(sc.about(20 * trace.Microsecond))
	for _, change := range sc.around[v.index] {
		change(a, false)
	}
	a.end()
	f.End = sc.now
	a.compute(12 * trace.Microsecond)
	for _, after := range sc.atEnd[v.index] {
		after(a)
	}
	a.end()
	a.compute(8 * trace.Microsecond)
}

// interfere injects into the place where the cause is wanted.
func (sc *scene) interfere(a *actor, v vsync, inBuild bool) {
	if inBuild == sc.InBuild {
		for _, inject := range sc.inFrame[v.index] {
			inject(a)
		}
	}
}

// slice computes in a slice with a constant name.
func (sc *scene) slice(a *actor, stage, name, level string, d trace.Duration) {
	a.begin(stage, name, name, level)
	a.compute(d)
	a.end()
}

// flush sends the frame's transaction.
func (sc *scene) flush(a *actor, f *Frame, v vsync) {
	a.beginMark("submit", flushMessages, values{})
	a.compute(sc.part(2))
	a.beginMark("submit", sendCommands, values{count: scenePID << 32})
	a.compute(10 * trace.Microsecond)
	sc.index++
	tr := &transaction{thread: a.thread, index: sc.index, stamp: v.now, frame: f, sent: sc.now}
	sc.s.record.transactions = append(sc.s.record.transactions, tr)
	a.beginMark("submit", marshTransaction, values{count: 12, pid: scenePID, tid: a.tid, index: tr.index, now: v.now})
	a.compute(sc.about(60 * trace.Microsecond))
	tr.arrives = sc.now
	if at := sc.slow[v.index]; at.Known() {
		tr.arrives = at
		sc.post(sc.unmarshal, a, func(u *actor) {
			u.beginMark("", unmarshTransaction, values{pid: scenePID})
			u.compute(at.Sub(sc.now))
			u.end()
		})
	}
	sc.queue = append(sc.queue, tr)
	a.end()
	a.end()
	a.compute(10 * trace.Microsecond)
	a.end()
}

// renderFrame receives the newest vsync in render_service.
func (sc *scene) renderFrame(a *actor) {
	if len(sc.rsDue) == 0 {
		return
	}
	coalesced := len(sc.rsDue) - 1
	v := sc.rsDue[coalesced]
	sc.rsDue = nil
	end := v.now.add(v.period)
	if sc.s.speller.longDeadline {
		end = v.now.add(2*v.period - 5*trace.Millisecond)
	}
	f := &Frame{
		Kind: RenderFrame, PID: renderPID, TID: a.tid, Vsync: firstRenderVsync + v.index, Period: v.period,
		Coalesced: coalesced, ExpectedStart: sc.s.traceTime(v.now), ExpectedEnd: sc.s.traceTime(end),
	}
	sc.s.record.frames = append(sc.s.record.frames, f)
	sc.spans[f] = a
	a.compute(sc.about(90 * trace.Microsecond))
	f.Start = sc.now
	a.beginMark("receive", receiveVsync, values{
		name: "rs", bytes: 24 * int64(coalesced+1), now: v.now, end: end, id: f.Vsync, fd: 17,
	})
	a.compute(sc.about(30 * trace.Microsecond))
	a.beginMark("frame", doComposition, values{now: sc.s.monotonicTime(sc.now).add(-9 * trace.Microsecond)})
	a.compute(sc.about(30 * trace.Microsecond))
	sc.process(a, f, v)
	a.begin("prepare", "RSUniRender:QuickPrepareScreenRenderNode", "RSUniRender:QuickPrepareScreenRenderNode 0", "M0538")
	a.compute(sc.part(6))
	a.end()
	a.begin("hand-over", "PostAndWait", "PostAndWait, parallel type "+strconv.Itoa(sc.parallelType[v.index]), "M0538")
	a.compute(10 * trace.Microsecond)
	sc.post(sc.draw, a, func(d *actor) { sc.drawFrame(d, f, v) })
	a.block('S', "render", reason{})
	a.compute(15 * trace.Microsecond)
	a.end()
	a.compute(20 * trace.Microsecond)
	a.end()
	a.compute(10 * trace.Microsecond)
	a.end()
	f.End = sc.now
	a.compute(8 * trace.Microsecond)
}

// process takes the transactions that have arrived, except those of a vsync that
// is not over.
func (sc *scene) process(a *actor, f *Frame, v vsync) {
	f.processed = sc.now
	a.beginList("commands", processCommands, values{}, func(b []byte) []byte {
		for len(sc.queue) > 0 && sc.queue[0].arrives <= sc.now {
			tr := sc.queue[0]
			value := &values{pid: scenePID, index: tr.index}
			if held := sc.held[tr.frame.Vsync]; held || tr.stamp >= v.now {
				delete(sc.held, tr.frame.Vsync)
				return sc.s.speller.cached[0].append(b, value)
			}
			b = sc.s.speller.taken.append(b, value)
			tr.takenBy, tr.takenAt = f, sc.now
			f.Sources = append(f.Sources, Transaction{scenePID, tr.index})
			sc.queue = sc.queue[1:]
		}
		return b
	})
	a.compute(sc.about(80 * trace.Microsecond))
	a.end()
}

// drawFrame draws on the render thread and hands over to the commit thread.
func (sc *scene) drawFrame(a *actor, f *Frame, v vsync) {
	a.compute(10 * trace.Microsecond)
	a.beginMark("draw", renderFrame, values{})
	a.begin("draw", "Render vsyncId", "Render vsyncId:"+strconv.FormatInt(f.Vsync, 10), "M0538")
	a.begin("draw", "Sync", "Sync", "M0538")
	a.compute(sc.part(3))
	a.end()
	if sc.gpuUntil != nil {
		sc.queueGPU(a, v)
	}
	unlock := func() {
		a.begin("draw", "UnlockMainThread", "UnlockMainThread", "M0538")
		a.compute(4 * trace.Microsecond)
		sc.wake(sc.render, a)
		a.end()
	}
	if sc.parallelType[v.index] == 0 {
		unlock()
	}
	for _, inject := range sc.inDraw[v.index] {
		inject(a)
	}
	a.begin("draw", "RSSurfaceRenderNodeDrawable::OnDraw[gallery]", "RSSurfaceRenderNodeDrawable::OnDraw:[gallery0](0, 0, 1260, 2720)", "M0538")
	a.compute(sc.part(18))
	a.end()
	a.end()
	if sc.parallelType[v.index] != 0 {
		unlock()
	}
	sc.post(sc.commit, a, func(c *actor) {
		c.compute(20 * trace.Microsecond)
		for _, inject := range sc.inCommit[v.index] {
			inject(c)
		}
		f.Commit = sc.now
		c.beginMark("commit", commitLayers, values{rate: v.rate, now: v.now, id: f.Vsync, size: 2, name: "gallery0"})
		c.compute(sc.about(30 * trace.Microsecond))
		c.beginMark("commit", repaint, values{})
		for _, inject := range sc.inRepaint[v.index] {
			inject(c)
		}
		c.compute(sc.about(300 * trace.Microsecond))
		sc.present(c, f, v)
		c.end()
		c.end()
		c.compute(10 * trace.Microsecond)
	})
	a.end()
	a.compute(5 * trace.Microsecond)
}

// present has the display show a frame at its first refresh after the commit, and a thread
// wait for that.
func (sc *scene) present(c *actor, f *Frame, v vsync) {
	name := values{name: sc.waiter.name, count: sc.fence}
	sc.fence++
	c.beginMark("commit", fencePending, name)
	c.compute(10 * trace.Microsecond)
	refresh := sc.s.grid.after(sc.s.monotonicTime(sc.now), v.index).index + sc.leftOut[v.index]
	shown := sc.s.traceTime(sc.s.grid.at(refresh).now).Add(150 * trace.Microsecond)
	sc.post(sc.waiter, c, func(w *actor) {
		w.beginMark("", fenceWait, name)
		w.compute(10 * trace.Microsecond)
		if shown > sc.now {
			sc.at(shown, func() { sc.wake(w, nil) })
			w.block('S', "fence", reason{})
		}
		f.Present = sc.now
		w.end()
		w.compute(5 * trace.Microsecond)
	})
	c.end()
}

// queueGPU queues the frame's work for the GPU.
func (sc *scene) queueGPU(a *actor, v vsync) {
	sc.gpuID++
	id, from, until := sc.gpuID, sc.now, sc.gpuUntil[v.index]
	name, level := sc.s.speller.text[frameQueued], sc.s.speller.levels[frameQueued]
	a.mark(func(b []byte) []byte { return sc.s.speller.numbered(b, 'S', a.pid, name, level, id) })
	sc.device(max(until.Sub(sc.now), sc.part(20)), func(by *actor) {
		sc.post(sc.gpu, by, func(g *actor) {
			g.mark(func(b []byte) []byte { return sc.s.speller.numbered(b, 'F', g.pid, name, level, id) })
			sc.s.record.gpu = append(sc.s.record.gpu, Interval{from, sc.now})
			g.compute(5 * trace.Microsecond)
		})
	})
}

// settle fills in what is known when all is over.
func (sc *scene) settle() {
	byVsync := map[int64]*Frame{}
	for _, f := range sc.truth.Frames {
		byVsync[f.Vsync] = f
		a := sc.spans[f]
		if !f.End.Known() {
			continue
		}
		w := &FrameWaits{Kind: f.Kind, TID: f.TID, Vsync: f.Vsync, Start: min(f.ExpectedStart, f.Start), End: f.End}
		sums := map[Wait]trace.Duration{}
		for _, g := range a.history {
			from, to := max(g.from, w.Start), min(g.to, w.End)
			if from >= to {
				continue
			}
			key := Wait{Wait: g.wait, State: g.threadState(), Stage: g.place.stage, Slice: g.place.name, By: g.by()}
			if from < f.Start {
				key.Stage = "start"
			}
			sums[key] += to.Sub(from)
		}
		for key, ns := range sums {
			key.NS = ns
			w.Waits = append(w.Waits, key)
		}
		slices.SortFunc(w.Waits, func(a, b Wait) int {
			return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Slice, b.Slice), cmp.Compare(a.Wait, b.Wait), cmp.Compare(a.State, b.State), cmp.Compare(a.By, b.By))
		})
		sc.truth.Waits = append(sc.truth.Waits, w)
	}
	for _, c := range sc.truth.Causes {
		if f := byVsync[c.Vsync]; f != nil {
			c.Late = f.Late
		}
		for _, w := range sc.truth.Waits {
			for _, wait := range w.Waits {
				if w.Vsync == c.Vsync && wait.Wait == sc.measured[c] {
					c.NS += wait.NS
				}
			}
		}
	}
}

// threadState is the segment's state in Perfetto's table thread_state.
func (g *segment) threadState() string {
	switch g.state {
	case running:
		return "Running"
	case preempted:
		return "R+"
	case woken:
		return "R"
	}
	return string(g.letter)
}

func (g *segment) by() string {
	switch {
	case g.state != blocked && g.state != preempted:
		return ""
	case g.other != nil && !g.other.interrupt:
		return culprit(g.other)
	case g.other == nil && g.state == preempted:
		return "" // it moved to another processor
	}
	return "interrupt"
}
