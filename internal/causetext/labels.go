package causetext

import (
	"fmt"
	"strings"

	"ohframe/analyzer/why"
)

var waits = [why.WaitCount]string{
	why.WaitUnknown:      "unknown",
	why.EarlierFrame:     "busy with an earlier frame",
	why.EarlierWork:      "busy with other work",
	why.WaitVsync:        "waiting for the vsync",
	why.WaitIRQ:          "interrupts",
	why.Run:              "running",
	why.RunSlow:          "running on a slower CPU",
	why.GCRun:            "collecting garbage",
	why.CPUPreempted:     "preempted",
	why.CPUWait:          "waiting for a CPU",
	why.WaitGC:           "stopped by garbage collection",
	why.WaitBinder:       "waiting for another process's reply",
	why.WaitFence:        "waiting for the GPU or the display",
	why.WaitBuffer:       "waiting for a free buffer",
	why.WaitIO:           "waiting for storage",
	why.WaitMem:          "waiting for memory",
	why.WaitNet:          "waiting for the network",
	why.WaitRender:       "waiting for the render thread",
	why.WaitOwnThread:    "waiting for a thread of the same process",
	why.WaitOtherProcess: "waiting for another process",
	why.WaitTimer:        "sleeping for a time",
	why.WaitKernel:       "waiting in the kernel",
	why.WaitInterrupt:    "waiting for an interrupt",
	why.WaitSleep:        "sleeping",
	why.WaitGPU:          "working on the GPU",
	why.Variation:        "a little slower everywhere",
}

// waitFor says what a blocked thread waited for, for the waits that phrase does not
// spell out.
var waitFor = [why.WaitCount]string{
	why.WaitBinder:       "for the reply of",
	why.WaitFence:        "for the GPU or the display",
	why.WaitBuffer:       "for a free buffer",
	why.WaitIO:           "for storage",
	why.WaitMem:          "for memory",
	why.WaitNet:          "for the network",
	why.WaitRender:       "for the render thread",
	why.WaitOwnThread:    "for its own thread",
	why.WaitOtherProcess: "for",
	why.WaitTimer:        "in a sleep or for a timeout",
	why.WaitKernel:       "in the kernel",
	why.WaitInterrupt:    "for an interrupt",
	why.WaitSleep:        "for something that is not in the trace",
}

// Wait returns a wait's name for people, as docs/why.md lists it.
func Wait(w why.Wait) string { return waits[w] }

// WaitTitle names a wait where it is the cause of a frame.
func WaitTitle(w why.Wait) string {
	if w == why.WaitUnknown {
		return "running or waiting" // the trace does not say which
	}
	return waits[w]
}

var stages = [why.StageCount]string{
	why.NoStage:         "no stage",
	why.StageStart:      "start",
	why.StageFrame:      "frame",
	why.StageInput:      "input",
	why.StageAnimate:    "animation",
	why.StageBuild:      "build",
	why.StageJS:         "ArkTS code",
	why.StageLayout:     "layout",
	why.StageRecord:     "recording of draw commands",
	why.StageSubmit:     "submission",
	why.StageAfter:      "callbacks after layout",
	why.StageIdle:       "predictive work",
	why.StageLifecycle:  "lifecycle event",
	why.StageReceive:    "receipt of the vsync",
	why.StageCommands:   "application of transactions",
	why.StagePrepare:    "preparation",
	why.StageHandOver:   "hand-over to the render thread",
	why.StageDraw:       "drawing",
	why.StageCommitWait: "wait for the commit",
	why.StageComposer:   "commit to the display",
	why.StageDisplay:    "display",
	why.StageProduce:    "production of the buffer",
}

// Stage returns a stage's name for people, as testdata/api/why.md lists it.
func Stage(s why.Stage) string { return stages[s] }

// Cores names processors: "little cores (CPU 0–3)", "smaller cores (CPU 4, 7)". It is empty
// for nil.
func Cores(c *why.Cores) string {
	if c == nil {
		return ""
	}
	kind := "smaller cores"
	if c.Little {
		kind = "little cores"
	}
	first, last := c.CPUs[0], c.CPUs[len(c.CPUs)-1]
	if n := len(c.CPUs); n > 2 && last-first == n-1 {
		return fmt.Sprintf("%s (CPU %d–%d)", kind, first, last)
	}
	return kind + " (CPU " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.CPUs)), ", "), "[]") + ")"
}
