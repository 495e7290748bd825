package binarytrace

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
)

// format is how the records of an event are read and printed.
type format struct {
	name    string
	title   []byte // ": NAME: "
	id      int
	fields  []field
	need    int // the least number of bytes of a record
	marker  bool
	program program
}

// field is a field of a record.
type field struct {
	name   string
	offset int
	size   int // bytes; 0 for text up to the end of the record
	signed bool
	array  int     // number of elements; 0 if it is no array
	loc    locKind // what the field says about text elsewhere in the record
}

// locKind is the kind of a reference to text elsewhere in the record.
type locKind uint8

const (
	notLoc locKind = iota
	absLoc         // u16 offset from the start of the record, u16 length
	relLoc         // u16 offset from the end of the field, u16 length
)

// parseFormats reads the format files of all events, one after another. If two events have
// the same id, the later one counts.
func (s *sys) parseFormats(text []byte) {
	var f *format
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		key, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		value = bytes.TrimSpace(value)
		switch string(key) {
		case "name":
			f = &format{name: string(value), id: -1}
		case "ID":
			if id, err := strconv.ParseUint(string(value), 10, 16); f != nil && err == nil {
				f.id = int(id)
			}
		case "field":
			if field, ok := parseField(line); f != nil && ok {
				f.fields = append(f.fields, field)
			}
		case "print fmt":
			if f == nil {
				continue
			}
			if f.id < 0 || !f.compile(string(value)) {
				s.log.Add(badFormat)
			} else {
				s.formats[f.id] = f
			}
			f = nil
		}
	}
	if f != nil {
		s.log.Add(badFormat)
	}
}

// parseField parses "field:TYPE NAME; offset:N; size:N; signed:N;".
func parseField(line []byte) (field, bool) {
	parts := strings.Split(string(line), ";")
	declaration, ok := strings.CutPrefix(strings.TrimSpace(parts[0]), "field:")
	if !ok || len(parts) < 3 {
		return field{}, false
	}
	number := func(part, key string) (int, bool) {
		value, ok := strings.CutPrefix(strings.TrimSpace(part), key)
		n, err := strconv.ParseUint(value, 10, 16)
		return int(n), ok && err == nil
	}
	var f field
	var okOffset, okSize bool
	f.offset, okOffset = number(parts[1], "offset:")
	f.size, okSize = number(parts[2], "size:")
	if !okOffset || !okSize {
		return field{}, false
	}
	declaration = strings.TrimSpace(declaration)
	kind := declaration
	if i := strings.LastIndexByte(declaration, '['); i >= 0 && strings.HasSuffix(declaration, "]") {
		if n, err := strconv.ParseUint(strings.TrimSpace(declaration[i+1:len(declaration)-1]), 10, 16); err == nil {
			f.array = int(n)
		}
		declaration = strings.TrimSpace(declaration[:i]) // char name[16]; in "__data_loc char[] name" nothing follows the name
	}
	i := strings.LastIndexAny(declaration, " *\t")
	f.name = declaration[i+1:]
	kind = strings.TrimSpace(declaration[:i+1])
	switch {
	case f.size != 4:
	case strings.HasPrefix(kind, "__data_loc"):
		f.loc = absLoc
	case strings.HasPrefix(kind, "__rel_loc"):
		f.loc = relLoc
	}
	if len(parts) > 3 && strings.HasPrefix(strings.TrimSpace(parts[3]), "signed:") {
		f.signed = strings.TrimSpace(parts[3]) == "signed:1"
	} else { // old kernels do not say it
		f.signed = kind == "int" || kind == "long" || kind == "pid_t" || kind == "char"
	}
	return f, f.name != ""
}

// int returns the value of a field of 1, 2, 4 or 8 bytes. The record must be long
// enough.
func (f *field) int(record []byte) int64 {
	b := record[f.offset:]
	switch f.size {
	case 1:
		if f.signed {
			return int64(int8(b[0]))
		}
		return int64(b[0])
	case 2:
		v := binary.LittleEndian.Uint16(b)
		if f.signed {
			return int64(int16(v))
		}
		return int64(v)
	case 4:
		v := binary.LittleEndian.Uint32(b)
		if f.signed {
			return int64(int32(v))
		}
		return int64(v)
	case 8:
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// isInt reports whether the field is one number.
func (f *field) isInt() bool {
	return f.array == 0 && (f.size == 1 || f.size == 2 || f.size == 4 || f.size == 8)
}

// bytes returns the bytes of text that the field has or refers to, with what follows
// the NUL. It returns false if they are not in the record.
func (f *field) bytes(record []byte) ([]byte, bool) {
	from, to := f.offset, f.offset+f.size
	switch {
	case f.loc != notLoc:
		loc := binary.LittleEndian.Uint32(record[f.offset:])
		if from = int(loc & 0xffff); f.loc == relLoc {
			from += to
		}
		if to = from + int(loc>>16); to > len(record) {
			to = len(record)
		}
	case f.size == 0:
		to = len(record)
	}
	if from > to || to > len(record) {
		return nil, false
	}
	return record[from:to], true
}

// find returns the field of a name.
func (f *format) find(name string) (field, bool) {
	for _, c := range f.fields {
		if c.name == name {
			return c, true
		}
	}
	return field{}, false
}

// traceEntry is the fields that all events have.
//
// Source: Linux, include/linux/trace_events.h, struct trace_entry.
var traceEntry = []field{
	{name: "common_type", offset: 0, size: 2},
	{name: "common_flags", offset: flagsAt, size: 1},
	{name: "common_preempt_count", offset: preemptAt, size: 1},
	{name: "common_pid", offset: pidAt, size: 4},
}

const (
	flagsAt   = 2
	preemptAt = 3
	pidAt     = 4
)

// compile makes the program of a format. It returns false if records of the format
// cannot be read.
func (f *format) compile(printFmt string) bool {
	for _, want := range traceEntry {
		c, ok := f.find(want.name)
		if !ok || c.offset != want.offset || c.size != want.size {
			return false
		}
		f.require(&c)
	}
	// HongMeng's lite events lack names, which their print fmt adds from elsewhere:
	// their text is that of the events that they replace.
	f.title = roomy(": " + strings.TrimSuffix(f.name, "_lite") + ": ")
	f.marker = isMarker(f.name)
	if text, ok := f.find("buf"); ok && f.name == "print" && text.size == 0 && text.loc == notLoc {
		// Linux prints the symbol of the field ip, which is tracing_mark_write's.
		f.title = roomy(": " + markerName + ": ")
		f.program = program{{nil, fieldOf(&text).text}}
		f.require(&text)
		return true
	}
	p, ok2 := f.parsePrint(printFmt)
	if !ok2 {
		p = f.listFields()
	}
	f.program = p
	return true
}

// require makes records that lack the field too short.
func (f *format) require(c *field) { f.need = max(f.need, c.offset+c.size) }

// listFields makes the program of a format whose print fmt is not understood: all
// fields with their names.
func (f *format) listFields() program {
	var p program
	for _, c := range f.fields {
		if strings.HasPrefix(c.name, "common_") {
			continue
		}
		text := c.name + "="
		if len(p) > 0 {
			text = " " + text
		}
		spec := "s"
		switch {
		case c.isInt() && c.loc == notLoc && c.signed:
			spec = "lld"
		case c.isInt() && c.loc == notLoc:
			spec = "llu"
		}
		printer := newConversion(conversionPattern.FindStringSubmatch(spec)).printer(fieldOf(&c), nil)
		p = append(p, step{roomy(text), printer})
		f.require(&c)
	}
	return p
}
