package analyzer

// Summary has the counts that Android keeps of the frames of a process: since the process started
// or its counts were reset, or, in "dumpsys graphicsstats", of a package on a day. There are no
// frames behind it. Counts and percentiles that the dump does not print are nil.
//
// Source: ProfileData::dump in hwui of the Android Open Source Project.
type Summary struct {
	Process *Process
	// Frames counts the frames rendered, and Janky those that Android counts as janky.
	Frames int
	Janky  *int
	// The percentiles are names of buckets of the histogram, in milliseconds.
	P50, P90, P95, P99 *int
	// Frames can be counted for several of these reasons, and for some without being janky.
	MissedVsync, HighInputLatency, SlowUI, SlowUploads, SlowDraw, MissedDeadline *int
	// Histogram has the buckets with frames, in order. Frames that are exempt from jank are in no
	// bucket.
	Histogram []SummaryBucket
	// Filtered is set if the dump says that its data has been filtered: it must not be compared
	// with others.
	Filtered bool
}

// SummaryBucket is a bucket of a histogram. Name is the number of milliseconds that Android prints for it.
type SummaryBucket struct {
	Name, Frames int
}
