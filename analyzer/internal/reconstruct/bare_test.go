package reconstruct_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/simulate/rawfile"
	"ohframe/internal/testing/slow"
)

// graphic are the markers of the tag graphic that threads of applications write.
var graphic = []string{"ReceiveVsync", "MarshRSTransactionData", "Marsh RSTransactionData", "SendCommands", "UI skip"}

// withoutGraphic returns the events of a process without the markers of the tag graphic, as
// OH_HiDebug_RequestTrace records them.
func withoutGraphic(events []rawfile.Event, pid int32) (list []rawfile.Event) {
	open := map[int32][]bool{} // by thread: whether each open slice is left out
	for _, e := range events {
		if e.PID != pid || e.Name == "sched_switch" || len(e.Args) < 2 {
			continue
		}
		stack := open[e.TID]
		switch {
		case strings.HasPrefix(e.Args, "B|"):
			name := strings.TrimPrefix(strings.SplitN(e.Args, "|", 3)[2], "H:")
			drop := slices.ContainsFunc(graphic, func(s string) bool { return strings.HasPrefix(name, s) })
			if open[e.TID] = append(stack, drop); drop {
				continue
			}
		case e.Args[0] == 'E' && len(stack) > 0:
			open[e.TID] = stack[:len(stack)-1]
			if stack[len(stack)-1] {
				continue
			}
		}
		list = append(list, e)
	}
	return list
}

// ownComplete returns the complete frames of a process by thread and vsync. Which are unfinished depends
// on the end of the trace.
func ownComplete(t *analyzer.Timeline, pid trace.PID) map[string]*analyzer.Frame {
	frames := map[string]*analyzer.Frame{}
	for f := range t.Complete() {
		if f.Process.PID == pid && f.Kind == analyzer.ApplicationFrame && !f.Facts.Has(analyzer.Unfinished) {
			frames[fmt.Sprint(f.TID, " ", f.Actual.End)] = f
		}
	}
	return frames
}

// TestWithoutReceiveVsync: an application's frames, their vsyncs, deadlines and lateness are those
// of the trace with the tag graphic.
func TestWithoutReceiveVsync(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for i, era := range simulate.Eras() {
		for k, hz := range [][]simulate.Rate{{{Hz: 60}}, {{Hz: 90}}, {{Hz: 120}}, {{Hz: 120}, {From: 700 * trace.Millisecond, Hz: 60}}, {{Hz: 90}, {From: 500 * trace.Millisecond, Hz: 120}}} {
			if (i+k)%slow.Of(3, 1) != 0 {
				continue
			}
			config := simulate.Everything()
			config.Seed, config.Era, config.Rates, config.Duration = r.Uint64(), era, hz, 1500*trace.Millisecond
			config.Chances.NoExpectedEnd, config.Chances.AppPause = 0, 0.1
			if config.Apps[0].Instances = 1 + r.IntN(2); r.IntN(2) == 0 {
				config.ClockOffset = 0
			}
			name := fmt.Sprintf("%s, %v, %d instances", era, hz, config.Apps[0].Instances)
			events := eventsOf(t, config)
			full := analyzed(t, textOf(events))
			want := ownComplete(full, 20170)
			bare := withoutGraphic(events, 20170)
			got := analyzed(t, textOf(bare))
			frames := ownComplete(got, 20170)
			if len(want) < 25 || (got.Clock.Offset-full.Clock.Offset).Abs() > trace.Millisecond || got.Clock.Source != analyzer.ClockOnVsync {
				t.Errorf("%s: %d frames, offset %s from %s, want %s", name, len(want), got.Clock.Offset, got.Clock.Source, full.Clock.Offset)
			}
			wrong := 0
			for key, w := range want {
				f := frames[key]
				if f == nil {
					t.Errorf("%s: no frame %s", name, w)
					continue
				}
				delete(frames, key)
				if f.VsyncID != w.VsyncID || f.Vsync.Sub(w.Vsync).Abs() > trace.Millisecond || f.Actual.Start.Sub(w.Actual.Start).Abs() > trace.Millisecond/2 {
					t.Errorf("%s: %s, want %s", name, f, w)
				}
				if !w.Deadline.Known() {
					continue
				}
				if !f.Facts.Has(analyzer.DeadlineInferred) || f.Facts.Has(analyzer.Empty) {
					t.Errorf("%s: the deadline is not marked as inferred, or the frame is called empty: %s", name, f)
				}
				if close := w.End().Sub(w.Deadline).Abs() < trace.Millisecond/2; !close && f.Late() != w.Late() || f.Deadline.Sub(w.Deadline).Abs() > trace.Millisecond {
					wrong++
					if len(hz) == 1 {
						t.Errorf("%s: %s, want %s", name, f, w)
					}
				}
			}
			// Where the rate changes, a frame or two have the period of the other rate.
			if wrong > 3 {
				t.Errorf("%s: %d of %d frames have another deadline", name, wrong, len(want))
			}
			for _, f := range frames {
				t.Errorf("%s: one frame more: %s", name, f)
			}
		}
	}
}
