package pftrace

import (
	"os"
	"testing"

	"ohframe/internal/testing/engine/enginetest"
)

// A frame that is late on the tracks Frames is late on the frame timeline, and no other is: also
// one that is empty, as the only late frame of a real HarmonyOS 6.1. The frame timeline is what
// the UI colours, and what others' queries count.
func TestLateOnFrameTimeline(t *testing.T) {
	enginetest.ForTest(t)
	const shared = "../../../shared/traces/harmonyos-6.1-video-90hz.ftrace"
	texts := map[string]string{"precedence": caseFile(t, "../../testdata/frames/flag-precedence.txtar")["trace"]}
	if text, err := os.ReadFile(shared); err == nil {
		texts["capture"] = string(text)
	}
	want := map[string][]string{
		"precedence": {
			"demo.app 7, empty: App Deadline Missed; Self Jank; Full; 0; late",
			"demo.app 8: App Deadline Missed; Self Jank; Full; 0; late",
			"render_service 62: SurfaceFlinger Scheduling, SurfaceFlinger CPU Deadline Missed; Self Jank; Full; 0; late",
			"render_service 64, empty: SurfaceFlinger CPU Deadline Missed; Self Jank; Full; 0; late",
		},
		"capture": {"com.ss.android.ugc.aweme.lite 641518, empty: App Deadline Missed; Self Jank; Full; 0; late"},
	}
	for name, text := range texts {
		data, _ := convert(t, text, Options{})
		rows := enginetest.Query(t, enginetest.Load(t, data), `
			SELECT p.name || ' ' || a.name || iif(extract_arg(s.arg_set_id, 'debug.empty'), ', empty', '') || ': ' ||
			  concat_ws('; ', a.jank_type, a.jank_tag, a.jank_severity_type, a.on_time_finish, s.category)
			FROM actual_frame_timeline_slice AS a
			JOIN process AS p USING (upid)
			JOIN slice AS s ON s.ts = a.ts AND s.dur = a.dur AND s.name GLOB a.name || '*'
			JOIN process_track AS t ON t.id = s.track_id AND t.upid = a.upid AND t.name GLOB 'Frames*'
			WHERE s.category = 'late' OR a.on_time_finish = 0 OR a.jank_type GLOB '*Deadline Missed*'
			ORDER BY a.ts`).Rows
		var got []string
		for _, r := range rows {
			got = append(got, r[0].(string))
		}
		compare(t, name, got, want[name])
	}
}
