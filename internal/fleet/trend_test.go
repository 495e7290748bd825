package fleet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
)

// simulatedBuilds writes traces of some devices for builds 1.1, 1.2, … From the build of an index up to that
// of another, more frames are late. It returns a folder whose names have the dimensions.
func simulatedBuilds(t *testing.T, builds, devices, worse, back int) string {
	t.Helper()
	dir := t.TempDir()
	if keep := os.Getenv("OHFRAME_TREND_DIR"); keep != "" {
		dir = keep
	}
	for build := range builds {
		for device := range devices {
			c := simulate.Default()
			c.Seed, c.Duration = uint64(1000*build+device+1), trace.Second
			c.Rates, c.Kernel = []simulate.Rate{{Hz: 120}}, simulate.KernelHongMeng
			if c.Chances.AppLate = .03; build >= worse && build < back {
				c.Chances.AppLate, c.Chances.AppBlocked = .12, 1
			}
			folder := filepath.Join(dir, fmt.Sprintf("build=1.%d/revision=r%d/device=d%d", build+1, 100+build, device))
			var b bytes.Buffer
			must.Get(simulate.Write(&b, c))(t)
			must.Do(t, os.MkdirAll(folder, 0o777))
			must.Do(t, os.WriteFile(filepath.Join(folder, "a.ftrace"), b.Bytes(), 0o666))
		}
	}
	return dir
}

// trendOf returns the trend of frames over builds.
func trendOf(t *testing.T, o TrendOptions, datasets ...*Dataset) *Trend {
	t.Helper()
	trend := must.Get(NewTrend(t.Context(), datasets, o))(t)
	return trend
}

// change returns the only change of a measure in a group; nil without one.
func (t *Trend) change(test *testing.T, group int, measure string) *TrendChange {
	test.Helper()
	changes := t.Groups[group].Series[slices.Index(t.Measures, measure)].Changes
	if len(changes) > 1 {
		test.Errorf("%d changes of %s", len(changes), measure)
	}
	if len(changes) == 0 {
		return nil
	}
	return changes[0]
}

// From traces to a change that was taken back: the builds, the commits and the cause that was simulated are
// named, in all formats, and two datasets of half of the builds each give the same as one.
func TestTrendOfTraces(t *testing.T) {
	slow.SkipRace(t)
	in := simulatedBuilds(t, 13, 5, 5, 9)
	whole, halves := t.TempDir(), []string{t.TempDir(), t.TempDir()}
	inputs := find(t, in)
	run(t, &Runner{Dir: whole}, inputs, Options{Read: withCauses, Shards: 3})
	for i, half := range halves {
		run(t, &Runner{Dir: half}, slices.DeleteFunc(slices.Clone(inputs), func(in Input) bool {
			return strings.Contains(in.Name, "device=d0") == (i == 0)
		}), Options{Read: withCauses, Shards: 1})
	}
	o := TrendOptions{Query: Query{By: []string{"kind", "process"}, Process: "com.example.gallery"}, Over: "build"}
	trend := trendOf(t, o, opened(t, whole))
	c := trend.change(t, 0, "jank_rate")
	if c == nil || trend.Builds[c.At] != "1.6" || c.Verdict != "worse" || c.Commits == nil || *c.Commits != (CommitRange{"r104", "r105"}) {
		t.Fatalf("%+v", c)
	}
	if c.Back == nil || trend.Builds[c.Back.At] != "1.10" || c.Back.LastOnly || c.BackCommits == nil || *c.BackCommits != (CommitRange{"r108", "r109"}) {
		t.Fatalf("taken back: %+v", c)
	}
	if len(c.Causes) == 0 || !strings.Contains(c.Causes[0].Name, "storage") || c.Causes[0].After < 2*c.Causes[0].Before || c.Causes[0].Share < .5 {
		t.Errorf("causes: %+v", c.Causes)
	}
	two := trendOf(t, o, opened(t, halves[0]), opened(t, halves[1]))
	d := two.change(t, 0, "jank_rate")
	if d == nil || d.At != c.At || d.back() != c.back() || math.Abs(*d.New-*c.New) > 1e-12 || len(d.Causes) != len(c.Causes) {
		t.Errorf("two datasets: %+v, want %+v", d, c)
	}
	trend.Datasets[0].Dir = "dataset"
	outputs := map[string]string{}
	for _, format := range Formats {
		var b, again bytes.Buffer
		for _, out := range []*bytes.Buffer{&b, &again} {
			must.Do(t, trend.Write(out, format, text.Style{Width: 100}))
		}
		if outputs[format] = b.String(); b.String() != again.String() {
			t.Errorf("%s differs", format)
		}
	}
	for _, want := range []string{"example.gallery from build 1.6 to 1.9, taken back in 1.10", "Commits r104..r105. Taken back by r108..r109.", "taken back)", "in natural order", "storage"} {
		if !strings.Contains(strings.Join(strings.Fields(outputs["table"]), " "), want) || !strings.Contains(outputs["html"], want) {
			t.Errorf("no %q in\n%s", want, outputs["table"])
		}
	}
	var document struct {
		Values []string
		Groups []struct {
			Measures []struct {
				Measure string
				Points  []struct{ Value *float64 }
				Changes []struct {
					At, Verdict string
					Base, New   float64
					P           float64 `json:"p_value"`
					Commits     CommitRange
					Back        *struct {
						At      string
						Commits CommitRange
					} `json:"taken_back"`
					Causes []CauseChange
				}
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(outputs["json"]), &document))
	m := document.Groups[0].Measures[0]
	if len(document.Values) != 13 || m.Measure != "jank_rate" || len(m.Points) != 13 || len(m.Changes) != 1 || m.Changes[0].At != "1.6" || m.Changes[0].Back.At != "1.10" || m.Changes[0].New != *c.New || m.Changes[0].Back.Commits.After != "r109" || m.Changes[0].P > .04 {
		t.Errorf("%+v", document)
	}
	rows, err := csv.NewReader(strings.NewReader(outputs["csv"])).ReadAll()
	if err != nil || len(rows) != 1+13*len(trend.Measures) || rows[0][0] != "build" || rows[6][slices.Index(rows[0], "taken_back_at")] != "1.10" || rows[6][slices.Index(rows[0], "commit_after")] != "r105" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	b := browsertest.New(t)
	for _, width := range slow.Of([]int64{390}, []int64{390, 1280}) {
		b.Show([]byte(outputs["html"]), width, 1000, "light")
		b.Screenshot(fmt.Sprintf("trend-%d", width))
		what := fmt.Sprintf("%d pixels", width)
		b.CheckNoSidewaysScroll(what)
		b.CheckAccessible(what)
		b.CheckQuiet()
	}
}

// buildRows returns rows of traces of a process for a build: of the given jank rates, of 1000 frames.
func buildRows(build string, recorded *int64, rates ...float64) (rows []Row) {
	for i, rate := range rates {
		device := fmt.Sprint("device ", i)
		row := Row{Trace: build + device, Kind: stats.Application, Process: "a", Dims: []*string{&device, &build}, Recorded: recorded}
		row.Numbers[columnIndex["frames"]], row.Numbers[columnIndex["rated"]], row.Numbers[columnIndex["rated_late"]] = 1000, 1000, int64(math.Round(1000*rate))
		rows = append(rows, row)
	}
	return rows
}

func overVersion(measures ...string) TrendOptions {
	return TrendOptions{Query: Query{By: []string{"process"}}, Over: "version", Measures: measures}
}

// The value of a build is the mean of its devices, and its interval that of Student's t: 3.4819 for 4 %
// and 3 degrees of freedom. Versions are in order of their numbers, or of the first time.
func TestTrendPoints(t *testing.T) {
	var rows []Row
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	for i, version := range []string{"1.10", "1.9", "2.0"} {
		at := start + int64(i)
		rows = append(rows, buildRows(version, &at, .01, .02, .03, .04)...)
	}
	trend := trendOf(t, overVersion("jank_rate"), dataset(t, rows))
	if !slices.Equal(trend.Builds, []string{"1.9", "1.10", "2.0"}) || len(trend.warnings) != 1 || !strings.Contains(trend.warnings[0], "--order recorded") {
		t.Errorf("%q, %q", trend.Builds, trend.warnings)
	}
	p, margin := trend.Groups[0].Series[0].Points[0], 3.4819*math.Sqrt(5./3/4)/100
	if p.Units != 4 || math.Abs(*p.Value-.025) > 1e-12 || math.Abs(*p.Low-max(0, .025-margin)) > 1e-6 || math.Abs(*p.High-.025-margin) > 1e-6 {
		t.Errorf("%+v", p)
	}
	must.Equal(t, trend.summary(), "Nothing was tested: 3 versions known, a change needs 4.")
	o := overVersion("jank_rate")
	o.Order = ByTime
	if trend := trendOf(t, o, dataset(t, rows)); !slices.Equal(trend.Builds, []string{"1.10", "1.9", "2.0"}) || len(trend.warnings) != 0 {
		t.Errorf("%q, %q", trend.Builds, trend.warnings)
	}
	o.Over = recordedDay
	if trend := trendOf(t, o, dataset(t, rows)); !slices.Equal(trend.Builds, []string{"2026-11-01"}) || trend.summary() != "Nothing was tested: 1 day known, a change needs 4." {
		t.Errorf("%q, %s", trend.Builds, trend.summary())
	}
}

// Builds with too few devices are shown, and are not tested. A build without frames, equal values and an
// unknown build are no error.
func TestTrendOfFew(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	around := func(rate float64, n int) (list []float64) {
		for range n {
			list = append(list, rate+.01*r.Float64())
		}
		return list
	}
	var rows []Row
	for i := range 12 {
		switch rate := .02 + .08*float64(i/7); i {
		case 7: // the first that is worse has 2 devices
			rows = append(rows, buildRows("7", nil, around(rate, 2)...)...)
		default:
			rows = append(rows, buildRows(fmt.Sprint(i), nil, around(rate, 6)...)...)
		}
	}
	unknown := buildRows("", nil, .5, .5)
	for i := range unknown {
		unknown[i].Dims[1] = nil
	}
	trend := trendOf(t, overVersion(), dataset(t, append(rows, unknown...)))
	c := trend.change(t, 0, "jank_rate")
	points := trend.Groups[0].Series[0].Points
	if c == nil || trend.Builds[c.At] != "8" || points[7].Tested || points[7].Value == nil || points[7].Units != 2 || !points[8].Tested {
		t.Errorf("%+v, %+v", c, points[7])
	}
	if len(trend.warnings) != 1 || trend.warnings[0] != "2 rows without a version left out" {
		t.Errorf("%q", trend.warnings)
	}
	rows = nil
	for i := range 12 {
		rows = append(rows, buildRows(fmt.Sprint(i), nil, .1)...)
		rows[i].Numbers[columnIndex["rated"]] *= int64(i % 2) // half of the builds without a known value
	}
	for _, rows := range [][]Row{rows, buildRows("1", nil, .1), nil, unknown} {
		trend := trendOf(t, overVersion(), dataset(t, rows))
		for _, format := range Formats {
			must.NoError(t, trend.Write(&bytes.Buffer{}, format, text.Style{Width: 80}), "%s", format)
		}
		if strings.Contains(trend.summary(), "1 change") {
			t.Error(trend.summary())
		}
	}
	for _, test := range []struct {
		o    TrendOptions
		want string
	}{
		{TrendOptions{Over: "colour"}, `no dimension "colour"`},
		{TrendOptions{Over: "process"}, "--over process: not a dimension whose values follow each other"},
		{overVersion("speed"), `no measure "speed" of processes`},
		{TrendOptions{Over: "version", Query: Query{By: []string{"scene", "layer"}}}, "groups are of interactions or of layers"},
	} {
		if _, err := NewTrend(t.Context(), []*Dataset{dataset(t, nil)}, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %s", test.o, err, test.want)
		}
	}
}

// A change of what devices are used for is no change of a scene: scenes are tested each by itself, and a
// warning names the mix if processes are tested.
func TestTrendLikeWithLike(t *testing.T) {
	var rows []Row
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 12 {
		build := fmt.Sprint(i)
		for device := range 6 {
			name := fmt.Sprint("device ", device)
			for k := range 10 {
				row := Row{Trace: build + name, Kind: "scene", Process: "a", Dims: []*string{&name, &build}, Interaction: int64(k), Scene: "fling"}
				response := int64((50 + r.Float64()) * 1e6)
				if launches := 2 + i/6*6; k < launches { // 2 of 10, then 8
					row.Scene, row.Kind, response = "cold", "launch", response*10
				}
				row.Response = &response
				row.Numbers[columnIndex["frames"]], row.Numbers[columnIndex["rated"]] = 100, 100
				rows = append(rows, row)
			}
			frames := buildRows(build, nil, .02+.06*float64(i/6)+.01*r.Float64())[0]
			frames.Dims = []*string{&name, &build}
			rows = append(rows, frames)
		}
	}
	d := dataset(t, rows)
	trend := trendOf(t, TrendOptions{Query: Query{By: []string{"scene"}}, Over: "version", Measures: []string{"response_p50_ms"}}, d)
	if !slices.Equal(trend.By, []string{"scene", "process", "page"}) || len(trend.Groups) != 2 {
		t.Fatalf("%q, %d groups", trend.By, len(trend.Groups))
	}
	for i := range trend.Groups {
		if c := trend.change(t, i, "response_p50_ms"); c != nil {
			t.Errorf("%s: %+v", groupText(trend.Groups[i].Key), c)
		}
	}
	frames := trendOf(t, overVersion("jank_rate"), d)
	if c := frames.change(t, 0, "jank_rate"); c == nil || c.At != 6 || len(frames.warnings) != 1 || !strings.HasPrefix(frames.warnings[0], "with version 6 the mix of scenes differs: cold 20.0 % → 80.0 %") {
		t.Errorf("%+v, %q", c, frames.warnings)
	}
}
