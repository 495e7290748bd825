package surfaceflinger_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"ohframe/analyzer/limits"
	"ohframe/analyzer/surfaceflinger"
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

const good = "first\n16666667\n10\t100\t20\n"

var hostile = []struct {
	name string
	make func(i int) string
	over string
}{
	{"rows", func(i int) string { return fmt.Sprintln(i+1, i+200, i+2) }, "--limit frames"},
	{"layers", func(i int) string {
		return fmt.Sprintf("layer %d %s\n16666667\n1 %d 2\n", i, strings.Repeat("x", 5000), i+200)
	}, "--limit threads"},
	{"layers without rows", func(i int) string { return fmt.Sprintf("layer %d\n16666667\n", i) }, ""},
	{"names", func(i int) string { return fmt.Sprintln("name", i) }, ""},
	{"dumps", func(i int) string { return "16666667\n" }, ""},
	{"periods", func(i int) string { return fmt.Sprintf("%d\n1 %d 1\n", 1_000_000+i, i+200) }, "--limit frames"},
	{"equal rows", func(i int) string { return "10\t100\t20\n" }, ""},
	{"pending rows", func(i int) string { return fmt.Sprintln(i, math.MaxInt64, i) }, ""},
	{"long lines", func(i int) string { return strings.Repeat("1 ", 40_000) + "\n" }, "--limit line"},
	{"a line without an end", func(i int) string { return strings.Repeat("x", 1000) }, "--limit line"},
	{"numbers", func(i int) string { return strings.Repeat("1 ", 30_000) + "\n" }, ""},
}

func TestHostileMemory(t *testing.T) {
	const most = 8 << 20
	tight := limits.Limits{Frames: 500, Threads: 500}
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			n := 20_000
			if c.name == "long lines" || c.name == "numbers" {
				n = 200
			}
			peak := memtest.Peak(func() {
				timeline, stats, err := surfaceflinger.Read(t.Context(), io.MultiReader(strings.NewReader(good), &stream{n: n, make: c.make}), surfaceflinger.Options{Limits: tight})
				if err != nil {
					t.Fatal(err)
				}
				if err := timeline.Validate(); err != nil {
					t.Error(err)
				}
				said := strings.Join(stats.Warnings(), "\n")
				if !strings.Contains(said, c.over) || len(said) > 1000 {
					t.Errorf("the warnings are %.2000q, not of %s", said, c.over)
				}
				if len(timeline.Frames) > 2*tight.Frames || len(timeline.Processes) > tight.Threads+1 {
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
	for _, c := range hostile[:7] {
		t.Run(c.name, func(t *testing.T) {
			memtest.CheckLinear(t, 1500, func(n int) func() {
				text, err := io.ReadAll(&stream{n: n, make: c.make})
				if err != nil {
					t.Fatal(err)
				}
				return func() {
					if _, _, err := surfaceflinger.Read(t.Context(), io.MultiReader(strings.NewReader(good), bytes.NewReader(text)), surfaceflinger.Options{}); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}

func TestExtremes(t *testing.T) {
	ends := []int64{math.MinInt64, -1, 0, 1, math.MaxInt64 / 4, math.MaxInt64/4 + 1, math.MaxInt64 - 1, math.MaxInt64}
	var b strings.Builder
	b.WriteString("0\n")
	for _, x := range ends {
		for _, y := range ends {
			for _, z := range ends {
				fmt.Fprintln(&b, x, y, z)
			}
		}
	}
	if !surfaceflinger.Sniff([]byte("0\n1 2 3\n")) || surfaceflinger.Sniff([]byte("0\n")) || surfaceflinger.Sniff([]byte("0\n0\n1 2 3\n")) {
		t.Error("a period of zero is one only before a row")
	}
	timeline, stats := read(t, b.String(), surfaceflinger.Options{})
	for _, f := range timeline.Frames {
		if f.Actual.Start <= 0 || f.Actual.End > math.MaxInt64/4 || f.Period != 0 {
			t.Fatalf("%s", f)
		}
	}
	// Present at 1 and at the longest time that can be, with all desired and ready
	// times; later than that cannot be, but for those that wait.
	n := len(ends) * len(ends)
	if l := stats.Layers[0]; l.Shown != 2*n || l.Waiting != n || l.Pending != 4*n || stats.Damaged != 2*n {
		t.Errorf("%+v", stats)
	}
	said := strings.Join(stats.Warnings(), "\n")
	if !strings.Contains(said, `1 dumps have no refresh period: "layer"`) {
		t.Errorf("warnings %q", said)
	}
}

// Names do not reach a terminal as they are.
func TestNamesInWarnings(t *testing.T) {
	name := "evil\u202e" + strings.Repeat("x", 200)
	_, stats := read(t, good+name+"\n16666667\n", surfaceflinger.Options{})
	if w := stats.Warnings(); len(w) != 1 || !strings.Contains(w[0], `"evil\u202exxx`) || len(w[0]) > 150 {
		t.Errorf("warnings %q", w)
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
				timeline, _, err := surfaceflinger.Read(t.Context(), io.MultiReader(strings.NewReader(good), &stream{n: 1_500_000, make: c.make}), surfaceflinger.Options{})
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
