package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/diff"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// From traces to a change that was taken back: the builds, the commits and the cause that was simulated are named, in
// all formats. Datasets of the traces, and datasets with traces, give the same bytes.
func TestTrend(t *testing.T) {
	slow.SkipRace(t)
	t.Chdir(t.TempDir())
	const builds, devices, worse, back = 13, 5, 5, 9
	for build := range builds {
		for device := range devices {
			c := simulate.Default()
			c.Seed, c.Duration = uint64(1000*build+device+1), trace.Second
			c.Rates, c.Kernel = []simulate.Rate{{Hz: 120}}, simulate.KernelHongMeng
			if c.Chances.AppLate = .03; build >= worse && build < back {
				c.Chances.AppLate, c.Chances.AppBlocked = .12, 1
			}
			folder := fmt.Sprintf("lab/device=d%d/build=1.%d/revision=r%d", device, build+1, 100+build)
			var b bytes.Buffer
			must.Get(simulate.Write(&b, c))(t)
			must.Do(t, os.MkdirAll(folder, 0o777))
			must.Do(t, os.WriteFile(filepath.Join(folder, "a.ftrace"), b.Bytes(), 0o666))
		}
	}
	do := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := ohframeHere(t, args...)
		if code != 0 {
			t.Fatalf("%q: %s", args, stderr)
		}
		return stdout
	}
	do("fleet", "run", "lab", "-o", "all", "--shards", "3")
	do("fleet", "run", "lab/device=d0", "lab/device=d1", "-o", "some", "--shards", "1")
	// Folders are read with those below them wherever traces are measured together.
	for _, command := range []string{"report --by build --format csv", "why --by build"} {
		args := strings.Fields(command)
		if got, want := do(append(args, "lab")...), do(append(args, "all")...); got != want {
			t.Errorf("%s: %s", command, firstDifference(got, want))
		}
	}
	options := []string{"--over revision --by scene,device --unit trace", "--over build", "--over build --by layer --unit session --no-causes", "--over recorded_day --where device=d[1-4]"}
	for _, options := range slow.Of(options[:1], options) {
		of := func(inputs ...string) string {
			return do(slices.Concat([]string{"report", "--format", "json"}, inputs, strings.Fields(options))...)
		}
		want := of("lab")
		for _, inputs := range [][]string{{"all"}, {"some", "lab/device=d4", "lab/device=d2", "lab/device=d3"}} {
			if got := of(inputs...); got != want {
				t.Errorf("%q of %q: %s", options, inputs, firstDifference(got, want))
			}
		}
	}
	outputs := map[string]string{}
	for _, format := range diff.TrendFormats {
		outputs[format] = do("report", "all", "--over", "build", "--process", "com.example.gallery", "--format", format)
	}
	for _, format := range []string{"table", "html"} {
		for _, want := range []string{"example.gallery is worse from build 1.6 to 1.9, taken back in 1.10", "Commits r104..r105; taken back by r108..r109; waiting for storage", "in natural order"} {
			if !strings.Contains(strings.Join(strings.Fields(outputs[format]), " "), want) {
				t.Errorf("no %q in the %s\n%s", want, format, outputs["table"])
			}
		}
	}
	type place struct {
		At      string
		Commits diff.TrendCommits
	}
	var document struct {
		Values []string
		Groups []struct {
			Measures []struct {
				Measure string
				Points  []struct{ Value *float64 }
				Changes []struct {
					place
					Verdict   string
					Base, New float64
					P         float64 `json:"p_value"`
					TakenBack *place  `json:"taken_back"`
					Causes    []struct {
						Title            string
						Base, New, Share float64
					}
				}
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(outputs["json"]), &document))
	m := document.Groups[0].Measures[0]
	if len(document.Groups) != 1 || len(document.Values) != builds || m.Measure != "jank_rate" || len(m.Points) != builds || len(m.Changes) != 1 {
		t.Fatalf("%+v", document)
	}
	c := m.Changes[0]
	if c.Verdict != "worse" || c.place != (place{"1.6", diff.TrendCommits{Before: "r104", After: "r105"}}) || *c.TakenBack != (place{"1.10", diff.TrendCommits{Before: "r108", After: "r109"}}) || c.P > .04 || c.New < 2*c.Base {
		t.Errorf("%+v", c)
	}
	if cause := c.Causes[0]; !strings.Contains(cause.Title, "storage") || cause.New < 2*cause.Base || cause.Share < .5 {
		t.Errorf("%+v", cause)
	}
	rows, err := csv.NewReader(strings.NewReader(outputs["csv"])).ReadAll()
	if err != nil || len(rows) != 1+builds*len(document.Groups[0].Measures) || rows[0][0] != "build" || rows[6][slices.Index(rows[0], "taken_back_at")] != "1.10" || rows[6][slices.Index(rows[0], "commit_after")] != "r105" {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	// The values of builds are those that diff compares.
	var compared struct {
		Processes []struct {
			Measures []struct {
				Measure   string
				Base, New float64
			}
		}
	}
	must.Do(t, json.Unmarshal([]byte(do("diff", "all", "--base", "build=1.1", "--new", "build=1.6", "--process", "com.example.gallery", "--format", "json")), &compared))
	checked := 0
	for _, x := range compared.Processes[0].Measures {
		for _, m := range document.Groups[0].Measures {
			if m.Measure == x.Measure {
				checked++
				if math.Abs(*m.Points[0].Value-x.Base)+math.Abs(*m.Points[5].Value-x.New) > 1e-12*x.New {
					t.Errorf("%s: %g and %g, want %g and %g", m.Measure, *m.Points[0].Value, *m.Points[5].Value, x.Base, x.New)
				}
			}
		}
	}
	must.Equal(t, checked, len(document.Groups[0].Measures))
}
