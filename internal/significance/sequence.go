package significance

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Sequence is a quantity in units that follow each other, such as builds or days.
type Sequence struct {
	Values []float64 // NaN if unknown
	// Covariance is that of the values, see the function of that name; nil if unknown. Resembling: values
	// resemble those before them.
	Covariance [][]float64
	Resembling bool
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

// Place is where a level changes.
type Place struct {
	// At is the index of the first unit after the change. Earliest and Latest are the ends of the
	// 95 % confidence set of At.
	At, Earliest, Latest int
	// LastOnly: the last unit is the only one after the change.
	LastOnly bool
}

// Shift is a change of the level of a sequence.
type Shift struct {
	Place
	// Back is where the change was taken back: the level from there on is nearer to that before the shift
	// than to that after it. Nil if it was not.
	Back *Place
	// From and To are the ends of the units that count: from the place before to the next one.
	From, To int
	// Before is the mean of the units from From to At, and of those from Back to To; After that of the
	// others.
	Before, After float64
	// Low and High are the ends of the simultaneous confidence interval of After − Before.
	Low, High float64
	P         float64 // corrected for all places and sequences, at most Level
}

const (
	// minSide is the number of units on each side of a shift that the scan finds: one unit that is far
	// out is more often an exception than a change. Only the last one may be back alone.
	minSide = 2
	// minScanned is the number of units from which orders are drawn: two of the 126 ways to choose 4 of
	// 9 units have the same 4 together.
	minScanned = 9
	// mostShort is the number of units of a short shift that is tested by t: two of 30 units that are far
	// out are together in 7 % of their orders.
	mostShort = 3
	// scanShare is the share of Level for the scan, fewShare that for short shifts that were taken back, and
	// that for the last unit. They are less than 1 together: values of a fleet are skewed, so a t-test of a
	// few of them raises several times as many false alarms as it should.
	scanShare, fewShare = 0.65, 0.025
	// resemblingShare is in the place of scanShare if units resemble those before them: their covariance is an
	// estimate, so that what exceeds its quantiles is more frequent.
	resemblingShare = 0.5
	// placeRatio bounds the confidence set of a place: of the logarithm of the likelihood ratio,
	// times 2. Changes of all sizes are in the set in 95 % of the histories and more.
	placeRatio = 9
)

// TestSequences looks for shifts of level in sequences of one length. If the order of units means
// nothing in any of them, the probability that it finds any shift is at most Level.
//
// The statistics are the largest of Student's t over all places that divide a sequence, and over all pairs
// of places: the units between them against the others (Levin and Kline, 1985; circular binary
// segmentation, Olshen et al., 2004). Both are divided by what they exceed by chance, so that they and all
// sequences count alike (balance: Beran, 1988). The reference is the largest of all sequences for other
// orders of the units, so units may differ by more than what is within them explains: whole days may be
// slow. If there are few units, it is Student's t with Šidák's correction for the single places. Where units
// resemble those before them, it is random normal values with their covariance. The parts that shifts
// divide are tested as the next family. Last, what orders cannot show is tested by t: that two or three
// units differ from those on both sides, or the last one alone from those before.
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
	found := make([][]*place, len(list))
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
				r.Sequences[p.sequence].Detectable = p.critical[once]
			}
			if p.p > Level {
				continue
			}
			places := p.places(p.best[p.kind], p.p, p.critical[p.kind])
			found[p.sequence] = append(found[p.sequence], places...)
			next = append(next, p.cut(places)...)
		}
		parts = next
	}
	for i, s := range list {
		refine(s, found[i])
	}
	testFew(list, found)
	for i, s := range list {
		if r.Sequences[i].Tested {
			r.Sequences[i].Shifts = shifts(s, found[i])
			r.Sequences[i].setDetectable(s, found[i])
		}
	}
	return r
}

// place is a place of a shift that was found.
type place struct {
	at          int
	p, critical float64
}

func sortPlaces(list []*place) { slices.SortFunc(list, func(a, b *place) int { return a.at - b.at }) }

// ends returns the places with both ends of a sequence.
func ends(s Sequence, found []*place) []int {
	list := []int{0}
	for _, p := range found {
		list = append(list, p.at)
	}
	return append(list, len(s.Values))
}

// refine sorts places, and moves each to the best between its neighbours.
func refine(s Sequence, found []*place) {
	sortPlaces(found)
	for k, x := range found {
		around := ends(s, found)[k : k+3]
		if p := newPart(0, s, around[0], around[2]); p != nil {
			if left := p.leftOf(x.at); min(left, p.known()-left) >= minSide {
				x.at = p.index[p.scan(p.values)[once].at]
			}
		}
	}
}

// kind is how a part is divided.
type kind int

const (
	once  kind = iota // one place
	twice             // two places: the units between them against the others
	kinds
)

// division divides the known units of a part: those from at to back against the others. between is the
// sum of squares between the two; negative without any division.
type division struct {
	at, back int
	between  float64
}

// part is units of a sequence that may have a shift.
type part struct {
	sequence int
	all      Sequence
	from, to int
	index    []int     // of the known units
	values   []float64 // theirs, less their mean
	mean     float64
	squares  float64   // the sum of squares
	weights  []float64 // by the number of units on a side: makes the square of their sum one between sides
	sums     []float64 // of the units before; written by scan

	best     [kinds]division // that of the largest statistics
	kind     kind            // which of them explains the part
	p        float64         // corrected
	critical [kinds]float64  // the statistics from which p is at most Level
}

// newPart returns nil if too little is known.
func newPart(sequence int, s Sequence, from, to int) *part {
	p := &part{sequence: sequence, all: s, from: from, to: to}
	for i, x := range s.Values[from:to] {
		if !math.IsNaN(x) {
			p.index, p.values = append(p.index, from+i), append(p.values, x)
			p.mean += x
		}
	}
	n := p.known()
	if n < MinUnits {
		return nil
	}
	p.mean /= float64(n)
	for i := range p.values {
		p.values[i] -= p.mean
		p.squares += p.values[i] * p.values[i]
		p.weights = append(p.weights, float64(n)/float64(max(1, i)*(n-i)))
	}
	p.sums = make([]float64, n+1)
	return p
}

func (p *part) known() int { return len(p.index) }

// leftOf returns how many known units are before a place.
func (p *part) leftOf(at int) int {
	left, _ := slices.BinarySearch(p.index, at)
	return left
}

// scan returns the divisions of the known units, which have some values, with the largest statistics. These
// grow with the sum of squares between the sides, so only the largest of these matters.
func (p *part) scan(values []float64) (best [kinds]division) {
	n, sum := len(values), 0.0
	lowest, highest := 0, 0
	for i, x := range values {
		sum += x
		p.sums[i+1] = sum
		if sum < p.sums[lowest] {
			lowest = i + 1
		} else if sum > p.sums[highest] {
			highest = i + 1
		}
	}
	for k := range best {
		best[k].between = -1
	}
	for at := minSide; at <= n-minSide; at++ {
		if x := p.sums[at] * p.sums[at] * p.weights[at]; x > best[once].between {
			best[once] = division{at, n, x}
		}
	}
	p.scanLengths(&best[twice], p.sums[highest]-p.sums[lowest], minSide, n-minSide-1)
	return best
}

// scanLengths sets the best division with two places, from lengths of the middle. The sum of none is larger
// than a limit.
func (p *part) scanLengths(best *division, limit float64, least, most int) {
	for length := least; length <= most; length++ {
		if limit*limit*p.weights[length] <= best.between {
			continue
		}
		largest, at := -1.0, 0
		from, to := p.sums[minSide:len(p.sums)-1-length], p.sums[minSide+length:]
		for i, before := range from {
			if d := math.Abs(to[i] - before); d > largest {
				largest, at = d, minSide+i
			}
		}
		if x := largest * largest * p.weights[length]; x > best.between {
			*best = division{at, at + length, x}
		}
	}
}

// ratio returns the statistic of a sum of squares between the sides; 0 without any.
func (p *part) ratio(between float64) float64 {
	if between <= negligible*negligible {
		return 0
	}
	within := max(0, p.squares-between) / float64(p.known()-2)
	return min(maxRatio, math.Sqrt(between/within))
}

// divide returns the division at known units, and the sum of the units in the middle.
func (p *part) divide(at, back int) (d division, sum float64) {
	for _, x := range p.values[at:back] {
		sum += x
	}
	return division{at, back, sum * sum * p.weights[back-at]}, sum
}

// places returns the places of a division.
func (p *part) places(d division, probability, critical float64) []*place {
	list := []*place{{p.index[d.at], probability, critical}}
	if d.back < p.known() {
		list = append(list, &place{p.index[d.back], probability, critical})
	}
	return list
}

// cut returns the parts that places divide a part into.
func (p *part) cut(places []*place) (list []*part) {
	from := p.from
	for i := range len(places) + 1 {
		to := p.to
		if i < len(places) {
			to = places[i].at
		}
		if x := newPart(p.sequence, p.all, from, to); x != nil {
			list = append(list, x)
		}
		from = to
	}
	return list
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
		f := family{p.from, p.to, p.known() < minScanned}
		families[f] = append(families[f], p)
	}
	for f, list := range families {
		share := scanShare
		if slices.ContainsFunc(list, func(p *part) bool { return p.all.Resembling }) {
			share = resemblingShare
		}
		level := -math.Expm1(math.Log1p(-Level*share) / float64(len(families)))
		if f.few {
			student(list, level)
		} else {
			resamples = max(resamples, permuteOrders(list, level))
		}
		for _, p := range list {
			p.p = min(1, (1-math.Pow(1-p.p, float64(len(families))))/share)
		}
	}
	return resamples
}

// student sets p-values from Student's t.
func student(parts []*part, level float64) {
	for _, p := range parts {
		tests := float64(len(parts) * (p.known() - 2*minSide + 1))
		p.best = p.scan(p.values)
		p.p = 1 - math.Pow(1-min(1, 2*upperTail(p.ratio(p.best[once].between), p.known()-2)), tests)
		p.critical[once] = quantile(-math.Expm1(math.Log1p(-level)/tests)/2, p.known()-2)
	}
}

// permuteOrders sets p-values from the largest statistics of other orders of the units, the same for
// all parts, and returns their number.
func permuteOrders(parts []*part, level float64) int {
	n := parts[0].to - parts[0].from
	orders := 1 + draws(2*n*n, len(parts)) // the first is that of the units
	statistics := make([][kinds][]float64, len(parts))
	random := rand.New(rand.NewPCG(uint64(n), 0))
	order, normal, values := random.Perm(n), make([]float64, n), make([]float64, 0, n)
	factors := make([][][]float64, len(parts))
	for i, p := range parts {
		factors[i] = p.factor()
		p.best = p.scan(p.values)
		for k, d := range p.best {
			statistics[i][k] = append(make([]float64, 0, orders), p.ratio(d.between))
		}
	}
	for range orders - 1 {
		random.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
		for i, p := range parts {
			drawn := p
			if factors[i] == nil {
				values = values[:0]
				for _, k := range order {
					if x := p.all.Values[p.from+k]; !math.IsNaN(x) {
						values = append(values, x-p.mean)
					}
				}
			} else {
				for j := range normal {
					normal[j] = random.NormFloat64()
				}
				drawn = newPart(0, Sequence{Values: drawnFrom(factors[i], normal)}, 0, p.known())
				values = append(values[:0], drawn.values...)
			}
			for k, d := range drawn.scan(values) {
				statistics[i][k] = append(statistics[i][k], drawn.ratio(d.between))
			}
		}
	}
	rank := orders - max(1, int(level*float64(orders)))
	maxima := make([]float64, orders)
	for i, p := range parts {
		for k := range kinds {
			sorted := slices.Sorted(slices.Values(statistics[i][k]))
			p.critical[k] = sorted[rank]
			if p.critical[k] <= 0 {
				continue // all orders are the same
			}
			for j, x := range statistics[i][k] {
				maxima[j] = max(maxima[j], x/p.critical[k])
			}
		}
	}
	slices.Sort(maxima)
	for _, p := range parts {
		var chances [kinds]float64
		for k, d := range p.best {
			chances[k] = 1
			if t := p.ratio(d.between); p.critical[k] > 0 {
				below, _ := slices.BinarySearch(maxima, t/p.critical[k]*(1-1e-9))
				chances[k] = float64(orders-below) / float64(orders)
			}
			p.critical[k] *= maxima[rank]
		}
		if p.p = min(chances[once], chances[twice]); chances[twice] <= level && p.needsBoth() {
			p.kind = twice
		}
	}
	return orders - 1
}

// needsBoth reports whether two places explain more of a part than one and another by chance.
func (p *part) needsBoth() bool {
	more := p.best[twice].between - p.best[once].between
	freedom := p.known() - 3
	t := math.Sqrt(max(0, more) / (max(negligible*negligible, p.squares-p.best[twice].between) / float64(freedom)))
	return 2*upperTail(t, freedom)*float64(p.known()) <= Level
}

// covariance returns the covariance of the known units; nil if it is unknown.
func (p *part) covariance() (matrix [][]float64) {
	if p.all.Covariance == nil {
		return nil
	}
	for _, i := range p.index {
		var row []float64
		for _, k := range p.index {
			row = append(row, p.all.Covariance[i][k])
		}
		matrix = append(matrix, row)
	}
	return matrix
}

// factor returns the Cholesky factor of the covariance; nil if the units are independent.
func (p *part) factor() [][]float64 {
	if !p.all.Resembling {
		return nil
	}
	return factorOf(p.covariance())
}

// drawnFrom returns values with the covariance of a factor, from independent ones.
func drawnFrom(factor [][]float64, normal []float64) []float64 {
	values := make([]float64, len(factor))
	for i, row := range factor {
		for k, f := range row {
			values[i] += f * normal[k]
		}
	}
	return values
}

// testFew adds the places that t finds in the parts between those that were found.
func testFew(list []Sequence, found [][]*place) {
	type few struct {
		*part
		division
	}
	var short, last []few
	places := 0
	for i, s := range list {
		at := ends(s, found[i])
		for k := range at[1:] {
			p := newPart(i, s, at[k], at[k+1])
			if p == nil {
				continue
			}
			if n := p.known(); n > 2*minSide {
				best := division{between: -1}
				p.scan(p.values)
				p.scanLengths(&best, math.Inf(1), minSide, min(mostShort, n-minSide-1))
				short = append(short, few{p, best})
				for length := minSide; length <= min(mostShort, n-minSide-1); length++ {
					places += n - minSide - length
				}
			}
			if rest := newPart(i, s, at[k], p.index[p.known()-1]); at[k+1] == len(s.Values) && rest != nil && rest.squares > negligible*negligible {
				d, _ := p.divide(p.known()-1, p.known())
				last = append(last, few{p, d})
			}
		}
	}
	taken := map[*part]bool{}
	test := func(list []few, tests int) {
		level := -math.Expm1(math.Log1p(-Level*fewShare) / float64(tests))
		for _, x := range list {
			t, freedom, scale := x.adjusted(x.division)
			probability := min(1, -math.Expm1(float64(tests)*math.Log1p(-min(1, 2*upperTail(t, freedom))))/fewShare)
			if probability <= Level && !taken[x.part] {
				taken[x.part] = true
				found[x.sequence] = append(found[x.sequence], x.places(x.division, probability, scale*quantile(level/2, freedom))...)
				sortPlaces(found[x.sequence])
			}
		}
	}
	test(short, places)
	test(last, len(last))
}

// adjusted returns the statistic of a division, and its degrees of freedom. If units have a covariance, it is
// divided by what it is expected to be, and the degrees are those of Satterthwaite (1946).
func (p *part) adjusted(d division) (t float64, freedom int, scale float64) {
	t, freedom = p.ratio(d.between), p.known()-2
	matrix := p.covariance()
	if matrix == nil {
		return t, freedom, 1
	}
	n := p.known()
	sides := [2]float64{float64(n - d.back + d.at), float64(d.back - d.at)}
	side := func(i int) int {
		if i >= d.at && i < d.back {
			return 1
		}
		return 0
	}
	// The variance of the difference of the means of the sides, and the covariance of the rests of values:
	// what they are less the mean of their side.
	difference, trace, square := 0.0, 0.0, 0.0
	means := make([][2]float64, n)
	for i, row := range matrix {
		for k, x := range row {
			means[k][side(i)] += x / sides[side(i)]
		}
	}
	for i := range n {
		difference += (means[i][1] - means[i][0]) * float64(2*side(i)-1) / sides[side(i)]
	}
	for i, row := range matrix {
		trace += row[i] - means[i][side(i)]
		for k, x := range row {
			square += (x - means[k][side(i)]) * (x - means[i][side(k)])
		}
	}
	scale = math.Sqrt(difference * sides[0] * sides[1] / float64(n) / (trace / float64(n-2)))
	return t / scale, max(1, int(trace*trace/square)), scale
}

// shifts returns the shifts at places. Two places are one shift if the second takes the first back.
func shifts(s Sequence, found []*place) (list []Shift) {
	at := ends(s, found)
	mean := func(k int) float64 { // of the units up to a place
		sum, n := 0.0, 0.0
		for _, x := range s.Values[at[k]:at[k+1]] {
			if !math.IsNaN(x) {
				sum, n = sum+x, n+1
			}
		}
		return sum / n
	}
	for k := 0; k < len(found); k++ {
		first, back, to := found[k], (*place)(nil), k+2
		if k+1 < len(found) && math.Abs(mean(k+2)-mean(k)) < math.Abs(mean(k+2)-mean(k+1)) {
			back, to = found[k+1], k+3
		}
		x := Shift{Place: placeOf(s, at[k:k+3]), From: at[k], To: at[to], P: first.p}
		critical := first.critical
		whole := newPart(0, s, x.From, x.To)
		end := whole.known()
		if back != nil {
			end = whole.leftOf(back.at)
			b := placeOf(s, at[k+1:k+4])
			x.Back, x.P, critical = &b, max(x.P, back.p), max(critical, back.critical)
			k++
		}
		d, sum := whole.divide(whole.leftOf(x.At), end)
		inside, outside := float64(d.back-d.at), float64(whole.known()-d.back+d.at)
		x.Before, x.After = whole.mean-sum/outside, whole.mean+sum/inside
		margin := critical * math.Sqrt(max(0, whole.squares-d.between)/float64(whole.known()-2)*(1/inside+1/outside))
		x.Low, x.High = x.After-x.Before-margin, x.After-x.Before+margin
		list = append(list, x)
	}
	return list
}

// placeOf returns the place between two others.
func placeOf(s Sequence, at []int) Place {
	x := Place{At: at[1], Earliest: at[1], Latest: at[1]}
	p := newPart(0, s, at[0], at[2])
	if p == nil {
		return x
	}
	left, n := p.leftOf(at[1]), p.known()
	if x.LastOnly = n-left == 1 && at[2] == len(s.Values); x.LastOnly {
		return x
	}
	d, _ := p.divide(left, n)
	for k := minSide; k <= n-minSide; k++ {
		if other, _ := p.divide(k, n); float64(n)*math.Log(max(0, p.squares-other.between)/max(0, p.squares-d.between)) <= placeRatio {
			x.Earliest, x.Latest = min(x.Earliest, p.index[k]), max(x.Latest, p.index[k])
		}
	}
	return x
}

// setDetectable sets Detectable from the critical value that it has.
func (r *SequenceResult) setDetectable(s Sequence, found []*place) {
	known, within, freedom := 0, 0.0, 0
	places := ends(s, found)
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
func Interval(units []UnitValue) (low, high float64) {
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
