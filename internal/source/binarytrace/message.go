package binarytrace

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
)

// Fields of a FtraceEvent. The message of the event has its own number.
const (
	eventTimestamp = 1
	eventTGID      = 2
	eventComm      = 3
	eventCommon    = 50
	firstMessage   = 100

	commonFlags   = 2
	commonPreempt = 3
	commonPID     = 4
)

// messages are the events of ftrace-plugin by the number of their message, with the
// text that the kernel prints. In it, %1d is field 1:
//
//	d  a signed number, of 32 bits       s  text
//	u  an unsigned number                S  the state of a thread
//	x  hexadecimal                       p  the name of a function, or its address
//	c  a processor of three digits       v  the name of a softirq
//	q  a signed number, of 64 bits       r  handled or unhandled
//	A  the arguments of a system call    D  a device, MAJOR,MINOR
//	P  bytes of so many pages            E  a device, MAJOR:MINOR
//	b  begin or end                      C  p, if the next field has no name
//
// Source: openharmony/developtools_profiler, protos of ftrace_data; print fmt of
// Linux.
var messages = compileMessages([]messageText{
	{109, "binder_lock", "tag=%1s"},
	{110, "binder_locked", "tag=%1s"},
	{113, "binder_transaction", "transaction=%1d dest_node=%2d dest_proc=%3d dest_thread=%4d reply=%5d flags=0x%7x code=0x%6x"},
	{114, "binder_transaction_alloc_buf", "transaction=%1d data_size=%2u offsets_size=%3u extra_buffers_size=%4u"},
	{119, "binder_transaction_received", "transaction=%1d"},
	{122, "binder_unlock", "tag=%1s"},
	{200, "block_bio_backmerge", bioText},
	{201, "block_bio_bounce", bioText},
	{202, "block_bio_complete", "%1D %5s %2u + %3u [%4d]"},
	{203, "block_bio_frontmerge", bioText},
	{204, "block_bio_queue", bioText},
	{205, "block_bio_remap", "%1D %6s %2u + %3u <- (%4D) %5u"},
	{206, "block_dirty_buffer", "%1D sector=%2u size=%3u"},
	{207, "block_getrq", bioText},
	{208, "block_plug", "[%1s]"},
	{209, "block_rq_complete", "%1D %5s (%6s) %2u + %3u [%4d]"},
	{210, "block_rq_insert", requestText},
	{211, "block_rq_issue", requestText},
	{212, "block_rq_remap", "%1D %7s %2u + %3u <- (%4D) %5u %6u"},
	{213, "block_rq_requeue", "%1D %4s (%5s) %2u + %3u [0]"},
	{215, "block_split", "%1D %4s %2u / %3u [%5s]"},
	{216, "block_touch_buffer", "%1D sector=%2u size=%3u"},
	{217, "block_unplug", "[%2s] %1d"},
	{400, "clk_disable", "%1s"},
	{402, "clk_enable", "%1s"},
	{410, "clk_set_rate", "%1s %2u"},
	{700, "dma_fence_destroy", fenceText},
	{701, "dma_fence_emit", fenceText},
	{702, "dma_fence_enable_signal", fenceText},
	{703, "dma_fence_init", fenceText},
	{704, "dma_fence_signaled", fenceText},
	{705, "dma_fence_wait_end", fenceText},
	{706, "dma_fence_wait_start", fenceText},
	{1000, "mm_filemap_add_to_page_cache", pageText},
	{1001, "mm_filemap_delete_from_page_cache", pageText},
	{printMessage, markerName, "%2s"},
	{1400, "ipi_entry", "(%1s)"},
	{1401, "ipi_exit", "(%1s)"},
	{1402, "ipi_raise", "target_mask=%1x (%2s)"},
	{1500, "irq_handler_entry", "irq=%1d name=%2s"},
	{1501, "irq_handler_exit", "irq=%1d ret=%2r"},
	{1502, "softirq_entry", "vec=%1u [action=%1v]"},
	{1503, "softirq_exit", "vec=%1u [action=%1v]"},
	{1504, "softirq_raise", "vec=%1u [action=%1v]"},
	{1800, "oom_score_adj_update", "pid=%1d comm=%2s oom_score_adj=%3d"},
	{2000, "clock_disable", clockText},
	{2001, "clock_enable", clockText},
	{2002, "clock_set_rate", clockText},
	{2003, "cpu_frequency", "state=%1u cpu_id=%2u"},
	{2004, "cpu_frequency_limits", "min=%1u max=%2u cpu_id=%3u"},
	{idleMessage, "cpu_idle", "state=%1u cpu_id=%2u"},
	{2019, "suspend_resume", "%1s[%2u] %3b"},
	{2200, "sys_enter", "NR %1q (%2A)"},
	{2201, "sys_exit", "NR %1q = %2q"},
	{2402, "sched_migrate_task", "comm=%1s pid=%2d prio=%3d orig_cpu=%4d dest_cpu=%5d"},
	{2404, "sched_pi_setprio", "comm=%1s pid=%2d oldprio=%3d newprio=%4d"},
	{2405, "sched_process_exec", "filename=%1s pid=%2d old_pid=%3d"},
	{2406, "sched_process_exit", taskText},
	{2407, "sched_process_fork", "comm=%1s pid=%2d child_comm=%3s child_pid=%4d"},
	{2408, "sched_process_free", taskText},
	{2409, "sched_process_wait", taskText},
	{2417, "sched_switch", "prev_comm=%1s prev_pid=%2d prev_prio=%3d prev_state=%4S ==> next_comm=%5s next_pid=%6d next_prio=%7d"},
	{2420, "sched_wakeup", wakeupText},
	{2421, "sched_wakeup_new", wakeupText},
	{2422, "sched_waking", wakeupText},
	{2500, "signal_deliver", "sig=%1d errno=%2d code=%3d sa_handler=%4x sa_flags=%5x"},
	{2501, "signal_generate", "sig=%1d errno=%2d code=%3d comm=%4s pid=%5d grp=%6d res=%7d"},
	{2700, "task_newtask", "pid=%1d comm=%2s clone_flags=%3x oom_score_adj=%4d"},
	{2701, "task_rename", "pid=%1d oldcomm=%2s newcomm=%3s oom_score_adj=%4d"},
	{2801, "hrtimer_expire_entry", "hrtimer=0x%1x function=%3p now=%2q"},
	{3100, "workqueue_activate_work", "work struct 0x%1x"},
	{3101, "workqueue_execute_end", "work struct 0x%1x: function %2p"},
	{3102, "workqueue_execute_start", "work struct 0x%1x: function %2p"},
	{3103, "workqueue_queue_work", "work struct=0x%1x function=%2p workqueue=0x%3x req_cpu=%4u cpu=%5u"},
	{4000, "regulator_set_voltage", "name=%1s (%2d-%3d)"},
	{4001, "regulator_set_voltage_complete", "name=%1s, val=%2u"},
	{blockedMessage, "sched_blocked_reason", "pid=%1d iowait=%3u caller=%2C"},
	{4003, "gpu_mem_total", "gpu_id=%1u pid=%2u total=%3u"},
	{4004, "rss_stat", "mm_id=%1u curr=%2u member=%3d size=%4qB"},
})

const (
	fenceText   = "driver=%1s timeline=%2s context=%3u seqno=%4u"
	clockText   = "%1s state=%2u cpu_id=%3u"
	taskText    = "comm=%1s pid=%2d prio=%3d"
	bioText     = "%1D %4s %2u + %3u [%5s]"
	requestText = "%1D %5s %4u (%7s) %2u + %3u [%6s]"
	pageText    = "dev %4E ino %2x pfn=%1u ofs=%3P"
	wakeupText  = "comm=%1s pid=%2d prio=%3d target_cpu=%5c"
)

// Messages that need more than a text.
const (
	printMessage   = 1109
	idleMessage    = 2005
	blockedMessage = 4002
)

// callerName is the field of a sched_blocked_reason with the caller's name, which
// newer writers fill in.
const callerName = 4

type messageText struct {
	number int
	name   string
	text   string
}

// messageFormat is how a message is printed.
type messageFormat struct {
	title   []byte
	program program
	last    int // the number of its last field
}

// maxFields is more than the number of the last field of any message.
const maxFields = 16

// lastMessage is more than the number of any message.
const lastMessage = 5000

// compileMessages makes the table of messages by number. The texts are those above.
func compileMessages(list []messageText) *[lastMessage]*messageFormat {
	table := new([lastMessage]*messageFormat)
	for _, m := range list {
		f := &messageFormat{title: roomy(": " + m.name + ": ")}
		for rest := m.text; rest != ""; {
			literal, verb, found := strings.Cut(rest, "%")
			part := step{literal: roomy(literal)}
			if rest = verb; found {
				field := int(verb[0] - '0')
				part.print, rest = messagePrinter(verb[1], field), verb[2:]
				f.last = max(f.last, field, lastOf[verb[1]])
			}
			f.program = append(f.program, part)
		}
		table[m.number] = f
	}
	return table
}

// lastOf are the last fields that verbs use in addition to their own.
var lastOf = map[byte]int{'C': callerName}

// message is the fields of the message that is printed.
type message struct {
	numbers [maxFields]uint64
	texts   [maxFields][]byte
	raw     []byte
}

// read replaces the fields, up to the last, by those of a message. It reports whether
// the message is valid. The last element of a repeated field counts.
func (m *message) read(data []byte, last int) bool {
	m.raw = data
	clear(m.numbers[:last+1])
	clear(m.texts[:last+1])
	f := fields{rest: data}
	for f.next() {
		if f.number > last {
			continue
		}
		m.numbers[f.number], m.texts[f.number] = f.value, f.data
	}
	return !f.bad
}

// line implements source.
func (h *htrace) line(b []byte, data []byte, cpu int, e *event) []byte {
	var tgid, tid, flags, preempt uint64
	var comm, payload []byte
	number := 0
	f := fields{rest: data[e.from:e.to]}
	for f.next() {
		switch {
		case f.number == eventTGID:
			tgid = f.value
		case f.number == eventComm:
			comm = cString(f.data)
		case f.number == eventCommon:
			g := fields{rest: f.data}
			for g.next() {
				switch g.number {
				case commonFlags:
					flags = g.value
				case commonPreempt:
					preempt = g.value
				case commonPID:
					tid = g.value
				}
			}
			f.bad = g.bad
		case f.number >= firstMessage && f.isBytes:
			number, payload = f.number, f.data
		}
	}
	if f.bad {
		h.log.Add(badMessage)
		return b
	}
	if tid > math.MaxInt32 {
		h.log.Add(badThread)
		return b
	}
	if number >= lastMessage || messages[number] == nil {
		h.log.Add(unknownID)
		return b
	}
	m, format := &h.scope.message, messages[number]
	if !m.read(payload, format.last) {
		h.log.Add(badMessage)
		return b
	}
	switch number {
	case printMessage:
		if len(m.texts[2]) == 0 {
			h.log.Add(emptyMarkers)
			return b
		}
	case idleMessage:
		m.repairIdle()
	}
	if len(comm) == 0 {
		comm = h.names.comm(int32(tid))
	}
	group := int32(tgid)
	if tgid == 0 && tid != 0 {
		group = -1
	}
	thread := int32(tid)
	t := h.columns.task(thread, cpu)
	if !t.is(thread, cpu) || t.tgid != group || !bytes.Equal(t.comm, comm) {
		t.set(comm, thread, group, cpu)
	}
	b = h.columns.append(b, t, uint8(flags), uint8(preempt), trace.Time(e.time))
	b = appendRoomy(b, format.title)
	from := len(b)
	b = format.program.append(b, &h.scope)
	if number == printMessage {
		b = trimMarker(b, from)
	}
	return finishLine(b, from)
}

// repairIdle exchanges the fields of a cpu_idle if the processor has an impossible
// number and the state has not. Writers go by the position of fields, which HongMeng
// has in reverse order.
func (m *message) repairIdle() {
	if m.numbers[2] >= maxCPUs && m.numbers[1] < maxCPUs {
		m.numbers[1], m.numbers[2] = m.numbers[2], m.numbers[1]
	}
}

// Softirqs are the names of softirqs, by vector.
//
// Source: Linux, include/trace/events/irq.h.
var Softirqs = [...]string{"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"}

// messagePrinter returns what prints a field of a message.
func messagePrinter(verb byte, i int) printer {
	number := func(appendNumber func(b []byte, n uint64) []byte) printer {
		return func(b []byte, s *scope) []byte { return appendNumber(b, s.message.numbers[i]) }
	}
	either := func(isSet, otherwise string) printer {
		return func(b []byte, s *scope) []byte {
			if s.message.numbers[i] != 0 {
				return append(b, isSet...)
			}
			return append(b, otherwise...)
		}
	}
	switch verb {
	case 's':
		return func(b []byte, s *scope) []byte { return append(b, cString(s.message.texts[i])...) }
	case 'd':
		return func(b []byte, s *scope) []byte { return appendInt(b, int64(int32(s.message.numbers[i]))) }
	case 'q':
		return number(func(b []byte, n uint64) []byte { return appendInt(b, int64(n)) })
	case 'u':
		return number(func(b []byte, n uint64) []byte { return appendPadded(b, n, 0, ' ') })
	case 'x':
		return number(appendHex)
	case 'c':
		return number(func(b []byte, n uint64) []byte { return appendPadded(b, uint64(uint32(n)), 3, '0') })
	case 'S':
		return number(appendLinuxState)
	case 'b':
		return either("begin", "end")
	case 'r':
		return either("handled", "unhandled")
	case 'v':
		return number(func(b []byte, n uint64) []byte {
			if n < uint64(len(Softirqs)) {
				return append(b, Softirqs[n]...)
			}
			return strconv.AppendUint(b, n, 10)
		})
	case 'A':
		return func(b []byte, s *scope) []byte { return s.message.appendArgs(b, i) }
	case 'D':
		return number(func(b []byte, n uint64) []byte { return appendDevice(b, n, ',') })
	case 'E':
		return number(func(b []byte, n uint64) []byte { return appendDevice(b, n, ':') })
	case 'P':
		return number(func(b []byte, n uint64) []byte { return appendPadded(b, n<<12, 0, ' ') })
	}
	return func(b []byte, s *scope) []byte { // the name of a function
		if verb == 'C' && len(s.message.texts[callerName]) > 0 {
			return append(b, cString(s.message.texts[callerName])...)
		}
		address := s.message.numbers[i]
		if name, ok := s.symbols[address]; ok {
			return append(b, name...)
		}
		return appendAddress(b, address)
	}
}

// appendDevice appends the major and the minor number of a device.
func appendDevice(b []byte, dev uint64, separator byte) []byte {
	const minorBits = 20
	b = appendPadded(b, dev>>minorBits, 0, ' ')
	return appendPadded(append(b, separator), dev&(1<<minorBits-1), 0, ' ')
}

// appendArgs appends the elements of a repeated field in hexadecimal. An old writer
// has them as text.
func (m *message) appendArgs(b []byte, field int) []byte {
	separator := ""
	f := fields{rest: m.raw}
	for f.next() {
		if f.number != field {
			continue
		}
		if f.isBytes {
			return append(b, cString(f.data)...)
		}
		b = appendHex(append(b, separator...), f.value)
		separator = ", "
	}
	return b
}

// linuxStates are the letters of the bits of a thread's state.
//
// Source: Linux, include/trace/events/sched.h, kernels from 4.14 on.
const linuxStates = "SDTtXZPI"

// appendLinuxState appends a thread's state.
func appendLinuxState(b []byte, state uint64) []byte {
	from := len(b)
	for i := range linuxStates {
		if state&(1<<i) != 0 {
			if len(b) > from {
				b = append(b, '|')
			}
			b = append(b, linuxStates[i])
		}
	}
	if len(b) == from {
		b = append(b, 'R')
	}
	if state&0x100 != 0 {
		b = append(b, '+')
	}
	return b
}
