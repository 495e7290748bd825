package hitrace_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

func TestLostEvents(t *testing.T) {
	const event = " app-1 (1) [000] .... 1.000000: tracing_mark_write: E|1\n"
	for _, c := range []struct {
		head              string
		lost, overwritten int
		notUnderstood     int
	}{
		{"# entries-in-buffer/entries-written: 2000/5000   #P:8\n", 0, 3000, 0},
		{"# entries-in-buffer/entries-written:     2000/    5000   #P: 8\r\n", 0, 3000, 0},
		{"# entries-in-buffer/entries-written: 5000/4000   #P:8\n", 0, 0, 0},
		{"# entries-in-buffer/entries-written: %lu/%lu   #P:%d\n", 0, 0, 0},
		{"# entries-in-buffer/entries-written: 5000\n", 0, 0, 0},
		{"# entries-in-buffer/entries-written: 5/99999999999999999999999999\n", 0, 1<<40 - 5, 0},
		{"CPU:3 [LOST 17 EVENTS]\n" + event + "CPU:12 [LOST EVENTS]\n", 18, 0, 0},
		{"version = 6\ncpus=8\nCPU:3 [17 EVENTS DROPPED]\n" + event + "CPU:12 [EVENTS DROPPED]\n", 18, 0, 0},
		{"CPU:x [LOST 17 EVENTS]\n", 0, 0, 1},
	} {
		totals := must.Get(hitrace.Run(t.Context(), strings.NewReader(c.head+event), hitrace.Options{}, hitrace.Sink{
			Track: func(int, *hitrace.Batch) {},
		}))(t)
		if totals.Lost != c.lost || totals.Overwritten != c.overwritten || totals.Problems.Lost() != c.notUnderstood {
			t.Errorf("%q: lost %d, overwritten %d, not understood %d, want %d, %d, %d",
				c.head, totals.Lost, totals.Overwritten, totals.Problems.Lost(), c.lost, c.overwritten, c.notUnderstood)
		}
	}
}

// Events that are in the file were not overwritten, whatever its headers state. A header that
// states no events in the buffer states how many there are.
func TestStatedEvents(t *testing.T) {
	head := func(numbers string) string { return "# entries-in-buffer/entries-written: " + numbers + "   #P:8\n" }
	at := 0
	events := func(n int) string {
		var s strings.Builder
		for range n {
			fmt.Fprintf(&s, " app-1 (1) [000] .... 1.%06d: tracing_mark_write: E|1\n", at)
			at++
		}
		return s.String()
	}
	const damaged = " app-1 (1) [000] .... x: tracing_mark_write: E|1\n"
	for _, c := range []struct {
		name                 string
		text                 string
		entries, overwritten int
	}{
		{"no header", events(40), 0, 0},
		{"nothing recorded", head("0/0") + events(40), 0, 0},
		{"as stated", head("40/40") + events(40), 40, 0},
		{"overwritten", head("40/100") + events(40), 40, 60},
		{"overwritten, and the end is missing", head("40/100") + events(30), 40, 60},
		{"none in the buffer", head("         0/40      ") + events(40), 40, 0},
		{"none in the buffer, and some are missing", head("0/40") + events(30), 40, 0},
		{"fewer in the buffer than in the file", head("10/40") + events(40), 10, 0},
		{"fewer in the buffer than in the file, and some overwritten", head("10/50") + events(40), 10, 10},
		{"more in the buffer than written", head("40/0") + events(40), 40, 0},
		{"a line that is not understood is an event", head("1/40") + events(20) + damaged + events(19), 1, 0},
		{"two traces", head("0/40") + events(40) + head("20/50") + events(20), 60, 30},
		{"the second trace states nothing", "# tracer: nop\n" + head("20/50") + events(20) + "# tracer: nop\n" + events(20), 20, 30},
		{"the header comes last", events(40) + head("40/40"), 40, 0},
		{"over blocks", head("0/9000") + events(9000), 9000, 0},
	} {
		totals := must.Get(hitrace.Run(t.Context(), strings.NewReader(c.text), hitrace.Options{}, hitrace.Sink{}))(t)
		if totals.Entries != c.entries || totals.Overwritten != c.overwritten {
			t.Errorf("%s: %d events stated, %d overwritten, want %d, %d", c.name, totals.Entries, totals.Overwritten, c.entries, c.overwritten)
		}
	}
}

// The first event of a processor after a note about lost events is marked, in whichever
// block it is.
func TestEventsAfterLostOnes(t *testing.T) {
	line := func(cpu, at int) string {
		return fmt.Sprintf(" app-1 (1) [%03d] .... %d.%06d: tracing_mark_write: E|1\n", cpu, 1+at/1000, at%1000)
	}
	var text strings.Builder
	at := 0
	for cpu := range 3 {
		text.WriteString(line(cpu, at))
		at++
	}
	text.WriteString("CPU:1 [LOST 17 EVENTS]\r\n" + line(0, at) + line(2, at+1))
	at += 2
	for range 5000 { // more than a block of text
		text.WriteString(line(0, at))
		at++
	}
	marked := []int{at}
	text.WriteString(line(1, at) + line(1, at+1))
	text.WriteString("CPU:2 [LOST EVENTS]\nCPU:0 [LOST 1 EVENTS]\nCPU:9 [LOST 1 EVENTS]\n" + line(0, at+2) + line(2, at+3) + line(2, at+4))
	marked = append(marked, at+2, at+3)
	for _, workers := range []int{1, 4} {
		var got []int
		n := 0
		must.Get(hitrace.Run(t.Context(), strings.NewReader(text.String()), hitrace.Options{Workers: workers}, hitrace.Sink{
			Track: func(_ int, b *hitrace.Batch) {
				for i := range b.Events {
					if b.Events[i].Lost {
						got = append(got, n)
					}
					n++
				}
			},
		}))(t)
		must.EqualSlices(t, got, marked, "%d workers: the events are marked", workers)
	}
}
