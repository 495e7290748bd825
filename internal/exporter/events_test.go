package exporter

import (
	"fmt"
	"slices"
	"testing"
)

// The events that no track shows are left out by default: wakeups of a trace that has
// wakings, and those of the kernel that are only rows of Perfetto's table ftrace_event.
func TestEvents(t *testing.T) {
	const text = ` a-1 (1) [000] .... 1.000001: print: B|1|H:x
 a-1 (1) [000] .... 1.000002: sched_waking: comm=b pid=2 prio=120 target_cpu=000
 a-1 (1) [000] .... 1.000003: sched_wakeup: comm=c pid=3 prio=120 target_cpu=000
 a-1 (1) [000] .... 1.000004: mm_filemap_add_to_page_cache: dev 8:16 ino 1a2b pfn=1 ofs=0
 a-1 (1) [000] .... 1.000005: of_a_vendor: a=1
 a-1 (1) [000] .... 1.000006: cpu_idle: state=1 cpu_id=0
 a-1 (1) [000] .... 1.000007: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 next_prio=120
`
	for _, test := range []struct {
		events            Events
		exported, leftOut int
	}{{ShownEvents, 4, 3}, {AllEvents, 7, 0}, {NoEvents, 0, 7}} {
		data, summary := convert(t, text, Options{Events: test.events})
		checkCounts(t, text, data, summary)
		if summary.Exported != test.exported || summary.LeftOut != test.leftOut {
			t.Errorf("%s: %d events exported and %d left out, want %d and %d", test.events, summary.Exported, summary.LeftOut, test.exported, test.leftOut)
		}
		if parsed, err := ParseEvents(test.events.String()); err != nil || parsed != test.events {
			t.Errorf("%s is parsed as %s: %v", test.events, parsed, err)
		}
	}
	if _, err := ParseEvents("some"); err == nil {
		t.Error("an unknown name is accepted")
	}
}

// Without events a trace has the same frames and names, and nothing else.
func TestNoEvents(t *testing.T) {
	text := caseTrace(t, "frames")
	with, _ := convert(t, text, Options{})
	without, summary := convert(t, text, Options{Events: NoEvents})
	named := func(data []byte) (list []string) {
		for _, p := range packetsOf(t, data) {
			if tree := p.GetProcessTree(); tree != nil {
				list = append(list, fmt.Sprint(p.GetTimestamp(), tree.GetProcesses(), tree.GetThreads()))
			}
		}
		return list
	}
	if !slices.Equal(named(with), named(without)) {
		t.Error("the names differ")
	}
	if got := len(printedIn(t, without)); got != 0 {
		t.Errorf("%d markers", got)
	}
	if summary.LeftOut != summary.Totals.Events || summary.LeftOut == 0 {
		t.Errorf("%d events left out of %d", summary.LeftOut, summary.Totals.Events)
	}
}
