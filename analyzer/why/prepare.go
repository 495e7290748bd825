package why

import (
	"hash/maphash"
	"sync"

	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why/place"
)

// note is what an event says about threads, as hitrace.Event.Note. Workers parse
// events in parallel; what is left for Track is to change the states of threads.
//
//	sched_switch            previous thread, its state, next thread
//	sched_waking, wakeup    thread, processor
//	begin of a slice        index of its name in names, plus one; 0 if names is full
//	end of a slice          nothing else
//	other events            index in kernelEvents
type note uint64

const (
	// prepared is set in all notes.
	prepared note = 1 << 63
	// ignored is the note of events that say nothing about threads.
	ignored note = prepared | 1<<62
	tidBits      = 22 // a kernel has at most 4 million threads
	tidMask      = 1<<tidBits - 1
)

func (n note) switched() (prev trace.TID, letter byte, next trace.TID) {
	return trace.TID(n & tidMask), byte(n >> (2 * tidBits)), trace.TID(n >> tidBits & tidMask)
}

func (n note) wokenUp() (trace.TID, trace.CPU) {
	return trace.TID(n & tidMask), trace.CPU(n >> tidBits & 0xffff)
}

// name returns the index of the slice's name in names, plus one.
func (n note) name() int { return int(n & 0xffffffff) }

// kernelEvents are the events besides switches and wakeups that say something about
// waits.
var kernelEvents = [...]struct {
	name  string
	track func(*Recorder, *hitrace.Event)
}{
	{"sched_blocked_reason", (*Recorder).trackReason},
	{"sched_wakeup_new", (*Recorder).trackNew},
	{"cpu_frequency", (*Recorder).trackFrequency},
	{"irq_handler_entry", (*Recorder).beginInterrupt},
	{"irq_handler_exit", (*Recorder).endInterrupt},
	{"softirq_entry", (*Recorder).beginInterrupt},
	{"softirq_exit", (*Recorder).endInterrupt},
	{"ipi_entry", (*Recorder).beginInterrupt},
	{"ipi_exit", (*Recorder).endInterrupt},
	{"binder_transaction", (*Recorder).trackTransaction},
	{"binder_transaction_received", (*Recorder).trackReceived},
	{"block_rq_issue", (*Recorder).trackIssue},
	{"block_rq_complete", (*Recorder).trackComplete},
}

var kernelEventIndex = func() map[string]note {
	index := map[string]note{}
	for i := range kernelEvents {
		index[kernelEvents[i].name] = prepared | note(i)
	}
	return index
}()

// Prepare parses what Track needs of events. Workers call it at the same time, each
// with its own number.
func (r *Recorder) Prepare(worker int, events []hitrace.Event) {
	p := &r.vocabulary.workers[worker]
	for i := range events {
		events[i].Note = uint64(p.prepare(&events[i]))
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

func (p *preparer) prepare(e *hitrace.Event) note {
	switch e.Kind {
	case hitrace.MarkerEvent:
		switch e.Marker.Phase {
		case hitrace.Begin:
			return prepared | note(p.name(e.Marker.Label()))
		case hitrace.End:
			return prepared
		}
	case hitrace.SwitchEvent:
		if s, ok := hitrace.ParseSwitch(e.Args); ok && s.PrevTID <= tidMask && s.NextTID <= tidMask {
			return prepared | note(s.PrevState[0])<<(2*tidBits) | note(max(s.NextTID, 0))<<tidBits | note(max(s.PrevTID, 0))
		}
	case hitrace.WakingEvent, hitrace.WakeupEvent:
		return wakeupNote(e)
	default:
		if n, ok := kernelEventIndex[string(e.Name)]; ok {
			return n
		}
	}
	return ignored
}

func wakeupNote(e *hitrace.Event) note {
	w, ok := hitrace.ParseWakeup(e.Args)
	if !ok || w.TID > tidMask {
		return ignored
	}
	return prepared | note(min(w.TargetCPU, 0xffff))<<tidBits | note(max(w.TID, 0))
}

func (r *Recorder) trackNew(e *hitrace.Event) {
	if n := wakeupNote(e); n != ignored {
		r.trackWakeup(e, n)
	}
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
