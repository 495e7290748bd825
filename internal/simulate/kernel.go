package simulate

import (
	"strconv"

	"ohframe/analyzer/trace"
)

// kernelStyle is where the two kernels differ.
type kernelStyle struct {
	nextOwnsSwitch bool   // the thread named first in a sched_switch line is the one that starts
	idleState      string // prev_state of a processor that was idle
	preempted      string // and of a thread that would like to go on
	blocked        func(b []byte, tid int, slept trace.Duration) []byte
}

var kernelStyles = map[Kernel]kernelStyle{
	KernelLinux: {
		idleState: "R", preempted: "R",
		blocked: func(b []byte, tid int, _ trace.Duration) []byte {
			return append(appendBlocked(b, tid), "io_schedule+0x20/0x40"...)
		},
	},
	KernelHongMeng: {
		nextOwnsSwitch: true, idleState: "R+", preempted: "R+",
		blocked: func(b []byte, tid int, slept trace.Duration) []byte {
			b = append(appendBlocked(b, tid), "io_schedule+0x20/0x40[devhost.elf] delay="...)
			return strconv.AppendInt(b, int64(slept/trace.Microsecond), 10)
		},
	},
}

func appendBlocked(b []byte, tid int) []byte {
	b = append(b, "sched_blocked_reason: pid="...)
	b = strconv.AppendInt(b, int64(tid), 10)
	return append(b, " iowait=1 caller="...)
}
