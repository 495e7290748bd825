package perfetto

import (
	"cmp"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/protos/perfettopb"
)

// processes are the processes and threads that the trace tells of. Of what it
// tells several times, the last name counts: an application's process is forked
// under another name than its own.
type processes struct {
	byPID   map[trace.PID]*analyzer.Process
	threads map[trace.TID]thread
}

type thread struct {
	pid  trace.PID
	name string
}

func newProcesses() *processes {
	return &processes{byPID: map[trace.PID]*analyzer.Process{}, threads: map[trace.TID]thread{}}
}

// add takes a process tree and reports whether it could be decoded.
func (p *processes) add(payload []byte) bool {
	var tree perfettopb.ProcessTree
	if err := proto.Unmarshal(payload, &tree); err != nil {
		return false
	}
	for _, process := range tree.Processes {
		if process.GetPid() < 0 {
			continue
		}
		known := p.process(trace.PID(process.GetPid()))
		if len(process.Cmdline) > 0 && process.Cmdline[0] != "" {
			known.Name = process.Cmdline[0]
		}
	}
	for _, t := range tree.Threads {
		if t.GetTid() < 0 || t.GetTgid() < 0 {
			continue
		}
		p.process(trace.PID(t.GetTgid()))
		name := t.GetName()
		if name == "" {
			name = p.threads[trace.TID(t.GetTid())].name
		}
		p.threads[trace.TID(t.GetTid())] = thread{trace.PID(t.GetTgid()), name}
	}
	return true
}

// process returns the process with the given id.
func (p *processes) process(pid trace.PID) *analyzer.Process {
	known := p.byPID[pid]
	if known == nil {
		known = &analyzer.Process{PID: pid}
		p.byPID[pid] = known
	}
	return known
}

// list returns the processes with their threads, in order of id.
func (p *processes) list() []*analyzer.Process {
	for _, tid := range slices.Sorted(maps.Keys(p.threads)) {
		t := p.threads[tid]
		process := p.process(t.pid)
		process.Threads = append(process.Threads, analyzer.Thread{TID: tid, Name: t.name})
	}
	return slices.SortedFunc(maps.Values(p.byPID), func(x, y *analyzer.Process) int { return cmp.Compare(x.PID, y.PID) })
}
