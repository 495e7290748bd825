package hitrace

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Word is a marker name that has to do with frames, whatever its spelling.
type Word uint8

// The vocabulary. The comments name the writer.
const (
	Other               Word = iota
	ReceiveVsync             // whoever waits for a vsync got it
	OnVsyncEvent             // ArkUI: a UI instance handles the vsync
	UIVsyncTask              // ArkUI 5.1 and later: the same, with vsync id
	UVTrace                  // libuv: a batch of work on a worker thread
	MarshTransaction         // application: sends a transaction to render_service
	DoComposition            // render_service: the main thread composes a frame
	ProcessCommands          // render_service: transactions are applied
	RenderFrame              // render_service: the render thread draws a frame
	Commit                   // render_service: layers go to the display
	PresentFence             // render_service: the present fence of a commit
	PresentFenceWait         // render_service: waiting for that fence
	GenerateVsyncCount       // render_service: a vsync is generated
	FrameQueued              // GPU driver: asynchronous, work in the GPU's queue
	AndroidFrame             // Android before 13: an application draws a frame, or SurfaceFlinger composes one
	RequestBuffer            // a producer asks for a free buffer of a queue
	BufferRequested          // in a RequestBuffer: which buffer it gets
	FlushBuffer              // a producer queues a buffer
	AcquireBuffer            // the consumer asks for a buffer
	BufferAcquired           // in an AcquireBuffer: which buffer it takes
	DropBuffer               // the consumer skips a buffer
	DropFrame                // render_service releases the buffer that it takes next
	QueueBuffer              // a producer queues a buffer by a call
	SurfaceNode              // render_service: the node whose buffer it took
	AcquireFence             // the fence of a buffer that was queued
	AcquireFenceWait         // waiting for that fence
	ChoreographerFrame       // Android: an application's frame
	Resynced                 // Android: in a frame, which began late
	Jitter                   // Android: counter, how long after its vsync a frame began
	DrawFrames               // Android: an application's render thread draws a frame
	SurfaceName              // Android: an application names the surface that it draws
	DequeueBuffer            // Android: a producer asks for a free buffer
	CompositorCommit         // Android: SurfaceFlinger's frame begins
	CompositorComposite      // Android: SurfaceFlinger composes that frame
	DisplaySync              // ArkUI: a request for vsyncs, served in a frame
	ClientRender             // ArkUI up to 4.1: an application draws its window itself
	FlutterReceive           // Flutter: a vsync arrives on the thread that receives it
	FlutterVsync             // Flutter: the vsync is handled on the UI thread
	FlutterFrame             // Flutter: the UI thread builds a frame
	FlutterRender            // Flutter: in that, there is something to draw
	FlutterDraw              // Flutter: the raster thread draws a frame
	WebFrame                 // ArkWeb: a compositor begins a frame
	WebSubmit                // ArkWeb: it submits the frame
	WebSkip                  // ArkWeb: it has nothing to submit
	Scene                    // application: asynchronous, a scene such as a fling
	Trailing                 // application: asynchronous, the slow end of a fling
	RenderScene              // render_service: asynchronous, a scene from its first to its last frame shown
	SceneStart               // application: a scene begins
	SceneReport              // application: reports a scene to render_service
	InputRecord              // application: the time of an input
	NoInput                  // application: the scene that begins next has no input
	JankStats                // render_service: its verdict on a scene
	TouchDispatch            // launcher: dispatches a touch
	StartAbility             // launcher: starts an application
	LoadAbility              // foundation: loads an application
	LoadNewProcess           // foundation: in a LoadAbility, starts a process for it
	AttachApplication        // foundation: the new process is there
	LaunchAbility            // application: makes the ability
	ForegroundAbility        // application: brings the ability to the foreground
	BuildItem                // ArkUI: an item of a component is made
	BuildRecycle             // ArkUI: an item of a component is reused
	MeasureNode              // ArkUI, with debug parameters: a node is measured
	LayoutNode               // the same: it is laid out
	StateChanged             // ArkUI, with debug parameters: a state variable of a component has changed
	CommitSkipped            // render_service: nothing had changed, nothing is committed
	NothingSent              // application: nothing had changed, nothing is sent
	VsyncRequested           // render_service: a connection asks for a vsync
	VsyncSent                // render_service: a vsync is sent to a connection
	FlutterDamage            // Flutter: what has changed in the picture that it drew
	RateVote                 // render_service: a voter votes on the refresh rate, or withdraws its vote
	RateCounted              // render_service: such a vote is counted
	RateDecided              // render_service: what the votes result in
	TouchReport              // mmi_service: reports a touch to an application
	TouchState               // render_service: a finger touches the screen, or leaves it
	wordEnd                  // stays last

	// WordCount is the number of words, Other included: a table with a row for each
	// word has this length.
	WordCount = int(wordEnd)
)

// spelling is one form of a word: a prefix of the label, and a condition on the rest.
type spelling struct {
	prefix string
	word   Word
	accept func(rest []byte) bool
}

// spellings are sorted. If one prefix begins with another, the longer one is first. Those of markers that
// begin a stage are in internal/place/table.go, too.
var spellings = newVocabulary([]spelling{
	{"Acquire Fence ", AcquireFence, anything},
	{"AcquireBuffer", AcquireBuffer, isQueueCall},
	{"AllocBuffer", BufferRequested, endsWord},
	{"Animation start and current sceneId", SceneStart, anything},
	{"AttachAndFlushBuffer ", FlushBuffer, anything},
	{"acquire buffer sequence:", BufferAcquired, anything},
	{"client dispatch touchId:", TouchDispatch, anything},
	{"CommitLayers", Commit, carriesRate},
	{"CustomNode:BuildItem", BuildItem, endsWord},
	{"CustomNode:BuildRecycle", BuildRecycle, endsWord},
	{"Deliver voter:", RateVote, anything},
	{"DisplayNodeSkip skip commit", CommitSkipped, endsWord}, // 4.1 to 6.1
	{"DisplaySyncId[", DisplaySync, anything},
	{"DoDirectComposition skip commit", CommitSkipped, endsWord}, // 4.1 and 5.0
	{"DropBuffer", DropBuffer, anything},
	{"DropFrame", DropFrame, ends},
	{"EVENT_REPORT_", SceneReport, anything},
	{"FlushBuffer", FlushBuffer, isQueueCall},
	{"flutter::Animator::BeginFrame", FlutterFrame, endsWord},
	{"flutter::Animator::Render", FlutterRender, endsWord},
	{"flutter::OHOSVsync", FlutterReceive, endsWord},
	{"flutter::Rasterizer::DoDraw", FlutterDraw, endsWord},
	{"flutter::SetPresentInfo", FlutterDamage, endsWord},
	{"flutter::VsyncProcessCallback", FlutterVsync, endsWord},
	{"GenerateVsyncCount:", GenerateVsyncCount, anything},
	{"GetInputTime: now time", NoInput, anything},
	{"Graphics.Pipeline |", WebFrame, isStep("step=ReceiveBeginFrame")},
	{"Graphics.Pipeline |", WebSubmit, isStep("step=SubmitCompositorFrame")},
	{"Graphics.Pipeline |", WebSkip, isStep("step=DidNotProduceFrame", "trace_content=step: DidNotProduceFrame")},
	{"Layout[", LayoutNode, anything},
	{"M: Frame queued", FrameQueued, ends},
	{"Marsh RSTransactionData", MarshTransaction, endsWord}, // 3.2
	{"MarshRSTransactionData", MarshTransaction, endsWord},
	{"Measure[", MeasureNode, anything},
	{"NativeWindowFlushBuffer", QueueBuffer, ends}, // since 6.0
	{"OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB", StartAbility, anything},
	{"OnVsyncEvent", OnVsyncEvent, endsWord},
	{"Present Fence ", PresentFence, anything}, // up to 6.0
	{"PresentFence_", PresentFence, anything},  // 6.1: one for each screen
	{"ReceiveVsync", ReceiveVsync, endsWord},
	{"RecordInputEvent: ", InputRecord, anything},
	{"RenderFrame", RenderFrame, ends},
	{"Process nothing, lastVoteInfo: ", RateDecided, anything}, // 5.0: the result as it was
	{"Process voter:", RateCounted, anything},
	{"RequestAndDetachBuffer ", RequestBuffer, anything},
	{"RequestBuffer", RequestBuffer, isQueueCall},
	{"ReuseBuffer", BufferRequested, endsWord},
	{"RsDebug surfaceHandler(id:", SurfaceNode, anything},
	{"RSHardwareThread::CommitAndReleaseLayers", Commit, isCommit}, // up to 5.1
	{"RSJankStats::", JankStats, anything},
	{"RSMainThread::DoComposition", DoComposition, endsWord},
	{"RSMainThread::ProcessCommandUni", ProcessCommands, anything},
	{"RSMainThread::UniRender nothing to update", CommitSkipped, endsWord}, // since 5.0
	{"RSRenderThread::OnVsync", ClientRender, endsWord},
	{"ScreenNodeSkip skip commit", CommitSkipped, endsWord}, // later than 6.1
	{"SendVsyncTo conn: ", VsyncSent, anything},
	{"service report touchId:", TouchReport, anything},
	{"SetPresentInfo", FlutterDamage, endsWord},
	{"StateMachine state change: ", TouchState, anything},
	{"TRAILING_ANIMATION", Trailing, endsWord},
	{"UI skip", NothingSent, endsWord}, // since 6.0
	{"UIVsyncTask", UIVsyncTask, anything},
	{"UV_TRACE", UVTrace, ends},
	{"UpdateSoftVSync: VoteRes: ", RateDecided, anything}, // since 7.0
	{"ViewPU.viewPropertyHasChanged ", StateChanged, anything},
	{"virtual int OHOS::AAFwk::AbilityManagerService::StartAbility", StartAbility, endsWord}, // up to 4.0
	{"virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication", AttachApplication, endsWord},
	{"virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility", LoadAbility, endsWord},
	{"void OHOS::AbilityRuntime::FAAbilityThread::HandleAbilityTransaction", ForegroundAbility, endsWord},
	{"void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction", ForegroundAbility, endsWord},
	{"void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbilityNoAppRecord", LoadNewProcess, endsWord},
	{"void OHOS::AppExecFwk::MainThread::HandleLaunchAbility", LaunchAbility, endsWord},
	{"VoteRes: ", RateDecided, anything}, // 5.1 to 6.1
	{"Waiting for Acquire Fence ", AcquireFenceWait, anything},
	{"Waiting for Present Fence ", PresentFenceWait, anything},
	{"Waiting for PresentFence_", PresentFenceWait, anything},
})

// androidSpellings are markers of Android, which have no label, in the order of spellings.
// performTraversals is in traces before Android 4.4, onMessage… in those before Android 13.
var androidSpellings = newVocabulary([]spelling{
	{"Choreographer#doFrame - resynced to ", Resynced, anything},
	{"Choreographer#doFrame", ChoreographerFrame, endsWord},
	{"DrawFrames setSurfaceName ", SurfaceName, anything},
	{"DrawFrames ", DrawFrames, numbered},
	{"ProducerSurfaceDelegator::QueueBuffer", QueueBuffer, anything}, // in a container
	{"commit ", CompositorCommit, numbered},
	{"composite ", CompositorComposite, numbered},
	{"dequeueBuffer - ", DequeueBuffer, anything},
	{"jitterNanos", Jitter, ends},
	{"onMessageInvalidate", AndroidFrame, endsWord},
	{"onMessageRefresh", AndroidFrame, endsWord},
	{"performTraversals", AndroidFrame, endsWord},
})

// vocabulary has spellings by a hash of their first startSize letters, in their order.
type vocabulary [1 << 8][]spelling

func newVocabulary(spellings []spelling) *vocabulary {
	v := new(vocabulary)
	for _, s := range spellings {
		hash := hashStart([]byte(s.prefix))
		v[hash] = append(v[hash], s)
	}
	return v
}

// startSize is at most the size of the shortest prefix.
const startSize = 4

func hashStart(text []byte) byte { return byte(binary.LittleEndian.Uint32(text) * 0x9e3779b1 >> 24) }

// recognize returns the word that a text spells, or Other.
func (v *vocabulary) recognize(text []byte) Word {
	if len(text) < startSize {
		return Other
	}
	list := v[hashStart(text)]
	for i := range list {
		s := &list[i]
		if len(text) >= len(s.prefix) && string(text[:len(s.prefix)]) == s.prefix && s.accept(text[len(s.prefix):]) {
			return s.word
		}
	}
	return Other
}

// word returns the word that the marker's name spells.
func (m *Marker) word() Word {
	if label := m.findLabel(); label != nil {
		if at := len(m.Name) - len(label); at <= math.MaxUint8 {
			m.label = uint8(at)
		}
		word := spellings.recognize(label)
		switch {
		case word != Other:
		case m.Phase == Begin && bytes.HasSuffix(label, requestSuffix):
			return VsyncRequested
		case m.Phase == AsyncBegin || m.Phase == AsyncEnd:
			return recognizeScene(label)
		}
		return word
	}
	return androidSpellings.recognize(m.Name)
}

// requestSuffix follows the name of the connection in a VsyncRequested marker.
var requestSuffix = []byte("_RequestNextVSync")

// recognizeScene recognizes an asynchronous slice by the form of its name: capital letters,
// digits and underscores, a letter first. render_service writes the bundle after it.
func recognizeScene(label []byte) Word {
	n := 0
	for n < len(label) && (label[n] >= 'A' && label[n] <= 'Z' || n > 0 && (isDigit(label[n]) || label[n] == '_')) {
		n++
	}
	switch rest := label[n:]; {
	case n < 2:
	case len(rest) == 0:
		return Scene
	case bytes.HasPrefix(rest, []byte(", ")):
		return RenderScene
	}
	return Other
}

func anything([]byte) bool { return true }

func ends(rest []byte) bool { return len(rest) == 0 }

func numbered(rest []byte) bool { return len(rest) > 0 && isDigit(rest[0]) }

// isQueueCall reports whether a marker is that of the call on a queue: up to 4.1 it has no
// more than the name, since 5.0 the queue, too. "AcquireBuffer with PresentTimestamp name:…"
// is around "AcquireBuffer name:…".
func isQueueCall(rest []byte) bool {
	return len(rest) == 0 || bytes.HasPrefix(rest, []byte(" name:"))
}

// endsWord reports whether rest does not go on with the same word.
func endsWord(rest []byte) bool {
	if len(rest) == 0 {
		return true
	}
	c := rest[0]
	return c != '_' && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z')
}

// carriesRate reports whether CommitLayers is the commit itself. On 6.1 the render
// thread's request for it is "CommitLayers screenId:0", without a rate.
func carriesRate(rest []byte) bool {
	_, ok := field(rest, "rate")
	return ok
}

// isCommit reports whether a slice is the commit. 4.1 writes another one about the
// commit's delay.
func isCommit(rest []byte) bool {
	return endsWord(rest) && !bytes.Contains(rest, []byte("expectCommitTime"))
}

// isStep returns a condition: the arguments of a slice, " | key=value | key=value", name one of
// the given steps.
func isStep(steps ...string) func([]byte) bool {
	return func(rest []byte) bool {
		for _, step := range steps {
			if i := bytes.Index(rest, []byte(" "+step)); i >= 0 && endsWord(rest[i+1+len(step):]) {
				return true
			}
		}
		return false
	}
}
