package why

import (
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// classify returns what a blocked thread waited for: the first rule of docs/why.md
// that applies. class is that of the innermost slice that has one.
func (r *Recorder) classify(pid trace.PID, w *wait, class place.Class) place.Wait {
	own := w.waker != 0 && !w.interrupt && pid != trace.UnknownPID && r.wakerPID(w) == pid
	switch {
	case class == place.ClassGC || class == place.ClassGCWait:
		return place.WaitGC
	case w.calling:
		return place.WaitBinder
	case w.by == place.WaitFence, class == place.ClassFence:
		return place.WaitFence
	case class == place.ClassBuffer:
		return place.WaitBuffer
	case w.iowait, w.by == place.WaitIO:
		return place.WaitIO
	case w.by == place.WaitMem:
		return place.WaitMem
	case class == place.ClassRenderWait, own && w.render:
		return place.WaitRender
	}
	switch {
	case own:
		return place.WaitOwnThread
	case w.interrupt && w.letter == 'S' && (w.function == 0 || w.by == place.WaitTimer):
		return place.WaitTimer
	case w.letter == 'D' || w.interrupt && w.function != 0:
		return place.WaitKernel
	case w.interrupt || w.waker == 0:
		return place.WaitSleep
	}
	return place.WaitOtherProcess
}

// wakerPID returns the process of the waker. A thread without markers may have its
// process named only later in the trace.
func (r *Recorder) wakerPID(w *wait) trace.PID {
	if w.process == trace.UnknownPID {
		if n, ok := r.owners[w.waker]; ok {
			return n.pid
		}
	}
	return w.process
}
