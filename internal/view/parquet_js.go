package view

import (
	"io"

	"ohframe/internal/diag"
)

// WriteParquet fails: the library is larger than the rest of the program.
func (rows Records[T]) WriteParquet(io.Writer) error {
	return &diag.Error{What: "Parquet cannot be written in a browser", Hint: "--format csv"}
}
