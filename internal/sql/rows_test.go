package sql_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ohframe/internal/sql"
	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
	"ohframe/internal/testing/must"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// load loads a Perfetto trace into the trace processor, with the modules as
// users export them.
func load(t *testing.T, trace []byte) *engine.Session {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.CopyFS(dir, sql.Files()))
	return enginetest.Load(t, trace, dir+"@"+sql.Name)
}

// modules are the names of all modules.
func modules(t *testing.T) []string {
	t.Helper()
	paths, err := fs.Glob(sql.Files(), "*.sql")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(path), ".sql")
	}
	return paths
}

// rows are the rows of a table as text, in no order.
type rows []string

// add adds a row. Zero times and nil pointers are NULL if they are wrapped by
// known and pointer.
func (r *rows) add(cells ...any) {
	text := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case nil:
			text[i] = "NULL"
		case string:
			text[i] = strconv.Quote(c)
		case float64:
			text[i] = fmt.Sprintf("%.10g", c) // the engine divides in another order
		case bool:
			text[i] = "0"
			if c {
				text[i] = "1"
			}
		default:
			text[i] = fmt.Sprintf("%d", c)
		}
	}
	*r = append(*r, strings.Join(text, ", "))
}

// known returns nil for zero, which stands for unknown in the model.
func known[T ~int64](v T) any {
	if v == 0 {
		return nil
	}
	return int64(v)
}

// pointer returns what it points to.
func pointer[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// query returns the rows of a script's last statement.
func query(t *testing.T, session *engine.Session, script string) (r rows) {
	t.Helper()
	for _, cells := range enginetest.Query(t, session, script).Rows {
		r.add(cells...)
	}
	return r
}

// compare fails the test if the two are not the same rows.
func compare(t *testing.T, what string, got, want rows) {
	t.Helper()
	missing, extra := without(want, got), without(got, want)
	if len(missing)+len(extra) == 0 {
		return
	}
	t.Errorf("%s: %d rows, want %d; %d missing, %d not wanted", what, len(got), len(want), len(missing), len(extra))
	const most = 5
	for _, row := range missing[:min(most, len(missing))] {
		t.Logf("missing:    %s", row)
	}
	for _, row := range extra[:min(most, len(extra))] {
		t.Logf("not wanted: %s", row)
	}
}

// without returns the rows of a that are not in b, each as often as it is more
// often in a.
func without(a, b rows) (left rows) {
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
