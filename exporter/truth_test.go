package exporter

import (
	"fmt"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/testing/engine/enginetest"
)

// TestCases checks what Perfetto shows of each frame against what was written
// down of it by hand, with nothing of ours between.
func TestCases(t *testing.T) {
	text, truths := casesTrace()
	c := load(t, text, analyzer.Options{})
	enginetest.CheckGate(t, c.session)

	var frames, arrows rows
	for _, f := range truths {
		var render any
		if f.render != 0 {
			render = f.render * 1000
		}
		frames.add(f.start*1000, f.pid, f.jank, f.present, truth(f.onTime), f.prediction, f.severity, render)
		if f.arrow {
			arrows.add(f.start*1000, f.pid, f.render*1000)
		}
	}
	compare(t, "frames", query(t, c.session, `
		SELECT frame.ts, pid, frame.jank_type, frame.present_type, frame.on_time_finish,
			frame.prediction_type, frame.jank_severity_type,
			iif(frame.surface_frame_token IS NULL, NULL, (
				SELECT render.ts FROM actual_frame_timeline_slice render
				WHERE render.surface_frame_token IS NULL AND render.display_frame_token = frame.display_frame_token))
		FROM actual_frame_timeline_slice frame
		JOIN process USING (upid)`), frames)
	compare(t, "arrows", query(t, c.session, `
		SELECT app.ts, pid, render.ts
		FROM flow
		JOIN actual_frame_timeline_slice app ON slice_out = app.id
		JOIN actual_frame_timeline_slice render ON slice_in = render.id
		JOIN process ON app.upid = process.upid`), arrows)

	// The number in the text finds the slice, on both timelines.
	for _, test := range []struct {
		name            string
		pid             int
		expected, count int
	}{
		{"1", app.pid, 1, 1},
		{"13", app.pid, 1, 2}, // handled twice
		{"11", app.pid, 1, 2}, // by two threads
		{"1", other.pid, 1, 1},
		{"51", rs.pid, 1, 1},
		{"60", rs.pid, 1, 1}, // comes again, under another number
		{"66", rs.pid, 0, 0}, // does not end
		{"19", app.pid, 0, 0},
	} {
		for table, want := range map[string]int{"expected": test.expected, "actual": test.count} {
			got := query(t, c.session, fmt.Sprintf(
				"SELECT count(*) FROM %s_frame_timeline_slice s JOIN process USING (upid) WHERE s.name = '%s' AND pid = %d",
				table, test.name, test.pid))
			if got[0] != fmt.Sprint(want) {
				t.Errorf("%s %s frames of process %d, want %d", got[0], table, test.pid, want)
			}
		}
	}
}

// TestClockOffset converts a trace whose device had slept, with an offset given.
func TestClockOffset(t *testing.T) {
	const slept = 500 * casePeriod * 1000 // nanoseconds
	x := &textTrace{}
	v := vsync{id: 7, now: due(0) - slept/1000, end: due(1) - slept/1000}
	x.appFrame(app, due(0)+100, due(0)+5_000, v, 1)
	x.mark(due(0)+200, other, "trace_event_clock_sync: realtime_ts=1700000000123")
	for name, options := range map[string]analyzer.Options{"inferred": {}, "given": {ClockOffset: offset(slept + 250)}} {
		t.Run(name, func(t *testing.T) {
			c := load(t, x.String(), options)
			enginetest.CheckGate(t, c.session)
			expected := due(0) * 1000
			if options.ClockOffset != nil {
				expected += 250
			} else {
				expected += 100_000 // the fastest line came so much after its vsync
			}
			var want rows
			want.add(expected, casePeriod*1000, v.now*1000, int64(1700000000123e6)+expected-(due(0)+200)*1000)
			compare(t, "expected frame by all clocks", query(t, c.session,
				"SELECT ts, dur, to_monotonic(ts), to_realtime(ts) FROM expected_frame_timeline_slice"), want)
		})
	}
}
