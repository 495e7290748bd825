package hitrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// within reports whether part is a piece of whole's own bytes.
func within(part, whole []byte) bool {
	if len(part) == 0 {
		return true
	}
	at := uintptr(unsafe.Pointer(&part[0])) - uintptr(unsafe.Pointer(unsafe.SliceData(whole)))
	return at <= uintptr(len(whole)) && at+uintptr(len(part)) <= uintptr(len(whole))
}

// goldenTraces are the texts of the goldens of frames, by file name.
func goldenTraces(t testing.TB) iter.Seq2[string, []byte] {
	paths, err := filepath.Glob("../../../testdata/frames/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	return func(yield func(string, []byte) bool) {
		for _, path := range paths {
			archive := must.Get(txtar.ParseFile(path))(t)
			for _, f := range archive.Files {
				if f.Name == "trace" && !yield(filepath.Base(path), f.Data) {
					return
				}
			}
		}
	}
}

// seedLines adds each line of the project's small traces, from its event's args
// on if so wanted.
func seedLines(f *testing.F, add func(line []byte)) {
	seen := map[string]bool{}
	text := must.Get(os.ReadFile("../../../cmd/ohframe/testdata/frames.ftrace"))(f)
	lines := func(text []byte) {
		for line := range bytes.Lines(text) {
			line = bytes.TrimSuffix(line, []byte("\n"))
			// One line for each shape: numbers differ.
			shape := string(regexp.MustCompile(`\d+`).ReplaceAll(line, []byte("0")))
			if !seen[shape] {
				seen[shape] = true
				add(line)
			}
		}
	}
	lines(text)
	for _, golden := range goldenTraces(f) {
		lines(golden)
	}
}

// A line's columns are pieces of it and in range, and printed anew they are the
// same columns.
func FuzzLine(f *testing.F) {
	seedLines(f, func(line []byte) { f.Add(line) })
	f.Fuzz(func(t *testing.T, text []byte) {
		var l Line
		problem := ParseLine(text, &l)
		if problem >= problemsCount {
			t.Fatalf("problem %d", problem)
		}
		if problem != NoProblem {
			return
		}
		if !within(l.Comm, text) || !within(l.Name, text) || !within(l.Args, text) || !bytes.HasSuffix(text, l.Args) {
			t.Errorf("columns outside the line: %+v", l)
		}
		if l.Time < 0 || l.Time > trace.MaxTime || l.CPU < 0 || l.TID < 0 || l.PID < trace.UnknownPID || len(l.Name) == 0 {
			t.Errorf("out of range: %+v", l)
		}
		if bytes.IndexByte(l.Comm, '[') >= 0 {
			return // what follows it then decides which bracket is the processor's
		}
		pid := "-----"
		if l.PID != trace.UnknownPID {
			pid = strconv.Itoa(int(l.PID))
		}
		flags := "d..."
		switch {
		case l.InInterrupt:
			flags = "..h."
		case l.NoFlags:
			flags = "...."
		}
		printed := fmt.Appendf(nil, "%s-%d (%s) [%03d] %s %s: %s: %s", l.Comm, l.TID, pid, l.CPU, flags, l.Time, l.Name, l.Args)
		var again Line
		if problem := ParseLine(printed, &again); problem != NoProblem {
			t.Fatalf("%q, printed as %q: %s", text, printed, problem)
		}
		must.Equal(t, fmt.Sprintf("%+v", again), fmt.Sprintf("%+v", l), "%q, printed as %q", text, printed)
	})
}

// describe says all that there is to an event.
func (e *Event) describe() string {
	return fmt.Sprintf("%d %+v %d %d %t %s", e.Number, e.Line, e.Kind, e.Word, e.Outside, e.Marker.describe())
}

func (m *Marker) describe() string {
	if m.Phase == NotAMarker {
		return "no marker"
	}
	return fmt.Sprintf("%c %d %q %q %d", m.Phase, m.PID, m.Name, m.Track, m.Value)
}

// Every line of a block is either an event or a problem, whichever way lines end.
func FuzzBatch(f *testing.F) {
	slow.SkipRace(f)
	for _, text := range goldenTraces(f) {
		f.Add(text)
	}
	f.Add([]byte("\n\r\n\n"))
	f.Add([]byte(onVsync + "\n" + " demo.app-200 (  200) [001] .... 1.000001: : 0" + strings.Repeat("\n", 100)))
	f.Add([]byte("  render_service-100  (  100) [000] A00 .000000: t: \n  render_service-100  (  100) [0] 0.0:t:0"))
	f.Add([]byte("[\n[ 0]" + strings.Repeat(" ", 200)))
	f.Add([]byte(onVsync + "\r\n" + onVsync + strings.Repeat("x", 300) + "\n" + onVsync))
	const maxLine = 300
	f.Fuzz(func(t *testing.T, text []byte) {
		events := func(text []byte) (list []string) {
			text = append(make([]byte, 0, len(text)+256), text...) // as in the buffer of a block
			var b Batch
			b.Parse(text, maxLine)
			b.Parse(text, maxLine) // what it has learned of the lines makes no difference
			var numbers []int
			lines := bytes.Split(text, []byte("\n"))
			for i := range b.Events {
				e := &b.Events[i]
				var l Line
				if problem := ParseLine(bytes.TrimSuffix(lines[e.Number-1], []byte("\r")), &l); problem != NoProblem {
					t.Errorf("%s, read alone: %s", e.describe(), problem)
				}
				l.Args = e.Args
				must.Equal(t, fmt.Sprintf("%+v", e.Line), fmt.Sprintf("%+v", l))
				if !within(e.Args, text) || !within(e.Marker.Name, text) || !within(e.Marker.Track, text) {
					t.Errorf("event outside the block: %s", e.describe())
				}
				numbers = append(numbers, e.Number)
				list = append(list, e.describe())
			}
			for _, p := range b.problems {
				numbers = append(numbers, p.Line)
				list = append(list, fmt.Sprint(p))
			}
			slices.Sort(numbers)
			for i, n := range numbers {
				if n != i+1 {
					t.Fatalf("line %d is missing or there twice", i+1)
				}
			}
			count := len(lines)
			if len(lines[count-1]) == 0 {
				count--
			}
			if b.lines != count || len(numbers) != count {
				t.Errorf("%d lines, %d accounted for, want %d", b.lines, len(numbers), count)
			}
			return list
		}
		unix := bytes.ReplaceAll(text, []byte("\r"), nil)
		must.EqualSlices(t, events(bytes.ReplaceAll(unix, []byte("\n"), []byte("\r\n"))), events(unix), "with CR LF")
		events(text)
	})
}

const onVsync = " demo.app-200 (  200) [001] .... 1.000001: print: B|200|H:OnVsyncEvent now:5|I39"

// print spells a marker as the systems from 5.1 on do, so that its own blanks and
// bars are not confused with those that some writers add.
func (m *Marker) print() []byte {
	if m.Phase == Sync {
		return append(slices.Clone(clockSync), m.Name...)
	}
	text := []byte{byte(m.Phase)}
	if m.PID != trace.UnknownPID {
		text = fmt.Appendf(text, "|%d", m.PID)
	}
	first := m.Name
	switch m.Phase {
	case End:
		return text
	case Begin, Instant:
		text = fmt.Appendf(text, "|%s ", m.Name)
	case TrackInstant:
		text = fmt.Appendf(text, "|%s|%s", m.Track, m.Name)
		first = m.Track
	case TrackBegin, TrackEnd:
		text = fmt.Appendf(text, "|%s|%s|%d", m.Track, m.Name, m.Value)
		first = m.Track
	default:
		text = fmt.Appendf(text, "|%s|%d", m.Name, m.Value)
	}
	if bytes.HasPrefix(first, []byte("H:")) {
		text = append(text, "|M62"...)
	}
	return text
}

// A marker's fields are pieces of it, and printed anew they are the same fields.
func FuzzMarker(f *testing.F) {
	seedLines(f, func(line []byte) {
		var l Line
		if ParseLine(line, &l) == NoProblem && KindOf(l.Name) == MarkerEvent {
			f.Add(l.Args)
		}
	})
	for _, text := range []string{
		"0xffff8000: B|1|H:x|M62", "E", "E|", "E|7|I38", "B|1|", "B|1|H:[8b00e96b2,2,1]#in a chain|M62", "B|1|H:with|a|bar|M0538|custom",
		"S|1|H:name|-12|M0538|category|custom", "S|1|H:name 12", "F|1|android name|12", "C|1|H:name|-9223372036854775808|I62", "C|1|with |bar|3|category",
		"I|1|with|a bar", "N|1|track|with|a bar", "G|1|track|with|a bar|12", "H|1|track|12", "H|1|H:track||12|D303961",
		"trace_event_clock_sync: parent_ts=1.5", "trace_event_clock_sync: realtime_ts=1500", "S|1|H: 5", "C|1|x|9223372036854775808",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		var m Marker
		problem := ParseMarker(args, &m)
		if problem >= problemsCount {
			t.Fatalf("problem %d", problem)
		}
		if problem != NoProblem {
			return
		}
		if !within(m.Name, args) || !within(m.Track, args) || m.PID < trace.UnknownPID || m.PID == trace.UnknownPID && m.Phase != End && m.Phase != Sync {
			t.Errorf("%q: %+v", args, m)
		}
		label := m.Label()
		if !bytes.HasSuffix(m.Name, label) || len(label) > 0 && !bytes.HasPrefix(m.Name, []byte("H:")) {
			t.Errorf("label %q of %q", label, m.Name)
		}
		if w := Recognize(label); int(w) >= WordCount || w != Other && len(label) == 0 {
			t.Errorf("%q is word %d", label, w)
		}
		if named := m.Phase != End && m.Phase != Begin && m.Phase != TrackEnd; named && len(m.Name) == 0 && m.Phase != Sync {
			t.Errorf("%q has no name", args)
		}
		printed := m.print()
		var again Marker
		if problem := ParseMarker(printed, &again); problem != NoProblem {
			t.Fatalf("%q, printed as %q: %s", args, printed, problem)
		}
		must.Equal(t, again.describe(), m.describe(), "%q, printed as %q", args, printed)
	})
}

// fieldPatterns find the first field of a name in a label, its number, and
// whether something follows that is no end of a number.
var fieldPatterns = map[string]*regexp.Regexp{}

func init() {
	for key, number := range map[string]string{
		"now": "[0-9]*", "expectedEnd": "[0-9]*", "timestamp": "[0-9]*", "period": "[0-9]*", "rate": "[0-9]*", "tid": "[0-9]*",
		"vsyncId": "-?[0-9]*", "vsyncID": "-?[0-9]*",
	} {
		fieldPatterns[key] = regexp.MustCompile(`(?s)(?:^|[^0-9A-Za-z_])` + key + `:[ \t]*(` + number + `)([A-Za-z_]?)`)
	}
}

// spelled returns what a label spells for a field, by another way than the parser's.
func spelled(label []byte, key string) (value int64, damaged bool) {
	match := fieldPatterns[key].FindSubmatch(label)
	if match == nil {
		return 0, false
	}
	value, err := strconv.ParseInt(string(match[1]), 10, 64)
	if isID := strings.HasPrefix(key, "vsync"); isID && (value < 0 || errors.Is(err, strconv.ErrRange)) {
		// An id of up to 64 bits that is unknown, not damaged.
		return 0, len(match[2]) > 0 || len(bytes.TrimPrefix(match[1], []byte("-"))) > 20
	}
	if err != nil || len(match[2]) > 0 {
		return 0, true
	}
	return value, false
}

var (
	pairPattern   = regexp.MustCompile(`\[[ \t]*([0-9]+)[ \t]*,[ \t]*([0-9]+)[ \t]*(?:,[ \t]*([0-9]+)[ \t]*)?\]`)
	putOffPattern = regexp.MustCompile(`(?:cache|skip to) *$`)
)

// spelledPairs returns the transactions of a ProcessCommandUni marker, by another
// way than the parser's.
func spelledPairs(label []byte) (list []Transaction) {
	for _, at := range pairPattern.FindAllSubmatchIndex(label, -1) {
		number := func(i int, bits int) (int64, error) {
			return strconv.ParseInt(string(label[at[2*i]:at[2*i+1]]), 10, bits)
		}
		pid, bad := number(1, 32)
		last := 2
		if at[6] >= 0 {
			_, err := number(2, 32)
			bad, last = errors.Join(bad, err), 3
		}
		index, err := number(last, 64)
		if errors.Join(bad, err) == nil && !putOffPattern.Match(label[:at[0]]) {
			list = append(list, Transaction{trace.PID(pid), index})
		}
	}
	return list
}

// The fields of a label have the values in its text. Fields that are not numbers are flagged.
func FuzzFields(f *testing.F) {
	slow.SkipRace(f)
	seedLines(f, func(line []byte) {
		var b Batch
		b.Parse(line, len(line))
		if len(b.Events) > 0 && b.Events[0].Word != Other {
			f.Add(b.Events[0].Marker.Label())
		}
	})
	for _, text := range []string{
		"ReceiveVsync name:rs dataCount: 48bytes now:x expectedEnd: 1 vsyncId:99999999999999999999", "ReceiveVsync dataCount:25bytes renow:5 now:6_",
		"UIVsyncTask[timestamp:5][vsyncID:18446744073709551615]", "UIVsyncTask[timestamp:5][vsyncID:-1]", "ReceiveVsync now:5 vsyncId:-1_", "MarshRSTransactionData transactionFlag:[ 1 , 2 ,3],tid:4294967296,timestamp:-1",
		"RSMainThread::ProcessCommandUni [1,2] cache [1,3] cache (1,4) skip to[1,5], [2147483648,1][1, 7]", "ProcessCommandUni [1,2,3] [1,[4,5]",
		"CommitLayers rate:60, now:5, vsyncId:6 Names:now:7", "Waiting for PresentFence_0 12 has signaled", "Waiting for Waiting for Present Fence -3",
		"RSMainThread::DoComposition: 5x", "GenerateVsyncCount:1, period:8333333, now:7",
		" parent_ts=1.500000001", "realtime_ts=9000000000000", "parent_ts=-1", "parent_ts=9000000000.999999999",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, label []byte) {
		// check compares fields with what the label spells. values has times, then ids.
		check := func(damaged bool, keys string, values ...int64) {
			t.Helper()
			bad := false
			for i, key := range strings.Fields(keys) {
				want, isBad := spelled(label, key)
				if isTime := !strings.HasPrefix(key, "vsync") && key != "period"; isTime && want > trace.MaxTime {
					want, isBad = 0, true
				}
				must.Equal(t, values[i], want, "%q: %s", label, key)
				bad = bad || isBad
			}
			must.Equal(t, damaged, bad, "%q: %s: damaged", label, keys)
		}
		v := ParseVsync(label)
		if !bytes.Contains(label, []byte("dataCount:")) {
			check(v.Damaged, "now expectedEnd vsyncId", int64(v.Now), int64(v.ExpectedEnd), v.VsyncID)
		}
		if v.Queued < 0 || !within(v.Receiver, label) || bytes.ContainsAny(v.Receiver, " ,") {
			t.Errorf("%q: %+v", label, v)
		}
		now, damaged := ParseOnVsyncEvent(label)
		check(damaged, "now", int64(now))
		task := ParseVsyncTask(label)
		check(task.Damaged, "timestamp vsyncID", int64(task.Timestamp), task.VsyncID)
		generated, damaged := ParseGenerated(label)
		check(damaged, "period now", int64(generated.Period), int64(generated.Now))

		m, ok := ParseMarsh(label)
		if m.PID < 0 || m.Index < 0 || m.TID < 0 || m.Timestamp < 0 || !ok && m != (Marsh{}) {
			t.Errorf("%q: %+v", label, m)
		}
		var applied []Transaction
		for t, isApplied := range Transactions(label) {
			if isApplied {
				applied = append(applied, t)
			}
		}
		must.EqualSlices(t, applied, spelledPairs(label), "%q applies", label)
		if at := ParseDoComposition(label); at < 0 {
			t.Errorf("%q: composed at %d", label, at)
		}
		before, _, _ := bytes.Cut(label, []byte("Names:"))
		c := ParseCommit(label)
		if c.Now < 0 || c.VsyncID < 0 || c.Rate < 0 || c != ParseCommit(before) {
			t.Errorf("%q: %+v", label, c)
		}
		if fence, ok := ParseFence(label); ok && (len(fence.Tracker) == 0 || !within(fence.Tracker, label)) {
			t.Errorf("%q: %v", label, fence)
		}
		if s, ok := ParseClockSync(label); ok && (s.Monotonic < 0 || s.Realtime < 0 || s.Step < 0) {
			t.Errorf("%q: %+v", label, s)
		}
	})
}

// The fields of the scheduler's events, printed anew, are the same.
func FuzzSched(f *testing.F) {
	for _, text := range []string{
		"prev_comm=ui thread prev_pid=200 prev_prio=120 prev_state=R+ ==> next_comm=swapper/0 next_pid=0 next_prio=120",
		"prev_comm= prev_pid=1 prev_prio=-1 prev_state=D|K expel=0 ==> next_comm=a next_pid=9 next_pid=2 next_prio=3 load=4",
		"comm=ui thread pid=200 prio=120 target_cpu=003", "comm=a pid=1 prio=-2 success=1 target_cpu=7", "comm= pid=2147483648 prio=1 target_cpu=0",
		"ui thread:200 [120] R+ ==> swapper/1:0 [-1]", ":1 [2] D|K ==> a:b:3 [4]", "ui thread:200 [120] CPU:003", "a:1 [-2] success=1 CPU:7",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		if s, ok := ParseFields([]byte("sched_switch"), args).(*Switch); ok {
			if s.PrevTID < 0 || s.NextTID < 0 || !within(s.PrevComm, args) || !within(s.NextComm, args) || !within(s.PrevState, args) || bytes.IndexByte(s.PrevState, ' ') >= 0 {
				t.Errorf("%q: %+v", args, s)
			}
			printed := fmt.Appendf(nil, "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s  ==> next_comm=%s next_pid=%d next_prio=%d",
				s.PrevComm, s.PrevTID, s.PrevPrio, s.PrevState, s.NextComm, s.NextTID, s.NextPrio)
			if again, ok := ParseFields([]byte("sched_switch"), printed).(*Switch); !ok || fmt.Sprintf("%q", again) != fmt.Sprintf("%q", s) {
				t.Errorf("%q, printed as %q, is %q, want %q", args, printed, again, s)
			}
		}
		if w, ok := ParseFields([]byte("sched_wakeup"), args).(*Wakeup); ok {
			if w.TID < 0 || w.TargetCPU < 0 || !within(w.Comm, args) {
				t.Errorf("%q: %+v", args, w)
			}
			printed := fmt.Appendf(nil, "comm=%s pid=%d prio=%d target_cpu=%03d", w.Comm, w.TID, w.Prio, w.TargetCPU)
			if again, ok := ParseFields([]byte("sched_waking"), printed).(*Wakeup); !ok || fmt.Sprintf("%q", again) != fmt.Sprintf("%q", w) {
				t.Errorf("%q, printed as %q, is %q, want %q", args, printed, again, w)
			}
		}
	})
}

// sources hand the same bytes out in different ways.
func sources(text []byte) map[string]io.Reader {
	return map[string]io.Reader{
		"whole":       bytes.NewReader(text),
		"halves":      iotest.HalfReader(bytes.NewReader(text)),
		"bytes":       iotest.OneByteReader(bytes.NewReader(text)),
		"end at once": iotest.DataErrReader(bytes.NewReader(text)),
	}
}

// passed is what came out of reading a trace.
type passed struct {
	events string
	totals string
	strays int
	err    error
}

// pass reads a trace with the pipeline.
func pass(t *testing.T, r io.Reader, o Options) passed {
	t.Helper()
	var events strings.Builder
	totals, err := Run(t.Context(), r, o, Sink{Track: func(_ int, b *Batch) {
		for i := range b.Events {
			if e := &b.Events[i]; !e.Outside {
				events.WriteString(e.describe() + "\n")
			}
		}
	}})
	return passed{events.String(), fmt.Sprint(*totals), totals.Problems.counts[StrayTime].Total, err}
}

// A trace is the same events whatever the size of the blocks, the number of
// workers and the way in which the source hands out its bytes.
func FuzzRun(f *testing.F) {
	for _, text := range goldenTraces(f) {
		f.Add(text, byte(200), uint16(0), byte(0))
	}
	f.Add([]byte(mixed()[:6000]), byte(90), uint16(3), byte(2))
	f.Add([]byte(strings.Repeat(onVsync+"\n", 5)+strings.Repeat(strings.Replace(onVsync, " 1.", " 90001.", 1)+"\r\n", 20)), byte(90), uint16(100), byte(1))
	// White space at the end, within the limit and beyond it.
	f.Add([]byte(onVsync+" \r\r\n"+onVsync+strings.Repeat(" ", 300)+"\n"+onVsync+strings.Repeat(" ", 300)+"x\n"+onVsync), byte(200), uint16(0), byte(0))
	// Headers in blocks without events, before the first event and after.
	padding, header := strings.Repeat("#\n", 200), "# tracer: nop\n"
	later := strings.Replace(onVsync, " 1.", " 9.", 1) + "\n"
	f.Add([]byte(onVsync+"\n"+padding+header+padding+later), byte(200), uint16(64), byte(0))
	f.Add([]byte(header+padding+onVsync+"\n"+padding+header+padding+later+header+padding+onVsync+"\n"+later), byte(200), uint16(64), byte(0))
	f.Fuzz(func(t *testing.T, text []byte, line byte, block uint16, window byte) {
		if len(text) > 20_000 {
			return
		}
		o := Options{Workers: 1, blockSize: int(block) + 1, Limits: trace.Limits{Line: int(line) + 1}}
		if window > 0 {
			o.Window.From, _ = trace.ParseEdge(fmt.Sprintf("+%dms", window/8))
			o.Window.To, _ = trace.ParseEdge(fmt.Sprintf("+%dms", window))
		}
		want := pass(t, bytes.NewReader(text), o)
		if want.err != nil {
			t.Fatal(want.err)
		}
		for _, o.Workers = range []int{2, 8} {
			for name, source := range sources(text) {
				if o.Workers == 8 && name != "whole" {
					continue
				}
				if got := pass(t, source, o); got != want {
					t.Fatalf("%d workers, %s:\n%+v\nwant\n%+v", o.Workers, name, got, want)
				}
			}
		}

		// Each block decides alone whether times are stray.
		o.blockSize = len(text) + 1
		if whole := pass(t, bytes.NewReader(text), o); whole.strays+want.strays == 0 && whole != want {
			t.Errorf("in blocks of %d:\n%+v\nin one:\n%+v", block, want, whole)
		}
		o.blockSize = int(block) + 1

		totals := must.Get(Run(t.Context(), bytes.NewReader(text), o, Sink{Track: func(int, *Batch) {}}))(t)
		if got := totals.Events + totals.Outside + totals.Problems.Lost() + totals.Problems.Ignored(); got != totals.Lines {
			t.Errorf("%d lines, %d accounted for: %+v", totals.Lines, got, totals)
		}
	})
}
