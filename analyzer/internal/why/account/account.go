package account

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/functions"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/place"
)

// Book has the accounts of all frames of an input that can have a cause, for one worker.
type Book struct {
	*shared
	chunk []byte     // in which accounts are packed
	spare []*details // for the next accounts
	// others are what others did in waits of late frames, and activities memory for them.
	others     map[stretch][]why.Activity
	activities []why.Activity
	// Memory that Waits uses again, as it runs for each late frame. suspected is how many of suspects are in use.
	suspects  []*suspect
	suspected int
	waiteds   []WaitedFor
	threads   few[trace.TID, *suspect]
	times     few[threads.NameKey, why.SliceTime] // of SliceTimes
	// packing is memory for times of functions, and spareTimes are those for the next accounts.
	packing    []byte
	spareTimes []*functions.Times
}

// shared is what all workers have.
type shared struct {
	// Threads are the accounts of the frames of each thread, in order of their actual start.
	Threads map[trace.TID][]*Account
	// draws are the accounts of the drawing of frames on other threads, by thread: 0 if it is
	// unknown.
	draws     map[trace.TID][]*Account
	record    *threads.Record
	owners    owners
	clusters  []cluster
	perCPU    bool             // the processors differ, by clusters or limits of their frequencies
	functions *functions.Table // the samples of threads, nil without samples
	// observe, if not nil, sees all the time of frames. Tests compare it with what others
	// say of the thread.
	observe func(*replay, *Account, ID, trace.Duration)
}

// New returns the accounts of the frames of t, and fills stretches of threads, which any frames
// may overlap. The record must be that of the same events, and so must the samples, which may be
// nil. Several workers fill the accounts of several threads at once.
func New(r *threads.Record, t *analyzer.Timeline, stretches map[trace.TID][]*Account, samples *sample.Recording, workers int) *Book {
	b := newBook(r, t)
	b.functions = functions.New(samples, func(tid trace.TID) bool { return b.Threads[tid] != nil || b.draws[tid] != nil })
	b.fillAll(stretches, workers)
	return b
}

func newBook(r *threads.Record, t *analyzer.Timeline) *Book {
	own, draws := frames(r, t)
	clusters := findClusters(r.Clocks)
	limited := slices.ContainsFunc(r.Limits, func(limits []threads.ClockChange) bool { return len(limits) > 0 })
	return &Book{shared: &shared{Threads: own, draws: draws, record: r, owners: newOwners(t), clusters: clusters, perCPU: len(clusters) > 1 || limited}}
}

// Copy returns the same accounts with other memory, for another worker.
func (b *Book) Copy() *Book { return &Book{shared: b.shared} }

func (b *Book) fillAll(stretches map[trace.TID][]*Account, workers int) {
	type work struct {
		tid             trace.TID
		list, stretches []*Account
	}
	var all []work
	for tid, list := range b.Threads {
		all = append(all, work{tid, list, stretches[tid]})
	}
	for tid, list := range stretches {
		if b.Threads[tid] == nil {
			all = append(all, work{tid, nil, list})
		}
	}
	for tid, list := range b.draws {
		all = append(all, work{tid, list, nil})
	}
	slices.SortFunc(all, func(a, b work) int { return cmp.Compare(len(b.list), len(a.list)) })
	if b.functions != nil {
		workers = 1 // the table of functions is filled, too
	}
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(workers, len(all)) {
		running.Go(func() {
			b := b.Copy()
			for i := next.Add(1); int(i) <= len(all); i = next.Add(1) {
				b.distribute(all[i-1].tid, all[i-1].list, all[i-1].stretches)
			}
		})
	}
	running.Wait()
	for _, list := range b.Threads {
		for _, a := range list {
			if a.draw != nil {
				a.Unknown += a.draw.Unknown
				a.Earlier += a.draw.Earlier
			}
		}
	}
}

// Slice returns the name of the slice of a cell and what it means for the frame. Part of a
// garbage collection counts as that, and has its reason if it is known.
func (b *Book) Slice(c *Cell) (name string, p place.Place, reason string) {
	name, p = b.record.Name(c.Key), b.record.Place(c.Key)
	if c.collects {
		p, reason = c.collection, b.record.Name(c.gcReason)
	}
	return name, p, reason
}

// LostEvents reports whether events were lost in the span of an account.
func (b *Book) LostEvents(a *Account) bool { return b.record.LostEvents(a.Start, a.End) }

// Span is the time that a frame may use and the time that it did use (docs/why.md 1).
//
//	start          actual                 deadline      end
//	  │ start phase  │ frame                  │ overrun   │
//
// A frame of a framework that another thread draws has that after its own thread's work.
type Span struct {
	Start    trace.Time // the earlier of expected and actual start
	Actual   trace.Time
	End      trace.Time // of the work on the frame's thread
	Deadline trace.Time // unknown if nothing says when the frame should have ended
	DrawEnd  trace.Time // of the drawing on another thread if that ends later, else unknown
	GPUEnd   trace.Time // of the work on the GPU if that ends later still, else unknown
}

// Budget returns the time from the start to the deadline.
func (s *Span) Budget() trace.Duration { return s.Deadline.Sub(s.Start) }

// Done returns the end of the work on threads.
func (s *Span) Done() trace.Time { return max(s.End, s.DrawEnd) }

// Last returns the end of all work.
func (s *Span) Last() trace.Time { return max(s.Done(), s.GPUEnd) }

// Overrun returns the time from the deadline to the end of all work; negative for a
// frame on time.
func (s *Span) Overrun() trace.Duration { return s.Last().Sub(s.Deadline) }

// ID says in which way a frame spent time, and in which slice.
type ID struct {
	functions.Component
	Key threads.NameKey // the slice; of why.EarlierFrame the earlier frame's number on its thread
}

func newID(stage why.Stage, wait why.Wait, key threads.NameKey) ID {
	return ID{functions.Component{Stage: stage, Wait: wait}, key}
}

// Cell is the time that a frame spent in one way in one slice.
type Cell struct {
	ID
	Time trace.Duration
	// Cycles is kHz × ns of the part of the time for which the frequency is known,
	// and Clocked is that part.
	Cycles  int64
	Clocked trace.Duration
	// Calls is the number of slices that the time is of; 0 of the time before the frame.
	Calls uint32
	last  uint32 // the highest number of those
	// collects: it is part of a garbage collection. Then collection is the place that its path makes, and gcReason
	// the reason of the collection.
	collects   bool
	collection place.Place
	gcReason   threads.NameKey
}

// Account is where the time of a frame went.
type Account struct {
	Frame *analyzer.Frame
	Span
	// Unknown is the part of the span for which the thread's state is unknown, Earlier that
	// in which it was busy with something else before the frame.
	Unknown, Earlier trace.Duration
	// draw has the time after End on the thread that draws; nil if End is the end. draws is
	// set in that account itself.
	draw  *Account
	draws bool
	tid   trace.TID // of a frame of a thread, and of its drawing
	// tasks are what the thread was busy with before a late frame.
	tasks []*Task
	// watches, if not nil, is the late frame whose tasks are looked for in the span, and task the
	// number of the outermost slice of the last one.
	watches *Account
	task    uint32
	reached bool // the start of that frame

	from    trace.Time // the log is replayed for the time from here on
	closed  bool       // nothing is added any more
	packed  []byte     // instead of details, of a frame on time
	details *details   // nil before the first cell, and if packed
}

// details are all that is known of an account while it is filled and, of parts and of late
// frames, afterwards.
type details struct {
	filling
	idle trace.Duration // as of Account.Idle

	thread  []*Account // as passed to Distribute
	index   int        // in thread
	clocked trace.Duration
	// instances are those slices in a late frame, or in a stretch, that have arguments.
	instances []Instance
	labeled   bool // wants instances
	explained bool // wants instances and pieces, though it is not late
	watched   bool // wants tasks, though it is not late
	// paths are the times of slices by place; nil unless Trace was called.
	paths *paths
	// part: the account covers a part of the frame's way to the display or to
	// render_service. All its cells have the stage, unless that is NoStage.
	part  bool
	stage why.Stage
	// idles: time in which the thread waits outside of all slices is idle.
	idles bool
	late  bool // has pieces and instances
	times *functions.Times
}

// filling is what an account is filled with.
type filling struct {
	cells  []Cell  // all the time of the span, and of the GPU after it
	at     []int32 // indexes of cells, plus one, by hash; a power of two, at least twice as many
	waits  []frameWait
	pieces []piece
	ran    []cpuTime // by processor
	last   int       // index of the cell that was found last
}

// emptied returns the memory of f, for another account.
func (f *filling) emptied() filling {
	clear(f.at)
	return filling{f.cells[:0], f.at, f.waits[:0], f.pieces[:0], f.ran[:0], 0}
}

// frameWait is a wait of the frame.
type frameWait struct {
	start, end trace.Time
	wait       uint32 // as in threads.Record.Wait
	slice      uint32 // the number of the innermost one, 0 outside of all
	id         ID
}

// PartOfWay returns an account of a part of the way of a frame to the display or to
// render_service, for Distribute. All its cells have the stage, unless that is why.NoStage.
func PartOfWay(f *analyzer.Frame, start, actual, end trace.Time, stage why.Stage) *Account {
	return &Account{Frame: f, Span: Span{Start: start, Actual: actual, End: end}, details: &details{part: true, stage: stage, idles: stage == why.StageCommitWait}}
}

// Task is all that a thread did in slices of one key, from their begin on, that kept it from a frame.
type Task struct {
	Key threads.NameKey // the outermost slice
	*Account
}

// Tasks returns what the thread was busy with before a late frame or, in why.StageHandOver, before its
// drawing. The parts of a task before the frame should have started count as well.
func (a *Account) Tasks(stage why.Stage) []*Task {
	if stage == why.StageHandOver && a.draw != nil {
		a = a.draw
	}
	return a.tasks
}

// Stretch returns an account of any time of a thread of a process, for New. The time in which
// the thread has nothing to do is Idle.
func Stretch(p *analyzer.Process, start, end trace.Time) *Account {
	return &Account{Frame: &analyzer.Frame{Process: p}, Span: Span{Start: start, Actual: start, End: end}, details: &details{part: true, idles: true, labeled: true}}
}

// Explain asks for the pieces and the instances of a part, as late frames have them, before it is filled.
func (a *Account) Explain() { a.details.explained = true }

// Watch asks for the tasks of a part, as late frames have them, before it is filled.
func (a *Account) Watch() { a.details.watched = true }

// Join moves the cells of parts to a, which is one of the whole way. The first part is that of
// the frame's own thread.
func (a *Account) Join(parts []*Account) {
	d := a.details
	d.thread, d.index = parts[0].details.thread, parts[0].details.index
	d.at, d.last = nil, 0 // several cells may have an id
	for _, part := range parts {
		p := part.details
		d.cells = append(d.cells, p.cells...)
		d.waits = append(d.waits, p.waits...)
		d.idle += p.idle
		a.Unknown += part.Unknown
		d.pieces, d.instances = append(d.pieces, p.pieces...), append(d.instances, p.instances...)
		p.cells, p.waits, p.pieces, p.instances = nil, nil, nil, nil
	}
}

// Cells returns all the time of the span, and of the GPU after it.
func (a *Account) Cells() iter.Seq[Cell] {
	var own iter.Seq[Cell]
	if a.details == nil {
		own = cells(a.packed)
	} else {
		own = slices.Values(a.details.cells)
	}
	if a.draw == nil {
		return own
	}
	return concat(own, a.draw.Cells())
}

func concat[T any](lists ...iter.Seq[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, list := range lists {
			for v := range list {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// Idle returns the time of a Stretch, or of a part of why.StageCommitWait, in which the thread
// had nothing to do. No cell has it.
func (a *Account) Idle() trace.Duration { return a.details.idle }

// Forget releases most of the memory of the account. Only the frame and the span are left.
func (a *Account) Forget() { a.packed, a.details, a.draw = nil, nil, nil }

// Late reports whether the frame missed its deadline.
func (a *Account) Late() bool {
	return a.Frame.Late() && a.Deadline.Known() && a.Overrun() > 0
}

// OnlySlices reports whether nothing is known of what the thread did for the frame but its
// slices.
func (a *Account) OnlySlices() bool {
	return a.Unknown > 0 && a.Unknown*20 >= (a.Done().Sub(a.Start)-a.Earlier)*19
}

// EarlierFrame returns the frame that the thread was busy with in a cell of
// why.EarlierFrame.
func (a *Account) EarlierFrame(c ID) *analyzer.Frame {
	if a.draw != nil && c.Stage == why.StageHandOver {
		a = a.draw
	}
	return a.details.thread[c.Key].Frame
}

// Add adds a time to the cell of a part outside of all slices, if there is any.
func (a *Account) Add(stage why.Stage, wait why.Wait, d trace.Duration) {
	if d > 0 {
		a.details.add(newID(stage, wait, 0), d, 0)
	}
}

// maxClocked keeps cycles below 2^63.
const maxClocked = 1 << 38

// find returns the index of a cell. It adds the cell if the account lacks it.
func (d *details) find(id ID) int {
	if d.last < len(d.cells) && d.cells[d.last].ID == id {
		return d.last
	}
	if 2*len(d.cells) >= len(d.at) {
		d.at = make([]int32, max(64, 2<<bits.Len(uint(len(d.cells)))))
		for i := range d.cells {
			if slot := d.slot(d.cells[i].ID); *slot == 0 { // parts that were joined may have the same
				*slot = int32(i + 1)
			}
		}
	}
	slot := d.slot(id)
	if *slot == 0 {
		d.cells = append(d.cells, Cell{ID: id})
		*slot = int32(len(d.cells))
	}
	d.last = int(*slot - 1)
	return d.last
}

// slot returns where the index of a cell is in d.at, or would be.
func (d *details) slot(id ID) *int32 {
	most := uint64(len(d.at))
	for i := (uint64(id.Key)<<16 | uint64(id.Wait)<<8 | uint64(id.Stage)) * 0x9E3779B97F4A7C15 >> 32; ; i++ {
		if slot := &d.at[i&(most-1)]; *slot == 0 || d.cells[*slot-1].ID == id {
			return slot
		}
	}
}

func (d *details) add(id ID, time trace.Duration, kHz uint32) *Cell {
	c := &d.cells[d.find(id)]
	c.Time += time
	if kHz != 0 && d.clocked+time <= maxClocked {
		d.clocked += time
		c.Cycles += int64(kHz) * int64(time)
		c.Clocked += time
	}
	return c
}

// frames returns an account without cells for every frame that can have a cause, by thread,
// and those of the drawing of frames on other threads.
func frames(r *threads.Record, t *analyzer.Timeline) (own, draws map[trace.TID][]*Account) {
	type vsync struct {
		process *analyzer.Process
		id      int64
	}
	mains := map[vsync]*analyzer.Frame{}
	for f := range t.Complete() {
		if f.Expected.Start.Known() && f.VsyncID != 0 {
			mains[vsync{f.Process, f.VsyncID}] = f
		}
	}
	starts := plannedStarts(t)
	own, draws = map[trace.TID][]*Account{}, map[trace.TID][]*Account{}
	var slab []Account
	add := func(to map[trace.TID][]*Account, tid trace.TID, a Account) *Account {
		if len(slab) == cap(slab) {
			slab = make([]Account, 0, min(256, max(16, 2*cap(slab))))
		}
		slab = append(slab, a)
		added := &slab[len(slab)-1]
		added.tid = tid
		to[tid] = append(to[tid], added)
		return added
	}
	for f := range t.Complete() {
		if !f.Actual.Known() {
			continue
		}
		if f.Android != nil {
			if w := worksOf(r, f); w != nil {
				a := add(own, w.tid, Account{Frame: f, Span: w.span})
				if w.span.DrawEnd.Known() {
					a.draw = add(draws, w.drawTID, Account{Frame: f, Span: w.drawing(), draws: true})
				}
			}
			continue
		}
		s := Span{Start: f.Actual.Start, Actual: f.Actual.Start, End: f.Actual.End, Deadline: f.Deadline}
		expected := f.Expected.Start
		if main := mains[vsync{f.Process, f.VsyncID}]; !expected.Known() && main != nil && f.Deadline.Known() {
			expected = main.Expected.Start
		}
		if !expected.Known() && f.Framework != analyzer.Platform {
			expected = cmp.Or(f.Vsync, starts[f])
		}
		if expected.Known() {
			s.Start = min(expected, s.Actual)
		}
		if s.Deadline.Known() {
			s.Start = min(s.Start, s.Deadline)
		}
		if f.Kind == analyzer.ApplicationFrame && f.Draw.End > s.End {
			s.DrawEnd = f.Draw.End
		}
		if end := f.End(); end > s.Done() {
			s.GPUEnd = end
		}
		a := add(own, f.TID, Account{Frame: f, Span: s})
		if s.DrawEnd.Known() {
			begun := s.End
			if f.DrawTID != 0 {
				begun = max(f.Draw.Start, s.End)
			}
			drawing := Span{Start: s.End, Actual: begun, End: s.DrawEnd, Deadline: s.Deadline, GPUEnd: s.GPUEnd}
			a.draw = add(draws, f.DrawTID, Account{Frame: f, Span: drawing, draws: true})
		}
	}
	return own, draws
}

// plannedStarts returns when late frames should have begun whose deadlines are those of their
// buffers: as long before it as others of the layer begin before their buffers are taken, the
// median of those shown at the layer's cadence (docs/why.md 1).
func plannedStarts(t *analyzer.Timeline) map[*analyzer.Frame]trace.Time {
	var starts map[*analyzer.Frame]trace.Time
	for _, l := range t.Layers {
		var late []*analyzer.Frame
		for _, b := range l.Buffers {
			if f := b.Frame; f != nil && b.Deadline.Known() && f.Pace == analyzer.Late && f.Deadline == b.Deadline {
				late = append(late, f)
			}
		}
		if len(late) == 0 {
			continue
		}
		var leads []trace.Duration
		for _, b := range l.Buffers {
			if f := b.Frame; f != nil && b.Pace == analyzer.Even && b.Acquired > f.Actual.Start {
				leads = append(leads, b.Acquired.Sub(f.Actual.Start))
			}
		}
		if len(leads) == 0 {
			continue
		}
		slices.Sort(leads)
		for _, f := range late {
			if starts == nil {
				starts = map[*analyzer.Frame]trace.Time{}
			}
			starts[f] = f.Deadline.Add(-leads[(len(leads)-1)/2])
		}
	}
	return starts
}
