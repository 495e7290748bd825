package hitrace

import (
	"bytes"
	"math"

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
	if i < 0 {
		return !hasAt(args, 0, "prev_comm=") && s.parseShort(args)
	}
	if !hasAt(args, i, " prev_state=") {
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
		return !hasAt(args, 0, "comm=") && w.parseShort(args)
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

// parseShort parses the args as trace-cmd writes them: "app:200 [120] R+ ==> swapper/1:0 [120]".
func (s *Switch) parseShort(args []byte) bool {
	const arrow = " ==> "
	at := bytes.LastIndex(args, []byte(arrow))
	if at < 0 {
		return false
	}
	state := bytes.LastIndexByte(args[:at], ' ')
	if state < 0 || state+1 == at {
		return false
	}
	s.PrevState = args[state+1 : at]
	return parseShortTask(args[:state], &s.PrevComm, &s.PrevTID, &s.PrevPrio) &&
		parseShortTask(args[at+len(arrow):], &s.NextComm, &s.NextTID, &s.NextPrio)
}

// parseShort parses the args as trace-cmd writes them: "app:200 [120] success=1 CPU:003".
func (w *Wakeup) parseShort(args []byte) bool {
	const target = " CPU:"
	at := bytes.LastIndex(args, []byte(target))
	if at < 0 {
		return false
	}
	cpu, end, ok := digits(args, at+len(target))
	w.TargetCPU = trace.CPU(cpu)
	task, _, _ := bytes.Cut(args[:at], []byte("] success="))
	return ok && end == len(args) && parseShortTask(task, &w.Comm, &w.TID, &w.Prio)
}

// parseShortTask parses "COMM:TID [PRIO]", with or without the last bracket.
func parseShortTask(text []byte, comm *[]byte, tid *trace.TID, prio *int32) bool {
	text = bytes.TrimSuffix(text, []byte("]"))
	open := bytes.LastIndex(text, []byte(" ["))
	if open < 0 {
		return false
	}
	colon := bytes.LastIndexByte(text[:open], ':')
	// A name with an equals sign is damaged text of the kernel.
	if colon < 0 || bytes.IndexByte(text[:colon], '=') >= 0 {
		return false
	}
	*comm = text[:colon]
	n, end, ok := digits(text, colon+1)
	*tid = trace.TID(n)
	p, ok2 := parseInt(text[open+2:])
	*prio = int32(p)
	return ok && end == open && ok2 && -math.MaxInt32 <= p && p <= math.MaxInt32
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
