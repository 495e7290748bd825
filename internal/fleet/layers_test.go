package fleet

import (
	"math"
	"slices"
	"testing"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/view"
)

// video returns a layer with buffers every 30 ms, which are in the queue for some milliseconds.
// The last of every four is late, the first of every five is dropped, and the second of all
// is long.
func video(process, name string, buffers int, queue trace.Duration) *analyzer.Layer {
	const ms = trace.Millisecond
	l := &analyzer.Layer{Name: name, Queue: 7, Cadences: []analyzer.Cadence{{Every: 30 * ms, Buffers: 1, Shown: 1}}}
	if process != "" {
		l.Process = &analyzer.Process{PID: 100, Name: process}
	}
	at, last := trace.Time(1e9), trace.Time(0)
	for i := range buffers {
		b := &analyzer.Buffer{Layer: l, Queued: at, Acquired: at.Add(queue * ms), Fate: analyzer.Shown, Pace: analyzer.Even}
		if i%5 == 0 {
			b.Fate, b.Pace, b.Acquired = analyzer.Discarded, analyzer.Unpaced, 0
		} else {
			switch {
			case i == 1:
				b.Pace = analyzer.Long
			case i%4 == 3:
				b.Pace = analyzer.Late
			}
			b.Present = at.Add(50 * ms)
			if last.Known() {
				b.Interval = b.Present.Sub(last)
			}
			last = b.Present
		}
		l.Buffers = append(l.Buffers, b)
		at = at.Add(30 * ms)
	}
	return l
}

// layerRows returns the rows of a trace with these layers.
func layerRows(traceName string, layers ...*analyzer.Layer) []Row {
	device := "phone"
	read := &ohframe.Trace{Timeline: &analyzer.Timeline{Layers: layers}}
	return rowsBy(source{name: traceName, dims: []*string{&device, nil}}, read)[ofLayers]
}

// A row of a layer has its measures; a report by layer adds them up, whatever the numbers in the
// names. The databases find the same.
func TestLayers(t *testing.T) {
	rows := append(layerRows("a", video("player", "View#1_10aa7df", 20, 2), video("", "panel", 3, 4)), layerRows("b", video("player", "View#22_4bc09d1", 40, 6))...)
	if r := &rows[0]; r.Kind != "layer" || r.Process != "player" || r.PID != 100 || r.Layer != "View#*_*" || r.LayerName != "View#1_10aa7df" || *r.QueueID != 7 || *r.Cadence != 30e6 {
		t.Errorf("%+v", r)
	}
	// 4 of the 20 buffers are dropped, and the wait for a free one is unknown.
	if h := rows[0].Histograms; !slices.Equal(h[histogramIndex("queue")].Counts, []int64{16}) || len(h[histogramIndex("request")].Counts)+len(h[histogramIndex("gpu")].Counts) != 0 {
		t.Errorf("%v", h)
	}
	if r := &rows[1]; r.Process != "" || r.PID != trace.UnknownPID {
		t.Errorf("%+v", r)
	}
	d := dataset(t, rows)
	groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{d}, Query{By: []string{"layer", "process"}}))(t)
	if len(groups) != 2 || view.GroupText(groups[0].Key) != "View#*_* · player" || view.GroupText(groups[1].Key) != "panel · (unnamed)" {
		t.Fatalf("%d groups", len(groups))
	}
	// 20 and 40 buffers: 4 and 8 are dropped, 0 to 19 has late ones 3, 7, 11 and 19 (15 is
	// dropped), 0 to 39 the same again. The gaps reach from 1 to 19 and from 1 to 39.
	g := groups[0]
	for name, want := range map[string]float64{
		"fps": (15 + 31) / (.03 * (18 + 38)), "uneven_rate": 14. / 48, "late_rate": 12. / 48, "dropped_rate": 12. / 60,
		"queue_p50_ms": 6, "queue_p95_ms": 6, // 16 of 2 ms and 32 of 6 ms
	} {
		if got := g.Value(name); got == nil || math.Abs(*got-want) > .008*want {
			t.Errorf("%s: %v, want %g", name, got, want)
		}
	}
	if g.Rows != 2 || g.Traces != 2 || g.Sum("buffers") != 60 || g.Sum("shown") != 48 || groups[1].Value("queue_p95_ms") != nil {
		t.Errorf("%+v", g)
	}
	if frames, _, err := groupsOf(t.Context(), []*Dataset{d}, Query{By: []string{"process"}}); err != nil || len(frames) != 0 {
		t.Errorf("%v: groups of frames of layers: %v", err, frames)
	}
	if _, _, err := groupsOf(t.Context(), []*Dataset{d}, Query{By: []string{"layer", "scene"}}); err == nil || err.Error() != "groups are of interactions or of layers, not of both" {
		t.Errorf("both: %v", err)
	}
}

// If only the late frames of a framework are known, none counts as late or as a frame with a
// deadline: the rate of a group is that of the other rows. DuckDB finds the same.
func TestUnknownJank(t *testing.T) {
	var rows []Row
	device := "phone"
	for _, name := range []string{"container", "game"} {
		process := &analyzer.Process{PID: 7, Name: name}
		line := &analyzer.Timeline{Processes: []*analyzer.Process{process}}
		for i := range 10 {
			at := trace.Time(1e9 + 33e6*i)
			f := &analyzer.Frame{
				Framework: analyzer.Flutter, Process: process, TID: 8, VsyncID: int64(i),
				Actual: analyzer.Interval{Start: at, End: at + 5e6}, Transactions: []analyzer.Sent{{Index: 1, At: at + 5e6}},
			}
			if i == 0 {
				f.Deadline = at + 1e6
			} else if name == "game" {
				f.Deadline = at + 6e6
			}
			f.Judge()
			line.Frames = append(line.Frames, f)
		}
		rows = append(rows, rowsBy(source{name: name, dims: []*string{&device, nil}}, &ohframe.Trace{Timeline: line})[ofFrames]...)
	}
	d := dataset(t, rows)
	groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{d}, Query{By: []string{"kind"}}))(t)
	g := groups[0]
	if rate := g.Value("jank_rate"); rate == nil || *rate != .1 || g.Sum("late") != 2 || g.Sum("judged") != 11 || g.Sum("rated_late") != 1 || g.Sum("frames") != 20 || g.process.Pool.PerTrace.Count != 1 {
		t.Errorf("jank %v, %d late of %d, %+v", rate, g.Sum("late"), g.Sum("frames"), g.process.Pool.PerTrace)
	}
	for _, row := range views(t, "duckdb", d, `SELECT sum(rated_late) / sum(rated) AS rate FROM traces`)[0] {
		if row["rate"] != .1 {
			t.Errorf("DuckDB has %v", row)
		}
	}
}
