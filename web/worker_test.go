// Package web has no Go but these tests: the page and its worker are TypeScript.
package web

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"ohframe/internal/testing/browsertest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// The program for browsers does what the program does: here its worker runs in node, and in Chromium.

// workerCommand is what a worker is asked: see web/test/node.mjs.
type workerCommand struct {
	Args    []string          `json:"args"`
	Inputs  map[string]string `json:"inputs"`
	Outputs map[string]string `json:"outputs"`
}

type workerAnswer struct {
	Kind   string
	Why    string
	What   string
	Code   int
	Stdout string
	Stderr string
	Memory int
	Ms     float64 // that it took, in Chromium
	Timers int     // that are left
	// Outputs are those that were written.
	Outputs  []string
	Progress []struct{ Read, Total int64 }
}

// program builds the program and the worker, as "make web-program" does.
var program = sync.OnceValues(func() (string, error) {
	const folder = "build/web-test"
	out, err := exec.Command("make", "-s", "-C", "..", "web-program", "web_dir="+folder).CombinedOutput()
	if err == nil {
		out, err = exec.Command("go", "build", "-buildvcs=false", "-o", "../"+folder+"/", "../cmd/ohframe").CombinedOutput()
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return "../" + folder, err
})

// newProgram returns the folder of the program for browsers, or skips the test.
func newProgram(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program again")
	}
	for _, needed := range []string{"node", "npm", "make"} {
		if _, err := exec.LookPath(needed); err != nil {
			if os.Getenv("OHFRAME_REQUIRE_BROWSER") == "1" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	return must.Get(program())(t)
}

// inNode runs commands in node.
func inNode(t *testing.T, folder string, commands []workerCommand, flags ...string) (answers []workerAnswer) {
	t.Helper()
	var in bytes.Buffer
	for _, c := range commands {
		must.Do(t, json.NewEncoder(&in).Encode(c))
	}
	cmd := exec.Command("node", append(flags, "test/node.mjs", folder)...)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out := must.Get(cmd.Output())(t)
	for line := range bytes.Lines(out) {
		var a workerAnswer
		must.Do(t, json.Unmarshal(line, &a))
		if a.Timers > 0 {
			t.Errorf("%v: %d timers are left", commands[len(answers)].Args, a.Timers)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(commands) {
		t.Fatalf("%d answers to %d commands", len(answers), len(commands))
	}
	return answers
}

// commandLines are command lines, in which OUT is an output.
var commandLines = []string{
	"convert -q IN -o OUT.pftrace",
	"report IN -o OUT.html",
	"report --format json IN",
	"why --format json IN",
	"frames --format csv IN -o OUT.csv",
}

// captures returns traces, each with the files beside it, which are quick to read unless all is set.
func captures(t *testing.T, all bool) (list [][]string) {
	t.Helper()
	data := must.Get(filepath.Abs("../testdata"))(t)
	patterns := []string{"demo.ftrace", "*.ftrace.gz", "captures/*.ftrace"}
	if all {
		patterns = append(patterns, "../../shared/oracle/*.ftrace", "../../shared/traces/*.ftrace", "../../shared/traces/*/*")
	}
	for _, pattern := range patterns {
		for _, file := range must.Get(filepath.Glob(filepath.Join(data, pattern)))(t) {
			if info := must.Get(os.Stat(file))(t); info.IsDir() {
				continue
			}
			files := []string{file}
			if samples := strings.TrimSuffix(file, ".ftrace.gz") + ".perf.data"; exists(samples) {
				files = append(files, samples)
			}
			list = append(list, files)
		}
	}
	return list
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(path, content, 0o666))
}

func writeZip(t *testing.T, path string, files ...string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, file := range files {
		w := must.Get(z.Create(filepath.Base(file)))(t)
		must.Get(w.Write(must.Get(os.ReadFile(file))(t)))(t)
	}
	must.Do(t, z.Close())
	write(t, path, b.Bytes())
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// sameAsNative runs a command line in a folder with files, and checks that a worker's answer is the same.
type sameAsNative struct {
	dir, args string
	files     []string // of dir
	command   workerCommand
}

func newSameAsNative(t *testing.T, line string, files ...string) *sameAsNative {
	s := &sameAsNative{dir: t.TempDir(), args: line, command: workerCommand{Inputs: map[string]string{}, Outputs: map[string]string{}}}
	for _, file := range files {
		name := filepath.Base(file)
		must.Do(t, os.Symlink(file, filepath.Join(s.dir, name)))
		s.command.Inputs["/in/"+name], s.files = file, append(s.files, name)
	}
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(word, "OUT") {
			s.command.Outputs["/out/"+word] = filepath.Join(s.dir, "web."+word)
			word = "/out/" + word
		} else if word == "IN" {
			word = s.files[0]
		}
		s.command.Args = append(s.command.Args, word)
	}
	return s
}

func (s *sameAsNative) check(t *testing.T, a workerAnswer) {
	t.Helper()
	var args []string
	for _, arg := range s.command.Args {
		args = append(args, strings.TrimPrefix(arg, "/out/"))
	}
	cmd := exec.Command(must.Get(filepath.Abs("../build/web-test/ohframe"))(t), args...)
	cmd.Dir = s.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Run() // the exit code says more
	name := fmt.Sprintf("%s of %v", s.args, s.files)
	if a.Kind != "done" {
		t.Errorf("%s: %s: %s: %s", name, a.Kind, a.Why, a.What)
		return
	}
	must.Equal(t, a.Code, cmd.ProcessState.ExitCode(), name+": exit code")
	// The system's words begin with a capital letter there, and outputs are in a folder.
	must.Equal(t, strings.NewReplacer("No such file", "no such file", "/out/", "").Replace(a.Stderr), stderr.String(), name+": errors")
	if a.Stdout != stdout.String() {
		t.Errorf("%s: prints something else", name)
	}
	for output, file := range s.command.Outputs {
		native, _ := os.ReadFile(filepath.Join(s.dir, strings.TrimPrefix(output, "/out/")))
		web, _ := os.ReadFile(file)
		if !bytes.Equal(native, web) {
			t.Errorf("%s: %s: %d bytes, the program writes %d others", name, output, len(web), len(native))
		}
	}
}

// All outputs of all captures are the same in a worker, and so are errors and hints.
func TestWorkerSameBytes(t *testing.T) {
	folder := newProgram(t)
	var list []*sameAsNative
	add := func(line string, files ...string) { list = append(list, newSameAsNative(t, line, files...)) }
	for i, files := range captures(t, slow.Enabled()) {
		for k, line := range commandLines {
			if slow.Enabled() || k == i%len(commandLines) || k < 2 && i < 2 {
				add(line, files...)
			}
		}
	}
	data := must.Get(filepath.Abs("../testdata"))(t)
	demo, capture := filepath.Join(data, "demo.ftrace"), filepath.Join(data, "captures", "openharmony-5.0-browser.ftrace")
	zip := filepath.Join(t.TempDir(), "two.zip")
	writeZip(t, zip, demo, capture)
	noTrace := filepath.Join(t.TempDir(), "notes.txt")
	write(t, noTrace, []byte("bought milk\n"))
	part := filepath.Join(t.TempDir(), "part.ftrace.gz")
	content := must.Get(os.ReadFile(filepath.Join(data, "layers.ftrace.gz")))(t)
	write(t, part, content[:len(content)/2])
	add("report --format json .", demo, capture)
	add("diff demo.ftrace openharmony-5.0-browser.ftrace -o OUT.html", demo, capture)
	add("report --entry demo.ftrace IN", zip)
	add("report IN", zip)
	add("report IN", noTrace)
	add("report --format json IN", part)
	add("why missing.ftrace", demo)
	add("report --help", demo) // templates call methods: see overlay.sh
	add("frames IN -o OUT.parquett", demo)
	var commands []workerCommand
	for _, s := range list {
		commands = append(commands, s.command)
	}
	for i, a := range inNode(t, folder, commands) {
		list[i].check(t, a)
		if p := a.Progress; len(p) > 0 && p[len(p)-1].Read > p[len(p)-1].Total {
			t.Errorf("%s: progress %v", list[i].args, p[len(p)-1])
		}
	}
}

// A file that the browser cannot read on is an error with what to do. Names are text, and may be those of flags.
func TestWorkerFiles(t *testing.T) {
	folder := newProgram(t)
	demo := must.Get(filepath.Abs("../testdata/demo.ftrace"))(t)
	layers := must.Get(filepath.Abs("../testdata/layers.ftrace.gz"))(t)
	dir := t.TempDir()
	copies := filepath.Join(dir, "lost.ftrace")
	write(t, copies, bytes.Repeat(must.Get(os.ReadFile(demo))(t), 6))
	odd := "-o \u202e<b>'\"&\\ü.ftrace"
	many := workerCommand{Args: []string{"report", "--format", "json", "--"}, Inputs: map[string]string{}}
	for i := range 60 {
		name := fmt.Sprintf("%s %d.ftrace", strings.Repeat("a long name ", 18), i) // more than 8 KB together
		many.Args, many.Inputs["/in/"+name] = append(many.Args, name), demo
	}
	answers := inNode(t, folder, []workerCommand{
		{Args: []string{"report", "lost.ftrace"}, Inputs: map[string]string{"/in/lost.ftrace": copies + "@1500000"}},
		{Args: []string{"report", "-o", "/out/x.html", "--", odd}, Inputs: map[string]string{"/in/" + odd: demo}, Outputs: map[string]string{"/out/x.html": filepath.Join(dir, "x.html")}},
		{Args: []string{"diff", "a/demo.ftrace", "b/demo.ftrace"}, Inputs: map[string]string{"/in/a/demo.ftrace": demo, "/in/b/demo.ftrace": demo}},
		{Args: []string{"report", "-o", "/in/layers.ftrace.gz", "layers.ftrace.gz"}, Inputs: map[string]string{"/in/layers.ftrace.gz": layers}},
		many,
		{Args: []string{"report", "2/a.ftrace"}, Inputs: map[string]string{"/in/2": demo, "/in/2/a.ftrace": demo}},
		{Args: []string{"version"}, Inputs: map[string]string{}},
	})
	lost := answers[0]
	if lost.Code != 1 || !strings.Contains(lost.Stderr, "ohframe: lost.ftrace: ") || !strings.Contains(lost.Stderr, "hint: the browser can no longer read lost.ftrace: ") {
		t.Errorf("lost: %+v", lost)
	}
	must.Equal(t, answers[1].Code, 0, "exit code of an odd name")
	if page := string(must.Get(os.ReadFile(filepath.Join(dir, "x.html")))(t)); strings.Contains(page, "<b>'") {
		t.Error("a name is markup")
	}
	must.Equal(t, answers[2].Code, 0, "exit code of two of one name")
	if a := answers[3]; a.Code == 0 || len(a.Outputs) > 0 {
		t.Errorf("an input was replaced: %+v", a)
	}
	must.Equal(t, answers[4].Code, 0, "exit code of many files: "+answers[4].Stderr)
	must.Equal(t, answers[5].Kind+" "+answers[5].What, "failed ENOTDIR", "a file that is a folder, too")
	must.Equal(t, answers[6].Kind, "done", "the next command")
}

// A large trace needs little memory: it is read as a stream.
func TestWorkerLarge(t *testing.T) {
	slow.Skip(t)
	folder := newProgram(t)
	const size, most = 60 << 20, 200 << 20
	trace := filepath.Join(t.TempDir(), "large.ftrace")
	f := must.Get(os.Create(trace))(t)
	must.Get(simulate.Write(f, simulate.Capture(size)))(t)
	must.Do(t, f.Close())
	var commands []workerCommand
	var list []*sameAsNative
	for _, line := range commandLines[:2] {
		s := newSameAsNative(t, line, trace)
		list, commands = append(list, s), append(commands, s.command)
	}
	for i, a := range inNode(t, folder, commands) {
		list[i].check(t, a)
		if a.Memory > most {
			t.Errorf("%s: %d MB of memory, more than %d", list[i].args, a.Memory>>20, most>>20)
		}
	}
}

// Memory that runs out is said, whether the program starts or not.
func TestWorkerMemory(t *testing.T) {
	folder := newProgram(t)
	trace := must.Get(filepath.Abs("../testdata/layers.ftrace.gz"))(t)
	command := workerCommand{Args: []string{"report", "layers.ftrace.gz"}, Inputs: map[string]string{"/in/layers.ftrace.gz": trace}}
	for _, pages := range []int{100, 300} {
		a := inNode(t, folder, []workerCommand{command}, fmt.Sprintf("--wasm-max-mem-pages=%d", pages))[0]
		if a.Kind != "failed" || a.Why != "memory" {
			t.Errorf("%d pages: %+v", pages, a)
		}
	}
}

// page is one in Chromium that runs commands as the site does, on a worker with the program.
type page struct {
	*browsertest.Browser
	mutex    sync.Mutex
	received map[string][]byte // what was written, by the names of files that it is for
}

// newPage opens a page, or skips the test where there is no browser.
func newPage(t *testing.T, folder string) *page {
	t.Helper()
	p := &page{Browser: browsertest.New(t), received: map[string][]byte{}}
	files := http.NewServeMux()
	files.Handle("/", http.FileServer(http.Dir(folder)))
	files.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!DOCTYPE html><title>test</title>") })
	files.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, r.FormValue("name")) })
	files.HandleFunc("/output", func(_ http.ResponseWriter, r *http.Request) {
		var content bytes.Buffer
		content.ReadFrom(r.Body)
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.received[r.FormValue("name")] = content.Bytes()
	})
	server := httptest.NewServer(files)
	t.Cleanup(server.Close)
	p.Do(chromedp.Navigate(server.URL + "/page"))
	return p
}

// run runs commands, one after another. An output without a name of a file is dropped.
func (p *page) run(commands ...workerCommand) []workerAnswer {
	p.Helper()
	return browsertest.Eval[[]workerAnswer](p.Browser, fmt.Sprintf(`(async () => {
		const answers = [];
		for (const [id, {args, inputs, outputs}] of %s.entries()) {
			const files = [];
			for (const [path, name] of Object.entries(inputs)) {
				const response = await fetch('file?name=' + encodeURIComponent(name));
				files.push({path, file: new File([await response.blob()], path.split('/').pop())});
			}
			const progress = [], start = performance.now();
			globalThis.worker ??= new Worker('worker.js');
			const answer = await new Promise((resolve) => {
				worker.onmessage = ({data}) => data.kind === 'progress' ? progress.push(data) : data.kind !== 'ready' && resolve(data);
				worker.postMessage({kind: 'run', id, args, inputs: files, outputs: Object.keys(outputs)});
			});
			const ms = performance.now() - start;
			for (const [path, blob] of Object.entries(answer.outputs ?? {})) {
				if (outputs[path]) await fetch('output?name=' + encodeURIComponent(outputs[path]), {method: 'POST', body: blob});
			}
			answers.push({...answer, ms, progress, stdout: await answer.stdout?.text(), outputs: Object.keys(answer.outputs ?? {})});
		}
		return answers;
	})()`, must.Get(json.Marshal(commands))(p.T)))
}

// The worker does the same in Chromium, from files that a page has.
func TestWorkerChromium(t *testing.T) {
	p := newPage(t, newProgram(t))
	var list []*sameAsNative
	var commands []workerCommand
	for i, files := range captures(t, false) {
		s := newSameAsNative(t, commandLines[i%2], files...)
		list, commands = append(list, s), append(commands, s.command)
	}
	answers := p.run(commands...)
	for name, content := range p.received {
		write(t, name, content)
	}
	for i, a := range answers {
		list[i].check(t, a)
	}
	must.Equal(t, len(answers), len(list), "answers")
	slices.SortFunc(answers, func(a, b workerAnswer) int { return cmp.Compare(a.Memory, b.Memory) })
	t.Logf("at most %d MB of memory", answers[len(answers)-1].Memory>>20)
}

// programSize returns the size of the program as servers send it, compressed.
func programSize(t *testing.T, folder string) int {
	t.Helper()
	var b bytes.Buffer
	z := must.Get(gzip.NewWriterLevel(&b, gzip.BestCompression))(t)
	must.Get(z.Write(must.Get(os.ReadFile(filepath.Join(folder, "ohframe.wasm")))(t)))(t)
	must.Do(t, z.Close())
	return b.Len()
}

// Pages load a program that is no larger than it was: more is a package that they do not need, or templates and
// sorting that the overlay does not replace.
func TestProgramSize(t *testing.T) {
	const most = 6_300_000
	if size := programSize(t, newProgram(t)); size > most {
		t.Errorf("the program is %d bytes, compressed; at most %d are expected", size, most)
	}
}

// TestWorkerMeasure prints what "make web-measure" is for: medians of five runs on a large trace in Chromium, beside
// the program. Processor time in Chromium has that of compiling the program for the processor, which a page does once:
// each run is a new page's, and asks twice.
func TestWorkerMeasure(t *testing.T) {
	if os.Getenv("OHFRAME_WEB_MEASURE") != "1" {
		t.Skip("measures, with OHFRAME_WEB_MEASURE=1")
	}
	folder := newProgram(t)
	t.Logf("program: %.2f MB compressed", float64(programSize(t, folder))/1e6)
	trace := filepath.Join(t.TempDir(), "large.ftrace")
	f := must.Get(os.Create(trace))(t)
	must.Get(simulate.Write(f, simulate.Capture(60<<20)))(t)
	must.Do(t, f.Close())
	demo := must.Get(filepath.Abs("../testdata/demo.ftrace"))(t)
	ask := func(line, file string) workerCommand {
		s := newSameAsNative(t, line, file)
		for output := range s.command.Outputs {
			s.command.Outputs[output] = ""
		}
		return s.command
	}
	type times struct{ worker, web, native []float64 }
	measured := map[string]*times{}
	whats := []string{"convert", "report", "convert again", "report again"}
	var first []float64 // milliseconds to the answer about the demo, from nothing
	var memory int
	for range 5 {
		p := newPage(t, folder)
		must.Get(chromedp.Call(p.Ctx, performance.Enable, performance.EnableParams{}))(t)
		seconds := func() float64 {
			for _, m := range must.Get(chromedp.Call(p.Ctx, performance.GetMetrics, struct{}{}))(t).Metrics {
				if m.Name == "ProcessTime" {
					return m.Value
				}
			}
			t.Fatal("Chromium does not know the processor time of a page")
			return 0
		}
		first = append(first, p.run(ask(commandLines[1], demo))[0].Ms)
		for i, what := range whats {
			r, line := cmp.Or(measured[what], &times{}), commandLines[i%2]
			measured[what] = r
			before := seconds()
			a := p.run(ask(line, trace))[0]
			web := seconds() - before
			must.Equal(t, a.Code, 0, line+": exit code: "+a.Stderr)
			memory = max(memory, a.Memory)
			args := strings.Fields(strings.NewReplacer("IN", trace, "OUT", filepath.Join(t.TempDir(), "out")).Replace(line))
			cmd := exec.Command("../build/web-test/ohframe", args...)
			must.Do(t, cmd.Run())
			native := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
			r.worker, r.web, r.native = append(r.worker, a.Ms/1000), append(r.web, web), append(r.native, native)
		}
	}
	median := func(list []float64) float64 { return slices.Sorted(slices.Values(list))[len(list)/2] }
	for _, what := range whats {
		r := measured[what]
		worker, web, native := median(r.worker), median(r.web), median(r.native)
		t.Logf("%s of 60 MB: %.2f s in the worker, %.2f s of processor time in Chromium, %.2f s of processor time of the program: %.1f and %.1f times",
			what, worker, web, native, worker/native, web/native)
	}
	t.Logf("first answer for the demo: %.2f s; memory: %d MB", median(first)/1000, memory>>20)
}
