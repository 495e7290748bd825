package place_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ohframe/analyzer/why"
	"ohframe/internal/place"
	"ohframe/internal/testing/must"
)

// The labels have the forms of OpenHarmony's sources and of real traces.
func TestArguments(t *testing.T) {
	for _, c := range []struct{ label, want string }{
		{"H:CustomNode:BuildItem [IconItem][self:38][parent:37]", "node=38 parent=37"},
		{"CustomNode:BuildRecycle [ProductCard][self:38][parent:37]", "node=38 parent=37"},
		{"BuildLazyItem [12]", "index=12"},
		// The types of a function's parameters say nothing of the call.
		{"virtual int32_t OHOS::AppSpawnClient::StartProcess(const OHOS::StartMsg &, pid_t &)", ""},
		{"void OHOS::MainThread::HandleLaunchAbility(const std::shared_ptr<Record> &)##com.example.clock", "text=com.example.clock"},
		{"int OHOS::Client::Start(sptr<OHOS::SessionInfo>, bool)", ""},
		{"Load(image.png, 12)", "text=image.png, 12"},
		{"ListLayoutAlgorithm::MeasureListItem:15, 0.000000, 120.000000", "index=15 value=0.000000 value=120.000000"},
		{"Measure[Text][self:12][parent:7][key:]", "node=12 parent=7"},
		{"CreateImagePixelMap resource://base/media/banner_12.png, sourceSize: [4000, 3000], targetSize: [200, 150]",
			"source=resource://base/media/banner_12.png source_size=4000 × 3000 target_size=200 × 150"},
		{"CreateImagePixelMap resource://base/media/横幅.png, sourceSize: [ 4000, 3000 ], targetSize: [ 200.5, 150 ]",
			"source=resource://base/media/横幅.png source_size=4000 × 3000 target_size=200.5 × 150"},
		{"ImageLoadingContext::Load, uri: https://example.com/a?b=1:2", "source=https://example.com/a?b=1:2"},
		{"Decode /data/photo(1)[a].png, index: 3", "source=/data/photo(1)[a].png index=3"},
		{"HttpRequest https://example.com/feed", "url=https://example.com/feed"},
		{"RequestBuffer name: gallery0 queueId: 5 queueSize: 3", "name=gallery0 queueId=5 queueSize=3"},
		{"OnIdle, targettime:1203948571203", ""},
		{"Transact, interface: OHOS.IWindow, code=12", "interface=OHOS.IWindow code=12"},
		{"FlushLayoutTask", ""},
		{"FlushLayoutTask ", ""},
		{"void OHOS::MainThread::HandleMemoryLevel(int) ", ""},
		{"std::shared_ptr<Media::PixelMap> OHOS::AbilityRecord::GetPixelMap(const uint32_t, std::shared_ptr<ResourceManager>) const ", ""},
		// A sentence says nothing of the call, and neither does a number in it.
		{"PostAndWait, parallel type 0", ""},
		{"dequeueBuffer - VRI[PlayerActivity]#5(BLAST Consumer)5", ""},
		{"acquireNextBufferLocked - VRI[PlayerActivity]#12(BLAST Consumer)0 frame=1301", "frame=1301"},
		{"PostAndWait, parallel type 2", ""},
		{"Acquire Fence 3402 has signaled", "value=3402"},
		{"Load, type 3", "type=3"},
		{"Load, index 12", "index=12"},
		{"Load, banner", "text=banner"},
		{"Load, weather card", "text=weather card"},
		// Fields in other forms.
		{"DisplaySyncId[327] Timestamp[800983333294] TargetTimestamp[800991666627]FrameRateRange[0, 120, 60] DrawFPS[60] VSyncRate[120] Rate[2] noSkip[1]",
			"id=327 FrameRateRange=0, 120, 60 DrawFPS=60 VSyncRate=120 Rate=2 noSkip=1"},
		{"PerfRequestEx,cmdId[10007],onOff[0],msg[pid=277|tid=419] ", "cmdId=10007 onOff=0 msg=pid=277|tid=419"},
		{"RequestBuffer name: myplayer surface queueId: 3994319 queueSize: 4 reserveSlotNum: 0", "name=myplayer surface queueId=3994319 queueSize=4 reserveSlotNum=0"},
		{"Report, uniqueId = 101626, page: pages/Index", "uniqueId=101626 page=pages/Index"},
		// Times say nothing.
		{"OnIdle, targettime:57132166567", ""},
		{"OnVsyncEvent now:75198732620", ""},
		{"OnVsyncEvent now:5198732620, expectedEnd: 5198732620000", ""},
		{"Animate timestamp=1234567, delayTime: 300, frameTimestamp[51987326]", "delayTime=300"},
		{"Timer 57132166567", ""},
		{"Load, nodeId: 4294967295", "node=4294967295"},
		{"Page [[[[", "text=[[["},
		{"Draw \"<b>\"", "text=\"<b>\""},
	} {
		var got []string
		for _, a := range place.Arguments(c.label) {
			got = append(got, a.Name+"="+a.Value)
		}
		must.Equal(t, strings.Join(got, " "), c.want, "%s", c.label)
	}
}

func FuzzArguments(f *testing.F) {
	f.Add("CreateImagePixelMap a://b, sourceSize: [1, 2]")
	f.Add("x" + strings.Repeat("[", 1000))
	f.Fuzz(func(t *testing.T, label string) {
		list := place.Arguments(label)
		if len(list) > 8 {
			t.Errorf("%d arguments", len(list))
		}
		for _, a := range list {
			if a.Name == "" || a.Value == "" || len(a.Name) > why.MaxArgument || len(a.Value) > why.MaxArgument || !utf8.ValidString(a.Name+a.Value) {
				t.Errorf("%q: %q", a.Name, a.Value)
			}
		}
	})
}
