//go:build unix

package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"ohframe/internal/testing/must"
)

// Every format of report and diff has the same numbers of checks, the same verdict and exit code, and the
// texts of those that failed or are unknown. Package view tests what else is in a format.
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
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.Do(t, os.WriteFile(name, []byte(content), 0o644))
	}
	for _, args := range []string{
		"report new --budgets budgets.txt", "report new --budgets budgets.txt --strict",
		"diff base -- later --fail-on-any --budgets budgets.txt", "diff base -- later --fail-on-any --budgets budgets.txt --allow-missing",
	} {
		t.Run(args, func(t *testing.T) { compareFormats(t, strings.Fields(args)) })
	}
}

// traceOfFlings returns the text of testdata/flings.ftrace.gz.
func traceOfFlings(t *testing.T) string {
	t.Helper()
	f := must.Get(os.Open(flings))(t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	var b strings.Builder
	must.Get(z.WriteTo(&b))(t)
	return b.String()
}

var flings, _ = filepath.Abs("../../testdata/flings.ftrace.gz")

// compareFormats runs a command with each format.
func compareFormats(t *testing.T, args []string) {
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
	decode(t, out, &doc)
	count := map[string]int{}
	for _, c := range doc.FailOn {
		count[c.Status]++
		if found := strings.Contains(stderr, ": "+c.Condition+": "+c.Text+"\n"); found == (c.Status == "passed") {
			t.Errorf("standard error: %v: %t\n%s", c, found, stderr)
		}
	}
	if len(doc.Skipped) != 1 || count["failed"] < 2 || count["passed"] == 0 || count["unknown"] == 0 {
		t.Fatalf("the example has no failure, unknown value or skipped input: %v, %v", count, doc.Skipped)
	}
	failures, errors := count["failed"], count["unknown"]+len(doc.Skipped)
	if slices.Contains(args, "--allow-missing") {
		errors = 0
	}
	verdict := fmt.Sprintf("%d of %d checks failed, %d cannot be checked; 1 input skipped", failures, len(doc.FailOn), count["unknown"])
	for format, want := range map[string]string{
		"junit":    fmt.Sprintf(`failures="%d" errors="%d" time`, failures, errors),
		"markdown": verdict,
	} {
		out, _ := output(format)
		if !strings.Contains(out, want) {
			t.Errorf("%s: no %q in\n%s", format, want, out)
		}
		for _, c := range doc.FailOn {
			if c.Status != "passed" && format == "junit" && !strings.Contains(html.UnescapeString(out), c.Condition+": "+c.Text) {
				t.Errorf("%s: no %v in\n%s", format, c, out)
			}
		}
	}
}
