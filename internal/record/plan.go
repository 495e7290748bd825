package record

// plan decides which run is next. Two sides alternate, A B B A A B B A …, so that what
// changes with time, such as the temperature, affects both alike. Invalid runs are repeated
// at the end.
type plan struct {
	left []int // the sides of the runs that are left
	// cold: the first run of a side is cold, with switches the first after each switch.
	cold, switches bool
	side           int // that of the last run; -1 before the first
	used           [2]bool
	// valid counts the runs that count, invalid those to be repeated, repeated those that were.
	valid, invalid, repeated [2]int
}

// maxRepeated is how many invalid runs of a side are repeated.
const maxRepeated = 2

// newPlan returns a plan of runs for each of one or two sides, besides cold ones.
func newPlan(sides, runs int, cold, switches bool) plan {
	p := plan{cold: cold, switches: switches, side: -1}
	for i := range sides * runs {
		p.left = append(p.left, (i+1)/2%sides)
	}
	return p
}

// next returns the side of the next run and whether that is cold; not ok without one.
func (p *plan) next() (side int, cold, ok bool) {
	if len(p.left) == 0 {
		p.repeat()
	}
	if len(p.left) == 0 {
		return 0, false, false
	}
	side = p.left[0]
	cold = p.cold && side != p.side && (p.switches || !p.used[side])
	if !cold {
		p.left = p.left[1:]
	}
	p.side, p.used[side] = side, true
	return side, cold, true
}

// repeat adds invalid runs again, first those of the side of the last run.
func (p *plan) repeat() {
	last := max(0, p.side)
	for _, side := range []int{last, 1 - last} {
		n := min(p.invalid[side], maxRepeated-p.repeated[side])
		for range n {
			p.left = append(p.left, side)
		}
		p.invalid[side], p.repeated[side] = 0, p.repeated[side]+n
	}
}

// ended says whether a run was valid. Cold ones need not be.
func (p *plan) ended(side int, cold, valid bool) {
	switch {
	case cold:
	case valid:
		p.valid[side]++
	default:
		p.invalid[side]++
	}
}

// total returns the number of runs, if all are valid.
func (p plan) total() (n int) {
	for _, _, ok := p.next(); ok; _, _, ok = p.next() {
		n++
	}
	return n
}

// most returns the number of runs if as many as possible are repeated, each after a cold one of
// its own.
func (p plan) most() int {
	sides, each := 1, 1
	for _, side := range p.left {
		sides = max(sides, side+1)
	}
	if p.cold && p.switches {
		each = 2
	}
	return p.total() + sides*maxRepeated*each
}
