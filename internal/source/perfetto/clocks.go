package perfetto

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/perfettopb"
	"ohframe/internal/source/kernel"
)

const (
	boot      = uint64(perfettopb.BuiltinClock_BUILTIN_CLOCK_BOOTTIME)
	monotonic = uint64(perfettopb.BuiltinClock_BUILTIN_CLOCK_MONOTONIC)
	realtime  = uint64(perfettopb.BuiltinClock_BUILTIN_CLOCK_REALTIME)
)

// Field numbers of a clock snapshot.
const (
	snapshotClock  = 1 // ClockSnapshot.clocks
	clockID        = 1 // of Clock
	clockTimestamp = 2
)

// clocks converts times of all clocks to boot time.
type clocks struct {
	readings map[uint64][]reading
	sorted   bool
	count    int // of all readings
	limit    int
	over     *int // counts readings over the limit
}

// reading is a clock's time and the boot time at the same moment.
type reading struct{ clock, boot int64 }

// add decodes a clock snapshot. It returns false if that is malformed.
func (c *clocks) add(payload []byte) bool {
	var at uint64
	var clock kernel.Values
	each := func(do func(id, t uint64)) bool {
		return eachMessage(payload, snapshotClock, func(b []byte) bool {
			ok := clock.Read(b)
			do(clock.Numbers[clockID], clock.Numbers[clockTimestamp])
			return ok
		})
	}
	ok := each(func(id, t uint64) {
		if id == boot {
			at = t
		}
	})
	if !ok || at == 0 || at > trace.MaxTime {
		return ok
	}
	if c.readings == nil {
		c.readings = map[uint64][]reading{}
	}
	return each(func(id, t uint64) {
		switch {
		case id == boot || t == 0 || t > trace.MaxTime:
		case c.count >= c.limit:
			*c.over++
		default:
			c.count++
			c.readings[id] = append(c.readings[id], reading{int64(t), int64(at)})
		}
	})
}

// trace converts a time to boot time, with the last reading before it or else the
// first. Without a reading it returns the time unchanged, and false.
func (c *clocks) trace(clock uint64, at int64) (trace.Time, bool) {
	if clock == 0 || clock == boot {
		return trace.Time(at), true
	}
	list := c.readings[clock]
	if len(list) == 0 {
		return trace.Time(at), false
	}
	if !c.sorted {
		for _, l := range c.readings {
			slices.SortFunc(l, func(x, y reading) int { return cmp.Compare(x.clock, y.clock) })
		}
		c.sorted = true
	}
	i, found := slices.BinarySearchFunc(list, at, func(r reading, at int64) int { return cmp.Compare(r.clock, at) })
	if !found {
		i = max(0, i-1)
	}
	return trace.Time(at - list[i].clock + list[i].boot), true
}

// offset returns boot time minus monotonic time at the first reading.
func (c *clocks) offset() analyzer.ClockOffset {
	list := c.readings[monotonic]
	if len(list) == 0 {
		return analyzer.ClockOffset{}
	}
	offset := trace.Duration(list[0].boot - list[0].clock)
	return analyzer.ClockOffset{Offset: offset, Measured: offset, Source: analyzer.ClockGiven, Samples: len(list)}
}

// wall returns the time of day at the first reading.
func (c *clocks) wall() analyzer.WallClock {
	list := c.readings[realtime]
	if len(list) == 0 {
		return analyzer.WallClock{}
	}
	return analyzer.WallClock{At: trace.Time(list[0].boot), Unix: list[0].clock}
}
