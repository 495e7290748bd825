package serve

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"ohframe/analyzer"
)

// PublicUI is the address of the public UI.
const PublicUI = "https://ui.perfetto.dev"

// Link is the address of a page of the UI that fetches a trace and shows it.
type Link struct {
	UI   *url.URL // of ParseUI
	Port int      // the local port that serves the trace
	Name string   // of the trace
	View View
}

// View is the part of a trace that the UI shows first.
type View struct {
	// Span is the visible time. If it is unknown or outside the trace, the UI shows
	// the whole trace.
	Span analyzer.Interval
	// Commands run when the trace has been loaded.
	Commands []Command
}

// Command is a command of the UI, of those that a link may carry. Source:
// Perfetto's docs/visualization/commands-automation-reference.md.
type Command struct {
	ID   string   `json:"id"`
	Args []string `json:"args"`
}

// ParseUI parses the address of a UI, such as PublicUI or that of a copy, which
// may have a path.
func ParseUI(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("%q: not an address such as %s", text, PublicUI)
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

// Origin returns the origin of the pages of the UI, as browsers send it.
func Origin(ui *url.URL) string {
	host := strings.ToLower(ui.Host)
	switch {
	case ui.Scheme == "http":
		host = strings.TrimSuffix(host, ":80")
	case ui.Scheme == "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return ui.Scheme + "://" + host
}

// String returns the address. The UI reads its arguments after the hash, which
// browsers do not send to the server of the UI.
func (l Link) String() string {
	trace := url.URL{Scheme: "http", Host: net.JoinHostPort(loopback, strconv.Itoa(l.Port)), Path: "/" + l.Name}
	arguments := "url=" + escape(trace.String())
	if l.Port != Port {
		// The UI needs its flag cspAllowAnyWebsocketPort for this.
		arguments += fmt.Sprintf("&rpc_port=%d", l.Port)
	}
	if span := l.View.Span; span.Known() {
		arguments += fmt.Sprintf("&visStart=%d&visEnd=%d", span.Start, span.End)
	}
	if len(l.View.Commands) > 0 {
		arguments += "&startupCommands=" + escape(marshal(l.View.Commands))
	}
	return l.UI.String() + "#!/?" + arguments
}

// escape escapes a text for JavaScript's decodeURIComponent. Not every program that
// passes an address to the browser keeps a plus for a space.
func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// marshal returns the commands in JSON.
func marshal(commands []Command) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // escape does what is necessary
	if err := encoder.Encode(commands); err != nil {
		panic(err) // strings can be encoded
	}
	return strings.TrimSpace(text.String())
}
