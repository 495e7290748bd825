package ftrace

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"ohframe/internal/perfettopb"
)

// kernelFormat is a compiled format of a kernel event. It is written like the kernel's
// own format, with the fields of Perfetto's message in braces instead of verbs:
//
//	{pid}         a number, decimal or with 0x before it; or, if the field has type
//	              string, text up to the beginning of the rest of the format
//	{ino:hex}     a hexadecimal number that may lack the 0x
//	{mask:mask}   a bitmask: hexadecimal, a comma after every 32 bits
//	{dev:device}  a device's major and minor number, "8,0" or "8:0"
//	{ofs:pages}   a number of bytes; the field counts pages
//	{fn:symbol}   the name of a function; the field contains its number
//	{ret=no|yes}  one of several words for the numbers 0, 1, …
//	{}            text without a field
//
// Two fields always have text between them, which ends the first. Text after a blank
// after the end of a format is ignored: later kernels and vendors add fields there.
type kernelFormat []kernelStep

// kernelStep is a piece of a format: literal text, then a value.
type kernelStep struct {
	literal string
	value   kernelValue
	field   protowire.Number
	words   []string // of wordValue
}

// kernelEvent is an event that Perfetto has a message for.
type kernelEvent struct {
	name    string
	field   protowire.Number // of FtraceEvent
	formats []kernelFormat
	shown   bool
}

type kernelValue uint8

const (
	noValue kernelValue = iota // the format ends
	skippedValue
	textValue
	symbolValue
	int32Value
	uint32Value
	int64Value
	uint64Value
	hexValue
	maskValue
	deviceValue
	pagesValue
	wordValue
)

// valueNames are the values that a format names; the schema decides the others.
var valueNames = map[string]kernelValue{
	"hex": hexValue, "mask": maskValue, "device": deviceValue, "pages": pagesValue, "symbol": symbolValue,
}

var valueByKind = map[protoreflect.Kind]kernelValue{
	protoreflect.StringKind: textValue,
	protoreflect.Int32Kind:  int32Value, protoreflect.Uint32Kind: uint32Value,
	protoreflect.Int64Kind: int64Value, protoreflect.Uint64Kind: uint64Value,
}

// kernelEvents returns the events by name.
var kernelEvents = sync.OnceValue(func() map[string]*kernelEvent {
	fields := (*perfettopb.FtraceEvent)(nil).ProtoReflect().Descriptor().Fields()
	events := make(map[string]*kernelEvent, len(kernelFormats))
	for _, f := range kernelFormats {
		field := fields.ByName(protoreflect.Name(f.event))
		if field == nil {
			panic("no message for event " + f.event)
		}
		event := events[f.event]
		if event == nil {
			event = &kernelEvent{name: f.event, field: field.Number(), shown: slices.Contains(shownEvents, f.event)}
			events[f.event] = event
		}
		event.formats = append(event.formats, compileFormat(field.Message(), f.format))
	}
	return events
})

func compileFormat(message protoreflect.MessageDescriptor, format string) kernelFormat {
	var steps kernelFormat
	for {
		literal, rest, found := strings.Cut(format, "{")
		if !found {
			return append(steps, kernelStep{literal: literal})
		}
		placeholder, rest, _ := strings.Cut(rest, "}")
		steps = append(steps, compileStep(message, literal, placeholder))
		format = rest
	}
}

func compileStep(message protoreflect.MessageDescriptor, literal, placeholder string) kernelStep {
	if placeholder == "" {
		return kernelStep{literal: literal, value: skippedValue}
	}
	name, words, isWord := strings.Cut(placeholder, "=")
	name, kind, isNamed := strings.Cut(name, ":")
	field := message.Fields().ByName(protoreflect.Name(name))
	if field == nil {
		panic(fmt.Sprintf("%s has no field %s", message.Name(), name))
	}
	step := kernelStep{literal: literal, field: field.Number(), value: valueByKind[field.Kind()]}
	switch {
	case isWord:
		step.value, step.words = wordValue, strings.Split(words, "|")
	case isNamed:
		step.value = valueNames[kind]
	}
	if step.value == noValue {
		panic(fmt.Sprintf("%s: no value is {%s}", message.Name(), placeholder))
	}
	return step
}
