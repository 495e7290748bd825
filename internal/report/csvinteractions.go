package report

import (
	"fmt"
	"io"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// interactionRow is a row of CSV, with the names of JSON. Those of the device's figures begin
// with device_.
type interactionRow struct {
	Trace            string       `json:"trace"` // name of the input
	ID               int          `json:"id"`
	Kind             string       `json:"kind"`
	Scene            string       `json:"scene"`
	PID              string       `json:"pid"`
	Process          string       `json:"process"`
	Page             *string      `json:"page"`
	Input            *string      `json:"input"`
	InputAt          *trace.Time  `json:"input_ns"`
	Begin            *trace.Time  `json:"begin_ns"`
	End              *trace.Time  `json:"end_ns"`
	FirstShown       *trace.Time  `json:"first_shown_ns"`
	LastShown        *trace.Time  `json:"last_shown_ns"`
	Response         *float64     `json:"response_ms"`
	Completion       *float64     `json:"completion_ms"`
	Estimated        bool         `json:"estimated"`
	Truncated        bool         `json:"truncated"`
	Interrupted      bool         `json:"interrupted"`
	TimedOut         bool         `json:"timed_out"`
	Counted          string       `json:"counted"`
	Frames           *int         `json:"frames"`
	Late             *int         `json:"late"`
	JankRate         *float64     `json:"jank_rate"`
	MissedVsyncs     *int         `json:"missed_vsyncs"`
	LongestMissedRun *int         `json:"longest_missed_run"`
	FPS              *float64     `json:"fps"`
	HitchRatio       *float64     `json:"hitch_ms_per_s"`
	P50              *float64     `json:"p50_ms"`
	P95              *float64     `json:"p95_ms"`
	Grade            *stats.Grade `json:"grade"`
	WorstFrame       *int64       `json:"worst_frame"`
	DeviceResponse   *float64     `json:"device_response_ms"`
	DeviceCompletion *float64     `json:"device_completion_ms"`
	DeviceHitchRatio *float64     `json:"device_hitch_ms_per_s"`
	DeviceMaxFrame   *float64     `json:"device_max_frame_ms"`
	DeviceFPS        *float64     `json:"device_fps"`
	// Stages are "NAME=DURATION", with the duration in nanoseconds; nothing if it is unknown.
	Stages  []string `json:"stages"`
	Reasons []string `json:"reasons"`
}

// writeInteractionsCSV writes a row for each interaction of each input.
func writeInteractionsCSV(w io.Writer, inputs []Input) error {
	return view.Records[interactionRow](func(yield func(interactionRow) bool) {
		for _, in := range inputs {
			for _, i := range in.Stats.Interactions {
				if !yield(newInteractionRow(in.Name, i)) {
					return
				}
			}
		}
	}).WriteCSV(w)
}

func newInteractionRow(input string, i *stats.Interaction) interactionRow {
	r := interactionRow{
		Trace: input, ID: i.ID, Kind: i.Kind, Scene: i.Scene, PID: pid(i.PID), Process: i.Process, Page: i.Page,
		Input: i.Input, InputAt: i.InputAt, Begin: i.Begin, End: i.End, FirstShown: i.FirstShown, LastShown: i.LastShown,
		Response: i.Response, Completion: i.Completion, Estimated: i.Estimated, Truncated: i.Truncated, Interrupted: i.Interrupted, TimedOut: i.TimedOut,
		Counted: i.Counted, Frames: i.Frames, Late: i.Late, JankRate: i.JankRate, MissedVsyncs: i.MissedVsyncs, LongestMissedRun: i.LongestMissedRun,
		FPS: i.FPS, HitchRatio: i.HitchRatio, P50: i.P50, P95: i.P95, Grade: i.Grade, WorstFrame: i.WorstFrame, Reasons: i.Reasons,
	}
	if d := i.Device; d != nil {
		r.DeviceResponse, r.DeviceCompletion, r.DeviceHitchRatio, r.DeviceMaxFrame, r.DeviceFPS = d.ResponseMS, d.CompletionMS, d.HitchRatio, d.MaxFrameMS, d.FPS
	}
	for _, s := range i.Stages {
		duration := ""
		if s.Duration != nil {
			duration = fmt.Sprint(int64(*s.Duration))
		}
		r.Stages = append(r.Stages, text.Printable(s.Name)+"="+duration)
	}
	return r
}
