// Package version identifies what made a result: the running program, and its options.
package version

import (
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"
)

// built, if not empty, replaces the version that the build recorded. Tests that compare
// programs set it with the linker.
var built string

// String returns the version of the module, or of the tag or commit, that the program was
// built from, or "devel" if the build did not record it.
func String() string {
	if built != "" {
		return built
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// Exact returns a version that no other program has: String, and a hash of the program
// if it was built from a tree with changes, or the build did not record the commit.
func Exact() string {
	if v := String(); v == "devel" || strings.HasSuffix(v, "+dirty") {
		return v + " " + program()
	}
	return String()
}

// program returns a hash of the running program, or "unknown".
var program = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	hash := xxh3.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "unknown"
	}
	return hex.EncodeToString(hash.Sum(nil))
})
