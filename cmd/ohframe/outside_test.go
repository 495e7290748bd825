package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// An application that draws without vsyncs is named in every output, with its rate, how many of its pictures were
// late, and why.
func TestOutsideFrames(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	var text bytes.Buffer
	must.Get(simulate.Write(&text, simulate.Timed(false)))(t)
	must.Do(t, os.WriteFile("trace", text.Bytes(), 0o644))
	steady := simulate.Timed(false)
	steady.Apps[0].Timers[0].Troubles = nil
	text.Reset()
	must.Get(simulate.Write(&text, steady))(t)
	must.Do(t, os.WriteFile("steady", text.Bytes(), 0o644))
	for _, test := range []struct{ command, want string }{
		{"report trace", "^com.kuikly.app outside frames: 1 of 84 transactions late, 41.7 ms lost, 100 % of it queued late: running in Compose:draw .* no frames of applications: com.kuikly.app drew outside frames .* 1 of 84 58.6 41.7 "},
		{"why trace", "the producer ran 43.. ms in Compose:draw; usual 3"},
		{"report --format json trace", `"framework": "outside_frames"`},
		{"report --format html trace", "com.kuikly.app outside frames"},
		{"frames --kind layer --late --format csv trace", "outside_frames"},
		{"diff steady trace", "Late Uneven Dropped .* com.kuikly.app outside 88 → 86 60.0 → 58.6 0 % → 1.2 %"},
		{"diff --fail-on layer.late>+1pp steady trace", "layer.late"},
	} {
		words := strings.Fields(test.command)
		err := newApp().RunContext(t.Context(), append([]string{"ohframe", words[0], "-o", "out"}, words[1:]...))
		if strings.Contains(test.command, "--fail-on") == (err == nil) {
			t.Errorf("%s: %v", test.command, err)
		}
		out := must.Get(os.ReadFile(filepath.Join(folder, "out")))(t)
		if got := strings.Join(strings.Fields(strings.ReplaceAll(string(out), "<wbr>", "")), " "); !regexp.MustCompile(test.want).MatchString(got) {
			t.Errorf("%s has not %q:\n%.1500s", test.command, test.want, out)
		}
	}
}
