package stats_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// twoApplications is a third of a second with one of everything that can go
// wrong. Vsyncs are 10 ms apart, from 1000 ms on.
//
//	gallery  1000 and 1010 in time; 1020 takes 26 ms, so the vsync at 1030 is
//	         queued behind the one at 1040, which begins late and ends late; 1060
//	         has nothing to send; 1070 and, after a pause, 1300 are in time
//	notes    1050, 1060 and 1290 in time
//	render   1060 is late on its thread, 1080 on the GPU; 1080 takes notes' 1060
//	         and 1310 takes notes' 1290 a vsync too late; 1200 has nothing to do
func twoApplications() *analyzer.Timeline {
	const (
		late       = analyzer.MainLate
		gpuLate    = analyzer.GPULate
		empty      = analyzer.Empty
		misaligned = analyzer.Misaligned
	)
	s := &scene{}
	s.Span = interval(990, 1410)
	service, gallery, notes := s.process(1, "render_service"), s.process(100, "gallery"), s.process(200, "notes")

	r1 := s.render(service, 1010, 1011, 1014, 0)
	r1.Draw = interval(1012, 1015)
	show(r1, 1015, 1016, 1020)
	r2 := s.render(service, 1020, 1021, 1024, 0)
	r2.Draw = interval(1022, 1025)
	show(r2, 1025, 1026, 1030)
	r5 := s.render(service, 1050, 1051, 1055, misaligned)
	r5.Draw, r5.GPU = interval(1052, 1056), []analyzer.Interval{interval(1053, 1060)}
	show(r5, 1056, 1057, 1060)
	r6 := s.render(service, 1060, 1061, 1078, late|misaligned)
	r6.Draw = interval(1070, 1079)
	show(r6, 1079, 1080, 1090)
	r8 := s.render(service, 1080, 1081, 1083, gpuLate|misaligned)
	r8.Draw, r8.GPU = interval(1082, 1098), []analyzer.Interval{interval(1082, 1097)}
	show(r8, 1098, 1099, 1110)
	s.render(service, 1200, 1201, 1202, empty)
	r31 := s.render(service, 1310, 1311, 1313, misaligned)
	show(r31, 1315, 1316, 1350)
	s.render(service, 1400, 1401, 1402, analyzer.Truncated)

	send(s.app(gallery, 1000, 1001, 1005, 0), 1004, r1)
	send(s.app(gallery, 1010, 1011, 1016, 0), 1015, r2)
	send(s.app(gallery, 1020, 1021, 1047, late|misaligned), 1046, r5)
	queued := s.app(gallery, 1040, 1047, 1053, late|misaligned)
	queued.Coalesced = 1
	send(queued, 1052, r6)
	s.app(gallery, 1060, 1061, 1063, empty)
	send(s.app(gallery, 1070, 1071, 1074, 0), 1073, r8)
	send(s.app(gallery, 1300, 1301, 1306, 0), 1305, r31)

	send(s.app(notes, 1050, 1051, 1054, 0), 1053, r6)
	send(s.app(notes, 1060, 1061, 1065, misaligned), 1064, r8)
	send(s.app(notes, 1290, 1291, 1294, misaligned), 1293, r31)
	return &s.Timeline
}

func ptr[T any](x T) *T { return &x }

func stage(s stats.Stage, frames int, p50, p90, longest trace.Duration, ofLate int) stats.StageTimes {
	return stats.StageTimes{Stage: s, Frames: frames, P50: ptr(p50 * ms), P90: ptr(p90 * ms), Max: ptr(longest * ms), LongestOfLate: ofLate}
}

// bucket is one of the buckets that are a millisecond wide.
func bucket(name, frames int) stats.Bucket {
	return stats.Bucket{Name: name, From: name, Below: ptr(name + 1), Frames: frames}
}

func firstBucket(frames int) stats.Bucket {
	return stats.Bucket{Name: 5, From: 0, Below: ptr(6), Frames: frames}
}

// reportOfTwoApplications is worked out by hand; the comments say how.
func reportOfTwoApplications() *stats.Report {
	return &stats.Report{
		Interactions: []*stats.Interaction{}, Hangs: []stats.Hang{}, RefreshRates: []stats.RefreshRate{}, Components: []stats.Component{}, StateVariables: []stats.StateVariable{}, Layers: []*stats.Layer{}, Requesters: []stats.Requester{}, Callbacks: []stats.Callback{}, Summaries: []stats.Summary{},
		Span: &stats.Span{From: at(990), To: at(1410), Seconds: 0.42},
		Processes: []*stats.Process{
			{
				Kind: stats.Application, PID: 100, Name: "gallery",
				Observed:    &stats.Span{From: at(1001), To: at(1306), Seconds: 0.305},
				Frames:      stats.Counts{Complete: 7, Judged: 7, Late: 2, LateMain: 2, Empty: ptr(1), Misaligned: 2, Linked: 6},
				JankRate:    ptr(2.0 / 7),
				Lost:        ptr(20 * ms),
				Hangs:       &stats.Hangs{Time: 420 * ms, Ratio: ptr(0.0)},
				EmptyRate:   ptr(1.0 / 7),
				EmptyFrames: &stats.EmptyFrames{Frames: 1, WithoutSync: 1, DisplaySyncs: []stats.DisplaySync{}},
				Screens:     []stats.ScreenFrames{}, HWUI: []stats.ClassFrames{},
				NotBegun: &stats.NotBegun{Rate: ptr(0.0)},
				Refresh:  []stats.Refresh{{Rate: 100, Period: 10 * ms, Frames: 7}},
				FPS:      &stats.FPS{Event: stats.Present, Frames: 6, First: at(1020), Last: at(1350), Rate: ptr(5 / 0.11), All: 5 / 0.33, IdleShare: ptr(0.22 / 0.33), OfRefresh: ptr(5 / 11.0), Cadence: &stats.Cadence{Every: 3, Refresh: 100, Share: .5}},
				// Presents 1020 1030 1060 1090 1110 1350. 1030-1060: due at 1030, two
				// periods too long. 1060-1090: due at 1040, since that vsync's frame
				// was to be picked up at 1050 and another had queued up before it; two
				// periods too long. 1090-1110: nothing due at 1070, no hitch.
				// 1110-1350: nothing due from 1090 to 1310, which is idle,
				// then 10 ms too long.
				Hitches: &stats.Hitches{
					Gaps: 5, Time: 330 * ms, Idle: 220 * ms, Hitches: 3, Hitch: 50 * ms, LostFrames: 5, Ratio: ptr(50 / 0.11),
					Longest: 20 * ms, LongestAt: ptr(at(1030)),
				},
				// 1020 is picked up two vsyncs late and 1040 by a late render frame,
				// but both were late themselves; 1070's render frame is late on the GPU.
				WholeFrames:   stats.WholeFrames{Judged: 6, Late: 3, LateRate: ptr(0.5), Blame: stats.Blames{Application: 2, RenderGPU: 1}},
				LongestStreak: &stats.Streak{Frames: 2, TID: ptr(trace.TID(100)), At: ptr(at(1021)), VsyncID: ptr(int64(1020)), Until: ptr(at(1053))},
				Stutter:       stats.Stutter{Slight: 2}, // 1.7 and 0.3 periods
				// 2 3 4 5 5 6 26
				Durations: &stats.Durations{
					Frames: 7, P50: 5 * ms, P90: 26 * ms, Max: 26 * ms,
					Histogram: []stats.Bucket{firstBucket(5), bucket(6, 1), bucket(26, 1)},
				},
				DurationsInPeriods: &stats.DurationsInPeriods{Frames: 7, P50: 0.5, P90: 2.6, Max: 2.6},
				// Deadlines are a period after the vsync: -7 -6 -5 -4 -4 3 17
				Overruns: &stats.Overruns{Frames: 7, P50: -4 * ms, P90: 17 * ms, Max: 17 * ms},
				Latencies: stats.Latencies{
					VsyncToPresent:     &stats.Latency{Frames: 6, P50: 40 * ms, Max: 50 * ms}, // 20 20 40 40 50 50
					VsyncToStart:       &stats.Latency{Frames: 7, P50: 1 * ms, Max: 7 * ms},   // 1 1 1 1 1 1 7
					VsyncToRenderVsync: &stats.Latency{Frames: 6, P50: 10 * ms, Max: 30 * ms}, // 10 10 10 10 20 30
					Depth:              &stats.Depth{Frames: 6, P50: 4},
				},
				Stages: []stats.StageTimes{
					stage(stats.Receive, 7, 1, 7, 7, 1),      // 1 1 1 1 1 1 7; the longest of 1040's before its deadline
					stage(stats.UIWork, 7, 5, 26, 26, 1),     // 2 3 4 5 5 6 26; the longest of 1020's
					stage(stats.PickUp, 6, 6, 9, 9, 0),       // 5 6 6 7 8 9
					stage(stats.RenderMain, 6, 3, 17, 17, 0), // 2 2 3 3 4 17
					stage(stats.RenderDraw, 5, 4, 16, 16, 0), // 3 3 4 9 16
					stage(stats.RenderGPU, 2, 7, 15, 15, 0),  // 7 15
					stage(stats.CommitLayers, 6, 1, 1, 1, 0), // 1 1 1 1 1 1
					stage(stats.ToPresent, 6, 4, 34, 34, 0),  // 3 4 4 10 11 34
				},
				Worst: []stats.WorstFrame{
					{At: at(1021), Duration: 26 * ms, Overrun: 17 * ms, OverrunPeriods: ptr(1.7), Stage: ptr(stats.UIWork), TID: 100, VsyncID: 1020, RenderVsyncID: 1050},
					{At: at(1047), Duration: 6 * ms, Overrun: 3 * ms, OverrunPeriods: ptr(0.3), Stage: ptr(stats.Receive), TID: 100, VsyncID: 1040, RenderVsyncID: 1060},
				},
			},
			{
				Kind: stats.Application, PID: 200, Name: "notes",
				Observed: &stats.Span{From: at(1051), To: at(1294), Seconds: 0.243},
				Frames:   stats.Counts{Complete: 3, Judged: 3, Empty: ptr(0), Misaligned: 2, Linked: 3},
				JankRate: ptr(0.0),
				Lost:     ptr(0 * ms), Hangs: &stats.Hangs{Time: 420 * ms, Ratio: ptr(0.0)}, LongestStreak: &stats.Streak{},
				EmptyRate: ptr(0.0),
				Screens:   []stats.ScreenFrames{}, HWUI: []stats.ClassFrames{},
				NotBegun: &stats.NotBegun{Rate: ptr(0.0)},
				Refresh:  []stats.Refresh{{Rate: 100, Period: 10 * ms, Frames: 3}},
				FPS:      &stats.FPS{Event: stats.Present, Frames: 3, First: at(1090), Last: at(1350), Rate: ptr(2 / 0.05), All: 2 / 0.26, IdleShare: ptr(0.21 / 0.26), OfRefresh: ptr(2 / 5.0), Cadence: &stats.Cadence{Every: 2, Refresh: 100, Share: 1}},
				// 1090-1110: due at 1070, one period too long. 1110-1350: nothing due
				// from 1090 to 1300, then two periods too long.
				Hitches: &stats.Hitches{
					Gaps: 2, Time: 260 * ms, Idle: 210 * ms, Hitches: 2, Hitch: 30 * ms, LostFrames: 3, Ratio: ptr(30 / 0.05),
					Longest: 20 * ms, LongestAt: ptr(at(1110)),
				},
				WholeFrames: stats.WholeFrames{Judged: 3, Late: 3, LateRate: ptr(1.0), Blame: stats.Blames{RenderCPU: 1, RenderGPU: 1, PickUp: 1}},
				Durations: &stats.Durations{ // 3 3 4
					Frames: 3, P50: 3 * ms, P90: 4 * ms, Max: 4 * ms,
					Histogram: []stats.Bucket{firstBucket(3)},
				},
				DurationsInPeriods: &stats.DurationsInPeriods{Frames: 3, P50: 0.3, P90: 0.4, Max: 0.4},
				Overruns:           &stats.Overruns{Frames: 3, P50: -6 * ms, P90: -5 * ms, Max: -5 * ms}, // -6 -6 -5
				Latencies: stats.Latencies{
					VsyncToPresent:     &stats.Latency{Frames: 3, P50: 50 * ms, Max: 60 * ms}, // 40 50 60
					VsyncToStart:       &stats.Latency{Frames: 3, P50: 1 * ms, Max: 1 * ms},
					VsyncToRenderVsync: &stats.Latency{Frames: 3, P50: 20 * ms, Max: 20 * ms}, // 10 20 20
					Depth:              &stats.Depth{Frames: 3, P50: 5},
				},
				Stages: []stats.StageTimes{
					stage(stats.Receive, 3, 1, 1, 1, 0),
					stage(stats.UIWork, 3, 3, 4, 4, 0),
					stage(stats.PickUp, 3, 17, 18, 18, 0), // 8 17 18
					stage(stats.RenderMain, 3, 2, 17, 17, 0),
					stage(stats.RenderDraw, 2, 9, 16, 16, 0),
					stage(stats.RenderGPU, 1, 15, 15, 15, 0),
					stage(stats.CommitLayers, 3, 1, 1, 1, 0),
					stage(stats.ToPresent, 3, 11, 34, 34, 0),
				},
				Worst: []stats.WorstFrame{},
			},
			{
				Kind: stats.RenderService, PID: 1, Name: "render_service",
				Observed: &stats.Span{From: at(1011), To: at(1313), Seconds: 0.302},
				Frames: stats.Counts{Complete: 7, Judged: 7, Late: 2, LateMain: 1, LateGPU: 1, Empty: ptr(1),
					Misaligned: 4, Linked: 6, Presented: 6, Truncated: 1},
				JankRate:  ptr(2.0 / 7),
				Lost:      ptr(5 * ms),
				EmptyRate: ptr(1.0 / 7),
				Screens:   []stats.ScreenFrames{}, HWUI: []stats.ClassFrames{},
				Refresh: []stats.Refresh{{Rate: 100, Period: 10 * ms, Frames: 7}},
				Display: &stats.Display{Time: 400 * ms, Share: ptr(0.0)}, // from the vsync at 1010 to the end of the one at 1400
				FPS:     &stats.FPS{Event: stats.Present, Frames: 6, First: at(1020), Last: at(1350), Rate: ptr(5 / 0.12), All: 5 / 0.33, IdleShare: ptr(0.21 / 0.33), OfRefresh: ptr(5 / 12.0), Cadence: &stats.Cadence{Every: 3, Refresh: 100, Share: .5}},
				// As gallery's, but notes was waiting at 1070 and at 1300.
				Hitches: &stats.Hitches{
					Gaps: 5, Time: 330 * ms, Idle: 210 * ms, Hitches: 4, Hitch: 70 * ms, LostFrames: 7, Ratio: ptr(70 / 0.12),
					Longest: 20 * ms, LongestAt: ptr(at(1030)),
				},
				WholeFrames:   stats.WholeFrames{Judged: 9, Late: 6, LateRate: ptr(2.0 / 3), Blame: stats.Blames{Application: 2, RenderCPU: 1, RenderGPU: 2, PickUp: 1}},
				LongestStreak: &stats.Streak{Frames: 2, TID: ptr(trace.TID(1)), At: ptr(at(1061)), VsyncID: ptr(int64(1060)), Until: ptr(at(1097))},
				Stutter:       stats.Stutter{Slight: 2},
				Durations: &stats.Durations{ // 1 2 2 3 3 4 17
					Frames: 7, P50: 3 * ms, P90: 17 * ms, Max: 17 * ms,
					Histogram: []stats.Bucket{firstBucket(6), bucket(17, 1)},
				},
				DurationsInPeriods: &stats.DurationsInPeriods{Frames: 7, P50: 0.3, P90: 1.7, Max: 1.7},
				// Deadlines are one and a half: -13 -12 -11 -11 -5 2 3
				Overruns: &stats.Overruns{Frames: 7, P50: -11 * ms, P90: 3 * ms, Max: 3 * ms},
				Latencies: stats.Latencies{
					VsyncToPresent: &stats.Latency{Frames: 6, P50: 10 * ms, Max: 40 * ms}, // 10 10 10 30 30 40
					VsyncToStart:   &stats.Latency{Frames: 7, P50: 1 * ms, Max: 1 * ms},
					Depth:          &stats.Depth{Frames: 6, P50: 1},
				},
				Stages: []stats.StageTimes{
					stage(stats.Receive, 7, 1, 1, 1, 0),
					stage(stats.RenderMain, 7, 3, 17, 17, 1), // the longest of 1060's
					stage(stats.RenderDraw, 5, 4, 16, 16, 1), // the longest of 1080's
					stage(stats.RenderGPU, 2, 7, 15, 15, 0),
					stage(stats.CommitLayers, 6, 1, 1, 1, 0),
					stage(stats.ToPresent, 6, 4, 34, 34, 0),
				},
				Worst: []stats.WorstFrame{
					{At: at(1061), Duration: 17 * ms, Overrun: 3 * ms, OverrunPeriods: ptr(0.3), Stage: ptr(stats.RenderMain), TID: 1, VsyncID: 1060},
					{At: at(1081), Duration: 2 * ms, Overrun: 2 * ms, OverrunPeriods: ptr(0.2), Stage: ptr(stats.RenderDraw), TID: 1, VsyncID: 1080},
				},
			},
		},
	}
}

func TestCompute(t *testing.T) {
	sameJSON(t, stats.Compute(twoApplications(), stats.Options{}), reportOfTwoApplications())
}

func TestMatchProcess(t *testing.T) {
	for _, test := range []struct {
		pattern string
		want    string
	}{
		{"", "[gallery notes render_service]"},
		{"gallery", "[gallery]"},
		{"*s*", "[notes render_service]"},
		{"100", "[gallery]"},
		{"1", "[render_service]"},
		{"music", "[]"},
		{"GALL", "[gallery]"},
		{"com.example.gallery", "[]"}, // only a name of 15 bytes may have been cut
		{"e", "[gallery notes render_service]"},
		{"10", "[]"},
	} {
		filter := must.Get(stats.MatchProcess(test.pattern))(t)
		names := []string{}
		for _, p := range stats.Compute(twoApplications(), stats.Options{Process: filter}).Processes {
			names = append(names, p.Name)
		}
		must.Equal(t, fmt.Sprint(names), test.want, "pattern %q lets through", test.pattern)
	}
	match, err := stats.MatchName("com.example.Gallery")
	if err != nil || !match("example.gallery", 1) || match("xample.gallery", 1) || !match("com.example.gallery.x", 1) {
		t.Errorf("a full name: %v", err)
	}
	if _, err := stats.MatchProcess("[a"); err == nil {
		t.Error("a malformed pattern is no error")
	}
}

// Names of 15 bytes may be the ends of longer ones. A pattern matches if some longer name
// matches it, unless fewer than three characters of it besides wildcards are in the 15 bytes. Names of
// layers are whole.
func TestMatchCutName(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"com.example.*", "example.gallery", true}, // com.example.gallery
		{"COM.example.*", "m.example.notes", true}, // com.example.notes
		{"com.*.notes", "m.example.notes", true},
		{"com.example.note?", "m.example.notes", true},
		{"com.[e-f]xample.*", "example.gallery", true},
		{"[b-d]om.example.*", "m.example.notes", true},
		{`com\.example.*`, "example.gallery", true},
		{`com.exam\ple.*`, "example.gallery", true},
		{"com.example.*", "ohos.sceneboard", false}, // only the wildcard is left
		{"com.other.*", "example.gallery", false},
		{"com.example.*", "render_service", false}, // 14 bytes are a whole name
		{"com.example.*", "xample.gallery", false},
		{"*.notes.x", "m.example.notes", false},
		{"com.example.??", "example.gallery", false},
		{"[^a]*", "aaaaaaaaaaaaaaa", false},
		{"surface*", "example.gallery", false}, // by an e
		{"z*y", "example.gallery", false},
		{"com.*", "m.example.notes", false}, // by two characters
		{"com.*", "com.example.not", true},
		{"com.e*", "m.example.notes", true},
		{"é.example.*", "ple.gallery.app", true}, // é.example.gallery.app
	} {
		match := must.Get(stats.MatchName(test.pattern))(t)
		must.Equal(t, match(test.name, 1), test.want, "%q matches %q", test.pattern, test.name)
		layer := must.Get(stats.MatchLayer(test.pattern))(t)
		whole, _ := path.Match(strings.ToLower(test.pattern), test.name)
		must.Equal(t, layer(&analyzer.Layer{Name: test.name}), whole, "%q matches layer %q", test.pattern, test.name)
	}
}

// sameJSON reports where two values differ in JSON. Numbers may differ by a
// rounding error.
func sameJSON(t *testing.T, got, want any) {
	t.Helper()
	a, b := decoded(t, got), decoded(t, want)
	differences(a, b, "", func(path string, got, want any) { t.Errorf("%s is %v, want %v", path, got, want) })
}

// decoded returns a value as it is in JSON, which has no NaN and no infinity.
func decoded(t *testing.T, v any) (tree any) {
	t.Helper()
	text := must.Get(json.Marshal(v))(t)
	must.Do(t, json.Unmarshal(text, &tree))
	return tree
}

func differences(got, want any, path string, report func(path string, got, want any)) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			report(path, got, want)
			return
		}
		for key := range w {
			differences(g[key], w[key], path+"."+key, report)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			report(path, got, want)
			return
		}
		for i := range w {
			differences(g[i], w[i], fmt.Sprintf("%s[%d]", path, i), report)
		}
	case float64:
		if g, ok := got.(float64); !ok || math.Abs(g-w) > 1e-9*max(1, math.Abs(w)) {
			report(path, got, want)
		}
	default:
		if got != want {
			report(path, got, want)
		}
	}
}

// While frames are shown on another screen than the main one, this is no gap of the main one.
func TestOtherScreen(t *testing.T) {
	timeline := func(other bool) *analyzer.Timeline {
		s := &scene{}
		rs := s.process(1, "render_service")
		for _, at := range []int{1000, 1010, 1020, 1030, 1100, 1110, 1120} {
			f := s.render(rs, at, at+1, at+4, 0)
			f.Commit = analyzer.Interval{Start: f.Actual.End, End: f.Actual.End + 1}
			f.Present = f.Actual.End + 4_000_000
		}
		for _, at := range []int{1040, 1050, 1060, 1070, 1080, 1090} {
			f := s.render(rs, at, at+1, at+4, 0)
			if other {
				f.Screens = []analyzer.Screen{{ID: 5, Commit: analyzer.Interval{Start: f.Actual.End, End: f.Actual.End + 1}}}
			}
		}
		return &s.Timeline
	}
	gaps := func(other bool) int { return stats.Compute(timeline(other), stats.Options{}).Processes[0].Hitches.Gaps }
	if with, without := gaps(true), gaps(false); with != 5 || without != 6 {
		t.Errorf("%d gaps, %d without the other screen, want 5 and 6", with, without)
	}
}
