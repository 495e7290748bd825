package kernel_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/internal/perfettopb"
	"ohframe/internal/source/kernel"
)

// The numbers of fields are those of the schema.
func TestFieldNumbers(t *testing.T) {
	messages := (&perfettopb.FtraceEvent{}).ProtoReflect().Descriptor().Fields()
	for event, fields := range map[protoreflect.Name]map[protoreflect.Name]protowire.Number{
		"print": {"buf": kernel.PrintText},
		"sched_switch": {
			"prev_comm": kernel.SwitchPrevComm, "prev_pid": kernel.SwitchPrevTID, "prev_prio": kernel.SwitchPrevPrio, "prev_state": kernel.SwitchPrevState,
			"next_comm": kernel.SwitchNextComm, "next_pid": kernel.SwitchNextTID, "next_prio": kernel.SwitchNextPrio,
		},
		"sched_waking":                {"comm": kernel.WakeupComm, "pid": kernel.WakeupTID, "prio": kernel.WakeupPrio, "target_cpu": kernel.WakeupTargetCPU},
		"sched_wakeup":                {"comm": kernel.WakeupComm, "pid": kernel.WakeupTID, "prio": kernel.WakeupPrio, "target_cpu": kernel.WakeupTargetCPU},
		"sched_wakeup_new":            {"comm": kernel.WakeupComm, "pid": kernel.WakeupTID, "prio": kernel.WakeupPrio, "target_cpu": kernel.WakeupTargetCPU},
		"sched_blocked_reason":        {"pid": kernel.BlockedTID, "caller": kernel.BlockedCaller, "io_wait": kernel.BlockedIOWait},
		"cpu_frequency":               {"state": kernel.FrequencyState, "cpu_id": kernel.FrequencyCPU},
		"cpu_frequency_limits":        {"max_freq": kernel.FrequencyMax, "cpu_id": kernel.FrequencyMaxCPU},
		"binder_transaction":          {"debug_id": kernel.TransactionID, "to_thread": kernel.TransactionThread, "reply": kernel.TransactionReply, "flags": kernel.TransactionFlags},
		"binder_transaction_received": {"debug_id": kernel.TransactionID},
		"block_rq_issue":              {"dev": kernel.RequestDevice, "sector": kernel.RequestSector},
		"block_rq_complete":           {"dev": kernel.RequestDevice, "sector": kernel.RequestSector},
		"task_newtask":                {"pid": kernel.NewTask},
		"sched_process_fork":          {"child_pid": kernel.ForkedTask},
		"sched_process_exit":          {"pid": kernel.EndedTask},
		"sched_process_free":          {"pid": kernel.EndedTask},
		"irq_handler_entry":           {"name": kernel.IRQName},
		"softirq_entry":               {"vec": kernel.SoftirqVector},
	} {
		for name, number := range fields {
			if got := messages.ByName(event).Message().Fields().ByName(name); got == nil || got.Number() != number {
				t.Errorf("%s.%s is %v, not field %d", event, name, got, number)
			}
		}
	}
}

// What a format prints is read again as the same values.
func TestPrintAndParse(t *testing.T) {
	for name, event := range kernel.Events() {
		for i, format := range event.Formats {
			var v kernel.Values
			whole := true
			for k := range format.Places {
				p := &format.Places[k]
				switch whole = whole && p.Kind != kernel.Skipped; p.Kind {
				case kernel.Text, kernel.Symbol:
					v.Texts[p.Field] = []byte("abc")
				case kernel.State:
					v.Texts[p.Field] = []byte("S")
				case kernel.Int32:
					v.Numbers[p.Field] = 1<<64 - 3
				case kernel.None, kernel.Softirq:
				default:
					v.Numbers[p.Field] = 1
				}
			}
			text := format.Append(nil, &v)
			var got kernel.Values
			if read := event.Parse(text, &got); whole && (read == nil || string(read.Append(nil, &got)) != string(text)) {
				t.Errorf("%s: format %d: %q is not read as what it is", name, i, text)
			}
		}
	}
}
