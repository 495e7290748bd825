package binarytrace

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// number returns a field.
func number(field int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3), v)
}

// Messages print what the kernel prints of their fields. The texts follow from the
// print fmt of Linux.
func TestMessages(t *testing.T) {
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	text := func(field int, s string) []byte { return bytesField(field, s) }
	minus := func(n int64) uint64 { return uint64(n) }
	for _, test := range []struct {
		number  int
		message []byte
		want    string
	}{
		{printMessage, text(2, "E|7|"), "tracing_mark_write: E|7"},
		{printMessage, join(number(1, 99), text(2, "B|7|H:a b|M38\n")), "tracing_mark_write: B|7|H:a b|M38"},
		{2417, join(text(1, "a"), number(2, 7), number(3, 120), number(4, 0x101), text(5, "swapper/1"), number(7, 120)), "sched_switch: prev_comm=a prev_pid=7 prev_prio=120 prev_state=S+ ==> next_comm=swapper/1 next_pid=0 next_prio=120"},
		{2417, nil, "sched_switch: prev_comm= prev_pid=0 prev_prio=0 prev_state=R ==> next_comm= next_pid=0 next_prio=0"},
		{2422, join(text(1, "a"), number(2, 7), number(3, minus(-2)), number(5, 5)), "sched_waking: comm=a pid=7 prio=-2 target_cpu=005"},
		{idleMessage, join(number(1, 4294967295), number(2, 3)), "cpu_idle: state=4294967295 cpu_id=3"},
		{idleMessage, join(number(1, 3), number(2, 4294967295)), "cpu_idle: state=4294967295 cpu_id=3"}, // written in reverse
		{blockedMessage, join(number(1, 7), number(2, 0xabc), number(3, 1)), "sched_blocked_reason: pid=7 iowait=1 caller=0xabc"},
		{blockedMessage, join(number(1, 7), number(2, 0xffff0001), number(3, 1)), "sched_blocked_reason: pid=7 iowait=1 caller=io_schedule"},
		{blockedMessage, join(number(1, 7), text(4, "f+0x1/0x2")), "sched_blocked_reason: pid=7 iowait=0 caller=f+0x1/0x2"},
		{113, join(number(1, 1), number(2, 2), number(3, 3), number(4, 4), number(5, 0), number(6, 0x1f), number(7, 0x10)), "binder_transaction: transaction=1 dest_node=2 dest_proc=3 dest_thread=4 reply=0 flags=0x10 code=0x1f"},
		{1501, join(number(1, 5), number(2, 1)), "irq_handler_exit: irq=5 ret=handled"},
		{1502, number(1, 7), "softirq_entry: vec=7 [action=SCHED]"},
		{2019, join(text(1, "suspend"), number(2, 3), number(3, 1)), "suspend_resume: suspend[3] begin"},
		{2200, join(number(1, 63), number(2, 1), number(2, 255)), "sys_enter: NR 63 (1, ff)"},
		{2200, join(number(1, 63), text(2, "1, ff")), "sys_enter: NR 63 (1, ff)"},
		{2201, join(number(1, 63), number(2, minus(-2))), "sys_exit: NR 63 = -2"},
		{211, join(number(1, 12<<20|80), number(2, 1000), number(3, 8), number(4, 4096), text(5, "WS"), text(6, "io-flush")), "block_rq_issue: 12,80 WS 4096 () 1000 + 8 [io-flush]"},
		{209, join(number(1, 12<<20|80), number(2, 1000), number(3, 8), number(4, minus(-5)), text(5, "WS")), "block_rq_complete: 12,80 WS () 1000 + 8 [-5]"},
		{1000, join(number(1, 2000), number(2, 0x259ff), number(3, 3), number(4, 260<<20|132)), "mm_filemap_add_to_page_cache: dev 260:132 ino 259ff pfn=2000 ofs=12288"},
		{3102, join(number(1, 0xaa), number(2, 0xffff0001)), "workqueue_execute_start: work struct 0xaa: function io_schedule"},
		{4004, join(number(1, 1), number(2, 1), number(3, 2), number(4, minus(-4096))), "rss_stat: mm_id=1 curr=1 member=2 size=-4096B"},
	} {
		event := join(number(eventTimestamp, 5e9), number(eventTGID, 70), text(eventComm, "worker"), bytesField(eventCommon, number(commonPID, 71)), bytesField(test.number, test.message))
		symbol := bytesField(resultSymbols, join(number(1, 0xffff0001), text(2, "io_schedule")))
		file := htraceFile(ftraceSegment(join(bytesField(resultDetail, join(number(detailCPU, 2), bytesField(detailEvent, event))), symbol)))
		r := must.Get(Open(bytes.NewReader(file), int64(len(file)), Options{}))(t)
		got := must.Get(io.ReadAll(r))(t)
		must.Equal(t, len(r.Warnings()), 0, "warnings")
		if want := "          worker-71    (   70) [002] ....     5.000000000: " + test.want + "\n"; strings.TrimPrefix(string(got), Header) != want {
			t.Errorf("%d: got  %q\nwant %q", test.number, strings.TrimPrefix(string(got), Header), want)
		}
	}
}
