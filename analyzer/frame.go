package analyzer

import "ohframe/analyzer/trace"

// Kind is the side of a frame.
type Kind uint8

const (
	// ApplicationFrame is one vsync's work on an application's UI thread.
	ApplicationFrame Kind = iota
	// RenderFrame is one vsync's work on render_service's main thread.
	RenderFrame
)

// String returns "app" or "render".
func (k Kind) String() string {
	if k == RenderFrame {
		return "render"
	}
	return "app"
}

// Framework is what draws an application frame, if it is not the platform's own.
type Framework uint8

const (
	// Platform is ArkUI, and what Android's frame timeline lists.
	Platform Framework = iota
	// Choreographer draws applications of Android in a container.
	Choreographer
	// Compositor is Android's SurfaceFlinger in a container.
	Compositor
	Flutter
	// Web is ArkWeb, a browser.
	Web
	// NativeVsync is a thread of an application that asks for vsyncs itself, as games do.
	NativeVsync
	// OutsideFrames has no frames: a thread of an application sends transactions from a timer or
	// a loop of its own (docs/frames.md 16.10).
	OutsideFrames

	// FrameworkCount is the number of frameworks.
	FrameworkCount = int(OutsideFrames) + 1
)

// String returns the framework's name in lower case, empty for Platform.
func (f Framework) String() string {
	return [...]string{"", "choreographer", "surfaceflinger", "flutter", "web", "nativevsync", "outside_frames"}[f]
}

// DisplaySync is a request for vsyncs that an application frame served.
type DisplaySync struct {
	ID   int64
	Type DisplaySyncType
	// Rate is how often a second its callback is to be called, of VsyncRate vsyncs: in every Every-th frame.
	// They are zero if the trace does not say.
	Rate, VsyncRate, Every int32
	// Skipped: the callback was not called in this frame.
	Skipped bool
	// Took is how long the display sync was served, and CPUTime how long the thread ran in that; zero if unknown.
	Took, CPUTime trace.Duration
}

// DisplaySyncType is who makes a DisplaySync, with ArkUI's numbers.
type DisplaySyncType int8

const (
	CallbackSync   DisplaySyncType = iota - 1 // the application's own callback
	AnimatorSync                              // an Animator
	XComponentSync                            // an XComponent
	UnknownSync                               // the trace has no type
)

// String returns "callback", "animator", "xcomponent" or "unknown".
func (t DisplaySyncType) String() string {
	return [...]string{"callback", "animator", "xcomponent", "unknown"}[t+1]
}

// Interval is an interval of trace time. The zero Interval is unknown.
type Interval struct {
	Start, End trace.Time
}

// Known reports whether both ends of the interval are known.
func (i Interval) Known() bool { return i.Start.Known() && i.End.Known() }

// Duration returns the interval's length, zero if it is unknown.
func (i Interval) Duration() trace.Duration {
	if !i.Known() {
		return 0
	}
	return i.End.Sub(i.Start)
}

// Facts is a set of independent properties of a frame.
type Facts uint16

const (
	// MainLate: the thread finished after the deadline.
	MainLate Facts = 1 << iota
	// GPULate: the frame's GPU work finished after the deadline.
	GPULate
	// Empty: an application frame without a transaction that is not NoTransaction, or a render
	// frame that applied no commands at all or is CommitSkipped.
	Empty
	// Misaligned: render_service did not pick up the application frame on the vsync for
	// which it was made. Both frames of the link have this fact.
	Misaligned
	// Truncated: the trace begins or ends within the frame.
	Truncated
	// Dropped: the frame was never shown. Only Android's frame timeline reports it.
	Dropped
	// FirstDraw: the frame is the first that ArkUI draws of a window, as ArkUI 6.0 and later say. No
	// animation waits for it.
	FirstDraw
	// EmptyUnknown: whether the frame is Empty is unknown, because the trace lacks the markers
	// that would say so.
	EmptyUnknown
	// CommitSkipped: nothing on the screen had changed when render_service came to draw the frame,
	// so it committed nothing. The frame is Empty, too; the system's frame table does not know it.
	CommitSkipped
	// DeadlineInferred: the trace does not state the deadline of the application frame. It is one
	// period after the vsync, and the period is the time between vsyncs (docs/frames.md 3.11).
	DeadlineInferred
	// NoTransaction: an application frame that sent no transaction, and yet made a picture: it queued
	// a buffer, or another frame of its thread and vsync sent one. The system's frame table has it
	// as an empty one.
	NoTransaction
	// Unfinished: the trace, or the window, ends within the frame more than a refresh period after
	// its deadline. Actual ends there: the frame took longer, and was late by more.
	Unfinished
	// Unchanged: the frame led to no new picture, as it says itself: render_service found that nothing on
	// the screen had changed and committed nothing, or Flutter drew a picture in which nothing had changed.
	Unchanged

	endOfFacts
)

// AllFacts are all of them.
const AllFacts = endOfFacts - 1

// Has reports whether any of the given facts is among f.
func (f Facts) Has(facts Facts) bool { return f&facts != 0 }

// Sent is a transaction that an application frame sent to render_service.
type Sent struct {
	Index     int64      // counts up per process
	At        trace.Time // when it was marshalled
	AppliedBy *Frame     // the render frame that applied it; nil if none did
}

// Frame is a frame of either kind. Times are trace times. Unknown values are zero.
type Frame struct {
	Kind    Kind
	Process *Process
	TID     trace.TID
	// VsyncID is the vsync distributor's count; applications and render_service
	// count separately. Zero if not known.
	VsyncID int64
	// Vsync is when the vsync was due.
	Vsync trace.Time
	// Actual is the interval of the frame's work, Expected the interval that was planned
	// for it. On early systems Expected has no end. A frame on a worker thread has no
	// expected interval.
	Actual, Expected Interval
	// Deadline is when the frame should have been done: the end of its own
	// expected interval, or of the main thread's frame of the same vsync.
	Deadline trace.Time
	// Period is the display's refresh period when the frame was made.
	Period trace.Duration
	// Coalesced is the number of vsyncs that waited behind this frame's because its
	// thread was busy.
	Coalesced int
	// NotBegun is the number of vsyncs right before the frame's on which an application in a run of frames began
	// none, because its main thread was busy with something else (docs/frames.md 3.12). Held is from the
	// begin of what it was busy with on the first of them to the end of what it was on the last.
	NotBegun int
	Held     Interval
	Facts    Facts

	// Framework is what draws an application frame.
	Framework Framework
	// DisplaySyncs are the requests for vsyncs that an application frame served.
	DisplaySyncs []DisplaySync
	// CPUTime is how long the frame's thread ran in Actual; zero if unknown.
	CPUTime trace.Duration

	// Pace is that of the buffers of a frame of a Framework, if it has no deadline from
	// elsewhere. If it is Late, the deadline may be theirs.
	Pace Pace

	// Transactions are those of an application frame, in the order sent. A frame of a
	// Framework sends buffers: their numbers, and when they were queued.
	Transactions []Sent
	// Render is the render frame that applied the last of them.
	Render *Frame

	// Applications are the application frames whose Render is this frame, in the order in
	// which it applied them.
	Applications []*Frame
	// Measured and LaidOut are the nodes of ArkUI that an application frame measured and laid out; 0 if
	// there were none, or without ArkUI's debug parameters.
	Measured, LaidOut int
	// Draw is the work of the render thread for a render frame, or for a frame of a
	// Framework that draws on another thread. DrawTID is that thread of a frame of a
	// Framework; zero if it is unknown.
	Draw    Interval
	DrawTID trace.TID
	// GPU are the intervals of a render frame's work on the GPU, by start; for a frame of
	// a Framework, from when its buffer was queued until the GPU was done with it.
	GPU []Interval
	// Commit is the interval in which a render frame's layers went to the display.
	// CommitEstimated: it was matched by time, because the marker has no vsync.
	Commit          Interval
	CommitEstimated bool
	// Present is when the display showed a render frame. PresentEstimated: the fence had
	// already been signaled when the commit looked, so the frame was shown earlier.
	Present          trace.Time
	PresentEstimated bool
	// Screens are the screens that a render frame was committed to, by id, if its process has
	// several. Commit and Present are those on the main one; both are zero if the frame
	// was committed to others only, while the main one was on.
	Screens []Screen

	// Android has the values that Android recorded; nil for a frame from markers.
	Android *Android
}

// Screen is the commit of a render frame to one of several screens, and when that showed it.
type Screen struct {
	ID int64 // of the display, from 0
	// Commit, Present and PresentEstimated are as in Frame.
	Commit           Interval
	Present          trace.Time
	PresentEstimated bool
}

// Late reports whether the frame is known to have missed its deadline.
func (f *Frame) Late() bool { return f.lateness() == Yes }

// Judged reports whether the frame is known to be late or on time.
func (f *Frame) Judged() bool { return f.lateness() != NotSaid }

// Overrun returns by how much a late frame missed its deadline. It is zero for other frames, and if
// that is unknown.
func (f *Frame) Overrun() trace.Duration { return f.Judgement().Lost() }

// Missed returns by how much later than it should have the frame began because of NotBegun.
func (f *Frame) Missed() trace.Duration { return trace.Duration(f.NotBegun) * f.Period }

// HeldOver returns for how long the thread was busy from the first vsync of NotBegun on.
func (f *Frame) HeldOver() trace.Duration {
	if f.NotBegun == 0 {
		return 0
	}
	return f.Held.End.Sub(f.Vsync.Add(-f.Missed()))
}

// End returns when the frame's work was done, on its threads and on the GPU. The drawing of
// a render frame is not part of it.
func (f *Frame) End() trace.Time { return max(f.threadEnd(), f.GPUSpan().End) }

// threadEnd returns when the frame's threads were done.
func (f *Frame) threadEnd() trace.Time {
	if f.Kind == RenderFrame {
		return f.Actual.End
	}
	return max(f.Actual.End, f.Draw.End)
}

// GPUSpan returns the interval from the start of the frame's first GPU work to the end of
// the last.
func (f *Frame) GPUSpan() (span Interval) {
	for i, g := range f.GPU {
		if i == 0 {
			span = g
		}
		span.End = max(span.End, g.End)
	}
	return span
}

// Unjudged reports whether a frame of a framework drew and is not known to be late or on time,
// so that the jank rate of its process is unknown. SurfaceFlinger's frames are never judged.
func (f *Frame) Unjudged() bool {
	return f.Framework != Platform && f.Framework != Compositor && !f.Facts.Has(Empty|Truncated) && !f.Judged()
}

// Flag returns the one number that the system's own frame table has for a frame: 0, 1 late, 2
// empty, 3 misaligned. If several facts apply, the first of empty, misaligned and late counts, as in
// that table. ok is false if none of them is known to apply, and it is unknown whether the frame is
// empty.
func (f *Frame) Flag() (flag int, ok bool) {
	switch {
	case f.Facts.Has(Empty) && !f.Facts.Has(CommitSkipped), f.Facts.Has(NoTransaction):
		return 2, true
	case f.Kind == RenderFrame && f.Facts.Has(Misaligned):
		return 3, true
	case f.Late():
		return 1, true
	}
	return 0, f.emptiness() != NotSaid
}
