//go:build !js

package serve

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path"
	"time"

	"ohframe/internal/pattern"
)

// WebPort is the usual port of a site. It is not Port: the site stays in the browser's cache, and would answer there
// what is asked of a UI.
const WebPort = 9002

// Web is the site of the page that reads traces in the browser.
type Web struct {
	root   *os.Root
	files  http.Handler
	policy string // for its content
}

// metaPolicy is the content security policy in a page.
var metaPolicy = pattern.New(`<meta http-equiv="Content-Security-Policy" content="([^"]+)">`)

// OpenWeb opens the folder of a site. The error is fs.ErrNotExist if it has none.
func OpenWeb(folder string) (*Web, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	w := &Web{root: root, files: http.FileServerFS(root.FS())}
	page, err := fs.ReadFile(root.FS(), "index.html")
	if err == nil {
		_, err = root.Stat("ohframe.wasm") // the sources of the page have none
	}
	if policy := metaPolicy().FindSubmatch(page); err == nil && policy != nil {
		w.policy = string(policy[1]) + "; frame-ancestors 'none'"
	} else {
		root.Close()
		return nil, errors.Join(err, fs.ErrNotExist)
	}
	return w, nil
}

// Close closes the folder.
func (w *Web) Close() error { return w.root.Close() }

// Serve serves the site until ctx ends, and closes the listener.
func (w *Web) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	defer server.Close()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-failed:
		return err
	}
}

// ServeHTTP answers a request for a file of the site.
func (w *Web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	header := out.Header()
	if kind := contentTypes[path.Ext(r.URL.Path)]; kind != "" {
		header.Set("Content-Type", kind)
	}
	header.Set("Content-Security-Policy", w.policy)
	header.Set("Cache-Control", "no-cache")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	if name := path.Clean("/" + r.URL.Path)[1:]; name != "" {
		if info, err := w.root.Stat(name); err != nil || !info.Mode().IsRegular() { // folders are not listed
			http.NotFound(out, r)
			return
		}
	}
	w.files.ServeHTTP(out, r)
}
