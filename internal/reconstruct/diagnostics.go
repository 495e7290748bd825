package reconstruct

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// diagnostics collects the diagnostics of an input.
type diagnostics struct {
	analyzer.Diagnostics
	seen     [hitrace.WordCount]bool
	examples int // maximum number of line numbers for each
	// process is the last process with markers, several that there is another.
	process trace.PID
	several bool
}

func (d *diagnostics) see(word hitrace.Word, pid trace.PID) {
	d.seen[word] = true
	if pid > 0 && pid != d.process {
		d.several = d.several || d.process != 0
		d.process = pid
	}
}

// count returns the count of a diagnostic, which is valid until the next call.
func (d *diagnostics) count(what analyzer.Diagnostic) *analyzer.DiagnosticCount {
	i, ok := slices.BinarySearchFunc(d.Counts, what, func(c analyzer.DiagnosticCount, what analyzer.Diagnostic) int { return cmp.Compare(c.Diagnostic, what) })
	if !ok {
		d.Counts = slices.Insert(d.Counts, i, analyzer.DiagnosticCount{Diagnostic: what})
	}
	return &d.Counts[i]
}

func (d *diagnostics) add(what analyzer.Diagnostic, line int) {
	c := d.count(what)
	c.Total++
	if line > 0 && len(c.Lines) < d.examples && (len(c.Lines) == 0 || c.Lines[len(c.Lines)-1] != line) {
		c.Lines = append(c.Lines, line)
	}
}

// addMany adds occurrences that have no line.
func (d *diagnostics) addMany(what analyzer.Diagnostic, total int) {
	if total > 0 {
		d.count(what).Total += total
	}
}

// result returns the diagnostics of the whole input.
func (d *diagnostics) result() analyzer.Diagnostics {
	d.MissingMarkers, d.Recorded = d.missingMarkers(), d.recorded()
	return d.Diagnostics
}

// recorded returns what the trace was recorded from. The markers of frames that only Android
// writes are not read, so a trace from there or from a container lacks frames whatever tags
// it was recorded with.
func (d *diagnostics) recorded() analyzer.Recorded {
	ours := d.seen[hitrace.ReceiveVsync] || d.seen[hitrace.OnVsyncEvent] || d.seen[hitrace.MarshTransaction]
	switch renders := d.seen[hitrace.DoComposition]; {
	case d.seen[hitrace.AndroidFrame] && (ours || renders):
		return analyzer.FromContainer
	case d.seen[hitrace.AndroidFrame]:
		return analyzer.FromAndroid
	case ours && !renders && !d.several:
		return analyzer.FromProcess
	}
	return analyzer.FromSystem
}

// frameMarkers are the markers that frames are made of.
var frameMarkers = []struct {
	word hitrace.Word
	name string
}{
	{hitrace.ReceiveVsync, "ReceiveVsync"},
	{hitrace.OnVsyncEvent, "OnVsyncEvent"},
	{hitrace.MarshTransaction, "MarshRSTransactionData"},
	{hitrace.DoComposition, "RSMainThread::DoComposition"},
}

// missingMarkers returns the names of the markers that frames are made of and that the
// trace does not have at all.
func (d *diagnostics) missingMarkers() []string {
	var missing []string
	for _, m := range frameMarkers {
		if !d.seen[m.word] {
			missing = append(missing, m.name)
		}
	}
	return missing
}
