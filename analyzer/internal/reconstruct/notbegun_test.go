package reconstruct_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// vsyncRun is an application whose main thread makes frames on vsyncs, and does other tasks. Times are in periods.
type vsyncRun struct {
	hz     float64
	vsyncs []int
	tasks  [][2]float64
	// long is how long frames take, by vsync; 0.3 for others. id is that of a vsync, and period the one that its
	// frame states, in its own.
	long   map[int]float64
	id     func(int) int
	period map[int]float64
	empty  map[int]bool    // frames that send nothing
	late   map[int]float64 // by how much a frame begins late
	rest   map[int]float64 // until when ReceiveVsync lasts after their work
	lines  []runLine       // others
}

type runLine struct {
	at   float64
	text string
}

func (r *vsyncRun) add(at float64, text string) { r.lines = append(r.lines, runLine{at, text}) }

func (r *vsyncRun) slice(from, to float64, name string) {
	r.add(from, "tracing_mark_write: B|200|H:"+name)
	r.add(to, "tracing_mark_write: E|200|")
}

// timeline returns the timeline of the run.
func (r *vsyncRun) timeline(t *testing.T) *analyzer.Timeline {
	t.Helper()
	second := func(at float64) float64 { return 100 + at/r.hz }
	for _, k := range r.vsyncs {
		now := second(float64(k))
		id := 500 + k
		if r.id != nil {
			id = r.id(k)
		}
		long, at := cmp.Or(r.long[k], .3), float64(k)+r.late[k]
		r.slice(at+.01, at+max(long, r.rest[k]), fmt.Sprintf("ReceiveVsync name:WM_200 dataCount: 24bytes now: %d expectedEnd: %d vsyncId: %d, fd:41",
			int64(now*1e9), int64((now+cmp.Or(r.period[k], 1)/r.hz)*1e9), id))
		r.slice(at+.015, at+long-.01, "OnVsyncEvent now:"+fmt.Sprint(int64(now*1e9)))
		if !r.empty[k] {
			r.slice(at+.02, at+.03, fmt.Sprintf("MarshRSTransactionData cmdCount: 3, transactionFlag:[200,%d], tid:200, timestamp:%d", 10+k, int64(now*1e9)))
		}
	}
	for _, task := range r.tasks {
		r.slice(task[0], task[1], "HandleTask: decode")
	}
	slices.SortStableFunc(r.lines, func(a, b runLine) int { return cmp.Compare(a.at, b.at) })
	var text strings.Builder
	for _, l := range r.lines {
		if !strings.Contains(l.text, "LOST") {
			fmt.Fprintf(&text, "        demo.app-200  (  200) [001] ....  %.6f: ", second(l.at))
		}
		text.WriteString(l.text + "\n")
	}
	return analyzed(t, []byte(text.String()))
}

// notBegun returns how many frames never began before those of a timeline, by vsync.
func notBegun(t *analyzer.Timeline, hz float64) map[int]int {
	found := map[int]int{}
	for _, f := range t.Frames {
		if f.NotBegun > 0 {
			found[int(f.Vsync.Sub(trace.Time(100*trace.Second)).Milliseconds()*hz/1e3+.5)] = f.NotBegun
		}
	}
	return found
}

// except returns the vsyncs from 0 to n without some.
func except(n int, not ...int) (list []int) {
	for k := range n + 1 {
		if !slices.Contains(not, k) {
			list = append(list, k)
		}
	}
	return list
}

// over is a task over one vsync, after a frame.
func over(vsync int) [2]float64 { return [2]float64{float64(vsync) - .65, float64(vsync) + .05} }

func TestNotBegun(t *testing.T) {
	for _, c := range []struct {
		name string
		run  vsyncRun
		want map[int]int
	}{
		{"a task over the vsync", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{over(5)}}, map[int]int{6: 1}},
		{"a task that ends before it", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{{4.35, 4.98}}}, nil},
		{"a task that begins after it", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{{5.02, 5.7}}}, nil},
		{"a task of less than 1 ms", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{{4.97, 5.02}}}, nil},
		{"nothing over the vsync", vsyncRun{vsyncs: except(9, 5)}, nil},
		{"two vsyncs", vsyncRun{vsyncs: except(10, 5, 6), tasks: [][2]float64{{4.35, 6.02}}}, map[int]int{7: 2}},
		{"two tasks over two vsyncs", vsyncRun{vsyncs: except(10, 5, 6), tasks: [][2]float64{{4.35, 5.1}, {5.2, 6.02}}}, map[int]int{7: 2}},
		{"nothing over the second", vsyncRun{vsyncs: except(10, 5, 6), tasks: [][2]float64{over(5)}}, nil},
		{"nothing over the first", vsyncRun{vsyncs: except(10, 5, 6), tasks: [][2]float64{over(6)}}, nil},
		{"a late frame over the vsync", vsyncRun{vsyncs: except(9, 5), long: map[int]float64{4: 1.2}, tasks: [][2]float64{{5.3, 5.6}}}, nil},
		{"a late frame, and a task over the next", vsyncRun{vsyncs: except(10, 5, 6), long: map[int]float64{4: 1.2}, tasks: [][2]float64{{5.25, 6.1}}}, map[int]int{7: 1}},
		{"a task over the next vsync, too", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{{4.35, 6.2}}, late: map[int]float64{6: .21}}, nil},
		{"the rest of its own slice", vsyncRun{vsyncs: except(9, 5), rest: map[int]float64{4: 1.1}}, map[int]int{6: 1}},
		{"one in four", vsyncRun{vsyncs: except(14, 3, 7, 11), tasks: [][2]float64{over(3), over(7), over(11)}}, map[int]int{4: 1, 8: 1, 12: 1}},
		{"one in three", vsyncRun{vsyncs: except(14, 2, 5, 8, 11), tasks: [][2]float64{over(2), over(5), over(8), over(11)}}, nil},
		{"two in a run", vsyncRun{vsyncs: except(14, 5, 7), tasks: [][2]float64{over(5), over(7)}}, map[int]int{6: 1, 8: 1}},
		{"every second vsync", vsyncRun{vsyncs: except(14, 1, 3, 5, 7, 9, 11, 13), tasks: [][2]float64{over(3), over(5), over(7), over(9), over(11)}}, nil},
		{"every second vsync from then on", vsyncRun{vsyncs: except(14, 5, 7, 9, 11, 13), tasks: [][2]float64{over(5), over(7), over(9), over(11)}}, nil},
		{"another rate after it", vsyncRun{vsyncs: except(14, 5, 7, 9, 11, 13), tasks: [][2]float64{over(5)}, period: map[int]float64{6: 2, 8: 2, 10: 2, 12: 2, 14: 2}}, nil},
		{"another rate before it", vsyncRun{vsyncs: except(14, 1, 3, 5), tasks: [][2]float64{over(5)}, period: map[int]float64{0: 2, 2: 2, 4: 2}}, nil},
		{"no vsync of the display", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{over(5)}, id: func(k int) int { return 500 + k - k/5 }}, nil},
		{"two vsyncs of the display in each", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{over(5)}, id: func(k int) int { return 500 + 2*k }}, map[int]int{6: 1}},
		{"one vsync counted of two", vsyncRun{vsyncs: except(10, 5, 6), tasks: [][2]float64{{4.35, 6.02}}, id: func(k int) int { return 500 + k - k/7 }}, map[int]int{7: 2}},
		{"unknown ids", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{over(5)}, id: func(int) int { return 0 }}, nil},
		{"nothing to draw before it", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{over(5)}, empty: map[int]bool{4: true}}, nil},
		{"nothing to draw after it", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{over(5)}, empty: map[int]bool{6: true}}, nil},
		{"one frame after it", vsyncRun{vsyncs: except(6, 5), tasks: [][2]float64{over(5)}}, nil},
		{"two frames after it", vsyncRun{vsyncs: except(7, 5), tasks: [][2]float64{over(5)}}, nil},
		{"three frames after it", vsyncRun{vsyncs: except(8, 5), tasks: [][2]float64{over(5)}}, map[int]int{6: 1}},
		{"two frames before it", vsyncRun{vsyncs: except(9, 0, 1, 2, 5), tasks: [][2]float64{over(5)}}, nil},
		{"three frames before it", vsyncRun{vsyncs: except(9, 0, 1, 5), tasks: [][2]float64{over(5)}}, map[int]int{6: 1}},
		{"a hang", vsyncRun{vsyncs: except(24, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19), tasks: [][2]float64{{4.35, 19.5}}}, nil},
		{"less than a hang", vsyncRun{vsyncs: except(24, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18), tasks: [][2]float64{{4.35, 18.5}}}, map[int]int{19: 14}},
		{"lost events", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{over(5)}, lines: []runLine{{4.8, "CPU:1 [LOST 12 EVENTS]"}}}, nil},
		{"a task like those after each frame", vsyncRun{vsyncs: except(12, 5), tasks: append(tasksAfter(12, 4, 5), [2]float64{4.35, 5.05})}, map[int]int{6: 1}},
		{"a task like those at any time", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{{1.4, 1.6}, {2.75, 2.95}, {3.35, 3.55}, over(5), {6.7, 6.9}, {7.4, 7.6}, {8.6, 8.8}}}, map[int]int{6: 1}},
		{"a longer one of even tasks at the display's rate", vsyncRun{vsyncs: except(9, 5), tasks: append(tasksAfter(9, 4), [2]float64{4.35, 5.05})}, map[int]int{6: 1}},
		{"an input over the vsync, which begins something new", vsyncRun{vsyncs: except(9, 5), lines: []runLine{
			{4.5, "tracing_mark_write: B|200|H:DispatchTouchEvent id:0, type: up"}, {5.3, "tracing_mark_write: E|200|"}}}, nil},
		{"a scene around it", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{over(5)}, lines: scene(0.5, 9.5)}, map[int]int{6: 1}},
		{"a scene that ends in it", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{over(5)}, lines: scene(0.5, 5.5)}, nil},
		{"a scene that begins in it", vsyncRun{vsyncs: except(9, 5), tasks: [][2]float64{over(5)}, lines: scene(4.9, 9.5)}, nil},
	} {
		for _, hz := range []float64{60, 72, 90, 120} {
			if hz != 60 && (strings.Contains(c.name, "ms") || strings.Contains(c.name, "hang")) {
				continue
			}
			t.Run(fmt.Sprintf("%s, %v Hz", c.name, hz), func(t *testing.T) {
				run := c.run
				run.hz = hz
				if got := notBegun(run.timeline(t), hz); !maps.Equal(got, c.want) {
					t.Errorf("got %v, want %v", got, c.want)
				}
			})
		}
	}
}

// tasksAfter are tasks after the frames of the vsyncs up to n, or where those would be, without some.
func tasksAfter(n int, not ...int) (list [][2]float64) {
	for _, k := range except(n, not...) {
		list = append(list, [2]float64{float64(k) + .35, float64(k) + .55})
	}
	return list
}

// An application that updates from a timer, or from inputs, at a rate below that of the display misses nothing: its
// tasks, which ask for the frames, pass over the vsyncs in turn.
func TestBegunByTimer(t *testing.T) {
	for _, c := range []struct{ hz, rate, milliseconds, jitter float64 }{
		{60, 50.3, 3, 0}, {60, 50, 4, 0}, {60, 50, 2, .05}, {60, 48, 3, 0}, {60, 45, 3, 0}, {60, 55, 3, .02}, {60, 59, 3, 0}, {72, 60, 3, .03},
		{90, 71.7, 2, 0}, {90, 72, 3, .04}, {120, 101.3, 2, 0}, {120, 100, 2, .05}, {120, 110, 1.5, 0}, {120, 90, 2, 0}, {120, 117, 1.5, .02},
	} {
		run := vsyncRun{hz: c.hz, late: map[int]float64{}}
		free, gaps := 0., 0
		var asked []int
		for n := range 100 {
			at := float64(n)*c.hz/c.rate + .15 + c.jitter*float64(n*n*7%5)
			frame := func(until float64) {
				for len(asked) > 0 && float64(asked[0]) <= until {
					k := asked[0]
					run.vsyncs, asked = append(run.vsyncs, k), asked[1:]
					if run.late[k] = max(0, free-float64(k)); run.late[k] == 0 {
						delete(run.late, k)
					}
					free = max(free, float64(k)) + .3
				}
			}
			frame(max(at, free))
			start := max(at, free+.01)
			free = start + c.milliseconds/1e3*c.hz
			run.tasks = append(run.tasks, [2]float64{start, free})
			k := int(free) + 1
			if len(asked) == 0 || asked[len(asked)-1] < k {
				asked = append(asked, k)
			}
		}
		for i := range run.vsyncs[1:] {
			if run.vsyncs[i+1]-run.vsyncs[i] > 1 {
				gaps++
			}
		}
		if got := notBegun(run.timeline(t), c.hz); gaps == 0 || len(got) > 0 {
			t.Errorf("%v Hz on %v Hz: %v of %d steps of several vsyncs", c.rate, c.hz, got, gaps)
		}
	}
}

func scene(from, to float64) []runLine {
	return []runLine{{from, "tracing_mark_write: S|200|H:APP_LIST_FLING|0|M0538"}, {to, "tracing_mark_write: F|200|H:APP_LIST_FLING|0|M0538"}}
}

// A window shows frames that never began only if it shows what the thread was busy with.
func TestNotBegunInWindow(t *testing.T) {
	run := vsyncRun{hz: 60, vsyncs: except(9, 5), tasks: [][2]float64{over(5)}}
	at := func(period float64) trace.Time {
		return trace.Time(100*trace.Second) + trace.Time(period/60*float64(trace.Second))
	}
	for _, c := range []struct {
		from float64
		want int
	}{{4.3, 1}, {4.4, 0}, {5.8, 0}} {
		timeline := run.timeline(t)
		timeline.Cut(at(c.from), at(20))
		must.NoError(t, timeline.Validate())
		must.Equal(t, len(notBegun(timeline, 60)), c.want)
	}
}

// Generated traces have frames that never began where the truth has them, and nowhere else: among late frames of
// other causes, at other rates, and in traces in which all else goes wrong.
func TestNotBegunSimulated(t *testing.T) {
	others := []simulate.Cause{"more_work", "between_frames", "previous_frame", "storage_d", "preempted", "on_idle", "pick_up_busy"}
	found := 0
	for seed := range slow.Of[uint64](20, 300) {
		hz := []int{60, 72, 90, 120}[seed%4]
		period := trace.Second / trace.Duration(hz)
		scene := simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: hz, Cause: simulate.CauseNone, Seed: seed, Frames: 120, Decoys: seed%3 == 0, ClockOffset: trace.Duration(seed%5) * trace.Second}
		for n, k := 0, int64(8+seed%3); k < 108; n, k = n+1, k+9+int64(seed%4) {
			injection := simulate.Injection{Cause: others[(n+int(seed))%len(others)], Vsync: k, Length: period}
			if n%2 == int(seed/4%2) && seed%5 > 0 {
				injection.Cause, injection.Length = "not_begun", period*trace.Duration(1+(uint64(n)*7+seed)%29)/10
			}
			scene.Injections = append(scene.Injections, injection)
		}
		var text bytes.Buffer
		truth := must.Get(scene.Generate(&text))(t)
		want := map[int64]int{}
		for _, c := range truth.Causes {
			if c.NotBegun > 0 {
				want[c.Vsync] = c.NotBegun
			}
		}
		got := map[int64]int{}
		for _, f := range analyzed(t, text.Bytes()).Frames {
			if f.NotBegun > 0 {
				got[f.VsyncID] = f.NotBegun
			}
		}
		if found += len(got); !maps.Equal(got, want) {
			t.Errorf("seed %d: got %v, want %v", seed, got, want)
		}
		text.Reset()
		everything := simulate.Everything()
		everything.Seed = seed
		must.Get(simulate.Write(&text, everything))(t)
		for _, f := range analyzed(t, text.Bytes()).Frames {
			if f.NotBegun > 0 {
				t.Errorf("everything %d: %v", seed, f)
			}
		}
	}
	t.Logf("%d found", found)
}
