package serve

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/ui"
)

// Port is the only port of this computer from which the UI's content security
// policy lets it fetch. Source: Perfetto's ui/src/frontend/index.ts.
const Port = 9001

// loopback is the address as the policy spells it.
const loopback = "127.0.0.1"

// host returns the address with a port.
func host(port int) string { return loopback + ":" + strconv.Itoa(port) }

// Link is the address of a page of the UI that shows a trace.
type Link struct {
	UI   *url.URL // of ParseUI, or Own
	Port int      // the local port that serves the trace
	Path string   // of the trace, without its leading slash; empty if a page posts the trace to the UI
	View View
}

// View is what the UI shows of a trace first.
type View struct {
	// Selected is the interval of the slice that is selected: the actual one of a frame, or that
	// of an interaction; unknown if nothing is. MakeUnique may shorten it.
	Selected analyzer.Interval
	// Process is the process of that frame.
	Process trace.PID
	// Interaction is the id of that interaction; zero if a frame is selected.
	Interaction int
	// Span is the visible time. If it is unknown or outside the trace, the UI shows
	// the whole trace.
	Span analyzer.Interval
	// Commands run when the trace has been loaded.
	Commands []ui.Command

	side Side // of what is selected
}

// NewLink returns a link to a view of a trace that is in a file, where what the view selects becomes unique. Without
// sides it shows all of the trace.
func NewLink(ui *url.URL, name string, file *os.File, sides []Side, look ViewOptions) (*Link, error) {
	l := &Link{UI: ui}
	if len(sides) == 0 {
		return l, nil
	}
	info, err := file.Stat()
	if err == nil {
		if l.View, err = Look(sides, look); err == nil {
			err = l.View.MakeUnique(file, info.Size())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

// Own returns the address of a UI that this program serves itself.
func Own(port int) *url.URL {
	return &url.URL{Scheme: "http", Host: host(port), Path: "/"}
}

// ParseUI parses the address of a UI, such as ui.Public or a copy of it, which may have a
// path.
func ParseUI(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("%q: not an address such as %s", text, ui.Public)
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
	var arguments []string
	if l.Path != "" {
		file := Own(l.Port)
		file.Path += l.Path
		arguments = append(arguments, "url="+escape(file.String()))
		if l.Port != Port && Origin(l.UI) != Origin(Own(l.Port)) {
			// The UI needs its flag cspAllowAnyWebsocketPort for this.
			arguments = append(arguments, fmt.Sprintf("rpc_port=%d", l.Port))
		}
	}
	if selected := l.View.Selected; selected.Known() {
		// The UI selects the first slice with these. Source: Perfetto's
		// docs/visualization/deep-linking-to-perfetto-ui.md.
		arguments = append(arguments, fmt.Sprintf("ts=%d&dur=%d", selected.Start, selected.Duration()))
	}
	if span := l.View.Span; span.Known() {
		arguments = append(arguments, fmt.Sprintf("visStart=%d&visEnd=%d", span.Start, span.End))
	}
	if len(l.View.Commands) > 0 {
		arguments = append(arguments, "startupCommands="+escape(marshal(l.View.Commands)))
	}
	return l.UI.String() + "#!/?" + strings.Join(arguments, "&")
}

// escape escapes a text for JavaScript's decodeURIComponent. Not every program that
// passes an address to the browser keeps a plus for a space.
func escape(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// marshal returns the commands in JSON.
func marshal(commands []ui.Command) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // escape does what is necessary
	if err := encoder.Encode(commands); err != nil {
		panic(err) // strings can be encoded
	}
	return strings.TrimSpace(text.String())
}
