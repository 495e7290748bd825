package fleet

import (
	"context"
	"iter"

	"ohframe"
	"ohframe/internal/diag"
)

// The library for Parquet is larger than the rest of the program, so browsers do without datasets in files.

func noFiles(what string) error {
	return &diag.Error{What: what + ": datasets of fleets cannot be read in a browser", Hint: "use the program: docs/fleet.md"}
}

// Open fails.
func Open(_ context.Context, _ Store, dir string) (*Dataset, error) { return nil, noFiles(dir) }

// List is not called.
func (d *Dataset) List(context.Context) ([]*Stored, error) { return nil, noFiles(d.Dir) }

func (d *Dataset) scanParts(context.Context, wanted, func() (row func(*Row), end func())) error {
	return noFiles(d.Dir)
}

// ReadStored is not called.
func ReadStored(context.Context, []*Stored, ohframe.Options) iter.Seq2[*ohframe.Trace, error] {
	return func(func(*ohframe.Trace, error) bool) {}
}
