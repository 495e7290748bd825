package analyzer

import (
	"fmt"

	"ohframe/analyzer/hitrace"
)

// Diagnostic is a thing in a trace that did not fit together.
type Diagnostic uint8

// The diagnostics. None is fatal: the trace may be cut, or a writer odd.
const (
	DamagedField       Diagnostic = iota // a field that is no number where one belongs
	TransactionOutside                   // a transaction that belongs to no frame
	AppliedOutside                       // transactions applied outside a render frame
	AppliedUnknown                       // an applied transaction that nobody in the trace sent
	GPUOutside                           // GPU work that starts outside every render frame
	GPUUnfinished                        // GPU work that the trace does not see end, or begin
	CommitUnknown                        // a commit of no render frame in the trace
	FenceUnmatched                       // a wait for a present fence of no commit in the trace
	ExpectedAstray                       // an expected interval far from what was done
	FrameAstray                          // a frame that ends before it starts, or starts within another
	EndLost                              // a slice that cannot stand in itself begins twice
	UnmatchedEnd                         // a slice that ends without having begun
	ClockContradiction                   // hitrace's own clock line contradicts the offset
	ThreadsOver                          // of a thread beyond the limit
	NamesOver                            // a statement of the name of a thread beyond the limit
	FramesOver                           // a frame beyond the limit
	StringsOver                          // a fence whose name is beyond the limit
	RecordsOver                          // a transaction, commit, fence or the like beyond the limit
	diagnosticsCount                     // how many there are
)

var diagnosticTexts = [diagnosticsCount]string{
	DamagedField:       "marker field not a number",
	TransactionOutside: "transaction outside any frame",
	AppliedOutside:     "transactions applied outside a render frame",
	AppliedUnknown:     "applied transaction that no frame in the trace sent",
	GPUOutside:         "gpu work outside every render frame",
	GPUUnfinished:      "gpu work without its begin or end",
	CommitUnknown:      "commit of no render frame in the trace",
	FenceUnmatched:     "present fence of no commit in the trace",
	ExpectedAstray:     "expected interval far from the frame, left out",
	FrameAstray:        "frame that starts within another or ends before it starts, taken as truncated",
	EndLost:            "slice whose end is lost",
	UnmatchedEnd:       "slice end without its begin",
	ClockContradiction: "clock sync line contradicts the clock offset",
	ThreadsOver:        "marker of a thread beyond the limit (--limit threads)",
	NamesOver:          "statement of the name of a thread beyond the limit (--limit threads)",
	FramesOver:         "frame beyond the limit (--limit frames)",
	StringsOver:        "fence whose name is beyond the limit (--limit strings)",
	RecordsOver:        "transaction, commit, fence or the like beyond the limit (--limit records)",
}

// String says in a few words what did not fit.
func (d Diagnostic) String() string { return diagnosticTexts[d] }

// DiagnosticCount is how often something did not fit, and the numbers of the
// first lines where it did not, counted from 1; where no line is to blame there
// are none.
type DiagnosticCount struct {
	Diagnostic Diagnostic
	Total      int
	Lines      []int
}

// Diagnostics counts what did not fit together.
type Diagnostics struct {
	counts   [diagnosticsCount]DiagnosticCount
	seen     [wordsCount]bool
	examples int // how many line numbers of each are kept
}

const wordsCount = hitrace.WordCount

func (d *Diagnostics) add(what Diagnostic, line int) {
	c := &d.counts[what]
	c.Total++
	if line > 0 && len(c.Lines) < d.examples && (len(c.Lines) == 0 || c.Lines[len(c.Lines)-1] != line) {
		c.Lines = append(c.Lines, line)
	}
}

// addMany adds what no line is to blame for.
func (d *Diagnostics) addMany(what Diagnostic, total int) { d.counts[what].Total += total }

// Counts returns what did not fit, in a fixed order.
func (d *Diagnostics) Counts() []DiagnosticCount {
	var list []DiagnosticCount
	for what, c := range d.counts {
		if c.Total > 0 {
			c.Diagnostic = Diagnostic(what)
			list = append(list, c)
		}
	}
	return list
}

// Warnings says in words what limits have left out.
func (d *Diagnostics) Warnings() []string {
	var list []string
	for _, c := range d.Counts() {
		switch c.Diagnostic {
		case ThreadsOver, NamesOver, FramesOver, StringsOver, RecordsOver:
			list = append(list, fmt.Sprintf("%d × %s", c.Total, c.Diagnostic))
		}
	}
	return list
}

// Total returns how often what did not fit.
func (d *Diagnostics) Total(what Diagnostic) int { return d.counts[what].Total }

// MissingMarkers returns the names of the markers that frames are made of and
// that the trace does not have at all.
func (d *Diagnostics) MissingMarkers() []string {
	var missing []string
	for _, m := range []struct {
		word hitrace.Word
		name string
	}{
		{hitrace.ReceiveVsync, "ReceiveVsync"},
		{hitrace.OnVsyncEvent, "OnVsyncEvent"},
		{hitrace.MarshTransaction, "MarshRSTransactionData"},
		{hitrace.DoComposition, "RSMainThread::DoComposition"},
	} {
		if !d.seen[m.word] {
			missing = append(missing, m.name)
		}
	}
	return missing
}
