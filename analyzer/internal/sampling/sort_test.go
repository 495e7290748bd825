package sampling

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
)

// Samples are sorted as the library sorts them, whatever their order and their times.
func TestSortByTime(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 100, 5000} {
		for _, length := range []int64{1, 3, 1 << 11, 1 << 12, 1e9, 1 << 40, 1 << 62} {
			for _, runs := range []int{1, 2, n} {
				list := make([]sample.Sample, n)
				for i := range list {
					list[i] = sample.Sample{Time: trace.Time(random.Int64N(length)), TID: int32(i)}
				}
				for run := range slices.Chunk(list, max(1, n/max(runs, 1))) {
					slices.SortFunc(run, byTime)
				}
				want := slices.Clone(list)
				slices.SortStableFunc(want, byTime)
				if sortByTime(list); !slices.Equal(list, want) {
					t.Errorf("%d samples of %d ns in %d runs are in another order", n, length, runs)
				}
			}
		}
	}
}
