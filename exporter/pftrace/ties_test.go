package pftrace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
)

// Scheduling is compact only where it is alone at its time on its processor, as
// Perfetto sorts compact events for themselves. Blocks end between lines of one
// time, too.
func TestCompactSchedulingIsAlone(t *testing.T) {
	type moment struct {
		cpu uint32
		at  uint64
	}
	random := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	now := 0
	var runs [4]int // the thread on each processor
	for text.Len() < 4*(256<<10) {
		now += random.IntN(2)
		cpu, next := random.IntN(len(runs)), random.IntN(9)
		if random.IntN(2) == 0 {
			text.WriteString(madeLine(now, 1+runs[cpu], cpu, "sched_waking", fmt.Sprintf("comm=t%d pid=%d prio=120 target_cpu=000", next, 1+next)))
			continue
		}
		text.WriteString(madeLine(now, 1+runs[cpu], cpu, "sched_switch", fmt.Sprintf(
			"prev_comm=t%d prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=t%d next_pid=%d next_prio=120", runs[cpu], 1+runs[cpu], next, 1+next)))
		runs[cpu] = next
	}
	compact, all := map[moment]int{}, map[moment]int{}
	data, _ := convert(t, text.String(), Options{})
	for _, p := range packetsOf(t, data) {
		bundle := p.GetFtraceEvents()
		sched := bundle.GetCompactSched()
		for _, deltas := range [][]uint64{sched.GetSwitchTimestamp(), sched.GetWakingTimestamp()} {
			var at uint64
			for _, delta := range deltas {
				at += delta
				compact[moment{bundle.GetCpu(), at}]++
				all[moment{bundle.GetCpu(), at}]++
			}
		}
		for _, e := range bundle.GetEvent() {
			if e.GetSchedSwitch() != nil || e.GetSchedWaking() != nil || e.GetSchedBlockedReason() != nil {
				all[moment{bundle.GetCpu(), e.GetTimestamp()}]++
			}
		}
	}
	ties := 0
	for m, n := range all {
		if n > 1 {
			ties++
			if compact[m] > 0 {
				t.Errorf("of %d events at %d on processor %d %d are compact", n, m.at, m.cpu, compact[m])
			}
		}
	}
	if ties < 1000 || len(compact) < len(all)/4 {
		t.Errorf("of %d times %d have several events, %d compact ones: that tests nothing", len(all), ties, len(compact))
	}
}

// Events that need not move stay where they are, also if many have the same time.
func TestTiesMoveLittle(t *testing.T) {
	x := &textTrace{}
	x.mark(caseStart, app.on(2), "C|200|counter|1")
	x.mark(caseStart, app.on(3), "C|200|counter|2")
	want := map[uint32]int{2: 2}
	for i := range 400 {
		who := thread{"worker", 1000 + i, 0, i % 4} // of no process, and so not on a track
		x.mark(caseStart, who, "B|0|slice")
		want[uint32(who.cpu)]++
	}
	data, _ := convert(t, x.String(), Options{})
	got := map[uint32]int{}
	var counters []string
	for _, p := range printedIn(t, data) {
		got[p.cpu]++
		if strings.HasPrefix(p.text, "C") {
			counters = append(counters, p.text)
		}
	}
	for cpu, n := range want {
		if got[cpu] != n {
			t.Errorf("%d markers on processor %d, want %d", got[cpu], cpu, n)
		}
	}
	if strings.Join(counters, " ") != "C|200|counter|1 C|200|counter|2" {
		t.Errorf("counters are %v", counters)
	}
}

// Time may not advance where lines that were read already are skipped: what comes
// after them is of another trace, but of the same time.
func TestCompactSchedulingIsAloneAcrossTraces(t *testing.T) {
	line := func(at string, prev, next int) string {
		return fmt.Sprintf(" a-%d (1) [000] .... %s: sched_switch: prev_comm=a prev_pid=%d prev_prio=120 prev_state=S ==> next_comm=a next_pid=%d next_prio=120\n", prev, at, prev, next)
	}
	const header = "# tracer: nop\n"
	text := header + line("100.000001", 1, 2) + line("102.000001", 2, 1) + header +
		line("3.000000", 1, 2) + line("3.000001", 2, 1) + line("101.000001", 1, 2) + line("3.000001", 1, 2) + line("3.000002", 2, 1) + line("3.000003", 1, 2)
	data, summary := convert(t, text, Options{})
	if summary.Totals.Further != 1 || summary.Exported != 7 {
		t.Fatalf("%d further traces, %d events", summary.Totals.Further, summary.Exported)
	}
	compact := map[uint64]bool{}
	for _, p := range packetsOf(t, data) {
		var at uint64
		for _, delta := range p.GetFtraceEvents().GetCompactSched().GetSwitchTimestamp() {
			at += delta
			compact[at] = true
		}
	}
	// Neither are the first, as nobody knows who ran before, and the block's last.
	if want := map[uint64]bool{102_000_001_000: true, 3_000_000_000: true, 3_000_002_000: true}; !maps.Equal(compact, want) {
		t.Errorf("switches at %v are compact", compact)
	}
}
