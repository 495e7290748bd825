package hitrace_test

import (
	"strings"
	"testing"

	"ohframe/analyzer/hitrace"
)

func TestSniff(t *testing.T) {
	for _, test := range []struct {
		head string
		want hitrace.Format
	}{
		{"# tracer: nop\n#\n", hitrace.TextTrace},
		{"TRACE:\n# tracer: nop\n", hitrace.TextTrace},
		{"# TRACE:\n", hitrace.TextTrace},
		{"cpus=8\n", hitrace.TextTrace},
		{"\r\n  # tracer: nop", hitrace.TextTrace},
		{"\x89PNG\r\n\x1a\n", hitrace.PNG},
		{`{"traceEvents":[`, hitrace.JSON},
		{"\n[{\"ph\":\"B\"}]", hitrace.JSON},
		{"\x0a\x1a\x52\x18\x08\x01\x00", hitrace.PerfettoTrace},
		{"OHOSPROF\x00\x00", hitrace.Htrace},
		{"BZh91AY&SY", hitrace.Bzip2},
		{"\xfd7zXZ\x00\x00\x04", hitrace.XZ},
		{"trace.ftrace" + strings.Repeat("\x00", 245) + "ustar\x0000", hitrace.Tar},
		{"trace.ftrace" + strings.Repeat("\x00", 245) + "ustar  \x00", hitrace.Tar}, // GNU's
		{"\x49\xdf\x01\x00", hitrace.Sys},                                           // 57161, the little end first
		{"", hitrace.UnknownFormat},
		{"\n", hitrace.UnknownFormat},
		{"\n\nx", hitrace.UnknownFormat},
		{"plain text", hitrace.UnknownFormat},
		{" demo.app-200   (  200) [001] ....     1.000000: print: E|200|", hitrace.UnknownFormat}, // no header; it may be one all the same
	} {
		got := hitrace.Sniff([]byte(test.head))
		if got != test.want {
			t.Errorf("%q is format %d%s, want %d%s", test.head, got, got.Description(), test.want, test.want.Description())
		}
		if got != hitrace.UnknownFormat && !strings.HasPrefix(got.Description(), " (") {
			t.Errorf("format %d is described as %q", got, got.Description())
		}
	}
	if got := hitrace.UnknownFormat.Description(); got != "" {
		t.Errorf("an unknown format is described as %q", got)
	}
	if got := hitrace.UnknownFormat.Hint(); !strings.Contains(got, "hitrace") {
		t.Errorf("the hint for an unknown format is %q", got)
	}
}
