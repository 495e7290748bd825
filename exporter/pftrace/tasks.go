package pftrace

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/binarytrace"
)

const (
	// taskTracks is the id of the track above those of threads, which follow it.
	taskTracks = 1 << 61
	// maxNested is the number of slices of tasks of a thread, one in another, that are written.
	maxNested = 256
)

// taskWriter writes what the threads of ffrt did.
type taskWriter struct {
	packets *packet.Writer
	limits  int // threads
	start   trace.Time
	end     trace.Time
	threads map[[2]int32]*taskThread
	names   map[int32]string // of processes
	tracks  uint64

	unknown, outside, unmatched, over int
}

// taskThread is a thread of ffrt.
type taskThread struct {
	name  string
	track uint64 // 0 before its first slice
	last  trace.Time
	open  []taskSlice
	deep  int // begins beyond maxNested that have not ended
}

// taskSlice is a begin without its end yet.
type taskSlice struct {
	label   string
	written bool
	after   bool // the end of the trace
}

// writeTasks writes what threads of ffrt did within the trace as slices, on a track for each thread,
// and warns about the rest.
func writeTasks(w *packet.Writer, s *Summary, o *Options) error {
	if o.Tasks == nil || o.NoEvents {
		return nil
	}
	t := &taskWriter{
		packets: w, limits: o.Analyzer.Limits.WithDefaults().Threads, start: s.Timeline.Span.Start, end: s.Timeline.Span.End,
		threads: map[[2]int32]*taskThread{}, names: map[int32]string{},
	}
	err := o.Tasks(t.add)
	for _, thread := range t.threads {
		for _, x := range thread.open {
			if !x.written {
				t.outside++
			}
		}
	}
	s.LogWarnings.Count(trace.WarnMissing, t.unknown, "event", "of ffrt not exported: their clock is not related to that of the trace")
	s.LogWarnings.Count(trace.WarnSkipped, t.outside, "slice", "of ffrt before or after the trace, not exported")
	s.LogWarnings.Count(trace.WarnNotUnderstood, t.unmatched, "end", "of slices of ffrt without a begin, skipped")
	s.LogWarnings.Count(trace.WarnOverLimit, t.over, "event", "of ffrt beyond the limit (limit: threads) or 256 slices deep, skipped")
	return err
}

// add writes an event, or keeps a name. known reports whether the time of the event is known.
func (w *taskWriter) add(e *binarytrace.TaskEvent, known bool) {
	key := [2]int32{e.PID, e.TID}
	thread := w.threads[key]
	if thread == nil {
		if len(w.threads) >= w.limits {
			w.over++
			return
		}
		thread = &taskThread{}
		w.threads[key] = thread
	}
	if len(e.Process) > 0 {
		w.names[e.PID] = bounded(string(e.Process))
	}
	if len(e.Thread) > 0 {
		thread.name = bounded(string(e.Thread))
	}
	if e.Kind == 0 {
		return
	}
	if !known {
		w.unknown++
		return
	}
	at := max(e.At, thread.last) // a track's slices are in order of time
	thread.last = at
	if e.Kind == 'B' {
		w.begin(thread, e, at)
	} else {
		w.finish(thread, e, at)
	}
}

func (w *taskWriter) begin(t *taskThread, e *binarytrace.TaskEvent, at trace.Time) {
	if len(t.open) == maxNested {
		t.deep++
		w.over++
		return
	}
	t.open = append(t.open, taskSlice{label: bounded(string(e.Label)), after: at > w.end})
	if at >= w.start && at <= w.end {
		w.flush(t, e, at)
	}
}

// flush writes the begins that are not written. Those before the trace are at its start.
func (w *taskWriter) flush(t *taskThread, e *binarytrace.TaskEvent, at trace.Time) {
	for i := range t.open {
		x := &t.open[i]
		if x.written || x.after {
			continue
		}
		x.written = true
		begin := w.start
		if e.Kind == 'B' && i == len(t.open)-1 {
			begin = at
		}
		w.describe(t, e)
		name, arguments := nameOfTask(x.label)
		w.write(begin, &perfettopb.TrackEvent{
			Type: perfettopb.TrackEvent_TYPE_SLICE_BEGIN.Enum(), TrackUuid: &t.track,
			NameField: &perfettopb.TrackEvent_Name{Name: name}, DebugAnnotations: arguments,
		})
	}
}

func (w *taskWriter) finish(t *taskThread, e *binarytrace.TaskEvent, at trace.Time) {
	if t.deep > 0 {
		t.deep--
		return
	}
	if len(t.open) == 0 {
		w.unmatched++
		return
	}
	if at >= w.start {
		w.flush(t, e, at)
	}
	last := t.open[len(t.open)-1]
	t.open = t.open[:len(t.open)-1]
	if !last.written {
		w.outside++
		return
	}
	w.write(min(at, w.end), &perfettopb.TrackEvent{Type: perfettopb.TrackEvent_TYPE_SLICE_END.Enum(), TrackUuid: &t.track})
}

// describe describes the track of a thread before its first slice.
func (w *taskWriter) describe(t *taskThread, e *binarytrace.TaskEvent) {
	if t.track != 0 {
		return
	}
	describe := func(d *perfettopb.TrackDescriptor) {
		w.packets.Write(&perfettopb.TracePacket{Data: &perfettopb.TracePacket_TrackDescriptor{TrackDescriptor: d}})
	}
	if w.tracks == 0 {
		describe(&perfettopb.TrackDescriptor{Uuid: proto.Uint64(taskTracks), StaticOrDynamicName: &perfettopb.TrackDescriptor_Name{Name: "ffrt tasks"}})
	}
	w.tracks++
	t.track = taskTracks + w.tracks
	name := strings.TrimSpace(fmt.Sprintf("%s %d", t.name, e.TID)) + " (" + strings.TrimSpace(fmt.Sprintf("%s %d", w.names[e.PID], e.PID)) + ")"
	describe(&perfettopb.TrackDescriptor{
		Uuid: &t.track, ParentUuid: proto.Uint64(taskTracks), StaticOrDynamicName: &perfettopb.TrackDescriptor_Name{Name: name},
	})
}

func (w *taskWriter) write(at trace.Time, e *perfettopb.TrackEvent) {
	w.packets.Write(&perfettopb.TracePacket{Timestamp: proto.Uint64(uint64(at)), Data: &perfettopb.TracePacket_TrackEvent{TrackEvent: e}})
}

// nameOfTask returns the name of a slice, and the id of the task in its arguments. What ffrt does for
// tasks has other labels, such as CreateTask, which are names. Old recorders leave a byte of garbage
// after the id:
//
//	FFRTload|12  FFRT[load]|12  FFRT::[load]|12
func nameOfTask(label string) (name string, arguments []*perfettopb.DebugAnnotation) {
	rest, isTask := strings.CutPrefix(label, "FFRT")
	i := strings.LastIndexByte(rest, '|')
	if !isTask || i < 0 {
		return label, nil
	}
	digits := rest[i+1:]
	digits = digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789"))]
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return label, nil
	}
	name = strings.TrimPrefix(rest[:i], "::")
	if inner, found := strings.CutPrefix(name, "["); found {
		name = strings.TrimSuffix(inner, "]")
	}
	if name == "" {
		name = "task"
	}
	return name, []*perfettopb.DebugAnnotation{{
		NameField: &perfettopb.DebugAnnotation_Name{Name: "task_id"}, Value: &perfettopb.DebugAnnotation_IntValue{IntValue: id},
	}}
}
