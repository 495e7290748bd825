package hitrace

import (
	"bytes"
	"slices"
	"strings"

	"ohframe/analyzer/trace"
)

// ProcessDump reads the lists of processes and threads that systrace records
// beside a trace: what Android's ps printed before and after it. Of a process or
// thread that is listed several times, the last row counts.
//
//	PROCESS DUMP
//	USER   PID  PPID    VSZ   RSS WCHAN  PC S NAME             COMM
//	u0_a9 3346   767 158117 35840 0       0 S com.example:work [m.example:work]
//	USER   PID   TID CMD
//	u0_a9 3346  3351 Jit thread pool
//
// The lists of systems before Android 8 have other columns, and are twice the
// same: processes, then threads.
//
// The rules are those of catapult's process_data_importer and of Perfetto's
// systrace_trace_parser; columns are found by their names, which both count off.
type ProcessDump struct {
	limit   int // of tasks
	tasks   map[trace.TID]dumpedTask
	over    int
	columns dumpColumns
	rest    []byte // the beginning of a line whose end has not been written yet
	skip    bool   // inside a line that is too long
}

// dumpedTask has the names of a thread and of the process whose main thread it is.
type dumpedTask struct {
	pid     trace.PID
	process string // the process's full name
	thread  string // the thread's name
}

// dumpColumns are the numbers of the columns that are used, counted from 0.
type dumpColumns struct {
	header                 string
	pid, tid, parent, name int  // -1 where the list has none
	last                   bool // the name is the last column, and may contain blanks
	state                  bool // the state has a header
	threads                bool // each row is a thread, not a process
}

const (
	// maxDumpLine is more than ps prints in a line, in bytes.
	maxDumpLine = 4 << 10
	// maxDumpedName is the maximum length of a name in bytes.
	maxDumpedName = 255
)

// NewProcessDump returns a dump that keeps the names of so many threads.
func NewProcessDump(threads int) *ProcessDump {
	return &ProcessDump{limit: threads, tasks: map[trace.TID]dumpedTask{}}
}

// Write parses the next bytes of the lists. It skips lines that are not rows. It never
// fails.
func (d *ProcessDump) Write(text []byte) (int, error) {
	n := len(text)
	for {
		end := bytes.IndexByte(text, '\n')
		part := text
		if end >= 0 {
			part = text[:end]
		}
		if d.skip = d.skip || len(d.rest)+len(part) > maxDumpLine; !d.skip {
			d.rest = append(d.rest, part...)
		}
		if end < 0 {
			return n, nil
		}
		d.Flush()
		text = text[end+1:]
	}
}

// Flush parses the last line, which may lack its end.
func (d *ProcessDump) Flush() {
	if !d.skip {
		d.line(d.rest)
	}
	d.rest, d.skip = d.rest[:0], false
}

// Process returns the full name of a process, or "" if unknown.
func (d *ProcessDump) Process(pid trace.PID) string {
	if d == nil {
		return ""
	}
	return d.tasks[trace.TID(pid)].process
}

// Thread returns the name of a thread, or "", and its process, or trace.UnknownPID.
func (d *ProcessDump) Thread(tid trace.TID) (name string, pid trace.PID) {
	if d == nil {
		return "", trace.UnknownPID
	}
	task, ok := d.tasks[tid]
	if !ok {
		return "", trace.UnknownPID
	}
	return task.thread, task.pid
}

// Over returns the number of rows that were skipped because of the limit.
func (d *ProcessDump) Over() int {
	if d == nil {
		return 0
	}
	return d.over
}

func (d *ProcessDump) line(text []byte) {
	row := splitRow(text)
	switch {
	case len(row.starts) == 0:
	case row.word(0) == "USER":
		d.columns = d.columns.next(row)
	case d.columns.header != "":
		d.row(row)
	}
}

// dumpRow is a line with the offsets of its words.
type dumpRow struct {
	text   string
	starts []int
}

func splitRow(line []byte) dumpRow {
	line = trimSpace(line)
	row := dumpRow{text: string(line)}
	for i := skipBlanks(line, 0); i < len(line); i = skipBlanks(line, i) {
		row.starts = append(row.starts, i)
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
	}
	return row
}

// word returns the word with this number, or "" if the row has fewer.
func (r dumpRow) word(i int) string {
	word := r.from(i)
	if end := strings.IndexAny(word, " \t"); end >= 0 {
		word = word[:end]
	}
	return word
}

// from returns the line from the word with this number on.
func (r dumpRow) from(i int) string {
	if i < 0 || i >= len(r.starts) {
		return ""
	}
	return r.text[r.starts[i]:]
}

// id parses the word with this number as an id.
func (r dumpRow) id(i int) (int32, bool) {
	word := []byte(r.word(i))
	id, end, ok := digits(word, 0)
	return id, ok && end == len(word)
}

// next returns the columns of a header. The receiver has those of the previous list.
func (c dumpColumns) next(header dumpRow) dumpColumns {
	words := strings.Fields(header.text)
	n := dumpColumns{
		header: strings.Join(words, " "),
		pid:    slices.Index(words, "PID"),
		tid:    slices.Index(words, "TID"),
		parent: slices.Index(words, "PPID"),
		name:   max(slices.Index(words, "NAME"), slices.Index(words, "CMD")),
		state:  slices.Contains(words, "S"),
	}
	n.last = n.name == len(words)-1
	// Old systems print the same columns for threads as for processes.
	n.threads = n.tid >= 0 || !n.state && n.header == c.header && !c.threads
	return n
}

// row adds a row of a list.
func (d *ProcessDump) row(row dumpRow) {
	c := &d.columns
	column := c.name
	if c.tid < 0 && !c.state && len(row.word(column)) == 1 && column+1 < len(row.starts) {
		column++ // old systems print the state, without a header
	}
	name := row.word(column)
	if c.last {
		name = row.from(column)
	}
	pid, ok := row.id(c.pid)
	tid := pid
	switch {
	case !ok || name == "":
		return
	case !c.threads:
		d.addProcess(trace.PID(pid), name)
		return
	case c.tid >= 0:
		tid, ok = row.id(c.tid)
	case d.tasks[trace.TID(tid)].process == "":
		// In an old list of threads, the parent of a thread is its process.
		pid, ok = row.id(c.parent)
		ok = ok && d.tasks[trace.TID(pid)].process != ""
	}
	if ok {
		d.addThread(trace.TID(tid), trace.PID(pid), name)
	}
}

// addProcess adds a process's name. ps prints the main thread's in brackets for a process
// without a name: a kernel thread, or a process that has ended, which keeps its earlier
// name.
func (d *ProcessDump) addProcess(pid trace.PID, name string) {
	task, ok := d.task(trace.TID(pid), pid)
	if !ok {
		return
	}
	if inner, ok := strings.CutPrefix(name, "["); ok {
		task.thread = cutName(strings.TrimSuffix(inner, "]"))
	} else {
		task.process = cutName(name)
	}
	d.tasks[trace.TID(pid)] = task
}

func (d *ProcessDump) addThread(tid trace.TID, pid trace.PID, name string) {
	if task, ok := d.task(tid, pid); ok {
		task.thread = cutName(name)
		d.tasks[tid] = task
	}
}

// task returns the entry of a thread of a process; false if the limit is reached.
func (d *ProcessDump) task(tid trace.TID, pid trace.PID) (dumpedTask, bool) {
	task, known := d.tasks[tid]
	if !known && len(d.tasks) >= d.limit {
		d.over++
		return task, false
	}
	if task.pid != pid { // the id was reused
		task = dumpedTask{pid: pid}
	}
	return task, true
}

// cutName returns at most maxDumpedName bytes of a name, as text that does not keep
// the rest of its line.
func cutName(name string) string {
	return strings.Clone(strings.ToValidUTF8(name[:min(len(name), maxDumpedName)], "\uFFFD"))
}
