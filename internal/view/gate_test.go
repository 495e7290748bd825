package view

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/quality"
	"ohframe/internal/text"
)

// evil has all that a format would interpret.
const evil = "a<b>&\"'|`*_[x](y)@someone #1 %0A::error::\x1b[2J\u202e\x00\xff,:\r\n- x ]]>"

func hostile() *Document {
	bad := &quality.Quality{Verdict: stats.Unreliable, Reasons: []stats.Reason{{Code: "lines", Verdict: stats.Unreliable, Text: evil}}}
	limited := &quality.Quality{Verdict: stats.Limited, Reasons: []stats.Reason{{Code: "lines", Verdict: stats.Limited, Text: "a few lines"}}}
	d := &Document{Title: evil, Gate: Gate{Inputs: []Input{{Name: evil, Quality: bad}, {Name: "limited", Quality: limited}, {Name: "b"}, {Name: evil, Skipped: evil}}, Measures: measures(evil, evil), Verdict: evil}}
	for _, s := range []condition.Status{condition.Failed, condition.Passed, condition.Unknown} {
		d.Gate.Checks = append(d.Gate.Checks, condition.Check{Input: evil, Process: evil, Condition: evil, Status: s, Text: evil, File: evil, Line: 3})
	}
	d.Gate.Checks = append(d.Gate.Checks, condition.Check{Process: "gallery", Condition: "fps<5", Status: condition.Unknown, Text: "unknown"})
	return d
}

// measures is a table of one process.
func measures(process, fps string) *Table {
	return &Table{Columns: []Column{{Title: "Process"}, {Title: "FPS", Number: true}}, Rows: []Row{{Cells: []Cell{{Text: process}, {Text: fps}}}}}
}

func write(t *testing.T, d *Document, format string) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, d, format, text.Style{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// junitCounted is what a reader of JUnit's XML sees.
type junitCounted struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
	Suites   []struct {
		Name  string `xml:"name,attr"`
		Cases []struct {
			Class   string    `xml:"classname,attr"`
			Name    string    `xml:"name,attr"`
			Line    int       `xml:"line,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// The XML is well-formed, and its counts are those of the test cases.
func TestJUnit(t *testing.T) {
	for _, c := range []struct {
		allow, strict             bool
		failures, errors, skipped int
	}{{false, false, 1, 3, 0}, {true, false, 1, 0, 3}, {false, true, 2, 3, 0}} {
		d := hostile()
		d.Gate.AllowMissing, d.Gate.Strict = c.allow, c.strict
		out := write(t, d, "junit")
		for d := xml.NewDecoder(strings.NewReader(out)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, out)
			}
		}
		var got junitCounted
		if err := xml.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		tests, failures, errors, skipped := 0, 0, 0, 0
		for _, s := range got.Suites {
			for _, c := range s.Cases {
				tests++
				if c.Failure != nil {
					failures++
				}
				if c.Error != nil {
					errors++
				}
				if c.Skipped != nil {
					skipped++
				}
			}
		}
		if tests != 7 || got.Tests != 7 || failures != c.failures || got.Failures != c.failures ||
			errors != c.errors || got.Errors != c.errors || skipped != c.skipped || got.Skipped != c.skipped {
			t.Errorf("%+v: %d tests, %d failures, %d errors, %d skipped, stated %+v", c, tests, failures, errors, skipped, got)
		}
		if strings.ContainsAny(out, "\x1b\u202e\x00") {
			t.Error("control characters in the output")
		}
		if got.Suites[0].Cases[1].Line != 3 {
			t.Error("a condition has no line")
		}
	}
}

// Every line is one workflow command, and a name cannot start another.
func TestGitHub(t *testing.T) {
	for _, c := range []struct {
		allow, strict bool
		want          string
	}{
		{false, false, "warning notice error error error error notice"},
		{true, false, "warning notice warning error warning warning notice"},
		{true, true, "error notice error error warning warning notice"},
	} {
		d := hostile()
		d.Gate.AllowMissing, d.Gate.Strict = c.allow, c.strict
		var levels []string
		for _, line := range strings.Split(strings.TrimSuffix(write(t, d, "github"), "\n"), "\n") {
			m := regexp.MustCompile(`^::(error|warning|notice) (?:file=[^:,]+,line=(\d+),)?title=[^:,]+::(.*)$`).FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("not a workflow command: %q", line)
			}
			levels = append(levels, m[1])
			if m[2] != "" {
				if n, _ := strconv.Atoi(m[2]); n != 3 {
					t.Errorf("line %s", m[2])
				}
			}
			if strings.Contains(m[3], "%0A") || strings.Contains(m[3], "%0D") {
				t.Errorf("a name makes another line: %q", line)
			}
		}
		if got := strings.Join(levels, " "); got != c.want {
			t.Errorf("%+v: %s, want %s", c, got, c.want)
		}
	}
}

// The verdict is first, then what failed. Names are text, not Markdown.
func TestMarkdown(t *testing.T) {
	d := &Document{Title: "a → b", Gate: Gate{
		Verdict: "1 measure worse, 0 measures better", Measures: measures("a|b", "60"),
		Checks: []condition.Check{{Process: "gallery", Condition: "fps<55", Status: condition.Failed, Text: "50.00"}, {Process: "notes", Condition: "fps<55", Status: condition.Passed, Text: "60.00"}},
	}}
	want := "### a → b\n\n1 measure worse, 0 measures better; 1 of 2 checks failed.\n\n- ❌ **gallery: fps&lt;55**: 50.00\n\n| Process | FPS |\n|---|---:|\n| a\\|b | 60 |\n"
	if got := write(t, d, "markdown"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// The data quality is there if it is good, too.
	clock, other := "DoComposition", "ReceiveVsync now"
	d.Gate.Inputs = []Input{{Name: "a", Quality: &quality.Quality{Verdict: stats.Good, ClockSource: &clock}}, {Name: "b"}}
	if got := write(t, d, "markdown"); !strings.Contains(got, "checks failed.\n\nData quality: good, clock offset from DoComposition.\n\n- ❌") {
		t.Errorf("no data quality: %s", got)
	}
	d.Gate.Inputs[0].Quality.Reasons = []stats.Reason{{Code: "no_freq", Verdict: stats.Good, Text: "no frequencies"}}
	if got := write(t, d, "markdown"); !strings.Contains(got, "\n\nData quality: good, clock offset from DoComposition.\n\n- ❌") {
		t.Errorf("a reason that leaves the quality good is a warning: %s", got)
	}
	d.Gate.Inputs[1].Quality = &quality.Quality{Verdict: stats.Good, ClockSource: &other}
	if got := write(t, d, "markdown"); !strings.Contains(got, "\nData quality: good.\n") {
		t.Errorf("no data quality of two: %s", got)
	}
	out := write(t, hostile(), "markdown")
	for _, bad := range []string{"<", "`b`", "](", "@someone", "\x1b", "\n- x"} {
		if strings.Contains(regexp.MustCompile("\\\\[`\\]]").ReplaceAllString(out, ""), bad) {
			t.Errorf("%q in\n%s", bad, out)
		}
	}
	table := out[strings.Index(out, "\n| Process"):]
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		if n := len(regexp.MustCompile(`(?:^|[^\\])\|`).FindAllString(line, -1)); n != 3 {
			t.Errorf("%d columns in %q", n-1, line)
		}
	}
}

// Without anything to check, the result says so.
func TestNothingChecked(t *testing.T) {
	for _, format := range GateFormats {
		if out := write(t, &Document{Title: "a"}, format); out == "" || format != "junit" && !strings.Contains(strings.ToLower(out), "nothing was checked") {
			t.Errorf("%s: %q", format, out)
		}
	}
	if err := Write(io.Discard, &Document{}, "pdf", text.Style{}); err == nil {
		t.Error("a format that does not exist")
	}
}
