package reconstruct_test

import (
	"fmt"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// captures has excerpts of captures of real devices.
const captures = "../../../testdata/captures/"

// capture returns the path of a whole capture of a real device, or skips the test.
func capture(t *testing.T, name string) string {
	t.Helper()
	return files(t, "traces/"+name)[0]
}

// unpaired returns the lines of a capture that end a slice which the same thread
// did not begin, and those that begin a slice which it does not end: a count
// of its own, which knows nothing of hitrace's parser.
func unpaired(t *testing.T, path string) (ends, begins []int) {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	marker := regexp.MustCompile(`-(\d+) +\([ \d-]+\) \[\d+\] \S+ +\d+\.\d+: (?:print|tracing_mark_write): ([BE])(?:\||\r?$)`)
	open := map[string][]int{}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		m := marker.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue
		}
		stack := open[m[1]]
		switch {
		case m[2] == "B":
			open[m[1]] = append(stack, number)
		case len(stack) > 0:
			open[m[1]] = stack[:len(stack)-1]
		default:
			ends = append(ends, number)
		}
	}
	for _, stack := range open {
		begins = append(begins, stack...)
	}
	slices.Sort(begins)
	return ends, begins
}

// checkDiagnostics compares all diagnostics of a timeline with those expected:
// how often each, and on which of its first lines.
func checkDiagnostics(t *testing.T, timeline *analyzer.Timeline, want map[analyzer.Diagnostic][]int) {
	t.Helper()
	for _, c := range timeline.Diagnostics.Counts {
		lines := want[c.Diagnostic]
		if c.Total != len(lines) || !slices.Equal(c.Lines, lines[:min(3, len(lines))]) {
			t.Errorf("%s: %d on lines %v, want %d on lines %v", c.Diagnostic, c.Total, c.Lines, len(lines), lines)
		}
	}
	must.Equal(t, len(timeline.Diagnostics.Counts), len(want), "diagnostics")
}

// videoFrames returns the frames of a video at 90 Hz, as read off the text: the
// lines of ReceiveVsync name:rs, CommitLayers rate:, and Waiting for PresentFence_0,
// each with the end that belongs to it.
func videoFrames(taken map[int64]string) (list []string) {
	const (
		second   = 13762_000000 // µs, to which the columns below are relative
		expected = 17183358     // expectedEnd - now in all of them
		period   = 11091679     // of all GenerateVsyncCount, and (expected + 5 ms) / 2
	)
	for _, w := range []struct {
		vsyncID, now       int64 // ns
		start, end         int64 // of ReceiveVsync
		drawStart, drawEnd int64 // of RenderFrame, which most frames of a video do without
		commit, committed  int64
		present            int64
	}{
		{475870, 13762795961748, 796290, 798944, 0, 0, 806810, 816252, 818449},
		{475871, 13762807054883, 807303, 810079, 0, 0, 817976, 827242, 829624},
		{475873, 13762829234680, 829808, 833678, 0, 0, 839644, 849947, 851820},
		{475874, 13762840327108, 840584, 845792, 845088, 846413, 850471, 859040, 862893},
		{475876, 13762862510265, 862720, 865166, 0, 0, 873129, 881534, 885089},
		{475878, 13762895789112, 896085, 898282, 0, 0, 906340, 917598, 918574},
		{475879, 13762906882012, 907189, 912064, 911461, 912730, 918030, 928646, 929684},
		{475881, 13762929066359, 929990, 933822, 0, 0, 939673, 949804, 951842},
		{475883, 13762962342858, 962670, 964938, 0, 0, 972905, 982289, 985126},
		{475885, 13762984526155, 984872, 988131, 0, 0, 995025, 1004978, 1007335},
		{475886, 13762995618426, 995902, 998516, 0, 0, 1006498, 1016048, 1018398},
	} {
		ns := func(column int64) int64 { return (second + column) * 1000 }
		text := fmt.Sprintf("render %d render_service 1864/1864 actual %d..%d expected %d..%d period %d",
			w.vsyncID, ns(w.start), ns(w.end), w.now, w.now+expected, period)
		if w.drawStart != 0 {
			text += fmt.Sprintf(" draw %d..%d", ns(w.drawStart), ns(w.drawEnd))
		}
		if takes := taken[w.vsyncID]; takes != "" {
			text += " takes " + takes
		}
		list = append(list, text+fmt.Sprintf(" commit %d..%d present %d", ns(w.commit), ns(w.committed), ns(w.present)))
	}
	return list
}

// windowTaken are the frames of the window in the container whose buffers render frames take, by
// the numbers of their vsyncs: those around the AcquireBuffer of queue 8005819041440.
var windowTaken = map[int64]string{475871: "17267/641493", 475885: "17267/641527"}

// renderFrames returns render_service's frames as text.
func renderFrames(frames iter.Seq[*analyzer.Frame]) (list []string) {
	for f := range frames {
		if f.Kind == analyzer.RenderFrame {
			list = append(list, f.String())
		}
	}
	return list
}

// An excerpt of a video on a HarmonyOS phone has the first two frames, and the begin of the third.
// It has no binder calls, so nothing links the window to its frames.
func TestCaptureExcerptVideo90Hz(t *testing.T) {
	timeline, totals := analyze(t, captures+"harmonyos-6.1-video-90hz.ftrace", reconstruct.Options{})
	if totals.Lines != 960 || totals.Events != 960 || len(totals.Problems.Counts()) != 0 {
		t.Errorf("%d lines, %d events, problems %v", totals.Lines, totals.Events, totals.Problems.Counts())
	}
	// The smallest of the 7 differences: 13762.807102 at now:13762807092188.
	clock := analyzer.ClockOffset{Source: analyzer.ClockGenerateVsync, Samples: 7, Measured: 9812, Lag: 7 * trace.Microsecond}
	must.Equal(t, timeline.Clock, clock, "clock")
	if got, want := renderFrames(timeline.Complete()), videoFrames(nil)[:2]; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if all := renderFrames(slices.Values(timeline.Frames)); len(all) != 3 {
		t.Errorf("frames %v, want a third", all)
	}
	if last := timeline.Frames[len(timeline.Frames)-1]; !last.Facts.Has(analyzer.Truncated) || last.VsyncID != 475873 {
		t.Errorf("the last frame is %v, want one that is truncated", last)
	}
}

// A HarmonyOS phone, 233 ms at 90 Hz, playing a video in an Android container. The numbers
// were read off the text: the lines of ReceiveVsync name:rs, CommitLayers rate:, and Waiting
// for PresentFence_0, each with the end that belongs to it.
func TestCaptureVideo90Hz(t *testing.T) {
	path := capture(t, "harmonyos-6.1-video-90hz.ftrace")
	timeline, totals := analyze(t, path, reconstruct.Options{})

	// Two of the lines are blank.
	if totals.Lines != 27845 || totals.Events != 27843 || totals.Problems.Lost() != 0 || totals.Problems.Ignored() != 2 {
		t.Errorf("%d lines, %d events, problems %v", totals.Lines, totals.Events, totals.Problems.Counts())
	}
	// The smallest of the 39 differences is on line 8697: 13762.865330 at now:13762865323125.
	clock := analyzer.ClockOffset{Source: analyzer.ClockGenerateVsync, Samples: 39, Measured: 6875, Lag: 7 * trace.Microsecond}
	must.Equal(t, timeline.Clock, clock, "clock")

	if got, want := renderFrames(slices.Values(timeline.Frames)), videoFrames(windowTaken); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Six frames of an application and eight of SurfaceFlinger: TestCaptureContainer. The render frames and
	// the late one are judged; which frames are empty is known but of SurfaceFlinger's.
	must.Equal(t, timeline.Counts(), (analyzer.Counts{Frames: 11 + 6 + 8, Judged: 11 + 1, EmptyKnown: 11 + 6, Presented: 11, Linked: 2, Late: 1, Empty: 4}), "counts")

	// Ends without begins are of slices that began before the capture: on 14
	// threads, and never after a begin of theirs that is open. The wait for fence
	// 350342 began after its commit, and the capture has only the fence of that.
	ends, _ := unpaired(t, path)
	must.Equal(t, len(ends), 33, "ends without begins in the text")
	checkDiagnostics(t, timeline, map[analyzer.Diagnostic][]int{analyzer.UnmatchedEnd: ends, analyzer.FenceUnmatched: {216}})
}

// checkBundle checks what a capture of an installation and its excerpt have in
// common: twelve lines of header, no frames, and the same end.
func checkBundle(t *testing.T, path string, events int) *analyzer.Timeline {
	t.Helper()
	timeline, totals := analyze(t, path, reconstruct.Options{})
	if totals.Lines != events+12 || totals.Events != events || totals.Problems.Lost() != 0 || totals.Problems.Ignored() != 12 {
		t.Errorf("%d lines, %d events, problems %v", totals.Lines, totals.Events, totals.Problems.Counts())
	}
	if len(timeline.Frames) != 0 || len(timeline.Diagnostics.MissingMarkers) != 4 {
		t.Errorf("%d frames, missing %v", len(timeline.Frames), timeline.Diagnostics.MissingMarkers)
	}
	// hitrace stopped at "realtime_ts=1503658729660".
	must.Equal(t, timeline.Wall, (analyzer.WallClock{At: 535832_232952000, Unix: 1503658729660_000000}), "wall clock")
	// parent_ts=535832.250000 is 17 ms after its line: less than the 62.5 ms
	// of precision, so that is no contradiction.
	must.Equal(t, timeline.Clock.Contradicted, 0, "clock contradicted by")
	return timeline
}

func TestCaptureExcerptBundle(t *testing.T) {
	path := captures + "openharmony-4-bundle.ftrace"
	timeline := checkBundle(t, path, 420)
	ends, _ := unpaired(t, path)
	checkDiagnostics(t, timeline, map[analyzer.Diagnostic][]int{analyzer.UnmatchedEnd: ends})
}

// An OpenHarmony 4 device installing an application: no frames.
func TestCaptureBundle(t *testing.T) {
	path := capture(t, "openharmony-4-bundle-5flags.ftrace")
	timeline := checkBundle(t, path, 6138)
	// Three slices begin on the threads 6841, 6842 and 6908 and end, a few lines on,
	// on thread 6909: the work moved.
	ends, begins := unpaired(t, path)
	if !slices.Equal(begins, []int{1364, 1801, 4813}) || !slices.Equal(ends, []int{1368, 1804, 4827}) {
		t.Errorf("begins without end %v, ends without begin %v", begins, ends)
	}
	checkDiagnostics(t, timeline, map[analyzer.Diagnostic][]int{analyzer.UnmatchedEnd: ends})
}

// Captures of a browser's benchmark, in the payload grammar of 5.0 and of 5.1.1:
// counters and no frames. In each, one line of another process is from another
// day, by 50 000 s and by 270 000 s.
func TestCaptureBench(t *testing.T) {
	for _, test := range []struct {
		path          func(t *testing.T) string
		lines, events int
		stray         int
	}{
		{func(t *testing.T) string { return captures + "openharmony-5.0-browser.ftrace" }, 64, 55, 12},
		{func(t *testing.T) string { return capture(t, "hitrace-bench-5.1.1.ftrace") }, 69, 60, 69},
	} {
		t.Run(fmt.Sprint(test.lines, " lines"), func(t *testing.T) {
			timeline, totals := analyze(t, test.path(t), reconstruct.Options{})
			if totals.Lines != test.lines || totals.Events != test.events || totals.Problems.Ignored() != 8 {
				t.Errorf("%d lines, %d events, %d ignored, want %d, %d, 8", totals.Lines, totals.Events, totals.Problems.Ignored(), test.lines, test.events)
			}
			problems := totals.Problems.Counts()
			if len(problems) != 1 || problems[0].Problem != hitrace.StrayTime || !slices.Equal(problems[0].Lines, []int{test.stray}) {
				t.Errorf("problems %v, want the time of line %d", problems, test.stray)
			}
			if got := timeline.Span.Duration(); got > 10*trace.Second {
				t.Errorf("the trace spans %v", got)
			}
			must.Equal(t, len(timeline.Frames), 0, "frames")
			checkDiagnostics(t, timeline, nil)
		})
	}
}
