package sql_test

import (
	"bytes"
	"runtime"
	"strconv"
	"testing"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/exporter"
	"ohframe/internal/sql"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// TestSpeed compares the time that the engine needs for the modules with that for loading the
// trace. Joins that search a table row by row make it several times as long.
func TestSpeed(t *testing.T) {
	slow.Skip(t)
	slow.SkipRace(t)
	enginetest.ForTest(t)
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	config := simulate.Everything()
	config.Duration, config.CutEnd = 30*trace.Second, false
	config.Rates, config.Apps = []simulate.Rate{{Hz: 120}}, nil
	for i := range 4 {
		config.Apps = append(config.Apps, simulate.App{Bundle: "com.example.a" + strconv.Itoa(i), PID: trace.PID(20000 + 300*i), Workers: i % 2})
	}
	var text bytes.Buffer
	if _, err := simulate.Write(&text, config); err != nil {
		t.Fatal(err)
	}
	output, _ := convert(t, &text, exporter.Options{Causes: true})
	session := load(t, output)
	processorTime := func() time.Duration {
		d, err := session.ProcessorTime()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	loaded := processorTime()
	time := func(modules ...string) time.Duration {
		script, err := sql.Inline(modules...)
		if err != nil {
			t.Fatal(err)
		}
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
