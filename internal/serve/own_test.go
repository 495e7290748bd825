package serve_test

import (
	"archive/zip"
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ohframe/internal/serve"
	"ohframe/internal/testing/must"
	"ohframe/internal/ui"
)

// build writes a build of the UI, as a folder or as a zip archive.
func build(t *testing.T, archive bool, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if !archive {
		for name, text := range files {
			path := filepath.Join(dir, name)
			must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		}
		return dir
	}
	path := filepath.Join(dir, "perfetto-ui.zip")
	out := must.Get(os.Create(path))(t)
	w := zip.NewWriter(out)
	for name, text := range files {
		part := must.Get(w.Create(name))(t)
		part.Write([]byte(text))
	}
	must.Do(t, w.Close())
	out.Close()
	return path
}

var uiFiles = map[string]string{"index.html": "<title>UI</title>", "v58.0/engine.wasm": "\x00asm", "v58.0/bundle.js": "0"}

// A build is served with the extension, and the trace to pages of the same origin.
func TestOwnUI(t *testing.T) {
	for _, archive := range []bool{false, true} {
		own := must.Get(serve.OpenUI(build(t, archive, uiFiles)))(t)
		defer own.Close()
		ctx, cancel := context.WithCancel(t.Context())
		s := run(t, ctx, serve.Site{Secret: serve.NewSecret(), Trace: text(content), Origin: origin, UI: own, Keep: true}, time.Minute)
		for path, want := range map[string]struct {
			kind, body string
		}{
			"/":                  {"text/html; charset=utf-8", "<title>UI</title>"},
			"/index.html":        {"text/html; charset=utf-8", "<title>UI</title>"},
			"/v58.0/engine.wasm": {"application/wasm", "\x00asm"},
			"/v58.0/bundle.js":   {"text/javascript; charset=utf-8", "0"},
		} {
			if answer, body := s.ask(t, "GET", path, ""); answer.StatusCode != 200 || answer.Header.Get("Content-Type") != want.kind || body != want.body {
				t.Errorf("%s: %d %s %q", path, answer.StatusCode, answer.Header.Get("Content-Type"), body)
			}
		}
		for _, path := range []string{"/v58.0", "/v58.0/", "/../own_test.go", "/%2e%2e/own_test.go", "/none", "/ohframe-extension", "/ohframe-extension/none"} {
			if answer, _ := s.ask(t, "GET", path, ""); answer.StatusCode != 404 {
				t.Errorf("%s: %d", path, answer.StatusCode)
			}
		}
		if answer, _ := s.ask(t, "POST", "/", ""); answer.StatusCode != 404 {
			t.Errorf("POST: %d", answer.StatusCode)
		}
		server := serve.Extension(9001)
		if answer, body := s.ask(t, "GET", strings.TrimPrefix(server.URL, "http://127.0.0.1:9001")+"/modules/default/macros", ""); answer.StatusCode != 200 || !json.Valid([]byte(body)) {
			t.Errorf("macros: %d %q", answer.StatusCode, body)
		}
		// The UI waits for events of its build, and gets none.
		events := must.Get(client.Get(s.address + "/live_reload"))(t)
		defer events.Body.Close()
		line, err := bufio.NewReader(events.Body).ReadString('\n')
		if kind := events.Header.Get("Content-Type"); events.StatusCode != 200 || kind != "text/event-stream" || line != "retry: 86400000\n" || err != nil {
			t.Errorf("events: %d %s %q, error %v", events.StatusCode, kind, line, err)
		}
		// The page can be reloaded. Fetches of the same origin do not name it.
		for range 2 {
			if answer, body := s.ask(t, "GET", "/a%20trace", ""); answer.StatusCode != 200 || body != content {
				t.Errorf("fetch: %d %q", answer.StatusCode, body)
			}
		}
		if answer, _ := s.ask(t, "GET", "/a%20trace", "https://evil.example.com"); answer.StatusCode != 403 {
			t.Errorf("another origin: %d", answer.StatusCode)
		}
		cancel()
		if err := s.wait(t); err != nil {
			t.Errorf("ends with %v", err)
		}
	}
}

// The page of a build of the UI gets the plugin, others are served as they are.
func TestPlugin(t *testing.T) {
	const page = "<html><head><title>UI</title></head><body><script>script.src = version + '/frontend_bundle.js';</script></body></html>"
	const script = `<script async src="/ohframe-plugin.js"></script>`
	for name, test := range map[string]struct{ page, want string }{
		"a build of the UI": {page, strings.Replace(page, "</head>", script+"</head>", 1)},
		"no head":           {strings.Replace(page, "</head>", "", 1), ""},
		"another program":   {strings.ReplaceAll(page, "frontend_bundle", "main"), ""},
		"a head at the end": {"<body>frontend_bundle.js</body></head>", ""},
		"huge":              {page + strings.Repeat(" ", 1<<20), ""},
		"empty":             {"", ""},
	} {
		want := cmp.Or(test.want, test.page)
		for _, archive := range []bool{false, true} {
			dir := build(t, archive, map[string]string{"index.html": test.page, "v58.0/index.html": page})
			own := must.Get(serve.OpenUI(dir))(t)
			defer own.Close()
			s := run(t, t.Context(), serve.Site{Secret: serve.NewSecret(), Trace: text(content), Origin: origin, UI: own, Keep: true}, time.Minute)
			for _, path := range []string{"/", "/index.html"} {
				if answer, body := s.ask(t, "GET", path, ""); answer.StatusCode != 200 || body != want || answer.ContentLength != int64(len(want)) {
					t.Errorf("%s: %s: %d, %d bytes: %.300s", name, path, answer.StatusCode, answer.ContentLength, body)
				}
			}
			if _, body := s.ask(t, "GET", "/v58.0/index.html", ""); body != page {
				t.Errorf("%s: another page: %s", name, body)
			}
			answer, body := s.ask(t, "GET", "/ohframe-plugin.js", "")
			if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || body != string(ui.Plugin) {
				t.Errorf("the script: %d %s, %d bytes", answer.StatusCode, answer.Header.Get("Content-Type"), len(body))
			}
			if !archive {
				if file, err := os.ReadFile(filepath.Join(dir, "index.html")); err != nil || string(file) != test.page {
					t.Errorf("%s: the user's file is changed: %v", name, err)
				}
			}
		}
	}
}

func TestOpenUIErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ui.zip")
	must.Do(t, os.WriteFile(file, []byte("no archive"), 0o600))
	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "none"): "no such file",
		file:                               "not a folder or zip archive",
		build(t, false, map[string]string{"a": "b"}): "no index.html",
		build(t, true, map[string]string{"a": "b"}):  "no index.html",
	} {
		if _, err := serve.OpenUI(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
}

// The page is served at its path only, to no other page, and keeps scripts out that are
// not its own.
func TestPage(t *testing.T) {
	link := serve.Link{UI: address(t, "https://ui.example.com"), Port: 9001, Path: `a"><script>alert(1)</script>.pftrace`}
	page := must.Get(serve.NewPage(`</title><script>alert(1)</script>`, link, serve.Extension(9001)))(t)
	secret := serve.NewSecret()
	if len(secret) < 20 || secret == serve.NewSecret() {
		t.Errorf("secret %q", secret)
	}
	s := run(t, t.Context(), serve.Site{Secret: secret, Page: page, Trace: text(content), Origin: origin}, time.Minute)
	answer, body := s.ask(t, "GET", "/"+secret, "")
	check(t, "page", answer, 200, "", "", "no-store")
	policy := answer.Header.Get("Content-Security-Policy")
	nonce := regexp.MustCompile(`script-src 'nonce-([A-Z2-7]+)';`).FindStringSubmatch(policy)
	if nonce == nil || !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Fatalf("policy %q", policy)
	}
	if n := strings.Count(body, "<script"); n != 1 || !strings.Contains(body, `<script nonce="`+nonce[1]+`">`) {
		t.Errorf("%d scripts in %s", n, body)
	}
	found := regexp.MustCompile(`<a id="ui" href="([^"]*)"`).FindStringSubmatch(body)
	if found == nil || html.UnescapeString(found[1]) != link.String() {
		t.Errorf("link %q, want %q", found, link)
	}
	for _, test := range []struct {
		method, path, origin string
		status               int
	}{
		{"GET", "/", "", 404},
		{"GET", "/" + secret + "/", "", 404},
		{"GET", "/" + secret[1:], "", 404},
		{"POST", "/" + secret, "", 405},
		{"GET", "/" + secret, origin, 403},
		{"GET", "/" + secret, "https://evil.example.com", 403},
	} {
		answer, _ := s.ask(t, test.method, test.path, test.origin)
		check(t, test.method+" "+test.path+" from "+test.origin, answer, test.status, "", "", "")
	}
	s.ask(t, "GET", "/a%20trace", origin)
	must.NoError(t, s.wait(t))
}

// Without a fetch there is a reminder, which differs if the page was opened.
func TestRemind(t *testing.T) {
	for _, open := range []bool{false, true} {
		page := must.Get(serve.NewPage("a trace", serve.Link{UI: address(t, origin), Port: 9001, Path: "a trace"}, nil))(t)
		reminded := make(chan bool, 1)
		site := serve.Site{Secret: "secret", Page: page, Trace: text(content), Origin: origin, RemindAfter: time.Second,
			Remind: func(opened bool) { reminded <- opened }}
		s := run(t, t.Context(), site, time.Minute)
		if open {
			s.ask(t, "GET", "/secret", "")
		}
		must.Equal(t, <-reminded, open, "opened")
		s.ask(t, "GET", "/a%20trace", origin)
		must.NoError(t, s.wait(t))
	}
	for after, inTime := 500*time.Millisecond, false; !inTime; after *= 2 { // on a slow machine the fetch comes too late
		reminded := make(chan bool, 1)
		site := serve.Site{Trace: text(content), Origin: origin, RemindAfter: after, Keep: true, Remind: func(opened bool) { reminded <- opened }}
		ctx, cancel := context.WithCancel(t.Context())
		begun := time.Now()
		s := run(t, ctx, site, time.Minute)
		s.ask(t, "GET", "/a%20trace", origin)
		inTime = time.Since(begun) < after
		time.Sleep(after + 100*time.Millisecond)
		cancel()
		s.wait(t)
		if inTime && len(reminded) > 0 {
			t.Error("reminds after a fetch")
		}
	}
}

// A link in a folder of the UI does not lead out of it.
func TestOwnUILinks(t *testing.T) {
	dir := build(t, false, uiFiles)
	outside := filepath.Join(t.TempDir(), "secret")
	must.Do(t, os.WriteFile(outside, []byte("secret"), 0o600))
	relative := must.Get(filepath.Rel(dir, outside))(t)
	for name, target := range map[string]string{"absolute": outside, "relative": relative, "folder": filepath.Dir(outside), "inside": "v58.0/bundle.js"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	own := must.Get(serve.OpenUI(dir))(t)
	defer own.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s := run(t, ctx, serve.Site{Trace: text(content), Origin: origin, UI: own, Keep: true}, time.Minute)
	for path, status := range map[string]int{"/absolute": 404, "/relative": 404, "/folder/secret": 404, "/inside": 200} {
		if answer, body := s.ask(t, "GET", path, ""); answer.StatusCode != status || strings.Contains(body, "secret") {
			t.Errorf("%s: status %d, %q", path, answer.StatusCode, body)
		}
	}
	cancel()
	s.wait(t)
}
