package condition

import (
	"errors"
	"strings"
	"testing"

	"ohframe/internal/exit"
	"ohframe/internal/testing/must"
)

// A condition that failed is known to have failed, whatever else is unknown. What cannot be told has
// a code of its own, and the last line says which of the two it is.
func TestGate(t *testing.T) {
	bad, failed, unknown, passed := []BadInput{{"a", "damaged"}}, Check{Status: Failed, Condition: "fps<5"}, Check{Status: Unknown, Condition: "fps<6"}, Check{Status: Passed, Condition: "fps<7"}
	for _, test := range []struct {
		gate Gate
		code int
		last string
	}{
		{Gate{}, 0, ""},
		{Gate{Checks: []Check{passed}}, 0, "1 check, none failed"},
		{Gate{Checks: []Check{passed, failed}}, 2, "1 of 2 checks failed"},
		{Gate{Checks: []Check{unknown, failed, passed}}, 2, "1 of 3 checks failed, 1 cannot be checked"},
		{Gate{Checks: []Check{failed}, Strict: true, Bad: bad, Total: 3, Skipped: 1}, 2, "1 of 1 check failed; 1 input damaged or unreliable; 1 of 3 inputs skipped"},
		{Gate{Checks: []Check{unknown, passed}}, 3, "cannot tell: 2 checks, none failed, 1 cannot be checked"},
		{Gate{Checks: []Check{passed}, Unchecked: []string{"shard 3"}}, 3, "cannot tell: 1 check, none failed"},
		{Gate{Checks: []Check{passed}, Total: 3, Skipped: 1}, 3, "cannot tell: 1 check, none failed; 1 of 3 inputs skipped"},
		{Gate{Checks: []Check{passed}, Bad: bad}, 0, "1 check, none failed"},
		{Gate{Bad: bad}, 0, ""},
		{Gate{Strict: true, Bad: bad}, 3, "cannot tell: 1 input damaged or unreliable"},
		{Gate{Strict: true}, 0, ""},
		{Gate{Total: 3, Skipped: 1}, 0, "1 of 3 inputs skipped"},
		{Gate{Strict: true, Total: 3, Skipped: 1}, 3, "cannot tell: 1 of 3 inputs skipped"},
	} {
		err := test.gate.Err()
		must.Equal(t, exit.Code(err), test.code, test.last)
		must.Equal(t, test.gate.String(), test.last)
		if err != nil && !strings.HasSuffix(err.Error(), test.last) {
			t.Errorf("%q does not end with %q", err, test.last)
		}
		status := map[int]Status{2: Failed, 3: Unknown, 0: ""}[test.code]
		if got := test.gate.Status(); got != status && !(got == Passed && test.code == 0 && len(test.gate.Checks) > 0) {
			t.Errorf("%+v: status %q", test.gate, got)
		}
	}
	must.Equal(t, (&Gate{Checks: []Check{unknown, failed}}).Err().Error(), "fps<5: \nfps<6: \n1 of 2 checks failed, 1 cannot be checked")
	if exit.Code(errors.New("no file")) != exit.Error {
		t.Error("an error without a code")
	}
}
