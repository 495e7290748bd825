package record

import (
	"math"
	"testing"
)

func TestSpread(t *testing.T) {
	s := NewSpread([]float64{5, 1, 3})
	if s.Median != 3 || s.Min != 1 || s.Max != 5 || s.Runs != 3 {
		t.Errorf("got %+v", s)
	}
	// The true median is outside of three values every fourth time.
	if s.Interval != nil {
		t.Errorf("interval of three values: %v", s.Interval)
	}
	if s := NewSpread([]float64{4, 2}); s.Median != 3 || s.Interval != nil {
		t.Errorf("two values: got %+v", s)
	}
	if s := NewSpread([]float64{7}); s.Median != 7 || s.Min != 7 || s.Max != 7 || s.Interval != nil {
		t.Errorf("one value: got %+v", s)
	}
}

// The interval of the median of many values is near that of order statistics: with n
// values 1 … n, about n/2 ± 0.98 √n.
func TestSpreadInterval(t *testing.T) {
	const n = 400
	var values []float64
	for i := range n {
		values = append(values, float64(i+1))
	}
	s := NewSpread(values)
	half := 0.98 * math.Sqrt(n)
	for i, want := range []float64{n/2 - half, n/2 + half} {
		if got := s.Interval[i]; math.Abs(got-want) > 4 {
			t.Errorf("end %d: got %g, want about %g", i, got, want)
		}
	}
}
