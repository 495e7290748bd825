package stats

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Summary is what Android counted of the frames of a process, or of a package on a day, as the dump
// states it. Janky frames are those by Android's rule, not late frames. What the dump does not state
// is nil.
type Summary struct {
	PID     trace.PID `json:"pid"`     // its process id; nil for a package
	Process string    `json:"process"` // the process or package
	// frames rendered since the process started or its counts were reset; in "graphicsstats", on a day
	Frames   int      `json:"frames"`
	Janky    *int     `json:"janky"`     // those that Android counts as janky, which are not late frames
	JankRate *float64 `json:"jank_rate"` // "janky" / "frames"; nil without frames
	// name of a bucket of the histogram
	P50 *int `json:"p50_ms"`
	P90 *int `json:"p90_ms"`
	P95 *int `json:"p95_ms"`
	P99 *int `json:"p99_ms"`
	// frames by Android's reasons; a frame can have several, or none
	MissedVsync      *int     `json:"missed_vsync"`
	HighInputLatency *int     `json:"high_input_latency"`
	SlowUI           *int     `json:"slow_ui"`
	SlowUploads      *int     `json:"slow_uploads"`
	SlowDraw         *int     `json:"slow_draw"`
	MissedDeadline   *int     `json:"missed_deadline"`
	Histogram        []Bucket `json:"histogram"` // buckets with frames, in order; empty if the dump has none
	Filtered         bool     `json:"filtered"`  // Android left out frames; do not compare the summary with others
}

// summaries returns those of the selected processes.
func summaries(t *analyzer.Timeline, o Options) []Summary {
	list := []Summary{}
	for _, s := range t.Summaries {
		if o.Process != nil && !o.Process(s.Process) {
			continue
		}
		pid := s.Process.PID
		if s.Process.NoPID {
			pid = trace.UnknownPID
		}
		summary := Summary{
			PID: pid, Process: s.Process.Name, Frames: s.Frames, Janky: s.Janky, MissedVsync: s.MissedVsync, HighInputLatency: s.HighInputLatency,
			SlowUI: s.SlowUI, SlowUploads: s.SlowUploads, SlowDraw: s.SlowDraw, MissedDeadline: s.MissedDeadline,
			Histogram: summaryHistogram(s.Histogram), Filtered: s.Filtered,
		}
		if s.Frames > 0 { // Android prints percentiles of no frames, too
			summary.P50, summary.P90, summary.P95, summary.P99 = s.P50, s.P90, s.P95, s.P99
			if s.Janky != nil {
				summary.JankRate = number(float64(*s.Janky) / float64(s.Frames))
			}
		}
		list = append(list, summary)
	}
	return list
}

// summaryHistogram returns the buckets with their bounds; none if a name is unknown.
func summaryHistogram(buckets []analyzer.SummaryBucket) []Bucket {
	list := []Bucket{}
	for _, b := range buckets {
		i := slices.IndexFunc(bucketBounds, func(bound bucketBound) bool { return bound.name == b.Name })
		if i < 0 {
			return []Bucket{}
		}
		bucket := Bucket{Name: b.Name, From: bucketBounds[i].from, Frames: b.Frames}
		if i+1 < len(bucketBounds) {
			bucket.Below = &bucketBounds[i+1].from
		}
		list = append(list, bucket)
	}
	return list
}
