package fleet

import (
	"slices"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

// addSummaries adds rows of processes of which a dump has only summaries: their counts, and their
// histograms, with the names of buckets as values, as Android's percentiles are. The summaries of a
// process are added up. Filtered ones, and those that do not count janky frames, are left out.
func addSummaries(rows []Row, report *stats.Report, newRow func(stats.Kind, string, trace.PID) Row) []Row {
	first := len(rows)
	var durations []*histogram
	for i := range report.Summaries {
		s := &report.Summaries[i]
		same := func(r Row) bool { return r.Kind == stats.Application && r.PID == s.PID && r.Process == s.Process }
		if s.Filtered || s.Janky == nil || s.Frames == 0 || slices.ContainsFunc(rows[:first], same) {
			continue
		}
		at := slices.IndexFunc(rows, same)
		if at < 0 {
			at = len(rows)
			rows, durations = append(rows, newRow(stats.Application, s.Process, s.PID)), append(durations, &histogram{})
		}
		row, h := &rows[at], durations[at-first]
		for name, n := range map[string]int{"frames": s.Frames, "judged": s.Frames, "rated": s.Frames, "late": *s.Janky, "rated_late": *s.Janky} {
			row.Numbers[columnIndex[name]] += int64(n)
		}
		longest := &row.Numbers[columnIndex["duration_max_ns"]]
		for _, b := range s.Histogram {
			value := int64(b.Name) * int64(trace.Millisecond)
			h.count(bucketOf(value), int64(b.Frames))
			h.bound(value, value)
			*longest = max(*longest, value)
		}
	}
	for i, h := range durations {
		rows[first+i].Histograms[durationHistogram] = h.counts()
		if h.bounded {
			rows[first+i].Shortest = &h.low
		}
	}
	return rows
}
