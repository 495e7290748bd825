// Package significance tests whether quantities differ between two sides by more than chance,
// and says how large a difference the data could have shown.
//
//	Series, Hypothesis ─> Test ─> Family ─> Result ─> Detectable, Needed
//
// A side has several units: runs, sessions, devices. A unit is the smallest thing that is
// independent of others, and each has one value of a quantity. Frames, interactions and blocks of
// time are no units: those of one run have in common what differs from run to run.
//
// The statistic of a change is its difference from the hypothesis divided by its standard
// error. All hypotheses of a family are tested together: if nothing has changed, the probability
// that any of them is rejected is at most Level.
package significance

import "math"

// Level is the probability that any hypothesis of a family is rejected if all are true. It is
// below the usual 0.05, because runs vary more on some devices than a prior says.
const Level = 0.04

// MinUnits is the number of units on both sides together from which a test is possible: with fewer,
// nothing is known about how units differ.
const MinUnits = 4

// UnitValue is the value of a quantity in a unit.
type UnitValue struct {
	Value float64 // NaN if unknown
	// Variance is that of the value if the unit was observed again, for example from resampling
	// a run. NaN if unknown.
	Variance float64
}

// Known reports whether the value is known.
func (u UnitValue) Known() bool { return !math.IsNaN(u.Value) }

// Exactly returns a unit with an unknown variance.
func Exactly(value float64) UnitValue { return UnitValue{value, math.NaN()} }

// Series is a quantity in the units of both sides.
type Series struct {
	Base, New []UnitValue
	// Typical is the standard deviation between units that is typical of the quantity, as a share
	// of its value.
	Typical float64
	// Step is the smallest difference between two values: 1 for counts, 0 for values without steps.
	Step float64
}

// Direction is the direction of the changes that a hypothesis excludes.
type Direction int

// The directions.
const (
	Either Direction = iota
	Up
	Down
)

// Hypothesis is that a change does not go beyond Than in a direction; with Either, that it is
// Than.
type Hypothesis struct {
	*Series
	Direction Direction
	Than      float64
	// Limit is the size that a change must have to matter to the caller, not below 0. It counts
	// for Detectable and Needed only.
	Limit float64
}

// Method is how Test finds what differences chance makes.
type Method string

const (
	// Permutation: the reference is the same statistic for other divisions of the units into two
	// sides.
	Permutation Method = "permutation"
	// ModeratedT: the units can be divided in few ways. The reference is Student's t.
	ModeratedT Method = "moderated_t"
)

// Family is the result of Test.
type Family struct {
	Method Method // empty if nothing was tested
	// Tested is the number of different hypotheses that were tested. Resamples is the number of
	// divisions; 0 for ModeratedT.
	Tested, Resamples int
	Results           []Result // of each hypothesis
}

// Result is what a test says about a hypothesis.
type Result struct {
	// Tested: there are enough units with known values. Otherwise all else is zero.
	Tested bool
	Delta  float64 // mean of new − mean of base
	// Low and High are the ends of the simultaneous 1 − Level confidence interval of the change.
	// One is infinite unless the direction is Either.
	Low, High float64
	// P is the p-value, corrected for the number of hypotheses. It is at most Level if and only
	// if Than is outside the interval.
	P float64

	hypothesis Hypothesis
	estimate
	base     float64 // the mean of base
	prior    int     // the degrees of freedom of a prior
	critical float64 // the statistic from which P is at most Level
}

// Test tests a family of hypotheses. All series have the same numbers of units on each side, in the
// same order.
func Test(list []Hypothesis) *Family {
	f := &Family{Results: make([]Result, len(list))}
	var tests []*test
	for i, h := range list {
		if x := newTest(h, &f.Results[i]); x != nil {
			tests = append(tests, x)
		}
	}
	f.Tested = different(tests)
	switch {
	case f.Tested == 0:
	case canPermute(tests, f.Tested):
		f.Method = Permutation
		f.permute(tests)
	default:
		f.Method = ModeratedT
		f.student(tests)
	}
	return f
}

// different counts the hypotheses that are not the same as another one.
func different(tests []*test) int {
	type key struct {
		series    *Series
		direction Direction
		than      float64
	}
	keys := map[key]bool{}
	for _, x := range tests {
		keys[key{x.Series, x.Direction, x.Than}] = true
	}
	return len(keys)
}

// test is a hypothesis that is tested.
type test struct {
	Hypothesis
	units    []UnitValue // base's, then new's less Than
	known    [2]int
	base     float64 // the mean of base
	prior    float64 // a variance
	freedom  int     // its degrees of freedom
	least    float64 // a variance; 0 with a prior
	observed estimate
	result   *Result
}

// priorFreedom is the weight of the prior in degrees of freedom. More finds more, but then there
// are more false alarms if units differ more than is typical.
const priorFreedom = 2

// newTest returns nil if there are too few units.
func newTest(h Hypothesis, result *Result) *test {
	x := &test{Hypothesis: h, result: result}
	sum, within, variances := 0.0, 0.0, 0.0
	for side, units := range [2][]UnitValue{h.Base, h.New} {
		for _, u := range units {
			if u.Known() {
				x.known[side]++
				sum += u.Value
				x.base += u.Value * float64(1-side)
				if !math.IsNaN(u.Variance) {
					within, variances = within+u.Variance, variances+1
				}
			}
			u.Value -= float64(side) * h.Than
			x.units = append(x.units, u)
		}
	}
	all := x.known[0] + x.known[1]
	if min(x.known[0], x.known[1]) == 0 || all < MinUnits {
		return nil
	}
	x.base /= float64(x.known[0])
	if typical := h.Typical * sum / float64(all); variances > 0 {
		x.prior, x.freedom = within/variances+typical*typical, priorFreedom
	} else {
		// Values that happen to be equal do not show that they always are.
		x.least = max(typical*typical, h.Step*h.Step/4)
	}
	x.observed = x.divide(func(i int) bool { return i >= len(h.Base) })
	x.observed.within = within / max(1, variances)
	return x
}

// estimate is a difference of two groups of units.
type estimate struct {
	difference float64
	variance   float64 // of one unit
	within     float64 // the part of variance that is within the unit; 0 if unknown
	deviation  float64 // the standard error of difference
	freedom    int     // degrees of freedom of variance
}

// divide returns the difference of the means of two groups of the known units. It is zero if a group
// has no unit.
func (x *test) divide(isNew func(unit int) bool) (e estimate) {
	var n, mean, squares [2]float64
	for i := range x.units {
		u := &x.units[i]
		if !u.Known() {
			continue
		}
		g := 0
		if isNew(i) {
			g = 1
		}
		n[g]++ // Welford, 1962
		d := u.Value - mean[g]
		mean[g] += d / n[g]
		squares[g] += d * (u.Value - mean[g])
	}
	if min(n[0], n[1]) < 1 {
		return e
	}
	e.freedom = x.freedom + int(n[0]+n[1]) - 2
	e.difference = mean[1] - mean[0]
	e.variance = max(x.least, (float64(x.freedom)*x.prior+squares[0]+squares[1])/float64(e.freedom))
	e.deviation = math.Sqrt(e.variance * (1/n[0] + 1/n[1]))
	return e
}

const (
	// negligible is larger than a rounding error and smaller than any change that matters.
	negligible = 1e-12
	// maxRatio is the statistic of a change without any deviation. It keeps intervals finite.
	maxRatio = 1e9
)

// statistic returns how far a difference goes beyond the hypothesis, in standard errors.
func (x *test) statistic(e estimate) float64 {
	d := e.difference
	switch x.Direction {
	case Either:
		d = math.Abs(d)
	case Down:
		d = -d
	}
	if math.Abs(d) <= negligible {
		return 0
	}
	return max(-maxRatio, min(maxRatio, d/e.deviation))
}

// set sets the result from a p-value and the critical value of the statistic.
func (x *test) set(p, critical float64) {
	r := x.result
	r.Tested, r.Delta, r.P = true, x.observed.difference+x.Than, p
	r.hypothesis, r.estimate, r.base, r.prior, r.critical = x.Hypothesis, x.observed, x.base, x.freedom, critical
	r.Low, r.High = r.Delta, r.Delta
	if margin := critical * x.observed.deviation; margin > 0 {
		r.Low, r.High = r.Delta-margin, r.Delta+margin
	}
	switch x.Direction {
	case Up:
		r.High = math.Inf(1)
	case Down:
		r.Low = math.Inf(-1)
	}
}
