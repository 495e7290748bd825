package quality_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// timedLine is a line of an event: what is before and after the time.
var timedLine = regexp.MustCompile(`^(.*\[(\d+)\] \S+ +)(\d+)\.(\d{6})(: .*\n)$`)

// injected is a trace as lines with times in microseconds; other lines have none.
type injected struct {
	lines []line
	first int64
	last  int64
	cpus  []int // by the number of their lines, the most first
	// wholeHeader: the header states the events of the whole trace.
	wholeHeader bool
}

type line struct {
	text         []byte // all, without a time
	before, rest []byte
	at           int64 // -1: no event
	cpu          int
}

func split(text []byte) *injected {
	in := &injected{first: -1}
	byCPU := map[int]int{}
	for l := range bytes.Lines(text) {
		m := timedLine.FindSubmatch(l)
		if m == nil {
			in.lines = append(in.lines, line{text: l, at: -1})
			continue
		}
		seconds, _ := strconv.ParseInt(string(m[3]), 10, 64)
		micros, _ := strconv.ParseInt(string(m[4]), 10, 64)
		cpu, _ := strconv.Atoi(string(m[2]))
		at := seconds*1e6 + micros
		if in.first < 0 {
			in.first = at
		}
		in.last = at
		byCPU[cpu]++
		in.lines = append(in.lines, line{before: m[1], rest: m[5], at: at, cpu: cpu})
	}
	in.cpus = slices.SortedFunc(maps.Keys(byCPU), func(a, b int) int { return byCPU[b] - byCPU[a] })
	return in
}

// edit returns the text with the lines that keep returns, at their new times.
func (in *injected) edit(keep func(i int, l *line) (at int64, ok bool)) []byte {
	var out []byte
	n := 0
	for i := range in.lines {
		l := &in.lines[i]
		if l.at < 0 {
			out = append(out, l.text...)
		} else if at, ok := keep(i, l); ok {
			out = fmt.Appendf(append(out, l.before...), "%5d.%06d", at/1e6, at%1e6)
			out = append(out, l.rest...)
			n++
		}
	}
	if in.wholeHeader {
		return out
	}
	return entries.ReplaceAll(out, fmt.Appendf(nil, "entries-written: %d/%d ", n, n))
}

var entries = regexp.MustCompile(`entries-written: \d+/\d+ `)

// at returns the time after a share of the trace.
func (in *injected) at(share float64) int64 {
	return in.first + int64(share*float64(in.last-in.first))
}

// shift adds us to all times from a share of the trace on.
func (in *injected) shift(share float64, us int64) []byte {
	from := in.at(share)
	return in.edit(func(_ int, l *line) (int64, bool) {
		if l.at >= from {
			return l.at + us, true
		}
		return l.at, true
	})
}

// drift makes the clock run faster by parts per million.
func (in *injected) drift(ppm int64) []byte {
	return in.edit(func(_ int, l *line) (int64, bool) { return l.at + (l.at-in.first)*ppm/1e6, true })
}

// drop returns the trace without the lines for which the function is true.
func (in *injected) drop(drop func(l *line) bool) []byte {
	return in.edit(func(_ int, l *line) (int64, bool) { return l.at, !drop(l) })
}

// aceMarker are the markers of the tag ace.
var aceMarker = regexp.MustCompile(`B\|\d+\|H:(OnVsyncEvent|UIVsyncTask|UV_TRACE|Flush|MarshRSTransactionData)`)

// injections are kinds of damage that a trace does not report. seconds is the length of the
// traces.
var injections = []struct {
	name    string
	seconds int
	inject  func(in *injected, r *rand.Rand) []byte
	// corrected: jank is right, and the data quality says what was wrong. The frame over a
	// jump is lost, so that a percentile may be of another frame.
	corrected bool
}{
	{"untouched", 8, func(in *injected, r *rand.Rand) []byte { return in.shift(0, 0) }, false},
	{"jump 100 ms", 8, func(in *injected, r *rand.Rand) []byte { return in.shift(0.3+0.4*r.Float64(), 100e3) }, true},
	{"back 50 ms", 8, func(in *injected, r *rand.Rand) []byte { return in.shift(0.3+0.4*r.Float64(), -50e3) }, false},
	{"drift 100 ppm", 30, func(in *injected, r *rand.Rand) []byte { return in.drift(100) }, true},
	{"drift 500 ppm", 30, func(in *injected, r *rand.Rand) []byte { return in.drift(500) }, true},
	{"drift 2 %", 8, func(in *injected, r *rand.Rand) []byte { return in.drift(20_000) }, false},
	{"unsteady by 6 ms", 8, func(in *injected, r *rand.Rand) []byte {
		return in.edit(func(_ int, l *line) (int64, bool) {
			return l.at + int64(6e3*math.Sin(float64(l.at-in.first)/1e6)), true
		})
	}, false},
	{"10 gaps of 50 ms", 8, func(in *injected, r *rand.Rand) []byte {
		var gaps []int64
		for range 10 {
			gaps = append(gaps, in.at(0.05+0.9*r.Float64()))
		}
		return in.drop(func(l *line) bool {
			return slices.ContainsFunc(gaps, func(from int64) bool { return from <= l.at && l.at < from+50e3 })
		})
	}, false},
	{"half of the file", 8, func(in *injected, r *rand.Rand) []byte {
		in.wholeHeader = true
		return in.drop(func(l *line) bool { return l.at > in.at(0.5) })
	}, false},
	{"no ace, ends and transactions left", 8, func(in *injected, r *rand.Rand) []byte {
		return in.drop(func(l *line) bool {
			return aceMarker.Match(l.rest) && !bytes.Contains(l.rest, []byte("MarshRSTransactionData"))
		})
	}, false},
	{"a CPU stops", 8, func(in *injected, r *rand.Rand) []byte {
		cpu, from := in.cpus[r.IntN(min(4, len(in.cpus)))], in.at(0.5)
		return in.drop(func(l *line) bool { return l.cpu == cpu && l.at > from })
	}, false},
	{"a CPU is missing", 8, func(in *injected, r *rand.Rand) []byte {
		cpu := in.cpus[r.IntN(min(4, len(in.cpus)))]
		return in.drop(func(l *line) bool { return l.cpu == cpu })
	}, false},
	{"render frames vanish for 2 s", 8, func(in *injected, r *rand.Rand) []byte {
		from := in.at(0.4)
		return in.drop(func(l *line) bool {
			return from <= l.at && l.at < from+2e6 && bytes.Contains(l.before, []byte("render_service-1027 "))
		})
	}, false},
}

// simulated returns an ordinary trace: an application and a busier one, with a few late
// frames, on a device that has slept.
func simulated(t *testing.T, seed uint64, seconds int) []byte {
	t.Helper()
	c := simulate.Everything()
	c.Seed, c.Duration, c.CutEnd = seed, trace.Duration(seconds)*trace.Second, false
	c.Era = []string{"5.0.3", "5.1.0", "6.0", "harmonyos-6.1"}[seed%4]
	c.Rates = []simulate.Rate{{Hz: []int{60, 90, 120}[seed%3]}}
	c.ClockOffset = trace.Duration(seed%2) * 3600 * trace.Second
	c.Kernel = []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux}[seed/2%2]
	var text bytes.Buffer
	must.Get(simulate.Write(&text, c))(t)
	return text.Bytes()
}

// measured are the measures that people judge a trace by, of each process.
func measured(t *ohframe.Trace) map[string]*float64 {
	list := map[string]*float64{}
	for _, p := range stats.Compute(t.Timeline, stats.Options{}).Processes {
		for _, m := range stats.Measures {
			switch m.Name {
			case "jank_rate", "p95_ms", "fps", "hitch_ratio":
				list[p.Name+" "+m.Name] = m.Of(p)
			}
		}
	}
	return list
}

// wrong returns the measures that differ by more than a tenth.
func wrong(truth, got map[string]*float64) (list []string) {
	for name, want := range truth {
		if want == nil {
			continue
		}
		switch v := got[name]; {
		case v == nil:
			list = append(list, name+" unknown")
		case *v > *want*1.1 || *v < *want*0.9:
			list = append(list, fmt.Sprintf("%s %.4g, not %.4g", name, *v, *want))
		}
	}
	slices.Sort(list)
	return list
}

// jankOff reports whether a jank rate is off by a tenth and by more than the frame over a jump,
// which is lost.
func jankOff(truth, got map[string]*float64) bool {
	for name, want := range truth {
		if v := got[name]; strings.HasSuffix(name, " jank_rate") && (v == nil || max(*v-*want, *want-*v) > max(*want*0.1, 0.01)) {
			return true
		}
	}
	return false
}

// A measure that an injection puts off by more than a tenth is never of good quality, and a
// trace without damage is always.
func TestInjections(t *testing.T) {
	read := func(text []byte) *ohframe.Trace {
		in := must.Get(ohframe.Read(t.Context(), bytes.NewReader(text), ohframe.Options{}))(t)
		return in
	}
	for _, seconds := range []int{8, 30} {
		for seed := range slow.Of(uint64(1), 200) {
			text := simulated(t, seed, seconds)
			truth := measured(read(text))
			for i, c := range injections {
				if c.seconds != seconds || c.name != "untouched" && i%slow.Of(4, 1) != 0 {
					continue
				}
				damaged := read(c.inject(split(text), rand.New(rand.NewPCG(seed, 7))))
				q, got := damaged.Quality, measured(damaged)
				list := wrong(truth, got)
				switch {
				case c.name == "untouched" && (q.Verdict != stats.Good || len(list) > 0),
					c.corrected && (q.Verdict != stats.Limited || jankOff(truth, got)),
					q.Verdict == stats.Good && len(list) > 0:
					t.Errorf("%s, seed %d: %s: %q", c.name, seed, q, list)
				}
				for name, v := range got {
					if strings.HasPrefix(c.name, "no ace") && strings.HasSuffix(name, " jank_rate") && v != nil && !strings.HasPrefix(name, "render_service") {
						t.Errorf("%s, seed %d: %s is %g, want unknown", c.name, seed, name, *v)
					}
				}
			}
		}
	}
}
