//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ohframe/internal/testing/must"
)

// opening is "ohframe open" running in a folder of its own.
type opening struct {
	cmd     *exec.Cmd
	stderr  bytes.Buffer
	dir     string // with frames.ftrace
	scratch string // for temporary files
	opened  string // where the browser writes the address that it is to show
}

// startOpen starts "ohframe open". The script is the browser; if it is empty, there is
// no browser.
func startOpen(t *testing.T, browser string, args ...string) *opening {
	t.Helper()
	o := prepareOpen(t, browser, args...)
	o.start(t)
	return o
}

func (o *opening) start(t *testing.T) {
	t.Helper()
	must.Do(t, o.cmd.Start())
	t.Cleanup(func() { o.cmd.Process.Kill() })
}

func prepareOpen(t *testing.T, browser string, args ...string) *opening {
	t.Helper()
	trace := must.Get(os.ReadFile("testdata/frames.ftrace"))(t)
	ohframe := must.Get(exec.LookPath("ohframe"))(t)
	o := &opening{dir: t.TempDir(), scratch: t.TempDir()}
	o.opened = filepath.Join(o.dir, "opened")
	bin := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(o.dir, "frames.ftrace"), trace, 0o600))
	if browser != "" {
		must.Do(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\n"+browser+"\n"), 0o700))
	}
	o.cmd = exec.Command(ohframe, append([]string{"open"}, args...)...)
	o.cmd.Dir, o.cmd.Stderr = o.dir, &o.stderr
	o.cmd.Env = append(os.Environ(), noExitSleep, "PATH="+bin, "TMPDIR="+o.scratch, "OPENED="+o.opened)
	return o
}

// showing is a browser that writes the address to a file, atomically.
const showing = `printf %s "$1" >"$OPENED.part" && /bin/mv "$OPENED.part" "$OPENED"`

// link waits for the address that the browser gets, opens that page, and returns the
// address of the UI in it, its arguments and the address of the trace.
func (o *opening) link(t *testing.T) (page string, arguments url.Values, trace *url.URL) {
	t.Helper()
	start := o.address(t)
	answer := must.Get(http.Get(start))(t)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("%s: %d, %v", start, answer.StatusCode, err)
	}
	found := regexp.MustCompile(`<a id="ui" href="([^"]*)"`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no link in %s", text)
	}
	page, hash, _ := strings.Cut(html.UnescapeString(string(found[1])), "#!/?")
	arguments = must.Get(url.ParseQuery(hash))(t)
	trace = must.Get(url.Parse(arguments.Get("url")))(t)
	// What the browser opens cannot be guessed, nor can the trace's path.
	if !regexp.MustCompile(`^http://127\.0\.0\.1:\d+/[A-Z2-7]{26}$`).MatchString(start) || !strings.HasPrefix(trace.String(), start+"/") {
		t.Errorf("opens %s to fetch %s", start, trace)
	}
	return page, arguments, trace
}

// address waits for the address that the browser gets.
func (o *opening) address(t *testing.T) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if address, err := os.ReadFile(o.opened); err == nil {
			return string(address)
		}
		if time.Now().After(deadline) {
			t.Fatal("no browser is opened")
		}
	}
}

// end waits for the command, and checks its exit code and that no file is left.
func (o *opening) end(t *testing.T, code int) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- o.cmd.Wait() }()
	select {
	case err := <-done:
		exit := (*exec.ExitError)(nil)
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("does not end")
	}
	if got := o.cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d, want %d:\n%s", got, code, &o.stderr)
	}
	if left := names(t, o.scratch); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// message checks the last lines that the command prints.
func (o *opening) message(t *testing.T, want string) {
	t.Helper()
	if got := o.stderr.String(); !strings.HasSuffix(got, want) {
		t.Errorf("says %q, want %q at the end", got, want)
	}
}

// request fetches the trace as a page of the given origin does.
func request(t *testing.T, trace *url.URL, origin string) (status int, header http.Header, body []byte) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, trace.String(), nil))(t)
	r.Header.Set("Origin", origin)
	answer := must.Get(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	body = must.Get(io.ReadAll(answer.Body))(t)
	return answer.StatusCode, answer.Header, body
}

// The browser is opened, and the page fetches what convert would write, once.
func TestOpen(t *testing.T) {
	for name, ui := range map[string]string{"public": "https://ui.perfetto.dev", "own": "http://localhost:10000"} {
		t.Run(name, func(t *testing.T) {
			o := startOpen(t, showing, "frames.ftrace", "--port", "0", "--ui", ui)
			page, _, trace := o.link(t)
			if page != ui+"/" || path.Base(trace.Path) != "frames.pftrace" {
				t.Errorf("opens %s to fetch %s", page, trace)
			}
			status, header, body := request(t, trace, ui)
			if status != 200 || header.Get("Access-Control-Allow-Origin") != ui || header.Get("Cache-Control") != "no-cache" {
				t.Errorf("fetch: %d, %v", status, header)
			}
			o.end(t, 0)
			if _, err := http.Get(trace.String()); !errors.Is(err, syscall.ECONNREFUSED) {
				t.Errorf("second fetch: %v", err)
			}
			convert := exec.Command("ohframe", "convert", "frames.ftrace", "-o", "-")
			convert.Dir = o.dir
			want := must.Get(convert.Output())(t)
			if !isServed(body, want) {
				t.Errorf("fetched %d bytes, want %d others", len(body), len(want))
			}
			o.message(t, fmt.Sprintf("\nwaiting for %s to fetch frames.pftrace\n", ui))
		})
	}
}

// The view is on A2, which is the first of the application's frames that are late by most,
// until --frame says otherwise. Its times are those of testdata/frames.ftrace: it
// starts with ReceiveVsync at 100.0102 and ends 1 ms after its deadline, 100.02. R1 is from
// 100.0105 to 100.014, and expected from 100.01 to 100.025. R4 is
// from 100.0405 to 100.056, and the next frame starts at 100.0605. Three quarters of the time from
// the expected start to the last end are visible on both sides, in the trace. The slice is a nanosecond
// shorter than the frame, so that no other has its times.
func TestOpenView(t *testing.T) {
	selectsA2 := map[string]string{"ts": "100010200000", "dur": "10799999", "visStart": "100001750000", "visEnd": "100029250000"}
	selectsR1 := map[string]string{"ts": "100010500000", "dur": "3499999", "visStart": "100000000000", "visEnd": "100036250000"}
	file := filepath.Join(t.TempDir(), "my trace.pftrace")
	inTime := filepath.Join(t.TempDir(), "intime.ftrace")
	for _, command := range []string{
		"ohframe convert -q testdata/frames.ftrace -o '" + file + "'",
		"head -23 testdata/frames.ftrace >'" + inTime + "'",
	} {
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", command, out)
		}
	}
	for _, test := range []struct {
		args []string
		want map[string]string
	}{
		{[]string{"frames.ftrace"}, selectsA2},
		{[]string{file}, selectsA2},
		{[]string{"frames.ftrace", "--frame", "100.045"}, map[string]string{"ts": "100040500000", "dur": "15499999", "visStart": "100000000000", "visEnd": "100075000000"}},
		{[]string{"frames.ftrace", "--frame", "100.058"}, map[string]string{"visStart": "100000000000", "visEnd": "100075000000"}},
		{[]string{"frames.ftrace", "--process", "render", "--frame", "101"}, selectsR1},
		{[]string{"frames.ftrace", "--frame", "100.010500"}, selectsR1},
		{[]string{inTime}, nil},
	} {
		o := startOpen(t, showing, append(test.args, "--port", "0")...)
		_, arguments, trace := o.link(t)
		got := map[string]string{}
		for _, name := range []string{"table", "ts", "dur", "visStart", "visEnd"} {
			if v := arguments.Get(name); v != "" {
				got[name] = v
			}
		}
		if len(got) != len(test.want) || len(got) > 0 && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: %v, want %v", test.args, got, test.want)
		}
		commands := arguments.Get("startupCommands")
		if !strings.Contains(commands, "SwitchWorkspace") {
			t.Errorf("%q: commands %.200s", test.args, commands)
		}
		request(t, trace, "https://ui.perfetto.dev")
		o.end(t, 0)
	}
}

// isServed reports whether a trace is another one but for one time, that of the end of the selected
// slice, which is a nanosecond earlier.
func isServed(got, want []byte) bool {
	if len(got) != len(want) {
		return false
	}
	first := 0
	for first < len(got) && got[first] == want[first] {
		first++
	}
	const longest = 10 // bytes of a number
	rest := min(first+longest, len(got))
	return first < len(got) && bytes.Equal(got[rest:], want[rest:])
}

// A Perfetto trace is served as it is, but for the end of the selected slice, from a file, a pipe or a compressed file.
func TestOpenPerfetto(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.b.pftrace")
	packed := file + ".gz"
	for _, name := range []string{file, packed} {
		must.Do(t, exec.Command("ohframe", "convert", "-q", "testdata/frames.ftrace", "-o", name).Run())
	}
	want := must.Get(os.ReadFile(file))(t)
	for input, served := range map[string]string{file: "a.b.pftrace", packed: "a.b.pftrace", "-": "trace.pftrace"} {
		o := prepareOpen(t, showing, "--port", "0", "-q", input)
		o.cmd.Stdin = io.MultiReader(bytes.NewReader(want)) // a pipe
		o.start(t)
		_, _, trace := o.link(t)
		_, _, body := request(t, trace, "https://ui.perfetto.dev")
		if path.Base(trace.Path) != served || !isServed(body, want) {
			t.Errorf("%s: fetched %d bytes from %s, want %d from %s", input, len(body), trace.Path, len(want), served)
		}
		o.end(t, 0)
		if o.stderr.Len() > 0 {
			t.Errorf("says %q", &o.stderr)
		}
	}
}

// A signal ends the command. With --timeout 0, Ctrl-C is no error, though nothing was fetched.
func TestOpenInterrupt(t *testing.T) {
	for _, e := range ends {
		o := startOpen(t, showing, "frames.ftrace", "--port", "0")
		o.link(t)
		must.Do(t, o.cmd.Process.Signal(e.signal))
		o.end(t, e.code)
		o.message(t, "\n"+e.says)
	}
	o := startOpen(t, showing, "frames.ftrace", "--port", "0", "--timeout", "0")
	o.link(t)
	must.Do(t, o.cmd.Process.Signal(os.Interrupt))
	o.end(t, 0)
	if strings.Contains(o.stderr.String(), "interrupted") {
		t.Errorf("says %q", &o.stderr)
	}
}

func TestOpenWithoutBrowser(t *testing.T) {
	const hint = "\nhint: with --print-url it prints the address to open\n"
	for browser, want := range map[string]string{
		"":       "executable file not found in $PATH",
		"exit 3": "exit status 3",
	} {
		o := startOpen(t, browser, "frames.ftrace", "--port", "0", "--timeout", "0")
		o.end(t, 1)
		o.message(t, want+hint)
		if !strings.Contains(o.stderr.String(), "\nohframe: cannot open the browser: ") {
			t.Errorf("says %q", &o.stderr)
		}
	}
}

func TestOpenBusyPort(t *testing.T) {
	other := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer other.Close()
	port := other.Addr().(*net.TCPAddr).Port
	build := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(build, "index.html"), nil, 0o600))
	for ui, way := range map[string]string{"https://ui.perfetto.dev": "--ui FOLDER --port 0", build: "use a free port: --port 0"} {
		o := startOpen(t, showing, "frames.ftrace", "--port", fmt.Sprint(port), "--ui", ui)
		o.end(t, 1)
		want := fmt.Sprintf("ohframe: port %d: address already in use\nhint: another ohframe, or", port)
		if got := o.stderr.String(); !strings.HasPrefix(got, want) || !strings.Contains(got, "end it, or ") || !strings.HasSuffix(got, way+"\n") {
			t.Errorf("--ui %s: says %q, want %q and %q", ui, got, want, way)
		}
		if _, err := os.Stat(o.opened); err == nil {
			t.Error("opens a browser")
		}
	}
}
