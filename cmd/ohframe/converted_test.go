package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/internal/causes"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

// Every command writes the same bytes for a converted trace as for the text, warnings too.
func TestConverted(t *testing.T) {
	slow.SkipRace(t)
	demo := []byte(tracetest.Read(t, "../../testdata/demo.ftrace"))
	texts := map[string][]byte{}
	for _, path := range append(tracetest.Paths(t), "../../testdata/why/waits.ftrace") {
		texts[tracetest.Name(path)] = []byte(tracetest.Read(t, path))
	}
	texts["two traces"] = slices.Concat(texts["why/waits.ftrace"], demo)
	texts["cut lines"] = bytes.ReplaceAll(demo, []byte("expectedEnd: "), []byte("expectedEnd: x"))
	for i, cause := range simulate.Causes() {
		if i%slow.Of(30, 1) == 0 {
			var text bytes.Buffer
			must.Get((simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 60, Cause: simulate.Cause(cause)}).Generate(&text))(t)
			texts[cause] = text.Bytes()
		}
	}
	samples := map[string][]byte{} // of a text
	for _, kernel := range []simulate.Kernel{simulate.KernelLinux, simulate.KernelHongMeng} {
		var text, recording bytes.Buffer
		must.Get((simulate.Scene{Kernel: kernel, Cause: simulate.CauseMix}).GenerateWithSamples(&text, &recording, simulate.Recording{OffCPU: true, Clock: simulate.ClockMonotonic}))(t)
		name := fmt.Sprint("samples ", kernel)
		texts[name], samples[name] = text.Bytes(), recording.Bytes()
	}
	configs := map[string]simulate.Config{"demonstration": simulate.Demonstration(), "outside frames": simulate.Timed(false)}
	if slow.Enabled() {
		configs = simulate.BadScenes()
		configs["outside frames"], configs["timers"] = simulate.Timed(true), simulate.AnyTimers(11)
		configs["demonstration"], configs["scenes"], configs["launches"], configs["layers"] = simulate.Demonstration(), simulate.Scenes(), simulate.Launches(), simulate.Layered()
	}
	for name, config := range configs {
		var text bytes.Buffer
		must.Get(simulate.Write(&text, config))(t)
		texts[name] = text.Bytes()
	}
	rules, _ := filepath.Glob("../../testdata/frames/*.txtar")
	for i, path := range rules {
		if i%slow.Of(60, 1) == 0 {
			archive := txtar.Parse([]byte(tracetest.Read(t, path)))
			at := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "trace" })
			texts[tracetest.Name(path)] = archive.Files[at].Data
		}
	}
	folder := t.TempDir()
	terminal := os.Stderr
	t.Cleanup(func() { os.Stderr = terminal })
	os.Stderr = must.Get(os.Create(filepath.Join(folder, "messages")))(t)
	for _, side := range []string{"text", "converted"} {
		must.Do(t, os.Mkdir(filepath.Join(folder, side), 0o755))
	}
	t.Chdir(filepath.Join(folder, "text"))
	write := func(name string, b []byte) {
		must.Do(t, os.WriteFile(name, b, 0o644))
	}
	// convert writes a trace to text/name, and its conversion to converted/name.
	convert := func(name string, text []byte, flags ...string) bool {
		write(name, text)
		args := slices.Concat([]string{"ohframe", "convert", "-q"}, flags, []string{"-o", "new.pftrace", name})
		if err := newApp().RunContext(t.Context(), args); err != nil {
			t.Error(err)
			return false
		}
		must.Do(t, os.Rename("new.pftrace", filepath.Join("..", "converted", name)))
		return true
	}
	convert("base", demo)

	commands := []string{"diff --format json base trace", "diff base trace", "why --all trace", "why --interaction 2 trace", "why --interaction 2 --format json trace"}
	for _, format := range causes.Formats {
		commands = append(commands, "why --format "+format+" trace")
	}
	for _, format := range []string{"table", "csv", "json", "html"} {
		commands = append(commands, "report --format "+format+" trace")
	}
	for _, format := range []string{"table", "csv", "json", "parquet"} {
		commands = append(commands, "frames --format "+format+" trace")
	}
	commands = append(commands, "frames --kind app,render,layer --format csv trace", "frames --kind layer trace")
	// output returns what a command writes, its error and its messages.
	output := func(side, command string) string {
		t.Chdir(filepath.Join(folder, side))
		os.Remove("out")
		os.Stderr = must.Get(os.Create("messages"))(t)
		defer os.Stderr.Close()
		words := strings.Fields(command)
		args := slices.Concat([]string{"ohframe", words[0], "-o", "out"}, words[1:])
		err := newApp().RunContext(t.Context(), args)
		b, readErr := os.ReadFile("out")
		if err == nil && readErr != nil {
			t.Fatal(readErr)
		}
		return fmt.Sprintf("%s\n%v\n%s", b, err, must.Get(os.ReadFile("messages"))(t))
	}
	compared, long := 0, 0
	for n, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		t.Chdir(filepath.Join(folder, "text"))
		flags := []string{}
		if len(name)%2 == 0 {
			flags = []string{"--events", "none"}
		}
		os.Remove("trace.perf.data")
		if samples[name] != nil {
			write("trace.perf.data", samples[name])
		}
		if !convert("trace", text, flags...) {
			continue
		}
		list := commands
		if samples[name] != nil {
			if out := output("converted", "why trace"); !strings.Contains(out, "Longer in late frames") {
				t.Errorf("%s: no functions in\n%s", name, out)
			}
		}
		if _, ok := configs[name]; ok {
			for _, format := range causes.Formats {
				list = append(list[:len(list):len(list)], "why --interaction 1 --format "+format+" trace")
			}
		}
		for i, command := range list {
			if (n+i)%slow.Of(3, 1) != 0 {
				continue
			}
			compared++
			want := output("text", command)
			if got := output("converted", command); got != want {
				at := 0
				for at < min(len(got), len(want)) && got[at] == want[at] {
					at++
				}
				from := max(0, at-200)
				t.Errorf("%s: %s differs at byte %d:\n%.400s\nwant\n%.400s", name, command, at, got[from:], want[from:])
			}
			if len(want) > 1000 {
				long++
			}
		}
	}
	if long < compared/3 {
		t.Errorf("only %d of %d outputs have more than 1000 bytes", long, compared)
	}
}
