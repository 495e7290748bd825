package diff

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/why"
	"ohframe/internal/ci"
	"ohframe/internal/text"
)

// Conditions are the conditions of --fail-on.
type Conditions []Condition

// Condition is a limit on the change of a measure. It fails if the change is
// significantly beyond the limit, see Condition.Judge.
type Condition struct {
	Measure string
	// Above is whether changes above the limit fail. Otherwise those below it do.
	Above bool
	// Limit is in the measure's unit, or, if Relative, a share of the value in the
	// base trace: 0.05 is 5 %.
	Limit    float64
	Relative bool
	// Source is where the condition is from; zero for a flag.
	Source Source

	text string
}

// OfCauses reports whether the measure is one of causes, which only traces have.
func (c Condition) OfCauses() bool {
	_, ok := causeUnit(c.Measure)
	return ok
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
	p := parser{rest: []rune(s), causes: true}
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
	// causes: measures of causes are allowed.
	causes bool
}

func (p *parser) errorf(format string, args ...any) error {
	return &SyntaxError{p.used + 1, fmt.Sprintf(format, args...)}
}

func (p *parser) condition() (c Condition, err error) {
	var unit stats.Unit
	if c.Measure, unit, err = p.measure(); err != nil {
		return c, err
	}
	var operator string
	if operator, err = p.operator(c.Measure); err != nil {
		return c, err
	}
	c.Above = operator == ">"
	sign := "+"
	switch {
	case p.accept("+"):
	case p.accept("-"):
		sign = "-"
	case len(p.rest) == 0 || !isDigit(p.rest[0]):
		return c, p.errorf("expected a change such as +5 after %s%s", c.Measure, operator)
	default:
		return c, p.errorf("expected + or -: the limit applies to the change of %s, not to its value", c.Measure)
	}
	var limit string
	if c.Limit, c.Relative, limit, err = p.limit(c.Measure, unit, sign); err != nil {
		return c, err
	}
	c.text = c.Measure + operator + limit
	return c, nil
}

// operator parses > or <, and the blanks around it.
func (p *parser) operator(measure string) (string, error) {
	p.blanks()
	operator := ""
	switch {
	case p.accept(">"):
		operator = ">"
	case p.accept("<"):
		operator = "<"
	default:
		return "", p.errorf("expected > or < after %s", measure)
	}
	if p.accept("=") {
		return "", &SyntaxError{p.used - 1, fmt.Sprintf("expected %s, not %[1]s=: a value equal to the limit passes", operator)}
	}
	p.blanks()
	return operator, nil
}

// measure parses the name of a measure.
func (p *parser) measure() (name string, unit stats.Unit, err error) {
	p.blanks()
	start := p.used
	name = p.while(isNameRune)
	i := slices.IndexFunc(measures, func(m stats.Measure) bool { return m.Name == name })
	switch {
	case name == "":
		return "", "", p.errorf("expected the name of a measure")
	case i < 0:
		if unit, ok := causeUnit(name); ok && p.causes {
			return name, unit, nil
		}
		return "", "", &SyntaxError{start + 1, unknownMeasure(name, p.causes)}
	}
	return name, measures[i].Unit, nil
}

// unknownMeasure returns what is wrong with the name of a measure that does not exist.
func unknownMeasure(name string, causes bool) string {
	if _, ok := causeUnit(name); ok { // only if causes is not set
		return name + " is a measure of causes: only conditions on changes have it, which diff checks"
	}
	var names, waits []string
	for i := range measures {
		names = append(names, measures[i].Name)
	}
	for w := range why.WaitCount {
		waits = append(waits, why.Wait(w).String())
	}
	similar := ""
	if wait, unit := splitWait(name); causes && unit != "" {
		if code := text.Similar(wait, waits); code != "" {
			similar = strings.Replace(name, wait, code, 1)
		}
	} else if similar = text.Similar(name, names); similar == "" && causes {
		similar = text.Similar(name, []string{lostName})
	}
	if similar == "" {
		return fmt.Sprintf("unknown measure %q", name)
	}
	return fmt.Sprintf("unknown measure %q; did you mean %s?", name, similar)
}

// limit parses a number and its unit, after a sign that may be empty.
func (p *parser) limit(measure string, unit stats.Unit, sign string) (x float64, relative bool, text string, err error) {
	start := p.used - len(sign)
	p.blanks()
	digits := p.number()
	if digits == "" {
		return 0, false, "", p.errorf("expected a number")
	}
	if x, err = strconv.ParseFloat(sign+digits, 64); err != nil {
		return 0, false, "", &SyntaxError{start + 1, "the number is too large"}
	}
	p.blanks()
	suffix := ""
	switch {
	case p.accept("%"):
		suffix, relative = "%", true
		x /= 100
	case unit == stats.Share && p.accept("pp"):
		suffix = "pp"
		x /= 100
	case p.accept("pp"):
		return 0, false, "", &SyntaxError{start + 1, fmt.Sprintf("pp is for shares: %s is not a share", measure)}
	case unit == stats.Share && math.Abs(x) >= 1:
		return 0, false, "", &SyntaxError{start + 1, fmt.Sprintf("%s is a share, 0 to 1: write %[2]s%[3]spp for percentage points or %[2]s%[3]s%% for a relative change",
			measure, sign, digits)}
	}
	return x, relative, sign + digits + suffix, nil
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

func isNameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '.' || isDigit(r)
}

// Status is the result of a condition.
type Status = ci.Status

// The statuses.
const (
	Failed  = ci.Failed // the change is beyond the limit
	Passed  = ci.Passed
	Unknown = ci.Unknown // see Outcome.Reason
)

// Outcome is the result of a condition for a pair, for a process that is missing in the
// new trace, or for no process if none matches its Source.
type Outcome struct {
	Pair      *Pair    // nil without a pair
	Measure   *Measure // nil without a pair
	Condition Condition
	Status    Status
	Missing   *stats.Process
	// Any is Options.Any.
	Any bool

	others []*stats.Process // those of both traces, without a pair and without Missing
}

// Change is the change of a measure, in the measure's unit. What is unknown is nil; so
// are Low and High, the ends of the confidence interval of Delta, if the change was not
// tested.
type Change struct {
	Unit                        stats.Unit
	Base, New, Delta, Low, High *float64
}

// Judge checks the condition. Unless any is set, the whole confidence interval of the
// change must be beyond the limit.
func (c Condition) Judge(x Change, any bool) Status {
	if x.Delta == nil || !any && x.Low == nil {
		return Unknown
	}
	change := *x.Delta
	switch {
	case any:
	case c.Above:
		change = *x.Low
	default:
		change = *x.High
	}
	if c.Relative {
		change = x.relative(change)
	}
	if c.Above && change > c.Limit+rounding || !c.Above && change < c.Limit-rounding {
		return Failed
	}
	return Passed
}

// Describe describes a change that Judge has judged, such as
// "jank_rate>+2%: 5.0 % → 8.0 %, +60.0 %". level is that of the interval.
func (c Condition) Describe(x Change, any bool, level float64) string {
	format := func(d *float64) string { return changeText(x.Unit, d) }
	if c.Relative {
		format = func(d *float64) string {
			if *x.Base == 0 {
				return "from zero"
			}
			relative := x.relative(*d)
			return relativeChange(&relative)
		}
	}
	s := c.String() + ": " + valueText(x.Unit, x.Base) + " → " + valueText(x.Unit, x.New) + ", " + format(x.Delta)
	if !any && (!c.Relative || *x.Base != 0) {
		s += fmt.Sprintf(" (%.0f %% interval %s to %s)", 100*(1-level), format(x.Low), format(x.High))
	}
	return s
}

// judge checks the condition for a pair.
func (c Condition) judge(p *Pair, any bool) Outcome {
	m := p.measure(c.Measure)
	return Outcome{Pair: p, Measure: m, Condition: c, Status: c.Judge(m.change(), any), Any: any}
}

func (m *Measure) change() Change { return Change{m.Unit, m.Base, m.New, m.Delta, m.Low, m.High} }

// rounding is larger than a floating-point error, such as that of 0.07 − 0.05, and
// smaller than any real change: a nanosecond is 1e-6 ms.
const rounding = 1e-9

// relative returns a change of a known measure as a share of its base. A change from 0 is
// infinite.
func (x Change) relative(change float64) float64 {
	switch {
	case *x.Base != 0:
		return change / *x.Base
	case math.Abs(change) <= rounding:
		return 0
	}
	return math.Inf(int(math.Copysign(1, change)))
}

// tooFew is the reason why a measure is unknown or not tested.
func tooFew(measure string) string {
	return fmt.Sprintf("too few frames: each run needs %d", stats.MinFrames(measure))
}

// Reason returns why the status is unknown, otherwise "".
func (o Outcome) Reason() string {
	switch m := o.Measure; {
	case o.Status != Unknown:
		return ""
	case o.Missing != nil:
		return "the process is not in the new trace"
	case o.Pair == nil:
		return noSuchProcess(o.others)
	case (m.Base == nil || m.New == nil) && (m.Name == "p95_ms" || m.Name == "p99_ms"):
		return tooFew(m.Name)
	case o.Condition.OfCauses() && o.Pair.causesDiffer:
		return "only some traces have scheduling events of the threads"
	case m.Base == nil && m.New == nil:
		return "unknown in both traces"
	case m.Base == nil:
		return "unknown in the base trace"
	case m.New == nil:
		return "unknown in the new trace"
	case o.Condition.OfCauses():
		return "fewer than three runs on a side; --fail-on-any compares the values"
	case !isTested(m.Name):
		return "not tested for significance; --fail-on-any compares the values"
	case !slices.Contains(o.Pair.tested(), m.Name):
		return "not comparable, the refresh rates differ; --fail-on-any compares the values"
	}
	return tooFew(o.Measure.Name)
}

// String returns the process, the condition and the change, such as
// "gallery: jank_rate>+2%: 5.0 % → 8.0 %, +60.0 %".
func (o Outcome) String() string {
	if reason := o.Reason(); reason != "" {
		return o.title() + ": " + o.Condition.String() + ": " + reason
	}
	return o.title() + ": " + o.Condition.Describe(o.Measure.change(), o.Any, stats.Level)
}

// title returns the printable name of the process.
func (o Outcome) title() string {
	switch {
	case o.Missing != nil:
		return text.Process(o.Missing)
	case o.Pair == nil:
		return text.Printable(o.Condition.Source.Pattern)
	}
	return o.Pair.title()
}

// check returns the outcome for continuous integration.
func (o Outcome) check() ci.Check {
	source := o.Condition.Source
	head := o.title() + ": " + o.Condition.String() + ": "
	return ci.Check{
		Process: o.title(), Condition: o.Condition.String(), Status: o.Status, Text: strings.TrimPrefix(o.String(), head),
		File: source.File, Line: source.Line,
	}
}
