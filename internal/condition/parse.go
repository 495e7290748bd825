package condition

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/why"
	"ohframe/internal/diag"
	"ohframe/internal/pattern"
	"ohframe/internal/text"
)

// Kind is what a condition limits.
type Kind int

const (
	// OfValues are conditions without a sign.
	OfValues Kind = iota
	// OfChanges are conditions with a sign.
	OfChanges
)

// example has conditions of each kind, for hints.
var example = [...]string{"jank_rate>5%, fps<55, layer.fps<29", "jank_rate>+2pp, fps<-5%, layer.fps<-5%"}

// Parse parses conditions of a kind, such as "jank_rate>5%,com.example.gallery:fps<55":
//
//	conditions = item { "," item }
//	item       = [ process ":" ] [ ( group | layer | own ) "." ] measure operator [ "+" | "-" ] number [ "%" | "pp" ]
//	operator   = ">" | "<" | ">>" | "<<"
//	measure    = name | "refresh.below(" number ")"
//	layer      = "layer" [ "(" name ")" ]
//	number     = digits [ "." digits ]
//
// A group selects interactions: one of groups, or the name of a scene. A layer without a name
// selects all that have a cadence. A name is a pattern of text.MatchLayer. Own is the name of a measure of
// --measure.
//
// Blanks may separate any two tokens. A process, in the form that --process accepts
// but without commas, applies to its condition and those that follow, up to the next process.
// With % a limit on a change is relative to the value in the base, with pp, which is for
// shares, it is in percentage points. A limit on a share needs %, or is below 1. Other limits
// are in the measure's unit. The error is a *diag.Error with the position.
func Parse(s string, kind Kind) (Conditions, error) {
	list, err := parse(s)
	if err == nil {
		for _, item := range list {
			if item.kind != kind {
				p := &parser{at: item.limit}
				err = p.errorf("%s", [...]string{
					OfValues:  "expected a number without a sign: a sign makes it a limit on a change, which diff checks",
					OfChanges: "expected + or -: without a sign it is a limit on a value, which report checks",
				}[kind])
				break
			}
		}
	}
	if err != nil {
		return nil, &diag.Error{What: err.Error(), Hint: hintOf(err, hint(kind))}
	}
	return conditions(list, kind), nil
}

func hint(kind Kind) string { return "write " + example[kind] + "; docs/ci.md describes measures" }

// maxFile is the greatest size of a file of budgets in bytes.
const maxFile = 1 << 20

// ParseFile parses a file of conditions and returns those of a kind. Each line has
// conditions as in Parse. A process applies up to the end of its line. Empty lines are
// skipped, and "#" at the start of a line or after a blank begins a comment. An error in a
// file, other than one of reading, is a *diag.Error.
func ParseFile(file io.Reader, name string, kind Kind) (Conditions, error) {
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, &diag.Error{What: fmt.Sprintf("more than %d bytes, which is no file of budgets", maxFile)}
	}
	var all []item
	for i, line := range strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		line = withoutComment(strings.TrimSuffix(line, "\r"))
		if strings.TrimSpace(line) == "" {
			continue
		}
		list, err := parse(line)
		if err != nil && yaml().MatchString(line) {
			return nil, &diag.Error{What: "budgets are lines of conditions, not YAML", Line: i + 1, Hint: "write a line for each process: com.example.gallery: jank_rate>30%, fps<40"}
		}
		if err != nil {
			return nil, &diag.Error{What: err.Error(), Line: i + 1, Hint: hintOf(err, "docs/ci.md describes measures")}
		}
		for _, item := range list {
			item.File, item.Line = name, i+1
			all = append(all, item)
		}
	}
	list := conditions(all, kind)
	switch {
	case len(all) == 0:
		return nil, &diag.Error{What: "no budgets", Hint: "docs/ci.md describes the file"}
	case len(list) > 0:
		return list, nil
	case kind == OfValues:
		return nil, &diag.Error{What: "no conditions on values, only on changes, which diff checks", Hint: hint(kind)}
	}
	return nil, &diag.Error{What: "no conditions on changes, only on values, which report checks", Hint: hint(kind)}
}

// yaml matches lines that are no conditions, but YAML: lists, quoted and folded text, anchors,
// keys without a value or with a number. Other files for continuous
// integration are YAML.
var yaml = pattern.New(`^\s*(?:---|- |[{["'])|:\s*(?:[>|&*{["'].*|[0-9.]+%?)?\s*$`)

func withoutComment(line string) string {
	for i := range line {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return line[:i]
		}
	}
	return line
}

// item is a condition of either kind.
type item struct {
	Condition
	kind  Kind
	limit int // where its limit begins
}

func conditions(list []item, kind Kind) (of Conditions) {
	for _, item := range list {
		if item.kind == kind {
			of = append(of, item.Condition)
		}
	}
	return of
}

// parse parses conditions of both kinds.
func parse(s string) (list []item, err error) {
	p := &parser{text: []rune(s)}
	var process string
	var matches func(*analyzer.Process) bool
	err = p.list(func() error {
		if name, ok := p.process(); ok {
			start := p.at
			p.at += len([]rune(name)) + len(":")
			process = strings.TrimSpace(name)
			if process == "" {
				return errorAt(start, "the name of the process is empty")
			}
			if matches, err = stats.MatchProcess(process); err != nil {
				return errorAt(start, "%v", err)
			}
		}
		start := p.at
		c, err := p.condition()
		if _, isOwn := c.subject.(*onOwnMeasure); isOwn && err == nil && process != "" {
			return errorAt(start, "%s is of all processes, not of %s: write it before, or on a line of its own; --process selects processes", c.Measure, text.Printable(process))
		}
		c.Process, c.matches = process, matches
		list = append(list, c)
		return err
	})
	return list, err
}

// Limit is the smallest change of a measure that counts: in the measure's unit or, if
// Relative, as a share of the value in the base.
type Limit struct {
	Value    float64
	Relative bool
}

// ParseLimits parses limits of some measures, such as "jank_rate=2pp,p95_ms=0.5,fps=3%", in
// the form of limits on changes but without a sign.
func ParseLimits(s string, measures []string) (map[string]Limit, error) {
	p := &parser{text: []rune(s)}
	limits := map[string]Limit{}
	err := p.list(func() error {
		start := p.at
		name, unit, err := p.measure()
		switch {
		case err != nil:
			return err
		case !slices.Contains(measures, name):
			return errorAt(start, "%s is not tested; these are: %s", name, strings.Join(measures, ", "))
		case !p.accept("="):
			return p.errorf("expected = after %s", name)
		}
		x, relative, _, err := p.limit(name, unit, "", OfChanges)
		limits[name] = Limit{x, relative}
		return err
	})
	if err != nil {
		return nil, &diag.Error{What: err.Error(), Hint: "write jank_rate=2pp, fps=3%, p95_ms=0.5"}
	}
	return limits, nil
}

// parser splits a text into tokens. Each of its methods starts at a token or at the blanks
// before it.
type parser struct {
	text []rune
	at   int
}

func errorAt(at int, format string, args ...any) error {
	return fmt.Errorf("position %d: %s", at+1, fmt.Sprintf(format, args...))
}

// hinted is an error with a hint of its own.
type hinted struct {
	error
	hint string
}

// hintOf returns the hint of an error, the other one if it has none.
func hintOf(err error, other string) string {
	if h := (hinted{}); errors.As(err, &h) {
		return h.hint
	}
	return other
}

func (p *parser) errorf(format string, args ...any) error { return errorAt(p.at, format, args...) }

// list parses items that are separated by commas.
func (p *parser) list(item func() error) error {
	for {
		p.blanks()
		if err := item(); err != nil {
			return err
		}
		if p.blanks(); p.at == len(p.text) {
			return nil
		}
		if !p.accept(",") {
			return p.errorf("expected a comma or the end, not %q", p.text[p.at])
		}
	}
}

// process returns the text before the last colon in front of an operator; false without one.
func (p *parser) process() (string, bool) {
	rest := p.text[p.at:]
	if end := slices.IndexFunc(rest, func(r rune) bool { return strings.ContainsRune("<>,", r) }); end >= 0 {
		rest = rest[:end]
	}
	name := string(rest)
	name, _, _ = strings.Cut(name, layerSubject+"(") // the name of a layer may have colons
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 {
		return "", false
	}
	return name[:colon], true
}

func (p *parser) condition() (c item, err error) {
	p.blanks()
	start := p.at
	if c.subject, err = p.subject(); err != nil {
		return c, err
	}
	c.Measure = string(p.text[start:p.at])
	if c.subject != nil {
		c.Unit = c.subject.measured().Unit
	} else {
		p.at = start
		if c.Measure, c.Unit, err = p.measure(); err != nil {
			return c, err
		}
	}
	operator := ">"
	if c.Above = p.accept(">"); !c.Above {
		operator = "<"
		if !p.accept("<") {
			return c, p.errorf("expected > or < after %s", c.Measure)
		}
	}
	if c.Surely = p.at < len(p.text) && p.text[p.at] == rune(operator[0]); c.Surely {
		p.at++
		operator += operator
	}
	if p.accept("=") {
		return c, errorAt(p.at-len(operator)-1, "expected %s, not %[1]s=: a value equal to the limit passes", operator)
	}
	p.blanks()
	c.limit = p.at
	sign := ""
	for _, s := range []string{"+", "-"} {
		if p.accept(s) {
			sign, c.kind = s, OfChanges
			break
		}
	}
	if sign == "" && c.Surely {
		return c, errorAt(c.limit, "expected a change such as +5: %s is for changes", operator)
	}
	if sign == "" && c.OfCauses() {
		return c, errorAt(c.limit, "expected a change such as +5: %s is a measure of causes, which only diff compares", c.Measure)
	}
	limit, unit := "", c.Unit
	if _, isOwn := c.subject.(*onOwnMeasure); isOwn {
		unit = "" // it is known of values only
	}
	c.Limit, c.Relative, limit, err = p.limit(c.Measure, unit, sign, c.kind)
	c.text = c.Measure + operator + limit
	if never := c.never(); err == nil && never != "" {
		err = errorAt(c.limit, "%s %s", c.Measure, never)
	}
	return c, err
}

// subject parses what a condition is on with its measure; nil if it is on processes.
func (p *parser) subject() (subject, error) {
	start := p.at
	layers, err := p.layers()
	switch {
	case err != nil:
		return nil, hinted{errorAt(start, "%v", err), layerHint}
	case layers != nil:
		return layers, nil
	case strings.HasPrefix(string(p.text[p.at:]), rateSubject):
		return nil, nil
	}
	name := p.name()
	group, err := newGroup(name)
	if err != nil {
		return nil, hinted{errorAt(start, "%v", err), hintOf(err, groupHint)}
	}
	if group != nil {
		return group, nil
	}
	if own := parseOwn(name); own != nil {
		return own, nil
	}
	return nil, nil
}

// name parses the name of a measure, which may follow that of a group; empty without one.
func (p *parser) name() string {
	return p.while(func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '.' || isDigit(r)
	})
}

// rateSubject begins conditions on the refresh rate of displays: "refresh.below(90)>20%".
const rateSubject = "refresh.below"

// measure parses the name of a measure of processes or causes.
func (p *parser) measure() (name string, unit stats.Unit, err error) {
	p.blanks()
	start := p.at
	name = p.name()
	if name == "" {
		return "", "", p.errorf("expected the name of a measure")
	}
	if name == rateSubject {
		if p.at < len(p.text) && p.text[p.at] == '(' {
			name += strings.ReplaceAll(p.while(func(r rune) bool { return r != ')' && r != ',' }), " ", "")
			if p.accept(")") {
				name += ")"
			}
		}
		m := stats.RateBelow(name)
		if m == nil {
			return "", "", errorAt(start, "%s needs a refresh rate in hertz: write %[1]s(90)", rateSubject)
		}
		return name, m.Unit, nil
	}
	if m := stats.Measures.Named(name); m != nil {
		return name, m.Unit, nil
	}
	if _, unit, ok := CauseMeasure(name); ok {
		return name, unit, nil
	}
	return "", "", errorAt(start, "unknown measure %q%s", name, didYouMean(cmp.Or(similarMeasure(name), elsewhere(name))))
}

// similarMeasure returns the measure that is most similar to an unknown one; empty if none is.
func similarMeasure(name string) string {
	if wait, unit := splitWait(name); unit != "" {
		var waits []string
		for w := range why.WaitCount {
			waits = append(waits, why.Wait(w).String())
		}
		if similar := text.Similar(wait, waits); similar != "" {
			return strings.Replace(name, wait, similar, 1)
		}
		return ""
	}
	names := []string{LostMeasure} // then the main ones, of equally similar ones
	for _, m := range stats.Measures {
		if m.Main {
			names = append(names, m.Name)
		}
	}
	return text.Similar(name, append(names, stats.Measures.Names()...))
}

// isIn says what numbers are in units; those of measures of the user may be times or numbers.
var isIn = map[stats.Unit]string{
	stats.Count: "a count", stats.Hertz: "in Hz", stats.Milliseconds: "in ms", stats.MillisecondsPS: "in ms/s", stats.Seconds: "in s", stats.Periods: "in refresh periods",
	"": "in the unit of its values",
}

// limit parses a number and its unit, after a sign that may be empty.
func (p *parser) limit(measure string, unit stats.Unit, sign string, kind Kind) (x float64, relative bool, text string, err error) {
	p.blanks()
	start := p.at
	digits := p.while(isDigit)
	if digits == "" {
		return 0, false, "", p.errorf("expected a number")
	}
	if rest := p.text[p.at:]; len(rest) > 1 && rest[0] == '.' && isDigit(rest[1]) {
		p.at++
		digits += "." + p.while(isDigit)
	}
	if x, err = strconv.ParseFloat(sign+digits, 64); err != nil {
		return 0, false, "", errorAt(start, "the number is too large")
	}
	suffix, share := "", unit == stats.Share
	for _, s := range []string{"%", "pp"} {
		if p.accept(s) {
			suffix = s
			x /= 100
			break
		}
	}
	after := p.at
	p.blanks()
	at := p.at
	word := p.while(func(r rune) bool { return unicode.IsLetter(r) || r == '/' })
	p.blanks()
	isUnit := word != "" && (p.at == len(p.text) || p.text[p.at] == ',')
	p.at = after
	switch {
	case isUnit && suffix == "" && !share:
		return 0, false, "", errorAt(at, "write a number without a unit: %s is %s", measure, isIn[unit])
	case suffix == "pp" && !share:
		return 0, false, "", errorAt(start, "pp is for shares: %s is not a share", measure)
	case suffix == "pp" && kind == OfValues:
		return 0, false, "", errorAt(start, "pp is for changes: write %s%%", digits)
	case suffix == "%" && kind == OfValues && !share:
		return 0, false, "", errorAt(start, "%% is for shares: %s is not a share", measure)
	case suffix == "" && share && kind == OfValues && x >= 1:
		return 0, false, "", errorAt(start, "%s is a share, 0 to 1: write %s%% for percent", measure, digits)
	case suffix == "" && share && math.Abs(x) >= 1:
		return 0, false, "", errorAt(start, "%s is a share, 0 to 1: write %[2]s%[3]spp for percentage points or %[2]s%[3]s%% for a relative change",
			measure, sign, digits)
	}
	return x, suffix == "%" && kind == OfChanges, sign + digits + suffix, nil
}

// never returns why nothing can be beyond the limit; empty if something can.
func (c *item) never() string {
	m := stats.Measures.Named(c.Measure)
	if c.subject != nil {
		m = c.subject.measured()
	}
	tooHigh, tooLow := c.Above && c.Limit >= 1, !c.Above && c.Limit <= -1
	switch {
	case m != nil && m.Unbounded:
	case c.Relative && tooLow:
		return "never falls by more than 100 %"
	case c.kind == OfValues && !c.Above && c.Limit <= 0:
		return "is never below 0"
	case c.Unit != stats.Share || c.Relative:
	case c.kind == OfChanges && (tooHigh || tooLow):
		return "never changes by more than 100 pp"
	case c.kind == OfValues && tooHigh:
		return "is never above 100 %"
	}
	return ""
}

func (p *parser) blanks() { p.while(func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }) }

func (p *parser) while(is func(rune) bool) string {
	start := p.at
	for p.at < len(p.text) && is(p.text[p.at]) {
		p.at++
	}
	return string(p.text[start:p.at])
}

// accept skips blanks and a token. Without the token it returns false.
func (p *parser) accept(token string) bool {
	p.blanks()
	if !strings.HasPrefix(string(p.text[p.at:]), token) {
		return false
	}
	p.at += len(token)
	return true
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
