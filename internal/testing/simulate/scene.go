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
	// Second is another cause in the same frames. First is the percentage of the
	// injected time that Cause gets; zero means 50.
	Second Cause
	First  int
	// Frames is the number of vsyncs; zero means 40, and 88 for CauseMix.
	Frames int
	// InBuild injects into FlushBuild in place of FlushLayoutTask.
	InBuild bool
	// Noise adds threads on other processors, and wakeups of the UI thread while it
	// runs. They do not change what the other threads do.
	Noise bool
	// Decoys adds slices to frames that are on time.
	Decoys bool

	ClockOffset     trace.Duration
	NoBlockedReason bool // the kernel traces no sched_blocked_reason
	CRLF, NoTGID    bool
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

	measured string // the wait of the frame that takes this time, if it is measured so
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

// Generate writes the scene's trace and returns its truth.
func (c Scene) Generate(w io.Writer) (*Truth, error) {
	c.RefreshHz = cmp.Or(c.RefreshHz, 60)
	if c.Cause == CauseMix {
		c.Frames = cmp.Or(c.Frames, 88)
	}
	c.Frames, c.First = cmp.Or(c.Frames, 40), cmp.Or(c.First, 50)
	c.Era = cmp.Or(c.Era, map[Kernel]string{KernelHongMeng: "harmonyos-6.1", KernelLinux: "6.1"}[c.Kernel])
	if err := c.check(); err != nil {
		return nil, err
	}
	config := Config{
		Seed: c.Seed, Era: c.Era, Kernel: c.Kernel, ClockOffset: c.ClockOffset,
		Rates: []Rate{{Hz: c.RefreshHz}}, Duration: trace.Second / trace.Duration(c.RefreshHz) * trace.Duration(c.Frames),
		Apps: []App{{Bundle: "com.example.gallery", PID: 20170}},
		GPU:  c.Cause == CauseGPULate,
		Text: Text{Header: HeaderNarrow, CRLF: c.CRLF},
	}
	if c.NoTGID {
		config.Text.TGID = TGIDAbsent
	}
	return generate(w, config, c)
}

func (c Scene) check() error {
	switch {
	case c.Kernel != KernelHongMeng && c.Kernel != KernelLinux:
		return fmt.Errorf("a scene needs a kernel: %s or %s", KernelLinux, KernelHongMeng)
	case findEra(c.Era) == nil || !findEra(c.Era).drawThread:
		return fmt.Errorf("a scene needs an era with a render thread, not %q", c.Era)
	case c.RefreshHz < 30 || c.RefreshHz > 144:
		return fmt.Errorf("refresh rate %d Hz is not in 30 to 144", c.RefreshHz)
	case c.Frames < 20:
		return errors.New("a scene has at least 20 frames")
	case c.Cause.injector().do == nil:
		return fmt.Errorf("no cause is called %q; there are %s", c.Cause, strings.Join(Causes(), ", "))
	case c.Second != "" && (c.Cause.injector().effect != within || c.Second.injector().effect != within):
		return errors.New("two causes must both lie within the frame")
	case c.First < 10 || c.First > 90:
		return fmt.Errorf("a share of %d per cent is not in 10 to 90", c.First)
	}
	return nil
}

// injection is what the causes of a scene change around one vsync.
type injection struct {
	inFrame      []func(a *actor) // in FlushLayoutTask, or FlushBuild
	around       []func(a *actor, begins bool)
	atEnd        []func(a *actor) // after OnVsyncEvent, in ReceiveVsync
	vsyncBy      trace.Duration   // how late the vsync is generated
	inDraw       []func(a *actor) // after the main thread is unlocked
	inCommit     []func(a *actor) // before the layers are committed
	inRepaint    []func(a *actor) // while they are
	leftOut      int64            // refreshes that the display leaves out
	noVsync      bool             // render_service is sent none
	slow         trace.Time       // when the transaction has been unmarshalled
	parallelType int              // 1: the main thread waits for the whole drawing
	held         bool             // the transactions are put off once
	gpuUntil     trace.Time       // the GPU works so long
	target       bool             // the frame has a cause
}

// injected returns what is changed around the vsync of an index, to be read or extended.
func (s *sim) injected(index int64) *injection {
	if s.scene.Cause == "" {
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
	s.record.settle(t, s.text.from, s.text.to)
	t.Era, t.Offset, t.Period = s.Era, s.ClockOffset, s.grid.at(0).period
	if s.scene.Cause == "" {
		return
	}
	byVsync := map[int64]*Frame{}
	for _, f := range t.Frames {
		byVsync[f.Vsync] = f
		a := s.ui
		if f.Kind == RenderFrame {
			a = s.render
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
		t.Waits = append(t.Waits, w)
	}
	for _, c := range t.Causes {
		if f := byVsync[c.Vsync]; f != nil {
			c.Late = f.Late
		}
		for _, w := range t.Waits {
			for _, wait := range w.Waits {
				if w.Vsync == c.Vsync && wait.Wait == c.measured {
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
