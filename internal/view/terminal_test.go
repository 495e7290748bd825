package view

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/text"
)

// everything has each block that a terminal shows, and those that only pages show.
func everything() *Document {
	return &Document{
		Answer: text.Answer{Summary: "One of two frames was late.", Sentences: []string{"It was the system."}},
		Blocks: []Block{
			Section{Title: "a.ftrace", About: "1.000 s of trace", Blocks: []Block{Note{Label: "Data quality", Text: "good"}, Note{}}},
			Section{Title: "app", About: "pid 7", Article: true, ID: "app", Pick: "app", Blocks: []Block{
				Facts{Cards: true, List: []Fact{{Label: "Jank", Value: "50.0 %", Level: Warning, About: "1 late of 2 frames"}, {Label: "FPS", Value: "60.0", Unit: "Hz"}}},
				Section{Title: "Causes", Blocks: []Block{
					Ranking{List: []Rank{{Share: "87 %", Time: "52.7 ms", Title: "waiting", About: "2 frames", Advice: "do not wait"}}, Others: &Rank{Share: "13 %", Time: "7.8 ms", Title: "2 other causes", About: "--all"}},
					Cases{Key: "Frame", Amount: "Late", Text: "Cause", List: []Case{{Key: "10", Amount: "1.5 ms", Text: "it waited"}}, More: "… and 1 more"},
				}},
				Table{Columns: []Column{{Title: "Stage"}, {Bars: true}, {Title: "ms", Number: true}}, Rows: []Row{{Cells: []Cell{{Text: "UI"}, {Bars: []Bar{{Width: 1}}}, {Text: "4.0", About: "P50"}}}}, More: "one row"},
				Parts{{Group{"a", "slight"}, 2}, {Group{"b", "severe"}, 0}},
				Page{Note{Text: "only on pages"}}, Fold{Title: "folded"}, Chart{Kind: "lines"}, Terminal{Note{Text: "only here"}},
			}},
		},
	}
}

// Colour changes nothing but colours, which are the only escape codes.
func TestTerminal(t *testing.T) {
	const want = `One of two frames was late.
  It was the system.

a.ftrace  1.000 s of trace
  Data quality: good

app · pid 7 ────────────────────────────────────────────────────────────────────────────────────────

  Jank  50.0 %  1 late of 2 frames
  FPS   60.0 Hz

  Causes

  87 %  52.7 ms  waiting · 2 frames
      do not wait
  13 %   7.8 ms  2 other causes · --all

  Frame    Late  Cause
     10  1.5 ms  it waited
  … and 1 more

  Stage       ms
  UI     4.0 P50
  one row

  slight 2

  only here

`
	var b bytes.Buffer
	if err := WriteTerminal(&b, everything(), text.Style{}); err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
	b.Reset()
	err := WriteTerminal(&b, everything(), text.Style{Color: true})
	if got := regexp.MustCompile(`\x1b\[[0-9]+m`).ReplaceAllString(b.String(), ""); err != nil || got != want || b.String() == want {
		t.Errorf("with colours: %v\n%s", err, got)
	}
}

// A narrow terminal leaves columns out, the highest Drop first, and then breaks text.
func TestLayout(t *testing.T) {
	long := strings.Repeat("word ", 30)
	table := Table{
		Columns: []Column{{Title: "Name"}, {Title: "A", Number: true}, {Title: "B", Number: true, Drop: 2, Min: 20}, {Title: "C", Number: true, Drop: 1, Min: 30}},
		Rows:    []Row{{Cells: []Cell{{Text: long}, {Text: "1"}, {Text: "2"}, {Text: "3"}}}},
	}
	for width, hidden := range map[int]string{80: "no room for B", 140: ""} {
		var b bytes.Buffer
		must.Do(t, WriteTerminal(&b, &Document{Blocks: []Block{table}}, text.Style{Width: width}))
		for line := range strings.Lines(b.String()) {
			if n := text.Width(strings.TrimSpace(line)); n > width {
				t.Errorf("width %d: %d columns in %q", width, n, line)
			}
		}
		if (hidden != "") != strings.Contains(b.String(), "no room for") || !strings.Contains(b.String(), hidden) {
			t.Errorf("width %d:\n%s", width, b.String())
		}
	}
}

// The page of a document has what only pages show, and no text of a trace as markup.
func TestHTML(t *testing.T) {
	d := everything()
	d.Blocks = append(d.Blocks, Note{Text: "<script>evil()</script>"}, Table{Columns: []Column{{Title: "<b>"}}, Rows: []Row{{Cells: []Cell{{Text: "</td>", Command: true}}}}})
	d.Shared = map[string]string{"name": "</script><img src=x>"}
	var b bytes.Buffer
	must.Do(t, WriteHTML(&b, d))
	page := b.String()
	for _, want := range []string{"only on pages", `<option value="app">app</option>`, "<summary>folded</summary>", `data-chart="lines"`, "&lt;script&gt;evil", "&lt;/td&gt;"} {
		must.Contain(t, page, want)
	}
	for _, not := range []string{"only here", "<script>evil", "<img src=x>"} {
		must.Lack(t, page, not)
	}
}

type record struct {
	Name   string   `json:"name" parquet:"name"`
	Count  *int64   `json:"count" parquet:"count,optional"`
	Late   bool     `json:"late" parquet:"late"`
	Layers []string `json:"layers" parquet:"layers,list"`
}

func TestRecords(t *testing.T) {
	n := int64(7)
	rows := Records[record](func(yield func(record) bool) {
		_ = yield(record{Name: "=1+1", Count: &n, Late: true, Layers: []string{"a", "b"}}) && yield(record{Name: `x,"y"`})
	})
	var b bytes.Buffer
	const want = "name,count,late,layers\n'=1+1,7,true,a; b\n\"x,\"\"y\"\"\",,false,\n"
	if err := rows.WriteCSV(&b); err != nil || b.String() != want {
		t.Errorf("%v\n%s", err, b.String())
	}
	must.Equal(t, RecordCell(record{Name: "a", Count: &n}, "count"), "7", "the cell")
}

// Names can be broken after their parts, numbers and words cannot.
func TestSoft(t *testing.T) {
	for s, want := range map[string]string{
		"com.example.a13": "com.<wbr>example.<wbr>a13", "oh_flutter_1Surface": "oh_<wbr>flutter_<wbr>1Surface", ".example.player": ".example.<wbr>player",
		"a::b <c/d>": "a::<wbr>b &lt;c/<wbr>d&gt;", "90 % of 16.7 ms, 1:30. The": "90 % of 16.7 ms, 1:30. The", "pages/Index": "pages/<wbr>Index", "…": "…", "": "",
	} {
		must.Equal(t, string(soft(s)), want, "%q", s)
	}
}

// Tiles fill their rows: the last has at most one less than the others for each row.
func TestTiles(t *testing.T) {
	for _, c := range []struct{ n, most, want int }{{0, 7, 0}, {1, 7, 1}, {6, 7, 6}, {7, 7, 7}, {8, 7, 4}, {9, 7, 5}, {7, 4, 4}, {5, 4, 3}, {9, 4, 3}} {
		must.Equal(t, tiles(c.n, c.most), c.want, "%d tiles, at most %d", c.n, c.most)
	}
}
