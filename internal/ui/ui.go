// Package ui is what this program adds to Perfetto's UI: macros, and an extension server
// that brings them, the SQL modules and what describes the result in a trace into every copy of the UI.
//
//	sql.Modules        ┐
//	Macros             ┼─▶ Files ─▶ BASE/manifest
//	result.Descriptors ┘            BASE/modules/default/macros
//	                                BASE/modules/default/sql_modules
//	                                BASE/modules/default/proto_descriptors
//	BASE ─────────▶ Server ─▶ AddLink: a link that adds the server to the UI
//
// An extension server is a folder of files in JSON without extensions, on any web server.
// Source: Perfetto's docs/visualization/extension-server-protocol.md.
package ui

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"ohframe/internal/result"
	"ohframe/internal/sql"
)

// Public is the address of the public UI.
const Public = "https://ui.perfetto.dev"

// module is the only module of the extension. With several, UIs before v56 keep the SQL
// of the last one only.
const module = "default"

// Files returns the files of the extension server by their paths.
func Files() (map[string][]byte, error) {
	type named struct {
		Name string `json:"name"`
	}
	type idNamed struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	type macro struct {
		idNamed
		Run []Command `json:"run"`
	}
	type sqlModule struct {
		Name string `json:"name"`
		SQL  string `json:"sql"`
	}
	var macros []macro
	for _, m := range Macros() {
		macros = append(macros, macro{idNamed{m.ID, m.Name}, m.run()})
	}
	var modules []sqlModule
	for _, name := range sql.Modules() {
		text, err := sql.Text(name)
		if err != nil {
			return nil, err
		}
		modules = append(modules, sqlModule{name, text})
	}
	files := map[string][]byte{}
	for path, content := range map[string]any{
		"manifest": map[string]any{
			"name": "ohframe", "namespace": sql.Name,
			"features": []named{{"macros"}, {"sql_modules"}, {"proto_descriptors"}},
			"modules":  []idNamed{{module, "OpenHarmony frames"}},
		},
		"modules/" + module + "/macros":            map[string]any{"macros": macros},
		"modules/" + module + "/sql_modules":       map[string]any{"sql_modules": modules},
		"modules/" + module + "/proto_descriptors": map[string]any{"proto_descriptors": [][]byte{result.Descriptors()}},
	} {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false) // SQL has many of the characters
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(content); err != nil {
			return nil, err
		}
		files[path] = text.Bytes()
	}
	return files, nil
}

// Server is the setting of the UI for an extension server. Source: Perfetto's
// ui/src/core_plugins/dev.perfetto.ExtensionServers/types.ts.
type Server struct {
	Type           string            `json:"type"` // github or https
	Repo           string            `json:"repo,omitempty"`
	Ref            string            `json:"ref,omitempty"`
	Path           string            `json:"path,omitempty"`
	URL            string            `json:"url,omitempty"`
	EnabledModules []string          `json:"enabledModules"`
	Enabled        bool              `json:"enabled"`
	Auth           map[string]string `json:"auth"`
	Origin         string            `json:"origin"`
}

// At returns the setting for a server at an address.
func At(address string) Server {
	return Server{
		Type: "https", URL: address,
		EnabledModules: []string{module}, Enabled: true, Auth: map[string]string{"type": "none"}, Origin: "user_added",
	}
}

// ParseBase returns the server at an address such as https://example.com/ui.
func ParseBase(text string) (Server, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return Server{}, fmt.Errorf("%q: not an address such as https://example.com/ui", text)
	}
	return At(strings.TrimRight(u.String(), "/")), nil
}

// ParseGitHub returns the server in a folder of a repository: OWNER/REPO/REF, or
// OWNER/REPO/REF/FOLDER if the folder is not "ui".
func ParseGitHub(text string) (Server, error) {
	parts := strings.SplitN(text, "/", 4)
	if len(parts) == 3 {
		parts = append(parts, "ui")
	}
	for _, part := range parts {
		if len(parts) != 4 || part == "" || strings.ContainsAny(part, " ?#%") {
			return Server{}, fmt.Errorf("%q: not OWNER/REPO/REF or OWNER/REPO/REF/FOLDER", text)
		}
	}
	s := At("")
	s.Type, s.Repo, s.Ref, s.Path = "github", parts[0]+"/"+parts[1], parts[2], "/"+strings.Trim(parts[3], "/")
	return s, nil
}

// AddLink returns a link that opens the public UI and offers to add the server. It works
// from v54 of the UI on. Source: index.ts beside types.ts.
func (s Server) AddLink() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings can be encoded
	}
	return Public + "/#!/?dev.perfetto.ExtensionServers:addServer=" + url.QueryEscape(base64.StdEncoding.EncodeToString(text))
}
