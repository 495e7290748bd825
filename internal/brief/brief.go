// Package brief writes JSON documents with a bounded size, for programs and agents that read them as a
// whole. Lists have the most important elements first, and are cut to what fits; names and sentences
// have a bounded length. docs/why.md
//
// A document is what text.WriteJSON writes in full. The tags brief of its fields say what is different here:
//
//	brief:"-"         left out
//	brief:"sentence"  a text, or a list of them, that may be longer than a name
//	brief:"command"   a text that is left out if it is too long
//	brief:"5"         a list of at most 5 elements; others have maxAnswers
//	brief:"least=1"   a list that keeps an element, whatever else there is
//	brief:"fewer=2"   a list whose elements after the first have lists that are 2 elements shorter
//	brief:"only=a b"  an object with only these fields
//
// Options are separated by commas. Fields without a value are left out; a field of type LeftOut counts
// what is not in the lists of its object. In a struct, and in the document, the least important lists are last.
package brief

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ohframe/internal/text"
)

// Format is the name of the format.
const Format = "evidence"

// Flag makes the commands in a document write such documents.
const Flag = "--format " + Format

// maxAnswers is the length of the lists of answers before a document is fitted.
const maxAnswers = 8

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
	Missing string `json:"missing" brief:"sentence"`          // what it is
	Command string `json:"command,omitempty" brief:"command"` // the command that records it; absent if no recording of ohframe does
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

// Write writes a document as JSON of at most MaxBytes bytes, the last one a line feed. It cuts its lists to
// ever fewer elements, in each round the last one first. The document's own lists that keep names have an
// element at least.
func Write(w io.Writer, document any, keep ...string) error {
	d, err := newNode(reflect.ValueOf(document), options{})
	if err != nil {
		return err
	}
	for i, name := range d.names {
		if slices.Contains(keep, name) {
			d.nodes[i].least = 1
		}
	}
	b := append(d.append(nil), '\n')
	for _, n := range []int{5, 3, 2, 1, 0} {
		d.cut(n, func(cut bool) bool {
			if cut {
				b = append(d.append(b[:0]), '\n')
			}
			return len(b) <= MaxBytes
		})
	}
	if len(b) > MaxBytes {
		return fmt.Errorf("the shortest document has more than %d bytes", MaxBytes)
	}
	_, err = w.Write(b)
	return err
}

// node is a value of a document.
type node struct {
	kind  byte     // '{' of an object, '[' of a list, 0 of others
	text  string   // of others, as JSON
	names []string // of the members of an object
	nodes []*node  // these members, or the elements of a list
	left  LeftOut  // of an object
	least int      // the number of elements that a list keeps
	fewer int      // by how many elements lists in elements after the first are shorter
	more  int      // elements that a list had
}

// options are those of a tag.
type options struct {
	text               string
	most, least, fewer int
	only               []string
}

func optionsOf(tag string) options {
	o := options{most: maxAnswers}
	for option := range strings.SplitSeq(tag, ",") {
		name, value, _ := strings.Cut(option, "=")
		number, _ := strconv.Atoi(cmp.Or(value, name))
		switch name {
		case "least":
			o.least = number
		case "fewer":
			o.fewer = number
		case "only":
			o.only = strings.Fields(value)
		case "sentence", "command":
			o.text = name
		case "":
		default:
			o.most = number
		}
	}
	return o
}

// newNode returns a value; nil for one that is left out.
func newNode(v reflect.Value, o options) (*node, error) {
	if !v.IsValid() {
		return nil, nil
	}
	_, marshals := v.Interface().(json.Marshaler)
	if _, ok := v.Interface().(encoding.TextMarshaler); (ok || marshals) && v.Kind() != reflect.Pointer {
		return leaf(v.Interface())
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return newNode(v.Elem(), o)
	case reflect.Func:
		return newNode(v.Call(nil)[0], o)
	case reflect.String:
		s := v.String()
		switch o.text {
		case "sentence":
			s = Sentence(s)
		case "command":
			s = Command(s)
		default:
			s = Name(s)
		}
		if s == "" {
			return nil, nil
		}
		return leaf(s)
	case reflect.Float64:
		short, err := strconv.ParseFloat(strconv.FormatFloat(v.Float(), 'g', 5, 64), 64)
		if err != nil {
			return nil, err
		}
		return leaf(short)
	case reflect.Struct:
		n := &node{kind: '{'}
		return n, n.members(v, o.only)
	case reflect.Slice:
		n := &node{kind: '[', least: o.least, fewer: o.fewer, more: max(0, v.Len()-o.most)}
		for i := range v.Len() - n.more {
			x, err := newNode(v.Index(i), o)
			if err != nil {
				return nil, err
			}
			if x != nil {
				n.nodes = append(n.nodes, x)
			}
		}
		return n, nil
	case reflect.Map:
		values, ok := v.Interface().(map[string]*string) // their names are of identifiers
		if !ok {
			break
		}
		n := &node{kind: '{'}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if x, err := newNode(reflect.ValueOf(values[name]), o); err != nil {
				return nil, err
			} else if x != nil {
				n.names, n.nodes = append(n.names, name), append(n.nodes, x)
			}
		}
		return n, nil
	}
	return leaf(v.Interface())
}

func leaf(x any) (*node, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(x)
	if s := strings.TrimSuffix(b.String(), "\n"); s != "null" && s != `""` {
		return &node{text: s}, err
	}
	return nil, err
}

// members adds the fields of a struct.
func (n *node) members(v reflect.Value, only []string) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		field := v.Field(i)
		tag := f.Tag.Get("brief")
		switch {
		case f.Type == reflect.TypeFor[LeftOut]():
			n.left = maps.Clone(field.Interface().(LeftOut))
			continue
		case f.Anonymous && name == "":
			if inner := reflect.Indirect(field); inner.IsValid() {
				if err := n.members(inner, only); err != nil {
					return err
				}
			}
			continue
		case name == "-" || tag == "-" || !f.IsExported() || only != nil && !slices.Contains(only, name) || text.Omitted(f.Tag, field):
			continue
		}
		x, err := newNode(field, optionsOf(tag))
		if err != nil {
			return err
		}
		if x != nil {
			n.names, n.nodes = append(n.names, name), append(n.nodes, x)
		}
	}
	return nil
}

// cut cuts the lists in a value, and itself, to the elements to keep, the last list first. It ends if fits
// returns true, which it calls after each list.
func (n *node) cut(keep int, fits func(cut bool) bool) (done bool) {
	if fits(false) {
		return true
	}
	for i, x := range slices.Backward(n.nodes) {
		fewer := 0
		if i > 0 {
			fewer = n.fewer
		}
		if x.kind != 0 && x.cut(keep-fewer, fits) {
			return true
		}
	}
	most := max(keep, n.least, 0)
	if n.kind != '[' || len(n.nodes) <= most {
		return false
	}
	n.more += len(n.nodes) - most
	n.nodes = n.nodes[:most]
	return fits(true)
}

// append appends the value as JSON.
func (n *node) append(b []byte) []byte {
	if n.kind == 0 {
		return append(b, n.text...)
	}
	b = append(b, n.kind)
	left := maps.Clone(n.left)
	for i, x := range n.nodes {
		if n.kind == '{' {
			if x.kind == '[' {
				left.Add(n.names[i], x.more)
				if len(x.nodes) == 0 {
					continue
				}
			}
			b = append(strconv.AppendQuote(b, n.names[i]), ':')
		}
		b = append(x.append(b), ',')
	}
	if len(left) > 0 {
		b = append(b, `"left_out":{`...)
		for _, name := range slices.Sorted(maps.Keys(left)) {
			b = append(strconv.AppendInt(append(strconv.AppendQuote(b, name), ':'), int64(left[name]), 10), ',')
		}
		b = append(bytes.TrimSuffix(b, []byte(",")), "},"...)
	}
	return append(bytes.TrimSuffix(b, []byte(",")), n.kind+2)
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
