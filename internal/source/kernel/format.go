package kernel

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/internal/perfettopb"
)

// Event is an event of the kernel that the table has.
type Event struct {
	Name    string
	Field   protowire.Number // of FtraceEvent
	Formats []*Format
	Shown   bool // Perfetto makes slices, counters, states or names of it
}

// Format is how an event is printed. It is written like the kernel's own format, with the fields of
// Perfetto's message in braces instead of verbs:
//
//	{pid}         a number, decimal or with 0x before it; or, if the field has type
//	              string, text up to the beginning of the rest of the format
//	{flags:0x}    the same, printed with 0x
//	{cpu:cpu}     the same, printed with three digits
//	{work:hex}    a hexadecimal number that may lack the 0x; printed with it
//	{ino:bare}    the same, printed without
//	{mask:mask}   a bitmask: hexadecimal, a comma after every 32 bits
//	{dev:device}  a device's major and minor number, "8,0" or "8:0"
//	{dev:colon}   the same, printed as "8:0"
//	{ofs:pages}   a number of bytes; the field counts pages
//	{fn:symbol}   the name of a function; Perfetto's field contains its number
//	{s:state}     the letters of a thread's state; Perfetto's field contains bits
//	{v:softirq}   the name of a number that another place has
//	{ret=no|yes}  one of several words for the numbers 0, 1, …
//	{}            text without a field
//
// Two fields always have text between them, which ends the first. Text after a blank
// after the end of a format is ignored: later kernels and vendors add fields there.
type Format struct {
	Event  *Event
	Places []Place
}

// Place is a piece of a format: literal text, then a value.
type Place struct {
	Literal string
	Kind    Kind
	Name    string // of the field; empty without one
	Field   protowire.Number
	words   []string // of Word
}

// Has reports whether one of the format's places has a field.
func (f *Format) Has(field string) bool {
	return slices.ContainsFunc(f.Places, func(p Place) bool { return p.Name == field })
}

// FromKernel returns the number of a place for what the kernel has in its record.
func (p *Place) FromKernel(n uint64) uint64 {
	if p.Kind == device || p.Kind == colon {
		return deviceOf(n>>20, n&(1<<20-1))
	}
	return n
}

// Kind is the kind of a value.
type Kind uint8

// The kinds.
const (
	None    Kind = iota // the format ends
	Skipped             // text without a field
	Text
	Symbol
	State
	Softirq
	Int32
	Uint32
	Int64
	Uint64
	hexInt
	cpu
	hex
	bare
	mask
	device
	colon
	pages
	word
)

// IsText reports whether values of the kind are text.
func (k Kind) IsText() bool { return k <= Softirq }

// kindNames are the kinds that a format names; the schema decides the others.
var kindNames = map[string]Kind{
	"0x": hexInt, "cpu": cpu, "hex": hex, "bare": bare, "mask": mask, "device": device, "colon": colon, "pages": pages,
	"text": Text, "int64": Int64, "uint64": Uint64, "symbol": Symbol, "state": State, "softirq": Softirq,
}

var kindOf = map[protoreflect.Kind]Kind{
	protoreflect.StringKind: Text,
	protoreflect.Int32Kind:  Int32, protoreflect.Uint32Kind: Uint32,
	protoreflect.Int64Kind: Int64, protoreflect.Uint64Kind: Uint64,
}

// Events returns the events by name. They do not change.
var Events = sync.OnceValue(func() map[string]*Event {
	fields := (*perfettopb.FtraceEvent)(nil).ProtoReflect().Descriptor().Fields()
	events := make(map[string]*Event, len(formats))
	for _, f := range formats {
		field := fields.ByName(protoreflect.Name(f.event))
		if field == nil {
			panic("no message for event " + f.event)
		}
		event := events[f.event]
		if event == nil {
			event = &Event{Name: f.event, Field: field.Number(), Shown: slices.Contains(shown, f.event)}
			events[f.event] = event
		}
		event.Formats = append(event.Formats, &Format{event, compileFormat(field.Message(), f.format)})
	}
	return events
})

func compileFormat(message protoreflect.MessageDescriptor, format string) (places []Place) {
	for {
		literal, rest, found := strings.Cut(format, "{")
		if !found {
			return append(places, Place{Literal: literal})
		}
		name, rest, _ := strings.Cut(rest, "}")
		places = append(places, compilePlace(message, literal, name))
		format = rest
	}
}

// Spell returns the format of an event that Perfetto has no message for. The places are named by the
// numbers of fields, which are signed and have 32 bits unless the format says otherwise: text, int64 or
// uint64.
func Spell(format string) *Format { return &Format{Places: compileFormat(nil, format)} }

func compilePlace(message protoreflect.MessageDescriptor, literal, text string) Place {
	if text == "" {
		return Place{Literal: literal, Kind: Skipped}
	}
	name, words, isWord := strings.Cut(text, "=")
	name, kind, isNamed := strings.Cut(name, ":")
	p := Place{Literal: literal, Name: name, Kind: Int32}
	if message == nil {
		number, _ := strconv.Atoi(name)
		p.Field = protowire.Number(number)
	} else if field := message.Fields().ByName(protoreflect.Name(name)); field != nil {
		p.Field, p.Kind = field.Number(), kindOf[field.Kind()]
	}
	if p.Field <= 0 || p.Field >= maxFields {
		panic("no field " + name)
	}
	switch {
	case isWord:
		p.Kind, p.words = word, strings.Split(words, "|")
	case isNamed:
		p.Kind = kindNames[kind]
	}
	if p.Kind == None {
		panic("no kind " + kind)
	}
	return p
}
