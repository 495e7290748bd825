package report

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/rating"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

func write(t *testing.T, inputs []Input, format string, o Options) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, Write(&b, inputs, format, o))
	return b.String()
}

// Each format but CSV names the inputs that were skipped.
func TestSkipped(t *testing.T) {
	for _, format := range Formats {
		out := write(t, sample(), format, Options{Skipped: []view.Input{{Name: "bad.ftrace", Skipped: "no frames at all"}}})
		must.Equal(t, strings.Contains(out, "bad.ftrace") && strings.Contains(out, "no frames at all"), (format != "csv"), "%s names a skipped input", format)
	}
	if out := write(t, sample(), "json", Options{}); !strings.Contains(out, `"skipped": []`) && !strings.Contains(out, `"skipped":[]`) {
		t.Error("JSON has no empty list")
	}
	var many []view.Input
	for i := range 30 {
		many = append(many, view.Input{Name: fmt.Sprint("bad", i), Skipped: "no trace"})
	}
	if out := write(t, sample(), "table", Options{Skipped: many}); strings.Count(out, "no trace") != 10 || !strings.Contains(out, "\nSkipped: bad0: no trace\n") || !strings.Contains(out, "20 more inputs skipped") {
		t.Errorf("many skipped inputs:\n%.800s", out)
	}
}

func TestTableFits(t *testing.T) {
	long := gallery()
	long.Name = strings.Repeat("com.example.", 20)
	long.PID, long.Frames.Complete, long.Frames.Late = 4194303, 1234567, 123456
	long.JankRate = known(.9999)
	long.FPS.Rate, long.Hitches.Ratio, long.Durations.Max = known(120.5), known(999.9), 7*trace.Second
	for range 10 { // a display that never keeps its rate
		long.Refresh = append(long.Refresh, long.Refresh[:2]...)
	}
	named := flings() // long
	named.Timeline.Interactions[1].Scene, named.Timeline.Interactions[1].Page = strings.Repeat("VERY_LONG_SCENE_", 12), strings.Repeat("pages/", 40)
	named.Timeline.Processes[1].Name = long.Name
	named.Timeline.Interactions[3].Stages[1].Name, named.Timeline.Hangs[0].Slice = strings.Repeat("Stage of a launch ", 20), strings.Repeat("Slice::", 50)
	inputs := append(sample(), film(), Input{Name: strings.Repeat("directory/", 30), Stats: &stats.Report{Processes: []*stats.Process{long}}})
	for _, o := range []Options{
		{}, {Verbose: true}, {Verbose: true, Style: text.Style{Color: true}}, {Style: text.Style{Width: 80}},
		{Verbose: true, Style: text.Style{Width: 80}}, {Style: text.Style{Width: 100}}, {Verbose: true, Style: text.Style{Width: 130}}, {Style: text.Style{Width: 160}},
	} {
		inputs := inputs
		if o.Style.Width > 0 { // a file leaves out no columns of interactions and layers
			inputs = append(slices.Clone(inputs), inputOf("named", named.Timeline), screen())
		}
		for i, line := range strings.Split(write(t, inputs, "table", o), "\n") {
			if n := text.Width(line); n > cmp.Or(o.Style.Width, text.DefaultWidth) {
				t.Errorf("%+v: line %d has %d columns: %q", o, i+1, n, line)
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("line %d ends in spaces: %q", i+1, line)
			}
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	err := Write(&bytes.Buffer{}, sample(), "xml", Options{})
	if err == nil || err.Error() != `format "xml": not one of table, json, csv, html, junit, markdown` {
		t.Errorf("error %v", err)
	}
}

// many returns a report of n processes. Number i has i late frames of a hundred; of the last
// it is unknown which are late.
func many(n int) []Input {
	r := &stats.Report{}
	for i := range n {
		p := gallery()
		p.PID, p.Name = trace.PID(100+i), fmt.Sprintf("app%d", i)
		p.JankRate, p.Frames.Late = known(float64(i)/100), i
		if i == n-1 {
			p.JankRate, p.Frames.Late = nil, 0
		}
		p.Hitches = nil
		r.Processes = append(r.Processes, p)
	}
	return []Input{{Name: "trace.ftrace", Stats: r}}
}

// The table of many processes fits a screen or two. It begins with those that have the most
// late frames.
func TestBrief(t *testing.T) {
	names := func(table string) (rows, blocks []string) {
		for _, m := range regexp.MustCompile(`(?m)^  (app\d+) +\d+ `).FindAllStringSubmatch(table, -1) {
			rows = append(rows, m[1])
		}
		for _, m := range regexp.MustCompile(`(?m)^(app\d+) · `).FindAllStringSubmatch(table, -1) {
			blocks = append(blocks, m[1])
		}
		return rows, blocks
	}
	brief := write(t, many(25), "table", Options{})
	if n := strings.Count(brief, "\n"); n > 80 {
		t.Errorf("%d lines", n)
	}
	rows, blocks := names(brief)
	if len(rows) != 20 || rows[0] != "app23" || rows[1] != "app22" || strings.Join(blocks, " ") != "app23 app22 app21" {
		t.Errorf("rows %v, blocks %v", rows, blocks)
	}
	for _, line := range []string{"  … and 5 more that lost less time; --verbose lists all\n", "\n  --verbose shows 22 more, and everything about each process\n"} {
		if !strings.Contains(brief, line) {
			t.Errorf("no line %q", line)
		}
	}
	if strings.Contains(brief, "UI work   ") {
		t.Error("there are stages")
	}
	// Several inputs have one hint, at the end.
	two := write(t, append(many(25), many(24)...), "table", Options{})
	if !strings.HasSuffix(two, "\n  --verbose shows 43 more, and everything about each process\n\n") || strings.Count(two, "everything about each process") != 1 {
		t.Errorf("two inputs:\n%s", two)
	}
	rows, blocks = names(write(t, many(25), "table", Options{Top: 2}))
	if len(rows) != 2 || len(blocks) != 2 {
		t.Errorf("top 2: rows %v, blocks %v", rows, blocks)
	}
	rows, blocks = names(write(t, many(25), "table", Options{Verbose: true}))
	if len(rows) != 25 || len(blocks) != 25 || rows[24] != "app24" {
		t.Errorf("verbose: rows %v, blocks %v", rows, blocks)
	}
	one := many(1)
	if table := write(t, one, "table", Options{}); !strings.Contains(table, "UI work   ") || strings.Contains(table, "--verbose") {
		t.Errorf("one process:\n%s", table)
	}
}

// Values are coloured by thresholds.
func TestThresholds(t *testing.T) {
	in := many(3)[:1]
	for i, ratio := range []float64{4, 7, 11} {
		in[0].Stats.Processes[i].Hitches = &stats.Hitches{Ratio: &ratio, Hitches: 1}
	}
	table := write(t, in, "table", Options{Style: text.Style{Color: true}})
	for _, cell := range []string{" 4.0 ", "\x1b[33m7.0\x1b[0m", "\x1b[31m11.0\x1b[0m"} {
		if !strings.Contains(table, cell) {
			t.Errorf("no %q in\n%s", cell, table)
		}
	}
	higher := must.Get(rating.Parse("hitch_ratio=8:20"))(t)
	table = write(t, in, "table", Options{Style: text.Style{Color: true}, Thresholds: &higher})
	for _, cell := range []string{" 7.0 ", "\x1b[33m11.0\x1b[0m"} {
		if !strings.Contains(table, cell) {
			t.Errorf("other thresholds: no %q in\n%s", cell, table)
		}
	}
}

// The time that the frame rate is measured over does not include gaps between traces.
func TestShownTime(t *testing.T) {
	in := sample()
	fps := in[0].Stats.Processes[0].FPS // 143 gaps
	fps.Rate, fps.All, fps.Last = known(71.5), 71.5, fps.First.Add(12*trace.Second)
	if got := write(t, in, "table", Options{}); !strings.Contains(got, "144 presents in 2.000 s") {
		t.Errorf("got\n%s", got)
	}
}
