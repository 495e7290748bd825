package exporter

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ohframe/internal/testing/engine/enginetest"
)

// Of traces that follow one another Perfetto shows each as it shows it alone:
// slices that are open where the other begins end there.
func TestJoinedTraces(t *testing.T) {
	enginetest.ForTest(t)
	demo, err := os.ReadFile("../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(demo), "\n")
	timeColumn := regexp.MustCompile(`(?m)(\] [^ ]+ +)(\d+)(\.\d+: )`)
	later := timeColumn.ReplaceAllStringFunc(string(demo), func(column string) string {
		m := timeColumn.FindStringSubmatch(column)
		at, _ := strconv.Atoi(m[2])
		return m[1] + strconv.Itoa(at+100) + m[3]
	})
	// counts returns how many slices of threads, frames and arrows Perfetto
	// finds.
	counts := func(text string) ([3]int, *Summary) {
		data, summary := convert(t, text, Options{})
		checkCounts(t, text, data, summary)
		session := enginetest.Load(t, data)
		gate, err := session.Gate()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range gate.Rows {
			// What runs when the second trace begins is not what the first saw last.
			if row[0] != "mismatched_sched_switch_tids" {
				t.Errorf("the trace processor reports %v", row)
			}
		}
		// A report is on the whole input.
		if got := query(t, session, `SELECT s.name, ts, dur FROM slice s JOIN track t ON t.id = track_id
			WHERE ts < 3800000000000 AND ts + dur > 3800000000000 AND t.name IS NOT 'Report'`); len(got) > 0 {
			t.Errorf("slices of both traces: %v", got)
		}
		var n [3]int
		for i, table := range []string{"slice JOIN thread_track ON thread_track.id = track_id", "actual_frame_timeline_slice", "flow"} {
			if n[i], err = strconv.Atoi(query(t, session, "SELECT count(*) FROM "+table)[0]); err != nil {
				t.Fatal(err)
			}
		}
		return n, summary
	}
	second, _ := counts(later)
	closed := 0
	for _, cut := range []int{700, 2102} {
		text := strings.Join(lines[:cut], "")
		first, _ := counts(text)
		both, summary := counts(text + later)
		for i := range both {
			if both[i] != first[i]+second[i] || first[i] == 0 {
				t.Errorf("cut at line %d: %v of the first and %v of the second are %v together", cut, first, second, both)
			}
		}
		closed += summary.Closed
	}
	if closed == 0 {
		t.Error("nothing was open where the second trace began: this tests nothing")
	}
}
