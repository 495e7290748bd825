package threads

import (
	"cmp"
	"iter"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/place"
	"ohframe/internal/source/hitrace"
)

// Record is what a Recorder has recorded of an input.
type Record struct {
	// Scheduled, Woken and BlockedReasons report what the input has: sched_switch, wakeups, and
	// sched_blocked_reason.
	Scheduled, Woken, BlockedReasons bool
	// Limited reports whether the limit on stored states was reached: what follows is unknown.
	Limited bool
	// TooDeep counts the slices that were nested beyond the limit and are not recorded.
	TooDeep int
	// Unlabeled counts the slices whose labels are beyond the limit on strings and are not recorded.
	Unlabeled int
	// Clocks are the changes of frequency of each processor, at most maxClockChanges. They
	// are of the last trace of the input.
	Clocks [][]ClockChange
	// Limits are the changes of the highest frequency that each processor may have, in the order of
	// the input, at most maxLimitChanges. KHz is 0 from where they are unknown.
	Limits [][]ClockChange
	// Cooling is what the kernel did against heat, in the order of the input, at most maxLimitChanges.
	Cooling []Cooling
	Passages

	keys    keys
	labels  []string // as arguments.labels
	threads *hitrace.Threads[thread]
	logs    map[trace.TID][]*Log
	waits   waitStore
	leaves  leafStore
	lost    lostEvents
}

// ClockChange is a change of the frequency of a processor.
type ClockChange struct {
	At  trace.Time
	KHz uint32
}

// Cooling is an event of the kernel with which it limits processors because of heat: its name and
// its arguments.
type Cooling struct {
	At   trace.Time
	Text string
}

const (
	// maxClockChanges is the number of changes of a processor that are recorded.
	maxClockChanges = 256
	// maxLimitChanges is that of its limits. Where heat limits a processor, they change some 100
	// times a second.
	maxLimitChanges = 1 << 14
	// maxCoolingArgs is above the length of arguments of cooling events, in bytes.
	maxCoolingArgs = 200
)

// Finish returns what was recorded. The recorder must not be used afterwards.
func (r *Recorder) Finish() *Record {
	r.end()
	r.vocabulary.release()
	r.vocabulary = nil
	record := &Record{
		Scheduled: r.scheduled, Woken: r.woke, BlockedReasons: r.blockedReasons, Limited: r.limited(), TooDeep: r.tooDeep, Passages: r.passages,
		Cooling: r.cooling, labels: r.arguments.labels, Unlabeled: r.arguments.left,
		keys: r.keys, threads: &r.threads, logs: map[trace.TID][]*Log{}, waits: r.waits, leaves: r.kept, lost: newLostEvents(r.lost),
	}
	record.Passages.sort()
	for _, c := range r.cpus {
		record.Clocks, record.Limits = append(record.Clocks, c.clocks), append(record.Limits, c.limits)
	}
	for _, l := range r.logs {
		if len(l.chunks) > 0 {
			record.logs[l.tid] = append(record.logs[l.tid], l)
		}
	}
	for _, list := range record.logs {
		slices.SortStableFunc(list, func(a, b *Log) int { return cmp.Compare(a.start, b.start) })
	}
	return record
}

// Logs returns the logs of a thread that makes frames, in order of time: one for each trace
// of the input.
func (r *Record) Logs(tid trace.TID) []*Log { return r.logs[tid] }

// Outermost returns, for each of the times, which are in order, the slice of a thread around
// it that is in no other slice; unknown where there is none, or where its end is unknown.
func (r *Record) Outermost(tid trace.TID, times []trace.Time) []analyzer.Interval {
	found := make([]analyzer.Interval, len(times))
	for _, l := range r.Logs(tid) {
		next, depth, start := 0, 0, trace.Time(0)
		for e := range l.Entries() {
			switch e.Kind {
			case BeginEntry:
				if depth == 0 {
					start = e.At
				}
				depth++
			case EndEntry:
				if depth > 0 {
					depth--
				}
				if depth > 0 {
					continue
				}
				for ; next < len(times) && times[next] <= e.At; next++ {
					if times[next] >= start && start.Known() {
						found[next] = analyzer.Interval{Start: start, End: e.At}
					}
				}
				start = 0
			}
			if next == len(times) {
				break
			}
		}
	}
	return found
}

// Around returns, for each of the times, the key of the innermost slice that a thread was in and had begun at
// least `since` before; 0 if there is no such slice. The times must be in order.
func (r *Record) Around(tid trace.TID, times []trace.Time, since trace.Duration) []NameKey {
	found := make([]NameKey, len(times))
	type begin struct {
		key NameKey
		at  trace.Time
	}
	for _, l := range r.Logs(tid) {
		next, open := 0, []begin{}
		until := func(at trace.Time) {
			for ; next < len(times) && times[next] < at; next++ {
				for _, b := range open {
					if b.at.Add(since) <= times[next] {
						found[next] = b.key
					}
				}
			}
		}
		for e := range l.Entries() {
			switch e.Kind {
			case BeginEntry:
				until(e.At)
				open = append(open, begin{NameKey(e.Value), e.At})
			case EndEntry:
				until(e.At)
				open = open[:max(0, len(open)-1)]
			}
			if next == len(times) {
				break
			}
		}
	}
	return found
}

// LoggedFrom returns from when on what a thread does is known, from start to end; false if it
// is not.
func (r *Record) LoggedFrom(tid trace.TID, start, end trace.Time) (trace.Time, bool) {
	for _, l := range r.Logs(tid) {
		if l.start < end && l.end > start {
			return max(l.start, start), true
		}
	}
	return 0, false
}

// PID returns the process of a thread, as far as its markers say.
func (r *Record) PID(tid trace.TID) trace.PID {
	if t := r.threads.Get(tid); t != nil {
		return t.pid
	}
	return trace.UnknownPID
}

// Wait returns the wait with the number that an Entry has.
func (r *Record) Wait(number uint32) *WaitFacts { return r.waits.at(number) }

// Leaves returns what others did during a wait, in order of time. For waits for a processor,
// the order and the times are not those of the trace.
func (r *Record) Leaves(w *WaitFacts) iter.Seq[Leaf] { return r.leaves.leavesAt(w.leaves) }

// Name returns a name; empty for 0.
func (r *Record) Name(k NameKey) string { return r.keys.names[k] }

// Place returns what the slice with this name means.
func (r *Record) Place(k NameKey) place.Place { return r.keys.places[k] }

// ThreadName returns the last name that the kernel gave to a thread; empty if it is unknown.
func (r *Record) ThreadName(tid trace.TID) string {
	if t := r.threads.Get(tid); t != nil {
		return t.comm
	}
	return ""
}
