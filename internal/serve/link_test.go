package serve_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/exporter/pftrace"
	"ohframe/internal/serve"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
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
	must.Equal(t, path, "/", "path")
	arguments = map[string]string{}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		value = must.Get(url.PathUnescape(strings.ReplaceAll(value, "+", " ")))(t)
		arguments[name] = value
	}
	return page, arguments
}

func address(t *testing.T, text string) *url.URL {
	t.Helper()
	u := must.Get(serve.ParseUI(text))(t)
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
	must.Equal(t, page, "https://ui.perfetto.dev/", "page")
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

// documented are the arguments of the UI's address that a link may have, and how they are written.
// Source: Perfetto's docs/visualization/deep-linking-to-perfetto-ui.md.
var documented = map[string]*regexp.Regexp{
	"url": regexp.MustCompile(`^http://127\.0\.0\.1:\d+/`), "rpc_port": number, "startupCommands": regexp.MustCompile(`^\[.*\]$`),
	"ts": number, "dur": number, "visStart": number, "visEnd": number,
}

var number = regexp.MustCompile(`^\d+$`)

// strictly reads a link as a UI that refuses what is not documented.
func strictly(t *testing.T, link string) map[string]string {
	t.Helper()
	_, arguments := read(t, link)
	for name, value := range arguments {
		if form := documented[name]; form == nil || !form.MatchString(value) {
			t.Errorf("%s=%s", name, value)
		}
	}
	return arguments
}

// file is a trace in memory.
type file []byte

func (f file) ReadAt(b []byte, at int64) (int, error) { return bytes.NewReader(f).ReadAt(b, at) }

func (f file) WriteAt(b []byte, at int64) (int, error) { return copy(f[at:], b), nil }

// Only the slice on the track Frames, or on Interactions, has the start and the duration of a link.
func TestSelects(t *testing.T) {
	enginetest.ForTest(t)
	for _, path := range []string{"demo.ftrace", "flings.ftrace.gz"} {
		text := testdata(t, path)
		var out bytes.Buffer
		summary := must.Get(pftrace.Convert(t.Context(), bytes.NewReader(text), &out, pftrace.Options{Analysis: analysis.Options{Causes: true}}))(t)
		var views []serve.View
		kinds := map[string]int{}
		for f := range summary.Timeline.Complete() {
			kind := fmt.Sprint(f.Kind, f.Process.PID, f.TID, f.Late())
			if kinds[kind]++; kinds[kind] == 1 {
				views = append(views, serve.View{Selected: f.Actual, Process: f.Process.PID})
			}
		}
		for _, i := range summary.Timeline.Interactions {
			views = append(views, serve.View{Selected: i.Span(), Process: i.Process.PID, Interaction: i.ID})
		}
		changed, was := file(bytes.Clone(out.Bytes())), slices.Clone(views)
		for i := range views {
			must.Do(t, views[i].MakeUnique(changed, int64(len(changed))))
		}
		session := enginetest.Load(t, changed)
		enginetest.CheckGate(t, session)
		for i, view := range views {
			if view.Selected.Start != was[i].Selected.Start || view.Selected.Duration() != was[i].Selected.Duration()-1 {
				t.Errorf("%s: the interval %v became %v", path, was[i].Selected, view.Selected)
			}
			arguments := strictly(t, serve.Link{UI: serve.Own(9001), Port: 9001, View: view}.String())
			got := enginetest.Query(t, session, "SELECT t.name, coalesce(extract_arg(arg_set_id, 'debug.interaction.id'), 0) FROM slice AS s JOIN track AS t ON t.id = track_id"+
				" WHERE ts = "+arguments["ts"]+" AND dur = "+arguments["dur"])
			track := "Frames"
			if view.Interaction != 0 {
				track = "Interactions"
			}
			if len(got.Rows) != 1 || !strings.HasPrefix(got.Rows[0][0].(string), track) || got.Rows[0][1] != int64(view.Interaction) {
				t.Errorf("%s: %+v of process %d, interaction %d: %v", path, view.Selected, view.Process, view.Interaction, got)
			}
		}
		// Nothing else changed.
		compareTables(t, session, enginetest.Load(t, out.Bytes()), len(views))
	}
}

// compareTables compares the slices of two traces, of which some differ by a nanosecond or a few.
func compareTables(t *testing.T, changed, was *engine.Session, n int) {
	t.Helper()
	const rows = "SELECT id, ts, name, depth, dur FROM slice ORDER BY id"
	a, b := enginetest.Query(t, changed, rows).Rows, enginetest.Query(t, was, rows).Rows
	if len(a) != len(b) {
		t.Fatalf("%d slices, want %d", len(a), len(b))
	}
	differ := 0
	for i := range a {
		if by := b[i][4].(int64) - a[i][4].(int64); by != 0 {
			differ++
			if by < 0 || by > 3 {
				t.Errorf("slice %v became %v", b[i], a[i])
			}
		}
		if !reflect.DeepEqual(a[i][:4], b[i][:4]) {
			t.Errorf("slice %v became %v", b[i], a[i])
		}
	}
	if differ < n {
		t.Errorf("%d slices changed, want %d", differ, n)
	}
}

// A trace of others, one that ends within a packet, and a slice that is not there change nothing.
func TestNotUnique(t *testing.T) {
	text := testdata(t, "demo.ftrace")
	var out bytes.Buffer
	must.Get(pftrace.Convert(t.Context(), bytes.NewReader(text), &out, pftrace.Options{NoEvents: true}))(t)
	for name, content := range map[string][]byte{
		"": nil, "text": text, "other": out.Bytes(), "cut": out.Bytes()[:out.Len()/2], "packets of no length": {10, 0, 10},
	} {
		view := serve.View{Selected: analyzer.Interval{Start: 5, End: 12}, Process: 20480}
		changed := file(bytes.Clone(content))
		if err := view.MakeUnique(changed, int64(len(changed))); err != nil || view.Selected.End != 12 || !bytes.Equal(changed, content) {
			t.Errorf("%s: %v, %v", name, view.Selected, err)
		}
	}
}

func testdata(t *testing.T, path string) []byte {
	t.Helper()
	f := must.Get(os.Open("../../testdata/" + path))(t)
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		r = must.Get(gzip.NewReader(f))(t)
	}
	text := must.Get(io.ReadAll(r))(t)
	return text
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
		must.Equal(t, serve.Origin(u), test.origin, "%s: origin", test.text)
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
