package stats

import (
	"fmt"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Stage is a part of a frame's way from its vsync to the display. Stages may
// overlap and need not add up.
type Stage uint8

const (
	// Receive: from when the vsync was due to when the process's thread began to
	// work on it.
	Receive Stage = iota
	// UIWork: the application frame's actual interval.
	UIWork
	// PickUp: from when the last transaction was sent to when the render frame
	// that took it began; zero if that was running already.
	PickUp
	// RenderMain: the render frame's actual interval.
	RenderMain
	// RenderDraw: the render thread's work.
	RenderDraw
	// CommitLayers: the layers' way to the display.
	CommitLayers
	// ToPresent: from the end of the commit to when the display showed the
	// frame; zero if it had shown it before.
	ToPresent
	stagesCount
)

var stageNames = [stagesCount]string{
	"vsync_to_received", "ui_work", "transaction_to_pick_up", "render_main", "render_draw", "commit", "commit_to_present",
}

// String returns the stage's name in JSON, for example "ui_work".
func (s Stage) String() string { return stageNames[s] }

// Label returns the stage's name for people, for example "UI work".
func (s Stage) Label() string { return stageLabels[s] }

var stageLabels = [stagesCount]string{
	"Vsync → received", "UI work", "Transaction → picked up", "Render main", "Render draw", "Commit", "Commit → present",
}

// MarshalText returns the stage's name.
func (s Stage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses a stage's name.
func (s *Stage) UnmarshalText(text []byte) error {
	i := slices.Index(stageNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("stage %q not known", text)
	}
	*s = Stage(i)
	return nil
}

// stagesOfKind are the stages that a process's frames go through: an
// application's through all, with those of the render frame that took them.
var stagesOfKind = map[Kind][]Stage{
	Application:   {Receive, UIWork, PickUp, RenderMain, RenderDraw, CommitLayers, ToPresent},
	RenderService: {Receive, RenderMain, RenderDraw, CommitLayers, ToPresent},
}

const unknownStage trace.Duration = -1

// stagesOf returns how long each stage of a frame took.
func stagesOf(f *analyzer.Frame) (times [stagesCount]trace.Duration) {
	for i := range times {
		times[i] = unknownStage
	}
	// A vsync that is received before it is due tells of a clock offset that was
	// set wrong, not of a time.
	if f.Vsync.Known() && f.Actual.Start >= f.Vsync {
		times[Receive] = since(f.Vsync, f.Actual.Start)
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
			times[PickUp] = max(0, since(f.Transactions[n-1].At, render.Actual.Start))
		}
	}
	if !render.Facts.Has(analyzer.Dropped) {
		times[RenderMain] = render.Actual.Duration()
	}
	if render.Draw.Known() {
		times[RenderDraw] = max(unknownStage, render.Draw.Duration()) // damaged lines may have it end before it begins
	}
	if render.Commit.Known() {
		times[CommitLayers] = max(unknownStage, render.Commit.Duration())
		if render.Present.Known() {
			times[ToPresent] = max(0, since(render.Commit.End, render.Present))
		}
	}
	return times
}

// longestStage returns the longest stage of a frame, the first of equals; nil if
// none is known.
func (s *sample) longestStage() *Stage {
	var longest *Stage
	for i, d := range s.stages {
		if d != unknownStage && (longest == nil || d > s.stages[*longest]) {
			stage := Stage(i)
			longest = &stage
		}
	}
	return longest
}

// StageTimes is how long a stage took in a process's frames.
type StageTimes struct {
	Stage Stage `json:"stage"`
	// Frames counts the frames of which it is known. An application's frames
	// that one render frame took together each have its times.
	Frames int `json:"frames"`
	// The percentiles, by nearest rank, are nil if there are none.
	P50 *trace.Duration `json:"p50_ns"`
	P90 *trace.Duration `json:"p90_ns"`
	Max *trace.Duration `json:"max_ns"`
	// LongestOfLate counts the process's late frames of which it was the longest
	// stage, the first of equals.
	LongestOfLate int `json:"longest_of_late"`
}

func stageTimes(kind Kind, samples []sample) []StageTimes {
	var longest [stagesCount]int
	for i := range samples {
		if s := &samples[i]; s.late() {
			if stage := s.longestStage(); stage != nil {
				longest[*stage]++
			}
		}
	}
	list := make([]StageTimes, 0, stagesCount)
	for _, stage := range stagesOfKind[kind] {
		var times []trace.Duration
		for i := range samples {
			if d := samples[i].stages[stage]; d != unknownStage {
				times = append(times, d)
			}
		}
		t := StageTimes{Stage: stage, Frames: len(times), LongestOfLate: longest[stage]}
		if len(times) > 0 {
			slices.Sort(times)
			p50, p90 := percentile(times, 50), percentile(times, 90)
			t.P50, t.P90, t.Max = &p50, &p90, &times[len(times)-1]
		}
		list = append(list, t)
	}
	return list
}
