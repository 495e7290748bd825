package pftrace

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

// window returns the window between two edges as they are spelled on the command
// line.
func window(t *testing.T, from, to string) hitrace.Options {
	t.Helper()
	var w trace.Window
	var err error
	if w.From, err = trace.ParseEdge(from); err != nil {
		t.Fatal(err)
	}
	if w.To, err = trace.ParseEdge(to); err != nil {
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

// eventsIn counts the events in packets, in whatever form.
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
	sum := problems.Ignored() + problems.Logged() + problems.Lost() + s.Totals.Outside + s.Exported + s.Unmatched + s.Unencodable + s.Over.Total() + s.LeftOut
	if sum != lines {
		t.Errorf("of %d lines %d are accounted for: %d headers, %d not understood, %d outside, %d exported, %d unmatched, %d unencodable, %d over limits, %d left out",
			lines, sum, problems.Ignored(), problems.Lost(), s.Totals.Outside, s.Exported, s.Unmatched, s.Unencodable, s.Over.Total(), s.LeftOut)
	}
	if n := eventsIn(t, data); n != s.Exported+s.Closed+s.Ended {
		t.Errorf("%d events in the output, %d counted", n, s.Exported)
	}
}

// Every line goes somewhere.
func TestEveryLineIsCounted(t *testing.T) {
	texts := map[string]string{"parity": caseFile(t, "testdata/parity/wakings.txtar")["trace"]}
	for _, path := range tracetest.Paths(t) {
		texts[tracetest.Name(path)] = tracetest.Read(t, path)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			times := lineTimes(text)
			slices.Sort(times)
			middle := times[len(times)/2]
			half := fmt.Sprintf("%d.%06d", middle/1e6, middle%1e6)
			for of, options := range map[string]Options{
				"all of it":    {},
				"all events":   {AllEvents: true},
				"frames":       {NoEvents: true},
				"compressed":   {Compress: true},
				"first half":   {Reader: window(t, "", half)},
				"second half":  {Reader: window(t, half, "")},
				"frames of it": {Reader: window(t, half, ""), NoEvents: true},
				"nothing":      {Reader: window(t, "+0s", "+0s")},
				"a bit":        {Reader: window(t, "+10ms", "+20ms")},
			} {
				data, summary := convert(t, text, options)
				checkCounts(t, text, data, summary)
				if t.Failed() {
					t.Fatal(of)
				}
			}
			// Events outside the window can be counted in the text.
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
// source, also of a part of the trace, and of many frames.
func TestWorkersAndSourcesMakeNoDifference(t *testing.T) {
	var capture bytes.Buffer
	if _, err := simulate.Write(&capture, simulate.Capture(slow.Of[int64](1, 4)<<20)); err != nil {
		t.Fatal(err)
	}
	made := capture.String()
	for _, test := range []struct {
		text    string
		options Options
	}{
		{made, Options{}},
		{made, Options{Analysis: analysis.Options{Causes: true}}},
		{made, Options{AllEvents: true}},
		{made, Options{NoEvents: true, Analysis: analysis.Options{Causes: true}}},
		{made, Options{Compress: true}},
		{made, Options{Reader: window(t, "+5ms", "+20ms")}},
		{longTrace(), Options{}},
		{longTrace(), Options{NoEvents: true, AndroidCompat: true}},
	} {
		text, options := test.text, test.options
		want, _ := convert(t, text, options)
		for _, options.Reader.Workers = range slow.Of([]int{3}, []int{1, 2, 3, 8}) {
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

// Damage anywhere costs the damaged lines, not the trace.
func TestDamagedTraces(t *testing.T) {
	demo, err := os.ReadFile("../../testdata/demo.ftrace")
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
	}
}

// The last line may be cut anywhere: it is whole, it is something else that can
// be understood, or it is lost.
func TestCutTraces(t *testing.T) {
	demo, err := os.ReadFile("../../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(demo)))
	text := strings.Join(lines[:200], "")
	_, whole := convert(t, text, Options{})
	for n := 0; n < len(lines[200])+len(lines[201]); n += slow.Of(3, 1) {
		cut := text + (lines[200] + lines[201])[:n]
		data, summary := convert(t, cut, Options{})
		checkCounts(t, cut, data, summary)
		if summary.Exported < whole.Exported {
			t.Fatalf("cut after %d bytes: %d events, %d without the line", n, summary.Exported, whole.Exported)
		}
	}
}
