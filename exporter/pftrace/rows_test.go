package pftrace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
)

// rows are the rows of a table as text, in no order.
type rows []string

// add adds a row of cells: integers, strings, floats, or nil for NULL.
func (r *rows) add(cells ...any) {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteString(", ")
		}
		switch c := c.(type) {
		case nil:
			b.WriteString("NULL")
		case string:
			b.WriteString(strconv.Quote(c))
		case float64:
			b.WriteString(strconv.FormatFloat(c, 'g', -1, 64))
		default:
			fmt.Fprintf(&b, "%d", c)
		}
	}
	*r = append(*r, b.String())
}

// query returns the rows of a query's result.
func query(t *testing.T, session *engine.Session, sql string) rows {
	t.Helper()
	var r rows
	for _, cells := range enginetest.Query(t, session, sql).Rows {
		r.add(cells...)
	}
	return r
}

// maxShown bounds what a comparison prints.
const maxShown = 10

// compare fails the test if the two are not the same rows.
func compare(t *testing.T, what string, got, want rows) {
	t.Helper()
	missing, extra := without(want, got), without(got, want)
	if len(missing)+len(extra) == 0 {
		return
	}
	t.Errorf("%s: %d rows, want %d; %d missing, %d not wanted", what, len(got), len(want), len(missing), len(extra))
	for i := range min(maxShown, len(missing)) {
		t.Logf("missing:    %s", missing[i])
	}
	for i := range min(maxShown, len(extra)) {
		t.Logf("not wanted: %s", extra[i])
	}
}

// without returns the rows of a that are not in b, each as often as it is more
// often in a.
func without(a, b rows) rows {
	count := map[string]int{}
	for _, row := range b {
		count[row]++
	}
	var left rows
	for _, row := range a {
		if count[row]--; count[row] < 0 {
			left = append(left, row)
		}
	}
	slices.Sort(left)
	return left
}

// or returns the text, or nil for none.
func or(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}
