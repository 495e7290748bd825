package stats

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/trace"
)

// MatchProcess returns a filter for Options.Process. It keeps the processes that MatchName
// matches.
func MatchProcess(pattern string) (func(*analyzer.Process) bool, error) {
	match, err := MatchName(pattern)
	if err != nil {
		return nil, err
	}
	return func(p *analyzer.Process) bool {
		if p.NoPID {
			return match(p.Name, trace.UnknownPID)
		}
		return match(p.Name, p.PID)
	}, nil
}

// MatchLayer returns a function that reports whether a layer is meant by a pattern, with its
// Layer.ID in place of a process id. Names of layers are never cut.
func MatchLayer(pattern string) (func(*analyzer.Layer) bool, error) {
	match, err := matcher(pattern, matches)
	if err != nil {
		return nil, fmt.Errorf("%q is no pattern such as *Surface* and no id", pattern)
	}
	return func(l *analyzer.Layer) bool { return match(l.Name, trace.PID(l.ID)) }, nil
}

// matches reports whether a path.Match pattern, or the end of one, matches a name.
func matches(pattern, name string) bool {
	matched, _ := path.Match(pattern, name)
	return matched
}

// minLiterals is the fewest characters of a pattern, besides wildcards and classes, that a name which
// was cut must have: with fewer, "surface*" would match "example.gallery" by its first letter.
const minLiterals = 3

// matchesCut is like matches, but a name may be what a kernel has kept of a longer one: its end.
func matchesCut(pattern, name string) bool {
	matched := matches(pattern, name)
	for !matched && len(name) == analyzer.KernelName && literals(pattern) > 0 {
		pattern = afterFirst(pattern)
		matched = literals(pattern) >= minLiterals && matches(pattern, name)
	}
	return matched
}

// literals returns how many characters of a pattern are no wildcards or classes.
func literals(pattern string) (n int) {
	for ; pattern != ""; pattern = afterFirst(pattern) {
		if !strings.ContainsRune("*?[", rune(pattern[0])) {
			n++
		}
	}
	return n
}

// afterFirst returns a valid pattern that is not empty without its first character, escaped
// character or class.
func afterFirst(pattern string) string {
	for n := 1; ; n++ {
		// Only a pattern that is cut within a class or after a backslash is malformed.
		if _, err := path.Match(pattern[:n], ""); err == nil {
			return pattern[n:]
		}
	}
}

// MatchName returns a function that reports whether a process, whose id may be unknown, is
// meant by a pattern. The pattern is
//
//   - a process id;
//   - a path.Match pattern of the whole name, for example "com.example.*";
//   - a part of the name;
//   - a full name, although a trace has only its last 15 bytes.
//
// A name of 15 bytes may be the end of a longer one. The end of a path.Match pattern matches
// it, if that has three characters besides wildcards: "com.example.*" matches "m.example.notes", and
// "*" alone would match the end of any name. Upper and lower case are the same. The empty pattern
// means all processes. A malformed pattern is an error.
func MatchName(pattern string) (func(name string, pid trace.PID) bool, error) {
	match, err := matcher(pattern, matchesCut)
	if err != nil {
		return nil, fmt.Errorf("%q is no pattern such as com.example.* and no process id", pattern)
	}
	return func(name string, pid trace.PID) bool {
		return match(name, pid) || len(name) == analyzer.KernelName && strings.HasSuffix(strings.ToLower(pattern), strings.ToLower(name))
	}, nil
}

// matcher returns a function that reports whether a pattern means a name or an id. matches
// reports whether a path.Match pattern means a name; both are in lower case.
func matcher(pattern string, matches func(pattern, name string) bool) (func(name string, id trace.PID) bool, error) {
	lower := strings.ToLower(pattern)
	if _, err := path.Match(lower, ""); err != nil {
		return nil, err
	}
	isPattern := strings.ContainsAny(pattern, "*?[\\")
	_, err := strconv.Atoi(pattern)
	isNumber := err == nil
	return func(name string, id trace.PID) bool {
		name = strings.ToLower(name)
		switch {
		case pattern == "" || name == lower:
			return true
		case isPattern:
			return matches(lower, name)
		case isNumber:
			return id != trace.UnknownPID && pattern == id.String()
		}
		return strings.Contains(name, lower)
	}, nil
}
