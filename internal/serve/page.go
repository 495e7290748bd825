//go:build !js

package serve

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"html/template"

	"ohframe/internal/ui"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Page is a page that opens the UI. A command line could not: links with all SQL modules
// are longer than what Windows allows.
type Page struct {
	text  []byte
	nonce string // of the script and style in it
}

// NewPage returns a page that opens a link to see the trace called name. If server is not
// nil, it is added to the settings of the UI before, which needs a UI of the same origin.
func NewPage(name string, link Link, server *ui.Server) (*Page, error) {
	p := &Page{nonce: rand.Text()}
	data := struct{ Name, Nonce, Link, Origin, Server string }{name, p.nonce, link.String(), Origin(link.UI), ""}
	if server != nil {
		text, err := json.Marshal(server)
		if err != nil {
			return nil, err
		}
		data.Server = string(text)
	}
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, data); err != nil {
		return nil, err
	}
	p.text = text.Bytes()
	return p, nil
}
