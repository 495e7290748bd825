package place

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

func key(label string) string { return string(AppendKey(nil, []byte(label))) }

// TestKey has the rules of AppendKey by example, besides those that spellings show.
func TestKey(t *testing.T) {
	for _, test := range []struct{ label, want string }{
		// The hitrace suffix and "H:" of raw names.
		{"H:Repaint|M0538", "Repaint"},
		{"Repaint ", "Repaint"},
		// Call chains and instances in front.
		{"[654d3a3a534f484,2567617,1d1c13d]#CheckIntervalIdle::sumDuration:53", "CheckIntervalIdle::sumDuration"},
		{"[0]RendererInServer OnWriteData cacheCount:3", "RendererInServer OnWriteData"},
		{"[sceneType:0]HpaeMixerNode::SignalProcess", "HpaeMixerNode::SignalProcess"},
		// Signatures.
		{"virtual OHOS::ErrCode OHOS::AppExecFwk::BundleMgrHostImpl::GetNameForUid(const int, std::string &)",
			"OHOS::AppExecFwk::BundleMgrHostImpl::GetNameForUid"},
		{"static int32_t OHOS::Global::Resource::HapParser::ParseResHex(const char *, const size_t, OHOS::Global::Resource::ResDesc &)",
			"OHOS::Global::Resource::HapParser::ParseResHex"},
		{"std::shared_ptr<Media::PixelMap> OHOS::AAFwk::AbilityRecord::GetPixelMap(const uint32_t) const",
			"OHOS::AAFwk::AbilityRecord::GetPixelMap"},
		{"std::map<int, std::string> A::B::list(int)", "A::B::list"},
		{"bool A::operator()(int)", "A::operator"},
		{"void (anonymous namespace)::A::b(int)", "A::b"},
		// Brackets.
		{"Builder:BuildLazyItem [10]", "Builder:BuildLazyItem"},
		{"CustomNode:BuildRecycle IconItem", "CustomNode:BuildRecycle IconItem"},
		{"CustomNodeUpdate IconItem2", "CustomNodeUpdate IconItem2"},
		{"CustomNode:BuildRecycle IconItem_2", "CustomNode:BuildRecycle IconItem"},
		{"UpdateUifirstNodes: Id[16544214024221] name[SCBDesktop6] FLId[16544214024221]", "UpdateUifirstNodes"},
		{"IsLeashWindowCache: toSubThread[0] recent[0]", "IsLeashWindowCache"},
		{"P[sq_123]", "P[sq]"},
		// Where the variable part begins.
		{"DispatchResource PluginMgr ,resType[8],resTypeStr[CGROUP_ADJUSTER]", "DispatchResource PluginMgr"},
		{"PerfRequest,cmdId[10000],msg[pid=277|tid=419]", "PerfRequest"},
		{"AcquireBuffer name: FrameBuffer queueId: 5", "AcquireBuffer"},
		{"BMS GetBundleInfoV9", "BMS GetBundleInfoV9"},
		{"RSMainThread::ProcessCommandUni [1,2] [3,4]", "RSMainThread::ProcessCommandUni"},
		{"presentFenceIndex_ = 1", "presentFenceIndex"},
		{"SetVolume range:-1", "SetVolume"},
		{"RME render end ret -1", "RME render end ret"},
		{"RCDTopSurfaceNode8005819039744", "RCDTopSurfaceNode"},
		// Addresses and paths.
		{"load resource://base/media/a.png", "load"},
		{"open /data/storage/el1/bundle", "open"},
		{"free 0x7f001234", "free"},
		{"task@7f001234", "task"},
		// Nothing but variable parts.
		{"", "unnamed"},
		{"350342", "unnamed"},
		{"[12,ab]#", "unnamed"},
		{"/data/storage", "data"},
		{"{json}", "json"},
		// People's names.
		{"首页 12", "首页"},
		{"3DScene", "3DScene"},
	} {
		must.Equal(t, key(test.label), test.want, "key of %q", test.label)
		must.Equal(t, key(test.want), test.want, "key of the key %q", test.want)
	}
	long := strings.Repeat("ab", 200)
	must.Equal(t, key(long), long[:maxKey], "long name")
}

// FuzzAppendKey checks what AppendKey promises for any label.
func FuzzAppendKey(f *testing.F) {
	for _, seed := range []string{
		"H:Repaint|M0538", "[654d,2,1]#A::b:53", "std::map<int, X> A::b(int)", "A::operator()(int) const",
		"void (anonymous namespace)::b(int)", "PartialGC::RunPhases1;GCReason2", "X[Item12][self:3]", "a name: b",
		"[[[", "x[y", "a[b[c]d]", "a = 1", "::1", "首页_1", "\xff\xfe", "H:H:[]#", "a\x00b", strings.Repeat("語", 40) + "[a]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, label []byte) {
		k := AppendKey([]byte("before"), label)
		if !bytes.HasPrefix(k, []byte("before")) {
			t.Fatalf("dst was overwritten: %q", k)
		}
		k = k[len("before"):]
		if len(k) == 0 || len(k) > maxKey {
			t.Fatalf("the key of %q has %d bytes: %q", label, len(k), k)
		}
		if utf8.Valid(label) && !utf8.Valid(k) {
			t.Fatalf("the key of %q is not UTF-8: %q", label, k)
		}
		if again := AppendKey(nil, k); !bytes.Equal(again, k) {
			t.Fatalf("the key of %q is %q, whose key is %q", label, k, again)
		}
		Lookup(label)
		Lookup(k)
		GCReason(label)
		BlockedBy(label)
		IsInterruptThread(label)
		if f := AppendFunction(nil, label); bytes.ContainsAny(f, "+[ ") {
			t.Fatalf("the function of %q is %q", label, f)
		}
	})
}

func TestAllocations(t *testing.T) {
	labels := [][]byte{
		[]byte("RSUniRender::QuickPrepare:[SCBStatusBar17] nodeId[16544214024386] pid[3852]"),
		[]byte("virtual OHOS::ErrCode OHOS::AppExecFwk::BundleMgrProxy::GetNameForUid(const int, std::string &)"),
		[]byte("PartialGC::RunPhases1;GCReason2;MarkReason0"),
		[]byte("350342"),
	}
	caller := []byte("fscache_page_get_an+0xd0c/0x1b44[sysmgr.elf]")
	dst := make([]byte, 0, maxKey)
	must.Equal(t, testing.AllocsPerRun(100, func() {
		for _, label := range labels {
			Lookup(AppendKey(dst, label))
		}
		BlockedBy(caller)
		AppendFunction(dst, caller)
		IsInterruptThread(caller)
	}), 0, "allocations")
}

func TestInside(t *testing.T) {
	build := Lookup([]byte("CustomNode:BuildItem[A]"))
	gc := Lookup([]byte("PartialGC::RunPhases")).Inside(build)
	for _, test := range []struct{ got, want Place }{
		{Place{}.Inside(build), build},
		{Lookup([]byte("OHOS::Global::Resource::A")).Inside(build), Place{why.StageBuild, ClassResource, why.AdviseResource}},
		{Lookup([]byte("FlushLayoutTask")).Inside(build), Place{Stage: why.StageLayout}},
		{gc, Place{why.StageBuild, ClassGC, why.NoAdvice}},
		{Place{}.Inside(gc), gc},
		{Lookup([]byte("DoDecode")).Inside(gc), gc},
	} {
		must.Equal(t, test.got, test.want)
	}
}

func TestGCReason(t *testing.T) {
	for _, test := range []struct{ label, want string }{
		{"PartialGC::RunPhases0;GCReason0;MarkReason4;Sensitive0", "allocation limit"},
		{"SharedCC::RunPhases;GCReason 3;MarkReason0", "switched to background"},
		{"SharedGC::Finish;Reason7", ""}, // 5.0 or 6.0
		{"SharedGC::Finish;Reason1", "allocation failed"},
		{"ConcurrentMarker::Mark1;MarkReason2", ""},
		{"PartialGC::RunPhases1", ""},
		{"PartialGC::RunPhases;GCReason-1", ""},
	} {
		if got, ok := GCReason([]byte(test.label)); got != test.want || ok != (test.want != "") {
			t.Errorf("reason of %q is %q, %v", test.label, got, ok)
		}
	}
	// All numbers, in the order of the two enumerations. What is empty differs between the
	// versions that write such a label.
	for field, list := range map[string]string{
		"GCReason": "allocation limit|allocation failed|idle|switched to background|external trigger|worker destroyed|triggered by JS|hint|native limit|" +
			"shared limit|idle, native memory|cross reference|marking finished|ArkUI|ability|memory tools|TaskPool|other|",
		"Reason": "allocation limit|allocation failed|idle|switched to background|external trigger||triggered by JS|ArkUI|ability|memory tools|TaskPool||idle, native memory|",
	} {
		for i, want := range strings.Split(list, "|") {
			if got, _ := GCReason(fmt.Appendf(nil, "FullGC::RunPhases;%s%d;Sensitive0", field, i)); got != want {
				t.Errorf("%s %d is %q, want %q", field, i, got, want)
			}
		}
	}
}

func TestAppendFunction(t *testing.T) {
	for caller, want := range map[string]string{
		"io_schedule+0x1c/0x9b0[storage.elf]": "io_schedule",
		"hrtimer_nanosleep":                   "hrtimer_nanosleep",
		"scan_work+0x10/0x20 [wifi]":          "scan_work",
		"0xffffffc0101a2b3c":                  "",
		"":                                    "",
	} {
		must.Equal(t, string(AppendFunction(nil, []byte(caller))), want, "function of %s", caller)
	}
}

func TestThreads(t *testing.T) {
	for comm, want := range map[string]bool{
		"udk-irq-12": true, "dh-irq-bind-3": true, "irq/45-mmc0": true, "ksoftirqd/0": true,
		"irq/": false, "irq/x": false, "udk-irq": false, "render_service": false, "": false,
	} {
		must.Equal(t, IsInterruptThread([]byte(comm)), want, "%s", comm)
	}
	if !IsSchedulerThread([]byte("tppmgr-sched-in")) || IsSchedulerThread([]byte("tppmgr-idle-3")) {
		t.Error("scheduler thread")
	}
}

// TestNames checks that all codes exist and differ, and that every piece
// of advice is given for some cause.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	check := func(kind, text, allowed string) {
		if text == "" || strings.Trim(text, allowed) != "" || seen[kind+text] {
			t.Errorf("%s %q", kind, text)
		}
		seen[kind+text] = true
	}
	const code = "abcdefghijklmnopqrstuvwxyz_."
	for s := range why.Stage(why.StageCount) {
		check("stage", s.String(), code)
	}
	for c := range Class(ClassCount) {
		check("class", c.String(), code)
	}
	for w := range why.Wait(why.WaitCount) {
		check("wait", w.String(), code)
	}
	given := map[why.Advice]bool{why.AdviseQueue: true} // for late buffers
	for c := range AllCauses() {
		given[c.Advice()] = true
	}
	for a := why.Advice(1); a < why.Advice(why.AdviceCount); a++ {
		check("advice", a.String(), code)
		if !given[a] {
			t.Errorf("no cause has the advice %s", a)
		}
	}
}
