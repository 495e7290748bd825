package unpack

import (
	"errors"

	"ohframe/internal/failure"
)

// Error is why an input cannot be read.
type Error = failure.Error

// ErrNoTraceInPage: an HTML page has no text trace.
var ErrNoTraceInPage = errors.New("no trace in the page")

// errTrailing: data follows the end of a container.
var errTrailing = errors.New("trailing data")
