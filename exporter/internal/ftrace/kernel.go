package ftrace

import (
	"bytes"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/exporter/internal/packet"
	"ohframe/internal/source/hitrace"
)

// kernelEncoder turns the text of kernel events into the fields of FtraceEvent:
// an event that Perfetto has a message for, in the words of a known kernel, into
// that message, any other into a GenericFtraceEvent. It allocates nothing once
// it has seen the functions that a trace names.
type kernelEncoder struct {
	symbols symbolTable
	tries   int // left of maxTries
	events  map[string]*kernelEvent
	recent  [256]*kernelEvent // the last event with each hash of a name
}

// newKernelEncoder returns an encoder that remembers so many names of functions.
func newKernelEncoder(names int) *kernelEncoder {
	return &kernelEncoder{events: kernelEvents(), symbols: symbolTable{limit: names}}
}

// event returns the entry of an event, or nil if it is unknown.
func (k *kernelEncoder) event(name []byte) *kernelEvent {
	if len(name) == 0 {
		return nil
	}
	recent := &k.recent[name[len(name)-1]+name[len(name)/2]*31+byte(len(name))*17]
	if *recent == nil || (*recent).name != string(name) {
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
	return event != nil && event.shown
}

// maxKernelText is more than the kernel prints in one line: longer text is
// damaged, and not worth matching.
const maxKernelText = 1 << 10

// appendEvent appends the event's own field of FtraceEvent (tag, length, message). If the
// args do not fit a format, it returns false and buf unchanged.
func (k *kernelEncoder) appendEvent(buf []byte, name, args []byte) ([]byte, bool) {
	if len(name) == 0 {
		return buf, false
	}
	for len(args) > 0 && args[len(args)-1] <= ' ' {
		args = args[:len(args)-1]
	}
	if len(args) <= maxKernelText {
		if event := k.event(name); event != nil {
			message, start := packet.Begin(buf, event.field)
			for _, steps := range event.formats {
				if message, ok := k.match(message, steps, args); ok {
					return packet.End(message, start), true
				}
			}
		}
	}
	return appendGeneric(buf, name, args), true
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
