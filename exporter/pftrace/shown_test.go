package pftrace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/internal/perfettopb"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
)

// Tests compare what Perfetto is to show as lines of text, by section:
//
//	frames    the slices of frame timelines: PID TOKEN expected|actual FROM..TO "in" DISPLAY_TOKEN VERDICT
//	tracks    the slices of other tracks: PID[/TID] TRACK FROM..TO NAME (CATEGORY) ARGUMENTS
//	arrows    between those: FROM_SLICE -> TO_SLICE
//	counters  PID TRACK TIME VALUE
//	colours   PID[/TID] TRACK FROM NAME: CORRELATION_ID
//	order     PID PARENT: the tracks below it, from top to bottom
//
// packetSections reads them in the packets of a trace, and engineSections in the tables
// of the trace processor.
type sections map[string][]string

func (s sections) add(section, format string, args ...any) {
	s[section] = append(s[section], fmt.Sprintf(format, args...))
}

// frameTexts are the trace processor's words for the numbers of the schema.
var (
	jankTexts = []string{
		"Unspecified", "None", "SurfaceFlinger Scheduling", "Prediction Error", "Display HAL", "SurfaceFlinger CPU Deadline Missed",
		"SurfaceFlinger GPU Deadline Missed", "App Deadline Missed", "Buffer Stuffing", "Unknown Jank", "SurfaceFlinger Stuffing", "Dropped Frame", "Non Animating",
	}
	presentTexts    = []string{"Unspecified Present", "On-time Present", "Late Present", "Early Present", "Dropped Frame", "Unknown Present"}
	predictionTexts = []string{"Unspecified Prediction", "Valid Prediction", "Expired Prediction", "Unknown Prediction"}
	severityTexts   = []string{"Unknown", "None", "Partial", "Full"}
)

// actualFrame is what surface frames and display frames have in common.
type actualFrame interface {
	GetJankType() int32
	GetPresentType() perfettopb.FrameTimelineEvent_PresentType
	GetPredictionType() perfettopb.FrameTimelineEvent_PredictionType
	GetJankSeverityType() perfettopb.FrameTimelineEvent_JankSeverityType
	GetOnTimeFinish() bool
	GetGpuComposition() bool
	GetPresentDelayMillis() float32
	GetJankSeverityScore() float32
}

// verdictText describes what a trace states about a frame.
func verdictText(f actualFrame) string {
	var janks []string
	for i, text := range jankTexts[1:] {
		if f.GetJankType()>>i&1 != 0 {
			janks = append(janks, text)
		}
	}
	text := fmt.Sprintf("%s; %s; %s; %s", strings.Join(janks, ", "), presentTexts[f.GetPresentType()], predictionTexts[f.GetPredictionType()], severityTexts[f.GetJankSeverityType()])
	if f.GetOnTimeFinish() {
		text += "; on time"
	}
	if f.GetGpuComposition() {
		text += "; GPU"
	}
	if delay := f.GetPresentDelayMillis(); delay == delay { // NaN if unknown
		text += fmt.Sprintf("; %.5g ms", delay)
	}
	if score := f.GetJankSeverityScore(); score != 0 {
		text += fmt.Sprintf("; score %.4g", score)
	}
	return text
}

// frameStart returns the cookie of a frame that starts at a time, and its line with a place
// for the end.
func frameStart(e *perfettopb.FrameTimelineEvent, at uint64) (cookie int64, line string) {
	switch e := e.GetEvent().(type) {
	case *perfettopb.FrameTimelineEvent_ExpectedSurfaceFrameStart_:
		f := e.ExpectedSurfaceFrameStart
		return f.GetCookie(), fmt.Sprintf("%d %d expected %d..%%d in %d on %s", f.GetPid(), f.GetToken(), at, f.GetDisplayFrameToken(), f.GetLayerName())
	case *perfettopb.FrameTimelineEvent_ExpectedDisplayFrameStart_:
		f := e.ExpectedDisplayFrameStart
		return f.GetCookie(), fmt.Sprintf("%d %d expected %d..%%d", f.GetPid(), f.GetToken(), at)
	case *perfettopb.FrameTimelineEvent_ActualSurfaceFrameStart_:
		f := e.ActualSurfaceFrameStart
		return f.GetCookie(), fmt.Sprintf("%d %d actual %d..%%d in %d on %s: %s", f.GetPid(), f.GetToken(), at, f.GetDisplayFrameToken(), f.GetLayerName(), verdictText(f))
	case *perfettopb.FrameTimelineEvent_ActualDisplayFrameStart_:
		f := e.ActualDisplayFrameStart
		return f.GetCookie(), fmt.Sprintf("%d %d actual %d..%%d: %s", f.GetPid(), f.GetToken(), at, verdictText(f))
	}
	return 0, ""
}

// trackState is what packets of tracks refer to: texts by number, and tracks.
type trackState struct {
	names, keys, texts, correlations map[uint64]string
	tracks                           map[uint64]*perfettopb.TrackDescriptor
}

func newTrackState() *trackState {
	return &trackState{map[uint64]string{}, map[uint64]string{}, map[uint64]string{}, map[uint64]string{}, map[uint64]*perfettopb.TrackDescriptor{}}
}

func (s *trackState) add(p *perfettopb.TracePacket) {
	data := p.GetInternedData()
	for _, n := range data.GetEventNames() {
		s.names[n.GetIid()] = n.GetName()
	}
	for _, n := range data.GetDebugAnnotationNames() {
		s.keys[n.GetIid()] = n.GetName()
	}
	for _, n := range data.GetDebugAnnotationStringValues() {
		s.texts[n.GetIid()] = string(n.GetStr())
	}
	for _, n := range data.GetCorrelationIdStr() {
		s.correlations[n.GetIid()] = string(n.GetStr())
	}
	if d := p.GetTrackDescriptor(); d != nil {
		s.tracks[d.GetUuid()] = d
	}
}

func (s *trackState) sliceName(e *perfettopb.TrackEvent) string {
	if id := e.GetNameIid(); id != 0 {
		return s.names[id]
	}
	return e.GetName()
}

// arguments returns an annotation as KEY=VALUE, with the keys that Perfetto gives the
// elements of lists and dictionaries.
func (s *trackState) arguments(a *perfettopb.DebugAnnotation, within string) (list []string) {
	key := a.GetName()
	if id := a.GetNameIid(); id != 0 {
		key = s.keys[id]
	}
	key = within + key
	for _, entry := range a.GetDictEntries() {
		list = append(list, s.arguments(entry, key+".")...)
	}
	for i, element := range a.GetArrayValues() {
		list = append(list, s.arguments(element, fmt.Sprintf("%s[%d]", key, i))...)
	}
	switch v := a.GetValue().(type) {
	case *perfettopb.DebugAnnotation_BoolValue:
		list = append(list, fmt.Sprintf("%s=%t", key, v.BoolValue))
	case *perfettopb.DebugAnnotation_IntValue:
		list = append(list, fmt.Sprintf("%s=%d", key, v.IntValue))
	case *perfettopb.DebugAnnotation_DoubleValue:
		list = append(list, fmt.Sprintf("%s=%.15g", key, v.DoubleValue))
	case *perfettopb.DebugAnnotation_StringValue:
		list = append(list, fmt.Sprintf("%s=%q", key, v.StringValue))
	case *perfettopb.DebugAnnotation_StringValueIid:
		list = append(list, fmt.Sprintf("%s=%q", key, s.texts[v.StringValueIid]))
	}
	return list
}

// label returns "PID NAME" or, for a track of a thread, "PID/TID NAME".
func (s *trackState) label(id uint64) string {
	name := s.tracks[id].GetName()
	for id != 0 {
		d := s.tracks[id]
		switch {
		case d.GetThread() != nil:
			return fmt.Sprintf("%d/%d %s", d.GetThread().GetPid(), d.GetThread().GetTid(), name)
		case d.GetProcess() != nil:
			return fmt.Sprintf("%d %s", d.GetProcess().GetPid(), name)
		}
		id = d.GetParentUuid()
	}
	return name
}

// addOrder adds the order of the tracks below each one that orders them.
func (s *trackState) addOrder(to sections) {
	children := map[string][]*perfettopb.TrackDescriptor{}
	for _, d := range s.tracks {
		if parent := s.tracks[d.GetParentUuid()]; d.ParentUuid != nil && parent.GetChildOrdering() == perfettopb.TrackDescriptor_EXPLICIT {
			label := s.label(d.GetParentUuid())
			children[label] = append(children[label], d)
		}
	}
	for label, list := range children {
		slices.SortFunc(list, func(a, b *perfettopb.TrackDescriptor) int {
			return cmp.Compare(a.GetSiblingOrderRank(), b.GetSiblingOrderRank())
		})
		var names []string
		for _, d := range list {
			names = append(names, d.GetName())
		}
		to.add("order", "%s: %s", label, strings.Join(slices.Compact(names), "; ")) // lanes are one track to Perfetto
	}
}

// begun is a slice of a track that has begun.
type begun struct {
	at    uint64
	label string
	event *perfettopb.TrackEvent
}

// packetSections reads the sections in the packets of a trace.
func packetSections(t testing.TB, data []byte) sections {
	t.Helper()
	s := sections{}
	state := newTrackState()
	frames := map[int64]string{}  // by cookie, up to their end
	open := map[uint64][]begun{}  // by track, the innermost last
	flows := map[uint64][]begun{} // slices that an arrow joins
	for _, p := range packetsOf(t, data) {
		at := p.GetTimestamp()
		state.add(p)
		if e := p.GetFrameTimelineEvent(); e.GetFrameEnd() != nil {
			s.add("frames", frames[e.GetFrameEnd().GetCookie()], at)
			delete(frames, e.GetFrameEnd().GetCookie())
		} else if e != nil {
			cookie, line := frameStart(e, at)
			frames[cookie] = line
		}
		e := ownEvent(p)
		if e == nil {
			continue
		}
		track := state.label(e.GetTrackUuid())
		switch e.GetType() {
		case perfettopb.TrackEvent_TYPE_COUNTER:
			s.add("counters", "%s %d %.15g", track, at, e.GetDoubleCounterValue())
		case perfettopb.TrackEvent_TYPE_SLICE_BEGIN:
			b := begun{at, fmt.Sprintf("%s %d %s", track, at, state.sliceName(e)), e}
			open[e.GetTrackUuid()] = append(open[e.GetTrackUuid()], b)
			if id := e.GetCorrelationIdStrIid(); id != 0 {
				s.add("colours", "%s: %s", b.label, state.correlations[id])
			}
			for _, flow := range slices.Concat(e.GetFlowIds(), e.GetTerminatingFlowIds()) {
				flows[flow] = append(flows[flow], b)
			}
		case perfettopb.TrackEvent_TYPE_SLICE_END:
			list := open[e.GetTrackUuid()]
			b := list[len(list)-1]
			if open[e.GetTrackUuid()] = list[:len(list)-1]; len(list) == 1 {
				delete(open, e.GetTrackUuid())
			}
			var arguments []string
			for _, a := range b.event.GetDebugAnnotations() {
				arguments = append(arguments, state.arguments(a, "")...)
			}
			s.addSlice(track, int64(b.at), int64(at), state.sliceName(b.event), len(b.event.GetCategoryIids()) > 0, arguments)
		}
	}
	if len(frames)+len(open) > 0 {
		t.Errorf("%d frames and %d slices do not end", len(frames), len(open))
	}
	for _, list := range flows {
		slices.SortStableFunc(list, func(a, b begun) int { return cmp.Compare(a.at, b.at) })
		for i := range list[1:] {
			s.add("arrows", "%s -> %s", list[i].label, list[i+1].label)
		}
	}
	state.addOrder(s)
	return s.sorted()
}

// addSlice adds a slice. The argument ts, which every slice with arguments has, is left out if it
// is the start.
func (s sections) addSlice(track string, from, to int64, name string, late bool, arguments []string) {
	if n := len(arguments); n > 0 {
		arguments = slices.DeleteFunc(slices.Clone(arguments), func(a string) bool { return a == fmt.Sprintf("ts=%d", from) })
		if len(arguments) == n {
			arguments = append(arguments, "no ts")
		}
	}
	line := fmt.Sprintf("%s %d..%d %s", track, from, to, name)
	if late {
		line += " (late)"
	}
	slices.Sort(arguments)
	s.add("tracks", "%s", strings.TrimSpace(line+" "+strings.Join(arguments, " ")))
}

func (s sections) sorted() sections {
	for _, lines := range s {
		slices.Sort(lines)
	}
	return s
}

// engineSections reads the sections in the tables of the trace processor.
func engineSections(t testing.TB, session *engine.Session) sections {
	t.Helper()
	s := sections{}
	lines := func(section, sql string) {
		for _, row := range enginetest.Query(t, session, sql).Rows {
			s.add(section, "%s", row[0])
		}
	}
	const slice = " s JOIN process p USING (upid)"
	lines("frames", `SELECT printf('%d %s expected %d..%d', pid, s.name, ts, ts + dur)
			|| iif(layer_name IS NULL, '', printf(' in %d on %s', display_frame_token, layer_name))
		FROM expected_frame_timeline_slice`+slice)
	lines("frames", `SELECT printf('%d %s actual %d..%d', pid, s.name, ts, ts + dur)
			|| iif(layer_name IS NULL, '', printf(' in %d on %s', display_frame_token, layer_name))
			|| printf(': %s; %s; %s; %s', jank_type, present_type, prediction_type, jank_severity_type)
			|| iif(on_time_finish, '; on time', '') || iif(gpu_composition, '; GPU', '')
			|| iif(extract_arg(s.arg_set_id, 'Present Delay (ms)') IS NULL, '', printf('; %.5g ms', extract_arg(s.arg_set_id, 'Present Delay (ms)')))
			|| iif(jank_score = 0, '', printf('; score %.4g', jank_score))
		FROM actual_frame_timeline_slice`+slice)
	const labels = `WITH label AS MATERIALIZED (
		SELECT s.id, s.ts, s.dur, s.name, s.category, s.arg_set_id, coalesce(coalesce(p.pid, o.pid) || coalesce('/' || tid, '') || ' ', '') || track.name AS track
		FROM slice s JOIN track ON track.id = s.track_id
		LEFT JOIN process_track pt ON pt.id = s.track_id LEFT JOIN process p ON p.upid = pt.upid
		LEFT JOIN thread_track tt ON tt.id = s.track_id LEFT JOIN thread h USING (utid) LEFT JOIN process o ON o.upid = h.upid
		WHERE track.type GLOB '*track_event')`
	lines("arrows", labels+`SELECT printf('%s %d %s -> %s %d %s', a.track, a.ts, a.name, b.track, b.ts, b.name)
		FROM flow JOIN label a ON a.id = slice_out JOIN label b ON b.id = slice_in`)
	lines("colours", labels+`SELECT printf('%s %d %s: %s', track, ts, name, extract_arg(arg_set_id, 'correlation_id')) FROM label
		WHERE extract_arg(arg_set_id, 'correlation_id') IS NOT NULL`)
	lines("counters", `SELECT coalesce(pid || ' ', '') || printf('%s %d %.15g', track.name, ts, value)
		FROM counter JOIN track ON track.id = track_id LEFT JOIN process_counter_track k ON k.id = track_id LEFT JOIN process USING (upid) WHERE track.type GLOB '*track_event'`)
	lines("order", `INCLUDE PERFETTO MODULE viz.summary.track_event;
		SELECT coalesce(pid || ' ', '') || parent.name || ': ' || group_concat(g.name, '; ' ORDER BY g.order_id)
		FROM _track_event_tracks_ordered_groups g
		LEFT JOIN process USING (upid) JOIN track parent ON g.parent_id = parent.id
		GROUP BY g.parent_id`)
	arguments := map[any][]string{}
	for _, row := range enginetest.Query(t, session, `SELECT arg_set_id, substr(key, 7), value_type, int_value, string_value, real_value
		FROM args WHERE key GLOB 'debug.*'`).Rows {
		text := fmt.Sprint(row[3])
		switch row[2] {
		case "bool":
			text = fmt.Sprint(row[3] == int64(1))
		case "string":
			text = fmt.Sprintf("%q", row[4])
		case "real":
			text = fmt.Sprintf("%.15g", row[5])
		}
		arguments[row[0]] = append(arguments[row[0]], fmt.Sprintf("%s=%s", row[1], text))
	}
	for _, row := range enginetest.Query(t, session, labels+"SELECT track, ts, dur, name, category IS 'late', arg_set_id FROM label").Rows {
		from := row[1].(int64)
		s.addSlice(row[0].(string), from, from+row[2].(int64), row[3].(string), row[4] == int64(1), arguments[row[5]])
	}
	return s.sorted()
}
