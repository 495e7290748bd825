package threads

import (
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
)

// WaitFacts is what ended a blocked state, and why the thread was blocked. Preempted and woken
// states have one as well, with Letter and what others did meanwhile.
type WaitFacts struct {
	Letter    byte // the kernel's letter: S, D, I
	iowait    bool // the kernel counts it as waiting for storage
	interrupt bool // an interrupt woke the thread
	render    bool // the waker is render_service's render thread
	Calling   bool // it waits for the reply to a synchronous call
	// ForInterrupt: of those that had the processor meanwhile, interrupts had it the longest.
	ForInterrupt bool
	device       why.Wait  // what Interrupt says that the thread waited for; WaitUnknown if it does not
	by           why.Wait  // what Function waits for; WaitUnknown if that is unknown
	Waker        trace.TID // the thread that woke it; 0 if unknown
	WakerPID     trace.PID // its process; unknown if no line had stated it by then
	Function     NameKey   // the kernel function in which it blocked; 0 if unknown
	Interrupt    NameKey   // the interrupt that woke the thread; 0 if none did, or if it has no name
	leaves       uint32    // the place of what others did meanwhile; 0 if unknown
}

// Classify returns what a blocked thread of a process waited for: the first rule of
// docs/why.md that applies. waker is the process of the waker, and class that of the
// innermost slice that has one.
func (w *WaitFacts) Classify(pid, waker trace.PID, class place.Class) why.Wait {
	own := w.Waker != 0 && !w.interrupt && pid != trace.UnknownPID && waker == pid
	switch {
	case class == place.ClassGC || class == place.ClassGCWait:
		return why.WaitGC
	case w.Calling:
		return why.WaitBinder
	case w.by == why.WaitFence, class == place.ClassFence:
		return why.WaitFence
	case class == place.ClassBuffer:
		return why.WaitBuffer
	case w.iowait, w.by == why.WaitIO:
		return why.WaitIO
	case w.by.Explains():
		return w.by
	case class == place.ClassRenderWait, own && w.render:
		return why.WaitRender
	case w.by == why.WaitUnknown && w.device.Explains(): // what the function says is better evidence
		return w.device
	}
	switch {
	case own:
		return why.WaitOwnThread
	case w.interrupt && w.Letter == 'S' && (w.by == why.WaitTimer || w.device == why.WaitTimer):
		return why.WaitTimer
	case w.Letter == 'D' || w.interrupt && w.Function != 0:
		return why.WaitKernel
	case w.interrupt:
		return why.WaitInterrupt
	case w.Waker == 0:
		return why.WaitSleep
	}
	return why.WaitOtherProcess
}

// waitStore has waits by number, from 1.
type waitStore struct {
	chunks [][]WaitFacts
	count  uint32
}

const waitChunk = 1 << 8

func (s *waitStore) add(w WaitFacts) uint32 {
	if s.count%waitChunk == 0 {
		s.chunks = append(s.chunks, make([]WaitFacts, 0, waitChunk))
	}
	last := &s.chunks[len(s.chunks)-1]
	*last = append(*last, w)
	s.count++
	return s.count
}

func (s *waitStore) at(number uint32) *WaitFacts {
	return &s.chunks[(number-1)/waitChunk][(number-1)%waitChunk]
}
