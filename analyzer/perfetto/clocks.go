package perfetto

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/protos/perfettopb"
)

const (
	boot      = uint64(perfettopb.BuiltinClock_BUILTIN_CLOCK_BOOTTIME)
	monotonic = uint64(perfettopb.BuiltinClock_BUILTIN_CLOCK_MONOTONIC)
	realtime  = uint64(perfettopb.BuiltinClock_BUILTIN_CLOCK_REALTIME)
)

// clocks relates all clocks to boot time.
type clocks struct {
	readings map[uint64][]reading
	sorted   bool
}

// reading is what a clock showed, and what boot time was then.
type reading struct{ clock, boot int64 }

// add takes a clock snapshot and reports whether it could be decoded.
func (c *clocks) add(payload []byte) bool {
	var snapshot perfettopb.ClockSnapshot
	if err := proto.Unmarshal(payload, &snapshot); err != nil {
		return false
	}
	var at int64
	for _, clock := range snapshot.Clocks {
		if uint64(clock.GetClockId()) == boot {
			at = int64(clock.GetTimestamp())
		}
	}
	if at <= 0 || at > maxTimestamp {
		return true
	}
	if c.readings == nil {
		c.readings = map[uint64][]reading{}
	}
	for _, clock := range snapshot.Clocks {
		if id, t := uint64(clock.GetClockId()), clock.GetTimestamp(); id != boot && t > 0 && t <= maxTimestamp {
			c.readings[id] = append(c.readings[id], reading{int64(t), at})
		}
	}
	return true
}

// trace moves a time to boot time by the last reading before it, else the
// first. It reports whether there is any.
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
			slices.SortFunc(l, func(x, y reading) int { return int(x.clock - y.clock) })
		}
		c.sorted = true
	}
	i, found := slices.BinarySearchFunc(list, at, func(r reading, at int64) int { return int(r.clock - at) })
	if !found {
		i = max(0, i-1)
	}
	return trace.Time(at - list[i].clock + list[i].boot), true
}

// offset returns boot time minus monotonic time as the first reading has it.
func (c *clocks) offset() analyzer.ClockOffset {
	list := c.readings[monotonic]
	if len(list) == 0 {
		return analyzer.ClockOffset{}
	}
	offset := trace.Duration(list[0].boot - list[0].clock)
	return analyzer.ClockOffset{Offset: offset, Measured: offset, Source: analyzer.ClockGiven, Samples: len(list)}
}

// wall returns the time of day, as the first reading has it.
func (c *clocks) wall() analyzer.WallClock {
	list := c.readings[realtime]
	if len(list) == 0 {
		return analyzer.WallClock{}
	}
	return analyzer.WallClock{At: trace.Time(list[0].boot), Unix: list[0].clock}
}
