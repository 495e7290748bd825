package simulate

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ohframe/internal/testing/slow"
)

var (
	switchPattern = regexp.MustCompile(`^prev_comm=(.*) prev_pid=(\d+) prev_prio=(-?\d+) prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+) next_prio=(-?\d+)( next_info=\S+)?$`)
	wakeupPattern = regexp.MustCompile(`^comm=(.*) pid=(\d+) prio=(-?\d+) target_cpu=(\d{3})$`)
)

// TestWhoRunsWhere replays the scheduler's lines: a processor switches away from
// the thread it was running, to one that was woken or would have gone on, and
// all a thread's markers come from where it runs.
func TestWhoRunsWhere(t *testing.T) {
	slow.SkipRace(t)
	for _, kernel := range []Kernel{KernelLinux, KernelHongMeng} {
		t.Run(string(kernel), func(t *testing.T) {
			c := everything("6.0")
			if c.Kernel = kernel; kernel == KernelHongMeng {
				c.Background = slow.Of(6000, 30_000)
			}
			text, _ := simulateText(t, c)
			checkSchedule(t, readLines(t, text), kernel)
		})
	}
}

func checkSchedule(t *testing.T, lines []textLine, kernel Kernel) {
	running := map[int]int{} // by processor; 0 is idle
	ready := map[int]bool{}
	where := map[int]int{}
	owners, switches, wakeups := 0, 0, 0
	for _, l := range lines {
		if l.event == "sched_wakeup" {
			m := wakeupPattern.FindStringSubmatch(l.payload)
			if m == nil {
				t.Fatalf("wakeup %q", l.payload)
			}
			pid, _ := strconv.Atoi(m[2])
			if cpu, runs := where[pid]; runs || ready[pid] {
				t.Fatalf("%v: %s is woken, but runs on %d or is ready", l.time, m[1], cpu)
			}
			ready[pid] = true
			wakeups++
		}
		if l.event != "sched_switch" {
			// On HongMeng idle has thread ids of its own.
			want := running[l.cpu]
			if want == 0 && kernel == KernelHongMeng {
				want = 270 + l.cpu
			}
			if l.tid != want {
				t.Fatalf("%v: thread %d wrote %s %s on processor %d, which runs %d", l.time, l.tid, l.event, l.payload, l.cpu, want)
			}
			owners++
			continue
		}
		switches++
		m := switchPattern.FindStringSubmatch(l.payload)
		if m == nil {
			t.Fatalf("switch %q", l.payload)
		}
		prev, _ := strconv.Atoi(m[2])
		next, _ := strconv.Atoi(m[6])
		if running[l.cpu] != prev {
			t.Fatalf("%v: processor %d switches from %d, but runs %d", l.time, l.cpu, prev, running[l.cpu])
		}
		if cpu, runs := where[next]; runs && next != 0 {
			t.Fatalf("%v: %d starts on %d, but runs on %d", l.time, next, l.cpu, cpu)
		}
		if next != 0 && !ready[next] {
			t.Fatalf("%v: %s starts, but was not woken", l.time, m[5])
		}
		owner, info := prev, ""
		if kernel == KernelHongMeng {
			owner, info = next, " next_info="
			if owner == 0 {
				owner = 270 + l.cpu
			}
		}
		if l.tid != owner {
			t.Fatalf("%v: the switch is in the name of %d, not %d", l.time, l.tid, owner)
		}
		if !strings.HasPrefix(m[8], info) || (m[8] == "") != (info == "") {
			t.Fatalf("switch ends with %q", m[8])
		}
		delete(where, prev)
		ready[prev] = strings.HasPrefix(m[4], "R")
		delete(ready, next)
		running[l.cpu] = next
		if next != 0 {
			where[next] = l.cpu
		}
	}
	if owners < 1000 || switches < 500 || wakeups < 250 {
		t.Errorf("only %d lines of %d switches and %d wakeups", owners, switches, wakeups)
	}
}
