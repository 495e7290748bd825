package hitrace

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ohframe/analyzer/trace"
)

// ProcessDump reads the lists of processes and threads that systrace records
// beside a trace: what ps of Android 8 and later printed before and after it. If a process
// or thread is listed several times, the last row counts.
//
//	PROCESS DUMP
//	USER   PID  PPID    VSZ   RSS WCHAN  PC S NAME             COMM
//	u0_a9 3346   767 158117 35840 0       0 S com.example:work [m.example:work]
//	USER   PID   TID CMD
//	u0_a9 3346  3351 Jit thread pool
type ProcessDump struct {
	limit int // of tasks
	tasks map[trace.TID]dumpedTask
	over  int

	// The columns of the current list; tid is -1 in a list of processes, name is -1 before
	// the first list and in one that is not understood.
	pid, tid, name int
	last           bool // the name is the last column, and may contain blanks
}

// dumpedTask has the names of a thread and of the process whose main thread it is.
type dumpedTask struct {
	pid     trace.PID
	process string // the process's full name
	thread  string // the thread's name
}

const (
	// maxDumpLine is more than ps prints in a line, in bytes.
	maxDumpLine = 4 << 10
	// maxDumpedName is the maximum length of a name in bytes.
	maxDumpedName = 255
)

// NewProcessDump returns a dump that keeps the names of so many threads.
func NewProcessDump(threads int) *ProcessDump {
	return &ProcessDump{limit: threads, tasks: map[trace.TID]dumpedTask{}, name: -1}
}

// Read reads lists up to the end of r. It skips lines that are not rows. The error is that
// of r.
func (d *ProcessDump) Read(r io.Reader) error {
	in := bufio.NewReaderSize(r, maxDumpLine)
	for isPart := false; ; {
		line, more, err := in.ReadLine()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !isPart && !more {
			d.line(string(line))
		}
		isPart = more
	}
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
	if d != nil {
		if task, ok := d.tasks[tid]; ok {
			return task.thread, task.pid
		}
	}
	return "", trace.UnknownPID
}

// Over returns the number of rows that were skipped because of the limit.
func (d *ProcessDump) Over() int {
	if d == nil {
		return 0
	}
	return d.over
}

func (d *ProcessDump) line(text string) {
	words := strings.Fields(text)
	switch {
	case len(words) == 0:
	case words[0] == "USER":
		d.pid, d.tid = slices.Index(words, "PID"), slices.Index(words, "TID")
		d.name = max(slices.Index(words, "NAME"), slices.Index(words, "CMD"))
		d.last = d.name == len(words)-1
		if d.tid < 0 && !slices.Contains(words, "S") || d.pid < 0 { // before Android 8
			d.name = -1
		}
	case d.name >= 0 && d.name < len(words):
		name := words[d.name]
		if d.last {
			name = from(text, d.name)
		}
		pid, ok := id(words[d.pid])
		switch {
		case !ok:
		case d.tid < 0:
			d.addRow(trace.PID(pid), name)
		default:
			if tid, ok := id(words[d.tid]); ok {
				d.addThread(trace.TID(tid), trace.PID(pid), name)
			}
		}
	}
}

// from returns text from word n on, without the blanks at its end.
func from(text string, n int) string {
	for range n {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		text = text[strings.IndexFunc(text, unicode.IsSpace):]
	}
	return strings.TrimSpace(text)
}

func id(word string) (int64, bool) {
	n, err := strconv.ParseInt(word, 10, 32)
	return n, err == nil && n >= 0
}

// addRow adds the name of a process from a row. ps prints the main thread's in brackets for a
// process without a name: a kernel thread, or a process that has ended, which keeps its earlier
// name.
func (d *ProcessDump) addRow(pid trace.PID, name string) {
	inner, ok := strings.CutPrefix(name, "[")
	if !ok {
		d.AddProcess(pid, name)
	} else if task, ok := d.task(trace.TID(pid), pid); ok {
		task.thread = cutName(strings.TrimSuffix(inner, "]"))
		d.tasks[trace.TID(pid)] = task
	}
}

// AddProcess adds the full name of a process.
func (d *ProcessDump) AddProcess(pid trace.PID, name string) {
	if task, ok := d.task(trace.TID(pid), pid); ok {
		task.process = cutName(name)
		d.tasks[trace.TID(pid)] = task
	}
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
