//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// The recipes of docs/fleet.md write the dataset that one process writes. The schedulers
// themselves are not run: their variables are set, and GNU parallel is used if it is
// installed.
func TestFleetRecipes(t *testing.T) {
	slow.Skip(t)
	document := must.Get(os.ReadFile("../../docs/fleet.md"))(t)
	recipe := func(title, language string) string {
		t.Helper()
		found := regexp.MustCompile("(?s)\n### " + title + "\n.*?```" + language + "\n(.*?)```").FindSubmatch(document)
		if found == nil {
			t.Fatalf("docs/fleet.md has no recipe for %s", title)
		}
		return string(found[1])
	}
	data := t.TempDir()
	trace := must.Get(os.ReadFile("testdata/frames.ftrace"))(t)
	var list strings.Builder
	for i := range 150 {
		name := filepath.Join(data, fmt.Sprintf("%d.ftrace", i))
		must.Do(t, os.WriteFile(name, fmt.Appendf(nil, "%s# %d\n", trace, i), 0o666))
		fmt.Fprintln(&list, name)
	}
	write(t, filepath.Join(data, "traces.txt"), []byte(list.String()))
	shell := func(t *testing.T, script string, env ...string) {
		t.Helper()
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), append(env, noExitSleep)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", script, err, out)
		}
	}
	reference := filepath.Join(data, "reference")
	shell(t, "ohframe fleet run @"+data+"/traces.txt -o "+reference+" --shards 64")
	want := must.Files(t, reference)
	// check runs a recipe, with other names for its files, and compares the dataset.
	check := func(name string, run func(t *testing.T, replace *strings.Replacer)) {
		t.Run(name, func(t *testing.T) {
			dataset := filepath.Join(t.TempDir(), "dataset")
			run(t, strings.NewReplacer("/data/dataset", dataset, "/data/traces.txt", filepath.Join(data, "traces.txt")))
			if got := must.Files(t, dataset); len(got) == 0 || !maps.Equal(got, want) {
				t.Errorf("%d files, want the %d of one process", len(got), len(want))
			}
		})
	}
	eachShard := func(t *testing.T, script, variable string) {
		for k := range 64 {
			shell(t, script, fmt.Sprintf("%s=%d", variable, k))
		}
	}
	check("parallel", func(t *testing.T, replace *strings.Replacer) {
		if _, err := exec.LookPath("parallel"); err != nil {
			t.Skip("GNU parallel is not installed")
		}
		write(t, filepath.Join(data, "hosts"), []byte(":\n")) // this machine, without ssh
		shell(t, strings.Replace(replace.Replace(recipe("GNU parallel", "")), "--sshloginfile hosts", "--sshloginfile "+data+"/hosts", 1))
	})
	check("slurm", func(t *testing.T, replace *strings.Replacer) {
		script := recipe("Slurm", "")
		if !strings.Contains(script, " --array=0-63 ") {
			t.Error("the array is not that of 64 shards")
		}
		_, wrapped, _ := strings.Cut(script, "--wrap \\\n")
		eachShard(t, "eval "+replace.Replace(wrapped), "SLURM_ARRAY_TASK_ID")
	})
	check("spark", func(t *testing.T, replace *strings.Replacer) {
		if _, err := exec.LookPath("python3"); err != nil {
			t.Skip("Python is not installed")
		}
		write(t, filepath.Join(data, "spark.py"), []byte(`
class spark:
    class sparkContext:
        def parallelize(numbers, partitions):
            class rdd:
                def foreach(function):
                    for number in numbers:
                        function(number)
            return rdd
`+replace.Replace(recipe("Spark", "python"))))
		shell(t, "python3 "+data+"/spark.py")
	})
	check("kubernetes", func(t *testing.T, replace *strings.Replacer) {
		job := recipe("Kubernetes", "yaml")
		if !strings.Contains(job, "completions: 64\n") || !strings.Contains(job, "completionMode: Indexed\n") {
			t.Error("the job does not have 64 indexes")
		}
		command := regexp.MustCompile(`(?m)^ *- (exec ohframe .*)$`).FindStringSubmatch(job)
		if command == nil {
			t.Fatal("the job has no command")
		}
		eachShard(t, replace.Replace(command[1]), "JOB_COMPLETION_INDEX")
	})
}
