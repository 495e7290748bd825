package simulate

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// Reuse configures a trace in which several processes have one id, one after the other.
type Reuse struct {
	Seed uint64
	// Names are the bundles of the processes, of which two that follow one another count
	// transactions on their own. Each draws for a second, and begins half a second after the last one's end.
	Names []string
	// Exits, Frees and Creates add the events of the kernel about the main threads: where a
	// process ends, 0.2 s later, and before the next one's first line. Wakes adds only its first wakeup.
	// Dies ends each but the last main thread with a switch of state X.
	Exits, Frees, Creates, Wakes, Dies bool
	// Appspawn has each process begin with lines under the name of what made it.
	Appspawn bool
	// NoTGID leaves the process column out.
	NoTGID bool
}

// reusedPID is the id of the processes, and of their main threads.
const reusedPID = 20170

// Life is a process of a trace of Reuse: its name as the kernel keeps it, and its frames that begin
// and end in the trace.
type Life struct {
	Name   string
	Frames []*Frame
}

// Generate returns the trace, the processes in order, and the truth about render_service.
func (r Reuse) Generate() (string, []Life, *Truth, error) {
	config := Default()
	config.Seed, config.Era, config.Rates = r.Seed, "6.1", []Rate{{Hz: 60}}
	config.Duration = trace.Duration(len(r.Names)) * reusePeriod
	if r.NoTGID {
		config.Text.TGID = TGIDAbsent
	}
	config.Chances.AppLate, config.Chances.Worker = 0.06, 0.2
	config.Apps = nil
	for i := range r.Names {
		config.Apps = append(config.Apps, App{Bundle: r.Names[i], PID: reusedPID + trace.PID(i)*1000, Workers: 1})
	}
	var plain bytes.Buffer
	truth, err := Write(&plain, config)
	if err != nil {
		return "", nil, nil, err
	}
	lives := make([]Life, len(r.Names))
	for i := range lives {
		lives[i].Name = kernelName(r.Names[i])
		for _, f := range truth.Frames {
			if f.PID == config.Apps[i].PID && inLife(i, f.Start) && !f.Truncated {
				lives[i].Frames = append(lives[i].Frames, f)
			}
		}
	}
	return r.join(plain.String(), lives), lives, truth, nil
}

const (
	reusePeriod = 3 * trace.Second / 2
	reuseDraws  = trace.Second
)

// inLife reports whether a life is that of the id at a time.
func inLife(life int, at trace.Time) bool {
	begin := trace.Time(firstVsync).Add(trace.Duration(life) * reusePeriod)
	return at >= begin && at < begin.Add(reuseDraws)
}

func kernelName(name string) string { return name[max(0, len(name)-15):] }

var (
	reuseLine = regexp.MustCompile(`^( *)(\S.*)-(\d+)( +(?:\( *\d+\) )?\[\d+\] \S+ +)(\d+)\.(\d{6})(: .*\n)`)
	sentIndex = regexp.MustCompile(`\[(2\d{4}),(\d+)\]`)
	appID     = regexp.MustCompile(`\b2[0-9]\d{3}\b`)
)

// join gives all applications the id of the first, each in its time.
func (r Reuse) join(text string, lives []Life) string {
	type line struct {
		at   int64 // µs
		text string
	}
	var out []line
	depth := map[string]int{} // of threads, in what is kept
	kept := map[string]bool{}
	var first, last [8]int64 // of each life's main thread
	for text := range strings.Lines(text) {
		m := reuseLine.FindStringSubmatch(text)
		if m == nil {
			out = append(out, line{0, text})
			continue
		}
		tid, _ := strconv.Atoi(m[3])
		seconds, _ := strconv.ParseInt(m[5], 10, 64)
		micros, _ := strconv.ParseInt(m[6], 10, 64)
		at := seconds*1e6 + micros
		if life := (tid - reusedPID) / 1000; tid >= reusedPID && life < len(lives) {
			if depth[m[3]] == 0 {
				kept[m[3]] = inLife(life, trace.Time(at*1000))
			}
			switch {
			case strings.Contains(m[7], " B|"):
				depth[m[3]]++
			case strings.Contains(m[7], " E|"):
				depth[m[3]]--
			}
			if !kept[m[3]] {
				continue
			}
			if tid == reusedPID+life*1000 {
				first[life], last[life] = cmp.Or(first[life], at), at
			}
		}
		out = append(out, line{at, text})
	}
	event := func(at int64, thread, format string, args ...any) {
		column := "(    1) "
		if r.NoTGID {
			column = ""
		}
		out = append(out, line{at, fmt.Sprintf("%16s-1     %s[000] .... %d.%06d: %s\n", thread, column, at/1e6, at%1e6, fmt.Sprintf(format, args...))})
	}
	own := func(at int64, thread, format string, args ...any) {
		column := fmt.Sprintf("(%5d) ", reusedPID)
		if r.NoTGID {
			column = ""
		}
		out = append(out, line{at, fmt.Sprintf("%16s-%d %s[000] .... %d.%06d: %s\n", thread, reusedPID, column, at/1e6, at%1e6, fmt.Sprintf(format, args...))})
	}
	for i, life := range lives {
		if r.Exits && i+1 < len(lives) {
			own(last[i]+1000, life.Name, "sched_process_exit: comm=%s pid=%d prio=120", life.Name, reusedPID)
		}
		if r.Dies && i+1 < len(lives) {
			own(last[i]+1100, life.Name, "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=X ==> next_comm=swapper/0 next_pid=0 next_prio=120", life.Name, reusedPID)
		}
		if r.Frees && i+1 < len(lives) {
			event(last[i]+200_000, "init", "sched_process_free: comm=%s pid=%d prio=120", life.Name, reusedPID)
		}
		if r.Creates && i > 0 {
			event(first[i]-20_000, "appspawn", "task_newtask: pid=%d comm=appspawn clone_flags=1200000 oom_score_adj=0", reusedPID)
			event(first[i]-19_990, "appspawn", "sched_process_fork: comm=appspawn pid=1 child_comm=appspawn child_pid=%d", reusedPID)
		}
		if (r.Creates || r.Wakes) && i > 0 {
			event(first[i]-19_980, "appspawn", "sched_wakeup_new: comm=appspawn pid=%d prio=120 target_cpu=001", reusedPID)
		}
		if r.Appspawn {
			own(first[i]-10_000, "appspawn", "print: B|%d|H:ChildProcess", reusedPID)
			own(first[i]-9_000, "appspawn", "print: E|%d|", reusedPID)
		}
	}
	slices.SortStableFunc(out, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	before := make([]int64, len(lives)) // transactions of each process before it is there
	for i, life := range lives {
		if len(life.Frames) > 0 && len(life.Frames[0].Indices) > 0 {
			before[i] = life.Frames[0].Indices[0] - 3
		}
	}
	var b strings.Builder
	for _, l := range out {
		l.text = sentIndex.ReplaceAllStringFunc(l.text, func(key string) string {
			m := sentIndex.FindStringSubmatch(key)
			pid, _ := strconv.Atoi(m[1])
			index, _ := strconv.ParseInt(m[2], 10, 64)
			life := (pid - reusedPID) / 1000
			if pid < reusedPID || life >= len(lives) {
				return key
			}
			if index -= before[life]; index <= 0 {
				index += 1_000_000 // which nobody sends
			}
			return fmt.Sprintf("[%d,%d]", pid, index)
		})
		b.WriteString(appID.ReplaceAllStringFunc(l.text, func(id string) string {
			n, _ := strconv.Atoi(id)
			if n >= reusedPID && (n-reusedPID)/1000 < len(lives) && (n-reusedPID)%1000 < 100 {
				return strconv.Itoa(reusedPID + (n-reusedPID)%1000)
			}
			return id
		}))
	}
	return b.String()
}
