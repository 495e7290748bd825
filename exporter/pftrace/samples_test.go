package pftrace

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

// samplesBehind is what the clock of the samples of waitsRecording is behind that of the trace.
const samplesBehind = 1_000_000

// waitsRecording is what a profiler could have recorded of testdata/why/waits.ftrace.
func waitsRecording() *sample.Recording {
	const none = sample.Unknown
	at := func(t trace.Time) trace.Time { return t - samplesBehind }
	return &sample.Recording{
		Profile: &sample.Profile{
			Clock:   sample.Clock{ID: sample.ClockMonotonic},
			Events:  []sample.Event{{Name: "hw-cpu-cycles", Frequency: 1000}, {Name: "sched:sched_switch", Period: 1}},
			Threads: []sample.Thread{{PID: 100, TID: 100, Name: "gallery"}, {PID: 390, TID: 390, Name: "codec"}, {PID: 390, TID: 400, Name: "codec worker"}, {PID: 390, TID: 401, Name: "idle"}},
			Modules: []sample.Module{
				{Path: "/data/storage/el1/bundle/libs/arm64/libentry.so", BuildID: "0a1b2c"},
				{Path: "[kernel.kallsyms]", BuildID: "ff", Kernel: true},
				{Path: "/system/lib64/libc.so", BuildID: "not hex"},
				{Path: "entry|ets/pages/Index.ets"},
			},
			Functions: []sample.Function{
				{Name: "Foo::bar(int)", Module: 0}, {Name: "futex_wait", Module: 1}, {Name: "main", Module: 0}, {Name: "never called", Module: 2}, {Name: "anonymous", Module: 3},
			},
			Frames: []sample.Frame{
				{Module: 0, Function: 2, Address: 0x1000},
				{Module: 0, Function: 0, Address: 0x2000},
				{Module: 2, Function: none, Address: 0x1234},
				{Module: none, Function: none, Address: 0x7f00},
				{Module: 1, Function: 1, Address: 0xffffffc000001000},
				{Module: 0, Function: 0, Address: 0x2004}, // the same function, elsewhere
				{Module: 3, Function: 4, Line: 12},
				{Module: 3, Function: 4, Line: 70}, // another function of the same name
			},
			Stacks: []sample.Stack{
				{Parent: none, Frame: 0}, {Parent: 0, Frame: 1}, {Parent: 1, Frame: 2}, {Parent: 2, Frame: 4},
				{Parent: none, Frame: 3}, {Parent: 4, Frame: 5}, {Parent: none, Frame: 6}, {Parent: 6, Frame: 7},
			},
		},
		Samples: []sample.Sample{
			{Time: at(1_120_200_000), PID: 100, TID: 100, CPU: 0, Event: 0, Stack: 1, Period: 900},
			{Time: at(1_120_700_000), PID: 7, TID: 100, CPU: 0, Event: 0, Stack: 2, Period: 1100}, // of another process, the profiler says
			{Time: at(1_121_200_000), PID: 100, TID: 100, CPU: 0, Event: 1, Stack: 3, Period: 1, Kernel: true},
			{Time: at(1_121_500_000), PID: 100, TID: 101, CPU: 1, Event: 0, Stack: 1, Period: 500},
			{Time: at(1_122_000_000), PID: 100, TID: 101, CPU: 1, Event: 0, Stack: 5, Period: 600},
			{Time: at(1_122_500_000), PID: 50, TID: 50, CPU: 3, Event: 0, Stack: none, Period: 700},
			{Time: at(1_122_600_000), PID: 390, TID: 400, CPU: 2, Event: 0, Stack: 0, Period: 800},
			{Time: at(1_122_700_000), PID: 0, TID: 0, CPU: none, Event: none, Stack: 4, Period: 5},
			{Time: at(1_122_800_000), PID: 0, TID: 77, CPU: 5000, Event: 0, Stack: 4, Period: 6}, // its process is not known
			{Time: at(1_122_900_000), PID: 100, TID: 100, CPU: none, Event: none, Stack: 7, Period: 1},
		},
	}
}

// sampled returns options with a recording.
func sampled(rec *sample.Recording) Options {
	return Options{Analysis: analysis.Options{Causes: true, SamplesOffset: offset(samplesBehind), Samples: func() (*sample.Recording, error) {
		clone := *rec
		clone.Samples = slices.Clone(rec.Samples)
		return &clone, nil
	}}}
}

func waitsText(t testing.TB) string {
	t.Helper()
	text := must.Get(os.ReadFile("../../testdata/why/waits.ftrace"))(t)
	return string(text)
}

// stacksIn returns the stacks of a session as text by the number of the innermost call. Each call
// is function@address (file, build id).
func stacksIn(t *testing.T, session *engine.Session) map[int64]string {
	t.Helper()
	stacks := map[int64]string{}
	for _, row := range enginetest.Query(t, session, `
		SELECT c.id, c.parent_id, c.depth, f.name, f.rel_pc, m.name, m.build_id, ifnull(' ' || s.source_file || ':' || s.line_number, '')
		FROM stack_profile_callsite c JOIN stack_profile_frame f ON f.id = c.frame_id JOIN stack_profile_mapping m ON m.id = f.mapping
		LEFT JOIN stack_profile_symbol s USING (symbol_set_id)
		ORDER BY c.id`).Rows {
		text := fmt.Sprintf("%v@%x (%v %v)%v", row[3], uint64(row[4].(int64)), row[5], row[6], row[7])
		if row[1] != nil {
			text = stacks[row[1].(int64)] + " " + text
		}
		if depth := int64(strings.Count(text, "@") - 1); row[2] != depth {
			t.Errorf("%s has depth %v", text, row[2])
		}
		stacks[row[0].(int64)] = text
	}
	return stacks
}

// samplesIn returns the samples of a session as text.
func samplesIn(t *testing.T, session *engine.Session) rows {
	t.Helper()
	stacks := stacksIn(t, session)
	var list rows
	for _, row := range enginetest.Query(t, session, `
		SELECT s.ts, p.pid, t.tid, s.cpu, s.cpu_mode, track.name, c.counter_value, s.callsite_id
		FROM perf_sample s JOIN thread t USING (utid) LEFT JOIN process p USING (upid)
		JOIN linux_perf_sample_with_counters c ON c.sample_id = s.id JOIN perf_counter_track track ON track.id = c.track_id
		ORDER BY s.ts`).Rows {
		if row[7] != nil {
			row[7] = stacks[row[7].(int64)]
		}
		list.add(row...)
	}
	return list
}

const includePerf = "INCLUDE PERFETTO MODULE linux.perf.counters;"

// The engine reads each sample: time, thread, processor, mode, event, period and stack.
func TestSamplesInEngine(t *testing.T) {
	data, s := convert(t, waitsText(t), sampled(waitsRecording()))
	if s.Refused != nil || s.Sampled.Written != 10 {
		t.Fatalf("%d samples; %v", s.Sampled.Written, s.Refused)
	}
	session := enginetest.Load(t, data)
	enginetest.CheckGate(t, session)
	enginetest.Query(t, session, includePerf)
	const (
		entry   = " (/data/storage/el1/bundle/libs/arm64/libentry.so 0a1b2c)"
		kernel  = " (/kernel )"
		libc    = " (/system/lib64/libc.so )"
		unknown = " (/[unknown] )"
		main    = "main@1000" + entry
		bar     = "Foo::bar(int)@2000" + entry
		leaf    = "libc.so+0x1234@1234" + libc
		wait    = "futex_wait@ffffffc000001000" + kernel
		nowhere = "[unknown]@7f00" + unknown
	)
	var want rows
	want.add(1_120_200_000, 100, 100, 0, "user", "hw-cpu-cycles", 900., main+" "+bar)
	want.add(1_120_700_000, 100, 100, 0, "user", "hw-cpu-cycles", 1100., main+" "+bar+" "+leaf)
	want.add(1_121_200_000, 100, 100, 0, "kernel", "sched:sched_switch", 1., main+" "+bar+" "+leaf+" "+wait)
	want.add(1_121_500_000, 100, 101, 1, "user", "hw-cpu-cycles", 500., main+" "+bar)
	want.add(1_122_000_000, 100, 101, 1, "user", "hw-cpu-cycles", 600., nowhere+" Foo::bar(int)@2004"+entry)
	want.add(1_122_500_000, 50, 50, 3, "user", "hw-cpu-cycles", 700., nil)
	want.add(1_122_600_000, 390, 400, 2, "user", "hw-cpu-cycles", 800., main)
	want.add(1_122_700_000, 0, 0, 0, "user", "samples", 5., nowhere) // this engine has no unknown processors
	want.add(1_122_800_000, 77, 77, 0, "user", "hw-cpu-cycles", 6., nowhere)
	const script = " (/entry|ets/pages/Index.ets ) entry|ets/pages/Index.ets:"
	want.add(1_122_900_000, 100, 100, 0, "user", "samples", 1., "anonymous@c"+script+"12 anonymous@46"+script+"70")
	compare(t, "samples", samplesIn(t, session), want)

	var threads rows
	threads.add(390, "codec", 400, "codec worker")
	compare(t, "threads of the profiler", query(t, session,
		"SELECT pid, process.name, tid, thread.name FROM thread JOIN process USING (upid) WHERE tid IN (390, 400, 401) AND thread.name IS NOT process.name"), threads)
	compare(t, "twice", query(t, session, "SELECT tid FROM thread GROUP BY tid HAVING count() > 1"), nil)
	compare(t, "name", query(t, session, "SELECT name FROM process WHERE pid = 100"), rows{`"gallery"`})
	compare(t, "what is not used", query(t, session, "SELECT name FROM stack_profile_frame WHERE name GLOB 'never*'"), nil)
	// An address is one row, also in stacks of several threads and events.
	compare(t, "frames", query(t, session, "SELECT count() FROM stack_profile_frame"), rows{"8"})
	compare(t, "mappings", query(t, session, "SELECT count() FROM stack_profile_mapping"), rows{"5"})
}

// Samples have no clock of their own, so the clocks need no relation that the trace lacks.
func TestSamplePackets(t *testing.T) {
	data, _ := convert(t, waitsText(t), sampled(waitsRecording()))
	sequences := map[uint32]int{}
	for i, p := range packetsOf(t, data) {
		checkKnown(t, p.ProtoReflect())
		if p.TimestampClockId != nil {
			t.Errorf("packet %d is in clock %d", i, p.GetTimestampClockId())
		}
		if p.GetPerfSample() == nil {
			continue
		}
		id := p.GetTrustedPacketSequenceId()
		if sequences[id]++; p.GetSequenceFlags() != uint32(perfettopb.TracePacket_SEQ_NEEDS_INCREMENTAL_STATE) {
			t.Errorf("packet %d has flags %d", i, p.GetSequenceFlags())
		}
	}
	if len(sequences) != 3 || sequences[1] > 0 || sequences[2] > 0 {
		t.Errorf("samples by sequence: %v", sequences)
	}
}

// The clocks come before all packets with a time of their own, but those of sequences that name a clock. The engine
// moves the times of a trace that is merged with another when it reads them, but no times of an unknown clock.
func TestClocksFirst(t *testing.T) {
	data, _ := convert(t, waitsText(t), sampled(waitsRecording()))
	samples, known := 0, false
	named := map[uint32]bool{} // the clock of a sequence
	for i, p := range packetsOf(t, data) {
		known = known || p.GetClockSnapshot() != nil
		named[p.GetTrustedPacketSequenceId()] = named[p.GetTrustedPacketSequenceId()] || p.GetTracePacketDefaults().GetTimestampClockId() != 0
		if p.Timestamp != nil && !known && !named[p.GetTrustedPacketSequenceId()] {
			t.Fatalf("packet %d has a time before that of clocks: %v", i, p)
		}
		if p.GetPerfSample() != nil {
			samples++
		}
	}
	if samples == 0 {
		t.Error("no samples")
	}
}

// samplesOf returns the samples of a trace, one a line.
func samplesOf(t testing.TB, data []byte) (list []string) {
	t.Helper()
	for _, p := range packetsOf(t, data) {
		if s := p.GetPerfSample(); s != nil {
			list = append(list, fmt.Sprintf("%d %v", p.GetTimestamp(), s))
		}
	}
	return list
}

// Samples that are refused are not written.
func TestSamplesRefused(t *testing.T) {
	o := Options{Analysis: analysis.Options{Samples: func() (*sample.Recording, error) { return nil, errors.New("damaged") }}}
	data, s := convert(t, waitsText(t), o)
	if s.Refused == nil || len(samplesOf(t, data)) > 0 {
		t.Errorf("refused: %v", s.Refused)
	}
}
