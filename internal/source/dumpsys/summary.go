package dumpsys

import (
	"bytes"
	"strconv"

	"ohframe/analyzer"
)

// summaryKey identifies a summary: later dumps of a process have the same start, and higher
// counts. dumpsys graphicsstats has several versions and days of a package.
type summaryKey struct {
	process        *Process
	version, since string
}

var (
	versionLine  = []byte("Version: ")
	sinceLine    = []byte("Stats since: ")
	totalLine    = []byte("Total frames rendered: ")
	jankyLine    = []byte("Janky frames: ")
	bucketsLine  = []byte("HISTOGRAM: ")
	filteredNote = []byte("Note: Data has been filtered!")
)

// counter is a line of a summary with a number.
type counter struct {
	start, end string
	of         func(*analyzer.Summary) **int
}

// counters are the lines of a summary. Android 12 and later print some again, with "(legacy)", as
// earlier versions count; those are ignored.
var counters = []counter{
	{"50th percentile: ", "ms", func(s *analyzer.Summary) **int { return &s.P50 }},
	{"90th percentile: ", "ms", func(s *analyzer.Summary) **int { return &s.P90 }},
	{"95th percentile: ", "ms", func(s *analyzer.Summary) **int { return &s.P95 }},
	{"99th percentile: ", "ms", func(s *analyzer.Summary) **int { return &s.P99 }},
	{"Number Missed Vsync: ", "", func(s *analyzer.Summary) **int { return &s.MissedVsync }},
	{"Number High input latency: ", "", func(s *analyzer.Summary) **int { return &s.HighInputLatency }},
	{"Number Slow UI thread: ", "", func(s *analyzer.Summary) **int { return &s.SlowUI }},
	{"Number Slow bitmap uploads: ", "", func(s *analyzer.Summary) **int { return &s.SlowUploads }},
	{"Number Slow draw: ", "", func(s *analyzer.Summary) **int { return &s.SlowDraw }}, // Android 6
	{"Number Slow issue draw commands: ", "", func(s *analyzer.Summary) **int { return &s.SlowDraw }},
	{"Number Frame deadline missed: ", "", func(s *analyzer.Summary) **int { return &s.MissedDeadline }},
}

// summaryLine parses a line outside of tables that may belong to the summary of a process, and
// reports whether it is well-formed. Summaries of windows count frames that those of processes
// count.
func (p *parser) summaryLine(line []byte) bool {
	if p.window != "" || p.windowKey != "" {
		return true
	}
	if version, ok := bytes.CutPrefix(line, versionLine); ok {
		p.version, p.summary = shortened(version), nil
		return true
	}
	if since, ok := bytes.CutPrefix(line, sinceLine); ok {
		p.since, p.summary = shortened(since), nil
		return true
	}
	if bytes.Equal(line, filteredNote) {
		p.filtered = true
		return true
	}
	if total, ok := bytes.CutPrefix(line, totalLine); ok {
		n, ok := parseCount(total)
		if p.summary = nil; ok {
			p.beginSummary(n)
		}
		return ok
	}
	s := p.summary
	if s == nil {
		return true
	}
	if janky, ok := bytes.CutPrefix(line, jankyLine); ok {
		number, _, _ := bytes.Cut(janky, []byte(" "))
		n, ok := parseCount(number)
		if ok = ok && n <= s.Frames; ok {
			s.Janky = &n
		}
		return ok
	}
	if list, ok := bytes.CutPrefix(line, bucketsLine); ok {
		s.Histogram, ok = parseBuckets(list)
		return ok
	}
	for _, c := range counters {
		if rest, ok := bytes.CutPrefix(line, []byte(c.start)); ok {
			number, isUnit := bytes.CutSuffix(rest, []byte(c.end))
			n, ok := parseCount(number)
			if ok = ok && isUnit; ok {
				*c.of(s) = &n
			}
			return ok
		}
	}
	return true
}

// beginSummary adds a summary within the limits, or begins one again that a later dump repeats.
func (p *parser) beginSummary(frames int) {
	process := p.addProcess()
	key := summaryKey{process, p.version, p.since}
	s := p.summaries[key]
	switch {
	case process == nil, s == nil && len(p.summaries) >= p.limits.Strings:
		p.dump.SummariesOver++
		return
	case s == nil:
		s = &analyzer.Summary{}
		p.summaries[key] = s
		process.summaries = append(process.summaries, s)
	}
	*s = analyzer.Summary{Frames: frames, Filtered: p.filtered}
	p.summary, p.filtered = s, false
}

// parseBuckets parses "5ms=978 6ms=458". Buckets without frames are left out.
func parseBuckets(list []byte) (buckets []analyzer.SummaryBucket, ok bool) {
	for field := range bytes.FieldsSeq(list) {
		name, count, _ := bytes.Cut(field, []byte("ms="))
		ms, ok1 := parseCount(name)
		n, ok2 := parseCount(count)
		if !ok1 || !ok2 || len(buckets) > 0 && ms <= buckets[len(buckets)-1].Name {
			return nil, false
		}
		if n > 0 {
			buckets = append(buckets, analyzer.SummaryBucket{Name: ms, Frames: n})
		}
	}
	return buckets, true
}

func parseCount(digits []byte) (int, bool) {
	n, err := strconv.ParseUint(string(digits), 10, 31)
	return int(n), err == nil
}
