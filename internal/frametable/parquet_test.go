package frametable

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"

	"ohframe/analyzer"
)

// Parquet files have the same rows when they are read back, with the columns in order. Two
// files of the same rows have the same bytes.
func TestParquet(t *testing.T) {
	process := &analyzer.Process{PID: 2000, Name: "com.example.app"}
	render := &analyzer.Frame{
		Kind: analyzer.RenderFrame, Process: &analyzer.Process{PID: 1027, Name: "render_service"}, TID: 1027, VsyncID: 60,
		Actual: analyzer.Interval{Start: 30, End: 40}, GPU: []analyzer.Interval{{Start: 31, End: 33}, {Start: 32, End: 36}},
		Commit: analyzer.Interval{Start: 41, End: 42}, Present: 50,
	}
	app := &analyzer.Frame{
		Process: process, TID: 2001, VsyncID: 7, Actual: analyzer.Interval{Start: 10, End: 20}, Facts: analyzer.MainLate, Deadline: 15,
		Transactions: []analyzer.Sent{{Index: 5, AppliedBy: render}, {Index: 6, AppliedBy: render}}, Render: render,
	}
	empty := &analyzer.Frame{Process: process, TID: 2000, Actual: analyzer.Interval{Start: 60, End: 61}, Facts: analyzer.Empty}
	timeline := &analyzer.Timeline{Frames: []*analyzer.Frame{app, render, empty}}
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := Write(b, []Input{{Timeline: timeline}}, Options{Format: "parquet"}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same frames give different bytes")
	}
	file, err := parquet.OpenFile(bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range file.Root().Columns() {
		names = append(names, c.Name())
	}
	if !reflect.DeepEqual(names, Columns) {
		t.Errorf("columns: got %v, want %v", names, Columns)
	}
	rows, err := parquet.Read[row](bytes.NewReader(first.Bytes()), int64(first.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var want []row
	for _, f := range timeline.Frames {
		want = append(want, newRow(f))
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i := range rows {
		if rows[i].Transactions == nil {
			rows[i].Transactions = []int64{} // the library's own reading of an empty list
		}
		if rows[i].Layers == nil {
			rows[i].Layers = []string{}
		}
		if !reflect.DeepEqual(rows[i], want[i]) {
			t.Errorf("row %d: got %+v, want %+v", i, rows[i], want[i])
		}
	}
}
