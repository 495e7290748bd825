package analyzer

import (
	"cmp"

	"ohframe/analyzer/trace"
	"ohframe/internal/refresh"
)

// The rules of docs/frames.md that follow from the facts of frames, each in one place. They
// are functions of one frame. Those that decide facts are in
// analyzer/internal/reconstruct/rules.go.

// Judge sets MainLate and GPULate, by rule 3.2 of docs/frames.md: ending at the deadline is on
// time, and without a known deadline nothing is late.
func (f *Frame) Judge() {
	if !f.Deadline.Known() {
		return
	}
	if f.threadEnd() > f.Deadline {
		f.Facts |= MainLate
	}
	if f.GPUSpan().End > f.Deadline {
		f.Facts |= GPULate
	}
}

// lateness reports whether the frame was late: as SurfaceFlinger judged it, by its deadline, or by
// the pace of its buffer. Frames that were dropped or that the trace truncates are not judged.
func (f *Frame) lateness() Answer {
	t := f.frameTimeline()
	switch {
	case f.Facts.Has(MainLate | GPULate):
		return Yes
	case f.Facts.Has(Dropped | Truncated):
		return NotSaid
	case t == nil && (f.Deadline.Known() || f.Pace != Unpaced):
		return No
	case t == nil:
		return NotSaid
	case t.OnTimeFinish == Yes || t.OnTimeFinish == NotSaid && t.Jank != 0:
		return No
	case f.Kind == ApplicationFrame && f.Deadline.Known():
		// An interval of SurfaceFlinger's own ends when the frame is shown, not when the
		// work is done.
		return No
	}
	return NotSaid
}

// pickedUpLate reports whether a misaligned application frame was picked up too late
// (7.4). It may also be picked up too early.
func pickedUpLate(app *Frame) bool {
	if !app.Facts.Has(Misaligned) || app.Render == nil {
		return false
	}
	if app.Expected.Known() {
		return app.Render.Expected.Start > app.Expected.End
	}
	return app.Render.Actual.Start > app.Actual.End
}

// blame returns the cause of a late whole frame from the facts of its frames: the first
// that applies (7.5).
func blame(app *Frame) Blame {
	switch render := app.Render; {
	case app.Late():
		return BlameApplication
	case render.Facts.Has(MainLate):
		return BlameRenderCPU
	case render.Facts.Has(GPULate):
		return BlameRenderGPU
	case pickedUpLate(app):
		return BlamePickUp
	}
	return BlameUnknown
}

// PickUpDelay returns by how many vsyncs render_service picked an application frame up
// later than planned (7.4); 0 if it did not, or if that is unknown.
func (f *Frame) PickUpDelay() int {
	if !pickedUpLate(f) || !f.Expected.End.Known() || !f.Render.Expected.Known() {
		return 0
	}
	delay, period := f.Render.Expected.Start.Sub(f.Expected.End), cmp.Or(f.Render.Period, f.Period)
	if period <= 0 {
		return 1
	}
	return max(1, int((delay+period/2)/period))
}

// expectedPresent returns when the display should show a render frame: at the end of the
// vsync period in which it is expected to end (14.3). It is unknown without an expected
// interval or a refresh period.
func (f *Frame) expectedPresent() trace.Time {
	if f.Kind != RenderFrame || !f.Expected.Known() || f.Period <= 0 {
		return 0
	}
	if refresh.SpansTwo(f.Period, f.Expected.Duration()) {
		return f.Expected.End.Add(refresh.Lead)
	}
	return f.Expected.End
}

// presentThreshold is by how much a present may differ from the expected one and still be
// on time (14.3). Source: AOSP, SurfaceFlinger's JankClassificationThresholds.
const presentThreshold = 2 * trace.Millisecond

// PresentDelay returns by how much later than expected the display showed a render frame,
// or the one that applied an application frame; negative if earlier. ok is false if
// either time is unknown.
func (f *Frame) PresentDelay() (delay trace.Duration, ok bool) {
	render := f
	if f.Kind == ApplicationFrame {
		render = f.Render
	}
	if render == nil || !render.Present.Known() || !render.expectedPresent().Known() {
		return 0, false
	}
	return render.Present.Sub(render.expectedPresent()), true
}

// presentType returns the present type that agrees with the present delay (14.3).
func presentType(f *Frame) PresentType {
	delay, ok := f.PresentDelay()
	switch {
	case !ok:
		return PresentUnknown
	case delay > presentThreshold:
		return PresentLate
	case delay < -presentThreshold:
		return PresentEarly
	}
	return PresentOnTime
}
