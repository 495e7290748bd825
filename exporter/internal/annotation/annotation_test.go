package annotation_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/proto"

	"ohframe"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/exporter"
	"ohframe/exporter/internal/annotation"
	pb "ohframe/internal/perfettopb"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/schematest"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/tracetest"
)

// render is a render frame with an expected end that cannot be true: only the vsync
// time is left of what was expected.
const render = `
render_service-100 (100) [000] .... 1.010200: print: B|100|H:ReceiveVsync name:rs dataCount: 24bytes now:1010000000 expectedEnd: 99025000000 vsyncId:60, fd:9
render_service-100 (100) [000] .... 1.010300: print: B|100|H:RSMainThread::DoComposition: 1010200000
render_service-100 (100) [000] .... 1.010400: print: E|100
render_service-100 (100) [000] .... 1.012000: print: E|100
`

// firstDraw is an application's frame that draws a window for the first time.
const firstDraw = `
example-200 (200) [001] .... 1.000100: print: B|200|H:ReceiveVsync name:ui dataCount: 24bytes now:1000000000 expectedEnd: 1016600000 vsyncId:5, fd:9
example-200 (200) [001] .... 1.000200: print: B|200|H:OnVsyncEvent now:1000000000
example-200 (200) [001] .... 1.000300: print: B|200|H:UIVsyncTask[timestamp:1000000000][vsyncID:5][layoutMeasureDurationStartTimestamp:0][layoutMeasureDurationEndTimestamp:0][firstDrawFrame:1]
example-200 (200) [001] .... 1.001300: print: E|200
example-200 (200) [001] .... 1.001400: print: E|200
example-200 (200) [001] .... 1.001500: print: E|200
`

// items are of a component, and a change of its state variable.
const items = `
example-200 (200) [001] .... 1.000100: print: B|200|H:CustomNode:BuildItem [Card][self:38][parent:37]
example-200 (200) [001] .... 1.000200: print: E|200
example-200 (200) [001] .... 1.000300: print: B|200|H:ViewPU.viewPropertyHasChanged Card price 3
example-200 (200) [001] .... 1.000400: print: E|200
`

// jsonTracks have annotations with the names of JSON below them.
var jsonTracks = []string{"Report", "Hitches", "Interactions", "Hangs", "Never began", "Refresh rate", "Components", "Vsyncs"}

// kinds is a set of kinds of slices that an annotation is written on.
type kinds uint8

const (
	application kinds = 1 << iota // application frames, on a track "Frames"
	rendered                      // render frames, on a track "Frames"
	whole                         // on a track "Whole frame"
	work                          // on a track "GPU"
	measures                      // on the tracks that have what is in JSON
	buffer                        // on the track Layers
	// entry is no slice but an entry of Causes, or of DisplaySyncs.
	entry
)

// Every annotation is written on the slices that Where says, and on no others.
func TestTable(t *testing.T) {
	written := map[annotation.Key]kinds{}
	for name, text := range inputs(t) {
		for key, on := range keysOf(t, text) {
			if extra := on &^ kindsOf(key); extra != 0 {
				t.Errorf("%s: %q is written on slices %03b, and Where does not say so", name, key, extra)
			}
			written[key] |= on
		}
	}
	for _, key := range annotation.All() {
		if missing := kindsOf(key) &^ written[key]; missing != 0 {
			t.Errorf("%q is not written on slices %03b, and is said to be on %03b", key, missing, kindsOf(key))
		}
	}
}

// named returns the key with the given name, or zero.
func named(name string) annotation.Key {
	for _, key := range annotation.All() {
		if key.String() == name {
			return key
		}
	}
	return 0
}

// inputs returns the traces of the rules of frames, and those above.
func inputs(t *testing.T) map[string]*pb.Trace {
	t.Helper()
	traces := map[string]*pb.Trace{"layers": layers(t)}
	for name, text := range texts(t) {
		traces[name] = convert(t, text)
	}
	idle := simulate.Default()
	idle.Duration, idle.Chances.AppEmpty, idle.Apps[0].DisplaySyncs = 300*trace.Millisecond, .9, []simulate.DisplaySync{{ID: 3, Type: -1}}
	var asking bytes.Buffer
	must.Get(simulate.Write(&asking, idle))(t)
	traces["unused vsyncs"] = convert(t, asking.Bytes())
	lowered := simulate.Default()
	lowered.Duration, lowered.Rates = 600*trace.Millisecond, []simulate.Rate{{Hz: 120}, {From: 300 * trace.Millisecond, Hz: 60}}
	var rates bytes.Buffer
	must.Get(simulate.Write(&rates, lowered))(t)
	traces["refresh rates"] = convert(t, rates.Bytes())
	for _, cause := range []simulate.Cause{"more_work", "buffer", "not_begun", simulate.CauseRenderBusy} {
		traces["functions of "+string(cause)] = withFunctions(t, cause)
	}
	return traces
}

// withFunctions returns the trace of a scene whose late frames were in a function, in slices with arguments.
func withFunctions(t *testing.T, cause simulate.Cause) *pb.Trace {
	t.Helper()
	var text, out bytes.Buffer
	must.Get((simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 60, Cause: cause}).Generate(&text))(t)
	in := must.Get(ohframe.Read(t.Context(), &text, ohframe.Options{Causes: true}))(t)
	for _, e := range in.Causes.Frames {
		if s := e.Cause(); s != nil {
			if len(s.Instances) == 0 {
				s.Instances = []why.Instance{{Start: e.Start, End: e.End, Time: e.End.Sub(e.Start), Arguments: []why.Argument{{Name: "name", Value: "gallery0"}}}}
			}
			e.Functions = []why.FunctionTime{{Function: why.Function{Name: "Feed::recompute", Module: "libentry.so"}, Stage: s.Stage, Wait: s.Wait, Samples: 8, Of: 12, Sure: true}}
		}
	}
	must.Do(t, exporter.Write(t.Context(), &out, in.Timeline, in.Causes, exporter.Options{}))
	trace := &pb.Trace{}
	must.Do(t, proto.Unmarshal(out.Bytes(), trace))
	return trace
}

// layers returns the trace of a timeline with layers and frames of frameworks.
func layers(t *testing.T) *pb.Trace {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, exporter.Write(t.Context(), &out, tracetest.Layers(), nil, exporter.Options{}))
	trace := &pb.Trace{}
	must.Do(t, proto.Unmarshal(out.Bytes(), trace))
	return trace
}

func texts(t *testing.T) map[string][]byte {
	t.Helper()
	waits := must.Get(os.ReadFile("../../../testdata/why/waits.ftrace"))(t)
	list := map[string][]byte{"render": []byte(render), "first draw": []byte(firstDraw), "items": []byte(items), "waits": waits}
	for _, cause := range []simulate.Cause{simulate.CauseGC, simulate.CauseLittleCore, simulate.CauseCapped, simulate.CauseDrawWork} {
		var text bytes.Buffer
		must.Get((simulate.Scene{Kernel: simulate.KernelLinux, RefreshHz: 60, Cause: cause}).Generate(&text))(t)
		list[string(cause)] = text.Bytes()
	}
	var text bytes.Buffer
	must.Get(simulate.Write(&text, simulate.Demonstration()))(t)
	list["demonstration"] = text.Bytes()
	paths, err := filepath.Glob("../../../testdata/frames/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	for _, path := range paths {
		archive := must.Get(txtar.ParseFile(path))(t)
		for _, f := range archive.Files {
			if f.Name == "trace" {
				list[filepath.Base(path)] = f.Data
			}
		}
	}
	return list
}

func convert(t *testing.T, input []byte) *pb.Trace {
	t.Helper()
	var out bytes.Buffer
	must.Get(ohframe.Convert(t.Context(), bytes.NewReader(input), &out, ohframe.ConvertOptions{Events: ohframe.NoEvents, Options: ohframe.Options{Causes: true}}))(t)
	trace := &pb.Trace{}
	must.Do(t, proto.Unmarshal(out.Bytes(), trace))
	return trace
}

// keysOf returns the annotations in the trace, and the kinds of slices that have them.
func keysOf(t *testing.T, trace *pb.Trace) map[annotation.Key]kinds {
	t.Helper()
	keys := map[annotation.Key]kinds{}
	names := map[uint64]annotation.Key{}
	tracks := map[uint64]string{}
	layers := map[uint64]bool{} // Layers and the tracks below it
	for _, p := range trace.Packet {
		for _, n := range p.GetInternedData().GetDebugAnnotationNames() {
			names[n.GetIid()] = named(n.GetName())
		}
		if d := p.GetTrackDescriptor(); d != nil {
			tracks[d.GetUuid()] = d.GetName()
			layers[d.GetUuid()] = d.GetName() == "Layers" || layers[d.GetParentUuid()]
		}
		list := p.GetTrackEvent().GetDebugAnnotations()
		if len(list) == 0 {
			continue
		}
		var on kinds
		switch track := tracks[p.GetTrackEvent().GetTrackUuid()]; {
		case layers[p.GetTrackEvent().GetTrackUuid()]:
			on = buffer
			if slices.ContainsFunc(list, func(a *pb.DebugAnnotation) bool { return names[a.GetNameIid()] == annotation.Layer }) {
				on = measures
			}
		case strings.HasPrefix(track, "Whole frame"):
			on = whole
		case track == "Frames" || strings.HasPrefix(track, "Frames ("):
			on = application
			for _, a := range list {
				if names[a.GetNameIid()] == annotation.Applications {
					on = rendered
				}
			}
		case strings.HasPrefix(track, "GPU"), track == "Draw":
			on = work
		case slices.Contains(jsonTracks, track):
			on = measures
		default:
			t.Errorf("annotations on the track %q", track)
		}
		note := func(list []*pb.DebugAnnotation, on kinds) {
			for _, a := range list {
				key := names[a.GetNameIid()]
				if key == 0 {
					t.Fatalf("annotation %d has no name in the table", a.GetNameIid())
				}
				keys[key] |= on
			}
		}
		note(list, on)
		for _, a := range list {
			switch names[a.GetNameIid()] {
			case annotation.Ranking, annotation.Components, annotation.StateVariables, annotation.Requesters, annotation.Callbacks:
				continue // names of JSON
			}
			for _, e := range a.ArrayValues {
				note(e.DictEntries, entry)
			}
		}
	}
	return keys
}

var (
	selected = regexp.MustCompile(`'debug\.([^']*)'`)
	index    = regexp.MustCompile(`\[[0-9]+\]`) // of an array's element
)

// kindsOf returns the slices that have an annotation.
func kindsOf(key annotation.Key) (set kinds) {
	of := map[string]kinds{
		"all":  application | rendered | whole | work | measures | buffer,
		"both": application | rendered, "application": application, "render": rendered, "whole": whole, "GPU": work,
		"measures": measures, "buffer": buffer, "cause": entry, "sync": entry,
	}
	for name := range strings.SplitSeq(key.Where(), ", ") {
		if of[name] == 0 {
			panic(key.String() + " is on " + name)
		}
		set |= of[name]
	}
	return set
}

// testdata/api/perfetto.md has the list of annotations. "make docs" writes it.
func TestDocument(t *testing.T) {
	file := must.Get(parser.ParseFile(token.NewFileSet(), "annotation.go", nil, parser.ParseComments))(t)
	var comments []string // of the keys, in order
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && ast.IsExported(spec.Names[0].Name) {
			comments = append(comments, strings.Join(strings.Fields(spec.Doc.Text()+spec.Comment.Text()), " "))
		}
		return true
	})
	var list strings.Builder
	keys := annotation.All()
	for i := 0; i < len(keys); {
		first := i
		quoted := "`" + keys[i].String() + "`"
		for i++; i < len(keys) && comments[i] == ""; i++ {
			quoted += ", `" + keys[i].String() + "`"
		}
		fmt.Fprintf(&list, "- %s (%s): %s\n", quoted, keys[first].Where(), schematest.Markdown(comments[first]))
	}
	const guide, begin = "../../../testdata/api/perfetto.md", "\n- `ts` "
	document := must.Get(os.ReadFile(guide))(t)
	before, rest, _ := strings.Cut(string(document), begin)
	_, after, found := strings.Cut(rest, "\n## ")
	if !found || len(comments) != len(keys) {
		t.Fatalf("%s: no list of annotations, or %d comments of %d keys", guide, len(comments), len(keys))
	}
	schematest.Update(t, guide, before+"\n"+schematest.Links(guide, list.String())+"\n## "+after)
}

// Queries select annotations that are written.
func TestQueries(t *testing.T) {
	paths, err := filepath.Glob("../../../internal/sql/ohos/*.sql")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no queries: %v", err)
	}
	count := 0
	for _, path := range append(paths, "../../../docs/perfetto.md") {
		text := must.Get(os.ReadFile(path))(t)
		for _, match := range selected.FindAllSubmatch(text, -1) {
			count++
			name := index.ReplaceAllString(string(match[1]), "")
			for name := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune(".[*", r) }) {
				if key := named(name); key == 0 {
					t.Errorf("%s: %q is no annotation", path, match[1])
				} else if kindsOf(key) == measures {
					break // names below are those of JSON
				}
			}
		}
	}
	if count == 0 {
		t.Error("no query selects an annotation")
	}
}
