package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"ohframe/internal/inputs"
)

// headSize is how much of a file is compared before files of one size are read as a whole:
// times differ at the beginning of almost all traces.
const headSize = 64 << 10

// MarkDuplicates sets SameAs of the inputs whose content is that of an input before them.
// Uploads are repeated, and would count twice. Inputs must be in the order of their names,
// so that all processes of a run mark the same ones.
//
//	all ──▶ of one size ──▶ with one beginning ──▶ with one content
//
// A file that cannot be read, or not within the timeout, is not marked. Zero means no timeout. The
// error is that of the context.
func MarkDuplicates(ctx context.Context, store Store, list []Input, timeout time.Duration) error {
	groups := [][]int{make([]int, len(list))}
	for i := range list {
		groups[0][i] = i
	}
	sizeOf := func(in *Input) (content, error) {
		if in.Other && in.Size == 0 {
			size, err := store.Size(ctx, in.Name)
			return content{size: size}, err
		}
		return content{size: in.Size}, in.Err
	}
	hashOf := func(most int64) func(*Input) (content, error) {
		return func(in *Input) (content, error) {
			f, err := store.Open(ctx, in.Name)
			if err != nil {
				return content{}, err
			}
			defer f.Close()
			h := xxh3.New128()
			n, err := io.Copy(h, io.LimitReader(f, most))
			return content{n, h.Sum128()}, err
		}
	}
	for _, of := range []func(*Input) (content, error){sizeOf, hashOf(headSize), hashOf(1 << 62)} {
		groups = divide(ctx, list, groups, func(in *Input) (content, error) {
			return inputs.Within(ctx, timeout, func() (content, error) { return of(in) })
		})
	}
	for _, group := range groups {
		first := list[group[0]].Name
		for _, i := range group[1:] {
			list[i].SameAs = first
		}
	}
	return context.Cause(ctx)
}

// content is what is known of the content of a file.
type content struct {
	size int64
	hash xxh3.Uint128
}

// divide divides groups of indexes of inputs by their content, and leaves out groups of one,
// of files of other shards only, of empty files, and files with an error.
func divide(ctx context.Context, list []Input, groups [][]int, of func(*Input) (content, error)) (divided [][]int) {
	contents, errs := make([]content, len(list)), make([]error, len(list))
	eachOf(ctx, slices.Concat(groups...), func(i *int) { contents[*i], errs[*i] = of(&list[*i]) })
	if ctx.Err() != nil {
		return nil
	}
	for _, group := range groups {
		same := map[content][]int{}
		for _, i := range group {
			if c := contents[i]; errs[i] == nil && c.size > 0 {
				same[c] = append(same[c], i)
			}
		}
		for _, i := range group { // in order
			members := same[contents[i]]
			if len(members) < 2 || members[0] != i {
				continue
			}
			if slices.ContainsFunc(members, func(k int) bool { return !list[k].Other }) {
				divided = append(divided, members)
			}
		}
	}
	return divided
}

// errDuplicate is the kind of the error of a trace with SameAs.
var errDuplicate = errors.New("the same content as another trace")

func duplicateOf(name string) error {
	return fmt.Errorf("%w: %s", errDuplicate, name)
}
