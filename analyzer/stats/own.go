package stats

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Own is a measure that the user defined with --measure (docs/frames.md 20). Values are times in milliseconds, or
// numbers as the markers have them. Unknown values are nil.
type Own struct {
	Name  string `json:"name"`  // name, as in conditions
	Of    string `json:"of"`    // the markers, as they were given
	Unit  *Unit  `json:"unit"`  // "ms" of times, "count" of numbers; nil without values
	Count int    `json:"count"` // number of values
	// the smallest value, percentiles by nearest rank, the largest, and the sum; "p95" needs 20 values, "p99" 100
	Min        *float64    `json:"min"`
	P50        *float64    `json:"p50"`
	P90        *float64    `json:"p90"`
	P95        *float64    `json:"p95"`
	P99        *float64    `json:"p99"`
	Max        *float64    `json:"max"`
	Sum        *float64    `json:"sum"`
	MaxAt      *trace.Time `json:"max_at_ns"`     // when the largest value begins
	MaxPID     *trace.PID  `json:"max_pid"`       // id of the process that it is of; nil if unknown
	MaxProcess *string     `json:"max_process"`   // name of that; nil if unknown
	NoEnd      int         `json:"without_end"`   // begins without an end
	NoBegin    int         `json:"without_begin"` // ends without a begin
	Overlaps   int         `json:"overlaps"`      // ends of several begins at once, which have no value
	Bare       int         `json:"without_value"` // markers that have neither a length nor a number
	Problems   []string    `json:"problems"`      // what is missing, in words

	// Unread: the input does not have the measure.
	Unread bool `json:"-"`
	// Units are what numbers are given in. With several there are no values.
	Units []string `json:"-"`
	// Values are all of them, in order of size.
	Values []float64 `json:"-"`
	// Source is the measure itself; nil of several traces.
	Source *analyzer.OwnMeasure `json:"-"`
	Pool   *Pool                `json:"-"`
}

// owns measures the values of the chosen processes.
func owns(t *analyzer.Timeline, o Options) []*Own {
	var list []*Own
	process := o.Process
	if process == nil {
		process = o.Own
	}
	for i := range t.OwnMeasures {
		m := &t.OwnMeasures[i]
		x := &Own{
			Name: m.Name, Of: m.Of, NoEnd: len(m.Begins), NoBegin: len(m.Ends), Overlaps: len(m.Overlaps), Bare: len(m.Bare), Problems: []string{}, Source: m, Unread: m.Unread, Units: m.Units(),
		}
		x.Problems = append(x.Problems, m.Problems()...)
		largest := 0.0
		for _, v := range m.Values {
			if process != nil && (v.Process == nil || !process(v.Process)) {
				continue
			}
			if len(x.Units) > 1 {
				x.Bare++
				continue
			}
			value := v.Number
			if !m.Numbers {
				value = v.Interval.Duration().Milliseconds()
			}
			if x.Values = append(x.Values, value); x.MaxAt == nil || value > largest {
				largest, x.MaxAt, x.MaxPID, x.MaxProcess = value, clone(v.Interval.Start), nil, nil
				if v.Process != nil {
					x.MaxPID, x.MaxProcess = clone(v.Process.PID), optionalText(v.Process.Name)
				}
			}
		}
		if x.Unit = clone(Milliseconds); m.Numbers {
			x.Unit = clone(Count)
		}
		x.measure()
		list = append(list, x)
	}
	return list
}

// measure sets what the values are together.
func (x *Own) measure() {
	slices.Sort(x.Values)
	x.Count = len(x.Values)
	if x.Count == 0 {
		x.Unit = nil
		return
	}
	sum := 0.0
	for _, value := range x.Values {
		sum += value
	}
	x.Sum, x.Min = &sum, number(x.Values[0])
	for percent, to := range map[int]**float64{50: &x.P50, 90: &x.P90, 95: &x.P95, 99: &x.P99, 100: &x.Max} {
		if x.Count >= leastOf(percent) {
			*to = number(Percentile(x.Values, percent))
		}
	}
}

// OwnMeasures are what each of the user's measures has: those of times, then those of numbers with the same names.
var OwnMeasures = func() MeasureList {
	of := func(unit Unit, label string, numbers bool) []Measure {
		list := []Measure{
			measure("count", "count", Count, Neither, "Count", "number of values"),
			measure("p50", "p50", unit, Lower, "P50"+label, "half of the values are at most this", tested, short("P50", 0)),
			measure("p90", "p90", unit, Lower, "P90"+label, "90 % are", tested, short("P90", 2)),
			measure("p95", "p95", unit, Lower, "P95"+label, "95 % are; null for fewer than 20", tested, short("P95", 1)),
			measure("p99", "p99", unit, Lower, "P99"+label, "99 % are; null for fewer than 100", short("P99", 4)),
			measure("max", "max", unit, Lower, "Max"+label, "the largest", short("Max", 0)),
			measure("min", "min", unit, Lower, "Min"+label, "the smallest", short("Min", 5)),
			measure("sum", "sum", unit, Lower, "Sum"+label, "of all values", short("Sum", 3)),
		}
		for i := range list {
			list[i].Numbers, list[i].Unbounded = numbers, i > 0 // numbers can be negative
		}
		return list
	}
	return declare[Own](append(of(Milliseconds, ", ms", false), of(Count, "", true)...)...)
}()

// IsOf reports whether a measure of OwnMeasures is one of the values: of times or of numbers.
func (m *Measure) IsOf(x *Own) bool { return m.Numbers == (x.Unit != nil && *x.Unit == Count) }
