package surfaceflinger

import (
	"bytes"
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
	"ohframe/internal/plural"
	"ohframe/internal/source/lines"
)

// ErrNotADump: the input is not what `dumpsys SurfaceFlinger --latency` prints.
var ErrNotADump = errors.New("not a dump of SurfaceFlinger's latency")

// ErrNoLayer: the dump has a refresh period, of 1 to 100 ms, and not one row.
var ErrNoLayer = errors.New("only a refresh period: there is no layer of that name; dumpsys SurfaceFlinger --list prints the names")

// ErrNothingShown: no row has a present time. If no frame is pending either, the
// layer has no buffers.
var ErrNothingShown = errors.New("no frame of the layer was shown")

// Options are the options of Read.
type Options struct {
	// Layers are the names of the layers in the order of their dumps, for dumps
	// without a name.
	Layers []string
	// Strict turns malformed rows and lines beyond the limit into errors.
	Strict bool
	// Limits limit memory: Line; Threads, for the number of layers; Frames, for the
	// number of frames; and Examples, for the number of names in a warning.
	Limits trace.Limits
}

// Stats describes the layers of the dumps, in the order of their first dumps, and
// what could not be read.
type Stats struct {
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
	// Shown is the number of frames. Pending is the number of rows without a present
	// time: unused ones and Waiting frames.
	Shown, Pending, Waiting int
	// Repeated is the number of rows that are also in an earlier dump.
	Repeated int
	// Unordered is the number of rows with an earlier present time than the previous
	// row's.
	Unordered int

	rows []row
	seen map[row]bool
}

// row is a frame of a layer.
type row struct {
	desired, present, ready int64
	period                  trace.Duration
}

// Warnings describes what was skipped and what is unknown.
func (s *Stats) Warnings() []string {
	var list []string
	add := func(n int, noun, what string) {
		if n > 0 {
			list = append(list, plural.Count(n, noun)+" "+what)
		}
	}
	each := func(of func(*Layer) int, noun, what string) {
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
		add(n, noun, what+": "+text)
	}
	each(func(l *Layer) int { return l.Empty }, "dump", "without rows, because the layer did not exist")
	each(func(l *Layer) int { return l.Waiting }, "frame", "not shown yet skipped")
	each(func(l *Layer) int { return l.Unordered }, "row", "out of the order of present times")
	each(func(l *Layer) int {
		if l.Shown > 0 && l.Period == 0 {
			return l.Dumps
		}
		return 0
	}, "dump", "without a refresh period")
	add(s.Damaged, "line", "with neither a refresh period nor a row skipped")
	add(s.TooLong, "line", "longer than the limit skipped (limit: line)")
	add(s.LayersOver, "row", "of layers beyond the limit skipped (limit: threads)")
	add(s.FramesOver, "row", "beyond the limit skipped (limit: frames)")
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

// isAlone reports whether a period without rows is a dump.
func isAlone(period int64) bool { return period >= shortestPeriod && period <= longestAlone }

// maxName is the maximum length of a name in bytes.
const maxName = 1023

// Read reads the dumps in r. Times of the timeline are CLOCK_MONOTONIC. The error is
// ErrNotADump, ErrNoLayer or ErrNothingShown, that of r or of the context, or, in
// strict mode, one that names a line. The Stats are never nil.
func Read(ctx context.Context, r io.Reader, options Options) (*analyzer.Timeline, *Stats, error) {
	options.Limits = options.Limits.WithDefaults()
	p := parser{stats: &Stats{examples: options.Limits.Examples}, options: options, layers: map[string]*Layer{}}
	in := lines.NewReader(ctx, r, options.Limits.Line)
	for in.Next() {
		if options.Strict && in.TooLong > 0 {
			return nil, p.stats, fmt.Errorf("line %d: longer than the limit (limit: line)", in.Number-1)
		}
		if !p.line(in.Line) && options.Strict {
			return nil, p.stats, fmt.Errorf("line %d: neither a refresh period nor a row", in.Number)
		}
	}
	p.stats.TooLong = in.TooLong
	if in.Err != nil {
		return nil, p.stats, in.Err
	}
	if err := p.outcome(); err != nil {
		return nil, p.stats, err
	}
	return timeline(p.stats.Layers), p.stats, nil
}

// parser parses dumps line by line.
type parser struct {
	stats   *Stats
	options Options
	name    string // the last line of text, which names the next dump
	layer   *Layer // of the current dump
	period  trace.Duration
	dumps   int
	sure    bool  // a row, or a period that is a dump alone, was read
	rows    int   // of the current dump
	last    int64 // present time of the previous row
	layers  map[string]*Layer
	frames  int // of all layers
}

// line parses a line and reports whether it belongs to a dump.
func (p *parser) line(line []byte) bool {
	numbers, ok := parse(line)
	p.sure = p.sure || len(numbers) == 3
	switch {
	case len(line) == 0:
		return true
	case !ok && isName(line):
		p.name = string(line[:min(len(line), maxName)])
		return true
	case ok && isPeriod(line, numbers):
		p.begin(trace.Duration(numbers[0]))
		return true
	case ok && len(numbers) == 3 && (numbers[1] <= trace.MaxTime || numbers[1] == pending):
		p.row(row{desired: numbers[0], present: numbers[1], ready: numbers[2]})
		return true
	}
	p.stats.Damaged++
	return false
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

// begin starts a dump.
func (p *parser) begin(period trace.Duration) {
	p.end()
	name := p.name
	if name == "" && p.dumps < len(p.options.Layers) {
		name = p.options.Layers[p.dumps]
	}
	p.name, p.period, p.rows, p.last = "", period, 0, 0
	p.dumps++
	p.sure = p.sure || isAlone(int64(period))
	p.layer = p.find(name)
	if p.layer != nil {
		p.layer.Dumps++
		p.layer.Period = period
	}
}

// unnamed is the name of a layer without a name.
const unnamed = "layer"

// find returns the layer with the given name. It adds the layer if necessary, and
// returns nil beyond the limit.
func (p *parser) find(name string) *Layer {
	if name == "" {
		name = unnamed
	}
	l := p.layers[name]
	if l == nil && len(p.layers) < p.options.Limits.Threads {
		l = &Layer{Name: name, seen: map[row]bool{}}
		p.layers[name] = l
		p.stats.Layers = append(p.stats.Layers, l)
	}
	return l
}

// end ends a dump.
func (p *parser) end() {
	if p.layer != nil && p.rows == 0 {
		p.layer.Empty++
	}
}

func (p *parser) row(r row) {
	if p.dumps == 0 { // the line with the period is missing
		p.begin(0)
	}
	p.rows++
	l := p.layer
	if l == nil {
		p.stats.LayersOver++
		return
	}
	if r.present <= 0 || r.present == pending {
		l.Pending++
		if r.present == pending {
			l.Waiting++
		}
		return
	}
	if r.present < p.last {
		l.Unordered++
	}
	p.last = r.present
	if l.seen[r] {
		l.Repeated++
		return
	}
	if p.frames >= p.options.Limits.Frames {
		p.stats.FramesOver++
		return
	}
	p.frames++
	l.seen[r] = true
	r.period = p.period
	l.rows = append(l.rows, r)
	l.Shown++
}

// outcome returns an error if there are no frames.
func (p *parser) outcome() error {
	p.end()
	rows, shown, waiting := 0, 0, 0
	for _, l := range p.stats.Layers {
		rows += l.Shown + l.Repeated + l.Pending
		shown += l.Shown
		waiting += l.Waiting
	}
	switch {
	case !p.sure || p.dumps == 0:
		return ErrNotADump
	case rows == 0:
		return ErrNoLayer
	case shown == 0 && waiting == 0:
		return fmt.Errorf("%w: %s without a present time", ErrNothingShown, plural.Count(rows, "row"))
	case shown == 0:
		return fmt.Errorf("%w: %d of %s pending", ErrNothingShown, waiting, plural.Count(rows, "row"))
	}
	return nil
}
