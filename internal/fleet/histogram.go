package fleet

import (
	"iter"
	"math/bits"
	"slices"
)

// A bucket of a histogram is numbered by the seven highest bits of its values:
//
//	value        bucket              width
//	0 … 127      the value           1
//	128 … 255    128 … 191           2
//	256 … 511    192 … 255           4
//	…            64 per power of two
//
// So a bucket is at most 1/64 as wide as its lowest value, and the middle of a bucket is
// within 1/128 of every value in it. Only integers are involved: sums of histograms do
// not depend on the order, and SQL computes the same.
const (
	bucketBits = 6
	perOctave  = 1 << bucketBits
	octaves    = 64 - bucketBits
)

// bucket is the number of a bucket, 0 to 3711.
type bucket int32

// bucketOf returns the bucket of a value. Negative values, which only damaged traces
// have, count as zero.
func bucketOf(value int64) bucket {
	v := uint64(max(0, value))
	if v < 2*perOctave {
		return bucket(v)
	}
	shift := bits.Len64(v) - (bucketBits + 1)
	return bucket(shift<<bucketBits) + bucket(v>>shift)
}

// low returns the lowest value of the bucket, and the width of the bucket.
func (b bucket) low() (value, width int64) {
	if b < 2*perOctave {
		return int64(b), 1
	}
	shift := int(b>>bucketBits) - 1
	return int64(perOctave|b&(perOctave-1)) << shift, 1 << shift
}

// middle returns the value that stands for all values of the bucket.
func (b bucket) middle() int64 {
	value, width := b.low()
	return value + width/2
}

// histogram counts values by bucket. Counts of a power of two are stored together: the
// durations of a process span a few.
type histogram struct {
	octaves [octaves]*[perOctave]int64
	// low and high are values that none is below or above, if there are any.
	low, high int64
	bounded   bool
}

// addValue adds a value.
func (h *histogram) addValue(value int64) {
	h.count(bucketOf(value), 1)
	h.bound(value, value)
}

// Add adds n values of a bucket. It panics if there is no such bucket.
func (h *histogram) Add(b bucket, n int64) {
	h.count(b, n)
	low, width := b.low()
	h.bound(low, low+(width-1))
}

// bound says that values which were added are not below low nor above high.
func (h *histogram) bound(low, high int64) {
	if !h.bounded {
		h.low, h.high, h.bounded = low, high, true
		return
	}
	h.low, h.high = min(h.low, low), max(h.high, high)
}

func (h *histogram) count(b bucket, n int64) {
	octave := &h.octaves[b>>bucketBits]
	if *octave == nil {
		*octave = new([perOctave]int64)
	}
	(*octave)[b&(perOctave-1)] += n
}

// addCounts adds the values of a file, which are in order.
func (h *histogram) addCounts(c *Counts) {
	for i, b := range c.Buckets {
		h.Add(bucket(b), c.Counts[i])
	}
}

// addBounded adds the values of a file, which has the lowest and the highest of them.
func (h *histogram) addBounded(c *Counts, low, high int64) {
	for i, b := range c.Buckets {
		h.count(bucket(b), c.Counts[i])
	}
	if len(c.Buckets) > 0 {
		h.bound(low, high)
	}
}

// countsOf returns the histogram of values, which it sorts, as a file has it.
func countsOf(values []int64) (c Counts) {
	slices.Sort(values)
	for _, v := range values {
		b, last := int32(bucketOf(v)), len(c.Buckets)-1
		if last < 0 || c.Buckets[last] != b {
			c.Buckets, c.Counts = append(c.Buckets, b), append(c.Counts, 0)
			last++
		}
		c.Counts[last]++
	}
	return c
}

// merge adds another histogram.
func (h *histogram) merge(other *histogram) {
	for b, n := range other.all() {
		h.count(b, n)
	}
	if other.bounded {
		h.bound(other.low, other.high)
	}
}

// Exact reports whether percentiles are not estimates: all values are the same.
func (h *histogram) Exact() bool { return h.bounded && h.low == h.high }

// all returns the buckets that are not empty, in order, and their counts.
func (h *histogram) all() iter.Seq2[bucket, int64] {
	return func(yield func(bucket, int64) bool) {
		for i, octave := range h.octaves {
			if octave == nil {
				continue
			}
			for k, n := range octave {
				if n != 0 && !yield(bucket(i<<bucketBits|k), n) {
					return
				}
			}
		}
	}
}

// Total returns the number of values.
func (h *histogram) Total() (n int64) {
	for _, octave := range h.octaves {
		if octave == nil {
			continue
		}
		for _, k := range octave {
			n += k
		}
	}
	return n
}

// Percentile returns the percentile of p thousandths by nearest rank, p from 1 to 1000:
// the middle of the bucket of value number ⌈p·n/1000⌉, but no value below the lowest or
// above the highest, where these are known. It returns nil for fewer than atLeast values, and
// without values.
func (h *histogram) Percentile(p, atLeast int64) *int64 {
	total := h.Total()
	if total < max(1, atLeast) {
		return nil
	}
	return h.nth(rankOf(p, total))
}

// rankOf returns ⌈p·total/1000⌉ without overflow.
func rankOf(p, total int64) int64 { return (total/1000)*p + (total%1000*p+999)/1000 }

// nth returns what stands for the value of a rank, the lowest value first, as Percentile; nil if there is
// no such value.
func (h *histogram) nth(rank int64) *int64 {
	for b, n := range h.all() {
		if rank -= n; rank <= 0 {
			return new(max(h.low, min(b.middle(), h.high)))
		}
	}
	return nil
}
