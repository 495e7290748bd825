package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/internal/testing/must"
)

// sourceOf returns a source that reads a new file with the given content.
func sourceOf(t *testing.T, content string) (*source, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	s := must.Get(openSource(t.Context(), path))(t)
	t.Cleanup(func() { s.Close() })
	return s, path
}

func appendTo(t *testing.T, path, more string) {
	t.Helper()
	f := must.Get(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))(t)
	defer f.Close()
	must.Get(io.WriteString(f, more))(t)
}

func TestSourceReads(t *testing.T) {
	for _, content := range []string{"", "a", strings.Repeat("line\n", 10000)} {
		s, _ := sourceOf(t, content)
		must.NoError(t, iotest.TestReader(s, []byte(content)), "%d bytes", len(content))
		if w := s.warnings(); len(w) > 0 {
			t.Errorf("%d bytes: warns %q", len(content), w)
		}
	}
}

// Standard input may have been read in part: "(read x; ohframe convert -) <file".
func TestSourceInPart(t *testing.T) {
	s, path := sourceOf(t, "one\ntwo\n")
	must.Get(s.file.Seek(4, io.SeekStart))(t)
	rest := newSource(s.file)
	appendTo(t, path, "three\n")
	if b, err := io.ReadAll(rest); string(b) != "two\n" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
}

// The file grows twice as fast as it is read. An empty file counts as a file only
// when it has grown.
func TestSourceGrows(t *testing.T) {
	content := strings.Repeat("0123456789", 10)
	for _, before := range []string{content, ""} {
		s, path := sourceOf(t, before)
		appendTo(t, path, content[len(before):])
		var got []byte
		part := make([]byte, 10)
		for n, err := 0, error(nil); err != io.EOF; got = append(got, part[:n]...) {
			if n, err = s.Read(part); err != nil && err != io.EOF || len(got) > len(content) {
				t.Fatalf("after %d bytes: %v", len(got), err)
			}
			appendTo(t, path, strings.Repeat("x", 20))
		}
		if string(got) != content {
			t.Errorf("got %q, want %q", got, content)
		}
		if w := s.warnings(); len(w) != 1 || !strings.HasPrefix(w[0], "was modified while being read; ") {
			t.Errorf("warns %q", w)
		}
	}
}

func TestSourceShrinks(t *testing.T) {
	const size = 100
	for _, test := range []struct{ read, left, got int }{{0, 0, 0}, {0, 99, 99}, {50, 0, 50}, {50, 50, 50}, {50, 75, 75}} {
		s, path := sourceOf(t, strings.Repeat("x", size))
		must.Get(io.ReadFull(s, make([]byte, test.read)))(t)
		must.Do(t, os.Truncate(path, int64(test.left)))
		rest, err := io.ReadAll(s)
		if n := test.read + len(rest); n != test.got {
			t.Errorf("%+v: got %d bytes", test, n)
		}
		want := strings.ReplaceAll("became shorter while being read: N of 100 bytes", "N", strconv.Itoa(test.got))
		if err == nil || err.Error() != want {
			t.Errorf("%+v: got %v, want %s", test, err, want)
		}
		if _, again := s.Read(make([]byte, 1)); again != err {
			t.Errorf("%+v: then %v", test, again)
		}
	}
}

// await returns when the work or the context ends, whichever is first.
func TestAwait(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	if n, err := await(ctx, func() (int, error) { return 1, io.EOF }); n != 1 || err != io.EOF {
		t.Errorf("got %d, %v", n, err)
	}
	never := make(chan bool)
	defer close(never)
	go cancel(io.ErrClosedPipe)
	err := awaitError(ctx, func() error {
		<-never
		return nil
	})
	if err != io.ErrClosedPipe {
		t.Errorf("got %v", err)
	}
}
