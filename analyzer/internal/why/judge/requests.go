package judge

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
)

// leastAsking is how long a thread is in a slice before a request for a vsync that was made in it arrives. The calls
// return before it does: what the thread has done since for less time may be something else.
const leastAsking = trace.Millisecond / 2

// maxReceivers is the number of threads of a connection that are looked at.
const maxReceivers = 8

// nameRequests sets the slices of requests for vsyncs. Those of render_service are made by threads that call it.
func nameRequests(r *threads.Record, t *analyzer.Timeline) {
	for _, q := range t.Requesters {
		if len(q.Asked) == 0 || q.Name == "rs" {
			continue
		}
		times := make([]trace.Time, len(q.Asked))
		for i := range q.Asked {
			times[i] = q.Asked[i].At
		}
		var receivers []trace.TID // mostly one
		for i := range q.Vsyncs {
			if tid := q.Vsyncs[i].TID; !slices.Contains(receivers, tid) && len(receivers) < maxReceivers {
				receivers = append(receivers, tid)
			}
		}
		for _, tid := range receivers {
			for i, key := range r.Around(tid, times, leastAsking) {
				if key != 0 && q.Asked[i].Slice == "" {
					q.Asked[i].Slice = r.Name(key)
				}
			}
		}
	}
}
