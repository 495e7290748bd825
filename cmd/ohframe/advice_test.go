package main

import (
	"os"
	"strings"
	"testing"

	"ohframe"
	userfailure "ohframe/internal/diag"
	"ohframe/internal/report"
	"ohframe/internal/testing/must"
)

// The README, the manual and the hints have one command that records a trace.
func TestRecordCommand(t *testing.T) {
	for _, file := range []string{"../../README.md", "manual.md"} {
		data := must.Get(os.ReadFile(file))(t)
		if !strings.Contains(string(data), "\n"+userfailure.RecordCommand+"\n") {
			t.Errorf("%s does not have the command %s", file, userfailure.RecordCommand)
		}
	}
	_, err := ohframe.Read(t.Context(), strings.NewReader("no trace\n"), ohframe.Options{})
	if e := described(err); e == nil || !strings.Contains(e.Hint, report.RecordCommands) {
		t.Errorf("%v: got %+v, want the hint %s", err, e, report.RecordCommands)
	}
}
