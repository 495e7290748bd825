package unpack

import (
	"errors"

	"ohframe/internal/diag"
)

// Error is why an input cannot be read.
type Error = diag.Error

// ErrNotATrace: the input has none of the formats that are read.
var ErrNotATrace = errors.New("not a trace")

// ErrNoTraceInPage: an HTML page has no text trace.
var ErrNoTraceInPage = errors.New("no trace in the page")

// ErrEntry: an archive has several files, or Options.Entry does not select one.
var ErrEntry = errors.New("no file of an archive selected")

// errTrailing: data follows the end of a container.
var errTrailing = errors.New("trailing data")
