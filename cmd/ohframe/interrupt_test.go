//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// running is a command that runs in a folder of its own.
type running struct {
	*exec.Cmd
	stderr bytes.Buffer
	dir    string // where it runs
	tmp    string // for its temporary files
}

func command(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{Cmd: exec.Command(args[0], args[1:]...), dir: t.TempDir(), tmp: t.TempDir()}
	r.Dir, r.Stderr, r.Env = r.dir, &r.stderr, append(os.Environ(), noExitSleep, "TMPDIR="+r.tmp)
	return r
}

func (r *running) start(t *testing.T) {
	t.Helper()
	must.Do(t, r.Start())
	t.Cleanup(func() { r.Process.Kill() })
}

// end waits for the command and returns its exit code, or that of a shell if a signal
// killed it.
func (r *running) end(t *testing.T) int {
	t.Helper()
	late := time.AfterFunc(time.Minute, func() { r.Process.Kill() })
	err := r.Wait()
	if !late.Stop() {
		t.Fatal("does not end")
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	status := r.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// check waits for the command and compares its exit code, message and files.
func (r *running) check(t *testing.T, code int, message string, files ...string) {
	t.Helper()
	must.Equal(t, r.end(t), code, "exit code")
	must.Equal(t, r.stderr.String(), message, "says")
	r.checkFiles(t, files...)
}

func (r *running) checkFiles(t *testing.T, files ...string) {
	t.Helper()
	if left := names(t, r.dir); strings.Join(left, " ") != strings.Join(files, " ") {
		t.Errorf("files: got %v, want %v", left, files)
	}
	if left := names(t, r.tmp); len(left) > 0 {
		t.Errorf("temporary files: %v", left)
	}
}

// appears waits for a file whose name begins with a prefix.
func appears(t *testing.T, dir, prefix string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		for _, name := range names(t, dir) {
			if strings.HasPrefix(name, prefix) {
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %s… appears", prefix)
		}
	}
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// instants returns a trace of at least size bytes.
func instants(size int) []byte {
	b := []byte("# tracer: nop\n#\n")
	for i := 0; len(b) < size; i++ {
		b = fmt.Appendf(b, " app-2000  ( 2000) [%03d] ....   %d.%06d: tracing_mark_write: I|2000|instant %d\n", i%4, 100+i/1000000, i%1000000, i)
	}
	return b
}

// muchMore is more bytes than fit into pipes and all buffers.
const muchMore = 8 << 20

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(path, content, 0o666))
}

// ends are the signals that ask the program to end.
var ends = []struct {
	signal syscall.Signal
	code   int
	says   string
}{
	{syscall.SIGINT, 130, "ohframe: interrupted\n"},
	{syscall.SIGTERM, 143, "ohframe: terminated\n"},
	{syscall.SIGHUP, 129, "ohframe: hung up\n"},
}

// A signal ends a command that waits for its input, and nothing is left.
func TestInterruptReading(t *testing.T) {
	for i, args := range [][]string{
		{"convert", "-q", "-", "-o", "out"},
		{"convert", "-q", "-", "-o", "out.gz"},
		{"convert", "-q", "-"},
		{"frames", "-", "-o", "out"},
		{"report", "-", "old"},
		{"diff", "-", "old", "-o", "out"},
		{"open", "-q", "--port", "0", "-"},
	} {
		for k, e := range ends {
			if !slow.Enabled() && i > 0 && k > 0 {
				continue // the same handler
			}
			t.Run(args[0]+"/"+e.signal.String(), func(t *testing.T) {
				t.Parallel()
				r := command(t, append([]string{"ohframe"}, args...)...)
				write(t, filepath.Join(r.dir, "old"), instants(1000))
				stdin, err := r.StdinPipe() // never closed
				if err != nil {
					t.Fatal(err)
				}
				r.start(t)
				// It has read some when all but the capacity of the pipe is written.
				must.Get(stdin.Write(instants(1 << 20)))(t)
				must.Do(t, r.Process.Signal(e.signal))
				r.check(t, e.code, e.says, "old")
			})
		}
	}
}

// A killed program leaves no temporary file behind and does not change an existing output.
func TestKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files have names")
	}
	for _, args := range []string{"convert -q - -o out", "convert -q - -o old", "convert -q - -o out.gz"} {
		r := command(t, append([]string{"ohframe"}, strings.Fields(args)...)...)
		write(t, filepath.Join(r.dir, "old"), []byte("old\n"))
		stdin := must.Get(r.StdinPipe())(t)
		r.start(t)
		must.Get(stdin.Write(instants(1 << 20)))(t)
		r.Process.Kill()
		r.check(t, 128+9, "", "old")
		if content, err := os.ReadFile(filepath.Join(r.dir, "old")); err != nil || string(content) != "old\n" {
			t.Errorf("%s: the old output has %q, %v", args, content, err)
		}
	}

	// While the converted trace is served, too.
	r := command(t, "ohframe", "open", "in", "-q", "--port", "0", "--print-url")
	write(t, filepath.Join(r.dir, "in"), instants(1000))
	stdout := must.Get(r.StdoutPipe())(t)
	r.start(t)
	must.Get(bufio.NewReader(stdout).ReadString('\n'))(t)
	r.Process.Kill()
	r.check(t, 128+9, "", "in")
}

// A signal ends a command that waits for the reader of its output, too.
func TestInterruptWriting(t *testing.T) {
	trace := instants(muchMore)
	for name, args := range map[string][]string{
		"standard output": {"convert", "-q", "in", "-o", "-"},
		"frames":          {"frames", "in.frames"},
		"named pipe":      {"convert", "-q", "in", "-o", "pipe"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := command(t, append([]string{"ohframe"}, args...)...)
			write(t, filepath.Join(r.dir, "in"), trace)
			write(t, filepath.Join(r.dir, "in.frames"), manyFrames(1<<10))
			out := takeOutput(t, r, filepath.Join(r.dir, "pipe"), name == "named pipe")
			r.start(t)
			must.Get(io.ReadFull(out, make([]byte, 1)))(t)
			must.Do(t, r.Process.Signal(syscall.SIGINT))
			r.check(t, 130, "ohframe: interrupted\n", "in", "in.frames", "pipe")
		})
	}
}

// takeOutput returns the reading end of a named pipe, or of standard output.
func takeOutput(t *testing.T, r *running, path string, named bool) *os.File {
	t.Helper()
	must.Do(t, syscall.Mkfifo(path, 0o600))
	// Opened for both, as this end is to be there before the other is.
	pipe := must.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
	t.Cleanup(func() { pipe.Close() })
	if named {
		return pipe
	}
	out := must.Get(r.StdoutPipe())(t)
	return out.(*os.File)
}

// manyFrames returns a dump of n frames.
func manyFrames(n int) []byte {
	b := []byte("16666666\n")
	for i := range n {
		at := 1_000_000_000 + i*16_666_666
		b = fmt.Appendf(b, "%d\t%d\t%d\n", at, at+30_000_000, at+10_000_000)
	}
	return b
}

// Opening a pipe that has no other end stops with its context.
func TestInterruptOpening(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must.Do(t, syscall.Mkfifo(pipe, 0o600))
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error, 2)
	go func() {
		_, err := openSource(ctx, pipe)
		failed <- err
	}()
	other := filepath.Join(t.TempDir(), "pipe")
	must.Do(t, syscall.Mkfifo(other, 0o600))
	go func() {
		_, err := openStream(ctx, other, nil)
		failed <- err
	}()
	cancel(interruption{syscall.SIGINT})
	for range 2 {
		if err := <-failed; !strings.HasSuffix(err.Error(), "/pipe: interrupted") {
			t.Errorf("got %v", err)
		}
	}
}

// The second signal kills the program in any state.
func TestSecondSignal(t *testing.T) {
	r := command(t, "ohframe-deaf")
	stdout := must.Get(r.StdoutPipe())(t)
	r.start(t)
	line := make([]byte, len("ready\n"))
	for _, want := range []string{"ready\n", "ended\n"} {
		if _, err := io.ReadFull(stdout, line); err != nil || string(line) != want {
			t.Fatalf("got %q, %v, want %q", line, err, want)
		}
		must.Do(t, r.Process.Signal(syscall.SIGTERM))
	}
	r.check(t, 128+15, "")
	if status := r.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() {
		t.Error("not killed")
	}
}

// mainDeaf does not end after a signal.
func mainDeaf() {
	ctx, _ := untilSignal(context.Background())
	fmt.Println("ready")
	<-ctx.Done()
	fmt.Println("ended")
	time.Sleep(time.Minute)
}

// A signal that was ignored when the program started, as by nohup, stays ignored.
func TestNohup(t *testing.T) {
	r := command(t, "sh", "-c", "trap '' HUP; exec ohframe convert -q - -o out")
	stdin := must.Get(r.StdinPipe())(t)
	r.start(t)
	// It has read some when all but the capacity of the pipe is written.
	must.Get(stdin.Write(instants(1 << 20)))(t)
	must.Do(t, r.Process.Signal(syscall.SIGHUP))
	stdin.Close()
	r.check(t, 0, "", "out")
}
