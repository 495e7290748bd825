package analyzer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// us is a number of microseconds.
const us = trace.Duration(1000)

// paced returns a timeline with one layer. Each buffer is queued at a time, taken by a render
// frame at another, and shown at a third, all in microseconds.
func paced(period trace.Duration, buffers ...[3]int64) (*analyzer.Timeline, *analyzer.Layer) {
	l := &analyzer.Layer{Name: "video"}
	t := &analyzer.Timeline{Span: analyzer.Interval{Start: 1, End: trace.Time(100 * trace.Second)}, Layers: []*analyzer.Layer{l}}
	at := func(micros int64) trace.Time { return trace.Time(micros * int64(us)) }
	for _, b := range buffers {
		render := &analyzer.Frame{Kind: analyzer.RenderFrame, Period: period}
		l.Buffers = append(l.Buffers, &analyzer.Buffer{Layer: l, Queued: at(b[0]), Acquired: at(b[1]), Present: at(b[2]), Fate: analyzer.Shown, Render: render})
	}
	return t, l
}

// steady returns buffers that are queued at an interval, and taken and shown after some vsyncs
// each. They are taken a vsync before they are shown.
func steady(interval, period int64, vsyncs ...int64) (list [][3]int64) {
	queued, shown := int64(1000), int64(100_000)
	for _, n := range append([]int64{0}, vsyncs...) {
		shown += n * period
		list = append(list, [3]int64{queued, shown - period, shown})
		queued += interval
	}
	return list
}

func paces(l *analyzer.Layer) string {
	var list []string
	for _, b := range l.Buffers {
		list = append(list, b.Pace.String())
	}
	return strings.Join(list, " ")
}

// arriving returns buffers that are queued after intervals, each shown at the first vsync that is
// at least half a period later. Of several for one vsync, the last is shown.
func arriving(period trace.Duration, intervals ...trace.Duration) (*analyzer.Timeline, *analyzer.Layer) {
	l := &analyzer.Layer{}
	t := &analyzer.Timeline{Span: analyzer.Interval{Start: 1, End: trace.Time(100 * trace.Second)}, Layers: []*analyzer.Layer{l}}
	at := trace.Time(trace.Second) + 100_000
	for i := range len(intervals) + 1 {
		if i > 0 {
			at = at.Add(intervals[i-1])
		}
		taken := (at + trace.Time(period) - 1) / trace.Time(period) * trace.Time(period)
		b := &analyzer.Buffer{Layer: l, Queued: at, Acquired: taken, Present: taken.Add(period), Fate: analyzer.Shown, Render: &analyzer.Frame{Kind: analyzer.RenderFrame, Period: period, Vsync: taken, Actual: analyzer.Interval{Start: taken, End: taken + 1}}}
		if n := len(l.Buffers); n > 0 && l.Buffers[n-1].Acquired == taken {
			l.Buffers[n-1].Fate, l.Buffers[n-1].Acquired, l.Buffers[n-1].Present, l.Buffers[n-1].Render = analyzer.Discarded, 0, 0, nil
		}
		l.Buffers = append(l.Buffers, b)
	}
	return t, l
}

// Buffers that come in pairs or triples have one cadence, and none is late. Those that come in the
// same vsync as a later one are dropped.
func TestBuffersTogether(t *testing.T) {
	for _, test := range []struct {
		name                   string
		hz, buffers            int
		apart, every, interval trace.Duration
		shown                  int // of those that come together
	}{
		{"pairs", 120, 2, 400 * us, 16_667 * us, 16_667 * us, 1},
		{"pairs on 60 Hz", 60, 2, 400 * us, 16_667 * us, 16_667 * us, 1},
		{"triples", 90, 3, 400 * us, 33_333 * us, 33_333 * us, 1},
		{"triples, one for each vsync", 90, 3, 300 * us, 11_111 * us, 11_111 * us, 1},
		{"four", 120, 4, 1000 * us, 33_333 * us, 33_333 * us, 1},
		{"one by one", 120, 1, 0, 8_333 * us, 8_333 * us, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var intervals []trace.Duration
			for i := 1; i < 60*test.buffers; i++ {
				d := test.apart
				if i%test.buffers == 0 {
					d = test.every - trace.Duration(test.buffers-1)*test.apart
				}
				intervals = append(intervals, d)
			}
			timeline, l := arriving(trace.Second/trace.Duration(test.hz), intervals...)
			timeline.JudgeLayers()
			if len(l.Cadences) != 1 || l.Cadences[0].Every != test.every || l.Cadences[0].Buffers != test.buffers || l.Cadence() != test.interval {
				t.Fatalf("cadences %+v", l.Cadences)
			}
			dropped := 0
			for i, b := range l.Buffers {
				if b.Fate == analyzer.Discarded {
					dropped++
				}
				if b.Pace == analyzer.Late || b.Pace == analyzer.Early {
					t.Errorf("buffer %d is %s after %s", i, b.Pace, b.Interval)
				}
			}
			want := 60 * (test.buffers - test.shown)
			if drops := timeline.Drops()[l]; dropped != want || want > 0 && (len(drops) != 1 || drops[0].Reason != analyzer.SameVsync || drops[0].Buffers != want) {
				t.Errorf("%d dropped, %+v, want %d", dropped, drops, want)
			}
		})
	}
}

// A display that shows fewer pictures than a layer has drops some, since its rate fell.
func TestDropsOfSlowDisplay(t *testing.T) {
	hz := []int{120, 90, 60, 120, 60}
	l := &analyzer.Layer{}
	timeline := &analyzer.Timeline{Span: analyzer.Interval{Start: 1, End: trace.Time(100 * trace.Second)}, Layers: []*analyzer.Layer{l}}
	compositor := &analyzer.Process{PID: 7}
	vsync, queued := trace.Time(trace.Second), trace.Time(trace.Second)-1000
	const interval = trace.Second / 120
	var changes []trace.Time
	var rated trace.Time  // the change before the last frame
	want := map[int]int{} // by rate, from the first
	for n, rate := range hz {
		period := trace.Second / trace.Duration(rate)
		changes = append(changes, vsync)
		for range rate / 2 {
			f := &analyzer.Frame{Kind: analyzer.RenderFrame, Process: compositor, Period: period, Vsync: vsync, Actual: analyzer.Interval{Start: vsync + 10, End: vsync + 20}}
			timeline.Frames = append(timeline.Frames, f)
			for first := len(l.Buffers); queued <= vsync; queued = queued.Add(interval) {
				b := &analyzer.Buffer{Layer: l, Queued: queued}
				if len(l.Buffers) > first {
					l.Buffers[len(l.Buffers)-1].Fate, l.Buffers[len(l.Buffers)-1].Render, l.Buffers[len(l.Buffers)-1].Acquired = analyzer.Discarded, nil, 0
					want[slices.Index(changes, rated)]++
				}
				b.Fate, b.Render, b.Acquired, b.Present = analyzer.Shown, f, vsync+15, vsync.Add(period)
				l.Buffers = append(l.Buffers, b)
			}
			vsync, rated = vsync.Add(period), changes[n]
		}
	}
	for _, b := range l.Buffers {
		if b.Fate == analyzer.Discarded {
			b.Present = 0
		}
	}
	timeline.JudgeLayers()
	for i, b := range l.Buffers {
		if b.Pace == analyzer.Late {
			t.Errorf("buffer %d is late", i)
		}
	}
	drops := timeline.Drops()[l]
	if len(drops) != 3 {
		t.Fatalf("%d reasons", len(drops))
	}
	for _, d := range drops {
		n := -1
		for i, at := range changes {
			if at == d.Since {
				n = i
			}
		}
		if n < 1 || d.Reason != analyzer.SlowDisplay || d.Buffers != want[n] || d.Period != trace.Second/trace.Duration(hz[n]) || d.Before != trace.Second/trace.Duration(hz[n-1]) {
			t.Errorf("%+v, want %v since %v", d, want, changes)
		}
	}
}

// Intervals that differ by chance are one cadence, and a change of the rate is found in them. Those
// that are much longer are late.
func TestUnevenSources(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 46))
	for _, test := range []struct {
		hz     int
		jitter float64 // share of the interval, standard deviation
		rates  []int
	}{
		{60, .1, []int{60, 30}}, {60, .1, []int{24, 30, 24}}, {120, .1, []int{120, 60}}, {90, .1, []int{30, 60}},
		{60, .15, []int{30, 60, 30}}, {60, .15, []int{30}}, {90, .2, []int{60}}, {120, .05, []int{24, 30, 25, 60}},
	} {
		for range 20 {
			var intervals []trace.Duration
			for _, fps := range test.rates {
				base, offset := float64(trace.Second)/float64(fps), 0.0
				for range 100 {
					next := min(2, max(-2, random.NormFloat64())) * test.jitter * base / math.Sqrt2
					intervals = append(intervals, trace.Duration(base+next-offset))
					offset = next
				}
			}
			timeline, l := arriving(trace.Second/trace.Duration(test.hz), intervals...)
			timeline.JudgeLayers()
			var want []int
			for _, fps := range test.rates {
				if n := len(want); n == 0 || math.Abs(float64(want[n-1]-fps)) > 1 {
					want = append(want, fps)
				}
			}
			var got []int
			for _, c := range l.Cadences {
				got = append(got, int(math.Round(float64(trace.Second)/float64(c.Every))))
			}
			same := len(got) == len(want)
			for i := range got {
				same = same && math.Abs(float64(got[i]-want[i])) <= .1*float64(want[i])
			}
			if !same {
				t.Errorf("%d Hz, %v: rates %v, want %v", test.hz, test.jitter, got, want)
			}
		}
	}
}

func TestPace(t *testing.T) {
	for _, test := range []struct {
		name    string
		period  int64
		buffers [][3]int64
		cadence int64
		want    string
	}{
		{"30 on 90 Hz", 11_111, steady(33_333, 11_111, 3, 3, 3, 3), 33_333, " even even even even"},
		{"30 on 90 Hz, unevenly", 11_111, steady(33_333, 11_111, 2, 4, 3, 3), 33_333, " early late even even"},
		{"60 on 60 Hz, one vsync missed", 16_667, steady(16_667, 16_667, 1, 1, 2, 1), 16_667, " even even late even"},
		{"24 on 60 Hz", 16_667, steady(41_667, 16_667, 2, 3, 2, 3, 2), 41_667, " even even even even even"},
		{"25 on 60 Hz", 16_667, steady(40_000, 16_667, 2, 3, 2, 2, 3), 40_000, " even long even even long"},
		{"25 on 60 Hz, one vsync missed", 16_667, steady(40_000, 16_667, 2, 3, 2, 4, 3), 40_000, " even long even late long"},
		{"120 on 60 Hz", 16_667, [][3]int64{{1000, 9000, 100_000}, {9333, 17_000, 116_667}, {17_667, 50_000, 133_334}, {26_000, 90_000, 166_668}}, 8_333, " even even late"},
		{"240 on 60 Hz", 16_667, [][3]int64{{1000, 9000, 100_000}, {5167, 17_000, 116_667}, {9333, 50_000, 133_334}, {13_500, 90_000, 166_668}}, 4_167, " long long late"},
		{"60 on 90 Hz", 11_111, steady(16_667, 11_111, 1, 2, 1, 2), 16_667, " even even even even"},
		// 33.333 + 11.111 / 2 = 38.889, and 5 % of 11.111 more.
		{"at the limit", 11_111, [][3]int64{{1, 5, 100_000}, {33_334, 38_340, 139_443}, {66_667, 71_670, 172_776}, {100_000, 105_000, 206_109}}, 33_333, " even even even"},
		{"beyond the limit", 11_111, [][3]int64{{1, 5, 100_000}, {33_334, 38_340, 139_445}, {66_667, 71_670, 172_778}, {100_000, 105_000, 206_111}}, 33_333, " late even even"},
		{"three buffers", 11_111, steady(33_333, 11_111, 3, 3), 0, "  "},
		{"no queue times", 11_111, [][3]int64{{0, 1, 100_000}, {0, 2, 133_333}, {0, 3, 166_666}, {0, 4, 233_332}, {0, 5, 266_665}}, 33_333, " even even late even"},
		{"a user interface", 11_111, [][3]int64{{1000, 2000, 100_000}, {12_000, 13_000, 111_111}, {300_000, 301_000, 400_000}, {350_000, 351_000, 450_000}, {600_000, 610_000, 700_000}}, 0, "    "},
		{"queued 2, 4 and 3 vsyncs apart", 11_111, [][3]int64{{1_000, 2_000, 34_333}, {23_222, 24_222, 56_555}, {67_666, 68_666, 100_999}, {100_999, 101_999, 134_332}, {123_221, 124_221, 156_554}, {167_665, 168_665, 200_998}, {200_998, 201_998, 234_331}}, 33_333, " early late even early late even"},
		{"a present that is unknown", 11_111, [][3]int64{{1000, 2000, 100_000}, {34_333, 35_000, 0}, {67_666, 68_000, 166_666}, {101_000, 102_000, 200_000}, {134_333, 135_000, 233_333}}, 33_333, "   even even"},
		{"no period", 0, steady(33_333, 11_111, 3, 3, 3), 0, "   "},
		// A second after the present of the first, less the cadence, is 1,066,667.
		{"a pause", 11_111, [][3]int64{{1000, 2000, 100_000}, {34_333, 35_000, 133_333}, {67_666, 68_000, 166_666}, {1_133_333, 1_134_000, 1_200_000}, {1_166_666, 1_167_000, 1_233_333}}, 33_333, " even even  even"},
		{"a freeze", 11_111, [][3]int64{{1000, 2000, 100_000}, {34_333, 35_000, 133_333}, {67_666, 68_000, 166_666}, {1_133_332, 1_134_000, 1_200_000}, {1_166_665, 1_167_000, 1_233_333}}, 33_333, " even even late even"},
	} {
		timeline, l := paced(trace.Duration(test.period)*us, test.buffers...)
		timeline.JudgeLayers()
		if l.Cadence() != trace.Duration(test.cadence)*us || paces(l) != test.want {
			t.Errorf("%s: cadence %v, %q, want %d µs, %q", test.name, l.Cadence(), paces(l), test.cadence, test.want)
		}
	}
}

// A buffer whose line has a wrong time is no part of the cadence of the others, wherever it comes among them.
func TestCadenceOfBuffersOutOfOrder(t *testing.T) {
	for _, n := range []int{0, 3, 8} {
		for _, off := range []trace.Duration{-900 * trace.Millisecond, 80 * trace.Second} {
			timeline, l := paced(11_111*us, steady(33_333, 11_111, 3, 3, 3, 3, 3, 3, 3, 3)...)
			for _, b := range l.Buffers {
				b.Queued += trace.Time(trace.Second)
			}
			l.Buffers[n].Queued, l.Buffers[n].Acquired, l.Buffers[n].Present, l.Buffers[n].Fate = l.Buffers[n].Queued.Add(off), 0, 0, analyzer.Waiting
			timeline.JudgeLayers()
			if len(l.Cadences) != 1 || l.Cadence() != 33_333*us || l.Cadences[0].Span.Duration() <= 0 {
				t.Errorf("cadences with buffer %d off by %v: %+v", n, off, l.Cadences)
			}
		}
	}
}

// Buffers are taken and shown every 30 ms on a display of 10 ms, and one is late by 20 ms.
func TestLateBuffer(t *testing.T) {
	for _, test := range []struct {
		name            string
		acquired, shown int64 // of the third
		deadline        int64
		overrun         int64
	}{
		{"taken late", 150_000, 180_000, 130_000, 20_000},
		{"taken late and shown later", 140_000, 180_000, 130_000, 20_000},
		{"taken in time", 130_000, 180_000, 0, 20_000},
		{"even", 130_000, 160_000, 0, 0},
	} {
		timeline, l := paced(10_000*us, [3]int64{65_000, 70_000, 100_000}, [3]int64{95_000, 100_000, 130_000},
			[3]int64{125_000, test.acquired, test.shown}, [3]int64{155_000, 190_000, 220_000})
		frame := &analyzer.Frame{Framework: analyzer.Flutter, Actual: analyzer.Interval{Start: 1, End: trace.Time(129_000 * us)}, Draw: analyzer.Interval{Start: 2, End: trace.Time(135_000 * us)}}
		l.Buffers[2].Frame = frame
		timeline.JudgeLayers()
		b := l.Buffers[2]
		must.Equal(t, fmt.Sprint(b.Deadline, b.Overrun(), frame.Deadline), fmt.Sprint(trace.Time(test.deadline)*trace.Time(us), trace.Duration(test.overrun)*us, trace.Time(test.deadline)*trace.Time(us)), "%s: deadline, overrun, deadline of the frame", test.name)
		// Its drawing ends at 135 ms.
		if late := frame.Facts == analyzer.MainLate; late != (test.deadline != 0) || !frame.Judged() {
			t.Errorf("%s: facts %v, judged %v", test.name, frame.Facts, frame.Judged())
		}
		if first := (&analyzer.Frame{Framework: analyzer.Flutter}); first.Judged() {
			t.Error("a frame without a pace is judged")
		}
	}
}

// A deadline that a marker states counts.
func TestLateBufferOfJudgedFrame(t *testing.T) {
	timeline, l := paced(10_000*us, steady(30_000, 10_000, 3, 3, 5)...)
	frame := &analyzer.Frame{Framework: analyzer.NativeVsync, Deadline: 77}
	l.Buffers[3].Frame = frame
	timeline.JudgeLayers()
	if l.Buffers[3].Pace != analyzer.Late || frame.Deadline != 77 {
		t.Errorf("pace %v, deadline %d", l.Buffers[3].Pace, frame.Deadline)
	}
}

func TestCutLayers(t *testing.T) {
	timeline, l := paced(10_000*us, steady(30_000, 10_000, 3, 3, 3)...)
	outside := l.Buffers[0].Render
	l.Buffers[1].Render = outside
	timeline.Frames = []*analyzer.Frame{outside}
	outside.Actual = analyzer.Interval{Start: 1, End: 2}
	timeline.Layers = append(timeline.Layers, &analyzer.Layer{Name: "before", Buffers: []*analyzer.Buffer{{Queued: 5}}})
	// The first is shown at 100 ms, the second from 31 to 130 ms, the third from 61 ms on.
	timeline.Cut(trace.Time(101_000*us), trace.Time(500_000*us))
	if len(timeline.Layers) != 1 || len(l.Buffers) != 3 || l.Buffers[0].Render != nil {
		t.Errorf("%d layers, %d buffers, render frame %v", len(timeline.Layers), len(l.Buffers), l.Buffers[0].Render)
	}
}

// What happens to a buffer from the end of a window on is unknown: it is waiting there.
func TestCutBuffer(t *testing.T) {
	at := func() *analyzer.Buffer {
		return &analyzer.Buffer{
			Requested: analyzer.Interval{Start: 10, End: 20}, Queued: 30, Ready: 40, Acquired: 50, Present: 60, PresentEstimated: true,
			Fate: analyzer.Shown, Pace: analyzer.Late, Interval: 30, Deadline: 40,
		}
	}
	for to, want := range map[trace.Time]*analyzer.Buffer{
		61: at(),
		60: {Requested: analyzer.Interval{Start: 10, End: 20}, Queued: 30, Ready: 40, Acquired: 50},
		50: {Requested: analyzer.Interval{Start: 10, End: 20}, Queued: 30, Ready: 40},
		40: {Requested: analyzer.Interval{Start: 10, End: 20}, Queued: 30},
		30: {Requested: analyzer.Interval{Start: 10, End: 20}},
		15: {Requested: analyzer.Interval{Start: 10, End: 15}},
	} {
		b := at()
		timeline := &analyzer.Timeline{Span: analyzer.Interval{Start: 1, End: 100}, Layers: []*analyzer.Layer{{Buffers: []*analyzer.Buffer{b}}}}
		if timeline.Cut(5, to); !reflect.DeepEqual(b, want) {
			t.Errorf("until %d: %+v, want %+v", to, b, want)
		}
	}
	// The interval before its present begins at 30.
	for from, want := range map[trace.Time]analyzer.Pace{30: analyzer.Late, 31: analyzer.Unpaced} {
		b := at()
		timeline := &analyzer.Timeline{Span: analyzer.Interval{Start: 1, End: 100}, Layers: []*analyzer.Layer{{Buffers: []*analyzer.Buffer{b}}}}
		if timeline.Cut(from, 90); b.Pace != want || b.Present != 60 {
			t.Errorf("from %d: %v at %d, want %v", from, b.Pace, b.Present, want)
		}
	}
}
