package significance

import "math"

// student tests against Student's t, with a variance that combines the one between units with a
// prior: that within units, and what is typical between them (Smyth, 2004). Šidák's correction is for
// the number of hypotheses.
func (f *Family) student(tests []*test) {
	for _, x := range tests {
		t := x.statistic(x.observed)
		tails := x.tails()
		p := 1 - math.Pow(1-math.Min(1, tails*upperTail(t, x.observed.freedom)), float64(f.Tested))
		level := -math.Expm1(math.Log1p(-Level) / float64(f.Tested))
		x.set(p, quantile(level/tails, x.observed.freedom))
	}
}

// tails is the number of directions in which a change is beyond the hypothesis.
func (x *test) tails() float64 {
	if x.Direction == Either {
		return 2
	}
	return 1
}

// upperTail returns the probability that a variable of Student's t distribution is above t. The
// sums are those of Abramowitz and Stegun, 26.7.3 and 26.7.4.
func upperTail(t float64, freedom int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(freedom)))
	sin, cos := math.Sincos(angle)
	if freedom%2 == 1 {
		sum, term := 0.0, cos
		for k := 1; k < freedom; k += 2 {
			sum += term
			term *= cos * cos * float64(k+1) / float64(k+2)
		}
		return max(0, 0.5-(angle+sin*sum)/math.Pi)
	}
	sum, term := 0.0, 1.0
	for k := 0; k < freedom; k += 2 {
		sum += term
		term *= cos * cos * float64(k+1) / float64(k+2)
	}
	return max(0, 0.5-sin*sum/2)
}

// quantile returns the t above which a variable is with a probability, at most 1/2.
func quantile(p float64, freedom int) float64 {
	low, high := 0.0, 1e6
	for range 60 {
		if middle := (low + high) / 2; upperTail(middle, freedom) > p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
