package diff

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/ci"
)

// Conditions with a sign are on changes, others on values. Each has its line.
func TestBudgetFile(t *testing.T) {
	f, err := ParseBudgetFile("b.yaml", []byte(`# Limits of the release.
all: jank_rate>5%, jank_rate>+2pp
processes:
  gall*:
    - fps<55,fps < -5%
    - p95_ms>12
  "1027": [hitch_ratio>10]
`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range f.Budgets {
		got = append(got, fmt.Sprintf("%s:%d %s %s", b.Source.File, b.Source.Line, b.Source.Pattern, b.text))
	}
	for _, c := range f.Changes {
		got = append(got, fmt.Sprintf("%s:%d %s %s", c.Source.File, c.Source.Line, c.Source.Pattern, c))
	}
	want := []string{
		"b.yaml:2  jank_rate>5%", "b.yaml:5 gall* fps<55", "b.yaml:6 gall* p95_ms>12", "b.yaml:7 1027 hitch_ratio>10",
		"b.yaml:2  jank_rate>+2pp", "b.yaml:5 gall* fps<-5%",
	}
	if !slices.Equal(got, want) {
		t.Errorf("conditions\n%q, want\n%q", got, want)
	}
}

// A typo is an error with its line, never a budget that is not checked.
func TestBudgetFileErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"all: [jank_rat>5%]", `line 1: "jank_rat>5%": unknown measure "jank_rat"; did you mean jank_rate?`},
		{"all: fps<5\nproceses: {}", `line 2: unknown key "proceses": expected all or processes`},
		{"all:\n  - fps<5\n  - fps>x", `line 3: "fps>x": expected a number after fps>`},
		{"all: jank_rate>5", `line 1: "jank_rate>5": jank_rate is a share, 0 to 1: write 5% for percent`},
		{"all: fps<5,", `line 1: "": expected the name of a measure`},
		{"all: {fps: 5}", "line 1: expected conditions such as jank_rate>5%"},
		{"all: 5", "line 1: expected conditions such as jank_rate>5%"},
		{"all:", "line 1: expected conditions such as jank_rate>5%"},
		{"processes: [a]", "line 1: expected keys and values"},
		{"processes:\n  a: fps<5\n  '[': fps<5", `line 3: "[" is no pattern such as com.example.* and no process id`},
		{"processes: {'': fps<5}", "line 1: the name of the process is empty"},
		{"all: fps<5\nall: fps<6", `line 2: mapping key "all" already defined at [1:1]`},
		{"- fps<5", "line 1: expected keys and values"},
		{"all: &x fps<5", "line 1: expected conditions such as jank_rate>5%"},
		{"all: fps<5\n---\nall: fps<6", "more than one YAML document"},
		{"", "no budgets"},
		{"# all: fps<5", "no budgets"},
		{"all: []", "no budgets"},
		{"{", "line 1: could not find flow mapping end token '}'"},
	} {
		f, err := ParseBudgetFile("b.yaml", []byte(c.text))
		if e := (*Error)(nil); !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("%q: %+v, %v, want %s", c.text, f, err, c.want)
		}
	}
}

func FuzzBudgetFile(f *testing.F) {
	f.Add("all: jank_rate>5%, jank_rate>+2pp\nprocesses:\n  a*:\n    - fps<55\n  b: [p95_ms>12]\n")
	f.Add("all: &x fps<5\n<<: *x\n---\n? [a]\n: |\n  b\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := ParseBudgetFile("b.yaml", []byte(text))
		if e := (*Error)(nil); err != nil && !errors.As(err, &e) {
			t.Errorf("%T: %v", err, err)
		}
		if err == nil && len(file.Budgets)+len(file.Changes) == 0 {
			t.Error("neither budgets nor an error")
		}
	})
}

// A budget for one process is not checked for others, and is unknown if no process of
// the trace matches, selected or not.
func TestBudgetsOfProcesses(t *testing.T) {
	f, err := ParseBudgetFile("b.yaml", []byte("processes:\n  gallery: fps<100.5\n  camera: fps<10\n  render*: fps<10"))
	if err != nil {
		t.Fatal(err)
	}
	side := before()
	all := []*analyzer.Process{{PID: 1, Name: "gallery"}, {PID: 2, Name: "render_service"}}
	check := func(r []ci.Check, want ...string) {
		t.Helper()
		var got []string
		for _, c := range r {
			got = append(got, fmt.Sprintf("%s %s %d", c, c.Status, c.Line))
		}
		if !slices.Equal(got, want) {
			t.Errorf("checks %q, want %q", got, want)
		}
	}
	check(CheckBudgets(f.Budgets, "", side.Stats, all),
		"gallery: fps<100.5: 100.00 failed 2", "render_service: fps<10: 100.00 passed 4", "camera: fps<10: no process with frames matches; the trace has gallery, render_service unknown 3")
	only := *side.Stats
	only.Processes = only.Processes[:1]
	check(CheckBudgets(f.Budgets, "a", &only, all), "a: gallery: fps<100.5: 100.00 failed 2", "a: camera: fps<10: no process with frames matches; the trace has gallery, render_service unknown 3")
	only.Processes = nil
	check(CheckBudgets(f.Budgets, "a", &only, all), "a: complete frames: none in the selected processes unknown 0")
	check(CheckBudgets(f.Budgets, "a", &only, nil), "a: complete frames: none unknown 0")
}

// Conditions of diff apply to the processes that they name, and cannot be checked for a
// process that is missing, in the new trace or in both.
func TestChangesOfProcesses(t *testing.T) {
	f, err := ParseBudgetFile("b.yaml", []byte("processes:\n  gallery: jank_rate>+2pp\n  camera: fps<-1%"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := Compare(before(), before(), Options{FailOn: f.Changes, Any: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range d.Outcomes {
		got = append(got, fmt.Sprintf("%s %s", o, o.Status))
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "gallery: jank_rate>+2pp: ") || got[1] != "camera: fps<-1%: no process with frames matches; the trace has gallery, render_service unknown" {
		t.Errorf("outcomes %q", got)
	}
	for _, format := range Formats {
		var b strings.Builder
		if err := Write(&b, d, format, WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		if out := b.String(); format != "table" && !strings.Contains(out, "camera") || strings.Contains(out, "NaN") {
			t.Errorf("%s: no word about camera, or NaN:\n%s", format, out)
		}
	}
}
