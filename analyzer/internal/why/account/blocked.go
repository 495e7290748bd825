package account

import (
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// blockReason is why a thread that was waited for did not run: its kernel function, the interrupt that ended
// that, or the thread that had its processor or that it waited for.
type blockReason struct {
	KeyWait
	kind blockReasonKind
	id   int32
}

type blockReasonKind uint8

const (
	inFunction blockReasonKind = iota
	untilInterrupt
	forThread
)

// addBlockReasons adds d of the time of a leaf.
func (s *suspect) addBlockReasons(l *threads.Leaf, d trace.Duration) {
	state := KeyWait{l.Wait, l.Key}
	if l.Function != 0 {
		*s.reasons.of(blockReason{state, inFunction, int32(l.Function)}) += d
	}
	if l.Interrupt != 0 {
		*s.reasons.of(blockReason{state, untilInterrupt, int32(l.Interrupt)}) += d
	}
	if l.For != 0 {
		*s.reasons.of(blockReason{state, forThread, int32(l.For)}) += min(l.ForTime, d)
	}
}

// most returns the reason of a kind with the most time, the smallest one of several; zero without one.
func (s *suspect) most(state KeyWait, kind blockReasonKind) (id int32, time trace.Duration) {
	for i := range s.reasons.list {
		if r := &s.reasons.list[i]; r.key.KeyWait == state && r.key.kind == kind && (id == 0 || r.value > time || r.value == time && r.key.id < id) {
			id, time = r.key.id, r.value
		}
	}
	return id, time
}

// explain sets why a culprit did not run, at a time.
func (b *Book) explain(c *why.Culprit, s *suspect, state KeyWait) {
	function, _ := s.most(state, inFunction)
	interrupt, _ := s.most(state, untilInterrupt)
	c.Function, c.Interrupt, c.For = b.record.Name(threads.NameKey(function)), b.record.Name(threads.NameKey(interrupt)), nil
	if tid, time := s.most(state, forThread); tid != 0 {
		t := b.Thread(b.record.PID(trace.TID(tid)), trace.TID(tid), s.seen)
		c.For = &why.OtherThread{PID: t.PID, TID: trace.TID(tid), Process: t.Process, Thread: t.Thread, Time: time}
	}
}
