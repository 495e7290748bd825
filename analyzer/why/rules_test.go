package why_test

import (
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/why"
)

const (
	lateAt = 12     // the number of the frame that is late
	long   = 14_000 // µs that make it late
)

// lateFrame returns what is said of the only late frame of 24, in whose layout
// something happens.
func lateFrame(t *testing.T, in func(s *script)) (*why.Causes, *why.Explanation) {
	t.Helper()
	s := &script{}
	s.frames(24, func(i int) {
		if i == lateAt {
			in(s)
		}
	}, nil, nil)
	timeline, causes := explain(t, strings.NewReader(s.text()))
	var late []*why.Explanation
	for f := range timeline.Complete() {
		e := causes.Of(f)
		if e.Overrun > 0 {
			late = append(late, e)
		}
	}
	if len(late) != 1 || late[0].Frame.VsyncID != 100+lateAt {
		t.Fatalf("%d late frames\n%s", len(late), s.text())
	}
	return causes, late[0]
}

// TestReasonOrder: Linux writes the function before the wakeup, HongMeng after it, and
// it belongs to no other wait.
func TestReasonOrder(t *testing.T) {
	for name, in := range map[string]func(s *script){
		"before": func(s *script) {
			s.change(1, 500, "D", 0)
			s.at += long
			s.reason(1, "io_schedule+0x1/0x2")
			s.wake(20, 2, 500)
			s.change(1, 0, "R", 500)
		},
		"between": func(s *script) {
			s.change(1, 500, "D", 0)
			s.at += long
			s.wake(20, 2, 500)
			s.reason(1, "io_schedule+0x1/0x2")
			s.change(1, 0, "R", 500)
		},
		"after": func(s *script) {
			s.waitFor(long, "D", 20, nil)
			s.reason(1, "io_schedule+0x1/0x2")
		},
		"and not to another wait": func(s *script) {
			s.waitFor(long, "D", 20, nil)
			s.reason(1, "io_schedule+0x1/0x2")
			s.reason(0, "dma_fence_default_wait+0x1/0x2")
			s.at += 100
			s.waitFor(1000, "S", 0, nil)
		},
	} {
		if _, e := lateFrame(t, in); e.Cause() == nil || e.Cause().Wait != why.WaitIO || e.Cause().Function != "io_schedule" {
			t.Errorf("%s: %+v", name, e.Cause())
		}
	}
}

// A delay by an earlier frame counts for the cause of that frame.
func TestRankKnockOn(t *testing.T) {
	s := &script{}
	s.frames(24, func(i int) {
		if i == lateAt {
			s.at += 25_000
		}
	}, nil, nil)
	timeline, causes := explain(t, strings.NewReader(s.text()))
	var late []*analyzer.Frame
	for f := range timeline.Complete() {
		if f.Late() {
			late = append(late, f)
		}
	}
	r := causes.Rank(late)
	if len(late) != 2 || len(r.Costs) == 0 || r.Costs[0].Wait != why.Run || r.Costs[0].Direct == 0 || r.Costs[0].KnockOn == 0 {
		t.Fatalf("%d late frames, ranking %+v", len(late), r.Costs)
	}
	sum := r.Lost
	for _, c := range r.Costs {
		sum -= c.Lost
		if c.Direct+c.KnockOn != c.Lost {
			t.Errorf("%v and %v of %v", c.Direct, c.KnockOn, c.Lost)
		}
	}
	if sum != 0 {
		t.Errorf("costs differ from %v by %v", r.Lost, sum)
	}
}

// Without scheduling events, all advice is to record them. For render_service, no advice is
// that for an application.
func TestAdviceByReader(t *testing.T) {
	s := &script{}
	s.frames(24, func(i int) {
		if i == lateAt {
			s.waitFor(long, "D", 20, nil)
			s.reason(1, "io_schedule+0x10/0x20")
		}
	}, nil, nil)
	unscheduled := regexp.MustCompile(`(?m)^.* sched_\w+: .*\n`).ReplaceAllString(s.text(), "")
	other := &script{}
	other.change(3, 700, "S", 0)
	others := strings.Replace(unscheduled, "#\n", "#\n"+other.String(), 1)
	service := strings.NewReplacer("com.example.app", "render_service ", "H:OnVsyncEvent now:", "H:RSMainThread::DoComposition: ", "H:FlushLayoutTask", "H:RSUniRender::Process").Replace(s.text())
	for name, c := range map[string]struct {
		text string
		kind analyzer.Kind
		want why.Advice
	}{
		"application":               {s.text(), analyzer.ApplicationFrame, why.AdviseIO},
		"render_service":            {service, analyzer.RenderFrame, why.AdviseSystemIO},
		"without scheduling events": {unscheduled, analyzer.ApplicationFrame, why.AdviseStates},
		"with those of others":      {others, analyzer.ApplicationFrame, why.AdviseOfThread},
	} {
		timeline, causes := explain(t, strings.NewReader(c.text))
		late := 0
		for f := range timeline.Complete() {
			if e := causes.Of(f); e.Overrun > 0 {
				late++
				if got := e.Shares[0].Advice; f.Kind != c.kind || got != c.want {
					t.Errorf("%s: %v frame with the advice %q, want %v, %q", name, f.Kind, got, c.kind, c.want)
				}
			}
		}
		if late == 0 {
			t.Errorf("%s: no late frames", name)
		}
	}
}
