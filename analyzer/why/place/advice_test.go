package place

import "testing"

func TestIsLogger(t *testing.T) {
	for name, want := range map[string]bool{"hilogd": true, "hilogd.rd_kmsg": true, "logd.writer": true, "login": false, "hilog": false, "com.example.app": false, "": false} {
		if got := IsLogger(name); got != want {
			t.Errorf("IsLogger(%q) is %t", name, got)
		}
	}
}

// A slice without a stage keeps its advice inside of one that has other advice, and what is
// read for a resource or an image is no file of the application.
func TestAdviceOfSlices(t *testing.T) {
	canvas := Lookup([]byte("CanvasModifier::onDraw Op")).Inside(Lookup([]byte("FlushRenderTask")))
	if got := (Cause{Wait: Run, Place: canvas, Scheduled: true}).Advice(); got != AdviseCanvas {
		t.Errorf("drawing in a canvas: %q", got)
	}
	// One without advice has that of the stage.
	pixels := Lookup([]byte("ReadPixels")).Inside(Lookup([]byte("OnIdle")))
	if got := (Cause{Wait: Run, Place: pixels, Scheduled: true}).Advice(); got != AdvisePredict {
		t.Errorf("reading pixels ahead: %q", got)
	}
	if got := (Cause{Wait: WaitIO, Place: Lookup([]byte("HapManager::GetMediaDataFromHap"))}).Advice(); got != AdviseResource {
		t.Errorf("reading a resource: %q", got)
	}
}

// Both readers get advice about what they can change.
func TestAdviceOfWaits(t *testing.T) {
	for wait, want := range map[Wait][2]Advice{
		WaitIO:           {AdviseIO, AdviseSystemIO},
		WaitMem:          {AdviseMemory, AdviseSystemMemory},
		WaitOwnThread:    {AdviseOwnThread, AdviseSystemThread},
		WaitOtherProcess: {AdviseOwnThread, AdviseSystemThread},
		WaitTimer:        {AdviseSleep, AdviseSystemSleep},
		CPUPreempted:     {AdviseCPULoad, AdviseSystemCPU},
		EarlierWork:      {AdviseCallbacks, AdviseSystemCallbacks},
		WaitBinder:       {AdviseIPC, AdviseIPC},
		WaitFence:        {AdviseFence, AdviseFence},
		WaitBuffer:       {AdviseBuffer, AdviseBuffer},
		WaitRender:       {AdviseRenderThread, AdviseRenderThread},
		WaitKernel:       {NoAdvice, NoAdvice},
	} {
		for i, reader := range []Reader{Application, System} {
			if got := (Cause{Wait: wait, Reader: reader, Scheduled: true}).Advice(); got != want[i] {
				t.Errorf("%s: %q for reader %d, want %q", wait, got, reader, want[i])
			}
		}
	}
}
