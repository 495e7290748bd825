package why_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// variants are the ways in which scenes are traced, by name.
var variants = []struct {
	name   string
	change func(*simulate.Scene)
}{
	{"usual", func(*simulate.Scene) {}},
	{"decoys", func(s *simulate.Scene) { s.Decoys = true }},
	{"no functions", func(s *simulate.Scene) { s.NoBlockedReason = true }},
	{"spelling", func(s *simulate.Scene) { s.CRLF, s.NoTGID, s.ClockOffset = true, true, 12_345_678_901 }},
}

// scenes calls test with scenes of all causes, kernels, refresh rates and variants, with
// several seeds each.
func scenes(seeds int, test func(simulate.Scene)) {
	for i, cause := range simulate.Causes() {
		for _, kernel := range []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux} {
			for j, hz := range []int{60, 90, 120} {
				for k, v := range variants {
					for seed := range seeds {
						s := simulate.Scene{Kernel: kernel, RefreshHz: hz, Cause: simulate.Cause(cause), Seed: uint64(i + 7*j + 11*k + 31*seed)}
						v.change(&s)
						test(s)
					}
				}
			}
		}
	}
}

// played is a scene, the truth about it and what was found.
type played struct {
	scene    simulate.Scene
	truth    *simulate.Truth
	timeline *analyzer.Timeline
	causes   *why.Causes
}

func play(t testing.TB, s simulate.Scene) *played {
	t.Helper()
	var text bytes.Buffer
	truth, err := s.Generate(&text)
	if err != nil {
		t.Fatal(err)
	}
	p := &played{scene: s, truth: truth}
	p.timeline, p.causes = explain(t, &text)
	return p
}

// frame returns the explanation of a frame of the truth.
func (p *played) frame(c *simulate.CauseTruth) *why.Explanation {
	for f := range p.timeline.Complete() {
		if f.TID == c.TID && f.VsyncID == c.Vsync && (f.Kind == analyzer.RenderFrame) == (c.Kind == simulate.RenderFrame) {
			return p.causes.Of(f)
		}
	}
	return nil
}

// answer is what is found to be the cause of a frame.
func answer(e *why.Explanation) string {
	switch {
	case e == nil:
		return "no frame"
	case e.Outcome == why.NotLate && e.Shown != nil && e.Shown.Late > 0:
		s := e.Shown.Shares[0]
		return "shown late: " + s.Stage.String() + " " + s.Wait.String()
	case e.Outcome == why.NotLate && e.PickUp != nil:
		return "picked up late: " + e.PickUp.Reason.String()
	case e.Outcome == why.NotLate:
		return "on time"
	case e.Outcome == why.OneCause, e.Outcome == why.KnockOn:
		return e.Cause().Wait.String()
	}
	return e.Outcome.String()
}

// expected are the right answers. More work in a garbage collection is a collection;
// what happens without scheduling events, or while they are lost, is unknown.
func expected(s *simulate.Scene, c *simulate.CauseTruth) []string {
	switch {
	case c.Cause.ShowsLate() && s.NoBlockedReason && c.Wait == "fence" && c.Stage == "composer":
		return []string{"shown late: composer fence", "shown late: composer kernel"}
	case c.Cause.ShowsLate():
		return []string{"shown late: " + c.Stage + " " + c.Wait}
	case c.PickUp != "":
		return []string{"picked up late: " + c.PickUp}
	case !c.Late:
		return []string{"on time"}
	case c.Cause == simulate.CauseNoSched:
		return []string{"place_only"}
	case c.Cause == simulate.CauseLostEvents, c.Cause == simulate.CauseLostSwitches:
		return []string{"unknown"}
	case strings.HasPrefix(c.Slice, "PartialGC::"):
		return []string{"gc"}
	case c.Wait == "run.work":
		return []string{"run"}
	}
	if s.NoBlockedReason && c.Wait == "fence" {
		return []string{"fence", "kernel"}
	}
	return []string{c.Wait}
}

// place returns what is wrong with the place, the culprit and the root of a cause.
func misplaced(p *played, c *simulate.CauseTruth, e *why.Explanation) string {
	if e != nil && c.Cause.ShowsLate() && len(e.Shown.Shares) > 0 {
		return misplacedShare(c, &e.Shown.Shares[0])
	}
	if e == nil || e.Cause() == nil {
		return ""
	}
	s := e.Cause()
	if c.KnockOnOf != 0 && (e.Root == nil || e.Root.VsyncID != c.KnockOnOf) {
		return fmt.Sprintf("root %v, want frame %d", e.Root, c.KnockOnOf)
	}
	if !p.causes.Scheduled {
		return ""
	}
	return misplacedShare(c, s)
}

// misplacedShare is misplaced without the root.
func misplacedShare(c *simulate.CauseTruth, s *why.Share) string {
	if c.Slice != "" && s.Slice != c.Slice {
		return fmt.Sprintf("slice %q, want %q", s.Slice, c.Slice)
	}
	if c.Culprit == "" || c.Wait == "earlier_work" {
		return ""
	}
	if s.Culprit == nil {
		return "no culprit, want " + c.Culprit
	}
	_, thread, _ := strings.Cut(c.Culprit, ":")
	if s.Culprit.Thread != thread {
		return fmt.Sprintf("culprit %q, want %q", s.Culprit.Thread, thread)
	}
	if c.Leaf != "" && s.Culprit.Wait.String() != c.Leaf {
		return fmt.Sprintf("culprit's wait %q, want %q", s.Culprit.Wait, c.Leaf)
	}
	if c.LeafSlice != "" && s.Culprit.Slice != c.LeafSlice {
		return fmt.Sprintf("culprit's slice %q, want %q", s.Culprit.Slice, c.LeafSlice)
	}
	if c.Reason != "" && s.Reason != c.Reason {
		return fmt.Sprintf("reason %q, want %q", s.Reason, c.Reason)
	}
	return ""
}

// confusion counts answers.
type confusion struct {
	rows     map[string]map[string]int // cause, answer
	expected map[string]string
	frames   int
	right    int
	wrong    int // another cause, instead of none
	displace int
	spurious int
}

// add compares what was found in a scene with one cause.
func (m *confusion) add(t *testing.T, p *played) {
	t.Helper()
	injected := map[int64]bool{}
	app := true
	for _, c := range p.truth.Causes {
		app = app && c.Kind == simulate.AppFrame
		injected[c.Vsync] = c.Late
		row := string(c.Cause)
		e := p.frame(c)
		got, want := answer(e), expected(&p.scene, c)
		// The frame before the one that is delayed by it is late for more work.
		if c.Cause == simulate.CausePreviousFrame && c.Wait == "run.work" {
			row += " (the earlier one)"
		}
		if m.rows[row] == nil {
			m.rows[row] = map[string]int{}
		}
		m.expected[row] = want[0]
		m.rows[row][got]++
		judged := c.Late || want[0] != "on time"
		if judged {
			m.frames++
		} else if got != "on time" {
			m.spurious++
			t.Errorf("%s: frame %d: %s, but it is on time", name(p.scene), c.Vsync, got)
		}
		if slices.Contains(want, got) {
			if judged {
				m.right++
			}
			if text := misplaced(p, c, e); text != "" {
				m.displace++
				t.Errorf("%s: frame %d: %s", name(p.scene), c.Vsync, text)
			}
			continue
		}
		if e != nil && (e.Outcome == why.OneCause || e.Outcome == why.KnockOn || strings.Contains(got, "late: ") && !strings.HasSuffix(got, " unknown")) {
			m.wrong++
		}
		text := ""
		if e != nil {
			text = causetext.Sentence(p.causes, e)
		}
		t.Logf("%s: frame %d: %s, want %s: %s", name(p.scene), c.Vsync, got, want[0], text)
	}
	for f := range p.timeline.Complete() {
		e := p.causes.Of(f)
		if _, ok := injected[f.VsyncID]; ok {
			continue
		}
		if e.Overrun > 0 {
			m.spurious++
			t.Errorf("%s: frame %d is late without a cause", name(p.scene), f.VsyncID)
		}
		// A cause in the application does not change frames of render_service.
		if (p.scene.Cause.Harmless() || app) && p.scene.Cause != simulate.CauseVsyncLate && answer(e) != "on time" {
			m.spurious++
			t.Errorf("%s: frame %d: %s: %s%s", name(p.scene), f.VsyncID, answer(e), causetext.Shown(p.causes, e), causetext.PickUp(p.causes, e))
		}
	}
}

func name(s simulate.Scene) string {
	return fmt.Sprintf("%s %s %d Hz seed %d, decoys %t, no functions %t, CRLF %t", s.Cause, s.Kernel, s.RefreshHz, s.Seed, s.Decoys, s.NoBlockedReason, s.CRLF)
}

// table returns the result for docs/why.md: a summary, and the causes for which something
// else was found.
func (m *confusion) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d frames with one of %d injected causes: %.2f %% right, %.2f %% with a wrong cause, the rest without one.\n\n",
		m.frames, len(m.rows), 100*float64(m.right)/float64(m.frames), 100*float64(m.wrong)/float64(m.frames))
	b.WriteString("| injected | expected | frames | found, where it differs |\n|---|---|---|---|\n")
	for _, cause := range slices.Sorted(maps.Keys(m.rows)) {
		row := m.rows[cause]
		total, list := 0, []string{}
		for _, got := range slices.SortedFunc(maps.Keys(row), func(a, b string) int {
			return cmp.Or(cmp.Compare(row[b], row[a]), cmp.Compare(a, b))
		}) {
			total += row[got]
			list = append(list, fmt.Sprintf("`%s` %d", got, row[got]))
		}
		if row[m.expected[cause]] == total {
			continue
		}
		fmt.Fprintf(&b, "| %s | `%s` | %d | %s |\n", strings.ReplaceAll(cause, "_", " "), m.expected[cause], total, strings.Join(list, ", "))
	}
	return b.String()
}

const (
	document = "../../docs/why.md"
	begin    = "<!-- made by make causes -->\n"
	end      = "<!-- end of what make causes made -->\n"
)

// TestInjectedCauses finds the causes that scenes were generated with. make causes
// runs all scenes and writes the table of docs/why.md.
func TestInjectedCauses(t *testing.T) {
	slow.SkipRace(t)
	update := os.Getenv("OHFRAME_UPDATE_DOCS") != ""
	seeds, every := 1, slow.Of(13, 1)
	if update {
		seeds, every = 4, 1
	}
	m := confusion{rows: map[string]map[string]int{}, expected: map[string]string{}}
	n := 0
	scenes(seeds, func(s simulate.Scene) {
		if n++; n%every != 0 {
			return
		}
		p := play(t, s)
		m.add(t, p)
	})
	if m.right*100 < m.frames*98 || m.wrong*1000 > m.frames*5 {
		t.Errorf("%d of %d frames right, %d wrong", m.right, m.frames, m.wrong)
	}
	t.Logf("%d misplaced, %d spurious\n%s", m.displace, m.spurious, m.table())
	if update && !t.Failed() {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(text), begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the table", document)
		}
		if err := os.WriteFile(document, []byte(before+begin+"\n"+m.table()+"\n"+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
