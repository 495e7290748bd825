// Package sample is the model of what a sampling profiler recorded: which functions threads ran,
// or waited in, at some moments. A Profile has the tables that the samples refer to; readers yield
// the samples one after another, because a file may have millions.
package sample

import (
	"iter"

	"ohframe/analyzer/trace"
)

// Unknown is the index of a thing that is not known.
const Unknown = -1

// A Sample is the state of a thread at a moment.
type Sample struct {
	// Time is on the profile's clock, which need not be that of the trace.
	Time     trace.Time
	PID, TID int32
	// CPU is the processor, or Unknown.
	CPU int32
	// Event is an index into Profile.Events, or Unknown.
	Event int32
	// Stack is an index into Profile.Stacks: the innermost call. It is Unknown if the sample
	// has no address.
	Stack int32
	// Period is how many counts of the event the sample stands for, such as CPU cycles. It is
	// 1 if the file does not say.
	Period uint64
	// Kernel reports whether the thread was in the kernel.
	Kernel bool
}

// Profile is what all samples of a file share. Its tables grow while the samples are read; entries
// do not change.
type Profile struct {
	Clock     Clock
	Events    []Event
	Threads   []Thread
	Modules   []Module
	Functions []Function
	Frames    []Frame
	Stacks    []Stack
	// Lost is the number of samples that were lost while recording.
	Lost uint64
	// Command is the command that recorded the file, and Recorded when it was, as the file
	// states it. Both may be empty.
	Command, Recorded string
}

// ClockID is a clock of Linux.
type ClockID int8

// The clocks. The numbers are those of clock_gettime, except for the last two.
const (
	ClockRealtime  ClockID = 0
	ClockMonotonic ClockID = 1
	ClockRaw       ClockID = 4
	ClockBoot      ClockID = 7
	ClockTAI       ClockID = 11
	// ClockPerf is the kernel's clock for scheduling, which perf events use unless a clock is
	// chosen. Its offset to other clocks is not stated anywhere.
	ClockPerf ClockID = -1
	// ClockUnknown: the file does not state its clock.
	ClockUnknown ClockID = -2
	// ClockNone: the samples have no times.
	ClockNone ClockID = -3
)

var clockNames = map[ClockID]string{
	ClockRealtime: "realtime", ClockMonotonic: "monotonic", ClockRaw: "monotonic_raw", ClockBoot: "boottime",
	ClockTAI: "tai", ClockPerf: "perf",
}

// String returns the name of the clock as tools spell it, or "unknown".
func (c ClockID) String() string {
	if name, ok := clockNames[c]; ok {
		return name
	}
	return "unknown"
}

// Known reports whether the clock is one of clock_gettime, so that it can be related to others.
func (c ClockID) Known() bool { return c >= 0 && c.String() != "unknown" }

// Clock is what a file states about the clock of its samples.
type Clock struct {
	ID ClockID
	// At and Unix are a moment on this clock and on the real-time clock, both in nanoseconds. They
	// are 0 if the file does not state them.
	At, Unix uint64
}

// Event is what makes the profiler take a sample.
type Event struct {
	// Name is the name of the event, such as hw-cpu-cycles; it may be empty.
	Name string
	// Frequency is in samples per second and thread; Period is in counts. One of them is 0.
	Frequency, Period uint64
	// Waiting reports whether threads have samples also while they wait.
	Waiting bool
}

// Thread is a thread that has samples or a name.
type Thread struct {
	PID, TID int32
	Name     string
}

// Module is a file with code, or the kernel.
type Module struct {
	Path, BuildID string
	Kernel        bool
}

// Function is a function of a module. Its name is demangled.
type Function struct {
	Name   string
	Module int32
}

// Frame is an address of code.
type Frame struct {
	// Module and Function are indexes, or Unknown.
	Module, Function int32
	// Address is the address in the module's file, or in memory if the module is unknown or the
	// kernel.
	Address uint64
	// Line is the line of the function in the source file that the module is, or 0.
	Line int32
}

// Stack is a call: a frame, and the call that it was made from.
type Stack struct {
	// Parent is an index into Profile.Stacks that is less than that of this call, or Unknown for
	// the outermost call.
	Parent int32
	Frame  int32
}

// Calls returns the frames of a stack, the innermost first.
func (p *Profile) Calls(stack int32) iter.Seq[*Frame] {
	return func(yield func(*Frame) bool) {
		for stack != Unknown {
			s := p.Stacks[stack]
			if !yield(&p.Frames[s.Frame]) {
				return
			}
			stack = s.Parent
		}
	}
}
