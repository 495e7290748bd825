package exporter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/exporter/internal/timeline"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
)

// loadCompat converts a text trace for Android's queries and loads it.
func loadCompat(t *testing.T, text string) *conversion {
	t.Helper()
	enginetest.ForTest(t)
	output, summary := convert(t, text, Options{AndroidCompat: true})
	tokens, _ := newTokens(summary.Timeline)
	return &conversion{text, output, summary, tokens, enginetest.Load(t, output)}
}

// TestAndroidCompat compares what Perfetto's own modules and metrics for Android
// answer with the timeline.
func TestAndroidCompat(t *testing.T) {
	frameTraces(t, func(t *testing.T, text string) {
		c := loadCompat(t, text)
		enginetest.CheckGate(t, c.session)
		c.checkCompatProcesses(t)
		c.checkAndroidFrames(t)
		c.checkJankTypes(t)
		c.checkFrameMetrics(t)
		c.checkSurfaceFlinger(t)
		c.checkFrameTimelineMetric(t)
	})
}

// The process that composes has Android's name; its threads and the other
// processes keep theirs.
func (c *conversion) checkCompatProcesses(t *testing.T) {
	t.Helper()
	composes := map[*analyzer.Process]bool{}
	for _, f := range c.summary.Timeline.Frames {
		if f.Kind == analyzer.RenderFrame {
			composes[f.Process] = true
		}
	}
	var processes, threads rows
	for _, p := range c.summary.Timeline.Processes {
		if p.PID == 0 {
			continue
		}
		name := or(p.Name)
		if composes[p] {
			name = "/system/bin/surfaceflinger"
		}
		processes.add(int64(p.PID), name)
		for _, thread := range p.Threads {
			threads.add(int64(thread.TID), or(thread.Name), int64(p.PID))
		}
	}
	compare(t, "processes", query(t, c.session, "SELECT pid, name FROM process WHERE pid != 0"), processes)
	if missing := without(threads, query(t, c.session, "SELECT tid, thread.name, pid FROM thread JOIN process USING (upid)")); len(missing) > 0 {
		t.Errorf("no threads %q", missing)
	}
}

// surfaceFrame is what a process drew for one number: Android has a frame for
// each layer, here each UI thread has.
type surfaceFrame struct {
	pid   trace.PID
	token int64
}

func (c *conversion) surfaceFrames() map[surfaceFrame][]*analyzer.Frame {
	groups := map[surfaceFrame][]*analyzer.Frame{}
	for _, f := range shownFrames(c.summary.Timeline) {
		if f.Kind == analyzer.ApplicationFrame {
			k := surfaceFrame{f.Process.PID, c.tokens[f]}
			groups[k] = append(groups[k], f)
		}
	}
	return groups
}

func (c *conversion) checkAndroidFrames(t *testing.T) {
	t.Helper()
	var frames, drawn, done rows
	for k, group := range c.surfaceFrames() {
		start, dur, tid := group[0].Actual.Start, trace.Duration(0), group[0].TID
		expected := false
		for _, f := range group {
			start, dur = min(start, f.Actual.Start), max(dur, f.Actual.Duration())
			expected = expected || hasExpected(f)
			done.add(int64(k.pid), int64(f.TID), k.token, int64(f.Actual.Start), int64(f.Actual.Duration()))
			drawn.add(int64(k.pid), int64(f.TID), k.token, int64(f.Actual.End), 0)
		}
		// The library takes the process from the expected frame.
		if !expected {
			frames.add(k.token, int64(start), int64(dur), len(group), len(group), nil, nil)
			continue
		}
		cells := []any{k.token, int64(start), int64(dur), len(group), len(group), int64(k.pid), int64(tid)}
		if len(group) > 1 {
			cells[6] = "any" // of the threads
		}
		frames.add(cells...)
	}
	const stage = `
		INCLUDE PERFETTO MODULE android.frames.timeline;
		SELECT pid, tid, frame_id, s.ts, s.dur
		FROM %s f
		JOIN slice s USING (id)
		JOIN process USING (upid)
		JOIN thread ON %s = thread.utid`
	compare(t, "doFrame", query(t, c.session, fmt.Sprintf(stage, "android_frames_choreographer_do_frame", "ui_thread_utid")), done)
	compare(t, "DrawFrame", query(t, c.session, fmt.Sprintf(stage, "android_frames_draw_frame", "render_thread_utid")), drawn)
	compare(t, "android_frames", query(t, c.session, `
		SELECT frame_id, ts, dur, actual_frame_timeline_count, draw_frame_count, process.pid,
			iif(process.pid IS NULL, NULL, iif(draw_frame_count > 1, 'any', tid))
		FROM android_frames f
		LEFT JOIN process USING (upid)
		LEFT JOIN thread ON ui_thread_utid = thread.utid`), frames)
}

// checkJankTypes checks whom the library blames for each frame.
func (c *conversion) checkJankTypes(t *testing.T) {
	t.Helper()
	var want rows
	for _, f := range shownFrames(c.summary.Timeline) {
		jank := tell(f).jank
		service, application := jank&(jankScheduling|jankCPU|jankGPU) != 0, jank&jankApp != 0
		want.add(int64(f.Process.PID), int64(f.Actual.Start), fmt.Sprint(c.tokens[f]), truth(service), truth(application), truth(service || application))
	}
	compare(t, "jank types", query(t, c.session, `
		INCLUDE PERFETTO MODULE android.frames.jank_type;
		SELECT pid, ts, s.name, android_is_sf_jank_type(jank_type), android_is_app_jank_type(jank_type), android_is_missed_frame_type(jank_type)
		FROM actual_frame_timeline_slice s
		JOIN process USING (upid)`), want)
}

// checkFrameMetrics compares the measures of frames whose number nothing else in
// the trace has: the library joins by it alone.
func (c *conversion) checkFrameMetrics(t *testing.T) {
	t.Helper()
	count := map[int64]int{}
	for _, f := range shownFrames(c.summary.Timeline) {
		count[c.tokens[f]]++
	}
	var want rows
	for k, group := range c.surfaceFrames() {
		f := group[0]
		if count[k.token] > 1 || !hasExpected(f) {
			continue
		}
		overrun, took := int64(f.Actual.End-f.Expected.End), int64(f.Actual.Duration())
		delay := int64(f.Actual.Start - f.Expected.Start)
		cpu := delay + took // nothing for drawing, which render_service does
		flag := func(yes bool) any {
			if yes {
				return 1
			}
			return nil
		}
		want.add(k.token, overrun, cpu, took, flag(overrun > 0), flag(cpu > 20e6), flag(cpu > 50e6), flag(cpu > 200e6), delay, took, 0, cpu)
	}
	if len(want) == 0 {
		t.Error("every number is of several frames")
	}
	compare(t, "frame metrics", query(t, c.session, `
		INCLUDE PERFETTO MODULE android.frames.per_frame_metrics;
		WITH
			once AS (SELECT name FROM actual_frame_timeline_slice GROUP BY name HAVING count() = 1),
			surface AS (
				SELECT CAST(name AS INTEGER) AS frame_id FROM actual_frame_timeline_slice JOIN once USING (name)
				WHERE surface_frame_token IS NOT NULL)
		SELECT frame_id, overrun, stats.cpu_time, ui_time, was_jank, was_slow_frame, was_big_jank, was_huge_jank,
			app_vsync_delay, do_frame_dur, draw_frame_dur, cpu.cpu_time
		FROM android_frame_stats stats
		JOIN surface USING (frame_id)
		LEFT JOIN android_cpu_time_per_frame cpu USING (frame_id)`), want)
}

// checkSurfaceFlinger checks which of render_service's frames the library finds
// for the applications'.
func (c *conversion) checkSurfaceFlinger(t *testing.T) {
	t.Helper()
	var want rows
	for k, group := range c.surfaceFrames() {
		seen := map[*analyzer.Frame]bool{}
		for _, f := range group {
			r := shownRender(f)
			if r == nil || f.Actual.Start > r.Actual.Start || seen[r] {
				continue
			}
			seen[r] = true
			want.add(int64(k.pid), k.token, int64(r.Process.PID), c.tokens[r])
		}
	}
	compare(t, "surfaceflinger", query(t, c.session, `
		INCLUDE PERFETTO MODULE android.surfaceflinger;
		SELECT app.pid, app_vsync, sf.pid, sf_vsync
		FROM android_app_to_sf_frame_timeline_match
		JOIN process app ON app_upid = app.upid
		JOIN process sf ON sf_upid = sf.upid`), want)
}

// frameTimelineMetric is what is compared of the metric of that name. Numbers of
// 64 bits are text in JSON.
type frameTimelineMetric struct {
	Metric struct {
		Total      json.Number `json:"total_frames"`
		MissedApps json.Number `json:"missed_app_frames"`
		Process    []struct {
			Process struct {
				Name string
				PID  json.Number
			}
			Total      json.Number `json:"total_frames"`
			Missed     json.Number `json:"missed_frames"`
			MissedApps json.Number `json:"missed_app_frames"`
			MissedSF   json.Number `json:"missed_sf_frames"`
			Max        json.Number `json:"frame_dur_max"`
			Average    json.Number `json:"frame_dur_avg"`
		}
	} `json:"android_frame_timeline_metric"`
}

func (c *conversion) checkFrameTimelineMetric(t *testing.T) {
	t.Helper()
	text, err := c.session.Metric("android_frame_timeline_metric", engine.MetricJSON)
	if err != nil {
		t.Fatal(err)
	}
	var metric frameTimelineMetric
	if err := json.Unmarshal([]byte(text), &metric); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var got, want rows
	for _, p := range metric.Metric.Process {
		got.add(p.Process.Name, string(p.Total), string(p.Missed), string(p.MissedApps), string(p.MissedSF), string(p.Max), string(p.Average))
	}
	total, missedApps := 0, 0
	for _, p := range c.summary.Timeline.Processes {
		type numbers map[int64]bool // of frames: the metric counts each once
		all, missed, apps, service := numbers{}, numbers{}, numbers{}, numbers{}
		var longest, sum trace.Duration
		n := 0
		name := p.Name
		for _, f := range shownFrames(c.summary.Timeline) {
			if f.Process != p {
				continue
			}
			if f.Kind == analyzer.RenderFrame {
				name = "/system/bin/surfaceflinger"
			}
			token, jank := c.tokens[f], tell(f).jank
			all[token] = true
			if jank&jankApp != 0 {
				apps[token], missed[token] = true, true
			}
			if jank&(jankScheduling|jankCPU|jankGPU) != 0 {
				service[token], missed[token] = true, true
			}
			longest, sum = max(longest, f.Actual.Duration()), sum+f.Actual.Duration()
			n++
		}
		if n == 0 {
			continue
		}
		total, missedApps = total+len(all), missedApps+len(apps)
		want.add(name, fmt.Sprint(len(all)), fmt.Sprint(len(missed)), fmt.Sprint(len(apps)), fmt.Sprint(len(service)),
			fmt.Sprint(int64(longest)), fmt.Sprint(int64(sum)/int64(n)))
	}
	compare(t, "metric", got, want)
	compare(t, "metric's sums", rows{string(metric.Metric.Total + " " + metric.Metric.MissedApps)}, rows{fmt.Sprint(total, missedApps)})
}

// Frames of one thread that overlap, as in dumps from Android, are all there.
func TestCompatOverlap(t *testing.T) {
	overlapping, tokens := overlappingTimeline()
	var out strings.Builder
	packets := packet.NewWriter(t.Context(), &out, false)
	writeProcesses(packets, timeline.CompatProcesses(overlapping), overlapping.Span.Start)
	timeline.Write(packets, overlapping, tokens, timeline.Options{AndroidCompat: true})
	packets.Flush()
	session := enginetest.Load(t, []byte(out.String()))
	enginetest.CheckGate(t, session)
	var stages, frames rows
	for _, f := range overlapping.Frames {
		stages.add(int64(f.TID), "Choreographer#doFrame "+fmt.Sprint(tokens[f]), int64(f.Actual.Start), int64(f.Actual.Duration()))
		stages.add(int64(f.TID), "DrawFrame "+fmt.Sprint(tokens[f]), int64(f.Actual.End), 0)
		frames.add(int64(f.Process.PID), int64(f.Actual.Start), int64(f.Actual.Duration()), fmt.Sprint(f.VsyncID), 0)
	}
	compare(t, "stages", query(t, session, `
		SELECT tid, slice.name, slice.ts, slice.dur
		FROM slice JOIN thread_track ON track_id = thread_track.id JOIN thread USING (utid)`), stages)
	compare(t, "frames", query(t, session, "WITH "+ours+" SELECT pid, ts, dur, name, depth FROM ours WHERE track GLOB 'Frames*'"), frames)
	compare(t, "tracks", query(t, session, "WITH "+ours+" SELECT DISTINCT track FROM ours"),
		rows{`"Frames"`, `"Frames (overlapping)"`, `"Frames (worker 8)"`})
}

// overlappingTimeline returns a timeline of frames that overlap on their threads.
func overlappingTimeline() (*analyzer.Timeline, tokens) {
	p := &analyzer.Process{PID: 7, Name: "busy", Threads: []analyzer.Thread{{TID: 7, Name: "busy"}, {TID: 8, Name: "worker"}}}
	timeline := &analyzer.Timeline{Processes: []*analyzer.Process{p}, Span: analyzer.Interval{Start: 1_000, End: 9_000}}
	for i, at := range []trace.Time{1_000, 1_500, 1_500, 3_000, 3_000} {
		for _, tid := range []trace.TID{7, 8} {
			timeline.Frames = append(timeline.Frames, &analyzer.Frame{
				Process: p, TID: tid, VsyncID: int64(i + 1), Actual: analyzer.Interval{Start: at, End: at + 1_500},
			})
		}
	}
	slices.SortStableFunc(timeline.Frames, func(a, b *analyzer.Frame) int { return int(a.Actual.Start - b.Actual.Start) })
	tokens, _ := newTokens(timeline)
	return timeline, tokens
}
