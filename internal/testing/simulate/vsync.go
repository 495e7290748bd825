package simulate

import "ohframe/analyzer/trace"

// monotonic is a time of CLOCK_MONOTONIC in nanoseconds, which stops while the device is
// suspended. All vsync times use it.
type monotonic int64

func (m monotonic) add(d trace.Duration) monotonic { return m + monotonic(d) }

// firstVsync is odd in its microseconds, so that no rounding of trace times
// can hit a vsync by luck.
const firstVsync monotonic = 100_000_123_457

// vsync is one refresh of the display and the start of work for everyone.
type vsync struct {
	index  int64
	now    monotonic
	period trace.Duration
	rate   int
}

// The distributors of the applications and of render_service count apart.
const (
	firstAppVsync    = 10000
	firstRenderVsync = 50000
)

// grid is the display's vsyncs, made as far ahead as anyone asks.
type grid struct {
	rates []Rate
	list  []vsync
}

func (g *grid) at(index int64) vsync {
	for int64(len(g.list)) <= index {
		v := vsync{index: int64(len(g.list)), now: firstVsync}
		if v.index > 0 {
			last := g.list[v.index-1]
			v.now = last.now.add(last.period)
		}
		for _, r := range g.rates {
			if v.now >= firstVsync.add(r.From) {
				v.rate = r.Hz
			}
		}
		v.period = trace.Second / trace.Duration(v.rate)
		g.list = append(g.list, v)
	}
	return g.list[index]
}

// after returns the first vsync that is later than t and not before index from.
func (g *grid) after(t monotonic, from int64) vsync {
	for v := g.at(from); ; v = g.at(v.index + 1) {
		if v.now > t {
			return v
		}
	}
}
