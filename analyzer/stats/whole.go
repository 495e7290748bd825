package stats

import "ohframe/analyzer"

// Blame is the part of a late whole frame that it was late by.
type Blame uint8

const (
	// NotLate says that the whole frame was in time.
	NotLate Blame = iota
	// BlameApplication: the application frame missed its deadline.
	BlameApplication
	// BlameRenderCPU: render_service's main thread missed its deadline.
	BlameRenderCPU
	// BlameRenderGPU: the render frame's GPU work missed its deadline.
	BlameRenderGPU
	// BlamePickUp: both were in time for themselves, but render_service took the
	// application frame on a later vsync than the one it was made for.
	BlamePickUp
)

// WholeFrame is a picture's way from the application's vsync to the end of
// rendering: an application frame and the render frame that took the last of
// its transactions.
//
// It is late if its actual end is after its expected end, which is to say that
// the render frame is late, or if it was picked up late: then its expected end,
// which is the render frame's, has moved to a later vsync already. An
// application frame that was late but was picked up on its vsync makes no late
// whole frame, since nobody could see it.
type WholeFrame struct {
	// Expected is from the application frame's expected start to the render
	// frame's expected end. The start is not known if the application frame is a
	// worker thread's.
	Expected analyzer.Interval
	// Actual is from the application frame's actual start to the end of the
	// render frame's work, that on the GPU included.
	Actual analyzer.Interval
	// Blame is given to one part, the first in this order that holds: the
	// application was late, render_service was late on its main thread, it was
	// late on the GPU; if none was, the pick-up was.
	Blame Blame
}

// Late reports whether the whole frame was late.
func (w *WholeFrame) Late() bool { return w.Blame != NotLate }

// Whole returns the whole frame that an application frame belongs to. There is
// none if no render frame took it, if either frame is truncated, or if it is
// not known when the render frame should have ended.
func Whole(app *analyzer.Frame) (w WholeFrame, ok bool) {
	render := app.Render
	if render == nil || (app.Facts | render.Facts).Has(analyzer.Truncated) || !render.Expected.Known() {
		return w, false
	}
	w.Expected = analyzer.Interval{Start: app.Expected.Start, End: render.Expected.End}
	w.Actual = analyzer.Interval{Start: app.Actual.Start, End: render.End()}
	switch late := render.Late() || pickedUpLate(app); {
	case !late:
	case app.Late():
		w.Blame = BlameApplication
	case render.Facts.Has(analyzer.MainLate):
		w.Blame = BlameRenderCPU
	case render.Facts.Has(analyzer.GPULate):
		w.Blame = BlameRenderGPU
	default:
		w.Blame = BlamePickUp
	}
	return w, true
}

// pickedUpLate reports whether a misaligned pick-up was too late. It may also be
// too early, or, where actual times decide what is misaligned, be so only
// because the application was early.
func pickedUpLate(app *analyzer.Frame) bool {
	if !app.Facts.Has(analyzer.Misaligned) {
		return false
	}
	if app.Expected.Known() {
		return app.Render.Expected.Start > app.Expected.End
	}
	return app.Render.Actual.Start > app.Actual.End
}

// WholeFrames counts whole frames: an application's own, or all those that a
// render service finished.
type WholeFrames struct {
	// Judged counts the whole frames of which it is known when they should have
	// ended.
	Judged int `json:"judged"`
	Late   int `json:"late"`
	// LateRate is Late / Judged, 0 to 1; nil if there are none.
	LateRate *float64 `json:"late_rate"`
	// Blame divides the late ones; its parts add up to Late.
	Blame Blames `json:"blame"`
}

// Blames is how many late whole frames each part is to blame for.
type Blames struct {
	Application int `json:"application"`
	RenderCPU   int `json:"render_cpu"`
	RenderGPU   int `json:"render_gpu"`
	PickUp      int `json:"pick_up"`
}

func (w *WholeFrames) add(app *analyzer.Frame) {
	whole, ok := Whole(app)
	if !ok {
		return
	}
	w.Judged++
	if whole.Late() {
		w.Late++
	}
	switch whole.Blame {
	case BlameApplication:
		w.Blame.Application++
	case BlameRenderCPU:
		w.Blame.RenderCPU++
	case BlameRenderGPU:
		w.Blame.RenderGPU++
	case BlamePickUp:
		w.Blame.PickUp++
	}
}

func (w *WholeFrames) merge(o *WholeFrames) {
	w.Judged += o.Judged
	w.Late += o.Late
	w.Blame.Application += o.Blame.Application
	w.Blame.RenderCPU += o.Blame.RenderCPU
	w.Blame.RenderGPU += o.Blame.RenderGPU
	w.Blame.PickUp += o.Blame.PickUp
}
