package stats

import (
	"cmp"
	"maps"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Callback is a display sync of an application at one rate: a callback of its own, of an animator or of an
// XComponent, that ArkUI calls in every N-th frame (docs/frames.md 19.6). Percentiles are those of Durations.
type Callback struct {
	// Source is the process.
	Source  *analyzer.Process `json:"-"`
	PID     trace.PID         `json:"pid"`     // process id of the application
	Process string            `json:"process"` // its name
	ID      int64             `json:"id"`      // id of the display sync
	// whose callback it is: "callback", "animator" or "xcomponent"; nil if the trace has no type
	Type  *string `json:"type"`
	Rate  *int    `json:"rate_hz"`       // how often it is to be called a second; nil if the trace does not say
	Vsync *int    `json:"vsync_rate_hz"` // of so many vsyncs a second; nil if the trace does not say
	// in every so many frames: 2 is every second one; nil if the trace does not say
	Every  *int `json:"every"`
	Frames int  `json:"frames"` // frames that serve it
	Calls  int  `json:"calls"`  // those in which it was called
	// times that a call took; nil without calls, or if the ends are unknown
	Took  *Latency       `json:"took"`
	Total trace.Duration `json:"total_ns"` // of all calls
	// how long the threads ran in the calls; nil if it is unknown
	CPU *float64 `json:"cpu_ms"`
}

// minCalls is the number of calls of a callback that is worth saying.
const minCalls = 10

// OwnRate reports whether the callback runs at a rate of its own. Every, Rate and Vsync are known then.
func (c *Callback) OwnRate() bool {
	return c.Every != nil && *c.Every > 1 && c.Rate != nil && c.Vsync != nil && c.Calls >= minCalls
}

// callbacks returns those of the chosen processes, the ones with the most time first.
func callbacks(t *analyzer.Timeline, o Options) []Callback {
	type key struct {
		process *analyzer.Process
		sync    syncKey
		rate    [3]int32
	}
	type times struct {
		Callback
		rate [3]int32
		took []trace.Duration
		cpu  trace.Duration
	}
	of := map[key]*times{}
	for f := range t.Complete() {
		if o.Process != nil && !o.Process(f.Process) {
			continue
		}
		for i := range f.DisplaySyncs {
			s := &f.DisplaySyncs[i]
			k := key{f.Process, keyOfSync(s), [...]int32{s.Rate, s.VsyncRate, s.Every}}
			c := of[k]
			if c == nil {
				c = &times{rate: k.rate, Callback: Callback{
					Source: f.Process, PID: f.Process.PID, Process: f.Process.Name, ID: s.ID, Type: k.sync.typeName(),
					Rate: optionalCount(int(s.Rate)), Vsync: optionalCount(int(s.VsyncRate)), Every: optionalCount(int(s.Every)),
				}}
				of[k] = c
			}
			c.Frames++
			if s.Skipped {
				continue
			}
			c.Calls++
			if s.Took > 0 {
				c.took, c.Total, c.cpu = append(c.took, s.Took), add(c.Total, s.Took), add(c.cpu, s.CPUTime)
			}
		}
	}
	list := []Callback{}
	for _, c := range slices.SortedFunc(maps.Values(of), func(x, y *times) int {
		return cmp.Or(cmp.Compare(y.Total, x.Total), cmp.Compare(y.Frames, x.Frames), cmp.Compare(x.PID, y.PID), cmp.Compare(x.ID, y.ID),
			cmp.Compare(deref(x.Type), deref(y.Type)), slices.Compare(x.rate[:], y.rate[:]))
	}) {
		c.Took, c.CPU = quantilesOf[Latency](c.took), optionalMilliseconds(c.cpu)
		list = append(list, c.Callback)
	}
	return list
}

// Nodes are how many nodes of ArkUI a frame measured and laid out. Frames that did neither do not
// count. Percentiles are those of Durations.
type Nodes struct {
	Frames      int `json:"frames"` // frames that measured or laid out nodes
	MeasuredP50 int `json:"measured_p50"`
	MeasuredMax int `json:"measured_max"`
	LaidOutP50  int `json:"laid_out_p50"`
	LaidOutMax  int `json:"laid_out_max"`
}

// nodes returns nil if no frame has any.
func nodes(frames []*analyzer.Frame) *Nodes {
	var measured, laidOut []int
	for _, f := range frames {
		if f.Measured > 0 || f.LaidOut > 0 {
			measured, laidOut = append(measured, f.Measured), append(laidOut, f.LaidOut)
		}
	}
	if len(measured) == 0 {
		return nil
	}
	n := &Nodes{Frames: len(measured)}
	setQuantiles(n, "measured_", measured)
	setQuantiles(n, "laid_out_", laidOut)
	return n
}
