package reconstruct

import (
	"bytes"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// names collects the process and the names of each thread. Each worker has its own, so
// that lines can be processed in parallel. input.merge merges them in order.
type names struct {
	entries []nameEntry
	slots   []int32    // index of a thread's last entry plus one, by hash of the thread id
	starts  []newOwner // of the block, in order of lines
	events  []hitrace.Event
	// recent is the thread whose entry was used last, and at the index of the entry plus one; 0 without one.
	recent trace.TID
	at     int
}

// nameEntry is the last that was stated of a thread. The slices are parts of the text. A thread
// has another entry where its process or, of a main thread, its own name changes, and
// where another thread gets its id.
type nameEntry struct {
	tid         trace.TID
	pid         trace.PID
	comm        []byte // from the thread's own lines
	switched    []byte // from those of the scheduler
	first, last int32  // numbers of its own lines in the block, if it has lines
	lines       int32
	starts      bool // the id is that of another thread than before
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

// addAll adds the events of a block.
func (n *names) addAll(events []hitrace.Event) {
	starts := n.starts
	for i := range events {
		e := &events[i]
		for len(starts) > 0 && starts[0].line == e.Number {
			n.split(starts[0].tid).starts = true
			starts = starts[1:]
		}
		n.add(e, int32(i))
	}
	n.events = events
}

// add adds the threads of an event: that of its line, and the next one of a switch. The
// previous one has been the next one before.
func (n *names) add(e *hitrace.Event, number int32) {
	entry := n.entry(e.TID)
	if e.Process != trace.UnknownPID && entry.pid != e.Process {
		if entry.pid != trace.UnknownPID {
			entry = n.split(e.TID)
		}
		entry.pid = e.Process
	}
	if isName(e.Comm) {
		if entry.isMain() && len(entry.comm) > 0 && !bytes.Equal(entry.comm, e.Comm) {
			entry = n.split(e.TID)
			entry.pid = e.Process
		}
		entry.comm = e.Comm
	}
	if entry.lines == 0 {
		entry.first = number
	}
	entry.last = number
	entry.lines++
	switch e.Kind {
	case hitrace.SwitchEvent:
		if s := e.Switch(); s != nil {
			n.addScheduled(s.NextTID, s.NextComm)
		}
	case hitrace.WakingEvent, hitrace.WakeupEvent:
		if w := e.Wakeup(); w != nil {
			n.addScheduled(w.TID, w.Comm)
		}
	}
}

func (n *nameEntry) isMain() bool { return int32(n.pid) == int32(n.tid) }

// addScheduled adds the name of a thread in a scheduler event.
func (n *names) addScheduled(tid trace.TID, comm []byte) {
	if isName(comm) {
		n.entry(tid).switched = comm
	}
}

// reset removes all names and keeps the memory.
func (n *names) reset() {
	n.entries, n.starts, n.at = n.entries[:0], n.starts[:0], 0
	clear(n.slots)
}

// entry returns the thread's last entry, which is valid until the next call.
func (n *names) entry(tid trace.TID) *nameEntry {
	if tid == n.recent && n.at > 0 {
		return &n.entries[n.at-1]
	}
	if len(n.slots) > 0 {
		if slot := *n.find(tid); slot != 0 {
			n.recent, n.at = tid, int(slot)
			return &n.entries[slot-1]
		}
	}
	return n.append(n.slot(tid), tid)
}

// split returns a new entry of the thread, which is valid until the next call.
func (n *names) split(tid trace.TID) *nameEntry { return n.append(n.slot(tid), tid) }

func (n *names) append(slot *int32, tid trace.TID) *nameEntry {
	n.entries = append(n.entries, nameEntry{tid: tid, pid: trace.UnknownPID})
	*slot = int32(len(n.entries))
	n.recent, n.at = tid, len(n.entries)
	return &n.entries[n.at-1]
}

// slot returns the slot of a thread, which is zero if it has no entry.
func (n *names) slot(tid trace.TID) *int32 {
	if 2*len(n.entries) >= len(n.slots) {
		n.grow()
	}
	return n.find(tid)
}

func (n *names) find(tid trace.TID) *int32 {
	mask := uint32(len(n.slots) - 1)
	for i := hashTID(tid) & mask; ; i = (i + 1) & mask {
		if slot := &n.slots[i]; *slot == 0 || n.entries[*slot-1].tid == tid {
			return slot
		}
	}
}

func (n *names) grow() {
	n.slots = make([]int32, max(256, 2*len(n.slots)))
	for k, entry := range n.entries {
		*n.find(entry.tid) = int32(k + 1)
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
			o.last = stampOf(&n.events[entry.last])
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
	own         string // the name on its own lines
	scheduled   string // the name that the scheduler calls it by
	first, last stamp  // its own lines, zero without one
	lines       int
	starts      bool // the id is that of another thread than before
}

// maxOwners is how many owners of a thread id are told apart.
const maxOwners = 64

// of returns the owner of an entry.
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

// name returns the thread's name. The name in its own lines is preferred: they are
// printed when the trace is read out, with the name at that time.
func (o *owner) name() string {
	if o.own != "" {
		return o.own
	}
	return o.scheduled
}
