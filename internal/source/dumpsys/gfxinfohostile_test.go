package dumpsys_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/dumpsys"
	"ohframe/internal/testing/hostiletest"
)

const (
	mark   = "---PROFILEDATA---\n"
	header = "Flags,IntendedVsync,FrameCompleted,\n"
	good   = "** Graphics info for pid 7 [good] **\nWindow: w\n" + mark + header + "0,1000000,2000000,\n" + mark
	opened = good + "Window: v\n" + mark + header // a table that does not end
)

func TestHostile(t *testing.T) {
	lines := hostiletest.Lines
	hostiletest.Reader{
		Read: func(ctx context.Context, r io.Reader, l trace.Limits) (*analyzer.Timeline, []string, error) {
			timeline, dump, err := dumpsys.ReadGfxinfo(ctx, r, dumpsys.Options{Limits: l})
			return timeline, diag.Texts(dump.Warnings()), err
		},
		Pieces: 6000, Small: trace.Limits{Frames: 500, Strings: 500}, Heap: 12 << 20, Frames: 1000, Processes: 501,
		Inputs: []hostiletest.Input{
			{Name: "rows", Head: []byte(opened), Append: lines(func(i int) string { return fmt.Sprintf("0,%d,%d,\n", i+1, i+2) }), Warning: "limit: frames"},
			{Name: "skipped rows", Head: []byte(opened), Append: lines(func(i int) string { return fmt.Sprintf("4,%d,%d,\n", i+1, i+2) }), Warning: "limit: frames"},
			{Name: "processes", Head: []byte(good), Pieces: 6000, Append: lines(func(i int) string {
				return fmt.Sprintf("** Graphics info for pid %d [%s] **\n%s%s0,1,2,\n%s", i+10, strings.Repeat("x", 5000), mark, header, mark)
			}), Warning: "limit: strings"},
			{Name: "windows", Head: []byte(good), Pieces: 6000, Append: lines(func(i int) string {
				return fmt.Sprintf("Window: %d%s\n%s%s0,1,2,\n%s", i, strings.Repeat("x", 5000), mark, header, mark)
			}), Warning: "limit: strings"},
			{Name: "summaries", Head: []byte(good), Pieces: 6000, Append: lines(func(i int) string {
				return fmt.Sprintf("Package: x\nStats since: %d%s\nTotal frames rendered: 5\n", i, strings.Repeat("x", 5000))
			}), Warning: "limit: strings"},
			{Name: "packages that do not run", Head: []byte(good), Append: lines(func(i int) string { return "No process found for: \x1b[31mevil\n" }), Warning: "more packages not running"},
			{Name: "tables without columns", Head: []byte(good), Append: lines(func(i int) string { return mark + "A,B,C,\n1,2,3,\n" + mark }), Warning: "without the column IntendedVsync or FrameCompleted"},
			{Name: "columns", Head: []byte(good), Pieces: 100, Append: lines(func(i int) string {
				return mark + strings.Repeat("A,", 30_000) + header + strings.Repeat("1,", 30_000) + "\n" + mark
			})},
			{Name: "a line without an end", Head: []byte(good), Append: lines(func(i int) string { return strings.Repeat("x", 1000) }), Warning: "limit: line"},
		},
	}.Check(t)
}

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
