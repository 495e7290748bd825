package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// leastSlower is the least difference of the shares of the time below the highest refresh rate that the verdict
// names: displays that lower their rate when nothing moves do so a little more or less in each run.
const leastSlower = 0.1

// slowerDisplays says of displays how long they were below their highest rate on both sides, if that differs, and
// whose votes decided it: "the display was at 60 of 120 Hz for 0 % of base and 45 % of new (thermal vote)". The
// only display is that of all processes, also of those that Options.Process selects.
func (d *Diff) slowerDisplays() (list []string) {
	if base, new := d.Base.displays(), d.New.displays(); len(base) == 1 && len(new) == 1 {
		if words := slowerDisplay(base[0], new[0]); words != "" {
			list = append(list, "the display was "+words)
		}
		return list
	}
	for _, p := range d.Pairs {
		if words := slowerDisplay(p.base, p.new); words != "" {
			list = append(list, "the display of "+p.title()+" was "+words)
		}
	}
	return list
}

// displays returns the render services that have displays, each in all runs.
func (s Side) displays() (list [][]*stats.Process) {
	for _, p := range s.Stats.Processes {
		if runs := s.runsOf(p); slices.ContainsFunc(runs, func(p *stats.Process) bool { return p != nil && p.Display != nil }) {
			list = append(list, runs)
		}
	}
	return list
}

// slowerDisplay is slowerDisplays of one display, without its name; empty if there is nothing to say.
func slowerDisplay(runs ...[]*stats.Process) string {
	highest := 0.0
	for _, p := range slices.Concat(runs...) {
		if p != nil && p.Display != nil {
			for _, r := range p.Display.Rates() {
				highest = max(highest, r.Rate())
			}
		}
	}
	votes := map[string]trace.Duration{} // time by voter; empty for an unknown one
	var hertz []int                      // below the highest
	var shares [2]float64
	for side, list := range runs {
		var lower, all trace.Duration
		for _, p := range list {
			if p == nil || p.Display == nil {
				continue
			}
			for _, r := range p.Display.Rates() {
				all += r.Duration()
				if r.Rate() > highest*0.9 {
					continue
				}
				lower += r.Duration()
				hertz = append(hertz, int(math.Round(r.Rate())))
				voter := ""
				if r.Decision != nil {
					voter = r.Decision.Result.Voter
				}
				votes[voter] += r.Duration()
			}
		}
		if all == 0 {
			return ""
		}
		shares[side] = float64(lower) / float64(all)
	}
	if math.Abs(shares[1]-shares[0]) < leastSlower {
		return ""
	}
	at := fmt.Sprint(slices.Min(hertz))
	if most := slices.Max(hertz); most != slices.Min(hertz) {
		at = fmt.Sprintf("%s to %d", at, most)
	}
	words := fmt.Sprintf("at %s of %.0f Hz for %s of base and %s of new", at, highest, text.Share(&shares[0]), text.Share(&shares[1]))
	delete(votes, "")
	var names []string
	for voter := range votes {
		names = append(names, voter)
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(votes[y], votes[x]), cmp.Compare(x, y)) })
	for i, voter := range names {
		names[i] = text.Voter(voter) + " vote"
	}
	if len(names) > 0 {
		words += " (" + strings.Join(firstOf(names), ", ") + ")"
	}
	return words
}
