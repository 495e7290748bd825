package simulate

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ohframe/analyzer/trace"
	"ohframe/internal/slow"
)

// TestText checks the shape of lines under every choice there is for it.
func TestText(t *testing.T) {
	const start = `^ +example\.gallery-20000 +`
	for _, test := range []struct {
		name   string
		change func(c *Config)
		line   string // an application's marker
	}{
		{"plain", func(*Config) {}, start + `\(20000\) \[\d{3}\] \.{4} +10[01]\.\d{6}: tracing_mark_write: [BE]\|`},
		{"wide", func(c *Config) { c.Text.TGID = TGIDWide }, start + `\(  20000\) \[`},
		{"absent", func(c *Config) { c.Text.TGID = TGIDAbsent }, start + `\[`},
		{"dashes", func(c *Config) { c.Text.TGID = TGIDDashes }, start + `\(-----\) \[`},
		{"wide dashes", func(c *Config) { c.Text.TGID = TGIDWideDashes }, start + `\(-------\) \[`},
		{"5 flags", func(c *Config) { c.Text.Flags = 5 }, `\] \.{5} `},
		{"8 flags", func(c *Config) { c.Text.Flags = 8 }, `\] \.{8} `},
		{"nanoseconds", func(c *Config) { c.Text.Nanoseconds = true }, ` 10[01]\.\d{9}: `},
		{"offset", func(c *Config) { c.ClockOffset = 3600 * trace.Second }, ` 370[01]\.\d{6}: `},
		{"print", func(c *Config) { c.Text.Mark = MarkPrint }, `\d: print: [BE]\|`},
		{"address", func(c *Config) { c.Text.Mark = MarkPrintAddress }, `\d: print: 0x[0-9a-f]+: [BE]\|`},
		{"HarmonyOS", func(c *Config) { c.Era = "harmonyos-6.1" }, `\d: print: [BE]\|`},
		{"container", func(c *Config) { c.Apps[0].PayloadPID = 77 }, start + `\(20000\).*: [BE]\|77\|`},
		{"CRLF", func(c *Config) { c.Text.CRLF = true }, `\r$`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Default()
			c.Text.NoClockSync = true
			test.change(&c)
			text, _ := simulateText(t, c)
			right := regexp.MustCompile(test.line)
			found := 0
			for _, line := range strings.Split(string(text), "\n") {
				if !strings.Contains(line, "gallery-20000") {
					continue
				}
				found++
				if !right.MatchString(line) {
					t.Fatalf("%q is not as %s", line, test.line)
				}
			}
			if found == 0 {
				t.Error("no lines of the application")
			}
			if crlf := bytes.Count(text, []byte("\r\n")) == bytes.Count(text, []byte("\n")); crlf != c.Text.CRLF {
				t.Errorf("all lines end in CR and LF: %v", crlf)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	slow.SkipRace(t)
	for header, want := range map[Header]string{
		HeaderNone:      `^ +\S+-\d+`,
		HeaderNarrow:    `^# tracer: nop\n#\n# entries-in-buffer/entries-written: LINES/LINES   #P:CPUS\n#\n# .*TASK-PID    TGID`,
		HeaderWide:      `^# tracer: nop\n#\n# entries-in-buffer/entries-written: LINES/LINES   #P:CPUS\n(#.*\n)+.*TASK-PID       TGID`,
		HeaderFiveFlags: `^# tracer: nop\n(#.*\n)+.*migrate-disable\n(#.*\n)+`,
		HeaderTrace:     `^TRACE:\n# tracer: nop\n`,
		HeaderConverter: `^# tracer: nop\n#\n# entries-in-buffer/entries-written: %lu/%lu   #P:%d\n`,
		HeaderPadded:    `^# tracer: nop\n#\n# entries-in-buffer/entries-written: +LINES/LINES +#P: +CPUS\n`,
		HeaderServo:     `^# tracer: nop\n# +_-----=> irqs-off\n`,
	} {
		c := Default()
		c.Text.Header = header
		text, _ := simulateText(t, c)
		lines := len(readLines(t, text))
		want = strings.NewReplacer("LINES", fmt.Sprint(lines), "CPUS", "9").Replace(want)
		if !regexp.MustCompile(want).Match(text) {
			t.Errorf("%s: %.200q", header, text)
		}
	}
}

// The clock markers tell the monotonic time to a float's precision.
func TestClockSync(t *testing.T) {
	c := Default()
	c.ClockOffset = 3600 * trace.Second
	text, _ := simulateText(t, c)
	m := regexp.MustCompile(`(\d+\.\d+): tracing_mark_write: trace_event_clock_sync: parent_ts=(\d+\.\d+)`).FindSubmatch(text)
	if m == nil {
		t.Fatal("no parent_ts")
	}
	var line, parent float64
	fmt.Sscan(string(m[1]), &line)
	fmt.Sscan(string(m[2]), &parent)
	if d := line - parent; d < 3600-0.001 || d > 3600+0.001 {
		t.Errorf("line %v, parent_ts %v", line, parent)
	}
}

func TestDeterminism(t *testing.T) {
	c := everything("6.0")
	c.Kernel, c.Background = KernelLinux, 5000
	first, truth := simulateText(t, c)
	second, again := simulateText(t, c)
	if !bytes.Equal(first, second) || truth.Summary() != again.Summary() {
		t.Error("the same configuration gave another trace")
	}
	c.Seed++
	third, _ := simulateText(t, c)
	if bytes.Equal(first, third) {
		t.Error("another seed gave the same trace")
	}
}

// What the rest of the device does must not change the frames.
func TestNoiseLeavesFramesAlone(t *testing.T) {
	c := everything("6.0")
	_, quiet := simulateText(t, c)
	c.Kernel, c.Background = KernelHongMeng, 20000
	_, noisy := simulateText(t, c)
	var a, b bytes.Buffer
	if err := quiet.WriteJSON(&a); err != nil {
		t.Fatal(err)
	}
	if err := noisy.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("noise changed the frames")
	}
}

func TestConfigErrors(t *testing.T) {
	for want, change := range map[string]func(c *Config){
		`no era is called "7.9"`:                   func(c *Config) { c.Era = "7.9" },
		"must hold from 0":                         func(c *Config) { c.Rates = nil },
		"refresh rate 1000 Hz":                     func(c *Config) { c.Rates = []Rate{{Hz: 1000}} },
		"not in order of time":                     func(c *Config) { c.Rates = []Rate{{Hz: 60}, {From: 2, Hz: 90}, {From: 1, Hz: 60}} },
		"neither a duration nor a size":            func(c *Config) { c.Duration = 0 },
		"less than 30 away":                        func(c *Config) { c.Apps = append(c.Apps, App{Bundle: "b", PID: 20029}) },
		"is below 5000":                            func(c *Config) { c.Apps[0].PID = 1027 },
		"workers":                                  func(c *Config) { c.Apps[0].Workers = 9 },
		"worker UI threads are not told apart":     func(c *Config) { c.Era, c.Apps[0].Workers = "4.0", 1 },
		"9 flag characters":                        func(c *Config) { c.Text.Flags = 9 },
		`no header is called "golden"`:             func(c *Config) { c.Text.Header = "golden" },
		"background work needs a kernel":           func(c *Config) { c.Background = 1 },
		"application phase 10ms is not in 0 to 3m": func(c *Config) { c.AppPhase = 10 * trace.Millisecond },
	} {
		c := Default()
		change(&c)
		if _, err := Write(new(bytes.Buffer), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if err := new(Chances).Set("app-late", 1.5); err == nil {
		t.Error("1.5 is a probability")
	}
	if err := new(Chances).Set("app", 0.5); err == nil {
		t.Error("app is a chance")
	}
}
