package main

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

func manual(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := writeManual(&b, newApp()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page tells every command and every flag, and its source is plain roff.
func TestManual(t *testing.T) {
	page := manual(t)
	for _, c := range newApp().VisibleCommands() {
		if !strings.Contains(page, `\fBohframe `+c.Name+`\fR`) {
			t.Errorf("no command %s", c.Name)
		}
		for _, f := range c.VisibleFlags() {
			if name := roff("--" + f.Names()[0]); !strings.Contains(page, `\fB`+name+`\fR`) {
				t.Errorf("no flag %s", name)
			}
		}
	}
	for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "FILES", "EXAMPLES", "SEE ALSO"} {
		if strings.Count(page, "\n.SH "+section+"\n") != 1 {
			t.Errorf("no section %s", section)
		}
	}
	request := regexp.MustCompile(`^\.(\\"|TH|SH|SS|PP|TP|B|I|IB|BR|RB|RI|RS|RE|EX|EE|br)( |$)`)
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, ".") && !request.MatchString(line), strings.HasPrefix(line, "'"):
			t.Errorf("a request that is none: %q", line)
		case line == "":
			t.Error("an empty line")
		case strings.IndexFunc(line, func(r rune) bool { return r > unicode.MaxASCII }) >= 0:
			t.Errorf("not ASCII: %q", line)
		}
	}
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"a-b.c":        `a\-b.c`,
		".profile\n.x": "\\&.profile\n\\&.x",
		`C:\traces`:    `C:\etraces`,
		"'it's' …":     `\[u0027]it\[u0027]s\[u0027] \[u2026]`,
	} {
		if got := roff(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// The formatter of most systems finds nothing to complain about, and shows minus
// signs that can be copied.
func TestManualFormats(t *testing.T) {
	groff := findTool(t, "groff")
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-P-cbou")
	cmd.Stdin = strings.NewReader(manual(t))
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	for _, want := range []string{
		"ohframe convert TRACE [-o OUT]",
		"--format table|csv|json|parquet",
		"ohframe diff base.ftrace new.ftrace --fail-on 'jank_rate>+2pp,fps<-5%'",
		"source <(ohframe completion bash)",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page does not show %q", want)
		}
	}
}
