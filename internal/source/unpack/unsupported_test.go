package unpack_test

import (
	"bytes"
	"testing"

	"ohframe/internal/source/unpack"
)

// The first bytes of xz and bzip2 streams, as xz 5.4 and bzip2 1.0.8 write them.
func TestUnsupported(t *testing.T) {
	const xz, bzip2, empty = "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F", "BZh91AY&SY", "BZh9\x17\x72\x45\x38\x50\x90"
	for _, c := range []struct{ name, input, want, hint string }{
		{"xz", xz, "xz is not supported", "decompress it first with xz -d"},
		{"bzip2", bzip2, "bzip2 is not supported", "decompress it first with bzip2 -d"},
		{"empty bzip2", empty, "bzip2 is not supported", "decompress it first with bzip2 -d"},
		{"xz in gzip", string(gzipped([]byte(xz))), "xz is not supported, in gzip", "decompress it first with xz -d"},
	} {
		_, err := unpack.Open(t.Context(), bytes.NewReader([]byte(c.input)), unpack.Options{})
		if e, ok := err.(*unpack.Error); !ok || e.What != c.want || e.Hint != c.hint {
			t.Errorf("%s: error %#v", c.name, err)
		}
	}
	for _, text := range []string{"BZhello, this is text that begins with BZh", "BZh", "BZh91AY"} {
		if got := open(t, bytes.NewReader([]byte(text)), unpack.Options{}); string(got.content) != text || len(got.layers) != 0 {
			t.Errorf("text becomes %q in %q, %v", got.content, got.layers, got.err)
		}
	}
}
