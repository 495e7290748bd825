package stats

import (
	"math/bits"
	"strings"

	"ohframe/analyzer"
)

// Blame is a set of causes for which a whole frame was late. A frame of
// render_service has one cause; SurfaceFlinger may report several.
type Blame uint16

const (
	// BlameApplication: the application frame missed its deadline.
	BlameApplication Blame = 1 << iota
	// BlameRenderCPU: the main thread of render_service missed its deadline.
	BlameRenderCPU
	// BlameRenderGPU: the render frame's GPU work missed its deadline.
	BlameRenderGPU
	// BlamePickUp: both sides were on time, but render_service picked the
	// application frame up on a later vsync than the one it was made for.
	BlamePickUp
	// BlameDisplayHAL: all work was done on time, and the display showed it late.
	BlameDisplayHAL
	// BlameBufferStuffing: the frame waited behind earlier frames.
	BlameBufferStuffing
	// BlamePredictionError: the display's vsyncs drifted from the prediction.
	BlamePredictionError
	// BlameDropped: the frame was never shown.
	BlameDropped
	// BlameUnknown: the trace gives no cause.
	BlameUnknown
)

// blameNames are the names in JSON, SQL and Perfetto, by bit.
var blameNames = [...]string{
	"application", "render_cpu", "render_gpu", "pick_up",
	"display_hal", "buffer_stuffing", "prediction_error", "dropped", "unknown",
}

// Has reports whether any of the given causes is in b.
func (b Blame) Has(causes Blame) bool { return b&causes != 0 }

// String returns the names of the causes, for example "application, pick_up"; it is
// empty if there are none.
func (b Blame) String() string {
	var names []string
	for i, name := range blameNames {
		if b.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// WholeFrame is a frame from the application's vsync to the end of rendering: an
// application frame and the render frame that took the last of its transactions.
//
// It is late if the render frame is late, or if the application frame was picked
// up late: then the render frame's expected end has already moved to a later
// vsync. An application frame that was late but was picked up on its vsync makes no
// late whole frame, because nobody could see it.
//
// On Android SurfaceFlinger's present type decides: Late Present and Dropped are
// late, On-time and Early Present are not. If that is unknown, the frame is late if
// its actual end is after its expected end.
type WholeFrame struct {
	// Expected is from the application frame's expected start to the render
	// frame's expected end. Either is unknown if the frame's own is: a worker
	// thread's frame has no expected start.
	Expected analyzer.Interval
	// Actual is from the application frame's actual start to the end of the render
	// frame's work, GPU work included. On Android that is the present time. A
	// dropped frame ends with the application's work.
	Actual analyzer.Interval
	// Blame is why the whole frame was late; empty if it was not. For a frame of
	// render_service it is the first that applies of: the application was late,
	// render_service was late on its main thread, it was late on the GPU, the
	// application frame was picked up late. On Android it follows the jank type.
	Blame Blame
}

// Late reports whether the whole frame was late.
func (w *WholeFrame) Late() bool { return w.Blame != 0 }

// Whole returns the whole frame that an application frame belongs to. ok is false
// if no render frame took it, if either frame is truncated, or if it is not known
// whether it was late.
func Whole(app *analyzer.Frame) (w WholeFrame, ok bool) {
	render := app.Render
	switch {
	case app.Kind != analyzer.ApplicationFrame || app.Facts.Has(analyzer.Truncated):
		return w, false
	case app.Facts.Has(analyzer.Dropped):
		return WholeFrame{Expected: app.Expected, Actual: app.Actual, Blame: janksBlame(app) | BlameDropped}, true
	case render == nil || render.Facts.Has(analyzer.Truncated):
		return w, false
	}
	w.Expected = analyzer.Interval{Start: app.Expected.Start, End: render.Expected.End}
	w.Actual = analyzer.Interval{Start: app.Actual.Start, End: render.End()}
	android := app.Android != nil && app.Android.Timeline != nil
	late := render.Late() || pickedUpLate(app)
	if android {
		switch app.Android.Timeline.Present {
		case analyzer.PresentLate:
			late, ok = true, true
		case analyzer.PresentOnTime, analyzer.PresentEarly:
			late, ok = false, true
		default:
			late = w.Actual.End > w.Expected.End
		}
	}
	if !ok && !render.Expected.Known() {
		return WholeFrame{}, false
	}
	switch {
	case !late:
	case android && janksBlame(app) != 0:
		w.Blame = janksBlame(app)
	case android && janksBlame(render) != 0:
		w.Blame = janksBlame(render)
	case app.Late():
		w.Blame = BlameApplication
	case render.Facts.Has(analyzer.MainLate):
		w.Blame = BlameRenderCPU
	case render.Facts.Has(analyzer.GPULate):
		w.Blame = BlameRenderGPU
	case pickedUpLate(app):
		w.Blame = BlamePickUp
	default:
		w.Blame = BlameUnknown
	}
	return w, true
}

// janksBlame returns the causes that SurfaceFlinger's jank types name. Types that
// are no cause, such as Non Animating, are left out.
func janksBlame(f *analyzer.Frame) Blame {
	var b Blame
	for _, cause := range []struct {
		janks analyzer.JankType
		blame Blame
	}{
		{analyzer.JankAppDeadlineMissed | analyzer.JankAppResyncedJitter, BlameApplication},
		{analyzer.JankSFCPUDeadlineMissed, BlameRenderCPU},
		{analyzer.JankSFGPUDeadlineMissed, BlameRenderGPU},
		{analyzer.JankSFScheduling, BlamePickUp},
		{analyzer.JankDisplayHAL, BlameDisplayHAL},
		{analyzer.JankBufferStuffing | analyzer.JankSFStuffing, BlameBufferStuffing},
		{analyzer.JankPredictionError, BlamePredictionError},
		{analyzer.JankDropped, BlameDropped},
		{analyzer.JankUnknown, BlameUnknown},
	} {
		if f.Verdict().Jank.Has(cause.janks) {
			b |= cause.blame
		}
	}
	return b
}

// pickedUpLate reports whether a misaligned pick-up was too late. It may also be
// too early or, where actual times decide what is misaligned, be misaligned only
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
	// Judged counts the whole frames of which it is known whether they were late.
	Judged int `json:"judged"`
	Late   int `json:"late"`
	// LateRate is Late / Judged, 0 to 1; nil if Judged is zero.
	LateRate *float64 `json:"late_rate"`
	// Blame counts the late ones by cause. Its parts add up to Late, except that
	// SurfaceFlinger may report several causes for a frame.
	Blame Blames `json:"blame"`
}

// Blames is how many late whole frames each cause has.
type Blames struct {
	Application     int `json:"application"`
	RenderCPU       int `json:"render_cpu"`
	RenderGPU       int `json:"render_gpu"`
	PickUp          int `json:"pick_up"`
	DisplayHAL      int `json:"display_hal"`
	BufferStuffing  int `json:"buffer_stuffing"`
	PredictionError int `json:"prediction_error"`
	Dropped         int `json:"dropped"`
	Unknown         int `json:"unknown"`
}

// counts returns the parts in the order of blameNames.
func (b *Blames) counts() [len(blameNames)]*int {
	return [...]*int{
		&b.Application, &b.RenderCPU, &b.RenderGPU, &b.PickUp,
		&b.DisplayHAL, &b.BufferStuffing, &b.PredictionError, &b.Dropped, &b.Unknown,
	}
}

// Of returns how many frames have the given cause.
func (b *Blames) Of(cause Blame) int { return *b.counts()[bits.TrailingZeros16(uint16(cause))] }

func (w *WholeFrames) add(app *analyzer.Frame) {
	whole, ok := Whole(app)
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
