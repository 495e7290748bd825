package timeline

import (
	"ohframe/analyzer"
	"ohframe/analyzer/why"
)

// colour is the correlation id of slices. Perfetto's UI, from v53 on, hashes it to a hue and
// a lightness; without one it hashes the slice's name, without numbers
// (ui/src/components/colorizer.ts). So what a slice shows has one colour, whatever its name
// is. The UI prints the id in the details of a slice: it says what the slice shows, in words
// whose hash is a suitable colour. A test computes the colours.
type colour string

const (
	lateColour         colour = "exceeded its deadline"    // red
	pickedUpLateColour colour = "frame was picked up late" // pink
	misalignedColour   colour = "a frame on another vsync" // amber
	onTimeColour       colour = "before its deadline"      // green
	noDeadlineColour   colour = "deadline was unknown"     // teal
	emptyColour        colour = "was empty"                // pale teal
	expectedColour     colour = "frame should have run"    // teal
	gpuColour          colour = "a frame on the GPU"       // blue
	commitColour       colour = "was committed"            // dark teal
	presentColour      colour = "a frame displayed"        // blue
	hitchColour        colour = "frame gap"                // orange
	reportColour       colour = "summary of the process"   // teal

	interactionColour  colour = "the user's action"           // teal
	missedLimitColour  colour = "above the limit"             // amber
	responseColour     colour = "response to the user"        // blue
	slowResponseColour colour = "a slow response"             // amber
	beforeFrameColour  colour = "waiting for the first frame" // teal
	animationColour    colour = "animation"                   // blue
	hitchesColour      colour = "hitches"                     // amber
	stageColour        colour = "launch stage"                // teal
	highestRateColour  colour = "the display's highest rate"  // teal
	loweredRateColour  colour = "a rate below the highest"    // amber
	hangColour         colour = "hang"                        // dark orange

	drawColour       colour = "drawing on another thread" // dark blue
	layerColour      colour = "summary of a layer"        // blue
	evenColour       colour = "even interval"             // green
	lateBufferColour colour = "missed its cadence"        // red
	earlyColour      colour = "shorter than the cadence"  // amber
	longColour       colour = "whole vsyncs"              // yellow green
	unpacedColour    colour = "a shown buffer"            // teal
	queueColour      colour = "a buffer in the queue"     // blue
	droppedColour    colour = "a buffer dropped"          // purple
	waitingColour    colour = "waiting to be shown"       // dark teal
	requestColour    colour = "asks for a buffer"         // orange
)

// waitColours are those of what a thread did or waited for. Running is green, what is about
// the CPU is yellow or olive, storage, memory and the kernel are orange, other threads are
// purple, the GPU and the display are blue.
var waitColours = [why.WaitCount]colour{
	why.WaitUnknown:      "running or waiting",
	why.EarlierFrame:     "busy with an earlier frame",
	why.EarlierWork:      "busy with other work",
	why.WaitVsync:        "wait for the vsync",
	why.WaitIRQ:          "stopped by interrupts",
	why.Run:              "running on the CPU",
	why.RunSlow:          "running slower",
	why.GCRun:            "collected garbage",
	why.CPUPreempted:     "preempted",
	why.CPUWait:          "waiting for a CPU",
	why.WaitGC:           "stopped by garbage collection",
	why.WaitBinder:       "wait for another process's reply",
	why.WaitFence:        "waited for the GPU or the display",
	why.WaitBuffer:       "wait for buffer",
	why.WaitIO:           "waiting for storage I/O", // not the words of reports: the UI makes the colour from these
	why.WaitMem:          "waiting for free pages",
	why.WaitNet:          "waits for the network",
	why.WaitRender:       "blocked by the render thread",
	why.WaitOwnThread:    "waiting for a thread of the same process",
	why.WaitOtherProcess: "waits for a process",
	why.WaitTimer:        "waiting for a timer",
	why.WaitKernel:       "wait for kernel",
	why.WaitInterrupt:    "wait for interrupt",
	why.WaitSleep:        "asleep",
	why.WaitGPU:          gpuColour,
	why.Variation:        "a little slower everywhere",
}

// frameColour returns the colour of a frame on the tracks Frames.
func frameColour(f *analyzer.Frame) colour {
	switch {
	case f.Late():
		return lateColour
	case f.Facts.Has(analyzer.Misaligned):
		return misalignedColour
	case f.Facts.Has(analyzer.Empty):
		return emptyColour
	case f.Judged():
		return onTimeColour
	}
	return noDeadlineColour
}
