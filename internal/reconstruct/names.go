package reconstruct

import (
	"cmp"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// names collects the process and the names of each thread. Each worker has its own, so
// that lines can be processed in parallel. input.merge merges them in order.
type names struct {
	entries []nameEntry
	slots   []int32 // index into entries plus one, by hash of the thread id
}

// nameEntry is the last that was stated of a thread. The slices are parts of
// the text.
type nameEntry struct {
	tid      trace.TID
	pid      trace.PID
	comm     []byte // from the thread's own lines
	switched []byte // from those of the scheduler
}

// unknownComm is what the kernel prints if it no longer has a thread's name.
const unknownComm = "<...>"

func isName(comm []byte) bool { return len(comm) > 0 && string(comm) != unknownComm }

// add adds the threads of an event: that of its line, and the next one of a switch. The
// previous one has been the next one before.
func (n *names) add(e *hitrace.Event) {
	entry := n.entry(e.TID)
	if e.PID != trace.UnknownPID {
		entry.pid = e.PID
	}
	if isName(e.Comm) {
		entry.comm = e.Comm
	}
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

// addScheduled adds the name of a thread in a scheduler event.
func (n *names) addScheduled(tid trace.TID, comm []byte) {
	if isName(comm) {
		n.entry(tid).switched = comm
	}
}

// reset removes all names and keeps the memory.
func (n *names) reset() {
	n.entries = n.entries[:0]
	clear(n.slots)
}

// entry returns the thread's entry, which is valid until the next call.
func (n *names) entry(tid trace.TID) *nameEntry {
	if 2*len(n.entries) >= len(n.slots) {
		n.grow()
	}
	mask := uint32(len(n.slots) - 1)
	for i := hashTID(tid) & mask; ; i = (i + 1) & mask {
		slot := n.slots[i]
		if slot == 0 {
			n.entries = append(n.entries, nameEntry{tid: tid, pid: trace.UnknownPID})
			n.slots[i] = int32(len(n.entries))
			return &n.entries[len(n.entries)-1]
		}
		if entry := &n.entries[slot-1]; entry.tid == tid {
			return entry
		}
	}
}

func (n *names) grow() {
	n.slots = make([]int32, max(256, 2*len(n.slots)))
	mask := uint32(len(n.slots) - 1)
	for k, entry := range n.entries {
		i := hashTID(entry.tid) & mask
		for n.slots[i] != 0 {
			i = (i + 1) & mask
		}
		n.slots[i] = int32(k + 1)
	}
}

// hashTID spreads thread ids, which are often consecutive, over the slots.
func hashTID(tid trace.TID) uint32 { return uint32(tid) * 2654435769 >> 8 }

// merge merges the names of one block of the input. Blocks must be merged in order. The
// last name of a thread counts.
func (in *input) merge(n *names) {
	for i := range n.entries {
		entry := &n.entries[i]
		t := in.named[entry.tid]
		if t == nil {
			if len(in.named) >= in.options.Limits.Threads {
				in.diagnostics.add(analyzer.NamesOver, 0)
				continue
			}
			t = &threadName{pid: trace.UnknownPID}
			in.named[entry.tid] = t
		}
		if entry.pid != trace.UnknownPID {
			t.pid = entry.pid
		}
		setName(&t.own, entry.comm)
		setName(&t.scheduled, entry.switched)
	}
}

// maxName is the maximum length of a name in bytes. The kernel's have 15.
const maxName = 255

// setName sets a name if it is not empty and has changed. The kernel cuts names in
// the middle of a character.
func setName(name *string, text []byte) {
	text = text[:min(len(text), maxName)]
	if len(text) > 0 && string(text) != *name {
		*name = strings.ToValidUTF8(string(text), "\uFFFD")
	}
}

// threadName has the names of a thread in the whole input.
type threadName struct {
	pid       trace.PID
	own       string // the name on its own lines
	scheduled string // the name that the scheduler calls it by
}

// name returns the thread's name. The name in its own lines is preferred: they are
// printed when the trace is read out, with the name at that time.
func (t *threadName) name() string { return cmp.Or(t.own, t.scheduled) }
