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

// ParseSwitch parses the args of a sched_switch event. Names may contain blanks, so it
// searches for the text after them.
func ParseSwitch(args []byte) (s Switch, ok bool) {
	before, after, ok := bytes.Cut(args, []byte(" ==> "))
	if !ok {
		return s, false
	}
	var rest []byte
	if s.PrevComm, s.PrevTID, s.PrevPrio, rest, ok = parseTaskFields(before, "prev_comm=", " prev_pid=", " prev_prio="); !ok {
		return s, false
	}
	state, ok := bytes.CutPrefix(rest, []byte(" prev_state="))
	if !ok || len(state) == 0 {
		return s, false
	}
	s.PrevState = state
	if i := bytes.IndexByte(state, ' '); i >= 0 {
		s.PrevState = state[:i]
	}
	s.NextComm, s.NextTID, s.NextPrio, _, ok = parseTaskFields(after, "next_comm=", " next_pid=", " next_prio=")
	return s, ok
}

// ParseNext parses only the next thread of a sched_switch event.
func ParseNext(args []byte) (comm []byte, tid trace.TID, ok bool) {
	_, after, ok := bytes.Cut(args, []byte(" ==> "))
	if !ok {
		return nil, 0, false
	}
	comm, tid, _, _, ok = parseTaskFields(after, "next_comm=", " next_pid=", " next_prio=")
	return comm, tid, ok
}

// Wakeup has the fields of sched_waking, sched_wakeup and sched_wakeup_new events.
type Wakeup struct {
	Comm      []byte
	TID       trace.TID
	Prio      int32
	TargetCPU trace.CPU
}

// ParseWakeup reads the args of a sched_waking, sched_wakeup or
// sched_wakeup_new event.
func ParseWakeup(args []byte) (w Wakeup, ok bool) {
	var rest []byte
	if w.Comm, w.TID, w.Prio, rest, ok = parseTaskFields(args, "comm=", " pid=", " prio="); !ok {
		return w, false
	}
	const target = " target_cpu=" // older kernels write success= before it
	i := bytes.Index(rest, []byte(target))
	if i < 0 {
		return w, false
	}
	cpu, _, ok := digits(rest, i+len(target))
	w.TargetCPU = trace.CPU(cpu)
	return w, ok
}

// ParseTarget parses only the CPU of a sched_waking or sched_wakeup event, which is its last
// field.
func ParseTarget(args []byte) (trace.CPU, bool) {
	args = trimSpace(args)
	i := len(args)
	for i > 0 && '0' <= args[i-1] && args[i-1] <= '9' {
		i--
	}
	if !bytes.HasSuffix(args[:i], []byte(" target_cpu=")) {
		return 0, false
	}
	cpu, _, ok := digits(args, i)
	return trace.CPU(cpu), ok
}

// parseTaskFields parses "COMM pid=N prio=N" with the given keys and returns the text
// after it.
func parseTaskFields(text []byte, commKey, pidKey, prioKey string) (comm []byte, tid trace.TID, prio int32, rest []byte, ok bool) {
	if len(text) < len(commKey) || string(text[:len(commKey)]) != commKey {
		return nil, 0, 0, nil, false
	}
	text = text[len(commKey):]
	at := bytes.Index(text, []byte(pidKey))
	if at < 0 {
		return nil, 0, 0, nil, false
	}
	comm = text[:at]
	pid, i, ok := digits(text, at+len(pidKey))
	if !ok || len(text)-i < len(prioKey) || string(text[i:i+len(prioKey)]) != prioKey {
		return nil, 0, 0, nil, false
	}
	i += len(prioKey)
	negative := i < len(text) && text[i] == '-' // HongMeng's idle threads
	if negative {
		i++
	}
	prio, i, ok = digits(text, i)
	if negative {
		prio = -prio
	}
	return comm, trace.TID(pid), prio, text[i:], ok
}
