package binarytrace

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"ohframe/internal/source/kernel"
)

// format is how the records of an event are read and printed.
type format struct {
	name   string // as text has it
	title  title
	id     int
	lite   bool // records lack names of threads
	fields []field
	need   int     // the least number of bytes of a record
	locs   []field // those that refer to text elsewhere in it
	marker bool
	text   field // has all that is printed; without a name if there is no such field
	// The rest is that of an event of the table.
	table    *kernel.Format
	bound    []field // for its places
	extras   []extra // printed behind it
	states   string  // letters of the states of threads; empty for those of HongMeng
	function *function
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
				f.findLocs()
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

// compile completes a format. It returns false if records of the format cannot be read.
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
	if f.name, f.lite = strings.CutSuffix(f.name, "_lite"); f.name == "" || strings.Contains(f.name, ":") {
		return false // a line of text cannot have it
	}
	f.marker = isMarker(f.name)
	own := slices.DeleteFunc(slices.Clone(f.fields), func(c field) bool { return strings.HasPrefix(c.name, "common_") })
	switch text, ok := f.find("buf"); {
	case ok && f.name == "print" && text.size == 0 && text.loc == notLoc:
		// Linux prints the symbol of the field ip, which is tracing_mark_write's.
		f.name, f.text = markerName, text
	case len(own) == 1 && strings.HasPrefix(printFmt, `"%s",`) && (own[0].loc != notLoc || !own[0].isInt()):
		f.text = own[0]
	}
	f.title = newTitle(f.name)
	if f.text.name != "" {
		f.require(&f.text)
		return true
	}
	f.states, f.function = statesOf(printFmt), f.findFunction()
	f.bind(printFmt)
	if f.table == nil {
		for i := range f.fields {
			f.require(&f.fields[i])
		}
	}
	return true
}

// require makes records that lack the field too short.
func (f *format) require(c *field) { f.need = max(f.need, c.offset+c.size) }

// findLocs sets locs, when all that is required is known.
func (f *format) findLocs() {
	for _, c := range f.fields {
		if c.loc != notLoc && c.offset+c.size <= f.need {
			f.locs = append(f.locs, c)
		}
	}
}

// complete reports whether a record has all that is read of it, also what fields refer to.
func (f *format) complete(record []byte) bool {
	if len(record) < f.need {
		return false
	}
	for i := range f.locs {
		if _, ok := f.locs[i].bytes(record); !ok {
			return false
		}
	}
	return true
}
