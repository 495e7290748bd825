package report

import (
	"fmt"
	"io"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

// interactionRow is a row of CSV, with the names of JSON. Those of the device's figures begin
// with device_, those of the cadence with cadence_.
type interactionRow struct {
	Trace string `json:"trace"` // name of the input
	PID   string `json:"pid"`   // empty if it is unknown
	stats.Interaction
	Cadence          struct{} `json:"-"`
	CadenceEvery     *int     `json:"cadence_every"`
	CadenceRefresh   *int     `json:"cadence_refresh_hz"`
	CadenceShare     *float64 `json:"cadence_share"`
	Device           struct{} `json:"-"`
	DeviceResponse   *float64 `json:"device_response_ms"`
	DeviceCompletion *float64 `json:"device_completion_ms"`
	DeviceHitchRatio *float64 `json:"device_hitch_ms_per_s"`
	DeviceMaxFrame   *float64 `json:"device_max_frame_ms"`
	DeviceFPS        *float64 `json:"device_fps"`
	// Stages are "NAME=DURATION", with the duration in nanoseconds; nothing if it is unknown.
	Stages []string `json:"stages"`
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
	r := interactionRow{Trace: input, PID: pid(i.PID), Interaction: *i}
	if c := i.Cadence; c != nil {
		r.CadenceEvery, r.CadenceRefresh, r.CadenceShare = &c.Every, &c.Refresh, &c.Share
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
