package reconstruct_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// TestSimulated compares timelines with what the simulation of each system
// version knows of its frames, for whole traces and for traces that are cut.
func TestSimulated(t *testing.T) {
	for i, era := range simulate.Eras() {
		for k, cut := range []bool{false, true} {
			for seed := uint64(1); seed <= 3; seed++ {
				if !slow.Enabled() && (i+k+int(seed))%3 != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/cut=%t/%d", era, cut, seed), func(t *testing.T) {
					config := simulate.Everything()
					config.Seed, config.Era, config.CutStart, config.CutEnd = seed, era, cut, cut
					config.Text = simulate.Text{Header: config.Text.Header, Flags: 4 + int(seed), CRLF: seed == 2, Nanoseconds: seed == 3}
					checkSimulated(t, config)
				})
			}
		}
	}
}

// written returns the trace of a configuration and what the simulator knows of it.
func written(t *testing.T, config simulate.Config) (*bytes.Buffer, *simulate.Truth) {
	t.Helper()
	var text bytes.Buffer
	truth := must.Get(simulate.Write(&text, config))(t)
	return &text, truth
}

func checkSimulated(t *testing.T, config simulate.Config) {
	text, truth := written(t, config)
	checkTimeline(t, text, truth, config.CutStart)
}

// TestScenes does the same with scenes of late frames. Nothing that delays a frame
// may change what is found of it, in either kernel's lines.
func TestScenes(t *testing.T) {
	check := func(name string, scene simulate.Scene) {
		t.Run(name, func(t *testing.T) {
			var text bytes.Buffer
			truth := must.Get(scene.Generate(&text))(t)
			checkTimeline(t, &text, truth, false)
		})
	}
	for i, cause := range simulate.Causes() {
		for j, kernel := range []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux} {
			if !slow.Enabled() && j != i%2 {
				continue
			}
			check(cause+"/"+string(kernel), simulate.Scene{
				Kernel: kernel, Cause: simulate.Cause(cause), Seed: uint64(i), RefreshHz: 60 + 30*((i+j)%3),
				ClockOffset: trace.Duration(i) * 1_234_567_891, CRLF: i%2 == 0, NoTGID: i%3 == 0,
			})
		}
	}
	for _, era := range simulate.Eras() {
		check(era, simulate.Scene{Kernel: simulate.KernelLinux, Cause: simulate.CauseMix, Era: era})
		check(era+"/cached", simulate.Scene{Kernel: simulate.KernelLinux, Cause: simulate.CauseCachedTransaction, Era: era})
	}
}

func checkTimeline(t *testing.T, text *bytes.Buffer, truth *simulate.Truth, cutStart bool) {
	t.Helper()
	got, totals := must.Get2(reconstruct.Analyze(t.Context(), text, hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset}))(t)
	must.Do(t, got.Validate())
	if n := totals.Problems.Lost(); n > 0 {
		t.Errorf("%d lines not understood: %v", n, totals.Problems.Counts())
	}
	// A transaction before the end of a frame that began before the trace may
	// have been in it, for all that the text says.
	n := got.Diagnostics.Total(analyzer.TransactionOutside)
	if n > truth.OutsideTransactions || n < truth.OutsideTransactions && !cutStart {
		t.Errorf("%d transactions outside frames, want %d", n, truth.OutsideTransactions)
	}
	type key struct {
		tid   trace.TID
		start trace.Time
	}
	found := map[key]*analyzer.Frame{}
	truncated := map[key]*analyzer.Frame{}
	for _, f := range got.Frames {
		if f.Framework != analyzer.Platform {
			continue // checkLayers compares them
		}
		k := key{f.TID, f.Actual.Start}
		if f.Facts.Has(analyzer.Truncated) {
			truncated[k] = f
		} else {
			found[k] = f
		}
	}
	lost := 0 // truncated frames that the text need not show
	for _, w := range truth.Frames {
		k := key{w.TID, w.Start}
		if w.Truncated {
			if w.Start == 0 {
				lost++
			} else if truncated[k] == nil {
				t.Errorf("truncated %s frame %d of thread %d at %d: not found", w.Kind, w.Vsync, w.TID, w.Start)
			}
			delete(truncated, k)
			continue
		}
		f := found[k]
		delete(found, k)
		if f == nil {
			t.Errorf("%s frame %d of thread %d at %d: not found", w.Kind, w.Vsync, w.TID, w.Start)
			continue
		}
		if want, got := describeTruth(w), describeFound(f); got != want {
			t.Errorf("found %s\n want %s", got, want)
		}
	}
	for _, f := range found {
		t.Errorf("no such frame: %v", f)
	}
	if len(truncated) > lost {
		t.Errorf("truncated frames that are none, of %d at most: %v", lost, truncated)
	}
}

// describeTruth and describeFound put what both sides know in the same words.
func describeTruth(w *simulate.Frame) string {
	var render trace.Time
	if w.TakenBy != nil {
		render = w.TakenBy.Start
	}
	var gpu []analyzer.Interval
	for _, g := range w.GPU {
		if g[1] != 0 {
			gpu = append(gpu, analyzer.Interval{Start: g[0], End: g[1]})
		}
	}
	return fmt.Sprintf("%s %d/%d vsync %d actual %d..%d expected %d..%d deadline %d period %d coalesced %d late %t/%t empty %t misaligned %t sent %v render %d gpu %v commit %d present %d/%t",
		w.Kind, w.PID, w.TID, w.Vsync, w.Start, w.End, w.ExpectedStart, w.ExpectedEnd, w.Deadline, w.Period, w.Coalesced,
		w.Late, w.LateGPU, w.Empty, w.Misaligned, w.Indices, render, gpu, w.Commit, w.Present, w.PresentEstimated)
}

func describeFound(f *analyzer.Frame) string {
	var sent []int64
	for _, s := range f.Transactions {
		sent = append(sent, s.Index)
	}
	slices.Sort(sent)
	var render trace.Time
	if f.Render != nil && f.Render.Vsync.Known() { // else it began before the trace
		render = f.Render.Actual.Start
	}
	return fmt.Sprintf("%s %d/%d vsync %d actual %d..%d expected %d..%d deadline %d period %d coalesced %d late %t/%t empty %t misaligned %t sent %v render %d gpu %v commit %d present %d/%t",
		f.Kind, f.Process.PID, f.TID, f.VsyncID, f.Actual.Start, f.Actual.End, f.Expected.Start, f.Expected.End, f.Deadline, f.Period, f.Coalesced,
		f.Late(), f.Facts.Has(analyzer.GPULate), f.Facts.Has(analyzer.Empty), f.Facts.Has(analyzer.Misaligned),
		sent, render, f.GPU, f.Commit.Start, f.Present, f.PresentEstimated)
}
