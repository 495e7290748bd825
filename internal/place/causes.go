package place

import (
	"strings"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// Reader is the developer who reads the advice.
type Reader uint8

// The readers: developers of applications with ArkUI, those of render_service or SurfaceFlinger,
// those of applications that draw with something else or queue buffers, and those of applications
// of Android.
const (
	Application Reader = iota
	System
	Producer
	Android
)

// Competitor is who had the CPU that a thread waited for.
type Competitor uint8

// The competitors.
const (
	NoCompetitor Competitor = iota // nobody, or nobody is known
	OwnThread                      // a thread of the same process
	OtherThread                    // one of another process
	Logger                         // one that writes the log
)

// isLogger reports whether a process or a thread with this name writes the system's log.
func isLogger(name string) bool {
	return strings.HasPrefix(name, "hilogd") || strings.HasPrefix(name, "logd") || strings.HasPrefix(name, "klogd")
}

// IsVsync reports whether a thread with this name passes on vsyncs: VSyncGenerator of render_service,
// OS_VSyncThread or VSync-webview of an application.
func IsVsync(name string) bool {
	return strings.HasPrefix(name, "VSync") || strings.HasPrefix(name, "OS_VSync")
}

// Cause is what advice depends on.
type Cause struct {
	Wait why.Wait
	// Place is where it occurred, completed as by Place.Inside, and GCReason that of the
	// garbage collection that it is part of, from GCReason, or "".
	Place      Place
	GCReason   string
	Reader     Reader
	Competitor Competitor
	// Capped: the system limited the frequency of the CPU, which made it slower.
	Capped bool
	// Scheduled: the trace has scheduling events of the thread. OthersScheduled: of any.
	Scheduled, OthersScheduled bool
	// Own: the trace is an application's own one, which cannot have such events.
	Own bool
	// Cut: the trace or the window ends before the wait does.
	Cut bool
	// Interrupt is the one that ended the wait; empty if it is unknown.
	Interrupt string
}

// WaitedFor adds the thread that was waited for by a thread of a process; nil is unknown.
func (c *Cause) WaitedFor(by *why.Culprit, process trace.PID) {
	switch {
	case by == nil:
	case CollectsGarbage(by.Wait, by.Slice) && (c.Wait == why.WaitOwnThread || c.Wait == why.WaitGC):
		c.Wait = why.WaitGC
	case by.Wait == why.WaitBuffer && c.Wait == why.WaitBinder:
		c.Wait = why.WaitBuffer // the queue of buffers is in another process
	case c.Wait == why.WaitBinder && (by.Slice == "" || Lookup([]byte(by.Slice)).Class == ClassBuffer) && by.For != nil && (by.Wait == why.CPUPreempted || by.Wait == why.CPUWait):
		// The call had not begun, or the framework made it: the reader can only change who has the CPU.
		c.Wait, c.Competitor = by.Wait, competitor(by.For.Process, by.For.Thread, by.For.PID == process)
	default:
		c.Competitor = competitor(by.Process, by.Thread, by.PID == process)
	}
}

func competitor(process, thread string, own bool) Competitor {
	switch {
	case isLogger(process) || isLogger(thread):
		return Logger
	case own:
		return OwnThread
	}
	return OtherThread
}

// Advice returns the advice for the cause.
func (c Cause) Advice() why.Advice {
	a := c.forApplication()
	if c.Reader == Android {
		if other, ok := forAndroid[a]; ok {
			return other
		}
	}
	if c.Reader == Producer || c.Reader == Android {
		if other, ok := forProducer[a]; ok {
			return other
		}
	}
	if c.Reader != Application {
		if other, ok := forSystem[a]; ok {
			return other
		}
	}
	return a
}

// forProducer is what developers of applications without ArkUI can do where those of
// render_service have other advice.
var forProducer = map[why.Advice]why.Advice{
	why.AdviseMarkers: why.AdviseTrace,
	why.AdviseMemory:  why.AdviseMemory,
	why.AdviseOthers:  why.AdviseOthers,
	why.AdviseDrawing: why.AdviseOverdraw,
	why.AdviseCanvas:  why.AdviseOverdraw,
}

// forAndroid is what developers of applications of Android can do where those of ArkUI have other
// advice.
var forAndroid = map[why.Advice]why.Advice{
	why.AdviseState:       why.AdviseAndroidCreate,
	why.AdviseCreate:      why.AdviseAndroidCreate,
	why.AdviseLayout:      why.AdviseAndroidLayout,
	why.AdviseList:        why.AdviseAndroidList,
	why.AdvisePredict:     why.AdviseAndroidList,
	why.AdviseImage:       why.AdviseAndroidImage,
	why.AdviseTexture:     why.AdviseAndroidImage,
	why.AdviseResource:    why.AdviseAndroidResource,
	why.AdviseAllocations: why.AdviseAndroidAllocations,
	why.AdviseGCOther:     why.AdviseAndroidAllocations,
}

func (c Cause) forApplication() why.Advice {
	p := c.Place
	if p.Class == ClassGC || p.Class == ClassGCWait || c.Wait == why.WaitGC || c.Wait == why.GCRun {
		return gcAdvice(p, c.GCReason)
	}
	switch c.Wait {
	case why.WaitVsync:
		return why.AdviseVsync
	case why.WaitIRQ:
		return why.AdviseInterrupts
	case why.RunSlow:
		if c.Capped {
			return why.AdviseCappedCPU
		}
		return why.AdviseSlowCPU
	case why.CPUPreempted, why.CPUWait:
		switch c.Competitor {
		case OtherThread:
			return why.AdviseOthers
		case Logger:
			return why.AdviseLog
		}
		return why.AdviseCPULoad
	case why.WaitBinder:
		return why.AdviseIPC
	case why.WaitFence, why.WaitGPU:
		return why.AdviseFence
	case why.WaitBuffer:
		return why.AdviseBuffer
	case why.WaitIO:
		if p.Class == ClassImage || p.Class == ClassResource {
			return p.Advice
		}
		return why.AdviseIO
	case why.WaitMem:
		return why.AdviseMemory
	case why.WaitNet:
		return why.AdviseNetwork
	case why.WaitInterrupt:
		if c.Interrupt == "" {
			return why.AdviseInterruptTag
		}
	case why.WaitRender:
		return why.AdviseRenderThread
	case why.WaitOwnThread, why.WaitOtherProcess:
		if p.Class != ClassWork {
			return p.Advice
		}
		if c.Wait == why.WaitOtherProcess {
			return why.AdviseOtherProcess
		}
		return why.AdviseOwnThread
	case why.WaitTimer:
		return why.AdviseSleep
	case why.EarlierWork:
		if p.Advice != why.NoAdvice {
			return p.Advice
		}
		return why.AdviseCallbacks
	case why.WaitKernel:
		return why.AdviseKernel
	case why.WaitSleep:
		if c.Cut {
			return why.AdviseLonger
		}
		return why.AdviseSched
	case why.WaitUnknown:
		// The class of a slice says what was slow in any case. A stage does not.
		switch {
		case p.Class != ClassWork && p.Advice != why.NoAdvice:
			return p.Advice
		case c.Own:
			return why.AdviseReproduce
		case c.Scheduled:
			return why.AdviseLost
		case c.OthersScheduled:
			return why.AdviseOfThread
		}
		return why.AdviseStates
	case why.Run:
		if p.Advice != why.NoAdvice {
			return p.Advice
		}
		return stageAdvice[p.Stage]
	}
	return why.NoAdvice
}

// forSystem is what developers of render_service can do instead of what developers of
// applications can: they have no ArkUI, no ArkTS and no UI thread.
var forSystem = map[why.Advice]why.Advice{
	why.AdviseMarkers:       why.NoAdvice,
	why.AdviseHandlers:      why.NoAdvice,
	why.AdviseFrameCallback: why.NoAdvice,
	why.AdviseAnimation:     why.AdviseRSAnimations,
	why.AdviseState:         why.NoAdvice,
	why.AdviseCreate:        why.NoAdvice,
	why.AdviseAppear:        why.NoAdvice,
	why.AdviseRecycle:       why.NoAdvice,
	why.AdviseProfile:       why.NoAdvice,
	why.AdviseCallbacks:     why.AdviseSystemCallbacks,
	why.AdviseLoad:          why.NoAdvice,
	why.AdviseLayout:        why.NoAdvice,
	why.AdviseList:          why.NoAdvice,
	why.AdvisePredict:       why.NoAdvice,
	why.AdviseDrawing:       why.NoAdvice,
	why.AdviseCanvas:        why.AdviseOverdraw,
	why.AdviseChanges:       why.AdviseNodes,
	why.AdviseAreaCallbacks: why.NoAdvice,
	why.AdviseImage:         why.AdviseTexture,
	why.AdviseResource:      why.NoAdvice,
	why.AdviseAllocations:   why.NoAdvice,
	why.AdviseGCSystem:      why.NoAdvice,
	why.AdviseGCRequest:     why.NoAdvice,
	why.AdviseGCOther:       why.NoAdvice,
	why.AdviseIO:            why.AdviseSystemIO,
	why.AdviseMemory:        why.AdviseSystemMemory,
	why.AdviseNetwork:       why.AdviseSystemNetwork,
	why.AdviseKernel:        why.AdviseSystemKernel,
	why.AdviseOwnThread:     why.AdviseSystemThread,
	why.AdviseSleep:         why.AdviseSystemSleep,
	why.AdviseCPULoad:       why.AdviseSystemCPU,
	why.AdviseOthers:        why.AdviseSystemCPU,
}

// stageAdvice is for slices that have no advice of their own.
var stageAdvice = [why.StageCount]why.Advice{
	why.StageFrame:    why.AdviseMarkers,
	why.StageInput:    why.AdviseHandlers,
	why.StageAnimate:  why.AdviseAnimation,
	why.StageBuild:    why.AdviseState,
	why.StageJS:       why.AdviseProfile,
	why.StageLayout:   why.AdviseLayout,
	why.StageRecord:   why.AdviseDrawing,
	why.StageSubmit:   why.AdviseChanges,
	why.StageAfter:    why.AdviseAreaCallbacks,
	why.StageIdle:     why.AdvisePredict,
	why.StageCommands: why.AdviseNodes,
	why.StagePrepare:  why.AdviseNodes,
	why.StageHandOver: why.AdviseRenderThread,
	why.StageDraw:     why.AdviseOverdraw,
	why.StageComposer: why.AdviseLayers,
	why.StageProduce:  why.AdviseProduce,
}

// gcAdvice returns the advice for a garbage collection.
func gcAdvice(p Place, reason string) why.Advice {
	switch reason {
	case gcIdle, gcBackground, gcIdleNative:
		return why.AdviseGCSystem
	case gcExternal, gcJS, gcHint:
		return why.AdviseGCRequest
	}
	switch {
	case p.Class != ClassGC && p.Class != ClassGCWait:
		return why.AdviseGCOther
	case p.Advice != why.NoAdvice:
		return p.Advice
	}
	return why.AdviseAllocations
}
