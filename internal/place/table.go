package place

import (
	"bytes"
	"sync"

	"ohframe/analyzer/why"
)

// Place is what a slice means for a frame.
type Place struct {
	// Stage is the stage that the slice begins, or NoStage.
	Stage why.Stage
	// Class is the kind of work.
	Class Class
	// Advice is for the case that the slice runs too long, or NoAdvice.
	Advice why.Advice
}

// Inside returns the place p of a slice, completed by the place of the slice around
// it: outer is the completed place of that one, or the zero Place. What runs inside
// of a garbage collection belongs to it.
func (p Place) Inside(outer Place) Place {
	if p.Stage == why.NoStage {
		p.Stage = outer.Stage
		if p.Class == ClassWork && p.Advice == why.NoAdvice {
			p.Class, p.Advice = outer.Class, outer.Advice
		}
	}
	if outer.Class == ClassGC || outer.Class == ClassGCWait && p.Class != ClassGC {
		p.Class, p.Advice = outer.Class, outer.Advice
	}
	return p
}

// Lookup returns what the slice with this key means: the place of the longest
// prefix in the table, or the zero Place. Labels work as well, except for signatures
// and names with something in front. Nothing is allocated.
func Lookup(key []byte) Place {
	known := markers()
	if row, _ := known.index.find(key); row >= 0 {
		return known.rows[row].Place
	}
	// Interfaces that IDL generates: the client's side is the Proxy.
	if i := bytes.Index(key, []byte("Proxy::")); i > 0 {
		return Place{Class: ClassIPC, Advice: why.AdviseIPC}
	}
	return Place{}
}

// marker is one row of the table.
type marker struct {
	// prefix is the beginning of a key. A word of the key must end where the prefix
	// ends, unless a star follows it.
	prefix string
	Place
	// whole: the prefix is the whole key, whatever follows it in labels.
	whole bool
}

type markerTable struct {
	rows  []marker
	index prefixes
}

var markers = newMarkerTable(table[:])

// newMarkerTable makes the table when it is first used.
func newMarkerTable(rows []marker) func() *markerTable {
	return sync.OnceValue(func() *markerTable {
		return &markerTable{rows, newPrefixes(len(rows), func(row int) string { return rows[row].prefix })}
	})
}

// fixedKey returns the key of names whose prefix is their key, or "".
func (t *markerTable) fixedKey(name []byte) string {
	if row, prefix := t.index.find(name); row >= 0 && t.rows[row].whole {
		return prefix
	}
	return ""
}

// table has the markers that name a stage, a class or an advice, in the order of the
// pipeline. Versions are OpenHarmony's.
var table = [...]marker{
	// ArkUI: arkui_ace_engine, UI thread.

	{"ReceiveVsync", Place{Stage: why.StageFrame}, true},
	{"OnVsyncEvent", Place{Stage: why.StageFrame}, true},
	{"UIVsyncTask", Place{Stage: why.StageFrame}, true}, // 5.0.3 and later
	{"FlushVsync", Place{Stage: why.StageFrame}, true},  // before UIVsyncTask

	{"PipelineContext::DispatchTouchEvent", Place{Stage: why.StageInput}, false},
	{"DispatchTouchEvent", Place{Stage: why.StageInput}, false},
	{"FlushTouchEvents", Place{Stage: why.StageInput}, false},
	{"HandleDrag*", Place{Stage: why.StageInput}, false},
	{"touchEventDispatch", Place{Stage: why.StageInput}, false},
	{"DispatchDisplaySync", Place{why.StageInput, ClassWork, why.AdviseFrameCallback}, false},

	{"FlushAnimation", Place{Stage: why.StageAnimate}, false},
	{"JSAnimation", Place{Stage: why.StageAnimate}, false},
	{"FlushModifierAnimation", Place{Stage: why.StageAnimate}, false},

	{"FlushBuild", Place{Stage: why.StageBuild}, false},
	{"FlushDirtyNodeUpdate", Place{Stage: why.StageBuild}, false},
	{"CustomNodeUpdate", Place{Stage: why.StageBuild}, false},
	{"ViewPU.viewPropertyHasChanged", Place{Stage: why.StageBuild}, false},
	{"CustomNode:BuildItem", Place{why.StageBuild, ClassWork, why.AdviseCreate}, false},
	{"CustomNode:BuildRecycle", Place{why.StageBuild, ClassWork, why.AdviseRecycle}, false},
	{"CustomNode:OnAppear", Place{why.StageBuild, ClassWork, why.AdviseAppear}, false},
	{"CustomNode renderFunction", Place{why.StageBuild, ClassWork, why.AdviseCreate}, false},
	{"CustomNode:Destroy", Place{why.StageBuild, ClassWork, why.AdviseCreate}, false},
	{"CustomNodeBase:Destroy", Place{why.StageBuild, ClassWork, why.AdviseCreate}, false},
	{"aboutToBeDeleted", Place{why.StageBuild, ClassWork, why.AdviseCreate}, false},
	{"Create[*", Place{why.StageBuild, ClassWork, why.AdviseCreate}, false}, // persist.ace.trace.layout.enabled
	{"Build[*", Place{why.StageBuild, ClassWork, why.AdviseCreate}, false},

	{"ExecuteJS", Place{Stage: why.StageJS}, false},
	{"Napi complete", Place{why.StageJS, ClassWork, why.AdviseCallbacks}, false},
	{"Native async work complete callback", Place{why.StageJS, ClassWork, why.AdviseCallbacks}, false},
	{"SetTimeoutInnerCore*", Place{why.StageJS, ClassWork, why.AdviseCallbacks}, false},
	{"TimerCallback", Place{why.StageJS, ClassWork, why.AdviseCallbacks}, false},
	{"PageRouterManager::RunPage", Place{why.StageJS, ClassWork, why.AdviseLoad}, false},
	{"PageRouterManager::LoadPage", Place{why.StageJS, ClassWork, why.AdviseLoad}, false},
	{"JsiDeclarativeEngine::LoadPageSource", Place{why.StageJS, ClassWork, why.AdviseLoad}, false},
	{"JsiDeclarativeEngine::LoadJsWithModule", Place{why.StageJS, ClassWork, why.AdviseLoad}, false},
	{"SourceTextModule::*", Place{why.StageJS, ClassWork, why.AdviseLoad}, false},
	{"OHOS::AbilityRuntime::JsRuntime::RunScript", Place{why.StageJS, ClassWork, why.AdviseLoad}, false},
	{"OHOS::AbilityRuntime::JsRuntime::LoadJsModule", Place{why.StageJS, ClassWork, why.AdviseLoad}, false},

	{"UITaskScheduler::FlushTask", Place{Stage: why.StageLayout}, false},
	{"FlushLayoutTask", Place{Stage: why.StageLayout}, false},
	{"CreateTaskMeasure", Place{Stage: why.StageLayout}, false},
	{"CreateTaskLayout", Place{Stage: why.StageLayout}, false},
	{"Measure", Place{Stage: why.StageLayout}, false}, // persist.ace.trace.layout.enabled
	{"Layout", Place{Stage: why.StageLayout}, false},
	{"ListLayoutAlgorithm::*", Place{why.StageLayout, ClassWork, why.AdviseList}, false},
	{"SwiperLayoutAlgorithm::*", Place{why.StageLayout, ClassWork, why.AdviseList}, false},
	{"Grid MeasureInNextFrame", Place{why.StageLayout, ClassWork, why.AdviseList}, false},
	{"WaterFlow MeasureInNextFrame", Place{why.StageLayout, ClassWork, why.AdviseList}, false},
	{"Preload FlowItem", Place{why.StageLayout, ClassWork, why.AdviseList}, false},
	{"Builder:BuildLazyItem", Place{why.NoStage, ClassWork, why.AdviseList}, true}, // in layout or while idle

	{"FlushRenderTask", Place{Stage: why.StageRecord}, false},
	{"FrameNode::RenderTask", Place{Stage: why.StageRecord}, false},
	{"FrameNode[*", Place{Stage: why.StageRecord}, false},              // FrameNode[Text][id:12][parentId:11]::RenderTask
	{"Canvas", Place{why.NoStage, ClassWork, why.AdviseCanvas}, false}, // Canvas tasks count
	{"CanvasPattern::*", Place{why.NoStage, ClassWork, why.AdviseCanvas}, false},
	{"CanvasPaintMethod::*", Place{why.NoStage, ClassWork, why.AdviseCanvas}, false},
	{"CanvasModifier::*", Place{why.NoStage, ClassWork, why.AdviseCanvas}, false},

	{"FlushMessages", Place{Stage: why.StageSubmit}, false},
	{"SendCommands", Place{Stage: why.StageSubmit}, true},
	{"MarshRSTransactionData", Place{Stage: why.StageSubmit}, true},
	{"Marsh RSTransactionData", Place{Stage: why.StageSubmit}, true}, // 3.2
	{"UI skip", Place{Stage: why.StageSubmit}, false},                // 6.0 and later

	{"HandleOnAreaChangeEvent*", Place{Stage: why.StageAfter}, false}, // HandleOnAreaChangeEvent_nodeCount:3
	{"HandleVisibleAreaChangeEvent*", Place{Stage: why.StageAfter}, false},

	{"OnIdle", Place{why.StageIdle, ClassIdle, why.AdvisePredict}, false},
	{"LazyForEach predict", Place{why.StageIdle, ClassIdle, why.AdvisePredict}, false},
	{"List predict", Place{why.StageIdle, ClassIdle, why.AdvisePredict}, false},
	{"Grid predict", Place{why.StageIdle, ClassIdle, why.AdvisePredict}, false},
	{"Grid preload items", Place{why.StageIdle, ClassIdle, why.AdvisePredict}, false},
	{"WaterFlow predict", Place{why.StageIdle, ClassIdle, why.AdvisePredict}, false},
	{"expiringItem*", Place{why.StageIdle, ClassIdle, why.AdvisePredict}, false}, // expiringItem_ count:[N]

	{"ConfigurationUpdated", Place{Stage: why.StageLifecycle}, false},
	{"ViewChangeCallback", Place{Stage: why.StageLifecycle}, false},
	{"OnSurfaceChanged", Place{Stage: why.StageLifecycle}, false},
	{"HandleMemoryLevel", Place{Stage: why.StageLifecycle}, false},

	// Images: multimedia_image_framework, and ArkUI's own.

	{"CreateImagePixelMap", Place{why.NoStage, ClassImage, why.AdviseImage}, true},
	{"PixelMap *", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"PngDecoder::*", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"JpegHardwareDecoder::*", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"HeifDecoderImpl::*", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"SvgDecoder::*", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"WebpDecoder::*", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"DoDecode", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"JpegDecoder::*", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"RawDecoder::*", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"ImageSource*", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"CreatePixelMapExtended", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"CreatePixelMapForASTC", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"ImageFormatConvert::*", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"PixelMapPostProcWithGL", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"ResizeRotateWithGL", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"ResizeScaleWithGL", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"RotateInRectangularSteps", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"ScalePixelMapWithGPU", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"ScalePixelMapWithSLR", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"ImagePacker*", Place{why.NoStage, ClassImage, why.NoAdvice}, false},
	{"JpegEncoder::*", Place{why.NoStage, ClassImage, why.NoAdvice}, false},
	{"WebpEncoder::*", Place{why.NoStage, ClassImage, why.NoAdvice}, false},
	{"GifEncoder::*", Place{why.NoStage, ClassImage, why.NoAdvice}, false},
	{"PixelMapNapi::*", Place{why.NoStage, ClassImage, why.NoAdvice}, false},
	{"ReadPixels", Place{why.NoStage, ClassImage, why.NoAdvice}, false},
	{"WritePixels", Place{why.NoStage, ClassImage, why.NoAdvice}, false},

	// Resources: global_resource_management.

	{"OHOS::Global::Resource::*", Place{why.NoStage, ClassResource, why.AdviseResource}, false},
	{"HapManager::*", Place{why.NoStage, ClassResource, why.AdviseResource}, false}, // without the signature

	{"binder transaction", Place{why.NoStage, ClassIPC, why.AdviseIPC}, false},

	// Garbage collection: arkcompiler_ets_runtime. Phases of a collection are
	// inside of these.

	{"PartialGC::RunPhases*", Place{why.NoStage, ClassGC, why.NoAdvice}, true},
	{"PartialGC::*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"FullGC::*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"SweepGC::RunPhases*", Place{why.NoStage, ClassGC, why.NoAdvice}, true},
	{"StickySweepGC::RunPhases*", Place{why.NoStage, ClassGC, why.NoAdvice}, true},
	{"ConcurrentMarker::Mark*", Place{why.NoStage, ClassGC, why.NoAdvice}, true},
	{"ConcurrentMarker::*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"SweepGC::*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"StickySweepGC::*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"ConcurrentCopyGC::*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"GC::*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"WorkManager::Finish", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"InvokeNativeFinalizeCallbacks", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"CMCGC::*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},     // 6.0 and later
	{"UnifiedGC::*", Place{why.NoStage, ClassGC, why.NoAdvice}, false}, // 6.0 and later
	{"ARK_RT_GC_RECLAIM", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	// 5.0 and later: the heap of shared objects, collected on a thread of its own.
	{"SharedGC::*", Place{why.NoStage, ClassGC, why.AdviseGCOther}, false},
	{"SharedPartialGC::*", Place{why.NoStage, ClassGC, why.AdviseGCOther}, false},
	{"SharedFullGC::*", Place{why.NoStage, ClassGC, why.AdviseGCOther}, false},
	{"SharedConcurrentMarker::*", Place{why.NoStage, ClassGC, why.AdviseGCOther}, false},
	// The thread waits for a collection elsewhere.
	{"Heap::CheckOngoingConcurrentMarking", Place{why.NoStage, ClassGCWait, why.NoAdvice}, false},
	{"Heap::DaemonCheckOngoingConcurrentMarking", Place{why.NoStage, ClassGCWait, why.NoAdvice}, false}, // 6.0 and later
	{"SuspendTime::*", Place{why.NoStage, ClassGCWait, why.AdviseGCOther}, false},
	{"SuspendAll", Place{why.NoStage, ClassGCWait, why.AdviseGCOther}, false},
	{"SuspendOther", Place{why.NoStage, ClassGCWait, why.AdviseGCOther}, false},
	{"Waiting-STW", Place{why.NoStage, ClassGCWait, why.AdviseGCOther}, false},

	// render_service: graphic_graphic_2d, main thread.

	{"RSMainThread::DoComposition", Place{Stage: why.StageFrame}, true},
	{"RSMainThread::ProcessCommandUni", Place{Stage: why.StageCommands}, true},
	{"ProcessRSTransactionData", Place{Stage: why.StageCommands}, false},                                                    // master
	{"RSMainThread::WaitUntilUnmarshallingTaskFinished", Place{why.StageCommands, ClassRenderWait, why.AdviseNodes}, false}, // persist.sys.graphic.openDebugTrace
	{"Animate", Place{why.StageAnimate, ClassWork, why.AdviseRSAnimations}, true},
	{"RSUniRender::QuickPrepare*", Place{Stage: why.StagePrepare}, false}, // 5.0 and later
	{"RSUniRender:QuickPrepare*", Place{Stage: why.StagePrepare}, false},
	{"RSUniRenderVisitor::QuickPrepare*", Place{Stage: why.StagePrepare}, false},
	{"RSUniRender::Prepare*", Place{Stage: why.StagePrepare}, false}, // up to 4.1: Prepare of each window
	{"RSUniRender:Prepare*", Place{Stage: why.StagePrepare}, false},  // up to 5.0
	{"DoDirectComposition", Place{why.StageHandOver, ClassRenderWait, why.NoAdvice}, false},
	{"PostAndWait", Place{why.StageHandOver, ClassRenderWait, why.NoAdvice}, true},                              // 5.0 and later
	{"RSUniRender:WaitUtilUniRenderFinished", Place{why.StageHandOver, ClassRenderWait, why.NoAdvice}, false},   // up to 4.1
	{"RSMainThread::WaitUtilUniRenderFinished", Place{why.StageHandOver, ClassRenderWait, why.NoAdvice}, false}, // 4.1

	// render_service: the render thread. Up to 4.1 the main thread draws.

	{"RenderFrame", Place{Stage: why.StageDraw}, false},
	{"Render", Place{Stage: why.StageDraw}, false},
	{"Sync", Place{Stage: why.StageDraw}, false},
	{"UnlockMainThread", Place{Stage: why.StageDraw}, false},
	{"RSUniRender::Process", Place{Stage: why.StageDraw}, false}, // up to 4.1
	{"RSUniRenderThread::Render", Place{why.StageDraw, ClassWork, why.AdviseOverdraw}, false},
	{"RSSurfaceRenderNodeDrawable::OnDraw", Place{Stage: why.StageDraw}, false},
	{"DrawUIFirstCache*", Place{Stage: why.StageDraw}, false}, // 5.0 and later
	{"RSSubThread::DrawableCache", Place{Stage: why.StageDraw}, false},
	{"ApplyKawaseBlur", Place{why.NoStage, ClassWork, why.AdviseBlur}, true}, // 4.0 and later
	{"ApplyHPSBlur", Place{why.NoStage, ClassWork, why.AdviseBlur}, true},    // 5.0 and later
	{"HPAE:ApplyHPSBlur*", Place{why.NoStage, ClassWork, why.AdviseBlur}, false},
	{"ProcessHpaeBlur", Place{why.NoStage, ClassWork, why.AdviseBlur}, true},
	{"ApplyLightBlur*", Place{why.NoStage, ClassWork, why.AdviseBlur}, false},
	{"RSFilterCacheManager::DrawFilter", Place{why.NoStage, ClassWork, why.AdviseBlur}, true},
	{"RSFilterCacheManager::TakeSnapshot", Place{why.NoStage, ClassWork, why.AdviseBlur}, true},
	{"DrawBackgroundEffect", Place{why.NoStage, ClassWork, why.AdviseBlur}, false},
	{"RSBackgroundEffectDrawable::*", Place{why.NoStage, ClassWork, why.AdviseBlur}, false},
	{"RSPropertyDrawableUtils::DrawBackgroundEffect", Place{why.NoStage, ClassWork, why.AdviseBlur}, false},
	{"RSFilterDrawable::OnDraw", Place{why.NoStage, ClassWork, why.AdviseBlur}, false},
	{"HpaeWait*", Place{why.NoStage, ClassFence, why.AdviseBlur}, false}, // 6.1 and later
	{"HPAE::WAITING", Place{why.NoStage, ClassFence, why.AdviseBlur}, false},
	{"Load shader", Place{why.NoStage, ClassWork, why.AdviseShader}, false},
	{"Store shader", Place{why.NoStage, ClassWork, why.AdviseShader}, false},
	{"CreateGraphicsPipeline*", Place{why.NoStage, ClassWork, why.AdviseShader}, false},
	{"RSImageBase::Unmarshalling", Place{why.NoStage, ClassImage, why.AdviseTexture}, false},
	{"DrawImage", Place{why.NoStage, ClassImage, why.AdviseTexture}, false},
	{"BuildFromTexture", Place{why.NoStage, ClassImage, why.AdviseTexture}, false},
	{"onCreateTexture", Place{why.NoStage, ClassImage, why.AdviseTexture}, false},
	{"DrawHybridPixelMap waitfence", Place{why.NoStage, ClassFence, why.NoAdvice}, false},
	{"DrawSurfaceBufferOpItem::*", Place{why.NoStage, ClassFence, why.NoAdvice}, false},
	{"wait syncFence", Place{why.NoStage, ClassFence, why.NoAdvice}, false},             // 6.1 and later
	{"RSUniRender::VK::WaitFence", Place{why.NoStage, ClassFence, why.NoAdvice}, false}, // 4.0, 4.1
	{"RSSubThreadManager::WaitNodeTask", Place{why.NoStage, ClassRenderWait, why.NoAdvice}, false},
	{"SSubThreadManager::WaitNodeTask", Place{why.NoStage, ClassRenderWait, why.NoAdvice}, false}, // 5.0.0
	{"HandleSubThreadNode wait", Place{why.NoStage, ClassRenderWait, why.NoAdvice}, false},
	{"hpae_offline: Wait*", Place{why.NoStage, ClassRenderWait, why.NoAdvice}, false},   // 6.1 and later
	{"Wait for offline task", Place{why.NoStage, ClassRenderWait, why.NoAdvice}, false}, // 6.1 and later
	{"CheckAndWaitPreFirstLevelDrawableNotify", Place{why.NoStage, ClassRenderWait, why.NoAdvice}, false},
	{"Submit", Place{why.NoStage, ClassWork, why.AdviseOverdraw}, false},
	{"FlushAndSubmit", Place{why.NoStage, ClassWork, why.AdviseOverdraw}, false},
	{"vkQueueSubmit", Place{why.NoStage, ClassWork, why.AdviseOverdraw}, false},
	{"GrDrawingManager::Flush", Place{why.NoStage, ClassWork, why.AdviseOverdraw}, false},
	{"RSUniRender:FlushFrame", Place{why.StageDraw, ClassWork, why.AdviseOverdraw}, false}, // up to 4.1

	// Buffers: graphic_graphic_surface, and who asks for them.

	{"RequestBuffer", Place{why.NoStage, ClassBuffer, why.AdviseBuffer}, true},
	{"RSBaseRenderEngine::RequestFrame", Place{why.NoStage, ClassBuffer, why.AdviseBuffer}, false},
	{"RSUniRender::wait for bufferRequest cond", Place{why.NoStage, ClassBuffer, why.AdviseBuffer}, false},  // 4.0, 4.1
	{"RSHpaeBuffer:RequestFrame", Place{why.NoStage, ClassBuffer, why.AdviseBuffer}, false},                 // 6.0 and later
	{"RSUniRender:RequestFrame", Place{why.StageDraw, ClassBuffer, why.AdviseBuffer}, false},                // up to 4.1
	{"RSScreenRenderNodeDrawable:RequestFrame", Place{why.StageDraw, ClassBuffer, why.AdviseBuffer}, false}, // 6.0 and later
	{"AllocBuffer", Place{why.NoStage, ClassBuffer, why.AdviseLayers}, false},
	{"AllocBuffers", Place{why.NoStage, ClassBuffer, why.AdviseLayers}, false}, // 6.1 and later
	{"Realloc buffer", Place{why.NoStage, ClassBuffer, why.AdviseLayers}, false},
	{"WaitComposerThreadTaskExecute", Place{why.NoStage, ClassBuffer, why.AdviseLayers}, true}, // 6.1 and later
	{"NativeWindowFlushBuffer", Place{why.NoStage, ClassWork, why.AdviseOverdraw}, false},
	{"FlushBuffer", Place{why.NoStage, ClassWork, why.AdviseOverdraw}, true},

	{"Clear memory cache", Place{why.NoStage, ClassHousekeeping, why.AdviseCaches}, false},
	{"PurgeCacheBetweenFrames", Place{why.NoStage, ClassHousekeeping, why.AdviseCaches}, false},
	{"MEM PurgeCacheBetweenFrames", Place{why.NoStage, ClassHousekeeping, why.AdviseCaches}, false},
	{"HandleDelayDestroyQueue", Place{why.NoStage, ClassHousekeeping, why.AdviseCaches}, false},
	{"ReleaseResource", Place{why.NoStage, ClassHousekeeping, why.AdviseCaches}, false},

	// render_service: the threads that talk to the display.

	{"CommitLayers", Place{Stage: why.StageComposer}, true},
	{"CommitAndReleaseLayers", Place{Stage: why.StageComposer}, true},
	{"RSHardwareThread::CommitAndReleaseLayers", Place{Stage: why.StageComposer}, true}, // up to 5.1
	{"Repaint", Place{Stage: why.StageComposer}, false},
	{"CalculateDelayTime", Place{why.StageComposer, ClassIdle, why.NoAdvice}, false}, // a deliberate delay
	{"HwcPresentDisplay", Place{Stage: why.StageComposer}, false},
	{"HwcValidateDisplay", Place{Stage: why.StageComposer}, false},
	{"Redraw", Place{why.StageComposer, ClassWork, why.AdviseLayers}, false},
	{"RSHardwareThread::Redraw", Place{why.StageComposer, ClassWork, why.AdviseLayers}, false}, // up to 5.0
	{"RSBaseRenderEngine::DrawBuffer", Place{why.StageComposer, ClassWork, why.AdviseLayers}, false},
	// Android, also in a container, and Flutter.

	{"Choreographer#doFrame", Place{Stage: why.StageFrame}, false},
	{"input", Place{Stage: why.StageInput}, false},
	{"deliverInputEvent", Place{Stage: why.StageInput}, true},
	{"animation", Place{Stage: why.StageAnimate}, false},
	{"insets_animation", Place{Stage: why.StageAnimate}, false},
	{"inflate", Place{why.StageBuild, ClassWork, why.AdviseCreate}, false},
	{"RV CreateView", Place{why.StageBuild, ClassWork, why.AdviseCreate}, false},
	{"RV OnBindView", Place{why.StageBuild, ClassWork, why.AdviseList}, false},
	{"RV OnLayout", Place{why.StageLayout, ClassWork, why.AdviseList}, false},
	{"RV Scroll", Place{why.StageLayout, ClassWork, why.AdviseList}, false},
	{"RV Prefetch", Place{why.StageIdle, ClassIdle, why.AdvisePredict}, false},
	{"Recomposer:recompose", Place{Stage: why.StageBuild}, false},
	{"Compose:recompose", Place{Stage: why.StageBuild}, false},
	{"AndroidOwner:measureAndLayout", Place{Stage: why.StageLayout}, false},
	{"traversal", Place{Stage: why.StageLayout}, false},
	{"relayoutWindow", Place{why.StageLayout, ClassIPC, why.AdviseIPC}, true},
	{"draw", Place{Stage: why.StageRecord}, false}, // "draw-VRI[Activity]" from Android 13 on
	{"Record View#draw", Place{Stage: why.StageRecord}, false},
	{"postAndWait", Place{why.StageHandOver, ClassRenderWait, why.AdviseRenderThread}, false},
	{"DrawFrames", Place{Stage: why.StageDraw}, true},
	{"dequeueBuffer", Place{why.NoStage, ClassBuffer, why.AdviseBuffer}, false},
	{"shader_compile", Place{why.NoStage, ClassWork, why.AdviseShader}, false},
	{"Upload", Place{why.NoStage, ClassImage, why.AdviseTexture}, false},
	{"waitForever", Place{why.NoStage, ClassFence, why.NoAdvice}, false},
	{"waiting for GPU completion", Place{why.NoStage, ClassFence, why.NoAdvice}, true},
	{"decodeBitmap", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"ImageDecoder#*", Place{why.NoStage, ClassImage, why.AdviseImage}, false},
	{"AssetManager::*", Place{why.NoStage, ClassResource, why.AdviseResource}, false},
	{"ResourcesManager#*", Place{why.NoStage, ClassResource, why.AdviseResource}, false},
	{"Theme::ApplyStyle", Place{why.NoStage, ClassResource, why.AdviseResource}, false},
	{"GC: Wait For Completion*", Place{why.NoStage, ClassGCWait, why.NoAdvice}, false},
	{"Background concurrent*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"Background young concurrent*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"Alloc concurrent*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"Alloc young concurrent*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"NativeAlloc concurrent*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	{"Explicit concurrent*", Place{why.NoStage, ClassGC, why.NoAdvice}, false},
	// SurfaceFlinger.
	{"latchBuffers", Place{Stage: why.StageCommands}, false},
	{"commitTransactions", Place{Stage: why.StageCommands}, false},
	{"flushTransactions", Place{Stage: why.StageCommands}, false},
	{"updateLayerSnapshots", Place{Stage: why.StagePrepare}, false},
	{"rebuildLayerStacks", Place{Stage: why.StagePrepare}, false},
	{"prepareFrame", Place{Stage: why.StagePrepare}, false},
	{"composite", Place{Stage: why.StageComposer}, true},
	{"composeSurfaces", Place{why.StageComposer, ClassWork, why.AdviseLayers}, false},
	{"flutter::VsyncProcessCallback", Place{Stage: why.StageFrame}, false},
	{"flutter::Animator::BeginFrame", Place{Stage: why.StageFrame}, false},
	{"flutter::Animator::Render", Place{Stage: why.StageSubmit}, false},
	{"flutter::GPURasterizer::Draw", Place{Stage: why.StageDraw}, false},
	{"flutter::Rasterizer::DoDraw", Place{Stage: why.StageDraw}, false},

	{"Acquire Fence", Place{why.NoStage, ClassFence, why.NoAdvice}, true},
	{"Waiting for Acquire Fence", Place{why.NoStage, ClassFence, why.NoAdvice}, true},
	{"Present Fence", Place{why.StageDisplay, ClassFence, why.NoAdvice}, true}, // up to 6.0
	{"PresentFence", Place{why.StageDisplay, ClassFence, why.NoAdvice}, false}, // 6.1 and later
	{"Waiting for Present Fence", Place{why.StageDisplay, ClassFence, why.NoAdvice}, true},
	{"Waiting for PresentFence", Place{why.StageDisplay, ClassFence, why.NoAdvice}, false},
}
