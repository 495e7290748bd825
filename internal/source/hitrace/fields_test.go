package hitrace_test

import (
	"reflect"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// spelling is a label as a version of the system writes it, and its fields. "dev"
// spellings were never released but ship in commercial systems.
type spelling[T any] struct {
	version, label string
	want           T
}

// check checks the fields of labels, and that each label spells the word.
func check[T any](t *testing.T, word hitrace.Word, parse func([]byte) T, list []spelling[T]) {
	t.Helper()
	for _, s := range list {
		if got := parse([]byte(s.label)); !reflect.DeepEqual(got, s.want) {
			t.Errorf("%s: %q:\n got %+v\nwant %+v", s.version, s.label, got, s.want)
		}
		must.Equal(t, hitrace.Recognize([]byte(s.label)), word, "%s: %q is word", s.version, s.label)
	}
}

// result is what a parser with two results returns.
type result[T any] struct {
	value T
	flag  bool
}

func both[T any](parse func([]byte) (T, bool)) func([]byte) result[T] {
	return func(label []byte) result[T] {
		value, flag := parse(label)
		return result[T]{value, flag}
	}
}

func TestParseVsync(t *testing.T) {
	rs, app := []byte("rs"), []byte("com.demo.app_8037")
	check(t, hitrace.ReceiveVsync, hitrace.ParseVsync, []spelling[hitrace.Vsync]{
		{"3.1", "ReceiveVsync", hitrace.Vsync{}},
		{"3.2", "ReceiveVsync, dataCount:24bytes, now:500", hitrace.Vsync{Now: 500, Queued: 1}},
		{"dev 2023", "ReceiveVsync, dataCount:24bytes, now:500 expectedEnd:600 vsyncId:7", hitrace.Vsync{nil, 500, 600, 7, 1, false}},
		{"4.0, 4.1", "ReceiveVsync dataCount:24bytes now:500 expectedEnd:600 vsyncId:7", hitrace.Vsync{nil, 500, 600, 7, 1, false}},
		{"5.0.0", "ReceiveVsync dataCount: 24bytes now: 500 expectedEnd: 600 vsyncId: 7", hitrace.Vsync{nil, 500, 600, 7, 1, false}},
		{"5.0.3", "ReceiveVsync dataCount: 24bytes now: 500 expectedEnd: 600 vsyncId: 7, fd:31", hitrace.Vsync{nil, 500, 600, 7, 1, false}},
		{"5.1.0, 6.0", "ReceiveVsync name:rs dataCount: 24bytes now: 500 expectedEnd: 600 vsyncId: 7, fd:31", hitrace.Vsync{rs, 500, 600, 7, 1, false}},
		{"6.0", "ReceiveVsync name:com.demo.app_8037 dataCount: 24bytes now: 500 expectedEnd: 600 vsyncId: 7, fd:31", hitrace.Vsync{app, 500, 600, 7, 1, false}},
		{"6.1", "ReceiveVsync name:rs dataCount: 24bytes now:500 expectedEnd: 600 vsyncId:7, fd:31", hitrace.Vsync{rs, 500, 600, 7, 1, false}},

		{"several on the socket", "ReceiveVsync dataCount: 240bytes now: 500", hitrace.Vsync{Now: 500, Queued: 10}},
		{"any spacing", "ReceiveVsync name: rs,dataCount:  24bytes,now:  500,expectedEnd:600,vsyncId:  7|", hitrace.Vsync{rs, 500, 600, 7, 1, false}},
		{"keys are whole words", "ReceiveVsync lastnow:400 nowhere:300 now 300 now:500 xexpectedEnd:1 my_vsyncId:2", hitrace.Vsync{Now: 500}},
		{"largest", "ReceiveVsync now:2305843009213693951 expectedEnd:0 vsyncId:9223372036854775807", hitrace.Vsync{Now: 1<<61 - 1, VsyncID: 1<<63 - 1}},
		{"time too large", "ReceiveVsync now:2305843009213693952", hitrace.Vsync{Damaged: true}},
		{"id of 2⁶⁴ − 1", "ReceiveVsync now:500 vsyncId:18446744073709551615, fd:31", hitrace.Vsync{Now: 500}},
		{"id of 2⁶³", "ReceiveVsync vsyncId: 9223372036854775808", hitrace.Vsync{}},
		{"negative id", "ReceiveVsync now:500 vsyncId:-7, fd:31", hitrace.Vsync{Now: 500}},
		{"ids run together", "ReceiveVsync vsyncId:184467440737095516150", hitrace.Vsync{Damaged: true}},
		{"negative id, cut", "ReceiveVsync vsyncId:-", hitrace.Vsync{Damaged: true}},
		{"negative id, run together", "ReceiveVsync vsyncId:-7_", hitrace.Vsync{Damaged: true}},
		{"negative", "ReceiveVsync now:-5", hitrace.Vsync{Damaged: true}},
		{"no number", "ReceiveVsync expectedEnd:", hitrace.Vsync{Damaged: true}},
		{"run together", "ReceiveVsync vsyncId:7_", hitrace.Vsync{Damaged: true}},
		{"odd size", "ReceiveVsync dataCount:25bytes now:500", hitrace.Vsync{Now: 500, Damaged: true}},
		{"no unit", "ReceiveVsync dataCount:24 now:500", hitrace.Vsync{Now: 500, Damaged: true}},
		{"cut", "ReceiveVsync dataCount: 24bytes now", hitrace.Vsync{Queued: 1}},
	})
}

func TestParseOnVsyncEvent(t *testing.T) {
	check(t, hitrace.OnVsyncEvent, both(hitrace.ParseOnVsyncEvent), []spelling[result[trace.Monotonic]]{
		{"all", "OnVsyncEvent now:500", result[trace.Monotonic]{500, false}},
		{"all", "OnVsyncEvent now: 500", result[trace.Monotonic]{500, false}},
		{"all", "OnVsyncEvent", result[trace.Monotonic]{}},
		{"damaged", "OnVsyncEvent now:5h", result[trace.Monotonic]{0, true}},
	})
}

func TestParseVsyncTask(t *testing.T) {
	check(t, hitrace.UIVsyncTask, hitrace.ParseVsyncTask, []spelling[hitrace.VsyncTask]{
		{"5.1 early", "UIVsyncTask[timestamp:500][vsyncID:7]", hitrace.VsyncTask{Timestamp: 500, VsyncID: 7}},
		{"5.1", "UIVsyncTask[timestamp:500][vsyncID:7][instanceID:100000]", hitrace.VsyncTask{Timestamp: 500, VsyncID: 7}},
		{"second", "UIVsyncTask[layoutMeasureDurationStartTimestamp:1][layoutMeasureDurationEndTimestamp:2][firstDrawFrame:1]", hitrace.VsyncTask{FirstDraw: true}},
		{"no first draw", "UIVsyncTask[timestamp:500][vsyncID:7][firstDrawFrame:0]", hitrace.VsyncTask{Timestamp: 500, VsyncID: 7}},
		{"forced", "UIVsyncTask[timestamp:500][vsyncID:18446744073709551615]", hitrace.VsyncTask{Timestamp: 500, Forced: true}},
		{"damaged", "UIVsyncTask[timestamp:x][vsyncID:]", hitrace.VsyncTask{Damaged: true}},
		{"id of 2⁶⁴ − 2", "UIVsyncTask[timestamp:500][vsyncID:18446744073709551614]", hitrace.VsyncTask{Timestamp: 500}},
		{"negative id", "UIVsyncTask[timestamp:500][vsyncID:-1]", hitrace.VsyncTask{Timestamp: 500}},
		{"too large", "UIVsyncTask[timestamp:2305843009213693952][vsyncID:7]", hitrace.VsyncTask{VsyncID: 7, Damaged: true}},
	})
}

func TestParseMarsh(t *testing.T) {
	type marsh = result[hitrace.Marsh]
	key := hitrace.Transaction{PID: 200, Index: 5}
	check(t, hitrace.MarshTransaction, both(hitrace.ParseMarsh), []spelling[marsh]{
		{"3.2", "Marsh RSTransactionData: cmd count:3 transactionFlag:[200, 5],isUni:1", marsh{hitrace.Marsh{Transaction: key}, true}},
		{"dev 2023", "MarshRSTransactionData cmdCount:3 transactionFlag:[200,5] isUni:1", marsh{hitrace.Marsh{Transaction: key}, true}},
		{"4.0 to 5.1.0", "MarshRSTransactionData cmdCount:3 transactionFlag:[200,5]", marsh{hitrace.Marsh{Transaction: key}, true}},
		{"dev 2025 Vulkan", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200, 201, 5], timestamp:900", marsh{hitrace.Marsh{key, 201, 900, false}, true}},
		{"dev 2025", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200, 5], timestamp:900", marsh{hitrace.Marsh{key, 0, 900, false}, true}},
		{"6.0 Vulkan", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200,5], tid:201, timestamp:900", marsh{hitrace.Marsh{key, 201, 900, false}, true}},
		{"6.0, no vsync", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200,5], tid:201, timestamp:0", marsh{hitrace.Marsh{key, 201, 0, false}, true}},
		{"spaced", "MarshRSTransactionData transactionFlag: [ 200 , 5 ], tid: 201, timestamp: 900", marsh{hitrace.Marsh{key, 201, 900, false}, true}},
		{"largest", "MarshRSTransactionData transactionFlag:[2147483647,2147483647,9223372036854775807]", marsh{hitrace.Marsh{hitrace.Transaction{1<<31 - 1, 1<<63 - 1}, 1<<31 - 1, 0, false}, true}},

		{"none", "MarshRSTransactionData cmdCount:3", marsh{}},
		{"cut", "MarshRSTransactionData cmdCount:3 transactionFlag:[200,5", marsh{}},
		{"one number", "MarshRSTransactionData transactionFlag:[200]", marsh{}},
		{"four numbers", "MarshRSTransactionData transactionFlag:[200,201,202,5]", marsh{}},
		{"no numbers", "MarshRSTransactionData transactionFlag:[a,b]", marsh{}},
		{"empty", "MarshRSTransactionData transactionFlag:[]", marsh{}},
		{"pid too large", "MarshRSTransactionData transactionFlag:[2147483648,5]", marsh{}},
		{"tid too large", "MarshRSTransactionData transactionFlag:[200,2147483648,5]", marsh{}},
		{"index too large", "MarshRSTransactionData transactionFlag:[200,9223372036854775808]", marsh{}},
		{"damaged vsync", "MarshRSTransactionData transactionFlag:[200,5], tid:201, timestamp:y", marsh{hitrace.Marsh{key, 201, 0, true}, true}},
		{"thread too large", "MarshRSTransactionData transactionFlag:[200,5], tid:2147483648, timestamp:900", marsh{hitrace.Marsh{key, 0, 900, true}, true}},
	})
}

func TestTransactions(t *testing.T) {
	// The index of each transaction; negative if it was not applied.
	indexes := func(label []byte) (list []int64) {
		for a, applied := range hitrace.Transactions(label) {
			if !applied {
				a.Index = -a.Index
			}
			list = append(list, a.Index)
		}
		return list
	}
	check(t, hitrace.ProcessCommands, indexes, []spelling[[]int64]{
		{"3.2", "RSMainThread::ProcessCommandUni, [200, 5], [300, 9]", []int64{5, 9}},
		{"3.2", "RSMainThread::ProcessCommandUni, skip to[200, 5], [300, 9]", []int64{-5, 9}},
		{"4.0 and later", "RSMainThread::ProcessCommandUni [200,5] [200,6] skip to[200,8] [300,9]", []int64{5, 6, -8, 9}},
		{"4.0 and later", "RSMainThread::ProcessCommandUni", nil},
		{"dev 2024", "RSMainThread::ProcessCommandUnicache [200,5] [300,9]cache [200,6]", []int64{-5, 9, -6}},
		{"5.0.0 and later", "RSMainThread::ProcessCommandUni cache [200,5] cache (200,6) skip to[200,7] [300,9]", []int64{-5, -6, -7, 9}},

		{"three numbers", "RSMainThread::ProcessCommandUni [200, 201, 5]", []int64{5}},
		{"spaced", "RSMainThread::ProcessCommandUni  [ 200 , 5 ]  skip to [200,6]  cache  [200,7]", []int64{5, -6, -7}},
		{"cut in a number", "RSMainThread::ProcessCommandUni [200,5] [300,1", []int64{5}},
		{"damaged", "RSMainThread::ProcessCommandUni (200,4) [200,x] [] [ [[300,9]", []int64{9}},
		{"damaged after cache", "RSMainThread::ProcessCommandUni cache [200,x] [300,9]", []int64{9}},
	})
	for first := range hitrace.Transactions([]byte("RSMainThread::ProcessCommandUni [1,2] [3,4]")) {
		must.Equal(t, first, (hitrace.Transaction{PID: 1, Index: 2}), "the first is")
		break // must not panic
	}
}

func TestParseDoComposition(t *testing.T) {
	check(t, hitrace.DoComposition, hitrace.ParseDoComposition, []spelling[trace.Monotonic]{
		{"3.1 to 4.1", "RSMainThread::DoComposition", 0},
		{"dev 2022", "RSMainThread::DoComposition isUni:1", 0},
		{"5.0.0 and later", "RSMainThread::DoComposition: 100000213457", 100000213457},
		{"no blank", "RSMainThread::DoComposition:100000213457", 100000213457},
		{"no number", "RSMainThread::DoComposition: now", 0},
		{"more behind", "RSMainThread::DoComposition: 5 6", 0},
		{"negative", "RSMainThread::DoComposition: -5", 0},
	})
}

func TestParseCommit(t *testing.T) {
	check(t, hitrace.Commit, hitrace.ParseCommit, []spelling[hitrace.Committed]{
		{"4.0", "RSHardwareThread::CommitAndReleaseLayers", hitrace.Committed{}},
		{"4.1", "RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 500", hitrace.Committed{Now: 500, Rate: 60}},
		{"5.0.0", "RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 500, size: 2", hitrace.Committed{Now: 500, Rate: 60}},
		{"5.0.3", "RSHardwareThread::CommitAndReleaseLayers rate: 90, now: 500, vsyncId: 7, size: 2", hitrace.Committed{500, 7, 90}},
		{"5.1.0", "RSHardwareThread::CommitAndReleaseLayers rate: 90, now: 500, vsyncId: 7, size: 2, Names:a", hitrace.Committed{500, 7, 90}},
		{"6.0", "CommitLayers rate:90,now:500,vsyncId:7,size:2,Names:a,zorder: 0,", hitrace.Committed{500, 7, 90}},
		{"6.1", "CommitLayers screenId:0, rate:120, now:500, vsyncId:7,         size:2, taskNum:1 Names:a", hitrace.Committed{500, 7, 120}},
		// What stands in a layer's name is no field.
		{"6.0", "CommitLayers rate:90,size:2,Names:[now:1] a,b: vsyncId:2,zorder: 0,", hitrace.Committed{Rate: 90}},
		// One build printed no numbers there.
		{"dev 2024", "RSHardwareThread::CommitAndReleaseLayers rate: 90, now: %lu, vsyncId: %lu, size: 2", hitrace.Committed{Rate: 90}},
	})
}

func TestCommitScreen(t *testing.T) {
	type screen = result[int64]
	check(t, hitrace.Commit, both(hitrace.CommitScreen), []spelling[screen]{
		{"4.1", "RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 500", screen{}},
		{"6.0", "CommitLayers rate:90,now:500,vsyncId:7,size:2,Names:a,zorder: 0,", screen{}},
		{"6.1", "CommitLayers screenId:0, rate:120, now:500, vsyncId:7,         size:2, taskNum:1 Names:a", screen{0, true}},
		{"6.1", "CommitLayers screenId:5, rate:120, now:500, vsyncId:7, size:2, taskNum:1 Names:a", screen{5, true}},
		{"6.1", "CommitLayers rate:90,now:500,vsyncId:7,size:2,Names:screenId:5,zorder: 0,", screen{}},
	})
	for _, name := range []string{"CompThread_", "CompThread_x", "CompThread_5x", "CompThread_99999999999999999999", "Thread_5"} {
		if id, ok := hitrace.NumberedScreen([]byte(name), "CompThread_"); ok {
			t.Errorf("%q is screen %d", name, id)
		}
	}
	if id, ok := hitrace.NumberedScreen([]byte("CompThread_15"), "CompThread_"); id != 15 || !ok {
		t.Errorf("CompThread_15 is screen %d, %t", id, ok)
	}
}

func TestParseFence(t *testing.T) {
	type fence = result[hitrace.Fence]
	of := func(tracker string, number int64, signaled bool) fence {
		return fence{hitrace.Fence{Tracker: []byte(tracker), Number: number, Signaled: signaled}, true}
	}
	check(t, hitrace.PresentFence, both(hitrace.ParseFence), []spelling[fence]{
		{"4.1 to 6.0", "Present Fence 12", of("Present Fence", 12, false)},
		{"4.1 to 6.0", "Present Fence 12 has signaled", of("Present Fence", 12, true)},
		{"6.1", "PresentFence_0 350342", of("PresentFence_0", 350342, false)},
		{"6.1", "PresentFence_2 350342 has signaled", of("PresentFence_2", 350342, true)},
	})
	check(t, hitrace.PresentFenceWait, both(hitrace.ParseFence), []spelling[fence]{
		{"4.1 to 6.0", "Waiting for Present Fence 12", of("Present Fence", 12, false)},
		{"6.1", "Waiting for PresentFence_0 350342", of("PresentFence_0", 350342, false)},
	})
	for _, label := range []string{"", "Present Fence", "Present Fence ", "Present Fence x", "PresentFence_0", "Present Fence 12 has", "12", " 12", "Present Fence 99999999999999999999"} {
		if f, ok := hitrace.ParseFence([]byte(label)); ok {
			t.Errorf("%q is fence %+v", label, f)
		}
	}
}

func TestParseGenerated(t *testing.T) {
	type generated = result[hitrace.Generated]
	check(t, hitrace.GenerateVsyncCount, both(hitrace.ParseGenerated), []spelling[generated]{
		{"3.2", "GenerateVsyncCount:1", generated{}},
		{"4.0", "GenerateVsyncCount:1, period:16666667", generated{hitrace.Generated{Period: 16666667}, false}},
		{"4.1 to 6.0", "GenerateVsyncCount:1, period:16552213, currRefreshRate_:0, vsyncMode_:0", generated{hitrace.Generated{Period: 16552213}, false}},
		{"6.1", "GenerateVsyncCount:1, period:11091679, currRefreshRate:90, vsyncMode:1, now:500", generated{hitrace.Generated{Period: 11091679, Now: 500}, false}},
		{"damaged", "GenerateVsyncCount:1, period:x, currRefreshRate:90, vsyncMode:1, now:5", generated{hitrace.Generated{Now: 5}, true}},
	})
}

// Words without fields, and labels that are no word.
func TestRecognize(t *testing.T) {
	for label, want := range map[string]hitrace.Word{
		"UV_TRACE": hitrace.UVTrace, "RenderFrame": hitrace.RenderFrame, "M: Frame queued": hitrace.FrameQueued, "OnVsyncEvent[2]": hitrace.OnVsyncEvent,
		"DisplayNodeSkip skip commit": hitrace.CommitSkipped, "ScreenNodeSkip skip commit": hitrace.CommitSkipped, "DoDirectComposition skip commit": hitrace.CommitSkipped,
		"UI skip": hitrace.NothingSent,
	} {
		must.Equal(t, hitrace.Recognize([]byte(label)), want, "%q is word", label)
	}
	for _, label := range []string{
		"", "\x00", "\xff", "Repaint", "ReceiveVsyncs now:5", "receiveVsync now:5", " ReceiveVsync now:5", "ReceiveVsyn", "FlushVsync", "UV_TRACES",
		"VSync onVSyncEvent, now:5", "VSyncD onVSyncEvent, now:5", // the distributor's
		"OnVsyncEventTask", "OnVsyncEventa", "OnVsyncEventZ", "OnVsyncEvent_2", "OnVsyncEvent2",
		"MarshRSLayerTransactionData cmdCount: 3, transactionFlag:[200, 5], timestamp:9", "[SAFUZZ] MarshRSTransactionData cmdCount:3 transactionFlag:[200,5]",
		"UnMarsh RSTransactionData: data size:3", "UnMarsh RSTransactionData: recv data from 200", "SendCommands, rsUIContext_:7", // the receiving side
		"DoDirectComposition", "DoDirectComposition skip commits", "DisplayNode skip, forceCommitReason: 0", "UI skipped", "UI skip_", "RSMainThread::DoCompositions", "RSMainThread::ProcessCommand", "RSMainThread::ProcessCommandDividedRender",
		"AudioRenderSink::RenderFrame", "RenderFrameLazy", "RSUniRender:FlushFrame", "M: Frame queued twice",
		"RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 5, expectCommitTime: 1, currTime: 2, delayTime: 3, pipelineOffset: 4, period: 5", // 4.1, about the delay
		"CommitLayers screenId:0", // 6.1, on the render thread
		"RSHardwareThread::PerformSetActiveMode setting active mode. rate: 90", "Waiting for Release Fence 12", "Tunnel Release Fence 12",
		"AcquireBuffer with PresentTimestamp name: a queueId: 1 queueSize: 4,expectPresentTimestamp: 5", "FlushBuffers", "acquire buffer id: 5 state: 2",
		"RequestBufferProc", "RequestBufferCheckStatus status wrong, surface name: a", "ReleaseBuffer name: a queueId: 1 seq: 2",
	} {
		must.Equal(t, hitrace.Recognize([]byte(label)), hitrace.Other, "%q is word", label)
	}
}

// Markers of Android have no label. The name of an asynchronous slice is free of its
// cookie, in the old grammar and in the new, so that it is recognised.
func TestRecognizeMarker(t *testing.T) {
	for args, want := range map[string]hitrace.Word{
		"B|227|Choreographer#doFrame":                                  hitrace.ChoreographerFrame,
		"B|227|Choreographer#doFrame 641493":                           hitrace.ChoreographerFrame,
		"B|37722|Choreographer#doFrame - resynced to 641518 in 20.3ms": hitrace.Resynced,
		"C|37722|jitterNanos|5":                                        hitrace.Jitter,
		"B|37722|DrawFrames 641493":                                    hitrace.DrawFrames,
		"B|37722|DrawFrames setSurfaceName a/b":                        hitrace.SurfaceName,
		"B|37722|dequeueBuffer - a(BLAST Consumer)0":                   hitrace.DequeueBuffer,
		"B|37722|dequeueBuffer":                                        hitrace.Other,
		"B|227|commit 641499":                                          hitrace.CompositorCommit,
		"B|227|composite 641499":                                       hitrace.CompositorComposite,
		"B|37722|commit":                                               hitrace.Other,
		"B|9432|onMessageInvalidate":                                   hitrace.AndroidFrame,
		"B|9432|onMessageRefresh":                                      hitrace.AndroidFrame,
		"B|700|performTraversals":                                      hitrace.AndroidFrame,
		"B|37722|Choreographer#doFrames":                               hitrace.Other,
		"B|37722|H:Choreographer#doFrame":                              hitrace.Other,
		"B|37722|ReceiveVsync":                                         hitrace.Other,
		"B|37722|":                                                     hitrace.Other,
		"S|100|H:M: Frame queued 0":                                    hitrace.FrameQueued,
		"F|100|H:M: Frame queued|0|M62":                                hitrace.FrameQueued,
		"F|100|H:M: Frame queued 0 ":                                   hitrace.FrameQueued,
	} {
		var m hitrace.Marker
		must.Equal(t, hitrace.ParseMarker([]byte(args), &m), hitrace.NoProblem, "%q", args)
		must.Equal(t, hitrace.WordOf(&m), want, "%q is word", args)
	}
}
