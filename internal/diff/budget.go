package diff

import (
	"fmt"
	"strconv"

	"ohframe/analyzer/stats"
	"ohframe/internal/text"
)

// Budget is a limit on the value of a measure in one trace. It fails if the value is
// beyond the limit; a value equal to the limit passes.
type Budget struct {
	Measure string
	// Above is whether values above the limit fail. Otherwise those below it do.
	Above bool
	Limit float64 // in the measure's unit

	text       string
	definition *stats.Measure
}

// ParseBudgets parses budgets such as "jank_rate>5%,hitch_ratio>10,fps<55":
//
//	budgets = budget { "," budget }
//	budget  = measure ( ">" | "<" ) number [ "%" ]
//
// Shares need %, or a number below 1. Other measures are in their own unit. The error is
// a *SyntaxError.
func ParseBudgets(s string) ([]Budget, error) {
	p := parser{rest: []rune(s)}
	var list []Budget
	for {
		b, err := p.budget()
		if err != nil {
			return nil, err
		}
		list = append(list, b)
		if p.blanks(); len(p.rest) == 0 {
			return list, nil
		}
		if !p.accept(",") {
			return nil, p.errorf("expected a comma or the end, not %q", p.rest[0])
		}
	}
}

func (p *parser) budget() (b Budget, err error) {
	var unit stats.Unit
	if b.Measure, unit, err = p.measure(); err != nil {
		return b, err
	}
	for i := range measures {
		if measures[i].Name == b.Measure {
			b.definition = &measures[i]
		}
	}
	p.blanks()
	operator := "<"
	if b.Above = p.accept(">"); b.Above {
		operator = ">"
	} else if !p.accept("<") {
		return b, p.errorf("expected > or < after %s", b.Measure)
	}
	p.blanks()
	start := p.used
	digits := p.number()
	if digits == "" {
		return b, p.errorf("expected a number: the limit applies to the value of %s, not to its change", b.Measure)
	}
	if b.Limit, err = strconv.ParseFloat(digits, 64); err != nil {
		return b, &SyntaxError{start + 1, "the number is too large"}
	}
	p.blanks()
	percent := p.accept("%")
	switch {
	case percent && unit != stats.Share:
		return b, &SyntaxError{start + 1, fmt.Sprintf("%% is for shares: %s is not a share", b.Measure)}
	case percent:
		b.Limit /= 100
		digits += "%"
	case unit == stats.Share && b.Limit >= 1:
		return b, &SyntaxError{start + 1, fmt.Sprintf("%s is a share, 0 to 1: write %s%% for percent", b.Measure, digits)}
	}
	b.text = b.Measure + operator + digits
	return b, nil
}

// Check returns the status of a process, and in words what is wrong unless it passed.
func (b Budget) Check(p *stats.Process) (Status, string) {
	head := text.Process(p) + ": " + b.text + ": "
	x := value(b.definition, []*stats.Process{p})
	switch {
	case x == nil:
		return Unknown, head + "unknown"
	case b.Above && *x > b.Limit+rounding, !b.Above && *x < b.Limit-rounding:
		return Failed, head + valueText(b.definition.Unit, x)
	}
	return Passed, ""
}
