package reconstruct

import (
	"cmp"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
	"ohframe/internal/source/hitrace"
)

// votes are those of a process on the refresh rate (docs/frames.md 8.6).
type votes struct {
	pid   trace.PID
	given []analyzer.Vote // and not withdrawn, as far as the trace shows that
	// counted are those of the last count, by priority. skipped are voters whose votes it skipped.
	counted []hitrace.RateVoteText
	skipped []string
	at      trace.Time // of the last one of the count
	// settled: the result of the count is known.
	settled bool
	last    analyzer.Vote // result
	list    []analyzer.Decision
	// touched: the trace says when a finger is onScreen, and when it last left.
	touched, onScreen bool
	left              trace.Time
}

// maxVotes is above the number of votes of any device.
const maxVotes = 64

func (b *builder) votesOf(pid trace.PID) *votes {
	for _, v := range b.votes {
		if v.pid == pid {
			return v
		}
	}
	v := &votes{pid: pid, settled: true}
	if len(b.votes) < maxVotes { // otherwise of damaged lines
		b.votes = append(b.votes, v)
	}
	return v
}

func (b *builder) beginRateVote(t *thread, e *hitrace.Event) {
	x, ok := hitrace.ParseRateVote(e.Marker.Label())
	if !ok {
		return
	}
	v := b.votesOf(t.pid)
	v.settle(b, e)
	v.given = slices.DeleteFunc(v.given, func(other analyzer.Vote) bool {
		return other.Voter == x.Voter && (other.PID == x.PID || !x.Given && x.PID == 0)
	})
	if x.Given && len(v.given) < maxVotes {
		v.given = append(v.given, x.Vote)
	}
}

func (b *builder) beginRateCounted(t *thread, e *hitrace.Event) {
	x, ok := hitrace.ParseRateVote(e.Marker.Label())
	if !ok {
		return
	}
	v := b.votesOf(t.pid)
	if v.settled || len(v.counted) == maxVotes || slices.ContainsFunc(v.counted, func(other hitrace.RateVoteText) bool { return other.Voter == x.Voter }) {
		v.settle(b, e)
		v.counted, v.skipped, v.settled = v.counted[:0], v.skipped[:0], false
	}
	if v.at = e.Time; x.Skipped {
		v.skipped = append(v.skipped, x.Voter)
	} else {
		v.counted = append(v.counted, x)
	}
}

func (b *builder) beginRateDecided(t *thread, e *hitrace.Event) {
	x, ok := hitrace.ParseRateDecided(e.Marker.Label())
	if !ok {
		return
	}
	v := b.votesOf(t.pid)
	at, counted := e.Time, !v.settled
	if counted {
		at = v.at
	} else if x.Voter != v.last.Voter || x.Min != v.last.Min || x.Max != v.last.Max { // of a count that is not in the trace
		v.counted, v.skipped = v.counted[:0], v.skipped[:0]
	}
	for _, c := range v.counted {
		if c.Voter == x.Voter {
			x.PID = c.PID
		}
	}
	v.settled = true
	v.decide(b, e, at, x, !counted && len(v.list) == 0)
}

// settle ends a count without a result of its own, as 4.1 and 5.0 write them, and others whose result
// follows the next count.
func (v *votes) settle(b *builder, e *hitrace.Event) {
	if v.settled {
		return
	}
	v.settled = true
	v.decide(b, e, v.at, result(v.counted), false)
}

// decide adds a result, if it is another one than before.
func (v *votes) decide(b *builder, e *hitrace.Event, at trace.Time, result analyzer.Vote, earlier bool) {
	if len(v.list) > 0 && result.Voter == v.last.Voter && result.Min == v.last.Min && result.Max == v.last.Max || !b.mayKeep(&b.kept.votes, e) {
		return
	}
	v.last = result
	d := analyzer.Decision{At: at, Earlier: earlier, Result: result, Counted: len(v.counted) > 0}
	for _, c := range v.counted {
		if c.Voter != result.Voter {
			d.Others = append(d.Others, c.Vote)
		}
	}
	for _, g := range v.given {
		if g.Voter != result.Voter && !slices.Contains(v.skipped, g.Voter) && !slices.ContainsFunc(v.counted, func(c hitrace.RateVoteText) bool { return c.Voter == g.Voter }) {
			d.Others = append(d.Others, g)
		}
	}
	if !v.onScreen {
		d.Touched = v.left
	}
	v.list = append(v.list, d)
}

// result returns what a count results in; without a voter if that is unknown. Up to 4.1 each vote counts by
// priority. Since 5.0 those from VOTER_LTPO to VOTER_IDLE first have a common result, the highest of them.
func result(counted []hitrace.RateVoteText) analyzer.Vote {
	alone, alonePossible := merge(counted, false)
	together, togetherPossible := merge(counted, true)
	switch {
	case len(counted) == 0 || counted[0].Grouped:
		alone, alonePossible = together, togetherPossible
	case !alonePossible:
		alone, alonePossible = together, togetherPossible
	case togetherPossible && alone != together:
		return analyzer.Vote{}
	}
	if !alonePossible {
		return analyzer.Vote{}
	}
	return alone
}

// anyRate is above all votes.
const anyRate = 1 << 20

// merge counts votes. A count ends at the vote that leaves one rate: ok is false if it goes on.
func merge(counted []hitrace.RateVoteText, together bool) (r analyzer.Vote, ok bool) {
	r.Max = anyRate
	for i := 0; i < len(counted); i++ {
		x := counted[i].Vote
		if together && isOfGroup(x.Voter) {
			for ; i+1 < len(counted) && (isOfGroup(counted[i+1].Voter) || counted[i+1].Voter == "VOTER_SCENE"); i++ {
				next := counted[i+1].Vote
				low := max(x.Min, next.Min)
				if next.Max < x.Max {
					next = x
				}
				x, x.Min = next, low
			}
		}
		if x.Min > r.Min {
			r.Min = min(x.Min, r.Max)
		}
		if r.Min < r.Max && x.Max < r.Max {
			r.Voter, r.PID, r.Max = x.Voter, x.PID, max(x.Max, r.Min)
		}
		if r.Min == r.Max {
			return r, i+1 == len(counted)
		}
	}
	return r, true
}

// isOfGroup reports whether a vote counts together with others since 5.0. VOTER_SCENE may have a higher priority.
func isOfGroup(voter string) bool {
	return voter == "VOTER_LTPO" || voter == "VOTER_TOUCH" || voter == "VOTER_POINTER" || voter == "VOTER_VIDEO"
}

func (b *builder) beginTouchState(t *thread, e *hitrace.Event) {
	touches, left := hitrace.ParseTouchState(e.Marker.Label())
	if v := b.votesOf(t.pid); touches || left {
		if v.touched, v.onScreen = true, touches; left {
			v.left = e.Time
		}
	}
}

// repeated is above the time after which a result is written again while frames are made, if it is written at all
// without a change. A first one after that is new.
const repeated = 50 * trace.Millisecond

// setDecisions adds the decisions of the trace. Without states of the touch, the inputs of interactions say
// when a finger left the screen.
func (b *builder) setDecisions(t *analyzer.Timeline) {
	first := len(t.Decisions)
	for _, v := range b.votes {
		v.settle(b, &hitrace.Event{})
		for _, d := range v.list {
			for _, i := range t.Interactions {
				if !v.touched && i.InputAt <= d.At && i.InputAt > d.Touched && i.Input == analyzer.LastUp {
					d.Touched = i.InputAt
				}
			}
			for _, i := range t.Interactions {
				if !v.touched && i.InputAt <= d.At && i.InputAt > d.Touched {
					d.Touched = 0 // the finger may be on the screen
				}
			}
			d.Earlier = d.Earlier && !slices.ContainsFunc(b.drafts, func(x *draft) bool {
				return x.frame.Kind == analyzer.RenderFrame && d.At.Sub(x.frame.Actual.Start) > repeated
			})
			if d.Process = b.lives.atTime(v.pid, d.At); d.Process != nil {
				t.Decisions = append(t.Decisions, d)
			}
		}
	}
	slices.SortStableFunc(t.Decisions[first:], func(x, y analyzer.Decision) int { return cmp.Compare(x.At, y.At) })
}
