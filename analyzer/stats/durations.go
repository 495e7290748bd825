package stats

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Durations are how long frames took: the lengths of their actual intervals
// (docs/frames.md 9.9). A render frame's is its main thread's work, without drawing, GPU
// work and commit. Empty frames are included. Dropped frames are not, because they end
// when they are dropped.
//
// Percentiles are exact, by nearest rank: the P-th percentile of n durations in order is
// number ⌈P·n/100⌉, which is always a measured value. P95 is nil for fewer than 20
// durations and P99 for fewer than 100: it would be the longest of them.
type Durations struct {
	Frames    int             `json:"frames"` // number of frames
	P50       trace.Duration  `json:"p50_ns"`
	P90       trace.Duration  `json:"p90_ns"`
	P95       *trace.Duration `json:"p95_ns"`
	P99       *trace.Duration `json:"p99_ns"`
	Max       trace.Duration  `json:"max_ns" peak:"duration_max_ns"`
	Histogram []Bucket        `json:"histogram"` // the buckets of `dumpsys gfxinfo` that are not empty, in order
}

// DurationsInPeriods has each duration in refresh periods, rounded to a millionth. It is
// comparable across refresh rates.
type DurationsInPeriods struct {
	Frames int      `json:"frames"` // number of frames
	P50    float64  `json:"p50_periods"`
	P90    float64  `json:"p90_periods"`
	P95    *float64 `json:"p95_periods"`
	P99    *float64 `json:"p99_periods"`
	Max    float64  `json:"max_periods"`
}

func durations(frames []*analyzer.Frame) *Durations {
	list := timesOf(frames, DurationOf)
	d := quantilesOf[Durations](list)
	if d != nil {
		d.Histogram = histogram(list)
	}
	return d
}

// durationsInPeriods are those of the frames with a known period.
func durationsInPeriods(frames []*analyzer.Frame) *DurationsInPeriods {
	var list []microperiods
	for _, f := range frames {
		if period := periodOf(f); period > 0 && !f.Facts.Has(analyzer.Dropped) {
			list = append(list, inPeriods(f.Actual.Duration(), period))
		}
	}
	return quantilesOf[DurationsInPeriods](list)
}

// timesOf returns the known times of frames or buffers.
func timesOf[T any](list []T, of func(T) (trace.Duration, bool)) (times []trace.Duration) {
	for _, x := range list {
		if d, known := of(x); known {
			times = append(times, d)
		}
	}
	return times
}

// quantilesOf returns the quantiles of a list, which it sorts; nil if the list is empty.
func quantilesOf[T any, N ~int | ~int64](list []N) *T {
	if len(list) == 0 {
		return nil
	}
	var x T
	setQuantiles(&x, "", list)
	return &x
}

// setQuantiles sorts a list, and sets the fields of a struct whose names in JSON begin with a prefix and go on
// with "frames", which is the number of values, "max" or a percentile such as "p95". Numbers with a
// fraction are milliseconds of nanoseconds, or periods of microperiods. A percentile of too few values
// to have one beyond it (docs/frames.md 9.9) stays nil.
func setQuantiles[N ~int | ~int64](into any, prefix string, list []N) {
	slices.Sort(list)
	v := reflect.ValueOf(into).Elem()
	for _, q := range quantileFields(v.Type(), prefix) {
		x := N(len(list))
		switch {
		case q.percent == ofFrames:
		case len(list) >= leastOf(q.percent):
			x = Percentile(list, q.percent)
		default:
			continue
		}
		field := v.Field(q.field)
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		if field.CanFloat() {
			field.SetFloat(float64(x) / 1e6)
		} else {
			field.SetInt(int64(x))
		}
	}
}

// quantileField is a field that setQuantiles sets: the number of values, or a percentile. The maximum is that of 100.
type quantileField struct{ field, percent int }

const ofFrames = 0

// quantileFieldsOf are those of a type and a prefix, which are read once.
var quantileFieldsOf sync.Map

func quantileFields(t reflect.Type, prefix string) (list []quantileField) {
	type key struct { // it embeds nothing: the linker would keep all methods of the program
		of     reflect.Type
		prefix string
	}
	if known, ok := quantileFieldsOf.Load(key{t, prefix}); ok {
		return known.([]quantileField)
	}
	for i := range t.NumField() {
		name, ok := strings.CutPrefix(t.Field(i).Tag.Get("json"), prefix)
		name, _, _ = strings.Cut(name, "_")
		percent, err := strconv.Atoi(strings.TrimPrefix(name, "p"))
		switch {
		case ok && name == "frames":
			list = append(list, quantileField{i, ofFrames})
		case ok && name == "max":
			list = append(list, quantileField{i, 100})
		case ok && err == nil:
			list = append(list, quantileField{i, percent})
		}
	}
	quantileFieldsOf.Store(key{t, prefix}, list)
	return list
}

// microperiods is a duration in millionths of a refresh period. It is an integer because
// rank tests need exact equality.
type microperiods int64

// maxMicroperiods is more than any duration has at a possible period.
const maxMicroperiods = 1 << 62

func (m microperiods) periods() float64 { return float64(m) / 1e6 }

// inPeriods returns a duration in refresh periods.
func inPeriods(d, period trace.Duration) microperiods {
	return microperiods(min(maxMicroperiods, math.Round(float64(d)/float64(period)*1e6)))
}

// Percentile returns the p-th percentile of a sorted list by nearest rank, p
// from 1 to 100. The list must not be empty.
func Percentile[T any](sorted []T, p int) T {
	return sorted[(p*len(sorted)+99)/100-1]
}
