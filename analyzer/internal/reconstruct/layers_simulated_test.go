package reconstruct_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
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

// layerTraces are traces with layers, by what they have.
func layerTraces() map[string]simulate.Config {
	list := simulate.BadLayers()
	list["all"] = simulate.Layered()
	for _, hz := range []int{60, 90, 120} {
		for _, fps := range []int{24, 25, 30, 60} {
			list[fmt.Sprintf("%d of %d", fps, hz)] = simulate.Playback(hz, fps)
		}
		together := simulate.Playback(hz, 30)
		together.Layers[0].Together, together.Layers[0].Work, together.Layers[0].Slots = 2, 300*trace.Microsecond, 8
		list[fmt.Sprintf("together, all shown, on %d", hz)] = together
		together.Layers = slices.Clone(together.Layers)
		together.Layers[0].Drops, together.Layers[0].Together = simulate.DropNewest, 2+hz/30%2
		list[fmt.Sprintf("together on %d", hz)] = together
		list[fmt.Sprintf("changing on %d", hz)] = changing(hz, 500*trace.Millisecond, 60, 30, 24, 60)
	}
	return list
}

// TestSimulatedLayers compares layers, their buffers and the frames of frameworks with what the
// simulation of each system version knows of them.
func TestSimulatedLayers(t *testing.T) {
	traces := layerTraces()
	for n, name := range slices.Sorted(maps.Keys(traces)) {
		for i, era := range simulate.Eras() {
			if !slow.Enabled() && (i+n)%4 != 0 {
				continue
			}
			config := traces[name]
			t.Run(name+"/"+era, func(t *testing.T) {
				config.Era, config.Seed = era, uint64(i)
				text, truth := written(t, config)
				again := bytes.NewBuffer(bytes.Clone(text.Bytes()))
				checkLayers(t, text, truth, config)
				checkTimeline(t, again, truth, config.CutStart)
			})
		}
	}
}

// TestAnyLayers does the same with random traces.
func TestAnyLayers(t *testing.T) {
	seeds := slow.Of(20, 600)
	eras := simulate.Eras()
	for seed := range seeds {
		config := simulate.AnyLayers(uint64(seed))
		config.Era = eras[(seed+4)%len(eras)]
		t.Run(fmt.Sprintf("%d/%s", seed, config.Era), func(t *testing.T) {
			text, truth := written(t, config)
			checkLayers(t, text, truth, config)
		})
	}
}

// TestManyLayers reads a trace of many layers of one name, a few at a time.
func TestManyLayers(t *testing.T) {
	n := 300
	if slow.Enabled() {
		n = 10_000
	}
	config := simulate.ManyLayers(n)
	config.Kernel = simulate.KernelHongMeng // without calls, whose buffers are whose would be a guess
	text, truth := written(t, config)
	if len(truth.Layers) != n {
		t.Fatalf("%d layers", len(truth.Layers))
	}
	checkLayers(t, text, truth, config)
}

// TestSimulatedDisplaySyncs compares who asked for the vsyncs of an application's frames, which of
// them are empty, and how long their threads ran.
func TestSimulatedDisplaySyncs(t *testing.T) {
	for i, era := range simulate.Eras() {
		for _, kernel := range []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux, simulate.KernelNone} {
			t.Run(era+"/"+string(kernel), func(t *testing.T) {
				config := simulate.Everything()
				config.Era, config.Kernel, config.Seed = era, kernel, uint64(i)
				config.Chances.AppEmpty, config.Chances.LateFlush = 0.4, 0
				config.Apps[0].DisplaySyncs = []simulate.DisplaySync{{ID: 3, Type: -1}, {ID: 9, Type: 0, Rate: 2}, {ID: 14, Type: 1, Rate: 4}}
				config.Apps[1].DisplaySyncs = []simulate.DisplaySync{{ID: 3, Type: 0}}
				text, truth := written(t, config)
				timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), text, hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset}))(t)
				var got, want []string
				for _, f := range timeline.Frames {
					if f.Kind == analyzer.ApplicationFrame && !f.Facts.Has(analyzer.Truncated) {
						got = append(got, fmt.Sprintf(syncWords, f.TID, f.Actual.Start, f.CPUTime, f.Facts.Has(analyzer.Empty), f.DisplaySyncs))
					}
				}
				for _, f := range truth.Frames {
					if f.Kind != simulate.AppFrame || f.Truncated {
						continue
					}
					var syncs []analyzer.DisplaySync
					for _, s := range f.DisplaySyncs {
						sync := analyzer.DisplaySync{
							ID: s.ID, Type: analyzer.DisplaySyncType(s.Type), Rate: int32(s.VsyncRate) / int32(s.Rate), VsyncRate: int32(s.VsyncRate), Every: int32(s.Rate), Skipped: s.Skipped,
							Took: 20 * trace.Microsecond,
						}
						if kernel != simulate.KernelNone {
							sync.CPUTime = sync.Took
						}
						syncs = append(syncs, sync)
					}
					want = append(want, fmt.Sprintf(syncWords, f.TID, f.Start, f.CPUTime, f.Empty, syncs))
				}
				slices.Sort(got)
				slices.Sort(want)
				compareLines(t, "frames", got, want)
			})
		}
	}
}

const syncWords = "frame of %d at %d ran %d empty %t for %v"

func checkLayers(t *testing.T, text io.Reader, truth *simulate.Truth, config simulate.Config) {
	t.Helper()
	timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), text, hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset}))(t)
	must.Do(t, timeline.Validate())
	if n := totals.Problems.Lost(); n > 0 {
		t.Errorf("%d lines not understood: %v", n, totals.Problems.Counts())
	}
	var got, want []string
	for _, l := range timeline.Layers {
		got = append(got, describeLayer(l)...)
	}
	known := knowledge{timeline, config.Kernel != simulate.KernelNone}
	for _, l := range truth.Layers {
		want = append(want, known.layer(l)...)
	}
	compareLines(t, "layers", got, want)
	got, want = nil, nil
	for _, f := range timeline.Frames {
		if f.Framework != analyzer.Platform {
			got = append(got, describeProduced(f))
		}
	}
	for _, f := range truth.Produced {
		want = append(want, describeProducedTruth(f))
	}
	slices.Sort(got)
	slices.Sort(want)
	compareLines(t, "frames", got, want)
}

// compareLines reports where two lists of lines differ.
func compareLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	shown := 0
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			if t.Errorf("%s, line %d:\n got %s\nwant %s", what, i+1, g, w); shown > 4 {
				return
			}
			shown++
		}
	}
}

// describeLayer and knowledge.layer put what both sides know in the same words.
func describeLayer(l *analyzer.Layer) []string {
	pid := trace.PID(0)
	if l.Process != nil {
		pid = l.Process.PID
	}
	list := []string{fmt.Sprintf(layerWords, l.Name, l.Queue, pid, l.Framework, len(l.Buffers))}
	for _, b := range l.Buffers {
		render, frame := trace.Time(0), trace.Time(0)
		if b.Render != nil {
			render = b.Render.Actual.Start
		}
		if b.Frame != nil {
			frame = b.Frame.Actual.Start
		}
		list = append(list, fmt.Sprintf(bufferWords, b.Sequence, b.Requested.Start, b.Requested.End, b.Queued, b.Ready, b.Acquired, render,
			b.Present, b.PresentEstimated, b.Fate, frame))
	}
	return list
}

const (
	layerWords  = "%q queue %d of %d framework %s: %d buffers"
	bufferWords = "%d requested %d-%d queued %d ready %d acquired %d by %d present %d/%t %s frame %d"
)

// knowledge is what a trace has lines of.
type knowledge struct {
	timeline *analyzer.Timeline // for its processes
	calls    bool               // binder calls
}

func (k knowledge) layer(l *simulate.LayerTruth) []string {
	pid := trace.PID(0)
	if p := k.producer(l); p != nil {
		pid = p.PID
	}
	list := []string{fmt.Sprintf(layerWords, l.Name, l.Queue, pid, l.Framework, len(l.Buffers))}
	for _, b := range l.Buffers {
		render, frame := trace.Time(0), trace.Time(0)
		if b.Render != nil {
			render = b.Render.Start
		}
		if b.Frame != nil {
			frame = b.Frame.Start
		}
		list = append(list, fmt.Sprintf(bufferWords, b.Sequence, b.Requested[0], b.Requested[1], b.Queued, b.Ready, b.Acquired, render,
			b.Present, b.PresentEstimated, b.Fate, frame))
	}
	return list
}

// producer returns the process that makes the buffers of a layer, nil if that is unknown.
func (k knowledge) producer(l *simulate.LayerTruth) *analyzer.Process {
	pid := l.Node
	// Without calls nobody knows which process queued a buffer.
	if (k.calls || l.Marked) && slices.ContainsFunc(l.Buffers, func(b *simulate.BufferTruth) bool { return b.Queued.Known() }) {
		pid = l.PID
	}
	i := slices.IndexFunc(k.timeline.Processes, func(p *analyzer.Process) bool { return p.PID == pid })
	if i < 0 {
		return nil
	}
	return k.timeline.Processes[i]
}

// describeProduced and describeProducedTruth put frames of frameworks in the same words.
func describeProduced(f *analyzer.Frame) string {
	text := fmt.Sprintf(producedWords, f.Framework, f.Process.PID, f.TID, f.Actual.Start)
	if f.Facts.Has(analyzer.Truncated | analyzer.Unfinished) {
		return text + "truncated"
	}
	var sent []int64
	for _, s := range f.Transactions {
		sent = append(sent, s.Index, int64(s.At))
	}
	render := trace.Time(0)
	if f.Render != nil {
		render = f.Render.Actual.Start
	}
	if f.Framework == analyzer.NativeVsync { // of others, the deadline is that of a late buffer
		text += fmt.Sprintf("deadline %d late %t/%t ", f.Deadline, f.Facts.Has(analyzer.MainLate), f.Facts.Has(analyzer.GPULate))
	}
	return text + fmt.Sprintf(workWords, f.Actual.End, f.VsyncID, f.Vsync, f.Coalesced, f.Draw.Start, f.Draw.End, f.Facts.Has(analyzer.Empty), sent, render)
}

const (
	producedWords = "%s frame of %d/%d at %d "
	workWords     = "until %d id %d vsync %d coalesced %d draw %d-%d empty %t sent %d render %d"
)

func describeProducedTruth(f *simulate.ProducedFrame) string {
	text := fmt.Sprintf(producedWords, f.Framework, f.PID, f.TID, f.Start)
	if f.Truncated {
		return text + "truncated"
	}
	var sent []int64
	for _, b := range f.Buffers {
		sent = append(sent, b.Sequence, int64(b.Queued))
	}
	render := trace.Time(0)
	if f.Render != nil {
		render = f.Render.Start
	}
	if f.Framework == "nativevsync" {
		text += fmt.Sprintf("deadline %d late %t/%t ", f.Deadline, f.LateMain, f.LateGPU)
	}
	return text + fmt.Sprintf(workWords, f.End, f.ID, f.Vsync, f.Coalesced, f.Draw[0], f.Draw[1], f.Empty, sent, render)
}
