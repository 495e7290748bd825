package reconstruct

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// own finds the values of the measures that the user defined, by section 20 of docs/frames.md. It is a sink of its
// own, so that traces without such measures are read as if there were none.
type own struct {
	*shared
	measures []ownMeasure
	workers  []ownScan
	// lengths: a measure needs the ends of slices. Then open are the slices of each thread, and async those of
	// asynchronous ones.
	lengths bool
	open    map[trace.TID][]ownSlice
	async   map[ownAsync]*ownSlice
	// kept are the markers that are stored, and over those beyond the limit. Another sink has the diagnostics.
	kept, over int
}

// ownMeasure is a measure while events are read.
type ownMeasure struct {
	analyzer.OwnMeasure
	of       analyzer.OwnMarkers
	from, to markerName
	// points are the markers of the current trace that begin or end a time.
	points []ownPoint
	values []ownValue // with the ids of processes
}

type ownValue struct {
	analyzer.OwnValue
	pid    trace.PID
	length bool
}

type ownPoint struct {
	at        trace.Time
	pid       trace.PID
	end, lost bool // lost: no time goes on beyond this
}

// ownSlice is an open slice. Its marks are those of measures; most slices have none.
type ownSlice struct {
	marks   []ownMark
	at      trace.Time
	pid     trace.PID
	several bool // of an asynchronous one: another begins while it is open
}

type ownAsync struct {
	measure int
	name    string
	pid     trace.PID
	cookie  int64
}

// ownMark is a marker that a measure is of. With a negative measure, events were lost before it.
type ownMark struct {
	event, measure int
	to, bare       bool
	number         float64
	unit           string
}

// ownScan is what a worker finds in a block. next is the index of the first event of the next batch.
type ownScan struct {
	marks  []ownMark
	longer [][2]string // by measure
	next   int
}

// markerName is a name, or a pattern with *.
type markerName struct {
	parts []string // between the stars: one of a name
	ohos  bool     // it is given with H:
}

func newMarkerName(s string) markerName {
	rest, ohos := strings.CutPrefix(s, "H:")
	return markerName{strings.Split(rest, "*"), ohos}
}

// match reports whether a name is the whole name or fits the pattern, or else whether it is longer than the name. With
// prefix, it need only begin so, at the end of a word: then rest follows.
func (n *markerName) match(name []byte, prefix bool) (ok, longer bool, rest []byte) {
	name, found := bytes.CutPrefix(name, []byte(n.parts[0]))
	if !found {
		return false, false, nil
	}
	last := len(n.parts) - 1
	for i, part := range n.parts[1:] {
		if i+1 == last && !prefix {
			return bytes.HasSuffix(name, []byte(part)), false, nil
		}
		at := bytes.Index(name, []byte(part))
		if at < 0 {
			return false, false, nil
		}
		name = name[at+len(part):]
	}
	if prefix {
		return len(name) > 0 && (last > 0 && n.parts[last] == "" || !isWordByte(name[0])), false, name
	}
	return len(name) == 0, true, nil
}

func isWordByte(c byte) bool {
	return c == '_' || isDigit(c) || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

func newOwn(s *shared, texts []string, workers int) (*own, error) {
	o := &own{shared: s, workers: make([]ownScan, workers), open: map[trace.TID][]ownSlice{}, async: map[ownAsync]*ownSlice{}}
	list, markers, err := analyzer.ParseOwnMeasures(texts)
	if err != nil {
		return nil, err
	}
	for i, of := range markers {
		o.lengths = o.lengths || of.Key == "" && (of.To == "" || of.AtEnd)
		o.measures = append(o.measures, ownMeasure{OwnMeasure: list[i], of: of, from: newMarkerName(of.From), to: newMarkerName(of.To)})
	}
	for i := range o.workers {
		o.workers[i].longer = make([][2]string, len(texts))
	}
	return o, nil
}

func (o *own) sink() hitrace.Sink {
	return hitrace.Sink{
		Prepare: func(worker int, block *hitrace.Batch) { o.scan(&o.workers[worker], block.Events) },
		Begin:   o.end,
		Track:   func(worker int, batch *hitrace.Batch) { o.track(&o.workers[worker], batch.Events) },
		Write: func(worker int) error {
			for i, longer := range o.workers[worker].longer {
				m := &o.measures[i]
				m.LongerFrom, m.LongerTo = cmp.Or(m.LongerFrom, longer[0]), cmp.Or(m.LongerTo, longer[1])
			}
			clear(o.workers[worker].longer)
			return nil
		},
	}
}

// scan finds the markers of measures in a block.
func (o *own) scan(s *ownScan, events []hitrace.Event) {
	s.marks, s.next = s.marks[:0], 0
	for i := range events {
		e := &events[i]
		if e.Lost {
			s.marks = append(s.marks, ownMark{event: i, measure: -1})
		}
		switch e.Marker.Phase {
		case hitrace.NotAMarker, hitrace.End, hitrace.Sync, hitrace.TrackEnd:
			continue
		}
		if e.Outside {
			continue
		}
		name := e.Marker.Label()
		ohos := name != nil
		if !ohos {
			name = e.Marker.Name
		}
		for k := range o.measures {
			m := &o.measures[k]
			if m.of.Key != "" {
				if e.Marker.Phase != hitrace.AsyncEnd && (ohos || !m.from.ohos) {
					s.keyed(m, e, name, ownMark{event: i, measure: k})
				}
				continue
			}
			// The time that one marker ends may be followed by one that it begins.
			for _, to := range []bool{true, false} {
				n := &m.from
				if to {
					n = &m.to
				}
				if to && m.of.To == "" || n.ohos && !ohos {
					continue
				}
				ok, longer, _ := n.match(name, false)
				mark := ownMark{event: i, measure: k, to: to, number: float64(e.Marker.Value)}
				if at := &s.longer[k][index(to)]; ok {
					s.marks = append(s.marks, mark)
				} else if longer && *at == "" {
					*at = string(e.Marker.Name)
				}
			}
		}
	}
}

func index(to bool) int {
	if to {
		return 1
	}
	return 0
}

// keyed adds the number that follows a key in the text of a marker.
func (s *ownScan) keyed(m *ownMeasure, e *hitrace.Event, name []byte, mark ownMark) {
	// What follows a suffix such as "|I62" belongs to the text, but not to the name of the marker.
	text := name
	if at := cap(e.Args) - cap(name); at >= 0 && at+len(name) <= len(e.Args) && bytes.Equal(e.Args[at:at+len(name)], name) {
		text = e.Args[at:]
	}
	ok, _, rest := m.from.match(text, true)
	if !ok {
		return
	}
	key := []byte(m.of.Key)
	for {
		before, after, found := bytes.Cut(rest, key)
		if !found {
			break
		}
		if n := len(before); n == 0 && !isWordByte(text[len(text)-len(rest)-1]) || n > 0 && !isWordByte(before[n-1]) {
			var known bool
			mark.number, mark.unit, known = firstNumber(after)
			mark.bare = !known
			s.marks = append(s.marks, mark)
			return
		}
		rest = after
	}
}

// ownSeparators are what may stand before a number. After it there are other rules.
const ownSeparators = " \t()[]{}<>\"'=:;|"

// ownNumber is a number with its unit, which no other text follows at once.
var ownNumber = regexp.MustCompile(`^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?: ?([numµμ]?s(?:ec)?|min|h|%|[kKMGT]?i?B|bytes|[kMG]?Hz|fps|FPS|px|vp))?(?:['.:]?[\s)\]}>"|;]|['.:]?$)`)

// firstNumber returns the first number in a text, before a comma, and its unit if it has one. A text that begins like a
// number and goes on otherwise, such as 1_000, 0x1f, 12:30 or --5, has no number.
func firstNumber(text []byte) (x float64, unit string, ok bool) {
	text, _, _ = bytes.Cut(text, []byte(","))
	for {
		text = bytes.TrimLeft(text, ownSeparators)
		end := bytes.IndexAny(text, ownSeparators)
		if end < 0 {
			end = len(text)
		}
		switch {
		case len(text) == 0:
			return 0, "", false
		case !bytes.ContainsAny(text[:end], "0123456789"), isWordByte(text[0]) && !isDigit(text[0]):
			text = text[end:]
			continue
		}
		found := ownNumber.FindSubmatch(text)
		if found == nil {
			return 0, "", false
		}
		x, err := strconv.ParseFloat(string(found[1]), 64)
		return x, string(found[2]), err == nil
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// track adds the markers of a batch, in order.
func (o *own) track(s *ownScan, events []hitrace.Event) {
	first := s.next
	s.next += len(events)
	marks := s.marks
	for len(marks) > 0 && marks[0].event < first {
		marks = marks[1:]
	}
	if !o.lengths {
		for len(marks) > 0 && marks[0].event < s.next {
			o.add(&events[marks[0].event-first], marks[0])
			marks = marks[1:]
		}
		return
	}
	for i := range events {
		e := &events[i]
		n := 0
		for n < len(marks) && marks[n].event == first+i {
			n++
		}
		of := marks[:n]
		marks = marks[n:]
		if n > 0 && of[0].measure < 0 {
			o.add(e, of[0])
			of = of[1:]
		}
		switch {
		case e.Outside:
		case e.Marker.Phase == hitrace.Begin:
			if open := o.open[e.TID]; len(open) < o.options.Limits.Nesting {
				o.open[e.TID] = append(open, ownSlice{marks: slices.Clone(of), at: e.Time, pid: e.Process})
			}
		case e.Marker.Phase == hitrace.End:
			if open := o.open[e.TID]; len(open) > 0 {
				o.closeSlice(&open[len(open)-1], e.Time)
				o.open[e.TID] = open[:len(open)-1]
			}
		case e.Marker.Phase == hitrace.AsyncBegin, e.Marker.Phase == hitrace.AsyncEnd:
			for _, mark := range of {
				o.trackAsync(e, mark)
			}
		}
		for _, mark := range of {
			o.add(e, mark)
		}
	}
}

// add adds a marker that is a point of time, or has a number, or ends what is open: its end may be among lost events.
func (o *own) add(e *hitrace.Event, mark ownMark) {
	if mark.measure < 0 {
		o.loseSlices()
		for i := range o.measures {
			if m := &o.measures[i]; len(m.points) > 0 && !m.points[len(m.points)-1].lost {
				m.points = append(m.points, ownPoint{at: e.Time, lost: true})
			}
		}
		return
	}
	m := &o.measures[mark.measure]
	slice := e.Marker.Phase == hitrace.Begin || e.Marker.Phase == hitrace.AsyncBegin || e.Marker.Phase == hitrace.AsyncEnd
	value := ownValue{OwnValue: analyzer.OwnValue{Interval: analyzer.Interval{Start: e.Time, End: e.Time}, Number: mark.number, Unit: mark.unit}, pid: e.Process}
	switch {
	case m.of.To != "":
		if e.Marker.Phase != hitrace.AsyncEnd && !(mark.to && m.of.AtEnd && slice) && o.mayKeep() {
			m.points = append(m.points, ownPoint{at: e.Time, pid: e.Process, end: mark.to})
		}
	case m.of.Key == "" && slice: // its end adds the length
	case !o.mayKeep():
	case m.of.Key != "" && !mark.bare, m.of.Key == "" && e.Marker.Phase == hitrace.Counter:
		m.values = append(m.values, value)
	default:
		m.Bare = append(m.Bare, e.Time)
	}
}

func (o *own) mayKeep() bool {
	if o.kept >= o.options.Limits.Records {
		o.over++
		return false
	}
	o.kept++
	return true
}

// trackAsync begins or ends an asynchronous slice.
func (o *own) trackAsync(e *hitrace.Event, mark ownMark) {
	m := &o.measures[mark.measure]
	if m.of.Key != "" || m.of.To != "" && !(mark.to && m.of.AtEnd) {
		return
	}
	key := ownAsync{mark.measure, string(e.Marker.Name), e.Process, e.Marker.Value}
	switch s := o.async[key]; {
	case e.Marker.Phase == hitrace.AsyncBegin && s != nil:
		s.several = true
	case e.Marker.Phase == hitrace.AsyncBegin && len(o.async) < o.options.Limits.Async:
		o.async[key] = &ownSlice{marks: []ownMark{mark}, at: e.Time, pid: e.Process}
	case e.Marker.Phase == hitrace.AsyncBegin:
	case s == nil && m.of.To == "":
		m.Ends = append(m.Ends, e.Time)
	case s == nil:
		m.points = append(m.points, ownPoint{at: e.Time, pid: e.Process, end: true})
	default:
		delete(o.async, key)
		o.closeSlice(s, e.Time)
	}
}

// closeSlice adds the length of a slice, or its end.
func (o *own) closeSlice(s *ownSlice, at trace.Time) {
	for _, mark := range s.marks {
		m := &o.measures[mark.measure]
		switch {
		case m.of.Key != "" || m.of.To != "" && !(mark.to && m.of.AtEnd) || !o.mayKeep():
		case m.of.To != "":
			m.points = append(m.points, ownPoint{at: at, pid: s.pid, end: true})
		case s.several:
			m.Overlaps = append(m.Overlaps, at)
		default:
			m.values = append(m.values, ownValue{analyzer.OwnValue{Interval: analyzer.Interval{Start: s.at, End: at}}, s.pid, true})
		}
	}
}

// loseSlices ends what is open without a value.
func (o *own) loseSlices() {
	lose := func(s *ownSlice) {
		for _, mark := range s.marks {
			if m := &o.measures[mark.measure]; m.of.Key == "" && m.of.To == "" {
				m.Begins = append(m.Begins, s.at)
			}
		}
	}
	for _, open := range o.open {
		for i := range open {
			lose(&open[i])
		}
	}
	for _, s := range o.async {
		lose(s)
	}
	clear(o.open)
	clear(o.async)
}

// end ends a trace: nothing goes on in the next one.
func (o *own) end() {
	o.loseSlices()
	for i := range o.measures {
		m := &o.measures[i]
		m.pair()
		m.points = nil
	}
}

// pair makes times of the points of a trace: within each process if one has both markers, otherwise across processes.
func (m *ownMeasure) pair() {
	slices.SortStableFunc(m.points, func(a, b ownPoint) int { return cmp.Compare(a.at, b.at) })
	has := map[trace.PID][2]bool{}
	within := false
	for _, p := range m.points {
		if p.lost {
			continue
		}
		h := has[p.pid]
		h[index(p.end)] = true
		has[p.pid] = h
		within = within || h == [2]bool{true, true}
	}
	open := map[trace.PID][]ownPoint{}
	lose := func() {
		for _, begun := range open {
			for _, p := range begun {
				m.Begins = append(m.Begins, p.at)
			}
		}
		clear(open)
	}
	for _, p := range m.points {
		if p.lost {
			lose()
			continue
		}
		key := p.pid
		if !within {
			key = 0
		}
		begun := open[key]
		switch {
		case !p.end:
			open[key] = append(begun, p)
			continue
		case len(begun) == 0:
			m.Ends = append(m.Ends, p.at)
		case len(begun) > 1:
			m.Overlaps = append(m.Overlaps, p.at)
		default:
			m.Across = m.Across || begun[0].pid != p.pid
			m.values = append(m.values, ownValue{analyzer.OwnValue{Interval: analyzer.Interval{Start: begun[0].at, End: p.at}}, begun[0].pid, true})
		}
		delete(open, key)
	}
	lose()
}

// set adds the measures to the timeline. The last trace must have ended.
func (o *own) set(t *analyzer.Timeline, processes lives) {
	for i := range o.measures {
		m := &o.measures[i]
		// A marker that is a slice and a counter has a length.
		lengths := slices.ContainsFunc(m.values, func(v ownValue) bool { return v.length })
		for _, v := range m.values {
			if v.length != lengths {
				m.Bare = append(m.Bare, v.Interval.Start)
				continue
			}
			v.Process = processes.atTime(v.pid, v.Interval.Start)
			m.Values = append(m.Values, v.OwnValue)
		}
		m.Numbers = len(m.Values) > 0 && !lengths
		slices.SortStableFunc(m.Values, func(a, b analyzer.OwnValue) int {
			return cmp.Or(cmp.Compare(a.Interval.End, b.Interval.End), cmp.Compare(a.Interval.Start, b.Interval.Start))
		})
		for _, list := range []*[]trace.Time{&m.Begins, &m.Ends, &m.Overlaps, &m.Bare} {
			slices.Sort(*list)
		}
		t.OwnMeasures = append(t.OwnMeasures, m.OwnMeasure)
	}
}
