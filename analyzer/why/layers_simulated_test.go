package why_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
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

// What delays a buffer or a frame by far more than anything else is found.
func TestSimulatedTroubles(t *testing.T) {
	const ms = millisecond
	layered := simulate.Layered()
	layer := func(name string, troubles ...simulate.Trouble) simulate.Config {
		c := layered
		i := slices.IndexFunc(layered.Layers, func(l simulate.Layer) bool { return l.Name == name })
		c.Layers = []simulate.Layer{layered.Layers[i]}
		c.Layers[0].Troubles = troubles
		return c
	}
	video := func(kind simulate.TroubleKind, length int) simulate.Config {
		c := simulate.Playback(60, 30)
		c.Kernel = simulate.KernelLinux
		c.Layers[0].Troubles = []simulate.Trouble{{Buffer: 20, Kind: kind, Length: millisecond * trace.Duration(length)}}
		return c
	}
	for name, test := range map[string]struct {
		config simulate.Config
		reason why.Outcome // of a late buffer; NotLate for a late frame
		waits  []why.Wait
		stage  why.Stage
	}{
		"a decoder works longer": {video(simulate.TroubleWork, 40), why.QueuedLate, []why.Wait{why.Run}, why.StageProduce},
		"a decoder pauses":       {video(simulate.TroublePause, 60), why.QueuedLate, []why.Wait{why.WaitTimer, why.WaitInterrupt, why.WaitSleep, why.WaitOwnThread, why.WaitOtherProcess}, why.StageProduce},
		"its GPU works longer":   {video(simulate.TroubleGPU, 40), why.DrawnLate, []why.Wait{why.WaitGPU}, why.StageDraw},
		"a game works longer":    {layer("gameSurface", simulate.Trouble{Buffer: 30, Kind: simulate.TroubleWork, Length: 40 * ms}), 0, []why.Wait{why.Run}, why.StageFrame},
		"a game's GPU":           {layer("gameSurface", simulate.Trouble{Buffer: 30, Kind: simulate.TroubleGPU, Length: 40 * ms}), 0, []why.Wait{why.WaitGPU}, why.StageDraw},
		"Flutter builds longer":  {layer("oh_flutter_1Surface", simulate.Trouble{Buffer: 30, Kind: simulate.TroubleWork, Length: 60 * ms}), 0, []why.Wait{why.Run}, why.StageFrame},
		"Flutter draws longer":   {layer("oh_flutter_1Surface", simulate.Trouble{Buffer: 30, Kind: simulate.TroubleDraw, Length: 60 * ms}), 0, []why.Wait{why.Run}, why.StageDraw},
		"Android is busy":        {layer("ShellAssistantAnco_200097Surface", simulate.Trouble{Buffer: 30, Kind: simulate.TroubleBusy, Length: 90 * ms}), 0, []why.Wait{why.EarlierWork}, why.StageStart},
	} {
		t.Run(name, func(t *testing.T) {
			timeline, causes, _ := simulated(t, test.config)
			var worst *why.Share
			var lost trace.Duration
			for f := range timeline.Complete() {
				if e := causes.Of(f); test.reason == 0 && e != nil && f.Framework != analyzer.Platform && e.Lost > lost {
					worst, lost = &e.Shares[0], e.Lost
					if e.Root != nil {
						worst = &causes.Of(e.Root).Shares[0]
					}
				}
			}
			for b, l := range causes.Buffers {
				if test.reason != 0 && b.Overrun() > lost {
					lost = b.Overrun()
					if worst = nil; l.Outcome != test.reason {
						t.Errorf("reason %s, want %s", l.Outcome, test.reason)
					}
					if len(l.Shares) > 0 {
						worst = &l.Shares[0]
					}
				}
			}
			if worst == nil || !slices.Contains(test.waits, worst.Wait) || worst.Stage != test.stage {
				t.Errorf("%s late: %+v, want %v in %s", lost, worst, test.waits, test.stage)
			}
		})
	}
}

// A video that is paused has no late buffer, but one whose decoder works for that long has. Without
// scheduling, what it did is unknown: then a second or more is a pause.
func TestSimulatedPauses(t *testing.T) {
	for _, test := range []struct {
		kind   simulate.TroubleKind
		kernel simulate.Kernel
		length trace.Duration
		late   string
	}{
		{simulate.TroublePause, simulate.KernelLinux, 700, ""},
		{simulate.TroublePause, simulate.KernelHongMeng, 300, ""},
		{simulate.TroublePause, simulate.KernelLinux, 100, "queued late: the producer waited 131"},
		{simulate.TroublePause, simulate.KernelNone, 700, "queued late: 733.3 ms after the buffer before, and whether it paused is unknown; usual 33.3"},
		{simulate.TroubleWork, simulate.KernelLinux, 700, "queued late: the producer ran 70"},
		{simulate.TroublePause, simulate.KernelLinux, 1200, ""},
		{simulate.TroublePause, simulate.KernelNone, 1200, ""},
		{simulate.TroubleWork, simulate.KernelNone, 1126, ""},
		{simulate.TroubleWork, simulate.KernelLinux, 1126, "queued late: the producer ran 112"},
		{simulate.TroubleWork, simulate.KernelHongMeng, 1800, "queued late: the producer ran 180"},
	} {
		c := simulate.Playback(60, 30)
		c.Kernel, c.Duration = test.kernel, 4*trace.Second
		c.Layers[0].Troubles = []simulate.Trouble{{Buffer: 20, Kind: test.kind, Length: test.length * trace.Millisecond}}
		timeline, causes, _ := simulated(t, c)
		var late []string
		for _, b := range timeline.Layers[0].Buffers {
			if b.Pace == analyzer.Late {
				late = append(late, causetext.Buffer(causes, causes.LateBuffer(b)))
			}
		}
		if test.late == "" && len(late) > 0 || test.late != "" && (len(late) != 1 || !strings.HasPrefix(late[0], test.late)) {
			t.Errorf("%s of %d ms on %q: %q, want %q", test.kind, test.length, test.kernel, late, test.late)
		}
	}
}

// If render_service shows buffers late because of an earlier frame, the cause is that frame's, with or
// without scheduling events.
func TestBuffersOfFramesShownLate(t *testing.T) {
	for _, kernel := range []simulate.Kernel{simulate.KernelNone, simulate.KernelLinux} {
		for cause, slice := range map[simulate.Cause]string{simulate.CauseDrawWork: "ApplyKawaseBlur", "commit_binder": "Repaint"} {
			c := simulate.Playback(60, 24)
			c.Kernel, c.Apps[0].OnDemand = kernel, false
			for _, k := range []int64{30, 61, 85} {
				c.Injections = append(c.Injections, simulate.Injection{Cause: cause, Vsync: k, Length: 33 * millisecond})
			}
			timeline, causes, _ := simulated(t, c)
			late := 0
			for _, l := range timeline.Layers {
				for _, b := range l.Buffers {
					if x := causes.LateBuffer(b); x != nil && x.Outcome == why.ShownLate {
						if late++; x.Shares[0].Slice != slice {
							t.Errorf("%s, %s: %s, want %s", kernel, cause, causetext.Buffer(causes, x), slice)
						}
					}
				}
			}
			if late == 0 {
				t.Errorf("%s, %s: no buffer was shown late", kernel, cause)
			}
		}
	}
}

// The GPU of the video delays a frame of render_service, which shows other layers late, too: all
// name the layer of the video.
func TestWaitedForGPU(t *testing.T) {
	timeline, causes, _ := simulated(t, simulate.Layered())
	layers := map[why.Outcome][]string{}
	for _, l := range timeline.Layers {
		for _, b := range l.Buffers {
			late := causes.LateBuffer(b)
			if late == nil || late.Outcome != why.ShownLate && late.Outcome != why.DrawnLate {
				continue
			}
			e := causes.Of(b.Render)
			if e == nil || e.Shown == nil || e.Shown.Waited == nil || e.Shown.Waited.Layer.Name != "video node Surface" || (e.Shown.Waited == b) != (late.Outcome == why.DrawnLate) {
				t.Errorf("%s of %s: %+v", late.Outcome, l.Name, e)
				continue
			}
			layers[late.Outcome] = append(layers[late.Outcome], l.Name)
			if want := "for the GPU of layer video node Surface (m.example.video)"; late.Outcome == why.ShownLate && !strings.Contains(causetext.Buffer(causes, late), want) {
				t.Errorf("%s: %s", l.Name, causetext.Buffer(causes, late))
			}
		}
	}
	if len(layers[why.ShownLate]) < 3 || len(layers[why.DrawnLate]) != 1 {
		t.Errorf("%v", layers)
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
