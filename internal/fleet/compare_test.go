package fleet

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/diff"
	"ohframe/internal/significance"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
)

// dataset writes a dataset of one shard with the given rows, and opens it. The rows have the
// dimensions device and version.
func dataset(t testing.TB, rows []Row) *Dataset {
	t.Helper()
	dir := t.TempDir()
	plan := &Plan{Shards: make([][]Input, 1), Dims: []string{deviceDim, "version"}}
	w := must.Get(newShardWriter(t.Context(), plan, Files{}, dir, 0))(t)
	var packers [tables]*packer
	for of := range packers {
		packers[of] = newPacker(table(of), w.plan.Dims)
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

// simulated returns rows of devices with two traces of 100 frames each. Each device has its own
// rate of late frames and its own speed: frames of a device are not independent.
func simulated(r *rand.Rand, group string, devices int, rate float64) (rows []Row) {
	for i := range devices {
		device := fmt.Sprintf("device %d of %d", i, r.Uint32())
		own, speed := max(0, rate+0.05*r.NormFloat64()), 8e6*(1+0.2*r.NormFloat64())
		for trace := range 2 {
			row := Row{Trace: fmt.Sprint(trace, " of ", device), Kind: stats.Application, Process: group, Dims: []*string{&device, nil}}
			var durations histogram
			for range 100 {
				row.Numbers[columnIndex["frames"]]++
				row.Numbers[columnIndex["rated"]]++
				if r.Float64() < own {
					row.Numbers[columnIndex["rated_late"]]++
				}
				durations.Add(bucketOf(int64(speed*(1+r.ExpFloat64()))), 1)
			}
			row.Histograms[durationHistogram] = durations.counts()
			rows = append(rows, row)
		}
	}
	return rows
}

func compareRows(t *testing.T, base, new []Row, o CompareOptions) *Comparison {
	t.Helper()
	o.By = []string{"process"}
	c := must.Get(Compare(t.Context(), dataset(t, base), dataset(t, new), o))(t)
	return c
}

func (p *Pair) change(name string) *diff.Measure {
	return p.Changes[slices.Index(compared[ofFrames], name)]
}

// changes parses conditions.
func changes(t *testing.T, s string) condition.Conditions {
	t.Helper()
	list := must.Get(condition.Parse(s, condition.OfChanges))(t)
	return list
}

// varied returns rows of devices that differ as those of users do: some are much slower, some are used
// much more, and frames of a trace have much in common.
func varied(r *rand.Rand, devices int) (rows []Row) {
	heavy := func() float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()+.3) } // few are far out
	for i := range devices {
		device := fmt.Sprint("device ", i)
		speed, late := 6e6*math.Exp(.15*heavy()), .03*math.Exp(.5*heavy())
		for range 1 + int(3*r.ExpFloat64()) {
			row := Row{Kind: stats.Application, Process: "a", Dims: []*string{&device, nil}}
			speed, late := speed*math.Exp(.05*r.NormFloat64()), min(1, late*math.Exp(.3*r.NormFloat64()))
			var durations histogram
			frames := int(100 * math.Exp(.8*r.NormFloat64()))
			for range frames {
				durations.Add(bucketOf(int64(speed*(.5+r.ExpFloat64()))), 1)
				if r.Float64() < late {
					row.Numbers[columnIndex["rated_late"]]++
				}
			}
			row.Numbers[columnIndex["frames"]], row.Numbers[columnIndex["rated"]] = int64(frames), int64(frames)
			row.Histograms[durationHistogram] = durations.counts()
			rows = append(rows, row)
		}
	}
	return rows
}

// compareDevices compares the devices of rows of frames as Compare does, without files.
func compareDevices(base, new []Row) *Pair {
	p := &Pair{rows: []*surveyed{{}, {}}}
	x := &TableComparison{table: ofFrames, measures: compared[ofFrames], Pairs: []*Pair{p}}
	var values [2][]unitValues
	for side, rows := range [2][]Row{base, new} {
		devices := map[string]*Group{}
		for i := range rows {
			g := devices[*rows[i].Dims[0]]
			if g == nil {
				g = newGroup(wanted{histograms: durationHistogram + 1})
				devices[*rows[i].Dims[0]] = g
			}
			g.addSums(&rows[i])
		}
		values[side] = make([]unitValues, len(x.measures))
		for i, name := range x.measures {
			v := &values[side][i]
			v.all = slices.Repeat([]significance.Unit{significance.Exactly(math.NaN())}, len(devices))
			v.tested = slices.Clone(v.all)
			for unit, device := range slices.Sorted(maps.Keys(devices)) {
				v.set(unit, &measures[measureIndex(name)], devices[device])
			}
		}
	}
	x.test(deviceDim, values)
	return p
}

// fails reports whether conditions on a pair fail.
func fails(t *testing.T, p *Pair, conditions string) bool {
	var list []*condition.Change
	for _, limit := range changes(t, conditions) {
		list = append(list, p.change(limit.Measure).Change(&limit))
	}
	condition.Decide(list, false)
	return slices.ContainsFunc(list, func(x *condition.Change) bool { return x.Status == condition.Failed })
}

// Equal fleets seldom differ, although their devices do: a test that pools frames would find
// a difference in most. Few and many devices, in any combination, keep the level, in tables and gates.
func TestEqualFleets(t *testing.T) {
	slow.Skip(t)
	r := rand.New(rand.NewPCG(7, 8))
	tries, wrong := 600, map[string]int{}
	sizes := [][2]int{{minUnits, minUnits}, {minUnits, 40}, {40, 10}, {20, 20}, {10, 80}}
	for try := range tries {
		n := sizes[try%len(sizes)]
		p := compareDevices(varied(r, n[0]), varied(r, n[1]))
		if slices.ContainsFunc(p.Changes, func(m *diff.Measure) bool { return m.P != nil && *m.P <= significance.Level }) {
			wrong["table"]++
		}
		for _, gate := range []string{"jank_rate>+0pp", "jank_rate<-0pp", "jank_rate>+0pp,p90_ms>+0,p95_ms>+0"} {
			if fails(t, p, gate) {
				wrong[gate]++
			}
		}
	}
	// Three standard deviations of the binomial distribution.
	expected := float64(tries) * significance.Level
	for of, n := range wrong {
		if float64(n) > expected+3*math.Sqrt(expected) {
			t.Errorf("%s: %d of %d comparisons of equal fleets find a change, want %g", of, n, tries, expected)
		}
	}
	t.Logf("of %d: %v", tries, wrong)
}

// A gate finds what a t-test of devices finds by arithmetic: the rate of a device varies by 5 points,
// and 200 frames of it by 2.2, so the difference of 40 and 40 devices has a standard error of 1.22
// points. A rise of 4 points is 3.28 of them. One of 1.77 fails, so 93 % of such rises do.
func TestPowerOfFleets(t *testing.T) {
	slow.Skip(t)
	r := rand.New(rand.NewPCG(5, 6))
	tries, found := 600, 0
	for range tries {
		if fails(t, compareDevices(simulated(r, "a", 40, .1), simulated(r, "a", 40, .14)), "jank_rate>+1pp") {
			found++
		}
	}
	const want = .93
	if n := float64(tries); math.Abs(float64(found)-want*n) > 3*math.Sqrt(want*(1-want)*n) {
		t.Errorf("%d of %d are found, want %.0f %%", found, tries, 100*want)
	}
	t.Logf("%d of %d", found, tries)
}

// Different fleets differ. The value of a side is the mean of its devices, not that of frames.
func TestDifferentFleets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	base, new := simulated(r, "a", 40, 0.1), simulated(r, "a", 500, 0.2)
	large := simulated(r, "a", 1, 2)[0] // a device with many frames, all of them late, counts as one
	for i := range large.Numbers {
		large.Numbers[i] *= 1000
	}
	few := simulated(r, "a", 1, 2)[0] // one with few frames does not count
	few.Numbers[columnIndex["rated_late"]], few.Numbers[columnIndex["rated"]] = 19, 19
	base = append(base, large, few)
	p := compareRows(t, base, new, CompareOptions{}).Tables[0].Pairs[0]
	m, sum := p.change("jank_rate"), 0.0
	for i := 0; i < 80; i += 2 { // both traces of a device
		sum += float64(base[i].Numbers[columnIndex["rated_late"]]+base[i+1].Numbers[columnIndex["rated_late"]]) / 200 / 41
	}
	sum += 1.0 / 41
	if d := *m.Base - sum; d > 1e-9 || d < -1e-9 || p.Units != [2]int{42, 500} {
		t.Errorf("base is %g of %v devices, want %g of 42 and 500", *m.Base, p.Units, sum)
	}
	if m.Verdict != diff.Worse || *m.Low <= 0 || *m.Low > 0.08 || *m.High < 0.08 {
		t.Errorf("%g to %g, %s: want about 0.08", *m.Low, *m.High, m.Verdict)
	}
}

// More devices than are compared are not added up: the value remains the mean of those of devices. Half
// of them need 10 ms for each frame and half 20 ms; the P90 of two such devices together would be
// 20 ms.
func TestManyDevices(t *testing.T) {
	var rows []Row
	for i := range 3 * maxUnits {
		device := fmt.Sprint("device ", i)
		row := Row{Trace: device, Kind: stats.Application, Process: "a", Dims: []*string{&device, nil}}
		row.Histograms[durationHistogram] = Counts{[]int32{int32(bucketOf(int64(1+i%2) * 10e6))}, []int64{100}}
		rows = append(rows, row)
	}
	c := compareRows(t, rows[:100], rows, CompareOptions{})
	p := c.Tables[0].Pairs[0]
	// By chance, e^-3 of the places are those of no device.
	if n := p.Units; n[0] != 100 || n[1] > maxUnits || n[1] < maxUnits*9/10 {
		t.Errorf("%v devices are compared", n)
	}
	must.Equal(t, c.units(p), fmt.Sprintf("100 devices → %d of 3072 devices", p.Units[1]))
	m := p.change("p90_ms")
	if deviation := 5 / math.Sqrt(maxUnits); math.Abs(*m.Base-15) > .2 || math.Abs(*m.New-15) > 4*deviation {
		t.Errorf("%g to %g, want 15 to about 15", *m.Base, *m.New)
	}
}

// A condition fails as those of ohframe diff do. It
// is unknown if a side has too few units, if the measure is unknown, and if the group is gone.
func TestFleetConditions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	base := slices.Concat(simulated(r, "a", 40, 0.1), simulated(r, "few", minUnits-1, 0.1), simulated(r, "gone", 40, 0.1))
	new := slices.Concat(simulated(r, "a", 40, 0.2), simulated(r, "few", 40, 0.4), simulated(r, "later", 40, 0.1))
	conditions := changes(t, "jank_rate>+1pp,jank_rate>>+9pp,jank_rate<-1pp,fps<-5%")
	const few = "unknown too few to test: 4 devices and 40 devices, each dataset needs 5; --fail-on-any compares the values"
	const gone, nothing = "unknown the group is not in the new dataset", "unknown unknown in both datasets"
	for _, test := range []struct {
		any  bool
		want []string
	}{
		{false, []string{"failed", few, gone, "passed", few, gone, "passed", few, gone, nothing, nothing, gone}},
		{true, []string{"failed", "failed", gone, "failed", "failed", gone, "passed", "passed", gone, nothing, nothing, gone}},
	} {
		c := compareRows(t, base, new, CompareOptions{FailOn: conditions, Any: test.any})
		if jank := c.Tables[0].Pairs[0].change("jank_rate"); *jank.Low >= 0.09 || *jank.Delta <= 0.09 {
			t.Fatalf("the conditions do not fit: %g, %g to %g", *jank.Delta, *jank.Low, *jank.High)
		}
		var got []string
		for _, o := range c.Outcomes {
			if o.Status != condition.Unknown {
				o.Text = ""
			}
			got = append(got, strings.TrimSpace(string(o.Status)+" "+o.Text))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("any %v:\ngot  %q\nwant %q", test.any, got, test.want)
		}
		must.Equal(t, c.Outcomes[len(c.Outcomes)-1].String(), "gone: fps<-5%: the group is not in the new dataset")
	}
}

// Tables fit into terminals, and all formats are the same twice.
func TestFleetFormats(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	base, new := simulated(r, "com.example.application", 20, 0.1), simulated(r, "com.example.application", 20, 0.3)
	var want [2]map[string]string
	for try := range 2 {
		c := compareRows(t, base, new, CompareOptions{})
		c.Base.Dir, c.New.Dir = "base", "new"
		want[try] = map[string]string{}
		for _, format := range DiffFormats {
			for _, width := range []int{80, 120} {
				var b bytes.Buffer
				must.Do(t, c.Write(&b, format, text.Style{Width: width}))
				for line := range strings.Lines(b.String()) {
					// Commands are for copying.
					if n := text.Width(strings.TrimSuffix(line, "\n")); format == "table" && n > width && !strings.Contains(line, "ohframe open") {
						t.Errorf("%d of %d cells: %s", n, width, line)
					}
				}
				want[try][fmt.Sprint(format, width)] = b.String()
			}
		}
	}
	for format, content := range want[0] {
		if want[1][format] != content {
			t.Errorf("%s: not the same twice", format)
		}
	}
	if !regexp.MustCompile(`(?m)^\| com\.example\.application \| Jank rate \|.* worse \|$`).MatchString(want[0]["markdown80"]) {
		t.Errorf("no significant change in\n%s", want[0]["markdown80"])
	}
	if !strings.Contains(want[0]["table120"], "worse") {
		t.Error(want[0]["table120"])
	}
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
		shown, total = must.Get2(d.groups(t.Context(), q))(t)
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
	groups, _ := must.Get2(dataset(t, rows).groups(t.Context(), Query{By: []string{"process", "version"}}))(t)
	g := groups[0]
	must.Equal(t, groupText(g.Key), "p\uFFFD · v\uFFFD", "key")
	if len(groups) != 1 || g.Rows != 5 || g.Traces != 4 || g.Numbers[columnIndex["longest_streak"]] != 4 || g.Sum("frames") != 145 {
		t.Errorf("%d groups, %+v", len(groups), g)
	}
	for name, want := range map[string]float64{"jank_rate": 114.0 / 140, "fps": 60, "hitch_ratio": 1, "p50_ms": 20e-6, "p95_ms": 40e-6, "p99_ms": 100e-6} {
		if x := g.Value(name); x == nil || math.Abs(*x-want) > 1e-12 {
			t.Errorf("%s: got %v, want %g", name, x, want)
		}
	}
	// The traces a to c have 0.2, 0.5 and 1, the devices 0.35 and 1.
	if want := (stats.Distribution{Count: 3, P10: 0.2, P50: 0.5, P90: 1, Max: 1}); *g.process.Pool.PerTrace != want {
		t.Errorf("traces: got %v, want %v", *g.process.Pool.PerTrace, want)
	}
	if want := (stats.Distribution{Count: 2, P10: 0.35, P50: 0.35, P90: 1, Max: 1}); *g.process.Pool.PerDevice != want {
		t.Errorf("devices: got %v, want %v", *g.process.Pool.PerDevice, want)
	}
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
		if _, _, err := dataset(t, []Row{row}).groups(t.Context(), Query{}); err == nil || !strings.Contains(err.Error(), "part-00000-of-00001.parquet: damaged") {
			t.Errorf("%v: %v", c, err)
		}
	}
}
