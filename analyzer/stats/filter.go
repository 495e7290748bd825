package stats

import (
	"fmt"
	"path"
	"strconv"

	"ohframe/analyzer"
)

// MatchProcess returns a filter for Options.Process that lets through the
// processes whose name a shell pattern such as "com.example.*" matches, or whose
// process id it is. Traces cut names to 15 bytes. The empty pattern lets all
// through. A malformed pattern is an error.
func MatchProcess(pattern string) (func(*analyzer.Process) bool, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("%q is no pattern such as com.example.* and no process id", pattern)
	}
	return func(p *analyzer.Process) bool {
		matched, _ := path.Match(pattern, p.Name)
		return pattern == "" || matched || pattern == strconv.Itoa(int(p.PID))
	}, nil
}
