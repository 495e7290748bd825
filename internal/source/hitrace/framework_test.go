package hitrace_test

import (
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// Spellings are those of arkui_ace_engine, ui_display_sync.cpp.
func TestParseDisplaySync(t *testing.T) {
	sync := func(id int64, kind analyzer.DisplaySyncType) result[analyzer.DisplaySync] {
		return result[analyzer.DisplaySync]{analyzer.DisplaySync{ID: id, Type: kind}, true}
	}
	const rest = " Timestamp[5] TargetTimestamp[6]FrameRateRange[0, 120, 0] DrawFPS[60] VSyncRate[60] Rate[1] noSkip[1]"
	check(t, hitrace.DisplaySync, both(hitrace.ParseDisplaySync), []spelling[result[analyzer.DisplaySync]]{
		{"4.1", "DisplaySyncId[7] Timestamp[5] TargetTimestamp[6]Preferred[60] VSyncRate[60] Rate[1] noSkip[1]", sync(7, analyzer.UnknownSync)},
		{"5.0.0", "DisplaySyncId[7]" + rest, sync(7, analyzer.UnknownSync)},
		{"5.0.3, callback", "DisplaySyncId[3] Type[-1]" + rest, sync(3, analyzer.CallbackSync)},
		{"5.0.3, animator", "DisplaySyncId[18] Type[0]" + rest, sync(18, analyzer.AnimatorSync)},
		{"5.0.3, xcomponent", "DisplaySyncId[9223372036854775807] Type[1]" + rest, sync(1<<63-1, analyzer.XComponentSync)},
		{"another type", "DisplaySyncId[3] Type[2]" + rest, sync(3, analyzer.UnknownSync)},
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
		if word := hitrace.Recognize([]byte(label)); word != hitrace.Other {
			t.Errorf("%q is word %d", label, word)
		}
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
		if word := hitrace.Recognize([]byte(label)); word != hitrace.Other {
			t.Errorf("%q is word %d", label, word)
		}
	}
}
