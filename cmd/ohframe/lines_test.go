//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
	"ohframe/internal/text"
)

// What a report and its causes say first is a headline of two lines about one subject, and at most three
// sentences below it, and numbers are what they say to be; in a file, no line of any table or list is wider than
// the documents say. All of it holds for captures, oracles and generated traces.
func TestLines(t *testing.T) {
	slow.SkipRace(t)
	dir := t.TempDir()
	shared := filepath.Join("..", "..", "..", "shared")
	files := []string{"../../testdata/demo.ftrace", "../../testdata/why/waits.ftrace"}
	more := []string{"../../testdata/*.ftrace.gz", filepath.Join(shared, "traces", "*.ftrace"), filepath.Join(shared, "traces", "android", "*")}
	if slow.Enabled() {
		more = append(more, filepath.Join(shared, "oracle", "*.ftrace"))
	}
	for _, pattern := range more {
		files = append(files, must.Get(filepath.Glob(pattern))(t)...)
	}
	for i := range slow.Of(2, 30) {
		c := []simulate.Config{simulate.Everything(), simulate.Layered()}[i%2]
		c.Seed = uint64(i)
		var content bytes.Buffer
		must.Get(simulate.Write(&content, c))(t)
		file := filepath.Join(dir, fmt.Sprintf("generated%d.ftrace", i))
		write(t, file, content.Bytes())
		files = append(files, file)
	}
	for i, file := range files {
		link := filepath.Join(dir, fmt.Sprintf("%d%s", i, strings.TrimPrefix(filepath.Base(file), strings.SplitN(filepath.Base(file), ".", 2)[0])))
		must.Do(t, os.Symlink(must.Get(filepath.Abs(file))(t), link))
		name := filepath.Base(link)
		t.Run(filepath.Base(file), func(t *testing.T) {
			for _, command := range []string{"report", "why", "why --all", "frames", "convert -o out.pftrace", "diff " + name} {
				cmd := exec.Command("ohframe", append(strings.Fields(command), name)...)
				cmd.Dir = dir
				out, _ := cmd.CombinedOutput() // the exit code is 1 without frames
				narrow(t, command, string(out))
				switch command {
				case "report":
					answers(t, command, string(out))
					divides(t, string(out))
				case "why":
					answers(t, command, string(out))
				}
			}
		})
	}
}

// narrow checks the lines of a file. One with a command is not broken, nor is a name in a line of its own.
func narrow(t *testing.T, command, out string) {
	for line := range strings.Lines(out) {
		if text.Width(strings.TrimRight(line, "\n")) > text.DefaultWidth && !strings.Contains(line, "ohframe") && len(strings.Fields(line)) > 1 {
			t.Errorf("%s: %d cells in %q", command, text.Width(line)-1, line)
		}
	}
}

// answers checks what is said first.
func answers(t *testing.T, command, out string) {
	first, _, _ := strings.Cut(out, "\n\n")
	if strings.Contains(first, "Data quality") {
		return // there is nothing to say
	}
	headline, sentences := "", []string{}
	for i, line := range strings.Split(first, "\n") {
		switch {
		case i == 0:
			headline = line
		case strings.HasPrefix(line, "    "):
			sentences[len(sentences)-1] += " " + strings.TrimSpace(line)
		case strings.HasPrefix(line, "  "):
			sentences = append(sentences, strings.TrimSpace(line))
		case len(sentences) == 0 && i == 1:
			headline += " " + line
		default:
			t.Errorf("%s: more than two lines of a headline:\n%s", command, first)
		}
	}
	if len(sentences) > 3 || strings.Contains(headline, "; ") {
		t.Errorf("%s: %d sentences below, or several subjects:\n%s", command, len(sentences), first)
	}
	for _, s := range append(sentences, headline) {
		if text.Width(s) > text.MaxSentence {
			t.Errorf("%s: %d cells in %q", command, text.Width(s), s)
		}
	}
}

var (
	dividedFPS   = regexp.MustCompile(`FPS +([0-9.]+) +[0-9]+ [a-z ]+, ([0-9]+) intervals? in ([0-9.]+) s`)
	dividedHitch = regexp.MustCompile(`Hitches +([0-9.]+) ms/s +[0-9]+ hitch(?:es)?: ([0-9.]+) ms in ([0-9.]+) s`)
)

// divides checks that who divides what a report prints gets the rate before it.
func divides(t *testing.T, out string) {
	flat := strings.Join(strings.Fields(out), " ")
	number := func(s string) float64 { return must.Get(strconv.ParseFloat(s, 64))(t) }
	for what, r := range map[string]*regexp.Regexp{"FPS": dividedFPS, "hitch ratio": dividedHitch} {
		list := r.FindAllStringSubmatch(flat, -1)
		if want := strings.Count(flat, map[string]string{"FPS": " s, every ", "hitch ratio": " hitches: "}[what]); len(list) < want {
			t.Errorf("%s: %d of %d can be divided", what, len(list), want)
		}
		for _, m := range list {
			rate, n, seconds := number(m[1]), number(m[2]), number(m[3])
			if off := math.Abs(n/seconds - rate); off > .051+rate*.0005/seconds+.051/seconds {
				t.Errorf("%s: %g / %g is not %g in %q", what, n, seconds, rate, m[0])
			}
		}
	}
}
