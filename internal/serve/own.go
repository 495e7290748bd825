//go:build !js

package serve

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"ohframe/internal/ui"
)

// OwnUI is a build of the UI that this program serves, with the extension and the plugin.
type OwnUI struct {
	files     fs.FS
	closer    io.Closer // of files
	extension map[string][]byte
}

// extensionPath is the path of the extension server.
const extensionPath = "ohframe-extension"

// pluginPath is the path of the script with the plugin.
const pluginPath = "ohframe-plugin.js"

// OpenUI opens a build of the UI: a folder, or a zip archive such as perfetto-ui.zip of
// Perfetto's releases.
func OpenUI(name string) (*OwnUI, error) {
	extension, err := ui.Files()
	if err != nil {
		return nil, err
	}
	o := &OwnUI{extension: extension}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		root, err := os.OpenRoot(name) // links do not lead out of it
		if err != nil {
			return nil, err
		}
		o.files, o.closer = root.FS(), root
	default:
		archive, err := zip.OpenReader(name)
		if errors.Is(err, zip.ErrFormat) {
			return nil, errors.New("not a folder or zip archive with a build of the UI")
		}
		if err != nil {
			return nil, err
		}
		o.files, o.closer = archive, archive
	}
	if _, err := fs.Stat(o.files, "index.html"); err != nil {
		o.Close()
		return nil, errors.New("not a build of the UI: it has no index.html")
	}
	return o, nil
}

// Close closes the build.
func (o *OwnUI) Close() error { return o.closer.Close() }

// Extension returns the setting for the extension server, at a local port.
func Extension(port int) *ui.Server {
	address := Own(port)
	address.Path = "/" + extensionPath
	server := ui.At(address.String())
	return &server
}

// eventsPath is where the UI on a local address asks for events of its build, and reports an
// error in the console if it gets none. Source: Perfetto's ui/src/core/live_reload.ts, up to
// v55.
const eventsPath = "live_reload"

// serveEvents begins a stream of events and sends none, until the client closes it or ended is
// closed, which may be nil. A client that loses the server does not ask again within a day.
func serveEvents(w http.ResponseWriter, r *http.Request, ended <-chan struct{}) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	io.WriteString(w, "retry: 86400000\n\n")
	http.NewResponseController(w).Flush()
	select {
	case <-r.Context().Done():
	case <-ended:
	}
}

// contentTypes are those of the files of the UI. The types that systems have configured
// differ.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".png": "image/png", ".svg": "image/svg+xml",
	".wasm": "application/wasm", ".woff2": "font/woff2",
}

// serve answers a request for a file of the UI or of the extension.
func (o *OwnUI) serve(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	if text, ok := strings.CutPrefix(name, extensionPath+"/"); ok && o.extension[text] != nil {
		o.send(w, r, "application/json", int64(len(o.extension[text])), strings.NewReader(string(o.extension[text])))
		return
	}
	if name == pluginPath {
		o.send(w, r, contentTypes[".js"], int64(len(ui.Plugin)), bytes.NewReader(ui.Plugin))
		return
	}
	if !fs.ValidPath(name) {
		http.NotFound(w, r)
		return
	}
	file, err := o.files.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	kind := contentTypes[path.Ext(name)]
	if kind == "" {
		kind = "application/octet-stream"
	}
	if name == "index.html" && info.Size() <= maxIndex {
		text, err := io.ReadAll(file)
		if err != nil {
			http.Error(w, "cannot be read", http.StatusInternalServerError)
			return
		}
		text = withPlugin(text)
		o.send(w, r, kind, int64(len(text)), bytes.NewReader(text))
		return
	}
	o.send(w, r, kind, info.Size(), file)
}

// maxIndex is the size of the largest page that gets the plugin. Those of Perfetto's
// releases have 10 kB.
const maxIndex = 1 << 20

// withPlugin returns the page of the UI with the script of the plugin. Other pages are
// returned as they are. The UI's content security policy allows scripts of its own origin.
// It replaces the body of the page, so the script is in the head.
func withPlugin(page []byte) []byte {
	head, rest, ok := bytes.Cut(page, []byte("</head>"))
	if !ok || !bytes.Contains(rest, []byte("frontend_bundle.js")) {
		return page
	}
	return slices.Concat(head, []byte(`<script async src="/`+pluginPath+`"></script></head>`), rest)
}

func (o *OwnUI) send(w http.ResponseWriter, r *http.Request, kind string, size int64, content io.Reader) {
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Length", strconv.FormatInt(size, 10))
	if r.Method == http.MethodHead {
		return
	}
	io.Copy(w, content) // the browser notices if it is cut short
}
