package sql_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
	"time"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	"ohframe/internal/sql"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// fast returns a large trace for tests of speed, and skips them where they cannot run.
func fast(t *testing.T) ([]byte, *analyzer.Timeline) {
	t.Helper()
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
	must.Get(simulate.Write(&text, config))(t)
	return convert(t, &text, pftrace.Options{Analysis: analysis.Options{Causes: true}})
}

// TestSpeed compares the time that the engine needs for the modules with that for loading the
// trace. Joins that search a table row by row make it several times as long.
func TestSpeed(t *testing.T) {
	output, _ := fast(t)
	session := load(t, output)
	processorTime := func() time.Duration {
		d := must.Get(session.ProcessorTime())(t)
		return d
	}
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

// TestFunctionSpeed does the same for the functions of frames, of 10⁵ samples.
func TestFunctionSpeed(t *testing.T) {
	output, timeline := fast(t)
	p, r := newProfile(900, "hw-cpu-cycles"), rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		f := timeline.Frames[r.IntN(len(timeline.Frames))]
		var stack []call
		for depth := range 20 {
			n := 0 // the same call, or one of three
			if depth >= 10 {
				n = r.IntN(3)
			}
			path := []string{"/data/storage/el1/bundle/libs/arm64/libentry.so", "/system/lib64/libc.so", "/system/lib64/libace.so"}[(depth+n)%3]
			stack = append(stack, call{path, fmt.Sprint("f", depth, n), uint64(100*depth + n)})
		}
		p.sample(int64(f.Actual.Start)+r.Int64N(int64(f.Actual.Duration())+1), f.Process.PID, f.TID, stack...)
	}
	session := load(t, p.appendTo(t, output))
	times := []time.Duration{0}
	for _, script := range []string{
		"SELECT 1", "INCLUDE PERFETTO MODULE ohos.frames; SELECT 1", includeFunctions + "SELECT count() FROM ohos_frame_function", "SELECT count() FROM ohos_function_excess",
	} {
		query(t, session, script)
		spent := must.Get(session.ProcessorTime())(t)
		times = append(times, spent)
	}
	if n := enginetest.Query(t, session, "SELECT count() FROM stack_profile_callsite").Rows[0][0].(int64); n < 70_000 {
		t.Errorf("%d calls", n)
	}
	loaded, functions, excess := times[1], times[3]-times[2], times[4]-times[3]
	t.Logf("loaded in %v; functions %v, excess %v", loaded, functions, excess)
	if functions > loaded/2 || excess > loaded/2 {
		t.Error("functions need more than half of that")
	}
}
