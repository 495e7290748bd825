package pftrace

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/analyzer"
	"ohframe/analyzer/analysis"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// convert converts a text trace, in the way that all tests do it.
func convert(t testing.TB, text string, options Options) ([]byte, *Summary) {
	t.Helper()
	var out bytes.Buffer
	summary := must.Get(Convert(t.Context(), strings.NewReader(text), &out, options))(t)
	return out.Bytes(), summary
}

// caseFile returns the parts of a file of testdata by name.
func caseFile(t testing.TB, path string) map[string]string {
	t.Helper()
	archive := must.Get(txtar.ParseFile(path))(t)
	parts := map[string]string{}
	for _, f := range archive.Files {
		parts[f.Name] = string(f.Data)
	}
	return parts
}

// caseTrace returns the trace of a file of testdata.
func caseTrace(t testing.TB, name string) string {
	t.Helper()
	return caseFile(t, filepath.Join("testdata", name+".txtar"))["trace"]
}

// measures are the arguments of the slice with the report, which package stats tests.
var measures = regexp.MustCompile(` report\.\S+`)

// TestCases compares what the packets show with the cases in testdata: the frame
// timelines, the tracks, and the slices for Perfetto's queries for Android.
func TestCases(t *testing.T) {
	for _, name := range []string{"frames", "tracks"} {
		want := caseFile(t, "testdata/"+name+".txtar")
		data, _ := convert(t, want["trace"], Options{})
		got := packetSections(t, data)
		for i, line := range got["tracks"] {
			got["tracks"][i] = measures.ReplaceAllString(line, "")
		}
		for _, section := range []string{"frames", "tracks", "arrows", "counters"} {
			if lines := strings.Split(strings.TrimSpace(want[section]), "\n"); lines[0] != "" {
				compare(t, name+": "+section, got[section], lines)
			}
		}
	}
}

// TestConformance checks that Perfetto shows what the packets contain, finds nothing wrong
// with them, and that the queries of the cases return what the cases state.
func TestConformance(t *testing.T) {
	enginetest.ForTest(t)
	cases, _ := filepath.Glob("testdata/*.txtar")
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for _, path := range cases {
		t.Run(filepath.Base(path), func(t *testing.T) {
			parts := caseFile(t, path)
			session := checkConformance(t, parts["trace"])
			for name, sql := range parts {
				if result, found := strings.CutSuffix(name, ".sql"); found {
					if got := enginetest.Query(t, session, sql).String(); strings.TrimSpace(got) != strings.TrimSpace(parts[result]) {
						t.Errorf("%s: got\n%s\nwant\n%s", result, got, parts[result])
					}
				}
			}
		})
	}
	paths := slow.Of([]string{"../../testdata/demo.ftrace"}, append(tracetest.Paths(t), "../../testdata/why/waits.ftrace"))
	for _, path := range paths {
		t.Run(tracetest.Name(path), func(t *testing.T) { checkConformance(t, tracetest.Read(t, path)) })
	}
}

// checkConformance converts a trace with all tracks and compares what Perfetto shows with
// the packets. It returns the session with the trace.
func checkConformance(t *testing.T, text string) *engine.Session {
	t.Helper()
	data, summary := convert(t, text, Options{Analysis: analysis.Options{Causes: true}, AllEvents: true})
	session := checkEngine(t, data, summary.Timeline)
	slices := 0
	for _, p := range printedIn(t, data) {
		if strings.HasPrefix(p.text, "B|") || strings.HasPrefix(p.text, "I|") {
			slices++
		}
	}
	compare(t, "slices of threads", query(t, session, `
		SELECT count() FROM slice JOIN thread_track k ON k.id = track_id
		WHERE k.type = 'thread_execution' AND category IS NULL`), rows{fmt.Sprint(slices)})
	return session
}

// checkEngine compares what Perfetto shows with the packets of a trace with a timeline.
func checkEngine(t *testing.T, data []byte, timeline *analyzer.Timeline) *engine.Session {
	t.Helper()
	must.Do(t, timeline.Validate())
	session := enginetest.Load(t, data)
	enginetest.CheckGate(t, session)
	got, want := engineSections(t, session), packetSections(t, data)
	for _, section := range []string{"frames", "tracks", "arrows", "counters", "colours", "order"} {
		compare(t, section, got[section], want[section])
	}
	// Perfetto draws an arrow to a display frame from the surface frames with its token
	// that do not start after it.
	compare(t, "arrows of frames", query(t, session, `
		SELECT slice_out, slice_in FROM flow JOIN actual_frame_timeline_slice f ON f.id = slice_out
		EXCEPT
		SELECT a.id, r.id FROM actual_frame_timeline_slice a JOIN actual_frame_timeline_slice r USING (display_frame_token)
		WHERE a.surface_frame_token IS NOT NULL AND r.surface_frame_token IS NULL AND a.ts <= r.ts`), nil)
	// No arrow between our tracks goes back in time, because the UI draws it from the end of a slice. Those of
	// late frames do: they lead to what is at the same time.
	compare(t, "arrows back in time", query(t, session, `
		SELECT a.name, b.name FROM flow JOIN slice a ON slice_out = a.id JOIN slice b ON slice_in = b.id
		JOIN track k ON k.id = a.track_id AND k.type GLOB '*track_event' AND k.name NOT GLOB 'Late frames*'
		WHERE a.ts + a.dur > b.ts`), nil)

	var processes, threads rows
	for _, p := range timeline.Processes {
		if p.PID == 0 {
			continue
		}
		processes.add(int64(p.PID), or(processName(p)))
		for _, thread := range p.Threads {
			threads.add(int64(thread.TID), or(thread.Name), int64(p.PID))
		}
	}
	for _, row := range without(query(t, session, "SELECT pid, name FROM process WHERE pid != 0"), processes) {
		if !strings.Contains(row, analyzer.SurfaceFlinger) { // the name for Android's queries
			t.Errorf("process %s is not in the timeline", row)
		}
	}
	if missing := without(threads, query(t, session, "SELECT tid, thread.name, pid FROM thread JOIN process USING (upid)")); len(missing) > 0 {
		t.Errorf("no threads %v", missing)
	}
	return session
}
