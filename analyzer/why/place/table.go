package place

import "bytes"

// Place is what a slice means for a frame.
type Place struct {
	// Stage is the stage that the slice begins, or NoStage.
	Stage Stage
	// Class is the kind of work.
	Class Class
	// Advice is for the case that the slice runs too long, or NoAdvice.
	Advice Advice
}

// Inside returns the place p of a slice, completed by the place of the slice around
// it: outer is the completed place of that one, or the zero Place. What runs inside
// of a garbage collection belongs to it.
func (p Place) Inside(outer Place) Place {
	if p.Stage == NoStage {
		p.Stage = outer.Stage
		if p.Class == ClassWork && p.Advice == NoAdvice {
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
	if row, _ := markers.index.find(key); row >= 0 {
		return markers.rows[row].Place
	}
	// Interfaces that IDL generates: the client's side is the Proxy.
	if i := bytes.Index(key, []byte("Proxy::")); i > 0 {
		return Place{Class: ClassIPC, Advice: AdviseIPC}
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

func newMarkerTable(rows []marker) markerTable {
	return markerTable{rows, newPrefixes(len(rows), func(row int) string { return rows[row].prefix })}
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

	{"ReceiveVsync", Place{Stage: Frame}, true},
	{"OnVsyncEvent", Place{Stage: Frame}, true},
	{"UIVsyncTask", Place{Stage: Frame}, true}, // 5.0.3 and later
	{"FlushVsync", Place{Stage: Frame}, true},  // before UIVsyncTask

	{"PipelineContext::DispatchTouchEvent", Place{Stage: Input}, false},
	{"DispatchTouchEvent", Place{Stage: Input}, false},
	{"FlushTouchEvents", Place{Stage: Input}, false},
	{"HandleDrag*", Place{Stage: Input}, false},
	{"touchEventDispatch", Place{Stage: Input}, false},
	{"DispatchDisplaySync", Place{Input, ClassWork, AdviseFrameCallback}, false},

	{"FlushAnimation", Place{Stage: Animate}, false},
	{"JSAnimation", Place{Stage: Animate}, false},
	{"FlushModifierAnimation", Place{Stage: Animate}, false},

	{"FlushBuild", Place{Stage: Build}, false},
	{"FlushDirtyNodeUpdate", Place{Stage: Build}, false},
	{"CustomNodeUpdate", Place{Stage: Build}, false},
	{"ViewPU.viewPropertyHasChanged", Place{Stage: Build}, false},
	{"CustomNode:BuildItem", Place{Build, ClassWork, AdviseCreate}, false},
	{"CustomNode:BuildRecycle", Place{Build, ClassWork, AdviseRecycle}, false},
	{"CustomNode:OnAppear", Place{Build, ClassWork, AdviseAppear}, false},
	{"CustomNode renderFunction", Place{Build, ClassWork, AdviseCreate}, false},
	{"CustomNode:Destroy", Place{Build, ClassWork, AdviseCreate}, false},
	{"CustomNodeBase:Destroy", Place{Build, ClassWork, AdviseCreate}, false},
	{"aboutToBeDeleted", Place{Build, ClassWork, AdviseCreate}, false},
	{"Create[*", Place{Build, ClassWork, AdviseCreate}, false}, // persist.ace.trace.build.enabled
	{"Build[*", Place{Build, ClassWork, AdviseCreate}, false},

	{"ExecuteJS", Place{Stage: JS}, false},
	{"Napi complete", Place{JS, ClassWork, AdviseCallbacks}, false},
	{"Native async work complete callback", Place{JS, ClassWork, AdviseCallbacks}, false},
	{"SetTimeoutInnerCore*", Place{JS, ClassWork, AdviseCallbacks}, false},
	{"TimerCallback", Place{JS, ClassWork, AdviseCallbacks}, false},
	{"PageRouterManager::RunPage", Place{JS, ClassWork, AdviseLoad}, false},
	{"PageRouterManager::LoadPage", Place{JS, ClassWork, AdviseLoad}, false},
	{"JsiDeclarativeEngine::LoadPageSource", Place{JS, ClassWork, AdviseLoad}, false},
	{"JsiDeclarativeEngine::LoadJsWithModule", Place{JS, ClassWork, AdviseLoad}, false},
	{"SourceTextModule::*", Place{JS, ClassWork, AdviseLoad}, false},
	{"OHOS::AbilityRuntime::JsRuntime::RunScript", Place{JS, ClassWork, AdviseLoad}, false},
	{"OHOS::AbilityRuntime::JsRuntime::LoadJsModule", Place{JS, ClassWork, AdviseLoad}, false},

	{"UITaskScheduler::FlushTask", Place{Stage: Layout}, false},
	{"FlushLayoutTask", Place{Stage: Layout}, false},
	{"CreateTaskMeasure", Place{Stage: Layout}, false},
	{"CreateTaskLayout", Place{Stage: Layout}, false},
	{"Measure", Place{Stage: Layout}, false}, // persist.ace.trace.layout.enabled
	{"Layout", Place{Stage: Layout}, false},
	{"ListLayoutAlgorithm::*", Place{Layout, ClassWork, AdviseList}, false},
	{"SwiperLayoutAlgorithm::*", Place{Layout, ClassWork, AdviseList}, false},
	{"Grid MeasureInNextFrame", Place{Layout, ClassWork, AdviseList}, false},
	{"WaterFlow MeasureInNextFrame", Place{Layout, ClassWork, AdviseList}, false},
	{"Preload FlowItem", Place{Layout, ClassWork, AdviseList}, false},
	{"Builder:BuildLazyItem", Place{NoStage, ClassWork, AdviseList}, true}, // in layout or while idle

	{"FlushRenderTask", Place{Stage: Record}, false},
	{"FrameNode::RenderTask", Place{Stage: Record}, false},
	{"FrameNode[*", Place{Stage: Record}, false},               // FrameNode[Text][id:12][parentId:11]::RenderTask
	{"Canvas", Place{NoStage, ClassWork, AdviseCanvas}, false}, // Canvas tasks count
	{"CanvasPattern::*", Place{NoStage, ClassWork, AdviseCanvas}, false},
	{"CanvasPaintMethod::*", Place{NoStage, ClassWork, AdviseCanvas}, false},
	{"CanvasModifier::*", Place{NoStage, ClassWork, AdviseCanvas}, false},

	{"FlushMessages", Place{Stage: Submit}, false},
	{"SendCommands", Place{Stage: Submit}, true},
	{"MarshRSTransactionData", Place{Stage: Submit}, true},
	{"Marsh RSTransactionData", Place{Stage: Submit}, true}, // 3.2
	{"UI skip", Place{Stage: Submit}, false},                // 6.0 and later

	{"HandleOnAreaChangeEvent*", Place{Stage: After}, false}, // HandleOnAreaChangeEvent_nodeCount:3
	{"HandleVisibleAreaChangeEvent*", Place{Stage: After}, false},

	{"OnIdle", Place{Idle, ClassIdle, AdvisePredict}, false},
	{"LazyForEach predict", Place{Idle, ClassIdle, AdvisePredict}, false},
	{"List predict", Place{Idle, ClassIdle, AdvisePredict}, false},
	{"Grid predict", Place{Idle, ClassIdle, AdvisePredict}, false},
	{"Grid preload items", Place{Idle, ClassIdle, AdvisePredict}, false},
	{"WaterFlow predict", Place{Idle, ClassIdle, AdvisePredict}, false},
	{"expiringItem*", Place{Idle, ClassIdle, AdvisePredict}, false}, // expiringItem_ count:[N]

	{"ConfigurationUpdated", Place{Stage: Lifecycle}, false},
	{"ViewChangeCallback", Place{Stage: Lifecycle}, false},
	{"OnSurfaceChanged", Place{Stage: Lifecycle}, false},
	{"HandleMemoryLevel", Place{Stage: Lifecycle}, false},

	// Images: multimedia_image_framework, and ArkUI's own.

	{"CreateImagePixelMap", Place{NoStage, ClassImage, AdviseImage}, true},
	{"PixelMap *", Place{NoStage, ClassImage, AdviseImage}, false},
	{"PngDecoder::*", Place{NoStage, ClassImage, AdviseImage}, false},
	{"JpegHardwareDecoder::*", Place{NoStage, ClassImage, AdviseImage}, false},
	{"HeifDecoderImpl::*", Place{NoStage, ClassImage, AdviseImage}, false},
	{"SvgDecoder::*", Place{NoStage, ClassImage, AdviseImage}, false},
	{"WebpDecoder::*", Place{NoStage, ClassImage, AdviseImage}, false},
	{"DoDecode", Place{NoStage, ClassImage, AdviseImage}, false},
	{"JpegDecoder::*", Place{NoStage, ClassImage, AdviseImage}, false},
	{"RawDecoder::*", Place{NoStage, ClassImage, AdviseImage}, false},
	{"ImageSource*", Place{NoStage, ClassImage, AdviseImage}, false},
	{"CreatePixelMapExtended", Place{NoStage, ClassImage, AdviseImage}, false},
	{"CreatePixelMapForASTC", Place{NoStage, ClassImage, AdviseImage}, false},
	{"ImageFormatConvert::*", Place{NoStage, ClassImage, AdviseImage}, false},
	{"PixelMapPostProcWithGL", Place{NoStage, ClassImage, AdviseImage}, false},
	{"ResizeRotateWithGL", Place{NoStage, ClassImage, AdviseImage}, false},
	{"ResizeScaleWithGL", Place{NoStage, ClassImage, AdviseImage}, false},
	{"RotateInRectangularSteps", Place{NoStage, ClassImage, AdviseImage}, false},
	{"ScalePixelMapWithGPU", Place{NoStage, ClassImage, AdviseImage}, false},
	{"ScalePixelMapWithSLR", Place{NoStage, ClassImage, AdviseImage}, false},
	{"ImagePacker*", Place{NoStage, ClassImage, NoAdvice}, false},
	{"JpegEncoder::*", Place{NoStage, ClassImage, NoAdvice}, false},
	{"WebpEncoder::*", Place{NoStage, ClassImage, NoAdvice}, false},
	{"GifEncoder::*", Place{NoStage, ClassImage, NoAdvice}, false},
	{"PixelMapNapi::*", Place{NoStage, ClassImage, NoAdvice}, false},
	{"ReadPixels", Place{NoStage, ClassImage, NoAdvice}, false},
	{"WritePixels", Place{NoStage, ClassImage, NoAdvice}, false},

	// Resources: global_resource_management.

	{"OHOS::Global::Resource::*", Place{NoStage, ClassResource, AdviseResource}, false},
	{"HapManager::*", Place{NoStage, ClassResource, AdviseResource}, false}, // without the signature

	{"binder transaction", Place{NoStage, ClassIPC, AdviseIPC}, false},

	// Garbage collection: arkcompiler_ets_runtime. Phases of a collection are
	// inside of these.

	{"PartialGC::RunPhases*", Place{NoStage, ClassGC, NoAdvice}, true},
	{"PartialGC::*", Place{NoStage, ClassGC, NoAdvice}, false},
	{"FullGC::*", Place{NoStage, ClassGC, NoAdvice}, false},
	{"SweepGC::RunPhases*", Place{NoStage, ClassGC, NoAdvice}, true},
	{"StickySweepGC::RunPhases*", Place{NoStage, ClassGC, NoAdvice}, true},
	{"ConcurrentMarker::Mark*", Place{NoStage, ClassGC, NoAdvice}, true},
	{"ConcurrentMarker::*", Place{NoStage, ClassGC, NoAdvice}, false},
	{"SweepGC::*", Place{NoStage, ClassGC, NoAdvice}, false},
	{"StickySweepGC::*", Place{NoStage, ClassGC, NoAdvice}, false},
	{"ConcurrentCopyGC::*", Place{NoStage, ClassGC, NoAdvice}, false},
	{"GC::*", Place{NoStage, ClassGC, NoAdvice}, false},
	{"WorkManager::Finish", Place{NoStage, ClassGC, NoAdvice}, false},
	{"InvokeNativeFinalizeCallbacks", Place{NoStage, ClassGC, NoAdvice}, false},
	{"CMCGC::*", Place{NoStage, ClassGC, NoAdvice}, false},     // 6.0 and later
	{"UnifiedGC::*", Place{NoStage, ClassGC, NoAdvice}, false}, // 6.0 and later
	{"ARK_RT_GC_RECLAIM", Place{NoStage, ClassGC, NoAdvice}, false},
	// 5.0 and later: the heap of shared objects, collected on a thread of its own.
	{"SharedGC::*", Place{NoStage, ClassGC, AdviseGCOther}, false},
	{"SharedPartialGC::*", Place{NoStage, ClassGC, AdviseGCOther}, false},
	{"SharedFullGC::*", Place{NoStage, ClassGC, AdviseGCOther}, false},
	{"SharedConcurrentMarker::*", Place{NoStage, ClassGC, AdviseGCOther}, false},
	// The thread waits for a collection elsewhere.
	{"Heap::CheckOngoingConcurrentMarking", Place{NoStage, ClassGCWait, NoAdvice}, false},
	{"Heap::DaemonCheckOngoingConcurrentMarking", Place{NoStage, ClassGCWait, NoAdvice}, false}, // 6.0 and later
	{"SuspendTime::*", Place{NoStage, ClassGCWait, AdviseGCOther}, false},
	{"SuspendAll", Place{NoStage, ClassGCWait, AdviseGCOther}, false},
	{"SuspendOther", Place{NoStage, ClassGCWait, AdviseGCOther}, false},
	{"Waiting-STW", Place{NoStage, ClassGCWait, AdviseGCOther}, false},

	// render_service: graphic_graphic_2d, main thread.

	{"RSMainThread::DoComposition", Place{Stage: Frame}, true},
	{"RSMainThread::ProcessCommandUni", Place{Stage: Commands}, true},
	{"ProcessRSTransactionData", Place{Stage: Commands}, false},                                                // master
	{"RSMainThread::WaitUntilUnmarshallingTaskFinished", Place{Commands, ClassRenderWait, AdviseNodes}, false}, // persist.sys.graphic.openDebugTrace
	{"Animate", Place{Animate, ClassWork, AdviseRSAnimations}, true},
	{"RSUniRender::QuickPrepare*", Place{Stage: Prepare}, false}, // 5.0 and later
	{"RSUniRender:QuickPrepare*", Place{Stage: Prepare}, false},
	{"RSUniRenderVisitor::QuickPrepare*", Place{Stage: Prepare}, false},
	{"RSUniRender::Prepare*", Place{Stage: Prepare}, false}, // up to 4.1: Prepare of each window
	{"RSUniRender:Prepare*", Place{Stage: Prepare}, false},  // up to 5.0
	{"DoDirectComposition", Place{HandOver, ClassRenderWait, NoAdvice}, false},
	{"PostAndWait", Place{HandOver, ClassRenderWait, NoAdvice}, true},                              // 5.0 and later
	{"RSUniRender:WaitUtilUniRenderFinished", Place{HandOver, ClassRenderWait, NoAdvice}, false},   // up to 4.1
	{"RSMainThread::WaitUtilUniRenderFinished", Place{HandOver, ClassRenderWait, NoAdvice}, false}, // 4.1

	// render_service: the render thread. Up to 4.1 the main thread draws.

	{"RenderFrame", Place{Stage: Draw}, false},
	{"Render", Place{Stage: Draw}, false},
	{"Sync", Place{Stage: Draw}, false},
	{"UnlockMainThread", Place{Stage: Draw}, false},
	{"RSUniRender::Process", Place{Stage: Draw}, false}, // up to 4.1
	{"RSUniRenderThread::Render", Place{Draw, ClassWork, AdviseOverdraw}, false},
	{"RSSurfaceRenderNodeDrawable::OnDraw", Place{Stage: Draw}, false},
	{"DrawUIFirstCache*", Place{Stage: Draw}, false}, // 5.0 and later
	{"RSSubThread::DrawableCache", Place{Stage: Draw}, false},
	{"ApplyKawaseBlur", Place{NoStage, ClassWork, AdviseBlur}, true}, // 4.0 and later
	{"ApplyHPSBlur", Place{NoStage, ClassWork, AdviseBlur}, true},    // 5.0 and later
	{"HPAE:ApplyHPSBlur*", Place{NoStage, ClassWork, AdviseBlur}, false},
	{"ProcessHpaeBlur", Place{NoStage, ClassWork, AdviseBlur}, true},
	{"ApplyLightBlur*", Place{NoStage, ClassWork, AdviseBlur}, false},
	{"RSFilterCacheManager::DrawFilter", Place{NoStage, ClassWork, AdviseBlur}, true},
	{"RSFilterCacheManager::TakeSnapshot", Place{NoStage, ClassWork, AdviseBlur}, true},
	{"DrawBackgroundEffect", Place{NoStage, ClassWork, AdviseBlur}, false},
	{"RSBackgroundEffectDrawable::*", Place{NoStage, ClassWork, AdviseBlur}, false},
	{"RSPropertyDrawableUtils::DrawBackgroundEffect", Place{NoStage, ClassWork, AdviseBlur}, false},
	{"RSFilterDrawable::OnDraw", Place{NoStage, ClassWork, AdviseBlur}, false},
	{"HpaeWait*", Place{NoStage, ClassFence, AdviseBlur}, false}, // 6.1 and later
	{"HPAE::WAITING", Place{NoStage, ClassFence, AdviseBlur}, false},
	{"Load shader", Place{NoStage, ClassWork, AdviseShader}, false},
	{"Store shader", Place{NoStage, ClassWork, AdviseShader}, false},
	{"CreateGraphicsPipeline*", Place{NoStage, ClassWork, AdviseShader}, false},
	{"RSImageBase::Unmarshalling", Place{NoStage, ClassImage, AdviseTexture}, false},
	{"DrawImage", Place{NoStage, ClassImage, AdviseTexture}, false},
	{"BuildFromTexture", Place{NoStage, ClassImage, AdviseTexture}, false},
	{"onCreateTexture", Place{NoStage, ClassImage, AdviseTexture}, false},
	{"DrawHybridPixelMap waitfence", Place{NoStage, ClassFence, NoAdvice}, false},
	{"DrawSurfaceBufferOpItem::*", Place{NoStage, ClassFence, NoAdvice}, false},
	{"wait syncFence", Place{NoStage, ClassFence, NoAdvice}, false},             // 6.1 and later
	{"RSUniRender::VK::WaitFence", Place{NoStage, ClassFence, NoAdvice}, false}, // 4.0, 4.1
	{"RSSubThreadManager::WaitNodeTask", Place{NoStage, ClassRenderWait, NoAdvice}, false},
	{"SSubThreadManager::WaitNodeTask", Place{NoStage, ClassRenderWait, NoAdvice}, false}, // 5.0.0
	{"HandleSubThreadNode wait", Place{NoStage, ClassRenderWait, NoAdvice}, false},
	{"hpae_offline: Wait*", Place{NoStage, ClassRenderWait, NoAdvice}, false},   // 6.1 and later
	{"Wait for offline task", Place{NoStage, ClassRenderWait, NoAdvice}, false}, // 6.1 and later
	{"CheckAndWaitPreFirstLevelDrawableNotify", Place{NoStage, ClassRenderWait, NoAdvice}, false},
	{"Submit", Place{NoStage, ClassWork, AdviseOverdraw}, false},
	{"FlushAndSubmit", Place{NoStage, ClassWork, AdviseOverdraw}, false},
	{"vkQueueSubmit", Place{NoStage, ClassWork, AdviseOverdraw}, false},
	{"GrDrawingManager::Flush", Place{NoStage, ClassWork, AdviseOverdraw}, false},
	{"RSUniRender:FlushFrame", Place{Draw, ClassWork, AdviseOverdraw}, false}, // up to 4.1

	// Buffers: graphic_graphic_surface, and who asks for them.

	{"RequestBuffer", Place{NoStage, ClassBuffer, AdviseBuffer}, true},
	{"RSBaseRenderEngine::RequestFrame", Place{NoStage, ClassBuffer, AdviseBuffer}, false},
	{"RSUniRender::wait for bufferRequest cond", Place{NoStage, ClassBuffer, AdviseBuffer}, false}, // 4.0, 4.1
	{"RSHpaeBuffer:RequestFrame", Place{NoStage, ClassBuffer, AdviseBuffer}, false},                // 6.0 and later
	{"RSUniRender:RequestFrame", Place{Draw, ClassBuffer, AdviseBuffer}, false},                    // up to 4.1
	{"RSScreenRenderNodeDrawable:RequestFrame", Place{Draw, ClassBuffer, AdviseBuffer}, false},     // 6.0 and later
	{"AllocBuffer", Place{NoStage, ClassBuffer, AdviseLayers}, false},
	{"AllocBuffers", Place{NoStage, ClassBuffer, AdviseLayers}, false}, // 6.1 and later
	{"Realloc buffer", Place{NoStage, ClassBuffer, AdviseLayers}, false},
	{"WaitComposerThreadTaskExecute", Place{NoStage, ClassBuffer, AdviseLayers}, true}, // 6.1 and later
	{"NativeWindowFlushBuffer", Place{NoStage, ClassWork, AdviseOverdraw}, false},
	{"FlushBuffer", Place{NoStage, ClassWork, AdviseOverdraw}, true},

	{"Clear memory cache", Place{NoStage, ClassHousekeeping, AdviseCaches}, false},
	{"PurgeCacheBetweenFrames", Place{NoStage, ClassHousekeeping, AdviseCaches}, false},
	{"MEM PurgeCacheBetweenFrames", Place{NoStage, ClassHousekeeping, AdviseCaches}, false},
	{"HandleDelayDestroyQueue", Place{NoStage, ClassHousekeeping, AdviseCaches}, false},
	{"ReleaseResource", Place{NoStage, ClassHousekeeping, AdviseCaches}, false},

	// render_service: the threads that talk to the display.

	{"CommitLayers", Place{Stage: Composer}, true},
	{"CommitAndReleaseLayers", Place{Stage: Composer}, true},
	{"RSHardwareThread::CommitAndReleaseLayers", Place{Stage: Composer}, true}, // up to 5.1
	{"Repaint", Place{Stage: Composer}, false},
	{"CalculateDelayTime", Place{Composer, ClassIdle, NoAdvice}, false}, // a deliberate delay
	{"HwcPresentDisplay", Place{Stage: Composer}, false},
	{"HwcValidateDisplay", Place{Stage: Composer}, false},
	{"Redraw", Place{Composer, ClassWork, AdviseLayers}, false},
	{"RSHardwareThread::Redraw", Place{Composer, ClassWork, AdviseLayers}, false}, // up to 5.0
	{"RSBaseRenderEngine::DrawBuffer", Place{Composer, ClassWork, AdviseLayers}, false},
	{"Acquire Fence", Place{NoStage, ClassFence, NoAdvice}, true},
	{"Waiting for Acquire Fence", Place{NoStage, ClassFence, NoAdvice}, true},
	{"Present Fence", Place{Display, ClassFence, NoAdvice}, true}, // up to 6.0
	{"PresentFence", Place{Display, ClassFence, NoAdvice}, false}, // 6.1 and later
	{"Waiting for Present Fence", Place{Display, ClassFence, NoAdvice}, true},
	{"Waiting for PresentFence", Place{Display, ClassFence, NoAdvice}, false},
}
