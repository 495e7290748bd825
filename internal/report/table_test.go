package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/causes"
	"ohframe/internal/testing/must"
	"ohframe/internal/text"
	"ohframe/internal/view"
)

func write(t *testing.T, inputs []Input, format string, o Options) string {
	t.Helper()
	o.Style.Width = 300 // all columns
	var b bytes.Buffer
	must.Do(t, Write(&b, inputs, format, o))
	return b.String()
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
		for _, m := range regexp.MustCompile(`(?m)^  (app\d+) +[\d–]+ `).FindAllStringSubmatch(table, -1) {
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
	for _, line := range []string{"  … and 5 more that lost less time; --all lists all\n", "\n  --all shows 22 more, and everything about each process\n"} {
		must.Contain(t, brief, line)
	}
	must.Lack(t, brief, "UI work   ", "there are stages")
	// Several inputs have one hint, at the end.
	two := write(t, append(many(25), many(24)...), "table", Options{})
	if !strings.HasSuffix(two, "\n  --all shows 43 more, and everything about each process\n\n") || strings.Count(two, "everything about each process") != 1 {
		t.Errorf("two inputs:\n%s", two)
	}
	rows, blocks = names(write(t, many(25), "table", Options{Verbose: true}))
	if len(rows) != 25 || len(blocks) != 25 || rows[24] != "app24" {
		t.Errorf("verbose: rows %v, blocks %v", rows, blocks)
	}
	one := many(1)
	if table := write(t, one, "table", Options{}); !strings.Contains(table, "UI work   ") || strings.Contains(table, "--all") {
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
		must.Contain(t, table, cell)
	}
}

// The page of several traces has no panel with only a title.
func TestPooledTitle(t *testing.T) {
	page := write(t, []Input{{Name: "files", Stats: &stats.Report{}, Pool: &Pool{TraceCounts: causes.TraceCounts{Traces: 2, Measured: 2}}}}, "html", Options{})
	if empty := regexp.MustCompile(`<section class="panel">\s*<div class="head">.*</div>\s*</section>`).FindString(page); empty != "" || !strings.Contains(page, "<h2>files</h2><p>2 traces</p>") {
		t.Errorf("a panel has only a title, or there is no title: %s", empty)
	}
}

// The page opens on the worst process, whatever the order of the inputs and of their processes.
func TestFirstProcess(t *testing.T) {
	trace, other := sample()[0], sample()[1]
	reversed := trace
	reversed.Stats = &stats.Report{Processes: []*stats.Process{service(), gallery()}}
	for first, inputs := range map[string][]Input{"process-0": {trace, other}, "process-1": {other, reversed}} {
		got := write(t, inputs, "html", Options{})
		if !strings.Contains(got, `data-first="`+first+`"`) || !strings.Contains(got, `<option value="`+first+`">example.gallery`) {
			t.Errorf("the page does not open on %s, example.gallery", first)
		}
	}
}

// Each format but CSV names the inputs that were skipped.
func TestSkipped(t *testing.T) {
	for _, format := range Formats {
		out := write(t, sample(), format, Options{Skipped: []view.Input{{Name: "bad.ftrace", Skipped: "no frames at all"}}})
		must.Equal(t, strings.Contains(out, "bad.ftrace") && strings.Contains(out, "no frames at all"), format != "csv", "%s names a skipped input", format)
	}
}
