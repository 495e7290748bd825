package pftrace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
)

// printed is a marker as it is in a trace.
type printed struct {
	cpu  uint32
	at   int64 // microseconds
	tid  uint32
	text string
}

// printedIn returns the markers in the order in which Perfetto reads them: by
// time, then by processor in the order in which each was first seen, then as
// they come.
func printedIn(t testing.TB, data []byte) []printed {
	t.Helper()
	var list []printed
	order := map[uint32]int{}
	for _, p := range packetsOf(t, data) {
		bundle := p.GetFtraceEvents()
		if bundle == nil {
			continue
		}
		if _, ok := order[bundle.GetCpu()]; !ok {
			order[bundle.GetCpu()] = len(order)
		}
		for _, e := range bundle.GetEvent() {
			if e.GetPrint() != nil {
				list = append(list, printed{bundle.GetCpu(), int64(e.GetTimestamp()) / 1000, e.GetPid(), e.GetPrint().GetBuf()})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b printed) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return order[a.cpu] - order[b.cpu]
	})
	return list
}

// Markers that do not fit into one packet keep their order, and packets stay
// below what Perfetto's own are.
func TestManyMarkers(t *testing.T) {
	x := &textTrace{}
	const count = 12_000
	var want []string
	for i := range int64(count) {
		name := fmt.Sprintf("slice %d %s", i, strings.Repeat("x", 100))
		thread := app.on(int(i % 2))
		at := caseStart + i/3 // several at one time, on several processors
		x.mark(at, thread, "B|200|"+name)
		x.mark(at, thread, "E|200|")
		want = append(want, "B|200|"+name, "E")
	}
	data, _ := convert(t, x.String(), Options{})
	bundles := 0
	for _, p := range packetsOf(t, data) {
		if p.GetFtraceEvents() != nil {
			bundles++
		}
		if size := proto.Size(p); size > 512<<10 {
			t.Errorf("packet of %d bytes", size)
		}
	}
	if bundles < 3 {
		t.Errorf("%d bundles: all in one packet for each processor", bundles)
	}
	var got []string
	for _, p := range printedIn(t, data) {
		got = append(got, p.text)
	}
	if !slices.Equal(got, want) {
		t.Error("the markers are not those of the text, or not in its order")
	}
}

// A processor's number that no device has must not cost the whole trace.
func TestDamagedProcessor(t *testing.T) {
	x := &textTrace{}
	x.slice(caseStart, caseStart+10, app, "whole")
	x.slice(caseStart+20, caseStart+30, app.on(1024), "damaged")
	x.slice(caseStart+40, caseStart+50, app.on(1<<31-1), "more so")
	data, _ := convert(t, x.String(), Options{})
	cpus := map[uint32]int{}
	for _, p := range printedIn(t, data) {
		cpus[p.cpu]++
	}
	if want := map[uint32]int{1: 2, 1023: 4}; !maps.Equal(cpus, want) {
		t.Errorf("markers by processor: %v, want %v", cpus, want)
	}
}
