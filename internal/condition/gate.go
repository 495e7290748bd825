package condition

import (
	"slices"
	"strings"
)

// GateError is the error if conditions hold or cannot be checked, one line for each.
type GateError struct {
	Lines []string
	// Hint says how to check those that cannot be checked; empty if all are.
	Hint string
}

func (e *GateError) Error() string { return strings.Join(e.Lines, "\n") }

// ExitCode returns the exit code of ohframe, which differs from that of other errors.
func (e *GateError) ExitCode() int { return 2 }

// Gate returns a *GateError if checks failed or, unless that is allowed, are unknown, or if inputs
// are bad. It returns those that are allowed as warnings. unchecked are lines about what could not
// be checked, bad those about inputs.
func Gate(checks []Check, allowMissing bool, unchecked, bad []string) (warnings []string, err error) {
	var failed, unknown []string
	for _, check := range checks {
		switch check.Status {
		case Failed:
			failed = append(failed, check.String())
		case Unknown:
			unknown = append(unknown, check.String())
		}
	}
	unknown = append(unknown, unchecked...)
	if !allowMissing && len(unknown) > 0 {
		return nil, &GateError{slices.Concat(failed, unknown, bad), "--process selects processes; --allow-missing only warns of what cannot be checked"}
	}
	if failed = append(failed, bad...); len(failed) > 0 {
		return unknown, &GateError{Lines: failed}
	}
	return unknown, nil
}
