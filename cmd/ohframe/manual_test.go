//go:build unix

package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"ohframe/analyzer/limits"
)

// The page formats without a complaint, and has every command, flag and limit.
func TestManual(t *testing.T) {
	groff := findTool(t, "groff")
	page, err := exec.Command("ohframe", "man").Output()
	if err != nil {
		t.Fatal(err)
	}
	const oneLine = "-rLL=1000n"
	cmd := exec.Command(groff, "-K", "utf8", "-man", "-Tutf8", "-ww", "-P-cbou", oneLine)
	cmd.Stdin = bytes.NewReader(page)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	want := []string{
		"\nINPUTS\n", "\nEXIT STATUS\n", "\nFILES\n", "\nEXAMPLES\n", "\nLIMITS\n",
		" 2      a condition of ohframe diff --fail-on holds\n",
		" ohframe diff base.ftrace new.ftrace --fail-on 'jank_rate>+2pp,fps<-5%'\n",
	}
	for _, c := range newApp().VisibleCommands() {
		want = append(want, "\n"+c.Name+"\n       "+c.Usage+"\n")
		for _, f := range c.VisibleFlags() {
			want = append(want, " --"+strings.Join(f.Names(), ", -"))
		}
	}
	for _, l := range limits.All {
		want = append(want, " "+l.Name+" (default "+limits.Number(l.Default)+")\n")
	}
	for _, text := range want {
		if !strings.Contains(out.String(), text) {
			t.Errorf("the page lacks %q", text)
		}
	}
}
