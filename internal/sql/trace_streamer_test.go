package sql_test

import (
	"cmp"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/exporter"
	"ohframe/internal/reconstruct"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/tracetest"
)

const includeStreamer = "INCLUDE PERFETTO MODULE ohos.trace_streamer; "

// TestStreamerFrames compares frame_slice with the rows of trace_streamer itself, all of them and
// in all columns. trace_streamer does not convert the clock of text traces, so it is not
// converted here either.
func TestStreamerFrames(t *testing.T) {
	enginetest.ForTest(t)
	paths, err := filepath.Glob("../../../shared/oracle/*.trace_streamer.csv")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skip("no rows of trace_streamer here")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.Open(strings.TrimSuffix(path, ".trace_streamer.csv") + ".ftrace")
			if err != nil {
				t.Fatal(err)
			}
			defer text.Close()
			output, _ := convert(t, text, exporter.Options{Analyzer: reconstruct.Options{ClockOffset: new(trace.Duration)}})
			session := load(t, output)
			table := enginetest.Query(t, session, includeStreamer+`
				SELECT p.pid, t.tid, f.type_desc, f.ts, f.dur, f.vsync, f.flag, f.id, f.src, f.dst
				FROM frame_slice AS f JOIN process AS p ON p.id = f.ipid JOIN thread AS t ON t.id = f.itid`)
			want := readStreamerRows(t, path)
			if len(want) < 100 {
				t.Fatalf("%d rows", len(want))
			}
			compare(t, "frame_slice", asText(table), want)
		})
	}
}

// Frames of two traces in one input have the same numbers.
func TestStreamerTwoTraces(t *testing.T) {
	enginetest.ForTest(t)
	text := twice(tracetest.Read(t, "../../testdata/demo.ftrace"))
	output, timeline := convert(t, strings.NewReader(text), exporter.Options{})
	session := load(t, output)
	query(t, session, includeStreamer+"SELECT 1")
	checkStreamer(t, session, timeline)
}

// readStreamerRows reads pid, tid, kind, ts, dur, vsync, flag, id, src and dst.
func readStreamerRows(t *testing.T, path string) (r rows) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records[1:] {
		const src = 8
		if record[src] != "" {
			sources := strings.Split(record[src], ",")
			slices.SortFunc(sources, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
			record[src] = strings.Join(sources, ",")
		}
		r = append(r, strings.Join(record, "|"))
	}
	return r
}

// asText returns rows as trace_streamer's CSV has them, NULL as nothing.
func asText(table engine.Table) (r rows) {
	for _, cells := range table.Rows {
		text := make([]string, len(cells))
		for i, c := range cells {
			switch c := c.(type) {
			case string:
				text[i] = c
			case int64:
				text[i] = strconv.FormatInt(c, 10)
			}
		}
		r = append(r, strings.Join(text, "|"))
	}
	return r
}

// checkStreamer compares the tables of frames with the model.
func checkStreamer(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) {
	t.Helper()
	var frames, links, gpu rows
	app := func(f *analyzer.Frame) []any {
		return []any{int64(f.Process.PID), int64(f.TID), int64(f.End())}
	}
	for f := range timeline.Complete() {
		flag := any(int(f.Flag()))
		frames.add(append(app(f), "actural", flag, known(f.VsyncID))...)
		expected := f.Expected.Start.Known() && f.Expected.End.Known()
		if expected {
			if flag = nil; f.Facts.Has(analyzer.Empty) {
				flag = 2
			}
			frames.add(int64(f.Process.PID), int64(f.TID), int64(f.Expected.End), "expect", flag, known(f.VsyncID))
		}
		for _, work := range f.GPU {
			gpu.add(append(app(f), int64(work.Duration()))...)
		}
		takers := map[*analyzer.Frame]bool{}
		for i := range f.Transactions {
			r := f.Transactions[i].AppliedBy
			if r == nil || takers[r] || r.Facts.Has(analyzer.Truncated) {
				continue
			}
			takers[r] = true
			links.add(append(app(f), append(app(r), 0, r == f.Render)...)...)
			if expected && r.Expected.Start.Known() && r.Expected.End.Known() {
				links.add(int64(f.Process.PID), int64(f.TID), int64(f.Expected.End), int64(r.Process.PID), int64(r.TID), int64(r.Expected.End), 1, r == f.Render)
			}
		}
	}
	const key = "p.pid, t.tid, f.ts + f.dur"
	const named = "frame_slice AS f JOIN process AS p ON p.id = f.ipid JOIN thread AS t ON t.id = f.itid"
	compare(t, "frame_slice", query(t, session, "SELECT "+key+", f.type_desc, f.flag, f.vsync FROM "+named), frames)
	compare(t, "frame_maps", query(t, session, `
		WITH named AS (SELECT f.id, f.type, f.dst, p.pid, t.tid, f.ts + f.dur AS end FROM `+named+`)
		SELECT a.pid, a.tid, a.end, r.pid, r.tid, r.end, a.type, a.dst = r.id
		FROM frame_maps AS m JOIN named AS a ON a.id = m.src_row JOIN named AS r ON r.id = m.dst_row AND r.type = a.type`), links)
	compare(t, "gpu_slice", query(t, session, "SELECT "+key+", g.dur FROM gpu_slice AS g JOIN "+named+" WHERE f.id = g.frame_row"), gpu)
	// Rows are numbered, and lists of sources are those of frame_maps.
	compare(t, "numbers", query(t, session, `
		SELECT count(), min(id), max(id), count(DISTINCT id) FROM frame_slice
		UNION ALL SELECT count(), min(id), max(id), count(DISTINCT id) FROM frame_maps
		UNION ALL SELECT count(), min(id), max(id), count(DISTINCT id) FROM gpu_slice`), numbered(len(frames), len(links), len(gpu)))
	compare(t, "sources", query(t, session, "SELECT id, src FROM frame_slice WHERE src <> ''"),
		query(t, session, "SELECT dst_row, group_concat(src_row, ',' ORDER BY src_row) FROM frame_maps GROUP BY dst_row"))
	// A frame begins with its slice, if the trace has slices.
	compare(t, "callstack_id", query(t, session, `
		SELECT count() FROM frame_slice AS f JOIN slice AS s ON s.id = f.callstack_id JOIN thread_track AS k ON k.id = s.track_id
		WHERE k.utid = f.itid AND (f.type = 1 OR s.ts = f.ts) AND (s.name GLOB '*ReceiveVsync*' OR s.name GLOB '*OnVsyncEvent*')`), count(len(frames)))
	compare(t, "overlaps", query(t, session, `
		WITH drawn AS (SELECT * FROM frame_slice WHERE flag IS NOT 2),
			next AS (SELECT ts, dur, lead(ts) OVER (PARTITION BY ipid, type, depth ORDER BY ts) AS next FROM drawn)
		SELECT count() FROM next WHERE ts + dur >= next`), count(0))
}

// numbered are the count, first and last number, and count of numbers of tables.
func numbered(counts ...int) (r rows) {
	for _, n := range counts {
		if n == 0 {
			r.add(0, nil, nil, 0)
			continue
		}
		r.add(n, 0, n-1, n)
	}
	return r
}
