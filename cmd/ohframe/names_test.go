package main

import "testing"

// A dot in the name of a folder does not start an extension, with any separator.
func TestOutputBeside(t *testing.T) {
	unix := func(c uint8) bool { return c == '/' }
	windows := func(c uint8) bool { return c == '\\' || c == '/' }
	for _, test := range []struct{ name, onUnix, onWindows string }{
		{`a.ftrace`, `a.pftrace`, `a.pftrace`},
		{`a`, `a.pftrace`, `a.pftrace`},
		{`com.example.app.ftrace.gz`, `com.example.app.pftrace`, `com.example.app.pftrace`},
		{`com.example.app.ZIP`, `com.example.app.pftrace`, `com.example.app.pftrace`},
		{`traces/a.txt`, `traces/a.pftrace`, `traces/a.pftrace`},
		{`v1.2/a`, `v1.2/a.pftrace`, `v1.2/a.pftrace`},
		{`v1.2/a.gz`, `v1.2/a.pftrace`, `v1.2/a.pftrace`},
		{`C:\traces\a.ftrace`, `C:\traces\a.pftrace`, `C:\traces\a.pftrace`},
		{`C:\v1.2\a`, `C:\v1.pftrace`, `C:\v1.2\a.pftrace`}, // on Unix that is one name
		{`C:\v1.2/a`, `C:\v1.2/a.pftrace`, `C:\v1.2/a.pftrace`},
		{`\\server\my share\a.txt.gz`, `\\server\my share\a.pftrace`, `\\server\my share\a.pftrace`},
		{`C:a.ftrace`, `C:a.pftrace`, `C:a.pftrace`},
	} {
		if got := outputBeside(test.name, unix); got != test.onUnix {
			t.Errorf("on Unix: %s: got %s, want %s", test.name, got, test.onUnix)
		}
		if got := outputBeside(test.name, windows); got != test.onWindows {
			t.Errorf("on Windows: %s: got %s, want %s", test.name, got, test.onWindows)
		}
	}
}
