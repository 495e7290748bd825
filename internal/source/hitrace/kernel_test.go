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
		if got := hitrace.ParseFields(hitrace.InterruptBegin, []byte(args)).(*hitrace.Interrupt); string(got.Name) != want {
			t.Errorf("%q: %q, want %q", args, got.Name, want)
		}
	}
}

// The fields of kernel events, as Linux and HongMeng print them, and of damaged ones.
func TestParseFields(t *testing.T) {
	for _, test := range []struct {
		kind hitrace.Kind
		args string
		want any
	}{
		{hitrace.BlockedEvent, "pid=61 iowait=1 caller=io_schedule+0x48/0x60 delay=12", &hitrace.Blocked{TID: 61, IOWait: true, Caller: []byte("io_schedule+0x48/0x60")}},
		{hitrace.BlockedEvent, "pid=61 iowait=0 caller=0x2f", &hitrace.Blocked{TID: 61, Caller: []byte("0x2f")}},
		{hitrace.BlockedEvent, "pid=61", &hitrace.Blocked{TID: 61}},
		{hitrace.BlockedEvent, "pid= iowait=1", nil},
		{hitrace.FrequencyEvent, "state=1720000 cpu_id=4", &hitrace.Frequency{CPU: 4, KHz: 1720000}},
		{hitrace.FrequencyEvent, "state=0 cpu_id=4", nil},
		{hitrace.FrequencyLimit, "min=558000 max=2270000 cpu_id=4", &hitrace.Frequency{CPU: 4, KHz: 2270000}},
		{hitrace.FrequencyLimit, "min_freq=500000 max_freq=2800000 cpu_id=6", &hitrace.Frequency{CPU: 6, KHz: 2800000}},
		{hitrace.FrequencyLimit, "min=558000 cpu_id=4", nil},
		{hitrace.FrequencyEvent, "state=1720000", nil},
		{hitrace.FrequencyEvent, "state=1720000 cpu_id=256", nil},
		{hitrace.FrequencyEvent, "state=16777216 cpu_id=0", &hitrace.Frequency{KHz: 1 << 24}},
		{hitrace.FrequencyEvent, "state=16777217 cpu_id=0", nil},
		{hitrace.TransactionEvent, "transaction=81 dest_node=5 dest_proc=1864 dest_thread=0 reply=0 flags=0x10 code=0xa", &hitrace.Transact{ID: 81}},
		{hitrace.TransactionEvent, "transaction=82 dest_node=0 dest_proc=1864 dest_thread=7 reply=1 flags=0x0 code=0x0", &hitrace.Transact{ID: 82, Thread: 7, Reply: true}},
		{hitrace.TransactionEvent, "transaction=83 dest_node=5 dest_proc=1864 dest_thread=0 reply=0 flags=0x11 code=0xa", &hitrace.Transact{ID: 83, OneWay: true}},
		{hitrace.TransactionEvent, "transaction=18446744073709551616 dest_node=5", nil},
		{hitrace.ReceivedEvent, "transaction=18446744073709551615", &hitrace.Transact{ID: 1<<64 - 1}},
		{hitrace.ReceivedEvent, "transaction=8x", nil},
		{hitrace.IssueEvent, "12,80 RCVHS 36864 () 134165536 + 72 [comm]", &hitrace.Request{Device: 12<<32 | 80, Sector: 134165536}},
		{hitrace.CompleteEvent, "12,80 RCVHS () 134165536 + 72 [0]", &hitrace.Request{Device: 12<<32 | 80, Sector: 134165536}},
		{hitrace.CompleteEvent, "12,80", nil},
		{hitrace.CompleteEvent, "12 RCVHS () 5 + 72 [0]", nil},
		{hitrace.CompleteEvent, "12,80 RCVHS () x + 72 [0]", nil},
		{hitrace.CreateEvent, "pid=301 comm=a pid=7 clone_flags=3d0f00 oom_score_adj=0", &hitrace.Task{TID: 301}},
		{hitrace.CreateEvent, "comm=a pid=300 child_comm=b pid=7 child_pid=301", &hitrace.Task{TID: 301}},
		{hitrace.ExitEvent, "comm=a pid=7 b pid=301 prio=120", &hitrace.Task{TID: 301}},
		{hitrace.ExitEvent, "comm=a pid=301 tgid=300 prio=120", &hitrace.Task{TID: 301}},
		{hitrace.FreeEvent, "comm=a pid=301", &hitrace.Task{TID: 301}},
		{hitrace.FreeEvent, "comm=a pid=3x1 prio=120", nil},
		{hitrace.FreeEvent, "comm=swapper/0 pid=0 prio=120", nil},
		{hitrace.CreateEvent, "comm=a pid=300 prio=120", nil},
		{hitrace.KernelEvent, "state=1 cpu_id=1", nil},
	} {
		if got := hitrace.ParseFields(test.kind, []byte(test.args)); !reflect.DeepEqual(got, test.want) {
			t.Errorf("kind %d: %q is %+v, want %+v", test.kind, test.args, got, test.want)
		}
	}
}
