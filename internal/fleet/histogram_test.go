package fleet

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ohframe/internal/testing/must"
)

// The numbers of the table in histogram.go, and the ends of the range.
func TestBucketOf(t *testing.T) {
	for _, test := range []struct {
		value int64
		want  bucket
	}{{-5, 0}, {0, 0}, {127, 127}, {128, 128}, {129, 128}, {255, 191}, {256, 192}, {511, 255}, {512, 256}, {math.MaxInt64, 3711}} {
		must.Equal(t, bucketOf(test.value), test.want, "%d: got bucket", test.value)
	}
}

// Buckets follow each other without a gap, and the middle is within 1/128 of all values.
func TestBuckets(t *testing.T) {
	next := int64(0)
	for b := bucket(0); b <= 3711; b++ {
		low, width := b.low()
		if low != next {
			t.Fatalf("bucket %d begins at %d, want %d", b, low, next)
		}
		last := low + (width - 1)
		if bucketOf(low) != b || bucketOf(last) != b {
			t.Fatalf("bucket %d from %d to %d: its ends are in buckets %d and %d", b, low, last, bucketOf(low), bucketOf(last))
		}
		for _, v := range []int64{low, last} {
			if err := math.Abs(float64(b.middle()) - float64(v)); err > float64(v)/128 {
				t.Fatalf("bucket %d: the middle %d is %g from %d", b, b.middle(), err, v)
			}
		}
		next = low + width
	}
}

// A percentile is in the bucket of the exact one, whatever the histograms it was added
// up from.
func TestPercentile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := make([]int64, 1+r.IntN(500))
		var parts [3]histogram
		for i := range values {
			values[i] = int64(r.ExpFloat64() * 1e7)
			parts[r.IntN(3)].Add(bucketOf(values[i]), 1)
		}
		slices.Sort(values)
		var h histogram
		for i := range parts {
			h.merge(&parts[i])
		}
		for _, p := range []int64{1, 500, 900, 950, 990, 1000} {
			rank := int(math.Ceil(float64(p) * float64(len(values)) / 1000))
			if got, want := *h.Percentile(p, 1), bucketOf(values[rank-1]).middle(); got != want {
				t.Fatalf("%d values, %d ‰: got %d, want %d", len(values), p, got, want)
			}
		}
	}
	if got := new(histogram).Percentile(500, 0); got != nil {
		t.Errorf("without values: got %d, want none", *got)
	}
	var few histogram
	few.Add(7, 19)
	if got := few.Percentile(950, 20); got != nil {
		t.Errorf("of 19 values: got %d, want none", *got)
	}
	if few.Add(7, 1); few.Percentile(950, 20) == nil {
		t.Error("of 20 values: got none")
	}
}

// counts returns the histogram as a file has it.
func (h *histogram) counts() (c Counts) {
	for b, n := range h.all() {
		c.Buckets, c.Counts = append(c.Buckets, int32(b)), append(c.Counts, n)
	}
	return c
}

// Percentiles are not below the lowest value nor above the highest, also of histograms that were
// written, read and added.
func TestPercentileBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		values := make([]int64, 1+r.IntN(4))
		var sum histogram
		for i := range values {
			values[i] = 130e6 + r.Int64N(3e6)
			var read histogram
			counts := countsOf(values[i : i+1])
			read.addBounded(&counts, values[i], values[i])
			sum.merge(&read)
		}
		for _, p := range []int64{1, 500, 1000} {
			if got := *sum.Percentile(p, 1); got < slices.Min(values) || got > slices.Max(values) {
				t.Fatalf("%d ‰ of %v is %d", p, values, got)
			}
		}
		if exact := slices.Min(values) == slices.Max(values); sum.Exact() != exact {
			t.Fatalf("%v: exact is %t", values, sum.Exact())
		}
	}
	var wide histogram
	wide.Add(octaves*perOctave-1, 1) // the last bucket ends at the largest integer
	if wide.high != math.MaxInt64 || *wide.Percentile(500, 1) < wide.low {
		t.Errorf("%d to %d", wide.low, wide.high)
	}
}
