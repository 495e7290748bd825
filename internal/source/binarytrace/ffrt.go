package binarytrace

import (
	"math"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/kernel"
)

// Numbers of fields of messages of ffrt-profiler.
//
// Source: openharmony/developtools_profiler, ffrt_profiler_config.proto, ffrt_profiler_result.proto.
const (
	tasksClock = 4 // of its configuration

	taskEvent = 1 // of FfrtProfilerResult, repeated

	taskSeconds = 1
	taskNanos   = 2
	taskPID     = 4
	taskTID     = 5
	taskProcess = 6
	taskThread  = 7
	taskTrace   = 8
	taskRaw     = 9

	traceKind  = 2 // of TraceEvent
	traceLabel = 3
)

// The clocks of ffrt-profiler's configuration. Without one, it uses the first.
const (
	tasksBoot            = 1
	tasksMonotonic       = 4
	tasksMonotonicCoarse = 5
)

// TaskEvent is an event of ffrt, which runs the tasks of a process in a pool of threads.
type TaskEvent struct {
	At       trace.Time
	PID, TID int32
	// Kind is 'B' or 'E' for the begin or the end of what a thread does, and 0 for the names of a
	// thread and its process.
	Kind byte
	// Label is that of a begin. Process and Thread are names; either may be empty. They need not
	// be UTF-8, and are valid until the call returns.
	Label, Process, Thread []byte
}

// taskData counts what is wrong with the events of a segment of ffrt-profiler, which is at an offset
// of the file, and keeps where they are.
func (r *Reader) taskData(data []byte, at int64, cut bool) {
	r.keepSegment(&r.tasks, tasksOver, taskEvent, data, at, cut, func(event []byte) {
		if _, _, ok := readTaskEvent(event); !ok {
			r.log.Add(badTask)
		}
	})
}

// HasTasks reports whether ffrt-profiler wrote data.
func (r *Reader) HasTasks() bool { return len(r.tasks) > 0 }

// Tasks calls yield for each begin and end of a thread of ffrt, and for its names, in the order of the
// file. known reports whether the clock of the events is related to that of the trace: otherwise
// their times are unknown. The error is that of the file.
func (r *Reader) Tasks(yield func(e *TaskEvent, known bool)) error {
	offset, known := r.tasksOffset()
	return r.readSegments(r.tasks, taskEvent, func(event []byte) {
		if e, used, ok := readTaskEvent(event); ok && used {
			e.At = e.At.Add(offset)
			yield(&e, known)
		}
	})
}

// tasksOffset returns trace time minus the clock of ffrt-profiler, if that is known.
func (r *Reader) tasksOffset() (offset trace.Duration, known bool) {
	isBoot := r.clock.Name == "" || r.clock.Name == "boot"
	switch r.tasksClock {
	case 0, tasksBoot:
		return 0, isBoot
	case tasksMonotonic, tasksMonotonicCoarse:
		return r.clock.Offset, r.clock.Known
	}
	return 0, false
}

// readTaskEvent reads an FfrtProfilerEvent. ok reports whether it is understood, used whether it is of a
// kind that TaskEvent has. Tasks also have states, and data of their own.
func readTaskEvent(data []byte) (e TaskEvent, used, ok bool) {
	var m, t kernel.Values
	if !m.Read(data) {
		return e, false, false
	}
	seconds, nanos := m.Numbers[taskSeconds], m.Numbers[taskNanos]
	pid, tid := m.Numbers[taskPID], m.Numbers[taskTID]
	if seconds >= uint64(trace.MaxTime)/1e9 || nanos >= 1e9 || pid > math.MaxInt32 || tid == 0 || tid > math.MaxInt32 {
		return e, false, false
	}
	e = TaskEvent{
		At: trace.Time(seconds*1e9 + nanos), PID: int32(pid), TID: int32(tid),
		Process: m.Texts[taskProcess], Thread: m.Texts[taskThread],
	}
	switch {
	case m.Texts[taskTrace] != nil:
		if !t.Read(m.Texts[taskTrace]) || len(t.Texts[traceKind]) != 1 {
			return e, false, false
		}
		e.Kind, e.Label = t.Texts[traceKind][0], t.Texts[traceLabel]
		switch e.Kind {
		case 'B', 'E':
			return e, true, true
		case 'S', 'F', 'C': // states of tasks, counters
			return e, false, true
		}
		return e, false, false
	case m.Texts[taskRaw] != nil:
		return e, false, true
	}
	isName := len(e.Process) > 0 || len(e.Thread) > 0
	return e, isName, isName
}
