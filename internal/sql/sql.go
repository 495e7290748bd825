// Package sql contains the PerfettoSQL package ohos: modules with tables of frames
// for Perfetto's trace processor. They read the traces that this program writes:
//
//	ohos.slices           ohos_frame_slice: where the facts are in the trace
//	  ▲
//	  ├─ ohos.why         what made frames late
//	  ├─ ohos.fps         frames per second, hitches
//	  ├─ ohos.stages      where the time goes
//	  ├─ ohos.interactions   what the user did, stages of launches
//	  ├─ ohos.components     items of components, state variables
//	  ├─ ohos.refresh        refresh rates of displays, and whose votes decided them
//	  ├─ ohos.vsyncs      who asks for vsyncs and draws nothing, callbacks at a rate of their own
//	  ├─ ohos.layers      queues of buffers that are shown, and the buffers
//	  ├─ ohos.viz         what the plugin of Perfetto's UI shows
//	  └─ ohos.frames      ohos_frame, ohos_whole_frame
//	       ▲
//	       ├─ ohos.jank   rates, blame, streaks, the worst frames
//	       ├─ ohos.functions   the functions in which threads ran
//	       └─ ohos.trace_streamer    the same with the names of SmartPerf's parser
//
// A large table is made only where others search it: views compute the rest when it is asked
// for. "ohframe open" makes all of them when the UI starts, but not those of traceStreamer.
//
// The comments of a module document its tables in the format of Perfetto's modules.
//
// A trace summary specification computes metrics from these tables.
package sql

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Name is the name of the package in the trace processor.
const Name = "ohos"

// Summary is the name of the trace summary specification in Files: what Perfetto's
// "trace_processor_shell summarize" computes of each trace.
const Summary = "ohos.textproto"

// traceStreamer is the module with trace_streamer's names of tables. Some of them replace
// views of Perfetto, so it is for those who ask for it.
const traceStreamer = Name + ".trace_streamer"

// viz is the module that the plugin of Perfetto's UI includes. Its tables are no one else's.
const viz = Name + ".viz"

//go:embed ohos/*.sql ohos/ohos.textproto
var files embed.FS

// Files returns the modules, each a file NAME.sql, and the file Summary.
func Files() fs.FS {
	dir, err := fs.Sub(files, Name)
	if err != nil {
		panic(err) // only for a malformed name
	}
	return dir
}

// Modules returns the names of all modules, such as "ohos.frames", in alphabetical
// order.
func Modules() []string {
	paths, err := fs.Glob(Files(), "*.sql")
	if err != nil {
		panic(err) // only for a malformed pattern
	}
	for i, path := range paths {
		paths[i] = Name + "." + strings.TrimSuffix(path, ".sql")
	}
	return paths
}

// OwnNames returns the modules with tables for users that only add names to the trace processor,
// and replace no table: all but traceStreamer and viz.
func OwnNames() []string {
	return slices.DeleteFunc(Modules(), func(module string) bool { return module == traceStreamer || module == viz })
}

// Text returns the text of a module. The error is for a module that does not exist.
func Text(module string) (string, error) {
	name, ok := strings.CutPrefix(module, Name+".")
	text, err := fs.ReadFile(Files(), name+".sql")
	if !ok || err != nil {
		return "", fmt.Errorf("no module %q", module)
	}
	return string(text), nil
}

// include begins a statement that includes a module of this package.
const include = "INCLUDE PERFETTO MODULE " + Name + "."

// Inline returns one script that creates the objects of the given modules and of all
// modules of this package that they include. It has no comments, and runs in a trace
// processor that does not have the package.
func Inline(modules ...string) (string, error) {
	var script strings.Builder
	var done []string
	var add func(module string) error
	add = func(module string) error {
		if slices.Contains(done, module) {
			return nil
		}
		done = append(done, module) // inclusions have no cycles
		text, err := Text(module)
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			bare := strings.TrimSpace(line)
			switch {
			case bare == "" || strings.HasPrefix(bare, "--"):
			case strings.HasPrefix(bare, include): // before the module's own statements
				if err := add(strings.TrimSuffix(strings.TrimPrefix(bare, "INCLUDE PERFETTO MODULE "), ";")); err != nil {
					return err
				}
			default:
				script.WriteString(line)
			}
		}
		return nil
	}
	for _, module := range modules {
		if err := add(module); err != nil {
			return "", err
		}
	}
	return script.String(), nil
}
