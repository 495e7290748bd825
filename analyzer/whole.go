package analyzer

import "strings"

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

// BlameNames are the names of the causes in JSON, SQL and Perfetto, by bit.
var BlameNames = [...]string{
	"application", "render_cpu", "render_gpu", "pick_up",
	"display_hal", "buffer_stuffing", "prediction_error", "dropped", "unknown",
}

// Has reports whether any of the given causes is in b.
func (b Blame) Has(causes Blame) bool { return b&causes != 0 }

// String returns the names of the causes, for example "application, pick_up"; it is
// empty if there are none.
func (b Blame) String() string {
	var names []string
	for i, name := range BlameNames {
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
	Expected Interval
	// Actual is from the application frame's actual start to the end of the render
	// frame's work, GPU work included. On Android that is the present time. A
	// dropped frame ends with the application's work.
	Actual Interval
	// Blame is why the whole frame was late; empty if it was not. For a frame of
	// render_service it is the first that applies of: the application was late,
	// render_service was late on its main thread, it was late on the GPU, the
	// application frame was picked up late. On Android it follows the jank type.
	Blame Blame
}

// Late reports whether the whole frame was late.
func (w *WholeFrame) Late() bool { return w.Blame != 0 }

// Whole returns the whole frame, by rules 7.1 to 7.5, 10.10 and 10.11 of
// docs/frames.md, that an application frame belongs to. ok is false
// if no render frame took it, if either frame is truncated, or if it is not known
// whether it was late.
func Whole(app *Frame) (w WholeFrame, ok bool) {
	render := app.Render
	switch {
	case app.Kind != ApplicationFrame || app.Facts.Has(Truncated):
		return w, false
	case app.Facts.Has(Dropped):
		return WholeFrame{Expected: app.Expected, Actual: app.Actual, Blame: janksBlame(app) | BlameDropped}, true
	case render == nil || render.Facts.Has(Truncated):
		return w, false
	}
	w.Expected = Interval{Start: app.Expected.Start, End: render.Expected.End}
	w.Actual = Interval{Start: app.Actual.Start, End: render.End()}
	android := app.Android != nil && app.Android.Timeline != nil
	late := render.Late() || pickedUpLate(app)
	if android {
		switch app.Android.Timeline.Present {
		case PresentLate:
			late, ok = true, true
		case PresentOnTime, PresentEarly:
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
	case android && janksBlame(app)&^BlameDropped != 0:
		w.Blame = janksBlame(app) &^ BlameDropped // only some of its layers were dropped
	case android && janksBlame(render) != 0:
		w.Blame = janksBlame(render)
	case app.Late():
		w.Blame = BlameApplication
	case render.Facts.Has(MainLate):
		w.Blame = BlameRenderCPU
	case render.Facts.Has(GPULate):
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
func janksBlame(f *Frame) Blame {
	var b Blame
	for _, cause := range []struct {
		janks JankType
		blame Blame
	}{
		{JankAppDeadlineMissed | JankAppResyncedJitter, BlameApplication},
		{JankSFCPUDeadlineMissed, BlameRenderCPU},
		{JankSFGPUDeadlineMissed, BlameRenderGPU},
		{JankSFScheduling, BlamePickUp},
		{JankDisplayHAL, BlameDisplayHAL},
		{JankBufferStuffing | JankSFStuffing, BlameBufferStuffing},
		{JankPredictionError, BlamePredictionError},
		{JankDropped, BlameDropped},
		{JankUnknown, BlameUnknown},
	} {
		if f.Verdict().Jank.Has(cause.janks) {
			b |= cause.blame
		}
	}
	return b
}
