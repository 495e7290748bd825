package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"ohframe/internal/diag"
	"ohframe/internal/inputs"
	"ohframe/internal/record/meta"
)

// Input is a trace to read.
type Input struct {
	// Name is the path as it was given, with slashes and without "." elements.
	Name string
	Size int64
	// Err is the error of a file or folder that cannot be examined.
	Err error
	// Other: the file is of a shard that is not run here, or no trace. It was not examined;
	// only its name counts.
	Other bool
	// SameAs is the name of an input with the same content, which counts instead; empty
	// without one. MarkDuplicates sets it.
	SameAs string
	// Event is the event that the trace was uploaded with; nil without one. IsEvent: the input is
	// the event, not a trace.
	Event   *Event
	IsEvent bool
	// Recording is how the trace was recorded; nil if that is unknown.
	Recording *meta.Meta
}

// shardOf returns the shard of a trace, 0 to shards−1. It depends on nothing but the name.
func shardOf(name string, shards int) int { return int(xxh3.HashString(name) % uint64(shards)) }

// Found returns the inputs that were found, by name, each once.
func Found(set *inputs.Set) []Input {
	var list []Input
	for _, in := range set.Inputs {
		list = append(list, Input{Name: cleanName(in.Path), Size: in.Size, Err: in.Err})
	}
	for _, name := range set.Others {
		list = append(list, Input{Name: cleanName(name), Other: true})
	}
	return Merge(list)
}

// InShard returns the inputs.Options.Only of a shard; of all shards if shard is negative.
// With it, dimensions do not depend on which shards are run.
func InShard(shard, shards int) func(path string) bool {
	return func(path string) bool { return shard < 0 || shardOf(cleanName(path), shards) == shard }
}

// Merge returns the inputs of several lists, by name, each once.
func Merge(lists ...[]Input) []Input {
	list := slices.Concat(lists...)
	slices.SortStableFunc(list, func(a, b Input) int {
		others := 0 // a file that a folder skips may be named, too
		if a.Other != b.Other {
			others = 1
			if b.Other {
				others = -1
			}
		}
		return cmp.Or(cmp.Compare(a.Name, b.Name), others)
	})
	return slices.CompactFunc(list, func(a, b Input) bool { return a.Name == b.Name })
}

// Describe sets how traces were recorded, also those of other shards: all processes of a run have the
// same dimensions. Objects in a store are left out: each would be a request. A description that cannot be read,
// or not within the timeout, is left to the run. Zero means no timeout.
func Describe(ctx context.Context, store Store, list []Input, timeout time.Duration) {
	eachOf(ctx, list, func(in *Input) {
		if !in.IsEvent && in.Err == nil && !strings.Contains(in.Name, "://") {
			in.Recording, _ = inputs.Within(ctx, timeout, func() (*meta.Meta, error) { return store.Describe(ctx, in.Name) })
		}
	})
}

// eachOf calls a function with each element of a list, several at once, until the context ends.
func eachOf[T any](ctx context.Context, list []T, do func(*T)) {
	next := make(chan *T)
	var workers sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) { // they wait for storage
		workers.Go(func() {
			for x := range next {
				do(x)
			}
		})
	}
	for i := range list {
		if ctx.Err() == nil {
			next <- &list[i]
		}
	}
	close(next)
	workers.Wait()
}

// CheckParts returns an error if a part of the dataset, which a run may replace, is one of the inputs
// or of the files that they were found with. Other names of a file count, too.
func CheckParts(dir string, list []Input, files []string) error {
	bySize := map[int64][]fs.FileInfo{}
	for _, folder := range Folders {
		entries, _ := os.ReadDir(filepath.Join(dir, folder)) // Plan.Check reports errors
		for _, e := range entries {
			_, _, isPart := parsePart(e.Name())
			if info, err := os.Stat(filepath.Join(dir, folder, e.Name())); err == nil && isPart {
				bySize[info.Size()] = append(bySize[info.Size()], info)
			}
		}
	}
	if len(bySize) == 0 {
		return nil
	}
	for _, in := range list {
		if !in.Other && bySize[in.Size] != nil {
			files = append(files, in.Name)
		}
	}
	for _, name := range files {
		info, err := os.Stat(filepath.FromSlash(name))
		if err == nil && slices.ContainsFunc(bySize[info.Size()], func(part fs.FileInfo) bool { return os.SameFile(info, part) }) {
			return HiddenInput(dir, name)
		}
	}
	return nil
}

// HiddenInput returns the error of an input in the folder of a dataset.
func HiddenInput(dir, name string) error {
	return &diag.Error{What: fmt.Sprintf("%s: the folder of the dataset contains an input, %s", dir, name), Hint: "-o DIR names another folder"}
}

// cleanName returns a path with slashes and without "." elements.
func cleanName(name string) string {
	if strings.Contains(name, "://") { // an address in an object store
		return name
	}
	return filepath.ToSlash(filepath.Clean(name))
}

// errFolder is the error of a folder where a file is needed.
var errFolder = errors.New("is a folder")
