package sampling_test

import (
	"slices"
	"testing"

	"ohframe/analyzer/internal/sampling"
	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// BenchmarkAlign aligns a million samples with 10⁵ running intervals.
func BenchmarkAlign(b *testing.B) {
	for _, clock := range []sample.ClockID{sample.ClockPerf, sample.ClockMonotonic} {
		b.Run(clock.String(), func(b *testing.B) {
			c := scene{
				threads: slices.Concat(slices.Repeat([]workload{frames}, 8), slices.Repeat([]workload{worker}, 20), slices.Repeat([]workload{spinning}, 2)),
				length:  60 * trace.Second, to: 60 * trace.Second, frequency: 2400, hertz: 120, clock: clock, drift: 20, recorded: 30,
			}
			p := c.pair()
			all := slices.Clone(p.rec.Samples)
			b.Logf("%d samples, %d intervals", len(all), len(p.events)/2)
			for b.Loop() {
				p.rec.Samples = append(p.rec.Samples[:0], all...)
				if worst, err := p.align(nil); err != nil || worst > p.period {
					b.Fatal(worst, err)
				}
			}
		})
	}
}

// BenchmarkRunning collects the running intervals of a trace.
func BenchmarkRunning(b *testing.B) {
	c := scene{threads: slices.Repeat([]workload{worker}, 20), length: 60 * trace.Second, to: trace.Second, frequency: 1000, hertz: 60, recorded: 1}
	events := c.pair().events
	for b.Loop() {
		sampling.NewRunning(trace.Limits{}).Sink().Track(0, &hitrace.Batch{Events: events})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
}
