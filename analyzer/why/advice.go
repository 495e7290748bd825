package why

// Advice is what the Reader can do about a cause, in one line.
type Advice uint8

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
	// Only developers of applications without ArkUI get these.
	AdviseTrace
	AdviseProduce
	AdviseQueue
	// Only developers of the system get these.
	AdviseSystemCallbacks
	AdviseSystemIO
	AdviseSystemMemory
	AdviseSystemThread
	AdviseSystemSleep
	AdviseSystemCPU
	// Only developers of applications of Android get these.
	AdviseAndroidCreate
	AdviseAndroidLayout
	AdviseAndroidList
	AdviseAndroidImage
	AdviseAndroidResource
	AdviseAndroidAllocations
	AdviseCappedCPU
	AdviseReproduce
	AdviseNetwork
	AdviseInterruptTag
	AdviseSystemNetwork
	AdviseOtherProcess
	AdviseKernel
	AdviseSystemKernel
	AdviseLonger
	adviceEnd // stays last: stored results keep the numbers, so new ones go before it
)

// AdviceCount is the number of pieces of advice, NoAdvice included.
const AdviceCount = int(adviceEnd)

var advices = [AdviceCount]string{
	AdviseMarkers:         "markers",
	AdviseHandlers:        "handlers",
	AdviseFrameCallback:   "frame_callback",
	AdviseAnimation:       "animation",
	AdviseState:           "state",
	AdviseCreate:          "create",
	AdviseAppear:          "appear",
	AdviseRecycle:         "recycle",
	AdviseProfile:         "profile",
	AdviseCallbacks:       "callbacks",
	AdviseLoad:            "load",
	AdviseLayout:          "layout",
	AdviseList:            "list",
	AdvisePredict:         "predict",
	AdviseDrawing:         "drawing",
	AdviseCanvas:          "canvas",
	AdviseChanges:         "changes",
	AdviseAreaCallbacks:   "area_callbacks",
	AdviseImage:           "image",
	AdviseResource:        "resource",
	AdviseIPC:             "ipc",
	AdviseAllocations:     "allocations",
	AdviseGCSystem:        "gc_system",
	AdviseGCRequest:       "gc_request",
	AdviseGCOther:         "gc_other",
	AdviseIO:              "io",
	AdviseMemory:          "memory",
	AdviseOwnThread:       "own_thread",
	AdviseSleep:           "sleep",
	AdviseCPULoad:         "cpu_load",
	AdviseOthers:          "others",
	AdviseLog:             "log",
	AdviseSlowCPU:         "slow_cpu",
	AdviseInterrupts:      "interrupts",
	AdviseVsync:           "vsync",
	AdviseRSAnimations:    "rs_animations",
	AdviseNodes:           "nodes",
	AdviseRenderThread:    "render_thread",
	AdviseBlur:            "blur",
	AdviseShader:          "shader",
	AdviseTexture:         "texture",
	AdviseFence:           "fence",
	AdviseBuffer:          "buffer",
	AdviseOverdraw:        "overdraw",
	AdviseCaches:          "caches",
	AdviseLayers:          "layers",
	AdviseSched:           "sched",
	AdviseStates:          "states",
	AdviseOfThread:        "of_thread",
	AdviseLost:            "lost",
	AdviseTrace:           "trace",
	AdviseProduce:         "produce",
	AdviseQueue:           "queue",
	AdviseSystemCallbacks: "system_callbacks",
	AdviseSystemIO:        "system_io",
	AdviseSystemMemory:    "system_memory",
	AdviseSystemThread:    "system_thread",
	AdviseSystemSleep:     "system_sleep",
	AdviseSystemCPU:       "system_cpu",

	AdviseAndroidCreate:      "android_create",
	AdviseAndroidLayout:      "android_layout",
	AdviseAndroidList:        "android_list",
	AdviseAndroidImage:       "android_image",
	AdviseAndroidResource:    "android_resource",
	AdviseAndroidAllocations: "android_allocations",

	AdviseCappedCPU: "capped_cpu",
	AdviseReproduce: "reproduce",

	AdviseNetwork:       "network",
	AdviseInterruptTag:  "interrupt_tag",
	AdviseSystemNetwork: "system_network",
	AdviseOtherProcess:  "other_process",
	AdviseKernel:        "kernel",
	AdviseSystemKernel:  "system_kernel",
	AdviseLonger:        "longer",
}

// String returns the code of the advice: lower case, words joined by underscores; "" for
// NoAdvice.
func (a Advice) String() string { return advices[a] }
