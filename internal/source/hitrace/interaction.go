package hitrace

import (
	"bytes"
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// ParseInputRecord returns the fields of an InputRecord marker: which input it is, and when it
// happened. ok is false if they cannot be read.
func ParseInputRecord(text []byte) (input analyzer.Input, at trace.Monotonic, ok bool) {
	_, rest, _ := bytes.Cut(text, []byte(": "))
	name, rest, _ := bytes.Cut(rest, []byte("="))
	switch string(name) {
	case "first_move":
		input = analyzer.FirstMove
	case "last_up":
		input = analyzer.LastUp
	case "last_down":
		input = analyzer.LastDown
	default:
		return 0, 0, false
	}
	n, rest := leadingInt(rest)
	if n <= 0 || n > trace.MaxTime || !bytes.HasPrefix(rest, []byte("(ns)")) {
		return 0, 0, false
	}
	return input, trace.Monotonic(n), true
}

// ParseTouch returns the id of the event of a TouchReport or TouchDispatch marker, 0 if it cannot be read, and whether
// the report says that the finger leaves.
func ParseTouch(text []byte) (id int64, up bool) {
	_, rest, _ := bytes.Cut(text, []byte("touchId:"))
	id, rest = leadingInt(rest)
	return max(0, id), string(trimSpace(rest)) == ", type: up"
}

// ParseSceneReport returns the scene and the unique id of a SceneReport marker.
func ParseSceneReport(text []byte) (scene []byte, id int64, ok bool) {
	_, rest, found := bytes.Cut(text, []byte("sceneId = "))
	scene, rest, more := bytes.Cut(rest, []byte(", uniqueId = "))
	id, _ = leadingInt(rest)
	return scene, id, found && more && id > 0
}

// RenderedScene is a scene as render_service describes it: "SCENE, BUNDLE, PAGE, INPUT", since
// 5.0 with ", ANIMATOR, uidID" after it.
type RenderedScene struct {
	Scene, Bundle, Page []byte
	// Input is the time of the input in milliseconds since 1970.
	Input int64
	// Animator is EXPLICIT_ANIMATOR or IMPLICIT_ANIMATOR; empty before 5.0.
	Animator []byte
	ID       int64 // zero before 4.1
}

// ParseRenderedScene parses the description of a scene. ok is false if it is none.
func ParseRenderedScene(text []byte) (s RenderedScene, ok bool) {
	fields := bytes.SplitN(text, []byte(", "), 7)
	if len(fields) < 4 {
		return s, false
	}
	s.Scene, s.Bundle, s.Page = fields[0], fields[1], fields[2]
	if s.Input, _ = leadingInt(fields[3]); s.Input < 0 || len(s.Bundle) == 0 {
		return s, false
	}
	if len(fields) > 5 {
		s.Animator = fields[4]
		if id, found := bytes.CutPrefix(fields[5], []byte("uid")); found {
			n, _ := leadingInt(id)
			s.ID = max(0, n)
		}
	}
	return s, true
}

// Figure is a figure that render_service reports of a scene.
type Figure uint8

// The figures.
const (
	ResponseFigure Figure = iota
	CompletionFigure
	MaxFrameFigure
	HitchRatioFigure
	FPSFigure
	FigureCount
)

// figureNames are what follows "RSJankStats::" before the value.
var figureNames = [...]string{
	ResponseFigure:   "ReportEventResponse responseLatency is ",
	CompletionFigure: "ReportEventComplete e2eLatency is ",
	MaxFrameFigure:   "ReportEventJankFrame maxFrameTime is ",
	HitchRatioFigure: "ReportEventHitchTimeRatio hitch time ratio is ",
	FPSFigure:        "RecordAnimationDynamicFrameRate frame rate is ",
}

// ParseFigure returns the figure of a JankStats marker, its value, and the description of its
// scene. ok is false if the marker has none.
func ParseFigure(text []byte) (figure Figure, value float64, scene []byte, ok bool) {
	_, rest, _ := bytes.Cut(text, []byte("::"))
	for figure, name := range figureNames {
		number, found := bytes.CutPrefix(rest, []byte(name))
		if !found {
			continue
		}
		_, scene, found = bytes.Cut(number, []byte(": "))
		end := bytes.IndexFunc(number, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != 'e' && r != '-' && r != '+' })
		if !found || end < 0 {
			return 0, 0, nil, false
		}
		value, err := strconv.ParseFloat(string(number[:end]), 64)
		return Figure(figure), value, scene, err == nil && value >= 0 && value < 1e12
	}
	return 0, 0, nil, false
}

// ParseInterrupted returns the names of the scene that a JankStats marker reports to be
// interrupted and of the one that interrupts it, nil if it reports none.
func ParseInterrupted(text []byte) (scene, by []byte) {
	rest, found := bytes.CutPrefix(text, []byte("RSJankStats::SetReportEventResponse "))
	scene, by, more := bytes.Cut(rest, []byte(" animation is interrupted by "))
	if !found || !more {
		return nil, nil
	}
	return scene, by
}

// ParseBundle returns the name of the bundle at the end of a marker of a launch, nil if it has
// none.
func ParseBundle(text []byte) []byte {
	if i := bytes.LastIndex(text, []byte("##")); i >= 0 && !bytes.ContainsAny(text[i+2:], " ,|") {
		return text[i+2:]
	}
	return nil
}
