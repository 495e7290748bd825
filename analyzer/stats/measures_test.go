package stats_test

import (
	"fmt"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// measured returns the report of the only process of a kind.
func measured(t *testing.T, s *scene, kind stats.Kind) *stats.Process {
	t.Helper()
	for _, p := range stats.Compute(&s.Timeline, stats.Options{}).Processes {
		if p.Kind == kind {
			return p
		}
	}
	t.Fatalf("no %s in the report", kind)
	return nil
}

func TestStutterLevels(t *testing.T) {
	s := &scene{}
	p := s.process(100, "")
	late := func(start, overrun int) *analyzer.Frame {
		return s.app(p, start, start, start+10+overrun, analyzer.MainLate)
	}
	late(1000, 1).Period = 0
	late(2000, 1)
	f := late(3000, 20) // less than 2 of its own periods, however long the others' are
	f.Period = 10*ms + 1
	late(4000, 20) // 2
	late(5000, 60) // 6
	late(6000, 61)
	s.app(p, 7000, 7000, 7010, 0)
	f = late(8000, 20) // 2.4
	f.Period = 8333333
	got := measured(t, s, stats.Application).Stutter
	must.Equal(t, got, (stats.Stutter{Slight: 2, Medium: 3, Severe: 1, Unknown: 1}))
}

func TestLongestStreak(t *testing.T) {
	for _, test := range []struct {
		name   string
		frames string // L late, o in time, ? no deadline, T truncated; lower case l and i: on a worker thread
		want   string
	}{
		{"none late", "oo?", "none"},
		{"one", "oLo", "1 from 1"},
		{"the first of equals", "LLoLL", "2 from 0"},
		{"the longest", "LoLLLoLL", "3 from 2"},
		{"one of unknown lateness does not end it", "LL?LoLL", "3 from 0"},
		{"nor does one that is cut", "LTL", "2 from 0"},
		{"at the end", "oLLL", "3 from 1"},
		{"another thread does not end it", "LiLiL", "3 from 0"},
		{"nor lengthen it", "LlLlo", "2 from 0"},
		{"a worker's own", "oliooll", "2 from 5"},
		{"the first of equals is the one that began first", "LllL", "2 from 0"},
	} {
		s := &scene{}
		p := s.process(100, "")
		for i, c := range test.frames {
			start := 1000 + 100*i
			f := s.app(p, start, start, start+5, 0)
			switch c {
			case 'L', 'l':
				f.Actual.End, f.Facts = at(start+20), analyzer.MainLate
			case '?':
				f.Deadline = 0
			case 'T':
				f.Facts = analyzer.Truncated
			}
			if c == 'l' || c == 'i' {
				f.TID = 101
			}
		}
		got := "none"
		if l := measured(t, s, stats.Application).LongestStreak; l != nil && l.Frames > 0 {
			got = fmt.Sprintf("%d from %d", l.Frames, (*l.VsyncID-1000)/100)
			if *l.At != at(int(*l.VsyncID)) {
				t.Errorf("%s: begins at %s, want %d ms", test.name, l.At, *l.VsyncID)
			}
		}
		must.Equal(t, got, test.want, "%s: %q", test.name, test.frames)
	}
}

func TestFPSEvent(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(frames []*analyzer.Frame)
		want string
	}{
		{"presents", func([]*analyzer.Frame) {}, "present 4 100.00"},
		{"one present is not enough", func(f []*analyzer.Frame) {
			f[0].Present, f[1].Present, f[2].Present = 0, 0, 0
		}, "commit 4 50.00"},
		{"two are", func(f []*analyzer.Frame) { f[1].Present, f[2].Present = 0, 0 }, "present 2 33.33"},
		{"neither presents nor commits", func(f []*analyzer.Frame) {
			for _, r := range f {
				r.Present, r.Commit = 0, analyzer.Interval{}
			}
		}, "render_start 4 25.00"},
		{"frames without commands are not shown", func(f []*analyzer.Frame) {
			for _, r := range f {
				r.Present, r.Commit = 0, analyzer.Interval{}
			}
			f[3].Facts = analyzer.Empty
		}, "render_start 3 25.00"},
		{"cut frames do not count", func(f []*analyzer.Frame) { f[3].Facts = analyzer.Truncated }, "present 3 100.00"},
		{"two at the same time are one", func(f []*analyzer.Frame) { f[2].Present = f[3].Present }, "present 3 66.67"},
		{"only one", func(f []*analyzer.Frame) {
			for _, r := range f[1:] {
				r.Facts = analyzer.Truncated
			}
		}, "not known"},
	} {
		s := &scene{}
		p := s.process(1, "")
		for i := range 4 { // started 40 ms apart, committed 20, presented 10
			r := s.render(p, 1000+40*i, 1000+40*i, 1001+40*i, 0)
			show(r, 2000+20*i, 2001+20*i, 3000+10*i)
		}
		test.edit(s.Frames)
		got := "not known"
		if f := measured(t, s, stats.RenderService).FPS; f != nil {
			got = fmt.Sprintf("%s %d %.2f", f.Event, f.Frames, f.All)
		}
		must.Equal(t, got, test.want, "%s", test.name)
	}
}

// An application's frames are the render frames that applied any of its
// transactions, not only the last of each frame; each counts once.
func TestFPSOfApplication(t *testing.T) {
	s := &scene{}
	service, app, other := s.process(1, ""), s.process(100, ""), s.process(200, "")
	var r []*analyzer.Frame
	for i := range 5 {
		f := s.render(service, 1000+10*i, 1000+10*i, 1001+10*i, 0)
		show(f, 1002+10*i, 1003+10*i, 1020+10*i)
		r = append(r, f)
	}
	a := s.app(app, 990, 990, 999, 0)
	send(a, 991, r[0])
	send(a, 992, r[1])
	b := s.app(app, 1010, 1010, 1018, 0)
	send(b, 1011, r[1])
	send(b, 1012, r[4])
	send(b, 1013, nil) // not taken
	cut := s.render(service, 1100, 1100, 1101, analyzer.Truncated)
	show(cut, 1102, 1103, 1120)
	send(b, 1014, cut)
	send(s.app(other, 1010, 1010, 1018, 0), 1012, r[2])
	got := measured(t, s, stats.Application).FPS
	want := stats.FPS{Event: stats.Present, Frames: 3, First: at(1020), Last: at(1060), Rate: ptr(50.), All: 50, IdleShare: ptr(0.0), OfRefresh: ptr(2 / 4.0),
		Cadence: &stats.Cadence{Every: 1, Refresh: 100, Share: .5}} // of 10 and 30 ms, the higher rate
	sameJSON(t, got, want)
}

// gap describes two successive render frames: vsync, present and what changes.
type gap struct {
	name   string
	first  int // present of the first, whose vsync is at 1000
	second int // vsync of the second
	shown  int // present of the second
	edit   func(a, b *analyzer.Frame, app func(vsync int) *analyzer.Frame)
	want   string
}

func TestHitches(t *testing.T) {
	type frame = *analyzer.Frame
	type apps = func(vsync int) frame
	for _, test := range []gap{
		{"in time", 1020, 1010, 1030, nil, "0 hitches 0s idle 0s lost 0"},
		{"just under 0.7 periods", 1020, 1010, 1030, func(_, b frame, _ apps) { b.Present += 6_999_999 }, "0 hitches 0s idle 0s lost 0"},
		{"0.7 periods", 1020, 1010, 1037, nil, "1 hitches 7ms idle 0s lost 1"},
		{"1.6 periods", 1020, 1010, 1046, nil, "1 hitches 16ms idle 0s lost 1"},
		{"1.7 periods", 1020, 1010, 1047, nil, "1 hitches 17ms idle 0s lost 2"},
		{"the vsync was not asked for", 1020, 1020, 1040, nil, "0 hitches 0s idle 0s lost 0"},
		{"the vsync was queued up", 1020, 1020, 1040, func(_, b frame, _ apps) { b.Coalesced = 1 }, "1 hitches 10ms idle 0s lost 1"},
		{"an application frame was waiting", 1020, 1020, 1040, func(_, b frame, app apps) { send(app(1000), 1001, b) }, "1 hitches 10ms idle 0s lost 1"},
		{"none was", 1020, 1020, 1040, func(_, b frame, app apps) { send(app(1010), 1011, b) }, "0 hitches 0s idle 0s lost 0"},
		{"one of two was", 1020, 1020, 1040, func(_, b frame, app apps) {
			send(app(1010), 1011, b)
			send(app(1000), 1001, b)
		}, "1 hitches 10ms idle 0s lost 1"},
		{"the application's vsync was queued up", 1020, 1020, 1040, func(_, b frame, app apps) {
			a := app(1010)
			a.Coalesced = 1
			send(a, 1011, b)
		}, "1 hitches 10ms idle 0s lost 1"},
		{"one without a deadline was waiting", 1020, 1020, 1040, func(_, b frame, app apps) {
			send(noDeadline(app(1000)), 1001, b)
		}, "1 hitches 10ms idle 0s lost 1"},
		{"none without a deadline was", 1020, 1020, 1040, func(_, b frame, app apps) {
			send(noDeadline(app(1010)), 1011, b)
		}, "0 hitches 0s idle 0s lost 0"},
		{"one without a deadline, its vsync queued up", 1020, 1020, 1040, func(_, b frame, app apps) {
			a := noDeadline(app(1010))
			a.Coalesced = 1
			send(a, 1011, b)
		}, "1 hitches 10ms idle 0s lost 1"},
		{"one without a deadline or vsync, begun at 1000", 1020, 1020, 1040, func(_, b frame, app apps) {
			a := noDeadline(app(1000))
			a.Vsync = 0
			send(a, 1001, b)
		}, "1 hitches 10ms idle 0s lost 1"},
		{"one without a deadline or period", 1020, 1020, 1040, func(_, b frame, app apps) {
			a := noDeadline(app(1000))
			a.Period = 0
			send(a, 1001, b)
		}, "1 hitches 10ms idle 0s lost 1"},
		{"nobody knows the period then", 1020, 1020, 1040, func(_, b frame, app apps) {
			a := noDeadline(app(1000))
			a.Period, b.Period = 0, 0
			send(a, 1001, b)
		}, "0 hitches 0s idle 0s lost 0"},
		{"less than half a period until due does not count", 1020, 1010, 1037, func(_, b frame, _ apps) { b.Vsync += trace.Time(4_999_999) }, "1 hitches 7ms idle 0s lost 1"},
		{"half a period does", 1020, 1010, 1037, func(_, b frame, _ apps) { b.Vsync += trace.Time(5 * ms) }, "0 hitches 0s idle 0s lost 0"},
		{"a pause, then in time", 1020, 2000, 2020, nil, "0 hitches 0s idle 990ms lost 0"},
		{"a pause, then late", 1020, 2000, 2040, nil, "1 hitches 20ms idle 990ms lost 2"},
		{"the display becomes faster", 1020, 1010, 1030, func(a, b frame, _ apps) { b.Period = 5 * ms }, "0 hitches 0s idle 0s lost 0"},
		{"the display becomes slower", 1020, 1010, 1040, func(a, b frame, _ apps) { b.Period = 20 * ms }, "0 hitches 0s idle 0s lost 0"},
		{"one period is not known", 1020, 1010, 1040, func(a, b frame, _ apps) { a.Period = 0 }, "1 hitches 10ms idle 0s lost 1"},
		{"neither is", 1020, 1010, 1040, func(a, b frame, _ apps) { a.Period, b.Period = 0, 0 }, "not known"},
		{"no present", 1020, 1010, 1040, func(a, b frame, _ apps) { a.Present = 0 }, "not known"},
		{"out of order", 1020, 1010, 1019, nil, "not known"},
		{"without vsync times", 1020, 1020, 1040, func(a, b frame, _ apps) {
			a.Vsync, b.Vsync = 0, 0
			a.Expected, b.Expected = analyzer.Interval{}, analyzer.Interval{}
		}, "0 hitches 0s idle 0s lost 0"},
	} {
		s := &scene{}
		service, process := s.process(1, ""), s.process(100, "")
		a := s.render(service, 1000, 1000, 1001, 0)
		show(a, 1002, 1003, test.first)
		b := s.render(service, test.second, test.second, test.second+1, 0)
		show(b, test.second+2, test.second+3, test.shown)
		if test.edit != nil {
			test.edit(a, b, func(vsync int) frame { return s.app(process, vsync, vsync, vsync+5, 0) })
		}
		got := "not known"
		if h := measured(t, s, stats.RenderService).Hitches; h != nil {
			got = fmt.Sprintf("%d hitches %s idle %s lost %d", h.Hitches, h.Hitch, h.Idle, h.LostFrames)
		}
		must.Equal(t, got, test.want, "%s", test.name)
	}
}

// noDeadline removes a frame's deadline.
func noDeadline(f *analyzer.Frame) *analyzer.Frame {
	f.Expected, f.Deadline = analyzer.Interval{}, 0
	return f
}

// If a render frame applied several frames of an application, the first decides since when
// there was something to show. Frames of other applications do not count.
func TestHitchesOfApplication(t *testing.T) {
	for _, test := range []struct {
		frames []int // vsyncs of those that the second render frame took
		want   string
	}{
		{[]int{1010}, "0 idle 0s"},
		{[]int{1010, 1000}, "1 idle 0s"},
		{[]int{1000, 1010}, "1 idle 0s"},
	} {
		s := &scene{}
		service, process, other := s.process(1, ""), s.process(100, ""), s.process(200, "")
		a := s.render(service, 1000, 1000, 1001, 0)
		show(a, 1002, 1003, 1020)
		b := s.render(service, 1020, 1020, 1021, 0)
		show(b, 1022, 1023, 1040)
		send(s.app(process, 990, 990, 995, 0), 994, a)
		for _, vsync := range test.frames {
			send(s.app(process, vsync, vsync, vsync+5, 0), vsync+4, b)
		}
		send(s.app(other, 1000, 1000, 1005, 0), 1004, b)
		h := measured(t, s, stats.Application).Hitches
		must.Equal(t, fmt.Sprintf("%d idle %s", h.Hitches, h.Idle), test.want, "frames of %v", test.frames)
	}
}

// One layer of a process does not show when it began to wait for a frame, and the
// other does. The other one decides, in either order.
func TestHitchesOfUnsureLayers(t *testing.T) {
	for _, test := range []struct {
		wanted []int // zero where it is not known
		want   string
	}{
		{[]int{1020, 0}, "1 idle 0s"},
		{[]int{0, 1020}, "1 idle 0s"},
		{[]int{0, 1030}, "not known"},
		{[]int{1030, 0}, "not known"},
		{[]int{1020, 1030}, "1 idle 0s"},
		{[]int{1030, 1030}, "0 idle 0s"},
	} {
		s := &scene{}
		service, process := s.process(1, ""), s.process(100, "")
		layer := func(start, wanted int, render *analyzer.Frame) {
			f := s.app(process, start, start, start+1, 0)
			f.Android = &analyzer.Android{Latency: &analyzer.LayerLatency{Wanted: at(wanted)}}
			send(noDeadline(f), start+1, render)
		}
		a := s.render(service, 1000, 1005, 1020, 0)
		a.Present = at(1020)
		layer(1000, 1010, a)
		b := s.render(service, 1030, 1035, 1040, 0)
		b.Present = at(1040)
		for i, wanted := range test.wanted {
			layer(1030+i, wanted, b)
		}
		for _, kind := range []stats.Kind{stats.Application, stats.RenderService} {
			got := "not known"
			if h := measured(t, s, kind).Hitches; h != nil {
				got = fmt.Sprintf("%d idle %s", h.Hitches, h.Idle)
			}
			must.Equal(t, got, test.want, "%s, wanted since %v", kind, test.wanted)
		}
	}
}

// What lies between two presents decides whether they are successive.
func TestHitchesBetween(t *testing.T) {
	for _, test := range []struct {
		name    string
		between func(f *analyzer.Frame)
		want    int
	}{
		{"a frame that was shown", func(f *analyzer.Frame) { show(f, 1012, 1013, 1030) }, 2},
		{"a frame of which it is not known", func(f *analyzer.Frame) { f.Commit = interval(1012, 1013) }, 0},
		{"a frame that was skipped", func(f *analyzer.Frame) {}, 1},
	} {
		s := &scene{}
		service := s.process(1, "")
		show(s.render(service, 1000, 1000, 1001, 0), 1002, 1003, 1020)
		test.between(s.render(service, 1010, 1010, 1011, 0))
		show(s.render(service, 1020, 1020, 1021, 0), 1022, 1023, 1040)
		got := 0
		if h := measured(t, s, stats.RenderService).Hitches; h != nil {
			got = h.Gaps
		}
		must.Equal(t, got, test.want, "%s: gaps", test.name)
	}
}

func TestHistogramBuckets(t *testing.T) {
	// Each line of the table in Bucket's comment, at its edges.
	for _, test := range []struct {
		from, to, name int // the first and the last whole millisecond, the bucket
	}{
		{0, 5, 5}, {6, 6, 6}, {7, 7, 7}, {31, 31, 31}, {32, 33, 32}, {34, 35, 34}, {36, 37, 36}, {46, 47, 46}, {48, 51, 48},
		{52, 55, 53}, {56, 59, 57}, {128, 131, 129}, {132, 135, 133}, {136, 199, 150}, {200, 249, 200},
		{4850, 4899, 4850}, {4900, 4949, 4900}, {4950, 100000, 4950},
	} {
		for _, d := range []trace.Duration{trace.Duration(test.from) * ms, trace.Duration(test.to+1)*ms - 1} {
			s := &scene{}
			f := s.app(s.process(100, ""), 1000, 1000, 1000, 0)
			f.Actual.End = f.Actual.Start.Add(d)
			list := measured(t, s, stats.Application).Durations.Histogram
			if len(list) != 1 || list[0].Name != test.name || list[0].Frames != 1 {
				t.Errorf("%s is in %+v, want bucket %d", d, list, test.name)
				continue
			}
			b := list[0]
			if below := b.Below; b.From != test.from || (below == nil) != (test.name == 4950) || below != nil && *below != test.to+1 {
				t.Errorf("bucket %d is %d to %v, want %d to %d", b.Name, b.From, below, test.from, test.to+1)
			}
		}
	}
}

// The n-th percentile of 1 to 100 is n.
func TestPercentiles(t *testing.T) {
	s := &scene{}
	p := s.process(100, "")
	for i := 1; i <= 100; i++ {
		s.app(p, 1000*i, 1000*i, 1000*i+i, 0)
	}
	d := measured(t, s, stats.Application).Durations
	must.EqualSlices(t, []trace.Duration{d.P50, d.P90, *d.P95, *d.P99, d.Max}, []trace.Duration{50 * ms, 90 * ms, 95 * ms, 99 * ms, 100 * ms})
	one := &scene{}
	one.app(one.process(100, ""), 1000, 1000, 1003, 0)
	d = measured(t, one, stats.Application).Durations
	must.EqualSlices(t, []trace.Duration{d.P50, d.P90, d.Max}, []trace.Duration{3 * ms, 3 * ms, 3 * ms}, "of one")
}

// Without a frame beyond it, a percentile of the tail is unknown: docs/frames.md 9.9.
func TestTailPercentiles(t *testing.T) {
	s := &scene{}
	p := s.process(100, "")
	for n := 1; n <= 100; n++ {
		s.app(p, 1000*n, 1000*n, 1000*n+n, 0)
		process := measured(t, s, stats.Application)
		d, periods := process.Durations, process.DurationsInPeriods
		if (d.P95 != nil) != (n >= 20) || (d.P99 != nil) != (n >= 100) {
			t.Errorf("%d frames: P95 %v, P99 %v", n, d.P95, d.P99)
		}
		if (periods.P95 != nil) != (n >= 20) || (periods.P99 != nil) != (n >= 100) {
			t.Errorf("%d frames, in periods: P95 %v, P99 %v", n, periods.P95, periods.P99)
		}
	}
}

// The display's estimate of a period wanders: 8333333 and 8333400 are one rate.
func TestRefreshRates(t *testing.T) {
	s := &scene{}
	p := s.process(100, "")
	for i, period := range []trace.Duration{8333400, 16666667, 8333333, 0, 8333334, 11111111} {
		f := s.app(p, 1000+100*i, 1000+100*i, 1001+100*i, 0)
		f.Period = period
		if period == 0 {
			f.Deadline = 0
		}
	}
	got := ""
	for _, r := range measured(t, s, stats.Application).Refresh {
		got += fmt.Sprintf("%.3f Hz %s ×%d; ", r.Rate, r.Period, r.Frames)
	}
	must.Equal(t, got, "60.000 Hz 16.666667ms ×1; 90.000 Hz 11.111111ms ×1; 120.000 Hz 8.333334ms ×3; ")
}

// A trace may say that a frame is late without saying when its deadline was, and
// Android calls frames late that ended before it.
func TestLateByVerdict(t *testing.T) {
	s := &scene{}
	p := s.process(100, "")
	s.app(p, 1000, 1000, 1005, 0)
	s.app(p, 1100, 1100, 1105, analyzer.MainLate).Deadline = 0
	s.app(p, 1200, 1200, 1205, analyzer.MainLate)
	s.app(p, 1300, 1300, 1305, 0).Deadline = 0
	got := measured(t, s, stats.Application)
	if *got.JankRate != 2.0/3 || got.LongestStreak.Frames != 2 {
		t.Errorf("jank %v, streak %+v, want 2/3 and 2", *got.JankRate, got.LongestStreak)
	}
	must.Equal(t, got.Stutter, (stats.Stutter{Slight: 1, Unknown: 1}), "stutter")
	if len(got.Worst) != 1 || got.Worst[0].Overrun != 0 || got.Worst[0].At != at(1200) {
		t.Errorf("worst %+v, want the one at 1200 ms, overrun by nothing", got.Worst)
	}
}

func TestStageLimits(t *testing.T) {
	s := &scene{}
	service, process := s.process(1, ""), s.process(100, "")
	r := s.render(service, 1010, 1011, 1014, 0)
	show(r, 1015, 1017, 1016) // shown before the commit ended
	a := s.app(process, 1000, 999, 1005, 0)
	send(a, 1012, r) // sent while the render frame was running
	p := measured(t, s, stats.Application)
	for stage, want := range map[stats.Stage]string{
		stats.Receive:   "not known", // received before it was due
		stats.PickUp:    "0s",
		stats.ToPresent: "not known",
	} {
		got := "not known"
		if d := p.Stages[stage].Max; d != nil {
			got = d.String()
		}
		must.Equal(t, got, want, "%s", stage)
	}
	r.Commit.End, r.PresentEstimated = at(1015), true
	p = measured(t, s, stats.Application)
	must.Equal(t, p.Stages[stats.ToPresent].Frames, 0, "frames have a time to an estimated present")
	r.PresentEstimated = false
	p = measured(t, s, stats.Application)
	if d := p.Stages[stats.ToPresent].Max; d == nil || *d != 1*ms {
		t.Errorf("commit to present is %v, want 1 ms", d)
	}
	r.Facts = analyzer.Truncated
	p = measured(t, s, stats.Application)
	must.Equal(t, p.Stages[stats.RenderMain].Frames, 0, "frames have the times of a cut render frame")
}

// Pick-up is counted from the last transaction. Only stages before the deadline can be the
// longest of a late frame, and the first of equally long ones is.
func TestStageRules(t *testing.T) {
	s := &scene{}
	r := s.render(s.process(1, ""), 1020, 1031, 1056, 0)
	a := s.app(s.process(100, ""), 988, 1000, 1012, analyzer.MainLate)
	send(a, 1001, r)
	send(a, 1011, r)
	p := measured(t, s, stats.Application)
	must.Equal(t, *p.Stages[stats.PickUp].Max, 20*ms, "picked up after")
	// Vsync → received 12 ms, UI work 12, pick-up 20, render main 25.
	must.Equal(t, *p.Worst[0].Stage, stats.Receive, "the longest stage")
}

func TestRates(t *testing.T) {
	s := &scene{}
	p := s.process(100, "")
	s.app(p, 1000, 1000, 1020, analyzer.MainLate)
	s.app(p, 1100, 1100, 1105, analyzer.Empty)
	s.app(p, 1200, 1200, 1205, 0).Deadline = 0
	s.app(p, 1300, 1300, 1320, analyzer.Truncated)
	s.app(p, 1400, 1400, 1420, analyzer.MainLate|analyzer.Empty)
	got := measured(t, s, stats.Application)
	if *got.JankRate != 2.0/3 || *got.EmptyRate != 2.0/4 {
		t.Errorf("jank %v, empty %v, want 2/3 and 2/4", *got.JankRate, *got.EmptyRate)
	}
	must.Equal(t, *value(t, got, "frames.late_empty"), 1, "late frames that drew nothing")
}

func TestStageText(t *testing.T) {
	for stage := stats.Receive; stage <= stats.ToPresent; stage++ {
		text, _ := stage.MarshalText()
		var back stats.Stage
		if err := back.UnmarshalText(text); err != nil || back != stage {
			t.Errorf("%s is read back as %s, %v", text, back, err)
		}
	}
	var s stats.Stage
	if err := s.UnmarshalText([]byte("lunch")); err == nil {
		t.Error("lunch is a stage")
	}
}

func TestWorst(t *testing.T) {
	s := &scene{}
	p := s.process(100, "")
	for i, overrun := range []int{3, 9, 0, 12, 1, 9, 7, 2, 8, 4, 5, 6, 11} {
		facts := analyzer.MainLate
		if overrun == 0 {
			facts = 0
		}
		s.app(p, 1000+100*i, 1000+100*i, 1010+100*i+overrun, facts)
	}
	got := []string{}
	for _, w := range measured(t, s, stats.Application).Worst {
		got = append(got, fmt.Sprintf("%d@%d", w.Overrun/ms, (w.VsyncID-1000)/100))
	}
	want := []string{"12@3", "11@12", "9@1", "9@5", "8@8", "7@6", "6@11", "5@10", "4@9", "3@0"}
	must.EqualSlices(t, got, want)
}

func TestWhole(t *testing.T) {
	const (
		late       = analyzer.MainLate
		gpuLate    = analyzer.GPULate
		misaligned = analyzer.Misaligned
		truncated  = analyzer.Truncated
	)
	none := func(_, _ *analyzer.Frame) {}
	for _, test := range []struct {
		name        string
		app, render analyzer.Facts
		vsync       int // the render frame's; 1010 is the one that the application frame was made for
		edit        func(app, render *analyzer.Frame)
		want        string
	}{
		{"in time", 0, 0, 1010, none, ""},
		{"application late, picked up in time", late, 0, 1010, none, ""},
		{"application late, picked up late", late | misaligned, misaligned, 1020, none, "application"},
		{"application and render late", late, late, 1010, none, "application"},
		{"render late", 0, late, 1010, none, "render_cpu"},
		{"render late twice over", 0, late | gpuLate, 1010, none, "render_cpu"},
		{"render late on the GPU", 0, gpuLate, 1010, none, "render_gpu"},
		{"picked up late by a late render frame", misaligned, late | misaligned, 1020, none, "render_cpu"},
		{"picked up late", misaligned, misaligned, 1020, none, "pick_up"},
		{"picked up early", misaligned, misaligned, 1000, none, ""},
		{"misaligned only by actual times", misaligned, misaligned, 1010, none, ""},
		{"picked up late, by actual times alone", misaligned, misaligned, 1020,
			func(a, _ *analyzer.Frame) { a.Expected = analyzer.Interval{} }, "pick_up"},
		{"picked up early, by actual times alone", misaligned, misaligned, 1000,
			func(a, r *analyzer.Frame) { a.Expected = analyzer.Interval{}; r.Actual.Start = at(1004) }, ""},
		{"application cut", truncated, 0, 1010, none, "none"},
		{"render cut", 0, truncated, 1010, none, "none"},
		{"not taken", 0, 0, 1010, func(a, _ *analyzer.Frame) { a.Render = nil }, "none"},
		{"no expected end", 0, 0, 1010, func(_, r *analyzer.Frame) { r.Expected = analyzer.Interval{} }, "none"},
	} {
		s := &scene{}
		end := test.vsync + 10
		if test.render.Has(late) {
			end = test.vsync + 16
		}
		r := s.render(s.process(1, ""), test.vsync, test.vsync+1, end, test.render)
		if test.render.Has(gpuLate) {
			r.GPU = []analyzer.Interval{interval(test.vsync+2, test.vsync+18)}
		}
		a := s.app(s.process(100, ""), 1000, 1001, 1005, test.app)
		send(a, 1004, r)
		test.edit(a, r)
		got := "none"
		w, ok := a.Whole()
		if ok {
			got = w.Blame.String()
			if w.Expected != (analyzer.Interval{Start: a.Expected.Start, End: r.Expected.End}) || w.Actual != (analyzer.Interval{Start: at(1001), End: r.End()}) {
				t.Errorf("%s: expected %s, actual %s", test.name, w.Expected, w.Actual)
			}
		}
		if got != test.want || w.Late() != (got != "none" && got != "") {
			t.Errorf("%s: blame %s, late %v, want %s", test.name, got, w.Late(), test.want)
		}
	}
}
