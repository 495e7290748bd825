package compare_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"testing"

	"ohframe"
	"ohframe/analyzer/stats"
	"ohframe/compare"
	"ohframe/internal/testing/must"
	"ohframe/internal/testing/simulate"
)

// Is the new build better than the one before?
func ExampleTraces() {
	read := func(name string) *ohframe.Trace {
		f, err := os.Open(name)
		if err != nil {
			log.Fatal(err)
		}
		defer f.Close()
		t, err := ohframe.Read(context.Background(), f, ohframe.Options{Causes: true})
		if err != nil {
			log.Fatal(err)
		}
		return t
	}
	before, after := read("../testdata/demo.ftrace"), read("../testdata/functions.ftrace.gz")
	c, err := compare.Traces([]*ohframe.Trace{before}, []*ohframe.Trace{after})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range c.Processes {
		fmt.Println(p.Name)
		fmt.Println(" ", p.Measure("jank_rate"))
		fmt.Println(" ", p.Measure("fps"))
		for _, m := range p.Causes[:2] {
			fmt.Println(" ", m)
		}
	}
	// Output:
	// example.gallery
	//   jank_rate: 10.8 % → 10.2 %, not tested
	//   fps: 61.0 → 54.4, not tested
	//   waiting for storage in FlushLayoutTask: 102.8 ms/s → 3.2 ms/s, not tested
	//   running in FlushLayoutTask: 0.0 ms/s → 15.7 ms/s, not tested
	// render_service
	//   jank_rate: 6.5 % → 0 %, not tested
	//   fps: 77.4 → 60.0, not tested
	//   running in RSMainThread::DoComposition: 13.5 ms/s → 0.0 ms/s, not tested
	//   working on the GPU: 8.4 ms/s → 0.0 ms/s, not tested
}

// Of five traces of each build, the one that waits for storage is worse than the one that does not, and the
// reverse is better. A build is not worse than itself.
func TestTraces(t *testing.T) {
	build := func(cause simulate.Cause, seed uint64) (list []*ohframe.Trace) {
		for run := range uint64(5) {
			var text bytes.Buffer
			must.Get(simulate.Scene{Kernel: simulate.KernelLinux, Cause: cause, Seed: seed + run}.Generate(&text))(t)
			list = append(list, must.Get(ohframe.Read(t.Context(), &text, ohframe.Options{Causes: true}))(t))
		}
		return list
	}
	good, slow := build(simulate.CauseNone, 1), build(simulate.CauseMix, 11)
	for _, test := range []struct {
		base, new []*ohframe.Trace
		want      compare.Verdict
	}{{good, slow, compare.Worse}, {slow, good, compare.Better}, {good, build(simulate.CauseNone, 21), compare.Unclear}, {good[:1], slow[:1], compare.NotTested}} {
		c := must.Get(compare.Traces(test.base, test.new))(t)
		i := slices.IndexFunc(c.Processes, func(p compare.Process) bool { return strings.HasSuffix(p.Name, "gallery") })
		m := c.Processes[i].Measure("jank_rate")
		if m.Verdict != test.want || (m.P != nil) != (test.want != compare.NotTested) || !strings.HasSuffix(m.String(), ", "+test.want.String()) {
			t.Errorf("%s, want %s", m, test.want)
		}
		for _, cause := range c.Processes[i].Causes {
			if cause.Verdict != test.want || cause.Unit != stats.MillisecondsPS {
				t.Errorf("%s, want %s", cause, test.want)
			}
		}
	}
}

// Traces of which nothing is in both sides are an error, which names no flag of the command.
func TestNothingInCommon(t *testing.T) {
	read := func(name string) []*ohframe.Trace {
		line := "  " + name + "-200 (  200) [001] .... 1.000100: print: "
		text := line + "B|200|H:ReceiveVsync name:demo dataCount: 24bytes now:990000000 expectedEnd: 1000000000 vsyncId:7, fd:9\n" + line + "E|200|\n" + line + "B|200|H:x\n"
		return []*ohframe.Trace{must.Get(ohframe.Read(t.Context(), strings.NewReader(text), ohframe.Options{}))(t)}
	}
	for _, sides := range [][2][]*ohframe.Trace{{read("one"), read("two")}, {nil, read("two")}, {nil, nil}} {
		_, err := compare.Traces(sides[0], sides[1])
		if e := (*ohframe.Error)(nil); !errors.As(err, &e) || !strings.HasPrefix(e.What, "nothing to compare") || e.Hint != "" {
			t.Errorf("%v", err)
		}
	}
}

// A trace that is missing, because its error was not looked at, or that has no frames, is an error: without it there would
// be fewer runs than traces.
func TestMissingTraces(t *testing.T) {
	read := func(content string) *ohframe.Trace {
		return must.Get(ohframe.Read(t.Context(), strings.NewReader(content), ohframe.Options{}))(t)
	}
	demo := read(string(must.Get(os.ReadFile("../testdata/demo.ftrace"))(t)))
	without := read("  app-200 (  200) [001] .... 1.000100: print: B|200|H:x\n")
	for what, broken := range map[string]*ohframe.Trace{"is missing": nil, "has no complete frames": without} {
		_, err := compare.Traces([]*ohframe.Trace{demo, broken}, []*ohframe.Trace{demo})
		if e := (*ohframe.Error)(nil); !errors.As(err, &e) || e.What != "trace 2 of 2 of base "+what {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := compare.Traces([]*ohframe.Trace{demo}, []*ohframe.Trace{{}}); err == nil {
		t.Error("no error for an empty trace")
	}
}
