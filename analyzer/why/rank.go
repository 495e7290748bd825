package why

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// Cost is a cause and the time that it cost over all late frames, or the late buffers of a layer: a wait, the
// slice, the kind of thread that was waited for, and what that did if it did several things (docs/why.md 6).
type Cost struct {
	// Outcome is that of the buffers; NotLate for late frames, and NeverBegan for frames that did not begin: Late
	// are those after them.
	Outcome Outcome
	SliceWait
	// InSlices is set if the cause lies in several slices.
	InSlices bool
	// In is what the thread did in Slice, for EarlierWork, and the innermost slice then; zero if it ran in Slice itself.
	In SliceWait
	// Kind says which threads the frames waited for. It is zero if they waited for no thread,
	// or for an unknown one.
	Kind ThreadKind
	// Did is what these threads did, if several such things have a quarter of what was lost waiting for
	// them. What has less is one cost without it; nil for that, and for all that they did.
	Did *SliceWait
	// Stages are those in which the time was lost, what lost the most first.
	Stages []StageCost
	// Share is one of Worst, with its culprit, kernel function and advice; nil for buffers whose outcome is
	// all that is known.
	Share *Share
	// Late are the frames or buffers that have a share of it, in order. KnockOns of them have all or most of
	// that because of earlier frames.
	Late     []*Explanation
	KnockOns int
	// Lost is the sum of the shares: Direct those of the frames themselves, KnockOn
	// those of frames that were late because of earlier ones.
	Lost, Direct, KnockOn trace.Duration
	// Gain is by how much less the frames would be late together if only this had taken its usual
	// time: the sum of Share.Gain.
	Gain trace.Duration
	// Calls is the sum of Share.Calls, and UsualCalls that of Share.UsualCalls of the same; nil if it is
	// unknown of one of them. Knock-ons do not count.
	Calls      int
	UsualCalls *int
	// Worst is what lost the most to it, a frame with what others lost because of that. It may be
	// none of Late if these are only some of the frames.
	Worst *Explanation
	// Missing is what the trace lacks for the cause; nothing else is known of it then.
	Missing Missing
	// Since is one of the frames with PeriodBefore, if most of Lost is due to these; otherwise nil.
	Since *Explanation
	// Repeats are the arguments that several instances of the cause have, or the slices of threads that
	// were waited for in several frames. Those with the most time come first; at most MaxInstances.
	Repeats []Repeat
	most    trace.Duration // what Worst lost
	unsure  trace.Duration // what frames whose causes have low confidence lost
	since   trace.Duration // what frames with PeriodBefore lost
	repeats repeats
	// knockedOn is how much more the last of Late lost to it because of earlier frames than by itself.
	knockedOn trace.Duration
	gained    trace.Duration // what the last of Late gains
	apart     []SliceWait    // what other costs have, if Did is nil
}

// Has reports whether a share counts for the cost.
func (c *Cost) Has(s *Share) bool {
	if s.Wait != c.Wait || s.Slice != c.Slice || s.InSlices() != c.InSlices || s.Kind() != c.Kind || s.Missing != c.Missing {
		return false
	}
	did, known := s.did()
	return c.Did == nil && !(known && slices.Contains(c.apart, did)) || c.Did != nil && known && did == *c.Did
}

// SliceWait is what threads did: they ran, or waited, in a slice.
type SliceWait struct {
	Wait  Wait
	Slice string // empty outside of all slices, and in several
}

// did returns what the threads did that were waited for.
func (s *Share) did() (SliceWait, bool) {
	if s.Culprit == nil {
		return SliceWait{}, false
	}
	return SliceWait{s.Culprit.Wait, s.Culprit.Slice}, true
}

// StageCost is the part of a cost that was lost in a stage.
type StageCost struct {
	Stage Stage          `json:"stage"`
	Lost  trace.Duration `json:"lost_ns"`
}

// LostKnown reports whether Lost is known: not if the trace has no deadline of the frames.
func (c *Cost) LostKnown() bool { return c.Lost > 0 || c.Missing == NothingMissing }

// Unsure reports whether most of Lost is that of frames whose causes have low confidence.
func (c *Cost) Unsure() bool { return c.unsure > 0 && 2*c.unsure >= c.Lost }

// Stage returns the stage that lost the most time.
func (c *Cost) Stage() Stage { return c.Stages[0].Stage }

// Ranking is what late frames, and those that never began, cost, by cause.
type Ranking struct {
	// Late is the number of late frames, and NotBegun that of frames that never began. Lost is the sum of the
	// overruns of the former and of Frame.HeldOver. Unmeasured is the number of late frames whose overrun is
	// unknown.
	Late, NotBegun, Unmeasured int
	Lost                       trace.Duration
	// Unknown is the part of Lost for which it is unknown what the thread did. Frames
	// without any known state do not count: their causes are slices.
	Unknown trace.Duration
	// Costs are the causes, the largest first. Their sum is Lost.
	Costs []*Cost
}

// LostKnown reports whether Lost is known, at least of some of the late frames.
func (r *Ranking) LostKnown() bool { return r.Late == 0 || r.NotBegun > 0 || r.Unmeasured < r.Late }

// lateness is a way in which a frame was late: it missed its deadline, or the display showed it late.
type lateness struct {
	*Explanation
	shares []Share
	// root returns the earlier frame that a share comes from, the causes of that frame, and which of those are a
	// knock-on themselves; nil if it is a cause itself.
	root func(*Share) (*Explanation, []Share, func(*Share) bool)
	// late is by how much, and shown is set if the display showed it late.
	late    trace.Duration
	shown   bool
	outcome Outcome // of Cost
}

// confidence returns that of the causes of the frame.
func (l *lateness) confidence() Confidence {
	switch {
	case l.shown:
		return l.Shown.Confidence
	case l.outcome == NeverBegan:
		return l.NotBegun.Confidence
	}
	return l.Explanation.Confidence
}

// Rank ranks the causes of the late frames among frames.
func (c *Causes) Rank(frames []*analyzer.Frame) *Ranking {
	r := &Ranking{}
	var late []lateness
	for _, f := range frames {
		e := c.Of(f)
		if f.NotBegun > 0 {
			r.NotBegun += f.NotBegun
			r.Lost += f.HeldOver()
			if e != nil && e.NotBegun != nil {
				late = append(late, lateness{e, e.NotBegun.Shares, c.rootOfLate, e.NotBegun.Lost, false, NeverBegan})
			}
		}
		j := f.Judgement()
		if j.Late != analyzer.Yes {
			continue
		}
		r.Late++
		r.Lost += j.Lost()
		if !j.OverrunKnown {
			r.Unmeasured++
		}
		if e != nil {
			late = append(late, lateness{e, e.Shares, c.rootOfLate, e.Lost, false, NotLate})
		}
	}
	r.rank(late)
	return r
}

// RankShown ranks the causes of those frames that were shown late. Lost is by how much.
func (c *Causes) RankShown(frames []*analyzer.Frame) *Ranking {
	r := &Ranking{}
	var late []lateness
	for _, f := range frames {
		e := c.Of(f)
		if !e.ShownLate() {
			continue
		}
		r.Late++
		r.Lost += e.Shown.Lost
		late = append(late, lateness{e, e.Shown.Shares, c.rootOfShown, e.Shown.Lost, true, NotLate})
	}
	r.rank(late)
	return r
}

// rank sets the costs of late frames.
func (r *Ranking) rank(late []lateness) {
	costs := costs{apart: apartOf(late)}
	for _, l := range late {
		r.Unknown += costs.count(l)
	}
	r.Costs = costs.sorted()
}

// apartOf returns what threads of a kind did that is a cause for itself: several such things have a quarter
// of what was lost waiting for these threads. Knock-ons do not count.
func apartOf(late []lateness) map[costID][]SliceWait {
	type doing struct {
		costID
		SliceWait
	}
	lost, all := map[doing]trace.Duration{}, map[costID]trace.Duration{}
	var order []doing
	for _, l := range late {
		for i := range l.shares {
			s := &l.shares[i]
			what, known := s.did()
			if !known {
				continue
			}
			id := doing{costIDOf(s), what}
			if _, known := lost[id]; !known {
				order = append(order, id)
			}
			lost[id] += s.Share
			all[id.costID] += s.Share
		}
	}
	apart := map[costID][]SliceWait{}
	for _, id := range order {
		if lost[id]*4 >= all[id.costID] {
			apart[id.costID] = append(apart[id.costID], id.SliceWait)
		}
	}
	maps.DeleteFunc(apart, func(_ costID, list []SliceWait) bool { return len(list) < 2 })
	return apart
}

// count adds the shares of a frame to the costs. It returns the part whose cause is unknown.
func (m *costs) count(l lateness) (unknown trace.Duration) {
	var roots []*Explanation
	for i := range l.shares {
		s := &l.shares[i]
		root, causes, knockOn := l.root(s)
		if root == nil || root == l.Explanation {
			root, causes = l.Explanation, l.shares[i:i+1]
		} else {
			causes = m.own(causes, knockOn)
		}
		weights := make([]trace.Duration, len(causes))
		for k := range causes {
			weights[k] = causes[k].Share
		}
		for k, lost := range Divide(s.Share, weights) {
			if lost == 0 && k > 0 {
				continue
			}
			cause := &causes[k]
			one := m.costOf(l.Explanation, cause, lost)
			one.Worst, one.Outcome = root, l.outcome
			if len(m.apart) > 0 {
				apart := m.apart[costIDOf(cause)]
				if did, known := cause.did(); known && slices.Contains(apart, did) {
					one.Did = &did
				} else {
					one.apart = apart
				}
			}
			if root != l.Explanation {
				one.Direct, one.KnockOn, one.KnockOns, one.knockedOn = 0, lost, 1, max(lost, 1)
				one.Gain = l.gain(s, root, cause, lost)
				if l.shown && slices.Contains(roots, root) {
					one.Gain = 0 // an earlier share has what all gain together
				}
			} else {
				one.repeats = repeatsOf(l.Frame, cause)
				one.Calls, one.UsualCalls = cause.Calls, cause.UsualCalls
			}
			if l.confidence().isLow() {
				one.unsure = lost
			}
			if root.PeriodBefore > 0 && l.outcome == NotLate {
				one.Since, one.since = root, lost
			}
			if cause.Missing != NothingMissing || cause.Wait == WaitUnknown && !root.PlacesOnly() {
				unknown += lost
			}
			one.gained = one.Gain
			m.add(one, l.late)
		}
		roots = append(roots, root)
	}
	return unknown
}

// longer returns by how much less the thread would have been busy without the cause.
func (s *Share) longer() trace.Duration {
	if s.Task != nil {
		return min(s.Value, s.Task.Delay-s.Task.Usual)
	}
	return s.Value - s.Usual
}

// gain returns by how much less a frame would be late without a cause of the earlier frame that delayed it. The
// share s has that delay, and lost is the part of s that belongs to the cause.
func (l *lateness) gain(s *Share, root *Explanation, cause *Share, lost trace.Duration) trace.Duration {
	ended := cause.longer() // by how much earlier that frame would have ended
	switch {
	case !l.shown:
		return max(min(ended, s.Gain), lost)
	case root.ShownLate():
		// It would be shown earlier by as much as that one, or in time with it, unless it is late by itself, too.
		gain := l.late
		if slices.ContainsFunc(l.shares, func(s Share) bool { own, _, _ := l.root(&s); return own == nil && s.Share*4 >= l.late }) {
			gain = s.Gain
		}
		if cause.Gain < root.Shown.Lost {
			gain = min(gain, cause.Gain)
		}
		return gain
	case ended >= s.Value-s.Usual:
		return s.Gain
	}
	return 0
}

// loss is what a frame or buffer lost to a cause so far, and its first share of that.
type loss struct {
	lost  trace.Duration
	share *Share
}

type lossID struct {
	*Cost
	of *Explanation
}

// RankBuffers returns the causes of late buffers, those that lost the most first.
func RankBuffers(list []*Explanation) []*Cost {
	costs := costs{}
	for _, l := range list {
		shares := l.Shares
		if len(shares) == 0 {
			shares = []Share{{Share: l.Lost}}
		}
		for i := range shares {
			if s := &shares[i]; s.Share > 0 {
				one := costs.costOf(l, s, s.Share)
				one.Outcome = l.OutcomeOf(s)
				if len(l.Shares) == 0 || l.Divided() && s.Stage == StageProduce && s.Wait == WaitUnknown && s.Slice == "" {
					one.Share = nil // only the time is known
				}
				costs.add(one, l.Lost)
			}
		}
	}
	return costs.sorted()
}

// costOf returns what a frame or buffer lost to one cause. It is valid until the next call, unless it is added as
// a new one.
func (m *costs) costOf(e *Explanation, s *Share, lost trace.Duration) *Cost {
	one := m.spare
	if one == nil {
		one = &Cost{}
		m.spare = one
	}
	*one = Cost{
		SliceWait: SliceWait{s.Wait, s.Slice}, InSlices: s.InSlices(), Kind: s.Kind(), Stages: append(one.Stages[:0], StageCost{s.Stage, lost}), Share: s, Missing: s.Missing,
		Late: append(one.Late[:0], e), Lost: lost, Direct: lost, knockedOn: -lost, Gain: s.Gain, Worst: e,
	}
	if t := s.Task; t != nil && (t.Wait != Run || t.Slice != s.Slice) {
		one.In = SliceWait{t.Wait, t.Slice}
	}
	return one
}

// costID says which shares count as one cause.
type costID struct {
	SliceWait
	outcome  Outcome
	inSlices bool
	kind     ThreadKind
	missing  Missing
	apart    bool
	did      SliceWait // if apart
	in       SliceWait
}

func (c *Cost) id() costID {
	id := costID{SliceWait: c.SliceWait, outcome: c.Outcome, inSlices: c.InSlices, kind: c.Kind, missing: c.Missing, in: c.In}
	if c.Did != nil {
		id.apart, id.did = true, *c.Did
	}
	return id
}

// costIDOf returns the id of a share, whatever the threads did that were waited for.
func costIDOf(s *Share) costID {
	return costID{SliceWait: SliceWait{s.Wait, s.Slice}, inSlices: s.InSlices(), kind: s.Kind(), missing: s.Missing}
}

// costs are costs by their ids, in the order in which they were added.
type costs struct {
	by    map[costID]*Cost
	list  []*Cost
	worst map[lossID]loss
	apart map[costID][]SliceWait // as apartOf returns it
	owned map[*Share][]Share     // as own returns them, by the first one of all
	spare *Cost                  // memory for the next one, nil without one
}

// clearly is by how much a frame must have lost more than one before it to be worse. It is the smallest
// part of a time that is printed.
const clearly = trace.Millisecond / 10

// add adds a cost, to one with the same id if there is one. Two shares of one frame gain at most late.
func (m *costs) add(one *Cost, late trace.Duration) {
	id := one.id()
	c := m.by[id]
	isNew := c == nil
	if isNew {
		if c = one; m.by == nil {
			m.by, m.worst = map[costID]*Cost{}, map[lossID]loss{}
		}
		m.by[id], m.spare = one, nil
		m.list = append(m.list, one)
	}
	by := m.worst[lossID{c, one.Worst}]
	by.lost, by.share = by.lost+one.Lost, cmp.Or(by.share, one.Share)
	m.worst[lossID{c, one.Worst}] = by
	if one.most, one.Share = by.lost, by.share; isNew {
		return
	}
	c.Lost += one.Lost
	c.Direct += one.Direct
	c.KnockOn += one.KnockOn
	c.Gain += one.Gain
	c.unsure += one.unsure
	c.Since, c.since = cmp.Or(c.Since, one.Since), c.since+one.since
	switch {
	case one.Calls == 0:
	case c.Calls == 0:
		c.UsualCalls = one.UsualCalls
	case c.UsualCalls == nil || one.UsualCalls == nil:
		c.UsualCalls = nil
	default:
		sum := *c.UsualCalls + *one.UsualCalls
		c.UsualCalls = &sum
	}
	c.Calls += one.Calls
	for _, s := range one.Stages {
		i := slices.IndexFunc(c.Stages, func(x StageCost) bool { return x.Stage == s.Stage })
		if i < 0 {
			c.Stages = append(c.Stages, s)
		} else {
			c.Stages[i].Lost += s.Lost
		}
	}
	c.repeats.merge(&one.repeats)
	if n := len(c.Late); c.Late[n-1] == one.Late[0] { // two shares of one frame
		one.Late = one.Late[:0]
		over := max(c.gained+one.gained-max(c.gained, late), 0)
		c.Gain, one.gained = c.Gain-over, c.gained+one.gained-over
		if c.knockedOn > 0 {
			c.KnockOns--
		}
		if one.knockedOn, one.KnockOns = c.knockedOn+one.knockedOn, 0; one.knockedOn > 0 {
			one.KnockOns = 1
		}
	}
	c.gained = one.gained
	c.Late, c.KnockOns, c.knockedOn = append(c.Late, one.Late...), c.KnockOns+one.KnockOns, one.knockedOn
	if one.Worst == c.Worst {
		c.most = max(c.most, one.most)
	} else if one.most >= c.most+clearly {
		c.most, c.Worst = one.most, one.Worst
		c.Share = one.Share
	}
}

// sorted returns the costs, the largest first, with their stages in that order.
func (m *costs) sorted() []*Cost {
	for _, c := range m.list {
		c.Repeats = c.repeats.sorted()
		if c.since*2 <= c.Lost {
			c.Since = nil
		}
		slices.SortStableFunc(c.Stages, func(a, b StageCost) int {
			return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.Stage.String(), b.Stage.String()))
		})
	}
	slices.SortStableFunc(m.list, func(a, b *Cost) int { return cmp.Or(cmp.Compare(b.Lost, a.Lost), cmp.Compare(a.Outcome, b.Outcome)) })
	return m.list
}

// RootCause returns the cause that a knock-on share of e comes from, and the frame
// that has it. It returns the share itself if the earlier frame has no cause.
func (c *Causes) RootCause(s *Share, e *Explanation) (*Share, *Explanation) {
	for range maxKnockOns {
		earlier := c.Of(s.Earlier)
		if earlier == nil || len(earlier.Shares) == 0 {
			break
		}
		s, e = &earlier.Shares[0], earlier
		if s.Wait != EarlierFrame {
			break
		}
	}
	return s, e
}

// Divide divides a time in proportion to weights, exactly: those with the largest remainders get what
// rounding leaves. All of it goes to the first if no weight is positive. No argument is negative.
func Divide(d trace.Duration, weights []trace.Duration) []trace.Duration {
	parts := make([]trace.Duration, len(weights))
	sum := trace.Duration(0)
	for _, w := range weights {
		sum += w
	}
	if sum <= 0 {
		parts[0] = d
		return parts
	}
	left := d
	rests := make([]uint64, len(weights))
	order := make([]int, len(weights))
	for i, w := range weights {
		high, low := bits.Mul64(uint64(d), uint64(w))
		part, rest := bits.Div64(high, low, uint64(sum))
		parts[i], rests[i], order[i] = trace.Duration(part), rest, i
		left -= parts[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rests[b], rests[a]) })
	for _, i := range order[:left] {
		parts[i]++
	}
	return parts
}

func (c *Causes) rootOfLate(s *Share) (*Explanation, []Share, func(*Share) bool) {
	if s.Wait != EarlierFrame {
		return nil, nil, nil
	}
	_, root := c.RootCause(s, nil)
	if root == nil {
		return nil, nil, nil
	}
	return root, root.Shares, func(s *Share) bool { return s.Wait == EarlierFrame }
}

func (c *Causes) rootOfShown(s *Share) (*Explanation, []Share, func(*Share) bool) {
	earlier := c.Of(s.Earlier)
	if !earlier.ShownLate() {
		return c.rootOfLate(s)
	}
	if root := c.Of(earlier.Shown.Root); root.ShownLate() {
		earlier = root
	}
	return earlier, earlier.Shown.Shares, func(s *Share) bool { return c.Of(s.Earlier).ShownLate() }
}

// own returns the causes of a frame that are no knock-on, or all of them if each is one. Many frames may come from
// the same one.
func (m *costs) own(list []Share, knockOn func(*Share) bool) []Share {
	own, known := m.owned[&list[0]]
	if !known {
		if own = slices.DeleteFunc(slices.Clone(list), func(s Share) bool { return knockOn(&s) }); len(own) == 0 {
			own = list
		}
		if m.owned == nil {
			m.owned = map[*Share][]Share{}
		}
		m.owned[&list[0]] = own
	}
	return own
}
