package hitrace_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ohframe/internal/source/hitrace"
)

// parseEvent returns the only event of a line with this event and args, nil if there is none.
func parseEvent(t *testing.T, event string) *hitrace.Event {
	t.Helper()
	b := new(hitrace.Batch)
	b.Parse([]byte(" app-200 ( 100) [003] .... 1.000000: "+event), 1<<10)
	if len(b.Events) == 0 {
		return nil
	}
	return &b.Events[0]
}

// A marker is the same in all spellings: those of kernels, which print the function that writes
// markers, its address, or nothing, and those of tools.
func TestMarkerSpellings(t *testing.T) {
	for _, payload := range []string{
		"B|100|H:ReceiveVsync name:app now: 5|M0538", "E|100|M0538", "E", "S|100|H:Load|7|M62", "F|100|H:Load|7|M62",
		"C|100|H:Depth|4|M62", "I|100|at", "N|100|track|at", "G|100|track|name|7", "H|100|track|7", "trace_event_clock_sync: parent_ts=1.0",
	} {
		want := *parseEvent(t, "tracing_mark_write: "+payload)
		for _, spelling := range []string{
			"print: %s", "print: 0xffffffc008: %s", "print: 0x0: %s", "print: tracing_mark_write: %s", "print:                tracing_mark_write: %s",
			"print: tracing_mark_write+0x48: %s", "print: tracing_mark_write.llvm.12: %s",
			"tracing_mark_write.llvm.8232844412049014381: %s", "tracing_mark_write.isra.0: %s", "tracing_mark_write.cfi_jt: %s",
			"tracing_mark_write$1f2e: %s", "tracing_mark_write+0x48/0x120: %s",
			"0: %s", "0xffffffc00812ab34: %s", "trace_tag: %s", "trace_tag: %s\r", "0: %s  ", "print:  %s", "print:\t%s", "print:%s", "print: tracing_mark_write:   %s",
		} {
			got := parseEvent(t, fmt.Sprintf(spelling, payload))
			if got == nil {
				t.Errorf(spelling+": no event", payload)
			} else if !reflect.DeepEqual([]any{got.Kind, got.Word, parsed(&got.Marker), got.TID, got.PID}, []any{want.Kind, want.Word, parsed(&want.Marker), want.TID, want.PID}) {
				t.Errorf(spelling+": %+v, want %+v", payload, got, want)
			}
		}
	}
}

// An event that prints what looks like a marker is no marker if another function wrote it. The
// same text at an address that does not read as a marker is an event, too, not a damaged line.
func TestNotAMarker(t *testing.T) {
	for _, event := range []string{
		"mdss_mark: B|100|name", "tracing_mark_writer: B|100|name", "my_tracing_mark_write: B|100|name", "trace_tags: B|100|name", "00: B|100|name",
		"1: B|100|name", "0x: B|100|name", "0xg: B|100|name", "0: text", "0: ", "0xffffffc00812ab34: B|name",
	} {
		if e := parseEvent(t, event); e == nil || e.Kind != hitrace.KernelEvent || e.Marker.Phase != hitrace.NotAMarker || e.Word != hitrace.Other {
			t.Errorf("%q: %+v, want a plain event", event, e)
		}
	}
	for _, event := range []string{"print: vendor_print: B|100|name", "print: text", "trace_tag: text"} {
		if e := parseEvent(t, event); e != nil {
			t.Errorf("%q: %+v, want none", event, e)
		}
	}
}

// Lite events are those that they replace. Names are empty where the kernel did not know them.
func TestLiteEvents(t *testing.T) {
	for _, event := range []string{
		"sched_switch: prev_comm=app prev_pid=200 prev_prio=50 prev_state=S ==> next_comm= next_pid=7 next_prio=-2 next_info=fff,0,0,0,0,0,0",
		"sched_wakeup: comm= pid=200 prio=50 target_cpu=007",
	} {
		want := parseEvent(t, event)
		name, args, _ := strings.Cut(event, ": ")
		got := parseEvent(t, name+"_lite: "+args)
		if want.Fields == nil || got.Kind != want.Kind || !reflect.DeepEqual(got.Fields, want.Fields) {
			t.Errorf("%s_lite: %+v, want %+v", name, got, want)
		}
	}
	if e := parseEvent(t, "sched_migrate_lite: comm=a pid=1"); e.Kind != hitrace.KernelEvent {
		t.Errorf("another lite event: %+v", e)
	}
}
