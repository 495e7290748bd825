package perfetto

import (
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/analyzer/why/place"
	"ohframe/internal/annotation"
)

// explanation is what a note says about where the time of a frame went, and why the
// frame was late.
type explanation struct {
	outcome    why.Outcome
	confidence why.Confidence
	basis      why.Basis
	parts      []why.Part
	shares     []share
}

// share is a cause, without the names of its culprit. The frame that the thread was busy
// with is known by its start.
type share struct {
	why.Share
	earlier trace.Time
}

// explained is a frame with a note.
type explained struct {
	*analyzer.Frame
	note *explanation
}

// Values of enumerations by their codes. Codes of later versions are zero values.
var (
	stages      = byCode[place.Stage](place.StageCount)
	waits       = byCode[place.Wait](place.WaitCount)
	advices     = byCode[place.Advice](place.AdviceCount)
	outcomes    = byCode[why.Outcome](int(why.NotKnown) + 1)
	bases       = byCode[why.Basis](int(why.Budget) + 1)
	confidences = byCode[why.Confidence](4)
)

// byCode returns the first n values of an enumeration by their codes. Of several with
// one code, it has the first.
func byCode[T interface {
	~uint8
	String() string
}](n int) map[string]T {
	m := make(map[string]T, n)
	for i := n - 1; i >= 0; i-- {
		m[T(i).String()] = T(i)
	}
	return m
}

// partNamed returns the stage and the wait of a name of annotation.StageWait.
func partNamed(name string) (part why.Part, ok bool) {
	stage, wait, ok := annotation.ParseStageWait(name)
	if !ok {
		return part, false
	}
	part.Stage, ok = stages[stage]
	if !ok {
		return part, false
	}
	part.Wait, ok = waits[wait]
	return part, ok
}

// mayKeep counts a part or a share. It returns false over the limit.
func (n *notes) mayKeep() bool {
	if n.causes >= n.limits.States {
		n.over.States++
		return false
	}
	n.causes++
	return true
}

// readParts decodes annotation.Waits.
func (n *notes) readParts(to *explanation, b []byte) bool {
	return eachMessage(b, annotationEntry, func(b []byte) bool {
		v, ok := n.value(b)
		part, known := n.parts[nameOf(b)]
		if known && v.number > 0 && v.number <= trace.MaxTime && n.mayKeep() {
			part.Time = trace.Duration(v.number)
			to.parts = append(to.parts, part)
		}
		return ok
	})
}

// readShares decodes annotation.Causes.
func (n *notes) readShares(to *explanation, b []byte) bool {
	return eachMessage(b, annotationElement, func(b []byte) bool {
		var s share
		ok := eachMessage(b, annotationEntry, func(b []byte) bool {
			v, ok := n.value(b)
			if set := shareSetters[n.names[nameOf(b)]]; set != nil {
				set(&s, v)
			}
			return ok
		})
		if n.mayKeep() {
			to.shares = append(to.shares, s)
		}
		return ok
	})
}

// nanoseconds returns the value as a length of time, zero if it is out of range.
func (v value) nanoseconds() trace.Duration { return trace.Duration(v.time()) }

// id returns the value as the id of a process or thread, zero if it is out of range.
func (v value) id() int32 {
	if v.number < 0 || v.number > 1<<31-1 {
		return 0
	}
	return int32(v.number)
}

// who returns the culprit of a share. The first call adds it.
func (s *share) who() *why.Culprit {
	if s.Culprit == nil {
		s.Culprit = &why.Culprit{PID: trace.UnknownPID, Sure: true}
	}
	return s.Culprit
}

// shareSetters are the annotations of a cause that are read back.
var shareSetters = map[annotation.Key]func(*share, value){
	annotation.EntryWait:           func(s *share, v value) { s.Wait = waits[v.text] },
	annotation.EntryStage:          func(s *share, v value) { s.Stage = stages[v.text] },
	annotation.EntrySlice:          func(s *share, v value) { s.Slice = v.text },
	annotation.EntryFunction:       func(s *share, v value) { s.Function = v.text },
	annotation.EntryGCReason:       func(s *share, v value) { s.Reason = v.text },
	annotation.EntryCores:          func(s *share, v value) { s.Cores = v.text },
	annotation.EntryFrequency:      func(s *share, v value) { s.Frequency = max(v.number, 0) },
	annotation.EntryUsualFrequency: func(s *share, v value) { s.UsualFrequency = max(v.number, 0) },
	annotation.EntryValue:          func(s *share, v value) { s.Value = v.nanoseconds() },
	annotation.EntryUsual:          func(s *share, v value) { s.Usual = v.nanoseconds() },
	annotation.EntryShare:          func(s *share, v value) { s.Share.Share = v.nanoseconds() },
	annotation.EntrySliceValue:     func(s *share, v value) { s.SliceValue = v.nanoseconds() },
	annotation.EntrySliceUsual:     func(s *share, v value) { s.SliceUsual = v.nanoseconds() },
	annotation.EntryEarlierAt:      func(s *share, v value) { s.earlier = v.time() },
	annotation.CulpritPID:          func(s *share, v value) { s.who().PID = trace.PID(v.id()) },
	annotation.CulpritTID:          func(s *share, v value) { s.who().TID = trace.TID(v.id()) },
	annotation.CulpritWait:         func(s *share, v value) { s.who().Wait = waits[v.text] },
	annotation.CulpritSlice:        func(s *share, v value) { s.who().Slice = v.text },
	annotation.CulpritTime:         func(s *share, v value) { s.who().Time = v.nanoseconds() },
	annotation.CulpritUnsure:       func(s *share, v value) { s.who().Sure = v.number == 0 },
	annotation.Advice:              func(s *share, v value) { s.Advice = advices[v.text] },
}

// causes returns the explanations of frames, nil if the trace has none.
func (a *assembly) causes(attributes *attributes, t *analyzer.Timeline) *why.Causes {
	if !attributes.causes {
		return nil
	}
	type start struct {
		process *analyzer.Process
		tid     trace.TID
		at      trace.Time
	}
	frames := map[start]*analyzer.Frame{}
	for _, f := range a.explained {
		frames[start{f.Process, f.TID, f.Actual.Start}] = f.Frame
	}
	var list []*why.Explanation
	for _, f := range a.explained {
		e := f.note.restore(f.Frame)
		if e == nil {
			continue
		}
		for i := range e.Shares {
			s, note := &e.Shares[i], &f.note.shares[i]
			if s.Wait == place.EarlierFrame || s.Wait == place.WaitRender {
				s.Earlier = frames[start{f.Process, f.TID, note.earlier}]
			}
			if s.Wait == place.EarlierFrame && s.Earlier == nil {
				s.Wait = place.WaitUnknown // the frame is not in the trace
			}
		}
		list = append(list, e)
	}
	c := why.Restore(t, list)
	c.Scheduled = strings.Contains(attributes.evidence, "switches")
	c.Woken = strings.Contains(attributes.evidence, "wakeups")
	c.Functions = strings.Contains(attributes.evidence, "functions")
	return c
}

// restore returns the explanation of a frame, without what concerns other frames and
// threads. It is nil if the note has none, or an impossible one.
func (n *explanation) restore(f *analyzer.Frame) *why.Explanation {
	if len(n.parts) == 0 {
		return nil
	}
	e := &why.Explanation{Frame: f, End: f.End(), Parts: n.parts}
	e.Start = e.End
	for _, p := range n.parts {
		if int64(p.Time) > int64(e.Start) {
			return nil
		}
		e.Start = e.Start.Add(-p.Time)
		if p.Wait == place.WaitUnknown {
			e.Unknown += p.Time
		}
	}
	if e.Overrun = f.Overrun(); e.Overrun == 0 {
		return e
	}
	e.Outcome, e.Confidence, e.Basis = n.outcome, n.confidence, n.basis
	left := e.Overrun
	for i := range n.shares {
		s := &n.shares[i].Share
		if s.Share > left {
			break
		}
		left -= s.Share
		e.Shares = append(e.Shares, *s)
	}
	if left != 0 || len(e.Shares) == 0 {
		e.Shares, e.Outcome = nil, why.NotKnown
	}
	return e
}
