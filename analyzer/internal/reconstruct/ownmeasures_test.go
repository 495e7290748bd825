package reconstruct

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// Measures of the user against the times at which a generator put their markers: in two processes, on several
// threads, with and without ends, with other markers between them, in blocks of all sizes.
func TestOwnMeasuresTruth(t *testing.T) {
	for seed := range slow.Of(20, 300) {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		const ms = 1000 // microseconds
		type truth struct{ values, begins, ends, overlaps int }
		var want truth
		var sum int64
		type line struct {
			at   int64
			text string
		}
		var lines []line
		add := func(at int64, pid, tid int, payload string) {
			lines = append(lines, line{at, fmt.Sprintf(" app-%d (%5d) [%03d] .... %d.%06d: tracing_mark_write: %s\n", tid, pid, random.IntN(4), 10+at/1e6, at%1e6, payload)})
		}
		for _, pid := range [3]int{100, 200} {
			at := int64(random.IntN(50 * ms))
			for range 3 + random.IntN(20) {
				begin, end := pid+random.IntN(3), pid+random.IntN(3)
				length := int64(1 + random.IntN(30*ms))
				add(at, pid, begin, fmt.Sprintf("I|%d|H:Begin", pid))
				add(at+length/2, pid, pid, fmt.Sprintf("B|%d|H:BeginOther", pid))
				add(at+length/2, pid, pid, fmt.Sprintf("E|%d|", pid))
				switch random.IntN(5) {
				default:
					want.values, sum = want.values+1, sum+length
				case 1: // begins twice
					add(at+length/3, pid, end, fmt.Sprintf("I|%d|H:Begin", pid))
					want.overlaps++
				case 2: // and ends twice
					add(at+length+1, pid, end, fmt.Sprintf("I|%d|H:End", pid))
					want.values, sum, want.ends = want.values+1, sum+length, want.ends+1
				}
				add(at+length, pid, end, fmt.Sprintf("I|%d|H:End", pid))
				at += length + 2 + int64(random.IntN(20*ms))
			}
			if random.IntN(2) == 0 {
				add(at, pid, pid, fmt.Sprintf("I|%d|H:Begin", pid))
				want.begins++
			}
		}
		slices.SortStableFunc(lines, func(a, b line) int { return int(a.at - b.at) })
		text := "# tracer: nop\n"
		for _, l := range lines {
			text += l.text
		}
		timeline, _, err := Analyze(t.Context(), strings.NewReader(text), hitrace.Options{Workers: 1 + seed%3}, Options{Measures: []string{"a=H:Begin..H:End"}})
		must.NoError(t, err)
		m := timeline.OwnMeasures[0]
		var got int64
		for _, v := range m.Values {
			got += int64(v.Interval.Duration()) / 1000
		}
		must.Equal(t, truth{len(m.Values), len(m.Begins), len(m.Ends), len(m.Overlaps)}, want)
		must.Equal(t, got, sum)
		must.Equal(t, m.Across, false)
	}
}

// What a name means, and where a number is.
func TestMarkerName(t *testing.T) {
	for _, c := range []struct {
		name, marker string
		want         bool
	}{
		{"Load", "Load", true}, {"Load", "LoadEnd", false}, {"Load", "Loa", false}, {"Load*", "LoadEnd", true}, {"*End", "LoadEnd", true},
		{"*End", "LoadEnds", false}, {"L*d*d", "LoadEnd", true}, {"L*x*d", "LoadEnd", false}, {"*", "", true}, {"a*a", "a", false},
	} {
		n := newMarkerName("H:" + c.name)
		got, _, _ := n.match([]byte(c.marker), false)
		must.Equal(t, got, c.want, "%s of %s", c.name, c.marker)
	}
	type number struct {
		x    float64
		unit string
		ok   bool
	}
	plain := func(x float64) number { return number{x, "", true} }
	for text, want := range map[string]number{
		"12": plain(12), " 12.5ms": {12.5, "ms", true}, "-3,4": plain(-3), "Instant { value: 7 },8": plain(7), "Epoch(1)": plain(1), "a1 2": plain(2), "=value:-7": plain(-7),
		"1.5e3": plain(1500), "1e-3": plain(.001), "2E5": plain(200000), ".5": plain(.5), "-.5": plain(-.5), "+5": plain(5), "5.": plain(5), "7 of 10": plain(7), "'8'": plain(8),
		"900us": {900, "us", true}, "1.5 ms": {1.5, "ms", true}, "3µs)": {3, "µs", true}, "7|I62": plain(7), "-0": plain(0), "5 seconds": plain(5),
		"0x1f": {}, "none, 3": {}, "": {}, "1-2": {}, "1_000": {}, "1'000": {}, "--5": {}, "x-7": {}, "12:30:05": {}, "1.2.3": {}, "5/10": {}, "1e": {}, "1e5f": {}, "a1 0x2 3": {}, "1e999": {},
	} {
		var got number
		if x, unit, ok := firstNumber([]byte(text)); ok {
			got = number{x, unit, ok}
		}
		must.Equal(t, got, want, "%q", text)
	}
}

// Lost events end what is open, a trace that follows another one begins anew, and a window cuts.
func TestOwnMeasuresCut(t *testing.T) {
	read := func(text string, window trace.Window, measures ...string) []analyzer.OwnMeasure {
		timeline, _, err := Analyze(t.Context(), strings.NewReader(text), hitrace.Options{Window: window}, Options{Measures: measures})
		must.NoError(t, err)
		return timeline.OwnMeasures
	}
	const line = " app-100 (  100) [000] .... %s: tracing_mark_write: %s\n"
	at := func(time, payload string) string { return fmt.Sprintf(line, time, payload) }
	lost := at("1.0", "B|100|H:Work") + "CPU:0 [LOST 5 EVENTS]\n" + at("1.5", "E|100|") + at("2.0", "B|100|H:Work") + at("2.25", "E|100|")
	m := read("# tracer: nop\n"+lost, trace.Window{}, "work=Work")[0]
	must.Equal(t, len(m.Values), 1)
	must.Equal(t, m.Values[0].Interval.Duration(), 250*trace.Millisecond)
	must.Equal(t, len(m.Begins), 1)

	lost = at("1.0", "I|100|H:A") + at("1.05", "I|100|H:B") + at("2.0", "I|100|H:A") + "CPU:0 [LOST 17 EVENTS]\n" + at("2.1", "I|100|H:B")
	for _, to := range []string{"a=A..B", "a=A..=B"} { // only the second needs the ends of slices
		m = read("# tracer: nop\n"+lost, trace.Window{}, to)[0]
		must.Equal(t, [3]int{len(m.Values), len(m.Begins), len(m.Ends)}, [3]int{1, 1, 1})
		must.Equal(t, m.Values[0].Interval.Duration(), 50*trace.Millisecond)
	}

	joined := "# tracer: nop\n#\n" + at("5.0", "I|100|H:A") + "# tracer: nop\n#\n" + at("9.0", "I|100|H:B")
	m = read(joined, trace.Window{}, "a=A..B")[0]
	must.Equal(t, [3]int{len(m.Values), len(m.Begins), len(m.Ends)}, [3]int{0, 1, 1})

	whole := "# tracer: nop\n" + at("1.0", "I|100|H:A") + at("1.2", "I|100|H:B") + at("2.0", "I|100|H:A") + at("2.5", "I|100|H:B") + at("3.0", "I|100|H:A")
	to, err := trace.ParseEdge("2.4")
	must.NoError(t, err)
	m = read(whole, trace.Window{To: to}, "a=A..B")[0]
	must.Equal(t, [3]int{len(m.Values), len(m.Begins), len(m.Ends)}, [3]int{1, 1, 0})
	timeline, _, err := Analyze(t.Context(), strings.NewReader(whole), hitrace.Options{}, Options{Measures: []string{"a=A..B"}})
	must.NoError(t, err)
	timeline.Cut(0, trace.Time(2400*trace.Millisecond))
	m = timeline.OwnMeasures[0]
	must.Equal(t, [3]int{len(m.Values), len(m.Begins), len(m.Ends)}, [3]int{1, 1, 0})
}
