package gfxinfo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/trace"
	"ohframe/internal/lines"
)

// ErrNotADump: the input is not what `dumpsys gfxinfo` prints.
var ErrNotADump = errors.New("not a dump of gfxinfo")

// ErrNoRows: the dump has no rows of frames. The Dump still has its summaries.
var ErrNoRows = errors.New("no rows of frames in the gfxinfo dump")

// ErrNoFrames: the dump has rows, but none of a frame that was drawn and finished.
var ErrNoFrames = errors.New("no finished frame in the dump")

// Options decide what the dump leaves open.
type Options struct {
	// FrameInterval is the display's refresh period, for dumps that do not state
	// it; until Android 11 none does. Zero is to infer it from the vsyncs, and so
	// is more than a second, which is of no display.
	FrameInterval trace.Duration
	// Strict makes a row that is none an error, and a line that is too long.
	Strict bool
	// Limits bound what is remembered of dumps: Line, Strings, which counts
	// processes and windows, each, Frames, which counts rows, and Examples, which
	// counts packages that are not running.
	Limits limits.Limits
}

// maxName bounds the names that are kept, in bytes.
const maxName = 1023

// Read reads the dumps in r, of one or several processes. Times of the timeline
// are CLOCK_MONOTONIC. The error is ErrNotADump, ErrNoRows, ErrNoFrames, the
// reader's, the context's or, in strict mode, one that names a line. The Dump is
// there in any case.
func Read(ctx context.Context, r io.Reader, options Options) (*analyzer.Timeline, *Dump, error) {
	p := parser{dump: &Dump{limits: options.Limits.WithDefaults(), byKey: map[processKey]*Process{}}}
	in := lines.NewReader(ctx, r, p.dump.limits.Line)
	for in.Next() {
		if options.Strict && in.TooLong > 0 {
			return nil, p.dump, fmt.Errorf("line %d: longer than the limit (--limit line)", in.Number-1)
		}
		if !p.line(in.Line) && options.Strict {
			return nil, p.dump, fmt.Errorf("line %d: damaged row", in.Number)
		}
	}
	p.dump.TooLong = in.TooLong
	if in.Err != nil {
		return nil, p.dump, in.Err
	}
	if options.FrameInterval > trace.Second {
		options.FrameInterval = 0
	}
	if err := p.finish(); err != nil {
		return nil, p.dump, err
	}
	p.dump.findIntervals(options.FrameInterval)
	for _, process := range p.dump.Processes {
		process.judge()
	}
	return timeline(p.dump), p.dump, nil
}

// parser is where in a dump we are.
type parser struct {
	dump     *Dump
	known    bool     // something of a dump was seen
	process  *Process // whose part this is; nil if none was named, or there are too many
	window   *Window  // that was announced; nil if none was, or there are too many
	began    bool     // a process
	opened   bool     // a window
	unnamed  int      // tables of the process that nothing announced
	summary  *Summary // that is being read
	inTable  bool
	unmarked bool    // the table has no mark before it
	header   *header // of the table; nil before
	first    int     // index in window.rows of the table's first row
	votes    int     // by the table's rows for and against swapped columns
	unusable bool    // the table's header is not what is needed
	nameless bool    // the window that was announced has only a key
}

var (
	headMark    = []byte("Applications Graphics Acceleration Info:")
	tableMark   = []byte("---PROFILEDATA---")
	processMark = []byte("** Graphics info for pid ")
	windowMark  = []byte("Window: ")
	packageMark = []byte("Package: ")
	missingMark = []byte("No process found for: ")
	visibility  = []byte(" (visibility=")
)

// line takes a line and reports whether it is in order.
func (p *parser) line(line []byte) bool {
	p.known = p.known || identifies(line)
	if p.inTable && p.unmarked && len(line) > 0 && !isRow(line) {
		p.endTable()
		if bytes.Equal(line, tableMark) { // the first mark is missing
			return true
		}
	}
	switch {
	case bytes.Equal(line, tableMark):
		if p.inTable {
			p.endTable()
		} else {
			p.beginTable()
		}
	case len(line) == 0:
	case p.inTable:
		return p.row(line)
	case isHeader(line):
		p.beginTable()
		p.unmarked = true
		return p.row(line)
	case bytes.HasPrefix(line, processMark):
		pid, name := parseProcess(line[len(processMark):])
		p.begin(pid, name)
	case bytes.HasPrefix(line, packageMark):
		p.begin(trace.UnknownPID, shortened(line[len(packageMark):]))
	case bytes.HasPrefix(line, missingMark):
		if len(p.dump.NotRunning) < p.dump.limits.Examples {
			p.dump.NotRunning = append(p.dump.NotRunning, shortened(line[len(missingMark):]))
		} else {
			p.dump.NotRunningMore++
		}
	case bytes.HasPrefix(line, windowMark):
		name := shortened(line[len(windowMark):])
		if !p.nameless {
			p.announce(name)
		}
		if p.window != nil {
			p.window.Name = name
		}
		p.nameless = false
	case bytes.Contains(line, visibility):
		name, _, _ := bytes.Cut(line, visibility)
		p.announce(shortened(name))
		p.nameless = true
	default:
		p.text(line)
	}
	return true
}

// parseProcess parses "4321 [com.example.app] **".
func parseProcess(b []byte) (trace.PID, string) {
	digits, rest, _ := bytes.Cut(b, []byte(" ["))
	name, _, _ := bytes.Cut(rest, []byte("]"))
	pid, err := strconv.ParseInt(string(digits), 10, 32)
	if err != nil || pid < 0 {
		pid = int64(trace.UnknownPID)
	}
	return trace.PID(pid), shortened(name)
}

func shortened(name []byte) string { return string(name[:min(len(name), maxName)]) }

// begin begins the part of a process.
func (p *parser) begin(pid trace.PID, name string) {
	p.process, p.began, p.unnamed = p.dump.process(pid, name), true, 0
	p.closeWindow()
}

// beginTable begins a table of the window that was announced, or of a new one.
func (p *parser) beginTable() {
	p.announced()
	p.inTable, p.unmarked, p.header, p.unusable = true, false, nil, false
	p.first, p.votes = 0, 0
	if p.window != nil {
		p.first = len(p.window.rows)
	}
}

// endTable ends a table and its window. Only now all rows are known that show
// whether two of the columns are swapped.
func (p *parser) endTable() {
	if p.votes > 0 && p.window != nil {
		for i := range p.window.rows[p.first:] {
			p.window.rows[p.first+i].swap()
		}
	}
	p.inTable = false
	p.closeWindow()
}

// closeWindow ends what is of a window.
func (p *parser) closeWindow() {
	p.window, p.opened, p.summary, p.nameless = nil, false, nil, false
}

// announce takes the name of the window that follows.
func (p *parser) announce(name string) {
	p.open(name)
	if p.window != nil && p.window.Name == "" {
		p.window.Name = name
	}
	p.summary = nil
}

// announced makes a window for a table that nothing announced.
func (p *parser) announced() {
	if !p.opened {
		p.needProcess() // from which on they are counted
		p.unnamed++
		p.open(fmt.Sprintf("#%d", p.unnamed))
	}
}

// open begins a window of the process.
func (p *parser) open(key string) {
	p.needProcess()
	p.window, p.opened = nil, true
	if p.process != nil {
		p.window = p.dump.window(p.process, key)
	}
}

// needProcess makes a process for what stands below none.
func (p *parser) needProcess() {
	if !p.began {
		p.begin(trace.UnknownPID, "")
	}
}

// text takes a line that stands in no table: one of a summary, or of no use.
func (p *parser) text(line []byte) {
	var s Summary
	if !s.parseLine(line) {
		return
	}
	p.needProcess()
	if p.process == nil || p.opened && p.window == nil {
		return
	}
	if _, first := s.Value(TotalFrames); first || p.summary == nil {
		p.summary = &Summary{}
		if p.window != nil {
			p.window.Printed = p.summary
		} else {
			p.process.Printed = p.summary
		}
	}
	p.summary.parseLine(line)
}

// row takes a line of a table and reports whether it is one.
func (p *parser) row(line []byte) bool {
	switch {
	case p.unusable:
		p.dump.Damaged++
		return false
	case p.header == nil:
		h, ok := parseHeader(line)
		if !ok {
			p.unusable = true
			p.dump.Damaged++
			p.dump.Unusable++
			return false
		}
		p.header = &h
		if p.window != nil {
			p.window.has = h
		}
		return true
	}
	r, ok := p.header.parseRow(line)
	if !ok {
		p.dump.Damaged++
		return false
	}
	p.votes += r.votes()
	w := p.window
	switch {
	case p.process == nil:
		p.dump.ProcessesOver++
		return true
	case w == nil:
		p.dump.WindowsOver++
		return true
	case w.seen[r]:
		w.Repeated++
		return true
	case p.dump.rows >= p.dump.limits.Frames:
		p.dump.FramesOver++
		return true
	case r[flags]&notFrames != 0:
		w.Skipped++
		p.dump.flags.add(r[flags])
	case !r.finished():
		w.Unfinished++
	default:
		w.rows = append(w.rows, r)
		w.Frames++
		if r[flags] != 0 {
			w.Flagged++
			p.dump.flags.add(r[flags])
		}
	}
	w.seen[r] = true
	p.dump.rows++
	return true
}

// finish returns an error if there are no frames.
func (p *parser) finish() error {
	if p.inTable {
		p.dump.Cut = !p.unmarked
		p.endTable()
	}
	frames, others := 0, 0
	for _, process := range p.dump.Processes {
		for _, w := range process.Windows {
			frames += w.Frames
			others += w.Skipped + w.Unfinished
		}
	}
	switch {
	case !p.known:
		return ErrNotADump
	case frames > 0:
		return nil
	case others > 0:
		return fmt.Errorf("%w: all %d rows are skipped or unfinished", ErrNoFrames, others)
	case p.dump.Unusable > 0:
		return fmt.Errorf("%w: %d tables lack the column %s or %s", ErrNoRows, p.dump.Unusable, columnNames[intendedVsync], columnNames[frameCompleted])
	case len(p.dump.NotRunning) > 0:
		return fmt.Errorf("%w: %.60q is not running", ErrNoRows, p.dump.NotRunning[0])
	}
	return ErrNoRows
}
