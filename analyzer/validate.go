package analyzer

import (
	"errors"
	"fmt"

	"ohframe/analyzer/trace"
)

// Validate checks the invariants of every timeline and returns all violations joined, or
// nil.
func (t *Timeline) Validate() error {
	v := validator{timeline: t, seen: map[*Frame]bool{}, ends: map[trace.TID]trace.Time{}, applied: map[appliedKey]bool{}, known: map[*Process]bool{}, linked: map[*Frame]*Frame{}}
	v.processes()
	for _, f := range t.Frames {
		v.seen[f] = true
		for _, a := range f.Applications {
			v.check(f, v.linked[a] == nil, "names an application frame that is named already")
			v.linked[a] = f
		}
	}
	var last trace.Time
	for _, f := range t.Frames {
		v.check(f, f.Actual.Start >= last, "starts before the frame before it")
		last = f.Actual.Start
		v.frame(f)
	}
	v.interactions()
	v.layers()
	v.requesters()
	return errors.Join(v.errors...)
}

func (v *validator) interactions() {
	check := func(i *Interaction, ok bool, what string) {
		v.require(ok, "interaction %d, %s: %s", i.ID, i.Scene, what)
	}
	last := 0
	for _, i := range v.timeline.Interactions {
		check(i, i.ID > last, "out of order or repeated")
		last = i.ID
		check(i, i.Process != nil && (i.Process.PID == trace.UnknownPID || v.known[i.Process]), "of an unknown process")
		check(i, !i.Observed.Known() || i.Observed.Start <= i.Observed.End, "ends before it begins")
		check(i, !i.Begin.Known() || i.Begin == i.Observed.Start, "is not observed from its begin")
		check(i, i.Input == NoInput || i.InputAt.Known(), "has an input without a time")
		check(i, i.FirstShown.Known() == (i.First != nil) && i.LastShown.Known() == (i.Last != nil) && i.FirstShown <= i.SeenTo && i.LastShown <= i.SeenTo, "is shown last before it is shown first")
		for n, f := range i.Frames {
			check(i, v.seen[f] && f.Kind == i.Counted(), "has a frame of another timeline or kind")
			check(i, n == 0 || f != i.Frames[n-1], "has a frame twice")
		}
		for n, s := range i.Stages {
			check(i, n == 0 || s.Begin >= i.Stages[n-1].Begin, "has stages out of order")
		}
	}
	for _, b := range v.timeline.Builds {
		v.require(v.known[b.Process] && b.Start <= b.End, "item of %q at %s: of an unknown process, or ends before it begins", b.Component, b.Start)
	}
	for _, b := range v.timeline.Blocks {
		d := b.Duration()
		v.require(v.known[b.Process] && MinBlock <= d && d < MinHang, "block at %s: of an unknown process, too short or too long", b.Start)
	}
	for _, h := range v.timeline.Hangs {
		v.require(v.known[h.Process] && h.Duration() >= MinHang, "hang at %s: of an unknown process, or too short", h.Start)
	}
}

func (v *validator) layers() {
	last := 0
	for _, l := range v.timeline.Layers {
		check := func(ok bool, what string) { v.require(ok, "layer %d, %s: %s", l.ID, l.Name, what) }
		check(l.ID > last, "out of order or repeated")
		last = l.ID
		check(l.Process == nil || l.Process.PID == trace.UnknownPID || v.known[l.Process], "of an unknown process")
		for i := range l.Cadences {
			c := &l.Cadences[i]
			check(c.Every > 0 && 1 <= c.Shown && c.Shown <= c.Buffers && c.Span.Start <= c.Span.End, "has an impossible cadence")
		}
		for _, b := range l.Buffers {
			check(b.Layer == l, "has a buffer of another layer")
			check(b.Fate == Shown || !b.Present.Known() && b.Pace == Unpaced, "has a present time for a buffer that was not shown")
			check(!b.Queued.Known() || !b.Acquired.Known() || b.Queued <= b.Acquired, "takes a buffer before it is queued")
			check(!b.Acquired.Known() || !b.Present.Known() || b.Acquired <= b.Present, "shows a buffer before it is taken")
			check(b.Render == nil || v.seen[b.Render] && b.Render.Kind == RenderFrame, "has a render frame of another timeline")
			check(b.Frame == nil || v.seen[b.Frame] && b.Frame.Kind == ApplicationFrame, "has a frame of another timeline")
			check(b.Pace == Unpaced || l.CadenceOf(b) > 0, "is judged without a cadence")
		}
	}
}

func (v *validator) requesters() {
	for _, r := range v.timeline.Requesters {
		check := func(ok bool, what string) { v.require(ok, "requester %q: %s", r.Name, what) }
		check(r.Process == nil || v.known[r.Process], "of an unknown process")
		check(len(r.Asked)+len(r.Sent)+len(r.Vsyncs) > 0, "does nothing")
		for _, x := range r.Vsyncs {
			check(min(x.Took, x.CPUTime) >= 0, "handles a vsync for less than no time")
			check(x.Frame == nil || v.seen[x.Frame], "has a frame of another timeline")
		}
	}
}

type validator struct {
	timeline *Timeline
	seen     map[*Frame]bool
	ends     map[trace.TID]trace.Time // end of each thread's last complete frame
	applied  map[appliedKey]bool      // transactions that render frames applied
	known    map[*Process]bool
	linked   map[*Frame]*Frame // render frames by the application frames that they name
	errors   []error
}

// appliedKey is a transaction that was applied.
type appliedKey struct {
	pid   trace.PID
	index int64
	at    trace.Time
}

func (v *validator) require(ok bool, what string, args ...any) {
	if !ok {
		v.errors = append(v.errors, fmt.Errorf(what, args...))
	}
}

func (v *validator) check(f *Frame, ok bool, what string) {
	if !ok { // most are: their values need no memory
		v.require(false, "%s frame %d of thread %d at %s %s", f.Kind, f.VsyncID, f.TID, f.Actual.Start, what)
	}
}

func (v *validator) processes() {
	for i, p := range v.timeline.Processes {
		if i > 0 {
			last := v.timeline.Processes[i-1]
			later := p.PID == last.PID && p.Alive.Start > last.Alive.Start && p.Alive.Start > last.Alive.End
			v.require(p.PID > last.PID || later, "process %d out of order or repeated", p.PID)
		}
		v.known[p] = true
		threads := map[trace.TID]bool{}
		for _, t := range p.Threads {
			v.require(!threads[t.TID], "thread %d twice in process %d", t.TID, p.PID)
			threads[t.TID] = true
		}
	}
}

func (v *validator) frame(f *Frame) {
	v.check(f, f.Actual.Known() && f.Actual.Start <= f.Actual.End, "does not end after it starts")
	v.check(f, !f.Expected.Known() || f.Expected.Start < f.Expected.End, "has an empty expected interval")
	v.check(f, v.known[f.Process], "has no process")
	v.check(f, f.CPUTime >= 0 && f.CPUTime <= f.Actual.Duration() && !(f.CPUTime > 0 && f.Facts.Has(Truncated)), "runs for longer than it takes, or is truncated")
	v.check(f, f.Coalesced >= 0 && f.Period >= 0, "has a negative count or period")
	v.check(f, f.NotBegun == 0 && f.Held == Interval{} || f.NotBegun > 0 && f.Kind == ApplicationFrame && f.Period > 0 && f.Period < trace.Second &&
		f.NotBegun < int(trace.Second/trace.Millisecond) && f.Held.Known() && f.Held.Start < f.Held.End && f.Held.End <= f.Vsync && f.HeldOver() > 0, "was not held, or for no time")
	if f.Facts.Has(Truncated) {
		v.check(f, f.Facts&^(Misaligned|FirstDraw) == Truncated, "is truncated and has other facts")
	} else {
		if f.Android == nil { // Android's frames span threads, and it judges them itself
			v.check(f, f.Actual.Start >= v.ends[f.TID], "overlaps the frame before it")
			v.ends[f.TID] = f.Actual.End
			v.check(f, !f.Late() || f.Deadline.Known() && f.End() > f.Deadline, "is late without a missed deadline")
			v.check(f, f.Late() || !f.Deadline.Known() || f.End() <= f.Deadline, "missed its deadline and is not late")
		}
		v.check(f, !f.Facts.Has(Empty) || !f.Facts.Has(EmptyUnknown), "is empty, and may not be")
		v.check(f, !f.Facts.Has(Unchanged) || !f.Commit.Start.Known(), "changed nothing, and has a commit")
		v.check(f, !f.Facts.Has(CommitSkipped) || f.Kind == RenderFrame && f.Facts.Has(Empty) && !f.Commit.Start.Known(), "skipped a commit and is not empty, or has one")
		v.check(f, f.Kind == RenderFrame || !f.Facts.Has(Empty|EmptyUnknown) || len(f.Transactions) == 0, "is empty with transactions")
		v.check(f, f.Kind == RenderFrame || f.Framework != Platform || f.Facts.Has(Empty|EmptyUnknown|NoTransaction) || len(f.Transactions) > 0, "is not empty without transactions")
		v.check(f, !f.Facts.Has(NoTransaction) || f.Kind == ApplicationFrame && f.Framework == Platform && len(f.Transactions) == 0 && !f.Facts.Has(Empty|EmptyUnknown), "sent no transaction and is empty, or sent one")
	}
	v.transactions(f)
	v.links(f)
	if f.Kind == ApplicationFrame {
		v.check(f, !f.Commit.Known() && !f.Present.Known() && f.Screens == nil, "has what render frames have")
		v.check(f, f.Framework != Platform || f.Pace == Unpaced, "has a pace")
		v.check(f, f.Framework != Platform || len(f.GPU) == 0 && !f.Draw.Known(), "draws itself")
		return
	}
	v.check(f, len(f.Transactions) == 0 && f.Render == nil && f.Framework == Platform && f.DisplaySyncs == nil, "has what application frames have")
	last := f.Actual.Start
	for _, g := range f.GPU {
		v.check(f, g.Start >= last && g.Start <= f.Actual.End && g.Start <= g.End, "has gpu work out of place")
		last = g.Start
	}
	v.check(f, !f.Present.Known() || f.Present >= f.Commit.Start, "is shown before its commit")
	for i, s := range f.Screens {
		v.check(f, i == 0 || s.ID > f.Screens[i-1].ID, "has screens out of order or twice")
		v.check(f, s.Commit.Start.Known() && (!s.Present.Known() || s.Present >= s.Commit.Start), "is shown on a screen before its commit")
	}
}

// transactions checks that a transaction is applied once. The layers of an Android
// frame share its token.
func (v *validator) transactions(f *Frame) {
	if f.Process == nil || f.frameTimeline() != nil {
		return // reported already, or not numbered
	}
	for _, s := range f.Transactions {
		key := appliedKey{f.Process.PID, s.Index, s.At}
		v.check(f, s.AppliedBy == nil || !v.applied[key], "has a transaction that was applied twice")
		v.applied[key] = s.AppliedBy != nil
	}
}

// links checks that every link is known to both of its ends.
func (v *validator) links(f *Frame) {
	if r := f.Render; r != nil {
		v.check(f, v.seen[r] && r.Kind == RenderFrame, "is linked to no render frame of the timeline")
		v.check(f, v.linked[f] == r, "is not known to its render frame")
		n := len(f.Transactions)
		v.check(f, n > 0 && f.Transactions[n-1].AppliedBy == r, "is linked without its last transaction")
	}
	for _, a := range f.Applications {
		v.check(f, a.Render == f && v.seen[a], "names an application frame that is not linked to it")
	}
}
