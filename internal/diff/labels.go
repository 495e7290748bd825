package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// unknown is printed in place of an unknown value.
const unknown = text.Unknown

// title returns the name of the pair's process, or both names if they differ.
func (p *Pair) title() string {
	base, new := text.Process(p.Base), text.Process(p.New)
	if base == new {
		return base
	}
	return base + " → " + new
}

// about returns the kind and the ids of the pair's process, and how it was matched
// if not by its full name.
func (p *Pair) about() string {
	pids := fmt.Sprint(p.Base.PID)
	if p.New.PID != p.Base.PID {
		pids += fmt.Sprintf(" → %s", p.New.PID)
	}
	about := fmt.Sprintf("%s · pid %s", text.Kind(p.Base.Kind), pids)
	switch p.MatchedBy {
	case MatchedByMap:
		about += " · as mapped"
	case MatchedByNameEnd:
		about += " · matched by the end of the name"
	}
	return about
}

// shown returns the pairs in tables and pages: those with the most frames.
func (d *Diff) shown() []*Pair {
	return text.Largest(d.Pairs, func(p *Pair) int { return complete(p.Base) + complete(p.New) })
}

func complete(p *stats.Process) int { return p.Frames.Complete }

// refreshOf returns the refresh rates of all runs, by rate. The period of a rate is that
// of the run with the most frames at it.
func refreshOf(runs []*stats.Process) []stats.Refresh {
	var list []stats.Refresh
	most := map[int]int{} // frames of a run, by place in list
	for _, p := range runs {
		if p == nil {
			continue
		}
		for _, r := range p.Refresh {
			i := slices.IndexFunc(list, func(l stats.Refresh) bool { return math.Round(l.Rate) == math.Round(r.Rate) })
			if i < 0 {
				i = len(list)
				list = append(list, stats.Refresh{})
			}
			frames := list[i].Frames + r.Frames
			if r.Frames > most[i] {
				most[i], list[i] = r.Frames, r
			}
			list[i].Frames = frames
		}
	}
	slices.SortFunc(list, func(a, b stats.Refresh) int { return cmp.Compare(a.Rate, b.Rate) })
	return list
}

// BaseRefresh and NewRefresh return the refresh rates of all runs of a side.
func (p *Pair) BaseRefresh() []stats.Refresh { return refreshOf(p.base) }
func (p *Pair) NewRefresh() []stats.Refresh  { return refreshOf(p.new) }

// refreshText lists the refresh rates of a process.
func refreshText(list []stats.Refresh) string {
	if len(list) == 0 {
		return unknown
	}
	return strings.Join(text.Rates(list, func(r stats.Refresh) string { return text.Number(r.Rate, 1) }), ", ") + " Hz"
}
