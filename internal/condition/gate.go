package condition

import (
	"fmt"
	"slices"
	"strings"

	"ohframe/internal/exit"
	"ohframe/internal/text"
)

// Gate is what decides how a command ends: the results of conditions, and what is wrong with the inputs.
type Gate struct {
	Checks []Check
	// Strict says that inputs that are skipped, damaged or unreliable are not good enough.
	Strict bool
	// Total is the number of inputs, Skipped how many of them could not be used.
	Total, Skipped int
	// Unchecked says what has no check, although there are conditions, one line each.
	Unchecked []string
	// Bad says what is wrong with inputs that are damaged or unreliable.
	Bad []BadInput
}

// BadInput is an input that is damaged or unreliable, or that lacks a part.
type BadInput struct{ Name, Text string }

// String returns "name: text".
func (b BadInput) String() string { return b.Name + ": " + b.Text }

// Blames reports whether a skipped input is a reason why the result is unknown: --strict does not
// accept it, and no condition is checked for it.
func (g *Gate) Blames() bool { return g.Strict || len(g.Checks) > 0 }

func (g *Gate) count(is func(*Check) bool) (n int) {
	for i := range g.Checks {
		if is(&g.Checks[i]) {
			n++
		}
	}
	return n
}

// with returns the number of checks with a status.
func (g *Gate) with(s Status) int { return g.count(func(c *Check) bool { return c.Status == s }) }

// Status returns the result of all: Failed if a check failed, else Unknown if something could not be
// checked or an input is not good enough, else Passed; empty if nothing was to be checked.
func (g *Gate) Status() Status {
	switch {
	case g.with(Failed) > 0:
		return Failed
	case g.with(Unknown)+len(g.Unchecked) > 0, g.Skipped > 0 && g.Blames(), g.Strict && len(g.Bad) > 0:
		return Unknown
	case len(g.Checks) > 0:
		return Passed
	}
	return ""
}

// String says the result in a sentence: "1 of 4 checks failed, 2 cannot be checked; 1 of 3 inputs skipped". It is empty
// if there is nothing to say.
func (g *Gate) String() string {
	var parts []string
	if n := len(g.Checks); n > 0 {
		s := text.Count(n, "check") + ", none failed"
		if failed := g.with(Failed); failed > 0 {
			s = fmt.Sprintf("%d of %s failed", failed, text.Count(n, "check"))
		}
		if unknown := g.with(Unknown); unknown > 0 {
			s += fmt.Sprintf(", %d cannot be checked", unknown)
		}
		if undecided := g.count(func(c *Check) bool { return c.Undecided }); undecided > 0 {
			s += fmt.Sprintf(", %d undecided", undecided)
		}
		parts = append(parts, s)
	}
	if n := len(g.Bad); n > 0 && g.Strict {
		parts = append(parts, text.Count(n, "input")+" damaged or unreliable")
	}
	if g.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s skipped", g.Skipped, text.Count(g.Total, "input")))
	}
	s := strings.Join(parts, "; ")
	if g.Status() == Unknown {
		s = "cannot tell: " + s
	}
	return s
}

// Err returns the result as an error; nil unless it is Failed or Unknown.
func (g *Gate) Err() error {
	var failed, unknown []string
	for _, check := range g.Checks {
		switch check.Status {
		case Failed:
			failed = append(failed, check.String())
		case Unknown:
			unknown = append(unknown, check.String())
		}
	}
	unknown = append(unknown, g.Unchecked...)
	if g.Strict {
		for _, b := range g.Bad {
			unknown = append(unknown, b.String())
		}
	}
	r := &exit.Result{Code: exit.Failed, Lines: append(slices.Concat(failed, unknown), g.String())}
	switch g.Status() {
	case Failed:
		return r
	case Unknown:
		r.Code = exit.CannotTell
		return r
	}
	return nil
}
