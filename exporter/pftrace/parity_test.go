package pftrace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// TestParity compares what Perfetto makes of a converted trace with what it makes of the
// text, table by table and row by row. The tracks of frames are left out. Each file of testdata/parity has a trace and the
// same text corrected for what Perfetto's import of text gets wrong (docs/dev/verification.md). A
// file without a trace is about the capture of its name.
func TestParity(t *testing.T) {
	enginetest.ForTest(t)
	paths, err := filepath.Glob("testdata/parity/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			parts := caseFile(t, path)
			text := parts["trace"]
			if name == "wakeups" {
				slow.Skip(t)
			}
			if text == "" {
				slow.Skip(t)
				capture := must.Get(os.ReadFile("../../testdata/captures/" + name + ".ftrace"))(t)
				text = string(capture)
			}
			output, _ := convert(t, text, Options{})
			content := &perfettopb.Trace{Packet: slices.DeleteFunc(packetsOf(t, output), func(p *perfettopb.TracePacket) bool { return ownEvent(p) != nil })}
			output = must.Get(proto.Marshal(content))(t)
			converted, imported := enginetest.Load(t, output), enginetest.Load(t, []byte(parts["perfetto"]))
			enginetest.CheckGate(t, converted)
			for _, table := range parityTables {
				compare(t, table.name, table.converted(t, converted), table.imported(t, imported))
			}
		})
	}
}

// parityTable is a table of Perfetto's. Columns with times of the trace are
// called ts, dur after its ts, or end in _ts.
type parityTable struct {
	name string
	sql  string
}

// parityTables are compared in full, in the order of time and, in it, of
// Perfetto's own ids where these say what came last.
var parityTables = []parityTable{
	{"slices", `
		SELECT s.ts, s.dur, s.name, s.category, s.depth, parent.name AS parent, track.type AS type, track.name AS track,
			tid, owner.pid AS owner, process.pid AS process, (
				SELECT group_concat(pair, '; ') FROM (
					SELECT key || '=' || display_value AS pair FROM args
					WHERE args.arg_set_id = s.arg_set_id AND ` + comparedArgs + ` ORDER BY key)
			) AS args
		FROM slice s
		JOIN track ON track.id = s.track_id
		LEFT JOIN slice parent ON parent.id = s.parent_id
		LEFT JOIN thread_track ON thread_track.id = s.track_id
		LEFT JOIN thread USING (utid)
		LEFT JOIN process owner ON owner.upid = thread.upid
		LEFT JOIN process_track ON process_track.id = s.track_id
		LEFT JOIN process ON process.upid = process_track.upid`},
	{"counters", `
		SELECT c.ts, c.value, track.type, track.name, process.pid, EXTRACT_ARG(track.dimension_arg_set_id, 'cpu') AS cpu,
			row_number() OVER (PARTITION BY c.track_id, c.ts ORDER BY c.id) AS position
		FROM counter c
		JOIN track ON track.id = c.track_id
		LEFT JOIN process_track ON process_track.id = c.track_id
		LEFT JOIN process USING (upid)`},
	{"scheduling", `
		SELECT ts, dur, ucpu, tid, end_state, priority FROM sched JOIN thread USING (utid)`},
	{"thread states", `
		SELECT s.ts, s.dur, s.ucpu, thread.tid, s.state, s.io_wait, s.blocked_function, waker.tid AS waker, awake.state AS waker_state
		FROM thread_state s
		JOIN thread USING (utid)
		LEFT JOIN thread waker ON waker.utid = s.waker_utid
		LEFT JOIN thread_state awake ON awake.id = s.waker_id`},
	{"wakings of what is awake", `
		SELECT s.ts, thread.tid, waker.tid AS waker, state.state, state.ts AS state_ts
		FROM spurious_sched_wakeup s
		JOIN thread USING (utid)
		LEFT JOIN thread waker ON waker.utid = s.waker_utid
		LEFT JOIN thread_state state ON state.id = s.thread_state_id`},
	{"flows", `
		SELECT a.ts, a.name, b.ts AS in_ts, b.name, track.type AS type
		FROM flow
		JOIN slice a ON a.id = slice_out
		JOIN slice b ON b.id = slice_in
		JOIN track ON track.id = a.track_id`},
	{"threads", `
		SELECT tid, thread.name, pid, is_main_thread FROM thread LEFT JOIN process USING (upid)`},
	{"processes", `
		SELECT pid, name AS process_name FROM process`},
}

// comparedArgs leaves out threads and processors by Perfetto's own ids, and what
// it counts of a row of a track that it may choose freely.
const comparedArgs = `key NOT IN ('utid', 'end_utid', 'cpu') AND key NOT LIKE 'legacy_unnestable_%'`

// imported returns the rows of a session that has the text, in which blanks of names are
// written as no-break spaces.
func (p parityTable) imported(t *testing.T, session *engine.Session) rows {
	t.Helper()
	var list rows
	for _, cells := range enginetest.Query(t, session, p.sql).Rows {
		for i, cell := range cells {
			if text, ok := cell.(string); ok {
				cells[i] = strings.ReplaceAll(text, "\u00a0", " ")
			}
		}
		list.add(cells...)
	}
	return list
}

// converted returns the rows of a session that has the converted trace: without tracks and
// names that the import of text does not make, and with times as it reads them.
func (p parityTable) converted(t *testing.T, session *engine.Session) rows {
	t.Helper()
	// Perfetto reads seconds as a floating point number and cuts off what is left after
	// the nanosecond.
	round := func(ns int64) int64 { return int64(float64(ns) / 1e9 * 1e9) }
	table := enginetest.Query(t, session, p.sql)
	var list rows
rows:
	for _, cells := range table.Rows {
		var at int64 // the time before a duration
		for i, column := range table.Columns {
			switch cell := cells[i].(type) {
			case string:
				switch {
				case column == "process_name":
					cells[i] = nil
				case column == "type" && (strings.HasSuffix(cell, "_frame_timeline") || strings.HasSuffix(cell, "irq")):
					continue rows
				}
			case int64:
				switch {
				case column == "ts" || strings.HasSuffix(column, "_ts"):
					at = cell
					cells[i] = round(at)
				case column == "dur" && cell >= 0:
					cells[i] = round(at+cell) - round(at)
				}
			}
		}
		list.add(cells...)
	}
	return list
}
