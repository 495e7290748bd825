package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/perffile"
)

// module is a file with code.
type module struct {
	index         int
	path          string
	vaddr, offset uint64 // of its code
	size          uint64
	functions     []*function
}

// function is a function of a module.
type function struct {
	module  *module
	name    string // demangled
	address uint64
	size    uint64
	hit     bool // a sample has it

	ips []uint64 // those of samples, if it is of ArkTS
}

const kernelModule = "[kernel.kallsyms]"

// name is the last part of the path.
func (m *module) name() string {
	if m.path == kernelModule {
		return "kernel"
	}
	return m.path[strings.LastIndexByte(m.path, '/')+1:]
}

func (m *module) kernel() bool { return m.path == kernelModule }

// script reports whether the module has functions of ArkTS. Their symbols are addresses in memory.
func (m *module) script() bool { return strings.HasSuffix(m.path, ".hap") }

// shown returns the name of a function, and that of its file. A function of ArkTS is one of a source file.
func (f *function) shown() (name, file string) {
	if !f.module.script() {
		return f.name, f.module.name()
	}
	name, source, _ := strings.Cut(f.name, ":[")
	source = source[strings.LastIndexByte(source, '/')+1:]
	file, _, _ = strings.Cut(source, ":")
	return name, file
}

// own reports whether the module is one of the application's libraries.
func (m *module) own() bool { return strings.HasPrefix(m.path, "/data/") }

// libraries are all modules with all their functions.
var libraries = []struct {
	path      string
	functions []string
}{
	{kernelModule, []string{
		"schedule", "__schedule", "el0_sync", "el1_irq", "gic_handle_irq", "handle_irq_event", "do_page_fault", "clear_page", "sys_read",
		"io_schedule", "ep_poll", "futex_wait", "binder_ioctl", "hrtimer_nanosleep", "dma_fence_default_wait", "preempt_schedule_irq", "do_sys_poll",
	}},
	{"/system/lib/ld-musl-aarch64.so.1", []string{
		"libc_start_main_stage2", "start", "memcpy", "memmove", "malloc", "free", "strlen", "pread64", "ioctl", "epoll_wait",
		"pthread_cond_wait", "nanosleep", "poll",
	}},
	{"/system/bin/appspawn", []string{"main"}},
	{"/system/bin/render_service", []string{"main"}},
	{"/system/bin/sa_main", []string{"main"}},
	{"/system/lib64/platformsdk/libappkit_native.z.so", []string{"OHOS::AppExecFwk::MainThread::Start()"}},
	{"/system/lib64/platformsdk/libeventhandler.z.so", []string{
		"OHOS::AppExecFwk::EventRunner::Run()", "OHOS::AppExecFwk::EventHandler::DistributeEvent()", "OHOS::AppExecFwk::EpollIoWaiter::WaitFor(long)",
	}},
	{"/system/lib64/platformsdk/libuv.so", []string{"uv_run", "uv__work_done"}},
	{"/system/lib64/libcomposer.z.so", []string{"OHOS::Rosen::VSyncCallBackListener::OnReadable(int)"}},
	{"/system/lib64/platformsdk/libace_compatible.z.so", []string{
		"OHOS::Ace::NG::PipelineContext::OnVsyncEvent(unsigned long, unsigned int)", "OHOS::Ace::NG::PipelineContext::FlushVsync(unsigned long, unsigned int)",
		"OHOS::Ace::NG::PipelineContext::FlushBuild()", "OHOS::Ace::NG::UITaskScheduler::FlushLayoutTask(bool)", "OHOS::Ace::NG::FrameNode::Measure(int)",
		"OHOS::Ace::NG::FrameNode::Layout()", "OHOS::Ace::NG::ListLayoutAlgorithm::MeasureList()", "OHOS::Ace::NG::UITaskScheduler::FlushRenderTask(bool)",
		"OHOS::Ace::NG::PipelineContext::FlushMessages()", "OHOS::Ace::NG::PipelineContext::OnIdle(long)",
		"OHOS::Ace::NG::GridLayoutAlgorithm::FillCache(int)", "OHOS::Ace::NG::ImagePattern::Resample(float)",
	}},
	{"/system/lib64/librender_service_base.z.so", []string{"OHOS::Rosen::RSTransactionData::Marshalling()"}},
	{"/system/lib64/librender_service.z.so", []string{
		"OHOS::Rosen::RSMainThread::OnVsync(unsigned long, unsigned long)", "OHOS::Rosen::RSMainThread::ProcessCommand()",
		"OHOS::Rosen::RSUniRenderVisitor::QuickPrepareScreenRenderNode()", "OHOS::Rosen::RSUniRenderThread::PostAndWait()",
		"OHOS::Rosen::RSDrawFrame::RenderFrame()", "OHOS::Rosen::RSDrawFrame::Sync()", "OHOS::Rosen::RSSurfaceRenderNodeDrawable::OnDraw()",
		"OHOS::Rosen::RSHardwareThread::CommitAndReleaseLayers()", "OHOS::Rosen::HdiOutput::Commit()", "OHOS::Rosen::RSHardwareThread::ReleaseBuffer()",
		"OHOS::Rosen::KawaseBlurFilter::ApplyKawaseBlur(float)", "OHOS::Rosen::RSUniRenderThread::ClearFrameBuffers(bool)",
		"OHOS::Rosen::VSyncGenerator::ThreadLoop()", "OHOS::Rosen::MeshFilter::Tessellate(int)", "OHOS::Rosen::ShadowAtlas::Pack(unsigned int)",
	}},
	{"/system/lib64/ndk/libskia_canvaskit.z.so", []string{"SkCanvas::drawDrawable()", "GrDirectContext::flush()"}},
	{"/system/lib64/module/libark_jsruntime.so", []string{
		"panda::ecmascript::PartialGC::RunPhases()", "panda::ecmascript::PartialGCMarker::Mark(unsigned int)", "panda::ecmascript::SharedGC::RunPhases()",
		"panda::ecmascript::SharedGCMarker::Mark(unsigned int)", "panda::ecmascript::EcmaInterpreter::Execute()", "panda::ecmascript::SuspendBarrier::Wait()",
	}},
	{"/system/lib64/chipset-sdk/libipc_core.z.so", []string{"OHOS::IPCObjectProxy::SendRequest(unsigned int)", "OHOS::IPCWorkThread::ThreadHandler()"}},
	{"/system/lib64/libsurface.z.so", []string{"OHOS::BufferQueueProducer::RequestBuffer()", "OHOS::SyncFence::Wait(unsigned int)"}},
	{"/system/lib64/platformsdk/librdb.z.so", []string{"OHOS::NativeRdb::SqliteStatement::Step()"}},
	{"/system/lib64/libservices.z.so", []string{
		"OHOS::Media::MediaLibrary::Query(int)", "OHOS::Media::FileIndex::Scan()", "OHOS::Sensors::SensorDataProcesser::Report()", "OHOS::Service::Loop()",
	}},
	{"/data/storage/el1/bundle/libs/arm64/libentry.so", []string{
		"entry::Page::OnScroll(float)", "entry::Page::Update()", "entry::List::Measure(int)", "entry::Card::Bind(int)", "entry::Image::Scale(float)",
		"entry::Text::Shape()", "entry::Model::Sort()", "entry::Feed::Recompute(int)", "entry::Board::Solve(double)", "entry::Cart::Total()",
		"entry::Chart::Interpolate(float)", "entry::Story::Blur(float, int)", "entry::Store::Load()", "entry::Texture::Upload()", "entry::Photos::Query()",
		"entry::Decoder::Await()", "entry::Sensor::Read()", "entry::Retry::Pause(int)",
	}},
	{"/data/storage/el1/bundle/libs/arm64/libfeed.so", []string{
		"feed::Parser::Next()", "feed::Cache::Find(unsigned long)", "feed::Index::Rebuild(bool)", "feed::Diff::Apply()", "feed::Digest::Update(unsigned long)",
		"feed::Database::Query(int)",
	}},
	{"/data/storage/el1/bundle/entry.hap", []string{
		"aboutToReuse:[url:entry|entry|1.0.0|src/main/ets/pages/Index.ets:42:9]", "sortByDate:[url:entry|entry|1.0.0|src/main/ets/model/Feed.ets:118:3]",
	}},
}

// sliceFunctions are the functions that open slices mean.
var sliceFunctions = map[string]string{
	"ReceiveVsync": "OHOS::Rosen::VSyncCallBackListener::OnReadable(int)", "OnVsyncEvent": "OHOS::Ace::NG::PipelineContext::OnVsyncEvent(unsigned long, unsigned int)",
	"UIVsyncTask": "OHOS::Ace::NG::PipelineContext::FlushVsync(unsigned long, unsigned int)", "FlushVsync": "OHOS::Ace::NG::PipelineContext::FlushVsync(unsigned long, unsigned int)",
	"FlushBuild": "OHOS::Ace::NG::PipelineContext::FlushBuild()", "FlushLayoutTask": "OHOS::Ace::NG::UITaskScheduler::FlushLayoutTask(bool)",
	"CreateTaskMeasure": "OHOS::Ace::NG::FrameNode::Measure(int)", "CreateTaskLayout": "OHOS::Ace::NG::FrameNode::Layout()",
	"FlushRenderTask": "OHOS::Ace::NG::UITaskScheduler::FlushRenderTask(bool)", "FlushMessages": "OHOS::Ace::NG::PipelineContext::FlushMessages()",
	"OnIdle": "OHOS::Ace::NG::PipelineContext::OnIdle(long)", "MarshRSTransactionData": "OHOS::Rosen::RSTransactionData::Marshalling()",
	"ExecuteJS": "panda::ecmascript::EcmaInterpreter::Execute()", "PartialGC::RunPhases": "panda::ecmascript::PartialGC::RunPhases()",
	"SharedGC::RunPhases": "panda::ecmascript::SharedGC::RunPhases()", "SharedGC::Mark": "panda::ecmascript::SharedGCMarker::Mark(unsigned int)",
	"RSMainThread::DoComposition": "OHOS::Rosen::RSMainThread::OnVsync(unsigned long, unsigned long)", "RSMainThread::ProcessCommandUni": "OHOS::Rosen::RSMainThread::ProcessCommand()",
	"RSUniRender:QuickPrepareScreenRenderNode": "OHOS::Rosen::RSUniRenderVisitor::QuickPrepareScreenRenderNode()", "PostAndWait": "OHOS::Rosen::RSUniRenderThread::PostAndWait()",
	"RenderFrame": "OHOS::Rosen::RSDrawFrame::RenderFrame()", "Sync": "OHOS::Rosen::RSDrawFrame::Sync()",
	"RSSurfaceRenderNodeDrawable::OnDraw": "OHOS::Rosen::RSSurfaceRenderNodeDrawable::OnDraw()",
	"CommitLayers":                        "OHOS::Rosen::RSHardwareThread::CommitAndReleaseLayers()", "RSHardwareThread::CommitAndReleaseLayers": "OHOS::Rosen::RSHardwareThread::CommitAndReleaseLayers()",
	"Repaint": "OHOS::Rosen::HdiOutput::Commit()", "ReleaseBuffer": "OHOS::Rosen::RSHardwareThread::ReleaseBuffer()",
	"GenerateVsyncCount": "OHOS::Rosen::VSyncGenerator::ThreadLoop()", "RequestBuffer": "OHOS::BufferQueueProducer::RequestBuffer()",
	"MediaLibrary::Query": "OHOS::Media::MediaLibrary::Query(int)", "FileIndex::Scan": "OHOS::Media::FileIndex::Scan()",
	"SensorDataProcesser::Report": "OHOS::Sensors::SensorDataProcesser::Report()", "ImageSource::CreatePixelMap": "OHOS::Ace::NG::ImagePattern::Resample(float)",
}

// outer are the slices that whole frames are in; inside are the steps of a frame.
var outer = []string{
	"ReceiveVsync", "OnVsyncEvent", "UIVsyncTask", "FlushVsync", "RSMainThread::DoComposition", "RenderFrame", "Render", "UV_TRACE",
}

// sliceName is the constant part of the text of a slice.
func sliceName(text string) string {
	if i := strings.IndexAny(text, " ,;[|{("); i >= 0 {
		text = text[:i]
	}
	return strings.TrimRight(text, ":0123456789")
}

// step returns the outermost slice that is not around a whole frame, or else the innermost one.
func step(path []string) string {
	for _, name := range path {
		if !slices.Contains(outer, name) {
			return name
		}
	}
	if len(path) == 0 {
		return ""
	}
	return path[len(path)-1]
}

// Functions that samples are in by chance.
var (
	ordinary = []string{
		"entry::List::Measure(int)", "entry::Card::Bind(int)", "entry::Image::Scale(float)", "entry::Text::Shape()", "entry::Model::Sort()",
		"feed::Parser::Next()", "feed::Cache::Find(unsigned long)", "aboutToReuse:[url:entry|entry|1.0.0|src/main/ets/pages/Index.ets:42:9]",
	}
	callers = []string{"entry::Page::OnScroll(float)", "entry::Page::Update()"}
	memory  = []string{"memcpy", "memmove", "malloc", "free", "strlen"}
)

// Functions that causes spend their time in, by chance.
var (
	hotOwn = []string{
		"entry::Feed::Recompute(int)", "entry::Board::Solve(double)", "entry::Cart::Total()", "entry::Chart::Interpolate(float)",
		"entry::Story::Blur(float, int)", "entry::Model::Sort()", "feed::Index::Rebuild(bool)", "feed::Diff::Apply()", "feed::Digest::Update(unsigned long)",
		"sortByDate:[url:entry|entry|1.0.0|src/main/ets/model/Feed.ets:118:3]",
	}
	hotApp     = []string{"OHOS::Ace::NG::GridLayoutAlgorithm::FillCache(int)", "OHOS::Ace::NG::ListLayoutAlgorithm::MeasureList()"}
	hotService = []string{"OHOS::Rosen::MeshFilter::Tessellate(int)", "OHOS::Rosen::ShadowAtlas::Pack(unsigned int)", "GrDirectContext::flush()"}
)

// waiting are the functions that wait: in the application's libraries, or the system's, and then
// in libc and the kernel.
var waiting = map[string]struct {
	own    []string
	system string
	inner  []string
}{
	"io":            {[]string{"entry::Store::Load()", "feed::Database::Query(int)"}, "OHOS::NativeRdb::SqliteStatement::Step()", []string{"pread64", "sys_read", "io_schedule"}},
	"fence":         {[]string{"entry::Texture::Upload()"}, "OHOS::SyncFence::Wait(unsigned int)", []string{"ioctl", "dma_fence_default_wait"}},
	"buffer":        {nil, "OHOS::BufferQueueProducer::RequestBuffer()", []string{"pthread_cond_wait", "futex_wait"}},
	"binder":        {[]string{"entry::Photos::Query()"}, "OHOS::IPCObjectProxy::SendRequest(unsigned int)", []string{"ioctl", "binder_ioctl"}},
	"own_thread":    {[]string{"entry::Decoder::Await()"}, "OHOS::Ace::NG::ImagePattern::Resample(float)", []string{"pthread_cond_wait", "futex_wait"}},
	"other_process": {[]string{"entry::Sensor::Read()"}, "OHOS::Ace::NG::ImagePattern::Resample(float)", []string{"poll", "do_sys_poll"}},
	"timer":         {[]string{"entry::Retry::Pause(int)"}, "OHOS::Ace::NG::ImagePattern::Resample(float)", []string{"nanosleep", "hrtimer_nanosleep"}},
	"gc.wait":       {nil, "panda::ecmascript::SuspendBarrier::Wait()", []string{"pthread_cond_wait", "futex_wait"}},
}

// usually is the share of a hot function in frames without the cause, by seed.
var usually = [...]float64{0, 0.08, 0.25}

// hot is what a cause does.
type hot struct {
	self     *function
	callers  []*function
	libc     int         // percentage of samples in a function of libc that it calls
	kernel   int         // and in the kernel
	helper   int         // and in another function of the application
	noise    int         // percentage of samples that are as without the cause
	waits    []*function // below it, if it waits
	credited *function
}

// code is everything that threads can run.
type code struct {
	modules []*module
	byName  map[string]*function // main is that of a module
	slices  map[string]*function
	bases   map[trace.PID][]uint64
	mapped  [][]byte
	threads map[*actor]*threadCode
	stacks  []*function // scratch
	ips     []uint64
}

// threadCode is the base of a thread's stacks.
type threadCode struct {
	base []*function
	app  bool
}

func newCode() *code {
	c := &code{byName: map[string]*function{}, slices: map[string]*function{}, bases: map[trace.PID][]uint64{}, threads: map[*actor]*threadCode{}}
	for i, l := range libraries {
		m := &module{index: i, path: l.path, vaddr: uint64(0x11000 + 0x1000*i), offset: uint64(0x10000 + 0x1000*(i%3))}
		if m.kernel() {
			m.vaddr, m.offset = 0xffffffc010000000, 0
		}
		at := m.vaddr
		for j, name := range l.functions {
			f := &function{module: m, name: name, address: at, size: uint64(0x80 + 0x40*(j%5))}
			at += f.size + 0x20
			m.functions = append(m.functions, f)
			if name == "main" {
				name = l.path
			}
			c.byName[name] = f
		}
		m.size = at - m.vaddr
		c.modules = append(c.modules, m)
	}
	for slice, name := range sliceFunctions {
		c.slices[slice] = c.find(name)
	}
	c.mapped = append(c.mapped, perffile.KernelMmap(0, 1<<64-1, kernelModule))
	return c
}

func (c *code) find(name string) *function {
	f := c.byName[name]
	if f == nil {
		panic("simulate: no function " + name)
	}
	return f
}

func (c *code) all(names ...string) (list []*function) {
	for _, n := range names {
		list = append(list, c.find(n))
	}
	return list
}

// draw returns one of several functions.
func (c *code) draw(r *random, names []string) *function {
	return c.find(names[r.below(int64(len(names)))])
}

// thread makes a thread's stacks begin, and maps the modules of its process.
func (c *code) thread(a *actor, app bool) {
	program := "/system/bin/sa_main"
	switch {
	case app:
		program = "/system/bin/appspawn"
	case a.pid == renderPID:
		program = "/system/bin/render_service"
	}
	t := &threadCode{app: app}
	switch {
	case int(a.tid) != int(a.pid):
		t.base = c.all("start", "OHOS::AppExecFwk::EventRunner::Run()", "OHOS::AppExecFwk::EventHandler::DistributeEvent()")
	case app:
		t.base = c.all("libc_start_main_stage2", program, "OHOS::AppExecFwk::MainThread::Start()", "OHOS::AppExecFwk::EventRunner::Run()",
			"uv_run", "OHOS::AppExecFwk::EventHandler::DistributeEvent()")
	default:
		t.base = c.all("libc_start_main_stage2", program, "OHOS::AppExecFwk::EventRunner::Run()", "OHOS::AppExecFwk::EventHandler::DistributeEvent()")
	}
	c.threads[a] = t
	if c.bases[a.pid] == nil {
		at := 0x5a00000000 + uint64(a.pid)<<20
		for _, m := range c.modules {
			c.bases[a.pid] = append(c.bases[a.pid], at)
			if m.kernel() || m.own() && !app || strings.HasPrefix(m.path, "/system/bin/") && m.path != program {
				continue
			}
			size := (m.size + 0xfff) &^ 0xfff
			c.mapped = append(c.mapped, perffile.Mmap2(int32(a.pid), at, size, m.offset, m.path))
			at += size + 0x10000
		}
	}
	c.mapped = append(c.mapped, perffile.Comm(int32(a.pid), int32(a.tid), a.name, false))
}

// hotFor returns what a thread does for a cause, if that is one function. A cause does the same in all
// its frames.
func (c *code) hotFor(t *sampledThread, cause *CauseTruth) *hot {
	wait, waits := waiting[cause.Wait]
	runs := slices.Contains([]string{"run.work", "run", "earlier_work", "render"}, cause.Wait)
	if !waits && !runs {
		return nil
	}
	p := t.profiler
	if h := p.hot[cause.Cause]; h != nil {
		return h
	}
	h, app, stream := &hot{}, c.threads[t.a].app, uint64(1000)
	for _, b := range []byte(cause.Cause) {
		stream = stream*31 + uint64(b)
	}
	r := newRandom(p.Seed, stream)
	shape := r.below(4)
	switch {
	case waits && (shape == 3 || !app || wait.own == nil):
		h.self = c.find(wait.system)
	case waits:
		h.self = c.draw(r, wait.own)
		h.callers = c.all(callers[r.below(2)])
	case strings.HasPrefix(cause.Slice, "PartialGC"):
		h.self, h.kernel = c.find("panda::ecmascript::PartialGCMarker::Mark(unsigned int)"), 10
	case !app:
		h.self, h.kernel = c.draw(r, hotService), 10
	case shape == 3:
		h.self, h.kernel = c.draw(r, hotApp), 10
	default:
		h.self = c.draw(r, hotOwn)
		switch shape {
		case 1:
			h.libc, h.kernel = 70, 15
		case 2:
			h.callers, h.libc, h.helper = c.all(callers...), 20, 10
		}
	}
	h.credited, h.noise = h.self, 10*int(r.below(4))
	if waits {
		h.noise = 0
		h.waits = c.all(append(slices.Clone(wait.inner), "schedule", "__schedule")...)
		h.credited = credited(append([]*function{h.self}, h.waits...))
	}
	p.hot[cause.Cause] = h
	p.hots = append(p.hots, h)
	return h
}

// credited returns the function that a sample counts for.
func credited(stack []*function) *function {
	var user *function
	for _, f := range slices.Backward(stack) {
		switch {
		case f.module.own():
			return f
		case user == nil && !f.module.kernel():
			user = f
		}
	}
	return cmp.Or(user, stack[len(stack)-1])
}

// stack returns the functions that a thread is in, the outermost first. The slice is valid until the
// next call.
func (c *code) stack(t *sampledThread, off bool) []*function {
	a, r, thread := t.a, t.random, c.threads[t.a]
	b := append(c.stacks[:0], thread.base...)
	add := func(names ...string) {
		for _, n := range names {
			b = append(b, c.find(n))
		}
	}
	for _, name := range t.path {
		if f := c.slices[name]; f != nil {
			b = append(b, f)
		}
	}
	percent := int(r.below(100))
	blocks := off && a.state == blocked
	h := t.hot
	if h != nil && int(r.below(100)) < h.noise {
		h = nil
	}
	switch {
	case h != nil:
		b = append(append(b, h.callers...), h.self)
		switch {
		case blocks && h.waits != nil:
			b = append(b, h.waits...)
		case percent < h.libc:
			b = append(b, c.draw(r, memory))
		case percent < h.libc+h.kernel:
			add("el0_sync", "do_page_fault", "clear_page")
		case percent < h.libc+h.kernel+h.helper:
			b = append(b, c.draw(r, ordinary))
		}
	case blocks && a.idle:
		b = b[:len(b)-1]
		add("OHOS::AppExecFwk::EpollIoWaiter::WaitFor(long)", "epoll_wait", "el0_sync", "ep_poll", "schedule", "__schedule")
	case thread.app && len(t.path) > 0 && percent < 55:
		if r.chance(0.5) {
			b = append(b, c.draw(r, callers))
		}
		f := c.draw(r, ordinary)
		if len(t.hots) > 0 && r.chance(usually[t.Seed%3]) && t.hots[0].waits == nil {
			f = t.hots[0].self // it also runs where nothing is wrong
		}
		b = append(b, f)
		if r.chance(0.3) {
			b = append(b, c.draw(r, memory))
		} else if r.chance(0.1) {
			add("el0_sync", "do_page_fault", "clear_page")
		}
	case percent < 80:
		b = append(b, c.draw(r, memory))
	case percent < 85:
		add("el0_sync", "do_page_fault", "clear_page")
	}
	switch {
	case blocks && (h == nil || h.waits == nil) && !a.idle:
		if b[len(b)-1].module.kernel() {
			b = b[:len(b)-1]
		}
		add("pthread_cond_wait", "el0_sync", "futex_wait", "schedule", "__schedule")
	case off && !blocks:
		add("el1_irq", "preempt_schedule_irq", "__schedule")
	case a.core.handler:
		add("el1_irq", "gic_handle_irq", "handle_irq_event")
	}
	c.stacks = b
	return b
}

// chain returns the addresses of a stack as a record has them, and whether it ends in the kernel.
func (c *code) chain(t *sampledThread, stack []*function) ([]uint64, bool) {
	bases, kernel := c.bases[t.a.pid], false
	chain := c.ips[:0]
	for i, f := range slices.Backward(stack) {
		if k := f.module.kernel(); k != kernel || i == len(stack)-1 {
			context := uint64(perffile.User)
			if k {
				context = perffile.Kernel
			}
			kernel = k
			chain = append(chain, context)
		}
		f.hit = true
		at := f.address + 4*uint64(t.random.below(16))
		if i < len(stack)-1 { // it calls the same function from the same place
			at = f.address + 4 + stack[i+1].address>>5%16*4
		}
		if !f.module.kernel() {
			at += bases[f.module.index] - f.module.vaddr
		}
		if f.module.script() && !slices.Contains(f.ips, at) {
			f.ips = append(f.ips, at)
		}
		chain = append(chain, at)
	}
	c.ips = chain
	return chain, stack[len(stack)-1].module.kernel()
}

// records are those before the samples.
func (c *code) records() [][]byte { return c.mapped }

// symbols is the section of the symbols that samples have. The kernel's have no size.
func (c *code) symbols() []byte {
	var files []perffile.Symbols
	for i, m := range c.modules {
		file := perffile.Symbols{Path: m.path, Type: 3, Vaddr: m.vaddr, Offset: m.offset, BuildID: fmt.Sprintf("%040x", i+1)}
		if m.kernel() {
			file.Type, file.Vaddr = 0, 1<<64-1
		} else if m.script() {
			file.Type = 6
		}
		for _, f := range m.functions {
			size := uint32(f.size)
			if m.kernel() {
				size = 0
			}
			for i, ip := range f.ips { // each is at a line of its own
				name := strings.Replace(f.name, ".ets:", fmt.Sprintf(".ets:%d", i+1), 1)
				file.Symbols = append(file.Symbols, perffile.Sym(ip, 0, name))
			}
			if f.hit && !m.script() {
				file.Symbols = append(file.Symbols, perffile.Sym(f.address, size, mangle(f.name)))
			}
		}
		if len(file.Symbols) > 0 {
			files = append(files, file)
		}
	}
	return perffile.SymbolTable(files...)
}

// mangle returns the symbol of a function of C++. Those of C stay as they are.
func mangle(name string) string {
	path, arguments, ok := strings.Cut(strings.TrimSuffix(name, ")"), "(")
	if !ok {
		return name
	}
	b := "_ZN"
	for part := range strings.SplitSeq(path, "::") {
		b += strconv.Itoa(len(part)) + part
	}
	b += "E"
	for argument := range strings.SplitSeq(arguments, ", ") {
		b += map[string]string{
			"": "v", "bool": "b", "int": "i", "unsigned int": "j", "long": "l", "unsigned long": "m", "float": "f", "double": "d",
		}[argument]
	}
	return b
}
