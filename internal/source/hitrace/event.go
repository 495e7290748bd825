package hitrace

import "ohframe/analyzer/trace"

// Kind is the kind of an event, by its name.
type Kind uint8

// The kinds of events. The comments name the events and the type of Event.Fields.
const (
	KernelEvent      Kind = iota // any other event
	MarkerEvent                  // tracing_mark_write, print, and as KindOf says
	SwitchEvent                  // sched_switch, sched_switch_lite: *Switch
	WakingEvent                  // sched_waking: *Wakeup
	WakeupEvent                  // sched_wakeup, sched_wakeup_lite: *Wakeup
	NewThreadEvent               // sched_wakeup_new: *Wakeup
	BlockedEvent                 // sched_blocked_reason: *Blocked
	FrequencyEvent               // cpu_frequency: *Frequency
	FrequencyLimit               // cpu_frequency_limits: *Frequency, the highest that is allowed
	InterruptBegin               // irq_handler_entry, softirq_entry, ipi_entry: *Interrupt
	InterruptEnd                 // irq_handler_exit, softirq_exit, ipi_exit
	TransactionEvent             // binder_transaction: *Transact
	ReceivedEvent                // binder_transaction_received: *Transact
	IssueEvent                   // block_rq_issue: *Request
	CompleteEvent                // block_rq_complete: *Request
	CoolingEvent                 // cdev_update, thermal_power_cpu_limit: *Cooling
	CreateEvent                  // task_newtask, sched_process_fork: *Task
	ExitEvent                    // sched_process_exit: *Task
	FreeEvent                    // sched_process_free: *Task, whose id may be given again
)

// KindOf returns the kind of the events with this name. Linux prints the name of the function
// that writes markers, HongMeng "print", and some tools of SmartPerf "trace_tag". Functions of
// kernels that were optimised when linked have a suffix, and addresses stand for functions whose
// names the kernel hides, 0 for all of them on old ones.
//
// HongMeng's lite events have the arguments of those that they replace.
func KindOf(name []byte) Kind {
	switch string(name) {
	case "print", markerWriter, "trace_tag":
		return MarkerEvent
	case "sched_switch", "sched_switch_lite":
		return SwitchEvent
	case "sched_waking":
		return WakingEvent
	case "sched_wakeup", "sched_wakeup_lite":
		return WakeupEvent
	case "sched_wakeup_new":
		return NewThreadEvent
	case "sched_blocked_reason":
		return BlockedEvent
	case "cpu_frequency":
		return FrequencyEvent
	case "cpu_frequency_limits":
		return FrequencyLimit
	case "irq_handler_entry", "softirq_entry", "ipi_entry":
		return InterruptBegin
	case "irq_handler_exit", "softirq_exit", "ipi_exit":
		return InterruptEnd
	case "binder_transaction":
		return TransactionEvent
	case "binder_transaction_received":
		return ReceivedEvent
	case "block_rq_issue":
		return IssueEvent
	case "block_rq_complete":
		return CompleteEvent
	case "cdev_update", "thermal_power_cpu_limit":
		return CoolingEvent
	case "task_newtask", "sched_process_fork":
		return CreateEvent
	case "sched_process_exit":
		return ExitEvent
	case "sched_process_free":
		return FreeEvent
	}
	if isWriter(name) || isAddress(name) {
		return MarkerEvent
	}
	return KernelEvent
}

// markerWriter is the function of Linux that writes markers.
const markerWriter = "tracing_mark_write"

// isWriter reports whether a name is that of the function that writes markers, with the suffix of
// an optimised one ("tracing_mark_write.llvm.823", "….cfi_jt", "…$1f2e") or an offset.
func isWriter(name []byte) bool {
	if len(name) < len(markerWriter) || string(name[:len(markerWriter)]) != markerWriter {
		return false
	}
	if len(name) == len(markerWriter) {
		return true
	}
	switch name[len(markerWriter)] {
	case '.', '$', '+':
		return true
	}
	return false
}

// isAddress reports whether an event has the address of a function for a name: 0, or hexadecimal
// digits behind 0x.
func isAddress(name []byte) bool {
	if len(name) == 0 || name[0] != '0' {
		return false
	}
	if len(name) == 1 {
		return true
	}
	return name[1] == 'x' && len(name) > 2 && len(trimHex(name[2:])) == 0
}

// Event is a parsed line. Only the reader changes it. Its slices, and what its pointers
// point to, are valid until the sinks of a Run have seen its block.
//
// The order of the fields matters: an event has three lines of a processor's cache, and
// what every sink reads of every event is in the second one.
type Event struct {
	Line
	Kind Kind
	// Word is the word that a marker's label spells, Other if none.
	Word Word
	// Outside is set on events outside the window. They are not part of any output
	// but still carry clocks, names and the beginnings and ends of frames.
	Outside bool
	// Lost: events of its processor are missing right before this one.
	Lost bool
	// Process is the process of the event's thread: that of the column or, for a marker on
	// a line without one, that which the payloads of the thread's markers state.
	// trace.UnknownPID if nothing states it.
	Process trace.PID
	// Number is the line's number in the input, counted from 1.
	Number int
	// Fields are the args of the kinds of events that frames or causes need, of the type
	// that the kind names. Nil for other events, if the args cannot be parsed, and if no
	// sink reads them.
	Fields any
	// Marker is the payload of a marker; its Phase is NotAMarker for others.
	Marker Marker
}

// Switch returns the fields of a SwitchEvent, nil for others and if they cannot be parsed.
func (e *Event) Switch() *Switch {
	s, _ := e.Fields.(*Switch)
	return s
}

// Wakeup returns the fields of a WakingEvent, WakeupEvent or NewThreadEvent, nil for others
// and if they cannot be parsed.
func (e *Event) Wakeup() *Wakeup {
	w, _ := e.Fields.(*Wakeup)
	return w
}

// Task returns the fields of a CreateEvent, ExitEvent or FreeEvent, nil for others and if they cannot
// be parsed.
func (e *Event) Task() *Task {
	t, _ := e.Fields.(*Task)
	return t
}

// trimSpace returns text without the white space and control characters that it ends
// with: editors and converters add some to lines, and systems before 5.1 write a
// blank after names.
func trimSpace(text []byte) []byte {
	n := len(text)
	for n > 0 && text[n-1] <= ' ' {
		n--
	}
	return text[:n]
}

// interpret sets e, all but its line, kind and number.
func (b *Batch) interpret(e *Event) Problem {
	e.Word, e.Outside, e.Lost, e.Process = Other, false, false, e.PID
	if e.Kind != MarkerEvent {
		e.Marker.Phase = NotAMarker
		if b.Decoder != nil {
			e.Fields = b.fields.decode(e.Kind, b.Decoder, e)
		} else if e.Kind != KernelEvent && e.Fields == nil {
			e.skipIndent()
			e.Fields = b.fields.parse(e.Kind, e.Name, e.Args)
		}
		return NoProblem
	}
	e.skipIndent()
	if n := len(e.Args); n > 0 && e.Args[n-1] <= ' ' {
		e.Args = trimSpace(e.Args)
	}
	if problem := ParseMarker(e.Args, &e.Marker); problem != NoProblem {
		if isAddress(e.Name) { // that of another function
			e.Kind, e.Marker.Phase = KernelEvent, NotAMarker
			return NoProblem
		}
		return problem
	}
	if e.Marker.Phase == Sync && e.Time == 0 && isAddress(e.Name) { // "dummy-0000 [000] 0.0: 0: …" at the end of old pages of systrace
		return Ignorable
	}
	if e.Marker.Phase != End { // which has no name
		e.Word = e.Marker.word()
	}
	return NoProblem
}

// skipIndent removes blanks before the args: editors may indent columns.
func (e *Event) skipIndent() {
	if len(e.Args) > 0 && e.Args[0] <= ' ' {
		e.Args = e.Args[skipBlanks(e.Args, 0):]
	}
}
