package ftrace

import (
	"bytes"
	"math"

	"ohframe/exporter/internal/packet"
	"ohframe/internal/source/kernel"
)

const (
	eventGeneric = 327 // FtraceEvent.generic

	genericEventName = 1 // GenericFtraceEvent.event_name
	genericField     = 2 // GenericFtraceEvent.field

	genericFieldName = 1 // GenericFtraceEvent.Field.name
	genericFieldStr  = 3 // GenericFtraceEvent.Field.str_value
	genericFieldInt  = 4 // GenericFtraceEvent.Field.int_value
)

// appendGeneric appends FtraceEvent.generic for an event of an unknown type: each
// "key=value" is a field, and the text before the first one is a field with the
// name "args".
func appendGeneric(buf, name, args []byte) []byte {
	buf, start := packet.Begin(buf, eventGeneric)
	buf = appendText(buf, genericEventName, name)

	key, equals := nextKey(args, 0)
	if text := trimValue(args[:key]); len(text) > 0 {
		buf = appendGenericField(buf, []byte("args"), text)
	}
	for key < len(args) {
		next, nextEquals := nextKey(args, equals+1)
		buf = appendGenericField(buf, args[key:equals], trimValue(args[equals+1:next]))
		key, equals = next, nextEquals
	}
	return packet.End(buf, start)
}

// nextKey returns the offset of the next key, which is a word of letters, digits and
// underscores before an equals sign, and the offset of that sign. Both are the length of
// the text if no further key follows.
func nextKey(text []byte, from int) (key, equals int) {
	for i := from; i < len(text); {
		word := i
		for i < len(text) && isKeyByte(text[i]) {
			i++
		}
		if i > word && i < len(text) && text[i] == '=' && (word == 0 || text[word-1] == ' ') {
			return word, i
		}
		blank := bytes.IndexByte(text[i:], ' ')
		if blank < 0 {
			break
		}
		i += blank + 1
	}
	return len(text), len(text)
}

func isKeyByte(c byte) bool { return c|0x20-'a' < 26 || c-'0' < 10 || c == '_' }

// trimValue returns a value without the blanks and the comma that some formats
// have between fields.
func trimValue(text []byte) []byte {
	text = bytes.Trim(text, " ")
	return bytes.TrimSuffix(text, []byte(","))
}

func appendGenericField(buf, name, value []byte) []byte {
	buf, start := packet.Begin(buf, genericField)
	buf = appendText(buf, genericFieldName, name)
	magnitude, negative, length := kernel.ParseInteger(value)
	if length > 0 && length == len(value) && magnitude <= math.MaxInt64 {
		if negative {
			magnitude = -magnitude
		}
		buf = packet.AppendVarint(buf, genericFieldInt, magnitude)
	} else {
		buf = appendText(buf, genericFieldStr, value)
	}
	return packet.End(buf, start)
}
