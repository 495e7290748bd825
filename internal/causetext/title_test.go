package causetext

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// A cause has one name, whatever kernel function its worst frame waited in.
func TestCostName(t *testing.T) {
	for _, function := range []string{"", "io_schedule", "folio_wait_bit"} {
		c := why.Cost{SliceWait: why.SliceWait{Wait: why.WaitIO, Slice: "FlushBuild"}, Share: &why.Share{Function: function}}
		must.Equal(t, CostName(&c), "waiting for storage in FlushBuild", "%q", function)
	}
	c := why.Cost{SliceWait: why.SliceWait{Wait: why.WaitBinder, Slice: "FlushBuild"}, Kind: why.ThreadKind{Name: "media:OS_IPC*"}, Stages: []why.StageCost{{Stage: why.StageBuild}}, Share: &why.Share{}}
	if CostName(&c) != CostTitle(&c) {
		t.Errorf("%q without the thread", CostName(&c))
	}
}

func TestCulprit(t *testing.T) {
	for _, test := range []struct {
		culprit    why.Culprit
		name, kind string
	}{
		{why.Culprit{PID: 1, TID: 2, Process: "app", Thread: "TaskWorker-4"}, "app:TaskWorker-4", "app:TaskWorker*"},
		{why.Culprit{PID: 2, TID: 2, Process: "app", Thread: "app"}, "app", "app"},
		{why.Culprit{PID: 1, TID: 42, Process: "app"}, "thread 42", "thread 42"},
		{why.Culprit{PID: 1690, TID: 1700, Thread: "OS_IPC_4_1700"}, "OS_IPC_4_1700 of process 1690", "OS_IPC* of process 1690"},
	} {
		if name, kind := Culprit(&test.culprit), Kind(test.culprit.Kind()); name != test.name || kind != test.kind {
			t.Errorf("%+v is %q of %q, want %q of %q", test.culprit, name, kind, test.name, test.kind)
		}
	}
	must.Equal(t, Kind((*why.Culprit)(nil).Kind()), "", "the kind of no thread")
}

// A thread of the same process is its own thread, or its main thread.
func TestOwnThread(t *testing.T) {
	for _, test := range []struct {
		thread string
		tid    trace.TID
		want   string
	}{
		{"TaskWorker", 12, "waited 14.0 ms in Draw for its own thread app:TaskWorker, which ran"},
		{"app", 7, "waited 14.0 ms in Draw for its main thread app, which ran"},
	} {
		c := &why.Culprit{PID: 7, TID: test.tid, Process: "app", Thread: test.thread, Wait: why.Run, Time: 14 * trace.Millisecond, Did: 14 * trace.Millisecond, Sure: true}
		s := why.Share{Wait: why.WaitOwnThread, Slice: "Draw", Value: 14 * trace.Millisecond, Calls: 1, Culprit: c}
		must.Equal(t, phrase(&why.Causes{}, &s), test.want)
	}
}

// The display may wait for the GPU of another process: its layer is named, and what to change is there. Without one
// layer for all frames, none is.
func TestWaitedForGPUOfLayer(t *testing.T) {
	layers := []*analyzer.Layer{{ID: 1, Name: "video", Process: &analyzer.Process{Name: "com.example.video"}}, {ID: 2, Name: "game"}}
	gpu := func(layer int) why.Share {
		s := why.Share{Stage: why.StageDisplay, Wait: why.WaitGPU, Advice: why.AdviseFence}
		if layer >= 0 {
			s.Waited = &analyzer.Buffer{Layer: layers[layer]}
		}
		return s
	}
	knockOn := gpu(-1)
	knockOn.Earlier = &analyzer.Frame{}
	const unknown, general = "waiting for a GPU after the commit", "reduce GPU work: less overdraw, blur and large surfaces"
	for _, test := range []struct {
		shares        []why.Share
		title, advice string
	}{
		{[]why.Share{gpu(0), gpu(0), knockOn}, "waiting for the GPU of layer video (com.example.video)",
			"reduce the GPU work of layer video (com.example.video): less overdraw, blur and large surfaces"},
		{[]why.Share{gpu(0), gpu(1)}, unknown, general},
		{[]why.Share{gpu(0), gpu(-1)}, unknown, general},
		{[]why.Share{gpu(-1)}, unknown, general},
	} {
		frames := why.Cost{SliceWait: why.SliceWait{Wait: why.WaitGPU}, Stages: []why.StageCost{{Stage: why.StageDisplay}}, Share: &test.shares[0]}
		buffers := frames
		buffers.Outcome = why.ShownLate
		for _, s := range test.shares {
			frames.Late = append(frames.Late, &why.Explanation{Frame: &analyzer.Frame{}, Shown: &why.Explanation{Shares: []why.Share{s}}})
			buffers.Late = append(buffers.Late, &why.Explanation{Buffer: &analyzer.Buffer{}, Shares: []why.Share{s}})
		}
		must.Equal(t, CostTitle(&frames), test.title, "frames")
		must.Equal(t, CostTitle(&buffers), "shown late by render_service: "+test.title, "buffers")
		must.Equal(t, CostAdvice(&frames), test.advice, "frames")
		must.Equal(t, CostAdvice(&buffers), test.advice, "buffers")
	}
}

// A cause that is a call names the call, so its advice says what the reply waited for.
func TestAdviceOfReplyWithoutBuffer(t *testing.T) {
	c := &why.Cost{SliceWait: why.SliceWait{Wait: why.WaitBinder}, Share: &why.Share{Wait: why.WaitBinder, Advice: why.AdviseBuffer}}
	must.Equal(t, CostAdvice(c), "the reply waited for a free buffer, because "+Advice(why.AdviseBuffer))
	c.Wait = why.WaitBuffer
	must.Equal(t, CostAdvice(c), Advice(why.AdviseBuffer))
}
