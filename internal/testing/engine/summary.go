package engine

import (
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// Summary is what Session.Summarize computes of a trace.
type Summary struct {
	// Metrics are the rows of each metric by its id. A row has the dimensions and then
	// the value, as in a Table: nil, int64, float64 or string.
	Metrics  map[string][][]any
	Metadata map[string]string
}

// summaryResult is a TraceSummaryResult message. Perfetto defines what it contains in
// protos/perfetto/trace_summary.
type summaryResult struct {
	summary Summary
	message string // the engine's error, empty on success
}

func (s *summaryResult) set(reply []byte) error {
	s.summary = Summary{map[string][][]any{}, map[string]string{}}
	result, err := fieldsOf(reply)
	if err != nil {
		return err
	}
	for _, message := range result[3] {
		s.message = string(message.bytes)
	}
	for _, summary := range result[1] {
		fields, err := fieldsOf(summary.bytes)
		if err != nil {
			return err
		}
		for _, entry := range fields[2] {
			e, err := fieldsOf(entry.bytes)
			if err != nil {
				return err
			}
			s.summary.Metadata[e.text(1)] = e.text(2)
		}
		for _, bundle := range fields[3] {
			if err := s.addBundle(bundle.bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// addBundle adds the metrics of a TraceMetricV2Bundle: rows with the dimensions and a
// value of each metric.
func (s *summaryResult) addBundle(message []byte) error {
	bundle, err := fieldsOf(message)
	if err != nil {
		return err
	}
	var ids []string
	for _, spec := range bundle[3] {
		fields, err := fieldsOf(spec.bytes)
		if err != nil {
			return err
		}
		ids = append(ids, fields.text(1))
	}
	for _, row := range bundle[2] {
		fields, err := fieldsOf(row.bytes)
		if err != nil {
			return err
		}
		var dimensions []any
		for _, dimension := range fields[2] {
			d, err := fieldsOf(dimension.bytes)
			if err != nil {
				return err
			}
			switch {
			case len(d[1]) > 0:
				dimensions = append(dimensions, d.text(1))
			case len(d[2]) > 0:
				dimensions = append(dimensions, int64(d[2][0].number))
			default:
				dimensions = append(dimensions, nil)
			}
		}
		if len(fields[1]) != len(ids) {
			return fmt.Errorf("%w: %d values for %d metrics", errProtocol, len(fields[1]), len(ids))
		}
		for i, value := range fields[1] {
			v, err := fieldsOf(value.bytes)
			if err != nil {
				return err
			}
			var cell any
			if len(v[2]) > 0 {
				cell = math.Float64frombits(v[2][0].number)
			}
			s.summary.Metrics[ids[i]] = append(s.summary.Metrics[ids[i]], append(slices.Clone(dimensions), cell))
		}
	}
	return nil
}

// message is the fields of a message by number.
type message map[protowire.Number][]field

// field is a value of a field: its bytes, or its number as a varint or as the bits of
// a double.
type field struct {
	bytes  []byte
	number uint64
}

func (m message) text(number protowire.Number) string {
	if len(m[number]) == 0 {
		return ""
	}
	return string(m[number][0].bytes)
}

func fieldsOf(bytes []byte) (message, error) {
	m := message{}
	for len(bytes) > 0 {
		number, kind, n := protowire.ConsumeTag(bytes)
		if n < 0 {
			return nil, fmt.Errorf("%w: %w", errProtocol, protowire.ParseError(n))
		}
		bytes = bytes[n:]
		var f field
		switch kind {
		case protowire.VarintType:
			f.number, n = protowire.ConsumeVarint(bytes)
		case protowire.Fixed64Type:
			f.number, n = protowire.ConsumeFixed64(bytes)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(bytes)
		default:
			n = protowire.ConsumeFieldValue(number, kind, bytes)
		}
		if n < 0 {
			return nil, fmt.Errorf("%w: %w", errProtocol, protowire.ParseError(n))
		}
		bytes = bytes[n:]
		m[number] = append(m[number], f)
	}
	return m, nil
}
