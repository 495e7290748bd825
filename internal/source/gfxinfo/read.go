package gfxinfo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/plural"
	"ohframe/internal/source/lines"
)

// ErrNotADump: the input is not the output of `dumpsys gfxinfo`.
var ErrNotADump = errors.New("not a dump of gfxinfo")

// ErrNoRows: the dump has no rows of frames.
var ErrNoRows = errors.New("no rows of frames in the gfxinfo dump")

// ErrNoFrames: the dump has rows, but none of a frame that was drawn and finished.
var ErrNoFrames = errors.New("no finished frame in the dump")

// Options are the options of Read.
type Options struct {
	// FrameInterval is the display's refresh period, for dumps without one, such as those
	// up to Android 11. If it is 0 or more than a second, it is inferred from the vsyncs.
	FrameInterval trace.Duration
	// Strict turns malformed rows and lines beyond the limit into errors.
	Strict bool
	// Limits limit memory: Line; Strings, for the number of processes and of
	// windows; Frames, for the number of rows; and Examples, for the number of
	// packages that are not running.
	Limits trace.Limits
}

// maxName is the maximum length of a name in bytes.
const maxName = 1023

// Read reads the dumps of one or more processes from r. Times of the timeline are
// CLOCK_MONOTONIC. The error is ErrNotADump, ErrNoRows or ErrNoFrames, that of r or
// of the context, or, in strict mode, one that names a line. The Dump is never nil.
func Read(ctx context.Context, r io.Reader, options Options) (*analyzer.Timeline, *Dump, error) {
	p := parser{dump: &Dump{limits: options.Limits.WithDefaults(), byKey: map[processKey]*Process{}}}
	in := lines.NewReader(ctx, r, p.dump.limits.Line)
	for in.Next() {
		if options.Strict && in.TooLong > 0 {
			return nil, p.dump, fmt.Errorf("line %d: longer than the limit (limit: line)", in.Number-1)
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
	return timeline(p.dump), p.dump, nil
}

// parser parses a dump line by line.
type parser struct {
	dump      *Dump
	known     bool     // a line identified the input as a dump
	process   *Process // the current process; nil if none was named or there are too many
	window    *Window  // the current window; nil if none was announced or there are too many
	began     bool     // there is a current process
	opened    bool     // there is a current window
	unnamed   int      // number of tables of the process without a window's name
	inTable   bool
	unmarked  bool    // no marker precedes the table
	header    *header // of the table; nil before it was read
	first     int     // index in window.rows of the table's first row
	votes     int     // votes of the table's rows for swapped columns, minus those against
	unusable  bool    // the table's header lacks a necessary column
	namedNext bool    // the announced window has only a key; its name may follow
}

var (
	headMarker    = []byte("Applications Graphics Acceleration Info:")
	tableMarker   = []byte("---PROFILEDATA---")
	processMarker = []byte("** Graphics info for pid ")
	windowMarker  = []byte("Window: ")
	packageMarker = []byte("Package: ")
	missingMarker = []byte("No process found for: ")
	visibility    = []byte(" (visibility=")
)

// line parses a line and reports whether it is well-formed.
func (p *parser) line(line []byte) bool {
	p.known = p.known || identifies(line)
	if p.inTable && p.unmarked && len(line) > 0 && !isRow(line) {
		p.endTable()
		if bytes.Equal(line, tableMarker) { // the marker before the table is missing
			return true
		}
	}
	switch {
	case bytes.Equal(line, tableMarker):
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
	case bytes.HasPrefix(line, processMarker):
		pid, name := parseProcess(line[len(processMarker):])
		p.begin(pid, name)
	case bytes.HasPrefix(line, packageMarker):
		p.begin(trace.UnknownPID, shortened(line[len(packageMarker):]))
	case bytes.HasPrefix(line, missingMarker):
		if len(p.dump.NotRunning) < p.dump.limits.Examples {
			p.dump.NotRunning = append(p.dump.NotRunning, shortened(line[len(missingMarker):]))
		} else {
			p.dump.NotRunningMore++
		}
	case bytes.HasPrefix(line, windowMarker):
		name := shortened(line[len(windowMarker):])
		if !p.namedNext {
			p.announce(name)
		}
		if p.window != nil {
			p.window.Name = name
		}
		p.namedNext = false
	case bytes.Contains(line, visibility):
		name, _, _ := bytes.Cut(line, visibility)
		p.announce(shortened(name))
		p.namedNext = true
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

// begin starts a process.
func (p *parser) begin(pid trace.PID, name string) {
	p.process, p.began, p.unnamed = p.dump.process(pid, name), true, 0
	p.closeWindow()
}

// beginTable starts a table of the current window, or of a new one.
func (p *parser) beginTable() {
	p.needWindow()
	p.inTable, p.unmarked, p.header, p.unusable = true, false, nil, false
	p.first, p.votes = 0, 0
	if p.window != nil {
		p.first = len(p.window.rows)
	}
}

// endTable ends a table and its window. Only now all rows have voted whether two of
// the columns are swapped.
func (p *parser) endTable() {
	if p.votes > 0 && p.window != nil {
		for i := range p.window.rows[p.first:] {
			p.window.rows[p.first+i].swap()
		}
	}
	p.inTable = false
	p.closeWindow()
}

// closeWindow ends the current window.
func (p *parser) closeWindow() {
	p.window, p.opened, p.namedNext = nil, false, false
}

// announce starts a window with a name.
func (p *parser) announce(name string) {
	p.open(name)
	if p.window != nil && p.window.Name == "" {
		p.window.Name = name
	}
}

// needWindow starts a window for a table without one.
func (p *parser) needWindow() {
	if !p.opened {
		p.needProcess() // resets unnamed
		p.unnamed++
		p.open(fmt.Sprintf("#%d", p.unnamed))
	}
}

// open starts a window of the current process.
func (p *parser) open(key string) {
	p.needProcess()
	p.window, p.opened = nil, true
	if p.process != nil {
		p.window = p.dump.window(p.process, key)
	}
}

// needProcess starts an unnamed process if there is no current one.
func (p *parser) needProcess() {
	if !p.began {
		p.begin(trace.UnknownPID, "")
	}
}

// row parses a line of a table and reports whether it is well-formed.
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
		return fmt.Errorf("%w: %s, skipped or unfinished", ErrNoFrames, plural.Count(others, "row"))
	case p.dump.Unusable > 0:
		return fmt.Errorf("%w: %s without the column %s or %s", ErrNoRows, plural.Count(p.dump.Unusable, "table"), columnNames[intendedVsync], columnNames[frameCompleted])
	case len(p.dump.NotRunning) > 0:
		return fmt.Errorf("%w: %.60q is not running", ErrNoRows, p.dump.NotRunning[0])
	}
	return ErrNoRows
}
