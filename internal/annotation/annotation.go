// Package annotation names the facts of a frame that are stored in a Perfetto
// trace as debug annotations of the frame's slice.
//
//	analyzer.Frame ──▶ exporter ──▶ slice with annotations ──▶ analyzer/perfetto ──▶ analyzer.Frame
//
// The exporter writes the annotations, analyzer/perfetto reads those back that are
// not derived from others. docs/perfetto.md describes them for users, and the
// queries in sql/ohos select them by name.
package annotation

// Key is an annotation. In the trace it is also the number of the interned name.
type Key uint8

// Names that end in _ts are times: nanoseconds of trace time, as the timestamps of
// slices. Names that end in _ms are durations in milliseconds: multiplied by 1e6
// and rounded, they are exact to the nanosecond. A fact that is unknown or does not
// apply has no annotation.
const (
	// Frames of both kinds.
	VsyncID    Key = iota + 1 // as in the text; absent if the text has none
	Token                     // the number on the frame timeline, if it is not the vsync id
	TID                       // the thread, if it is not the main thread; only of application frames
	Flag                      // 1 late, 2 empty, 3 misaligned
	ExpectedAt                // when the work was expected to begin
	VsyncAt                   // when the vsync was due, if it is not the expected start
	DeadlineAt                // when the work was expected to end
	Period                    // the display's refresh period
	Coalesced                 // how many vsyncs waited behind this one
	Overrun                   // by how much a late frame missed its deadline
	MainLate                  // late on its thread
	GPULate                   // late on the GPU; only of render frames
	Empty                     // sent or processed nothing
	Misaligned                // picked up on another vsync than planned

	// Application frames. Whole frames have the render token too.
	Transactions  // the indices of those sent
	SentAt        // when the last of them was sent
	RenderToken   // the token of the render frame that took the last of them
	AlsoTakenBy   // the tokens of other render frames that took earlier ones
	WantedAt      // since when a layer of Android waited for the frame
	WantedUnknown // the frame is a layer's, and that time is unknown

	// Render frames.
	Applications     // how many application frames it took
	DrawAt           // when the render thread began to draw
	Draw             // how long it drew
	GPUAt            // when the first GPU work began
	GPU              // from there to the end of the last
	CommitAt         // when the commit of the layers to the display began
	Commit           // how long it took
	CommitEstimated  // the commit was matched by time, not by vsync
	PresentAt        // when the display showed the frame
	PresentEstimated // the display had shown it before the commit looked

	// Whole frames.
	Blame // what made a late one late

	end
)

// Frames is a set of kinds of slices that an annotation is written on.
type Frames uint8

// The kinds of slices.
const (
	Application Frames = 1 << iota // application frames, on a track "Frames"
	Render                         // render frames, on a track "Frames"
	Whole                          // on a track "Whole frame"
)

// both are frames of both kinds, on the tracks "Frames".
const both = Application | Render

var table = [end]struct {
	name    string
	frames  Frames
	derived bool
}{
	VsyncID:    {name: "vsync_id", frames: both},
	Token:      {name: "token", frames: both},
	TID:        {name: "tid", frames: Application},
	Flag:       {name: "flag", frames: both, derived: true},
	ExpectedAt: {name: "expected_ts", frames: both},
	VsyncAt:    {name: "vsync_ts", frames: both},
	DeadlineAt: {name: "deadline_ts", frames: both},
	Period:     {name: "period_ms", frames: both},
	Coalesced:  {name: "coalesced", frames: both},
	Overrun:    {name: "overrun_ms", frames: both, derived: true},
	MainLate:   {name: "main_late", frames: both},
	GPULate:    {name: "gpu_late", frames: Render},
	Empty:      {name: "empty", frames: both},
	Misaligned: {name: "misaligned", frames: both},

	Transactions:  {name: "transactions", frames: Application},
	SentAt:        {name: "sent_ts", frames: Application},
	RenderToken:   {name: "render_token", frames: Application | Whole, derived: true},
	AlsoTakenBy:   {name: "also_taken_by", frames: Application},
	WantedAt:      {name: "wanted_ts", frames: Application},
	WantedUnknown: {name: "wanted_unknown", frames: Application},

	Applications:     {name: "applications", frames: Render},
	DrawAt:           {name: "draw_ts", frames: Render},
	Draw:             {name: "draw_ms", frames: Render},
	GPUAt:            {name: "gpu_ts", frames: Render},
	GPU:              {name: "gpu_ms", frames: Render},
	CommitAt:         {name: "commit_ts", frames: Render},
	Commit:           {name: "commit_ms", frames: Render},
	CommitEstimated:  {name: "commit_estimated", frames: Render},
	PresentAt:        {name: "present_ts", frames: Render},
	PresentEstimated: {name: "present_estimated", frames: Render},

	Blame: {name: "blame", frames: Whole, derived: true},
}

// String returns the annotation's name. Perfetto puts "debug." before it.
func (k Key) String() string { return table[k].name }

// Frames returns the kinds of slices that the annotation is written on.
func (k Key) Frames() Frames { return table[k].frames }

// Derived reports whether the annotation follows from others, or from the frame
// timeline. Only annotations that are not derived are read back.
func (k Key) Derived() bool { return table[k].derived }

// All returns all keys, in order.
func All() []Key {
	keys := make([]Key, 0, end-1)
	for k := range end - 1 {
		keys = append(keys, k+1)
	}
	return keys
}

// Named returns the key with the given name, zero if there is none.
func Named(name string) Key { return named[name] }

var named = func() map[string]Key {
	m := map[string]Key{}
	for _, k := range All() {
		m[k.String()] = k
	}
	return m
}()
