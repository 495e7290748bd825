package diag

import (
	"fmt"
	"strings"

	"ohframe/analyzer/trace"
)

// Damage is a kind of damage or loss.
type Damage struct {
	// Text describes it, with at most one %d for the number.
	Text string
	// Noun is what is counted, if it and the number are to precede Text.
	Noun string
	// Code is that of the warning.
	Code trace.WarningCode
}

func (k *Damage) text(n int) string {
	switch {
	case k.Noun != "":
		return Count(n, k.Noun) + " " + k.Text
	case strings.Contains(k.Text, "%d"):
		return fmt.Sprintf(k.Text, n)
	}
	return k.Text
}

// DamageLog counts the damage of a file. K is an index of its kinds.
type DamageLog[K ~uint8] struct {
	kinds  []Damage
	counts []int
}

// NewDamageLog returns an empty log.
func NewDamageLog[K ~uint8](kinds []Damage) *DamageLog[K] {
	return &DamageLog[K]{kinds: kinds, counts: make([]int, len(kinds))}
}

// Add counts damage.
func (l *DamageLog[K]) Add(kind K) { l.AddMany(kind, 1) }

// AddMany counts n times the same damage.
func (l *DamageLog[K]) AddMany(kind K, n int) { l.counts[kind] += n }

// Count returns how often a kind was counted.
func (l *DamageLog[K]) Count(kind K) int { return l.counts[kind] }

// Set changes how often a kind was counted.
func (l *DamageLog[K]) Set(kind K, n int) { l.counts[kind] = n }

// Warnings returns one warning for each kind that was counted.
func (l *DamageLog[K]) Warnings() []trace.Warning {
	var list []trace.Warning
	for kind, n := range l.counts {
		if n > 0 {
			list = append(list, trace.Warning{Code: l.kinds[kind].Code, Count: n, Text: l.kinds[kind].text(n)})
		}
	}
	return list
}
