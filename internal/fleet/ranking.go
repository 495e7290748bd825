package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
	"ohframe/internal/causes"
	"ohframe/internal/causetext"
	"ohframe/internal/diag"
	"ohframe/internal/inputs"
	"ohframe/internal/locate"
	"ohframe/internal/text"
)

// causeDim was a dimension of groups; an error says what is instead of it.
const causeDim = "cause"

// Ranking adds up the causes of late frames and of hangs of several traces.
type Ranking struct {
	query Query
	keyer *keyer
	unit  string // what is counted as a user: a dimension; empty for traces
	user  func(*Row) *string
}

// NewRanking returns a ranking of inputs that have some dimensions.
func NewRanking(q Query, dims []string) (r *Ranking, err error) {
	r = &Ranking{query: q, unit: unitDim(dims), user: func(row *Row) *string { return &row.Trace }}
	if r.keyer, err = newKeyer(dims, q); err != nil {
		return nil, err
	}
	if r.keyer.table == ofLayers {
		return nil, &diag.Error{What: "causes are of frames and hangs, not of layers", Hint: "--by process"}
	}
	if r.unit != "" {
		r.user, err = r.keyer.column(dims, r.unit)
	}
	return r, err
}

// Of returns the causes of datasets.
func (r *Ranking) Of(ctx context.Context, datasets []*Dataset) (*causes.Overall, error) {
	k := r.keyer
	key := func(dst []byte, row *Row) ([]byte, bool) { return k.append(dst, row), k.match(row.Process, row.PID) }
	create := func(row *Row) *rankedGroup { return &rankedGroup{key: k.values(row), causes: map[string]*rankedSum{}} }
	add := func(g *rankedGroup, row *Row) { g.add(row, xxh3.HashString(*cmp.Or(r.user(row), &row.Trace))) }
	groups, err := gather(ctx, datasets, ofCauses(k.table, k.dims), key, create, add)
	if err == nil && len(groups) == 0 {
		err = noProcess(ctx, datasets, r.query.Process)
	}
	if err != nil {
		return nil, err
	}
	o := &causes.Overall{By: r.query.By, Unit: cmp.Or(r.unit, "trace"), Named: maxCauses, TraceCounts: causes.NewTraceCounts()}
	for _, d := range datasets {
		o.Dir = cmp.Or(d.Dir, o.Dir)
		o.Add(&d.TraceCounts)
	}
	o.Causes = rankedOf(o, groups)
	return o, nil
}

// units is a set of units by the hashes of their names. Rows of a trace follow each other, so few are
// there twice before compact.
type units []uint64

func (u *units) add(hash uint64) {
	if n := len(*u); n == 0 || (*u)[n-1] != hash {
		*u = append(*u, hash)
	}
}

func (u units) compact() units {
	slices.Sort(u)
	return slices.Compact(u)
}

// rankedGroup adds up the rows of a group.
type rankedGroup struct {
	key    []*string
	users  units
	lost   trace.Duration
	others trace.Duration
	causes map[string]*rankedSum
}

// rankedSum adds up a cause of a group.
type rankedSum struct {
	users, traces units
	frames, hangs int64
	lost          trace.Duration
	process       string
	several       bool // processes
	worst         []Worst
}

func (s *rankedSum) merge(o *rankedSum) {
	s.users, s.traces = append(s.users, o.users...), append(s.traces, o.traces...)
	s.frames, s.hangs, s.lost = s.frames+o.frames, s.hangs+o.hangs, s.lost+o.lost
	s.several = s.several || o.several || s.process != o.process
	for _, w := range o.worst {
		s.worst = keepWorst(s.worst, w)
	}
}

func (s *rankedSum) size() int { return 1 }

func (g *rankedGroup) merge(o *rankedGroup) {
	g.users, g.lost, g.others = append(g.users, o.users...), g.lost+o.lost, g.others+o.others
	merge(g.causes, o.causes)
}

func (g *rankedGroup) size() int { return len(g.causes) }

// add adds what a row lost.
func (g *rankedGroup) add(r *Row, user uint64) {
	g.users.add(user)
	traceHash := xxh3.HashString(r.Trace)
	for _, columns := range []*causeColumns{&r.Causes, &r.Hangs} {
		for i, c := range columns.all {
			g.lost += c.Lost
			if c.Title == otherCauses {
				g.others += c.Lost
				continue
			}
			s := g.causes[c.Title]
			if s == nil {
				s = &rankedSum{process: strings.Clone(r.Process)}
				g.causes[strings.Clone(c.Title)] = s
			}
			s.users.add(user)
			s.traces.add(traceHash)
			s.lost += c.Lost
			s.several = s.several || s.process != r.Process
			example := columns.at(i, r)
			example.timed, example.flags = true, r.flags
			if columns == &r.Causes {
				s.frames += c.Frames
			} else {
				s.hangs += c.Frames
				example.hang = true
			}
			s.worst = keepWorst(s.worst, example)
		}
	}
}

// rankedOf returns the causes of groups, and adds what they lost to the sums.
func rankedOf(o *causes.Overall, groups map[string]*rankedGroup) (list []*causes.Ranked) {
	keys := map[*causes.Ranked][]*string{}
	for _, g := range groups {
		of, key := len(g.users.compact()), map[string]*string(nil)
		if len(o.By) > 0 {
			key = keyDocument(o.By, g.key)
		}
		o.Lost, o.Others = o.Lost+g.lost, o.Others+g.others
		for name, s := range g.causes {
			c := &causes.Ranked{
				Key: key, Title: name, Of: of, Units: len(s.users.compact()), Traces: len(s.traces.compact()), Frames: s.frames, Hangs: s.hangs,
				Lost: s.lost, Share: float64(s.lost) / float64(max(1, g.lost)),
			}
			if !s.several {
				c.Process = s.process
			}
			for _, w := range s.worst {
				c.Examples = append(c.Examples, w.example)
			}
			list, keys[c] = append(list, c), g.key
		}
	}
	// What slows everything a little is the noise of every device, which nobody can fix, so it comes last.
	noise := func(c *causes.Ranked) int {
		if c.Title == causetext.WaitTitle(why.Variation) {
			return 1
		}
		return 0
	}
	slices.SortFunc(list, func(a, b *causes.Ranked) int {
		return cmp.Or(cmp.Compare(noise(a), noise(b)), cmp.Compare(b.Units, a.Units), cmp.Compare(b.Lost, a.Lost), compareKeys(keys[a], keys[b]), cmp.Compare(a.Title, b.Title))
	})
	return list
}

// example returns a frame or a hang with its commands; without them if its trace is no file that a command can
// name.
func (w Worst) example() causes.Example {
	e := causes.Example{Trace: w.Trace, Process: w.Process, PID: w.PID, Vsync: w.VsyncID, Start: w.Start, Late: w.Overrun}
	if w.Trace == inputs.Standard || text.Printable(w.Trace) != w.Trace {
		return e
	}
	flags := append([]string{"--process " + locate.Process(w.Process, w.PID)}, w.flags...)
	switch {
	case w.hang:
		flags = append(flags, "--from "+w.Start.String(), "--to "+w.Start.Add(w.Overrun+1).String())
	case w.VsyncID != 0:
		flags = append(flags, fmt.Sprintf("--frame %d", w.VsyncID))
	}
	e.Why, e.Open = fmt.Sprintf("ohframe why %s -- %s", strings.Join(flags, " "), text.Quoted(w.Trace)), w.openCommand()
	return e
}

// keyDocument returns nil for no group.
func keyDocument(by []string, key []*string) map[string]*string {
	if key == nil {
		return nil
	}
	d := map[string]*string{}
	for i, name := range by {
		d[name] = key[i]
	}
	return d
}
