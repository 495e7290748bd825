package reconstruct_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

// compare reports a difference between two lists of lines.
func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// micros is a time of the capture, in microseconds after 13762 s.
func micros(at trace.Time) string {
	if !at.Known() {
		return "-"
	}
	return fmt.Sprint(int64(at-13762*trace.Time(trace.Second)) / 1000)
}

// The frames of the Android container in the capture of a video, as counted by hand in the
// text: begin and end of every Choreographer#doFrame with the DrawFrames of the same number,
// and of every commit and composite of SurfaceFlinger. The vsync of a frame is its jitterNanos
// before that counter's line. 641508 is resynced to 641518 in 20.3 ms, on the line at 937695.
func TestCaptureContainer(t *testing.T) {
	timeline, _ := analyze(t, capture(t, "harmonyos-6.1-video-90hz.ftrace"), reconstruct.Options{})
	var doFrames, commits []string
	for _, f := range timeline.Frames {
		text := fmt.Sprintf("%d %s-%s", f.VsyncID, micros(f.Actual.Start), micros(f.Actual.End))
		switch f.Framework {
		case analyzer.Choreographer:
			doFrames = append(doFrames, fmt.Sprintf("%s vsync %s draw %s-%s deadline %s late %v empty %v", text, micros(f.Vsync), micros(f.Draw.Start), micros(f.Draw.End), micros(f.Deadline), f.Late(), f.Facts.Has(analyzer.Empty)))
		case analyzer.Compositor:
			commits = append(commits, text)
		}
	}
	compare(t, "doFrames", doFrames, []string{
		"641493 792311-795659 vsync 791373 draw 793959-800736 deadline - late false empty false",
		"641501 809666-813789 vsync 808016 draw --- deadline - late false empty true",
		"641518 937471-973498 vsync 924509 draw --- deadline 957995 late true empty true",
		"641527 980420-983005 vsync 974438 draw 982535-984925 deadline - late false empty false",
		"641535 992212-992387 vsync 991081 draw --- deadline - late false empty true",
		"641543 1009080-1009483 vsync 1007725 draw --- deadline - late false empty true",
	})
	// From the begin of the commit to the end of the composite.
	compare(t, "commits", commits, []string{
		"641499 808316-811040", "641514 841724-844860", "641515 874865-876580", "641516 908424-911934",
		"641524 941522-944385", "641525 974750-976927", "641533 991393-994337", "641541 1008135-1010785",
	})
}

// The layers of the same capture, as counted by hand: the lines of FlushBuffer, Waiting for
// Acquire Fence (its end), acquire buffer sequence and, for the render frame around that, of the
// end of Waiting for PresentFence_0. dequeueBuffer is that of the thread whose binder calls lead
// to the FlushBuffer: for the first buffer it is before the capture.
func TestCaptureLayers(t *testing.T) {
	timeline, _ := analyze(t, capture(t, "harmonyos-6.1-video-90hz.ftrace"), reconstruct.Options{})
	var names []string
	var buffers [][]string
	for _, l := range timeline.Layers {
		names = append(names, fmt.Sprintf("%d %s %d %v %s %q", l.ID, l.Name, l.Queue, l.Process.PID, l.Process.Name, l.Framework))
		var list []string
		for _, b := range l.Buffers {
			frame := int64(0)
			if b.Frame != nil {
				frame = b.Frame.VsyncID
			}
			list = append(list, fmt.Sprintf("%d by %d: %s-%s %s %s %s %d %s %s %d", b.Sequence, b.TID, micros(b.Requested.Start), micros(b.Requested.End),
				micros(b.Queued), micros(b.Ready), micros(b.Acquired), b.Render.VsyncID, micros(b.Present), b.Fate, frame))
		}
		buffers = append(buffers, list)
	}
	compare(t, "layers", names, []string{
		`1 ShellAssistantAnco_162014756339724_10aa7df SurfaceView[com.ss.android.ugc.[...]shActivity]#1313_137Surface 8005819041453 17267 com.ss.android.ugc.aweme.lite ""`,
		`2 ShellAssistantAnco_200097Surface 8005819041440 17267 com.ss.android.ugc.aweme.lite "choreographer"`,
	})
	if len(buffers) != 2 {
		return
	}
	compare(t, "video", buffers[0], []string{
		"526713679 by 19050: --- 792724 794899 796617 475870 818449 shown 0",
		"526713681 by 19050: 822569-822640 825705 826804 830500 475873 851820 shown 0",
		"526713682 by 19050: 857096-857133 858405 858763 863031 475876 885089 shown 0",
		"526713679 by 19050: 889203-889245 891193 891673 896287 475878 918574 shown 0",
		"526713681 by 19050: 922728-922795 925928 927741 930589 475881 951842 shown 0",
		"526713682 by 19050: 956245-956311 958797 959701 962894 475883 985126 shown 0",
		"526713679 by 19050: 989668-989725 992382 994176 996222 475886 1018398 shown 0",
	})
	compare(t, "window", buffers[1], []string{
		"526713652 by 17597: 795035-795144 799305 799588 807659 475871 829624 shown 641493",
		"526713654 by 17597: 982854-982902 984538 988280 985471 475885 1007335 shown 641527",
	})

	measures := stats.Compute(timeline, stats.Options{}).Layers
	video := measures[0]
	// Seven presents from 818449 to 1018398 are 6 / 0.199949 s = 30.01 a second. All six
	// intervals are three vsyncs. Queue times in order are 3.830, 3.893, 4.097, 4.626, 4.661,
	// 4.795, 5.094 ms.
	if video.FPS == nil || math.Abs(*video.FPS-30) > 0.5 || video.Buffers != 7 || video.Shown != 7 || video.Dropped != 0 || video.Waiting != 0 ||
		video.Judged != 6 || *video.Late != 0 || *video.Early != 0 || *video.UnevenRate != 0 || *video.QueueP50 != 4.626 {
		t.Errorf("video %+v", video)
	}
	if window := measures[1]; window.Cadence != nil || window.Late != nil || window.Judged != 0 || window.Shown != 2 {
		t.Errorf("window %+v, want no cadence of two buffers", window)
	}
}
