package perfetto_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/testing/engine/enginetest"
)

// Perfetto's own engine finds the same slices, verdicts and links.
func TestEngine(t *testing.T) {
	r := androidRecording()
	timeline, _ := read(t, r.bytes)
	session := enginetest.Load(t, r.bytes)

	compare := func(what, sql string, ours []string) {
		t.Helper()
		var rows []string
		for _, row := range enginetest.Query(t, session, sql).Rows {
			rows = append(rows, strings.TrimSpace(fmt.Sprintln(row...)))
		}
		slices.Sort(rows)
		slices.Sort(ours)
		if !slices.Equal(rows, ours) {
			t.Errorf("%s:\n%s\nwant the engine's:\n%s", what, strings.Join(ours, "\n"), strings.Join(rows, "\n"))
		}
	}

	var actual, expected, links []string
	number := func(n int64) string { // of a display frame there is no surface token
		if n == 0 {
			return "none"
		}
		return fmt.Sprint(n)
	}
	seen := map[string]bool{}
	for _, f := range timeline.Frames {
		said := f.Android.Timeline
		row := func(i analyzer.Interval, truncated bool, surface string, display int64, v analyzer.Verdict, layer string) {
			duration := int64(i.Duration())
			if truncated {
				duration = -1
			}
			bit := map[analyzer.Answer]int{analyzer.Yes: 1}
			actual = append(actual, fmt.Sprintln(int64(i.Start), duration, int32(f.Process.PID), f.Process.Name, surface, display,
				v.Jank, v.Present, v.Prediction, v.Severity, bit[v.OnTimeFinish], bit[said.GPUComposition], layer))
		}
		truncated := f.Facts.Has(analyzer.Truncated) // here no frame of several layers is
		surface := number(said.Token)
		if f.Kind == analyzer.RenderFrame {
			surface = "none"
			row(f.Actual, truncated, surface, said.Token, said.Verdict, "")
		}
		for _, l := range said.Layers {
			row(l.Actual, truncated, surface, l.DisplayToken, l.Verdict, l.Name)
			if l.Render != nil && l.Actual.Start <= l.Render.Actual.Start { // the engine links only to what comes later
				links = append(links, fmt.Sprintln(int64(l.Actual.Start), f.VsyncID, int64(l.Render.Actual.Start), l.Render.VsyncID))
			}
		}
		if key := fmt.Sprint(f.Process.PID, f.VsyncID); f.Expected.Known() && !seen[key] { // layers share it
			seen[key] = true
			expected = append(expected, fmt.Sprintln(int64(f.Expected.Start), int64(f.Expected.Duration()), int32(f.Process.PID), surface))
		}
	}
	for _, list := range [][]string{actual, expected, links} {
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
	}
	compare("actual slices", `
		SELECT ts, dur, pid, IFNULL(p.name, ''), IFNULL(NULLIF(surface_frame_token, 0), 'none'), display_frame_token,
			jank_type, present_type, prediction_type, jank_severity_type, on_time_finish, gpu_composition, IFNULL(layer_name, '')
		FROM actual_frame_timeline_slice JOIN process p USING (upid)`, actual)
	// The one of no frame is left out: there is no frame for it here.
	compare("expected slices", `
		SELECT ts, dur, pid, IFNULL(NULLIF(surface_frame_token, 0), 'none')
		FROM expected_frame_timeline_slice JOIN process USING (upid) WHERE display_frame_token != 113`, expected)
	// Here a dropped frame is taken by none.
	compare("links", `
		SELECT a.ts, a.surface_frame_token, d.ts, d.display_frame_token
		FROM flow JOIN actual_frame_timeline_slice a ON a.id = slice_out JOIN actual_frame_timeline_slice d ON d.id = slice_in
		WHERE a.present_type != 'Dropped Frame'`, links)
}
