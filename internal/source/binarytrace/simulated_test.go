package binarytrace_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
	"ohframe/internal/source/binarytrace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/simulate/rawfile"
	"ohframe/internal/testing/slow"
)

// simulated returns the events of a trace of a version, and what its text says.
func simulated(t testing.TB, era string) ([]rawfile.Event, []byte) {
	t.Helper()
	config := simulate.Everything()
	config.Era, config.Text.Nanoseconds, config.Background = era, true, 3000
	var text bytes.Buffer
	must.Get(simulate.Write(&text, config))(t)
	events := must.Get(rawfile.Parse(text.Bytes()))(t)
	return events, text.Bytes()
}

// eras returns the versions to test: the first and the last unless slow tests run in
// full.
func eras() []string {
	list := simulate.Eras()
	if !slow.Enabled() {
		return []string{list[0], list[len(list)-1]}
	}
	return list
}

// open opens a trace that must be readable.
func open(t testing.TB, file []byte, o binarytrace.Options) *binarytrace.Reader {
	t.Helper()
	r := must.Get(binarytrace.Open(bytes.NewReader(file), int64(len(file)), o))(t)
	return r
}

// read returns the text of a trace and the warnings.
func read(t testing.TB, file []byte, o binarytrace.Options) (string, []string) {
	t.Helper()
	r := open(t, file, o)
	text := must.Get(io.ReadAll(r))(t)
	return string(text), diag.Texts(r.Warnings())
}

// describe parses a text as the reader of text traces does, and returns what it
// says, an event a string.
func describe(t testing.TB, text string) []string {
	t.Helper()
	var list []string
	for line := range strings.Lines(text) {
		var l hitrace.Line
		switch p := hitrace.ParseLine([]byte(strings.TrimRight(line, "\n")), &l); p {
		case hitrace.Ignorable:
		case hitrace.NoProblem:
			list = append(list, fmt.Sprintf("%s cpu %d %d/%d %s %s: %s", l.Time, l.CPU, l.PID, l.TID, l.Comm, l.Name, l.Args))
		default:
			t.Fatalf("%q: %s", line, p)
		}
	}
	return list
}

// sameTimes sorts the events of one time: processors have no order at a time.
func sameTimes(list []string) []string {
	slices.SortStableFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(strings.Fields(a)[0]), len(strings.Fields(b)[0])), cmp.Compare(a, b))
	})
	return list
}

// compare reports the first differences of two lists.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("event %d of %d: got\n%s\nwant\n%s", i, len(want), got[i], want[i])
			return
		}
	}
	must.Equal(t, len(got), len(want), "events")
}

// A file of every version and variant has the lines of the text: times, processors,
// threads, processes, names, and payloads.
func TestSysOfEveryVersion(t *testing.T) {
	variants := map[string]rawfile.SysOptions{
		"hongmeng":        {HongMeng: true},
		"hongmeng, newer": {HongMeng: true, BaseInfo: true, ShortPriorities: true, Garbage: true, NamesFirst: true},
		"hongmeng, parts": {HongMeng: true, Sections: 5, Backward: true, Reverse: true, Garbage: true},
		"linux":           {},
		"linux, newer":    {BaseInfo: true, MarkWrite: true, Garbage: true, NamesFirst: true},
		"linux, parts":    {Sections: 5, Backward: true, Reverse: true, Lost: true, NoHeaderPage: true},
		"linux, 32 bits":  {Bits32: true, Lost: true, Garbage: true},
	}
	for i, era := range eras() {
		events, text := simulated(t, era)
		for k, name := range slices.Sorted(maps.Keys(variants)) {
			o := variants[name]
			if (i+k)%slow.Of(2, 1) != 0 {
				continue
			}
			t.Run(era+"/"+name, func(t *testing.T) {
				file, _ := rawfile.Sys(events, o)
				got, warnings := read(t, file, binarytrace.Options{})
				want := strings.ReplaceAll(string(text), ": print: ", ": tracing_mark_write: ")
				got = strings.ReplaceAll(got, ": print: ", ": tracing_mark_write: ")
				want = strings.ReplaceAll(want, ": tracing_mark_write: 0xffffffc0106ee2a8: ", ": tracing_mark_write: ")
				compare(t, sameTimes(trimmed(describe(t, got))), sameTimes(trimmed(describe(t, want))))
				sameEvents(t, file)
				checkSysWarnings(t, warnings, o)
			})
		}
	}
}

// sameEvents fails the test if a trace has other events than its text.
func sameEvents(t *testing.T, file []byte) {
	t.Helper()
	text, _ := read(t, file, binarytrace.Options{})
	binarytrace.CheckEvents(t, open(t, file, binarytrace.Options{}), []byte(text))
}

// trimmed drops what has no meaning at the end of a payload.
func trimmed(list []string) []string {
	for i, s := range list {
		if strings.Contains(s, "_write: E|") {
			s = strings.TrimSuffix(s, "|")
		}
		list[i] = strings.TrimRight(s, " ")
	}
	return list
}

func checkSysWarnings(t *testing.T, warnings []string, o rawfile.SysOptions) {
	t.Helper()
	for _, w := range warnings {
		switch {
		case o.Sections > 1 && w == "1 × section of an unknown type; skipped":
		case o.Lost && strings.HasSuffix(w, "events lost while recording: the kernel's buffer was full"):
		default:
			t.Errorf("warning %q", w)
		}
	}
	if want := truth(o.Sections > 1) + truth(o.Lost); len(warnings) != want {
		t.Errorf("%d warnings %q, want %d", len(warnings), warnings, want)
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// The same for .htrace files, with the events that they have.
func TestHtraceOfEveryVersion(t *testing.T) {
	variants := map[string]rawfile.HtraceOptions{
		"zeros left out":  {},
		"padded":          {Padded: true},
		"details of zero": {ZeroHeader: true, Padded: true},
		"dictionary":      {Dictionary: true},
		"other part":      {Recording: []byte("PERFILE2")},
		"killed":          {Killed: true},
		"one detail":      {OneDetail: true},
	}
	for i, era := range eras() {
		events, text := simulated(t, era)
		var want []string
		for i, s := range describe(t, string(text)) {
			if rawfile.HtraceHas(&events[i]) {
				s, _, _ = strings.Cut(s, " next_info=")
				s = strings.ReplaceAll(strings.ReplaceAll(s, " print: ", " tracing_mark_write: "), "_write: 0xffffffc0106ee2a8: ", "_write: ")
				want = append(want, s)
			}
		}
		want = sameTimes(trimmed(want))
		for k, name := range slices.Sorted(maps.Keys(variants)) {
			o := variants[name]
			if (i+k)%slow.Of(2, 1) != 0 {
				continue
			}
			t.Run(era+"/"+name, func(t *testing.T) {
				file, _ := rawfile.Htrace(events, o)
				got, warnings := read(t, file, binarytrace.Options{})
				compare(t, sameTimes(trimmed(describe(t, got))), want)
				sameEvents(t, file)
				if len(warnings) != truth(o.Killed) {
					t.Errorf("warnings %q", warnings)
				}
			})
		}
	}
}

// Lines are in order of time whatever the order of the file, and those of one time
// have the order of the file.
func TestOrder(t *testing.T) {
	var events []rawfile.Event
	for i := range 5000 { // on four processors, many at the same time
		events = append(events, rawfile.Event{Comm: "a", TID: 10, PID: 10, CPU: i * 7 % 4, Time: 5e9 + int64(i/10)*1000, Name: "print", Args: fmt.Sprintf("I|10|%d", i)})
	}
	for _, o := range []rawfile.SysOptions{{HongMeng: true}, {}, {HongMeng: true, Sections: 7, Backward: true}, {Sections: 7, Backward: true}} {
		file, _ := rawfile.Sys(events, o)
		text, _ := read(t, file, binarytrace.Options{})
		last, n := trace.Time(0), 0
		var l hitrace.Line
		perCPU := map[trace.CPU]int{}
		for line := range strings.Lines(text) {
			if hitrace.ParseLine([]byte(strings.TrimSpace(line)), &l) != hitrace.NoProblem {
				continue
			}
			if l.Time < last {
				t.Fatalf("%+v: %s after %s", o, l.Time, last)
			}
			last = l.Time
			n++
			var number int
			must.Get(fmt.Sscanf(string(l.Args), "I|10|%d", &number))(t)
			if number < perCPU[l.CPU] {
				t.Fatalf("%+v: %d after %d on processor %d", o, number, perCPU[l.CPU], l.CPU)
			}
			perCPU[l.CPU] = number
		}
		if n != len(events) {
			t.Errorf("%+v: %d events of %d", o, n, len(events))
		}
	}
}

// Microseconds are rounded half up, across seconds too; nanoseconds are as they are. Lines have
// the flags of the events.
func TestPrecision(t *testing.T) {
	event := func(ns int64) rawfile.Event {
		return rawfile.Event{Comm: "a", TID: 10, PID: 10, Flags: 1, Preempt: 2, Time: ns, Name: "print", Args: "E|10"}
	}
	file, _ := rawfile.Sys([]rawfile.Event{event(5_000_000_499), event(5_000_000_500), event(5_999_999_499), event(5_999_999_500)}, rawfile.SysOptions{HongMeng: true})
	for precision, want := range map[binarytrace.Precision][]string{
		binarytrace.Nanoseconds:  {"5.000000499", "5.000000500", "5.999999499", "5.999999500"},
		binarytrace.Microseconds: {"5.000000", "5.000001", "5.999999", "6.000000"},
	} {
		text, _ := read(t, file, binarytrace.Options{Precision: precision})
		for i, line := range strings.Split(strings.TrimSpace(strings.TrimPrefix(text, binarytrace.Header)), "\n") {
			if want := "               a-10    (   10) [000] d..2     " + want[i] + ": print: E|10"; strings.TrimLeft(line, " ") != strings.TrimLeft(want, " ") {
				t.Errorf("got  %q\nwant %q", line, want)
			}
		}
	}
}

// Reading allocates for the index and for names, not for events.
func TestAllocations(t *testing.T) {
	events, _ := simulated(t, "harmonyos-6.1")
	for i := range 9 * len(events) { // the same again and again
		e := events[i]
		e.Time += 10e9
		events = append(events, e)
	}
	hm, _ := rawfile.Sys(events, rawfile.SysOptions{HongMeng: true})
	htrace, _ := rawfile.Htrace(events, rawfile.HtraceOptions{})
	for name, file := range map[string][]byte{"hongmeng": hm, "htrace": htrace} {
		got := testing.AllocsPerRun(1, func() { io.Copy(io.Discard, open(t, file, binarytrace.Options{})) })
		if got > float64(len(events))/20 {
			t.Errorf("%s: %.0f allocations for %d events", name, got, len(events))
		}
	}
}

// The clock that a trace states.
func TestClock(t *testing.T) {
	events, _ := simulated(t, "harmonyos-6.1")
	const offset = 500_000_000_000
	for name, test := range map[string]struct {
		options rawfile.HtraceOptions
		want    binarytrace.Clock
	}{
		"header":  {rawfile.HtraceOptions{Offset: offset}, binarytrace.Clock{Known: true, Offset: offset - 3210, Source: binarytrace.ProfilerHeader, Name: "boot"}},
		"details": {rawfile.HtraceOptions{Offset: offset, ZeroHeader: true}, binarytrace.Clock{Known: true, Offset: offset - 3210, Source: binarytrace.ClocksDetail, Name: "boot"}},
		"none":    {rawfile.HtraceOptions{Offset: offset, ZeroHeader: true, NoDetails: true}, binarytrace.Clock{Name: "boot"}},
		"awake":   {rawfile.HtraceOptions{}, binarytrace.Clock{Known: true, Source: binarytrace.ProfilerHeader, Name: "boot"}}, // 3 µs apart: read one after the other
		"mono":    {rawfile.HtraceOptions{Offset: offset, Mono: true}, binarytrace.Clock{Known: true, Source: binarytrace.TraceClockMono, Name: "mono"}},
	} {
		if !test.options.ZeroHeader { // the header has the time of day, too
			test.want.Boot, test.want.Unix = trace.Time(events[0].Time), 1_700_000_000_000_000_000
			if test.options.Mono {
				test.want.Boot += offset
			}
		}
		file, _ := rawfile.Htrace(events, test.options)
		must.Equal(t, open(t, file, binarytrace.Options{}).Clock(), test.want, "%s", name)
	}
	file, _ := rawfile.Sys(events, rawfile.SysOptions{BaseInfo: true})
	want := binarytrace.Clock{Boot: trace.Time(events[0].Time / 1e6 * 1e6), Unix: 1_700_000_000_000_000_000}
	must.Equal(t, open(t, file, binarytrace.Options{}).Clock(), want, "BASE_INFO")
}

// Names beyond the limit are left out and counted.
func TestNamesLimit(t *testing.T) {
	var events []rawfile.Event
	for i := range 50 {
		events = append(events, rawfile.Event{Comm: fmt.Sprint("thread", i), TID: int32(1000 + i), PID: 1000, Time: 5e9 + int64(i)*1000, Name: "print", Args: "E|1000"})
	}
	file, _ := rawfile.Sys(events, rawfile.SysOptions{HongMeng: true})
	text, warnings := read(t, file, binarytrace.Options{Limits: trace.Limits{Threads: 20}})
	// CMDLINES names the idle thread, too, which has no process.
	if n := strings.Count(text, "thread"); n != 19 || len(warnings) != 1 || !strings.HasPrefix(warnings[0], "62 × name") {
		t.Errorf("%d names, %q; want 19, and the names and processes of 31 threads left out", n, warnings)
	}
}
