package timeline

import (
	"fmt"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

const testPeriod = 10 * trace.Millisecond

// judged returns a frame with the given facts. It is late by just that much.
func judged(kind analyzer.Kind, facts analyzer.Facts, overrun trace.Duration) *analyzer.Frame {
	f := &analyzer.Frame{
		Kind: kind, Facts: facts, Period: testPeriod,
		Expected: analyzer.Interval{Start: 1_000_000_000, End: 1_010_000_000},
		Deadline: 1_010_000_000,
		Actual:   analyzer.Interval{Start: 1_001_000_000, End: 1_009_000_000},
	}
	end := f.Deadline.Add(overrun)
	switch {
	case facts.Has(analyzer.MainLate):
		f.Actual.End = end
	case facts.Has(analyzer.GPULate):
		f.GPU = []analyzer.Interval{{Start: f.Actual.Start, End: end}}
	}
	return f
}

// telling is how Perfetto is told of a frame, in its schema's numbers.
type telling struct {
	jank, present        int32
	onTime               bool
	prediction, severity int32
}

func checkJudge(t *testing.T, name string, f *analyzer.Frame, want telling) {
	t.Helper()
	v := judge(f)
	got := telling{int32(v.jank), int32(v.present), v.onTime, int32(v.prediction), int32(v.severity)}
	if got != want {
		t.Errorf("%s: got %+v, want %+v", name, got, want)
	}
}

func TestJudgeRenderFrame(t *testing.T) {
	const (
		cpu, gpu, late = analyzer.MainLate, analyzer.GPULate, trace.Millisecond
		misaligned     = analyzer.Misaligned
		empty          = analyzer.Empty
	)
	for _, test := range []struct {
		facts analyzer.Facts
		want  telling
	}{
		{0, telling{1, 1, true, 1, 1}},
		{cpu, telling{16, 2, false, 1, 2}},
		{gpu, telling{32, 2, false, 1, 2}},
		{cpu | gpu, telling{16, 2, false, 1, 2}},
		{misaligned, telling{2, 2, true, 1, 1}},
		{misaligned | cpu, telling{2 | 16, 2, false, 1, 2}},
		{misaligned | gpu, telling{2 | 32, 2, false, 1, 2}},
		{misaligned | cpu | gpu, telling{2 | 16, 2, false, 1, 2}},
		{empty, telling{2048, 5, true, 1, 1}},
		{empty | cpu, telling{2048, 5, true, 1, 1}},
		{empty | gpu, telling{2048, 5, true, 1, 1}},
	} {
		f := judged(analyzer.RenderFrame, test.facts, late)
		name := fmt.Sprintf("facts %#x", test.facts)
		checkJudge(t, name, f, test.want)
		f.Expected = analyzer.Interval{}
		test.want.prediction = 3
		checkJudge(t, name+" without an expected interval", f, test.want)
	}
}

func TestJudgeApplicationFrame(t *testing.T) {
	const (
		cpu, gpu   = analyzer.MainLate, analyzer.GPULate
		misaligned = analyzer.Misaligned
		empty      = analyzer.Empty
		unlinked   = analyzer.Truncated // no fact of a render frame that is linked
	)
	for _, test := range []struct {
		facts, render analyzer.Facts
		want          telling
	}{
		{0, unlinked, telling{1, 1, true, 1, 1}},
		{cpu, unlinked, telling{64, 2, false, 1, 2}},
		{empty, unlinked, telling{2048, 5, true, 1, 1}},
		{empty | cpu, unlinked, telling{2048, 5, true, 1, 1}},

		// In time itself, it shares what its render frame is guilty of.
		{0, 0, telling{1, 1, true, 1, 1}},
		{0, cpu, telling{16, 2, true, 1, 3}},
		{0, gpu, telling{32, 2, true, 1, 3}},
		{0, cpu | gpu, telling{16, 2, true, 1, 3}},
		{misaligned, misaligned, telling{2, 2, true, 1, 1}},
		{misaligned, misaligned | cpu, telling{2 | 16, 2, true, 1, 3}},
		{misaligned, misaligned | gpu, telling{2 | 32, 2, true, 1, 3}},
		// The render frame was misaligned with another application.
		{0, misaligned, telling{1, 1, true, 1, 1}},
		{0, misaligned | cpu, telling{16, 2, true, 1, 3}},
		// What a render frame does that shows nothing is no fault.
		{0, empty | cpu, telling{1, 1, true, 1, 1}},

		// Late itself, it bears its own fault alone, and its own severity.
		{cpu, 0, telling{64, 2, false, 1, 2}},
		{cpu, cpu, telling{64, 2, false, 1, 2}},
		{cpu, gpu, telling{64, 2, false, 1, 2}},
		{cpu | misaligned, misaligned, telling{64, 2, false, 1, 2}},
		{cpu | misaligned, misaligned | cpu, telling{64, 2, false, 1, 2}},
	} {
		f := judged(analyzer.ApplicationFrame, test.facts, trace.Millisecond)
		if test.render != unlinked {
			f.Render = judged(analyzer.RenderFrame, test.render, 3*testPeriod)
		}
		name := fmt.Sprintf("facts %#x, render frame's %#x", test.facts, test.render)
		checkJudge(t, name, f, test.want)
		f.Expected = analyzer.Interval{} // of a worker thread, which may be late nevertheless
		test.want.prediction = 3
		checkJudge(t, name+", without an expected interval", f, test.want)
	}
}

// The severity changes where the frame costs a whole refresh.
func TestSeverity(t *testing.T) {
	for _, test := range []struct {
		overrun trace.Duration
		want    int32
	}{
		{1, 2},
		{testPeriod - 1, 2},
		{testPeriod, 3},
		{testPeriod + 1, 3},
		{100 * testPeriod, 3},
	} {
		for _, kind := range []analyzer.Kind{analyzer.ApplicationFrame, analyzer.RenderFrame} {
			if got := int32(judge(judged(kind, analyzer.MainLate, test.overrun)).severity); got != test.want {
				t.Errorf("%v frame late by %v of %v: severity %d, want %d", kind, test.overrun, testPeriod, got, test.want)
			}
		}
		gpu := judged(analyzer.RenderFrame, analyzer.GPULate, test.overrun)
		if got := int32(judge(gpu).severity); got != test.want {
			t.Errorf("GPU work late by %v of %v: severity %d, want %d", test.overrun, testPeriod, got, test.want)
		}
	}
	// Where both are late, the later one counts.
	both := judged(analyzer.RenderFrame, analyzer.MainLate, 1)
	both.Facts |= analyzer.GPULate
	both.GPU = []analyzer.Interval{{Start: both.Actual.Start, End: both.Deadline.Add(testPeriod)}, {Start: both.Actual.Start, End: both.Deadline}}
	if got := int32(judge(both).severity); got != 3 {
		t.Errorf("GPU work a period late: severity %d, want 3", got)
	}
}
