package gfxinfo

import "ohframe/analyzer/trace"

// Bucket is how many frames took about as many milliseconds.
type Bucket struct {
	Milliseconds int
	Frames       int
}

// Buckets returns gfxinfo's buckets, all empty: every millisecond from 5 to 32,
// every second to 48, every fourth from 53 to 133, every fiftieth from 150 to
// 4950.
func Buckets() []Bucket {
	var list []Bucket
	add := func(from, to, step int) {
		for ms := from; ms <= to; ms += step {
			list = append(list, Bucket{Milliseconds: ms})
		}
	}
	add(5, 32, 1)
	add(34, 48, 2)
	add(53, 133, 4)
	add(150, 4950, 50)
	return list
}

// bucketsCount is how many buckets there are.
var bucketsCount = len(Buckets())

// bucketOf returns the index among Buckets of a duration's bucket. Those of
// every fourth millisecond are named after their second one.
func bucketOf(d trace.Duration) int {
	switch ms := int(d / trace.Millisecond); {
	case ms <= 5:
		return 0
	case ms <= 32:
		return ms - 5
	case ms < 52:
		return min(27+(ms-32)/2, 35)
	case ms < 136:
		return 36 + (ms-52)/4
	default:
		return min(57+max(0, ms-150)/50, 153)
	}
}

// percentile returns the milliseconds of the slowest bucket above which there
// are not more than the rest of all frames, as hwui rounds it. Of no frames it is
// the last bucket.
func percentile(buckets []Bucket, percent, frames int) int {
	rest := frames - percent*frames/100
	for i := len(buckets) - 1; i >= 0; i-- {
		rest -= buckets[i].Frames
		if rest <= 0 {
			return buckets[i].Milliseconds
		}
	}
	return 0
}
