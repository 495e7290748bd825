package reconstruct_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"testing/iotest"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/simulate/rawfile"
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
			if !mayHave(name, i) {
				continue
			}
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

// mayHave reports whether an era has all that a trace is about.
func mayHave(name string, era int) bool {
	since := map[string]string{
		"same names": "5.0.0", "queue id again": "5.0.0", // which number queues
		"attached": "5.0.3", "no flush": "5.0.0",
		"all": "5.0.0",
	}[name]
	if name == "taken back" && simulate.Eras()[era] == "4.0" {
		return false // it numbers no buffers
	}
	return era >= slices.Index(simulate.Eras(), since)
}

// TestAnyLayers does the same with random traces.
func TestAnyLayers(t *testing.T) {
	seeds := slow.Of(20, 600)
	eras := simulate.Eras()
	for seed := range seeds {
		config := simulate.AnyLayers(uint64(seed))
		config.Era = eras[seed%len(eras)]
		if seed%len(eras) < slices.Index(eras, "5.0.3") {
			config.Chances.CommitLate = 0 // their commits do not name their frames
		}
		for i := range config.Layers {
			if l := &config.Layers[i]; config.Era == "4.0" && l.Drops == simulate.DropReused {
				l.Drops = simulate.DropNone // it numbers no buffers
			}
		}
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

// Layers are the same whatever the number of workers, and however the text is read.
func TestLayersWorkers(t *testing.T) {
	for _, era := range []string{"4.1", "6.1"} {
		config := simulate.Layered()
		config.Era = era
		var text bytes.Buffer
		if _, err := simulate.Write(&text, config); err != nil {
			t.Fatal(err)
		}
		var first []string
		for workers := 1; workers <= 4; workers++ {
			timeline, _, err := reconstruct.Analyze(t.Context(), iotest.HalfReader(bytes.NewReader(text.Bytes())), hitrace.Options{Workers: workers}, reconstruct.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, l := range timeline.Layers {
				lines = append(lines, describeLayer(l)...)
			}
			if workers == 1 {
				first = lines
			}
			compareLines(t, fmt.Sprintf("%d workers", workers), lines, first)
		}
		if len(first) < 100 {
			t.Errorf("%s: %d layers and buffers", era, len(first))
		}
	}
}

// TestSimulatedLayersBinary does the same with the binary forms of the traces.
func TestSimulatedLayersBinary(t *testing.T) {
	for i, name := range []string{"all", "drop newest", "begin cut", "odd name"} {
		config := layerTraces()[name]
		t.Run(name, func(t *testing.T) {
			config.Kernel, config.Text.Nanoseconds, config.Seed = simulate.KernelHongMeng, true, uint64(i)
			text, truth := written(t, config)
			events, err := rawfile.Parse(text.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			file, _ := rawfile.Sys(events, rawfile.SysOptions{HongMeng: true, BaseInfo: true})
			r, err := binarytrace.Open(bytes.NewReader(file), int64(len(file)), binarytrace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkLayers(t, r, truth, config)
		})
	}
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
				timeline, _, err := reconstruct.Analyze(t.Context(), text, hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset})
				if err != nil {
					t.Fatal(err)
				}
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
						syncs = append(syncs, analyzer.DisplaySync{ID: s.ID, Type: analyzer.DisplaySyncType(s.Type)})
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

// TestDamagedLayers reads traces that have lost lines, ends of slices or bytes. The reader finds
// less in them, but nothing that the whole trace does not have.
func TestDamagedLayers(t *testing.T) {
	seeds := 6
	if slow.Enabled() {
		seeds = 60
	}
	eras := simulate.Eras()
	eras = eras[slices.Index(eras, "5.0.0"):] // before, nothing numbers queues
	for seed := range seeds {
		config := simulate.Layered()
		config.Seed, config.Era, config.Duration = uint64(seed), eras[seed%len(eras)], 700*trace.Millisecond
		text, truth := written(t, config)
		lines := bytes.SplitAfter(text.Bytes(), []byte("\n"))
		for _, damage := range []string{"lines", "ends", "bytes"} {
			t.Run(fmt.Sprintf("%s/%d/%s", damage, seed, config.Era), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(seed), 5))
				var damaged []byte
				for _, line := range lines {
					switch line = bytes.Clone(line); {
					case damage == "lines" && r.IntN(100) == 0, damage == "ends" && bytes.Contains(line, []byte(": E|")) && r.IntN(50) == 0:
						continue
					case damage == "bytes" && r.IntN(50) == 0 && len(line) > 2:
						line[r.IntN(len(line)-1)] = byte(' ' + r.IntN(95))
					}
					damaged = append(damaged, line...)
				}
				timeline, _, err := reconstruct.Analyze(t.Context(), bytes.NewReader(damaged), hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset})
				if err != nil {
					t.Fatal(err)
				}
				if err := timeline.Validate(); err != nil {
					t.Fatal(err)
				}
				if damage != "bytes" {
					checkKnown(t, timeline, truth)
				}
			})
		}
	}
}

// checkKnown compares the times that are known.
func checkKnown(t *testing.T, timeline *analyzer.Timeline, truth *simulate.Truth) {
	t.Helper()
	type key struct {
		queue int64
		at    trace.Time
	}
	queued, acquired := map[key]*simulate.BufferTruth{}, map[key]*simulate.BufferTruth{}
	total := 0
	for _, l := range truth.Layers {
		for _, b := range l.Buffers {
			queued[key{l.Queue, b.Queued}], acquired[key{l.Queue, b.Acquired}] = b, b
			total++
		}
	}
	found := 0
	for _, l := range timeline.Layers {
		for _, b := range l.Buffers {
			byQueued, byAcquired := queued[key{l.Queue, b.Queued}], acquired[key{l.Queue, b.Acquired}]
			switch {
			case b.Queued.Known() && byQueued == nil, b.Acquired.Known() && byAcquired == nil,
				b.Queued.Known() && b.Acquired.Known() && byQueued != byAcquired:
				t.Errorf("%s: no buffer %d is queued at %d and acquired at %d", l.Name, b.Sequence, b.Queued, b.Acquired)
			case b.Queued.Known() && b.Acquired.Known() && b.Fate == analyzer.Shown:
				found++
			}
		}
	}
	if found < total*8/10 {
		t.Errorf("%d of %d buffers are known from their queue to the display", found, total)
	}
}

func checkLayers(t *testing.T, text io.Reader, truth *simulate.Truth, config simulate.Config) {
	t.Helper()
	timeline, totals, err := reconstruct.Analyze(t.Context(), text, hitrace.Options{}, reconstruct.Options{ClockOffset: &truth.Offset})
	if err != nil {
		t.Fatal(err)
	}
	if err := timeline.Validate(); err != nil {
		t.Fatal(err)
	}
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
	// When the display's rate changes, or the producer makes up for lost time, where another cadence
	// begins is the reader's choice, and so is what follows from it.
	chosen := len(config.Rates) > 1 || moreCadences(t, timeline, truth)
	if chosen {
		got, want = unpaced(got), unpaced(want)
	}
	compareLines(t, "layers", got, want)
	measured := fields(t, stats.Compute(timeline, stats.Options{}).Layers)
	for _, l := range measured {
		drops := 0.0
		for _, d := range l["drops"].([]any) {
			drops += d.(map[string]any)["buffers"].(float64)
		}
		if drops != l["dropped"] {
			t.Errorf("%v buffers of layer %v dropped, %v for a reason", l["dropped"], l["id"], drops)
		}
		delete(l, "drops")
	}
	wanted := known.measures(truth.Layers)
	if chosen {
		for _, field := range []string{"cadence_ms", "cadences", "judged", "late", "long", "early", "uneven_rate", "late_rate", "longest_ms", "fps"} {
			for _, l := range append(measured, wanted...) {
				delete(l, field)
			}
		}
	}
	compareFields(t, "layer", measured, wanted)
	got, want = nil, nil
	for _, f := range timeline.Frames {
		if f.Framework != analyzer.Platform {
			got = append(got, describeProduced(f))
		}
	}
	for _, f := range truth.Produced {
		want = append(want, describeProducedTruth(f))
	}
	if chosen {
		got, want = unpaced(got), unpaced(want)
	}
	slices.Sort(got)
	slices.Sort(want)
	compareLines(t, "frames", got, want)
}

// moreCadences reports whether layers have more cadences than the truth, each with at least ten even
// intervals.
func moreCadences(t *testing.T, timeline *analyzer.Timeline, truth *simulate.Truth) (more bool) {
	t.Helper()
	for i, l := range timeline.Layers {
		if i >= len(truth.Layers) || len(l.Cadences) <= max(1, len(truth.Layers[i].Cadences)) {
			continue
		}
		more = true
		for _, c := range l.Cadences {
			even, last := 0, trace.Time(0)
			for _, b := range l.Buffers {
				if last >= c.Span.Start && b.Queued <= c.Span.End && 4*(b.Queued.Sub(last)-c.Every).Abs() <= c.Every {
					even++
				}
				last = b.Queued
			}
			if even < 10 {
				t.Errorf("%s: %d even intervals of %v", l.Name, even, c)
			}
		}
	}
	return more
}

var paceWords = regexp.MustCompile(`cadences \[.*\]|(even|early|long|late)? interval \d+ deadline \d+|deadline \d+ late \w+/\w+|late too soon`)

// unpaced removes what follows from the cadence of a layer.
func unpaced(lines []string) (list []string) {
	for _, line := range lines {
		list = append(list, paceWords.ReplaceAllString(line, ""))
	}
	return list
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
	var cadences []simulate.LayerCadence
	for _, c := range l.Cadences {
		cadences = append(cadences, simulate.LayerCadence{From: c.Span.Start, To: c.Span.End, Every: c.Every, Buffers: c.Buffers, Shown: c.Shown})
	}
	list := []string{fmt.Sprintf(layerWords, l.Name, l.Queue, pid, l.Framework, len(l.Buffers), cadences)}
	for _, b := range l.Buffers {
		render, frame := trace.Time(0), trace.Time(0)
		if b.Render != nil {
			render = b.Render.Actual.Start
		}
		if b.Frame != nil {
			frame = b.Frame.Actual.Start
		}
		list = append(list, fmt.Sprintf(bufferWords, b.Sequence, b.Requested.Start, b.Requested.End, b.Queued, b.Ready, b.Acquired, render,
			b.Present, b.PresentEstimated, b.Fate, b.Pace, b.Interval, b.Deadline, frame))
	}
	return list
}

const (
	layerWords  = "%q queue %d of %d framework %s: %d buffers, cadences %d"
	bufferWords = "%d requested %d-%d queued %d ready %d acquired %d by %d present %d/%t %s %s interval %d deadline %d frame %d"
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
	list := []string{fmt.Sprintf(layerWords, l.Name, l.Queue, pid, l.Framework, len(l.Buffers), l.Cadences)}
	for _, b := range l.Buffers {
		render, frame := trace.Time(0), trace.Time(0)
		if b.Render != nil {
			render = b.Render.Start
		}
		if b.Frame != nil {
			frame = b.Frame.Start
		}
		list = append(list, fmt.Sprintf(bufferWords, b.Sequence, b.Requested[0], b.Requested[1], b.Queued, b.Ready, b.Acquired, render,
			b.Present, b.PresentEstimated, b.Fate, b.Pace, b.Interval, b.Deadline, frame))
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

// measures are the fields that a report should have of the layers.
func (k knowledge) measures(layers []*simulate.LayerTruth) (list []map[string]any) {
	for i, l := range layers {
		object := map[string]any{
			"id": float64(i + 1), "name": l.Name, "pid": nil, "process": nil, "framework": nil, "queue_id": known(l.Queue),
			"buffers": float64(len(l.Buffers)), "dropped_rate": nil, "fps": nil, "cadence_ms": nil, "cadences": []map[string]any{},
			"late": nil, "long": nil, "early": nil, "uneven_rate": nil, "late_rate": nil, "longest_ms": nil,
		}
		if p := k.producer(l); p != nil {
			if object["pid"] = float64(p.PID); p.Name != "" {
				object["process"] = p.Name
			}
		}
		if l.Framework != "" {
			object["framework"] = l.Framework
		}
		longest := 0
		for k, c := range l.Cadences {
			object["cadences"] = append(object["cadences"].([]map[string]any), map[string]any{
				"from_ns": float64(c.From), "to_ns": float64(c.To), "interval_ns": float64(c.Every / trace.Duration(c.Shown)), "every_ns": float64(c.Every), "buffers": float64(c.Buffers),
			})
			if c.To-c.From > l.Cadences[longest].To-l.Cadences[longest].From {
				longest = k
			}
		}
		if len(l.Cadences) > 0 {
			object["cadence_ms"] = float64(l.Cadences[longest].Every) / float64(l.Cadences[longest].Shown) / 1e6
		}
		count := map[string]float64{}
		var queue, request, gpu, shown []trace.Duration
		slowest := trace.Duration(0)
		for _, b := range l.Buffers {
			count[b.Fate]++
			count[b.Pace]++
			if b.Pace != "" {
				slowest = max(slowest, b.Interval)
			}
			if pause := b.Pace == "" && len(l.Cadences) > 0; b.Interval > 0 && !pause {
				shown = append(shown, b.Interval)
			}
			if b.Queued.Known() && b.Acquired.Known() {
				queue = append(queue, b.Acquired.Sub(b.Queued))
			}
			if b.Requested[0].Known() {
				request = append(request, b.Requested[1].Sub(b.Requested[0]))
			}
			if b.Ready.Known() {
				gpu = append(gpu, b.Ready.Sub(b.Queued))
			}
		}
		for _, fate := range []string{"shown", "dropped", "waiting"} {
			object[fate] = count[fate]
		}
		if n := count["shown"] + count["dropped"]; n > 0 {
			object["dropped_rate"] = count["dropped"] / n
		}
		total := trace.Duration(0)
		for _, d := range shown {
			total += d
		}
		if total > 0 {
			object["fps"] = float64(len(shown)) * 1e9 / float64(total)
		}
		judged := count["even"] + count["late"] + count["long"] + count["early"]
		if object["judged"] = judged; judged > 0 {
			object["late"], object["long"], object["early"] = count["late"], count["long"], count["early"]
			object["uneven_rate"], object["late_rate"] = 1-count["even"]/judged, count["late"]/judged
			object["longest_ms"] = float64(slowest) / 1e6
		}
		for name, d := range map[string][]trace.Duration{"queue": queue, "request": request, "gpu": gpu} {
			slices.Sort(d)
			object[name+"_p50_ms"], object[name+"_p95_ms"] = nil, nil
			if n := len(d); n > 0 {
				object[name+"_p50_ms"] = float64(d[(50*n+99)/100-1]) / 1e6
				if n >= 20 {
					object[name+"_p95_ms"] = float64(d[(95*n+99)/100-1]) / 1e6
				}
			}
		}
		list = append(list, object)
	}
	return list
}

// describeProduced and describeProducedTruth put frames of frameworks in the same words.
func describeProduced(f *analyzer.Frame) string {
	text := fmt.Sprintf(producedWords, f.Framework, f.Process.PID, f.TID, f.Actual.Start)
	if f.Facts.Has(analyzer.Truncated | analyzer.Unfinished) {
		if j := f.Judgement(); j.AtLeast && j.Overrun <= f.Period { // the rest is unknown, but for that
			return text + "late too soon"
		}
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
	return text + fmt.Sprintf(workWords, f.Actual.End, f.VsyncID, f.Vsync, f.Coalesced, f.Draw.Start, f.Draw.End, f.Deadline,
		f.Facts.Has(analyzer.MainLate), f.Facts.Has(analyzer.GPULate), f.Facts.Has(analyzer.Empty), sent, render)
}

const (
	producedWords = "%s frame of %d/%d at %d "
	workWords     = "until %d id %d vsync %d coalesced %d draw %d-%d deadline %d late %t/%t empty %t sent %d render %d"
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
	return text + fmt.Sprintf(workWords, f.End, f.ID, f.Vsync, f.Coalesced, f.Draw[0], f.Draw[1], f.Deadline, f.LateMain, f.LateGPU, f.Empty, sent, render)
}
