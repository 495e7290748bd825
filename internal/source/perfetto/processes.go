package perfetto

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/kernel"
)

// Field numbers of a process tree.
const (
	treeProcess    = 1 // ProcessTree.processes
	treeThread     = 2 // ProcessTree.threads
	processPID     = 1 // of Process
	processCommand = 3
	threadTID      = 1 // of Thread
	threadName     = 2
	threadTGID     = 3
)

// processes are the processes and threads of the trace. If one has several names, the
// last counts: an application's process is forked under another name.
type processes struct {
	byPID   map[trace.PID]*analyzer.Process
	threads map[trace.TID]thread
	limit   int  // of processes, and of threads
	over    *int // counts those over the limit
	values  kernel.Values
}

type thread struct {
	pid  trace.PID
	name string
}

func newProcesses(limit int, over *int) *processes {
	return &processes{byPID: map[trace.PID]*analyzer.Process{}, threads: map[trace.TID]thread{}, limit: limit, over: over}
}

// add decodes a process tree. It returns false if that is malformed.
func (p *processes) add(payload []byte) bool {
	f, whole := kernel.Fields{Rest: payload}, true
	for f.Next() {
		switch f.Number {
		case treeProcess:
			whole = p.addProcess(f.Data) && whole
		case treeThread:
			whole = p.addThread(f.Data) && whole
		}
	}
	return whole && !f.Bad
}

func (p *processes) addProcess(b []byte) bool {
	var pid int32
	var name []byte
	named := false
	f := kernel.Fields{Rest: b}
	for f.Next() {
		switch {
		case f.Number == processPID:
			pid = int32(f.Value)
		case f.Number == processCommand && !named:
			name, named = f.Data, true
		}
	}
	if f.Bad || pid < 0 {
		return !f.Bad
	}
	if known := p.process(trace.PID(pid)); known != nil && len(name) > 0 {
		known.Name = truncated(name, maxName)
	}
	return true
}

func (p *processes) addThread(b []byte) bool {
	ok := p.values.Read(b)
	tid, tgid, name := int32(p.values.Numbers[threadTID]), int32(p.values.Numbers[threadTGID]), p.values.Texts[threadName]
	if !ok || tid < 0 || tgid < 0 || p.process(trace.PID(tgid)) == nil {
		return ok
	}
	known, ok := p.threads[trace.TID(tid)]
	if !ok && len(p.threads) >= p.limit {
		*p.over++
		return true
	}
	known.pid = trace.PID(tgid)
	if len(name) > 0 {
		known.name = truncated(name, maxName)
	}
	p.threads[trace.TID(tid)] = known
	return true
}

// process returns the process with the given id, and adds it if it is new. Over the
// limit it returns nil.
func (p *processes) process(pid trace.PID) *analyzer.Process {
	known := p.byPID[pid]
	if known == nil {
		if len(p.byPID) >= p.limit {
			*p.over++
			return nil
		}
		known = &analyzer.Process{PID: pid}
		p.byPID[pid] = known
	}
	return known
}

// of returns the process of a thread, trace.UnknownPID if it is unknown.
func (p *processes) of(tid trace.TID) trace.PID {
	if t, ok := p.threads[tid]; ok {
		return t.pid
	}
	if p.byPID[trace.PID(tid)] != nil {
		return trace.PID(tid)
	}
	return trace.UnknownPID
}

// list returns the processes with their threads, in order of id.
func (p *processes) list() []*analyzer.Process {
	for _, tid := range slices.Sorted(maps.Keys(p.threads)) {
		t := p.threads[tid]
		process := p.byPID[t.pid]
		process.Threads = append(process.Threads, analyzer.Thread{TID: tid, Name: t.name})
	}
	return slices.SortedFunc(maps.Values(p.byPID), func(x, y *analyzer.Process) int { return cmp.Compare(x.PID, y.PID) })
}
