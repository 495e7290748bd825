package trace_test

import (
	"regexp"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// Every code has a text of its own.
func TestWarningCodes(t *testing.T) {
	seen := map[string]bool{}
	for c := range trace.WarningCode(trace.WarningCodes) {
		if s := c.String(); seen[s] || !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(s) {
			t.Errorf("code %d is %q", c, s)
		}
		seen[c.String()] = true
	}
	must.Equal(t, trace.WarnOverLimit.String()+" "+trace.WarnChanged.String(), "over_limit changed")
}
