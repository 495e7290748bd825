package pattern

import "testing"

func TestNew(t *testing.T) {
	digits := New(`^\d+$`)
	first, second := digits(), digits()
	if !first.MatchString("12") || first.MatchString("x") || first != second {
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
