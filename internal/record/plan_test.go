package record

import (
	"testing"

	"ohframe/internal/testing/must"
)

// planned runs a plan. It returns the sides of the runs, a and b for cold ones. Runs whose
// numbers are in invalid are.
func planned(p plan, invalid ...int) (got string) {
	failed := map[int]bool{}
	for _, n := range invalid {
		failed[n] = true
	}
	for side, cold, ok := p.next(); ok; side, cold, ok = p.next() {
		letter := "AB"[side]
		if cold {
			letter += 'a' - 'A'
		}
		got += string(letter)
		p.ended(side, cold, !failed[len(got)])
	}
	return got
}

func TestPlan(t *testing.T) {
	all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20}
	for _, x := range []struct {
		name           string
		sides, runs    int
		cold, switches bool
		invalid        []int
		want           string
	}{
		{"one side", 1, 3, false, false, nil, "AAA"},
		{"one side, cold", 1, 3, true, false, nil, "aAAA"},
		{"the middle one is invalid", 1, 3, false, false, []int{2}, "AAAA"},
		{"all are invalid", 1, 3, false, false, all, "AAAAA"},
		{"one is too few", 1, 1, false, false, []int{1, 2}, "AAA"},
		{"cold ones need not be valid", 1, 2, true, false, []int{1}, "aAA"},
		{"two sides", 2, 4, false, false, nil, "ABBAABBA"},
		{"an odd number", 2, 3, false, false, nil, "ABBAAB"},
		{"cold after each switch", 2, 3, true, true, nil, "aAbBBaAAbB"},
		{"cold at the first use", 2, 3, true, false, nil, "aAbBBAAB"},
		{"one of each is invalid", 2, 2, false, false, []int{1, 2}, "ABBAAB"},
		{"repeated after a switch", 2, 2, true, true, []int{2}, "aAbBBaAA"},
		{"repeated with a switch", 2, 2, true, true, []int{4}, "aAbBBaAbB"},
		{"a repeated one is invalid", 2, 1, false, false, []int{1, 3}, "ABAA"},
		{"all of both are invalid", 2, 3, false, false, all, "ABBAABBBAA"},
	} {
		p := newPlan(x.sides, x.runs, x.cold, x.switches)
		if got, want := p.total(), len(planned(p)); got != want {
			t.Errorf("%s: %d runs in all, want %d", x.name, got, want)
		}
		if got := len(planned(p, all...)); got > p.most() {
			t.Errorf("%s: %d runs if all are invalid, at most %d", x.name, got, p.most())
		}
		must.Equal(t, planned(p, x.invalid...), x.want, "%s", x.name)
	}
}

// The names of runs have digits for those that may be repeated.
func TestPlanMost(t *testing.T) {
	for _, x := range []struct {
		p    plan
		want int
	}{
		{newPlan(1, 9, false, false), 9 + 2},
		{newPlan(1, 6, true, true), 1 + 6 + 2*2},
		{newPlan(2, 3, true, false), 2 + 6 + 2*2},
		{newPlan(2, 3, true, true), 4 + 6 + 2*2*2},
	} {
		must.Equal(t, x.p.most(), x.want, "%+v: at most", x.p)
	}
}
