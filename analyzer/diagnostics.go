package analyzer

import (
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// Diagnostic is a kind of inconsistency in a trace.
type Diagnostic uint8

// The diagnostics. None is fatal. They may mean that the trace is cut or damaged.
const (
	DamagedField       Diagnostic = iota // a field that is no number where one belongs
	TransactionOutside                   // a transaction that belongs to no frame
	AppliedOutside                       // transactions applied outside a render frame
	AppliedUnknown                       // an applied transaction that nobody in the trace sent
	GPUOutside                           // GPU work that starts outside every render frame
	GPUUnfinished                        // GPU work that the trace does not see end, or begin
	CommitUnknown                        // a commit of no render frame in the trace
	FenceUnmatched                       // a wait for a present fence of no commit in the trace
	ExpectedAstray                       // an expected interval far from the frame
	FrameAstray                          // a frame that ends before it starts, or starts within another
	EndLost                              // a slice that cannot contain itself begins twice
	UnmatchedEnd                         // a slice that ends without having begun
	ClockContradiction                   // hitrace's own clock line contradicts the offset
	StatedClockWrong                     // the markers contradict the offset that the input states
	ThreadsOver                          // a marker of a thread beyond the limit
	NamesOver                            // a statement of the name of a thread beyond the limit
	FramesOver                           // a frame beyond the limit
	StringsOver                          // a fence, scene or bundle whose name is over the limit
	RecordsOver                          // a transaction, commit, fence or the like beyond the limit
)

var diagnosticTexts = [...]string{
	DamagedField:       "marker field not a number",
	TransactionOutside: "transaction outside any frame",
	AppliedOutside:     "transactions applied outside a render frame",
	AppliedUnknown:     "applied transaction that no frame in the trace sent",
	GPUOutside:         "gpu work outside every render frame",
	GPUUnfinished:      "gpu work without its begin or end",
	CommitUnknown:      "commit of no render frame in the trace",
	FenceUnmatched:     "present fence of no commit in the trace",
	ExpectedAstray:     "expected interval far from the frame, left out",
	FrameAstray:        "frame that starts within another or ends before it starts, marked truncated",
	EndLost:            "slice whose end is lost",
	UnmatchedEnd:       "slice end without its begin",
	ClockContradiction: "clock sync line contradicts the clock offset",
	StatedClockWrong:   "stated clock offset contradicted by the markers, which are used",
	ThreadsOver:        "marker of a thread beyond the limit (limit: threads)",
	NamesOver:          "statement of the name of a thread beyond the limit (limit: threads)",
	FramesOver:         "frame beyond the limit (limit: frames)",
	StringsOver:        "fence, scene or bundle whose name is beyond the limit (limit: strings)",
	RecordsOver:        "transaction, commit, fence or the like beyond the limit (limit: records)",
}

// String describes the diagnostic in a few words.
func (d Diagnostic) String() string { return diagnosticTexts[d] }

// DiagnosticCount counts one diagnostic. Lines are the numbers of the first lines with
// it, counted from 1; empty if it does not come from a single line.
type DiagnosticCount struct {
	Diagnostic Diagnostic
	Total      int
	Lines      []int
}

// Diagnostics counts inconsistencies in a trace.
type Diagnostics struct {
	// Counts are the diagnostics that occurred, in the order of their constants.
	Counts []DiagnosticCount
	// MissingMarkers are the names of the markers that frames are made of and that a text
	// trace does not have at all.
	MissingMarkers []string
	// MissingTags are those of the tags "graphic" and "ace" whose markers a text trace lacks
	// completely. Frames need both tags.
	MissingTags []string
	Recorded    Recorded
}

// Names of MissingMarkers on which it depends what is known of the frames of applications.
const (
	ReceiveVsyncMarker = "ReceiveVsync"
	OnVsyncEventMarker = "OnVsyncEvent"
)

// Total returns the number of occurrences of one diagnostic.
func (d *Diagnostics) Total(what Diagnostic) int {
	for i := range d.Counts {
		if d.Counts[i].Diagnostic == what {
			return d.Counts[i].Total
		}
	}
	return 0
}

// Warnings describes what was skipped because of limits, and where the input is wrong.
func (d *Diagnostics) Warnings() []trace.Warning {
	var list diag.Warnings
	for _, c := range d.Counts {
		switch c.Diagnostic {
		case StatedClockWrong:
			list.Times(trace.WarnClock, c.Total, c.Diagnostic.String(), nil)
		case ThreadsOver, NamesOver, FramesOver, StringsOver, RecordsOver:
			list.Times(trace.WarnOverLimit, c.Total, c.Diagnostic.String(), nil)
		}
	}
	return list
}

// Recorded is what a text trace was recorded from.
type Recorded uint8

// What traces are recorded from, as far as their markers show.
const (
	FromSystem  Recorded = iota // OpenHarmony or HarmonyOS, or unknown
	FromAndroid                 // Android
	FromProcess                 // one process of OpenHarmony
	// FromOwnMain and FromOwnThreads are traces that an application of OpenHarmony takes of itself with
	// hidebug.startAppTraceCapture (docs/trace-format.md): of its main thread, or of several threads.
	FromOwnMain
	FromOwnThreads
	recordedEnd // stays last
)

// RecordedCount is the number of values of Recorded.
const RecordedCount = int(recordedEnd)

// Own reports whether an application took the trace of itself. Such a trace has markers of this
// process only: no scheduling, no frequencies, no render_service.
func (r Recorded) Own() bool { return r == FromOwnMain || r == FromOwnThreads }
