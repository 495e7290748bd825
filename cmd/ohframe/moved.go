package main

import (
	"slices"
	"strings"

	"ohframe/internal/text"
)

// moved are the commands of fleets that are others now. A function returns the command for the dimensions of
// --by, those that it has there, and how to have the rest.
var moved = map[string]func(dims []string) (to string, by []string, note string){
	"report": func(dims []string) (string, []string, string) {
		if by := without(dims, "cause"); len(by) < len(dims) {
			return "why", by, ""
		}
		return "report", dims, ""
	},
	"diff": func(dims []string) (string, []string, string) {
		note := ""
		for _, dim := range without(dims, "kind", "process", "scene", "page", "layer") { // those are always compared
			note += "; --where " + text.Quoted(dim) + "=VALUE compares one " + dim
		}
		return "diff", nil, note
	},
}

func without(dims []string, others ...string) []string {
	return slices.DeleteFunc(slices.Clone(dims), func(dim string) bool { return slices.Contains(others, dim) })
}

// movedError returns the error of a command of fleets that is another one now, with the one to use; nil for others.
func movedError(args []string) error {
	if len(args) < 3 || args[1] != "fleet" || moved[args[2]] == nil {
		return nil
	}
	var dims, words []string
	for rest := args[3:]; len(rest) > 0; rest = rest[1:] {
		arg := rest[0]
		if (arg == "--by" || arg == "--format") && len(rest) > 1 {
			rest = rest[1:]
			arg += "=" + rest[0]
		}
		if slices.Contains([]string{"--order", "--measure"}, arg) && len(rest) > 1 { // which trends do not need
			rest = rest[1:]
			continue
		}
		by, ok := strings.CutPrefix(arg, "--by=")
		switch {
		case ok:
			dims = append(dims, splitList(by)...)
		case args[2] == "diff" && arg == "--format=csv":
			words = append(words, "--format=json")
		case arg != "--": // which separates the sides of diff
			words = append(words, text.Quoted(arg))
		}
	}
	to, dims, note := moved[args[2]](dims)
	if len(dims) > 0 {
		words = append(words, "--by", text.Quoted(strings.Join(dims, ",")))
	}
	return &failure{what: "fleet " + args[2] + " is now " + to, hint: strings.Join(append([]string{"ohframe", to}, words...), " ") + note}
}
