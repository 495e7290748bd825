// Command outputs runs all commands in all formats on many traces and prints one line for each output:
// its hash, its size and how it was made. A change of the code that should change nothing leaves the
// lines as they are; any other change can name those that it changes.
//
//	outputs [-ohframe PROGRAM] [-before FILE] [-keep FOLDER] FOLDER...
//
// The inputs are the traces in the folders and generated ones. With Perfetto's engine, what it finds in
// their conversions has lines, too. Two lists are compared by -before: the exit code is 1 if an output
// differs. -keep stores what is printed, to see how it differs.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/simulate"
)

// commands are what is run for each input, which stands for IN. A result named OUT is hashed in place of
// what is printed.
var commands = []string{
	"convert -q IN -o OUT",
	"convert -q --events all IN -o OUT",
	"frames --format table IN",
	"frames --format csv --kind app,render,layer IN",
	"frames --format json --kind app,render,layer IN",
	"frames --format parquet IN -o OUT",
	"report IN",
	"report --all IN",
	"report --kind interaction IN",
	"report --kind layer IN",
	"report --format json IN",
	"report --format csv IN",
	"report --format html IN",
	"report --format markdown --fail-on jank_rate>1% IN",
	"report --format junit --fail-on jank_rate>1% IN",
	"why IN",
	"why --all IN",
	"why --format json --all IN",
	"why --format evidence IN",
	"why --format html IN",
	"diff IN IN",
	"diff --format json IN IN",
	"diff --format html IN IN",
	"text IN",
	"fleet run IN -o OUT",
}

// converted are the commands that are also run on the conversion of an input.
var converted = []string{
	"frames --format json --kind app,render,layer IN",
	"report --format json IN",
	"why --format json --all IN",
}

// pairs are run for each two inputs that follow each other, IN and NEXT.
var pairs = []string{
	"diff IN NEXT",
	"diff --all IN NEXT",
	"diff --format json IN NEXT",
	"diff --format evidence IN NEXT",
	"diff --format html IN NEXT",
	"diff --format junit --fail-on jank_rate>+1pp IN NEXT",
}

// fleets are run on two datasets: ALL has all inputs, SOME has every second one.
var fleets = []string{
	"report ALL",
	"report --format json ALL",
	"report --format csv ALL",
	"report --format html ALL",
	"report --by kind,process --format json ALL",
	"report --by format,process --format csv ALL",
	"why --format json ALL",
	"report --over build --format json ALL",
	"report --over build --format html ALL",
	"diff ALL SOME",
	"diff --format json ALL SOME",
	"diff --format html ALL SOME",
	"diff --fail-on jank_rate>+1pp ALL SOME",
}

func main() {
	program := flag.String("ohframe", "bin/ohframe", "the command to run")
	before := flag.String("before", "", "a list to compare with")
	keep := flag.String("keep", "", "a folder for the outputs")
	flag.Parse()
	if err := run(*program, *before, *keep, flag.Args()); err != nil {
		fmt.Fprintf(os.Stderr, "outputs: %v\n", err)
		os.Exit(1)
	}
}

func run(program, before, keep string, folders []string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "ohframe-outputs-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if keep != "" {
		if keep, err = filepath.Abs(keep); err == nil {
			err = os.MkdirAll(keep, 0o777)
		}
		if err != nil {
			return err
		}
	}
	if err := gather(work, folders); err != nil {
		return err
	}
	inputs, err := filepath.Glob(filepath.Join(work, "*"))
	if err != nil {
		return err
	}
	for _, path := range inputs { // fleets have the times of files
		if err := os.Chtimes(path, time.Time{}, time.Unix(1_750_000_000, 0)); err != nil {
			return err
		}
	}
	var list []string
	var mutex sync.Mutex
	var group sync.WaitGroup
	queue := make(chan func() []string)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for task := range queue {
				lines := task()
				mutex.Lock()
				list = append(list, lines...)
				mutex.Unlock()
			}
		})
	}
	queue <- func() []string { return together(program, work, inputs, keep) }
	for i, path := range inputs {
		next := inputs[(i+1)%len(inputs)]
		queue <- func() []string { return outputs(program, work, filepath.Base(path), filepath.Base(next), keep) }
	}
	close(queue)
	group.Wait()
	slices.Sort(list)
	if before == "" {
		fmt.Println(strings.Join(list, "\n"))
		return nil
	}
	return compare(before, list)
}

// compare prints the outputs that differ from those of another list, or are in one list only.
func compare(before string, list []string) error {
	text, err := os.ReadFile(before)
	if err != nil {
		return err
	}
	old := strings.Split(strings.TrimSpace(string(text)), "\n")
	differ := 0
	for _, line := range old {
		if !slices.Contains(list, line) {
			fmt.Println("-", line)
			differ++
		}
	}
	for _, line := range list {
		if !slices.Contains(old, line) {
			fmt.Println("+", line)
			differ++
		}
	}
	fmt.Printf("%d outputs, %d before\n", len(list), len(old))
	if differ > 0 {
		return errors.New("outputs differ")
	}
	return nil
}

// gather copies the traces of the folders to work, with their paths in their names, and generates others.
func gather(work string, folders []string) error {
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isTrace(path) {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name := strings.TrimLeft(strings.ReplaceAll(path, "/", "_"), "._")
			return os.WriteFile(filepath.Join(work, name), content, 0o666)
		})
		if err != nil {
			return err
		}
	}
	generate := func(name string, write func(*bytes.Buffer) error) error {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(work, "generated_"+name+".ftrace"), b.Bytes(), 0o666)
	}
	for i, cause := range simulate.Causes() {
		if i%2 == 1 {
			continue
		}
		kernel := simulate.KernelHongMeng
		if i%4 == 0 {
			kernel = simulate.KernelLinux
		}
		err := generate(cause, func(b *bytes.Buffer) error {
			_, err := simulate.Scene{Cause: simulate.Cause(cause), Kernel: kernel, RefreshHz: []int{60, 90, 120}[i%3], Seed: uint64(i)}.Generate(b)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// queries are what is asked of the engine about conversions.
var queries = []string{
	"SELECT ts, dur, name, display_frame_token, jank_type, present_type, on_time_finish FROM actual_frame_timeline_slice ORDER BY ts, id",
	"SELECT ts, dur, name, display_frame_token FROM expected_frame_timeline_slice ORDER BY ts, id",
	"SELECT t.name AS track, count() AS slices, sum(s.dur) AS dur, min(s.ts) AS first FROM slice s JOIN track t ON s.track_id = t.id GROUP BY t.name ORDER BY t.name, first",
	"SELECT flat_key, count() AS n, count(DISTINCT display_value) AS different FROM args GROUP BY flat_key ORDER BY flat_key",
	"SELECT count() AS n, sum(slice_out), sum(slice_in) FROM flow",
	"SELECT name, severity, value FROM stats WHERE value > 0 AND severity IN ('error', 'data_loss') ORDER BY name",
}

// rows returns lines about what the engine finds in a converted trace, none without the engine.
func rows(converted, input string) (lines []string) {
	found, err := engine.Find()
	if err != nil {
		return nil
	}
	session, err := found.Open(context.Background(), converted)
	if err != nil {
		return []string{fmt.Sprintf("%v  %s  engine", err, input)}
	}
	defer session.Close()
	for _, query := range queries {
		table, err := session.Query(query)
		text := table.String()
		if err != nil {
			text = err.Error()
		}
		hash := sha256.Sum256([]byte(text))
		lines = append(lines, fmt.Sprintf("%x 0 %8d  %s  %s", hash[:8], len(text), input, query))
	}
	return lines
}

func isTrace(path string) bool {
	switch filepath.Ext(path) {
	case ".md", ".json", ".txt", ".txtar", ".mjs", ".data":
		return false
	case ".csv":
		return false
	}
	return true
}

// together measures all inputs, and every second one, and reports both fleets.
func together(program, work string, inputs []string, keep string) (lines []string) {
	out, err := os.MkdirTemp(work, ".out-")
	if err != nil {
		return []string{err.Error()}
	}
	defer os.RemoveAll(out)
	measure := []string{"fleet", "run", "--dim", "build=(.)[a-z]*.[a-z]*$", "-o"} // any few builds
	all, some := append(slices.Clone(measure), filepath.Join(out, "ALL")), append(slices.Clone(measure), filepath.Join(out, "SOME"))
	for i, path := range inputs {
		all = append(all, filepath.Base(path))
		if i%2 == 0 {
			some = append(some, filepath.Base(path))
		}
	}
	for _, arguments := range [][]string{all, some} {
		run := exec.Command(program, arguments...) // inputs that are no traces are failures of a fleet
		run.Dir = work
		if err := run.Run(); run.ProcessState == nil {
			return []string{err.Error()}
		}
	}
	for _, command := range fleets {
		lines = append(lines, one(program, out, out, "all inputs", command, keep))
	}
	return lines
}

// outputs runs all commands on an input in work, and those of pairs on it and the next one. They run there, so that
// no path depends on the machine.
func outputs(program, work, input, next, keep string) (lines []string) {
	out, err := os.MkdirTemp(work, ".out-")
	if err != nil {
		return []string{err.Error()}
	}
	defer os.RemoveAll(out)
	for _, command := range commands {
		lines = append(lines, one(program, work, out, input, command, keep))
	}
	for _, command := range pairs {
		lines = append(lines, one(program, work, out, input, strings.Replace(command, "NEXT", next, 1), keep))
	}
	name := filepath.Join(out, "converted.pftrace")
	if err := exec.Command(program, "convert", "-q", filepath.Join(work, input), "-o", name).Run(); err == nil {
		for _, command := range converted {
			lines = append(lines, one(program, out, out, "converted.pftrace", command, keep)+" of "+input)
		}
		lines = append(lines, rows(name, input)...)
	}
	return lines
}

// build is what identifies the build of a program that has no version. Datasets have it.
var build = regexp.MustCompile(`devel [0-9a-f]{16}`)

func one(program, directory, out, input, command, keep string) string {
	arguments := strings.Fields(command)
	result := filepath.Join(out, "result")
	os.RemoveAll(result)
	for i, a := range arguments {
		switch a {
		case "IN":
			arguments[i] = input
		case "OUT":
			arguments[i] = result
		}
	}
	var stdout, stderr bytes.Buffer
	run := exec.Command(program, arguments...)
	run.Dir, run.Stdout, run.Stderr = directory, &stdout, &stderr
	run.Env = append(os.Environ(), "TZ=UTC", "NO_COLOR=1", "COLUMNS=120")
	err := run.Run()
	code := run.ProcessState.ExitCode()
	if code < 0 {
		return fmt.Sprintf("%v  %s  %s", err, input, command)
	}
	hash := sha256.New()
	hash.Write(build.ReplaceAll(stdout.Bytes(), nil))
	messages := bytes.ReplaceAll(stderr.Bytes(), []byte(out), nil)
	hash.Write(messages)
	size := stdout.Len() + len(messages)
	filepath.WalkDir(result, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err == nil {
			size += len(content)
			hash.Write(build.ReplaceAll(content, nil))
		}
		return nil
	})
	if keep != "" {
		name := strings.NewReplacer(" ", "_", "/", "_").Replace(input + "." + command)
		os.WriteFile(filepath.Join(keep, name), append(stdout.Bytes(), stderr.Bytes()...), 0o666)
	}
	return fmt.Sprintf("%x %d %8d  %s  %s", hash.Sum(nil)[:8], code, size, input, command)
}
