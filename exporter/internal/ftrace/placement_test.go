package ftrace

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// Planning and encoding leave events as the reader made them.
func TestEventsStay(t *testing.T) {
	text := must.Get(os.ReadFile("../../../testdata/demo.ftrace"))(t)
	// Lines without a process, ends without a begin and wakeups without wakings.
	text = append(text, `
 x-1 (-----) [001] .... 3701.000001: print: B|7|H:name
 x-1 (-----) [002] .... 3701.000002: print: E|7
 x-1 (-----) [003] .... 3701.000002: print: E|7
 x-1 (-----) [003] .... 3701.000003: sched_wakeup: comm=x pid=1 prio=120 target_cpu=001
`...)
	e := NewEncoder(trace.Limits{}.WithDefaults().Strings, true)
	planner := NewPlanner(trace.Limits{}.WithDefaults())
	var before []hitrace.Event
	var plan piece
	sink := hitrace.Sink{
		Prepare: func(_ int, block *hitrace.Batch) { before = slices.Clone(block.Events) },
		Track:   func(_ int, b *hitrace.Batch) { planner.Plan(b, e) },
		Encode: func(_ int, block *hitrace.Batch) {
			plan = e.plan[len(e.plan)-1]
			e.Encode()
			for i := range before {
				if !reflect.DeepEqual(block.Events[i], before[i]) {
					t.Fatalf("event of line %d is %+v, was %+v", before[i].Number, block.Events[i], before[i])
				}
			}
		},
	}
	must.Get(hitrace.Run(t.Context(), bytes.NewReader(text), hitrace.Options{Workers: 1}, sink))(t)
	last := plan.placements[len(plan.placements)-4:]
	if last[0].pid != 7 || last[0].whole != 1 || !last[1].ended || !last[2].skip || last[3].kind != hitrace.WakingEvent {
		t.Errorf("the last events are exported as %+v", last)
	}
}

// TestThreadNamesAreValid numbers names that are valid UTF-8, whatever their length is as they are read.
func TestThreadNamesAreValid(t *testing.T) {
	var table commTable
	for i, name := range []string{"app", "a\xff\xff\xffb", "a\uFFFDb", "a\xffb", "app"} {
		want := []int{0, 1, 1, 1, 0}[i]
		must.Equal(t, table.index([]byte(name)), want, "name %d is number", i)
	}
	if len(table.list) != 2 || string(table.list[1]) != "a\uFFFDb" {
		t.Errorf("names are %q", table.list)
	}
}
