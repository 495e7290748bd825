package ftrace

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/kernel"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

// encodeKernel returns what the encoder makes of an event.
func encodeKernel(t testing.TB, k *kernelEncoder, name, args string) *perfettopb.FtraceEvent {
	t.Helper()
	before := []byte("before")
	buf, ok := k.appendEvent(before, []byte(name), []byte(args))
	if !ok {
		t.Fatalf("%s: %s: refused", name, args)
	}
	body, found := bytes.CutPrefix(buf, before)
	if !found {
		t.Fatalf("%s: %s: what was in the buffer is %q", name, args, buf)
	}
	event := &perfettopb.FtraceEvent{}
	if err := proto.Unmarshal(body, event); err != nil {
		t.Fatalf("%s: %s: %v", name, args, err)
	}
	checkStrings(t, event.ProtoReflect(), name+": "+args)
	return event
}

// checkStrings fails the test if a message contains invalid text, or fields
// that the schema does not know.
func checkStrings(t testing.TB, message protoreflect.Message, of string) {
	t.Helper()
	if unknown := message.GetUnknown(); len(unknown) > 0 {
		t.Errorf("%s: %s has unknown fields %x", of, message.Descriptor().Name(), []byte(unknown))
	}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsList():
			for i := range value.List().Len() {
				checkStrings(t, value.List().Get(i).Message(), of)
			}
		case field.Kind() == protoreflect.MessageKind:
			checkStrings(t, value.Message(), of)
		case field.Kind() == protoreflect.StringKind && !utf8.ValidString(value.String()):
			t.Errorf("%s: %s is not UTF-8: %q", of, field.Name(), value.String())
		}
		return true
	})
}

// parseEvent returns the event that text spells.
func parseEvent(t testing.TB, text string) *perfettopb.FtraceEvent {
	t.Helper()
	event := &perfettopb.FtraceEvent{}
	if err := prototext.Unmarshal([]byte(text), event); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return event
}

// symbolNames returns the names that a table gave numbers to, in their order.
func symbolNames(t testing.TB, table *symbolTable) []string {
	t.Helper()
	packet := &perfettopb.TracePacket{}
	must.Do(t, proto.Unmarshal(table.appendInternedData(nil), packet))
	var names []string
	for i, symbol := range packet.GetInternedData().GetKernelSymbols() {
		if symbol.GetIid() != uint64(i+1) {
			t.Errorf("symbol %q has the number %d, want %d", symbol.GetStr(), symbol.GetIid(), i+1)
		}
		names = append(names, string(symbol.GetStr()))
	}
	return names
}

func TestKernelEventsAreTyped(t *testing.T) {
	for _, test := range kernelCases {
		for _, end := range []string{"", " ", " \r"} {
			k := newKernelEncoder(trace.Limits{}.WithDefaults().Strings)
			got := encodeKernel(t, k, test.event, test.args+end)
			if want := parseEvent(t, test.event+" {"+test.want+"}"); !proto.Equal(got, want) {
				t.Errorf("%s: %s\n got %v\nwant %v", test.event, test.args, got, want)
			}
			must.Equal(t, strings.Join(symbolNames(t, &k.symbols), "; "), test.symbol, "%s: %s: symbols", test.event, test.args)
		}
	}
}

// Each format of the table is used by some case.
func TestEveryKernelFormatHasACase(t *testing.T) {
	taken := map[*kernel.Format]bool{}
	for _, test := range kernelCases {
		taken[kernel.Events()[test.event].Parse([]byte(strings.TrimSpace(test.args)), new(kernel.Values))] = true
	}
	for name, event := range kernel.Events() {
		for i, format := range event.Formats {
			if !taken[format] && name != "sched_switch" && name != "sched_waking" && name != "sched_wakeup" {
				t.Errorf("no case is taken by format %d of %s", i, name)
			}
		}
	}
}

// Every field that Perfetto has for an event is filled by some format.
func TestKernelFormatsFillAllFields(t *testing.T) {
	elsewhere := map[string]string{
		"print":        "markers",
		"sched_switch": "scheduling", "sched_waking": "scheduling", "sched_wakeup": "scheduling",
		"generic": "other events",
	}
	without := map[string]string{
		"block_io_start.ioprio":                    "is printed in parts",
		"block_io_done.ioprio":                     "is printed in parts",
		"block_rq_complete.errors":                 "kernels before 4.11",
		"mm_page_alloc.gfp_flags":                  "is printed as words",
		"mm_shrink_slab_start.gfp_flags":           "is printed as words",
		"mm_vmscan_direct_reclaim_begin.gfp_flags": "is printed as words",
		"mm_shrink_slab_start.lru_pgs":             "kernels before 4.16",
		"mm_shrink_slab_start.pgs_scanned":         "kernels before 4.16",
		"mm_shrink_slab_end.shrink":                "Perfetto does not look the function up here",
	}
	filled := map[string]bool{}
	for name, event := range kernel.Events() {
		for _, format := range event.Formats {
			for _, place := range format.Places {
				filled[fmt.Sprintf("%s.%d", name, place.Field)] = true
			}
		}
	}
	events := (&perfettopb.FtraceEvent{}).ProtoReflect().Descriptor().Oneofs().ByName("event").Fields()
	for i := range events.Len() {
		event := events.Get(i)
		if elsewhere[string(event.Name())] != "" {
			continue
		}
		fields := event.Message().Fields()
		for j := range fields.Len() {
			field := fields.Get(j)
			name := fmt.Sprintf("%s.%s", event.Name(), field.Name())
			got := filled[fmt.Sprintf("%s.%d", event.Name(), field.Number())]
			must.Equal(t, got, without[name] == "", "%s: filled is", name)
			delete(without, name)
		}
	}
	if len(without) > 0 {
		t.Errorf("no fields: %v", without)
	}
}

func TestOtherKernelEventsAreGeneric(t *testing.T) {
	for _, test := range []struct{ event, args, want string }{
		{"ufshcd_clk_gating", "gating state changed to CLKS_ON",
			`field {name: "args" str_value: "gating state changed to CLKS_ON"}`},
		{"empty_event", "", ``},
		{"empty_event", " \t", ``},
		{"sched_stat_runtime", "comm=ui thread pid=55 runtime=250 [ns]",
			`field {name: "comm" str_value: "ui thread"} field {name: "pid" int_value: 55} field {name: "runtime" str_value: "250 [ns]"}`},
		{"regulator", "name=vdd, min=-5 max=0x1f ratio=0.5",
			`field {name: "name" str_value: "vdd"} field {name: "min" int_value: -5}
			 field {name: "max" int_value: 31} field {name: "ratio" str_value: "0.5"}`},
		{"numbers", "a=9223372036854775807 b=9223372036854775808 c=0xffffff8070001240 d=5x e=0x f=- g=",
			`field {name: "a" int_value: 9223372036854775807} field {name: "b" str_value: "9223372036854775808"}
			 field {name: "c" str_value: "0xffffff8070001240"} field {name: "d" str_value: "5x"}
			 field {name: "e" str_value: "0x"} field {name: "f" str_value: "-"} field {name: "g" str_value: ""}`},
		{"ext4_sync_file", "dev 8,16 ino 3 ret=0",
			`field {name: "args" str_value: "dev 8,16 ino 3"} field {name: "ret" int_value: 0}`},
		{"keys", "=1 a-b=2 (c=3) x=y=4 d_E9=5", `field {name: "args" str_value: "=1 a-b=2 (c=3)"}
			 field {name: "x" str_value: "y=4"} field {name: "d_E9" int_value: 5}`},
		{"long_event", "text=" + strings.Repeat("x", 300), `field {name: "text" str_value: "` + strings.Repeat("x", 300) + `"}`},

		// Events that Perfetto knows, in words that are not the kernel's.
		{"cpu_idle", "state=-1 cpu_id=two", `field {name: "state" int_value: -1} field {name: "cpu_id" str_value: "two"}`},
		{"cpu_frequency", "state=4294967296 cpu_id=0", `field {name: "state" int_value: 4294967296} field {name: "cpu_id" int_value: 0}`},
		{"irq_handler_exit", "irq=4 ret=perhaps", `field {name: "irq" int_value: 4} field {name: "ret" str_value: "perhaps"}`},
		{"block_plug", "[dd", `field {name: "args" str_value: "[dd"}`},
		{"binder_transaction_received", "transaction=12x", `field {name: "transaction" str_value: "12x"}`},
		{"ipi_raise", "target_mask=00000001,00000000 (x)", `field {name: "target_mask" str_value: "00000001,00000000 (x)"}`},
		{"block_dirty_buffer", "8.16 sector=1 size=2", `field {name: "args" str_value: "8.16"}
			 field {name: "sector" int_value: 1} field {name: "size" int_value: 2}`},
	} {
		got := encodeKernel(t, newKernelEncoder(trace.Limits{}.WithDefaults().Strings), test.event, test.args)
		want := parseEvent(t, fmt.Sprintf("generic {event_name: %q %s}", test.event, test.want))
		if !proto.Equal(got, want) {
			t.Errorf("%s: %s\n got %v\nwant %v", test.event, test.args, got, want)
		}
	}
}

func TestKernelTextBecomesUTF8(t *testing.T) {
	for _, test := range []struct{ event, args, want string }{
		{"block_plug", "[caf\xc3]", `block_plug {comm: "caf\uFFFD"}`},
		{"block_plug", "[caf\xc3\xa9]", `block_plug {comm: "café"}`},
		{"clk_enable", strings.Repeat("\xffx", 100), `clk_enable {name: "` + strings.Repeat(`\uFFFDx`, 100) + `"}`},
		{"x\xfe", "a=\xfe b\xfe=1", `generic {event_name: "x\uFFFD" field {name: "a" str_value: "\uFFFD b\uFFFD=1"}}`},
	} {
		got := encodeKernel(t, newKernelEncoder(trace.Limits{}.WithDefaults().Strings), test.event, test.args)
		if want := parseEvent(t, test.want); !proto.Equal(got, want) {
			t.Errorf("%s: %s\n got %v\nwant %v", test.event, test.args, got, want)
		}
	}
	if buf, ok := newKernelEncoder(trace.Limits{}.WithDefaults().Strings).appendEvent([]byte("x"), nil, []byte("a=1")); ok || string(buf) != "x" {
		t.Errorf("an event without a name gives %q, %t", buf, ok)
	}
}

// Whatever becomes of a line, what is written is a message.
func TestDamagedKernelEventsAreMessages(t *testing.T) {
	slow.SkipRace(t)
	random := rand.New(rand.NewPCG(1, 2))
	k := newKernelEncoder(trace.Limits{}.WithDefaults().Strings)
	for _, test := range kernelCases {
		for n := range test.args {
			encodeKernel(t, k, test.event, test.args[:n])
			damaged := []byte(test.args)
			for range 1 + n%3 {
				damaged[random.IntN(len(damaged))] = byte(random.Uint32())
			}
			encodeKernel(t, k, test.event, string(damaged))
			other := kernelCases[random.IntN(len(kernelCases))]
			encodeKernel(t, k, test.event, test.args[:n]+other.args)
		}
	}
	for _, size := range []int{126, 127, 128, 16383, 16384, 1 << 20} {
		encodeKernel(t, k, "clk_enable", strings.Repeat("x", size))
		encodeKernel(t, k, "dma_fence_init", strings.Repeat(" timeline= context=", size/19))
	}
}

// otherKernelLines are events without a known format.
var otherKernelLines = [...]struct{ event, args string }{
	{"ufshcd_command", "complete_rsp: ufs: tag: 3, DB: 0x0, size: 4096, IS: 0, LBA: 700120, opcode: 0x28"},
	{"ext4_da_write_begin", "dev 8,16 ino 3 pos 4096 len 512 flags 0"},
	{"thermal_power_cpu_limit", "cpus=000000f0 freq=1804800 cdev_state=2 power=350"},
}

// kernelLines returns an event of each kind.
func kernelLines() []hitrace.Line {
	var lines []hitrace.Line
	for _, c := range kernelCases {
		lines = append(lines, hitrace.Line{Name: []byte(c.event), Args: []byte(c.args)})
	}
	for _, c := range otherKernelLines {
		lines = append(lines, hitrace.Line{Name: []byte(c.event), Args: []byte(c.args)})
	}
	return lines
}

func TestKernelEventsAllocateNothing(t *testing.T) {
	k := newKernelEncoder(trace.Limits{}.WithDefaults().Strings)
	var buf []byte
	lines := kernelLines()
	encode := func() {
		k.symbols.reset()
		buf = buf[:0]
		for _, line := range lines {
			buf, _ = k.appendEvent(buf, line.Name, line.Args)
		}
		buf = k.symbols.appendInternedData(buf)
	}
	encode()
	if n := testing.AllocsPerRun(10, encode); n != 0 {
		t.Errorf("%v allocations for %d events", n, len(lines))
	}
}

// All that the kernel says in real captures is understood.
func TestRealKernelEventsAreTyped(t *testing.T) {
	for _, path := range tracetest.Paths(t) {
		k := newKernelEncoder(trace.Limits{}.WithDefaults().Strings)
		counts := map[string]int{}
		for _, line := range readKernelLines(t, path) {
			name := string(line.Name)
			counts[name]++
			event := encodeKernel(t, k, name, string(line.Args))
			if event.GetGeneric() != nil {
				t.Errorf("%s: %s: %s is generic", path, name, line.Args)
			}
		}
		data := must.Get(os.ReadFile(path))(t)
		for name, count := range counts {
			if want := bytes.Count(data, []byte(": "+name+": ")); count != want {
				t.Errorf("%s: %d × %s, want %d", path, count, name, want)
			}
		}
		t.Log(filepath.Base(path), counts, k.symbols.len(), "functions")
	}
}

// readKernelLines returns the kernel events of a trace that are neither
// markers nor written as scheduling.
func readKernelLines(t testing.TB, path string) []hitrace.Line {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	var lines []hitrace.Line
	for text := range bytes.Lines(data) {
		var line hitrace.Line
		if hitrace.ParseLine(bytes.TrimRight(text, "\r\n"), &line) != hitrace.NoProblem {
			continue
		}
		switch string(line.Name) {
		case "print", "tracing_mark_write", "sched_switch", "sched_waking", "sched_wakeup":
		default:
			lines = append(lines, line)
		}
	}
	return lines
}

// Without text between them, the end of the first is unknown.
func TestKernelFormatsHaveTextBetweenPlaces(t *testing.T) {
	for name, event := range kernel.Events() {
		for _, format := range event.Formats {
			for i, place := range format.Places {
				if i > 0 && place.Literal == "" && place.Kind != kernel.None {
					t.Errorf("%s: place %d", name, i)
				}
			}
		}
	}
}
