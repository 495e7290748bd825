package perfetto_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// The refresh period comes from the ends of expected intervals: the starts move with
// the time that SurfaceFlinger gives itself. The intervals are those of the display
// frames of Perfetto's recording api32_startup_warm, of a display with 60 Hz, in
// nanoseconds after 157479 s; the longest gaps are not used.
func TestPeriodFromExpectedEnds(t *testing.T) {
	intervals := [][2]int64{
		{316678737, 327178737}, {801577695, 812077695}, {812041215, 828641215}, {828452939, 845052939}, {845184600, 861784600},
		{861882903, 878482903}, {928737631, 945337631}, {951571838, 962071838}, {968281089, 978781089}, {984960964, 995460964},
	}
	m := &made{}
	for i, interval := range intervals {
		start, end := 157479_000000000+interval[0], 157479_000000000+interval[1]
		m.expectDisplay(int64(i+1), start, end)
		m.actualDisplay(int64(i+1), start+100_000, end, fine)
	}
	timeline, _ := read(t, m.bytes)
	for i, f := range timeline.Frames {
		// From the second end to the last there are 11 vsyncs. The first frame does not
		// look as far.
		want := trace.Duration(995460964-812077695) / 11
		if i == 0 {
			want = trace.Duration(978781089-812077695) / 10
		}
		must.Equal(t, f.Period, want, "frame %d: period", i)
	}
	report := stats.Compute(timeline, stats.Options{}).Processes[0]
	if len(report.Refresh) != 1 || report.Refresh[0].Rate < 59.9 || report.Refresh[0].Rate > 60.1 {
		t.Errorf("%+v, want 60 Hz", report.Refresh)
	}
}

// Starts that move by milliseconds and ends that jitter make no other rate, and
// frames that are left out none either. Without display frames an application's own
// expected ends are used.
func TestPeriodWithMovingStarts(t *testing.T) {
	const period = 8_333_333
	for _, kind := range []analyzer.Kind{analyzer.RenderFrame, analyzer.ApplicationFrame} {
		m := &made{}
		vsync := int64(1_000_000_000)
		for i := range int64(60) {
			vsync += period * []int64{1, 1, 2, 1, 5, 1}[i%6]
			end := vsync + []int64{0, 150_000, -150_000, 100_000}[i%4]
			start := vsync - []int64{6_000_000, 3_500_000, 10_500_000}[i%3]
			if kind == analyzer.RenderFrame {
				m.expectDisplay(i+1, start, end)
				m.actualDisplay(i+1, start+1000, end, fine)
			} else {
				m.expectSurface(i+1, 0, start, end)
				m.actualSurface(i+1, 0, "TX", start+1000, end, fine)
			}
		}
		timeline, _ := read(t, m.bytes)
		for i, f := range timeline.Frames {
			// Over 8 gaps and more the jitter of both ends adds up to 300 us.
			if off := (f.Period - period).Abs(); off > 300_000/8 {
				t.Errorf("%s frame %d: period %s", kind, i, f.Period)
			}
		}
	}
}
