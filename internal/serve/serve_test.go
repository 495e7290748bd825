package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ohframe/internal/serve"
	"ohframe/internal/testing/must"
)

const (
	origin  = "https://ui.example.com"
	content = "the bytes of a trace"
)

// server is a call of serve.Run under way.
type server struct {
	address string
	ended   chan error
}

// start serves content as "a trace" on any port, for a minute at most.
func start(t *testing.T, ctx context.Context, trace serve.Trace, timeout time.Duration) *server {
	t.Helper()
	return run(t, ctx, serve.Site{Trace: trace, Origin: origin}, timeout)
}

// run serves a site on any port.
func run(t *testing.T, ctx context.Context, site serve.Site, timeout time.Duration) *server {
	t.Helper()
	listener := must.Get(serve.Listen(0, false))(t)
	s := &server{"http://" + listener.Addr().String(), make(chan error, 1)}
	go func() { s.ended <- serve.Run(ctx, listener, site, timeout) }()
	return s
}

// host is the name by which the server is to be called.
func (s *server) host() string { return strings.TrimPrefix(s.address, "http://") }

func text(content string) serve.Trace {
	return serve.Trace{Path: "a trace", Content: strings.NewReader(content), Size: int64(len(content))}
}

// ask sends a request as a page of the given origin does, and returns the
// answer and its body.
func (s *server) ask(t *testing.T, method, path, origin string, more ...string) (*http.Response, string) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), method, s.address+path, nil))(t)
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	for i := 0; i < len(more); i += 2 {
		r.Header.Set(more[i], more[i+1])
	}
	answer := must.Get(client.Do(r))(t)
	defer answer.Body.Close()
	body := must.Get(io.ReadAll(answer.Body))(t)
	return answer, string(body)
}

// client keeps no connections, so that none is left open when a test ends.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

func (s *server) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(time.Minute):
		t.Fatal("does not end")
		return nil
	}
}

// check compares an answer's status and those headers that let a page have it.
func check(t *testing.T, what string, answer *http.Response, status int, origin, private, cache string) {
	t.Helper()
	got := fmt.Sprint(answer.StatusCode, answer.Header["Access-Control-Allow-Origin"],
		answer.Header["Access-Control-Allow-Private-Network"], answer.Header["Cache-Control"])
	list := func(value string) []string {
		if value == "" {
			return nil
		}
		return []string{value}
	}
	must.Equal(t, got, fmt.Sprint(status, list(origin), list(private), list(cache)), "%s: answer", what)
}

// The UI looks for a trace processor, asks whether it may fetch, and fetches.
func TestFetch(t *testing.T) {
	s := start(t, t.Context(), text(content), time.Minute)

	answer, _ := s.ask(t, "POST", "/status", origin)
	check(t, "trace processor", answer, 404, "", "", "")

	answer, body := s.ask(t, "OPTIONS", "/a%20trace", origin,
		"Access-Control-Request-Method", "GET", "Access-Control-Request-Private-Network", "true")
	check(t, "preflight", answer, 204, origin, "true", "no-cache")
	if got := answer.Header.Get("Access-Control-Allow-Methods"); got != "GET" || body != "" {
		t.Errorf("preflight: allows %q with body %q", got, body)
	}
	answer, _ = s.ask(t, "OPTIONS", "/a%20trace", origin, "Access-Control-Request-Method", "GET")
	check(t, "preflight within a network", answer, 204, origin, "", "no-cache")

	answer, body = s.ask(t, "GET", "/a%20trace", origin)
	check(t, "fetch", answer, 200, origin, "", "no-cache")
	if body != content || answer.ContentLength != int64(len(content)) {
		t.Errorf("fetched %q of length %d, want %q", body, answer.ContentLength, content)
	}

	if err := s.wait(t); err != nil {
		t.Errorf("ends with %v", err)
	}
	if _, err := client.Get(s.address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("still listens: %v", err)
	}
}

// Requests that are not the UI's get nothing, and do not count as a fetch.
func TestRefusals(t *testing.T) {
	s := start(t, t.Context(), text(content), time.Minute)
	tests := []struct {
		method, path, origin string
		status               int
	}{
		{"GET", "/", origin, 404},
		{"GET", "/a%20trace/", origin, 404},
		{"GET", "/a%20trace/../other", origin, 404},
		{"GET", "/other", origin, 404},
		{"OPTIONS", "/other", origin, 404},
		{"POST", "/other", origin, 404},
		{"HEAD", "/a%20trace", origin, 405},
		{"POST", "/a%20trace", origin, 405},
		{"PUT", "/a%20trace", origin, 405},
		{"DELETE", "/a%20trace", "https://evil.example.com", 405},
		{"GET", "/a%20trace", "", 403},
		{"GET", "/a%20trace", "null", 403},
		{"GET", "/a%20trace", "https://evil.example.com", 403},
		{"GET", "/a%20trace", origin + ".evil.example.com", 403},
		{"GET", "/a%20trace", "http://ui.example.com", 403},
		{"OPTIONS", "/a%20trace", "https://evil.example.com", 403},
	}
	for _, test := range tests {
		answer, body := s.ask(t, test.method, test.path, test.origin, "Access-Control-Request-Private-Network", "true")
		check(t, test.method+" "+test.path+" from "+test.origin, answer, test.status, "", "", "")
		if strings.Contains(body, content) {
			t.Errorf("%s %s from %q: got the trace", test.method, test.path, test.origin)
		}
		if allow := answer.Header.Get("Allow"); (allow == "GET, OPTIONS") != (test.status == 405) {
			t.Errorf("%s %s: allows %q", test.method, test.path, allow)
		}
	}
	if answer := s.raw(t, "OPTIONS * HTTP/1.1\r\nHost: "+s.host()+"\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 404 ") {
		t.Errorf("OPTIONS *: %q", answer)
	}
	answer, _ := s.ask(t, "GET", "/a%20trace", origin)
	check(t, "after all that", answer, 200, origin, "", "no-cache")
	must.NoError(t, s.wait(t))
}

// Requests with another host name get nothing, even if everything else is as the UI sends it.
func TestHost(t *testing.T) {
	s := start(t, t.Context(), text(content), time.Minute)
	_, port, _ := net.SplitHostPort(s.host())
	ask := func(method, host string) string {
		return s.raw(t, fmt.Sprintf("%s /a%%20trace HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\n\r\n", method, host, origin))
	}
	for _, host := range []string{
		"evil.example.com", "evil.example.com:" + port, "127.0.0.1.evil.example.com:" + port, "localhost.evil.example.com:" + port,
		"127.0.0.1", "localhost", "127.0.0.1:1", "localhost:1", "127.0.0.1:" + port + "0", "127.0.0.2:" + port, "[::1]:" + port,
		"localhost.:" + port, "", ":" + port,
	} {
		for _, method := range []string{"GET", "OPTIONS", "POST"} {
			answer := ask(method, host)
			if !strings.HasPrefix(answer, "HTTP/1.1 421 ") || strings.Contains(answer, "Access-Control") || strings.Contains(answer, content) {
				t.Errorf("%s of host %q: %q", method, host, answer)
			}
		}
	}
	for _, host := range []string{"127.0.0.1:" + port, "localhost:" + port} {
		if answer := ask("OPTIONS", host); !strings.HasPrefix(answer, "HTTP/1.1 204 ") {
			t.Errorf("host %q: %q", host, answer)
		}
	}
	if answer := ask("GET", "localhost:"+port); !strings.HasPrefix(answer, "HTTP/1.1 200 ") {
		t.Errorf("fetch: %q", answer)
	}
	must.NoError(t, s.wait(t))
}

// raw sends bytes and returns the first of the answer.
func (s *server) raw(t *testing.T, request string) string {
	t.Helper()
	connection := must.Get(net.Dial("tcp", s.host()))(t)
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(time.Minute))
	must.Get(io.WriteString(connection, request))(t)
	head := make([]byte, 512)
	n := must.Get(connection.Read(head))(t)
	return string(head[:n])
}

// slowContent is larger than the buffers of connections, and reports when it is read.
type slowContent struct {
	once    sync.Once
	begun   chan struct{} // closed by the first read
	proceed chan struct{} // closed to let reads go on
}

const slowSize = 16 << 20

func (c *slowContent) ReadAt(p []byte, at int64) (int, error) {
	if at == 0 {
		c.once.Do(func() { close(c.begun) })
		<-c.proceed
	}
	clear(p)
	return len(p), nil
}

func slowTrace() (*slowContent, serve.Trace) {
	c := &slowContent{begun: make(chan struct{}), proceed: make(chan struct{})}
	return c, serve.Trace{Path: "slow", Content: c, Size: slowSize}
}

// A client that stops reading does not keep others from fetching, nor the server from ending at the timeout.
func TestStalledFetch(t *testing.T) {
	for _, test := range []struct{ others, keep bool }{{true, false}, {false, false}, {false, true}} {
		c, trace := slowTrace()
		close(c.proceed)
		site, timeout := serve.Site{Trace: trace, Origin: origin, Keep: test.keep, Stall: 200 * time.Millisecond}, 500*time.Millisecond
		if test.others {
			site.Stall, timeout = 0, time.Minute
		}
		s := run(t, t.Context(), site, timeout)
		for range 2 { // on a busy computer the server may have ended
			if connection, err := net.Dial("tcp", s.host()); err == nil {
				defer connection.Close()
				fmt.Fprintf(connection, "GET /slow HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\n\r\n", s.host(), origin)
				io.ReadFull(connection, make([]byte, 100))
			}
		}
		want := serve.ErrNotFetched
		if test.others {
			want = nil
			if answer, body := s.ask(t, "GET", "/slow", origin); answer.StatusCode != 200 || len(body) != slowSize {
				t.Errorf("another client: status %d, %d bytes", answer.StatusCode, len(body))
			}
		}
		if err := s.wait(t); !errors.Is(err, want) {
			t.Errorf("%+v: ends with %v", test, err)
		}
	}
}

// A client that reads slowly gets the trace, also after the timeout and for longer than a client may stall.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	const parts, part = 64, 512 << 10 // more than the buffers of connections
	const stall = 4 * time.Second
	s := run(t, t.Context(), serve.Site{Trace: text(strings.Repeat("x", parts*part)), Origin: origin, Stall: stall}, stall/2)
	r, _ := http.NewRequestWithContext(t.Context(), "GET", s.address+"/a%20trace", nil)
	r.Header.Set("Origin", origin)
	answer := must.Get(client.Do(r))(t)
	defer answer.Body.Close()
	for i := range parts {
		time.Sleep(stall / 40)
		if _, err := io.CopyN(io.Discard, answer.Body, part); err != nil {
			t.Fatalf("after %d of %d parts: %v", i, parts, err)
		}
	}
	must.NoError(t, s.wait(t))
}

// A fetch that breaks off may be made again: the page was loaded anew.
func TestBrokenFetch(t *testing.T) {
	c, trace := slowTrace()
	s := start(t, t.Context(), trace, time.Minute)
	close(c.proceed)
	ctx, cancel := context.WithCancel(t.Context())
	r, _ := http.NewRequestWithContext(ctx, "GET", s.address+"/slow", nil)
	r.Header.Set("Origin", origin)
	answer := must.Get(client.Do(r))(t)
	cancel()
	answer.Body.Close()
	if _, body := s.ask(t, "GET", "/slow", origin); len(body) != slowSize {
		t.Errorf("again: %d bytes", len(body))
	}
	must.NoError(t, s.wait(t))
}

// After a fetch nobody else gets the trace.
func TestAfterFetch(t *testing.T) {
	s := start(t, t.Context(), text(content), time.Minute)
	connection := must.Get(net.Dial("tcp", s.host()))(t)
	defer connection.Close()
	if _, body := s.ask(t, "GET", "/a%20trace", origin); body != content {
		t.Errorf("fetched %q", body)
	}
	// The first client has the last byte a moment before the fetch counts.
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		other, err := net.Dial("tcp", s.host())
		if err != nil {
			break // it does not listen any more
		}
		other.Close()
	}
	connection.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(connection, "GET /a%%20trace HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\n\r\n", s.host(), origin)
	// Whether the connection is closed first depends on the time.
	if answer, _ := io.ReadAll(connection); len(answer) > 0 && !strings.HasPrefix(string(answer), "HTTP/1.1 410 ") || strings.Contains(string(answer), content) {
		t.Errorf("another fetch: %q", answer)
	}
	must.NoError(t, s.wait(t))
}

// Another request does not count as the fetch. On a slow machine it comes too late, and is tried again.
func TestTimeout(t *testing.T) {
	for timeout, asked := 500*time.Millisecond, false; !asked; timeout *= 2 {
		s := start(t, t.Context(), text(content), timeout)
		if answer, err := client.Get(s.address + "/other"); err == nil {
			answer.Body.Close()
			asked = true
		}
		if err := s.wait(t); !errors.Is(err, serve.ErrNotFetched) {
			t.Fatalf("ends with %v", err)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := start(t, ctx, text(content), 0)
	cause := errors.New("no browser")
	cancel(cause)
	must.Equal(t, s.wait(t), cause, "ends with")
	if _, err := client.Get(s.address); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("still listens: %v", err)
	}
}

// Cancel ends a fetch past the timeout, though the client has stopped reading.
func TestCancelDuringFetch(t *testing.T) {
	t.Parallel()
	c, trace := slowTrace()
	close(c.proceed)
	ctx, cancel := context.WithCancelCause(t.Context())
	const timeout = 2 * time.Second
	s := start(t, ctx, trace, timeout)
	connection := must.Get(net.Dial("tcp", s.host()))(t)
	defer connection.Close()
	fmt.Fprintf(connection, "GET /slow HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\n\r\n", s.host(), origin)
	<-c.begun
	select {
	case err := <-s.ended:
		t.Fatalf("ends with %v during a fetch", err)
	case <-time.After(2 * timeout):
	}
	cause := errors.New("interrupted")
	cancel(cause)
	must.Equal(t, s.wait(t), cause, "ends with")
}

// The port is open on 127.0.0.1 alone: neither on the computer's addresses in
// its networks nor on the rest of the loopback network.
func TestLoopbackOnly(t *testing.T) {
	listener := must.Get(serve.Listen(0, false))(t)
	defer listener.Close()
	own := listener.Addr().(*net.TCPAddr)
	if !own.IP.Equal(net.IPv4(127, 0, 0, 1)) {
		t.Fatalf("listens on %s", own)
	}
	addresses := must.Get(net.InterfaceAddrs())(t)
	others := []net.IP{net.IPv4(127, 0, 0, 2), net.IPv6loopback}
	for _, a := range addresses {
		if a, ok := a.(*net.IPNet); ok && !a.IP.IsLoopback() {
			others = append(others, a.IP)
		}
	}
	for _, ip := range others {
		address := net.TCPAddr{IP: ip, Port: own.Port}
		if connection, err := net.DialTimeout("tcp", address.String(), time.Second); err == nil {
			connection.Close()
			t.Errorf("%s answers", &address)
		}
	}
}
