package pftrace

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

// otherSpellings are lines of a capture as other kernels and tools write them.
var otherSpellings = []*strings.Replacer{
	strings.NewReplacer("print:", "print:                tracing_mark_write:", "sched_switch:", "sched_switch:         ", "sched_wakeup:", "sched_wakeup:         "),
	strings.NewReplacer("print:", "tracing_mark_write.llvm.8232844412049014381:", "sched_switch:", "sched_switch_lite:", "sched_wakeup:", "sched_wakeup_lite:"),
	strings.NewReplacer("print:", "0:"),
	strings.NewReplacer("print:", "trace_tag:", "sched_switch:", "sched_switch_lite:"),
	strings.NewReplacer("print:", "0xffffffc00812ab34:"),
}

var (
	switchText = regexp.MustCompile(`sched_switch: prev_comm=(.*) prev_pid=(\d+) prev_prio=(\S+) prev_state=(\S+) ==> next_comm=(.*) next_pid=(\d+) next_prio=(\S+)`)
	flags      = regexp.MustCompile(` \( *\d+\) (\[\d+\]) \.\.\.\. `)
	wakeupText = regexp.MustCompile(`sched_wakeup: comm=(.*) pid=(\d+) prio=(\S+) target_cpu=(\d+)`)
)

// traceCmd returns a line as trace-cmd writes it: without TGID and flags, and with its own text
// for scheduling.
func traceCmd(line string) string {
	line = switchText.ReplaceAllString(line, "sched_switch:         $1:$2 [$3] $4 ==> $5:$6 [$7]")
	line = wakeupText.ReplaceAllString(line, "sched_wakeup:         $1:$2 [$3] CPU:$4")
	line, _, _ = strings.Cut(line, " next_info=")
	return strings.Replace(flags.ReplaceAllString(line, " $1   "), "print:", "print:                tracing_mark_write:", 1)
}

// A capture shows the same slices, scheduling and frames in Perfetto however its lines are
// spelled, and an event that prints what looks like a marker is no slice.
func TestSpellingsInEngine(t *testing.T) {
	enginetest.ForTest(t)
	demo := must.Get(os.ReadFile("../../testdata/demo.ftrace"))(t)
	var mixed strings.Builder
	n := 0
	for line := range strings.Lines(string(demo)) {
		if k := n % (len(otherSpellings) + 1); k < len(otherSpellings) {
			line = otherSpellings[k].Replace(line)
		} else {
			line = traceCmd(strings.TrimSuffix(line, "\n")) + "\n"
		}
		mixed.WriteString(line)
		if n++; n == 1000 {
			mixed.WriteString(line[:strings.Index(line, ": ")] + ": vendor_mark: B|1027|no slice\n")
		}
	}
	want := map[string]rows{}
	for i, text := range []string{string(demo), mixed.String()} {
		data, summary := convert(t, text, Options{AllEvents: true})
		must.Equal(t, summary.Totals.Problems.Lost(), 0, "lines are not understood")
		session := enginetest.Load(t, data)
		enginetest.CheckGate(t, session)
		for what, sql := range map[string]string{
			"slices":  `SELECT s.ts, s.dur, s.name, s.depth, k.type FROM slice s JOIN track k ON k.id = track_id WHERE k.type != 'track_event' OR s.name NOT GLOB 'Analysis*'`,
			"running": `SELECT ts, dur, ucpu, tid, end_state, priority FROM sched JOIN thread USING (utid)`,
			"states":  `SELECT ts, dur, state, t.tid, w.tid FROM thread_state s JOIN thread t USING (utid) LEFT JOIN thread w ON w.utid = s.waker_utid`,
			"names":   `SELECT tid, name FROM thread`,
			"frames":  `SELECT ts, dur, name, jank_type FROM actual_frame_timeline_slice`,
		} {
			got := query(t, session, sql)
			if i == 0 {
				want[what] = got
				continue
			}
			compare(t, what, got, want[what])
		}
	}
}
