package sql_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer"
	"ohframe/exporter/pftrace"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

// TestLives compares the processes, threads and frames of traces in which an id is that of one
// process after another with the model: the frame timeline, the tracks and the slices of
// threads are of the same processes.
func TestLives(t *testing.T) {
	enginetest.ForTest(t)
	texts := map[string]string{"freed": demoWith(t, freedLater), "freed and given again": demoWith(t, freedAgain)}
	stored := tracetest.Stored(t, "../../analyzer/internal/reconstruct/testdata/lives.txtar.zst")
	for i := 0; i < len(stored); i += 2 {
		if name := stored[i].Name; slices.Contains([]string{"only names", "three names", "one name, three processes", "one name, only an exit"}, name) {
			texts[name] = string(stored[i].Data)
		}
	}
	for _, name := range []string{"thread-id-again", "process-changes-later", "process-freed", "process-renamed"} {
		archive := must.Get(txtar.ParseFile("../../testdata/frames/" + name + ".txtar"))(t)
		texts[name] = string(archive.Files[0].Data)
	}
	for name, text := range texts {
		for _, o := range []pftrace.Options{{}, {NoEvents: true}} {
			if name != "only names" && name != "freed and given again" && o.NoEvents {
				continue
			}
			t.Run(name, func(t *testing.T) {
				output, timeline := convert(t, strings.NewReader(text), o)
				session := load(t, output)
				enginetest.CheckGate(t, session)
				if !o.NoEvents && (slow.Enabled() || strings.HasPrefix(name, "freed")) {
					checkModules(t, session, timeline)
				}
				checkLives(t, session, timeline, !o.NoEvents)
			})
		}
	}
}

// Markers of an application may have the names of tracks. They are on other tracks, and in no table.
func TestMarkersOnTracksOfTheSameName(t *testing.T) {
	enginetest.ForTest(t)
	var lines []string
	for _, name := range []string{"Frames", "FPS", "Refresh rate", "Report", "Hitches", "Interactions", "Components", "Vsyncs", "Layers", "Queue"} {
		for _, marker := range []string{"S|20480|" + name + "|1", "C|20480|" + name + "|777", "F|20480|" + name + "|1"} {
			lines = append(lines, " m.example.notes-20480 (20480) [000] ....  3700.469000: tracing_mark_write: "+marker)
		}
	}
	output, timeline := convert(t, strings.NewReader(demoWith(t, lines)), pftrace.Options{})
	session := load(t, output)
	must.Equal(t, enginetest.Query(t, session, "SELECT count(DISTINCT type) FROM track WHERE name = 'Hitches'").Rows[0][0], any(int64(3)), "types of tracks")
	checkModules(t, session, timeline)
	must.Equal(t, enginetest.Query(t, session, "SELECT count(*) FROM ohos_fps_over_time WHERE fps = 777").Rows[0][0], any(int64(0)), "counters of markers")
}

// freedLater ends a process of the demonstration, freedAgain gives its id to another one within.
var (
	freedLater = []string{
		" m.example.notes-20480 (20480) [000] ....  3700.469000: sched_process_exit: comm=m.example.notes pid=20480 prio=120",
		"  tppmgr-idle-0-270   (    2) [000] ....  3700.470000: sched_process_free: comm=m.example.notes pid=20480 prio=120",
	}
	freedAgain = []string{
		"  tppmgr-idle-0-270   (    2) [000] ....  3700.300000: sched_process_free: comm=m.example.notes pid=20480 prio=120",
		"  tppmgr-idle-0-270   (    2) [000] ....  3700.300100: task_newtask: pid=20480 comm=newapp clone_flags=0 oom_score_adj=0",
	}
)

// demoWith returns the demonstration with further lines.
func demoWith(t *testing.T, lines []string) string {
	t.Helper()
	data := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(t)
	stamp := func(line string) string {
		_, rest, _ := strings.Cut(line, ".... ")
		at, _, _ := strings.Cut(strings.TrimSpace(rest), ": ")
		return at
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		for len(lines) > 0 && stamp(line) > stamp(lines[0]) {
			b.WriteString(lines[0] + "\n")
			lines = lines[1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// checkLives compares processes that make frames, their threads and slices.
func checkLives(t *testing.T, session *engine.Session, timeline *analyzer.Timeline, events bool) {
	t.Helper()
	var processes, frames rows
	for _, p := range timeline.Processes {
		count := 0
		for f := range timeline.Complete() {
			if f.Process == p {
				count++
			}
		}
		if count == 0 {
			continue
		}
		processes.add(int64(p.PID), p.Name)
		frames.add(int64(p.PID), p.Name, int64(count), int64(count))
	}
	name := `ifnull(nullif(name, '/system/bin/surfaceflinger'), 'render_service')`
	compare(t, "processes", query(t, session, `SELECT pid, `+name+` FROM process WHERE pid IN (SELECT pid FROM process JOIN actual_frame_timeline_slice USING (upid)) ORDER BY pid, upid`), processes)
	compare(t, "frames", query(t, session, `
		SELECT pid, `+name+`,
			(SELECT count() FROM actual_frame_timeline_slice s WHERE s.upid = p.upid),
			(SELECT count() FROM slice s JOIN process_track k ON s.track_id = k.id WHERE k.upid = p.upid AND (k.name = 'Frames' OR k.name GLOB 'Frames (*'))
		FROM process p WHERE pid IN (SELECT pid FROM process JOIN actual_frame_timeline_slice USING (upid)) ORDER BY pid, upid`), frames)
	compare(t, "expected frames without an actual one in their process", query(t, session, `
		SELECT e.name FROM expected_frame_timeline_slice e
		WHERE NOT EXISTS (SELECT 1 FROM actual_frame_timeline_slice a WHERE a.upid = e.upid AND a.name = e.name)`), nil)
	if !events {
		return
	}
	// A slice of a thread is of the process that had the id of the main thread then.
	compare(t, "slices of a frame on a thread of another process", query(t, session, `
		SELECT s.name, s.ts FROM slice s
		JOIN thread_track k ON s.track_id = k.id JOIN thread USING (utid)
		JOIN actual_frame_timeline_slice a ON a.ts = s.ts AND s.name GLOB '*ReceiveVsync*'
		JOIN process p ON p.upid = a.upid
		WHERE p.pid = thread.tid AND thread.upid != a.upid`), nil)
	compare(t, "threads of frames without a name or a process", query(t, session, `
		SELECT tid FROM thread_track k JOIN thread t USING (utid) JOIN slice s ON s.track_id = k.id
		WHERE t.name IS NULL OR t.upid IS NULL GROUP BY utid`), nil)
}
