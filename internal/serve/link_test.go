package serve_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/exporter"
	"ohframe/internal/serve"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/ui"
)

// read parses a link as the UI's router does: what follows "#!" is a path
// with arguments, in which a plus is a space, and the values are percent-decoded.
func read(t *testing.T, link string) (page string, arguments map[string]string) {
	t.Helper()
	page, hash, ok := strings.Cut(link, "#!")
	if !ok || strings.Contains(hash, "#") || strings.ContainsAny(hash, " \"<>`") {
		t.Fatalf("no hash, or one that a browser would change: %s", link)
	}
	path, query, _ := strings.Cut(hash, "?")
	if path != "/" {
		t.Errorf("path %q", path)
	}
	arguments = map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.ReplaceAll(value, "+", " "))
		if err != nil {
			t.Fatal(err)
		}
		arguments[name] = value
	}
	return page, arguments
}

func address(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := serve.ParseUI(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestLink(t *testing.T) {
	commands := []ui.Command{
		{ID: "dev.perfetto.PinTracksByRegex", Args: []string{`^.* (1|2) > a+b#c&d=e%20"$`, "path"}},
		{ID: "dev.perfetto.ExpandTracksByRegex", Args: []string{"x"}},
	}
	link := serve.Link{
		UI: address(t, ui.Public), Port: serve.Port, Path: "my trace+#1?&100%.pftrace",
		View: serve.View{Span: analyzer.Interval{Start: 3700000000001, End: 3700000000002}, Commands: commands},
	}
	page, arguments := read(t, link.String())
	if want := "https://ui.perfetto.dev/"; page != want {
		t.Errorf("page %q, want %q", page, want)
	}
	var read []ui.Command
	if err := json.Unmarshal([]byte(arguments["startupCommands"]), &read); err != nil || !reflect.DeepEqual(read, commands) {
		t.Errorf("commands %q, error %v", arguments["startupCommands"], err)
	}
	delete(arguments, "startupCommands")
	want := map[string]string{
		"url":      "http://127.0.0.1:9001/my%20trace+%231%3F&100%25.pftrace",
		"visStart": "3700000000001", "visEnd": "3700000000002",
	}
	if !reflect.DeepEqual(arguments, want) {
		t.Errorf("arguments %q, want %q", arguments, want)
	}
	// A browser asks for the path as it is in the URL; that is the name.
	if u, err := url.Parse(want["url"]); err != nil || u.Path != "/"+link.Path || u.RawQuery != "" || u.Fragment != "" {
		t.Errorf("the trace's address has path %q, error %v", u.Path, err)
	}
}

// A frame is selected by its slice, and visible with what is around it.
func TestSelectingLink(t *testing.T) {
	link := serve.Link{UI: serve.Own(9005), Port: 9005, Path: "a.pftrace", View: serve.View{
		Selected: analyzer.Interval{Start: 5, End: 12}, Process: 20, Span: analyzer.Interval{Start: 1, End: 20},
	}}
	page, got := read(t, link.String())
	want := map[string]string{"url": "http://127.0.0.1:9005/a.pftrace", "ts": "5", "dur": got["dur"], "visStart": "1", "visEnd": "20"}
	if page != "http://127.0.0.1:9005/" || !reflect.DeepEqual(got, want) || !strings.HasPrefix(got["dur"], "7 AND ") || !strings.Contains(got["dur"], "pid = 20 ") {
		t.Errorf("%s with %v, want %v", page, got, want)
	}
}

// The UI's query for the slice finds that of the frame and process, on the track Frames if
// there is one.
func TestSelects(t *testing.T) {
	enginetest.ForTest(t)
	text, err := os.ReadFile("../../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	for _, noTracks := range []bool{false, true} {
		var out bytes.Buffer
		summary, err := exporter.Convert(t.Context(), bytes.NewReader(text), &out, exporter.Options{NoTracks: noTracks, NoEvents: true})
		if err != nil {
			t.Fatal(err)
		}
		session := enginetest.Load(t, out.Bytes())
		track := "Frames"
		if noTracks {
			track = "Actual Timeline"
		}
		n := 0
		for f := range summary.Timeline.Complete() {
			n++
			link := serve.Link{UI: serve.Own(9001), Port: 9001, View: serve.View{Selected: f.Actual, Process: f.Process.PID}}
			_, arguments := read(t, link.String())
			got := enginetest.Query(t, session, "SELECT name, (SELECT name FROM track WHERE id = track_id) FROM slice WHERE ts = "+arguments["ts"]+" AND dur = "+arguments["dur"])
			if len(got.Rows) == 0 || !strings.HasPrefix(fmt.Sprint(got.Rows[0][0]), fmt.Sprint(f.VsyncID)) || !strings.HasPrefix(fmt.Sprint(got.Rows[0][1]), track) {
				t.Errorf("no tracks %v, frame %d of %s: %v", noTracks, f.VsyncID, f.Process.Name, got)
			}
			if n == 10 {
				break
			}
		}
		if n < 10 {
			t.Errorf("%d frames", n)
		}
	}
}

// A link has no parameters that the UI does not need.
func TestPlainLink(t *testing.T) {
	for port, want := range map[int]string{
		9001: "https://ui.perfetto.dev/#!/?url=http%3A%2F%2F127.0.0.1%3A9001%2Fa.pftrace",
		9002: "https://ui.perfetto.dev/#!/?url=http%3A%2F%2F127.0.0.1%3A9002%2Fa.pftrace&rpc_port=9002",
	} {
		link := serve.Link{UI: address(t, "https://ui.perfetto.dev"), Port: port, Path: "a.pftrace"}
		if got := link.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestUI(t *testing.T) {
	for _, test := range []struct{ text, origin, page string }{
		{"https://ui.perfetto.dev", "https://ui.perfetto.dev", "https://ui.perfetto.dev/"},
		{"https://ui.perfetto.dev/", "https://ui.perfetto.dev", "https://ui.perfetto.dev/"},
		{"http://localhost:10000", "http://localhost:10000", "http://localhost:10000/"},
		{"https://Example.COM:443/perfetto/", "https://example.com", "https://Example.COM:443/perfetto/"},
		{"http://example.com:80/", "http://example.com", "http://example.com:80/"},
		{"https://example.com:80", "https://example.com:80", "https://example.com:80/"},
		{"https://example.com/?hideSidebar=true#!/viewer", "https://example.com", "https://example.com/?hideSidebar=true"},
		{"http://[::1]:8080/ui", "http://[::1]:8080", "http://[::1]:8080/ui"},
	} {
		u := address(t, test.text)
		if got := serve.Origin(u); got != test.origin {
			t.Errorf("%s: origin %s, want %s", test.text, got, test.origin)
		}
		if page, _ := read(t, serve.Link{UI: u, Port: serve.Port}.String()); page != test.page {
			t.Errorf("%s: page %s, want %s", test.text, page, test.page)
		}
	}
	for _, text := range []string{"", "ui.perfetto.dev", "file:///ui.html", "https://", "javascript:alert(1)", "http://:80", "https://a b"} {
		if u, err := serve.ParseUI(text); err == nil {
			t.Errorf("%q: parsed as %s", text, u)
		}
	}
}
