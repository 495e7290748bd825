package must

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

// recorder is a test that notes what is reported, and that ends at Fatal by a panic.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Errorf(format string, a ...any) { r.said += fmt.Sprintf(format, a...) }
func (r *recorder) Fatal(a ...any)                 { panic(fmt.Sprint(a...)) }

// Equal reports values that differ, and Get ends the test at an error.
func TestReported(t *testing.T) {
	r := &recorder{}
	Equal(r, 1, 1)
	EqualSlices(r, []string{}, nil, "nothing")
	if r.said != "" {
		t.Error(r.said)
	}
	Equal(r, "a", "b", "case %d", 7)
	EqualSlices(r, []int{1}, []int{2})
	NoError(r, nil)
	NoError(r, io.EOF, "%d", 8)
	if want := `case 7: got "a", want "b"got [1], want [2]8: EOF`; r.said != want {
		t.Errorf("%s, want %s", r.said, want)
	}
	if a, b := Get2(1, "b", nil)(r); a != 1 || b != "b" || Get(3, nil)(r) != 3 {
		t.Error("other values")
	}
	for _, call := range []func(){
		func() { Do(r, io.EOF) }, func() { Get(1, errors.New("EOF"))(r) }, func() { Get2(1, 2, io.EOF)(r) },
	} {
		func() {
			defer func() {
				if got := recover(); got != "EOF" {
					t.Errorf("ends with %v, want the error", got)
				}
			}()
			call()
		}()
	}
}
