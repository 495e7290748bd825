package functions

import (
	"cmp"
	"slices"

	"ohframe/analyzer/sample"
	"ohframe/analyzer/trace"
	"ohframe/analyzer/why"
)

// Stacks adds up a recording whose samples have no times; nil without samples.
func Stacks(rec *sample.Recording) *why.Stacks {
	t := New(rec, func(trace.TID) bool { return true })
	if t == nil {
		return nil
	}
	s := &why.Stacks{PID: rec.Samples[0].PID, Samples: len(rec.Samples)}
	counts := map[ID]int{}
	for i := range rec.Samples {
		if id := t.Function(int32(i)); id != 0 {
			counts[id]++
		}
	}
	own := t.ownModules()
	for id, n := range counts {
		f := t.Name(id)
		s.Functions = append(s.Functions, why.StackCount{Function: f, Own: own[f.Module], Samples: n})
	}
	slices.SortFunc(s.Functions, func(a, b why.StackCount) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Module, b.Module))
	})
	s.Functions = s.Functions[:min(len(s.Functions), why.MaxStackFunctions)]
	paths := make([][]ID, len(rec.Samples))
	for i := range paths {
		paths[i] = t.Path(nil, int32(i))
	}
	for depth := 0; ; depth++ {
		inside := map[ID]int{}
		for _, p := range paths {
			if depth < len(p) {
				inside[p[depth]]++
			}
		}
		best := ID(-1)
		for id, n := range inside {
			if best < 0 || n > inside[best] || n == inside[best] && id < best {
				best = id
			}
		}
		if best < 0 || 2*inside[best] < s.Samples {
			return s
		}
		f := t.Name(best)
		s.Path = append(s.Path, why.StackCount{Function: f, Own: own[f.Module], Samples: inside[best]})
		paths = slices.DeleteFunc(paths, func(p []ID) bool { return depth >= len(p) || p[depth] != best })
	}
}

// ownModules returns the names of modules that are parts of applications.
func (t *Table) ownModules() map[string]bool {
	own := map[string]bool{}
	for i := range t.profile.Modules {
		m := &t.profile.Modules[i]
		own[m.Name()] = own[m.Name()] || m.Own()
	}
	return own
}
