package sql_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	"ohframe/internal/sql"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// TestSpeed compares the time that the engine needs for the modules with that for loading the
// trace. Joins that search a table row by row make it several times as long.
func TestSpeed(t *testing.T) {
	slow.Skip(t)
	enginetest.ForTest(t)
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	config := simulate.Everything()
	config.Duration, config.CutEnd = 30*trace.Second, false
	config.Rates, config.Apps = []simulate.Rate{{Hz: 120}}, nil
	for i := range 4 {
		config.Apps = append(config.Apps, simulate.App{Bundle: fmt.Sprint("com.example.a", i), PID: trace.PID(20000 + 300*i), Workers: i % 2})
	}
	var text bytes.Buffer
	must.Get(simulate.Write(&text, config))(t)
	output, _ := convert(t, &text, pftrace.Options{Analysis: analysis.Options{Causes: true}})
	session := load(t, output)
	processorTime := func() time.Duration { return must.Get(session.ProcessorTime())(t) }
	loaded := processorTime()
	time := func(modules ...string) time.Duration {
		script := must.Get(sql.Inline(modules...))(t)
		before := processorTime()
		query(t, session, script+"SELECT 1")
		return processorTime() - before
	}
	causes, all := time("ohos.why"), time(sql.Modules()...)
	if rows := query(t, session, "SELECT 1 FROM ohos_frame"); len(rows) < 10_000 {
		t.Errorf("%d frames", len(rows))
	}
	t.Logf("loaded in %v; causes %v, all %v", loaded, causes, all)
	if causes > loaded/10 || all > loaded/5 {
		t.Error("causes need more than a tenth of that, or all more than a fifth")
	}
	for _, view := range []string{"frame_slice", "frame_maps", "gpu_slice", "callstack", "app_startup", "animation", "static_initalize"} {
		before := processorTime()
		query(t, session, "SELECT count() FROM "+view)
		spent := processorTime() - before
		t.Logf("%s: %v", view, spent)
		if spent > loaded*2/5 {
			t.Errorf("%s needs more than two fifths of that", view)
		}
	}
}
