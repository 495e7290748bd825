package place

import (
	"bytes"
	"sync"

	"ohframe/analyzer/why"
)

type blocker struct {
	prefix string
	wait   why.Wait
}

// blockers are kernel functions in which threads wait. Kernels cut the names in
// sched_blocked_reason: HongMeng after 19 bytes. WaitUnknown is for functions whose
// names begin like those of another wait.
var blockers = []blocker{
	// Linux: the page cache and the block layer.
	{"io_schedule*", why.WaitIO},
	{"bit_wait_io*", why.WaitIO},
	{"folio_wait_*", why.WaitIO},
	{"__folio_lock*", why.WaitIO},
	{"__lock_page*", why.WaitIO},
	{"wait_on_page_*", why.WaitIO},
	{"__wait_on_buffer*", why.WaitIO},
	{"filemap_*", why.WaitIO},
	{"do_read_cache_*", why.WaitIO},
	{"blk_*", why.WaitIO},
	{"submit_bio*", why.WaitIO},
	{"dm_*", why.WaitIO},
	{"ufshcd*", why.WaitIO},
	{"mmc_*", why.WaitIO},
	// Linux: file systems.
	{"ext4_*", why.WaitIO},
	{"f2fs_*", why.WaitIO},
	{"erofs_*", why.WaitIO},
	{"jbd2_*", why.WaitIO},
	{"fsync*", why.WaitIO},
	{"sync_*", why.WaitIO},
	// HongMeng: the page cache, the file system, the block layer.
	{"fscache_page_*", why.WaitIO},
	{"hmfs_*", why.WaitIO},
	{"udk_blk_*", why.WaitIO},
	{"block_end_*", why.WaitIO},
	{"vfs_*", why.WaitIO},
	{"vfs_op_fanotify*", why.WaitUnknown}, // waits for somebody to open a file

	{"dma_fence_*", why.WaitFence},
	{"dma_resv_wait*", why.WaitFence},
	{"sync_file*", why.WaitFence},
	{"sync_file_range*", why.WaitIO},
	{"sync_fence*", why.WaitFence},
	{"drm_wait_*", why.WaitFence},
	{"drm_atomic_helper_w*", why.WaitFence}, // …wait_for_fences and its like
	{"drm_crtc_wait*", why.WaitFence},
	{"drm_syncobj_*", why.WaitFence},
	{"kbase_*", why.WaitFence},
	{"mali_*", why.WaitFence},

	{"shrink_*", why.WaitMem},
	{"compact_*", why.WaitMem},
	{"try_to_free_*", why.WaitMem},
	{"do_try_to_free_*", why.WaitMem},
	{"do_page_fault*", why.WaitMem},
	{"hhp_anon_fault*", why.WaitMem}, // HongMeng, as is the next one
	{"fault_handle_*", why.WaitMem},

	{"hrtimer_nanosleep*", why.WaitTimer},
	{"do_nanosleep*", why.WaitTimer},
	{"msleep*", why.WaitTimer},
	{"usleep*", why.WaitTimer},
}

var blockerIndex = newBlockerIndex()

// newBlockerIndex makes the index when it is first used.
func newBlockerIndex() func() *prefixes {
	return sync.OnceValue(func() *prefixes {
		index := newPrefixes(len(blockers), func(row int) string { return blockers[row].prefix })
		return &index
	})
}

// BlockedBy returns what a thread that is blocked in a kernel function waits for:
// WaitIO, WaitFence, WaitMem or WaitTimer, and WaitUnknown for all other functions. caller
// is the field of that name of a sched_blocked_reason event, or the result of
// AppendFunction.
func BlockedBy(caller []byte) why.Wait {
	row, _ := blockerIndex().find(caller)
	switch {
	case row >= 0:
		return blockers[row].wait
	case bytes.Contains(function(caller), []byte("reclaim")):
		return why.WaitMem
	}
	return why.WaitUnknown
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
