package stats

import (
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Pool says what a process, an interaction or a layer of several traces is made of: all that have the same
// values of some dimensions. What they do not have together is unknown.
type Pool struct {
	// Key are the values of the dimensions, nil where unknown, and Name is a printable text of them.
	Key  []*string
	Name string
	// Traces is the number of traces, and Count that of processes, interactions or layers in them.
	Traces, Count int
	// PerTrace and PerDevice are the jank rates of the traces and of the devices; nil if none is known.
	PerTrace, PerDevice *Distribution
	Causes              []PoolCause // of late frames, what lost the most time first; nil if unknown
	Worst               []PoolFrame // late frames, the worst first

	// What only several have.
	ReusedShare   *float64 `json:"reused_share"`
	ResponseP50   *float64 `json:"response_p50_ms"`
	ResponseP95   *float64 `json:"response_p95_ms"`
	CompletionP50 *float64 `json:"completion_p50_ms"`

	estimated map[string]bool // by the paths of measures
}

// Distribution is percentiles of shares by nearest rank.
type Distribution struct {
	Count int     `json:"count"` // number of shares
	P10   float64 `json:"p10"`   // a tenth of them are at most this
	P50   float64 `json:"p50"`   // half of them are
	P90   float64 `json:"p90"`   // 90 % are
	Max   float64 `json:"max"`   // the largest
}

// NewDistribution returns the distribution of shares, which it sorts; nil without any.
func NewDistribution(shares []float64) *Distribution {
	if len(shares) == 0 {
		return nil
	}
	slices.Sort(shares)
	at := func(p int) float64 { return Percentile(shares, p) }
	return &Distribution{len(shares), at(10), at(50), at(90), at(100)}
}

// PoolCause is what late frames lost by a cause.
type PoolCause struct {
	Title  string         `json:"title"`   // the cause
	Frames int64          `json:"frames"`  // late frames with it
	Lost   trace.Duration `json:"lost_ns"` // the time that they lost by it
}

// PoolFrame is a late frame of a trace.
type PoolFrame struct {
	Trace   string         `json:"trace"`      // name of the trace
	Process string         `json:"process"`    // name of the process
	PID     trace.PID      `json:"pid"`        // its id
	VsyncID int64          `json:"vsync_id"`   // its vsync id; 0 if unknown
	Start   trace.Time     `json:"start_ns"`   // start of its actual interval
	Overrun trace.Duration `json:"overrun_ns"` // by how much it was late
	Open    string         `json:"open"`       // the command that opens it
	Why     string         `json:"why"`        // the command that explains it
}

// PoolOf returns the pool of a subject of measures; nil for one of a trace.
func PoolOf(subject any) *Pool {
	switch x := subject.(type) {
	case *Process:
		return x.Pool
	case *Interaction:
		return x.Pool
	case *Layer:
		return x.Pool
	case *Own:
		return x.Pool
	}
	return nil
}

// Estimated reports whether the value for a subject is an estimate: a percentile of a histogram.
func (m *Measure) Estimated(subject any) bool {
	p, ok := subject.(*Pool)
	if !ok {
		p = PoolOf(subject)
	}
	return p != nil && p.estimated[m.Path]
}

// set sets the measures of a subject to those of a tally.
func (p *Pool) set(subject any, list MeasureList, t Tally) {
	for i := range list {
		m := &list[i]
		if m.Aggregate == nil {
			continue
		}
		x := m.Aggregate.Value(t)
		m.put(subject, x)
		if x != nil && m.Aggregate.Estimated(t) {
			if p.estimated == nil {
				p.estimated = map[string]bool{}
			}
			p.estimated[m.Path] = true
		}
	}
}

// setSums sets the numbers of a subject that are known not to be zero.
func setSums(subject any, sums []Sum, t Tally) {
	for i := range sums {
		if n := t.Sum(sums[i].Name); n != 0 {
			sums[i].set(subject, n)
		}
	}
}

// PoolProcess sets the measures of a process of several traces.
func PoolProcess(p *Process, t Tally) {
	setSums(p, ProcessSums, t)
	p.Pool.set(p, Measures, t)
	p.Pool.set(p.Pool, PoolMeasures, t)
	if p.Frames.EmptyKnown > 0 && p.Frames.Empty == nil {
		p.Frames.Empty = new(int)
	}
	if p.Frames.Judged > 0 && p.LongestStreak == nil {
		p.LongestStreak = &Streak{}
	}
	if p.Frames.Judged > 0 && p.Frames.Late == 0 && p.Lost == nil {
		p.Lost = new(trace.Duration)
	}
}

// PoolInteraction sets the measures of interactions of several traces.
func PoolInteraction(i *Interaction, t Tally) {
	p := &Process{Pool: i.Pool}
	PoolProcess(p, t)
	if p.Frames.Complete > 0 {
		i.setFrames(p)
	}
	i.Pool.set(i, InteractionMeasures, t)
}

// PoolLayer sets the measures of layers of several traces. Their name is that of its Source.
func PoolLayer(l *Layer, t Tally) {
	setSums(l, LayerSums, t)
	l.Pool.set(l, LayerMeasures, t)
	if l.Judged > 0 {
		for _, n := range []**int{&l.Late, &l.Long, &l.Early} {
			if *n == nil {
				*n = new(int)
			}
		}
		l.Longest = number(l.LongestInterval.Milliseconds())
	}
	l.Source = &analyzer.Layer{Name: l.Name}
}
