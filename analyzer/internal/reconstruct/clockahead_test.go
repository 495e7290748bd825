package reconstruct_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/simulate/rawfile"
	"ohframe/internal/testing/slow"
)

// sendAhead moves frames of the main thread of a process ahead by a time, as many as share says, in
// runs, unless they would begin before the frame before them has ended. It returns their number.
func sendAhead(events []rawfile.Event, pid int32, by trace.Duration, share float64, r *rand.Rand) (moved int) {
	var own []*rawfile.Event
	for i := range events {
		if e := &events[i]; e.TID == pid && e.PID == pid && e.Name != "sched_switch" && len(e.Args) > 1 && e.Args[1] == '|' {
			own = append(own, e)
		}
	}
	depth, begin, last := 0, 0, int64(0)
	left := 0 // of the run
	for i, e := range own {
		switch e.Args[0] {
		case 'B':
			if depth == 0 {
				begin = i
			}
			depth++
		case 'E':
			depth = max(0, depth-1)
			if depth > 0 {
				continue
			}
			if !strings.Contains(own[begin].Args, "ReceiveVsync") {
				last = e.Time
				continue
			}
			if left == 0 && r.Float64() < share/(6-5*share) {
				left = 6
			}
			if left > 0 && own[begin].Time-int64(by) > last+100_000 {
				for _, e := range own[begin : i+1] {
					e.Time -= int64(by)
				}
				moved++
			}
			left = max(0, left-1)
			last = e.Time
		}
	}
	slices.SortStableFunc(events, func(a, b rawfile.Event) int { return cmp.Compare(a.Time, b.Time) })
	return moved
}

// TestVsyncsAhead: vsyncs that are sent ahead of their time change no frame's deadline, in a trace
// of one application and of several, and the accuracy holds.
func TestVsyncsAhead(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, slept := range []trace.Duration{0, 37 * trace.Millisecond, 3723*trace.Second + 500*trace.Millisecond} {
		for i, hz := range []int{60, 90, 120} {
			for k, share := range []float64{0, 0.1, 0.3, 0.6} {
				if (i+k)%slow.Of(2, 1) != 0 {
					continue
				}
				by := trace.Duration(3000+r.IntN(9000)) * trace.Microsecond
				config := simulate.Default()
				config.Seed, config.ClockOffset, config.Rates, config.Duration = r.Uint64(), slept, []simulate.Rate{{Hz: hz}}, 1200*trace.Millisecond
				config.Chances.AppLate, config.Chances.AppPause = 0.1, 0.05
				config.Apps = append(config.Apps, simulate.App{Bundle: "com.example.notes", PID: 21000})
				events := eventsOf(t, config)
				moved := sendAhead(events, 20000, by, share, r)
				sendAhead(events, 21000, by, share, r)
				one := rawfile.Own(events, rawfile.OwnOptions{PID: 20000, Process: "com.example.gallery"})
				two := append(slices.Clone(one), rawfile.Own(events, rawfile.OwnOptions{PID: 21000, Process: "com.example.notes"})...)
				for _, text := range [][]byte{one, sortedLines(two)} {
					got, want := analyzed(t, text), withOffset(t, text, slept)
					name := fmt.Sprintf("slept %s, %d Hz, %s ahead, %.0f %%, %d applications", slept, hz, by, 100*share, len(got.Processes))
					if a, b := lateFrames(got, want), lateFrames(want, want); !slices.Equal(a, b) {
						t.Errorf("%s: late %q, want %q", name, a, b)
					}
					c := got.Clock
					if off := (c.Offset - slept).Abs(); off > c.Lag+trace.Millisecond/2 || len(got.ClockChanges) > 0 {
						t.Errorf("%s: off by %s, said to be accurate to %s; changes %v", name, off, c.Lag, got.ClockChanges)
					}
					if said := c.Ahead > 0; share == 0 && said || moved > 10 && !said || said && (c.AheadBy-by).Abs() > trace.Millisecond {
						t.Errorf("%s: %d ahead by %s", name, c.Ahead, c.AheadBy)
					}
					if sure := slept == 0; c.Ahead > 0 && sure != (c.Lag < trace.Millisecond) {
						t.Errorf("%s: accurate to %s", name, c.Lag)
					}
				}
			}
		}
	}
}

// TestAllVsyncsAhead: clocks of which one is behind the other by a few periods are equal, if no vsync
// is on time, and others are not.
func TestAllVsyncsAhead(t *testing.T) {
	config := simulate.Default()
	config.Duration, config.Chances.AppLate = 2*trace.Second, 0.1
	for _, behind := range []trace.Duration{12 * trace.Millisecond, 60 * trace.Millisecond} {
		events := eventsOf(t, config)
		for i := range events {
			events[i].Time -= int64(behind)
		}
		got := analyzed(t, rawfile.Own(events, rawfile.OwnOptions{PID: 20000, Process: "com.example.gallery"})).Clock
		want := trace.Duration(0)
		if behind > 50*trace.Millisecond {
			want = -behind
		}
		if (got.Offset - want).Abs() > trace.Millisecond {
			t.Errorf("%s behind: offset %s, want %s", behind, got.Offset, want)
		}
	}
}

// TestClockSteps: the steps of a clock that counts ticks are found, and the offset is right to one.
func TestClockSteps(t *testing.T) {
	for _, slept := range []trace.Duration{0, 3723*trace.Second + 512*trace.Millisecond} {
		for _, step := range []trace.Duration{1, 1000, 3333, 4000, 10000} {
			step *= trace.Microsecond
			config := simulate.Everything()
			config.ClockOffset = slept
			events := eventsOf(t, config)
			want := map[string]trace.Duration{"all": step, "damaged": step}
			if step < trace.Millisecond {
				want = map[string]trace.Duration{"all": 0, "damaged": 0}
			}
			for i := range events {
				events[i].Time -= events[i].Time % int64(step)
			}
			damaged := slices.Clone(events)
			for i := 100; i < len(damaged); i += 300 {
				damaged[i].Time += int64(i) * 12347
			}
			for name, events := range map[string][]rawfile.Event{"all": events, "damaged": damaged} {
				got := analyzed(t, textOf(events))
				c := got.Clock
				must.Equal(t, c.Step, want[name], "slept %s, steps of %s, %s: steps of", slept, step, name)
				if off := (c.Offset - slept).Abs(); off > max(step, trace.Millisecond) || c.Lag < want[name] {
					t.Errorf("slept %s, steps of %s, %s: off by %s, said to be accurate to %s", slept, step, name, off, c.Lag)
				}
				if len(got.ClockChanges) > 0 {
					t.Errorf("slept %s, steps of %s, %s: %v", slept, step, name, got.ClockChanges)
				}
			}
		}
	}
}

// TestNoClockSteps: few lines, or lines with times in between, are of a clock without steps.
func TestNoClockSteps(t *testing.T) {
	line := func(us int) string { return fmt.Sprintf(" app-1 (1) [000] .... 1.%06d: print: C|1|n|1\n", us) }
	var few, sparse, even, pairs strings.Builder
	for i := range 300 {
		if i < 12 {
			few.WriteString(strings.Repeat(line(4000*i), 3))
		}
		sparse.WriteString(line(1000*i + i*i%700))
		even.WriteString(line(1000 * i))
		pairs.WriteString(strings.Repeat(line(1000*i+i*i%700), 2))
	}
	for name, text := range map[string]string{"few": few.String(), "one a millisecond": sparse.String(), "every millisecond": even.String(), "pairs": pairs.String()} {
		if c := analyzed(t, []byte(text)).Parts[0].Clock; c.Step != 0 {
			t.Errorf("%s: steps of %s", name, c.Step)
		}
	}
}

func eventsOf(t *testing.T, config simulate.Config) []rawfile.Event {
	t.Helper()
	var text bytes.Buffer
	must.Get(simulate.Write(&text, config))(t)
	events := must.Get(rawfile.Parse(text.Bytes()))(t)
	return events
}

// textOf returns the text of events.
func textOf(events []rawfile.Event) []byte {
	var s bytes.Buffer
	for _, e := range events {
		pid := fmt.Sprint(e.PID)
		if e.PID < 0 {
			pid = "-----"
		}
		fmt.Fprintf(&s, "%16s-%-5d (%5s) [%03d] .... %d.%06d: %s: %s\n", e.Comm, e.TID, pid, e.CPU, e.Time/1e9, e.Time%1e9/1e3, e.Name, e.Args)
	}
	return s.Bytes()
}

// sortedLines sorts the lines of own traces by time, and keeps one header.
func sortedLines(text []byte) []byte {
	lines := strings.SplitAfter(string(text), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" || l[0] == '#' })
	at := func(l string) string { return strings.Fields(l[strings.Index(l, "]"):])[2] }
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Or(cmp.Compare(len(at(a)), len(at(b))), cmp.Compare(at(a), at(b))) })
	return []byte("# tracer: nop\n" + strings.Join(lines, ""))
}

func withOffset(t *testing.T, text []byte, offset trace.Duration) *analyzer.Timeline {
	t.Helper()
	timeline, _ := must.Get2(reconstruct.Analyze(context.Background(), bytes.NewReader(text), hitrace.Options{}, reconstruct.Options{ClockOffset: &offset}))(t)
	must.Do(t, timeline.Validate())
	return timeline
}

// lateFrames names the late frames of a trace, without those that are late or on time by so little
// that the lag of the clock offset decides. The frames of the other one have the true deadlines.
func lateFrames(t, truth *analyzer.Timeline) (list []string) {
	name := func(f *analyzer.Frame) string { return fmt.Sprint(f.TID, " ", f.VsyncID) }
	close := map[string]bool{}
	for _, f := range truth.Frames {
		close[name(f)] = f.End().Sub(f.Deadline).Abs() < 700*trace.Microsecond
	}
	for f := range t.Complete() {
		if f.Late() && !close[name(f)] {
			list = append(list, name(f))
		}
	}
	return list
}
