package pftrace

import (
	"fmt"
	"os"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
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

// A trace without late frames says so on the track of what was late, and of how many frames it is unknown. One
// without frames has no such track.
func TestNoLateFrames(t *testing.T) {
	enginetest.ForTest(t)
	process := &analyzer.Process{PID: 200, Name: "com.example.app"}
	interval := func(start, end int64) analyzer.Interval {
		return analyzer.Interval{Start: trace.Time(start * 1e6), End: trace.Time(end * 1e6)}
	}
	var frames []*analyzer.Frame
	for k := range int64(5) {
		f := &analyzer.Frame{Process: process, TID: 200, VsyncID: 10 + k, Expected: interval(1000+20*k, 1010+20*k), Actual: interval(1001+20*k, 1005+20*k)}
		f.Vsync, f.Deadline = f.Expected.Start, f.Expected.End
		frames = append(frames, f)
	}
	for _, test := range []struct {
		unknown int
		frames  []*analyzer.Frame
		want    string
	}{
		{0, frames, "no late frame of 5"},
		{2, frames, "no late frame of 3; of 2 more it is unknown"},
		{0, nil, ""},
	} {
		for _, f := range test.frames[:test.unknown] {
			f.Deadline, f.Expected = 0, analyzer.Interval{}
		}
		data := convertTimeline(t, &analyzer.Timeline{Frames: test.frames, Processes: []*analyzer.Process{process}, Span: interval(900, 1200)})
		var got []string
		for _, r := range enginetest.Query(t, enginetest.Load(t, data), `
			SELECT s.name, s.ts, s.dur, s.category FROM slice AS s JOIN track AS t ON t.id = s.track_id WHERE t.name = 'Late frames' AND t.parent_id IS NULL`).Rows {
			got = append(got, fmt.Sprintln(r...))
		}
		want := []string{fmt.Sprintln(test.want+" · all processes", int64(900e6), int64(300e6), nil)}
		if test.want == "" {
			want = nil
		}
		compare(t, test.want, got, want)
	}
}
