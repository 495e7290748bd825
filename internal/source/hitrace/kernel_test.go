package hitrace_test

import (
	"reflect"
	"testing"

	"ohframe/internal/source/hitrace"
)

// Of other args than those of irq_handler_entry and softirq_entry, an interrupt has no name.
func TestInterruptNames(t *testing.T) {
	for args, want := range map[string]string{
		"irq=105 name=ufshcd": "ufshcd", "irq=7 name=QUP I2C": "QUP I2C", "irq=7 name=x, handler=1": "x",
		"vec=3 [action=NET_RX]": "NET_RX", "(Rescheduling interrupts)": "", "irq=0": "", "": "", "vec=1 [action=": "",
	} {
		if got := hitrace.ParseFields([]byte("irq_handler_entry"), []byte(args)).(*hitrace.Interrupt); string(got.Name) != want {
			t.Errorf("%q: %q, want %q", args, got.Name, want)
		}
	}
}

// The fields of kernel events, as Linux and HongMeng print them, and of damaged ones.
func TestParseFields(t *testing.T) {
	for _, test := range []struct {
		name string
		args string
		want any
	}{
		{"sched_blocked_reason", "pid=61 iowait=1 caller=io_schedule+0x48/0x60 delay=12", &hitrace.Blocked{TID: 61, IOWait: true, Caller: []byte("io_schedule+0x48/0x60")}},
		{"sched_blocked_reason", "pid=61 iowait=0 caller=0x2f", &hitrace.Blocked{TID: 61, Caller: []byte("0x2f")}},
		{"sched_blocked_reason", "pid=61 iowait=1", nil}, // no format of the event: it is cut
		{"sched_blocked_reason", "pid= iowait=1", nil},
		{"cpu_frequency", "state=1720000 cpu_id=4", &hitrace.Frequency{CPU: 4, KHz: 1720000}},
		{"cpu_frequency", "state=0 cpu_id=4", nil},
		{"cpu_frequency_limits", "min=558000 max=2270000 cpu_id=4", &hitrace.Frequency{CPU: 4, KHz: 2270000}},
		{"cpu_frequency_limits", "min_freq=500000 max_freq=2800000 cpu_id=6", &hitrace.Frequency{CPU: 6, KHz: 2800000}},
		{"cpu_frequency_limits", "min=558000 cpu_id=4", nil},
		{"cpu_frequency", "state=1720000", nil},
		{"cpu_frequency", "state=1720000 cpu_id=256", nil},
		{"cpu_frequency", "state=16777216 cpu_id=0", &hitrace.Frequency{KHz: 1 << 24}},
		{"cpu_frequency", "state=16777217 cpu_id=0", nil},
		{"binder_transaction", "transaction=81 dest_node=5 dest_proc=1864 dest_thread=0 reply=0 flags=0x10 code=0xa", &hitrace.Transact{ID: 81}},
		{"binder_transaction", "transaction=82 dest_node=0 dest_proc=1864 dest_thread=7 reply=1 flags=0x0 code=0x0", &hitrace.Transact{ID: 82, Thread: 7, Reply: true}},
		{"binder_transaction", "transaction=83 dest_node=5 dest_proc=1864 dest_thread=0 reply=0 flags=0x11 code=0xa", &hitrace.Transact{ID: 83, OneWay: true}},
		{"binder_transaction", "transaction=18446744073709551616 dest_node=5", nil},
		{"binder_transaction_received", "transaction=-5", &hitrace.Transact{ID: 1<<64 - 5}}, // the kernel's number has 32 bits
		{"binder_transaction_received", "transaction=18446744073709551615", nil},
		{"binder_transaction_received", "transaction=8x", nil},
		{"block_rq_issue", "12,80 RCVHS 36864 () 134165536 + 72 [comm]", &hitrace.Request{Device: 12<<32 | 80, Sector: 134165536}},
		{"block_rq_complete", "12,80 RCVHS () 134165536 + 72 [0]", &hitrace.Request{Device: 12<<32 | 80, Sector: 134165536}},
		{"block_rq_complete", "12,80", nil},
		{"block_rq_complete", "12 RCVHS () 5 + 72 [0]", nil},
		{"block_rq_complete", "12,80 RCVHS () x + 72 [0]", nil},
		{"task_newtask", "pid=301 comm=a pid=7 clone_flags=3d0f00 oom_score_adj=0", &hitrace.Task{TID: 301}},
		{"sched_process_fork", "comm=a pid=300 child_comm=b pid=7 child_pid=301", &hitrace.Task{TID: 301}},
		{"sched_process_exit", "comm=a pid=7 b pid=301 prio=120", &hitrace.Task{TID: 301}},
		{"sched_process_exit", "comm=a pid=301 tgid=300 prio=120", &hitrace.Task{TID: 301}},
		{"sched_process_free", "comm=a pid=301 prio=120", &hitrace.Task{TID: 301}},
		{"sched_process_free", "comm=a pid=301", nil},
		{"sched_process_free", "comm=a pid=3x1 prio=120", nil},
		{"sched_process_free", "comm=swapper/0 pid=0 prio=120", nil},
		{"task_newtask", "comm=a pid=300 prio=120", nil},
		{"cpu_idle", "state=1 cpu_id=1", nil},
	} {
		if got := hitrace.ParseFields([]byte(test.name), []byte(test.args)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %q is %+v, want %+v", test.name, test.args, got, test.want)
		}
	}
}
