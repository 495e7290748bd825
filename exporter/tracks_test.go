package exporter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/tracetest"
)

// frameTraces calls test with each text trace that has frames of applications.
func frameTraces(t *testing.T, test func(t *testing.T, text string)) {
	t.Run("cases", func(t *testing.T) {
		t.Parallel()
		text, _ := casesTrace()
		test(t, text)
	})
	for _, path := range tracetest.Paths(t) {
		text := tracetest.Read(t, path)
		if !strings.Contains(text, "RSTransactionData") {
			continue // without frames of applications
		}
		t.Run(tracetest.Name(path), func(t *testing.T) {
			t.Parallel()
			test(t, text)
		})
	}
}

// shownSlice is a slice that is to be on a track.
type shownSlice struct {
	track    string
	pid      int64
	ts, end  int64
	name     string
	category any
	facts    map[string]any
	sequence int // of slices of equal time the earlier one is the one that arrows start from
}

func (s *shownSlice) ends() string { return fmt.Sprintf("%d %s %d %s", s.pid, s.track, s.ts, s.name) }

// expectTracks derives from the timeline what the tracks are to show: slices,
// and from which to which of them there is an arrow.
func expectTracks(timeline *analyzer.Timeline, tokens tokens) (list []*shownSlice, arrows rows) {
	end := func(f *analyzer.Frame) int64 {
		last := f.Actual.End
		for _, g := range f.GPU {
			last = max(last, g.End)
		}
		return int64(last)
	}
	add := func(f *analyzer.Frame, track string, from, to, late int64, isLate bool) *shownSlice {
		s := &shownSlice{track: track, pid: int64(f.Process.PID), ts: from, end: to, sequence: len(list)}
		id := f.VsyncID
		if id == 0 {
			id = tokens[f]
		}
		s.name = fmt.Sprint(id)
		if isLate {
			s.category = "late"
			s.name += " late"
			if late > 0 {
				s.name += fmt.Sprintf(" %.1f ms", float64(late)/1e6)
			}
		}
		list = append(list, s)
		return s
	}
	frame := func(f *analyzer.Frame) *shownSlice {
		track := "Frames"
		if int32(f.TID) != int32(f.Process.PID) {
			i := slices.IndexFunc(f.Process.Threads, func(t analyzer.Thread) bool { return t.TID == f.TID })
			track = fmt.Sprintf("Frames (%s %d)", f.Process.Threads[i].Name, f.TID)
		}
		late := f.Facts&(analyzer.MainLate|analyzer.GPULate) != 0
		s := add(f, track, int64(f.Actual.Start), int64(f.Actual.End), end(f)-int64(f.Deadline), late)
		s.facts = expectFacts(f, tokens)
		if !late && f.Facts&analyzer.Misaligned != 0 {
			s.name += " misaligned"
		}
		if late {
			s.facts["overrun_ms"] = float64(end(f)-int64(f.Deadline)) / 1e6
			if stage, ok := stats.LongestStage(f); ok {
				s.facts["longest_stage"] = stage.String()
			}
		}
		return s
	}
	frames := map[*analyzer.Frame]*shownSlice{}
	for _, kind := range []analyzer.Kind{analyzer.ApplicationFrame, analyzer.RenderFrame} {
		for _, f := range shownFrames(timeline) {
			if f.Kind == kind {
				frames[f] = frame(f)
			}
		}
	}
	var presents []*shownSlice
	for _, f := range shownFrames(timeline) {
		if f.Kind == analyzer.ApplicationFrame {
			r := shownRender(f)
			if r == nil {
				continue
			}
			if f.Actual.End <= r.Actual.Start {
				arrows.add(frames[f].ends(), frames[r].ends())
			}
			if f.Expected.Start != 0 && hasExpected(r) {
				add(f, "Whole frame expected", int64(f.Expected.Start), int64(r.Expected.End), 0, false)
			}
			blame := blameOf(f, r, end(r))
			s := add(f, "Whole frame actual", int64(f.Actual.Start), end(r), end(r)-int64(r.Expected.End), blame != "")
			s.facts = map[string]any{"render_token": tokens[r]}
			if blame != "" {
				s.facts["blame"], frames[f].facts["blame"] = blame, blame
			}
			// Late by some vsyncs, whatever the time from end to end is.
			if gap := int64(r.Expected.Start) - int64(f.Expected.End); blame != "" && hasExpected(f) && f.Facts&analyzer.Misaligned != 0 && gap > 0 {
				n := (gap + int64(r.Period)/2) / int64(r.Period)
				s.name = fmt.Sprintf("%s picked up %d vsyncs late", strings.Fields(s.name)[0], n)
				if n <= 1 {
					s.name = strings.Fields(s.name)[0] + " picked up 1 vsync late"
				}
				s.facts["made_for_end_ts"] = int64(f.Expected.End) + int64(r.Expected.End) - int64(r.Expected.Start)
			}
			continue
		}
		work, next := []*shownSlice{frames[f]}, []*shownSlice(nil)
		for _, g := range f.GPU {
			late := int64(g.End) - int64(f.Deadline)
			s := add(f, "GPU (Frame queued)", int64(g.Start), int64(g.End), late, f.Deadline != 0 && late > 0)
			if s.facts = map[string]any{}; f.Deadline != 0 {
				s.facts["deadline_ts"] = int64(f.Deadline)
				if late > 0 {
					s.facts["overrun_ms"] = float64(late) / 1e6
				}
			}
			work = append(work, s)
		}
		if f.Commit.Start != 0 && f.Commit.End != 0 {
			next = append(next, add(f, "Commit", int64(f.Commit.Start), int64(f.Commit.End), 0, false))
			work = append(work, next[0])
		}
		if f.Present != 0 {
			s := add(f, "Present", int64(f.Present), int64(timeline.Span.End), 0, false)
			presents, next = append(presents, s), append(next, s)
		}
		// No arrow begins at the end of a slice and goes back in time.
		for _, from := range work {
			i := slices.IndexFunc(next, func(to *shownSlice) bool { return to != from && from.end <= to.ts })
			if i >= 0 {
				arrows.add(from.ends(), next[i].ends())
			}
		}
	}
	for _, s := range presents { // shown until the next one of the process is
		for _, next := range presents {
			if next.pid == s.pid && (next.ts > s.ts || next.ts == s.ts && next.sequence > s.sequence) {
				s.end = min(s.end, next.ts)
			}
		}
	}
	return list, arrows
}

// What a frame of a worker thread is judged by, with the system's rule (docs/frames.md 3.3).
const (
	judgedByMain   = "the main thread's deadline for this vsync: the system expects nothing of this thread"
	judgedByNobody = "no deadline: the system expects nothing of this thread, and the main thread has no frame of this vsync"
)

// expectFacts are the annotations of a frame, but for its overrun.
func expectFacts(f *analyzer.Frame, tokens tokens) map[string]any {
	facts := map[string]any{}
	number := func(name string, n int64) {
		if n != 0 {
			facts[name] = n
		}
	}
	fact := func(name string, bit analyzer.Facts) {
		if f.Facts&bit != 0 {
			facts[name] = true
		}
	}

	number("vsync_id", f.VsyncID)
	if tokens[f] != f.VsyncID {
		number("token", tokens[f])
	}
	if int32(f.TID) != int32(f.Process.PID) {
		number("tid", int64(f.TID))
	}
	number("expected_ts", int64(f.Expected.Start))
	if f.Vsync != f.Expected.Start {
		number("vsync_ts", int64(f.Vsync))
	}
	number("deadline_ts", int64(f.Deadline))
	if int32(f.TID) != int32(f.Process.PID) {
		facts["judged_by"] = judgedByNobody
		if f.Deadline != 0 {
			facts["judged_by"] = judgedByMain
		}
	}
	number("coalesced", int64(f.Coalesced))
	if f.Period != 0 {
		facts["period_ms"] = float64(f.Period) / 1e6
	}
	fact("main_late", analyzer.MainLate)
	fact("gpu_late", analyzer.GPULate)
	fact("empty", analyzer.Empty)
	fact("misaligned", analyzer.Misaligned)
	switch late := f.Facts&(analyzer.MainLate|analyzer.GPULate) != 0; {
	case f.Facts&analyzer.Empty != 0:
		facts["flag"] = int64(2)
	case f.Kind == analyzer.RenderFrame && f.Facts&analyzer.Misaligned != 0:
		facts["flag"] = int64(3)
	case late:
		facts["flag"] = int64(1)
	}
	also := map[int64]bool{}
	for i, transaction := range f.Transactions {
		facts[fmt.Sprintf("transactions[%d]", i)] = transaction.Index
		number("sent_ts", int64(transaction.At))
		if r := transaction.AppliedBy; r != nil && r != f.Render && r.Facts&analyzer.Truncated == 0 && !also[tokens[r]] {
			number(fmt.Sprintf("also_taken_by[%d]", len(also)), tokens[r])
			also[tokens[r]] = true
		}
	}
	if f.Kind == analyzer.ApplicationFrame {
		if r := shownRender(f); r != nil {
			number("render_token", tokens[r])
		}
		return facts
	}
	facts["applications"] = int64(len(f.Applications))
	interval := func(name string, i analyzer.Interval) {
		number(name+"_ts", int64(i.Start))
		if i.Start != 0 && i.End != 0 {
			facts[name+"_ms"] = float64(i.End-i.Start) / 1e6
		}
	}
	interval("draw", f.Draw)
	interval("commit", f.Commit)
	if f.CommitEstimated {
		facts["commit_estimated"] = true
	}
	if len(f.GPU) > 0 {
		interval("gpu", analyzer.Interval{
			Start: slices.MinFunc(f.GPU, func(a, b analyzer.Interval) int { return cmp.Compare(a.Start, b.Start) }).Start,
			End:   slices.MaxFunc(f.GPU, func(a, b analyzer.Interval) int { return cmp.Compare(a.End, b.End) }).End,
		})
	}
	number("present_ts", int64(f.Present))
	if f.PresentEstimated {
		facts["present_estimated"] = true
	}
	return facts
}

// blameOf returns what made a whole frame late, "" if it was not.
func blameOf(app, render *analyzer.Frame, end int64) string {
	if !hasExpected(render) {
		return ""
	}
	waited := render.Actual.Start > app.Actual.End
	if hasExpected(app) {
		waited = render.Expected.Start > app.Expected.End
	}
	if end <= int64(render.Expected.End) && !(waited && app.Facts&analyzer.Misaligned != 0) {
		return ""
	}
	switch {
	case app.Facts&analyzer.MainLate != 0:
		return "application"
	case render.Facts&analyzer.MainLate != 0:
		return "render_cpu"
	case render.Facts&analyzer.GPULate != 0:
		return "render_gpu"
	}
	return "pick_up"
}

// ours are the slices of the tracks in Perfetto's tables, without the measures of processes,
// which the tests of package sql compare with the report.
const ours = `ours AS (
	SELECT s.id, s.ts, s.dur, s.depth, s.name, s.category, s.arg_set_id, track.name AS track, pid
	FROM slice s
	JOIN process_track track ON s.track_id = track.id
	JOIN process USING (upid)
	WHERE track.type GLOB '*_track_event' AND track.name NOT IN ('Report', 'Hitches'))`

// compareTracks compares slices, annotations and arrows with those expected.
func compareTracks(t *testing.T, session *engine.Session, list []*shownSlice, arrows rows) {
	t.Helper()
	var want, facts rows
	for _, s := range list {
		want.add(s.pid, s.track, s.ts, s.end-s.ts, s.name, s.category, 0)
		for name, value := range s.facts {
			if yes, ok := value.(bool); ok {
				value = truth(yes)
			}
			facts.add(s.pid, s.track, s.ts, s.name, "debug."+name, value)
		}
	}
	compare(t, "slices", query(t, session, "WITH "+ours+" SELECT pid, track, ts, dur, name, category, depth FROM ours"), want)
	compare(t, "annotations", query(t, session, "WITH "+ours+`
		SELECT pid, track, ours.ts, ours.name, args.key,
			CASE args.value_type WHEN 'real' THEN real_value WHEN 'string' THEN string_value ELSE int_value END
		FROM ours JOIN args USING (arg_set_id)`), facts)
	compare(t, "arrows", query(t, session, "WITH "+ours+`
		SELECT a.pid || ' ' || a.track || ' ' || a.ts || ' ' || a.name, b.pid || ' ' || b.track || ' ' || b.ts || ' ' || b.name
		FROM flow
		LEFT JOIN ours a ON slice_out = a.id
		LEFT JOIN ours b ON slice_in = b.id
		WHERE a.id IS NOT NULL OR b.id IS NOT NULL`), arrows)
}

// TestTracks compares what Perfetto has of the tracks with the timeline.
func TestTracks(t *testing.T) {
	frameTraces(t, func(t *testing.T, text string) {
		c := load(t, text, analyzer.Options{})
		enginetest.CheckGate(t, c.session)
		list, arrows := expectTracks(c.summary.Timeline, c.tokens)
		compareTracks(t, c.session, list, arrows)
		checkArrows(t, c.session)
		compareCounters(t, c)
		compareTree(t, c.session, list, c.summary.Timeline)
	})
}

// checkArrows checks that no arrow goes back in time: from a slice that begins after the
// other one, or from one of a stage that ends after it. The UI draws arrows from ends.
func checkArrows(t *testing.T, session *engine.Session) {
	t.Helper()
	compare(t, "arrows back in time", query(t, session, "WITH "+ours+`
		SELECT a.ts, a.name, b.ts, b.name
		FROM flow JOIN slice a ON slice_out = a.id JOIN slice b ON slice_in = b.id
		LEFT JOIN ours ON ours.id = a.id
		WHERE a.ts > b.ts OR a.ts + a.dur > b.ts AND ours.track NOT GLOB 'Why*'`), nil)
}

// compareTree compares the tracks' places as the UI shows them: under which
// track, and as which among those of one parent.
func compareTree(t *testing.T, session *engine.Session, list []*shownSlice, timeline *analyzer.Timeline) {
	t.Helper()
	has := map[string]bool{} // track of a process
	var threads []string     // in order of their first frames
	for _, s := range list {
		key := fmt.Sprint(s.pid, s.track)
		if !has[key] && strings.HasPrefix(s.track, "Frames (") {
			threads = append(threads, s.track)
		}
		has[key] = true
	}
	for _, c := range expectCounters(timeline) {
		has[fmt.Sprint(c.pid, c.name)] = true
	}
	order := slices.Concat(threads, []string{
		"Whole frame expected", "Whole frame actual", "GPU (Frame queued)", "Commit", "Present", "FPS", "Refresh rate"}) // and the measures
	var want rows
	for _, p := range timeline.Processes {
		n := 0
		for _, name := range order {
			if has[fmt.Sprint(int64(p.PID), name)] {
				n++
				want.add(int64(p.PID), "Frames", name, n)
			}
		}
		if n > 0 || has[fmt.Sprint(int64(p.PID), "Frames")] {
			want.add(int64(p.PID), nil, "Frames", 1)
		}
	}
	compare(t, "tree", query(t, session, `
		INCLUDE PERFETTO MODULE viz.summary.track_event;
		SELECT pid, parent.name, g.name, row_number() OVER (PARTITION BY pid, g.parent_id ORDER BY g.order_id)
		FROM _track_event_tracks_ordered_groups g
		JOIN process USING (upid)
		LEFT JOIN track parent ON g.parent_id = parent.id
		WHERE (has_data OR has_children) AND g.name NOT IN ('Report', 'Hitches')`), want)
}

// descriptorsOf returns the descriptions of tracks in a trace, by id.
func descriptorsOf(t *testing.T, data []byte) map[uint64]*perfettopb.TrackDescriptor {
	t.Helper()
	tracks := map[uint64]*perfettopb.TrackDescriptor{}
	for _, p := range packetsOf(t, data) {
		if d := p.GetTrackDescriptor(); d != nil {
			if tracks[d.GetUuid()] != nil {
				t.Errorf("track %d twice", d.GetUuid())
			}
			tracks[d.GetUuid()] = d
		}
	}
	return tracks
}

// Processes with frames come before all others: applications with late frames, those with
// most of them first, then render services, then other applications, those with most
// frames first. In a process the threads that make frames come first, the main thread
// before others. The engine at hand may be older than what reads this.
func TestProcessOrder(t *testing.T) {
	x := &textTrace{}
	third := thread{"third app", 50, 50, 0}
	fourth := thread{"fourth app", 60, 60, 0}
	for k := range int64(6) {
		x.appFrame(app, due(k)+100, due(k)+1_000, appVsync(k, k+1), int(k))
		x.workerFrame(uiWorker, due(k)+100, due(k)+1_000, appVsync(k, k+1), 100+int(k))
		x.renderFrame(due(k)+100, due(k)+1_000, renderVsync(k, k+1), due(k)+1_000, "")
		if k < 3 {
			begin, v := due(2*k)+100, appVsync(2*k, k+1)
			end := func(late bool) int64 { return begin + 900 + int64(truth(late))*casePeriod }
			x.appFrame(fourth, begin, end(false), v, int(k))
			x.appFrame(other, begin, end(k == 2), v, int(k))
			x.appFrame(third, begin, end(k != 1), v, int(k))
		}
	}
	x.mark(due(0), thread{"no frames", 10, 10, 0}, "I|10|here")
	data, _ := convert(t, x.String(), Options{AndroidCompat: true})
	tracks := descriptorsOf(t, data)
	if root := tracks[0]; root.GetProcessOrdering() != perfettopb.TrackDescriptor_PROCESS_ORDERING_EXPLICIT ||
		root.GetThreadOrdering() != perfettopb.TrackDescriptor_THREAD_ORDERING_EXPLICIT {
		t.Errorf("processes or threads are not ordered: %v", root)
	}
	processes, threads := map[int]int32{}, map[int]int32{} // ranks
	for _, d := range tracks {
		switch {
		case d.GetProcess() != nil:
			processes[int(d.GetProcess().GetPid())] = d.GetSiblingOrderRank()
		case d.GetThread() != nil:
			tid := int(d.GetThread().GetTid())
			if _, twice := threads[tid]; twice {
				t.Errorf("thread %d has two tracks, and is two threads for Perfetto", tid)
			}
			threads[tid] = d.GetSiblingOrderRank()
		}
	}
	check := func(ranks map[int]int32, order ...int) {
		t.Helper()
		for i, id := range order {
			if ranks[id] >= 0 || i > 0 && ranks[id] <= ranks[order[i-1]] {
				t.Errorf("%d has rank %d, after %v of %v", id, ranks[id], order[:i], ranks)
			}
		}
	}
	check(processes, third.pid, other.pid, rs.pid, app.pid, fourth.pid)
	check(threads, app.pid, uiWorker.tid)
	if len(processes) != 5 || len(threads) != 6 {
		t.Errorf("%d processes and %d threads have ranks", len(processes), len(threads))
	}
}

// handTrace is a trace in which stages of frames overlap or are missing, with
// what is to be shown, known from how it was written.
func handTrace() (text string, list []*shownSlice, arrows rows) {
	x := &textTrace{}
	show := func(t thread, track string, from, to int64, name string, facts map[string]any) *shownSlice {
		s := &shownSlice{track: track, pid: int64(t.pid), ts: from * 1000, end: to * 1000, name: name, facts: facts}
		if strings.Contains(name, "late") {
			s.category = "late"
		}
		list = append(list, s)
		return s
	}
	join := func(steps ...*shownSlice) {
		for i := 1; i < len(steps); i++ {
			arrows.add(steps[i-1].ends(), steps[i].ends())
		}
	}
	const gpu, commit, present = "GPU (Frame queued)", "Commit", "Present"
	expected := func(from, to int64, name string) { show(app, "Whole frame expected", from, to, name, nil) }
	actual := func(t thread, from, to int64, name string, facts map[string]any) {
		show(t, "Whole frame actual", from, to, name, facts)
	}

	// All stages; of two pieces of work on the GPU, which overlap, one is late.
	x.appFrame(app, due(0)+100, due(0)+5_000, appVsync(0, 1), 7, 8)
	x.renderFrame(due(1)+200, due(1)+6_000, renderVsync(1, 51), due(1)+1_000, " [200,7] [200,8]")
	x.gpu(due(1)+300, due(2)+6_250, 1)
	x.gpu(due(1)+400, due(1)+7_000, 2)
	x.present(due(1)+8_000, due(3), renderVsync(1, 51), 1)
	a1 := show(app, "Frames", due(0)+100, due(0)+5_000, "1", map[string]any{
		"vsync_id": int64(1), "expected_ts": due(0) * 1000, "deadline_ts": due(1) * 1000, "period_ms": 10.0,
		"transactions[0]": int64(7), "transactions[1]": int64(8), "sent_ts": (due(0) + 4_999) * 1000, "render_token": int64(51), "blame": "render_gpu"})
	r1 := show(rs, "Frames", due(1)+200, due(1)+6_000, "51 late 1.2 ms", map[string]any{
		"vsync_id": int64(51), "flag": int64(1), "expected_ts": due(1) * 1000, "deadline_ts": (due(2) + 5_000) * 1000, "period_ms": 10.0,
		"gpu_late": true, "overrun_ms": 1.25, "longest_stage": "render_gpu", "applications": int64(1), "gpu_ts": (due(1) + 300) * 1000, "gpu_ms": 15.95,
		"commit_ts": (due(1) + 8_000) * 1000, "commit_ms": 0.001, "present_ts": due(3) * 1000})
	g1 := show(rs, gpu, due(1)+300, due(2)+6_250, "51 late 1.2 ms", map[string]any{"deadline_ts": (due(2) + 5_000) * 1000, "overrun_ms": 1.25})
	g2 := show(rs, gpu, due(1)+400, due(1)+7_000, "51", map[string]any{"deadline_ts": (due(2) + 5_000) * 1000})
	c1 := show(rs, commit, due(1)+8_000, due(1)+8_001, "51", nil)
	p1 := show(rs, present, due(3), due(9), "51", nil)
	join(a1, r1, c1, p1) // the work on the GPU begins within the frame
	join(g2, c1)
	join(g1, p1) // the commit does not wait for it
	expected(due(0), due(2)+5_000, "1")
	actual(app, due(0)+100, due(2)+6_250, "1 late 1.2 ms", map[string]any{"render_token": int64(51), "blame": "render_gpu"})

	// Of a piece of work on the GPU the trace does not have the end, nor of the
	// commit; the display shows the frame all the same. The application is late.
	x.appFrame(app, due(4)+100, due(5)+2_400, appVsync(4, 2), 9)
	x.renderFrame(due(5)+2_500, due(5)+6_000, renderVsync(5, 52), due(5)+3_000, " [200,9]")
	x.mark(due(5)+2_600, rs, "S|100|H:M: Frame queued|3|M0538")
	lost := thread{"CompThread_1", 103, 100, 1}
	x.mark(due(5)+7_000, lost, fmt.Sprintf("B|100|H:CommitLayers screenId:0, rate:100,now:%d,vsyncId:52,size:1|M0538", due(5)*1000))
	x.slice(due(5)+7_000, due(5)+7_000, lost, "PresentFence_0 2")
	x.slice(due(5)+7_001, due(9), fence, "Waiting for PresentFence_0 2")
	a2 := show(app, "Frames", due(4)+100, due(5)+2_400, "2 late 2.4 ms", map[string]any{
		"vsync_id": int64(2), "flag": int64(1), "expected_ts": due(4) * 1000, "deadline_ts": due(5) * 1000, "period_ms": 10.0,
		"main_late": true, "overrun_ms": 2.4, "longest_stage": "ui_work",
		"transactions[0]": int64(9), "sent_ts": (due(5) + 2_399) * 1000, "render_token": int64(52)})
	r2 := show(rs, "Frames", due(5)+2_500, due(5)+6_000, "52", map[string]any{
		"vsync_id": int64(52), "expected_ts": due(5) * 1000, "deadline_ts": (due(6) + 5_000) * 1000, "period_ms": 10.0,
		"applications": int64(1), "commit_ts": (due(5) + 7_000) * 1000, "present_ts": due(9) * 1000})
	join(a2, r2, show(rs, present, due(9), due(30), "52", nil))
	expected(due(4), due(6)+5_000, "2")
	actual(app, due(4)+100, due(5)+6_000, "2", map[string]any{"render_token": int64(52)})

	// A commit, no present; two UI threads; the vsync id is that of a frame
	// before, so that on the frame timeline it is the first number after all others.
	x.appFrame(app, due(10)+100, due(10)+3_000, appVsync(10, 3), 10)
	x.workerFrame(uiWorker, due(10)+200, due(10)+4_000, appVsync(10, 3), 11)
	x.renderFrame(due(11)+100, due(11)+4_000, renderVsync(11, 52), due(11)+1_000, " [200,11] [200,10]")
	x.slice(due(11)+5_000, due(11)+6_000, comp, fmt.Sprintf("CommitLayers screenId:0, rate:100,now:%d,vsyncId:52,size:1", due(11)*1000))
	a3 := show(app, "Frames", due(10)+100, due(10)+3_000, "3", map[string]any{
		"vsync_id": int64(3), "expected_ts": due(10) * 1000, "deadline_ts": due(11) * 1000, "period_ms": 10.0,
		"transactions[0]": int64(10), "sent_ts": (due(10) + 2_999) * 1000, "render_token": int64(63)})
	w3 := show(uiWorker, "Frames (com.example-ui2 207)", due(10)+200, due(10)+4_000, "3", map[string]any{
		"vsync_id": int64(3), "tid": int64(207), "judged_by": judgedByMain, "vsync_ts": due(10) * 1000, "deadline_ts": due(11) * 1000, "period_ms": 10.0,
		"transactions[0]": int64(11), "sent_ts": (due(10) + 3_999) * 1000, "render_token": int64(63)})
	r3 := show(rs, "Frames", due(11)+100, due(11)+4_000, "52", map[string]any{
		"vsync_id": int64(52), "token": int64(63), "expected_ts": due(11) * 1000, "deadline_ts": (due(12) + 5_000) * 1000, "period_ms": 10.0,
		"applications": int64(2), "commit_ts": (due(11) + 5_000) * 1000, "commit_ms": 1.0})
	join(a3, r3, show(rs, commit, due(11)+5_000, due(11)+6_000, "52", nil))
	join(w3, r3)
	expected(due(10), due(12)+5_000, "3")
	actual(app, due(10)+100, due(11)+4_000, "3", map[string]any{"render_token": int64(63)})
	actual(app, due(10)+200, due(11)+4_000, "3", map[string]any{"render_token": int64(63)})

	// Picked up a vsync late: late, though it took no longer than it should have.
	// The other application begins after the frame that takes its own.
	x.appFrame(app, due(13)+100, due(13)+3_000, appVsync(13, 4), 12)
	x.renderFrame(due(15)+100, due(15)+9_000, renderVsync(15, 50), due(15)+7_000, " [200,12] [300,1]")
	x.appFrame(other, due(15)+2_000, due(15)+4_000, appVsync(14, 40), 1)
	a4 := show(app, "Frames", due(13)+100, due(13)+3_000, "4 misaligned", map[string]any{
		"vsync_id": int64(4), "expected_ts": due(13) * 1000, "deadline_ts": due(14) * 1000, "period_ms": 10.0, "misaligned": true,
		"transactions[0]": int64(12), "sent_ts": (due(13) + 2_999) * 1000, "render_token": int64(50), "blame": "pick_up"})
	show(other, "Frames", due(15)+2_000, due(15)+4_000, "40 late 4.0 ms", map[string]any{
		"vsync_id": int64(40), "flag": int64(1), "expected_ts": due(14) * 1000, "deadline_ts": due(15) * 1000, "period_ms": 10.0,
		"main_late": true, "overrun_ms": 4.0, "longest_stage": "vsync_to_received",
		"transactions[0]": int64(1), "sent_ts": (due(15) + 3_999) * 1000, "render_token": int64(50)})
	r4 := show(rs, "Frames", due(15)+100, due(15)+9_000, "50 misaligned", map[string]any{
		"vsync_id": int64(50), "flag": int64(3), "expected_ts": due(15) * 1000, "deadline_ts": (due(16) + 5_000) * 1000, "period_ms": 10.0,
		"misaligned": true, "applications": int64(2)})
	join(a4, r4)
	expected(due(13), due(16)+5_000, "4")
	actual(app, due(13)+100, due(15)+9_000, "4 picked up 1 vsync late", map[string]any{
		"render_token": int64(50), "blame": "pick_up", "made_for_end_ts": (due(15) + 5_000) * 1000})
	show(other, "Whole frame expected", due(14), due(16)+5_000, "40", nil)
	actual(other, due(15)+2_000, due(15)+9_000, "40", map[string]any{"render_token": int64(50)})

	// Nothing to draw, of either kind, and queued up vsyncs.
	v := appVsync(20, 5)
	x.mark(due(20)+100, app, "B|200|H:"+strings.Replace(v.name(), "24bytes", "72bytes", 1)+"|M0538")
	x.slice(due(20)+100, due(20)+200, app, "OnVsyncEvent")
	x.mark(due(20)+200, app, "E|200|M0538")
	x.renderFrame(due(21)+100, due(21)+200, renderVsync(21, 49), 0, "")
	show(app, "Frames", due(20)+100, due(20)+200, "5", map[string]any{
		"vsync_id": int64(5), "flag": int64(2), "expected_ts": due(20) * 1000, "deadline_ts": due(21) * 1000, "period_ms": 10.0,
		"empty": true, "coalesced": int64(2)})
	show(rs, "Frames", due(21)+100, due(21)+200, "49", map[string]any{
		"vsync_id": int64(49), "flag": int64(2), "expected_ts": due(21) * 1000, "deadline_ts": (due(22) + 5_000) * 1000, "period_ms": 10.0,
		"empty": true, "applications": int64(0)})

	// Two render frames take what one application frame sent.
	x.appFrame(app, due(23)+100, due(23)+3_000, appVsync(23, 6), 20, 21, 22)
	x.renderFrame(due(24)+100, due(24)+1_000, renderVsync(24, 61), due(24)+500, " [200,20] [200,21]")
	x.renderFrame(due(25)+100, due(25)+1_000, renderVsync(24, 62), due(25)+500, " [200,22]")
	a5 := show(app, "Frames", due(23)+100, due(23)+3_000, "6", map[string]any{
		"vsync_id": int64(6), "expected_ts": due(23) * 1000, "deadline_ts": due(24) * 1000, "period_ms": 10.0,
		"transactions[0]": int64(20), "transactions[1]": int64(21), "transactions[2]": int64(22),
		"sent_ts": (due(23) + 2_999) * 1000, "render_token": int64(62), "also_taken_by[0]": int64(61)})
	for k := range int64(2) {
		f := show(rs, "Frames", due(24+k)+100, due(24+k)+1_000, fmt.Sprint(61+k), map[string]any{
			"vsync_id": 61 + k, "expected_ts": due(24) * 1000, "deadline_ts": (due(25) + 5_000) * 1000, "period_ms": 10.0,
			"applications": k})
		if k == 1 {
			join(a5, f)
		}
	}
	expected(due(23), due(25)+5_000, "6")
	actual(app, due(23)+100, due(25)+1_000, "6", map[string]any{"render_token": int64(62)})

	// The trace ends within a frame.
	x.mark(due(29), app, "B|200|H:"+appVsync(29, 7).name()+"|M0538")
	x.mark(due(30), other, "I|300|the end")
	return x.String(), list, arrows
}

// TestTracksByHand checks what Perfetto shows against what was written down by
// hand, with nothing of ours between.
func TestTracksByHand(t *testing.T) {
	text, list, arrows := handTrace()
	c := load(t, text, analyzer.Options{})
	enginetest.CheckGate(t, c.session)
	compareTracks(t, c.session, list, arrows)
}

// Without tracks a trace has everything else.
func TestNoTracks(t *testing.T) {
	text, _ := casesTrace()
	var contents [2][]string
	for i, options := range []Options{{}, {NoTracks: true}} {
		data, _ := convert(t, text, options)
		tracks := 0
		for _, p := range packetsOf(t, data) {
			switch {
			case p.GetTrackDescriptor() != nil, p.GetTrackEvent() != nil:
				tracks++
			case p.GetTraceUuid() == nil:
				contents[i] = append(contents[i], p.String())
			}
		}
		if (tracks == 0) != options.NoTracks {
			t.Errorf("%+v: %d packets of tracks", options, tracks)
		}
	}
	if !slices.Equal(contents[0], contents[1]) {
		t.Error("the rest differs")
	}
}

// TestOptionsGate checks that Perfetto finds nothing wrong whatever is chosen.
func TestOptionsGate(t *testing.T) {
	text, _, _ := handTrace()
	for _, options := range []Options{ // others are checked where they are compared
		{NoTracks: true, AndroidCompat: true, Compress: true},
		{Events: NoEvents, AndroidCompat: true},
		{Events: NoEvents, NoTracks: true},
	} {
		data, _ := convert(t, text, options)
		session := enginetest.Load(t, data)
		enginetest.CheckGate(t, session)
		if n := query(t, session, "SELECT count(*) FROM actual_frame_timeline_slice"); n[0] != "15" {
			t.Errorf("%+v: %s frames", options, n[0])
		}
	}
}

// The tracks of a frame take about as much room as thirty markers.
func TestTracksSize(t *testing.T) {
	text := longTrace()
	with, summary := convert(t, text, Options{})
	without, _ := convert(t, text, Options{NoTracks: true})
	frames := len(shownFrames(summary.Timeline))
	if size := (len(with) - len(without)) / frames; size > 300 {
		t.Errorf("%d bytes for each of %d frames", size, frames)
	}
}

// An arrow goes from slice to slice: none is left without an end, or comes back
// in time. All that is said of tracks in numbers is in a sequence of its own.
func TestTrackPackets(t *testing.T) {
	cases, _ := casesTrace()
	byHand, _, _ := handTrace()
	for _, text := range []string{cases, byHand} {
		data, _ := convert(t, text, Options{})
		type stop struct {
			at   uint64
			last bool
		}
		flows := map[uint64][]stop{}
		sequences := map[uint32]bool{}
		begun := false
		for _, p := range packetsOf(t, data) {
			e := p.GetTrackEvent()
			if e == nil {
				sequences[p.GetTrustedPacketSequenceId()] = true
				continue
			}
			if sequences[p.GetTrustedPacketSequenceId()] {
				t.Fatalf("the sequence is not its own: %v", p)
			}
			if begins := p.GetSequenceFlags()&1 != 0; begins == begun || begins && p.GetInternedData().GetDebugAnnotationNames() == nil {
				t.Fatalf("the names come at another time: %v", p)
			}
			begun = true
			for _, id := range e.GetFlowIds() {
				flows[id] = append(flows[id], stop{p.GetTimestamp(), false})
			}
			for _, id := range e.GetTerminatingFlowIds() {
				flows[id] = append(flows[id], stop{p.GetTimestamp(), true})
			}
		}
		for id, stops := range flows {
			slices.SortStableFunc(stops, func(a, b stop) int { return cmp.Compare(a.at, b.at) })
			ends := slices.IndexFunc(stops, func(s stop) bool { return s.last })
			if id == 0 || len(stops) < 2 || ends >= 0 && ends != len(stops)-1 {
				t.Errorf("arrow %d: %v", id, stops)
			}
		}
	}
}

// Conversions that differ in their tracks are different traces.
func TestTracksIdentity(t *testing.T) {
	text, _, _ := handTrace()
	seen := map[[2]int64]bool{}
	for _, options := range []Options{{}, {Causes: true}, {NoTracks: true}, {AndroidCompat: true}, {NoTracks: true, AndroidCompat: true}} {
		data, _ := convert(t, text, options)
		id := uuidOf(t, data)
		if seen[id] {
			t.Errorf("%+v: has the identity of another", options)
		}
		seen[id] = true
	}
}
