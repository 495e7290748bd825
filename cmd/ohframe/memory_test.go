//go:build linux

package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/hostiletest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
)

// memoryInput is an input that consists of pieces. Each piece uses one unit of a limit.
type memoryInput struct {
	limit string
	piece func(i int) string
}

var memoryInputs = []memoryInput{
	{"threads", func(i int) string { return frameLines(i, 1000+i, "") }},
	{"frames", func(i int) string { return frameLines(i, 1000, "") }},
	{"records", func(i int) string {
		marsh := fmt.Sprintf("B|1000|H:MarshRSTransactionData cmdCount: 1, transactionFlag:[1000,%d], tid:1000, timestamp:%d", i, 20_000_000*i)
		return frameLines(i, 1000, frameLine(i, 1000, 1, marsh)+frameLine(i, 1000, 2, "E|1000|"))
	}},
	{"states", func(i int) string {
		if i == 0 {
			return frameLines(0, 1000, "")
		}
		return frameLine(i, 1000, 0, "") + []string{
			"sched_switch: prev_comm=app prev_pid=1000 prev_prio=120 prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120\n",
			"sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=app next_pid=1000 next_prio=120\n",
		}[i%2]
	}},
	{"strings", func(i int) string {
		if i == 0 {
			return frameLines(0, 1000, "")
		}
		return frameLine(i, 1000, 0, "") + fmt.Sprintf("sched_blocked_reason: pid=1000 iowait=0 caller=f%0200d+0x10/0x20\n", i)
	}},
	{"async", func(i int) string { return frameLine(i, 1000, 0, fmt.Sprintf("S|1000|H:task|%d", i)) }},
}

// memoryQuick are those that run in part.
var memoryQuick = []string{"report IN --format json", "why IN --format json", "diff IN IN --format json"}

// frameLines are the lines of a frame that is 20 ms long, 3 ms late, with lines in it.
func frameLines(i, pid int, inner string) string {
	now := 20_000_000 * i
	return frameLine(i, pid, 0, fmt.Sprintf("B|%d|H:ReceiveVsync name:x dataCount: 24bytes now: %d expectedEnd: %d vsyncId: %d, fd:1", pid, 100_000_000_000+now, 100_016_666_000+now, i+1)) +
		frameLine(i, pid, 0, fmt.Sprintf("B|%d|H:UIVsyncTask[timestamp:%d][vsyncID:%d]", pid, 100_000_000_000+now, i+1)) + inner +
		frameLine(i, pid, 20_000, fmt.Sprintf("E|%d|", pid)) + frameLine(i, pid, 20_000, fmt.Sprintf("E|%d|", pid))
}

// frameLine is a line with a marker, some microseconds after the start of a frame.
func frameLine(i, pid, after int, marker string) string {
	at := 100_000_000 + 20_000*i + after
	head := fmt.Sprintf("app-%d (%d) [000] .... %d.%06d: ", pid, pid, at/1e6, at%1e6)
	if marker == "" {
		return head
	}
	return head + "print: " + marker + "\n"
}

// memoryRuns are the commands and formats, with the input's name as IN.
var memoryRuns = []string{
	"report IN --format table", "report IN --format json", "report IN --format csv", "report IN --format html",
	"report IN --format junit", "report IN --format markdown",
	"why IN --format text", "why IN --format json", "why IN --format text --all",
	"diff IN IN --format table", "diff IN IN --format json", "diff IN IN --format html", "diff IN IN --format junit",
	"frames IN --format table", "frames IN --format csv", "frames IN --format json", "frames IN --format parquet", "frames IN --format json --no-causes",
	"convert -q IN", "text -q IN",
}

// memoryCosts reads the bytes of each unit of a limit from testdata/api/limits.md: those of commands
// that read one trace, and those of diff, which reads two.
func memoryCosts(t *testing.T) map[string][2]int {
	t.Helper()
	document := must.Get(os.ReadFile("../../testdata/api/limits.md"))(t)
	costs := map[string][2]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| [^|]+ \\| [^|]+ \\| [^|]+ \\| (\\d+)/(\\d+) \\|").FindAllStringSubmatch(string(document), -1) {
		one, _ := strconv.Atoi(m[2])
		two, _ := strconv.Atoi(m[3])
		costs[m[1]] = [2]int{one, two}
	}
	return costs
}

// mostMemory is what any command may need at the default of any limit.
const mostMemory = 4 << 30

// The cost of a unit of each limit is at most that in testdata/api/limits.md, in every command and
// format, and no limit allows more than 4 GiB.
func TestMemoryOfLimits(t *testing.T) {
	slow.SkipRace(t)
	costs := memoryCosts(t)
	for _, l := range trace.AllLimits {
		if _, ok := costs[l.Name]; !ok {
			t.Errorf("testdata/api/limits.md has no cost of %s", l.Name)
		}
		for _, cost := range costs[l.Name] {
			if cost*l.Default > mostMemory {
				t.Errorf("%d bytes for each of %d %s", cost, l.Default, l.Name)
			}
		}
	}
	few, many := slow.Of(500, 5_000), slow.Of(2_000, 25_000)
	for _, in := range memoryInputs {
		cost := costs[in.limit]
		small, large := in.write(t, few), in.write(t, many)
		for _, args := range memoryRuns {
			if !slow.Enabled() && (in.limit != "frames" || !slices.Contains(memoryQuick, args)) {
				continue
			}
			documented := cost[0]
			if strings.HasPrefix(args, "diff") {
				documented = cost[1]
			}
			unit, least, most := 0, math.MaxInt, math.MaxInt
			for range 5 { // the collector is late if other programs run, and each peak is then too large
				least, most = min(least, peakOf(t, args, small)), min(most, peakOf(t, args, large))
				if unit = (most - least) / (many - few); unit <= documented {
					break
				}
			}
			t.Logf("%s, %s: %d bytes", in.limit, args, unit)
			if unit > documented {
				t.Errorf("%s: %d bytes for each of %s, testdata/api/limits.md says %d", args, unit, in.limit, documented)
			}
		}
	}
}

// write writes n pieces to a file and returns its name.
func (in memoryInput) write(t *testing.T, n int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), fmt.Sprintf("%s-%d.ftrace", in.limit, n))
	f := must.Get(os.Create(name))(t)
	defer f.Close()
	must.Get(f.ReadFrom(hostiletest.Stream(n, hostiletest.Lines(func(i int) string {
		if i == 0 {
			return "# tracer: nop\n" + in.piece(0)
		}
		return in.piece(i)
	}))))(t)
	return name
}

// peakOf returns the peak of the heap while a command runs, without its messages.
func peakOf(t *testing.T, args, input string) int {
	t.Helper()
	messages := os.Stderr
	defer func() { os.Stderr = messages }()
	discard := must.Get(os.OpenFile(os.DevNull, os.O_WRONLY, 0))(t)
	defer discard.Close()
	os.Stderr = discard
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return int(hostiletest.Peak(func() { run(memoryArgs(args, input)) }))
}

func memoryArgs(args, input string) []string {
	list := append([]string{"ohframe"}, strings.Fields(args)...)
	for i := range list {
		if list[i] == "IN" {
			list[i] = input
		}
	}
	return slices.Concat(list, []string{"-o", os.DevNull})
}

// "make memory" measures the memory of the program with as many processes and frames as the
// limits allow.
func TestMemoryAtLimits(t *testing.T) {
	if os.Getenv("OHFRAME_MEMORY") == "" {
		t.Skip(`run by "make memory"`)
	}
	program := filepath.Join(t.TempDir(), "ohframe")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, in := range memoryInputs[:2] {
		i := slices.IndexFunc(trace.AllLimits, func(l trace.Limit) bool { return l.Name == in.limit })
		input := in.write(t, trace.AllLimits[i].Default)
		for _, args := range memoryRuns {
			command := exec.Command(program, memoryArgs(args, input)[1:]...)
			command.Env = append(os.Environ(), "GOMAXPROCS=1")
			if err := command.Run(); command.ProcessState == nil {
				t.Fatal(err)
			}
			peak := int(command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10
			t.Logf("| `%s` | %d %s | %d MB |", args, trace.AllLimits[i].Default, in.limit, peak>>20)
			if code := command.ProcessState.ExitCode(); code != 0 || peak > mostMemory {
				t.Errorf("%s: exit code %d, %d MB", args, code, peak>>20)
			}
		}
		os.Remove(input)
	}
}
