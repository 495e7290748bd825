package record

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/record/device"
	"ohframe/internal/record/meta"
	"ohframe/internal/text"
)

// SayLength says how much of the recorded time is in a trace. limit is how long to record; zero if the user decides.
func SayLength(say func(Event), t *analyzer.Timeline, m *meta.Meta, limit time.Duration) {
	seconds := float64(t.Span.End.Sub(t.Span.Start)) / float64(trace.Second)
	recorded := m.Ended.Sub(m.Begun).Seconds()
	if limit > 0 {
		recorded = min(recorded, limit.Seconds())
	}
	complete := "complete"
	switch {
	case m.Written > m.Entries:
		lost := float64(m.Written-m.Entries) / float64(m.Written)
		complete = fmt.Sprintf("its start is lost: %.1f s, %.0f %% of the events; use a larger buffer (-b %dM) or fewer tags (sched takes most)",
			math.Max(0, recorded-seconds), 100*lost, min(2*m.BufferKB, device.MaxBuffer(&m.Device))/1024)
	case recorded-seconds > max(0.1*recorded, 0.2):
		complete = fmt.Sprintf("no events in the rest of the %.1f s recorded", recorded)
	}
	say(Event{
		Step: "trace", Text: fmt.Sprintf("Trace   %.1f s, %s; clock %s", seconds, complete, cmp.Or(m.Clock, "unknown")),
		Facts: map[string]any{
			"file": m.Trace, "seconds": seconds, "recorded_seconds": recorded, "clock": m.Clock,
			"entries": m.Entries, "written": m.Written, "complete": m.Written <= m.Entries,
		},
	})
}

// SayLaunch says how long the launch took, and whether the trace has its first frame.
func SayLaunch(say func(Event), computed *stats.Report) {
	i := slices.IndexFunc(computed.Interactions, func(i *stats.Interaction) bool { return i.Source.Kind == analyzer.LaunchInteraction })
	if i < 0 {
		return // older systems do not mark it
	}
	l := computed.Interactions[i]
	facts := map[string]any{"launch": l.Scene, "response_ms": l.Response}
	what := "its first frame is not in the trace; record longer (-t)"
	if l.Response != nil {
		what = fmt.Sprintf("first frame shown %s ms after its begin", text.Number(*l.Response, 1))
	}
	say(Event{Step: "launch", Text: fmt.Sprintf("Launch  %s: %s", l.Scene, what), Facts: facts})
}

// SayFrames says how many frames were late, and whether that can be trusted. name is the
// name of the converted files, or empty without any. It returns the number of frames of
// applications.
func SayFrames(say func(Event), t *analyzer.Timeline, quality *stats.Quality, computed *stats.Report, app, name string) (frames int) {
	judged, late := 0, 0
	for _, p := range computed.Processes {
		if p.Kind == stats.Application {
			frames, judged, late = frames+p.Frames.Complete, judged+p.Frames.Judged, late+p.Frames.Late
		}
	}
	facts := map[string]any{"frames": frames, "judged": judged, "late": late, "quality": quality.Verdict}
	files := ""
	if quality.Verdict != stats.Good {
		files = "; data quality: " + string(quality.Verdict)
	}
	if name != "" {
		facts["trace"], facts["report"] = name+".pftrace", name+".html"
		files += fmt.Sprintf("; %s.pftrace, %s.html", name, name)
	}
	var rate *float64
	if judged > 0 {
		rate = new(float64)
		*rate = float64(late) / float64(judged)
		facts["jank_rate"] = *rate
	}
	what := fmt.Sprintf("Jank    %s: %d late of %s%s", text.Share(rate), late, text.Count(judged, "judged frame"), files)
	if frames == 0 {
		what = fmt.Sprintf("Frames  none of %s: was the screen on, and did anything move?%s", cmp.Or(app, "applications"), otherApps(t))
	}
	say(Event{Step: "frames", Text: what, Facts: facts})
	return frames
}

// otherApps names the applications that made frames.
func otherApps(t *analyzer.Timeline) string {
	var names []string
	list, counts := t.ProcessCounts()
	for _, p := range list {
		if p.Name != "render_service" && counts[p].Frames > 0 {
			names = append(names, text.Printable(p.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " Frames of: " + strings.Join(names, ", ")
}
