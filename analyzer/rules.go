package analyzer

import "ohframe/analyzer/trace"

// The rules of docs/frames.md that decide facts of frames, each in one place. They
// are pure functions: what they need to know comes with their arguments.

// isLate reports whether work that ended at end missed its deadline (3.2). Ending at
// the deadline is on time; without a known deadline nothing is late.
func isLate(end, deadline trace.Time) bool { return deadline.Known() && end > deadline }

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

// renderLead is how long before the second vsync after its own a render frame is
// expected to end, from 5.0 on (8.3).
const renderLead = 5 * trace.Millisecond

// renderPeriod returns the refresh period of a render frame whose expected interval
// is two periods less the lead (8.3).
func renderPeriod(expected trace.Duration) trace.Duration { return (expected + renderLead) / 2 }

// periodMisfit returns how far a gap between vsyncs is from a whole number of
// periods, in periods, 0 to 0.5 (8.3).
func periodMisfit(gap, period trace.Duration) float64 {
	n := max(1, (gap+period/2)/period)
	return float64((gap - n*period).Abs()) / float64(period)
}
