package sql_test

import (
	"bytes"
	"testing"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// The tables have what the report has of an application whose frames are mostly empty, for a callback that is called
// in every second one, and nothing of one that draws.
func TestVsyncs(t *testing.T) {
	enginetest.ForTest(t)
	config := simulate.Default()
	config.Duration, config.Kernel, config.Chances.AppEmpty = 700*trace.Millisecond, simulate.KernelHongMeng, .8
	config.Apps[0].DisplaySyncs, config.Apps[0].Asks = []simulate.DisplaySync{{ID: 3, Type: -1, Rate: 2}, {ID: 4, Type: 0, Rate: 1}}, true
	var text bytes.Buffer
	must.Get(simulate.Write(&text, config))(t)
	output, timeline := convert(t, &text, pftrace.Options{NoEvents: true})
	report := stats.Compute(timeline, stats.Options{})
	session := load(t, output)
	query(t, session, "INCLUDE PERFETTO MODULE ohos.vsyncs; SELECT 1")
	var asking []stats.Requester
	for _, r := range report.Requesters {
		if r.Source.PID == config.Apps[0].PID {
			asking = append(asking, r)
		}
	}
	must.Equal(t, [2]int{len(asking), len(report.Callbacks)}, [2]int{1, 2})
	if !asking[0].Wasteful() || asking[0].CPU == nil || !report.Callbacks[0].OwnRate() && !report.Callbacks[1].OwnRate() {
		t.Errorf("%+v, %+v", asking, report.Callbacks)
	}
	checkTable(t, session, "ohos_requester", "", each(asking))
	checkTable(t, session, "ohos_callback", "", each(report.Callbacks))
}
