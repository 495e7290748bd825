package causetext

import (
	"fmt"
	"strings"

	"ohframe/analyzer/why"
	"ohframe/analyzer/why/place"
)

var waits = [place.WaitCount]string{
	place.WaitUnknown:      "unknown",
	place.EarlierFrame:     "busy with an earlier frame",
	place.EarlierWork:      "busy with other work",
	place.WaitVsync:        "waiting for the vsync",
	place.WaitIRQ:          "interrupts",
	place.Run:              "running",
	place.RunSlow:          "running on a slower CPU",
	place.GCRun:            "collecting garbage",
	place.CPUPreempted:     "preempted",
	place.CPUWait:          "waiting for a CPU",
	place.WaitGC:           "stopped by garbage collection",
	place.WaitBinder:       "waiting for another process's reply",
	place.WaitFence:        "waiting for the GPU or the display",
	place.WaitBuffer:       "waiting for a free buffer",
	place.WaitIO:           "waiting for storage",
	place.WaitMem:          "waiting for memory",
	place.WaitRender:       "waiting for the render thread",
	place.WaitOwnThread:    "waiting for a thread of the same process",
	place.WaitOtherProcess: "waiting for another process",
	place.WaitTimer:        "sleeping for a time",
	place.WaitKernel:       "waiting in the kernel",
	place.WaitSleep:        "sleeping",
	place.GPU:              "working on the GPU",
	place.Variation:        "a little slower everywhere",
}

// Wait returns a wait's name for people, as docs/why.md lists it.
func Wait(w place.Wait) string { return waits[w] }

// WaitTitle names a wait where it is the cause of a frame.
func WaitTitle(w place.Wait) string {
	if w == place.WaitUnknown {
		return "running or waiting" // the trace does not say which
	}
	return waits[w]
}

var stages = [place.StageCount]string{
	place.NoStage:    "no stage",
	place.Start:      "start",
	place.Frame:      "frame",
	place.Input:      "input",
	place.Animate:    "animation",
	place.Build:      "build",
	place.JS:         "ArkTS code",
	place.Layout:     "layout",
	place.Record:     "recording of draw commands",
	place.Submit:     "submission",
	place.After:      "callbacks after layout",
	place.Idle:       "predictive work",
	place.Lifecycle:  "lifecycle event",
	place.Receive:    "receipt of the vsync",
	place.Commands:   "application of transactions",
	place.Prepare:    "preparation",
	place.HandOver:   "hand-over to the render thread",
	place.Draw:       "drawing",
	place.CommitWait: "wait for the commit",
	place.Composer:   "commit to the display",
	place.Display:    "display",
}

// Stage returns a stage's name for people, as docs/why.md lists it.
func Stage(s place.Stage) string { return stages[s] }

// Step names a step of a frame on its way to the display.
func Step(s place.Stage) string {
	if s == place.Frame {
		return "main thread"
	}
	return stages[s]
}

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
