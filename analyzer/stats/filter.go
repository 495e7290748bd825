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
// Layer.ID in place of a process id.
func MatchLayer(pattern string) (func(*analyzer.Layer) bool, error) {
	match, err := MatchName(pattern)
	if err != nil {
		return nil, fmt.Errorf("%q is no pattern such as *Surface* and no id", pattern)
	}
	return func(l *analyzer.Layer) bool { return match(l.Name, trace.PID(l.ID)) }, nil
}

// matches reports whether a pattern matches a name, or what kernels keep of one. The end of
// a valid pattern may be invalid; then path.Match reports false.
func matches(pattern, name string) bool {
	if matched, _ := path.Match(pattern, name); matched {
		return true
	}
	if len(name) != analyzer.KernelName {
		return false
	}
	for pattern = afterFirst(pattern); strings.Trim(pattern, "*?") != ""; pattern = afterFirst(pattern) {
		if matched, _ := path.Match(pattern, name); matched {
			return true
		}
	}
	return false
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
// it, if that has more than wildcards: "com.example.*" matches "m.example.notes", and "*"
// alone would match the end of any name. Upper and lower case are the same. The empty pattern means all processes. A malformed
// pattern is an error.
func MatchName(pattern string) (func(name string, pid trace.PID) bool, error) {
	lower := strings.ToLower(pattern)
	if _, err := path.Match(lower, ""); err != nil {
		return nil, fmt.Errorf("%q is no pattern such as com.example.* and no process id", pattern)
	}
	isPattern := strings.ContainsAny(pattern, "*?[\\")
	_, err := strconv.Atoi(pattern)
	isNumber := err == nil
	return func(name string, pid trace.PID) bool {
		name = strings.ToLower(name)
		switch {
		case pattern == "" || name == lower:
			return true
		case isPattern:
			return matches(lower, name)
		case isNumber:
			return pid != trace.UnknownPID && pattern == pid.String()
		}
		return strings.Contains(name, lower) || len(name) == analyzer.KernelName && strings.HasSuffix(lower, name)
	}, nil
}
