// Package brief writes JSON documents of a bounded size, for programs and agents that read them as a
// whole. Lists have the most important elements first, and are cut to what fits; names and sentences
// have a bounded length. docs/evidence.md
package brief

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"ohframe/internal/text"
)

// Format is the name of the format.
const Format = "evidence"

// Flag makes the commands in a document write such documents.
const Flag = "--format " + Format

// MaxAnswers is the length of the lists of answers before a document is fitted.
const MaxAnswers = 8

// MaxBytes is the largest size of a document.
const MaxBytes = 10_000

// The lengths of texts in a document, in bytes. The middle of longer ones is left out, and a longer
// command altogether. With them, a document with one element in each list that is never empty has
// less than MaxBytes bytes.
const (
	maxNameBytes     = 128
	maxSentenceBytes = 400
	maxCommandBytes  = 256
)

// Record is what traces do not say, and the command that records it; empty if none does.
type Record struct {
	Missing string `json:"missing"`
	Command string `json:"command,omitempty"`
}

// LeftOut counts the elements of the lists of an object that were left out.
type LeftOut map[string]int

// Add counts n elements of a list; none if n is not positive.
func (o *LeftOut) Add(list string, n int) {
	if n <= 0 {
		return
	}
	if *o == nil {
		*o = LeftOut{}
	}
	(*o)[list] += n
}

// First returns the n first elements of a list, and counts the others.
func First[T any](o *LeftOut, name string, list []T, n int) []T {
	o.Add(name, len(list)-n)
	return list[:min(n, len(list))]
}

// Cutter leaves out the elements of a list after those to keep. It returns false if the list has no
// more.
type Cutter func(keep int) bool

// Shorten returns the cutter of a list, which keeps the least number of elements.
func Shorten[T any](o *LeftOut, name string, list *[]T, least int) Cutter {
	return func(keep int) bool {
		n := len(*list)
		*list = First(o, name, *list, max(keep, least))
		return len(*list) < n
	}
}

// Fewer returns a cutter that keeps n elements fewer than the others do.
func (c Cutter) Fewer(n int) Cutter { return func(keep int) bool { return c(keep - n) } }

// Fit returns a document as JSON of at most MaxBytes bytes, the last one a line feed. It cuts its
// lists to ever fewer elements, in each round that of the first cutter first.
func Fit(document any, cutters []Cutter) ([]byte, error) {
	b, err := encode(document)
	for _, keep := range []int{5, 3, 2, 1, 0} {
		for _, cut := range cutters {
			if err != nil || len(b) <= MaxBytes {
				return b, err
			}
			if cut(keep) {
				b, err = encode(document)
			}
		}
	}
	if len(b) <= MaxBytes {
		return b, err
	}
	return nil, fmt.Errorf("the shortest document has more than %d bytes", MaxBytes)
}

// encode returns compact JSON and a line feed, without members that are null or empty lists. It keeps <, > and & of names.
func encode(x any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(x)
	return withoutEmpty(b.Bytes()), err
}

// withoutEmpty leaves out the members of objects that are null or empty lists. In a string, a quote has a
// backslash before it, so that none of it is taken for a member.
func withoutEmpty(b []byte) []byte {
	kept := make([]byte, 0, len(b))
	for {
		i := bytes.Index(b, []byte(`":`))
		if i < 0 {
			return append(kept, b...)
		}
		value := b[i+2:]
		size := 0
		switch {
		case bytes.HasPrefix(value, []byte("null")):
			size = len("null")
		case bytes.HasPrefix(value, []byte("[]")):
			size = len("[]")
		}
		kept = append(kept, b[:i]...)
		name := bytes.LastIndexByte(kept, '"')
		if size == 0 || name < 1 || kept[name-1] != '{' && kept[name-1] != ',' {
			kept, b = append(kept, b[i:i+2]...), value
			continue
		}
		kept, b = kept[:name], value[size:]
		switch {
		case b[0] == ',' && kept[name-1] == '{':
			b = b[1:]
		case kept[name-1] == ',':
			kept = kept[:name-1]
		}
	}
}

// Name returns a name from the trace in a length that fits.
func Name(s string) string { return shortened(text.Line(s), maxNameBytes) }

// Sentence returns a text with names from the trace in a length that fits.
func Sentence(s string) string { return shortened(text.Line(s), maxSentenceBytes) }

// Command returns a command; empty if it is too long.
func Command(s string) string {
	if jsonBytes(s) > maxCommandBytes {
		return ""
	}
	return s
}

// shortened leaves out the middle of a text that is longer than most bytes in JSON.
func shortened(s string, most int) string {
	if jsonBytes(s) <= most {
		return s
	}
	const gap = "…"
	half := (most - len(gap)) / 2
	head, tail := 0, len(s)
	for n := 0; ; {
		r, size := utf8.DecodeRuneInString(s[head:])
		if n += jsonBytesOf(r, size); n > half {
			break
		}
		head += size
	}
	for n := 0; ; {
		r, size := utf8.DecodeLastRuneInString(s[:tail])
		if n += jsonBytesOf(r, size); n > half {
			break
		}
		tail -= size
	}
	return s[:head] + gap + s[tail:]
}

// jsonBytes returns the length of a line in JSON, without the quotes around it.
func jsonBytes(s string) (n int) {
	for _, r := range s {
		n += jsonBytesOf(r, utf8.RuneLen(r))
	}
	return n
}

func jsonBytesOf(r rune, size int) int {
	if r == '"' || r == '\\' {
		return 2
	}
	return size
}
