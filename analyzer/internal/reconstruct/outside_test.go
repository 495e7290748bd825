package reconstruct_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// outsideTrace writes a trace of a display, whose render_service takes what applications send.
type outsideTrace struct {
	lines []struct {
		at   trace.Time
		text string
	}
	sent []outsideSent
	next int64
}

type outsideSent struct {
	pid   trace.PID
	index int64
	at    trace.Time
}

func (o *outsideTrace) line(at trace.Time, comm string, tid, pid int, marker string) {
	text := fmt.Sprintf("  %s-%d (%5d) [001] .... %d.%06d: tracing_mark_write: %s\n", comm, tid, pid, at/trace.Time(trace.Second), at%trace.Time(trace.Second)/1000, marker)
	o.lines = append(o.lines, struct {
		at   trace.Time
		text string
	}{at, text})
}

// send sends a transaction. A vsync other than zero is the one that the transaction names.
func (o *outsideTrace) send(at trace.Time, comm string, tid, pid int, vsync trace.Time) {
	o.next++
	o.line(at, comm, tid, pid, fmt.Sprintf("B|%d|H:MarshRSTransactionData cmdCount: 3, transactionFlag:[%d,%d], tid:%d, timestamp:%d|M0538", pid, pid, o.next, tid, vsync))
	o.line(at+20_000, comm, tid, pid, fmt.Sprintf("E|%d|M0538", pid))
	o.sent = append(o.sent, outsideSent{trace.PID(pid), o.next, at})
}

// frame is a frame of ArkUI from a vsync on, which sends a transaction.
func (o *outsideTrace) frame(at trace.Time, comm string, pid int, period trace.Duration, says string) {
	o.line(at, comm, pid, pid, fmt.Sprintf("B|%d|H:ReceiveVsync name:%d dataCount: 24bytes now: %d expectedEnd: %d vsyncId: %d, fd:19|M0538", pid, pid, at, at.Add(period), 1+at/1_000_000))
	o.line(at+100_000, comm, pid, pid, fmt.Sprintf("B|%d|H:OnVsyncEvent now:%d|M0538", pid, at))
	if says == "" {
		o.send(at+900_000, comm, pid, pid, at)
	} else {
		o.line(at+900_000, comm, pid, pid, fmt.Sprintf("B|%d|H:%s|M0538", pid, says))
		o.line(at+910_000, comm, pid, pid, fmt.Sprintf("E|%d|M0538", pid))
	}
	o.line(at+1_000_000, comm, pid, pid, fmt.Sprintf("E|%d|M0538", pid))
	o.line(at+1_010_000, comm, pid, pid, fmt.Sprintf("E|%d|M0538", pid))
}

// timeline returns the timeline of the trace from from to to. Each vsync of the display has a render frame,
// which is presented two periods after its vsync.
func (o *outsideTrace) timeline(t *testing.T, from, to trace.Time, period trace.Duration) *analyzer.Timeline {
	t.Helper()
	taken := map[outsideSent]bool{}
	fence := 0
	for at, id := from, 1; at < to; at, id = at.Add(period), id+1 {
		applied := ""
		for _, s := range o.sent {
			if !taken[s] && s.at < at+100_000 {
				applied += fmt.Sprintf(" [%d,%d]", s.pid, s.index)
				taken[s] = true
			}
		}
		rs := func(after trace.Time, tid int, comm, marker string) { o.line(at+after, comm, tid, 1027, marker) }
		rs(0, 1027, "render_service", fmt.Sprintf("B|1027|H:ReceiveVsync name:rs dataCount: 24bytes now: %d expectedEnd: %d vsyncId: %d, fd:19|M0538", at, at.Add(2*period-5*trace.Millisecond), id))
		rs(100_000, 1027, "render_service", fmt.Sprintf("B|1027|H:RSMainThread::DoComposition: %d|I38", at))
		rs(110_000, 1027, "render_service", "B|1027|H:RSMainThread::ProcessCommandUni"+applied+"|M0538")
		rs(120_000, 1027, "render_service", "E|1027|M0538")
		rs(2_000_000, 1027, "render_service", "E|1027|I38")
		rs(2_010_000, 1027, "render_service", "E|1027|M0538")
		if applied == "" {
			continue
		}
		fence++
		rs(2_100_000, 1088, "CompThread_0", fmt.Sprintf("B|1027|H:CommitLayers rate:120,now:%d,vsyncId:%d,size:3,Names:x|M0538", at, id))
		rs(2_110_000, 1088, "CompThread_0", fmt.Sprintf("B|1027|H:PresentFence_0 %d|I38", fence))
		rs(2_120_000, 1088, "CompThread_0", "E|1027|I38")
		rs(2_130_000, 1088, "CompThread_0", "E|1027|M0538")
		rs(trace.Time(2*period-1_100_000), 1089, "PresentFence_0", fmt.Sprintf("B|1027|H:Waiting for PresentFence_0 %d|I38", fence))
		rs(trace.Time(2*period-100_000), 1089, "PresentFence_0", "E|1027|I38")
	}
	slices.SortStableFunc(o.lines, func(x, y struct {
		at   trace.Time
		text string
	}) int {
		return cmp.Compare(x.at, y.at)
	})
	var text strings.Builder
	text.WriteString("# tracer: nop\n#\n")
	for _, l := range o.lines {
		text.WriteString(l.text)
	}
	timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(text.String()), hitrace.Options{}, reconstruct.Options{}))(t)
	must.Do(t, timeline.Validate())
	must.Equal(t, totals.Problems.Lost(), 0)
	return timeline
}

// describeOutside says of each layer of transactions how many it has, how many were shown, how many of them
// were late, and at what interval they came, in ms.
func describeOutside(timeline *analyzer.Timeline) (list []string) {
	for _, l := range timeline.Layers {
		shown, late := 0, 0
		for _, b := range l.Buffers {
			if b.Fate == analyzer.Shown {
				shown++
			}
			if b.Pace == analyzer.Late {
				late++
			}
		}
		list = append(list, fmt.Sprintf("%s: %d of %d, %d late, every %.1f", l.Name, shown, len(l.Buffers), late, l.Cadence().Milliseconds()))
	}
	return list
}

// Transactions that an application sends outside frames are a layer if they come at a rate. Background work sends
// them now and then, or with each frame: these are no layer.
func TestOutsideFrames(t *testing.T) {
	const ms = trace.Time(trace.Millisecond)
	const start, end = 100_000 * ms, 103_000 * ms
	const app, second = "com.example.kmp", "com.example.two"
	hz := func(n int) trace.Duration { return trace.Second / trace.Duration(n) }
	run := func(o *outsideTrace, comm string, tid, pid int, from, to trace.Time, every trace.Duration) {
		for i := range int((to.Sub(from) + every/2) / every) {
			o.send(from.Add(trace.Duration(i)*every), comm, tid, pid, 0)
		}
	}
	timer := func(o *outsideTrace, rate int, hangs map[int]trace.Duration) { // two seconds, up to 0.5 ms early or late
		at := start + 10*ms
		for i := range 2 * rate {
			at = at.Add(hangs[i])
			o.send(at.Add(trace.Duration(i)*hz(rate)+trace.Duration(i*i%11-5)*100*trace.Microsecond), app, 200, 200, 0)
		}
	}
	for _, test := range []struct {
		name   string
		period trace.Duration
		write  func(o *outsideTrace)
		want   []string
	}{
		{"60 on 120", hz(120), func(o *outsideTrace) { run(o, app, 200, 200, start, start+1000*ms, hz(60)) },
			[]string{app + " outside frames: 60 of 60, 0 late, every 16.7"}},
		{"72 on 72", hz(72), func(o *outsideTrace) { run(o, app, 200, 200, start, start+1000*ms, hz(72)) },
			[]string{app + " outside frames: 72 of 72, 0 late, every 13.9"}},
		{"one hangs", hz(60), func(o *outsideTrace) {
			run(o, app, 200, 200, start, start+500*ms, hz(30))
			run(o, app, 200, 200, start+700*ms, start+1200*ms, hz(30))
		}, []string{app + " outside frames: 30 of 30, 1 late, every 33.3"}},
		{"a thread", hz(120), func(o *outsideTrace) { run(o, "loop", 203, 200, start, start+1000*ms, hz(60)) },
			[]string{"process 200 outside frames, loop: 60 of 60, 0 late, every 16.7"}},
		{"threads in turn", hz(60), func(o *outsideTrace) {
			for i := range 60 {
				tid := 203 + i*i%7%3
				o.send((start + 2*ms).Add(trace.Duration(i)*hz(30)), "worker"+fmt.Sprint(tid), tid, 200, 0)
			}
		}, []string{"process 200 outside frames, several threads: 60 of 60, 0 late, every 33.3"}},
		{"two processes", hz(120), func(o *outsideTrace) {
			run(o, app, 200, 200, start, start+1000*ms, hz(60))
			run(o, second, 300, 300, start+3*ms, start+2000*ms, hz(30))
		}, []string{app + " outside frames: 60 of 60, 0 late, every 16.7", second + " outside frames: 60 of 60, 0 late, every 33.3"}},
		{"two for a picture", hz(120), func(o *outsideTrace) {
			run(o, app, 200, 200, start, start+1000*ms, hz(60))
			run(o, app, 200, 200, start+1*ms, start+1000*ms, hz(60))
		}, []string{app + " outside frames: 60 of 60, 0 late, every 16.7"}},
		{"naming the last vsync", hz(120), func(o *outsideTrace) {
			o.frame(start, app, 200, hz(120), "")
			for i := range 60 {
				o.send((start + 100*ms).Add(trace.Duration(i)*hz(60)), app, 200, 200, start)
			}
		}, []string{app + " outside frames: 60 of 60, 0 late, every 16.7"}},
		{"frames before and after", hz(120), func(o *outsideTrace) {
			run(o, app, 200, 200, start, start+500*ms, hz(60))
			for i := range 60 {
				o.frame((start + 500*ms).Add(trace.Duration(i)*hz(120)), app, 200, hz(120), "")
			}
			run(o, app, 200, 200, start+1002*ms, start+1502*ms, hz(60))
		}, []string{app + " outside frames: 60 of 60, 0 late, every 16.7"}},
		{"vsyncs without a change", hz(120), func(o *outsideTrace) {
			for i := range 120 {
				o.frame(start.Add(trace.Duration(i)*hz(120)), app, 200, hz(120), "UI skip")
			}
			run(o, app, 200, 200, start+4*ms, start+1000*ms, hz(60))
		}, []string{app + " outside frames: 60 of 60, 0 late, every 16.7"}},

		{"unsteady", hz(120), func(o *outsideTrace) { // each before the same vsync, 21.2, 14.2 and 14.7 ms after the one before
			for i := range 60 {
				o.send((start + 5*ms).Add(trace.Duration(i)*hz(60)+[...]trace.Duration{1500, 6000, 3500}[i%3]*trace.Microsecond), app, 200, 200, 0)
			}
		}, []string{app + " outside frames: 60 of 60, 0 late, every 14.7"}},

		// A timer that is even is not late, whichever vsyncs its pictures reach: 1, 1, 1, 1 and 2 apart at 50 of 60 Hz.
		{"50 on 60", hz(60), func(o *outsideTrace) { timer(o, 50, nil) }, []string{app + " outside frames: 100 of 100, 0 late, every 20.0"}},
		{"60 on 72", hz(72), func(o *outsideTrace) { timer(o, 60, nil) }, []string{app + " outside frames: 120 of 120, 0 late, every 16.7"}},
		{"60 on 60", hz(60), func(o *outsideTrace) { timer(o, 60, nil) }, []string{app + " outside frames: 120 of 120, 0 late, every 16.7"}},
		{"50 on 60 with hangs", hz(60), func(o *outsideTrace) {
			timer(o, 50, map[int]trace.Duration{30: 40 * trace.Millisecond, 60: 70 * trace.Millisecond})
		},
			[]string{app + " outside frames: 100 of 100, 2 late, every 20.0"}},
		{"60 on 60 with hangs", hz(60), func(o *outsideTrace) {
			timer(o, 60, map[int]trace.Duration{30: 12 * trace.Millisecond, 60: 40 * trace.Millisecond})
		},
			[]string{app + " outside frames: 120 of 120, 2 late, every 16.7"}},

		{"few", hz(120), func(o *outsideTrace) { run(o, app, 200, 200, start, start+160*ms, hz(60)) }, nil},
		{"a clock", hz(120), func(o *outsideTrace) { run(o, app, 200, 200, start, start+2900*ms, hz(8)) }, nil},
		{"now and then", hz(120), func(o *outsideTrace) {
			at := start
			for i := range 80 {
				o.send(at, app, 200, 200, 0)
				at += trace.Time(i*i%17+1) * 6 * ms / 2
			}
		}, nil},
		{"after each frame", hz(120), func(o *outsideTrace) {
			for i := range 120 {
				at := start.Add(trace.Duration(i) * hz(120))
				o.frame(at, app, 200, hz(120), "")
				o.send(at+3*ms, app, 200, 200, 0)
			}
		}, nil},
		{"a worker after each frame", hz(60), func(o *outsideTrace) {
			for i := range 90 {
				at := start.Add(trace.Duration(i) * hz(60))
				o.frame(at, app, 200, hz(60), "")
				o.send(at+6*ms+trace.Time(i*i%7)*ms/2, "worker", 210, 200, at)
			}
		}, nil},
		{"a worker beside frames", hz(120), func(o *outsideTrace) {
			for i := range 120 {
				o.frame(start.Add(trace.Duration(i)*hz(120)), app, 200, hz(120), "")
			}
			run(o, "loop", 210, 200, start+3*ms, start+1000*ms, hz(30))
		}, []string{app + " outside frames, loop: 30 of 30, 0 late, every 33.3"}},
		{"two threads strictly in turn", hz(60), func(o *outsideTrace) {
			for i := range 120 {
				o.send((start + 2*ms).Add(trace.Duration(i)*hz(60)), "pool"+fmt.Sprint(i%2), 203+i%2, 200, 0)
			}
		}, []string{"process 200 outside frames, several threads: 120 of 120, 0 late, every 16.7"}},
		{"three threads strictly in turn", hz(120), func(o *outsideTrace) {
			for i := range 120 {
				o.send((start + 2*ms).Add(trace.Duration(i)*hz(60)), "pool"+fmt.Sprint(i%3), 203+i%3, 200, 0)
			}
		}, []string{"process 200 outside frames, several threads: 120 of 120, 0 late, every 16.7"}},
		{"two loops", hz(60), func(o *outsideTrace) { // 5 and 28 ms apart
			run(o, "one", 203, 200, start+2*ms, start+1000*ms, hz(30))
			run(o, "two", 204, 200, start+7*ms, start+1000*ms, hz(30))
		}, []string{"process 200 outside frames, one: 30 of 30, 0 late, every 33.3", "process 200 outside frames, two: 30 of 30, 0 late, every 33.3"}},
		{"window animations", hz(120), func(o *outsideTrace) {
			run(o, "ohos.sceneboard", 200, 200, start, start+330*ms, hz(120))
			run(o, "com.ohos.sceneboard", 300, 300, start, start+330*ms, hz(120))
		}, nil},
		{"of the system", hz(120), func(o *outsideTrace) { run(o, "multimodalinput", 200, 200, start, start+1000*ms, hz(60)) }, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := &outsideTrace{}
			test.write(o)
			must.Equal(t, strings.Join(describeOutside(o.timeline(t, start-20*ms, end, test.period)), "\n"), strings.Join(test.want, "\n"))
		})
	}
}

// Traces of applications that draw without vsyncs have their layers, and only these: each picture, when it was
// taken, and when it was shown. What is too short for a rate has none, or only some of its pictures.
func TestSimulatedTimers(t *testing.T) {
	eras := simulate.Eras()
	found := 0
	for seed := range slow.Of(24, 600) {
		config := simulate.AnyTimers(uint64(seed))
		config.Era = eras[seed%len(eras)]
		t.Run(fmt.Sprintf("%d/%s", seed, config.Era), func(t *testing.T) {
			text, truth := written(t, config)
			timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), text, hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset}))(t)
			must.Do(t, timeline.Validate())
			var got, want, maybe []string
			add := func(to *[]string, pid trace.PID, index int64, tid trace.TID, sent, taken, present trace.Time) {
				*to = append(*to, fmt.Sprintf("%d: %d of %d sent %d taken %d shown %d", pid, index, tid, sent, taken, present))
			}
			for _, l := range timeline.Layers {
				for _, b := range l.Buffers {
					add(&got, l.Process.PID, b.Sequence, b.TID, b.Queued, b.Acquired, b.Present)
				}
				found++
			}
			for _, l := range truth.Timers {
				var pictures []simulate.PictureTruth
				for _, p := range l.Pictures {
					if n := len(pictures); n > 0 && p.Sent.Sub(pictures[n-1].Sent) <= trace.Second/480 { // after a late one
						pictures = pictures[:n-1]
					}
					pictures = append(pictures, p)
				}
				for n := len(pictures) - 1; n > 0 && (pictures[n].Sent.Sub(pictures[n-1].Sent)-l.Every).Abs()*4 > l.Every; n-- {
					pictures = pictures[:n] // not at a rate
				}
				if len(pictures) < 11 {
					continue
				}
				to := &want
				if len(pictures) < 24 {
					to = &maybe
				}
				for _, p := range pictures {
					add(to, l.PID, p.Index, p.TID, p.Sent, p.Taken, p.Present)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			for _, line := range maybe { // few pictures, some of them late
				if _, ok := slices.BinarySearch(got, line); ok {
					want = append(want, line)
				}
			}
			slices.Sort(want)
			compareLines(t, "pictures", got, want)
		})
	}
	if found < 10 {
		t.Errorf("%d layers", found)
	}
}
