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
	AdviseSystemCallbacks: "system_callbacks",
	AdviseSystemIO:        "system_io",
	AdviseSystemMemory:    "system_memory",
	AdviseSystemThread:    "system_thread",
	AdviseSystemSleep:     "system_sleep",
	AdviseSystemCPU:       "system_cpu",
}

// String returns the code of the advice: lower case, words joined by underscores; "" for
// NoAdvice.
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
