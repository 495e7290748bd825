package causetext

import (
	"ohframe/analyzer/why"
)

var advices = [why.AdviceCount]string{
	why.AdviseMarkers:       "add hiTraceMeter markers to your code to see which part of it needs the time",
	why.AdviseHandlers:      "keep onTouch, gesture and onScroll handlers short, and defer their work",
	why.AdviseFrameCallback: "do less in DisplaySync and postFrameCallback callbacks, or lower their rate",
	why.AdviseAnimation:     "animate transform and opacity instead of size, and change fewer nodes inside animateTo",
	why.AdviseState:         "split components, observe single properties (@Observed and @Track, @ObservedV2 and @Trace), set no state in build()",
	why.AdviseCreate:        "reuse components (@Reusable, @ReusableV2), create them lazily (LazyForEach, Repeat with virtualScroll), nest fewer",
	why.AdviseAppear:        "do no synchronous file, database or network access in aboutToAppear, and parse no large JSON there",
	why.AdviseRecycle:       "keep aboutToReuse light: assign only what changed, copy no objects",
	why.AdviseProfile:       "find the slow function with DevEco Profiler, and move computation to TaskPool or Worker",
	why.AdviseCallbacks:     "split long callbacks of the UI thread, or move their work to TaskPool",
	why.AdviseLoad:          "load the page or module before it is needed, and use lazy import",
	why.AdviseLayout:        "lay out fewer nodes: set fixed width and height as boundaries, and nest less",
	why.AdviseList:          "use LazyForEach or Repeat with virtualScroll, cachedCount, and light items that are reused (@Reusable, @ReusableV2)",
	why.AdvisePredict:       "make list items lighter: building them ahead delays the next frame",
	why.AdviseDrawing:       "change the appearance of fewer nodes in one frame: their draw commands are recorded again",
	why.AdviseCanvas:        "draw less in Canvas",
	why.AdviseChanges:       "change fewer nodes in one frame",
	why.AdviseAreaCallbacks: "keep onAreaChange and onVisibleAreaChange callbacks light",
	why.AdviseImage:         "decode images asynchronously and to the size that is shown (desiredSize, autoResize)",
	why.AdviseResource:      "read resources once and before they are needed, and use $r less in loops",
	why.AdviseIPC:           "use the asynchronous variant of the call, or cache its result",
	why.AdviseAllocations:   "allocate fewer objects per frame (closures, spreads, JSON), and reuse objects",
	why.AdviseGCSystem:      "the system should not collect for this reason during a frame: report it to the system",
	why.AdviseGCRequest:     "find out who requested the collection, and do not request one during a frame",
	why.AdviseGCOther:       "allocate less in TaskPool and Worker: collections of shared objects stop all ArkTS threads",
	why.AdviseIO:            "read files before they are needed and off the UI thread: asynchronously, or in TaskPool",
	why.AdviseMemory:        "use less memory: free caches and large images when the system reports memory pressure",
	why.AdviseOwnThread:     "do not wait for other threads on the UI thread, and share fewer locks with them",
	why.AdviseSleep:         "do not sleep or wait with a timeout on the UI thread",
	why.AdviseCPULoad:       "run less in parallel during animations, and give background work a lower QoS",
	why.AdviseOthers:        "another process had the CPU: close other applications, and measure again",
	why.AdviseLog:           "log less: the service that writes the log had the CPU",
	why.AdviseSlowCPU:       "the same work ran on a slower CPU: check temperature, power mode and load",
	why.AdviseInterrupts:    "interrupts needed the CPU: check drivers and load of the device",
	why.AdviseVsync:         "the vsync came late: report it to the system",
	why.AdviseRSAnimations:  "run fewer animations at the same time",
	why.AdviseNodes:         "have fewer nodes on screen, and change fewer of them in one frame",
	why.AdviseRenderThread:  "look at what the render thread was doing: the main thread waits until it can take over the frame",
	why.AdviseBlur:          "blur smaller areas with a smaller radius, keep what is behind them static, and do not animate blur",
	why.AdviseShader:        "avoid effects that appear for the first time in a transition: their shaders are compiled then",
	why.AdviseTexture:       "use smaller images, and PixelMaps in DMA memory for large ones",
	why.AdviseFence:         "reduce GPU work: less overdraw, blur and large surfaces",
	why.AdviseBuffer:        "the queue was full: an earlier late frame or slow consumer fills it; draw fewer frames ahead, or skip one",
	why.AdviseOverdraw:      "draw fewer and simpler nodes, and less overdraw",
	why.AdviseCaches:        "use less memory for images and caches: the system cleaned them up during the frame",
	why.AdviseLayers:        "show fewer surfaces at the same time, and keep their format and size",
	why.AdviseSched:         "record with the tags sched, freq and binder to see what the thread waited for",
	why.AdviseStates:        "record with the tag sched to see whether the thread ran or waited",
	why.AdviseOfThread:      "only other threads have scheduling events: record with the tag sched for all threads",
	why.AdviseLost:          "scheduling events are missing here: record with a larger buffer or fewer tags, and begin earlier",

	why.AdviseTrace:   "add trace markers to the code to see which part of it needs the time",
	why.AdviseProduce: "do less work for each buffer, or begin earlier with it",
	why.AdviseQueue:   "queue one buffer in each interval: a later buffer replaced one that was not shown yet",

	why.AdviseSystemCallbacks: "split long work between frames, or move it to another thread",
	why.AdviseSystemIO:        "read files before the frame, or on another thread",
	why.AdviseSystemMemory:    "find out which processes use the memory: the system had too little of it",
	why.AdviseSystemThread:    "do not wait for other threads during a frame, and share fewer locks with them",
	why.AdviseSystemSleep:     "do not sleep or wait with a timeout during a frame",
	why.AdviseSystemCPU:       "check the priorities of the threads that had the CPU, and the CPUs that they may use",
}

// Advice returns what the reader can do about a cause, in one line without a full stop; ""
// for why.NoAdvice.
func Advice(a why.Advice) string { return advices[a] }
