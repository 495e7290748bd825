package inputs

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"ohframe"
	"ohframe/internal/diag"
	"ohframe/internal/record/meta"
	"ohframe/internal/testing/must"
)

const (
	event   = " app-1 (1) [000] .... 1.000000: tracing_mark_write: B|1|x\n"
	systrac = "<!DOCTYPE html>\n<html><script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n" + event + "</script></html>\n"
	page    = "<!doctype html><html><title>report</title></html>\n"
)

// write writes files below a new folder, which it returns.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)))
	}
	return dir
}

// names returns the paths of a set below a folder, one of an error with its text.
func names(dir string, set *Set) string {
	var list []string
	for _, in := range set.Inputs {
		name, _ := filepath.Rel(dir, in.Path)
		name = filepath.ToSlash(name)
		if in.Err != nil {
			name += "!"
		}
		list = append(list, name)
	}
	return strings.Join(list, " ")
}

// expand expands names in a folder.
func expand(t *testing.T, dir string, o Options, args ...string) *Set {
	t.Helper()
	for i, arg := range args {
		if rest, ok := strings.CutPrefix(arg, "@"); ok {
			args[i] = "@" + filepath.Join(dir, rest)
		} else {
			args[i] = filepath.Join(dir, arg)
		}
	}
	set := must.Get(Expand(args, o))(t)
	return set
}

// What a folder with these files stands for, and what is said of the others.
func TestFolder(t *testing.T) {
	zipped := func(s string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(s))
		z.Close()
		return b.String()
	}
	tarOf := func(names ...string) string {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		for _, name := range names {
			w.WriteHeader(&tar.Header{Name: name, Mode: 0o644})
		}
		w.Close()
		return b.String()
	}
	run := func(fields string) string { return `{"trace": "` + fields + `}` }
	for _, x := range []struct {
		why     string
		files   map[string]string
		want    string
		skipped string
	}{
		{"order of names", map[string]string{"b.ftrace": "", "a": "", "C.sys": ""}, "C.sys a b.ftrace", ""},
		{"hidden files, descriptions and folders", map[string]string{"a": "", ".b": "", "a.meta.json": "{}", "sub/c": ""}, "a", ""},
		{"a conversion", map[string]string{"a.ftrace": "", "a.pftrace": "", "b.pftrace": ""}, "a.ftrace b.pftrace", "1 file skipped: a.pftrace (converted from a.ftrace)"},
		{"a compressed conversion", map[string]string{"a.htrace": "", "a.pftrace.gz": ""}, "a.htrace", "1 file skipped: a.pftrace.gz (converted from a.htrace)"},
		{"a report of a trace beside it", map[string]string{"a.html": page, "a.pftrace": ""}, "a.pftrace", "1 file skipped: a.html"},
		{"dots in names", map[string]string{"com.x.a.ftrace": "", "com.x.pftrace": "", "com.x.b.pftrace": ""}, "com.x.a.ftrace com.x.b.pftrace com.x.pftrace", ""},
		{"a compressed copy", map[string]string{"a.ftrace": "", "a.ftrace.gz": "", "a.txt.gz": ""}, "a.ftrace a.txt.gz", "1 file skipped: a.ftrace.gz (copy of a.ftrace)"},
		{"the text of a binary trace", map[string]string{"a.sys": "", "a.ftrace": "", "a.pftrace": ""}, "a.sys", "2 files skipped: a.ftrace (text of a.sys), a.pftrace (converted from a.ftrace)"},
		{"no traces by extension", map[string]string{"a": "", "b.json": "", "c.csv.gz": "", "D.PNG": "", "e.md": "", "f.yml": "", "g.parquet": "", "h.xml": ""}, "a", "7 files skipped: D.PNG, b.json, c.csv.gz, e.md, f.yml, g.parquet, 1 more"},
		{"pages", map[string]string{"a.html": systrac, "b.html": page, "c.htm": "", "d.html.gz": zipped(page), "e.html.gz": zipped(systrac)}, "a.html c.htm e.html.gz", "2 files skipped: b.html, d.html.gz"},
		{"logs", map[string]string{"a.log": event, "b.log": "make: done\n", "c.log": "", "d.log": "# tracer: nop\n", "e.log": "08-05 17:12:33.444  1 2 I C03900/Ace: x\n" + event, "f.log": "Janky frames: 3 (1.00%)\n", "g.log": "16666666\n1 2 3\n"}, "a.log d.log e.log f.log g.log", "2 files skipped: b.log, c.log"},
		{"files that may be traces", map[string]string{"a.txt": "", "b": "prose", "c.bin": "\x00", "d.txt": "OHOSPROF\x00", "e.tar": "prose", "f.tar": strings.Repeat("x", 600)}, "a.txt b c.bin d.txt e.tar f.tar", ""},
		{"texts", map[string]string{"a.txt": "# tracer: nop\n", "b.txt": "note\n" + event, "c.txt": "16666666\n1 2 3\n", "d.txt": "run  frames\na  10\n", "e.txt": "\x1b[1mrun\x1b[0m\n", "f.txt.gz": zipped("run  frames\n")}, "a.txt b.txt c.txt", "3 files skipped: d.txt, e.txt, f.txt.gz"},
		{"archives of diff --merge", map[string]string{"a.ftrace": event, "m.tar": tarOf("perfetto_manifest.json", "base.pftrace", "new.pftrace"), "n.tar.gz": zipped(tarOf("perfetto_manifest.json")), "o.tar": tarOf("x.ftrace", "perfetto_manifest.json")}, "a.ftrace o.tar", "2 files skipped: m.tar, n.tar.gz"},
		{"nothing", nil, ".!", ""},
		{"nothing but others", map[string]string{"a.json": "{}"}, ".!", "1 file skipped: a.json"},
		{"runs", map[string]string{
			"01.ftrace": "", "01.meta.json": run(`01.ftrace", "run": {"number": 1, "cold": true}`),
			"02.ftrace": "", "02.meta.json": run(`02.ftrace", "run": {"number": 2, "problem": "ended early"}`),
			"b.ftrace": "", "b.meta.json": run(`b.ftrace", "run": {"number": 3}`),
			"a.ftrace": "", "a.meta.json": run(`a.ftrace", "run": {"number": 10}`),
			"c.ftrace": "", "c.meta.json": run(`c.ftrace"`), "a.pftrace": "",
		}, "b.ftrace a.ftrace", "4 files skipped: 01.ftrace (run 1, cold), 02.ftrace (run 2, invalid: ended early), a.pftrace (converted from a.ftrace), c.ftrace (not one of the runs)"},
		{"only a cold run", map[string]string{"1.ftrace": "", "1.meta.json": run(`1.ftrace", "run": {"number": 1, "cold": true}`)}, "1.ftrace", ""},
		{"no valid run", map[string]string{"1.ftrace": "", "1.meta.json": run(`1.ftrace", "run": {"number": 1, "problem": "hot"}`)}, ".!", "1 file skipped: 1.ftrace (run 1, invalid: hot)"},
		{"a run whose trace is gone", map[string]string{"1.ftrace": "", "1.meta.json": run(`1.ftrace", "run": {"number": 1}`), "0.meta.json": run(`0.ftrace", "run": {"number": 0}`)}, "0.ftrace! 1.ftrace", ""},
		{"a damaged description of a run", map[string]string{"1.ftrace": "", "1.meta.json": run(`1.ftrace", "run": {"number": 1}`), "2.ftrace": "", "2.meta.json": "{"}, "2.meta.json!", ""},
		{"a description of a file elsewhere", map[string]string{"1.ftrace": "", "1.meta.json": run(`1.ftrace", "run": {"number": 1}`), "2.meta.json": run(`../2.ftrace", "run": {"number": 2}`)}, "2.meta.json!", ""},
		{"a damaged description of a trace", map[string]string{"2.ftrace": "", "2.meta.json": "{"}, "2.ftrace", ""},
	} {
		dir := write(t, x.files)
		set := expand(t, dir, Options{}, "")
		skipped := ""
		for _, f := range set.Folders {
			must.Equal(t, f.Path, dir, "%s: skipped", x.why)
			skipped += f.Warning()
		}
		if got := names(dir, set); got != x.want || skipped != x.skipped {
			t.Errorf("%s: got %s; %s\nwant %s; %s", x.why, got, skipped, x.want, x.skipped)
		}
	}
}

// A folder that only has folders says how to name what is in them.
func TestFolderOfFolders(t *testing.T) {
	dir := write(t, map[string]string{"a/x": ""})
	e := (*diag.Error)(nil)
	if set := expand(t, dir, Options{}, ""); len(set.Inputs) != 1 || !errors.As(set.Inputs[0].Err, &e) || !strings.Contains(e.Hint, filepath.Join(dir, "*")) {
		t.Errorf("%+v", set)
	}
}

// A folder of sessions stands for the valid runs of each: each has its own cold run. Folders
// without traces do not count, nor do folders within those of sessions.
func TestSessions(t *testing.T) {
	run := func(name, fields string) string { return `{"trace": "` + name + `.ftrace", "run": {` + fields + `}}` }
	files := map[string]string{"base/.git/1.ftrace": "", "base/logs/a.json": "", "base/deep/er/1.ftrace": "", "base/notes.md": ""}
	for _, session := range []string{"base/2026-11-21", "base/2026-11-20"} {
		for n, fields := range []string{`"number": 1, "cold": true`, `"number": 2`, `"number": 3, "problem": "hot"`, `"number": 4`} {
			name := fmt.Sprint(n + 1)
			files[session+"/"+name+".ftrace"], files[session+"/"+name+".meta.json"] = "", run(name, fields)
		}
	}
	files["invalid/a/1.ftrace"], files["invalid/a/1.meta.json"] = "", run("1", `"number": 1, "problem": "hot"`)
	files["damaged/a/1.ftrace"], files["damaged/a/1.meta.json"] = "", run("1", `"number": 1`)
	files["damaged/a/2.ftrace"], files["damaged/a/2.meta.json"] = "", "{"
	files["both/1.ftrace"], files["both/a/2.ftrace"] = "", ""
	dir := write(t, files)
	for _, x := range []struct{ arg, want, skipped string }{
		{"base", "base/2026-11-20/2.ftrace base/2026-11-20/4.ftrace base/2026-11-21/2.ftrace base/2026-11-21/4.ftrace",
			"base/2026-11-20: 2 files skipped: 1.ftrace (run 1, cold), 3.ftrace (run 3, invalid: hot); " +
				"base/2026-11-21: 2 files skipped: 1.ftrace (run 1, cold), 3.ftrace (run 3, invalid: hot); " +
				"base/logs: 1 file skipped: a.json; " +
				"base: 3 files skipped: deep (a folder without traces), logs (a folder without traces), notes.md"},
		{"base/2026-11-20", "base/2026-11-20/2.ftrace base/2026-11-20/4.ftrace", "base/2026-11-20: 2 files skipped: 1.ftrace (run 1, cold), 3.ftrace (run 3, invalid: hot)"},
		{"invalid", "invalid!", "invalid/a: 1 file skipped: 1.ftrace (run 1, invalid: hot); invalid: 1 file skipped: a (a folder without traces)"},
		{"damaged", "damaged/a/2.meta.json!", ""},
		{"both", "both/1.ftrace", ""}, // a folder with traces stands for them
		{"base/deep", "base/deep/er/1.ftrace", ""},
	} {
		set := expand(t, dir, Options{Sessions: true}, x.arg)
		var skipped []string
		for _, f := range set.Folders {
			name, _ := filepath.Rel(dir, f.Path)
			skipped = append(skipped, filepath.ToSlash(name)+": "+f.Warning())
		}
		if got := names(dir, set); got != x.want || strings.Join(skipped, "; ") != x.skipped {
			t.Errorf("%s: got %s\n%s\nwant %s\n%s", x.arg, got, strings.Join(skipped, "; "), x.want, x.skipped)
		}
	}
	e := (*diag.Error)(nil)
	if set := expand(t, dir, Options{Sessions: true}, "invalid"); !errors.As(set.Inputs[0].Err, &e) || e.What != "the folder has no traces" || e.Hint != "" {
		t.Errorf("%+v", set)
	}
	if set := expand(t, dir, Options{Sessions: true}, "base", "base"); len(set.Inputs) != 8 {
		t.Errorf("given twice: %s", names(dir, set))
	}
}

// A link to a folder may lead to the folder that has it.
func TestNoFiles(t *testing.T) {
	dir := write(t, map[string]string{"sub/a": ""})
	if err := errors.Join(os.Symlink("..", filepath.Join(dir, "sub", "up")), os.Symlink("gone", filepath.Join(dir, "dangling")), os.Symlink("sub/a", filepath.Join(dir, "linked"))); err != nil {
		t.Skip(err)
	}
	set := expand(t, dir, Options{Recursive: true}, "")
	must.Equal(t, names(dir, set), "dangling! linked sub/a")
	want := []Folder{{filepath.Join(dir, "sub"), []Skipped{{"up", "a link to a folder"}}}}
	if !reflect.DeepEqual(set.Folders, want) {
		t.Errorf("got %v, want %v", set.Folders, want)
	}
}

// Reading a pipe or a socket may block.
func TestSocket(t *testing.T) {
	dir := write(t, map[string]string{"a": ""})
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	set := expand(t, dir, Options{}, "")
	if got := names(dir, set); got != "a" || len(set.Folders) != 1 || set.Folders[0].Warning() != "1 file skipped: s (not a file)" {
		t.Errorf("got %s, %v", got, set.Folders)
	}
}

func TestRecursive(t *testing.T) {
	dir := write(t, map[string]string{
		"a/x.ftrace": "1", "a/x.pftrace": "", "b/y": "22", "b/.hidden": "", ".git/z": "", "empty/.x": "", "out/traces/part": "",
		"runs/1.ftrace": "", "runs/1.meta.json": `{"trace": "1.ftrace", "run": {"number": 1, "problem": "hot"}}`, "runs/more/w": "",
	})
	set := expand(t, dir, Options{Recursive: true, Without: filepath.Join(dir, "out")}, "")
	must.Equal(t, names(dir, set), "a/x.ftrace b/y runs/more/w")
	must.Equal(t, strings.Join(set.Hidden, " "), filepath.Join(dir, "out/traces/part"), "hidden")
	if len(set.Folders) != 2 || set.Folders[0].Path != filepath.Join(dir, "a") || set.Folders[1].Path != filepath.Join(dir, "runs") {
		t.Errorf("%v", set.Folders)
	}
	if set.Inputs[0].Size != 1 || set.Inputs[1].Size != 2 {
		t.Errorf("%v", set.Inputs)
	}
}

// With Only, the system is not asked about other files of a folder: a link that leads nowhere would be
// an error otherwise. Other forms of a wanted trace still decide whether it is skipped. A folder in a
// list stands for its files, with a slash or without.
func TestOnly(t *testing.T) {
	dir := write(t, map[string]string{"a.ftrace": "1", "a.pftrace": "", "b.pftrace": "", "sub/a": "", "list": "gone\na.ftrace\nsub/\nb.pftrace\nsub", "dir.v1/c.ftrace": "1", "folder": "dir.v1\n"})
	if err := os.Symlink("nowhere", filepath.Join(dir, "z")); err != nil {
		t.Skip(err)
	}
	only := func(suffix string) Options {
		return Options{Recursive: true, Only: func(path string) bool { return strings.HasSuffix(path, suffix) }}
	}
	for _, x := range []struct{ arg, suffix, want, others string }{
		{"", "pftrace", "b.pftrace", "a.ftrace a.pftrace folder list z dir.v1/c.ftrace sub/a"},
		{"", "ftrace", "a.ftrace b.pftrace dir.v1/c.ftrace", "a.pftrace folder list z sub/a"},
		{"", "", "a.ftrace b.pftrace folder list z! dir.v1/c.ftrace sub/a", "a.pftrace"},
		{"@list", "a.ftrace", "a.ftrace", "gone sub/a b.pftrace sub/a"},
		{"@list", "nothing", "", "gone a.ftrace sub/a b.pftrace sub/a"},
		{"@list", "sub/a", "sub/a sub/a", "gone a.ftrace b.pftrace"},
		{"@list", "gone", "gone!", "a.ftrace sub/a b.pftrace sub/a"},
		{"@folder", "ftrace", "dir.v1/c.ftrace", ""},
	} {
		set := expand(t, dir, only(x.suffix), x.arg)
		var others []string
		for _, path := range set.Others {
			name, _ := filepath.Rel(dir, path)
			others = append(others, filepath.ToSlash(name))
		}
		if got := names(dir, set); got != x.want || strings.Join(others, " ") != x.others {
			t.Errorf("%s %s: got %s; %s\nwant %s; %s", x.arg, x.suffix, got, others, x.want, x.others)
		}
	}
}

// Files that are given by their names are read, whatever they are.
func TestNamed(t *testing.T) {
	dir := write(t, map[string]string{
		"a.ftrace": "", "a.pftrace": "", "b.json": "", ".c": "", "[x]": "", "sub/x/1": "", "sub/.x/1": "", "@d": "",
		"list": "\r\n# a comment\r\n  a.pftrace  \n" + "b.json\r\ngone\nsub/x\n\n", "nothing": "# none\n",
	})
	for _, x := range []struct{ args, want string }{
		{"a.ftrace a.pftrace b.json .c", "a.ftrace a.pftrace b.json .c"},
		{"a.*", "a.ftrace a.pftrace"},
		{"[x]", "[x]"}, // a file, not a pattern
		{"*", "@d [x] a.ftrace a.pftrace b.json list nothing"},
		{".*", ".c"},
		{"sub/*", "sub/x/1"}, // a shell does not match .x, and the folder stands for its files
		{"sub/.x/*", "sub/.x/1"},
		{"@list", "a.pftrace b.json gone! sub/x/1"},
		{"a.ftrace a.ftrace", "a.ftrace a.ftrace"},
	} {
		set := expand(t, dir, Options{}, strings.Fields(x.args)...)
		got := names(dir, set)
		if x.args == "*" { // the folder sub has only folders
			got = strings.TrimSuffix(got, " sub!")
		}
		if got != x.want || len(set.Folders) > 0 {
			t.Errorf("%s: got %s, want %s; %v", x.args, got, x.want, set.Folders)
		}
	}
	bad := (*diag.Error)(nil)
	for arg, what := range map[string]string{
		"gone": "no such file", "*.gone": "no file matches", "[": "not a pattern", "@gone": "no such file", "@nothing": "the list is empty", "@sub": "is a directory",
	} {
		path := filepath.Join(dir, arg)
		if rest, ok := strings.CutPrefix(arg, "@"); ok {
			path = "@" + filepath.Join(dir, rest)
		}
		_, err := Expand([]string{path}, Options{})
		if !errors.As(err, &bad) || runtime.GOOS != "windows" && !strings.Contains(bad.What, what) || !strings.HasPrefix(bad.What, strings.TrimPrefix(path, "@")+": ") {
			t.Errorf("%s: got %v, want %q", arg, err, what)
		}
	}
	if set, err := Expand([]string{Standard}, Options{}); err != nil || len(set.Inputs) != 1 || set.Inputs[0] != (Input{Path: Standard}) {
		t.Errorf("%v, %v", set, err)
	}
}

// An address in an object store, and an absolute path, are not relative to the list.
func TestList(t *testing.T) {
	dir := write(t, map[string]string{"sub/a": "", "b": ""})
	list := filepath.Join(dir, "sub", "list")
	must.Do(t, os.WriteFile(list, []byte("a\n"+filepath.Join(dir, "b")+"\ns3://bucket/c\n./#d"), 0o666))
	set := must.Get(Expand([]string{"@" + list}, Options{}))(t)
	var got []string
	for _, in := range set.Inputs {
		got = append(got, fmt.Sprint(in.Path, in.Err == nil))
	}
	want := []string{filepath.Join(dir, "sub", "a") + "true", filepath.Join(dir, "b") + "true", "s3://bucket/cfalse", filepath.Join(dir, "sub", "#d") + "false"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if !errors.Is(set.Inputs[3].Err, fs.ErrNotExist) {
		t.Error(set.Inputs[3].Err)
	}
}

// The name of an application's own trace has the full name of the application.
func TestFullNameOfOwnTrace(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"logs/com.example.gallery_20261128_101112.trace", "com.example.gallery"},
		{"com.example.gallery:web_20261128_101112.trace.gz", "com.example.gallery:web"},
		{"com.example.gallery_20261128.trace", ""},
		{"MAIN_THREAD_JANK_1795600000000_20170.trace", ""},
		{"_20261128_101112.trace", ""},
	} {
		var o ohframe.Options
		UseRecorded(test.file, nil, &o, false)
		must.Equal(t, strings.Join(o.Recording.FullNames, " "), test.want, "%s", test.file)
	}
	// The application that a description names is the one that was recorded.
	var o ohframe.Options
	UseRecorded("a.b.c.gallery_20261128_101112.trace", &meta.Meta{App: &meta.App{Bundle: "com.example.gallery"}}, &o, false)
	if len(o.Recording.FullNames) != 1 || o.Recording.FullNames[0] != "com.example.gallery" {
		t.Errorf("got %q", o.Recording.FullNames)
	}
}

// A list that is no text of names, and one that nobody writes to.
func TestBadLists(t *testing.T) {
	dir := write(t, map[string]string{"long": strings.Repeat("x", 100_000)})
	e := (*diag.Error)(nil)
	if _, err := Expand([]string{"@" + filepath.Join(dir, "long")}, Options{}); !errors.As(err, &e) || !strings.Contains(err.Error(), "long: not a list: a line has more than 64 KiB") || e.Hint == "" {
		t.Errorf("%v", err)
	}
	r, w := io.Pipe()
	defer w.Close()
	if _, err := io.ReadAll(patient{r, time.Millisecond}); !errors.Is(err, context.DeadlineExceeded) || err.Error() != "took longer than 1ms" {
		t.Errorf("%v", err)
	}
	text, err := io.ReadAll(patient{strings.NewReader("abc"), time.Minute})
	if string(text) != "abc" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrUnexpectedEOF)
	if _, err := Within(ctx, 0, func() (int, error) { select {} }); err != io.ErrUnexpectedEOF {
		t.Errorf("%v", err)
	}
}
