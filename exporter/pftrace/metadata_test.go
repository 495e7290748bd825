package pftrace

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/must"
)

// treesOf returns the packets that name processes.
func treesOf(t testing.TB, data []byte) []*perfettopb.TracePacket {
	t.Helper()
	var list []*perfettopb.TracePacket
	for _, p := range packetsOf(t, data) {
		if p.GetProcessTree() != nil {
			list = append(list, p)
		}
	}
	return list
}

// Names must be there before the first event that needs them. There may be
// more of them than fit into a packet; a process is not split.
func TestManyProcesses(t *testing.T) {
	x := &textTrace{}
	const processes, threads = 500, 20
	for p := range processes {
		for i := range threads {
			main := 1000 + 100*p
			x.mark(caseStart+int64(p), thread{fmt.Sprintf("thread %d.%d", p, i), main + i, main, 0}, "I|1|here")
		}
	}
	data, _ := convert(t, x.String(), Options{})
	trees := treesOf(t, data)
	if len(trees) < 2 {
		t.Errorf("%d threads in one packet", processes*threads)
	}
	seen := map[int32]bool{}
	for _, p := range trees {
		if at := int64(p.GetTimestamp()); at > caseStart*1000 {
			t.Errorf("names at %d, after the first event", at)
		}
		for _, process := range p.GetProcessTree().GetProcesses() {
			if seen[process.GetPid()] {
				t.Fatalf("process %d twice", process.GetPid())
			}
			seen[process.GetPid()] = true
		}
		for _, thread := range p.GetProcessTree().GetThreads() {
			if !seen[thread.GetTgid()] {
				t.Fatalf("thread %d before its process", thread.GetTid())
			}
		}
	}
}

// A process has its main thread's name, blanks and all; where nobody says it,
// none.
func TestProcessNames(t *testing.T) {
	x := &textTrace{}
	x.mark(caseStart, thread{"main thread", 100, 100, 0}, "I|100|x")
	x.mark(caseStart, thread{"worker", 101, 100, 0}, "I|100|x")
	x.mark(caseStart, thread{"worker", 201, 200, 0}, "I|200|x")
	x.mark(caseStart, thread{"<...>", 300, 300, 0}, "I|300|x")
	x.mark(caseStart, thread{"", 301, 300, 0}, "I|300|x")
	x.mark(caseStart+1, thread{"renamed", 201, 200, 0}, "I|200|x")
	x.mark(caseStart+2, thread{"<...>", 201, 200, 0}, "I|200|x")
	x.mark(caseStart+3, thread{"<idle>", 0, 0, 1}, "I|0|x")
	data, _ := convert(t, x.String(), Options{})
	tree := treesOf(t, data)[0].GetProcessTree()
	var got rows
	for _, p := range tree.GetProcesses() {
		got.add(p.GetPid(), strings.Join(p.GetCmdline(), "+"))
	}
	compare(t, "processes", got, rows{`100, "main thread+"`, `200, ""`, `300, ""`})
	got = nil
	for _, h := range tree.GetThreads() {
		got.add(h.GetTid(), h.GetName(), h.GetTgid())
	}
	compare(t, "threads", got, rows{`100, "main thread", 100`, `101, "worker", 100`, `201, "renamed", 200`, `300, "", 300`, `301, "", 300`})
}

// clocksOf returns the clocks of the one snapshot in a trace, nil if there is none.
func clocksOf(t *testing.T, data []byte) map[uint32]int64 {
	t.Helper()
	var clocks map[uint32]int64
	for _, p := range packetsOf(t, data) {
		snapshot := p.GetClockSnapshot()
		if snapshot == nil {
			continue
		}
		if clocks != nil {
			t.Error("two clock snapshots")
		}
		clocks = map[uint32]int64{}
		for _, c := range snapshot.GetClocks() {
			clocks[c.GetClockId()] = int64(c.GetTimestamp())
		}
		if p.GetTimestamp() != uint64(clocks[6]) {
			t.Errorf("snapshot at %d of boot time %d", p.GetTimestamp(), clocks[6])
		}
	}
	return clocks
}

// A snapshot says only what is known of the clocks, and says it of the first
// moment of the trace: Perfetto would not convert what comes before.
func TestClockSnapshot(t *testing.T) {
	const boot, monotonic, realtime = 6, 3, 1
	line := func(at int64, payload string) string {
		x := &textTrace{}
		x.mark(at, other, payload)
		return x.String()
	}
	nothing := line(caseStart, "I|300|x")
	wall := line(caseStart+500, "trace_event_clock_sync: realtime_ts=1700000000123")
	x := &textTrace{}
	x.appFrame(app, caseStart+600, caseStart+900, vsync{now: caseStart - 300, end: caseStart + 5_000, id: 1})
	frame := x.String()

	for _, test := range []struct {
		name, text string
		options    analysis.FrameOptions
		want       map[uint32]int64
	}{
		{"nothing known", nothing, analysis.FrameOptions{}, nil},
		{"offset given", nothing, analysis.FrameOptions{ClockOffset: offset(1_000)}, map[uint32]int64{boot: caseStart * 1000, monotonic: caseStart*1000 - 1_000}},
		{"offset of more than there is", nothing, analysis.FrameOptions{ClockOffset: offset(caseStart*1000 + 1)}, nil},
		{"wall clock", nothing + wall, analysis.FrameOptions{}, map[uint32]int64{boot: caseStart * 1000, realtime: 1700000000123e6 - 500_000}},
		{"vsync before the first line", nothing + wall + frame, analysis.FrameOptions{}, map[uint32]int64{
			boot: (caseStart - 300) * 1000, monotonic: (caseStart - 300) * 1000, realtime: 1700000000123e6 - 800_000}},
	} {
		data, _ := convert(t, test.text, Options{Analyzer: test.options})
		got := clocksOf(t, data)
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// Perfetto does not interpolate between snapshots, so that a clock that drifts has many:
// each within 0.2 ms of the drift.
func TestDriftSnapshots(t *testing.T) {
	x := &textTrace{}
	for i := int64(0); i < 300; i++ { // 30 s
		now := int64(caseStart) + i*100_000
		at := now + 3_000_000 + i*20 // 200 us per second, in us
		x.appFrame(app, at+300, at+4_000, vsync{now: now, end: now + 8_000, id: i + 1})
	}
	data, summary := convert(t, x.String(), Options{})
	n := 0
	for _, p := range packetsOf(t, data) {
		s := p.GetClockSnapshot()
		if s == nil {
			continue
		}
		n++
		times := map[uint32]int64{}
		for _, c := range s.Clocks {
			times[c.GetClockId()] = int64(c.GetTimestamp())
		}
		now := times[3]
		want := now + 3_000_300_000 + (now-caseStart*1000)/5000
		if off := times[6] - want; off < -200_000 || off > 200_000 {
			t.Errorf("boot time %d for %d, want about %d", times[6], now, want)
		}
	}
	if n < 25 || len(summary.Timeline.ClockChanges) != 1 {
		t.Errorf("%d snapshots, changes %v", n, summary.Timeline.ClockChanges)
	}
}

// Attributes of the caller follow our own, as text. They are part of the trace's
// identity: traces that differ in one are not the same.
func TestAttributes(t *testing.T) {
	x := &textTrace{}
	x.mark(caseStart, thread{"a", 1, 1, 0}, "I|1|x")
	find := func(list map[string]string) (map[string]string, *perfettopb.TraceUuid) {
		data, _ := convert(t, x.String(), Options{Attributes: list})
		values, id := map[string]string{}, (*perfettopb.TraceUuid)(nil)
		for _, p := range packetsOf(t, data) {
			for _, a := range p.GetTraceAttributes().GetAttribute() {
				values[a.GetKey()] = a.GetStringValue()
			}
			if u := p.GetTraceUuid(); u != nil {
				id = u
			}
		}
		return values, id
	}
	values, id := find(map[string]string{"build": "12", "branch": "a,b=c"})
	if values["build"] != "12" || values["branch"] != "a,b=c" || values["ohframe.clock_offset_source"] == "" {
		t.Errorf("got %v", values)
	}
	for _, other := range []map[string]string{nil, {"build": "13", "branch": "a,b=c"}, {"build": "12"}} {
		if _, otherID := find(other); otherID.GetMsb() == id.GetMsb() && otherID.GetLsb() == id.GetLsb() {
			t.Errorf("%v: the same identity", other)
		}
	}
}

// A process without a name has that which all its threads begin with.
func TestProcessName(t *testing.T) {
	for _, test := range []struct {
		name, threads, want string
	}{
		{"hilogd", "other.a other.b", "hilogd"},
		{"", "hilogd.server hilogd.pst hilogd.pst", "hilogd"},
		{"", "hilogd.server - hilogd.pst", "hilogd"}, // one without a name
		{"", "hilogd.server", ""},
		{"", "hilogd.server -", ""},
		{"", "hilogd.server OS_IPC_1", ""},
		{"", "hilogd.server logd.pst", ""},
		{"", "SaInit0 SaInit0", ""},
		{"", ".a .b", ""},
		{"", "", ""},
	} {
		p := &analyzer.Process{PID: 1, Name: test.name}
		for i, name := range strings.Fields(test.threads) {
			p.Threads = append(p.Threads, analyzer.Thread{TID: trace.TID(10 + i), Name: strings.Trim(name, "-")})
		}
		must.Equal(t, processName(p), test.want, "%q, threads %s", test.name, test.threads)
	}
}
