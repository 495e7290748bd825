package threads

import (
	"bytes"

	"ohframe/analyzer/why"
	"ohframe/internal/place"
	"ohframe/internal/source/hitrace"
)

// maxHandlers bounds the handlers of a processor whose names are known: a softirq that an interrupt, and
// one that cannot be masked, stop.
const maxHandlers = 4

// handler is an interrupt handler that is open. Only few of them wake a thread, so the name is looked up
// then.
type handler struct {
	text  []byte  // its name, in the text of the block unless that has ended
	known bool    // name and device are
	name  NameKey // 0 if it has none
	// device is what threads that it wakes waited for.
	device why.Wait
}

// leaveBlock keeps the names of open handlers: that of the block goes away.
func (r *Recorder) leaveBlock() {
	for _, c := range r.cpus {
		for i := range c.handlers {
			if h := &c.handlers[i]; i < c.interrupts {
				h.text = bytes.Clone(h.text)
			} else {
				h.text = nil
			}
		}
	}
}

// interrupting returns the name of the interrupt that wakes a thread with an event, and what that waited
// for: the innermost handler that is open on the processor, or else the thread that handles it.
func (r *Recorder) interrupting(e *hitrace.Event, waker *thread) (NameKey, why.Wait) {
	c := r.cpu(e.CPU)
	switch {
	case c.interrupts > maxHandlers:
	case c.interrupts > 0:
		h := &c.handlers[c.interrupts-1]
		if !h.known {
			h.known = true
			h.name, h.device = r.interruptNamed(h.text)
		}
		return h.name, h.device
	case !e.InInterrupt && waker != nil && waker.kind == interruptThread:
		return r.interruptNamed(place.InterruptOf(e.Comm))
	}
	return 0, why.WaitUnknown
}

func (r *Recorder) interruptNamed(name []byte) (NameKey, why.Wait) {
	if len(name) == 0 {
		return 0, why.WaitUnknown
	}
	key := r.keys.intern(name)
	if key == otherKey {
		key = 0
	}
	return key, place.EndedBy(name)
}
