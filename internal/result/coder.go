package result

import (
	"errors"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/inflation"
)

// coder encodes or decodes messages. One description of each message serves both: functions
// call the methods of message for all fields, in ascending order of their numbers. A field
// with the value zero is not written.
type coder struct {
	writing bool
	out     []byte // of the message that is written
	limits  trace.Limits
	err     error // the first, of reading
	spent   int   // texts and elements of lists that were read

	texts   []string // by number
	numbers map[string]int
	sent    int // of texts, those that are written

	timeline *analyzer.Timeline
	index    map[*analyzer.Frame]int // of the timeline's frames
	process  map[*analyzer.Process]int
	// A time is relative to the one before it, which is base, and a frame to the one with the
	// number current. So most are small.
	base    trace.Time
	current int
}

// layerCoder has what buffers of a layer are described relative to: the buffer before.
type layerCoder struct {
	sequence int64
	tid      trace.TID
	shown    trace.Time // present of the last one that was shown
}

// at sets the frame that is described next.
func (c *coder) at(frame int) {
	c.current, c.base = frame, c.timeline.Frames[frame].Actual.Start
}

// errDamaged is the error of data that no version of this package writes.
var errDamaged = errors.New("damaged")

func (c *coder) fail() {
	if c.err == nil {
		c.err = errDamaged
	}
}

// spend counts a text or an element of a list that is read. It returns false after an error.
func (c *coder) spend() bool {
	if c.spent++; c.spent > c.limits.States && c.err == nil {
		c.err = &inflation.Error{Limit: "states", What: "the result in the trace has more facts about frames than are read"}
	}
	return c.err == nil
}

// message is a message that is written to coder.out, or that is read.
type message struct {
	*coder
	in     []byte // what is left to read
	number protowire.Number
	value  uint64 // of the field with the number, or else
	bytes  []byte
}

// next reads up to the field with the given number. It returns false if the message lacks the
// field.
func (m *message) next(number protowire.Number) bool {
	for m.number < number && len(m.in) > 0 && m.err == nil {
		n, wire, size := protowire.ConsumeTag(m.in)
		if size < 0 || n < m.number {
			m.fail()
			return false
		}
		m.in, m.number = m.in[size:], n
		switch wire {
		case protowire.VarintType:
			m.value, size = protowire.ConsumeVarint(m.in)
		case protowire.Fixed64Type:
			m.value, size = protowire.ConsumeFixed64(m.in)
		case protowire.BytesType:
			m.bytes, size = protowire.ConsumeBytes(m.in)
		default:
			size = -1
		}
		if size < 0 {
			m.fail()
			return false
		}
		m.in = m.in[size:]
	}
	if m.number != number || m.err != nil {
		return false
	}
	m.number-- // the next field may have the same number
	return true
}

// unsigned describes a number that is written even if it is 0, if present is set.
func (m *message) unsigned(number protowire.Number, v uint64, present bool) (uint64, bool) {
	if !m.writing {
		ok := m.next(number)
		return m.value, ok
	}
	if present {
		m.out = protowire.AppendVarint(protowire.AppendTag(m.out, number, protowire.VarintType), v)
	}
	return v, present
}

// integer describes a whole number.
func integer[T ~int | ~int8 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32](m *message, number protowire.Number, v *T) {
	x, ok := m.unsigned(number, protowire.EncodeZigZag(int64(*v)), *v != 0)
	if m.writing || !ok {
		return
	}
	signed := protowire.DecodeZigZag(x)
	if *v = T(signed); int64(*v) != signed {
		m.fail()
	}
}

// relative describes a number that is mostly close to another one.
func relative[T ~int32 | ~int64](m *message, number protowire.Number, v *T, to T) {
	distance := T(0)
	if m.writing {
		distance = *v - to
	}
	if integer(m, number, &distance); !m.writing {
		*v = to + distance
	}
}

// count describes a number that is not negative.
func count[T ~int | ~int32 | ~int64](m *message, number protowire.Number, v *T) {
	if integer(m, number, v); *v < 0 {
		m.fail()
	}
}

// enum describes the value of an enumeration, or a set of bits, below end.
func enum[T ~uint8 | ~uint16 | ~uint32](m *message, number protowire.Number, v *T, end int) {
	if integer(m, number, v); int(*v) >= end {
		m.fail()
	}
}

func (m *message) flag(number protowire.Number, v *bool) {
	if _, ok := m.unsigned(number, 1, *v); ok {
		*v = true
	}
}

func (m *message) float(number protowire.Number, v *float64) {
	switch {
	case m.writing && *v != 0:
		m.out = protowire.AppendFixed64(protowire.AppendTag(m.out, number, protowire.Fixed64Type), math.Float64bits(*v))
	case !m.writing && m.next(number):
		if *v = math.Float64frombits(m.value); math.IsNaN(*v) || math.IsInf(*v, 0) {
			m.fail()
		}
	}
}

// duration describes a length of time, which may be negative.
func (m *message) duration(number protowire.Number, v *trace.Duration) {
	if integer(m, number, v); *v > trace.MaxTime || *v < -trace.MaxTime {
		m.fail()
	}
}

// length describes a length of time that is not negative.
func (m *message) length(number protowire.Number, v *trace.Duration) {
	if m.duration(number, v); *v < 0 {
		m.fail()
	}
}

// time describes a point in time. An unknown one is not written.
func (m *message) time(number protowire.Number, v *trace.Time) {
	x, ok := m.unsigned(number, protowire.EncodeZigZag(int64(*v)-int64(m.base)), *v != 0)
	if !ok {
		return
	}
	if m.writing {
		m.base = *v
		return
	}
	d := protowire.DecodeZigZag(x)
	if d > trace.MaxTime || d < -trace.MaxTime || int64(m.base)+d <= 0 || int64(m.base)+d > trace.MaxTime {
		m.fail()
		return
	}
	m.base += trace.Time(d)
	*v = m.base
}

// interval describes the two ends of an interval, in two fields.
func (m *message) interval(number protowire.Number, v *analyzer.Interval) {
	m.time(number, &v.Start)
	m.time(number+1, &v.End)
}

// text describes a text as its number in the list of all texts.
func (m *message) text(number protowire.Number, v *string) {
	n := 0
	if m.writing && *v != "" {
		n = m.numbers[*v]
		if n == 0 {
			m.texts = append(m.texts, *v)
			n = len(m.texts)
			m.numbers[*v] = n
		}
	}
	count(m, number, &n)
	switch {
	case m.writing || n == 0:
	case n > len(m.texts):
		m.fail()
	case m.err == nil:
		*v = m.texts[n-1]
	}
}

// frame describes a reference to a frame, nil for none.
func (m *message) frame(number protowire.Number, v **analyzer.Frame) {
	distance := 0
	if *v != nil {
		distance = m.index[*v] - m.current
	}
	x, ok := m.unsigned(number, protowire.EncodeZigZag(int64(distance)), *v != nil)
	if m.writing || !ok {
		return
	}
	at := protowire.DecodeZigZag(x) + int64(m.current)
	if at < 0 || at >= int64(len(m.timeline.Frames)) {
		m.fail()
		return
	}
	*v = m.timeline.Frames[at]
}

// place returns the index of the layer of a buffer that is written, and that of the buffer; -1
// for none.
func (m *message) place(b *analyzer.Buffer) (layer, buffer int) {
	switch {
	case !m.writing:
		return 0, 0
	case b == nil:
		return -1, -1
	}
	return slices.Index(m.timeline.Layers, b.Layer), slices.Index(b.Layer.Buffers, b)
}

// bufferAt returns a buffer by the indices that place returns.
func (m *message) bufferAt(layer, buffer int) *analyzer.Buffer {
	if m.err != nil || layer >= len(m.timeline.Layers) || buffer >= len(m.timeline.Layers[layer].Buffers) {
		m.fail()
		return nil
	}
	return m.timeline.Layers[layer].Buffers[buffer]
}

// message describes a message in a field. When one is written, do is called if present is
// set; when one is read, if there is one.
func (m *message) message(number protowire.Number, present bool, do func(*message)) bool {
	if !m.writing {
		if !m.next(number) {
			return false
		}
		do(&message{coder: m.coder, in: m.bytes})
		return m.err == nil
	}
	if !present {
		return false
	}
	m.out = protowire.AppendTag(m.out, number, protowire.BytesType)
	start := len(m.out)
	do(m)
	var length [10]byte
	size := protowire.AppendVarint(length[:0], uint64(len(m.out)-start))
	m.out = append(m.out, size...)
	copy(m.out[start+len(size):], m.out[start:])
	copy(m.out[start:], size)
	return true
}

// optional describes a message that may be missing.
func optional[T any](m *message, number protowire.Number, v **T, do func(*message, *T)) {
	m.message(number, *v != nil, func(m *message) {
		if *v == nil {
			*v = new(T)
		}
		do(m, *v)
	})
}

// list describes a list of messages.
func list[T any](m *message, number protowire.Number, v *[]T, do func(*message, *T)) {
	if m.writing {
		for i := range *v {
			m.message(number, true, func(m *message) { do(m, &(*v)[i]) })
		}
		return
	}
	for m.message(number, true, func(m *message) {
		if m.spend() {
			*v = append(*v, *new(T))
			do(m, &(*v)[len(*v)-1])
		}
	}) {
	}
}
