package perfetto_test

import (
	"testing"

	"ohframe/analyzer"
)

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
