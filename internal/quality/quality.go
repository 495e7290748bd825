// Package quality says how far the measures of a trace can be trusted.
//
//	Timeline, Totals ─▶ Of ─▶ Quality ─▶ a line, a JSON object
//	Quality of each run ─▶ Join ─▶ Quality of a side
//
// docs/trouble.md has the rules.
package quality

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causetext"
	"ohframe/internal/diag"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/text"
)

// Quality is the quality of a trace, or of several runs.
type Quality = stats.Quality

var severity = map[stats.Verdict]int{stats.Good: 0, stats.Limited: 1, stats.Unreliable: 2}

// judge finds the quality of a trace.
type judge struct {
	Quality
	renderJudged, platformJudged int // of Judged
	inferred                     int // those of Judged whose deadlines are inferred
	emptyUnknown                 int // application frames of the platform that end in the trace and may be empty or not
	shown                        int // render frames that were not empty, or were committed
	frameworks                   [analyzer.FrameworkCount]stats.Counts
}

// platformFrames returns the number of application frames that the platform draws itself.
func (q *judge) platformFrames() int { return q.ApplicationFrames - q.FrameworkFrames }

// input is a trace whose quality is judged.
type input struct {
	*analyzer.Timeline
	Lines  *hitrace.Totals
	causes *why.Causes
	// causesLack says what limits leave out of the causes of late frames.
	causesLack []string
}

// explanations are those of complete frames.
func (t *input) explanations() iter.Seq[*why.Explanation] {
	return func(yield func(*why.Explanation) bool) {
		for f := range t.Complete() {
			if e := t.causes.Of(f); e != nil && !yield(e) {
				return
			}
		}
	}
}

// Of returns the quality of a trace. lines are those of a text trace; nil for other inputs.
// causes may be nil.
func Of(timeline *analyzer.Timeline, lines *hitrace.Totals, causes *why.Causes) *Quality {
	t := &input{timeline, lines, causes, diag.Texts(causetext.Warnings(causes))}
	q := &judge{}
	q.Layers = len(t.Layers)
	for _, f := range t.Frames {
		q.count(f)
	}
	if t.Lines != nil {
		q.countLines(t)
	}
	q.judge(t)
	return &q.Quality
}

func (q *judge) count(f *analyzer.Frame) {
	switch {
	case f.Facts.Has(analyzer.Truncated):
		q.Truncated++
		return
	case f.Kind == analyzer.RenderFrame:
		q.RenderFrames++
		if f.Present.Known() {
			q.Presented++
		}
		if f.Commit.Start.Known() || f.Judgement().Empty != analyzer.Yes {
			q.shown++
		}
	default:
		q.ApplicationFrames++
		q.frameworks[f.Framework].Complete++
		if f.Framework != analyzer.Platform {
			q.FrameworkFrames++
		}
		if f.Unjudged() {
			q.frameworks[f.Framework].Unjudged++
		}
		empty := f.Judgement().Empty
		if empty == analyzer.No {
			q.WithTransaction++
		}
		if empty == analyzer.NotSaid && f.Framework == analyzer.Platform && !f.Facts.Has(analyzer.Unfinished) {
			q.emptyUnknown++
		}
	}
	if f.Judged() {
		q.Judged++
		if f.Facts.Has(analyzer.DeadlineInferred) {
			q.inferred++
		}
		switch {
		case f.Kind == analyzer.RenderFrame:
			q.renderJudged++
		case f.Framework == analyzer.Platform:
			q.platformJudged++
		default:
			q.frameworks[f.Framework].Judged++
		}
	}
}

func (q *judge) countLines(t *input) {
	lines, clock, d := t.Lines, &t.Clock, &t.Diagnostics
	// Lines that are in the input twice are not missing.
	lost := lines.Problems.Lost() - lines.Problems.Total(hitrace.ClockRestart)
	q.Lines, q.NotUnderstood = &lines.Lines, &lost
	q.LostEvents, q.OverwrittenEvents = lines.Lost, lines.Overwritten
	q.DamagedMarkers = d.Total(analyzer.DamagedField) + d.Total(analyzer.ExpectedAstray) + d.Total(analyzer.EndLost)
	source := clock.Source.String()
	q.ClockSource = &source
	switch {
	case clock.Source.IsStated():
		q.ClockAccuracy = new(trace.Duration)
	case clock.Source != analyzer.ClockUnknown:
		q.ClockAccuracy = &clock.Lag
	}
}

// add adds a reason.
func (q *judge) add(v stats.Verdict, code, format string, args ...any) {
	q.Reasons = append(q.Reasons, stats.Reason{Code: code, Verdict: v, Text: fmt.Sprintf(format, args...)})
}

// addShare adds a reason if n is more than a share of all. Fewer than minBad never make a
// trace unreliable: they are a few stray lines in a short trace.
func (q *judge) addShare(n, all int, limited, unreliable float64, code, text string) {
	switch share := float64(n) / float64(max(1, all)); {
	case share > unreliable && n >= minBad:
		q.add(stats.Unreliable, code, "%s", text)
	case share > limited:
		q.add(stats.Limited, code, "%s", text)
	}
}

// percent formats a share of a whole that is not 0.
func percent(n, all int) string {
	share := float64(n) / float64(all)
	return text.Share(&share)
}

// The thresholds of docs/trouble.md.
const (
	linesLimited, linesUnreliable         = 0.001, 0.01
	markersLimited, markersUnreliable     = 0.01, 0.05 // of frames
	lostLimited, lostUnreliable           = 0, 0.01
	truncatedLimited, truncatedUnreliable = 0.2, 0.5
	longestUnreliable                     = 0.25 // of lines; intact captures have up to 0.05
	deadlinesLimited                      = 0.5
	minBad                                = 10
	smallChange                           = 2 * trace.Millisecond // of the clock: a quarter of the period at 120 Hz
	longPeriod                            = trace.Second / 60     // the refresh period of slow displays
)

// judge adds the reasons and sets the verdict.
func (q *judge) judge(t *input) {
	d := &t.Diagnostics
	isText := q.Lines != nil
	all := q.Frames() + q.Truncated
	switch {
	case q.Frames() == 0 && q.Layers > 0:
		q.add(stats.Limited, "no_frames", "no complete frames, only %s", text.Count(q.Layers, "layer"))
	case q.Frames() == 0 && len(t.Summaries) > 0:
		q.add(stats.Limited, "no_frames", "no complete frames, only summaries")
	case q.Frames() == 0 && len(t.Hangs) > 0:
		q.add(stats.Limited, "no_frames", "no complete frames, only %s", text.Count(len(t.Hangs), "hang"))
	case q.Frames() == 0:
		q.add(stats.Unreliable, "no_frames", "no complete frames")
	}
	switch d.Recorded {
	case analyzer.FromOwnMain:
		q.add(stats.Limited, "own_trace", "an application's own trace of its main thread: no other threads, no scheduling, no other processes")
	case analyzer.FromOwnThreads:
		q.add(stats.Limited, "own_trace", "an application's own trace: no scheduling, no other processes")
	}
	if isText {
		if n := t.Lines.Longest.Lines; n >= minBad && float64(n) > longestUnreliable*float64(*q.Lines) {
			q.Cut = true
			q.add(stats.Unreliable, "cut", "%d of %s have the largest length, %d: they were cut or wrapped there",
				n, text.Count(*q.Lines, "line"), t.Lines.Longest.Length)
		}
		if n := *q.NotUnderstood; n > 0 {
			q.addShare(n, *q.Lines, linesLimited, linesUnreliable, "lines",
				fmt.Sprintf("%d of %s not understood (%s)", n, text.Count(*q.Lines, "line"), percent(n, *q.Lines)))
		}
		q.addShare(q.DamagedMarkers, all, markersLimited, markersUnreliable, "markers",
			fmt.Sprintf("%s in %s, as if lines were cut", text.Count(q.DamagedMarkers, "damaged marker"), text.Count(all, "frame")))
		if events := t.Lines.Events + t.Lines.Outside + q.LostEvents; q.LostEvents > 0 {
			q.addShare(q.LostEvents, events, lostLimited, lostUnreliable, "lost",
				fmt.Sprintf("%d of %s lost (%s): record with a larger buffer", q.LostEvents, text.Count(events, "event"), percent(q.LostEvents, events)))
		}
		if q.OverwrittenEvents > 0 {
			q.add(stats.Limited, "overwritten", "the start is missing: the buffer was full, %s overwritten", text.Count(q.OverwrittenEvents, "event"))
		}
		for _, over := range []analyzer.Diagnostic{analyzer.ThreadsOver, analyzer.FramesOver, analyzer.RecordsOver, analyzer.StringsOver} {
			if n := d.Total(over); n > 0 {
				q.add(stats.Unreliable, "over_limit", "%d × %s", n, over)
			}
		}
	}
	if text, _ := causetext.WithoutCause(t.explanations()); text != "" {
		q.add(stats.Limited, "no_cause", "%s", text)
	}
	for _, lack := range t.causesLack {
		q.add(stats.Limited, "over_limit", "%s", lack)
	}
	if q.Frames() > 0 {
		q.judgeFrames(t, all, isText)
	}
	if isText {
		q.judgeLayers(t)
		q.judgeLinks(t)
		q.judgeCoverage(t)
	}
	if advice := q.advice(d); isText && advice != "" {
		q.Advice = &advice
	}
	setVerdict(&q.Quality)
}

// judgeLayers adds the reasons that come from what layers lack.
func (q *judge) judgeLayers(t *input) {
	queued := func(l *analyzer.Layer) bool {
		return slices.ContainsFunc(l.Buffers, func(b *analyzer.Buffer) bool { return b.Queued.Known() })
	}
	if q.Layers > 0 && !slices.ContainsFunc(t.Layers, queued) {
		q.add(stats.Limited, "no_queue_times", "no marker FlushBuffer of layers, how long buffers waited is unknown")
	}
}

// advice returns what to do about markers that are missing. A tag that has markers in the trace
// was recorded: what is missing then did not happen.
func (q *judge) advice(d *analyzer.Diagnostics) string {
	switch {
	case q.Cut:
		return "get the file with hdc file recv instead of copying it from a terminal"
	case q.Frames() == 0 && q.Truncated > 0:
		return "the trace is too short, or its lines are not in order of time"
	case d.Recorded.Own() && len(d.MissingTags) > 0 && q.Frames() == 0:
		return "frames need hidebug.tags.GRAPHICS and hidebug.tags.ARKUI in the application's call of startAppTraceCapture"
	case d.Recorded.Own() && q.inferred > 0:
		return "with hidebug.tags.GRAPHICS startAppTraceCapture records deadlines, too; for other processes reproduce it on a device and record all with hitrace"
	case d.Recorded.Own():
		return "reproduce it on a device and record all processes with hitrace; stacks of MAIN_THREAD_JANK name functions"
	case len(d.MissingMarkers) == 0:
		return ""
	}
	switch recorded := d.Recorded; {
	case recorded == analyzer.FromAndroid:
		return "the trace is from Android: record it with Perfetto and the data source android.surfaceflinger.frametimeline"
	case recorded == analyzer.FromProcess && q.inferred > 0:
		return "OH_HiDebug_RequestTrace records no more; hidebug.startAppTraceCapture with hidebug.tags.GRAPHICS and ARKUI records deadlines; " +
			"for render_service reproduce it on a device and record all processes"
	case recorded == analyzer.FromProcess:
		return "the trace has markers of one process only: record all processes with hitrace"
	}
	switch {
	case slices.Contains(d.MissingTags, "graphic"):
		if len(d.MissingTags) > 1 {
			return "record the tags " + strings.Join(d.MissingTags, " and ")
		}
		return "record the tag graphic"
	case slices.Contains(d.MissingTags, "ace") && q.platformFrames() > 0:
		return "record the tag ace"
	}
	return ""
}

// judgeFrames adds the reasons that come from what frames lack.
func (q *judge) judgeFrames(t *input, all int, isText bool) {
	clock := &t.Clock
	if missing := t.Diagnostics.MissingMarkers; isText && q.Frames() > q.FrameworkFrames && slices.Contains(missing, analyzer.ReceiveVsyncMarker) {
		if q.inferred > 0 {
			q.add(stats.Limited, "inferred_deadlines", "no marker ReceiveVsync, deadlines are inferred from the times between vsyncs")
		} else {
			q.add(stats.Unreliable, "no_vsync", "no marker ReceiveVsync, most frames are missing")
		}
	}
	switch {
	case q.RenderFrames == 0 && t.Diagnostics.Recorded.Own(): // own_trace says so
	case q.RenderFrames == 0:
		q.add(stats.Limited, "no_render_frames", "no frames of the render service")
	case q.shown == 0: // there was nothing to present
	case q.Presented == 0 && q.Layers > 0:
		q.add(stats.Limited, "no_presents", "no present times, hitches and the frame rate of layers are unknown")
	case q.Presented == 0:
		q.add(stats.Limited, "no_presents", "no present times, hitches are unknown")
	}
	var outside []string
	for _, l := range t.Layers {
		if l.Framework == analyzer.OutsideFrames {
			outside = append(outside, text.Printable(cmp.Or(l.Process.Name, fmt.Sprint("process ", l.Process.PID))))
		}
	}
	switch {
	case q.ApplicationFrames == 0 && len(outside) > 0:
		q.add(stats.Limited, "no_application_frames", "no frames of applications: %s drew outside frames", strings.Join(slices.Compact(outside), ", "))
	case q.ApplicationFrames == 0 && q.Layers > 0:
		q.add(stats.Limited, "no_application_frames", "no frames of applications, only %s", text.Count(q.Layers, "layer"))
	case q.ApplicationFrames == 0:
		q.add(stats.Limited, "no_application_frames", "no frames of applications")
	case q.emptyUnknown > 0:
		q.add(stats.Limited, "no_transactions", "no transactions, which frames are empty is unknown")
	}
	few := func(n, all int, what string) bool {
		few := float64(n) < deadlinesLimited*float64(all)
		if few {
			q.add(stats.Limited, "few_deadlines", "only %d of %s judged", n, text.Count(all, what))
		}
		return few
	}
	if q.Judged == 0 {
		q.add(stats.Limited, "no_deadlines", "no frame is judged, jank is unknown")
	} else {
		ours := q.Frames() - q.FrameworkFrames
		if !few(q.platformJudged+q.renderJudged, ours, "frame") {
			// The frames of a kind may lack deadlines although most frames have one.
			few(q.platformJudged, q.platformFrames(), "application frame")
			few(q.renderJudged, q.RenderFrames, "render frame")
		}
		q.judgeFrameworks()
	}
	q.addShare(q.Truncated, all, truncatedLimited, truncatedUnreliable, "truncated",
		fmt.Sprintf("%d of %s truncated (%s)", q.Truncated, text.Count(all, "frame"), percent(q.Truncated, all)))
	if !isText {
		return
	}
	verdict, apart, from := stats.Limited, clock.Contradicted, "the clock sync line"
	if clock.ContradictedByMarkers != 0 {
		apart, from = clock.ContradictedByMarkers, "that of the markers"
	}
	// With a wrong offset that was given, frames are compared with the deadlines of other
	// vsyncs. An offset from markers is more exact than the clock sync line.
	if clock.Source == analyzer.ClockGiven && apart > longPeriod {
		verdict = stats.Unreliable
	}
	if clock.Source == analyzer.ClockUnknown {
		q.add(stats.Limited, "clock_unknown", "the clock offset is unknown, 0 is assumed")
	} else if apart != 0 {
		q.add(verdict, "clock_contradicted", "the clock offset differs by %s from %s", apart, from)
	}
	q.judgeClockSteps(t.Parts)
	if clock.Ahead > 0 && clock.Lag >= clock.AheadBy {
		q.add(stats.Limited, "vsyncs_ahead", "%d of %s came %s before the others, as if sent ahead of their time; if they were on time, more frames are late",
			clock.Ahead, text.Count(clock.Samples, "vsync"), rounded(clock.AheadBy))
	}
	q.judgeClockChanges(t.ClockChanges)
	if clock.Overruled != 0 {
		q.add(stats.Limited, "clock_overruled", "the clock offset differs by %s from the stated one", clock.Overruled)
	}
}

// judgeFrameworks adds a reason for frames of frameworks that are unjudged: few frameworks write
// deadlines, and not every layer has a cadence.
func (q *judge) judgeFrameworks() {
	var unknown []string
	for i := range q.frameworks {
		if n := &q.frameworks[i]; !n.JankKnown() {
			unknown = append(unknown, fmt.Sprintf("%d of %s", n.Unjudged, text.Count(n.Complete, analyzer.Framework(i).String()+" frame")))
		}
	}
	if len(unknown) > 0 {
		q.add(stats.Limited, "framework_deadlines", "deadlines of %s are unknown, and so is their jank rate", strings.Join(unknown, " and "))
	}
}

// judgeClockSteps adds a reason for a clock with steps: when frames begin and end is known to
// a step.
func (q *judge) judgeClockSteps(parts []analyzer.Part) {
	step := trace.Duration(0)
	for i := range parts {
		step = max(step, parts[i].Clock.Step)
	}
	verdict := stats.Limited
	if step > smallChange {
		verdict = stats.Unreliable
	}
	if step > 0 {
		q.add(verdict, "clock_steps", "the clock of the trace has steps of %s: record without --trace_clock uptime", step)
	}
}

// judgeClockChanges adds a reason for changes of the clock that are corrected, and one for
// others: from the first of them on, frames are compared with the deadlines of other
// vsyncs, or with wrong deadlines.
func (q *judge) judgeClockChanges(changes []analyzer.ClockChange) {
	verdict := stats.Limited
	for _, c := range changes {
		if !c.Corrected && (c.Kind != analyzer.ClockUnsteady || c.By.Abs() > smallChange) {
			verdict = stats.Unreliable
		}
	}
	describe := func(corrected bool) (s string) {
		n := 0
		for _, c := range changes {
			if c.Corrected != corrected {
				continue
			}
			if n++; n == 1 {
				s = c.String()
			}
		}
		if n > 1 {
			s += fmt.Sprintf(", and %s", text.Count(n-1, "more change"))
		}
		return s
	}
	if s := describe(false); s != "" {
		q.add(verdict, "clock_changed", "%s", s)
	}
	if s := describe(true); s != "" {
		q.add(stats.Limited, "clock_changed", "%s", s)
	}
}

// setVerdict sorts the reasons and sets the worst verdict of them.
func setVerdict(q *Quality) {
	slices.SortStableFunc(q.Reasons, func(a, b stats.Reason) int { return cmp.Compare(severity[b.Verdict], severity[a.Verdict]) })
	q.Verdict = stats.Good
	for _, r := range q.Reasons {
		if severity[r.Verdict] > severity[q.Verdict] {
			q.Verdict = r.Verdict
		}
	}
	if q.Reasons == nil {
		q.Reasons = []stats.Reason{}
	}
}

// Cell returns the verdict, or an empty string if q is nil.
func Cell(q *Quality) string {
	if q == nil {
		return ""
	}
	return string(q.Verdict)
}

// Join returns the quality of several runs: the worst verdict, all counts added up, and
// each reason once, with the runs that have it. Nil runs are left out; without any it
// returns nil.
func Join(names []string, runs []*Quality) *Quality {
	joined := &Quality{}
	known := 0
	type key struct{ code, verdict string }
	first := map[key]int{}
	count := map[key]int{}
	for i, run := range runs {
		if run == nil {
			continue
		}
		known++
		sum(joined, run)
		for _, r := range run.Reasons {
			k := key{r.Code, string(r.Verdict)}
			if count[k]++; count[k] == 1 {
				first[k] = len(joined.Reasons)
				r.Text = text.Printable(names[i]) + ": " + r.Text
				joined.Reasons = append(joined.Reasons, r)
			}
		}
	}
	if known == 0 {
		return nil
	}
	for k, i := range first {
		if n := count[k]; n > 1 {
			joined.Reasons[i].Text += fmt.Sprintf(", and %s like it", text.Count(n-1, "run"))
		}
	}
	setVerdict(joined)
	return joined
}

// sum adds the counts of a run to q. The clock is that of the run with the worst accuracy.
func sum(q, run *Quality) {
	add := func(sum **int, n *int) {
		if n == nil {
			return
		}
		total := *n
		if *sum != nil {
			total += **sum
		}
		*sum = &total
	}
	add(&q.Lines, run.Lines)
	add(&q.NotUnderstood, run.NotUnderstood)
	q.Advice = cmp.Or(q.Advice, run.Advice)
	q.DamagedMarkers += run.DamagedMarkers
	q.LostEvents += run.LostEvents
	q.OverwrittenEvents += run.OverwrittenEvents
	q.ApplicationFrames += run.ApplicationFrames
	q.RenderFrames += run.RenderFrames
	q.Truncated += run.Truncated
	q.FrameworkFrames += run.FrameworkFrames
	q.Layers += run.Layers
	q.WithTransaction += run.WithTransaction
	q.Judged += run.Judged
	q.Presented += run.Presented
	worse := run.ClockSource != nil && (q.ClockSource == nil ||
		q.ClockAccuracy != nil && (run.ClockAccuracy == nil || *run.ClockAccuracy > *q.ClockAccuracy))
	if worse {
		q.ClockSource, q.ClockAccuracy = run.ClockSource, run.ClockAccuracy
	}
}
