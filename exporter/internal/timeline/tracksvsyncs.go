package timeline

import (
	"fmt"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/exporter/internal/annotation"
)

// writeVsyncs writes what the report says of the processes that ask for vsyncs and draw nothing, and of those with
// callbacks at a rate of their own: a slice from the first vsync to the last one.
func writeVsyncs(t *analyzer.Timeline, report *stats.Report, pipelines map[*analyzer.Process]*pipeline) {
	requesters, callbacks := map[*analyzer.Process][]stats.Requester{}, map[*analyzer.Process][]stats.Callback{}
	said := map[*analyzer.Process]bool{}
	for i := range report.Requesters {
		r := &report.Requesters[i]
		requesters[r.Source] = append(requesters[r.Source], *r)
		said[r.Source] = said[r.Source] || r.Wasteful()
	}
	for i := range report.Callbacks {
		c := &report.Callbacks[i]
		callbacks[c.Source] = append(callbacks[c.Source], *c)
		said[c.Source] = said[c.Source] || c.OwnRate()
	}
	written := map[*analyzer.Process]bool{}
	for _, r := range t.Requesters {
		p := pipelines[r.Process]
		if p == nil || !said[r.Process] || written[r.Process] {
			continue
		}
		written[r.Process] = true
		s := slice{colour: reportColour}
		for _, o := range t.Requesters {
			if n := len(o.Vsyncs); o.Process == r.Process && n > 0 {
				if first := o.Vsyncs[0].At; !s.Start.Known() || first < s.Start {
					s.Start = first
				}
				s.End = max(s.End, o.Vsyncs[n-1].At)
			}
		}
		judged, unused := 0, 0
		for i := range requesters[r.Process] {
			judged, unused = judged+requesters[r.Process][i].Judged, unused+requesters[r.Process][i].Unused
		}
		if !s.Start.Known() {
			continue
		}
		s.name = fmt.Appendf(s.name, "%d of %d vsyncs unused", unused, judged)
		s.annotations.tree(p.w, annotation.Requesters, requesters[r.Process])
		s.annotations.tree(p.w, annotation.Callbacks, callbacks[r.Process])
		p.w.slice(p.lanes(vsyncsTrack, "The vsyncs that the process asked for and that led to no new picture, and callbacks at a rate of their own.").track(s.Interval), &s)
	}
}
