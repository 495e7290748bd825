package main

import (
	"slices"
	"strings"

	"ohframe/internal/text"
)

// movedError returns the error of a command of fleets that is another one now, with the one to use; nil for others.
func movedError(args []string) error {
	if len(args) < 3 || args[1] != "fleet" || args[2] != "report" {
		return nil
	}
	to, words := "report", []string{}
	for rest := args[3:]; len(rest) > 0; rest = rest[1:] {
		arg := rest[0]
		if arg == "--by" && len(rest) > 1 {
			rest = rest[1:]
			arg = "--by=" + rest[0]
		}
		by, ok := strings.CutPrefix(arg, "--by=")
		dims := strings.Split(by, ",")
		switch without := slices.DeleteFunc(slices.Clone(dims), func(dim string) bool { return dim == "cause" }); {
		case strings.HasPrefix(arg, "--over") || arg == "--help":
			return nil
		case !ok:
			words = append(words, text.Quoted(arg))
			continue
		case len(without) < len(dims):
			to, dims = "why", without
		}
		if len(dims) > 0 {
			words = append(words, "--by", text.Quoted(strings.Join(dims, ",")))
		}
	}
	return &failure{what: "fleet report is now " + to, hint: strings.Join(append([]string{"ohframe", to}, words...), " ")}
}
