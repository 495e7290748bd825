package frametable

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
)

func manyFrames(n int, name string) *analyzer.Timeline {
	p := &analyzer.Process{PID: 1, Name: name}
	t := &analyzer.Timeline{Processes: []*analyzer.Process{p}}
	for i := range n {
		start := trace.Time(1e9 + i)
		t.Frames = append(t.Frames, &analyzer.Frame{Process: p, TID: 1, VsyncID: int64(i), Actual: analyzer.Interval{Start: start, End: start + 5}})
	}
	return t
}

// The memory of writing does not grow with the table.
func TestMemory(t *testing.T) {
	slow.Skip(t)
	timeline := manyFrames(400_000, "com.example.app") // 300 MB of rows
	for format, most := range map[string]uint64{"table": 40 << 20, "csv": 40 << 20, "json": 40 << 20, "parquet": 120 << 20} {
		t.Run(format, func(t *testing.T) {
			hostiletest.CheckPeak(t, most, func() {
				must.NoError(t, Write(io.Discard, []Input{{Timeline: timeline}}, Options{Format: format}))
			})
		})
	}
}

// Names of processes and layers stay in their cells, and do no harm there. JSON and CSV have
// them as they were; CSV marks what a spreadsheet would run.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{
		"a\tb\nc", "\x1b[31mred\x07", "\u202eevil", `"quoted",=1+1`, `a,"b",c`, " a b ", "界面", strings.Repeat("x", 64<<10),
		"=cmd|' /C calc'!A1", "@SUM(1)", "+1", "-1", "\t=1", "</script>", "\xff\xfe",
	} {
		f := twoLayers()
		f.Process.Name, f.Android.Timeline.Surfaces[0].Name = name, name
		l := &analyzer.Layer{ID: 1, Name: name, Process: f.Process}
		l.Buffers = []*analyzer.Buffer{{Layer: l, Queued: 110}}
		timeline := &analyzer.Timeline{Frames: []*analyzer.Frame{f}, Layers: []*analyzer.Layer{l}}
		for kind, cells := range map[string]map[string]string{
			"app": {"process": name, "layers": name + "; popup#11"}, KindLayer: {"process": name, "layer": name},
		} {
			write := func(format string) string {
				var b strings.Builder
				must.Do(t, Write(&b, []Input{{Timeline: timeline}}, Options{Format: format, Kinds: []string{kind}, Style: text.Style{Width: 500}}))
				return b.String()
			}
			table, _, _ := strings.Cut(write("table"), "  no room for ")
			if strings.Count(table, "\n") != 2 || strings.ContainsFunc(table, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
				t.Errorf("%.100q: the table is %.200q", name, table)
			}
			rows, err := csv.NewReader(strings.NewReader(write("csv"))).ReadAll()
			if err != nil || len(rows) != 2 {
				t.Errorf("%.100q: %d rows, %v", name, len(rows), err)
				continue
			}
			for column, want := range cells {
				cell := rows[1][slices.Index(columns, column)]
				if strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) || strings.TrimPrefix(cell, "'") != want {
					t.Errorf("%.100q: %s is %.100q", name, column, cell)
				}
			}
			var d struct{ Frames []row }
			if err := json.Unmarshal([]byte(write("json")), &d); err != nil || utf8.ValidString(name) && d.Frames[0].Process != name {
				t.Errorf("%.100q: JSON has %.300v, %v", name, d.Frames, err)
			}
			write("parquet")
		}
	}
}
