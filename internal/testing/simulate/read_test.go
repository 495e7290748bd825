package simulate

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
)

// textLine is a line taken apart just far enough to be checked. It is for tests
// only: the truth never comes from here.
type textLine struct {
	comm    string
	tid     int
	tgid    string
	cpu     int
	flags   string
	time    trace.Time
	event   string
	payload string
}

var linePattern = regexp.MustCompile(`^ *(.*)-(\d+) +(?:\( *([-\d]+)\) )?\[(\d+)\] (\S+) +(\d+)\.(\d+): (\w+): (.*)$`)

func readLines(t *testing.T, text []byte) []textLine {
	t.Helper()
	var lines []textLine
	for _, line := range strings.Split(strings.TrimRight(string(text), "\r\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.HasPrefix(line, "#") || line == "TRACE:" {
			continue
		}
		m := linePattern.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not a line: %q", line)
		}
		number := func(s string) int {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		fraction := m[7] + strings.Repeat("0", 9-len(m[7]))
		lines = append(lines, textLine{
			comm: m[1], tid: number(m[2]), tgid: m[3], cpu: number(m[4]), flags: m[5],
			time:  trace.Time(number(m[6]))*1e9 + trace.Time(number(fraction)),
			event: m[8], payload: m[9],
		})
	}
	return lines
}

func simulateText(t *testing.T, c Config) ([]byte, *Truth) {
	t.Helper()
	var b bytes.Buffer
	truth, err := Write(&b, c)
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), truth
}

func asJSON(t *testing.T, truth *Truth) []byte {
	b, err := json.Marshal(truth)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// everything is a configuration in which all things happen often that can in an era.
func everything(era string) Config {
	c := Everything()
	c.Era, c.Detail, c.CutEnd, c.Kernel = era, true, false, KernelNone
	c.Duration = 1500 * trace.Millisecond
	c.Rates = []Rate{{Hz: 120}, {From: 500 * trace.Millisecond, Hz: 60}, {From: trace.Second, Hz: 90}}
	c.Apps[0].Workers, c.Apps[0].VsyncThread = 2, true
	c.Apps = append(c.Apps, App{Bundle: "com.example.game", PID: 20600, Interval: 2, Instances: 2})
	c.Chances = Chances{
		AppLate: 0.06, AppStuck: 0.02, AppBlocked: 0.5, AppEmpty: 0.06, AppPause: 0.01,
		Worker: 0.3, SplitData: 0.1, LateFlush: 0.1, NoExpectedEnd: 0.01, Held: 0.05, Lost: 0.02,
		RenderLate: 0.04, RenderGPULate: 0.04, RenderInvalid: 0.03, RenderSkip: 0.4,
		GPUOutside: 0.03, CommitLate: 0.05,
	}
	return c
}
