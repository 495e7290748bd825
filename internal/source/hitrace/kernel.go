package hitrace

import (
	"bytes"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/kernel"
)

// Blocked has the fields of a sched_blocked_reason event: why a thread was blocked.
type Blocked struct {
	TID    trace.TID
	IOWait bool // the kernel counts it as waiting for storage
	// Caller is the kernel function in which it blocked, "io_schedule+0x48/0x60"; empty if a
	// Perfetto trace does not name it. All kernels print one: a line without is cut, and no event.
	Caller []byte
}

// Frequency has the fields of a cpu_frequency event, or the highest frequency of a
// cpu_frequency_limits event.
type Frequency struct {
	CPU trace.CPU
	KHz uint32 // 1 to 1<<24
}

// Transact has the fields of a binder_transaction event; those of a
// binder_transaction_received event are zero but for the ID.
type Transact struct {
	ID uint64
	// Thread is the thread to which a reply goes; 0 of a call that any thread may serve.
	Thread trace.TID
	// Reply: it answers a call. OneWay: nobody waits for a reply.
	Reply, OneWay bool
}

// MaxCallers is how many callers are followed from a thread that serves a call: a call may pass
// through other processes.
const MaxCallers = 4

// Request identifies a request to a storage device, from block_rq_issue and
// block_rq_complete events.
type Request struct {
	Device uint64 // major number << 32 | minor number
	Sector uint64
}

// Task identifies the thread that a CreateEvent creates, or that ends with an ExitEvent or FreeEvent.
type Task struct{ TID trace.TID }

// Interrupt is that of an InterruptBegin event, as text names it; empty if it does not.
type Interrupt struct{ Name []byte }

// Cooling is what the kernel did against heat, as text says it.
type Cooling struct{ Args []byte }

// interruptName returns the name of an interrupt in the args of irq_handler_entry and softirq_entry:
//
//	irq=105 name=ufshcd      ufshcd
//	vec=3 [action=NET_RX]    NET_RX
//
// Of other args, such as those of ipi_entry, it returns nothing.
func interruptName(args []byte) []byte {
	_, name, ok := bytes.Cut(args, []byte("name="))
	if ok {
		name, _, _ = bytes.Cut(name, []byte(", "))
		return bytes.TrimSpace(name)
	}
	_, name, _ = bytes.Cut(args, []byte("[action="))
	name, _, _ = bytes.Cut(name, []byte("]"))
	return name
}

// fieldStore has the fields of the events of a batch. Its memory is used for the next batch.
type fieldStore struct {
	all          bool // those of other events than switches, wakeups, binder calls and tasks, too
	switches     store[Switch]
	wakeups      store[Wakeup]
	blocked      store[Blocked]
	frequencies  store[Frequency]
	transactions store[Transact]
	tasks        store[Task]
	requests     store[Request]
	interrupts   store[Interrupt]
	cooling      store[Cooling]
	events       [FreeEvent + 1]*kernel.Event // of the kinds, that of the last name
	values       kernel.Values
	memory       []byte // of texts
}

// store hands out pointers to values. They are valid until the store is reset. It allocates
// nothing once it has grown.
type store[T any] struct{ list []T }

func (s *store[T]) set(value T) *T {
	p := s.next()
	*p = value
	return p
}

func (s *store[T]) next() *T {
	if len(s.list) == cap(s.list) {
		s.list = make([]T, 0, max(64, 2*cap(s.list))) // what is in use stays where it is
	}
	s.list = s.list[:len(s.list)+1]
	return &s.list[len(s.list)-1]
}

func (f *fieldStore) reset() {
	f.switches.list, f.wakeups.list, f.blocked.list = f.switches.list[:0], f.wakeups.list[:0], f.blocked.list[:0]
	f.frequencies.list, f.transactions.list, f.requests.list = f.frequencies.list[:0], f.transactions.list[:0], f.requests.list[:0]
	f.tasks.list, f.interrupts.list, f.cooling.list, f.memory = f.tasks.list[:0], f.interrupts.list[:0], f.cooling.list[:0], f.memory[:0]
}

// ParseFields returns what Event.Fields of an event with the name and args is.
func ParseFields(name, args []byte) any {
	return (&fieldStore{all: true}).parse(KindOf(name), name, args)
}

// decode returns Event.Fields of an event that is no text.
func (f *fieldStore) decode(kind Kind, d kernel.Decoder, e *Event) any {
	isNeeded := f.all || kind == CreateEvent || kind == ExitEvent || kind == FreeEvent
	switch kind {
	case SwitchEvent, WakingEvent, WakeupEvent, NewThreadEvent, TransactionEvent, ReceivedEvent:
		isNeeded = true
	case KernelEvent, InterruptEnd:
		isNeeded = false
	}
	if !isNeeded {
		return nil
	}
	v := &f.values
	v.Memory = f.memory
	defer func() { f.memory = v.Memory }()
	if kind == CoolingEvent {
		return f.cooling.set(Cooling{d.AppendArgs(nil, e.Args, int(e.CPU), v)})
	}
	switch format := d.Decode(e.Args, int(e.CPU), v); {
	case format != nil:
		return f.of(kind, format.Event, v)
	case kind == InterruptBegin:
		return f.interrupts.set(Interrupt{})
	}
	return nil
}

// of returns Event.Fields of an event with values.
func (f *fieldStore) of(kind Kind, event *kernel.Event, v *kernel.Values) any {
	n, t := &v.Numbers, &v.Texts
	switch kind {
	case SwitchEvent:
		if int32(n[kernel.SwitchPrevTID]) < 0 || int32(n[kernel.SwitchNextTID]) < 0 {
			return nil
		}
		return f.switches.set(Switch{
			PrevComm: t[kernel.SwitchPrevComm], PrevTID: trace.TID(n[kernel.SwitchPrevTID]), PrevPrio: int32(n[kernel.SwitchPrevPrio]), PrevState: t[kernel.SwitchPrevState],
			NextComm: t[kernel.SwitchNextComm], NextTID: trace.TID(n[kernel.SwitchNextTID]), NextPrio: int32(n[kernel.SwitchNextPrio]),
		})
	case WakingEvent, WakeupEvent, NewThreadEvent:
		if int32(n[kernel.WakeupTID]) < 0 || int32(n[kernel.WakeupTargetCPU]) < 0 {
			return nil
		}
		return f.wakeups.set(Wakeup{Comm: t[kernel.WakeupComm], TID: trace.TID(n[kernel.WakeupTID]), Prio: int32(n[kernel.WakeupPrio]), TargetCPU: trace.CPU(n[kernel.WakeupTargetCPU])})
	case TransactionEvent, ReceivedEvent:
		return f.transactions.set(Transact{
			ID: n[kernel.TransactionID], Thread: trace.TID(n[kernel.TransactionThread]), Reply: n[kernel.TransactionReply] != 0, OneWay: n[kernel.TransactionFlags]&oneWay != 0,
		})
	case CreateEvent, ExitEvent, FreeEvent:
		field := kernel.EndedTask
		if kind == CreateEvent {
			field = kernel.NewTask
			if event.Name == "sched_process_fork" {
				field = kernel.ForkedTask
			}
		}
		if tid := trace.TID(n[field]); tid > 0 {
			return f.tasks.set(Task{tid})
		}
	case BlockedEvent:
		return f.blocked.set(Blocked{TID: trace.TID(n[kernel.BlockedTID]), IOWait: n[kernel.BlockedIOWait] == 1, Caller: t[kernel.BlockedCaller]})
	case FrequencyEvent, FrequencyLimit:
		kHz, cpu := n[kernel.FrequencyState], n[kernel.FrequencyCPU]
		if kind == FrequencyLimit {
			kHz, cpu = n[kernel.FrequencyMax], n[kernel.FrequencyMaxCPU]
		}
		if kHz > 0 && kHz <= maxFrequency && cpu < maxCPUs {
			return f.frequencies.set(Frequency{CPU: trace.CPU(cpu), KHz: uint32(kHz)})
		}
	case IssueEvent, CompleteEvent:
		major, minor := kernel.SplitDevice(n[kernel.RequestDevice])
		return f.requests.set(Request{Device: major<<32 | minor, Sector: n[kernel.RequestSector]})
	case InterruptBegin:
		name := t[kernel.IRQName]
		if vector := n[kernel.SoftirqVector]; event.Name == "softirq_entry" && vector < uint64(len(kernel.Softirqs)) {
			name = []byte(kernel.Softirqs[vector])
		}
		name, _, _ = bytes.Cut(name, []byte(", "))
		return f.interrupts.set(Interrupt{bytes.TrimSpace(name)})
	}
	return nil
}

// parse returns Event.Fields of an event of the kind from the args of its text. Switches and wakeups have
// parsers of their own, because most lines are switches and wakeups.
func (f *fieldStore) parse(kind Kind, name, args []byte) any {
	switch kind {
	case SwitchEvent:
		if s := f.switches.next(); s.parse(args) {
			return s
		}
		return nil
	case WakingEvent, WakeupEvent, NewThreadEvent:
		if w := f.wakeups.next(); w.parse(args) {
			return w
		}
		return nil
	case TransactionEvent, ReceivedEvent, CreateEvent, ExitEvent, FreeEvent:
	case BlockedEvent, FrequencyEvent, FrequencyLimit, IssueEvent, CompleteEvent:
		if !f.all {
			return nil
		}
	case InterruptBegin:
		if f.all {
			return f.interrupts.set(Interrupt{interruptName(args)})
		}
		return nil
	case CoolingEvent:
		if f.all {
			return f.cooling.set(Cooling{args})
		}
		return nil
	default:
		return nil
	}
	event := f.events[kind]
	if event == nil || event.Name != string(name) { // several have one kind
		event = kernel.Events()[string(name)]
		f.events[kind] = event
	}
	if event == nil || event.Parse(trimSpace(args), &f.values) == nil {
		return nil
	}
	return f.of(kind, event, &f.values)
}

// maxFrequency is above the frequency of any processor, in kHz.
const maxFrequency = 1 << 24

// oneWay is the bit of the flags of a transaction to which nobody replies. Source:
// TF_ONE_WAY of the kernel's binder.h.
const oneWay = 1
