//go:build unix

package main

import (
	"errors"
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

// recipes runs the recipes of docs/ci.md in a folder, with a fake device.
type recipes struct {
	*testing.T
	dir    string
	blocks map[string]string // by the name of the file
	env    []string
}

func newRecipes(t *testing.T) *recipes {
	t.Helper()
	slow.Skip(t)
	t.Parallel()
	document := must.Get(os.ReadFile("../../docs/ci.md"))(t)
	r := &recipes{T: t, dir: t.TempDir(), blocks: map[string]string{}}
	for _, m := range regexp.MustCompile("(?s)```(?:yaml|text|sh)\n# ([^\n:]+)[^\n]*\n(.*?)```").FindAllStringSubmatch(string(document), -1) {
		r.blocks[filepath.Base(m[1])] = m[2]
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

// usualRecipeRuns are those of the document. The fake device needs less time and fewer runs.
const usualRecipeRuns = "--runs 6 -t 10 "

// set sets the variables of a workflow.
func (r *recipes) set(variables map[string]string) {
	r.Helper()
	if !strings.HasPrefix(variables["RUNS"], usualRecipeRuns) {
		r.Fatalf("RUNS is %q", variables["RUNS"])
	}
	variables["RUNS"] = strings.Replace(variables["RUNS"], usualRecipeRuns, "--runs 2 -t 0.1 ", 1)
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

// Conditions on changes that fail, because they demand a rise, and that cannot be checked, because there are no flings.
const (
	demanding   = "fps<+500%"
	uncheckable = "APP_LIST_FLING.fps<-1%"
)

// The workflow: a pull request without a base, a push, which stores one, and pull requests that are compared. A step fails
// if a condition does, or cannot be checked, and says which of the two it is.
func TestWorkflow(t *testing.T) {
	r := newRecipes(t)
	var w workflow
	if err := yaml.Unmarshal([]byte(r.blocks["frames.yml"]), &w); err != nil || len(w.Jobs["frames"].Steps) < 5 {
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
	if _, failed = run("pull_request"); failed != "" {
		t.Fatalf("a pull request fails: %s", failed)
	}
	if out := r.read("summary.md"); !strings.Contains(out, "### out/base → out/new – frame comparison\n\n✅ ") || !strings.Contains(out, "| ✅ com.example.gallery: p95\\_ms>+10% |") {
		t.Errorf("the summary is\n%s", out)
	}
	if r.read("out/diff.html") == "" {
		t.Error("no page")
	}
	for _, c := range []struct{ conditions, annotation, mark string }{
		{uncheckable, "::warning::cannot tell ", "⚠️ "},
		{uncheckable + "," + demanding, "::error::frames became worse", "❌ "},
	} {
		os.Remove(filepath.Join(r.dir, "summary.md"))
		r.env = append(r.env, "FAIL_ON="+c.conditions)
		outputs, failed := run("push", "Record")
		if failed != "Compare with main" || !strings.Contains(outputs[failed], c.annotation) || !strings.Contains(r.read("summary.md"), "\n\n"+c.mark) {
			t.Errorf("%s: %q failed\n%s\n%s", c.conditions, failed, outputs, r.read("summary.md"))
		}
		if _, kept := outputs["Keep the build"]; !kept {
			t.Error("a build that is worse is not kept")
		}
	}
}

// The script: the base has the last ten sessions, and is compared when it has three. The exit code is that of what matters most.
func TestShellScript(t *testing.T) {
	r := newRecipes(t)
	script := strings.NewReplacer("/var/lib/frames", "'"+filepath.Join(r.dir, "store of frames")+"'", usualRecipeRuns, "--runs 3 -t 0.1 ").Replace(r.blocks["frames.sh"])
	if strings.Contains(script, "--runs 6") || !strings.Contains(script, "store of frames") {
		t.Fatalf("the document has no script that this test knows:\n%s", script)
	}
	r.write("frames.sh", script)
	must.Do(t, os.Mkdir(filepath.Join(r.dir, "bin"), 0o777))
	r.write("bin/date", "#!/bin/sh\necho 20261123-0000$SESSION\n") // sessions of one second would have one name
	for i, v := range r.env {
		if path, found := strings.CutPrefix(v, "PATH="); found {
			r.env[i] = "PATH=" + filepath.Join(r.dir, "bin") + ":" + path
		}
	}
	base := filepath.Join(r.dir, "store of frames/base")
	run := func(session int, argument string) (string, int) {
		t.Helper()
		out, err := r.bash("exec sh frames.sh "+argument, fmt.Sprintf("SESSION=%02d", session))
		exit := (*exec.ExitError)(nil)
		if errors.As(err, &exit) {
			return out, exit.ExitCode()
		}
		must.Do(t, err)
		return out, 0
	}
	for i := range 4 {
		out, code := run(i, "keep")
		if said := strings.Contains(out, "fewer than three sessions"); code != 0 || said != (i < 3) {
			t.Fatalf("%d sessions: exit code %d\n%s", i, code, out)
		}
	}
	if !strings.Contains(r.read("out/changes.xml"), `name="com.example.gallery: p95_ms&gt;+10%"`) || !strings.Contains(r.read("out/budgets.xml"), `failures="0" errors="0"`) {
		t.Errorf("the reports are\n%s\n%s", r.read("out/budgets.xml"), r.read("out/changes.xml"))
	}
	for i := 4; i < 11; i++ {
		must.Do(t, os.CopyFS(filepath.Join(base, fmt.Sprintf("20261123-0000%02d", i)), os.DirFS(filepath.Join(base, "20261123-000003"))))
	}
	for _, c := range []struct {
		budgets string
		code    int
		says    string
	}{
		{"com.example.gallery: fps<10\n" + uncheckable + "\n", 3, "cannot tell whether frames are worse\n"},
		{"com.example.gallery: fps<10\n" + demanding + "\n", 2, "frames are worse than the base, or beyond a budget\n"},
		{"com.example.none: fps<10\n" + demanding + "\n", 2, "frames are worse than the base, or beyond a budget\n"},
		{"com.example.gallery: fps<400\n" + uncheckable + "\n", 2, "frames are worse than the base, or beyond a budget\n"},
	} {
		r.write("budgets.txt", c.budgets)
		out, code := run(11, "keep")
		if code != c.code || !strings.HasSuffix(out, c.says) {
			t.Errorf("%s: exit code %d\n%s\n%s\n%s", c.budgets, code, out, r.read("out/budgets.xml"), r.read("out/changes.xml"))
		}
	}
	r.write("budgets.txt", "fps<10\n") // no condition on changes
	if out, code := run(11, ""); code != 1 {
		t.Errorf("an error: exit code %d\n%s", code, out)
	}
	var names []string
	entries, err := os.ReadDir(base)
	for _, e := range entries {
		names = append(names, strings.TrimPrefix(e.Name(), "20261123-0000"))
	}
	if got := strings.Join(names, " "); err != nil || got != "02 03 04 05 06 07 08 09 10 11" {
		t.Errorf("the base has the sessions %s, %v", got, err)
	}
}
