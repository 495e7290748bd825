package exporter

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
)

// Tracking and encoding leave events as the reader made them.
func TestEventsStay(t *testing.T) {
	text, err := os.ReadFile("../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	// Lines without a process, ends without a begin and wakeups without wakings.
	text = append(text, `
 x-1 (-----) [001] .... 9999.000001: print: B|7|H:name
 x-1 (-----) [002] .... 9999.000001: print: E|7
 x-1 (-----) [003] .... 9999.000001: print: E|7
 x-1 (-----) [003] .... 9999.000001: sched_wakeup: comm=x pid=1 prio=120 target_cpu=001
`...)
	var batch hitrace.Batch
	batch.Parse(text, limits.Default().Line)
	before := slices.Clone(batch.Events)
	plans := make([]plan, 1)
	plans[0].reset(len(batch.Events))
	newTracker(analyzer.Options{}).track(&batch, &plans[0])
	newEncoder(limits.Default().Strings).encode([]hitrace.Batch{batch}, plans)
	for i := range before {
		if !reflect.DeepEqual(batch.Events[i], before[i]) {
			t.Fatalf("event of line %d is %+v, was %+v", before[i].Number, batch.Events[i], before[i])
		}
	}
	last := plans[0].placements[len(before)-4:]
	if last[0].pid != 7 || last[1].cpu != 1 || !last[2].skip || last[3].kind != hitrace.WakingEvent {
		t.Errorf("the last events are exported as %+v", last)
	}
}
