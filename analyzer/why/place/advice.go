package place

import "strings"

// Advice is what the Reader can do about a cause, in one line.
type Advice uint8

// The advice. docs/why.md lists the causes that each is for.
const (
	NoAdvice Advice = iota
	AdviseMarkers
	AdviseHandlers
	AdviseFrameCallback
	AdviseAnimation
	AdviseState
	AdviseCreate
	AdviseAppear
	AdviseRecycle
	AdviseProfile
	AdviseCallbacks
	AdviseLoad
	AdviseLayout
	AdviseList
	AdvisePredict
	AdviseDrawing
	AdviseCanvas
	AdviseChanges
	AdviseAreaCallbacks
	AdviseImage
	AdviseResource
	AdviseIPC
	AdviseAllocations
	AdviseGCSystem
	AdviseGCRequest
	AdviseGCOther
	AdviseIO
	AdviseMemory
	AdviseOwnThread
	AdviseSleep
	AdviseCPULoad
	AdviseOthers
	AdviseLog
	AdviseSlowCPU
	AdviseInterrupts
	AdviseVsync
	AdviseRSAnimations
	AdviseNodes
	AdviseRenderThread
	AdviseBlur
	AdviseShader
	AdviseTexture
	AdviseFence
	AdviseBuffer
	AdviseOverdraw
	AdviseCaches
	AdviseLayers
	AdviseSched
	AdviseStates
	AdviseOfThread
	AdviseLost
	// Of these, only developers of the system are told.
	AdviseSystemCallbacks
	AdviseSystemIO
	AdviseSystemMemory
	AdviseSystemThread
	AdviseSystemSleep
	AdviseSystemCPU
	adviceEnd // stays last
)

// AdviceCount is the number of pieces of advice, NoAdvice included.
const AdviceCount = int(adviceEnd)

var advices = [AdviceCount]string{
	NoAdvice:            "",
	AdviseMarkers:       "add hiTraceMeter markers to your code to see which part of it needs the time",
	AdviseHandlers:      "keep onTouch, gesture and onScroll handlers short, and defer their work",
	AdviseFrameCallback: "do less in DisplaySync and postFrameCallback callbacks, or lower their rate",
	AdviseAnimation:     "animate transform and opacity instead of size, and change fewer nodes inside animateTo",
	AdviseState:         "split components, observe single properties (@Observed and @Track, @ObservedV2 and @Trace), set no state in build()",
	AdviseCreate:        "reuse components (@Reusable, @ReusableV2), create them lazily (LazyForEach, Repeat with virtualScroll), nest fewer",
	AdviseAppear:        "do no synchronous file, database or network access in aboutToAppear, and parse no large JSON there",
	AdviseRecycle:       "keep aboutToReuse light: assign only what changed, copy no objects",
	AdviseProfile:       "find the slow function with DevEco Profiler, and move computation to TaskPool or Worker",
	AdviseCallbacks:     "split long callbacks of the UI thread, or move their work to TaskPool",
	AdviseLoad:          "load the page or module before it is needed, and use lazy import",
	AdviseLayout:        "lay out fewer nodes: set fixed width and height as boundaries, and nest less",
	AdviseList:          "use LazyForEach or Repeat with virtualScroll, cachedCount, and light items that are reused (@Reusable, @ReusableV2)",
	AdvisePredict:       "make list items lighter: building them ahead delays the next frame",
	AdviseDrawing:       "change the appearance of fewer nodes in one frame: their draw commands are recorded again",
	AdviseCanvas:        "draw less in Canvas",
	AdviseChanges:       "change fewer nodes in one frame",
	AdviseAreaCallbacks: "keep onAreaChange and onVisibleAreaChange callbacks light",
	AdviseImage:         "decode images asynchronously and to the size that is shown (desiredSize, autoResize)",
	AdviseResource:      "read resources once and before they are needed, and use $r less in loops",
	AdviseIPC:           "use the asynchronous variant of the call, or cache its result",
	AdviseAllocations:   "allocate fewer objects per frame (closures, spreads, JSON), and reuse objects",
	AdviseGCSystem:      "the system should not collect for this reason during a frame: report it to the system",
	AdviseGCRequest:     "find out who requested the collection, and do not request one during a frame",
	AdviseGCOther:       "allocate less in TaskPool and Worker: collections of shared objects stop all ArkTS threads",
	AdviseIO:            "read files before they are needed and off the UI thread: asynchronously, or in TaskPool",
	AdviseMemory:        "use less memory: free caches and large images when the system reports memory pressure",
	AdviseOwnThread:     "do not wait for other threads on the UI thread, and share fewer locks with them",
	AdviseSleep:         "do not sleep or wait with a timeout on the UI thread",
	AdviseCPULoad:       "run less in parallel during animations, and give background work a lower QoS",
	AdviseOthers:        "another process had the CPU: close other applications, and measure again",
	AdviseLog:           "log less: the service that writes the log had the CPU",
	AdviseSlowCPU:       "the same work ran on a slower CPU: check temperature, power mode and load",
	AdviseInterrupts:    "interrupts needed the CPU: check drivers and load of the device",
	AdviseVsync:         "the vsync came late: report it to the system",
	AdviseRSAnimations:  "run fewer animations at the same time",
	AdviseNodes:         "have fewer nodes on screen, and change fewer of them in one frame",
	AdviseRenderThread:  "look at what the render thread was doing: the main thread waits until it can take over the frame",
	AdviseBlur:          "blur smaller areas with a smaller radius, keep what is behind them static, and do not animate blur",
	AdviseShader:        "avoid effects that appear for the first time in a transition: their shaders are compiled then",
	AdviseTexture:       "use smaller images, and PixelMaps in DMA memory for large ones",
	AdviseFence:         "reduce GPU work: less overdraw, blur and large surfaces",
	AdviseBuffer:        "earlier frames were not shown in time: look at the GPU and the display",
	AdviseOverdraw:      "draw fewer and simpler nodes, and less overdraw",
	AdviseCaches:        "use less memory for images and caches: the system cleaned them up during the frame",
	AdviseLayers:        "show fewer surfaces at the same time, and keep their format and size",
	AdviseSched:         "record with the tags sched, freq and binder to see what the thread waited for",
	AdviseStates:        "record with the tag sched to see whether the thread ran or waited",
	AdviseOfThread:      "only other threads have scheduling events: record with the tag sched for all threads",
	AdviseLost:          "scheduling events are missing here: record with a larger buffer or fewer tags, and begin earlier",

	AdviseSystemCallbacks: "split long work between frames, or move it to another thread",
	AdviseSystemIO:        "read files before the frame, or on another thread",
	AdviseSystemMemory:    "find out which processes use the memory: the system had too little of it",
	AdviseSystemThread:    "do not wait for other threads during a frame, and share fewer locks with them",
	AdviseSystemSleep:     "do not sleep or wait with a timeout during a frame",
	AdviseSystemCPU:       "check the priorities of the threads that had the CPU, and the CPUs that they may use",
}

// String returns the advice, without a full stop; "" for NoAdvice.
func (a Advice) String() string { return advices[a] }

// Reader is the developer whom advice is for.
type Reader uint8

// The readers: developers of applications, and those of render_service.
const (
	Application Reader = iota
	System
)

// Rival is who had the CPU that a thread waited for.
type Rival uint8

// The rivals.
const (
	NoRival     Rival = iota // nobody, or nobody is known
	OwnThread                // a thread of the same process
	OtherThread              // one of another process
	Logger                   // one that writes the log
)

// IsLogger reports whether a process or a thread with this name writes the system's log.
func IsLogger(name string) bool {
	return strings.HasPrefix(name, "hilogd") || strings.HasPrefix(name, "logd") || strings.HasPrefix(name, "klogd")
}

// Cause is what advice depends on.
type Cause struct {
	Wait Wait
	// Place is where it occurred, completed as by Place.Inside, and Reason that of the
	// garbage collection that it is part of, from GCReason, or "".
	Place  Place
	Reason string
	Reader Reader
	Rival  Rival
	// Scheduled: the trace has scheduling events of the thread. OthersScheduled: of any.
	Scheduled, OthersScheduled bool
}

// Advice returns the advice for the cause.
func (c Cause) Advice() Advice {
	a := c.forApplication()
	if c.Reader == System {
		if other, ok := forSystem[a]; ok {
			return other
		}
	}
	return a
}

func (c Cause) forApplication() Advice {
	p := c.Place
	if p.Class == ClassGC || p.Class == ClassGCWait || c.Wait == WaitGC || c.Wait == GCRun {
		return gcAdvice(p, c.Reason)
	}
	switch c.Wait {
	case WaitVsync:
		return AdviseVsync
	case WaitIRQ:
		return AdviseInterrupts
	case RunSlow:
		return AdviseSlowCPU
	case CPUPreempted, CPUWait:
		switch c.Rival {
		case OtherThread:
			return AdviseOthers
		case Logger:
			return AdviseLog
		}
		return AdviseCPULoad
	case WaitBinder:
		return AdviseIPC
	case WaitFence, GPU:
		return AdviseFence
	case WaitBuffer:
		return AdviseBuffer
	case WaitIO:
		if p.Class == ClassImage || p.Class == ClassResource {
			return p.Advice
		}
		return AdviseIO
	case WaitMem:
		return AdviseMemory
	case WaitRender:
		return AdviseRenderThread
	case WaitOwnThread, WaitOtherProcess:
		if p.Class != ClassWork {
			return p.Advice
		}
		return AdviseOwnThread
	case WaitTimer:
		return AdviseSleep
	case EarlierWork:
		if p.Advice != NoAdvice {
			return p.Advice
		}
		return AdviseCallbacks
	case WaitSleep:
		return AdviseSched
	case WaitUnknown:
		// The class of a slice says what was slow in any case. A stage does not.
		switch {
		case p.Class != ClassWork && p.Advice != NoAdvice:
			return p.Advice
		case c.Scheduled:
			return AdviseLost
		case c.OthersScheduled:
			return AdviseOfThread
		}
		return AdviseStates
	case Run:
		if p.Advice != NoAdvice {
			return p.Advice
		}
		return stageAdvice[p.Stage]
	}
	return NoAdvice
}

// forSystem is what developers of render_service can do instead of what developers of
// applications can: they have no ArkUI, no ArkTS and no UI thread.
var forSystem = map[Advice]Advice{
	AdviseMarkers:       NoAdvice,
	AdviseHandlers:      NoAdvice,
	AdviseFrameCallback: NoAdvice,
	AdviseAnimation:     AdviseRSAnimations,
	AdviseState:         NoAdvice,
	AdviseCreate:        NoAdvice,
	AdviseAppear:        NoAdvice,
	AdviseRecycle:       NoAdvice,
	AdviseProfile:       NoAdvice,
	AdviseCallbacks:     AdviseSystemCallbacks,
	AdviseLoad:          NoAdvice,
	AdviseLayout:        NoAdvice,
	AdviseList:          NoAdvice,
	AdvisePredict:       NoAdvice,
	AdviseDrawing:       NoAdvice,
	AdviseCanvas:        AdviseOverdraw,
	AdviseChanges:       AdviseNodes,
	AdviseAreaCallbacks: NoAdvice,
	AdviseImage:         AdviseTexture,
	AdviseResource:      NoAdvice,
	AdviseAllocations:   NoAdvice,
	AdviseGCSystem:      NoAdvice,
	AdviseGCRequest:     NoAdvice,
	AdviseGCOther:       NoAdvice,
	AdviseIO:            AdviseSystemIO,
	AdviseMemory:        AdviseSystemMemory,
	AdviseOwnThread:     AdviseSystemThread,
	AdviseSleep:         AdviseSystemSleep,
	AdviseCPULoad:       AdviseSystemCPU,
	AdviseOthers:        AdviseSystemCPU,
}

// stageAdvice is for slices that have no advice of their own.
var stageAdvice = [StageCount]Advice{
	Frame:    AdviseMarkers,
	Input:    AdviseHandlers,
	Animate:  AdviseAnimation,
	Build:    AdviseState,
	JS:       AdviseProfile,
	Layout:   AdviseLayout,
	Record:   AdviseDrawing,
	Submit:   AdviseChanges,
	After:    AdviseAreaCallbacks,
	Idle:     AdvisePredict,
	Commands: AdviseNodes,
	Prepare:  AdviseNodes,
	HandOver: AdviseRenderThread,
	Draw:     AdviseOverdraw,
	Composer: AdviseLayers,
}

// gcAdvice returns the advice for a garbage collection.
func gcAdvice(p Place, reason string) Advice {
	switch reason {
	case gcIdle, gcBackground, gcIdleNative:
		return AdviseGCSystem
	case gcExternal, gcJS, gcHint:
		return AdviseGCRequest
	}
	switch {
	case p.Class != ClassGC && p.Class != ClassGCWait:
		return AdviseGCOther
	case p.Advice != NoAdvice:
		return p.Advice
	}
	return AdviseAllocations
}
