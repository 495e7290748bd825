package condition

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
)

// interaction returns an interaction of a process with an input and without measures.
func interaction(id int, process, scene, input string) *stats.Interaction {
	i := &stats.Interaction{ID: id, Kind: "scene", Scene: scene, Process: process, PID: 7}
	if input != "" {
		i.Input = &input
	}
	return i
}

// scenes are the interactions of a trace: three flings, the last of unknown hitches and cut,
// a tap and a scene without an input; two launches; a swipe home.
func scenes() *stats.Report {
	page := "pages/Index"
	smooth, janky := interaction(1, "gallery", "APP_LIST_FLING", "first_move"), interaction(2, "gallery", "APP_SWIPER_SCROLL", "first_move")
	smooth.HitchRatio, janky.HitchRatio, janky.Page = known(1), known(9.5), &page
	cut := interaction(3, "gallery", "APP_LIST_FLING", "")
	cut.Truncated = true
	tap, rotation := interaction(4, "gallery", "ABILITY_OR_PAGE_SWITCH", "last_up"), interaction(5, "home", "SCREEN_ROTATION", "")
	tap.Response, tap.Reasons = known(216.8), []string{"no_fences"}
	rotation.Response, rotation.Reasons = nil, []string{"not_shown", "end_lost"}
	cold, warm := interaction(6, "notes", "cold", ""), interaction(7, "notes", "warm", "")
	cold.Kind, warm.Kind = "launch", "launch"
	cold.Response, warm.Response = known(700), known(300)
	return &stats.Report{Interactions: []*stats.Interaction{smooth, janky, cut, tap, rotation, cold, warm, interaction(8, "home", "LAUNCHER_APP_SWIPE_TO_HOME", "last_up")}}
}

// A condition fails if any interaction of its group is beyond the limit, and cannot be checked
// if a value is unknown, or if the group is empty. Cut interactions do not count.
func TestCheckInteractions(t *testing.T) {
	all := []*analyzer.Process{{PID: 9, Name: "render_service"}, {PID: 7, Name: "gallery"}}
	for conditions, want := range map[string][]string{
		"fling.hitch>5":    {"failed gallery: fling.hitch>5: 9.5 ms/s in interaction 2 (APP_SWIPER_SCROLL, pages/Index); 1 of 2 are beyond the limit"},
		"fling.hitch>9.49": {"failed gallery: fling.hitch>9.49: 9.50 ms/s in interaction 2 (APP_SWIPER_SCROLL, pages/Index); 1 of 2 are beyond the limit"},
		"fling.hitch>9.5":  {"passed gallery: fling.hitch>9.5: 9.5 ms/s in interaction 2 (APP_SWIPER_SCROLL, pages/Index), the worst of 2"},
		"fling.hitch<0.5":  {"passed gallery: fling.hitch<0.5: 1.0 ms/s in interaction 1 (APP_LIST_FLING), the worst of 2"},
		"fling.hitch<9.6":  {"failed gallery: fling.hitch<9.6: 1.0 ms/s in interaction 1 (APP_LIST_FLING); 2 of 2 are beyond the limit"},
		"fling.fps<1":      {"unknown gallery: fling.fps<1: unknown in interaction 1 (APP_LIST_FLING)"},
		// The name of a scene, and its own group.
		"APP_LIST_FLING.hitch>5": {"passed gallery: APP_LIST_FLING.hitch>5: 1.0 ms/s in interaction 1 (APP_LIST_FLING)"},
		"tap.response_ms>200":    {"failed gallery: tap.response_ms>200: 216.8 ms in interaction 4 (ABILITY_OR_PAGE_SWITCH)"},
		"tap.fps<1":              {"unknown gallery: tap.fps<1: unknown in interaction 4 (ABILITY_OR_PAGE_SWITCH): the trace has no present times: those of it are estimates, and hitches are unknown"},
		"SCREEN_ROTATION.response_ms>1": {
			"unknown home: SCREEN_ROTATION.response_ms>1: unknown in interaction 5 (SCREEN_ROTATION): the line of its end is missing; no frame is known to have shown it",
		},
		"launch.first_frame_ms>699": {"failed notes: launch.first_frame_ms>699: 700.0 ms in interaction 6 (cold launch); 1 of 2 are beyond the limit"},
		"warm.first_frame_ms>299":   {"failed notes: warm.first_frame_ms>299: 300.0 ms in interaction 7 (warm launch)"},
		// Processes.
		"gallery: launch.first_frame_ms>1": {"unknown gallery: launch.first_frame_ms>1: no launch of gallery in the trace; it has ABILITY_OR_PAGE_SWITCH, APP_LIST_FLING and APP_SWIPER_SCROLL"},
		"render*: tap.hitch>1":             {"unknown render*: tap.hitch>1: not among the selected processes"},
		"camera: tap.hitch>1":              {"unknown camera: tap.hitch>1: no process with frames matches; the trace has render_service, gallery, home, notes"},
		"hot.first_frame_ms>1":             {"unknown hot.first_frame_ms>1: no hot launch in the trace; it has ABILITY_OR_PAGE_SWITCH, APP_LIST_FLING, APP_SWIPER_SCROLL, LAUNCHER_APP_SWIPE_TO_HOME, SCREEN_ROTATION, cold and warm launches"},
	} {
		var got []string
		for _, c := range parsed(t, conditions, OfValues).CheckReport("", scenes(), all) {
			got = append(got, fmt.Sprintf("%s %s", c.Status, c))
		}
		must.EqualSlices(t, got, want, "%s", conditions)
	}
}

// A failure is one even if another value is unknown.
func TestCheckInteractionsUnknown(t *testing.T) {
	r := scenes()
	r.Interactions[2].Truncated = false // an APP_LIST_FLING with an input outside of the trace
	for condition, want := range map[string]Status{"fling.hitch>5": Failed, "fling.hitch>10": Unknown} {
		if c := parsed(t, condition, OfValues).CheckReport("", r, nil); len(c) != 1 || c[0].Status != want {
			t.Errorf("%s: %v, want %s", condition, c, want)
		}
	}
	for _, i := range r.Interactions[:3] {
		i.Truncated = true
	}
	c := parsed(t, "fling.hitch>5", OfValues).CheckReport("", r, nil)
	if want := "fling.hitch>5: 3 flings, cut by the edge of the trace"; len(c) != 1 || c[0].String() != want {
		t.Errorf("%v, want %s", c, want)
	}
	grouped := &stats.Report{Interactions: []*stats.Interaction{{PID: trace.UnknownPID, Scene: "APP_LIST_FLING", Pool: &stats.Pool{Name: "APP_LIST_FLING"}}}}
	if c := parsed(t, "a:fling.hitch>5", OfValues).CheckReport("", grouped, nil); len(c) != 1 || c[0].String() != "a: fling.hitch>5: no process with frames matches" {
		t.Errorf("of groups without processes: %v", c)
	}
	if c := parsed(t, "fling.hitch>5", OfValues).CheckReport("", &stats.Report{}, nil); len(c) != 1 || c[0].String() != "fling.hitch>5: no interactions" {
		t.Errorf("without interactions: %v", c)
	}
}

// The hint of an unknown group and docs/ci.md list the groups, that of an unknown measure lists those of the group.
func TestInteractionNames(t *testing.T) {
	hint := func(text string) string {
		_, err := Parse(text, OfValues)
		e, ok := err.(*diag.Error)
		if !ok {
			t.Fatal(err)
		}
		return e.Hint
	}
	page := must.Get(os.ReadFile("../../docs/ci.md"))(t)
	_, section, _ := strings.Cut(string(page), "### Interactions")
	for _, name := range groupNames() {
		must.Contain(t, section, "`"+name+"`")
	}
	for unknown, names := range map[string][]string{"swipe.fps<5": groupNames(), "tap.nosuch<5": measureNames(false), "tap<5": measureNames(false), "warm.fps<5": measureNames(true), "warm<5": measureNames(true)} {
		for _, name := range names {
			must.Contain(t, hint(unknown), name)
		}
	}
}

func TestMeasuresAreDocumented(t *testing.T) {
	schematest.Measures(t, "../../testdata/api/measures.md", "Launches have `first_frame_ms`, scenes have all others:", stats.InteractionMeasures)
	schematest.Measures(t, "../../testdata/api/measures.md", "Layers have these:", stats.LayerMeasures)
}
