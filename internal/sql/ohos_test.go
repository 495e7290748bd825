package sql_test

import (
	"bytes"
	"io"
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

// convert converts a text trace.
func convert(t *testing.T, text io.Reader, options pftrace.Options) ([]byte, *analyzer.Timeline) {
	t.Helper()
	var out bytes.Buffer
	summary := must.Get(pftrace.Convert(t.Context(), text, &out, options))(t)
	return out.Bytes(), summary.Timeline
}

// timeColumn is the seconds of a line of a text trace.
var timeColumn = regexp.MustCompile(`(?m)(\] [^ ]+ +)(\d+)(\.\d+: )`)

// twice returns a trace that is followed by itself 100 s later. The time between the two is
// no gap between frames.
func twice(text string) string {
	return text + timeColumn.ReplaceAllStringFunc(text, func(column string) string {
		m := timeColumn.FindStringSubmatch(column)
		at, _ := strconv.Atoi(m[2])
		return m[1] + strconv.Itoa(at+100) + m[3]
	})
}

// TestModules compares the modules with the model on every trace there is.
func TestModules(t *testing.T) {
	enginetest.ForTest(t)
	for name, text := range traces(t) {
		t.Run(name, func(t *testing.T) {
			output, timeline := convert(t, strings.NewReader(text), pftrace.Options{})
			session := load(t, output)
			enginetest.CheckGate(t, session)
			checkModules(t, session, timeline)
		})
	}
}

// Measures of an input of two traces are those of the report.
func TestTwoTraces(t *testing.T) {
	slow.Skip(t)
	enginetest.ForTest(t)
	text := twice(tracetest.Read(t, "../../testdata/demo.ftrace"))
	output, timeline := convert(t, strings.NewReader(text), pftrace.Options{NoEvents: true})
	session := load(t, output)
	query(t, session, "INCLUDE PERFETTO MODULE ohos.fps; SELECT 1")
	report := stats.Compute(timeline, stats.Options{})
	if len(timeline.Parts) != 2 || len(report.Processes) == 0 || report.Processes[0].FPS.All < 10 {
		t.Fatalf("%d parts", len(timeline.Parts))
	}
	checkFPS(t, session, report)
}

// traces are text traces with frames by name: those of tracetest.Paths, and one of
// each era.
func traces(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, path := range tracetest.Paths(t) {
		if text := tracetest.Read(t, path); strings.Contains(text, "ReceiveVsync") {
			list[tracetest.Name(path)] = text
		}
	}
	for i, era := range slow.Of([]string{"harmonyos-6.1"}, []string{"5.0.3", "harmonyos-6.1"}) {
		config := simulate.Everything()
		config.Era, config.Seed, config.Kernel = era, uint64(i), simulate.KernelNone
		config.Duration *= 4
		var text strings.Builder
		must.Get(simulate.Write(&text, config))(t)
		list[era] = text.String()
	}
	configs := map[string]simulate.Config{"demonstration": simulate.Demonstration(), "layered": simulate.Layered()}
	if slow.Enabled() {
		maps.Copy(configs, simulate.BadScenes())
		for name, config := range simulate.BadLayers() {
			configs["layers, "+name] = config
		}
		configs["demonstration"], configs["scenes"], configs["launches"] = simulate.Demonstration(), simulate.Scenes(), simulate.Launches()
	}
	for name, config := range configs {
		var text strings.Builder
		must.Get(simulate.Write(&text, config))(t)
		list[name] = text.String()
	}
	return list
}

// Launches of a process that is not in the trace are there.
func TestProcessUnseen(t *testing.T) {
	enginetest.ForTest(t)
	config := simulate.Launches()
	config.Kernel = simulate.KernelNone // whose events name the process
	var text strings.Builder
	must.Get(simulate.Write(&text, config))(t)
	lines := regexp.MustCompile(`(?m)^.*\(21480\).*\n`).ReplaceAllString(text.String(), "")
	output, timeline := convert(t, strings.NewReader(lines), pftrace.Options{})
	session := load(t, output)
	query(t, session, "INCLUDE PERFETTO MODULE ohos.interactions; SELECT 1")
	report := stats.Compute(timeline, stats.Options{})
	if report.Interactions[0].PID != trace.UnknownPID {
		t.Fatalf("process %d", report.Interactions[0].PID)
	}
	checkInteractions(t, session, report)
}

// The frames per second of a steady application are right from the second frame on: the
// trace need not have lasted a second.
func TestFPSFromStart(t *testing.T) {
	enginetest.ForTest(t)
	var text strings.Builder
	must.Get(simulate.Write(&text, simulate.Default()))(t)
	output, _ := convert(t, strings.NewReader(text.String()), pftrace.Options{NoEvents: true})
	session := load(t, output)
	table := enginetest.Query(t, session, `
		INCLUDE PERFETTO MODULE ohos.fps;
		SELECT t.fps, f.fps, c.value FROM ohos_fps_over_time AS t JOIN ohos_fps AS f USING (upid)
		LEFT JOIN process_counter_track AS track ON track.upid = t.upid AND track.name = 'FPS'
		LEFT JOIN counter AS c ON c.track_id = track.id AND c.ts = t.ts`)
	if len(table.Rows) < 100 { // of the application and render_service, at 60 Hz
		t.Errorf("%d rows", len(table.Rows))
	}
	for _, row := range table.Rows {
		now, report, counter := row[0].(float64), row[1].(float64), row[2]
		if math.Abs(now-60) > 1 || math.Abs(report-60) > 1 || counter != now {
			t.Fatalf("%v frames per second now, the report says %v, the track %v", now, report, counter)
		}
	}
}
