package simulate

import "ohframe/analyzer/trace"

// Truth is the truth about a simulated trace, as far as its text contains it. All times
// are in nanoseconds of the trace's own clock.
type Truth struct {
	Era string `json:"era"`
	// Offset is how far the trace's clock is ahead of the monotonic clock.
	Offset trace.Duration `json:"offset"`
	// Period is the first refresh period; each frame has its own.
	Period trace.Duration `json:"period"`
	// OutsideTransactions were sent, and OutsideGPU work was queued, in no frame.
	OutsideTransactions int `json:"outside_transactions"`
	OutsideGPU          int `json:"outside_gpu"`
	// Frames are in order of their start, then of their thread's id.
	Frames []*Frame `json:"frames"`
	// Causes has the injected causes of a scene, one or two for each frame that they
	// affect. No other frame of the scene is late.
	Causes []*CauseTruth `json:"causes,omitempty"`
	// Waits has what the threads did during each frame of a scene.
	Waits []*FrameWaits `json:"waits,omitempty"`
}

// Kind is the kind of a frame. A worker UI thread's frame is an
// application frame whose TID is not its PID.
type Kind string

const (
	AppFrame    Kind = "app"
	RenderFrame Kind = "render"
)

// Frame is a frame. A zero value means that a fact is false or that the text does
// not contain it; the JSON omits it.
type Frame struct {
	Kind Kind      `json:"kind"`
	PID  trace.PID `json:"pid"`
	TID  trace.TID `json:"tid"`
	// Vsync is the id of the frame's vsync. In 3.2, which writes no id, it only
	// distinguishes the truth's own frames.
	Vsync int64      `json:"vsync,omitempty"`
	Start trace.Time `json:"start,omitempty"`
	End   trace.Time `json:"end,omitempty"`
	// The expected interval; a worker's frame has none.
	ExpectedStart trace.Time `json:"exp_start,omitempty"`
	ExpectedEnd   trace.Time `json:"exp_end,omitempty"`
	// Deadline is the expected end; for a worker's frame, that of the main
	// thread's frame on the same vsync.
	Deadline trace.Time `json:"deadline,omitempty"`
	// Period is the display's refresh period at the frame's vsync; unknown if neither the
	// vsync's expected end nor the vsync generator has it.
	Period trace.Duration `json:"period,omitempty"`
	// Coalesced counts the vsyncs that had queued up behind the frame's own.
	Coalesced int `json:"coalesced,omitempty"`

	Late       bool `json:"late,omitempty"`
	Empty      bool `json:"empty,omitempty"`
	Misaligned bool `json:"misaligned,omitempty"` // on both frames of the link
	Truncated  bool `json:"truncated,omitempty"`  // Start or End lies outside the trace

	// Indices are an application frame's transactions in the order they were sent, and
	// Render is the vsync of the render frame that applied the last of them, if any.
	Indices []int64 `json:"indices,omitempty"`
	Render  int64   `json:"render,omitempty"`
	// TakenBy is that render frame.
	TakenBy *Frame `json:"-"`

	// Of a render frame.
	Sources          []Transaction `json:"sources,omitempty"` // transactions it applied
	GPU              []Interval    `json:"gpu,omitempty"`
	LateMain         bool          `json:"late_main,omitempty"` // its main thread was late
	LateGPU          bool          `json:"late_gpu,omitempty"`  // its GPU work was late
	Commit           trace.Time    `json:"commit,omitempty"`    // start of the commit
	Present          trace.Time    `json:"present,omitempty"`
	PresentEstimated bool          `json:"present_estimated,omitempty"` // shown before the commit looked

	drawn     trace.Time     // when the GPU has finished it, at the earliest
	sent      []*transaction // those behind Indices
	processed trace.Time     // when Sources were applied
}

// Transaction is the key of a transaction: a process and its count.
type Transaction struct {
	PID   trace.PID `json:"pid"`
	Index int64     `json:"index"`
}

// Interval is a start and an end; an end of zero lies outside the trace.
type Interval [2]trace.Time
