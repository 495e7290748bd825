package reconstruct_test

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/simulate"
)

// A line of a trace of one screen, and the begin of a commit in it.
var (
	textLine  = regexp.MustCompile(`^ *(.+)-(\d+) +\( *(\d+)\) \[\d+\] \S+ +(\d+)\.(\d{6}): (\S+) (.*)`)
	committed = regexp.MustCompile(`H:CommitLayers (?:screenId:\d+, )?rate:\d+, ?now:(\d+), ?vsyncId:(\d+)`)
)

// shownOn says on which screens a frame of the display is shown, and which has its commit first.
type shownOn struct{ zero, five, fiveFirst bool }

// secondScreen adds commits of screen 5 to a trace of one screen, 0, and takes commits of that away.
// It returns the presents of screen 5, and the frames without one of screen 0, by vsync.
func secondScreen(text string, on func(frame int) shownOn) (string, map[int64]trace.Time, map[int64]bool) {
	type stamped struct {
		at   int64
		line string
	}
	var out []stamped
	presents, without := map[int64]trace.Time{}, map[int64]bool{}
	frame, gone, waits := 0, false, false
	for line := range strings.Lines(text) {
		m := textLine.FindStringSubmatch(line)
		if m == nil {
			out = append(out, stamped{0, line})
			continue
		}
		seconds, _ := strconv.ParseInt(m[4], 10, 64)
		micros, _ := strconv.ParseInt(m[5], 10, 64)
		at := seconds*1e6 + micros
		c := committed.FindStringSubmatch(line)
		if c == nil {
			switch {
			case gone && m[1] == "CompThread_0":
				waits = waits || strings.Contains(line, "PresentFence_0") && !strings.Contains(line, "signaled")
				continue
			case waits && m[1] == "PresentFence_0":
				waits = !strings.Contains(m[7], "E|")
				continue
			}
			out = append(out, stamped{at, line})
			continue
		}
		s := on(frame)
		frame++
		id, _ := strconv.ParseInt(c[2], 10, 64)
		if s.five {
			begin := at + 5
			if s.fiveFirst {
				begin = at - 5
			}
			add := func(thread string, after int64, marker string) {
				t := begin + after
				out = append(out, stamped{t, fmt.Sprintf("%16s (%5s) [001] .... %d.%06d: %s %s\n", thread, m[3], t/1e6, t%1e6, m[6], marker)})
			}
			add("CompThread_5-11188", 0, fmt.Sprintf("B|%s|H:CommitLayers rate:60,now:%s,vsyncId:%s,size:1,Names:Extend,zorder: 0,|M0538", m[3], c[1], c[2]))
			add("CompThread_5-11188", 0, fmt.Sprintf("B|%s|H:PresentFence_5 %d|M0538", m[3], 900+frame))
			add("CompThread_5-11188", 0, "E|"+m[3]+"|M0538")
			add("CompThread_5-11188", 0, "E|"+m[3]+"|M0538")
			add("PresentFence_5-11189", 1, fmt.Sprintf("B|%s|H:Waiting for PresentFence_5 %d|M0538", m[3], 900+frame))
			add("PresentFence_5-11189", 4000, "E|"+m[3]+"|M0538")
			presents[id] = trace.Time((begin + 4000) * 1000)
		}
		gone = !s.zero
		without[id] = gone
		if s.zero {
			out = append(out, stamped{at, line})
		}
	}
	slices.SortStableFunc(out, func(a, b stamped) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for _, s := range out {
		b.WriteString(s.line)
	}
	return b.String(), presents, without
}

// A second screen changes nothing on the main one, in whatever share of the frames it is and
// whichever is first, and has presents of its own.
func TestScreens(t *testing.T) {
	for name, on := range map[string]func(frame int) shownOn{
		"mirrored, second first":  func(int) shownOn { return shownOn{true, true, true} },
		"mirrored, either first":  func(n int) shownOn { return shownOn{true, true, n%3 == 0} },
		"half the rate":           func(n int) shownOn { return shownOn{true, n%2 == 0, true} },
		"a quarter, comes, goes":  func(n int) shownOn { return shownOn{true, n > 20 && n < 90 && n%4 == 1, n%8 == 1} },
		"main off for some":       func(n int) shownOn { return shownOn{n < 30 || n > 45, true, n%2 == 0} },
		"either":                  func(n int) shownOn { return shownOn{n%2 == 0, n%2 == 1, false} },
		"only the first few":      func(n int) shownOn { return shownOn{true, n < 5, true} },
		"second alone some times": func(n int) shownOn { return shownOn{n%7 != 3, n%7 == 3 || n%2 == 0, true} },
	} {
		t.Run(name, func(t *testing.T) {
			config := simulate.Default()
			config.Era, config.Duration = "6.1", 900*trace.Millisecond
			var plain bytes.Buffer
			truth, err := simulate.Write(&plain, config)
			if err != nil {
				t.Fatal(err)
			}
			text, presents, without := secondScreen(plain.String(), on)
			got, _, err := reconstruct.Analyze(t.Context(), strings.NewReader(text), hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset})
			if err != nil {
				t.Fatal(err)
			}
			if err := got.Validate(); err != nil {
				t.Fatal(err)
			}
			found := map[int64]*analyzer.Frame{}
			for f := range got.Complete() {
				if f.Kind == analyzer.RenderFrame {
					found[f.VsyncID] = f
				}
			}
			shown := 0
			for _, w := range truth.Frames {
				f := found[w.Vsync]
				if w.Kind != simulate.RenderFrame || f == nil || w.Truncated {
					continue
				}
				want := fmt.Sprintf("%d %d/%t, screen 5 %d", w.Commit, w.Present, w.PresentEstimated, presents[w.Vsync])
				if without[w.Vsync] {
					want = fmt.Sprintf("0 0/false, screen 5 %d", presents[w.Vsync])
				}
				var five trace.Time
				for _, s := range f.Screens {
					if s.ID == 5 {
						five = s.Present
						shown++
					}
				}
				if got := fmt.Sprintf("%d %d/%t, screen 5 %d", f.Commit.Start, f.Present, f.PresentEstimated, five); got != want {
					t.Errorf("frame %d: got %s, want %s", w.Vsync, got, want)
				}
			}
			if shown == 0 || shown != len(presents) {
				t.Errorf("%d frames on screen 5, want %d", shown, len(presents))
			}
		})
	}
}
