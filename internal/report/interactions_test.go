package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/rating"
	"ohframe/internal/testing/must"
)

// flings is a timeline at 100 Hz, and its measures. An application frame begins every 10 ms,
// its render frame 10 ms later; drawing ends after 6 ms and the frame is shown after 20 ms.
//
//	1  a smooth fling of 25 frames, 30 ms after its input
//	2  a fling of 21 frames, 80 ms after its input: one takes 45 ms, and four vsyncs are missed
//	3  a click; only its begin and end are known
//	4  a cold launch with three stages, 400 ms before its first frame
func flings() Input {
	gallery := &analyzer.Process{PID: 200, Name: "com.example.gallery"}
	render := &analyzer.Process{PID: 100, Name: "render_service"}
	notebook := &analyzer.Process{PID: 300, Name: "com.example.notebook"}
	start := 100 * trace.Time(trace.Second)
	at := func(ms int) trace.Time { return start.Add(trace.Duration(ms) * ms1) }
	t := &analyzer.Timeline{
		Processes: []*analyzer.Process{render, gallery, notebook}, Span: analyzer.Interval{Start: start.Add(-trace.Second), End: at(2000)},
	}
	vsync := int64(0)
	draw := func(ms int) *analyzer.Frame {
		vsync++
		f := &analyzer.Frame{
			Kind: analyzer.RenderFrame, Process: render, TID: 100, VsyncID: 5000 + vsync, Vsync: at(ms), Actual: analyzer.Interval{Start: at(ms), End: at(ms + 3)},
			Expected: analyzer.Interval{Start: at(ms), End: at(ms + 10)}, Deadline: at(ms + 10), Period: 10 * ms1,
			Draw: analyzer.Interval{Start: at(ms + 3), End: at(ms + 6)}, Present: at(ms + 20),
		}
		t.Frames = append(t.Frames, f)
		return f
	}
	frame := func(p *analyzer.Process, ms, took int, r *analyzer.Frame) {
		vsync++
		f := &analyzer.Frame{
			Process: p, TID: trace.TID(p.PID), VsyncID: 1000 + vsync, Vsync: at(ms), Actual: analyzer.Interval{Start: at(ms), End: at(ms + took)},
			Expected: analyzer.Interval{Start: at(ms), End: at(ms + 10)}, Deadline: at(ms + 10), Period: 10 * ms1, Render: r,
			Transactions: []analyzer.Sent{{Index: vsync, At: at(ms + took), AppliedBy: r}},
		}
		if took > 10 {
			f.Facts = analyzer.MainLate
		}
		r.Applications = []*analyzer.Frame{f}
		t.Frames = append(t.Frames, f)
	}
	for n := range 25 {
		frame(gallery, 10*n, 4, draw(10*n+10))
	}
	for n := range 25 {
		switch r := draw(400 + 10*n + 10); {
		case n < 9 || n > 13:
			frame(gallery, 400+10*n, 4, r)
		case n == 13: // the others draw nothing new
			frame(gallery, 490, 45, r)
		}
	}
	frame(notebook, 1200, 8, draw(1210))
	scene := func(id int, name string, input int, begin, end int) *analyzer.Interaction {
		i := &analyzer.Interaction{ID: id, Scene: name, Process: gallery, Begin: at(begin), End: at(end), Observed: analyzer.Interval{Start: at(begin), End: at(end)}, Explicit: true}
		if input != begin {
			i.Input, i.InputAt, i.Page = analyzer.FirstMove, at(input), "pages/Index"
		}
		return i
	}
	t.Interactions = []*analyzer.Interaction{scene(1, "APP_LIST_FLING", -30, 1, 241), scene(2, "APP_LIST_FLING", 320, 401, 641), scene(3, "ABILITY_OR_PAGE_SWITCH", 700, 700, 710), {
		ID: 4, Kind: analyzer.LaunchInteraction, Scene: analyzer.ColdLaunch, Process: notebook, Begin: at(800), Observed: analyzer.Interval{Start: at(800), End: at(2000)}, Explicit: true,
		Stages: []analyzer.LaunchStage{{Name: "LoadAbility", Begin: at(800)}, {Name: "Application Launching", Begin: at(950)}, {Name: "UI Ability Launching", Begin: at(1000)}},
	}}
	t.Interactions[2].Reasons = analyzer.ReasonInputUnseen
	t.Interactions[1].Device = &analyzer.DeviceFigures{ResponseMS: known(106.0), CompletionMS: known(336.0), HitchRatio: known(0.0), MaxFrameMS: known(9.0), FPS: known(100.0)}
	t.Hangs = []analyzer.Hang{{Process: notebook, Interval: analyzer.Interval{Start: at(850), End: at(1150)}, Slice: "LoadPage"}}
	slices.SortStableFunc(t.Frames, func(a, b *analyzer.Frame) int { return int(a.Actual.Start - b.Actual.Start) })
	t.ShowInteractions()
	return Input{Name: "flings.ftrace", File: "flings.ftrace", Timeline: t, Stats: stats.Compute(t, stats.Options{})}
}

// row returns the words of the line that begins with some words.
func row(t *testing.T, out string, first ...string) []string {
	t.Helper()
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) > len(first) && slices.Equal(words[:len(first)], first) {
			return words[len(first):]
		}
	}
	t.Errorf("no line %q in\n%s", first, out)
	return nil
}

// The section says which interactions miss a limit, and has all measures. All numbers follow
// from the times in flings: the response of the second fling is the present of its first frame
// at 430 ms minus 320 ms, its hitch 40 ms of the 240 ms between its presents.
func TestInteractions(t *testing.T) {
	out := write(t, []Input{flings()}, "table", Options{})
	for _, want := range []struct{ first, words string }{
		{"1 fling of a list APP_LIST_FLING com.example.gallery pages/Index", "0 of 25 0.0 0 60.0 S 300.0 100.0 4.0 +970.0 ms –"},
		{"2 fling of a list APP_LIST_FLING com.example.gallery pages/Index", "1 of 21 166.7 4 110.0 A 350.0 83.3 4.0 +1320.0 ms 1074"},
		{"3 switch of a page ABILITY_OR_PAGE_SWITCH com.example.gallery", "– – – – – – – +1700.0 ms –"},
		{"4 cold launch com.example.notebook", "0 of 1 – – 430.0 S 430.0 – – +1800.0 ms –"},
		{"LoadAbility", "150.0"}, {"Application Launching", "50.0"}, {"UI Ability Launching", "200.0"},
		{"First Frame, application", "10.0"}, {"First Frame, render", "20.0"},
		{"2 fling of a list 110.0", "106 350.0 336 166.7 0.0 83.3 100.0 9"},
		{"300.0 +1850.0 ms", "com.example.notebook LoadPage"},
	} {
		must.Equal(t, strings.Join(row(t, out, strings.Fields(want.first)...), " "), want.words, "%s", want.first)
	}
	flat := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"1 of 4 interactions janked: 2 (fling of a list of com.example.gallery) com.example.gallery: 1 of 46 frames late, 35.0 ms lost",
		"Interactions 4 interactions, 1 beyond a published limit: 2 ",
		"2, fling of a list: hitch ratio 166.7 ms/s, critical above 10; 4 vsyncs missed in a row, noticeable from 3 ",
		"3: its input is not in the trace", "3: no frame is known to have shown it",
		"Limits of the response: a fling (the finger moves) S 80, A 120, B 180 ms; a cold launch S 680 ms",
		"measurements with a camera, which include 15–30 ms that a trace does not show",
		"Limits of a fling: a hitch ratio under 5 ms/s (Huawei, Apple), critical above 10 (Apple); 3 vsyncs missed in a row",
		"Why: ohframe why --interaction 2 -- flings.ftrace",
		"Response of 2: the device measures to the end of drawing, the report to the present",
		"Completion of 2: the device measures to the end of drawing, the report to the present",
		"Hitch ratio of 2: the device counts how long render_service draws beyond a period",
		"FPS of 2: the device counts all frames that render_service draws, idle time, and the slow end of a fling",
	} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, not := range []string{"need two frames", "Order:", "no room"} { // the launch has one frame
		must.Lack(t, flat, not)
	}
	astray := flings()
	astray.Timeline.Interactions[1].InputAt = astray.Timeline.Interactions[0].InputAt - 1
	astray.Stats = stats.Compute(astray.Timeline, stats.Options{})
	must.Contain(t, write(t, []Input{astray}, "table", Options{}), "Order: interactions are numbered by when they begin; At is when their input came", "nothing says why times are not in order")
	if strings.Index(out, "Interactions") > strings.Index(out, "Process ") {
		t.Error("the interactions are not first")
	}
	must.Equal(t, strings.Count(write(t, []Input{flings(), flings()}, "table", Options{}), "camera"), 1, "notes about cameras")
	none := flings()
	none.Stats.Interactions, none.Stats.Hangs = []*stats.Interaction{}, []stats.Hang{}
	if out := write(t, []Input{none}, "table", Options{}); strings.Contains(out, "Interactions") || strings.Contains(out, "Hangs") || strings.Contains(out, "camera") {
		t.Errorf("a trace without interactions:\n%s", out)
	}
}

// A difference that cannot be explained has no reason.
func TestDeviceDiffers(t *testing.T) {
	explained := func(change func(*analyzer.Interaction)) string {
		in := flings()
		change(in.Timeline.Interactions[1])
		in.Stats = stats.Compute(in.Timeline, stats.Options{})
		return strings.Join(strings.Fields(write(t, []Input{in}, "table", Options{})), " ")
	}
	for _, test := range []struct {
		name   string
		change func(*analyzer.Interaction)
		want   string // none, if it begins with "!"
	}{
		{"within the resolution", func(i *analyzer.Interaction) { i.Device.ResponseMS = known(111.0) }, "!Response of 2"},
		{"one period of hitch", func(i *analyzer.Interaction) { i.Device.HitchRatio = known(166.7 - 69) }, "!Hitch ratio of 2"},
		{"one frame", func(i *analyzer.Interaction) { i.Device.FPS = known(83.3 + 4.1) }, "!FPS of 2"},
		{"a part", func(i *analyzer.Interaction) { i.Reasons |= analyzer.ReasonBeginCut }, "FPS of 2: the device measured the whole interaction, this report only a part of it"},
		{"the ratio of a part", func(i *analyzer.Interaction) { i.Reasons |= analyzer.ReasonEndCut }, "Hitch ratio of 2: the device measured the whole interaction"},
		{"completion of a part", func(i *analyzer.Interaction) { i.Reasons |= analyzer.ReasonEndCut }, "Completion of 2: the device measured the whole interaction"},
		{"response without the begin", func(i *analyzer.Interaction) { i.Reasons |= analyzer.ReasonBeginCut }, "Response of 2: the device measured the whole interaction"},
		{"response without the end", func(i *analyzer.Interaction) { i.Reasons |= analyzer.ReasonEndCut }, "Response of 2: the device measures to the end of drawing, the report to the present"},
		{"unknown", func(i *analyzer.Interaction) { i.Device.ResponseMS = nil }, "!Response of 2"},
	} {
		want, not := strings.CutPrefix(test.want, "!")
		if out := explained(test.change); strings.Contains(out, want) == not {
			t.Errorf("%s: %q is there: %t", test.name, want, !not)
		}
	}
}

// manyFlings is n interactions, of which number 7 is the worst.
func manyFlings(n int) Input {
	in := flings()
	smooth, worst := in.Timeline.Interactions[0], in.Timeline.Interactions[1]
	in.Timeline.Interactions = nil
	for id := 1; id <= n; id++ {
		i := *smooth
		if id == 7 {
			i = *worst
		}
		i.ID = id
		in.Timeline.Interactions = append(in.Timeline.Interactions, &i)
	}
	in.Stats = stats.Compute(in.Timeline, stats.Options{})
	return in
}

// Each limit has a case on each side.
func TestMissedLimits(t *testing.T) {
	in := flings()
	for _, test := range []struct {
		name   string
		change func(*stats.Interaction)
		want   string // of the note; empty if no limit is missed
	}{
		{"none", func(*stats.Interaction) {}, ""},
		{"grade B", func(i *stats.Interaction) { i.Grade = known(stats.GradeB) }, ""},
		{"below", func(i *stats.Interaction) { i.Response, i.Grade = known(180.1), known(stats.GradeBelow) }, "response 180.1 ms, the limit is 180"},
		{"ratio", func(i *stats.Interaction) { i.HitchRatio = known(4.99) }, ""},
		{"ratio at the limit", func(i *stats.Interaction) { i.HitchRatio = known(5.0) }, "hitch ratio 5.0 ms/s, good below 5"},
		{"ratio not critical", func(i *stats.Interaction) { i.HitchRatio = known(10.0) }, "hitch ratio 10.0 ms/s, good below 5"},
		{"ratio critical", func(i *stats.Interaction) { i.HitchRatio = known(10.1) }, "hitch ratio 10.1 ms/s, critical above 10"},
		{"run", func(i *stats.Interaction) { i.LongestMissedRun = known(2) }, ""},
		{"run noticeable", func(i *stats.Interaction) { i.LongestMissedRun = known(3) }, "3 vsyncs missed in a row, noticeable from 3"},
		{"ratio of a click", func(i *stats.Interaction) {
			i.HitchRatio, i.Scene, i.Input = known(50.0), "ABILITY_OR_PAGE_SWITCH", known("last_up")
			i.Source = &analyzer.Interaction{Input: analyzer.LastUp, Scene: i.Scene, Process: i.Source.Process}
		}, ""},
		{"ratio of a fling without an input", func(i *stats.Interaction) {
			i.HitchRatio, i.Input = known(50.0), nil
			i.Source = &analyzer.Interaction{Scene: i.Scene, Process: i.Source.Process}
		}, "hitch ratio 50.0 ms/s, critical above 10"},
	} {
		i := *in.Stats.Interactions[0]
		test.change(&i)
		if got := missedNote(&i, nil); got.Text != test.want || (len(rating.MissedBy(&i)) > 0) != (test.want != "") {
			t.Errorf("%s: got %+v, want %q", test.name, got, test.want)
		}
	}
}

// The pictures have each frame where it was, in the colour of its mark, and the response before
// it: the axis of the second fling is from its input at 320 ms to its last present at 670 ms,
// its longest frame is 45 ms long, and ten ms are a period.
func TestPictures(t *testing.T) {
	in := flings()
	b := &builder{page: true}
	p := b.pictures(&in, in.Stats.Interactions)
	if len(p.List) != 3 || p.List[0].ID != "interaction-1" || p.List[1].ID != "interaction-2" || p.List[2].ID != "interaction-4" {
		t.Fatalf("got %+v", p.List)
	}
	if len(p.Legend) != 2 || p.Legend[0].ID != "on-time" || p.Legend[1].ID != "late-app" {
		t.Errorf("the legend is %v", p.Legend)
	}
	s := p.List[1]
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: got %g, want %g", what, got, want)
		}
	}
	if len(s.Bars) != 22 || s.Bars[0].Group != "lead" || s.From != "+1320.0 ms" || s.To != "+1670.0 ms" {
		t.Fatalf("%d bars, %+v", len(s.Bars), s)
	}
	near("the lead", s.Bars[0].Width, 110.0/350)
	for n, bar := range s.Bars[1:] {
		start, took, group := 400+10*n, 4.0, "on-time"
		switch {
		case n == 9:
			took, group = 45, "late-app"
		case n > 9:
			start += 40
		}
		near("left", bar.Left, float64(start-320)/350)
		near("width", bar.Width, took/350)
		near("height", bar.Height, took/45)
		must.Equal(t, bar.Group, group, "frame %d", n)
	}
	near("the period", s.Line, 10.0/45)
	near("first shown", s.Marks[0].At, 110.0/350)
	near("last shown", s.Marks[1].At, 1)
	stages := p.List[2] // 430 ms
	for n, want := range [][2]float64{{0, 150}, {150, 50}, {200, 200}, {400, 10}, {410, 20}} {
		near("stage", stages.Bars[n].Left, want[0]/430)
		near("stage", stages.Bars[n].Width, want[1]/430)
	}
	if !stages.Low || stages.Bars[0].Text != "LoadAbility" {
		t.Errorf("got %+v", stages)
	}
	in.File = "/home/me/flings.ftrace"
	page := write(t, []Input{in}, "html", Options{})
	must.Lack(t, page, "/home/me", "the page has the folder of its input")
	for _, command := range []string{"ohframe why --interaction N flings.ftrace", "ohframe open --interaction N flings.ftrace"} {
		must.Equal(t, strings.Count(page, command), 1, "%s", command)
	}
	in.File = ""
	if page := write(t, []Input{in}, "html", Options{}); strings.Contains(page, "ohframe why --interaction") {
		t.Error("standard input has commands")
	}
}

// The last stage of a launch without a first frame lasted at least as long as its slice: 130 ms
// of 330 ms.
func TestUnfinishedLaunch(t *testing.T) {
	in := flings()
	l := &analyzer.Interaction{
		ID: 1, Kind: analyzer.LaunchInteraction, Scene: analyzer.ColdLaunch, Process: in.Timeline.Processes[2], Begin: in.Timeline.Interactions[3].Begin,
		Reasons: analyzer.ReasonEndCut,
	}
	at := func(ms int) trace.Time { return l.Begin.Add(trace.Duration(ms) * ms1) }
	l.Observed = analyzer.Interval{Start: at(0), End: at(1200)}
	l.Stages = []analyzer.LaunchStage{{Name: "LoadAbility", Begin: at(0), End: at(200)}, {Name: "UI Ability Launching", Begin: at(200)}}
	in.Timeline.Interactions = []*analyzer.Interaction{l}
	in.Stats = stats.Compute(in.Timeline, stats.Options{})
	stage := func() string {
		return strings.Join(row(t, write(t, []Input{in}, "table", Options{}), "UI", "Ability", "Launching"), " ")
	}
	whole := func() string {
		return strings.Join(row(t, write(t, []Input{in}, "table", Options{}), "1", "cold", "launch"), " ")
	}
	must.Equal(t, stage(), "–", "without causes")
	if got := whole(); !strings.Contains(got, " – ≥ 200.0 ≥ 200.0 ") {
		t.Errorf("without causes: %s, want at least the stages before", got)
	}
	in.Causes = &why.Causes{Responses: map[*analyzer.Interaction]*why.Explanation{l: {Start: at(0), End: at(330), Steps: []why.Step{
		{Name: why.StepLaunch, Stage: "LoadAbility", Start: at(0), Time: 200 * trace.Millisecond},
		{Name: why.StepLaunch, Stage: "UI Ability Launching", Start: at(200), Time: 130 * trace.Millisecond, Open: true},
	}}}}
	must.Equal(t, stage(), "≥ 130.0", "with causes")
	if got := whole(); !strings.Contains(got, " – ≥ 330.0 ≥ 330.0 ") {
		t.Errorf("with causes: %s, want at least the sum of the stages", got)
	}
	b := &builder{page: true}
	p := b.pictures(&in, in.Stats.Interactions)
	if len(p.List) != 1 || len(p.List[0].Bars) != 2 {
		t.Fatalf("got %+v", p.List)
	}
	for _, in := range []Input{in, flings()} {
		want, other := "<h2>Stages of launches</h2>", "<h2>Frames of interactions</h2>"
		if len(in.Stats.Interactions) > 1 {
			want, other = other, want
		}
		if page := write(t, []Input{in}, "html", Options{}); !strings.Contains(page, want) || strings.Contains(page, other) {
			t.Errorf("the page has no heading %s, or %s", want, other)
		}
	}
	if bar := p.List[0].Bars[1]; bar.Title != "UI Ability Launching: ≥ 130.0 ms" || math.Abs(bar.Left-200.0/330) > 1e-9 || math.Abs(bar.Width-130.0/330) > 1e-9 {
		t.Errorf("the last stage: %+v", bar)
	}
}

// The trace ends within the second fling, 280 ms after its input. The last frame before is shown
// 10 ms earlier, and the first one as in flings.
func TestCutInteraction(t *testing.T) {
	in := flings()
	in.Timeline.Cut(in.Timeline.Span.Start, in.Timeline.Interactions[1].InputAt.Add(280*ms1))
	in.Stats = stats.Compute(in.Timeline, stats.Options{})
	i := in.Stats.Interactions[1]
	if i.LastShown != nil || i.Completion != nil || i.Grade != nil || !i.Truncated || i.ResponseGrade() != stats.GradeA {
		t.Errorf("the data have a last frame shown %v, a completion %v or a grade %v", i.LastShown, i.Completion, i.Grade)
	}
	got := strings.Join(row(t, write(t, []Input{in}, "table", Options{}), strings.Fields("2 fling of a list APP_LIST_FLING com.example.gallery pages/Index")...), " ")
	if want := " 110.0 ≥ 270.0 "; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	b := &builder{page: true}
	for n, want := range [][]string{{"first frame shown", "last frame shown"}, {"first frame shown"}} {
		picture, _ := b.picture(&in, in.Stats.Interactions[n])
		var marks []string
		for _, m := range picture.Marks {
			marks = append(marks, m.Title)
		}
		if !slices.Equal(marks, want) {
			t.Errorf("picture %d has the marks %q", n+1, marks)
		}
	}
}
