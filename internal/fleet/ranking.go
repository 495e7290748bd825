package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"ohframe"
	"ohframe/analyzer/stats"
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
	query  Query
	dims   []string // of the inputs
	unit   string   // what is counted as a user: a dimension; empty for traces
	groups map[string]*rankedGroup
	others map[string]int // frames of some processes that are not wanted, by name
	mutex  sync.Mutex     // of groups and others
	of     causes.Overall
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

func (g *rankedGroup) merge(o *rankedGroup) {
	g.users, g.lost, g.others = append(g.users, o.users...), g.lost+o.lost, g.others+o.others
	for name, s := range o.causes {
		if g.causes[name] == nil {
			g.causes[name] = s
		} else {
			g.causes[name].merge(s)
		}
	}
}

// add adds what a row lost, with flags for the commands about it.
func (g *rankedGroup) add(r *Row, user uint64, flags []string) {
	g.users.add(user)
	traceHash := xxh3.HashString(r.Trace)
	for _, columns := range []*causeColumns{&r.Causes, &r.Hangs} {
		for i, c := range columns.all {
			g.lost += c.Lost
			if c.Name == otherCauses {
				g.others += c.Lost
				continue
			}
			s := g.causes[c.Name]
			if s == nil {
				s = &rankedSum{process: strings.Clone(r.Process)}
				g.causes[strings.Clone(c.Name)] = s
			}
			s.users.add(user)
			s.traces.add(traceHash)
			s.lost += c.Lost
			s.several = s.several || s.process != r.Process
			example := columns.at(i, r)
			example.timed, example.flags = true, flags
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

// NewRanking returns the ranking of no traces: others are added. dims are the dimensions of their inputs.
func NewRanking(q Query, dims []string) (*Ranking, error) {
	all := &Dataset{Dims: dims}
	k, err := newKeyer(all, q)
	if err == nil && k.table == ofLayers {
		err = &diag.Error{What: "causes are of frames and hangs, not of layers", Hint: "--by process"}
	}
	r := &Ranking{query: q, dims: dims, unit: unitDim(all), groups: map[string]*rankedGroup{}, others: map[string]int{}}
	r.of = causes.Overall{By: q.By, Unit: cmp.Or(r.unit, "trace"), Named: maxCauses}
	return r, err
}

// maxOthers is the number of processes that are not wanted whose names are kept for an error.
const maxOthers = 1000

// rankedRows adds rows to groups.
type rankedRows struct {
	*keyer
	unit   func(*Row) *string
	groups map[string]*rankedGroup
	others map[string]int
	count  int // causes of the groups
	id     []byte
}

func (r *Ranking) rows() (*rankedRows, error) {
	all := &Dataset{Dims: r.dims}
	k, err := newKeyer(all, r.query)
	rows := &rankedRows{keyer: k, unit: func(row *Row) *string { return nil }, groups: r.groups, others: r.others}
	if err == nil && r.unit != "" {
		rows.unit, err = k.column(all, r.unit)
	}
	return rows, err
}

func (r *rankedRows) add(row *Row, flags []string) {
	if !r.match(row.Process, row.PID) {
		if _, known := r.others[row.Process]; known || len(r.others) < maxOthers {
			r.others[strings.Clone(row.Process)] += int(row.Numbers.of("frames"))
		}
		return
	}
	r.id = r.append(r.id[:0], row)
	g := r.groups[string(r.id)]
	if g == nil {
		g = &rankedGroup{key: r.values(row), causes: map[string]*rankedSum{}}
		r.groups[string(r.id)] = g
	}
	before := len(g.causes)
	g.add(row, xxh3.HashString(*cmp.Or(r.unit(row), &row.Trace)), flags)
	r.count += len(g.causes) - before
}

// AddTrace adds a trace with its dimensions and flags for the commands about it.
func (r *Ranking) AddTrace(name string, dims Values, t *ohframe.Trace, flags ...string) error {
	rows, err := r.rows()
	if err != nil {
		return err
	}
	values := make([]*string, len(rows.dims))
	for i, dim := range rows.dims {
		if value, ok := dims[dim]; ok {
			values[i] = &value
		}
	}
	r.of.Traces++
	r.of.Measured++
	if t.Quality.Verdict == stats.Unreliable {
		r.of.Unreliable++
	}
	rowsOf(source{name: name, dims: values}, t, func(of table, row *Row) {
		if of == rows.table {
			row.Process = strings.Clone(row.Process) // without the rest of the trace
			rows.add(row, flags)
		}
	})
	return nil
}

// AddDataset adds the traces of a dataset that has causes.
func (r *Ranking) AddDataset(ctx context.Context, d *Dataset) error {
	readers, err := r.rows()
	if err != nil {
		return err
	}
	r.of.Dir = d.Dir
	r.of.Traces += d.Traces
	r.of.Measured += d.Measured
	r.of.Unreliable += d.Unreliable
	for reason, n := range d.Failures {
		addCount(&r.of.Failures, string(reason), n)
	}
	for kind, n := range d.Events {
		addCount(&r.of.Events, kind, n)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return d.scan(ctx, wanted{table: readers.table, dims: readers.dims, details: true, examples: true}, func() (func(*Row), func()) {
		rows := &rankedRows{keyer: readers.keyer, unit: readers.unit, groups: map[string]*rankedGroup{}, others: map[string]int{}}
		row := func(row *Row) {
			if rows.add(row, nil); rows.count > maxGroups {
				cancel(errTooManyGroups)
			}
		}
		return row, func() {
			r.mutex.Lock()
			defer r.mutex.Unlock()
			for id, g := range rows.groups {
				if r.groups[id] == nil {
					r.groups[id] = g
				} else {
					r.groups[id].merge(g)
				}
			}
			for name, frames := range rows.others {
				r.others[name] += frames
			}
			total := 0
			for _, g := range r.groups {
				total += len(g.causes)
			}
			clear(rows.groups)
			clear(rows.others)
			if rows.count = 0; total > maxGroups {
				cancel(errTooManyGroups)
			}
		}
	})
}

func addCount(counts *map[string]int, name string, n int) {
	if *counts == nil {
		*counts = map[string]int{}
	}
	(*counts)[name] += n
}

// Overall returns the causes of all traces that were added.
func (r *Ranking) Overall() (*causes.Overall, error) {
	if len(r.groups) == 0 && len(r.others) > 0 {
		return nil, noProcess(r.query.Process, r.others)
	}
	o := &r.of
	keys := map[*causes.Ranked][]*string{}
	for _, g := range r.groups {
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
			o.Causes, keys[c] = append(o.Causes, c), g.key
		}
	}
	// What slows everything a little is the noise of every device, which nobody can fix, so it comes last.
	noise := func(c *causes.Ranked) int {
		if c.Title == causetext.WaitTitle(why.Variation) {
			return 1
		}
		return 0
	}
	slices.SortFunc(o.Causes, func(a, b *causes.Ranked) int {
		return cmp.Or(cmp.Compare(noise(a), noise(b)), cmp.Compare(b.Units, a.Units), cmp.Compare(b.Lost, a.Lost), compareKeys(keys[a], keys[b]), cmp.Compare(a.Title, b.Title))
	})
	return o, nil
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
