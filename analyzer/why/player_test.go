package why_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// player writes a trace of frames. Times are in microseconds.
type player struct {
	strings.Builder
	at            int // after start
	period, every int
	show          []string
	later         int // than that, deadlines, in nanoseconds
	// received is how much later than its vsync a frame begins.
	received int
	limits   trace.Limits
	leftOut  *regexp.Regexp // lines that the trace does not have
	frames   int
	vsync    int // of the frame
	index    int // of the vsync
	tid      int // the thread that does something
	cpu      int // where it runs
	call     int // number of the last one
	process  int // of all threads; if zero, that of the hundreds
}

const start = 100_000_000

// comms are the names of the threads. The process of a thread is that of the hundreds, but 2
// for small numbers.
var comms = map[int]string{
	0: "swapper/1", 20: "irq/7-dma", 21: "udk-irq-3", 22: "kworker/1:2", 23: "ksoftirqd/1", 24: "irq/9-xhci-hcd", 25: "irq/8-mmc0", 500: "com.example.app", 501: "TaskWorker",
	502: "RSUniRenderThre", 600: "service", 601: "OS_IPC_1", 700: "hog", 702: "hilogd.rd_kmsg", 1000: "render_service",
	1001: "RSUniRenderThre", 1002: "RSHardwareThrea", 1003: "Present Fence", 1004: "VSyncGenerator", 1010: "OS_IPC_3_1010",
	511: "A", 512: "B", 513: "C", 514: "D", 515: "E", 521: "Pool-1", 522: "Pool-2",
}

// comm names a thread. Those from 2000 on are the main threads of processes, one in a hundred.
func comm(tid int) string {
	if tid >= 2000 && tid%100 == 0 {
		return fmt.Sprint("svc_", tid/100)
	}
	return cmp.Or(comms[tid], "x")
}

func pid(tid int) int {
	if tid < 100 {
		return 2
	}
	return tid / 100 * 100
}

// line writes what a thread does on a CPU.
func (p *player) line(tid, cpu int, format string, args ...any) {
	t := start + p.at
	fmt.Fprintf(p, "%16s-%d (%5d) [%03d] .... %6d.%06d: ", comm(tid), tid, cmp.Or(p.process, pid(tid)), cpu, t/1e6, t%1e6)
	fmt.Fprintf(p, format+"\n", args...)
}

func (p *player) begin(tid, cpu int, name string) {
	p.line(tid, cpu, "tracing_mark_write: B|%d|H:%s", pid(tid), name)
}

func (p *player) end(tid, cpu int) { p.line(tid, cpu, "tracing_mark_write: E|%d|", pid(tid)) }

func (p *player) change(cpu, prev int, state string, next int) {
	p.line(prev, cpu, "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=120",
		comm(prev), prev, state, comm(next), next)
}

func (p *player) wake(waker, cpu, tid int) {
	p.line(waker, cpu, "sched_waking: comm=%s pid=%d prio=120 target_cpu=001", comm(tid), tid)
}

// number returns a time in microseconds.
func number(t *testing.T, text string) int {
	t.Helper()
	n := must.Get(strconv.ParseFloat(text, 64))(t)
	return int(n*1000 + 0.5)
}

// play plays one line.
func (p *player) play(t *testing.T, words []string) {
	t.Helper()
	if len(words) == 0 {
		return
	}
	switch words[0] {
	case "period":
		p.period = number(t, words[1])
		return
	case "every":
		p.every = number(t, words[1])
		return
	case "later":
		p.later = number(t, words[1])
		return
	case "received":
		p.received = number(t, words[1])
		return
	case "show":
		p.show = words[1:]
		return
	case "limit":
		must.Do(t, p.limits.Set(words[1]))
		return
	case "without":
		p.leftOut = regexp.MustCompile(words[1])
		return
	case "hang":
		p.hang(t, words[1:])
		return
	}
	count := 1
	if len(words) > 2 && words[1] == "×" {
		count, words = number(t, words[0])/1000, words[2:]
	}
	for range count {
		for line := range slices.Values(split(words, "/")) {
			p.index++
			p.vsync += p.every
			// A thread that is still busy begins later.
			p.at = max(p.at, p.vsync+p.received)
			switch line[0] {
			case "main(":
				p.renderFrame(t, line)
			case "work":
				p.tid, p.cpu = 1000, 1
				p.change(1, 0, "R", 1000)
				p.begin(1000, 1, "Task")
				p.at += number(t, line[1])
				p.end(1000, 1)
				p.change(1, 1000, "S", 0)
			default:
				p.appFrame(t, line)
			}
		}
	}
}

func split(words []string, at string) (lists [][]string) {
	for {
		i := slices.Index(words, at)
		if i < 0 {
			return append(lists, words)
		}
		lists, words = append(lists, words[:i]), words[i+1:]
	}
}

// receive begins a frame's ReceiveVsync.
func (p *player) receive(tid, length int) {
	p.frames++
	p.tid, p.cpu = tid, 1
	p.wake(0, 1, tid)
	p.change(1, 0, "R", tid)
	now := (start + p.vsync) * 1000
	p.begin(tid, 1, fmt.Sprintf("ReceiveVsync dataCount:24bytes now:%d expectedEnd:%d vsyncId:%d", now, now+length*1000+p.later, p.index))
}

// appFrame plays the work of a frame and, after idle, what is done before its ReceiveVsync ends.
func (p *player) appFrame(t *testing.T, words []string) {
	p.receive(500, p.period)
	p.begin(500, 1, "OnVsyncEvent")
	lists := split(words, "idle")
	p.do(t, lists[0])
	p.end(500, p.cpu)
	for _, idle := range lists[1:] {
		p.do(t, idle)
	}
	p.end(500, p.cpu)
	p.change(p.cpu, 500, "S", 0)
}

// hang plays work of the application's main thread between frames, one thing after the other.
func (p *player) hang(t *testing.T, words []string) {
	p.tid, p.cpu = 500, 1
	p.at = max(p.at, p.vsync+p.every/2)
	p.wake(0, 1, 500)
	p.change(1, 0, "R", 500)
	p.do(t, words)
	p.change(p.cpu, 500, "S", 0)
	for p.vsync+p.every < p.at {
		p.vsync += p.every
	}
}

// renderFrame plays main( … ) draw 1 delay 1 commit 1 display 1. Each step is done by a thread
// of its own; in the delay nobody does anything.
func (p *player) renderFrame(t *testing.T, words []string) {
	end := closing(words, 0)
	p.receive(1000, p.period*3/2)
	p.begin(1000, 1, "RSMainThread::DoComposition")
	p.do(t, words[1:end])
	p.end(1000, p.cpu)
	p.end(1000, p.cpu)
	p.change(p.cpu, 1000, "S", 0)
	steps := map[string]int{}
	for i := end + 1; i+1 < len(words); i += 2 {
		steps[words[i]] = number(t, words[i+1])
	}
	step := func(tid, cpu, d int, name string) {
		p.change(cpu, 0, "R", tid)
		p.begin(tid, cpu, name)
		p.at += d
		p.end(tid, cpu)
		p.change(cpu, tid, "S", 0)
	}
	defer func(at int) { p.at = at }(p.at) // the next frame may begin meanwhile
	if d := steps["draw"]; d > 0 {
		step(1001, 2, d, "RenderFrame")
	}
	if steps["commit"] == 0 {
		return
	}
	p.at += steps["delay"]
	p.change(3, 0, "R", 1002)
	p.begin(1002, 3, fmt.Sprintf("CommitLayers rate:100,now:%d,vsyncId:%d,size:1,Names:demo,zorder: 0,", (start+p.vsync)*1000, p.index))
	p.begin(1002, 3, fmt.Sprintf("Present Fence %d", p.index))
	p.end(1002, 3)
	p.at += steps["commit"]
	p.end(1002, 3)
	p.change(3, 1002, "S", 0)
	step(1003, 4, steps["display"], fmt.Sprintf("Waiting for Present Fence %d", p.index))
}

var stamp = regexp.MustCompile(`\d+\.\d{6}: `)

// text returns the lines in order of time. A line without a time has that of the one before.
func (p *player) text() string {
	type line struct{ at, text string }
	var lines []line
	at := ""
	for text := range strings.Lines(p.String()) {
		at = cmp.Or(stamp.FindString(text), at)
		if p.leftOut == nil || !p.leftOut.MatchString(text) {
			lines = append(lines, line{at, text})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
	}
	return b.String()
}

// closing returns the index of the word that closes the parenthesis of words[i].
func closing(words []string, i int) int {
	depth := 0
	for ; i < len(words); i++ {
		switch {
		case strings.HasSuffix(words[i], "("):
			depth++
		case words[i] == ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(words)
}

// shorthands are words for others: % is the thread after the colon, # the number that follows.
var shorthands = map[string]string{
	"io":        "D:20 # function:io_schedule:1",
	"timer":     "S:0 # function:hrtimer_nanosleep",
	"render":    "S:1001 #", // whatever that does
	"own":       "S:501( run # )",
	"other":     "S:601( run # )",
	"unwoken":   "off:S:0 run # back:0",               // and nobody knows why it goes on
	"preempted": "off:R+:% run # back:%",              // by a thread
	"woken":     "off:S:% run 0.03 wake run # back:%", // while a thread has its CPU, or while that sleeps
	"lost":      "off:S:0 run # off:R+:0 back:0",      // nobody knows: the thread is switched out twice
	"calls":     "#×( unanswered )",
}

// do plays what a thread does.
func (p *player) do(t *testing.T, words []string) {
	t.Helper()
	for i := 0; i < len(words); i++ {
		if name, ok := strings.CutSuffix(words[i], "("); ok {
			end := closing(words, i)
			p.enclose(t, name, words[i+1:end])
			i = end
			continue
		}
		word, operand, _ := strings.Cut(words[i], ":")
		first, second, _ := strings.Cut(operand, ":")
		if p.doWithoutTime(t, word, first, second) {
			continue
		}
		if i++; i >= len(words) {
			t.Fatalf("%s needs a number", word)
		}
		if text, ok := shorthands[word]; ok {
			other := cmp.Or(operand, map[string]string{"preempted": "700", "woken": "0"}[word])
			p.do(t, strings.Fields(strings.NewReplacer("%", other, "#", words[i]).Replace(text)))
			continue
		}
		d := number(t, words[i])
		switch word {
		case "run":
			p.at += d
		case "S", "D": // waits until another thread, which has not run before, wakes it
			p.change(p.cpu, p.tid, word, 0)
			p.at += d
			p.wake(number(t, operand)/1000, 10, p.tid)
			p.change(p.cpu, 0, "R", p.tid)
		case "interrupted": // waits in a state until a handler or, in capitals, a softirq wakes it on a CPU where thread 700 runs
			begin, end := "irq_handler_entry: irq=7 name=%s", "irq_handler_exit: irq=7 ret=handled%.s"
			if strings.ToUpper(first) == first {
				begin, end = "softirq_entry: vec=3 [action=%s]", "softirq_exit: vec=3 [action=%s]"
			}
			p.change(p.cpu, p.tid, second, 0)
			p.at += d
			p.line(700, 10, begin, first)
			p.line(700, 10, "irq_handler_entry: irq=9 name=other")
			p.line(700, 10, "irq_handler_exit: irq=9 ret=handled")
			p.wake(700, 10, p.tid)
			p.line(700, 10, end, first)
			p.change(p.cpu, 0, "R", p.tid)
		case "storage": // waits while a request is at work: to write, if an operand says that another one is complete
			kind, after := "R", 0
			if operand != "" {
				kind, after = "W", number(t, operand)/1000
			}
			p.line(p.tid, p.cpu, "block_rq_issue: 8,0 %s 4096 () 128 + 8 [x]", kind)
			p.change(p.cpu, p.tid, "S", 0)
			p.at += d
			p.line(20, 10, "block_rq_complete: 8,0 %s () %d + 8 [0]", kind, 128+after)
			p.wake(20, 10, p.tid)
			p.change(p.cpu, 0, "R", p.tid)
		case "handler": // interrupts, one within the other
			p.line(p.tid, p.cpu, "irq_handler_entry: irq=7 name=x")
			p.at += d / 2
			p.line(p.tid, p.cpu, "softirq_entry: vec=1 [action=TIMER]")
			p.at += d / 2
			p.line(p.tid, p.cpu, "softirq_exit: vec=1 [action=TIMER]")
			p.line(p.tid, p.cpu, "irq_handler_exit: irq=7 ret=handled")
		case "on": // goes to a CPU
			p.change(p.cpu, p.tid, "R+", 0)
			p.cpu = d / 1000
			p.change(p.cpu, 0, "R", p.tid)
		case "elsewhere": // is seen on a CPU, though it has not left its own
			p.change(number(t, operand)/1000, 0, "R", p.tid)
			p.at += d
			p.change(number(t, operand)/1000, p.tid, "R", 0)
		case "clock": // a CPU has so many MHz from now on
			i++
			p.line(0, 9, "cpu_frequency: state=%d cpu_id=%d", number(t, words[i]), d/1000)
		case "cap": // a CPU may have so many MHz from now on
			i++
			p.line(0, 9, "cpu_frequency_limits: min=100 max=%d cpu_id=%d", number(t, words[i]), d/1000)
		case "cool": // the kernel changes the state of a cooling device
			p.line(0, 9, "cdev_update: type=thermal-cpufreq-0 target=%d", d/1000)
		case "take": // applies the transaction of a frame
			p.begin(p.tid, p.cpu, fmt.Sprintf("RSMainThread::ProcessCommandUni [500,%d]", d/1000))
			p.end(p.tid, p.cpu)
		case "send": // sends a transaction with this number
			p.begin(p.tid, p.cpu, fmt.Sprintf("MarshRSTransactionData cmdCount:1 transactionFlag:[500,%d]", d/1000))
			p.end(p.tid, p.cpu)
		default:
			t.Fatalf("%q has no meaning", word)
		}
	}
}

// enclose plays a word with a parenthesis and what is in it.
func (p *player) enclose(t *testing.T, name string, within []string) {
	t.Helper()
	count, repeated := strings.CutSuffix(name, "×")
	kind, operands, isWait := strings.Cut(name, ":")
	switch {
	case repeated: // 100×( … )
		for range number(t, count) / 1000 {
			p.do(t, within)
		}
	case name == "call", kind == "call" && isWait: // to a thread of another process, which begins to serve it 1 ms later
		server, waker := 601, 0
		if operands != "" {
			first, second, _ := strings.Cut(operands, ":")
			server, waker = number(t, first)/1000, number(t, cmp.Or(second, "0"))/1000
		}
		caller, call := p.tid, p.transaction(p.tid, p.cpu, "0x10")
		p.change(p.cpu, p.tid, "S", 0)
		p.wake(p.tid, p.cpu, server)
		p.at += 1000
		p.as(server, func() {
			p.line(server, p.cpu, "binder_transaction_received: transaction=%d", call)
			p.do(t, within)
			if waker != 0 { // which is all that is seen of the reply
				p.wake(waker, p.cpu, caller)
				return
			}
			p.call++
			p.line(server, p.cpu, "binder_transaction: transaction=%d dest_node=0 dest_proc=500 dest_thread=%d reply=1 flags=0x0 code=0x0", p.call, caller)
			p.wake(server, p.cpu, caller)
		})
		p.change(p.cpu, 0, "R", p.tid)
		if waker == 0 {
			p.line(p.tid, p.cpu, "binder_transaction_received: transaction=%d", p.call)
		}
	case isWait && len(kind) == 1: // S:501( … )
		p.change(p.cpu, p.tid, kind, 0)
		waiting, waker := p.tid, number(t, operands)/1000
		p.as(waker, func() {
			p.do(t, within)
			p.wake(waker, p.cpu, waiting)
		})
		p.change(p.cpu, 0, "R", p.tid)
	default:
		p.begin(p.tid, p.cpu, strings.ReplaceAll(name, "_", " "))
		p.do(t, within)
		p.end(p.tid, p.cpu)
	}
}

// transaction begins a call and returns its number.
func (p *player) transaction(tid, cpu int, flags string) int {
	p.call++
	p.line(tid, cpu, "binder_transaction: transaction=%d dest_node=1 dest_proc=600 dest_thread=0 reply=0 flags=%s code=0x37", p.call, flags)
	return p.call
}

// as has another thread do something on the next CPU, from 11 up.
func (p *player) as(tid int, do func()) {
	caller, cpu := p.tid, p.cpu
	p.tid, p.cpu = tid, max(11, cpu+1)
	p.change(p.cpu, 0, "R", tid)
	do()
	p.change(p.cpu, tid, "S", 0)
	p.tid, p.cpu = caller, cpu
}

// doWithoutTime plays the words without a number after them.
func (p *player) doWithoutTime(t *testing.T, word, first, second string) bool {
	t.Helper()
	operand := func(text string) int { return number(t, text) / 1000 }
	switch word {
	case "function": // of the last wait, and :1 if the kernel counts it as storage
		p.line(p.tid, 10, "sched_blocked_reason: pid=%d iowait=%s caller=%s+0x1/0x2", p.tid, cmp.Or(second, "0"), first)
	case "off": // leaves its CPU in a state to a thread
		p.change(p.cpu, p.tid, first, operand(second))
	case "wake": // is woken by a thread of its process, or by another one
		p.wake(operand(cmp.Or(first, "501")), 10, p.tid)
	case "next": // its CPU goes from one thread to another
		p.change(p.cpu, operand(first), "S", operand(second))
	case "back": // gets its CPU from a thread
		p.change(p.cpu, operand(first), "S", p.tid)
	case "loss": // the kernel notes that events of a CPU are lost
		fmt.Fprintf(p, "CPU:%s [LOST 3 EVENTS]\n", first)
	case "event": // another one on a CPU
		p.line(0, operand(first), "cpu_idle: state=1 cpu_id=%s", first)
	case "oneway": // a call without a reply
		p.transaction(p.tid, p.cpu, "0x11")
	case "unreceived": // a call that should have one
		p.transaction(p.tid, p.cpu, "0x10")
	case "unanswered": // a call of another process that thread 601 does not reply to
		p.line(601, 12, "binder_transaction_received: transaction=%d", p.transaction(700, 9, "0x10"))
	default:
		return false
	}
	return true
}
