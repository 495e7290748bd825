package unpack_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// demo is a trace with a character that UTF-8 and UTF-16 write differently.
func demo(t testing.TB) []byte {
	t.Helper()
	text := must.Get(os.ReadFile("../../../testdata/demo.ftrace"))(t)
	return append(text, " app-2000  ( 2000) [000] ....  3701.000000: tracing_mark_write: I|2000|次へ 𝄞\n"...)
}

// outcome is all that can be seen of reading an input.
type outcome struct {
	content  []byte
	layers   []string
	warnings []string
	err      error
}

func open(t testing.TB, r io.Reader, o unpack.Options) outcome {
	t.Helper()
	c, err := unpack.Open(t.Context(), r, o)
	if err != nil {
		return outcome{err: err}
	}
	defer c.Close()
	content, err := io.ReadAll(c)
	must.NoError(t, c.Close())
	return outcome{content, c.Layers(), diag.Texts(c.Warnings()), err}
}

// message returns the text of an error, or nothing.
func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (o outcome) equal(other outcome) bool {
	return bytes.Equal(o.content, other.content) && slices.Equal(o.layers, other.layers) &&
		slices.Equal(o.warnings, other.warnings) && message(o.err) == message(other.err)
}

// The content of a container is read, also from containers in containers, however the input
// is read.
func TestContainers(t *testing.T) {
	text := demo(t)
	text = slices.Concat(text[:100_000], text[len(text)-100:])
	for i, outer := range wrappers {
		inner := wrapper{wrap: bytes.Clone}
		check := func() {
			packed := outer.wrap(inner.wrap(text))
			layers := slices.DeleteFunc([]string{outer.layer, inner.layer}, func(name string) bool { return name == "" })
			for reading, r := range map[string]io.Reader{
				"at once":        bytes.NewReader(packed),
				"with its end":   iotest.DataErrReader(bytes.NewReader(packed)),
				"piece by piece": inPieces(bytes.NewReader(packed), 999),
			} {
				got := open(t, r, unpack.Options{})
				if got.err != nil || len(got.warnings) > 0 || !bytes.Equal(got.content, text) || !slices.Equal(got.layers, layers) {
					t.Errorf("%s in %s, %s: %d bytes in %q, error %v, warnings %q", inner.name, outer.name, reading, len(got.content), got.layers, got.err, got.warnings)
				}
			}
		}
		check()
		if !outer.text {
			inner = wrappers[(i+5)%len(wrappers)]
			check()
		}
	}
}

// Input without a container is passed on.
func TestPlain(t *testing.T) {
	for _, text := range []string{
		"", "x", "\x1f", "P", "PK", "<", "x^", "x^-200 (200) [001] .... 1.0: print: E\n", "TRACE:\n", "TRACE:\nx^ is no stream\n", "TRACE:\r\n# tracer: nop\n",
		"\xff", "\xef\xbb", "\x28\xb5\x2f", "\x50\x2a\x4d", "OHOSPROF", "x\x9d", "\x00\x00TRACE:\n\x78\x9c\xed",
		"# <html> [000]", string(demo(t)), strings.Repeat("x", 200_000),
	} {
		got := open(t, strings.NewReader(text), unpack.Options{})
		if got.err != nil || string(got.content) != text || got.layers != nil || got.warnings != nil {
			t.Errorf("%.40q: becomes %.40q in %q, %v", text, got.content, got.layers, got.err)
		}
	}
}

func TestDepth(t *testing.T) {
	packed := []byte("# tracer: nop\n")
	for i := range 6 {
		got := open(t, bytes.NewReader(packed), unpack.Options{})
		if deep := i > 4; deep != strings.HasPrefix(message(got.err), "more than 4 nested containers") || !deep && len(got.layers) != i {
			t.Errorf("%d containers: in %q, error %v", i, got.layers, got.err)
		}
		packed = gzipped(packed)
	}
}

// What precedes damage comes out, with a warning, and is the same however the input comes.
func TestDamage(t *testing.T) {
	text := demo(t)
	for _, w := range wrappers {
		if w.layer == "" || w.layer == "UTF-16" {
			continue // without an end to be missing
		}
		packed := w.wrap(text)
		check := func(what string, damaged []byte) outcome {
			got := open(t, bytes.NewReader(damaged), unpack.Options{})
			if !got.equal(open(t, inPieces(bytes.NewReader(damaged), 77), unpack.Options{})) {
				t.Errorf("%s %s: another outcome piece by piece", w.name, what)
			}
			if noticed := got.err != nil || len(got.warnings) > 0; !noticed && !bytes.Equal(got.content, text) {
				t.Errorf("%s %s: other content without a warning", w.name, what)
			}
			checkTyped(t, got.err)
			return got
		}
		if w.layer != "zip" { // which has its directory at the end
			got := check("cut", packed[:len(packed)*2/3])
			if got.err != nil || len(got.warnings) != 1 || !strings.Contains(got.warnings[0], " is truncated after ") || !bytes.HasPrefix(text, got.content) || len(got.content) < len(text)/3 {
				t.Errorf("%s cut: %d bytes, %q, %v", w.name, len(got.content), got.warnings, got.err)
			}
		}
		if w.layer == "tar" || w.layer == "HTML" || w.layer == "JSON" {
			continue // without a checksum
		}
		for at := 40; at < len(packed); at += 1 + len(packed)/slow.Of(7, 41) {
			bad := bytes.Clone(packed)
			bad[at] ^= 0x10
			check(fmt.Sprintf("damaged at %d", at), bad)
		}
	}
}

func TestMessages(t *testing.T) {
	text := []byte("# tracer: nop\n")
	zipError := archive(0, map[string][]byte{"a": text}, "a")
	zipError[len("PK")+28+len("a")] = 'X' // the first byte of the content
	larger := archive(0, map[string][]byte{"a": text}, "a")
	larger[bytes.Index(larger, []byte("PK\x01\x02"))+24]++
	crc := gzipped(text)
	crc[len(crc)-8] ^= 1
	for _, test := range []struct {
		name, input string
		content     string
		warnings    string
	}{
		{"garbage after gzip", string(gzipped(text)) + "and more", string(text), "data after the end of the gzip stream; skipped"},
		{"garbage after zlib", string(zlibbed(6)(text)) + "and more", string(text), "data after the end of the zlib stream; skipped"},
		{"garbage after zstd", string(zstdded(text)) + "and more", string(text), "data after the end of the zstd stream; skipped"},
		{"checksum of gzip", string(crc), string(text), "gzip stream is corrupt: its content (14 bytes) does not match its checksum; the content is used"},
		{"size in zip", string(larger), string(text), "zip entry is truncated after 14 bytes of content; the content before that is used"},
		{"checksum in zip", string(zipError), "X tracer: nop\n", "zip entry is corrupt: its content (14 bytes) does not match its checksum; the content is used"},
	} {
		got := open(t, strings.NewReader(test.input), unpack.Options{})
		if got.err != nil || string(got.content) != test.content || strings.Join(got.warnings, "|") != test.warnings {
			t.Errorf("%s: %q, %q, %v", test.name, got.content, got.warnings, got.err)
		}
	}
	for input, want := range map[string]string{
		"\x1f\x8b\x08":                                 "no readable content, in gzip; gzip stream is truncated after 0 bytes of content",
		"\x1f\x8b\x07\x00 and so on":                   "no readable content, in gzip; gzip stream is corrupt after 0 bytes of content",
		"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03name": "no readable content, in gzip; gzip stream is truncated after 0 bytes of content",
		"\x78\x9c\xff\xff":                             "no readable content, in zlib; zlib stream is corrupt after 0 bytes of content",
		"\x28\xb5\x2f\xfd\x04":                         "no readable content, in zstd; zstd stream is truncated after 0 bytes of content",
		// Windows of 256 MiB and, as the content's size, of 1 TiB; a dictionary.
		"\x28\xb5\x2f\xfd\x00\x90\x0b\x00\x00x":                             "zstd stream with a window larger than 128 MiB",
		"\x28\xb5\x2f\xfd\xe0\x00\x00\x00\x00\x00\x01\x00\x00\x0b\x00\x00x": "zstd stream with a window larger than 128 MiB",
		"\x28\xb5\x2f\xfd\x01\x58\x07\x0b\x00\x00x":                         "zstd stream that needs a dictionary",
		"PK\x03\x04":                          "truncated or corrupt zip archive: it has no directory at its end",
		string(gzipped([]byte("PK\x03\x04"))): "truncated or corrupt zip archive: it has no directory at its end, in gzip",
	} {
		if got := open(t, strings.NewReader(input), unpack.Options{}); message(got.err) != want {
			t.Errorf("%q: error %v, want %s", input, got.err, want)
		}
	}
}

// The reader's own error and the context's come through every container.
func TestErrors(t *testing.T) {
	text := append([]byte("# tracer: nop\n"), noise(500_000)...)
	broken := errors.New("broken pipe")
	for _, w := range append(wrappers, wrapper{wrap: bytes.Clone}) {
		packed := w.wrap(text)
		for _, n := range []int{0, 1, len(packed) / 2, len(packed)} {
			r := io.MultiReader(bytes.NewReader(packed[:n]), iotest.ErrReader(broken))
			if got := open(t, r, unpack.Options{}); !errors.Is(got.err, broken) {
				t.Errorf("%s after %d bytes: error %v, want the reader's", w.name, n, got.err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		after := &canceling{inPieces(bytes.NewReader(packed), 1000), 100_000, cancel}
		c, err := unpack.Open(ctx, after, unpack.Options{})
		if err == nil {
			_, err = io.Copy(io.Discard, c)
			c.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want the context's", w.name, err)
		}
		cancel()
	}
}

// noise is text that does not compress to much less than its size.
func noise(size int) []byte {
	random := rand.NewChaCha8([32]byte{})
	raw := make([]byte, size/2)
	random.Read(raw)
	return hex.AppendEncode(nil, raw)
}

// canceling cancels after so many bytes.
type canceling struct {
	in     io.Reader
	left   int
	cancel func()
}

func (c *canceling) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	if c.left -= n; c.left < 0 {
		c.cancel()
	}
	return n, err
}

// A Content that is opened again is what it is, with its warnings.
func TestOpenAgain(t *testing.T) {
	first := must.Get(unpack.Open(t.Context(), bytes.NewReader(gzipped(demo(t))[:5000]), unpack.Options{}))(t)
	again, err := unpack.Open(t.Context(), first, unpack.Options{KeepTar: true})
	if err != nil || again != first {
		t.Fatalf("another one: %v", err)
	}
	if _, err := io.Copy(io.Discard, again); err != nil || len(diag.Texts(first.Warnings())) != 1 || first.In() != " in gzip" {
		t.Errorf("%q %q, %v", diag.Texts(first.Warnings()), first.In(), err)
	}
}

func TestExplain(t *testing.T) {
	c := must.Get(unpack.Open(t.Context(), bytes.NewReader(gzipped(zlibbed(6)(demo(t)))[:5000]), unpack.Options{}))(t)
	io.Copy(io.Discard, c)
	got := c.Explain(&unpack.Error{What: "no trace", Hint: "record one"})
	if e := (*unpack.Error)(nil); !errors.As(got, &e) || e.Hint != "record one" || !strings.HasPrefix(e.What, "no trace, in zlib in gzip; gzip stream is truncated after ") {
		t.Errorf("got %v", got)
	}
	if len(diag.Texts(c.Warnings())) != 1 { // that what is inside is cut as well goes without saying
		t.Errorf("warnings %q", diag.Texts(c.Warnings()))
	}
	if err := c.Explain(io.ErrNoProgress); err != io.ErrNoProgress {
		t.Errorf("got %v", err)
	}
}

// No file is left where temporary files are, with an error or without.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	text := demo(t)
	good := zipped(8)(text)
	for name, input := range map[string][]byte{
		"zip": good, "zip in zip": zipped(8)(good), "zip in gzip": gzipped(good), "cut": good[:len(good)-30],
		"two": archive(8, map[string][]byte{"a": text, "b": text}, "a", "b"), "cut gzip": gzipped(good)[:1000],
	} {
		c, err := unpack.Open(t.Context(), bytes.NewReader(input), unpack.Options{})
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("%s: while it is read there are %q", name, left)
		}
		if err == nil {
			io.CopyN(io.Discard, c, 100)
			c.Close()
		}
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "missing"))
	if got := open(t, bytes.NewReader(good), unpack.Options{}); !strings.HasPrefix(message(got.err), "temporary file for the zip archive: ") {
		t.Errorf("without a folder: %v", got.err)
	}
	if got := open(t, inFile(t, good), unpack.Options{}); got.err != nil || !bytes.Equal(got.content, text) {
		t.Errorf("a file is not read in place: %v", got.err)
	}
	t.Setenv("TMPDIR", dir)
	if got := open(t, inFile(t, gzipped(zipped(0)(text))), unpack.Options{}); got.err != nil || !bytes.Equal(got.content, text) {
		t.Errorf("zip in gzip in a file: %v", got.err)
	}
}

func TestLimits(t *testing.T) {
	text := bytes.Repeat([]byte("# tracer: nop\n"), 100_000)
	for _, w := range wrappers {
		if w.layer == "" || w.layer == "HTML" || w.layer == "UTF-16" {
			continue
		}
		for bound, over := range map[int]bool{len(text): false, len(text) - 1: true, 1: true} {
			got := open(t, bytes.NewReader(w.wrap(text)), unpack.Options{Limits: trace.Limits{Inflated: bound}})
			limit := (*unpack.LimitError)(nil)
			if over && (!errors.As(got.err, &limit) || limit.Limit != "inflated" || len(got.content) > bound+64<<10) || !over && got.err != nil {
				t.Errorf("%s: %d bytes with a limit of %d, error %v", w.name, len(got.content), bound, got.err)
			}
		}
	}
}
