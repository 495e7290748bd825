//go:build unix

package fakehdc

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/simulate"
)

// deviceVariable names the device whose tool runs.
const deviceVariable = "FAKE_HDC_DEVICE"

// suspended is how long the devices have slept since they were started.
const suspended = 3600 * trace.Second

// writeTrace writes the trace of the device's session to a file. Without a session nothing
// is in the buffer.
func writeTrace(path string) error {
	w, err := open()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(w.config.Devices, func(d Device) bool { return d.Key == os.Getenv(deviceVariable) })
	if i < 0 {
		return fmt.Errorf("no device %q", os.Getenv(deviceVariable))
	}
	text, err := w.trace(&w.config.Devices[i])
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

func (w *world) trace(d *Device) ([]byte, error) {
	file := filepath.Join(w.state(d), "session")
	session, err := os.ReadFile(file)
	info, statErr := os.Stat(file)
	if err != nil || statErr != nil {
		return []byte("# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:8\n#\n"), nil
	}
	length := trace.Duration(d.Seconds * float64(trace.Second))
	if length == 0 {
		length = trace.Duration(time.Since(info.ModTime()))
	}
	n, err := w.count(filepath.Join(d.Key, "traces"))
	if err != nil {
		return nil, err
	}
	p := findProfile(d.System)
	c := simulate.Default()
	c.Era, c.Duration = p.era, max(length, 100*trace.Millisecond)
	c.Seed = cmp.Or(d.Seed, 1) + uint64(n)
	c.Rates = []simulate.Rate{{Hz: 120}}
	c.Kernel, c.GPU = simulate.KernelLinux, true
	c.Chances = simulate.Chances{AppLate: 0.04, AppStuck: 0.005, AppEmpty: 0.03, AppPause: 0.01, RenderLate: 0.01, CommitLate: 0.01}
	if !strings.HasSuffix(string(session), " mono\n") {
		c.ClockOffset = suspended
	}
	c.Apps = nil
	for _, a := range d.Apps {
		if _, err := os.Stat(filepath.Join(w.state(d), "running", a.Bundle)); err == nil {
			c.Apps = append(c.Apps, simulate.App{Bundle: a.Bundle, PID: trace.PID(a.PID)})
		}
	}
	if len(c.Apps) == 0 {
		c.Apps = []simulate.App{{Bundle: "com.ohos.sceneboard", PID: 15000}}
	}
	if p.legacy {
		c.Text.Header = simulate.HeaderTrace
	}
	var text bytes.Buffer
	if _, err := simulate.Write(&text, c); err != nil {
		return nil, err
	}
	out := text.Bytes()
	if d.Overflow {
		out = overflow(out)
	}
	if d.Cut {
		out = out[:len(out)-20]
	}
	return out, nil
}

var entries = regexp.MustCompile(`entries-written: (\d+)/(\d+)`)

// overflow removes the first 60 % of the lines and reports it in the header.
func overflow(text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	head := slices.IndexFunc(lines, func(line []byte) bool { return !bytes.HasPrefix(line, []byte("#")) && string(line) != "TRACE:\n" })
	body := lines[head:]
	kept := body[len(body)*6/10:]
	header := entries.ReplaceAll(bytes.Join(lines[:head], nil), fmt.Appendf(nil, "entries-written: %d/$2", len(kept)-1))
	return append(header, bytes.Join(kept, nil)...)
}
