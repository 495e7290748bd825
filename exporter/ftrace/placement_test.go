package ftrace

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
)

// Planning and encoding leave events as the reader made them.
func TestEventsStay(t *testing.T) {
	text, err := os.ReadFile("../../testdata/demo.ftrace")
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
	e := NewEncoder(limits.Default().Strings)
	NewPlanner(limits.Default()).Plan(&batch, analyzer.NewInput(analyzer.Options{}).Begin(), e)
	plan := e.plan[0]
	e.Encode()
	for i := range before {
		if !reflect.DeepEqual(batch.Events[i], before[i]) {
			t.Fatalf("event of line %d is %+v, was %+v", before[i].Number, batch.Events[i], before[i])
		}
	}
	last := plan.placements[len(before)-4:]
	if last[0].pid != 7 || last[1].cpu != 1 || !last[2].skip || last[3].kind != hitrace.WakingEvent {
		t.Errorf("the last events are exported as %+v", last)
	}
}
