package pftrace

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/tracetest"
)

// window returns the window between two edges as they are spelled on the command
// line.
func window(t *testing.T, from, to string) hitrace.Options {
	t.Helper()
	var w trace.Window
	w.From = must.Get(trace.ParseEdge(from))(t)
	w.To = must.Get(trace.ParseEdge(to))(t)
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
		if e := p.GetTrackEvent(); e != nil && e.TrackUuid == nil {
			n++
			if e.LegacyEvent != nil { // begin and end
				n++
			}
		}
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
	must.Equal(t, s.Totals.Lines, lines, "lines")
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
