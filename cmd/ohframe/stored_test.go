package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// storedCommands are commands whose output does not depend on whether IN is a trace or its dataset.
var storedCommands = []string{
	"report IN", "report IN --format json --no-causes", "report IN --format csv --kind layer", "report IN --format html", "report IN --fail-on jank_rate>1%",
	"report IN --format json --process gallery", "why IN", "why IN --format json", "why IN --interaction 1", "why IN --format evidence", "why IN --layer * --format json",
	"frames IN --format csv", "frames IN --format json", "frames IN --kind layer --format csv", "frames IN --late --sort deadline_ns --top 3",
	"diff IN demo.ftrace --format json", "diff IN demo.ftrace", "diff IN demo.ftrace --format html --no-causes", "diff demo.ftrace IN --format evidence", "diff IN IN --all",
}

// What commands print of a trace in a dataset is what they print of the trace: layers, flings, functions,
// an Android trace, one with damage, a dump, and one that was recorded with a description.
func TestStored(t *testing.T) {
	slow.SkipRace(t)
	testdata := must.Get(filepath.Abs("../../testdata"))(t)
	shared := must.Get(filepath.Abs("../../../shared/traces/android"))(t)
	t.Chdir(t.TempDir())
	cp := func(from, to string) bool {
		content, err := os.ReadFile(from)
		if err == nil {
			must.Do(t, os.WriteFile(to, content, 0o666))
		}
		return err == nil
	}
	names := []string{"demo.ftrace", "flings.ftrace.gz", "layers.ftrace.gz", "functions.ftrace.gz"}
	for _, name := range append(slices.Clone(names), "functions.perf.data") {
		cp(filepath.Join(testdata, name), name)
	}
	demo := must.Get(os.ReadFile("demo.ftrace"))(t)
	must.Do(t, os.WriteFile("damaged.ftrace", slices.Concat(demo[:len(demo)/2], []byte("\x00 no line\n"), demo[len(demo)/2:len(demo)*3/4]), 0o666))
	must.Do(t, os.WriteFile("recorded.ftrace", append(slices.Clone(demo), "# recorded\n"...), 0o666))
	must.Do(t, os.WriteFile("recorded.meta.json", []byte(`{"trace": "recorded.ftrace", "device": {"id": "x", "model": "Rig", "refresh_hz": 60}, "clock": "boot",
		"app": {"bundle": "com.example.gallery", "version": "5.0.1"}, "session": "s", "debug_ui": ["a=1"]}`), 0o666))
	names = append(names, "damaged.ftrace", "recorded.ftrace")
	if cp(filepath.Join(shared, "api32_startup_warm.perfetto-trace"), "android.pftrace") {
		names = append(names, "android.pftrace")
	}
	if code, _, stderr := ohframeHere(t, append([]string{"fleet", "run", "-o", "all", "--shards", "3"}, names...)...); code != 0 {
		t.Fatal(stderr)
	}
	// A dataset of one trace is that trace; of several, --where is.
	for i, name := range names {
		if code, _, stderr := ohframeHere(t, "fleet", "run", name, "-o", "of/"+name); code != 0 {
			t.Fatal(stderr)
		}
		for k, command := range storedCommands {
			if (i+k)%slow.Of(3, 1) != 0 {
				continue
			}
			args := func(in ...string) (list []string) {
				for _, arg := range strings.Fields(command) {
					if arg == "IN" {
						list = append(list, in...)
					} else {
						list = append(list, arg)
					}
				}
				return list
			}
			code, stdout, stderr := ohframeHere(t, args(name)...)
			inputs := [][]string{args("of/" + name)}
			if !strings.HasPrefix(command, "diff") {
				inputs = append(inputs, args("all", "--where", "trace="+name))
			}
			for _, args := range inputs {
				gotCode, gotStdout, gotStderr := ohframeHere(t, args...)
				gotStdout, gotStderr = bySide(gotStdout, name), bySide(gotStderr, name)
				if gotCode != code || gotStdout != stdout || gotStderr != stderr {
					t.Errorf("%q: exit code %d, want %d as of %s\n%s", args, gotCode, code, name, firstDifference(gotStdout+gotStderr, stdout+stderr))
				}
			}
		}
	}
}

// A damaged part and one of another schema never change an answer: a command that reads it fails and names
// it, and keeps its output; others do not notice.
func TestDamagedTables(t *testing.T) {
	slow.SkipRace(t)
	testdata := must.Get(filepath.Abs("../../testdata"))(t)
	t.Chdir(t.TempDir())
	for from, to := range map[string]string{"demo.ftrace": "up/a.trace", "flings.ftrace.gz": "up/flings.ftrace.gz", "layers.ftrace.gz": "up/layers.ftrace.gz"} {
		must.Do(t, os.MkdirAll("up", 0o777))
		must.Do(t, os.WriteFile(to, must.Get(os.ReadFile(filepath.Join(testdata, from)))(t), 0o666))
	}
	for name, content := range map[string]string{
		"up/junk.ftrace": "junk\n", "out": "before",
		"up/event.json": `{"domain": "OS", "name": "MAIN_THREAD_JANK", "params": {"time": 1795600000000, "external_log": ["/log/a.trace"]}}`,
	} {
		must.Do(t, os.WriteFile(name, []byte(content), 0o666))
	}
	if code, _, stderr := ohframeHere(t, "fleet", "run", "up", "-o", "data"); code != 0 {
		t.Fatal(stderr)
	}
	commands := []string{
		"report data", "report data --by scene --format json", "report data --by layer --format csv", "why data", "why data --where trace=flings.ftrace.gz",
		"frames data --format csv", "diff data data", "diff up/a.trace data --format json", "fleet sql data",
	}
	want := map[string]string{}
	for _, command := range commands {
		code, stdout, stderr := ohframeHere(t, strings.Fields(command)...)
		if want[command] = stdout; code != 0 || stdout == "" {
			t.Fatalf("%s: %s", command, stderr)
		}
	}
	// all says that every command reads what is damaged.
	for damage, test := range map[string]struct {
		do  func(part []byte) []byte
		all bool
	}{
		"overwritten": {func(part []byte) []byte {
			rows := part[4 : len(part)-8-int(binary.LittleEndian.Uint32(part[len(part)-8:]))]
			for i := range rows {
				rows[i] = 0xFF
			}
			return part
		}, false},
		"truncated": {func(part []byte) []byte { return part[:len(part)/2] }, true},
		"empty":     {func([]byte) []byte { return nil }, true},
		"of another schema": {func(part []byte) []byte {
			return regexp.MustCompile(`(fleet\.schema..\d*)\d`).ReplaceAll(part, []byte("${1}x"))
		}, true},
		"stored by another version": {func(part []byte) []byte { return ofAnotherVersion(t, part) }, false}, // in one table
	} {
		for _, table := range []string{"traces", "interactions", "layers", "events", "failures", "results"} {
			name, failed := filepath.Join("data", table, "part-00000-of-00001.parquet"), 0
			whole := must.Get(os.ReadFile(name))(t)
			damaged := test.do(bytes.Clone(whole))
			if bytes.Equal(damaged, whole) && damage == "stored by another version" && table != "results" {
				continue
			}
			if bytes.Equal(damaged, whole) {
				t.Fatalf("%s is not %s", name, damage)
			}
			must.Do(t, os.WriteFile(name, damaged, 0o666))
			for _, command := range commands {
				code, _, stderr := ohframeHere(t, append(strings.Fields(command), "-o", "out")...)
				out := string(must.Get(os.ReadFile("out"))(t))
				switch {
				case code == 1 && strings.Contains(stderr, name) && out == "before":
					failed++
					if damage == "of another schema" && !regexp.MustCompile(`schema "\d*x", this version reads \d+`).MatchString(stderr) {
						t.Errorf("%s: %s", command, stderr)
					}
					if strings.Count(stderr, "\n") > 2 || !strings.Contains(stderr, "\nhint: ") && table == "results" {
						t.Errorf("%s, %s %s: want one error and a hint, got %s", command, table, damage, stderr)
					}
				case code != 0 || out != want[command]:
					t.Errorf("%s, %s %s: exit code %d, %s%s", command, table, damage, code, stderr, firstDifference(out, want[command]))
				}
				must.Do(t, os.WriteFile("out", []byte("before"), 0o666))
			}
			if failed == 0 || test.all && failed < len(commands) {
				t.Errorf("%s %s: %d of %d commands fail", table, damage, failed, len(commands))
			}
			must.Do(t, os.WriteFile(name, whole, 0o666))
		}
	}
}

// ofAnotherVersion returns a part of the results with another text for the format of each; other parts as they are.
func ofAnotherVersion(t *testing.T, part []byte) []byte {
	f := must.Get(parquet.OpenFile(bytes.NewReader(part), int64(len(part))))(t)
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, f.Schema())
	for _, m := range f.Metadata().KeyValueMetadata {
		w.SetKeyValueMetadata(m.Key, m.Value)
	}
	column, ok := f.Schema().Lookup("result")
	if !ok {
		return part
	}
	rows := make([]parquet.Row, f.NumRows())
	if n, err := parquet.NewReader(f).ReadRows(rows); n != len(rows) {
		t.Fatal(n, err)
	}
	for _, row := range rows {
		value := row[column.ColumnIndex].ByteArray()
		_, format, ok := bytes.Cut(value, []byte(`"Result":"`))
		if !ok {
			t.Fatal("no format")
		}
		format[0] ^= 1
	}
	must.Get(w.WriteRows(rows))(t)
	must.Do(t, w.Close())
	return out.Bytes()
}

// Views are refused where a report is, with the same words, and where they would count what a report does not.
func TestRefusedViews(t *testing.T) {
	testdata := must.Get(filepath.Abs("../../testdata"))(t)
	t.Chdir(t.TempDir())
	demo := must.Get(os.ReadFile(filepath.Join(testdata, "demo.ftrace")))(t)
	must.Do(t, os.Mkdir("in", 0o777))
	for i := range 8 {
		must.Do(t, os.WriteFile(fmt.Sprintf("in/%d.ftrace", i), fmt.Appendf(demo[:len(demo):len(demo)], "# %d\n", i), 0o666))
	}
	run := func(args string) (code int, stdout, stderr string) {
		t.Helper()
		return ohframeHere(t, strings.Fields(args)...)
	}
	for i, args := range []string{"fleet run in -o whole --shards 2", "fleet run in -o other --shards 2 --no-causes", "fleet run in -o three --shards 3"} {
		if code, _, stderr := run(args); code != 0 {
			t.Fatal(i, stderr)
		}
	}
	part := func(dataset, table string, k, n int) string {
		return filepath.Join(dataset, table, fmt.Sprintf("part-%05d-of-%05d.parquet", k, n))
	}
	// take copies a shard of another dataset.
	take := func(dataset string, k, n int) error {
		for _, table := range []string{"traces", "interactions", "layers", "events", "failures", "results"} {
			must.Do(t, os.WriteFile(part("bad", table, k, n), must.Get(os.ReadFile(part(dataset, table, k, n)))(t), 0o666))
		}
		return nil
	}
	for name, test := range map[string]struct {
		damage func() error
		want   string
		report int // exit code
	}{
		"other options": {func() error { return take("other", 1, 2) }, "other options", 1},
		"other shards":  {func() error { return take("three", 0, 3) }, "of 2 and of 3 shards", 1},
		"renamed":       {func() error { return os.Rename(part("bad", "traces", 0, 2), part("bad", "traces", 1, 2)) }, "contains shard 0", 1},
		"copy":          {func() error { return os.Link(part("bad", "layers", 0, 2), "bad/layers/copy.parquet") }, "not a part of a dataset", 1},
		"damaged":       {func() error { return os.WriteFile(part("bad", "interactions", 1, 2), []byte("PAR1"), 0o666) }, part("bad", "interactions", 1, 2), 1},
		// A report leaves the shard out.
		"incomplete": {func() error { return os.Remove(part("bad", "results", 1, 2)) }, "shard 1 is not complete", 0},
	} {
		must.Do(t, os.RemoveAll("bad"))
		must.Do(t, os.CopyFS("bad", os.DirFS("whole")))
		must.Do(t, test.damage())
		code, _, report := run("report bad")
		if code != test.report {
			t.Errorf("%s: report exits with %d: %s", name, code, report)
		}
		code, stdout, stderr := run("fleet sql bad")
		if code != 1 || stdout != "" || !strings.Contains(stderr, test.want) || test.report == 1 && stderr != report {
			t.Errorf("%s: exit code %d, %s%s, of report %s", name, code, stdout, stderr, report)
		}
	}
}

// bySide names a side of a comparison after the trace, as it is without a dataset.
func bySide(s, name string) string { return strings.ReplaceAll(s, "of/"+name, name) }

func firstDifference(got, want string) string {
	g, w := bytes.Split([]byte(got), []byte("\n")), bytes.Split([]byte(want), []byte("\n"))
	for i := range min(len(g), len(w)) {
		if !bytes.Equal(g[i], w[i]) {
			return "got  " + string(g[i]) + "\nwant " + string(w[i])
		}
	}
	return "one is longer"
}

// ohframeHere runs the program in the process of the test.
func ohframeHere(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	before := [2]*os.File{os.Stdout, os.Stderr}
	defer func() { os.Stdout, os.Stderr = before[0], before[1] }()
	var texts [2]string
	streams := [2]*os.File{must.Get(os.CreateTemp(t.TempDir(), ""))(t), must.Get(os.CreateTemp(t.TempDir(), ""))(t)}
	os.Stdout, os.Stderr = streams[0], streams[1]
	code = run(append([]string{"ohframe"}, args...))
	for i, f := range streams {
		texts[i] = string(must.Get(os.ReadFile(f.Name()))(t))
		f.Close()
	}
	return code, texts[0], texts[1]
}

// What a name that does not exist is answered with does not depend on the flag and the command.
func TestUnknownOfDataset(t *testing.T) {
	demo := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(t)
	t.Chdir(t.TempDir())
	for _, version := range []string{"1.0", "1.1"} {
		must.Do(t, os.MkdirAll("lab/version="+version, 0o777))
		must.Do(t, os.WriteFile("lab/version="+version+"/a.ftrace", append(slices.Clone(demo), "# "+version+"\n"...), 0o666))
	}
	if code, _, stderr := ohframeHere(t, "fleet", "run", "lab", "-o", "dataset"); code != 0 {
		t.Fatal(stderr)
	}
	for _, test := range []struct{ args, want string }{
		{"report --by", "did you mean version? the dimensions are "}, {"why --by", "did you mean version? the dimensions are "},
		{"report --over", "did you mean version? the dimensions are "}, {"diff --new version=1.1 --base", "did you mean version? the dimensions are "},
		{"report --process", "did you mean gallery? processes with frames: "}, {"report --by version --process", "did you mean gallery? processes with frames: "},
		{"why --process", "did you mean gallery? processes with frames: "}, {"report --over version --process", "did you mean gallery? processes with frames: "},
	} {
		wrong := "versoin"
		switch {
		case strings.HasSuffix(test.args, "process"):
			wrong = "galery"
		case strings.HasSuffix(test.args, "base"):
			wrong = "versoin=1.0"
		}
		code, _, stderr := ohframeHere(t, append(strings.Fields(test.args), wrong, "dataset")...)
		if _, hint, _ := strings.Cut(stderr, "\nhint: "); code != 1 || !strings.HasPrefix(hint, test.want) || strings.Count(hint, "recorded_day") > 1 {
			t.Errorf("%s %s: exit code %d, %s", test.args, wrong, code, stderr)
		}
	}
	// Names of measures have commas.
	if _, stdout, _ := ohframeHere(t, "report", "--over", "version", "dataset"); !strings.Contains(strings.Join(strings.Fields(stdout), " "), "Jank rate; FPS; Hitch ratio, ms/s; Duration P50, ms") {
		t.Error(stdout)
	}
	// A condition that selects none of the groups does not propose another --process.
	for by, want := range map[string]string{"version": "need process in --by", "version,process": ""} {
		code, _, stderr := ohframeHere(t, "report", "dataset", "--by", by, "--fail-on", "com.example.gallery: fps<1")
		if (code == 3) != (want != "") || !strings.Contains(stderr, want) {
			t.Errorf("--by %s: exit code %d, %s", by, code, stderr)
		}
	}
}
