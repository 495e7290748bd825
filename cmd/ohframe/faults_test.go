//go:build linux

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"ohframe/internal/sql"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

func demo(t *testing.T) []byte {
	t.Helper()
	b := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(t)
	return b
}

// A closed standard output ends the program without a message.
func TestClosedPipe(t *testing.T) {
	for i, args := range [][]string{
		{"--help"}, {"--version"}, {"help", "convert"}, {"completion", "bash"}, {"man"}, {"sql"},
		{"convert", "in", "-o", "-"},
		{"frames", "in"}, {"frames", "in", "--format", "csv"}, {"frames", "in", "--format", "json"}, {"frames", "in", "--format", "parquet"},
		{"report", "in"}, {"report", "in", "--format", "html"}, {"report", "in", "--format", "json"}, {"report", "in", "--format", "csv"},
		{"diff", "in", "in"}, {"diff", "in", "in", "--format", "html"}, {"diff", "in", "in", "--fail-on", "fps<+1"},
		{"open", "in", "-q", "--port", "0", "--print-url"},
	} {
		if i%slow.Of(3, 1) != 0 {
			continue
		}
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			r := command(t, append([]string{"ohframe"}, args...)...)
			write(t, filepath.Join(r.dir, "in"), demo(t))
			reader, writer := must.Get2(os.Pipe())(t)
			reader.Close()
			r.Stdout = writer
			r.start(t)
			writer.Close()
			r.check(t, 141, "", "in")
		})
	}
}

// A closed output that was named is an error.
func TestClosedNamedPipe(t *testing.T) {
	r := command(t, "ohframe", "convert", "-q", "in", "-o", "pipe")
	write(t, filepath.Join(r.dir, "in"), instants(muchMore))
	path := filepath.Join(r.dir, "pipe")
	must.Do(t, syscall.Mkfifo(path, 0o600))
	r.start(t)
	pipe := must.Get(os.Open(path))(t)
	must.Get(io.ReadFull(pipe, make([]byte, 1)))(t)
	pipe.Close()
	r.check(t, 1, "ohframe: pipe: broken pipe\n", "in", "pipe")
}

// fills are commands that write to DIR, and the file that they write.
var fills = []struct{ args, out string }{
	{"convert -q in -o DIR/out", "out"},
	{"convert -q in -o DIR/out.gz", "out.gz"},
	{"convert -q in --events none -o DIR/out", "out"},
	{"frames in --format table -o DIR/out", "out"},
	{"frames in --format csv -o DIR/out", "out"},
	{"frames in --format json -o DIR/out", "out"},
	{"frames in --format parquet -o DIR/out", "out"},
	{"report in --format html -o DIR/out", "out"},
	{"report in --format json -o DIR/out", "out"},
	{"diff in in --format html -o DIR/out", "out"},
	{"diff in in --merge DIR/out -o other", "out"},
	{"sql -o DIR", "frames.sql"},
	{"open in -q --port 0 --print-url", ""},
}

// fill runs a command that cannot write to the folder dir, and checks its message and
// that the folder is unchanged.
func fill(t *testing.T, r *running, dir, out, message string) {
	t.Helper()
	before := contents(t, dir)
	r.start(t)
	at := regexp.QuoteMeta(strings.TrimSuffix(filepath.Join(dir, out), "/"))
	if strings.HasSuffix(out, ".sql") {
		at = regexp.QuoteMeta(dir) + `/\w+\.sql` // the first of them
	}
	must.Equal(t, r.end(t), 1, "exit code")
	if want := "^ohframe: " + at + ": " + message + "\n$"; !regexp.MustCompile(want).MatchString(r.stderr.String()) {
		t.Errorf("says %q, want %s", &r.stderr, want)
	}
	r.checkFiles(t, "in")
	after := contents(t, dir)
	maps.DeleteFunc(after, func(name, text string) bool { // the first of them may have room
		module, err := fs.ReadFile(sql.Files(), name)
		return err == nil && text == string(module)
	})
	if !maps.Equal(before, after) {
		t.Errorf("folder: got %q, want %q", after, before)
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range names(t, dir) {
		b := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		files[name] = string(b)
	}
	return files
}

// testFull runs all commands that write, without and with an existing output. prepare
// fills the folder.
func testFull(t *testing.T, message string, prepare func(t *testing.T, r *running, dir string, existing func())) {
	for i, f := range fills {
		if i%slow.Of(4, 1) != 0 {
			continue
		}
		for _, exists := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s exists=%t", f.args, exists), func(t *testing.T) {
				dir := t.TempDir()
				r := command(t, append([]string{"ohframe"}, strings.Fields(strings.ReplaceAll(f.args, "DIR", dir))...)...)
				write(t, filepath.Join(r.dir, "in"), demo(t))
				if f.out == "" {
					r.Env = append(r.Env, "TMPDIR="+dir)
				}
				prepare(t, r, dir, func() {
					if exists {
						write(t, filepath.Join(dir, cmp.Or(f.out, "other")), []byte("old\n"))
					}
				})
				fill(t, r, dir, f.out, message)
			})
		}
	}
}

// Files are limited to half a kilobyte.
func TestFileTooLarge(t *testing.T) {
	testFull(t, "file too large", func(t *testing.T, r *running, dir string, existing func()) {
		r.Args = append([]string{"sh", "-c", `ulimit -f 1; exec "$0" "$@"`}, r.Args...)
		r.Path = "/bin/sh"
		existing()
	})
}

// mount mounts a file system in memory, or skips the test if that is not allowed.
func mount(t *testing.T, dir, options string) {
	t.Helper()
	if err := syscall.Mount("ohframe-test", dir, "tmpfs", 0, options); errors.Is(err, syscall.EPERM) {
		t.Skip("mounting is not allowed here")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		must.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH))
	})
}

// The file system has room for one page, which an existing output occupies.
func TestFullFileSystem(t *testing.T) {
	slow.SkipRace(t)
	testFull(t, "no space left on device", func(t *testing.T, _ *running, dir string, existing func()) {
		mount(t, dir, "size=4k")
		existing()
	})
}

func TestReadOnlyFileSystem(t *testing.T) {
	slow.SkipRace(t)
	testFull(t, "read-only file system", func(t *testing.T, _ *running, dir string, existing func()) {
		mount(t, dir, "size=64k")
		existing()
		must.Do(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	})
}

// An input fails once after n bytes: a socket whose other end was closed with unread
// data.
func TestReadErrors(t *testing.T) {
	trace := demo(t)
	for _, args := range []string{
		"convert -q - -o out", "convert -q -", "frames - -o out", "frames -", "report - -o out", "diff old - -o out", "diff - old", "open -q --port 0 -",
	} {
		for _, n := range slow.Of([]int{0, 64 << 10}, []int{0, 1, 100, 4096, 64 << 10, 128<<10 + 1, len(trace) - 1, len(trace)}) {
			r := command(t, append([]string{"ohframe"}, strings.Fields(args)...)...)
			write(t, filepath.Join(r.dir, "old"), trace)
			var stdout bytes.Buffer
			r.Stdin, r.Stdout = failingAfter(t, trace[:n]), &stdout
			r.start(t)
			r.check(t, 1, "ohframe: standard input: connection reset by peer\n", "old")
			if stdout.Len() > 0 && !strings.HasPrefix(args, "convert") {
				t.Errorf("%s, %d bytes: writes %d bytes", args, n, stdout.Len())
			}
			if t.Failed() {
				t.Fatalf("that was %s after %d bytes", args, n)
			}
		}
	}
}

// failingAfter returns a file whose reads fail once after the content, and then end.
func failingAfter(t *testing.T, content []byte) *os.File {
	t.Helper()
	ends := must.Get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0))(t)
	reader, writer := os.NewFile(uintptr(ends[0]), "socket"), os.NewFile(uintptr(ends[1]), "socket")
	t.Cleanup(func() { reader.Close() })
	must.Get(reader.Write([]byte("unread")))(t)
	go func() {
		writer.Write(content)
		writer.Close()
	}()
	return reader
}

// The folder of the output is removed during a conversion.
func TestFolderVanishes(t *testing.T) {
	r := command(t, "ohframe", "convert", "-q", "-", "-o", "sub/out")
	dir := filepath.Join(r.dir, "sub")
	must.Do(t, os.Mkdir(dir, 0o777))
	stdin := must.Get(r.StdinPipe())(t)
	r.start(t)
	trace := instants(1 << 20)
	// It has read some when all but the capacity of the pipe is written.
	must.Get(stdin.Write(trace[:len(trace)/2]))(t)
	must.Do(t, os.RemoveAll(dir))
	must.Get(stdin.Write(trace[len(trace)/2:]))(t)
	stdin.Close()
	r.check(t, 1, "ohframe: sub/out: no such file or directory\n")
}
