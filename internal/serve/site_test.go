package serve_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/internal/diag"
	"ohframe/internal/serve"
	"ohframe/internal/testing/must"
)

// A site is served with the policy of its page, which no other page may embed, until the context ends.
func TestWeb(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666))
	}
	if _, err := serve.OpenWeb(filepath.Join(folder, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	write("index.html", `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">page`)
	if _, err := serve.OpenWeb(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the sources, without the program: %v", err)
	}
	write("ohframe.wasm", "program")
	write("worker.js", "script")
	must.Do(t, os.Mkdir(filepath.Join(folder, "folder"), 0o777))
	secret := filepath.Join(t.TempDir(), "secret")
	must.Do(t, os.WriteFile(secret, nil, 0o666))
	must.Do(t, os.Symlink(secret, filepath.Join(folder, "link")))
	web := must.Get(serve.OpenWeb(folder))(t)
	defer web.Close()
	listener := must.Get(serve.Listen(0, true))(t)
	var inUse *diag.Error
	if _, err := serve.Listen(listener.Addr().(*net.TCPAddr).Port, true); !errors.As(err, &inUse) || !strings.HasPrefix(inUse.Hint, "another ohframe, ") {
		t.Errorf("a port in use: %+v", inUse)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- web.Serve(ctx, listener) }()
	for _, test := range []struct {
		path, kind, content string
		status              int
	}{
		{"/", "text/html; charset=utf-8", `<meta http-equiv="Content-Security-Policy" content="default-src 'none'">page`, 200},
		{"/ohframe.wasm", "application/wasm", "program", 200},
		{"/worker.js", "text/javascript; charset=utf-8", "script", 200},
		{"/nothing", "text/plain; charset=utf-8", "404 page not found\n", 404},
		{"/../secret", "text/plain; charset=utf-8", "404 page not found\n", 404},
		{"/%00", "text/plain; charset=utf-8", "404 page not found\n", 404},
		{"/" + strings.Repeat("x", 5000), "text/plain; charset=utf-8", "404 page not found\n", 404},
		{"/link", "text/plain; charset=utf-8", "404 page not found\n", 404},
		{"/folder/", "text/plain; charset=utf-8", "404 page not found\n", 404},
	} {
		r := must.Get(http.Get("http://" + listener.Addr().String() + test.path))(t)
		content := must.Get(io.ReadAll(r.Body))(t)
		r.Body.Close()
		if r.StatusCode != test.status || string(content) != test.content || r.Header.Get("Content-Type") != test.kind {
			t.Errorf("%s: %d, %s, %q", test.path, r.StatusCode, r.Header.Get("Content-Type"), content)
		}
		must.Equal(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'", "%s: policy", test.path)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ends with %v", err)
	}
}
