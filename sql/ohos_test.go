package sql_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/perfetto"
	"ohframe/exporter"
	"ohframe/internal/engine/enginetest"
	"ohframe/internal/simulate"
)

// convert converts a text trace.
func convert(t *testing.T, text io.Reader, options exporter.Options) ([]byte, *analyzer.Timeline) {
	t.Helper()
	var out bytes.Buffer
	summary, err := exporter.Convert(t.Context(), text, &out, options)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), summary.Timeline
}

// TestModules compares the modules with the model on every trace there is.
func TestModules(t *testing.T) {
	enginetest.ForTest(t)
	for name, text := range traces(t) {
		t.Run(name, func(t *testing.T) {
			output, timeline := convert(t, strings.NewReader(text), exporter.Options{})
			session := load(t, output)
			enginetest.CheckGate(t, session)
			checkModules(t, session, timeline)
		})
	}
}

// traces are the text traces there are, by name: those of the repository, others
// that lie beside it, and one of each era.
func traces(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, pattern := range []string{"../testdata/demo.ftrace", "../../shared/oracle/*.ftrace"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			list[filepath.Base(path)] = string(text)
		}
	}
	for i, era := range []string{"3.2", "4.0", "harmonyos-6.1"} {
		config := simulate.Demo()
		config.Era, config.Seed, config.Kernel = era, uint64(i), simulate.KernelNone
		config.Duration *= 4
		if i < 2 { // in which the threads of an application are not told apart
			config.Apps[0].Workers = 0
		}
		var text strings.Builder
		if _, err := simulate.Write(&text, config); err != nil {
			t.Fatal(err)
		}
		list[era] = text.String()
	}
	return list
}

// TestWithoutTracks compares what is left without the pipeline tracks with what
// can be read from the same packets in Go.
func TestWithoutTracks(t *testing.T) {
	enginetest.ForTest(t)
	all := traces(t)
	for _, name := range []string{"demo.ftrace", "3.2", "4.0", "random"} {
		t.Run(name, func(t *testing.T) {
			var output []byte
			if options := (exporter.Options{NoTracks: true}); name == "random" {
				var out bytes.Buffer
				if _, err := exporter.ConvertTimeline(t.Context(), randomTimeline(7, false), &out, options); err != nil {
					t.Fatal(err)
				}
				output = out.Bytes()
			} else {
				output, _ = convert(t, strings.NewReader(all[name]), options)
			}
			timeline, _, err := perfetto.Read(t.Context(), bytes.NewReader(output), perfetto.Options{})
			if err != nil {
				t.Fatal(err)
			}
			session := load(t, output)
			var want rows
			for f := range timeline.Complete() {
				var render any
				if f.Render != nil {
					render = int64(f.Render.Actual.Start)
				}
				var misaligned any
				if f.Kind == analyzer.ApplicationFrame || name != "random" { // where it is told by chance
					misaligned = f.Facts.Has(analyzer.Misaligned)
				}
				want.add(f.Kind.String(), int64(f.Process.PID), int64(f.TID), int64(f.Actual.Start), int64(f.Actual.Duration()), f.Process.Name,
					known(f.VsyncID), known(f.Vsync), known(f.Expected.Start), known(f.Deadline),
					f.Facts.Has(analyzer.MainLate), f.Facts.Has(analyzer.GPULate), f.Facts.Has(analyzer.Empty), misaligned,
					render, known(f.Present))
			}
			misaligned := "f.is_misaligned"
			if name == "random" {
				misaligned = "iif(f.kind = 'app', f.is_misaligned, NULL)"
			}
			compare(t, "frames", query(t, session, `
				INCLUDE PERFETTO MODULE ohos.frames;
				SELECT f.kind, f.pid, f.tid, f.ts, f.dur, f.process_name, f.vsync_id, f.vsync_ts, f.expected_ts, f.deadline_ts,
					f.is_late_main, f.is_late_gpu, f.is_empty, `+misaligned+`, r.ts, f.present_ts
				FROM ohos_frame f LEFT JOIN ohos_frame r ON r.id = f.render_id`), want)
			compare(t, "pipeline", query(t, session, `
				SELECT id FROM ohos_frame
				WHERE coalesce(event_id, coalesced, sent_ts, gpu_ts, draw_ts, commit_ts, is_present_estimated) IS NOT NULL`), nil)
		})
	}
}

// With Perfetto's names for Android's processes, frames are still those of
// OpenHarmony, and the modules get along with Perfetto's own.
func TestAndroidCompat(t *testing.T) {
	enginetest.ForTest(t)
	demo, err := os.Open("../testdata/demo.ftrace")
	if err != nil {
		t.Fatal(err)
	}
	defer demo.Close()
	output, timeline := convert(t, demo, exporter.Options{AndroidCompat: true})
	session := load(t, output)
	var want rows
	for f := range timeline.Complete() {
		name := f.Process.Name
		if f.Kind == analyzer.RenderFrame {
			name = "/system/bin/surfaceflinger"
		}
		want.add("ohos", f.Kind.String(), int64(f.Actual.Start), name, int(f.Flag()), f.Coalesced)
	}
	compare(t, "frames", query(t, session, `
		INCLUDE PERFETTO MODULE android.frames.per_frame_metrics;
		INCLUDE PERFETTO MODULE ohos.compare_android;
		SELECT system, kind, ts, f.process_name, flag, coalesced FROM ohos_or_android_frame f JOIN ohos_frame USING (id, kind, ts)`), want)
}
