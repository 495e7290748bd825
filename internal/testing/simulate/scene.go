package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"ohframe/analyzer/trace"
)

// Scene is a short trace in which the causes of late frames are known: one
// application, render_service, and the threads that delay them. All frames are usual
// except those that the cause is injected into.
type Scene struct {
	Kernel    Kernel // KernelHongMeng or KernelLinux
	Era       string // spelling of the markers; the default is that of 6.1
	RefreshHz int    // zero means 60
	Seed      uint64
	Cause     Cause
	// Injections are causes besides it, each of its own length. Several of them can be in one frame.
	Injections []Injection
	// Frames is the number of vsyncs; zero means 40, and 88 for CauseMix.
	Frames int
	// Decoys adds slices to frames that are on time.
	Decoys bool

	ClockOffset     trace.Duration
	NoBlockedReason bool // the kernel traces no sched_blocked_reason
	CRLF, NoTGID    bool
}

// CauseTruth is an injected cause and the frame that it delays.
type CauseTruth struct {
	Cause Cause
	// Injection is the index of the scene's injection; it says nothing for Scene.Cause.
	Injection int
	Kind      Kind
	TID       trace.TID
	Vsync     int64
	// Late reports whether the frame is late. It is not if the cause is harmless.
	Late bool
	// Wait is how the thread spent the injected time:
	//
	//	run.work, run.slow             it computed more, or on a slower processor
	//	cpu.preempted, cpu.wait        another thread had the processor; see Culprit
	//	irq                            interrupts had it
	//	io, fence, buffer, kernel      it was blocked
	//	binder, own_thread, other_process, gc.wait, render   it waited for Culprit
	//	timer                          it slept
	//	net                            it waited for the network
	//	interrupt                      for an interrupt that the trace does not name
	//	vsync                          the vsync came late
	//	earlier_frame, earlier_work    the thread was still busy when the vsync came
	//	gpu                            the thread was on time, the GPU was not
	//	pick_up                        render_service took the frame late
	//	unknown                        the trace does not have it
	Wait  string
	Stage string // if ShowsLate
	Slice string // the innermost one, without values
	// Culprit is the thread at the end of the chain, as `process:thread`, Leaf the wait
	// code of what it did meanwhile, run if it computed, and LeafSlice where.
	Culprit   string
	Leaf      string
	LeafSlice string
	// LeafFor is the thread that had the processor of Culprit, as Culprit.
	LeafFor string
	// Argument and LeafArgument are what Slice and LeafSlice say beside their names, in the words of
	// sentences; empty if the truth does not say.
	Argument, LeafArgument string
	// Reason is why the culprit collected garbage.
	Reason string
	// Capped: the processor was slower because CoolingDevice limited its frequency.
	Capped bool
	// PickUp is why render_service picked the frame up late: render_busy, no_vsync, deferred
	// or unmarshalling.
	PickUp string
	// NotBegun is how many frames before this one never began.
	NotBegun int
	// KnockOnOf is the vsync of the earlier frame that delayed this one.
	KnockOnOf int64
	// Hot is the function in which the injected time was spent. It is nil without a recording,
	// and for causes that no function is the reason of.
	Hot *HotTruth
}

// Generate writes the scene's trace and returns its truth.
func (c Scene) Generate(w io.Writer) (*Truth, error) { return c.generate(w, nil) }

// GenerateWithSamples also writes a recording of hiperf of the same time.
func (c Scene) GenerateWithSamples(w, perf io.Writer, r Recording) (*Truth, error) {
	return recorded(perf, r, func(p *profiler) (*Truth, error) { return c.generate(w, p) })
}

func (c Scene) generate(w io.Writer, p *profiler) (*Truth, error) {
	c.RefreshHz = cmp.Or(c.RefreshHz, 60)
	if c.Cause == CauseMix {
		c.Frames = cmp.Or(c.Frames, 88)
	}
	c.Frames = cmp.Or(c.Frames, 40)
	c.Era = cmp.Or(c.Era, map[Kernel]string{KernelHongMeng: "harmonyos-6.1", KernelLinux: "6.1"}[c.Kernel])
	if err := c.check(); err != nil {
		return nil, err
	}
	config := Config{
		Seed: c.Seed, Era: c.Era, Kernel: c.Kernel, ClockOffset: c.ClockOffset,
		Rates: []Rate{{Hz: c.RefreshHz}}, Duration: trace.Second / trace.Duration(c.RefreshHz) * trace.Duration(c.Frames),
		Apps: []App{{Bundle: "com.example.gallery", PID: 20170}},
		GPU:  c.Cause == CauseGPULate || slices.ContainsFunc(c.Injections, func(i Injection) bool { return i.Cause == CauseGPULate }),
		Text: Text{Header: HeaderNarrow, CRLF: c.CRLF}, Injections: c.Injections,
	}
	if c.NoTGID {
		config.Text.TGID = TGIDAbsent
	}
	return generate(w, config, c, p)
}

func (c Scene) check() error {
	if c.Kernel == KernelNone {
		return errors.New("a scene needs a kernel")
	}
	for _, i := range append([]Injection{{Cause: c.Cause}}, c.Injections...) {
		if i.Cause.injector().do == nil {
			return fmt.Errorf("no cause is called %q; there are %s", i.Cause, strings.Join(Causes(), ", "))
		}
	}
	return nil
}

// injection is what the causes of a scene change around one vsync.
type injection struct {
	inFrame   []func(a *actor) // in FlushLayoutTask, or FlushBuild
	around    []func(a *actor, begins bool)
	atEnd     []func(a *actor) // after OnVsyncEvent, in ReceiveVsync
	vsyncBy   trace.Duration   // how late the vsync is generated
	inDraw    []func(a *actor) // after the main thread is unlocked
	inCommit  []func(a *actor) // before the layers are committed
	inRepaint []func(a *actor) // while they are
	leftOut   int64            // refreshes that the display leaves out
	noVsync   bool             // render_service is sent none
	notAsked  bool             // the application is sent none
	slow      trace.Time       // when the transaction has been unmarshalled
	held      bool             // the transactions are put off once
	gpuUntil  trace.Time       // the GPU works so long
	target    bool             // the frame has a cause
}

// injected returns what is changed around the vsync of an index, to be read or extended.
func (s *sim) injected(index int64) *injection {
	if s.scene.Cause == "" && len(s.Injections) == 0 {
		return &injection{}
	}
	if s.injects[index] == nil {
		s.injects[index] = &injection{}
	}
	return s.injects[index]
}

// settle completes the truth when all is over.
func (s *sim) settle() {
	t := s.truth
	s.record.settle(t, s.text.from, s.text.to, s.text.last)
	s.settleLayers()
	s.settleTimers()
	s.profiler.settle(s)
	t.Era, t.Offset, t.Period = s.Era, s.ClockOffset, s.grid.at(0).period
	if s.scene.Cause == "" && len(s.Injections) == 0 {
		return
	}
	byVsync := map[int64]*Frame{}
	for _, f := range t.Frames {
		byVsync[f.Vsync] = f
	}
	for _, c := range t.Causes {
		if f := byVsync[c.Vsync]; f != nil {
			c.Late = f.Late
		}
	}
}
