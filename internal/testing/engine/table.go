package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// Table is the result of a query.
type Table struct {
	Columns []string

	// Rows are the cells of each row in the order of Columns: nil for NULL, int64,
	// float64, string, or []byte for a blob.
	Rows [][]any
}

// String prints a table for people and for comparison: a line of column names,
// then a line for each row, with commas between cells. Strings are quoted as
// in Go, blobs are written x'00ff', and NULL is the one bare word.
func (t Table) String() string {
	var b strings.Builder
	b.WriteString(strings.Join(t.Columns, ","))
	b.WriteByte('\n')
	for _, row := range t.Rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte(',')
			}
			switch cell := cell.(type) {
			case nil:
				b.WriteString("NULL")
			case float64:
				b.WriteString(strconv.FormatFloat(cell, 'g', -1, 64))
			case string:
				b.WriteString(strconv.Quote(cell))
			case []byte:
				fmt.Fprintf(&b, "x'%x'", cell)
			default:
				fmt.Fprint(&b, cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
