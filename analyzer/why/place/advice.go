package place

// Advice is what a developer can do about a cause, in one line.
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
	AdviseState:         "rebuild fewer components per state change: split them, use @Observed and @Track, set no state in build()",
	AdviseCreate:        "reuse components with @Reusable, create them lazily with LazyForEach, and nest fewer of them",
	AdviseAppear:        "do no synchronous file, database or network access in aboutToAppear, and parse no large JSON there",
	AdviseRecycle:       "keep aboutToReuse light: assign only what changed, copy no objects",
	AdviseProfile:       "find the slow function with DevEco Profiler, and use TaskPool or Worker for computation",
	AdviseCallbacks:     "split long callbacks on the UI thread, or use TaskPool for them",
	AdviseLoad:          "load the page or module before it is needed, and use lazy import",
	AdviseLayout:        "lay out fewer nodes: set fixed width and height as boundaries, and nest less",
	AdviseList:          "use LazyForEach with cachedCount and @Reusable items, and make the items lighter",
	AdvisePredict:       "make list items lighter: building them ahead delays the next frame",
	AdviseDrawing:       "draw less in Canvas and custom drawing",
	AdviseChanges:       "change fewer nodes in one frame",
	AdviseAreaCallbacks: "keep onAreaChange and onVisibleAreaChange callbacks light",
	AdviseImage:         "decode images asynchronously and to the size that is shown (desiredSize, autoResize)",
	AdviseResource:      "read resources once and before they are needed, and use $r less in loops",
	AdviseIPC:           "use the asynchronous variant of the call, or cache its result",
	AdviseAllocations:   "allocate fewer objects per frame (closures, spreads, JSON), and reuse objects",
	AdviseGCSystem:      "the system should not collect for this reason during a frame: report it to the system",
	AdviseGCRequest:     "find out who requested the collection, and do not request one during a frame",
	AdviseGCOther:       "allocate less in TaskPool and Worker: collections of shared objects stop all ArkTS threads",
	AdviseIO:            "use asynchronous file APIs or TaskPool on the UI thread, and read files before they are needed",
	AdviseMemory:        "use less memory: free caches and large images when the system reports memory pressure",
	AdviseOwnThread:     "do not wait for other threads on the UI thread, and share fewer locks with them",
	AdviseSleep:         "do not sleep or wait with a timeout on the UI thread",
	AdviseCPULoad:       "run less in parallel during animations, and give background work a lower QoS",
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
}

// String returns the advice, without a full stop; "" for NoAdvice.
func (a Advice) String() string { return advices[a] }

// AdviceFor returns the advice for a cause: a wait and the completed place where it
// occurred, see Place.Inside. reason is
// the reason of the garbage collection that p is part of, from GCReason, or "".
func AdviceFor(w Wait, p Place, reason string) Advice {
	if p.Class == ClassGC || p.Class == ClassGCWait || w == WaitGC || w == GCRun {
		return gcAdvice(p, reason)
	}
	switch w {
	case WaitVsync:
		return AdviseVsync
	case WaitIRQ:
		return AdviseInterrupts
	case RunSlow:
		return AdviseSlowCPU
	case CPUPreempted, CPUWait:
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
	case WaitUnknown, Run:
		if p.Advice != NoAdvice {
			return p.Advice
		}
		return stageAdvice[p.Stage]
	}
	return NoAdvice
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
