package diff

import (
	"slices"
	"strconv"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/condition"
	"ohframe/internal/text"
)

// SummaryPair is the summaries of a process or package on both sides. Several in one run, of days or
// versions, are added up.
type SummaryPair struct {
	Process string
	// Base and New are the summaries of each run.
	Base, New [][]*stats.Summary
	Measures  []*Measure
}

// summaries returns the summaries of each run, without filtered ones, which cannot be compared.
func (s *Side) summaries() [][]*stats.Summary {
	runs := s.counted
	if s.Runs == nil {
		runs = [][]stats.Summary{s.Stats.Summaries}
	}
	list := make([][]*stats.Summary, len(runs))
	for i, run := range runs {
		for k := range run {
			if !run[k].Filtered {
				list[i] = append(list[i], &run[k])
			}
		}
	}
	return list
}

// pairSummaries sets Summaries, OnlyBaseSummaries and OnlyNewSummaries.
func (d *Diff) pairSummaries(o Options) {
	sides := [2][][]*stats.Summary{d.Base.summaries(), d.New.summaries()}
	name, pairs := d.applicationNames(), map[string]*SummaryPair{}
	var list []*SummaryPair
	for side, runs := range sides {
		for run, summaries := range runs {
			for _, s := range summaries {
				if o.Process != nil && !o.Process(&analyzer.Process{PID: s.PID, Name: s.Process}) {
					continue
				}
				key := name(side, s.Process)
				p := pairs[key]
				if p == nil {
					p = &SummaryPair{Process: key, Base: make([][]*stats.Summary, len(sides[0])), New: make([][]*stats.Summary, len(sides[1]))}
					pairs[key] = p
					list = append(list, p)
				}
				of := [2][][]*stats.Summary{p.Base, p.New}[side]
				of[run] = append(of[run], s)
			}
		}
	}
	for _, p := range list {
		switch {
		case count(p.New) == 0:
			d.OnlyBaseSummaries = append(d.OnlyBaseSummaries, p)
		case count(p.Base) == 0:
			d.OnlyNewSummaries = append(d.OnlyNewSummaries, p)
		default:
			d.Summaries = append(d.Summaries, p)
		}
	}
}

// testSummaries computes the measures of the summaries, and tests their changes as a family.
func (d *Diff) testSummaries(o Options) {
	var tested []*Measure
	for _, p := range d.Summaries {
		base, new := joined(p.Base, stats.JoinSummaries), joined(p.New, stats.JoinSummaries)
		for i := range stats.SummaryMeasures {
			k := &stats.SummaryMeasures[i]
			p.Measures = append(p.Measures, d.measured(k, unitsOf(base, k), unitsOf(new, k)))
		}
		tested = append(tested, p.Measures...)
	}
	d.SummaryChanges = Judge(tested, o.MinEffect).Tested
}

func summedFrames(runs [][]*stats.Summary) (n int) {
	for _, s := range slices.Concat(runs...) {
		n += s.Frames
	}
	return n
}

func (p *SummaryPair) measure(name string) *Measure { return measureOf(p.Measures, name) }

func (p *SummaryPair) list() []*Measure { return p.Measures }

func (p *SummaryPair) size() int { return summedFrames(p.Base) + summedFrames(p.New) }

func (p *SummaryPair) counts() string {
	return strconv.Itoa(summedFrames(p.Base)) + " → " + strconv.Itoa(summedFrames(p.New))
}

func (p *SummaryPair) outcome() Outcome { return Outcome{} }

func (p *SummaryPair) words() string { return text.ProcessName(p.Process) }

func (p *SummaryPair) about() string { return "" }

func (p *SummaryPair) fullTitle() string { return text.ProcessName(p.Process) }

func (p *SummaryPair) heading() string { return p.fullTitle() }

// asProcess returns the process as conditions select it.
func (p *SummaryPair) asProcess() *stats.Process {
	return &stats.Process{PID: trace.UnknownPID, Name: p.Process}
}

func (p *SummaryPair) selects(c *condition.Condition) bool {
	return !c.OfInteractions() && !c.OfLayers() && c.Selects(p.asProcess())
}

// judgedSummaries returns the compared processes without a compared pair that has frames, and those that are only
// in base: conditions on frames are on their summaries.
func (d *Diff) judgedSummaries() (both, onlyBase []*SummaryPair) {
	framed := func(p *SummaryPair) bool {
		return slices.ContainsFunc(d.Pairs, func(q *Pair) bool {
			return hasFrames(q.Base) && hasFrames(q.New) && (q.Base.Name == p.Process || q.New.Name == p.Process)
		})
	}
	return slices.DeleteFunc(slices.Clone(d.Summaries), framed), slices.DeleteFunc(slices.Clone(d.OnlyBaseSummaries), framed)
}

// checkSummaries checks conditions on processes.
func (d *Diff) checkSummaries(list []*condition.Condition, both, onlyBase []*SummaryPair) {
	for _, p := range both {
		for _, c := range list {
			switch m := p.measure(c.Measure); {
			case !p.selects(c):
			case m == nil:
				d.unknown(c, p.fullTitle(), condition.NotOfSummaries)
			default:
				d.check(c, m, p.whyUnknown(d, m), Outcome{Check: condition.Check{Process: p.fullTitle()}})
			}
		}
	}
	for _, p := range onlyBase {
		for _, c := range list {
			if p.selects(c) {
				d.unknown(c, p.fullTitle(), "the process is not in the new trace")
			}
		}
	}
}

func (p *SummaryPair) whyUnknown(d *Diff, m *Measure) string { return d.whyNotChecked(m) }
