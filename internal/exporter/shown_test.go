package exporter

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
	return text
}

// packetSections reads the sections in the packets of a trace.
func packetSections(t testing.TB, data []byte) sections {
	t.Helper()
	s := sections{}
	open := map[int64]string{} // frames by cookie, up to their end
	tracks := map[uint64]*perfettopb.TrackDescriptor{}
	names, keys, texts := map[uint64]string{}, map[uint64]string{}, map[uint64]string{}
	type slice struct {
		at    uint64
		label string
		args  []string
		late  bool
	}
	begun := map[uint64]slice{}   // by track
	flows := map[uint64][]slice{} // those that an arrow joins
	var value func(a *perfettopb.DebugAnnotation, key string) []string
	value = func(a *perfettopb.DebugAnnotation, key string) (list []string) {
		for _, entry := range a.GetDictEntries() {
			list = append(list, value(entry, key+"."+annotationName(entry, keys))...)
		}
		for i, element := range a.GetArrayValues() {
			list = append(list, value(element, fmt.Sprintf("%s[%d]", key, i))...)
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
			list = append(list, fmt.Sprintf("%s=%q", key, texts[v.StringValueIid]))
		}
		return list
	}
	for _, p := range packetsOf(t, data) {
		at := p.GetTimestamp()
		for _, n := range p.GetInternedData().GetEventNames() {
			names[n.GetIid()] = n.GetName()
		}
		for _, n := range p.GetInternedData().GetDebugAnnotationNames() {
			keys[n.GetIid()] = n.GetName()
		}
		for _, n := range p.GetInternedData().GetDebugAnnotationStringValues() {
			texts[n.GetIid()] = string(n.GetStr())
		}
		if d := p.GetTrackDescriptor(); d != nil {
			tracks[d.GetUuid()] = d
		}
		switch e := p.GetFrameTimelineEvent().GetEvent().(type) {
		case *perfettopb.FrameTimelineEvent_ExpectedSurfaceFrameStart_:
			f := e.ExpectedSurfaceFrameStart
			open[f.GetCookie()] = fmt.Sprintf("%d %d expected %d..%%d in %d on %s", f.GetPid(), f.GetToken(), at, f.GetDisplayFrameToken(), f.GetLayerName())
		case *perfettopb.FrameTimelineEvent_ExpectedDisplayFrameStart_:
			f := e.ExpectedDisplayFrameStart
			open[f.GetCookie()] = fmt.Sprintf("%d %d expected %d..%%d", f.GetPid(), f.GetToken(), at)
		case *perfettopb.FrameTimelineEvent_ActualSurfaceFrameStart_:
			f := e.ActualSurfaceFrameStart
			open[f.GetCookie()] = fmt.Sprintf("%d %d actual %d..%%d in %d on %s: %s", f.GetPid(), f.GetToken(), at, f.GetDisplayFrameToken(), f.GetLayerName(), verdictText(f))
		case *perfettopb.FrameTimelineEvent_ActualDisplayFrameStart_:
			f := e.ActualDisplayFrameStart
			open[f.GetCookie()] = fmt.Sprintf("%d %d actual %d..%%d: %s", f.GetPid(), f.GetToken(), at, verdictText(f))
		case *perfettopb.FrameTimelineEvent_FrameEnd_:
			s.add("frames", open[e.FrameEnd.GetCookie()], at)
			delete(open, e.FrameEnd.GetCookie())
		}
		e := p.GetTrackEvent()
		if e == nil {
			continue
		}
		id := e.GetTrackUuid()
		track := trackLabel(tracks, id)
		switch e.GetType() {
		case perfettopb.TrackEvent_TYPE_COUNTER:
			s.add("counters", "%s %d %.15g", track, at, e.GetDoubleCounterValue())
		case perfettopb.TrackEvent_TYPE_SLICE_BEGIN:
			name := e.GetName()
			if e.GetNameIid() != 0 {
				name = names[e.GetNameIid()]
			}
			begin := slice{at: at, label: fmt.Sprintf("%s %d %s", track, at, name), late: len(e.GetCategoryIids()) > 0}
			for _, a := range e.GetDebugAnnotations() {
				begin.args = append(begin.args, value(a, annotationName(a, keys))...)
			}
			begun[id] = begin
			for _, flow := range slices.Concat(e.GetFlowIds(), e.GetTerminatingFlowIds()) {
				flows[flow] = append(flows[flow], begin)
			}
		case perfettopb.TrackEvent_TYPE_SLICE_END:
			begin := begun[id]
			delete(begun, id)
			name := strings.TrimPrefix(begin.label, fmt.Sprintf("%s %d ", track, begin.at))
			s.addSlice(track, int64(begin.at), int64(at), name, begin.late, begin.args)
		}
	}
	if len(open) > 0 {
		t.Errorf("%d frames do not end", len(open))
	}
	if len(begun) > 0 {
		t.Errorf("%d slices do not end", len(begun))
	}
	for _, list := range flows {
		slices.SortStableFunc(list, func(a, b slice) int { return cmp.Compare(a.at, b.at) })
		for i := range list[1:] {
			s.add("arrows", "%s -> %s", list[i].label, list[i+1].label)
		}
	}
	children := map[string][]*perfettopb.TrackDescriptor{}
	for _, d := range tracks {
		if parent := tracks[d.GetParentUuid()]; d.ParentUuid != nil && parent.GetChildOrdering() == perfettopb.TrackDescriptor_EXPLICIT {
			label := trackLabel(tracks, d.GetParentUuid())
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
		s.add("order", "%s: %s", label, strings.Join(slices.Compact(names), "; ")) // lanes are one track to Perfetto
	}
	return s.sorted()
}

func (s sections) addSlice(track string, from, to int64, name string, late bool, arguments []string) {
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

func annotationName(a *perfettopb.DebugAnnotation, interned map[uint64]string) string {
	if id := a.GetNameIid(); id != 0 {
		return interned[id]
	}
	return a.GetName()
}

// trackLabel returns "PID NAME" or, for a track of a thread, "PID/TID NAME".
func trackLabel(tracks map[uint64]*perfettopb.TrackDescriptor, id uint64) string {
	name := tracks[id].GetName()
	for id != 0 {
		d := tracks[id]
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
		FROM actual_frame_timeline_slice`+slice)
	const labels = `WITH label AS MATERIALIZED (
		SELECT s.id, s.ts, s.dur, s.name, s.category, s.arg_set_id, coalesce(p.pid, o.pid) || coalesce('/' || tid, '') || ' ' || track.name AS track
		FROM slice s JOIN track ON track.id = s.track_id
		LEFT JOIN process_track pt ON pt.id = s.track_id LEFT JOIN process p ON p.upid = pt.upid
		LEFT JOIN thread_track tt ON tt.id = s.track_id LEFT JOIN thread h USING (utid) LEFT JOIN process o ON o.upid = h.upid
		WHERE track.type GLOB '*track_event')`
	lines("arrows", labels+`SELECT printf('%s %d %s -> %s %d %s', a.track, a.ts, a.name, b.track, b.ts, b.name)
		FROM flow JOIN label a ON a.id = slice_out JOIN label b ON b.id = slice_in`)
	lines("counters", `SELECT printf('%d %s %d %.15g', pid, track.name, ts, value)
		FROM counter JOIN process_counter_track track ON track.id = track_id JOIN process USING (upid) WHERE track.type GLOB '*track_event'`)
	lines("order", `INCLUDE PERFETTO MODULE viz.summary.track_event;
		SELECT pid || ' ' || parent.name || ': ' || group_concat(g.name, '; ' ORDER BY g.order_id)
		FROM _track_event_tracks_ordered_groups g
		JOIN process USING (upid) JOIN track parent ON g.parent_id = parent.id
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
