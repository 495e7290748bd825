package rawfile

import (
	"fmt"
	"strings"
)

// OwnOptions are the options of Own.
type OwnOptions struct {
	PID     int32
	Process string // the full name, as in /proc/self/cmdline
	// AllThreads is FLAG_ALL_THREAD; otherwise FLAG_MAIN_THREAD.
	AllThreads bool
	// Limit is limitSize in bytes; 0 for 500 MB, the most that is allowed.
	Limit int
	// Killed: the process ended before it stopped the capture.
	Killed bool
}

// What hitrace_meter.cpp writes: OpenHarmony, hiviewdfx_hitrace, interfaces/native/innerkits/src, from
// 5.0 to master. The header has room for the counts, which StopCaptureAppTrace fills in; the number of
// processors is CPU_CORE_NUM.
const (
	ownHeader = "# tracer: nop\n" +
		"#\n" +
		"# entries-in-buffer/entries-written: %-21s   #P:%-3s\n" +
		"#\n" +
		"#                                          _-----=> irqs-off\n" +
		"#                                         / _----=> need-resched\n" +
		"#                                        | / _---=> hardirq/softirq\n" +
		"#                                        || / _--=> preempt-depth\n" +
		"#                                        ||| /     delay\n" +
		"#           TASK-PID       TGID    CPU#  ||||   TIMESTAMP  FUNCTION\n" +
		"#              | |           |       |   ||||      |         |\n"
	ownPrefix = 128       // PREFIX_MAX_SIZE, the room that CheckFileSize leaves for what is before a name
	ownCache  = 32 * 1024 // DEFAULT_CACHE_SIZE
	ownComm   = 14        // COMM_STR_MAX
	ownLimit  = 500 << 20 // MAX_FILE_SIZE
)

// Own returns the file that an application writes of itself while the events happen:
// StartCaptureAppTrace and StopCaptureAppTrace. Their markers must be in the grammar of hitrace, and
// their times on CLOCK_BOOTTIME.
func Own(events []Event, o OwnOptions) []byte {
	if o.Limit == 0 {
		o.Limit = ownLimit
	}
	var lines strings.Builder
	written, count := 0, 0 // bytes that are in the file, if the process is killed
	header := len(fmt.Sprintf(ownHeader, "", ""))
	for i := range events {
		e := &events[i]
		if !e.isMarker() || e.PID != o.PID || !o.AllThreads && e.TID != o.PID {
			continue
		}
		name := e.Args // the name, and arguments
		if parts := strings.SplitN(e.Args, "|", 3); len(parts) == 3 {
			name = strings.TrimPrefix(parts[2], "H:")
		}
		need := ownPrefix + len(name)
		if header+lines.Len()+need > o.Limit {
			break
		}
		if lines.Len()-written+need > ownCache {
			written = lines.Len()
		}
		comm := o.Process
		if o.AllThreads {
			comm = e.Comm
		}
		comm = comm[max(0, len(comm)-ownComm):]
		fmt.Fprintf(&lines, "  %*s-%-7d (%7d) [%03d] .... %d.%06d: tracing_mark_write: %s\n", ownComm, comm, e.TID, o.PID, e.CPU, e.Time/1e9, e.Time%1e9/1e3, e.Args)
		count++
	}
	if o.Killed {
		return []byte(fmt.Sprintf(ownHeader, "", "") + lines.String()[:written])
	}
	return []byte(fmt.Sprintf(ownHeader, fmt.Sprintf("%d/%d", count, count), "16") + lines.String())
}
