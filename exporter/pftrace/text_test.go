package pftrace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// thread is who writes a line of a text trace, and where.
type thread struct {
	comm     string
	tid, pid int // pid 0: the column is dashes
	cpu      int
}

// The threads of the traces that tests make.
var (
	app      = thread{"com.example.app", 200, 200, 1}
	uiWorker = thread{"com.example-ui2", 207, 200, 2}
	other    = thread{"other app", 300, 300, 3}
	rs       = thread{"render_service", 100, 100, 0}
)

func (t thread) on(cpu int) thread {
	t.cpu = cpu
	return t
}

// textTrace is a text trace in the making. Times are in microseconds.
type textTrace struct {
	lines []textLine
}

type textLine struct {
	at   int64
	text string
}

// mark writes a line with the given payload.
func (x *textTrace) mark(at int64, t thread, payload string) {
	pid := "-----"
	if t.pid != 0 {
		pid = fmt.Sprintf("%5d", t.pid)
	}
	x.lines = append(x.lines, textLine{at, fmt.Sprintf("%16s-%-5d (%s) [%03d] .... %5d.%06d: tracing_mark_write: %s\n",
		t.comm, t.tid, pid, t.cpu, at/1e6, at%1e6, payload)})
}

// slice writes a slice's begin and end.
func (x *textTrace) slice(from, to int64, t thread, name string) {
	x.mark(from, t, fmt.Sprintf("B|%d|H:%s|M0538", t.pid, name))
	x.mark(to, t, fmt.Sprintf("E|%d|M0538", t.pid))
}

// String returns the lines in order of time; of equal times, as written.
func (x *textTrace) String() string {
	slices.SortStableFunc(x.lines, func(a, b textLine) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for _, l := range x.lines {
		b.WriteString(l.text)
	}
	return b.String()
}

// vsync is what starts a frame: what its marker says, with zero for what it
// does not say.
type vsync struct {
	id       int64
	now, end int64 // expected
}

func (v vsync) name() string {
	s := "ReceiveVsync dataCount: 24bytes"
	if v.now != 0 {
		s += fmt.Sprintf(" now: %d", v.now*1000)
	}
	if v.end != 0 {
		s += fmt.Sprintf(" expectedEnd: %d", v.end*1000)
	}
	if v.id != 0 {
		s += fmt.Sprintf(" vsyncId: %d", v.id)
	}
	return s
}

// appFrame writes a frame of the main thread t, which sends the given
// transactions.
func (x *textTrace) appFrame(t thread, from, to int64, v vsync, sends ...int) {
	x.mark(from, t, fmt.Sprintf("B|%d|H:%s|M0538", t.pid, v.name()))
	x.mark(from, t, fmt.Sprintf("B|%d|H:OnVsyncEvent now:%d|I39", t.pid, v.now*1000))
	for _, index := range sends {
		x.slice(to-1, to, t, fmt.Sprintf("MarshRSTransactionData cmdCount:1 transactionFlag:[%d,%d]", t.pid, index))
	}
	x.mark(to, t, fmt.Sprintf("E|%d|I39", t.pid))
	x.mark(to, t, fmt.Sprintf("E|%d|M0538", t.pid))
}

// workerFrame writes a frame of a thread that is no main thread.
func (x *textTrace) workerFrame(t thread, from, to int64, v vsync, sends ...int) {
	x.mark(from, t, fmt.Sprintf("B|%d|H:OnVsyncEvent now:%d|I39", t.pid, v.now*1000))
	x.slice(from, from, t, fmt.Sprintf("UIVsyncTask[timestamp:%d][vsyncID:%d]", v.now*1000, v.id))
	for _, index := range sends {
		x.slice(to-1, to, t, fmt.Sprintf("MarshRSTransactionData cmdCount:1 transactionFlag:[%d,%d]", t.pid, index))
	}
	x.mark(to, t, fmt.Sprintf("E|%d|I39", t.pid))
}

// renderFrame writes a frame of render_service, which takes the given
// transactions, written " [pid,index]", at the given time. Where that is zero it
// applies no commands at all; a frame that ends at zero never does.
func (x *textTrace) renderFrame(from, to int64, v vsync, at int64, takes string) {
	x.mark(from, rs, fmt.Sprintf("B|%d|H:%s|M0538", rs.pid, v.name()))
	x.mark(from, rs, fmt.Sprintf("B|%d|H:RSMainThread::DoComposition|I38", rs.pid))
	if at != 0 {
		x.slice(at, at, rs, "RSMainThread::ProcessCommandUni"+takes)
	}
	if to != 0 {
		x.mark(to, rs, fmt.Sprintf("E|%d|I38", rs.pid))
		x.mark(to, rs, fmt.Sprintf("E|%d|M0538", rs.pid))
	}
}

// gpu writes work of render_service on the GPU.
func (x *textTrace) gpu(from, to int64, cookie int) {
	x.mark(from, rs, fmt.Sprintf("S|%d|H:M: Frame queued|%d|M0538", rs.pid, cookie))
	x.mark(to, rs, fmt.Sprintf("F|%d|H:M: Frame queued|%d|M0538", rs.pid, cookie))
}

// The display refreshes every 10 ms. An application should be done within one
// period, render_service within two less 5 ms.
const (
	casePeriod = 10_000
	caseStart  = 10_000_000
)

// due returns when vsync k is due.
func due(k int64) int64 { return caseStart + k*casePeriod }

func appVsync(k, id int64) vsync    { return vsync{id: id, now: due(k), end: due(k + 1)} }
func renderVsync(k, id int64) vsync { return vsync{id: id, now: due(k), end: due(k+2) - 5_000} }

// longTrace returns a trace of many blocks, with slices across their ends.
func longTrace() string {
	x := &textTrace{}
	x.mark(caseStart, other, "B|300|all the time")
	for k := range int64(1_500) {
		v := appVsync(k, k+1)
		x.appFrame(app.on(int(k%4)), due(k)+100, due(k)+5_000, v, int(k))
		x.appFrame(other.on(int(k%3)), due(k)+200, due(k)+5_000+k, v, int(k))
		x.renderFrame(due(k+1)+200, due(k+1)+6_000, renderVsync(k+1, k+50), due(k+1)+1_000, fmt.Sprintf(" [200,%d] [300,%d]", k, k))
		x.gpu(due(k+1)+300, due(k+1)+6_000+5*k, int(k%7))
	}
	x.mark(due(1_600), other, "E|300|")
	return x.String()
}
