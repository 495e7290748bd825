package reconstruct_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// changing is a video whose rate changes, each for some time, on a display.
func changing(hz int, each trace.Duration, rates ...int) simulate.Config {
	c := simulate.Playback(hz, rates[0])
	c.Kernel = simulate.KernelNone
	c.Duration = each*trace.Duration(len(rates)) + 50*trace.Millisecond
	for i, fps := range rates[1:] {
		c.Layers[0].Rates = append(c.Layers[0].Rates, simulate.LayerRate{From: each * trace.Duration(i+1), FPS: fps})
	}
	return c
}

// played returns the layer of a simulated video, and its measures.
func played(t *testing.T, config simulate.Config) (*analyzer.Layer, *stats.Layer, *simulate.LayerTruth) {
	t.Helper()
	text, truth := written(t, config)
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), bytes.NewReader(text.Bytes()), hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset}))(t)
	must.Do(t, timeline.Validate())
	return timeline.Layers[0], stats.Compute(timeline, stats.Options{}).Layers[0], truth.Layers[0]
}

// A rate that changes is a cadence for each stretch of time. No buffer is late but for the one that
// comes 60 ms late, however close to the change.
func TestCadenceChanges(t *testing.T) {
	const ms = trace.Millisecond
	random := rand.New(rand.NewPCG(4, 6))
	for _, hz := range []int{60, 90, 120} {
		for n, rates := range [][]int{
			{24, 24}, {25, 25}, {30, 30}, {60, 60}, {90, 90}, {120, 120},
			{60, 30}, {30, 60}, {24, 30, 24}, {30, 25, 60}, {60, 30, 60, 30, 60}, {120, 60}, {90, 30}, {30, 120, 24},
		} {
			for _, stalls := range []int{0, 3, 6} {
				if !slow.Enabled() && (n+hz/30+stalls)%3 != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%v on %d with %d", rates, hz, stalls), func(t *testing.T) {
					each := 1510 * ms // with 1500, buffers of 60 FPS come when the display takes them, some before and some after
					config := changing(hz, each, rates...)
					l := &config.Layers[0]
					l.Drops, l.Slots, l.Work = simulate.DropNewest, 5, 500*trace.Microsecond
					at := map[int]bool{}
					first := int(each) * rates[0] / int(trace.Second) // of the second rate
					for k := range stalls {
						buffer := first - 9 + 9*k // before, at and after the change
						if stalls > 3 {
							buffer = 10 + k*11 + random.IntN(4)
						}
						at[buffer] = true
						l.Troubles = append(l.Troubles, simulate.Trouble{Buffer: buffer, Kind: simulate.TroubleWork, Length: 60 * ms})
					}
					layer, measured, truth := played(t, config)
					var want []int
					for i, fps := range rates {
						if i == 0 || fps != rates[i-1] {
							want = append(want, fps)
						}
					}
					if len(layer.Cadences) != len(want) {
						t.Fatalf("cadences %v, want those of %v", measured.Cadences, want)
					}
					for i, fps := range want {
						c := &layer.Cadences[i]
						if d := c.Every - trace.Second/trace.Duration(fps); c.Buffers != 1 || d.Abs() > ms/2 {
							t.Errorf("cadence %d is %v, want that of %d", i+1, c, fps)
						}
						if i == 0 {
							continue
						}
						change := truth.Buffers[0].Queued.Add(each * trace.Duration(i))
						if d := c.Span.Start.Sub(change); d.Abs() > 170*ms {
							t.Errorf("the rate changes to %d %v after it does", fps, d)
						}
					}
					var late []trace.Time
					for _, b := range layer.Buffers {
						if b.Pace == analyzer.Late {
							late = append(late, b.Present)
						}
					}
					if len(late) != stalls {
						t.Errorf("%d late buffers, want %d: %v", len(late), stalls, late)
					}
				})
			}
		}
	}
}

// A decoder that is late for a time and then makes what is missing as fast as it can has one cadence.
// Those that are too many for the display are dropped because of that. A second without buffers is a
// pause as long as no cause is known.
func TestCatchingUp(t *testing.T) {
	const ms = trace.Millisecond
	n := 0
	for _, hz := range []int{60, 90, 120} {
		for _, fps := range []int{24, 30, 60} {
			for _, stall := range []trace.Duration{100, 200, 400, 700, 900, 1126, 1500, 1800} {
				if n++; !slow.Enabled() && n%4 != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%d FPS on %d Hz, %d ms", fps, hz, stall), func(t *testing.T) {
					config := simulate.Playback(hz, fps)
					config.Kernel, config.Duration = simulate.KernelNone, 3*stall*ms+5*trace.Second
					l := &config.Layers[0]
					l.Drops, l.Slots, l.Work = simulate.DropNewest, 40, 2*ms
					second := int(stall*ms+2*trace.Second) * fps / int(trace.Second)
					for _, buffer := range []int{fps, fps + second} {
						l.Troubles = append(l.Troubles, simulate.Trouble{Buffer: buffer, Kind: simulate.TroubleWork, Length: stall * ms})
					}
					layer, measured, truth := played(t, config)
					if len(layer.Cadences) != 1 || (layer.Cadence()-trace.Second/trace.Duration(fps)).Abs() > ms/2 {
						t.Errorf("cadences %v", measured.Cadences)
					}
					late, dropped := 0, 0
					for _, b := range layer.Buffers {
						if b.Pace == analyzer.Late {
							late++
						}
					}
					for _, b := range truth.Buffers {
						if b.Fate == "dropped" {
							dropped++
						}
					}
					want := 2
					if stall >= 1000 {
						want = 0
					}
					must.Equal(t, late, want, "late buffers")
					if drops := measured.Drops; dropped > 0 && (len(drops) != 1 || drops[0].Reason != "caught_up" || drops[0].Buffers != dropped) {
						t.Errorf("dropped %+v, want %d", drops, dropped)
					}
				})
			}
		}
	}
}
