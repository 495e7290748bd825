package sql_test

import (
	"io/fs"
	"os"
	"path/filepath"
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

var compare = enginetest.Compare

// rows are the rows of a table as text, in no order.
type rows []string

// add adds a row. Zero times and nil pointers are NULL if they are wrapped by known and pointer. The engine divides in
// another order, so that last digits of floats differ.
func (r *rows) add(cells ...any) { *r = append(*r, enginetest.Row(10, cells...)) }

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
