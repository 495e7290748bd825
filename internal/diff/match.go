package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/internal/words"
)

// Match is how a process of one trace was recognised in the other.
type Match string

// The ways, the one tried first first. Process ids differ from run to run: they
// are looked at only where Options.Map says one or a name is not known. Of
// several processes that match alike, the first is matched with the first.
const (
	// MatchedByMap: Options.Map says so.
	MatchedByMap Match = "map"
	// MatchedByName: they have the same name, or none and the same id.
	MatchedByName Match = "name"
	// MatchedByNameEnd: one has a name of 15 bytes, which is all that a kernel
	// keeps, the last 15 of an application's; the other's name ends in it.
	MatchedByNameEnd Match = "name_end"
	// MatchedByKind: both are the render service, whatever the systems call it.
	MatchedByKind Match = "kind"
)

// Mapping says which process of the new trace is which of the base trace. Each
// is a name, or else a process id.
type Mapping struct{ Base, New string }

// ParseMapping parses "OLD=NEW".
func ParseMapping(s string) (Mapping, error) {
	base, new, ok := strings.Cut(s, "=")
	if !ok || base == "" || new == "" {
		return Mapping{}, fmt.Errorf("%q is not OLD=NEW, two names of processes or their ids", s)
	}
	return Mapping{base, new}, nil
}

// match is a process in both traces, or in one: then the other is nil.
type match struct {
	base, new *stats.Process
	by        Match
}

// matchProcesses returns the matches in the order of base, then what is only in
// new.
func matchProcesses(base, new Side, mappings []Mapping) ([]match, error) {
	matches := make([]match, len(base.Stats.Processes))
	for i, p := range base.Stats.Processes {
		matches[i].base = p
	}
	free := slices.Clone(new.Stats.Processes)
	take := func(m *match, by Match, i int) {
		m.new, m.by = free[i], by
		free = slices.Delete(free, i, i+1)
	}
	for _, m := range mappings {
		b := slices.IndexFunc(matches, func(x match) bool { return x.new == nil && isCalled(x.base, m.Base) })
		if b < 0 {
			return nil, notThere(m, m.Base, base)
		}
		n := slices.IndexFunc(free, func(p *stats.Process) bool { return isCalled(p, m.New) && p.Kind == matches[b].base.Kind })
		if n < 0 {
			n = slices.IndexFunc(free, func(p *stats.Process) bool { return isCalled(p, m.New) })
		}
		if n < 0 {
			return nil, notThere(m, m.New, new)
		}
		if k, l := matches[b].base.Kind, free[n].Kind; k != l {
			return nil, &Error{What: fmt.Sprintf("--map %s=%s: one is the %s, the other the %s",
				words.Printable(m.Base), words.Printable(m.New), words.Kinds[k], words.Kinds[l])}
		}
		take(&matches[b], MatchedByMap, n)
	}
	for _, rule := range []struct {
		by    Match
		holds func(base, new *stats.Process) bool
	}{
		{MatchedByName, sameName},
		{MatchedByNameEnd, sameNameEnd},
		{MatchedByKind, func(b, n *stats.Process) bool { return b.Kind == stats.RenderService }},
	} {
		for i := range matches {
			m := &matches[i]
			if m.new != nil {
				continue
			}
			j := slices.IndexFunc(free, func(p *stats.Process) bool { return p.Kind == m.base.Kind && rule.holds(m.base, p) })
			if j >= 0 {
				take(m, rule.by, j)
			}
		}
	}
	for _, p := range free {
		matches = append(matches, match{new: p})
	}
	return matches, nil
}

// notThere returns the error if no process that is called so is left.
func notThere(m Mapping, name string, side Side) error {
	head := fmt.Sprintf("--map %s=%s: ", words.Printable(m.Base), words.Printable(m.New))
	if slices.ContainsFunc(side.Stats.Processes, func(p *stats.Process) bool { return isCalled(p, name) }) {
		return &Error{What: head + "process " + words.Printable(name) + " is mapped already"}
	}
	return &Error{
		What: fmt.Sprintf("%s%s has no process %s", head, words.Printable(side.Name), words.Printable(name)),
		Hint: "it has " + names(side.Stats.Processes),
	}
}

func isCalled(p *stats.Process, name string) bool {
	return p.Name == name || strconv.Itoa(int(p.PID)) == name
}

func sameName(base, new *stats.Process) bool {
	return base.Name == new.Name && (base.Name != "" || base.PID == new.PID)
}

// kernelName is how many bytes of a thread's name a kernel keeps.
const kernelName = 15

func sameNameEnd(base, new *stats.Process) bool {
	return len(base.Name) == kernelName && strings.HasSuffix(new.Name, base.Name) ||
		len(new.Name) == kernelName && strings.HasSuffix(base.Name, new.Name)
}
