package stats

import (
	"maps"
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
	P50      *int     `json:"p50_ms"`
	P90      *int     `json:"p90_ms"`
	P95      *int     `json:"p95_ms"`
	P99      *int     `json:"p99_ms"`
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

// JoinSummaries adds up summaries of one process, at least one. What one of them with frames lacks is unknown. The
// percentiles are those that Android computes from the sum of the histograms.
func JoinSummaries(list []*Summary) *Summary {
	if len(list) == 1 {
		return list[0]
	}
	all := &Summary{PID: list[0].PID, Process: list[0].Process, Histogram: []Bucket{}}
	counts, complete := map[int]int{}, true
	for _, s := range list {
		all.Frames += s.Frames
		all.Filtered = all.Filtered || s.Filtered
		complete = complete && (s.Frames == 0 || len(s.Histogram) > 0)
		for _, b := range s.Histogram {
			counts[b.Name] += b.Frames
		}
	}
	sum := func(of func(*Summary) *int) *int {
		n := 0
		for _, s := range list {
			switch {
			case of(s) != nil:
				n += *of(s)
			case s.Frames > 0:
				return nil
			}
		}
		return &n
	}
	all.Janky = sum(func(s *Summary) *int { return s.Janky })
	all.MissedVsync, all.HighInputLatency = sum(func(s *Summary) *int { return s.MissedVsync }), sum(func(s *Summary) *int { return s.HighInputLatency })
	all.SlowUI, all.SlowUploads = sum(func(s *Summary) *int { return s.SlowUI }), sum(func(s *Summary) *int { return s.SlowUploads })
	all.SlowDraw, all.MissedDeadline = sum(func(s *Summary) *int { return s.SlowDraw }), sum(func(s *Summary) *int { return s.MissedDeadline })
	if all.Frames > 0 && all.Janky != nil {
		all.JankRate = number(float64(*all.Janky) / float64(all.Frames))
	}
	if complete {
		var buckets []analyzer.SummaryBucket
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			buckets = append(buckets, analyzer.SummaryBucket{Name: name, Frames: counts[name]})
		}
		all.Histogram = summaryHistogram(buckets)
		all.P50, all.P90, all.P95, all.P99 = all.percentile(50), all.percentile(90), all.percentile(95), all.percentile(99)
	}
	return all
}

// percentile counts from the longest bucket down, as frames that are exempt from jank are in none and
// count as short; nil if there are no frames, or so many exempt ones.
//
// Source: ProfileData::findPercentile in hwui of the Android Open Source Project.
func (s *Summary) percentile(p int) *int {
	longer := s.Frames - p*s.Frames/100
	for _, b := range slices.Backward(s.Histogram) {
		if longer -= b.Frames; longer <= 0 {
			return &b.Name
		}
	}
	return nil
}
