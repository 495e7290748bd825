package stats

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Layer has the measures of a layer: a queue of buffers that is shown (docs/frames.md 16).
// Unknown values are nil. Percentiles are those of Durations: the 95th needs 20 values.
type Layer struct {
	ID      int        `json:"id"`      // number, from 1, by the first line
	Name    string     `json:"name"`    // its name
	PID     *trace.PID `json:"pid"`     // process id of the producer; nil if it is unknown
	Process *string    `json:"process"` // name of the producer
	// what draws the buffers: "choreographer", "flutter", "web", "nativevsync", or "outside_frames" for
	// transactions in place of buffers; nil if the trace has no frames of one
	Framework   *string  `json:"framework"`
	Queue       *int64   `json:"queue_id"`              // id of the queue; nil if the trace has none
	Buffers     int      `json:"buffers" sum:"buffers"` // all buffers
	Shown       int      `json:"shown" sum:"shown"`     // those that went to the display
	Dropped     int      `json:"dropped" sum:"dropped"` // those that a later one replaced
	Waiting     int      `json:"waiting" sum:"waiting"` // those that the trace does not show to the end
	DroppedRate *float64 `json:"dropped_rate"`
	FPS         *float64 `json:"fps"`
	// the layer's own interval between buffers, that of most of the time; nil if it has none
	Cadence *float64 `json:"cadence_ms"`
	// the intervals of all stretches of time (docs/frames.md 16.4); empty if it has none
	Cadences []LayerCadence `json:"cadences"`
	Judged   int            `json:"judged" sum:"judged"` // intervals between presents that were compared with the cadence
	// those that were longer by more than half a vsync (docs/frames.md 16.5); nil if none was judged
	Late       *int     `json:"late" sum:"late"`
	Long       *int     `json:"long" sum:"long"`   // those that were longer only because a display has whole vsyncs
	Early      *int     `json:"early" sum:"early"` // those that were shorter by more than half a vsync
	UnevenRate *float64 `json:"uneven_rate"`
	LateRate   *float64 `json:"late_rate"`
	Longest    *float64 `json:"longest_ms"`
	QueueP50   *float64 `json:"queue_p50_ms"`
	QueueP95   *float64 `json:"queue_p95_ms"`
	RequestP50 *float64 `json:"request_p50_ms"`
	RequestP95 *float64 `json:"request_p95_ms"`
	GPUP50     *float64 `json:"gpu_p50_ms"`
	GPUP95     *float64 `json:"gpu_p95_ms"`

	// why buffers were dropped (docs/frames.md 16.9), the most frequent reason first
	Drops []LayerDrops `json:"drops"`

	// Gaps is the number of intervals that FPS counts, and ShownTime is their time.
	Gaps      int            `json:"-" sum:"shown_gaps"`
	ShownTime trace.Duration `json:"-" sum:"shown_span_ns"`
	// LongestInterval is Longest, zero if that is unknown.
	LongestInterval trace.Duration `json:"-" peak:"longest_interval_ns"`
	// Source is the layer itself.
	Source *analyzer.Layer `json:"-"`
	// Pool says which layers are measured together; nil for one of a trace.
	Pool *Pool `json:"-"`
}

func layers(t *analyzer.Timeline, o Options) []*Layer {
	list := []*Layer{}
	drops := t.Drops()
	for _, l := range t.Layers {
		if o.Process == nil || l.Process != nil && o.Process(l.Process) {
			x := NewLayer(l)
			x.Drops = LayerDropsOf(drops[l])
			list = append(list, x)
		}
	}
	return list
}

// NewLayer returns the measures of a layer, without Drops.
func NewLayer(l *analyzer.Layer) *Layer {
	s := &Layer{ID: l.ID, Name: l.Name, Framework: optionalText(l.Framework.String()), Source: l}
	if l.Queue != 0 {
		s.Queue = clone(l.Queue)
	}
	if p := l.Process; p != nil {
		s.Process = optionalText(p.Name)
		if !p.NoPID {
			s.PID = clone(p.PID)
		}
	}
	if cadence := l.Cadence(); cadence > 0 {
		s.Cadence = number(cadence.Milliseconds())
	}
	s.Cadences = LayerCadences(l)
	s.measure([]*analyzer.Layer{l})
	return s
}

// LayerCadence is the interval between buffers of a layer for a stretch of time.
type LayerCadence struct {
	// from the first buffer of the stretch to the first of the next, or to the last
	From     trace.Time     `json:"from_ns"`
	To       trace.Time     `json:"to_ns"`
	Interval trace.Duration `json:"interval_ns"` // from one buffer that is shown to the next
	Every    trace.Duration `json:"every_ns"`    // from when buffers come until the next ones do
	Buffers  int            `json:"buffers"`     // how many come together, 1 mostly
}

// LayerCadences returns the cadences of a layer, in order of time.
func LayerCadences(l *analyzer.Layer) []LayerCadence {
	list := []LayerCadence{}
	for i := range l.Cadences {
		c := &l.Cadences[i]
		list = append(list, LayerCadence{c.Span.Start, c.Span.End, c.Interval(), c.Every, c.Buffers})
	}
	return list
}

// LayerDrops is the number of dropped buffers of a layer with one reason.
type LayerDrops struct {
	// "same_vsync", "display_rate", "caught_up", "taken_late" or "unknown"
	Reason  string      `json:"reason"`
	Buffers int         `json:"buffers"`           // dropped buffers with it
	First   trace.Time  `json:"first_ns"`          // the first known time of the first of them
	Refresh *float64    `json:"refresh_hz"`        // the display's refresh rate, for "display_rate"
	Before  *float64    `json:"refresh_before_hz"` // the rate from which it fell; nil if it did not
	Since   *trace.Time `json:"refresh_since_ns"`  // when it fell
}

// LayerDropsOf returns the dropped buffers of a layer by reason, the most frequent first.
func LayerDropsOf(drops []*analyzer.Drops) []LayerDrops {
	list := []LayerDrops{}
	for _, d := range drops {
		x := LayerDrops{Reason: d.Reason.String(), Buffers: d.Buffers, First: d.First}
		if d.Period > 0 {
			x.Refresh = number(1e9 / float64(d.Period))
		}
		if d.Before > 0 {
			x.Before, x.Since = number(1e9/float64(d.Before)), &d.Since
		}
		list = append(list, x)
	}
	return list
}

// JoinLayers returns the measures of all buffers of some layers together. What identifies one
// layer, and its cadence, are unknown.
func JoinLayers(list []*Layer) *Layer {
	if len(list) == 1 {
		return list[0]
	}
	s := &Layer{}
	var sources []*analyzer.Layer
	for _, l := range list {
		sources = append(sources, l.Source)
	}
	s.measure(sources)
	return s
}

func (s *Layer) measure(list []*analyzer.Layer) {
	var judged []trace.Duration
	times := map[string][]trace.Duration{}
	late, long, early := 0, 0, 0
	for _, l := range list {
		for _, b := range l.Buffers {
			s.Buffers++
			switch b.Fate {
			case analyzer.Shown:
				s.Shown++
			case analyzer.Discarded:
				s.Dropped++
			default:
				s.Waiting++
			}
			if b.Interval > 0 {
				s.Gaps, s.ShownTime = s.Gaps+1, s.ShownTime+b.Interval
			}
			switch b.Pace {
			case analyzer.Late:
				late++
			case analyzer.Long:
				long++
			case analyzer.Early:
				early++
			}
			if b.Pace != analyzer.Unpaced {
				judged = append(judged, b.Interval)
			}
			BufferTimes(b, func(i int, d trace.Duration) { times[Distributions[i]] = append(times[Distributions[i]], d) })

		}
	}
	if s.Judged = len(judged); s.Judged > 0 {
		s.Late, s.Long, s.Early = &late, &long, &early
		s.LongestInterval = slices.Max(judged)
		s.Longest = number(s.LongestInterval.Milliseconds())
	}
	for name, list := range times {
		setQuantiles(s, name+"_", list)
	}
	setRatios(s, LayerMeasures, LayerSums)
}
