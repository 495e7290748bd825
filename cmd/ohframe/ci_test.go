//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"ohframe/internal/testing/fakehdc"
	"ohframe/internal/testing/slow"
)

// workflow is what the test needs of a GitHub workflow.
type workflow struct {
	Jobs map[string]struct {
		Env   map[string]string `yaml:"env"`
		Steps []workflowStep    `yaml:"steps"`
	} `yaml:"jobs"`
}

type workflowStep struct {
	Name string `yaml:"name"`
	If   string `yaml:"if"`
	Uses string `yaml:"uses"`
	Run  string `yaml:"run"`
}

// The workflow of docs/ci.md works: its steps run on a fake device, first for a push, then
// for a pull request, and fail if a budget does.
func TestWorkflowOfDocument(t *testing.T) {
	slow.Skip(t)
	document, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)```(?:yaml|text)\n# ([^\n]+)\n(.*?)```").FindAllStringSubmatch(string(document), -1) {
		blocks[filepath.Base(m[1])] = m[2]
	}
	var w workflow
	if err := yaml.Unmarshal([]byte(blocks["frames.yml"]), &w); err != nil || len(w.Jobs["frames"].Steps) < 5 {
		t.Fatalf("the document has no workflow: %v", err)
	}
	program, err := fakehdc.Program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file("fake/config.json", `{"Devices": [{"Key": "FMR0224", "System": "5.1", "Seconds": 2, "Apps": [
		{"Bundle": "com.example.gallery", "Ability": "EntryAbility", "PID": 20170, "Running": false}]}]}`)
	file("budgets.txt", blocks["budgets.txt"])
	summary := file("summary.md", "")

	job := w.Jobs["frames"]
	// The fake device needs less time and fewer runs.
	job.Env["RUN_TIME"], job.Env["BASE"] = "2s", filepath.Join(dir, "frames/base")
	environment := append(os.Environ(), fakehdc.Folder+"="+filepath.Join(dir, "fake"), "HDC=", "GITHUB_STEP_SUMMARY="+summary,
		"PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	for name, value := range job.Env {
		environment = append(environment, name+"="+value)
	}
	// run runs the steps as GitHub does: in bash, until one fails; afterwards those of
	// always(). It returns the outputs, and the name of the step that failed.
	run := func(event string) (outputs map[string]string, failed string) {
		outputs = map[string]string{}
		for _, step := range job.Steps {
			wanted := map[string]bool{
				"": failed == "", "always()": true,
				"github.event_name == 'push'": failed == "" && event == "push", "github.event_name == 'pull_request'": failed == "" && event == "pull_request",
			}
			yes, known := wanted[step.If]
			if !known {
				t.Fatalf("the condition %q is not known to this test", step.If)
			}
			if step.Run == "" || !yes {
				continue
			}
			cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", strings.Replace(step.Run, "--runs 6", "--runs 4", 1))
			cmd.Dir, cmd.Env = dir, environment
			out, err := cmd.CombinedOutput()
			outputs[step.Name] = string(out)
			if err != nil && failed == "" {
				failed = step.Name
				t.Logf("%s: %v\n%s", step.Name, err, out)
			}
		}
		return outputs, failed
	}

	// Before the first push there is no base.
	outputs, failed := run("pull_request")
	if out := outputs["Compare with main"]; failed != "" || !strings.HasPrefix(out, "::warning::no base yet") {
		t.Fatalf("a pull request without a base fails: %s\n%s", failed, out)
	}
	outputs, failed = run("push")
	if failed != "" {
		t.Fatalf("a push fails: %s", failed)
	}
	if out := outputs["Check budgets"]; !strings.Contains(out, "::notice title=ohframe::") || strings.Contains(out, "::error") {
		t.Errorf("check of the budgets:\n%s", out)
	}
	if _, failed = run("pull_request"); failed != "" {
		t.Fatalf("a pull request fails: %s", failed)
	}
	markdown, err := os.ReadFile(summary)
	if err != nil || !strings.HasPrefix(string(markdown), "### ") || !strings.Contains(string(markdown), "checks, none failed") {
		t.Errorf("summary: %v\n%s", err, markdown)
	}
	if xml, err := os.ReadFile(filepath.Join(dir, "frames.xml")); err != nil || !strings.Contains(string(xml), `<testcase classname="new/2.ftrace" name="com.example.gallery: p95_ms&gt;40" time="0"`) {
		t.Errorf("frames.xml: %v\n%s", err, xml)
	}

	file("budgets.txt", strings.Replace(blocks["budgets.txt"], "fps<40", "fps<400", 1))
	if outputs, failed = run("pull_request"); failed != "Check budgets" || !strings.Contains(outputs["Check budgets"], "::error file=budgets.txt,line=2,title=") {
		t.Errorf("with a budget that nothing meets: step %q failed\n%s", failed, outputs["Check budgets"])
	}
	if info, err := os.Stat(filepath.Join(dir, "frames.html")); err != nil || info.Size() == 0 {
		t.Error("no reports after a failure")
	}
}
