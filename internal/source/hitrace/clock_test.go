package hitrace_test

import (
	"math"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

func TestParseClockSync(t *testing.T) {
	for _, test := range []struct {
		name      string
		monotonic trace.Monotonic
		realtime  int64
	}{
		{"parent_ts=2500.814941", 2500_814941000, 0},
		{" parent_ts=2500.814941 ", 2500_814941000, 0},
		{"parent_ts=16", 16_000000000, 0},
		{"parent_ts=16.123456789", 16_123456789, 0},
		{"parent_ts=2305843009.0", 2305843009_000000000, 0},
		{"realtime_ts=1742436676307", 0, 1742436676307_000000},
		{"realtime_ts=9000000000000", 0, 9000000000000_000000},
	} {
		got, ok := hitrace.ParseClockSync([]byte(test.name))
		if !ok || got.Monotonic != test.monotonic || got.Realtime != test.realtime {
			t.Errorf("%q: %+v, %v, want %d and %d", test.name, got, ok, test.monotonic, test.realtime)
		}
	}
	for _, name := range []string{
		"", "parent_ts", "parent_ts=", "parent_ts=x", "parent_ts=-1.0", "parent_ts=1.x", "parent_ts=1.-5", "parent_ts=1.0000000001",
		"parent_ts=2305843010.0", "realtime_ts=", "realtime_ts=-1", "realtime_ts=1.5", "realtime_ts=9000000000001", "other_ts=1",
	} {
		if got, ok := hitrace.ParseClockSync([]byte(name)); ok {
			t.Errorf("%q is %+v", name, got)
		}
	}
}

// The step is the distance to the next 32-bit floating point number.
func TestClockSyncStep(t *testing.T) {
	for _, test := range []struct {
		name    string
		seconds float32
	}{
		{"parent_ts=16.5", 16.5}, {"parent_ts=2500.8", 2500.8}, {"parent_ts=13762.7", 13762.7},
		{"parent_ts=34600.0", 34600}, {"parent_ts=88000.0", 88000}, {"parent_ts=535832.25", 535832.25},
	} {
		next := math.Nextafter32(test.seconds, math.MaxFloat32)
		want := (float64(next) - float64(test.seconds)) * 1e9
		got, _ := hitrace.ParseClockSync([]byte(test.name))
		if ratio := float64(got.Step) / want; ratio < 0.99 || ratio > 1.01 {
			t.Errorf("%q: step %v, want %v", test.name, got.Step, trace.Duration(want))
		}
	}
	if got, _ := hitrace.ParseClockSync([]byte("parent_ts=0.5")); got.Step != trace.Microsecond {
		t.Errorf("step near zero is %v, want that of the text, 1 µs", got.Step)
	}
}
