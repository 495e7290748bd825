package simulate

import "ohframe/analyzer/trace"

// Truth is the truth about a simulated trace, as far as its text contains it. All times
// are in nanoseconds of the trace's own clock.
type Truth struct {
	Era string
	// Offset is how far the trace's clock is ahead of the monotonic clock.
	Offset trace.Duration
	// Period is the first refresh period; each frame has its own.
	Period trace.Duration
	// OutsideTransactions were sent, and OutsideGPU work was queued, in no frame.
	OutsideTransactions int
	OutsideGPU          int
	// Frames are in order of their start, then of their thread's id.
	Frames []*Frame
	// Causes has the injected causes of a scene, one or two for each frame that they
	// affect. No other frame of the scene is late.
	Causes []*CauseTruth
	Hangs  []HangTruth
	// Layers are in order of their first line, Produced in order of their begin: frames that
	// other frameworks than the platform's own drew.
	Layers   []*LayerTruth
	Produced []*ProducedFrame
	// Timers are the loops that draw without vsyncs at a rate.
	Timers []*TimerTruth
	// Recording is nil without one.
	Recording *RecordingTruth

	layers   []*LayerTruth
	produced []*ProducedFrame
	timers   []*TimerTruth
}

// Kind is the kind of a frame. A worker UI thread's frame is an
// application frame whose TID is not its PID.
type Kind string

const (
	AppFrame    Kind = "app"
	RenderFrame Kind = "render"
)

// Frame is a frame. A zero value means that a fact is false or that the text does
// not contain it.
type Frame struct {
	Kind Kind
	PID  trace.PID
	TID  trace.TID
	// Vsync is the id of the frame's vsync. In 3.2, which writes no id, it only
	// distinguishes the truth's own frames.
	Vsync int64
	Start trace.Time
	End   trace.Time
	// The expected interval; a worker's frame has none.
	ExpectedStart trace.Time
	ExpectedEnd   trace.Time
	// Deadline is the expected end; for a worker's frame, that of the main
	// thread's frame on the same vsync.
	Deadline trace.Time
	// Period is the display's refresh period at the frame's vsync; unknown if neither the
	// vsync's expected end nor the vsync generator has it.
	Period trace.Duration
	// Coalesced counts the vsyncs that had queued up behind the frame's own.
	Coalesced int

	Late       bool
	Empty      bool
	Misaligned bool // on both frames of the link
	Truncated  bool // Start or End lies outside the trace
	Unfinished bool // it is late where the trace ends, which is its End

	// Indices are an application frame's transactions in the order they were sent, and
	// Render is the vsync of the render frame that applied the last of them, if any.
	Indices []int64
	Render  int64
	// TakenBy is that render frame.
	TakenBy *Frame

	// For a render frame.
	Sources          []Transaction // transactions it applied
	GPU              []Interval
	LateMain         bool       // its main thread was late
	LateGPU          bool       // its GPU work was late
	Commit           trace.Time // start of the commit
	Present          trace.Time
	PresentEstimated bool // shown before the commit looked
	Unchanged        bool // it drew nothing, because nothing had changed

	// CPUTime is how long an application frame's thread ran. DisplaySyncs are those it served.
	CPUTime      trace.Duration
	DisplaySyncs []DisplaySync

	drawn     trace.Time     // when the GPU has finished it, at the earliest
	sent      []*transaction // those behind Indices
	processed trace.Time     // when Sources were applied
	committed trace.Time     // end of the commit
	taken     []*BufferTruth // that it shows
	released  []release      // when it is committed
	direct    bool           // it is composed by the display
}

// Transaction is the key of a transaction: a process and its count.
type Transaction struct {
	PID   trace.PID
	Index int64
}

// Interval is a start and an end; an end of zero lies outside the trace.
type Interval [2]trace.Time

// HangTruth is a task of a main thread outside of frames.
type HangTruth struct {
	PID      trace.PID
	Start    trace.Time
	Duration trace.Duration
	Name     string
}
