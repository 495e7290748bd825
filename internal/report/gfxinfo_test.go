package report

import (
	"encoding/json"
	"strings"
	"testing"

	"ohframe/analyzer/gfxinfo"
	"ohframe/analyzer/stats"
)

// dump is of one frame, of 12 ms, of the six that gfxinfo has counted.
const dump = `** Graphics info for pid 4321 [com.example.app] **

Stats since: 1000000ns
Total frames rendered: 6
Janky frames: 2 (33.33%)
90th percentile: 24ms

Window: com.example.app/<b>Main
Total frames rendered: 5
---PROFILEDATA---
Flags,IntendedVsync,Vsync,SyncQueued,SyncStart,IssueDrawCommandsStart,SwapBuffers,FrameCompleted,
0,1000000000,1000000000,1001000000,1002000000,1003000000,1010000000,1012000000,
---PROFILEDATA---
`

func TestGfxinfo(t *testing.T) {
	timeline, read, err := gfxinfo.Read(t.Context(), strings.NewReader(dump), gfxinfo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	inputs := []Input{{Name: "dump.txt", Stats: stats.Compute(timeline, stats.Options{}), Timeline: timeline, Gfxinfo: read}}

	var got document
	if err := json.Unmarshal([]byte(write(t, inputs, "json", Options{})), &got); err != nil {
		t.Fatal(err)
	}
	list := got.Inputs[0].Gfxinfo
	if len(list) != 2 || list[0].PID != 4321 || list[0].Process != "com.example.app" || list[0].Window != "" || list[1].Window != "com.example.app/<b>Main" {
		t.Fatalf("gfxinfo is %+v", list)
	}
	number := func(s gfxinfoSummary, name string) (printed, computed string) {
		for _, l := range s.Lines {
			if l.Name == name {
				return whole(l.Printed), whole(l.Computed)
			}
		}
		return "no line", "no line"
	}
	for _, c := range []struct {
		of                      int
		line, printed, computed string
	}{
		{0, "Total frames rendered", "6", "1"},
		{0, "Janky frames", "2", "–"},      // one row does not tell the frame interval
		{0, "90th percentile", "24", "11"}, // without the wait for SyncStart
		{0, "Number Missed Vsync", "no line", "no line"},
		{1, "Total frames rendered", "5", "1"},
	} {
		printed, computed := number(list[c.of], c.line)
		if printed != c.printed || computed != c.computed {
			t.Errorf("%s of %d: printed %s, computed %s, want %s, %s", c.line, c.of, printed, computed, c.printed, c.computed)
		}
	}

	table := write(t, inputs, "table", Options{})
	for _, line := range []string{"gfxinfo of com.example.app (4321) ──", "gfxinfo of com.example.app (4321), window com.example.app/<b>Main ──"} {
		if !strings.Contains(table, line) {
			t.Errorf("the table has no %q:\n%s", line, table)
		}
	}
	page := write(t, inputs, "html", Options{})
	if !strings.Contains(page, "window com.example.app/&lt;b&gt;Main</summary>") {
		t.Error("the page has no summary of the window")
	}
}
