package simulate

import (
	"fmt"
	"slices"

	"ohframe/analyzer/trace"
)

// RateVote is a vote on the refresh rate: its voter, without "VOTER_", and the rates that it is for.
type RateVote struct {
	Voter    string
	Min, Max int
}

// RateTruth is a refresh rate whose vote is known, from the first vsync with it on.
type RateTruth struct {
	From    trace.Time
	Hz      int
	Voter   string
	Decided trace.Time // when the vote counted
	Seen    bool       // and the trace has that
	Touched trace.Time // when a finger last left the screen; zero if the trace does not have it, or if one is on the screen
	// Over are the voters that are overruled.
	Over []string
}

// Voted is a trace of an era in which votes on the refresh rate change it, with random rates, voters and times.
func Voted(era string, seed uint64) Config {
	r := newRandom(seed, 31)
	c := Default()
	c.Era, c.Seed, c.Rates, c.Duration = era, seed, nil, 0
	c.Apps[0].Interval = 1
	hertz := []int{60, 72, 90, 120}
	first := []string{"THERMAL", "POWER_MODE", "GAMES"} // by priority, all above
	second := []string{"LTPO", "VIDEO"}                 // which count together
	for n, last := 2+r.below(5), int64(-1); n > 0; n-- {
		i := r.below(int64(len(hertz)))
		if i == last {
			i = (i + 1) % int64(len(hertz))
		}
		last = i
		hz := hertz[i]
		rate := Rate{From: c.Duration, Hz: hz, Touch: int(r.below(3))}
		lower := func() int { return hertz[r.below(i+1)] }
		switch r.below(3) {
		case 0: // a high priority limits the rate, a lower one wants more
			rate.Votes = []RateVote{{first[r.below(3)], 0, hz}, {second[r.below(2)], hz, 120}}
			if hz < 120 && r.chance(0.5) {
				rate.Votes[1].Min = 120
			}
		case 1: // of those that count together the highest decides
			rate.Votes = []RateVote{{"LTPO", 30, 30}, {"VIDEO", hz, hz}}
		default: // one decides, and a lower one is not counted
			rate.Votes = []RateVote{{first[r.below(3)], hz, hz}}
			rate.Uncounted = []RateVote{{"IDLE", lower(), lower()}}
			rate.Uncounted[0].Max = rate.Uncounted[0].Min
		}
		c.Rates = append(c.Rates, rate)
		c.Duration += r.between(180*trace.Millisecond, 500*trace.Millisecond)
	}
	if r.chance(0.3) {
		c.From = r.between(10*trace.Millisecond, 150*trace.Millisecond)
	}
	return c
}

// decides returns which of the votes decides.
func (r *Rate) decides() string {
	for _, v := range r.Votes {
		if v.Max == r.Hz {
			return v.Voter
		}
	}
	return ""
}

// votesAhead is by how many vsyncs a vote counts before the display has its rate.
const votesAhead = 2

// vote writes the votes on the rate that the display has soon.
func (s *sim) vote(a *actor, v vsync) {
	if len(s.Rates[0].Votes) == 0 {
		return
	}
	at, n := s.grid.at(v.index+votesAhead).now, 0
	for i, r := range s.Rates {
		if at >= firstVsync.add(r.From) {
			n = i
		}
	}
	r := &s.Rates[n]
	line := func(format string, args ...any) { a.note(fmt.Sprintf(format, args...), "M0538") }
	e := slices.Index(Eras(), s.Era)
	form := "VoteRes: VOTER_%s[%d, %d]"
	skip := ""
	switch {
	case s.Era == "5.0.3":
		form, skip = "Process nothing, lastVoteInfo: VOTER_%s[%d, %d] curPackage: com.example.gallery, touchState: 0", " skip: false"
	case e >= slices.Index(Eras(), "harmonyos-6.1"):
		form = "UpdateSoftVSync: " + form
	}
	if new := n + 1; new > s.voted {
		s.voted = new
		truth := RateTruth{Hz: r.Hz, Voter: r.decides(), Seen: s.now >= s.text.from}
		for i := range s.grid.list[v.index:] {
			if w := s.grid.list[v.index+int64(i)]; w.rate == r.Hz {
				truth.From = s.traceTime(w.now)
				break
			}
		}
		switch r.Touch {
		case 1:
			line("StateMachine state change: TouchIdle -> TouchDown")
			s.left = 0
		case 2:
			if line("StateMachine state change: TouchDown -> TouchUp"); s.now >= s.text.from {
				s.left = s.tick(s.now.Add(-4 * trace.Microsecond))
			}
		}
		truth.Touched = s.left
		if n > 0 {
			for _, old := range s.Rates[n-1].Uncounted {
				line("Deliver voter:VOTER_%s(pid:0 extInfo:), status:0, value:[0-0]", old.Voter)
			}
		}
		for _, x := range r.Uncounted {
			line("Deliver voter:VOTER_%s(pid:0 extInfo:), status:1, value:[%d-%d]", x.Voter, x.Min, x.Max)
			if x.Max != r.Hz {
				truth.Over = append(truth.Over, x.Voter)
			}
		}
		for _, x := range r.Votes {
			truth.Decided = s.tick(s.now)
			line("Process voter:VOTER_%s(pid:0), value:[%d-%d]%s", x.Voter, x.Min, x.Max, skip)
			if x.Voter != truth.Voter && (x.Min > r.Hz || x.Max < r.Hz) {
				truth.Over = append(truth.Over, x.Voter)
			}
		}
		s.truth.Rates = append(s.truth.Rates, truth)
	}
	line(form, r.decides(), r.Hz, r.Hz)
}
