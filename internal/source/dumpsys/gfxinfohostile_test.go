package dumpsys_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ohframe/internal/source/dumpsys"
)

const (
	mark   = "---PROFILEDATA---\n"
	header = "Flags,IntendedVsync,FrameCompleted,\n"
	good   = "** Graphics info for pid 7 [good] **\nWindow: w\n" + mark + header + "0,1000000,2000000,\n" + mark
)

func TestExtremes(t *testing.T) {
	ends := []int64{math.MinInt64, -1, 0, 1, math.MaxInt64/4 - 1, math.MaxInt64 / 4, math.MaxInt64 - 1, math.MaxInt64}
	for _, columns := range []string{
		"Flags,FrameTimelineVsyncId,IntendedVsync,Vsync,FrameCompleted,FrameDeadline,FrameInterval,GpuCompleted,SwapBuffersCompleted,DisplayPresentTime,DequeueBufferDuration",
		"Flags,FrameTimelineVsyncId,IntendedVsync,Vsync,FrameCompleted,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,DisplayPresentTime,QueueBufferDuration",
	} {
		var b strings.Builder
		b.WriteString(good + mark + columns + "\n")
		for i := range len(ends) * len(ends) * len(ends) {
			x, y, z := ends[i%8], ends[i/8%8], ends[i/64]
			fmt.Fprintln(&b, strings.ReplaceAll(strings.Trim(fmt.Sprint([]int64{0, x, 1, y, 5, z, x, y, z, x, y}), "[]"), " ", ","))
			fmt.Fprintln(&b, strings.ReplaceAll(strings.Trim(fmt.Sprint([]int64{0, x, x, x, y, z, z, y, z, z, z}), "[]"), " ", ","))
		}
		b.WriteString(mark)
		timeline, _ := read(t, b.String(), dumpsys.Options{})
		for _, f := range timeline.Frames {
			for _, at := range []int64{int64(f.Actual.Start), int64(f.Actual.End), int64(f.Expected.End), int64(f.Deadline), int64(f.Present), int64(f.Period)} {
				if at < 0 || at > math.MaxInt64/2 {
					t.Fatalf("%s", f)
				}
			}
		}
	}
}
