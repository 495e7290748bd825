package stats

import "reflect"

// Sum is a whole number of a process or a layer which several of them have together: their sum, or
// the largest. The tags sum and peak of fields name them.
type Sum struct {
	Name string
	// Peak: together they have the largest, not the sum.
	Peak  bool
	steps []int // of fields
}

// The numbers of processes and of layers, in the order of their fields.
var (
	ProcessSums = sums(reflect.TypeFor[Process](), nil)
	LayerSums   = sums(reflect.TypeFor[Layer](), nil)
)

func sums(t reflect.Type, steps []int) (list []Sum) {
	for i := range t.NumField() {
		f := t.Field(i)
		to := append(steps[:len(steps):len(steps)], i)
		name, peak := f.Tag.Get("sum"), f.Tag.Get("peak")
		if f.Type.Kind() == reflect.Pointer {
			f.Type = f.Type.Elem()
		}
		switch {
		case name+peak != "":
			list = append(list, Sum{name + peak, peak != "", to})
		case f.IsExported() && f.Type.Kind() == reflect.Struct && f.Tag.Get("json") != "-":
			list = append(list, sums(f.Type, to)...)
		}
	}
	return list
}

// partial is a part of a process whose numbers do not add up if what they are the parts of is unknown.
type partial interface{ addable() bool }

// Of returns the number of a *Process or a *Layer. An unknown one is zero: sums, and the shares of
// sums, are then without it.
func (s *Sum) Of(subject any) int64 {
	v := reflect.ValueOf(subject).Elem()
	for _, field := range s.steps {
		if p, ok := v.Addr().Interface().(partial); ok && !p.addable() {
			return 0
		}
		if v = v.Field(field); v.Kind() == reflect.Pointer {
			if v = v.Elem(); !v.IsValid() {
				return 0
			}
		}
	}
	return v.Int()
}

// set sets the number of a *Process or a *Layer, and makes the parts that it is in.
func (s *Sum) set(subject any, n int64) {
	v := reflect.ValueOf(subject).Elem()
	for _, field := range s.steps {
		v = known(v.Field(field))
	}
	v.SetInt(n)
}
