package exporter

import (
	"cmp"
	"os"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/why/place"
)

// waitsTrace is a trace with a frame for each of several causes.
func waitsTrace(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/why/waits.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func loadWithCauses(t *testing.T, text string) (*engine.Session, *analyzer.Timeline) {
	t.Helper()
	enginetest.ForTest(t)
	data, summary := convert(t, text, Options{Causes: true})
	session := enginetest.Load(t, data)
	enginetest.CheckGate(t, session)
	return session, summary.Timeline
}

// whySlices are the slices about causes in Perfetto's tables.
const whySlices = `why AS (
	SELECT s.id, s.ts, s.dur, s.depth, s.name, track.name AS track, pid
	FROM slice s
	JOIN process_track track ON s.track_id = track.id
	JOIN process USING (upid)
	WHERE track.name GLOB 'Why*' OR track.name GLOB 'Waited for*')`

// TestWhyByHand compares the slices of two frames with what their lines say. In the
// first, the main thread waits for a worker that holds a lock; the second begins late.
func TestWhyByHand(t *testing.T) {
	session, _ := loadWithCauses(t, waitsTrace(t))
	var want rows
	add := func(track string, from, to int, name string) {
		want.add(100, track, from*1000, (to-from)*1000, name)
	}
	add("Why", 1_120_000, 1_120_150, "waiting for the vsync · start")
	add("Why", 1_120_150, 1_120_170, "waiting for a CPU · start")
	add("Why", 1_120_170, 1_120_180, "running · start")
	add("Why", 1_120_180, 1_120_190, "running · ReceiveVsync")
	add("Why", 1_120_190, 1_120_200, "running · OnVsyncEvent")
	add("Why", 1_120_200, 1_120_210, "running · UIVsyncTask")
	add("Why", 1_120_210, 1_121_200, "running · FlushLayoutTask")
	add("Why", 1_121_200, 1_130_150, "waiting for a thread of the same process · FlushLayoutTask · gallery:worker")
	add("Why", 1_130_150, 1_130_170, "waiting for a CPU · FlushLayoutTask")
	add("Why", 1_130_170, 1_131_180, "running · FlushLayoutTask")
	add("Why", 1_131_180, 1_131_190, "running · UIVsyncTask")
	add("Why", 1_131_190, 1_131_200, "running · FlushMessages")
	add("Why", 1_131_200, 1_131_220, "running · MarshRSTransactionData")
	add("Why", 1_131_220, 1_131_230, "running · FlushMessages")
	add("Why", 1_131_230, 1_131_240, "running · UIVsyncTask")
	add("Why", 1_131_240, 1_131_250, "running · OnVsyncEvent")
	add("Waited for", 1_121_200, 1_130_150, "gallery:worker · running · HoldLock")
	compare(t, "slices", query(t, session, "WITH "+whySlices+" SELECT pid, track, ts, dur, name FROM why WHERE pid = 100 AND ts BETWEEN 1120000000 AND 1139999999"), want)

	want = nil
	want.add("waiting for a thread of the same process · FlushLayoutTask · gallery:worker", "gallery:worker · running · HoldLock")
	compare(t, "arrows", query(t, session, "WITH "+whySlices+`
		SELECT a.name, b.name FROM flow JOIN why a ON slice_out = a.id JOIN why b ON slice_in = b.id
		WHERE a.pid = 100 AND a.ts BETWEEN 1120000000 AND 1139999999`), want)

	want = nil
	want.add("busy with an earlier frame · 17", 1_170_000_000)
	compare(t, "a frame that begins late", query(t, session, "WITH "+whySlices+" SELECT name, ts FROM why WHERE pid = 100 AND name GLOB 'busy*'"), want)
}

// TestWhyTracks checks the tracks about causes of every trace: that they contain all the
// time of late frames and nothing else, and that arrows lead from waits to those who
// were waited for at the time.
func TestWhyTracks(t *testing.T) {
	enginetest.ForTest(t)
	arrows, named := 0, 0
	check := func(t *testing.T, text string) {
		session, timeline := loadWithCauses(t, text)
		compare(t, "slices within others", query(t, session, "WITH "+whySlices+" SELECT track, ts, name FROM why WHERE depth > 0 OR dur <= 0"), nil)
		compare(t, "time of late frames", query(t, session, "WITH "+whySlices+" SELECT pid, sum(dur) FROM why WHERE track GLOB 'Why*' GROUP BY pid"), lateTime(timeline))
		compare(t, "arrows to other times", query(t, session, "WITH "+whySlices+`
			SELECT a.track, a.ts, b.track, b.ts FROM flow JOIN why a ON slice_out = a.id LEFT JOIN why b ON slice_in = b.id
			WHERE NOT coalesce(replace(a.track, 'Why', 'Waited for') = b.track AND a.pid = b.pid AND b.ts >= a.ts AND b.ts + b.dur <= a.ts + a.dur, FALSE)`), nil)
		arrows += len(query(t, session, "WITH "+whySlices+" SELECT 1 FROM flow JOIN why ON slice_out = why.id"))
		compare(t, "lost time", query(t, session, `
			SELECT pid, unit, ts, value FROM counter JOIN process_counter_track track ON track_id = track.id JOIN process USING (upid)
			WHERE track.name = 'Lost time'`), expectLost(timeline))
		checkArrows(t, session)
		named += checkNames(t, session)
		compareWhyTree(t, session)
	}
	frameTraces(t, check)
	t.Run("waits", func(t *testing.T) { check(t, waitsTrace(t)) })
	if !t.Failed() && (arrows < 6 || named < 100) {
		t.Errorf("%d arrows, %d names", arrows, named)
	}
}

// checkNames checks that the main thread ran in the slice, and in no other, whose name a
// piece of running has. It returns the number of such pieces.
func checkNames(t *testing.T, session *engine.Session) int {
	t.Helper()
	table := enginetest.Query(t, session, "WITH "+whySlices+`
		SELECT why.ts, why.name, s.name, max(s.depth) AS depth, s.ts <= why.ts AND s.ts + iif(s.dur < 0, 1 << 60, s.dur) >= why.ts + why.dur
		FROM why JOIN thread ON thread.tid = why.pid JOIN thread_track tt USING (utid)
			JOIN slice s ON s.track_id = tt.id AND s.ts < why.ts + why.dur AND s.ts + iif(s.dur < 0, 1 << 60, s.dur) > why.ts AND s.category IS NOT 'binder'
		WHERE why.track = 'Why' AND why.name GLOB 'running · *' AND why.name NOT IN ('running · start') AND why.name NOT GLOB '* · several slices *'
		GROUP BY why.id`)
	for _, row := range table.Rows {
		if want := "running · " + string(place.AppendKey(nil, []byte(row[2].(string)))); row[1] != want || row[4] != int64(1) {
			t.Errorf("at %v: %q, but the thread was in %q: %v", row[0], row[1], row[2], row[4])
		}
	}
	return len(table.Rows)
}

// lateTime returns the time of the late frames of each process: from when they should
// have begun to their end.
func lateTime(timeline *analyzer.Timeline) (r rows) {
	sums := map[int64]int64{}
	for _, f := range shownFrames(timeline) {
		if !f.Late() || f.Deadline == 0 || f.Overrun() <= 0 {
			continue
		}
		start := min(f.Actual.Start, f.Deadline)
		if f.Expected.Start != 0 {
			start = min(start, f.Expected.Start)
		} else {
			for _, main := range shownFrames(timeline) {
				if main.Process == f.Process && main.VsyncID == f.VsyncID && main.Expected.Start != 0 {
					start = min(start, main.Expected.Start)
				}
			}
		}
		sums[int64(f.Process.PID)] += int64(f.End() - start)
	}
	for pid, sum := range sums {
		r.add(pid, sum)
	}
	return r
}

// expectLost are the values of the counters of lost time.
func expectLost(timeline *analyzer.Timeline) (r rows) {
	for _, p := range timeline.Processes {
		var frames []*analyzer.Frame
		late := false
		for _, f := range shownFrames(timeline) {
			if f.Process == p && f.Deadline != 0 {
				frames = append(frames, f)
				late = late || f.Overrun() > 0
			}
		}
		slices.SortStableFunc(frames, func(a, b *analyzer.Frame) int { return cmp.Compare(a.End(), b.End()) })
		last := -1.0
		for _, f := range frames {
			value := float64(f.Overrun()) / 1e6
			if late && value != last {
				r.add(int64(p.PID), "ms", int64(f.End()), value)
			}
			last = value
		}
	}
	return r
}

// compareWhyTree checks that the tracks about causes are below those of frames and
// above those of stages.
func compareWhyTree(t *testing.T, session *engine.Session) {
	t.Helper()
	compare(t, "order of tracks", query(t, session, `
		INCLUDE PERFETTO MODULE viz.summary.track_event;
		WITH
			place AS (
				SELECT upid, g.order_id, g.name, parent.name AS parent,
					CASE
						WHEN g.name GLOB 'Frames (*' THEN 1
						WHEN g.name GLOB 'Why*' OR g.name GLOB 'Waited for*' THEN 2
						WHEN g.name = 'Lost time' THEN 4
						WHEN g.name IN ('Report', 'Hitches') THEN 5
						ELSE 3
					END AS place
				FROM _track_event_tracks_ordered_groups g LEFT JOIN track parent ON g.parent_id = parent.id
				WHERE (has_data OR has_children) AND g.name != 'Frames' AND upid IS NOT NULL
			)
		SELECT a.name, b.name FROM place a JOIN place b USING (upid)
		WHERE a.parent = 'Frames' AND b.parent = 'Frames' AND a.place < b.place AND a.order_id > b.order_id
		UNION ALL
		SELECT name, parent FROM place WHERE place IN (2, 4) AND parent != 'Frames'`), nil)
}
