package unpack_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"ohframe/internal/unpack"
)

// A block's header is after the 12 bytes of the stream's: its size, flags, sizes, the
// filter with one byte for the dictionary, padding and a checksum.
func TestXzHeader(t *testing.T) {
	packed := xzed(xz.WriterConfig{})([]byte("text"))
	const at = 12
	size := (int(packed[at]) + 1) * 4
	filter := bytes.Index(packed[at:at+size], []byte{0x21, 1})
	if filter < 0 {
		t.Fatalf("no filter in % x", packed[at:at+size])
	}
	with := func(change func(header []byte)) []byte {
		b := bytes.Clone(packed)
		header := b[at : at+size]
		change(header)
		binary.LittleEndian.PutUint32(header[size-4:], crc32.ChecksumIEEE(header[:size-4]))
		return b
	}
	for _, c := range []struct {
		name  string
		input []byte
		want  string
	}{
		{"a dictionary of 4 GiB", with(func(h []byte) { h[filter+2] = 40 }), "xz stream with a dictionary larger than 128 MiB, in xz"},
		{"a dictionary of 192 MiB", with(func(h []byte) { h[filter+2] = 31 }), "xz stream with a dictionary larger than 128 MiB, in xz"},
		{"another filter", with(func(h []byte) { h[filter] = 4 }), "xz stream with filter 0x4, in xz"},
		{"two filters", with(func(h []byte) { h[1] |= 1 }), "xz stream with several filters, in xz"},
		{"an unknown dictionary", with(func(h []byte) { h[filter+2] = 41 }), "xz stream is corrupt after 0 bytes"},
	} {
		got := open(t, bytes.NewReader(c.input), unpack.Options{})
		if len(got.content) != 0 || got.err == nil || !strings.Contains(got.err.Error(), strings.TrimSuffix(c.want, ", in xz")) {
			t.Errorf("%s: %q, %v, want %s", c.name, got.content, got.err, c.want)
		}
	}
	if got := open(t, bytes.NewReader(with(func(h []byte) { h[filter+2] = 30 })), unpack.Options{}); string(got.content) != "text" {
		t.Errorf("a dictionary of 128 MiB: %q, %v", got.content, got.err)
	}
	// A wrong checksum of the content is a warning.
	changed := bytes.Clone(packed)
	i := bytes.Index(changed, []byte("text"))
	changed[i] = 'T'
	if got := open(t, bytes.NewReader(changed), unpack.Options{}); string(got.content) != "Text" || len(got.warnings) != 1 || !strings.Contains(got.warnings[0], "checksum") {
		t.Errorf("another content: %q, %q", got.content, got.warnings)
	}
}
