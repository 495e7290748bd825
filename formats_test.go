package ohframe

import (
	"errors"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// Inputs that have no frames are refused, by their content.
func TestNotATrace(t *testing.T) {
	for _, test := range []struct{ head, want, hint string }{
		{"\x89PNG\r\n\x1a\n", "not a trace (PNG image)", ""},
		{`{"traceEvents":[`, "not a trace (JSON)", "record a trace instead"},
		{"\n[{\"ph\":\"B\"}]", "not a trace (JSON)", ""},
		{"[" + strings.Repeat(`{"ph":"B"},`, 1<<13), "not a trace (JSON)", "record a trace instead"},
		{`{"a":"` + strings.Repeat("x", 1<<17), "not a trace (JSON)", "record a trace instead"},
		{"{" + strings.Repeat("\x00", 1<<17), "not a trace (binary data)", ""},
		{"x" + strings.Repeat("x", 1<<17), "no event: 1 × line beyond the limit (limit: line)", "a few hundred bytes"},
		{"\xff\xd8\xff\xe0\x00\x10JFIF", "not a trace (JPEG image)", ""},
		{"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "not a trace (MP4 video)", "hitrace"},
		{"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01", "not a trace (Matroska or WebM video)", "hitrace"},
		// The first page of a CPU, with 4080 bytes, and its second with 4044.
		{"\xbc\x93\xa1\x3d\x5d\x51\x00\x00\xf0\x0f\x00\x00\x00\x00\x00\x00\x1e\x00", "not a trace (pages of trace_pipe_raw)", "hitrace --raw"},
		{"\x99\x8e\xb3\x3d\x5d\x51\x00\x00\xcc\x0f\x00\x00\x00\x00\x00\x00\x1e\x00", "not a trace (pages of trace_pipe_raw)", "hitrace --raw"},
		{"\x99\x8e\xb3\x3d\x5d\x51\x00\x00\xf1\x0f\x00\x00\x00\x00\x00\x00\x1e\x00", "not a trace (binary data)", "what hitrace writes"},
		{"\x7b\x51\x00\x00\x6a\x01", "not a trace (binary data)", "what hitrace writes"},
		{"PERFILE2\x68", "not a trace (hiperf data)", "together with the trace"},
		{"HIPERF_PB_\x01\x00", "not a trace (hiperf data)", "together with the trace"},
		{"version https://git-lfs.github.com/spec/v1\n", "not a trace (Git LFS pointer)", "git lfs pull"},
		{"plain text", "not a trace", "hitrace"},
	} {
		_, err := Read(t.Context(), strings.NewReader(test.head), Options{})
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrNotATrace) || e.What != test.want || !strings.Contains(e.Hint, test.hint) {
			t.Errorf("%q: got %#v, want %q and a hint with %q", test.head, err, test.want, test.hint)
		}
		var out strings.Builder
		if _, err := Convert(t.Context(), strings.NewReader(test.head), &out, ConvertOptions{}); !errors.Is(err, ErrNotATrace) {
			t.Errorf("converting %q: got %v", test.head, err)
		}
	}
}

// Read and Convert return errors that errors.Is distinguishes.
func TestErrors(t *testing.T) {
	edge := func(from string) (o Options) {
		o.Window.From = must.Get(trace.ParseEdge(from))(t)
		return o
	}
	const event = " a-1 (1) [000] .... 1.000000: print: E|1\n"
	for _, test := range []struct {
		content string
		options Options
		want    error
	}{
		{"", Options{}, ErrEmpty},
		{"# tracer: nop\n#\n", Options{}, ErrNoEvents},
		{event, edge("2.0"), ErrOutsideWindow},
		{"\x0a\x04\x08\x01\x50\x01", Options{}, ErrNoFrames},
		{"16666666\n", Options{}, ErrNoFrames},
		{"\x49\xdf\x01", Options{}, ErrNoEvents},
		{"OHOSPROF", Options{}, ErrNoEvents},
	} {
		if _, err := Read(t.Context(), strings.NewReader(test.content), test.options); !errors.Is(err, test.want) {
			t.Errorf("reading %q: got %v, want %v", test.content, err, test.want)
		}
		if test.content[:min(1, len(test.content))] == "\x0a" {
			test.want = ErrIsPerfetto
		}
		var out strings.Builder
		if _, err := Convert(t.Context(), strings.NewReader(test.content), &out, ConvertOptions{Options: test.options}); !errors.Is(err, test.want) {
			t.Errorf("converting %q: got %v, want %v", test.content, err, test.want)
		}
	}
}
