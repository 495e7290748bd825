package why

// Wait is what a thread did or waited for in a piece of time. docs/why.md lists the
// codes; new ones may be added. The constants are in the order of their rules: the
// first that fits applies, and of two causes with the same share the smaller wins.
type Wait uint8

// The waits.
const (
	WaitUnknown      Wait = iota // the thread's state is unknown
	EarlierFrame                 // was busy with an earlier frame
	EarlierWork                  // was busy with something else before the frame
	WaitVsync                    // waited for the frame's vsync
	WaitIRQ                      // an interrupt handler ran on its CPU
	Run                          // ran
	RunSlow                      // ran longer because the CPU was slower
	GCRun                        // collected garbage
	CPUPreempted                 // another thread took its CPU
	CPUWait                      // was woken and waited for a CPU
	WaitGC                       // waited for a garbage collection
	WaitBinder                   // waited for the reply to a call
	WaitFence                    // waited for the GPU or the display
	WaitBuffer                   // waited for a free buffer
	WaitIO                       // waited for storage
	WaitMem                      // waited for memory
	WaitNet                      // waited for the network
	WaitRender                   // render_service's main thread waited for its render thread
	WaitOwnThread                // waited for a thread of its process
	WaitOtherProcess             // waited for a thread of another process, without a call
	WaitTimer                    // slept for a time
	WaitKernel                   // waited in the kernel for something else
	WaitInterrupt                // waited until another interrupt, or an unknown one
	WaitSleep                    // slept; the trace does not say what for
	WaitGPU                      // the thread was done, the GPU was not
	Variation                    // a little of everything, each below the noise floor
	waitEnd                      // stays last
)

// WaitCount is the number of waits.
const WaitCount = int(waitEnd)

var waits = [WaitCount]string{
	WaitUnknown:      "unknown",
	EarlierFrame:     "earlier_frame",
	EarlierWork:      "earlier_work",
	WaitVsync:        "vsync",
	WaitIRQ:          "irq",
	Run:              "run",
	RunSlow:          "run.slow",
	GCRun:            "gc",
	CPUPreempted:     "cpu.preempted",
	CPUWait:          "cpu.wait",
	WaitGC:           "gc.wait",
	WaitBinder:       "binder",
	WaitFence:        "fence",
	WaitBuffer:       "buffer",
	WaitIO:           "io",
	WaitMem:          "mem",
	WaitNet:          "net",
	WaitRender:       "render",
	WaitOwnThread:    "own_thread",
	WaitOtherProcess: "other_process",
	WaitTimer:        "timer",
	WaitKernel:       "kernel",
	WaitInterrupt:    "interrupt",
	WaitSleep:        "sleep",
	WaitGPU:          "gpu",
	Variation:        "variation",
}

// String returns the wait's code: lower case, words joined by underscores, a dot
// between a group and its member.
func (w Wait) String() string { return waits[w] }

// Explains reports whether the wait itself is the cause. The thread that ends it only
// reports that the device or the memory is ready.
func (w Wait) Explains() bool {
	switch w {
	case WaitFence, WaitBuffer, WaitIO, WaitMem, WaitNet:
		return true
	}
	return false
}

// Runs reports whether samples of running threads belong to the wait: a thread runs in it, or it is
// unknown whether it does.
func (w Wait) Runs() bool { return w == Run || w == GCRun || w == EarlierWork || w == WaitUnknown }
