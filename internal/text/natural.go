package text

import (
	"cmp"
	"strings"
)

// CompareNatural compares texts, and numbers in them by size: 1.9 is before 1.10.
func CompareNatural(a, b string) int {
	for a != "" && b != "" {
		m, n := digits(a), digits(b)
		if m > 0 && n > 0 {
			x, y := strings.TrimLeft(a[:m], "0"), strings.TrimLeft(b[:n], "0")
			if order := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); order != 0 {
				return order
			}
			a, b = a[m:], b[n:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the number of digits at the start.
func digits(s string) int {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return i
		}
	}
	return len(s)
}
