package threads

import (
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// call is a synchronous call to another process that has no reply yet.
type call struct {
	id uint64 // of the transaction
	// peer is the thread that serves it, 0 until that has received the call. incoming calls
	// are those that the thread itself serves; peer is the caller then.
	peer     trace.TID
	incoming bool
	reply    uint64 // the transaction that answers it; 0 until it is sent
}

// maxCalls bounds the calls that a thread can have open, in both directions.
const maxCalls = 16

func (r *Recorder) trackTransaction(e *hitrace.Event, b *hitrace.Transact) {
	t := r.thread(e.TID)
	if t == nil {
		return
	}
	if b.Reply {
		for i := len(t.calls) - 1; i >= 0; i-- {
			if t.calls[i].incoming {
				t.calls = t.calls[:i]
				break
			}
		}
		// The caller's call ends when it receives this transaction.
		if caller := r.thread(b.Thread); caller != nil {
			for i := len(caller.calls) - 1; i >= 0; i-- {
				if c := &caller.calls[i]; !c.incoming && c.reply == 0 {
					c.reply = b.ID
					break
				}
			}
		}
		return
	}
	if b.OneWay {
		return
	}
	r.leaveCall(t)
	if len(t.calls) >= maxCalls || len(r.calls) >= r.limits.Async {
		return
	}
	t.calls = append(t.calls, call{id: b.ID})
	r.calls[b.ID] = t
}

func (r *Recorder) trackReceived(e *hitrace.Event, id uint64) {
	t := r.thread(e.TID)
	if t == nil {
		return
	}
	if caller := r.calls[id]; caller != nil { // t serves the call
		delete(r.calls, id)
		for i := range caller.calls {
			if c := &caller.calls[i]; c.id == id && !c.incoming {
				c.peer = t.tid
			}
		}
		// A thread serves one call at a time, except while it waits for a call of its own. If
		// it still has another one, the reply to that was lost.
		if n := len(t.calls); n > 0 && t.calls[n-1].incoming {
			t.calls = t.calls[:n-1]
		}
		if len(t.calls) < maxCalls {
			t.calls = append(t.calls, call{id: id, incoming: true, peer: caller.tid})
		}
		if caller.now.state == Blocked {
			r.fillCall(caller, caller.now)
		}
		return
	}
	for i := len(t.calls) - 1; i >= 0; i-- { // t receives a reply
		if t.calls[i].reply == id {
			t.calls = t.calls[:i]
			return
		}
	}
}

// leaveCall ends the call that a thread has open: it does something else, so it is back
// from the call, though its reply was not seen.
func (r *Recorder) leaveCall(t *thread) {
	if n := len(t.calls); n > 0 && !t.calls[n-1].incoming {
		delete(r.calls, t.calls[n-1].id)
		t.calls = t.calls[:n-1]
	}
}

// fillCall notes the synchronous call that a thread waits for, if any.
func (r *Recorder) fillCall(t *thread, s *segment) {
	if n := len(t.calls); n > 0 && !t.calls[n-1].incoming {
		c := &t.calls[n-1]
		s.wait.Calling, s.callee = true, c.peer
	}
}

// first returns the thread for which t works: t, or the first of the callers whose calls are
// served.
func (r *Recorder) first(t *thread) *thread {
	for range hitrace.MaxCallers {
		caller := r.thread(t.caller())
		if caller == nil {
			break
		}
		t = caller
	}
	return t
}

// caller returns the thread whose call t serves, or 0.
func (t *thread) caller() trace.TID {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if t.calls[i].incoming {
			return t.calls[i].peer
		}
	}
	return 0
}

// trackIssue notes that a thread asks for storage: what it waits for next is that, if
// the request is completed before it wakes up.
func (r *Recorder) trackIssue(e *hitrace.Event, q hitrace.Request) {
	if len(r.requests) >= r.limits.Async {
		return
	}
	r.requests[q] = e.TID
	if t := r.thread(e.TID); t != nil {
		t.issued = true
	}
}

func (r *Recorder) trackComplete(q hitrace.Request) {
	tid, ok := r.requests[q]
	if !ok {
		return
	}
	delete(r.requests, q)
	if t := r.thread(tid); t != nil && t.now.state == Blocked && t.now.issued {
		t.now.wait.iowait = true
	}
}
