package analyzer

import (
	"cmp"

	"ohframe/analyzer/trace"
)

// The rules of docs/frames.md that decide facts of frames, each in one place. They are
// pure functions of their arguments.

// isLate reports whether work that ended at end missed its deadline (3.2). Ending at
// the deadline is on time; without a known deadline nothing is late.
func isLate(end, deadline trace.Time) bool { return deadline.Known() && end > deadline }

// isEmpty reports whether an application frame sent no transaction, or a render frame
// processed no commands (3.4).
func isEmpty(f *Frame, processed bool) bool {
	if f.Kind == RenderFrame {
		return !processed
	}
	return len(f.Transactions) == 0
}

// misalignment is how far apart the two times of a pick-up may be (3.5).
const misalignment = trace.Millisecond

// isMisaligned reports whether render_service picked the application frame up on
// another vsync than the one it was made for (3.5).
func isMisaligned(app *Frame, rule PhaseRule) bool {
	render := app.Render
	switch {
	case render == nil:
		return false
	case rule == PhaseActual:
		return !render.Facts.Has(Truncated) && render.Actual.Start.Sub(app.Actual.End).Abs() > misalignment
	case !app.Expected.End.Known() || !render.Expected.Start.Known():
		return false
	}
	return render.Expected.Start.Sub(app.Expected.End).Abs() >= misalignment
}

// pickedUpLate reports whether a misaligned application frame was picked up too late
// (7.4). It may also be picked up too early or, where actual times decide what is
// misaligned, be misaligned only because the application was early.
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

// PickUpDelay returns by how many vsyncs render_service picked the application frame up
// later than planned (7.4); 0 if it did not, or if that is unknown.
func PickUpDelay(app *Frame) int {
	if !pickedUpLate(app) || !app.Expected.End.Known() || !app.Render.Expected.Known() {
		return 0
	}
	delay, period := app.Render.Expected.Start.Sub(app.Expected.End), cmp.Or(app.Render.Period, app.Period)
	if period <= 0 {
		return 1
	}
	return max(1, int((delay+period/2)/period))
}

// renderLead is how long before the second vsync after its own a render frame is
// expected to end, from 5.0 on (8.3).
const renderLead = 5 * trace.Millisecond

// renderPeriod returns the refresh period of a render frame whose expected interval
// is two periods less the lead (8.3).
func renderPeriod(expected trace.Duration) trace.Duration { return (expected + renderLead) / 2 }

// ExpectedPresent returns when the display should show a render frame: at the end of the
// vsync period in which it is expected to end (14.3). It is unknown without an expected
// interval or a refresh period.
func (f *Frame) ExpectedPresent() trace.Time {
	if f.Kind != RenderFrame || !f.Expected.Known() || f.Period <= 0 {
		return 0
	}
	if nearer(f.Period, f.Expected.Duration()) {
		return f.Expected.End.Add(renderLead)
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
	if render == nil || !render.Present.Known() || !render.ExpectedPresent().Known() {
		return 0, false
	}
	return render.Present.Sub(render.ExpectedPresent()), true
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

// periodMisfit returns how far a gap between vsyncs is from a whole number of
// periods, in periods, 0 to 0.5 (8.3).
func periodMisfit(gap, period trace.Duration) float64 {
	n := max(1, (gap+period/2)/period)
	return float64((gap - n*period).Abs()) / float64(period)
}
