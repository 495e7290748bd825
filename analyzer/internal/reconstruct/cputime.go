package reconstruct

import (
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// running follows for how long the threads with markers run. Only differences between two
// times of a thread are used, so it need not know what ran before the first marker.
type running struct {
	on []*thread // by CPU; nil if the thread is unknown, or has no markers
	// unknown is the last time at which it became unknown what runs on a CPU.
	unknown trace.Time
}

// cpu returns the thread of a CPU, nil for a CPU that no device has.
func (r *running) cpu(n trace.CPU) **thread {
	if uint64(n) >= maxCPUs {
		return nil
	}
	for int(n) >= len(r.on) {
		r.on = append(r.on, nil)
	}
	return &r.on[n]
}

// lose notes that events of a CPU are missing before the given time.
func (r *running) lose(n trace.CPU, at trace.Time) {
	if on := r.cpu(n); on != nil {
		*on = nil
	}
	r.unknown = max(r.unknown, at)
}

// switched adds a switch of a CPU that a device may have.
func (b *builder) switched(cpu trace.CPU, prev, next trace.TID, at trace.Time) {
	on := b.running.cpu(cpu)
	if t := *on; t != nil && t.tid == prev {
		t.ran += max(0, at.Sub(t.since))
	}
	if *on = b.threads.Get(next); *on != nil {
		(*on).since = at
	}
}

// ran returns for how long the thread of a marker has run: it runs now, for it wrote the marker.
func (b *builder) ran(t *thread, e *hitrace.Event) trace.Duration {
	on := b.running.cpu(e.CPU)
	if on == nil {
		b.running.lose(e.CPU, e.Time)
		return t.ran
	}
	if *on == t {
		t.ran += max(0, e.Time.Sub(t.since))
	}
	*on, t.since = t, e.Time
	return t.ran
}

// ranUntil is ran within a frame. It changes nothing, so that the frame's own time is the same with it and without.
func (b *builder) ranUntil(t *thread, e *hitrace.Event) trace.Duration {
	if on := b.running.cpu(e.CPU); on != nil && *on == t {
		return t.ran + max(0, e.Time.Sub(t.since))
	}
	return t.ran
}

// cpuTime returns for how long the thread of a draft has run since the draft began; zero if
// that is unknown.
func (b *builder) cpuTime(d *draft, t *thread, e *hitrace.Event) trace.Duration {
	ran := b.ran(t, e) - d.ran
	if b.running.unknown.Known() && b.running.unknown >= d.frame.Actual.Start {
		return 0
	}
	return ran
}
