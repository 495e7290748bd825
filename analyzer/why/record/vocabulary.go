package record

import (
	"hash/maphash"
	"sync"

	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/why/place"
)

// Sink returns the sink that records the events of a run. Workers find the names of slices
// in parallel; what is left for Track is to change the states of threads.
func (r *Recorder) Sink() hitrace.Sink {
	workers := &r.vocabulary.workers
	return hitrace.Sink{
		Prepare: func(worker int, block *hitrace.Batch) { workers[worker].prepare(block) },
		Begin:   r.begin,
		Track: func(worker int, b *hitrace.Batch) {
			names := &workers[worker].begun
			for i := range b.Events {
				e, name := &b.Events[i], 0
				if e.Marker.Phase == hitrace.Begin {
					name, *names = int((*names)[0]), (*names)[1:]
				}
				if e.Time.Known() {
					r.track(e, name)
				}
			}
		},
	}
}

// vocabulary is what workers have learned about names. It says the same about every
// trace, so the next recorder takes over that of one that has ended: thousands of short
// traces have the same names.
type vocabulary struct {
	names   *names
	workers [hitrace.MaxWorkers]preparer
}

var vocabularies sync.Pool

// newVocabulary returns an empty vocabulary, or that of an ended recorder with the same
// limit.
func newVocabulary(most int) *vocabulary {
	if v, _ := vocabularies.Get().(*vocabulary); v != nil && v.names.most == most {
		return v
	}
	return emptyVocabulary(most)
}

func emptyVocabulary(most int) *vocabulary {
	v := &vocabulary{names: newNames(most)}
	for i := range v.workers {
		v.workers[i].names = v.names
	}
	return v
}

// release makes the vocabulary available to other recorders, unless it is so large that
// they would be slower with it than without.
func (v *vocabulary) release() {
	const mostNames, mostBytes = 1 << 13, 1 << 20
	if len(v.names.list) <= mostNames && v.names.bytes <= mostBytes {
		vocabularies.Put(v)
	}
}

// preparer is the memory of a worker.
type preparer struct {
	names  *names
	recent []recentLabel
	buffer []byte
	list   []int32 // of the begins of slices in the block: the index in names, plus one
	begun  []int32 // what is left of list
}

// recentLabel is a label that was seen lately, by its hash. Normalising a name costs
// ten times as much as hashing it. The seed is random: a trace cannot have labels that
// are mistaken for those of the next one.
type recentLabel struct {
	hash uint64
	name int // index in names, plus one
}

const recentLabels = 1 << 12

var labelSeed = maphash.MakeSeed()

// prepare finds the names of the slices that begin in a block.
func (p *preparer) prepare(block *hitrace.Batch) {
	p.list = p.list[:0]
	for i := range block.Events {
		if e := &block.Events[i]; e.Marker.Phase == hitrace.Begin {
			p.list = append(p.list, int32(p.name(e.Marker.Label())))
		}
	}
	p.begun = p.list
}

// name returns the index of the normalised name of a slice in names, plus one.
func (p *preparer) name(label []byte) int {
	if p.recent == nil {
		p.recent = make([]recentLabel, recentLabels)
	}
	hash := maphash.Bytes(labelSeed, label)
	recent := &p.recent[hash%recentLabels]
	if recent.hash != hash || recent.name == 0 {
		p.buffer = place.AppendKey(p.buffer[:0], label)
		*recent = recentLabel{hash, p.names.add(p.buffer)}
	}
	return recent.name
}

// names are the names of slices that workers have seen, in any order.
type names struct {
	most  int
	mutex sync.RWMutex
	index map[string]int
	list  []knownName
	bytes int // of all texts
}

type knownName struct {
	text  string
	place place.Place
}

func newNames(most int) *names { return &names{most: most, index: map[string]int{}} }

// add returns the index of a name, plus one; 0 if there is no room for it.
func (n *names) add(name []byte) int {
	n.mutex.RLock()
	i := n.index[string(name)]
	n.mutex.RUnlock()
	if i != 0 {
		return i
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if i = n.index[string(name)]; i == 0 && len(n.list) < n.most {
		text := string(name)
		n.list = append(n.list, knownName{text, place.Lookup(name)})
		n.bytes += len(text)
		i = len(n.list)
		n.index[text] = i
	}
	return i
}

func (n *names) get(i int) knownName {
	n.mutex.RLock()
	defer n.mutex.RUnlock()
	return n.list[i-1]
}
