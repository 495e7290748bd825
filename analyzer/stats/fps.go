package stats

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer/trace"
)

// Event is the moment that counts as the one at which a frame was shown.
type Event string

const (
	// Present is when the display showed the frame.
	Present Event = "present"
	// Commit is when the commit of the frame's layers began.
	Commit Event = "commit"
	// RenderStart is when render_service began to work on the frame.
	RenderStart Event = "render_start"
)

// FPS is the number of frames shown per second. For render_service these are its own
// frames. For an application they are the render frames that applied its transactions,
// each counted once. Frames that were shown at the same time count as one. The time
// between several traces in one input is excluded.
type FPS struct {
	// the event that counts as shown: "present", "commit" or "render_start", the best that is known
	Event Event `json:"event"`
	// frames shown; for an application, render frames that applied its transactions
	Frames    int        `json:"frames" sum:"shown_frames"`
	First     trace.Time `json:"first_ns"` // when the first was shown
	Last      trace.Time `json:"last_ns"`  // when the last was shown
	Rate      *float64   `json:"rate_hz"`
	All       float64    `json:"all_hz"`
	IdleShare *float64   `json:"idle_share"`
	OfRefresh *float64   `json:"of_refresh"`
	// how often frames were shown; nil if the refresh period or "rate_hz" is unknown
	Cadence *Cadence `json:"cadence"`
	// Gaps and Active are the gaps and the time of Rate; zero if that is unknown.
	Gaps   int            `json:"-" sum:"shown_gaps"`
	Active trace.Duration `json:"-" sum:"shown_span_ns"`

	following int // gaps without idle time
}

// Cadence is the most frequent time from one frame that was shown to the next.
type Cadence struct {
	// refreshes from one frame that was shown to the next, most often: 2 is every second vsync
	Every   int     `json:"every"`
	Refresh int     `json:"refresh_hz"` // the display's refresh rate then, a whole number
	Share   float64 `json:"share"`      // share of the gaps without idle time that are like that, 0 to 1
}

// Seconds returns the time in which Frames − 1 frames were shown at the rate All, idle time
// included. Last − First would include the time between traces.
func (f *FPS) Seconds() float64 { return float64(f.Frames-1) / f.All }

// leastShown is the number of frames of other frameworks from which on their idle time is known:
// when they were due is an estimate.
const leastShown = 3

// gap is the time between two frames that were shown one after the other.
type gap struct {
	at     trace.Time // its end
	length trace.Duration
	active trace.Duration // length without idle time
	// refreshes is the number of refreshes in active, in millionths.
	refreshes microperiods
	period    trace.Duration // of the display; zero if unknown
}

// idle reports whether a part of the gap is idle.
func (g *gap) idle() bool { return g.active < g.length }

// fps returns nil if no trace has two frames that were shown. It keeps the gaps in the
// records.
func fps(r *records) *FPS {
	for _, e := range []struct {
		event Event
		at    func(*shown) trace.Time
	}{
		{Present, func(s *shown) trace.Time { return s.present }},
		{Commit, func(s *shown) trace.Time { return s.commit }},
		{RenderStart, func(s *shown) trace.Time { return s.start }},
	} {
		var list []*shown
		for i := range r.shown {
			if e.at(&r.shown[i]).Known() {
				list = append(list, &r.shown[i])
			}
		}
		slices.SortStableFunc(list, func(a, b *shown) int { return cmp.Compare(e.at(a), e.at(b)) })
		list = slices.CompactFunc(list, func(a, b *shown) bool { return e.at(a) == e.at(b) })
		r.gaps, r.idleKnown = nil, len(list) >= leastShown || !r.ofFrameworks()
		r.setBusy(e.at, true)
		for i := 1; i < len(list); i++ {
			if a, b := list[i-1], list[i]; !r.parts.apart(e.at(a), e.at(b)) {
				g, known := r.newGap(a, b, e.at(a), e.at(b))
				r.gaps = append(r.gaps, g)
				r.idleKnown = r.idleKnown && known
			}
		}
		if len(r.gaps) > 0 {
			f := &FPS{Event: e.event, Frames: len(list), First: e.at(list[0]), Last: e.at(list[len(list)-1])}
			f.measure(r)
			return f
		}
	}
	return nil
}

func (f *FPS) measure(r *records) {
	n := float64(len(r.gaps))
	length, active, refreshes := trace.Duration(0), trace.Duration(0), microperiods(0)
	for i := range r.gaps {
		g := &r.gaps[i]
		if !r.idleKnown {
			g.active = g.length
		}
		length, active, refreshes = add(length, g.length), add(active, g.active), add(refreshes, g.refreshes)
		if !g.idle() {
			f.following++
		}
	}
	f.All = n / seconds(length)
	if f.following > 0 {
		f.Gaps, f.Active = len(r.gaps), active
		if r.idleKnown || r.animation {
			f.Cadence = cadence(r.gaps)
		}
	}
	if r.idleKnown {
		f.IdleShare = number(1 - float64(active)/float64(length))
		if f.following > 0 && refreshes > 0 {
			f.OfRefresh = number(n / refreshes.periods())
		}
	}
}

// cadence returns the most frequent cadence of some gaps, of equally frequent ones that of the
// highest rate.
func cadence(gaps []gap) *Cadence {
	all := 0
	counts := map[Cadence]int{}
	for i := range gaps {
		if g := &gaps[i]; g.period > 0 && !g.idle() {
			all++
			counts[Cadence{Every: g.vsyncs(), Refresh: wholeHertz(g.period)}]++
		}
	}
	if all == 0 {
		return nil
	}
	most := slices.MaxFunc(slices.Collect(maps.Keys(counts)), func(a, b Cadence) int {
		return cmp.Or(cmp.Compare(counts[a], counts[b]), cmp.Compare(a.Refresh*b.Every, b.Refresh*a.Every), cmp.Compare(a.Refresh, b.Refresh))
	})
	most.Share = float64(counts[most]) / float64(all)
	return &most
}

// vsyncs returns how many refresh periods the gap lasts, at least one.
func (g *gap) vsyncs() int { return max(1, int(g.length/g.period)+int(g.length%g.period*2/g.period)) }

// newGap returns the gap between two frames. If known is false, its idle part is unknown.
func (r *records) newGap(a, b *shown, from, to trace.Time) (g gap, known bool) {
	length := to.Since(from)
	g = gap{at: to, length: length, active: length, period: max(a.period, b.period)}
	if g.period <= 0 {
		return g, false
	}
	idle := r.idle(a, b, from, to, g.period)
	if b.unsure && idle > 0 && isHitch(length-g.period, g.period) {
		return g, false
	}
	g.active -= idle
	g.refreshes = inPeriods(g.active, g.period)
	return g, true
}
