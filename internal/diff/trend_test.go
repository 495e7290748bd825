package diff

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ohframe/analyzer/stats"
	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
)

// answered returns a run of a version on a device with flings that answered after some milliseconds.
func answered(version, device string, responses ...float64) Side {
	s := Side{Name: version + device, Stats: &stats.Report{Interactions: flings(responses...)}, Recording: Recording{Dims: map[string]string{"device": device}}}
	if version != "" {
		s.Recording.Dims["version"], s.Recording.Dims["revision"] = version, version
	}
	return s
}

// history returns runs of versions 0, 1, 2, … on some devices: the responses are those of level, and up to 1 ms more.
func history(versions, devices int, level func(version, device int) float64) (list []Side) {
	r := rand.New(rand.NewPCG(1, 2))
	for version := range versions {
		for device := range devices {
			list = append(list, answered(fmt.Sprint(version), fmt.Sprint("d", device), level(version, device)+r.Float64()))
		}
	}
	return list
}

// trendOf returns the trend of responses over versions.
func trendOf(t *testing.T, o TrendOptions, runs []Side) *Trend {
	t.Helper()
	o.Over, o.By = "version", append(o.By, "scene")
	trend := must.Get(NewTrend(o))(t)
	for _, run := range runs {
		trend.Add(run, nil)
	}
	must.Do(t, trend.Test())
	return trend
}

// series returns the only series of a measure.
func (t *Trend) series(test *testing.T, measure string) *TrendSeries {
	test.Helper()
	must.Equal(test, len(t.Groups), 1)
	i := slices.IndexFunc(t.Groups[0].Series, func(s *TrendSeries) bool { return s.Name == measure })
	return t.Groups[0].Series[i]
}

// The value of a build is the mean of its devices, which are those of their runs, and its interval that of Student's
// t: 3.4819 for 4 % and 3 degrees of freedom. Versions are in order of their numbers, or of the first time.
func TestTrendPoints(t *testing.T) {
	start := time.Date(2026, 11, 1, 23, 59, 59, 999998e3, time.UTC).UnixMicro()
	of := func(o TrendOptions) *Trend {
		trend := must.Get(NewTrend(o))(t)
		for i, version := range []string{"1.10", "1.9", "2.0"} {
			at := start + int64(i)
			for device, response := range []float64{10, 20, 30, 40} {
				name := fmt.Sprint("d", device)
				trend.Add(answered(version, name, response-1, response+2), &at) // the mean of a run is that of its flings
				again := answered(version, name, response-.5)                   // that of a device is that of its runs
				again.Name += "again"
				trend.Add(again, &at)
			}
		}
		must.Do(t, trend.Test())
		return trend
	}
	o := TrendOptions{Over: "version", By: []string{"scene"}}
	trend := of(o)
	must.Equal(t, fmt.Sprint(trend.Builds), "[1.9 1.10 2.0]")
	must.Equal(t, fmt.Sprint(trend.Warnings), "[version 1.10 was recorded before 1.9, which precedes it in natural order; commits in the dimension revision are in the order of time]")
	must.Equal(t, trend.Unit, "device")
	p, margin := trend.series(t, "response_ms").Points[0], 3.4819*math.Sqrt(500./3/4)
	if p.Units != 4 || !near(p.Value, 25) || math.Abs(*p.Low-max(0, 25-margin)) > 1e-3 || math.Abs(*p.High-25-margin) > 1e-3 {
		t.Errorf("%+v", p)
	}
	must.Equal(t, trend.summary(nil), "Nothing was tested: 3 versions known, a change needs 4.")
	o.Over = "revision"
	must.Equal(t, fmt.Sprint(of(o).Builds), "[1.10 1.9 2.0]")
	must.Equal(t, len(of(o).Warnings), 0)
	o.Over = recordedDay
	if trend := of(o); fmt.Sprint(trend.Builds) != "[2026-11-01 2026-11-02]" || trend.summary(nil) != "Nothing was tested: 2 days known, a change needs 4." {
		t.Errorf("%q", trend.Builds)
	}
	o.Unit, o.By = "trace", []string{"scene", "device"}
	if trend := of(o); len(trend.Groups) != 4 || trend.Groups[0].Series[0].Points[0].Units != 4 || trend.Groups[3].Series[0].Points[1].Units != 2 {
		t.Errorf("%+v", trend.Groups)
	}
}

// Builds with too few devices are shown, and are not tested. An unknown build is left out, and options that nothing has are
// errors that list what exists.
func TestTrendOfFew(t *testing.T) {
	runs := slices.DeleteFunc(history(12, 6, func(version, _ int) float64 { return 20 + 10*float64(version/7) }), func(s Side) bool {
		return s.Recording.Dims["version"] == "7" && s.Recording.Dims["device"] > "d1" // the first that is worse has 2 devices
	})
	trend := trendOf(t, TrendOptions{}, append(runs, answered("", "d0", 50), answered("", "d1", 50)))
	s := trend.series(t, "response_ms")
	if len(s.Changes) != 1 || s.Changes[0].At != "8" || s.Points[7].Tested || s.Points[7].Units != 2 || s.Points[7].Value == nil || !s.Points[8].Tested {
		t.Errorf("%+v", s)
	}
	must.Equal(t, fmt.Sprint(trend.Warnings), "[2 traces without a version left out]")
	for _, test := range []struct {
		o    TrendOptions
		want string
	}{
		{TrendOptions{Over: "colour"}, `no input has the dimension "colour"`},
		{TrendOptions{Over: "version", By: []string{"colour"}}, `no input has the dimension "colour"`},
		{TrendOptions{Over: "version", Unit: "colour"}, `no input has the dimension "colour"`},
		{TrendOptions{Over: "process"}, "--over process: not a dimension whose values follow each other"},
		{TrendOptions{Over: "version", By: []string{"scene", "layer"}}, "groups are of interactions or of layers"},
		{TrendOptions{Over: "version", By: []string{"scene"}, Process: func(*stats.Process) bool { return false }}, "no process"},
	} {
		trend, err := NewTrend(test.o)
		if err == nil {
			trend.Add(runs[0], nil)
			err = trend.Test()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %s", test.o, err, test.want)
		}
	}
}

// Two processes, and other scenes, are other groups: a change of what devices are used for is no change of a scene. Pages
// count if all builds know them.
func TestTrendLikeWithLike(t *testing.T) {
	runs := history(12, 6, func(int, int) float64 { return 50 })
	for i := range runs {
		s := runs[i].Stats
		if i >= len(runs)/2 { // launches are slow, and there are more of them later
			s.Interactions = append(s.Interactions, launch("com.example.gallery", "cold", 500), launch("com.example.gallery", "cold", 500))
		}
		s.Interactions = append(s.Interactions, launch("com.example.gallery", "cold", 500), fling("", 50), cut(fling("", 900)))
	}
	trend := trendOf(t, TrendOptions{}, runs)
	must.Equal(t, len(trend.Groups), 3)
	for _, g := range trend.Groups {
		for _, s := range g.Series {
			must.Equal(t, len(s.Changes), 0, "%s of %s", s.Name, trend.groupText(g))
		}
	}
	runs[0].Stats.Interactions[0].Page = nil // version 0 knows pages of other runs
	must.Equal(t, len(trendOf(t, TrendOptions{}, runs).Groups), 3)
	for _, run := range runs[:6] {
		for _, i := range run.Stats.Interactions {
			i.Page = nil
		}
	}
	must.Equal(t, len(trendOf(t, TrendOptions{}, runs).Groups), 2)
}

// A warning says if values of another dimension are not as frequent after a change.
func TestTrendMixes(t *testing.T) {
	runs := history(12, 10, func(version, _ int) float64 { return 20 + 10*float64(version/6) })
	for i, run := range runs {
		run.Recording.Dims["device"] = fmt.Sprint(i) // each build has others
		if run.Recording.Dims["model"] = "phone"; i%10 < 2 || i >= 60 && i%10 < 8 {
			run.Recording.Dims["model"] = "tablet"
		}
	}
	trend := trendOf(t, TrendOptions{}, runs)
	must.Equal(t, trend.series(t, "response_ms").Changes[0].At, "6")
	must.Equal(t, fmt.Sprint(trend.Warnings), "[From version 6 on: The mix of model differs: phone 80.0 % → 20.0 %, tablet 20.0 % → 80.0 %: --where model=VALUE compares one value]")
}

// Of more than 256 units of a build, those with the lowest hashes are measured: the same ones in all builds. The order of runs is of no account.
func TestTrendOfMany(t *testing.T) {
	runs := history(4, 300, func(version, device int) float64 { return float64(100*version + device) })
	trend := trendOf(t, TrendOptions{}, runs)
	points := trend.series(t, "response_ms").Points
	for i, p := range points {
		if must.Equal(t, p.Units, trendUnits); math.Abs(*p.Value-*points[0].Value-100*float64(i)) > 1 {
			t.Errorf("%+v", p)
		}
	}
	slices.Reverse(runs)
	var outputs [2]bytes.Buffer
	for i, trend := range []*Trend{trend, trendOf(t, TrendOptions{}, runs)} {
		must.Do(t, trend.Write(&outputs[i], "json", WriteOptions{}))
	}
	must.Equal(t, outputs[1].String(), outputs[0].String())
}

// The page of a history fits narrow and wide windows.
func TestTrendPage(t *testing.T) {
	trend := trendOf(t, TrendOptions{}, history(12, 6, func(version, _ int) float64 {
		if version >= 4 && version < 8 {
			return 80
		}
		return 50
	}))
	var page bytes.Buffer
	must.Do(t, trend.Write(&page, "html", WriteOptions{}))
	b := browsertest.New(t)
	for _, width := range slow.Of([]int64{390}, []int64{390, 1280}) {
		b.Show(page.Bytes(), width, 1000, "light")
		b.Screenshot(fmt.Sprintf("trend-%d", width))
		what := fmt.Sprintf("%d pixels", width)
		b.CheckNoSidewaysScroll(what)
		b.CheckAccessible(what)
		b.CheckQuiet()
	}
	var table bytes.Buffer
	must.Do(t, trend.Write(&table, "table", WriteOptions{Style: text.Style{Width: 100}}))
	if !strings.HasPrefix(strings.Join(strings.Fields(table.String()), " "), "com.example.gallery, APP_LIST_FLING on pages/Index is worse from version 4 to 7, taken back in 8: response 50.") {
		t.Error(table.String())
	}
}

// testdata/api/trend.md has the fields of JSON. "make docs" writes them.
func TestTrendSchema(t *testing.T) {
	schematest.Document(t, "../../testdata/api/trend.md", reflect.TypeFor[Trend](), nil, "")
}
