package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/brief"
	"ohframe/internal/locate"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
	"ohframe/internal/testing/simulate"
)

// evidenceDocument is what the tests read of a document.
type evidenceDocument struct {
	Answer    string
	Against   []string
	Processes []struct {
		Verdict   string
		New       struct{ Name string }
		Measures  []*Measure
		Unchanged []string
		Causes    *struct {
			Causes []struct{ Title, Slice, Verdict string } `json:"by_cause"`
		}
		Frames []struct {
			Title, Input, Cause, Why, Open string
			Vsync                          int64 `json:"vsync_id"`
		}
		Why     string
		LeftOut map[string]int `json:"left_out"`
	}
	Interactions, Layers []struct {
		Name, Counts, Verdict, Why string
		Measures                   []*Measure
	}
	FailOn  []documentOutcome `json:"fail_on"`
	Record  []brief.Record
	LeftOut map[string]int `json:"left_out"`
}

func written(t *testing.T, d *Diff) (out string, e evidenceDocument) {
	t.Helper()
	out = write(t, d, brief.Format, WriteOptions{})
	if len(out) > brief.MaxBytes {
		t.Errorf("%d bytes", len(out))
	}
	if again := write(t, d, brief.Format, WriteOptions{}); again != out {
		t.Error("two documents differ")
	}
	must.Do(t, json.Unmarshal([]byte(out), &e))
	return out, e
}

// runsOf returns a side of generated runs, and the late frames of each.
func runsOf(t *testing.T, name string, cause simulate.Cause, n int) (s Side, late []map[int64]bool) {
	t.Helper()
	var runs []Side
	for i := range n {
		var text bytes.Buffer
		truth := must.Get((simulate.Scene{Kernel: simulate.KernelHongMeng, Cause: cause, Seed: uint64(i)}).Generate(&text))(t)
		result := must.Get(analysis.Run(t.Context(), &text, hitrace.Options{}, analysis.FrameOptions{}, analysis.Options{Causes: true}))(t)
		file := fmt.Sprintf("%s of %d/a.ftrace", name, i)
		run := Side{Name: file, Stats: stats.Compute(result.Timeline, stats.Options{Compare: true}), Commands: locate.NewCommands(file, result.Timeline)}
		run.Costs = NewCosts(run.Stats, result.Timeline, result.Causes, run.Commands)
		frames := map[int64]bool{}
		for _, c := range truth.Causes {
			frames[c.Vsync] = c.Late
		}
		runs, late = append(runs, run), append(late, frames)
	}
	return Join(name, runs), late
}

// The document says what became worse, what time was lost to, and which frame of which run shows it.
func TestEvidence(t *testing.T) {
	base, _ := runsOf(t, "base", simulate.CauseNone, 5)
	new, late := runsOf(t, "new", simulate.CauseStorageD, 5)
	const slice = "waiting for storage in FlushLayoutTask"
	for verdict, d := range map[string]*Diff{"worse": compare(t, base, new, Options{}), "better": compare(t, new, base, Options{})} {
		out, e := written(t, d)
		p := e.Processes[0]
		if !strings.HasPrefix(e.Answer, fmt.Sprintf("example.gallery is %s: jank rate ", verdict)) || !strings.Contains(e.Answer, slice) || p.Verdict != verdict || p.New.Name != "example.gallery" {
			t.Errorf("%s: %s", verdict, e.Answer)
		}
		if other := e.Processes[1]; other.Verdict != "unclear" || len(other.Measures) > 0 || !slices.Contains(other.Unchanged, "jank_rate") || len(other.Frames) > 0 {
			t.Errorf("%s: %+v", verdict, other)
		}
		m := p.Measures[0]
		if m.Name != "jank_rate" || m.P == nil || m.Detectable == nil || p.Causes.Causes[0].Title != slice || p.Causes.Causes[0].Verdict != verdict {
			t.Errorf("%s: %+v, %+v", verdict, m, p.Causes)
		}
		f := p.Frames[0]
		run := slices.IndexFunc(new.runNames(), func(name string) bool { return name == f.Input })
		if f.Title != slice || run < 0 || !late[run][f.Vsync] || !strings.Contains(f.Cause, "for storage") {
			t.Errorf("%s: %+v", verdict, f)
		}
		file := fmt.Sprintf(" -- 'new of %d/a.ftrace'", run)
		if want := fmt.Sprintf("--process 20170 --frame %d%s", f.Vsync, file); f.Why != "ohframe why --format evidence "+want || f.Open != "ohframe open "+want {
			t.Errorf("%s: %s; %s", verdict, f.Why, f.Open)
		}
		if want := "ohframe why --format evidence --process 20170 -- 'new of "; !strings.HasPrefix(p.Why, want) {
			t.Errorf("%s: %s", verdict, p.Why)
		}
		for _, none := range []string{"null", `:[]`, `:""`} {
			must.Lack(t, strings.ReplaceAll(out, `"pid":`, ""), none, "%s", verdict)
		}
	}
}

// One run each is not tested: the document says so, has the values, and how to record runs.
func TestEvidenceOfOneRunEach(t *testing.T) {
	rename := func(s Side) Side {
		for _, p := range s.Stats.Processes {
			if p.Kind == stats.Application {
				p.Name = "com.example.photos"
			}
		}
		return s
	}
	_, e := written(t, compare(t, rename(costly("base", 10)), rename(costlyFrames("new", 30, 7)), Options{}))
	if !strings.HasPrefix(e.Answer, "com.example.photos: lost time 11.0 → 31.0 ms/s, duration P95 5.0 → 7.0 ms; one run each, so not tested; the largest change of com.example.photos, which may be chance, is waiting for storage in FlushLayoutTask, 10.0 → 30.0 ms/s") {
		t.Error(e.Answer)
	}
	if p := e.Processes[0]; p.Verdict != "" || len(p.Measures) == 0 || p.Measures[0].P != nil || p.Measures[0].Delta == nil {
		t.Errorf("%+v", p)
	}
	if len(e.Against) == 0 || !strings.HasPrefix(e.Against[0], "Not tested: 1 run and 1") || len(e.Record) != 1 || e.Record[0].Command != "ohframe record -t 10 --runs 6 --app com.example.photos" {
		t.Errorf("%q, %+v", e.Against, e.Record)
	}
}

// Interactions and layers have the command that explains the worst one of new.
func TestEvidenceOfParts(t *testing.T) {
	side := func(name string, response float64, late func(int) bool) Side {
		var runs []Side
		for i := range 5 {
			s := played(fmt.Sprint(name, i), surface("player", "video", 60, 5, late, nil))
			s.Stats.Interactions = flings(response, response+float64(i), response-float64(i))
			for k, f := range s.Stats.Interactions {
				f.ID = 10*i + k
			}
			s.Commands = locate.NewCommands(s.Name, nil)
			runs = append(runs, s)
		}
		return Join(name, runs)
	}
	d := compare(t, side("base", 80, nil), side("new", 180, func(i int) bool { return i%6 == 0 }), Options{FailOn: conditions(t, "fling.response_ms>+200, fling.response_ms>+20")})
	_, e := written(t, d)
	if len(e.Interactions) != 1 || e.Interactions[0].Verdict != "worse" || e.Interactions[0].Measures[0].Name != "response_ms" || e.Interactions[0].Why != "ohframe why --interaction 41 --format evidence -- new4" {
		t.Errorf("%+v", e.Interactions)
	}
	if len(e.Layers) != 1 || e.Layers[0].Verdict != "worse" || e.Layers[0].Why != "ohframe why --format evidence --layer 1 -- new0" {
		t.Errorf("%+v", e.Layers)
	}
	if len(e.FailOn) != 2 || e.FailOn[0].Status != "failed" || e.FailOn[0].Condition != "fling.response_ms>+20" || e.FailOn[1].Status != "passed" {
		t.Errorf("%+v", e.FailOn)
	}
}

// A document has at most brief.MaxBytes bytes, whatever the names are, and what became worse.
func TestEvidenceFits(t *testing.T) {
	for _, filler := range []string{"a", `"\`, "\x00", "\xff", "🙂"} {
		names := 0
		long := func(n int) string { return fmt.Sprint(n) + strings.Repeat(filler, 500/len(filler)) }
		side := func(longer int) Side {
			var runs []Side
			for run := range 3 {
				s := &scene{}
				for k := range 30 {
					app := s.process(trace.PID(100+k), long(k))
					for i := range 40 {
						s.frame(analyzer.ApplicationFrame, app, 1000+20*i, 5+longer*(i%2))
					}
				}
				of := withCosts(s.side(long(run)), float64(10*longer))
				for _, k := range of.Costs {
					for n := range 20 {
						key := cause{wait: why.WaitIO, slice: long(n)}
						k.causes[key] = trace.Duration(1+longer*n) * trace.Millisecond
						k.times[cause{wait: why.WaitIO, stage: why.Stage(n % 5)}] = trace.Duration(1+longer*n) * trace.Millisecond
						k.examples = map[cause]example{key: {frame: evidenceFrame{Cause: brief.Sentence(long(n)), Why: brief.Command(long(n))}}}
					}
				}
				for n := range 20 {
					f := fling(long(n), float64(80+longer*10))
					f.Process, f.Scene = long(n), long(n)
					of.Stats.Interactions = append(of.Stats.Interactions, f)
				}
				runs = append(runs, of)
			}
			names++
			return Join(long(names), runs)
		}
		out, e := written(t, compare(t, side(0), side(8), Options{FailOn: conditions(t, "jank_rate>+1pp, p95_ms>+1")}))
		if len(e.Processes) == 0 || len(e.Processes[0].Measures) == 0 || e.Processes[0].Verdict != "worse" || len(e.Processes)+e.LeftOut["processes"] != 30 || len(e.FailOn)+e.LeftOut["fail_on"] != 60 ||
			len(e.Interactions)+e.LeftOut["interactions"] != 20 {
			t.Errorf("%q: %.300s; left out %v", filler, out, e.LeftOut)
		}
	}
}

// testdata/api/diff-evidence.md has the fields of the document that JSON does not have. "make docs" writes them.
func TestEvidenceSchema(t *testing.T) {
	schematest.Document(t, "../../testdata/api/diff-evidence.md", reflect.TypeFor[evidence](), nil, "", reflect.TypeFor[documentTest](), reflect.TypeFor[documentOutcome](),
		reflect.TypeFor[documentProcess](), reflect.TypeFor[CauseChanges](), reflect.TypeFor[functionChange](), reflect.TypeFor[Measure]())
}
