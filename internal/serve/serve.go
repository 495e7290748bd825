// Package serve hands a trace to Perfetto's UI, which runs in the browser and
// fetches the trace from this computer.
//
//	here                                    browser
//	Listen
//	Link ──────── shown by the browser ───▶ ui.perfetto.dev/#!/?url=…
//	        ◀──── OPTIONS /demo.pftrace ─── may a page of the internet ask?
//	Once    ───── 204, it may ────────────▶
//	        ◀──── GET /demo.pftrace ───────
//	        ───── 200, the trace ─────────▶
//	ends
//
// It serves one path, once, on the loopback interface, to pages of one origin. Other
// requests get an error, such as those of the UI for a trace processor on the same
// port. So do requests for another host: with DNS rebinding a page can make its own
// host name point here, and then has the origin of the answer.
package serve

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Port is the only port of this computer from which the UI's content security
// policy lets it fetch. Source: Perfetto's ui/src/frontend/index.ts.
const Port = 9001

// loopback is the address as the policy spells it.
const loopback = "127.0.0.1"

// ErrNotFetched means that the trace was not fetched before the timeout.
var ErrNotFetched = errors.New("not fetched")

// Listen opens the port on the loopback interface. Zero picks a free one.
func Listen(port int) (net.Listener, error) {
	return net.Listen("tcp4", net.JoinHostPort(loopback, strconv.Itoa(port)))
}

// Trace is the content to serve.
type Trace struct {
	Name    string // the path, without its leading slash
	Content io.ReaderAt
	Size    int64 // in bytes
}

// Once serves the trace to pages of the given origin until one has fetched all
// of it, and closes the listener. A fetch that fails may be repeated. The error
// is ErrNotFetched if none has begun by the timeout (zero waits forever), the
// cause of the context's end, or that of the listener.
func Once(ctx context.Context, listener net.Listener, trace Trace, origin string, timeout time.Duration) error {
	h := &handler{trace: trace, origin: origin, port: listener.Addr().(*net.TCPAddr).Port, fetched: make(chan struct{})}
	server := &http.Server{
		Handler:                      h,
		ReadHeaderTimeout:            10 * time.Second,
		DisableGeneralOptionsHandler: true, // it would answer every origin
		ErrorLog:                     log.New(io.Discard, "", 0),
	}
	defer listener.Close() // the server closes it only if it has begun to serve
	defer server.Close()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()

	var timedOut <-chan time.Time
	if timeout > 0 {
		timedOut = time.After(timeout)
	}
	select {
	case <-h.fetched:
	case <-timedOut:
		// A fetch that began in time may go on, but its client may have stopped
		// reading. Closing the server unblocks end.
		ended := make(chan bool, 1)
		go func() { ended <- h.end() }()
		select {
		case fetched := <-ended:
			if !fetched {
				return ErrNotFetched
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-failed:
		return err
	}
	// The last bytes may still be in transit.
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return server.Shutdown(ctx)
}

// handler answers the UI's requests.
type handler struct {
	trace   Trace
	origin  string
	port    int
	fetched chan struct{} // closed when the trace was fetched

	mutex sync.Mutex // held while the trace is sent
	ended bool       // no further fetch is served
}

// end waits for a running fetch, refuses further ones, and reports whether the
// trace was fetched.
func (h *handler) end() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	fetched := h.ended
	h.ended = true
	return fetched
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.isOwn(r.Host) {
		http.Error(w, "not the name of this computer", http.StatusMisdirectedRequest)
		return
	}
	if r.URL.Path != "/"+h.trace.Name {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodOptions {
		w.Header().Set("Allow", "GET, OPTIONS")
		http.Error(w, "only to be fetched", http.StatusMethodNotAllowed)
		return
	}
	// A fetch across origins names its origin. Without one, the request is not from
	// a page, or from one that uses this address as its own.
	if r.Header.Get("Origin") != h.origin {
		http.Error(w, "not for this origin", http.StatusForbidden)
		return
	}
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", h.origin)
	header.Set("Cache-Control", "no-cache")
	if r.Method == http.MethodOptions {
		header.Set("Access-Control-Allow-Methods", http.MethodGet)
		if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
			header.Set("Access-Control-Allow-Private-Network", "true")
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.send(w)
}

// isOwn reports whether the host of a request is this server: the address in the
// link, or localhost.
func (h *handler) isOwn(host string) bool {
	if h.port == 80 && !strings.Contains(host, ":") {
		host += ":80" // which browsers leave out
	}
	return host == net.JoinHostPort(loopback, strconv.Itoa(h.port)) || host == net.JoinHostPort("localhost", strconv.Itoa(h.port))
}

// send sends the trace, to one client at a time.
func (h *handler) send(w http.ResponseWriter) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.ended {
		http.Error(w, "fetched already", http.StatusGone)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(h.trace.Size, 10))
	if _, err := io.Copy(w, io.NewSectionReader(h.trace.Content, 0, h.trace.Size)); err != nil {
		return
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		return
	}
	h.ended = true
	close(h.fetched)
}
