package simulate

import (
	"math/bits"
	"math/rand/v2"

	"ohframe/analyzer/trace"
)

// random returns numbers that are the same on every machine: PCG's bits are fixed by its
// specification, and the operations here use integers or are exact in floating point.
type random struct{ source *rand.PCG }

// newRandom returns one of several independent streams of a seed, so that the numbers of
// one device do not depend on how many another used.
func newRandom(seed, stream uint64) *random {
	return &random{rand.NewPCG(seed, stream)}
}

// below returns a number from 0 up to, not including, n.
func (r *random) below(n int64) int64 {
	high, _ := bits.Mul64(r.source.Uint64(), uint64(n))
	return int64(high)
}

// between returns a length of time in [low, high).
func (r *random) between(low, high trace.Duration) trace.Duration {
	if high <= low {
		return low
	}
	return low + trace.Duration(r.below(int64(high-low)))
}

// chance reports true with probability p. It draws whatever p is, so that
// changing one probability leaves the other draws alone.
func (r *random) chance(p float64) bool {
	return float64(r.source.Uint64()>>11)*0x1p-53 < p
}

// share returns the given percentage of d.
func share(d trace.Duration, percent int) trace.Duration {
	return d * trace.Duration(percent) / 100
}
