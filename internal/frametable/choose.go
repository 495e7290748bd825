package frametable

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/internal/view"
)

// durationColumn sorts by the length of the actual interval, which is no column.
const durationColumn = "duration"

// SortColumns are the values of Options.Sort: the columns and "duration".
var SortColumns = append(slices.Clone(Columns), durationColumn)

// chosen returns the frames that the options select, in their order.
func chosen(inputs []Input, o *Options) (iter.Seq2[*analyzer.Frame, *Input], error) {
	if o.Sort != "" && !slices.Contains(SortColumns, o.Sort) {
		return nil, fmt.Errorf("%q is not one of %s", o.Sort, strings.Join(SortColumns, ", "))
	}
	selected := func(yield func(*analyzer.Frame, *Input) bool) {
		for i := range inputs {
			for _, f := range inputs[i].Timeline.Frames {
				if (o.Interaction == 0 || slices.Contains(inputs[i].interactions[f], o.Interaction)) && (o.Process == nil || o.Process(f.Process)) && (!o.Late || f.Late()) && !yield(f, &inputs[i]) {
					return
				}
			}
		}
	}
	list := selected
	if o.Sort != "" {
		list = sorted(selected, o.Sort)
	}
	if o.Limit == 0 {
		return list, nil
	}
	return func(yield func(*analyzer.Frame, *Input) bool) {
		n := 0
		for f, in := range list {
			if n++; n > o.Limit || !yield(f, in) {
				return
			}
		}
	}, nil
}

// sorted returns the frames sorted by a column of SortColumns.
func sorted(list iter.Seq2[*analyzer.Frame, *Input], column string) iter.Seq2[*analyzer.Frame, *Input] {
	type item struct {
		frame  *analyzer.Frame
		input  *Input
		text   string
		number float64
	}
	var items []item
	for f, in := range list {
		it := item{frame: f, input: in}
		if column == durationColumn {
			if f.Actual.Known() {
				it.text, it.number = "known", float64(f.Actual.Duration())
			}
		} else {
			r := in.row(f)
			r.Input = &in.Name
			it.text = view.RecordCell(r, column)
			if n, err := strconv.ParseFloat(it.text, 64); err == nil {
				it.text, it.number = "known", n
			} else if it.text == "true" { // before false
				it.number = 1
			}
		}
		items = append(items, it)
	}
	slices.SortStableFunc(items, func(a, b item) int {
		unknown := func(i item) int {
			if i.text == "" {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(unknown(a), unknown(b)), cmp.Compare(b.number, a.number), cmp.Compare(a.text, b.text))
	})
	return func(yield func(*analyzer.Frame, *Input) bool) {
		for _, it := range items {
			if !yield(it.frame, it.input) {
				return
			}
		}
	}
}
