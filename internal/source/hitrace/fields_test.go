package hitrace_test

import (
	"slices"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// receipt is a hitrace.Vsync that can be compared.
type receipt struct {
	receiver                  string
	now, expectedEnd, vsyncID int64
	queued                    int
	damaged                   hitrace.Fields
}

func TestParseVsync(t *testing.T) {
	const (
		dataCount   = hitrace.FieldDataCount
		now         = hitrace.FieldNow
		expectedEnd = hitrace.FieldExpectedEnd
		vsyncID     = hitrace.FieldVsyncID
	)
	for _, test := range []struct {
		version string
		label   string
		want    receipt
	}{
		{"3.1", "ReceiveVsync", receipt{}},
		{"3.2", "ReceiveVsync, dataCount:24bytes, now:500", receipt{now: 500, queued: 1}},
		{"dev 2023", "ReceiveVsync, dataCount:24bytes, now:500 expectedEnd:600 vsyncId:7", receipt{"", 500, 600, 7, 1, 0}},
		{"4.0, 4.1", "ReceiveVsync dataCount:24bytes now:500 expectedEnd:600 vsyncId:7", receipt{"", 500, 600, 7, 1, 0}},
		{"5.0.0", "ReceiveVsync dataCount: 24bytes now: 500 expectedEnd: 600 vsyncId: 7", receipt{"", 500, 600, 7, 1, 0}},
		{"5.0.3", "ReceiveVsync dataCount: 24bytes now: 500 expectedEnd: 600 vsyncId: 7, fd:31", receipt{"", 500, 600, 7, 1, 0}},
		{"5.1.0, 6.0", "ReceiveVsync name:rs dataCount: 24bytes now: 500 expectedEnd: 600 vsyncId: 7, fd:31", receipt{"rs", 500, 600, 7, 1, 0}},
		{"6.1", "ReceiveVsync name:rs dataCount: 24bytes now:500 expectedEnd: 600 vsyncId:7, fd:31", receipt{"rs", 500, 600, 7, 1, 0}},
		{"6.0", "ReceiveVsync name:com.demo.app_8037 dataCount: 24bytes now: 500 expectedEnd: 600 vsyncId: 7, fd:31", receipt{"com.demo.app_8037", 500, 600, 7, 1, 0}},

		// Several vsyncs on the socket.
		{"4.0", "ReceiveVsync dataCount:48bytes now:500", receipt{now: 500, queued: 2}},
		{"5.0.0", "ReceiveVsync dataCount: 240bytes now: 500", receipt{now: 500, queued: 10}},
		{"4.0", "ReceiveVsync dataCount:0bytes now:0 expectedEnd:0 vsyncId:0", receipt{}},
		// Any spacing.
		{"", "ReceiveVsync name: rs,dataCount:  24bytes,now:  500,expectedEnd:600,vsyncId:  7|", receipt{"rs", 500, 600, 7, 1, 0}},
		// Keys are whole words.
		{"", "ReceiveVsync lastnow:400 now:500 xexpectedEnd:1 my_vsyncId:2", receipt{now: 500}},
		{"", "ReceiveVsync nowhere:400 now 300 now:500", receipt{now: 500}},

		{"largest", "ReceiveVsync now:2305843009213693951 expectedEnd:0 vsyncId:9223372036854775807", receipt{now: 1<<61 - 1, vsyncID: 1<<63 - 1}},
		{"times too large", "ReceiveVsync now:2305843009213693952 expectedEnd:9223372036854775807", receipt{damaged: now | expectedEnd}},
		{"too large", "ReceiveVsync now:9223372036854775808 expectedEnd:99999999999999999999 vsyncId:18446744073709551615", receipt{damaged: now | expectedEnd | vsyncID}},
		{"negative", "ReceiveVsync now:-5 expectedEnd:-6 vsyncId:-7", receipt{damaged: now | expectedEnd | vsyncID}},
		{"no numbers", "ReceiveVsync dataCount:xbytes now:x expectedEnd: vsyncId:", receipt{damaged: dataCount | now | expectedEnd | vsyncID}},
		{"run together", "ReceiveVsync now:5x0 expectedEnd:0x60 vsyncId:7_", receipt{damaged: now | expectedEnd | vsyncID}},
		{"one of them", "ReceiveVsync dataCount: 24bytes now: 5%0 expectedEnd: 6oo vsyncId: 7", receipt{"", 5, 0, 7, 1, expectedEnd}},
		{"odd sizes", "ReceiveVsync dataCount:25bytes now:500", receipt{now: 500, damaged: dataCount}},
		{"no unit", "ReceiveVsync dataCount:24 now:500", receipt{now: 500, damaged: dataCount}},
		{"cut", "ReceiveVsync dataCount: 24bytes now", receipt{queued: 1}},
	} {
		v := hitrace.ParseVsync([]byte(test.label))
		got := receipt{string(v.Receiver), int64(v.Now), int64(v.ExpectedEnd), v.VsyncID, v.Queued, v.Damaged}
		if got != test.want {
			t.Errorf("%s: %q:\n got %+v\nwant %+v", test.version, test.label, got, test.want)
		}
	}
	if v := hitrace.ParseVsync([]byte("ReceiveVsync dataCount:24bytes now:5")); v.Receiver != nil {
		t.Error("a receiver that is not named is not nil")
	}
}

func TestParseOnVsyncEvent(t *testing.T) {
	for _, test := range []struct {
		label   string
		now     trace.Monotonic
		damaged hitrace.Fields
	}{
		{"OnVsyncEvent now:500", 500, 0},
		{"OnVsyncEvent now: 500", 500, 0},
		{"OnVsyncEvent", 0, 0},
		{"OnVsyncEvent now:", 0, hitrace.FieldNow},
		{"OnVsyncEvent now:5h", 0, hitrace.FieldNow},
	} {
		now, damaged := hitrace.ParseOnVsyncEvent([]byte(test.label))
		if now != test.now || damaged != test.damaged {
			t.Errorf("%q: %d, damaged %b, want %d, %b", test.label, now, damaged, test.now, test.damaged)
		}
	}
}

func TestParseVsyncTask(t *testing.T) {
	for _, test := range []struct {
		version string
		label   string
		want    hitrace.VsyncTask
	}{
		{"5.1 early", "UIVsyncTask[timestamp:500][vsyncID:7]", hitrace.VsyncTask{Timestamp: 500, VsyncID: 7}},
		{"5.1", "UIVsyncTask[timestamp:500][vsyncID:7][instanceID:100000]", hitrace.VsyncTask{Timestamp: 500, VsyncID: 7}},
		{"spaced", "UIVsyncTask[timestamp: 500][vsyncID: 7]", hitrace.VsyncTask{Timestamp: 500, VsyncID: 7}},
		{"second", "UIVsyncTask[layoutMeasureDurationStartTimestamp:1][layoutMeasureDurationEndTimestamp:2][firstDrawFrame:1]", hitrace.VsyncTask{}},
		{"forced", "UIVsyncTask[timestamp:500][vsyncID:18446744073709551615]", hitrace.VsyncTask{Timestamp: 500}},
		{"damaged", "UIVsyncTask[timestamp:x][vsyncID:]", hitrace.VsyncTask{Damaged: hitrace.FieldTimestamp | hitrace.FieldVsyncID}},
		{"too large", "UIVsyncTask[timestamp:500][vsyncID:18446744073709551614]", hitrace.VsyncTask{Timestamp: 500, Damaged: hitrace.FieldVsyncID}},
	} {
		if got := hitrace.ParseVsyncTask([]byte(test.label)); got != test.want {
			t.Errorf("%s: %q: %+v, want %+v", test.version, test.label, got, test.want)
		}
	}
}

func TestParseMarsh(t *testing.T) {
	key := hitrace.Transaction{PID: 200, Index: 5}
	lost := hitrace.Marsh{Damaged: hitrace.FieldTransactionFlag}
	for _, test := range []struct {
		version string
		label   string
		want    hitrace.Marsh
	}{
		{"3.2", "Marsh RSTransactionData: cmd count:3 transactionFlag:[200, 5],isUni:1", hitrace.Marsh{Transaction: key}},
		{"dev 2023", "MarshRSTransactionData cmdCount:3 transactionFlag:[200,5] isUni:1", hitrace.Marsh{Transaction: key}},
		{"4.0 to 5.1.0", "MarshRSTransactionData cmdCount:3 transactionFlag:[200,5]", hitrace.Marsh{Transaction: key}},
		{"dev 2025 Vulkan", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200, 201, 5], timestamp:900", hitrace.Marsh{Transaction: key, TID: 201, Timestamp: 900}},
		{"dev 2025", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200, 5], timestamp:900", hitrace.Marsh{Transaction: key, Timestamp: 900}},
		{"6.0 Vulkan", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200,5], tid:201, timestamp:900", hitrace.Marsh{Transaction: key, TID: 201, Timestamp: 900}},
		{"6.0", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200,5], timestamp:900", hitrace.Marsh{Transaction: key, Timestamp: 900}},

		{"no vsync", "MarshRSTransactionData cmdCount: 3, transactionFlag:[200,5], tid:201, timestamp:0", hitrace.Marsh{Transaction: key, TID: 201}},
		{"spaced", "MarshRSTransactionData transactionFlag: [ 200 , 5 ], tid: 201, timestamp: 900", hitrace.Marsh{Transaction: key, TID: 201, Timestamp: 900}},
		{"largest", "MarshRSTransactionData transactionFlag:[2147483647,9223372036854775807]",
			hitrace.Marsh{Transaction: hitrace.Transaction{PID: 2147483647, Index: 1<<63 - 1}}},

		{"largest threads", "MarshRSTransactionData transactionFlag:[200,2147483647,5]", hitrace.Marsh{Transaction: key, TID: 2147483647}},
		{"largest threads", "MarshRSTransactionData transactionFlag:[200,5], tid:2147483647", hitrace.Marsh{Transaction: key, TID: 2147483647}},
		{"from zero", "MarshRSTransactionData transactionFlag:[200,0]", hitrace.Marsh{Transaction: hitrace.Transaction{PID: 200}}},

		{"none", "MarshRSTransactionData cmdCount:3", lost},
		{"cut", "MarshRSTransactionData cmdCount:3 transactionFlag:[200,5", lost},
		{"cut", "MarshRSTransactionData cmdCount:3 transactionFlag:", lost},
		{"one number", "MarshRSTransactionData transactionFlag:[200]", lost},
		{"four numbers", "MarshRSTransactionData transactionFlag:[200,201,202,5]", lost},
		{"no numbers", "MarshRSTransactionData transactionFlag:[a,b]", lost},
		{"negative", "MarshRSTransactionData transactionFlag:[-200,5]", lost},
		{"empty", "MarshRSTransactionData transactionFlag:[]", lost},
		{"pid too large", "MarshRSTransactionData transactionFlag:[2147483648,5]", lost},
		{"tid too large", "MarshRSTransactionData transactionFlag:[200,2147483648,5]", lost},
		{"index too large", "MarshRSTransactionData transactionFlag:[200,9223372036854775808]", lost},
		{"damaged thread and vsync", "MarshRSTransactionData transactionFlag:[200,5], tid:x, timestamp:y",
			hitrace.Marsh{Transaction: key, Damaged: hitrace.FieldTID | hitrace.FieldTimestamp}},
		{"thread too large", "MarshRSTransactionData transactionFlag:[200,5], tid:2147483648, timestamp:900",
			hitrace.Marsh{Transaction: key, Timestamp: 900, Damaged: hitrace.FieldTID}},
	} {
		if got := hitrace.ParseMarsh([]byte(test.label)); got != test.want {
			t.Errorf("%s: %q:\n got %+v\nwant %+v", test.version, test.label, got, test.want)
		}
	}
}

func TestAppliedTransactions(t *testing.T) {
	type pairs [][2]int64
	for _, test := range []struct {
		version string
		label   string
		want    pairs
	}{
		{"3.2", "RSMainThread::ProcessCommandUni, [200, 5], [300, 9]", pairs{{200, 5}, {300, 9}}},
		{"3.2", "RSMainThread::ProcessCommandUni, skip to[200, 5], [300, 9]", pairs{{300, 9}}},
		{"4.0 and later", "RSMainThread::ProcessCommandUni [200,5] [200,6] [300,9]", pairs{{200, 5}, {200, 6}, {300, 9}}},
		{"4.0 and later", "RSMainThread::ProcessCommandUni [200,5] skip to[200,8] [300,9]", pairs{{200, 5}, {300, 9}}},
		{"4.0 and later", "RSMainThread::ProcessCommandUni", nil},
		{"dev 2024", "RSMainThread::ProcessCommandUnicache [200,5]", nil},
		{"dev 2024", "RSMainThread::ProcessCommandUnicache [200,5] [300,9]cache [200,6]", pairs{{300, 9}}},
		{"5.0.0 and later", "RSMainThread::ProcessCommandUni cache [200,5] [300,9]", pairs{{300, 9}}},
		{"5.0.0 and later", "RSMainThread::ProcessCommandUni [200,5] cache (200,6) [300,9]", pairs{{200, 5}, {300, 9}}},
		{"5.0.0 and later", "RSMainThread::ProcessCommandUni cache [200,5] cache (200,6) skip to[200,7]", nil},

		{"three numbers", "RSMainThread::ProcessCommandUni [200, 201, 5]", pairs{{200, 5}}},
		{"spaced", "RSMainThread::ProcessCommandUni  [ 200 , 5 ]  skip to [200,6]  cache  [200,7]", pairs{{200, 5}}},
		{"cut", "RSMainThread::ProcessCommandUni [200,5] [300,", pairs{{200, 5}}},
		{"cut in a number", "RSMainThread::ProcessCommandUni [200,5] [300,1", pairs{{200, 5}}},
		{"damaged", "RSMainThread::ProcessCommandUni [200,x] [] [ [300,9]", pairs{{300, 9}}},
		{"damaged", "RSMainThread::ProcessCommandUni [[300,9]", pairs{{300, 9}}},
		{"damaged after cache", "RSMainThread::ProcessCommandUni cache [200,x] [300,9]", pairs{{300, 9}}},
	} {
		var got pairs
		for a := range hitrace.AppliedTransactions([]byte(test.label)) {
			got = append(got, [2]int64{int64(a.PID), a.Index})
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q: %v, want %v", test.version, test.label, got, test.want)
		}
	}
	for first := range hitrace.AppliedTransactions([]byte("RSMainThread::ProcessCommandUni [1,2] [3,4]")) {
		if first.Index != 2 {
			t.Errorf("the first is %v", first)
		}
		break // must not panic
	}
}

func TestParseDoComposition(t *testing.T) {
	for _, test := range []struct {
		version string
		label   string
		want    trace.Monotonic
	}{
		{"3.1 to 4.1", "RSMainThread::DoComposition", 0},
		{"dev 2022", "RSMainThread::DoComposition isUni:1", 0},
		{"5.0.0 and later", "RSMainThread::DoComposition: 100000213457", 100000213457},
		{"no blank", "RSMainThread::DoComposition:100000213457", 100000213457},
		{"nothing", "RSMainThread::DoComposition: ", 0},
		{"no number", "RSMainThread::DoComposition: now", 0},
		{"more behind", "RSMainThread::DoComposition: 5 6", 0},
		{"negative", "RSMainThread::DoComposition: -5", 0},
	} {
		if got := hitrace.ParseDoComposition([]byte(test.label)); got != test.want {
			t.Errorf("%s: %q: %d, want %d", test.version, test.label, got, test.want)
		}
	}
}

func TestParseCommit(t *testing.T) {
	for _, test := range []struct {
		version string
		label   string
		want    hitrace.Committed
	}{
		{"4.0", "RSHardwareThread::CommitAndReleaseLayers", hitrace.Committed{}},
		{"4.1", "RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 500", hitrace.Committed{Now: 500, Rate: 60}},
		{"5.0.0", "RSHardwareThread::CommitAndReleaseLayers rate: 60, now: 500, size: 2", hitrace.Committed{Now: 500, Rate: 60}},
		{"5.0.3", "RSHardwareThread::CommitAndReleaseLayers rate: 90, now: 500, vsyncId: 7, size: 2", hitrace.Committed{Now: 500, VsyncID: 7, Rate: 90}},
		{"5.1.0", "RSHardwareThread::CommitAndReleaseLayers rate: 90, now: 500, vsyncId: 7, size: 2, Names:a", hitrace.Committed{Now: 500, VsyncID: 7, Rate: 90}},
		{"6.0", "CommitLayers rate:90,now:500,vsyncId:7,size:2,Names:a,zorder: 0,", hitrace.Committed{Now: 500, VsyncID: 7, Rate: 90}},
		{"6.1", "CommitLayers screenId:0, rate:120, now:500, vsyncId:7,         size:2, taskNum:1 Names:a", hitrace.Committed{Now: 500, VsyncID: 7, Rate: 120}},
		{"master", "CommitLayers rate:90,now:500,vsyncId:7,size:2", hitrace.Committed{Now: 500, VsyncID: 7, Rate: 90}},
		// Text in a layer's name is not a field.
		{"6.0", "CommitLayers rate:90,size:2,Names:[now:1] a,b: vsyncId:2,zorder: 0,", hitrace.Committed{Rate: 90}},
		// One build printed no numbers there.
		{"dev 2024", "RSHardwareThread::CommitAndReleaseLayers rate: 90, now: %lu, vsyncId: %lu, size: 2", hitrace.Committed{Rate: 90}},
	} {
		if got := hitrace.ParseCommit([]byte(test.label)); got != test.want {
			t.Errorf("%s: %q: %+v, want %+v", test.version, test.label, got, test.want)
		}
	}
}

func TestParseFence(t *testing.T) {
	type fence struct {
		tracker  string
		number   int64
		signaled bool
	}
	for _, test := range []struct {
		version string
		label   string
		want    fence
	}{
		{"4.1 to 6.0", "Present Fence 12", fence{"Present Fence", 12, false}},
		{"4.1 to 6.0", "Present Fence 12 has signaled", fence{"Present Fence", 12, true}},
		{"4.1 to 6.0", "Waiting for Present Fence 12", fence{"Present Fence", 12, false}},
		{"6.1", "PresentFence_0 350342", fence{"PresentFence_0", 350342, false}},
		{"6.1", "PresentFence_2 350342 has signaled", fence{"PresentFence_2", 350342, true}},
		{"6.1", "Waiting for PresentFence_0 350342", fence{"PresentFence_0", 350342, false}},
	} {
		f, ok := hitrace.ParseFence([]byte(test.label))
		if got := (fence{string(f.Tracker), f.Number, f.Signaled}); !ok || got != test.want {
			t.Errorf("%s: %q: %+v, %v, want %+v", test.version, test.label, got, ok, test.want)
		}
	}
	for _, label := range []string{"", "Present Fence", "Present Fence ", "Present Fence x", "PresentFence_0", "Present Fence 12 has", "12", " 12",
		"Present Fence 99999999999999999999"} {
		if f, ok := hitrace.ParseFence([]byte(label)); ok {
			t.Errorf("%q is fence %+v", label, f)
		}
	}
}

func TestParseGenerated(t *testing.T) {
	for _, test := range []struct {
		version string
		label   string
		want    hitrace.Generated
		damaged hitrace.Fields
	}{
		{"3.2", "GenerateVsyncCount:1", hitrace.Generated{}, 0},
		{"4.0", "GenerateVsyncCount:1, period:16666667", hitrace.Generated{Period: 16666667}, 0},
		{"4.1 to 6.0", "GenerateVsyncCount:1, period:16552213, currRefreshRate_:0, vsyncMode_:0", hitrace.Generated{Period: 16552213}, 0},
		{"6.1", "GenerateVsyncCount:1, period:11091679, currRefreshRate:90, vsyncMode:1, now:500", hitrace.Generated{Period: 11091679, Now: 500}, 0},
		{"damaged", "GenerateVsyncCount:1, period:x, currRefreshRate:90, vsyncMode:1, now:-5", hitrace.Generated{}, hitrace.FieldPeriod | hitrace.FieldNow},
	} {
		got, damaged := hitrace.ParseGenerated([]byte(test.label))
		if got != test.want || damaged != test.damaged {
			t.Errorf("%s: %q: %+v, damaged %b, want %+v, %b", test.version, test.label, got, damaged, test.want, test.damaged)
		}
	}
}
