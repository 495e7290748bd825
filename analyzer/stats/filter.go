package stats

import (
	"fmt"
	"path"
	"strconv"

	"ohframe/analyzer"
)

// MatchProcess returns a filter for Options.Process. It keeps the processes whose name
// matches the path.Match pattern, for example "com.example.*", or whose process id is
// the pattern. Names in traces have at most 15 bytes. The empty pattern keeps all
// processes. A malformed pattern is an error.
func MatchProcess(pattern string) (func(*analyzer.Process) bool, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("%q is no pattern such as com.example.* and no process id", pattern)
	}
	return func(p *analyzer.Process) bool {
		matched, _ := path.Match(pattern, p.Name)
		return pattern == "" || matched || !p.NoPID && pattern == strconv.Itoa(int(p.PID))
	}, nil
}
