package place

import "sort"

// prefixes is a set of prefixes that finds the longest one of a text. Each entry
// has the index of a row in the table that the set was made of.
type prefixes struct {
	entries []prefixEntry // sorted
	// first has the index of the first entry that does not begin with a smaller
	// byte.
	first [257]int
}

type prefixEntry struct {
	text string
	// open: the text may go on with the same word.
	open bool
	row  int
	// shorter is the entry that is the longest proper prefix of this one, or -1.
	shorter int
}

// newPrefixes makes a set of n patterns. A pattern is a prefix that ends where a word
// of the text ends, or, with a star behind it, anywhere.
func newPrefixes(n int, pattern func(row int) string) prefixes {
	var p prefixes
	for row := range n {
		text, open := pattern(row), false
		if last := len(text) - 1; text[last] == '*' {
			text, open = text[:last], true
		}
		p.entries = append(p.entries, prefixEntry{text, open, row, -1})
	}
	sort.Slice(p.entries, func(i, j int) bool { return p.entries[i].text < p.entries[j].text })
	for c := range p.first {
		p.first[c] = sort.Search(len(p.entries), func(i int) bool { return int(p.entries[i].text[0]) >= c })
	}
	for i := range p.entries {
		for j := i - 1; j >= 0; j = p.entries[j].shorter {
			if hasPrefix(p.entries[i].text, p.entries[j].text) {
				p.entries[i].shorter = j
				break
			}
		}
	}
	return p
}

// find returns the row of the longest prefix of s, or -1, and the prefix.
func (p *prefixes) find(s []byte) (row int, prefix string) {
	if len(s) == 0 {
		return -1, ""
	}
	// The last entry that is not greater than s begins with every prefix of s
	// that the set has, unless it is itself the longest.
	low, high := p.first[s[0]], p.first[int(s[0])+1]
	from := low
	for low < high {
		middle := int(uint(low+high) >> 1)
		if p.entries[middle].text <= string(s) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	for i := low - 1; i >= from; i = p.entries[i].shorter {
		e := &p.entries[i]
		if len(s) >= len(e.text) && string(s[:len(e.text)]) == e.text && (e.open || endsWord(s, len(e.text))) {
			return e.row, e.text
		}
	}
	return -1, ""
}

// endsWord reports whether a word of s ends before s[i].
func endsWord(s []byte, i int) bool {
	return i == len(s) || !isWord(s[i]) || !isWord(s[i-1])
}

func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

func hasPrefix(s, prefix string) bool { return len(s) >= len(prefix) && s[:len(prefix)] == prefix }
