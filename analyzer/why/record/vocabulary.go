package record

import (
	"hash/maphash"
	"sync"

	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// Sink returns the sink that records the events of a run. Workers select the events that
// say something about threads and find the names of slices in parallel; what is left for
// Track is to change the states of threads.
func (r *Recorder) Sink() hitrace.Sink {
	workers := &r.vocabulary.workers
	return hitrace.Sink{
		Prepare: func(worker int, block *hitrace.Batch) { workers[worker].prepare(block) },
		Begin:   r.begin,
		Track:   func(worker int, _ *hitrace.Batch) { workers[worker].track(r) },
	}
}

// step is what is left of an event for Track. Without an event, it is the time of the last
// event of a processor, or the end of a trace if the time is unknown.
type step struct {
	event *hitrace.Event
	at    trace.Time
	cpu   trace.CPU
	name  int32 // of the slice that begins: index in names, plus one
	// begin is the index of another step, or none: of the end of a brief slice its begin, of
	// a begin the one around it in the block.
	begin int32
	// brief: the slice is so short, and its thread did nothing else in it, that it matters on
	// threads that make frames only. skipped: its thread makes none.
	brief, skipped bool
}

// none is no index.
const none = -1

// brief is the length below which a slice explains no wait: less than half of the shortest
// one that is followed.
const brief = leastFollowed / 2

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
	for i := range v.workers {
		v.workers[i].logs = 0
	}
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
	last   [maxCPUs]trace.Time // events of the processors in the block, up to a step
	steps  []step              // of the block
	next   int                 // the first that is left
	// open are the innermost slices that are open on threads, by thread id, and framed are
	// threads that make frames. Threads may replace one another.
	open   [1 << 8]openStep
	framed [1 << 8]trace.TID
	logs   int // how many logs of the recorder framed is from
}

// openStep is a slice that has begun in the block.
type openStep struct {
	tid   trace.TID
	begin int32 // index of the step; none if none is open
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

// prepare makes the steps of a block.
func (p *preparer) prepare(block *hitrace.Batch) {
	p.steps, p.next = p.steps[:0], 0
	p.forget()
	starts := block.Starts
	for i := range block.Events {
		if len(starts) > 0 && starts[0] == i {
			if starts = starts[1:]; i > 0 {
				p.forget()
				p.steps = append(p.steps, step{})
			}
		}
		e := &block.Events[i]
		if !e.Time.Known() {
			continue
		}
		cpu := numberOf(e.CPU)
		if e.Lost && p.last[cpu].Known() {
			p.steps = append(p.steps, step{at: p.last[cpu], cpu: cpu})
		}
		p.last[cpu] = e.Time
		switch {
		case e.Kind == hitrace.MarkerEvent && e.Marker.Phase == hitrace.Begin:
			p.begin(e)
		case e.Kind == hitrace.MarkerEvent && e.Marker.Phase == hitrace.End:
			p.end(e)
		case e.Kind == hitrace.SwitchEvent:
			if s := e.Switch(); s != nil {
				p.notBrief(s.PrevTID)
			}
			p.steps = append(p.steps, step{event: e})
		case e.Kind == hitrace.WakingEvent, e.Kind == hitrace.WakeupEvent:
			p.notBrief(e.TID)
			p.steps = append(p.steps, step{event: e})
		case e.Lost, e.Fields != nil, e.Kind == hitrace.InterruptBegin, e.Kind == hitrace.InterruptEnd:
			p.steps = append(p.steps, step{event: e})
		}
	}
	for cpu, at := range p.last {
		if at.Known() {
			p.steps = append(p.steps, step{at: at, cpu: trace.CPU(cpu)})
		}
	}
	for i := range p.steps {
		s := &p.steps[i]
		if e := s.event; e != nil && e.Kind == hitrace.MarkerEvent && e.Marker.Phase == hitrace.Begin && (!s.brief || p.framed[uint8(e.TID)] == e.TID) {
			s.name = p.name(e.Marker.Label())
		}
	}
}

// forget prepares for the first events of a block or of a trace.
func (p *preparer) forget() {
	p.last = [maxCPUs]trace.Time{}
	for i := range p.open {
		p.open[i].begin = none
	}
}

// begin adds the step of the begin of a slice.
func (p *preparer) begin(e *hitrace.Event) {
	s := step{event: e, begin: none}
	open := &p.open[uint8(e.TID)]
	if open.tid == e.TID {
		s.begin = open.begin
	}
	*open = openStep{e.TID, int32(len(p.steps))}
	p.steps = append(p.steps, s)
}

// notBrief forgets the open slices of a thread, which are to be recorded because something
// happens in them.
func (p *preparer) notBrief(tid trace.TID) {
	if open := &p.open[uint8(tid)]; open.tid == tid {
		open.begin = none
	}
}

// end adds the step of the end of a slice, and finds its begin.
func (p *preparer) end(e *hitrace.Event) {
	s := step{event: e, begin: none}
	if open := &p.open[uint8(e.TID)]; open.tid == e.TID && open.begin != none && !e.Lost {
		b := &p.steps[open.begin]
		if d := e.Time.Sub(b.event.Time); 0 <= d && d < brief && b.event.Word == hitrace.Other && passageOf(b.event.Marker.Label()) == noPassage {
			s.begin, s.brief, b.brief = open.begin, true, true
		}
		open.begin = b.begin
	}
	p.steps = append(p.steps, s)
}

// track takes the steps of a batch.
func (p *preparer) track(r *Recorder) {
	for ; p.next < len(p.steps); p.next++ {
		switch s := &p.steps[p.next]; {
		case s.brief && p.skip(r, s):
		case s.event != nil:
			r.track(s.event, int(s.name))
		case s.at.Known():
			r.cpu(s.cpu).last = s.at
		default:
			p.next++
			return
		}
	}
	for ; p.logs < len(r.logs); p.logs++ {
		tid := r.logs[p.logs].tid
		p.framed[uint8(tid)] = tid
	}
}

// skip reports whether the begin or end of a brief slice is not recorded.
func (p *preparer) skip(r *Recorder, s *step) bool {
	e := s.event
	if e.Marker.Phase == hitrace.End && !p.steps[s.begin].skipped || e.Lost {
		return false
	}
	t := r.marking(e)
	s.skipped = t != nil && t.log == nil || e.Marker.Phase == hitrace.End
	return s.skipped
}

// name returns the index of the normalised name of a slice in names, plus one.
func (p *preparer) name(label []byte) int32 {
	if p.recent == nil {
		p.recent = make([]recentLabel, recentLabels)
	}
	stem, ok := place.Stem(label)
	if !ok {
		stem = label
	}
	hash := maphash.Bytes(labelSeed, stem)
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
