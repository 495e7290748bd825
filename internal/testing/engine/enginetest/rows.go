package enginetest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Row returns a row of cells as text: integers, strings, truth values as 0 and 1, floats with a number of digits, -1 for
// all, and nil for NULL.
func Row(digits int, cells ...any) string {
	text := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case nil:
			text[i] = "NULL"
		case string:
			text[i] = strconv.Quote(c)
		case float64:
			text[i] = strconv.FormatFloat(c, 'g', digits, 64)
		case bool:
			text[i] = "0"
			if c {
				text[i] = "1"
			}
		default:
			text[i] = fmt.Sprintf("%d", c)
		}
	}
	return strings.Join(text, ", ")
}

// maxShown bounds what a comparison prints.
const maxShown = 10

// Compare fails the test if the two are not the same rows, in any order.
func Compare(t testing.TB, what string, got, want []string) {
	t.Helper()
	missing, extra := Without(want, got), Without(got, want)
	if len(missing)+len(extra) == 0 {
		return
	}
	t.Errorf("%s: %d rows, want %d; %d missing, %d not wanted", what, len(got), len(want), len(missing), len(extra))
	for _, row := range missing[:min(maxShown, len(missing))] {
		t.Logf("missing:    %s", row)
	}
	for _, row := range extra[:min(maxShown, len(extra))] {
		t.Logf("not wanted: %s", row)
	}
}

// Without returns the rows of a without those of b. A row that a has n times more than b is returned n times.
func Without(a, b []string) (left []string) {
	count := map[string]int{}
	for _, row := range b {
		count[row]++
	}
	for _, row := range a {
		if count[row]--; count[row] < 0 {
			left = append(left, row)
		}
	}
	slices.Sort(left)
	return left
}
