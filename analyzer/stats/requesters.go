package stats

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Requester is a connection on which a process asks render_service for vsyncs, and what became of
// them (docs/frames.md 19).
type Requester struct {
	// Source is the process.
	Source   *analyzer.Process `json:"-"`
	Name     string            `json:"name"`    // name of the connection, "rs" for render_service
	PID      trace.PID         `json:"pid"`     // process id; nil if it is unknown
	Process  string            `json:"process"` // name of the process; empty if it is unknown
	Asked    *int              `json:"asked"`   // requests; nil if the trace shows none, or not whose they are
	Sent     *int              `json:"sent"`    // vsyncs that render_service sent; nil as before
	VsyncUse                   // of the vsyncs that it received
	// of "unused": those for which nothing was sent, and those whose picture render_service or Flutter found unchanged
	NothingSent  int `json:"nothing_sent"`
	NothingShown int `json:"nothing_shown"`
	// how long the threads that received the unused ones handled them; nil if it is unknown
	Took *float64 `json:"unused_ms"`
	// the display sync that most of the unused ones serve; nil if none serves one
	DisplaySync *UnusedSync `json:"display_sync"`
	// the slices in which the threads that receive its vsyncs were when the requests arrived, as far as they are known: at
	// most 5, that with the most first
	AskedIn []AskedIn `json:"asked_in"`
}

// AskedIn is a slice, and the requests that arrived in it.
type AskedIn struct {
	Slice string `json:"slice"` // its name
	Asked int    `json:"asked"` // requests
}

// maxAskedIn is the number of slices of a requester that a report has.
const maxAskedIn = 5

// askedIn returns the slices with the most requests.
func askedIn(list []analyzer.Ask) []AskedIn {
	counts := map[string]int{}
	for i := range list {
		if list[i].Slice != "" {
			counts[list[i].Slice]++
		}
	}
	found := []AskedIn{}
	for name, n := range counts {
		found = append(found, AskedIn{name, n})
	}
	slices.SortFunc(found, func(x, y AskedIn) int { return cmp.Or(cmp.Compare(y.Asked, x.Asked), cmp.Compare(x.Slice, y.Slice)) })
	return found[:min(len(found), maxAskedIn)]
}

// Reports show a requester with at least minUnused unused vsyncs and a share of at least minUnusedShare. The share is
// known from minJudged judged vsyncs on.
const (
	minJudged      = 10
	minUnused      = 10
	minUnusedShare = .5
)

// Wasteful reports whether most of the vsyncs led to nothing.
func (r *Requester) Wasteful() bool {
	return r.Unused >= minUnused && r.Share != nil && *r.Share >= minUnusedShare
}

// UnusedSync is a display sync that unused vsyncs serve.
type UnusedSync struct {
	ID     int64   `json:"id"`     // its id
	Type   *string `json:"type"`   // who asks: "callback", "animator" or "xcomponent"; nil if the trace has no type
	Unused int     `json:"unused"` // the unused vsyncs that serve it
}

// VsyncUse is what became of vsyncs.
type VsyncUse struct {
	Received int `json:"received"` // vsyncs that were received
	// vsyncs that are known to have led to a new picture or not, and those that did not
	Judged int `json:"judged" sum:"judged_vsyncs"`
	Unused int `json:"unused" sum:"unused_vsyncs"`
	// vsyncs after which something was drawn, perhaps for another connection or by another process
	PerhapsDrawn int `json:"perhaps_drawn" sum:"perhaps_drawn_vsyncs"`
	// "unused" / ("judged" + "perhaps_drawn"), the lowest share that it can be; nil if "judged" is below 10, or below half of
	// "received"
	Share *float64 `json:"unused_share"`
	// how long the threads that received the unused ones ran in them; nil if it is unknown
	CPU *trace.Duration `json:"unused_cpu_ns" sum:"unused_cpu_ns"`
	// the same in milliseconds per second of trace; nil if it, or "unused_share", is unknown
	Ratio *float64 `json:"unused_cpu_ms_per_s"`
	// Time is the length of the trace, without the time between traces; zero if CPU is nil.
	Time trace.Duration `json:"-" sum:"unused_span_ns"`
}

// add adds the vsyncs of a connection whose share is known.
func (u *VsyncUse) add(o *VsyncUse) {
	u.Received, u.Judged, u.Unused, u.PerhapsDrawn = u.Received+o.Received, u.Judged+o.Judged, u.Unused+o.Unused, u.PerhapsDrawn+o.PerhapsDrawn
	if o.CPU == nil {
		return
	}
	if u.CPU == nil {
		u.CPU = new(trace.Duration)
	}
	*u.CPU, u.Time = add(*u.CPU, *o.CPU), o.Time
}

// requesters returns those of the chosen processes, the ones with the most unused vsyncs first, and render_service's
// own last.
func requesters(t *analyzer.Timeline, o Options, span *Span) []Requester {
	list := []Requester{}
	for _, r := range t.Requesters {
		if o.Process != nil && (r.Process == nil || !o.Process(r.Process)) {
			continue
		}
		s := Requester{Source: r.Process, Name: r.Name, PID: trace.UnknownPID, Asked: optionalCount(len(r.Asked)), Sent: optionalCount(len(r.Sent)), AskedIn: askedIn(r.Asked)}
		if r.Process != nil {
			s.PID, s.Process = r.Process.PID, r.Process.Name
			if r.Process.NoPID {
				s.PID = trace.UnknownPID
			}
		}
		s.Received = len(r.Vsyncs)
		var took, ran trace.Duration
		syncs := map[syncKey]int{}
		for i := range r.Vsyncs {
			v := &r.Vsyncs[i]
			outcome := v.Outcome()
			switch outcome {
			case analyzer.PerhapsDrawn:
				s.PerhapsDrawn++
				continue
			case analyzer.OutcomeUnknown:
				continue
			}
			s.Judged++
			switch outcome {
			case analyzer.NothingSent:
				s.NothingSent++
			case analyzer.NothingShown:
				s.NothingShown++
			default:
				continue
			}
			lasted, cpu := v.Times()
			took, ran = add(took, lasted), add(ran, cpu)
			if v.Frame != nil {
				for i := range v.Frame.DisplaySyncs {
					syncs[keyOfSync(&v.Frame.DisplaySyncs[i])]++
				}
			}
		}
		if len(syncs) > 0 {
			most := slices.SortedFunc(maps.Keys(syncs), func(a, b syncKey) int { return cmp.Or(cmp.Compare(syncs[b], syncs[a]), a.compare(b)) })[0]
			s.DisplaySync = &UnusedSync{ID: most.id, Type: most.typeName(), Unused: syncs[most]}
		}
		s.Unused, s.Took = s.NothingSent+s.NothingShown, optionalMilliseconds(took)
		if s.Judged >= minJudged && 2*s.Judged >= s.Received {
			s.Share = number(float64(s.Unused) / float64(s.Judged+s.PerhapsDrawn))
		}
		if span != nil && s.Judged > 0 && t.Coverage.Switches && (ran > 0 || s.Unused == 0) {
			s.CPU, s.Time = &ran, span.Length
			if s.Share != nil {
				s.Ratio = number(ran.Milliseconds() / seconds(span.Length))
			}
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(x, y Requester) int {
		if own := x.Name == analyzer.RenderConnection; own != (y.Name == analyzer.RenderConnection) {
			return map[bool]int{true: 1, false: -1}[own]
		}
		return cmp.Compare(y.Unused, x.Unused)
	})
	return list
}

// optionalCount returns nil for zero.
func optionalCount(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// setVsyncs sets what became of the vsyncs of processes with frames or hangs.
func (c collector) setVsyncs(list []Requester) {
	for i := range list {
		r := &list[i]
		if r.Share == nil || r.Source == nil {
			continue
		}
		kind := Application
		if r.Name == analyzer.RenderConnection {
			kind = RenderService
		}
		p := c[keyOf(kind, r.Source)]
		if p == nil {
			continue
		}
		if p.Vsyncs == nil {
			p.Vsyncs = &VsyncUse{}
		}
		p.Vsyncs.add(&r.VsyncUse)
	}
}
