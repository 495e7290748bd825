package exporter

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
	"ohframe/internal/engine/enginetest"
)

// window returns the window between two edges as they are spelled on the command
// line.
func window(t *testing.T, from, to string) hitrace.Options {
	t.Helper()
	var w hitrace.Window
	var err error
	if w.From, err = hitrace.ParseEdge(from); err != nil {
		t.Fatal(err)
	}
	if w.To, err = hitrace.ParseEdge(to); err != nil {
		t.Fatal(err)
	}
	return hitrace.Options{Window: w}
}

// timeColumn finds a line's time, in seconds and microseconds.
var timeColumn = regexp.MustCompile(`\[\d+\] .{0,10} (\d+)\.(\d{6}): `)

// lineTimes returns the times of the lines that have one, in microseconds.
func lineTimes(text string) []int64 {
	var times []int64
	for line := range strings.Lines(text) {
		if m := timeColumn.FindStringSubmatch(line); m != nil {
			seconds, _ := strconv.ParseInt(m[1], 10, 64)
			rest, _ := strconv.ParseInt(m[2], 10, 64)
			times = append(times, seconds*1e6+rest)
		}
	}
	return times
}

// eventsIn counts the events that packets hold, in whatever form.
func eventsIn(t *testing.T, data []byte) int {
	t.Helper()
	n := 0
	for _, p := range packetsOf(t, data) {
		bundle := p.GetFtraceEvents()
		compact := bundle.GetCompactSched()
		n += len(bundle.GetEvent()) + len(compact.GetSwitchTimestamp()) + len(compact.GetWakingTimestamp())
	}
	return n
}

// checkCounts checks that each line of a trace is in one count of the summary,
// and that what was exported is there.
func checkCounts(t *testing.T, text string, data []byte, s *Summary) {
	t.Helper()
	lines := strings.Count(text, "\n")
	if !strings.HasSuffix(text, "\n") && text != "" {
		lines++
	}
	if s.Totals.Lines != lines {
		t.Errorf("%d lines, want %d", s.Totals.Lines, lines)
	}
	problems := &s.Totals.Problems
	sum := problems.Ignored() + problems.Lost() + s.Totals.Outside + s.Exported + s.Unmatched + s.Unencodable + s.LeftOut
	if sum != lines {
		t.Errorf("of %d lines %d are accounted for: %d headers, %d not understood, %d outside, %d exported, %d unmatched, %d unencodable, %d left out",
			lines, sum, problems.Ignored(), problems.Lost(), s.Totals.Outside, s.Exported, s.Unmatched, s.Unencodable, s.LeftOut)
	}
	if n := eventsIn(t, data); n != s.Exported {
		t.Errorf("%d events in the output, %d counted", n, s.Exported)
	}
}

// Every line goes somewhere.
func TestEveryLineIsCounted(t *testing.T) {
	for name, text := range parityTraces(t) {
		t.Run(name, func(t *testing.T) {
			times := lineTimes(text)
			slices.Sort(times)
			middle := times[len(times)/2]
			half := fmt.Sprintf("%d.%06d", middle/1e6, middle%1e6)
			for of, options := range map[string]Options{
				"all of it":    {},
				"frames":       {FramesOnly: true},
				"compressed":   {Compress: true},
				"first half":   {Reader: window(t, "", half)},
				"second half":  {Reader: window(t, half, "")},
				"frames of it": {Reader: window(t, half, ""), FramesOnly: true},
				"nothing":      {Reader: window(t, "+0s", "+0s")},
				"a bit":        {Reader: window(t, "+10ms", "+20ms")},
			} {
				data, summary := convert(t, text, options)
				checkCounts(t, text, data, summary)
				if t.Failed() {
					t.Fatal(of)
				}
			}
			// What is outside can be counted in the text.
			_, summary := convert(t, text, Options{Reader: window(t, half, "")})
			before := 0
			for _, at := range times {
				if at < middle {
					before++
				}
			}
			if got := summary.Totals.Outside; got > before || got < before-summary.Totals.Problems.Lost() {
				t.Errorf("%d lines outside, want %d less those not understood", got, before)
			}
		})
	}
}

// The output is the same to the byte by any number of workers and from any
// source, also of a part of the trace.
func TestWorkersAndSourcesMakeNoDifference(t *testing.T) {
	text := parityTrace(false, 20_000)
	for _, options := range []Options{
		{},
		{FramesOnly: true},
		{Compress: true},
		{Reader: window(t, "+5ms", "+20ms")},
	} {
		want, _ := convert(t, text, options)
		for _, options.Reader.Workers = range []int{1, 2, 3, 8} {
			sources := map[string]io.Reader{
				"whole":            strings.NewReader(text),
				"halves":           iotest.HalfReader(strings.NewReader(text)),
				"with its end":     iotest.DataErrReader(strings.NewReader(text)),
				"in odd pieces":    &pieces{text: text, random: rand.New(rand.NewPCG(1, 2))},
				"byte after byte":  iotest.OneByteReader(strings.NewReader(text)),
				"now and then not": &pieces{text: text, random: rand.New(rand.NewPCG(1, 2)), empty: true},
			}
			for name, source := range sources {
				var out bytes.Buffer
				if _, err := Convert(t.Context(), source, &out, options); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(out.Bytes(), want) {
					t.Errorf("%d workers, source %s, %+v: other bytes", options.Reader.Workers, name, options)
				}
			}
		}
	}
}

// pieces hands out a text in pieces of any size.
type pieces struct {
	text   string
	random *rand.Rand
	empty  bool // now and then none at all
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	if p.empty && p.random.IntN(3) == 0 {
		return 0, nil
	}
	n := copy(b, p.text[:min(len(p.text), 1+p.random.IntN(10_000))])
	p.text = p.text[n:]
	return n, nil
}

// A compressed trace is smaller and the same to Perfetto.
func TestCompressedIsTheSame(t *testing.T) {
	enginetest.ForTest(t)
	demo, err := os.ReadFile("../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"demo": string(demo), "made": parityTrace(true, 3000), "empty": "# tracer: nop\n"} {
		plain, _ := convert(t, text, Options{})
		compressed, _ := convert(t, text, Options{Compress: true})
		if len(compressed) > len(plain) {
			t.Errorf("%s: %d bytes, %d without compression", name, len(compressed), len(plain))
		}
		a, b := enginetest.Load(t, plain), enginetest.Load(t, compressed)
		enginetest.CheckGate(t, b)
		for _, table := range parityTables {
			compare(t, name+": "+table.name, table.imported(t, b), table.imported(t, a))
		}
	}
}

// A window cuts frames: those are truncated, the others are as they were.
func TestWindowTruncatesFrames(t *testing.T) {
	demo, err := os.ReadFile("../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	_, whole := convert(t, string(demo), Options{})
	span := whole.Timeline.Span
	from, to := span.Start.Add(span.Duration()/4), span.Start.Add(span.Duration()*3/4)
	data, part := convert(t, string(demo), Options{Reader: window(t, from.String(), to.String())})

	type key struct {
		tid   int32
		start int64
	}
	frames := map[key]*analyzer.Frame{}
	for _, f := range part.Timeline.Frames {
		frames[key{int32(f.TID), int64(f.Actual.Start)}] = f
	}
	inside, cut := 0, 0
	for f := range whole.Timeline.Complete() {
		got := frames[key{int32(f.TID), int64(f.Actual.Start)}]
		switch {
		case f.Actual.Start >= from && f.Actual.End < to:
			inside++
			if got == nil || got.Facts.Has(analyzer.Truncated) || got.Actual != f.Actual || got.VsyncID != f.VsyncID {
				t.Errorf("frame %d of %d at %s: got %+v", f.VsyncID, f.TID, f.Actual.Start, got)
			}
		case f.Actual.Start >= from && f.Actual.Start < to:
			cut++
			if got == nil || !got.Facts.Has(analyzer.Truncated) {
				t.Errorf("frame %d of %d at %s ends outside: got %+v", f.VsyncID, f.TID, f.Actual.Start, got)
			}
		case got != nil:
			t.Errorf("frame %d of %d at %s is outside", f.VsyncID, f.TID, f.Actual.Start)
		}
	}
	if inside < 20 || cut == 0 {
		t.Errorf("%d frames inside, %d cut: the window tests nothing", inside, cut)
	}
	complete := 0
	for range part.Timeline.Complete() {
		complete++
	}
	shown := 0
	for _, p := range packetsOf(t, data) {
		e := p.GetFrameTimelineEvent()
		if e.GetActualSurfaceFrameStart() != nil || e.GetActualDisplayFrameStart() != nil {
			shown++
		}
	}
	if shown != complete {
		t.Errorf("%d frames shown, want the %d complete ones", shown, complete)
	}
	session := enginetest.Load(t, data)
	enginetest.CheckGate(t, session)
	if got := query(t, session, fmt.Sprintf("SELECT ts FROM slice JOIN thread_track ON thread_track.id = track_id WHERE ts < %d OR ts + max(dur, 0) >= %d", from, to)); len(got) > 0 {
		t.Errorf("%d slices of threads outside the window", len(got))
	}
}

// hostile are inputs that no device writes, n lines long.
var hostile = map[string]func(n int) io.Reader{
	"malformed lines": func(n int) io.Reader {
		return repeated(n, func(i int) string { return fmt.Sprintf("line %d is no line [000] at all\n", i) })
	},
	"long lines": func(n int) io.Reader {
		long := "app-1 (    1) [000] .... " + strings.Repeat("x", 1<<20) + "\n"
		return repeated(n, func(i int) string {
			if i%5000 == 2500 {
				return long
			}
			return madeLine(i, 1, 0, "print", "I|1|between")
		})
	},
	"one line": func(n int) io.Reader {
		return repeated(n, func(int) string { return strings.Repeat("[0] 1.1: x-", 10) })
	},
	"times backwards": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(n-i, 1, 0, "print", "I|1|back") })
	},
	"times at a stand": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(0, i%500, i%8, "print", "B|1|still") })
	},
	"processes": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1+i%100_000, 0, "print", fmt.Sprintf("I|%d|here", 1+i%100_000)) })
	},
	"processors": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			return madeLine(i, 1, i%1000, "sched_waking", "comm=sleeper pid=2 prio=120 target_cpu=000")
		})
	},
	"processors in turn": func(n int) io.Reader {
		long := "I|1|" + strings.Repeat("x", 1000)
		return repeated(n, func(i int) string { return madeLine(i, 1, i/300%1000, "print", long) })
	},
	"names": func(n int) io.Reader {
		return repeated(n, func(i int) string {
			return madeLine(i, i%5000, 0, "sched_switch", fmt.Sprintf(
				"prev_comm=n%d prev_pid=%d prev_prio=120 prev_state=R ==> next_comm=n%d next_pid=%d next_prio=120", i, i%5000, i+1, (i+1)%5000))
		})
	},
	"open slices": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", "B|1|H:begun") })
	},
	"ends": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", []string{"E|1|", "F|1|H:x|1|M62"}[i%2]) })
	},
	"nothing but zeros": func(n int) io.Reader {
		return repeated(n, func(i int) string { return strings.Repeat("\x00", 80) + "\n" })
	},
	"no text": func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", "C|1|\xff\xfe\x00|1") })
	},
}

// madeLine returns the line of a thread whose process is it alone.
func madeLine(at, tid, cpu int, event, args string) string {
	return fmt.Sprintf("  app-%d (%5d) [%03d] .... %5d.%06d: %s: %s\n", tid, tid, cpu, 100+at/1e6, at%1e6, event, args)
}

// repeated is a source that makes n lines as they are read.
func repeated(n int, line func(i int) string) io.Reader { return &lineSource{n: n, line: line} }

type lineSource struct {
	i, n int
	line func(i int) string
	rest string
}

func (s *lineSource) Read(b []byte) (int, error) {
	total := 0
	for total < len(b) {
		if s.rest == "" {
			if s.i == s.n {
				break
			}
			s.rest = s.line(s.i)
			s.i++
		}
		n := copy(b[total:], s.rest)
		s.rest = s.rest[n:]
		total += n
	}
	if total == 0 {
		return 0, io.EOF
	}
	return total, nil
}

// Whatever is read, it is counted, what can be converted is, and Perfetto finds
// nothing wrong with it.
func TestHostileInputIsConverted(t *testing.T) {
	enginetest.ForTest(t)
	for name, lines := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 10_000
			if name == "processes" {
				n = 100_000
			}
			text, err := io.ReadAll(lines(n))
			if err != nil {
				t.Fatal(err)
			}
			good := madeLine(200_000, 7, 1, "print", "C|7|good|1")
			data, summary := convert(t, good+string(text)+"\n"+good, Options{})
			checkCounts(t, good+string(text)+"\n"+good, data, summary)
			session := enginetest.Load(t, data)
			enginetest.CheckGate(t, session)
			got := query(t, session, "SELECT ts, value FROM counter JOIN track ON track.id = track_id WHERE track.name = 'good'")
			var want rows
			for range 2 {
				want.add(int64(100_200_000_000), 1.0)
			}
			compare(t, "good lines", got, want)
		})
	}
}

// Damage anywhere costs the damaged lines, not the trace.
func TestDamagedTraces(t *testing.T) {
	enginetest.ForTest(t)
	demo, err := os.ReadFile("../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	_, whole := convert(t, string(demo), Options{})
	for _, damaged := range []int{1, 30, 300, 3000} {
		text := slices.Clone(demo)
		for range damaged {
			text[random.IntN(len(text))] = byte(random.Uint32())
		}
		data, summary := convert(t, string(text), Options{})
		checkCounts(t, string(text), data, summary)
		// A byte damages its line, or two if it ends one or becomes an end, and a
		// begin or an end may lose the other.
		if got := summary.Exported; got < whole.Exported-4*damaged {
			t.Errorf("%d bytes damaged: %d events of %d", damaged, got, whole.Exported)
		}
		session := enginetest.Load(t, data)
		table, err := session.Gate()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range table.Rows {
			// Lines of scheduling are gone, and Perfetto is right to say so.
			if row[0] != "mismatched_sched_switch_tids" {
				t.Errorf("%d bytes damaged: the trace processor reports %v", damaged, row)
			}
		}
	}
}

// The last line may be cut anywhere: it is whole, it is something else that can
// be understood, or it is lost.
func TestCutTraces(t *testing.T) {
	demo, err := os.ReadFile("../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(demo)))
	text := strings.Join(lines[:200], "")
	_, whole := convert(t, text, Options{})
	for n := range len(lines[200]) + len(lines[201]) {
		cut := text + (lines[200] + lines[201])[:n]
		data, summary := convert(t, cut, Options{})
		checkCounts(t, cut, data, summary)
		if summary.Exported < whole.Exported {
			t.Fatalf("cut after %d bytes: %d events, %d without the line", n, summary.Exported, whole.Exported)
		}
	}
}

// A line hours away from the others does not stretch the trace.
func TestStrayLine(t *testing.T) {
	var lines []string
	for i := range 30 {
		lines = append(lines, madeLine(i*1000, 1, 0, "print", "I|1|here"))
	}
	for i := range lines {
		for _, at := range []int{3 * 3600 * 1e6, -90 * 1e6} {
			stray := madeLine(max(at, -100*1e6)+i, 1, 0, "print", "I|1|astray")
			text := strings.Join(lines[:i], "") + stray + strings.Join(lines[i:], "")
			data, summary := convert(t, text, Options{})
			checkCounts(t, text, data, summary)
			if at > 0 && summary.Timeline.Span.Duration() > trace.Second {
				t.Errorf("line %d astray: the trace is %s long", i, summary.Timeline.Span.Duration())
			}
		}
	}
}

// peakReader notes how much memory is in use while it is read.
type peakReader struct {
	io.Reader
	since int
	peak  uint64
}

func (r *peakReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if r.since += n; r.since > 1<<20 {
		r.since = 0
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		r.peak = max(r.peak, m.HeapInuse)
	}
	return n, err
}

// Memory does not grow with the input, but for what it is about: frames, open
// slices, threads and their names.
func TestHostileInputTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("short: measures")
	}
	const limit = 64 << 20
	for name, lines := range hostile {
		runtime.GC()
		source := &peakReader{Reader: lines(100_000)}
		if _, err := Convert(t.Context(), source, io.Discard, Options{Reader: hitrace.Options{Workers: 2}}); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d MiB", name, source.peak>>20)
		if source.peak > limit {
			t.Errorf("%s: %d MiB in use", name, source.peak>>20)
		}
	}
}

// Four times the lines take about four times as long: sixteen times would be
// quadratic. What is quadratic in a block of lines is seen by its speed, next to
// that of lines that are not hostile.
func TestHostileInputTakesLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("short: measures")
	}
	const few = 10_000
	// measure returns how long n lines take, and each of their bytes, in nanoseconds.
	measure := func(lines func(n int) io.Reader, n int) (all time.Duration, each float64) {
		source, err := io.ReadAll(lines(n))
		if err != nil {
			t.Fatal(err)
		}
		all = time.Hour
		for range 3 {
			start := time.Now()
			if _, err := Convert(t.Context(), bytes.NewReader(source), io.Discard, Options{Reader: hitrace.Options{Workers: 1}}); err != nil {
				t.Fatal(err)
			}
			all = min(all, time.Since(start))
		}
		return all, float64(all) / float64(len(source))
	}
	_, usual := measure(func(n int) io.Reader {
		return repeated(n, func(i int) string { return madeLine(i, 1, 0, "print", "I|1|a line like any other") })
	}, 4*few)
	for name, lines := range hostile {
		once, _ := measure(lines, few)
		fourfold, each := measure(lines, 4*few)
		t.Logf("%s: %s, fourfold %s; a byte takes %.1f times as long as usual", name, once, fourfold, each/usual)
		if fourfold > 8*once+20*time.Millisecond {
			t.Errorf("%s: %d lines take %s, %d lines %s", name, few, once, 4*few, fourfold)
		}
		if each > 40*usual {
			t.Errorf("%s: a byte takes %.1f times as long as usual", name, each/usual)
		}
	}
}
