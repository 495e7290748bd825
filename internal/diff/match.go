package diff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ohframe/analyzer"
	"ohframe/analyzer/stats"
	"ohframe/analyzer/trace"
	"ohframe/internal/text"
)

// matchedBy is the way in which a process was found in the other trace.
type matchedBy string

// The ways, in the order in which they are tried. Process ids differ from run to
// run: they count only if Options.Map has one or a process has no name. If several
// processes match equally, the first is matched with the first.
const (
	// matchedByMap: Options.Map pairs them.
	matchedByMap matchedBy = "map"
	// matchedByName: they have the same name, or no name and the same id.
	matchedByName matchedBy = "name"
	// matchedByNameEnd: one name has 15 bytes, which is what a kernel keeps of an
	// application's name, and the other name ends in it.
	matchedByNameEnd matchedBy = "name_end"
	// matchedByKind: both are render services, whatever their names.
	matchedByKind matchedBy = "kind"
)

// Mapping pairs a process of the base trace with one of the new trace. Each is a
// name, a process id, or a pattern of stats.MatchName that matches one name.
type Mapping struct{ Base, New string }

// ParseMapping parses "OLD=NEW".
func ParseMapping(s string) (Mapping, error) {
	base, new, ok := strings.Cut(s, "=")
	if !ok || base == "" || new == "" {
		return Mapping{}, fmt.Errorf("%q is not OLD=NEW, two process names or ids", s)
	}
	return Mapping{base, new}, nil
}

// match is a process in both traces, or in one; the other is nil then.
type match struct {
	base, new *stats.Process
	by        matchedBy
}

// matchProcesses returns the matches in the order of base, followed by the
// processes that are only in new.
func matchProcesses(base, new Side, mappings []Mapping) ([]match, error) {
	matches := make([]match, len(base.Stats.Processes))
	for i, p := range base.Stats.Processes {
		matches[i].base = p
	}
	free := slices.Clone(new.Stats.Processes)

	for _, m := range mappings {
		baseCalled, err := called(m, m.Base, base)
		if err != nil {
			return nil, err
		}
		newCalled, err := called(m, m.New, new)
		if err != nil {
			return nil, err
		}
		b := slices.IndexFunc(matches, func(x match) bool { return x.new == nil && slices.Contains(baseCalled, x.base) })
		if b < 0 {
			return nil, alreadyMapped(m, m.Base)
		}
		n := slices.IndexFunc(free, func(p *stats.Process) bool {
			return slices.Contains(newCalled, p) && p.Kind == matches[b].base.Kind
		})
		if n < 0 {
			n = slices.IndexFunc(free, func(p *stats.Process) bool { return slices.Contains(newCalled, p) })
		}
		if n < 0 {
			return nil, alreadyMapped(m, m.New)
		}
		if k, l := matches[b].base.Kind, free[n].Kind; k != l {
			return nil, mapError(m, fmt.Sprintf("one is the %s, the other the %s", text.Kind(k), text.Kind(l)), "")
		}
		matches[b].new, matches[b].by = free[n], matchedByMap
		free = slices.Delete(free, n, n+1)
	}
	for _, rule := range rules {
		free = rule.match(matches, free)
	}
	for _, p := range free {
		matches = append(matches, match{new: p})
	}
	return matches, nil
}

// rule is a way to match processes. A process of the base trace matches one of the
// new trace if its key is one of the other's keys.
type rule struct {
	by      matchedBy
	newKeys func(*stats.Process) []matchKey
	baseKey func(*stats.Process) (matchKey, bool)
}

// matchKey is what two processes have in common.
type matchKey struct {
	kind  stats.Kind
	name  string    // the shorter of the names
	pid   trace.PID // if there is no name
	whole bool      // name is the whole name of the process in the new trace
}

// rules are tried in order, each on the processes without a match.
var rules = []rule{
	{matchedByName, func(p *stats.Process) []matchKey { return []matchKey{nameKey(p)} }, func(p *stats.Process) (matchKey, bool) { return nameKey(p), true }},
	{matchedByNameEnd, newEndKeys, baseEndKey},
	{matchedByKind, func(p *stats.Process) []matchKey { return []matchKey{{kind: p.Kind}} }, func(p *stats.Process) (matchKey, bool) {
		return matchKey{kind: p.Kind}, p.Kind == stats.RenderService
	}},
}

func nameKey(p *stats.Process) matchKey {
	if p.Name == "" {
		return matchKey{kind: p.Kind, pid: p.PID}
	}
	return matchKey{kind: p.Kind, name: p.Name}
}

// newEndKeys returns a key for the end of the process's name, and one for its
// whole name if that has 15 bytes.
func newEndKeys(p *stats.Process) []matchKey {
	if len(p.Name) < analyzer.KernelName {
		return nil
	}
	keys := []matchKey{{kind: p.Kind, name: p.Name[len(p.Name)-analyzer.KernelName:]}}
	if len(p.Name) == analyzer.KernelName {
		keys = append(keys, matchKey{kind: p.Kind, name: p.Name, whole: true})
	}
	return keys
}

// baseEndKey returns the key of the end of a name. A longer name matches only a
// whole name.
func baseEndKey(p *stats.Process) (matchKey, bool) {
	if len(p.Name) < analyzer.KernelName {
		return matchKey{}, false
	}
	return matchKey{kind: p.Kind, name: p.Name[len(p.Name)-analyzer.KernelName:], whole: len(p.Name) > analyzer.KernelName}, true
}

// match matches processes of base that have no match yet with free ones, in order,
// and returns the free ones that remain.
func (r rule) match(matches []match, free []*stats.Process) []*stats.Process {
	byKey := map[matchKey][]*stats.Process{}
	for _, p := range free {
		for _, key := range r.newKeys(p) {
			byKey[key] = append(byKey[key], p)
		}
	}
	matched := map[*stats.Process]bool{}
	for i := range matches {
		m := &matches[i]
		key, ok := r.baseKey(m.base)
		if m.new != nil || !ok {
			continue
		}
		queue := byKey[key]
		for len(queue) > 0 && matched[queue[0]] { // by another key
			queue = queue[1:]
		}
		if len(queue) > 0 {
			m.new, m.by = queue[0], r.by
			matched[m.new] = true
		}
		byKey[key] = queue
	}
	return slices.DeleteFunc(free, func(p *stats.Process) bool { return matched[p] })
}

// knownProcesses finds the processes that may match those of a run among thousands.
type knownProcesses struct {
	list   []*stats.Process
	places map[ruleKey][]int // by the key of a rule
}

type ruleKey struct {
	rule int
	matchKey
}

func (k *knownProcesses) add(p *stats.Process) {
	for i, rule := range rules {
		if key, ok := rule.baseKey(p); ok {
			k.places[ruleKey{i, key}] = append(k.places[ruleKey{i, key}], len(k.list))
		}
	}
	k.list = append(k.list, p)
}

// of returns a side with the processes of which a key is one of a run, in order.
func (k *knownProcesses) of(run Side) Side {
	var places []int
	for _, p := range run.Stats.Processes {
		for i, rule := range rules {
			for _, key := range rule.newKeys(p) {
				places = append(places, k.places[ruleKey{i, key}]...)
			}
		}
	}
	slices.Sort(places)
	s := Side{Stats: &stats.Report{}}
	for _, place := range slices.Compact(places) {
		s.Stats.Processes = append(s.Stats.Processes, k.list[place])
	}
	return s
}

// called returns the processes of a side that a mapping names: those of exactly this name
// or id, otherwise those that stats.MatchName matches. It is an error if these have several
// names, or do not exist.
func called(m Mapping, name string, side Side) ([]*stats.Process, error) {
	having := func(is func(*stats.Process) bool) []*stats.Process {
		return slices.DeleteFunc(slices.Clone(side.Stats.Processes), func(p *stats.Process) bool { return !is(p) })
	}
	list := having(func(p *stats.Process) bool { return p.Name == name || strconv.Itoa(int(p.PID)) == name })
	if len(list) > 0 {
		return list, nil
	}
	match, err := stats.MatchName(name)
	if err != nil {
		return nil, mapError(m, err.Error(), "")
	}
	list = having(func(p *stats.Process) bool { return match(p.Name, p.PID) })
	called, trace := text.Printable(name), text.Printable(side.Name)
	switch {
	case len(list) == 0:
		return nil, mapError(m, trace+" has no process "+called, "it has "+text.Names(side.Stats.Processes))
	case slices.ContainsFunc(list, func(p *stats.Process) bool { return p.Name != list[0].Name }):
		return nil, mapError(m, called+" matches several processes of "+trace, "it matches "+text.Names(list))
	}
	return list, nil
}

func mapError(m Mapping, what, hint string) error {
	return &Error{What: fmt.Sprintf("--map %s=%s: %s", text.Printable(m.Base), text.Printable(m.New), what), Hint: hint}
}

// alreadyMapped returns the error of a mapping whose process is not free.
func alreadyMapped(m Mapping, name string) error {
	return mapError(m, "process "+text.Printable(name)+" is already mapped", "")
}
