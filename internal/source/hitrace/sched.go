package hitrace

import (
	"bytes"
	"encoding/binary"
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
	i := parseTask(args, 0, &prevTask, &s.PrevComm, &s.PrevTID, &s.PrevPrio)
	if i < 0 {
		return !prevTask.comm.isAt(args, 0) && s.parseShort(args)
	}
	const state = " prev_state="
	if len(args)-i < len(state) || string(args[i:i+len(state)]) != state {
		return false
	}
	i += len(state)
	end := i
	for end < len(args) && args[end] != ' ' {
		end++
	}
	if end == i {
		return false
	}
	s.PrevState = args[i:end]
	const arrow = " ==> "
	if len(args)-end < len(arrow) || string(args[end:end+len(arrow)]) != arrow { // fields of a vendor's kernel are before it
		n := bytes.Index(args[end:], []byte(arrow))
		if n < 0 {
			return false
		}
		end += n
	}
	return parseTask(args, end+len(arrow), &nextTask, &s.NextComm, &s.NextTID, &s.NextPrio) >= 0
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
	i := parseTask(args, 0, &wokenTask, &w.Comm, &w.TID, &w.Prio)
	if i < 0 {
		return !wokenTask.comm.isAt(args, 0) && w.parseShort(args)
	}
	const target = " target_cpu="
	if len(args)-i < len(target) || string(args[i:i+len(target)]) != target { // older kernels write success= before it
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

// taskKeys are the keys of a thread's name, id and priority.
type taskKeys struct{ comm, pid, prio key }

var (
	prevTask  = taskKeys{newKey("prev_comm="), newKey(" prev_pid="), newKey(" prev_prio=")}
	nextTask  = taskKeys{newKey("next_comm="), newKey(" next_pid="), newKey(" next_prio=")}
	wokenTask = taskKeys{newKey("comm="), newKey(" pid="), newKey(" prio=")}
)

// key is a text of up to 16 bytes that is compared by words. The masks select its bytes.
type key struct {
	text         string
	words, masks [2]uint64
}

func newKey(text string) key {
	var words, masks [16]byte
	for i := range text {
		words[i], masks[i] = text[i], 0xff
	}
	le := binary.LittleEndian
	return key{text, [2]uint64{le.Uint64(words[:]), le.Uint64(words[8:])}, [2]uint64{le.Uint64(masks[:]), le.Uint64(masks[8:])}}
}

// isAt reports whether text has the key at i.
func (k *key) isAt(text []byte, i int) bool {
	if len(text)-i < 16 {
		return hasAt(text, i, k.text)
	}
	w := text[i : i+16]
	return binary.LittleEndian.Uint64(w)&k.masks[0] == k.words[0] && binary.LittleEndian.Uint64(w[8:])&k.masks[1] == k.words[1]
}

// parseTask parses "COMM pid=N prio=N" with the given keys at i. It returns the index after
// it, or -1.
func parseTask(text []byte, i int, keys *taskKeys, comm *[]byte, tid *trace.TID, prio *int32) int {
	if !keys.comm.isAt(text, i) {
		return -1
	}
	i += len(keys.comm.text)
	end := nextBlank(text, i)
	for ; end >= 0 && !keys.pid.isAt(text, end); end = nextBlank(text, end+1) {
	}
	if end < 0 {
		return -1
	}
	*comm = text[i:end]
	pid, i, ok := digits(text, end+len(keys.pid.text))
	if !ok || !keys.prio.isAt(text, i) {
		return -1
	}
	*tid = trace.TID(pid)
	i += len(keys.prio.text)
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

// nextBlank returns the index of the first blank from i on, or -1. Names of threads are short.
func nextBlank(text []byte, i int) int {
	for ; len(text)-i >= 8; i += 8 {
		if n := firstByte(binary.LittleEndian.Uint64(text[i:]), ' '); n < 8 {
			return i + n
		}
	}
	for ; i < len(text); i++ {
		if text[i] == ' ' {
			return i
		}
	}
	return -1
}

// hasAt reports whether text has word at i.
func hasAt(text []byte, i int, word string) bool {
	return len(text)-i >= len(word) && string(text[i:i+len(word)]) == word
}
