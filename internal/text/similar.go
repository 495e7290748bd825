package text

import "strings"

// Similar returns the one of the names that is most similar to an unknown one, or "" if none
// is. A name is similar if a third of its letters at most are
// wrong, or if it begins with what was given.
func Similar(given string, names []string) (best string) {
	least := len(given) + 1
	for _, name := range names {
		d := distance(strings.ToLower(given), strings.ToLower(name))
		begins := len(given) > 1 && strings.HasPrefix(name, given)
		if begins {
			d = 1
		}
		if d < least && (begins || 3*d <= max(len(given), len(name))) {
			best, least = name, d
		}
	}
	return best
}

// distance returns the number of letters that must be inserted, removed, replaced or
// exchanged with the next to turn a into b.
func distance(a, b string) int {
	var before, last []int // the rows of the two letters of a before this one
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// Suggest returns a hint. If one of the names is similar to an unknown one, the hint begins
// with it, after a prefix.
func Suggest(prefix, unknown string, names []string, hint string) string {
	if similar := Similar(unknown, names); similar != "" {
		return "did you mean " + prefix + similar + "? " + hint
	}
	return hint
}
