// Package result stores the result of an analysis in a converted trace, or in the dataset of a fleet, and
// reads it. So commands give the same output for these as for the original.
//
//	Timeline, Causes, Totals ─┬─▶ Field ───▶ converted trace ──▶ Decode ─┬─▶ Timeline, Causes, Totals
//	                          └─▶ Append ──▶ dataset ──────────▶ Read ───┘
//
// The result is in a field of a TracePacket that Perfetto does not know and skips. Only the version
// of ohframe that wrote a result reads it, so that nothing describes its fields but the model itself.
//
//	result   the field, what is checked
//	content  what is stored in which order, and what its types have
//	codec    how values are written and read, by their types
package result

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/flate"
	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/unpack"
)

// Stored is what a converted trace, or a cache, keeps of an analysis, so that it is not done again.
type Stored struct {
	Timeline *analyzer.Timeline
	// Causes are nil if they were not looked for.
	Causes *why.Causes
	// Lines are the counts of the lines of a text; nil for other inputs.
	Lines *hitrace.Totals
	// Warnings are what could not be read of the input, as far as Timeline, Causes and Lines
	// do not have it.
	Warnings []trace.Warning
}

// PacketField is the number of the field of a TracePacket with the result. Nobody has allocated it: Perfetto uses numbers below
// 1000, and gives those from 1000 on in protos/perfetto/trace/extensions.json. AllocatedField is the number for which
// docs/dev/dependencies.md asks. In a trace that ohframe wrote, a result is read from either; after an allocation, PacketField is to be it.
const (
	PacketField    = 8471
	AllocatedField = 2000
)

// System is the name of the traced system in the first packet of a converted trace. It shows at once that the
// result follows, before the kernel's events.
const System = "OpenHarmony"

// version is that of the order of the content. A change of it, or of the codec, raises it. The schema
// stands for the fields.
const version = 6

// ErrVersion: another version of ohframe wrote the result.
var ErrVersion = errors.New("another version of ohframe wrote the result in the trace")

// Fields of the message in the field.
const (
	resultVersion  = 1 // varint
	resultSchema   = 2 // fixed64
	resultDeflated = 3 // bytes, the content
)

// Field returns the result as an encoded field of a TracePacket, in two parts so that the
// larger one is not copied. The same result gives the same bytes.
func (r *Stored) Field() (head, content []byte) {
	var deflated bytes.Buffer
	z, _ := flate.NewWriter(&deflated, flate.DefaultCompression)
	r.encode(z)
	z.Close() // a bytes.Buffer returns no errors

	var b []byte
	b = protowire.AppendVarint(protowire.AppendTag(b, resultVersion, protowire.VarintType), version)
	b = protowire.AppendFixed64(protowire.AppendTag(b, resultSchema, protowire.Fixed64Type), schema())
	b = protowire.AppendVarint(protowire.AppendTag(b, resultDeflated, protowire.BytesType), uint64(deflated.Len()))
	head = protowire.AppendVarint(protowire.AppendTag(nil, PacketField, protowire.BytesType), uint64(len(b)+deflated.Len()))
	return append(head, b...), deflated.Bytes()
}

// Append appends the result, which is not compressed, to b.
func (r *Stored) Append(b []byte) []byte {
	const perFrame = 128 // about
	c := newCodec(r.Timeline, trace.Limits{})
	c.writing, c.out = true, slices.Grow(b, perFrame*len(r.Timeline.Frames))
	c.content(r)
	return c.out
}

// Format identifies the form of what Append appends. Only a program with the same one reads it.
func Format() string { return fmt.Sprintf("%d-%x", version, schema()) }

func (r *Stored) encode(to io.Writer) {
	c := newCodec(r.Timeline, trace.Limits{})
	c.writing, c.to = true, to
	c.content(r)
	c.flush(true)
}

// Decode returns the result that the field PacketField has. The inflation counts what it
// inflates. The error is ErrVersion, an *unpack.LimitError, or that of damage.
func Decode(b []byte, l trace.Limits, inflation *unpack.Inflation) (*Stored, error) {
	deflated, err := open(b)
	if err != nil {
		return nil, err
	}
	return Read(inflation.Unpacked(flate.NewReader(bytes.NewReader(deflated))), l)
}

// Read returns the result that Append has stored. The error is an *unpack.LimitError, or that of damage or
// of the reader.
func Read(from io.Reader, l trace.Limits) (*Stored, error) {
	r, err := decode(from, l)
	if err != nil {
		return nil, err
	}
	r.Timeline.ShowInteractions()
	if r.Timeline.Validate() != nil || r.Causes != nil && r.Causes.Assumed() != nil {
		return nil, errDamaged
	}
	return r, nil
}

// open returns the deflated content.
func open(b []byte) (deflated []byte, err error) {
	var written, seen uint64
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, errDamaged
		}
		value := b[n:]
		switch {
		case number == resultVersion && wire == protowire.VarintType:
			written, n = protowire.ConsumeVarint(value)
		case number == resultSchema && wire == protowire.Fixed64Type:
			seen, n = protowire.ConsumeFixed64(value)
		case number == resultDeflated && wire == protowire.BytesType:
			deflated, n = protowire.ConsumeBytes(value)
		default:
			n = protowire.ConsumeFieldValue(number, wire, value)
		}
		if n < 0 {
			return nil, errDamaged
		}
		b = value[n:]
	}
	switch {
	case written == 0:
		return nil, errDamaged
	case written != version || seen != schema():
		return nil, ErrVersion
	}
	return deflated, nil
}

// decode reads content. It checks each value, but not what they are together.
func decode(from io.Reader, l trace.Limits) (*Stored, error) {
	r := &Stored{Timeline: &analyzer.Timeline{}}
	c := newCodec(r.Timeline, l)
	c.in = bufio.NewReader(from)
	c.content(r)
	if c.err == nil {
		if _, err := c.in.ReadByte(); err != io.EOF {
			c.failed(cut(err))
		}
	}
	return r, c.err
}
