package sample

import (
	"path"
	"strings"

	"ohframe/internal/pattern"
)

// sandbox is what hiperf puts before the path of a file that a process has in its sandbox.
var sandbox = pattern.New(`^/proc/\d+/root/`)

// Own reports whether the module is a part of an application, and not of the system: a file that
// was installed (below /data), or a source file of ArkTS, whose path is relative.
func (m *Module) Own() bool {
	if m.Kernel {
		return false
	}
	switch {
	case strings.HasPrefix(m.Path, "/proc/"):
		return strings.HasPrefix(sandbox().ReplaceAllString(m.Path, "/"), "/data/")
	case strings.HasPrefix(m.Path, "/"):
		return strings.HasPrefix(m.Path, "/data/")
	}
	switch path.Ext(m.Path) {
	case ".ets", ".ts", ".js", ".hap", ".hsp":
		return true
	}
	return false
}

// Name returns the last element of the path, or "kernel".
func (m *Module) Name() string {
	if m.Kernel {
		return "kernel"
	}
	return m.Path[strings.LastIndexByte(m.Path, '/')+1:]
}
