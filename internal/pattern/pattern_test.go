package pattern

import "testing"

func TestNew(t *testing.T) {
	digits := New(`^\d+$`)
	if !digits().MatchString("12") || digits().MatchString("x") || digits() != digits() {
		t.Error("not the expression, compiled once")
	}
	mistaken := New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("a mistaken expression compiles")
		}
	}()
	mistaken()
}
