package reconstruct_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// The period of a frame of render_service is that of its expected interval. One that is like none which
// the generator states has another lead than two periods less 5 ms, as 1.7 periods; the stated one counts.
func TestStatedPeriod(t *testing.T) {
	const ms = trace.Millisecond
	twoLess := func(p trace.Duration) trace.Duration { return 2*p - 5*ms }
	longer := func(p trace.Duration) trace.Duration { return p * 17 / 10 }
	period := func(hz int) trace.Duration { return trace.Second / trace.Duration(hz) }
	for _, test := range []struct {
		name     string
		expected func(trace.Duration) trace.Duration
		stated   []int // of the generator, zero if it states none
		rates    []int // of the frames
		want     []trace.Duration
	}{
		{"as expected", twoLess, []int{120, 90, 60}, []int{120, 90, 60}, []trace.Duration{period(120), period(90), period(60)}},
		{"another lead", longer, []int{120, 90, 60}, []int{120, 90, 60}, []trace.Duration{period(120), period(90), period(60)}},
		{"not stated", longer, []int{0, 0}, []int{120, 60}, []trace.Duration{(longer(period(120)) + 5*ms) / 2, (longer(period(60)) + 5*ms) / 2}},
		{"stated early", twoLess, []int{90, 72, 60}, []int{90, 90, 60}, []trace.Duration{period(90), period(90), period(60)}},
		{"far from it", twoLess, []int{120, 120}, []int{120, 60}, []trace.Duration{period(120), period(60)}},
	} {
		var text strings.Builder
		text.WriteString("# tracer: nop\n#\n")
		at := 100 * trace.Second
		line := func(marker string) {
			at += 100 * trace.Microsecond
			fmt.Fprintf(&text, "  render_service-930   (  930) [001] .... %d.%06d: tracing_mark_write: %s\n", at/trace.Second, at%trace.Second/trace.Microsecond, marker)
		}
		for i, hz := range test.rates {
			at += period(hz)
			if p := test.stated[i]; p > 0 {
				line(fmt.Sprintf("B|930|H:GenerateVsyncCount:1, period:%d, currRefreshRate_:%d, vsyncMode_:1, now:%d|M0538", period(p), p, at))
				line("E|930|M62")
			}
			line(fmt.Sprintf("B|930|H:ReceiveVsync name:rs dataCount: 24bytes now: %d expectedEnd: %d vsyncId: %d, fd:19|M0538", at, at+test.expected(period(hz)), 100+i))
			line(fmt.Sprintf("B|930|H:RSMainThread::DoComposition: %d|I38", at))
			line("E|930|I38")
			line("E|930|M62")
		}
		timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), strings.NewReader(text.String()), hitrace.Options{}, reconstruct.Options{}))(t)
		var got []trace.Duration
		for _, f := range timeline.Frames {
			if f.Kind == analyzer.RenderFrame {
				got = append(got, f.Period)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: periods %v, want %v", test.name, got, test.want)
		}
	}
}
