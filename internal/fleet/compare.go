package fleet

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ohframe/analyzer/stats"
	"ohframe/internal/condition"
	"ohframe/internal/failure"
	"ohframe/internal/text"
)

// DiffFormats are the formats of comparisons.
var DiffFormats = []string{"table", "json", "csv"}

// compared are the measures of a comparison.
var compared = []string{"jank_rate", "whole_late_rate", "empty_rate", "hitch_ratio", "fps", "p50_ms", "p90_ms", "p95_ms", "p99_ms"}

func comparedMeasures() (list []Measure) {
	for _, name := range compared {
		list = append(list, measure(name))
	}
	return list
}

// maxCompared bounds the groups of a comparison: each needs a megabyte.
const maxCompared = 500

// CompareOptions select what is compared.
type CompareOptions struct {
	Query
	// Unit is what is drawn: "device" or "trace"; empty for devices if both datasets
	// have them.
	Unit   string
	FailOn condition.Conditions
	// Any makes conditions fail on any change beyond their limit, even if it may be chance.
	Any bool
}

// Comparison compares two datasets.
type Comparison struct {
	Base, New *Dataset
	By        []string
	Unit      string
	Pairs     []*Pair
	// OnlyBase and OnlyNew are the keys of groups that the other dataset does not have.
	OnlyBase, OnlyNew [][]*string
	// Tested is the number of changes that were tested together.
	Tested   int
	Outcomes []Outcome
}

// Pair is a group of both datasets.
type Pair struct {
	Key     []*string
	Units   [2]int
	Changes []Change // in the order of compared
}

// Verdict is the result of a comparison of a measure.
type Verdict string

// The verdicts.
const (
	TooFewUnits   Verdict = "too_few_units"
	NoClearChange Verdict = "no_clear_change"
	More          Verdict = "more"
	Less          Verdict = "less"
)

// Change is the change of a measure.
type Change struct {
	Measure
	Base, New *float64
	Delta     *float64
	// Low and High are the ends of the confidence interval of Delta, P is the p-value; see
	// reference.interval. They are nil if the change was not tested.
	Low, High, P *float64
	Verdict      Verdict
}

// Outcome is the result of a condition for a group of the base dataset.
type Outcome struct {
	Key       []*string
	Condition *condition.Condition
	Change    *Change // nil if the new dataset does not have the group
	Status    condition.Status
	// Reason is why the status is unknown, otherwise empty.
	Reason string
	// Any is CompareOptions.Any.
	Any bool
}

// Compare compares the groups of two datasets.
func Compare(ctx context.Context, base, new *Dataset, o CompareOptions) (*Comparison, error) {
	c := &Comparison{Base: base, New: new, By: o.By, Unit: o.Unit}
	for _, limit := range o.FailOn {
		if limit.Process != "" {
			return nil, &failure.Error{What: fmt.Sprintf("--fail-on: %s: conditions of fleets are for all groups", limit.Process), Hint: "--process selects processes"}
		}
		if !slices.Contains(compared, limit.Measure) {
			return nil, &failure.Error{What: fmt.Sprintf("--fail-on: %s is not compared", limit.Measure), Hint: "fleets are compared by " + strings.Join(compared, ", ")}
		}
	}
	if c.Unit == "" {
		c.Unit = "trace"
		if slices.Contains(base.Dims, deviceDim) && slices.Contains(new.Dims, deviceDim) {
			c.Unit = deviceDim
		}
	}
	var sides [2]map[string]*side
	for i, d := range []*Dataset{base, new} {
		var err error
		if sides[i], err = d.samples(ctx, o.Query, c.Unit); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Dir, err)
		}
	}
	c.pair(sides)
	c.judge(o)
	return c, nil
}

// side is a group of one dataset.
type side struct {
	key    []*string
	sample *sample
}

// samples returns the samples of a dataset's groups, by key.
func (d *Dataset) samples(ctx context.Context, q Query, unitName string) (map[string]*side, error) {
	k, err := newKeyer(d, q)
	if err != nil {
		return nil, err
	}
	name := func(r *Row) *string { return &r.Trace }
	if unitName != "trace" {
		if name, err = k.column(d, unitName); err != nil {
			return nil, err
		}
	}
	all, mutex := map[string]*side{}, sync.Mutex{}
	tooMany := &failure.Error{What: fmt.Sprintf("more than %d groups", maxCompared), Hint: "--by fewer dimensions, or --process"}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err = d.scan(ctx, wanted{dims: k.dims, histograms: []int{durationHistogram}}, func() (func(*Row), func()) {
		sides := map[string]*side{}
		var key []byte
		row := func(r *Row) {
			unit := name(r)
			if !k.wants(r) || unit == nil { // a trace of an unknown device is of no unit
				return
			}
			key = k.append(key[:0], r)
			s := sides[string(key)]
			if s == nil {
				if len(sides) == maxCompared {
					cancel(tooMany)
					return
				}
				s = &side{k.values(r), newSample()}
				sides[string(key)] = s
			}
			u := s.sample.unit(*unit)
			for i, n := range r.Sums {
				u.sums[i] += n
			}
			for _, c := range r.Histograms[durationHistogram] {
				u.durations.Add(c.Bucket, c.N)
			}
		}
		return row, func() {
			mutex.Lock()
			defer mutex.Unlock()
			for key, s := range sides {
				if all[key] == nil {
					all[key] = s
				} else {
					all[key].sample.merge(s.sample)
				}
			}
			clear(sides)
		}
	})
	if err == nil && len(all) > maxCompared {
		err = tooMany
	}
	return all, err
}

// pair compares the groups that both sides have.
func (c *Comparison) pair(sides [2]map[string]*side) {
	type both struct {
		pair *Pair
		base *side
		new  *side
		id   string
	}
	var pairs []both
	for _, id := range slices.Sorted(maps.Keys(sides[0])) {
		base := sides[0][id]
		if new := sides[1][id]; new != nil {
			pairs = append(pairs, both{&Pair{Key: base.key}, base, new, id})
		} else {
			c.OnlyBase = append(c.OnlyBase, base.key)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(sides[1])) {
		if sides[0][id] == nil {
			c.OnlyNew = append(c.OnlyNew, sides[1][id].key)
		}
	}
	slices.SortFunc(pairs, func(a, b both) int { return compareKeys(a.pair.Key, b.pair.Key) })
	slices.SortFunc(c.OnlyBase, compareKeys)
	slices.SortFunc(c.OnlyNew, compareKeys)

	measures := comparedMeasures()
	groups := make([]*resampled, len(pairs))
	var group sync.WaitGroup
	free := make(chan struct{}, 8)
	for i, p := range pairs {
		c.Pairs = append(c.Pairs, newPair(p.pair.Key, p.base.sample, p.new.sample, measures))
		if min(c.Pairs[i].Units[0], c.Pairs[i].Units[1]) < MinUnits {
			groups[i] = &resampled{}
			continue
		}
		free <- struct{}{}
		group.Go(func() {
			groups[i] = resample(p.base.sample, p.new.sample, measures, p.id)
			<-free
		})
	}
	group.Wait()
	r := newReference(groups)
	for i, p := range c.Pairs {
		for k, deviation := range groups[i].errors {
			if p.Changes[k].Delta != nil && !math.IsNaN(deviation) {
				p.Changes[k].set(r, deviation, groups[i].freedom)
				c.Tested++
			}
		}
	}
}

func newPair(key []*string, base, new *sample, measures []Measure) *Pair {
	p := &Pair{Key: key, Units: [2]int{len(base.number), len(new.number)}}
	before, after := base.totals(), new.totals()
	for _, m := range measures {
		change := Change{Measure: m, Base: m.Of(before), New: m.Of(after), Verdict: TooFewUnits}
		if change.Base != nil && change.New != nil {
			delta := *change.New - *change.Base
			change.Delta = &delta
		}
		p.Changes = append(p.Changes, change)
	}
	return p
}

// set adds the result of the test.
func (c *Change) set(r *reference, deviation, freedom float64) {
	low, high, p := r.interval(*c.Delta, deviation, freedom)
	c.Low, c.High, c.P = &low, &high, &p
	switch {
	case p > stats.Level:
		c.Verdict = NoClearChange
	case *c.Delta > 0:
		c.Verdict = More
	default:
		c.Verdict = Less
	}
}

func (c *Change) values() condition.Change {
	return condition.Change{Base: c.Base, New: c.New, Delta: c.Delta, Low: c.Low, High: c.High}
}

// judge checks the conditions, as ohframe diff does.
func (c *Comparison) judge(o CompareOptions) {
	for _, p := range c.Pairs {
		for i := range o.FailOn {
			limit := &o.FailOn[i]
			change := &p.Changes[slices.Index(compared, limit.Measure)]
			outcome := Outcome{Key: p.Key, Condition: limit, Change: change, Status: limit.CheckChange(change.values(), o.Any), Any: o.Any}
			if outcome.Status == condition.Unknown {
				outcome.Reason = c.whyUnknown(p, change)
			}
			c.Outcomes = append(c.Outcomes, outcome)
		}
	}
	for _, key := range c.OnlyBase {
		for i := range o.FailOn {
			c.Outcomes = append(c.Outcomes, Outcome{Key: key, Condition: &o.FailOn[i], Status: condition.Unknown, Reason: "the group is not in the new dataset"})
		}
	}
}

// whyUnknown returns why a condition cannot be checked.
func (c *Comparison) whyUnknown(p *Pair, change *Change) string {
	switch {
	case change.Base == nil && change.New == nil:
		return "unknown in both datasets"
	case change.Base == nil:
		return "unknown in the base dataset"
	case change.New == nil:
		return "unknown in the new dataset"
	case min(p.Units[0], p.Units[1]) < MinUnits:
		return "too few to test: " + c.tooFew(p) + "; --fail-on-any compares the values"
	}
	return fmt.Sprintf("unknown in too many of the %ss to test it; --fail-on-any compares the values", c.Unit)
}

// tooFew says how many units a pair has and needs.
func (c *Comparison) tooFew(p *Pair) string {
	return fmt.Sprintf("%s and %s, each dataset needs %d", text.Count(p.Units[0], c.Unit), text.Count(p.Units[1], c.Unit), MinUnits)
}

// whyNotTested returns why changes of a pair were not tested, empty if all were.
func (c *Comparison) whyNotTested(p *Pair) string {
	switch {
	case min(p.Units[0], p.Units[1]) < MinUnits:
		return "not tested: " + c.tooFew(p)
	case slices.ContainsFunc(p.Changes, func(m Change) bool { return m.Delta != nil && m.Verdict == TooFewUnits }):
		return fmt.Sprintf("not tested: unknown in too many of the %ss", c.Unit)
	}
	return ""
}

// With returns the outcomes of a status.
func (c *Comparison) With(status condition.Status) (list []Outcome) {
	for _, o := range c.Outcomes {
		if o.Status == status {
			list = append(list, o)
		}
	}
	return list
}

// String returns the group, the condition and the change, or why that is unknown.
func (o Outcome) String() string {
	group := strings.Join(keyTexts(o.Key), " · ")
	if group == "" {
		group = "all"
	}
	if o.Reason != "" {
		return group + ": " + o.Condition.String() + ": " + o.Reason
	}
	return group + ": " + o.Condition.String() + ": " + o.Condition.DescribeChange(o.Change.values(), o.Any)
}

// Write writes the comparison in one of DiffFormats.
func (c *Comparison) Write(w io.Writer, format string, style text.Style) error {
	switch format {
	case "json":
		return c.writeJSON(w)
	case "csv":
		return c.writeCSV(w)
	}
	return c.writeTable(w, style)
}

type (
	comparisonDocument struct {
		Base       datasetDocument      `json:"base"`
		New        datasetDocument      `json:"new"`
		By         []string             `json:"by"`
		Unit       string               `json:"unit"`
		Test       testDocument         `json:"test"`
		Pairs      []pairDocument       `json:"pairs"`
		OnlyBase   []map[string]*string `json:"only_base"`
		OnlyNew    []map[string]*string `json:"only_new"`
		Conditions []conditionDocument  `json:"conditions"`
	}
	pairDocument struct {
		Key       map[string]*string        `json:"key"`
		BaseUnits int                       `json:"base_units"`
		NewUnits  int                       `json:"new_units"`
		Measures  map[string]changeDocument `json:"measures"`
	}
	changeDocument struct {
		Base    *float64 `json:"base"`
		New     *float64 `json:"new"`
		Delta   *float64 `json:"delta"`
		Low     *float64 `json:"delta_low"`
		High    *float64 `json:"delta_high"`
		P       *float64 `json:"p"`
		Verdict Verdict  `json:"verdict"`
	}
	testDocument struct {
		Level     float64 `json:"level"`
		Changes   int     `json:"changes"`
		Resamples int     `json:"resamples"`
	}
	conditionDocument struct {
		Key       map[string]*string `json:"key"`
		Condition string             `json:"condition"`
		Status    condition.Status   `json:"status"`
		Reason    string             `json:"reason"`
	}
)

func keyDocument(by []string, key []*string) map[string]*string {
	d := map[string]*string{}
	for i, name := range by {
		d[name] = key[i]
	}
	return d
}

func (c *Comparison) writeJSON(w io.Writer) error {
	d := comparisonDocument{
		Base: c.Base.document(), New: c.New.document(), By: c.By, Unit: c.Unit, Test: testDocument{stats.Level, c.Tested, draws}, Pairs: []pairDocument{},
		OnlyBase: []map[string]*string{}, OnlyNew: []map[string]*string{}, Conditions: []conditionDocument{},
	}
	for _, p := range c.Pairs {
		doc := pairDocument{keyDocument(c.By, p.Key), p.Units[0], p.Units[1], map[string]changeDocument{}}
		for _, m := range p.Changes {
			doc.Measures[m.Name] = changeDocument{m.Base, m.New, m.Delta, m.Low, m.High, m.P, m.Verdict}
		}
		d.Pairs = append(d.Pairs, doc)
	}
	for _, key := range c.OnlyBase {
		d.OnlyBase = append(d.OnlyBase, keyDocument(c.By, key))
	}
	for _, key := range c.OnlyNew {
		d.OnlyNew = append(d.OnlyNew, keyDocument(c.By, key))
	}
	for _, o := range c.Outcomes {
		d.Conditions = append(d.Conditions, conditionDocument{keyDocument(c.By, o.Key), o.Condition.String(), o.Status, o.Reason})
	}
	return text.WriteJSON(w, d)
}

func (c *Comparison) writeCSV(w io.Writer) error {
	cw := csv.NewWriter(w)
	cw.Write(append(slices.Clone(c.By), "base_units", "new_units", "measure", "base", "new", "delta", "delta_low", "delta_high", "p", "verdict"))
	for _, p := range c.Pairs {
		for _, m := range p.Changes {
			var row []string
			for _, value := range p.Key {
				if value == nil {
					row = append(row, "")
				} else {
					row = append(row, text.Cell(*value))
				}
			}
			cw.Write(append(row, strconv.Itoa(p.Units[0]), strconv.Itoa(p.Units[1]), m.Name, csvNumber(m.Base), csvNumber(m.New),
				csvNumber(m.Delta), csvNumber(m.Low), csvNumber(m.High), csvNumber(m.P), string(m.Verdict)))
		}
	}
	cw.Flush()
	return cw.Error()
}

// labelWidth is that of the name of a measure where there is little room.
const labelWidth = 16

func (c *Comparison) writeTable(w io.Writer, style text.Style) error {
	t := tableWriter{text.NewWriter(w, style)}
	for _, d := range []*Dataset{c.Base, c.New} {
		t.about(d)
	}
	t.line(t.Dim, "Measures are of all frames of a group; those of ohframe diff are means of runs.")
	fmt.Fprintln(t)
	for _, pair := range c.Pairs {
		t.Heading(text.Shorten(strings.Join(keyTexts(pair.Key), " · "), t.Width/2), fmt.Sprintf(" · %s against %s", text.Count(pair.Units[0], c.Unit), text.Count(pair.Units[1], c.Unit)))
		table := text.NewTable(t.Ink, "Measure", "Base →", "New →", "Change →", fmt.Sprintf("%.0f %% interval →", 100*(1-stats.Level)), "p →", "")
		for _, m := range pair.Changes {
			if m.Base == nil && m.New == nil {
				continue
			}
			span, p := unknownText, unknownText
			if m.Low != nil {
				span = changeText(m.Measure, m.Low) + " … " + changeText(m.Measure, m.High)
			}
			if m.P != nil {
				p = strconv.FormatFloat(*m.P, 'g', 2, 64)
			}
			table.AppendRow(text.Row{m.Label, numberText(m.Measure, m.Base), numberText(m.Measure, m.New), changeText(m.Measure, m.Delta), span, p, m.verdictText(t.Ink)})
		}
		if t.Width < text.DefaultWidth {
			table.Wrap(0, labelWidth)
		}
		const p, base = 5, 1
		t.PrintFitted(table, p, base)
		if why := c.whyNotTested(pair); why != "" {
			t.Note(why)
		}
		fmt.Fprintln(t)
	}
	for _, only := range []struct {
		keys [][]*string
		of   *Dataset
	}{{c.OnlyBase, c.Base}, {c.OnlyNew, c.New}} {
		if n := len(only.keys); n > 0 {
			var names []string
			for _, key := range only.keys[:min(n, 5)] {
				names = append(names, strings.Join(keyTexts(key), " · "))
			}
			line := fmt.Sprintf("only in %s: %s", text.Printable(only.of.Dir), strings.Join(names, ", "))
			if n > len(names) {
				line += fmt.Sprintf(" and %d more", n-len(names))
			}
			t.line(t.Dim, line)
		}
	}
	return t.Flush()
}

func (m *Change) verdictText(ink text.Ink) string {
	switch m.Verdict {
	case TooFewUnits:
		return "not tested"
	case NoClearChange:
		return "no clear change"
	}
	if m.Verdict == More == (m.Better == stats.Higher) {
		return ink.Green("better", true)
	}
	return ink.Red("worse", true)
}

func changeText(m Measure, x *float64) string {
	if x == nil {
		return unknownText
	}
	sign, size, unit := "+", math.Abs(*x), ""
	if *x < 0 {
		sign = "−"
	}
	if m.Unit == stats.Share {
		size, unit = 100*size, " pp"
	}
	return sign + text.Number(size, 2) + unit
}
