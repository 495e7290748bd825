package fleet

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"ohframe/internal/source/inputs"
)

// Input is a trace to read.
type Input struct {
	// Name is the path as it was given, with slashes and without "." elements.
	Name string
	Size int64
	// Err is the error of a file or folder that cannot be examined.
	Err error
}

// shardOf returns the shard of a trace, 0 to shards−1. It depends on nothing but the name.
func shardOf(name string, shards int) int { return int(xxh3.HashString(name) % uint64(shards)) }

// Found returns the inputs that were found, by name, each once.
func Found(set *inputs.Set) []Input {
	var list []Input
	for _, in := range set.Inputs {
		list = append(list, Input{cleanName(in.Path), in.Size, in.Err})
	}
	return Merge(list)
}

// Merge returns the inputs of several lists, by name, each once.
func Merge(lists ...[]Input) []Input {
	list := slices.Concat(lists...)
	slices.SortStableFunc(list, func(a, b Input) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(list, func(a, b Input) bool { return a.Name == b.Name })
}

func cleanName(name string) string {
	if strings.Contains(name, "://") { // an address in an object store
		return name
	}
	return filepath.ToSlash(filepath.Clean(name))
}

// errFolder is the error of a folder where a file is needed.
var errFolder = errors.New("is a folder")
