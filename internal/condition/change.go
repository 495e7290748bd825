package condition

import (
	"fmt"
	"math"

	"ohframe/internal/significance"
	"ohframe/internal/text"
)

// Change is a condition on the change of a measure, and its result.
type Change struct {
	Condition *Condition
	// Base, New and Delta are in the measure's unit; nil if unknown.
	Base, New, Delta *float64
	// Series has the values in all units; nil if no test is possible.
	Series *significance.Series
	Advice Advice

	Status Status
	// Excess is how far the change is beyond the limit; 0 if it is unknown.
	Excess float64
	// Text describes the change; empty if the status is Unknown.
	Text string
	// Test is the result of the test, UnitsNeeded how many units of each side would decide; nil if
	// unknown.
	Test        *significance.Result
	UnitsNeeded *int
}

// Advice is what to say about units that would decide.
type Advice struct {
	UnitName string // "run"
	// Seconds is the length of a unit that is advised, 0 if it is of no account, and Longer the same
	// in lengths of the present units.
	Seconds, Longer float64
	// Most is the number of units above which none is advised.
	Most int
}

// Text describes a number of units: "11 runs of 10 s".
func (a Advice) Text(units int) string {
	s := text.Count(units, a.UnitName)
	if a.Seconds > 0 {
		s += fmt.Sprintf(" of %.0f s", a.Seconds)
	}
	return s
}

// Needed returns how many units would find the change of a test; nil if that is unknown or more than
// Most.
func (a Advice) Needed(r *significance.Result) *int {
	n := r.Needed(a.Longer, a.Most)
	if n == 0 {
		return nil
	}
	return &n
}

// Decide checks conditions: one fails if the change is beyond its limit and significant. All are tested
// together, each in its direction.
func Decide(list []*Change) {
	testChanges(list)
	for _, x := range list {
		if x.Delta != nil {
			x.Excess = x.Condition.excess(x.of(*x.Delta))
		}
		switch {
		case x.Delta == nil || x.Test == nil:
			x.Status = Unknown
			continue
		case x.isBeyond() && x.Test.P <= significance.Level:
			x.Status = Failed
		default:
			x.Status = Passed
		}
		x.Text = x.describe()
	}
}

// Tested is the result of a test in JSON; null if nothing was tested.
type Tested struct {
	// corrected p-value, in the direction of the condition; nil if it was not tested
	P *float64 `json:"p_value"`
	// as in "measures", for the condition; without sign, also of a condition with "<"
	Detectable  *float64 `json:"detectable"`
	UnitsNeeded *int     `json:"units_needed"` // as in "measures", for the condition
}

// Tested returns the result of the test. The change may be nil.
func (x *Change) Tested() Tested {
	if x == nil || x.Test == nil {
		return Tested{}
	}
	t := Tested{&x.Test.P, Detectable(x.Test), x.UnitsNeeded}
	if x.demands() {
		t.Detectable = nil
	}
	return t
}

// Detectable returns the smallest change that a test finds; nil if its values do not differ, which
// says nothing of it.
func Detectable(r *significance.Result) *float64 {
	d := r.Detectable()
	if d == 0 {
		return nil
	}
	return &d
}

// demands reports whether the condition demands a change: "no change" is beyond its limit.
func (x *Change) demands() bool {
	return x.Condition.Limit != 0 && x.Condition.Above == (x.Condition.Limit < 0)
}

func testChanges(list []*Change) {
	var tested []*Change
	var hypotheses []significance.Hypothesis
	for _, x := range list {
		if x.Series != nil && x.Delta != nil {
			tested, hypotheses = append(tested, x), append(hypotheses, x.hypothesis())
		}
	}
	results := significance.Test(hypotheses).Results
	for i, x := range tested {
		if r := &results[i]; r.Tested {
			x.Test, x.UnitsNeeded = r, x.Advice.Needed(r)
		}
	}
}

// hypothesis returns what must be rejected for the condition to fail: that nothing changed in
// its direction; that the change is not beyond the limit if the condition has the strict form,
// or if "no change" is beyond the limit, too.
func (x *Change) hypothesis() significance.Hypothesis {
	c := x.Condition
	h := significance.Hypothesis{Series: x.Series, Direction: significance.Down}
	limit, sign := c.Limit, -1.0
	if c.Relative {
		limit *= *x.Base
	}
	if c.Above {
		h.Direction, sign = significance.Up, 1
	}
	if c.Surely || x.demands() {
		h.Than = limit
	}
	h.Limit = max(0, limit*sign)
	return h
}

// isBeyond reports whether the change is beyond the limit, be it significant or not.
func (x *Change) isBeyond() bool { return x.Excess > rounding }

// of returns a change in what the limit is in: a change from zero is infinite as a share of it.
func (x *Change) of(change float64) float64 {
	switch {
	case !x.Condition.Relative:
		return change
	case *x.Base != 0:
		return change / *x.Base
	case math.Abs(change) <= rounding:
		return 0
	}
	return math.Inf(int(math.Copysign(1, change)))
}

// describe describes the change, such as "5.0 % → 8.0 %, +60.0 % (p 0.003)".
func (x *Change) describe() string {
	c, r := x.Condition, x.Test
	fromZero := c.Relative && *x.Base == 0
	format := func(d float64) string {
		switch {
		case fromZero:
			return "from zero"
		case c.Relative:
			d = x.of(d)
			return text.RelativeChange(&d)
		}
		return text.Change(c.Unit, &d)
	}
	s := text.Value(c.Unit, x.Base) + " → " + text.Value(c.Unit, x.New) + text.UnitAfter(c.Unit) + ", " + format(*x.Delta)
	s += " (p " + text.Probability(r.P)
	detectable, bound, sign := Detectable(r), r.Low, 1.0
	if !c.Above {
		bound, sign = r.High, -1
	}
	switch {
	case r.P <= significance.Level && c.Surely && !fromZero:
		s += "; surely beyond " + format(bound)
	case fromZero:
	case r.P <= significance.Level:
		if !x.isBeyond() {
			s += "; within the limit"
		}
	case x.demands():
		s += "; " + format(x.hypothesis().Than) + " is possible"
	case !x.isBeyond():
		if detectable != nil {
			s += "; " + format(sign**detectable) + " would have been found"
		}
	default:
		if s += ": may be chance"; c.Surely {
			s += " that it is beyond"
		}
		if x.UnitsNeeded != nil {
			s += "; " + x.Advice.Text(*x.UnitsNeeded) + " on each side would decide"
		}
	}
	return s + ")"
}
