package trace_test

import (
	"testing"

	"ohframe/analyzer/trace"
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
		if got := test.time.String(); got != test.want {
			t.Errorf("Time(%d).String() = %q, want %q", int64(test.time), got, test.want)
		}
	}
}

func TestTimeArithmetic(t *testing.T) {
	const at = trace.Time(100)
	if got := at.Add(-30); got != 70 {
		t.Errorf("100 + -30 = %d, want 70", got)
	}
	if got := at.Sub(130); got != -30 {
		t.Errorf("100 - 130 = %d, want -30", got)
	}
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
	if got := (1500 * trace.Microsecond).Milliseconds(); got != 1.5 {
		t.Errorf("1500 µs = %v ms, want 1.5", got)
	}
	if got := (16600 * trace.Microsecond).String(); got != "16.6ms" {
		t.Errorf("16600 µs prints as %q, want 16.6ms", got)
	}
	if trace.Second != 1_000_000_000 {
		t.Errorf("a second has %d ns", int64(trace.Second))
	}
}
