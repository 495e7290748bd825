package ui_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
	"ohframe/internal/testing/uitest"
	"ohframe/internal/ui"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

func files(t *testing.T) map[string][]byte {
	t.Helper()
	list := must.Get(ui.Files())(t)
	return list
}

// The folder ui of this repository is what the program writes.
func TestCommitted(t *testing.T) {
	want := files(t)
	committed := os.DirFS("../../ui")
	var paths []string
	must.Do(t, fs.WalkDir(committed, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths = append(paths, path)
		}
		return err
	}))
	must.EqualSlices(t, paths, slices.Sorted(maps.Keys(want)), "ui has")
	for path, text := range want {
		if got, err := fs.ReadFile(committed, path); err != nil || !bytes.Equal(got, text) {
			t.Errorf("ui/%s is not what \"ohframe ui -o ui\" writes: %v", path, err)
		}
	}
}

// strict decodes a file of the extension and fails on fields that the UI does not know.
func strict[T any](t *testing.T, path string) (v T) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(files(t)[path]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// The types are those of Perfetto's
// ui/src/core_plugins/dev.perfetto.ExtensionServers/types.ts. All fields are required.
type (
	manifest struct {
		Name, Namespace string
		Features        []struct{ Name string }
		Modules         []struct{ ID, Name string }
	}
	macros struct {
		Macros []struct {
			ID, Name string
			Run      []ui.Command
		}
	}
	sqlModules struct {
		SQLModules []struct{ Name, SQL string } `json:"sql_modules"`
	}
	protoDescriptors struct {
		Descriptors [][]byte `json:"proto_descriptors"` // base64 in JSON
	}
)

// TestSchema checks what the UI checks when it loads an extension server: it rejects all
// macros or modules if one has a wrong name.
func TestSchema(t *testing.T) {
	for path, text := range files(t) { // Go's decoder ignores case, the UI does not
		if key := regexp.MustCompile(`(?m)^\s*"\w*[A-Z]\w*":`).Find(text); key != nil {
			t.Errorf("%s: %s", path, key)
		}
	}
	m := strict[manifest](t, "manifest")
	if m.Name == "" || m.Namespace != "ohos" || len(m.Modules) != 1 || m.Modules[0].ID != "default" || m.Modules[0].Name == "" {
		t.Errorf("manifest %+v", m)
	}
	for _, feature := range m.Features {
		if files(t)["modules/default/"+feature.Name] == nil {
			t.Errorf("feature %s has no file", feature.Name)
		}
	}
	if len(m.Features)+1 != len(files(t)) {
		t.Errorf("%d features, %d files", len(m.Features), len(files(t)))
	}
	var ids []string
	for _, macro := range strict[macros](t, "modules/default/macros").Macros {
		if macro.Name == "" || len(macro.Run) == 0 {
			t.Errorf("macro %+v", macro)
		}
		ids = append(ids, macro.ID)
	}
	want := []string{"ohos.Jank", "ohos.Why", "ohos.Functions", "ohos.Fps", "ohos.Interactions", "ohos.Launches", "ohos.Layers", "ohos.Stages", "ohos.Workspace"}
	must.EqualSlices(t, ids, want, "macros")
	for _, module := range strict[sqlModules](t, "modules/default/sql_modules").SQLModules {
		if !strings.HasPrefix(module.Name, m.Namespace+".") {
			t.Errorf("module %q", module.Name)
		}
		for _, line := range regexp.MustCompile(`(?m)^CREATE.*`).FindAllString(module.SQL, -1) {
			if !strings.HasPrefix(line, "CREATE OR REPLACE PERFETTO ") {
				t.Errorf("%s: %s fails if it exists already", module.Name, line)
			}
		}
	}
}

// session loads the demo with the SQL modules of the extension.
func session(t *testing.T) *engine.Session {
	t.Helper()
	text := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(t)
	return sessionOf(t, string(text))
}

// sessionOf loads a text trace with the SQL modules of the extension, as the UI registers
// them.
func sessionOf(t *testing.T, text string) *engine.Session {
	t.Helper()
	enginetest.ForTest(t)
	var trace bytes.Buffer
	must.Get(pftrace.Convert(t.Context(), strings.NewReader(text), &trace, pftrace.Options{Analysis: analysis.Options{Causes: true}}))(t)
	return sessionOfTrace(t, trace.Bytes())
}

func sessionOfTrace(t *testing.T, trace []byte) *engine.Session {
	t.Helper()
	enginetest.ForTest(t)
	dir := t.TempDir()
	for _, module := range strict[sqlModules](t, "modules/default/sql_modules").SQLModules {
		path := filepath.Join(dir, strings.TrimPrefix(module.Name, "ohos.")+".sql")
		must.Do(t, os.WriteFile(path, []byte(module.SQL), 0o600))
	}
	return enginetest.Load(t, trace, dir+"@ohos")
}

// Each macro works. In full, each is alone in its session.
func TestMacros(t *testing.T) {
	one := session(t)
	for _, macro := range strict[macros](t, "modules/default/macros").Macros {
		t.Run(macro.ID, func(t *testing.T) {
			if slow.Enabled() {
				one = session(t)
			}
			uitest.Run(t, one, macro.Run)
		})
	}
}

// With the descriptors, the engine names the result and its fields in its view of protos, and nothing is unknown. The engine
// takes those of TracePacket from the UI's settings from v58 on only, so here they are in the trace, which all versions read.
func TestProtoDescriptors(t *testing.T) {
	list := strict[protoDescriptors](t, "modules/default/proto_descriptors").Descriptors
	must.Equal(t, len(list), 1, "sets of descriptors")
	var set descriptorpb.FileDescriptorSet
	must.NoError(t, proto.Unmarshal(list[0], &set))
	if len(set.ProtoReflect().GetUnknown()) > 0 || len(set.File) != 1 {
		t.Errorf("descriptors %v", &set)
	}

	enginetest.ForTest(t)
	nested := func(b []byte, numbers ...protowire.Number) []byte {
		for _, n := range slices.Backward(numbers) {
			b = protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), b)
		}
		return b
	}
	trace := bytes.NewBuffer(nested(list[0], 1, 72, 1)) // Trace.packet, TracePacket.extension_descriptor, its extension_set
	must.Get(pftrace.Convert(t.Context(), strings.NewReader(tracetest.Read(t, "../../testdata/demo.ftrace")), trace, pftrace.Options{}))(t)
	engine := enginetest.Load(t, trace.Bytes())
	must.NoError(t, engine.Analyze(trace.Bytes(), list[0]))
	const fields = "SELECT group_concat(path || ' ' || count, '; ') FROM (SELECT * FROM experimental_proto_content WHERE path GLOB 'TracePacket.#*Ohframe*' OR path GLOB 'TracePacket.#unknown*' ORDER BY path)"
	const want = "TracePacket.#ohframe_result.OhframeResult 1; " +
		"TracePacket.#ohframe_result.OhframeResult.#deflated.bytes 1; " +
		"TracePacket.#ohframe_result.OhframeResult.#schema.fixed64 1; " +
		"TracePacket.#ohframe_result.OhframeResult.#version.uint64 1"
	must.Equal(t, enginetest.Query(t, engine, fields).Rows[0][0], want, "fields of the result")
	enginetest.CheckGate(t, engine)
}

// tokens splits a text as the palette of v55 does. Source: Perfetto's ui/src/base/fuzzy.ts.
func tokens(text string) (list []string) {
	for _, word := range regexp.MustCompile(`[a-zA-Z0-9]+`).FindAllString(text, -1) {
		start := 0
		lower := func(i int) bool { return i < len(word) && word[i] >= 'a' && word[i] <= 'z' }
		upper := func(i int) bool { return i < len(word) && word[i] >= 'A' && word[i] <= 'Z' }
		for i := 1; i < len(word); i++ {
			if lower(i-1) && upper(i) || upper(i-1) && upper(i) && lower(i+1) {
				list = append(list, strings.ToLower(word[start:i]))
				start = i
			}
		}
		list = append(list, strings.ToLower(word[start:]))
	}
	return list
}

// In v55, the palette finds a macro if each typed word is the beginning of a word of its name;
// in v58, if its name has all typed letters in their order. The guide lists the names.
func TestNames(t *testing.T) {
	all := []string{"ohos.Jank", "ohos.Why", "ohos.Functions", "ohos.Fps", "ohos.Interactions", "ohos.Launches", "ohos.Layers", "ohos.Stages", "ohos.Workspace"}
	for typed, want := range map[string][]string{
		"jank": {"ohos.Jank"}, "Jank": {"ohos.Jank"}, "ohos.Why": {"ohos.Why"},
		"late": {"ohos.Jank", "ohos.Why", "ohos.Functions"}, "samples": {"ohos.Functions"}, "functions": {"ohos.Functions"}, "worst": {"ohos.Why"}, "cause": {"ohos.Why"}, "why": {"ohos.Why"}, "causes": {"ohos.Why"},
		"FPS": {"ohos.Fps"}, "fps": {"ohos.Fps"}, "hitch": {"ohos.Fps", "ohos.Interactions"}, "stages": {"ohos.Stages"}, "stage": {"ohos.Launches", "ohos.Stages"},
		"interactions": {"ohos.Interactions"}, "fling": {"ohos.Interactions"}, "launch": {"ohos.Interactions", "ohos.Launches"}, "cold": {"ohos.Launches"}, "workspace": {"ohos.Workspace"},
		"layers": {"ohos.Layers"}, "video": {"ohos.Layers"}, "game": {"ohos.Layers"}, "buffer": {"ohos.Layers"},
		"ohos": all, "openharmony": all, "OpenHarmony": all,
	} {
		var found []string
		for _, macro := range ui.Macros() {
			words := tokens(macro.Name)
			missing := slices.ContainsFunc(tokens(typed), func(token string) bool {
				return !slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, token) })
			})
			if !missing {
				found = append(found, macro.ID)
				letters := regexp.QuoteMeta(strings.Join(strings.Split(strings.ToLower(typed), ""), "\x00"))
				if !regexp.MustCompile(strings.ReplaceAll(letters, "\x00", ".*")).MatchString(strings.ToLower(macro.Name)) {
					t.Errorf("v58 does not find %q in %q", typed, macro.Name)
				}
			}
		}
		must.EqualSlices(t, found, want, "%q finds", typed)
	}
}

// Tables with a slice have the columns of a link, and the others none of them. The titles of
// columns have no dots, at which the UI splits them.
func TestTables(t *testing.T) {
	links := 0
	for title, columns := range tables(t, session(t)) {
		n := 0
		for _, c := range columns {
			if strings.ContainsAny(c, "._\"") && c != "track_id" {
				t.Errorf("%s: column %q", title, c)
			}
			if slices.Contains([]string{"id", "ts", "dur", "track_id"}, c) {
				n++
			}
		}
		switch {
		case n == 4 && slices.Equal(columns[len(columns)-3:], []string{"ts", "dur", "track_id"}):
			links++
		case n != 0:
			t.Errorf("%s: columns %v", title, columns)
		}
	}
	must.Equal(t, links, 4, "tables with links")
}

// tables runs all macros and returns the columns of the tabs.
func tables(t *testing.T, one *engine.Session) map[string][]string {
	t.Helper()
	columns := map[string][]string{}
	for _, macro := range strict[macros](t, "modules/default/macros").Macros {
		for _, c := range macro.Run {
			switch c.ID {
			case "dev.perfetto.RunQuery":
				enginetest.Query(t, one, c.Args[0]+" SELECT 1")
			case "dev.perfetto.RunQueryAndShowTab":
				table := enginetest.Query(t, one, c.Args[0])
				columns[c.Args[1]] = table.Columns
				if len(table.Rows) == 0 || !slices.ContainsFunc(table.Rows[0], func(cell any) bool { _, ok := cell.(string); return ok }) {
					t.Errorf("%s: %s says nothing: %v", macro.ID, c.Args[1], table.Rows)
				}
			}
		}
	}
	return columns
}

// Rows of late frames are links to the frames, and say what ohos.why says. The worst frame is
// first.
func TestWhy(t *testing.T) {
	one := session(t)
	enginetest.Query(t, one, "INCLUDE PERFETTO MODULE ohos.slices; INCLUDE PERFETTO MODULE ohos.frames; INCLUDE PERFETTO MODULE ohos.why; SELECT 1")
	all := ui.Macros()
	macro := all[slices.IndexFunc(all, func(m ui.Macro) bool { return m.ID == "ohos.Why" })]
	commands := macro.Commands[len(macro.Commands)-2:]
	uitest.Run(t, one, commands)
	show := commands[len(commands)-1]
	if !strings.HasPrefix(show.Args[0], "SELECT * FROM ohos_") {
		t.Errorf("the UI shows %q below the title", show.Args[0])
	}
	got := enginetest.Query(t, one, show.Args[0])
	must.EqualSlices(t, got.Columns, []string{"id", "why", "late ms", "process", "frame", "confidence", "advice", "ts", "dur", "track_id"}, "columns")
	want := enginetest.Query(t, one, `
		SELECT s.id, c.cause, round(c.overrun_ns / 1e6, 1), f.process_name, c.vsync_id, c.confidence, c.advice, s.ts, s.dur, s.track_id
		FROM ohos_frame_cause AS c JOIN ohos_frame AS f ON f.id = c.frame_id JOIN slice AS s ON s.id = f.event_id
		JOIN track ON track.id = s.track_id AND track.name GLOB 'Frames*' WHERE c.rank = 1 ORDER BY c.overrun_ns DESC, s.ts`)
	if len(got.Rows) < 5 || !reflect.DeepEqual(got.Rows, want.Rows) {
		t.Errorf("got  %v\nwant %v", got.Rows, want.Rows)
	}
}

// Without frames, the tables say so.
func TestNoFrames(t *testing.T) {
	one := sessionOf(t, "   a-1   (    1) [000] ....  1.000000: print: B|1|x\n")
	if n := len(tables(t, one)); n < 8 {
		t.Errorf("%d tables", n)
	}
}

// Rows of interactions are links to them, the one with the most hitches first, and those of
// launches to their stages.
func TestInteractions(t *testing.T) {
	var text strings.Builder
	must.Get(simulate.Write(&text, simulate.Demonstration()))(t)
	one := sessionOf(t, text.String())
	tabs := map[string]engine.Table{}
	for _, macro := range strict[macros](t, "modules/default/macros").Macros {
		if macro.ID != "ohos.Interactions" && macro.ID != "ohos.Launches" {
			continue
		}
		uitest.Run(t, one, macro.Run)
		show := macro.Run[len(macro.Run)-1]
		tabs[macro.ID] = enginetest.Query(t, one, show.Args[0])
	}
	rows := func(id string, columns ...string) (list [][]any) {
		for _, row := range tabs[id].Rows {
			var cells []any
			for _, c := range columns {
				cells = append(cells, row[slices.Index(tabs[id].Columns, c)])
			}
			list = append(list, cells)
		}
		return list
	}
	got := rows("ohos.Interactions", "interaction", "scene", "hitch ms/s", "late")
	want := [][]any{{int64(2), "APP_LIST_FLING", 115.4, int64(6)}, {int64(3), "APP_LIST_FLING", 96.1, int64(3)}}
	if len(got) != 7 || !reflect.DeepEqual(got[:2], want) || got[6][1] != "cold launch" {
		t.Errorf("interactions %v, want first %v", got, want)
	}
	if got, want := rows("ohos.Launches", "launch", "stage"), 8; len(got) != want || got[2][0] != "cold launch 6" || got[2][1] != "LoadAbility" {
		t.Errorf("stages %v", got)
	}
	for id, track := range map[string]string{"ohos.Interactions": "0", "ohos.Launches": "1"} {
		for _, row := range rows(id, "id", "ts", "track_id") {
			if n := len(enginetest.Query(t, one, fmt.Sprintf("SELECT 1 FROM slice JOIN track ON track.id = track_id WHERE slice.id = %d AND ts = %d AND track_id = %d"+
				" AND track.name = 'Interactions' AND depth = %s", row[0], row[1], row[2], track)).Rows); n != 1 {
				t.Errorf("%s: row %v is no link", id, row)
			}
		}
	}
}

// Rows of layers are links to their measures, the one with the most late buffers first.
func TestLayers(t *testing.T) {
	var trace bytes.Buffer
	must.Get(pftrace.ConvertTimeline(t.Context(), tracetest.Layers(), nil, &trace, pftrace.Options{}))(t)
	one := sessionOfTrace(t, trace.Bytes())
	all := ui.Macros()
	macro := all[slices.IndexFunc(all, func(m ui.Macro) bool { return m.ID == "ohos.Layers" })]
	enginetest.Query(t, one, "INCLUDE PERFETTO MODULE ohos.layers; SELECT 1")
	uitest.Run(t, one, macro.Commands)
	got := enginetest.Query(t, one, macro.Commands[len(macro.Commands)-1].Args[0])
	var names [][]any
	for _, row := range got.Rows {
		names = append(names, row[1:6])
		if n := len(enginetest.Query(t, one, fmt.Sprintf("SELECT 1 FROM slice JOIN track ON track.id = track_id WHERE slice.id = %d AND track_id = %d AND depth = 0"+
			" AND track.name GLOB '%s*'", row[0], row[len(row)-1], row[1])).Rows); n != 1 {
			t.Errorf("row %v is no link", row)
		}
	}
	// The video shows 11 buffers in 33 periods of 10 ms; of the ten intervals two are late and one is early. The application
	// shows 39 buffers in 39 periods; of the 38 intervals one is late. The game shows one in every second period.
	want := [][]any{
		{"video", int64(2), int64(1), 30.0, 30.3}, {"com.example.app/Main", int64(1), int64(0), 2.6, 97.4}, {"game", int64(0), int64(0), 0.0, 50.0},
		{"video", nil, int64(0), nil, nil}, {"hidden", nil, int64(0), nil, nil}, {"remote", nil, int64(0), nil, nil},
	}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// The workspace has the top tracks of frames of each process once. Below one that is copied,
// the UI copies all others.
func TestWorkspacePattern(t *testing.T) {
	layersFirst := true
	copied := func(pid trace.PID, path string) (steps []int) {
		pids := []trace.PID{pid, 40}
		if pid == 0 {
			pids = nil
		}
		for i, c := range ui.ShowWorkspace(pids, layersFirst) {
			if strings.Contains(c.ID, "Copy") && uitest.Compile(t, c.Args[0]).Match(path) {
				steps = append(steps, i)
			}
		}
		return steps
	}
	for path, want := range map[string]bool{
		"gallery 20 > Actual Timeline":                true,
		"gallery 20 > Expected Timeline":              true,
		"gallery 20 > Frames":                         true,
		"Machine 2 > gallery 20 > Frames":             true,
		"gallery 20 (machine 1) > Frames":             true,
		"a > b 21 > c\n20 > Frames":                   true,
		"gallery 21 > Frames":                         true,
		"x 20 > Frames 21 > Frames":                   true,
		"gallery 20 > Frames > Why":                   false,
		"gallery 20 > Frames > Whole frame expected":  false,
		"gallery 20":                                  false,
		"gallery 20 > Frames 21":                      false,
		"Scheduling > Actual Timeline > CPU Timeline": false,
		// The tracks of layers in UIs to come.
		"gallery 20 > Actual Timeline > surface 20":                        false,
		"gallery 20 > Actual Timeline > surface 20 > Actual Timeline":      false,
		"gallery 20 > Actual Timeline > surface > Expected Timeline":       false,
		"Machine 2 > gallery 21 > Actual Timeline > a\n > Actual Timeline": false,
		"Frames":                  false,
		"notes 30 > Interactions": true,
		"Machine 2 > notes 30 (machine 1) > Hangs": true,
		"notes 30 > Why":                      true,
		"a\nb 20 > Interactions":              true,
		"Interactions":                        true,
		"gallery 20 > Frames > Interactions":  false,
		"gallery 20 > Frames > Hangs":         false,
		"gallery 20 > Scenes > Interactions":  false,
		"gallery 20 > My Interactions":        false,
		"Layers":                              true,
		"Late frames":                         true,
		"Late frames > Late frames (gallery)": false,
		"Layers > video (player 20)":          false,
		"gallery 20 > Layers":                 false,
	} {
		for _, pid := range []trace.PID{0, 20} {
			if steps := copied(pid, path); (len(steps) == 1) != want {
				t.Errorf("process %d: %q is copied in %v", pid, path, steps)
			}
		}
	}
	// The process that is given comes first.
	for path, want := range map[string]int{
		"Late frames": 1, "Layers": 2, "gallery 20 > Frames": 3, "gallery 20 (machine 1) > Actual Timeline": 3, "a>b 20 > Frames": 3, "a\nb 20 > Frames": 3,
		"gallery 20 > Interactions": 4, "gallery 20 (machine 1) > Hangs": 4, "gallery 120 > Interactions": 8, "Interactions": 8,
		"gallery 120 > Frames": 7, "gallery 201 > Frames": 7, "gallery 20 > Frames 7 > Frames": 7, "gallery 40 (machine 1) > Frames": 5, "gallery 40 > Hangs": 6,
	} {
		if steps := copied(20, path); !slices.Equal(steps, []int{want}) {
			t.Errorf("%q is copied in %v, want %d", path, steps, want)
		}
	}
	layersFirst = false
	if steps := copied(20, "Layers"); !slices.Equal(steps, []int{8}) {
		t.Errorf("layers without a late buffer are copied in %v", steps)
	}
}

// setting decodes what an add link carries, as the UI does.
func setting(t *testing.T, link string) map[string]any {
	t.Helper()
	encoded, ok := strings.CutPrefix(link, "https://ui.perfetto.dev/#!/?dev.perfetto.ExtensionServers:addServer=")
	if !ok {
		t.Fatalf("link %s", link)
	}
	encoded = must.Get(url.PathUnescape(encoded))(t)
	text := must.Get(base64.StdEncoding.DecodeString(encoded))(t)
	var v map[string]any
	must.Do(t, json.Unmarshal(text, &v))
	return v
}

func TestAddLink(t *testing.T) {
	common := func(more map[string]any) map[string]any {
		v := map[string]any{"enabledModules": []any{"default"}, "enabled": true, "auth": map[string]any{"type": "none"}, "origin": "user_added"}
		maps.Copy(v, more)
		return v
	}
	for text, want := range map[string]map[string]any{
		"owner/repo/main":             {"type": "github", "repo": "owner/repo", "ref": "main", "path": "/ui"},
		"owner/repo/v1.0/some/folder": {"type": "github", "repo": "owner/repo", "ref": "v1.0", "path": "/some/folder"},
		"https://example.com/a b/":    {"type": "https", "url": "https://example.com/a%20b"},
		"https://example.com":         {"type": "https", "url": "https://example.com"},
	} {
		parse := ui.ParseGitHub
		if strings.Contains(text, "://") {
			parse = ui.ParseBase
		}
		server := must.Get(parse(text))(t)
		if got := setting(t, server.AddLink()); !reflect.DeepEqual(got, common(want)) {
			t.Errorf("%s: got %v, want %v", text, got, common(want))
		}
	}
	for _, text := range []string{"", "owner", "owner/repo", "owner/repo/", "/repo/main", "owner/repo/main/", "a b/c/d", "https://github.com/owner/repo"} {
		if s, err := ui.ParseGitHub(text); err == nil {
			t.Errorf("%q: parsed as %+v", text, s)
		}
	}
	for _, text := range []string{"", "example.com", "http://example.com", "https://", "https://user@example.com", "https://example.com/?a", "https://example.com/#a"} {
		if s, err := ui.ParseBase(text); err == nil {
			t.Errorf("%q: parsed as %+v", text, s)
		}
	}
}
