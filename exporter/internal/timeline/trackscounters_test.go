package timeline

import (
	"fmt"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

func TestFPS(t *testing.T) {
	const ms = trace.Time(trace.Millisecond)
	at := func(times ...trace.Time) []trace.Time {
		for i := range times {
			times[i] = 5000*ms + times[i]*ms
		}
		return times
	}
	steady := make([]trace.Time, 0, 300)
	for k := range trace.Time(300) {
		steady = append(steady, 5000*ms+k*10*ms)
	}
	for _, test := range []struct {
		name  string
		times []trace.Time
		end   trace.Time
		want  string // milliseconds after 5 s, and value
	}{
		{"none", nil, 9000 * ms, "[]"},
		{"one", at(0), 9000 * ms, "[]"},
		{"two", at(0, 20), 5500 * ms, "[20:50]"},
		{"and nothing more", at(0, 20), 9000 * ms, "[20:50 1020:0]"},
		{"to the end", at(0, 20), 6020 * ms, "[20:50 1020:0]"},
		{"not to the end", at(0, 20), 6019 * ms, "[20:50]"},
		{"a missing frame", at(0, 10, 20, 40), 5500 * ms, "[10:100 20:100 40:75]"},
		{"out of the window", at(0, 500, 999, 1000), 6500 * ms, "[500:2 999:2.002002002002002 1000:4]"},
		{"a pause", at(0, 10, 2000, 2100), 7200 * ms, "[10:100 1010:0 2100:10]"},
		{"just a second", at(0, 10, 1010, 1020), 6500 * ms, "[10:100 1010:0 1020:100]"},
		{"just less", at(0, 10, 1009), 6009 * ms, "[10:100 1009:1.001001001001001]"},
	} {
		got := []string{}
		for _, s := range fps(test.times, test.end) {
			got = append(got, fmt.Sprintf("%d:%v", (s.at-5000*ms)/ms, s.value))
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("%s: got %v, want %s", test.name, got, test.want)
		}
	}
	list := fps(steady, steady[299])
	must.Equal(t, len(list), 299, "values of 300 frames")
	for _, s := range list {
		if s.value != 100 {
			t.Errorf("every 10 ms a frame: got %v", s)
		}
	}
}

// Pictures are counted once, by the best that is known of them.
func TestShownTimes(t *testing.T) {
	render := func(start, commit, present trace.Time, facts analyzer.Facts) *analyzer.Frame {
		return &analyzer.Frame{Kind: analyzer.RenderFrame, Facts: facts, Present: present,
			Actual: analyzer.Interval{Start: start}, Commit: analyzer.Interval{Start: commit}}
	}
	takenBy := func(renders ...*analyzer.Frame) []*analyzer.Frame {
		last := &analyzer.Frame{}
		for _, r := range renders {
			last.Transactions = append(last.Transactions, analyzer.Sent{AppliedBy: r})
		}
		return []*analyzer.Frame{{Transactions: []analyzer.Sent{{AppliedBy: nil}, {AppliedBy: renders[0]}}}, last}
	}
	cut := render(90, 91, 92, analyzer.Truncated)
	for _, test := range []struct {
		name   string
		frames []*analyzer.Frame
		times  []trace.Time
		by     string
	}{
		{"none", nil, nil, ""},
		{"one", takenBy(render(1, 2, 3, 0)), nil, ""},
		{"presents", takenBy(render(10, 11, 15, 0), render(1, 2, 5, 0), cut), []trace.Time{5, 15}, "present times"},
		{"at the same time", takenBy(render(10, 11, 15, 0), render(1, 2, 5, 0), render(2, 3, 5, 0)), []trace.Time{5, 15}, "present times"},
		{"all at the same time", takenBy(render(10, 11, 15, 0), render(1, 2, 15, 0)), []trace.Time{2, 11}, "the starts of commits"},
		{"one present", takenBy(render(10, 11, 15, 0), render(1, 2, 0, 0)), []trace.Time{2, 11}, "the starts of commits"},
		{"one commit", takenBy(render(10, 11, 15, 0), render(1, 0, 0, 0)), []trace.Time{1, 10}, "the starts of render frames"},
	} {
		times, by := shownTimes(test.frames, nil)
		if !slices.Equal(times, test.times) || by != test.by {
			t.Errorf("%s: got %v by %q, want %v by %q", test.name, times, by, test.times, test.by)
		}
	}
}

// The refresh rate is written where it changes: at the vsync of the frame, if that is known, but not before the
// frame that was before it. Small changes of the period do not count.
func TestRefreshRates(t *testing.T) {
	var frames []*analyzer.Frame
	for i, period := range []trace.Duration{0, 16_666_667, 16_666_660, 0, 16_700_000, 8_333_333, 8_333_334, 11_111_111, 16_666_667} {
		frames = append(frames, &analyzer.Frame{Period: period, Actual: analyzer.Interval{Start: trace.Time(10*i + 13)}})
	}
	frames[5].Vsync, frames[7].Vsync, frames[8].Vsync = 60, 80, 70
	want := []sample{{23, 60}, {60, 120}, {80, 90}, {80, 60}}
	must.EqualSlices(t, refreshRates(frames), want)
}

// Lost time is that of the frame that is made, so that it is there where a frame is selected.
func TestLostTime(t *testing.T) {
	frame := func(start, end, deadline trace.Time) *analyzer.Frame {
		f := &analyzer.Frame{Actual: analyzer.Interval{Start: start, End: end}, Deadline: deadline}
		if end > deadline && deadline.Known() {
			f.Facts = analyzer.MainLate
		}
		return f
	}
	const ms = trace.Time(trace.Millisecond)
	late, within, onTime := frame(10*ms, 50*ms, 20*ms), frame(20*ms, 30*ms, 40*ms), frame(60*ms, 70*ms, 80*ms)
	for _, test := range []struct {
		name   string
		frames []*analyzer.Frame
		want   []sample
	}{
		{"none is late", []*analyzer.Frame{within, onTime}, nil},
		{"until the next one begins", []*analyzer.Frame{late, onTime}, []sample{{10 * ms, 30}, {60 * ms, 0}}},
		{"one on time beside it", []*analyzer.Frame{within, late, onTime}, []sample{{10 * ms, 30}, {60 * ms, 0}}},
		{"a worse one beside it", []*analyzer.Frame{late, frame(40*ms, 90*ms, 45*ms)}, []sample{{10 * ms, 30}, {40 * ms, 45}}},
		{"a better one that ends later", []*analyzer.Frame{late, frame(40*ms, 90*ms, 80*ms)}, []sample{{10 * ms, 30}, {50 * ms, 10}}},
		{"at one time, and one without a deadline", []*analyzer.Frame{late, frame(50*ms, 50*ms, 49*ms), frame(5*ms, 95*ms, 0)}, []sample{{10 * ms, 30}, {50 * ms, 1}}},
	} {
		must.EqualSlices(t, lostTime(test.frames), test.want, test.name)
	}
}
