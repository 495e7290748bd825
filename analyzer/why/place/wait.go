package place

import "bytes"

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
	WaitRender                   // render_service's main thread waited for its render thread
	WaitOwnThread                // waited for a thread of its process
	WaitOtherProcess             // waited for a thread of another process, without a call
	WaitTimer                    // slept for a time
	WaitKernel                   // waited in the kernel for something else
	WaitSleep                    // slept; the trace does not say what for
	GPU                          // the thread was done, the GPU was not
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
	WaitRender:       "render",
	WaitOwnThread:    "own_thread",
	WaitOtherProcess: "other_process",
	WaitTimer:        "timer",
	WaitKernel:       "kernel",
	WaitSleep:        "sleep",
	GPU:              "gpu",
	Variation:        "variation",
}

// String returns the wait's code: lower case, words joined by underscores, a dot
// between a group and its member.
func (w Wait) String() string { return waits[w] }

// Explains reports whether the wait itself is the cause. The thread that ends it only
// reports that the device or the memory is ready.
func (w Wait) Explains() bool {
	switch w {
	case WaitFence, WaitBuffer, WaitIO, WaitMem:
		return true
	}
	return false
}

type blocker struct {
	prefix string
	wait   Wait
}

// blockers are kernel functions in which threads wait. Kernels cut the names in
// sched_blocked_reason: HongMeng after 19 bytes. WaitUnknown is for functions whose
// names begin like those of another wait.
var blockers = []blocker{
	// Linux: the page cache and the block layer.
	{"io_schedule*", WaitIO},
	{"bit_wait_io*", WaitIO},
	{"folio_wait_*", WaitIO},
	{"__folio_lock*", WaitIO},
	{"__lock_page*", WaitIO},
	{"wait_on_page_*", WaitIO},
	{"__wait_on_buffer*", WaitIO},
	{"filemap_*", WaitIO},
	{"do_read_cache_*", WaitIO},
	{"blk_*", WaitIO},
	{"submit_bio*", WaitIO},
	{"dm_*", WaitIO},
	{"ufshcd*", WaitIO},
	{"mmc_*", WaitIO},
	// Linux: file systems.
	{"ext4_*", WaitIO},
	{"f2fs_*", WaitIO},
	{"erofs_*", WaitIO},
	{"jbd2_*", WaitIO},
	{"fsync*", WaitIO},
	{"sync_*", WaitIO},
	// HongMeng: the page cache, the file system, the block layer.
	{"fscache_page_*", WaitIO},
	{"hmfs_*", WaitIO},
	{"udk_blk_*", WaitIO},
	{"block_end_*", WaitIO},
	{"vfs_*", WaitIO},
	{"vfs_op_fanotify*", WaitUnknown}, // waits for somebody to open a file

	{"dma_fence_*", WaitFence},
	{"dma_resv_wait*", WaitFence},
	{"sync_file*", WaitFence},
	{"sync_file_range*", WaitIO},
	{"sync_fence*", WaitFence},
	{"drm_wait_*", WaitFence},
	{"drm_atomic_helper_w*", WaitFence}, // …wait_for_fences and its like
	{"drm_crtc_wait*", WaitFence},
	{"drm_syncobj_*", WaitFence},
	{"kbase_*", WaitFence},
	{"mali_*", WaitFence},

	{"shrink_*", WaitMem},
	{"compact_*", WaitMem},
	{"try_to_free_*", WaitMem},
	{"do_try_to_free_*", WaitMem},
	{"do_page_fault*", WaitMem},
	{"hhp_anon_fault*", WaitMem}, // HongMeng, as is the next one
	{"fault_handle_*", WaitMem},

	{"hrtimer_nanosleep*", WaitTimer},
	{"do_nanosleep*", WaitTimer},
	{"msleep*", WaitTimer},
	{"usleep*", WaitTimer},
}

var blockerIndex = newBlockerIndex()

func newBlockerIndex() prefixes {
	return newPrefixes(len(blockers), func(row int) string { return blockers[row].prefix })
}

// BlockedBy returns what a thread that is blocked in a kernel function waits for:
// WaitIO, WaitFence, WaitMem or WaitTimer, and WaitUnknown for all other functions. caller
// is the field of that name of a sched_blocked_reason event, or the result of
// AppendFunction.
func BlockedBy(caller []byte) Wait {
	row, _ := blockerIndex.find(caller)
	switch {
	case row >= 0:
		return blockers[row].wait
	case bytes.Contains(function(caller), []byte("reclaim")):
		return WaitMem
	}
	return WaitUnknown
}

// AppendFunction appends the kernel function's name of a sched_blocked_reason
// event's caller to dst: "io_schedule+0x1c/0x9b0[storage.elf]" is io_schedule. It
// appends nothing for an address without a name.
func AppendFunction(dst, caller []byte) []byte { return append(dst, function(caller)...) }

func function(caller []byte) []byte {
	caller = bytes.TrimLeft(caller, " ")
	for i, c := range caller {
		if c == '+' || c == '[' || c == ' ' {
			caller = caller[:i]
			break
		}
	}
	if len(caller) > 0 && isDigit(caller[0]) { // an address; no C name begins so
		return nil
	}
	return caller
}

// IsInterruptThread reports whether a thread with this name handles interrupts:
// HongMeng's udk-irq-N and dh-irq-bind-N, Linux's irq/N-device and ksoftirqd/N.
func IsInterruptThread(comm []byte) bool {
	for _, prefix := range [...]string{"udk-irq-", "dh-irq-bind-", "irq/", "ksoftirqd/"} {
		if len(comm) > len(prefix) && string(comm[:len(prefix)]) == prefix {
			return prefix != "irq/" || isDigit(comm[len(prefix)])
		}
	}
	return false
}

// IsSchedulerThread reports whether a thread with this name is HongMeng's scheduler
// itself.
func IsSchedulerThread(comm []byte) bool {
	return bytes.HasPrefix(comm, []byte("tppmgr-sched-in"))
}
