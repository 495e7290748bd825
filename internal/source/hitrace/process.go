package hitrace

import (
	"ohframe/analyzer/trace"
)

// processes are the processes of threads, from the columns of lines and the payloads of
// markers.
type processes struct {
	threads Threads[owner]
	// recent are threads and the process that a column stated last, by the lowest bits of the id.
	recent [256]struct {
		tid trace.TID
		pid trace.PID
	}
}

// owner is the process of a thread.
type owner struct {
	pid trace.PID
	// stated: a TGID column has the process. Without one, said is the PID of the last
	// begin marker.
	stated bool
	said   trace.PID
}

// set sets Process of markers, and adds to the numbers of all events. For threads beyond the limit, only the
// column counts.
func (p *processes) set(events []Event, lines, limit int) {
	for i := range events {
		e := &events[i]
		e.Number += lines
		if e.Kind != MarkerEvent {
			continue
		}
		recent := &p.recent[uint8(e.TID)]
		if e.PID > 0 && recent.tid == e.TID && recent.pid == e.PID {
			continue // Process is that
		}
		o := p.threads.Get(e.TID)
		if o == nil {
			if p.threads.Len() >= limit {
				continue
			}
			o = &owner{pid: trace.UnknownPID}
			p.threads.Put(e.TID, o)
		}
		o.see(e)
		if e.Process = o.pid; e.PID != trace.UnknownPID {
			recent.tid, recent.pid = e.TID, e.PID
		}
	}
}

// see updates the owner with a marker of the thread. The payload's process id may be a
// container's own: the column wins.
func (o *owner) see(e *Event) {
	switch said := e.Marker.PID; {
	case e.PID != trace.UnknownPID:
		o.pid, o.stated = e.PID, true
	case o.stated:
	case o.pid == trace.UnknownPID:
		o.pid = said
	case e.Marker.Phase == Begin:
		// Twice in a row, or a main thread's: once may be a damaged line.
		if said == o.said || int32(said) == int32(e.TID) {
			o.pid = said
		}
		o.said = said
	}
}
