package ftrace

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/analyzer/trace"
	"ohframe/exporter/internal/packet"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/kernel"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// kernelTrace returns the trace that the kernel events in text make, with a
// packet for each processor. Markers are not part of it.
func kernelTrace(t testing.TB, text string) []byte {
	t.Helper()
	k := newKernelEncoder(trace.Limits{}.WithDefaults().Strings)
	bundles := map[trace.CPU][]byte{}
	var cpus []trace.CPU
	tree := &perfettopb.ProcessTree{}
	for text := range strings.Lines(text) {
		var line hitrace.Line
		if hitrace.ParseLine([]byte(strings.TrimRight(text, "\r\n")), &line) != hitrace.NoProblem {
			t.Fatalf("not a line: %s", text)
		}
		event := &perfettopb.FtraceEvent{Timestamp: proto.Uint64(uint64(line.Time)), Pid: proto.Uint32(uint32(line.TID))}
		var body []byte
		switch string(line.Name) {
		case "sched_switch":
			event.Event = &perfettopb.FtraceEvent_SchedSwitch{SchedSwitch: schedSwitch(t, line.Args)}
		case "sched_waking":
			w, ok := hitrace.ParseFields([]byte("sched_waking"), line.Args).(*hitrace.Wakeup)
			if !ok {
				t.Fatalf("not understood: %s", text)
			}
			event.Event = &perfettopb.FtraceEvent_SchedWaking{SchedWaking: &perfettopb.SchedWakingFtraceEvent{
				Comm: proto.String(string(w.Comm)), Pid: proto.Int32(int32(w.TID)), Prio: &w.Prio, TargetCpu: proto.Int32(int32(w.TargetCPU)),
			}}
		default:
			var ok bool
			if body, ok = k.appendEvent(nil, line.Name, line.Args); !ok {
				t.Fatalf("not understood: %s", text)
			}
		}
		if line.PID != trace.UnknownPID {
			tree.Processes = append(tree.Processes, &perfettopb.ProcessTree_Process{Pid: proto.Int32(int32(line.PID))})
			tree.Threads = append(tree.Threads, &perfettopb.ProcessTree_Thread{Tid: proto.Int32(int32(line.TID)), Tgid: proto.Int32(int32(line.PID))})
		}
		if bundles[line.CPU] == nil {
			cpus = append(cpus, line.CPU)
			bundles[line.CPU] = protowire.AppendVarint(protowire.AppendTag(nil, bundleCPU, protowire.VarintType), uint64(line.CPU))
		}
		bundles[line.CPU] = protowire.AppendTag(bundles[line.CPU], bundleEvent, protowire.BytesType)
		bundles[line.CPU] = protowire.AppendBytes(bundles[line.CPU], append(marshal(t, event), body...))
	}

	var out bytes.Buffer
	packets := packet.NewWriter(t.Context(), &out)
	packets.Write(&perfettopb.TracePacket{Data: &perfettopb.TracePacket_SystemInfo{SystemInfo: &perfettopb.SystemInfo{
		Utsname: &perfettopb.Utsname{Sysname: proto.String("OpenHarmony")},
	}}})
	packets.Write(&perfettopb.TracePacket{Timestamp: proto.Uint64(1), Data: &perfettopb.TracePacket_ProcessTree{ProcessTree: tree}})
	packets.Flush()
	interned := k.symbols.appendInternedData(nil)
	flags := perfettopb.TracePacket_SEQ_INCREMENTAL_STATE_CLEARED | perfettopb.TracePacket_SEQ_NEEDS_INCREMENTAL_STATE
	for _, cpu := range cpus {
		encoded := marshal(t, &perfettopb.TracePacket{
			SequenceFlags: proto.Uint32(uint32(flags)),
			OptionalTrustedPacketSequenceId: &perfettopb.TracePacket_TrustedPacketSequenceId{
				TrustedPacketSequenceId: packet.SequenceID,
			},
		})
		encoded = packet.AppendBytes(append(encoded, interned...), packetFtraceEvents, bundles[cpu])
		out.Write(packet.AppendBytes(nil, packet.TraceField, encoded))
		flags, interned = perfettopb.TracePacket_SEQ_NEEDS_INCREMENTAL_STATE, nil
	}
	return out.Bytes()
}

func marshal(t testing.TB, message proto.Message) []byte {
	t.Helper()
	data := must.Get(proto.Marshal(message))(t)
	return data
}

func schedSwitch(t testing.TB, args []byte) *perfettopb.SchedSwitchFtraceEvent {
	t.Helper()
	s, ok := hitrace.ParseFields([]byte("sched_switch"), args).(*hitrace.Switch)
	if !ok {
		t.Fatalf("not understood: %s", args)
	}
	state, ok := rawTaskState(s.PrevState)
	if !ok {
		t.Fatalf("no state: %s", args)
	}
	return &perfettopb.SchedSwitchFtraceEvent{
		PrevComm: proto.String(string(s.PrevComm)), PrevPid: proto.Int32(int32(s.PrevTID)), PrevPrio: &s.PrevPrio, PrevState: &state,
		NextComm: proto.String(string(s.NextComm)), NextPid: proto.Int32(int32(s.NextTID)), NextPrio: &s.NextPrio,
	}
}

// Perfetto stores each field of each event as it was meant.
func TestKernelEventsInPerfetto(t *testing.T) {
	var text, want strings.Builder
	line := func(event, args, fields string) {
		fmt.Fprintf(&text, "task-100 ( 100) [000] .... 5.%06d: %s: %s\n", strings.Count(text.String(), "\n"), event, args)
		fmt.Fprintf(&want, "%q,%q\n", event, fields)
	}
	for _, test := range kernelCases {
		event := parseEvent(t, test.event+" {"+test.want+"}").ProtoReflect()
		message := event.Get(event.WhichOneof(event.Descriptor().Oneofs().ByName("event"))).Message()
		var fields []string
		message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
			shown := value.String()
			if test.symbol != "" && (field.Name() == "caller" || field.Name() == "function" || field.Name() == "shrink") {
				shown = test.symbol
			}
			fields = append(fields, fmt.Sprintf("%s=%s", field.Name(), shown))
			return true
		})
		slices.Sort(fields)
		line(test.event, test.args, strings.Join(fields, " "))
	}
	line("other", "of 3 pid=0x10 comm=ui thread", "args=of 3 comm=ui thread pid=16")
	line("twice", "a=1 a=2", "a=2")
	line("damaged", "a=b\xffc", "a=b\uFFFDc")

	session := enginetest.Load(t, kernelTrace(t, text.String()))
	got := enginetest.Query(t, session, `
		SELECT name, (
			SELECT group_concat(pair, ' ') FROM (
				SELECT key || '=' || display_value AS pair FROM args WHERE args.arg_set_id = ftrace_event.arg_set_id ORDER BY key)
		) AS fields
		FROM ftrace_event ORDER BY ts`)
	must.Equal(t, got.String(), "name,fields\n"+want.String())
	enginetest.CheckGate(t, session)
}

// Interrupts are slices, which Perfetto does not make of text.
func TestInterruptsInPerfetto(t *testing.T) {
	session := enginetest.Load(t, kernelTrace(t, `task-100 ( 100) [002] d.h. 5.000010: irq_handler_entry: irq=16 name=arch timer
task-100 ( 100) [002] d.h. 5.000014: irq_handler_exit: irq=16 ret=handled
task-100 ( 100) [002] d.h. 5.000015: softirq_raise: vec=1 [action=TIMER]
task-100 ( 100) [002] ..s. 5.000020: softirq_entry: vec=1 [action=TIMER]
task-100 ( 100) [002] ..s. 5.000027: softirq_exit: vec=1 [action=TIMER]
task-100 ( 100) [002] .... 5.000030: suspend_resume: thaw_processes[0] begin
task-100 ( 100) [002] .... 5.000039: suspend_resume: thaw_processes[0] end
`))
	got := enginetest.Query(t, session, `
		SELECT slice.name, ts, dur, track.type, EXTRACT_ARG(dimension_arg_set_id, 'cpu') AS cpu, EXTRACT_ARG(slice.arg_set_id, 'ret') AS ret
		FROM slice JOIN track ON track.id = track_id ORDER BY ts`)
	want := `name,ts,dur,type,cpu,ret
"IRQ (arch timer)",5000010000,4000,"cpu_irq",2,"handled"
"TIMER",5000020000,7000,"cpu_softirq",2,NULL
"thaw_processes(0)",5000030000,9000,"suspend_resume",NULL,NULL
`
	if got.String() != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	enginetest.CheckGate(t, session)
}

// Without an event, only Perfetto's table ftrace_event changes, exactly if the event is not
// among those that it shows.
func TestShownEventsInPerfetto(t *testing.T) {
	slow.Skip(t)
	scene := must.Get(txtar.ParseFile("../../pftrace/testdata/parity/kernel.txtar"))(t)
	text := strings.TrimPrefix(string(scene.Files[0].Data), "# tracer: nop\n#\n")
	for i, test := range kernelCases {
		if test.event != newTask { // an encoder never makes Perfetto's message of it
			text += fmt.Sprintf("task-100 ( 100) [000] .... 8.%06d: %s: %s\n", i, test.event, test.args)
		}
	}
	text += `task-100 ( 100) [000] .... 8.000900: unknown: a=1
task-100 ( 100) [000] .... 8.000910: dma_fence_init: driver=gpu timeline=other context=13 seqno=1
task-100 ( 100) [000] .... 8.000920: dma_fence_signaled: driver=gpu timeline=other context=13 seqno=1
task-400 ( 400) [000] .... 8.000930: binder_command: cmd=0x40406300 BC_TRANSACTION
task-400 ( 400) [000] .... 8.000940: binder_transaction: transaction=77 dest_node=3 dest_proc=200 dest_thread=0 reply=0 flags=0x10 code=0x1f
task-400 ( 400) [000] .... 8.000950: binder_return: cmd=0x7205 BR_DEAD_REPLY
task-100 ( 100) [000] .... 8.000960: sched_process_free: comm=task pid=400 prio=120
`
	// without returns what Perfetto shows of the trace without the events that drop
	// returns true for.
	without := func(drop func(event string) bool) string {
		var kept strings.Builder
		for line := range strings.Lines(text) {
			if _, rest, _ := strings.Cut(line, ": "); !drop(rest[:strings.IndexByte(rest, ':')]) {
				kept.WriteString(line)
			}
		}
		session := enginetest.Load(t, kernelTrace(t, kept.String()))
		var tables strings.Builder
		for _, sql := range []string{
			"SELECT upid, pid, name, start_ts, end_ts FROM process ORDER BY pid",
			"SELECT tid, name, start_ts, end_ts FROM thread ORDER BY tid, name",
			"SELECT utid, ts, dur, state, io_wait, blocked_function FROM thread_state ORDER BY ts, utid",
			"SELECT track.type, track.name, ts, value FROM counter JOIN track ON track.id = track_id ORDER BY ts, track.type, value",
			`SELECT track.type, slice.name, ts, dur, (
				SELECT group_concat(pair) FROM (
					SELECT key || '=' || display_value AS pair FROM args WHERE args.arg_set_id = slice.arg_set_id ORDER BY key)
				) FROM slice JOIN track ON track.id = track_id ORDER BY ts, track.type, slice.name`,
			"SELECT a.ts, b.ts FROM flow JOIN slice a ON a.id = slice_out JOIN slice b ON b.id = slice_in ORDER BY a.ts, b.ts",
		} {
			tables.WriteString(enginetest.Query(t, session, sql).String())
		}
		return tables.String()
	}
	all := without(func(string) bool { return false })
	sched := []string{"sched_switch", "sched_waking"}
	isShown := func(name string) bool {
		event := kernel.Events()[name]
		return event != nil && event.Shown
	}
	if shown := without(func(event string) bool { return !isShown(event) && !slices.Contains(sched, event) }); shown != all {
		t.Errorf("of the shown events there is\n%s\nof all\n%s", shown, all)
	}
	for event := range kernel.Events() {
		if isShown(event) && without(func(e string) bool { return e == event }) == all {
			t.Errorf("%s: nothing changes without it", event)
		}
	}
}

// Every state of a thread is the one that Perfetto reads in the text.
func TestTaskStatesInPerfetto(t *testing.T) {
	states := []string{
		"R", "R+", "S", "D", "T", "t", "X", "Z", "P", "I", "x", "K", "W", "N",
		"D|K", "S|D", "D|N", "S|K", "D|W", "Z|x", "T|K", "I|K", "?", "R|S", "S+", "running",
	}
	var text strings.Builder
	for i, state := range states {
		fmt.Fprintf(&text, "task-%d ( 100) [000] d... 5.%06d: sched_switch: prev_comm=a prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=b next_pid=%d next_prio=120\n",
			100+i, i, 100+i, state, 101+i)
	}
	query := func(session *engine.Session) string {
		return enginetest.Query(t, session, `
			SELECT tid, (ts + 500) / 1000 AS us, state, end_state
			FROM thread_state JOIN thread USING (utid) LEFT JOIN sched USING (utid, ts)
			ORDER BY us, tid`).String()
	}
	got := query(enginetest.Load(t, kernelTrace(t, text.String())))
	want := query(enginetest.Load(t, []byte("# tracer: nop\n#\n"+text.String())))
	must.Equal(t, got, want)
	if _, ok := rawTaskState(nil); ok {
		t.Error("no state is a state")
	}
}
