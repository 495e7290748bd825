package account

import (
	"ohframe/analyzer/internal/why/record"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// reasons sums why a thread that was waited for did not run: its kernel functions, the interrupts that ended
// that, and the threads that had its processor or that it waited for.
type reasons struct {
	functions, interrupts few[record.Key, trace.Duration]
	threads               few[trace.TID, trace.Duration]
}

// add adds d of the time of a leaf.
func (r *reasons) add(l *record.Leaf, d trace.Duration) {
	if l.Function != 0 {
		*r.functions.of(l.Function) += d
	}
	if l.Interrupt != 0 {
		*r.interrupts.of(l.Interrupt) += d
	}
	if l.For != 0 {
		*r.threads.of(l.For) += min(l.ForTime, d)
	}
}

// explain sets why a culprit did not run, at a time.
func (b *Book) explain(c *why.Culprit, r *reasons, at trace.Time) {
	c.Function, c.Interrupt = b.record.Name(largest(&r.functions)), b.record.Name(largest(&r.interrupts))
	c.For = nil
	if tid := largest(&r.threads); tid != 0 {
		t := b.Thread(b.record.PID(tid), tid, at)
		c.For = &why.OtherThread{PID: t.PID, TID: tid, Process: t.Process, Thread: t.Thread, Time: *r.threads.of(tid)}
	}
}
