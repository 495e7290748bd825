package stats_test

import (
	"encoding/json"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// An interaction has what the timeline has of it, and its response has a grade unless the trace cuts it.
func TestInteraction(t *testing.T) {
	process := &analyzer.Process{PID: 200, Name: "com.example"}
	at := func(ms int64) trace.Time { return trace.Time(ms * int64(trace.Millisecond)) }
	hitch := 1.5
	scene := &analyzer.Interaction{
		ID: 1, Kind: analyzer.SceneInteraction, Scene: "APP_TAB_SWITCH", Process: process, Page: "pages/Index", Input: analyzer.LastUp,
		InputAt: at(10), Begin: at(20), End: at(100), FirstShown: at(60), LastShown: at(130), Estimated: true, Interrupted: true,
		Device: &analyzer.DeviceFigures{HitchRatio: &hitch},
	}
	launch := &analyzer.Interaction{
		ID: 2, Kind: analyzer.LaunchInteraction, Scene: "cold", Process: process, Begin: at(200), FirstShown: at(260), Explicit: true, TimedOut: true,
		Reasons: analyzer.ReasonEndCut, Stages: []analyzer.LaunchStage{{Name: "LoadAbility", Begin: at(200), End: at(230)}, {Name: "UI Ability Launching", Begin: at(230)}},
	}
	report := stats.Compute(&analyzer.Timeline{Processes: []*analyzer.Process{process}, Interactions: []*analyzer.Interaction{scene, launch}}, stats.Options{})
	const unmeasured = `"frames":null,"late":null,"jank_rate":null,"missed_vsyncs":null,"longest_missed_run":null,"fps":null,"cadence":null,"hitch_ms_per_s":null,"p50_ms":null,"p95_ms":null,`
	for i, want := range []string{
		`{"id":1,"kind":"scene","scene":"APP_TAB_SWITCH","pid":200,"process":"com.example","page":"pages/Index","input":"last_up",` +
			`"input_ns":10000000,"begin_ns":20000000,"end_ns":100000000,"first_shown_ns":60000000,"last_shown_ns":130000000,"response_ms":50,"completion_ms":120,` +
			`"estimated":true,"truncated":false,"interrupted":true,"timed_out":false,"counted":"render",` + unmeasured + `"grade":"S","worst_frame":null,"device":{"response_ms":null,"completion_ms":null,"hitch_ms_per_s":1.5,"max_frame_ms":null,"fps":null},"stages":[],"reasons":[]}`,
		`{"id":2,"kind":"launch","scene":"cold","pid":200,"process":"com.example","page":null,"input":null,` +
			`"input_ns":null,"begin_ns":200000000,"end_ns":null,"first_shown_ns":260000000,"last_shown_ns":null,"response_ms":60,"completion_ms":null,` +
			`"estimated":false,"truncated":true,"interrupted":false,"timed_out":true,"counted":"application",` + unmeasured + `"grade":null,"worst_frame":null,"device":null,` +
			`"stages":[{"name":"LoadAbility","begin_ns":200000000,"dur_ns":30000000},{"name":"UI Ability Launching","begin_ns":230000000,"dur_ns":null}],"reasons":["end_cut"]}`,
	} {
		must.Equal(t, string(must.Get(json.Marshal(report.Interactions[i]))(t)), want)
	}
}
