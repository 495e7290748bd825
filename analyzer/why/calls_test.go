package why_test

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/hitrace"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/why"
	"ohframe/analyzer/why/place"
)

// Calls that nobody receives do not count against the limit once the caller is back.
func TestLostCalls(t *testing.T) {
	const limit = 4
	s := &script{}
	call := func(id int) {
		s.line(500, 1, "binder_transaction: transaction=%d dest_node=1 dest_proc=600 dest_thread=0 reply=0 flags=0x10 code=0x37", id)
	}
	s.frames(24, func(i int) {
		if i != lateAt {
			return
		}
		for id := range 3 * limit {
			call(1 + id)
			s.within("Task", func() {})
		}
		call(100)
		s.change(1, 500, "S", 0)
		s.wake(500, 1, 601)
		s.change(2, 0, "R", 601)
		s.line(601, 2, "binder_transaction_received: transaction=100")
		s.at += long
		s.wake(601, 2, 500)
		s.change(1, 0, "R", 500)
	}, nil, nil)
	recorder := why.NewRecorder(limits.Limits{Async: limit})
	timeline, _, err := analyzer.Analyze(t.Context(), strings.NewReader(s.text()), hitrace.Options{}, analyzer.Options{Observer: recorder})
	if err != nil {
		t.Fatal(err)
	}
	causes := recorder.Explain(timeline)
	for f := range timeline.Complete() {
		if e := causes.Of(f); f.VsyncID == 100+lateAt && (e.Cause() == nil || e.Cause().Wait != place.WaitBinder) {
			t.Errorf("%+v", e.Cause())
		}
	}
}
