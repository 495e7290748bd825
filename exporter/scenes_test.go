package exporter

import (
	"bytes"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// TestScenes compares what the simulated threads did during each frame with the time
// that Perfetto finds them in each state, to the nanosecond.
func TestScenes(t *testing.T) {
	enginetest.ForTest(t)
	for i, cause := range simulate.Causes() {
		if i%slow.Of(15, 1) != 0 {
			continue
		}
		kernel := simulate.KernelHongMeng
		if i%2 == 1 {
			kernel = simulate.KernelLinux
		}
		t.Run(cause+"/"+string(kernel), func(t *testing.T) {
			checkScene(t, simulate.Scene{
				Kernel: kernel, Cause: simulate.Cause(cause), Seed: uint64(i), RefreshHz: 60 + 30*(i%3), Decoys: i%4 > 1,
			})
		})
	}
	t.Run("two/linux", func(t *testing.T) {
		checkScene(t, simulate.Scene{
			Kernel: simulate.KernelLinux, Cause: simulate.CauseStorageD, Second: simulate.CauseBinder, First: 70,
			Seed: 9, ClockOffset: 12_345_678_901, CRLF: true, Decoys: true,
		})
	})
}

func checkScene(t *testing.T, scene simulate.Scene) {
	switch scene.Cause {
	case simulate.CauseNoSched, simulate.CauseLostEvents, simulate.CauseLostSwitches:
		t.Skip("has gaps on purpose")
	}
	var text bytes.Buffer
	truth, err := scene.Generate(&text)
	if err != nil {
		t.Fatal(err)
	}
	c := load(t, text.String(), analyzer.Options{ClockOffset: &truth.Offset})
	enginetest.CheckGate(t, c.session)

	var want, wakers rows
	for _, f := range truth.Waits {
		sums, woken := map[string]int64{}, map[string]int64{}
		for _, w := range f.Waits {
			sums[w.State] += int64(w.NS)
			if _, by, known := strings.Cut(w.By, ":"); known && len(w.State) == 1 {
				woken[by] += int64(w.NS)
			}
		}
		for by, ns := range woken {
			wakers.add(int64(f.TID), f.Vsync, by, ns)
		}
		for state, ns := range sums {
			want.add(int64(f.TID), f.Vsync, state, ns)
		}
	}
	const sum = `sum(min(iif(st.dur < 0, trace_end(), st.ts + st.dur), a.ts + a.dur) - max(st.ts, min(a.ts, e.ts)))`
	const states = `
		FROM actual_frame_timeline_slice a
		JOIN expected_frame_timeline_slice e ON e.upid = a.upid AND e.name = a.name AND e.layer_name IS a.layer_name
		JOIN process p ON p.upid = a.upid
		JOIN thread t ON t.upid = p.upid AND t.tid = p.pid
		JOIN thread_state st ON st.utid = t.utid AND st.ts < a.ts + a.dur
			AND iif(st.dur < 0, trace_end(), st.ts + st.dur) > min(a.ts, e.ts)`
	compare(t, "states of frames", query(t, c.session,
		"SELECT t.tid, CAST(a.name AS INT), st.state, "+sum+states+" GROUP BY 1, 2, 3"), want)
	// The state after a wait names the thread that ended it, unless that was idle or
	// served an interrupt.
	compare(t, "wakers", query(t, c.session, `
		SELECT t.tid, CAST(a.name AS INT), w.name, `+sum+states+`
		JOIN thread_state r ON r.utid = st.utid AND r.ts = st.ts + st.dur AND r.state = 'R'
		JOIN thread w ON w.utid = r.waker_utid
		WHERE st.state IN ('S', 'D') AND NOT w.is_idle AND w.name NOT GLOB 'tppmgr-idle-*' AND w.name NOT GLOB 'udk-irq-*'
		GROUP BY 1, 2, 3`), wakers)
}
