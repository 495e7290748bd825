package stats

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Layer has the measures of a layer: a queue of buffers that is shown (docs/frames.md 16).
// Unknown values are nil. Percentiles are those of Durations: the 95th needs 20 values.
type Layer struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	// PID and Process are the producer, nil if it is unknown.
	PID     *trace.PID `json:"pid"`
	Process *string    `json:"process"`
	// Framework draws the buffers; nil if no frames of one are known.
	Framework *string `json:"framework"`
	Queue     *int64  `json:"queue_id"`
	// Buffers is the number of buffers: Shown, Dropped, which were replaced by later ones,
	// and Waiting, which the trace does not show to the end.
	Buffers int `json:"buffers"`
	Shown   int `json:"shown"`
	Dropped int `json:"dropped"`
	Waiting int `json:"waiting"`
	// DroppedRate is Dropped / (Shown + Dropped); nil without either.
	DroppedRate *float64 `json:"dropped_rate"`
	// FPS is the intervals between presents / their time without pauses; nil for fewer
	// than two presents.
	FPS *float64 `json:"fps"`
	// Cadence is the layer's own interval, that of most of the time; nil if it has none. Late,
	// Early and the rates are nil then, too. Cadences are all, in order of time.
	Cadence  *float64       `json:"cadence_ms"`
	Cadences []LayerCadence `json:"cadences"`
	// Judged is the number of intervals between presents that were compared with the
	// cadence. Late, Long and Early are those that differ from it by more than half a vsync:
	// Long ones because a display has whole vsyncs.
	Judged int  `json:"judged"`
	Late   *int `json:"late"`
	Long   *int `json:"long"`
	Early  *int `json:"early"`
	// UnevenRate is (Late + Long + Early) / Judged, LateRate is Late / Judged.
	UnevenRate *float64 `json:"uneven_rate"`
	LateRate   *float64 `json:"late_rate"`
	// Longest is the longest judged interval.
	Longest *float64 `json:"longest_ms"`
	// Queue is how long buffers waited until the compositor took them, Request how long the
	// producer waited for a free buffer, GPU how long its GPU went on after a buffer was
	// queued.
	QueueP50   *float64 `json:"queue_p50_ms"`
	QueueP95   *float64 `json:"queue_p95_ms"`
	RequestP50 *float64 `json:"request_p50_ms"`
	RequestP95 *float64 `json:"request_p95_ms"`
	GPUP50     *float64 `json:"gpu_p50_ms"`
	GPUP95     *float64 `json:"gpu_p95_ms"`

	// Drops are the reasons of Dropped, the most frequent first.
	Drops []LayerDrops `json:"drops"`

	// Gaps is the number of intervals that FPS counts, and ShownTime is their time.
	Gaps      int            `json:"-"`
	ShownTime trace.Duration `json:"-"`
	// Source is the layer itself.
	Source *analyzer.Layer `json:"-"`
}

// layers measures the layers of a timeline.
func layers(t *analyzer.Timeline, o Options) []*Layer {
	list := []*Layer{}
	drops := t.Drops()
	for _, l := range t.Layers {
		if o.Process == nil || l.Process != nil && o.Process(l.Process) {
			x := newLayer(l)
			x.Drops = LayerDropsOf(drops[l])
			list = append(list, x)
		}
	}
	return list
}

func newLayer(l *analyzer.Layer) *Layer {
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
	From trace.Time `json:"from_ns"`
	To   trace.Time `json:"to_ns"`
	// Interval is the time from one buffer that is shown to the next. Every is the time after
	// which Buffers come together.
	Interval trace.Duration `json:"interval_ns"`
	Every    trace.Duration `json:"every_ns"`
	Buffers  int            `json:"buffers"`
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
	// Reason is the code of an analyzer.DropReason.
	Reason  string     `json:"reason"`
	Buffers int        `json:"buffers"`
	First   trace.Time `json:"first_ns"`
	// Refresh is the display's refresh rate in hertz, for display_rate. Before is the rate until
	// Since, when it fell; nil if it did not.
	Refresh *float64    `json:"refresh_hz"`
	Before  *float64    `json:"refresh_before_hz"`
	Since   *trace.Time `json:"refresh_since_ns"`
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

// measure measures the buffers of some layers.
func (s *Layer) measure(list []*analyzer.Layer) {
	var queue, request, gpu, judged []trace.Duration
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
			if b.Queued.Known() && b.Acquired.Known() {
				queue = append(queue, b.InQueue())
			}
			if b.Requested.Known() {
				request = append(request, b.Requested.Duration())
			}
			if b.Queued.Known() && b.Ready.Known() {
				gpu = append(gpu, b.GPUWait())
			}
		}
	}
	if s.Gaps > 0 && s.ShownTime > 0 {
		s.FPS = number(float64(s.Gaps) / seconds(s.ShownTime))
	}
	if n := s.Shown + s.Dropped; n > 0 {
		s.DroppedRate = number(float64(s.Dropped) / float64(n))
	}
	if s.Judged = len(judged); s.Judged > 0 {
		n := float64(s.Judged)
		s.Late, s.Long, s.Early = &late, &long, &early
		s.UnevenRate, s.LateRate = number(float64(late+long+early)/n), number(float64(late)/n)
		s.Longest = number(slices.Max(judged).Milliseconds())
	}
	s.QueueP50, s.QueueP95 = millisecondPercentiles(queue)
	s.RequestP50, s.RequestP95 = millisecondPercentiles(request)
	s.GPUP50, s.GPUP95 = millisecondPercentiles(gpu)
}

// millisecondPercentiles returns the 50th and the 95th percentile in milliseconds.
func millisecondPercentiles(list []trace.Duration) (p50, p95 *float64) {
	if len(list) == 0 {
		return nil, nil
	}
	slices.Sort(list)
	p50 = number(Percentile(list, 50).Milliseconds())
	if at := tailPercentile(list, 95, minFrames); at != nil {
		p95 = number(at.Milliseconds())
	}
	return p50, p95
}
