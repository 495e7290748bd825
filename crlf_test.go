package ohframe

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ohframe/internal/testing/must"
)

// An input says the same with the line ends of Windows, and with both kinds, as
// text has that went through an editor: every capture of the project's frames,
// the demo, and the dumps of Android.
func TestLineEnds(t *testing.T) {
	inputs := map[string]string{"latency": latency, "framestats": framestats}
	demo := must.Get(os.ReadFile("testdata/demo.ftrace"))(t)
	inputs["demo"] = string(demo)
	cases, err := filepath.Glob("testdata/frames/*.txtar")
	if err != nil || len(cases) < 50 {
		t.Fatalf("%d cases of frames: %v", len(cases), err)
	}
	for _, path := range cases {
		archive := must.Get(txtar.ParseFile(path))(t)
		for _, f := range archive.Files {
			if f.Name == "trace" {
				inputs[filepath.Base(path)] = string(f.Data)
			}
		}
	}
	for name, text := range inputs {
		if strings.Contains(text, "\r") {
			t.Errorf("%s has other line ends already", name)
		}
		want := describe(t, text)
		must.Equal(t, describe(t, strings.ReplaceAll(text, "\n", "\r\n")), want, "%s with CR LF", name)
		var mixed strings.Builder
		lines := 0
		for line := range strings.Lines(text) {
			if lines++; lines%2 == 0 {
				line = strings.Replace(line, "\n", "\r\n", 1)
			}
			mixed.WriteString(line)
		}
		must.Equal(t, describe(t, mixed.String()), want, "%s with CR LF on every other line", name)
		must.Equal(t, describe(t, strings.TrimSuffix(text, "\n")), want, "%s without the last line's end", name)
	}
}

// describe returns all that is read from a text, or why nothing is.
func describe(t *testing.T, text string) string {
	t.Helper()
	in, err := Read(t.Context(), strings.NewReader(text), Options{})
	if err != nil {
		return "error: " + err.Error()
	}
	return in.Format + "\n" + in.Timeline.String()
}
