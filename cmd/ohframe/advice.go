package main

import (
	"errors"
	"fmt"
	"strings"

	"ohframe"
	userfailure "ohframe/internal/diag"
	"ohframe/internal/pattern"
	"ohframe/internal/report"
)

// addFlags adds the flags and commands to the hints of the library.
var addFlags = strings.NewReplacer(
	userfailure.RecordCommand, report.RecordCommands,
	userfailure.SamplesOffset, userfailure.SamplesOffset+": --perf FILE@OFFSET",
	userfailure.StacksAlone, userfailure.StacksAlone+": ohframe why TRACE --perf FILE, ohframe why FILE",
	userfailure.SamplesAlone, userfailure.SamplesAlone+": ohframe why TRACE --perf FILE",
)

// described returns what an error says to users, nil if it is not one of the library or of
// an internal package.
func described(err error) *userfailure.Error {
	if e := (*userfailure.Error)(nil); errors.As(err, &e) {
		return e
	}
	if e := (*ohframe.Error)(nil); errors.As(err, &e) {
		return &userfailure.Error{What: withFlags(e.What), Hint: flagHint(e)}
	}
	return nil
}

// flagHint returns the hint of an error of the library, which does not know the command,
// with the flag or the command that helps.
func flagHint(e *ohframe.Error) string {
	switch {
	case errors.Is(e, ohframe.ErrLimit):
		return fmt.Sprintf("if you trust the input: --limit %s=NUMBER", e.Limit)
	case errors.Is(e, ohframe.ErrEntry):
		return "--entry NAME selects one file of an archive; it is for archives with several files"
	case errors.Is(e, ohframe.ErrIsPerfetto):
		return e.Hint + "; ohframe report reads it too"
	}
	return addFlags.Replace(e.Hint)
}

var limitName = pattern.New(`\(limit: ([a-z]+)\)`)

// withFlags names the flag where a text of the library names a limit.
func withFlags(s string) string { return limitName().ReplaceAllString(s, "(--limit $1)") }
