//go:build !js

package view

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// rowsPerGroup is the number of rows in memory before they are written.
const rowsPerGroup = 1 << 16

// WriteParquet writes the rows with the parquet tags of T.
func (rows Records[T]) WriteParquet(w io.Writer) error {
	out := parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsPerGroup))
	for row := range rows {
		if _, err := out.Write([]T{row}); err != nil {
			return err
		}
	}
	return out.Close()
}
