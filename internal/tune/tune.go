// Package tune has what the commands and fleets choose of a run that reads a trace, and the library does not
// promise: how many workers it has, and what it may leave out. It is passed in a context.
package tune

import "context"

// Tuning is what is chosen. The zero Tuning is what the library does.
type Tuning struct {
	// Workers is how many blocks of text are worked on at once. Zero is GOMAXPROCS. The result does
	// not depend on it.
	Workers int
	// NoPieces leaves why.Explanation.Pieces and Slices of late frames of a text trace out, which only
	// pages and tracks show. Convert always writes them.
	NoPieces bool
}

type key struct{}

// In returns a context with the choice.
func (t Tuning) In(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, t) }

// Of returns the choice in a context.
func Of(ctx context.Context) Tuning {
	t, _ := ctx.Value(key{}).(Tuning)
	return t
}
