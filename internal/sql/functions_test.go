package sql_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/exporter/pftrace"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

const includeFunctions = "INCLUDE PERFETTO MODULE ohos.functions;"

// sampled converts a simulated scene with the samples of a profiler.
func sampled(t *testing.T, scene simulate.Scene) (*engine.Session, *pftrace.Summary, *simulate.Truth) {
	t.Helper()
	enginetest.ForTest(t)
	var text, recording, out bytes.Buffer
	truth := must.Get(scene.GenerateWithSamples(&text, &recording, simulate.Recording{Rate: 2000, OffCPU: true}))(t)
	summary, err := pftrace.Convert(t.Context(), &text, &out, pftrace.Options{Analysis: analysis.Options{
		Causes: true, SamplesOffset: &truth.Recording.Offset,
		Samples: func() (*sample.Recording, error) {
			return analysis.ReadSamples(bytes.NewReader(recording.Bytes()), int64(recording.Len()), perfdata.Options{})
		},
	}})
	if err != nil || summary.Refused != nil {
		t.Fatal(err, summary.Refused)
	}
	session := load(t, out.Bytes())
	enginetest.CheckGate(t, session)
	return session, summary, truth
}

// Each frame, late or not, has the functions of the samples that were taken while its thread ran in
// it, and no others.
func TestFunctions(t *testing.T) {
	late, onTime, compared := 0, 0, 0
	for i, kernel := range slow.Of([]simulate.Kernel{simulate.KernelLinux}, []simulate.Kernel{simulate.KernelLinux, simulate.KernelHongMeng}) {
		session, summary, truth := sampled(t, simulate.Scene{Kernel: kernel, Cause: simulate.CauseMix, Seed: uint64(i), Decoys: true})
		var want rows
		for f := range summary.Timeline.Complete() {
			list, n := functionsOf(f, truth.Recording)
			switch {
			case n == 0:
			case f.Late():
				late++
			default:
				onTime++
			}
			for of, samples := range list {
				want.add(f.Kind.String(), int64(f.Process.PID), int64(f.TID), int64(f.Actual.Start), f.Process.Name, known(f.VsyncID), lateOf(f), of[0], of[1], samples, n)
			}
		}
		compare(t, "ohos_frame_function", query(t, session, includeFunctions+`
			SELECT f.kind, f.pid, f.tid, f.ts, n.process_name, n.vsync_id, n.is_late, function, module, samples, frame_samples
			FROM ohos_frame_function AS n JOIN ohos_frame AS f ON f.id = n.frame_id AND f.upid = n.upid AND f.utid = n.utid AND f.kind = n.kind`), want)
		compared += checkExplained(t, session, summary)
		checkFunctionTimes(t, session)
		checkExcess(t, session)
	}
	if late < 8 || onTime < 100 || compared < 8 {
		t.Errorf("%d late frames and %d on time have samples; %d are compared with their causes", late, onTime, compared)
	}
}

// functionsOf counts the samples of a frame by function and module, and all of them.
func functionsOf(f *analyzer.Frame, truth *simulate.RecordingTruth) (list map[[2]string]int, all int) {
	list = map[[2]string]int{}
	for _, s := range truth.Samples {
		if s.TID == f.TID && !s.OffCPU && s.Time >= f.Actual.Start && s.Time < f.Actual.End {
			list[[2]string{s.Function, s.Module}]++
			all++
		}
	}
	return list, all
}

// checkExplained compares the functions of late frames with those that their causes have, from the
// start of the frame on. It returns the number of frames.
func checkExplained(t *testing.T, session *engine.Session, summary *pftrace.Summary) (frames int) {
	t.Helper()
	var want, key rows
	for f := range summary.Timeline.Complete() {
		list := map[why.Function]int{}
		for _, p := range summary.Causes.Of(f).Sampled {
			if p.Samples > 0 && p.Stage != why.StageStart && (p.Wait == why.Run || p.Wait == why.GCRun || p.Wait == why.EarlierWork) {
				list[p.Function] += p.Samples
			}
		}
		if len(list) == 0 {
			continue
		}
		frames++
		key.add(int64(f.Process.PID), int64(f.TID), int64(f.Actual.Start))
		for of, n := range list {
			want.add(int64(f.Process.PID), int64(f.TID), int64(f.Actual.Start), of.Name, of.Module, n)
		}
	}
	compare(t, "samples of causes", query(t, session, includeFunctions+`
		SELECT f.pid, f.tid, f.ts, function, module, samples
		FROM ohos_frame_function JOIN ohos_frame AS f ON f.id = frame_id WHERE (f.pid, f.tid, f.ts) IN (VALUES (`+strings.Join(key, "), (")+"))"), want)
	return frames
}

// checkFunctionTimes compares the times of functions with how long threads ran in frames.
func checkFunctionTimes(t *testing.T, session *engine.Session) {
	t.Helper()
	compare(t, "times of functions", query(t, session, "SELECT frame_id, function, module, time_ns FROM ohos_frame_function"), query(t, session, `
		WITH ran AS (
			SELECT f.id, f.cpu_ns, sum(min(s.ts + s.dur, f.ts + f.dur) - max(s.ts, f.ts)) AS ns
			FROM ohos_frame AS f JOIN sched AS s ON s.utid = f.utid AND s.ts < f.ts + f.dur AND s.ts + s.dur > f.ts
			GROUP BY f.id
		)
		SELECT id, function, module, iif(coalesce(cpu_ns, ns) = ns, ns, -1) * samples / frame_samples FROM ran JOIN ohos_frame_function ON frame_id = id`))
	compare(t, "sums of samples", query(t, session, "SELECT frame_id FROM ohos_frame_function GROUP BY 1 HAVING sum(samples) <> min(frame_samples) OR min(time_ns) <= 0"), nil)
}

// checkExcess computes the means of late frames and of frames on time from the functions of
// frames.
func checkExcess(t *testing.T, session *engine.Session) {
	t.Helper()
	type group struct{ kind, upid any }
	type id struct {
		group
		function, module any
	}
	frames, times, samples := map[group][2]int64{}, map[id][2]int64{}, map[id]int64{}
	seen := map[any]bool{}
	for _, row := range enginetest.Query(t, session, "SELECT frame_id, kind, upid, function, module, is_late, samples, time_ns FROM ohos_frame_function WHERE is_late IS NOT NULL").Rows {
		g := group{row[1], row[2]}
		f, late := id{g, row[3], row[4]}, row[5].(int64)
		if counts := frames[g]; !seen[row[0]] {
			seen[row[0]] = true
			counts[late]++
			frames[g] = counts
		}
		sums := times[f]
		sums[late] += row[7].(int64)
		times[f] = sums
		if late == 1 {
			samples[f] += row[6].(int64)
		}
	}
	var want rows
	for f, sums := range times {
		n := frames[f.group]
		if samples[f] == 0 {
			continue
		}
		mean := sums[1] / n[1]
		if n[0] == 0 {
			want.add(f.kind, f.upid, f.function, f.module, nil, mean, nil, samples[f], n[1], n[0])
		} else {
			want.add(f.kind, f.upid, f.function, f.module, mean-sums[0]/n[0], mean, sums[0]/n[0], samples[f], n[1], n[0])
		}
	}
	if len(want) < 10 {
		t.Errorf("%d functions of late frames", len(want))
	}
	compare(t, "ohos_function_excess", query(t, session, `
		SELECT kind, upid, function, module, excess_ns, late_ns, usual_ns, late_samples, late_frames, on_time_frames FROM ohos_function_excess`), want)
}

// What late frames were longer in is the first function.
func TestFunctionExcess(t *testing.T) {
	for i, cause := range slow.Of([]simulate.Cause{"more_work"}, []simulate.Cause{"more_work", simulate.CauseGC}) {
		session, _, truth := sampled(t, simulate.Scene{Kernel: simulate.KernelLinux, Cause: cause, Seed: uint64(i)})
		hot := truth.Causes[0].Hot
		if hot == nil || hot.Samples < 10 {
			t.Fatalf("%s has the function %+v", cause, hot)
		}
		compare(t, string(cause), query(t, session, includeFunctions+"SELECT function, module FROM ohos_function_excess WHERE kind = 'app' LIMIT 1"), one(hot.Function, hot.Module))
	}
}

// Samples count for the innermost call of the application's own code, else for the innermost one
// outside of the kernel, else for the innermost one.
func TestFunctionRule(t *testing.T) {
	demo, timeline := demoTrace(t)
	var frame *analyzer.Frame
	for f := range timeline.Complete() {
		if f.Late() && f.Kind == analyzer.ApplicationFrame {
			frame = f
			break
		}
	}
	const entry, hap, libc = "/data/storage/el1/bundle/libs/arm64/libentry.so", "/data/app/el1/bundle/public/com.example/entry.hap", "/system/lib64/libc.so"
	var (
		main     = call{libc, "main", 8}
		own      = call{entry, "Foo::bar", 16}
		sameOwn  = call{entry, "Foo::bar", 20}
		ownOther = call{hap, "onClick", 24}
		unnamed  = call{entry, "", 0x1f40}
		memcpy   = call{libc, "memcpy", 32}
		twin     = call{"/system/lib64/libother.so", "memcpy", 32}
		dataless = call{"/system/lib64/data/libx.so", "inner", 40}
		kernel   = call{"kernel", "schedule", 1 << 40}
		symbols  = call{"[kernel.kallsyms]", "do_page_fault", 1<<40 + 4}
		guest    = call{"[guest.kernel.kallsyms]", "vm_exit", 1<<40 + 8}
		driver   = call{"/data/modules/gpu.ko", "submit", 48}
		script   = call{"entry/src/main/ets/pages/Index.ets", "build", 52}
		bundle   = call{"/system/app/com.example/entry.hap", "start", 56}
		nowhere  = call{"[unknown]", "[unknown]", 0x7f00}
		memory   = call{"", "", 0x7f08}
		stray    = call{"[unknown]", "jitted", 0x7f04} // a function without a file
	)
	inKernel := []call{kernel, symbols, guest, driver}
	tests := []struct {
		stack               []call
		function, innermost call
	}{
		{[]call{main, own, memcpy, kernel}, own, kernel},
		{[]call{main, sameOwn}, own, own},
		{[]call{own, main, ownOther, memcpy, symbols}, ownOther, symbols},
		{[]call{main, memcpy}, memcpy, memcpy},
		{[]call{main, twin, guest}, twin, guest},
		{[]call{main, dataless, kernel, driver}, dataless, driver},
		{[]call{kernel, driver}, driver, driver},
		{[]call{symbols}, symbols, symbols},
		{[]call{main, unnamed, memcpy}, unnamed, memcpy},
		{[]call{main, script, bundle}, script, bundle},
		{[]call{script, bundle, main, nowhere}, script, nowhere},
		{[]call{bundle, nowhere}, bundle, nowhere},
		{[]call{main, stray, nowhere, kernel}, stray, kernel},
		{[]call{kernel, nowhere}, kernel, nowhere},
		{[]call{nowhere}, nowhere, nowhere},
		{[]call{memory, nowhere}, nowhere, nowhere},
		{nil, nowhere, nowhere},
	}
	// Each stack has one sample more than the one before, so that numbers tell them apart.
	p := newProfile(900, "hw-cpu-cycles")
	at, samples := int64(frame.Actual.Start), map[[2]call]int{}
	for i, test := range tests {
		for range i + 1 {
			p.sample(at, frame.Process.PID, frame.TID, test.stack...)
			at++
			samples[[2]call{test.function, test.innermost}]++
		}
	}
	// These do not count.
	p.sample(int64(frame.Actual.Start)-1, frame.Process.PID, frame.TID, main)
	p.sample(int64(frame.Actual.End), frame.Process.PID, frame.TID, main)
	p.sample(int64(frame.Actual.Start), frame.Process.PID, frame.TID+1, main)
	switches, instructions := newProfile(901, "sched:sched_switch"), newProfile(902, "hw-instructions")
	for range 200 {
		switches.sample(int64(frame.Actual.Start), frame.Process.PID, frame.TID, own)
	}
	instructions.sample(int64(frame.Actual.Start), frame.Process.PID, frame.TID, own)
	session := load(t, instructions.appendTo(t, switches.appendTo(t, p.appendTo(t, demo))))
	enginetest.CheckGate(t, session)

	var want rows
	type sums struct {
		all, most int
		innermost call
	}
	functions := map[call]sums{}
	for of, n := range samples {
		s := functions[of[0]]
		if s.all += n; n > s.most {
			s.most, s.innermost = n, of[1]
		}
		functions[of[0]] = s
	}
	all := len(tests) * (len(tests) + 1) / 2
	for f, s := range functions {
		want.add(known(frame.VsyncID), f.name(), f.module(inKernel...), s.innermost.name(), s.innermost.module(inKernel...), s.all, all,
			int64(frame.CPUTime)*int64(s.all)/int64(all))
	}
	compare(t, "functions", query(t, session, includeFunctions+`
		SELECT vsync_id, function, module, innermost, innermost_module, samples, frame_samples, time_ns FROM ohos_frame_function`), want)

	// Of innermost functions with as many samples, the first one counts.
	p = newProfile(900, "hw-cpu-cycles")
	p.sample(int64(frame.Actual.Start), frame.Process.PID, frame.TID, own, memcpy)
	p.sample(int64(frame.Actual.Start), frame.Process.PID, frame.TID, own, twin)
	p.sample(int64(frame.Actual.Start), frame.Process.PID, frame.TID, own, twin, kernel)
	session = load(t, p.appendTo(t, demo))
	compare(t, "ties", query(t, session, includeFunctions+"SELECT function, innermost, innermost_module FROM ohos_frame_function"), one("Foo::bar", "memcpy", "libc.so"))
}

// The code of an application is the same in SQL and in sample.Module.
func TestOwnCode(t *testing.T) {
	demo, timeline := demoTrace(t)
	frame := timeline.Frames[len(timeline.Frames)/2]
	p := newProfile(900, "hw-cpu-cycles")
	var want rows
	for i, path := range []string{
		"/data/storage/el1/bundle/libs/arm64/libentry.so", "/data/app/el1/bundle/public/com.example.gallery/entry.hap", "/data/local/tmp/bench", "/data/x.ets",
		"/proc/61446/root/data/storage/el1/bundle/entry.hap", "/proc/61446/root/system/lib64/libc2.so", "/proc/7/root/system/a.hap", "/proc/self/root/data/c.js",
		"entry|entry|1.0.0|src/main/ets/pages/Index2.ts",
		"entry/src/main/ets/pages/Index.ets", "entry/src/main/ets/a.ts", "lib/b.js", "entry.hap", "shared.hsp", "entry.abc", "[anon:ArkTS Code]", "[vdso]",
		"/system/lib64/libace.z.so", "/system/app/com.example/entry.hap", "/vendor/lib64/libGLES.so", "/database/libx.so", "/vendor/x.js", "/bin/sh",
	} {
		outer := call{path, fmt.Sprint("f", i), uint64(i + 1)}
		p.sample(int64(frame.Actual.Start), frame.Process.PID, frame.TID, outer, call{"/system/lib64/libc.so", "main", 100})
		if m := (&sample.Module{Path: path}); m.Own() {
			want.add(outer.function, m.Name())
		}
	}
	if len(want) < 8 {
		t.Errorf("%d files are of the application", len(want))
	}
	session := load(t, p.appendTo(t, demo))
	compare(t, "own code", query(t, session, includeFunctions+"SELECT function, module FROM ohos_frame_function WHERE function <> 'main'"), want)
}

// The queries of docs/record.md give what it says, on the demo with a sample for each millisecond
// that the threads of an application ran in frames: what is above eight is in one function.
func TestFunctionGuide(t *testing.T) {
	demo, timeline := demoTrace(t)
	const ace, entry, libc = "/system/lib64/platformsdk/libace_compatible.z.so", "/data/storage/el1/bundle/libs/arm64/libentry.so", "/system/lib/ld-musl-aarch64.so.1"
	layout, bind, decode, inflate := call{ace, "FrameNode::Layout()", 1}, call{entry, "Album::bind(int)", 2}, call{entry, "Thumbnail::decode()", 3}, call{libc, "memcpy", 4}
	usual := [][]call{{layout}, {layout, bind}, {layout, bind, inflate}, {layout}, {layout, bind, decode}, {layout}, {layout, bind}, {layout, bind, decode, inflate}}
	p := newProfile(900, "hw-cpu-cycles")
	for f := range timeline.Complete() {
		if !strings.HasSuffix(f.Process.Name, "gallery") {
			continue
		}
		all := int(f.CPUTime / trace.Millisecond)
		for n := range all {
			stack := []call{layout, bind, decode, inflate}
			if n < len(usual) {
				stack = usual[n]
			}
			p.sample(int64(f.Actual.Start.Add(f.Actual.Duration()*trace.Duration(n)/trace.Duration(all))), f.Process.PID, f.TID, stack...)
		}
	}
	session := load(t, p.appendTo(t, demo))
	checkQueries(t, "../../docs/record.md", func(string) *engine.Session { return session })
}

// Without scheduling events it is unknown how long threads ran.
func TestFunctionsWithoutTimes(t *testing.T) {
	slow.Skip(t)
	_, timeline := demoTrace(t)
	var out bytes.Buffer
	must.Get(pftrace.ConvertTimeline(t.Context(), timeline, nil, &out, pftrace.Options{}))(t)
	frame := timeline.Frames[10]
	p := newProfile(900, "hw-cpu-cycles")
	p.sample(int64(frame.Actual.Start), frame.Process.PID, frame.TID, call{"/data/a.so", "f", 1})
	session := load(t, p.appendTo(t, out.Bytes()))
	compare(t, "a function", query(t, session, includeFunctions+"SELECT function, samples, time_ns FROM ohos_frame_function"), one("f", 1, nil))
	compare(t, "its excess", query(t, session, "SELECT function, excess_ns FROM ohos_function_excess"), nil)
}

// call is a call in a stack: a function, or an address if that has no name.
type call struct {
	path, function string
	address        uint64
}

// name is what the function is called in SQL, and module its file. The test says which are of the
// kernel.
func (c call) name() string {
	if c.function == "" {
		return why.NoSymbols
	}
	return c.function
}

func (c call) module(kernel ...call) any {
	switch {
	case c.path == "[unknown]" || c.path == "":
		return nil
	case slices.Contains(kernel, c):
		return "kernel"
	}
	return c.path[strings.LastIndexByte(c.path, '/')+1:]
}

// profile is samples of a profiler in the making, all of one event.
type profile struct {
	sequence uint32
	event    string
	trace    pb.Trace
	strings  map[string]uint64
	mappings map[string]uint64
	frames   map[call]uint64
	stacks   map[string]uint64
}

func newProfile(sequence uint32, event string) *profile {
	return &profile{
		sequence: sequence, event: event, strings: map[string]uint64{}, mappings: map[string]uint64{}, frames: map[call]uint64{}, stacks: map[string]uint64{},
	}
}

// sample adds a sample of a thread. The outermost call is the first.
func (p *profile) sample(at int64, process trace.PID, thread trace.TID, stack ...call) {
	packet := &pb.TracePacket{
		Timestamp:                       proto.Uint64(uint64(at)),
		OptionalTrustedPacketSequenceId: &pb.TracePacket_TrustedPacketSequenceId{TrustedPacketSequenceId: p.sequence},
		SequenceFlags:                   proto.Uint32(2),
	}
	if len(p.trace.Packet) == 0 {
		packet.SequenceFlags = proto.Uint32(1)
		packet.TracePacketDefaults = &pb.TracePacketDefaults{PerfSampleDefaults: &pb.PerfSampleDefaults{Timebase: &pb.PerfEvents_Timebase{
			Interval: &pb.PerfEvents_Timebase_Frequency{Frequency: 1000}, Name: proto.String(p.event),
		}}}
	}
	interned := &pb.InternedData{}
	number := func(names map[string]uint64, list *[]*pb.InternedString, text string) uint64 {
		if names[text] == 0 {
			names[text] = uint64(len(names) + 1)
			*list = append(*list, &pb.InternedString{Iid: proto.Uint64(names[text]), Str: []byte(text)})
		}
		return names[text]
	}
	key, ids := "", []uint64(nil)
	for _, c := range stack {
		if p.frames[c] == 0 {
			frame := &pb.Frame{Iid: proto.Uint64(uint64(len(p.frames) + 1)), RelPc: proto.Uint64(c.address)}
			if c.function != "" {
				frame.FunctionNameId = proto.Uint64(number(p.strings, &interned.FunctionNames, c.function))
			}
			if p.mappings[c.path] == 0 {
				id := number(p.mappings, &interned.MappingPaths, c.path)
				interned.Mappings = append(interned.Mappings, &pb.Mapping{Iid: proto.Uint64(id), PathStringIds: []uint64{id}})
			}
			frame.MappingId = proto.Uint64(p.mappings[c.path])
			interned.Frames = append(interned.Frames, frame)
			p.frames[c] = *frame.Iid
		}
		ids = append(ids, p.frames[c])
		key += string(rune(p.frames[c])) + ","
	}
	if p.stacks[key] == 0 && len(stack) > 0 {
		p.stacks[key] = uint64(len(p.stacks) + 1)
		interned.Callstacks = append(interned.Callstacks, &pb.Callstack{Iid: proto.Uint64(p.stacks[key]), FrameIds: ids})
	}
	if len(interned.Callstacks) > 0 {
		packet.InternedData = interned
	}
	data := &pb.PerfSample{Cpu: proto.Uint32(0), Pid: proto.Uint32(uint32(process)), Tid: proto.Uint32(uint32(thread)), TimebaseCount: proto.Uint64(1)}
	if len(stack) > 0 {
		data.CallstackIid = proto.Uint64(p.stacks[key])
	}
	packet.Data = &pb.TracePacket_PerfSample{PerfSample: data}
	p.trace.Packet = append(p.trace.Packet, packet)
}

// appendTo adds the samples to a trace.
func (p *profile) appendTo(t *testing.T, trace []byte) []byte {
	t.Helper()
	packets := must.Get(proto.Marshal(&p.trace))(t)
	return append(trace, packets...)
}
