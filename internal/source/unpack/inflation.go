package unpack

import (
	"fmt"
	"io"

	"ohframe/analyzer/trace"
)

// FreeInflation is the decompressed size, in bytes, up to which any ratio is allowed.
const FreeInflation = 64 << 20

// LimitError is the error of an input that exceeds a limit and cannot be read further.
type LimitError struct {
	Limit string // name of the limit
	What  string
}

func (e *LimitError) Error() string { return fmt.Sprintf("%s (limit: %s)", e.What, e.Limit) }

// Inflation limits the decompression of one input with all its nested containers.
type Inflation struct {
	limits           trace.Limits
	packed, unpacked int64
}

// NewInflation returns a counter for one input.
func NewInflation(l trace.Limits) *Inflation { return &Inflation{limits: l.WithDefaults()} }

// Packed returns a reader that counts the compressed bytes of r. The decoder must
// read from it.
func (c *Inflation) Packed(r io.Reader) io.Reader { return &packed{r, c} }

// Unpacked returns a reader that counts the output of the decoder r. It returns an
// *LimitError beyond the limits.
func (c *Inflation) Unpacked(r io.Reader) io.Reader { return &unpacked{r, c} }

// check returns an *LimitError if a limit is exceeded.
func (c *Inflation) check() error {
	if c.unpacked > int64(c.limits.Inflated) {
		return &LimitError{"inflated", fmt.Sprintf("decompresses to more than %s bytes", trace.FormatLimit(c.limits.Inflated))}
	}
	if c.unpacked > FreeInflation && c.unpacked/int64(c.limits.Ratio) > c.packed {
		return &LimitError{"ratio", fmt.Sprintf("decompresses to more than %s times its size", trace.FormatLimit(c.limits.Ratio))}
	}
	return nil
}

type packed struct {
	io.Reader
	*Inflation
}

func (r *packed) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.packed += int64(n)
	return n, err
}

type unpacked struct {
	io.Reader
	*Inflation
}

func (r *unpacked) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.unpacked += int64(n)
	if over := r.check(); over != nil {
		return n, over
	}
	return n, err
}
