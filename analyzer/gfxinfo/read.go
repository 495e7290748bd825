package gfxinfo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// ErrNotADump: the input is not what `dumpsys gfxinfo` prints.
var ErrNotADump = errors.New("not a dump of gfxinfo")

// ErrNoRows: the dump has no rows of frames. The Dump still has its summaries.
var ErrNoRows = errors.New("no rows of frames in the dump; dumpsys gfxinfo PACKAGE framestats prints them")

// ErrNoFrames: the dump has rows, and none is of a finished frame without flags.
var ErrNoFrames = errors.New("no finished frame without flags in the dump")

// Options decide what the dump leaves open.
type Options struct {
	// FrameInterval is the display's refresh period, for dumps that do not state
	// it; until Android 11 none does. Zero is to infer it from the vsyncs.
	FrameInterval trace.Duration
	// Strict makes a row that is none an error.
	Strict bool
}

// maxLine bounds lines: a row has some hundred bytes, lines of the rest of a
// dump may be longer, and are cut.
const maxLine = 64 << 10

// Read reads the dumps in r, of one or several processes. Times of the timeline
// are CLOCK_MONOTONIC. The error is ErrNotADump, ErrNoRows, ErrNoFrames, the
// reader's, the context's or, in strict mode, one that names a line. The Dump is
// there in any case.
func Read(ctx context.Context, r io.Reader, options Options) (*analyzer.Timeline, *Dump, error) {
	p := parser{dump: &Dump{}}
	lines := bufio.NewReaderSize(r, maxLine)
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return nil, p.dump, err
		}
		line, more, err := lines.ReadLine()
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, p.dump, err
		}
		for more && err == nil {
			_, more, err = lines.ReadLine()
		}
		if !p.line(line) && options.Strict {
			return nil, p.dump, fmt.Errorf("line %d: damaged row", n)
		}
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
	process  *Process // whose part this is
	window   *Window  // that was announced; nil if none was
	unnamed  int      // tables of the process that nothing announced
	summary  *Summary // that is being read
	inTable  bool
	header   *header // of the table; nil before
	unusable bool    // the table's header is not what is needed
	nameless bool    // the window that was announced has only a key
}

var (
	tableMark   = []byte("---PROFILEDATA---")
	processMark = []byte("** Graphics info for pid ")
	windowMark  = []byte("Window: ")
	packageMark = []byte("Package: ")
	missingMark = []byte("No process found for: ")
	visibility  = []byte(" (visibility=")
)

// line takes a line and reports whether it is in order.
func (p *parser) line(line []byte) bool {
	line = bytes.TrimSpace(line)
	switch {
	case bytes.Equal(line, tableMark):
		p.known = true
		p.inTable = !p.inTable
		p.header, p.unusable = nil, false
		if p.inTable {
			p.announced()
		} else {
			p.window, p.summary, p.nameless = nil, nil, false
		}
	case len(line) == 0:
	case p.inTable:
		return p.row(line)
	case bytes.HasPrefix(line, processMark):
		p.known = true
		pid, name := parseProcess(line[len(processMark):])
		p.begin(pid, name)
	case bytes.HasPrefix(line, packageMark):
		p.begin(trace.UnknownPID, string(line[len(packageMark):]))
	case bytes.HasPrefix(line, missingMark):
		p.known = true
		p.dump.NotRunning = append(p.dump.NotRunning, string(line[len(missingMark):]))
	case bytes.HasPrefix(line, windowMark):
		name := string(line[len(windowMark):])
		if !p.nameless {
			p.announce(name)
		}
		p.window.Name = name
		p.nameless = false
	case bytes.Contains(line, visibility):
		name, _, _ := bytes.Cut(line, visibility)
		p.announce(string(name))
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
		return trace.UnknownPID, string(name)
	}
	return trace.PID(pid), string(name)
}

// begin begins the part of a process.
func (p *parser) begin(pid trace.PID, name string) {
	p.process = p.dump.process(pid, name)
	p.window, p.summary, p.unnamed, p.nameless = nil, nil, 0, false
}

// owner returns the process that this is of.
func (p *parser) owner() *Process {
	if p.process == nil {
		p.begin(trace.UnknownPID, "")
	}
	return p.process
}

// announce takes the name of the window that follows.
func (p *parser) announce(name string) {
	p.window = p.owner().window(name)
	if p.window.Name == "" {
		p.window.Name = name
	}
	p.summary = nil
}

// announced makes a window for a table that nothing announced.
func (p *parser) announced() {
	if p.window == nil {
		p.unnamed++
		p.window = p.owner().window(fmt.Sprintf("#%d", p.unnamed))
	}
}

// text takes a line that stands in no table: one of a summary, or of no use.
func (p *parser) text(line []byte) {
	var s Summary
	if !s.parseLine(line) {
		return
	}
	p.known = true
	process := p.owner()
	if _, first := s.Value(TotalFrames); first || p.summary == nil {
		p.summary = &Summary{}
		if p.window != nil {
			p.window.Printed = p.summary
		} else {
			process.Printed = p.summary
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
			return false
		}
		p.header = &h
		p.window.has = h
		return true
	}
	r, ok := p.header.parseRow(line)
	if !ok {
		p.dump.Damaged++
		return false
	}
	w := p.window
	switch {
	case w.seen[r]:
		w.Repeated++
		return true
	case r[flags] != 0:
		w.Flagged++
	case !r.finished():
		w.Unfinished++
	default:
		w.rows = append(w.rows, r)
		w.Frames++
	}
	w.seen[r] = true
	return true
}

// finish returns an error if there are no frames.
func (p *parser) finish() error {
	p.dump.Cut = p.inTable
	frames, others := 0, 0
	for _, process := range p.dump.Processes {
		for _, w := range process.Windows {
			frames += w.Frames
			others += w.Flagged + w.Unfinished
		}
	}
	switch {
	case !p.known:
		return ErrNotADump
	case frames > 0:
		return nil
	case others > 0:
		return fmt.Errorf("%w: all %d rows are flagged or unfinished", ErrNoFrames, others)
	case len(p.dump.NotRunning) > 0:
		return fmt.Errorf("%w: %s is not running", ErrNoRows, p.dump.NotRunning[0])
	}
	return ErrNoRows
}
