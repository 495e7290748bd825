package why

import (
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Causes are the explanations of all complete frames of an input, except those of Android that were
// not late and whose threads the trace does not have.
type Causes struct {
	Frames map[*analyzer.Frame]*Explanation
	// Responses are those to interactions whose times are known.
	Responses map[*analyzer.Interaction]*Explanation
	// Hangs are what hangs were spent on, at most MaxHangs. OfHang returns one.
	Hangs map[analyzer.Hang]*Explanation
	// Buffers are late buffers of layers, at most MaxLateBuffers, whose frames do not explain all
	// of it.
	Buffers map[*analyzer.Buffer]*Explanation
	// Uses are the functions of frames, by the samples of a profiler, at most MaxUses for each kind
	// of frames of a process, and Sampled are the numbers of those frames. Both are empty without
	// samples.
	Uses    []FunctionUse
	Sampled []SampledFrames
	// Scheduled, Woken and BlockedReasons report what the input has: sched_switch,
	// wakeups, and sched_blocked_reason.
	Scheduled, Woken, BlockedReasons bool
	// Own is Recorded.Own of the trace: it cannot have what is missing.
	Own bool
	// Limited reports whether the limit on stored states was reached: causes of later
	// frames are unknown.
	Limited bool
	// TooDeep counts the slices that were nested beyond the limit: their time counts as that
	// of the slices around them.
	TooDeep int
	// Unlabeled counts the slices whose arguments are unknown, beyond the limit on strings.
	Unlabeled int
}

// Of returns the explanation of a frame, nil for a frame without one.
func (c *Causes) Of(f *analyzer.Frame) *Explanation {
	if c == nil {
		return nil
	}
	return c.Frames[f]
}

// Explanation is why something took its time: a frame, its way to the display, the time until
// render_service picked it up, a late buffer, a response, or a hang.
type Explanation struct {
	// Frame, Buffer or Interaction is what is explained. All are nil of a hang, and of Shown, PickUp and NotBegun,
	// which are about the frame or buffer that has them.
	Frame       *analyzer.Frame
	Buffer      *analyzer.Buffer
	Interaction *analyzer.Interaction
	// Start and End are the time that is explained. That of a frame starts with the earlier of its
	// expected and its actual start.
	Start, End trace.Time
	// Due is when the display would have shown a usual frame, for Shown: later after a longer Delay than
	// usual, and unknown if there are fewer than 8 frames to compare with. Of a late buffer it is when the
	// one that should have been shown should have been taken. It is 0 for others.
	Due trace.Time
	// Lost is Judgement.Lost of the frame: the time from the deadline to its end; zero if the
	// frame was not late, and if the overrun of a late frame is unknown. For Shown it is End − Due if that
	// is more than half a refresh period, otherwise 0; for PickUp the time from the vsync on which the frame
	// should have been picked up to that on which it was. Of a buffer it is the part of its overrun that its
	// frame does not explain. It is 0 for others.
	Lost       trace.Duration
	Outcome    Outcome
	Confidence Confidence // of the causes of frames, and of Shown: at most as sure as those of its Root
	Basis      Basis
	// Steps divide the time of a response, of a late buffer, of a hang and of Shown. A hang has one. Those of
	// a launch whose first frame is unknown are the stages as far as they are known. Those of a buffer begin
	// when its producer queued the buffer before the one that should have been shown.
	Steps []Step
	// Shares are the causes of Lost, the largest first. Their sum is Lost, or the list is empty. Of a share
	// of Shown whose time the display or a thread was still busy with an earlier frame, Earlier is that
	// frame. PickUp has one, without a usual time, for RenderBusy.
	Shares []Share
	// Root is the frame whose cause delayed this one, the first of them if it delayed others before; nil if
	// none did.
	Root *analyzer.Frame

	// Shown is how a render frame got to the display; nil if that is unknown.
	Shown *Explanation
	// PickUp is why render_service picked an application frame up late, although the frame itself was on
	// time; or what kept it from a buffer, for TakenLate. Otherwise, or if that is unknown, it is nil.
	PickUp *Explanation
	// NotBegun is why the thread of an application began no frame on the vsyncs before this one; nil if it was not
	// busy on any. Start and End are Frame.Held, and Lost is Frame.HeldOver.
	NotBegun *Explanation
	// Passed is the render frame that should have picked the frame or buffer up and did not, for PickUp;
	// nil if it does not exist.
	Passed *analyzer.Frame
	// Delay is the time before the commit in which its thread had nothing to do, for Shown. render_service
	// puts commits off on purpose. It is 0 for frames that were not shown later than usual.
	Delay trace.Duration
	// Dropped is the buffer that should have been shown in place of a late one: the first of those that were
	// dropped after the one shown before. It is nil if none was.
	Dropped *analyzer.Buffer
	// Path are the slices with most of the time of a hang, from the hang's own slice inwards: each has, with
	// those inside, at least half of the time of the one around it. At most MaxHangPath; empty if unknown.
	Path []NamedSlices

	// The rest is of frames alone. Unknown is the time for which the thread's state is unknown.
	Unknown trace.Duration
	// Parts are where all the time from Start to End went, by stage and wait. Their
	// sum is End − Start.
	Parts []Part
	// Pieces are the same in order of time, for a late frame, and of a hang. Above 200 pieces, short ones are
	// merged, and the shortest are left out if that is not enough.
	Pieces []Piece
	// Slices are the times in all slices of the thread of a late frame, the longest first.
	Slices []SliceTime
	// Usual is what frames on time spend instead, of a late frame. The sum is the time
	// from Start to the deadline at most.
	Usual []Part
	// OverBudget is set if the frames that a late frame is compared with usually take longer than the
	// time to its deadline. Usual is what fits into it then, in proportion.
	OverBudget bool
	// PeriodBefore is the refresh period before, if the frame is late because the display runs at
	// a higher rate since then: it would have been on time. Otherwise it is 0.
	PeriodBefore trace.Duration
	// Slowdown is how many times as long as usual the slices of a late frame ran, if nearly all of them
	// did so about as many times and the frequencies of their CPUs are unknown: the CPUs may have been
	// slower. Otherwise it is 0.
	Slowdown float64
	// Functions are those of a late frame that have enough samples (LeastSamples) or waited, the
	// largest excess first; at most MaxFunctions. FunctionOf returns that of a cause.
	Functions []FunctionTime
	// Sampled is all the time in which the threads of a late frame ran, and waited in a known
	// function, by function without what is usual, at most MaxParts; nil if the profiler did not sample them
	// then. The name is empty for time without samples, or without a known function.
	Sampled []FunctionTime
	// Calls is the flame graph of a late frame: the calls of all its samples; nil for all but the
	// latest frames of a process (MaxCalls).
	Calls Calls
}

// Limits of what is explained of a trace: the responses and hangs that took the longest, and the late
// buffers with the longest overruns.
const (
	MaxResponses   = 1000
	MaxHangs       = 1000
	MaxLateBuffers = 1000
	// MaxHangPath bounds the path of a hang.
	MaxHangPath = 16
)

// Late reports whether the frame was late.
func (e *Explanation) Late() bool { return e.Outcome != NotLate }

// ShownLate reports whether the display showed the frame late.
func (e *Explanation) ShownLate() bool { return e != nil && e.Shown != nil && len(e.Shown.Shares) > 0 }

// Missing returns what the trace lacks for the cause of a late frame, or for a part of its overrun.
func (e *Explanation) Missing() Missing {
	for i := range e.Shares {
		if m := e.Shares[i].Missing; m != NothingMissing {
			return m
		}
	}
	return NothingMissing
}

// Cause returns the share that is the cause of the frame, nil if it was not late or no
// cause is known.
func (e *Explanation) Cause() *Share {
	if e.Outcome == OneCause || e.Outcome == KnockOn || e.Outcome == PlaceOnly {
		return &e.Shares[0]
	}
	return nil
}

// Cores are processors whose frequencies change together, and never get as high as those of
// others.
type Cores struct {
	// Little is set if no processors have a lower highest frequency.
	Little bool  `json:"little"`
	CPUs   []int `json:"cpus"` // in order
}

// Part is the time that a frame spent in one way in one stage.
type Part struct {
	Stage Stage          `json:"stage"`
	Wait  Wait           `json:"wait"`
	Time  trace.Duration `json:"ns"`
}

// Share is a cause, with its share of the overrun of a late frame: a slice in which the frame's
// thread did something for longer than usual, and the threads of one kind that it waited for
// (docs/why.md 3).
type Share struct {
	Stage Stage `json:"stage,omitzero"`
	Wait  Wait  `json:"wait"`
	// Slice is the slice of the frame's thread; empty if the time lies outside of all slices, or
	// in several.
	Slice string `json:"slice,omitzero"`
	// Value is the time that the frame spent in this way, in Slice and waiting for Culprit,
	// Usual what frames on time spend in the same way, and Share the part of the overrun.
	Value trace.Duration `json:"value_ns"`
	Usual trace.Duration `json:"usual_ns,omitzero"`
	Share trace.Duration `json:"share_ns"`
	// Gain is by how much less the frame would be late if only this had taken its usual time: at
	// least Share, at most the overrun. A frame that was shown late gains whole refreshes: 0 if this alone is
	// not enough for one.
	Gain trace.Duration `json:"gain_ns,omitzero"`
	// AsLong is how many of Compared, the frames on time that say what is usual, have Value or more
	// in the same slices. Compared is 0 if nothing says that.
	AsLong   int `json:"-"`
	Compared int `json:"-"`
	// Task is, for EarlierWork in Slice, the part of that which the share is; nil if it is all of it, and
	// the thread ran in Slice itself. Value is then its time, also before the frame should have started.
	Task *TaskPart `json:"task,omitzero"`
	// Several is what the share is the sum of; nil if it is one slice and one thread.
	Several *Several `json:"several,omitzero"`
	// Calls is the number of slices with the name of Slice that have time of the cause, and UsualCalls
	// how many frames on time have; nil if there is no such frame. They are 0 and nil without a slice,
	// before the frame, and if the wait does not depend on what the thread was doing.
	Calls      int  `json:"calls,omitzero"`
	UsualCalls *int `json:"usual_calls,omitzero"`
	// Instances are the slices of the cause that have arguments and lasted 0.5 ms or more, the one with
	// the most time of the cause first; at most MaxInstances.
	Instances []Instance `json:"instances,omitempty"`
	// Repeats are the arguments of all such slices if these are more; otherwise nil.
	// CountArguments returns them in any case.
	Repeats []Repeat `json:"-"`
	// Culprit is the thread that the frame's thread waited for, of several threads of one kind that
	// with the most time; nil if it did not wait, if that thread is unknown, or if they are of
	// several kinds.
	Culprit *Culprit `json:"culprit,omitzero"`
	// Earlier is the frame that the thread was busy with the longest, for EarlierFrame, or
	// that the render thread was still drawing, for WaitRender; nil if unknown. For a frame that
	// was shown late, it is also that which was still committed, or worked on by the GPU or the display.
	Earlier *analyzer.Frame `json:"-"`
	// Waited is the buffer of a frame that was shown late whose GPU the display waited for; nil if that is unknown.
	Waited *analyzer.Buffer `json:"-"`
	// Function is the kernel function in which the thread waited the longest; empty
	// if unknown.
	Function string `json:"function,omitzero"`
	// Interrupt is the name of the interrupt that ended most of a blocked wait, such as "ufshcd" or
	// "NET_RX"; empty if another thread ended it, or if the trace does not name it.
	Interrupt string `json:"interrupt,omitzero"`
	// GCReason is why garbage was collected, on this thread or by the culprit, such as
	// "allocation limit"; empty if unknown or if the cause is not a collection.
	GCReason string `json:"gc_reason,omitzero"`
	// Frequency and UsualFrequency are the mean frequencies of the CPUs on which the thread
	// ran and usually runs, in kHz, for RunSlow; 0 for other waits. Cores are the
	// processors on which it ran more than usual, if they are the reason; otherwise nil.
	Frequency      int64  `json:"frequency_khz,omitzero"`
	UsualFrequency int64  `json:"usual_frequency_khz,omitzero"`
	Cores          *Cores `json:"cores,omitzero"`
	// FrequencyLimit is the highest frequency that the system allowed these CPUs during the frame, in the
	// mean, if that is why the CPU was slower, and HighestFrequency the highest one that they had or
	// were allowed in the trace. Both are in kHz; otherwise 0.
	FrequencyLimit   int64 `json:"frequency_limit_khz,omitzero"`
	HighestFrequency int64 `json:"highest_frequency_khz,omitzero"`
	// LimitReason is what the system says about that limit, such as "thermal level 3"; empty if it says
	// nothing.
	LimitReason string `json:"frequency_limit_reason,omitzero"`
	Advice      Advice `json:"-"`
	// Missing is what the trace lacks for the cause of this part of the overrun. Nothing else is
	// known of it then.
	Missing Missing `json:"missing,omitzero"`
}

// TaskPart is what a thread did in a part of the work that kept it from a frame.
type TaskPart struct {
	Wait  Wait   `json:"wait"`
	Slice string `json:"slice,omitzero"` // the innermost one; empty for several
	Calls int    `json:"calls,omitzero"` // the number of these slices
	// Delay is by how much all that work delayed the frame, and Usual what frames on time have of that.
	Delay trace.Duration `json:"delay_ns"`
	Usual trace.Duration `json:"usual_ns"`
}

// Several is what a share is the sum of, if each part of it is small.
type Several struct {
	// Slices is the number of slices; 0 if it is one, or if the time lies outside of all slices.
	// Slice is that with the most time, SliceTime.
	Slices    int            `json:"slices"`
	Slice     string         `json:"slice,omitzero"`
	SliceTime trace.Duration `json:"slice_ns,omitzero"`
	// Threads is the number of threads that were waited for, and Processes that of their processes;
	// 0 if it is one thread, or none is known. Culprit is that with the most time.
	Threads   int      `json:"threads"`
	Processes int      `json:"processes"`
	Culprit   *Culprit `json:"culprit,omitzero"`
	// Frames is the number of earlier frames that the thread was busy with; 0 for other waits.
	Frames int `json:"frames"`
}

// Kind returns the kind of the threads that the frame's thread waited for.
func (s *Share) Kind() ThreadKind {
	if s.Culprit == nil && s.Several != nil && s.Several.Threads > 0 {
		return ThreadKind{Several: true}
	}
	return s.Culprit.Kind()
}

// InSlices reports whether the time of a share lies in several slices.
func (s *Share) InSlices() bool { return s.Several != nil && s.Several.Slices > 0 }

// PlacesOnly reports whether nothing is known of what the frame's thread did for it but its
// slices.
func (e *Explanation) PlacesOnly() bool {
	length := e.End.Sub(e.Start)
	for _, p := range e.Parts {
		switch p.Wait {
		case EarlierFrame, EarlierWork, WaitGPU:
			length -= p.Time
		}
	}
	return e.Unknown > 0 && e.Unknown*20 >= length*19
}

// maxKnockOns bounds the frames that a delay is followed through.
const maxKnockOns = 16

// FindRoot sets e.Root: it follows the delay of a frame by earlier ones to the frame with its
// cause.
func (c *Causes) FindRoot(e *Explanation) {
	root := e
	for range maxKnockOns {
		s := root.Cause()
		if s == nil || s.Earlier == nil {
			break
		}
		next := c.Frames[s.Earlier]
		if next == nil {
			break
		}
		root = next
		if !root.Frame.Late() {
			break
		}
	}
	if root != e {
		e.Root = root.Frame
	}
}

// The texts of enumerations are their codes.

func (w Wait) MarshalText() ([]byte, error)       { return []byte(w.String()), nil }
func (s Stage) MarshalText() ([]byte, error)      { return []byte(s.String()), nil }
func (m Missing) MarshalText() ([]byte, error)    { return []byte(m.String()), nil }
func (o Outcome) MarshalText() ([]byte, error)    { return []byte(o.String()), nil }
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }
