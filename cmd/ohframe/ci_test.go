//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"ohframe/internal/testing/fakehdc"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// workflow is what the test needs of a GitHub workflow.
type workflow struct {
	Jobs map[string]struct {
		Env   map[string]string `yaml:"env"`
		Steps []struct {
			Name string `yaml:"name"`
			If   string `yaml:"if"`
			Uses string `yaml:"uses"`
			Run  string `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// pipeline is what the test needs of a GitLab pipeline.
type pipeline map[string]struct {
	Variables   map[string]string `yaml:"variables"`
	Script      []string          `yaml:"script"`
	AfterScript []string          `yaml:"after_script"`
	Artifacts   struct {
		When    string `yaml:"when"`
		Reports struct {
			JUnit []string `yaml:"junit"`
		} `yaml:"reports"`
	} `yaml:"artifacts"`
}

// recipes runs the recipes of docs/ci.md in a folder, with a fake device.
type recipes struct {
	*testing.T
	dir    string
	blocks map[string]string // by the name of the file, or the heading
	env    []string
}

func newRecipes(t *testing.T) *recipes {
	t.Helper()
	slow.Skip(t)
	t.Parallel()
	document := must.Get(os.ReadFile("../../docs/ci.md"))(t)
	r := &recipes{T: t, dir: t.TempDir(), blocks: map[string]string{}}
	for _, m := range regexp.MustCompile("(?s)```(?:yaml|text)\n# ([^\n]+)\n(.*?)```").FindAllStringSubmatch(string(document), -1) {
		r.blocks[filepath.Base(m[1])] = m[2]
	}
	if _, after, found := strings.Cut(string(document), "## A stored base\n"); found {
		r.blocks["stored"] = regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(after)[1]
	}
	program := must.Get(fakehdc.Program())(t)
	world := t.TempDir()
	c := phone("5.1")
	c.Devices[0].Seconds = 2
	fakehdc.Write(t, world, c)
	t.Cleanup(func() { fakehdc.Stop(t, world) })
	r.write("budgets.txt", r.blocks["budgets.txt"])
	r.write("swipe.sh", "#!/bin/sh\nwhile sleep 0.1; do :; done\n")
	writeHap(t, filepath.Join(r.dir, "new.hap"), gallery.Bundle, "2.0")
	r.env = append(os.Environ(), fakehdc.Folder+"="+world, "HDC=", "HOME="+world, "GITHUB_STEP_SUMMARY="+filepath.Join(r.dir, "summary.md"),
		"PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	return r
}

func (r *recipes) write(name, content string) {
	r.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o755); err != nil {
		r.Fatal(err)
	}
}

// read returns a file, empty if it does not exist.
func (r *recipes) read(name string) string {
	content, _ := os.ReadFile(filepath.Join(r.dir, name))
	return string(content)
}

// set sets the variables of a recipe. The fake device needs less time and fewer runs.
func (r *recipes) set(variables map[string]string) {
	r.Helper()
	const runs = "--runs 6 -t 10 "
	if !strings.HasPrefix(variables["RUNS"], runs) {
		r.Fatalf("RUNS is %q", variables["RUNS"])
	}
	variables["RUNS"] = strings.Replace(variables["RUNS"], runs, "--runs 2 -t 0.1 ", 1)
	variables["STORE"] = filepath.Join(r.dir, "store of frames")
	for name, value := range variables {
		r.env = append(r.env, name+"="+value)
	}
}

// bash runs a script as runners do, until a command fails.
func (r *recipes) bash(script string, env ...string) (output string, err error) {
	cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = r.dir, append(slices.Clone(r.env), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// tighten makes the budgets fail: that of a value, and a change cannot be checked.
func (r *recipes) tighten() {
	r.write("budgets.txt", strings.Replace(r.blocks["budgets.txt"], "fps<40", "fps<400", 1)+"com.example.gallery: APP_LIST_FLING.fps<-1%\n")
}

// The workflow for GitHub: a pull request without a base, a push, which stores one, and a pull
// request that is compared. If a budget fails, the comparison is made, too.
func TestGitHubRecipe(t *testing.T) {
	r := newRecipes(t)
	var w workflow
	if err := yaml.Unmarshal([]byte(r.blocks["frames.yml"]), &w); err != nil || len(w.Jobs["frames"].Steps) < 6 {
		t.Fatalf("the document has no workflow: %v", err)
	}
	job := w.Jobs["frames"]
	r.set(job.Env)
	// run runs the steps as GitHub does. It returns the outputs, and the steps that failed.
	run := func(event string, without ...string) (outputs map[string]string, failed string) {
		outputs = map[string]string{}
		var list []string
		for _, step := range job.Steps {
			wanted := map[string]bool{"": len(list) == 0, "always()": true, "always() && github.event_name == 'push'": event == "push"}
			yes, known := wanted[step.If]
			if !known {
				t.Fatalf("the condition %q is not known to this test", step.If)
			}
			if step.Uses == "actions/upload-artifact@v4" && step.If != "always()" {
				t.Error("nothing is uploaded after a failure")
			}
			if step.Run == "" || !yes || slices.Contains(without, step.Name) {
				continue
			}
			out, err := r.bash(step.Run)
			if outputs[step.Name] = out; err != nil {
				list = append(list, step.Name)
				t.Logf("%s: %v\n%s", step.Name, err, out)
			}
		}
		return outputs, strings.Join(list, ", ")
	}
	outputs, failed := run("pull_request")
	if out := outputs["Compare with main"]; failed != "" || !strings.HasPrefix(out, "::notice::no base yet") {
		t.Fatalf("a pull request without a base fails: %s\n%s", failed, outputs)
	}
	if _, failed := run("push", "Record"); failed != "" {
		t.Fatalf("a push fails: %s", failed)
	}
	_, failed = run("pull_request")
	if failed != "" {
		t.Fatalf("a pull request fails: %s", failed)
	}
	for _, heading := range []string{"### Frame report\n\n✅ ", "### out/base → out/new – frame comparison\n"} {
		if !strings.Contains(r.read("summary.md"), heading) {
			t.Errorf("the summary has no %q:\n%s", heading, r.read("summary.md"))
		}
	}
	if r.read("out/report.html") == "" || r.read("out/diff.html") == "" {
		t.Error("no pages")
	}
	r.tighten()
	outputs, failed = run("pull_request", "Record")
	if failed != "Check budgets, Compare with main" || !strings.Contains(outputs["Check budgets"], "com.example.gallery: fps<400: ") ||
		!strings.Contains(r.read("summary.md"), "| ❌ com.example.gallery: fps&lt;400 (budgets.txt:2) |") {
		t.Errorf("with budgets that nothing meets: %s failed\n%s", failed, outputs)
	}
}

// The pipeline for GitLab: the same.
func TestGitLabRecipe(t *testing.T) {
	r := newRecipes(t)
	var p pipeline
	if err := yaml.Unmarshal([]byte(r.blocks[".gitlab-ci.yml"]), &p); err != nil || len(p["frames"].Script) == 0 {
		t.Fatalf("the document has no pipeline: %v", err)
	}
	job := p["frames"]
	r.set(job.Variables)
	if job.Artifacts.When != "always" || !slices.Equal(job.Artifacts.Reports.JUnit, []string{"budgets.xml", "changes.xml"}) {
		t.Errorf("artifacts: %+v", job.Artifacts)
	}
	run := func(branch string, script []string) (string, error) {
		os.Remove(filepath.Join(r.dir, "budgets.xml"))
		os.Remove(filepath.Join(r.dir, "changes.xml"))
		out, err := r.bash(strings.Join(script, "\n"), "CI_DEFAULT_BRANCH=main", "CI_COMMIT_BRANCH="+branch)
		after, afterErr := r.bash(strings.Join(job.AfterScript, "\n"), "CI_DEFAULT_BRANCH=main", "CI_COMMIT_BRANCH="+branch)
		if afterErr != nil {
			t.Errorf("after the script: %v\n%s", afterErr, after)
		}
		return out, err
	}
	out, err := run("", job.Script)
	if err != nil || !strings.Contains(out, "no base yet") || r.read("changes.xml") != "" || r.read("store of frames/main.hap") != "" {
		t.Fatalf("a merge request without a base: %v\n%s", err, out)
	}
	if out, err := run("main", job.Script[2:]); err != nil || r.read("store of frames/main.hap") == "" {
		t.Fatalf("the default branch: %v\n%s", err, out)
	}
	if out, err := run("", job.Script); err != nil || !strings.Contains(r.read("budgets.xml"), `errors="0"`) || !strings.Contains(r.read("changes.xml"), `name="com.example.gallery: p95_ms&gt;+10%"`) {
		t.Fatalf("a merge request: %v\n%s", err, out)
	}
	r.tighten()
	out, err = run("", job.Script[2:])
	if err == nil || !strings.Contains(r.read("budgets.xml"), "<failure ") || !strings.Contains(r.read("changes.xml"), "<error ") || r.read("out/report.html") == "" {
		t.Errorf("with budgets that nothing meets: %v\n%s\n%s", err, out, r.read("changes.xml"))
	}
}

// A stored base has the last ten sessions, and is compared when it has three.
func TestStoredBaseRecipe(t *testing.T) {
	r := newRecipes(t)
	parts := regexp.MustCompile(`(?m)^# (?:Record|Compare|Keep.*)\n`).Split(r.blocks["stored"], -1)
	if len(parts) != 4 {
		t.Fatalf("the document has %d parts", len(parts)-1)
	}
	record, compare, keep := parts[1], parts[2], parts[3]
	r.set(map[string]string{"APP": gallery.Bundle, "RUNS": "--runs 6 -t 10 --launch --drive ./swipe.sh"})
	r.env = append(r.env, "RUNS=--runs 3 -t 0.1 --launch") // the first is cold, and a side needs two
	for i := range 12 {
		if i < 5 { // later sessions are copies
			if out, err := r.bash(record); err != nil {
				t.Fatalf("recording: %v\n%s", err, out)
			}
		}
		out, err := r.bash(compare)
		if said := strings.Contains(out, "fewer than three sessions"); err != nil || said != (i < 3) {
			t.Fatalf("%d sessions: %v\n%s", i, err, out)
		}
		// Sessions of one second would have one name.
		if out, err := r.bash(keep, fmt.Sprintf("i=%02d", i), "BASH_FUNC_date%%=() { echo 20261123-0000$i; }"); err != nil {
			t.Fatalf("keeping: %v\n%s", err, out)
		}
	}
	var names []string
	entries, err := os.ReadDir(filepath.Join(r.dir, "store of frames/base"))
	for _, e := range entries {
		names = append(names, strings.TrimPrefix(e.Name(), "20261123-0000"))
	}
	if got := strings.Join(names, " "); err != nil || got != "02 03 04 05 06 07 08 09 10 11" {
		t.Errorf("the base has the sessions %s, %v", got, err)
	}
}
