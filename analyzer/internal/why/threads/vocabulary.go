package threads

import (
	"bytes"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"ohframe/analyzer/trace"
	"ohframe/internal/place"
	"ohframe/internal/source/hitrace"
)

// Sink returns the sink that records the events of a run. Workers select the events that
// say something about threads and find the names of slices in parallel; what is left for
// Track is to change the states of threads.
func (r *Recorder) Sink() hitrace.Sink {
	workers := &r.vocabulary.workers
	return hitrace.Sink{
		Fields:  true,
		Prepare: func(worker int, block *hitrace.Batch) { workers[worker].prepare(block) },
		Begin:   r.begin,
		Track:   func(worker int, _ *hitrace.Batch) { workers[worker].track(r) },
	}
}

// action is what is left of an event for Track. Without an event, it is the time of the last
// event of a processor, or the end of a trace if the time is unknown.
type action struct {
	event *hitrace.Event
	at    trace.Time
	cpu   trace.CPU
	name  int32 // of the slice that begins: index in names, plus one
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
	names   *names
	recent  [][4]recentLabel
	buffer  []byte
	last    [maxCPUs]trace.Time // events of the processors in the block, up to an action
	actions []action            // of the block
	left    []action            // what is left of them
}

// recentLabel is a label that was seen lately, by the hash of its stem. Normalising a name
// costs ten times as much as hashing it. The seed is random: a trace cannot have labels that
// are mistaken for those of the next one.
type recentLabel struct {
	hash uint64
	name int32 // index in names, plus one
}

const recentLabels = 1 << 10

var labelSeed = maphash.MakeSeed()

// prepare makes the actions of a block.
func (p *preparer) prepare(block *hitrace.Batch) {
	p.actions = p.actions[:0]
	from := 0
	for _, start := range block.Starts {
		if start > 0 {
			p.add(block.Events[from:start])
			p.actions, from = append(p.actions, action{}), start
		}
	}
	p.add(block.Events[from:])
	for cpu, at := range p.last {
		if at.Known() {
			p.actions = append(p.actions, action{at: at, cpu: trace.CPU(cpu)})
		}
	}
	p.left = p.actions
}

// add adds the actions of events of a trace.
func (p *preparer) add(events []hitrace.Event) {
	p.last = [maxCPUs]trace.Time{}
	actions, last := p.actions, &p.last
	for i := range events {
		e := &events[i]
		if !e.Time.Known() {
			continue
		}
		cpu := numberOf(e.CPU)
		if e.Lost && last[cpu].Known() {
			actions = append(actions, action{at: last[cpu], cpu: cpu})
		}
		last[cpu] = e.Time
		name := int32(0)
		switch {
		case e.Marker.Phase == hitrace.Begin:
			name = p.name(labelOf(&e.Marker))
		case !e.Lost && e.Fields == nil && e.Marker.Phase != hitrace.End && e.Kind != hitrace.InterruptEnd:
			continue
		}
		actions = append(actions, action{event: e, name: name})
	}
	p.actions = actions
}

// track does the actions of a batch.
func (p *preparer) track(r *Recorder) {
	for i := range p.left {
		switch s := &p.left[i]; {
		case s.event != nil:
			r.track(s.event, int(s.name))
		case s.at.Known():
			r.cpu(s.cpu).last = s.at
		default:
			p.left = p.left[i+1:]
			return
		}
	}
	p.left = nil
	r.leaveBlock()
}

// name returns the index of the normalised name of a slice in names, plus one.
func (p *preparer) name(label []byte) int32 {
	if p.recent == nil {
		p.recent = make([][4]recentLabel, recentLabels)
	}
	stem, ok := place.Stem(label)
	if !ok {
		stem = label
	}
	hash := maphash.Bytes(labelSeed, stem)
	recent := &p.recent[hash%recentLabels]
	for i := range recent {
		if l := &recent[i]; l.hash == hash && l.name != 0 {
			return l.name
		}
	}
	copy(recent[1:], recent[:])
	recent[0] = recentLabel{hash, p.names.add(p.normalise(hash, label))}
	return recent[0].name
}

// normalised are normalised labels by the hashes of their stems, which the traces of a process share: those
// of an application have the same.
var normalised [1 << 12]atomic.Pointer[normalisedLabel]

type normalisedLabel struct {
	hash uint64
	key  []byte
}

// normalise returns the normalised name of a label. It is valid until the next call.
func (p *preparer) normalise(hash uint64, label []byte) []byte {
	shared := &normalised[hash%uint64(len(normalised))]
	known := shared.Load()
	if known != nil && known.hash == hash {
		return known.key
	}
	p.buffer = place.AppendKey(p.buffer[:0], label)
	if known == nil {
		shared.Store(&normalisedLabel{hash, bytes.Clone(p.buffer)})
	}
	return p.buffer
}

// names are the names of slices that workers have seen, in any order.
type names struct {
	most  int
	mutex sync.RWMutex
	index map[string]int32
	list  []knownName
	bytes int // of all texts
}

type knownName struct {
	text  string
	place place.Place
}

func newNames(most int) *names { return &names{most: most, index: map[string]int32{}} }

// add returns the index of a name, plus one; 0 if there is no room for it.
func (n *names) add(name []byte) int32 {
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
		i = int32(len(n.list))
		n.index[text] = i
	}
	return i
}

func (n *names) get(i int) knownName {
	n.mutex.RLock()
	defer n.mutex.RUnlock()
	return n.list[i-1]
}
