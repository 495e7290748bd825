package dumpsys

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// ErrNoLayer: the dump has a refresh period and not one row.
var ErrNoLayer = errors.New("only a refresh period: there is no layer of that name; dumpsys SurfaceFlinger --list prints the names")

// ErrNothingShown: no row has a present time. If no frame is pending either, the
// layer has no buffers.
var ErrNothingShown = errors.New("no frame of the layer was shown")

// Latency describes the layers of the dumps, in the order of their first dumps, and
// what could not be read.
type Latency struct {
	Layers []*Layer
	// Damaged is the number of lines that are neither a period nor a row nor a name,
	// including rows with impossible times.
	Damaged int
	// TooLong, LayersOver and FramesOver are the numbers of lines, of rows of layers
	// and of rows beyond the limits.
	TooLong, LayersOver, FramesOver int

	examples int // maximum number of names in a warning
}

// Layer describes the dumps of a layer.
type Layer struct {
	Name string
	// Dumps is their number. Empty is the number of those without rows.
	Dumps, Empty int
	// Period is the display's refresh period in the last dump, 0 if unknown.
	Period trace.Duration
	// Pending is the number of rows without a present time: unused ones and Waiting
	// frames.
	Pending, Waiting int

	rows []latencyRow
	seen map[latencyRow]bool
}

// latencyRow is a frame of a layer.
type latencyRow struct {
	desired, present, ready int64
	period                  trace.Duration
}

// Warnings describes what was skipped and what is unknown.
func (s *Latency) Warnings() []trace.Warning {
	var list diag.Warnings
	each := func(code trace.WarningCode, of func(*Layer) int, noun, what string) {
		n, names, more := 0, []string{}, 0
		for _, l := range s.Layers {
			if of(l) == 0 {
				continue
			}
			n += of(l)
			if len(names) < s.examples {
				names = append(names, fmt.Sprintf("%.60q", l.Name))
			} else {
				more++
			}
		}
		text := strings.Join(names, ", ")
		if more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		list.Count(code, n, noun, what+": "+text)
	}
	each(trace.WarnMissing, func(l *Layer) int { return l.Empty }, "dump", "without rows, because the layer did not exist")
	each(trace.WarnSkipped, func(l *Layer) int { return l.Waiting }, "frame", "not shown yet skipped")
	each(trace.WarnMissing, func(l *Layer) int {
		if len(l.rows) > 0 && l.Period == 0 {
			return l.Dumps
		}
		return 0
	}, "dump", "without a refresh period")
	list.Count(trace.WarnNotUnderstood, s.Damaged, "line", "with neither a refresh period nor a row skipped")
	list.Count(trace.WarnOverLimit, s.TooLong, "line", "longer than the limit skipped (limit: line)")
	list.Count(trace.WarnOverLimit, s.LayersOver, "row", "of layers beyond the limit skipped (limit: threads)")
	list.Count(trace.WarnOverLimit, s.FramesOver, "row", "beyond the limit skipped (limit: frames)")
	return list
}

// pending is the time of a fence that was not signaled yet.
const pending = math.MaxInt64

// A refresh period is between 1 ms, since no display refreshes at 1000 Hz, and 1 s,
// of a display that slows down while nothing changes. A larger number would be a
// time in nanoseconds since boot. 0 is an unknown period.
//
// A file without rows is a dump only if its period is at most longestAlone, that of
// a display at 10 Hz. Otherwise the number may be anything.
const (
	shortestPeriod = int64(trace.Millisecond)
	longestPeriod  = int64(trace.Second)
	longestAlone   = int64(100 * trace.Millisecond)
)

// isPeriod reports whether the line with the given numbers is a refresh period.
// Android prints it without a sign and without leading zeros.
func isPeriod(line []byte, numbers []int64) bool {
	if len(numbers) != 1 {
		return false
	}
	first, n := bytes.TrimSpace(line)[0], numbers[0]
	return n == 0 || first >= '1' && first <= '9' && n >= shortestPeriod && n <= longestPeriod
}

// SniffLatency reports whether the input that begins with head is a dump of latencies: a
// refresh period that is followed by a row or, if it is between 1 and 100 ms, by
// nothing. A kilobyte is enough.
func SniffLatency(head []byte) bool {
	period, alone, zero, names := false, false, false, 0
	for line := range bytes.Lines(head) {
		whole := line[len(line)-1] == '\n'
		line = bytes.TrimSpace(line)
		numbers, ok := parse(line)
		switch {
		case len(line) == 0:
		case ok && len(numbers) == 3 && (period || zero), ok && alone && !whole:
			return true
		case ok && isPeriod(line, numbers) && numbers[0] > 0:
			period, zero, names = true, false, 0
			alone = alone || numbers[0] <= longestAlone
		case ok && isPeriod(line, numbers) && !zero && !period:
			zero, names = true, 0 // a period only if a row follows
		case ok || names == maxNames || !isName(line):
			return false
		default:
			names++
		}
	}
	return alone
}

// maxNames is the number of lines of text that may precede a dump: the name of the
// layer and the command.
const maxNames = 2

// ReadLatency reads the dumps in r. Times of the timeline are CLOCK_MONOTONIC. The error is
// ErrNoLayer or ErrNothingShown, or that of r or of the context. The Latency are never nil.
func ReadLatency(ctx context.Context, r io.Reader, options Options) (*analyzer.Timeline, *Latency, error) {
	limits := options.Limits.WithDefaults()
	p := latencyParser{stats: &Latency{examples: limits.Examples}, limits: limits, layers: map[string]*Layer{}}
	var err error
	p.stats.TooLong, err = eachLine(ctx, r, limits.Line, p.line)
	if err != nil {
		return nil, p.stats, err
	}
	if err := p.outcome(); err != nil {
		return nil, p.stats, err
	}
	return timeline(p.stats.Layers), p.stats, nil
}

// latencyParser parses dumps line by line.
type latencyParser struct {
	stats  *Latency
	limits trace.Limits
	name   string // the last line of text, which names the next dump
	began  bool   // there is a current dump
	layer  *Layer // of the current dump; nil beyond the limit
	period trace.Duration
	rows   int // of the current dump
	layers map[string]*Layer
	frames int // of all layers
}

// line parses a line.
func (p *latencyParser) line(line []byte) {
	numbers, ok := parse(line)
	switch {
	case len(line) == 0:
	case !ok && isName(line):
		p.name = string(line[:min(len(line), maxName)])
	case ok && isPeriod(line, numbers):
		p.begin(trace.Duration(numbers[0]))
	case ok && len(numbers) == 3 && (numbers[1] <= trace.MaxTime || numbers[1] == pending):
		p.row(latencyRow{desired: numbers[0], present: numbers[1], ready: numbers[2]})
	default:
		p.stats.Damaged++
	}
}

// isName reports whether a line can be the name of a layer.
func isName(line []byte) bool {
	return utf8.Valid(line) && bytes.IndexFunc(line, unicode.IsControl) < 0
}

// parse returns the numbers of a line and reports whether it consists of numbers.
func parse(line []byte) ([]int64, bool) {
	var numbers []int64
	for field := range bytes.FieldsSeq(line) {
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, len(numbers) > 0
}

// unnamed is the name of a layer without a name.
const unnamed = "layer"

// begin starts a dump.
func (p *latencyParser) begin(period trace.Duration) {
	p.end()
	name := cmp.Or(p.name, unnamed)
	p.name, p.period, p.rows, p.began = "", period, 0, true
	p.layer = p.layers[name]
	if p.layer == nil && len(p.layers) < p.limits.Threads {
		p.layer = &Layer{Name: name, seen: map[latencyRow]bool{}}
		p.layers[name] = p.layer
		p.stats.Layers = append(p.stats.Layers, p.layer)
	}
	if p.layer != nil {
		p.layer.Dumps++
		p.layer.Period = period
	}
}

// end ends a dump.
func (p *latencyParser) end() {
	if p.layer != nil && p.rows == 0 {
		p.layer.Empty++
	}
}

func (p *latencyParser) row(r latencyRow) {
	if !p.began { // the line with the period is missing
		p.begin(0)
	}
	p.rows++
	l := p.layer
	switch {
	case l == nil:
		p.stats.LayersOver++
	case r.present == pending:
		l.Pending++
		l.Waiting++
	case r.present <= 0:
		l.Pending++
	case l.seen[r]: // in an earlier dump
	case p.frames >= p.limits.Frames:
		p.stats.FramesOver++
	default:
		p.frames++
		l.seen[r] = true
		r.period = p.period
		l.rows = append(l.rows, r)
	}
}

// outcome returns an error if there are no frames.
func (p *latencyParser) outcome() error {
	p.end()
	pending, waiting := 0, 0
	for _, l := range p.stats.Layers {
		if len(l.rows) > 0 {
			return nil
		}
		pending += l.Pending
		waiting += l.Waiting
	}
	switch {
	case pending == 0:
		return ErrNoLayer
	case waiting == 0:
		return fmt.Errorf("%w: %s without a present time", ErrNothingShown, diag.Count(pending, "row"))
	}
	return fmt.Errorf("%w: %d of %s pending", ErrNothingShown, waiting, diag.Count(pending, "row"))
}
