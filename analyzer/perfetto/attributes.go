package perfetto

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/protos/perfettopb"
)

// attributes is what ohframe says of a trace that it wrote.
type attributes struct {
	ours        bool
	version     string
	offset      trace.Duration
	offsetKnown bool
	source      string
	renumbered  int64 // frames whose token is not their vsync id
}

// add takes a trace's attributes and reports whether they could be decoded.
func (a *attributes) add(payload []byte) bool {
	var list perfettopb.TraceAttributes
	if err := proto.Unmarshal(payload, &list); err != nil {
		return false
	}
	for _, attribute := range list.Attribute {
		name, ours := strings.CutPrefix(attribute.GetKey(), "ohframe.")
		if !ours {
			continue
		}
		a.ours = true
		switch name {
		case "version":
			a.version = attribute.GetStringValue()
		case "clock_offset_ns":
			a.offset, a.offsetKnown = trace.Duration(attribute.GetLongValue()), true
		case "clock_offset_source":
			a.source = attribute.GetStringValue()
		case "frames_renumbered":
			a.renumbered = attribute.GetLongValue()
		}
	}
	return true
}

// clock returns the clock offset that the trace was written with.
func (a *attributes) clock() analyzer.ClockOffset {
	c := analyzer.ClockOffset{Offset: a.offset, Measured: a.offset}
	for source := analyzer.ClockUnknown; source <= analyzer.ClockGiven; source++ {
		if source.String() == a.source {
			c.Source = source
		}
	}
	return c
}
