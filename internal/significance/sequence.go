package significance

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Sequence is a quantity in units that follow each other, such as builds or days.
type Sequence struct {
	Values []float64 // NaN if unknown
	// Covariance is that of the values if they resemble those before them, see the function of that
	// name; otherwise nil.
	Covariance [][]float64
}

// Shifts is the result of TestSequences.
type Shifts struct {
	Method Method // of the sequences that most is known of; empty if nothing was tested
	// Tested is the number of sequences that were tested. Resamples is the number of orders of the
	// units; 0 for ModeratedT.
	Tested, Resamples int
	Sequences         []SequenceResult // of each sequence
}

// SequenceResult is what the test says about a sequence.
type SequenceResult struct {
	Tested bool    // MinUnits values or more are known
	Shifts []Shift // in order
	// Detectable is the size of a shift in the middle that would have been found with the
	// probability Power.
	Detectable float64
}

// Shift is a change of the level of a sequence.
type Shift struct {
	// At is the index of the first unit after the change. Earliest and Latest are the ends of the
	// 95 % confidence set of At.
	At, Earliest, Latest int
	// Before is the mean of the units from the shift before, After that of the units up to the next.
	Before, After float64
	// Low and High are the ends of the simultaneous confidence interval of After − Before.
	Low, High float64
	P         float64 // corrected for all places and sequences, at most Level
	// LastOnly: the last unit alone differs from those before.
	LastOnly bool
}

const (
	// minSide is the number of units on each side of a shift that the scan finds: one unit that is far
	// out is more often an exception than a change.
	minSide = 2
	// minScanned is the number of units from which orders are drawn: two of the 126 ways to choose 4 of
	// 9 units have the same 4 together.
	minScanned = 9
	// scanShare is the share of Level for the scan, lastShare that for the last unit. They are less than 1
	// together: values of a fleet are skewed, so a t-test of one of them raises several times as many false
	// alarms as it should.
	scanShare, lastShare = 0.75, 0.05
	// placeRatio bounds the confidence set of a place: of the logarithm of the likelihood ratio,
	// times 2. Changes of all sizes are in the set in 95 % of the histories and more.
	placeRatio = 9
)

// TestSequences looks for shifts of level in sequences of one length. If the order of units means
// nothing in any of them, the probability that it finds any shift is at most Level.
//
// The statistic is the largest of Student's t over all places that divide a sequence. The reference is
// the largest statistic of all sequences for other orders of the units, so units may differ by more
// than what is within them explains: whole days may be slow. If there are few units, it is Student's t
// with Šidák's correction for the places. Where units resemble those before them, it is random normal
// values with their covariance. Parts on both sides of a shift are tested as the next family
// (binary segmentation). Last, the last unit is tested against the others of its part: orders cannot
// show that a single one differs.
func TestSequences(list []Sequence) *Shifts {
	r := &Shifts{Sequences: make([]SequenceResult, len(list))}
	var parts []*part
	for i, s := range list {
		if p := newPart(i, s, 0, len(s.Values)); p != nil {
			parts = append(parts, p)
			r.Sequences[i].Tested = true
		}
	}
	r.Tested = len(parts)
	found := make([][]*part, len(list)) // the parts that shifts divide
	for first := true; len(parts) > 0; first = false {
		resamples := testParts(parts)
		if first {
			r.Resamples, r.Method = resamples, ModeratedT
			if resamples > 0 {
				r.Method = Permutation
			}
		}
		var next []*part
		for _, p := range parts {
			if first {
				r.Sequences[p.sequence].Detectable = p.critical
			}
			if p.p > Level {
				continue
			}
			found[p.sequence] = append(found[p.sequence], p)
			for _, half := range []*part{newPart(p.sequence, p.all, p.from, p.at), newPart(p.sequence, p.all, p.at, p.to)} {
				if half != nil {
					next = append(next, half)
				}
			}
		}
		parts = next
	}
	var last []*part
	for i := range list {
		if !r.Sequences[i].Tested {
			continue
		}
		places := refined(list[i], found[i])
		from := 0
		if n := len(found[i]); n > 0 {
			from = places[n]
		}
		if p := newPart(i, list[i], from, len(list[i].Values)); p != nil && p.cutLast() {
			last = append(last, p)
		}
		// Shifts of the scan, each with the units up to the next.
		for k, p := range found[i] {
			whole := newPart(i, list[i], places[k], places[k+2])
			r.Sequences[i].Shifts = append(r.Sequences[i].Shifts, whole.shift(places[k+1], p.p, p.critical))
		}
		r.Sequences[i].setDetectable(list[i], places)
	}
	for _, p := range last {
		tails := 2 * upperTail(p.statistic(p.at), p.known-2)
		p.p = min(1, (1-math.Pow(1-min(1, tails), float64(len(last))))/lastShare)
		if p.p > Level {
			continue
		}
		x := &r.Sequences[p.sequence]
		if n := len(x.Shifts); n > 0 { // its right side is without the last unit now
			shift := &x.Shifts[n-1]
			before := newPart(p.sequence, p.all, p.leftOf(shift, x.Shifts), p.at)
			*shift = before.shift(shift.At, shift.P, found[p.sequence][n-1].critical)
		}
		level := -math.Expm1(math.Log1p(-Level*lastShare) / float64(len(last)))
		shift := p.shift(p.at, p.p, quantile(level/2, p.known-2))
		shift.Earliest, shift.Latest, shift.LastOnly = p.at, p.at, true
		x.Shifts = append(x.Shifts, shift)
	}
	return r
}

// leftOf returns where the units before a sequence's last shift begin.
func (p *part) leftOf(last *Shift, shifts []Shift) int {
	if n := len(shifts); n > 1 {
		return shifts[n-2].At
	}
	return 0
}

// refined returns the places of the shifts that divide parts of a sequence, each the best between its
// neighbours, with both ends of the sequence. It sorts the parts by place.
func refined(s Sequence, found []*part) []int {
	slices.SortFunc(found, func(a, b *part) int { return a.at - b.at })
	places := []int{0}
	for _, p := range found {
		places = append(places, p.at)
	}
	places = append(places, len(s.Values))
	for k := range found {
		if p := newPart(0, s, places[k], places[k+2]); p != nil {
			_, places[k+1] = p.scan(nil)
		}
	}
	return places
}

// part is units of a sequence that may have a shift.
type part struct {
	sequence int
	all      Sequence
	from, to int
	values   []float64 // less their mean, of from to to; NaN where unknown
	known    int
	mean     float64
	squares  float64   // the sum of squares
	weights  []float64 // by the number of units on the left: makes the square of their sum one between sides

	at       int     // the place of the largest statistic
	p        float64 // corrected
	critical float64 // the statistic from which p is at most Level
}

// newPart returns nil if too little is known.
func newPart(sequence int, s Sequence, from, to int) *part {
	p := &part{sequence: sequence, all: s, from: from, to: to}
	sum := 0.0
	for _, x := range s.Values[from:to] {
		if !math.IsNaN(x) {
			p.known++
			sum += x
		}
	}
	if p.known < MinUnits {
		return nil
	}
	p.mean = sum / float64(p.known)
	for _, x := range s.Values[from:to] {
		p.values = append(p.values, x-p.mean)
		if d := x - p.mean; !math.IsNaN(d) {
			p.squares += d * d
		}
	}
	for n := range p.known {
		p.weights = append(p.weights, float64(p.known)/float64(max(1, n)*(p.known-n)))
	}
	return p
}

// scan returns the largest statistic of all places that divide the part with its units in an order, nil
// for their own, and its place: the first known unit after it. The statistic grows with the sum of
// squares between the sides, so only the largest of these matters.
func (p *part) scan(order []int) (statistic float64, at int) {
	largest, sum, n := -1.0, 0.0, 0
	for i := range p.values {
		x := p.values[i]
		if order != nil {
			x = p.values[order[i]]
		}
		if math.IsNaN(x) {
			continue
		}
		if n >= minSide && p.known-n >= minSide {
			if between := sum * sum * p.weights[n]; between > largest {
				largest, at = between, p.from+i
			}
		}
		sum += x
		n++
	}
	return p.ratio(largest), at
}

// ratio returns the statistic of a sum of squares between the sides.
func (p *part) ratio(between float64) float64 {
	if between <= negligible*negligible {
		return 0
	}
	within := max(0, p.squares-between) / float64(p.known-2)
	return min(maxRatio, math.Sqrt(between/within))
}

// between returns the sum of squares between the sides of a place, and how many units are on the left.
func (p *part) between(at int) (squares float64, left int) {
	sum := 0.0
	for _, x := range p.values[:at-p.from] {
		if !math.IsNaN(x) {
			sum += x
			left++
		}
	}
	if left == 0 || left == p.known {
		return 0, left
	}
	return sum * sum * p.weights[left], left
}

// statistic returns the statistic of a place.
func (p *part) statistic(at int) float64 {
	squares, _ := p.between(at)
	return p.ratio(squares)
}

// testParts sets the p-values of parts, which are one family, and returns how many orders were drawn.
// Parts of the same units are tested together.
func testParts(parts []*part) (resamples int) {
	type family struct {
		from, to int
		few      bool
	}
	families := map[family][]*part{}
	for _, p := range parts {
		f := family{p.from, p.to, p.known < minScanned}
		families[f] = append(families[f], p)
	}
	for f, list := range families {
		level := -math.Expm1(math.Log1p(-Level*scanShare) / float64(len(families)))
		if f.few {
			student(list, level)
		} else {
			resamples = max(resamples, permuteOrders(list, level))
		}
		for _, p := range list {
			p.p = min(1, (1-math.Pow(1-p.p, float64(len(families))))/scanShare)
		}
	}
	return resamples
}

// student sets p-values from Student's t.
func student(parts []*part, level float64) {
	for _, p := range parts {
		tests := float64(len(parts) * (p.known - 2*minSide + 1))
		var t float64
		t, p.at = p.scan(nil)
		p.p = 1 - math.Pow(1-min(1, 2*upperTail(t, p.known-2)), tests)
		p.critical = quantile(-math.Expm1(math.Log1p(-level)/tests)/2, p.known-2)
	}
}

// permuteOrders sets p-values from the largest statistics of other orders of the units, the same for
// all parts, and returns their number.
func permuteOrders(parts []*part, level float64) int {
	n := parts[0].to - parts[0].from
	maxima := make([]float64, draws(n, len(parts)))
	random := rand.New(rand.NewPCG(uint64(n), 0))
	order, normal := random.Perm(n), make([]float64, n)
	factors := make([][][]float64, len(parts))
	for i, p := range parts {
		factors[i] = p.factor()
	}
	for i := range maxima {
		random.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for k, p := range parts {
			var t float64
			if factors[k] == nil {
				t, _ = p.scan(order)
			} else {
				for j := range normal {
					normal[j] = random.NormFloat64()
				}
				t, _ = newPart(0, Sequence{Values: p.drawn(factors[k], normal)}, 0, n).scan(nil)
			}
			maxima[i] = max(maxima[i], t)
		}
	}
	slices.Sort(maxima)
	total := float64(len(maxima) + 1)
	critical := maxima[len(maxima)-1-max(0, int(level*total)-1)]
	for _, p := range parts {
		t, at := p.scan(nil)
		below, _ := slices.BinarySearch(maxima, t-1e-9*t)
		p.at, p.p, p.critical = at, float64(len(maxima)-below+1)/total, critical
	}
	return len(maxima)
}

// factor returns the Cholesky factor of the covariance of the known units; nil if they are independent.
func (p *part) factor() [][]float64 {
	if p.all.Covariance == nil {
		return nil
	}
	var matrix [][]float64
	for i := p.from; i < p.to; i++ {
		if math.IsNaN(p.all.Values[i]) {
			continue
		}
		var row []float64
		for k := p.from; k < p.to; k++ {
			if !math.IsNaN(p.all.Values[k]) {
				row = append(row, p.all.Covariance[i][k])
			}
		}
		matrix = append(matrix, row)
	}
	return factorOf(matrix)
}

// drawn returns values with the covariance of a factor, from independent ones.
func (p *part) drawn(factor [][]float64, normal []float64) []float64 {
	values, n := make([]float64, len(p.values)), 0
	for i, x := range p.values {
		if values[i] = x; math.IsNaN(x) {
			continue
		}
		values[i] = 0
		for k, f := range factor[n] {
			values[i] += f * normal[k]
		}
		n++
	}
	return values
}

// cutLast sets the place to the last known unit. It returns false if nothing is known of how the others
// differ.
func (p *part) cutLast() bool {
	p.at = p.to - 1
	for math.IsNaN(p.all.Values[p.at]) {
		p.at--
	}
	rest := newPart(p.sequence, p.all, p.from, p.at)
	return rest != nil && rest.squares > negligible*negligible
}

// shift returns the shift at a place of the part.
func (p *part) shift(at int, probability, critical float64) Shift {
	squares, left := p.between(at)
	right := p.known - left
	sum := 0.0
	for _, x := range p.values[:at-p.from] {
		if !math.IsNaN(x) {
			sum += x
		}
	}
	s := Shift{At: at, Before: p.mean + sum/float64(left), After: p.mean - sum/float64(right), P: probability, Earliest: at, Latest: at}
	within := max(0, p.squares-squares)
	margin := critical * math.Sqrt(within/float64(p.known-2)*(1/float64(left)+1/float64(right)))
	s.Low, s.High = s.After-s.Before-margin, s.After-s.Before+margin
	for k := p.from + 1; k < p.to; k++ {
		if math.IsNaN(p.all.Values[k]) {
			continue
		}
		squares, left := p.between(k)
		if min(left, p.known-left) >= minSide && float64(p.known)*math.Log(max(0, p.squares-squares)/within) <= placeRatio {
			s.Earliest, s.Latest = min(s.Earliest, k), max(s.Latest, k)
		}
	}
	return s
}

// setDetectable sets Detectable from the critical value that it has.
func (r *SequenceResult) setDetectable(s Sequence, places []int) {
	known, within, freedom := 0, 0.0, 0
	for k := range places[1:] {
		n, mean, squares := 0, 0.0, 0.0
		for _, x := range s.Values[places[k]:places[k+1]] {
			if math.IsNaN(x) {
				continue
			}
			n++ // Welford, 1962
			d := x - mean
			mean += d / float64(n)
			squares += d * (x - mean)
		}
		known, within, freedom = known+n, within+squares, freedom+n-1
	}
	deviation := math.Sqrt(within / float64(freedom) * (1/float64(known/2) + 1/float64(known-known/2)))
	r.Detectable = (r.Detectable + quantile(1-Power, freedom)) * deviation
}

// Interval returns the 1 − Level confidence interval of the mean of the known values of units; infinite
// with fewer than two.
func Interval(units []Unit) (low, high float64) {
	n, mean, squares := 0, 0.0, 0.0
	for _, u := range units {
		if !u.Known() {
			continue
		}
		n++ // Welford, 1962
		d := u.Value - mean
		mean += d / float64(n)
		squares += d * (u.Value - mean)
	}
	if n < 2 {
		return math.Inf(-1), math.Inf(1)
	}
	margin := quantile(Level/2, n-1) * math.Sqrt(squares/float64(n-1)/float64(n))
	return mean - margin, mean + margin
}
