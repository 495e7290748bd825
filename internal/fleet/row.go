package fleet

import (
	"cmp"
	"encoding/hex"
	"math"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

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
	Hash  string // XXH3-128 of its bytes, in hexadecimal
	// Dims are the values of the dimensions, in the order of Plan.Dims; nil if unknown.
	Dims    []*string
	Format  string
	Kind    stats.Kind
	Process string
	PID     trace.PID
	Size    int64 // of the trace in bytes
	// Recorded is when the trace was recorded, in microseconds since 1970 in UTC; nil if
	// the trace does not say.
	Recorded *int64
	Sums     [len(sums)]int64
	Peaks    [len(peaks)]int64
	// Histograms are in the order of histogramNames.
	Histograms [histograms]Counts
	// Shortest is the lowest duration in nanoseconds; nil if none is known.
	Shortest *int64
	Causes   struct {
		Names        []string
		Frames, Lost []int64
		// VsyncIDs, Starts and Overruns are of the frame that lost the most by the cause; zero of
		// other causes.
		VsyncIDs, Starts, Overruns []int64
	}
	// Hangs are the hangs of an application by cause, what lasted longest first. Lost is the sum
	// of their lengths, Longest and Starts are of the longest.
	Hangs struct {
		Names                         []string
		Counts, Lost, Longest, Starts []int64
	}
	// Worst are the frames that overran their deadline by most, the worst first.
	Worst struct{ VsyncIDs, Starts, Overruns []int64 }
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

	measured *stats.Process // what the numbers are of, until they are set; nil for others
}

// Counts is a histogram in a file: the numbers of values in buckets, in the order of these.
type Counts struct {
	Buckets []int32
	Counts  []int64
}

// Cause is what late frames lost by a cause.
type Cause struct {
	Name   string         `json:"title"`
	Frames int64          `json:"frames"`
	Lost   trace.Duration `json:"lost_ns"`
}

// rowCause is a cause of a row, with the frame that lost the most by it; zero of other causes.
type rowCause struct {
	Cause
	worst Worst
}

// Worst is a late frame.
type Worst struct {
	Trace   string         `json:"trace"`
	Process string         `json:"process"`
	PID     trace.PID      `json:"pid"`
	VsyncID int64          `json:"vsync_id"`
	Start   trace.Time     `json:"start_ns"` // of its actual interval
	Overrun trace.Duration `json:"overrun_ns"`
	timed   bool           // a worse frame of the process has the vsync id
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

// column is a column of integers: of frames, of layers or of both. The other function is nil.
type column struct {
	name  string
	of    func(*stats.Process) int64
	layer func(*stats.Layer) int64
}

// in reports whether a table has the column.
func (c *column) in(t table) bool {
	if t == ofLayers {
		return c.layer != nil
	}
	return c.of != nil
}

// or adds the function of layers to a column of frames.
func (c column) or(layer func(*stats.Layer) int64) column {
	c.layer = layer
	return c
}

// layered returns a column of layers only.
func layered(name string, of func(*stats.Layer) int64) column { return column{name, nil, of} }

func orZero(n *int) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

// measured returns the column of a measure of package stats by its path. Unknown values are
// zero: sums, and the shares of sums, are then without them.
func measured(name, path string) column {
	m := stats.Measures.At(path)
	return column{name: name, of: func(p *stats.Process) int64 {
		if x := m.Of(p); x != nil {
			return int64(*x)
		}
		return 0
	}}
}

// ofJank returns the column of a number of frames that the jank rate of several rows is computed
// from. It is zero if that of the process is unknown: then the rate is without its late frames, too.
func ofJank(name, path string) column {
	c := measured(name, path)
	return column{name: name, of: func(p *stats.Process) int64 {
		if !p.Frames.JankKnown() {
			return 0
		}
		return c.of(p)
	}}
}

// shown returns a column of the frames that were shown.
func shown(name string, of func(*stats.FPS) int64) column {
	return column{name: name, of: func(p *stats.Process) int64 {
		if p.FPS == nil {
			return 0
		}
		return of(p.FPS)
	}}
}

// rated returns a column that the frame rate is computed from. It is zero if that is unknown.
func rated(name string, of func(*stats.FPS) int64) column {
	return shown(name, func(f *stats.FPS) int64 {
		if f.Rate == nil {
			return 0
		}
		return of(f)
	})
}

// hitching returns a column of hitches. It is zero if the hitch ratio is unknown.
func hitching(name string, of func(*stats.Hitches) int64) column {
	return column{name: name, of: func(p *stats.Process) int64 {
		if p.Hitches == nil || p.Hitches.Ratio == nil {
			return 0
		}
		return of(p.Hitches)
	}}
}

const builtItems, reusedItems = "built_items", "reused_items"

// sums are the columns that are added. Their order is that of the dataset.
var sums = [...]column{
	{name: "observed_ns", of: func(p *stats.Process) int64 {
		if p.Observed == nil {
			return 0
		}
		return int64(p.Observed.Length())
	}},
	measured("frames", "frames.complete"),
	measured("judged", "frames.judged").or(func(l *stats.Layer) int64 { return int64(l.Judged) }),
	measured("late", "frames.late").or(func(l *stats.Layer) int64 { return orZero(l.Late) }),
	measured("late_main", "frames.late_main"),
	measured("late_gpu", "frames.late_gpu"),
	ofJank("rated", "frames.judged"),
	ofJank("rated_late", "frames.late"),
	measured("empty", "frames.empty"),
	{name: "empty_known", of: func(p *stats.Process) int64 { return int64(p.Frames.EmptyKnown) }},
	measured("misaligned", "frames.misaligned"),
	measured("linked", "frames.linked"),
	measured("presented", "frames.presented"),
	measured("dropped", "frames.dropped").or(func(l *stats.Layer) int64 { return int64(l.Dropped) }),
	measured("truncated", "frames.truncated"),
	measured("whole_frames", "whole_frames.judged"),
	measured("late_whole_frames", "whole_frames.late"),
	measured("blame_application", "whole_frames.blame.application"),
	measured("blame_render_cpu", "whole_frames.blame.render_cpu"),
	measured("blame_render_gpu", "whole_frames.blame.render_gpu"),
	measured("blame_pick_up", "whole_frames.blame.pick_up"),
	measured("blame_display_hal", "whole_frames.blame.display_hal"),
	measured("blame_buffer_stuffing", "whole_frames.blame.buffer_stuffing"),
	measured("blame_prediction_error", "whole_frames.blame.prediction_error"),
	measured("blame_dropped", "whole_frames.blame.dropped"),
	measured("blame_unknown", "whole_frames.blame.unknown"),
	shown("shown_frames", func(f *stats.FPS) int64 { return int64(f.Frames) }),
	rated("shown_gaps", func(f *stats.FPS) int64 { return int64(f.Frames) - 1 }).or(func(l *stats.Layer) int64 { return int64(l.Gaps) }),
	// The time in which frames were shown at the rate. Last minus first would include the
	// time between several traces in one input.
	rated("shown_span_ns", func(f *stats.FPS) int64 {
		return int64(math.Round(float64(f.Frames-1) / *f.Rate * float64(trace.Second)))
	}).or(func(l *stats.Layer) int64 { return int64(l.ShownTime) }),
	hitching("hitches", func(h *stats.Hitches) int64 { return int64(h.Hitches) }),
	hitching("hitch_ns", func(h *stats.Hitches) int64 { return int64(h.Hitch) }),
	hitching("hitch_time_ns", func(h *stats.Hitches) int64 { return int64(h.Time - h.Idle) }),
	hitching("hitch_idle_ns", func(h *stats.Hitches) int64 { return int64(h.Idle) }),
	hitching("lost_frames", func(h *stats.Hitches) int64 { return int64(h.LostFrames) }),
	measured("stutter_slight", "stutter.slight"),
	measured("stutter_medium", "stutter.medium"),
	measured("stutter_severe", "stutter.severe"),
	// Items of ArkUI's components, which are not among the measures of a process: rowsOf adds them.
	{name: builtItems, of: func(*stats.Process) int64 { return 0 }},
	{name: reusedItems, of: func(*stats.Process) int64 { return 0 }},
	layered("buffers", func(l *stats.Layer) int64 { return int64(l.Buffers) }),
	layered("shown", func(l *stats.Layer) int64 { return int64(l.Shown) }),
	layered("waiting", func(l *stats.Layer) int64 { return int64(l.Waiting) }),
	layered("long", func(l *stats.Layer) int64 { return orZero(l.Long) }),
	layered("early", func(l *stats.Layer) int64 { return orZero(l.Early) }),
}

// peaks are the columns whose largest value is kept.
var peaks = [...]column{
	measured("longest_streak", "longest_streak.frames"),
	measured("longest_hitch_ns", "hitches.longest_ns"),
	measured("duration_max_ns", "durations.max_ns"),
	layered("longest_interval_ns", func(l *stats.Layer) int64 {
		if l.Longest == nil {
			return 0
		}
		return int64(math.Round(*l.Longest * 1e6))
	}),
}

// The histograms of a row: all values are nanoseconds.
const (
	durationHistogram = iota
	overrunHistogram
	firstStageHistogram
	aheadHistogram = iota + stats.Stages - 1 // from the end of frames that are not late to their deadline
	vsyncToPresentHistogram
	queueHistogram // of layers from here on
	requestHistogram
	gpuHistogram
	histograms

	firstLayerHistogram = queueHistogram
)

// histogramNames begin the names of the columns.
var histogramNames = func() (names [histograms]string) {
	names[durationHistogram], names[overrunHistogram] = "duration", "overrun"
	for stage := range stats.Stages {
		names[firstStageHistogram+stage] = stats.Stage(stage).String()
	}
	names[aheadHistogram], names[vsyncToPresentHistogram] = "ahead", "vsync_to_present"
	names[queueHistogram], names[requestHistogram], names[gpuHistogram] = "queue", "request", "gpu"
	return names
}()

// source is what the dataset has of a trace besides its frames.
type source struct {
	name string
	hash xxh3.Uint128
	size int64
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
	hash, at := s.hash.Bytes(), recorded(t.Timeline)
	if at == nil {
		at = s.recorded
	}
	newRow := func(kind stats.Kind, process string, pid trace.PID) Row {
		return Row{
			Trace: s.name, Hash: hex.EncodeToString(hash[:]), Dims: s.dims, Size: s.size, Format: t.Format,
			Kind: kind, Process: process, PID: pid, Recorded: at,
		}
	}
	for _, p := range report.Processes {
		row := newRow(p.Kind, p.Name, p.PID)
		row.measured = p
		rows = append(rows, row)
	}
	rows = addSummaries(rows, report, newRow)
	rows = addHangs(rows, report.Hangs, newRow)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Process, b.Process), cmp.Compare(a.PID, b.PID))
	})
	for i := range rows {
		row := &rows[i]
		if p := row.measured; p != nil {
			row.measure(p, frames.Of(p), ranked[causeKey{p.Kind, p.Source}])
			if p.Kind == stats.Application {
				row.addItems(p.Source, report.Components)
			}
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
			row.Response = nanoseconds(d)
		}
		if d, ok := i.Source.Completion(); ok {
			row.Completion = nanoseconds(d)
		}
		var causes []rowCause
		if t.Causes != nil {
			causes = newCauses(t.Causes.Rank(i.Source.Frames).Costs)
		}
		row.measure(i.MeasureFrames(), i.Source.Frames, causes)
		if i.Source.Counted() == analyzer.RenderFrame {
			row.Worst.VsyncIDs, row.Worst.Starts, row.Worst.Overruns = nil, nil, nil // not of the row's process
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
		row.measureLayer(l)
		yield(ofLayers, &row)
	}
}

// addItems adds the items of the components of the row's process.
func (r *Row) addItems(process *analyzer.Process, components []stats.Component) {
	for i := range components {
		if c := &components[i]; c.Source == process {
			r.Sums[sumIndex[builtItems]] += int64(c.Built)
			r.Sums[sumIndex[reusedItems]] += int64(c.Reused)
		}
	}
}

// measureLayer adds the measures of a layer.
func (r *Row) measureLayer(l *stats.Layer) {
	if cadence := l.Source.Cadence(); cadence > 0 {
		r.Cadence = nanoseconds(cadence)
	}
	for i, c := range sums {
		if c.layer != nil {
			r.Sums[i] = c.layer(l)
		}
	}
	for i, c := range peaks {
		if c.layer != nil {
			r.Peaks[i] = c.layer(l)
		}
	}
	var counted [histograms]Histogram
	add := func(histogram int, d trace.Duration, known bool) {
		if known {
			counted[histogram].AddValue(int64(d))
		}
	}
	for _, b := range l.Source.Buffers {
		add(queueHistogram, b.InQueue(), b.Queued.Known() && b.Acquired.Known())
		add(requestHistogram, b.Requested.Duration(), b.Requested.Known())
		add(gpuHistogram, b.GPUWait(), b.Queued.Known() && b.Ready.Known())
	}
	for i := firstLayerHistogram; i < histograms; i++ {
		r.Histograms[i] = counted[i].Counts()
	}
}

func nanoseconds(d trace.Duration) *int64 {
	n := int64(d)
	return &n
}

// measure adds the measures of some frames, and the frames themselves.
func (r *Row) measure(p *stats.Process, frames []*analyzer.Frame, causes []rowCause) {
	for _, c := range causes {
		r.Causes.Names = append(r.Causes.Names, c.Name)
		r.Causes.Frames, r.Causes.Lost = append(r.Causes.Frames, c.Frames), append(r.Causes.Lost, int64(c.Lost))
		r.Causes.VsyncIDs, r.Causes.Starts = append(r.Causes.VsyncIDs, c.worst.VsyncID), append(r.Causes.Starts, int64(c.worst.Start))
		r.Causes.Overruns = append(r.Causes.Overruns, int64(c.worst.Overrun))
	}
	for i, c := range sums {
		if c.of != nil {
			r.Sums[i] = c.of(p)
		}
	}
	for i, c := range peaks {
		if c.of != nil {
			r.Peaks[i] = c.of(p)
		}
	}
	r.count(frames)
	var worst []Worst
	for _, w := range p.Worst[:min(maxWorst, len(p.Worst))] {
		worst = append(worst, Worst{VsyncID: w.VsyncID, Start: w.At, Overrun: w.Overrun})
	}
	slices.SortFunc(worst, compareWorst)
	for _, w := range worst {
		r.Worst.VsyncIDs = append(r.Worst.VsyncIDs, w.VsyncID)
		r.Worst.Starts, r.Worst.Overruns = append(r.Worst.Starts, int64(w.Start)), append(r.Worst.Overruns, int64(w.Overrun))
	}
}

// count counts the durations of the frames.
func (r *Row) count(frames []*analyzer.Frame) {
	var counted [histograms]Histogram
	add := func(histogram int, d trace.Duration) { counted[histogram].AddValue(int64(d)) }
	for _, f := range frames {
		if d, ok := stats.DurationOf(f); ok {
			add(durationHistogram, d)
		}
		switch j := f.Judgement(); {
		case !j.OverrunKnown:
		case j.Late == analyzer.Yes:
			add(overrunHistogram, j.Overrun)
		default:
			add(aheadHistogram, -j.Overrun)
		}
		if d, ok := stats.VsyncToPresentOf(f); ok {
			add(vsyncToPresentHistogram, d)
		}
		for stage, d := range stats.StagesOf(f) {
			add(firstStageHistogram+int(stage), d)
		}
	}
	if h := &counted[durationHistogram]; h.bounded {
		r.Shortest = &h.low
	}
	for i := range counted {
		r.Histograms[i] = counted[i].Counts()
	}
}

// firstRecorded is the earliest time, in nanoseconds since 1970, that a device with a clock may
// show: without a battery or a network it is in 1970.
const firstRecorded = 946684800e9 // 2000-01-01

// recorded returns the time of day at the start of the timeline; nil if it is not known.
func recorded(t *analyzer.Timeline) *int64 {
	if !t.Wall.At.Known() {
		return nil
	}
	nanoseconds := t.Wall.Unix - int64(t.Wall.At.Sub(t.Span.Start))
	if nanoseconds < firstRecorded {
		return nil
	}
	at := time.Duration(nanoseconds).Microseconds()
	return &at
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
		ranked[causeKey{p.Kind, p.Source}] = newCauses(p.Ranking.Costs)
	}
	return ranked
}

// newCauses returns the largest causes, and the sum of the others.
func newCauses(costs []*why.Cost) (list []rowCause) {
	for _, c := range costs {
		cause := rowCause{Cause: Cause{Name: causetext.CostName(c), Frames: int64(len(c.Frames)), Lost: c.Lost}}
		if f := c.Worst; f != nil {
			cause.worst.VsyncID, cause.worst.Start = f.VsyncID, f.Actual.Start
			cause.worst.Overrun = f.Overrun()
		}
		list = append(list, cause)
	}
	slices.SortFunc(list, func(a, b rowCause) int { return compareCauses(a.Cause, b.Cause) })
	if len(list) > maxCauses {
		other := rowCause{Cause: Cause{Name: otherCauses}}
		for _, c := range list[maxCauses:] {
			other.Frames += c.Frames
			other.Lost += c.Lost
		}
		list = append(list[:maxCauses], other)
	}
	return list
}

// compareCauses is a total order, what lost the most time first.
func compareCauses(a, b Cause) int {
	return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.Name, b.Name))
}
