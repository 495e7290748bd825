package place_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ohframe/analyzer/why"
	"ohframe/internal/why/place"
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
		{"Page [[[[", "text=[[["},
		{"Draw \"<b>\"", "text=\"<b>\""},
	} {
		var got []string
		for _, a := range place.Arguments(c.label) {
			got = append(got, a.Name+"="+a.Value)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.label, s, c.want)
		}
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
