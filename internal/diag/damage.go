package diag

import "ohframe/analyzer/trace"

// Kinds are the kinds of damage or loss of a format, in the order of their warnings.
type Kinds []kind

// Kind is an index of Kinds.
type Kind int

type kind struct {
	code       trace.WarningCode
	noun, text string
}

// Add adds a kind. What is counted, noun, precedes the text, as in "3 bytes after the last section". With the
// noun "×" the text begins with it: "3 × damaged page"; without a noun nothing is counted.
func (k *Kinds) Add(code trace.WarningCode, noun, text string) Kind {
	*k = append(*k, kind{code, noun, text})
	return Kind(len(*k) - 1)
}

// NewLog returns an empty log.
func (k Kinds) NewLog() *DamageLog { return &DamageLog{k, make([]int, len(k))} }

// DamageLog counts the damage of a file.
type DamageLog struct {
	kinds  Kinds
	counts []int
}

// Add counts damage.
func (l *DamageLog) Add(k Kind) { l.AddMany(k, 1) }

// AddMany counts n times the same damage.
func (l *DamageLog) AddMany(k Kind, n int) { l.counts[k] += n }

// Count returns how often a kind was counted.
func (l *DamageLog) Count(k Kind) int { return l.counts[k] }

// Set changes how often a kind was counted.
func (l *DamageLog) Set(k Kind, n int) { l.counts[k] = n }

// Warnings returns one warning for each kind that was counted.
func (l *DamageLog) Warnings() []trace.Warning {
	var list Warnings
	for i, n := range l.counts {
		switch k := &l.kinds[i]; {
		case n == 0:
		case k.noun == "×":
			list.Times(k.code, n, k.text, nil)
		case k.noun != "":
			list.Count(k.code, n, k.noun, k.text)
		default:
			list = append(list, trace.Warning{Code: k.code, Count: n, Text: k.text})
		}
	}
	return list
}
