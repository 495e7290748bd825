package binarytrace

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// commonFields are the fields of every event.
const commonFields = `	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

`

// A record for the formats of tests.
//
//	8   u8   200           16  u32  0xfffffffe    40  loc  text at 60, 6 bytes
//	9   s8   -2            24  u64  1<<40|5       44  rel  text at 60, from 48 on
//	10  s16  -2            32  char[8] "ab"       48  u16[3] 1 2 65535
//	12  s32  -7                                   54  u8[6] 0xde 0xad 0xbe 0xef 0 1
//	                                              60  "hello\0"
//	                                              66  "the rest\0"
func testRecord() []byte {
	b := make([]byte, 75)
	le := binary.LittleEndian
	le.PutUint16(b, 300)
	b[8], b[9] = 200, 0xfe
	le.PutUint16(b[10:], 0xfffe)
	le.PutUint32(b[12:], 0xfffffff9)
	le.PutUint32(b[16:], 0xfffffffe)
	le.PutUint64(b[24:], 1<<40|5)
	copy(b[32:], "ab\x00garbag")
	le.PutUint32(b[40:], 60|6<<16)
	le.PutUint32(b[44:], 60-48|6<<16)
	le.PutUint16(b[48:], 1)
	le.PutUint16(b[50:], 2)
	le.PutUint16(b[52:], 65535)
	copy(b[54:], "\xde\xad\xbe\xef\x00\x01hello\x00the rest\x00")
	return b
}

const testFields = commonFields + `	field:u8 byte;	offset:8;	size:1;	signed:0;
	field:char small;	offset:9;	size:1;	signed:1;
	field:short prio;	offset:10;	size:2;	signed:1;
	field:int number;	offset:12;	size:4;	signed:1;
	field:unsigned int mask;	offset:16;	size:4;	signed:0;
	field:u64 big;	offset:24;	size:8;	signed:0;
	field:char comm[8];	offset:32;	size:8;	signed:1;
	field:__data_loc char[] name;	offset:40;	size:4;	signed:1;
	field:__rel_loc char[] other;	offset:44;	size:4;	signed:1;
	field:u16 list[3];	offset:48;	size:6;	signed:0;
	field:u8 raw[6];	offset:54;	size:6;	signed:0;
	field:char rest;	offset:66;	size:0;	signed:1;
`

// parseTest returns the source with the formats in text, and the number of those that
// were not understood.
func parseTest(text string) (*sys, int) {
	s := &sys{log: newLog(false)}
	s.parseFormats([]byte(text))
	return s, s.log.Count(badFormat)
}

// Every kind of print fmt that kernels use prints what they print. The expected texts
// follow from printf, the kernel's helpers, and the record above.
func TestPrintFmt(t *testing.T) {
	for _, test := range []struct{ printFmt, want string }{
		{`"nothing"`, "nothing"},
		{`"100%% of %d", REC->number`, "100% of -7"},
		{`"a" "b=%u" "c", REC->byte`, "ab=200c"},
		{`"%d %d %d %d", REC->byte, REC->small, REC->prio, REC->number`, "200 -2 -2 -7"},
		{`"%u %u", REC->mask, REC->number`, "4294967294 4294967289"}, // as an unsigned int
		{`"%d", REC->mask`, "-2"},
		{`"%d %lld %lu", REC->big, REC->big, (unsigned long)REC->big`, "5 1099511627781 1099511627781"},
		{`"%x %lx %#x %08x", REC->byte, REC->big, REC->byte, REC->byte`, "c8 10000000005 0xc8 000000c8"},
		{`"%hhu %hu %hx", REC->mask, REC->mask, REC->mask`, "254 65534 fffe"},
		{`"[%5d|%-5d|%05d|%3u]", REC->number, REC->number, REC->number, REC->byte`, "[   -7|-7   |-0007|200]"},
		{`"%s,%s,%s", REC->comm, __get_str(name), REC->rest`, "ab,hello,the rest"},
		{`"%s", ((char *)((void *)((char *)REC + (REC->__data_loc_name & 0xffff))))`, "hello"},
		{`"%s", __get_rel_str(other)`, "hello"},
		{`"[%6s|%-6s|%.3s]", REC->comm, REC->comm, __get_str(name)`, "[    ab|ab    |hel]"},
		{`"%p %ps %pS %pK", REC->big, REC->big, (void *)REC->byte, REC->byte`, "0x10000000005 0x10000000005 0xc8 0xc8"},
		{`"%d,%d", ((unsigned int) ((REC->mask) >> 20)), ((unsigned int) ((REC->mask) & ((1U << 20) - 1)))`, "4095,1048574"},
		{`"%d", (u8)REC->prio`, "254"},
		{`"%d %d", REC->number >> 1, REC->number / 2`, "-4 -3"},
		{`"%d %d %d", REC->byte * 2 + 1, REC->byte % 7, -REC->byte`, "401 4 -200"},
		{`"%d%d%d%d%d%d", REC->byte == 200, REC->byte != 200, REC->byte < 3, REC->byte >= 200, REC->small && 0, REC->small || 0`, "100101"},
		{`"%d", REC->byte > 100 ? 1 + 2 * 3 : 0`, "7"},
		{`"%s", REC->byte ? "yes" : "no"`, "yes"},
		{`"%s", (REC->byte & 8) ? (REC->byte & 1) ? "a" : "b" : "c"`, "b"},
		{`"%c%c", "EB"[REC->list[0]], 65`, "BA"},
		{`"%u %u %u", REC->list[0], REC->list[1], REC->list[2]`, "1 2 65535"},
		{`"%s", __print_symbolic(REC->list[1], { 1, "ONE" }, { 1 + 1, "TWO" })`, "TWO"},
		{`"%s", __print_symbolic(REC->byte, { 1, "ONE" })`, "0xc8"},
		{`"%s", __print_flags(REC->byte, "|", { 8, "EIGHT" }, { 1, "ONE" }, { 0x40, "SIXTYFOUR" })`, "EIGHT|SIXTYFOUR|0x80"},
		{`"%s", __print_hex(REC->raw, sizeof(REC->raw))`, "de ad be ef 00 01"},
		{`"%s", __print_array(REC->list, 3, 2)`, "{0x1,0x2,0xffff}"},
		{`"[%*ph] [%*phD] [%*phN]", 3, REC->raw, 3, REC->raw, 3, REC->raw`, "[de ad be] [de-ad-be] [deadbe]"},
		{`"%s%s", hm_trace_tcb_state2str(REC->list[0]), hm_trace_tcb_state2str(REC->byte)`, "S?"},
		// 0xefbeadde; 0x6801 below it are the bits of the second word.
		{`"%s", hm_trace_tcb_unpack_schedinfo(REC->raw, sizeof(REC->raw))`, ""}, // six bytes are too few
		{`"%s %s", trace_cmdline_of(REC->byte, name), trace_cmdline_of(REC->list[0] - 1, name)`, "worker tppmgr-idle-3"},
		{`"%s", hm_trace_sched_blocked_reason_of(REC->byte, REC->list[2])`, "0xffff cnode_idx=200"},
		{`"%d", __get_dynamic_array_len(name)`, "6"},
		{`"%d", (REC)->byte`, "200"},
	} {
		s, bad := parseTest("name: test\nID: 300\nformat:\n" + testFields + "\nprint fmt: " + test.printFmt + "\n")
		f := s.formats[300]
		if bad != 0 || f == nil {
			t.Errorf("%s: not understood", test.printFmt)
			continue
		}
		if len(f.program) > 0 && string(f.program[0].literal) == "byte=" {
			t.Errorf("%s: not compiled", test.printFmt)
			continue
		}
		scope := scope{record: testRecord(), cpu: 3, names: &names{comms: map[int32][]byte{200: []byte("worker")}}}
		got := string(f.program.append(nil, &scope))
		if got != test.want || scope.short != (test.want == "") {
			t.Errorf("%s:\ngot  %q, short %t\nwant %q", test.printFmt, got, scope.short, test.want)
		}
	}
}

// A print fmt that is not understood leaves the fields with their names.
func TestUnknownPrintFmt(t *testing.T) {
	for _, printFmt := range []string{
		`"%s", some_function(REC->byte)`, `"%d"`, `"%d", REC->byte, REC->byte`, `"%d", REC->nothing`, `"%d", (REC->byte`, `"%q", REC->byte`,
		`no string`, ``, `"%s", __print_symbolic(REC->byte, { REC->byte, "X" })`, `"%d", ` + strings.Repeat("(", 100_000), `"%d", ` + strings.Repeat("-", 100_000) + "1",
		`"` + strings.Repeat("%d", 2000) + `"` + strings.Repeat(", 1", 2000), `"%d", 1` + strings.Repeat("+1", 2000), `"%d"` + strings.Repeat(", 1", 100_000),
	} {
		s, _ := parseTest("name: test\nID: 300\nformat:\n" + testFields + "\nprint fmt: " + printFmt + "\n")
		f := s.formats[300]
		if f == nil {
			t.Errorf("%.40s: the format is refused", printFmt)
			continue
		}
		scope := scope{record: testRecord()}
		got := string(f.program.append(nil, &scope))
		if want := "byte=200 small=-2 prio=-2 number=-7 mask=4294967294 big=1099511627781 comm=ab name=hello"; !strings.HasPrefix(got, want) {
			t.Errorf("%.40s:\ngot  %q\nwant %q …", printFmt, got, want)
		}
	}
}

// The scheduler's information of HongMeng: a mask of processors, then ten bits of the
// halved load, and fields of 2, 1, 3, 5 and 7 bits.
func TestSchedInfo(t *testing.T) {
	record := make([]byte, 16)
	binary.LittleEndian.PutUint32(record[8:], 0x3fff)
	binary.LittleEndian.PutUint32(record[12:], 100|2<<10|1<<12|5<<13|17<<16|99<<21)
	field := "	field:u8 ninfo[8];	offset:8;	size:8;	signed:0;\n"
	for fields, want := range map[string]string{
		field: "3fff,200,2,1,5,17,99",
		field + "	field:char cg[1];	offset:15;	size:1;	signed:1;\n": "3fff,200,2,1,5", // older than the last two
	} {
		s, _ := parseTest("name: test\nID: 300\nformat:\n" + commonFields + fields + "\nprint fmt: \"%s\", hm_trace_tcb_unpack_schedinfo(REC->ninfo, sizeof(REC->ninfo))\n")
		scope := scope{record: record}
		if got := string(s.formats[300].program.append(nil, &scope)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// HongMeng's lite events have the text of the events that they replace.
func TestLite(t *testing.T) {
	s, _ := parseTest("name: sched_wakeup_lite\nID: 300\nformat:\n" + commonFields + "\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n\tfield:short prio;\toffset:12;\tsize:2;\tsigned:1;\n\tfield:int target_cpu;\toffset:16;\tsize:4;\tsigned:1;\n\nprint fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", trace_cmdline_of(REC->pid, tmp_thread_name_next), REC->pid, REC->prio, REC->target_cpu\n")
	s.names = names{comms: map[int32][]byte{77: []byte("worker")}}
	s.scope.names = &s.names
	record := []byte{300 & 0xff, 300 >> 8, 0, 0, 9, 0, 0, 0, 77, 0, 0, 0, 0xfe, 0xff, 0, 0, 5, 0, 0, 0}
	got := string(s.line(nil, record, 2, &event{time: 5e9, to: int32(len(record))}))
	if want := "           <...>-9     (-----) [002] ....     5.000000000: sched_wakeup: comm=worker pid=77 prio=-2 target_cpu=005\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Fields are found by name, whatever their order, and events by id.
func TestFormats(t *testing.T) {
	s, bad := parseTest("name: cpu_idle\nID: 33307\nformat:\n" + commonFields +
		"	field: u32 cpu_id;  offset:12; size:4;\tsigned:0;\n\tfield:u32 state;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"state=%lu cpu_id=%lu\", (unsigned long)REC->state, (unsigned long)REC->cpu_id\n" +
		"name: cpu_idle\nID: 32826\nformat:\n" + commonFields + "\tfield:u32 other;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"other=%u\", REC->other\n" +
		"name: no_id\nformat:\n" + commonFields + "\nprint fmt: \"\"\n" +
		"name: no_common\nID: 7\nformat:\n\tfield:int x;\toffset:0;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n" +
		"name: large_id\nID: 70000\nformat:\n" + commonFields + "\nprint fmt: \"\"\n" +
		"print fmt: \"of nothing\"\nname: cut\nID: 9\nformat:\n" + commonFields)
	if bad != 4 { // no_id, no_common, large_id, cut
		t.Errorf("%d formats not understood, want 4", bad)
	}
	record := make([]byte, 16)
	binary.LittleEndian.PutUint32(record[8:], 3)
	binary.LittleEndian.PutUint32(record[12:], 5)
	for id, want := range map[int]string{33307: "state=3 cpu_id=5", 32826: "other=3"} {
		f := s.formats[id]
		if f == nil || f.name != "cpu_idle" {
			t.Fatalf("%d: %v", id, f)
		}
		scope := scope{record: record}
		if got := string(f.program.append(nil, &scope)); got != want {
			t.Errorf("%d: got %q, want %q", id, got, want)
		}
	}
	for _, id := range []int{7, 9, 70000 & 0xffff} {
		if s.formats[id] != nil {
			t.Errorf("format %d exists", id)
		}
	}
}

// The declaration of a field says its name, its elements and whether it refers to
// text elsewhere. Old kernels do not say whether it is signed.
func TestFields(t *testing.T) {
	for declaration, want := range map[string]field{
		"field:char name[16];\toffset:8;\tsize:16;\tsigned:1;":         {name: "name", offset: 8, size: 16, signed: true, array: 16},
		"field:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:1;": {name: "name", offset: 8, size: 4, signed: true, loc: absLoc},
		"field:__rel_loc char[] name; offset:8; size:4; signed:1;":     {name: "name", offset: 8, size: 4, signed: true, loc: relLoc},
		"field:char *file;\toffset:16;\tsize:8;\tsigned:0;":            {name: "file", offset: 16, size: 8},
		"field: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;":         {name: "timestamp", size: 8},
		"field:__data_loc char[] name;\toffset:8;\tsize:2;\tsigned:1;": {name: "name", offset: 8, size: 2, signed: true}, // too small for a reference
		"field:char buf[];\toffset:16;\tsize:0;\tsigned:1;":            {name: "buf", offset: 16, signed: true},
		"field:int x;\toffset:4;\tsize:4;":                             {name: "x", offset: 4, size: 4, signed: true},
	} {
		if got, ok := parseField([]byte(declaration)); !ok || got != want {
			t.Errorf("%s: %+v, %t; want %+v", declaration, got, ok, want)
		}
	}
	for _, declaration := range []string{"", "field:", "field:int x;", "field:int x; offset:1;", "field:int x; offset:-1; size:4;", "field:int x; offset:70000; size:4;", "field:int x; size:4; offset:4;"} {
		if got, ok := parseField([]byte(declaration)); ok {
			t.Errorf("%q: %+v", declaration, got)
		}
	}
}

// The flags of a line.
//
// Source: Linux, Documentation/trace/ftrace.rst.
func TestFlags(t *testing.T) {
	for _, test := range []struct {
		flags, preempt uint8
		want           string
	}{
		{0, 0, "...."}, {irqsOff, 0, "d..."}, {irqsNoSupport, 0, "X..."}, {needResched, 0, ".n.."}, {preemptResched, 0, ".p.."},
		{needResched | preemptResched, 0, ".N.."}, {hardIRQ, 1, "..h1"}, {softIRQ, 0, "..s."}, {hardIRQ | softIRQ, 0x12, "..H2"},
		{nmi, 15, "..zf"}, {nmi | hardIRQ, 0, "..Z."}, {irqsOff | needResched | softIRQ, 2, "dns2"},
	} {
		if got := string(appendFlags(nil, test.flags, test.preempt)); got != test.want {
			t.Errorf("%#x, %d: %q, want %q", test.flags, test.preempt, got, test.want)
		}
		c := &columns{}
		thread := c.task(7, 1)
		thread.set([]byte("a"), 7, 7, 1)
		for range 2 { // also when the columns are remembered
			want := fmt.Sprintf("[001] %s     5.000000042", test.want)
			if got := string(c.append(nil, thread, test.flags, test.preempt, 5_000_000_042)); !strings.HasSuffix(got, want) {
				t.Errorf("%q, want … %q", got, want)
			}
		}
	}
}

// A payload makes one line, without the line end that kernels append.
func TestFinishLine(t *testing.T) {
	for payload, want := range map[string]string{"": "\n", "a": "a\n", "a\n": "a\n", "a\nb\n": "a b\n", "\n\n": " \n"} {
		if got := string(finishLine([]byte("x"+payload), 1)); got != "x"+want {
			t.Errorf("%q: %q, want %q", payload, got, "x"+want)
		}
	}
	for payload, want := range map[string]string{"E|12|": "E|12", "E|12|M0538": "E|12|M0538", "E|": "E|", "B|12|": "B|12|", "": ""} {
		if got := string(trimMarker([]byte("x"+payload), 1)); got != "x"+want {
			t.Errorf("%q: %q, want %q", payload, got, "x"+want)
		}
	}
}
