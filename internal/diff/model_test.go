package diff

import (
	"cmp"
	"math"
	"math/rand/v2"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
)

// A load says what the frames of an application and of render_service are like. The application is calm or busy, and only in busy times are
// frames late, two of three. Durations of frames that follow each other are alike.
type load struct {
	hertz    int
	seconds  float64
	jank     float64        // expected share of late frames
	factor   float64        // of the durations of frames that are not late; 0 is 1
	tail     float64        // of those of the longest fifth; 0 is 1
	longer   trace.Duration // added to the longest fifth
	varies   spread         // from run to run
	sessions spread         // from session to session
	// pauses: it animates in the first part of each pause only, in seconds; zero for all the time.
	animates, pauses float64
}

// spread is by how much the level of something differs: standard deviations of logarithms.
type spread struct{ jank, durations float64 }

// level is what a run or a session multiplies its load by.
type level struct{ jank, durations float64 }

// draw draws a level whose mean is 1.
func (s spread) draw(r *rand.Rand) level {
	around := func(sd float64) float64 { return math.Exp(sd*r.NormFloat64() - sd*sd/2) }
	return level{around(s.jank), around(s.durations)}
}

func (l level) times(m level) level { return level{l.jank * m.jank, l.durations * m.durations} }

// application is the name of the application.
const application = "gallery"

const (
	busyLength = 3      // mean number of frames of a busy time
	busyLate   = 2. / 3 // share of late frames in it
	durationSD = 0.3    // of the logarithm of durations
	alike      = 0.9    // correlation of the durations of neighbours
	renderJank = 0.004  // share of late frames of render_service
)

// burst is a process whose frames are late in busy times only.
type burst struct {
	enter float64 // probability that a busy time begins with a frame
	busy  bool
	z     float64 // deviation of the last duration
	r     *rand.Rand
}

func newBurst(r *rand.Rand, late float64) *burst {
	share := min(0.9, late/busyLate)
	return &burst{enter: share / (1 - share) / busyLength, busy: r.Float64() < share, z: r.NormFloat64(), r: r}
}

// next reports whether the next frame is late, and draws z.
func (b *burst) next() bool {
	if b.busy {
		b.busy = b.r.Float64() >= 1.0/busyLength
	} else {
		b.busy = b.r.Float64() < b.enter
	}
	b.z = alike*b.z + math.Sqrt(1-alike*alike)*b.r.NormFloat64()
	return b.busy && b.r.Float64() < busyLate
}

// run generates a run. Another seed is another run of the same application.
func (l load) run(seed uint64, session level) *analyzer.Timeline {
	r := rand.New(rand.NewPCG(seed, 28))
	now := l.varies.draw(r).times(session)
	t := &analyzer.Timeline{}
	process := func(pid trace.PID, name string) *analyzer.Process {
		p := &analyzer.Process{PID: pid, Name: name}
		t.Processes = append(t.Processes, p)
		return p
	}
	app, service := process(100, application), process(50, "render_service")
	period := trace.Second / trace.Duration(l.hertz)
	draws, renders := newBurst(r, l.jank*now.jank), newBurst(r, renderJank*now.jank)
	overrun := func() trace.Duration { return trace.Duration(float64(period) * (1.05 + 0.4*r.ExpFloat64())) }
	frame := func(kind analyzer.Kind, p *analyzer.Process, id int64, vsync trace.Time, took trace.Duration) *analyzer.Frame {
		f := &analyzer.Frame{
			Kind: kind, Process: p, TID: trace.TID(p.PID), VsyncID: id, Vsync: vsync, Period: period,
			Actual:   analyzer.Interval{Start: vsync, End: vsync.Add(took)},
			Expected: analyzer.Interval{Start: vsync, End: vsync.Add(period)}, Deadline: vsync.Add(period),
		}
		if took > period {
			f.Facts = analyzer.MainLate
		}
		t.Frames = append(t.Frames, f)
		return f
	}
	start, last := trace.Time(trace.Second), trace.Time(0)
	all := int(l.seconds * float64(l.hertz))
	animates, pauses := int(l.animates*float64(l.hertz)), int(l.pauses*float64(l.hertz))
	for i := 0; i < all; {
		if pauses > 0 && i%pauses >= animates {
			i += pauses - i%pauses
			continue
		}
		late := draws.next()
		took := overrun()
		if !late {
			x := 0.4 * math.Exp(durationSD*draws.z) * now.durations * cmp.Or(l.factor, 1)
			if draws.z > 0.84 { // the longest fifth
				x = x*cmp.Or(l.tail, 1) + float64(l.longer)/float64(period)
			}
			took = trace.Duration(float64(period) * min(0.99, x))
		}
		vsync := start.Add(trace.Duration(i) * period)
		periods := int((took + period - 1) / period) // until render_service takes the frame
		f := frame(analyzer.ApplicationFrame, app, int64(i+1), vsync, took)
		picked := vsync.Add(trace.Duration(periods) * period)
		work := trace.Duration(float64(period) * min(0.95, 0.2*math.Exp(durationSD*renders.z)*now.durations))
		shown := picked.Add(2 * period)
		if renders.next() {
			work, shown = overrun(), shown.Add(period)
		}
		g := frame(analyzer.RenderFrame, service, int64(i+1), picked, work)
		g.Present = max(shown, last.Add(period/2))
		last = g.Present
		f.Transactions, f.Render = []analyzer.Sent{{Index: int64(i + 1), At: f.Actual.End, AppliedBy: g}}, g
		g.Applications = []*analyzer.Frame{f}
		i += periods // no other frame begins meanwhile
	}
	t.Span = analyzer.Interval{Start: start, End: start.Add(trace.Duration(all) * period)}
	return t
}

// side generates a run and measures it.
func (l load) side(seed uint64, session level) Side {
	return Side{Stats: stats.Compute(l.run(seed, session), stats.Options{Compare: true})}
}
