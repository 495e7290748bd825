package report

import (
	"cmp"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/view"
)

// terms are those that the page explains besides those of measures. docs/glossary.md has the same definitions.
var terms = []view.Term{
	{Name: "idle", Definition: "outside of interactions, a pause of more than 100 ms and 6 refresh periods in which nothing was shown, drawn or late, and the main thread did not hang"},
	{Name: "late", Definition: "a frame that ended after its deadline, on its thread or on the GPU"},
	{Name: "deadline", Definition: "the time at which a frame should be done: the end of its expected interval"},
	{Name: "judged", Definition: "known to be late or on time: by a deadline, by the pace of its buffer, or by SurfaceFlinger; frames that were dropped or truncated are not judged"},
	{Name: "overrun", Definition: "the time from a frame's deadline to its end; negative if it was on time"},
	{Name: "hitch", Definition: "the time by which a frame was shown late: the part of a gap beyond one refresh period and the time until it was due, if that is at least 0.7 periods"},
	{Name: "lost frame", Definition: "a refresh without a new picture within a hitch"},
	{Name: "refresh period", Definition: "the time between two refreshes of the display when a frame was made"},
	{Name: "empty", Definition: "an application frame without a transaction, or a render frame that processed no commands or changed nothing on the screen"},
	{Name: "truncated", Definition: "a frame whose begin or end the trace lacks, or whose times are impossible"},
	{Name: "misaligned", Definition: "an application frame whose render frame was expected to start at another time than when the application frame was expected to end; also that render frame"},
	{Name: "pick-up", Definition: "the moment when a render frame picks up an application frame: its actual start"},
	{Name: "picked up late", Definition: "misaligned, on a later vsync than the expected one"},
	{Name: "whole frame", Definition: "an application frame together with its render frame, from the application's vsync to the end of rendering"},
	{Name: "blame", Definition: "why a whole frame was late: the first that applies of the application, the render frame on the CPU or GPU, and a late pick-up; on Android also causes that SurfaceFlinger reports"},
	{Name: "stutter", Definition: "late frames by the number of periods that they overran: slight, medium, severe"},
	{Name: "streak", Definition: "late frames in a row on one thread"},
	{Name: "cause", Definition: "what a late frame's thread did or waited for longer than in frames on time, with its share of the overrun"},
	{Name: "transaction", Definition: "what an application frame sends to render_service, with the key (process id, index)"},
	{Name: "vsync id", Definition: "the number of a vsync; applications and render_service count separately"},
	{Name: "stage", Definition: "a part of a frame's way from its vsync to the display"},
}

// interactionTerms are those that the page of a trace with interactions explains, too.
var interactionTerms = []view.Term{
	{Name: "interaction", Definition: "what the user did, and the frames that show it: a scene or a launch"},
	{Name: "input", Definition: "the movement of the finger from which an interaction counts: it touches the screen, begins to move, or leaves it"},
	{Name: "grade", Definition: "S, A, B or below: the class of a response by the published limits"},
	{Name: "hang", Definition: "250 ms or more in which a main thread is busy outside of complete frames"},
}

// layerTerms are those that the page of a trace with layers explains, too.
var layerTerms = []view.Term{
	{Name: "layer", Definition: "a queue of buffers that render_service shows: a video, a game, a web page, a window of a container"},
	{Name: "buffer", Definition: "a picture that an application draws and queues for render_service"},
	{Name: "dropped buffer", Definition: "a buffer that was never shown, because a later one was shown instead"},
	{Name: "cadence", Definition: "how many refreshes lie between two frames of a process, most often; of a layer, the interval at which it is drawn, if it has one, for each stretch of time"},
	{Name: "late buffer", Definition: "a buffer shown more than half a refresh period later than its layer's cadence and the display's whole vsyncs require"},
}

// emptyTerms are those that the page of a trace with display syncs explains, too.
var emptyTerms = []view.Term{
	{Name: "display sync", Definition: "a request for vsyncs that application frames serve, by a callback, an animator or an XComponent"},
}

// requesterTerms are those that the page of a trace with unused vsyncs explains, too.
var requesterTerms = []view.Term{
	{Name: "unused vsync", Definition: "a vsync that a process asked for and received, and that led to no new picture: it had nothing to draw, or render_service found that nothing had changed"},
}

// stageTerms are the definitions of stages, as in docs/frames.md 9.11.
var stageTerms = [...]string{
	stats.Receive:      "from the vsync time to the frame's actual start; unknown if that is earlier",
	stats.UIWork:       "from the application frame's actual start to its actual end",
	stats.PickUp:       "from the last transaction to the render frame's actual start; zero if that is earlier",
	stats.RenderMain:   "from the render frame's actual start to its actual end",
	stats.RenderDraw:   "from the start of the drawing to its end",
	stats.RenderGPU:    "from the start of the first GPU work to the end of the last",
	stats.CommitLayers: "from the start of the commit to its end",
	stats.ToPresent:    "from the end of the commit to the present time; unknown if that is earlier or estimated (6.6)",
}

// rateTerms are those of pages with refresh rates that change.
var rateTerms = []view.Term{{Name: "lowered refresh rate", Definition: "a refresh rate of the display below one that it had before in the trace"}}

// define returns the definition of a term, which must exist.
func define(name string) string {
	all := slices.Concat(terms, interactionTerms, layerTerms, emptyTerms, requesterTerms, rateTerms)
	return all[slices.IndexFunc(all, func(t view.Term) bool { return t.Name == name })].Definition
}

// termsOf returns the terms of measures.
func termsOf(list stats.MeasureList) (terms []view.Term) {
	for i := range list {
		if m := &list[i]; m.Term != "" {
			terms = append(terms, view.Term{Name: m.Term, Definition: m.Definition})
		}
	}
	return terms
}

// pageTerms are the terms that the page explains at its end, by name, and behind them the stages and the colours.
func pageTerms(inputs []Input) []view.Term {
	list := slices.Concat(terms, termsOf(stats.Measures))
	if slices.ContainsFunc(inputs, func(in Input) bool { return len(in.Stats.Interactions)+len(in.Stats.Hangs) > 0 }) {
		list = slices.Concat(list, interactionTerms, termsOf(stats.InteractionMeasures))
	}
	if slices.ContainsFunc(inputs, func(in Input) bool { return len(in.Stats.Layers) > 0 }) {
		list = slices.Concat(list, layerTerms, termsOf(stats.LayerMeasures))
	}
	if slices.ContainsFunc(inputs, func(in Input) bool { return slices.ContainsFunc(in.Stats.Processes, hasDisplaySyncs) }) {
		list = slices.Concat(list, emptyTerms)
	}
	if slices.ContainsFunc(inputs, func(in Input) bool { return len(wasteful(in.Stats.Requesters)) > 0 }) {
		list = slices.Concat(list, requesterTerms)
	}
	if slices.ContainsFunc(inputs, func(in Input) bool { return len(in.Stats.RefreshRates) > 0 }) {
		list = slices.Concat(list, rateTerms)
	}
	slices.SortFunc(list, func(a, b view.Term) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	list = slices.Compact(list)
	for s, definition := range stageTerms {
		list = append(list, view.Term{Name: stats.Stage(s).Label(), Definition: "stage, " + definition})
	}
	for _, t := range []*stats.Thresholds{&stats.JankThresholds, &stats.HitchThresholds, &stats.FrameThresholds, &stats.OverrunThresholds, &stats.RunThresholds} {
		list = append(list, view.Term{Name: t.Label, Definition: "colour, " + limits(t)})
	}
	return list
}
