package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/diag"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/view"
)

// dataset writes a dataset of one shard with the given rows, and opens it. The rows have the
// dimensions device and version.
func dataset(t testing.TB, rows []Row) *Dataset {
	t.Helper()
	dir := t.TempDir()
	plan := &Plan{Options: Options{Read: withCauses}, Shards: make([][]Input, 1), Dims: []string{deviceDim, "version"}}
	w := must.Get(newShardWriter(t.Context(), plan, Files{}, dir, 0))(t)
	var packers [tables]*packer
	for of := range packers {
		packers[of] = newPacker(everything(table(of), w.plan.Dims))
	}
	for _, row := range rows {
		of := ofFrames
		switch {
		case row.Scene != "":
			of = ofInteractions
		case row.Layer != "":
			of = ofLayers
		}
		packers[of].add(&row)
	}
	var r result
	for of, p := range packers {
		r.rows[of] = p.packed
	}
	must.Do(t, cmp.Or(w.write(&r), w.finish()))
	d := opened(t, dir)
	return d
}

// Groups that are not shown need little memory. Those that are shown are those with the most
// frames, and their numbers do not depend on how many others are.
func TestShownGroups(t *testing.T) {
	slow.SkipRace(t) // the detector allocates, too
	const groups, top = 8000, 5
	var rows []Row
	for i := range groups {
		row := Row{Trace: fmt.Sprint("trace ", i), Kind: stats.Application, Process: fmt.Sprint("process ", i), Dims: []*string{nil, nil}}
		row.Numbers[columnIndex["frames"]] = int64(i * 7919 % groups)
		for h := range row.Histograms {
			row.Histograms[h] = Counts{[]int32{int32(1000 + i%10), 2000}, []int64{1, 1}}
		}
		rows = append(rows, row)
	}
	d := dataset(t, rows)
	read := func(q Query) (shown []*Group, total int, allocated uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		shown, total = must.Get2(groupsOf(t.Context(), []*Dataset{d}, q))(t)
		runtime.ReadMemStats(&after)
		return shown, total, after.TotalAlloc - before.TotalAlloc
	}
	q := Query{By: []string{"process"}, Stages: true}
	all, _, _ := read(q)
	q.Top = top
	shown, total, allocated := read(q)
	if perGroup := allocated / groups; perGroup > 3000 {
		t.Errorf("%d bytes for each group, want at most 3000", perGroup)
	}
	if total != groups || len(all) != groups || len(shown) != top {
		t.Fatalf("%d and %d of %d groups", len(all), len(shown), total)
	}
	for _, g := range shown {
		i := slices.IndexFunc(all, func(other *Group) bool { return *other.Key[0] == *g.Key[0] })
		if g.Sum("frames") < groups-top || !reflect.DeepEqual(g, all[i]) {
			t.Errorf("%s: %d frames, %+v, want %+v", *g.Key[0], g.Sum("frames"), g, all[i])
		}
	}
}

// The numbers of a group, calculated by hand.
func TestGroupNumbers(t *testing.T) {
	var rows []Row
	one, two, version := "d1", "d2", "v\xff" // files have UTF-8
	for i, x := range []struct {
		trace           string
		device          *string
		deadlines, late int64
	}{{"a", &one, 10, 1}, {"a", &one, 10, 3}, {"b", &one, 20, 10}, {"c", &two, 100, 100}, {"d", nil, 0, 0}} {
		row := Row{Trace: x.trace, Kind: stats.Application, Process: "p\xff", PID: 7, Dims: []*string{x.device, &version}}
		row.Numbers[columnIndex["frames"]], row.Numbers[columnIndex["rated"]], row.Numbers[columnIndex["rated_late"]] = x.deadlines+1, x.deadlines, x.late
		row.Numbers[columnIndex["shown_gaps"]], row.Numbers[columnIndex["shown_span_ns"]] = 60, 1e9
		row.Numbers[columnIndex["hitch_ns"]], row.Numbers[columnIndex["hitch_time_ns"]] = 1e6, 1e9
		row.Numbers[columnIndex["longest_streak"]] = int64(i)
		row.Histograms[durationHistogram] = Counts{[]int32{int32(10 * i), 100}, []int64{19, 1}}
		row.Causes.Names, row.Causes.Frames, row.Causes.Lost = []string{"io", fmt.Sprint(i)}, []int64{1, 1}, []int64{10, int64(i)}
		row.Worst.VsyncIDs, row.Worst.Starts, row.Worst.Overruns = []int64{int64(i)}, []int64{5e9}, []int64{int64(i) * 1e6}
		rows = append(rows, row)
	}
	groups, _ := must.Get2(groupsOf(t.Context(), []*Dataset{dataset(t, rows)}, Query{By: []string{"process", "version"}}))(t)
	g := groups[0]
	must.Equal(t, view.GroupText(g.Key), "p\uFFFD · v\uFFFD", "key")
	if len(groups) != 1 || g.Rows != 5 || g.Traces != 4 || g.Numbers[columnIndex["longest_streak"]] != 4 || g.Sum("frames") != 145 {
		t.Errorf("%d groups, %+v", len(groups), g)
	}
	for name, want := range map[string]float64{"jank_rate": 114.0 / 140, "fps": 60, "hitch_ratio": 1, "p50_ms": 20e-6, "p95_ms": 40e-6, "p99_ms": 100e-6} {
		if x := g.Value(name); x == nil || math.Abs(*x-want) > 1e-12 {
			t.Errorf("%s: got %v, want %g", name, x, want)
		}
	}
	// The traces a to c have 0.2, 0.5 and 1, the devices 0.35 and 1.
	must.Equal(t, *g.process.Pool.PerTrace, stats.Distribution{Count: 3, P10: 0.2, P50: 0.5, P90: 1, Max: 1}, "traces")
	must.Equal(t, *g.process.Pool.PerDevice, stats.Distribution{Count: 2, P10: 0.35, P50: 0.35, P90: 1, Max: 1}, "devices")
	must.Equal(t, fmt.Sprint(g.Causes), "[{io 5 50ns} {4 1 4ns} {3 1 3ns} {2 1 2ns} {1 1 1ns} {0 1 0s}]", "causes")
	if len(g.Worst) != maxWorst || g.Worst[0].VsyncID != 4 || g.Worst[2].VsyncID != 2 {
		t.Errorf("worst: %+v", g.Worst)
	}
	must.Equal(t, g.Worst[0].openCommand(), "ohframe open --process 7 --frame 4 --from 4.000000000 --to 6.004000000 -- d")
	must.Equal(t, g.Worst[0].whyCommand(), "ohframe why --process 7 --frame 4 -- d")
}

// A file with buckets that do not exist, or without their counts, is damaged.
func TestDamagedLists(t *testing.T) {
	for _, c := range []Counts{{[]int32{-1}, []int64{1}}, {[]int32{1 << 20}, []int64{1}}, {[]int32{1, 2}, []int64{1}}} {
		row := Row{Dims: []*string{nil, nil}}
		row.Histograms[durationHistogram] = c
		_, _, err := groupsOf(t.Context(), []*Dataset{dataset(t, []Row{row})}, Query{})
		var e *diag.Error
		if !errors.As(err, &e) || !strings.Contains(e.What, "part-00000-of-00001.parquet: damaged") || e.Hint == "" {
			t.Errorf("%v: %v", c, err)
		}
	}
}
