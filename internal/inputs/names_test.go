package inputs

import (
	"testing"

	"ohframe/internal/testing/must"
)

// A dot in the name of a folder does not start an extension.
func TestStem(t *testing.T) {
	for name, want := range map[string]string{
		"a.ftrace": "a", "a": "a", "com.example.app.ftrace.gz": "com.example.app", "com.example.app.ZIP": "com.example.app", "traces/a.txt": "traces/a",
		"v1.2/a": "v1.2/a", "v1.2/a.gz": "v1.2/a", "a.sys.gz": "a", "a.pftrace.gz": "a", "": "",
	} {
		must.Equal(t, Stem(name), want, "%s", name)
	}
}
