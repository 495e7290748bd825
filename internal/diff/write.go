package diff

import (
	"fmt"
	"io"
	"strings"

	"ohframe/internal/text"
)

// WriteOptions are the options of Write.
type WriteOptions struct {
	// Style is that of the table.
	Style text.Style
	// Verbose makes the table list all measures.
	Verbose bool
}

// Formats are the formats of Write.
var Formats = []string{"table", "json", "html"}

// Write writes the comparison in one of the Formats. It returns an error if the
// format is unknown or writing to w fails.
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
