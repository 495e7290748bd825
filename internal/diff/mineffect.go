package diff

import (
	"math"
	"strings"

	"ohframe/analyzer/stats"
)

// MinEffects are the smallest changes that count, by the name of the measure.
type MinEffects map[string]MinEffect

// MinEffect is the smallest change of a measure that counts: in the measure's unit or,
// if Relative, as a share of the value in base.
type MinEffect struct {
	Limit    float64
	Relative bool
}

// DefaultMinEffect returns the smallest change of a measure of the unit that counts: one
// percentage point, 1 ms/s, and 2 % of anything else.
func DefaultMinEffect(u stats.Unit) MinEffect {
	switch u {
	case stats.Share:
		return MinEffect{0.01, false}
	case stats.MillisecondsPS:
		return MinEffect{1, false}
	}
	return MinEffect{0.02, true}
}

// of returns the smallest change of a known measure, in its unit.
func (e MinEffects) of(m *Measure) float64 {
	smallest, ok := e[m.Name]
	if !ok {
		smallest = DefaultMinEffect(m.Unit)
	}
	if smallest.Relative {
		return smallest.Limit * math.Abs(*m.Base)
	}
	return smallest.Limit
}

// ParseMinEffects parses smallest changes such as "jank_rate=2pp,p95_ms=0.5,fps=3%":
//
//	list   = effect { "," effect }
//	effect = measure "=" number [ "%" | "pp" ]
//
// The error is a *SyntaxError.
func ParseMinEffects(s string) (MinEffects, error) {
	p := parser{rest: []rune(s)}
	list := MinEffects{}
	for {
		name, unit, err := p.measure()
		if err != nil {
			return nil, err
		}
		if !isTested(name) {
			return nil, p.errorf("%s is not tested; these are: %s", name, testedNames())
		}
		if p.blanks(); !p.accept("=") {
			return nil, p.errorf("expected = after %s", name)
		}
		p.blanks()
		limit, relative, _, err := p.limit(name, unit, "")
		if err != nil {
			return nil, err
		}
		list[name] = MinEffect{limit, relative}
		if p.blanks(); len(p.rest) == 0 {
			return list, nil
		}
		if !p.accept(",") {
			return nil, p.errorf("expected a comma or the end, not %q", p.rest[0])
		}
	}
}

// isTested reports whether changes of a measure are tested for significance.
func isTested(name string) bool {
	for i := range stats.Tested {
		if stats.Tested[i] == name || stats.TestedAcrossRates[i] == name {
			return true
		}
	}
	return false
}

func testedNames() string { return strings.Join(stats.Tested[:], ", ") }
