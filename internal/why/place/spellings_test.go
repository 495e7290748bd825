package place

import (
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/why"
)

// spellings are labels as versions of OpenHarmony write them, and what docs/why.md says of
// each: its stage, its class, and the advice if an application's thread runs in
// it for too long. A label has one line, with its key behind an arrow if that is another text.
var spellings = []struct{ stage, class, advice, labels string }{
	{"frame", "work", "markers", `
		ReceiveVsync dataCount:24bytes now:100000123457 expectedEnd:100016790124 vsyncId:10000 → ReceiveVsync
		OnVsyncEvent now:100000123457 → OnVsyncEvent
		UIVsyncTask[timestamp:100000123457][vsyncID:10000][instanceID:100000] → UIVsyncTask
		FlushVsync
		RSMainThread::DoComposition: 100000123457 → RSMainThread::DoComposition`},
	{"input", "work", "handlers", `
		PipelineContext::DispatchTouchEvent
		DispatchTouchEvent
		FlushTouchEvents
		HandleDragStart, inputEventType:1, sourceTool:1, IsMouseWheelScroll:0 → HandleDragStart
		touchEventDispatch`},
	{"input", "work", "frame_callback", `
		DispatchDisplaySync`},
	{"animate", "work", "animation", `
		FlushAnimation
		JSAnimation
		FlushModifierAnimation`},
	{"build", "work", "state", `
		FlushBuild
		FlushDirtyNodeUpdate
		CustomNodeUpdate name:IconItem,id:12 → CustomNodeUpdate IconItem
		ViewPU.viewPropertyHasChanged IconItem title 3 → ViewPU.viewPropertyHasChanged IconItem title`},
	{"build", "work", "create", `
		CustomNode:BuildItem [IconItem][self:38][parent:39] → CustomNode:BuildItem[IconItem]
		CustomNode:BuildItem IconItem
		CustomNode renderFunction
		CustomNode:Destroy [38] → CustomNode:Destroy
		CustomNodeBase:Destroy [IconItem] → CustomNodeBase:Destroy[IconItem]
		aboutToBeDeleted
		Create[Column][self:38] → Create[Column]
		Build[Column][self:38][parent:39][key:] → Build[Column]`},
	{"build", "work", "appear", `
		CustomNode:OnAppear`},
	{"build", "work", "recycle", `
		CustomNode:BuildRecycle [IconItem][self:38][parent:39][reuseId:a][parentCustomNode:Index] → CustomNode:BuildRecycle[IconItem]`},
	{"js", "work", "profile", `
		ExecuteJS`},
	{"js", "work", "callbacks", `
		Napi complete, name:FileIOStat#388929095296 → Napi complete
		Native async work complete callback, name:FileIOStat#388929095296, traceid:0x0 → Native async work complete callback
		SetTimeoutInnerCore delay:16 → SetTimeoutInnerCore
		TimerCallback callbackInfo address = 392143154880, tId = 0 → TimerCallback callbackInfo`},
	{"js", "work", "load", `
		PageRouterManager::RunPage
		PageRouterManager::LoadPage
		JsiDeclarativeEngine::LoadPageSource
		JsiDeclarativeEngine::LoadJsWithModule Execute Page code : pages/Index
		SourceTextModule::Instantiate
		bool OHOS::AbilityRuntime::JsRuntime::RunScript(const std::string &, const std::string &, bool, const std::string &) → OHOS::AbilityRuntime::JsRuntime::RunScript
		napi_value OHOS::AbilityRuntime::JsRuntime::LoadJsModule(const std::string &, const std::string &, const std::string &) → OHOS::AbilityRuntime::JsRuntime::LoadJsModule`},
	{"layout", "work", "layout", `
		UITaskScheduler::FlushTask
		FlushLayoutTask
		CreateTaskMeasure[ListItem][self:86][parent:-1][layoutConstraint:minSize: [0 x 0]] → CreateTaskMeasure[ListItem]
		CreateTaskLayout[ListItem][self:86][parent:-1][layoutPriority:0] → CreateTaskLayout[ListItem]
		Measure[Column][self:38][parent:39][key:] → Measure[Column]
		Layout[Column][self:38][parent:39][key:] → Layout[Column]`},
	{"layout", "work", "list", `
		ListLayoutAlgorithm::MeasureListItem:12, 640.000000 → ListLayoutAlgorithm::MeasureListItem
		SwiperLayoutAlgorithm::InitItemRange
		Grid MeasureInNextFrame
		WaterFlow MeasureInNextFrame
		Preload FlowItem 12 → Preload FlowItem`},
	{"none", "work", "list", `
		Builder:BuildLazyItem index[10], needBuild[1], isCache[0] → Builder:BuildLazyItem`},
	{"record", "work", "drawing", `
		FlushRenderTask 23 → FlushRenderTask
		FrameNode::RenderTask
		FrameNode[Text][id:12][parentId:11]::RenderTask → FrameNode[Text]`},
	{"none", "work", "canvas", `
		Canvas tasks count: 12. → Canvas tasks
		Canvas[38] CanvasPaintMethod::UpdateContentModifier → Canvas
		CanvasPattern::OnDirtyLayoutWrapperSwap
		CanvasPaintMethod::UpdateContentModifier
		CanvasModifier::onDraw Op count: 4. → CanvasModifier::onDraw Op`},
	{"submit", "work", "changes", `
		FlushMessages
		SendCommands, rsUIContext_:4294967297 → SendCommands
		MarshRSTransactionData cmdCount: 3, transactionFlag:[20000,107], tid:20000, timestamp:100077901234 → MarshRSTransactionData
		Marsh RSTransactionData cmdCount:3 transactionFlag:[20000,107] → Marsh RSTransactionData
		UI skip`},
	{"after", "work", "area_callbacks", `
		HandleOnAreaChangeEvent_nodeCount:3 → HandleOnAreaChangeEvent_nodeCount
		HandleVisibleAreaChangeEvent_nodeCount:3 → HandleVisibleAreaChangeEvent_nodeCount`},
	{"idle", "idle", "predict", `
		OnIdle, targettime:100016790124 → OnIdle
		LazyForEach predict
		List predict v2
		Grid predict
		Grid preload items
		WaterFlow predict
		expiringItem_ count:[12] → expiringItem`},
	{"lifecycle", "work", "", `
		ConfigurationUpdated
		ViewChangeCallback(1280, 2832) → ViewChangeCallback
		OnSurfaceChanged(1280, 2832) → OnSurfaceChanged
		HandleMemoryLevel`},
	{"none", "image", "image", `
		CreateImagePixelMap resource://base/media/a.png, sourceSize: [ 100, 100 ], targetSize: [ 50, 50 ] → CreateImagePixelMap
		PixelMap scale xAxis = 0.500000, yAxis = 0.500000 → PixelMap scale
		PngDecoder::Decode, index:0 → PngDecoder::Decode
		JpegHardwareDecoder::Decode
		HeifDecoderImpl::decode
		SvgDecoder::Decode, index:0 → SvgDecoder::Decode
		WebpDecoder::Decode, index:0 → WebpDecoder::Decode
		DoDecode
		JpegDecoder::Decode, index:0 → JpegDecoder::Decode
		RawDecoder::Decode, index:0 → RawDecoder::Decode
		ImageSource decomposeImage
		CreatePixelMapExtended, info.size:(100, 100) → CreatePixelMapExtended
		CreatePixelMapForASTC
		ImageFormatConvert::ConvertImageFormat srcFmt 3, dstFmt 8 → ImageFormatConvert::ConvertImageFormat srcFmt
		PixelMapPostProcWithGL (100, 100)=>(50, 50) stride 400 type 3 transtype:1 → PixelMapPostProcWithGL
		ResizeRotateWithGL
		ResizeScaleWithGL
		RotateInRectangularSteps:90.000000 → RotateInRectangularSteps
		ScalePixelMapWithGPU:wh(100,100)->(50,50) → ScalePixelMapWithGPU:wh
		ScalePixelMapWithSLR`},
	{"none", "image", "", `
		ImagePacker::StartPacking by fd
		JpegEncoder::StartEncode
		WebpEncoder::AddImage
		GifEncoder::AddPicture
		PixelMapNapi::ReadPixelsToBufferSync
		ReadPixels by bufferSize
		WritePixels`},
	{"none", "resource", "resource", `
		OHOS::Global::Resource::RState OHOS::Global::Resource::HapManager::GetMediaDataFromHap(const std::shared_ptr<HapResource::ValueUnderQualifierDir>, size_t &, std::unique_ptr<uint8_t[]> &) → OHOS::Global::Resource::HapManager::GetMediaDataFromHap
		HapManager::GetMediaDataFromHap`},
	{"none", "ipc", "ipc", `
		binder transaction
		virtual OHOS::ErrCode OHOS::AppExecFwk::BundleMgrProxy::GetNameForUid(const int, std::string &) → OHOS::AppExecFwk::BundleMgrProxy::GetNameForUid`},
	{"none", "gc", "allocations", `
		PartialGC::RunPhases1;GCReason0;MarkReason4;Sensitive0;IsInBackground0;Startup0 → PartialGC::RunPhases
		PartialGC::Mark
		FullGC::RunPhases;GCReason1;Sensitive0 → FullGC::RunPhases
		FullGC::Sweep
		SweepGC::RunPhases0;GCReason0;MarkReason4 → SweepGC::RunPhases
		StickySweepGC::RunPhases0;GCReason0;MarkReason4 → StickySweepGC::RunPhases
		ConcurrentCopyGC::RunPhase;GCReason 0;MarkReason 4 → ConcurrentCopyGC::RunPhase
		ConcurrentMarker::Mark1;MarkReason4;Sensitive0 → ConcurrentMarker::Mark
		ConcurrentMarker::Reset
		SweepGC::Sweep
		StickySweepGC::ProcessOldToNew
		ConcurrentCopyGC::UpdateRoot
		GC::MarkOldToNew
		WorkManager::Finish
		InvokeNativeFinalizeCallbacks num:12 → InvokeNativeFinalizeCallbacks
		CMCGC::Preforward[STW] → CMCGC::Preforward[STW]
		UnifiedGC::Mark
		ARK_RT_GC_RECLAIM`},
	{"none", "gc", "gc_system", `
		PartialGC::RunPhases0;GCReason2;MarkReason4;Sensitive0 → PartialGC::RunPhases`},
	{"none", "gc", "gc_request", `
		FullGC::RunPhases;GCReason4;Sensitive0 → FullGC::RunPhases`},
	{"none", "gc", "gc_other", `
		SharedGC::RunPhases;GCReason0;MarkReason4;Sensitive0 → SharedGC::RunPhases
		SharedGC::Sweep
		SharedPartialGC::RunPhases;GCReason0;MarkReason4 → SharedPartialGC::RunPhases
		SharedPartialGC::RunFlipFunction
		SharedFullGC::RunPhases;GCReason1;Sensitive0 → SharedFullGC::RunPhases
		SharedFullGC::Finish
		SharedConcurrentMarker::Mark;MarkReason4 → SharedConcurrentMarker::Mark`},
	{"none", "gc_wait", "allocations", `
		Heap::CheckOngoingConcurrentMarking
		Heap::DaemonCheckOngoingConcurrentMarking`},
	{"none", "gc_wait", "gc_other", `
		SuspendTime::WaitGCFinished
		SuspendAll
		SuspendOther
		Waiting-STW`},
	{"commands", "work", "nodes", `
		RSMainThread::ProcessCommandUni [20000,107] [20001,5] → RSMainThread::ProcessCommandUni
		ProcessRSTransactionData: cache transaction during rebuild`},
	{"commands", "render_wait", "nodes", `
		RSMainThread::WaitUntilUnmarshallingTaskFinished`},
	{"animate", "work", "rs_animations", `
		Animate [nodeSize, totalAnimationSize] is [2, 3] → Animate`},
	{"prepare", "work", "nodes", `
		RSUniRender::QuickPrepare:[SCBStatusBar17] nodeId[16544214024386] pid[3852] nodeType[1] → RSUniRender::QuickPrepare[SCBStatusBar]
		RSUniRender:QuickPrepareLogicalDisplayRenderNode 0 → RSUniRender:QuickPrepareLogicalDisplayRenderNode
		RSUniRenderVisitor::QuickPrepareScreenRenderNode childNumber: 48 → RSUniRenderVisitor::QuickPrepareScreenRenderNode
		RSUniRender::PrepareRootRenderNode:node[45719926866507] pid[10645] subTreeDirty[0] → RSUniRender::PrepareRootRenderNode:node
		RSUniRender:PrepareDisplay 0 → RSUniRender:PrepareDisplay`},
	{"hand_over", "render_wait", "render_thread", `
		DoDirectComposition
		PostAndWait, parallel type 0 → PostAndWait
		RSUniRender:WaitUtilUniRenderFinished
		RSMainThread::WaitUtilUniRenderFinished`},
	{"draw", "work", "overdraw", `
		RenderFrame
		Render vsyncId:50044 → Render
		Sync
		UnlockMainThread
		RSUniRender::Process:[SCBDesktop2](0, 0, 1280, 2832) → RSUniRender::Process[SCBDesktop]
		RSUniRenderThread::Render() the number of total ProcessedNodes: 120 → RSUniRenderThread::Render
		RSSurfaceRenderNodeDrawable::OnDraw[WindowScene_x12](0, 0, 1280, 2832), id:16544214024386, alpha:[1.000000] → RSSurfaceRenderNodeDrawable::OnDraw[WindowScene_x]
		DrawUIFirstCacheWithStarting hasCache:1, nodeId:16544214024386 → DrawUIFirstCacheWithStarting
		RSSubThread::DrawableCache [SCBDesktop2] id:[16544214024386] → RSSubThread::DrawableCache[SCBDesktop]
		RSUniRender:FlushFrame`},
	{"none", "work", "blur", `
		ApplyKawaseBlur 12.000000 → ApplyKawaseBlur
		ApplyHPSBlur 12.000000 → ApplyHPSBlur
		HPAE:ApplyHPSBlur::radius 12.000000 → HPAE:ApplyHPSBlur::radius
		ProcessHpaeBlur. radius=12.000000 → ProcessHpaeBlur
		ApplyLightBlur width: 100 height: 100 → ApplyLightBlur
		RSFilterCacheManager::DrawFilter status: CACHE_IS_VALID → RSFilterCacheManager::DrawFilter
		RSFilterCacheManager::TakeSnapshot surface wh: [1280, 2832], snapshotIBounds: 0 → RSFilterCacheManager::TakeSnapshot
		DrawBackgroundEffect RSMESABlurFilter
		RSBackgroundEffectDrawable::DrawBackgroundEffect nodeId[16544214024386] → RSBackgroundEffectDrawable::DrawBackgroundEffect
		RSPropertyDrawableUtils::DrawBackgroundEffect RSMESABlurFilter
		RSFilterDrawable::OnDraw node[16544214024386] → RSFilterDrawable::OnDraw`},
	{"none", "fence", "blur", `
		HpaeWaitPreviousTask
		HPAE::WAITING`},
	{"none", "work", "shader", `
		Load shader
		Store shader
		CreateGraphicsPipelines`},
	{"none", "image", "texture", `
		RSImageBase::Unmarshalling pixelMap uniqueId:12, size:[100 100], cached:0 → RSImageBase::Unmarshalling pixelMap
		DrawImage::drawImageRect
		BuildFromTexture, ignoreAlpha 0 → BuildFromTexture
		onCreateTexture(4096x4096) → onCreateTexture`},
	{"none", "fence", "", `
		DrawHybridPixelMap waitfence error, nodeId: 12 → DrawHybridPixelMap waitfence error
		DrawSurfaceBufferOpItem::DrawWithVulkan waitfence
		wait syncFence, bufferId: 12, uniqueId: 3 → wait syncFence
		RSUniRender::VK::WaitFence
		Acquire Fence 275815 → Acquire Fence
		Waiting for Acquire Fence 275815 → Waiting for Acquire Fence`},
	{"none", "render_wait", "", `
		RSSubThreadManager::WaitNodeTask for node 16544214024386 → RSSubThreadManager::WaitNodeTask for node
		SSubThreadManager::WaitNodeTask
		HandleSubThreadNode wait 1 16544214024386 → HandleSubThreadNode wait
		hpae_offline: Wait for node offline process
		Wait for offline task. → Wait for offline task
		CheckAndWaitPreFirstLevelDrawableNotify 12 wait for 13 → CheckAndWaitPreFirstLevelDrawableNotify`},
	{"none", "work", "overdraw", `
		Submit
		FlushAndSubmit
		vkQueueSubmit
		GrDrawingManager::Flush
		NativeWindowFlushBuffer
		FlushBuffer name: FrameBuffer queueId: 8005819039744 sequence: 122193888 → FlushBuffer`},
	{"none", "buffer", "buffer", `
		RequestBuffer name: FrameBuffer queueId: 8005819039744 queueSize: 3 reserveSlotNum: 0 → RequestBuffer
		RSBaseRenderEngine::RequestFrame(targetSurface) → RSBaseRenderEngine::RequestFrame
		RSUniRender::wait for bufferRequest cond
		RSHpaeBuffer:RequestFrame`},
	{"draw", "buffer", "buffer", `
		RSUniRender:RequestFrame
		RSScreenRenderNodeDrawable:RequestFrame with colorSpace: 4, pixelformat: 12, → RSScreenRenderNodeDrawable:RequestFrame with`},
	{"none", "buffer", "layers", `
		AllocBuffer name: FrameBuffer queueId: 8005819039744, config width: 1280 height: 2832 → AllocBuffer
		AllocBuffers allocBufferCount 3 width 1280 height 2832 format 12 → AllocBuffers allocBufferCount
		Realloc buffer
		WaitComposerThreadTaskExecute task num: 0 → WaitComposerThreadTaskExecute`},
	{"none", "housekeeping", "caches", `
		Clear memory cache, cause the moment [2] happen → Clear memory cache
		PurgeCacheBetweenFrames
		MEM PurgeCacheBetweenFrames add task
		HandleDelayDestroyQueue
		ReleaseResource`},
	{"composer", "work", "layers", `
		CommitLayers rate:120,now:100000123457,vsyncId:50000,size:3,Names:WindowScene_x,zorder: 0, → CommitLayers
		CommitAndReleaseLayers in Force Refresh → CommitAndReleaseLayers
		RSHardwareThread::CommitAndReleaseLayers rate:120 → RSHardwareThread::CommitAndReleaseLayers
		Repaint
		HwcPresentDisplay
		HwcValidateDisplay
		Redraw screenId : 0 → Redraw
		RSHardwareThread::Redraw
		RSBaseRenderEngine::DrawBuffer(CPU) → RSBaseRenderEngine::DrawBuffer`},
	{"composer", "idle", "layers", `
		CalculateDelayTime pipelineOffset: 16637514, actualTimestamp: 13762796296406 → CalculateDelayTime`},
	{"display", "fence", "", `
		Present Fence 5001 → Present Fence
		PresentFence_0 350342 → PresentFence
		Waiting for Present Fence 5001 → Waiting for Present Fence
		Waiting for PresentFence_0 350342 → Waiting for PresentFence`},
	// The name goes on with the same word, or the place is another one.
	{"none", "work", "", `
		FlushLayoutTasks
		SyncFile
		AudioRenderSink::RenderFrame
		P[sq_123] → P[sq]`},
}

// differing returns the labels whose key or meaning is not as spellings says.
func differing(report func(format string, args ...any)) (differ int) {
	for _, group := range spellings {
		for line := range strings.Lines(group.labels) {
			label, want, ok := strings.Cut(strings.TrimSpace(line), " → ")
			if label == "" {
				continue
			}
			if !ok {
				want = label
			}
			key := AppendKey(nil, []byte("H:"+label+"|M0538"))
			p := Lookup(key)
			reason, _ := GCReason([]byte(label))
			advice := (Cause{Wait: why.Run, Place: p, Reason: reason, Scheduled: true}).Advice().String()
			again := AppendKey(nil, key)
			good := string(key) == want && string(again) == want && Lookup(again) == p && p.Stage.String() == group.stage && p.Class.String() == group.class &&
				advice == group.advice
			if !good {
				differ++
				report("%s: %q is %s, %s: %q, want %q, %s, %s: %q", label, key, p.Stage, p.Class, advice, want, group.stage, group.class, group.advice)
			}
		}
	}
	return differ
}

func TestSpellings(t *testing.T) {
	differing(t.Errorf)
}

// Every row of the table decides about a spelling: without it, that one is different.
func TestSpellingsOfRows(t *testing.T) {
	whole := markers
	defer func() { markers = whole }()
	for i, row := range table {
		markers = newMarkerTable(slices.Delete(slices.Clone(table[:]), i, i+1))
		if differing(func(string, ...any) {}) == 0 {
			t.Errorf("row %q: no spelling shows what it is for", row.prefix)
		}
	}
}

// callers are kernel functions as sched_blocked_reason has them, and what a thread that is
// blocked in them waits for: what follows the first plus sign is no part of the name.
var callers = []struct{ wait, callers string }{
	{"io", `
		io_schedule+0x1c/0x9b0[storage.elf]
		bit_wait_io+0x18/0x70
		folio_wait_bit_common+0x178/0x3b0
		__folio_lock+0x1c/0x28
		__lock_page_killable+0x1c/0x28
		wait_on_page_bit_common+0x124/0x398
		__wait_on_buffer+0x30/0x40
		filemap_update_page+0x2b4/0x2e0
		do_read_cache_page+0x2a0/0x4c8
		blk_mq_get_tag+0x11c/0x2c8
		submit_bio_wait+0x64/0xa8
		dm_wait_for_completion+0x84/0x100
		ufshcd_exec_dev_cmd+0x1e8/0x2d0
		mmc_wait_for_req_done+0x30/0x178
		ext4_file_write_iter+0x4c/0x8f0
		f2fs_wait_on_page_writeback+0x9c/0x160
		erofs_read_metabuf+0x40/0x90
		jbd2_log_wait_commit+0xd0/0x158
		fsync_bdev+0x34/0x70
		sync_inodes_sb+0xb0/0x298
		fscache_page_get_an+0xd0c/0x1b44[sysmgr.elf]
		sync_buffer_read_wi+0x74/0x160[sysmgr.elf]
		hmfs_wait_on_page_w+0x9c/0x160[sysmgr.elf]
		udk_blk_submit_bio+0x60/0x110[devhost.elf]
		block_end_request_i+0x2c/0x80[devhost.elf]
		vfs_fsync_range+0x50/0xb0[sysmgr.elf]
		sync_file_range+0x70/0xc0`},
	{"fence", `
		dma_fence_default_w+0x260/0x4dc[devhost.elf]
		dma_resv_wait_timeout+0x78/0x110
		sync_file_poll+0x30/0x90
		sync_fence_wait+0x50/0x1c0
		drm_wait_one_vblank+0x120/0x1f0
		drm_atomic_helper_w+0x1/0x2[devhost.elf]
		drm_crtc_wait_one_vblank+0x1c/0x28
		drm_syncobj_array_wait_timeout+0x26c/0x5a0
		kbase_wait_write_flush+0x40/0x90
		mali_timeline_fence_wait+0x40/0x90`},
	{"mem", `
		shrink_inactive_list+0x14c/0x4a0
		compact_zone+0x380/0x7d0
		try_to_free_pages+0xd8/0x1d8
		do_try_to_free_pages+0xd0/0x3c8
		do_page_fault+0x2a4/0x4b0
		hhp_anon_faultin_pa+0xc4c/0x3e04[sysmgr.elf]
		fault_handle_data_a+0x6c/0xb40[sysmgr.elf]
		mem_cgroup_reclaim+0x1/0x2`},
	{"timer", `
		hrtimer_nanosleep+0xa0/0x130
		do_nanosleep+0x68/0x190
		msleep+0x40/0x4c[devhost.elf]
		usleep_range+0x60/0xa0`},
	{"unknown", `
		vfs_op_fanotify_rea+0x758/0x1424[sysmgr.elf]
		kthread_worker_fn+0x14c/0x1ec[devhost.elf]
		scan_work+0x10/0x20 [wifi]
		x+0x1/0x2 [reclaim]`},
}

// misjudged returns the callers whose wait is not as callers says.
func misjudged(report func(format string, args ...any)) (wrong int) {
	for _, group := range callers {
		for line := range strings.Lines(group.callers) {
			if caller := strings.TrimSpace(line); caller != "" && BlockedBy([]byte(caller)).String() != group.wait {
				wrong++
				report("%s is %s, want %s", caller, BlockedBy([]byte(caller)), group.wait)
			}
		}
	}
	return wrong
}

func TestCallers(t *testing.T) {
	misjudged(t.Errorf)
	whole := blockers
	defer func() { blockers, blockerIndex = whole, newBlockerIndex() }()
	for i, row := range whole {
		blockers = slices.Delete(slices.Clone(whole), i, i+1)
		blockerIndex = newBlockerIndex()
		if misjudged(func(string, ...any) {}) == 0 {
			t.Errorf("row %q: no caller shows what it is for", row.prefix)
		}
	}
}
