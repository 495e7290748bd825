package sampling_test

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/internal/reconstruct"
	"ohframe/analyzer/internal/sampling"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
	"ohframe/internal/source/perfdata"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// simulated returns a simulated trace and its recording, as they are read.
func simulated(t *testing.T, s simulate.Scene, r simulate.Recording) *pair {
	t.Helper()
	var text, file bytes.Buffer
	truth := must.Get(s.GenerateWithSamples(&text, &file, r))(t)
	p := &pair{period: trace.Millisecond, offset: truth.Recording.Offset, running: sampling.NewRunning(trace.Limits{})}
	p.rec = must.Get(sampling.Read(bytes.NewReader(file.Bytes()), int64(file.Len()), perfdata.Options{}))(t)
	p.timeline, _ = must.Get2(reconstruct.Analyze(t.Context(), &text, hitrace.Options{}, reconstruct.Options{}, p.running.Sink()))(t)
	slices.SortStableFunc(p.rec.Samples, func(a, b sample.Sample) int { return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.TID, b.TID)) })
	for i := range p.rec.Samples {
		p.rec.Samples[i].Stack = int32(i)
		p.truth = append(p.truth, truth.Recording.Samples[i].Time)
	}
	return p
}

// Simulated recordings of all causes are aligned, on each clock. Without sched_switch, only a stated
// clock is used. The scenes are short and most frames the same: without samples at switches,
// an offset of a frame more may fit as well.
func TestAlignSimulated(t *testing.T) {
	causes := simulate.Causes()
	found, unknown := 0, 0
	for i, cause := range causes[:slow.Of(4, len(causes))] {
		for k, clock := range []simulate.Clock{simulate.ClockPerf, simulate.ClockMonotonic, simulate.ClockBoot} {
			seed := uint64(10*i + k)
			s := simulate.Scene{Kernel: []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux}[i%2], Cause: simulate.Cause(cause), Seed: seed, ClockOffset: 3 * trace.Second}
			p := simulated(t, s, simulate.Recording{Seed: seed, OffCPU: i%3 == 0, All: i%3 == 1, Clock: clock, Drift: int64(10 * k)})
			worst, err := p.align(nil)
			switch stated, a := clock != simulate.ClockPerf, &p.rec.Alignment; {
			case !stated && s.Cause == simulate.CauseNoSched:
				if err == nil {
					t.Errorf("%s: %+v", cause, a)
				}
			case !stated && err != nil && i%3 != 0 && strings.Contains(err.Error(), "several offsets fit"):
				unknown++
			case err != nil || worst > p.period || len(p.rec.Samples) < len(p.truth)-20:
				t.Errorf("%s, %s: %v, off by %d ns, %d of %d samples, %+v", cause, clock, err, worst, len(p.rec.Samples), len(p.truth), a)
			case len(p.rec.Warnings) > 0 != (s.Cause == simulate.CauseNoSched):
				t.Errorf("%s, %s: %v", cause, clock, p.rec.Warnings)
			case stated != (a.Source == sample.Stated):
				t.Errorf("%s, %s: %+v", cause, clock, a)
			case !stated:
				found++
			}
		}
	}
	t.Logf("without a stated clock: %d found, %d ambiguous", found, unknown)
}
