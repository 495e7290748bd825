package why

import (
	"bytes"
	"strconv"
	"strings"

	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/trace"
)

// passages are the points at which a frame passes from one thread to the next: from the
// application to render_service, and from there to the display.
type passages struct {
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

// passage is what the name of a slice says besides its place.
type passage uint8

const (
	noPassage  passage = iota
	unmarshals         // a transaction arrives in render_service
	sendsVsync         // to some receiver
)

func passageOf(name string) passage {
	switch {
	case strings.HasPrefix(name, "UnMarsh RSTransactionData"):
		return unmarshals
	case strings.HasPrefix(name, "SendVsyncTo conn"):
		return sendsVsync
	}
	return noPassage
}

// pass records the begin of a slice at which a frame passes on. It returns what
// openSlice.arrival is.
func (r *Recorder) pass(t *thread, e *hitrace.Event, kind passage) uint32 {
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
	case e.Word == hitrace.ProcessCommands:
		p.applied = append(p.applied, e.Time)
		for id := range hitrace.DeferredTransactions(label) {
			p.deferred = append(p.deferred, deferred{e.Time, id})
			r.entries++
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
func (p *passages) arrive(index uint32, at trace.Time) {
	if index != 0 {
		p.arrivals[index-1].end = at
	}
}
