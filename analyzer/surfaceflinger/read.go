package surfaceflinger

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// ErrNotADump: the input is not what `dumpsys SurfaceFlinger --latency` prints.
var ErrNotADump = errors.New("not a dump of SurfaceFlinger's latency")

// ErrNoLayer: the dump has a refresh period and not one row.
var ErrNoLayer = errors.New("only a refresh period: there is no layer of that name; dumpsys SurfaceFlinger --list prints the names")

// ErrNothingShown: all rows are of frames that were not shown.
var ErrNothingShown = errors.New("no frame of the layer was shown")

// Options decide how a dump is read.
type Options struct {
	// Layers are the names of the layers in the order of their dumps, for dumps
	// that no line of text names.
	Layers []string
	// Strict makes a row that is none an error.
	Strict bool
}

// Stats is what was read, layer by layer, in the order of their first dumps.
type Stats struct {
	Layers []*Layer
	// Damaged counts lines that are neither a period nor a row nor a name.
	Damaged int
}

// Layer is what the dumps of one layer have.
type Layer struct {
	Name string
	// Dumps is how many there are; Empty, how many of them have no row.
	Dumps, Empty int
	// Period is the display's refresh period in the last dump, zero if it does
	// not say.
	Period trace.Duration
	// Shown counts frames. Pending rows are of frames that were not shown yet,
	// or of none at all.
	Shown, Pending int
	// Repeated counts rows that a dump before had already.
	Repeated int
	// Unordered counts rows with an earlier present time than the row before.
	Unordered int

	rows []row
	seen map[row]bool
}

// row is a frame of a layer.
type row struct {
	desired, present, ready int64
	period                  trace.Duration
}

// Warnings says in words what a user should know of.
func (s *Stats) Warnings() []string {
	var list []string
	add := func(n int, format string, args ...any) {
		if n > 0 {
			list = append(list, fmt.Sprintf(format, append([]any{n}, args...)...))
		}
	}
	for _, l := range s.Layers {
		add(l.Empty, "%d dumps of %s have no rows: there was no such layer", l.Name)
		add(l.Unordered, "%d rows of %s are not in order of their present times", l.Name)
	}
	add(s.Damaged, "%d lines are neither a refresh period nor a row")
	return list
}

// pending is what stands for the time of a fence that was not signaled.
const pending = math.MaxInt64

// longestPeriod tells periods from times, which are nanoseconds since the device
// was started.
const longestPeriod = int64(trace.Second)

// maxLine bounds lines; a row has 60 bytes.
const maxLine = 64 << 10

// Read reads the dumps in r. Times of the timeline are CLOCK_MONOTONIC. The error
// is ErrNotADump, ErrNoLayer, ErrNothingShown, the reader's, the context's or, in
// strict mode, one that names a line. Stats are there in any case.
func Read(ctx context.Context, r io.Reader, options Options) (*analyzer.Timeline, *Stats, error) {
	p := parser{stats: &Stats{}, options: options}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, maxLine), maxLine)
	for n := 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return nil, p.stats, err
		}
		if !p.line(bytes.TrimSpace(lines.Bytes())) && options.Strict {
			return nil, p.stats, fmt.Errorf("line %d: neither a refresh period nor a row", n)
		}
	}
	if err := lines.Err(); err == bufio.ErrTooLong {
		return nil, p.stats, ErrNotADump
	} else if err != nil {
		return nil, p.stats, err
	}
	if err := p.outcome(); err != nil {
		return nil, p.stats, err
	}
	return timeline(p.stats.Layers), p.stats, nil
}

// parser is where in a dump we are.
type parser struct {
	stats   *Stats
	options Options
	name    string // that a line of text gave to the dump that follows
	layer   *Layer // whose dump this is
	period  trace.Duration
	dumps   int
	rows    int   // of this dump
	last    int64 // present time of the row before
}

// line takes a line and reports whether it is one of a dump.
func (p *parser) line(line []byte) bool {
	numbers, ok := parse(line)
	switch {
	case len(line) == 0:
		return true
	case !ok && isText(line):
		p.name = string(line)
		return true
	case ok && len(numbers) == 1 && numbers[0] >= 0 && numbers[0] <= longestPeriod:
		p.begin(trace.Duration(numbers[0]))
		return true
	case ok && len(numbers) == 3:
		p.row(row{desired: numbers[0], present: numbers[1], ready: numbers[2]})
		return true
	}
	p.stats.Damaged++
	return false
}

// isText reports whether a line may be a layer's name.
func isText(line []byte) bool {
	return utf8.Valid(line) && bytes.IndexFunc(line, unicode.IsControl) < 0
}

// parse returns the numbers of a line and reports whether it is nothing else.
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

// begin begins a dump.
func (p *parser) begin(period trace.Duration) {
	p.end()
	name := p.name
	if name == "" && p.dumps < len(p.options.Layers) {
		name = p.options.Layers[p.dumps]
	}
	p.name, p.period, p.rows, p.last = "", period, 0, 0
	p.dumps++
	p.layer = p.find(name)
	p.layer.Dumps++
	p.layer.Period = period
}

// unnamed is the name of a layer that nothing names.
const unnamed = "layer"

// find returns the layer with the given name.
func (p *parser) find(name string) *Layer {
	if name == "" {
		name = unnamed
	}
	for _, l := range p.stats.Layers {
		if l.Name == name {
			return l
		}
	}
	l := &Layer{Name: name, seen: map[row]bool{}}
	p.stats.Layers = append(p.stats.Layers, l)
	return l
}

// end ends a dump.
func (p *parser) end() {
	if p.layer != nil && p.rows == 0 {
		p.layer.Empty++
	}
}

func (p *parser) row(r row) {
	if p.layer == nil { // the first line was lost
		p.begin(0)
	}
	p.rows++
	l := p.layer
	if r.present <= 0 || r.present == pending {
		l.Pending++
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
	l.seen[r] = true
	r.period = p.period
	l.rows = append(l.rows, r)
	l.Shown++
}

// outcome returns an error if there is nothing to be shown.
func (p *parser) outcome() error {
	p.end()
	rows, shown := 0, 0
	for _, l := range p.stats.Layers {
		rows += l.Shown + l.Repeated + l.Pending
		shown += l.Shown
	}
	switch {
	case p.layer == nil:
		return ErrNotADump
	case rows == 0:
		return ErrNoLayer
	case shown == 0:
		return fmt.Errorf("%w: all %d rows are pending", ErrNothingShown, rows)
	}
	return nil
}
