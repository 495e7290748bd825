package sql_test

import (
	"bytes"
	"io"
	"testing"

	"ohframe/internal/diff"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

// The plugin's tables have the rows of the public ones, also in a merged trace whose second side
// is moved.
func TestViz(t *testing.T) {
	enginetest.ForTest(t)
	traces := mergeable(t)
	var both bytes.Buffer
	write := func(name string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := w.Write(traces[name]); return err }
	}
	must.Do(t, diff.JoinPackets(&both, write("demo"), write("layers"), hour+1, 1, [2]string{"base: a", "new: b"}))
	traces["demo and layers"] = both.Bytes()
	const frame = "(SELECT id FROM _ohos_viz_frames(s.id) LIMIT 1)"
	for name, trace := range traces {
		session := load(t, trace)
		query(t, session, "INCLUDE PERFETTO MODULE ohos.viz; INCLUDE PERFETTO MODULE ohos.frames; INCLUDE PERFETTO MODULE ohos.layers; "+
			"INCLUDE PERFETTO MODULE ohos.interactions; SELECT 1")
		for what, wrong := range map[string]string{
			"late frames": "SELECT vsync_id FROM ohos_frame WHERE is_late AND event_id NOT IN (SELECT id FROM _ohos_viz_late)",
			"overruns":    "SELECT l.id FROM _ohos_viz_late AS l LEFT JOIN ohos_frame AS f ON f.event_id = l.id AND f.is_late WHERE f.overrun_ns IS NOT l.overrun_ns",
			"ends":        "SELECT l.id FROM _ohos_viz_late AS l JOIN ohos_frame AS f ON f.event_id = l.id WHERE l.end_ts <> f.work_end_ts",
			"lost time": `SELECT f.vsync_id FROM _ohos_viz_late AS f
				WHERE coalesce((SELECT sum(lost_ns) FROM _ohos_viz_lost WHERE frame_id = f.id), f.overrun_ns) <> f.overrun_ns`,
			"times of facts": `SELECT f.vsync_id FROM ohos_frame AS f
				WHERE (SELECT value FROM _ohos_viz_facts(f.event_id) WHERE name = 'deadline_ts') <> cast_string!(f.deadline_ts)`,
			"frames of the timeline": "SELECT f.vsync_id FROM ohos_frame AS f JOIN slice AS s USING (id) WHERE " + frame + " IS NOT f.event_id",
			"frames of a buffer": `SELECT s.sequence FROM ohos_buffer AS s LEFT JOIN ohos_frame AS f ON f.id = s.frame_id
				WHERE ` + frame + ` IS NOT f.event_id`,
			"worst of an interaction": `SELECT s.interaction FROM ohos_interaction AS s
				WHERE s.worst_frame IN (SELECT vsync_id FROM _ohos_viz_late) AND (SELECT vsync_id FROM ohos_frame_slice WHERE id = ` + frame + `) IS NOT s.worst_frame`,
			"parts": `SELECT s.name FROM _ohos_viz_late AS l JOIN _ohos_viz_pieces(l.id) AS s
				WHERE l.id NOT IN (SELECT f.id FROM _ohos_viz_frames(s.id) AS f)`,
			"frames without parts": `SELECT l.vsync_id FROM _ohos_viz_late AS l
				WHERE l.id IN (SELECT frame_id FROM _ohos_viz_cause) AND NOT EXISTS (SELECT 1 FROM _ohos_viz_pieces(l.id) WHERE leads_by = 'why')`,
			"stages": `SELECT s.name FROM slice AS s JOIN _ohos_viz_track AS v USING (track_id)
				WHERE v.leads_by = 'stage' AND (SELECT vsync_id FROM ohos_frame_slice WHERE id = ` + frame + `) IS NOT cast_int!(s.name)`,
			// Late buffers and hangs have no frame.
			"late ones": `SELECT s.name FROM slice AS s JOIN _ohos_viz_track AS v USING (track_id) JOIN _ohos_viz_late AS l ON l.ts = s.ts AND l.dur = s.dur
				WHERE v.leads_by = 'late' AND s.name GLOB l.vsync_id || ' late *' AND ` + frame + ` IS NOT l.id`,
		} {
			if rows := query(t, session, wrong); len(rows) > 0 {
				t.Errorf("%s: %s: %d differ, the first %v", name, what, len(rows), rows[0])
			}
		}
	}

	session := load(t, traces["demo"])
	compare(t, "late frames", query(t, session, "INCLUDE PERFETTO MODULE ohos.viz; SELECT count(*) FROM _ohos_viz_late"), count(9))
	// A frame that another one delayed lost its time to the cause of that one.
	compare(t, "root", query(t, session, "SELECT count(*) FROM _ohos_viz_lost AS a JOIN ohos_frame_slice AS f ON f.id = a.frame_id "+
		"WHERE f.vsync_id = 10033 AND title = 'waiting for storage in FlushLayoutTask (io_schedule)'"), count(1))
}
