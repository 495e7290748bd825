package ftrace

import (
	"bytes"
	"math"

	"ohframe/exporter/internal/packet"
)

// pageShift is the logarithm of the size of a page.
const pageShift = 12

// match appends the fields of a message and reports whether the text has the
// given form.
func (k *kernelEncoder) match(buf []byte, steps []kernelStep, text []byte) ([]byte, bool) {
	k.tries = maxTries
	return k.matchSteps(buf, steps, text)
}

// maxTries limits the number of text ends that are tried to fit an event to a format. If
// the delimiter repeats, an event needs a few. Hostile text could need its length to the
// power of the number of texts.
const maxTries = 200

func (k *kernelEncoder) matchSteps(buf []byte, steps []kernelStep, text []byte) ([]byte, bool) {
	for i := range steps {
		step := &steps[i]
		n := len(step.literal)
		if len(text) < n || string(text[:n]) != step.literal {
			return buf, false
		}
		text = text[n:]

		var value uint64
		switch step.value {
		case noValue:
			return buf, len(text) == 0 || text[0] == ' '
		case skippedValue, textValue, symbolValue:
			return k.matchText(buf, steps[i:], text)
		case wordValue:
			value, n = parseWord(text, step.words)
		case hexValue:
			value, n = parseHex(text)
		case maskValue:
			value, n = parseMask(text)
		case deviceValue:
			value, n = parseDevice(text)
		default:
			var negative bool
			value, negative, n = parseInteger(text)
			var fits bool
			if value, fits = fitInteger(value, negative, step.value); !fits {
				return buf, false
			}
		}
		if n == 0 {
			return buf, false
		}
		buf = packet.AppendVarint(buf, step.field, value)
		text = text[n:]
	}
	return buf, true
}

// matchText is matchSteps for steps that begin with text. The text may contain
// whatever follows it in the format. It ends at the first place from which on the
// rest of the format matches.
func (k *kernelEncoder) matchText(buf []byte, steps []kernelStep, text []byte) ([]byte, bool) {
	step, next := &steps[0], &steps[1]
	if next.value == noValue {
		end := len(text)
		if next.literal != "" {
			end = bytes.LastIndex(text, []byte(next.literal))
		}
		if end < 0 {
			return buf, false
		}
		return k.matchSteps(k.appendMatch(buf, step, text[:end]), steps[1:], text[end:])
	}
	symbols := k.symbols.len()
	for end := 0; ; end++ {
		n := bytes.Index(text[end:], []byte(next.literal))
		if k.tries--; n < 0 || k.tries < 0 {
			return buf, false
		}
		end += n
		if out, ok := k.matchSteps(k.appendMatch(buf, step, text[:end]), steps[1:], text[end:]); ok {
			return out, true
		}
		k.symbols.truncate(symbols)
	}
}

func (k *kernelEncoder) appendMatch(buf []byte, step *kernelStep, text []byte) []byte {
	switch {
	case step.value == textValue:
		return appendText(buf, step.field, text)
	case step.value == symbolValue && len(text) > 0:
		return packet.AppendVarint(buf, step.field, k.symbols.id(text))
	}
	return buf
}

// safeDigits is how many decimal digits always fit in 64 bits.
const safeDigits = 19

// parseInteger reads a decimal number, or one with 0x before it, at the
// beginning of text. The length is 0 if text does not begin with
// a number, or with one that does not fit.
func parseInteger(text []byte) (magnitude uint64, negative bool, length int) {
	i := 0
	if len(text) > 1 && text[0] == '-' {
		negative = true
		i++
	} else if len(text) > 2 && text[0] == '0' && text[1] == 'x' {
		magnitude, length = parseHex(text)
		return magnitude, false, length
	}
	start := i
	for ; i < len(text); i++ {
		digit := uint64(text[i] - '0')
		if digit > 9 {
			break
		}
		if i-start >= safeDigits && magnitude > (math.MaxUint64-digit)/10 {
			return 0, false, 0
		}
		magnitude = magnitude*10 + digit
	}
	if i == start {
		return 0, false, 0
	}
	return magnitude, negative, i
}

// fitInteger encodes a number as a varint of the given type. The kernel prints 32-bit
// numbers with or without a sign, so each type accepts both.
func fitInteger(magnitude uint64, negative bool, as kernelValue) (value uint64, fits bool) {
	value = magnitude
	if negative {
		value = -magnitude
	}
	switch as {
	case pagesValue:
		return value >> pageShift, !negative
	case uint64Value, int64Value:
		return value, !negative && as == uint64Value || magnitude <= math.MaxInt64
	case uint32Value:
		value = uint64(uint32(value))
	case int32Value:
		value = uint64(int32(value))
	}
	if negative {
		return value, magnitude <= -math.MinInt32
	}
	return value, magnitude <= math.MaxUint32
}

// parseHex reads a hexadecimal number, with or without 0x before it.
func parseHex(text []byte) (value uint64, length int) {
	i := 0
	if len(text) > 2 && text[0] == '0' && text[1] == 'x' {
		i = 2
	}
	start := i
	for ; i < len(text); i++ {
		digit := hexDigits[text[i]]
		if digit == 0 {
			break
		}
		value = value<<4 | uint64(digit&0xf)
	}
	if n := i - start; n == 0 || n > 16 {
		return 0, 0
	}
	return value, i
}

// hexDigits contains 16 plus the value of each hexadecimal digit.
var hexDigits = func() (table [256]byte) {
	for value, digit := range "0123456789abcdef" {
		table[digit] = 0x10 | byte(value)
	}
	for value, digit := range "ABCDEF" {
		table[digit] = 0x1a + byte(value)
	}
	return table
}()

// parseMask reads a bitmask. Only its lowest 32 bits may be set.
func parseMask(text []byte) (value uint64, length int) {
	for {
		group, n := parseHex(text[length:])
		if n == 0 || value != 0 {
			return 0, 0
		}
		value = group
		length += n
		if value > math.MaxUint32 {
			return 0, 0
		}
		if length == len(text) || text[length] != ',' {
			return value, length
		}
		length++
	}
}

// parseDevice parses the numbers of a device and joins them as user space does. Perfetto
// records and splits them in that form.
func parseDevice(text []byte) (value uint64, length int) {
	major, negative, i := parseInteger(text)
	if i == 0 || negative || major > math.MaxUint32 || i == len(text) || text[i] != ',' && text[i] != ':' {
		return 0, 0
	}
	minor, negative, n := parseInteger(text[i+1:])
	if n == 0 || negative || minor > math.MaxUint32 {
		return 0, 0
	}
	return major&^0xfff<<32 | major&0xfff<<8 | minor&^0xff<<12 | minor&0xff, i + 1 + n
}

// parseWord reads one of the words, which are numbered from 0.
func parseWord(text []byte, words []string) (value uint64, length int) {
	for i, word := range words {
		if len(text) >= len(word) && string(text[:len(word)]) == word {
			return uint64(i), len(word)
		}
	}
	return 0, 0
}
