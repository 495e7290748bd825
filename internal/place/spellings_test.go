package place

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ohframe/analyzer/why"
	"ohframe/internal/testing/must"
)

// group is the lines below a head in brackets.
type group struct {
	head  string
	lines []string
}

// groups reads a file of testdata. Lines that begin with # are comments.
func groups(t *testing.T, name string) (list []group) {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/" + name + ".txt"))(t)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		head, ok := strings.CutPrefix(line, "[")
		switch {
		case ok && strings.HasSuffix(head, "]"):
			list = append(list, group{head: strings.TrimSuffix(head, "]")})
		case line != "" && line[0] != '#':
			last := &list[len(list)-1]
			last.lines = append(last.lines, line)
		}
	}
	return list
}

// differing returns the labels whose key or meaning is not as spellings says.
func differing(groups []group, report func(format string, args ...any)) (differ int) {
	for _, group := range groups {
		for _, line := range group.lines {
			label, want, ok := strings.Cut(line, " → ")
			if !ok {
				want = label
			}
			key := AppendKey(nil, []byte("H:"+label+"|M0538"))
			p := Lookup(key)
			reason, _ := GCReason([]byte(label))
			advice := (Cause{Wait: why.Run, Place: p, GCReason: reason, Scheduled: true}).Advice().String()
			again := AppendKey(nil, key)
			is := strings.TrimSpace(p.Stage.String() + " " + p.Class.String() + " " + advice)
			if string(key) != want || string(again) != want || Lookup(again) != p || is != group.head {
				differ++
				report("%s: %q is %s, want %q, %s", label, key, is, want, group.head)
			}
		}
	}
	return differ
}

func TestSpellings(t *testing.T) {
	differing(groups(t, "spellings"), t.Errorf)
}

// Every row of the table decides about a spelling: without it, that one is different.
func TestSpellingsOfRows(t *testing.T) {
	all, whole := groups(t, "spellings"), markers
	defer func() { markers = whole }()
	for i, row := range table {
		markers = newMarkerTable(slices.Delete(slices.Clone(table[:]), i, i+1))
		if differing(all, func(string, ...any) {}) == 0 {
			t.Errorf("row %q: no spelling shows what it is for", row.prefix)
		}
	}
}

// misjudged returns the callers whose wait is not as callers says.
func misjudged(groups []group, report func(format string, args ...any)) (wrong int) {
	for _, group := range groups {
		for _, caller := range group.lines {
			if got := BlockedBy([]byte(caller)).String(); got != group.head {
				wrong++
				report("%s is %s, want %s", caller, got, group.head)
			}
		}
	}
	return wrong
}

func TestCallers(t *testing.T) {
	all := groups(t, "callers")
	misjudged(all, t.Errorf)
	whole := blockers
	defer func() { blockers, blockerIndex = whole, newBlockerIndex() }()
	for i, row := range whole {
		blockers = slices.Delete(slices.Clone(whole), i, i+1)
		blockerIndex = newBlockerIndex()
		if misjudged(all, func(string, ...any) {}) == 0 {
			t.Errorf("row %q: no caller shows what it is for", row.prefix)
		}
	}
}
