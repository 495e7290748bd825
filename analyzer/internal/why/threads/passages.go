package threads

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// Passages are the points at which a frame passes from one thread to the next: from the
// application to render_service, and from there to the display.
type Passages struct {
	// drawing and committing are the threads that drew and committed a frame, by the
	// begin of the slice.
	drawing, committing map[trace.Time]trace.TID
	// applied are the times at which render_service applied transactions, and deferred
	// those that it left for a later frame.
	applied  []trace.Time
	deferred []deferred
	// arrivals are the transactions that were unmarshalled, by the process that sent them.
	arrivals []arrival
	// vsyncs are when the vsync generator sent a vsync to render_service.
	vsyncs []trace.Time
	// handled are when applications handled inputs, in order.
	handled []handledInput
	// launching are the threads that began stages of launches, by the begin of the slice.
	launching map[trace.Time]trace.TID
	// parts are those of frames of Android, by process and number after sort.
	parts []AndroidPart
}

type handledInput struct {
	at    trace.Time
	pid   trace.PID
	tid   trace.TID
	input analyzer.Input
}

type deferred struct {
	at trace.Time
	hitrace.Transaction
}

// arrival is the unmarshalling of a transaction.
type arrival struct {
	pid        trace.PID
	start, end trace.Time // end is unknown until it ends
}

func (p *Passages) sort() {
	p.sortParts()
	slices.Sort(p.applied)
	slices.Sort(p.vsyncs)
	slices.SortStableFunc(p.handled, func(a, b handledInput) int { return cmp.Compare(a.at, b.at) })
	slices.SortStableFunc(p.deferred, func(a, b deferred) int { return cmp.Compare(a.at, b.at) })
	slices.SortStableFunc(p.arrivals, func(a, b arrival) int {
		return cmp.Or(cmp.Compare(a.pid, b.pid), cmp.Compare(a.start, b.start))
	})
}

// Drawing returns the thread that began to draw a frame at the time, or 0.
func (p *Passages) Drawing(at trace.Time) trace.TID { return p.drawing[at] }

// Committing returns the thread that began a commit at the time, or 0.
func (p *Passages) Committing(at trace.Time) trace.TID { return p.committing[at] }

// Applied returns when render_service first applied transactions from start to end; false
// if it applied none.
func (p *Passages) Applied(start, end trace.Time) (trace.Time, bool) {
	i, _ := slices.BinarySearch(p.applied, start)
	if i == len(p.applied) || p.applied[i] > end {
		return 0, false
	}
	return p.applied[i], true
}

// Deferred reports whether render_service, from start to end, left a transaction or an
// earlier one of its process for a later frame.
func (p *Passages) Deferred(t hitrace.Transaction, start, end trace.Time) bool {
	i, _ := slices.BinarySearchFunc(p.deferred, start, func(d deferred, at trace.Time) int { return cmp.Compare(d.at, at) })
	for ; i < len(p.deferred) && p.deferred[i].at <= end; i++ {
		if d := &p.deferred[i]; d.PID == t.PID && d.Index <= t.Index {
			return true
		}
	}
	return false
}

// Unmarshalled returns the begin and the end of the first unmarshalling of a transaction of a
// process that began at a time or later. The end is unknown if the trace lacks it.
func (p *Passages) Unmarshalled(pid trace.PID, from trace.Time) (start, end trace.Time, ok bool) {
	i, _ := slices.BinarySearchFunc(p.arrivals, from, func(a arrival, at trace.Time) int {
		return cmp.Or(cmp.Compare(a.pid, pid), cmp.Compare(a.start, at))
	})
	if i == len(p.arrivals) || p.arrivals[i].pid != pid {
		return 0, 0, false
	}
	return p.arrivals[i].start, p.arrivals[i].end, true
}

// SentVsync reports whether a vsync was sent to render_service at start or later, and
// before end.
func (p *Passages) SentVsync(start, end trace.Time) bool {
	i, _ := slices.BinarySearch(p.vsyncs, start)
	return i < len(p.vsyncs) && p.vsyncs[i] < end
}

// Handled returns when a process first handled an input of a kind from start to end, and on
// which thread; false if it did not.
func (p *Passages) Handled(pid trace.PID, input analyzer.Input, start, end trace.Time) (at trace.Time, tid trace.TID, ok bool) {
	i, _ := slices.BinarySearchFunc(p.handled, start, func(h handledInput, at trace.Time) int { return cmp.Compare(h.at, at) })
	for ; i < len(p.handled) && p.handled[i].at <= end; i++ {
		if h := &p.handled[i]; h.pid == pid && h.input == input {
			return h.at, h.tid, true
		}
	}
	return 0, 0, false
}

// Launching returns the thread that began a stage of a launch at the time, or 0.
func (p *Passages) Launching(at trace.Time) trace.TID { return p.launching[at] }

// passage is what the name of a slice says besides its place.
type passage uint8

const (
	noPassage     passage = iota
	unmarshals            // a transaction arrives in render_service
	sendsVsync            // to some receiver
	beginsProcess         // on the main thread of a new process
)

func passageOf(name string) passage {
	switch {
	case strings.HasPrefix(name, "UnMarsh RSTransactionData"):
		return unmarshals
	case strings.HasPrefix(name, "SendVsyncTo conn"):
		return sendsVsync
	case name == "dlopen", name == "OHOS::AppExecFwk::MainThread::HandleLaunchApplication":
		return beginsProcess
	}
	return noPassage
}

// beginPassage records the begin of a slice at which a frame passes on. It returns what
// openSlice.arrival is.
func (r *Recorder) beginPassage(t *thread, e *hitrace.Event, kind passage) uint32 {
	if r.limited() {
		return 0
	}
	p := &r.passages
	label := e.Marker.Label()
	switch {
	case e.Word == hitrace.RenderFrame:
		p.drawing[e.Time] = t.tid
	case e.Word == hitrace.Commit:
		p.committing[e.Time] = t.tid
	case e.Word == hitrace.InputRecord:
		input, _, ok := hitrace.ParseInputRecord(label)
		if !ok {
			return 0
		}
		p.handled = append(p.handled, handledInput{e.Time, t.pid, t.tid, input})
	case e.Word == hitrace.TouchDispatch, e.Word == hitrace.StartAbility, e.Word == hitrace.LoadAbility, e.Word == hitrace.AttachApplication,
		e.Word == hitrace.LaunchAbility, e.Word == hitrace.ForegroundAbility:
		p.launching[e.Time] = t.tid
	case e.Word == hitrace.ProcessCommands:
		p.applied = append(p.applied, e.Time)
		for id, applied := range hitrace.Transactions(label) {
			if !applied {
				p.deferred = append(p.deferred, deferred{e.Time, id})
				r.entries++
			}
		}
	case kind == sendsVsync && bytes.HasPrefix(label, []byte("SendVsyncTo conn: rs,")):
		p.vsyncs = append(p.vsyncs, e.Time)
	case kind == unmarshals:
		_, sender, _ := bytes.Cut(label, []byte("recv data from "))
		pid, err := strconv.ParseInt(string(bytes.TrimRight(sender, " ")), 10, 32)
		if err != nil || pid < 0 {
			return 0
		}
		p.arrivals = append(p.arrivals, arrival{pid: trace.PID(pid), start: e.Time})
		r.entries++
		return uint32(len(p.arrivals))
	default:
		return 0
	}
	r.entries++
	return 0
}

// arrive ends an arrival, if a slice is one.
func (p *Passages) arrive(index uint32, at trace.Time) {
	if index != 0 {
		p.arrivals[index-1].end = at
	}
}
