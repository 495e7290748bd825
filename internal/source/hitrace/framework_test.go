package hitrace_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/must"
)

// Spellings are those of arkui_ace_engine, ui_display_sync.cpp.
func TestParseDisplaySync(t *testing.T) {
	sync := func(id int64, kind analyzer.DisplaySyncType) result[analyzer.DisplaySync] {
		return result[analyzer.DisplaySync]{analyzer.DisplaySync{ID: id, Type: kind, Rate: 60, VsyncRate: 60, Every: 1}, true}
	}
	const rest = " Timestamp[5] TargetTimestamp[6]FrameRateRange[0, 120, 0] DrawFPS[60] VSyncRate[60] Rate[1] noSkip[1]"
	check(t, hitrace.DisplaySync, both(hitrace.ParseDisplaySync), []spelling[result[analyzer.DisplaySync]]{
		{"4.1", "DisplaySyncId[7] Timestamp[5] TargetTimestamp[6]Preferred[60] VSyncRate[60] Rate[1] noSkip[1]", sync(7, analyzer.UnknownSync)},
		{"5.0.0", "DisplaySyncId[7]" + rest, sync(7, analyzer.UnknownSync)},
		{"5.0.3, callback", "DisplaySyncId[3] Type[-1]" + rest, sync(3, analyzer.CallbackSync)},
		{"5.0.3, animator", "DisplaySyncId[18] Type[0]" + rest, sync(18, analyzer.AnimatorSync)},
		{"5.0.3, xcomponent", "DisplaySyncId[9223372036854775807] Type[1]" + rest, sync(1<<63-1, analyzer.XComponentSync)},
		{"another type", "DisplaySyncId[3] Type[2]" + rest, sync(3, analyzer.UnknownSync)},
		{"a rate of its own", "DisplaySyncId[3]" + " Timestamp[5] TargetTimestamp[6]FrameRateRange[0, 120, 30] DrawFPS[30] VSyncRate[90] Rate[3] noSkip[0]",
			result[analyzer.DisplaySync]{analyzer.DisplaySync{ID: 3, Type: analyzer.UnknownSync, Rate: 30, VsyncRate: 90, Every: 3, Skipped: true}, true}},
		{"rates that are no numbers", "DisplaySyncId[3] DrawFPS[x] VSyncRate[99999999999] Rate[-1", result[analyzer.DisplaySync]{analyzer.DisplaySync{ID: 3, Type: analyzer.UnknownSync}, true}},
		{"no number", "DisplaySyncId[x] Type[0]", result[analyzer.DisplaySync]{}},
		{"too large", "DisplaySyncId[18446744073709551615] Type[0]", result[analyzer.DisplaySync]{}},
		{"cut", "DisplaySyncId[3", result[analyzer.DisplaySync]{}},
	})
}

// Spellings are those of flutter_engine_ohos: the category, "::", the name, " argument:value".
func TestParseFlutter(t *testing.T) {
	numbers := func(name string) []spelling[result[int64]] {
		return []spelling[result[int64]]{
			{"3.22", name + " frame_number:123", result[int64]{123, false}},
			{"without", name, result[int64]{}},
			{"damaged", name + " frame_number:1x", result[int64]{0, true}},
		}
	}
	check(t, hitrace.FlutterFrame, both(hitrace.ParseFlutterNumber), numbers("flutter::Animator::BeginFrame"))
	check(t, hitrace.FlutterDraw, both(hitrace.ParseFlutterNumber), numbers("flutter::Rasterizer::DoDraw"))
	check(t, hitrace.FlutterRender, both(hitrace.ParseFlutterNumber), numbers("flutter::Animator::Render"))
	check(t, hitrace.FlutterVsync, both(hitrace.ParseFlutterVsync), []spelling[result[trace.Monotonic]]{
		{"3.22", "flutter::VsyncProcessCallback StartTime:1000000000 TargetTime:1008000000", result[trace.Monotonic]{1000000000, false}},
		{"without", "flutter::VsyncProcessCallback", result[trace.Monotonic]{}},
		{"damaged", "flutter::VsyncProcessCallback StartTime:-1", result[trace.Monotonic]{0, true}},
	})
	for _, label := range []string{
		"flutter::Animator::BeginFrames", "flutter::Animator::RequestFrame", "flutter::Rasterizer::DoDrawing",
		"flutter::Rasterizer::DrawToSurfaces", "flutter::BeginFrame idle callback", "flutter::", "flutter",
		"flutter::GPURasterizer::Draw", "flutter::PlatformConfiguration::BeginFrame", "Animator::BeginFrame frame_number:1",
	} {
		must.Equal(t, hitrace.Recognize([]byte(label)), hitrace.Other, "%q is word", label)
	}
}

// Spellings are those of graphic_graphic_2d, vsync_distributor.cpp.
func TestParseRequester(t *testing.T) {
	must.Equal(t, string(hitrace.ParseVsyncRequested([]byte("WM_3000_RequestNextVSync"))), "WM_3000")
	check(t, hitrace.VsyncSent, func(text []byte) string { return string(hitrace.ParseVsyncSent(text)) }, []spelling[string]{
		{"3.2", "SendVsyncTo conn: WM_3000, now:700000000000", "WM_3000"}, {"5.0", "SendVsyncTo conn: a b, now:700000000000, refreshRate:60", "a b"},
		{"cut", "SendVsyncTo conn: ", ""},
	})
	// As HapRay reads it.
	check(t, hitrace.FlutterDamage, hitrace.IsUndamaged, []spelling[bool]{
		{"nothing", "SetPresentInfo frame_damage:<0,0,0,0>", true}, {"no height", "flutter::SetPresentInfo frame_damage:<0, 10, 100, 0>", true},
		{"something", "SetPresentInfo frame_damage:<0,0,100,1>", false}, {"without", "SetPresentInfo", false}, {"cut", "SetPresentInfo frame_damage:<0,0,0,0", false},
	})
	for _, label := range []string{"WM_3000_RequestNextVSync2", "VSyncReceiver::RequestNextVSync:WM_3000", "SendVsyncToo", "SetPresentInfos"} {
		must.Equal(t, hitrace.Recognize([]byte(label)), hitrace.Other, "%q is word", label)
	}
}

// Spellings are those of chromium_arkweb: the name, " | argument=value".
func TestParseWebFrame(t *testing.T) {
	check(t, hitrace.WebFrame, hitrace.ParseWebFrame, []spelling[int64]{
		{"new", "Graphics.Pipeline | trace_id=41 | step=ReceiveBeginFrame", 41},
		{"old", "Graphics.Pipeline | step=ReceiveBeginFrame", 0},
		{"negative", "Graphics.Pipeline | trace_id=-1 | step=ReceiveBeginFrame", 0},
	})
	check(t, hitrace.WebSubmit, hitrace.ParseWebFrame, []spelling[int64]{
		{"new", "Graphics.Pipeline | trace_id=41 | step=SubmitCompositorFrame", 41},
	})
	check(t, hitrace.WebSkip, hitrace.ParseWebFrame, []spelling[int64]{
		{"new", "Graphics.Pipeline | trace_id=41 | trace_content=step: DidNotProduceFrame, reason: 1", 41},
		{"old", "Graphics.Pipeline | step=DidNotProduceFrame", 0},
	})
	for _, label := range []string{
		"Graphics.Pipeline", "Graphics.Pipeline | trace_id=41", "Graphics.Pipeline | step=GenerateRenderPass",
		"Graphics.Pipeline | trace_id=41 | step=ReceiveBeginFrameDiscard", "Graphics.PipelineX | step=ReceiveBeginFrame",
	} {
		must.Equal(t, hitrace.Recognize([]byte(label)), hitrace.Other, "%q is word", label)
	}
}
