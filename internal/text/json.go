package text

import (
	"encoding/json"
	"io"
)

// WriteJSON writes a document for people and scripts: indented, with <, > and & as they
// are in names.
func WriteJSON(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(document)
}
