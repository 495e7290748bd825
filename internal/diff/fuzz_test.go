package diff

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/report"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

// latest is the latest time that a line of a trace can have.
const latest = trace.Time(9e18)

// scripted returns the frames that a script plays, four bytes a frame: whose it is
// and what is the matter with it, how long after the frame before, how long it
// takes, and what is known of it. Lengths go from nothing to centuries.
func scripted(script []byte, names []string) *analyzer.Timeline {
	length := func(b byte) trace.Duration { return trace.Duration(b&0x1f) << (uint(b>>5) * 58 / 7) }
	later := func(t trace.Time, b byte) trace.Time { return t.Add(min(length(b), latest.Sub(t))) }
	periods := [...]trace.Duration{0, 1, 8_333_333, 16_666_667, trace.Second, 10 * trace.Second}
	t := &analyzer.Timeline{}
	for i, name := range names {
		t.Processes = append(t.Processes, &analyzer.Process{PID: trace.PID(10 + i), Name: name})
	}
	now := trace.Time(1e9)
	var render *analyzer.Frame
	for n := int64(1); len(script) >= 4; script, n = script[4:], n+1 {
		who, known := script[0], script[3]
		p := t.Processes[int(who&3)%len(t.Processes)]
		start := later(now, script[1])
		now = later(start, script[2])
		f := &analyzer.Frame{
			Process: p, TID: trace.TID(p.PID), VsyncID: n, Actual: analyzer.Interval{Start: start, End: now}, Period: periods[int(known>>3&7)%len(periods)],
		}
		if who&3 == 2 {
			f.Kind = analyzer.RenderFrame
		}
		if known&1 != 0 {
			f.Vsync = start
			f.Expected = analyzer.Interval{Start: start, End: start.Add(max(1, f.Period))}
			f.Deadline = f.Expected.End
		}
		switch {
		case who&4 != 0:
			f.Facts = analyzer.Truncated
		case f.Deadline.Known() && now > f.Deadline:
			f.Facts = analyzer.MainLate
		}
		if f.Kind == analyzer.RenderFrame {
			render = f
			if known&2 != 0 {
				f.Commit = f.Actual
				f.Present = later(now, who>>3)
			}
			if known&4 != 0 && !f.Facts.Has(analyzer.Truncated) {
				f.GPU = []analyzer.Interval{f.Actual}
			}
		} else if known&2 != 0 {
			f.Transactions = []analyzer.Sent{{Index: n, At: start}}
			if render != nil && known&4 != 0 {
				f.Render, f.Transactions[0].AppliedBy = render, render
				render.Applications = append(render.Applications, f)
			}
		} else if !f.Facts.Has(analyzer.Truncated) {
			f.Facts |= analyzer.Empty
		}
		t.Frames = append(t.Frames, f)
		if who&0x10 != 0 {
			t.Layers = scriptedBuffer(t.Layers, f, names[int(known)%len(names)])
		}
		if who&0x18 == 0x18 {
			t.Interactions = append(t.Interactions, &analyzer.Interaction{
				ID: int(n), Kind: analyzer.InteractionKind(known & 1), Scene: "APP_LIST_FLING", Process: p, Page: names[int(who)%len(names)], Input: analyzer.FirstMove,
				InputAt: start, Begin: start, Observed: analyzer.Interval{Start: start, End: later(now, script[1])}, Explicit: known&2 != 0,
			})
		}
	}
	t.JudgeLayers()
	slices.SortStableFunc(t.Frames, func(a, b *analyzer.Frame) int { return cmp.Compare(a.Actual.Start, b.Actual.Start) })
	if len(t.Frames) > 0 {
		t.Span = analyzer.Interval{Start: t.Frames[0].Actual.Start, End: now}
	}
	t.ShowInteractions()
	return t
}

// scriptedBuffer adds a buffer to the last layer, or to a new one if that has another name.
func scriptedBuffer(layers []*analyzer.Layer, f *analyzer.Frame, name string) []*analyzer.Layer {
	if n := len(layers); n == 0 || layers[n-1].Name != name {
		l := &analyzer.Layer{ID: n + 1, Name: name}
		if f.VsyncID%3 != 0 {
			l.Process = f.Process
		}
		layers = append(layers, l)
	}
	l := layers[len(layers)-1]
	b := &analyzer.Buffer{Layer: l, Queued: f.Actual.Start, Acquired: f.Actual.End, Fate: analyzer.Fate(f.VsyncID % 3)}
	if f.Kind == analyzer.RenderFrame {
		b.Render = f
		if f.Present.Known() {
			b.Fate, b.Present = analyzer.Shown, f.Present
		}
	}
	l.Buffers = append(l.Buffers, b)
	return layers
}

func sideOf(name string, t *analyzer.Timeline) Side {
	return Side{Name: name, Timeline: t, Stats: stats.Compute(t, stats.Options{Compare: true, Lengths: true})}
}

// checkDiff checks what must be true for any two traces. how chooses the format.
func checkDiff(t *testing.T, base, new Side, how byte) {
	t.Helper()
	list := conditions(t, "jank_rate>+2%, fps<-5%, p95_ms>+1, hitch_ratio>+0.5, fling.response_ms>+1, launch.first_frame_ms>+1, layer.late>+1pp, layer(video*).fps<-1")
	options := Options{FailOn: list}
	there, err := Compare(base, new, options)
	checkReport(t, base, new, report.Formats[int(how)%len(report.Formats)])
	if err != nil {
		if own := (*Error)(nil); !errors.As(err, &own) {
			t.Errorf("%T: %v", err, err)
		}
		if _, err := Compare(new, base, options); err == nil {
			t.Error("no error the other way round")
		}
		return
	}
	checkWritten(t, there, Formats[int(how)%len(Formats)])
	checks := []func(){
		func() {
			back, err := Compare(new, base, options)
			if err != nil {
				t.Fatalf("back: %v", err)
			}
			checkMirror(t, there, back)
		},
		func() { checkUnchanged(t, base) },
		func() { checkUnchanged(t, new) },
	}
	// Comparing is slow with a fuzzer's instruments, which end what runs for ten seconds.
	if flag.Lookup("test.fuzzworker").Value.String() == "true" {
		i := int(how) / 4 % len(checks)
		checks = checks[i : i+1]
	}
	for _, check := range checks {
		check()
	}
}

// checkWritten checks that a comparison can be written.
func checkWritten(t *testing.T, d *Diff, format string) {
	t.Helper()
	checkFormat(t, format, write(t, d, format, WriteOptions{}))
	for _, o := range d.Outcomes {
		checkPlain(t, o.String())
	}
}

// checkReport checks that a report of the two sides can be written.
func checkReport(t *testing.T, base, new Side, format string) {
	t.Helper()
	inputs := []report.Input{{Name: base.Name, Stats: base.Stats, Timeline: base.Timeline}, {Name: new.Name, Stats: new.Stats}}
	var b strings.Builder
	if err := report.Write(&b, inputs, format, report.Options{}); err != nil {
		t.Fatalf("report, %s: %v", format, err)
	}
	checkFormat(t, format, b.String())
}

func checkFormat(t *testing.T, format, output string) {
	t.Helper()
	switch format {
	case "json":
		if !json.Valid([]byte(output)) {
			t.Errorf("JSON: %s", output)
		}
	case "csv":
		if _, err := csv.NewReader(strings.NewReader(output)).ReadAll(); err != nil {
			t.Errorf("CSV: %v", err)
		}
	case "table":
		checkPlain(t, output)
	}
}

// checkPlain fails the test for text that does something to a terminal.
func checkPlain(t *testing.T, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) }); i >= 0 {
		t.Errorf("control character in %q", text[max(0, i-20):min(len(text), i+20)])
	}
}

// checkUnchanged checks that a trace has not changed from itself.
func checkUnchanged(t *testing.T, side Side) {
	t.Helper()
	d, err := Compare(side, side, Options{})
	if err != nil {
		return // it has no frames
	}
	if len(d.OnlyBase)+len(d.OnlyNew) > 0 {
		t.Error("some process is not its own match")
	}
	for _, p := range d.Pairs {
		if p.Base != p.New {
			t.Fatalf("%s is matched with %s", text.Process(p.Base), text.Process(p.New))
		}
		for _, m := range p.measures() {
			if (m.Base == nil) != (m.Delta == nil) || m.Delta != nil && *m.Delta != 0 || m.Relative != nil && *m.Relative != 0 || m.Verdict == Better || m.Verdict == Worse {
				t.Errorf("%s of %s has changed", m.Name, p.title())
			}
		}
		if p.RefreshDiffers {
			t.Errorf("refresh rates of %s differ", p.title())
		}
	}
	for _, groups := range d.groups() {
		if len(groups.OnlyBase)+len(groups.OnlyNew) > 0 {
			t.Errorf("some %s is not its own match", groups.kind.noun)
		}
		for _, p := range groups.Both {
			for _, m := range p.Measures {
				if (m.Base == nil) != (m.Delta == nil) || m.Delta != nil && *m.Delta != 0 || m.Verdict.significant() {
					t.Errorf("%s of %s has changed", m.Name, p.fullTitle())
				}
			}
		}
	}
}

// checkMirror checks that the other way round, everything is the other way round.
func checkMirror(t *testing.T, there, back *Diff) {
	t.Helper()
	opposite := map[Verdict]Verdict{Better: Worse, Worse: Better, Unclear: Unclear, NotTested: NotTested}
	for _, p := range there.Pairs {
		i := slices.IndexFunc(back.Pairs, func(q *Pair) bool { return q.Base == p.New && q.New == p.Base })
		if i < 0 {
			continue // of several that match alike, another may come first
		}
		q := back.Pairs[i]
		for j, m := range p.measures() {
			n := q.measures()[j]
			if negative := m.Base != nil && *m.Base < 0 || m.New != nil && *m.New < 0; negative && !strings.HasPrefix(m.Name, "overrun_") || m.P != nil && !(*m.P >= 0 && *m.P <= 1 && *m.Low <= *m.Delta && *m.Delta <= *m.High) {
				t.Error(describe(m))
			}
			// The smallest change that counts is a share of base, which differs.
			sure := m.MinEffect == nil || n.MinEffect != nil && math.Abs(*m.Delta) >= max(*m.MinEffect, *n.MinEffect)
			if (m.Delta == nil) != (n.Delta == nil) || m.Delta != nil && *m.Delta != -*n.Delta || sure && n.Verdict != opposite[m.Verdict] {
				t.Errorf("%s of %s: %s and %s", m.Name, p.title(), text.Change(m.Unit, m.Delta), text.Change(n.Unit, n.Delta))
			}
		}
		if p.RefreshDiffers != q.RefreshDiffers {
			t.Errorf("refresh rates of %s differ one way", p.title())
		}
	}
	for k, groups := range there.groups() {
		for _, p := range groups.Both {
			others := back.groups()[k].Both
			i := slices.IndexFunc(others, func(q *Group) bool { return q.fullTitle() == p.fullTitle() && len(q.Measures) == len(p.Measures) })
			if i < 0 {
				t.Errorf("%s is missing the other way round", p.fullTitle())
				continue
			}
			checkMirrored(t, p.Measures, others[i].Measures)
		}
	}
}

func checkMirrored(t *testing.T, there, back []*Measure) {
	t.Helper()
	for j, m := range there {
		n := back[j]
		if (m.Delta == nil) != (n.Delta == nil) || m.Delta != nil && *m.Delta != -*n.Delta || m.P != nil && !(*m.P >= 0 && *m.P <= 1 && *m.Low <= *m.Delta && *m.Delta <= *m.High) {
			t.Errorf("%s, the other way round %s", describe(m), describe(n))
		}
	}
}

// Whatever the frames of two traces, and whatever they are called, they can be
// compared and reported on in every format; a trace has not changed from itself;
// and the way back is the way there reversed.
func FuzzFrames(f *testing.F) {
	smooth := bytes.Repeat([]byte{0, 0x42, 0x44, 0x1f, 2, 0x41, 0x43, 0x1f}, 24)
	rough := bytes.Repeat([]byte{0, 0x42, 0x4f, 0x1f, 2, 0x41, 0x5f, 0x17, 1, 0, 0x64, 0x18}, 24)
	f.Add(smooth, rough, "gallery\nnotes\nrender_service\n", "file.ftrace", byte(0))
	f.Add(smooth, smooth, "</script><script>alert(1)</script>\n\"'><img src=x onerror=alert(2)>\n{{.}}<!--]]>\n\x1b[2J\u202e", "<b>&\x00", byte(3))
	// From nothing to centuries: differences of lengths do not fit.
	f.Add(bytes.Repeat([]byte{0, 0, 0x00, 0x00, 0, 0, 0xff, 0x08}, 24), bytes.Repeat([]byte{0, 0, 0xfe, 0x09, 0, 0, 0, 0x08}, 24), "a\nb\nc", "", byte(1))
	f.Add([]byte{}, smooth, "", "", byte(2))
	did := bytes.Repeat([]byte{0x18, 0x42, 0x44, 0x1f, 2, 0x41, 0x43, 0x1f, 0x19, 0x42, 0x44, 0x1e}, 12)
	played := bytes.Repeat([]byte{0x12, 0x41, 0x43, 0x1f, 0x10, 0x42, 0x44, 0x1f}, 24)
	f.Add(played, append(played, rough...), "video1\nvideo2\nrender_service", "file.ftrace", byte(0))
	f.Add(did, append(did, rough...), "gallery\nnotes\nrender_service", "file.ftrace", byte(1))
	f.Fuzz(func(t *testing.T, a, b []byte, names, file string, how byte) {
		if len(a) > 600 || len(b) > 600 || len(names) > 300 {
			return
		}
		list := strings.Split(names, "\n")
		list = list[:min(len(list), 4)]
		base, new := scripted(a, list), scripted(b, list)
		for _, timeline := range []*analyzer.Timeline{base, new} {
			must.Do(t, timeline.Validate())
		}
		checkDiff(t, sideOf(file, base), sideOf(file+" again", new), how)
	})
}
