package text

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
)

// unknownFact is why something about an interaction is unknown or special.
type unknownFact struct {
	Text string
	Is   func(*stats.Interaction) bool
	// Reason is one of stats.Interaction.Reasons, empty for what its other fields show.
	Reason string
}

// Unknowns are those of analyzer.Reasons, in their order, and further ones.
var Unknowns = []unknownFact{
	because(analyzer.ReasonBeginCut, "it begins before the trace or the window"),
	because(analyzer.ReasonEndCut, "it ends after the trace or the window"),
	because(analyzer.ReasonBeginLost, "the line of its begin is missing"),
	because(analyzer.ReasonEndLost, "the line of its end is missing"),
	because(analyzer.ReasonInputUnseen, "its input is not in the trace; response and completion count from its begin"),
	because(analyzer.ReasonInputAstray, "the time of its input is far from the line that states it, as with an unknown clock offset; response and completion count from its begin"),
	because(analyzer.ReasonNoFences, "the trace has no present times: those of it are estimates, and hitches are unknown"),
	because(analyzer.ReasonNotShown, "no frame is known to have shown it"),
	because(analyzer.ReasonProcessUnseen, "the trace has no line of its process"),
	because(analyzer.ReasonDeviceContradicts, "the device reports two values of one figure, which is left out"),
	{Text: "FPS and the hitch ratio need two frames without a pause between them, P95 needs 20", Is: func(i *stats.Interaction) bool { return i.Frames != nil && i.FPS == nil && !i.Source.Launch() }},
	{Text: "P95 needs 20 frames", Is: func(i *stats.Interaction) bool { return i.FPS != nil && i.P95 == nil }},
	{Text: "another interaction interrupted it, as the device reports", Is: func(i *stats.Interaction) bool { return i.Interrupted }},
	{Text: "it has no end; the device ends it after 10 s", Is: func(i *stats.Interaction) bool { return i.TimedOut }},
}

func because(reason analyzer.Reasons, text string) unknownFact {
	name := reason.Names()[0]
	return unknownFact{text, func(i *stats.Interaction) bool { return slices.Contains(i.Reasons, name) }, name}
}

// UnknownOf returns what is unknown about an interaction.
func UnknownOf(i *stats.Interaction) (texts []string) {
	for _, u := range Unknowns {
		if u.Is(i) {
			texts = append(texts, u.Text)
		}
	}
	return texts
}

// ReasonsOf returns the texts of an interaction's Reasons.
func ReasonsOf(i *stats.Interaction) (texts []string) {
	for _, u := range Unknowns {
		if u.Reason != "" && u.Is(i) {
			texts = append(texts, u.Text)
		}
	}
	return texts
}
