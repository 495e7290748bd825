package unpack_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/gzip"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/unpack"
	"ohframe/internal/testing/must"
)

// zeros is an endless input that costs nothing.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// packZeros returns so many zero bytes as gzip, about a thousandth of them.
func packZeros(t *testing.T, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(io.CopyN(w, zeros{}, size))(t)
	w.Close()
	return b.Bytes()
}

func TestInflation(t *testing.T) {
	bomb := packZeros(t, 2*unpack.FreeInflation)
	for _, c := range []struct {
		name   string
		limits trace.Limits
		want   string // the limit that it is over
		at     int64  // how much comes out of it at the most
	}{
		{"ratio", trace.Limits{}, "ratio", unpack.FreeInflation + 1<<20},
		{"ratio allowed", trace.Limits{Ratio: 2000}, "", 2 * unpack.FreeInflation},
		{"inflated", trace.Limits{Inflated: 1 << 20}, "inflated", 2 << 20},
		{"inflated, to the byte", trace.Limits{Inflated: 2 * unpack.FreeInflation, Ratio: 2000}, "", 2 * unpack.FreeInflation},
		{"inflated, a byte less", trace.Limits{Inflated: 2*unpack.FreeInflation - 1, Ratio: 2000}, "inflated", 2 * unpack.FreeInflation},
	} {
		watch := unpack.NewInflation(c.limits)
		z := must.Get(gzip.NewReader(watch.Packed(bytes.NewReader(bomb))))(t)
		n, err := io.Copy(io.Discard, watch.Unpacked(z))
		over, got := (*unpack.LimitError)(nil), ""
		if errors.As(err, &over) {
			got = over.Limit
		} else if err != nil {
			t.Fatal(err)
		}
		if got != c.want || n > c.at {
			t.Errorf("%s: %d bytes came out, then %v", c.name, n, err)
		}
	}
}
