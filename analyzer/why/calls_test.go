package why_test

import (
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/why/record"
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
	recorder := record.New(trace.Limits{Async: limit})
	timeline, _, err := analyzer.Analyze(t.Context(), strings.NewReader(s.text()), hitrace.Options{}, analyzer.Options{}, recorder.Sink())
	if err != nil {
		t.Fatal(err)
	}
	causes := judged(t, recorder, timeline)
	for f := range timeline.Complete() {
		if e := causes.Of(f); f.VsyncID == 100+lateAt && (e.Cause() == nil || e.Cause().Wait != why.WaitBinder) {
			t.Errorf("%+v", e.Cause())
		}
	}
}

// Calls whose replies are lost do not count against the limit of the thread that served
// them: it still shows whom it waits for itself.
func TestLostReplies(t *testing.T) {
	calls := func(s *script, from, cpu, id int) {
		s.line(from, cpu, "binder_transaction: transaction=%d dest_node=1 dest_proc=600 dest_thread=0 reply=0 flags=0x10 code=0x37", id)
	}
	causes, e := lateFrame(t, func(s *script) {
		for id := range 20 {
			calls(s, 700, 3, 1+id)
			s.line(601, 2, "binder_transaction_received: transaction=%d", 1+id)
		}
		calls(s, 500, 1, 100)
		s.change(1, 500, "S", 0)
		s.change(2, 0, "R", 601)
		s.line(601, 2, "binder_transaction_received: transaction=100")
		calls(s, 601, 2, 101)
		s.change(2, 601, "S", 600)
		s.line(600, 2, "binder_transaction_received: transaction=101")
		s.begin(600, "Query")
		s.at += long
		s.end(600)
		s.wake(21, 2, 601) // only the call says that it waited for the other thread
		s.change(2, 600, "S", 601)
		s.at += 20
		s.wake(601, 2, 500)
		s.change(2, 601, "S", 0)
		s.change(1, 0, "R", 500)
	})
	if c := e.Cause(); c == nil || c.Wait != why.WaitBinder || c.Culprit == nil || c.Culprit.TID != 600 || c.Culprit.Slice != "Query" {
		t.Error(causetext.Sentence(causes, e))
	}
}

// The sentence says that the limit was reached, and so does the warning.
func TestLimitedSentence(t *testing.T) {
	s := &script{}
	s.frames(24, func(i int) {
		if i == lateAt {
			s.at += long
		}
	}, nil, nil)
	recorder := record.New(trace.Limits{States: 40})
	timeline, _, err := analyzer.Analyze(t.Context(), strings.NewReader(s.text()), hitrace.Options{}, analyzer.Options{}, recorder.Sink())
	if err != nil {
		t.Fatal(err)
	}
	causes := judged(t, recorder, timeline)
	for f := range timeline.Complete() {
		if e := causes.Of(f); f.Late() && !strings.Contains(causetext.Sentence(causes, e), "(limit: states)") {
			t.Errorf("%s", causetext.Sentence(causes, e))
		}
	}
	if len(causetext.Warnings(causes)) != 1 {
		t.Error("no warning")
	}
}
