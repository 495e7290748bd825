package enginetest_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ohframe/internal/testing/engine"
	"ohframe/internal/testing/engine/enginetest"
)

// recorder replaces a test and records how it ends.
type recorder struct {
	testing.TB
	end string
}

func (r *recorder) Helper() {}

func (r *recorder) Skip(args ...any) {
	r.end = "skip: " + fmt.Sprint(args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) {
	r.end = "fail: " + fmt.Sprint(args...)
	runtime.Goexit()
}

func TestForTestWithoutEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("short: all of these skip")
	}
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "")
	tests := []struct {
		required, variable, end string
	}{
		{"", "", "skip: " + engine.ErrNotFound.Error()},
		{"0", "", "skip: " + engine.ErrNotFound.Error()},
		{"1", "", "fail: " + engine.ErrNotFound.Error()},
		{"", "/none/shell", "fail: " + engine.Variable},
	}
	for _, test := range tests {
		t.Setenv(enginetest.Required, test.required)
		t.Setenv(engine.Variable, test.variable)
		r := &recorder{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			enginetest.ForTest(r)
		}()
		<-done
		if !strings.HasPrefix(r.end, test.end) {
			t.Errorf("required %q, variable %q: ends with %q, want %q", test.required, test.variable, r.end, test.end)
		}
	}
}
