package place

import (
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

func TestIsLogger(t *testing.T) {
	for name, want := range map[string]bool{"hilogd": true, "hilogd.rd_kmsg": true, "logd.writer": true, "login": false, "hilog": false, "com.example.app": false, "": false} {
		must.Equal(t, isLogger(name), want, "isLogger(%q)", name)
	}
}

// A slice without a stage keeps its advice inside of one that has other advice, and what is
// read for a resource or an image is no file of the application.
func TestAdviceOfSlices(t *testing.T) {
	canvas := Lookup([]byte("CanvasModifier::onDraw Op")).Inside(Lookup([]byte("FlushRenderTask")))
	must.Equal(t, (Cause{Wait: why.Run, Place: canvas, Scheduled: true}).Advice(), why.AdviseCanvas, "drawing in a canvas")
	// One without advice has that of the stage.
	pixels := Lookup([]byte("ReadPixels")).Inside(Lookup([]byte("OnIdle")))
	must.Equal(t, (Cause{Wait: why.Run, Place: pixels, Scheduled: true}).Advice(), why.AdvisePredict, "reading pixels ahead")
	must.Equal(t, (Cause{Wait: why.WaitIO, Place: Lookup([]byte("HapManager::GetMediaDataFromHap"))}).Advice(), why.AdviseResource, "reading a resource")
}

// A call to the queue of buffers waits for a free buffer.
func TestAdviceOfCalls(t *testing.T) {
	for wait, want := range map[why.Wait]why.Advice{why.WaitBuffer: why.AdviseBuffer, why.Run: why.AdviseIPC} {
		c := Cause{Wait: why.WaitBinder, Scheduled: true}
		c.WaitedFor(&why.Culprit{PID: 2, Wait: wait}, 1)
		must.Equal(t, c.Advice(), want, "a call that is %s", wait)
	}
}

// The reader cannot change a call to the queue of buffers, nor one that has not begun: what was late was the CPU.
func TestAdviceOfCallsWithoutCPU(t *testing.T) {
	for _, test := range []struct {
		slice, process string
		pid            trace.PID
		want           why.Advice
	}{
		{"RequestBuffer", "video", 3, why.AdviseOthers},
		{"", "video", 3, why.AdviseOthers},
		{"", "app", 1, why.AdviseCPULoad},
		{"", "hilogd", 4, why.AdviseLog},
		{"Query", "video", 3, why.AdviseIPC},
	} {
		c := Cause{Wait: why.WaitBinder, Scheduled: true}
		c.WaitedFor(&why.Culprit{PID: 2, Wait: why.CPUPreempted, Slice: test.slice, For: &why.OtherThread{PID: test.pid, Process: test.process}}, 1)
		must.Equal(t, c.Advice(), test.want, "a call in %q that waited for %s", test.slice, test.process)
	}
	c := Cause{Wait: why.WaitBinder, Scheduled: true}
	c.WaitedFor(&why.Culprit{PID: 2, Wait: why.CPUWait}, 1)
	must.Equal(t, c.Advice(), why.AdviseIPC, "a call that waited for an unknown thread")
}

// A wait that the end of the trace cuts has no wakeup in any recording of the same time.
func TestAdviceOfSleep(t *testing.T) {
	for cut, want := range map[bool]why.Advice{false: why.AdviseSched, true: why.AdviseLonger} {
		must.Equal(t, (Cause{Wait: why.WaitSleep, Cut: cut, Scheduled: true}).Advice(), want, "cut: %t", cut)
	}
}

// Both readers get advice about what they can change.
func TestAdviceOfWaits(t *testing.T) {
	for wait, want := range map[why.Wait][2]why.Advice{
		why.WaitIO:           {why.AdviseIO, why.AdviseSystemIO},
		why.WaitMem:          {why.AdviseMemory, why.AdviseSystemMemory},
		why.WaitOwnThread:    {why.AdviseOwnThread, why.AdviseSystemThread},
		why.WaitOtherProcess: {why.AdviseOtherProcess, why.AdviseOtherProcess},
		why.WaitTimer:        {why.AdviseSleep, why.AdviseSystemSleep},
		why.CPUPreempted:     {why.AdviseCPULoad, why.AdviseSystemCPU},
		why.EarlierWork:      {why.AdviseCallbacks, why.AdviseSystemCallbacks},
		why.WaitBinder:       {why.AdviseIPC, why.AdviseIPC},
		why.WaitFence:        {why.AdviseFence, why.AdviseFence},
		why.WaitBuffer:       {why.AdviseBuffer, why.AdviseBuffer},
		why.WaitRender:       {why.AdviseRenderThread, why.AdviseRenderThread},
		why.WaitKernel:       {why.AdviseKernel, why.AdviseSystemKernel},
	} {
		for i, reader := range []Reader{Application, System} {
			if got := (Cause{Wait: wait, Reader: reader, Scheduled: true}).Advice(); got != want[i] {
				t.Errorf("%s: %q for reader %d, want %q", wait, got, reader, want[i])
			}
		}
	}
}
