//go:build unix

package fakehdc

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// tools are the programs of the device, which are all in one script.
var tools = strings.Fields("aa bm df hidumper hitrace nproc param pidof ps sleep uitest uname")

//go:embed device.sh
var deviceScript string

// traceTool is the name by which the script calls this program to write a trace.
const traceTool = "simulate-trace"

// mapped are the folders of a device that are below its root. Paths in commands are
// rewritten; others are those of this computer.
var mapped = []string{"/data/local/tmp", "/sys/kernel/debug/tracing", "/sys/kernel/tracing"}

// onDevice returns the text with the paths of the device.
func (w *world) onDevice(d *Device, text string) string {
	for _, folder := range mapped {
		text = strings.ReplaceAll(text, folder, w.root(d)+folder)
	}
	return text
}

// prepare makes the device's tools, folders and files, unless they exist, and returns the
// folder of the tools.
func (w *world) prepare(d *Device) (bin string, err error) {
	bin = w.state(d) + "/bin"
	apps := w.state(d) + "/apps" // written last
	if _, err := os.Stat(apps); err == nil {
		return bin, nil
	}
	for _, folder := range []string{bin, w.root(d) + "/data/local/tmp", w.root(d) + "/sys/kernel/tracing", w.state(d) + "/running"} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return "", err
		}
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	links := map[string]string{traceTool: program}
	for _, tool := range tools {
		links[tool] = "device.sh"
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(bin, name)); err != nil && !os.IsExist(err) {
			return "", err
		}
	}
	files := map[string]string{bin + "/device.sh": deviceScript}
	var list strings.Builder
	for _, a := range d.Apps {
		fmt.Fprintln(&list, a.Bundle, a.PID, a.StartCode, a.Ability)
		if a.Running {
			files[w.state(d)+"/running/"+a.Bundle] = ""
		}
	}
	if d.Busy != "" {
		files[w.state(d)+"/session"] = d.Busy + " boot\n"
		files[w.root(d)+"/sys/kernel/tracing/tracing_on"] = "1\n"
	}
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o777); err != nil {
			return "", err
		}
	}
	return bin, os.WriteFile(apps, []byte(list.String()), 0o666)
}

// environment is what the tools know of the device. An empty value means no.
func (w *world) environment(d *Device) []string {
	p, developer, screen := findProfile(d.System), "", "ON"
	if p.developer {
		developer = strconv.FormatBool(!d.NoDeveloperMode)
	}
	if d.ScreenOff {
		screen = "OFF"
	}
	list := []string{Folder + "=" + w.dir, deviceVariable + "=" + d.Key}
	for name, value := range map[string]any{
		"ROOT": w.root(d), "STATE": w.state(d), "SYSTEM": p.system, "NAME": p.name, "API": p.api, "TAGS": strings.Join(tagsOf(d), " "),
		"LEGACY": yes(p.legacy), "CHECKS_ON": yes(p.checksOn), "BUSY": p.busy, "DEVELOPER": developer, "SCREEN": screen,
		"NO_MONO": yes(d.NoMono), "NO_CLOCK": yes(d.NoClock), "ERRNO": d.Errno,
		"FREE": max(0, cmp.Or(d.FreeKB, 50_000_000)), "SLEEP_SCALE": cmp.Or(d.SleepScale, 1),
	} {
		list = append(list, fmt.Sprintf("FAKE_%s=%v", name, value))
	}
	for mode, a := range d.Hitrace {
		list = append(list, fmt.Sprintf("FAKE_SECONDS_%s=%g", mode, float64(a.MS)/1000), fmt.Sprintf("FAKE_TIMES_%s=%d", mode, a.Times), fmt.Sprintf("FAKE_FAIL_%s=%s", mode, a.Fail))
	}
	return list
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

// shell runs a command on the device. It returns when nobody can write to the output
// any more. Standard input never ends. If hdc is killed, the first process of the
// command is terminated, and only that one.
func (w *world) shell(d *Device, text string) (string, error) {
	if len(text) > maxText {
		return "", nil
	}
	bin, err := w.prepare(d)
	if err != nil {
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
	cmd := exec.Command("/bin/sh", "-c", w.onDevice(d, text))
	cmd.Dir = w.root(d)
	cmd.Env = append(w.environment(d), "PATH="+bin+":/usr/bin:/bin", "HOME=/")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = never, write, write
	cmd.ExtraFiles = []*os.File{never} // commands inherit hdcd's connection
	cmd.SysProcAttr = ownSession()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	write.Close()
	content, err := io.ReadAll(output)
	if err != nil {
		return "", err
	}
	cmd.Wait() // the status is not passed on
	answer := strings.ReplaceAll(string(content), w.root(d), "")
	if !w.config.Binary {
		answer = lossy([]byte(answer))
	}
	return answer, nil
}
