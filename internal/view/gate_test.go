package view

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/quality"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

// evil has all that a format would interpret.
const evil = "a<b>&\"'|`*_[x](y)@someone #1 %0A::error::\x1b[2J\u202e\x00\xff,:\r\n- x ]]>"

func hostile() *Document {
	bad := &quality.Quality{Verdict: stats.Unreliable, Reasons: []stats.Reason{{Code: "lines", Verdict: stats.Unreliable, Text: evil}}}
	limited := &quality.Quality{Verdict: stats.Limited, Reasons: []stats.Reason{{Code: "lines", Verdict: stats.Limited, Text: "a few lines"}}}
	d := &Document{Title: evil, Gate: GateReport{Gate: condition.Gate{Bad: []condition.BadInput{{Name: evil, Text: evil}}}, Inputs: []Input{{Name: evil, Quality: bad}, {Name: "limited", Quality: limited}, {Name: "b"}, {Name: evil, Skipped: evil}}, Tables: []Table{*measures(evil, evil)}, Verdict: evil}}
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
	must.Do(t, Write(&b, d, format, text.Style{}))
	return b.String()
}

// junitCounted is what a reader of JUnit's XML sees.
type junitCounted struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Name    string `xml:"name,attr"`
		Skipped int    `xml:"skipped,attr"`
		Cases   []struct {
			Class   string    `xml:"classname,attr"`
			Name    string    `xml:"name,attr"`
			Failure *string   `xml:"failure"`
			Error   *string   `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// The rules on which the strict schemas agree: junit-10.xsd of Jenkins' xUnit plugin and that of
// Surefire. By element: attributes that it must have, those that it may have, and elements that
// it may contain, in this order.
var junitRules = map[string]struct{ required, optional, children string }{
	"testsuites": {"", "name time tests failures errors", "testsuite"},
	"testsuite":  {"name tests failures errors skipped time", "", "testcase"},
	"testcase":   {"name classname time", "", "failure skipped error system-out"},
	"failure":    {"type", "message", ""},
	"error":      {"type", "message", ""},
	"skipped":    {"", "message", ""},
	"system-out": {},
}

var surefireTime = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{0,3})?$`)

// checkJUnit checks XML by junitRules.
func checkJUnit(t *testing.T, out string) {
	t.Helper()
	type open struct {
		name string
		next int // the first child that may follow
	}
	stack := []open{{name: "document"}}
	for d := xml.NewDecoder(strings.NewReader(out)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, out)
		}
		switch e := token.(type) {
		case xml.StartElement:
			rule, known := junitRules[e.Name.Local]
			parent := &stack[len(stack)-1]
			children := strings.Fields(junitRules[parent.name].children)
			if parent.name == "document" {
				children = []string{"testsuites"}
			}
			at := slices.Index(children, e.Name.Local)
			if !known || at < parent.next {
				t.Errorf("element %s in %s, or in a wrong order", e.Name.Local, parent.name)
			}
			if parent.next = at; at < 3 && parent.name == "testcase" {
				parent.next = 3 // one result
			}
			missing := strings.Fields(rule.required)
			for _, a := range e.Attr {
				missing = slices.DeleteFunc(missing, func(name string) bool { return name == a.Name.Local })
				if !slices.Contains(strings.Fields(rule.required+" "+rule.optional), a.Name.Local) {
					t.Errorf("attribute %s of %s", a.Name.Local, e.Name.Local)
				}
				if a.Value == "" || a.Name.Local == "time" && !surefireTime.MatchString(a.Value) {
					t.Errorf("attribute %s of %s: %q", a.Name.Local, e.Name.Local, a.Value)
				}
			}
			if len(missing) > 0 {
				t.Errorf("%s without %v", e.Name.Local, missing)
			}
			stack = append(stack, open{name: e.Name.Local})
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
}

// The XML is well-formed, and its counts are those of the test cases.
func TestJUnit(t *testing.T) {
	for _, c := range []struct {
		checks, strict                   bool
		tests, failures, errors, skipped int
	}{{true, false, 7, 1, 3, 0}, {false, false, 3, 0, 0, 1}, {true, true, 7, 1, 4, 0}, {false, true, 3, 0, 2, 0}} {
		d := hostile()
		if d.Gate.Strict = c.strict; !c.checks {
			d.Gate.Checks = nil
		}
		out := write(t, d, "junit")
		checkJUnit(t, out)
		var got junitCounted
		must.Do(t, xml.Unmarshal([]byte(out), &got))
		tests, failures, errors, skipped, stated := 0, 0, 0, 0, 0
		for _, s := range got.Suites {
			stated += s.Skipped
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
		if tests != c.tests || got.Tests != c.tests || failures != c.failures || got.Failures != c.failures ||
			errors != c.errors || got.Errors != c.errors || skipped != c.skipped || stated != c.skipped {
			t.Errorf("%+v: %d tests, %d failures, %d errors, %d skipped, stated %+v", c, tests, failures, errors, skipped, got)
		}
		if strings.ContainsAny(out, "\x1b\u202e\x00") {
			t.Error("control characters in the output")
		}
		if !c.checks {
			continue
		}
		if failure := got.Suites[0].Cases[2].Failure; failure == nil || !strings.HasSuffix(*failure, ":3)") {
			t.Errorf("a condition has no line: %v", failure)
		}
	}
}

// Each run of a condition is a row: GitLab shows the class and the name, Jenkins groups by class.
func TestJUnitRows(t *testing.T) {
	d := &Document{Title: "Frame report"}
	for _, in := range []string{"new/2.ftrace", "new/3.ftrace", "new/4.ftrace"} {
		d.Gate.Inputs = append(d.Gate.Inputs, Input{Name: in})
		d.Gate.Checks = append(d.Gate.Checks, condition.Check{Input: in, Process: "gallery", Condition: "fps<40", Status: condition.Failed, Text: "39.0 Hz", File: "b.txt", Line: 2})
	}
	d.Gate.Checks = append(d.Gate.Checks, condition.Check{Input: "new/4.ftrace", Condition: "complete frames", Status: condition.Unknown, Text: "none"}, condition.Check{Condition: "fps<1", Status: condition.Passed})
	out := write(t, d, "junit")
	checkJUnit(t, out)
	var got junitCounted
	must.Do(t, xml.Unmarshal([]byte(out), &got))
	var rows []string
	for _, s := range got.Suites {
		for _, c := range s.Cases {
			rows = append(rows, c.Class+"|"+c.Name)
		}
	}
	want := "new/2.ftrace|gallery: fps<40 new/3.ftrace|gallery: fps<40 new/4.ftrace|gallery: fps<40 new/4.ftrace|complete frames Frame report|fps<1"
	must.Equal(t, strings.Join(rows, " "), want)
	if text := got.Suites[1].Cases[0].Failure; text == nil || *text != "new/3.ftrace: gallery: fps<40: 39.0 Hz (b.txt:2)" {
		t.Errorf("failure: %v", text)
	}
}

// A condition has one row for all runs: the worst of them. What failed is first, and there are not too many.
func TestMarkdownRows(t *testing.T) {
	check := func(in, process, status, text string, excess float64) condition.Check {
		return condition.Check{Input: in, Process: process, Condition: "jank_rate>30%", Status: condition.Status(status), Text: text, Excess: excess, Undecided: status == "passed" && excess > 0}
	}
	g := GateReport{Gate: condition.Gate{Checks: []condition.Check{
		check("1", "p", "passed", "1 %", -29), check("2", "p", "passed", "29 %", -1), check("", "u", "unknown", "why", 0), check("", "c", "passed", "+9 % (may be chance)", 4),
		check("1", "f", "failed", "31 %", 1), check("2", "f", "failed", "41 %", 11), check("3", "f", "passed", "2 %", -28),
	}}}
	var got []string
	for _, r := range g.table().Rows {
		got = append(got, r.Cells[0].Text+" | "+r.Cells[1].Text)
	}
	must.EqualSlices(t, got, []string{
		"❌ f: jank_rate>30% | 2 of 3 runs failed, the worst 2: 41 %", "⚠️ u: jank_rate>30% | why", "ℹ️ c: jank_rate>30% | +9 % (may be chance)",
		"✅ p: jank_rate>30% | 2 of 2 runs passed, the worst 2: 29 %",
	})
	for i := range 30 {
		g.Checks = append(g.Checks, check("", strconv.Itoa(i), "passed", "0 %", -30))
	}
	if table := g.table(); len(table.Rows) != maxChecks || table.More == "" {
		t.Errorf("%d rows, %q", len(table.Rows), table.More)
	}
}

// Pages and terminals say what is undecided, terminals the worst first, and not too many.
func TestConditions(t *testing.T) {
	check := func(process, status, text string, excess float64) condition.Check {
		return condition.Check{Process: process, Condition: "jank_rate>30%", Status: condition.Status(status), Text: text, Excess: excess, Undecided: status == "passed" && excess > 0}
	}
	undecided := GateReport{Gate: condition.Gate{Checks: []condition.Check{check("a", "passed", "+9 %", 4), check("b", "passed", "0 %", 0)}}}
	must.Equal(t, undecided.summary(), "2 checks, none failed, 1 undecided")
	page := write(t, &Document{Gate: undecided}, "html")
	if !strings.Contains(page, "<summary>1 condition passed</summary><ul><li>b: jank_<wbr>rate&gt;30%: 0 %</ul>") || !strings.Contains(page, "<h2>1 condition undecided</h2><ul><li>a: jank_<wbr>rate&gt;30%: +9 %</ul>") {
		t.Error("a page does not list what is undecided")
	}
	g := GateReport{Gate: condition.Gate{Checks: []condition.Check{check("a", "passed", "0 %", -30), check("b", "passed", "+9 %", 4), check("c", "unknown", "why", 0), check("d", "failed", "+50 %", 45)}}}
	const listed = "Conditions: 1 of 4 checks failed, 1 cannot be checked, 1 undecided\n\n  failed     d: jank_rate>30%: +50 %\n  unknown    c: jank_rate>30%: why\n  undecided  b: jank_rate>30%: +9 %\n  passed     a: jank_rate>30%: 0 %\n\n"
	must.Equal(t, write(t, &Document{Gate: g}, "table"), listed)
	g.Checks = append(slices.Repeat(g.Checks[:1], maxChecks), g.Checks[3])
	if got := write(t, &Document{Gate: g}, "table"); !strings.HasPrefix(got, "Conditions: 1 of 21 checks failed\n\n  failed     d") || strings.Count(got, "passed") != maxChecks-1 || !strings.HasSuffix(got, "\n  … and 1 more; --format json lists all\n\n") {
		t.Errorf("got\n%s", got)
	}
}

// The verdict is first, then what limits it. Names are text, not Markdown.
func TestMarkdown(t *testing.T) {
	d := &Document{Title: "a → b", Gate: GateReport{
		Verdict: "1 measure worse, 0 measures better", Tables: []Table{*measures("a|b", "60")}, Warnings: []string{"other days"},
		Inputs: []Input{{Name: "limited", Quality: &quality.Quality{Verdict: stats.Limited, Reasons: []stats.Reason{{Code: "lines", Verdict: stats.Limited, Text: "few"}}}}, {Name: "good", Quality: &quality.Quality{Verdict: stats.Good}}},
		Gate:   condition.Gate{Checks: []condition.Check{{Process: "gallery", Condition: "fps<55", Status: condition.Failed, Text: "50.00", File: "b.txt", Line: 3}}},
	}}
	const table = "\n\n| Condition | Result |\n|---|---|\n| ❌ gallery: fps&lt;55 (b.txt:3) | 50.00 |\n\n| Process | FPS |\n|---|---:|\n| a\\|b | 60 |\n"
	must.Equal(t, write(t, d, "markdown"), "### a → b\n\n❌ 1 measure worse, 0 measures better; 1 of 1 check failed.\n\n- other days\n- Data quality of limited: limited: few"+table)
	out := write(t, hostile(), "markdown")
	for _, bad := range []string{"<", "`b`", "](", "@someone", "\x1b", "\n- x"} {
		must.Lack(t, regexp.MustCompile("\\\\[`\\]]").ReplaceAllString(out, ""), bad)
	}
	for _, line := range strings.Split(strings.TrimSpace(out[strings.Index(out, "\n| Process"):]), "\n") {
		if n := len(regexp.MustCompile(`(?:^|[^\\])\|`).FindAllString(line, -1)); n != 3 {
			t.Errorf("%d columns in %q", n-1, line)
		}
	}
}

// The mark is that of the exit code, and what cannot be told is in words.
func TestMarkdownMark(t *testing.T) {
	of := func(list ...condition.Status) (checks []condition.Check) {
		for _, s := range list {
			checks = append(checks, condition.Check{Status: s})
		}
		return checks
	}
	for _, x := range []struct {
		GateReport
		want string
	}{
		{GateReport{Gate: condition.Gate{Checks: of(condition.Passed, condition.Failed, condition.Unknown)}}, "❌ 1 of 3 checks failed, 1 cannot be checked."},
		{GateReport{Gate: condition.Gate{Checks: of(condition.Passed, condition.Unknown)}}, "⚠️ Cannot tell: 2 checks, none failed, 1 cannot be checked."},
		{GateReport{Gate: condition.Gate{Checks: of(condition.Passed)}}, "✅ 1 check, none failed."},
		{GateReport{Gate: condition.Gate{Strict: true, Total: 3, Skipped: 1}}, "⚠️ Cannot tell: 1 of 3 inputs skipped."},
		{GateReport{Gate: condition.Gate{Total: 3, Skipped: 1}}, "Nothing was checked; 1 of 3 inputs skipped."},
		{GateReport{Error: "no file"}, "❌ Nothing was checked."},
	} {
		if out := write(t, &Document{Title: "a", Gate: x.GateReport}, "markdown"); !strings.HasPrefix(out, "### a\n\n"+x.want+"\n") {
			t.Errorf("got\n%s, want %s", out, x.want)
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
	d := &Document{Title: "Frame report", Gate: GateReport{Error: "new/*.ftrace: no file matches", Gate: condition.Gate{Strict: true}}}
	for format, want := range map[string]string{
		"markdown": "\n\n❌ Nothing was checked.\n\n- new/\\*.ftrace: no file matches\n",
		"junit":    `<testcase classname="Frame report" name="inputs" time="0">` + "\n   <error message=",
	} {
		if out := write(t, d, format); !strings.Contains(out, want) {
			t.Errorf("an error: got %s, want %s", out, want)
		}
	}
	if err := Write(io.Discard, &Document{}, "pdf", text.Style{}); err == nil {
		t.Error("a format that does not exist")
	}
}

// Names in the summary and in each list of conditions can be broken after their parts, too.
func TestSoftConditions(t *testing.T) {
	d := &Document{Answer: text.Answer{Summary: "com.example: late"}}
	for i, s := range []condition.Status{condition.Failed, condition.Unknown, condition.Passed, condition.Passed} {
		d.Gate.Checks = append(d.Gate.Checks, condition.Check{Process: "com.example", Condition: "p95_ms>1", Status: s, Undecided: i == 3})
	}
	page := write(t, d, "html")
	must.Equal(t, strings.Count(page, "<li>com.<wbr>example: p95_<wbr>ms&gt;1: "), 4, "conditions")
	must.Equal(t, strings.Count(page, ">com.<wbr>example: late</p>"), 1, "summaries")
}
