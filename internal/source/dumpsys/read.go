package dumpsys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/diag"
)

// ErrNoRows: the dump has no rows of frames, and no summary.
var ErrNoRows = errors.New("no rows of frames in the gfxinfo dump")

// ErrNoFrames: the dump has rows, but none of a frame that was drawn and finished, and no summary.
var ErrNoFrames = errors.New("no finished frame in the dump")

// Options are the options of ReadGfxinfo and ReadLatency.
type Options struct {
	// Limits limit memory: Line; Strings, for the number of processes and of windows; Threads, for
	// that of layers; Frames, for that of rows; and Examples, for that of names in a warning, and of
	// packages that are not running.
	Limits trace.Limits
}

// maxName is the maximum length of a name in bytes.
const maxName = 1023

// ReadGfxinfo reads the dumps of one or more processes from r. Times of the timeline are
// CLOCK_MONOTONIC. It has no frames, only summaries, if the dump has no others. The error is
// ErrNoRows or ErrNoFrames, or that of r or of the context. The Dump is never nil.
func ReadGfxinfo(ctx context.Context, r io.Reader, options Options) (*analyzer.Timeline, *Dump, error) {
	p := parser{
		dump: &Dump{}, limits: options.Limits.WithDefaults(), pid: trace.UnknownPID,
		processes: map[processKey]*Process{}, windows: map[windowKey]*Window{}, summaries: map[summaryKey]*analyzer.Summary{},
	}
	var err error
	if p.dump.TooLong, err = eachLine(ctx, r, p.limits.Line, p.line); err != nil {
		return nil, p.dump, err
	}
	if p.inTable {
		p.dump.Cut = !p.bare
	}
	if err := p.dump.check(); err != nil {
		return nil, p.dump, err
	}
	p.dump.findIntervals()
	return p.dump.timeline(), p.dump, nil
}

// parser parses a dump line by line.
type parser struct {
	dump      *Dump
	limits    trace.Limits
	processes map[processKey]*Process
	windows   map[windowKey]*Window
	rows      int // of all windows

	// The process and the window of the next table. A window that nothing names has the
	// number of its table in the process as the key.
	pid               trace.PID
	process           string
	windowKey, window string
	// counts and missedDeadline: the last summary has the lines that all versions, and that Android 9
	// and later have.
	counts, missedDeadline bool
	viewed                 bool // a line of the list of views announced the window
	unnamed                int

	// The version and the start of the next summary, the summary whose lines are read, and whether
	// a note says that it is filtered.
	version, since string
	summary        *analyzer.Summary
	filtered       bool
	summaries      map[summaryKey]*analyzer.Summary

	inTable bool
	bare    bool    // no marker precedes the table
	header  *header // of the table; nil before it was read
	table   *Window // nil beyond the limits
}

// processKey identifies a process: by its id, or by its name if the id is unknown.
type processKey struct {
	pid  trace.PID
	name string
}

type windowKey struct {
	process *Process
	key     string
}

var (
	headMarker    = []byte("Applications Graphics Acceleration Info:")
	tableMarker   = []byte("---PROFILEDATA---")
	processMarker = []byte("** Graphics info for pid ")
	windowMarker  = []byte("Window: ")
	packageMarker = []byte("Package: ")
	countsLine    = []byte("Number Missed Vsync: ")
	deadlineLine  = []byte("Number Frame deadline missed")
	missingMarker = []byte("No process found for: ")
	visibility    = []byte(" (visibility=")
)

// SniffGfxinfo reports whether the input that begins with head is a dump of gfxinfo. The
// dump may be part of a longer one, so head should have some kilobytes.
func SniffGfxinfo(head []byte) bool {
	for line := range bytes.Lines(head) {
		if identifies(bytes.TrimSpace(line)) {
			return true
		}
	}
	return false
}

// identifies reports whether the line occurs only in dumps of gfxinfo, also partial
// ones: a marker, the header of a table, or the first lines of a summary.
func identifies(line []byte) bool {
	if len(line) == 0 || bytes.IndexByte([]byte("-F*ANTJ"), line[0]) < 0 { // most lines of other text
		return false
	}
	if bytes.Equal(line, tableMarker) || isHeader(line) {
		return true
	}
	for _, marker := range [][]byte{processMarker, headMarker, missingMarker} {
		if bytes.HasPrefix(line, marker) {
			return true
		}
	}
	for _, start := range []string{"Total frames rendered: ", "Janky frames: "} {
		if rest, ok := bytes.CutPrefix(line, []byte(start)); ok && len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
			return true
		}
	}
	return false
}

// line parses a line.
func (p *parser) line(line []byte) {
	isMarker := bytes.Equal(line, tableMarker)
	if p.inTable && p.bare && len(line) > 0 && !isMarker && !isRow(line) {
		p.endTable()
	}
	switch {
	case isMarker && p.inTable:
		p.endTable()
	case isMarker:
		p.beginTable()
	case len(line) == 0:
	case p.inTable:
		p.row(line)
	case isHeader(line):
		p.beginTable()
		p.bare = true
		p.row(line)
	case bytes.HasPrefix(line, processMarker):
		p.beginProcess(parseProcess(line[len(processMarker):]))
	case bytes.HasPrefix(line, packageMarker):
		p.beginProcess(trace.UnknownPID, shortened(line[len(packageMarker):]))
	case bytes.HasPrefix(line, countsLine):
		p.counts, p.missedDeadline = true, false
	case bytes.HasPrefix(line, deadlineLine):
		p.missedDeadline = true
	case bytes.HasPrefix(line, missingMarker):
		if len(p.dump.NotRunning) < p.limits.Examples {
			p.dump.NotRunning = append(p.dump.NotRunning, shortened(line[len(missingMarker):]))
		} else {
			p.dump.NotRunningMore++
		}
	case bytes.HasPrefix(line, windowMarker):
		p.window = shortened(line[len(windowMarker):])
		if !p.viewed {
			p.windowKey = p.window
		}
		p.viewed = false
	case bytes.Contains(line, visibility):
		name, _, _ := bytes.Cut(line, visibility)
		p.window, p.viewed = shortened(name), true
		p.windowKey = p.window
	}
	if !p.inTable && !p.summaryLine(line) {
		p.dump.Damaged++
	}
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

func (p *parser) beginProcess(pid trace.PID, name string) {
	p.pid, p.process, p.unnamed = pid, name, 0
	p.windowKey, p.window, p.viewed = "", "", false
	p.counts, p.missedDeadline = false, false
	p.version, p.since, p.summary, p.filtered = "", "", nil, false
}

// addProcess returns the process of the lines that follow, and adds it within the limits; nil beyond them.
func (p *parser) addProcess() *Process {
	key := processKey{pid: p.pid}
	if p.pid == trace.UnknownPID {
		key.name = p.process
	}
	process := p.processes[key]
	if process == nil && len(p.processes) < p.limits.Strings {
		process = &Process{PID: p.pid}
		p.processes[key] = process
		p.dump.Processes = append(p.dump.Processes, process)
	}
	if process != nil && p.process != "" {
		process.Name = p.process
	}
	return process
}

// beginTable finds the window of the table, or adds it within the limits.
func (p *parser) beginTable() {
	p.inTable, p.bare, p.header, p.table = true, false, nil, nil
	process := p.addProcess()
	if p.windowKey == "" {
		p.unnamed++
		p.windowKey = fmt.Sprintf("#%d", p.unnamed)
	}
	if process == nil {
		return
	}
	window := windowKey{process, p.windowKey}
	p.table = p.windows[window]
	if p.table == nil && len(p.windows) < p.limits.Strings {
		p.table = &Window{seen: map[row]bool{}}
		p.windows[window] = p.table
		process.Windows = append(process.Windows, p.table)
	}
	if p.table != nil && p.counts {
		p.table.first = !p.missedDeadline
	}
	if p.table != nil && p.window != "" {
		p.table.Name = p.window
	}
}

// endTable ends a table and its window.
func (p *parser) endTable() {
	p.inTable, p.windowKey, p.window, p.viewed = false, "", "", false
}

// row parses a line of a table.
func (p *parser) row(line []byte) {
	if p.header == nil {
		p.header = parseHeader(line)
		if p.header.usable() {
			if p.table != nil {
				p.table.header = *p.header
			}
			return
		}
		p.dump.Unusable++
	}
	r, ok := p.header.parseRow(line)
	w := p.table
	switch {
	case !ok:
		p.dump.Damaged++
		return
	case w == nil:
		p.dump.WindowsOver++
		return
	case w.seen[r]: // in an earlier dump of the window
		return
	case p.rows >= p.limits.Frames:
		p.dump.FramesOver++
		return
	case r[flags]&notFrames != 0:
		p.dump.Skipped++
	case !r.finished():
		p.dump.Unfinished++
	default:
		w.rows = append(w.rows, r)
	}
	w.seen[r] = true
	p.rows++
}

// check returns an error if there are neither frames nor summaries.
func (d *Dump) check() error {
	for _, process := range d.Processes {
		if len(process.summaries) > 0 {
			return nil
		}
		for _, w := range process.Windows {
			if len(w.rows) > 0 {
				return nil
			}
		}
	}
	switch {
	case d.Skipped+d.Unfinished > 0:
		return fmt.Errorf("%w: %s, skipped or unfinished", ErrNoFrames, diag.Count(d.Skipped+d.Unfinished, "row"))
	case d.Unusable > 0:
		return fmt.Errorf("%w: %s without the column IntendedVsync or FrameCompleted", ErrNoRows, diag.Count(d.Unusable, "table"))
	case len(d.NotRunning) > 0:
		return fmt.Errorf("%w: %.60q is not running", ErrNoRows, d.NotRunning[0])
	}
	return ErrNoRows
}
