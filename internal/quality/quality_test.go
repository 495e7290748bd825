package quality_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/quality"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// demo is a good trace: 2862 lines, 102 frames.
func demo(t *testing.T) []byte {
	t.Helper()
	text := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(t)
	return text
}

func of(t *testing.T, text []byte, o ohframe.Options) *quality.Quality {
	t.Helper()
	in := must.Get(ohframe.Read(t.Context(), bytes.NewReader(text), o))(t)
	return in.Quality
}

// analyzed returns the timeline of the demo, and a function that judges it.
func analyzed(t *testing.T) (*analyzer.Timeline, func() *quality.Quality) {
	t.Helper()
	result := must.Get(analysis.Run(t.Context(), bytes.NewReader(demo(t)), hitrace.Options{}, analysis.FrameOptions{}, analysis.Options{}))(t)
	timeline, totals := result.Timeline, result.Totals
	return timeline, func() *quality.Quality { return quality.Of(timeline, totals, nil) }
}

// without returns the lines that do not contain any of the words.
func without(text []byte, words ...string) []byte {
	var kept []byte
	for line := range bytes.Lines(text) {
		if !slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(line, []byte(w)) }) {
			kept = append(kept, line...)
		}
	}
	// The header states the events that are left. The demo has six lines without an event.
	n := bytes.Count(kept, []byte("\n")) - 6
	return entries.ReplaceAll(kept, fmt.Appendf(nil, "entries-written: %d/%d ", n, n))
}

// cut returns the lines cut after n bytes, as "cut -c" does.
func cut(text []byte, n int) []byte {
	return mapLines(text, func(line []byte) []byte { return append(line[:min(n, len(line)):min(n, len(line))], '\n') })
}

// fold returns the lines broken after every n bytes, as "fold -w" does.
func fold(text []byte, n int) []byte {
	return mapLines(text, func(line []byte) []byte {
		var out []byte
		for len(line) > n {
			out = append(append(out, line[:n]...), '\n')
			line = line[n:]
		}
		return append(append(out, line...), '\n')
	})
}

func mapLines(text []byte, f func([]byte) []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		out = append(out, f(bytes.TrimSuffix(line, []byte("\n")))...)
	}
	return out
}

// codes returns the codes of the reasons with a verdict.
func codes(q *quality.Quality, v stats.Verdict) (list []string) {
	for _, r := range q.Reasons {
		if r.Verdict == v {
			list = append(list, r.Code)
		}
	}
	slices.Sort(list)
	return list
}

// Each way in which a trace is damaged or incomplete has the verdict of docs/trouble.md.
func TestVerdicts(t *testing.T) {
	whole := demo(t)
	stray := func(n int) []byte { return append(bytes.Repeat([]byte("$ hdc shell\n"), n), whole...) }
	replaceHeader := func(to string) []byte {
		return regexp.MustCompile(`entries-written: \d+/\d+`).ReplaceAll(whole, []byte("entries-written: "+to))
	}
	lost := func(n int) []byte {
		return bytes.Replace(whole, []byte("#\n"), fmt.Appendf(nil, "CPU:1 [LOST %d EVENTS]\n#\n", n), 1)
	}
	for _, c := range []struct {
		name                string
		text                []byte
		unreliable, limited []string
	}{
		{"good", whole, nil, nil},
		{"fold -w 120", fold(whole, 120), []string{"cut", "lines", "markers", "missing_render_frames"}, []string{"no_deadlines", "no_presents", "no_transactions"}},
		{"fold -w 80", fold(whole, 80), []string{"cut", "lines", "no_frames"}, nil},
		{"cut -c1-239", cut(whole, 239), nil, nil}, // no line is longer
		{"cut -c1-140", cut(whole, 140), []string{"cut"}, []string{"no_deadlines"}},
		{"cut -c1-155", cut(whole, 155), []string{"cut"}, []string{"few_deadlines"}},
		{"cut -c1-160", cut(whole, 160), []string{"cut", "markers"}, []string{"few_deadlines"}}, // those of 16 of 54 application frames are left
		// The cut is behind the markers' fields, but not behind those of scheduling events.
		{"cut -c1-180", cut(whole, 180), []string{"cut"}, nil},
		{"without the tag graphic", without(whole, "ReceiveVsync", "RSMainThread", "MarshRSTransactionData", "VSyncGenerator", "CommitLayers", "Present Fence", "render_service"),
			nil, []string{"inferred_deadlines", "no_render_frames", "no_transactions"}},
		{"workers without a main thread and the tag graphic", without(whole, "ReceiveVsync", "RSMainThread", "MarshRSTransactionData", "VSyncGenerator", "CommitLayers", "Present Fence", "render_service", "gallery-20170", "notes-20480"),
			[]string{"no_vsync"}, []string{"clock_unknown", "no_deadlines", "no_render_frames", "no_transactions"}},
		{"without transactions", without(whole, "MarshRSTransactionData"), nil, []string{"no_transactions"}},
		{"without present fences", without(whole, "Present Fence"), nil, []string{"no_presents"}},
		{"without frames", without(whole, "H:"), []string{"no_frames"}, nil},
		// The trace has 2862 lines: 2 more are less than 0.1 %, 3 are more, and 29 are 1.003 %.
		{"2 stray lines", stray(2), nil, nil},
		{"3 stray lines", stray(3), nil, []string{"lines"}},
		{"28 stray lines", stray(28), nil, []string{"lines"}},
		{"29 stray lines", stray(29), []string{"lines"}, nil},
		{"overwritten", replaceHeader("2856/5000"), nil, []string{"overwritten"}},
		{"read before the header was written", replaceHeader("0/2856"), nil, nil},
		{"the end of the file is missing", replaceHeader("5000/5000"), nil, []string{"incomplete"}},
		// 10 of 2866 events are 0.35 %: fewer may be of a reader that writes while it reads.
		{"a few events are missing", replaceHeader("2865/2865"), nil, nil},
		{"ten events are missing", replaceHeader("2866/2866"), nil, []string{"incomplete"}},
		// 28 of 2884 events are 0.97 %, 29 of 2885 are 1.005 %.
		{"lost", lost(28), nil, []string{"lost"}},
		{"many lost", lost(29), []string{"lost"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := of(t, c.text, ohframe.Options{})
			must.EqualSlices(t, codes(q, stats.Unreliable), c.unreliable, "unreliable")
			must.EqualSlices(t, codes(q, stats.Limited), c.limited, "limited")
			want := stats.Good
			if c.unreliable != nil {
				want = stats.Unreliable
			} else if c.limited != nil {
				want = stats.Limited
			}
			if q.Verdict != want || !strings.HasPrefix(q.String(), string(want)) {
				t.Errorf("%s: %s, want %s", q.Verdict, q, want)
			}
		})
	}
}

// Skipped frames, and other facts that no text of a trace in the tests has.
func TestLimitsAndClocks(t *testing.T) {
	o := ohframe.Options{}
	o.Limits.Frames = 50
	if got := codes(of(t, demo(t), o), stats.Unreliable); !slices.Contains(got, "over_limit") {
		t.Errorf("reasons %q, want over_limit", got)
	}
	// Limits of what is stored for causes do not change frames.
	for _, l := range []trace.Limits{{States: 10}, {Nesting: 1}} {
		for causes, want := range map[bool]bool{true: true, false: false} {
			q := of(t, demo(t), ohframe.Options{Limits: l, Causes: causes})
			if got := codes(q, stats.Limited); slices.Contains(got, "over_limit") != want || q.Verdict == stats.Unreliable {
				t.Errorf("%+v, causes %t: %s, limited %q", l, causes, q, got)
			}
		}
	}
	in, judge := analyzed(t)
	in.Clock.Contradicted, in.Clock.Overruled = 20e6, 30e6
	inferred := in.Clock
	must.EqualSlices(t, codes(judge(), stats.Limited), []string{"clock_contradicted", "clock_overruled"}, "reasons")
	// A given offset that is wrong by more than a refresh period compares frames with the
	// deadlines of other vsyncs.
	for _, c := range []struct {
		line, markers trace.Duration
		want          stats.Verdict
	}{
		{16_600_000, 0, stats.Limited}, {16_700_000, 0, stats.Unreliable},
		{0, 16_600_000, stats.Limited}, {0, 16_700_000, stats.Unreliable},
	} {
		in.Clock = analyzer.ClockOffset{Source: analyzer.ClockGiven, Contradicted: c.line, ContradictedByMarkers: c.markers}
		if got := codes(judge(), c.want); !slices.Contains(got, "clock_contradicted") {
			t.Errorf("line %s, markers %s: %s reasons %q", c.line, c.markers, c.want, got)
		}
	}
	in.Clock = analyzer.ClockOffset{Source: analyzer.ClockReceiveVsync, Offset: 1e12, Ahead: 5, AheadBy: 7e6, Lag: 7e6}
	must.EqualSlices(t, codes(judge(), stats.Limited), []string{"vsyncs_ahead"}, "vsyncs ahead: reasons")
	in.Clock = inferred
	for step, want := range map[trace.Duration]stats.Verdict{1e6: stats.Limited, 2e6: stats.Limited, 3333e3: stats.Unreliable} {
		in.Parts[0].Clock.Step = step
		if got := codes(judge(), want); !slices.Contains(got, "clock_steps") {
			t.Errorf("steps of %s: %s reasons %q", step, want, got)
		}
	}
	in.Parts[0].Clock.Step = 0
	// A small change makes deadlines less exact, a larger one wrong.
	for _, c := range []struct {
		by   trace.Duration
		kind analyzer.ClockChangeKind
		want stats.Verdict
	}{
		{2_000_000, analyzer.ClockUnsteady, stats.Limited}, {2_000_001, analyzer.ClockUnsteady, stats.Unreliable},
		{-5_000_000, analyzer.ClockUnsteady, stats.Unreliable}, {-2_000_000, analyzer.ClockBack, stats.Unreliable},
	} {
		in.ClockChanges = []analyzer.ClockChange{{Kind: c.kind, By: c.by}}
		if got := codes(judge(), c.want); !slices.Contains(got, "clock_changed") {
			t.Errorf("changed by %s: %s reasons %q", c.by, c.want, got)
		}
	}
	in.ClockChanges = nil
	if q := judge(); *q.ClockSource != "DoComposition" || q.ClockAccuracy.Milliseconds() != 0.143 {
		t.Errorf("clock offset from %s, accurate to %s", *q.ClockSource, *q.ClockAccuracy)
	}
	deadline := 0
	for _, f := range in.Frames { // 40 keep theirs
		if f.Facts &^= analyzer.MainLate | analyzer.GPULate; f.Deadline.Known() && !f.Facts.Has(analyzer.Truncated) {
			if deadline++; deadline > 40 {
				f.Deadline = 0
			}
		}
	}
	if q := judge(); !slices.Contains(codes(q, stats.Limited), "few_deadlines") || q.Judged != 40 {
		t.Errorf("%d deadlines: %s", q.Judged, q)
	}
}

// Traces of one time in a file: only the first is read, and only what it lost counts.
func TestUnread(t *testing.T) {
	lossy := func(n int) []byte {
		return bytes.Replace(demo(t), []byte("#\n"), fmt.Appendf(nil, "CPU:1 [LOST %d EVENTS]\n#\n", n), 1)
	}
	for _, c := range []struct {
		copies int
		want   stats.Verdict
	}{{1, stats.Limited}, {2, stats.Unreliable}} {
		q := of(t, append(lossy(1), bytes.Repeat(lossy(500), c.copies)...), ohframe.Options{})
		if got := codes(q, c.want); !slices.Contains(got, "unread") || q.LostEvents != 1 {
			t.Errorf("%d copies: %d events lost, %s", c.copies, q.LostEvents, q)
		}
	}
}

// A display that is idle has no line for a while. That is no gap, and an idle CPU is not
// silent.
func TestIdle(t *testing.T) {
	in := split(demo(t))
	from, cpu := in.at(0.5), in.cpus[0]
	idle := in.edit(func(_ int, l *line) (int64, bool) {
		if l.at >= from {
			return l.at + 400e3, true
		}
		return l.at, true
	})
	read := must.Get(ohframe.Read(t.Context(), bytes.NewReader(idle), ohframe.Options{}))(t)
	if c := read.Timeline.Coverage; c.Gaps.Count != 0 || c.Silent.Count != 0 {
		t.Errorf("idle: %+v", c)
	}
	noWakings := regexp.MustCompile(fmt.Sprintf(`target_cpu=%03d`, cpu))
	read = must.Get(ohframe.Read(t.Context(), bytes.NewReader(in.drop(func(l *line) bool { return l.cpu == cpu || noWakings.Match(l.rest) })), ohframe.Options{}))(t)
	if c := read.Timeline.Coverage; c.Silent.Count != 0 {
		t.Errorf("an idle CPU: %+v", c)
	}
}

// The ends of two slices that began before the trace are on both sides of a pause: nothing
// is missing in it. If two threads lack begins after it, lines are.
func TestOldSlices(t *testing.T) {
	for _, c := range []struct{ threads, gaps int }{{1, 0}, {2, 1}} {
		in := split(demo(t))
		from := in.at(0.5)
		var lines []line
		paused := false
		add := func(at int64) {
			for i := range c.threads {
				tid := 9001 + i
				lines = append(lines, line{before: fmt.Appendf(nil, " worker-%d ( 9000) [003] .... ", tid), rest: []byte(": tracing_mark_write: E|9000\n"), at: at, cpu: 3})
			}
		}
		for _, l := range in.lines {
			if l.at >= from && !paused {
				paused = true
				add(from - 1)
				add(from)
			}
			lines = append(lines, l)
		}
		in.lines = lines
		pause := in.edit(func(_ int, l *line) (int64, bool) {
			if l.at >= from {
				return l.at + 400e3, true
			}
			return l.at, true
		})
		read := must.Get(ohframe.Read(t.Context(), bytes.NewReader(pause), ohframe.Options{}))(t)
		must.Equal(t, read.Timeline.Coverage.Gaps.Count, c.gaps, "%d threads with ends on both sides: gaps", c.threads)
	}
}

// sched_waking states the CPU on which a thread ran before, sched_wakeup the one on which
// it runs next: a CPU is not silent because threads leave it.
func TestThreadsLeaveCPU(t *testing.T) {
	for _, event := range []string{"sched_wakeup", "sched_waking"} {
		in := split(demo(t))
		cpu := in.cpus[0]
		target := fmt.Appendf(nil, "target_cpu=%03d", cpu)
		lines := in.edit(func(_ int, l *line) (int64, bool) {
			if !bytes.Contains(l.rest, target) {
				return l.at, l.cpu != cpu
			}
			// Another CPU wakes the thread.
			l.before = bytes.Replace(l.before, fmt.Appendf(nil, "[%03d]", cpu), fmt.Appendf(nil, "[%03d]", in.cpus[1]), 1)
			l.rest = bytes.Replace(l.rest, []byte("sched_wakeup"), []byte(event), 1)
			return l.at, true
		})
		read := must.Get(ohframe.Read(t.Context(), bytes.NewReader(lines), ohframe.Options{}))(t)
		if got := read.Timeline.Coverage.Silent.Count; (got == 0) != (event == "sched_waking") {
			t.Errorf("%s: CPU %d is silent %d times", event, cpu, got)
		}
	}
}

// What only causes need leaves the verdict good.
func TestNotes(t *testing.T) {
	for _, c := range []struct {
		code string
		text []byte
	}{
		{"no_sched", without(demo(t), "sched_", "cpu_frequency", "cpu_idle")},
		{"no_freq", without(demo(t), "cpu_frequency")},
	} {
		q := of(t, c.text, ohframe.Options{})
		if got := codes(q, stats.Good); q.Verdict != stats.Good || !slices.Contains(got, c.code) || !strings.HasPrefix(q.String(), "good, clock") {
			t.Errorf("%s: %s: %q", c.code, q, got)
		}
	}
}

// A trace that is too short, or backwards, has the markers: no tag is missing.
func TestNoCompleteFrames(t *testing.T) {
	lines := bytes.SplitAfter(demo(t), []byte("\n"))
	short := bytes.Join(lines[:20], nil)
	slices.Reverse(lines)
	for _, text := range [][]byte{short, bytes.Join(lines, nil)} {
		if q := of(t, text, ohframe.Options{}); q.Frames() != 0 || q.Truncated == 0 || *q.Advice != "the trace is too short, or its lines are not in order of time" {
			t.Errorf("%s", q)
		}
	}
}

// The deadlines of applications do not make up for those of render frames.
func TestDeadlinesOfAKind(t *testing.T) {
	in, judge := analyzed(t)
	for _, f := range in.Frames {
		if f.Kind == analyzer.RenderFrame {
			f.Deadline = 0
			f.Facts &^= analyzer.MainLate | analyzer.GPULate
		}
	}
	// 54 of the 100 complete frames are of applications and have a deadline.
	must.Equal(t, judge().String(), "limited: only 0 of 46 render frames judged")
}

// A side has the worst verdict of its runs, and each reason once.
func TestJoin(t *testing.T) {
	good, bad := of(t, demo(t), ohframe.Options{}), of(t, cut(demo(t), 160), ohframe.Options{})
	if q := quality.Join([]string{"a", "b"}, []*quality.Quality{nil, nil}); q != nil {
		t.Errorf("without runs: %s", q)
	}
	q := quality.Join([]string{"a", "b", "c"}, []*quality.Quality{good, bad, bad})
	if q.Verdict != stats.Unreliable || len(q.Reasons) != 3 || *q.Lines != 3*2862 || q.Frames() != 300 {
		t.Fatalf("%+v", q)
	}
	if want := fmt.Sprintf("; b: %d damaged markers in 102 frames, as if lines were cut, and 1 run like it; "+
		"b: only 16 of 54 application frames judged, and 1 run like it; ", bad.DamagedMarkers); !strings.Contains(q.String(), want) {
		t.Errorf("%q, want %q", q, want)
	}
	if q := quality.Join([]string{"a", "b"}, []*quality.Quality{good, good}); q.Verdict != stats.Good || q.Reasons == nil {
		t.Errorf("two good runs: %+v", q)
	}
}

// docs/trouble.md lists the codes.
func TestDocument(t *testing.T) {
	document, _, _ := bytes.Cut(must.Get(os.ReadFile("../../docs/trouble.md"))(t), []byte("\n## Limits"))
	var source []byte
	for _, name := range []string{"quality.go", "coverage.go"} {
		b := must.Get(os.ReadFile(name))(t)
		source = append(source, b...)
	}
	var documented, used []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| ").FindAllSubmatch(document, -1) {
		documented = append(documented, string(m[1]))
	}
	for _, m := range regexp.MustCompile(`(?:(?:Good|Limited|Unreliable|verdict), |addMissing\()"([a-z_]+)"`).FindAllSubmatch(source, -1) {
		used = append(used, string(m[1]))
	}
	slices.Sort(documented)
	slices.Sort(used)
	used = slices.Compact(used)
	if !slices.Equal(documented, used) {
		t.Errorf("docs/trouble.md has %q, the rules are %q", documented, used)
	}
}

// A page on which nothing changes lacks nothing: its frames are known to be empty, and nothing was to
// be presented. Without the markers that say so, both are unknown.
func TestNothingChanges(t *testing.T) {
	var page strings.Builder
	for i := range 20 {
		now := 1_000_000_000 + i*16_666_667
		mark := func(after int, comm string, tid, pid int, payload string) {
			at := now/1000 + after
			fmt.Fprintf(&page, "%16s-%d (%d) [000] .... %d.%06d: print: %s\n", comm, tid, pid, at/1_000_000, at%1_000_000, payload)
		}
		ui := func(after int, payload string) { mark(after, "demo.app", 200, 200, payload) }
		rs := func(after int, payload string) { mark(after, "render_service", 100, 100, payload) }
		draw := func(after int, payload string) { mark(after, "RSUniRenderThre", 103, 100, payload) }
		ui(100, fmt.Sprintf("B|200|H:ReceiveVsync name:demo dataCount: 24bytes now: %d expectedEnd: %d vsyncId: %d|M0538", now, now+16_666_667, 10+i))
		ui(110, fmt.Sprintf("B|200|H:OnVsyncEvent now:%d|I39", now))
		ui(120, "B|200|H:UI skip|M0538")
		ui(130, "E|200|M0538")
		ui(140, "E|200|I39")
		ui(150, "E|200|M0538")
		rs(200, fmt.Sprintf("B|100|H:ReceiveVsync name:rs dataCount: 24bytes now: %d expectedEnd: %d vsyncId: %d|M0538", now, now+28_333_334, 60+i))
		rs(210, fmt.Sprintf("B|100|H:RSMainThread::DoComposition: %d|I38", now+209_000))
		rs(220, "B|100|H:RSMainThread::ProcessCommandUni|M0538")
		rs(230, "E|100|M0538")
		rs(240, "E|100|I38")
		rs(250, "E|100|M0538")
		draw(300, "B|100|H:RenderFrame|M0538")
		draw(310, "B|100|H:DisplayNodeSkip skip commit|M0538")
		draw(320, "E|100|M0538")
		draw(330, "E|100|M0538")
	}
	if got := codes(of(t, []byte(page.String()), ohframe.Options{}), stats.Limited); got != nil {
		t.Errorf("limited: %q", got)
	}
	silent := strings.NewReplacer("UI skip", "FlushMessages", "DisplayNodeSkip skip commit", "CaptureAllSurfaces").Replace(page.String())
	must.EqualSlices(t, codes(of(t, []byte(silent), ohframe.Options{}), stats.Limited), []string{"no_presents", "no_transactions"}, "without the markers")
}

// The trace ends within a frame. Whether that one is empty is unknown, but the trace has transactions.
func TestEndsWithinFrame(t *testing.T) {
	timeline, judge := analyzed(t)
	want := codes(judge(), stats.Limited)
	for _, f := range slices.Backward(timeline.Frames) {
		if f.Kind == analyzer.ApplicationFrame && !f.Facts.Has(analyzer.Truncated) {
			f.Facts = f.Facts&^analyzer.Empty | analyzer.MainLate | analyzer.Unfinished | analyzer.EmptyUnknown
			break
		}
	}
	must.EqualSlices(t, codes(judge(), stats.Limited), want)
}
