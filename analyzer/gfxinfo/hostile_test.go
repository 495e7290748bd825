package gfxinfo_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"ohframe/analyzer/gfxinfo"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/trace"
	"ohframe/internal/memtest"
)

// stream is a text that is made while it is read.
type stream struct {
	n, next int
	make    func(i int) string
	rest    string
}

func (s *stream) Read(b []byte) (int, error) {
	for s.rest == "" {
		if s.next == s.n {
			return 0, io.EOF
		}
		s.rest = s.make(s.next)
		s.next++
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

const (
	mark   = "---PROFILEDATA---\n"
	header = "Flags,IntendedVsync,FrameCompleted,\n"
	good   = "** Graphics info for pid 7 [good] **\nWindow: w\n" + mark + header + "0,1000000,2000000,\n" + mark
	opened = good + "Window: v\n" + mark + header // a table that does not end
)

var hostile = []struct {
	name, head string
	make       func(i int) string
	over       string
}{
	{"rows", opened, func(i int) string { return fmt.Sprintf("0,%d,%d,\n", i+1, i+2) }, "--limit frames"},
	{"skipped rows", opened, func(i int) string { return fmt.Sprintf("4,%d,%d,\n", i+1, i+2) }, "--limit frames"},
	{"unfinished rows", opened, func(i int) string { return fmt.Sprintf("0,%d,0,\n", i+1) }, "--limit frames"},
	{"processes", good, func(i int) string {
		return fmt.Sprintf("** Graphics info for pid %d [%s] **\n%s%s0,1,2,\n%s", i+10, strings.Repeat("x", 5000), mark, header, mark)
	}, "--limit strings"},
	{"packages", good, func(i int) string { return fmt.Sprintf("Package: %d\nJanky frames: 7\n", i) }, ""},
	{"windows", good, func(i int) string {
		return fmt.Sprintf("Window: %d%s\n%s%s0,1,2,\n%s", i, strings.Repeat("x", 5000), mark, header, mark)
	}, "--limit strings"},
	{"windows without a name", good, func(i int) string { return mark + header + "0,1,2,\n" + mark }, "--limit strings"},
	{"summaries of windows", good, func(i int) string {
		return fmt.Sprintf("Window: %d\nTotal frames rendered: %d\nHISTOGRAM:%s\n", i, math.MaxInt, strings.Repeat(" 5ms=978", 1000))
	}, ""},
	{"packages that do not run", good, func(i int) string { return "No process found for: \x1b[31mevil\n" }, "more packages are not running"},
	{"tables without columns", good, func(i int) string { return mark + "A,B,C,\n1,2,3,\n" + mark }, "lack the column IntendedVsync or FrameCompleted"},
	{"columns", good, func(i int) string {
		return mark + strings.Repeat("A,", 30_000) + header + strings.Repeat("1,", 30_000) + "\n" + mark
	}, ""},
	{"a line without an end", good, func(i int) string { return strings.Repeat("x", 1000) }, "--limit line"},
}

func TestHostileMemory(t *testing.T) {
	const most = 12 << 20
	tight := limits.Limits{Frames: 500, Strings: 500}
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			n := 6_000
			if c.name == "columns" {
				n = 100
			}
			peak := memtest.Peak(func() {
				timeline, dump, err := gfxinfo.Read(t.Context(), io.MultiReader(strings.NewReader(c.head), &stream{n: n, make: c.make}), gfxinfo.Options{Limits: tight})
				if err != nil {
					t.Fatal(err)
				}
				if err := timeline.Validate(); err != nil {
					t.Error(err)
				}
				said := strings.Join(dump.Warnings(), "\n")
				if !strings.Contains(said, c.over) || len(said) > 1000 || strings.Contains(said, "\x1b") {
					t.Errorf("the warnings are %.2000q, not of %s", said, c.over)
				}
				if len(timeline.Frames) > 2*tight.Frames || len(timeline.Processes) > tight.Strings+1 {
					t.Errorf("%d frames, %d processes", len(timeline.Frames), len(timeline.Processes))
				}
			})
			if peak > most {
				t.Errorf("%d MB at the most", peak>>20)
			}
		})
	}
}

func TestHostileTime(t *testing.T) {
	for _, c := range hostile[:9] {
		t.Run(c.name, func(t *testing.T) {
			memtest.CheckLinear(t, 1500, func(n int) func() {
				text, err := io.ReadAll(&stream{n: n, make: c.make})
				if err != nil {
					t.Fatal(err)
				}
				return func() {
					if _, _, err := gfxinfo.Read(t.Context(), io.MultiReader(strings.NewReader(c.head), bytes.NewReader(text)), gfxinfo.Options{}); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
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
		for _, interval := range []int64{0, 1, math.MaxInt64} {
			timeline, _ := read(t, b.String(), gfxinfo.Options{FrameInterval: trace.Duration(interval)})
			for _, f := range timeline.Frames {
				for _, at := range []int64{int64(f.Actual.Start), int64(f.Actual.End), int64(f.Expected.End), int64(f.Deadline), int64(f.Present), int64(f.Period)} {
					if at < 0 || at > math.MaxInt64/2 {
						t.Fatalf("interval %d: %s", interval, f)
					}
				}
			}
		}
	}
}

// What is wrong with a dump without the columns that are needed.
func TestUnusable(t *testing.T) {
	_, _, err := gfxinfo.Read(t.Context(), strings.NewReader("** Graphics info for pid 7 [a] **\n"+mark+"Flags,IntendedVsync,\n0,1,\n"+mark), gfxinfo.Options{})
	if !errors.Is(err, gfxinfo.ErrNoRows) || !strings.Contains(err.Error(), "1 tables lack the column IntendedVsync or FrameCompleted") {
		t.Errorf("error %v", err)
	}
}

// At the limits as they are: how much memory the worst input takes. It takes some
// minutes.
func TestHostileAtDefaults(t *testing.T) {
	if os.Getenv("OHFRAME_LARGE") != "1" {
		t.Skip("OHFRAME_LARGE=1 measures this")
	}
	const most = 4 << 30
	for _, c := range hostile {
		if c.name == "long lines" || c.name == "numbers" || c.name == "columns" || c.name == "summaries of windows" {
			continue // gigabytes of input
		}
		t.Run(c.name, func(t *testing.T) {
			begun := time.Now()
			peak := memtest.Peak(func() {
				timeline, _, err := gfxinfo.Read(t.Context(), io.MultiReader(strings.NewReader(c.head), &stream{n: 1_500_000, make: c.make}), gfxinfo.Options{})
				if err != nil {
					t.Fatal(err)
				}
				runtime.KeepAlive(timeline)
			})
			t.Logf("%d MB at the most, %s", peak>>20, time.Since(begun).Round(time.Second))
			if peak > most {
				t.Error("too much")
			}
		})
	}
}
