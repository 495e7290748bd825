package hitrace_test

import (
	"testing"

	"ohframe/internal/source/hitrace"
)

// Every spelling of every word, by the version of the system that writes it.
// "dev" spellings were never released but ship in commercial systems.
// WordCount counts them all.
func TestRecognize(t *testing.T) {
	words := map[hitrace.Word]bool{}
	for _, test := range []struct {
		version string
		label   string
		want    hitrace.Word
	}{
		{"3.1", "ReceiveVsync", hitrace.ReceiveVsync},
		{"3.2", "ReceiveVsync, dataCount:24bytes, now:5", hitrace.ReceiveVsync},
		{"dev 2023", "ReceiveVsync, dataCount:24bytes, now:5 expectedEnd:6 vsyncId:7", hitrace.ReceiveVsync},
		{"4.0", "ReceiveVsync dataCount:24bytes now:5 expectedEnd:6 vsyncId:7", hitrace.ReceiveVsync},
		{"5.0.0", "ReceiveVsync dataCount: 24bytes now: 5 expectedEnd: 6 vsyncId: 7", hitrace.ReceiveVsync},
		{"5.0.3", "ReceiveVsync dataCount: 24bytes now: 5 expectedEnd: 6 vsyncId: 7, fd:8", hitrace.ReceiveVsync},
		{"5.1.0", "ReceiveVsync name:rs dataCount: 24bytes now: 5 expectedEnd: 6 vsyncId: 7, fd:8", hitrace.ReceiveVsync},
		{"6.1", "ReceiveVsync name:rs dataCount: 24bytes now:5 expectedEnd: 6 vsyncId:7, fd:8", hitrace.ReceiveVsync},
		{"", "ReceiveVsyncs now:5", hitrace.Other},
		{"", "receiveVsync now:5", hitrace.Other},
		{"", " ReceiveVsync now:5", hitrace.Other},
		{"", "ReceiveVsyn", hitrace.Other},

		{"all", "OnVsyncEvent now:5", hitrace.OnVsyncEvent},
		{"all", "OnVsyncEvent now: 5", hitrace.OnVsyncEvent},
		{"all", "OnVsyncEvent", hitrace.OnVsyncEvent},
		{"", "VSync onVSyncEvent, now:5", hitrace.Other}, // the distributor's
		{"", "VSyncD onVSyncEvent, now:5", hitrace.Other},
		{"", "OnVsyncEventTask", hitrace.Other},
		{"", "OnVsyncEventa", hitrace.Other},
		{"", "OnVsyncEventZ", hitrace.Other},
		{"", "OnVsyncEvent_2", hitrace.Other},
		{"", "OnVsyncEvent2", hitrace.Other},
		{"", "OnVsyncEvent[2]", hitrace.OnVsyncEvent},

		{"5.1 early", "UIVsyncTask[timestamp:5][vsyncID:7]", hitrace.UIVsyncTask},
		{"5.1", "UIVsyncTask[timestamp:5][vsyncID:7][instanceID:0]", hitrace.UIVsyncTask},
		{"5.1 second", "UIVsyncTask[layoutMeasureDurationStartTimestamp:1][layoutMeasureDurationEndTimestamp:2][firstDrawFrame:1]", hitrace.UIVsyncTask},
		{"3.2 to 5.0", "FlushVsync", hitrace.Other},

		{"all", "UV_TRACE", hitrace.UVTrace},
		{"", "UV_TRACES", hitrace.Other},

		{"3.2", "Marsh RSTransactionData: cmd count:3 transactionFlag:[200, 5],isUni:1", hitrace.MarshTransaction},
		{"dev 2023", "MarshRSTransactionData cmdCount:3 transactionFlag:[200,5] isUni:1", hitrace.MarshTransaction},
		{"4.0 to 5.1.0", "MarshRSTransactionData cmdCount:3 transactionFlag:[200,5]", hitrace.MarshTransaction},
		{"dev 2025 Vulkan", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200, 201, 5], timestamp:9", hitrace.MarshTransaction},
		{"dev 2025", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200, 5], timestamp:9", hitrace.MarshTransaction},
		{"6.0 Vulkan", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200,5], tid:201, timestamp:9", hitrace.MarshTransaction},
		{"6.0", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200,5], timestamp:9", hitrace.MarshTransaction},
		{"7.0, to the composer", "MarshRSLayerTransactionData cmdCount: 3, transactionFlag:[200, 5], timestamp:9", hitrace.Other},
		{"fuzzer", "[SAFUZZ] MarshRSTransactionData cmdCount:3 transactionFlag:[200,5]", hitrace.Other},
		{"receiving side", "UnMarsh RSTransactionData: data size:3", hitrace.Other},
		{"receiving side", "UnMarsh RSTransactionData: recv data from 200", hitrace.Other},
		{"", "SendCommands, rsUIContext_:7", hitrace.Other},

		{"3.1 to 4.1", "RSMainThread::DoComposition", hitrace.DoComposition},
		{"dev 2022", "RSMainThread::DoComposition isUni:1", hitrace.DoComposition},
		{"5.0.0 and later", "RSMainThread::DoComposition: 5", hitrace.DoComposition},
		{"4.1, 5.0.0", "DoDirectComposition skip commit", hitrace.Other},
		{"", "RSMainThread::DoCompositions", hitrace.Other},

		{"3.2", "RSMainThread::ProcessCommandUni, [200, 5], skip to[200, 6]", hitrace.ProcessCommands},
		{"4.0 and later", "RSMainThread::ProcessCommandUni [200,5] skip to[200,6]", hitrace.ProcessCommands},
		{"4.0 and later, nothing", "RSMainThread::ProcessCommandUni", hitrace.ProcessCommands},
		{"dev 2024", "RSMainThread::ProcessCommandUnicache [200,5]", hitrace.ProcessCommands},
		{"5.0.0 and later", "RSMainThread::ProcessCommandUni cache (200,5)", hitrace.ProcessCommands},
		{"before uni", "RSMainThread::ProcessCommand", hitrace.Other},
		{"before uni", "RSMainThread::ProcessCommandDividedRender", hitrace.Other},

		{"5.0 and later", "RenderFrame", hitrace.RenderFrame},
		{"the audio renderer", "AudioRenderSink::RenderFrame", hitrace.Other},
		{"", "RenderFrameLazy", hitrace.Other},
		{"", "RSUniRender:FlushFrame", hitrace.Other},

		{"4.0", "RSHardwareThread::CommitAndReleaseLayers", hitrace.Commit},
		{"4.1", "RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 5", hitrace.Commit},
		{"4.1 delay", "RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 5, expectCommitTime: 1, currTime: 2, delayTime: 3, pipelineOffset: 4, period: 5", hitrace.Other},
		{"4.1 delay", "RSHardwareThread::CommitAndReleaseLayers expectCommitTime: 1, currTime: 2, delayTime: 3, pipelineOffset: 4, period: 5", hitrace.Other},
		{"5.0.0", "RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 5, size: 2", hitrace.Commit},
		{"5.0.3", "RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 5, vsyncId: 7, size: 2", hitrace.Commit},
		{"5.1.0", "RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 5, vsyncId: 7, size: 2, Names:a b,c", hitrace.Commit},
		{"6.0", "CommitLayers rate:60,now:5,vsyncId:7,size:2,Names:a,zorder: 0,b,zorder: 1,", hitrace.Commit},
		{"6.1", "CommitLayers screenId:0, rate:60, now:5, vsyncId:7,         size:2, taskNum:1 Names:a", hitrace.Commit},
		{"master", "CommitLayers rate:60,now:5,vsyncId:7,size:2", hitrace.Commit},
		{"6.1, on the render thread", "CommitLayers screenId:0", hitrace.Other},
		{"4.1 to 5.1", "RSHardwareThread::PerformSetActiveMode setting active mode. rate: 90", hitrace.Other},

		{"4.1 to 6.0", "Present Fence 12", hitrace.PresentFence},
		{"4.1 to 6.0", "Present Fence 12 has signaled", hitrace.PresentFence},
		{"6.1", "PresentFence_0 12", hitrace.PresentFence},
		{"6.1", "PresentFence_10 12 has signaled", hitrace.PresentFence},
		{"4.1 to 6.0", "Waiting for Present Fence 12", hitrace.PresentFenceWait},
		{"6.1", "Waiting for PresentFence_0 12", hitrace.PresentFenceWait},
		{"all", "Waiting for Acquire Fence 12", hitrace.Other},
		{"all", "Waiting for Release Fence 12", hitrace.Other},
		{"7.0", "Tunnel Release Fence 12", hitrace.Other},
		{"all", "Acquire Fence 12", hitrace.Other},

		{"3.2", "GenerateVsyncCount:1", hitrace.GenerateVsyncCount},
		{"4.0", "GenerateVsyncCount:1, period:16666667", hitrace.GenerateVsyncCount},
		{"4.1 to 6.0", "GenerateVsyncCount:1, period:16666667, currRefreshRate_:60, vsyncMode_:0", hitrace.GenerateVsyncCount},
		{"6.1", "GenerateVsyncCount:1, period:16666667, currRefreshRate:60, vsyncMode:1, now:5", hitrace.GenerateVsyncCount},

		{"GPU drivers", "M: Frame queued", hitrace.FrameQueued},
		{"", "M: Frame queued twice", hitrace.Other},

		{"", "", hitrace.Other},
		{"", "\x00", hitrace.Other},
		{"", "\xff", hitrace.Other},
		{"", "Repaint", hitrace.Other},
	} {
		if got := hitrace.Recognize([]byte(test.label)); got != test.want {
			t.Errorf("%s: %q is word %d, want %d", test.version, test.label, got, test.want)
		}
		words[test.want] = true
	}
	words[hitrace.AndroidFrame] = true // TestAndroidFrame
	if len(words) != hitrace.WordCount {
		t.Errorf("WordCount is %d, the table has %d words", hitrace.WordCount, len(words))
	}
}

// Markers of Android have no label.
func TestAndroidFrame(t *testing.T) {
	for args, want := range map[string]hitrace.Word{
		"B|227|Choreographer#doFrame":                                  hitrace.AndroidFrame,
		"B|37722|Choreographer#doFrame 641493":                         hitrace.AndroidFrame,
		"B|37722|Choreographer#doFrame - resynced to 641518 in 20.3ms": hitrace.AndroidFrame,
		"B|9432|onMessageInvalidate":                                   hitrace.AndroidFrame,
		"B|9432|onMessageRefresh":                                      hitrace.AndroidFrame,
		"B|700|performTraversals":                                      hitrace.AndroidFrame,
		"B|37722|Choreographer#doFrames":                               hitrace.Other,
		"B|37722|Choreographer#onVsync 641493":                         hitrace.Other,
		"B|37722|H:Choreographer#doFrame":                              hitrace.Other,
		"B|37722|ReceiveVsync":                                         hitrace.Other,
		"B|37722|":                                                     hitrace.Other,
	} {
		var m hitrace.Marker
		if problem := hitrace.ParseMarker([]byte(args), &m); problem != hitrace.NoProblem {
			t.Errorf("%q: %v", args, problem)
		}
		if got := hitrace.WordOf(&m); got != want {
			t.Errorf("%q is word %d, want %d", args, got, want)
		}
	}
}

// The name of an asynchronous slice is free of its cookie, in the old grammar
// and in the new, so that it is recognised.
func TestRecognizeFrameQueued(t *testing.T) {
	for _, args := range []string{
		"S|100|H:M: Frame queued 0", "S|100|H:M: Frame queued|0", "F|100|H:M: Frame queued|0|M62", "F|100|H:M: Frame queued 0 ",
	} {
		var m hitrace.Marker
		if problem := hitrace.ParseMarker([]byte(args), &m); problem != hitrace.NoProblem {
			t.Errorf("%q: %v", args, problem)
		}
		if got := hitrace.Recognize(m.Label()); got != hitrace.FrameQueued {
			t.Errorf("%q is word %d, want %d", args, got, hitrace.FrameQueued)
		}
	}
}
