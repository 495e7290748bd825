//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
	"ohframe/internal/testing/slow"
)

// Asked whether the application or the system was late, the answer is right for the whole trace and for
// the application alone. Several frames wait for storage, or their pictures are drawn for long, or both.
func TestApplicationOrSystem(t *testing.T) {
	slow.SkipRace(t)
	dir := t.TempDir()
	for i, test := range []struct{ application, service bool }{{true, false}, {false, true}, {true, true}, {false, false}} {
		s := simulate.Scene{Kernel: []simulate.Kernel{simulate.KernelHongMeng, simulate.KernelLinux}[i%2], RefreshHz: []int{60, 90, 120}[i%3], Cause: simulate.CauseNone, Frames: 60, Seed: uint64(i)}
		length := trace.Second / trace.Duration(s.RefreshHz)
		for _, k := range []int64{14, 26} {
			if test.application {
				s.Injections = append(s.Injections, simulate.Injection{Cause: simulate.CauseStorageD, Vsync: k, Length: length})
			}
			if test.service {
				s.Injections = append(s.Injections, simulate.Injection{Cause: simulate.CauseDrawWork, Vsync: k + 6, Length: 2 * length})
			}
		}
		var b bytes.Buffer
		must.Get(s.Generate(&b))(t)
		file := fmt.Sprintf("%d.ftrace", i)
		write(t, filepath.Join(dir, file), b.Bytes())
		for _, process := range []string{"", " --process gallery"} {
			d := asked(t, dir, "ohframe why --format evidence"+process+" "+file)
			of := "frames"
			if process != "" || test.application { // otherwise no application stands in the headline
				of = "of its pictures"
			}
			report, err := exec.Command("sh", "-c", "cd "+dir+"; ohframe report"+process+" "+file).Output()
			answer := strings.Join(append([]string{d.Answer}, d.Sentences...), " ")
			if said, _, _ := strings.Cut(strings.Join(strings.Fields(string(report)), " "), " "+file); err != nil || said != answer {
				t.Errorf("%+v%s: %v, the report says\n%s\nnot\n%s", s, process, err, said, answer)
			}
			for want, is := range map[string]bool{
				"example.gallery: 0 of ":                       !test.application,
				"waiting for storage in FlushLayoutTask":       test.application,
				"render_service showed":                        test.service,
				of + " late, by ":                              test.service,
				"% of it running in ApplyKawaseBlur [drawing]": test.service,
				"by the application, ":                         test.application && test.service,
			} {
				if strings.Contains(answer, want) != is {
					t.Errorf("%+v%s: %q is %t in %s", s, process, want, is, answer)
				}
			}
		}
	}
}
