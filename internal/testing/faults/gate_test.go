package faults

import (
	"cmp"
	"slices"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/exporter"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/engine/enginetest"
)

// unavoidable are the statistics by which the engine tells of what is wrong with
// the text itself, and how many of each the text is known to give at the most.
// Everything else that the engine tells of is a fault of ours.
var unavoidable = map[string]func(lines []line) int64{
	// Who leaves a processor is not who came to it last: lines between them are
	// lost, or one of the two is damaged. Nobody knows when the first left.
	"mismatched_sched_switch_tids": contradictions,
}

// contradictions counts the switches that contradict the one before them on
// their processor.
func contradictions(lines []line) int64 {
	var switches []line
	for _, l := range lines {
		if l.ok && l.Kind == hitrace.SwitchEvent {
			switches = append(switches, l)
		}
	}
	slices.SortStableFunc(switches, func(a, b line) int { return cmp.Compare(a.Time, b.Time) })
	var n int64
	running := map[trace.CPU]trace.TID{}
	for i := range switches {
		l := &switches[i]
		s, ok := hitrace.ParseFields(l.Kind, l.Args).(*hitrace.Switch)
		if !ok {
			continue
		}
		cpu := min(l.CPU, 1023) // those above stand on the last that Perfetto has
		if was, known := running[cpu]; known && was != s.PrevTID {
			n++
		}
		running[cpu] = s.NextTID
	}
	return n
}

// checkGate loads what the damaged trace was converted to into the engine.
func (c *testCase) checkGate(t *testing.T) {
	options := exporter.Options{Analyzer: analyzer.Options{ClockOffset: &c.offset}, Events: exporter.AllEvents, AndroidCompat: c.number%2 == 1}
	output, _ := convert(t, c.text, options, 2)
	session := enginetest.Load(t, output)
	defer session.Close()
	table, err := session.Gate()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table.Rows {
		name, value := row[0].(string), row[4].(int64)
		if most := unavoidable[name]; most != nil && c.hits.scheduling && value <= most(eventsOf(t, c.text)) {
			t.Logf("%s: %d, as the text has it", name, value)
			continue
		}
		t.Errorf("the trace processor reports %v", row)
	}
	if t.Failed() {
		c.explain(t)
	}
}
