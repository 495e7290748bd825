package reconstruct_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// timeColumn is the text before an event's name.
var timeColumn = regexp.MustCompile(`(?m)(\] [^ ]+ +)(\d+)(\.\d+: )`)

// later returns a trace as it would be had the device slept so many seconds
// more before it: the clock of its lines has gone on, that of vsyncs has not.
func later(text string, seconds int) string {
	return timeColumn.ReplaceAllStringFunc(text, func(column string) string {
		m := timeColumn.FindStringSubmatch(column)
		at, _ := strconv.Atoi(m[2])
		return m[1] + strconv.Itoa(at+seconds) + m[3]
	})
}

// Traces that follow one another have the frames that each has alone, with
// a clock offset of their own: nothing that the first leaves open reaches into the
// next.
func TestJoinedTraces(t *testing.T) {
	demo := must.Get(os.ReadFile("../../../testdata/demo.ftrace"))(t)
	analyze := func(text string) (*analyzer.Timeline, *hitrace.Totals) {
		timeline, totals := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(text), hitrace.Options{Workers: 2}, reconstruct.Options{}))(t)
		must.NoError(t, timeline.Validate())
		return timeline, totals
	}
	frames := func(parts ...string) []string {
		var list []string
		for _, text := range parts {
			timeline, _ := analyze(text)
			for _, f := range timeline.Frames {
				list = append(list, f.String())
			}
		}
		return list
	}
	whole := string(demo)
	lines := strings.SplitAfter(whole, "\n")
	slept := later(whole, 100)
	headless := regexp.MustCompile(`(?m)^#.*\n`)
	for cut := 100; cut < len(lines); cut += 371 {
		first := strings.Join(lines[:cut], "")
		for _, test := range []struct {
			name        string
			parts, want []string // in the order in which they are read; by time
			back        bool
			apart       trace.Duration // how much longer the device has slept
		}{
			{"forward", []string{first, slept}, []string{first, slept}, false, 100 * trace.Second},
			{"back", []string{slept, first}, []string{first, slept}, true, 100 * trace.Second},
			{"far back, without a header", []string{later(whole, 1000), headless.ReplaceAllString(first, "")}, []string{first, later(whole, 1000)}, true, 1000 * trace.Second},
		} {
			joined, totals := analyze(strings.Join(test.parts, ""))
			var got []string
			for _, f := range joined.Frames {
				got = append(got, f.String())
			}
			want := frames(test.want...)
			if len(want) < 100 || !slices.Equal(got, want) {
				t.Errorf("cut at line %d, %s: %d frames, want %d", cut, test.name, len(got), len(want))
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Errorf("frame %d\n got %s\nwant %s", i, got[i], want[i])
						break
					}
				}
			}
			if warned := len(totals.Warnings()) > 0; totals.Further != 1 || warned != test.back || totals.Problems.Lost() > 0 {
				t.Errorf("%s: %d further traces, %d lines lost, warnings %q", test.name, totals.Further, totals.Problems.Lost(), totals.Warnings())
			} else if j := totals.Joins[0]; j.Line != strings.Count(test.parts[0], "\n")+1 || (j.Gap < 0) != test.back {
				t.Errorf("%s: %+v", test.name, j)
			}
			apart := (joined.Parts[1].Clock.Offset - joined.Parts[0].Clock.Offset).Abs()
			if (apart - test.apart).Abs() > trace.Millisecond {
				t.Errorf("%s: clock offsets are %s apart", test.name, apart)
			}
		}
	}
}

// Lines with times that were read already are skipped, with a warning. Where times
// continue, headers do not begin another trace.
func TestJoinedTracesOfOneTime(t *testing.T) {
	line := func(at int) string { return fmt.Sprintf(" a-1 (1) [000] .... %d.000000: print: C|1|n|%d\n", at, at) }
	const header = "# tracer: nop\n"
	const instant = " a-1 (1) [000] .... 10.000000: print: I|1|n" // without its end
	for _, test := range []struct {
		name                    string
		text                    string
		events, unread, further int
	}{
		{"twice the same", header + line(10) + line(11) + header + line(10) + line(11), 2, 2, 1},
		{"overlapping", header + line(10) + line(12) + header + line(11) + line(13), 3, 1, 1},
		{"before, into, beyond", header + line(10) + line(12) + header + line(8) + line(9) + line(10) + line(13), 5, 1, 1},
		{"between", header + line(10) + header + line(20) + header + line(15) + line(21), 3, 1, 2},
		{"twice between", header + line(10) + line(20) + header + line(15) + header + line(16), 2, 2, 2},
		{"a little out of order", header + line(10) + line(12) + header + " a-1 (1) [000] .... 11.991: print: C|1|n|1\n" + line(12), 4, 0, 0},
		{"going on", header + line(10) + header + " a-1 (1) [000] .... 10.9: print: C|1|n|1\n", 2, 0, 0},
		{"without an end", header + instant + header + "#\n# entries-in-buffer/entries-written: 1/1   #P:8\n" + line(11), 2, 0, 1},
		{"without an end, twice", header + line(10) + line(11) + instant + header + "# entries-in-buffer/entries-written: 1/1   #P:8\n" + line(9) + line(10), 4, 1, 1},
		{"a processor's buffer", header + line(10) + "##### CPU 2 buffer started ####\n" + line(12), 2, 0, 0},
		{"with a mark", header + line(10) + "\ufeff" + header + line(11), 2, 0, 1},
		{"three", header + line(10) + line(11) + header + line(10) + line(11) + header + line(12), 3, 2, 2},
		{"no event between headers", header + line(10) + header + header + line(11), 2, 0, 1},
		{"one time", header + line(10) + header + line(10), 2, 0, 0},
		{"headers only", header + header + line(10) + header, 1, 0, 0},
	} {
		_, totals := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(test.text), hitrace.Options{}, reconstruct.Options{}))(t)
		unread := 0
		for _, c := range totals.Problems.Counts() {
			if c.Problem == hitrace.ClockRestart {
				unread = c.Total
			}
		}
		if totals.Events != test.events || unread != test.unread || totals.Further != test.further {
			t.Errorf("%s: %d events, %d lines not read, %d further traces, want %d, %d and %d",
				test.name, totals.Events, unread, totals.Further, test.events, test.unread, test.further)
		}
		if warned := len(totals.Warnings()) > 0; warned != (totals.Behind > 0) || test.unread > 0 && !warned {
			t.Errorf("%s: %d behind, warnings %q", test.name, totals.Behind, totals.Warnings())
		}
	}
}

// Where two frames have the time of one vsync, as in lines of another trace, a commit belongs to the last one
// that began before it: docs/frames.md 6.2.
func TestCommitOfRepeatedVsync(t *testing.T) {
	u := (&userTrace{}).render(1, "") // begins at 1010.1 ms, commits at 1013
	u.line(3010.1, 100, 100, "B|100|H:ReceiveVsync name:rs dataCount: 24bytes now:1010000000 expectedEnd: 1025000000 vsyncId:61, fd:9|M0538").line(3012, 100, 100, "E|100|M0538")
	var got []string
	for f := range u.timeline(t).Complete() {
		got = append(got, fmt.Sprintf("%d: %d", f.Actual.Start, f.Commit.Start))
	}
	must.Equal(t, strings.Join(got, ", "), "1010100000: 1013000000, 3010100000: 0", "commits")
}
