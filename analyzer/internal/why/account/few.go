package account

import (
	"cmp"
	"iter"

	"ohframe/analyzer/trace"
)

// few is a map, in the order in which keys came. It is a list while it has few.
type few[K comparable, V any] struct {
	list []entry[K, V]
	at   map[K]int // indexes in list, nil while they are few
}

type entry[K, V any] struct {
	key   K
	value V
}

// of returns the value of a key, which is zero at first. It is valid until another key comes.
func (f *few[K, V]) of(key K) *V {
	const most = 32
	if f.at != nil {
		if i, ok := f.at[key]; ok {
			return &f.list[i].value
		}
	} else {
		for i := range f.list {
			if f.list[i].key == key {
				return &f.list[i].value
			}
		}
		if len(f.list) == most {
			f.at = map[K]int{}
			for i := range f.list {
				f.at[f.list[i].key] = i
			}
		}
	}
	if f.at != nil {
		f.at[key] = len(f.list)
	}
	f.list = append(f.list, entry[K, V]{key: key})
	return &f.list[len(f.list)-1].value
}

// all returns the keys, in the order in which they came, and their values.
func (f *few[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, e := range f.list {
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}

// emptied returns the memory of f, for other keys.
func (f *few[K, V]) emptied() few[K, V] { return few[K, V]{list: f.list[:0]} }

// largest returns the key with the largest value, the smallest one of several; zero without keys.
func largest[K cmp.Ordered](f *few[K, trace.Duration]) K {
	var best entry[K, trace.Duration]
	for i, e := range f.list {
		if i == 0 || e.value > best.value || e.value == best.value && e.key < best.key {
			best = e
		}
	}
	return best.key
}
