package frametable

import (
	"bytes"
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
	"ohframe/internal/testing/slow"
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
				if err := Write(io.Discard, []Input{{Timeline: timeline}}, Options{Format: format}); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Names stay in their cells, and do no harm there.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"a\tb\nc", "\x1b[31mred\x07", "\u202eevil", `"quoted",=1+1`, strings.Repeat("x", 64<<10), "=cmd|' /C calc'!A1", "@SUM(1)", "+1", "-1", "\t=1", "</script>", "\xff\xfe"} {
		timeline := manyFrames(2, name)
		var b bytes.Buffer
		write := func(format string) string {
			b.Reset()
			if err := Write(&b, []Input{{Timeline: timeline}}, Options{Format: format}); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		table := write("table")
		if strings.Count(table, "\n") != 3 || strings.ContainsFunc(table, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("%q: the table is %.200q", name, table)
		}
		rows, err := csv.NewReader(strings.NewReader(write("csv"))).ReadAll()
		if err != nil || len(rows) != 3 || len(rows[1]) != len(Columns) {
			t.Errorf("%.100q: %d rows, %v", name, len(rows), err)
			continue
		}
		cell := rows[1][1]
		if strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) || strings.TrimPrefix(cell, "'") != name {
			t.Errorf("%.100q: the cell is %.100q", name, cell)
		}
		var d struct{ Frames []row }
		if err := json.Unmarshal([]byte(write("json")), &d); err != nil || len(d.Frames) != 2 || utf8.ValidString(name) && d.Frames[0].Process != name {
			t.Errorf("%.100q: JSON is %.300s, %v", name, b.String(), err)
		}
		write("parquet")
	}
}

// The same is true for layers.
func TestHostileLayers(t *testing.T) {
	for _, name := range []string{"a\tb\nc", "\x1b[31mred\x07", "\u202eevil", `"quoted",=1+1`, "=cmd|' /C calc'!A1", "@SUM(1)", "-1", "\xff\xfe"} {
		f := twoLayers()
		f.Android.Timeline.Layers[0].Name = name
		timeline := &analyzer.Timeline{Frames: []*analyzer.Frame{f}}
		for _, layers := range []bool{false, true} {
			lines := 2
			if layers {
				lines = 3
			}
			write := func(format string) *bytes.Buffer {
				var b bytes.Buffer
				if err := Write(&b, []Input{{Timeline: timeline}}, Options{Format: format, Layers: layers}); err != nil {
					t.Fatal(err)
				}
				return &b
			}
			table := write("table").String()
			if strings.Count(table, "\n") != lines || strings.ContainsFunc(table, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
				t.Errorf("%q: the table is %q", name, table)
			}
			rows, err := csv.NewReader(write("csv")).ReadAll()
			if err != nil || len(rows) != lines || len(rows[1]) != len(Columns) {
				t.Errorf("%q: %d rows, %v", name, len(rows), err)
				continue
			}
			cell := rows[1][slices.Index(Columns, "layers")]
			want := name
			if !layers {
				want += "; popup#11"
			}
			if strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) || strings.TrimPrefix(cell, "'") != want {
				t.Errorf("%q: the cell is %q", name, cell)
			}
			var d struct{ Frames []row }
			if err := json.Unmarshal(write("json").Bytes(), &d); err != nil || utf8.ValidString(name) && d.Frames[0].Layers[0] != name {
				t.Errorf("%q: JSON has %+v, %v", name, d.Frames, err)
			}
		}
	}
}
