package hitrace_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// columns is a hitrace.Line that can be compared.
type columns struct {
	time           int64
	cpu, tid, pid  int32
	comm, name, at string
}

func TestParseLine(t *testing.T) {
	const unknown = -1
	for _, test := range []struct {
		name string
		text string
		want columns
	}{
		// The task column.
		{"narrow process column", "  render_service-1027  ( 1027) [003] ....   100.000495: print: E|1027|",
			columns{100_000495000, 3, 1027, 1027, "render_service", "print", "E|1027|"}},
		{"wide process column", " com.demo.app-46512   (  46512) [010] .... 7230472.274412: tracing_mark_write: E|46512|",
			columns{7230472_274412000, 10, 46512, 46512, "com.demo.app", "tracing_mark_write", "E|46512|"}},
		{"wide dashes", "           <...>-6709    (-------) [000] ..... 535799.774588: tracing_mark_write: E|6709|",
			columns{535799_774588000, 0, 6709, unknown, "<...>", "tracing_mark_write", "E|6709|"}},
		{"no process column", "            bash-1234  [001] ....    12.345678: sched_waking: comm=a pid=1",
			columns{12_345678000, 1, 1234, unknown, "bash", "sched_waking", "comm=a pid=1"}},
		{"empty process column", "             app-20    (     ) [001] ....    12.345678: print: E|20|",
			columns{12_345678000, 1, 20, unknown, "app", "print", "E|20|"}},
		{"no process column, a number in the name", "     pool 7-20 [001] ....    12.345678: print: E|20|",
			columns{12_345678000, 1, 20, unknown, "pool 7", "print", "E|20|"}},
		{"no leading blank", "demo.app-200 (200) [001] .... 1.000000: print: E|200|",
			columns{1_000000000, 1, 200, 200, "demo.app", "print", "E|200|"}},

		// Thread names.
		{"dashes in the name", "   tppmgr-idle-4-274   (    2) [004] ....     1.000000: print: E",
			columns{1_000000000, 4, 274, 2, "tppmgr-idle-4", "print", "E"}},
		{"name ends in a dash", "          alog--466  (  900) [004] ....     1.000000: print: E",
			columns{1_000000000, 4, 466, 900, "alog-", "print", "E"}},
		{"signs in the name", " #a@b:c(d)-12  (   12) [004] ....     1.000000: print: E",
			columns{1_000000000, 4, 12, 12, "#a@b:c(d)", "print", "E"}},
		{"parentheses in the name, no process column", "        (sd-pam)-77 [000] ....     1.000000: print: E",
			columns{1_000000000, 0, 77, unknown, "(sd-pam)", "print", "E"}},
		{"a number in brackets in the name", "        pool[1]-12  (   12) [004] ....     1.000000: print: E",
			columns{1_000000000, 4, 12, 12, "pool[1]", "print", "E"}},
		{"a processor column in the name", "   io [2] wait-12  (   12) [004] ....     1.000000: print: E",
			columns{1_000000000, 4, 12, 12, "io [2] wait", "print", "E"}},
		{"the name is a processor column", "          [000] -12  (   12) [004] ....     1.000000: print: E",
			columns{1_000000000, 4, 12, 12, "[000] ", "print", "E"}},
		{"no name, no leading blank", "-2845  ( 2845) [004] ....     1.000000: print: E",
			columns{1_000000000, 4, 2845, 2845, "", "print", "E"}},
		{"the idle thread", "          <idle>-0     (-----) [007] dN..     1.000000: sched_switch: x",
			columns{1_000000000, 7, 0, unknown, "<idle>", "sched_switch", "x"}},
		{"largest ids", "            init-2147483647 (2147483647) [2147483647] ....     1.000000: print: E",
			columns{1_000000000, 2147483647, 2147483647, 2147483647, "init", "print", "E"}},

		// Linux 4.13 to 4.18 print the process behind the processor.
		{"process behind the CPU", "app-200 [003] ( 1027) d..2 1.000000: e: x", columns{1_000000000, 3, 200, 1027, "app", "e", "x"}},
		{"dashes behind the CPU", "app-200 [003] (-----) d..2 1.000000: e: x", columns{1_000000000, 3, 200, noPID, "app", "e", "x"}},
		{"process behind the CPU, no flags", "app-200 [003] (1027) 1.000000: e: x", columns{1_000000000, 3, 200, 1027, "app", "e", "x"}},
		{"a comm like that", "a [3] (7)-200 ( 1027) [003] .... 1.000000: e: x", columns{1_000000000, 3, 200, 1027, "a [3] (7)", "e", "x"}},

		// Cells of a table.
		{"quotes", `"  app-200   ( 1027) [003] .... 1.000000: e: x"`, columns{1_000000000, 3, 200, 1027, "app", "e", "x"}},
		{"a comm with a quote", `"app-200 ( 1027) [003] .... 1.000000: e: x`, columns{1_000000000, 3, 200, 1027, `"app`, "e", "x"}},
		{"arguments with a quote", `app-200 ( 1027) [003] .... 1.000000: e: "x"`, columns{1_000000000, 3, 200, 1027, "app", "e", `"x"`}},

		// Flags.
		{"three flags", "a-1 (1) [000] ... 1.000000: e: x", columns{1_000000000, 0, 1, 1, "a", "e", "x"}},
		{"four flags", "a-1 (1) [000] d.h2 1.000000: e: x", columns{1_000000000, 0, 1, 1, "a", "e", "x"}},
		{"five flags", "a-1 (1) [000] d.h21 1.000000: e: x", columns{1_000000000, 0, 1, 1, "a", "e", "x"}},
		{"eight flags", "a-1 (1) [000] ........ 1.000000: e: x", columns{1_000000000, 0, 1, 1, "a", "e", "x"}},
		{"no flags", "a-1 (1) [000]   1.000000: e: x", columns{1_000000000, 0, 1, 1, "a", "e", "x"}},

		// Nothing between flags and time: the fourth flag, the preempt depth, may be a
		// digit too. Perfetto reads a digit of the time as a fifth.
		{"dots and time", "kworker/u16:1-77    (   77) [004] ....316.196720: tracing_mark_write: B|77|x",
			columns{316_196720000, 4, 77, 77, "kworker/u16:1", "tracing_mark_write", "B|77|x"}},
		{"flags and time", "a-1 (1) [000] d...316.196740: e: x", columns{316_196740000, 0, 1, 1, "a", "e", "x"}},
		{"preempt depth and time", "a-1 (1) [000] d.h2316.196740: e: x", columns{316_196740000, 0, 1, 1, "a", "e", "x"}},
		{"eight flags and time", "a-1 (1) [000] ........7230472.196740: e: x", columns{7230472_196740000, 0, 1, 1, "a", "e", "x"}},

		// Times: the number of digits gives the unit.
		{"microseconds", "a-1 (1) [000] .... 13762.000007: e: x", columns{13762_000007000, 0, 1, 1, "a", "e", "x"}},
		{"nanoseconds", "a-1 (1) [000] .... 13762.000007001: e: x", columns{13762_000007001, 0, 1, 1, "a", "e", "x"}},
		{"latest time", "a-1 (1) [000] .... 2305843009.213693951: e: x", columns{2305843009_213693951, 0, 1, 1, "a", "e", "x"}},

		// Event and arguments.
		{"no arguments", "a-1 (1) [000] .... 1.000000: e:", columns{1_000000000, 0, 1, 1, "a", "e", ""}},
		{"no blank before the arguments", "a-1 (1) [000] .... 1.000000: e:x", columns{1_000000000, 0, 1, 1, "a", "e", "x"}},
		{"only the first blank is no argument", "a-1 (1) [000] .... 1.000000: e:  x ", columns{1_000000000, 0, 1, 1, "a", "e", " x "}},
		{"padded as by trace-cmd", "a-1 [000]   1.000000: print:                x  y", columns{1_000000000, 0, 1, noPID, "a", "print", "x  y"}},
		{"arguments like a line", "a-1 (1) [000] .... 1.000000: e: b-2 (2) [001] .... 2.000000: f: y",
			columns{1_000000000, 0, 1, 1, "a", "e", "b-2 (2) [001] .... 2.000000: f: y"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l hitrace.Line
			if problem := hitrace.ParseLine([]byte(test.text), &l); problem != hitrace.NoProblem {
				t.Fatalf("%q: %v", test.text, problem)
			}
			got := columns{int64(l.Time), int32(l.CPU), int32(l.TID), int32(l.PID), string(l.Comm), string(l.Name), string(l.Args)}
			must.Equal(t, got, test.want, "%q", test.text)
		})
	}
}

func TestParseLineProblems(t *testing.T) {
	for _, test := range []struct {
		text string
		want hitrace.Problem
	}{
		{"", hitrace.Ignorable},
		{"# tracer: nop", hitrace.Ignorable},
		{"  # indented", hitrace.Ignorable},
		{"TRACE:", hitrace.Ignorable},
		{"version = 6", hitrace.Ignorable},
		{"cpus=8", hitrace.Ignorable},
		{"CPU 3 is empty", hitrace.Ignorable},
		{"CPU:7 [204600 EVENTS DROPPED]", hitrace.Ignorable},
		{"# entries-in-buffer/entries-written: %lu/%lu   #P:%d", hitrace.Ignorable},

		{"hello", hitrace.NotALine},
		{"TRACE: more", hitrace.NotALine},
		{"01-02 03:04:05.678  1000  1001 I C01400/Demo: a hilog line", hitrace.LogLine},
		{"a-1 (1) [abc] .... 1.000000: e: x", hitrace.NotALine},
		{"a-1 (1) [2147483648] .... 1.000000: e: x", hitrace.NotALine},
		{"a-1 (1) [000]", hitrace.NotALine},
		{"a-1 [000] (1", hitrace.NotALine},
		{"a-1 [000] (1x) .... 1.000000: e: x", hitrace.NotALine},
		{"cpus=8 or so", hitrace.NotALine},
		{"a-1 (1) [000].... 1.000000: e: x", hitrace.NotALine},
		{"a-1 (1) [000] .. 1.000000: e: x", hitrace.NotALine},
		{"a-1 (1) [000] ......... 1.000000: e: x", hitrace.NotALine},
		{"a-1 (1) [000] .........316.000000: e: x", hitrace.NotALine},
		{"a-1 (1) [000] ...316.000000 e: x", hitrace.NotALine},
		{"a-1 (1) [000] ....316.0000000000: e: x", hitrace.NotALine},
		{"a-1 (1) [000] ....316.000000:e: x", hitrace.NotALine},

		{"a (1) [000] .... 1.000000: e: x", hitrace.BadThread},
		{"a-x (1) [000] .... 1.000000: e: x", hitrace.BadThread},
		{"123 (1) [000] .... 1.000000: e: x", hitrace.BadThread},
		{"[000] .... 1.000000: e: x", hitrace.BadThread},
		{"a-2147483648 (1) [000] .... 1.000000: e: x", hitrace.BadThread},
		{"a-1 (2147483648) [000] .... 1.000000: e: x", hitrace.BadThread},
		{"a-1 (one) [000] .... 1.000000: e: x", hitrace.BadThread},
		{"a-1 1) [000] .... 1.000000: e: x", hitrace.BadThread},
		{"a-1 (1 [000] .... 1.000000: e: x", hitrace.BadThread},
		{"a-1 2147483648 [000] .... 1.000000: e: x", hitrace.BadThread},
		{"a-1 (1) 2 [000] .... 1.000000: e: x", hitrace.BadThread},
		{"a-1 one [000] .... 1.000000: e: x", hitrace.BadThread},
		{"a 2 [000] .... 1.000000: e: x", hitrace.BadThread},
		{"- [000] .... 1.000000: e: x", hitrace.BadThread},

		{"a-1 (1) [000] ....", hitrace.BadTime},
		{"a-1 (1) [000] .... 1.0000b-2 (2) [001] .... 2.000000: f: y", hitrace.BadTime},
		{"a-1 (1) [000] .... x: e: x", hitrace.BadTime},
		{"a-1 (1) [000] .... 1.: e: x", hitrace.BadTime},
		{"a-1 (1) [000] .... -1.000000: e: x", hitrace.BadTime},
		{"a-1 (1) [000] .... 1.000000 e: x", hitrace.BadTime},
		{"a-1 (1) [000] .... 1.0000000000: e: x", hitrace.BadTime},
		{"a-1 (1) [000] .... 2305843009.213693952: e: x", hitrace.TimeTooLarge},
		{"a-1 (1) [000] .... 9999999999.999999999: e: x", hitrace.TimeTooLarge},
		{"a-1 (1) [000] .... 99999999999999999999.000000: e: x", hitrace.BadTime},

		{"a-1 (1) [000] .... 1.000000:", hitrace.NoEvent},
		{"a-1 (1) [000] .... 1.000000: e", hitrace.NoEvent},
		{"a-1 (1) [000] .... 1.000000: : x", hitrace.NoEvent},
	} {
		var l hitrace.Line
		must.Equal(t, hitrace.ParseLine([]byte(test.text), &l), test.want, "%q", test.text)
	}
}

// The last line of old pages of systrace is no event: its time is not that of the trace.
func TestDummyLine(t *testing.T) {
	b := new(hitrace.Batch)
	b.Parse([]byte("a-1 (1) [000] .... 5.000000: 0: E|1\n           dummy-0000  [000] 0.0: 0: trace_event_clock_sync: parent_ts=0.0\n"), 1<<10)
	if len(b.Events) != 1 || b.Events[0].Time != 5_000000000 {
		t.Errorf("%+v", b.Events)
	}
}

// A line reads the same whatever other lines were before it: threads and events with nearly the same text, or the
// same hash, are not confused.
func TestLinesAfterOthers(t *testing.T) {
	var text bytes.Buffer
	for i := range 20_000 {
		comm, tgid := []byte("  OS_IPC_10_1000"), "-------"
		comm[2+i%14] += byte(i / 14 % 3)
		if i%2 > 0 {
			tgid = fmt.Sprint(i)
		}
		fmt.Fprintf(&text, "           <...>-%-7d (%7s) [%03d] .... %6d.%06d: sched_wak%d: comm=a\n", i, tgid, i%100, i/1000, i, i/9%11)
		fmt.Fprintf(&text, "%s-7 (%5d) [001] .... %6d.%06d: sched_waking: comm=a\n", comm, i/1000, i/1000, i)
	}
	lines := bytes.Split(text.Bytes(), []byte("\n"))
	var b hitrace.Batch
	b.Parse(text.Bytes(), 1<<10)
	for i := range b.Events {
		var want hitrace.Line
		must.Equal(t, hitrace.ParseLine(lines[i], &want), hitrace.NoProblem)
		if got := b.Events[i].Line; !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %+v, want %+v", lines[i], got, want)
		}
	}
	must.Equal(t, len(b.Events), len(lines)-1)
}

// Cutting a good line anywhere must not make it panic, nor make another time
// or thread of it.
func TestParseLineCut(t *testing.T) {
	const text = " io [2] wait-12  (   34) [004] d..1     1.000002: print: B|34|H:name|M62"
	end := strings.Index(text, "print:") + len("print:")
	for i := range text {
		var l hitrace.Line
		problem := hitrace.ParseLine([]byte(text[:i]), &l)
		switch {
		case i < end && problem == hitrace.NoProblem:
			t.Errorf("%q is taken for a line", text[:i])
		case i >= end && problem != hitrace.NoProblem:
			t.Errorf("%q: %v", text[:i], problem)
		case i >= end && (l.Time != 1_000002000 || l.TID != 12 || l.PID != 34):
			t.Errorf("%q: %+v", text[:i], l)
		}
	}
}
