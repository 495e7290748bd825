package unpack

import (
	"errors"

	"ohframe/internal/failure"
)

// Error is why an input cannot be read.
type Error = failure.Error

// errTrailing: data follows the end of a container.
var errTrailing = errors.New("trailing data")
