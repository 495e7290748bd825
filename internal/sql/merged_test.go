package sql_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/sample"
	"ohframe/exporter/pftrace"
	"ohframe/internal/diff"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/sql"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// The modules give each side of a merged trace the rows that it has alone. The second trace of a
// pair is moved by an hour.
func TestMerged(t *testing.T) {
	enginetest.ForTest(t)
	traces := mergeable(t)
	names := slow.Of([]string{"functions", "layers"}, []string{"demo", "flings", "functions", "layers", "harmonyos-6.1-video-90hz"})
	alone := map[string]map[string]rows{}
	for _, name := range names {
		if _, ok := traces[name]; !ok {
			t.Fatalf("no trace %s", name)
		}
		alone[name] = rowsOf(t, load(t, traces[name]), 0)
	}
	for _, fixed := range names {
		for _, moved := range names {
			if !slow.Enabled() && !(moved == "functions" && fixed != moved) {
				continue
			}
			t.Run(fmt.Sprint(fixed, " and ", moved), func(t *testing.T) {
				var both bytes.Buffer
				write := func(name string) func(io.Writer) error {
					return func(w io.Writer) error { _, err := w.Write(traces[name]); return err }
				}
				must.Do(t, diff.JoinPackets(&both, write(fixed), write(moved), hour+1, 1, [2]string{"base: a", "new: b"}))
				session := load(t, both.Bytes())
				enginetest.CheckGate(t, session)
				for machine, name := range []string{fixed, moved} {
					for table, got := range rowsOf(t, session, machine) {
						compare(t, name+": "+table, got, alone[name][table])
					}
				}
			})
		}
	}
}

const hour = 3_600_000_000_000

// mergeable returns converted traces by name: those of testdata, and a capture.
func mergeable(t *testing.T) map[string][]byte {
	t.Helper()
	list := map[string][]byte{}
	for _, path := range []string{"demo.ftrace", "flings.ftrace.gz", "functions.ftrace.gz", "layers.ftrace.gz", "captures/harmonyos-6.1-video-90hz.ftrace"} {
		var text io.Reader
		file := must.Get(os.Open(filepath.Join("../../testdata", path)))(t)
		if text = file; strings.HasSuffix(path, ".gz") {
			text = must.Get(gzip.NewReader(file))(t)
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".ftrace")
		options := analysis.Options{Causes: true}
		if recording, err := os.ReadFile("../../testdata/" + name + ".perf.data"); err == nil {
			options.Samples = func() (*sample.Recording, error) {
				return analysis.ReadSamples(bytes.NewReader(recording), int64(len(recording)), perfdata.Options{})
			}
		}
		list[name], _ = convert(t, text, pftrace.Options{Analysis: options})
		file.Close()
	}
	return list
}

// declaration is a table of a module, up to its query.
var declaration = regexp.MustCompile(`(?ms)^CREATE OR REPLACE PERFETTO (?:TABLE|VIEW) ([a-z]\w*)\((.*?)^\)\nAS`)

// typed is a column with its type.
var typed = regexp.MustCompile(`(?m)^  (\w+) ([A-Z][\w.()]*),?$`)

// rowsOf returns the rows of a machine in the tables of all modules. Instead of ids they have what
// these lead to, and times are those of the trace alone.
func rowsOf(t *testing.T, session *engine.Session, machine int) map[string]rows {
	t.Helper()
	list := map[string]rows{}
	for _, module := range modules(t) {
		query(t, session, "INCLUDE PERFETTO MODULE ohos."+module+"; SELECT 1")
		text := must.Get(fs.ReadFile(sql.Files(), module+".sql"))(t)
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			if cells, side := cellsOf(typed.FindAllStringSubmatch(m[2], -1), machine*hour); side != "" {
				list[m[1]] = query(t, session, fmt.Sprintf("SELECT %s FROM %s AS r WHERE %s = %d", cells, m[1], side, machine))
			}
		}
	}
	return list
}

// cellsOf returns the columns of a table r as expressions, and one for the machine of a row. Numbers
// of rows are left out, and so are tables of nothing else.
func cellsOf(columns [][]string, moved int) (cells, machine string) {
	var values, machines []string
	for _, c := range columns {
		value := "r." + c[1]
		of := func(what, table, id string) {
			machines = append(machines, fmt.Sprintf("(SELECT machine_id FROM %s WHERE %s = %s)", table, id, value))
			value = fmt.Sprintf("(SELECT %s FROM %s WHERE %s = %s)", what, table, id, value)
		}
		switch kind := strings.TrimPrefix(c[2], "JOIN"); {
		case kind == "ID(process.id)":
			of("pid", "process", "upid")
		case kind == "ID(thread.id)":
			of("tid", "thread", "utid")
		case kind == "ID(track.id)":
			of("name", "track", "id")
		case kind == "ID(slice.id)":
			machines = append(machines, "(SELECT t.machine_id FROM slice AS s JOIN track AS t ON t.id = s.track_id WHERE s.id = "+value+")")
			value = fmt.Sprintf("(SELECT name || ' ' || (ts - %d) FROM slice WHERE id = %s)", moved, value)
		case kind == "ID(machine.id)", kind == "ARGSETID", rowNumbers[c[1]] && (kind == "LONG" || kind == "STRING"):
			continue
		case kind == "TIMESTAMP", c[1] == "end_time": // which is -1 if it is unknown
			value = fmt.Sprintf("iif(%[1]s >= 0, %[1]s - %[2]d, %[1]s)", value, moved)
		}
		values = append(values, value)
	}
	if len(machines) == 0 {
		return "", ""
	}
	return strings.Join(values, ", "), "coalesce(" + strings.Join(machines, ", ") + ", NULL)"
}

// rowNumbers are the columns of trace_streamer's tables that number rows, and what depends on these.
var rowNumbers = map[string]bool{"id": true, "rowid": true, "src": true, "dst": true, "frame_row": true, "src_row": true, "dst_row": true}
