package fleet

import (
	"cmp"
	"slices"
	"time"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/causetext"
	"ohframe/internal/text"
)

// Row is what the dataset has of one process of a trace, of one interaction or of one layer. All of it are
// integers, which can be added in any order.
type Row struct {
	Trace string // the name of the trace, as it was given
	// Dims are the values of the dimensions, in the order of Plan.Dims; nil if unknown.
	Dims    []*string
	Format  string
	Kind    stats.Kind
	Process string
	PID     trace.PID
	// Recorded is when the trace was recorded, in microseconds since 1970 in UTC; nil if
	// the trace does not say.
	Recorded *int64
	// Numbers are the values of columns.
	Numbers numbers
	// Histograms are in the order of stats.Distributions.
	Histograms [histograms]Counts
	// Shortest is the lowest duration in nanoseconds; nil if none is known.
	Shortest *int64
	// Causes are those of late frames, Hangs those of the hangs of an application, which lose their
	// whole length.
	Causes, Hangs causeColumns
	// Worst are the frames that overran their deadline by most, the worst first.
	Worst frameColumns
	// Interaction, Scene, Page, Input, Response and Completion are of interactions only: id, name,
	// and times in nanoseconds. Page and times are nil if unknown, as is an input without which the
	// response counts from the begin.
	Interaction          int64
	Scene                string
	Page, Input          *string
	Response, Completion *int64
	// Layer, LayerName, QueueID and Cadence are of layers only: the name without what differs
	// from run to run, the name, and nanoseconds.
	Layer, LayerName string
	QueueID, Cadence *int64

	flags    []string       // of commands about the trace
	measured *stats.Process // what the numbers are of, until they are set; nil for others
}

// Counts is a histogram in a file: the numbers of values in buckets, in the order of these.
type Counts struct {
	Buckets []int32
	Counts  []int64
}

// frameColumns are frames or hangs in a file. Hangs have no vsync ids.
type frameColumns struct{ VsyncIDs, Starts, Overruns []int64 }

func (c *frameColumns) add(w Worst) {
	c.VsyncIDs, c.Starts, c.Overruns = append(c.VsyncIDs, w.VsyncID), append(c.Starts, int64(w.Start)), append(c.Overruns, int64(w.Overrun))
}

// at returns a frame of a row.
func (c *frameColumns) at(i int, r *Row) Worst {
	w := Worst{PoolFrame: stats.PoolFrame{Trace: r.Trace, Process: r.Process, PID: r.PID, Start: trace.Time(c.Starts[i]), Overrun: trace.Duration(c.Overruns[i])}}
	if c.VsyncIDs != nil {
		w.VsyncID = c.VsyncIDs[i]
	}
	return w
}

// causeColumns are causes in a file, what lost the most time first. The frames are those that lost the
// most by each, zero of other causes.
type causeColumns struct {
	Names        []string
	Frames, Lost []int64
	frameColumns
}

// set sets the largest causes, and the sum of the others.
func (c *causeColumns) set(list []rowCause) {
	slices.SortFunc(list, func(a, b rowCause) int { return compareCauses(a.PoolCause, b.PoolCause) })
	if len(list) > maxCauses {
		other := rowCause{PoolCause: stats.PoolCause{Title: otherCauses}}
		for _, cause := range list[maxCauses:] {
			other.Frames += cause.Frames
			other.Lost += cause.Lost
		}
		list = append(list[:maxCauses], other)
	}
	for _, cause := range list {
		c.Names, c.Frames, c.Lost = append(c.Names, cause.Title), append(c.Frames, cause.Frames), append(c.Lost, int64(cause.Lost))
		c.add(cause.worst)
	}
}

// all yields the causes without their frames.
func (c *causeColumns) all(yield func(int, stats.PoolCause) bool) {
	for i, name := range c.Names {
		if !yield(i, stats.PoolCause{Title: name, Frames: c.Frames[i], Lost: trace.Duration(c.Lost[i])}) {
			return
		}
	}
}

// rowCause is a cause of a row, with the frame that lost the most by it; zero of other causes.
type rowCause struct {
	stats.PoolCause
	worst Worst
}

// Worst is a late frame or a hang. The commands about it are added when it is told.
type Worst struct {
	stats.PoolFrame
	timed bool     // a worse frame of the process has the vsync id
	hang  bool     // not a frame
	flags []string // further ones of commands about it
}

// compareWorst is a total order, the largest overrun first.
func compareWorst(a, b Worst) int {
	return cmp.Or(cmp.Compare(b.Overrun, a.Overrun), cmp.Compare(a.Trace, b.Trace),
		cmp.Compare(a.PID, b.PID), cmp.Compare(a.Start, b.Start), cmp.Compare(a.VsyncID, b.VsyncID))
}

const (
	// maxCauses is the number of causes of a row; the rest are added up as otherCauses.
	maxCauses   = 12
	otherCauses = "other causes"
	// maxWorst is the number of worst frames of a row, and of a group of a report.
	maxWorst = 3
)

// The histograms of a row are those of stats.Distributions.
const (
	durationHistogram = 0
	histograms        = stats.Stages + 7
)

// firstLayerHistogram is the first histogram of layers.
var firstLayerHistogram = histogramIndex("queue")

func histogramIndex(name string) int {
	return slices.Index(stats.Distributions, name)
}

// source is what the dataset has of a trace besides its frames.
type source struct {
	name string
	dims []*string
	// recorded is that of a trace that does not say when it was recorded; nil if unknown.
	recorded *int64
}

// rowsOf calls yield for the rows of a trace, table by table. Those of frames are by kind, process and
// process id. A row is valid until yield returns.
func rowsOf(s source, t *ohframe.Trace, yield func(table, *Row)) {
	var rows []Row
	report, frames := stats.Compute(t.Timeline, stats.Options{}), stats.NewFrames(t.Timeline)
	ranked := rank(t)
	var times rowTimes
	at := cmp.Or(recorded(t.Timeline), s.recorded)
	newRow := func(kind stats.Kind, process string, pid trace.PID) Row {
		return Row{
			Trace: s.name, Dims: s.dims, Format: t.Format, Kind: kind, Process: process, PID: pid, Recorded: at,
		}
	}
	for _, p := range report.Processes {
		row := newRow(p.Kind, p.Name, p.PID)
		row.measured = p
		rows = append(rows, row)
	}
	addHangs(rows, report.Hangs)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Process, b.Process), cmp.Compare(a.PID, b.PID))
	})
	for i := range rows {
		row := &rows[i]
		if p := row.measured; p != nil {
			row.measure(&times, p, frames.Of(p), ranked[causeKey{p.Kind, p.Source}])
		}
		yield(ofFrames, row)
		*row = Row{} // of many processes
	}
	for _, i := range report.Interactions {
		if i.Truncated {
			continue // what is cut would only make responses unknown and scenes short
		}
		row := newRow(stats.Kind(i.Kind), i.Process, i.PID)
		row.Interaction, row.Scene, row.Page, row.Input = int64(i.ID), i.Scene, i.Page, i.Input
		if d, ok := i.Source.Response(); ok {
			row.Response = new(int64(d))
		}
		if d, ok := i.Source.Completion(); ok {
			row.Completion = new(int64(d))
		}
		var causes []rowCause
		if t.Causes != nil {
			causes = rowCausesOf(t.Causes.Rank(i.Source.Frames).Costs)
		}
		row.measure(&times, i.MeasureFrames(), i.Source.Frames, causes)
		if i.Source.Counted() == analyzer.RenderFrame {
			row.Worst = frameColumns{} // not of the row's process
		}
		yield(ofInteractions, &row)
	}
	for _, l := range report.Layers {
		process, pid := "", trace.UnknownPID
		if l.Process != nil {
			process = *l.Process
		}
		if l.PID != nil {
			pid = *l.PID
		}
		row := newRow("layer", process, pid)
		row.Layer, row.LayerName, row.QueueID = text.LayerName(l.Name), l.Name, l.Queue
		row.measureLayer(&times, l)
		yield(ofLayers, &row)
	}
}

// measureLayer adds the measures of a layer.
func (r *Row) measureLayer(times *rowTimes, l *stats.Layer) {
	if cadence := l.Source.Cadence(); cadence > 0 {
		r.Cadence = new(int64(cadence))
	}
	r.Numbers.measure(ofLayers, l)
	for _, b := range l.Source.Buffers {
		stats.BufferTimes(b, times.add)
	}
	r.keep(times)
}

// rowTimes are the times of the frames or the buffers of a row, in the order of stats.Distributions.
type rowTimes [histograms][]int64

func (t *rowTimes) add(i int, d trace.Duration) { t[i] = append(t[i], int64(d)) }

// keep moves times to the histograms of the row.
func (r *Row) keep(times *rowTimes) {
	for i, list := range times {
		r.Histograms[i] = countsOf(list)
		times[i] = list[:0]
	}
}

// measure adds the measures of some frames, and the frames themselves.
func (r *Row) measure(times *rowTimes, p *stats.Process, frames []*analyzer.Frame, causes []rowCause) {
	r.Causes.set(causes)
	r.Numbers.measure(ofFrames, p)
	for _, f := range frames {
		stats.FrameTimes(f, times.add)
	}
	if durations := times[durationHistogram]; len(durations) > 0 {
		r.Shortest = new(slices.Min(durations))
	}
	r.keep(times)
	var worst []Worst
	for _, w := range p.Worst[:min(maxWorst, len(p.Worst))] {
		worst = append(worst, Worst{PoolFrame: stats.PoolFrame{VsyncID: w.VsyncID, Start: w.At, Overrun: w.Overrun}})
	}
	slices.SortFunc(worst, compareWorst)
	for _, w := range worst {
		r.Worst.add(w)
	}
}

// firstRecorded is the earliest time, in nanoseconds since 1970, that a device with a clock may
// show: without a battery or a network it is in 1970.
const firstRecorded = 946684800e9 // 2000-01-01

// Recorded returns when an input was recorded, in microseconds since 1970: at the start of its timeline, or with its
// event, which may be nil; nil if it is not known.
func Recorded(t *analyzer.Timeline, e *Event) *int64 {
	if at := recorded(t); at != nil || e == nil {
		return at
	}
	return e.recorded()
}

// recorded returns the time of day at the start of the timeline; nil if it is not known.
func recorded(t *analyzer.Timeline) *int64 {
	if !t.Wall.At.Known() {
		return nil
	}
	nanoseconds := t.Wall.Unix - int64(t.Wall.At.Sub(t.Span.Start))
	if nanoseconds < firstRecorded {
		return nil
	}
	return new(time.Duration(nanoseconds).Microseconds())
}

type causeKey struct {
	kind    stats.Kind
	process *analyzer.Process
}

// rank returns the causes of the late frames of each process.
func rank(t *ohframe.Trace) map[causeKey][]rowCause {
	if t.Causes == nil {
		return nil
	}
	ranked := map[causeKey][]rowCause{}
	for _, p := range causes.Processes(t.Timeline, t.Causes, causes.Options{}) {
		ranked[causeKey{p.Kind, p.Source}] = rowCausesOf(p.Ranking.Costs)
	}
	return ranked
}

func rowCausesOf(costs []*why.Cost) (list []rowCause) {
	for _, c := range costs {
		cause := rowCause{PoolCause: stats.PoolCause{Title: causetext.CostName(c), Frames: int64(len(c.Late)), Lost: c.Lost}}
		f := c.Worst.Frame
		cause.worst.VsyncID, cause.worst.Start, cause.worst.Overrun = f.VsyncID, f.Actual.Start, f.Overrun()
		list = append(list, cause)
	}
	return list
}

// compareCauses is a total order, what lost the most time first.
func compareCauses(a, b stats.PoolCause) int {
	return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.Title, b.Title))
}
