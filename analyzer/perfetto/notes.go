package perfetto

import (
	"bytes"
	"math"

	"ohframe/analyzer"
	"ohframe/analyzer/limits"
	"ohframe/analyzer/trace"
	"ohframe/internal/annotation"
)

// Field numbers of track events, of those that ohframe writes.
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

	internedAnnotations = 3 // InternedData.debug_annotation_names
	internedID          = 1 // of DebugAnnotationName
	internedName        = 2

	annotationName    = 1 // DebugAnnotation.name_iid
	annotationInt     = 4
	annotationDouble  = 5
	annotationElement = 12 // DebugAnnotation.array_values
)

// framesTrack is the name of the tracks with a slice for each frame, or what it
// begins with.
const framesTrack = "Frames"

// notes are what ohframe's own tracks say of frames, beside what Android's frame
// timeline has room for.
type notes struct {
	limits   limits.Limits
	over     *Over
	names    map[uint64]setter // what annotations mean, by the numbers of their names
	pids     map[uint64]trace.PID
	frames   map[uint64]bool // the tracks that have a slice for each frame
	list     map[noteKey]*note
	elements int // of the lists in all notes
}

// noteKey tells which frame a note is of.
type noteKey struct {
	kind  analyzer.Kind
	pid   trace.PID
	tid   trace.TID // of an application frame's thread; zero for render frames
	token int64
	start trace.Time
}

// note is what the annotations of a frame's slice say.
type note struct {
	tid                       trace.TID
	vsyncID, token            int64
	coalesced                 int64
	expected, vsync, deadline trace.Time
	period                    trace.Duration
	facts                     analyzer.Facts
	transactions, alsoTakenBy []int64
	sentAt                    trace.Time
	layer                     *analyzer.LayerLatency // of a frame from a dump of latencies
	render                    bool                   // of a render frame
	draw, gpu, commit         noted
	commitEstimated           bool
	present                   trace.Time
	presentEstimated          bool
}

// noted is an interval as it is noted: its length may not be known.
type noted struct {
	start  trace.Time
	length trace.Duration
	known  bool // of the length
}

func (n noted) interval() analyzer.Interval {
	if !n.start.Known() || !n.known {
		return analyzer.Interval{Start: n.start}
	}
	return analyzer.Interval{Start: n.start, End: n.start.Add(n.length)}
}

func newNotes(l limits.Limits, over *Over) notes {
	return notes{
		limits: l, over: over, names: map[uint64]setter{}, pids: map[uint64]trace.PID{}, frames: map[uint64]bool{},
		list: map[noteKey]*note{},
	}
}

// add takes a track's descriptor or an event, and reports whether it could be
// decoded.
func (n *notes) add(p *packet) bool {
	if p.kind == packetTrackDescriptor {
		return n.track(p.payload)
	}
	return n.intern(p.interned) && n.event(p.timestamp, p.payload)
}

// intern takes the names of annotations, which come once.
func (n *notes) intern(b []byte) bool {
	whole := true
	ok := eachField(b, func(f field) {
		if f.number != internedAnnotations {
			return
		}
		var id uint64
		var name []byte
		whole = eachField(f.bytes, func(f field) {
			switch f.number {
			case internedID:
				id = f.value
			case internedName:
				name = f.bytes
			}
		}) && whole
		if set := setters[annotation.Named(string(name))]; set != nil && len(n.names) < len(setters) {
			n.names[id] = set
		}
	})
	return ok && whole
}

// track takes the description of a track. A track belongs to the process of the
// one above it.
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
	if len(n.pids) >= 2*n.limits.Threads { // of processes, and of threads below them
		n.over.Threads++
		return true
	}
	n.pids[uuid] = pid
	n.frames[uuid] = ours
	return true
}

// event takes the begin of a frame's slice.
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
	if !n.frames[track] || kind != eventSliceBegin || at == 0 || at > maxTimestamp {
		return true
	}
	if len(n.list) >= n.limits.Frames {
		n.over.Frames++
		return true
	}
	pid := n.pids[track]
	this := &note{tid: trace.TID(pid)}
	whole := true
	eachField(b, func(f field) {
		if f.number == eventAnnotation {
			whole = n.annotation(this, f.bytes) && whole
		}
	})
	if this.token == 0 {
		this.token = this.vsyncID
	}
	key := noteKey{pid: pid, tid: this.tid, token: this.token, start: trace.Time(at)}
	if this.render {
		key.kind, key.tid = analyzer.RenderFrame, 0
	}
	n.list[key] = this
	return whole
}

// annotation takes a fact and reports whether it could be decoded.
func (n *notes) annotation(this *note, b []byte) bool {
	var name uint64
	var v value
	whole := true
	ok := eachField(b, func(f field) {
		switch f.number {
		case annotationName:
			name = f.value
		case annotationInt:
			v.number = int64(f.value)
		case annotationDouble:
			v.decimal = math.Float64frombits(f.value)
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
	if set := n.names[name]; set != nil {
		set(this, v)
	}
	return ok && whole
}

// value is what an annotation says.
type value struct {
	number  int64
	decimal float64
	list    []int64
}

// time returns a point in time, zero if it cannot be one.
func (v value) time() trace.Time {
	if v.number < 0 || v.number > maxTimestamp {
		return 0
	}
	return trace.Time(v.number)
}

// duration returns a length in milliseconds, zero if it cannot be one.
func (v value) duration() trace.Duration {
	ns := math.Round(v.decimal * float64(trace.Millisecond))
	if !(math.Abs(ns) <= maxTimestamp) {
		return 0
	}
	return trace.Duration(ns)
}

// setter notes what an annotation says.
type setter func(*note, value)

// setters are the annotations that are read back, by their names; the others
// follow from these.
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
}
