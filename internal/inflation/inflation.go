// Package inflation limits the decompression of an input.
package inflation

import (
	"fmt"
	"io"

	"ohframe/analyzer/trace"
)

// Free is the decompressed size, in bytes, up to which any ratio is allowed.
const Free = 64 << 20

// Error is the error of an input that exceeds a limit and cannot be read further.
type Error struct {
	Limit string // name of the limit
	What  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (limit: %s)", e.What, e.Limit) }

// Counter limits the decompression of one input with all its nested containers.
type Counter struct {
	limits           trace.Limits
	packed, unpacked int64
}

// New returns a counter for one input.
func New(l trace.Limits) *Counter { return &Counter{limits: l.WithDefaults()} }

// Packed returns a reader that counts the compressed bytes of r. The decoder must
// read from it.
func (c *Counter) Packed(r io.Reader) io.Reader { return &packed{r, c} }

// Unpacked returns a reader that counts the output of the decoder r. It returns an
// *Error beyond the limits.
func (c *Counter) Unpacked(r io.Reader) io.Reader { return &unpacked{r, c} }

// check returns an *Error if a limit is exceeded.
func (c *Counter) check() error {
	if c.unpacked > int64(c.limits.Inflated) {
		return &Error{"inflated", fmt.Sprintf("decompresses to more than %s bytes", trace.FormatLimit(c.limits.Inflated))}
	}
	if c.unpacked > Free && c.unpacked/int64(c.limits.Ratio) > c.packed {
		return &Error{"ratio", fmt.Sprintf("decompresses to more than %s times its size", trace.FormatLimit(c.limits.Ratio))}
	}
	return nil
}

type packed struct {
	io.Reader
	*Counter
}

func (r *packed) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.packed += int64(n)
	return n, err
}

type unpacked struct {
	io.Reader
	*Counter
}

func (r *unpacked) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.unpacked += int64(n)
	if over := r.check(); over != nil {
		return n, over
	}
	return n, err
}
