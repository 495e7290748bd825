package perfetto

import (
	"bytes"
	"math"

	"ohframe/analyzer"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/analyzer/why/place"
	"ohframe/internal/annotation"
)

// Field numbers of the messages in which ohframe writes annotations.
const (
	descriptorUUID    = 1 // of TrackDescriptor
	descriptorName    = 2
	descriptorProcess = 3
	descriptorParent  = 5
	descriptorPID     = 1 // ProcessDescriptor.pid

	eventAnnotation = 4 // of TrackEvent
	eventType       = 9
	eventTrack      = 11
	eventSliceBegin = 1 // TrackEvent.TYPE_SLICE_BEGIN

	internedAnnotations = 3  // InternedData.debug_annotation_names
	internedTexts       = 29 // InternedData.debug_annotation_string_values
	internedID          = 1  // of DebugAnnotationName and InternedString
	internedName        = 2

	annotationName    = 1 // DebugAnnotation.name_iid
	annotationBool    = 2
	annotationInt     = 4
	annotationDouble  = 5
	annotationEntry   = 11 // DebugAnnotation.dict_entries
	annotationElement = 12 // DebugAnnotation.array_values
	annotationText    = 17 // DebugAnnotation.string_value_iid
)

// framesTrack is the name of a track with a slice for each frame. More tracks of the
// same process are called framesTrack, blank, and something in parentheses.
const framesTrack = "Frames"

// notes are the annotations of frames on ohframe's own tracks: facts that Android's
// frame timeline cannot express.
type notes struct {
	limits   limits.Limits
	over     *Over
	names    map[uint64]annotation.Key // by the interned ids of the annotations' names
	parts    map[uint64]why.Part       // of annotation.Waits, by the ids of their names
	texts    map[uint64]string         // by their interned ids
	pids     map[uint64]trace.PID
	frames   map[uint64]bool // the tracks with a slice for each frame
	list     map[noteKey]*note
	elements int // of the lists in all notes together
	causes   int // parts and shares in all notes together
}

// noteKey identifies the frame of a note.
type noteKey struct {
	kind  analyzer.Kind
	pid   trace.PID
	tid   trace.TID // of an application frame's thread; zero for render frames
	token int64
	start trace.Time
}

// note has the annotations of a frame's slice.
type note struct {
	tid                       trace.TID
	vsyncID, token            int64
	coalesced                 int64
	expected, vsync, deadline trace.Time
	period                    trace.Duration
	facts                     analyzer.Facts
	transactions, alsoTakenBy []int64
	sentAt                    trace.Time
	layer                     *analyzer.LayerLatency // of a frame from dumpsys SurfaceFlinger --latency
	render                    bool                   // the frame is a render frame
	draw, gpu, commit         extent
	commitEstimated           bool
	present                   trace.Time
	presentEstimated          bool
	cause                     explanation
}

// extent is an interval whose length may be unknown.
type extent struct {
	start  trace.Time
	length trace.Duration
	known  bool // of the length
}

func (e extent) interval() analyzer.Interval {
	if !e.start.Known() || !e.known {
		return analyzer.Interval{Start: e.start}
	}
	return analyzer.Interval{Start: e.start, End: e.start.Add(e.length)}
}

func newNotes(l limits.Limits, over *Over) notes {
	return notes{
		limits: l, over: over, names: map[uint64]annotation.Key{}, parts: map[uint64]why.Part{}, texts: map[uint64]string{},
		pids: map[uint64]trace.PID{}, frames: map[uint64]bool{}, list: map[noteKey]*note{},
	}
}

// add decodes a track's descriptor or a track event. It returns false if that is
// malformed.
func (n *notes) add(p *packet) bool {
	if p.kind == packetTrackDescriptor {
		return n.track(p.payload)
	}
	return n.intern(p.interned) && n.event(p.timestamp, p.payload)
}

// intern decodes the names of annotations and the texts that they share.
func (n *notes) intern(b []byte) bool {
	whole := true
	ok := eachField(b, func(f field) {
		if f.number != internedAnnotations && f.number != internedTexts {
			return
		}
		var id uint64
		var text []byte
		whole = eachField(f.bytes, func(f field) {
			switch f.number {
			case internedID:
				id = f.value
			case internedName:
				text = f.bytes
			}
		}) && whole
		if f.number == internedTexts {
			n.internText(id, text)
		} else {
			n.internName(id, text)
		}
	})
	return ok && whole
}

func (n *notes) internName(id uint64, name []byte) {
	if key := annotation.Named(string(name)); key != 0 {
		if len(n.names) < len(annotation.All()) {
			n.names[id] = key
		}
		return
	}
	if part, ok := partNamed(string(name)); ok && len(n.parts) < place.StageCount*place.WaitCount {
		n.parts[id] = part
	}
}

func (n *notes) internText(id uint64, text []byte) {
	if len(n.texts) >= n.limits.Strings {
		n.over.Strings++
		return
	}
	n.texts[id] = truncated(text, maxName)
}

// track decodes a track's descriptor. A track belongs to the process of its parent
// track.
func (n *notes) track(b []byte) bool {
	var uuid, parent uint64
	var name, process []byte
	ok := eachField(b, func(f field) {
		switch f.number {
		case descriptorUUID:
			uuid = f.value
		case descriptorParent:
			parent = f.value
		case descriptorName:
			name = f.bytes
		case descriptorProcess:
			process = f.bytes
		}
	})
	pid, known := n.pids[parent]
	if process != nil {
		ok = eachField(process, func(f field) {
			if f.number == descriptorPID {
				pid, known = trace.PID(int32(f.value)), true
			}
		}) && ok
	}
	ours := bytes.Equal(name, []byte(framesTrack)) || bytes.HasPrefix(name, []byte(framesTrack+" ("))
	if !ok || !known || process == nil && !ours {
		return ok
	}
	if len(n.pids) >= 2*n.limits.Threads { // tracks of processes, and of threads below them
		n.over.Threads++
		return true
	}
	n.pids[uuid] = pid
	n.frames[uuid] = ours
	return true
}

// event decodes a track event, and keeps it if it is the begin of a frame's slice.
func (n *notes) event(at uint64, b []byte) bool {
	var track, kind uint64
	if !eachField(b, func(f field) {
		switch f.number {
		case eventTrack:
			track = f.value
		case eventType:
			kind = f.value
		}
	}) {
		return false
	}
	if !n.frames[track] || kind != eventSliceBegin || at == 0 || at > trace.MaxTime {
		return true
	}
	if len(n.list) >= n.limits.Frames {
		n.over.Frames++
		return true
	}
	pid := n.pids[track]
	read := &note{tid: trace.TID(pid)}
	whole := eachMessage(b, eventAnnotation, func(b []byte) bool { return n.annotation(read, b) })
	if read.token == 0 {
		read.token = read.vsyncID
	}
	key := noteKey{pid: pid, tid: read.tid, token: read.token, start: trace.Time(at)}
	if read.render {
		key.kind, key.tid = analyzer.RenderFrame, 0
	}
	n.list[key] = read
	return whole
}

// annotation decodes an annotation into the note. It returns false if that is
// malformed.
func (n *notes) annotation(to *note, b []byte) bool {
	key := n.names[nameOf(b)]
	switch key {
	case annotation.Waits:
		return n.readParts(&to.cause, b)
	case annotation.Causes:
		return n.readShares(&to.cause, b)
	}
	v, ok := n.value(b)
	if set := setters[key]; set != nil {
		set(to, v)
	}
	return ok
}

// nameOf returns the interned id of an annotation's name.
func nameOf(b []byte) (id uint64) {
	eachField(b, func(f field) {
		if f.number == annotationName {
			id = f.value
		}
	})
	return id
}

// value decodes the value of an annotation. It returns false if that is malformed.
func (n *notes) value(b []byte) (v value, ok bool) {
	whole := true
	ok = eachField(b, func(f field) {
		switch f.number {
		case annotationBool, annotationInt:
			v.number = int64(f.value)
		case annotationDouble:
			v.decimal = math.Float64frombits(f.value)
		case annotationText:
			v.text = n.texts[f.value]
		case annotationElement:
			var element int64
			whole = eachField(f.bytes, func(f field) {
				if f.number == annotationInt {
					element = int64(f.value)
				}
			}) && whole
			if n.elements == n.limits.Records {
				n.over.Records++
				return
			}
			n.elements++
			v.list = append(v.list, element)
		}
	})
	return v, ok && whole
}

// value is the value of an annotation of any type.
type value struct {
	number  int64
	decimal float64
	text    string
	list    []int64
}

// time returns the value as a point in time, zero if it is out of range.
func (v value) time() trace.Time {
	if v.number < 0 || v.number > trace.MaxTime {
		return 0
	}
	return trace.Time(v.number)
}

// duration converts the value from milliseconds, zero if it is out of range.
func (v value) duration() trace.Duration {
	ns := math.Round(v.decimal * float64(trace.Millisecond))
	if !(math.Abs(ns) <= trace.MaxTime) {
		return 0
	}
	return trace.Duration(ns)
}

// setter stores the value of an annotation in a note.
type setter func(*note, value)

// setters are the annotations that are read back. The others are derived.
var setters = map[annotation.Key]setter{
	annotation.VsyncID:          func(n *note, v value) { n.vsyncID = max(0, v.number) },
	annotation.Token:            func(n *note, v value) { n.token = v.number },
	annotation.TID:              func(n *note, v value) { n.tid = trace.TID(max(0, min(v.number, math.MaxInt32))) },
	annotation.ExpectedAt:       func(n *note, v value) { n.expected = v.time() },
	annotation.VsyncAt:          func(n *note, v value) { n.vsync = v.time() },
	annotation.DeadlineAt:       func(n *note, v value) { n.deadline = v.time() },
	annotation.Period:           func(n *note, v value) { n.period = max(0, v.duration()) },
	annotation.Coalesced:        func(n *note, v value) { n.coalesced = max(0, min(v.number, math.MaxInt32)) },
	annotation.MainLate:         func(n *note, v value) { n.facts |= analyzer.MainLate },
	annotation.GPULate:          func(n *note, v value) { n.facts |= analyzer.GPULate },
	annotation.Empty:            func(n *note, v value) { n.facts |= analyzer.Empty },
	annotation.Misaligned:       func(n *note, v value) { n.facts |= analyzer.Misaligned },
	annotation.Transactions:     func(n *note, v value) { n.transactions = v.list },
	annotation.SentAt:           func(n *note, v value) { n.sentAt = v.time() },
	annotation.AlsoTakenBy:      func(n *note, v value) { n.alsoTakenBy = v.list },
	annotation.WantedAt:         func(n *note, v value) { n.layer = &analyzer.LayerLatency{Wanted: v.time()} },
	annotation.WantedUnknown:    func(n *note, v value) { n.layer = &analyzer.LayerLatency{} },
	annotation.Applications:     func(n *note, v value) { n.render = true },
	annotation.DrawAt:           func(n *note, v value) { n.draw.start = v.time() },
	annotation.Draw:             func(n *note, v value) { n.draw.length, n.draw.known = v.duration(), true },
	annotation.GPUAt:            func(n *note, v value) { n.gpu.start = v.time() },
	annotation.GPU:              func(n *note, v value) { n.gpu.length, n.gpu.known = v.duration(), true },
	annotation.CommitAt:         func(n *note, v value) { n.commit.start = v.time() },
	annotation.Commit:           func(n *note, v value) { n.commit.length, n.commit.known = v.duration(), true },
	annotation.CommitEstimated:  func(n *note, v value) { n.commitEstimated = true },
	annotation.PresentAt:        func(n *note, v value) { n.present = v.time() },
	annotation.PresentEstimated: func(n *note, v value) { n.presentEstimated = true },
	annotation.Verdict:          func(n *note, v value) { n.cause.outcome = outcomes[v.text] },
	annotation.Confidence:       func(n *note, v value) { n.cause.confidence = confidences[v.text] },
	annotation.Basis:            func(n *note, v value) { n.cause.basis = bases[v.text] },
}
