package stats

import (
	"math/bits"

	"ohframe/analyzer"
)

// WholeFrames counts whole frames: an application's own, or all those that a
// render service finished.
type WholeFrames struct {
	Judged   int      `json:"judged" sum:"whole_frames"`
	Late     int      `json:"late" sum:"late_whole_frames"`
	LateRate *float64 `json:"late_rate"`
	// late ones by cause; the parts add up to "late", except that SurfaceFlinger may report several
	// causes for a frame
	Blame Blames `json:"blame"`
}

// Blames counts late whole frames by cause.
type Blames struct {
	Application     int `json:"application" sum:"blame_application"`
	RenderCPU       int `json:"render_cpu" sum:"blame_render_cpu"`
	RenderGPU       int `json:"render_gpu" sum:"blame_render_gpu"`
	PickUp          int `json:"pick_up" sum:"blame_pick_up"`
	DisplayHAL      int `json:"display_hal" sum:"blame_display_hal"`
	BufferStuffing  int `json:"buffer_stuffing" sum:"blame_buffer_stuffing"`
	PredictionError int `json:"prediction_error" sum:"blame_prediction_error"`
	Dropped         int `json:"dropped" sum:"blame_dropped"`
	Unknown         int `json:"unknown" sum:"blame_unknown"`
}

// counts returns the counts in the order of analyzer.BlameNames.
func (b *Blames) counts() [len(analyzer.BlameNames)]*int {
	return [...]*int{
		&b.Application, &b.RenderCPU, &b.RenderGPU, &b.PickUp,
		&b.DisplayHAL, &b.BufferStuffing, &b.PredictionError, &b.Dropped, &b.Unknown,
	}
}

// Of returns the number of frames with the given cause.
func (b *Blames) Of(cause analyzer.Blame) int {
	return *b.counts()[bits.TrailingZeros16(uint16(cause))]
}

func (w *WholeFrames) add(app *analyzer.Frame) {
	whole, ok := app.Whole()
	if !ok {
		return
	}
	w.Judged++
	if whole.Late() {
		w.Late++
	}
	for i, n := range w.Blame.counts() {
		if whole.Blame.Has(1 << i) {
			*n++
		}
	}
}
