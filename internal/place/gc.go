package place

import (
	"bytes"
	"strconv"
)

// Reasons that gcAdvice asks for.
const (
	gcAllocationLimit  = "allocation limit"
	gcAllocationFailed = "allocation failed"
	gcIdle             = "idle"
	gcBackground       = "switched to background"
	gcExternal         = "external trigger"
	gcJS               = "triggered by JS"
	gcHint             = "hint"
	gcNativeLimit      = "native limit"
	gcSharedLimit      = "shared limit"
	gcIdleNative       = "idle, native memory"
)

// reasons are those of enum GCReason in arkcompiler_ets_runtime, branches 4.1 to
// master. The first five are the same in all of them. In March 2025, between 5.1.0
// and 6.0, one commit changed the numbers from the seventh on and wrote GCReason
// instead of Reason into the RunPhases markers; SharedGC::Finish kept Reason.
var (
	laterReasons = [...]string{
		gcAllocationLimit, gcAllocationFailed, gcIdle, gcBackground, gcExternal,
		"worker destroyed", gcJS, gcHint, gcNativeLimit, gcSharedLimit, gcIdleNative, "cross reference",
		"marking finished", "ArkUI", "ability", "memory tools", "TaskPool", "other",
	}
	// 5 is other in 4.1 and worker destroyed in 5.0; 11 is other in 5.0 and hint
	// in 5.1.0.
	earlierReasons = [...]string{
		gcAllocationLimit, gcAllocationFailed, gcIdle, gcBackground, gcExternal,
		"", gcJS, "ArkUI", "ability", "memory tools", "TaskPool", "", gcIdleNative,
	}
)

// sameReasons is how many numbers have one meaning in every version.
const sameReasons = 5

// GCReason returns the reason of the garbage collection whose slice has this label,
// such as "allocation limit". It is false if the label has no reason, or if the
// reason's number has different meanings in the versions that write such a label.
func GCReason(label []byte) (string, bool) {
	reasons := laterReasons[:]
	_, number, ok := bytes.Cut(label, []byte(";GCReason"))
	if !ok {
		reasons = earlierReasons[:]
		if _, number, ok = bytes.Cut(label, []byte(";Reason")); !ok {
			return "", false
		}
		if !bytes.Contains(label, []byte("RunPhases")) {
			reasons = reasons[:sameReasons]
		}
	}
	number, _, _ = bytes.Cut(number, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(number)), 10, 8)
	if err != nil || n >= uint64(len(reasons)) || reasons[n] == "" {
		return "", false
	}
	return reasons[n], true
}
