package pftrace

import (
	"bytes"
	"strings"
	"testing"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/sample"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// The engine has every sample of a recording of hiperf, at its time, on its thread and processor,
// with the function that it counts for on its stack.
func TestRecordingInEngine(t *testing.T) {
	var text, perf bytes.Buffer
	scene := simulate.Scene{Kernel: simulate.KernelLinux, Cause: "more_work", Seed: 3}
	known := must.Get(scene.GenerateWithSamples(&text, &perf, simulate.Recording{Clock: simulate.ClockMonotonic, OffCPU: true}))(t)
	var want rows
	for _, s := range known.Recording.Samples {
		want.add(int64(s.Time), int64(s.PID), int64(s.TID), int64(s.CPU), float64(s.Period), 1)
	}
	o := Options{Analysis: analysis.Options{SamplesOffset: &known.Recording.Offset, Samples: func() (*sample.Recording, error) {
		return analysis.ReadSamples(bytes.NewReader(perf.Bytes()), int64(perf.Len()), perfdata.Options{})
	}}}
	data, s := convert(t, text.String(), o)
	if s.Refused != nil {
		t.Fatal(s.Refused)
	}
	session := enginetest.Load(t, data)
	enginetest.CheckGate(t, session)
	enginetest.Query(t, session, includePerf)
	compare(t, "samples", query(t, session, `
		SELECT s.ts, p.pid, t.tid, s.cpu, c.counter_value, s.callsite_id IS NOT NULL
		FROM perf_sample s JOIN thread t USING (utid) JOIN process p USING (upid)
		JOIN linux_perf_sample_with_counters c ON c.sample_id = s.id`), want)

	// Each sample's stack has the function that it counts for.
	var counted rows
	for _, s := range known.Recording.Samples {
		if s.Function != "" {
			name, _, _ := strings.Cut(s.Function, ":[url:") // the source file of a script
			counted.add(int64(s.Time), int64(s.TID), name)
		}
	}
	all := query(t, session, `
		WITH RECURSIVE calls(sample, id) AS (
			SELECT id, callsite_id FROM perf_sample WHERE callsite_id IS NOT NULL
			UNION ALL SELECT sample, c.parent_id FROM calls JOIN stack_profile_callsite c ON c.id = calls.id WHERE c.parent_id IS NOT NULL)
		SELECT DISTINCT s.ts, t.tid, f.name FROM calls JOIN perf_sample s ON s.id = calls.sample JOIN thread t USING (utid)
		JOIN stack_profile_callsite c ON c.id = calls.id JOIN stack_profile_frame f ON f.id = c.frame_id`)
	if len(counted) == 0 {
		t.Fatal("no sample counts for a function")
	}
	compare(t, "functions", without(counted, all), nil)
}
