package container

import "errors"

// Error is why an input was not read.
type Error struct {
	What string
	Hint string // what to do about it; may be empty
}

func (e *Error) Error() string { return e.What }

// errTrailing is that something follows after the end of a container.
var errTrailing = errors.New("something else follows")
