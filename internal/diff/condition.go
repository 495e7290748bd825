package diff

import (
	"fmt"
	"math"
	"ohframe/analyzer/stats"
	"slices"
	"strconv"
	"strings"
)

// Conditions are the conditions of --fail-on.
type Conditions []Condition

// Condition is a limit on the change of a measure. It fails if the change is
// beyond the limit; a change equal to the limit passes.
type Condition struct {
	Measure string
	// Above is whether changes above the limit fail. Otherwise those below it do.
	Above bool
	// Limit is in the measure's unit, or, if Relative, a share of the value in the
	// base trace: 0.05 is 5 %.
	Limit    float64
	Relative bool

	text string
}

// String returns the condition as it was given, without blanks.
func (c Condition) String() string { return c.text }

// SyntaxError is an error in the text of a condition.
type SyntaxError struct {
	Position int // in characters, counted from 1
	What     string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("position %d: %s", e.Position, e.What) }

// ParseConditions parses conditions such as "jank_rate>+2%,fps<-5%":
//
//	conditions = condition { "," condition }
//	condition  = measure ( ">" | "<" ) ( "+" | "-" ) number [ "%" | "pp" ]
//	number     = digits [ "." digits ]
//
// Blanks may stand between any two tokens. The limit is a change, so it must have
// a sign. With % it is relative to the value in the base trace. With pp, allowed
// only for shares, it is in percentage points. Otherwise it is in the measure's
// unit. The error is a *SyntaxError.
func ParseConditions(s string) (Conditions, error) {
	p := parser{rest: []rune(s)}
	var list Conditions
	for {
		c, err := p.condition()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
		if p.blanks(); len(p.rest) == 0 {
			return list, nil
		}
		if !p.accept(",") {
			return nil, p.errorf("expected a comma or the end, not %q", p.rest[0])
		}
	}
}

// parser splits a text into tokens.
type parser struct {
	rest []rune
	used int // runes before rest
}

func (p *parser) errorf(format string, args ...any) error {
	return &SyntaxError{p.used + 1, fmt.Sprintf(format, args...)}
}

func (p *parser) condition() (c Condition, err error) {
	p.blanks()
	start := p.used
	c.Measure = p.while(isNameRune)
	i := slices.IndexFunc(measures, func(m stats.Measure) bool { return m.Name == c.Measure })
	switch {
	case c.Measure == "":
		return c, p.errorf("expected the name of a measure")
	case i < 0:
		return c, &SyntaxError{start + 1, fmt.Sprintf("unknown measure %q", c.Measure)}
	}
	unit := measures[i].Unit
	p.blanks()
	operator := "<"
	if c.Above = p.accept(">"); c.Above {
		operator = ">"
	} else if !p.accept("<") {
		return c, p.errorf("expected > or < after %s", c.Measure)
	}
	p.blanks()
	start = p.used
	sign := "+"
	switch {
	case p.accept("+"):
	case p.accept("-"):
		sign = "-"
	default:
		return c, p.errorf("expected + or -: the limit applies to the change of %s, not to its value", c.Measure)
	}
	p.blanks()
	digits := p.number()
	if digits == "" {
		return c, p.errorf("expected a number")
	}
	if c.Limit, err = strconv.ParseFloat(sign+digits, 64); err != nil {
		return c, &SyntaxError{start + 1, "the number is too large"}
	}
	p.blanks()
	suffix := ""
	switch {
	case p.accept("%"):
		suffix, c.Relative = "%", true
		c.Limit /= 100
	case unit == stats.Share && p.accept("pp"):
		suffix = "pp"
		c.Limit /= 100
	case p.accept("pp"):
		return c, &SyntaxError{start + 1, fmt.Sprintf("pp is for shares: %s is not a share", c.Measure)}
	case unit == stats.Share && math.Abs(c.Limit) >= 1:
		return c, &SyntaxError{start + 1, fmt.Sprintf("%s is a share, 0 to 1: write %[2]s%[3]spp for percentage points or %[2]s%[3]s%% for a relative change",
			c.Measure, sign, digits)}
	}
	c.text = c.Measure + operator + sign + digits + suffix
	return c, nil
}

// number parses digits with an optional fraction. It returns "" if there is no
// digit.
func (p *parser) number() string {
	digits := p.while(isDigit)
	if digits == "" {
		return ""
	}
	if len(p.rest) > 1 && p.rest[0] == '.' && isDigit(p.rest[1]) {
		p.accept(".")
		digits += "." + p.while(isDigit)
	}
	return digits
}

func (p *parser) blanks() { p.while(func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }) }

func (p *parser) while(is func(rune) bool) string {
	n := slices.IndexFunc(p.rest, func(r rune) bool { return !is(r) })
	if n < 0 {
		n = len(p.rest)
	}
	return p.next(n)
}

func (p *parser) accept(token string) bool {
	if !strings.HasPrefix(string(p.rest), token) {
		return false
	}
	p.next(len(token))
	return true
}

// next returns the next n runes and advances past them.
func (p *parser) next(n int) string {
	token := string(p.rest[:n])
	p.rest, p.used = p.rest[n:], p.used+n
	return token
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isNameRune(r rune) bool { return 'a' <= r && r <= 'z' || r == '_' || isDigit(r) }

// Status is the result of a condition.
type Status string

// The statuses.
const (
	Failed  Status = "failed" // the change is beyond the limit
	Passed  Status = "passed"
	Unknown Status = "unknown" // the measure is unknown in a trace
)

// Outcome is the result of a condition for a pair.
type Outcome struct {
	Pair      *Pair
	Measure   *Measure
	Condition Condition
	Status    Status
}

func (c Condition) judge(p *Pair) Outcome {
	m := p.measure(c.Measure)
	o := Outcome{p, m, c, Unknown}
	if m.Delta == nil {
		return o
	}
	change := *m.Delta
	if c.Relative {
		change = m.relative()
	}
	o.Status = Passed
	if c.Above && change > c.Limit+rounding || !c.Above && change < c.Limit-rounding {
		o.Status = Failed
	}
	return o
}

// rounding is larger than a floating-point error, such as that of 0.07 − 0.05, and
// smaller than any real change: a nanosecond is 1e-6 ms.
const rounding = 1e-9

// relative returns the relative change of a known measure. A change from 0 is
// infinite.
func (m *Measure) relative() float64 {
	switch {
	case m.Relative != nil:
		return *m.Relative
	case *m.Delta == 0:
		return 0
	}
	return math.Inf(int(math.Copysign(1, *m.Delta)))
}

// String returns the process, the condition and the change, such as
// "gallery: jank_rate>+2%: 5.0 % → 8.0 %, +60.0 %".
func (o Outcome) String() string {
	head := o.Pair.title() + ": " + o.Condition.String() + ": "
	m := o.Measure
	switch {
	case m.Base == nil && m.New == nil:
		return head + "unknown in both traces"
	case m.Base == nil:
		return head + "unknown in the base trace"
	case m.New == nil:
		return head + "unknown in the new trace"
	}
	change := changeText(m.Unit, m.Delta)
	if o.Condition.Relative {
		if change = relativeChange(m.Relative); m.Relative == nil {
			change = "from zero"
		}
	}
	return head + valueText(m.Unit, m.Base) + " → " + valueText(m.Unit, m.New) + ", " + change
}
