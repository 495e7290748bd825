// Package kernel has the table of the kernel's events: their names, the fields that Perfetto's messages
// give them, and how they are printed. Text, binary traces and Perfetto's packets are read, printed and
// written with it. It reads protocol buffers' messages, which most of these traces consist of: Fields those of
// any kind, and Values those that have few fields.
//
//	text ──▶ Event.Parse ──┐               ┌──▶ Format.Append ──▶ text
//	messages ──▶ Read ─────┼──▶ Values ────┼──▶ fields for frames and causes
//	records ───────────────┘               └──▶ FtraceEvent
package kernel

import "google.golang.org/protobuf/encoding/protowire"

// maxFields is above the number of every field of the table, and of those that are read from other messages as Values.
const maxFields = 16

// Values are the fields of a message by their numbers, for an event those of Perfetto's message. Of a number that may be
// negative they have the two's complement of 64 bits. Fields from maxFields on are left out.
type Values struct {
	Numbers [maxFields]uint64
	Texts   [maxFields][]byte
	// Memory has texts that are no part of the event's data.
	Memory []byte
	tries  int // left of maxTries
}

// Decoder reads the events of a trace that is no text, from their data. Its methods may be called at
// once.
type Decoder interface {
	// Decode sets the values of an event of a processor and returns its format. It returns nil for
	// an event that the table does not have.
	Decode(data []byte, cpu int, v *Values) *Format
	// AppendArgs appends the args of an event of a processor as text has them. It changes the values.
	AppendArgs(b, data []byte, cpu int, v *Values) []byte
}

// Reset removes all values.
func (v *Values) Reset() { *v = Values{Memory: v.Memory} }

// Keep sets a text that is no part of the event's data: what was appended to Memory from an index on.
func (v *Values) Keep(field protowire.Number, from int) {
	v.Texts[field] = v.Memory[from:len(v.Memory):len(v.Memory)]
}

// Read replaces the values by the fields of a message. The last element of a repeated field counts. It
// reports whether the message is valid.
func (v *Values) Read(message []byte) bool {
	v.Reset()
	f := Fields{Rest: message}
	for f.Next() {
		if f.Number < maxFields {
			v.Numbers[f.Number], v.Texts[f.Number] = f.Value, f.Data
		}
	}
	return !f.Bad
}

// Softirqs are the names of softirqs, by vector.
//
// Source: Linux, include/trace/events/irq.h.
var Softirqs = [...]string{"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"}

// Numbers of the fields that frames and causes need, in Perfetto's messages. Package binarytrace translates
// the few that hiprofiler numbers otherwise.
const (
	SwitchPrevComm  = 1 // sched_switch
	SwitchPrevTID   = 2
	SwitchPrevPrio  = 3
	SwitchPrevState = 4
	SwitchNextComm  = 5
	SwitchNextTID   = 6
	SwitchNextPrio  = 7

	WakeupComm      = 1 // sched_waking, sched_wakeup, sched_wakeup_new
	WakeupTID       = 2
	WakeupPrio      = 3
	WakeupTargetCPU = 5

	BlockedTID    = 1 // sched_blocked_reason
	BlockedCaller = 2
	BlockedIOWait = 3

	FrequencyState  = 1 // cpu_frequency
	FrequencyCPU    = 2
	FrequencyMax    = 2 // cpu_frequency_limits
	FrequencyMaxCPU = 3

	TransactionID     = 1 // binder_transaction, binder_transaction_received
	TransactionThread = 4
	TransactionReply  = 5
	TransactionFlags  = 7

	RequestDevice = 1 // block_rq_issue, block_rq_complete
	RequestSector = 2

	NewTask    = 1 // task_newtask: the new thread
	ForkedTask = 4 // sched_process_fork
	EndedTask  = 2 // sched_process_exit, sched_process_free

	IRQName       = 2 // irq_handler_entry
	SoftirqVector = 1 // softirq_entry

	PrintText = 2 // print
)
