package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
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
	for _, rule := range rules {
		free = rule.match(matches, free)
	}
	for _, p := range free {
		matches = append(matches, match{new: p})
	}
	return matches, nil
}

// rule is a way to recognise a process: those of the new trace wait under keys
// for one of the base trace that asks for one.
type rule struct {
	by    Match
	waits func(*stats.Process) []matchKey
	asks  func(*stats.Process) (matchKey, bool)
}

// matchKey is what two processes have in common.
type matchKey struct {
	kind  stats.Kind
	name  string    // of the one that has the shorter
	pid   trace.PID // where there is no name
	whole bool      // the name is all of that of the one that waits
}

// rules are tried one after the other, each on what those before have left.
var rules = []rule{
	{MatchedByName, func(p *stats.Process) []matchKey { return []matchKey{nameKey(p)} }, func(p *stats.Process) (matchKey, bool) { return nameKey(p), true }},
	{MatchedByNameEnd, waitsByEnd, asksByEnd},
	{MatchedByKind, func(p *stats.Process) []matchKey { return []matchKey{{kind: p.Kind}} }, func(p *stats.Process) (matchKey, bool) {
		return matchKey{kind: p.Kind}, p.Kind == stats.RenderService
	}},
}

func nameKey(p *stats.Process) matchKey {
	if p.Name == "" {
		return matchKey{kind: p.Kind, pid: p.PID}
	}
	return matchKey{kind: p.Kind, name: p.Name}
}

// kernelName is how many bytes of a thread's name a kernel keeps.
const kernelName = 15

// waitsByEnd: a name's last 15 bytes may be all of another, or a name of 15 bytes
// the end of another.
func waitsByEnd(p *stats.Process) []matchKey {
	if len(p.Name) < kernelName {
		return nil
	}
	keys := []matchKey{{kind: p.Kind, name: p.Name[len(p.Name)-kernelName:]}}
	if len(p.Name) == kernelName {
		keys = append(keys, matchKey{kind: p.Kind, name: p.Name, whole: true})
	}
	return keys
}

func asksByEnd(p *stats.Process) (matchKey, bool) {
	if len(p.Name) < kernelName {
		return matchKey{}, false
	}
	return matchKey{kind: p.Kind, name: p.Name[len(p.Name)-kernelName:], whole: len(p.Name) > kernelName}, true
}

// match gives the processes of base that have no match yet theirs of those that
// are free, the first the first, and returns those that are left.
func (r rule) match(matches []match, free []*stats.Process) []*stats.Process {
	waiting := map[matchKey][]*stats.Process{}
	for _, p := range free {
		for _, key := range r.waits(p) {
			waiting[key] = append(waiting[key], p)
		}
	}
	taken := map[*stats.Process]bool{}
	for i := range matches {
		m := &matches[i]
		key, ok := r.asks(m.base)
		if m.new != nil || !ok {
			continue
		}
		queue := waiting[key]
		for len(queue) > 0 && taken[queue[0]] { // under another key
			queue = queue[1:]
		}
		if len(queue) > 0 {
			m.new, m.by = queue[0], r.by
			taken[m.new] = true
		}
		waiting[key] = queue
	}
	return slices.DeleteFunc(free, func(p *stats.Process) bool { return taken[p] })
}

// notThere returns the error if no process that is called so is left.
func notThere(m Mapping, name string, side Side) error {
	head := fmt.Sprintf("--map %s=%s: ", words.Printable(m.Base), words.Printable(m.New))
	if slices.ContainsFunc(side.Stats.Processes, func(p *stats.Process) bool { return isCalled(p, name) }) {
		return &Error{What: head + "process " + words.Printable(name) + " is mapped already"}
	}
	return &Error{
		What: fmt.Sprintf("%s%s has no process %s", head, words.Printable(side.Name), words.Printable(name)),
		Hint: "it has " + words.Names(side.Stats.Processes),
	}
}

func isCalled(p *stats.Process, name string) bool {
	return p.Name == name || strconv.Itoa(int(p.PID)) == name
}
