package unpack_test

import (
	"bytes"
	"errors"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/unpack"
)

// Whatever the input, reading it ends, within the limits, with its content or an
// error of ours, and the same however it comes. What is in no container itself
// comes out of each as it was.
func FuzzOpen(f *testing.F) {
	const most = 1 << 20
	options := unpack.Options{Limits: trace.Limits{Inflated: most}}
	text := []byte("# tracer: nop\n app-2000  ( 2000) [000] ....   100.000000: tracing_mark_write: I|2000|次\n")
	f.Add(text)
	f.Add(archive(8, contents("a", "b"), "a", "b"))
	f.Add(gzipped(zlibbed(6)(zipped(8)(zstdded(text)))))
	for _, w := range wrappers {
		packed := w.wrap(text)
		f.Add(packed)
		f.Add(packed[:len(packed)*2/3])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := open(t, bytes.NewReader(b), options)
		if len(got.content) > most+2*len(b) {
			t.Errorf("%d bytes of %d", len(got.content), len(b))
		}
		checkTyped(t, got.err)
		pieces := open(t, inPieces(bytes.NewReader(b), 7), options)
		if over := (*unpack.LimitError)(nil); errors.As(got.err, &over) {
			got.content, pieces.content = nil, nil // as far as it got
		}
		if !got.equal(pieces) {
			t.Errorf("piece by piece: %d bytes, %q, %v; want %d, %q, %v", len(pieces.content), pieces.warnings, pieces.err, len(got.content), got.warnings, got.err)
		}
		if got.err != nil || len(got.warnings) > 0 || !bytes.Equal(got.content, b) {
			return
		}
		for _, w := range []wrapper{wrappers[len(b)%len(wrappers)], wrappers[len(b)/7%len(wrappers)]} {
			if w.text {
				continue
			}
			if back := open(t, bytes.NewReader(w.wrap(b)), options); back.err != nil || len(back.warnings) > 0 || !bytes.Equal(back.content, b) {
				t.Errorf("%s: %q becomes %q, %v", w.name, b, back.content, back.err)
			}
		}
	})
}

func checkTyped(t *testing.T, err error) {
	t.Helper()
	what, over := (*unpack.Error)(nil), (*unpack.LimitError)(nil)
	if err != nil && !errors.As(err, &what) && !errors.As(err, &over) {
		t.Errorf("error %T %v", err, err)
	}
}
