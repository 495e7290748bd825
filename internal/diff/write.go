package diff

import (
	"fmt"
	"io"
	"strings"
)

// WriteOptions decide how a comparison looks.
type WriteOptions struct {
	// Color lets the table use a terminal's bold, dim and coloured text.
	Color bool
}

// Formats are the names of the formats that Write knows.
var Formats = []string{"table", "json", "html"}

// Write writes the comparison in the given format.
func Write(w io.Writer, d *Diff, format string, o WriteOptions) error {
	switch format {
	case "table":
		return writeTable(w, d, o)
	case "json":
		return writeJSON(w, d)
	case "html":
		return writeHTML(w, d)
	}
	return fmt.Errorf("format %q: not one of %s", format, strings.Join(Formats, ", "))
}
