package pftrace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
)

// Scheduling is compact only where no switch is beside wakings or a plain switch of its time on its processor, as
// Perfetto sorts compact switches, compact wakings and other events for themselves. Blocks end between lines of one
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
	type forms struct{ compactSwitches, switches, compactWakings, wakings int }
	all := map[moment]*forms{}
	of := func(cpu uint32, at uint64) *forms {
		m := moment{cpu, at}
		if all[m] == nil {
			all[m] = &forms{}
		}
		return all[m]
	}
	data, _ := convert(t, text.String(), Options{})
	for _, p := range packetsOf(t, data) {
		bundle := p.GetFtraceEvents()
		sched := bundle.GetCompactSched()
		var at uint64
		for _, delta := range sched.GetSwitchTimestamp() {
			at += delta
			of(bundle.GetCpu(), at).compactSwitches++
		}
		at = 0
		for _, delta := range sched.GetWakingTimestamp() {
			at += delta
			of(bundle.GetCpu(), at).compactWakings++
		}
		for _, e := range bundle.GetEvent() {
			switch f := of(bundle.GetCpu(), e.GetTimestamp()); {
			case e.GetSchedSwitch() != nil:
				f.switches++
			case e.GetSchedWaking() != nil:
				f.wakings++
			}
		}
	}
	ties, compact := 0, 0
	for m, f := range all {
		if f.compactSwitches+f.switches+f.compactWakings+f.wakings > 1 {
			ties++
		}
		if f.compactSwitches+f.compactWakings > 0 {
			compact++
		}
		if f.compactSwitches > 0 && f.switches+f.compactWakings+f.wakings > 0 || f.switches > 0 && f.compactWakings > 0 {
			t.Errorf("at %d on processor %d: %+v", m.at, m.cpu, *f)
		}
	}
	if ties < 1000 || compact < len(all)/4 {
		t.Errorf("of %d times %d have several events, %d compact ones: that tests nothing", len(all), ties, compact)
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
		must.Equal(t, got[cpu], n, "markers on processor %d", cpu)
	}
	must.Equal(t, strings.Join(counters, " "), "C|200|counter|1 C|200|counter|2", "counters are")
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
	if want := map[uint64]bool{102_000_001_000: true, 3_000_000_000: true, 3_000_001_000: true, 3_000_002_000: true}; !maps.Equal(compact, want) {
		t.Errorf("switches at %v are compact", compact)
	}
}

// A negative priority has five bytes. A reader of int32 gets the same number from five as from ten.
func TestNegativePriorities(t *testing.T) {
	line := func(at, prev, next, prio int) string {
		return madeLine(at, prev, 0, "sched_switch", fmt.Sprintf("prev_comm=a prev_pid=%d prev_prio=%d prev_state=S ==> next_comm=a next_pid=%d next_prio=%d", prev, -prio, next, prio))
	}
	data, _ := convert(t, line(1, 1, 2, -2)+line(2, 2, 1, -100)+line(3, 1, 2, 120), Options{})
	var got []int32
	for _, p := range packetsOf(t, data) {
		for _, e := range p.GetFtraceEvents().GetEvent() {
			got = append(got, e.GetSchedSwitch().GetPrevPrio(), e.GetSchedSwitch().GetNextPrio())
		}
		got = append(got, p.GetFtraceEvents().GetCompactSched().GetSwitchNextPrio()...)
	}
	must.EqualSlices(t, got, []int32{2, -2, -120, 120, -100}, "priorities are")
}
