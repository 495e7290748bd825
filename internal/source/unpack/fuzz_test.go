package unpack_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/inflation"
	"ohframe/internal/source/unpack"
)

// Whatever the input, reading it ends, within the limits, with what it holds or an
// error of ours, and the same however it comes. What is in no container itself
// comes out of each as it was.
func FuzzOpen(f *testing.F) {
	const most = 1 << 20
	lenient := unpack.Options{Limits: trace.Limits{Inflated: most}}
	strict := lenient
	strict.Strict = true
	f.Fuzz(func(t *testing.T, b []byte) {
		got := open(t, bytes.NewReader(b), lenient)
		if len(got.content) > most+2*len(b) {
			t.Errorf("%d bytes of %d", len(got.content), len(b))
		}
		checkTyped(t, got.err)
		pieces := open(t, inPieces(bytes.NewReader(b), 7), lenient)
		if over := (*inflation.Error)(nil); errors.As(got.err, &over) {
			got.content, pieces.content = nil, nil // as far as it got
		}
		if !got.equal(pieces) {
			t.Errorf("piece by piece: %d bytes, %q, %v; want %d, %q, %v", len(pieces.content), pieces.warnings, pieces.err, len(got.content), got.warnings, got.err)
		}
		strictly := open(t, bytes.NewReader(b), strict)
		checkTyped(t, strictly.err)
		if wrong := got.err != nil || len(got.warnings) > 0; wrong != (strictly.err != nil) {
			t.Errorf("strictly %v; else %q, %v", strictly.err, got.warnings, got.err)
		}
		if got.err != nil || !bytes.Equal(got.content, b) {
			return
		}
		for _, w := range []wrapper{wrappers[len(b)%len(wrappers)], wrappers[len(b)/7%len(wrappers)]} {
			if w.text {
				continue
			}
			if back := open(t, bytes.NewReader(w.wrap(b)), strict); back.err != nil || !bytes.Equal(back.content, b) {
				t.Errorf("%s: %q becomes %q, %v", w.name, b, back.content, back.err)
			}
		}
	})
}

func checkTyped(t *testing.T, err error) {
	t.Helper()
	what, over := (*unpack.Error)(nil), (*inflation.Error)(nil)
	if err != nil && !errors.As(err, &what) && !errors.As(err, &over) {
		t.Errorf("error %T %v", err, err)
	}
}

// The corpus that is in the repository has each container, whole and cut.
func TestCorpus(t *testing.T) {
	text := []byte("# tracer: nop\n app-2000  ( 2000) [000] ....   100.000000: tracing_mark_write: I|2000|次\n")
	inputs := map[string][]byte{"plain": text, "archive": archive(8, contents("a", "b"), "a", "b"), "deep": gzipped(zlibbed(6)(zipped(8)(zstdded(text))))}
	for i, w := range wrappers {
		packed := w.wrap(text)
		inputs[fmt.Sprintf("whole-%02d", i)] = packed
		inputs[fmt.Sprintf("cut-%02d", i)] = packed[:len(packed)*2/3]
	}
	const folder = "testdata/fuzz/FuzzOpen"
	if os.Getenv("WRITE_CORPUS") != "" {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, input := range inputs {
			entry := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\n", input)
			if err := os.WriteFile(filepath.Join(folder, name), []byte(entry), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	layers := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		var input []byte
		entry, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(string(entry), "go test fuzz v1\n[]byte(%q)\n", &input); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		c, err := unpack.Open(t.Context(), bytes.NewReader(input), unpack.Options{})
		if err != nil {
			continue
		}
		io.Copy(io.Discard, c)
		for _, name := range c.Layers() {
			layers[name] = true
		}
		c.Close()
	}
	for _, w := range wrappers {
		if w.layer != "" && !layers[w.layer] {
			t.Errorf("nothing in %s", w.layer)
		}
	}
	if len(files) < 2*len(wrappers) {
		t.Errorf("%d inputs", len(files))
	}
}
