package analyzer

import "cmp"

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
// empty without causes.
func (b Blame) String() string { return bitNames(uint32(b), BlameNames[:]) }

// WholeFrame is a frame from the application's vsync to the end of rendering: an
// application frame and the render frame that applied the last of its transactions.
//
// It is late if the render frame is late, or if the application frame was picked up late:
// then the render frame's expected end has already moved to a later vsync. A late
// application frame that was picked up on its vsync does not make a late whole frame,
// because nobody could see it.
//
// On Android SurfaceFlinger's present type decides: Late Present and Dropped are late,
// On-time and Early Present are not. If that is unknown, the frame is late if its actual
// end is after its expected end.
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

// Whole returns the whole frame of an application frame, by rules 7.1 to 7.5, 10.10 and
// 10.11 of docs/frames.md. ok is false if no render frame picked it up, if either frame
// is truncated, or if it is unknown whether it was late.
func (f *Frame) Whole() (w WholeFrame, ok bool) {
	render := f.Render
	switch {
	case f.Kind != ApplicationFrame || f.Facts.Has(Truncated):
		return w, false
	case f.Facts.Has(Dropped):
		return WholeFrame{Expected: f.Expected, Actual: f.Actual, Blame: janksBlame(f.Verdict().Jank) | BlameDropped}, true
	case render == nil || render.Facts.Has(Truncated):
		return w, false
	}
	w.Expected = Interval{Start: f.Expected.Start, End: render.Expected.End}
	w.Actual = Interval{Start: f.Actual.Start, End: render.End()}
	timeline := f.frameTimeline()
	late := render.Late() || pickedUpLate(f)
	if timeline != nil {
		if ok = timeline.Present.Known(); ok {
			late = timeline.Present == PresentLate
		} else {
			late = w.Actual.End > w.Expected.End
		}
	}
	if !ok && !render.Expected.Known() {
		return WholeFrame{}, false
	}
	var reported Blame // by SurfaceFlinger
	if late && timeline != nil {
		// Only some of the application frame's layers can have been dropped.
		reported = cmp.Or(janksBlame(timeline.Jank)&^BlameDropped, janksBlame(render.Verdict().Jank))
	}
	if late {
		w.Blame = cmp.Or(reported, blame(f))
	}
	return w, true
}

// janksBlame returns the causes that jank types name. Types that are not a cause, such as
// Non Animating, are left out.
func janksBlame(janks JankType) Blame {
	var b Blame
	for _, cause := range []struct {
		types JankType
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
		if janks.Has(cause.types) {
			b |= cause.blame
		}
	}
	return b
}
