package diff

import (
	"fmt"
	"math"
	"ohframe/analyzer/stats"
	"slices"
	"strconv"
	"strings"
)

// Conditions are changes that a build should fail on.
type Conditions []Condition

// Condition is a limit on the change of a measure. It holds, the build fails, if
// the change is beyond the limit; exactly the limit is not beyond.
type Condition struct {
	Measure string
	// Above says that changes greater than the limit are too much, else those
	// less than it.
	Above bool
	// Limit is in the measure's own unit, or of the value in the base trace if
	// Relative: 0.05 is 5 %.
	Limit    float64
	Relative bool

	text string
}

// String returns the condition as it was given, without blanks.
func (c Condition) String() string { return c.text }

// SyntaxError is where a condition is wrong, and why.
type SyntaxError struct {
	Position int // in characters, from 1
	What     string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("position %d: %s", e.Position, e.What) }

// ParseConditions parses conditions such as "jank_rate>+2%,fps<-5%":
//
//	conditions = condition { "," condition }
//	condition  = measure ( ">" | "<" ) ( "+" | "-" ) number [ "%" | "pp" ]
//	number     = digits [ "." digits ]
//
// with blanks between any two. The limit is a change, so its sign must be given.
// With % it is in relation to the base trace's value, with pp, for measures
// that are shares, in percentage points, else in the measure's own unit. The
// error is a *SyntaxError.
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

// parser takes tokens off the beginning of what is left.
type parser struct {
	rest []rune
	used int
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
		return c, &SyntaxError{start + 1, fmt.Sprintf("there is no measure %q", c.Measure)}
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
		return c, p.errorf("expected + or -: the limit is on the change of %s, not on its value", c.Measure)
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
		return c, &SyntaxError{start + 1, fmt.Sprintf("%s is no share: percentage points do not apply to it", c.Measure)}
	case unit == stats.Share && math.Abs(c.Limit) >= 1:
		return c, &SyntaxError{start + 1, fmt.Sprintf("%s is a share, 0 to 1: write %[2]s%[3]spp for percentage points or %[2]s%[3]s%% of its value",
			c.Measure, sign, digits)}
	}
	c.text = c.Measure + operator + sign + digits + suffix
	return c, nil
}

// number takes digits with or without a fraction; nothing if there are none.
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
	return p.take(n)
}

func (p *parser) accept(token string) bool {
	if !strings.HasPrefix(string(p.rest), token) {
		return false
	}
	p.take(len(token))
	return true
}

func (p *parser) take(n int) string {
	token := string(p.rest[:n])
	p.rest, p.used = p.rest[n:], p.used+n
	return token
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isNameRune(r rune) bool { return 'a' <= r && r <= 'z' || r == '_' || isDigit(r) }

// Status is whether a condition holds.
type Status string

// The statuses.
const (
	Failed  Status = "failed" // the change is beyond the limit
	Passed  Status = "passed"
	Unknown Status = "unknown" // the measure is not known on both sides
)

// Outcome is what a condition came to for a pair.
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

// rounding is more than an error of computing, such as that of 0.07 − 0.05, and
// less than any change: a nanosecond in milliseconds, one frame of millions.
const rounding = 1e-9

// relative returns the relative change of a measure that is known, which from
// zero to anything else is infinite.
func (m *Measure) relative() float64 {
	switch {
	case m.Relative != nil:
		return *m.Relative
	case *m.Delta == 0:
		return 0
	}
	return math.Inf(int(math.Copysign(1, *m.Delta)))
}

// String says what came of the condition:
// "gallery: jank_rate>+2%: 5.0 % → 8.0 %, +60.0 %".
func (o Outcome) String() string {
	head := o.Pair.title() + ": " + o.Condition.String() + ": "
	m := o.Measure
	switch {
	case m.Base == nil && m.New == nil:
		return head + "not known in either trace"
	case m.Base == nil:
		return head + "not known in the base trace"
	case m.New == nil:
		return head + "not known in the new trace"
	}
	change := changeText(m.Unit, m.Delta)
	if o.Condition.Relative {
		if change = relativeChange(m.Relative); m.Relative == nil {
			change = "no percentage of zero"
		}
	}
	return head + valueText(m.Unit, m.Base) + " → " + valueText(m.Unit, m.New) + ", " + change
}
