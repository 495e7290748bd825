package inputs

import "testing"

// A dot in the name of a folder does not start an extension, with any separator.
func TestStem(t *testing.T) {
	unix := func(c uint8) bool { return c == '/' }
	windows := func(c uint8) bool { return c == '\\' || c == '/' }
	for _, test := range []struct{ name, onUnix, onWindows string }{
		{`a.ftrace`, `a`, `a`},
		{`a`, `a`, `a`},
		{`com.example.app.ftrace.gz`, `com.example.app`, `com.example.app`},
		{`com.example.app.ZIP`, `com.example.app`, `com.example.app`},
		{`traces/a.txt`, `traces/a`, `traces/a`},
		{`v1.2/a`, `v1.2/a`, `v1.2/a`},
		{`v1.2/a.gz`, `v1.2/a`, `v1.2/a`},
		{`C:\traces\a.ftrace`, `C:\traces\a`, `C:\traces\a`},
		{`C:\v1.2\a`, `C:\v1`, `C:\v1.2\a`}, // on Unix that is one name
		{`C:\v1.2/a`, `C:\v1.2/a`, `C:\v1.2/a`},
		{`\\server\my share\a.txt.gz`, `\\server\my share\a`, `\\server\my share\a`},
		{`a.sys.gz`, `a`, `a`},
		{`a.pftrace.gz`, `a`, `a`},
		{`C:a.ftrace`, `C:a`, `C:a`},
	} {
		if got := stem(test.name, unix); got != test.onUnix {
			t.Errorf("on Unix: %s: got %s, want %s", test.name, got, test.onUnix)
		}
		if got := stem(test.name, windows); got != test.onWindows {
			t.Errorf("on Windows: %s: got %s, want %s", test.name, got, test.onWindows)
		}
	}
}
