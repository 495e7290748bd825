package why_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// Whatever is wrong with a layer, each of its late buffers is explained once: by its late frame,
// or by a reason, or in parts by both. All of its time is accounted for (Causes.Validate).
func TestSimulatedLayers(t *testing.T) {
	configs := simulate.BadLayers()
	configs["all"] = simulate.Layered()
	explained := 0
	for i, name := range slices.Sorted(maps.Keys(configs)) {
		if name != "all" && i%slow.Of(6, 1) != 0 {
			continue
		}
		timeline, causes, _ := simulated(t, configs[name])
		for _, l := range timeline.Layers {
			for _, b := range l.Buffers {
				late, frame := causes.LateBuffer(b), why.ByFrame(b) == b.Overrun()
				if (b.Pace == analyzer.Late && !frame) != (late != nil) {
					t.Errorf("%s: buffer of %s at %s is %q, by its frame alone %t, explained %t", name, l.Name, b.At(), b.Pace, frame, late != nil)
				}
				if late != nil {
					explained++
				}
			}
		}
	}
	if explained == 0 {
		t.Error("no late buffers")
	}
}

// A late frame explains the refreshes that it missed. What is left of its buffer's overrun has a
// reason, unless it is no more than half a refresh.
func TestByFrame(t *testing.T) {
	for _, test := range []struct{ frame, buffer, want trace.Duration }{
		{0, 30, 0}, {1, 10, 10}, {1, 20, 10}, {9, 30, 10}, {10, 20, 10}, {11, 30, 20}, {11, 20, 20}, {1, 14, 14}, {1, 16, 10}, {35, 20, 20},
	} {
		layer := &analyzer.Layer{Cadences: []analyzer.Cadence{{Every: 30, Buffers: 1, Shown: 1}}}
		f := &analyzer.Frame{Deadline: 1000, Actual: analyzer.Interval{Start: 990, End: 1000 + trace.Time(test.frame)}}
		f.Judge()
		b := &analyzer.Buffer{Layer: layer, Pace: analyzer.Late, Interval: 30 + test.buffer, Frame: f, Render: &analyzer.Frame{Period: 10}}
		if got := why.ByFrame(b); got != test.want {
			t.Errorf("a frame %d ms late explains %d of %d ms, want %d", test.frame, got, test.buffer, test.want)
		}
	}
}

// Two buffers of the frame that waits for the GPU of the video belong to late frames, too. Those
// missed one refresh of the two.
func TestPartlyByFrame(t *testing.T) {
	timeline, causes, _ := simulated(t, simulate.Layered())
	partly := 0
	for _, l := range timeline.Layers {
		for _, b := range l.Buffers {
			late := causes.LateBuffer(b)
			if late == nil || why.ByFrame(b) == 0 {
				continue
			}
			partly++
			sum := trace.Duration(0)
			for _, s := range late.Shares {
				sum += s.Share
			}
			if late.Outcome != why.ShownLate || sum != b.Overrun()-b.Render.Period {
				t.Errorf("%s of %s: %s, want %s - %s", late.Outcome, l.Name, sum, b.Overrun(), b.Render.Period)
			}
		}
	}
	if partly == 0 {
		t.Error("no such buffers")
	}
}

// A picture that an application draws without a vsync is late because of what its thread did since the one before:
// in its own work, or in what else held the thread.
func TestSimulatedTimer(t *testing.T) {
	for _, thread := range []bool{false, true} {
		timeline, causes, _ := simulated(t, simulate.Timed(thread))
		var got []string
		for _, l := range timeline.Layers {
			for _, b := range l.Buffers {
				if b.Pace != analyzer.Late {
					continue
				}
				words := "unexplained"
				if e := causes.LateBuffer(b); e != nil && len(e.Shares) > 0 {
					s := e.Shares[0]
					words = fmt.Sprint(e.Outcome, " ", s.Wait, " ", s.Slice)
				}
				got = append(got, words)
			}
		}
		must.EqualSlices(t, got, []string{"queued_late run Compose:draw"})
	}
}

// A picture outside frames that is sent late, and that render_service then shows late as well, lost to its producer no
// more than the refreshes that it was sent late by. The rest is that of the frame which showed it.
func TestTimerAndRenderService(t *testing.T) {
	both := 0
	for seed := range uint64(40) {
		config := simulate.AnyTimers(seed)
		config.Chances.RenderLate, config.NoFences = 0.4, false
		for _, app := range config.Apps {
			for i := range app.Timers {
				app.Timers[i].Troubles = nil
				for n := 11; n < 200; n += 7 {
					app.Timers[i].Troubles = append(app.Timers[i].Troubles, simulate.Trouble{Buffer: n, Kind: simulate.TroubleWork, Length: 25 * trace.Millisecond})
				}
			}
		}
		timeline, causes, _ := simulated(t, config)
		for _, l := range timeline.Layers {
			var last *analyzer.Buffer
			for _, b := range l.Buffers {
				if !b.Present.Known() {
					continue
				}
				before := last
				last = b
				e := causes.LateBuffer(b)
				if e == nil || e.Outcome != why.QueuedLate || before == nil {
					continue
				}
				produced, shown := trace.Duration(0), trace.Duration(0)
				for _, s := range e.Shares {
					if s.Stage == why.StageProduce {
						produced += s.Share
					} else {
						shown += s.Share
					}
				}
				period := b.Render.Period
				longer := b.Present.Sub(before.Present) - b.Acquired.Sub(before.Acquired)
				if late := causes.Of(b.Render).ShownLate(); longer <= period/2 || !late {
					must.Equal(t, shown, 0)
					continue
				}
				both++
				must.Equal(t, shown, min(longer, e.Lost))
				must.Equal(t, produced, e.Lost-shown)
				if sent := b.Queued.Sub(before.Queued) - l.CadenceOf(b); produced > sent+period+period/4 {
					t.Errorf("seed %d: a picture sent %s late lost %s to its producer, with periods of %s", seed, sent, produced, period)
				}
			}
		}
	}
	if both < 3 {
		t.Errorf("%d such pictures", both)
	}
}
