package hitrace

import (
	"bytes"

	"ohframe/analyzer/trace"
)

// Switch has the fields of a sched_switch event: the thread that leaves a processor, its
// state, and the next thread.
type Switch struct {
	PrevComm, NextComm []byte
	PrevTID, NextTID   trace.TID
	PrevPrio, NextPrio int32
	// PrevState is spelled as in the text: "S", "R+", "D|K".
	PrevState []byte
}

// parse parses the args of a sched_switch event and reports whether it could. Names may
// contain blanks, so it searches for the text after them.
func (s *Switch) parse(args []byte) bool {
	i := parseTask(args, 0, "prev_comm=", " prev_pid=", " prev_prio=", &s.PrevComm, &s.PrevTID, &s.PrevPrio)
	if i < 0 || !hasAt(args, i, " prev_state=") {
		return false
	}
	i += len(" prev_state=")
	end := i
	for end < len(args) && args[end] != ' ' {
		end++
	}
	if end == i {
		return false
	}
	s.PrevState = args[i:end]
	const arrow = " ==> "
	if !hasAt(args, end, arrow) { // fields of a vendor's kernel are before it
		n := bytes.Index(args[end:], []byte(arrow))
		if n < 0 {
			return false
		}
		end += n
	}
	return parseTask(args, end+len(arrow), "next_comm=", " next_pid=", " next_prio=", &s.NextComm, &s.NextTID, &s.NextPrio) >= 0
}

// Wakeup has the fields of sched_waking, sched_wakeup and sched_wakeup_new events.
type Wakeup struct {
	Comm      []byte
	TID       trace.TID
	Prio      int32
	TargetCPU trace.CPU
}

// parse parses the args of a sched_waking, sched_wakeup or sched_wakeup_new event and
// reports whether it could.
func (w *Wakeup) parse(args []byte) bool {
	i := parseTask(args, 0, "comm=", " pid=", " prio=", &w.Comm, &w.TID, &w.Prio)
	if i < 0 {
		return false
	}
	const target = " target_cpu="
	if !hasAt(args, i, target) { // older kernels write success= before it
		n := bytes.Index(args[i:], []byte(target))
		if n < 0 {
			return false
		}
		i += n
	}
	cpu, _, ok := digits(args, i+len(target))
	w.TargetCPU = trace.CPU(cpu)
	return ok
}

// parseTask parses "COMM pid=N prio=N" with the given keys at i. It returns the index after
// it, or -1.
func parseTask(text []byte, i int, commKey, pidKey, prioKey string, comm *[]byte, tid *trace.TID, prio *int32) int {
	if !hasAt(text, i, commKey) {
		return -1
	}
	i += len(commKey)
	end := i
	for !hasAt(text, end, pidKey) {
		n := bytes.IndexByte(text[min(end+1, len(text)):], ' ')
		if n < 0 {
			return -1
		}
		end += 1 + n
	}
	*comm = text[i:end]
	pid, i, ok := digits(text, end+len(pidKey))
	if !ok || !hasAt(text, i, prioKey) {
		return -1
	}
	*tid = trace.TID(pid)
	i += len(prioKey)
	negative := i < len(text) && text[i] == '-' // HongMeng's idle threads
	if negative {
		i++
	}
	if *prio, i, ok = digits(text, i); !ok {
		return -1
	}
	if negative {
		*prio = -*prio
	}
	return i
}

// hasAt reports whether text has word at i.
func hasAt(text []byte, i int, word string) bool {
	return len(text)-i >= len(word) && string(text[i:i+len(word)]) == word
}
