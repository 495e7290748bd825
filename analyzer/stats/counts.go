package stats

import "ohframe/analyzer"

// Counts is how many frames a process has and of how many each fact holds.
type Counts struct {
	// Complete frames begin and end within the trace; all other counts but
	// Truncated are of these.
	Complete int `json:"complete"`
	// WithDeadline counts the frames of which it is known whether they were late:
	// those with a deadline, and those that SurfaceFlinger judged.
	WithDeadline int `json:"with_deadline"`
	// Late counts the frames that ended after their deadline: on their thread
	// (LateMain), on the GPU (LateGPU), or both.
	Late     int `json:"late"`
	LateMain int `json:"late_main"`
	LateGPU  int `json:"late_gpu"`
	// Empty counts the frames that made nothing to show.
	Empty int `json:"empty"`
	// Misaligned counts the application frames that were not picked up on the
	// vsync they were made for, or the render frames that picked such frames up.
	Misaligned int `json:"misaligned"`
	// Linked counts the application frames that a render frame took, or the
	// render frames that took any.
	Linked int `json:"linked"`
	// Presented counts the render frames of which it is known when the display
	// showed them.
	Presented int `json:"presented"`
	// Dropped counts the frames that were never shown. Only SurfaceFlinger reports
	// them. Their durations are not measured.
	Dropped int `json:"dropped"`
	// Truncated counts the frames of which the trace lacks the begin or the end.
	Truncated int `json:"truncated"`
}

func count(r *records) Counts {
	c := Counts{Complete: len(r.samples), Truncated: r.truncated}
	for i := range r.samples {
		s := &r.samples[i]
		for _, n := range []struct {
			count *int
			holds bool
		}{
			{&c.WithDeadline, s.judged},
			{&c.Late, s.late()},
			{&c.LateMain, s.facts.Has(analyzer.MainLate)},
			{&c.LateGPU, s.facts.Has(analyzer.GPULate)},
			{&c.Empty, s.facts.Has(analyzer.Empty)},
			{&c.Misaligned, s.facts.Has(analyzer.Misaligned)},
			{&c.Dropped, s.facts.Has(analyzer.Dropped)},
			{&c.Linked, s.linked},
			{&c.Presented, s.presented},
		} {
			if n.holds {
				*n.count++
			}
		}
	}
	return c
}
