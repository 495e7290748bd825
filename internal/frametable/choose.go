package frametable

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/view"
)

// durations are the lengths of intervals of a row, which are no columns but sort rows.
var durations = map[string]func(*row) *int64{
	"duration": func(r *row) *int64 { return between(r.ActualStart, r.ActualEnd) },
	"request":  func(r *row) *int64 { return between(r.RequestStart, r.RequestEnd) },
	"gpu":      func(r *row) *int64 { return between(r.Queued, later(r.Queued, r.Ready)) },
	"queue":    func(r *row) *int64 { return between(r.Queued, r.Acquired) },
}

// between returns the time between two times, nil if one is unknown.
func between(start, end *int64) *int64 {
	if start == nil || end == nil {
		return nil
	}
	return new(*end - *start)
}

// later returns the later of two times, nil if one is unknown.
func later(a, b *int64) *int64 {
	if a == nil || b == nil || *a < *b {
		return b
	}
	return a
}

// SortColumns are the values of Options.Sort: the columns and the durations.
var SortColumns = append(slices.Clone(columns), slices.Sorted(maps.Keys(durations))...)

// Kinds are the kinds of rows: frames of applications and of render_service, and buffers of
// layers.
var Kinds = []string{analyzer.ApplicationFrame.String(), analyzer.RenderFrame.String(), KindLayer}

// KindLayer is the kind of buffers.
const KindLayer = "layer"

// item is a frame or a buffer.
type item struct {
	frame  *analyzer.Frame
	buffer *analyzer.Buffer // nil for a frame
	in     *Input
}

func (it item) start() trace.Time {
	if it.buffer != nil {
		return it.buffer.At()
	}
	return it.frame.Actual.Start
}

func (it item) row() row {
	if it.buffer != nil {
		return it.in.bufferRow(it.buffer)
	}
	return it.in.row(it.frame)
}

// items returns what the options select of an input, by start.
func (in *Input) items(o *Options) iter.Seq[item] {
	buffers := in.buffers(o)
	return func(yield func(item) bool) {
		rest := buffers
		for _, f := range in.frames(o) {
			for ; len(rest) > 0 && rest[0].start() < f.Actual.Start; rest = rest[1:] {
				if !yield(rest[0]) {
					return
				}
			}
			if o.hasFrame(f, in) && !yield(item{frame: f, in: in}) {
				return
			}
		}
		for _, b := range rest {
			if !yield(b) {
				return
			}
		}
	}
}

// Lists reports whether rows of a kind are listed.
func (o *Options) Lists(kind string) bool {
	return slices.Contains(o.Kinds, kind) || len(o.Kinds) == 0 && kind != KindLayer
}

// frames returns all frames if the options list frames of any kind, otherwise none.
func (in *Input) frames(o *Options) []*analyzer.Frame {
	if !o.Lists(analyzer.ApplicationFrame.String()) && !o.Lists(analyzer.RenderFrame.String()) {
		return nil
	}
	return in.Timeline.Frames
}

func (o *Options) hasFrame(f *analyzer.Frame, in *Input) bool {
	return o.Lists(f.Kind.String()) && (o.Interaction == 0 || slices.Contains(in.interactions[f], o.Interaction)) &&
		(o.Process == nil || o.Process(f.Process)) && (!o.Late || f.Late())
}

// buffers returns the buffers that the options select, by start.
func (in *Input) buffers(o *Options) (list []item) {
	if !o.Lists(KindLayer) {
		return nil
	}
	for _, l := range in.Timeline.Layers {
		if o.Process != nil && (l.Process == nil || !o.Process(l.Process)) || o.Layer != nil && !o.Layer(l) {
			continue
		}
		for _, b := range l.Buffers {
			if (o.Interaction == 0 || slices.Contains(in.interactionsOf(b), o.Interaction)) && (!o.Late || b.Pace == analyzer.Late) {
				list = append(list, item{buffer: b, in: in})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b item) int { return cmp.Compare(a.start(), b.start()) })
	return list
}

// chosen returns what the options select, in their order.
func chosen(inputs []Input, o *Options) (iter.Seq[item], error) {
	if o.Sort != "" && !slices.Contains(SortColumns, o.Sort) {
		return nil, fmt.Errorf("%q is not one of %s", o.Sort, strings.Join(SortColumns, ", "))
	}
	selected := func(yield func(item) bool) {
		for i := range inputs {
			for it := range inputs[i].items(o) {
				if !yield(it) {
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
	return func(yield func(item) bool) {
		n := 0
		for it := range list {
			if n++; n > o.Limit || !yield(it) {
				return
			}
		}
	}, nil
}

// sorted returns the items sorted by a column of SortColumns.
func sorted(list iter.Seq[item], column string) iter.Seq[item] {
	type key struct {
		item
		text   string
		number float64
	}
	var keys []key
	for it := range list {
		k := key{item: it}
		r := it.row()
		if of := durations[column]; of != nil {
			if d := of(&r); d != nil {
				k.text, k.number = "known", float64(*d)
			}
		} else {
			r.Input = &it.in.Name
			k.text = view.RecordCell(r, column)
			if n, err := strconv.ParseFloat(k.text, 64); err == nil {
				k.text, k.number = "known", n
			} else if k.text == "true" { // before false
				k.number = 1
			}
		}
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b key) int {
		unknown := func(k key) int {
			if k.text == "" {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(unknown(a), unknown(b)), cmp.Compare(b.number, a.number), cmp.Compare(a.text, b.text))
	})
	return func(yield func(item) bool) {
		for _, k := range keys {
			if !yield(k.item) {
				return
			}
		}
	}
}
