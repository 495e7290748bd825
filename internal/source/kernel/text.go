package kernel

import (
	"bytes"
	"math"
	"strconv"
)

// maxText is more than the kernel prints in one line: longer text is damaged, and not worth matching.
const maxText = 1 << 10

// Parse sets the values of an event from its text and returns the format that the text has, nil if it
// has none. Texts are parts of it.
func (e *Event) Parse(text []byte, v *Values) *Format {
	if len(text) > maxText {
		return nil
	}
	for _, f := range e.Formats {
		v.Reset()
		v.tries = maxTries
		if v.match(f.Places, text) {
			return f
		}
	}
	return nil
}

// pageShift is the logarithm of the size of a page.
const pageShift = 12

// maxTries limits the number of text ends that are tried to fit an event to a format. If
// the delimiter repeats, an event needs a few. Hostile text could need its length to the
// power of the number of texts.
const maxTries = 200

// match sets the values of places and reports whether the text has their form.
func (v *Values) match(places []Place, text []byte) bool {
	for i := range places {
		p := &places[i]
		n := len(p.Literal)
		if len(text) < n || string(text[:n]) != p.Literal {
			return false
		}
		text = text[n:]
		if p.Kind == None {
			return len(text) == 0 || text[0] == ' '
		}
		if p.Kind.IsText() {
			return v.matchText(places[i:], text)
		}
		value, n := p.parse(text)
		if n == 0 {
			return false
		}
		v.Numbers[p.Field] = value
		text = text[n:]
	}
	return true
}

// matchText is match for places that begin with text. The text may contain
// whatever follows it in the format. It ends at the first place from which on the
// rest of the format matches.
func (v *Values) matchText(places []Place, text []byte) bool {
	p, next := &places[0], &places[1]
	set := func(text []byte) {
		if p.Kind != Skipped && p.Kind != Softirq {
			v.Texts[p.Field] = text
		}
	}
	if next.Kind == None {
		end := len(text)
		if next.Literal != "" {
			end = bytes.LastIndex(text, []byte(next.Literal))
		}
		if end < 0 {
			return false
		}
		set(text[:end])
		return v.match(places[1:], text[end:])
	}
	for end := 0; ; end++ {
		n := bytes.Index(text[end:], []byte(next.Literal))
		if v.tries--; n < 0 || v.tries < 0 {
			return false
		}
		end += n
		if v.match(places[1:], text[end:]) {
			set(text[:end])
			return true
		}
	}
}

// parse reads the number of a place at the beginning of text. The length is 0 if it is not there.
func (p *Place) parse(text []byte) (value uint64, length int) {
	switch p.Kind {
	case word:
		return parseWord(text, p.words)
	case hex, bare:
		return parseHex(text)
	case mask:
		return parseMask(text)
	case device, colon:
		return parseDevice(text)
	}
	value, negative, n := ParseInteger(text)
	value, fits := fitInteger(value, negative, p.Kind)
	if !fits {
		return 0, 0
	}
	return value, n
}

// safeDigits is how many decimal digits always fit in 64 bits.
const safeDigits = 19

// ParseInteger reads a decimal number, or one with 0x before it, at the
// beginning of text. The length is 0 if text does not begin with
// a number, or with one that does not fit.
func ParseInteger(text []byte) (magnitude uint64, negative bool, length int) {
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
func fitInteger(magnitude uint64, negative bool, as Kind) (value uint64, fits bool) {
	value = magnitude
	if negative {
		value = -magnitude
	}
	switch as {
	case pages:
		return value >> pageShift, !negative
	case Uint64, Int64:
		return value, !negative && as == Uint64 || magnitude <= math.MaxInt64
	case Uint32:
		value = uint64(uint32(value))
	case Int32:
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
	major, negative, i := ParseInteger(text)
	if i == 0 || negative || major > math.MaxUint32 || i == len(text) || text[i] != ',' && text[i] != ':' {
		return 0, 0
	}
	minor, negative, n := ParseInteger(text[i+1:])
	if n == 0 || negative || minor > math.MaxUint32 {
		return 0, 0
	}
	return deviceOf(major, minor), i + 1 + n
}

// deviceOf joins the numbers of a device as user space does.
func deviceOf(major, minor uint64) uint64 {
	return major&^0xfff<<32 | major&0xfff<<8 | minor&^0xff<<12 | minor&0xff
}

// SplitDevice returns the numbers of a device.
func SplitDevice(n uint64) (major, minor uint64) {
	return n>>32&0xfffff000 | n>>8&0xfff, n>>12&0xffffff00 | n&0xff
}

func appendDevice(b []byte, n uint64, separator byte) []byte {
	major, minor := SplitDevice(n)
	b = strconv.AppendUint(b, major, 10)
	return strconv.AppendUint(append(b, separator), minor, 10)
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

// Append appends the text of values to b.
func (f *Format) Append(b []byte, v *Values) []byte {
	for i := range f.Places {
		p := &f.Places[i]
		b = append(b, p.Literal...)
		n := v.Numbers[p.Field]
		switch p.Kind {
		case Text, Symbol, State:
			b = append(b, v.Texts[p.Field]...)
		case Softirq:
			if n < uint64(len(Softirqs)) {
				b = append(b, Softirqs[n]...)
			} else {
				b = strconv.AppendUint(b, n, 10)
			}
		case Int32:
			b = strconv.AppendInt(b, int64(int32(n)), 10)
		case Int64:
			b = strconv.AppendInt(b, int64(n), 10)
		case Uint32:
			b = strconv.AppendUint(b, uint64(uint32(n)), 10)
		case Uint64:
			b = strconv.AppendUint(b, n, 10)
		case cpu:
			for limit := uint32(100); uint32(n) < limit && limit > 1; limit /= 10 {
				b = append(b, '0')
			}
			b = strconv.AppendUint(b, uint64(uint32(n)), 10)
		case hexInt, hex:
			b = strconv.AppendUint(append(b, "0x"...), n, 16)
		case bare, mask:
			b = strconv.AppendUint(b, n, 16)
		case device:
			b = appendDevice(b, n, ',')
		case colon:
			b = appendDevice(b, n, ':')
		case pages:
			b = strconv.AppendUint(b, n<<pageShift, 10)
		case word:
			b = append(b, p.words[min(n, uint64(len(p.words)-1))]...)
		}
	}
	return b
}
