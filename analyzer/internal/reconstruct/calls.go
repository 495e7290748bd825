package reconstruct

import (
	"ohframe/internal/source/hitrace"
)

// calls follows binder calls from thread to thread, to find the thread for which another one
// works.
type calls struct {
	sent [1 << 10]call // by the lowest bits of the id
}

// call is a transaction that was sent.
type call struct {
	id     uint64
	caller *thread
	kind   callKind
}

// callKind is what the sender of a transaction does afterwards.
type callKind uint8

const (
	waits callKind = iota
	replies
	goesOn
)

// track adds a binder event.
func (c *calls) track(t *thread, e *hitrace.Event) {
	transact, _ := e.Fields.(*hitrace.Transact)
	if transact == nil {
		return
	}
	slot := &c.sent[transact.ID%uint64(len(c.sent))]
	if e.Kind == hitrace.ReceivedEvent {
		known := slot.id == transact.ID
		if known && slot.kind == replies || !known && t.calling {
			t.calling = false
			return
		}
		t.serving = nil
		if !known {
			return
		}
		if slot.kind == waits && slot.caller != t {
			t.serving = slot.caller
		}
		return
	}
	*slot = call{id: transact.ID, caller: t}
	t.calling = !transact.Reply && !transact.OneWay
	switch {
	case transact.Reply:
		slot.kind = replies
		t.serving = nil
	case transact.OneWay:
		slot.kind = goesOn
	}
}

// origin returns the thread that called a thread, maybe through others. They have queued the
// buffer.
func (c *calls) origin(t *thread, n *buffer) *thread {
	t.queued = n
	for range hitrace.MaxCallers {
		if t.serving == nil {
			break
		}
		t = t.serving
		t.queued = n
	}
	return t
}
