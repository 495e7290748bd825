package frametable

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
)

// The columns of a cause are those of the largest share. A frame on time has none, and
// one whose cause is unknown has only that outcome and how sure it is.
func TestCauses(t *testing.T) {
	process := &analyzer.Process{PID: 2000, Name: "com.example.app"}
	late := &analyzer.Frame{Process: process, TID: 2000, VsyncID: 7}
	unknown := &analyzer.Frame{Process: process, TID: 2000, VsyncID: 8}
	onTime := &analyzer.Frame{Process: process, TID: 2000, VsyncID: 9}
	timeline := &analyzer.Timeline{Frames: []*analyzer.Frame{late, unknown, onTime}}
	causes := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{
		late: {Frame: late, Outcome: why.OneCause, Confidence: 1, Lost: 5, Shares: []why.Share{
			{Stage: why.StageBuild, Wait: why.WaitBinder, Slice: "=cmd", Value: 9, Usual: 0, Share: 4, Culprit: &why.Culprit{TID: 3, Process: "media", Thread: "OS_IPC_3"}},
			{Stage: why.StageLayout, Wait: why.Run, Slice: "FlushLayoutTask", Value: 8, Usual: 6, Share: 1},
		}},
		unknown: {Frame: unknown, Outcome: why.NotKnown, Lost: 5, Shares: []why.Share{{Wait: why.WaitUnknown, Value: 9, Share: 5}}},
		onTime:  {Frame: onTime},
	}}
	write := func(format string, causes *why.Causes) *bytes.Buffer {
		var b bytes.Buffer
		if err := Write(&b, []Input{{Timeline: timeline, Causes: causes}}, Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		return &b
	}
	for _, c := range []struct {
		causes *why.Causes
		want   [3]string
	}{
		{causes, [3]string{"cause,binder,build,'=cmd,9,0,4,media:OS_IPC_3,medium", "unknown,,,,,,,,high", ",,,,,,,,"}},
		{nil, [3]string{",,,,,,,,", ",,,,,,,,", ",,,,,,,,"}},
	} {
		rows, err := csv.NewReader(write("csv", c.causes)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		columns := []string{"verdict", "cause_wait", "cause_stage", "cause_slice", "cause_ns", "cause_usual_ns", "cause_share_ns", "culprit", "confidence"}
		first := slices.Index(rows[0], columns[0])
		end := first + len(columns)
		if !slices.Equal(rows[0][first:end], columns) {
			t.Errorf("the columns of causes are %q", rows[0][first:end])
		}
		for i, want := range c.want {
			if got := strings.Join(rows[i+1][first:end], ","); got != want {
				t.Errorf("row %d: %s, want %s", i, got, want)
			}
		}
	}
	// The table has the words of why, with both ends of what is too long.
	for _, line := range []string{"  waiting for another process's reply in =cmd: media:OS_IPC_3\n", "  unknown\n", "  –\n"} {
		if table := write("table", causes).String(); !strings.Contains(table, line) {
			t.Errorf("no %q in\n%s", line, table)
		}
	}
	var d struct{ Frames []map[string]any }
	if err := json.Unmarshal(write("json", causes).Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if f := d.Frames[0]; f["cause_slice"] != "=cmd" || f["cause_usual_ns"] != 0.0 || f["cause_share_ns"] != 4.0 {
		t.Errorf("json: %v", f)
	}
	if f := d.Frames[1]; f["verdict"] != "unknown" || !strings.HasPrefix(f["cause"].(string), "cause unknown: ") || f["cause_wait"] != nil {
		t.Errorf("json: %v", f)
	}
}

// A late buffer has its reason, or the cause of the late frame that drew it. One that is not late
// has none.
func TestBufferCauses(t *testing.T) {
	timeline := video()
	c := &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{}, Buffers: map[*analyzer.Buffer]*why.Explanation{}}
	var late *analyzer.Buffer
	for _, b := range timeline.Layers[0].Buffers {
		c.Frames[b.Frame] = &why.Explanation{Frame: b.Frame, Outcome: why.NotKnown, Lost: 5}
		if b.Pace == analyzer.Late {
			late = b
		}
	}
	columns := []string{"verdict", "reason", "cause_wait", "cause_slice", "cause_ns", "cause_share_ns", "culprit"}
	check := func(want, brief string) {
		t.Helper()
		in := []Input{{Timeline: timeline, Causes: c}}
		var b bytes.Buffer
		if err := Write(&b, in, Options{Format: "csv", Kinds: []string{KindLayer}}); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows[1:] {
			var got []string
			for _, name := range columns {
				got = append(got, r[slices.Index(rows[0], name)])
			}
			want := want
			isLate := r[slices.Index(rows[0], "late")] == "true"
			if !isLate {
				want = ",,,,,,"
			}
			if got := strings.Join(got, ","); got != want || isLate != (r[slices.Index(rows[0], "cause")] != "") {
				t.Errorf("%s, want %s; %q", got, want, r)
			}
		}
		b.Reset()
		if err := Write(&b, in, Options{Format: "table", Kinds: []string{KindLayer}, Late: true}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.String(), "  "+brief+"\n") {
			t.Errorf("the table does not end with %q:\n%s", brief, b.String())
		}
	}
	check("unknown,,,,,,", "unknown")

	late.Frame.Facts = 0 // it was in time
	late.Frame.Deadline = 0
	c.Buffers[late] = &why.Explanation{Buffer: late, End: late.Present, Lost: late.Overrun(), Outcome: why.QueuedLate, Shares: []why.Share{
		{Stage: why.StageProduce, Wait: why.WaitBinder, Slice: "ReadFrame", Value: 12, Usual: 2, Share: late.Overrun(), Culprit: &why.Culprit{TID: 3, Process: "media", Thread: "OS_IPC_3"}},
	}}
	check(",queued_late,binder,ReadFrame,12,10000000,media:OS_IPC_3", causetext.BufferTitle(&why.BufferCost{Outcome: why.QueuedLate, Share: &c.Buffers[late].Shares[0]}))
	c.Buffers[late] = &why.Explanation{Buffer: late, End: late.Present, Lost: late.Overrun(), Outcome: why.ShownLate}
	check(",shown_late,,,,,", "shown late by render_service")
}
