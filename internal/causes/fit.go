package causes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// MaxEvidence is the largest size of a document in the format Evidence, in bytes.
const MaxEvidence = 10_000

// The lengths of texts in a document, in bytes. The middle of longer ones is left out, and a longer
// command altogether. With them, a document with one element in each list that is never empty has
// less than MaxEvidence bytes.
const (
	maxNameBytes     = 128
	maxSentenceBytes = 400
	maxCommandBytes  = 256
)

// The lengths of lists before the document is fitted.
const (
	maxAnswers  = 8
	maxWorst    = 5 // frames, buffers, slices
	longAnswers = 2 // by how many fewer elements the lists of processes after the first have
)

// leftOut counts the elements of the lists of an object that were left out.
type leftOut map[string]int

func (o *leftOut) add(list string, n int) {
	if n <= 0 {
		return
	}
	if *o == nil {
		*o = leftOut{}
	}
	(*o)[list] += n
}

// first returns the n first elements of a list, and counts the others.
func first[T any](o *leftOut, name string, list []T, n int) []T {
	o.add(name, len(list)-n)
	return list[:min(n, len(list))]
}

// cutter leaves out the elements of a list after those to keep. It returns false if the list has no
// more.
type cutter func(keep int) bool

// shorten returns the cutter of a list, which keeps the least number of elements.
func shorten[T any](o *leftOut, name string, list *[]T, least int) cutter {
	return func(keep int) bool {
		n := len(*list)
		*list = first(o, name, *list, max(keep, least))
		return len(*list) < n
	}
}

// fewer returns a cutter that keeps n elements fewer than the others do.
func (c cutter) fewer(n int) cutter { return func(keep int) bool { return c(keep - n) } }

// fit returns the document as JSON of at most MaxEvidence bytes, the last one a line feed. It cuts
// the lists to ever fewer elements, in each round the least important list first.
func (d *evidence) fit() ([]byte, error) {
	b, err := encode(d)
	cutters := d.cutters()
	for _, keep := range []int{5, 3, 2, 1, 0} {
		for _, cut := range cutters {
			if err != nil || len(b) <= MaxEvidence {
				return b, err
			}
			if cut(keep) {
				b, err = encode(d)
			}
		}
	}
	if len(b) <= MaxEvidence {
		return b, err
	}
	return nil, fmt.Errorf("the shortest document has more than %d bytes", MaxEvidence)
}

// cutters returns the lists of the document, the least important first. What the question is about
// keeps an element, and so do the process and the cause that lost the most.
func (d *evidence) cutters() (list []cutter) {
	ofFrames := func(frames []*evidenceFrame) {
		for _, f := range frames {
			list = append(list, shorten(&f.LeftOut, "slices", &f.Slices, 0), shorten(&f.LeftOut, "functions", &f.Functions, 0), shorten(&f.LeftOut, "waited_for", &f.Threads, 0), shorten(&f.LeftOut, "instances", &f.Instances, 0))
		}
	}
	for i, p := range slices.Backward(d.Processes) {
		ofFrames(p.LateFrames)
		start := len(list)
		list = append(list,
			shorten(&p.LeftOut, "functions", &p.Functions, 0), shorten(&p.LeftOut, "picked_up_late", &p.PickedUp, 0),
			shorten(&p.LeftOut, "shown_late", &p.ShownLate, 0), shorten(&p.LeftOut, "late_frames", &p.LateFrames, 0))
		for _, c := range slices.Backward(p.Causes) {
			list = append(list, shorten(&c.LeftOut, "arguments", &c.Arguments, 0), shorten(&c.LeftOut, "against", &c.Against, 1))
		}
		list = append(list, shorten(&p.LeftOut, "refresh", &p.Refresh, 0), shorten(&p.LeftOut, "causes", &p.Causes, 1), shorten(&p.LeftOut, "against", &p.Against, 1))
		if i > 0 {
			for k := start; k < len(list); k++ {
				list[k] = list[k].fewer(longAnswers)
			}
		}
	}
	for _, l := range slices.Backward(d.Layers) {
		list = append(list, shorten(&l.LeftOut, "buffers", &l.Buffers, 0), shorten(&l.LeftOut, "causes", &l.Causes, 1))
	}
	for _, i := range slices.Backward(d.Interactions) {
		list = append(list, shorten(&i.LeftOut, "steps", &i.Steps, 1), shorten(&i.LeftOut, "against", &i.Against, 0))
	}
	for _, s := range slices.Backward(d.Stacks) {
		list = append(list, shorten(&s.LeftOut, "path", &s.Path, 1), shorten(&s.LeftOut, "functions", &s.Functions, 1))
	}
	layers, interactions, stacks := 0, 0, 0
	if len(d.Processes) == 0 {
		stacks = 1
	}
	if d.about.Layer != nil {
		layers = 1
	}
	if d.about.Interaction != nil {
		interactions = 1
	}
	return append(list,
		shorten(&d.LeftOut, "stacks", &d.Stacks, stacks), shorten(&d.LeftOut, "hangs", &d.Hangs, 0), shorten(&d.LeftOut, "layers", &d.Layers, layers), shorten(&d.LeftOut, "interactions", &d.Interactions, interactions),
		shorten(&d.LeftOut, "processes", &d.Processes, 1-layers), shorten(&d.LeftOut, "inputs", &d.Inputs, 1),
		shorten(&d.LeftOut, "record", &d.Record, 1), shorten(&d.LeftOut, "against", &d.Against, 1))
}

// encode returns compact JSON and a line feed. It keeps <, > and & of names.
func encode(x any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(x)
	return b.Bytes(), err
}

// name returns a name from the trace, and sentence a text with such names, in a length that fits.
func name(s string) string { return shortened(text.Line(s), maxNameBytes) }

func sentence(s string) string { return shortened(text.Line(s), maxSentenceBytes) }

// command returns a command; empty if it is too long.
func command(s string) string {
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

// latest returns a copy of a list of frames, sorted by how late they are, the latest first.
func latest(list []located, late func(located) trace.Duration) []located {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b located) int { return cmp.Compare(late(b), late(a)) })
	return list
}
