package stats

import (
	"sort"

	"ohframe/analyzer/trace"
)

// Bucket is a bucket of the histogram that Android's "dumpsys gfxinfo" prints.
// A bucket's name there is a number of milliseconds:
//
//	name            range in ms                      buckets
//	5               [0, 6)                           1
//	6, 7 … 31       [name, name + 1)                 26
//	32, 34 … 46     [name, name + 2)                 8
//	48              [48, 52)                         1
//	53, 57 … 133    [name − 1, name + 3)             21
//	150             [136, 200)                       1
//	200, 250 … 4900 [name, name + 50)                95
//	4950            4950 and more                    1
//
// A name from 53 to 133 is near the middle of its bucket. Durations from 136 to 150 ms
// are in the bucket named 150.
// Source: hwui's ProfileData in the Android Open Source Project.
type Bucket struct {
	Name   int  `json:"bucket_ms"` // gfxinfo's name for the bucket
	From   int  `json:"from_ms"`   // lower bound, included
	Below  *int `json:"below_ms"`  // upper bound, not included; nil for the last bucket
	Frames int  `json:"frames"`    // number of frames
}

// bucketBound is a bucket's name and lower bound, in milliseconds.
type bucketBound struct{ name, from int }

var bucketBounds = layOutBuckets()

func layOutBuckets() []bucketBound {
	list := []bucketBound{{5, 0}}
	run := func(first, last, step, before int) {
		for name := first; name <= last; name += step {
			list = append(list, bucketBound{name, name - before})
		}
	}
	run(6, 32, 1, 0)
	run(34, 48, 2, 0)
	run(53, 133, 4, 1)
	run(150, 150, 50, 14)
	run(200, 4950, 50, 0)
	return list
}

// histogram counts sorted durations.
func histogram(sorted []trace.Duration) []Bucket {
	list := []Bucket{}
	counted := 0
	for i, b := range bucketBounds {
		end := len(sorted)
		var below *int
		if i+1 < len(bucketBounds) {
			below = &bucketBounds[i+1].from
			end = sort.Search(len(sorted), func(k int) bool { return sorted[k] >= trace.Duration(*below)*trace.Millisecond })
		}
		if end > counted {
			list = append(list, Bucket{b.name, b.from, below, end - counted})
		}
		counted = end
	}
	return list
}
