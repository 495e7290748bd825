package binarytrace

import (
	"math"
	"strconv"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"ohframe/internal/source/kernel"
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

// messages are the events of ftrace-plugin by the number of their message. Most have the fields of
// Perfetto's messages, which follow from the kernel's formats, too.
//
// Source: openharmony/developtools_profiler, protos of ftrace_data; print fmt of
// Linux.
var messages = sync.OnceValue(func() *[lastMessage]*messageFormat {
	table := new([lastMessage]*messageFormat)
	for _, m := range []struct {
		number int
		name   string
		index  int    // of the format in the table
		fields string // the numbers of what the format prints, in its order; empty for those of Perfetto's
	}{
		{109, "binder_lock", 0, ""}, {110, "binder_locked", 0, ""}, {113, "binder_transaction", 0, ""},
		{114, "binder_transaction_alloc_buf", 0, "1234"}, {119, "binder_transaction_received", 0, ""},
		{122, "binder_unlock", 0, ""}, {200, "block_bio_backmerge", 0, ""}, {201, "block_bio_bounce", 0, ""},
		{202, "block_bio_complete", 0, ""}, {203, "block_bio_frontmerge", 0, ""}, {204, "block_bio_queue", 0, ""},
		{205, "block_bio_remap", 0, ""}, {206, "block_dirty_buffer", 0, ""}, {207, "block_getrq", 0, ""},
		{208, "block_plug", 0, ""}, {209, "block_rq_complete", 0, "156234"}, {210, "block_rq_insert", 0, ""},
		{211, "block_rq_issue", 0, ""}, {212, "block_rq_remap", 0, ""}, {213, "block_rq_requeue", 0, "145230"},
		{215, "block_split", 0, ""}, {216, "block_touch_buffer", 0, ""}, {217, "block_unplug", 0, ""},
		{400, "clk_disable", 0, ""}, {402, "clk_enable", 0, ""}, {410, "clk_set_rate", 0, ""},
		{701, "dma_fence_emit", 0, "1234"}, {703, "dma_fence_init", 0, "1234"}, {704, "dma_fence_signaled", 0, "1234"},
		{705, "dma_fence_wait_end", 0, "1234"}, {706, "dma_fence_wait_start", 0, "1234"},
		{1000, "mm_filemap_add_to_page_cache", 1, ""}, {1001, "mm_filemap_delete_from_page_cache", 1, ""},
		{1400, "ipi_entry", 0, ""}, {1401, "ipi_exit", 0, ""}, {1402, "ipi_raise", 0, ""},
		{1500, "irq_handler_entry", 0, ""}, {1501, "irq_handler_exit", 0, ""}, {1502, "softirq_entry", 0, ""},
		{1503, "softirq_exit", 0, ""}, {1504, "softirq_raise", 0, ""}, {2000, "clock_disable", 0, ""},
		{2001, "clock_enable", 0, ""}, {2002, "clock_set_rate", 0, ""}, {2003, "cpu_frequency", 0, ""},
		{2004, "cpu_frequency_limits", 0, ""}, {idleMessage, "cpu_idle", 0, ""}, {2019, "suspend_resume", 0, ""},
		{2402, "sched_migrate_task", 1, ""}, {2404, "sched_pi_setprio", 0, "1234"}, {2405, "sched_process_exec", 0, ""},
		{2406, "sched_process_exit", 0, "123"}, {2407, "sched_process_fork", 0, ""}, {2408, "sched_process_free", 0, ""},
		{2409, "sched_process_wait", 0, ""}, {2417, "sched_switch", 0, ""}, {2420, "sched_wakeup", 0, ""},
		{2421, "sched_wakeup_new", 0, ""}, {2422, "sched_waking", 0, ""}, {2700, "task_newtask", 0, ""},
		{2701, "task_rename", 0, ""}, {3100, "workqueue_activate_work", 1, ""}, {3101, "workqueue_execute_end", 0, ""},
		{3102, "workqueue_execute_start", 0, ""}, {3103, "workqueue_queue_work", 0, "12345"},
		{blockedMessage, "sched_blocked_reason", 1, ""}, {4004, "rss_stat", 0, "1234"},
	} {
		format := kernel.Events()[m.name].Formats[m.index]
		table[m.number] = &messageFormat{newTitle(m.name), format, m.fields}
	}
	for _, m := range []struct {
		number     int
		name, text string
	}{
		{700, "dma_fence_destroy", "driver={1:text} timeline={2:text} context={3:uint64} seqno={4:uint64}"},
		{702, "dma_fence_enable_signal", "driver={1:text} timeline={2:text} context={3:uint64} seqno={4:uint64}"},
		{1800, "oom_score_adj_update", "pid={1} comm={2:text} oom_score_adj={3}"},
		{2200, "sys_enter", "NR {1:int64} ({2:text})"},
		{2201, "sys_exit", "NR {1:int64} = {2:int64}"},
		{2500, "signal_deliver", "sig={1} errno={2} code={3} sa_handler={4:bare} sa_flags={5:bare}"},
		{2501, "signal_generate", "sig={1} errno={2} code={3} comm={4:text} pid={5} grp={6} res={7}"},
		{2801, "hrtimer_expire_entry", "hrtimer={1:hex} function={3:symbol} now={2:int64}"},
		{4000, "regulator_set_voltage", "name={1:text} ({2}-{3})"},
		{4001, "regulator_set_voltage_complete", "name={1:text}, val={2:uint64}"},
		{4003, "gpu_mem_total", "gpu_id={1:uint64} pid={2:uint64} total={3:uint64}"},
	} {
		table[m.number] = &messageFormat{title: newTitle(m.name), format: kernel.Spell(m.text)}
	}
	table[printMessage] = &messageFormat{title: newTitle(markerName)}
	return table
})

// Messages that need more than the table.
const (
	printMessage   = 1109
	idleMessage    = 2005
	enterMessage   = 2200
	blockedMessage = 4002
)

// Fields of messages that Perfetto's lack.
const (
	callerName = 4 // the caller's name of a sched_blocked_reason, which newer writers fill in
	enterArgs  = 2 // the arguments of a sys_enter, repeated
)

// messageFormat is how a message is printed.
type messageFormat struct {
	title  title
	format *kernel.Format // nil for print
	fields string         // as above
}

// lastMessage is more than the number of any message.
const lastMessage = 5000

// head implements source.
func (h *htrace) head(head *head, data []byte) bool {
	var tgid, tid, flags, preempt uint64
	number := 0
	var payload []byte
	head.comm = nil
	f, common := kernel.Fields{Rest: data}, kernel.Fields{}
	for f.Next() && !common.Bad {
		switch {
		case f.Number == eventTGID:
			tgid = f.Value
		case f.Number == eventComm:
			head.comm = kernel.CString(f.Data)
		case f.Number == eventCommon:
			common = kernel.Fields{Rest: f.Data}
			for common.Next() {
				switch common.Number {
				case commonFlags:
					flags = common.Value
				case commonPreempt:
					preempt = common.Value
				case commonPID:
					tid = common.Value
				}
			}
		case f.Number >= firstMessage && f.IsBytes:
			number, payload, head.args = int(min(f.Number, lastMessage)), f.Data, data[:len(data)-len(f.Rest)]
		}
		data = f.Rest
	}
	if f.Bad || common.Bad {
		h.log.Add(badMessage)
		return false
	}
	text, ok := textOf(payload)
	var m *messageFormat
	if number < lastMessage {
		m = h.messages[number]
	}
	switch {
	case tid > math.MaxInt32:
		h.log.Add(badThread)
	case m == nil:
		h.log.Add(unknownID)
	case !ok:
		h.log.Add(badMessage)
	case number == printMessage && len(text) == 0:
		h.log.Add(emptyMarkers)
	default:
		head.tid, head.flags, head.preempt = int32(tid), uint8(flags), uint8(preempt)
		if head.tgid = int32(tgid); tgid == 0 && tid != 0 {
			head.tgid = -1
		}
		if len(head.comm) == 0 {
			head.comm, _ = h.names.of(head.tid)
		}
		head.title, head.marker, head.text = &m.title, number == printMessage, kernel.CString(text)
		return true
	}
	return false
}

// textOf returns the text of a message of a marker. ok is false for a message that is not valid.
func textOf(message []byte) (text []byte, ok bool) {
	f := kernel.Fields{Rest: message}
	for f.Next() {
		if f.Number == kernel.PrintText && f.IsBytes {
			text = f.Data
		}
	}
	return text, !f.Bad
}

// Decode implements kernel.Decoder.
func (h *htrace) Decode(data []byte, _ int, v *kernel.Values) *kernel.Format {
	if f := h.decode(data, v); f != nil && f.Event != nil {
		return f
	}
	return nil
}

// AppendArgs implements kernel.Decoder.
func (h *htrace) AppendArgs(b, data []byte, _ int, v *kernel.Values) []byte {
	if f := h.decode(data, v); f != nil {
		return f.Append(b, v)
	}
	return append(b, kernel.CString(v.Texts[kernel.PrintText])...)
}

// decode returns the format of an event, and its values in the form of the table.
func (h *htrace) decode(data []byte, v *kernel.Values) *kernel.Format {
	event := kernel.Fields{Rest: data}
	event.Next()
	number, message := event.Number, event.Data
	v.Read(message)
	switch number {
	case idleMessage:
		// Writers go by the position of fields, which HongMeng has in reverse order.
		if state, cpu := &v.Numbers[1], &v.Numbers[2]; *cpu >= maxCPUs && *state < maxCPUs {
			*state, *cpu = *cpu, *state
		}
	case enterMessage:
		from := len(v.Memory)
		v.Memory = appendNumbers(v.Memory, message, enterArgs)
		v.Keep(enterArgs, from)
		v.Numbers[enterArgs] = 0
	}
	f, fields := h.messages[number].format, h.messages[number].fields
	if f == nil {
		return nil
	}
	if numbers, texts := v.Numbers, v.Texts; fields != "" {
		for i := range fields {
			field := f.Places[i].Field
			v.Numbers[field], v.Texts[field] = numbers[fields[i]-'0'], texts[fields[i]-'0']
		}
	}
	for i := range f.Places {
		p := &f.Places[i]
		from := len(v.Memory)
		switch p.Kind {
		case kernel.None, kernel.Softirq:
		case kernel.Text:
			if v.Texts[p.Field] = kernel.CString(v.Texts[p.Field]); v.Numbers[p.Field] != 0 { // an address in the kernel
				v.Memory = appendAddress(v.Memory, v.Numbers[p.Field])
				v.Keep(p.Field, from)
			}
		case kernel.State:
			v.Memory = appendState(v.Memory, v.Numbers[p.Field], linuxStates)
			v.Keep(p.Field, from)
		case kernel.Symbol:
			if name := kernel.CString(v.Texts[callerName]); number == blockedMessage && len(name) > 0 {
				v.Texts[p.Field] = name
				break
			}
			address := v.Numbers[p.Field]
			if name, ok := h.symbols[address]; ok {
				v.Memory = append(v.Memory, name...)
			} else {
				v.Memory = appendAddress(v.Memory, address)
			}
			v.Keep(p.Field, from)
		default:
			v.Numbers[p.Field] = p.FromKernel(v.Numbers[p.Field])
		}
	}
	return f
}

// appendNumbers appends the elements of a repeated field in hexadecimal. An old writer
// has them as text.
func appendNumbers(b, message []byte, field protowire.Number) []byte {
	separator := ""
	for f := (kernel.Fields{Rest: message}); f.Next(); {
		switch {
		case f.Number != field:
		case f.IsBytes && separator == "":
			return append(b, kernel.CString(f.Data)...)
		default:
			b = strconv.AppendUint(append(b, separator...), f.Value, 16)
			separator = ", "
		}
	}
	return b
}
