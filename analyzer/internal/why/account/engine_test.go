package account_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/internal/why/account"
	"ohframe/analyzer/internal/why/threads"
	"ohframe/analyzer/trace"
	"ohframe/exporter/pftrace"
	"ohframe/internal/place"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/testing/tracetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// texts calls test with the traces of the repository, and generated ones of both kernels and
// of several system versions.
func texts(t *testing.T, test func(t *testing.T, text []byte)) {
	for i, path := range tracetest.Paths(t) {
		if i > 0 && !slow.Enabled() {
			break // the demo
		}
		t.Run(tracetest.Name(path), func(t *testing.T) { test(t, []byte(tracetest.Read(t, path))) })
	}
	for i, cause := range simulate.Causes() {
		if i%slow.Of(21, 1) > 0 { // odd, for both kernels
			continue
		}
		if c := simulate.Cause(cause); c == simulate.CauseLostEvents || c == simulate.CauseLostSwitches {
			continue // Perfetto believes the last state that it knows, however old
		}
		kernel := []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux}[i%2]
		t.Run(cause+"/"+string(kernel), func(t *testing.T) {
			var text bytes.Buffer
			s := simulate.Scene{Kernel: kernel, RefreshHz: 60 + 30*(i%3), Cause: simulate.Cause(cause), Seed: uint64(i)}
			must.Get(s.Generate(&text))(t)
			test(t, text.Bytes())
		})
	}
	for i, era := range simulate.Eras() {
		if !slow.Enabled() {
			break
		}
		t.Run(era, func(t *testing.T) {
			config := simulate.Everything()
			config.Era, config.Seed, config.Kernel = era, uint64(i), []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux}[i%2]
			var text bytes.Buffer
			must.Get(simulate.Write(&text, config))(t)
			test(t, text.Bytes())
		})
	}
}

type threadPiece struct {
	tid   trace.TID
	start trace.Time // of the frame on its thread
	piece account.Observed
}

// converted converts a text and returns what the frames' threads did: how long in each
// state, and for the late ones how long in each state and slice. frames is a query for
// their threads and times.
func converted(t *testing.T, text []byte) (packets []byte, states, self map[threadPiece]trace.Duration, frames string) {
	t.Helper()
	r := threads.NewRecorder(trace.Limits{}.WithDefaults())
	states, self = map[threadPiece]trace.Duration{}, map[threadPiece]trace.Duration{}
	var out bytes.Buffer
	must.Get(pftrace.Convert(t.Context(), bytes.NewReader(text), &out, pftrace.Options{}))(t)
	timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), bytes.NewReader(text), hitrace.Options{}, reconstruct.Options{}, r.Sink()))(t)
	book := account.NewObserved(r.Finish(), timeline, func(f *analyzer.Frame, p account.Observed, d trace.Duration) {
		if p.State == "" {
			return // Perfetto has no rows for what is unknown
		}
		states[threadPiece{f.TID, f.Actual.Start, account.Observed{State: p.State}}] += d
		if f.Late() && p.Slice != "" {
			self[threadPiece{f.TID, f.Actual.Start, account.Observed{State: p.State, Slice: p.Slice}}] += d
		}
	})
	var rows []string
	for _, list := range book.Threads {
		for _, a := range list {
			rows = append(rows, fmt.Sprintf("(%d,%d,%d,%d,%t)", a.Frame.TID, a.Actual, a.Start, a.End, a.Frame.Late()))
		}
	}
	if len(rows) == 0 {
		t.Skip("no frames")
	}
	frames = "WITH f(tid, ts, start, end, late) AS (VALUES " + strings.Join(rows, ",") + "), frames AS (SELECT * FROM f JOIN thread USING (tid))"
	return out.Bytes(), states, self, frames
}

// TestEngine compares what threads did during all frames with Perfetto's thread
// states, and during late frames with its slices as well, to the nanosecond.
func TestEngine(t *testing.T) {
	enginetest.ForTest(t)
	texts(t, func(t *testing.T, text []byte) {
		packets, states, self, frames := converted(t, text)
		session := enginetest.Load(t, packets)
		table := enginetest.Query(t, session, frames+`
			SELECT tid, f.ts, state, '', sum(min(iif(st.dur < 0, trace_end(), st.ts + st.dur), f.end) - max(st.ts, f.start))
			FROM frames f JOIN thread_state st USING (utid)
			WHERE st.ts < f.end AND iif(st.dur < 0, trace_end(), st.ts + st.dur) > f.start
			GROUP BY 1, 2, 3`)
		compare(t, states, pieces(table))

		// The self time of a slice is its time without that of the slices inside.
		table = enginetest.Query(t, session, frames+`,
			times AS (
				SELECT f.tid, f.ts, s.id, s.name, s.parent_id, st.state,
					sum(min(iif(st.dur < 0, trace_end(), st.ts + st.dur), iif(s.dur < 0, trace_end(), s.ts + s.dur), f.end) - max(st.ts, s.ts, f.start)) AS ns
				FROM frames f JOIN thread_track tt USING (utid) JOIN slice s ON s.track_id = tt.id AND s.category IS NOT 'binder' -- made by the engine
					JOIN thread_state st USING (utid)
				WHERE late AND s.ts < f.end AND iif(s.dur < 0, trace_end(), s.ts + s.dur) > f.start AND st.ts < f.end
					AND iif(st.dur < 0, trace_end(), st.ts + st.dur) > f.start
					AND st.ts < iif(s.dur < 0, trace_end(), s.ts + s.dur) AND iif(st.dur < 0, trace_end(), st.ts + st.dur) > s.ts
				GROUP BY 1, 2, 3, 6
			)
			SELECT tid, ts, state, name, sum(ns) FROM (
				SELECT tid, ts, state, name, ns FROM times UNION ALL
				SELECT c.tid, c.ts, c.state, p.name, -c.ns FROM times c JOIN slice p ON p.id = c.parent_id
			) GROUP BY 1, 2, 3, 4 HAVING sum(ns) != 0`)
		compare(t, self, pieces(table))
	})
}

// pieces sums up rows of thread, frame, state, slice and time.
func pieces(table engine.Table) map[threadPiece]trace.Duration {
	sums := map[threadPiece]trace.Duration{}
	for _, row := range table.Rows {
		p := account.Observed{State: row[2].(string)}
		if p.State != "Running" {
			p.State = p.State[:1]
		}
		if name := row[3].(string); name != "" {
			p.Slice = string(place.AppendKey(nil, []byte(name)))
		}
		sums[threadPiece{trace.TID(row[0].(int64)), trace.Time(row[1].(int64)), p}] += trace.Duration(row[4].(int64))
	}
	return sums
}

func compare(t *testing.T, got, want map[threadPiece]trace.Duration) {
	t.Helper()
	keys := map[threadPiece]bool{}
	for _, sums := range []map[threadPiece]trace.Duration{got, want} {
		for k := range sums {
			keys[k] = true
		}
	}
	wrong := 0
	for k := range keys {
		if got[k] != want[k] {
			if wrong++; wrong < 10 {
				t.Errorf("thread %d, frame at %d: %q in %q for %d ns, Perfetto has %d", k.tid, k.start, k.piece.State, k.piece.Slice, got[k], want[k])
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d sums differ", wrong, len(keys))
	}
}

// Frames that wait for an earlier one have the same account when every step of the thread counts for each of them.
func TestWaiting(t *testing.T) {
	texts(t, func(t *testing.T, text []byte) {
		recorder := threads.NewRecorder(trace.Limits{}.WithDefaults())
		timeline, _ := must.Get2(reconstruct.Analyze(t.Context(), bytes.NewReader(text), hitrace.Options{}, reconstruct.Options{}, recorder.Sink()))(t)
		r := recorder.Finish()
		steps := account.NewObserved(r, timeline, func(*analyzer.Frame, account.Observed, trace.Duration) {})
		for tid, list := range account.New(r, timeline, nil, nil, 1).Threads {
			for i, a := range list {
				b := steps.Threads[tid][i]
				if got, want := timesOf(a), timesOf(b); !slices.Equal(got, want) || a.Earlier != b.Earlier {
					t.Errorf("thread %d, frame at %v: got %v, want %v", tid, a.Actual, got, want)
				}
			}
		}
	})
}

func timesOf(a *account.Account) (list []account.Cell) {
	for c := range a.Cells() {
		list = append(list, account.Cell{ID: c.ID, Time: c.Time, Calls: c.Calls})
	}
	return list
}
