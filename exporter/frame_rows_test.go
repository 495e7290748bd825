package exporter

import (
	"fmt"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// telling is how Perfetto is told of a frame: the row of the table in the
// documentation that fits it.
type telling struct {
	jank       int32
	present    int32
	onTime     bool
	prediction int32
	severity   int32
}

// Perfetto's numbers, as its schema has them.
const (
	jankNone       = 1
	jankScheduling = 2
	jankCPU        = 16
	jankGPU        = 32
	jankApp        = 64
	jankStill      = 2048

	presentOnTime  = 1
	presentLate    = 2
	presentEarly   = 3
	presentUnknown = 5

	predictionValid   = 1
	predictionUnknown = 3

	severityNone    = 1
	severityPartial = 2
	severityFull    = 3
)

// The engine's words for the numbers.
var (
	jankBits = []struct {
		bit  int32
		text string
	}{
		{jankScheduling, "SurfaceFlinger Scheduling"},
		{jankCPU, "SurfaceFlinger CPU Deadline Missed"},
		{jankGPU, "SurfaceFlinger GPU Deadline Missed"},
		{jankApp, "App Deadline Missed"},
		{jankStill, "Non Animating"},
	}
	presentTexts    = map[int32]string{presentOnTime: "On-time Present", presentLate: "Late Present", presentEarly: "Early Present", presentUnknown: "Unknown Present"}
	predictionTexts = map[int32]string{predictionValid: "Valid Prediction", predictionUnknown: "Unknown Prediction"}
	severityTexts   = map[int32]string{severityNone: "None", severityPartial: "Partial", severityFull: "Full"}
)

func jankText(jank int32) string {
	if jank == jankNone {
		return "None"
	}
	var texts []string
	for _, b := range jankBits {
		if jank&b.bit != 0 {
			jank &^= b.bit
			texts = append(texts, b.text)
		}
	}
	if jank != 0 {
		texts = append(texts, fmt.Sprintf("unexpected bits %#x", jank))
	}
	return strings.Join(texts, ", ")
}

// tell finds the row of the table for a frame.
//
//	frame                     jank_type  on_time_finish
//	on time                   1          true
//	application late          64         false
//	render late               16         display false, application true
//	render late, GPU only     32         the same
//	misaligned                +2         true unless late
//	empty                     2048       true
//
// The present type is that of its present delay, which is more than 2 ms if it is late.
// The prediction is valid (1) if there is an expected interval, else unknown
// (3). An application in time itself shares what its render frame is guilty of,
// and is misaligned only if it was itself taken on the wrong vsync.
func tell(f *analyzer.Frame) telling {
	row := telling{jankNone, presentOf(f), true, predictionValid, severityNone}
	if !hasExpected(f) {
		row.prediction = predictionUnknown
	}
	if f.Facts&analyzer.Empty != 0 {
		row.jank = jankStill
		return row
	}
	culprit := f
	if f.Kind == analyzer.ApplicationFrame && f.Facts&analyzer.MainLate == 0 {
		culprit = f.Render
	}
	var bits int32
	if f.Facts&analyzer.MainLate == 0 || f.Kind == analyzer.RenderFrame {
		if f.Facts&analyzer.Misaligned != 0 {
			bits |= jankScheduling
		}
	}
	if culprit != nil && culprit.Facts&analyzer.Empty == 0 {
		switch {
		case culprit.Facts&analyzer.MainLate != 0 && culprit.Kind == analyzer.ApplicationFrame:
			bits |= jankApp
		case culprit.Facts&analyzer.MainLate != 0:
			bits |= jankCPU
		case culprit.Facts&analyzer.GPULate != 0:
			bits |= jankGPU
		}
		row.severity = severityOf(culprit)
	}
	if bits != 0 {
		row.jank = bits
		row.severity = max(row.severity, severityPartial) // also of a frame that ended on time
	}
	row.onTime = f.Facts&(analyzer.MainLate|analyzer.GPULate) == 0
	return row
}

// severityOf returns full for a frame that ended a whole period or more after
// its deadline, partial for one that was late by less.
func severityOf(f *analyzer.Frame) int32 {
	end := f.Actual.End
	for _, g := range f.GPU {
		end = max(end, g.End)
	}
	switch {
	case f.Facts&(analyzer.MainLate|analyzer.GPULate) == 0:
		return severityNone
	case int64(end)-int64(f.Deadline) < int64(f.Period):
		return severityPartial
	}
	return severityFull
}

// shownFrames returns the frames that are to be shown: those that begin and end
// in the trace.
func shownFrames(t *analyzer.Timeline) []*analyzer.Frame {
	var list []*analyzer.Frame
	for _, f := range t.Frames {
		if f.Facts&analyzer.Truncated == 0 {
			list = append(list, f)
		}
	}
	return list
}

// hasExpected reports whether both ends of the expected interval are known.
func hasExpected(f *analyzer.Frame) bool { return f.Expected.Start != 0 && f.Expected.End != 0 }

// shownRender returns the render frame that took an application frame, if it is
// to be shown.
func shownRender(f *analyzer.Frame) *analyzer.Frame {
	if f.Render == nil || f.Render.Facts&analyzer.Truncated != 0 {
		return nil
	}
	return f.Render
}

// names returns the cells that name a frame: token, display and surface frame
// token, process and layer.
func names(f *analyzer.Frame, tokens tokens) []any {
	name := fmt.Sprint(tokens[f])
	if f.Kind == analyzer.RenderFrame {
		return []any{name, tokens[f], nil, int64(f.Process.PID), nil}
	}
	var display int64
	if r := shownRender(f); r != nil {
		display = tokens[r]
	}
	return []any{name, display, tokens[f], int64(f.Process.PID), fmt.Sprintf("%s#%d", f.Process.Name, f.TID)}
}

// The columns of frameRows, less those that the engine has for actual frames only.
const (
	expectedColumns = "ts, dur, s.name, display_frame_token, surface_frame_token, pid, layer_name"
	actualColumns   = expectedColumns + `, jank_type, present_type, on_time_finish, prediction_type,
		jank_severity_type, gpu_composition, extract_arg(s.arg_set_id, 'Present Delay (ms)')`
)

// expectedRows returns the expected frames that are to be shown: of surface
// frames the first of each process and token.
func expectedRows(t *analyzer.Timeline, tokens tokens) rows {
	type key struct {
		pid   trace.PID
		token int64
	}
	seen := map[key]bool{}
	var r rows
	for _, f := range shownFrames(t) {
		k := key{f.Process.PID, tokens[f]}
		if !hasExpected(f) || f.Kind == analyzer.ApplicationFrame && seen[k] {
			continue
		}
		if f.Kind == analyzer.ApplicationFrame {
			seen[k] = true
		}
		r.add(append([]any{int64(f.Expected.Start), int64(f.Expected.End - f.Expected.Start)}, names(f, tokens)...)...)
	}
	return r
}

// actualRows returns the actual frames that are to be shown.
func actualRows(t *analyzer.Timeline, tokens tokens) rows {
	var r rows
	for _, f := range shownFrames(t) {
		row := tell(f)
		cells := append([]any{int64(f.Actual.Start), int64(f.Actual.End - f.Actual.Start)}, names(f, tokens)...)
		cells = append(cells, jankText(row.jank), presentTexts[row.present], truth(row.onTime),
			predictionTexts[row.prediction], severityTexts[row.severity], truth(len(f.GPU) > 0), delay(f))
		r.add(cells...)
	}
	return r
}

// presentOf returns the present type that agrees with the present delay.
func presentOf(f *analyzer.Frame) int32 {
	switch late, ok := delay(f).(float64); {
	case !ok:
		return presentUnknown
	case late > 2:
		return presentLate
	case late < -2:
		return presentEarly
	}
	return presentOnTime
}

// delay returns by how many milliseconds the display showed a frame later than
// expected; nil if that is not known. Render frames of 5.0 and later are expected to
// end 5 ms before the second vsync after their own, and earlier ones at the next.
func delay(f *analyzer.Frame) any {
	if f.Kind == analyzer.ApplicationFrame {
		f = f.Render
	}
	if f == nil || f.Present == 0 || !hasExpected(f) || f.Period == 0 {
		return nil
	}
	expected := f.Expected.End
	if length := int64(f.Expected.End - f.Expected.Start); length != int64(f.Period) {
		expected += 5e6
	}
	return float64(float32(float64(f.Present-expected) / 1e6)) // Perfetto stores 32 bits
}

// arrowRows returns the arrows that are to be drawn: Perfetto draws one to a
// display frame only from surface frames that do not start after it.
func arrowRows(t *analyzer.Timeline) rows {
	var r rows
	for _, f := range shownFrames(t) {
		if render := shownRender(f); render != nil && f.Actual.Start <= render.Actual.Start {
			r.add(int64(f.Process.PID), fmt.Sprintf("%s#%d", f.Process.Name, f.TID), int64(f.Actual.Start),
				int64(render.Process.PID), int64(render.Actual.Start))
		}
	}
	return r
}
