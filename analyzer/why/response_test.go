package why_test

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

func simulated(t *testing.T, c simulate.Config) (*analyzer.Timeline, *why.Causes, *simulate.Truth) {
	t.Helper()
	var text bytes.Buffer
	truth := must.Get(simulate.Write(&text, c))(t)
	timeline, causes := explain(t, &text)
	return timeline, causes, truth
}

// TestResponseSteps: in traces of all system versions, even if lines of scenes are missing, the
// steps add up to the response, and pass through a frame that the simulation knows. Causes.Validate,
// which explain calls, checks the rest.
func TestResponseSteps(t *testing.T) {
	traces := simulate.BadScenes()
	traces["scenes"], traces["launches"], traces["demonstration"] = simulate.Scenes(), simulate.Launches(), simulate.Demonstration()
	responses := 0
	for n, name := range slices.Sorted(maps.Keys(traces)) {
		for k, era := range simulate.Eras() {
			if !slow.Enabled() && (k+n)%7 != 0 {
				continue
			}
			config := traces[name]
			config.Era, config.Seed = era, uint64(k)
			timeline, causes, truth := simulated(t, config)
			for _, i := range timeline.Interactions {
				response, ok := i.Response()
				if !ok {
					continue
				}
				r := causes.ResponseTo(i)
				if r == nil {
					t.Errorf("%s %s: no response to %d, %s", name, era, i.ID, i.Scene)
					continue
				}
				responses++
				sum := trace.Duration(0)
				for _, s := range r.Steps {
					sum += s.Time
					if s.Name == why.StepApplication && !slices.ContainsFunc(truth.Frames, func(f *simulate.Frame) bool {
						return f.PID == i.Process.PID && f.Start <= s.End() && s.End() <= f.End
					}) {
						t.Errorf("%s %s: %s: no frame of the application ends at %d", name, era, i.Scene, s.End())
					}
				}
				if sum != response {
					t.Errorf("%s %s: the steps of %s add up to %d, want %d", name, era, i.Scene, sum, response)
				}
			}
		}
	}
	t.Logf("%d responses", responses)
	if responses < 20 {
		t.Errorf("%d responses", responses)
	}
}

// The late frames of each fling have the causes that were injected into it, and none has
// those of another.
func TestInteractionCauses(t *testing.T) {
	timeline, causes, _ := simulated(t, simulate.Demonstration())
	want := [7][]why.Wait{1: {why.WaitIO}, 2: {why.WaitBinder, why.GCRun}} // as injected
	for n, i := range timeline.Interactions {
		var got []why.Wait
		for _, c := range causes.Rank(i.Frames).Costs {
			if c.Lost > 5*trace.Millisecond {
				got = append(got, c.Wait)
			}
		}
		if !slices.Equal(got, want[n]) {
			t.Errorf("%d, %s: %s, want %s", i.ID, i.Scene, got, want[n])
		}
	}
}

// stepOf returns a step of the response to an interaction; nil without it.
func stepOf(c *why.Causes, i *analyzer.Interaction, step why.StepName, stage string) *why.Step {
	r := c.ResponseTo(i)
	if r == nil {
		return nil
	}
	for n := range r.Steps {
		if s := &r.Steps[n]; s.Name == step && s.Stage == stage {
			return s
		}
	}
	return nil
}

// The time of a slow click is in the step and the slice in which the simulation spends it, and
// that of a launch in the process and the slice.
func TestResponseWork(t *testing.T) {
	config := simulate.Demonstration()
	timeline, causes, _ := simulated(t, config)
	click, launch := timeline.Interactions[3], timeline.Interactions[5]
	hang := config.Hangs[0]
	s := stepOf(causes, click, why.StepHandling, "")
	if s == nil || len(s.Work) != 1 || len(s.Work[0].Waits) == 0 {
		t.Fatalf("the click: %+v", s)
	}
	if w := s.Work[0].Waits[0]; w.Wait != why.Run || w.Slice != hang.Name || (w.Value-hang.Length).Abs() > trace.Millisecond {
		t.Errorf("the click: %s in %s for %d, want run in %s for %d", w.Wait, w.Slice, w.Value, hang.Name, hang.Length)
	}
	if l := s.Work[0].Slices; len(l) == 0 || l[0].Slice != hang.Name || l[0].Running != hang.Length {
		t.Errorf("the click: slices %+v", l)
	}
	if first := stepOf(causes, click, why.StepDispatch, ""); first == nil || first.Start != click.InputAt || first.Work[0].Idle*10 < first.Time*9 {
		t.Errorf("its dispatch: %+v", first)
	}

	for _, want := range []struct {
		stage, process, slice string
		last                  bool // of several threads
	}{
		{"LoadAbility", "", "OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility", false},
		{"Application Launching", "com.example.notebook", "dlopen", true},
		{"UI Ability Launching", "com.example.notebook", "OHOS::AppExecFwk::MainThread::HandleLaunchAbility", false},
	} {
		s := stepOf(causes, launch, why.StepLaunch, want.stage)
		if s == nil || len(s.Work) == 0 {
			t.Errorf("%s: %+v", want.stage, s)
			continue
		}
		w := s.Work[0]
		if want.last {
			w = s.Work[len(s.Work)-1]
		}
		if len(w.Slices) == 0 || w.Slices[0].Slice != want.slice || want.process != "" && w.Process != want.process {
			t.Errorf("%s: %+v", want.stage, w)
		}
	}
	for _, stage := range launch.Stages {
		sum := trace.Duration(0)
		for _, s := range causes.ResponseTo(launch).Steps {
			if s.Stage == stage.Name {
				sum += s.Time
			}
		}
		must.Equal(t, sum, stage.End.Sub(stage.Begin), "%s", stage.Name)
	}
}

// Without kernel events, slices alone are known; without the input's line, the steps begin
// with the scene.
func TestResponseWithout(t *testing.T) {
	config := simulate.Demonstration()
	var text bytes.Buffer
	must.Get(simulate.Write(&text, config))(t)
	var without bytes.Buffer
	for line := range bytes.Lines(text.Bytes()) {
		if !bytes.Contains(line, []byte(": sched_")) {
			without.Write(line)
		}
	}
	timeline, causes := explain(t, &without)
	s := stepOf(causes, timeline.Interactions[3], why.StepHandling, "")
	if s == nil || len(s.Work) != 1 || s.Work[0].Idle != 0 || len(s.Work[0].Waits) != 1 || s.Work[0].Waits[0].Wait != why.WaitUnknown || s.Work[0].Slices[0].Slice != config.Hangs[0].Name {
		t.Errorf("without scheduling events: %+v", s)
	}

	without.Reset()
	for line := range bytes.Lines(text.Bytes()) {
		if !bytes.Contains(line, []byte("RecordInputEvent")) {
			without.Write(line)
		}
	}
	timeline, causes = explain(t, &without)
	r := causes.ResponseTo(timeline.Interactions[3])
	if r == nil || r.Steps[0].Start != timeline.Interactions[3].Begin || r.Steps[0].Name == why.StepDispatch {
		t.Errorf("without inputs: %+v", r)
	}
}

// Thousands of scenes that last at the same time have bounded responses.
func TestManyScenes(t *testing.T) {
	config := simulate.Demonstration()
	var text, many bytes.Buffer
	must.Get(simulate.Write(&text, config))(t)
	n := slow.Of(3000, 16_000)
	for line := range bytes.Lines(text.Bytes()) {
		many.Write(line)
		for _, phase := range []string{"S", "F"} {
			if bytes.Contains(line, []byte(phase+"|20170|H:ABILITY_OR_PAGE_SWITCH|0")) {
				for k := range n {
					many.Write(bytes.Replace(line, []byte("ABILITY_OR_PAGE_SWITCH|0"), fmt.Appendf(nil, "ABILITY_%d|0", k), 1))
				}
			}
		}
	}
	timeline, causes := explain(t, &many)
	if len(timeline.Interactions) < n {
		t.Errorf("%d interactions, want %d", len(timeline.Interactions), n)
	}
	must.Equal(t, len(causes.Responses), 1000, "responses")
	with := 0
	for _, r := range causes.Responses {
		for _, s := range r.Steps {
			if s.Name == why.StepApplication && len(s.Work) > 0 {
				with++
			}
		}
	}
	if with == 0 || with > 50 {
		t.Errorf("%d responses with the work of a thread at the same time", with)
	}
}

// What the longest slice of a wait was for is known, as for late frames.
func TestResponseArguments(t *testing.T) {
	var text bytes.Buffer
	must.Get(simulate.Write(&text, simulate.Launches()))(t)
	waits := func(text []byte) (list []why.WaitTime) {
		timeline, causes := explain(t, bytes.NewReader(text))
		for _, i := range timeline.Interactions {
			r := causes.ResponseTo(i)
			if r == nil {
				continue
			}
			for _, s := range r.Steps {
				for _, w := range s.Work {
					list = append(list, w.Waits...)
				}
			}
		}
		return list
	}
	slice := ""
	for _, w := range waits(text.Bytes()) {
		if strings.HasPrefix(w.Slice, "OHOS::") {
			slice = w.Slice
			break
		}
	}
	if slice == "" {
		t.Fatal("no wait in a slice")
	}
	label := regexp.MustCompile(`(\|H:[^|]*` + regexp.QuoteMeta(slice) + `[^|#\n]*)[^|\n]*`)
	for _, w := range waits(label.ReplaceAll(text.Bytes(), []byte("${1}##purpose"))) {
		switch want := []why.Argument{{Name: "text", Value: "purpose"}}; {
		case w.Slice == slice && !slices.Equal(w.Arguments, want):
			t.Errorf("%s: arguments %q, want %q", w.Slice, w.Arguments, want)
		case w.Slice != slice && slices.Equal(w.Arguments, want):
			t.Errorf("%s has the arguments of %s", w.Slice, slice)
		}
	}
}
