package pftrace

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
	"ohframe/internal/result"
)

// writeSystemInfo describes the traced system. It states no release of Linux: then
// Perfetto reads the states of threads as those of kernel 4.4, which rawTaskState
// returns. The text does not state the machine: all devices that hitrace comes with
// today are 64-bit Arm, and without it Perfetto warns that it cannot name system calls.
func writeSystemInfo(w *packet.Writer) {
	w.Write(&perfettopb.TracePacket{Data: &perfettopb.TracePacket_SystemInfo{SystemInfo: &perfettopb.SystemInfo{
		Utsname: &perfettopb.Utsname{Sysname: proto.String(result.System), Machine: proto.String("aarch64")},
	}}})
}

// writeUUID writes the trace's identity. Without it Perfetto may confuse two traces that
// begin alike.
func writeUUID(w *packet.Writer, hash xxh3.Uint128) {
	w.Write(&perfettopb.TracePacket{Data: &perfettopb.TracePacket_TraceUuid{TraceUuid: &perfettopb.TraceUuid{
		Msb: proto.Int64(int64(hash.Hi)), Lsb: proto.Int64(int64(hash.Lo)),
	}}})
}

// writeResult writes what ohframe reads of the trace. It is deflated already.
func writeResult(w *packet.Writer, r *result.Stored) {
	w.Flush()
	head, content := r.Field()
	b := append(packet.AppendVarint(nil, packet.FieldSequenceID, packet.SequenceID), head...)
	w.WriteBytes(append(packet.AppendLength(nil, packet.TraceField, len(b)+len(content)), b...))
	w.WriteBytes(content)
}

// attribute is a line on the UI's overview page: text, or else a number.
type attribute struct {
	name   string
	text   string
	number int64
}

func writeAttributes(w *packet.Writer, list []attribute) {
	attributes := &perfettopb.TraceAttributes{}
	for _, a := range list {
		pb := &perfettopb.TraceAttributes_Attribute{Key: proto.String(a.name)}
		if a.text != "" {
			pb.Value = &perfettopb.TraceAttributes_Attribute_StringValue{StringValue: a.text}
		} else {
			pb.Value = &perfettopb.TraceAttributes_Attribute_LongValue{LongValue: a.number}
		}
		attributes.Attribute = append(attributes.Attribute, pb)
	}
	w.Write(&perfettopb.TracePacket{Data: &perfettopb.TracePacket_TraceAttributes{TraceAttributes: attributes}})
}

// writeClocks relates trace time, which is boot time for Perfetto, to the known clocks,
// in each trace of the input. The first relation is at the earliest time of all: Perfetto
// moves everything before the first snapshot to its time.
func writeClocks(w *packet.Writer, t *analyzer.Timeline) {
	parts := slices.Clone(t.Parts)
	if len(parts) == 0 {
		parts = []analyzer.Part{{Span: t.Span, Clock: t.Clock}}
	}
	slices.SortStableFunc(parts, func(x, y analyzer.Part) int { return cmp.Compare(x.Span.Start, y.Span.Start) })
	parts[0].Span.Start = earliest(t)
	for i := range parts {
		p := &parts[i]
		writeClockSnapshot(w, p.Span.Start, &p.Clock, t.Wall)
		if p.Clock.Drift == 0 {
			continue
		}
		// Perfetto does not interpolate between snapshots.
		every := max(trace.Second, p.Span.Duration()/maxSnapshots)
		for at := p.Span.Start.Add(every); at < p.Span.End; at = at.Add(every) {
			writeClockSnapshot(w, at, &p.Clock, t.Wall)
		}
	}
}

// maxSnapshots bounds the snapshots of a clock that drifts.
const maxSnapshots = 1000

// writeClockSnapshot relates the clocks at a point of trace time.
func writeClockSnapshot(w *packet.Writer, at trace.Time, clock *analyzer.ClockOffset, wall analyzer.WallClock) {
	snapshot := &perfettopb.ClockSnapshot{}
	add := func(id perfettopb.BuiltinClock, ns int64) {
		snapshot.Clocks = append(snapshot.Clocks, &perfettopb.ClockSnapshot_Clock{
			ClockId: proto.Uint32(uint32(id)), Timestamp: proto.Uint64(uint64(ns)),
		})
	}
	add(perfettopb.BuiltinClock_BUILTIN_CLOCK_BOOTTIME, int64(at))
	if offset := clock.At(at); clock.Source != analyzer.ClockUnknown && at.Sub(0) >= offset {
		add(perfettopb.BuiltinClock_BUILTIN_CLOCK_MONOTONIC, int64(at.Sub(0)-offset))
	}
	if wall.At.Known() {
		add(perfettopb.BuiltinClock_BUILTIN_CLOCK_REALTIME, wall.Unix-int64(wall.At.Sub(at)))
	}
	if len(snapshot.Clocks) < 2 {
		return
	}
	w.Write(&perfettopb.TracePacket{
		Timestamp: proto.Uint64(uint64(at)),
		Data:      &perfettopb.TracePacket_ClockSnapshot{ClockSnapshot: snapshot},
	})
}

// earliest returns the first time of the output: a vsync may have been due
// before the first line.
func earliest(t *analyzer.Timeline) trace.Time {
	first := t.Span.Start
	for f := range t.Complete() {
		if f.Expected.Start > 0 {
			first = min(first, f.Expected.Start)
		}
	}
	return first
}

// maxTreeThreads limits a process tree packet, which contains whole processes.
const maxTreeThreads = 4096

// writeProcesses names the processes and threads. The names apply from the given time, which is before
// the first event, or from when ids were given again.
func writeProcesses(w *packet.Writer, list []*analyzer.Process, span analyzer.Interval) {
	trees := map[trace.Time][]*analyzer.Process{} // with the threads to be named then
	mains, threads := map[trace.PID]*analyzer.Process{}, map[trace.TID]*analyzer.Process{}
	for _, p := range list { // of several that have an id before the first event, the last one counts
		if p.Alive.Start <= span.Start {
			mains[p.PID] = p
		}
		for _, t := range p.Threads {
			if max(p.Alive.Start, t.Since) <= span.Start {
				threads[t.TID] = p
			}
		}
	}
	for _, p := range list {
		at := map[trace.Time][]analyzer.Thread{}
		begin := max(span.Start, p.Alive.Start)
		if p.PID == 0 || begin > span.End || begin == span.Start && mains[p.PID] != p {
			continue // the idle threads, which Perfetto knows, or a process before or after the trace
		}
		at[begin] = nil
		for _, t := range p.Threads {
			since := max(begin, t.Since)
			if since <= span.End && (since > span.Start || threads[t.TID] == p) {
				at[since] = append(at[since], t)
			}
		}
		for since, list := range at {
			trees[since] = append(trees[since], &analyzer.Process{PID: p.PID, Name: processName(p), Threads: list})
		}
	}
	for _, at := range slices.Sorted(maps.Keys(trees)) {
		writeTrees(w, trees[at], at)
	}
}

// writeTrees writes processes and their threads.
func writeTrees(w *packet.Writer, list []*analyzer.Process, at trace.Time) {
	tree := &perfettopb.ProcessTree{}
	flush := func() {
		if len(tree.Processes) > 0 {
			w.Write(&perfettopb.TracePacket{
				Timestamp: proto.Uint64(uint64(at)),
				Data:      &perfettopb.TracePacket_ProcessTree{ProcessTree: tree},
			})
			tree = &perfettopb.ProcessTree{}
		}
	}
	for _, p := range list {
		process := &perfettopb.ProcessTree_Process{Pid: proto.Int32(int32(p.PID))}
		if p.Name != "" {
			process.Cmdline = []string{p.Name}
		}
		if strings.Contains(p.Name, " ") {
			// Perfetto cuts a single argument at the first blank.
			process.Cmdline = append(process.Cmdline, "")
		}
		tree.Processes = append(tree.Processes, process)
		for _, t := range p.Threads {
			thread := &perfettopb.ProcessTree_Thread{Tid: proto.Int32(int32(t.TID)), Tgid: proto.Int32(int32(p.PID))}
			if t.Name != "" {
				thread.Name = proto.String(t.Name)
			}
			tree.Threads = append(tree.Threads, thread)
		}
		if len(tree.Threads) >= maxTreeThreads {
			flush()
		}
	}
	flush()
}

// writeEnds writes the ends of processes whose ids were given again, if the output has none of the
// kernel's: else the next process would be the same one for Perfetto. freed says which events of
// the kernel are in the output. It returns how many it has written.
func writeEnds(w *packet.Writer, list []*analyzer.Process, span analyzer.Interval, freed bool) (written int) {
	for i, p := range list[min(1, len(list)):] {
		last := list[i]
		if p.PID != last.PID || p.Alive.Start <= span.Start || p.Alive.Start > span.End || freed && last.Alive.End.Known() {
			continue
		}
		w.Write(&perfettopb.TracePacket{Data: &perfettopb.TracePacket_FtraceEvents{FtraceEvents: &perfettopb.FtraceEventBundle{
			Cpu: proto.Uint32(0),
			Event: []*perfettopb.FtraceEvent{{
				Timestamp: proto.Uint64(uint64(p.Alive.Start - 1)), Pid: proto.Uint32(0),
				Event: &perfettopb.FtraceEvent_SchedProcessFree{SchedProcessFree: &perfettopb.SchedProcessFreeFtraceEvent{
					Comm: proto.String(last.Name[max(0, len(last.Name)-analyzer.KernelName):]), Pid: proto.Int32(int32(last.PID)),
				}},
			}},
		}}})
		written++
	}
	return written
}

// processName returns the name that Perfetto shows for a process. If the trace does not have
// it, and two or more threads are named and all their names begin alike up to a dot, as
// hilogd.server and hilogd.pst do, it is that beginning: such daemons name their threads
// after themselves.
func processName(p *analyzer.Process) string {
	if p.Name != "" {
		return p.Name
	}
	common, named := "", 0
	for _, t := range p.Threads {
		if t.Name == "" {
			continue
		}
		begin, _, dotted := strings.Cut(t.Name, ".")
		if !dotted || common != "" && begin != common {
			return ""
		}
		common = begin
		named++
	}
	if named < 2 {
		return ""
	}
	return common
}
