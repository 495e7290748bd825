package pftrace

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/exporter/internal/samples"
)

// writeSamples writes the samples of the result. It returns threads that only the profiler has.
// The trace decides which process a thread belongs to: of a thread of two processes Perfetto
// makes two.
func writeSamples(w *packet.Writer, s *Summary, o *Options) []sample.Thread {
	if s.Samples == nil {
		return nil
	}
	if o.NoEvents {
		w = nil
	}
	processes := map[trace.TID]trace.PID{}
	for _, p := range s.Timeline.Processes {
		for _, t := range p.Threads {
			processes[t.TID] = p.PID
		}
	}
	sampled := map[trace.TID]bool{}
	s.Sampled = samples.Write(w, s.Samples, samples.Options{Process: func(tid trace.TID) trace.PID {
		if pid, ok := processes[tid]; ok {
			return pid
		}
		sampled[tid] = true
		return trace.UnknownPID
	}})
	if w == nil {
		return nil
	}
	pids := map[int32]bool{} // of new threads
	for _, t := range s.Samples.Profile.Threads {
		pids[t.PID] = pids[t.PID] || sampled[trace.TID(t.TID)]
	}
	var list []sample.Thread
	for _, t := range s.Samples.Profile.Threads {
		_, known := processes[trace.TID(t.TID)]
		main := t.TID == t.PID && pids[t.PID] // Perfetto shows it beside the others
		if t.PID > 0 && !known && (main || sampled[trace.TID(t.TID)]) {
			list = append(list, t)
		}
	}
	return list
}

// addThreads returns the processes with further threads.
func addThreads(processes []*analyzer.Process, threads []sample.Thread) []*analyzer.Process {
	if len(threads) == 0 {
		return processes
	}
	list := make([]*analyzer.Process, len(processes))
	byPID := map[trace.PID]*analyzer.Process{}
	for i, p := range processes {
		list[i] = new(*p)
		list[i].Threads = slices.Clip(p.Threads)
		byPID[p.PID] = list[i]
	}
	for _, t := range threads {
		pid := trace.PID(t.PID)
		p := byPID[pid]
		if p == nil {
			p = &analyzer.Process{PID: pid}
			byPID[pid] = p
			list = append(list, p)
		}
		p.Threads = append(p.Threads, analyzer.Thread{TID: trace.TID(t.TID), Name: t.Name})
		if t.TID == t.PID {
			p.Name = cmp.Or(p.Name, t.Name)
		}
	}
	return list
}
