//go:build unix

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/protobuf/proto"

	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/fakehdc"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// programs are those that tests can run, besides others in PATH.
var programs = map[string]func(){
	"ohframe":           mainPatient,
	"ohframe-as-nobody": mainAsNobody,
	"ohframe-deaf":      mainDeaf,
}

func TestMain(m *testing.M) { testscript.Main(withFake{m}, programs) }

// withFake removes the fake hdc after the tests.
type withFake struct{ *testing.M }

func (w withFake) Run() int {
	defer fakehdc.Remove()
	// nohup and background jobs of shells ignore these signals, and programs inherit that. A signal
	// that is caught is not ignored in the programs that this one starts.
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	// Most tests of recordings wait for other programs: more of them than processors can run.
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	return w.M.Run()
}

// noExitSleep keeps commands from sleeping for a second before they exit, as
// programs with the race detector do.
const noExitSleep = "GORACE=atexit_sleep_ms=0"

// mainAsNobody is main without the rights of root.
func mainAsNobody() {
	const nobody = 65534
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)); err != nil {
			panic(err)
		}
	}
	main()
}

// sequential is a test whose subtests do not run in parallel.
type sequential struct{ *testing.T }

func (t sequential) Parallel()     {}
func (t sequential) Verbose() bool { return testing.Verbose() }
func (t sequential) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(sequential{t}) })
}

// runHere runs the program in the process of the test, in the folder and with the
// environment of a script, and returns its exit code. That takes a tenth of the time of a
// new process. Scripts have one where a command reads standard input or runs in the
// background: "exec ohframe".
func runHere(ts *testscript.TestScript, args []string, stdout, stderr io.Writer) int {
	folder, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "COLUMNS", "HDC", fakehdc.Folder} {
		if before, set := os.LookupEnv(name); set {
			defer os.Setenv(name, before)
		} else {
			defer os.Unsetenv(name)
		}
		os.Setenv(name, ts.Getenv(name))
	}
	streams := [3]*os.File{os.Stdin, os.Stdout, os.Stderr}
	defer func() {
		os.Stdin, os.Stdout, os.Stderr = streams[0], streams[1], streams[2]
		ts.Check(os.Chdir(folder))
	}()
	os.Stdin, err = os.Open(os.DevNull)
	ts.Check(err)
	defer os.Stdin.Close()
	var copied sync.WaitGroup
	pipe := func(to io.Writer) *os.File {
		r, w, err := os.Pipe()
		ts.Check(err)
		copied.Go(func() {
			io.Copy(to, r)
			r.Close()
		})
		return w
	}
	os.Stdout, os.Stderr = pipe(stdout), pipe(stderr)
	code := run(append([]string{"ohframe"}, args...))
	os.Stdout.Close()
	os.Stderr.Close()
	copied.Wait()
	return code
}

func runProgram(ts *testscript.TestScript, neg bool, args []string) {
	if code := runHere(ts, args, ts.Stdout(), ts.Stderr()); (code != 0) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// TestScripts runs the scripts of testdata/script. The folder of each has frames.ftrace,
// a trace made by hand whose head lists its frames. Besides the commands of testscript
// there are:
//
//	run ARG…                                 runs the program in the test's process
//	fails [-code N] [-hint TEXT] MESSAGE [exec] COMMAND ARG…
//	                                         exits with 1, or N, prints "ohframe: MESSAGE"
//	                                         and at most a hint, which contains TEXT
//	files DIR NAME…                          the folder has these files and no others
//	mode MODE FILE                           the file has these permissions, in octal
//	refuses TRACE FILE                       no command that reads the trace writes the file
//	shows FILE FRAMES                        the Perfetto trace has this number of frames
//
// and the conditions [root] and [slow]. A fake hdc is in PATH; its folder is fakehdc.
func TestScripts(t *testing.T) {
	program := must.Get(fakehdc.Program())(t)
	testdata := must.Get(filepath.Abs("../../testdata"))(t)
	scripts := must.Get(filepath.Glob("testdata/script/*.txtar"))(t)
	if slow.Race && !slow.Enabled() { // those about a command, and of several inputs: the others run the same code for other traces
		scripts = slices.DeleteFunc(scripts, func(file string) bool {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			return name != "inputs" && newApp().Command(name) == nil
		})
	}
	testscript.RunT(sequential{t}, testscript.Params{
		Files:               scripts,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, noExitSleep, "HDC=", fakehdc.Folder+"="+filepath.Join(env.WorkDir, "fake"))
			env.Setenv("PATH", env.Getenv("PATH")+":"+filepath.Dir(program))
			env.Setenv("TESTDATA", testdata)
			trace, err := os.ReadFile("testdata/frames.ftrace")
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "frames.ftrace"), trace, 0o644)
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			case "slow":
				return slow.Enabled(), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"run":     runProgram,
			"fails":   fails,
			"ends":    endsWith,
			"files":   files,
			"mode":    mode,
			"refuses": refuses,
			"shows":   shows,
		},
	})
}

// endsWith runs ohframe and checks its exit code.
func endsWith(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) > 1 && args[1] == "ohframe", "ends CODE ohframe ARG…")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := runHere(ts, args[2:], ts.Stdout(), ts.Stderr()); got != want {
		ts.Fatalf("exit code: got %d, want %d", got, want)
	}
}

func fails(ts *testscript.TestScript, neg bool, args []string) {
	code, hint := 1, ""
	for len(args) > 2 && (args[0] == "-code" || args[0] == "-hint") {
		if args[0] == "-hint" {
			hint = args[1]
		} else {
			n, err := strconv.Atoi(args[1])
			ts.Check(err)
			code = n
		}
		args = args[2:]
	}
	need(ts, !neg && len(args) > 1, "fails [-code N] [-hint TEXT] MESSAGE COMMAND ARG…")
	message, command := args[0], args[1:]
	var stdout, stderr string
	if command[0] == "ohframe" {
		var out, errors strings.Builder
		if got := runHere(ts, command[1:], io.MultiWriter(&out, ts.Stdout()), io.MultiWriter(&errors, ts.Stderr())); got != code {
			ts.Fatalf("exit code: got %d, want %d", got, code)
		}
		stdout, stderr = out.String(), errors.String()
	} else {
		if command[0] == "exec" {
			command = command[1:]
		}
		exit := (*exec.ExitError)(nil)
		if err := ts.Exec(command[0], command[1:]...); !errors.As(err, &exit) || exit.ExitCode() != code {
			ts.Fatalf("exit code: got %v, want %d", err, code)
		}
		stdout, stderr = ts.ReadFile("stdout"), ts.ReadFile("stderr")
	}
	if stdout != "" {
		ts.Fatalf("standard output is not empty: %q", stdout)
	}
	first, rest, _ := strings.Cut(stderr, "\n")
	if want := "ohframe: " + message; first != want {
		ts.Fatalf("message: got %q, want %q", first, want)
	}
	if !regexp.MustCompile(`^(hint: .+\n)?$`).MatchString(rest) {
		ts.Fatalf("after the message there is more than a hint: %q", rest)
	}
	if !strings.Contains(rest, hint) {
		ts.Fatalf("hint: got %q, want %q in it", rest, hint)
	}
}

func files(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) > 0, "files DIR NAME…")
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var names []string
	for _, e := range entries {
		if e.Name() != ".tmp" { // testscript's own
			names = append(names, e.Name())
		}
	}
	want := slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(names, want) {
		ts.Fatalf("files: got %q, want %q", names, want)
	}
}

func mode(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 2, "mode MODE FILE")
	want, err := strconv.ParseUint(args[0], 8, 32)
	ts.Check(err)
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := info.Mode().Perm(); got != fs.FileMode(want) {
		ts.Fatalf("mode: got %o, want %o", got, want)
	}
}

func refuses(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 2, "refuses TRACE FILE")
	trace, file := args[0], args[1]
	before := ts.ReadFile(file)
	refuse := func(args ...string) {
		var stderr strings.Builder
		code := runHere(ts, args, io.Discard, &stderr)
		want := regexp.MustCompile(`(?m)^ohframe: ` + regexp.QuoteMeta(file) + `: (input and output are the same file|convert writes Perfetto traces, not .json files|the extension contradicts --format .*)$`)
		if code != 1 || !want.MatchString(stderr.String()) {
			ts.Fatalf("%q: exit code %d, %q", args, code, stderr.String())
		}
	}
	for _, command := range []string{
		"convert", "text", "report --format table", "report --format csv", "report --no-causes --format json", "why --format text", "why --format evidence",
		"frames --format csv", "frames --format parquet", "diff frames.ftrace --format json",
	} {
		refuse(append(strings.Fields(command), trace, "-o", file)...)
	}
	if ts.ReadFile(file) != before {
		ts.Fatalf("%s has changed", file)
	}
}

func shows(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, !neg && len(args) == 2, "shows FILE FRAMES")
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	trace := &perfettopb.Trace{}
	ts.Check(proto.Unmarshal([]byte(ts.ReadFile(args[0])), trace))
	got := 0
	for _, p := range trace.Packet {
		if e := p.GetFrameTimelineEvent(); e.GetActualSurfaceFrameStart() != nil || e.GetActualDisplayFrameStart() != nil {
			got++
		}
	}
	if got != want {
		ts.Fatalf("frames: got %d, want %d", got, want)
	}
}

func need(ts *testscript.TestScript, ok bool, usage string) {
	if !ok {
		ts.Fatalf("usage: %s", usage)
	}
}
