package trace_test

import (
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

func TestTimeString(t *testing.T) {
	for _, test := range []struct {
		time trace.Time
		want string
	}{
		{0, "0.000000000"},
		{1, "0.000000001"},
		{13762791708000, "13762.791708000"},
		{9_000_000_000_999_999_999, "9000000000.999999999"},
		{-1_500_000_000, "-1.500000000"},
		{-1, "-0.000000001"},
	} {
		must.Equal(t, test.time.String(), test.want, "Time(%d).String()", int64(test.time))
	}
}

func TestTimeArithmetic(t *testing.T) {
	const at = trace.Time(100)
	must.Equal(t, at.Add(-30), 70, "100 + -30")
	must.Equal(t, at.Sub(130), -30, "100 - 130")
	if trace.Time(0).Known() || !trace.Time(1).Known() || !trace.Time(-1).Known() {
		t.Error("zero alone is not known")
	}
}

func TestDuration(t *testing.T) {
	if got := (-16 * trace.Millisecond).Abs(); got != 16_000_000 {
		t.Errorf("|-16 ms| = %d ns, want 16000000", int64(got))
	}
	if got := (16 * trace.Millisecond).Abs(); got != 16_000_000 {
		t.Errorf("|16 ms| = %d ns, want 16000000", int64(got))
	}
	must.Equal(t, (1500 * trace.Microsecond).Milliseconds(), 1.5, "1500 µs in ms")
	must.Equal(t, (16600 * trace.Microsecond).String(), "16.6ms", "16600 µs")
	if trace.Second != 1_000_000_000 {
		t.Errorf("a second has %d ns", int64(trace.Second))
	}
}
