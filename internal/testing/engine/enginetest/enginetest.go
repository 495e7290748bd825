// Package enginetest provides a trace processor to tests, and skips them if there is
// none.
package enginetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/must"
)

// Required is the environment variable that, if set to 1, makes tests fail instead
// of skipping them if there is no trace processor.
const Required = "OHFRAME_REQUIRE_ENGINE"

// ForTest returns the trace processor that engine.Find finds. It skips the
// test if there is none, and in short runs.
func ForTest(t testing.TB) *engine.Engine {
	t.Helper()
	if testing.Short() {
		t.Skip("short: without a trace processor")
	}
	e, err := engine.Find()
	if errors.Is(err, engine.ErrNotFound) && os.Getenv(Required) != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// idle are sessions whose test has ended. The process of one is used by further tests: it takes longer to
// start than to load most traces.
var (
	idle  []*engine.Session
	mutex sync.Mutex
)

// Main runs the tests of a package and ends the idle sessions.
func Main(m *testing.M) {
	code := m.Run()
	for _, session := range idle {
		session.Close()
	}
	os.Exit(code)
}

// Open loads the trace at the given path, with SQL packages as for
// engine.Engine.Open, until the test ends.
func Open(t testing.TB, trace string, packages ...string) *engine.Session {
	t.Helper()
	found := ForTest(t)
	mutex.Lock()
	var session *engine.Session
	if n := len(idle); n > 0 {
		session, idle = idle[n-1], idle[:n-1]
	}
	mutex.Unlock()
	if session == nil {
		session = must.Get(found.Open(context.Background(), trace, packages...))(t)
	} else if err := session.Reload(trace, packages...); err != nil {
		session.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := session.Query("SELECT 1"); err != nil { // closed, or the process has failed
			return
		}
		mutex.Lock()
		defer mutex.Unlock()
		idle = append(idle, session)
	})
	return session
}

// Load loads a trace given as its bytes, otherwise like Open.
func Load(t testing.TB, trace []byte, packages ...string) *engine.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	must.Do(t, os.WriteFile(path, trace, 0o600))
	return Open(t, path, packages...)
}

// Query runs a script and returns the result of its last statement.
func Query(t testing.TB, session *engine.Session, sql string) engine.Table {
	t.Helper()
	table := must.Get(session.Query(sql))(t)
	return table
}

// CheckGate fails the test if the trace processor found problems in the trace.
func CheckGate(t testing.TB, session *engine.Session) {
	t.Helper()
	table := must.Get(session.Gate())(t)
	if len(table.Rows) > 0 {
		t.Errorf("the trace processor reports:\n%s", table)
	}
}
