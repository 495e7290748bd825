package flags

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"

	"github.com/urfave/cli/v2"
)

// Number is a flag whose value is a decimal integer. Of the library's flags for integers, 010 is 8
// and 08 an error, and job arrays and seq -w write such numbers. cli.Context.Int and Int64 return
// the value.
type Number struct{ cli.Int64Flag }

// NewNumber returns a flag. Its Base and Destination are not used.
func NewNumber(f cli.Int64Flag) *Number { return &Number{f} }

// Apply adds the flag to a set.
func (f *Number) Apply(set *flag.FlagSet) error {
	value := number(f.Value)
	for _, name := range f.EnvVars {
		if text := os.Getenv(name); text != "" {
			if err := value.Set(text); err != nil {
				return fmt.Errorf("invalid value %q for flag -%s: %w", text, f.Name, err)
			}
			f.HasBeenSet = true
			break
		}
	}
	for _, name := range f.Names() {
		own := value // the library copies values between the names
		set.Var(&own, name, f.Usage)
	}
	return nil
}

// number is the value of a Number. Its text has no zeros in front, as the library reads it again.
type number int64

// What package flag says of its own values.
var (
	errNumber = errors.New("parse error")
	errRange  = errors.New("value out of range")
)

// Set parses a decimal integer.
func (n *number) Set(s string) error {
	x, err := strconv.ParseInt(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return errRange
	case err != nil:
		return errNumber
	}
	*n = number(x)
	return nil
}

func (n *number) String() string { return strconv.FormatInt(int64(*n), 10) }
