//go:build !js

// Package serve hands a trace to Perfetto's UI, which runs in the browser and
// fetches the trace from this computer.
//
//	here                                    browser
//	Listen
//	NewPage ─── opened by the browser ────▶ 127.0.0.1:9001/SECRET
//	        ◀── GET /SECRET ───────────────
//	        ─── a page with the link ─────▶ ui.perfetto.dev/#!/?url=…
//	        ◀── OPTIONS /SECRET/demo.pftrace ─ may a page of the internet ask?
//	Run     ─── 204, it may ──────────────▶
//	        ◀── GET /SECRET/demo.pftrace ──
//	        ─── 200, the trace ───────────▶
//	ends
//
// It serves the page and the trace, on the loopback interface. Their paths cannot be
// guessed, and the trace is only for pages of one origin. The browser's command line shows
// the path of the page to other users of the computer; on Linux they are refused. Other
// requests get an error, such as those of the UI for a trace processor on the same port. So
// do requests for another host: with DNS rebinding a page can make its own host name point
// here, and then has the origin of the answer.
//
// Optionally it serves the UI, too. Then all is of one origin, and no network is needed.
package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNotFetched means that the trace was not fetched before the timeout.
var ErrNotFetched = errors.New("not fetched")

// Trace is the content to serve.
type Trace struct {
	Path    string // without its leading slash
	Content io.ReaderAt
	Size    int64 // in bytes
}

// Site is what is served, and to whom.
type Site struct {
	// Secret is the path of Page.
	Secret string
	Page   *Page
	Trace  Trace
	// Origin is that of the pages of the UI.
	Origin string
	// UI is served as well if it is not nil.
	UI *OwnUI
	// Keep serves until the context ends, and not only until the trace was fetched.
	Keep bool
	// Remind, if not nil, is called once if no fetch has begun after RemindAfter. It gets
	// whether the page was opened.
	Remind      func(opened bool)
	RemindAfter time.Duration
	// Stall is how long a client may read nothing of the trace before its fetch fails. Zero
	// is 30 s.
	Stall time.Duration
}

// NewSecret returns a path that cannot be guessed.
func NewSecret() string { return rand.Text() }

// defaultStall is that of Site. The UI reads as fast as it parses, which is some megabytes
// a second; a computer that sleeps reads nothing.
const defaultStall = 30 * time.Second

// Run serves a site until a page has fetched all of the trace, and closes the listener. A
// fetch that fails may be repeated. The error is ErrNotFetched if none has begun by the
// timeout (zero waits forever), or all fetches fail that have; the cause of the context's
// end; or that of the listener. With Keep, it is nil if the context ends after a fetch.
func Run(ctx context.Context, listener net.Listener, site Site, timeout time.Duration) error {
	site.Stall = cmp.Or(site.Stall, defaultStall)
	h := &handler{Site: site, port: listener.Addr().(*net.TCPAddr).Port, fetched: make(chan struct{})}
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
	if site.Remind != nil {
		reminder := time.AfterFunc(site.RemindAfter, func() {
			if !h.begun.Load() {
				site.Remind(h.opened.Load())
			}
		})
		defer reminder.Stop()
	}
	select {
	case <-h.fetched:
	case <-timedOut:
		// Fetches that began in time may go on.
		select {
		case <-h.fetched:
		case <-h.end():
			if !h.isFetched() {
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
	if site.Keep {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return err
		}
	}
	// The last bytes may still be in transit. Browsers open connections that they may
	// never use, and Shutdown would wait for these.
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// handler answers the requests of the browser.
type handler struct {
	Site
	port    int
	fetched chan struct{} // closed when the trace was fetched
	opened  atomic.Bool   // the page was
	begun   atomic.Bool   // a fetch has

	mutex   sync.Mutex
	sending int           // fetches under way
	ended   chan struct{} // not nil: no further fetch is served; closed when none is under way
}

// end refuses further fetches, and returns a channel that is closed when none is under way.
func (h *handler) end() <-chan struct{} {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.ended = make(chan struct{})
	if h.sending == 0 {
		close(h.ended)
	}
	return h.ended
}

// isFetched reports whether the trace was fetched.
func (h *handler) isFetched() bool {
	select {
	case <-h.fetched:
		return true
	default:
		return false
	}
}

// beginSend reports whether a fetch is served. Then endSend must be called.
func (h *handler) beginSend() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if !h.Keep && h.isFetched() || h.ended != nil && !h.isFetched() {
		return false
	}
	h.sending++
	return true
}

// endSend says whether a fetch has got all of the trace.
func (h *handler) endSend(all bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if all && !h.isFetched() {
		close(h.fetched)
	}
	if h.sending--; h.sending == 0 && h.ended != nil {
		select {
		case <-h.ended:
		default:
			close(h.ended)
		}
	}
}

// address is the one that clients connect to.
func (h *handler) address() netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(loopback), uint16(h.port))
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.isOwn(r.Host) {
		http.Error(w, "not the name of this computer", http.StatusMisdirectedRequest)
		return
	}
	if client, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && isOtherUser(client, h.address()) {
		http.Error(w, "not for other users of this computer", http.StatusForbidden)
		return
	}
	switch r.URL.Path {
	case "/" + h.Trace.Path:
		h.serveTrace(w, r)
	case "/" + h.Secret:
		h.servePage(w, r)
	default:
		if h.UI == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.NotFound(w, r)
			return
		}
		if r.Method == http.MethodGet && r.URL.Path == "/"+eventsPath {
			ended := h.fetched
			if h.Keep {
				ended = nil
			}
			serveEvents(w, r, ended)
			return
		}
		h.UI.serve(w, r)
	}
}

// servePage sends the page that opens the UI, unless another page asks.
func (h *handler) servePage(w http.ResponseWriter, r *http.Request) {
	switch {
	case h.Page == nil:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", "GET")
		http.Error(w, "only to be fetched", http.StatusMethodNotAllowed)
		return
	case r.Header.Get("Origin") != "":
		http.Error(w, "not for other pages", http.StatusForbidden)
		return
	}
	h.opened.Store(true)
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", fmt.Sprintf(
		"default-src 'none'; script-src 'nonce-%[1]s'; style-src 'nonce-%[1]s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", h.Page.nonce))
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	w.Write(h.Page.text)
}

func (h *handler) serveTrace(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodOptions {
		w.Header().Set("Allow", "GET, OPTIONS")
		http.Error(w, "only to be fetched", http.StatusMethodNotAllowed)
		return
	}
	// A fetch across origins names its origin. Without one, the request is not from
	// a page, or from one of this origin: the UI, if it is served here.
	if origin := r.Header.Get("Origin"); origin != h.Origin && (origin != "" || h.UI == nil) {
		http.Error(w, "not for this origin", http.StatusForbidden)
		return
	}
	header := w.Header()
	header.Set("Access-Control-Allow-Origin", h.Origin)
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

// send sends the trace. A client that stops reading neither blocks others nor keeps the
// server from ending.
func (h *handler) send(w http.ResponseWriter) {
	h.begun.Store(true)
	if !h.beginSend() {
		http.Error(w, "fetched already", http.StatusGone)
		return
	}
	all := false
	defer func() { h.endSend(all) }()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(h.Trace.Size, 10))
	client := reading{w, http.NewResponseController(w), h.Stall}
	if _, err := io.Copy(client, io.NewSectionReader(h.Trace.Content, 0, h.Trace.Size)); err != nil {
		return
	}
	client.SetWriteDeadline(time.Now().Add(h.Stall))
	if err := client.Flush(); err != nil {
		return
	}
	client.SetWriteDeadline(time.Time{})
	all = true
}

// reading is a client that must read something of what is written before the next write.
type reading struct {
	io.Writer
	*http.ResponseController
	stall time.Duration
}

func (r reading) Write(b []byte) (int, error) {
	if err := r.SetWriteDeadline(time.Now().Add(r.stall)); err != nil {
		return 0, err
	}
	return r.Writer.Write(b)
}
