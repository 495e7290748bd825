package why_test

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// Each file of testdata/why has the cases of one rule of docs/why.md: a comment with the
// rule, and pairs of frames and what is found about them. Frames are lines such as
//
//	8 × FlushBuild( run 2 ) FlushLayoutTask( run 3 io 1.5 )
//
// All numbers are milliseconds. A frame of the application begins on its vsync and does one
// thing after the other; a name with parentheses is a slice, with _ for spaces. S:501( … ) is
// a wait in state S that thread 501 ends, after it did what is in the parentheses. S:20 1.5 is
// one that thread 20 ends without having run before. A line that begins with main( is a frame of
// render_service, with its steps on the way to the display. What follows idle is done after the
// work on the frame, but before its ReceiveVsync ends. A line that begins with hang is what the main
// thread of the application does between frames. The lines before the first frame are
// settings:
//
//	period 10   the refresh period, which is the time to the deadline as well; 1.5 of
//	            them for render_service
//	every 100   from one vsync to the next
//	later 0.999 how much later deadlines are, in microseconds
//	received 1  how much later than their vsyncs frames begin
//	show …      what the lines say besides the outcome and the shares
//	limit …     a limit, as in --limit
//	without …   a pattern of the lines that the trace does not have
//
// Frames are numbered from 1. The player has the words for what a thread does.
func TestCases(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/why/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive := must.Get(txtar.ParseFile(path))(t)
			if len(archive.Comment) == 0 || len(archive.Files) == 0 || len(archive.Files)%2 > 0 {
				t.Fatal("a case has a comment and pairs of frames and verdicts")
			}
			for i := 0; i < len(archive.Files); i += 2 {
				frames, verdicts := archive.Files[i], archive.Files[i+1]
				if frames.Name != "frames" || verdicts.Name != "verdicts" {
					t.Fatalf("files %s and %s", frames.Name, verdicts.Name)
				}
				if got := found(t, string(frames.Data)); got != string(verdicts.Data) {
					t.Errorf("%s\n%s\ngot:\n%swant:\n%s", archive.Comment, frames.Data, got, verdicts.Data)
				}
			}
		})
	}
}

// found returns what is found about frames.
func found(t *testing.T, frames string) string {
	p := &player{period: 10_000, every: 100_000}
	p.change(1, 500, "S", 0)
	p.change(1, 1000, "S", 0)
	for line := range strings.Lines(frames) {
		p.play(t, strings.Fields(strings.ReplaceAll(line, ")", " ) ")))
	}
	timeline, causes := explained(t, p)
	list := slices.SortedFunc(timeline.Complete(), func(a, b *analyzer.Frame) int { return cmp.Compare(a.VsyncID, b.VsyncID) })
	must.Equal(t, len(list), p.frames, "complete frames")
	var b strings.Builder
	last, from, to := "", int64(0), int64(0)
	flush := func() {
		switch {
		case last == "":
		case from == to:
			fmt.Fprintf(&b, "%d %s\n", from, last)
		default:
			fmt.Fprintf(&b, "%d-%d %s\n", from, to, last)
		}
	}
	for _, f := range list {
		e := causes.Of(f)
		checkPieces(t, e)
		text := p.describe(causes, e)
		if text == last {
			to = f.VsyncID
			continue
		}
		flush()
		last, from, to = text, f.VsyncID, f.VsyncID
	}
	flush()
	for _, h := range timeline.Hangs {
		x := causes.OfHang(h)
		checkHangPieces(t, x)
		fmt.Fprintf(&b, "hang %s: %s\n", ms(h.Duration()), causetext.Hang(x))
		for i := range x.Path {
			fmt.Fprintf(&b, "  %s in %s\n", ms(x.Path[i].Value), causetext.WorkSlice(x.Path[i].Slice, x.Path[i].Calls, x.Path[i].Arguments))
		}
	}
	return b.String()
}

// checkHangPieces checks that the pieces of a hang follow one another and are what its thread did.
func checkHangPieces(t *testing.T, e *why.Explanation) {
	t.Helper()
	at, rest := e.Start, map[why.Wait]trace.Duration{}
	for _, w := range e.Work().Waits {
		rest[w.Wait] += w.Value
	}
	for _, p := range e.Pieces {
		if p.Start != at || p.Stage != why.NoStage {
			t.Errorf("a piece of a hang from %d in stage %s, the one before ends at %d", p.Start, p.Stage, at)
		}
		at = p.End
		rest[p.Wait] -= p.End.Sub(p.Start)
	}
	for wait, d := range rest {
		if d != 0 {
			t.Errorf("the pieces of a hang lack %s of %s", d, wait)
		}
	}
}

// explained returns the frames that were played, and why they were late.
func explained(t *testing.T, p *player) (*analyzer.Timeline, *why.Causes) {
	t.Helper()
	zero := trace.Duration(0)
	recorder := threads.NewRecorder(p.limits)
	timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(p.text()), hitrace.Options{}, reconstruct.Options{ClockOffset: &zero}, recorder.Sink()))(t)
	must.Equal(t, totals.Problems.Lost(), 0, "lines that are not understood")
	return timeline, judged(t, recorder, timeline)
}

// checkPieces checks that the pieces of a late frame are all of its time, in order, that they
// add up to its parts, and that each other thread that was waited for did what it did within
// its piece.
func checkPieces(t *testing.T, e *why.Explanation) {
	t.Helper()
	if e.Lost == 0 {
		if len(e.Pieces) > 0 || len(e.Slices) > 0 {
			t.Errorf("%s is on time and has pieces or slices", e.Frame)
		}
		return
	}
	at, parts := e.Start, map[why.Part]trace.Duration{}
	for _, p := range e.Pieces {
		if p.Start != at || p.End <= p.Start || p.Several && p.Slice != "" {
			t.Errorf("%s: a piece from %s to %s, want one from %s", e.Frame, p.Start, p.End, at)
		}
		at = p.End
		parts[why.Part{Stage: p.Stage, Wait: p.Wait}] += p.End.Sub(p.Start)
		last := p.Start
		for _, o := range p.Others {
			if o.Start < last || o.End > p.End || o.Time > o.End.Sub(o.Start) || o.Time <= 0 {
				t.Errorf("%s: %s from %s to %s in a piece from %s to %s", e.Frame, o.Name(), o.Start, o.End, p.Start, p.End)
			}
			last = max(last, o.Start)
		}
	}
	if at != e.End || len(e.Pieces) > 200 {
		t.Errorf("%s: %d pieces that end at %s, not %s", e.Frame, len(e.Pieces), at, e.End)
	}
	for _, part := range e.Parts {
		must.Equal(t, parts[why.Part{Stage: part.Stage, Wait: part.Wait}], part.Time, "%s: pieces of %s %s", e.Frame, part.Stage, part.Wait)
	}
}

// describe returns the verdict on a frame; nothing for one that was on time.
func (p *player) describe(c *why.Causes, e *why.Explanation) string {
	var b strings.Builder
	switch {
	case e.Lost > 0:
		fmt.Fprintf(&b, "late %s: %s", ms(e.Lost), e.Outcome)
		if p.shows("confidence") {
			fmt.Fprintf(&b, ", %s", e.Confidence)
		}
		if p.shows("unknown") {
			fmt.Fprintf(&b, ", %s unknown", ms(e.Unknown))
		}
		if p.shows("basis") {
			fmt.Fprintf(&b, ", %s", e.Basis)
		}
		if p.shows("root") && e.Root != nil {
			fmt.Fprintf(&b, " of %d", e.Root.VsyncID)
		}
		if p.shows("sentence") {
			fmt.Fprintf(&b, ": %s", causetext.Sentence(c, e))
			break
		}
		p.describeShares(&b, e.Shares)
		if p.shows("slices") {
			for _, x := range e.Slices {
				fmt.Fprintf(&b, "; %s %s+%s", x.Slice, ms(x.Running), ms(x.Waiting))
			}
		}
		if p.shows("others") {
			longest := slices.MaxFunc(e.Pieces, func(a, b why.Piece) int { return cmp.Compare(len(a.Others), len(b.Others)) })
			for _, o := range longest.Others {
				fmt.Fprintf(&b, "; %s %s %s", o.Thread, o.Wait, ms(o.Time))
			}
		}
	case e.Shown != nil && e.Shown.Lost > 0:
		fmt.Fprintf(&b, "shown late %s", ms(e.Shown.Lost))
		if p.shows("confidence") {
			fmt.Fprintf(&b, ", %s", e.Shown.Confidence)
		}
		if p.shows("sentence") {
			fmt.Fprintf(&b, ": %s", causetext.Shown(c, e))
			break
		}
		p.describeShares(&b, e.Shown.Shares)
	case e.PickUp != nil:
		fmt.Fprintf(&b, "picked up late %s: %s", ms(e.PickUp.Lost), e.PickUp.Outcome)
	}
	return b.String()
}

func (p *player) describeShares(b *strings.Builder, shares []why.Share) {
	for i, s := range shares {
		fmt.Fprintf(b, "%s %s %s", map[bool]string{true: ":", false: ","}[i == 0], s.Wait, ms(s.Share))
		for _, x := range []struct {
			what string
			is   bool
			text string
		}{
			{"stage", s.Stage != why.NoStage, "in " + s.Stage.String()},
			{"slice", s.Slice != "", "in " + s.Slice},
			{"value", true, "of " + ms(s.Value)},
			{"usual", s.Usual > 0, "usual " + ms(s.Usual)},
			{"gain", true, "gain " + ms(s.Gain)},
			{"compared", s.Compared > 0, fmt.Sprintf("as long in %d of %d", s.AsLong, s.Compared)},
			{"cap", s.FrequencyLimit > 0, fmt.Sprintf("limited to %d of %d", s.FrequencyLimit/1000, s.HighestFrequency/1000)},
			{"cap", s.LimitReason != "", "(" + s.LimitReason + ")"},
			{"cores", s.Cores != nil, "on " + causetext.Cores(s.Cores)},
		} {
			if p.shows(x.what) && x.is {
				fmt.Fprintf(b, " %s", x.text)
			}
		}
		if k := s.Culprit; p.shows("culprit") && k != nil {
			fmt.Fprintf(b, " by %s, %s", k.Thread, k.Wait)
			if k.Slice != "" {
				fmt.Fprintf(b, " in %s", k.Slice)
			}
			if p.shows("for") {
				p.describeOther(b, k)
			}
		}
		if p.shows("function") && s.Function != "" {
			fmt.Fprintf(b, " (%s)", s.Function)
		}
		if p.shows("interrupt") && s.Interrupt != "" {
			fmt.Fprintf(b, " until %s", s.Interrupt)
		}
		if p.shows("advice") {
			fmt.Fprintf(b, " advice %s", s.Advice)
		}
	}
}

// describeOther says what a culprit waited for itself.
func (p *player) describeOther(b *strings.Builder, k *why.Culprit) {
	if k.For != nil {
		fmt.Fprintf(b, " for %s %s", k.For.Thread, ms(k.For.Time))
	}
	if k.Function != "" {
		fmt.Fprintf(b, " (%s)", k.Function)
	}
	if k.Interrupt != "" {
		fmt.Fprintf(b, " until %s", k.Interrupt)
	}
}

func (p *player) shows(what string) bool { return slices.Contains(p.show, what) }

// ms returns a time in milliseconds without zeros at the end.
func ms(d trace.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(trace.Millisecond), 'f', -1, 64)
}
