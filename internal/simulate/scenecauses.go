package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"ohframe/analyzer/trace"
)

// Cause is why a frame of a [Scene] is late.
type Cause string

const (
	CauseNone           Cause = "none"
	CauseMix            Cause = "mix" // one frame of each of the commonest causes
	CauseMoreWork       Cause = "more_work"
	CauseSlowClock      Cause = "slow_clock"
	CauseLittleCore     Cause = "little_core"
	CausePreempted      Cause = "preempted"
	CauseNoCPU          Cause = "no_cpu"
	CauseStorageD       Cause = "storage_d"
	CauseStorageS       Cause = "storage_s" // as HongMeng's page cache waits: state S
	CauseDWithoutReason Cause = "d_without_reason"
	CauseFence          Cause = "fence"
	CauseBinder         Cause = "binder"
	CauseBinderQueue    Cause = "binder_queue"
	CauseBinderChain    Cause = "binder_chain"
	CauseLock           Cause = "lock"
	CauseLockWaiter     Cause = "lock_waiter" // the owner of the lock waits for storage
	CauseInversion      Cause = "priority_inversion"
	CauseOtherProcess   Cause = "other_process"
	CauseTimer          Cause = "timer"
	CauseGC             Cause = "gc"
	CauseGCElsewhere    Cause = "gc_elsewhere"
	CauseGCUnmarked     Cause = "gc_unmarked" // the same, without a marker on the thread that waits
	CauseIRQStorm       Cause = "irq_storm"
	CauseIRQThreads     Cause = "irq_threads"
	CauseVsyncLate      Cause = "vsync_late"
	CausePreviousFrame  Cause = "previous_frame"
	CauseOnIdle         Cause = "on_idle"
	CauseBetweenFrames  Cause = "between_frames"
	CauseImageDecode    Cause = "image_decode"
	CauseResourceRead   Cause = "resource_read"
	CauseBuffer         Cause = "buffer"
	// Causes in render_service.
	CauseRenderBusy        Cause = "render_busy"   // its main thread waits for the drawing of the frame before
	CauseBackPressure      Cause = "back_pressure" // its drawing waits for a free buffer
	CauseGPULate           Cause = "gpu_late"
	CauseDeliberateDelay   Cause = "deliberate_delay"   // of a commit; delays no frame
	CauseCachedTransaction Cause = "cached_transaction" // put off until the next frame; delays no frame
	// Causes after render_service's main thread is done: the display shows the frame late.
	CauseDrawWork     Cause = "draw_work"
	CauseDrawBuffer   Cause = "draw_buffer"
	CauseCommitBusy   Cause = "commit_busy" // the thread that commits is busy with something else
	CauseCommitBinder Cause = "commit_binder"
	CauseCommitFence  Cause = "commit_fence"
	CauseDisplayLate  Cause = "display_late" // it leaves out a refresh
	// Causes for which render_service picks up a frame late that was on time, as
	// cached_transaction.
	CausePickUpBusy    Cause = "pick_up_busy" // its main thread is busy with something else
	CausePickUpNoVsync Cause = "pick_up_no_vsync"
	CauseUnmarshalling Cause = "unmarshalling"
	// Traces that lack something.
	CauseLostEvents Cause = "lost_events" // preempted, with lost kernel events
	// asleep, with both switches lost; the text says that events of the processor were
	CauseLostSwitches Cause = "lost_switches"
	CauseNoSched      Cause = "no_sched" // more work, without any kernel events
)

// inFrameCauses delay a frame from within, so two of them fit into one frame.
var inFrameCauses = []Cause{
	CauseMoreWork, CausePreempted, CauseStorageD, CauseStorageS, CauseDWithoutReason, CauseFence, CauseBinder,
	CauseBinderQueue, CauseBinderChain, CauseLock, CauseLockWaiter, CauseInversion, CauseOtherProcess, CauseTimer,
	CauseGC, CauseGCElsewhere, CauseImageDecode, CauseResourceRead, CauseBuffer,
}

var mixedCauses = []Cause{
	CauseStorageD, CauseMoreWork, CausePreempted, CauseBinder, CauseLock, CauseGC, CausePreviousFrame, CauseBetweenFrames,
}

// Harmless reports whether no frame misses its deadline because of the cause.
func (c Cause) Harmless() bool {
	return c == CauseNone || c == CauseDeliberateDelay || c.ShowsLate() || c.PicksUpLate()
}

// ShowsLate reports whether the cause makes the display show frames late that are on time.
func (c Cause) ShowsLate() bool {
	switch c {
	case CauseDrawWork, CauseDrawBuffer, CauseCommitBusy, CauseCommitBinder, CauseCommitFence, CauseDisplayLate:
		return true
	}
	return false
}

// PicksUpLate reports whether the cause makes render_service pick up frames late that are
// on time.
func (c Cause) PicksUpLate() bool {
	switch c {
	case CauseCachedTransaction, CausePickUpBusy, CausePickUpNoVsync, CauseUnmarshalling:
		return true
	}
	return false
}

// Causes lists all causes.
func Causes() []string {
	return names(
		CauseNone, CauseMix, CauseMoreWork, CauseSlowClock, CauseLittleCore, CausePreempted, CauseNoCPU, CauseStorageD,
		CauseStorageS, CauseDWithoutReason, CauseFence, CauseBinder, CauseBinderQueue, CauseBinderChain, CauseLock,
		CauseLockWaiter, CauseInversion, CauseOtherProcess, CauseTimer, CauseGC, CauseGCElsewhere, CauseGCUnmarked, CauseIRQStorm,
		CauseIRQThreads, CauseVsyncLate, CausePreviousFrame, CauseOnIdle, CauseBetweenFrames, CauseImageDecode,
		CauseResourceRead, CauseBuffer, CauseRenderBusy, CauseBackPressure, CauseGPULate, CauseDeliberateDelay,
		CauseCachedTransaction, CauseLostEvents, CauseNoSched, CauseDrawWork, CauseDrawBuffer, CauseCommitBusy,
		CauseCommitBinder, CauseCommitFence, CauseDisplayLate, CausePickUpBusy, CausePickUpNoVsync, CauseUnmarshalling,
		CauseLostSwitches,
	)
}

// injections arrange that the frame on vsync k takes d longer.
var injections map[Cause]func(sc *scene, k int64, d trace.Duration)

func init() {
	injections = map[Cause]func(sc *scene, k int64, d trace.Duration){
		CauseNone:     func(*scene, int64, trace.Duration) {},
		CauseMix:      func(*scene, int64, trace.Duration) {}, // inject chooses among mixedCauses
		CauseMoreWork: func(sc *scene, k int64, d trace.Duration) { sc.moreWork(k, d) },
		CauseNoSched: func(sc *scene, k int64, d trace.Duration) {
			sc.noSched = true
			sc.moreWork(k, d).Acceptable = []string{"place_only", "unknown", "run"}
		},
		CauseGC: func(sc *scene, k int64, d trace.Duration) {
			sc.work(k, d, "PartialGC::RunPhases", "PartialGC::RunPhases1;GCReason0;MarkReason0;Sensitive0;IsInBackground0;Startup0")
		},
		CauseImageDecode: func(sc *scene, k int64, d trace.Duration) {
			sc.work(k, d, "CreateImagePixelMap", "CreateImagePixelMap resource://app/photo.png, sourceSize: [ 4000, 3000 ], targetSize: [ 300, 225 ]")
		},
		CauseResourceRead: func(sc *scene, k int64, d trace.Duration) {
			sc.work(k, d, "HapManager::GetMediaDataFromHap", "HapManager::GetMediaDataFromHap")
		},
		CauseSlowClock:    (*scene).slowClock,
		CauseLittleCore:   (*scene).littleCore,
		CausePreempted:    func(sc *scene, k int64, d trace.Duration) { sc.preempt(k, d) },
		CauseLostEvents:   (*scene).loseEvents,
		CauseLostSwitches: (*scene).loseSwitches,
		CauseNoCPU:        (*scene).noCPU,
		CauseStorageD:     func(sc *scene, k int64, d trace.Duration) { sc.storage(k, d, 'D', reason{1, sc.caller("io_schedule")}) },
		CauseStorageS: func(sc *scene, k int64, d trace.Duration) {
			sc.storage(k, d, 'S', reason{0, sc.caller("fscache_page_get_and_lock")})
		},
		CauseDWithoutReason: func(sc *scene, k int64, d trace.Duration) { sc.deviceWait(k, d, "kernel", reason{}) },
		CauseFence: func(sc *scene, k int64, d trace.Duration) {
			t := sc.deviceWait(k, d, "fence", reason{0, sc.caller("dma_fence_default_wait")})
			if sc.NoBlockedReason {
				t.Acceptable = []string{"kernel"}
			}
		},
		CauseBinder:            (*scene).binderCall,
		CauseBinderQueue:       (*scene).binderQueue,
		CauseBinderChain:       (*scene).binderChain,
		CauseLock:              (*scene).lock,
		CauseLockWaiter:        (*scene).lockWaiter,
		CauseInversion:         (*scene).inversion,
		CauseOtherProcess:      (*scene).otherProcess,
		CauseTimer:             (*scene).sleep,
		CauseGCElsewhere:       (*scene).gcElsewhere,
		CauseGCUnmarked:        (*scene).gcUnmarked,
		CauseIRQStorm:          (*scene).irqStorm,
		CauseIRQThreads:        (*scene).irqThreads,
		CauseVsyncLate:         (*scene).vsyncLate,
		CausePreviousFrame:     (*scene).previousFrame,
		CauseOnIdle:            (*scene).onIdle,
		CauseBetweenFrames:     (*scene).betweenFrames,
		CauseBuffer:            (*scene).bufferWait,
		CauseRenderBusy:        (*scene).renderBusy,
		CauseBackPressure:      (*scene).backPressure,
		CauseGPULate:           (*scene).gpuLate,
		CauseDeliberateDelay:   (*scene).deliberateDelay,
		CauseCachedTransaction: (*scene).cachedTransaction,
		CauseDrawWork:          (*scene).drawWork,
		CauseDrawBuffer:        (*scene).drawBuffer,
		CauseCommitBusy:        (*scene).commitBusy,
		CauseCommitBinder:      (*scene).commitBinder,
		CauseCommitFence:       (*scene).commitFence,
		CauseDisplayLate:       (*scene).displayLate,
		CausePickUpBusy:        (*scene).pickUpBusy,
		CausePickUpNoVsync:     (*scene).pickUpNoVsync,
		CauseUnmarshalling:     (*scene).unmarshalling,
	}
}

// inject arranges the causes of one to three frames, far enough apart that each finds
// the scene recovered. A usual frame takes less than half the period, so the injected
// time makes it late by about three tenths of the period.
func (sc *scene) inject() {
	at := sc.At
	if at == nil {
		count := 1 + int64(sc.Seed%3)
		if sc.Cause == CauseMix {
			count = int64(len(mixedCauses))
		}
		for n := range count {
			if k := 12 + int64(sc.Seed%5) + 8*n; k+4 < int64(sc.Frames) {
				at = append(at, k)
			}
		}
	}
	if sc.Usual != "" {
		for k := range int64(sc.Frames) {
			if !slices.Contains(at, k) {
				injections[sc.Usual](sc, k, share(sc.period, 5))
			}
		}
		sc.truth.Causes = nil
	}
	for i, k := range at {
		sc.targets[k] = true
		d := share(sc.period, sc.Injected)
		do := func(c Cause, d trace.Duration) {
			sc.injecting = c
			injections[c](sc, k, d)
		}
		switch {
		case sc.Cause == CauseMix:
			do(mixedCauses[i%len(mixedCauses)], d)
		case sc.Second == "":
			do(sc.Cause, d)
		default:
			do(sc.Cause, share(d, sc.First))
			do(sc.Second, share(d, 100-sc.First))
		}
	}
	if sc.Noise {
		sc.addNoise()
	}
}

// cause adds a truth about the application's frame on vsync k.
func (sc *scene) cause(t CauseTruth, k int64) *CauseTruth {
	t.Cause, t.Kind, t.Process, t.Thread, t.TID = sc.injecting, AppFrame, sc.ui.process, sc.ui.name, sc.ui.tid
	t.Vsync = firstAppVsync + k
	sc.truth.Causes = append(sc.truth.Causes, &t)
	return &t
}

// within injects into FlushLayoutTask of the frame on vsync k, and measures.
func (sc *scene) within(k int64, t CauseTruth, do func(a *actor)) *CauseTruth {
	stage, slice := "layout", "FlushLayoutTask"
	if sc.InBuild {
		stage, slice = "build", "FlushBuild"
	}
	t.Stage, t.Slice = stage, cmp.Or(t.Slice, slice)
	c := sc.cause(t, k)
	sc.inFrame[k] = append(sc.inFrame[k], func(a *actor) {
		from := sc.now
		a.enter(a.current)
		first := len(a.history)
		do(a)
		a.enter(a.current)
		for _, g := range a.history[first:] {
			if g.wait == c.Wait {
				c.NS += g.to.Sub(g.from)
			}
		}
		if c.NS == 0 {
			c.NS = sc.now.Sub(from)
		}
	})
	return c
}

// caller is a kernel function as sched_blocked_reason names it.
func (sc *scene) caller(function string) string {
	if sc.Kernel == KernelHongMeng {
		return function[:min(len(function), 19)] + "+0x48/0x70[sysmgr.elf]"
	}
	return function + "+0x48/0x70"
}

// device interrupts after d, with what its handler does.
func (sc *scene) device(d trace.Duration, handle func(by *actor)) {
	sc.after(d, func() {
		sc.post(sc.irq, nil, func(i *actor) {
			i.compute(4 * trace.Microsecond)
			handle(i)
			i.compute(4 * trace.Microsecond)
		})
	})
}

// occupy has a more important thread use a processor for d.
func (sc *scene) occupy(cpu int, d trace.Duration) {
	sc.hog.core = sc.cores[cpu]
	sc.post(sc.hog, nil, func(h *actor) { h.compute(d) })
}

func culprit(a *actor) string { return a.process + ":" + a.name }

func (sc *scene) moreWork(k int64, d trace.Duration) *CauseTruth {
	return sc.within(k, CauseTruth{Wait: "run.work", Acceptable: []string{"run"}}, func(a *actor) { a.compute(d) })
}

// work computes in a slice of its own.
func (sc *scene) work(k int64, d trace.Duration, name, text string) {
	sc.within(k, CauseTruth{Wait: "run.work", Acceptable: []string{"run"}, Slice: name}, func(a *actor) {
		a.begin("", name, text, "M0538")
		a.compute(d)
		a.end()
	})
}

// usualWork is about what the frame computes inside OnVsyncEvent.
func (sc *scene) usualWork() trace.Duration { return share(sc.period, 35) + 140*trace.Microsecond }

// slower is the frequency at which that takes d longer.
func (sc *scene) slower(d trace.Duration) int {
	u := sc.usualWork()
	return int(trace.Duration(clusters[1].top)*u/(u+d)) / 1000 * 1000
}

// throughout does something at the begin and the end of the frame on vsync k. The
// truth is how much longer the frame's usual work takes.
func (sc *scene) throughout(k int64, f int, change func(a *actor, begins bool)) {
	t := sc.cause(CauseTruth{Wait: "run.slow", Acceptable: []string{"run"}}, k)
	var from trace.Time
	sc.around[k] = append(sc.around[k], func(a *actor, begins bool) {
		if begins {
			from = sc.now
		} else {
			took := sc.now.Sub(from)
			t.NS = took - took*trace.Duration(f)/trace.Duration(clusters[1].top)
		}
		change(a, begins)
	})
}

func (sc *scene) slowClock(k int64, d trace.Duration) {
	f := sc.slower(d)
	sc.throughout(k, f, func(_ *actor, begins bool) {
		if begins {
			sc.setFrequency(clusters[1].from, clusters[1].to, f)
		} else {
			sc.setFrequency(clusters[1].from, clusters[1].to, clusters[1].top)
		}
	})
}

func (sc *scene) littleCore(k int64, d trace.Duration) {
	f := sc.slower(d)
	sc.after(sceneLead-trace.Millisecond, func() { sc.setFrequency(clusters[0].from, clusters[0].to, f) })
	sc.throughout(k, f, func(a *actor, begins bool) {
		if begins {
			a.moveTo(sc.cores[littleCPU])
		} else {
			a.moveTo(sc.cores[uiCPU])
		}
	})
}

func (sc *scene) preempt(k int64, d trace.Duration) *CauseTruth {
	t := CauseTruth{Wait: "cpu.preempted", Culprit: culprit(sc.hog), Leaf: "run"}
	return sc.within(k, t, func(a *actor) {
		sc.occupy(uiCPU, d)
		a.compute(50 * trace.Microsecond)
	})
}

// loseEvents loses the switch to the thread that preempts, but not the one back.
func (sc *scene) loseEvents(k int64, d trace.Duration) {
	sc.inFrame[k] = append(sc.inFrame[k], func(*actor) {
		sc.dropCPU, sc.dropFrom, sc.dropTo = uiCPU, sc.now, sc.now.Add(share(d, 80))
	})
	t := sc.preempt(k, d)
	t.Wait, t.Acceptable, t.Culprit, t.Leaf = "unknown", []string{"cpu.preempted"}, "", ""
}

// loseSwitches loses all events of the processor while the thread sleeps, from before it
// falls asleep until after it runs again.
func (sc *scene) loseSwitches(k int64, d trace.Duration) {
	const before, after = 20 * trace.Microsecond, 100 * trace.Microsecond
	t := sc.within(k, CauseTruth{}, func(a *actor) {
		sc.s.text.lose(uiCPU, sc.now, sc.now.Add(before+d+after/2))
		a.compute(before)
		sc.device(d, func(by *actor) { sc.wake(a, by) })
		a.block('S', "timer", reason{0, sc.caller("hrtimer_nanosleep")})
		a.compute(after)
	})
	t.Wait = "unknown"
}

// noCPU has another thread on the processor when the vsync arrives.
func (sc *scene) noCPU(k int64, d trace.Duration) {
	const early = 300 * trace.Microsecond
	t := sc.cause(CauseTruth{Wait: "cpu.wait", Stage: "start", Culprit: culprit(sc.hog), Leaf: "run"}, k)
	vsync := sc.s.traceTime(sc.s.grid.at(k).now)
	sc.at(vsync.Add(-early), func() {
		sc.hog.core = sc.cores[uiCPU]
		sc.post(sc.hog, nil, func(h *actor) {
			h.compute(early + d)
			t.NS = sc.now.Sub(sc.ui.current.from)
		})
	})
}

func (sc *scene) storage(k int64, d trace.Duration, letter byte, why reason) {
	sc.within(k, CauseTruth{Wait: "io"}, func(a *actor) { sc.read(a, d, letter, why) })
}

// read waits for a device to read a block.
func (sc *scene) read(a *actor, d trace.Duration, letter byte, why reason) {
	at := strconv.FormatInt(sc.block, 10) + " + 72 ["
	sc.block += 80
	a.kernel("block_rq_issue: 12,80 RCVHS 36864 () " + at + a.name + "]")
	a.compute(5 * trace.Microsecond)
	sc.device(d, func(by *actor) {
		by.kernel("block_rq_complete: 12,80 RCVHS () " + at + "0]")
		sc.wake(a, by)
	})
	a.block(letter, "io", why)
}

// deviceWait waits for a device in state D.
func (sc *scene) deviceWait(k int64, d trace.Duration, wait string, why reason) *CauseTruth {
	return sc.within(k, CauseTruth{Wait: wait}, func(a *actor) {
		sc.device(d, func(by *actor) { sc.wake(a, by) })
		a.block('D', wait, why)
	})
}

// call is a synchronous binder call from a to callee.
func (sc *scene) call(a, callee *actor, do func(s *actor)) {
	sc.binder += 2
	request, reply := sc.binder, sc.binder+1
	a.kernel(fmt.Sprintf("binder_transaction: transaction=%d dest_node=12138790 dest_proc=%d dest_thread=0 reply=0 flags=0x10 code=0x37", request, callee.pid))
	sc.post(callee, a, func(s *actor) {
		s.kernel(fmt.Sprintf("binder_transaction_received: transaction=%d", request))
		s.compute(5 * trace.Microsecond)
		do(s)
		s.kernel(fmt.Sprintf("binder_transaction: transaction=%d dest_node=0 dest_proc=%d dest_thread=%d reply=1 flags=0x0 code=0x0", reply, a.pid, a.tid))
		sc.wake(a, s)
		s.compute(5 * trace.Microsecond)
	})
	a.block('S', "binder", reason{})
	a.kernel(fmt.Sprintf("binder_transaction_received: transaction=%d", reply))
}

const serviceSlice = "MediaLibrary::Query"

func (sc *scene) binderCall(k int64, d trace.Duration) {
	t := CauseTruth{Wait: "binder", Culprit: culprit(sc.service), Leaf: "run", LeafSlice: serviceSlice}
	sc.within(k, t, func(a *actor) {
		sc.call(a, sc.service, func(s *actor) { sc.slice(s, "", serviceSlice, "M0538", d) })
	})
}

func (sc *scene) binderQueue(k int64, d trace.Duration) {
	t := CauseTruth{Wait: "binder", Culprit: culprit(sc.service), Leaf: "cpu.wait"}
	sc.within(k, t, func(a *actor) {
		sc.occupy(serviceCPU, d)
		a.compute(60 * trace.Microsecond)
		sc.call(a, sc.service, func(s *actor) { sc.slice(s, "", serviceSlice, "M0538", 200*trace.Microsecond) })
	})
}

func (sc *scene) binderChain(k int64, d trace.Duration) {
	const slice = "FileIndex::Scan"
	t := CauseTruth{Wait: "binder", Culprit: culprit(sc.service2), Leaf: "run", LeafSlice: slice}
	sc.within(k, t, func(a *actor) {
		sc.call(a, sc.service, func(s *actor) {
			s.begin("", serviceSlice, serviceSlice, "M0538")
			s.compute(50 * trace.Microsecond)
			sc.call(s, sc.service2, func(s2 *actor) { sc.slice(s2, "", slice, "M0538", d) })
			s.compute(50 * trace.Microsecond)
			s.end()
		})
	})
}

const workerSlice = "ImageSource::CreatePixelMap"

// task has the UI thread wait for a task of the worker.
func (sc *scene) task(k int64, leaf string, do func(w *actor)) {
	t := CauseTruth{Wait: "own_thread", Culprit: culprit(sc.worker), Leaf: leaf, LeafSlice: workerSlice}
	sc.within(k, t, func(a *actor) {
		sc.post(sc.worker, a, func(w *actor) {
			w.begin("", workerSlice, workerSlice, "M0538")
			do(w)
			w.end()
			sc.wake(a, w)
			w.compute(10 * trace.Microsecond)
		})
		a.block('S', "own_thread", reason{})
	})
}

func (sc *scene) lock(k int64, d trace.Duration) {
	sc.task(k, "run", func(w *actor) { w.compute(d) })
}

func (sc *scene) lockWaiter(k int64, d trace.Duration) {
	sc.task(k, "io", func(w *actor) {
		w.compute(share(d, 10))
		sc.read(w, share(d, 80), 'D', reason{1, sc.caller("io_schedule")})
		w.compute(share(d, 10))
	})
}

func (sc *scene) inversion(k int64, d trace.Duration) {
	sc.task(k, "cpu.preempted", func(w *actor) {
		w.compute(50 * trace.Microsecond)
		sc.occupy(workerCPU, d)
		w.compute(100 * trace.Microsecond)
	})
}

func (sc *scene) otherProcess(k int64, d trace.Duration) {
	const slice = "SensorDataProcesser::Report"
	t := CauseTruth{Wait: "other_process", Culprit: culprit(sc.other), Leaf: "run", LeafSlice: slice}
	sc.within(k, t, func(a *actor) {
		sc.post(sc.other, a, func(o *actor) {
			sc.slice(o, "", slice, "M0538", d)
			sc.wake(a, o)
			o.compute(10 * trace.Microsecond)
		})
		a.block('S', "other_process", reason{})
	})
}

func (sc *scene) sleep(k int64, d trace.Duration) {
	sc.within(k, CauseTruth{Wait: "timer"}, func(a *actor) {
		sc.after(d, func() { sc.wake(a, nil) })
		a.block('S', "timer", reason{0, sc.caller("hrtimer_nanosleep")})
	})
}

func (sc *scene) gcElsewhere(k int64, d trace.Duration) {
	const suspended = "SuspendTime::WaitGCFinished"
	t := sc.collection("gc.wait")
	t.Slice = suspended
	sc.within(k, t, func(a *actor) {
		a.begin("", suspended, suspended, "M0538")
		sc.collect(a, "gc.wait", d)
		a.compute(10 * trace.Microsecond)
		a.end()
	})
}

func (sc *scene) gcUnmarked(k int64, d trace.Duration) {
	sc.within(k, sc.collection("own_thread"), func(a *actor) { sc.collect(a, "own_thread", d) })
}

const collectionSlice = "SharedGC::RunPhases"

func (sc *scene) collection(wait string) CauseTruth {
	return CauseTruth{Wait: wait, Culprit: culprit(sc.collector), Leaf: "run", LeafSlice: collectionSlice, Reason: "shared limit"}
}

// collect has a thread wait until another one has collected garbage.
func (sc *scene) collect(a *actor, wait string, d trace.Duration) {
	sc.post(sc.collector, a, func(g *actor) {
		g.begin("", collectionSlice, collectionSlice+";GCReason9;MarkReason0;Sensitive0;IsInBackground0;Startup0", "M0538")
		g.begin("", "SharedGC::Mark", "SharedGC::Mark", "M0538")
		g.compute(d)
		g.end()
		g.end()
		sc.wake(a, g)
		g.compute(10 * trace.Microsecond)
	})
	a.block('S', wait, reason{})
}

// rounds is the number of interrupts that share the injected time.
const rounds = 24

func (sc *scene) irqStorm(k int64, d trace.Duration) {
	sc.within(k, CauseTruth{Wait: "irq"}, func(a *actor) {
		for i := range trace.Duration(rounds) {
			sc.after(i*(d/rounds+15*trace.Microsecond)+5*trace.Microsecond, func() {
				sc.interruptCore(a.core, 40, "thermal", d/rounds)
			})
		}
		a.compute(rounds * 15 * trace.Microsecond)
	})
}

func (sc *scene) irqThreads(k int64, d trace.Duration) {
	sc.within(k, CauseTruth{Wait: "irq", Culprit: culprit(sc.irqThread)}, func(a *actor) {
		left := rounds
		var serve func(i *actor)
		serve = func(i *actor) {
			i.compute(d / rounds)
			if left--; left > 0 {
				sc.after(10*trace.Microsecond, func() { sc.post(i, nil, serve) })
			}
		}
		sc.post(sc.irqThread, nil, serve)
		a.compute(rounds * 40 * trace.Microsecond)
	})
}

// vsyncLate has the vsync generated late, for render_service too, whose deadline is later.
func (sc *scene) vsyncLate(k int64, d trace.Duration) {
	sc.vsyncBy[k] = d
	sc.cause(CauseTruth{Wait: "vsync", Stage: "start", NS: d}, k)
}

// previousFrame has the frame before take so long that this one is late as well.
func (sc *scene) previousFrame(k int64, d trace.Duration) {
	sc.moreWork(k-1, share(sc.period, 150))
	t := sc.cause(CauseTruth{Wait: "earlier_frame", Acceptable: []string{"knock_on"}, Stage: "start", KnockOnOf: firstAppVsync + k - 1}, k)
	sc.atEnd[k-1] = append(sc.atEnd[k-1], func(*actor) { t.NS = sc.now.Sub(sc.s.traceTime(sc.s.grid.at(k).now)) })
}

// onIdle works after the frame before until the time is short.
func (sc *scene) onIdle(k int64, d trace.Duration) {
	t := sc.cause(CauseTruth{Wait: "earlier_work", Stage: "start", Slice: "OnIdle", Leaf: "run"}, k)
	vsync := sc.s.grid.at(k).now
	sc.atEnd[k-1] = append(sc.atEnd[k-1], func(a *actor) {
		a.begin("idle", "OnIdle", "OnIdle, targettime:"+strconv.FormatInt(int64(vsync), 10), "I39")
		a.compute(sc.s.traceTime(vsync).Add(d).Sub(sc.now))
		a.end()
		t.NS = sc.now.Sub(sc.s.traceTime(vsync))
	})
}

// betweenFrames runs JavaScript that begins before the vsync.
func (sc *scene) betweenFrames(k int64, d trace.Duration) {
	t := sc.cause(CauseTruth{Wait: "earlier_work", Stage: "start", Slice: "ExecuteJS", Leaf: "run"}, k)
	vsync, early := sc.s.traceTime(sc.s.grid.at(k).now), share(sc.period, 40)
	sc.at(vsync.Add(-early), func() {
		sc.post(sc.ui, nil, func(a *actor) {
			sc.slice(a, "js", "ExecuteJS", "I39", early+d)
			t.NS = sc.now.Sub(vsync)
		})
	})
}

// usualDecoy is a slice in frames that stay on time, away from those with a cause.
func (sc *scene) usualDecoy(a *actor, v vsync) {
	if k := v.index; sc.Decoys && k%4 == 1 && !sc.targets[k] && !sc.targets[k-1] && !sc.targets[k+1] {
		sc.slice(a, "build", "PartialGC::RunPhases", "M0538", share(sc.period, 20))
	}
}

// addNoise has a thread on another processor run now and then and wake the UI thread,
// which runs already.
func (sc *scene) addNoise() {
	random := newRandom(sc.Seed, 4)
	for i := range int64(sc.Frames) * 3 {
		at := sc.s.traceTime(firstVsync).Add(trace.Duration(i) * sc.period / 3)
		sc.at(at.Add(random.between(0, sc.period/4)), func() {
			sc.post(sc.noise, nil, func(a *actor) {
				sc.slice(a, "", "HiLog::Flush", "M0538", 100*trace.Microsecond)
				if sc.ui.current.state == running {
					sc.wakeLines(sc.ui, a, 0, 0)
				}
				a.compute(50 * trace.Microsecond)
			})
		})
	}
}

// bufferWait has the UI thread wait until render_service releases a buffer.
func (sc *scene) bufferWait(k int64, d trace.Duration) {
	t := CauseTruth{Wait: "buffer", Slice: "RequestBuffer", Culprit: culprit(sc.commit)}
	sc.within(k, t, func(a *actor) {
		a.begin("", "RequestBuffer", "RequestBuffer name: gallery0 queueId: 5 queueSize: 3", "M0538")
		sc.device(d, func(by *actor) {
			sc.post(sc.commit, by, func(c *actor) {
				sc.slice(c, "", "ReleaseBuffer", "M0538", 10*trace.Microsecond)
				sc.wake(a, c)
				c.compute(5 * trace.Microsecond)
			})
		})
		a.block('S', "buffer", reason{})
		a.compute(5 * trace.Microsecond)
		a.end()
	})
}

// renderCause is a cause of render_service's frame on vsync k.
func (sc *scene) renderCause(t CauseTruth, k int64) *CauseTruth {
	c := sc.cause(t, k)
	c.Kind, c.Process, c.Thread, c.TID = RenderFrame, sc.render.process, sc.render.name, sc.render.tid
	c.Vsync = firstRenderVsync + k
	return c
}

// renderOverrun is the time at which render_service's frame on vsync k is late by
// three tenths of the period.
func (sc *scene) renderOverrun(k int64) trace.Time {
	now := sc.s.traceTime(sc.s.grid.at(k).now)
	if sc.s.speller.longDeadline {
		now = now.Add(sc.period - 5*trace.Millisecond)
	}
	return now.Add(sc.period + share(sc.period, 30))
}

const drawWait = "PostAndWait"

// renderBusy has the drawing of the frame before take until this one's deadline is over.
func (sc *scene) renderBusy(k int64, _ trace.Duration) {
	const slice = "ApplyKawaseBlur"
	t := sc.renderCause(CauseTruth{
		Wait: "render", Acceptable: []string{"knock_on"}, Stage: "hand-over", Slice: drawWait,
		Culprit: culprit(sc.draw), Leaf: "run", LeafSlice: slice, KnockOnOf: firstRenderVsync + k - 1,
	}, k)
	sc.measured[t] = "render"
	sc.inDraw[k-1] = append(sc.inDraw[k-1], func(a *actor) {
		a.begin("", slice, slice+" 12.000000", "M0538")
		a.compute(sc.renderOverrun(k).Sub(sc.now))
		a.end()
	})
}

// backPressure has the drawing wait for a buffer while the main thread waits for the
// whole drawing.
func (sc *scene) backPressure(k int64, _ trace.Duration) {
	const slice = "RSScreenRenderNodeDrawable:RequestFrame"
	t := sc.renderCause(CauseTruth{
		Wait: "render", Acceptable: []string{"buffer"}, Stage: "hand-over", Slice: drawWait,
		Culprit: culprit(sc.draw), Leaf: "buffer", LeafSlice: slice,
	}, k)
	sc.measured[t] = "render"
	sc.parallelType[k] = 1
	sc.inDraw[k] = append(sc.inDraw[k], func(a *actor) {
		a.begin("", slice, slice, "M0538")
		sc.device(sc.renderOverrun(k).Sub(sc.now), func(by *actor) {
			sc.post(sc.commit, by, func(c *actor) {
				sc.slice(c, "", "ReleaseBuffer", "M0538", 10*trace.Microsecond)
				sc.wake(a, c)
				c.compute(5 * trace.Microsecond)
			})
		})
		a.block('S', "buffer", reason{})
		a.compute(5 * trace.Microsecond)
		a.end()
	})
}

// gpuLate has the GPU finish late. The main thread is on time.
func (sc *scene) gpuLate(k int64, _ trace.Duration) {
	if sc.gpuUntil == nil {
		sc.gpuUntil = map[int64]trace.Time{}
	}
	sc.gpuUntil[k] = sc.renderOverrun(k)
	t := sc.renderCause(CauseTruth{Wait: "gpu"}, k)
	sc.inDraw[k] = append(sc.inDraw[k], func(*actor) { t.NS = sc.gpuUntil[k].Sub(sc.now) - share(sc.period, 20) })
}

// deliberateDelay has the commit wait, as it does where the panel's rate changes, so long
// that the display shows the frame at a later refresh.
func (sc *scene) deliberateDelay(k int64, _ trace.Duration) {
	delay := share(sc.period, 80) / trace.Millisecond
	sc.renderCause(CauseTruth{Slice: "CalculateDelayTime", NS: delay * trace.Millisecond}, k)
	sc.inCommit[k] = append(sc.inCommit[k], func(c *actor) {
		c.begin("", "CalculateDelayTime", fmt.Sprintf("CalculateDelayTime pipelineOffset: 16637514, delayTime: %d, frameOffset: 22222222", delay), "M0538")
		c.compute(5 * trace.Microsecond)
		c.end()
		sc.after(delay*trace.Millisecond, func() { sc.wake(c, nil) })
		c.block('S', "timer", reason{})
	})
}

// cachedTransaction has render_service put the frame's transaction off once.
func (sc *scene) cachedTransaction(k int64, _ trace.Duration) {
	sc.held[firstAppVsync+k] = true
	sc.cause(CauseTruth{Wait: "pick_up", PickUp: "deferred", NS: sc.period}, k)
}

// drawWork has the drawing take longer after the main thread has gone on.
func (sc *scene) drawWork(k int64, d trace.Duration) {
	const slice = "ApplyKawaseBlur"
	sc.renderCause(CauseTruth{Wait: "run", Stage: "draw", Slice: slice, NS: d}, k)
	sc.inDraw[k] = append(sc.inDraw[k], func(a *actor) {
		a.begin("", slice, slice+" 12.000000", "M0538")
		a.compute(d)
		a.end()
	})
}

// drawBuffer has the drawing wait for a free buffer after the main thread has gone on.
func (sc *scene) drawBuffer(k int64, d trace.Duration) {
	const slice = "RSScreenRenderNodeDrawable:RequestFrame"
	sc.renderCause(CauseTruth{Wait: "buffer", Stage: "draw", Slice: slice, NS: d}, k)
	sc.inDraw[k] = append(sc.inDraw[k], func(a *actor) {
		a.begin("", slice, slice, "M0538")
		sc.device(d, func(by *actor) { sc.wake(a, by) })
		a.block('S', "buffer", reason{})
		a.compute(5 * trace.Microsecond)
		a.end()
	})
}

// commitBusy has the thread that commits do something else when the frame is drawn.
func (sc *scene) commitBusy(k int64, d trace.Duration) {
	const slice = "ClearFrameBuffers"
	sc.renderCause(CauseTruth{Wait: "run", Stage: "commit_wait", Slice: slice, NS: d}, k)
	sc.inDraw[k] = append(sc.inDraw[k], func(*actor) {
		sc.post(sc.commit, nil, func(c *actor) { sc.slice(c, "", slice, "M0538", d+share(sc.period, 18)) })
	})
}

// commitBinder has the commit wait for the composer's host.
func (sc *scene) commitBinder(k int64, d trace.Duration) {
	t := CauseTruth{Wait: "binder", Stage: "composer", Slice: "Repaint", Culprit: culprit(sc.service), Leaf: "run", LeafSlice: serviceSlice, NS: d}
	sc.renderCause(t, k)
	sc.inRepaint[k] = append(sc.inRepaint[k], func(c *actor) {
		sc.call(c, sc.service, func(s *actor) { sc.slice(s, "", serviceSlice, "M0538", d) })
	})
}

// commitFence has the commit wait for the GPU.
func (sc *scene) commitFence(k int64, d trace.Duration) {
	const slice = "Waiting for Acquire Fence"
	sc.renderCause(CauseTruth{Wait: "fence", Stage: "composer", Slice: slice, NS: d}, k)
	sc.inRepaint[k] = append(sc.inRepaint[k], func(c *actor) {
		c.begin("", slice, slice+" 9012", "I38")
		sc.device(d, func(by *actor) { sc.wake(c, by) })
		c.block('D', "fence", reason{0, sc.caller("dma_fence_default_wait")})
		c.compute(5 * trace.Microsecond)
		c.end()
	})
}

// displayLate has the display leave out a refresh.
func (sc *scene) displayLate(k int64, _ trace.Duration) {
	sc.leftOut[k] = 1
	sc.renderCause(CauseTruth{Wait: "fence", Stage: "display", NS: sc.period}, k)
}

// pickUpBusy has render_service's main thread busy for two vsyncs with what is no frame.
func (sc *scene) pickUpBusy(k int64, _ trace.Duration) {
	sc.cause(CauseTruth{Wait: "pick_up", PickUp: "render_busy", NS: sc.period}, k)
	early := share(sc.period, 20)
	sc.at(sc.s.traceTime(sc.s.grid.at(k+1).now).Add(-early), func() {
		sc.post(sc.render, nil, func(a *actor) {
			sc.slice(a, "", "PurgeCacheBetweenFrames", "M0538", early+sc.period+200*trace.Microsecond)
		})
	})
}

// pickUpNoVsync has render_service get no vsync when it should pick the frame up.
func (sc *scene) pickUpNoVsync(k int64, _ trace.Duration) {
	sc.cause(CauseTruth{Wait: "pick_up", PickUp: "no_vsync", NS: sc.period}, k)
	sc.noVsync[k+1] = true
}

// unmarshalling has the transaction arrive when render_service has applied the others.
func (sc *scene) unmarshalling(k int64, _ trace.Duration) {
	sc.cause(CauseTruth{Wait: "pick_up", PickUp: "unmarshalling", NS: sc.period}, k)
	sc.slow[k] = sc.s.traceTime(sc.s.grid.at(k + 1).now).Add(share(sc.period, 40))
}
