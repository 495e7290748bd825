package why

import (
	"strings"

	"ohframe/analyzer/trace"
)

// Culprit is a thread that a frame's thread waited for.
type Culprit struct {
	PID     trace.PID `json:"pid"`
	TID     trace.TID `json:"tid"`
	Process string    `json:"process,omitzero"` // empty if unknown
	Thread  string    `json:"thread,omitzero"`  // empty if unknown
	// Wait and Slice are what the thread did most of the time, for Did.
	Wait  Wait           `json:"wait"`
	Slice string         `json:"slice,omitzero"`
	Did   trace.Duration `json:"did_ns"`
	// Arguments are those of the slice in which it was for the longest time at once.
	Arguments []Argument `json:"arguments,omitempty"`
	// Time is for how long the thread was waited for.
	Time trace.Duration `json:"ns"`
	// Sure is false if the thread may only have been interrupted by what ended the wait.
	Sure bool `json:"sure"`
	// Function is the kernel function in which the thread itself waited the longest, and Interrupt the
	// interrupt that ended most of that; empty if it did not wait, or if they are unknown.
	Function  string `json:"function,omitzero"`
	Interrupt string `json:"interrupt,omitzero"`
	// For is the thread that had the CPU that this one wanted, of several that with the most time, or for
	// which it waited itself; nil if it is unknown.
	For *OtherThread `json:"for,omitzero"`
}

// Unfollowed reports whether the thread waited for another one, and it is unknown what that one did: the
// chain of waits is longer than those that are followed, or the wait was short.
func (c *Culprit) Unfollowed() bool {
	return c.For != nil && c.Wait != CPUPreempted && c.Wait != CPUWait
}

// OtherThread is a thread that a culprit waited for, and for how long.
type OtherThread struct {
	PID     trace.PID      `json:"pid"`
	TID     trace.TID      `json:"tid"`
	Process string         `json:"process,omitzero"` // empty if unknown
	Thread  string         `json:"thread,omitzero"`  // empty if unknown
	Time    trace.Duration `json:"ns"`
}

// Name is Culprit.Name of the thread.
func (t *OtherThread) Name() string {
	return (&Culprit{Process: t.Process, Thread: t.Thread}).Name()
}

// Name returns "process:thread", or the thread's name alone if that of the process is
// unknown or the same. It is empty if the thread has no name.
func (c *Culprit) Name() string {
	if c.Thread == "" || c.Process == "" || c.Process == c.Thread {
		return c.Thread
	}
	return c.Process + ":" + c.Thread
}

// ThreadKind is the threads that do the same work.
type ThreadKind struct {
	// Name is that of the thread, as of Culprit.Name, or of a pool "process:OS_FFRT*"
	// without the numbers. It is empty if the thread has no name; then TID is its id.
	Name string
	TID  trace.TID
	// PID is that of the process of a pool if the process has no name; 0 otherwise.
	PID trace.PID
	// Several is set for threads of several kinds. Nothing else is known of them.
	Several bool
}

// numbering is what ends the names of the threads of a pool: OS_FFRT_2_3, TaskWorker-4.
const (
	digits    = "0123456789"
	numbering = digits + "_-.:/#"
)

// Kind returns the kind of the thread; the zero value for nil.
func (c *Culprit) Kind() ThreadKind {
	switch {
	case c == nil:
		return ThreadKind{}
	case c.Thread == "":
		return ThreadKind{TID: c.TID}
	}
	name := c.Name()
	base := strings.TrimRight(name, numbering)
	number := name[len(base):]
	switch {
	case base == "", !strings.ContainsAny(number, digits):
		return ThreadKind{Name: name}
	case trace.PID(c.TID) == c.PID && number[0] != '/' && number[0] != '-':
		return ThreadKind{Name: name} // of main threads, only those of the kernel are in pools
	}
	kind := ThreadKind{Name: base + "*"}
	if c.Process == "" && c.PID != trace.UnknownPID && trace.PID(c.TID) != c.PID {
		kind.PID = c.PID // pools of several processes have the same name
	}
	return kind
}
