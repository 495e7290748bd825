package perfetto

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/annotation"
)

// Field numbers of a trace's attributes.
const (
	attributesAttribute = 1 // TraceAttributes.attribute
	attributeKey        = 1 // of Attribute
	attributeLong       = 2
	attributeString     = 3
)

// maxQuality is the longest statement about the data quality that is read.
const maxQuality = 64 << 10

// attributes are what ohframe stores about a trace that it wrote.
type attributes struct {
	ours        bool
	version     string
	offset      trace.Duration
	offsetKnown bool
	source      string
	span        analyzer.Interval // of the trace that was converted
	truncated   []truncatedFrame
	parts       []analyzer.Interval
	quality     string
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
		a.offset, a.offsetKnown = trace.Duration(number), trace.Duration(number).Abs() <= trace.MaxTime && number != math.MinInt64
	case "start_ns":
		a.span.Start = value{number: number}.time()
	case "end_ns":
		a.span.End = value{number: number}.time()
	case "truncated":
		a.truncated = parseTruncated(string(text))
	case "parts":
		a.parts = parseParts(string(text))
	case "clock_offset_source":
		a.source = truncated(text, maxName)
	case "quality_reasons":
		if len(text) <= maxQuality {
			a.quality = string(text)
		}
	case "causes_from":
		a.causes, a.evidence = true, truncated(text, maxName)
	}
	return true
}

// truncatedFrame is a truncated frame, which has no slice.
type truncatedFrame struct {
	kind   analyzer.Kind
	pid    trace.PID
	tid    trace.TID
	vsync  int64
	actual analyzer.Interval
}

// parseTruncated parses what the exporter wrote. It leaves out what is malformed.
func parseTruncated(text string) []truncatedFrame {
	var list []truncatedFrame
	for _, field := range strings.SplitN(text, "; ", annotation.MaxTruncated) {
		var kind string
		var f truncatedFrame
		n, _ := fmt.Sscanf(field, "%s %d %d %d %d %d", &kind, &f.pid, &f.tid, &f.vsync, &f.actual.Start, &f.actual.End)
		switch kind {
		case analyzer.ApplicationFrame.String():
			f.kind = analyzer.ApplicationFrame
		case analyzer.RenderFrame.String():
			f.kind = analyzer.RenderFrame
		default:
			continue
		}
		if n == 6 && f.pid >= 0 && f.tid >= 0 && f.vsync >= 0 && f.actual.Start >= 0 && f.actual.End >= f.actual.Start && f.actual.End <= trace.MaxTime {
			list = append(list, f)
		}
	}
	return list
}

// parseParts parses what the exporter wrote. It leaves out what is malformed.
func parseParts(text string) []analyzer.Interval {
	var list []analyzer.Interval
	for _, field := range strings.SplitN(text, "; ", annotation.MaxParts) {
		var span analyzer.Interval
		n, _ := fmt.Sscanf(field, "%d %d", &span.Start, &span.End)
		if n == 2 && span.Start >= 0 && span.End >= span.Start && span.End <= trace.MaxTime {
			list = append(list, span)
		}
	}
	return list
}

// addTruncated adds the truncated frames of the trace that was converted, and sets the span
// to that trace's. Perfetto's frame timeline has neither.
func (d *decoder) addTruncated(t *analyzer.Timeline) {
	for _, r := range d.attributes.truncated {
		if p := d.processes.process(r.pid); p != nil {
			t.Frames = append(t.Frames, &analyzer.Frame{Kind: r.kind, Process: p, TID: r.tid, VsyncID: r.vsync, Actual: r.actual, Facts: analyzer.Truncated, Android: &analyzer.Android{}})
		}
	}
	slices.SortStableFunc(t.Frames, func(a, b *analyzer.Frame) int { return cmp.Compare(a.Actual.Start, b.Actual.Start) })
	span := d.attributes.span
	inside := func(f *analyzer.Frame) bool { return span.Start <= f.Actual.Start && f.Actual.End <= span.End }
	if span.Known() && !slices.ContainsFunc(t.Frames, func(f *analyzer.Frame) bool { return !inside(f) }) {
		t.Span = span
	}
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
