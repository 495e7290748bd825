package why_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/testing/simulate"
)

// A thread may have done anything on a processor whose events are lost: no cause is made of
// what it seems to have done.
func TestLostSwitches(t *testing.T) {
	for _, kernel := range []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux} {
		for seed := range uint64(4) {
			for _, v := range variants {
				s := simulate.Scene{Kernel: kernel, RefreshHz: 60 + 30*int(seed%3), Cause: simulate.CauseLostSwitches, Seed: seed, InBuild: seed%2 == 1}
				v.change(&s)
				p := play(t, s)
				if !bytes.Contains(p.text, []byte(" EVENTS]")) || len(p.truth.Causes) == 0 {
					t.Fatalf("%s: nothing is lost", name(s))
				}
				for _, c := range p.truth.Causes {
					e := p.frame(c)
					if got := answer(e); got != "unknown" {
						t.Errorf("%s: frame %d: %s: %s", name(s), c.Vsync, got, causetext.Sentence(p.causes, e))
					}
					// Most of the injected time is unknown: the switches are about that far apart.
					if e == nil || e.Unknown < c.NS*9/10 || e.Unknown > c.NS*12/10 {
						t.Errorf("%s: frame %d: %v unknown of %v", name(s), c.Vsync, e.Unknown, c.NS)
					}
				}
			}
		}
	}
	t.Run("lost", func(t *testing.T) {
		text := recorded(t, "lost.ftrace.gz")
		timeline, causes := explain(t, bytes.NewReader(text))
		late := 0
		for f := range timeline.Complete() {
			if e := causes.Of(f); e.Overrun > 0 {
				late++
				if e.Outcome != why.NotKnown {
					t.Errorf("frame %d: %s", f.VsyncID, causetext.Sentence(causes, e))
				}
			}
		}
		if late != 6 {
			t.Errorf("%d late frames", late)
		}
	})
}

// recorded returns the text of a compressed trace that is no part of the repository, or skips
// the test.
func recorded(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("../../../shared/repro", name))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

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
