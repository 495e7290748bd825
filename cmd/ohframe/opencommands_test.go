//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/urfave/cli/v2"

	"ohframe"
	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/flags"
	"ohframe/internal/locate"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/tracetest"
)

// opened is a printed command, and the frame that it is for.
type opened struct {
	Command string     `json:"open"`
	PID     trace.PID  `json:"pid"`
	Vsync   int64      `json:"vsync_id"`
	Start   trace.Time `json:"start_ns,string"`
}

// checkOpens runs the commands, without a browser, in a folder. Each must select its frame.
func checkOpens(t *testing.T, folder string, list []opened) {
	t.Helper()
	if len(list) == 0 {
		t.Error("no commands")
		return
	}
	// The words that a shell makes of each command.
	script := &strings.Builder{}
	script.WriteString("ohframe() { for word; do printf '%s\\0' \"$word\"; done; printf '\\n\\0'; }\n")
	for _, o := range list {
		fmt.Fprintln(script, o.Command)
	}
	shell := exec.Command("sh")
	shell.Stdin, shell.Dir = strings.NewReader(script.String()), folder
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("the shell: %v", err)
	}
	commands := strings.Split(strings.TrimSuffix(string(out), "\n\x00"), "\n\x00")
	if len(commands) != len(list) {
		t.Fatalf("%d commands of %d", len(commands), len(list))
	}
	t.Chdir(folder)
	timelines := map[string]*analyzer.Timeline{}
	for i, command := range commands {
		var found locate.Found
		app := newApp()
		app.Writer, app.ErrWriter = io.Discard, io.Discard
		f := &openFlags{}
		open := newCommand(cli.Command{}, f, func(c *call, f *openFlags) error {
			at, err := locate.Parse(f.Process, f.Frame)
			if err != nil {
				return err
			}
			names, err := severalInputs(c)
			if err != nil {
				return err
			}
			key := fmt.Sprint(names, f.From, f.To)
			if timelines[key] == nil {
				file, err := os.Open(names[0].name)
				if err != nil {
					return err
				}
				defer file.Close()
				summary, err := convertInto(c, names[0], file, io.Discard, "", true)
				if err != nil {
					return err
				}
				timelines[key] = summary.Timeline
			}
			found, err = at.Find(timelines[key])
			return err
		})
		app.Command("open").Flags, app.Command("open").Action = open.Flags, open.Action
		args := append([]string{"ohframe"}, strings.Split(strings.TrimSuffix(command, "\x00"), "\x00")...)
		args, err := flags.Arrange(app, args)
		if err == nil {
			err = app.RunContext(t.Context(), args)
		}
		want := list[i]
		if f := found.Frame; err != nil || f == nil || f.Actual.Start != want.Start || f.VsyncID != want.Vsync || f.Process.PID != want.PID && !f.Process.NoPID {
			t.Fatalf("%s: error %v, selects %v, want vsync %d at %s", want.Command, err, f, want.Vsync, want.Start)
		}
	}
}

// hostileNames returns a folder in with the demo, whose file and process have names that
// shells and patterns read otherwise, and a trace in which threads have the same vsync ids.
func hostileNames(t *testing.T) (folder string, paths []string) {
	t.Helper()
	folder = t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(folder, "in"), 0o777))
	for name, text := range map[string]string{
		`it's "a" $HOME.ftrace`: strings.ReplaceAll(tracetest.Read(t, "../../testdata/demo.ftrace"), "example.gallery", `it's "<b>:8 $x*`),
		"-frames.ftrace":        tracetest.Read(t, "testdata/frames.ftrace"),
	} {
		paths = append(paths, filepath.Join("in", name))
		must.Do(t, os.WriteFile(filepath.Join(folder, "in", name), []byte(text), 0o666))
	}
	slices.Sort(paths)
	return folder, paths
}

// printed runs the program in a folder, and returns its standard output.
func printed(t *testing.T, folder string, args ...string) []byte {
	t.Helper()
	command := exec.Command("ohframe", args...)
	command.Dir, command.Stderr = folder, t.Output()
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out
}

// TestFleetCommands runs the commands that reports of fleets print.
func TestFleetCommands(t *testing.T) {
	folder, _ := hostileNames(t)
	printed(t, folder, "fleet", "run", "in", "-o", "fleet")
	type worst struct {
		Open, Why string
		PID       trace.PID
		Vsync     int64      `json:"vsync_id"`
		Start     trace.Time `json:"start_ns"`
	}
	var report struct {
		Pooled struct{ Processes []struct{ Worst []worst } }
	}
	must.Do(t, json.Unmarshal(printed(t, folder, "report", "fleet", "--format", "json"), &report))
	table, explained := string(printed(t, folder, "report", "fleet")), 0
	var list []opened
	for _, g := range report.Pooled.Processes {
		for _, w := range g.Worst {
			list = append(list, opened{w.Open, w.PID, w.Vsync, w.Start})
			if strings.Contains(table, w.Why+"\n") {
				explained++
			}
			why := exec.Command("sh", "-c", strings.Replace(w.Why, " -- ", " --format json -- ", 1))
			why.Dir = folder
			out, err := why.Output()
			if err != nil || !strings.Contains(string(out), fmt.Sprintf(`"vsync_id": %d`, w.Vsync)) {
				t.Errorf("%s: error %v:\n%.300s", w.Why, err, out)
			}
		}
	}
	if explained == 0 {
		t.Errorf("none is explained in\n%s", table)
	}
	checkOpens(t, folder, list)
	var ranked struct {
		Ranking struct{ Causes []struct{ Examples []worst } }
	}
	must.Do(t, json.Unmarshal(printed(t, folder, "why", "fleet", "--by", "process", "--format", "json"), &ranked))
	list = nil
	for _, c := range ranked.Ranking.Causes {
		for _, w := range c.Examples {
			list = append(list, opened{w.Open, w.PID, w.Vsync, w.Start})
		}
	}
	checkOpens(t, folder, list)
}

// TestPageCommands runs the commands that pages have for each frame.
func TestPageCommands(t *testing.T) {
	ctx := newBrowser(t)
	folder, paths := hostileNames(t)
	printed(t, folder, "convert", paths[1], "-o", "converted.pftrace")
	paths = append(paths, "converted.pftrace")
	// Frames of a process without an id, and without vsync ids.
	must.Do(t, os.WriteFile(filepath.Join(folder, "latency.txt"), []byte("16666666\n100000000 110000000 105000000\n116666666 126666666 121666666\n"), 0o666))
	paths = append(paths, "latency.txt")
	if android, err := filepath.Abs("../../../shared/traces/android/api32_startup_warm.perfetto-trace"); err != nil {
		t.Fatal(err)
	} else if _, err := os.Stat(android); err == nil {
		paths = append(paths, android)
	}
	for i, path := range append(paths, tracetest.Paths(t)...) {
		page := filepath.Join(folder, fmt.Sprintf("%d.html", i))
		report := exec.Command("ohframe", "report", "-o", page, "--", path)
		report.Dir = folder
		if out, err := report.CombinedOutput(); bytes.Contains(out, []byte(": no frames")) {
			continue
		} else if err != nil {
			t.Fatalf("%s: %v\n%s", path, err, out)
		}
		var list []opened
		must.Do(t, chromedp.Do(ctx, chromedp.Navigate("file://"+page)))
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`JSON.stringify(data.processes.flatMap((p, id) => {
			if (!p) return [];
			const f = framesOf(id);
			return Array.from(f.x, (_, i) => ({open: openCommand(f, i).querySelector("code").textContent,
				pid: f.info.pid, vsync_id: p.vsync[i], start_ns: String(f.base + BigInt(f.after[i]))}));
		}))`))
		if err == nil {
			err = json.Unmarshal([]byte(text), &list)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		t.Run(tracetest.Name(path), func(t *testing.T) { checkOpens(t, folder, list) })
	}
}

// Times of worst frames, as reports print them, name these frames.
func TestReportedTimes(t *testing.T) {
	heading := regexp.MustCompile(` · pid (\d+) `)
	row := regexp.MustCompile(`^ +(\+[\d.]+ m?s) +(\d+\.\d+) +(\d+) `)
	for _, path := range tracetest.Paths(t) {
		file := must.Get(os.Open(path))(t)
		defer file.Close()
		read, err := ohframe.Read(t.Context(), file, ohframe.Options{})
		if err != nil || read.Timeline.Counts().Late == 0 {
			continue
		}
		checked, process := 0, ""
		for line := range strings.Lines(string(printed(t, ".", "report", "--all", path))) {
			if m := heading.FindStringSubmatch(line); m != nil {
				process = m[1]
			}
			m := row.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			for _, at := range m[1:] {
				place := must.Get(locate.Parse(process, at))(t)
				found, err := place.Find(read.Timeline)
				if err != nil || found.Frame == nil || fmt.Sprint(found.Frame.VsyncID) != m[3] {
					t.Errorf("%s: --process %s --frame %q: %v, error %v, want vsync %s", path, process, at, found.Frame, err, m[3])
				}
			}
			checked++
		}
		if checked == 0 {
			t.Errorf("%s: no worst frames", path)
		}
	}
}

// TestOtherFrames runs the commands that open prints if several frames match.
func TestOtherFrames(t *testing.T) {
	folder, paths := hostileNames(t)
	for _, path := range paths {
		file := must.Get(os.Open(filepath.Join(folder, path)))(t)
		read, err := ohframe.Read(t.Context(), file, ohframe.Options{})
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		var others []*analyzer.Frame
		for f := range read.Timeline.Complete() {
			others = append(others, f)
		}
		var list []opened
		for len(others) > 0 {
			n := min(5, len(others))
			lines := strings.Split(strings.TrimSuffix((&locate.Found{Frame: others[0], Others: others[:n]}).OthersText(path, path, read.Timeline), "\n"), "\n")[1:]
			for i, f := range others[:n] {
				_, command, _ := strings.Cut(lines[i], ": ohframe ")
				list = append(list, opened{"ohframe " + command, f.Process.PID, f.VsyncID, f.Actual.Start})
			}
			others = others[n:]
		}
		t.Run(path, func(t *testing.T) { checkOpens(t, folder, list) })
	}
}
