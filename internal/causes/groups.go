package causes

import (
	"ohframe/analyzer/why"
	"ohframe/internal/view"
)

// Groups of waits, which have a colour and a pattern on pages.
var (
	groupRun       = view.Group{ID: "run", Name: "running"}
	groupCPU       = view.Group{ID: "cpu", Name: "waiting for a CPU"}
	groupStorage   = view.Group{ID: "storage", Name: "storage, memory, network"}
	groupIPC       = view.Group{ID: "ipc", Name: "another process"}
	groupThread    = view.Group{ID: "thread", Name: "another thread"}
	groupGC        = view.Group{ID: "gc", Name: "garbage collection"}
	groupGPU       = view.Group{ID: "gpu", Name: "GPU, buffers"}
	groupInterrupt = view.Group{ID: "interrupt", Name: "interrupts"}
	groupUnknown   = view.Group{ID: "unknown", Name: "asleep or unknown"}
	groupEarlier   = view.Group{ID: "earlier", Name: "before the frame"} // without a colour
)

// groups are all groups in the order of a legend.
var groups = []view.Group{
	groupRun, groupCPU, groupStorage, groupIPC, groupThread, groupGC, groupGPU, groupInterrupt, groupUnknown, groupEarlier,
}

// groupOf returns the ID of the group of a wait.
func groupOf(w why.Wait) string {
	switch w {
	case why.EarlierFrame, why.EarlierWork, why.WaitVsync:
		return groupEarlier.ID
	case why.WaitIRQ:
		return groupInterrupt.ID
	case why.Run, why.RunSlow, why.Variation:
		return groupRun.ID
	case why.GCRun, why.WaitGC:
		return groupGC.ID
	case why.CPUPreempted, why.CPUWait:
		return groupCPU.ID
	case why.WaitBinder, why.WaitOtherProcess:
		return groupIPC.ID
	case why.WaitFence, why.WaitBuffer, why.WaitGPU:
		return groupGPU.ID
	case why.WaitIO, why.WaitMem, why.WaitNet:
		return groupStorage.ID
	case why.WaitRender, why.WaitOwnThread:
		return groupThread.ID
	}
	return groupUnknown.ID
}
