// Package result stores the result of an analysis in a converted trace, and reads it. So
// commands give the same output for the converted trace as for the original.
//
//	Timeline, Causes, Totals ──▶ Field ──▶ converted trace ──▶ Decode ──▶ Timeline, Causes, Totals
//
// The result is a message of ohframe's own, protos/ohframe/result.proto, in a field of a
// TracePacket that Perfetto does not know and skips.
package result

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"
	"github.com/zeebo/xxh3"
	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/inflation"
	"ohframe/internal/source/hitrace"
)

// Result is the result of an analysis.
type Result struct {
	Timeline *analyzer.Timeline
	// Causes are nil if they were not looked for.
	Causes *why.Causes
	// Lines are the counts of the lines of a text; nil for other inputs.
	Lines *hitrace.Totals
	// Warnings are what could not be read of the input, as far as Timeline, Causes and Lines
	// do not have it.
	Warnings []trace.Warning
}

// PacketField is the number of the field of a TracePacket with the result. Perfetto uses
// numbers below 1000 and has reserved those to 1999 for extensions.
const PacketField = 8471

// version is the version of the schema. A change of what a field or a number means raises it.
// Fields can be added without that, but not times: the time that follows is relative to them.
const version = 4

// ErrVersion: another version of ohframe wrote the result.
var ErrVersion = errors.New("another version of ohframe wrote the result in the trace")

// Fields of the messages Result and Content.
const (
	resultVersion  = 1
	resultCodes    = 2
	resultDeflated = 3

	contentText        = 1
	contentTimeline    = 2
	contentTotals      = 3
	contentFrame       = 4
	contentLinks       = 5
	contentCauses      = 6
	contentExplanation = 7
	contentWarning     = 8
	contentResponse    = 9
	contentLayer       = 10
	contentBuffer      = 11
	contentLateBuffer  = 12
)

// codes identifies the meaning of the numbers of stages, waits and the like. They may change
// from one version of ohframe to another.
var codes = sync.OnceValue(func() uint64 {
	var s strings.Builder
	for i := range why.StageCount {
		fmt.Fprintln(&s, why.Stage(i))
	}
	for i := range why.WaitCount {
		fmt.Fprintln(&s, why.Wait(i))
	}
	for i := range why.AdviceCount {
		fmt.Fprintln(&s, why.Advice(i))
	}
	for i := why.NotLate; i <= why.NotKnown; i++ {
		fmt.Fprintln(&s, i)
	}
	for i := why.SamePeriod; i <= why.Budget; i++ {
		fmt.Fprintln(&s, i)
	}
	for i := range why.MissingCount {
		fmt.Fprintln(&s, why.Missing(i))
	}
	for i := range why.PickUpReasonCount {
		fmt.Fprintln(&s, why.PickUpReason(i))
	}
	for i := range why.BufferReasonCount {
		fmt.Fprintln(&s, why.BufferReason(i))
	}
	for i := range analyzer.FrameworkCount {
		fmt.Fprintln(&s, analyzer.Framework(i))
	}
	for i := analyzer.Waiting; i <= analyzer.Discarded; i++ {
		fmt.Fprintln(&s, i)
	}
	for i := analyzer.Unpaced; i <= analyzer.Late; i++ {
		fmt.Fprintln(&s, i)
	}
	return xxh3.HashString(s.String())
})

// Field returns the result as an encoded field of a TracePacket, in two parts so that the
// larger one is not copied. The same result gives the same bytes.
func (r *Result) Field() (head, content []byte) {
	var deflated bytes.Buffer
	z, _ := flate.NewWriter(&deflated, flate.DefaultCompression)
	w := &writer{coder: newCoder(r.Timeline, trace.Limits{}), to: z}
	w.writing = true
	w.content(r)
	z.Close() // a bytes.Buffer returns no errors

	var b []byte
	b = protowire.AppendVarint(protowire.AppendTag(b, resultVersion, protowire.VarintType), version)
	b = protowire.AppendFixed64(protowire.AppendTag(b, resultCodes, protowire.Fixed64Type), codes())
	b = protowire.AppendVarint(protowire.AppendTag(b, resultDeflated, protowire.BytesType), uint64(deflated.Len()))
	head = protowire.AppendVarint(protowire.AppendTag(nil, PacketField, protowire.BytesType), uint64(len(b)+deflated.Len()))
	return append(head, b...), deflated.Bytes()
}

func newCoder(t *analyzer.Timeline, l trace.Limits) *coder {
	return &coder{
		limits: l, numbers: map[string]int{}, timeline: t,
		index: map[*analyzer.Frame]int{}, process: map[*analyzer.Process]int{},
	}
}

// writer writes the fields of Content.
type writer struct {
	*coder
	to    io.Writer
	layer layerCoder
}

func (w *writer) content(r *Result) {
	t := r.Timeline
	for i, f := range t.Frames {
		w.index[f] = i
	}
	w.field(contentTimeline, func(m *message) { describeTimeline(m, t) })
	if r.Lines != nil {
		w.field(contentTotals, func(m *message) { describeTotals(m, r.Lines) })
	}
	for _, warning := range r.Warnings {
		w.field(contentWarning, func(m *message) { describeWarning(m, &warning) })
	}
	for i, f := range t.Frames {
		if i > 0 {
			w.at(i - 1)
		}
		w.field(contentFrame, func(m *message) { describeFrame(m, f) })
	}
	for i, f := range t.Frames {
		w.at(i)
		w.field(contentLinks, func(m *message) { describeLinks(m, f) })
	}
	w.current = 0
	for _, l := range t.Layers {
		w.field(contentLayer, func(m *message) { describeLayer(m, l) })
		w.layer = layerCoder{}
		for _, b := range l.Buffers {
			w.field(contentBuffer, func(m *message) { w.layer.describeBuffer(m, b) })
		}
	}
	if r.Causes == nil {
		return
	}
	w.field(contentCauses, func(m *message) { describeCauses(m, r.Causes) })
	w.current = 0
	for _, f := range t.Frames {
		if e := r.Causes.Frames[f]; e != nil {
			w.field(contentExplanation, func(m *message) { describeExplanation(m, e) })
		}
	}
	for i, interaction := range t.Interactions {
		if response := r.Causes.Responses[interaction]; response != nil {
			w.field(contentResponse, func(m *message) { describeResponse(m, response, i) })
		}
	}
	if len(r.Causes.Buffers) == 0 {
		return
	}
	for i, layer := range t.Layers {
		for n, b := range layer.Buffers {
			if late := r.Causes.Buffers[b]; late != nil {
				due := slices.Index(layer.Buffers, late.Due)
				w.field(contentLateBuffer, func(m *message) { describeLateBuffer(m, late, i, n, due) })
			}
		}
	}
}

// field writes a field, and before it the texts that it is the first to have.
func (w *writer) field(number protowire.Number, describe func(*message)) {
	w.out = w.out[:0]
	describe(&message{coder: w.coder})
	var head []byte
	for ; w.sent < len(w.texts); w.sent++ {
		head = protowire.AppendString(protowire.AppendTag(head, contentText, protowire.BytesType), w.texts[w.sent])
	}
	head = protowire.AppendVarint(protowire.AppendTag(head, number, protowire.BytesType), uint64(len(w.out)))
	w.to.Write(head)
	w.to.Write(w.out)
}

// Decode returns the result that the field PacketField has. The inflation counts what it
// inflates. The error is ErrVersion, an *inflation.Error, or that of damage.
func Decode(b []byte, l trace.Limits, inflation *inflation.Counter) (*Result, error) {
	var written, seen uint64
	var deflated []byte
	m := message{coder: &coder{}, in: b}
	if m.next(resultVersion) {
		written = m.value
	}
	if m.next(resultCodes) {
		seen = m.value
	}
	if m.next(resultDeflated) {
		deflated = m.bytes
	}
	switch {
	case m.err != nil || written == 0:
		return nil, errDamaged
	case written != version || seen != codes():
		return nil, ErrVersion
	}
	r := &reader{coder: newCoder(&analyzer.Timeline{}, l.WithDefaults())}
	if err := r.content(inflation.Unpacked(flate.NewReader(bytes.NewReader(deflated)))); err != nil {
		return nil, err
	}
	r.timeline.ShowInteractions()
	if r.timeline.Validate() != nil {
		return nil, errDamaged
	}
	if c := r.result.Causes; c != nil {
		for _, response := range c.Responses {
			if response.Validate() != nil {
				return nil, errDamaged
			}
		}
		for h, x := range c.Hangs {
			if x.Validate(h) != nil {
				return nil, errDamaged
			}
		}
		for _, late := range c.Buffers {
			if late.Validate() != nil {
				return nil, errDamaged
			}
		}
	}
	return &r.result, nil
}

// reader reads the fields of Content.
type reader struct {
	*coder
	result Result
	linked int // frames with their links
	layer  layerCoder
}

func (r *reader) content(from io.Reader) error {
	r.result.Timeline = r.timeline
	in := bufio.NewReader(from)
	var field bytes.Buffer
	for r.err == nil {
		number, err := readField(in, &field)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		r.field(number, &message{coder: r.coder, in: field.Bytes()})
	}
	if r.err == nil && r.linked != len(r.timeline.Frames) {
		r.fail()
	}
	return r.err
}

// readField reads a field into a buffer. The error is io.EOF if there is no further field.
func readField(in *bufio.Reader, field *bytes.Buffer) (protowire.Number, error) {
	tag, err := readVarint(in)
	if err != nil {
		return 0, err
	}
	size, err := readVarint(in)
	number, wire := protowire.DecodeTag(tag)
	if err == nil && (wire != protowire.BytesType || size > maxField) {
		err = errDamaged
	}
	if err == nil {
		field.Reset()
		_, err = io.CopyN(field, in, int64(size))
	}
	if err == io.EOF {
		err = errDamaged
	}
	return number, err
}

// maxField bounds the fields that are read, in bytes. The largest is that of the timeline,
// with all processes and threads.
const maxField = 64 << 20

// maxWarnings is above the number of warnings of any input.
const maxWarnings = 1000

func readVarint(in *bufio.Reader) (uint64, error) {
	head, err := in.Peek(protowire.SizeVarint(1<<64 - 1))
	if len(head) == 0 {
		return 0, err
	}
	v, n := protowire.ConsumeVarint(head)
	if n < 0 {
		return 0, errDamaged
	}
	_, err = in.Discard(n)
	return v, err
}

// field reads a field of Content.
func (r *reader) field(number protowire.Number, m *message) {
	switch number {
	case contentText:
		if len(m.in) > r.limits.Line {
			r.err = &inflation.Error{Limit: "line", What: "the result in the trace has a longer text than is read"}
		}
		if r.spend() {
			r.texts = append(r.texts, string(m.in))
		}
	case contentTimeline:
		if len(r.timeline.Frames)+len(r.timeline.Processes) > 0 {
			r.fail()
			return
		}
		describeTimeline(m, r.timeline)
	case contentTotals:
		if r.result.Lines != nil {
			r.fail()
			return
		}
		r.result.Lines = &hitrace.Totals{}
		describeTotals(m, r.result.Lines)
	case contentWarning:
		var warning trace.Warning
		if describeWarning(m, &warning); warning.Text == "" || len(r.result.Warnings) == maxWarnings {
			r.fail()
			return
		}
		r.result.Warnings = append(r.result.Warnings, warning)
	case contentFrame:
		if len(r.timeline.Frames) == r.limits.Frames {
			r.err = &inflation.Error{Limit: "frames", What: "the result in the trace has more frames than are read"}
			return
		}
		f := &analyzer.Frame{}
		if n := len(r.timeline.Frames); n > 0 {
			r.at(n - 1)
		}
		describeFrame(m, f)
		r.index[f] = len(r.timeline.Frames)
		r.timeline.Frames = append(r.timeline.Frames, f)
	case contentLinks:
		if r.linked == len(r.timeline.Frames) {
			r.fail()
			return
		}
		r.at(r.linked)
		describeLinks(m, r.timeline.Frames[r.linked])
		if r.linked++; r.linked == len(r.timeline.Frames) {
			r.current = 0
		}
	case contentLayer:
		if !r.spend() {
			return
		}
		l := &analyzer.Layer{}
		describeLayer(m, l)
		r.timeline.Layers = append(r.timeline.Layers, l)
		r.layer = layerCoder{}
	case contentBuffer:
		n := len(r.timeline.Layers)
		if n == 0 {
			r.fail()
		}
		if !r.spend() {
			return
		}
		l := r.timeline.Layers[n-1]
		b := &analyzer.Buffer{Layer: l}
		r.layer.describeBuffer(m, b)
		l.Buffers = append(l.Buffers, b)
	case contentCauses:
		if r.result.Causes != nil {
			r.fail()
			return
		}
		r.result.Causes = &why.Causes{Frames: map[*analyzer.Frame]*why.Explanation{}}
		describeCauses(m, r.result.Causes)
		r.current = 0
	case contentExplanation:
		e := &why.Explanation{}
		describeExplanation(m, e)
		if r.err == nil {
			r.check(e)
		}
		if r.err == nil {
			r.result.Causes.Frames[e.Frame] = e
		}
	case contentResponse:
		response := &why.Response{}
		if describeResponse(m, response, 0); r.err != nil {
			return
		}
		c := r.result.Causes
		if c == nil || c.Responses[response.Interaction] != nil || len(response.Steps) == 0 {
			r.fail()
			return
		}
		if c.Responses == nil {
			c.Responses = map[*analyzer.Interaction]*why.Response{}
		}
		c.Responses[response.Interaction] = response
	case contentLateBuffer:
		late := &why.LateBuffer{}
		if describeLateBuffer(m, late, 0, 0, 0); r.err != nil {
			return
		}
		c := r.result.Causes
		if c == nil || c.Buffers[late.Buffer] != nil {
			r.fail()
			return
		}
		if c.Buffers == nil {
			c.Buffers = map[*analyzer.Buffer]*why.LateBuffer{}
		}
		c.Buffers[late.Buffer] = late
	}
}

// check checks what is assumed of explanations.
func (r *reader) check(e *why.Explanation) {
	late := e.Outcome != why.NotLate
	switch p := e.PickUp; {
	case r.result.Causes == nil || r.result.Causes.Frames[e.Frame] != nil,
		e.Overrun != e.Frame.Overrun() || late != e.Frame.Late(),
		late && e.Outcome != why.NotKnown && len(e.Shares) == 0,
		e.Outcome == why.KnockOn && e.Shares[0].Earlier == nil,
		p != nil && (e.Frame.Render == nil || p.Reason == why.RenderBusy && p.Share == nil):
		r.fail()
	}
}
