package faults

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// hits are where damage may change frames: the places, as numbers of lines, at
// which a thread's markers are not as they were. Lines that are no markers have
// no part in frames, but for the names of threads.
type hits struct {
	threads map[trace.TID][]int
	// render are those of markers that threads beside the main one write about
	// render frames, and periods those that announce a refresh period, on
	// whatever thread they have come to stand.
	render, periods []int
	// strays are times of lines that are not those of the lines around them.
	strays []trace.Time
	// first is the first line that is not as it was. From line unread on, if it
	// is not 0, nothing was read.
	first, unread int
	named         map[trace.TID]bool // threads of whose names something is not as it was
	// scheduling: lines of the scheduler are not as they were.
	scheduling bool
	// references are those of lines that stand where such did not.
	references map[string]bool
}

// take takes note that the lines from first to last are now the given text.
func (b *broken) take(first, last int, text []byte) {
	h := &b.hits
	if bytes.Equal(unixLines(text), unixLines(b.source.text[b.start[first]:b.start[last+1]])) {
		return // both kinds of line ends say the same
	}
	if len(b.notes) == 0 {
		h.first = first
	}
	b.note(first, last, text)
	before := map[string]bool{}
	for i := first; i <= last; i++ {
		b.hit(&b.lines[i], i)
		for _, r := range references(&b.lines[i]) {
			before[r] = true
		}
	}
	around := b.timesAround(first, last)
	for now := range bytes.Lines(text) {
		l := parse(now)
		if bytes.HasPrefix(now, []byte("# tracer:")) { // another trace begins, and cuts what it comes in the midst of
			h.strays = append(h.strays, around.Start, around.End)
		}
		if !l.ok {
			continue
		}
		for i := first; i <= last; i++ {
			if l.Kind != hitrace.MarkerEvent && i > first {
				break
			}
			b.hit(&l, i)
		}
		// Without a column a thread's process is the one that two begins in a row
		// tell, so that another one is not forgotten at once.
		if l.Kind == hitrace.MarkerEvent && l.PID == trace.UnknownPID && !slices.ContainsFunc(b.lines[first:last+1], func(was line) bool { return was.Marker.PID == l.Marker.PID }) {
			begins := 0
			for i := last + 1; i < b.count() && begins < 2; i++ {
				if next := &b.lines[i]; next.ok && next.TID == l.TID && next.Marker.Phase == hitrace.Begin {
					b.hit(next, i)
					begins++
				}
			}
		}
		if l.Kind == hitrace.MarkerEvent && (l.Time < around.Start || l.Time > around.End) {
			h.strays = append(h.strays, l.Time, around.Start, around.End)
			if l.Word == hitrace.GenerateVsyncCount { // which holds from its time on
				h.periods = append(h.periods, b.lastAt(l.Time))
			}
			if isRender(l.Word) { // which is of the frame before
				h.render = append(h.render, b.lastAt(l.Time))
			}
		}
		for _, r := range references(&l) {
			h.references[r] = h.references[r] || !before[r]
		}
	}
}

func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

// maxNotes is how many places of damage are told of in failures.
const maxNotes = 12

func (b *broken) note(first, last int, text []byte) {
	if len(b.notes) < maxNotes {
		b.notes = append(b.notes, fmt.Sprintf("lines %d to %d\n    %.400q\nare\n    %.400q",
			first+1, last+1, b.source.text[b.start[first]:b.start[last+1]], text))
	}
}

// references returns what in a marker names a frame: the vsync's time and number,
// and transactions.
func references(l *line) []string {
	if l.Word == hitrace.Other {
		return nil
	}
	var list []string
	name := string(l.Marker.Name)
	for _, digits := range strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(digits) >= 9 {
			list = append(list, digits)
		}
	}
	for _, m := range vsyncNumber.FindAllStringSubmatch(name, -1) {
		list = append(list, "vsync "+m[1])
	}
	switch l.Word {
	case hitrace.MarshTransaction:
		list = append(list, fmt.Sprint(hitrace.ParseMarsh(l.Marker.Label()).Transaction))
	case hitrace.ProcessCommands:
		for applied := range hitrace.AppliedTransactions(l.Marker.Label()) {
			list = append(list, fmt.Sprint(applied))
		}
	}
	return list
}

var vsyncNumber = regexp.MustCompile(`(?i)vsyncid: ?(\d+)`)

// slack is by how much a line's time may differ from those around it without
// being another time.
const slack = trace.Millisecond

func (b *broken) timesAround(first, last int) analyzer.Interval {
	var i analyzer.Interval
	for k := max(0, first-1); k <= min(b.count()-1, last+1); k++ {
		if l := &b.lines[k]; l.ok {
			if !i.Start.Known() || l.Time < i.Start {
				i.Start = l.Time
			}
			i.End = max(i.End, l.Time)
		}
	}
	return analyzer.Interval{Start: i.Start.Add(-slack), End: i.End.Add(slack)}
}

// isRender reports whether a word is written about render frames by other
// threads than those that they are made on.
func isRender(w hitrace.Word) bool {
	switch w {
	case hitrace.RenderFrame, hitrace.Commit, hitrace.PresentFence, hitrace.PresentFenceWait, hitrace.FrameQueued:
		return true
	}
	return false
}

// hit takes note of a line that is not, or should not be, where it is.
func (b *broken) hit(l *line, i int) {
	h := &b.hits
	if !l.ok {
		return
	}
	h.named[l.TID] = true
	switch l.Kind {
	case hitrace.SwitchEvent:
		h.scheduling = true
		if s, ok := hitrace.ParseFields(l.Kind, l.Args).(*hitrace.Switch); ok {
			h.named[s.NextTID] = true
		}
	case hitrace.WakingEvent, hitrace.WakeupEvent:
		if w, ok := hitrace.ParseFields(l.Kind, l.Args).(*hitrace.Wakeup); ok {
			h.named[w.TID] = true
		}
	case hitrace.MarkerEvent:
		h.threads[l.TID] = append(h.threads[l.TID], i)
		if isRender(l.Word) {
			h.render = append(h.render, i)
		}
		if l.Word == hitrace.GenerateVsyncCount {
			h.periods = append(h.periods, i)
		}
	}
}

// footprint is where a source tells of a frame.
type footprint struct {
	frame *analyzer.Frame
	parts []part
	// span is from the frame's beginning to the last that is told of it.
	span       analyzer.Interval
	references []string // by which others name it
}

// part is a stretch of lines in which one thread's markers tell of a frame.
type part struct {
	scope    scope
	tid      trace.TID
	from, to int
}

type scope uint8

const (
	ofThread  scope = iota // one thread's markers
	ofRender               // those that other threads write about render frames
	ofPeriods              // refresh periods announced
)

// touches reports whether damage may have changed a frame.
func (h *hits) touches(p *footprint, threads map[trace.TID]bool) bool {
	within := func(at []int, part part) bool {
		return slices.ContainsFunc(at, func(i int) bool { return i >= part.from && i <= part.to })
	}
	for _, part := range p.parts {
		if h.unread > 0 && part.to >= h.unread {
			return true
		}
		switch part.scope {
		case ofThread:
			if within(h.threads[part.tid], part) {
				return true
			}
		case ofPeriods:
			if within(h.periods, part) {
				return true
			}
		case ofRender:
			if within(h.render, part) {
				return true
			}
			for tid := range threads {
				if within(h.threads[tid], part) {
					return true
				}
			}
		}
	}
	const near = 50 * trace.Millisecond
	for _, at := range h.strays {
		if at >= p.span.Start.Add(-near) && at <= p.span.End.Add(near) {
			return true
		}
	}
	return slices.ContainsFunc(p.references, func(r string) bool { return h.references[r] })
}

// footprints finds where a source tells of its complete frames.
func footprints(s *source) []*footprint {
	f := finder{source: s, markers: map[trace.TID][]int{}, own: map[*analyzer.Frame]part{}, byThread: map[trace.TID][]*analyzer.Frame{}}
	for i := range s.lines {
		l := &s.lines[i]
		if !l.ok || l.Kind != hitrace.MarkerEvent {
			continue
		}
		f.markers[l.TID] = append(f.markers[l.TID], i)
		switch {
		case l.Word == hitrace.GenerateVsyncCount:
			if g, _ := hitrace.ParseGenerated(l.Marker.Label()); g.Period > 0 {
				f.periods = append(f.periods, i)
			}
		case l.Word == hitrace.MarshTransaction:
			f.sent = append(f.sent, i)
		}
	}
	for _, frame := range s.given.Frames {
		f.byThread[frame.TID] = append(f.byThread[frame.TID], frame)
		if frame.Kind == analyzer.RenderFrame {
			f.render = append(f.render, frame)
		}
	}
	for _, list := range f.byThread {
		for i, frame := range list {
			p := part{tid: frame.TID, from: f.firstAt(frame.TID, frame.Actual.Start), to: s.count()}
			if frame.Facts.Has(analyzer.Truncated) { // any part may be its first
				p.from = 0
				if i > 0 {
					p.from = f.own[list[i-1]].from
				}
			}
			if i+1 < len(list) {
				p.to = f.firstAt(frame.TID, list[i+1].Actual.Start)
				if !frame.Facts.Has(analyzer.Truncated) { // what comes after it is no part of it
					p.to = max(p.from, p.to-1)
				}
			}
			f.own[frame] = p
		}
	}
	var list []*footprint
	for frame := range s.given.Complete() {
		p := f.find(frame)
		for _, part := range p.parts {
			for i := part.from; i <= min(part.to, s.count()-1) && part.scope == ofThread; i++ {
				if l := &s.lines[i]; l.ok && l.TID == part.tid {
					p.references = append(p.references, references(l)...)
				}
			}
		}
		list = append(list, p)
	}
	return list
}

type finder struct {
	*source
	markers  map[trace.TID][]int
	periods  []int // lines that announce one
	sent     []int // lines that send a transaction
	byThread map[trace.TID][]*analyzer.Frame
	render   []*analyzer.Frame
	own      map[*analyzer.Frame]part // from its begin up to the thread's next frame
}

// firstAt returns the thread's first marker from a time on.
func (f *finder) firstAt(tid trace.TID, at trace.Time) int {
	for _, i := range f.markers[tid] {
		if f.lines[i].Time >= at {
			return i
		}
	}
	return f.count()
}

// lastAt returns the last line up to a time.
func (s *source) lastAt(at trace.Time) int {
	last := 0
	for i := range s.lines {
		if l := &s.lines[i]; l.ok && l.Time <= at {
			last = i
		}
	}
	return last
}

func (f *finder) find(frame *analyzer.Frame) *footprint {
	p := &footprint{frame: frame, span: analyzer.Interval{Start: frame.Actual.Start, End: tail(frame)}}
	own := f.own[frame]
	add := func(parts ...part) { p.parts = append(p.parts, parts...) }
	add(own)
	// The period that was announced last.
	announced := 0
	for _, i := range f.periods {
		if i < own.from {
			announced = i
		}
	}
	add(part{scope: ofPeriods, from: announced, to: own.from})

	if frame.Kind == analyzer.ApplicationFrame {
		for _, sent := range frame.Transactions {
			if sent.AppliedBy != nil {
				add(f.own[sent.AppliedBy])
				p.span.End = max(p.span.End, sent.AppliedBy.Actual.End)
			}
			for _, i := range f.sent {
				if f.lines[i].Time == sent.At {
					add(part{tid: f.lines[i].TID, from: i, to: i})
				}
			}
		}
		if int32(frame.TID) != int32(frame.Process.PID) { // the main thread's frame has its deadline
			for _, main := range f.byThread[trace.TID(frame.Process.PID)] {
				if main.VsyncID == frame.VsyncID {
					add(f.own[main])
				}
			}
		}
		return p
	}

	// Whose transactions it applied, and who wrote of them.
	for i := own.from; i <= min(own.to, f.count()-1); i++ {
		l := &f.lines[i]
		if l.TID != frame.TID || l.Word != hitrace.ProcessCommands {
			continue
		}
		for applied := range hitrace.AppliedTransactions(l.Marker.Label()) {
			for _, k := range f.sent {
				m := &f.lines[k]
				if sent := hitrace.ParseMarsh(m.Marker.Label()); sent.Transaction == applied {
					add(f.around(m.TID, k)...)
					p.span.Start = min(p.span.Start, m.Time)
				}
			}
		}
	}
	for _, list := range f.byThread {
		for _, a := range list {
			if slices.ContainsFunc(a.Transactions, func(s analyzer.Sent) bool { return s.AppliedBy == frame }) {
				add(f.own[a])
				p.span.Start = min(p.span.Start, a.Actual.Start)
			}
		}
	}
	// What other threads write of it stands between that of the frame before
	// and that of the frame after it.
	before, after := frame, frame
	if i := slices.Index(f.render, frame); i >= 0 {
		if i > 0 {
			before = f.render[i-1]
		}
		if i+1 < len(f.render) {
			after = f.render[i+1]
		}
	}
	p.span.End = max(p.span.End, tail(after))
	told := part{scope: ofRender, from: f.own[before].from, to: f.lastAt(max(tail(frame), tail(after)))}
	if after == frame { // the last: all that comes may be its
		told.to = f.count()
	}
	add(told)
	// Without drawing or a commit of its own, it may be given the next one's.
	add(f.own[after])
	if frame.CommitEstimated || !frame.Commit.Known() {
		add(f.own[before])
	}
	return p
}

// around returns what stands between the beginnings of frames around a line.
func (f *finder) around(tid trace.TID, i int) []part {
	p := part{tid: tid, from: i, to: i}
	for _, frame := range f.byThread[tid] {
		if own := f.own[frame]; own.from <= i && i <= own.to {
			p = own
		}
	}
	return []part{p}
}

// tail returns the last time that is told of a frame.
func tail(f *analyzer.Frame) trace.Time {
	return max(f.End(), f.Draw.End, f.Commit.End, f.Present)
}

// identity tells a frame from others, by what no damage elsewhere changes.
func identity(f *analyzer.Frame) string {
	if f == nil {
		return "none"
	}
	return fmt.Sprintf("%s %d/%d at %d", f.Kind, f.Process.PID, f.TID, f.Actual.Start)
}

// describe says everything of a frame but the name of its process.
func describe(f *analyzer.Frame) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s id %d vsync %d actual %s expected %s deadline %d period %d coalesced %d facts %b",
		identity(f), f.VsyncID, f.Vsync, f.Actual, f.Expected, f.Deadline, f.Period, f.Coalesced, f.Facts)
	for _, s := range f.Transactions {
		fmt.Fprintf(&b, "\n  sent %d at %d, taken by %s", s.Index, s.At, identity(s.AppliedBy))
	}
	fmt.Fprintf(&b, "\n  render %s", identity(f.Render))
	for _, a := range f.Applications {
		fmt.Fprintf(&b, "\n  takes %s", identity(a))
	}
	fmt.Fprintf(&b, "\n  draw %s gpu %v commit %s/%t present %d/%t", f.Draw, f.GPU, f.Commit, f.CommitEstimated, f.Present, f.PresentEstimated)
	return b.String()
}

// compared is how many frames there are and how many had to be equal.
type compared struct{ frames, untouched int }

func (c *compared) add(d compared) {
	c.frames += d.frames
	c.untouched += d.untouched
}

func (c compared) share() float64 { return float64(c.untouched) / float64(max(1, c.frames)) }

// compare returns the untouched frames that are not as they were. want are the
// frames of the source, in the order of its footprints.
func (b *broken) compare(want, got *analyzer.Timeline) (count compared, differences []string) {
	found := map[string][]*analyzer.Frame{}
	for f := range got.Complete() {
		found[identity(f)] = append(found[identity(f)], f)
	}
	threads := map[trace.TID]bool{}
	for i := range b.lines {
		if isRender(b.lines[i].Word) {
			threads[b.lines[i].TID] = true
		}
	}
	i := 0
	for w := range want.Complete() {
		p := b.frames[i]
		i++
		count.frames++
		if b.hits.touches(p, threads) {
			continue
		}
		count.untouched++
		list := found[identity(w)]
		if len(list) != 1 {
			differences = append(differences, fmt.Sprintf("%d frames instead of one: %s", len(list), describe(w)))
			continue
		}
		g := list[0]
		if x, y := describe(g), describe(w); x != y {
			differences = append(differences, x+"\ninstead of "+y)
		} else if !b.hits.named[trace.TID(w.Process.PID)] && g.Process.Name != w.Process.Name {
			differences = append(differences, fmt.Sprintf("%s: process %q instead of %q", identity(w), g.Process.Name, w.Process.Name))
		}
	}
	slices.SortStableFunc(differences, cmp.Compare)
	return count, differences
}
