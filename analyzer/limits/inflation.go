package limits

import (
	"fmt"
	"io"
)

// Error is the error of an input that goes beyond a limit after which there is
// no going on.
type Error struct {
	Limit string // its name
	What  string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (--limit %s)", e.What, e.Limit) }

// Inflation watches over the unpacking of one input: over all that is packed
// within something packed, too.
type Inflation struct {
	limits           Limits
	packed, unpacked int64
}

// NewInflation returns what watches over the unpacking of one input.
func (l Limits) NewInflation() *Inflation { return &Inflation{limits: l.WithDefaults()} }

// Packed returns a reader of the input as it is. It must be the same reader that
// is unpacked.
func (i *Inflation) Packed(r io.Reader) io.Reader { return &packed{r, i} }

// Unpacked returns a reader of what r inflates to, which ends with an *Error
// where that is too much.
func (i *Inflation) Unpacked(r io.Reader) io.Reader { return &unpacked{r, i} }

// check returns an *Error if too much has been unpacked.
func (i *Inflation) check() error {
	if i.unpacked > int64(i.limits.Inflated) {
		return &Error{"inflated", fmt.Sprintf("inflates to more than %s bytes", Number(i.limits.Inflated))}
	}
	if i.unpacked > MinInflated && i.unpacked/int64(i.limits.Ratio) > i.packed {
		return &Error{"ratio", fmt.Sprintf("inflates to more than %s times its size", Number(i.limits.Ratio))}
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
