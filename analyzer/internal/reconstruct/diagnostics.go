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
	own     ownTrace
}

// ownTrace finds out whether an application took the trace of itself, from what hitrace_meter.cpp of
// OpenHarmony writes: markers of one process, whose id is on every line, with four dots for flags and
// the last 14 bytes of names. Kernels write 15 bytes, which names of applications mostly have, and events of their own.
type ownTrace struct {
	pid      trace.PID
	labelled bool // a marker has a label of OpenHarmony
	threads  bool // a thread other than the main one has a marker
	foreign  bool // an event is of another origin
	// scheduled is the process with events of the kernel, several that there is another.
	scheduled trace.PID
	several   bool
}

// renderService is a process of the system, which takes no trace of itself.
const renderService = "render_service"

// ownName is the number of bytes of names that hitrace_meter.cpp writes (COMM_STR_MAX).
const ownName = 14

// isKnown reports whether further events change nothing.
func (o *ownTrace) isKnown() bool { return o.foreign && o.several }

// see looks at any event.
func (o *ownTrace) see(e *hitrace.Event) {
	if e.Kind != hitrace.MarkerEvent && e.PID > 0 && e.PID != o.scheduled {
		o.several = o.several || o.scheduled != 0
		o.scheduled = e.PID
	}
	if o.pid == 0 {
		o.pid = e.PID
	}
	if o.foreign = o.foreign || e.Kind != hitrace.MarkerEvent || e.PID <= 0 || e.PID != o.pid || !e.NoFlags || len(e.Comm) > ownName || string(e.Comm) == renderService; o.foreign {
		return
	}
	if int32(e.TID) != int32(e.PID) {
		o.threads = true
	}
	o.labelled = o.labelled || len(e.Marker.Label()) > 0
}

// recorded returns analyzer.FromSystem for a trace that is not an application's own one.
func (o *ownTrace) recorded() analyzer.Recorded {
	switch {
	case o.foreign || !o.labelled:
		return analyzer.FromSystem
	case o.threads:
		return analyzer.FromOwnThreads
	}
	return analyzer.FromOwnMain
}

// seeProcess notes that a process has markers.
func (d *diagnostics) seeProcess(pid trace.PID) {
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

// addIfDamaged adds a marker if a field of it is damaged.
func (d *diagnostics) addIfDamaged(damaged bool, e *hitrace.Event) {
	if damaged {
		d.add(analyzer.DamagedField, e.Number)
	}
}

// addMany adds occurrences that have no line.
func (d *diagnostics) addMany(what analyzer.Diagnostic, total int) {
	if total > 0 {
		d.count(what).Total += total
	}
}

func (d *diagnostics) result() analyzer.Diagnostics {
	d.MissingMarkers, d.MissingTags, d.Recorded = d.missingMarkers(), d.missingTags(), d.recorded()
	return d.Diagnostics
}

// recorded returns what the trace was recorded from.
func (d *diagnostics) recorded() analyzer.Recorded {
	ours := d.seen[hitrace.ReceiveVsync] || d.seen[hitrace.OnVsyncEvent] || d.seen[hitrace.MarshTransaction]
	android := d.seenAny(hitrace.AndroidFrame, hitrace.ChoreographerFrame, hitrace.CompositorCommit)
	renders := d.seen[hitrace.DoComposition]
	if own := d.own.recorded(); own.Own() && !renders {
		return own
	}
	switch {
	case android && !ours && !renders:
		return analyzer.FromAndroid
	case ours && !renders && !d.several:
		return analyzer.FromProcess
	}
	return analyzer.FromSystem
}

// ofApplication reports whether the trace is that of one application: its own one, or one with the
// kernel's events of its process only, as OH_HiDebug_RequestTrace records it.
func (d *diagnostics) ofApplication() bool {
	return d.own.recorded().Own() || d.process > 0 && !d.several && d.own.scheduled == d.process && !d.own.several && !d.seen[hitrace.DoComposition]
}

// frameMarkers are the markers that frames are made of.
var frameMarkers = []struct {
	word hitrace.Word
	name string
}{
	{hitrace.ReceiveVsync, analyzer.ReceiveVsyncMarker},
	{hitrace.OnVsyncEvent, analyzer.OnVsyncEventMarker},
	{hitrace.MarshTransaction, "MarshRSTransactionData"},
	{hitrace.DoComposition, "RSMainThread::DoComposition"},
}

// tagMarkers are markers of the tags of hitrace that frames need.
var tagMarkers = []struct {
	tag   string
	words []hitrace.Word
}{
	{"graphic", []hitrace.Word{
		hitrace.ReceiveVsync, hitrace.MarshTransaction, hitrace.DoComposition, hitrace.ProcessCommands, hitrace.RenderFrame, hitrace.Commit,
		hitrace.PresentFence, hitrace.PresentFenceWait, hitrace.GenerateVsyncCount, hitrace.RequestBuffer, hitrace.FlushBuffer, hitrace.AcquireBuffer,
	}},
	{"ace", []hitrace.Word{hitrace.OnVsyncEvent, hitrace.UIVsyncTask}},
}

// missingTags returns the tags that the trace has no marker of.
func (d *diagnostics) missingTags() []string {
	var missing []string
	for _, m := range tagMarkers {
		if !d.seenAny(m.words...) {
			missing = append(missing, m.tag)
		}
	}
	return missing
}

func (d *diagnostics) seenAny(words ...hitrace.Word) bool {
	return slices.ContainsFunc(words, func(w hitrace.Word) bool { return d.seen[w] })
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
