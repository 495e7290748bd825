package stats

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"ohframe/internal/pattern"
)

// Unit is the unit of a measure.
type Unit string

// The units.
const (
	Count          Unit = "count"
	Share          Unit = "share" // 0 to 1, of a measure that is not Unbounded
	Hertz          Unit = "hz"
	Milliseconds   Unit = "ms"
	MillisecondsPS Unit = "ms_per_s"
	Seconds        Unit = "s"
	Periods        Unit = "periods" // refresh periods of the display
)

// Better is which direction of a measure is an improvement.
type Better string

// The directions.
const (
	Lower   Better = "lower"
	Higher  Better = "higher"
	Neither Better = "neither" // a fact, or a count that grows with the trace
)

// Measure declares a number of a process, an interaction or a layer: what reports,
// columns, conditions, comparisons and their documentation need.
type Measure struct {
	// Path is the JSON path within the subject, by which its value is found, and the name of a
	// CSV column. In the list of stages it has the stage's name instead of an index. A path that
	// ends in _ns is in nanoseconds.
	Path string
	// Name is the name in conditions and comparisons, where durations are in milliseconds.
	Name string
	Unit Unit // of Name
	// Better is Neither for a measure without a direction.
	Better Better
	// Label is the name for people, with the unit.
	Label string
	// Meaning explains the measure in a few words, by its fields.
	Meaning string
	// Term and Definition are its name and its meaning for people, where a term explains it: docs/glossary.md
	// lists them.
	Term, Definition string
	// Main measures of processes are always shown.
	Main bool
	// Tested: comparisons test its changes.
	Tested bool
	// PerRefresh: at another refresh rate the same smoothness has another value.
	PerRefresh bool
	// AcrossRates: comparisons of processes test it instead of one that is PerRefresh if refresh rates differ.
	AcrossRates bool
	// Animating: it is unknown of a process that shows no two frames without a pause between them, and of a
	// layer that shows no two buffers.
	Animating bool
	// Unbounded: a value can be negative, or a share larger than 1.
	Unbounded bool
	// OfCadence: it is unknown of a layer without a cadence.
	OfCadence bool
	// Short is the title in tables with many columns, which leave it out the earlier the larger Drop is;
	// empty for a measure that is in none, or has its label there.
	Short string
	Drop  int
	// Launch: it is a measure of launches. Other measures of interactions are of scenes.
	Launch bool
	// Numbers: it is a measure of the user's numbers. Others of OwnMeasures are of times.
	Numbers bool
	// Rated are the thresholds by which values are coloured; nil if they are not.
	Rated *Thresholds
	// Aggregate says what the measure of several subjects is; nil if they have none.
	Aggregate *Aggregate
	// Least is the number of frames, gaps, buffers or interactions that a test of a change needs.
	Least int

	field func() *field
	value func(subject any) *float64 // of a measure that is at no field; nil of others
}

// Thresholds are published values from which a measure is coloured.
type Thresholds struct {
	Label string // of what they are for, with the unit
	// Warning is the lowest value of that level, Critical the highest that is not yet critical. It is zero if
	// no value is.
	Warning, Critical float64
	// Limit is what is said of Warning, before the number: "good below".
	Limit string
	// Source names who set the values.
	Source string
}

// field is where the value of a measure is.
type field struct {
	steps []step
	sum   bool // it is a Sum
}

// Of returns the value for a *Process, *Interaction, *Layer or *Pool, as its JSON has it; nil
// if it is unknown.
func (m *Measure) Of(subject any) *float64 {
	if m.value != nil {
		return m.value(subject)
	}
	if p, ok := subject.(*Process); ok && p.Pool != nil && m.Aggregate == nil && !m.field().sum {
		return nil // a process of several traces does not have it, and what is no pointer is not set
	}
	v := reflect.ValueOf(subject).Elem()
	for _, s := range m.field().steps {
		if v = s.take(v); !v.IsValid() {
			return nil
		}
	}
	if v.CanFloat() {
		return number(v.Float())
	}
	return number(float64(v.Int()))
}

// put sets the field of the value, which is in Unit, and makes the parts that it is in; nil is left unknown.
func (m *Measure) put(subject any, x *float64) {
	if x == nil {
		return
	}
	v := reflect.ValueOf(subject).Elem()
	for _, s := range m.field().steps {
		v = known(s.find(v))
	}
	switch {
	case v.CanFloat():
		v.SetFloat(*x)
	case strings.HasSuffix(m.Path, "_ns"):
		v.SetInt(int64(math.Round(*x * 1e6)))
	default:
		v.SetInt(int64(*x))
	}
}

// known returns what a pointer points to, which it makes if there is nothing, or the value itself.
func known(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Pointer {
		return v
	}
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	return v.Elem()
}

// Same reports whether several subjects have the same value of two measures together.
func (m *Measure) Same(o *Measure) bool {
	return m.Aggregate != nil && reflect.DeepEqual(m.Aggregate, o.Aggregate)
}

// Value returns the value in Unit, in which times are milliseconds; nil if it is unknown.
func (m *Measure) Value(subject any) *float64 {
	x := m.Of(subject)
	if x != nil && strings.HasSuffix(m.Path, "_ns") {
		return number(*x / 1e6)
	}
	return x
}

// step is a part of a path: a field, or an element of a list.
type step struct {
	field int
	name  string // of the element; empty for a field
}

// take returns a part of a value, which is not valid if it is unknown.
func (s *step) take(v reflect.Value) reflect.Value {
	if s.name == "" {
		return reflect.Indirect(v.Field(s.field))
	}
	for i := range v.Len() {
		if v.Index(i).Field(0).Interface().(fmt.Stringer).String() == s.name {
			return v.Index(i)
		}
	}
	return reflect.Value{}
}

// find is take, but returns a pointer as it is, and adds an element that the list does not have.
func (s *step) find(v reflect.Value) reflect.Value {
	if s.name == "" {
		return v.Field(s.field)
	}
	if x := s.take(v); x.IsValid() {
		return x
	}
	v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	x := v.Index(v.Len() - 1)
	if err := x.Field(0).Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s.name)); err != nil {
		panic(err) // a declaration is mistaken
	}
	return x
}

// Explained returns the meaning for people, who see an unknown value as a dash: without the names in JSON
// marked, and when JSON has null.
func (m *Measure) Explained() string {
	if m.Definition != "" {
		return m.Definition
	}
	meaning, _, _ := strings.Cut(m.Meaning, "; null")
	return strings.ReplaceAll(meaning, "`", "")
}

// MeasureList are the measures of one kind of subject.
type MeasureList []Measure

// Named returns the measure with a name, also one of RateBelow; nil if it does not exist.
func (list MeasureList) Named(name string) *Measure {
	if m := RateBelow(name); m != nil {
		return m
	}
	return list.find(func(m *Measure) bool { return m.Name == name })
}

// At returns the measure at a path; nil if it does not exist.
func (list MeasureList) At(path string) *Measure {
	return list.find(func(m *Measure) bool { return m.Path == path })
}

func (list MeasureList) find(is func(*Measure) bool) *Measure {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Names returns the names.
func (list MeasureList) Names() []string { return list.where(func(*Measure) bool { return true }) }

func (list MeasureList) where(is func(*Measure) bool) (names []string) {
	for i := range list {
		if is(&list[i]) {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// declare returns the measures of a type. Their fields are found at the first use, which panics if one is
// at no field of the type: most runs of the program need none.
func declare[T any](list ...Measure) MeasureList {
	found := sync.OnceValue(func() []field { return fieldsOf(reflect.TypeFor[T](), list) })
	for i := range list {
		list[i].field = func() *field { return &found()[i] }
	}
	return list
}

// having returns the measures whose paths are fields of another type.
func (list MeasureList) having(t reflect.Type) (of []Measure) {
	for _, m := range list {
		if slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("json") == m.Path }) {
			of = append(of, m)
		}
	}
	return of
}

func fieldsOf(subject reflect.Type, list []Measure) []field {
	names, numbers, found := jsonFields{}, sums(subject, nil), make([]field, len(list))
	for i := range list {
		t, f := subject, &found[i]
		for name := range strings.SplitSeq(list[i].Path, ".") {
			if t.Kind() == reflect.Slice {
				t = t.Elem()
				f.steps = append(f.steps, step{name: name})
				continue
			}
			number := names.named(t, name)
			f.steps = append(f.steps, step{field: number})
			if t = t.Field(number).Type; t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
		}
		f.sum = slices.ContainsFunc(numbers, func(s Sum) bool {
			return slices.EqualFunc(s.steps, f.steps, func(field int, s step) bool { return s.name == "" && s.field == field })
		})
	}
	return found
}

// jsonFields are the indices of the fields of types by their names in JSON.
type jsonFields map[reflect.Type]map[string]int

// named returns the index of a field. It panics if the type has no field of that name.
func (f jsonFields) named(t reflect.Type, name string) int {
	names := f[t]
	if names == nil {
		names = map[string]int{}
		for i := range t.NumField() {
			names[t.Field(i).Tag.Get("json")] = i
		}
		f[t] = names
	}
	i, ok := names[name]
	if !ok {
		panic(fmt.Sprintf("stats: %v has no field %q", t, name))
	}
	return i
}

// A flag of a declaration.
type flag func(*Measure)

func main(m *Measure)        { m.Main = true }
func tested(m *Measure)      { m.Tested = true }
func perRefresh(m *Measure)  { m.PerRefresh = true }
func launch(m *Measure)      { m.Launch = true }
func acrossRates(m *Measure) { m.AcrossRates = true }
func animating(m *Measure)   { m.Animating = true }
func ofCadence(m *Measure)   { m.OfCadence = true }
func unbounded(m *Measure)   { m.Unbounded = true }

func all(flags ...flag) flag {
	return func(m *Measure) {
		for _, set := range flags {
			set(m)
		}
	}
}

func rated(t *Thresholds) flag { return func(m *Measure) { m.Rated = t } }

func term(name, definition string) flag {
	return func(m *Measure) { m.Term, m.Definition = name, definition }
}

func short(title string, drop int) flag { return func(m *Measure) { m.Short, m.Drop = title, drop } }

// share says that the measure is a share of sums. Names are separated by blanks.
func share(parts, wholes string) flag { return ratio(parts, 1, wholes, 1) }

// ratio says that the measure is a ratio of sums in their units.
func ratio(parts string, partUnit float64, wholes string, wholeUnit float64) flag {
	a := &Aggregate{Parts: strings.Fields(parts), Wholes: strings.Fields(wholes), PartUnit: partUnit, WholeUnit: wholeUnit}
	return func(m *Measure) { m.Aggregate = a }
}

// percentile says that several subjects have a percentile of times.
func percentile(times string, percent int) flag {
	return func(m *Measure) {
		m.Aggregate = &Aggregate{Times: times, Thousandth: 10 * int64(percent), Least: int64(leastOf(percent))}
		m.Least = max(m.Least, leastOf(percent))
	}
}

// longest says that several subjects have the longest of times, which is a peak.
func longest(times, peak string) flag {
	return func(m *Measure) {
		m.Aggregate = &Aggregate{Times: times, Peak: peak, PartUnit: 1}
		if m.Unit == Milliseconds {
			m.Aggregate.PartUnit = 1e6
		}
	}
}

// sum says that several subjects have the sum of a number in nanoseconds, which is unknown if it is zero.
func sum(name string) flag {
	return func(m *Measure) { m.Aggregate = &Aggregate{Parts: []string{name}, PartUnit: 1e9} }
}

// least sets the number that a test needs.
func least(n int) flag { return func(m *Measure) { m.Least = n } }

func measure(path, name string, unit Unit, better Better, label, meaning string, flags ...flag) Measure {
	m := Measure{Path: path, Name: name, Unit: unit, Better: better, Label: label, Meaning: meaning, Least: minFrames}
	all(flags...)(&m)
	return m
}

// OwnRule reports whether Android and OpenHarmony have rules of their own for the measure, so that it does not
// compare.
func (m *Measure) OwnRule() bool { return ownRule().MatchString(m.Path) }

// ownRule matches the paths of what follows from deadlines and from when frames end.
var ownRule = pattern.New(`^(frames\.(judged|late|empty|misaligned|first_draw|deadlines_inferred)|jank_rate|lost_ns|empty_rate|whole_frames|longest_streak|stutter|durations|overruns|stages\.[^v])`)

func number(x float64) *float64 { return &x }
