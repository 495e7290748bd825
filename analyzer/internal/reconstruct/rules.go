package reconstruct

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// The rules of docs/frames.md that decide facts of frames, each in one place. They are
// pure functions of their arguments. Those that follow from facts are in analyzer/rules.go.

// isEmpty reports whether an application frame sent no transaction, or a render frame
// processed no commands (3.4).
func isEmpty(f *analyzer.Frame, processed bool) bool {
	if f.Kind == analyzer.RenderFrame {
		return !processed
	}
	return len(f.Transactions) == 0
}

// misalignment is how far apart the two times of a pick-up may be (3.5).
const misalignment = trace.Millisecond

// isMisaligned reports whether render_service picked the application frame up on
// another vsync than the one it was made for (3.5). It compares expected times: they need no
// conversion of clocks, and an application may finish early.
func isMisaligned(app *analyzer.Frame) bool {
	render := app.Render
	if render == nil || !app.Expected.End.Known() || !render.Expected.Start.Known() {
		return false
	}
	return render.Expected.Start.Sub(app.Expected.End).Abs() >= misalignment
}
