package perfetto

import (
	"bytes"
	"math"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Field numbers of a trace's attributes.
const (
	attributesAttribute = 1 // TraceAttributes.attribute
	attributeKey        = 1 // of Attribute
	attributeLong       = 2
	attributeString     = 3
)

// attributes are what ohframe stores about a trace that it wrote.
type attributes struct {
	ours        bool
	version     string
	offset      trace.Duration
	offsetKnown bool
	source      string
	// causes: ohframe looked for causes of late frames, in the kinds of events that
	// evidence lists.
	causes   bool
	evidence string
}

// add decodes attributes. It returns false if they are malformed.
func (a *attributes) add(payload []byte) bool {
	return eachMessage(payload, attributesAttribute, a.addAttribute)
}

func (a *attributes) addAttribute(b []byte) bool {
	var key, text []byte
	var number int64
	ok := eachField(b, func(f field) {
		switch f.number {
		case attributeKey:
			key = f.bytes
		case attributeLong:
			number = int64(f.value)
		case attributeString:
			text = f.bytes
		}
	})
	name, ours := bytes.CutPrefix(key, []byte("ohframe."))
	if !ok || !ours {
		return ok
	}
	a.ours = true
	switch string(name) {
	case "version":
		a.version = truncated(text, maxName)
	case "clock_offset_ns":
		a.offset, a.offsetKnown = trace.Duration(number), trace.Duration(number).Abs() <= maxTimestamp && number != math.MinInt64
	case "clock_offset_source":
		a.source = truncated(text, maxName)
	case "causes_from":
		a.causes, a.evidence = true, truncated(text, maxName)
	}
	return true
}

// clock returns the clock offset with which the trace was written.
func (a *attributes) clock() analyzer.ClockOffset {
	c := analyzer.ClockOffset{Offset: a.offset, Measured: a.offset}
	for source := analyzer.ClockUnknown; source <= analyzer.ClockGiven; source++ {
		if source.String() == a.source {
			c.Source = source
		}
	}
	return c
}
