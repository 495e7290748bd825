//go:build unix

package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// gateCheck is a result of a condition. Each format has the same ones.
type gateCheck struct{ title, status, text string }

// Every format of report and diff has the same checks with the same texts, and the same verdict.
func TestFormatsAgree(t *testing.T) {
	t.Chdir(t.TempDir())
	trace := traceOfFlings(t)
	deadline := regexp.MustCompile(` expectedEnd: [0-9]+`)
	files := map[string]string{
		"base/1.ftrace": trace, "base/2.ftrace": trace, "new/1.ftrace": trace,
		"new/2.ftrace": deadline.ReplaceAllString(trace, ""), // the jank rate is unknown
		"new/3.ftrace": "", "later/1.ftrace": deadline.ReplaceAllString(trace, ""), "later/2.ftrace": "",
		"budgets.txt": "com.example.gallery: jank_rate>1%, fps<1000, frames<1\nfling.hitch>0, p95_ms>1\nnobody: fps<1\n" +
			"fps>-1%, jank_rate>-1pp, late_frames>+1\n\ncom.example.gallery: fling.hitch>-1\n",
	}
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, about string }{
		{"report new --budgets budgets.txt", ""},
		{"report new --budgets budgets.txt --strict", ""},
		{"diff base -- later --fail-on-any --budgets budgets.txt", "base → later/1.ftrace"},
		{"diff base -- later --fail-on-any --budgets budgets.txt --allow-missing", "base → later/1.ftrace"},
	} {
		t.Run(c.args, func(t *testing.T) { compareFormats(t, strings.Fields(c.args), c.about) })
	}
}

// traceOfFlings returns the text of testdata/flings.ftrace.gz.
func traceOfFlings(t *testing.T) string {
	t.Helper()
	f, err := os.Open(flings)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := z.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var flings, _ = filepath.Abs("../../testdata/flings.ftrace.gz")

// compareFormats runs a command with each format. about is the class of test cases that are about
// no single input.
func compareFormats(t *testing.T, args []string, about string) {
	output := func(format string) (out, warnings string) {
		cmd := exec.Command("ohframe", append(slices.Clone(args), "--format", format)...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		b, err := cmd.Output()
		if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 2 {
			t.Fatalf("%s: %v\n%s", format, err, stderr.String())
		}
		return string(b), stderr.String()
	}

	var doc struct {
		FailOn  []struct{ Condition, Status, Text string } `json:"fail_on"`
		Skipped []struct{ Input, Error string }
	}
	out, stderr := output("json")
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	var checks []gateCheck
	for _, c := range doc.FailOn {
		count[c.Status]++
		checks = append(checks, gateCheck{c.Condition, c.Status, c.Text})
	}
	if len(doc.Skipped) != 1 || count["failed"] < 2 || count["passed"] == 0 || count["unknown"] == 0 {
		t.Fatalf("the example has no failure, unknown value or skipped input: %v, %v", count, doc.Skipped)
	}

	// Standard error has what failed and what cannot be checked.
	allowed := slices.Contains(args, "--allow-missing")
	var lines []string
	for _, line := range strings.Split(stderr, "\n") {
		if allowed && strings.HasPrefix(line, "ohframe: warning: ") {
			line = strings.Replace(line, "warning: ", "", 1)
		}
		if !strings.Contains(line, "warning: ") && !strings.HasPrefix(line, "hint: ") && !strings.HasSuffix(line, "skipped") && line != "" {
			lines = append(lines, strings.TrimPrefix(line, "ohframe: "))
		}
	}
	for _, c := range checks {
		end := ": " + c.title + ": " + c.text
		if found := slices.ContainsFunc(lines, func(s string) bool { return strings.HasSuffix(s, end) }); found == (c.status == "passed") {
			t.Errorf("standard error: %v: %t", c, found)
		}
	}
	if want := count["failed"] + count["unknown"] + len(doc.Skipped); len(lines) != want {
		t.Errorf("standard error has %d lines, want %d:\n%s", len(lines), want, strings.Join(lines, "\n"))
	}

	verdict := fmt.Sprintf("%d of %d checks failed, %d cannot be checked; 1 input skipped", count["failed"], len(checks), count["unknown"])
	junit, _ := output("junit")
	if got := junitChecks(t, junit, about); !sameChecks(got, checks) {
		t.Errorf("JUnit: got %v, want %v", got, checks)
	}
	errors := count["unknown"] + len(doc.Skipped)
	if allowed {
		errors = 0
	}
	if want := fmt.Sprintf(`failures="%d" errors="%d" time`, count["failed"], errors); !strings.Contains(junit, want) {
		t.Errorf("JUnit: %.200s, want %s", junit, want)
	}

	// GitHub and Markdown have the verdict first, and the same findings.
	github, _ := output("github")
	var findings []string
	for i, line := range strings.Split(strings.TrimSpace(github), "\n") {
		m := regexp.MustCompile(`^::(error|warning|notice) (?:file=budgets.txt,line=([0-9]+),)?title=([^:]*)::(.*)$`).FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("GitHub: %q", line)
		}
		title, _ := url.PathUnescape(m[3])
		text, _ := url.PathUnescape(m[4])
		if i == 0 {
			if !strings.HasSuffix(text, verdict) {
				t.Errorf("GitHub: %s, want %s", text, verdict)
			}
			verdict = text
			continue
		}
		findings = append(findings, strings.TrimPrefix(title+": "+text, "ohframe: "))
		if m[2] == "" {
			continue // of an input
		}
		// "failed in 2 of 3 runs, worst in …": as many as in JSON, and the text is of one of them.
		condition := title[strings.LastIndex(title, " ")+1:]
		var of []gateCheck
		for _, c := range checks {
			if c.title == condition && c.status != "passed" && strings.Contains(text, c.text) {
				of = append(of, c)
			}
		}
		if len(of) == 0 {
			t.Errorf("GitHub: %s: %s is not in %v", condition, text, checks)
		}
		for status, verb := range map[string]string{"failed": "failed", "unknown": "cannot be checked"} {
			total := 0
			for _, m := range regexp.MustCompile(verb+` in (\d+) of `).FindAllStringSubmatch(text, -1) {
				fmt.Sscan(m[1], &total)
			}
			n := 0
			for _, c := range checks {
				if c.title == condition && c.status == status {
					n++
				}
			}
			if total > 0 && total > n {
				t.Errorf("GitHub: %s: %s, but %d %s", condition, text, n, status)
			}
		}
	}
	markdown, _ := output("markdown")
	markdown = regexp.MustCompile(`\\([\\*_{}\[\]#|~`+"`"+`])`).ReplaceAllString(markdown, "$1")
	markdown = strings.NewReplacer("&lt;", "<", "&amp;", "&").Replace(markdown)
	if !strings.Contains(strings.ToLower(strings.SplitN(markdown, "\n", 4)[2]), strings.ToLower(verdict)) {
		t.Errorf("Markdown: no verdict %q:\n%s", verdict, markdown)
	}
	var bullets []string
	for _, m := range regexp.MustCompile(`(?m)^- (\S+) (?:\*\*(.*?)\*\*(?: \(budgets.txt:\d+\))?: )?(.*)$`).FindAllStringSubmatch(markdown, -1) {
		if m[1] != "✅" {
			bullets = append(bullets, strings.TrimPrefix(m[2]+": ", ": ")+m[3])
		} else if !slices.ContainsFunc(checks, func(c gateCheck) bool {
			return c.status == "passed" && strings.HasSuffix(m[2], c.title) && c.text == m[3]
		}) {
			t.Errorf("Markdown: %s: %s is not a passed one of %v", m[2], m[3], checks)
		}
	}
	if !slices.Equal(bullets, findings) {
		t.Errorf("Markdown: got\n%s\nGitHub:\n%s", strings.Join(bullets, "\n"), strings.Join(findings, "\n"))
	}
}

// junitChecks returns the checks of JUnit's XML.
func junitChecks(t *testing.T, s, about string) (list []gateCheck) {
	t.Helper()
	var doc struct {
		Suites []struct {
			Cases []struct {
				Class   string  `xml:"classname,attr"`
				Name    string  `xml:"name,attr"`
				Failure *string `xml:"failure"`
				Error   *string `xml:"error"`
				Skipped *string `xml:"skipped"`
				Output  *string `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(s), &doc); err != nil {
		t.Fatal(err)
	}
	for _, suite := range doc.Suites {
		for _, c := range suite.Cases {
			if c.Name == "data quality" {
				continue
			}
			if about != "" && c.Class != about {
				t.Errorf("class %q, want %q", c.Class, about)
			}
			check := gateCheck{title: c.Name[strings.LastIndex(c.Name, " ")+1:]}
			text := c.Output
			check.status = "passed"
			switch {
			case c.Failure != nil:
				check.status, text = "failed", c.Failure
			case c.Error != nil:
				check.status, text = "unknown", c.Error
			case c.Skipped != nil:
				check.status, text = "unknown", c.Skipped
			}
			check.text = *text
			if check.status != "passed" { // "input: process: condition: text (file:line)"
				rest, found := strings.CutPrefix(*text, c.Class+": "+c.Name+": ")
				at := strings.LastIndex(rest, " (budgets.txt:")
				if !found || at < 0 {
					t.Fatalf("JUnit: %q", *text)
				}
				check.text = rest[:at]
			}
			list = append(list, check)
		}
	}
	return list
}

// sameChecks reports whether two lists are equal but for their order.
func sameChecks(a, b []gateCheck) bool {
	order := func(a, b gateCheck) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	return slices.Equal(slices.SortedFunc(slices.Values(a), order), slices.SortedFunc(slices.Values(b), order))
}
