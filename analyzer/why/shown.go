package why

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Shown is how a render frame got to the display (docs/why.md 7).
type Shown struct {
	// At is when the display showed the frame, and Due when it would have shown a usual
	// frame. A longer Delay than usual makes Due later. Due is unknown if there are fewer than 8 frames to compare
	// with.
	Due, At trace.Time
	// Delay is the time before the commit in which its thread had nothing to do.
	// render_service puts commits off on purpose. It is 0 for frames that were not shown
	// later than usual.
	Delay trace.Duration
	// Late is At − Due if that is more than half a refresh period, otherwise 0.
	Late trace.Duration
	// Steps are those from Explanation.Start to At.
	Steps []Step
	// Shares are the causes of Late, the largest first. Their sum is Late. Of a share whose time the
	// display or a thread was still busy with an earlier frame, Earlier is that frame. It is nil for
	// a frame that was not shown late.
	Shares []Share
	// Confidence is how sure they are, at most as sure as those of Root.
	Confidence Confidence
	// Root is the frame whose cause made this one late: something was still busy with an earlier
	// frame, and that is the first of them. It is nil if the frame was late by itself.
	Root *analyzer.Frame
	// Waited is the buffer of the frame whose GPU the display waited for, if that is the cause
	// of Late; otherwise nil.
	Waited *analyzer.Buffer
}

// PickUp is why render_service picked an application frame up late, although the frame
// itself was on time (docs/why.md 8).
type PickUp struct {
	// Late is the time from the vsync on which the frame should have been picked up to that
	// on which it was.
	Late   trace.Duration
	Reason PickUpReason
	// Share is what delayed render_service, for RenderBusy. Value is for how long. It has no
	// Usual and no Share.
	Share *Share
	// Passed is the render frame that should have picked the frame up and did not; nil if
	// it does not exist.
	Passed *analyzer.Frame
}

// PickUpReason is the kind of reason of a PickUp.
type PickUpReason uint8

// The reasons.
const (
	// PickUpUnknown: the trace does not show why.
	PickUpUnknown PickUpReason = iota
	// RenderBusy: render_service's main thread began its next frame too late.
	RenderBusy
	// NoVsync: render_service had no vsync then.
	NoVsync
	// Deferred: render_service had the transaction and left it for a later frame.
	Deferred
	// Unmarshalling: the transaction was not unmarshalled yet.
	Unmarshalling
	// NoCommands: render_service's frame applied no transactions at all.
	NoCommands
	// SentLate: the transaction was sent after render_service had applied transactions.
	SentLate

	pickUpReasonEnd // stays last
)

// PickUpReasonCount is the number of reasons.
const PickUpReasonCount = int(pickUpReasonEnd)

var pickUpReasons = [PickUpReasonCount]string{"unknown", "render_busy", "no_vsync", "deferred", "unmarshalling", "no_commands", "sent_late"}

// String returns the reason's code.
func (p PickUpReason) String() string { return pickUpReasons[p] }
