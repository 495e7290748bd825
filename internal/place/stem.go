package place

import "bytes"

// Stem returns the beginning of a label that decides its key: all labels of which it returns the
// same have the same key. ok is false if no such beginning is known but the whole label.
// Most labels of a trace differ in numbers behind their stem only, so who looks a stem up
// computes few keys.
//
//	Acquire Fence 3402 has signaled    Acquire Fence 3
//	MarshRSTransactionData cmdCount: 8 MarshRSTransactionData cmdCount: 8
//	CreateTaskMeasure[List][self:7]    CreateTaskMeasure[List]
//
// It finds where AppendKey stops to read, in the frequent cases.
func Stem(label []byte) (stem []byte, ok bool) {
	if len(label) == 0 || !isLetter(label[0]) || len(label) > 1 && label[1] == ':' {
		return nil, false // a part before the name
	}
	i := 0
	for i < len(label) && ends[label[i]] <= newWord {
		i++
	}
	if i == len(label) {
		return nil, false
	}
	switch ends[label[i]] {
	case atNumber:
		word := i // where the word begins
		for word > 0 && ends[label[word-1]] != newWord {
			word--
		}
		return label[:i+1], endsHere(label, word, i) && bytes.IndexByte(label[i:], '(') < 0
	case atBracket: // a name in brackets is part of the key
		next := i + 1
		for next < len(label) && isLetter(label[next]) {
			next++
		}
		if next == len(label) {
			return nil, false
		}
		return label[:next+1], next == i+1 || bytes.IndexByte(afterName, label[next]) >= 0
	case atParenthesis: // behind a blank it follows no function's name
		next := min(i+2, len(label))
		return label[:next], label[i-1] == ' ' && next == i+2 && label[i+1] != anonymous[1] && bytes.IndexByte(label[:i], '<') < 0
	}
	return label[:i+1], bytes.IndexByte(label[i:], '(') < 0 // a signature may be behind it
}

// afterName are the bytes behind letters in brackets that decide whether these are a name.
var afterName = []byte("]:=,")

// boundary is what a byte of a label means for the key, which ends there or goes on.
type boundary uint8

const (
	within boundary = iota
	newWord
	atNumber
	atBracket
	atParenthesis
	atStop
)

// ends are the bytes at which scan may return.
var ends = func() (set [256]boundary) {
	set[' '], set['\t'], set['['], set['('] = newWord, newWord, atBracket, atParenthesis
	for c := '0'; c <= '9'; c++ {
		set[c] = atNumber
	}
	for _, c := range []byte(",;{}|@\"\n\r") {
		set[c] = atStop
	}
	return set
}()

// Numberless returns the name of a slice with * for the numbers at the ends of its words: "Step* name*"
// for "Step3 name3". Slices that differ in nothing else do the same work.
func Numberless(name string) string {
	var b []byte // nil as long as name has no such number
	for i := 0; i < len(name); {
		end := i
		for end < len(name) && isDigit(name[end]) {
			end++
		}
		switch {
		case end > i && (end == len(name) || !isLetter(name[end])):
			if b == nil {
				b = append(make([]byte, 0, len(name)), name[:i]...)
			}
			b = append(b, '*')
		case b != nil:
			end = max(end, i+1)
			b = append(b, name[i:end]...)
		default:
			end = max(end, i+1)
		}
		i = end
	}
	if b == nil {
		return name
	}
	return string(b)
}
