package diag

import (
	"fmt"
	"strings"
)

// Count formats n and the noun, in the plural unless n is 1: "2 frames",
// "1 process", "3 hitches".
func Count(n int, noun string) string {
	many := noun + "s"
	if strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "h") {
		many = noun + "es"
	}
	return Choose(n, noun, many)
}

// Choose formats n and one of two texts: one if n is 1, else many.
func Choose(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return fmt.Sprintf("%d %s", n, many)
}
