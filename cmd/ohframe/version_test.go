package main

import (
	"runtime"
	"testing"

	"ohframe/internal/testing/must"
)

func TestDescribeVersion(t *testing.T) {
	built := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	for _, test := range []struct {
		version  string
		settings map[string]string
		want     string
	}{
		{"v1.2.3", nil, "v1.2.3 (" + built + ")"},
		{
			"v1.2.3",
			map[string]string{"vcs.revision": "0123456789abcdef0123456789abcdef01234567", "vcs.time": "2026-11-20T23:30:57Z"},
			"v1.2.3 (commit 0123456789ab, 2026-11-20, " + built + ")",
		},
		{"devel", map[string]string{"vcs.revision": "0123", "vcs.time": "?"}, "devel (commit 0123, " + built + ")"},
	} {
		must.Equal(t, describeVersion(test.version, test.settings), test.want)
	}
}
