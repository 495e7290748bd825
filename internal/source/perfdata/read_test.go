package perfdata_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/perffile"
	"ohframe/internal/testing/slow"
)

var cycles = perffile.Event{Fields: perffile.SampleFields, Flags: perffile.Frequency, Rate: 1000, IDs: []uint64{7, 8}, Name: "hw-cpu-cycles"}

// app is a process with a library whose code is at 0x1000 of the file and 0x2000 of its memory,
// and symbols of the kernel and of one module of it.
func app(records ...[]byte) *perffile.File {
	symbols := perffile.SymbolTable(
		perffile.Symbols{Path: "/lib/libapp.so", Type: 3, Vaddr: 0x2000, Offset: 0x1000, BuildID: "abc", Symbols: []perffile.Symbol{
			perffile.Sym(0x2100, 0x80, "_ZN3app6layoutEi.llvm.42"), perffile.Sym(0x2000, 0x100, "app::main()"), perffile.Sym(0x2180, 0, "asm"), perffile.Sym(0x2200, 0x10, "end"),
		}},
		perffile.Symbols{Path: "[kernel.kallsyms]", Vaddr: 1<<64 - 1, Symbols: []perffile.Symbol{perffile.Sym(0xffffffc010000000, 0, "schedule"), perffile.Sym(0xffffffc010000100, 0, "read")}},
		perffile.Symbols{Path: "/vendor/modules/gpu-hi.ko", Type: 1, Vaddr: 1<<64 - 1, Symbols: []perffile.Symbol{perffile.Sym(0x10, 0x10, "gpu_wait")}},
		perffile.Symbols{Path: "/data/entry.hap", Type: 6, Symbols: []perffile.Symbol{perffile.Sym(0x900010, 0, "onScroll")}},
		perffile.Symbols{Path: "sysmgr.elf", Type: 2, Vaddr: 1<<64 - 1, Symbols: []perffile.Symbol{perffile.Sym(0x40, 0x10, "ipc_call")}},
	)
	start := [][]byte{
		perffile.KernelMmap(0, 1<<64-1, "[kernel.kallsyms]"), perffile.KernelMmap(0xffffffc000000000, 0x1000, "gpu_hi"),
		perffile.Comm(10, 10, "com.app", false), perffile.Comm(10, 11, "worker", false),
		perffile.Mmap2(10, 0x500000, 0x1000, 0x1000, "/lib/libapp.so"), perffile.Mmap2(10, 0x900000, 0x1000, 0, "/data/entry.hap"),
		perffile.Mmap2(2, 0x70000, 0x1000, 0, "sysmgr.elf"),
	}
	return &perffile.File{
		Events:  []perffile.Event{cycles},
		Records: append(start, records...),
		Features: map[int][]byte{
			3: perffile.Text("host"), 11: perffile.Text("hiperf record -p 10"), 12: perffile.EventNames(cycles), 192: symbols, 194: perffile.Text("Mon Jan  1 00:00:00 2024"),
		},
	}
}

// describe returns a line for each sample: time, process, thread, processor, period, and its
// stack with the innermost call first.
func describe(p *sample.Profile, list []sample.Sample) []string {
	var lines []string
	for _, s := range list {
		var calls []string
		for f := range p.Calls(s.Stack) {
			module, function := "?", fmt.Sprintf("%#x", f.Address)
			if f.Module != sample.Unknown {
				m := p.Modules[f.Module]
				module = m.Path[strings.LastIndex(m.Path, "/")+1:]
			}
			if f.Function != sample.Unknown {
				function = p.Functions[f.Function].Name
			}
			calls = append(calls, module+":"+function)
		}
		lines = append(lines, fmt.Sprintf("%d %d/%d cpu%d %d %s", s.Time, s.PID, s.TID, s.CPU, s.Period, strings.Join(calls, " ")))
	}
	return lines
}

func check(t *testing.T, file []byte, warnings []string, want ...string) *sample.Profile {
	t.Helper()
	p, list, got := read(t, file, perfdata.Options{})
	if lines := describe(p, list); !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	must.EqualSlices(t, got, warnings, "warnings")
	return p
}

func TestSamples(t *testing.T) {
	p := check(t, app(
		perffile.Sample(false, 8, 0x500110, 10, 10, 1000, 3, 99, []uint64{perffile.User, 0x500110, 0x500004, 0x900010, 0x900011, 0x400000, 1}),
		perffile.Sample(true, 7, 0xffffffc010000010, 10, 11, 2000, 0, 5, []uint64{perffile.Kernel, 0xffffffc010000010, 0xffffffc010000100, 0xffffffc000000018, perffile.User, 0x5001ff, 0x500210}),
		perffile.Lost(3),
		perffile.Sample(true, 7, 0xffffffc010000010, 99, 99, 3000, 0, 5, nil),
	).Bytes(), []string{"3 samples lost while recording", "1 × thread without a name"},
		"1000 10/10 cpu3 99 libapp.so:app::layout(int) libapp.so:app::main() entry.hap:onScroll entry.hap:0x900011 ?:0x400000",
		"2000 10/11 cpu0 5 [kernel.kallsyms]:schedule [kernel.kallsyms]:read gpu-hi.ko:gpu_wait libapp.so:asm libapp.so:0x2210",
		"3000 99/99 cpu0 5 [kernel.kallsyms]:schedule",
	)
	if p.Events[0] != (sample.Event{Name: "hw-cpu-cycles", Frequency: 1000}) || p.Command != "hiperf record -p 10" || p.Recorded != "Mon Jan  1 00:00:00 2024" || p.Lost != 3 {
		t.Errorf("%+v %q %q, %d lost", p.Events, p.Command, p.Recorded, p.Lost)
	}
	must.Equal(t, p.Modules[p.Functions[p.Frames[0].Function].Module], (sample.Module{Path: "/lib/libapp.so", BuildID: "abc"}))
	must.EqualSlices(t, p.Threads, []sample.Thread{{PID: 10, TID: 10, Name: "com.app"}, {PID: 10, TID: 11, Name: "worker"}, {PID: 99, TID: 99}})
}

// On the HongMeng kernel, a part of a stack may have run in another process.
func TestServers(t *testing.T) {
	f := app(perffile.Sample(true, 7, 0x70044, 10, 10, 1000, 0, 1, []uint64{perffile.Kernel, 0x70044, perffile.User, 0x500000}, uint64(2), []uint64{2, 10}))
	f.Events[0].Fields |= perffile.Servers
	check(t, f.Bytes(), nil, "1000 10/10 cpu0 1 sysmgr.elf:ipc_call libapp.so:app::main()")
}

// A process keeps its parent's mappings until it runs another program, and a new mapping replaces
// what it overlaps.
func TestMappings(t *testing.T) {
	at := func(time uint64, pid int32, ip uint64) []byte {
		return perffile.Sample(false, 7, ip, pid, pid, time, 0, 1, []uint64{perffile.User, ip})
	}
	check(t, app(
		perffile.Fork(20, 10), at(1, 20, 0x500000),
		perffile.Mmap2(20, 0x500080, 0x80, 0, "/lib/other.so"), at(2, 20, 0x50007f), at(3, 20, 0x500080), at(4, 20, 0x500100), at(5, 10, 0x500080),
		perffile.Comm(20, 20, "other", true), at(6, 20, 0x500000),
		perffile.Fork(30, 10), perffile.Mmap2(30, 0x500000, 0x1000, 0, "/lib/same.so"), at(7, 10, 0x500000), at(8, 30, 0x500000),
	).Bytes(), []string{"1 × thread without a name"},
		"1 20/20 cpu0 1 libapp.so:app::main()",
		"2 20/20 cpu0 1 libapp.so:app::main()",
		"3 20/20 cpu0 1 other.so:0x0",
		"4 20/20 cpu0 1 libapp.so:app::layout(int)",
		"5 10/10 cpu0 1 libapp.so:app::main()",
		"6 20/20 cpu0 1 ?:0x500000",
		"7 10/10 cpu0 1 libapp.so:app::main()",
		"8 30/30 cpu0 1 same.so:0x0",
	)
}

// Addresses without a context are where the sample was.
func TestNoContext(t *testing.T) {
	chain := []uint64{0x500000}
	check(t, app(
		perffile.Sample(true, 7, 1, 10, 10, 1, 0, 1, chain), perffile.Sample(false, 7, 1, 10, 10, 2, 0, 1, chain), perffile.Sample(true, 7, 1, 10, 10, 3, 0, 1, chain),
	).Bytes(), nil,
		"1 10/10 cpu0 1 [kernel.kallsyms]:0x500000", "2 10/10 cpu0 1 libapp.so:app::main()", "3 10/10 cpu0 1 [kernel.kallsyms]:0x500000")
}

func TestDeduplicatedStacks(t *testing.T) {
	calls := []perffile.Call{
		{Index: 5, Address: 0x500004}, {Index: 9, Caller: 5, Address: 0x500110}, {Index: 3, Caller: 9, Address: 0xfffffffe00, Kernel: true},
		{Index: 4, Caller: 3, Address: 0xc010000010, Kernel: true}, {Index: 6, Caller: 4, Address: 0xffffffff80, Kernel: true},
		{Index: 11, Caller: 12, Address: 0x500000}, {Index: 12, Caller: 11, Address: 0x500110},
	}
	for feature, bits := range map[int]int{197: 23, 196: 20} {
		f := app(
			perffile.Sample(true, 7, 1, 10, 10, 1, 0, 1, nil, perffile.StackID(6, 5, bits)),
			perffile.Sample(false, 7, 1, 10, 10, 2, 0, 1, []uint64{perffile.User, 0x500000}),
			perffile.Sample(false, 7, 0x500000, 10, 10, 3, 0, 1, nil, perffile.StackID(77, 5, bits)),
			perffile.Sample(false, 7, 0x500000, 10, 10, 4, 0, 1, nil, perffile.StackID(11, 3, bits)),
			perffile.Sample(false, 7, 0x500000, 11, 11, 5, 0, 1, nil, perffile.StackID(9, 2, bits)),
		)
		f.Features[feature] = perffile.StackTable(10, bits, calls...)
		check(t, f.Bytes(), []string{"3 × sample whose stack is damaged; its innermost calls are used"},
			"1 10/10 cpu0 1 [kernel.kallsyms]:schedule libapp.so:app::layout(int) libapp.so:app::main()",
			"2 10/10 cpu0 1 libapp.so:app::main()",
			"3 10/10 cpu0 1 libapp.so:app::main()",
			"4 10/10 cpu0 1 libapp.so:app::main() libapp.so:app::layout(int) libapp.so:app::main()",
			"5 11/11 cpu0 1 ?:0x500000")
	}
}

// A processor's buffer may come after that of another. Times decide if the records have them.
func TestRecordTimes(t *testing.T) {
	f := app()
	f.Events[0].Flags |= perffile.SampleIDs
	trailer := func(time uint64) []uint64 { return []uint64{10 | 10<<32, time, 7, 0, 7} } // thread, time, id, processor, identifier
	f.Records = [][]byte{
		perffile.Sample(false, 7, 0x500000, 10, 10, 50, 0, 1, nil),
		perffile.Sample(false, 7, 0x500000, 10, 10, 90, 0, 1, nil),
		perffile.Mmap2(10, 0x500000, 0x1000, 0x1000, "/lib/libapp.so", trailer(40)...),
		perffile.Mmap2(10, 0x500000, 0x1000, 0, "/lib/late.so", trailer(80)...),
		perffile.Comm(10, 10, "com.app", false, trailer(30)...),
	}
	check(t, f.Bytes(), nil, "50 10/10 cpu0 1 libapp.so:app::main()", "90 10/10 cpu0 1 late.so:0x0")
}

func TestEvents(t *testing.T) {
	f := app()
	f.Events = []perffile.Event{
		{Fields: perffile.Identifier | perffile.IP | perffile.TID | perffile.Time, Rate: 500, IDs: []uint64{1}, Name: "a"},
		{Fields: perffile.Identifier | perffile.IP | perffile.TID | perffile.Time | perffile.Read | perffile.Period, Flags: perffile.Frequency, Rate: 10, ReadFormat: 15, IDs: []uint64{2}, Name: "b"},
	}
	f.Features[12] = perffile.EventNames(f.Events...)
	f.Records = [][]byte{
		perffile.Record(9, 2, words(1, 0x10, 5<<32|5, 1)),
		perffile.Record(9, 2, words(2, 0x10, 5<<32|5, 2, 33, 2, 0, 0, 8, 8, 9, 9)),
		perffile.Record(9, 2, words(3, 0x10, 5<<32|5, 3)),
	}
	p, list, _ := read(t, f.Bytes(), perfdata.Options{})
	if len(list) != 3 || list[0].Event != 0 || list[0].Period != 500 || list[1].Event != 1 || list[1].Period != 33 || list[2].Event != sample.Unknown {
		t.Errorf("%+v", list)
	}
	must.EqualSlices(t, p.Events, []sample.Event{{Name: "a", Period: 500}, {Name: "b", Frequency: 10}})
}

func words(list ...uint64) []byte {
	var b []byte
	for _, v := range list {
		for range 8 {
			b, v = append(b, byte(v)), v>>8
		}
	}
	return b
}

func TestClock(t *testing.T) {
	for _, test := range []struct {
		flags uint64
		clock int32
		want  sample.ClockID
		name  string
		known bool
	}{
		{0, 1, sample.ClockPerf, "perf", false},
		{perffile.UseClockID, 1, sample.ClockMonotonic, "monotonic", true},
		{perffile.UseClockID, 7, sample.ClockBoot, "boottime", true},
		{perffile.UseClockID, 0, sample.ClockRealtime, "realtime", true},
		{perffile.UseClockID, 99, 99, "unknown", false},
		{perffile.UseClockID, -1, sample.ClockUnknown, "unknown", false},
	} {
		f := app()
		f.Events[0].Flags, f.Events[0].Clock = test.flags, test.clock
		f.Features[29] = append(perffile.Text("")[:0], 1, 0, 0, 0, byte(test.clock), 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0)
		p, _, _ := read(t, f.Bytes(), perfdata.Options{})
		if c := p.Clock; c.ID != test.want || c.ID.String() != test.name || c.ID.Known() != test.known {
			t.Errorf("%+v: %+v", test, c)
		}
		if stated := test.flags != 0 && test.clock >= 0; stated != (p.Clock.At == 6 && p.Clock.Unix == 5) {
			t.Errorf("%+v: %+v", test, p.Clock)
		}
		f.Events = append(f.Events, perffile.Event{Fields: perffile.SampleFields, Flags: perffile.UseClockID, Clock: 4})
		if p, _, _ := read(t, f.Bytes(), perfdata.Options{}); p.Clock.ID != sample.ClockUnknown {
			t.Errorf("two clocks: %v", p.Clock.ID)
		}
	}
}

func TestReport(t *testing.T) {
	frame := func(address, file, function int) []byte { return perffile.Message(1, address, 2, file, 3, function) }
	check(t, perffile.Report(
		perffile.Message(5, perffile.Message(1, "hw-cpu-cycles", 2, "hiperf record")),
		perffile.Message(1, perffile.Message(1, 1000, 2, 11, 3, frame(0x10, 0, 1), 3, frame(0x20, 1, 0), 3, frame(0x30, 1, -1), 3, perffile.Message(1, 0x40), 3, frame(0x50, 2, 0), 4, 77, 5, 0)),
		perffile.Message(4, perffile.Message(1, 11, 2, 10, 3, "worker")),
		perffile.Message(3, perffile.Message(1, 0, 2, "[kernel.kallsyms]", 3, "read", 3, "schedule")),
		perffile.Message(3, perffile.Message(1, 1, 2, "/lib/libapp.so", 3, "_ZN3app6layoutEi")),
		perffile.Message(3, perffile.Message(1, 2, 2, "/lib/libapp.so", 3, "app::main()")),
		perffile.Message(2, perffile.Message(1, 1, 2, 5)),
	), []string{"5 samples lost while recording"},
		"1000 10/11 cpu-1 77 [kernel.kallsyms]:schedule libapp.so:app::layout(int) libapp.so:0x30 ?:0x40 libapp.so:app::main()")
}

func TestErrors(t *testing.T) {
	good := app().Bytes()
	patched := func(at int, b ...byte) []byte {
		c := slices.Clone(good)
		copy(c[at:], b)
		return c
	}
	for _, test := range []struct {
		name, want string
		file       []byte
		kind       error
	}{
		{"empty", "not perf data", nil, perfdata.ErrUnsupported},
		{"header", "perf data that is cut within its header", good[:103], nil},
		{"pipe", "perf data for a pipe", patched(8, 16)[:64], perfdata.ErrUnsupported},
		{"big-endian", "perf data of a big-endian machine", patched(0, []byte("2ELIFREP")...), perfdata.ErrUnsupported},
		{"events", "perf data without a valid description of its events", patched(24, 255, 255, 255, 255), nil},
		{"no event", "perf data without a valid description of its events", patched(32, 0), nil},
		{"data", "perf data without samples: its data is outside the file", patched(40, 255, 255, 255, 255), nil},
		{"report", "a hiperf report that is cut within its header", []byte("HIPERF_PB_"), nil},
		{"version", "a hiperf report of another version", []byte("HIPERF_PB_\x02\x00\x00\x00\x00\x00"), perfdata.ErrUnsupported},
	} {
		_, err := perfdata.Open(bytes.NewReader(test.file), int64(len(test.file)), perfdata.Options{})
		if e := (*perfdata.Error)(nil); !errors.As(err, &e) || e.What != test.want || e.Err != test.kind {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestDamage(t *testing.T) {
	one := perffile.Sample(false, 7, 0x500000, 10, 10, 1, 0, 1, nil)
	const line = "1 10/10 cpu0 1 libapp.so:app::main()"
	deep := make([]uint64, 8000)
	for i := range deep {
		deep[i] = 0x500000
	}
	for _, test := range []struct {
		name    string
		change  func(f *perffile.File)
		warning string
		samples int
	}{
		{"short sample", func(f *perffile.File) {
			f.Records = append(f.Records, one[:len(one):len(one)], perffile.Record(9, 2, one[8:40]))
		}, "1 × sample shorter than its fields; skipped", 1},
		{"chain", func(f *perffile.File) {
			f.Records = append(f.Records, one, perffile.Record(9, 2, append(slices.Clone(one[8:len(one)-8]), 255, 255, 255, 255, 255, 255, 255, 255)))
		}, "1 × sample shorter than its fields; skipped", 1},
		{"time", func(f *perffile.File) {
			f.Records = append(f.Records, one, perffile.Sample(false, 7, 0, 10, 10, 1<<63, 0, 1, nil))
		}, "1 × sample with an impossible time; skipped", 1},
		{"record size", func(f *perffile.File) { f.Records = append(f.Records, one, []byte{9, 0, 0, 0, 2, 0, 4, 0}, one) }, "1 × record that runs over the end of its section; the rest is skipped", 1},
		{"record end", func(f *perffile.File) { f.Records = append(f.Records, one, perffile.Record(9, 2, one)[:30]) }, "1 × record that runs over the end of its section; the rest is skipped", 1},
		{"aux", func(f *perffile.File) { f.Records = append(f.Records, one, perffile.Record(71, 0, words(1<<40)), one) }, "1 × record that runs over the end of its section; the rest is skipped", 1},
		{"compressed", func(f *perffile.File) { f.Records = append(f.Records, one, perffile.Record(81, 0, words(1))) }, "1 × block of compressed records; skipped: record without -z", 1},
		{"symbols", func(f *perffile.File) {
			f.Records = append(f.Records, one)
			f.Features[192] = append(f.Features[192], 0)
			f.Features[192][0] = 6
		}, "1 × table of symbols that ends early; its beginning is used", 1},
		{"stacks", func(f *perffile.File) {
			f.Records = append(f.Records, one)
			f.Features[197] = words(1<<32|5, 1<<32-1, 3)
		}, "1 × table of stacks that ends early; its beginning is used", 1},
		{"deep", func(f *perffile.File) {
			f.Records = append(f.Records, perffile.Sample(false, 7, 1, 10, 10, 1, 0, 1, deep))
		}, "1 × stack of more than 1024 calls; the innermost are used", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := app()
			test.change(f)
			p, list, warnings := read(t, f.Bytes(), perfdata.Options{})
			if len(list) != test.samples || !slices.Equal(warnings, []string{test.warning}) {
				t.Errorf("%d samples, %q", len(list), warnings)
			}
			if lines := describe(p, list); test.name != "deep" && lines[0] != line {
				t.Errorf("%q", lines)
			}
		})
	}
}

// The size of the data is written last.
func TestUnfinished(t *testing.T) {
	file := app(perffile.Sample(false, 7, 0x500000, 10, 10, 1, 0, 1, nil))
	file.Features = nil
	b := file.Bytes()
	clear(b[48:56])
	check(t, b, []string{"the recording was not finished: it has no symbols, and its size is missing"}, "1 10/10 cpu0 1 libapp.so:0x1000")
}

// Data after an aux record is not a record.
func TestAux(t *testing.T) {
	one := perffile.Sample(false, 7, 0x500000, 10, 10, 1, 0, 1, nil)
	check(t, app(perffile.Record(71, 0, words(16, 0, 0, 0)), words(9|200<<48, 1), one).Bytes(), nil, "1 10/10 cpu0 1 libapp.so:app::main()")
}

func TestThreadLimit(t *testing.T) {
	f := app(perffile.Sample(false, 7, 0x500000, 10, 10, 1, 0, 1, nil), perffile.Sample(false, 7, 0x500000, 10, 12, 1, 0, 1, nil))
	p, list, warnings := read(t, f.Bytes(), perfdata.Options{Limits: trace.Limits{Threads: 2}})
	if len(list) != 1 || len(p.Threads) != 2 || !slices.Equal(warnings, []string{"1 × thread or process beyond the limit (limit: threads); skipped"}) {
		t.Errorf("%d samples, %+v, %q", len(list), p.Threads, warnings)
	}
}

// A file that is cut anywhere has an error, or a warning and the samples before the cut.
func TestCut(t *testing.T) {
	var records [][]byte
	for i := range uint64(20) {
		records = append(records, perffile.Sample(false, 7, 0x500000, 10, 10, i, 0, 1, []uint64{perffile.User, 0x500000 + i*16}))
	}
	f := app(records...)
	f.Features[197] = perffile.StackTable(10, 23, perffile.Call{Index: 1, Address: 0x500000})
	report := perffile.Report(perffile.Message(5, perffile.Message(1, "a")), perffile.Message(1, perffile.Message(1, 1, 2, 1)), perffile.Message(1, perffile.Message(1, 2, 2, 1)), perffile.Message(3, perffile.Message(1, 0, 2, "f", 3, "g")))
	for _, file := range [][]byte{f.Bytes(), report} {
		whole, before := 0, 0
		for n := 0; n < len(file); n += slow.Of(7, 1) {
			r, err := perfdata.Open(bytes.NewReader(file[:n]), int64(n), perfdata.Options{})
			if err != nil {
				if e := (*perfdata.Error)(nil); !errors.As(err, &e) {
					t.Fatal(n, err)
				}
				continue
			}
			var s sample.Sample
			read := 0
			for err = r.Next(&s); err == nil; err = r.Next(&s) {
				read++
			}
			if err != io.EOF || len(r.Warnings()) == 0 || read < before {
				t.Fatalf("at %d of %d: %d samples, %v, %q", n, len(file), read, err, r.Warnings())
			}
			whole, before = max(whole, read), read
		}
		if whole == 0 {
			t.Error("no samples before any cut")
		}
	}
}
