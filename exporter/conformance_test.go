package exporter

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/hitracetest"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

// convert converts a text trace, in the way that all tests do it.
func convert(t testing.TB, text string, options Options) ([]byte, *Summary) {
	t.Helper()
	var out bytes.Buffer
	summary, err := Convert(t.Context(), strings.NewReader(text), &out, options)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), summary
}

// conversion is a text trace, what became of it, and the trace processor that
// has it loaded.
type conversion struct {
	text    string
	output  []byte
	summary *Summary
	tokens  tokens
	session *engine.Session
}

const (
	testInput   = "some input.ftrace"
	testVersion = "v0.0-test"
)

func load(t *testing.T, text string, options analyzer.Options) *conversion {
	t.Helper()
	enginetest.ForTest(t)
	output, summary := convert(t, text, Options{Input: testInput, Version: testVersion, Analyzer: options, Events: AllEvents})
	tokens, _ := newTokens(summary.Timeline)
	return &conversion{text, output, summary, tokens, enginetest.Load(t, output)}
}

// traces calls test with the traces made here and those of tracetest.Paths.
func traces(t *testing.T, test func(t *testing.T, text string)) {
	t.Run("cases", func(t *testing.T) {
		t.Parallel()
		text, _ := casesTrace()
		test(t, text)
	})
	t.Run("long", func(t *testing.T) {
		slow.Skip(t)
		t.Parallel()
		test(t, longTrace())
	})
	t.Run("cut", func(t *testing.T) {
		slow.Skip(t)
		t.Parallel()
		text, _ := casesTrace()
		lines := slices.Collect(strings.Lines(text))
		for n := range 2 { // at each end in the midst of something
			test(t, strings.Join(lines[len(lines)/3+n:2*len(lines)/3+3*n], ""))
		}
	})
	for _, path := range tracetest.Paths(t) {
		t.Run(tracetest.Name(path), func(t *testing.T) {
			t.Parallel()
			test(t, tracetest.Read(t, path))
		})
	}
}

// TestConformance compares what Perfetto makes of converted traces with the
// timeline and with the text.
func TestConformance(t *testing.T) {
	traces(t, func(t *testing.T, text string) {
		c := load(t, text, analyzer.Options{})
		if err := c.summary.Timeline.Validate(); err != nil {
			t.Fatal(err)
		}
		enginetest.CheckGate(t, c.session)
		c.checkFrames(t)
		c.checkProcesses(t)
		c.checkMarkers(t)
		c.checkAttributes(t)
		c.checkClocks(t)
	})
}

func (c *conversion) checkFrames(t *testing.T) {
	t.Helper()
	timeline := c.summary.Timeline
	compare(t, "expected frames", query(t, c.session,
		"SELECT "+expectedColumns+" FROM expected_frame_timeline_slice s JOIN process USING (upid)"),
		expectedRows(timeline, c.tokens))
	compare(t, "actual frames", query(t, c.session,
		"SELECT "+actualColumns+" FROM actual_frame_timeline_slice s JOIN process USING (upid)"),
		actualRows(timeline, c.tokens))
	compare(t, "arrows", query(t, c.session, `
		SELECT app_process.pid, app.layer_name, app.ts, render_process.pid, render.ts
		FROM flow
		LEFT JOIN actual_frame_timeline_slice app ON slice_out = app.id
		LEFT JOIN actual_frame_timeline_slice render ON slice_in = render.id
		LEFT JOIN process app_process ON app.upid = app_process.upid
		LEFT JOIN process render_process ON render.upid = render_process.upid
		WHERE app.id IS NOT NULL OR render.id IS NOT NULL`),
		arrowRows(timeline))
}

// checkProcesses checks that Perfetto has the processes and threads of the
// timeline, with their names, and no others but those that it adds by itself:
// the idle process, main threads that never appear, and threads whose process
// nobody knows.
func (c *conversion) checkProcesses(t *testing.T) {
	t.Helper()
	var processes, threads rows
	for _, p := range c.summary.Timeline.Processes {
		if p.PID == 0 {
			continue
		}
		processes.add(int64(p.PID), or(p.Name))
		for _, thread := range p.Threads {
			threads.add(int64(thread.TID), or(thread.Name), int64(p.PID))
		}
	}
	compare(t, "processes", query(t, c.session, "SELECT pid, name FROM process WHERE pid != 0"), processes)
	got := query(t, c.session, "SELECT tid, thread.name, pid FROM thread LEFT JOIN process USING (upid) WHERE tid != 0")
	added := query(t, c.session, `
		SELECT tid, thread.name, pid FROM thread LEFT JOIN process USING (upid)
		WHERE tid != 0 AND (pid IS NULL OR tid = pid AND thread.name IS NULL)`)
	compare(t, "threads", without(got, without(added, threads)), threads)
	compare(t, "threads seen twice", query(t, c.session, "SELECT tid FROM thread GROUP BY tid HAVING count(*) > 1"), nil)
}

func (c *conversion) checkMarkers(t *testing.T) {
	t.Helper()
	want := markersOf(t, c.text)
	compare(t, "slices", c.threadSlices(t), want.slices)
	compare(t, "asynchronous slices", query(t, c.session, `
		SELECT s.ts, s.dur, s.name, track.name, pid
		FROM slice s
		JOIN process_track track ON s.track_id = track.id
		JOIN process USING (upid)
		WHERE track.type LIKE 'atrace_async_slice%'`), want.async)
	compare(t, "counters", query(t, c.session, `
		SELECT ts, value, track.name, pid
		FROM counter
		JOIN process_counter_track track ON counter.track_id = track.id
		JOIN process USING (upid)
		WHERE track.type = 'atrace_counter'`), want.counters)
	if got := c.summary.Unmatched; got != want.unmatched {
		t.Errorf("%d ends without a begin, want %d", got, want.unmatched)
	}
}

// threadSlices returns the slices of markers on threads, with the depth and the
// parent that they have among each other. Those of the kernel, such as binder
// transactions, stand between them; they have a category.
func (c *conversion) threadSlices(t *testing.T) rows {
	t.Helper()
	type slice struct {
		ts, name any
		depth    int
	}
	slices := map[any]*slice{nil: {depth: -1}}
	var r rows
	for _, row := range enginetest.Query(t, c.session, `
		SELECT s.id, s.parent_id, s.category IS NULL, s.ts, s.dur, s.name, tid
		FROM slice s
		JOIN thread_track track ON s.track_id = track.id
		JOIN thread USING (utid)
		WHERE track.type = 'thread_execution'
		ORDER BY s.id`).Rows {
		parent := slices[row[1]]
		if parent == nil {
			t.Fatalf("slice %v is inside of %v, which comes later", row[0], row[1])
		}
		if row[2] == int64(0) {
			slices[row[0]] = parent // what is inside of it is as if inside of its parent
			continue
		}
		s := &slice{row[3], row[5], parent.depth + 1}
		slices[row[0]] = s
		r.add(row[3], row[4], row[5], s.depth, row[6], parent.ts, parent.name)
	}
	return r
}

func (c *conversion) checkAttributes(t *testing.T) {
	t.Helper()
	timeline := c.summary.Timeline
	renumbered := 0
	for _, f := range shownFrames(timeline) {
		if c.tokens[f] != f.VsyncID {
			renumbered++
		}
	}
	number := func(n int) string { return fmt.Sprint(n) }
	var want rows
	for _, a := range [][2]string{
		{"version", testVersion},
		{"input", testInput},
		{"lines", number(len(slices.Collect(strings.Lines(c.text))))},
		{"clock_offset_ns", number(int(timeline.Clock.Offset))},
		{"clock_offset_source", timeline.Clock.Source.String()},
		{"start_ns", number(int(timeline.Span.Start))},
		{"end_ns", number(int(timeline.Span.End))},
		{"ends_without_begin", number(markersOf(t, c.text).unmatched)},
		{"frames", number(len(shownFrames(timeline)))},
		{"frames_truncated", number(len(timeline.Frames) - len(shownFrames(timeline)))},
		{"frames_renumbered", number(renumbered)},
	} {
		want.add("trace_attribute.ohframe."+a[0], a[1])
	}
	got := query(t, c.session, `
		SELECT name, coalesce(str_value, CAST(int_value AS TEXT)) FROM metadata
		WHERE name LIKE 'trace_attribute.%'`)
	if missing := without(want, got); len(missing) > 0 {
		t.Errorf("metadata has not %q, but %q", missing, got)
	}
}

// checkClocks checks that Perfetto converts trace time to what the text says of
// other clocks: the times at which vsyncs were due, and the time of day.
func (c *conversion) checkClocks(t *testing.T) {
	t.Helper()
	due := map[int64]bool{}
	for _, e := range hitracetest.Events(t, c.text) {
		if e.Word == hitrace.ReceiveVsync {
			due[int64(hitrace.ParseVsync(e.Marker.Label()).Now)] = true
		}
		if e.Marker.Phase != hitrace.Sync {
			continue
		}
		if sync, ok := hitrace.ParseClockSync(e.Marker.Name); ok && sync.Realtime != 0 {
			first := int64(c.summary.Timeline.Span.Start)
			got := query(t, c.session, fmt.Sprintf("SELECT to_realtime(%d), to_realtime(%d)", int64(e.Time), first))
			var want rows
			want.add(sync.Realtime, sync.Realtime-(int64(e.Time)-first))
			compare(t, "wall clock", got, want)
		}
	}
	table := enginetest.Query(t, c.session, "SELECT DISTINCT ts, to_monotonic(ts) FROM expected_frame_timeline_slice")
	for _, row := range table.Rows {
		if monotonic, _ := row[1].(int64); !due[monotonic] {
			t.Errorf("vsync at %v is due at %v by CLOCK_MONOTONIC, which the text does not say", row[0], row[1])
		}
	}
}
