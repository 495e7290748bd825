package limits

import (
	"fmt"
	"io"
)

// Error is the error of an input that exceeds a limit and cannot be read further.
type Error struct {
	Limit string // name of the limit
	What  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (limit: %s)", e.What, e.Limit) }

// Inflation limits the decompression of one input with all its nested containers.
type Inflation struct {
	limits           Limits
	packed, unpacked int64
}

// NewInflation returns the limits for the decompression of one input.
func (l Limits) NewInflation() *Inflation { return &Inflation{limits: l.WithDefaults()} }

// Packed returns a reader that counts the compressed bytes of r. The decoder must
// read from it.
func (i *Inflation) Packed(r io.Reader) io.Reader { return &packed{r, i} }

// Unpacked returns a reader that counts the output of the decoder r. It returns an
// *Error beyond the limits.
func (i *Inflation) Unpacked(r io.Reader) io.Reader { return &unpacked{r, i} }

// check returns an *Error if a limit is exceeded.
func (i *Inflation) check() error {
	if i.unpacked > int64(i.limits.Inflated) {
		return &Error{"inflated", fmt.Sprintf("decompresses to more than %s bytes", Number(i.limits.Inflated))}
	}
	if i.unpacked > MinInflated && i.unpacked/int64(i.limits.Ratio) > i.packed {
		return &Error{"ratio", fmt.Sprintf("decompresses to more than %s times its size", Number(i.limits.Ratio))}
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
