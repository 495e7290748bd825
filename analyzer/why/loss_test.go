package why_test

import (
	"fmt"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// lossScript reads a trace of frames on processor 1. In one frame hole writes lines in the
// middle of the layout. lossScript returns what is found about that frame.
func lossScript(t *testing.T, hole func(s *script)) *why.Explanation {
	t.Helper()
	s := &script{}
	s.frames(24, nil, func(i int) {
		if i == 10 {
			hole(s)
		}
	}, nil)
	timeline, causes := explain(t, strings.NewReader(s.text()))
	for f := range timeline.Complete() {
		if f.VsyncID == 110 {
			return causes.Of(f)
		}
	}
	t.Fatal("no frame 110")
	return nil
}

// unknownTime returns the time of a frame in which the state of its thread is unknown.
func unknownTime(e *why.Explanation) (d trace.Duration) {
	for _, p := range e.Parts {
		if p.Wait == why.WaitUnknown {
			d += p.Time
		}
	}
	return d
}

func (s *script) loss(cpu int) { fmt.Fprintf(s, "CPU:%d [LOST 3 EVENTS]\n", cpu) }

// What is unknown lasts from the processor's last event to its next one.
func TestLostEvents(t *testing.T) {
	const ms = trace.Millisecond
	for _, c := range []struct {
		name    string
		hole    func(s *script)
		unknown trace.Duration
		cause   why.Wait // of the frame, if its cause is known
		sure    why.Confidence
	}{
		{"nothing is lost", func(s *script) {
			s.begin(500, "A")
			s.at += 20_000
			s.end(500)
		}, 0, why.Run, 0},
		{"on its own processor", func(s *script) {
			s.begin(500, "A")
			s.at += 20_000
			s.loss(1)
			s.end(500)
		}, 20 * ms, 0, 0},
		{"on another processor", func(s *script) {
			s.line(600, 3, "cpu_idle: state=1 cpu_id=3")
			s.begin(500, "A")
			s.at += 20_000
			s.loss(3)
			s.line(600, 3, "cpu_idle: state=1 cpu_id=3")
			s.end(500)
		}, 0, why.Run, 0},
		{"a little of a long work", func(s *script) {
			s.begin(500, "A")
			s.at += 1000
			s.loss(1)
			s.end(500)
			s.begin(500, "A")
			s.at += 20_000
			s.end(500)
		}, 1 * ms, why.Run, 3}, // low: lost events, and more than 1 % unknown
		// The thread goes on on another processor before the note about the first one.
		{"a switch to another processor", func(s *script) {
			s.begin(500, "A")
			s.at += 20_000
			s.change(2, 0, "R", 500)
			s.at += 1000
			s.change(2, 500, "R", 0)
			s.at += 10
			s.loss(1)
			s.change(1, 0, "R", 500)
			s.end(500)
		}, 20 * ms, 0, 0},
		// It waits, and the wakeup was on a processor with lost events.
		{"a wakeup", func(s *script) {
			s.line(600, 3, "cpu_idle: state=1 cpu_id=3")
			s.change(1, 500, "S", 0)
			s.at += 5000
			s.line(601, 3, "cpu_idle: state=1 cpu_id=3")
			s.at += 20_000
			s.loss(3)
			s.line(600, 3, "cpu_idle: state=1 cpu_id=3")
			s.at += 100
			s.change(1, 0, "R", 500)
		}, 20*ms + 100*trace.Microsecond, 0, 0},
		// It waits for its processor, and may have run on it.
		{"waiting for the processor", func(s *script) {
			s.change(1, 500, "R", 700)
			s.at += 20_000
			s.loss(1)
			s.change(1, 700, "S", 500)
		}, 20 * ms, 0, 0},
		// It ran and fell asleep, because it is woken once more.
		{"woken twice", func(s *script) {
			s.change(1, 500, "S", 0)
			s.at += 1000
			s.wake(20, 2, 500)
			s.at += 1000
			s.line(0, 1, "cpu_idle: state=1 cpu_id=1")
			s.at += 20_000
			s.loss(1)
			s.line(0, 1, "cpu_idle: state=1 cpu_id=1")
			s.at += 5000
			s.wake(20, 2, 500)
			s.at += 10
			s.change(1, 0, "R", 500)
		}, 25 * ms, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := lossScript(t, c.hole)
			if got := unknownTime(e); got != c.unknown || e.Unknown != got {
				t.Errorf("%v unknown, want %v", got, c.unknown)
			}
			if c.cause == 0 {
				if e.Outcome != why.NotKnown {
					t.Errorf("%v: %+v", e.Outcome, e.Shares)
				}
			} else if s := e.Cause(); s == nil || s.Wait != c.cause || e.Confidence != c.sure {
				t.Errorf("%+v, confidence %v", s, e.Confidence)
			}
		})
	}
}
