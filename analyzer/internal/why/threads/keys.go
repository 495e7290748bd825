package threads

import (
	"math"

	"ohframe/analyzer/why"
	"ohframe/internal/place"
	"ohframe/internal/source/hitrace"
)

// NameKey is the number of the name of a slice, a kernel function or the reason of a
// collection. Names are numbered in the order in which they occur in the trace, from 2;
// 0 means no name.
type NameKey uint32

// otherKey is the key of all names beyond the limit.
const otherKey NameKey = 1

// keys gives numbers to names.
type keys struct {
	most   int
	index  map[string]NameKey
	names  []string
	places []place.Place
	// passages are what else slices say, by key.
	passages []passage
	// bare are the lengths of labels without arguments, by key; the longest number for names whose
	// arguments are not recorded.
	bare     []int32
	noted    []NameKey          // by the index that workers have given to a name
	blockers map[string]blocker // by the caller that the kernel prints
	buffer   []byte
}

func newKeys(most int) keys {
	return keys{most: most, index: map[string]NameKey{}, blockers: map[string]blocker{}, names: []string{"", "other slices"}, places: make([]place.Place, 2), passages: make([]passage, 2), bare: []int32{0, int32(len("other slices"))}}
}

// keyOf returns the key of the slice of a marker, whose name has index i in the names of the
// workers, plus one. It parses the label only if those were full.
func (r *Recorder) keyOf(i int, m *hitrace.Marker) NameKey {
	k := &r.keys
	if i == 0 {
		k.buffer = place.AppendKey(k.buffer[:0], labelOf(m))
		return k.intern(k.buffer)
	}
	for i >= len(k.noted) {
		k.noted = append(k.noted, 0)
	}
	if k.noted[i] == 0 {
		k.noted[i] = k.add(r.vocabulary.names.get(i))
	}
	return k.noted[i]
}

// blocker is a kernel function in which threads block.
type blocker struct {
	key NameKey
	by  why.Wait // what they wait for there; WaitUnknown if that is unknown
}

// blockerOf returns the kernel function of a caller.
func (k *keys) blockerOf(caller []byte) blocker {
	b, known := k.blockers[string(caller)]
	if !known {
		if k.buffer = place.AppendFunction(k.buffer[:0], caller); len(k.buffer) == 0 {
			k.buffer = append(k.buffer, "unknown function"...)
		}
		b.key = k.intern(k.buffer)
		b.by = place.BlockedBy([]byte(k.names[b.key]))
		if len(k.blockers) < k.most {
			k.blockers[string(caller)] = b
		}
	}
	return b
}

func (k *keys) intern(name []byte) NameKey {
	if key, ok := k.index[string(name)]; ok {
		return key
	}
	return k.add(knownName{string(name), place.Lookup(name)})
}

func (k *keys) add(name knownName) NameKey {
	if key, ok := k.index[name.text]; ok {
		return key
	}
	if len(k.names) >= k.most {
		return otherKey
	}
	key := NameKey(len(k.names))
	k.index[name.text] = key
	k.names = append(k.names, name.text)
	k.places = append(k.places, name.place)
	k.passages = append(k.passages, passageOf(name.text))
	bare := int32(len(name.text))
	if c := name.place.Class; c == place.ClassGC || c == place.ClassGCWait {
		bare = math.MaxInt32 // the reason is recorded
	}
	k.bare = append(k.bare, bare)
	return key
}
