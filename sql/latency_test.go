package sql_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ohframe/analyzer/perfetto"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/surfaceflinger"
	"ohframe/exporter"
	"ohframe/internal/engine/enginetest"
)

// habit is how a layer draws.
type habit int

const (
	steady  habit = iota // each frame follows the one before, some are slow
	jumpy                // some frames are queued so much later that it is not known why
	resting              // the application pauses as well
	asking               // for present times
	habits
)

// latencies returns a dump of layers at 100 Hz.
func latencies(r *rand.Rand, layers ...habit) string {
	const period = 10_000_000
	var b strings.Builder
	for i, how := range layers {
		fmt.Fprintf(&b, "layer %d\n%d\n", i, period)
		queued, present := int64(1_000_000_000_000), int64(0)
		for range 60 {
			ready := queued + r.Int64N(9_000_000)
			if r.IntN(10) == 0 {
				ready += r.Int64N(8) * period
			}
			present = max(present, (ready/period+1+r.Int64N(2))*period) + period
			desired := queued
			if how == asking {
				desired = max(queued, present-8_000_000-r.Int64N(11)/10*3*period)
				present = max(present, desired/period*period+period)
				ready = min(ready, queued+5_000_000)
			}
			fmt.Fprintln(&b, desired, present, ready)
			queued = max(queued, ready-period) + period
			switch {
			case how == jumpy && r.IntN(10) == 0:
				queued += 6_000_000
				present += 6_000_000 // too little for a hitch
			case (how == resting || how == asking) && r.IntN(10) == 0:
				queued += r.Int64N(20) * period
			}
		}
	}
	return b.String()
}

// TestLatencies compares the modules with the model on converted dumps of Android's
// latencies, and the report of the dump with that of the converted trace.
func TestLatencies(t *testing.T) {
	enginetest.ForTest(t)
	known, unknown := 0, 0
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			first := habit(seed) % habits
			text := latencies(rand.New(rand.NewPCG(seed, 0)), first, (first+habit(seed)/habits)%habits)
			timeline, _, err := surfaceflinger.Read(t.Context(), strings.NewReader(text), surfaceflinger.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if _, err := exporter.ConvertTimeline(t.Context(), timeline, &out, exporter.Options{}); err != nil {
				t.Fatal(err)
			}
			session := load(t, out.Bytes())
			enginetest.CheckGate(t, session)
			// The modules need no process ids, and stages are unknown to them.
			timeline.Dump = false
			for _, p := range timeline.Processes {
				p.NoPID = false
			}
			checkModules(t, session, timeline)

			read, _, err := perfetto.Read(t.Context(), bytes.NewReader(out.Bytes()), perfetto.Options{})
			if err != nil {
				t.Fatal(err)
			}
			direct, back := stats.Compute(timeline, stats.Options{}), stats.Compute(read.Timeline, stats.Options{})
			for i, p := range direct.Processes {
				want, got := marshal(t, p.Hitches), marshal(t, back.Processes[i].Hitches)
				if got != want {
					t.Errorf("%s: hitches of the converted trace are %s, want %s", p.Name, got, want)
				}
				if p.Hitches == nil {
					unknown++
				} else if p.Hitches.Hitches > 0 {
					known++
				}
			}
			// Each gap that is not known is too long for one period.
			gaps := query(t, session, `
				SELECT count() FROM ohos_present_gap
				WHERE idle IS NULL AND (hitch IS NOT NULL OR lost_frames IS NOT NULL OR 10 * (dur - period) < 7 * period)`)
			compare(t, "gaps that are not known", gaps, count(0))
		})
	}
	if known == 0 || unknown == 0 {
		t.Errorf("hitches are known of %d processes and unknown of %d", known, unknown)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
