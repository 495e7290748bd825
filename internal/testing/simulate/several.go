package simulate

import (
	"io"
	"slices"
	"strings"

	"ohframe/analyzer/trace"
)

// The causes that can be in a frame together: at most one of those before its work and one of those
// during all of it, and any number of those within it.
var (
	beforeFrames = []Cause{CauseVsyncLate, "no_cpu", "previous_frame", "on_idle", "between_frames"}
	slowFrames   = []Cause{"slow_clock", CauseCapped, CauseLittleCore}
	withinFrames = []Cause{
		"more_work", CauseGC, CauseStorageD, "storage_s", "fence", "timer", "binder", "binder_chain", "lock", "other_process", "gc_elsewhere",
		"irq_storm", "buffer", "preempted", "storage_interrupt", "gpu_interrupt", "network_interrupt", "timer_interrupt",
	}
	// severalTimes can be in a frame several times, in other slices and with other threads.
	severalTimes = []Cause{"more_work", CauseStorageD, "timer", "binder", "lock", "other_process", "preempted"}
	// interrupted are waits that an interrupt ends. The trace may not say which, so each is in a slice.
	interrupted = []Cause{"fence", "timer", "storage_interrupt", "gpu_interrupt", "network_interrupt", "timer_interrupt"}
	// others are done by threads on processors that share the clock with the UI thread's.
	others = []Cause{"binder", "binder_chain", "lock", "other_process", "gc_elsewhere", "preempted"}
	// steps are slices that they are in.
	steps = []string{"Measure[Card]", "CustomNode:BuildItem[Row]", "Feed::Bind", "Measure[Banner]", "Story::Parse", "Cart::Total"}
)

// Several is a scene whose late frames have the same number of causes each.
type Several struct {
	Scene
	Late, Causes int
}

// NewSeveral draws a scene with late frames that have so many causes each, of random kinds and sizes.
func NewSeveral(seed uint64, late, causes int) *Several {
	r := newRandom(seed, 46)
	below := func(n int) int { return int(r.below(int64(n))) }
	hz := []int{60, 72, 90, 120}[below(4)]
	s := &Several{Scene{
		Cause: CauseNone, Kernel: []Kernel{KernelHongMeng, KernelLinux}[below(2)], RefreshHz: hz, Seed: seed, Decoys: r.chance(0.25),
		NoBlockedReason: r.chance(0.1),
	}, late, causes}
	first := int64(12)
	if r.chance(0.1) { // nearly no frame is on time
		first, s.Late, s.Frames = 1, 1, 3
	}
	period, usual := trace.Second/trace.Duration(hz), ""
	for frame := range s.Late {
		same := causes > 1 && r.chance(0.3)
		kinds := s.kinds(below, same)
		// A frame without them takes less than half the period.
		total, sum := r.between(share(period, 75), share(period, 185)), trace.Duration(0)
		var lengths []trace.Duration
		for range kinds {
			lengths = append(lengths, r.between(20, 100))
			sum += lengths[len(lengths)-1]
		}
		step := below(len(steps))
		for i, k := range kinds {
			x := Injection{Cause: k, Vsync: first + 8*int64(frame), Length: total * lengths[i] / sum}
			switch {
			case same:
				x.Thread = i
			case slices.Contains(beforeFrames, k):
				x.Length = min(x.Length, share(period, 90)) // the vsync is still the frame's
			}
			if slices.Contains(withinFrames, k) && (same || r.chance(0.5) || slices.Contains(interrupted, k)) {
				x.Slice = steps[(step+i)%len(steps)]
			}
			if k == "more_work" && x.Slice != "" {
				usual = x.Slice
			}
			s.Injections = append(s.Injections, x)
		}
	}
	if usual != "" && r.chance(0.5) {
		s.Injections = append(s.Injections, Injection{Cause: "more_work", Slice: usual, Length: share(period, 10), Often: 60 + below(41)})
	}
	return s
}

// kinds draws the causes of a frame, which are the same or all different.
func (s *Several) kinds(below func(int) int, same bool) (kinds []Cause) {
	for len(kinds) < s.Causes {
		list := withinFrames
		switch n := below(6); {
		case same:
			list = severalTimes
		case len(kinds) == 0 && n < 2:
			list = beforeFrames
		case len(kinds) == 0 && n == 2:
			list = slowFrames
		}
		k := list[below(len(list))]
		switch {
		case same && len(kinds) > 0:
			k = kinds[0]
		case slices.Contains(kinds, k), len(kinds) > 0 && slices.Contains(slowFrames, kinds[0]) && slices.Contains(others, k):
			continue
		}
		kinds = append(kinds, k)
	}
	return kinds
}

// Overruns returns by how much the frames of a scene were late, by vsync.
func (c Scene) Overruns() (map[int64]trace.Duration, error) {
	truth, err := c.Generate(io.Discard)
	if err != nil {
		return nil, err
	}
	overruns := map[int64]trace.Duration{}
	for _, f := range truth.Frames {
		overruns[f.Vsync] = max(f.End.Sub(f.Deadline), 0)
	}
	return overruns, nil
}

// Agrees reports whether a cause that was found is the injected one: a wait by its code, in a slice, for a
// thread. Other threads and interrupts can have the processor in several slices.
func (c *CauseTruth) Agrees(wait, slice, thread string) bool {
	want := c.Wait
	switch {
	case strings.HasPrefix(c.Slice, "PartialGC::"):
		want = "gc"
	case want == "run.work":
		want = "run"
	case want == "fence" && wait == "kernel", wait == "interrupt" && (want == "timer" || strings.HasSuffix(string(c.Cause), "_interrupt")):
		want = wait // the trace does not say more
	}
	if wait != want || c.Slice != "" && c.Slice != slice && (slice != "" || wait != "cpu.preempted" && wait != "irq") {
		return false
	}
	switch wait {
	case "io", "fence", "buffer": // the thread that ends it only says so
		return true
	}
	return c.Culprit == "" || strings.HasSuffix(c.Culprit, ":"+thread)
}

// Place is which of the causes of its frame an injection is.
func (s *Several) Place(injection int) int { return injection % s.Causes }

// Without returns the same scene, with no time for the causes at these places in their frames.
func (s *Several) Without(places ...int) Scene {
	c := s.Scene
	c.Injections = slices.Clone(s.Injections)
	for i := range s.Late * s.Causes {
		if slices.Contains(places, s.Place(i)) {
			c.Injections[i].Length = 0
		}
	}
	return c
}
