package report

import (
	"fmt"

	"ohframe/analyzer/stats"
)

// glossaryTerm is a term with its definition.
type glossaryTerm struct{ Name, Definition string }

// terms are the terms that the page explains, in the order of the list at its end.
// docs/glossary.md has the same definitions.
var terms = []glossaryTerm{
	{"FPS", "frames shown per second while animating, that is without idle time; FPS of all time is listed beside it"},
	{"idle", "the part of a gap in which nothing was to be drawn"},
	{"late", "a frame that ended after its deadline, on its thread or on the GPU"},
	{"deadline", "the time at which a frame should be done: the end of its expected interval"},
	{"jank rate", "late frames / frames with a deadline"},
	{"overrun", "the time by which a late frame missed its deadline"},
	{"hitch", "the time by which a frame was shown late: the part of a gap beyond one refresh period and idle time, if that is at least 0.7 periods"},
	{"hitch ratio", "hitch time in ms per second"},
	{"lost frame", "a refresh without a new picture within a hitch"},
	{"refresh period", "the time between two refreshes of the display when a frame was made"},
	{"empty", "an application frame without a transaction, or a render frame that processed no commands"},
	{"truncated", "a frame whose begin or end the trace lacks, or whose times are impossible"},
	{"misaligned", "an application frame whose render frame was expected to start at another time than when the application frame was expected to end; also that render frame"},
	{"pick-up", "the moment when a render frame picks up an application frame: its actual start"},
	{"picked up late", "misaligned, on a later vsync than the expected one"},
	{"whole frame", "an application frame together with its render frame, from the application's vsync to the end of rendering"},
	{"blame", "why a whole frame was late: the application, the render frame on the CPU or GPU, or a late pick-up; on Android also causes that SurfaceFlinger reports"},
	{"stutter", "late frames by the number of periods that they overran: slight, medium, severe"},
	{"streak", "late frames in a row on one thread"},
	{"cause", "what a late frame's thread did or waited for longer than in frames on time, with its share of the overrun"},
	{"transaction", "what an application frame sends to render_service, with the key (process id, index)"},
	{"vsync id", "the number of a vsync; applications and render_service count separately"},
	{"stage", "a part of a frame's way from its vsync to the display"},
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

// define returns the definition of a term. A template that names no term fails.
func define(name string) (string, error) {
	for _, t := range terms {
		if t.Name == name {
			return t.Definition, nil
		}
	}
	return "", fmt.Errorf("no term %q", name)
}

func defineStage(s stats.Stage) string { return stageTerms[s] }

// pageTerms are the terms that the page explains at its end: all, and the stages.
func pageTerms() []glossaryTerm {
	list := terms[:len(terms):len(terms)]
	for s, definition := range stageTerms {
		list = append(list, glossaryTerm{stats.Stage(s).Label(), "stage, " + definition})
	}
	return list
}
