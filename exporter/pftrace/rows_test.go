package pftrace

import (
	"testing"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
)

var compare, without = enginetest.Compare, enginetest.Without

// rows are the rows of a table as text, in no order.
type rows []string

// add adds a row of cells.
func (r *rows) add(cells ...any) { *r = append(*r, enginetest.Row(-1, cells...)) }

// query returns the rows of a query's result.
func query(t *testing.T, session *engine.Session, sql string) rows {
	t.Helper()
	var r rows
	for _, cells := range enginetest.Query(t, session, sql).Rows {
		r.add(cells...)
	}
	return r
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
