package diff

import (
	"fmt"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/internal/ci"
	"ohframe/internal/text"
)

// Budget is a limit on the value of a measure in one trace. It fails if the value is
// beyond the limit; a value equal to the limit passes.
type Budget struct {
	Measure string
	// Above is whether values above the limit fail. Otherwise those below it do.
	Above bool
	Limit float64 // in the measure's unit
	// Source is where the budget is from; zero for a flag.
	Source Source

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
	var operator string
	if operator, err = p.operator(b.Measure); err != nil {
		return b, err
	}
	b.Above = operator == ">"
	start := p.used
	digits := p.number()
	switch {
	case digits == "" && (len(p.rest) == 0 || !strings.ContainsRune("+-", p.rest[0])):
		return b, p.errorf("expected a number after %s%s", b.Measure, operator)
	case digits == "":
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

// CheckBudgets checks the budgets for the processes of a report that have complete frames.
// input is the name of the trace in the checks, empty if there is only one. all are the
// processes of the trace, also those that the report leaves out.
func CheckBudgets(budgets []Budget, input string, r *stats.Report, all []*analyzer.Process) (list []ci.Check) {
	if len(budgets) > 0 && !hasFrames(r.Processes...) {
		why := "none"
		if len(all) > 0 {
			why = "none in the selected processes"
		}
		return []ci.Check{{Input: input, Condition: "complete frames", Status: Unknown, Text: why}}
	}
	for _, p := range r.Processes {
		for _, b := range budgets {
			if p.Frames.Complete > 0 && b.Source.applies(p) {
				c := b.check(p)
				c.Input = input
				list = append(list, c)
			}
		}
	}
	var others []*stats.Process
	for _, p := range all {
		others = append(others, &stats.Process{PID: p.PID, Name: p.Name})
	}
	for _, b := range budgets {
		if !b.Source.applies(others...) {
			list = append(list, ci.Check{
				Input: input, Process: text.Printable(b.Source.Pattern), Condition: b.text, Status: Unknown, Text: noSuchProcess(others),
				File: b.Source.File, Line: b.Source.Line,
			})
		}
	}
	return list
}

// check returns the result for a process.
func (b Budget) check(p *stats.Process) ci.Check {
	c := ci.Check{Process: text.Process(p), Condition: b.text, Status: Passed, File: b.Source.File, Line: b.Source.Line}
	x := value(b.definition, []*stats.Process{p})
	if x == nil {
		c.Status, c.Text = Unknown, "unknown"
		return c
	}
	c.Text = valueText(b.definition.Unit, x)
	if b.Above && *x > b.Limit+rounding || !b.Above && *x < b.Limit-rounding {
		c.Status, c.Text = Failed, beyondText(b.definition.Unit, *x, b.Limit)
	}
	return c
}

// beyondText formats a value beyond a limit, with as many decimals as show that it is.
func beyondText(u stats.Unit, x, limit float64) string {
	s := valueText(u, &x)
	scale, suffix := 1.0, ""
	if u == stats.Share {
		scale, suffix = 100, " %"
	}
	for n := decimals(u, x) + 1; s == valueText(u, &limit) && n <= maxDecimals; n++ {
		if more := text.Number(x*scale, n); more != text.Number(limit*scale, n) {
			return more + suffix
		}
	}
	return s
}

// maxDecimals is the precision of a limit that a floating-point error does not exceed.
const maxDecimals = 9
