package perfetto_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/source/perfetto"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// TestThreadStates compares how long the threads of each frame ran, could run and were blocked with
// the engine's thread_state, to the nanosecond.
func TestThreadStates(t *testing.T) {
	t.Run("made", func(t *testing.T) {
		packets, _ := androidScene(t, simulate.Scene{Kernel: simulate.KernelLinux, Cause: simulate.CauseMix, Seed: 1})
		checkStates(t, packets)
	})
	t.Run("recorded", func(t *testing.T) {
		recorded, err := os.ReadFile("../../../../shared/traces/android/api32_startup_warm.perfetto-trace")
		if err != nil {
			t.Skip(err)
		}
		checkStates(t, recorded)
	})
}

// stateTimes are the times of a frame that its threads were running, runnable and blocked.
type stateTimes struct{ running, runnable, blocked trace.Duration }

func (s *stateTimes) add(state string, d trace.Duration) {
	switch state {
	case "Running":
		s.running += d
	case "R", "R+":
		s.runnable += d
	default:
		s.blocked += d
	}
}

// threadTime is a time of a thread.
type threadTime struct {
	pid   trace.PID
	tid   trace.TID
	text  string // name of a slice, or state
	start trace.Time
	end   trace.Time
}

func checkStates(t *testing.T, packets []byte) {
	t.Helper()
	session := enginetest.Load(t, packets)
	query := func(sql string) (list []threadTime) {
		for _, row := range enginetest.Query(t, session, sql).Rows {
			list = append(list, threadTime{
				trace.PID(row[0].(int64)), trace.TID(row[1].(int64)), row[2].(string), trace.Time(row[3].(int64)), trace.Time(row[4].(int64)),
			})
		}
		return list
	}
	slices := query(`SELECT pid, tid, s.name, s.ts, s.ts + s.dur FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread USING (utid) JOIN process USING (upid)
		WHERE s.dur >= 0 AND (s.name GLOB 'Choreographer#doFrame [0-9]*' OR s.name GLOB 'DrawFrames [0-9]*' OR s.name GLOB 'commit [0-9]*' OR s.name GLOB 'composite [0-9]*')
		ORDER BY s.ts`)
	states := map[trace.TID][]threadTime{}
	for _, s := range query(`SELECT 0, tid, state, ts, iif(dur < 0, trace_end(), ts + dur) FROM thread_state JOIN thread USING (utid)
		WHERE utid IN (SELECT utid FROM slice s JOIN thread_track tt ON s.track_id = tt.id WHERE s.name GLOB 'Choreographer#*' OR s.name GLOB 'DrawFrames*' OR s.name GLOB 'commit*')
		ORDER BY ts`) {
		states[s.tid] = append(states[s.tid], s)
	}
	read, _ := must.Get2(readCauses(t.Context(), bytes.NewReader(packets), perfetto.Options{Kernel: true}))(t)
	frames := 0
	for f := range read.Timeline.Complete() {
		var want stateTimes
		main, ends := trace.TID(0), map[trace.TID]trace.Time{}
		add := func(tid trace.TID, start, end trace.Time) {
			for _, s := range states[tid] {
				if d := min(s.end, end).Sub(max(s.start, start)); d > 0 {
					want.add(s.text, d)
				}
			}
		}
		var draws trace.TID
		for _, s := range slices {
			word, rest, _ := strings.Cut(s.text, " ")
			number, _, _ := strings.Cut(rest, " ")
			if s.pid != f.Process.PID || number != fmt.Sprint(f.VsyncID) || s.start >= f.Actual.End || s.end <= f.Actual.Start {
				continue
			}
			if word == "DrawFrames" {
				draws = s.tid
			} else {
				main = s.tid
			}
			ends[s.tid] = min(s.end, f.Actual.End)
		}
		e := read.Causes.Of(f)
		if (e == nil) != (main == 0 || f.Facts.Has(analyzer.Dropped)) {
			t.Errorf("frame %d of %s: explained: %t, the engine has its slices: %t", f.VsyncID, f.Process.Name, e != nil, main != 0)
		}
		if e == nil || main == 0 {
			continue
		}
		frames++
		add(main, f.Actual.Start, ends[main])
		if ends[draws] > ends[main] {
			add(draws, ends[main], ends[draws])
		}
		var got stateTimes
		for _, p := range e.Parts {
			switch {
			case p.Stage == why.StageStart, p.Wait == why.WaitGPU:
			case p.Wait == why.Run, p.Wait == why.GCRun:
				got.running += p.Time
			case p.Wait == why.CPUPreempted, p.Wait == why.CPUWait, p.Wait == why.WaitIRQ:
				got.runnable += p.Time
			case p.Wait == why.WaitUnknown:
				t.Errorf("frame %d of %s: %d ns unknown", f.VsyncID, f.Process.Name, p.Time)
			default:
				got.blocked += p.Time
			}
		}
		if got != want {
			t.Errorf("frame %d of %s: %+v, the engine has %+v", f.VsyncID, f.Process.Name, got, want)
		}
	}
	t.Logf("%d frames", frames)
	if frames == 0 {
		t.Error("no frame is explained")
	}
}
