package reconstruct

import (
	"bytes"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// names collects the process and the names of each thread. Each worker has its own, so
// that lines can be processed in parallel. input.merge merges them in order.
type names struct {
	entries []nameEntry
	slots   []int32 // index of a thread's last entry plus one, by hash of the thread id
	// recent are the entries of the threads of the last lines of CPUs, by the lowest bits of the CPU:
	// indexes plus one, 0 without one.
	recent [64]int32
	split  bool // a thread is another process's than before, or has another name
	events []hitrace.Event
}

// nameEntry is the last that was stated of a thread. The slices are parts of the text. A thread
// has another entry where its process or, of a main thread, its own name changes, and
// where another thread gets its id.
type nameEntry struct {
	tid           trace.TID
	pid           trace.PID
	comm          []byte // from the thread's own lines
	switched      []byte // from those of the scheduler
	first, latest int32  // numbers of its own lines in the block, if it has lines
	lines         int32
	number        int32 // of the line that mentions it first
	starts        bool  // the id is that of another thread than before
	threadScan
}

// threadScan is what a scanner knows of the markers of a thread.
type threadScan struct {
	last   int32 // its last marker: index plus one, 0 without one
	inCall int32 // open slices from one on that may not name its queue
	// inFrame are the open slices from a ReceiveVsync of the block on.
	inFrame int32
	// slices are the begins of the open slices after the last marker that is a step.
	slices [6]int32
	open   int32
}

// stamp is a line of the trace.
type stamp struct {
	line int
	at   trace.Time
}

func stampOf(e *hitrace.Event) stamp { return stamp{e.Number, e.Time} }

// newOwner is the first line about a thread whose id another thread had before.
type newOwner struct {
	tid  trace.TID
	line int
}

// unknownComm is what the kernel prints if it no longer has a thread's name.
const unknownComm = "<...>"

func isName(comm []byte) bool {
	return len(comm) > 0 && (comm[0] != unknownComm[0] || string(comm) != unknownComm)
}

// addAll adds the events of a block, with the starts of threads whose ids others had before.
func (n *names) addAll(events []hitrace.Event, starts []newOwner) {
	n.reset()
	n.events = events
	slices.SortStableFunc(starts, func(x, y newOwner) int { return x.line - y.line })
	for i := range events {
		e := &events[i]
		for len(starts) > 0 && starts[0].line == e.Number {
			n.another(starts[0].tid, int32(i)).starts = true
			starts = starts[1:]
		}
		n.own(e, int32(i))
		switch e.Kind {
		case hitrace.SwitchEvent:
			if s := e.Switch(); s != nil {
				n.scheduled(s.NextTID, s.NextComm, int32(i))
			}
		case hitrace.WakingEvent, hitrace.WakeupEvent:
			if w := e.Wakeup(); w != nil {
				n.scheduled(w.TID, w.Comm, int32(i))
			}
		}
	}
}

// own adds the thread of a line and returns its entry, which is valid until the next call.
func (n *names) own(e *hitrace.Event, number int32) *nameEntry {
	recent := &n.recent[uint32(e.CPU)%uint32(len(n.recent))]
	if k := *recent; k == 0 || n.entries[k-1].tid != e.TID {
		*recent = n.find(e.TID, number)
	}
	entry := &n.entries[*recent-1]
	if e.Process != trace.UnknownPID && entry.pid != e.Process {
		if n.split = n.split || entry.pid != trace.UnknownPID; entry.pid != trace.UnknownPID || entry.lines > 0 { // maybe of another process than lines before
			entry = n.another(e.TID, number)
		}
		entry.pid = e.Process
	}
	if isName(e.Comm) {
		if entry.isMain() && len(entry.comm) > 0 && !bytes.Equal(entry.comm, e.Comm) {
			n.split = true
			entry = n.another(e.TID, number)
			entry.pid = e.Process
		}
		entry.comm = e.Comm
	}
	if entry.lines == 0 {
		entry.first = number
	}
	entry.latest = number
	entry.lines++
	return entry
}

func (n *nameEntry) isMain() bool { return int32(n.pid) == int32(n.tid) }

// scheduled adds the name of a thread in a scheduler event: of a switch, that of the next one. The
// previous one has been the next one before.
func (n *names) scheduled(tid trace.TID, comm []byte, number int32) {
	if isName(comm) {
		n.entries[n.find(tid, number)-1].switched = comm
	}
}

// reset removes all names and keeps the memory.
func (n *names) reset() {
	n.entries, n.split = n.entries[:0], false
	clear(n.slots)
	clear(n.recent[:])
}

// find returns the index of the last entry of a thread that a line is about, plus one.
func (n *names) find(tid trace.TID, number int32) int32 {
	slot := n.slot(tid)
	if *slot == 0 {
		n.append(slot, tid, number)
	}
	return *slot
}

// another returns a new entry of a thread from a line on, which is valid until the next call.
func (n *names) another(tid trace.TID, number int32) *nameEntry {
	clear(n.recent[:])
	slot := n.slot(tid)
	before := *slot
	n.append(slot, tid, number)
	entry := &n.entries[*slot-1]
	if before > 0 {
		entry.threadScan, n.entries[before-1].threadScan = n.entries[before-1].threadScan, threadScan{}
	}
	return entry
}

func (n *names) append(slot *int32, tid trace.TID, number int32) {
	n.entries = append(n.entries, nameEntry{tid: tid, pid: trace.UnknownPID, number: number})
	*slot = int32(len(n.entries))
}

// slot returns the slot of a thread, which is zero if it has no entry. It is valid until the next call.
func (n *names) slot(tid trace.TID) *int32 {
	if 2*len(n.entries) >= len(n.slots) {
		n.slots = make([]int32, max(256, 2*len(n.slots)))
		for k := range n.entries {
			*n.slot(n.entries[k].tid) = int32(k + 1)
		}
	}
	mask := uint32(len(n.slots) - 1)
	for i := hashTID(tid) & mask; ; i = (i + 1) & mask {
		if slot := &n.slots[i]; *slot == 0 || n.entries[*slot-1].tid == tid {
			return slot
		}
	}
}

// hashTID spreads thread ids, which are often consecutive, over the slots.
func hashTID(tid trace.TID) uint32 { return uint32(tid) * 2654435769 >> 8 }

// merge merges the names of one block of the input. Blocks must be merged in order.
func (in *input) merge(n *names) {
	for i := range n.entries {
		entry := &n.entries[i]
		t := in.named[entry.tid]
		if t == nil {
			if len(in.named) >= in.options.Limits.Threads {
				in.diagnostics.add(analyzer.NamesOver, 0)
				continue
			}
			t = &threadName{}
			in.named[entry.tid] = t
		}
		o := t.of(entry)
		if entry.pid != trace.UnknownPID {
			o.pid = entry.pid
		}
		setName(&o.own, entry.comm)
		setName(&o.scheduled, entry.switched)
		if entry.lines > 0 {
			if o.lines == 0 {
				o.first = stampOf(&n.events[entry.first])
			}
			o.last = stampOf(&n.events[entry.latest])
			o.lines += int(entry.lines)
		}
	}
}

// maxName is the maximum length of a name in bytes. The kernel's have 15.
const maxName = 255

// setName sets a name if it is not empty and has changed. The kernel cuts names in
// the middle of a character.
func setName(name *string, text []byte) {
	if text = cutName(text); len(text) > 0 && string(text) != *name {
		*name = strings.ToValidUTF8(string(text), "\uFFFD")
	}
}

func cutName(text []byte) []byte { return text[:min(len(text), maxName)] }

// threadName has the owners of a thread id in the whole input, in order. Mostly it is one.
type threadName struct{ owners []*owner }

// owner is a thread of a process. The last name counts; that of a main thread is one name, unless
// it is cut.
type owner struct {
	pid         trace.PID
	own         string // the name on its own lines, which are printed when the trace is read out: it is preferred
	scheduled   string // the name that the scheduler calls it by
	first, last stamp  // its own lines, zero without one
	lines       int
	starts      bool // the id is that of another thread than before
}

// maxOwners is how many owners of a thread id are told apart.
const maxOwners = 64

func (t *threadName) of(entry *nameEntry) *owner {
	n := len(t.owners)
	if n > 0 && (n == maxOwners || !entry.starts && t.owners[n-1].is(entry)) {
		return t.owners[n-1]
	}
	o := &owner{pid: trace.UnknownPID, starts: entry.starts}
	t.owners = append(t.owners, o)
	return o
}

// is reports whether an entry may be that of the same thread.
func (o *owner) is(entry *nameEntry) bool {
	if o.pid != trace.UnknownPID && entry.pid != trace.UnknownPID && o.pid != entry.pid {
		return false
	}
	main := entry.isMain() || int32(o.pid) == int32(entry.tid)
	return !main || o.own == "" || len(entry.comm) == 0 || o.own == strings.ToValidUTF8(string(cutName(entry.comm)), "\uFFFD")
}
