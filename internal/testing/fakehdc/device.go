//go:build unix

package fakehdc

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"ohframe/analyzer/trace"
	"ohframe/internal/testing/simulate"
)

// profile is what differs between system versions.
type profile struct {
	system string
	api    int
	name   string // of the system
	era    string // of internal/testing/simulate, the oldest for older systems
	busy   int    // the code of OpenRecording while another session is open; zero without sessions
	// checksOn: finish first checks that tracing is on, and prints that the trace is
	// closed. codes: errors of hdc have codes.
	checksOn, codes bool
}

var profiles = []profile{
	{"3.2", 9, "OpenHarmony-3.2.13.5", "5.0.3", 0, false, false},
	{"4.0", 10, "OpenHarmony-4.0.10.13", "5.0.3", 0, false, false},
	{"4.1", 11, "OpenHarmony-4.1.7.5", "5.0.3", 1002, false, false},
	{"5.0", 12, "OpenHarmony-5.0.0.71", "5.0.3", 1002, false, true},
	{"5.1", 18, "OpenHarmony-5.1.0.107", "5.1.0", 1012, true, true},
	{"6.0", 20, "OpenHarmony-6.0.0.47", "6.0", 1102, true, true},
	{"6.1", 23, "OpenHarmony-6.1.0.31", "6.1", 1102, true, true},
}

// Systems returns the system versions.
func Systems() (names []string) {
	for _, p := range profiles {
		names = append(names, p.system)
	}
	return names
}

func (d *Device) profile() *profile {
	i := slices.IndexFunc(profiles, func(p profile) bool { return p.system == cmp.Or(d.System, "5.0") })
	return &profiles[i]
}

// state is the path of a file that changes, root that of the root of a device's files.
func (w *world) state(name string) string      { return filepath.Join(w.dir, "state", name) }
func (w *world) root(d *Device) string         { return filepath.Join(w.dir, "root", d.Key) }
func (w *world) of(d *Device, n string) string { return w.state(filepath.Join(d.Key, n)) }

// onDevice returns the text with the paths of the device. Others are those of this computer.
func (w *world) onDevice(d *Device, text string) string {
	for _, folder := range []string{"/data/local/tmp", "/sys/kernel/debug/tracing", "/sys/kernel/tracing"} {
		text = strings.ReplaceAll(text, folder, w.root(d)+folder)
	}
	return text
}

// tools are the programs of the device, which are all in one script, and the name by which
// it calls this program to write a trace.
var tools = strings.Fields("aa bm df hidumper hitrace nproc param pidof ps sleep uname")

//go:embed device.sh
var deviceScript string

const traceTool = "simulate-trace"

// prepare makes the device's tools, folders and files, unless they exist.
func (w *world) prepare(d *Device) error {
	apps := w.of(d, "apps") // written last
	if _, err := os.Stat(apps); err == nil {
		return nil
	}
	for _, folder := range []string{w.of(d, "bin"), w.of(d, "running"), w.of(d, "parameters"), w.of(d, "versions"), w.root(d) + "/data/local/tmp", w.root(d) + "/sys/kernel/tracing"} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	links, files, list := map[string]string{traceTool: program}, map[string]string{"bin/device.sh": deviceScript}, ""
	if d.Set["HIPERF"] != "missing" {
		links[hiperfTool] = program
	}
	for _, tool := range tools {
		links[tool] = "device.sh"
	}
	for name, target := range links {
		if err := os.Symlink(target, w.of(d, "bin/"+name)); err != nil && !os.IsExist(err) {
			return err
		}
	}
	for _, a := range d.Apps {
		list += fmt.Sprintln(a.Bundle, a.PID, a.StartCode, a.Ability)
		if a.Running {
			files["running/"+a.Bundle] = ""
		}
	}
	for name, value := range d.Parameters {
		files["parameters/"+name] = value + "\n"
	}
	if owner := d.Set["BUSY_OWNER"]; owner != "" {
		files["session"] = owner + " boot\n"
		files["../../root/"+d.Key+"/sys/kernel/tracing/tracing_on"] = "1\n"
	}
	for name, content := range files {
		if err := w.put(d, w.of(d, name), content); err != nil {
			return err
		}
	}
	return w.put(d, apps, list)
}

// put writes a file of a device whole or not at all: a test may kill the hdc that prepares the device.
func (w *world) put(d *Device, name, content string) error {
	f, err := os.CreateTemp(w.of(d, ""), "new-")
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Chmod(0o777), f.Close(), os.Rename(f.Name(), name))
}

// shell runs a command on the device. It returns when nobody can write to the output
// any more. Standard input never ends. If hdc is killed, the first process of the
// command is terminated, and only that one.
func (w *world) shell(d *Device, text string) (string, error) {
	if err := w.prepare(d); err != nil {
		return "", err
	}
	never, keepOpen, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer keepOpen.Close()
	output, write, err := os.Pipe()
	if err != nil {
		return "", err
	}
	runtime.LockOSThread() // the signal is sent when the thread ends
	p := d.profile()
	cmd := exec.Command("/bin/sh", "-c", w.onDevice(d, text))
	cmd.Dir = w.root(d)
	cmd.Env = []string{
		Folder + "=" + w.dir, "PATH=" + w.of(d, "bin") + ":/usr/bin:/bin", "HOME=/", "KEY=" + d.Key, "ROOT=" + w.root(d), "STATE=" + w.of(d, ""),
		"SYSTEM=" + p.system, "NAME=" + p.name, "API=" + strconv.Itoa(p.api), fmt.Sprintf("BUSY=%d", p.busy),
	}
	if p.checksOn {
		cmd.Env = append(cmd.Env, "CHECKS_ON=yes")
	}
	for name, value := range d.Set {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = never, write, write
	cmd.ExtraFiles = []*os.File{never} // commands inherit hdcd's connection
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	write.Close()
	content, err := io.ReadAll(output)
	cmd.Wait() // the status is not passed on
	return strings.ReplaceAll(string(content), w.root(d), ""), err
}

// writeTrace writes the trace of a device's session to a file. Without a session nothing is
// in the buffer.
func (w *world) writeTrace(key, path string) error {
	d := &w.Devices[slices.IndexFunc(w.Devices, func(d Device) bool { return d.Key == key })]
	session, err := os.ReadFile(w.of(d, "session"))
	info, statErr := os.Stat(w.of(d, "session"))
	if err != nil || statErr != nil {
		return os.WriteFile(path, []byte("# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:8\n#\n"), 0o666)
	}
	length := trace.Duration(d.Seconds * float64(trace.Second))
	if length == 0 {
		length = trace.Duration(time.Since(info.ModTime()))
	}
	n, err := w.count(filepath.Join(d.Key, "traces"), "trace")
	if err != nil {
		return err
	}
	c := simulate.Default()
	c.Era, c.Duration, c.Seed = d.profile().era, max(length, 100*trace.Millisecond), 1+uint64(n)
	c.Rates = []simulate.Rate{{Hz: 120}}
	c.Kernel, c.GPU = simulate.KernelLinux, true
	c.Chances = simulate.Chances{AppLate: 0.04, AppStuck: 0.005, AppEmpty: 0.03, AppPause: 0.01, RenderLate: 0.01, CommitLate: 0.01}
	if !strings.HasSuffix(string(session), " mono\n") {
		c.ClockOffset = 3600 * trace.Second // the device has slept for so long
	}
	c.Apps = nil
	for _, a := range d.Apps {
		if _, err := os.Stat(w.of(d, "running/"+a.Bundle)); err == nil {
			c.Apps = append(c.Apps, simulate.App{Bundle: a.Bundle, PID: trace.PID(a.PID)})
		}
	}
	if started, err := os.Stat(w.of(d, "started")); err == nil && d.Seconds == 0 && started.ModTime().After(info.ModTime()) {
		w.addLaunch(d, &c, trace.Duration(started.ModTime().Sub(info.ModTime())))
	}
	if len(c.Apps) == 0 {
		c.Apps = []simulate.App{{Bundle: "com.ohos.sceneboard", PID: 15000}}
	}
	if d.profile().busy == 0 {
		c.Text.Header = simulate.HeaderTrace
	}
	var text bytes.Buffer
	if err := w.simulate(d, &text, c); err != nil {
		return err
	}
	out := text.Bytes()
	if d.Overflow { // the first 60 % of the lines
		head, body, _ := bytes.Cut(out, []byte("\n  "))
		lines := bytes.SplitAfter(body, []byte("\n"))
		kept := lines[len(lines)*6/10:]
		head = entries.ReplaceAll(head, fmt.Appendf(nil, "entries-written: %d/$2", len(kept)-1))
		out = slices.Concat(head, []byte("\n"), bytes.Join(kept, nil))
	}
	if d.Cut {
		out = out[:len(out)-20]
	}
	return os.WriteFile(path, out, 0o666)
}

// addLaunch makes the last application that was started begin at a time of the trace.
func (w *world) addLaunch(d *Device, c *simulate.Config, at trace.Duration) {
	text, _ := os.ReadFile(w.of(d, "started"))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	bundle, _, _ := strings.Cut(lines[len(lines)-1], " ")
	i := slices.IndexFunc(c.Apps, func(a simulate.App) bool { return a.Bundle == bundle })
	k := slices.IndexFunc(d.Apps, func(a App) bool { return a.Bundle == bundle })
	if i < 0 || k < 0 {
		return
	}
	c.Apps[i].OnDemand = true // nothing of it exists before
	c.Apps = append(c.Apps, simulate.App{Bundle: "com.ohos.sceneboard", PID: 15000, OnDemand: true, Draws: 50 * trace.Millisecond})
	c.Launches = []simulate.Launch{{
		App: i, Launcher: len(c.Apps) - 1, At: at, Kind: simulate.Cold, Work: trace.Duration(cmp.Or(d.Apps[k].LaunchMS, 300)) * trace.Millisecond, Draws: c.Duration,
	}}
}

var entries = regexp.MustCompile(`entries-written: (\d+)/(\d+)`)
