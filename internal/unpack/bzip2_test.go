package unpack_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"ohframe/internal/unpack"
)

// Go has no encoder. bzip2 1.0.8 wrote these: bzip2Text, and 300 MiB of zeros.
const (
	bzip2Text   = "# tracer: nop\n app-2000  ( 2000) [000] ....   100.000000: tracing_mark_write: I|2000|x\n"
	bzip2Packed = "425a683931415926535950db1b2f000008df805010486370100020000aaaabd4c42000543540c9e44c4f5069a34c06a9e1268c269a0d0d3418635f551a264e941e7023635cfb9100191482ccd006665f53cd545fcd54349fa2b3a62b1fd0955ece0c16cc881a592e2ee48a70a120a1b6365e"
	bzip2Zeros  = "425a68393141592653590e09e2df015f8e4000c0000008200030804d4642a025a90a80973141592653590e09e2df015f8e4000c0000008200030804d4642a025a90a80973141592653590e09e2df015f8e4000c0000008200030804d4642a025a90a80973141592653590e09e2df015f8e4000c0000008200030804d4642a025a90a80973141592653590e09e2df015f8e4000c0000008200030804d4642a025a90a80973141592653590e09e2df015f8e4000c0000008200030804d4642a025a90a8097314159265359a2756ee7012c124004c00000010008200030cc0529a622052362440a478bb9229c28482aea7b8780"
)

func fromHex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func TestBzip2(t *testing.T) {
	packed := fromHex(bzip2Packed)
	changed := bytes.Clone(packed)
	changed[10] ^= 1 // the checksum of the block
	for _, c := range []struct {
		name           string
		input          []byte
		want, warnings string
	}{
		{"whole", packed, bzip2Text, ""},
		{"two streams", bytes.Repeat(packed, 2), bzip2Text + bzip2Text, ""},
		{"in gzip", gzipped(packed), bzip2Text, ""},
		{"followed by something", append(bytes.Clone(packed), "something"...), bzip2Text, "data after the end of the bzip2 stream; skipped"},
		{"without its footer", packed[:len(packed)-6], bzip2Text, "bzip2 stream is truncated after"},
		{"with another checksum", changed, bzip2Text, "does not match its checksum"},
	} {
		got := open(t, bytes.NewReader(c.input), unpack.Options{})
		if got.err != nil || string(got.content) != c.want || !strings.Contains(strings.Join(got.warnings, ""), c.warnings) || (c.warnings == "") != (got.warnings == nil) {
			t.Errorf("%s: %q, %q, %v", c.name, got.content, got.warnings, got.err)
		}
		strict := open(t, bytes.NewReader(c.input), unpack.Options{Strict: true})
		if (strict.err != nil) != (c.warnings != "") {
			t.Errorf("%s, strict: %v", c.name, strict.err)
		}
	}
	if got := open(t, bytes.NewReader([]byte("BZhello, this is text that begins with BZh")), unpack.Options{}); len(got.layers) != 0 {
		t.Errorf("text is taken for %v", got.layers)
	}
}
