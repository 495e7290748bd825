package report

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

func write(t *testing.T, inputs []Input, format string, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, inputs, format, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The golden was read line by line against sample.
func TestTable(t *testing.T) {
	got := write(t, sample(), "table", Options{})
	want, err := os.ReadFile("testdata/table.txt")
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("line %d differs from testdata/table.txt:\n%s", i+1, got)
		}
	}
}

func TestTableFits(t *testing.T) {
	long := gallery()
	long.Name = strings.Repeat("com.example.", 20)
	long.PID, long.Frames.Complete, long.Frames.Late = 4194303, 1234567, 123456
	long.JankRate = known(.9999)
	long.FPS.Rate, long.Hitches.Ratio, long.Durations.Max = 120.5, 999.9, 700*trace.Second
	for range 10 { // a display that never keeps its rate
		long.Refresh = append(long.Refresh, long.Refresh[:2]...)
	}
	inputs := append(sample(), film(), Input{Name: strings.Repeat("directory/", 30), Stats: &stats.Report{Processes: []*stats.Process{long}}})
	for _, color := range []bool{false, true} {
		for i, line := range strings.Split(write(t, inputs, "table", Options{Color: color}), "\n") {
			if n := text.Width(line); n > text.LineWidth {
				t.Errorf("line %d has %d columns: %q", i+1, n, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("line %d ends in spaces: %q", i+1, line)
			}
		}
	}
}

// Colour changes nothing but colours, and is the only source of escape codes.
func TestTableColor(t *testing.T) {
	plain, coloured := write(t, sample(), "table", Options{}), write(t, sample(), "table", Options{Color: true})
	if strings.ContainsAny(plain, "\x1b\u202e") {
		t.Error("the plain table has control characters")
	}
	codes := regexp.MustCompile(`\x1b\[(0|1|2|31|33)m`)
	if !codes.MatchString(coloured) {
		t.Error("there are no colours")
	}
	if got := codes.ReplaceAllString(coloured, ""); got != plain {
		t.Errorf("without its colours the table is\n%s", got)
	}
}

// Which width a terminal gives to characters such as "–" depends on the
// language; the table does not.
func TestTableInChinese(t *testing.T) {
	want := write(t, sample(), "table", Options{})
	pretty.OverrideRuneWidthEastAsianWidth(true)
	if got := write(t, sample(), "table", Options{}); got != want {
		t.Error("the table depends on the language")
	}
}

func TestUnknownFormat(t *testing.T) {
	err := Write(&bytes.Buffer{}, sample(), "xml", Options{})
	if err == nil || err.Error() != `format "xml": not one of table, json, csv, html` {
		t.Errorf("error %v", err)
	}
}
