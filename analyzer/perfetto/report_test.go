package perfetto_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/engine"
	"ohframe/internal/engine/enginetest"
	pb "ohframe/internal/perfettopb"
)

//go:embed testdata/report.sql
var reportSQL string

// checkReport compares every number of a report with SQL over the engine's own tables.
// It returns the names of those that are not zero.
func checkReport(t *testing.T, session *engine.Session, timeline *analyzer.Timeline) map[string]bool {
	t.Helper()
	text, err := json.Marshal(stats.Compute(timeline, stats.Options{}).Processes)
	if err != nil {
		t.Fatal(err)
	}
	var processes []map[string]any
	if err := json.Unmarshal(text, &processes); err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	for _, p := range processes {
		flatten(p, fmt.Sprintf("%v %v ", p["kind"], p["pid"]), got)
	}
	want := map[string]any{}
	setup, queries, _ := strings.Cut(reportSQL, "-- @ ")
	enginetest.Query(t, session, setup+"SELECT 1")
	for _, query := range strings.Split(queries, "-- @ ") {
		_, query, _ = strings.Cut(query, "\n")
		table := enginetest.Query(t, session, query)
		for _, row := range table.Rows {
			key, place := fmt.Sprintf("%v %v ", row[0], row[1]), ""
			want[key+"kind"], want[key+"pid"] = row[0], row[1]
			for i, column := range table.Columns {
				switch {
				case column == "place":
					place = fmt.Sprint(row[i])
				case i >= 2 && row[i] != nil:
					want[key+strings.Replace(column, "[]", "["+place+"]", 1)] = row[i]
				}
			}
		}
	}
	if len(want) == 0 {
		t.Error("the engine has no numbers")
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if w, ok := want[path]; !ok || !same(got[path], w) {
			t.Errorf("%s is %v, in SQL %v", path, got[path], w)
		}
		delete(want, path)
	}
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if want[path] != "" { // a name may be missing
			t.Errorf("%s is missing, in SQL %v", path, want[path])
		}
	}
	names := map[string]bool{}
	for path, v := range got {
		if v != 0.0 {
			names[strings.Fields(path)[2]] = true
		}
	}
	return names
}

// flatten collects the values of a JSON tree by their paths. What is null is left out.
func flatten(v any, path string, into map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			flatten(inner, path+name+".", into)
		}
	case []any:
		for i, inner := range v {
			flatten(inner, fmt.Sprintf("%s[%d].", strings.TrimSuffix(path, "."), i), into)
		}
	case nil:
	default:
		if v != "" {
			into[strings.TrimSuffix(path, ".")] = v
		}
	}
}

// same reports whether two values are the same. Numbers may differ by a rounding error.
func same(got, want any) bool {
	number := func(v any) (float64, bool) {
		switch v := v.(type) {
		case float64:
			return v, true
		case int64:
			return float64(v), true
		}
		return 0, false
	}
	g, ok := number(got)
	w, also := number(want)
	if !ok || !also {
		return got == want
	}
	return math.Abs(g-w) <= 1e-9*max(1, math.Abs(w))
}

// manyFrames has two applications, all jank types, frames that were dropped or not
// judged, missing predictions and refreshes, and a restart. One of the applications
// sometimes draws several layers.
func manyFrames() *made {
	m := &made{app: 4001}
	random := rand.New(rand.NewPCG(3, 5))
	one := func(n int) bool { return random.IntN(n) == 0 }
	presents := []pb.FrameTimelineEvent_PresentType{0, onTime, presentLate, presentLate, early, notKnown}
	choose := func() verdict {
		v := fine
		if one(3) {
			v.jank = 1 << random.IntN(16)
			if one(4) {
				v.jank |= 1 << random.IntN(16)
			}
			v.present, v.onTime = presents[random.IntN(len(presents))], one(2)
		}
		if one(10) {
			v = layerDropped
			v.onTime = one(2)
		}
		return v
	}
	const period = 16_666_667
	vsync := int64(50_000_000_000)
	for i := range int64(160) {
		vsync += period * int64(1+random.IntN(8)/6)
		if i == 100 {
			vsync += 3_000_000_000
		}
		token := 4 * (i%100 + 1)
		ends := vsync + int64(random.IntN(200_000))
		for n, app := range []int32{4001, 4002} {
			if m.app = app; one(3) {
				continue
			}
			surface := token + int64(n)
			display := token + 2
			v, start := choose(), vsync-2*period+int64(random.IntN(3_000_000))
			if !one(6) {
				m.expectSurface(surface, display, vsync-2*period, ends-period)
			}
			if one(12) {
				v.prediction = expired
			}
			m.actualSurface(surface, display, "TX - main#1", start, start+int64(random.IntN(3*period)), v)
			for layer := 2; n == 0 && one(3); layer++ {
				m.actualSurface(surface, display+4*int64(random.IntN(2)), fmt.Sprintf("TX - popup#%d", layer), start+50_000, start+int64(random.IntN(2*period))+60_000, choose())
			}
		}
		v, start := choose(), vsync-period/2
		if !one(8) {
			m.expectDisplay(token+2, vsync-int64(4_000_000+random.IntN(9_000_000)), ends)
		}
		shown := ends + int64(random.IntN(100_000))
		if v.jank != analyzer.JankNone {
			shown += period * int64(random.IntN(12))
		}
		m.actualDisplay(token+2, start, shown, v)
		if one(15) {
			m.actualDisplay(0, vsync, vsync+period, layerDropped) // a refresh that was skipped
		}
	}
	m.app = 4001
	m.actualSurface(3999, 4000, "TX - main#1", vsync, unfinished, fine)
	return m
}

// nonzero are the numbers of manyFrames that would test nothing were they zero.
const nonzero = `
frames.late_main frames.late_gpu frames.misaligned frames.linked frames.dropped frames.truncated
stutter.slight stutter.medium stutter.severe stutter.unknown
hitches.hitches hitches.idle_ns hitches.lost_frames hitches.longest_at_ns
whole_frames.blame.application whole_frames.blame.render_cpu whole_frames.blame.render_gpu whole_frames.blame.pick_up
whole_frames.blame.display_hal whole_frames.blame.buffer_stuffing whole_frames.blame.prediction_error
whole_frames.blame.dropped whole_frames.blame.unknown
surfaceflinger.missed_application surfaceflinger.missed_surfaceflinger surfaceflinger.missed_dropped
surfaceflinger.jank_types[15].late surfaceflinger.jank_types[0].unknown surfaceflinger.jank_types[6].early
longest_streak.frames durations.histogram[2].frames stages[0].longest_of_late
stages[1].longest_of_late worst[9].overrun_periods worst[0].render_vsync_id
`

// Every number of a report follows from the engine's tables, and every verdict is there.
func TestReport(t *testing.T) {
	recordings := map[string][]byte{
		"made": manyFrames().bytes,
		"without display": func() []byte {
			m := &made{}
			for i := range int64(20) {
				at := 1_000_000_000 + i*11_111_111
				m.expectSurface(i+1, 0, at-5_000_000, at)
				m.actualSurface(i+1, 0, "TX", at-4_000_000, at+1_000_000*(i%3)-500_000, [3]verdict{fine, appLate, layerDropped}[i%3])
			}
			return m.bytes
		}(),
	}
	if recorded, err := os.ReadFile("../../../shared/traces/android/api32_startup_warm.perfetto-trace"); err == nil {
		recordings["api32_startup_warm"] = recorded
	}
	for name, recording := range recordings {
		t.Run(name, func(t *testing.T) {
			timeline, _ := read(t, recording)
			session := enginetest.Load(t, recording)
			checkActual(t, session, timeline)
			names := checkReport(t, session, timeline)
			for _, needed := range strings.Fields(nonzero) {
				if name == "made" && !names[needed] {
					t.Errorf("%s is zero in all processes", needed)
				}
			}
		})
	}
}
