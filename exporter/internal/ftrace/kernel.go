package ftrace

import (
	"bytes"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/exporter/internal/packet"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/kernel"
)

// kernelEncoder turns kernel events into the fields of FtraceEvent: an event that Perfetto
// has a message for, with values or in the words of a known kernel, into that message, any
// other into a GenericFtraceEvent. It allocates nothing once it has seen the functions that
// a trace names.
type kernelEncoder struct {
	symbols symbolTable
	values  kernel.Values
	events  map[string]*kernel.Event
	recent  [256]*kernel.Event // the last event with each hash of a name
}

// newKernelEncoder returns an encoder that remembers so many names of functions.
func newKernelEncoder(names int) *kernelEncoder {
	return &kernelEncoder{events: kernel.Events(), symbols: symbolTable{limit: names}}
}

// event returns the entry of an event, or nil if it is unknown.
func (k *kernelEncoder) event(name []byte) *kernel.Event {
	if len(name) == 0 {
		return nil
	}
	recent := &k.recent[name[len(name)-1]+name[len(name)/2]*31+byte(len(name))*17]
	if *recent == nil || (*recent).Name != string(name) {
		*recent = k.events[string(name)]
	}
	return *recent
}

// isShown reports whether Perfetto shows an event on a track. A wakeup that does not count
// as a waking is a row of its table ftrace_event only.
func (k *kernelEncoder) isShown(e *hitrace.Event, p *placement) bool {
	switch p.kind {
	case hitrace.MarkerEvent, hitrace.SwitchEvent, hitrace.WakingEvent:
		return true
	}
	event := k.event(e.Name)
	return event != nil && event.Shown
}

// appendEvent appends the event's own field of FtraceEvent (tag, length, message). It returns
// false and buf unchanged for an event without a name.
func (k *kernelEncoder) appendEvent(buf []byte, name, args []byte) ([]byte, bool) {
	if len(name) == 0 {
		return buf, false
	}
	for len(args) > 0 && args[len(args)-1] <= ' ' {
		args = args[:len(args)-1]
	}
	if event := k.event(name); event != nil {
		if format := event.Parse(args, &k.values); format != nil {
			return k.appendValues(buf, format), true
		}
	}
	return appendGeneric(buf, name, args), true
}

// appendValues appends the message of the encoder's values.
func (k *kernelEncoder) appendValues(buf []byte, format *kernel.Format) []byte {
	buf, start := packet.Begin(buf, format.Event.Field)
	for i := range format.Places {
		p := &format.Places[i]
		number, text := k.values.Numbers[p.Field], k.values.Texts[p.Field]
		switch p.Kind {
		case kernel.None, kernel.Skipped, kernel.Softirq:
			continue
		case kernel.Text:
			buf = appendText(buf, p.Field, text)
			continue
		case kernel.State:
			state, _ := rawTaskState(text)
			number = uint64(state)
		case kernel.Symbol:
			if len(text) == 0 {
				continue
			}
			number = k.symbols.id(text)
		case kernel.Int32:
			number = uint64(int32(number))
		case kernel.Uint32:
			number = uint64(uint32(number))
		}
		buf = packet.AppendVarint(buf, p.Field, number)
	}
	return packet.End(buf, start)
}

// appendText appends a field whose type is string.
func appendText(buf []byte, number protowire.Number, text []byte) []byte {
	return packet.AppendBytes(buf, number, validText(text))
}

// validText returns text without invalid UTF-8. Writers cut long names in the middle of a
// character, and Perfetto would read the next byte, such as the bar after a marker's
// name, as a part of the character.
func validText(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return bytes.ToValidUTF8(text, []byte("\uFFFD"))
}
