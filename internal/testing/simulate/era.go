package simulate

// mark is one of the markers that the simulated processes write.
type mark int

const (
	receiveVsync mark = iota
	onVsyncEvent
	uiTask
	layoutTask
	flushMessages
	sendCommands
	uiSkip
	marshTransaction
	marshLayers
	unmarshTransaction
	doComposition
	processCommands
	animate
	renderFrame
	skipDraw
	skipCommit
	postLayers
	commitLayers
	setMode
	repaint
	acquireFence
	recordPresent
	fencePending
	fenceSignaled
	fenceWait
	vsyncCount
	sendVsync
	uvTrace
	frameQueued
	bufferRequest
	bufferReuse
	bufferTag
	bufferFlush
	bufferDoFlush
	bufferListener
	bufferAcquireFor
	bufferAcquire
	bufferAcquired
	bufferTaken
	bufferDrop
	bufferDropped
	bufferRelease
	nativeFlush
	directly
	markCount
)

// levels are the ends that markers have where the payload grammar knows them:
// a level (info, commercial) and the numbers of the tags.
var levels = [markCount]string{
	receiveVsync: "M0538", onVsyncEvent: "I39", uiTask: "M0539", layoutTask: "I39",
	flushMessages: "I39", sendCommands: "M0538", uiSkip: "M0538",
	marshTransaction: "M0538", marshLayers: "M0538", unmarshTransaction: "M0538",
	doComposition: "I38", processCommands: "M0538", animate: "M0538",
	renderFrame: "M0538", skipDraw: "M0538", skipCommit: "M0538", postLayers: "M0538",
	commitLayers: "M0538", setMode: "M0538", repaint: "I38",
	acquireFence: "I38", recordPresent: "M0538",
	fencePending: "I38", fenceSignaled: "I38", fenceWait: "I38",
	vsyncCount: "M0538", sendVsync: "M0538", uvTrace: "I39", frameQueued: "M0538",
	bufferRequest: "M0538", bufferReuse: "M0538", bufferTag: "M0538", bufferFlush: "M0538",
	bufferDoFlush: "M0538", bufferListener: "M0538", bufferAcquireFor: "M0538", bufferAcquire: "M0538",
	bufferAcquired: "M0538", bufferTaken: "M0538", bufferDrop: "M0538", bufferDropped: "M0538", bufferRelease: "M0538",
	nativeFlush: "M0538", directly: "M0538",
}

// grammar is the grammar of a marker's payload.
type grammar struct {
	nameEnd   string // follows the name of a slice
	separator string // between a name and its id or value
	leveled   bool   // a marker ends with its level
}

var (
	spaced     = grammar{nameEnd: " ", separator: " "}  // 5.0.3
	barred     = grammar{nameEnd: " ", separator: "|"}  // 5.1.0
	withLevels = grammar{separator: "|", leveled: true} // 6.0 on
)

// era is the spelling of a release. Braces are fields.
type era struct {
	name string
	grammar
	markEvent string // the name of the event that carries markers

	text   [markCount]string // text after `H:`; empty: not written
	levels [markCount]string

	stampedThread bool // transactions name their thread and vsync time

	commitThread   string // comm of the thread that commits
	presentTracker string // name of the present fence and of its thread

	queueFences    bool // the acquire fence is tracked where the queue is
	producerFences bool // or where the producer is
	dropEncloses   bool // the slice DropFrame lasts until it is released
}

// eras lists all spellings from the oldest to the newest, each as a change of the one
// before. Traces of older ones are stored beside the tests of analyzer/internal/reconstruct. Releases are OpenHarmony's; "dev" are states between two releases, from which
// commercial systems branch.
var eras = makeEras()

func makeEras() []*era {
	var list []*era
	e := era{grammar: spaced, levels: levels, markEvent: "tracing_mark_write"}
	release := func(name string) {
		next := e
		next.name = name
		list = append(list, &next)
	}

	e.text = [markCount]string{
		receiveVsync:       "ReceiveVsync dataCount: {bytes}bytes now: {now} expectedEnd: {end} vsyncId: {id}, fd:{fd}",
		onVsyncEvent:       "OnVsyncEvent now:{now}",
		uiTask:             "UIVsyncTask[timestamp:{now}][vsyncID:{id}]",
		layoutTask:         "FlushLayoutTask",
		flushMessages:      "FlushMessages",
		sendCommands:       "SendCommands",
		marshTransaction:   "MarshRSTransactionData cmdCount:{count} transactionFlag:[{pid},{index}]",
		unmarshTransaction: "UnMarsh RSTransactionData: recv data from {pid}",
		doComposition:      "RSMainThread::DoComposition: {now}",
		processCommands:    "RSMainThread::ProcessCommandUni",
		animate:            "Animate",
		renderFrame:        "RenderFrame",
		skipDraw:           "DisplayNode skip",
		skipCommit:         "DisplayNodeSkip skip commit",
		commitLayers:       "RSHardwareThread::CommitAndReleaseLayers rate: {rate}, now: {now}, vsyncId: {id}, size: {size}",
		setMode:            "RSHardwareThread::PerformSetActiveMode setting active mode. rate: {rate}",
		repaint:            "Repaint",
		acquireFence:       "Acquire Fence {count} has signaled",
		fencePending:       "{name} {count}",
		fenceSignaled:      "{name} {count} has signaled",
		fenceWait:          "Waiting for {name} {count}",
		vsyncCount:         "GenerateVsyncCount:{count}, period:{period}, currRefreshRate_:{rate}, vsyncMode_:1",
		uvTrace:            "UV_TRACE",
		frameQueued:        "M: Frame queued",
		bufferRequest:      "RequestBuffer name: {name} queueId: {id} queueSize: {size}",
		bufferReuse:        "ReuseBuffer config width: 1280 height: 720 usage: 1800 format: 12 id: {index}",
		bufferTag:          "{name}:{index}",
		bufferFlush:        "FlushBuffer name: {name} queueId: {id} sequence: {index}",
		bufferDoFlush:      "DoFlushBuffer name: {name} queueId: {id} seq: {index}",
		bufferListener:     "CallConsumerListener",
		bufferAcquireFor:   "AcquireBuffer with PresentTimestamp name: {name} queueId: {id} queueSize: {size}expectPresentTimestamp: {now}",
		bufferAcquire:      "AcquireBuffer name: {name} queueId: {id}",
		bufferAcquired:     "acquire buffer sequence: {index} desiredPresentTimestamp: {end} isAotuTimestamp: 1",
		bufferTaken:        "RsDebug surfaceHandler(id: {count}) AcquireBuffer success, acquireTimeStamp = {now}, buffer timestamp = 0, seq = {index}.",
		bufferDrop:         "DropFrame",
		bufferDropped:      "DropBuffer name: {name} queueId: {id} ,buffer seq: {index} , buffer desiredPresentTimestamp: {end} acquire expectPresentTimestamp: {now}",
		bufferRelease:      "ReleaseBuffer name: {name} queueId: {id} seq: {index}",
		directly:           "DoDirectComposition",
	}
	e.commitThread, e.presentTracker = "RSHardwareThrea", "Present Fence"
	e.queueFences, e.dropEncloses = true, true
	release("5.0.3")

	e.grammar = barred
	e.text[receiveVsync] = "ReceiveVsync name:{name} dataCount: {bytes}bytes now: {now} expectedEnd: {end} vsyncId: {id}, fd:{fd}"
	e.text[skipDraw] = "DisplayNode skip, isForceCommitLayer: 0"
	e.text[bufferRequest] = "RequestBuffer name: {name} queueId: {id} queueSize: {size} reserveSlotNum: 0"
	e.text[commitLayers] = "RSHardwareThread::CommitAndReleaseLayers rate: {rate}, now: {now}, vsyncId: {id}, size: {size}, Names:{name}"
	release("5.1.0")

	e.grammar = withLevels
	e.markEvent = "print"
	release("harmonyos-5.1")

	e.text[marshTransaction] = "MarshRSTransactionData cmdCount: {count}, transactionFlag:[{pid}, {tid}, {index}], timestamp:{now}"
	e.stampedThread = true
	release("dev-2025-04")

	e.markEvent = "tracing_mark_write"
	e.text[sendCommands] = "SendCommands, rsUIContext_:{count}"
	e.text[uiSkip] = "UI skip"
	e.text[marshTransaction] = "MarshRSTransactionData cmdCount: {count}, transactionFlag:[{pid},{index}], timestamp:{now}"
	e.stampedThread = false
	e.text[skipDraw] = "DisplayNode skip, forceCommitReason: 0"
	e.text[commitLayers] = "CommitLayers rate:{rate},now:{now},vsyncId:{id},size:{size},Names:{name}"
	e.text[setMode] = ""
	e.text[nativeFlush] = "NativeWindowFlushBuffer"
	e.text[bufferTaken] = "RsDebug surfaceHandler(id: {count}) AcquireBuffer success, parentNodeId = {bytes}, acquireTimeStamp = {now}, buffer timestamp = 0, seq = {index}."
	e.queueFences, e.producerFences, e.dropEncloses = false, true, false
	release("6.0-novulkan")

	e.text[marshTransaction] = "MarshRSTransactionData cmdCount: {count}, transactionFlag:[{pid},{index}], tid:{tid}, timestamp:{now}"
	e.stampedThread = true
	release("6.0")

	e.text[receiveVsync] = "ReceiveVsync name:{name} dataCount: {bytes}bytes now:{now} expectedEnd: {end} vsyncId:{id}, fd:{fd}"
	e.text[vsyncCount] = "GenerateVsyncCount:{count}, period:{period}, currRefreshRate:{rate}, vsyncMode:1, now:{now}"
	e.text[sendVsync] = "SendVsyncTo conn: {name}, now:{now}, refreshRate:0"
	e.text[postLayers] = "CommitLayers screenId:0"
	e.text[commitLayers] = "CommitLayers screenId:0, rate:{rate}, now:{now}, vsyncId:{id},         size:{size}, taskNum:1 Names:{name}"
	e.levels[repaint] = "M0538"
	e.commitThread, e.presentTracker = "CompThread_0", "PresentFence_0"
	release("6.1")

	e.markEvent = "print"
	e.text[skipDraw] = "ScreenNode skip, forceCommitReason: 0"
	e.text[commitLayers] = "CommitLayers rate:{rate},now:{now},vsyncId:{id},size:{size},Names:{name}"
	e.text[recordPresent] = "RecordPresentFd vsyncId:{id}, presentFd:{fd}"
	e.text[bufferAcquireFor] = "AcquireBuffer with PresentTimestamp name: {name} queueId: {id} queueSize: {size},expectPresentTimestamp: {now}"
	e.text[bufferAcquired] = "acquire buffer sequence: {index} desiredPresentTimestamp: {end} isAutoTimestamp: 1"
	release("harmonyos-6.1")

	e.markEvent = "tracing_mark_write"
	e.text[uiTask] = "UIVsyncTask[timestamp:{now}][vsyncID:{id}][instanceID:{count}]"
	e.text[skipCommit] = "ScreenNodeSkip skip commit"
	e.text[commitLayers] = "CommitLayers rate:{rate},now:{now},vsyncId:{id},size:{size}"
	e.text[recordPresent] = ""
	e.text[bufferTaken] = "RsDebug surfaceHandler(id: {count}) AcquireBuffer success, parentNodeId = {bytes}, acquireTimeStamp = {now}, buffer timestamp = 0, seq = {index}. uniqueId = {id}."
	e.text[marshLayers] = "MarshRSLayerTransactionData cmdCount: {count}, transactionFlag:[{pid}, {index}], timestamp:{now}"
	release("master")

	return list
}

func findEra(name string) *era {
	for _, e := range eras {
		if e.name == name {
			return e
		}
	}
	return nil
}

// Eras returns the names of the known spellings from the oldest to the newest.
func Eras() []string {
	var names []string
	for _, e := range eras {
		names = append(names, e.name)
	}
	return names
}
