package account

import (
	"iter"

	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// sampler goes through the samples of a thread while its logs are replayed.
type sampler struct {
	*functions.Thread
	next int // of those of the running thread, the first that may be at the time of the replay or later
	// taken are the samples in the current piece of time.
	taken []int32
	// waits is the sample of the current wait, if known is set.
	waits int32
	known bool
}

// wait finds the sample of the switch that began a wait.
func (s *sampler) wait(at trace.Time) { s.waits, s.known = s.At(at) }

// until finds the samples in a piece of time. They are asked for in order of time.
func (s *sampler) until(from, to trace.Time) {
	for s.next < len(s.Running) && s.Time(s.Running[s.next]) < from {
		s.next++
	}
	first := s.next
	for s.next < len(s.Running) && s.Time(s.Running[s.next]) < to {
		s.next++
	}
	s.taken = s.Running[first:s.next]
}

// sample adds a piece of time, from f.at on, to the times of an account by function.
func (f *replay) sample(a *Account, into *details, id ID, d trace.Duration) {
	if !f.sampler.Covers(a.Start, a.Done()) {
		return
	}
	runs := (f.state == threads.Running || f.state == threads.Unknown) && id.Runs()
	if waits := f.state == threads.Blocked && id.Wait >= why.WaitGC && len(f.sampler.Switches) > 0; !runs && !waits {
		return
	}
	if into.times == nil {
		if n := len(f.book.spareTimes); n > 0 {
			into.times, f.book.spareTimes = f.book.spareTimes[n-1], f.book.spareTimes[:n-1]
			into.times.Reset()
		} else {
			into.times = &functions.Times{}
		}
	}
	if runs {
		into.times.Ran(id.Component, d, f.sampler.Table, f.sampler.taken, into.late)
		return
	}
	into.times.Waited(id.Component, d, f.wait, f.sampler.Table, f.sampler.waits, f.sampler.known, into.late)
}

// Functions returns the times of a frame by function, and whether it was sampled.
func (b *Book) Functions(a *Account) (times iter.Seq[functions.KeyTime], sampled bool) {
	if b.functions == nil {
		return nil, false
	}
	var lists []iter.Seq[functions.KeyTime]
	for ; a != nil; a = a.draw {
		if t := a.times(); t != nil {
			lists = append(lists, t.All())
		}
	}
	return concat(lists...), len(lists) > 0
}

// times returns the times of an account by function; nil if it was not sampled.
func (a *Account) times() *functions.Times {
	if a.details != nil {
		return a.details.times
	}
	if len(a.packed) == 0 {
		return nil
	}
	rest := threads.Unpack(a.packed)
	list, _ := functionBytes(&rest)
	if list == nil {
		return nil
	}
	t := &functions.Times{}
	t.Unpack(list)
	return t
}

// Taken returns the samples of a late frame.
func (a *Account) Taken() iter.Seq[functions.Taken] {
	return func(yield func(functions.Taken) bool) {
		for ; a != nil; a = a.draw {
			if a.details == nil || a.details.times == nil {
				continue
			}
			for _, t := range a.details.times.Taken() {
				if !yield(t) {
					return
				}
			}
		}
	}
}

// Table returns the samples of all threads; nil without samples.
func (b *Book) Table() *functions.Table { return b.functions }
