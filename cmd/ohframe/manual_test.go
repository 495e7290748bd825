//go:build unix

package main

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
)

// The page formats without a complaint, and has every command, flag and limit.
func TestManual(t *testing.T) {
	groff := findTool(t, "groff")
	page := must.Get(exec.Command("ohframe", "man").Output())(t)
	const oneLine = "-rLL=1000n"
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-P-cbou", oneLine)
	cmd.Stdin = bytes.NewReader(page)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	want := []string{
		"\nINPUTS\n", "\nEXIT STATUS\n", "\nFILES\n", "\nEXAMPLES\n", "\nLIMITS\n",
		" 2      a condition of --fail-on or --budgets failed; others may be unknown\n",
		" 3      cannot tell: no condition failed, but one could not be checked, or with --strict an input was skipped, is damaged or is unreliable\n",
		" ohframe diff base.ftrace new.ftrace --fail-on 'jank_rate>+2pp,fps<-5%'\n",
	}
	_, rest, _ := strings.Cut(out.String(), "\nSYNOPSIS\n")
	synopsis, rest, _ := strings.Cut(rest, "\nDESCRIPTION\n")
	description, _, _ := strings.Cut(rest, "\nGLOBAL OPTIONS\n")
	if strings.Contains(description, "sage:") || !strings.Contains(description, "The exit code is") {
		t.Errorf("the description is %q", description)
	}
	heading := regexp.MustCompile(`\n {0,3}[a-zA-Z]`)
	check := func(indent string, list []*cli.Command) {
		for _, c := range list {
			if usage := strings.TrimSpace(" [FLAGS] " + c.ArgsUsage); len(c.Subcommands) == 0 && !strings.Contains(synopsis, c.Name+" "+usage+"\n") {
				t.Errorf("the synopsis lacks %s %s:\n%s", c.Name, usage, synopsis)
			}
			_, section, ok := strings.Cut(out.String(), "\n"+indent+c.Name+"\n       "+c.Usage+"\n")
			if !ok {
				t.Errorf("the page lacks %s", c.Name)
			}
			if end := heading.FindStringIndex(section); end != nil {
				section = section[:end[0]]
			}
			for _, f := range c.VisibleFlags() {
				flag := "\n       --" + strings.Join(f.Names(), ", -")
				if !strings.Contains(section, flag+": ") && !strings.Contains(section, flag+`="": `) {
					t.Errorf("%s lacks --%s", c.Name, f.Names()[0])
				}
			}
		}
	}
	app := newApp()
	check("", app.VisibleCommands())
	check("   ", app.Command("fleet").Subcommands)
	for _, l := range trace.AllLimits {
		want = append(want, " "+l.Name+" (default "+trace.FormatLimit(l.Default)+")\n")
	}
	for _, text := range want {
		if !strings.Contains(out.String(), text) {
			t.Errorf("the page lacks %q", text)
		}
	}
}
