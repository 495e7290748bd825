package sampling

import (
	"math/bits"
	"slices"

	"ohframe/analyzer/sample"
)

// sortByTime sorts samples by time. Those of one time remain in order. Profilers write the samples
// of a processor, then those of the next, for short times, so that most are out of order.
func sortByTime(list []sample.Sample) {
	if slices.IsSortedFunc(list, byTime) {
		return
	}
	first, last := list[0].Time, list[0].Time
	for i := range list {
		first, last = min(first, list[i].Time), max(last, list[i].Time)
	}
	// A key is a time and an index. Keys are much smaller than samples.
	indexBits := bits.Len(uint(len(list)))
	if bits.Len64(uint64(last-first))+indexBits > 64 {
		slices.SortStableFunc(list, byTime)
		return
	}
	keys := make([]uint64, len(list))
	for i := range list {
		keys[i] = uint64(list[i].Time-first)<<indexBits | uint64(i)
	}
	keys = radixSort(keys, indexBits, bits.Len64(uint64(last-first))+indexBits)
	// Samples change places in cycles.
	mask := uint64(1)<<indexBits - 1
	for i := range keys {
		if keys[i]&mask == uint64(i) {
			continue
		}
		moved := list[i]
		for at := i; ; {
			from := int(keys[at] & mask)
			keys[at] = uint64(at)
			if from == i {
				list[at] = moved
				break
			}
			list[at], at = list[from], from
		}
	}
}

// radixSort returns keys in the order of some of their bits, and of the list where those are equal.
// It overwrites the list.
func radixSort(keys []uint64, from, to int) []uint64 {
	const digit = 11
	other := make([]uint64, len(keys))
	for ; from < to; from += digit {
		var starts [1 << digit]int
		for _, k := range keys {
			starts[k>>from&(1<<digit-1)]++
		}
		sum := 0
		for i, n := range starts {
			starts[i], sum = sum, sum+n
		}
		for _, k := range keys {
			at := &starts[k>>from&(1<<digit-1)]
			other[*at] = k
			*at++
		}
		keys, other = other, keys
	}
	return keys
}
