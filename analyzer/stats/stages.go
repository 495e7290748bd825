package stats

import (
	"fmt"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Stage is a part of a frame's way from its vsync to the display (docs/frames.md 9.11).
// Stages may overlap, and do not add up to the whole.
type Stage uint8

const (
	// Receive: from the vsync time to the start of the thread's work.
	Receive Stage = iota
	// UIWork: the application frame's actual interval.
	UIWork
	// PickUp: from the time at which the last transaction was sent to the start of the
	// render frame that applied it; zero if that had started already.
	PickUp
	// RenderMain: the render frame's actual interval.
	RenderMain
	// RenderDraw: the render thread's work.
	RenderDraw
	// RenderGPU: from the start of the render frame's first GPU work to the end of the last.
	RenderGPU
	// CommitLayers: the commit of the layers to the display.
	CommitLayers
	// ToPresent: from the end of the commit to the present time; unknown if that is
	// earlier or estimated.
	ToPresent
	stagesCount
)

// Stages is the number of stages.
const Stages = int(stagesCount)

var stageNames = [stagesCount]string{
	"vsync_to_received", "ui_work", "transaction_to_pick_up", "render_main", "render_draw", "render_gpu", "commit", "commit_to_present",
}

// String returns the stage's name in JSON, for example "ui_work".
func (s Stage) String() string { return stageNames[s] }

// Label returns the stage's name for people, for example "UI work".
func (s Stage) Label() string { return stageLabels[s] }

var stageLabels = [stagesCount]string{
	"Vsync → received", "UI work", "Transaction → picked up", "Render main", "Render draw", "Render GPU", "Commit", "Commit → present",
}

// MarshalText returns the stage's name.
func (s Stage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses a stage's name.
func (s *Stage) UnmarshalText(text []byte) error {
	i := slices.Index(stageNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown stage %q", text)
	}
	*s = Stage(i)
	return nil
}

// stagesOfKind are the stages of a process's frames. Those of an application include the
// stages of the render frames that picked up its frames.
var stagesOfKind = map[Kind][]Stage{
	Application:   {Receive, UIWork, PickUp, RenderMain, RenderDraw, RenderGPU, CommitLayers, ToPresent},
	RenderService: {Receive, RenderMain, RenderDraw, RenderGPU, CommitLayers, ToPresent},
}

// stagesBeforeDeadline are the stages that end by the deadline of a frame that is on time.
// Only they can make it late.
var stagesBeforeDeadline = map[analyzer.Kind][]Stage{
	analyzer.ApplicationFrame: {Receive, UIWork},
	analyzer.RenderFrame:      {Receive, RenderMain, RenderDraw, RenderGPU},
}

const unknownStage trace.Duration = -1

func stagesOf(f *analyzer.Frame) (times [stagesCount]trace.Duration) {
	for i := range times {
		times[i] = unknownStage
	}
	// A vsync that is received before it is due means that the clock offset is wrong.
	if f.Vsync.Known() && f.Actual.Start >= f.Vsync {
		times[Receive] = f.Actual.Start.Since(f.Vsync)
	}
	render := f
	if f.Kind == analyzer.ApplicationFrame {
		if !f.Facts.Has(analyzer.Dropped) {
			times[UIWork] = f.Actual.Duration()
		}
		if render = f.Render; render == nil || render.Facts.Has(analyzer.Truncated) {
			return times
		}
		if n := len(f.Transactions); n > 0 {
			times[PickUp] = max(0, render.Actual.Start.Since(f.Transactions[n-1].At))
		}
	}
	if !render.Facts.Has(analyzer.Dropped) {
		times[RenderMain] = render.Actual.Duration()
	}
	if render.Draw.Known() {
		times[RenderDraw] = max(unknownStage, render.Draw.Duration()) // in a damaged trace it may end before it begins
	}
	if len(render.GPU) > 0 {
		times[RenderGPU] = render.GPUSpan().Duration()
	}
	if render.Commit.Known() {
		times[CommitLayers] = max(unknownStage, render.Commit.Duration())
		if render.Present >= render.Commit.End && !render.PresentEstimated {
			times[ToPresent] = render.Present.Since(render.Commit.End)
		}
	}
	return times
}

// longestStage returns the longest stage before a frame's deadline, the first of equally
// long ones; nil if all are unknown.
func longestStage(kind analyzer.Kind, times [stagesCount]trace.Duration) *Stage {
	var longest *Stage
	for _, stage := range stagesBeforeDeadline[kind] {
		if d := times[stage]; d != unknownStage && (longest == nil || d > times[*longest]) {
			longest = &stage
		}
	}
	return longest
}

// StageTimes has the durations of a stage of a process's frames.
type StageTimes struct {
	// "vsync_to_received", "ui_work", "transaction_to_pick_up", "render_main", "render_draw",
	// "render_gpu", "commit" or "commit_to_present" (docs/frames.md 9.11)
	Stage         Stage           `json:"stage"`
	Frames        int             `json:"frames"` // frames in which the duration of the stage is known
	P50           *trace.Duration `json:"p50_ns"`
	P90           *trace.Duration `json:"p90_ns"`
	Max           *trace.Duration `json:"max_ns"`
	LongestOfLate int             `json:"longest_of_late"`
}

func stageTimes(kind Kind, frames []*analyzer.Frame) []StageTimes {
	var longest [stagesCount]int
	var known [stagesCount][]trace.Duration
	for _, f := range frames {
		stages := stagesOf(f)
		for stage, d := range stages {
			if d != unknownStage {
				known[stage] = append(known[stage], d)
			}
		}
		if f.Late() {
			if stage := longestStage(f.Kind, stages); stage != nil {
				longest[*stage]++
			}
		}
	}
	list := make([]StageTimes, 0, stagesCount)
	for _, stage := range stagesOfKind[kind] {
		t := StageTimes{Stage: stage, LongestOfLate: longest[stage]}
		if len(known[stage]) > 0 {
			setQuantiles(&t, "", known[stage])
		}
		list = append(list, t)
	}
	return list
}

// DurationOf returns how long a frame took, as in Durations; ok is false for a dropped
// frame.
func DurationOf(f *analyzer.Frame) (d trace.Duration, ok bool) {
	return f.Actual.Duration(), !f.Facts.Has(analyzer.Dropped)
}

// LongestStage returns the stage of a frame in WorstFrame; ok is false if all are unknown.
func LongestStage(f *analyzer.Frame) (s Stage, ok bool) {
	if longest := longestStage(f.Kind, stagesOf(f)); longest != nil {
		return *longest, true
	}
	return 0, false
}
