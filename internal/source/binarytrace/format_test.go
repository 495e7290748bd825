package binarytrace

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"ohframe/internal/source/kernel"
	"ohframe/internal/testing/must"
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
	s := &sys{log: kinds.NewLog()}
	s.parseFormats([]byte(text))
	return s, s.log.Count(badFormat)
}

// printed returns what is printed of a record behind the name of its event.
func printed(s *sys, record []byte) string {
	s.names.limit = 1
	s.names.parseComms([]byte("77 worker"))
	var h head
	if !s.head(&h, record) {
		return "damaged"
	}
	return string(h.title.text[2:]) + string(s.AppendArgs(nil, record, 3, new(kernel.Values)))
}

// A record is printed as its kernel prints it, for events that the table has, and as its fields for others.
func TestRecords(t *testing.T) {
	le := binary.LittleEndian
	number := func(at, size int, n int64) func([]byte) {
		return func(b []byte) {
			var bytes [8]byte
			le.PutUint64(bytes[:], uint64(n))
			copy(b[at:at+size], bytes[:])
		}
	}
	text := func(at int, s string) func([]byte) { return func(b []byte) { copy(b[at:], s+"\x00") } }
	loc := func(at, to int, s string) func([]byte) {
		return func(b []byte) { le.PutUint32(b[at:], uint32(to|(len(s)+1)<<16)); copy(b[to:], s+"\x00") }
	}
	const taken = `"pid=%d iowait=%d caller=%s+0x%lx/0x%lx[%s] delay=%llu", REC->pid, REC->iowait, REC->func_name, REC->offset, REC->size, REC->mod_name, REC->delay >> 10`
	const hmSwitch = `"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s" " ==> next_comm=%s next_pid=%d next_prio=%d next_info=%s cg=%s", REC->pname, REC->prev_tid, REC->pprio, hm_trace_tcb_state2str(REC->pstate), REC->nname, REC->next_tid, REC->nprio, hm_trace_tcb_unpack_schedinfo(REC->ninfo, sizeof(REC->ninfo)), REC->cg`
	const linuxSwitch = `"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d expeller_type=%u", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 511) ? __print_flags(REC->prev_state & 511, "|", { 0x0001, "S" }, { 0x0002, "D" }, { 0x0004, "T" }, { 0x0008, "t" }, { 0x0010, "X" }, { 0x0020, "Z" }, { 0x0040, "P" }, { 0x0080, "I" }) : "R", REC->prev_state & 256 ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio, REC->expeller_type`
	switched := func(state int64) []func([]byte) {
		return []func([]byte){text(8, "a b"), number(24, 4, 7), number(28, 4, -2), number(32, 8, state), text(40, "worker"), number(56, 4, 77), number(60, 4, 120)}
	}
	hmFields := "char pname[16] 8 16 1;int prev_tid 24 4 1;int pprio 28 4 1;long pstate 32 8 1;char nname[16] 40 16 1;int next_tid 56 4 1;int nprio 60 4 1"
	linuxFields := "char prev_comm[16] 8 16 1;pid_t prev_pid 24 4 1;int prev_prio 28 4 1;long prev_state 32 8 1;char next_comm[16] 40 16 1;pid_t next_pid 56 4 1;int next_prio 60 4 1;unsigned int expeller_type 64 4 0"
	const schedInfo = "\xff\x3f\x00\x00\x64\x58\x71\x0c" // the mask 0x3fff, and in bits from the lowest on 100, 10 → 2, 1, 2 → …
	for _, test := range []struct {
		name, fields, printFmt string
		values                 []func([]byte)
		want                   string
	}{
		{"sched_switch", linuxFields, linuxSwitch, append(switched(2|0x80|0x100), number(64, 4, 3)), "sched_switch: prev_comm=a b prev_pid=7 prev_prio=-2 prev_state=D|I+ ==> next_comm=worker next_pid=77 next_prio=120 expeller_type=3"},
		{"sched_switch", linuxFields, linuxSwitch, switched(0), "sched_switch: prev_comm=a b prev_pid=7 prev_prio=-2 prev_state=R ==> next_comm=worker next_pid=77 next_prio=120 expeller_type=0"},
		{"sched_switch", hmFields, strings.Replace(hmSwitch, " next_info=%s cg=%s", "", 1), switched(0x100), "sched_switch: prev_comm=a b prev_pid=7 prev_prio=-2 prev_state=R+ ==> next_comm=worker next_pid=77 next_prio=120"},
		{"sched_switch", hmFields, strings.Replace(hmSwitch, " next_info=%s cg=%s", "", 1), switched(3), "sched_switch: prev_comm=a b prev_pid=7 prev_prio=-2 prev_state=? ==> next_comm=worker next_pid=77 next_prio=120"},
		{"sched_switch", hmFields + ";u8 ninfo[8] 64 8 0;char cg[8] 72 8 1", hmSwitch, append(switched(1), text(64, schedInfo), text(72, "top")), "sched_switch: prev_comm=a b prev_pid=7 prev_prio=-2 prev_state=S ==> next_comm=worker next_pid=77 next_prio=120 next_info=3fff,200,2,1,2 cg=top"},
		{"sched_switch_lite", "int prev_tid 8 4 1;short pprio 12 2 1;long pstate 16 8 1;int next_tid 24 4 1;short nprio 28 2 1", strings.Replace(hmSwitch, " next_info=%s cg=%s", "", 1), []func([]byte){number(12, 2, -2), number(24, 4, 77), number(28, 2, 20)}, "sched_switch: prev_comm=tppmgr-idle-3 prev_pid=0 prev_prio=-2 prev_state=R ==> next_comm=worker next_pid=77 next_prio=20"},
		{"sched_wakeup_lite", "int pid 8 4 1;short prio 12 2 1;int target_cpu 16 4 1", `"comm=%s pid=%d prio=%d target_cpu=%03d", trace_cmdline_of(REC->pid, tmp_thread_name_next), REC->pid, REC->prio, REC->target_cpu`, []func([]byte){number(8, 4, 77), number(12, 2, -2), number(16, 4, 5)}, "sched_wakeup: comm=worker pid=77 prio=-2 target_cpu=005"},
		{"sched_waking", "char comm[16] 8 16 1;int pid 24 4 1;int prio 28 4 1;int success 32 4 1;int target_cpu 36 4 1", `"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu`, []func([]byte){text(8, "x"), number(24, 4, 9), number(28, 4, 120), number(36, 4, 11)}, "sched_waking: comm=x pid=9 prio=120 target_cpu=011"},
		{"sched_blocked_reason", "int pid 8 4 1;void * caller 72 8 0;bool iowait 12 1 0;__u64 delay 16 8 0;unsigned long offset 24 8 0;unsigned long size 32 8 0;char func_name[20] 40 20 1;char mod_name[12] 60 12 1", taken, []func([]byte){number(8, 4, 9), number(12, 1, 1), number(16, 8, 5<<10|7), number(24, 8, 0x48), number(32, 8, 0x60), text(40, "futex_wait"), text(60, "devhost.elf")}, "sched_blocked_reason: pid=9 iowait=1 caller=futex_wait+0x48/0x60[devhost.elf] delay=5"},
		{"sched_blocked_reason", "int pid 8 4 1;bool iowait 12 1 0;__u64 delay 16 8 0;void * caller 24 8 0;unsigned int cnode_idx 32 4 0", `"pid=%d iowait=%d caller=%s delay=%llu", REC->pid, REC->iowait, hm_trace_sched_blocked_reason_of(REC->cnode_idx, REC->caller), REC->delay >> 10`, []func([]byte){number(8, 4, 9), number(16, 8, 4096), number(24, 8, 0xabc), number(32, 4, 12)}, "sched_blocked_reason: pid=9 iowait=0 caller=0xabc cnode_idx=12 delay=4"},
		{"sched_blocked_reason", "int pid 8 4 1;bool io_wait 12 1 0;void * caller 24 8 0;unsigned long delay 32 8 0", `"pid=%d iowait=%d caller=%pS delay=%lu", REC->pid, REC->io_wait, REC->caller, REC->delay>>10`, []func([]byte){number(8, 4, 9), number(24, 8, 0xabc), number(32, 8, 4096)}, "sched_blocked_reason: pid=9 iowait=0 caller=0xabc delay=4"},
		{"clock_set_rate", "__data_loc char[] name 8 4 1;u64 state 16 8 0;u64 cpu_id 24 8 0", `"%s state=%lu cpu_id=%lu", ((char *)((void *)((char *)REC + (REC->__data_loc_name & 0xffff)))), (unsigned long)REC->state, (unsigned long)REC->cpu_id`, []func([]byte){loc(8, 40, "ddr"), number(16, 8, 1<<40), number(24, 8, 2)}, "clock_set_rate: ddr state=1099511627776 cpu_id=2"},
		{"cpu_frequency_limits", "u32 min 8 4 0;u32 max 12 4 0;u32 cpu_id 16 4 0", `"min=%lu max=%lu cpu_id=%lu", (unsigned long)REC->min, (unsigned long)REC->max, (unsigned long)REC->cpu_id`, []func([]byte){number(8, 4, 1), number(12, 4, 4294967295), number(16, 4, 3)}, "cpu_frequency_limits: min=1 max=4294967295 cpu_id=3"},
		{"block_rq_issue", "dev_t dev 8 4 0;sector_t sector 16 8 0;unsigned int nr_sector 24 4 0;unsigned int bytes 28 4 0;char rwbs[8] 32 8 1;char comm[16] 40 16 1;__data_loc char[] cmd 56 4 1", `"%d,%d %s %u (%s) %llu + %u [%s]", ((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1))), REC->rwbs, REC->bytes, __get_str(cmd), (unsigned long long)REC->sector, REC->nr_sector, REC->comm`, []func([]byte){number(8, 4, 259<<20|300), number(16, 8, 1<<33), number(24, 4, 8), number(28, 4, 4096), text(32, "WS"), text(40, "x"), loc(56, 60, "")}, "block_rq_issue: 259,300 WS 4096 () 8589934592 + 8 [x]"},
		{"mm_filemap_add_to_page_cache", "unsigned long pfn 8 8 0;unsigned long i_ino 16 8 0;unsigned long index 24 8 0;dev_t s_dev 32 4 0;void * pg 40 8 0", `"dev %d:%d ino %lx page=%p pfn=%lu ofs=%lu", ((unsigned int)((REC->s_dev) >> 20)), ((unsigned int)((REC->s_dev) & ((1U << 20) - 1))), REC->i_ino, REC->pg, REC->pfn, REC->index << 12`, []func([]byte){number(8, 8, 5), number(16, 8, 0x2f), number(24, 8, 3), number(32, 4, 8<<20|1), number(40, 8, 0xff00)}, "mm_filemap_add_to_page_cache: dev 8:1 ino 2f page=0xff00 pfn=5 ofs=12288"},
		{"softirq_entry", "unsigned int vec 8 4 0", `"vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, { 7, "SCHED" })`, []func([]byte){number(8, 4, 7)}, "softirq_entry: vec=7 [action=SCHED]"},
		{"ipi_entry", "const char * reason 8 8 0", `"(%s)", REC->reason`, []func([]byte){number(8, 8, 0x1000)}, "ipi_entry: (Rescheduling interrupts)"},
		{"ipi_entry", "const char * reason 8 8 0", `"(%s)", REC->reason`, []func([]byte){number(8, 8, 0x1001)}, "ipi_entry: (0x1001)"},
		{"rss_stat", "unsigned int mm_id 8 4 0;unsigned int curr 12 4 0;int member 16 4 1;long size 24 8 1", `"mm_id=%u curr=%d type=%s size=%ldB", REC->mm_id, REC->curr, __print_symbolic(REC->member, { 0, "MM_FILEPAGES" }, { 1, "MM_ANONPAGES" }), REC->size`, []func([]byte){number(8, 4, 1), number(16, 4, 1), number(24, 8, -4096)}, "rss_stat: mm_id=1 curr=0 type=MM_ANONPAGES size=-4096B"},
		{"tracing_mark_write", "pid_t pid 8 4 1;char name[16] 12 16 1;int start 28 4 1", `"%c|%d|%s", "EB"[REC->start], REC->pid, REC->start ? REC->name : ""`, []func([]byte){number(8, 4, 70), text(12, "busy"), number(28, 4, 1)}, "tracing_mark_write: B|70|busy"},
		{"tracing_mark_write", "pid_t pid 8 4 1;char name[16] 12 16 1;int start 28 4 1", `"%c|%d|%s", "EB"[REC->start], REC->pid, REC->start ? REC->name : ""`, []func([]byte){number(8, 4, 70)}, "tracing_mark_write: E|70"},
		{"vendor", "__rel_loc char[] note 8 4 1", `"%s", __get_rel_str(note)`, []func([]byte){number(8, 4, (20-12)|9<<16), text(20, "as it is")}, "vendor: as it is"},
		{"vendor", "u8 a 8 1 0;short b 10 2 1;u64 c 16 8 0;char d[8] 24 8 1;u16 list[3] 32 6 0", `"a=%d: %s", REC->a, some_function(REC->b)`, []func([]byte){number(8, 1, 200), number(10, 2, -2), number(16, 8, -1), text(24, "x")}, "vendor: a=200 b=-2 c=18446744073709551615 d=x list="},
		{"sched_wakeup", "int other 8 4 1", `"other=%d", REC->other`, []func([]byte){number(8, 4, -7)}, "sched_wakeup: other=-7"},
	} {
		format := "name: " + test.name + "\nID: 300\nformat:\n" + commonFields
		for _, f := range strings.Split(test.fields, ";") {
			w := strings.Fields(f)
			n := len(w) - 3
			format += fmt.Sprintf("\tfield:%s;\toffset:%s;\tsize:%s;\tsigned:%s;\n", strings.Join(w[:n], " "), w[n], w[n+1], w[n+2])
		}
		s, bad := parseTest(format + "\nprint fmt: " + test.printFmt + "\n")
		s.printk = map[uint64]string{0x1000: "Rescheduling interrupts"}
		if bad != 0 {
			t.Errorf("%s: not understood", test.name)
			continue
		}
		record := make([]byte, 100)
		le.PutUint16(record, 300)
		for _, set := range test.values {
			set(record)
		}
		must.Equal(t, printed(s, record), test.want)
		must.Equal(t, printed(s, record[:8]), "damaged", "%s, short", test.name)
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
		"name: _lite\nID: 8\nformat:\n" + commonFields + "\nprint fmt: \"\"\n" +
		"name: a:b\nID: 8\nformat:\n" + commonFields + "\nprint fmt: \"\"\n" +
		"print fmt: \"of nothing\"\nname: cut\nID: 9\nformat:\n" + commonFields)
	if bad != 6 { // no_id, no_common, large_id, names that no line has, cut
		t.Errorf("%d formats not understood, want 6", bad)
	}
	record := make([]byte, 16)
	binary.LittleEndian.PutUint32(record[8:], 3)
	binary.LittleEndian.PutUint32(record[12:], 5)
	for id, want := range map[int]string{33307: "state=3 cpu_id=5", 32826: "other=3"} {
		f := s.formats[id]
		if f == nil || f.name != "cpu_idle" {
			t.Fatalf("%d: %v", id, f)
		}
		binary.LittleEndian.PutUint16(record, uint16(id))
		must.Equal(t, string(s.AppendArgs(nil, record, 0, new(kernel.Values))), want, "%d", id)
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
		must.Equal(t, string(appendFlags(nil, test.flags, test.preempt)), test.want, "%#x, %d", test.flags, test.preempt)
		h := &head{comm: []byte("a"), tid: 7, tgid: 7, flags: test.flags, preempt: test.preempt}
		got := new(Reader).appendColumns(nil, h, 1, 5_000_000_042)
		must.Equal(t, string(got), "               a-7     (    7) [001] "+test.want+"     5.000000042")
	}
}

// A payload makes one line, without the line end that kernels append.
func TestPayload(t *testing.T) {
	for payload, want := range map[string]string{"": "", "a": "a", "a\n": "a", "a\nb\n": "a b", "\n\n": " "} {
		must.Equal(t, string(joinLines(trimPayload([]byte(payload), false))), want, "%q", payload)
	}
	for payload, want := range map[string]string{"E|12|": "E|12", "E|12|M0538": "E|12|M0538", "E|": "E|", "B|12|": "B|12|", "": ""} {
		must.Equal(t, string(trimPayload([]byte(payload), true)), want, "%q", payload)
	}
}

// Events with line ends in their texts are those of their lines.
func TestLineEnds(t *testing.T) {
	waking := strings.Replace(printFormat, "name: print", "name: sched_waking", 1)
	waking = strings.ReplaceAll(waking, "buffer", "buf")
	for _, text := range []string{
		"comm=a pid=7 prio=120 target_cpu=001", "comm=a pid=7 prio=120 target_cpu=001\n", "comm=a\nb pid=7 prio=120 target_cpu=001",
		"comm=a\npid=7 prio=120 target_cpu=001\n", " comm=a pid=7 prio=120 target_cpu=001 ", "a\n\nb\n",
	} {
		checkFile(t, sysFile(1, waking, "7 seven\n", hongmengPage(printRecord(text))))
	}
	for _, caller := range []string{"f", "f\n", "\nf", "f\ng\n", "f ", " "} {
		event := append([]byte{eventTimestamp << 3, 100}, bytesField(blockedMessage, append([]byte{1 << 3, 7}, bytesField(callerName, caller)...))...)
		checkFile(t, htraceFile(ftraceSegment(bytesField(resultDetail, bytesField(detailEvent, event)))))
	}
}
