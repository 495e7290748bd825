package threads

import (
	"unicode/utf8"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// leastArgument is the shortest slice whose arguments are recorded. No shorter one is a cause of
// its own.
const leastArgument = 500 * trace.Microsecond

// A label that is longer is recorded without its middle: images are named first, and their sizes
// come last.
const (
	maxLabel  = 384
	labelHead = 256
	labelTail = maxLabel - labelHead - len(ellipsis)
	ellipsis  = "…"
)

// arguments gives numbers to labels, from 1.
type arguments struct {
	most   int
	index  map[string]uint32
	labels []string
	left   int // slices whose labels are beyond the limit
}

func newArguments(most int) arguments { return arguments{most: most, index: map[string]uint32{}} }

// add returns the number of a label; 0 if there is no room for it.
func (a *arguments) add(label []byte) uint32 {
	if n, ok := a.index[string(label)]; ok {
		return n
	}
	if len(a.labels) >= a.most {
		a.left++
		return 0
	}
	text := string(label)
	a.labels = append(a.labels, text)
	n := uint32(len(a.labels))
	a.index[text] = n
	return n
}

// keepLabel keeps the label of a slice that begins while it is open, if it may have arguments. It
// returns where it begins.
func (r *Recorder) keepLabel(t *thread, e *hitrace.Event, key NameKey) int32 {
	if len(t.slices) == 0 {
		t.labels = t.labels[:0]
	}
	at := int32(len(t.labels))
	if !hasArguments(e.Word) {
		return at
	}
	label := labelOf(&e.Marker)
	if len(label) <= int(r.keys.bare[key]) {
		return at
	}
	if len(label) <= maxLabel {
		t.labels = append(t.labels, label...)
		return at
	}
	t.labels = append(append(t.labels, wholeHead(label[:labelHead])...), ellipsis...)
	t.labels = append(t.labels, wholeTail(label[len(label)-labelTail:])...)
	return at
}

// hasArguments reports whether the labels of a word say more than the numbers of frames.
func hasArguments(w hitrace.Word) bool {
	switch w {
	case hitrace.Other, hitrace.RequestBuffer, hitrace.FlushBuffer, hitrace.AcquireBuffer, hitrace.QueueBuffer, hitrace.DequeueBuffer, hitrace.AcquireFenceWait,
		hitrace.TouchDispatch, hitrace.StartAbility, hitrace.LoadAbility, hitrace.LoadNewProcess, hitrace.AttachApplication, hitrace.LaunchAbility, hitrace.ForegroundAbility,
		hitrace.BuildItem, hitrace.BuildRecycle, hitrace.MeasureNode, hitrace.LayoutNode, hitrace.StateChanged, hitrace.DisplaySync:
		return true
	}
	return false
}

// wholeHead returns s without a character that is cut at its end.
func wholeHead(s []byte) []byte {
	for i := len(s) - 1; i >= 0 && i >= len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRune(s[i:]) {
				return s[:i]
			}
			break
		}
	}
	return s
}

// wholeTail returns s without a character that is cut at its start.
func wholeTail(s []byte) []byte {
	for i := 0; i < len(s) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(s[i]) {
			return s[i:]
		}
	}
	return s
}

// argumentOf returns the number of the label of an open slice; 0 if it has no arguments, or is
// short at a time.
func (r *Recorder) argumentOf(t *thread, i int, at trace.Time) uint32 {
	s := &t.slices[i]
	if s.argument != 0 || at.Sub(s.start) < leastArgument {
		return s.argument
	}
	end := int32(len(t.labels))
	if i+1 < len(t.slices) {
		end = t.slices[i+1].label
	}
	if s.label < end {
		s.argument = r.arguments.add(t.labels[s.label:end])
	}
	return s.argument
}

// Label returns the label with the number that an Entry or a Leaf has; empty for 0.
func (r *Record) Label(argument uint32) string {
	if argument == 0 {
		return ""
	}
	return r.labels[argument-1]
}
