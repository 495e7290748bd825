package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// Cause is why a frame of a [Scene] is late.
type Cause string

// The causes that are named elsewhere; [Causes] lists all.
const (
	CauseNone              Cause = "none"
	CauseMix               Cause = "mix" // one frame of each of the commonest causes
	CauseLittleCore        Cause = "little_core"
	CauseCapped            Cause = "capped_clock" // as slow_clock, by a limit that the trace has, because of heat
	CauseStorageD          Cause = "storage_d"
	CauseGC                Cause = "gc"
	CauseVsyncLate         Cause = "vsync_late"
	CauseRenderBusy        Cause = "render_busy"
	CauseGPULate           Cause = "gpu_late"
	CauseCachedTransaction Cause = "cached_transaction" // put off until the next frame; delays no frame
	CauseDrawWork          Cause = "draw_work"
	CauseLostEvents        Cause = "lost_events" // preempted, with lost kernel events
	// asleep, with both switches lost; the text says that events of the processor were
	CauseLostSwitches Cause = "lost_switches"
	CauseNoSched      Cause = "no_sched" // more work, without any kernel events
)

// CoolingDevice is the kernel's name of what limits CPUs in CauseCapped.
const CoolingDevice = "thermal-cpufreq-1"

var mixedCauses = []Cause{
	CauseStorageD, "more_work", "preempted", "binder", "lock", CauseGC, "previous_frame", "between_frames",
}

// effect is what a cause does.
type effect byte

const (
	late    effect = iota // makes frames late
	shown                 // the display shows frames late that are on time
	nothing               // of this kind; render_service may pick up frames late that are on time
)

// Harmless reports whether no frame misses its deadline because of the cause.
func (c Cause) Harmless() bool { return c.injector().effect > late }

// ShowsLate reports whether the cause makes the display show frames late that are on time.
func (c Cause) ShowsLate() bool { return c.injector().effect == shown }

// causes has all causes, each with what makes the frame on vsync k take d longer.
var causes []injector

type injector struct {
	Cause
	effect
	do func(s *sim, k int64, d trace.Duration)
}

func init() {
	causes = []injector{
		{CauseNone, nothing, func(*sim, int64, trace.Duration) {}},
		{CauseMix, late, func(*sim, int64, trace.Duration) {}},
		{"more_work", late, func(s *sim, k int64, d trace.Duration) { s.moreWork(k, d) }},
		{"slow_clock", late, func(s *sim, k int64, d trace.Duration) {
			f := s.slower(d)
			s.throughout(k, CauseTruth{}, func(_ *actor, begins bool) {
				if begins {
					s.setFrequency(clusters[1].from, clusters[1].to, f)
				} else {
					s.setFrequency(clusters[1].from, clusters[1].to, clusters[1].top)
				}
			})
		}},
		{CauseLittleCore, late, func(s *sim, k int64, d trace.Duration) {
			f := s.slower(d)
			s.after(lead-trace.Millisecond, func() { s.setFrequency(clusters[0].from, clusters[0].to, f) })
			s.throughout(k, CauseTruth{}, func(a *actor, begins bool) {
				if begins {
					a.moveTo(s.cores[littleCPU])
				} else {
					a.moveTo(s.cores[uiCPU])
				}
			})
		}},
		{"preempted", late, func(s *sim, k int64, d trace.Duration) { s.preempt(k, d) }},
		{"no_cpu", late, func(s *sim, k int64, d trace.Duration) {
			// Another thread has the processor when the vsync arrives.
			const early = 300 * trace.Microsecond
			hog := s.like(s.hog)
			s.cause(CauseTruth{Wait: "cpu.wait", Culprit: culprit(hog), Leaf: "run"}, k)
			vsync := s.traceTime(s.grid.at(k).now)
			s.at(vsync.Add(-early), func() {
				s.occupy(hog, early+d)
			})
		}},
		{CauseStorageD, late, func(s *sim, k int64, d trace.Duration) { s.storage(k, d, 'D', reason{1, s.caller("io_schedule")}) }},
		{"storage_s", late, func(s *sim, k int64, d trace.Duration) {
			s.storage(k, d, 'S', reason{0, s.caller("fscache_page_get_and_lock")})
		}},
		{"fence", late, func(s *sim, k int64, d trace.Duration) {
			s.deviceWait(k, d, gpuInterrupt, "fence", 'D', reason{0, s.caller("dma_fence_default_wait")})
		}},
		{"storage_interrupt", late, func(s *sim, k int64, d trace.Duration) {
			s.deviceWait(k, d, storageInterrupt, "io", 'S', reason{})
		}},
		{"gpu_interrupt", late, func(s *sim, k int64, d trace.Duration) {
			s.deviceWait(k, d, gpuInterrupt, "fence", 'S', reason{})
		}},
		{"network_interrupt", late, func(s *sim, k int64, d trace.Duration) {
			s.deviceWait(k, d, networkInterrupt, "net", 'S', reason{})
		}},
		{"timer_interrupt", late, func(s *sim, k int64, d trace.Duration) {
			s.deviceWait(k, d, timerInterrupt, "timer", 'S', reason{})
		}},
		{"binder", late, func(s *sim, k int64, d trace.Duration) {
			service := s.like(s.service)
			slice, argument := s.does(serviceLabel, "source file://media/Photo/12")
			t := CauseTruth{Wait: "binder", Culprit: culprit(service), Leaf: "run", LeafSlice: sliceName(slice), LeafArgument: argument}
			s.within(k, t, func(a *actor) {
				s.call(a, service, func(b *actor) { s.inSlice(b, slice, "M0538", d) })
			})
		}},
		{"binder_chain", late, func(s *sim, k int64, d trace.Duration) {
			const slice = "FileIndex::Scan"
			t := CauseTruth{Wait: "binder", Culprit: culprit(s.service2), Leaf: "run", LeafSlice: slice, LeafArgument: "source /storage/media/100/local/files"}
			s.within(k, t, func(a *actor) {
				s.call(a, s.service, func(b *actor) {
					b.begin(serviceSlice, "M0538")
					b.compute(50 * trace.Microsecond)
					s.call(b, s.service2, func(b2 *actor) { s.inSlice(b2, slice+" /storage/media/100/local/files", "M0538", d) })
					b.compute(50 * trace.Microsecond)
					b.end()
				})
			})
		}},
		{"lock", late, func(s *sim, k int64, d trace.Duration) {
			s.task(k, "run", func(w *actor) { w.compute(d) })
		}},
		{"lock_inversion", late, func(s *sim, k int64, d trace.Duration) {
			// A more important thread has the processor of the worker.
			hog := s.like(s.hog)
			s.task(k, "cpu.preempted", func(w *actor) {
				hog.core = w.core
				s.occupy(hog, d)
				w.compute(50 * trace.Microsecond)
				hog.core = s.cores[uiCPU]
			}).LeafFor = culprit(hog)
		}},
		{"lock_storage", late, func(s *sim, k int64, d trace.Duration) {
			s.task(k, "io", func(w *actor) { s.read(w, d, 'D', reason{1, s.caller("io_schedule")}) })
		}},
		{"other_process", late, func(s *sim, k int64, d trace.Duration) {
			other := s.like(s.other)
			slice, argument := s.does("SensorDataProcesser::Report, code:37", "code 37")
			t := CauseTruth{Wait: "other_process", Culprit: culprit(other), Leaf: "run", LeafSlice: sliceName(slice), LeafArgument: argument}
			s.within(k, t, func(a *actor) {
				s.post(other, a, func(o *actor) {
					s.inSlice(o, slice, "M0538", d)
					s.wake(a, o)
					o.compute(10 * trace.Microsecond)
				})
				a.block('S', reason{})
			})
		}},
		{"timer", late, func(s *sim, k int64, d trace.Duration) {
			wait := "timer"
			if s.noReasons || s.Kernel == KernelLinux { // Linux has no reasons for the state S
				wait = "interrupt"
			}
			s.within(k, CauseTruth{Wait: wait}, func(a *actor) {
				s.after(d, func() { s.wake(a, nil) })
				a.block('S', reason{0, s.caller("hrtimer_nanosleep")})
			})
		}},
		{CauseGC, late, func(s *sim, k int64, d trace.Duration) {
			s.within(k, CauseTruth{Wait: "run.work", Slice: "PartialGC::RunPhases"}, func(a *actor) {
				s.inSlice(a, "PartialGC::RunPhases1;GCReason0;MarkReason0;Sensitive0;IsInBackground0;Startup0", "M0538", d)
			})
		}},
		{"gc_elsewhere", late, func(s *sim, k int64, d trace.Duration) {
			const suspended = "SuspendTime::WaitGCFinished"
			t := s.collection("gc.wait")
			t.Slice = suspended
			s.within(k, t, func(a *actor) {
				a.begin(suspended, "M0538")
				s.collect(a, d)
				a.compute(10 * trace.Microsecond)
				a.end()
			})
		}},
		{"irq_storm", late, func(s *sim, k int64, d trace.Duration) {
			s.within(k, CauseTruth{Wait: "irq"}, func(a *actor) {
				for i := range trace.Duration(rounds) {
					s.after(i*(d/rounds+5*trace.Microsecond)+2*trace.Microsecond, func() {
						s.interruptCore(a.core, 40, "thermal", d/rounds)
					})
				}
				a.compute(rounds * 5 * trace.Microsecond)
			})
		}},
		{CauseVsyncLate, late, func(s *sim, k int64, d trace.Duration) {
			// The vsync is late for render_service too, but its deadline is later.
			s.injected(k).vsyncBy = d
			s.cause(CauseTruth{Wait: "vsync"}, k)
		}},
		{"previous_frame", late, func(s *sim, k int64, d trace.Duration) {
			// The frame before takes so long that this one is late as well.
			s.moreWork(k-1, d*5/3)
			s.cause(CauseTruth{Wait: "earlier_frame", KnockOnOf: firstAppVsync + k - 1}, k)
		}},
		{"on_idle", late, func(s *sim, k int64, d trace.Duration) {
			// The thread works after the frame before until the time is short.
			t := s.cause(CauseTruth{Wait: "earlier_work", Slice: "OnIdle", Leaf: "run"}, k)
			vsync := s.grid.at(k).now
			s.injected(k - 1).atEnd = append(s.injected(k-1).atEnd, func(a *actor) {
				a.begin("OnIdle, targettime:"+strconv.FormatInt(int64(vsync), 10), "I39")
				s.hotly(a, t, func() { a.compute(s.traceTime(vsync).Add(d).Sub(s.now)) })
				a.end()
			})
		}},
		{"between_frames", late, func(s *sim, k int64, d trace.Duration) {
			// JavaScript begins before the vsync.
			t := s.cause(CauseTruth{Wait: "earlier_work", Slice: "ExecuteJS", Leaf: "run"}, k)
			vsync, early := s.traceTime(s.grid.at(k).now), share(s.period(), 40)
			s.at(vsync.Add(-early), func() {
				s.post(s.ui, nil, func(a *actor) {
					a.begin("ExecuteJS", "I39")
					s.hotly(a, t, func() { a.compute(early + d) })
					a.end()
				})
			})
		}},
		{"not_begun", nothing, func(s *sim, k int64, d trace.Duration) {
			// A task lies over vsyncs, and only when it is done does the application ask for the next one.
			n := int64(d/s.period()) + 1
			d = min(d, trace.Duration(n)*s.period()-share(s.period(), 10))
			t := s.cause(CauseTruth{Wait: "earlier_work", Slice: "HandleTask", NotBegun: int(n)}, k+n)
			for i := range n {
				s.injected(k + i).notAsked = true
			}
			early := share(s.period(), 10)
			s.at(s.traceTime(s.grid.at(k).now).Add(-early), func() {
				s.post(s.ui, nil, func(a *actor) {
					a.begin("HandleTask", "I39")
					s.hotly(a, t, func() { a.compute(early + d) })
					a.end()
				})
			})
		}},
		{"buffer", late, func(s *sim, k int64, d trace.Duration) {
			// The UI thread waits until render_service releases a buffer.
			t := CauseTruth{Wait: "buffer", Slice: "RequestBuffer", Argument: "name gallery0, queueId 5, queueSize 3", Culprit: culprit(s.commit)}
			s.within(k, t, func(a *actor) {
				a.begin("RequestBuffer name: gallery0 queueId: 5 queueSize: 3", "M0538")
				s.awaitBuffer(a, d)
				a.end()
			})
		}},
		{CauseRenderBusy, late, func(s *sim, k int64, _ trace.Duration) {
			// The drawing of the frame before takes until this one's deadline is over.
			const slice = "ApplyKawaseBlur"
			t := s.renderCause(CauseTruth{
				Wait: "render", Slice: "PostAndWait",
				Culprit: culprit(s.draw), Leaf: "run", LeafSlice: slice, LeafArgument: "value 12.000000", KnockOnOf: firstRenderVsync + k - 1,
			}, k)
			s.injected(k - 1).inDraw = append(s.injected(k-1).inDraw, func(a *actor) {
				a.begin(slice+" 12.000000", "M0538")
				s.hotly(a, t, func() { a.compute(s.renderOverrun(k).Sub(s.now)) })
				a.end()
			})
		}},
		{CauseGPULate, late, func(s *sim, k int64, _ trace.Duration) {
			// The main thread is on time.
			s.injected(k).gpuUntil = s.renderOverrun(k)
			s.renderCause(CauseTruth{Wait: "gpu"}, k)
		}},
		{"deliberate_delay", nothing, func(s *sim, k int64, _ trace.Duration) {
			// The commit waits, as it does where the panel's rate changes, so long that the
			// display shows the frame at a later refresh.
			delay := share(s.period(), 80) / trace.Millisecond
			s.renderCause(CauseTruth{Slice: "CalculateDelayTime"}, k)
			s.injected(k).inCommit = append(s.injected(k).inCommit, func(c *actor) {
				c.begin(fmt.Sprintf("CalculateDelayTime pipelineOffset: 16637514, delayTime: %d, frameOffset: 22222222", delay), "M0538")
				c.compute(5 * trace.Microsecond)
				c.end()
				s.after(delay*trace.Millisecond, func() { s.wake(c, nil) })
				c.block('S', reason{})
			})
		}},
		{CauseCachedTransaction, nothing, func(s *sim, k int64, _ trace.Duration) {
			s.injected(k).held = true
			s.cause(CauseTruth{Wait: "pick_up", PickUp: "deferred"}, k)
		}},
		{CauseLostEvents, late, func(s *sim, k int64, d trace.Duration) {
			// The switch to the thread that preempts is lost, but not the one back.
			s.injected(k).inFrame = append(s.injected(k).inFrame, func(*actor) {
				s.text.lose(uiCPU, s.now, s.now.Add(share(d, 80)), false)
			})
			t := s.preempt(k, d)
			t.Wait, t.Culprit, t.Leaf = "unknown", "", ""
		}},
		{CauseNoSched, late, func(s *sim, k int64, d trace.Duration) {
			s.noSched = true
			s.moreWork(k, d)
		}},
		{CauseDrawWork, shown, func(s *sim, k int64, d trace.Duration) {
			// The main thread has gone on.
			const slice = "ApplyKawaseBlur"
			t := s.renderCause(CauseTruth{Wait: "run", Stage: "draw", Slice: slice, Argument: "value 12.000000"}, k)
			s.injected(k).inDraw = append(s.injected(k).inDraw, func(a *actor) {
				a.begin(slice+" 12.000000", "M0538")
				s.hotly(a, t, func() { a.compute(d) })
				a.end()
			})
		}},
		{"commit_busy", shown, func(s *sim, k int64, d trace.Duration) {
			// The thread that commits does something else when the frame is drawn.
			const slice = "ClearFrameBuffers"
			t := s.renderCause(CauseTruth{Wait: "run", Stage: "commit_wait", Slice: slice}, k)
			s.injected(k).inDraw = append(s.injected(k).inDraw, func(*actor) {
				s.post(s.commit, nil, func(c *actor) {
					c.begin(slice, "M0538")
					s.hotly(c, t, func() { c.compute(d + share(s.period(), 18)) })
					c.end()
				})
			})
		}},
		{"commit_binder", shown, func(s *sim, k int64, d trace.Duration) {
			// The commit waits for the composer's host.
			t := CauseTruth{Wait: "binder", Stage: "composer", Slice: "Repaint", Culprit: culprit(s.service), Leaf: "run", LeafSlice: serviceSlice, LeafArgument: "source file://media/Photo/12"}
			s.renderCause(t, k)
			s.injected(k).inRepaint = append(s.injected(k).inRepaint, func(c *actor) {
				s.call(c, s.service, func(b *actor) { s.inSlice(b, serviceLabel, "M0538", d) })
			})
		}},
		{"display_late", shown, func(s *sim, k int64, _ trace.Duration) {
			s.injected(k).leftOut = 1
			s.renderCause(CauseTruth{Wait: "fence", Stage: "display"}, k)
		}},
		{"pick_up_busy", nothing, func(s *sim, k int64, _ trace.Duration) {
			// The main thread does for two vsyncs what is no frame.
			s.cause(CauseTruth{Wait: "pick_up", PickUp: "render_busy"}, k)
			early := share(s.period(), 20)
			s.at(s.traceTime(s.grid.at(k+1).now).Add(-early), func() {
				s.post(s.render, nil, func(a *actor) {
					s.inSlice(a, "PurgeCacheBetweenFrames", "M0538", early+s.period()+200*trace.Microsecond)
				})
			})
		}},
		{"pick_up_no_vsync", nothing, func(s *sim, k int64, _ trace.Duration) {
			s.cause(CauseTruth{Wait: "pick_up", PickUp: "no_vsync"}, k)
			s.injected(k + 1).noVsync = true
		}},
		{"unmarshalling", nothing, func(s *sim, k int64, _ trace.Duration) {
			// The transaction arrives when render_service has applied the others.
			s.cause(CauseTruth{Wait: "pick_up", PickUp: "unmarshalling"}, k)
			s.injected(k).slow = s.traceTime(s.grid.at(k + 1).now).Add(share(s.period(), 40))
		}},
		{CauseLostSwitches, late, func(s *sim, k int64, d trace.Duration) {
			// All events of the processor are lost from before the thread falls asleep until
			// after it runs again.
			const before, after = 20 * trace.Microsecond, 100 * trace.Microsecond
			s.within(k, CauseTruth{Wait: "unknown"}, func(a *actor) {
				s.text.lose(uiCPU, s.now, s.now.Add(before+d+after/2), true)
				a.compute(before)
				s.device(timerInterrupt, d, func(by *actor) { s.wake(a, by) })
				a.block('S', reason{0, s.caller("hrtimer_nanosleep")})
				a.compute(after)
			})
		}},
		{CauseCapped, late, func(s *sim, k int64, d trace.Duration) {
			cluster, f := clusters[1], s.slower(d)
			limit := func(kHz, cooling int) {
				core := s.cores[cluster.from]
				s.kernelLine(core, core.running, false, fmt.Sprintf("cdev_update: type=%s target=%d", CoolingDevice, cooling))
				s.kernelLine(core, core.running, false, fmt.Sprintf("cpu_frequency_limits: min=418000 max=%d cpu_id=%d", kHz, cluster.from))
				s.setFrequency(cluster.from, cluster.to, kHz)
			}
			s.throughout(k, CauseTruth{Capped: true}, func(_ *actor, begins bool) {
				if begins {
					limit(f, 3)
				} else {
					limit(cluster.top, 0)
				}
			})
		}},
	}
}

// injector returns the row of a cause, an empty one for a cause that does not exist.
func (c Cause) injector() injector {
	for _, i := range causes {
		if i.Cause == c {
			return i
		}
	}
	return injector{}
}

// Causes lists the names of all causes.
func Causes() (names []string) {
	for _, i := range causes {
		names = append(names, string(i.Cause))
	}
	return names
}

// inject arranges the causes of one to three frames, far enough apart that each finds
// the scene recovered. A usual frame takes less than half the period, so 90 per cent of it
// make the frame late by about 30.
func (s *sim) inject() {
	for n, i := range s.Injections {
		s.injecting, s.injection = i, n
		switch {
		case i.Often == 0:
			s.injected(i.Vsync).target = true
			i.Cause.injector().do(s, i.Vsync, i.Length)
		default:
			for k := range int64(s.scene.Frames) {
				if r := newRandom(s.Seed, 4+uint64(k)<<32); s.injected(k).target || r.below(100) < int64(i.Often) {
					i.Cause.injector().do(s, k, i.Length)
				}
			}
		}
	}
	count := 1 + int64(s.Seed%3)
	switch s.scene.Cause {
	case "", CauseNone:
		return
	case CauseMix:
		count = int64(len(mixedCauses))
	}
	for n := range count {
		k, d := 12+int64(s.Seed%5)+8*n, share(s.period(), 90)
		if k+4 >= int64(s.scene.Frames) {
			break
		}
		s.injected(k).target = true
		if s.injecting = (Injection{Cause: s.scene.Cause}); s.scene.Cause == CauseMix {
			s.injecting.Cause = mixedCauses[n]
		}
		s.injecting.Cause.injector().do(s, k, d)
	}
}

// Injection makes a frame of the first application, or one that render_service makes on the
// same vsync, take longer.
type Injection struct {
	Cause  Cause
	Vsync  int64 // its index
	Length trace.Duration
	// Slice is one in which it happens, if it happens in FlushLayoutTask.
	Slice string
	// Thread is which of several the frame waits for, or loses the processor to: 0 or more.
	Thread int
	// Often makes it usual: it is no cause, but happens on this percentage of all vsyncs, and on all
	// those of the other injections before it.
	Often int
}

// addSpare makes the threads that injections of a scene need besides one of each kind.
func (s *sim) addSpare() {
	s.spare = map[*actor][]*actor{}
	for n := 1; slices.ContainsFunc(s.Injections, func(i Injection) bool { return i.Thread >= n }); n++ {
		id := trace.TID(10 * n)
		own := func(like *actor, pid trace.PID, process, name string, importance int) {
			cpu := uiCPU
			if like != s.hog {
				cpu = s.newCore(clusters[1].top).index
			}
			s.spare[like] = append(s.spare[like], s.add(pid, like.tid+id, process, name, cpu, importance))
		}
		process := "service" + strconv.Itoa(n)
		own(s.worker, s.ui.pid, s.ui.process, [...]string{"DbWriter", "LogUpload", "Decoder"}[n%3]+strings.Repeat("X", n/3), 5)
		own(s.service, 1500+trace.PID(id), process, "OS_IPC_1_"+strconv.Itoa(int(s.service.tid+id)), 5)
		own(s.other, 1700+trace.PID(id), "sensor"+strconv.Itoa(n), "sensor"+strconv.Itoa(n), 5)
		own(s.hog, 1800+trace.PID(id), "daemon"+strconv.Itoa(n), "daemon"+strconv.Itoa(n), 20)
	}
}

// like returns the thread of the injection that is like one of the cast.
func (s *sim) like(a *actor) *actor {
	if n := s.injecting.Thread; n > 0 {
		return s.spare[a][n-1]
	}
	return a
}

// does returns the slice that the thread of the injection is in, and what its label says beside the name.
func (s *sim) does(label, argument string) (string, string) {
	if n := s.injecting.Thread; n > 0 {
		return sliceName(label) + string(rune('A'+n-1)), ""
	}
	return label, argument
}

// period is that of the scene.
func (s *sim) period() trace.Duration { return s.grid.at(0).period }

// cause adds a truth about the application's frame on vsync k.
func (s *sim) cause(t CauseTruth, k int64) *CauseTruth {
	t.Cause, t.Kind, t.TID, t.Injection = s.injecting.Cause, AppFrame, s.ui.tid, s.injection
	t.Vsync = firstAppVsync + k
	if s.injecting.Often == 0 {
		s.truth.Causes = append(s.truth.Causes, &t)
	}
	return &t
}

// within injects into FlushLayoutTask of the frame on vsync k.
func (s *sim) within(k int64, t CauseTruth, do func(a *actor)) *CauseTruth {
	slice := s.injecting.Slice
	t.Slice = cmp.Or(t.Slice, slice, "FlushLayoutTask")
	c := s.cause(t, k)
	s.injected(k).inFrame = append(s.injected(k).inFrame, func(a *actor) {
		if slice != "" {
			a.begin(slice, "I39")
		}
		s.hotly(a, c, func() { do(a) })
		if slice != "" {
			a.end()
		}
	})
	return c
}

// caller is a kernel function as sched_blocked_reason names it.
func (s *sim) caller(function string) string {
	if s.Kernel == KernelHongMeng {
		return function[:min(len(function), 19)] + "+0x48/0x70[sysmgr.elf]"
	}
	return function + "+0x48/0x70"
}

// device interrupts after d, with what its handler does.
func (s *sim) device(interrupt string, d trace.Duration, handle func(by *actor)) {
	s.after(d, func() {
		s.raised = append(s.raised, interrupt)
		s.post(s.irq, nil, func(i *actor) {
			i.compute(4 * trace.Microsecond)
			handle(i)
			i.compute(4 * trace.Microsecond)
			s.raised = s.raised[1:]
		})
	})
}

// occupy has a more important thread use its processor, that of the UI thread if nothing else is said, for d.
func (s *sim) occupy(hog *actor, d trace.Duration) {
	s.post(hog, nil, func(h *actor) { h.compute(d) })
}

func culprit(a *actor) string { return a.process + ":" + a.name }

func (s *sim) moreWork(k int64, d trace.Duration) {
	s.within(k, CauseTruth{Wait: "run.work"}, func(a *actor) { a.compute(d) })
}

// usualWork is about what the frame computes inside OnVsyncEvent.
func (s *sim) usualWork() trace.Duration { return share(s.period(), 35) + 140*trace.Microsecond }

// slower is the frequency at which that takes d longer.
func (s *sim) slower(d trace.Duration) int {
	u := s.usualWork()
	return int(trace.Duration(clusters[1].top)*u/(u+d)) / 1000 * 1000
}

// throughout does something at the begin and the end of the frame on vsync k, which makes it slow.
func (s *sim) throughout(k int64, t CauseTruth, change func(a *actor, begins bool)) {
	t.Wait = "run.slow"
	s.cause(t, k)
	s.injected(k).around = append(s.injected(k).around, change)
}

func (s *sim) preempt(k int64, d trace.Duration) *CauseTruth {
	hog := s.like(s.hog)
	t := CauseTruth{Wait: "cpu.preempted", Culprit: culprit(hog), Leaf: "run"}
	return s.within(k, t, func(a *actor) {
		s.occupy(hog, d)
		a.compute(50 * trace.Microsecond)
	})
}

func (s *sim) storage(k int64, d trace.Duration, letter byte, why reason) {
	s.within(k, CauseTruth{Wait: "io"}, func(a *actor) { s.read(a, d, letter, why) })
}

// read waits for a device to read a block.
func (s *sim) read(a *actor, d trace.Duration, letter byte, why reason) {
	at := strconv.FormatInt(s.block, 10) + " + 72 ["
	s.block += 80
	a.kernel("block_rq_issue: 12,80 RCVHS 36864 () " + at + a.name + "]")
	a.compute(5 * trace.Microsecond)
	s.device(storageInterrupt, d, func(by *actor) {
		by.kernel("block_rq_complete: 12,80 RCVHS () " + at + "0]")
		s.wake(a, by)
	})
	a.block(letter, why)
}

// deviceWait waits for an interrupt of a device.
func (s *sim) deviceWait(k int64, d trace.Duration, interrupt, wait string, letter byte, why reason) {
	if why.caller == "" && s.Kernel == KernelHongMeng {
		wait = "interrupt" // the thread that handles it has no name
	}
	s.within(k, CauseTruth{Wait: wait}, func(a *actor) {
		s.device(interrupt, d, func(by *actor) { s.wake(a, by) })
		a.block(letter, why)
	})
}

// call is a synchronous binder call from a to callee.
func (s *sim) call(a, callee *actor, do func(b *actor)) {
	s.binder += 2
	request, reply := s.binder, s.binder+1
	a.kernel(fmt.Sprintf("binder_transaction: transaction=%d dest_node=12138790 dest_proc=%d dest_thread=0 reply=0 flags=0x10 code=0x37", request, callee.pid))
	s.post(callee, a, func(b *actor) {
		b.kernel(fmt.Sprintf("binder_transaction_received: transaction=%d", request))
		b.compute(5 * trace.Microsecond)
		do(b)
		b.kernel(fmt.Sprintf("binder_transaction: transaction=%d dest_node=0 dest_proc=%d dest_thread=%d reply=1 flags=0x0 code=0x0", reply, a.pid, a.tid))
		s.wake(a, b)
		b.compute(5 * trace.Microsecond)
	})
	a.block('S', reason{})
	a.kernel(fmt.Sprintf("binder_transaction_received: transaction=%d", reply))
}

const (
	serviceSlice = "MediaLibrary::Query"
	serviceLabel = serviceSlice + ", uri: file://media/Photo/12"
)

const (
	workerSlice = "ImageSource::CreatePixelMap"
	workerLabel = workerSlice + " resource://base/media/banner_12.png, sourceSize: [4000, 3000], targetSize: [200, 150]"
	workerImage = "source resource://base/media/banner_12.png, 4000 × 3000 decoded for 200 × 150, 400 times the pixels shown"
)

// task has the UI thread wait for a task of the worker.
func (s *sim) task(k int64, leaf string, do func(w *actor)) *CauseTruth {
	worker := s.like(s.worker)
	slice, argument := s.does(workerLabel, workerImage)
	t := CauseTruth{Wait: "own_thread", Culprit: culprit(worker), Leaf: leaf, LeafSlice: sliceName(slice), LeafArgument: argument}
	return s.within(k, t, func(a *actor) {
		s.post(worker, a, func(w *actor) {
			w.begin(slice, "M0538")
			do(w)
			w.end()
			s.wake(a, w)
			w.compute(10 * trace.Microsecond)
		})
		a.block('S', reason{})
	})
}

const collectionSlice = "SharedGC::RunPhases"

func (s *sim) collection(wait string) CauseTruth {
	return CauseTruth{Wait: wait, Culprit: culprit(s.collector), Leaf: "run", LeafSlice: collectionSlice, Reason: "shared limit"}
}

// collect has a thread wait until another one has collected garbage.
func (s *sim) collect(a *actor, d trace.Duration) {
	s.post(s.collector, a, func(g *actor) {
		g.begin(collectionSlice+";GCReason9;MarkReason0;Sensitive0;IsInBackground0;Startup0", "M0538")
		g.begin("SharedGC::Mark", "M0538")
		g.compute(d)
		g.end()
		g.end()
		s.wake(a, g)
		g.compute(10 * trace.Microsecond)
	})
	a.block('S', reason{})
}

// rounds is the number of interrupts that share the injected time.
const rounds = 24

// usualDecoy is a slice in frames that stay on time, away from those with a cause.
func (s *sim) usualDecoy(a *actor, v vsync) {
	if k := v.index; s.scene.Decoys && k%4 == 1 && !s.injected(k).target && !s.injected(k-1).target && !s.injected(k+1).target {
		s.inSlice(a, "PartialGC::RunPhases", "M0538", share(s.period(), 20))
	}
}

// awaitBuffer waits until render_service releases a buffer.
func (s *sim) awaitBuffer(a *actor, d trace.Duration) {
	s.device(displayInterrupt, d, func(by *actor) {
		s.post(s.commit, by, func(c *actor) {
			s.inSlice(c, "ReleaseBuffer", "M0538", 10*trace.Microsecond)
			s.wake(a, c)
			c.compute(5 * trace.Microsecond)
		})
	})
	a.block('S', reason{})
	a.compute(5 * trace.Microsecond)
}

// renderCause is a cause of render_service's frame on vsync k.
func (s *sim) renderCause(t CauseTruth, k int64) *CauseTruth {
	c := s.cause(t, k)
	c.Kind, c.TID = RenderFrame, s.render.tid
	c.Vsync = firstRenderVsync + k
	return c
}

// renderOverrun is the time at which render_service's frame on vsync k is late by
// three tenths of the period.
func (s *sim) renderOverrun(k int64) trace.Time {
	return s.traceTime(s.grid.at(k).now).Add(2*s.period() - 5*trace.Millisecond + share(s.period(), 30))
}
